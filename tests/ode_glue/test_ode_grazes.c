/* SPDX-License-Identifier: BSD-3-Clause */
/* Who passes another sideways and is off again before the step ends was met by nobody: the engine never sees the two
 * overlap. What grazes by more than its allowance, 0.05 of its thickness, is an impact. Units: SI. */
#include <stdio.h>

#include "cases.h"
#include "ode_box.h"
#include "ode_world.h"

#define RADIUS 0.0286 /* m, of a billiard ball */
#define ALLOWANCE (0.05 * 2 * RADIUS)
#define RUNS 400

/* One ball passes another that rests, `over` deep where they are nearest. Was the other one pushed, or an event told?
 */
static bool isMet(bool withBrink, bool quick, dBrinkMode mode, double speed, double phase, double over) {
  odeWorld w;
  odeWorld_Make(&w, withBrink, quick, 0);
  w.mu = 0;
  w.bounce = 0.95;
  if (withBrink) {
    dBrinkSetMode(w.brink, mode);
  }
  dBodyID cue = odeWorld_Body(&w, dCreateSphere(w.space, RADIUS), 0.17, -(2 + phase) * speed * w.h, 0, 0);
  dBodyID other = odeWorld_Body(&w, dCreateSphere(w.space, RADIUS), 0.17, 0, 2 * RADIUS - over, 0);
  dBodySetLinearVel(cue, speed, 0, 0);
  bool told = false;
  for (int frame = 0; frame < 6; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    told = told || (withBrink && odeWorld_Info(&w).eventCount > 0);
  }
  const dReal *v = dBodyGetLinearVel(other);
  const bool pushed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > 0;
  odeWorld_End(&w);
  return pushed || told;
}

static int countMissed(bool withBrink, bool quick, dBrinkMode mode, double least) {
  uint64_t seed = 3;
  int missed = 0;
  for (int run = 0; run < RUNS; ++run) {
    const double phase = splitUniform(&seed, 0, 1), speed = 2 + 8 * splitUniform(&seed, 0, 1);
    const double over = least + (2 * RADIUS - least) * splitUniform(&seed, 0, 1);
    missed += !isMet(withBrink, quick, mode, speed, phase, over);
  }
  return missed;
}

/* Two cubes of ODE's convex class that stand on edge, as two knives: neither has a core that follows its edges. */
CASE(edges_of_convexes_that_pass_each_other_are_met) {
  static const dReal planes[24] = BOX_PLANES(.1, .1, .1), points[24] = BOX_POINTS(.1, .1, .1);
  uint64_t seed = 5;
  for (int run = 0; run < RUNS; ++run) {
    odeWorld w;
    dMatrix3 turn;
    dBodyID cubes[2];
    const double speed = splitUniform(&seed, 5, 50), over = splitUniform(&seed, 0.03, 0.1);
    odeWorld_Make(&w, true, false, 0);
    dRFromAxisAndAngle(turn, 0, 0, 1, M_PI / 4);
    for (int i = 0; i < 2; ++i) {
      cubes[i] =
          odeWorld_Body(&w, dCreateConvex(w.space, planes, 6, points, 8, cubePolygons), 1,
                        i == 0 ? -splitUniform(&seed, 2, 3) * speed * w.h - 0.3 : 0, i * (0.2 * sqrt(2) - over), 0);
      dBodySetRotation(cubes[i], turn);
    }
    dBodySetLinearVel(cubes[0], speed, 0, 0);
    for (int frame = 0; frame < 8; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    const dReal *v = dBodyGetLinearVel(cubes[1]);
    if (!(v[0] * v[0] + v[1] * v[1] > 0)) {
      fail_msg("%g m/s, %g m deep: not met", speed, over);
    }
    odeWorld_End(&w);
  }
}

CASE(plain_ode_misses_many_thin_cuts) {
  const int missed = countMissed(false, false, dBrinkModeAdvance, 1.01 * ALLOWANCE);
  print_message("plain ODE misses %d of %d\n", missed, RUNS);
  assert_true(missed > RUNS / 4);
}

CASE(a_cut_deeper_than_an_allowance_is_met) {
  for (int quick = 0; quick < 2; ++quick) {
    assert_int_equal(countMissed(true, quick != 0, dBrinkModeAdvance, 1.01 * ALLOWANCE), 0);
  }
}

/* A program that counts hits has no other way to hear of them. */
CASE(a_cut_deeper_than_an_allowance_is_reported) {
  assert_int_equal(countMissed(true, false, dBrinkModeReport, 1.01 * ALLOWANCE), 0);
}

/* However near the two are when the step begins: the engine sees no contact as long as they are apart. */
CASE(what_is_all_but_touching_when_the_step_begins_is_met) {
  static const double gaps[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-3};
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 2; ++k) {
      const double over = k == 0 ? 0.15 * 2 * RADIUS : 0.3 * 2 * RADIUS, speed = 20, side = 2 * RADIUS - over;
      const double ahead = sqrt((2 * RADIUS + gaps[i]) * (2 * RADIUS + gaps[i]) - side * side);
      const bool met = isMet(true, false, dBrinkModeAdvance, speed, ahead * 60 / speed - 2, over);
      if (!met) {
        fail_msg("gap %g, overlap %g: not met", gaps[i], over);
      }
    }
  }
}

