/* SPDX-License-Identifier: BSD-3-Clause */
/* The mirror of an ODE world: every shape is measured where ODE says it is, changes and destruction are noticed, and
 * bad input gets a text that names it and leaves the process alive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ode_world.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static void assert_error_names(dBrinkID brink, const char *word) {
  if (strstr(dBrinkGetError(brink), word) == NULL) {
    fail_msg("the error is \"%s\", it should name \"%s\"", dBrinkGetError(brink), word);
  }
}

/* A unit cube's corners and outward triangles, for trimesh and convex geoms. */
static const double cubeVertices[8][3] = {{-.5, -.5, -.5}, {.5, -.5, -.5}, {-.5, .5, -.5}, {.5, .5, -.5},
                                          {-.5, -.5, .5},  {.5, -.5, .5},  {-.5, .5, .5},  {.5, .5, .5}};
static const dTriIndex cubeTriangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
static const dReal cubePlanes[24] = {1, 0, 0, .5, -1, 0, 0, .5, 0, 1, 0, .5, 0, -1, 0, .5, 0, 0, 1, .5, 0, 0, -1, .5};
static const dReal cubePoints[24] = {-.5, -.5, -.5, .5, -.5, -.5, -.5, .5, -.5, .5, .5, -.5,
                                     -.5, -.5, .5,  .5, -.5, .5,  -.5, .5, .5,  .5, .5, .5};
static const unsigned cubePolygons[30] = {4, 1, 3, 7, 5, 4, 0, 4, 6, 2, 4, 2, 6, 7, 3,
                                          4, 0, 1, 5, 4, 4, 4, 5, 7, 6, 4, 0, 2, 3, 1};

static dTriMeshDataID makeCubeData(void) {
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, cubeVertices, sizeof(cubeVertices[0]), 8, cubeTriangles, 36,
                              sizeof(cubeTriangles[0]));
  return data;
}

/* ---- shapes */

static void every_shape_is_measured_where_ode_has_it(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dTriMeshDataID data = makeCubeData();
  dGeomID probe = dCreateSphere(w.space, 0.25);
  dGeomID geoms[] = {dCreateSphere(w.space, 0.5),
                     dCreateBox(w.space, 1, 1, 1),
                     dCreateCapsule(w.space, 0.5, 2),
                     dCreateCylinder(w.space, 0.5, 2),
                     dCreateConvex(w.space, cubePlanes, 6, cubePoints, 8, cubePolygons),
                     dCreateTriMesh(w.space, data, NULL, NULL, NULL)};
  dMatrix3 turn;
  dRFromAxisAndAngle(turn, 0, 1, 0, M_PI / 2); /* local z along world x */
  for (int i = 0; i < 6; ++i) {
    bool onBody = i % 2 == 0;
    dGeomID geom = geoms[i];
    if (onBody) {
      dBodyID body = odeWorld_Body(&w, geom, 1, 0, 0, 0);
      dBodySetPosition(body, 10, 10.0 * i, 0);
      dGeomSetOffsetPosition(geom, 0, 0, 1);
      dBodySetRotation(body, turn); /* the offset turns with it: centre at x = 11 */
    } else {
      dGeomSetRotation(geom, turn);
      dGeomSetPosition(geom, 11, 10.0 * i, 0);
    }
    double half = i == 2 ? 1.5 : i == 3 ? 1 : 0.5;
    dGeomSetPosition(probe, 11 + half + 1.25, 10.0 * i, 0);
    NEAR(dBrinkGeomDistance(w.brink, probe, geom), 1);
    NEAR(dBrinkGeomDistance(w.brink, geom, probe), 1);
    dGeomSetPosition(probe, 11, 10.0 * i, 1.75);
    NEAR(dBrinkGeomDistance(w.brink, probe, geom), 1);
  }
  dGeomID plane = dCreatePlane(w.space, 0, 0, 1, 3);
  dGeomSetPosition(probe, 0, 0, 5);
  NEAR(dBrinkGeomDistance(w.brink, probe, plane), 1.75);
  dGeomSetPosition(probe, 0, 0, 3);
  NEAR(dBrinkGeomDistance(w.brink, probe, plane), -0.25);
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
}

