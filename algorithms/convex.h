/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CONVEX_H
#define BRINK_CONVEX_H
/* Convex hull of points by libqhull_r, with fallbacks for planar, collinear and single-point sets, and the edge graph
 * for hill climbing. Output vertices are input vertices, bit for bit; no merging, no joggling of coordinates. Qhull's float
 * doubts never lose geometry: points that it leaves outside the hull by rounding are kept as vertices too. */
#include "base.h"
#include "linear.h"

typedef struct brinkConvexHull {
  uint32_t vertexCount;
  uint32_t *vertices;       /* [vertexCount] indices into the input, ascending */
  uint32_t *neighborStart;  /* [vertexCount + 1] */
  uint32_t *neighbors;      /* indices into `vertices`; edge neighbours, ascending */
  uint32_t neighborCount;
  uint32_t faceCount;       /* triangles of the hull; 0 when flat */
  uint32_t *faces;          /* [faceCount][3] indices into `vertices`, outward */
  int dimension;            /* 0 point, 1 segment, 2 planar, 3 solid */
} brinkConvexHull;

/* points[count][3]; count >= 1. Free with brinkFreeConvexHull. */
brinkStatus brinkMakeConvexHull(brinkContext *context, const double *points, uint32_t count, brinkConvexHull *out);
void brinkFreeConvexHull(brinkContext *context, brinkConvexHull *hull);

#endif
