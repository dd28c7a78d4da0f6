/* SPDX-License-Identifier: BSD-3-Clause */
/* The mirror of an ODE world: every shape is measured where ODE says it is, changes and destruction are noticed, and
 * bad input gets a text that names it and leaves the process alive. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_start.h"
#include "ode_box.h"
#include "ode_world.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static void assert_error_names(dBrinkID brink, const char *word) {
  if (strstr(dBrinkGetError(brink), word) == NULL) {
    fail_msg("the error is \"%s\", it should name \"%s\"", dBrinkGetError(brink), word);
  }
}

/* A unit cube. */
static const double cubeVertices[8][3] = BOX_CORNERS(.5, .5, .5);
static const dReal cubePlanes[24] = BOX_PLANES(.5, .5, .5);
static const dReal cubePoints[24] = BOX_POINTS(.5, .5, .5);

static dTriMeshDataID makeCubeData(void) { return makeBoxData(cubeVertices); }

/* ---- shapes */

CASE(every_shape_is_measured_where_ode_has_it) {
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

CASE(all_four_kinds_of_space_are_watched_nested_in_any_order) {
  dVector3 centre = {0, 0, 0, 0}, extents = {10, 10, 10, 0};
  for (int outerKind = 0; outerKind < 4; ++outerKind) {
    for (int innerKind = 0; innerKind < 4; ++innerKind) {
      dWorldID world = dWorldCreate();
      dBrinkID brink = dBrinkCreate(world);
      dSpaceID spaces[2] = {NULL, NULL};
      for (int i = 0; i < 2; ++i) {
        int kind = i == 0 ? outerKind : innerKind;
        dSpaceID in = i == 0 ? NULL : spaces[0];
        spaces[i] = kind == 0   ? dSimpleSpaceCreate(in)
                    : kind == 1 ? dHashSpaceCreate(in)
                    : kind == 2 ? dSweepAndPruneSpaceCreate(in, dSAP_AXES_XYZ)
                                : dQuadTreeSpaceCreate(in, centre, extents, 4);
      }
      assert_int_equal(dBrinkAddSpace(brink, spaces[0]), 1);
      dGeomID a = dCreateSphere(spaces[1], 1), b = dCreateSphere(spaces[0], 1), far = dCreateSphere(spaces[1], 1);
      dGeomSetPosition(a, 5, 0, 0);
      dGeomSetPosition(far, 500, -70, 3); /* outside the quadtree's extents */
      NEAR(dBrinkGeomDistance(brink, a, b), 3);
      NEAR(dBrinkGeomDistance(brink, far, b), sqrt(500.0 * 500 + 70 * 70 + 9) - 2);
      dGeomDestroy(a);
      assert_true(isnan(dBrinkGeomDistance(brink, a, b)));
      assert_int_equal(dBrinkRemoveSpace(brink, spaces[0]), 1);
      assert_int_equal(dBrinkRemoveSpace(brink, spaces[0]), 0);
      assert_true(isnan(dBrinkGeomDistance(brink, far, b)));
      assert_null(dGeomGetSpace((dGeomID)spaces[0]));
      dBrinkDestroy(brink);
      dSpaceDestroy(spaces[0]);
      dWorldDestroy(world);
    }
  }
}

CASE(a_quadtree_of_two_thousand_geoms_lets_no_bullet_through) {
  uint64_t seed = 12;
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dVector3 centre = {0, 0, 0, 0}, extents = {50, 50, 50, 0};
  dSpaceID quadtree = dQuadTreeSpaceCreate(NULL, centre, extents, 6);
  assert_int_equal(dBrinkAddSpace(w.brink, quadtree), 1);
  for (int i = 0; i < 2000; ++i) {
    dGeomID box = dCreateBox(quadtree, 0.1, 0.1, 0.1);
    dGeomSetPosition(box, odeUniform(&seed, 20, 50), odeUniform(&seed, -50, 50), odeUniform(&seed, -5, 5));
  }
  dCreateBox(quadtree, 0.005, 100, 100);
  dBodyID bullets[20];
  for (int i = 0; i < 20; ++i) {
    bullets[i] = odeWorld_Body(&w, dCreateSphere(quadtree, 0.01), 0.01, -2.5 - 0.1 * i, 2 * i - 20.0, 0);
    dBodySetLinearVel(bullets[i], 300, 0, 0);
  }
  for (int frame = 0; frame < 5; ++frame) {
    dSpaceCollide(quadtree, &w, odeWorld_Near);
    assert_int_equal(dBrinkWorldStep(w.brink, w.h, &w, odeWorld_Near, w.contacts), 1);
    dJointGroupEmpty(w.contacts);
    for (int i = 0; i < 20; ++i) {
      assert_true(dBodyGetPosition(bullets[i])[0] < 0);
    }
  }
  dSpaceDestroy(quadtree); /* watched still: noticed */
  assert_int_equal(odeWorld_Step(&w), 1);
  odeWorld_End(&w);
}

/* Plain ODE takes each of these changes between a step and the next look: what moved is known to have moved. */
CASE(what_moves_in_a_quadtree_may_change_its_space_or_its_mesh_after_a_step) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dVector3 centre = {0, 0, 0, 0}, extents = {10, 10, 10, 0};
  dSpaceID tree = dQuadTreeSpaceCreate(NULL, centre, extents, 3);
  static const double vertices[4][3] = {{0, 0, 0}, {0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}};
  static const dTriIndex faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  dTriMeshDataID data[2] = {dGeomTriMeshDataCreate(), dGeomTriMeshDataCreate()};
  for (int i = 0; i < 2; ++i) {
    dGeomTriMeshDataBuildDouble(data[i], vertices, sizeof(*vertices), 4, faces, 12, 3 * sizeof(*faces));
  }
  dGeomID ball = dCreateSphere(tree, 0.1), mesh = dCreateTriMesh(tree, data[0], NULL, NULL, NULL);
  dGeomID geoms[4] = {ball, mesh, dCreateSphere(tree, 0.1), dCreateSphere(w.space, 0.1)};
  for (int i = 0; i < 4; ++i) {
    dBodySetLinearVel(odeWorld_Body(&w, geoms[i], 1, 0.5 * i, 0, 0), 0, 0.1, 0);
  }
  dSpaceID homes[2] = {tree, w.space};
  dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 0.01, 0, 0, 0);
  dGeomSetPosition(dCreateBox(w.space, 0.01, 1, 1), 5, 0, 0);
  assert_int_equal(dBrinkAddSpace(w.brink, tree), 1);
  dGeomTriMeshSetData(mesh, data[1]);
  for (int frame = 0; frame < 4; ++frame) {
    dBodySetPosition(bullet, 4, 0, 0); /* strikes the wall in each step: Brink looks at its spaces after it */
    dBodySetLinearVel(bullet, 300, 0, 0);
    dSpaceCollide(tree, &w, odeWorld_Near);
    assert_int_equal(odeWorld_Step(&w), 1);
    dSpaceRemove(homes[frame % 2], ball);
    dSpaceAdd(homes[1 - frame % 2], ball);
    dGeomTriMeshSetData(mesh, data[1 - frame % 2]);
  }
  dSpaceDestroy(tree);
  odeWorld_End(&w);
  for (int i = 0; i < 2; ++i) {
    dGeomTriMeshDataDestroy(data[i]);
  }
}

