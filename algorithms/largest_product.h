/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_LARGEST_PRODUCT_H
#define BRINK_LARGEST_PRODUCT_H
/* The largest of d.x over many points, products and sums from left to right: what every certified support value of a
 * set of points costs. Compiled once for each instruction set; the same bits. */
#include "linear.h"

/* points[count][3], count > 0. */
double brinkLargestProduct(const double *points, uint32_t count, brinkVec3 d);

double brinkLargestProduct_Base(const double *points, uint32_t count, brinkVec3 d);
double brinkLargestProduct_Avx2(const double *points, uint32_t count, brinkVec3 d);

#endif
