/* SPDX-License-Identifier: BSD-3-Clause */
/* How does a demo without ODE begin and end? See exhibit.h. */
#include "exhibit.h"

#include <stdio.h>
#include <stdlib.h>

#include "folder.h"

int demoExhibit_Run(const demoExhibitDef *exhibit, const char *outDir) {
  char folder[1024];
  const char *reason = "";
  if (snprintf(folder, sizeof folder, "%s/%s", outDir, exhibit->name) >= (int)sizeof folder) {
    fprintf(stderr, "brink-demo: folder name too long: %s\n", outDir);
    return 2;
  }
  if (!folder_MakeOrSay(folder)) return 2;
  printf("%s: %s\n", exhibit->name, exhibit->title);
  const brinkPlugin *api = brinkEntry(BRINK_ABI_MAJOR, &reason);
  const void *table = api ? api->getExtension(exhibit->extension) : NULL;
  if (!table) {
    fprintf(stderr, "brink-demo: the Brink library has no %s\n", exhibit->extension);
    return 2;
  }
  brinkWorld *world = NULL;
  if (api->createWorld(NULL, NULL, &world) != brink_ok) {
    fprintf(stderr, "brink-demo: no world: out of memory\n");
    return 2;
  }
  void *user = exhibit->size > 0 ? calloc(1, exhibit->size) : NULL;
  int result = 2;
  if (exhibit->size == 0 || user)
    result = exhibit->show(user, api, table, world, folder);
  else
    fprintf(stderr, "brink-demo: no memory\n");
  free(user);
  api->destroyWorld(world);
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
