/* SPDX-License-Identifier: BSD-3-Clause */
/* The demo `certificate` keeps its promise and leaves a picture, a page that needs nothing else, and the two
 * certificates; the checker accepts the one and finds open cells in the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "certificate_cell.h"

static int verify(const char *folder, const char *name) {
  char command[1024];
  snprintf(command, sizeof command, "'" BRINK_BINARY_DIR "/bin/brink' verify '%s/certificate/%s'", folder, name);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_cell_is_certified_drawn_and_written(void **state) {
  (void)state;
  char folder[] = BRINK_BINARY_DIR "/brink_certificate_XXXXXX", path[1024], text[65536], command[1024];
  assert_non_null(mkdtemp(folder));
  assert_int_equal(demoCertificate_Run(folder), 0);
  snprintf(path, sizeof path, "%s/certificate/certificate.png", folder);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char head[8];
  assert_int_equal(fread(head, 1, 8, file), 8);
  assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
  fclose(file);
  snprintf(path, sizeof path, "%s/certificate/certificate.html", folder);
  file = fopen(path, "r");
  assert_non_null(file);
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = '\0';
  assert_true(size > 8000 && size < sizeof text - 1);
  assert_non_null(strstr(text, "Proven: the tool stays"));
  assert_null(strstr(text, "src=")); /* self-contained */
  assert_null(strstr(text, "nan"));
  if (access(BRINK_BINARY_DIR "/bin/brink", X_OK) == 0) {
    assert_int_equal(verify(folder, "passes.cert"), 0);
    assert_int_equal(verify(folder, "touches.cert"), 1);
  } else {
    print_message("not verified: the brink command is not built\n");
  }
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(demoCertificate_Run("/proc/no such folder"), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_cell_is_certified_drawn_and_written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
