/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of largest_product.h; included by largest_product.c and largest_product_avx2.c, which define
 * BRINK_PRODUCT_KERNELS, so that the same source is compiled for each instruction set. Not a header of its own. */
#include "simd.h"

static inline double ProductAt(const double *v, brinkVec3 d) { return v[0] * d.x + v[1] * d.y + v[2] * d.z; }
static inline double Larger(double a, double b) { return a > b ? a : b; }

/* Four points at a time, no index, no branches; the last four overlap those before them. Two sums at once. */
static double OfPoints(const double *points, uint32_t count, brinkVec3 d) {
  const double *v = points, *end = points + 3 * (size_t)count;
  if (count < 4) {
    double best = ProductAt(v, d);
    for (v += 3; v < end; v += 3) best = Larger(ProductAt(v, d), best);
    return best;
  }
  const brinkD4 x = brinkD4_Set(d.x), y = brinkD4_Set(d.y), z = brinkD4_Set(d.z);
  brinkD4 first = brinkD4_Set(ProductAt(v, d)), second = first, p[3], q[3];
#define PRODUCTS(p) brinkD4_Add(brinkD4_Add(brinkD4_Mul((p)[0], x), brinkD4_Mul((p)[1], y)), brinkD4_Mul((p)[2], z))
  for (; end - v >= 24; v += 24) {
    brinkD4_LoadPoints(v, p);
    brinkD4_LoadPoints(v + 12, q);
    first = brinkD4_Max(PRODUCTS(p), first);
    second = brinkD4_Max(PRODUCTS(q), second);
  }
  if (end - v >= 12) {
    brinkD4_LoadPoints(v, p);
    first = brinkD4_Max(PRODUCTS(p), first);
  }
  brinkD4_LoadPoints(end - 12, q);
  second = brinkD4_Max(PRODUCTS(q), second);
#undef PRODUCTS
  return brinkD4_First(brinkD4_LargestLane(brinkD4_Max(first, second)));
}

/* Of four points of a block, from *v on. */
#define PRODUCT(v)                                                                                 \
  brinkD4_Add(brinkD4_Add(brinkD4_Mul(brinkD4_Load(v), x), brinkD4_Mul(brinkD4_Load((v) + 8), y)), \
              brinkD4_Mul(brinkD4_Load((v) + 16), z))

static double OfColumns(const double *columns, uint32_t count, brinkVec3 d) {
  const double *v = columns, *end = columns + 24 * (size_t)((count + 7u) / 8u);
  const brinkD4 x = brinkD4_Set(d.x), y = brinkD4_Set(d.y), z = brinkD4_Set(d.z);
  brinkD4 first = PRODUCT(v), second = PRODUCT(v + 4);
  for (v += 24; v < end; v += 24) {
    first = brinkD4_Max(PRODUCT(v), first);
    second = brinkD4_Max(PRODUCT(v + 4), second);
  }
  return brinkD4_First(brinkD4_LargestLane(brinkD4_Max(first, second)));
}

static uint32_t FurthestOfColumns(const double *columns, uint32_t count, brinkVec3 d) {
  const double *v = columns;
  const uint32_t blocks = (count + 7u) / 8u;
  const brinkD4 x = brinkD4_Set(d.x), y = brinkD4_Set(d.y), z = brinkD4_Set(d.z);
  brinkD4 products[BRINK_MOST_COLUMNS / 4u];
  brinkD4 first = products[0] = PRODUCT(v), second = products[1] = PRODUCT(v + 4), *product = products + 2;
  for (const brinkD4 *end = products + 2u * blocks; product < end; product += 2) {
    v += 24;
    first = brinkD4_Max(product[0] = PRODUCT(v), first);
    second = brinkD4_Max(product[1] = PRODUCT(v + 4), second);
  }
  const brinkD4 most = brinkD4_LargestLane(brinkD4_Max(first, second));
  uint64_t at = 0; /* a bit for each point */
  while (product > products) {
    product -= 2;
    at = at << 8 | brinkD4_AtLeast(product[1], most) << 4 | brinkD4_AtLeast(product[0], most);
  }
  return at != 0u ? (uint32_t)__builtin_ctzll(at) : 0u;
}
#undef PRODUCT

const brinkProductKernels BRINK_PRODUCT_KERNELS = {OfPoints, OfColumns, FurthestOfColumns};
