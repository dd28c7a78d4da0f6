/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_HULL_TREE_H
#define BRINK_HULL_TREE_H
/* Binary tree of convex hulls over the convex patches of a mesh; below a leaf's hull stand its triangles, the exact
 * geometry. A node's hull contains everything below it. Lives inside a cooked blob (offsets, no pointers), so a blob can be
 * used where it lies.
 * Based on: [CATCH] Sec. 4 and 7.2; Ehmann and Lin 2001. */
#include "brink/cook.h"
#include "shape.h"

struct brinkHullTree; /* opaque: header of the blob */

typedef struct brinkHullNode {
  brinkPiece hull;      /* convex piece that contains the node (vertices inside the blob) */
  brinkObb obb;         /* oriented box of the node, shape frame */
  int32_t left, right;  /* children, -1 for a leaf */
  uint32_t firstTriangle, triangleCount; /* leaf: range in the tree's triangle order */
} brinkHullNode;

/* The tree inside a checked blob; NULL when the blob is not one. */
const brinkHullTree *brinkHullTree_FromBlob(const void *blob, size_t blobSize);
uint32_t brinkHullTree_NodeCount(const brinkHullTree *tree); /* node 0 is the root */
void brinkHullTree_Node(const brinkHullTree *tree, uint32_t index, brinkHullNode *out);
/* Cheap access for culling, no piece made. */
bool brinkHullTree_IsLeaf(const brinkHullTree *tree, uint32_t index);
uint32_t brinkHullTree_TriangleCount(const brinkHullTree *tree);
/* Triangle `slot` of the tree's order as a piece (1..3 distinct vertices), and its id in the mesh. */
brinkPiece brinkHullTree_Triangle(const brinkHullTree *tree, uint32_t slot, uint32_t *triangleId);
/* flags BRINK_MESH_* of the mesh it was cooked from. */
uint32_t brinkHullTree_Flags(const brinkHullTree *tree);
/* Exact mesh view (pointers into the blob). */
brinkMeshView brinkHullTree_Mesh(const brinkHullTree *tree);
/* Is p (shape frame) inside a closed mesh? Winding number by solid angles; points on the surface: either. Open: false. */
bool brinkHullTree_Contains(const brinkHullTree *tree, brinkVec3 p);

#endif
