/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SURFACE_H
#define BRINK_SURFACE_H
/* Convex surface decomposition: the triangles of a mesh, partitioned into connected patches each of which lies on its
 * own convex hull, up to BRINK_FLAT_TOLERANCE. Non-manifold, open and degenerate input is legal; a single triangle is a
 * legal patch. Also finds: closed, manifold.
 * Based on: Ehmann and Lin 2001 as used by [CATCH] Sec. 4. */
#include "base.h"
#include "linear.h"

/* A vertex may stand this far above a patch triangle's plane, as a fraction of the mesh's largest |coordinate|: about
 * the rounding of files in single precision, so that flat and smoothly convex regions are not torn apart by it. Costs
 * tightness of hulls only, never containment: a patch's hull is that of its vertices, and contact is decided on
 * triangles. */
#define BRINK_FLAT_TOLERANCE 0x1p-22

typedef struct brinkSurface {
  uint32_t patchCount;
  uint32_t *patchStart;     /* [patchCount + 1] */
  uint32_t *patchTriangles; /* [triangleCount] triangle ids grouped by patch, ascending inside a patch */
  bool closed, manifold;    /* closed: every edge is run as often one way as the other;
                               triangles that are points or segments take no part; manifold: no edge has more than two */
  uint32_t degenerateCount; /* triangles whose corners lie on one line or coincide; each is its own patch */
} brinkSurface;

/* indices must be in range, vertices finite. maxPatchTriangles >= 1. */
brinkStatus brinkDecomposeSurface(brinkContext *context, const double *vertices, uint32_t vertexCount,
                                  const uint32_t *indices, uint32_t triangleCount, uint32_t maxPatchTriangles,
                                  brinkSurface *out);
void brinkFreeSurface(brinkContext *context, brinkSurface *surface, uint32_t triangleCount);

/* welded[v] = lowest vertex with the same position, bit for bit (0 and -0 are the same). */
brinkStatus brinkWeldVertices(brinkContext *context, const double *vertices, uint32_t vertexCount, uint32_t *welded);

#endif
