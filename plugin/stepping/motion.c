/* SPDX-License-Identifier: BSD-3-Clause */
/* Motions between two poses of a solve, see motion.h. Sums stand in the order in which engines commonly write them, so
 * that an adapter gets the bits of its engine's own quaternion functions (tests/ode_glue/test_ode_stepping.c, for ODE).
 * Based on: [CATCH] Sec. 3.2; quaternions as rotations, Hamilton's product. Units: m, rad. */
#include "motion.h"

#include <math.h>
#include <string.h>

static const double fullTurn = 6.283185307179586;

/* a b */
static void multiply(const double a[4], const double b[4], double out[4]) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
  out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

/* a conj(b) */
static void divide(const double a[4], const double b[4], double out[4]) {
  out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  out[1] = -a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
  out[2] = -a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3];
  out[3] = -a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1];
}

/* Turn by an angle about an axis of any length; no axis: none. */
static void aboutAxis(const brinkVec3 *axis, double angle, double out[4]) {
  double square = axis->x * axis->x + axis->y * axis->y + axis->z * axis->z;
  out[0] = 1;
  out[1] = out[2] = out[3] = 0;
  if (square > 0) {
    double half = angle * 0.5, scale = sin(half) * (1 / sqrt(square));
    out[0] = cos(half);
    out[1] = axis->x * scale;
    out[2] = axis->y * scale;
    out[3] = axis->z * scale;
  }
}

static void normalise(double q[4]) {
  double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], scale = 1 / sqrt(square);
  for (int i = 0; square > 0 && i < 4; ++i) {
    q[i] *= scale;
  }
}

static double lengthOf(const brinkVec3 *v) { return sqrt(v->x * v->x + v->y * v->y + v->z * v->z); }

brinkVec3 brinkStepTurnBetween(const double q0[4], const double q1[4], const double spin[3]) {
  double turn[4], axis[3];
  divide(q1, q0, turn);
  double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
  double length = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
  double angle = 2 * atan2(sine, turn[0]);
  for (int i = 0; i < 3; ++i) {
    axis[i] = sine > 0 ? turn[i + 1] / sine : (length > 0 ? spin[i] / length : 0);
  }
  double along = axis[0] * spin[0] + axis[1] * spin[1] + axis[2] * spin[2];
  angle += fullTurn * round((along - angle) / fullTurn);
  return (brinkVec3){angle * axis[0], angle * axis[1], angle * axis[2]};
}

void brinkStepTurnOf(const double w[3], double scale, double h, bool finite, double turn[3]) {
  const double speed = scale * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const double angle = finite ? speed * h : 2 * atan(speed * h / 2);
  for (int i = 0; i < 3; ++i) {
    turn[i] = speed > 0 ? scale * w[i] / speed * angle : 0;
  }
}

void brinkStepTurnOnto(const double direction[3], double q[4]) {
  const double *d = direction, length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  double R[12], turn[4], before[4];
  brinkStepRotationOf(q, R);
  turn[0] = length + R[2] * d[0] + R[6] * d[1] + R[10] * d[2];
  turn[1] = R[6] * d[2] - R[10] * d[1];
  turn[2] = R[10] * d[0] - R[2] * d[2];
  turn[3] = R[2] * d[1] - R[6] * d[0];
  if (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3] < 1e-18 * length * length) {
    turn[0] = 0; /* half a turn, about what was its x */
    turn[1] = R[0];
    turn[2] = R[4];
    turn[3] = R[8];
  }
  if (length > 0) {
    memcpy(before, q, sizeof(before));
    normalise(turn);
    multiply(turn, before, q);
  }
}

static void turnBy(const double q[4], const brinkVec3 *turn, double part, double out[4]) {
  double step[4];
  aboutAxis(turn, part * lengthOf(turn), step);
  multiply(step, q, out);
  normalise(out);
}

void brinkStepPoseAlong(const brinkStepPose *start, const double end[3], const brinkVec3 *turn, double part,
                        brinkStepPose *out) {
  double q[4];
  turnBy(start->quaternion, turn, part, q);
  for (int i = 0; i < 3; ++i) {
    out->position[i] = start->position[i] + part * (end[i] - start->position[i]);
  }
  for (int i = 0; i < 4; ++i) {
    out->quaternion[i] = q[i];
  }
}

