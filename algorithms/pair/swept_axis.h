/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SWEPT_AXIS_H
#define BRINK_SWEPT_AXIS_H
/* Is there a separating axis during the WHOLE interval? The fast scheme for one pair: same question and same answer as
 * brinkAdvancePair, but instead of computing distances it proves node pairs free over intervals, and advances only
 * pairs of triangles (or convex pieces) that come within reach.
 *
 * For a fixed axis n in W's frame and a point p of X with path y(t) in that frame, n.y(t) lies above its chord minus
 * max|n.y''| dt^2/8. So two boxes (X moving, W resting in its own frame) are apart by more than the threshold during
 * all of [t0,t1] if the gap along n at both ends exceeds threshold + slack,
 *   slack = dt^2/8 (|M c + g| + |M| r + dt (j0 + j1 rho)) + rounding
 * with y''(t0) = M c + g exactly, |y'''| <= j0 + j1 rho, c the box's centre, r its radius, rho >= |c| + r. 15 axes (3
 * of W, 3 mean ones of X, 9 crosses). What is not proven descends to children or to halves of the interval; times
 * proven so far are inherited; the best time of impact bounds everything.
 * Based on: theory 6, 7, D8.1; chains: theory D2.4 (c), (e) through brinkLinkRate. */
#include "advance.h"
#include "obb_tree.h"

typedef struct brinkSweptAxisScratch brinkSweptAxisScratch;
brinkSweptAxisScratch *brinkSweptAxisScratch_Create(brinkContext *context); /* NULL: no memory */
void brinkSweptAxisScratch_Destroy(brinkContext *context, brinkSweptAxisScratch *scratch);

/* Optional, around many pairs of one tree: what links do is then found once for each link. The tree must not change
 * before EndQuery; pairs of another tree or with times outside [tStart, tEnd] may be asked in between. */
brinkStatus brinkSweptAxisScratch_BeginQuery(brinkContext *context, brinkSweptAxisScratch *scratch,
                                             const brinkMotionTree *tree, double tStart, double tEnd);
void brinkSweptAxisScratch_EndQuery(brinkSweptAxisScratch *scratch);
/* For as long as the query of `from` is open another thread's scratch shares what is known there. */
void brinkSweptAxisScratch_Borrow(brinkSweptAxisScratch *scratch, const brinkSweptAxisScratch *from);

/* Can this pair be asked? No: half-spaces on either side, meshes without a box tree, a negative threshold with a mesh,
 * motions whose accelerations are not known, two convex pieces of which something is left out. */
bool brinkSweptAxisServes(const brinkAdvanceInput *input);

/* A brinkNearSearch; serves pairs of two meshes that brinkSweptAxisServes names. */
brinkStatus brinkSweptAxisNear(void *scratch, const brinkAdvanceInput *input, double reach, brinkNearVisit *visit,
                               void *user, bool *served);

/* As brinkAdvancePair. nodePairs counts eight-wide node tests, distanceQueries exact distances. free: the distance is
 * the threshold for pairs with a mesh, and more where a march between convex pieces proved more. */
brinkStatus brinkSweptAxisPair(brinkContext *context, brinkSweptAxisScratch *scratch,
                               brinkAdvanceScratch *advanceScratch, const brinkAdvanceInput *input,
                               brinkPairResult *result, brinkAdvanceWork *work);

#endif
