/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_PICTURES_H
#define DEMO_PICTURES_H
/* What every demo without ODE must leave in folder/name: name.png, and a self-contained name.html that says its
 * sentence. Include after cmocka.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void assertPictures(const char *folder, const char *name, const char *sentence) {
  enum { MOST = 262144 };
  char path[1024], *text = malloc(MOST);
  assert_non_null(text);
  snprintf(path, sizeof path, "%s/%s/%s.png", folder, name, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char head[8];
  assert_int_equal(fread(head, 1, 8, file), 8);
  assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
  fclose(file);
  snprintf(path, sizeof path, "%s/%s/%s.html", folder, name, name);
  file = fopen(path, "r");
  assert_non_null(file);
  size_t size = fread(text, 1, MOST - 1, file);
  fclose(file);
  text[size] = '\0';
  assert_true(size > 8000 && size < MOST - 1);
  assert_non_null(strstr(text, sentence));
  assert_null(strstr(text, "src=")); /* self-contained */
  assert_null(strstr(text, "nan"));
  free(text);
}

static inline void removeFolder(const char *folder) {
  char command[1024];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

#endif
