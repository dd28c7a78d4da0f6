/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_LINEAR_H
#define BRINK_LINEAR_H
/* Inline vectors, quaternions, row-major 3x3 matrices and rigid maps in double precision. No rounding control here:
 * callers that prove bounds add the stated error terms.
 *   brinkMat3: m[row][column].  brinkRigid: x_parent = r x + p, r orthonormal up to a few ulp. */
#include <math.h>
#include <stdbool.h>

#include "brink/types.h"

typedef struct brinkMat3 {
  double m[3][3];
} brinkMat3;

typedef struct brinkRigid {
  brinkMat3 r;
  brinkVec3 p;
} brinkRigid;

/* Oriented box. */
typedef struct brinkObb {
  brinkVec3 center;
  brinkMat3 axes; /* columns: the box's axes in the frame it is given in */
  brinkVec3 half;
} brinkObb;

/* fmin and fmax, which compilers call: the same bits. */
static inline double brinkSmaller(double a, double b) { return a < b || b != b ? a : b; }
static inline double brinkLarger(double a, double b) { return a > b || b != b ? a : b; }

static inline brinkVec3 brinkV3(double x, double y, double z) { return (brinkVec3){x, y, z}; }
static inline brinkVec3 brinkV3_FromArray(const double a[3]) { return (brinkVec3){a[0], a[1], a[2]}; }
static inline brinkVec3 brinkAdd(brinkVec3 a, brinkVec3 b) { return (brinkVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline brinkVec3 brinkSub(brinkVec3 a, brinkVec3 b) { return (brinkVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline brinkVec3 brinkScale(brinkVec3 a, double s) { return (brinkVec3){a.x * s, a.y * s, a.z * s}; }
static inline brinkVec3 brinkNeg(brinkVec3 a) { return (brinkVec3){-a.x, -a.y, -a.z}; }
/* a + s b */
static inline brinkVec3 brinkMulAdd(brinkVec3 a, double s, brinkVec3 b) {
  return (brinkVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double brinkDot(brinkVec3 a, brinkVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline brinkVec3 brinkCross(brinkVec3 a, brinkVec3 b) {
  return (brinkVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double brinkLengthSquared(brinkVec3 a) { return brinkDot(a, a); }
static inline double brinkLength(brinkVec3 a) { return sqrt(brinkDot(a, a)); }
static inline double brinkDistance(brinkVec3 a, brinkVec3 b) { return brinkLength(brinkSub(a, b)); }
/* a/|a|, or fallback when |a| is 0 or not finite. Safe from overflow and underflow of the square. */
static inline brinkVec3 brinkNormalizeOr(brinkVec3 a, brinkVec3 fallback) {
  double largest = brinkLarger(fabs(a.x), brinkLarger(fabs(a.y), fabs(a.z)));
  if (!(largest > 0.0) || !isfinite(largest)) return fallback;
  brinkVec3 s = {a.x / largest, a.y / largest, a.z / largest};
  return brinkScale(s, 1.0 / brinkLength(s));
}
static inline brinkVec3 brinkMinV3(brinkVec3 a, brinkVec3 b) {
  return (brinkVec3){brinkSmaller(a.x, b.x), brinkSmaller(a.y, b.y), brinkSmaller(a.z, b.z)};
}
static inline brinkVec3 brinkMaxV3(brinkVec3 a, brinkVec3 b) {
  return (brinkVec3){brinkLarger(a.x, b.x), brinkLarger(a.y, b.y), brinkLarger(a.z, b.z)};
}
static inline brinkVec3 brinkAbsV3(brinkVec3 a) { return (brinkVec3){fabs(a.x), fabs(a.y), fabs(a.z)}; }
static inline bool brinkFiniteV3(brinkVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
/* The same on arrays. */
static inline double brinkDot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void brinkCross3(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
static inline void brinkSub3(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

static inline brinkMat3 brinkIdentity3(void) { return (brinkMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline bool brinkMat3_IsIdentity(const brinkMat3 *a) {
  return a->m[0][0] == 1.0 && a->m[1][1] == 1.0 && a->m[2][2] == 1.0 && a->m[0][1] == 0.0 && a->m[0][2] == 0.0 &&
         a->m[1][0] == 0.0 && a->m[1][2] == 0.0 && a->m[2][0] == 0.0 && a->m[2][1] == 0.0;
}
static inline brinkVec3 brinkMulMV(const brinkMat3 *a, brinkVec3 v) {
  return (brinkVec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                     a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                     a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}
/* transpose(a) v */
static inline brinkVec3 brinkTMulMV(const brinkMat3 *a, brinkVec3 v) {
  return (brinkVec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                     a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                     a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}
static inline brinkMat3 brinkMulMM(const brinkMat3 *a, const brinkMat3 *b) {
  brinkMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
  return c;
}
/* transpose(a) b */
static inline brinkMat3 brinkTMulMM(const brinkMat3 *a, const brinkMat3 *b) {
  brinkMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[i][j] = a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
  return c;
}
static inline brinkMat3 brinkTranspose(const brinkMat3 *a) {
  brinkMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.m[i][j] = a->m[j][i];
  return c;
}
/* hat(w): hat(w) y = w x y */
static inline brinkMat3 brinkHat(brinkVec3 w) { return (brinkMat3){{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}}; }

static inline brinkRigid brinkIdentityRigid(void) { return (brinkRigid){brinkIdentity3(), {0, 0, 0}}; }
static inline brinkVec3 brinkApply(const brinkRigid *a, brinkVec3 v) { return brinkAdd(brinkMulMV(&a->r, v), a->p); }
static inline brinkVec3 brinkApplyInverse(const brinkRigid *a, brinkVec3 v) {
  return brinkTMulMV(&a->r, brinkSub(v, a->p));
}
static inline brinkRigid brinkCompose(const brinkRigid *a, const brinkRigid *b) {
  return (brinkRigid){brinkMulMM(&a->r, &b->r), brinkApply(a, b->p)};
}
/* inverse(a) b: b's frame seen from a's */
static inline brinkRigid brinkRelative(const brinkRigid *a, const brinkRigid *b) {
  return (brinkRigid){brinkTMulMM(&a->r, &b->r), brinkTMulMV(&a->r, brinkSub(b->p, a->p))};
}
static inline brinkRigid brinkInverseRigid(const brinkRigid *a) {
  return (brinkRigid){brinkTranspose(&a->r), brinkNeg(brinkTMulMV(&a->r, a->p))};
}

static inline brinkQuat brinkMulQQ(brinkQuat a, brinkQuat b) {
  return (brinkQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline brinkQuat brinkConjugate(brinkQuat q) { return (brinkQuat){q.w, -q.x, -q.y, -q.z}; }
/* q/|q|, scale-robust; false (and identity) when q is zero or not finite. */
static inline bool brinkNormalizeQuat(brinkQuat *q) {
  const double size[4] = {fabs(q->w), fabs(q->x), fabs(q->y), fabs(q->z)};
  double largest = size[0];
  for (int i = 1; i < 4; ++i) largest = size[i] > largest ? size[i] : largest;
  if (!(largest > 0.0) || !isfinite(largest)) {
    *q = (brinkQuat){1, 0, 0, 0};
    return false;
  }
  brinkQuat s = {q->w / largest, q->x / largest, q->y / largest, q->z / largest};
  double n = sqrt(s.w * s.w + s.x * s.x + s.y * s.y + s.z * s.z);
  *q = (brinkQuat){s.w / n, s.x / n, s.y / n, s.z / n};
  return true;
}
static inline brinkMat3 brinkMat3_FromQuat(brinkQuat q) {
  double w = q.w, x = q.x, y = q.y, z = q.z;
  return (brinkMat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}
brinkQuat brinkQuat_FromMat3(const brinkMat3 *r); /* unit, w >= 0 */
static inline brinkRigid brinkRigid_FromPose(brinkPose p) {
  return (brinkRigid){brinkMat3_FromQuat(p.rotation), p.position};
}
static inline brinkPose brinkPose_FromRigid(const brinkRigid *a) {
  return (brinkPose){a->p, brinkQuat_FromMat3(&a->r)};
}
/* exp(hat w): rotation by |w| about w (Rodrigues); libm sin and cos. */
brinkMat3 brinkExp3(brinkVec3 w);

#endif
