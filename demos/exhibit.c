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
  if (hash) *hash = asked.hash;
  return result;
}

bool demoExhibit_WritePage(const char *path, const pageFile *page, const char *title, const char *verdict,
                           const byteBuffer *data, char *message, size_t capacity) {
  byteBuffer head = {0}, style = {0}, sentence = {0}, player = {0}, out = {0};
  buffer_Html(&head, title);
  buffer_Html(&sentence, verdict);
  buffer_Bytes(&style, page_exhibit_css.text, page_exhibit_css.size);
  buffer_Bytes(&player, page_exhibit_js.text, page_exhibit_js.size);
  const pagePlace places[] = {
      {"title", &head}, {"style", &style}, {"verdict", &sentence}, {"data", data}, {"player", &player}};
  bool good = pageTemplate_Fill(&out, page, places, 5);
  if (!good) snprintf(message, capacity, "no memory for %s", path);
  good = good && buffer_WriteFile(&out, path, message, capacity);
  free(head.bytes);
  free(style.bytes);
  free(sentence.bytes);
  free(player.bytes);
  free(out.bytes);
  return good;
}
