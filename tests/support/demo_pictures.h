/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_PICTURES_H
#define DEMO_PICTURES_H
/* What every demo without ODE must leave in folder/demo: a picture, and a self-contained page that says its sentence.
 * Include after cmocka.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline char *readDemoFile(const char *folder, const char *demo, const char *name, const char *ending,
                                 size_t *size) {
  char path[1200];
  snprintf(path, sizeof path, "%s/%s/%s.%s", folder, demo, name, ending);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s is not there", path);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

static inline void assertPicture(const char *folder, const char *demo, const char *name) {
  size_t size;
  char *picture = readDemoFile(folder, demo, name, "png", &size);
  assert_memory_equal(picture, "\x89PNG\r\n\x1a\n", 8);
  assert_true(size > 20000); /* a picture of one colour is smaller */
  free(picture);
}

static inline void assertPictures(const char *folder, const char *demo, const char *name, const char *sentence) {
  static const char *const bad[] = {"src=", "[nan", ",nan", ":nan",
                                    "-nan", ":inf", ",inf"}; /* base64 may hold letters; src: not self-contained */
  size_t size;
  assertPicture(folder, demo, name);
  char *page = readDemoFile(folder, demo, name, "html", &size);
  assert_true(size > 8000 && size < 4000000);
  assert_non_null(strstr(page, sentence));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_null(strstr(page, bad[i]));
  free(page);
}

static inline void removeFolder(const char *folder) {
  char command[1024];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

#endif
