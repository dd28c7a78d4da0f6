/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_KINEMATICS_H
#define BRINK_ASSETS_KINEMATICS_H
/* Rotations and poses for synthetic motions that come out the same, bit for bit, on every machine: only + - * / and
 * sqrt are used, sine and cosine included. Precision is a few units in the last place; nothing is proven from it.
 * Lengths in m, angles in rad. Private to assets. */
#include <math.h>

#include "brink/types.h"

#define BRINK_PI 3.14159265358979311600

static inline brinkVec3 brinkVector(double x, double y, double z) { return (brinkVec3){x, y, z}; }
static inline brinkVec3 brinkPlus(brinkVec3 a, brinkVec3 b) { return (brinkVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline brinkVec3 brinkMinus(brinkVec3 a, brinkVec3 b) { return (brinkVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline brinkVec3 brinkTimes(double s, brinkVec3 a) { return (brinkVec3){s * a.x, s * a.y, s * a.z}; }
static inline double brinkInner(brinkVec3 a, brinkVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double brinkNorm(brinkVec3 a) { return sqrt(brinkInner(a, a)); }
static inline brinkVec3 brinkOuter(brinkVec3 a, brinkVec3 b) {
  return (brinkVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline brinkVec3 brinkDirection(brinkVec3 a) { return brinkTimes(1 / brinkNorm(a), a); } /* a is not zero */

/* |x| < 1e6 */
double brinkPlainSine(double x);
double brinkPlainCosine(double x);

/* About a coordinate axis: 0, 1, 2 = x, y, z. */
brinkQuat brinkTurnAbout(int axis, double angle);
/* First b, then a. */
brinkQuat brinkTurnBoth(brinkQuat a, brinkQuat b);
brinkVec3 brinkTurned(brinkQuat q, brinkVec3 v);
/* The turn whose matrix has these orthonormal, right-handed columns. */
brinkQuat brinkTurnFromAxes(brinkVec3 x, brinkVec3 y, brinkVec3 z);
/* A pose given in the frame of another. */
brinkPose brinkPoseIn(brinkPose frame, brinkPose pose);
/* From 0 to 1 with no speed at either end. */
static inline double brinkEase(double t) { return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t); }
#endif
