/* SPDX-License-Identifier: BSD-3-Clause */
#define BRINK_LARGEST_PRODUCT brinkLargestProduct_Base
#include "largest_product_body.h"

double brinkLargestProduct(const double *points, uint32_t count, brinkVec3 d) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return brinkLargestProduct_Avx2(points, count, d);
#endif
  return brinkLargestProduct_Base(points, count, d);
}
