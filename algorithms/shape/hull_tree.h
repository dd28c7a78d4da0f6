/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_HULL_TREE_H
#define BRINK_HULL_TREE_H
/* Binary tree of convex hulls over the convex patches of a mesh; below a leaf's hull stand its triangles, the exact
 * geometry. A node's hull contains everything below it. Lives inside a cooked blob (offsets, no pointers), so a blob
 * can be used where it lies; beside it the wide tree of boxes over the same triangles in its own order (obb_tree.h).
 *
 * Leaf: the vertices of one patch. Inner node: exact hull of all vertices below when that has at most
 * BRINK_NODE_HULL_VERTICES of them and so have its children's, else the 8 corners of its oriented box. The hull of the
 * whole mesh is always kept too. Hull faces may be virtual (no surface there): contact is decided on triangles. All
 * pieces here are sharp (radius 0): a shape's margin is shape->piece.radius, for callers to add.
 *
 * Stored small: boxes and balls in single precision from the middle of the mesh, in a unit near its size, rounded
 * outward from what they decode to; axes as a quaternion; vertices as ids. Pieces are put together where they are asked
 * for, in room the caller has.
 *
 * Based on: [CATCH] Sec. 4 and 7.2; Ehmann and Lin 2001; build: cooking/box_tree.h. */
#include "obb_tree.h"
#include "shape.h"

/* Brute-force pairs of triangles under two leaves grow with the square of this; hull tests saved grow with it. */
#define BRINK_PATCH_TRIANGLES 8u
#define BRINK_NODE_HULL_VERTICES 32u
/* No node is deeper (root 0), checked in every blob: a depth-first stack of this many entries suffices. */
#define BRINK_HULL_TREE_DEPTH 80u

struct brinkHullTree; /* header of the blob */

typedef struct brinkHullBox {
  brinkObb obb;                          /* oriented box of the node, shape frame */
  int32_t left, right;                   /* children, -1 for a leaf */
  uint32_t firstTriangle, triangleCount; /* range in the tree's triangle order; of all leaves below for an inner node */
} brinkHullBox;

typedef struct brinkHullRoom { /* for the vertices of a piece, and their ids in the mesh */
  double vertices[BRINK_NODE_HULL_VERTICES][3];
  uint32_t ids[BRINK_NODE_HULL_VERTICES];
} brinkHullRoom;

typedef struct brinkTriangleRoom {
  double vertices[3][3]; /* the first `count` of the piece are distinct */
  uint32_t ids[3];       /* in the mesh */
} brinkTriangleRoom;

/* ---- as stored: what hot loops read in place. A node's left child comes right after it, the right one later. */
typedef struct brinkHullTreeNode {
  uint64_t turn;            /* axes of the box, see brinkTurn_Axes */
  float center[3], half[3]; /* of the box, which contains everything below */
  float hullRadius;         /* of a ball about the box's centre around the hull piece */
  uint32_t right;           /* 0: a leaf */
  uint32_t firstTriangle, triangleCount;
  uint32_t hullStart; /* in the pool of hull ids */
  uint16_t hullCount; /* 0: the hull piece is the corners of the box; a leaf's the vertices of its triangles */
  uint16_t depth;     /* root 0 */
} brinkHullTreeNode;

struct brinkHullTree {
  uint64_t magic, version, size, checksum; /* size of the blob, bytes; brinkBlobChecksum */
  uint32_t flags;                          /* BRINK_MESH_* */
  uint32_t closed, manifold, convex;
  uint32_t vertexCount, triangleCount, degenerateCount, patchCount;
  uint32_t nodeCount, hullIdCount, wideCount;              /* wideCount: nodes of the wide tree */
  uint32_t hasWide;                                        /* 0: the mesh does not fit single precision */
  uint32_t wholeCount, wholeDimension, wholeNeighborCount; /* hull of the whole mesh; no graph: 0 neighbours */
  float wideScale;                                         /* brinkObbTree's root and scale */
  brinkObbBox wideRoot;
  brinkAabb bounds; /* of the triangles' vertices, exact */
  brinkVec3 wholeCenter;
  double wholeRadius;
  brinkObb wholeBox; /* of the whole mesh, in double precision */
  brinkVec3 origin;  /* of the tree frame, mesh frame */
  double unit;       /* m, a power of two: of the nodes' numbers */
  /* byte offsets from the blob's start */
  uint64_t vertices, indices, triangles, slots, wide, nodes, hullIds, wholeVertices, wholeIds, wholeStarts,
      wholeNeighbors;
};

