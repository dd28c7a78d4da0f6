/* SPDX-License-Identifier: BSD-3-Clause */
/* Which scenes are there to look at? See gallery.h. */
#include "gallery.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "exhibit.h"
#include "page_template.h"
#include "scene.h"

static void openCard(byteBuffer *out, const char *folder, const char *page, const char *picture, const char *title) {
  const char *const parts[] = {"<a href=\"", folder, "/",     page,      "\"><img loading=\"lazy\" alt=\"\" src=\"",
                               folder,       "/",    picture, "\"><h2>", title,
                               "</h2>"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    bool fixed = i == 0 || i == 2 || i == 4 || i == 6 || i == 8 || i == 10;
    if (fixed)
      buffer_Text(out, parts[i]);
    else
      buffer_Html(out, parts[i]);
  }
}

bool gallery_Add(const char *outDir, const galleryCard *card, char *message, size_t messageCapacity) {
  byteBuffer out = {0};
  char path[1200];
  openCard(&out, card->name, card->page, card->picture, card->title);
  buffer_Format(&out, "<p>plain ODE: <span class=\"%s\">", card->counted ? "plain" : "");
  buffer_Html(&out, card->plainText);
  buffer_Text(&out, "</span><br>with Brink: <span class=\"brink\">");
  buffer_Html(&out, card->brinkText);
  buffer_Text(&out, "</span></p></a>\n");
  snprintf(path, sizeof path, "%.900s/%s/card.html", outDir, card->name);
  bool good = buffer_WriteFile(&out, path, message, messageCapacity);
  free(out.bytes);
  return good;
}

static void addExhibit(byteBuffer *out, const char *outDir, const demoExhibitDef *exhibit) {
  char path[1200], page[80], picture[80];
  snprintf(page, sizeof page, "%s.html", exhibit->name);
  snprintf(picture, sizeof picture, "%s.png", exhibit->name);
  snprintf(path, sizeof path, "%.900s/%s/%s", outDir, exhibit->name, page);
  if (access(path, R_OK) != 0) return;
  openCard(out, exhibit->name, page, picture, exhibit->title);
  buffer_Text(out, "<p>a question without an engine, answered with a proof</p></a>\n");
}

bool gallery_Write(const char *outDir, char *message, size_t messageCapacity) {
  byteBuffer out = {0}, style = {0}, scenes = {0};
  char path[1200];
  for (const demoRow *row = demoTable; demoRow_Name(row); row++) { /* not drawn: not shown */
    snprintf(path, sizeof path, "%.900s/%s/card.html", outDir, demoRow_Name(row));
    if (row->scene) buffer_ReadFile(&scenes, path);
    if (row->exhibit) addExhibit(&scenes, outDir, row->exhibit);
  }
  buffer_Text(&style, page_gallery_css.text);
  const pagePlace places[] = {{"style", &style}, {"scenes", &scenes}};
  snprintf(path, sizeof path, "%.1100s/index.html", outDir);
  bool good = pageTemplate_Fill(&out, &page_gallery_html, places, 2);
  if (!good) snprintf(message, messageCapacity, "no memory for %s", path);
  good = good && buffer_WriteFile(&out, path, message, messageCapacity);
  free(out.bytes);
  free(style.bytes);
  free(scenes.bytes);
  return good;
}
