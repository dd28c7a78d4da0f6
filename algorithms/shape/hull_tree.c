/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangles, hulls and boxes out of a cooked blob that was found whole (cooking/blob.c); is a point inside?
 *
 * Based on: van Oosterom and Strackee 1983 (solid angle of a triangle); Jacobson, Kavan, Sorkine 2013 (winding number).
 * Units: m. */
#include "hull_tree.h"

void brinkMakeBoxCorners(const brinkObb *obb, double corners[][3]) {
  brinkVec3 c = obb->center, h = obb->half;
  double slack = 16.0 * DBL_EPSILON * (brinkLengthBound(c) + brinkLengthBound(h));
  h = brinkAdd(h, brinkV3(slack, slack, slack));
  for (unsigned i = 0; i < 8; ++i) {
    brinkVec3 y = {i & 1u ? h.x : -h.x, i & 2u ? h.y : -h.y, i & 4u ? h.z : -h.z};
    brinkVec3 corner = brinkAdd(c, brinkMulMV(&obb->axes, y));
    corners[i][0] = corner.x, corners[i][1] = corner.y, corners[i][2] = corner.z;
  }
}

_Static_assert(3 * BRINK_PATCH_TRIANGLES <= BRINK_NODE_HULL_VERTICES, "room for the vertices of a leaf");

/* Vertices of a leaf's triangles, once each. */
static uint32_t gatherLeaf(const brinkHullTree *tree, const brinkHullTreeNode *node, uint32_t *ids) {
  const uint32_t *indices = brinkHullTree_At(tree, tree->indices);
  uint32_t count = 0;
  for (uint32_t t = 0; t < node->triangleCount; ++t)
    for (uint32_t k = 0; k < 3; ++k) {
      uint32_t id = indices[3 * (size_t)brinkHullTree_TriangleId(tree, node->firstTriangle + t) + k], i = 0;
      while (i < count && ids[i] != id) ++i;
      if (i == count) ids[count++] = id;
    }
  return count;
}

brinkPiece brinkHullTree_Hull(const brinkHullTree *tree, uint32_t index, brinkHullRoom *room) {
  const brinkHullTreeNode *node = brinkHullTree_Record(tree, index);
  brinkPiece piece = {.kind = brink_piecePoints,
                      .count = node->hullCount,
                      .vertices = room->vertices[0],
                      .center = brinkHullTree_Point(tree, node->center),
                      .boundRadius = brinkHullTree_Length(tree, node->hullRadius)};
  if (node->hullCount > 0) {
    piece.vertexIds = (const uint32_t *)brinkHullTree_At(tree, tree->hullIds) + node->hullStart;
  } else if (node->right == 0) {
    piece.count = gatherLeaf(tree, node, room->ids);
    piece.vertexIds = room->ids;
  } else {
    brinkObb box = brinkHullTree_Box(tree, node);
    brinkMakeBoxCorners(&box, room->vertices);
    piece.count = 8;
    return piece;
  }
  const double *vertices = brinkHullTree_At(tree, tree->vertices);
  for (uint32_t i = 0; i < piece.count; ++i)
    memcpy(room->vertices[i], &vertices[3 * (size_t)piece.vertexIds[i]], sizeof room->vertices[i]);
  return piece;
}

static bool samePlace(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

/* The ball is the wide tree's: its centre is rounded again on the way to the mesh's frame, the radius covers that. */
brinkPiece brinkHullTree_TriangleOf(const brinkHullTree *tree, const brinkObbTriangle *record,
                                    brinkTriangleRoom *room) {
  const double *vertices = brinkHullTree_At(tree, tree->vertices);
  const uint32_t *corners = (const uint32_t *)brinkHullTree_At(tree, tree->indices) + 3 * (size_t)record->slot;
  uint32_t count = 0;
  for (int k = 0; k < 3; ++k) {
    const double *position = &vertices[3 * (size_t)corners[k]];
    uint32_t i = 0;
    while (i < count && !samePlace(room->vertices[i], position)) ++i;
    if (i < count) continue;
    memcpy(room->vertices[count], position, sizeof room->vertices[count]);
    room->ids[count++] = corners[k];
  }
  brinkPiece piece;
  if (tree->hasWide) {
    const brinkVec3 o = tree->origin,
                    c = {(double)record->center[0], (double)record->center[1], (double)record->center[2]};
    const double size = fabs(o.x) + fabs(o.y) + fabs(o.z) + fabs(c.x) + fabs(c.y) + fabs(c.z);
    piece = (brinkPiece){.kind = brink_piecePoints,
                         .count = count,
                         .vertices = room->vertices[0],
                         .center = brinkAdd(o, c),
                         .boundRadius = (double)record->radius + 4.0 * DBL_EPSILON * size};
  } else {
    piece = brinkMakePointPiece(room->vertices[0], count, 0.0);
  }
  piece.vertexIds = room->ids;
  return piece;
}

uint32_t brinkHullTree_Flags(const brinkHullTree *tree) { return tree->flags; }

brinkMeshView brinkHullTree_Mesh(const brinkHullTree *tree) {
  return (brinkMeshView){.structSize = sizeof(brinkMeshView),
                         .flags = tree->flags,
                         .vertices = brinkHullTree_At(tree, tree->vertices),
                         .vertexCount = tree->vertexCount,
                         .indices = brinkHullTree_At(tree, tree->indices),
                         .triangleCount = tree->triangleCount};
}

/* ---- inside? */

static bool isInBounds(const brinkAabb *box, brinkVec3 p) {
  return p.x >= box->lower.x && p.x <= box->upper.x && p.y >= box->lower.y && p.y <= box->upper.y &&
         p.z >= box->lower.z && p.z <= box->upper.z;
}

bool brinkHullTree_Contains(const brinkHullTree *tree, brinkVec3 p) {
  if (!tree->closed || !isInBounds(&tree->bounds, p)) return false;
  const double *vertices = brinkHullTree_At(tree, tree->vertices);
  const uint32_t *indices = brinkHullTree_At(tree, tree->indices);
  int exponent = 0; /* a power of two brings the mesh to size 1: no product overflows */
  frexp(brinkLengthBound(brinkSub(tree->bounds.upper, tree->bounds.lower)), &exponent);
  double scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent), halfTurns = 0.0;
  for (size_t t = 0; t < tree->triangleCount; ++t) {
    brinkVec3 corner[3];
    double length[3];
    for (int k = 0; k < 3; ++k) {
      corner[k] = brinkScale(brinkSub(brinkV3_FromArray(&vertices[3 * (size_t)indices[3 * t + k]]), p), scale);
      length[k] = brinkLength(corner[k]);
    }
    double numerator = brinkDot(corner[0], brinkCross(corner[1], corner[2]));
    double denominator = length[0] * length[1] * length[2] + brinkDot(corner[0], corner[1]) * length[2] +
                         brinkDot(corner[1], corner[2]) * length[0] + brinkDot(corner[2], corner[0]) * length[1];
    if (numerator != 0.0) halfTurns += atan2(numerator, denominator); /* half the solid angle */
  }
  return fabs(halfTurns) > 3.1415926535897932; /* winding number beyond 1/2; +-1 inside, 0 outside */
}
