/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INVERSE_PATH_H
#define BRINK_INVERSE_PATH_H
/* All contacts of two bodies that move by affine motions (deforming ones too), not only the first; which parts of them
 * meet, from when to when; and what a moving body sweeps. By inverted trajectories: a point of B is followed in A's
 * frame. An extension: `const brinkInverseTable *inverse = plugin->getExtension(BRINK_INVERSE_PATH_NAME)`; NULL = not
 * in this build.
 *
 * Nothing is sampled in time: every interval is proven, its ends are bracketed, and what could not be proven (touching
 * within rounding, work ended) says so. A world is asked for its allocator, its lastError and memory for the answers;
 * bodies and motions are not part of it and nothing is kept of them. All pointers in are borrowed for the call, all
 * pointers out are world-owned until the next call of this table on the same world. Errors (out untouched) and thread
 * rule as in brink/ccd.h: [world]. Units: m, rad, step time t in [0,1].
 *
 * Based on: Ilies et al., collision and interference detection by inverted trajectories and set membership
 * classification; docs/theory.md, "Inverted trajectories". */
#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_INVERSE_PATH_NAME "brink.inverse-path/1"

/* ---- motions: products of factors, the first is the outermost: x -> F1(t) F2(t) .. x. No factors: rest. */
typedef enum brinkInverseFactorKind {
  brink_inversePolynomial = 1, /* sum t^k C_k; matrices: [count][3][4] = C_0 .. C_(count-1), count 1..9 */
  brink_inverseRotation = 2,   /* about axis through the origin by sum angle[k] t^k, rad */
  brink_inverseBezier = 3,     /* rational Bezier; matrices: [count][4][4], weights: [count] > 0 or NULL; count 1..9 */
  /* interpolated; matrices: [count][4][4], times: [count], from 0 to 1, 1e-6 apart at least. Two keys or more; each is
     regular, and none is mirrored against the first */
  brink_inverseKeys = 4
} brinkInverseFactorKind;

/* How keys are joined. */
typedef enum brinkInverseBlend {
  brink_inverseLinear = 0, /* entries, C0 */
  brink_inverseCubic = 1,  /* entries, C1 (Catmull-Rom) */
  /* rotation at constant angular velocity, the shorter way; translation and stretch C1. Not of mirrored keys */
  brink_inversePolar = 2
} brinkInverseBlend;

typedef struct brinkInverseFactorDef {
  uint32_t structSize;
  uint32_t kind;  /* brinkInverseFactorKind */
  uint32_t blend; /* brinkInverseBlend */
  uint32_t reserved;
  const double *matrices; /* row-major; of 4x4 the last row is 0 0 0 1 */
  const double *weights;
  const double *times;
  size_t count;
  brinkVec3 axis;
  double angle[4];
} brinkInverseFactorDef;

/* The matrix is regular at every t, else brink_errorBadValue with the time. Only open meshes may be flattened, in
 * contactIntervals and allContactIntervals, against meshes: their polynomials and Beziers may be singular at any or at
 * all t. */
typedef struct brinkInverseMotionDef {
  uint32_t structSize;
  uint32_t reserved;
  const brinkInverseFactorDef *factors;
  size_t factorCount;
} brinkInverseMotionDef;

/* ---- bodies */
typedef enum brinkInverseBodyKind {
  /* mesh; BRINK_MESH_SOLID: closed, has an inside; else an open surface. Repeated ids make segments (i,j,j) and points
   * (i,i,i) */
  brink_inverseMesh = 1,
  /* rational Bezier patches. contactIntervals asks the patches themselves; the other questions ask triangles within
   * patchError of them, which every answer counts in */
  brink_inversePatches = 2,
  brink_inverseImplicit = 3, /* the solid F <= 0, F known by bounds over boxes; never sampled */
  brink_inverseSplines = 4   /* rational B-spline surfaces: as patches, one for each pair of their spans */
} brinkInverseBodyKind;

/* out[0] <= F(x) <= out[1] for all x of the box, rounding included. Pure; on any thread while a call with `run` lasts.
 */
