/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of sine and cosine: libm's values at the ends, moved outward by more than its error.
 * Based on: theory D1.4 and "Rounding, kernel by kernel". Units: none; angles in rad. */
#include "interval.h"

#define TWO_PI 6.283185307179586

static const brinkInterval everything = {-HUGE_VAL, HUGE_VAL};

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
