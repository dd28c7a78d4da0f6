/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INTERVAL_H
#define BRINK_INTERVAL_H
/* Intervals [lo,hi] of doubles, widened outward without switching the rounding mode: each bound moves by more than one
 * ulp, so the enclosure holds in any rounding mode and with flush-to-zero. NaN gives [-inf, inf]. */
#include "base.h"

/* Bound of |libm's sin(x) - sin x| and the same for cos: glibc, musl, the BSDs and Apple stay below 1 ulp = 2^-53 of a
 * value in [-1,1] in round-to-nearest; four times that is allowed here. */
#define BRINK_TRIG_ERROR (2.0 * DBL_EPSILON)

typedef struct brinkInterval {
  double lo, hi;
} brinkInterval;

/* x moved down / up by at least one ulp of its value in any rounding mode (and at least the smallest normal number). */
static inline double brinkDown(double x) { return x - (fabs(x) * (2.0 * DBL_EPSILON) + 2.0 * DBL_MIN); }
static inline double brinkUp(double x) { return x + (fabs(x) * (2.0 * DBL_EPSILON) + 2.0 * DBL_MIN); }

brinkInterval brinkInterval_Sin(brinkInterval a);
brinkInterval brinkInterval_Cos(brinkInterval a);
static inline double brinkInterval_Width(brinkInterval a) { return a.hi - a.lo; }

#endif
