/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CASES_H
#define CASES_H
/* The cases of a test. CASE(a_ball_stops_at_the_wall) { ... } writes one: its name is a sentence, and stands in the
 * file once. `int main(void) { return cases_Run(NULL, NULL); }` runs all cases of the file in the order of their lines,
 * by cmocka. Headers of cmocka need four others before them; this one has them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct testCase {
  struct CMUnitTest unit;
  int line; /* where it stands: the order of the run */
  struct testCase *next;
} testCase;

/* For CASE alone. one: static. */
void cases_Add(testCase *one);

/* Runs all cases. setUp and tearDown: before the first and after the last, or NULL. How many failed. */
int cases_Run(CMFixtureFunction setUp, CMFixtureFunction tearDown);

/* The same under a name of the group, for tests that run their cases more than once. */
int cases_RunAs(const char *group, CMFixtureFunction setUp, CMFixtureFunction tearDown);

/* A case with setUp before and tearDown after it, each may be NULL; *state is theirs, or what the group's setUp left.
 */
#define CASE_WITH(name, setUp, tearDown)                                           \
  static void name(void **state);                                                  \
  __attribute__((constructor)) static void name##_is_a_case(void) {                \
    static testCase self = {{#name, name, setUp, tearDown, NULL}, __LINE__, NULL}; \
    cases_Add(&self);                                                              \
  }                                                                                \
  static void name(__attribute__((unused)) void **state)

#define CASE(name) CASE_WITH(name, NULL, NULL)

#endif
