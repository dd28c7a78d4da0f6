/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INVERSE_MOTION_H
#define BRINK_INVERSE_MOTION_H
/* One-parameter affine motions x -> M(t) x, t in [0,1], in closed form or from keys, and the relative motion
 * N = M_A^-1 M_B in which B moves while A stands still (the inverted trajectory of a point x of B is N(t) x).
 * A motion is a product of factors, first factor outermost; each factor is made of spans in time:
 *
 *   polynomial   M = sum C_k s^k                    any affine matrices; s runs from 0 to 1 over the span
 *   rational     M = sum B_i W_i C_i / sum B_i W_i  Bezier, W_i > 0
 *   rotation     M = E(angle(s) a) R                angle a cubic polynomial, R constant
 *
 * Over a cell of time [l,u] a motion is known as N(t) = lerp of N(l) and N(u) + e, |e| <= curve, entry by entry:
 * proven, rounding included. That is all that the tests on top ever use.
 *
 * Based on: [INV] 2.1 (inverted motion), theory D5.1 (det M_A != 0 is certified) and D5.3; second derivatives by
 * Taylor arithmetic of order 2 on balls (midpoint, radius). Matrices: 3x4 row-major, M = [L | p]. Units: m, rad. */
#include "base.h"
#include "linear.h"

#define BRINK_INVERSE_MAX_DEGREE 8
#define BRINK_INVERSE_SINGULAR                                                          \
  1e-10 /* of a key: |det L| below this fraction of the product of its columns' lengths \
         */

typedef enum brinkInverseSpanKind {
  brink_spanPolynomial = 1,
  brink_spanRational,
  brink_spanRotation
} brinkInverseSpanKind;

typedef struct brinkInverseSpan {
  uint32_t kind, degree;
  double t0, perSpan;                                    /* s = (t - t0) perSpan */
  double coefficients[BRINK_INVERSE_MAX_DEGREE + 1][12]; /* polynomial: C_k; rational: W_i C_i */
  double weights[BRINK_INVERSE_MAX_DEGREE + 1];
  double axis[3], angle[4]; /* rotation: unit axis; angle = sum angle[k] s^k */
  double turn[9];           /* rotation: R */
} brinkInverseSpan;

typedef struct brinkInverseFactor {
  brinkInverseSpan *spans; /* [count], in order of time */
  size_t count;
  bool translation; /* linear parts are the identity */
} brinkInverseFactor;

/* All zero: rest. Owned arrays. */
typedef struct brinkInverseMotion {
  brinkInverseFactor *factors;
  size_t count, capacity;
} brinkInverseMotion;

typedef enum brinkKeyBlend {
  brink_blendLinear = 0, /* entries, C0 */
  brink_blendCubic = 1,  /* entries, cubic Hermite with Catmull-Rom slopes, C1 */
  /* M = T R S: T and S cubic, R at constant angular velocity, the shorter way: rigid keys stay rigid */
  brink_blendPolar = 2
} brinkKeyBlend;

void brinkInverseMotion_Free(brinkContext *context, brinkInverseMotion *motion);
/* Each appends on the right: it is applied to points before what is already there. Not finite, a key that is singular
 * or out of order, weights <= 0: status and message beginning with `name`, nothing appended. */
/* coefficients: [degree + 1][12] */
brinkStatus brinkInverseMotion_AddPolynomial(brinkContext *context, brinkInverseMotion *motion,
                                             const double *coefficients, size_t degree, const char *name);
brinkStatus brinkInverseMotion_AddRotation(brinkContext *context, brinkInverseMotion *motion, const double axis[3],
                                           const double angle[4], const char *name);
/* controls: [count][16], 4x4 row-major with last row 0 0 0 1; weights: [count] or NULL for 1. */
brinkStatus brinkInverseMotion_AddBezier(brinkContext *context, brinkInverseMotion *motion, const double *controls,
                                         const double *weights, size_t count, const char *name);
/* times: [count], ascending from 0 to 1; matrices: [count][16]. */
brinkStatus brinkInverseMotion_AddKeys(brinkContext *context, brinkInverseMotion *motion, const double *times,
                                       const double *matrices, size_t count, brinkKeyBlend blend, const char *name);
/* Proves det != 0 on [0,1]: else brink_errorBadValue with the time. */
brinkStatus brinkInverseMotion_CheckRegular(brinkContext *context, const brinkInverseMotion *motion, const char *name);
/* Is it? Else *where is the time next to which that could not be proven. */
bool brinkInverseMotion_IsRegular(const brinkInverseMotion *motion, double *where);
/* The first time > t where a span of it begins; 1 when none does. */
double brinkInverseMotion_NextBreak(const brinkInverseMotion *motion, double t);
/* M(t), rounded. */
void brinkInverseMotion_At(const brinkInverseMotion *motion, double t, double out[12]);

/* Both borrowed; NULL: rest. */
typedef struct brinkRelativeMotion {
  const brinkInverseMotion *a, *b;
} brinkRelativeMotion;

typedef struct brinkMotionCell {
  double l, u;
  double at[2][12];  /* N(l), N(u) */
  double middle[12]; /* N((l+u)/2) */
  double error[12];  /* bound of the rounding of at and middle */
  double curve[12];  /* bound of |N(t) - lerp| over the cell, without that rounding */
} brinkMotionCell;

/* l <= u, no break strictly inside. Never fails: a matrix that may be singular has infinite curves. */
void brinkRelativeMotion_Cell(const brinkRelativeMotion *motion, double l, double u, brinkMotionCell *out);
/* M_A and M_B themselves, both less the shift of M_A (so A's is 0): nothing is inverted, both may be singular. */
void brinkRelativeMotion_ForwardCells(const brinkRelativeMotion *motion, double l, double u, brinkMotionCell *a,
                                      brinkMotionCell *b);
/* One half of a known cell: a quarter of its curves, one new matrix (its middle). */
void brinkRelativeMotion_Half(const brinkRelativeMotion *motion, const brinkMotionCell *cell, bool second,
                              brinkMotionCell *out);
/* y = N(t) x, each coordinate within *error; within: a time inside the spans meant, when t is a break. Much cheaper
 * than N(t). */
void brinkRelativeMotion_Point(const brinkRelativeMotion *motion, double t, double within, const double x[3],
                               double y[3], double *error);
double brinkRelativeMotion_NextBreak(const brinkRelativeMotion *motion, double t);
/* N(t) with error bound. */
void brinkRelativeMotion_At(const brinkRelativeMotion *motion, double t, double out[12], double error[12]);

static inline void brinkApply34(const double m[12], const double x[3], double out[3]) {
  for (int i = 0; i < 3; ++i) out[i] = m[4 * i] * x[0] + m[4 * i + 1] * x[1] + m[4 * i + 2] * x[2] + m[4 * i + 3];
}

#endif
