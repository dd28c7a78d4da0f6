/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_INVERSE_FACTORS_H
#define BRINK_TESTS_INVERSE_FACTORS_H
/* Factors of motions for tests of inverted trajectories. Include after cmocka. */
#include "inverse_motion.h"

/* From (x,y,z), at (vx,vy,vz) a step. */
static inline void addShift(brinkContext *context, brinkInverseMotion *m, double x, double y, double z, double vx,
                            double vy, double vz) {
  const double c[2][12] = {{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}, {0, 0, 0, vx, 0, 0, 0, vy, 0, 0, 0, vz}};
  assert_int_equal(brinkInverseMotion_AddPolynomial(context, m, c[0], 1, "shift"), brink_ok);
}
/* About (x,y,z), by angle + rate t. */
static inline void addTurn(brinkContext *context, brinkInverseMotion *m, double x, double y, double z, double angle,
                           double rate) {
  const double axis[3] = {x, y, z}, a[4] = {angle, rate, 0, 0};
  assert_int_equal(brinkInverseMotion_AddRotation(context, m, axis, a, "turn"), brink_ok);
}

#endif
