/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PAGE_TEMPLATE_H
#define BRINK_PAGE_TEMPLATE_H
/* Fills the places of a page: every {{name}} in the template becomes what belongs there, {{head}} the first lines of
 * every page (head.html, with the place `title`). */
#include "buffer.h"
#include "page_files.h"

typedef struct pagePlace {
  const char *name;
  const byteBuffer *content;
} pagePlace;

/* Appends the template with its places filled; false when a place has no content or the template is broken. */
bool pageTemplate_Fill(byteBuffer *out, const pageFile *page, const pagePlace *places, size_t placeCount);

#endif
