/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SCRATCH_FOLDER_H
#define SCRATCH_FOLDER_H
/* A folder of a test's own and the programs that run in it: cases_Run(makeDirectory, removeDirectory). Define
 * SCRATCH_NAME, how its name begins, before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static char directory[] = BRINK_BINARY_DIR "/" SCRATCH_NAME "-XXXXXX";

static inline int makeDirectory(void **state) {
  (void)state;
  return mkdtemp(directory) != NULL ? 0 : -1;
}

static inline int removeDirectory(void **state) {
  (void)state;
  char command[512];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  return system(command) == 0 ? 0 : -1;
}

static inline void writeFile(const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

/* A run gave this exit status, and its output says this. */
static inline void mustSay(int got, int status, const char *said, const char *words) {
  if (got != status || strstr(said, words) == NULL)
    fail_msg("exit status %d, expected %d; '%s' expected in: %.3000s", got, status, words, said);
}

#endif
