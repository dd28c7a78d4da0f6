/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_GJK_H
#define BRINK_GJK_H
/* Distance of two convex pieces with witnesses, features and a proven lower bound at any early exit (gjk.c):
 *   lower = min_B n.y - max_A n.x  (rounded down, radii subtracted), valid for ANY n (theory D2.3).
 *   upper = distance of the two realised witness points (rounded up).
 * All in one common frame (the caller subtracts the pair's centre: poses are those of the pieces in that frame). */
#include "shape.h"

typedef struct brinkGjkCache { /* warm start; zero-initialised = cold */
  uint32_t count;              /* 0..4 */
  uint32_t indexA[4], indexB[4];
  brinkVec3 normal; /* last direction, common frame; (0,0,0) = none */
} brinkGjkCache;

typedef struct brinkGjkLimits {
  double relative; /* stop when upper - lower <= relative * upper; e.g. 1e-10 (accurate) or 0.3 (a direction will do) */
  double absolute; /* ... or <= absolute, m */
  double enoughLower;     /* stop as soon as lower >= this (INFINITY = never) */
  double enoughUpper;     /* stop as soon as upper <= this (negative = never) */
  uint32_t maxIterations; /* 0 = 64 */
} brinkGjkLimits;

typedef struct brinkSeparation {
  double lower;             /* proven lower bound of the signed separation along normal; may be < 0 */
  double upper;             /* proven upper bound of the distance; 0 when touching or overlapping */
  brinkVec3 normal;         /* unit (up to a few ulp), A to B, common frame */
  brinkVec3 pointA, pointB; /* witnesses on the surfaces (radii included), common frame */
  brinkGjkCache simplex;    /* vertices that carry the witnesses: features follow from them */
  uint32_t iterations;
  bool overlap; /* the pieces were found to touch or overlap (upper = 0); lower <= 0 then */
} brinkSeparation;

void brinkGjk(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
              const brinkGjkLimits *limits, const brinkGjkCache *warm, brinkSeparation *out);

/* Half-spaces whose normals are opposite up to this (rad: what rounding makes of turned frames) are parallel. Two
 * half-spaces that are not so overlap without a depth: lower = -INFINITY. */
#define BRINK_PARALLEL_PLANES 1e-12

/* Support gap along n (any length > 0), divided by |n|: proven lower bound of the separation along n. With a half-space
 * the gap is finite only for n within 1e-6 rad of its normal (A to B) and is taken along that normal itself; else
 * -INFINITY. */
double brinkCertifyGap(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                       brinkVec3 n);

/* A piece carried to the common frame: what costs a rotation per support query is rotated once. Borrows piece, pose. */
typedef struct brinkPlacedPiece {
  const brinkPiece *piece;
  const brinkRigid *pose;
  uint32_t few;        /* > 0: points[few] are all the vertices, common frame */
  uint32_t hint;       /* vertex the last support query ended at */
  brinkVec3 points[4]; /* box: centre and the three half axes, common frame */
} brinkPlacedPiece;
brinkPlacedPiece brinkPlacePiece(const brinkPiece *piece, const brinkRigid *pose);
/* Furthest point of the core along n (common frame, any length) and its index. Not for half-spaces. */
brinkVec3 brinkPlacedPiece_Support(brinkPlacedPiece *placed, brinkVec3 n, uint32_t *index);
/* max n.x over the core (no sweep); the exact maximum up to brinkPairRounding, no hill climbing that could stop. */
double brinkPlacedPiece_SupportValue(const brinkPlacedPiece *placed, brinkVec3 n);
/* Turns a unit normal (A to B) so that it is square to the edges and faces that it nearly is square to, where that
 * makes the support gap of the cores larger: a bound that is off by an angle times the length of a flat becomes exact.
 * Not for half-spaces. */
void brinkSharpenNormal(const brinkPlacedPiece *a, const brinkPlacedPiece *b, brinkVec3 *normal);
/* |poses| + extents of the two, m: what rounding is a fraction of. */
double brinkPairExtent(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB);
/* Bound of the rounding of any support value, gap or witness of the pair, m: 16 DBL_EPSILON of the extent (see gjk.c),
 * and what support functions state. */
double brinkPairRounding(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB);

/* Vertex, edge or face of each piece that carries the witness (from the simplex), as vertex ids of the mesh or shape.
 * kind = number of vertices: 1, 2, 3. A half-space is a face (3; ids 0), a cylinder has no vertices (0). Where the
 * witness lies on the diagonal of a box's face (or of a hull's face whose edges are known), the face is named. */
void brinkWitnessFeatures(const brinkPiece *a, const brinkPiece *b, const brinkSeparation *separation, uint32_t *kindA,
                          uint32_t verticesA[3], uint32_t *kindB, uint32_t verticesB[3]);

#endif