static void nested_spaces_are_watched_and_quadtrees_refused(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dSpaceID inner = dSimpleSpaceCreate(w.space), innermost = dSweepAndPruneSpaceCreate(inner, dSAP_AXES_XYZ);
  dGeomID a = dCreateSphere(innermost, 1), b = dCreateSphere(w.space, 1);
  dGeomSetPosition(a, 5, 0, 0);
  NEAR(dBrinkGeomDistance(w.brink, a, b), 3);
  dVector3 centre = {0, 0, 0, 0}, extents = {10, 10, 10, 0};
  dSpaceID quadtree = dQuadTreeSpaceCreate(NULL, centre, extents, 3);
  assert_int_equal(dBrinkAddSpace(w.brink, quadtree), 0);
  assert_error_names(w.brink, "quadtree");
  dSpaceDestroy(quadtree);
  dQuadTreeSpaceCreate(w.space, centre, extents, 3); /* nested: left out, the rest goes on */
  NEAR(dBrinkGeomDistance(w.brink, a, b), 3);
  assert_int_equal(dBrinkRemoveSpace(w.brink, w.space), 1);
  assert_int_equal(dBrinkRemoveSpace(w.brink, w.space), 0);
  assert_true(isnan(dBrinkGeomDistance(w.brink, a, b)));
  odeWorld_End(&w);
}

static void changes_of_a_geom_are_noticed(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dTriMeshDataID data = makeCubeData();
  dGeomID a = dCreateSphere(w.space, 1), b = dCreateBox(w.space, 1, 1, 1);
  dGeomSetPosition(b, 5, 0, 0);
  NEAR(dBrinkGeomDistance(w.brink, a, b), 3.5);
  dGeomSphereSetRadius(a, 2);
  NEAR(dBrinkGeomDistance(w.brink, a, b), 2.5);
  dGeomBoxSetLengths(b, 2, 1, 1);
  NEAR(dBrinkGeomDistance(w.brink, a, b), 2);
  dBodyID body = odeWorld_Body(&w, b, 1, 6, 0, 0);
  NEAR(dBrinkGeomDistance(w.brink, a, b), 3);
  dGeomSetOffsetPosition(b, 1, 0, 0);
  NEAR(dBrinkGeomDistance(w.brink, a, b), 4);
  dBodyDestroy(body); /* the geom stays where it is, as ODE has it */
  NEAR(dBrinkGeomDistance(w.brink, a, b), dGeomGetPosition(b)[0] - 3);
  /* A destroyed geom's memory is often used again at once. */
  for (int i = 0; i < 20; ++i) {
    dGeomDestroy(b);
    b = i % 2 ? dCreateBox(w.space, 2, 2, 2) : dCreateSphere(w.space, 1.5);
    dGeomSetPosition(b, 8, 0, 0);
    NEAR(dBrinkGeomDistance(w.brink, a, b), i % 2 ? 5 : 4.5);
  }
  /* The mesh's data rebuilt in place, twice as large. */
  dGeomID mesh = dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  dGeomSetPosition(mesh, 0, 10, 0);
  NEAR(dBrinkGeomDistance(w.brink, a, mesh), 7.5);
  static double larger[8][3];
  for (int i = 0; i < 24; ++i) {
    larger[i / 3][i % 3] = 2 * cubeVertices[i / 3][i % 3];
  }
  dGeomTriMeshDataBuildDouble(data, larger, sizeof(larger[0]), 8, cubeTriangles, 36, sizeof(cubeTriangles[0]));
  NEAR(dBrinkGeomDistance(w.brink, a, mesh), 7);
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
}