typedef void (*brinkInverseBoundFunction)(void *user, const double low[3], const double high[3], double out[2]);

/* out[k][0] <= dF/dx_k <= out[k][1] wherever F has a gradient in the box; F Lipschitz there (max and min of smooth
 * functions are: the hull of what may apply). Pure, any thread, boundUser as for bound. */
typedef void (*brinkInverseGradientFunction)(void *user, const double low[3], const double high[3], double out[3][2]);

/* Control points as x y z weight (weight > 0, x y z not multiplied), [rows][columns]. */
typedef struct brinkInversePatch {
  uint32_t rows, columns; /* 2..9 */
  const double *controls; /* [rows][columns][4] */
} brinkInversePatch;

/* A rational B-spline surface. Knots ascend; the surface is that over [knotsU[degreeU], knotsU[rows]] x the same of v,
 * clamped or not; inside, a knot is there degree times at most. */
typedef struct brinkInverseSpline {
  uint32_t degreeU, degreeV; /* 1..8 */
  uint32_t rows, columns;    /* degree + 1 at least */
  const double *knotsU;      /* [rows + degreeU + 1] */
  const double *knotsV;      /* [columns + degreeV + 1] */
  const double *controls;    /* [rows][columns][4], as of patches */
} brinkInverseSpline;

typedef struct brinkInverseBodyDef {
  uint32_t structSize;
  uint32_t kind;      /* brinkInverseBodyKind */
  brinkMeshView mesh; /* mesh; patches, splines: flags only (BRINK_MESH_SOLID: they close) */
  const brinkInversePatch *patches;
  size_t patchCount;
  double patchError; /* > 0, m; 0 = 1e-3 of the largest extent. Coarser triangles, wider brackets of points and faces */
  brinkInverseBoundFunction bound;
  void *boundUser;
  brinkAabb boundBox; /* holds {F <= 0} */
  const brinkInverseSpline *splines;
  size_t splineCount;
  /* implicit: NULL = not known. With it contactIntervals brackets ends within timeTolerance; without, a smooth contact
   * of whole bodies about as closely as a ten-thousandth of the time (what cannot be told is said to be open) */
  brinkInverseGradientFunction gradient;
} brinkInverseBodyDef;

typedef struct brinkInverseSceneDef {
  uint32_t structSize;
  uint32_t reserved;
  brinkInverseBodyDef a, b;
  brinkInverseMotionDef motionA, motionB;
} brinkInverseSceneDef;

/* Runs task(data, 0) .. task(data, count - 1) in any order on any threads, returns when all are done. The answers do
 * not depend on it. */
typedef void (*brinkInverseRun)(void *user, size_t count, void (*task)(void *data, size_t index), void *data);

enum {
  BRINK_INVERSE_SWAP = 1u << 0,      /* interference: sample A and follow its points in B */
  BRINK_INVERSE_TRIANGLES = 1u << 1, /* patches: the answers are those of their triangulation, taken as exact; its error
                                        is told, not counted in */
  /* interference: sample B. With neither: the more complex body is sampled and followed in the simpler one, that is the
   * one of more triangles (B when equal), never an implicit solid; sampledBody tells. Both, or to sample an implicit
   * solid: brink_errorBadValue. Hosts whose brinkInverseSubset ends before sampledBody get B */
  BRINK_INVERSE_SAMPLE_B = 1u << 2,
  /* interference: pieces of triangles as large as they may be instead of samples everywhere; see brinkInversePiece */
  BRINK_INVERSE_ADAPTIVE = 1u << 3
};

typedef struct brinkInverseQuery {
  uint32_t structSize;
  uint32_t flags;       /* BRINK_INVERSE_* */
  double tStart, tEnd;  /* 0 <= tStart < tEnd <= 1 */
  double timeTolerance; /* > 0; 0 = 1e-9: how short the bracket of an end shall be */
  /* interference: > 0, m: every boundary point has a sample that near; 0 = 1/40 of the largest extent */
  double spacing;
  double insidePitch;  /* interference: > 0, m: also points of the inside, on a grid of this pitch; 0 = none */
  brinkInverseRun run; /* NULL: one after the other */
  void *runUser;
  /* contactIntervals: >= 0, m: what stays this near, and is neither proven apart nor in contact, is told as
   * BRINK_INVERSE_NEAR and not cut on; 0 = what rounding alone can be off. Structs that end before this are understood
   */
  double nearDistance;
  /* adaptive: > 0, step time: how long the brackets of entry and exit of a piece may be; 0 = 1/8 of tEnd - tStart */
  double entrySpread;
} brinkInverseQuery;

