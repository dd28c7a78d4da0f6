/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_JUDGE_TALLY_H
#define BRINK_TESTS_JUDGE_TALLY_H
/* For tests: counts graded answers (oracle_judge.h) and expects none to be bad. Include cmocka.h first. */
#include "oracle_judge.h"

typedef struct tally {
  int pairs, contacts, grades[5];
} tally;

static inline const char *gradeName(judgeGrade grade) {
  static const char *const names[] = {"good", "miss", "late", "early", "unresolved"};
  return names[grade];
}

static inline void countGrade(tally *t, judgeGrade grade, unsigned state) {
  ++t->grades[grade];
  ++t->pairs;
  t->contacts += state == 1 || state == 2;
}

/* Nothing missed, late, early or unresolved, and cases of both kinds. */
static inline void expectClean(const tally *t) {
  print_message("%d answers, %d contacts: miss %d, late %d, early %d, unresolved %d\n", t->pairs, t->contacts,
                t->grades[judge_miss], t->grades[judge_late], t->grades[judge_early], t->grades[judge_unresolved]);
  assert_int_equal(t->grades[judge_miss] + t->grades[judge_late] + t->grades[judge_early] + t->grades[judge_unresolved],
                   0);
  assert_true(t->contacts > t->pairs / 20 && t->contacts < t->pairs);
}

#endif
