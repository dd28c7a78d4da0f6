/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_LINK_MOTION_H
#define BRINK_LINK_MOTION_H
/* In-between motion of links: each link moves with constant linear and angular velocity in its parent's frame, so a
 * jointed tree stays assembled at every t in [0,1]; world motion is the product down the tree.
 *
 *   x_parent(t) = T0 + t v + E(t w) R0 x_link        E(w) = exp(hat w); |w| may be many turns
 *   R(t) = A0 + cos(th t) C + sin(th t) S,  A0 = a a^T R0, C = R0 - A0, S = hat(a) R0,  th = |w|, a = w/th
 *
 * Based on: [CATCH] Sec. 3.2, eq. 1-2; turn counts and pieces: theory D1.1-D1.2; Taylor models: Sec. 5.
 * (T0, R0, v, w) is the definition of the motion; the requested end pose is met up to rounding.
 * Units: m, rad, per step. */
#include "base.h"
#include "linear.h"

typedef struct brinkLinkMotion {
  int32_t parent;  /* index of the parent link, smaller than this link's; -1 = world */
  uint32_t moving; /* 0: v and w are both zero */
  brinkVec3 t0, v; /* T(t) = t0 + t v, parent frame */
  brinkMat3 r0;    /* R(0) */
  brinkVec3 w;     /* angular velocity, parent axes */
  /* derived by brinkLinkMotion_Prepare */
  double angle;                     /* th */
  brinkVec3 axis;                   /* a; (1,0,0) when th = 0 */
  brinkMat3 constant, cosine, sine; /* A0, C, S */
  const struct brinkPath *path; /* NULL: constant velocities. Else the motion is the path's (path.h), borrowed; v.x is a
                                   bound of its whole way, angle of the most it turns between two of its breaks, w is
                                   its angular velocity at 0 */
  uint32_t paths;               /* 1: this link or one above it has a path; set by brinkMotionTree_MarkPaths */
} brinkLinkMotion;

/* From t0, v, r0, w: fills the derived members. */
void brinkLinkMotion_Prepare(brinkLinkMotion *motion);
/* Motion from start to end pose, both in the parent's frame. turnHint (rotation vector over the step, parent axes; may
 * be NULL = the shortest arc) picks the whole turns: theory D1.2. q and -q are the same. */
brinkLinkMotion brinkMakeLinkMotion(int32_t parent, brinkPose start, brinkPose end, const brinkVec3 *turnHint);
brinkLinkMotion brinkMakeLinkMotionVelocities(int32_t parent, brinkPose start, brinkVec3 v, brinkVec3 w);
/* The same where they are to stand: every body of a large crowd needs one in every step. */
void brinkLinkMotion_SetPoses(brinkLinkMotion *motion, int32_t parent, const brinkPose *start, const brinkPose *end,
                              const brinkVec3 *turnHint);
void brinkLinkMotion_SetVelocities(brinkLinkMotion *motion, int32_t parent, const brinkPose *start, brinkVec3 v,
                                   brinkVec3 w);

/* Link's frame in its parent's at t, of a link without a path (motion_tree.h: of any link). */
brinkRigid brinkLinkMotion_PlainAt(const brinkLinkMotion *motion, double t);

#endif
