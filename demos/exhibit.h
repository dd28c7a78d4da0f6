/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_EXHIBIT_H
#define DEMO_EXHIBIT_H
/* What demos without ODE share: a folder for their files, and the library's world with one of its extensions. */
#include <stddef.h>

#include "brink/ccd.h"

/* Draws and writes into folder; 0 as claimed, 1 not as claimed, 2 failed (said on stderr). */
typedef int demoShow(void *user, const brinkPlugin *api, const void *table, brinkWorld *world, const char *folder);

/* A question without an engine. Its page is outDir/name/name.html, its picture name.png beside it. */
typedef struct demoExhibitDef {
  const char *name, *title; /* title: one line for people */
  const char *extension;    /* of the library, that it asks */
  demoShow *show;
  size_t size; /* bytes, all zero, that show gets as its user for the call; 0: NULL */
} demoExhibitDef;

/* All that this build has, in the order of `brink-demo --list`; ends with NULL. The other table is demoScenes. */
extern const demoExhibitDef *const demoExhibits[];

/* Makes the folder, prints the title and shows; 2 when folder, library, extension or memory are missing. */
int demoExhibit_Run(const demoExhibitDef *exhibit, const char *outDir);

/* What the pages of these demos share: their head, and how the view is turned and the time runs. A page's script
 * between EXHIBIT_PAGE_PARTS and EXHIBIT_PAGE_END has yaw, pitch, playing, now() (the slider's t) and draw(t). */
#define EXHIBIT_PAGE_HEAD(title, moreStyle)                                                                        \
  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "                      \
  "content=\"width=device-width\">\n"                                                                              \
  "<title>" title                                                                                                  \
  "</title>\n"                                                                                                     \
  "<style>body{margin:0 auto;max-width:1000px;padding:12px;font:15px/1.4 system-ui,sans-serif;color:#1e242c}"      \
  "canvas{width:100%;display:block;background:#eef1f4;border-radius:6px;margin:8px 0;touch-action:none}"           \
  "h1{font-size:20px;margin:0}button{font:inherit;padding:4px 12px}" moreStyle "</style></head><body>\n<h1>" title \
  "</h1>\n"
#define EXHIBIT_PAGE_PARTS                                                                                            \
  "const "                                                                                                            \
  "view=document.getElementById('view'),plot=document.getElementById('plot'),slider=document.getElementById('time');" \
  "\n"
#define EXHIBIT_PAGE_END                                                                                            \
  "view.onpointermove=e=>{if(e.buttons){yaw-=e.movementX*.008;pitch=Math.max(-1.4,Math.min(1.4,pitch+e.movementY*." \
  "008));draw(now());}};\n"                                                                                         \
  "const play=document.createElement('button');slider.after(play);slider.setAttribute('aria-label','time');\n"      \
  "const run=on=>{playing=on;play.textContent=on?'Pause':'Play';};\n"                                               \
  "play.onclick=()=>run(!playing);slider.oninput=()=>{run(false);draw(now());};\n"                                  \
  "const tick=()=>{if(playing){slider.value=(+slider.value+3)%1003;draw(now());}requestAnimationFrame(tick);};\n"   \
  "run(true);draw(now());tick();\n"                                                                                 \
  "</script><p><a href=\"../index.html\">all scenes</a></p></body></html>\n"

#endif