static void destroyed_objects_between_steps_are_forgotten(void **state) {
  (void)state;
  uint64_t seed = 4;
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dCreatePlane(w.space, 0, 0, 1, 0);
  enum { count = 20 };
  dBodyID bodies[count] = {NULL};
  dJointID joints[count] = {NULL};
  for (int frame = 0; frame < 200; ++frame) {
    int i = (int)odeUniform(&seed, 0, count), next = (i + 1) % count;
    if (bodies[i] != NULL && odeRandom(&seed) < 0.5) {
      if (odeRandom(&seed) < 0.7) {
        dGeomDestroy(dBodyGetFirstGeom(bodies[i])); /* else the geom becomes static */
      }
      if (joints[i] != NULL) {
        dJointDestroy(joints[i]);
        joints[i] = NULL;
      }
      dBodyDestroy(bodies[i]);
      bodies[i] = NULL;
    } else if (bodies[i] == NULL) {
      dGeomID geom = odeRandom(&seed) < 0.5 ? dCreateSphere(w.space, 0.1) : dCreateBox(w.space, 0.2, 0.2, 0.2);
      bodies[i] =
          odeWorld_Body(&w, geom, 1, odeUniform(&seed, -2, 2), odeUniform(&seed, -2, 2), odeUniform(&seed, 1, 3));
      dBodySetLinearVel(bodies[i], 0, 0, -odeUniform(&seed, 0, 100));
      if (bodies[next] != NULL && joints[i] == NULL) {
        joints[i] = dJointCreateBall(w.world, NULL);
        dJointAttach(joints[i], bodies[i], bodies[next]);
        const dReal *p = dBodyGetPosition(bodies[i]);
        dJointSetBallAnchor(joints[i], p[0], p[1], p[2]);
      }
    }
    assert_int_equal(odeWorld_Step(&w), 1);
    for (int k = 0; k < count; ++k) {
      assert_true(bodies[k] == NULL || dBodyGetPosition(bodies[k])[2] > -0.1);
    }
  }
  odeWorld_End(&w);
}

/* ---- settings and bad input */

static void settings_are_checked(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomID inside = dCreateSphere(w.space, 1), outside = dCreateSphere(NULL, 1);
  assert_int_equal(dBrinkSetMaxSubsteps(w.brink, -1), 0);
  assert_error_names(w.brink, "-1");
  assert_int_equal(dBrinkSetMaxSubsteps(w.brink, 3), 1);
  assert_string_equal(dBrinkGetError(w.brink), "");
  assert_int_equal(dBrinkSetAllowance(w.brink, 0), 0);
  assert_int_equal(dBrinkSetAllowance(w.brink, NAN), 0);
  assert_int_equal(dBrinkSetAllowance(w.brink, 0.01), 1);
  assert_int_equal(dBrinkSetGeomAllowance(w.brink, inside, 0.02), 1);
  assert_int_equal(dBrinkSetGeomAllowance(w.brink, outside, 0.02), 0);
  assert_error_names(w.brink, "space");
  assert_int_equal(dBrinkSetScheme(w.brink, 9), 0);
  assert_int_equal(dBrinkSetScheme(w.brink, 2), 1);
  assert_int_equal(dBrinkSetTaylorOrder(w.brink, 6), 0);
  assert_int_equal(dBrinkSetTaylorOrder(w.brink, 0), 1);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_int_equal(dBrinkGetStepInfo(w.brink, NULL), 0);
  dBrinkStepInfo info = {.structSize = 8}; /* an older caller's */
  assert_int_equal(dBrinkGetStepInfo(w.brink, &info), 1);
  assert_true(info.solves == 1 && info.firstToi == 0);
  assert_int_equal(dBrinkAddSpace(w.brink, NULL), 0);
  assert_int_equal(dBrinkAddSpace(NULL, w.space), 0);
  dBrinkDestroy(NULL);
  dGeomDestroy(outside);
  odeWorld_End(&w);
}

static void create_says_why_it_fails(void **state) {
  (void)state;
  assert_null(dBrinkCreate(NULL));
  assert_error_names(NULL, "NULL");
  dWorldID world = dWorldCreate();
  assert_null(dBrinkCreateChecked(world, sizeof(float)));
  assert_error_names(NULL, "dReal");
  dCloseODE();
  assert_null(dBrinkCreate(world));
  assert_error_names(NULL, "dInitODE2");
  assert_int_equal(dBrinkRegisterAll(), 0);
  dInitODE2(0);
  dBrinkID brink = dBrinkCreate(world);
  assert_non_null(brink);
  assert_string_equal(dBrinkGetError(NULL), "");
  dBrinkDestroy(brink);
  dWorldDestroy(world);
}