static brinkPose poseOf(const brinkStepPose *pose) {
  const double *p = pose->position, *q = pose->quaternion;
  return (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

void brinkStepMotionFrom(const brinkStepPose *start, const brinkStepPose *end, const double spin[3], double from,
                         brinkBodyMotion *out) {
  const double whole = 1 / (1 - from), back = -from;
  const double *p0 = start->position, *p1 = end->position;
  brinkVec3 turn = brinkStepTurnBetween(start->quaternion, end->quaternion, spin);
  out->kind = brink_motionVelocities;
  out->flags = BRINK_MOTION_ALONE;
  out->pose0 = poseOf(start);
  out->velocity = (brinkVec3){whole * (p1[0] - p0[0]), whole * (p1[1] - p0[1]), whole * (p1[2] - p0[2])};
  out->spin = (brinkVec3){whole * turn.x, whole * turn.y, whole * turn.z};
  if (from > 0) {
    double q[4];
    brinkVec3 *p = &out->pose0.position;
    *p = (brinkVec3){p->x + back * out->velocity.x, p->y + back * out->velocity.y, p->z + back * out->velocity.z};
    turnBy(start->quaternion, &out->spin, back, q);
    out->pose0.rotation = (brinkQuat){q[0], q[1], q[2], q[3]};
  }
}

void brinkStepMotionPart(const brinkStepPose *start, const double end[3], const brinkVec3 *turn, double s0, double s1,
                         brinkBodyMotion *out) {
  const double way = s1 - s0, *p0 = start->position;
  brinkStepPose first;
  brinkStepPoseAlong(start, end, turn, s0, &first);
  out->kind = brink_motionVelocities;
  out->flags = BRINK_MOTION_ALONE;
  out->pose0 = out->pose1 = poseOf(&first);
  out->velocity = (brinkVec3){way * (end[0] - p0[0]), way * (end[1] - p0[1]), way * (end[2] - p0[2])};
  out->spin = (brinkVec3){way * turn->x, way * turn->y, way * turn->z};
}

void brinkStepRotationOf(const double q[4], double rotation[12]) {
  const double xx = 2 * q[1] * q[1], yy = 2 * q[2] * q[2], zz = 2 * q[3] * q[3];
  const double rows[12] = {1 - yy - zz,
                           2 * (q[1] * q[2] - q[0] * q[3]),
                           2 * (q[1] * q[3] + q[0] * q[2]),
                           0,
                           2 * (q[1] * q[2] + q[0] * q[3]),
                           1 - xx - zz,
                           2 * (q[2] * q[3] - q[0] * q[1]),
                           0,
                           2 * (q[1] * q[3] - q[0] * q[2]),
                           2 * (q[2] * q[3] + q[0] * q[1]),
                           1 - xx - yy,
                           0};
  memcpy(rotation, rows, sizeof(rows));
}

void brinkStepAddPointVelocity(const brinkStepMover *mover, const double *point, double sign, double sum[3]) {
  if (mover->position == NULL) {
    return;
  }
  const double *x = mover->position, *v = mover->linear, *w = mover->angular;
  const double arm[3] = {point[0] - x[0], point[1] - x[1], point[2] - x[2]};
  sum[0] += sign * (v[0] + (w[1] * arm[2] - w[2] * arm[1]));
  sum[1] += sign * (v[1] + (w[2] * arm[0] - w[0] * arm[2]));
  sum[2] += sign * (v[2] + (w[0] * arm[1] - w[1] * arm[0]));
}

brinkPose brinkStepComposePose(brinkPose outer, brinkPose inner) {
  static const brinkPose identity = {{0, 0, 0}, {1, 0, 0, 0}};
  if (memcmp(&inner, &identity, sizeof(inner)) == 0) {
    return outer;
  }
  const double a[4] = {outer.rotation.w, outer.rotation.x, outer.rotation.y, outer.rotation.z};
  const double b[4] = {inner.rotation.w, inner.rotation.x, inner.rotation.y, inner.rotation.z};
  double q[4], R[12], at[3];
  multiply(a, b, q);
  brinkStepRotationOf(a, R);
  const double *p = &inner.position.x, *o = &outer.position.x;
  for (int axis = 0; axis < 3; ++axis) {
    at[axis] = o[axis] + R[4 * axis] * p[0] + R[4 * axis + 1] * p[1] + R[4 * axis + 2] * p[2];
  }
  return (brinkPose){{at[0], at[1], at[2]}, {q[0], q[1], q[2], q[3]}};
}
