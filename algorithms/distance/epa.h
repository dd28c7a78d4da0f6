/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_EPA_H
#define BRINK_EPA_H
/* Penetration depth and direction of two overlapping convex pieces: complete separating axes where these are
 * few (boxes with boxes, triangles, segments, points), else an expanding polytope grown from a tetrahedron of its own.
 * Bounded iterations; degenerate (flat) Minkowski differences give depth 0 along a normal of the flat.
 * Based on: van den Bergen 2001. The result's `lower` is certified by support values like every other gap. */
#include "gjk.h"

/* separation->overlap must hold on entry; refines normal, lower, upper, points. */
void brinkEpa(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
              brinkSeparation *separation);
/* Signed separation: as brinkGjk when apart; when overlapping, penetration depth as brinkEpa: lower = certified
 * (negative) gap along the direction of least depth found, upper = the same rounded up, points the deepest ones. */
void brinkSignedSeparation(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                           const brinkGjkLimits *limits, const brinkGjkCache *warm, brinkSeparation *out);

#endif
