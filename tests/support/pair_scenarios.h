/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAIR_SCENARIOS_H
#define PAIR_SCENARIOS_H
/* Scenarios that each scheme for a pair must pass: random pairs, asked in two ways. A scheme says how it is asked,
 * about which seeds, and what it promises beyond what all promise. */
#include "pair_rig.h"

typedef brinkPairResult pairAsk(rig *r, const brinkAdvanceInput *input);

typedef struct pairScheme {
  pairAsk *ask;
  bool (*meshesOnly)(uint64_t seed);
  int maxLinks; /* of random chains, where a scenario does not say otherwise */
} pairScheme;

/* One random pair of a scenario. */
static inline void preparePair(rig *r, const pairScheme *scheme, uint64_t seed, double tolerance, prepared *p,
                               brinkAdvanceInput *input) {
  prepare(r, seed, false, scheme->meshesOnly(seed), scheme->maxLinks, 3, 0, p, input, tolerance);
}

static inline bool touch(const brinkPairResult *result) {
  return result->state == brink_hit || result->state == brink_overlap;
}

/* A and B exchanged; `agree` judges both answers. */
static inline void runSwapped(const pairScheme *scheme, uint64_t first, uint64_t count,
                              void (*agree)(uint64_t seed, const brinkPairResult *one, const brinkPairResult *other)) {
  RIG(r);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    prepared p;
    brinkAdvanceInput input, swapped;
    preparePair(&r, scheme, seed, 1e-5, &p, &input);
    swapped = input;
    swapped.a = input.b;
    swapped.b = input.a;
    brinkPairResult one = scheme->ask(&r, &input), other = scheme->ask(&r, &swapped);
    agree(seed, &one, &other);
    drop(&r, &p);
  }
}

/* Budgets that are too small: unresolved, with a prefix that holds; `agree` judges answers that came in time. */
static inline void runBudgets(const pairScheme *scheme, uint64_t first, uint64_t last, uint64_t largest,
                              void (*agree)(const brinkPairResult *part, const brinkPairResult *whole)) {
  RIG(r);
  int spent = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    preparePair(&r, scheme, seed, 1e-6, &p, &input);
    brinkPairResult whole = scheme->ask(&r, &input);
    for (uint64_t budget = 1; budget < largest; budget = 2 * budget + 1) {
      input.maxIterations = budget;
      brinkPairResult part = scheme->ask(&r, &input);
      if (part.state != brink_unresolved) {
        agree(&part, &whole);
        continue;
      }
      ++spent;
      assert_true(part.toi >= 0 && part.toi < 1 && part.toiUpper >= part.toi);
      if (touch(&whole)) assert_true(part.toi <= whole.toi);
    }
    drop(&r, &p);
  }
  assert_true(spent > 20);
}

/* A walk that ends early: a contact before its end is found, one after it is not (but may be, within the tolerance:
 * `agree`), and free is said of all that was walked. */
static inline void runStops(const pairScheme *scheme, uint64_t first, double firstStop,
                            void (*agree)(const brinkPairResult *part, const brinkPairResult *whole, double stop)) {
  RIG(r);
  int found = 0;
  for (uint64_t seed = first; seed < first + 60; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    preparePair(&r, scheme, seed, 1e-6, &p, &input);
    brinkPairResult whole = scheme->ask(&r, &input);
    for (double stop = firstStop; stop < 1; stop += 0.2) {
      input.stopAfter = stop;
      brinkPairResult part = scheme->ask(&r, &input);
      if (whole.state == brink_hit && whole.toi > stop + 1e-6) {
        if (part.state == brink_hit)
          agree(&part, &whole, stop);
        else
          assert_int_equal(part.state, brink_free);
      }
      if (whole.state == brink_free) assert_int_equal(part.state, brink_free);
      if (part.state == brink_free) assert_true(part.toi >= stop || stop < 0);
    }
    /* where the surfaces approach fast, contact follows soon: it must be found, though not at the same place */
    if (whole.state == brink_hit && whole.normalVelocity < -0.1 && whole.toi < 0.999) {
      input.stopAfter = whole.toi + 1e-4;
      brinkPairResult part = scheme->ask(&r, &input);
      assert_int_equal(part.state, brink_hit);
      assert_true(fabs(part.toi - whole.toi) < 1e-4);
      ++found;
    }
    drop(&r, &p);
  }
  assert_true(found > 10);
}

#endif
