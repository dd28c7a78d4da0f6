/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CONVEX_H
#define BRINK_CONVEX_H
/* Convex hull of points by libqhull_r, with fallbacks for planar, collinear and single-point sets, and the edge graph
 * for hill climbing. Output vertices are input vertices, bit for bit; no merging, no joggling of coordinates. Qhull's
 * float doubts never lose geometry: its answer is kept only when exact predicates prove it to be the hull (closed,
 * convex, every input point inside); otherwise an incremental hull with exact predicates is built. So `vertices` are
 * exactly the extreme points, every input point lies in their hull exactly, and the graph is that of a convex polytope.
 *
 * Limit: when nonzero coordinates span more than 2^200 in magnitude, exactness would need more bits than carried: all
 * distinct points become vertices, without faces and neighbours (support is brute force then, still exact).
 *
 * Based on: Barber, Dobkin, Huhdanpaa 1996 (quickhull); Shewchuk 1997 (adaptive exact predicates). */
#include "base.h"
#include "linear.h"

typedef struct brinkConvexHull {
  uint32_t vertexCount;
  uint32_t *vertices;      /* [vertexCount] indices into the input, ascending */
  uint32_t *neighborStart; /* [vertexCount + 1] */
  uint32_t *neighbors;     /* indices into `vertices`; edge neighbours, ascending */
  uint32_t neighborCount;  /* 0 = no graph: single point, or the limit above */
  uint32_t faceCount;      /* triangles of the hull; 0 when flat */
  uint32_t *faces;         /* [faceCount][3] indices into `vertices`, outward */
  int dimension;           /* 0 point, 1 segment, 2 planar, 3 solid */
} brinkConvexHull;

/* points[count][3]; count >= 1. Free with brinkFreeConvexHull. Duplicates are legal; the lowest index stands for them.
 * brink_errorEmpty, brink_errorBadValue (not finite), brink_errorNoMemory. */
brinkStatus brinkMakeConvexHull(brinkContext *context, const double *points, uint32_t count, brinkConvexHull *out);
/* The same without edge neighbours and faces (counts 0, NULL). */
brinkStatus brinkFindHullVertices(brinkContext *context, const double *points, uint32_t count, brinkConvexHull *out);
void brinkFreeConvexHull(brinkContext *context, brinkConvexHull *hull);

/* Is the triangle surface the whole boundary of a convex body, outward: closed, two-manifold, every edge convex or flat
 * (exactly), wound once around an inner point? faces[faceCount][3] index points. In doubt (magnitudes beyond the above,
 * say): false. */
brinkStatus brinkIsConvexSurface(brinkContext *context, const double *points, const uint32_t *faces, uint32_t faceCount,
                                 bool *convex);
/* Do a, b, c lie on one line? Exact, as orientation.h. */
bool brinkCollinear(const double a[3], const double b[3], const double c[3]);

#endif
