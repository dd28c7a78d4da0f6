/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_EXHIBIT_H
#define DEMO_EXHIBIT_H
/* What demos without ODE share: a folder for their files, and the library's world with one of its extensions. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "brink/ccd.h"
#include "page_template.h"

/* What a question is asked with, and what it leaves. */
typedef struct demoAsked {
  const brinkPlugin *api;
  const void *table; /* of the extension */
  brinkWorld *world;
  const char *folder; /* for its files */
  bool draw;          /* false: ask alone, no picture and no page */
  uint64_t hash;      /* show folds every answer into it, bit for bit: demoExhibit_Fold */
} demoAsked;

/* 0 as claimed, 1 not as claimed, 2 failed (said on stderr). */
typedef int demoShow(void *user, demoAsked *asked);

/* A question without an engine. Its page is outDir/name/name.html, its picture name.png beside it. */
typedef struct demoExhibitDef {
  const char *name, *title; /* title: one line for people */
  const char *extension;    /* of the library, that it asks */
  demoShow *show;
  size_t size; /* bytes, all zero, that show gets as its user for the call; 0: NULL */
} demoExhibitDef;

/* The table's entries (demoTable of scene.h), each in its own file; those of wings that are left out are not there. */
extern const demoExhibitDef demoClearance, demoInterference, demoCertificate, demoRobotArm;

/* Makes the folder, prints the title, asks and shows; 2 when folder, library, extension or memory are missing. hash
 * (may be NULL): of all answers. */
int demoExhibit_Run(const demoExhibitDef *exhibit, const char *outDir, bool draw, uint64_t *hash);

void demoExhibit_Fold(demoAsked *asked, const void *bytes, size_t size);
void demoExhibit_FoldNumbers(demoAsked *asked, const double *numbers, size_t count);

/* A page of exhibit.html: title and verdict as text, then what is the page's own. */
typedef struct demoPage {
  const char *title, *verdict;
  const char *controls, *words; /* HTML: above the view; what is to be seen */
  const char *plotHeight;       /* pixels */
  const pageFile *drawing;      /* a script: yaw and pitch at first, draw(t) for t in [0,1] */
  const byteBuffer *data;       /* a script: what it draws */
} demoPage;

/* False: message says why. */
bool demoExhibit_WritePage(const char *path, const demoPage *page, char *message, size_t capacity);

/* Writes folder/name.png and folder/name.html after a question: 2 when draw or page fail (said on stderr), else the
 * result as it was. */
typedef bool demoWrite(void *user, const char *path, const char *verdict, char *message, size_t capacity);
int demoExhibit_Finish(const demoAsked *asked, const char *name, bool good, const char *verdict, void *user,
                       demoWrite *picture, demoWrite *page);

#endif
