/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TAYLOR_H
#define BRINK_TAYLOR_H
/* Taylor models: f(t) in sum_k c[k] tau^k + remainder, tau = (t-m)/h in [-1,1], m and h the middle and half width of
 * the interval they were made for; order 0..5, the same for all operands of an operation. Rounding of every coefficient
 * goes into the remainder, so each is a bound. One that overflowed has zero coefficients and the remainder [-inf, inf].
 * Based on: see taylor.c. */
#include "interval.h"
#include "linear.h"

typedef struct brinkTaylor {
  double c[BRINK_MAX_ORDER + 1]; /* coefficients in tau, 0 above the order */
  brinkInterval remainder;
} brinkTaylor;

typedef struct brinkTaylorRigid { /* x_world = r x + p */
  brinkTaylor r[3][3];
  brinkTaylor p[3];
  /* The same remainders in norms that rotations keep: at every t the true rotation differs from the polynomials by a
   * matrix of norm at most turnError, the true place by a vector no longer than placeError. Products add these where
   * entries grow by a factor each. INFINITY: only the entries are known. */
  double turnError, placeError;
} brinkTaylorRigid;

/* Middle and half width of [t0,t1]; h rounded up, so [m-h, m+h] covers it. */
static inline void brinkTaylor_Window(double t0, double t1, double *m, double *h) {
  *m = 0.5 * t0 + 0.5 * t1;
  *h = t0 == t1 ? 0.0 : brinkUp(fmax(t1 - *m, *m - t0));
}

brinkTaylor brinkTaylor_Constant(double value);
/* a + b t over [m-h, m+h]; order 0 puts b t into the remainder. */
brinkTaylor brinkTaylor_Affine(double a, double b, double m, double h, int order);
/* sin and cos of phase + rate t over [m-h, m+h]; the true angle may differ from that by up to angleError (>= 0)
 * anywhere in the interval. */
void brinkTaylor_SinCos(double phase, double rate, double angleError, double m, double h, int order, brinkTaylor *sine,
                        brinkTaylor *cosine);
/* s0 a0 + s1 a1 + s2 a2 + s3 a3; a NULL model is left out. */
brinkTaylor brinkTaylor_Combine(const brinkTaylor *const a[4], const double s[4], int order);
/* Exact range of the polynomial (cubic and below; Bernstein hull above) plus remainder, outward. */
brinkInterval brinkTaylor_Range(const brinkTaylor *a, int order);

/* Sets the norms from the entries. */
void brinkTaylorRigid_TakeErrors(brinkTaylorRigid *a);
brinkTaylorRigid brinkTaylorRigid_Constant(const brinkRigid *a);
/* a b for a b that does not move: a third of the work, and tighter. */
brinkTaylorRigid brinkTaylorRigid_MulConstant(const brinkTaylorRigid *a, const brinkRigid *b, int order);
brinkTaylorRigid brinkTaylorRigid_Mul(const brinkTaylorRigid *a, const brinkTaylorRigid *b, int order);

#endif
