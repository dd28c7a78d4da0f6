/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ADVANCE_H
#define BRINK_ADVANCE_H
/* Conservative advancement of one pair of colliders, resumable: state in, state out. Walks to the brink of the event
 * and never past it.
 *
 * Non-convex shapes: pairs of hull-tree nodes are proven free for a prefix of the interval along one direction each;
 * what cannot be proven to the end descends to children and finally to triangles, each child starting at its parent's
 * proven time (temporal culling inside the pair). Steps are per pair of convex pieces, as n must separate whole pieces.
 * Based on: [CATCH] Sec. 3.3, 6, Algorithm 1 lines 10-20; theory D2.3-D2.4. */
#include "hull_tree.h"
#include "motion_tree.h"
#include "motion_bound.h"

/* What work costs, in node tests of the swept axes (measured: test_spins --times). */
#define BRINK_EFFORT_DISTANCE 16u /* of the swept axes */
#define BRINK_EFFORT_INTERVAL 8u  /* one filled */
#define BRINK_EFFORT_STEP 32u     /* a node pair's, of the paper's scheme */

/* One side of a pair. */
typedef struct brinkCollider {
  const brinkShape *shape;
  brinkRigid local; /* shape -> link frame (world when link = -1) */
  int32_t link;     /* index into the motion tree, -1 = static */
} brinkCollider;

typedef struct brinkAdvanceWork { /* counters, added to */
  uint64_t distanceQueries, advancements, nodePairs;
} brinkAdvanceWork;
static inline void brinkAdvanceWork_Add(brinkAdvanceWork *sum, const brinkAdvanceWork *more) {
  sum->distanceQueries += more->distanceQueries;
  sum->advancements += more->advancements;
  sum->nodePairs += more->nodePairs;
}

/* Pairs of pieces that are never tested against each other (rest_overlap.h). Where there are any, containment at the
 * start is left out too. */
typedef struct brinkLeftOut {
  const uint64_t *keys; /* [count], ascending brinkPieceKey; borrowed */
  size_t count;
  bool any;     /* false: nothing is left out; true with count 0: containment only */
  bool swapped; /* keys name B's piece first */
} brinkLeftOut;

/* Piece: a triangle's index in its mesh, or 0 for the whole of any other shape. */
static inline uint64_t brinkPieceKey(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }
/* First place in an ascending list that is not below key; count: all are. */
static inline size_t brinkFindKey(const uint64_t *keys, size_t count, uint64_t key) {
  size_t low = 0;
  for (size_t half; count > 0; count -= half) { /* no branch: nobody could foresee it */
    half = (count + 1u) / 2u;
    low += half & -(size_t)(keys[low + half - 1u] < key);
  }
  return low;
}
void brinkSortPieceKeys(uint64_t *keys, size_t count); /* ascending */
bool brinkLeftOut_Has(const brinkLeftOut *leftOut, uint32_t pieceA, uint32_t pieceB);

typedef struct brinkAdvanceInput {
  const brinkMotionTree *tree;
  brinkCollider a, b;
  double tStart, tEnd;
  double threshold; /* event when the separation falls to this; may be negative for pairs of convex pieces */
  double tolerance; /* > 0: the event is reported with separation in (threshold, threshold + tolerance] */
  double stopAfter; /* give up (state free, toi = stopAfter or later) once proven free up to here: best toi so far */
  uint64_t maxIterations; /* 0: brinkAdvanceBudget */
  uint64_t maxEffort; /* 0: none. An unresolved answer that more effort may settle says so (cut). Unit: a node test of
                         the swept axes, some 50 ns; BRINK_EFFORT_DISTANCE and so on */
  bool eq10;          /* paper's motion bound only */
  double provenUntil; /* the separation is known to stay above the threshold on [tStart, provenUntil] (e.g. from
                         brinkHullLowerBound); <= tStart: nothing is known. The walk then starts there, never
                         overlapping. */
  brinkLeftOut leftOut;
  bool anyContact; /* yes or no: any event ends the search. toi: proven free up to here; toiUpper: of the event
                      found, where the witnesses are */
  bool hullsServe; /* triangles need no names: while it lies apart, a mesh that bounds a convex body is asked as that
                      body's hull (pieceA, pieceB: then 0) */
} brinkAdvanceInput;