CASE(a_geom_in_no_space_is_watched_when_added_and_forgotten_when_destroyed) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomID alone = dCreateSphere(NULL, 1), inside = dCreateSphere(w.space, 1);
  dGeomSetPosition(alone, 4, 0, 0);
  assert_true(isnan(dBrinkGeomDistance(w.brink, alone, inside)));
  assert_int_equal(dBrinkAddGeom(w.brink, alone), 1);
  NEAR(dBrinkGeomDistance(w.brink, alone, inside), 2);
  assert_int_equal(dBrinkAddGeom(w.brink, inside), 0);
  assert_error_names(w.brink, "space");
  assert_int_equal(dBrinkAddGeom(w.brink, (dGeomID)w.space), 0);
  assert_int_equal(dBrinkAddGeom(w.brink, NULL), 0);
  assert_int_equal(dBrinkRemoveGeom(w.brink, inside), 0);
  assert_int_equal(dBrinkRemoveGeom(w.brink, alone), 1);
  assert_null(dGeomGetSpace(alone));
  assert_int_equal(dBrinkRemoveGeom(w.brink, alone), 0);
  assert_int_equal(dBrinkAddGeom(w.brink, alone), 1);
  dGeomDestroy(alone);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_true(isnan(dBrinkGeomDistance(w.brink, alone, inside)));
  assert_int_equal(dBrinkRemoveGeom(w.brink, alone), 0);
  odeWorld_End(&w);
}

/* ---- heightfields */

