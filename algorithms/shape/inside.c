/* SPDX-License-Identifier: BSD-3-Clause */
/* See inside.h. The segment runs from p to q, q outside the mesh's bounding sphere, the short way out of its box: along
 * wide ground it would skim each triangle. A triangle abc is crossed when p and q lie strictly on different sides of
 * its plane and pq passes its three edges on one side; the sum of the signs over a closed, consistently wound mesh is
 * its winding number about p. Any zero among the signs: another q. */
#include "inside.h"

#include "orientation.h"

#define DIRECTIONS 6
#define STACK_CAPACITY 256

typedef enum crossing { crossing_none = 0, crossing_out = 1, crossing_in = -1, crossing_doubtful = 2 } crossing;

static crossing crossTriangle(const brinkPiece *triangle, const double p[3], const double q[3]) {
  if (triangle->count < 3u) return crossing_none; /* no area: it bounds nothing */
  const double *a = triangle->vertices, *b = a + 3, *c = a + 6;
  int sideP = brinkOrientation(a, b, c, p), sideQ = brinkOrientation(a, b, c, q);
  if (sideP == sideQ && sideP != 0) return crossing_none;
  int ab = brinkOrientation(p, q, a, b), bc = brinkOrientation(p, q, b, c), ca = brinkOrientation(p, q, c, a);
  bool positive = ab > 0 || bc > 0 || ca > 0, negative = ab < 0 || bc < 0 || ca < 0;
  if (positive && negative) return crossing_none;
  if (sideP == 0 || sideQ == 0 || ab == 0 || bc == 0 || ca == 0) return crossing_doubtful;
  return sideQ > 0 ? crossing_out : crossing_in;
}

/* Can the segment meet the box? Never a wrong no: the box is taken larger by a margin, far more than rounding. */
static bool mayMeet(const brinkObb *box, brinkVec3 p, brinkVec3 q, double margin) {
  brinkVec3 from = brinkTMulMV(&box->axes, brinkSub(p, box->center)),
            to = brinkTMulMV(&box->axes, brinkSub(q, box->center));
  double start[3] = {from.x, from.y, from.z}, end[3] = {to.x, to.y, to.z},
         half[3] = {box->half.x, box->half.y, box->half.z};
  double enter = 0, leave = 1;
  for (int i = 0; i < 3; ++i) {
    double h = half[i] + margin, along = end[i] - start[i];
    if (fabs(along) <= margin) {
      if (fabs(start[i]) > h + margin) return false;
      continue;
    }
    double t0 = (-h - start[i]) / along, t1 = (h - start[i]) / along;
    enter = BRINK_MAX(enter, BRINK_MIN(t0, t1));
    leave = BRINK_MIN(leave, BRINK_MAX(t0, t1));
  }
  return enter <= leave + 1e-9;
}

/* Winding number from one segment; false when it is doubtful. */
static bool countCrossings(const brinkHullTree *tree, brinkVec3 p, brinkVec3 q, int *winding) {
  uint32_t stack[STACK_CAPACITY];
  size_t count = 0;
  const double from[3] = {p.x, p.y, p.z}, to[3] = {q.x, q.y, q.z};
  brinkHullBox node;
  /* of both ends from each box's centre, at most 2 and 5 radii, its half axes and its centre from the origin */
  const double margin = 1e-9 * (9.0 * tree->wholeRadius + brinkLength(tree->wholeCenter));
  *winding = 0;
  stack[count++] = 0u;
  while (count > 0u) {
    brinkHullTree_BoxAt(tree, stack[--count], &node);
    if (!mayMeet(&node.obb, p, q, margin)) continue;
    if (node.left >= 0) {
      if (count + 2u > STACK_CAPACITY) return false;
      stack[count++] = (uint32_t)node.left;
      stack[count++] = (uint32_t)node.right;
      continue;
    }
    for (uint32_t i = 0; i < node.triangleCount; ++i) {
      brinkTriangleRoom room;
      brinkPiece triangle = brinkHullTree_Triangle(tree, node.firstTriangle + i, &room, NULL);
      crossing found = crossTriangle(&triangle, from, to);
      if (found == crossing_doubtful) return false;
      *winding += (int)found;
    }
  }
  return true;
}

bool brinkIsInsideMesh(const brinkHullTree *tree, brinkVec3 p) {
  static const double tilts[DIRECTIONS][3] = {{0.0731, 0.1193, -0.0517}, {-0.3719, 0.2203, 0.4241},
                                              {0.6131, -0.5477, 0.1733}, {-0.1871, -0.7127, -0.6317},
                                              {0.9049, 0.3331, -0.8011}, {-0.8513, 0.9239, 0.2879}};
  if (!tree->closed) return false;
  double radius = tree->wholeRadius;
  if (!(brinkLength(brinkSub(p, tree->wholeCenter)) <= radius * (1.0 + 1e-9)) || !brinkFiniteV3(p)) return false;
  brinkHullBox root;
  brinkHullTree_BoxAt(tree, 0u, &root);
  const brinkVec3 half = root.obb.half;
  const bool x = half.x < half.y && half.x < half.z, y = !x && half.y < half.z;
  brinkVec3 outward = brinkMulMV(&root.obb.axes, brinkV3(x, y, !x && !y));
  if (brinkDot(outward, brinkSub(p, root.obb.center)) < 0) outward = brinkNeg(outward);
  for (int i = 0; i < DIRECTIONS; ++i) {
    brinkVec3 direction = brinkNormalizeOr(brinkAdd(outward, brinkV3_FromArray(tilts[i])), outward);
    brinkVec3 q = brinkMulAdd(p, 2.5 * radius, direction);
    int winding;
    if (countCrossings(tree, p, q, &winding)) return winding != 0;
  }
  return brinkHullTree_Contains(tree, p);
}
