/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PATH_BUNDLE_H
#define BRINK_PATH_BUNDLE_H
/* The parts of inverted trajectories that lie in A, as lines of vertices: the subset of A that B meets is this bundle.
 * All paths have their vertices at the same times, between their own ends.
 *
 * Based on: [INV] 2.2 eq (8); theory 15, "Cells" (how far a path is from its chord). Units: m; step time. */
#include "interfering_subsets.h"

typedef struct brinkPathVertex {
  double t, position[3]; /* in A's frame */
} brinkPathVertex;

typedef struct brinkInnerPath {
  size_t point, interval; /* of the set; intervals counted over all points */
  size_t first, count;    /* vertices; one where the point only crosses A */
} brinkInnerPath;

typedef struct brinkPathBundle {
  brinkPathVertex *vertices;
  brinkInnerPath *paths; /* in order of points and of time */
  size_t vertexCount, vertexCapacity, pathCount, pathCapacity;
  double deviation; /* m, proven: no path is farther from its chords at the same time */
} brinkPathBundle;

void brinkPathBundle_Free(brinkContext *context, brinkPathBundle *bundle);
/* points: [set->pointCount][3] in B's frame, |coordinate| <= reach. deviation: > 0, m; what rounding does not allow is
 * told in the answer. A proven interval is followed from startUpper to endLower, any other from startLower to endUpper,
 * and a crossing in the middle. */
brinkStatus brinkPathBundle_Make(brinkContext *context, const brinkRelativeMotion *motion, double tStart, double tEnd,
                                 const double reach[3], const double *points, const brinkPointSet *set,
                                 double deviation, brinkPathBundle *out);

#endif
