/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_EXHIBIT_H
#define DEMO_EXHIBIT_H
/* What demos without ODE share: a folder for their files, and the library's world with one of its extensions. */
#include "brink/ccd.h"

/* Draws and writes into folder; 0 as claimed, 1 not as claimed, 2 failed (said on stderr). */
typedef int demoShow(void *user, const brinkPlugin *api, const void *table, brinkWorld *world, const char *folder);

/* Makes outDir/name, prints the title and shows; 2 when folder, library, extension or memory are missing. */
int demoExhibit_Run(const char *outDir, const char *name, const char *title, const char *extension, demoShow *show,
                    void *user);

#endif
