/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INSIDE_H
#define BRINK_INSIDE_H
/* Is a point inside a closed mesh? The same answer as brinkHullTree_Contains, in logarithmic time: signed crossings of
 * a segment that leaves the mesh, found through the hull tree and decided by exact predicates, so no crossing is ever
 * counted twice or lost at an edge. A segment that meets a vertex or an edge is replaced by another.
 *
 * Based on: the crossing form of the winding number; exact orientation: orientation.h (Shewchuk 1997). */
#include "hull_tree.h"

/* p in the shape's frame. Open meshes: false. Points on the surface: either. */
bool brinkIsInsideMesh(const brinkHullTree *tree, brinkVec3 p);

#endif
