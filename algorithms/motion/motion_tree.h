/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MOTION_TREE_H
#define BRINK_MOTION_TREE_H
/* Motion of whole trees of links: poses, Taylor models and rates of any link in the world or in an ancestor's frame.
 * Each link moves in its parent's frame, with constant velocities (link_motion.h) or along a path (path.h).
 *
 * Based on: [CATCH] Sec. 3.2, 5, 6; theory D2.1-D2.4. Units: m, rad, per step. */
#include "path.h"

/* A forest of links, parents before children; borrowed arrays. */
typedef struct brinkMotionTree {
  const brinkLinkMotion *links;
  int32_t linkCount;
} brinkMotionTree;

brinkLinkMotion brinkMakeLinkMotionPath(int32_t parent, const brinkPath *path);
/* Link's frame in its parent's at t. */
brinkRigid brinkLinkMotion_At(const brinkLinkMotion *motion, double t);
/* Frame of `link` in the frame of `ancestor` (an ancestor of link or -1 = world) at t. link -1 gives identity. */
brinkRigid brinkMotionTree_Pose(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t);
/* World frames of all links at t: out[linkCount]. One pass root to leaf. */
void brinkMotionTree_Poses(const brinkMotionTree *tree, double t, brinkRigid *out);
/* Deepest common ancestor of two links, -1 = world (also when either is -1). */
int32_t brinkMotionTree_CommonAncestor(const brinkMotionTree *tree, int32_t a, int32_t b);
/* Once links with paths are in place: tells every link whether there is one at or above it. */
void brinkMotionTree_MarkPaths(brinkLinkMotion *links, int32_t linkCount);
/* The first time in (t, tEnd) at which velocities of link or of a link above it may jump; tEnd when there is none. */
double brinkMotionTree_NextBreak(const brinkMotionTree *tree, int32_t link, double t, double tEnd);
/* Between breaks: are derivatives up to the third bounded? false: schemes that need curvature at t do not serve. */
bool brinkMotionTree_IsSmooth(const brinkMotionTree *tree, int32_t link);

/* World motion of every link as Taylor models over [t0,t1]: out[linkCount]. order 0..BRINK_MAX_ORDER; 0 = intervals. */
void brinkMotionTree_Taylor(const brinkMotionTree *tree, double t0, double t1, int order, brinkTaylorRigid *out);

/* Velocities of a link's frame at time t seen from `ancestor`'s frame, and norm bounds over [t, tEnd]:
 * for a link point r (from the link's origin, rigid): |p'| <= speedBase + speedSlope |r|,
 * |p''| <= accelBase + accelSlope |r|, |p'''| <= jerkBase + jerkSlope |r|, for all times in [t, tEnd].
 * All bounds rounded up. (theory D2.1, D2.2, D2.4(c), D2.4(e); the norm sums of D2.4 are replaced by "exact value at t
 * plus the next derivative's bound times the window" wherever that is smaller, so short windows give nearly exact
 * bounds.)
 */
typedef struct brinkLinkRate {
  brinkRigid pose;    /* link -> ancestor at t */
  brinkVec3 velocity; /* of the link's origin at t */
  brinkVec3 omega;    /* angular velocity at t, ancestor axes */
  brinkVec3 accel;    /* of the link's origin at t */
  brinkVec3 alpha;    /* angular acceleration at t */
  double speedBase, speedSlope;
  double accelBase, accelSlope;
  double jerkBase, jerkSlope;
  double window;      /* tEnd - t, rounded up; 0 for links that do not move */
  uint32_t fixedAxis; /* 1: one link under `ancestor`, so omega is constant over the window */
  /* Bounds of what double rounding did to the values above: |pose r + p| is off by at most poseError + poseErrorSlope
   * |r|, velocity by velocityError, omega by omegaError, and so on. Motions count as exact as their (t0, v, r0, w) are.
   */
  double poseError, poseErrorSlope, velocityError, omegaError, accelError, alphaError;
  /* For the paper's form of the bound (theory D2.2), norms only, over [t, tEnd]: speed along unit n is at most
   * |n.rootVelocity| + |n x rootOmega| (paperArm + |r|) + paperBase + paperSlope |r|; root = the link under `ancestor`.
   */
  brinkVec3 rootVelocity, rootOmega;
  double paperArm, paperBase, paperSlope;
} brinkLinkRate;
void brinkMotionTree_Rate(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t, double tEnd,
                          brinkLinkRate *out);

/* Norm bounds over [t0,t1], world frame, all links in one pass root to leaf: coarser than
 * brinkMotionTree_Rate (sums only, nothing taken at t0), enough for boxes around whole colliders. For a link point r:
 * |x''| <= accelBase + accelSlope |r|, and poses at any time of the window are off by at most poseError +
 * poseErrorSlope |r|. Rounded up. */
typedef struct brinkLinkBound {
  double speedSlope, accelBase, accelSlope;
  double reach; /* bound of |position|, by sums */
  double poseError, poseErrorSlope;
} brinkLinkBound;
void brinkMotionTree_Bounds(const brinkMotionTree *tree, double t0, double t1, brinkLinkBound *out);

#endif
