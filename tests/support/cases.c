/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the cases of a test, all or one by name: BRINK_TEST_CASE=needle_through_thin_wall_is_always_hit
 * build/bin/test_x runs that case alone ("*" and "?" match as in file names). `./run.sh test CASE` finds the test that
 * has it. Linked into every test.
 */
#include "cases.h"

#include <stdlib.h>

static testCase *firstCase; /* by line */

__attribute__((constructor)) static void chooseCase(void) {
  const char *wanted = getenv("BRINK_TEST_CASE");
  if (wanted != NULL && *wanted != '\0') cmocka_set_test_filter(wanted);
}

void cases_Add(testCase *one) {
  testCase **at = &firstCase;
  while (*at != NULL && (*at)->line < one->line) at = &(*at)->next;
  one->next = *at;
  *at = one;
}

int cases_RunAs(const char *group, CMFixtureFunction setUp, CMFixtureFunction tearDown) {
  size_t count = 0;
  for (const testCase *one = firstCase; one != NULL; one = one->next) ++count;
  struct CMUnitTest *units = calloc(count + 1, sizeof *units);
  if (units == NULL) return 1;
  size_t i = 0;
  for (const testCase *one = firstCase; one != NULL; one = one->next) units[i++] = one->unit;
  int failed = _cmocka_run_group_tests(group, units, count, setUp, tearDown);
  free(units);
  return failed;
}

int cases_Run(CMFixtureFunction setUp, CMFixtureFunction tearDown) { return cases_RunAs("tests", setUp, tearDown); }
