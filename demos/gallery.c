/* SPDX-License-Identifier: BSD-3-Clause */
/* Which scenes are there to look at? See gallery.h. */
#include "gallery.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "certificate_cell.h"
#include "clearance_cell.h"
#include "interference_demo.h"
#include "page_template.h"

static byteBuffer scenes;

static void openCard(const char *folder, const char *page, const char *picture, const char *title) {
  buffer_Text(&scenes, "<a href=\"");
  buffer_Html(&scenes, folder);
  buffer_Text(&scenes, "/");
  buffer_Html(&scenes, page);
  buffer_Text(&scenes, "\"><img loading=\"lazy\" alt=\"\" src=\"");
  buffer_Html(&scenes, folder);
  buffer_Text(&scenes, "/");
  buffer_Html(&scenes, picture);
  buffer_Text(&scenes, "\"><h2>");
  buffer_Html(&scenes, title);
  buffer_Text(&scenes, "</h2>");
}

void gallery_Add(const char *name, const char *title, const char *page, const char *picture, const char *plainText,
                 const char *brinkText, bool counted) {
  openCard(name, page, picture, title);
  buffer_Format(&scenes, "<p>plain ODE: <span class=\"%s\">", counted ? "plain" : "");
  buffer_Html(&scenes, plainText);
  buffer_Text(&scenes, "</span><br>with Brink: <span class=\"brink\">");
  buffer_Html(&scenes, brinkText);
  buffer_Text(&scenes, "</span></p></a>\n");
}

void gallery_AddExhibits(const char *outDir) {
  static const struct {
    const char *name, *title, *page, *picture;
  } exhibits[] = {{DEMO_CLEARANCE_NAME, DEMO_CLEARANCE_TITLE, "clearance.html", "clearance.png"},
                  {DEMO_INTERFERENCE_NAME, DEMO_INTERFERENCE_TITLE, "interference.html", "interference.png"},
                  {DEMO_CERTIFICATE_NAME, DEMO_CERTIFICATE_TITLE, "certificate.html", "certificate.png"}};
  for (size_t i = 0; i < sizeof exhibits / sizeof *exhibits; i++) {
    char path[1200];
    snprintf(path, sizeof path, "%.900s/%s/%s", outDir, exhibits[i].name, exhibits[i].page);
    if (access(path, R_OK) != 0) continue;
    openCard(exhibits[i].name, exhibits[i].page, exhibits[i].picture, exhibits[i].title);
    buffer_Text(&scenes, "<p>a question without an engine, answered with a proof</p></a>\n");
  }
}

bool gallery_Write(const char *outDir, char *message, size_t messageCapacity) {
  byteBuffer out = {0}, style = {0};
  char path[1200];
  buffer_Text(&style, page_gallery_css.text);
  const pagePlace places[] = {{"style", &style}, {"scenes", &scenes}};
  snprintf(path, sizeof path, "%.1100s/index.html", outDir);
  bool good = pageTemplate_Fill(&out, &page_gallery_html, places, 2);
  if (!good) snprintf(message, messageCapacity, "no memory for %s", path);
  good = good && buffer_WriteFile(&out, path, message, messageCapacity);
  free(out.bytes);
  free(style.bytes);
  free(scenes.bytes);
  scenes = (byteBuffer){0};
  return good;
}
