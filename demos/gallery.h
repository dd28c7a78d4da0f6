/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_GALLERY_H
#define BRINK_GALLERY_H
/* One page that shows the scenes in a folder, each with its picture, headline and a link to its own page. A scene that
 * was drawn leaves its card, a piece of HTML, beside its page; the gallery collects the cards that are there. */
#include <stdbool.h>
#include <stddef.h>

typedef struct galleryCard {
  const char *name, *title;
  const char *page, *picture;        /* files in the scene's folder */
  const char *plainText, *brinkText; /* the headline's two halves */
  bool counted;                      /* the scene counts what gets through */
} galleryCard;

/* Writes outDir/NAME/card.html. */
bool gallery_Add(const char *outDir, const galleryCard *card, char *message, size_t messageCapacity);
/* Writes outDir/index.html: the cards of all scenes, and the demos without ODE, as far as they were drawn. */
bool gallery_Write(const char *outDir, char *message, size_t messageCapacity);

#endif
