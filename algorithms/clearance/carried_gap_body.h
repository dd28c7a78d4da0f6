/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel of carried_gap.h; included by carried_gap.c and carried_gap_avx2.c, which define BRINK_CUBIC_KERNEL, so that
 * the same source is compiled for each instruction set. Not a header of its own. */
#include "largest_product.h"
#include "simd.h"

/* Four points: where the parabola c0 - |c3| / 4 + (c1 + 3/4 c3) tau + c2 tau^2 has its least value on [-1,1]: at an
 * end, or where c2 is large below it by (2 c2 - |slope|)^2 / (4 c2). */
static inline brinkD4 leastOfFour(const double *v, const brinkD4 row[4][BRINK_CARRIED_TERMS]) {
  const brinkD4 x = brinkD4_Load(v), y = brinkD4_Load(v + 8), z = brinkD4_Load(v + 16), zero = brinkD4_Set(0.0);
  brinkD4 c[BRINK_CARRIED_TERMS];
  for (int k = 0; k < BRINK_CARRIED_TERMS; ++k)
    c[k] = brinkD4_Add(
        brinkD4_Add(brinkD4_Add(brinkD4_Mul(row[0][k], x), brinkD4_Mul(row[1][k], y)), brinkD4_Mul(row[2][k], z)),
        row[3][k]);
  const brinkD4 slope = brinkD4_Add(c[1], brinkD4_Mul(brinkD4_Set(0.75), c[3]));
  const brinkD4 size = brinkD4_Max(slope, brinkD4_Sub(zero, slope)), third = brinkD4_Max(c[3], brinkD4_Sub(zero, c[3]));
  const brinkD4 end = brinkD4_Add(brinkD4_Sub(brinkD4_Sub(c[0], brinkD4_Mul(brinkD4_Set(0.25), third)), size), c[2]);
  const brinkD4 bend = brinkD4_Max(c[2], zero), twice = brinkD4_Add(bend, bend);
  const brinkD4 beyond = brinkD4_Max(brinkD4_Sub(twice, size), zero);
  double below[4], least[4];
  brinkD4_Store(below, brinkD4_Mul(beyond, beyond));
  brinkD4_Store(least, brinkD4_Max(brinkD4_Add(twice, twice), brinkD4_Set(DBL_MIN)));
  for (int k = 0; k < 4; ++k) below[k] /= least[k];
  return brinkD4_Sub(end, brinkD4_Load(below));
}

double BRINK_CUBIC_KERNEL(const double *columns, uint32_t count, const double row[4][BRINK_CARRIED_TERMS],
                          uint32_t *index) {
  brinkD4 rows[4][BRINK_CARRIED_TERMS], values[BRINK_MOST_COLUMNS / 4u];
  for (int j = 0; j < 4; ++j)
    for (int k = 0; k < BRINK_CARRIED_TERMS; ++k) rows[j][k] = brinkD4_Set(row[j][k]);
  const uint32_t fours = brinkPointColumns_Room(count) / 4u;
  const brinkD4 zero = brinkD4_Set(0.0);
  brinkD4 most = brinkD4_Set(-HUGE_VAL);
  for (uint32_t i = 0; i < fours; ++i) {
    values[i] = brinkD4_Sub(zero, leastOfFour(columns + 24u * (size_t)(i / 2u) + 4u * (i % 2u), rows));
    most = brinkD4_Max(values[i], most);
  }
  double lanes[4], best = -HUGE_VAL;
  brinkD4_Store(lanes, most);
  for (int k = 0; k < 4; ++k) best = lanes[k] > best ? lanes[k] : best;
  *index = 0;
  for (uint32_t i = 0; i < fours; ++i) {
    const uint32_t which = brinkD4_AtLeast(values[i], brinkD4_Set(best));
    if (which == 0u) continue;
    uint32_t lane = 0;
    while ((which >> lane & 1u) == 0u) ++lane;
    *index = BRINK_MIN(4u * i + lane, count - 1u);
    break;
  }
  return -best;
}
