/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MOTION_BOUND_H
#define BRINK_MOTION_BOUND_H
/* How soon can two pieces that are `gap` apart along n lose that gap? A proven safe step.
 *   first order exact:  s1 = max over A of n.x'(t) - min over B of n.y'(t)  (support queries with turned directions);
 *   second order by norms: M = M_A + M_B on [t, tEnd]; step: s1 D + M D^2/2 = gap, then straight at mu, the top speed;
 *   second order exact:  s2 likewise from n.p'' at t, third order by norms; the longer of the two steps counts.
 * Half-spaces: any motion without rotation is exact. Of a turning one only the material matters that the other piece
 * can come near: a ball, in its own frame, that holds the other piece all over the window (shorter windows are tried
 * for smaller balls). Two, one of them turning other than about its normal: safe step 0, closing bound infinite.
 * Rates: from brinkMotionTree_Rate, both for the same window. Based on: see motion_bound.c. */
#include "motion_tree.h"
#include "shape.h"

typedef struct brinkMovingPiece {
  const brinkPiece *piece;   /* shape frame */
  brinkRigid local;          /* shape frame -> link frame */
  const brinkLinkRate *rate; /* of the link, in the pair's frame (deepest common ancestor) at t */
} brinkMovingPiece;

/* Largest D with: no point pair of the pieces closes more than `gap` (> 0) along n (unit, pair frame) during [t, t+D],
 * as far as the bounds tell; rounded down; INFINITY when never within the window the rates were made for (the caller
 * clamps to its end). eq10: paper's bound mu only (baseline). */
double brinkSafeStep(const brinkMovingPiece *a, const brinkMovingPiece *b, brinkVec3 n, double gap, bool eq10);
/* The same, in which n turns with one of the two: its support plane goes with it, and only the other's points count.
 * For faces that turn with what lies on them. A safe step reckons with the fastest point of a long piece there, however
 * far off it is. 0: nothing (half-spaces; brinkSafeStep does so with them). */
double brinkTurningStep(const brinkMovingPiece *a, const brinkMovingPiece *b, brinkVec3 n, double gap);
/* Upper bound of how much the separation along ANY direction can shrink during [t, tEnd] of the rates' window: for
 * cheap culls and thresholds. m. */
double brinkClosingBound(const brinkMovingPiece *a, const brinkMovingPiece *b, double duration);
/* Bounds, over a window of length `duration` from the rates' t, of |(y-x)'| and |(y-x)''| for all points x of A's core
 * and y of B's. Half-spaces: of their links' origins; meaningful only while they do not turn. m per step, m per step^2.
 */
void brinkMovingPair_Bounds(const brinkMovingPiece *a, const brinkMovingPiece *b, double duration, double *speed,
                            double *second);

/* A fixed n (for a half-space: its own normal, which may turn): bound, over the window of length `duration`, of the
 * second derivative of n.(y-x), for all points x of A's core and y of B's. INFINITY for two half-spaces of which one
 * turns. */
double brinkMovingPair_Curvature(const brinkMovingPiece *a, const brinkMovingPiece *b, double duration);

#endif