static double pointTriangle(const double p[3], const double a[3], const double b[3], const double c[3]) {
  double best = INFINITY;
  const double *corner[3] = {a, b, c};
  double u[3], v[3], n[3], square = 0;
  for (int i = 0; i < 3; ++i) {
    u[i] = b[i] - a[i];
    v[i] = c[i] - a[i];
  }
  for (int i = 0; i < 3; ++i) {
    n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    square += n[i] * n[i];
  }
  bool inside = true;
  for (int k = 0; k < 3; ++k) {
    const double *s = corner[k], *e = corner[(k + 1) % 3];
    double d[3], w[3], along = 0, length = 0, side = 0, distance = 0;
    for (int i = 0; i < 3; ++i) {
      d[i] = e[i] - s[i];
      w[i] = p[i] - s[i];
      along += d[i] * w[i];
      length += d[i] * d[i];
    }
    double t = fmin(1, fmax(0, along / length));
    for (int i = 0; i < 3; ++i) {
      distance += (w[i] - t * d[i]) * (w[i] - t * d[i]);
      side += n[i] * (d[(i + 1) % 3] * w[(i + 2) % 3] - d[(i + 2) % 3] * w[(i + 1) % 3]);
    }
    best = fmin(best, sqrt(distance));
    inside = inside && side >= 0;
  }
  double height = 0;
  for (int i = 0; i < 3; ++i) {
    height += n[i] * (p[i] - a[i]);
  }
  return inside ? fabs(height) / sqrt(square) : best;
}

typedef struct field {
  int columns, rows;
  double width, depth, heights[40 * 40];
} field;

static void cornerOf(const field *f, int column, int row, double out[3]) {
  out[0] = f->width * column / (f->columns - 1) - f->width / 2;
  out[1] = f->heights[row * f->columns + column];
  out[2] = f->depth * row / (f->rows - 1) - f->depth / 2;
}

static double fieldDistance(const field *f, const double p[3]) {
  double best = INFINITY;
  for (int row = 0; row + 1 < f->rows; ++row) {
    for (int column = 0; column + 1 < f->columns; ++column) {
      double a[3], b[3], c[3], d[3];
      cornerOf(f, column, row, a);
      cornerOf(f, column + 1, row, b);
      cornerOf(f, column, row + 1, c);
      cornerOf(f, column + 1, row + 1, d);
      best = fmin(best, fmin(pointTriangle(p, a, b, c), pointTriangle(p, b, c, d)));
    }
  }
  return best;
}

static dReal heightCallback(void *user, int x, int z) {
  const field *f = user;
  return f->heights[z * f->columns + x];
}

CASE(heightfields_are_found_sample_by_sample) {
  static const int sides[][2] = {{2, 2}, {3, 2}, {5, 9}, {17, 17}, {33, 6}, {40, 40}};
  uint64_t seed = 77;
  for (int test = 0; test < 24; ++test) {
    static field f;
    f = (field){.columns = sides[test % 6][0], .rows = sides[test % 6][1], .width = 16.3, .depth = 7.7};
    bool flatBorder = test / 6 == 1, coarse = test / 6 == 2;
    for (int i = 0; i < f.columns * f.rows; ++i) {
      int column = i % f.columns, row = i / f.columns;
      int wide = f.columns / 8, high = f.rows / 8; /* of the border */
      bool border = column <= wide || row <= high || column + 1 + wide >= f.columns || row + 1 + high >= f.rows;
      f.heights[i] = flatBorder && border ? 0.5 : coarse ? floor(odeUniform(&seed, 0, 3)) : odeUniform(&seed, 0, 2);
    }
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    if (test / 6 == 3) {
      dGeomHeightfieldDataBuildCallback(data, &f, heightCallback, f.width, f.depth, f.columns, f.rows, 1, 0, 1, 0);
    } else {
      dGeomHeightfieldDataBuildDouble(data, f.heights, 0, f.width, f.depth, f.columns, f.rows, 1, 0, 1, 0);
    }
    bool placeable = test % 2 == 0;
    dGeomID geom = dCreateHeightfield(w.space, data, placeable), probe = dCreateSphere(w.space, 0.01);
    dMatrix3 turn = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double at[3] = {0, 0, 0};
    if (placeable) {
      dRFromAxisAndAngle(turn, 1, 0.3, -0.2, 1.9);
      dGeomSetRotation(geom, turn);
      dGeomSetPosition(geom, at[0] = 3, at[1] = -7, at[2] = 2);
    }
    for (int k = 0; k < 30; ++k) {
      double p[3] = {odeUniform(&seed, -9, 9), odeUniform(&seed, 2.1, 6), odeUniform(&seed, -5, 5)}, q[3];
      for (int i = 0; i < 3; ++i) {
        q[i] = at[i] + turn[4 * i] * p[0] + turn[4 * i + 1] * p[1] + turn[4 * i + 2] * p[2];
      }
      dGeomSetPosition(probe, q[0], q[1], q[2]);
      double distance = dBrinkGeomDistance(w.brink, probe, geom), expected = fieldDistance(&f, p) - 0.01;
      if (!(fabs(distance - expected) < 1e-6)) {
        fail_msg("seed 77 test %d (%d x %d samples): distance %.9g, not %.9g: %s", test, f.columns, f.rows, distance,
                 expected, dBrinkGetError(w.brink));
      }
    }
    /* Changed in place: noticed by sampled heights. */
    dGeomSetPosition(probe, at[0] + 20 * turn[1], at[1] + 20 * turn[5], at[2] + 20 * turn[9]);
    const double above[3] = {0, 20, 0};
    NEAR(dBrinkGeomDistance(w.brink, probe, geom), fieldDistance(&f, above) - 0.01);
    for (int i = 0; i < f.columns * f.rows; ++i) {
      f.heights[i] += 1;
    }
    if (test / 6 != 3) {
      dGeomHeightfieldDataBuildDouble(data, f.heights, 0, f.width, f.depth, f.columns, f.rows, 1, 0, 1, 0);
    }
    NEAR(dBrinkGeomDistance(w.brink, probe, geom), fieldDistance(&f, above) - 0.01);
    odeWorld_End(&w);
    dGeomHeightfieldDataDestroy(data);
  }
}

