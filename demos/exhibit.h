/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_EXHIBIT_H
#define DEMO_EXHIBIT_H
/* What demos without ODE share: a folder for their files, and the library's world with one of its extensions. */
#include <stddef.h>

#include "brink/ccd.h"
#include "page_template.h"

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

/* Writes a page of demos/page/ with its places filled: title and verdict as text, data as a script. Title, style and
 * what turns the view and runs the time (exhibit.js) are the same for all. False: message says why. */
bool demoExhibit_WritePage(const char *path, const pageFile *page, const char *title, const char *verdict,
                           const byteBuffer *data, char *message, size_t capacity);

#endif
