/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_LINEAR_BODIES_H
#define BRINK_LINEAR_BODIES_H
/* First contact of bodies whose vertices move on straight lines during the step: cloth, soft bodies, and every affine
 * motion with linearly interpolated matrices, x(t) = ((1-t) M0 + t M1) x + (1-t) b0 + t b1. M may be singular, nothing
 * is inverted. An extension: `const brinkLinearTable *linear = plugin->getExtension(BRINK_LINEAR_NAME)`; NULL = not in
 * this build.
 *
 * A world is asked for its allocator, its lastError and its scratch memory; the bodies are not part of it and nothing
 * is kept of them. Errors and thread rule as in brink/ccd.h: [world]. Pairs within one body are not tested. What an
 * answer means: brinkPairState in brink/types.h; touching counts; nothing is free without a proof. */
#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_LINEAR_NAME "brink.linear/1"

/* x -> m x + b; m row-major, any finite numbers. */
typedef struct brinkAffineMap {
  double m[9];
  brinkVec3 b; /* m */
} brinkAffineMap;

/* Points, segments and triangles in any mix. Two ways to say how it moves:
 *   vertices1 given: vertices0 and vertices1 are the places at t = 0 and t = 1, taken as exact;
 *   vertices1 NULL:  vertices0 are the body's own coordinates, and the motion is map0 at t = 0, map1 at t = 1. The
 * rounding of M x + b is bounded and counted against every answer. */
typedef struct brinkLinearBody {
  uint32_t structSize;
  uint32_t flags;          /* BRINK_MESH_SOLID: the triangles close a volume, what is inside at tStart overlaps;
                              BRINK_MESH_CONVEX: the hull of its vertices at every t, simplices not read */
  const double *vertices0; /* [vertexCount][3], m; borrowed for the call, as all pointers here */
  const double *vertices1; /* [vertexCount][3], m; or NULL */
  size_t vertexCount;
  const uint32_t *simplices; /* [simplexCount][3], from 0; (i,i,i) is a point, (i,j,j) a segment */
  size_t simplexCount;
  double radius;             /* >= 0, m: swept by a sphere of this radius */
  brinkAffineMap map0, map1; /* read when vertices1 is NULL */
} brinkLinearBody;

typedef struct brinkLinearQuery {
  uint32_t structSize;
  uint32_t flags;         /* 0 */
  double tStart, tEnd;    /* 0 <= tStart <= tEnd <= 1 */
  double tolerance;       /* m, > 0: contact is a distance that was realised at most this; 0 = 1e-6 of the size of the
                             smaller one. Size: half of the diagonal of a body's box at t = 0, and its radius */
  uint64_t maxIterations; /* work budget; 0 = 1,000,000; spent: unresolved with the proven prefix */
} brinkLinearQuery;

typedef struct brinkLinearContact {
  uint32_t structSize;
  uint32_t state;       /* brinkPairState */
  double toi, toiUpper; /* proven apart on [tStart, toi); contact known in [tStart, toiUpper]; free: both BRINK_NO_TIME;
                           unresolved: toiUpper may be BRINK_NO_TIME */
  double distance; /* hit, overlap: at toi (overlap of convex pieces: <= 0); free: proven lower bound of the smallest
                      distance (for bodies of many simplices at most about the tolerance); unresolved: 0 */
  brinkVec3 pointA, pointB;        /* witness points at toi, world; 0 when free or unresolved */
  brinkVec3 normal;                /* unit, A to B */
  double normalVelocity;           /* d(distance)/dt at toi along normal, m per step; < 0 approaching */
  brinkFeature featureA, featureB; /* vertex ids of the body (of the collider's shape) */
  uint64_t simplexA, simplexB;     /* which simplices; 0 for convex bodies */
  uint64_t iterations;
} brinkLinearContact;

typedef struct brinkLinearTable {
  uint32_t structSize;
  uint32_t reserved;
  /* First contact of two linear bodies. */
  brinkStatus (*firstContact)(brinkWorld *world, const brinkLinearBody *a, const brinkLinearBody *b,
                              const brinkLinearQuery *query, brinkLinearContact *out);
  /* A linear body (A) against a collider of the world (B) under the motion last set for its body, whatever chain it
   * hangs on. Categories and filters do not apply. */
  brinkStatus (*firstContactWithCollider)(brinkWorld *world, const brinkLinearBody *a, brinkColliderId b,
                                          const brinkLinearQuery *query, brinkLinearContact *out);
} brinkLinearTable;

#ifdef __cplusplus
}
#endif
#endif
