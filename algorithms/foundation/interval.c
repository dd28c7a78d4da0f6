/* SPDX-License-Identifier: BSD-3-Clause */
/* Interval arithmetic without switching the rounding mode: compute as usual, then move each bound outward by more than
 * an ulp (brinkDown, brinkUp). One IEEE operation in any rounding mode is off by less than one ulp, a flushed result by
 * less than DBL_MIN; both are covered.
 *
 * Based on: theory D1.4 and "Rounding, kernel by kernel". Units: none; angles in rad. */
#include "interval.h"

#define TWO_PI 6.283185307179586

static const brinkInterval everything = {-HUGE_VAL, HUGE_VAL};

static brinkInterval outward(double lo, double hi) {
  if (!isfinite(lo) || !isfinite(hi)) return everything;
  brinkInterval r = {brinkDown(lo), brinkUp(hi)};
  if (!isfinite(r.lo) || !isfinite(r.hi)) return everything;
  return r;
}

static bool isFinite(brinkInterval a) { return isfinite(a.lo) && isfinite(a.hi); }

brinkInterval brinkInterval_Add(brinkInterval a, brinkInterval b) { return outward(a.lo + b.lo, a.hi + b.hi); }

brinkInterval brinkInterval_Sub(brinkInterval a, brinkInterval b) { return outward(a.lo - b.hi, a.hi - b.lo); }

brinkInterval brinkInterval_Mul(brinkInterval a, brinkInterval b) {
  if (!isFinite(a) || !isFinite(b)) return everything;
  double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return outward(BRINK_MIN(BRINK_MIN(p, q), BRINK_MIN(r, s)), BRINK_MAX(BRINK_MAX(p, q), BRINK_MAX(r, s)));
}

brinkInterval brinkInterval_Div(brinkInterval a, brinkInterval b) {
  /* A divisor that flush-to-zero could have touched counts as 0. */
  if (!isFinite(a) || !isFinite(b) || !(b.lo >= DBL_MIN || b.hi <= -DBL_MIN)) return everything;
  double p = a.lo / b.lo, q = a.lo / b.hi, r = a.hi / b.lo, s = a.hi / b.hi;
  return outward(BRINK_MIN(BRINK_MIN(p, q), BRINK_MIN(r, s)), BRINK_MAX(BRINK_MAX(p, q), BRINK_MAX(r, s)));
}

brinkInterval brinkInterval_Sqr(brinkInterval a) {
  if (!isFinite(a)) return everything;
  double p = a.lo * a.lo, q = a.hi * a.hi;
  bool straddles = a.lo <= 0 && a.hi >= 0;
  brinkInterval r = outward(straddles ? 0 : BRINK_MIN(p, q), BRINK_MAX(p, q));
  if (isFinite(r) && r.lo < 0) r.lo = 0;
  return r;
}

brinkInterval brinkInterval_Sqrt(brinkInterval a) {
  if (!isFinite(a)) return everything;
  brinkInterval r = outward(sqrt(BRINK_MAX(a.lo, 0.0)), sqrt(BRINK_MAX(a.hi, 0.0)));
  if (r.lo < 0) r.lo = 0;
  return r;
}

/* Is there an integer k with lo <= shift + 2 pi k <= hi? Says yes in doubt: the quotient is widened by far more than
 * the rounding of the subtraction, the division and of pi (each relative 2^-53 of |x|+2 pi). */
static bool holdsMultiple(double lo, double hi, double shift) {
  double slack = 8 * DBL_EPSILON * (fabs(lo) + fabs(hi) + TWO_PI);
  return floor((hi - shift + slack) / TWO_PI) >= ceil((lo - shift - slack) / TWO_PI);
}

/* Range of a function of the cosine's kind with maxima at peak + 2 pi k and minima half a turn on; atLo and atHi are
 * its libm values at the ends. */
static brinkInterval waveRange(brinkInterval a, double atLo, double atHi, double peak) {
  brinkInterval r = {BRINK_MIN(atLo, atHi) - BRINK_TRIG_ERROR, BRINK_MAX(atLo, atHi) + BRINK_TRIG_ERROR};
  if (r.hi > 1 || holdsMultiple(a.lo, a.hi, peak)) r.hi = 1;
  if (r.lo < -1 || holdsMultiple(a.lo, a.hi, peak + 0.5 * TWO_PI)) r.lo = -1;
  return r;
}

brinkInterval brinkInterval_Sin(brinkInterval a) {
  if (isnan(a.lo) || isnan(a.hi)) return everything;
  if (!(a.hi - a.lo < TWO_PI)) return (brinkInterval){-1, 1};
  return waveRange(a, sin(a.lo), sin(a.hi), 0.25 * TWO_PI);
}

brinkInterval brinkInterval_Cos(brinkInterval a) {
  if (isnan(a.lo) || isnan(a.hi)) return everything;
  if (!(a.hi - a.lo < TWO_PI)) return (brinkInterval){-1, 1};
  return waveRange(a, cos(a.lo), cos(a.hi), 0.0);
}
