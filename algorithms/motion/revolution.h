/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_REVOLUTION_H
#define BRINK_REVOLUTION_H
/* Proven free for many turns at once. A body that turns about an axis never leaves its body of revolution, and that
 * one does not turn: it is carried along by the axis. Where the two bodies of revolution are apart, the number of turns
 * does not matter.
 *
 * Axes are known of links with constant velocities, screws, steps of ODE and splines between two keys; what carries
 * the axis (the links above) may move in any way that has bounds. Where one body turns and the other rests, the one
 * that rests is also seen from the one that turns. Source: docs/theory.md 4, own. */
#include "motion_tree.h"
#include "shape.h"

typedef struct brinkRevolvingBody {
  const brinkPiece *piece; /* shape frame; holds the whole body */
  brinkRigid local;        /* shape frame -> link frame */
  int32_t link;            /* -1 = static */
} brinkRevolvingBody;

#define BRINK_SOME_TURNING 0.3 /* rad; where bodies turn by less, bodies of revolution are not tried */
/* By how much do the bodies turn in [t, tEnd] in their common ancestor's frame, at most, rad? Of links on paths without
 * an axis nothing is known, and they count for nothing. */
double brinkMostTurned(const brinkMotionTree *tree, int32_t linkA, int32_t linkB, double t, double tEnd);
/* Up to which time in [t, tEnd] do the bodies stay apart by more than `separation` (>= 0, m), as far as their bodies of
 * revolution tell? t: nothing is proven. *distances: added to. */
double brinkRevolvedUntil(const brinkMotionTree *tree, const brinkRevolvingBody *a, const brinkRevolvingBody *b,
                          double t, double tEnd, double separation, uint64_t *distances);

#endif
