/* SPDX-License-Identifier: BSD-3-Clause */
/* The plain counterpart of the kernels, and the choice: see largest_product.h. */
#define BRINK_PRODUCT_KERNELS brinkProductKernels_Base
#include "largest_product.h"
#include "largest_product_body.h"

void brinkMakePointColumns(const double *points, uint32_t count, double *columns) {
  const uint32_t room = brinkPointColumns_Room(count);
  for (uint32_t i = 0; i < room; ++i)
    for (uint32_t k = 0; k < 3u; ++k)
      columns[24u * (size_t)(i / 8u) + 8u * k + i % 8u] = points[3u * (size_t)(i < count ? i : count - 1u) + k];
}

static inline const brinkProductKernels *Kernels(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return &brinkProductKernels_Avx2;
#endif
  return &brinkProductKernels_Base;
}

double brinkLargestProduct(const double *points, uint32_t count, brinkVec3 d) {
  return Kernels()->points(points, count, d);
}

double brinkPointColumns_LargestProduct(const double *columns, uint32_t count, brinkVec3 d) {
  return Kernels()->columns(columns, count, d);
}

uint32_t brinkPointColumns_Furthest(const double *columns, uint32_t count, brinkVec3 d) {
  return Kernels()->furthest(columns, count, d);
}