/* ---- answers */
enum {
  /* Contact is proven from startUpper to endLower (crossing of an open surface: proven to happen in [startLower,
   * endUpper]); else it is open whether there is contact in [startLower, endUpper]. */
  BRINK_INVERSE_PROVEN = 1u << 0,
  BRINK_INVERSE_AT_START = 1u << 1, /* it holds at tStart already */
  BRINK_INVERSE_AT_END = 1u << 2,   /* it holds at tEnd still */
  /* Not proven, but from startUpper to endLower the bodies are proven to stay within nearDistance of each other: they
   * touch or slide along each other, as far as can be told. In between: openInside. */
  BRINK_INVERSE_NEAR = 1u << 3,
  /* With PROVEN: contact is proven to happen at some time of [startLower, endUpper], an instant maybe: what has no
   * inside passes through (a point a triangle, a segment a segment). startUpper = endUpper, endLower = startLower. */
  BRINK_INVERSE_CROSSING = 1u << 4
};

typedef struct brinkInverseInterval {
  double startLower, startUpper; /* it begins in here */
  double endLower, endUpper;     /* it ends in here */
  uint32_t flags;                /* BRINK_INVERSE_PROVEN ... */
  uint32_t openInside;           /* gaps between startUpper and endLower that are not proven like the rest */
  /* triangles that meet near the start; contactIntervals of patches or splines themselves: patches, splines;
   * UINT32_MAX: unknown */
  uint32_t startA, startB;
  uint32_t endA, endB; /* and near the end; points and implicit bodies: 0 */
} brinkInverseInterval;

typedef struct brinkInverseIntervals {
  uint32_t structSize;
  uint32_t reserved;
  const brinkInverseInterval *intervals; /* [count], in order of time */
  size_t count;
  uint64_t cells;   /* of time that were looked at */
  double openTotal; /* step time that is open, the brackets of all ends among it */
  double error;     /* patches: proven bound of the distance to their triangulations, m; the larger of both bodies' */
} brinkInverseIntervals;

typedef struct brinkInversePoint {
  brinkVec3 position; /* in its body's frame */
  uint32_t face;      /* triangle it samples; UINT32_MAX: a point of the inside, or the caller's */
  uint32_t intervalCount;
  size_t firstInterval;   /* in intervals */
  double entry, exit;     /* first start and last end (middles of the brackets); no interval: 2 and -1 */
  brinkVec3 entryOnOther; /* where it is at entry and exit, in the other body's frame */
  brinkVec3 exitOnOther;
} brinkInversePoint;

typedef struct brinkInverseFace {
  uint32_t triangle;
  uint32_t proven;                                     /* 1: contact is proven; 0: only touching within rounding */
  double entryLower, entryUpper, exitLower, exitUpper; /* first and last touch of the whole triangle */
} brinkInverseFace;

/* A piece of a triangle of the sampled body, with BRINK_INVERSE_ADAPTIVE. What lies in no piece never meets the other
 * body: proven. No point of a piece does before entryLower or after exitUpper. in: all its points are inside at some
 * time (an open body: cross it). Each is first between entryLower and entryUpper and last between exitLower and
 * exitUpper. Else all its points are within `spacing` of its sample, one of `points` if that meets the other body. */
typedef struct brinkInversePiece {
  uint32_t triangle;
  uint32_t in; /* 1 or 0 */
  double corners[3][3];
  double entryLower, entryUpper, exitLower, exitUpper;
} brinkInversePiece;

