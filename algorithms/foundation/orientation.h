/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ORIENTATION_H
#define BRINK_ORIENTATION_H
/* Exact predicates: on which side of a plane or line does a point lie? Filtered in doubles, decided by expansions.
 *
 * Based on: Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates".
 * Units: any; only signs matter. */
#include "base.h"

/* Sign of (b-a) x (c-a) . (d-a): +1 when d is on the side that sees a,b,c counterclockwise. Exact when the nonzero
 * coordinates' magnitudes lie in [2^-200, 2^200]. */
int brinkOrientation(const double a[3], const double b[3], const double c[3], const double d[3]);
/* -det(a-d, b-d, c-d) in doubles, the number whose sign brinkOrientation gives; *error: bound of its rounding error. */
double brinkRoundedOrientation(const double a[3], const double b[3], const double c[3], const double d[3],
                               double *error);
/* Sign of the area of triangle abc in the plane: +1 counterclockwise. Exact, same range. */
int brinkOrientation2(double ax, double ay, double bx, double by, double cx, double cy);

#endif
