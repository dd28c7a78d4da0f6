/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_LARGEST_PRODUCT_H
#define BRINK_LARGEST_PRODUCT_H
/* The largest of d.x over many points, products and sums from left to right: what every certified support value of a
 * set of points costs, and which of them it is. Compiled once for each instruction set; the same bits. Points that are
 * asked about often are kept in columns, too: eight x, eight y, eight z, then the next eight points; filled up to a
 * multiple of eight with the last one. */
#include <stddef.h>

#include "linear.h"

/* Of so many points at most the furthest is looked for here: a bit for each. */
#define BRINK_MOST_COLUMNS 64u

static inline uint32_t brinkPointColumns_Room(uint32_t count) { return (count + 7u) / 8u * 8u; }
/* columns[3 * brinkPointColumns_Room(count)]; fastest where they begin a cache line. */
void brinkMakePointColumns(const double *points, uint32_t count, double *columns);
/* To the last bit as it was given: whoever has looked at the columns need not fetch the points themselves. */
static inline brinkVec3 brinkPointColumns_Point(const double *columns, uint32_t index) {
  const double *at = &columns[24u * (size_t)(index / 8u) + index % 8u];
  return brinkV3(at[0], at[8], at[16]);
}

/* points[count][3], count > 0. */
double brinkLargestProduct(const double *points, uint32_t count, brinkVec3 d);
double brinkPointColumns_LargestProduct(const double *columns, uint32_t count, brinkVec3 d);
/* The first point that has it; count <= BRINK_MOST_COLUMNS. */
uint32_t brinkPointColumns_Furthest(const double *columns, uint32_t count, brinkVec3 d);

typedef struct brinkProductKernels { /* of one instruction set */
  double (*points)(const double *points, uint32_t count, brinkVec3 d);
  double (*columns)(const double *columns, uint32_t count, brinkVec3 d);
  uint32_t (*furthest)(const double *columns, uint32_t count, brinkVec3 d);
} brinkProductKernels;
extern const brinkProductKernels brinkProductKernels_Base, brinkProductKernels_Avx2;

#endif