/* The interfering subset of one body. */
typedef struct brinkInverseSubset {
  uint32_t structSize;
  uint32_t reserved;
  const brinkInversePoint *points; /* [pointCount]: those that meet the other body; interference: only these */
  size_t pointCount;
  const brinkInverseInterval *intervals; /* [intervalCount] */
  size_t intervalCount;
  const brinkInverseFace *faces; /* [faceCount]: triangles that meet it; interference only, and not
                                    with an implicit body whose gradient is not known */
  size_t faceCount;
  size_t asked; /* points followed */
  /* m, proven: every boundary point lies within this of a sample (of the triangulation for patches); adaptive: every
   * point of a piece that is not in, 0 when there are none */
  double spacing;
  const double *vertices; /* [vertexCount][3]: the sampled body's triangulation, for drawing */
  const uint32_t *triangles;
  size_t vertexCount, triangleCount;
  double error; /* as in brinkInverseIntervals */
  /* Structs that end here are understood */
  uint32_t sampledBody; /* interference: 0 = A, 1 = B */
  uint32_t reserved2;
  const brinkInversePiece *pieces; /* [pieceCount]: adaptive; NULL */
  size_t pieceCount;
  size_t piecesAsked; /* adaptive: pieces and boxes of triangles that were looked at */
  size_t everywhere;  /* adaptive: points that samples everywhere at this spacing would be */
  uint64_t pathCells; /* pieces of paths that were looked at, for points and pieces */
} brinkInverseSubset;

typedef enum brinkInverseSide { brink_inverseOut = 0, brink_inverseOn = 1, brink_inverseIn = 2 } brinkInverseSide;
typedef enum brinkInverseFold {
  brink_inverseNoFold = 0,
  brink_inverseFoldBoundary = 1, /* inside once and touched at another time */
  brink_inverseFoldInside = 2    /* inside several times: a hint of undercut */
} brinkInverseFold;

typedef struct brinkInverseMembership {
  uint32_t side;      /* brinkInverseSide; on: touched only, within rounding (open bodies: crossed) */
  uint32_t fold;      /* brinkInverseFold */
  double entry, exit; /* first and last time; out: BRINK_NO_TIME and -1 */
} brinkInverseMembership;

/* The solid part of the sampled body that meets the other one at some time. It is made of tetrahedra (Delaunay) between
 * points of it that do. Each centre lies in the body and is proven to meet the other. Between the points nothing is
 * asked: an estimate, smaller than the subset by about the points' distance all around. With SWAP and SAMPLE_B both
 * bodies' subsets are had, the interior included ([INV] 2.3 and section 3). */
typedef struct brinkInverseSolid {
  uint32_t structSize;
  uint32_t sampledBody; /* 0 = A, 1 = B */
  const double *points; /* [pointCount][3], in the sampled body's frame */
  size_t pointCount;
  const uint32_t *tetrahedra; /* [tetrahedronCount][4], ids of points */
  size_t tetrahedronCount;    /* 0: none was found */
  const uint32_t *faces;      /* [faceCount][3]: the closed surface of them all, outward */
  size_t faceCount;
  double volume;  /* m3, of the tetrahedra */
  double spacing; /* m, proven: every boundary point of the body lies within this of a sample */
  size_t asked;   /* points and centres followed */
  double error;   /* as in brinkInverseIntervals */
} brinkInverseSolid;

/* A corner of such a polygon. */
typedef struct brinkInversePathVertex {
  double t;           /* step time */
  brinkVec3 position; /* in the other body's frame */
} brinkInversePathVertex;

/* One part of a sample's inverted trajectory: where it is in the other body. */
typedef struct brinkInversePath {
  brinkVec3 sample;                /* in the sampled body's frame */
  uint32_t face;                   /* triangle it samples; UINT32_MAX: a point of the inside */
  uint32_t flags;                  /* BRINK_INVERSE_*, of its interval */
  size_t firstVertex, vertexCount; /* one vertex: it only crosses */
} brinkInversePath;

/* The bundle of these parts: the subset of the other body that the sampled one meets ([INV] eq. 8). Vertices of all
 * paths stand at the same times, but for each path's ends. */
