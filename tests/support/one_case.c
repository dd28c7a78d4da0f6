/* SPDX-License-Identifier: BSD-3-Clause */
/* One case of a test by name: BRINK_TEST_CASE=needle_through_thin_wall_is_always_hit build/bin/test_x runs that case
 * alone ("*" and "?" match as in file names). `./run.sh test CASE` finds the test that has it. Linked into every test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

__attribute__((constructor)) static void chooseCase(void) {
  const char *wanted = getenv("BRINK_TEST_CASE");
  if (wanted != NULL && *wanted != '\0') cmocka_set_test_filter(wanted);
}
