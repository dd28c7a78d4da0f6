/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_AFFINE_MOTION_H
#define BRINK_AFFINE_MOTION_H
/* First contact of bodies whose vertices move on straight lines, x(t) = (1-t) p0 + t p1: every simplex deforms affinely
 * with linearly interpolated matrices (singular ones too: nothing is inverted). Points, segments, triangles in any mix,
 * or the convex hull of all vertices. The other side may be such a body too, or an ordinary collider that links carry.
 *
 * Based on: separating direction that is a polynomial of time, theory D7.1 (there linear, with a curvature term;
 * here of degree <= 2 and exact, because the vertices move linearly): docs/theory.md, "Vertices on straight lines".
 * Units: m; step time t in [0,1]. Thread rule: one scratch, one thread. */
#include "advance.h"
#include "base.h"
#include "linear.h"
#include "shape.h"

/* Borrowed for the call. */
typedef struct brinkAffineBody {
  const double *start, *end; /* [vertexCount][3], at t = 0 and t = 1 */
  size_t vertexCount;
  const uint32_t *simplices; /* [simplexCount][3]; repeated ids make segments and points; not read when convex */
  size_t simplexCount;
  uint32_t flags; /* BRINK_MESH_SOLID: the simplices close a volume (inside counts as overlap at tStart);
                     BRINK_MESH_CONVEX: the body is the hull of its vertices at every t */
  double radius;  /* >= 0, m: swept by a sphere of this radius */
  double error;   /* >= 0, m: no true point of the body is further than this from where it is given, and back */
} brinkAffineBody;

typedef struct brinkAffineQuery {
  double tStart, tEnd;    /* 0 <= tStart <= tEnd <= 1 */
  double tolerance;       /* > 0, m: contact is a distance that has been realised to be at most this */
  uint64_t maxIterations; /* closest-point searches and box tests; 0 = 1,000,000 */
  bool prefixOnly;        /* only toi is wanted: a contact at tStart ends the search, whichever pair's */
} brinkAffineQuery;

/* result->toi of `free` is 2. result->distance when free: proven lower bound of the smallest distance (at most about
 * the tolerance for pairs of bodies with many simplices). pieceA, pieceB: simplices; features: vertex ids of the body.
 */
typedef struct brinkAffineScratch brinkAffineScratch;
brinkAffineScratch *brinkAffineScratch_Create(brinkContext *context);
void brinkAffineScratch_Destroy(brinkContext *context, brinkAffineScratch *scratch);

/* Finite coordinates within range, ids within range, something there, a solid without border: else a status and a
 * message that begins with `name`. */
brinkStatus brinkCheckAffineBody(brinkContext *context, const brinkAffineBody *body, const char *name);
brinkStatus brinkCheckAffineQuery(brinkContext *context, const brinkAffineQuery *query);
/* Bodies must have been checked. */
brinkStatus brinkAffine_FirstContact(brinkContext *context, brinkAffineScratch *scratch, const brinkAffineBody *a,
                                     const brinkAffineBody *b, const brinkAffineQuery *query, brinkPairResult *result);

/* The same against a collider that links carry (B), of any shape and under any motion. pieceB: triangle; features of B:
 * vertex ids of the shape (cylinders, support functions: none). affine_carried.c */
brinkStatus brinkAffine_FirstContactCarried(brinkContext *context, brinkAffineScratch *scratch,
                                            const brinkAffineBody *a, const brinkMotionTree *tree,
                                            const brinkCollider *b, const brinkAffineQuery *query,
                                            brinkPairResult *result);

/* Half the diagonal of the body's box at t = 0, plus its radius: what default tolerances are a fraction of. */
double brinkAffineBody_Size(const brinkAffineBody *body);
/* Largest |coordinate| of the body at both ends, plus its radius and error. */
double brinkAffineBody_Magnitude(const brinkAffineBody *body);
/* Arrays kept in the scratch between calls, for who makes bodies; old content is lost. */
brinkStatus brinkAffineScratch_Reserve(brinkContext *context, brinkAffineScratch *scratch, size_t doubleCount,
                                       double **doubles);

#endif