static inline const void *brinkHullTree_At(const brinkHullTree *tree, uint64_t offset) {
  return (const unsigned char *)tree + offset;
}
/* Children, box, ball, triangle range of a node, in place. */
static inline const brinkHullTreeNode *brinkHullTree_Record(const brinkHullTree *tree, uint32_t index) {
  return (const brinkHullTreeNode *)brinkHullTree_At(tree, tree->nodes) + index;
}
/* Triangle `slot` of the tree's order, in place: the wide tree's record, so in the tree frame. */
static inline const brinkObbTriangle *brinkHullTree_TriangleRecord(const brinkHullTree *tree, uint32_t slot) {
  const uint32_t *slots = (const uint32_t *)brinkHullTree_At(tree, tree->slots);
  return (const brinkObbTriangle *)brinkHullTree_At(tree, tree->triangles) + slots[slot];
}
/* Its id in the mesh. */
static inline uint32_t brinkHullTree_TriangleId(const brinkHullTree *tree, uint32_t slot) {
  return brinkHullTree_TriangleRecord(tree, slot)->slot;
}

/* A turn is a quaternion (x, y, z, w) of whole numbers up to BRINK_TURN_ONE, the largest of them just that: the other
 * three in 20 bits each, which one it is in bits 60 and 61. Whole numbers make a rotation exact but for the rounding of
 * its entries. Columns: the box's axes. */
#define BRINK_TURN_ONE 524287
static inline brinkMat3 brinkTurn_Axes(uint64_t turn) {
  double q[4];
  const unsigned largest = (unsigned)(turn >> 60) & 3u;
  for (unsigned i = 0; i < 3; ++i)
    q[i + (i >= largest)] = (double)((int32_t)(turn >> (20 * i) & 0xfffffu) - BRINK_TURN_ONE);
  q[largest] = BRINK_TURN_ONE;
  const double x = q[0], y = q[1], z = q[2], w = q[3], s = 2.0 / (x * x + y * y + z * z + w * w);
  return (brinkMat3){{{1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                      {s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)},
                      {s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)}}};
}

/* What a stored point or length decodes to. Lengths of the tiniest meshes are rounded up by more than their rounding.
 */
static inline brinkVec3 brinkHullTree_Point(const brinkHullTree *tree, const float p[3]) {
  return brinkMulAdd(tree->origin, tree->unit, brinkV3((double)p[0], (double)p[1], (double)p[2]));
}
static inline double brinkHullTree_Length(const brinkHullTree *tree, float length) {
  return tree->unit * (double)length + (tree->unit < 0x1p-800 ? 4.0 * DBL_TRUE_MIN : 0.0);
}
static inline brinkObb brinkHullTree_Box(const brinkHullTree *tree, const brinkHullTreeNode *node) {
  return (brinkObb){brinkHullTree_Point(tree, node->center), brinkTurn_Axes(node->turn),
                    brinkV3(brinkHullTree_Length(tree, node->half[0]), brinkHullTree_Length(tree, node->half[1]),
                            brinkHullTree_Length(tree, node->half[2]))};
}
/* Box, children and triangles of a node, cheaper than with its hull. */
static inline void brinkHullTree_BoxAt(const brinkHullTree *tree, uint32_t index, brinkHullBox *out) {
  const brinkHullTreeNode *node = brinkHullTree_Record(tree, index);
  out->obb = brinkHullTree_Box(tree, node);
  out->left = node->right ? (int32_t)index + 1 : -1;
  out->right = node->right ? (int32_t)node->right : -1;
  out->firstTriangle = node->firstTriangle;
  out->triangleCount = node->triangleCount;
}

/* Corners of a box, pushed out by more than their own rounding: their hull contains the box. */
void brinkMakeBoxCorners(const brinkObb *obb, double corners[][3]);
/* Convex piece that contains the node (0: the root); its vertices go to `room`. vertexIds NULL when it is the box's
 * corners. */
brinkPiece brinkHullTree_Hull(const brinkHullTree *tree, uint32_t index, brinkHullRoom *room);

/* A triangle as a piece (1..3 distinct vertices, in `room`). */
brinkPiece brinkHullTree_TriangleOf(const brinkHullTree *tree, const brinkObbTriangle *record, brinkTriangleRoom *room);
/* Triangle `slot` of the tree's order, and its id in the mesh (may be NULL). */
static inline brinkPiece brinkHullTree_Triangle(const brinkHullTree *tree, uint32_t slot, brinkTriangleRoom *room,
                                                uint32_t *triangleId) {
  const brinkObbTriangle *record = brinkHullTree_TriangleRecord(tree, slot);
  if (triangleId != NULL) *triangleId = record->slot;
  return brinkHullTree_TriangleOf(tree, record, room);
}
/* flags BRINK_MESH_* of the mesh it was cooked from. */
uint32_t brinkHullTree_Flags(const brinkHullTree *tree);
/* Exact mesh view (pointers into the blob). A mesh cooked as BRINK_MESH_CONVEX has the triangles of its hull. */
brinkMeshView brinkHullTree_Mesh(const brinkHullTree *tree);
/* Is p (shape frame) inside a closed mesh? Winding number by solid angles; on the surface: either. Open: false. */
bool brinkHullTree_Contains(const brinkHullTree *tree, brinkVec3 p);

#endif
