/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PAGE_FILES_H
#define BRINK_PAGE_FILES_H
/* The files of demos/page/, as embed.cmake compiled them in. */
#include <stddef.h>

typedef struct pageFile {
  const char *text; /* static, ends with 0 */
  size_t size;
} pageFile;

extern const pageFile page_run_html, page_run_css, page_run_js, page_gallery_html, page_gallery_css, page_robot_html;

#endif
