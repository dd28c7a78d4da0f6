/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INTERVAL_ARITHMETIC_H
#define BRINK_INTERVAL_ARITHMETIC_H
/* Sums, products and roots of intervals (interval.h) without switching the rounding mode: compute as usual, then move
 * each bound outward by more than an ulp (brinkDown, brinkUp). One IEEE operation in any rounding mode is off by less
 * than one ulp, a flushed result by less than DBL_MIN; both are covered. An operation that meets NaN or overflow
 * returns [-inf, inf].
 * Based on: theory "Rounding, kernel by kernel". */
#include "interval.h"

static inline brinkInterval brinkInterval_Outward(double lo, double hi) {
  if (!isfinite(lo) || !isfinite(hi)) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  brinkInterval r = {brinkDown(lo), brinkUp(hi)};
  if (!isfinite(r.lo) || !isfinite(r.hi)) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  return r;
}

static inline bool brinkInterval_IsFinite(brinkInterval a) { return isfinite(a.lo) && isfinite(a.hi); }

static inline brinkInterval brinkInterval_Add(brinkInterval a, brinkInterval b) {
  return brinkInterval_Outward(a.lo + b.lo, a.hi + b.hi);
}

static inline brinkInterval brinkInterval_Sub(brinkInterval a, brinkInterval b) {
  return brinkInterval_Outward(a.lo - b.hi, a.hi - b.lo);
}

static inline brinkInterval brinkInterval_Mul(brinkInterval a, brinkInterval b) {
  if (!brinkInterval_IsFinite(a) || !brinkInterval_IsFinite(b)) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return brinkInterval_Outward(BRINK_MIN(BRINK_MIN(p, q), BRINK_MIN(r, s)),
                               BRINK_MAX(BRINK_MAX(p, q), BRINK_MAX(r, s)));
}

/* [-inf,inf] when b contains 0 */
static inline brinkInterval brinkInterval_Div(brinkInterval a, brinkInterval b) {
  /* A divisor that flush-to-zero could have touched counts as 0. */
  if (!brinkInterval_IsFinite(a) || !brinkInterval_IsFinite(b) || !(b.lo >= DBL_MIN || b.hi <= -DBL_MIN))
    return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  double p = a.lo / b.lo, q = a.lo / b.hi, r = a.hi / b.lo, s = a.hi / b.hi;
  return brinkInterval_Outward(BRINK_MIN(BRINK_MIN(p, q), BRINK_MIN(r, s)),
                               BRINK_MAX(BRINK_MAX(p, q), BRINK_MAX(r, s)));
}

static inline brinkInterval brinkInterval_Sqr(brinkInterval a) {
  if (!brinkInterval_IsFinite(a)) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  double p = a.lo * a.lo, q = a.hi * a.hi;
  bool straddles = a.lo <= 0 && a.hi >= 0;
  brinkInterval r = brinkInterval_Outward(straddles ? 0 : BRINK_MIN(p, q), BRINK_MAX(p, q));
  if (brinkInterval_IsFinite(r) && r.lo < 0) r.lo = 0;
  return r;
}

/* Of max(a,0). */
static inline brinkInterval brinkInterval_Sqrt(brinkInterval a) {
  if (!brinkInterval_IsFinite(a)) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  brinkInterval r = brinkInterval_Outward(sqrt(BRINK_MAX(a.lo, 0.0)), sqrt(BRINK_MAX(a.hi, 0.0)));
  if (r.lo < 0) r.lo = 0;
  return r;
}

#endif
