/* SPDX-License-Identifier: BSD-3-Clause */
/* What does the glue say to bad input? A clear text that names the thing, nothing lost, the process alive. More in
 * test_ode_world.c (dBrinkCreate before dInitODE2, single precision, h <= 0, NaN velocities, destroyed bodies),
 * test_assets_import.c (files) and test_hostile_host.c (the ABI). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ode_world.h"
#include "scene.h"

static char logged[2000];

static void keepLog(void *user, int level, const char *message) {
  (void)user;
  (void)level;
  snprintf(logged + strlen(logged), sizeof(logged) - strlen(logged), "%s\n", message);
}

static void assertLogNames(const char *word) {
  if (strstr(logged, word) == NULL) {
    fail_msg("\"%s\" is not in the log: %s", word, logged);
  }
}

static dJointID tie(odeWorld *w, dBodyID a, dBodyID b, double x, double y, double z) {
  dJointID joint = dJointCreateBall(w->world, NULL);
  dJointAttach(joint, a, b);
  dJointSetBallAnchor(joint, x, y, z);
  return joint;
}

/* Four bars in a ring. A tree has one joint less than bodies: the fourth is cut, and ODE still holds it. */
static void a_ring_of_joints_is_cut_with_a_log_line_and_stays_assembled(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  logged[0] = '\0';
  dBrinkSetLog(w.brink, keepLog, NULL);
  dGeomID wall = dCreateBox(w.space, 0.01, 10, 10);
  dBodyID bars[4];
  static const double places[4][2] = {{-1, 0.5}, {-1.5, 0}, {-1, -0.5}, {-0.5, 0}};
  for (int i = 0; i < 4; ++i) {
    dGeomID geom = i % 2 == 0 ? dCreateBox(w.space, 0.9, 0.05, 0.05) : dCreateBox(w.space, 0.05, 0.9, 0.05);
    bars[i] = odeWorld_Body(&w, geom, 1, places[i][0], places[i][1], 0);
    dBodySetLinearVel(bars[i], 50, 0, 0);
  }
  tie(&w, bars[0], bars[1], -1.5, 0.5, 0);
  tie(&w, bars[1], bars[2], -1.5, -0.5, 0);
  tie(&w, bars[2], bars[3], -0.5, -0.5, 0);
  tie(&w, bars[3], bars[0], -0.5, 0.5, 0);
  double worst = 0;
  for (int frame = 0; frame < 60; ++frame) {
    if (!odeWorld_Step(&w)) {
      fail_msg("frame %d: %s", frame, dBrinkGetError(w.brink));
    }
    worst = fmax(worst, odeWorld_Info(&w).worstJointError);
    for (int i = 0; i < 4; ++i) {
      assert_true(dBodyGetPosition(bars[i])[0] < 0.005);
    }
  }
  assertLogNames("joints close loops");
  print_message("worst joint error of the ring %.4f m\n", worst);
  assert_true(worst < 0.3);
  (void)wall;
  odeWorld_End(&w);
}

static void a_pose_that_is_not_finite_is_named_and_the_step_refused(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; ++kind) {
    odeWorld w;
    odeWorld_Make(&w, true, kind == 1, -9.81);
    dBodyID good = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 5);
    dBodyID sick = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 3, 0, 5);
    dReal *storage = (dReal *)(uintptr_t)(kind == 0 ? dBodyGetPosition(sick) : dBodyGetQuaternion(sick));
    dReal before = storage[1];
    storage[1] = NAN;
    int done = kind == 1 ? dBrinkWorldQuickStep(w.brink, 0.01, NULL, NULL, NULL) : dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL);
    assert_int_equal(done, 0);
    assert_non_null(strstr(dBrinkGetError(w.brink), "finite"));
    assert_non_null(strstr(dBrinkGetError(w.brink), "body"));
    if (dBodyGetPosition(good)[2] != 5) {
      fail_msg("kind %d: the world was stepped, %s", kind, dBrinkGetError(w.brink));
    }
    storage[1] = before;
    assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 1);
    assert_true(dBodyGetPosition(good)[2] < 5);
    odeWorld_End(&w);
  }
}

/* ODE builds such a mesh without a word; Brink names the geom, leaves it to ODE and goes on. */
static void a_mesh_with_nan_coordinates_is_named_and_left_to_ode(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  logged[0] = '\0';
  dBrinkSetLog(w.brink, keepLog, NULL);
  static double vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  static const uint32_t indices[3] = {0, 1, 2};
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, vertices, 3 * sizeof(double), 3, indices, 3, 3 * sizeof(uint32_t));
  dGeomID mesh = dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  dGeomSetPosition(mesh, 50, 0, 0);
  vertices[4] = NAN; /* ODE keeps the pointer: the program spoils its own mesh before the first step */
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 5);
  int done = dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL);
  print_message("done %d, error \"%s\", log: %s", done, dBrinkGetError(w.brink), logged);
  const char *told = done ? logged : dBrinkGetError(w.brink);
  assert_non_null(strstr(told, "finite"));
  assert_true(dBodyGetPosition(ball)[2] < 5);
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
}

static void a_model_folder_that_cannot_be_written_is_named(void **state) {
  (void)state;
  char message[400] = "";
  demoParams params = {.withBrink = true, .assetDir = "/dev/null/models", .quiet = true};
  assert_null(demoFindScene("ragdoll")->create(&params, message, sizeof message));
  assert_non_null(strstr(message, "/dev/null"));
}

static int startOde(void **state) {
  (void)state;
  return !dInitODE2(0);
}

static int endOde(void **state) {
  (void)state;
  dCloseODE();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ring_of_joints_is_cut_with_a_log_line_and_stays_assembled),
      cmocka_unit_test(a_pose_that_is_not_finite_is_named_and_the_step_refused),
      cmocka_unit_test(a_mesh_with_nan_coordinates_is_named_and_left_to_ode),
      cmocka_unit_test(a_model_folder_that_cannot_be_written_is_named),
  };
  return cmocka_run_group_tests(tests, startOde, endOde);
}