static char logged[2000];

static void keepLog(void *user, int level, const char *message) {
  (void)user;
  (void)level;
  snprintf(logged + strlen(logged), sizeof(logged) - strlen(logged), "%s\n", message);
}

static void assert_log_names(const char *word) {
  if (strstr(logged, word) == NULL) {
    fail_msg("\"%s\" is not in the log: %s", word, logged);
  }
}

CASE(heightfields_that_cannot_be_answered_are_named_in_the_log) {
  uint64_t seed = 5;
  static double heights[30 * 20];
  for (int i = 0; i < 600; ++i) {
    heights[i] = odeUniform(&seed, 0, 1);
  }
  for (int test = 0; test < 3; ++test) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    logged[0] = '\0';
    dBrinkSetLog(w.brink, keepLog, NULL);
    dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(data, heights, 0, 30, 20, 30, 20, 1, 0, 1, test == 0);
    assert_int_equal(dBrinkUseHeightfield(w.brink, data, 1, 20), 0);
    if (test > 0) {
      assert_int_equal(dBrinkUseHeightfield(w.brink, data, test == 1 ? 29 : 30, 20), 1);
    }
    dGeomID geom = dCreateHeightfield(w.space, data, 0), probe = dCreateSphere(w.space, 0.1);
    dGeomSetPosition(probe, 0, 5, 0);
    double distance = dBrinkGeomDistance(w.brink, probe, geom);
    if (test == 2) {
      assert_true(distance > 3.8 && distance < 4.95);
      assert_null(strstr(logged, "watched"));
    } else {
      assert_true(isnan(distance));
      assert_log_names(test == 0 ? "wraps around" : "dBrinkUseHeightfield");
    }
    odeWorld_End(&w);
    dGeomHeightfieldDataDestroy(data);
  }
}