static void bad_steps_are_refused_and_the_world_is_left_alone(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 1);
  static const double steps[] = {0, -0.01, NAN, INFINITY};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(dBrinkWorldStep(w.brink, steps[i], NULL, NULL, NULL), 0);
    assert_error_names(w.brink, "positive");
    assert_true(dBodyGetPosition(body)[2] == 1);
  }
  dBodyID sick = odeWorld_Body(&w, NULL, 1, 0, 0, 0);
  dBrinkAddBody(w.brink, sick);
  dBodySetLinearVel(sick, NAN, 0, 0);
  assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 0);
  assert_error_names(w.brink, "finite");
  assert_true(dBodyGetPosition(body)[2] == 1);
  dBodySetLinearVel(sick, 0, 0, 0);
  dBodySetPosition(sick, INFINITY, 0, 0);
  assert_int_equal(dBrinkWorldQuickStep(w.brink, 0.01, NULL, NULL, NULL), 0);
  assert_error_names(w.brink, "finite");
  dBrinkRemoveBody(w.brink, sick);
  dBodyDestroy(sick);
  assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 1);
  assert_true(dBodyGetPosition(body)[2] < 1);
  odeWorld_End(&w);
}

static int warnings;
static void countWarnings(void *user, int level, const char *message) {
  (void)user;
  (void)message;
  warnings += level <= 1;
}

static void unanswered_classes_are_logged_and_keep_odes_contacts(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dBrinkSetLog(w.brink, countWarnings, NULL);
  warnings = 0;
  static const double heights[4] = {0, 0, 0, 0};
  dHeightfieldDataID data = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildDouble(data, heights, 0, 20, 20, 2, 2, 1, 0, 1, 0);
  dGeomID field = dCreateHeightfield(w.space, data, 1);
  dMatrix3 turn;
  dRFromAxisAndAngle(turn, 1, 0, 0, M_PI / 2); /* local y up becomes world z */
  dGeomSetRotation(field, turn);
  dBodyID rests = odeWorld_Body(&w, dCreateBox(w.space, 1, 1, 1), 1, 0.3, 0.2, 0.5);
  /* A bullet strikes the resting box in a later step: its contact with the field must survive the extra solve. */
  dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.02), 0.01, -40, 0.2, 0.9);
  dBodySetGravityMode(bullet, 0);
  dBodySetLinearVel(bullet, 300, 0, 0);
  for (int frame = 0; frame < 60; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(dBodyGetPosition(rests)[2] > 0.45);
  }
  assert_true(dBodyGetPosition(rests)[0] > 0.31); /* it was hit */
  assert_int_equal(warnings, 1);
  odeWorld_End(&w);
  dGeomHeightfieldDataDestroy(data);
}

static void bodies_without_geoms_are_stepped_once(void **state) {
  (void)state;
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomSetPosition(dCreateBox(w.space, 0.005, 1, 1), 0, 0, 0);
  dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.005), 0.01, -2.3, 0, 0);
  dBodySetLinearVel(bullet, 300, 0, 0);
  dBodyID alone = odeWorld_Body(&w, NULL, 1, 0, 0, 50);
  dBodySetLinearVel(alone, 6, 0, 0);
  assert_int_equal(dBrinkAddBody(w.brink, alone), 1);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_int_equal(odeWorld_Info(&w).solves, 2);
  assert_true(fabs(dBodyGetPosition(alone)[0] - 0.1) < 1e-12);
  assert_int_equal(dBrinkRemoveBody(w.brink, alone), 1);
  assert_int_equal(dBrinkRemoveBody(w.brink, alone), 0);
  odeWorld_End(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shape_is_measured_where_ode_has_it),
      cmocka_unit_test(nested_spaces_are_watched_and_quadtrees_refused),
      cmocka_unit_test(changes_of_a_geom_are_noticed),
      cmocka_unit_test(destroyed_objects_between_steps_are_forgotten),
      cmocka_unit_test(settings_are_checked),
      cmocka_unit_test(create_says_why_it_fails),
      cmocka_unit_test(bad_steps_are_refused_and_the_world_is_left_alone),
      cmocka_unit_test(unanswered_classes_are_logged_and_keep_odes_contacts),
      cmocka_unit_test(bodies_without_geoms_are_stepped_once),
  };
  dInitODE2(0);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  dCloseODE();
  return failed;
}
