/* SPDX-License-Identifier: BSD-3-Clause */
/* World box of an oriented box carried by a Taylor model: the ranges of the paths of its eight corners.
 *
 * Why the corners are enough: at every t the map is affine, so a point of the box is a fixed convex combination of the
 * corners and its coordinates lie between theirs at that t. Based on: [CATCH] Sec. 5.2; theory D1.6. Units: m. */
#include "swept_bounds.h"

/* Rounding: the corners' offsets, center +- axes half, are formed in doubles: 4 products and sums each, under 8 eps of
 * the magnitudes, moved by a matrix of norm about 1. 32 eps of the magnitudes widen the box at the end. */
brinkAabb brinkMakeSweptBox(const brinkTaylorRigid *motion, const brinkObb *obb, double margin, int order) {
  const brinkAabb everything = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
  brinkVec3 edge[3];
  const double half[3] = {obb->half.x, obb->half.y, obb->half.z};
  double size = brinkLength(obb->center) + fabs(half[0]) + fabs(half[1]) + fabs(half[2]);
  if (!isfinite(size) || !isfinite(margin)) return everything;
  for (int k = 0; k < 3; ++k)
    edge[k] = brinkScale(brinkV3(obb->axes.m[0][k], obb->axes.m[1][k], obb->axes.m[2][k]), half[k]);
  double lower[3], upper[3], widen = margin + 32 * DBL_EPSILON * (size + margin);
  for (int i = 0; i < 3; ++i) {
    const brinkTaylor *row[4] = {&motion->r[i][0], &motion->r[i][1], &motion->r[i][2], &motion->p[i]};
    brinkTaylor centre =
        brinkTaylor_Combine(row, (const double[4]){obb->center.x, obb->center.y, obb->center.z, 1}, order);
    row[3] = NULL;
    brinkTaylor arm[3];
    for (int k = 0; k < 3; ++k)
      arm[k] = brinkTaylor_Combine(row, (const double[4]){edge[k].x, edge[k].y, edge[k].z, 0}, order);
    lower[i] = HUGE_VAL;
    upper[i] = -HUGE_VAL;
    for (unsigned corner = 0; corner < 8; ++corner) {
      const brinkTaylor *terms[4] = {&centre, &arm[0], &arm[1], &arm[2]};
      const double signs[4] = {1, corner & 1u ? 1 : -1, corner & 2u ? 1 : -1, corner & 4u ? 1 : -1};
      brinkTaylor path = brinkTaylor_Combine(terms, signs, order);
      brinkInterval range = brinkTaylor_Range(&path, order);
      lower[i] = BRINK_MIN(lower[i], range.lo);
      upper[i] = BRINK_MAX(upper[i], range.hi);
    }
    lower[i] = brinkDown(lower[i] - widen);
    upper[i] = brinkUp(upper[i] + widen);
    if (!isfinite(lower[i]) || !isfinite(upper[i])) {
      lower[i] = -HUGE_VAL;
      upper[i] = HUGE_VAL;
    }
  }
  return (brinkAabb){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}
