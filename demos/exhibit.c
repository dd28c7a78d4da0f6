/* SPDX-License-Identifier: BSD-3-Clause */
/* How does a demo without ODE begin and end? See exhibit.h. */
#include "exhibit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "folder.h"

void demoExhibit_Fold(demoAsked *asked, const void *bytes, size_t size) {
  const uint8_t *byte = bytes;
  for (size_t i = 0; i < size; i++) asked->hash = (asked->hash ^ byte[i]) * UINT64_C(0x100000001B3); /* FNV-1a */
}

void demoExhibit_FoldNumbers(demoAsked *asked, const double *numbers, size_t count) {
  demoExhibit_Fold(asked, numbers, count * sizeof *numbers);
}

int demoExhibit_Run(const demoExhibitDef *exhibit, const char *outDir, bool draw, uint64_t *hash) {
  char folder[1024];
  const char *reason = "";
  demoAsked asked = {.folder = folder, .draw = draw, .hash = UINT64_C(0xCBF29CE484222325)};
  if (snprintf(folder, sizeof folder, "%s/%s", outDir, exhibit->name) >= (int)sizeof folder) {
    fprintf(stderr, "brink-demo: folder name too long: %s\n", outDir);
    return 2;
  }
  if (!folder_MakeOrSay(folder)) return 2;
  printf("%s: %s\n", exhibit->name, exhibit->title);
  asked.api = brinkEntry(BRINK_ABI_MAJOR, &reason);
  asked.table = asked.api ? asked.api->getExtension(exhibit->extension) : NULL;
  if (!asked.table) {
    fprintf(stderr, "brink-demo: the Brink library has no %s\n", exhibit->extension);
    return 2;
  }
  if (asked.api->createWorld(NULL, NULL, &asked.world) != brink_ok) {
    fprintf(stderr, "brink-demo: no world: out of memory\n");
    return 2;
  }
  void *user = exhibit->size > 0 ? calloc(1, exhibit->size) : NULL;
  int result = 2;
  if (exhibit->size == 0 || user)
    result = exhibit->show(user, &asked);
  else
    fprintf(stderr, "brink-demo: no memory\n");
  free(user);
  asked.api->destroyWorld(asked.world);
  if (result == 2) return 2;
  if (draw) printf("  files                     %s/\n", folder);
  printf("  scene hash                %016" PRIx64 "\n", asked.hash);
  if (draw) printf("open %s/%s.html in a browser\n", folder, exhibit->name);
  if (hash) *hash = asked.hash;
  return result;
}

bool demoExhibit_WritePage(const char *path, const demoPage *page, char *message, size_t capacity) {
  enum { TITLE, STYLE, VERDICT, CONTROLS, WORDS, HEIGHT, DATA, STAGE, DRAWING, PLAYER, PLACES };
  static const char *const names[PLACES] = {"title",      "style", "verdict", "controls", "words",
                                            "plotHeight", "data",  "stage",   "drawing",  "player"};
  byteBuffer parts[PLACES] = {{0}}, out = {0};
  pagePlace places[PLACES];
  buffer_Html(&parts[TITLE], page->title);
  buffer_Html(&parts[VERDICT], page->verdict);
  buffer_Text(&parts[CONTROLS], page->controls);
  buffer_Text(&parts[WORDS], page->words);
  buffer_Text(&parts[HEIGHT], page->plotHeight);
  buffer_Bytes(&parts[STYLE], page_exhibit_css.text, page_exhibit_css.size);
  buffer_Bytes(&parts[STAGE], page_exhibit_stage_js.text, page_exhibit_stage_js.size);
  buffer_Bytes(&parts[DRAWING], page->drawing->text, page->drawing->size);
  buffer_Bytes(&parts[PLAYER], page_exhibit_js.text, page_exhibit_js.size);
  for (int i = 0; i < PLACES; i++) places[i] = (pagePlace){names[i], i == DATA ? page->data : &parts[i]};
  bool good = pageTemplate_Fill(&out, &page_exhibit_html, places, PLACES);
  if (!good) snprintf(message, capacity, "no memory for %s", path);
  good = good && buffer_WriteFile(&out, path, message, capacity);
  for (int i = 0; i < PLACES; i++) free(parts[i].bytes);
  free(out.bytes);
  return good;
}

int demoExhibit_Finish(const demoAsked *asked, const char *name, bool good, const char *verdict, void *user,
                       demoWrite *picture, demoWrite *page) {
  char path[1300], message[1600] = "";
  if (!asked->draw) return good ? 0 : 1;
  snprintf(path, sizeof path, "%s/%s.png", asked->folder, name);
  bool written = picture(user, path, verdict, message, sizeof message);
  snprintf(path, sizeof path, "%s/%s.html", asked->folder, name);
  written = written && (!page || page(user, path, verdict, message, sizeof message));
  if (!written) fprintf(stderr, "brink-demo: %s\n", message);
  return !written ? 2 : good ? 0 : 1;
}