/* ---- transforms and user classes */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
CASE(transformed_geoms_lie_where_both_placements_put_them) {
  dTriMeshDataID data = makeCubeData();
  dMatrix3 turn;
  dRFromAxisAndAngle(turn, 0, 1, 0, M_PI / 2); /* local z along x */
  for (int info = 0; info < 2; ++info) {
    for (int kind = 0; kind < 6; ++kind) {
      odeWorld w;
      odeWorld_Make(&w, true, false, 0);
      dGeomID inside = kind == 0   ? dCreateSphere(NULL, 0.5)
                       : kind == 1 ? dCreateBox(NULL, 1, 1, 1)
                       : kind == 2 ? dCreateCapsule(NULL, 0.5, 2)
                       : kind == 3 ? dCreateCylinder(NULL, 0.5, 2)
                       : kind == 4 ? dCreateConvex(NULL, cubePlanes, 6, cubePoints, 8, cubePolygons)
                                   : dCreateTriMesh(NULL, data, NULL, NULL, NULL);
      dGeomID transform = dCreateGeomTransform(w.space), probe = dCreateSphere(w.space, 0.25);
      dGeomTransformSetInfo(transform, info);
      dGeomTransformSetCleanup(transform, 1);
      dGeomTransformSetGeom(transform, inside);
      dGeomSetPosition(inside, 0, 0, 2);
      dGeomSetRotation(inside, turn);
      dBodyID body = odeWorld_Body(&w, transform, 1, 10, 0, 0);
      dBodySetRotation(body, turn); /* the place (0,0,2) is at x = 12; the inner axis z, first along x, points to -z */
      double half = kind == 2 ? 1.5 : kind == 3 ? 1 : 0.5;
      dGeomSetPosition(probe, 12, 0, half + 1.25);
      NEAR(dBrinkGeomDistance(w.brink, probe, transform), 1);
      dGeomSetPosition(probe, 12 + 0.5 + 1.25, 0, 0);
      NEAR(dBrinkGeomDistance(w.brink, probe, transform), 1);
      dGeomSetPosition(inside, 0, 0, 3); /* noticed */
      dGeomSetPosition(probe, 13 + 0.5 + 1.25, 0, 0);
      NEAR(dBrinkGeomDistance(w.brink, probe, transform), 1);
      odeWorld_End(&w);
    }
  }
  dGeomTriMeshDataDestroy(data);
}
#pragma GCC diagnostic pop

/* A user class: a box of 2 m, with ODE's own contacts. */
static void userBox(dGeomID geom, dReal box[6]) {
  const dReal *p = dGeomGetPosition(geom);
  for (int i = 0; i < 6; ++i) {
    box[i] = p[i / 2] + (i % 2 ? 1 : -1);
  }
}

static int userCollide(dGeomID a, dGeomID b, int flags, dContactGeom *contact, int skip) {
  return odeCollideAs(dCreateBox(NULL, 2, 2, 2), a, b, flags, contact, skip);
}

static dColliderFn *userCollider(int num) {
  (void)num;
  return userCollide;
}

static int userClass = -1;

static dGeomID makeUserGeom(dSpaceID space) {
  if (userClass < 0) {
    dGeomClass c = {.bytes = 0, .collider = userCollider, .aabb = userBox};
    userClass = dCreateGeomClass(&c);
  }
  dGeomID geom = dCreateGeom(userClass);
  dSpaceAdd(space, geom);
  return geom;
}

static void ballSupport(void *user, const double direction[3], double point[3]) {
  for (int i = 0; i < 3; ++i) {
    point[i] = *(double *)user * direction[i];
  }
}

CASE(user_classes_are_as_large_as_the_program_tells) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  logged[0] = '\0';
  dBrinkSetLog(w.brink, keepLog, NULL);
  dGeomID user = makeUserGeom(w.space), probe = dCreateSphere(w.space, 0.5);
  dBodyID body = odeWorld_Body(&w, user, 1, 4, 0, 0);
  assert_true(isnan(dBrinkGeomDistance(w.brink, probe, user)));
  assert_log_names("dBrinkSetGeomShape");
  dGeomID like = dCreateBox(NULL, 2, 2, 2);
  assert_int_equal(dBrinkSetGeomShape(w.brink, user, like), 1);
  dGeomDestroy(like);
  NEAR(dBrinkGeomDistance(w.brink, probe, user), 2.5);
  double radius = 1;
  assert_int_equal(dBrinkSetGeomSupport(w.brink, user, ballSupport, &radius, 0), 0);
  assert_int_equal(dBrinkSetGeomSupport(w.brink, user, ballSupport, &radius, 1), 1);
  dBodySetPosition(body, 3, 4, 0);
  NEAR(dBrinkGeomDistance(w.brink, probe, user), 3.5);
  assert_int_equal(dBrinkSetTaylorOrder(w.brink, 2), 1); /* built anew: kept */
  NEAR(dBrinkGeomDistance(w.brink, probe, user), 3.5);
  /* any class may be taken for a simpler shape; convexes and meshes too */
  dTriMeshDataID data = makeCubeData();
  dGeomID likes[2] = {dCreateConvex(NULL, cubePlanes, 6, cubePoints, 8, cubePolygons),
                      dCreateTriMesh(NULL, data, NULL, NULL, NULL)};
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(dBrinkSetGeomShape(w.brink, probe, likes[i]), 1);
    dGeomDestroy(likes[i]);
    dBodySetPosition(body, 3, 0, 0);
    NEAR(dBrinkGeomDistance(w.brink, probe, user), 1.5);
  }
  assert_int_equal(dBrinkSetGeomShape(w.brink, probe, NULL), 1);
  assert_int_equal(dBrinkSetGeomShape(w.brink, probe, (dGeomID)w.space), 0);
  dGeomID plane = dCreatePlane(NULL, 0, 0, 1, 0);
  assert_int_equal(dBrinkSetGeomShape(w.brink, probe, plane), 0);
  assert_int_equal(dBrinkSetGeomShape(w.brink, plane, probe), 0);
  assert_error_names(w.brink, "not watched");
  dGeomDestroy(plane);
  /* and it stops what is fast, with the contacts of its own collider */
  dBodySetPosition(body, 0, 0, 0);
  dBodySetLinearVel(body, 0, 0, 0);
  dGeomSetPosition(probe, 0, 50, 0);
  dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 0.001, -3.3, 0.1, 0);
  dBodySetLinearVel(bullet, 400, 0, 0);
  odeWorld_Step(&w);
  assert_true(odeWorld_Info(&w).eventCount > 0);
  assert_true(dBodyGetPosition(bullet)[0] < -0.9 && dBodyGetLinearVel(body)[0] > 0.1);
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
}

