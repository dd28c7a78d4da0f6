/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_HULL_TREE_H
#define BRINK_HULL_TREE_H
/* Binary tree of convex hulls over the convex patches of a mesh; below a leaf's hull stand its triangles, the exact
 * geometry. A node's hull contains everything below it. Lives inside a cooked blob (offsets, no pointers), so a blob
 * can be used where it lies.
 *
 * Leaf: exact hull of one patch's vertices. Inner node: exact hull of all vertices below when that has at most
 * BRINK_NODE_HULL_VERTICES of them, else the 8 corners of its oriented box. The hull of the whole mesh is always kept
 * too. Hull faces may be virtual (no surface there): contact is decided on triangles. All pieces here are sharp
 * (radius 0): a shape's margin is shape->piece.radius, for callers to add.
 *
 * Based on: [CATCH] Sec. 4 and 7.2; Ehmann and Lin 2001; build: theory D8.1 (best-of-candidates boxes, binned
 * surface-area split). */
#include "shape.h"

/* Brute-force pairs of triangles under two leaves grow with the square of this; hull tests saved grow with it. */
#define BRINK_PATCH_TRIANGLES 8u
#define BRINK_NODE_HULL_VERTICES 64u
/* No node is deeper (root 0), checked in every blob: a depth-first stack of this many entries suffices. */
#define BRINK_HULL_TREE_DEPTH 80u

struct brinkHullTree; /* header of the blob */

typedef struct brinkHullNode {
  brinkPiece hull;                       /* convex piece that contains the node (vertices inside the blob) */
  brinkObb obb;                          /* oriented box of the node, shape frame */
  int32_t left, right;                   /* children, -1 for a leaf */
  uint32_t firstTriangle, triangleCount; /* range in the tree's triangle order; of all leaves below for an inner node */
} brinkHullNode;

/* ---- as stored: what hot loops read in place. Children come after their parent. */
typedef struct brinkHullTreeNode {
  brinkObb obb;         /* contains everything below, rounded outward */
  brinkVec3 center;     /* ball around everything below */
  double radius;        /* rounded up */
  brinkVec3 hullCenter; /* ball around the hull piece (larger than the one above for box corners) */
  double hullRadius;
  int32_t left, right; /* -1 for a leaf */
  uint32_t firstTriangle, triangleCount;
  uint32_t hullStart, hullCount; /* in the pool of hull vertices */
  uint32_t neighborStart;        /* in the pool of neighbour starts; UINT32_MAX = none */
  uint32_t exactHull;            /* 1: true hull, vertices are mesh vertices; 0: corners of obb */
  uint32_t depth;                /* root 0 */
  uint32_t reserved;
} brinkHullTreeNode;

typedef struct brinkHullTreeTriangle {
  double vertices[3][3]; /* the first `count` are distinct */
  brinkVec3 center;      /* ball around them */
  double radius;
  uint32_t ids[3];     /* in the mesh */
  uint32_t count;      /* 1 point, 2 segment, 3 triangle */
  uint32_t triangleId; /* in the mesh */
  uint32_t reserved;
} brinkHullTreeTriangle;

struct brinkHullTree {
  uint64_t magic, version, size, checksum; /* size of the blob, bytes; brinkHash of it with checksum = 0 */
  uint32_t flags;                          /* BRINK_MESH_* */
  uint32_t closed, manifold, convex;
  uint32_t vertexCount, triangleCount, degenerateCount, patchCount;
  uint32_t nodeCount, hullVertexCount, neighborStartCount, neighborCount;
  uint32_t wholeStart, wholeCount, wholeNeighborStart, wholeDimension; /* hull of the whole mesh, in the pools */
  brinkAabb bounds;                                                    /* of the triangles' vertices, exact */
  brinkVec3 wholeCenter;
  double wholeRadius;
  /* byte offsets from the blob's start */
  uint64_t vertices, indices, triangles, nodes, hullVertices, hullIds, neighborStarts, neighbors;
};

