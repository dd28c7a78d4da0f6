/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SWEPT_BOUNDS_H
#define BRINK_SWEPT_BOUNDS_H
/* Box, in world axes, of an oriented box carried by a link over the interval of its Taylor model: union of the ranges
 * of its eight corners. Based on: [CATCH] Sec. 5.2; theory D1.6. Proven, rounded outward. */
#include "taylor.h"

/* obb in the link's frame; margin (>= 0) is added on every side. */
brinkAabb brinkMakeSweptBox(const brinkTaylorRigid *motion, const brinkObb *obb, double margin, int order);

#endif
