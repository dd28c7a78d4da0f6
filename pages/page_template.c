/* SPDX-License-Identifier: BSD-3-Clause */
/* How does a page's template become a page? See page_template.h. */
#include "page_template.h"

#include <string.h>

bool pageTemplate_Fill(byteBuffer *out, const pageFile *page, const pagePlace *places, size_t placeCount) {
  const char *at = page->text;
  for (const char *open; (open = strstr(at, "{{")) != NULL;) {
    const char *close = strstr(open, "}}");
    if (!close) return false;
    size_t length = (size_t)(close - open) - 2, i = 0;
    while (i < placeCount && (strlen(places[i].name) != length || memcmp(places[i].name, open + 2, length) != 0)) i++;
    buffer_Bytes(out, at, (size_t)(open - at));
    if (length == 4 && memcmp(open + 2, "head", 4) == 0) {
      if (!pageTemplate_Fill(out, &page_head_html, places, placeCount)) return false;
    } else {
      if (i == placeCount) return false;
      buffer_Bytes(out, places[i].content->bytes, places[i].content->size);
      if (places[i].content->failed) out->failed = true;
    }
    at = close + 2;
  }
  buffer_Text(out, at);
  return !out->failed;
}
