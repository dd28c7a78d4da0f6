/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_TAYLOR_VALUES_H
#define BRINK_TESTS_TAYLOR_VALUES_H
/* Single models out of what the library offers for whole maps: one sine, one product, the box of one point's path. */
#include "taylor.h"

static inline brinkTaylor taylorCos(double phase, double rate, double m, double h, int order) {
  brinkTaylor sine, cosine;
  brinkTaylor_SinCos(phase, rate, 0, m, h, order, &sine, &cosine);
  return cosine;
}

static inline brinkTaylor taylorSin(double phase, double rate, double m, double h, int order) {
  brinkTaylor sine, cosine;
  brinkTaylor_SinCos(phase, rate, 0, m, h, order, &sine, &cosine);
  return sine;
}

static inline brinkTaylor taylorAdd(const brinkTaylor *a, const brinkTaylor *b, int order) {
  return brinkTaylor_Combine((const brinkTaylor *const[4]){a, b, NULL, NULL}, (const double[4]){1, 1, 0, 0}, order);
}

static inline brinkTaylor taylorScale(const brinkTaylor *a, double s, int order) {
  return brinkTaylor_Combine((const brinkTaylor *const[4]){a, NULL, NULL, NULL}, (const double[4]){s, 0, 0, 0}, order);
}

/* As the first entry of a product of two maps that have no other entries; no norm is known of such maps. */
static inline brinkTaylor taylorMul(const brinkTaylor *a, const brinkTaylor *b, int order) {
  const brinkRigid nothing = {{{{0}}}, {0, 0, 0}};
  brinkTaylorRigid x = brinkTaylorRigid_Constant(&nothing), y = x;
  x.turnError = x.placeError = y.turnError = y.placeError = HUGE_VAL;
  x.r[0][0] = *a;
  y.r[0][0] = *b;
  return brinkTaylorRigid_Mul(&x, &y, order).r[0][0];
}

static inline brinkAabb taylorPointRange(const brinkTaylorRigid *a, brinkVec3 point, int order) {
  brinkInterval range[3];
  const double scale[4] = {point.x, point.y, point.z, 1};
  for (int i = 0; i < 3; ++i) {
    const brinkTaylor *row[4] = {&a->r[i][0], &a->r[i][1], &a->r[i][2], &a->p[i]};
    brinkTaylor path = brinkTaylor_Combine(row, scale, order);
    range[i] = brinkTaylor_Range(&path, order);
  }
  return (brinkAabb){{range[0].lo, range[1].lo, range[2].lo}, {range[0].hi, range[1].hi, range[2].hi}};
}

#endif
