/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CLEARANCE_H
#define BRINK_CLEARANCE_H
/* How close do two moving colliders come, when, and where? Time-correlated: the smallest distance at equal times,
 *
 *   lower <= min over t in [tStart,tEnd] of distance(A(t), B(t)) <= upper,
 *
 * lower proven and rounded down, upper realised by two points at one time and rounded up. Touching and overlap count as
 * 0. Any shapes and motions of brinkAdvanceInput; closed meshes that are solid hold what is inside them. Against a
 * required clearance the search stops as soon as it is proven to be kept or broken. Based on: branch and bound over
 * time, theory D6.4, with second-order bounds (OWN, clearance.c) over pairs of tree nodes; what is asked: US
 * 7,996,197 claims 1-11 and 14, without its swept volumes (those: swept_hull.h). Units: m, step. */
#include "advance.h"

typedef enum brinkGapState {
  brink_gapSettled = 0, /* upper - lower <= tolerance */
  brink_gapDecided = 1, /* the verdict was proven before that */
  brink_gapSpent = 2    /* budget spent, or rounding forbids more: both bounds hold all the same */
} brinkGapState;

typedef enum brinkGapVerdict {
  brink_gapNotAsked = 0,
  brink_gapKept = 1,    /* lower >= required */
  brink_gapBroken = 2,  /* upper < required */
  brink_gapUnproven = 3 /* lower < required <= upper: within the tolerance, or the budget was spent */
} brinkGapVerdict;

typedef struct brinkClearanceInput {
  const brinkMotionTree *tree;
  brinkCollider a, b;
  double tStart, tEnd;
  double tolerance;       /* m; 0 = 1e-6 of the size, brinkClearanceSize */
  double required;        /* m, > 0; 0 = not asked */
  uint64_t maxIterations; /* distance queries of piece pairs; 0 = 1,000,000 */
} brinkClearanceInput;

typedef struct brinkClearanceResult {
  brinkGapState state;
  brinkGapVerdict verdict;
  bool collision;           /* found touching or overlapping; lower > 0 is the proof of the opposite */
  double lower, upper;      /* m, >= 0 */
  double tolerance;         /* m, the one in force */
  double timeA, timeB;      /* of the witnesses; equal but for swept volumes */
  brinkVec3 pointA, pointB; /* world, on A at timeA and on B at timeB: upper apart up to 0.1 tolerance */
  brinkVec3 normal;         /* unit, A to B */
  uint32_t kindA, kindB, featureA[3], featureB[3]; /* as in brinkPairResult */
  uint32_t pieceA, pieceB;                         /* mesh: triangle ids, else 0 */
  uint64_t iterations;
} brinkClearanceResult;

/* Kept between calls so that nothing is allocated after warm-up. */
typedef struct brinkClearanceScratch brinkClearanceScratch;
brinkClearanceScratch *brinkClearanceScratch_Create(brinkContext *context);
void brinkClearanceScratch_Destroy(brinkContext *context, brinkClearanceScratch *scratch); /* NULL is a no-op */

/* Largest half extent of the smaller shape (of the other, when that is a point; 1 m for two points): what the default
 * tolerance is a fraction of. */
double brinkClearanceSize(const brinkCollider *a, const brinkCollider *b);

/* brink_errorBadValue, brink_errorBadTime, brink_errorNoMemory: result untouched. */
brinkStatus brinkMeasureClearance(brinkContext *context, brinkClearanceScratch *scratch, brinkAdvanceScratch *advance,
                                  const brinkClearanceInput *input, brinkClearanceResult *result);

/* ---- shared with swept_hull.c */
/* Status and message for a question that has no answer; the tolerance in force. */
/* brinkPairDistanceAtStart at one time. */
brinkStatus brinkPairDistanceBelow(brinkContext *context, brinkAdvanceScratch *scratch, const brinkMotionTree *tree,
                                   const brinkCollider *a, const brinkCollider *b, double t, double tolerance,
                                   double enough, brinkPairResult *result, brinkAdvanceWork *work);
brinkStatus brinkCheckClearanceInput(brinkContext *context, const brinkClearanceInput *input, double *tolerance);
/* Memory that lives with the scratch for whoever keeps another kind of heap in it: block and its size in bytes. */
void **brinkClearanceScratch_Block(brinkClearanceScratch *scratch);
size_t *brinkClearanceScratch_BlockCapacity(brinkClearanceScratch *scratch);
/* Verdict and state from the bounds. */
void brinkClearance_Conclude(const brinkClearanceInput *input, brinkClearanceResult *result);
/* Time, points, normal, features and pieces of the pair become the result's witnesses. */
void brinkClearance_TakeSample(const brinkPairResult *pair, brinkClearanceResult *result);

#endif
