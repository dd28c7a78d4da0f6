/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_COOKING_BOX_TREE_H
#define BRINK_COOKING_BOX_TREE_H
/* Binary tree of oriented boxes over the patches of a mesh, and below them over their triangles. A cooked mesh has two:
 * under its hulls, over convex patches; and folded into the wide tree, over single triangles, whose boxes are tighter
 * for not having to keep patches together.
 *
 * Numbering: the left child of node i is i + 1, the right one is i + 2 (triangles below the left one); a subtree of n
 * triangles has the 2 n - 1 numbers from its root's on, not all of them used. So subtrees are built by different tasks
 * into one array, and the tree is the same whoever built what.
 * Units: a power of two near the mesh's size; tree frame: the middle of the mesh is the origin. */
#include "obb_tree.h"
#include "surface.h"

typedef struct brinkBoxNode {
  brinkVec3 center, half; /* tree frame, units */
  uint64_t turn;          /* axes, see brinkTurn_Axes */
  uint32_t right;         /* 0: no children */
  uint32_t first, count;  /* triangles in `order` */
  uint32_t patches;       /* below; 0: a piece of one patch */
  uint32_t leaves;        /* of the wide tree, below or this one; of hulls' trees 0 */
  bool fitted;            /* center and half are a box; else half is a size, for choices */
} brinkBoxNode;

typedef struct brinkBoxTask { /* a subtree that is built on its own */
  uint32_t node, firstPatch, patchCount, depth;
} brinkBoxTask;

typedef struct brinkBoxTree {
  brinkContext *context;
  const uint32_t *indices;
  const brinkSurface *surface;
  uint32_t vertexCount, triangleCount, patchCount;
  brinkVec3 origin; /* of the tree frame, mesh frame */
  double unit;      /* m */
  double scale;     /* m: length of the mesh's longest side; 0 for a point */
  double *points;   /* [vertexCount][3] tree frame, units */
  uint32_t *order;  /* [triangleCount] ids, by leaves */
  brinkBoxNode *nodes;
  uint32_t *patchOrder, *patchScratch; /* [patchCount] */
  uint32_t *cornerStart, *corners;     /* vertices of each patch, once each */
  size_t cornerCapacity;
  void *boxes;    /* [patchCount] of the node at work */
  uint8_t *sides; /* [patchCount] */
  brinkBoxTask *tasks;
  size_t taskCount, taskCapacity;
  uint32_t taskTriangles; /* subtrees of at most so many are tasks */
  bool bare;              /* patches are single triangles, and nobody asks for the nodes below the wide tree's leaves */
} brinkBoxTree;

/* Memory, frame, and the top of the tree; what is left to build are the tasks. surface: of these triangles, borrowed.
 * Frees everything on failure. */
brinkStatus brinkStartBoxTree(brinkContext *context, const double *vertices, uint32_t vertexCount,
                              const uint32_t *indices, uint32_t triangleCount, const brinkSurface *surface,
                              brinkBoxTree *out);
/* Builds one task; tasks may run at the same time. */
void brinkBuildBoxTask(brinkBoxTree *tree, const brinkBoxTask *task);
void brinkFreeBoxTree(brinkBoxTree *tree);

/* Do coordinates and their products fit single precision? Else there is no wide tree. */
bool brinkBoxTree_FitsFloat(const brinkBoxTree *tree);
/* The wide tree of a built one; allocates its nodes and triangles. */
brinkStatus brinkMakeWideTree(brinkBoxTree *tree, brinkObbTree *out);
/* The whole way for a bare mesh, each triangle a patch of its own; obb_tree.h says what comes out. Meshes whose size
 * (from the middle) is not between 1e-9 and 1e9 m are brink_errorRange; one point is legal anywhere. */
brinkStatus brinkMakeObbTree(brinkContext *context, const double *vertices, size_t vertexCount, const uint32_t *indices,
                             size_t triangleCount, brinkObbTree *out);
void brinkFreeObbTree(brinkContext *context, brinkObbTree *tree);

/* Box of lane `reference` = node * 8 + lane; -1 = the root. */
static inline void brinkObbTree_Box(const brinkObbTree *tree, int32_t reference, brinkObbBox *out) {
  if (reference < 0) {
    *out = tree->root;
    return;
  }
  const brinkObbNode *node = &tree->nodes[(uint32_t)reference / BRINK_OBB_WIDTH];
  uint32_t lane = (uint32_t)reference % BRINK_OBB_WIDTH;
  for (int k = 0; k < 3; ++k) {
    out->center[k] = node->center[k][lane];
    out->half[k] = node->half[k][lane];
    for (int j = 0; j < 3; ++j) out->axes[j][k] = node->axes[j][k][lane];
  }
  out->radius = node->radius[lane];
  out->child = node->child[lane];
}

#endif
