/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PAGE_FILES_H
#define BRINK_PAGE_FILES_H
/* The files of pages, as embed.cmake compiles them in: of demos/page/, tools/page/ and this folder. */
#include <stddef.h>

typedef struct pageFile {
  const char *text; /* static, ends with 0 */
  size_t size;
} pageFile;

extern const pageFile page_stage_css, page_head_html;
extern const pageFile page_run_html, page_run_js, page_gallery_html, page_gallery_css, page_robot_html; /* demos */
extern const pageFile page_exhibit_html, page_exhibit_css, page_exhibit_stage_js, page_exhibit_js, page_clearance_js,
    page_certificate_js, page_interference_js;
extern const pageFile page_show_html, page_show_css, page_show_js; /* tools */

#endif