/* Two tips of one spinning rod pass a ball in one step. The first is off again, the second is shallow at the end: what
 * the end lets sink does not excuse the first. */
CASE(who_is_shallow_at_the_end_does_not_hide_a_deeper_graze) {
  const double half = 1, thick = 0.1, turn = 3.9, first = 1.005 - M_PI / turn; /* parts of the step */
  const double offset = 0.0095, deep[2] = {0.034, 0.034 - 2 * offset}, far = half + offset + 2 * thick - deep[0];
  for (int alone = 0; alone < 2; ++alone) { /* the second tip alone sinks too little to be told */
    odeWorld w;
    dMatrix3 along, start;
    odeWorld_Make(&w, true, false, 0);
    dBrinkSetMode(w.brink, dBrinkModeReport);
    dGeomSetPosition(dCreateSphere(w.space, thick), far, 0, 0);
    dGeomID rod = dCreateCapsule(w.space, thick, 2 * half);
    dBodyID body = odeWorld_Body(&w, rod, 1, 0, 0, 0);
    dRFromAxisAndAngle(along, 0, 1, 0, M_PI / 2);
    dGeomSetOffsetRotation(rod, along);
    dGeomSetOffsetPosition(rod, offset, 0, 0);
    dRFromAxisAndAngle(start, 0, 0, 1, alone ? 0.5 * M_PI : -turn * first);
    dBodySetRotation(body, start);
    dBodySetFiniteRotationMode(body, 1);
    dBodySetAngularVel(body, 0, 0, (alone ? 0.5 * M_PI - 0.02 : turn) / w.h);
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(deep[1] > 0.01);
    if (odeWorld_Info(&w).eventCount != !alone) {
      fail_msg("%s: %d events", alone ? "one tip" : "both tips", odeWorld_Info(&w).eventCount);
    }
    odeWorld_End(&w);
  }
}

/* A thin wall of triangles that stands on the ground. */
CASE(a_ball_that_grazes_a_fence_of_triangles_is_met) {
  static const double corners[4][3] = {{0, -4, 0}, {0, 4, 0}, {0, 4, 1}, {0, -4, 1}};
  static const dTriIndex faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, corners, sizeof(corners[0]), 4, faces, 6, sizeof(faces[0]));
  for (int i = 0; i < 20; ++i) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dCreateTriMesh(w.space, data, NULL, NULL, NULL);
    const double over = 0.06 + 0.01 * i; /* the ball's allowance is 0.05 */
    dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.5), 1, -2.6, 0, 1.5 - over);
    dBodySetLinearVel(ball, 100, 0, 0);
    for (int frame = 0; frame < 4; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    if (!(fabs(dBodyGetLinearVel(ball)[2]) > 0)) {
      fail_msg("%g m deep: not met", over);
    }
    odeWorld_End(&w);
  }
  dGeomTriMeshDataDestroy(data);
}

/* Level ground of triangles with a square hole of 0.2 m. */
static dTriMeshDataID makeHoledSheet(void) {
  static const double corners[8][3] = {{-2, -2, 0},     {2, -2, 0},     {2, 2, 0},     {-2, 2, 0},
                                       {-0.1, -0.1, 0}, {0.1, -0.1, 0}, {0.1, 0.1, 0}, {-0.1, 0.1, 0}};
  static const dTriIndex faces[8][3] = {{0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                        {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, corners, sizeof(corners[0]), 8, faces, 24, sizeof(faces[0]));
  return data;
}

CASE(a_ball_does_not_slip_through_a_hole_that_is_too_small_for_it) {
  static const double speeds[] = {3, 20, 100};
  for (int i = 0; i < 3; ++i) {
    odeWorld w;
    odeWorld_Make(&w, true, false, -9.81);
    dTriMeshDataID data = makeHoledSheet();
    dCreateTriMesh(w.space, data, NULL, NULL, NULL);
    dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.13), 1, 0, 0, 1);
    dBodySetLinearVel(ball, 0, 0, -speeds[i]);
    for (int frame = 0; frame < 60; ++frame) {
      odeWorld_Step(&w);
    }
    if (!(dBodyGetPosition(ball)[2] > -0.13)) {
      fail_msg("%g m/s: the ball is at %g", speeds[i], dBodyGetPosition(ball)[2]);
    }
    odeWorld_End(&w);
    dGeomTriMeshDataDestroy(data);
  }
}

int main(void) {
  dInitODE2(0);
  int failed = cases_Run(NULL, NULL);
  dCloseODE();
  return failed;
}
