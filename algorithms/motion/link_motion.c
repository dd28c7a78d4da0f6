/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion of one link in its parent's frame: constant linear and angular velocity.
 *
 * Based on: [CATCH] Sec. 3.2, eq. 1-2; theory D1.1, D1.2, D1.4. Units: m, rad, per step. */
#include "link_motion.h"

#define EPS DBL_EPSILON
#define TWO_PI 6.283185307179586
#define PI 3.141592653589793
/* |dq's vector part| below which its direction is worse than the hint's: noise eps/s in the axis costs as much as
 * ending s off the requested pose at s = sqrt(eps). */
#define AXIS_LOST 1.5e-8

void brinkLinkMotion_Prepare(brinkLinkMotion *motion) {
  const brinkVec3 w = motion->w, v = motion->v;
  double largest = brinkLarger(fabs(w.x), brinkLarger(fabs(w.y), fabs(w.z)));
  motion->moving = largest > 0 || v.x != 0 || v.y != 0 || v.z != 0;
  if (!(largest > 0)) {
    motion->angle = 0;
    motion->axis = brinkV3(1, 0, 0);
    motion->constant = motion->r0;
    memset(&motion->cosine, 0, sizeof motion->cosine);
    memset(&motion->sine, 0, sizeof motion->sine);
    return;
  }
  brinkVec3 scaled = {w.x / largest, w.y / largest, w.z / largest};
  double length = brinkLength(scaled);
  motion->angle = largest * length;
  motion->axis = brinkV3(scaled.x / length, scaled.y / length, scaled.z / length);
  const double a[3] = {motion->axis.x, motion->axis.y, motion->axis.z};
  brinkVec3 along = brinkTMulMV(&motion->r0, motion->axis); /* a^T R0 */
  const double g[3] = {along.x, along.y, along.z};
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      motion->sine.m[i][j] = a[next] * motion->r0.m[last][j] - a[last] * motion->r0.m[next][j];
      motion->constant.m[i][j] = a[i] * g[j];
      motion->cosine.m[i][j] = motion->r0.m[i][j] - motion->constant.m[i][j];
    }
  }
}

/* Quaternions that are unit up to rounding stay as they are, so a motion starts with the bits of the pose it was given.
 */
static inline brinkQuat unitOrIdentity(brinkQuat q) {
  double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (fabs(norm2 - 1) <= 4 * EPS) return q;
  brinkNormalizeQuat(&q);
  return q;
}

/* The one of q, -q with w > 0; at half turns the one whose first vector component that is not 0 is positive. */
static brinkQuat canonical(brinkQuat q) {
  double sign = q.w != 0 ? q.w : q.x != 0 ? q.x : q.y != 0 ? q.y : q.z;
  return sign < 0 ? (brinkQuat){-q.w, -q.x, -q.y, -q.z} : q;
}

/* Rotation vector w with E(w) = rotation of the unit quaternion dq: the shortest, or the one nearest to the hint. */
static brinkVec3 rotationVector(brinkQuat dq, const brinkVec3 *hint) {
  dq = canonical(dq);
  brinkVec3 u = {dq.x, dq.y, dq.z};
  double s = brinkLength(u), phi = 2 * atan2(s, dq.w), hintLength = 0;
  if (hint && brinkFiniteV3(*hint)) hintLength = brinkLength(*hint);
  if (!isfinite(hintLength)) hintLength = 0;
  if (s < AXIS_LOST && hintLength > PI) {
    /* Whole turns: only the hint knows the axis. What dq turns across that axis (< 2 s) is given up: theory D1.2,
     * traps.
     */
    brinkVec3 a = brinkScale(*hint, 1 / hintLength);
    double along = 2 * brinkDot(u, a);
    return brinkScale(a, TWO_PI * round((hintLength - along) / TWO_PI) + along);
  }
  if (s == 0) return brinkV3(0, 0, 0);
  brinkVec3 a = brinkNormalizeOr(u, brinkV3(1, 0, 0));
  double turns = hintLength > 0 ? round((brinkDot(*hint, a) - phi) / TWO_PI) : 0;
  return brinkScale(a, phi + TWO_PI * turns);
}

static inline void setVelocities(brinkLinkMotion *motion, int32_t parent, brinkVec3 position, brinkQuat rotation,
                                 brinkVec3 v, brinkVec3 w) {
  motion->parent = parent;
  motion->t0 = position;
  motion->v = v;
  motion->r0 = brinkMat3_FromQuat(rotation);
  motion->w = w;
  motion->path = NULL;
  motion->paths = 0;
  brinkLinkMotion_Prepare(motion);
}

void brinkLinkMotion_SetVelocities(brinkLinkMotion *motion, int32_t parent, const brinkPose *start, brinkVec3 v,
                                   brinkVec3 w) {
  setVelocities(motion, parent, start->position, unitOrIdentity(start->rotation), v, w);
}

void brinkLinkMotion_SetPoses(brinkLinkMotion *motion, int32_t parent, const brinkPose *start, const brinkPose *end,
                              const brinkVec3 *turnHint) {
  const brinkQuat q0 = unitOrIdentity(start->rotation), q1 = unitOrIdentity(end->rotation);
  const brinkVec3 w = rotationVector(unitOrIdentity(brinkMulQQ(q1, brinkConjugate(q0))), turnHint);
  setVelocities(motion, parent, start->position, q0, brinkSub(end->position, start->position), w);
}

brinkLinkMotion brinkMakeLinkMotion(int32_t parent, brinkPose start, brinkPose end, const brinkVec3 *turnHint) {
  brinkLinkMotion motion;
  brinkLinkMotion_SetPoses(&motion, parent, &start, &end, turnHint);
  return motion;
}

brinkLinkMotion brinkMakeLinkMotionVelocities(int32_t parent, brinkPose start, brinkVec3 v, brinkVec3 w) {
  brinkLinkMotion motion;
  brinkLinkMotion_SetVelocities(&motion, parent, &start, v, w);
  return motion;
}

/* R(t) = R0 + sin(th t) S - (1 - cos(th t)) C: the form of the header, exact at t = 0 and without cancellation near it.
 */
static brinkMat3 rotationAt(const brinkLinkMotion *motion, double t) {
  double x = 0.5 * motion->angle * t;
  if (x == 0) return motion->r0;
  double halfSine = sin(x), halfCosine = cos(x), sine = 2 * halfSine * halfCosine, versine = 2 * halfSine * halfSine;
  brinkMat3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r.m[i][j] = motion->r0.m[i][j] + sine * motion->sine.m[i][j] - versine * motion->cosine.m[i][j];
  return r;
}

brinkRigid brinkLinkMotion_PlainAt(const brinkLinkMotion *motion, double t) {
  if (!motion->moving) return (brinkRigid){motion->r0, motion->t0};
  return (brinkRigid){rotationAt(motion, t), brinkMulAdd(motion->t0, t, motion->v)};
}
