/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SWEPT_HULL_H
#define BRINK_SWEPT_HULL_H
/* US 7,996,197 (issued 9 August 2011; a third-party index lists expiry on 6 January 2027; not verified with the USPTO)
 * concerns clearance detection using implicitly represented convex hulls of swept bounding-volume nodes. Information
 * only, not legal advice; check the status in your jurisdiction.
 *
 * Built only with the CMake option BRINK_SWEPT_HULL (off by default).
 *
 * Distance of the two volumes that the colliders sweep, whatever the time: lower <= min over tA, tB of
 * distance(A(tA), B(tB)) <= upper. Conservative for equal times: two bodies that cross one place one after the other
 * count as colliding (trap: clearance.h is the correlated one, and the default). Hulls of swept nodes are never built:
 * their furthest point along n comes from mapping n back into the node's frame and the vertex found there forward; for
 * polytopes under one link of constant velocities the furthest vertex steps to an edge neighbour exactly when the
 * turning direction says so, without sampling of time. Chains, paths and curved cores: bounds over cells of time
 * instead. Based on: US 7,996,197 claims 1, 12, 13; theory D6.1-D6.4. Units: m, step. */
#include "clearance.h"

/* A convex piece on a link during [t0,t1]; borrowed. */
typedef struct brinkSweptPiece {
  const brinkPiece *piece; /* no half-space */
  const brinkMotionTree *tree;
  int32_t link;     /* -1: at rest */
  brinkRigid local; /* shape -> link frame */
  double t0, t1;
  brinkVec3 centre; /* world: subtracted from every point */
} brinkSweptPiece;

typedef struct brinkSweptEvent {
  double t;        /* from here on ... */
  uint32_t vertex; /* ... this vertex is furthest */
} brinkSweptEvent;

/* Are the events of this piece exact? Points and boxes, at rest or under one link of constant velocities. */
bool brinkSweptPiece_IsExact(const brinkSweptPiece *swept);
/* Which vertex of an exact piece is furthest along n (unit), from t0 on: writes up to capacity, returns how many there
 * are. */
size_t brinkSweptPiece_Events(const brinkSweptPiece *swept, brinkVec3 n, brinkSweptEvent *events, size_t capacity);
/* Furthest point of the swept core along n (any length > 0), by the events, and when it is there. Exact pieces: up to
 * rounding; others: of the poses at both ends and in the middle. */
brinkVec3 brinkSweptPiece_Support(const brinkSweptPiece *swept, brinkVec3 n, double *time);
/* Proven upper bound of max n.x over the swept piece, radius included. */
double brinkSweptPiece_SupportValue(const brinkSweptPiece *swept, brinkVec3 n);

/* As brinkMeasureClearance, of the swept volumes; result->timeA and timeB differ. input->maxIterations: pairs of swept
 * pieces, 0 = 200,000. Planes: brink_errorBadValue. */
brinkStatus brinkMeasureSweptClearance(brinkContext *context, brinkClearanceScratch *scratch,
                                       brinkAdvanceScratch *advance, const brinkClearanceInput *input,
                                       brinkClearanceResult *result);

#endif
