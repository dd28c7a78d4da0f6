/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_OBB_TREE_H
#define BRINK_OBB_TREE_H
/* Wide (8) tree of oriented boxes over the triangles of a mesh, single precision, every box rounded outward so that it
 * contains the exact (double) triangles below it. Read-only.
 *
 * Tree frame: the mesh's frame moved to the middle of the mesh (`origin`), so that single precision is spent on the
 * mesh's size and not on where it stands. Built by cooking (cooking/box_tree.h), kept in the cooked blob.
 *
 * A box stands for two sets, both of which contain its triangles: the points with |axis_k . (x - center)| <= half_k,
 * and the points center + sum s_k axis_k with |s_k| <= half_k (float axes are orthogonal only to 2e-7, so these
 * differ). Triangles also lie within `radius` of the center.
 *
 * Layout: structure of arrays, one node = eight child boxes, so that one pass of the swept-axis kernel tests all eight.
 * Based on: Gottschalk, Lin, Manocha 1996; binned SAH (Wald 2007); measured choices: theory D8.1. */
#include "base.h"
#include "linear.h"
#include "shape.h"

#define BRINK_OBB_WIDTH 8
#define BRINK_OBB_LEAF_TRIANGLES 2u /* at most; measured best */
#define BRINK_OBB_EMPTY INT32_MIN   /* child of an unused lane */

typedef struct brinkObbNode {
  float center[3][BRINK_OBB_WIDTH];
  float axes[3][3][BRINK_OBB_WIDTH]; /* [axis][component][lane] */
  float half[3][BRINK_OBB_WIDTH];    /* unused lanes: hugely negative, so that they always test as separated */
  float radius[BRINK_OBB_WIDTH];     /* |half|, rounded up */
  int32_t child[BRINK_OBB_WIDTH];    /* >= 0 node; < 0 leaf ~(first * 2 + count - 1); BRINK_OBB_EMPTY */
} brinkObbNode;

typedef struct brinkObbBox { /* one box, for the role of the moving box */
  float center[3];
  float axes[3][3]; /* [axis][component] */
  float half[3];
  float radius;
  int32_t child;
} brinkObbBox;

typedef struct brinkObbTriangle {
  double vertices[3][3];   /* tree frame; off by half an ulp of themselves */
  float center[3], radius; /* tree frame: ball that contains the triangle, radius rounded up; 0 without a wide tree */
  uint32_t slot;           /* id of the triangle in the mesh */
  uint32_t reserved;
} brinkObbTriangle;

typedef struct brinkObbTree brinkObbTree;
struct brinkObbTree {
  uint32_t nodeCount, triangleCount;
  brinkVec3 origin; /* of the tree frame, mesh frame */
  brinkObbBox root; /* of the whole; child as in nodes */
  float scale;      /* no box's center is further from the origin, rounded up: for rounding slack */
  brinkObbNode *nodes;
  brinkObbTriangle *triangles;     /* leaf order */
  size_t nodeBytes, triangleBytes; /* of the two allocations; 0: a view of a cooked blob, which nobody writes */
};

static inline uint32_t brinkObbLeaf_First(int32_t child) { return (uint32_t)(~child) >> 1; }
static inline uint32_t brinkObbLeaf_Count(int32_t child) { return ((uint32_t)(~child) & 1u) + 1u; }

static inline float brinkUpFloat(double x) {
  float f = (float)x;
  return (double)f < x ? nextafterf(f, INFINITY) : f;
}

/* Box in single precision that contains a double box given by center, axes (rows) and half extents, when the points
 * meant are themselves known to `doubt` (m). scale: bound of |center| and |half|. */
brinkObbBox brinkMakeObbBox(brinkVec3 center, const brinkMat3 *axes, brinkVec3 half, double scale, double doubt);

#endif
