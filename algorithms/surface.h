/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SURFACE_H
#define BRINK_SURFACE_H
/* Convex surface decomposition: the triangles of a mesh, partitioned into connected patches each of which lies on its own
 * convex hull. Non-manifold, open and degenerate input is legal; a single triangle is a legal patch.
 * Based on: Ehmann and Lin 2001 as used by [CATCH] Sec. 4. Also finds: closed, manifold, adjacency. */
#include "base.h"
#include "linear.h"

typedef struct brinkSurface {
  uint32_t patchCount;
  uint32_t *patchStart;     /* [patchCount + 1] */
  uint32_t *patchTriangles; /* [triangleCount] triangle ids grouped by patch */
  bool closed, manifold;
  uint32_t degenerateCount;
} brinkSurface;

brinkStatus brinkDecomposeSurface(brinkContext *context, const double *vertices, uint32_t vertexCount,
                                  const uint32_t *indices, uint32_t triangleCount, uint32_t maxPatchTriangles,
                                  brinkSurface *out);
void brinkFreeSurface(brinkContext *context, brinkSurface *surface, uint32_t triangleCount);

#endif