typedef struct brinkInversePaths {
  uint32_t structSize;
  uint32_t sampledBody;                   /* 0 = A, 1 = B */
  const brinkInversePath *paths;          /* [pathCount], by sample, then by time */
  size_t pathCount;                       /* 0: none was found */
  const brinkInversePathVertex *vertices; /* [vertexCount] */
  size_t vertexCount;
  double deviation; /* m, proven: at no time is a sample farther from its chord; paths without PROVEN may be open */
  double spacing;   /* m, proven: as in brinkInverseSolid */
  size_t asked;     /* samples followed */
  double error;     /* as in brinkInverseIntervals */
} brinkInversePaths;

/* ---- many objects at once */
typedef struct brinkInverseObjectDef {
  uint32_t structSize;
  uint32_t group;           /* objects of one group are not asked about each other: parts of an assembly. 0 = of none */
  brinkInverseBodyDef body; /* as of a scene */
  brinkInverseMotionDef motion; /* in the world */
} brinkInverseObjectDef;

/* What allContactIntervals is asked about. */
typedef struct brinkInverseAssemblyDef {
  uint32_t structSize;
  uint32_t reserved;
  const brinkInverseObjectDef *objects; /* [objectCount] */
  size_t objectCount;                   /* any number */
} brinkInverseAssemblyDef;

/* Two objects that meet, or of which that is open. */
typedef struct brinkInverseMeeting {
  uint32_t a, b;                       /* a < b, numbers of objects; intervals name triangles of a, then of b */
  size_t firstInterval, intervalCount; /* of brinkInverseMeetings.intervals */
  double openTotal;                    /* step time that is open */
  double error;                        /* as in brinkInverseIntervals */
  uint64_t cells;                      /* work */
} brinkInverseMeeting;

/* What allContactIntervals answers. */
typedef struct brinkInverseMeetings {
  uint32_t structSize;
  uint32_t reserved;
  const brinkInverseMeeting *meetings;   /* [count], by a, then b; all other pairs are proven apart */
  size_t count;                          /* of meetings */
  const brinkInverseInterval *intervals; /* [intervalCount] */
  size_t intervalCount;
  uint64_t pairs, asked; /* pairs that groups allow; of them what boxes left to ask */
  uint64_t cells;        /* work */
} brinkInverseMeetings;

typedef struct brinkInverseTable {
  uint32_t structSize;
  uint32_t reserved;
  /* All contact intervals of the two whole bodies (meshes, patches, splines), to the tolerance. */
  brinkStatus (*contactIntervals)(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                                  brinkInverseIntervals *out);
  /* points[count][3] of B's frame: when each is in A (crosses A, when that is open). All are reported. */
  brinkStatus (*pointContacts)(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                               const double *points, size_t count, brinkInverseSubset *out);
  /* The interfering subset of the body that is sampled. */
  brinkStatus (*interference)(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                              brinkInverseSubset *out);
  /* points[count][3] of the world: in, on or out of what A sweeps; out: [count]. b and motionB of the scene are not
   * read. */
  brinkStatus (*sweepMembership)(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                                 const double *points, size_t count, brinkInverseMembership *out);
  /* Tables that end here are of an older build: see structSize. */
  /* The interfering subset as a solid; query->insidePitch: 0 = the spacing, or wider: no more points than on the
   * boundary. The sampled body is closed, else brink_errorNotClosed; BRINK_INVERSE_ADAPTIVE is refused. */
  brinkStatus (*interferingSolid)(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                                  brinkInverseSolid *out);
  /* The paths of the samples within the other body, as polygons. deviation: > 0, m; 0 = an eighth of the spacing.
   * BRINK_INVERSE_ADAPTIVE is refused. */
  brinkStatus (*innerPaths)(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                            double deviation, brinkInversePaths *out);
  /* contactIntervals of each pair of many objects. Boxes over parts of the time leave out who cannot meet ([INV] 2.4).
   * query: flags TRIANGLES alone. */
  brinkStatus (*allContactIntervals)(brinkWorld *world, const brinkInverseAssemblyDef *assembly,
                                     const brinkInverseQuery *query, brinkInverseMeetings *out);
} brinkInverseTable;

#ifdef __cplusplus
}
#endif
#endif