CASE(changes_of_a_geom_are_noticed) {
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

CASE(destroyed_objects_between_steps_are_forgotten) {
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

CASE(settings_are_checked) {
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

CASE(create_says_why_it_fails) {
  assert_null(dBrinkCreate(NULL));
  assert_error_names(NULL, "NULL");
  dWorldID world = dWorldCreate();
  assert_null(dBrinkCreateChecked(world, sizeof(float)));
  assert_error_names(NULL, "dReal");
  dCloseODE();
  userClass = -1; /* ODE has forgotten it */
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

CASE(bad_steps_are_refused_and_the_world_is_left_alone) {
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 1);
  static const double steps[] = {0, -0.01, NAN, INFINITY};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(dBrinkWorldStep(w.brink, steps[i], NULL, NULL, NULL), 0);
    assert_error_names(w.brink, "positive");
    assert_true(dBodyGetPosition(body)[2] == 1);
  }
  dBodyID sick = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 5, 0, 0);
  dBodySetLinearVel(sick, NAN, 0, 0);
  assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 0);
  assert_error_names(w.brink, "finite");
  assert_true(dBodyGetPosition(body)[2] == 1);
  dBodySetLinearVel(sick, 0, 0, 0);
  dBodySetPosition(sick, INFINITY, 0, 0);
  assert_int_equal(dBrinkWorldQuickStep(w.brink, 0.01, NULL, NULL, NULL), 0);
  assert_error_names(w.brink, "finite");
  dBodyDestroy(sick);
  assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 1);
  assert_true(dBodyGetPosition(body)[2] < 1);
  odeWorld_End(&w);
}

CASE(unanswered_classes_are_logged_and_keep_odes_contacts) {
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  logged[0] = '\0';
  dBrinkSetLog(w.brink, keepLog, NULL);
  dGeomSetPosition(makeUserGeom(w.space), 0, 0, -1);
  dBodyID rests = odeWorld_Body(&w, dCreateBox(w.space, 1, 1, 1), 1, 0.02, 0.01, 0.5);
  /* A bullet strikes the resting box in a later step: its contact with the ball must survive the extra solve. */
  dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.02), 0.001, -40, 0.01, 0.6);
  dBodySetGravityMode(bullet, 0);
  dBodySetLinearVel(bullet, 300, 0, 0);
  for (int frame = 0; frame < 20; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(dBodyGetPosition(rests)[2] > 0.45);
  }
  assert_true(dBodyGetPosition(rests)[0] > 0.021); /* it was hit */
  assert_log_names("user class");
  assert_null(strstr(strstr(logged, "watched") + 1, "watched")); /* once */
  odeWorld_End(&w);
}

CASE(bodies_without_geoms_are_stepped_once) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomSetPosition(dCreateBox(w.space, 0.005, 1, 1), 0, 0, 0);
  dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.005), 0.01, -2.3, 0, 0);
  dBodySetLinearVel(bullet, 300, 0, 0);
  dBodyID alone = odeWorld_Body(&w, NULL, 1, 0, 0, 50);
  dBodySetLinearVel(alone, 6, 0, 0);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_int_equal(odeWorld_Info(&w).solves, 2);
  assert_true(fabs(dBodyGetPosition(alone)[0] - 0.1) < 1e-12);
  odeWorld_End(&w);
}

int main(void) { return cases_Run(startOde, endOde); }
