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

/* Writes a page of demos/page/ with its places filled: title and verdict as text, data as a script. Title, style and
 * what turns the view and runs the time (exhibit.js) are the same for all. False: message says why. */
bool demoExhibit_WritePage(const char *path, const pageFile *page, const char *title, const char *verdict,
                           const byteBuffer *data, char *message, size_t capacity);

#endif
