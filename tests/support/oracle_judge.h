/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_ORACLE_JUDGE_H
#define BRINK_TESTS_ORACLE_JUDGE_H
/* For tests: what the slow truth (oracle.h) says about two moving bodies, and whether an answer of Brink's can stand
 * beside it. Rules: `free` needs distance > 0 throughout; `hit` and `overlap` need toi no later than any time at which
 * the distance is 0, and a distance of at most eps at toi. */
#include <math.h>
#include <stdio.h>

#include "oracle.h"

typedef struct judgeTruth {
  oracleVerdict verdict; /* with the margin eps/100 */
  double touched;        /* a time with distance 0, as early as samples find one; INFINITY: none found */
} judgeTruth;

static inline judgeTruth judgeTruthOf(const oracleBody *a, const oracleBody *b, double eps, int budget) {
  long double stop, smallest;
  judgeTruth truth = {oracleFree(a, b, 0, 1, 0.01L * (long double)eps, budget, &stop, &smallest), (double)INFINITY};
  if (truth.verdict == oracle_free) return truth;
  /* from the stop on, denser and denser towards it */
  for (int k = 0; k <= 240; ++k) {
    long double t = k == 0 ? stop : stop + (1 - stop) * powl(10, -9 + 9 * (long double)k / 240);
    if (t > 1 || oracleDistance(a, b, t) > 0) continue;
    truth.touched = (double)t;
    break;
  }
  return truth;
}

typedef enum judgeGrade { judge_good, judge_miss, judge_late, judge_early, judge_unresolved } judgeGrade;

/* state: 0 free, 1 hit, 2 overlap, 3 unresolved (brinkPairState) */
static inline judgeGrade judgeAnswer(const oracleBody *a, const oracleBody *b, const judgeTruth *truth, double eps,
                                     unsigned state, double toi) {
  if (state == 3) return judge_unresolved;
  if (state == 0) return truth->touched <= 1 ? judge_miss : judge_good;
  if (toi > truth->touched * (1 + 1e-12)) return judge_late;
  return oracleDistance(a, b, (long double)toi) > (long double)eps * (1 + 1e-6L) ? judge_early : judge_good;
}

#endif
