/* SPDX-License-Identifier: BSD-3-Clause */
/* The demo `interference` keeps its promise and leaves a picture and a page that needs nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "interference_demo.h"

static void all_contacts_are_proven_drawn_and_written(void **state) {
  (void)state;
  char folder[] = BRINK_BINARY_DIR "/brink_interference_XXXXXX", path[1024], text[262144], command[1024];
  assert_non_null(mkdtemp(folder));
  assert_int_equal(demoInterference_Run(folder), 0);
  snprintf(path, sizeof path, "%s/interference/interference.png", folder);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char head[8];
  assert_int_equal(fread(head, 1, 8, file), 8);
  assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
  fclose(file);
  snprintf(path, sizeof path, "%s/interference/interference.html", folder);
  file = fopen(path, "r");
  assert_non_null(file);
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = '\0';
  assert_true(size > 8000 && size < sizeof text - 1);
  assert_non_null(strstr(text, "Proven: 2 contact intervals"));
  assert_null(strstr(text, "src=")); /* self-contained */
  assert_null(strstr(text, "nan"));
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(demoInterference_Run("/proc/no such folder"), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_contacts_are_proven_drawn_and_written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
