/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_FITTED_TREE_H
#define BRINK_FITTED_TREE_H
/* Binary tree over a mesh's triangles for long searches: its hulls stick out of the surface as little as can be. The
 * tree of a blob is cut along boxes, so that its hulls reach across grooves; this one is merged upward from the
 * triangles, neighbours first whose common hull bulges least out in front of the surface. A thread becomes bands along
 * the thread, which slide past each other as close as the surfaces do. Every node's piece contains all triangles below
 * it, whatever the mesh: bounds from it are proven, how tight they are is a matter of luck.
 *
 * Based on: hierarchies by merging, cheapest first (as of convex decompositions); the measure OWN. Units: m, shape
 * frame. */
#include "shape.h"
#include "hull_tree.h"

#define BRINK_FITTED_WORK 6 /* blocks of memory for the build */

typedef struct brinkFittedNode { /* do not copy out: the piece points into the tree */
  brinkPiece piece;
  double hides;      /* about how much more room there may be than the hull tells, m: what opening it may gain */
  uint32_t child[2]; /* of nodes from triangleCount on; below that node i is the triangle in slot i */
} brinkFittedNode;

/* Zero-initialised = empty. Memory is kept from mesh to mesh. */
typedef struct brinkFittedTree {
  brinkFittedNode *nodes;
  uint32_t nodeCount, triangleCount; /* the root is the last; 0 nodes: there is no tree */
  double *vertices, *columns;        /* largest_product.h */
  uint32_t *ids;
  void *work[BRINK_FITTED_WORK];
  size_t nodeCapacity, vertexCapacity, columnCapacity, idCapacity, workCapacity[BRINK_FITTED_WORK];
} brinkFittedTree;

/* radius: swept around every piece. No nodes where the triangles share too few edges for surfaces to be followed. */
brinkStatus brinkFittedTree_Make(brinkContext *context, const brinkHullTree *tree, double radius, brinkFittedTree *out);
void brinkFittedTree_Free(brinkContext *context, brinkFittedTree *tree);

#endif