static inline const void *brinkHullTree_At(const brinkHullTree *tree, uint64_t offset) {
  return (const unsigned char *)tree + offset;
}
/* Children, box, ball, triangle range of a node, in place. */
static inline const brinkHullTreeNode *brinkHullTree_Record(const brinkHullTree *tree, uint32_t index) {
  return (const brinkHullTreeNode *)brinkHullTree_At(tree, tree->nodes) + index;
}
/* Triangle `slot` of the tree's order, in place. */
static inline const brinkHullTreeTriangle *brinkHullTree_TriangleRecord(const brinkHullTree *tree, uint32_t slot) {
  return (const brinkHullTreeTriangle *)brinkHullTree_At(tree, tree->triangles) + slot;
}
static inline brinkPiece brinkHullTree_PoolPiece(const brinkHullTree *tree, uint32_t start, uint32_t count,
                                                 uint32_t neighborStart, brinkVec3 center, double radius) {
  brinkPiece piece = {.kind = brink_piecePoints, .count = count, .center = center, .boundRadius = radius};
  piece.vertices = (const double *)brinkHullTree_At(tree, tree->hullVertices) + 3 * (size_t)start;
  piece.vertexIds = (const uint32_t *)brinkHullTree_At(tree, tree->hullIds) + start;
  if (neighborStart != UINT32_MAX) {
    piece.neighborStart = (const uint32_t *)brinkHullTree_At(tree, tree->neighborStarts) + neighborStart;
    piece.neighbors = (const uint32_t *)brinkHullTree_At(tree, tree->neighbors);
  }
  return piece;
}
/* Convex piece that contains the node. vertexIds NULL when it is the box's corners. */
static inline brinkPiece brinkHullTree_Hull(const brinkHullTree *tree, uint32_t index) {
  const brinkHullTreeNode *node = brinkHullTree_Record(tree, index);
  brinkPiece piece = brinkHullTree_PoolPiece(tree, node->hullStart, node->hullCount, node->neighborStart,
                                             node->hullCenter, node->hullRadius);
  if (!node->exactHull) piece.vertexIds = NULL;
  return piece;
}
/* Convex hull of the whole mesh ([CATCH] 7.2). */
static inline brinkPiece brinkHullTree_WholeHull(const brinkHullTree *tree) {
  return brinkHullTree_PoolPiece(tree, tree->wholeStart, tree->wholeCount, tree->wholeNeighborStart, tree->wholeCenter,
                                 tree->wholeRadius);
}
/* Triangle `slot` as a piece, ball as stored. */
static inline brinkPiece brinkHullTree_TrianglePiece(const brinkHullTree *tree, uint32_t slot) {
  const brinkHullTreeTriangle *record = brinkHullTree_TriangleRecord(tree, slot);
  return (brinkPiece){.kind = brink_piecePoints,
                      .count = record->count,
                      .vertices = record->vertices[0],
                      .vertexIds = record->ids,
                      .center = record->center,
                      .boundRadius = record->radius};
}

/* A blob that brinkCheckBlob accepts starts with its tree. Node 0 is the root. */
void brinkHullTree_Node(const brinkHullTree *tree, uint32_t index, brinkHullNode *out);
/* Triangle `slot` of the tree's order as a piece (1..3 distinct vertices), and its id in the mesh (may be NULL). */
brinkPiece brinkHullTree_Triangle(const brinkHullTree *tree, uint32_t slot, uint32_t *triangleId);
/* flags BRINK_MESH_* of the mesh it was cooked from. */
uint32_t brinkHullTree_Flags(const brinkHullTree *tree);
/* Exact mesh view (pointers into the blob). A mesh cooked as BRINK_MESH_CONVEX has the triangles of its hull. */
brinkMeshView brinkHullTree_Mesh(const brinkHullTree *tree);
/* Is p (shape frame) inside a closed mesh? Winding number by solid angles; on the surface: either. Open: false. */
bool brinkHullTree_Contains(const brinkHullTree *tree, brinkVec3 p);

/* ---- for cook.c and make_shape.c */
#define BRINK_BLOB_MAGIC 0x31306b6e69726221u /* "!brink01" */
#define BRINK_BLOB_VERSION 1u                /* raise it with every change of layout or meaning */
/* Fills the offsets from the counts; returns the blob's size. */
uint64_t brinkBlobLayout(brinkHullTree *tree);
/* Hash of the whole blob (tree->size bytes must be there) with the checksum field taken as 0. */
uint64_t brinkBlobChecksum(const brinkHullTree *tree);

#endif
