/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_GALLERY_H
#define BRINK_GALLERY_H
/* One page that shows all scenes of a run of `brink-demo all`, each with its picture, headline and a link to its own
 * page. Thread rule: one thread per process. */
#include <stdbool.h>
#include <stddef.h>

/* Texts are copied. page, picture: files in the scene's folder. counted: the scene counts what gets through. */
void gallery_Add(const char *name, const char *title, const char *page, const char *picture, const char *plainText,
                 const char *brinkText, bool counted);
/* The demos without ODE, as far as their pages are in outDir. */
void gallery_AddExhibits(const char *outDir);
/* Writes outDir/index.html. */
bool gallery_Write(const char *outDir, char *message, size_t messageCapacity);

#endif
