/* SPDX-License-Identifier: BSD-3-Clause */
/* The judges of brink-acceptance: do they see what they are there for? Each meets something that is known, in closed
 * form or from plain ODE, which passes through, sinks in and loses what it must. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "row_groups.h"
#include "mesh_judge.h"
#include "row.h"
#include "stage.h"

static double boxVertices[8][3];
static int boxFaces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                              {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static judgeMesh unitBox(void) {
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) boxVertices[i][k] = (i >> k & 1) ? 0.5 : -0.5;
  return (judgeMesh){boxVertices, boxFaces, 8, 12};
}

static judgePose placeAt(double x, double y, double z, double angle) { /* turned about x + y + z */
  judgePose pose = {.position = {x, y, z}};
  dMatrix3 turn;
  dRFromAxisAndAngle(turn, 1, 1, 1, angle);
  for (int k = 0; k < 9; ++k) pose.rotation[k] = turn[4 * (k / 3) + k % 3];
  return pose;
}

CASE(meshes_that_cross_by_a_micrometre_are_seen_and_those_apart_are_not) {
  judgeMesh box = unitBox();
  static const double places[] = {0, 1e3, 1e5};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    double far = places[i];
    judgePose one = placeAt(far, far, far, 0);
    for (int side = -1; side <= 1; side += 2) {
      judgePose into = placeAt(far + side * (1 - 1e-6), far + 0.3, far - 0.2, 0),
                apart = placeAt(far + side * (1 + 1e-6), far + 0.3, far - 0.2, 0);
      double depth = judge_Crossing(&box, &one, &box, &into);
      if (!(fabs(depth - 1e-6) < 1e-10)) fail_msg("%g m away: crossing of 1e-6 m told as %g", far, depth);
      assert_true(judge_Crossing(&box, &into, &box, &one) == depth);
      assert_true(judge_Crossing(&box, &one, &box, &apart) < 0);
    }
  }
}

/* A corner on the axis x + y + z leads: it stands sqrt(3)/2 from the centre. */
CASE(a_corner_through_a_face_is_as_deep_as_it_is) {
  judgeMesh box = unitBox();
  judgePose flat = placeAt(0, 0, 0, 0), tilted = {.position = {0, 0, 0}};
  dMatrix3 turn; /* the diagonal of the cube becomes z */
  dRFromAxisAndAngle(turn, 1, -1, 0, -acos(1 / sqrt(3)));
  for (int k = 0; k < 9; ++k) tilted.rotation[k] = turn[4 * (k / 3) + k % 3];
  double reach = sqrt(3) / 2;
  for (int i = 1; i <= 4; ++i) {
    double depth = 0.01 * i;
    tilted.position[0] = 0.11;
    tilted.position[1] = 0.05; /* off the diagonals of the face */
    tilted.position[2] = 0.5 + reach - depth;
    double told = judge_Crossing(&box, &flat, &box, &tilted);
    if (!(told > 0 && told <= depth + 1e-12)) fail_msg("depth %g told as %g", depth, told);
    tilted.position[2] = 0.5 + reach + 1e-9;
    assert_true(judge_Crossing(&box, &flat, &box, &tilted) < 0);
  }
}

/* The row itself calls a plain group bad in which nothing goes through. */
CASE(plain_ode_lets_flung_bodies_through_with_every_callback) {
  assert_int_equal(runGroups(&callbacksRow, "plain", mustPass), 30);
}

static void mustCross(const char *label, const rowResult *result) {
  if (result->values[1] > 0) fail_msg("%s crosses at the start", label);
  if (!(result->values[0] > 0)) fail_msg("%s: plain ODE crosses in no step", label);
}

CASE(mechanisms_start_clear_and_plain_ode_crosses_them) {
  assert_int_equal(runGroups(&bodiesRow, "plain", mustCross), 20); /* with each solver */
}

/* Half m v^2, half I w^2, m g z. */
CASE(energy_is_that_of_the_formula) {
  stage s;
  const stageSetup setup = {.h = 0.01, .gravity = -10};
  stage_Begin(&s, &setup);
  const double size[3] = {1, 2, 3}, place[3] = {0, 0, 5};
  dBodyID body = stage_AddBody(&s, stageBox, size, 100, place); /* 600 kg */
  dBodySetLinearVel(body, 3, 0, 4);
  dBodySetAngularVel(body, 0, 0, 2);
  double expected = 0.5 * 600 * 25 + 0.5 * 600 / 12.0 * (1 + 4) * 4 + 600 * 10 * (5 - 1);
  double told = stage_Energy(&s, 1);
  stage_End(&s);
  if (!(fabs(told - expected) < 1e-9 * expected)) fail_msg("%.12g J told, %.12g expected", told, expected);
}

/* z = z0 - g t^2 / 2: ODE's own error is g t h / 2. */
CASE(the_fine_reference_is_nearer_to_the_formula) {
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    stage s;
    const stageSetup setup = {.way = i ? stageFine : stagePlain, .h = 1.0 / 60, .gravity = -9.81};
    stage_Begin(&s, &setup);
    dBodyID body = stage_AddBody(&s, stageSphere, (double[3]){0.1, 0, 0}, 1000, (double[3]){0, 0, 0});
    for (int frame = 0; frame < 60; ++frame) stage_Step(&s);
    errors[i] = fabs(dBodyGetPosition(body)[2] + 9.81 / 2);
    assert_true(fabs(s.time - 1) < 1e-9);
    stage_End(&s);
  }
  if (!(errors[1] < errors[0] / (STAGE_FINE_PARTS - 1))) fail_msg("errors %g and %g m", errors[0], errors[1]);
}

static void dieNow(void *data) {
  *(int *)data = 7;
  abort();
}
static void liveOn(void *data) { *(int *)data += 1; }

static void sleepLong(void *data) {
  (void)data;
  signal(SIGALRM, SIG_DFL);
  for (;;) pause();
}

/* Else a case that hangs would outlive the run. */
CASE(a_task_that_hangs_ends_with_its_groups_time) {
  int data = 0, status = 0;
  pid_t group = fork();
  if (group == 0) {
    alarm(1);
    signal(SIGALRM, SIG_IGN); /* the task must end first */
    _exit(row_Alone(sleepLong, &data, sizeof data) ? 1 : 0);
  }
  assert_true(group > 0);
  while (waitpid(group, &status, 0) < 0) continue;
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

CASE(a_task_that_dies_is_told_and_leaves_what_it_wrote) {
  int data = 1;
  assert_true(row_Alone(liveOn, &data, sizeof data));
  assert_int_equal(data, 2);
  assert_false(row_Alone(dieNow, &data, sizeof data));
  assert_int_equal(data, 7);
}

int main(void) { return cases_Run(NULL, NULL); }
