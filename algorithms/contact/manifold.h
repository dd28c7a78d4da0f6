/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MANIFOLD_H
#define BRINK_MANIFOLD_H
/* Contact points of two placed shapes: all places where the surfaces are within `margin`, reduced to the deepest and
 * most spread few. Convex pairs: the two supporting features (vertex, edge, face) along the normal, clipped against
 * each other; meshes: the same for every pair of triangles (or triangle and piece) within margin, then merged.
 * Separations are signed for convex pairs; pairs with a mesh report positive distances, and crossings as depth along
 * the triangle's side the other body's centre lies on. */
#include "advance.h"

typedef struct brinkManifoldPoint {
  brinkVec3 position; /* midway, world */
  brinkVec3 normal;   /* unit, A to B */
  double separation;
  uint32_t featureKey;
} brinkManifoldPoint;

typedef struct brinkManifoldScratch brinkManifoldScratch;
brinkManifoldScratch *brinkManifoldScratch_Create(brinkContext *context);
void brinkManifoldScratch_Destroy(brinkContext *context, brinkManifoldScratch *scratch);

/* placeA, placeB: shape -> world. Up to capacity points (>= 1), deepest first; deterministic. */
brinkStatus brinkMakeManifold(brinkContext *context, brinkManifoldScratch *scratch, const brinkShape *a,
                              const brinkRigid *placeA, const brinkShape *b, const brinkRigid *placeB, double margin,
                              brinkManifoldPoint *points, size_t capacity, size_t *count);
/* Points of several manifolds of one pair of bodies: moves the deepest and most spread `capacity` of them to the front,
 * deepest first. Returns how many these are. */
size_t brinkReduceManifold(brinkManifoldPoint *points, size_t count, size_t capacity);

#endif
