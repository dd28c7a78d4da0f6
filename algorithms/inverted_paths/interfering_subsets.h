/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INTERFERING_SUBSETS_H
#define BRINK_INTERFERING_SUBSETS_H
/* Which points of B meet A, and when? Samples of B's boundary (every boundary point lies within a stated distance of
 * one), grid points of its inside, or any points; each with all its intervals. Which points of space does a moving A
 * sweep?
 *
 * Based on: [INV] 2.2 eqs (7)-(11), 2.3, 2.4; folds: theory D5.2. Units: m; step time. */
#include "point_contacts.h"

#define BRINK_SUBSET_SLOTS 4u /* intervals of a point kept at once; who has more is asked again */

typedef struct brinkSamples {
  double *points;  /* [count][3], in the body's frame */
  uint32_t *faces; /* [count]; BRINK_NO_TRIANGLE: inside */
  size_t count, pointCapacity, faceCapacity;
  double spacing; /* every boundary point lies within this of a sample of its face, m */
} brinkSamples;

void brinkSamples_Free(brinkContext *context, brinkSamples *samples);
/* Appends points of every triangle: vertices always, and as many between as `spacing` (> 0) asks. brink_errorRange
 * above 2^26 points. */
brinkStatus brinkSamples_AddBoundary(brinkContext *context, const brinkInverseMesh *mesh, double spacing,
                                     brinkSamples *samples);
brinkStatus brinkSamples_AddPoint(brinkContext *context, const double p[3], uint32_t face, brinkSamples *samples);
/* Appends the points of a cubic grid of that pitch that are inside the solid. */
brinkStatus brinkSamples_AddInside(brinkContext *context, const brinkInverseMesh *mesh, double pitch,
                                   brinkSamples *samples);

typedef struct brinkPointSet {
  brinkContactInterval *intervals; /* of all points, in their order */
  size_t *starts;                  /* [pointCount + 1]: of point i from starts[i] to starts[i+1] */
  size_t pointCount, intervalCapacity, startCapacity;
  uint64_t cells; /* pieces of paths that were looked at */
} brinkPointSet;

void brinkPointSet_Free(brinkContext *context, brinkPointSet *set);
/* points: [count][3] in B's frame. Chunks of points are the tasks of `parallel`. */
brinkStatus brinkFindPointContacts(brinkContext *context, const brinkInverseTarget *a, const brinkMotionTable *table,
                                   const double *points, size_t count, const brinkPointQuery *query,
                                   const brinkParallel *parallel, brinkPointSet *set);
/* ---- adaptive: pieces of B's triangles as large as they may be */

typedef enum brinkPieceState {
  brink_pieceIn = 1,  /* all its points are in A at some time (an open A: cross it) */
  brink_pieceEdge = 2 /* as small as the spacing: some of its points may meet A, others not */
} brinkPieceState;

typedef struct brinkSubsetPiece {
  double corners[3][3]; /* in B's frame */
  uint32_t triangle, state;
  /* no point of it meets A before entryLower or after exitUpper. in: each enters first by entryUpper and is in last at
   * exitLower or later; edge: entryUpper = exitUpper, exitLower = entryLower */
  double entryLower, entryUpper, exitLower, exitUpper;
} brinkSubsetPiece;

typedef struct brinkPieceQuery {
  double spacing;       /* > 0, m: pieces with all points that near to one of theirs are not cut */
  double entrySpread;   /* > 0: pieces that are in, brackets of entry and exit no longer than this, are not cut */
  double timeTolerance; /* > 0 */
} brinkPieceQuery;

typedef struct brinkPieceSet { /* what lies in no piece never meets A: proven */
  brinkSubsetPiece *pieces;    /* [count] */
  double *centers;             /* [count][3]: a point of each, all of an edge piece's within `spacing` of it */
  uint32_t *faces;             /* [count]: the triangles again */
  size_t count, pieceCapacity, centerCapacity, faceCapacity;
  double spacing; /* of edge pieces, m; 0: there are none */
  size_t asked;   /* pieces and boxes of triangles that were looked at */
  uint64_t cells; /* pieces of paths for that */
} brinkPieceSet;

void brinkPieceSet_Free(brinkContext *context, brinkPieceSet *set);
/* The table is of B's motion in A's frame. brink_errorRange above 2^26 pieces. */
brinkStatus brinkFindPieces(brinkContext *context, const brinkInverseTarget *a, const brinkInverseMesh *b,
                            const brinkMotionTable *table, const brinkPieceQuery *query, const brinkParallel *parallel,
                            brinkPieceSet *set);
/* How many points brinkSamples_AddBoundary would make, vertices that no triangle has included. */
double brinkCountBoundary(const brinkInverseMesh *mesh, double spacing);

/* faces: [b->triangleCount]; the table is of the pair's motion. */
brinkStatus brinkFindFaceContacts(brinkContext *context, const brinkMeshPair *pair, const brinkMotionTable *table,
                                  double timeTolerance, const brinkParallel *parallel, brinkFaceContact *faces);
brinkStatus brinkFindImplicitFaceContacts(brinkContext *context, const brinkImplicitPair *pair,
                                          const brinkMotionTable *table, double timeTolerance,
                                          const brinkParallel *parallel, brinkFaceContact *faces);

/* Where is a point with respect to the volume swept by A, from its intervals in A? */
typedef enum brinkSweepSide {
  brink_sweepOut = 0,
  brink_sweepOn = 1, /* touched only, within rounding; of an open A: crossed */
  brink_sweepIn = 2
} brinkSweepSide;
typedef enum brinkSweepFold {
  brink_foldNone = 0,
  brink_foldBoundary = 1, /* inside once and touched at other times */
  brink_foldInside = 2    /* inside more than once: a hint of undercut */
} brinkSweepFold;
void brinkJudgeSweep(const brinkContactInterval *intervals, size_t count, bool solid, uint32_t *side, uint32_t *fold);

#endif
