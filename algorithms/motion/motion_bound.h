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

/* How long does a gap exceed the aim that is `end` after `length`, its second derivative below `curvature`? length: so
 * long at least. Rounded down; 0: when anything is no number or without bound. */
static inline double brinkChordLasts(double gap, double end, double aim, double length, double curvature) {
  const double slope = (end - gap) / length - curvature * length / 2;
  const double over = gap - aim - 8 * DBL_EPSILON * (fabs(gap) + fabs(end) + curvature * length * length);
  if (!(over > 0) || !isfinite(slope) || !isfinite(curvature)) return 0;
  if (slope >= 0) return length;
  const double discriminant = slope * slope - 2 * curvature * over;
  if (discriminant < -1e-12 * slope * slope) return length;
  return BRINK_MIN(2 * over / (-slope + sqrt(BRINK_MAX(discriminant, 0))) * (1 - 1e-12), length);
}

/* How far do points of the piece's core come along n at most, on their way from pose to pose? Rounded up. */
static inline double brinkPiece_Way(const brinkPiece *piece, const brinkRigid *from, const brinkRigid *to,
                                    brinkVec3 n) {
  const brinkVec3 turned = brinkSub(brinkTMulMV(&to->r, n), brinkTMulMV(&from->r, n));
  return brinkPiece_CoreSupportValue(piece, turned) + brinkDot(n, brinkSub(to->p, from->p));
}

/* The same of a gap along an axis that goes straight by -change meanwhile, in which points of A come nearer to those of
 * B by at most `way` along the change. curvature: along an axis that stands; error: of the poses, m; depth: of the
 * threshold, where that is below 0. *shorter: by how much a shorter length would do, where this one is too long. */
#define BRINK_LOOKS 4 /* over shorter and shorter lengths */
static inline double brinkTurnedLasts(double gap, double end, double aim, double length, double curvature,
                                      brinkVec3 change, double way, double error, double depth, double *shorter) {
  const double turned = brinkLength(change), square = length * length;
  const double bend = BRINK_MAX(way + turned * turned * depth, 0.0) + 4 * error * turned;
  const double bent = curvature * (1 + turned) + 2 * bend / square;
  *shorter = 0.75 * sqrt(BRINK_MIN(8 * gap / (bent * square), 1.0));
  return brinkChordLasts(gap, end, aim, length, bent);
}

#endif
