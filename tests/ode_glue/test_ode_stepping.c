/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin/stepping has quaternions of its own. Do they give ODE's bits? States are compared bit for bit everywhere. */
#include "cases.h"
#include "motion.h"
#include "plugin_support.h"

#include <ode/ode.h>

CASE(along_a_motion_the_bits_are_odes) {
  Random random = {5};
  int sizes = 0;
  for (int i = 0; i < 200000; ++i) {
    brinkVec3 turn = randomVector(&random, i % 3 == 0 ? 1e-4 : 9), end = randomVector(&random, 5);
    double part = uniform(&random, -1, 2), angle = norm(turn);
    brinkStepPose start = {{1, 2, 3}, {0, 0, 0, 0}}, found;
    for (int k = 0; k < 4; ++k) start.quaternion[k] = uniform(&random, -1, 1);
    if (i % 7 == 0) turn = vec(0, 0, 0), angle = 0;
    dQuaternion step, q;
    dQFromAxisAndAngle(step, turn.x, turn.y, turn.z, part * angle);
    dQMultiply0(q, step, start.quaternion);
    dNormalize4(q);
    brinkStepPoseAlong(&start, (const double *)&end, &turn, part, &found);
    assert_memory_equal(q, found.quaternion, sizeof found.quaternion);
    sizes += angle > 1;
  }
  assert_true(sizes > 50000);
}

/* The turn between two quaternions begins with ODE's q1 conj(q0). */
CASE(a_turn_between_two_poses_has_odes_bits) {
  Random random = {6};
  const double noSpin[3] = {0, 0, 0};
  for (int i = 0; i < 200000; ++i) {
    dQuaternion q0, q1, turn;
    for (int k = 0; k < 4; ++k) q0[k] = uniform(&random, -1, 1), q1[k] = uniform(&random, -1, 1);
    dNormalize4(q0);
    dNormalize4(q1);
    dQMultiply2(turn, q1, q0);
    double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]), angle = 2 * atan2(sine, turn[0]);
    angle += 2 * PI * round((0.0 - angle) / (2 * PI));
    brinkVec3 found = brinkStepTurnBetween(q0, q1, noSpin);
    const double expected[3] = {angle * (turn[1] / sine), angle * (turn[2] / sine), angle * (turn[3] / sine)};
    assert_memory_equal(expected, &found, sizeof expected);
  }
}

CASE(a_rotation_matrix_has_odes_bits) {
  Random random = {7};
  for (int i = 0; i < 200000; ++i) {
    dQuaternion q;
    dMatrix3 rotation;
    double found[12];
    for (int k = 0; k < 4; ++k) q[k] = uniform(&random, -1, 1);
    if (i % 2 == 0) dNormalize4(q);
    dRfromQ(rotation, q);
    brinkStepRotationOf(q, found);
    assert_memory_equal(rotation, found, sizeof found);
  }
}

CASE(a_pose_in_a_pose_has_odes_bits) {
  Random random = {9};
  for (int i = 0; i < 100000; ++i) {
    dQuaternion a, b, q;
    dMatrix3 rotation;
    for (int k = 0; k < 4; ++k) a[k] = uniform(&random, -1, 1), b[k] = uniform(&random, -1, 1);
    dNormalize4(a);
    dNormalize4(b);
    brinkVec3 o = randomVector(&random, 9), p = randomVector(&random, 9);
    const double *from = &o.x;
    dQMultiply0(q, a, b);
    dRfromQ(rotation, a);
    double at[3];
    for (int k = 0; k < 3; ++k)
      at[k] = from[k] + rotation[4 * k] * p.x + rotation[4 * k + 1] * p.y + rotation[4 * k + 2] * p.z;
    const brinkPose expected = {{at[0], at[1], at[2]}, {q[0], q[1], q[2], q[3]}};
    const brinkPose found =
        brinkStepComposePose((brinkPose){o, {a[0], a[1], a[2], a[3]}}, (brinkPose){p, {b[0], b[1], b[2], b[3]}});
    assert_memory_equal(&expected, &found, sizeof found);
  }
}

CASE(the_velocity_of_a_point_has_odes_bits) {
  Random random = {8};
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dBodyID body = dBodyCreate(world);
  for (int i = 0; i < 100000; ++i) {
    brinkVec3 x = randomVector(&random, 9), v = randomVector(&random, 30), w = randomVector(&random, 30),
              p = randomVector(&random, 9);
    dVector3 expected;
    double found[3] = {0, 0, 0};
    dBodySetPosition(body, x.x, x.y, x.z);
    dBodySetLinearVel(body, v.x, v.y, v.z);
    dBodySetAngularVel(body, w.x, w.y, w.z);
    dBodyGetPointVel(body, p.x, p.y, p.z, expected);
    const brinkStepMover mover = {dBodyGetPosition(body), dBodyGetLinearVel(body), dBodyGetAngularVel(body)};
    brinkStepAddPointVelocity(&mover, &p.x, 1, found);
    assert_memory_equal(expected, found, sizeof found);
  }
  dWorldDestroy(world);
  dCloseODE();
}

int main(void) { return cases_Run(NULL, NULL); }