typedef struct brinkPairResult {
  brinkPairState state;
  double toi,
      toiUpper;    /* hit: bracket; free: proven free up to toi (>= min(tEnd, stopAfter)); unresolved: proven prefix */
  double distance; /* hit, overlap: signed separation of the witnesses at toi, within tolerance of the whole pair's;
                      free: proven lower bound of the smallest separation met */
  double lower;    /* of brinkPairDistanceAtStart, found near: proven lower bound of the distance that is told */
  brinkVec3 pointA, pointB, normal; /* world, at toi */
  double normalVelocity;            /* m per step */
  uint32_t kindA, kindB, featureA[3], featureB[3];
  uint32_t pieceA, pieceB; /* mesh: triangle ids, else 0 */
  uint64_t iterations;
  bool cut; /* unresolved because maxEffort was spent */
} brinkPairResult;

/* Called for two triangles (slots of their wide trees) that may lie within *reach, which it may shorten; false: enough.
 */
typedef bool brinkNearVisit(void *user, uint32_t slotA, uint32_t slotB, double *reach);
/* Visits all that may lie within reach at input->tStart. *served: false where this pair is none for this search. */
typedef brinkStatus brinkNearSearch(void *self, const brinkAdvanceInput *input, double reach, brinkNearVisit *visit,
                                    void *user, bool *served);

/* Scratch (stacks) kept between calls so that nothing is allocated after warm-up. */
typedef struct brinkAdvanceScratch brinkAdvanceScratch;
brinkAdvanceScratch *brinkAdvanceScratch_Create(brinkContext *context);
void brinkAdvanceScratch_Destroy(brinkContext *context, brinkAdvanceScratch *scratch);
/* Keeps what queries about this shape need again and again (one vertex of each connected part of a mesh), until as many
 * calls of Forget. Not needed for right answers; the shape must live until it is forgotten. Shapes without a mesh:
 * no-op. */
brinkStatus brinkAdvanceScratch_Remember(brinkContext *context, brinkAdvanceScratch *scratch, const brinkShape *shape);
void brinkAdvanceScratch_Forget(brinkContext *context, brinkAdvanceScratch *scratch, const brinkShape *shape);
/* Another thread's scratch sees what is kept in `from`, until that changes; it remembers nothing of its own. */
void brinkAdvanceScratch_Borrow(brinkAdvanceScratch *scratch, const brinkAdvanceScratch *from);

/* Distances at one time are found through this search (swept_axis.h), where it serves. */
void brinkAdvanceScratch_SearchBy(brinkAdvanceScratch *scratch, brinkNearSearch *search, void *self);

/* First event of the pair in [tStart, tEnd]. Solids: containment at tStart is `overlap`. */
brinkStatus brinkAdvancePair(brinkContext *context, brinkAdvanceScratch *scratch, const brinkAdvanceInput *input,
                             brinkPairResult *result, brinkAdvanceWork *work);
/* Is one body inside the other at tStart without their surfaces meeting? Only solids (closed meshes that say so) hold
 * others; every connected part is asked. result: overlap with a point of the inner body; filled only when found. */
brinkStatus brinkPairContainment(brinkContext *context, brinkAdvanceScratch *scratch, const brinkAdvanceInput *input,
                                 brinkPairResult *result, bool *found);
/* Iterations that a question may cost, by whichever scheme and in however many parts: what it states, or the default.
 */
uint64_t brinkAdvanceBudget(const brinkAdvanceInput *input);
/* Status and message for a question that has no answer (tolerance, threshold, interval). */
brinkStatus brinkCheckAdvanceInput(brinkContext *context, const brinkAdvanceInput *input);
/* Proven lower bound of the toi from the convex hulls of the whole shapes alone ([CATCH] 7.2); tStart when they meet,
 * INFINITY when they stay apart up to tEnd. */
double brinkHullLowerBound(const brinkAdvanceInput *input, brinkAdvanceWork *work);
/* Separation at input->tStart, without what is left out: exact to tolerance, signed for convex pairs. Only separations
 * below `enough` matter: where there is none, result->distance = enough, a proven lower bound without witnesses. Cheap
 * for pairs that are far apart. */
brinkStatus brinkPairDistanceAtStart(brinkContext *context, brinkAdvanceScratch *scratch,
                                     const brinkAdvanceInput *input, double tolerance, double enough,
                                     brinkPairResult *result, brinkAdvanceWork *work);

#endif
