/* SPDX-License-Identifier: BSD-3-Clause */
/* Brink as ODE's narrowphase: what dSetColliderOverride requires of a collider, and that bodies rest on Brink's
 * contacts. Own executable: the override is for the whole process. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_box.h"
#include "ode_world.h"

static const double cubeVertices[8][3] = BOX_CORNERS(.5, .5, .5);
static const dReal cubePlanes[24] = BOX_PLANES(.5, .5, .5);
static const dReal cubePoints[24] = BOX_POINTS(.5, .5, .5);
static dTriMeshDataID cubeData;

enum { kinds = 6 };

static dGeomID makeKind(dSpaceID space, int kind) {
  return kind == 0   ? dCreateSphere(space, 0.5)
         : kind == 1 ? dCreateBox(space, 1, 1, 1)
         : kind == 2 ? dCreateCapsule(space, 0.5, 0.5)
         : kind == 3 ? dCreateCylinder(space, 0.5, 1)
         : kind == 4 ? dCreateConvex(space, cubePlanes, 6, cubePoints, 8, cubePolygons)
                     : dCreateTriMesh(space, cubeData, NULL, NULL, NULL);
}

/* All are half a metre thick along x. Depth d of convex pairs; meshes keep 0.6 of an allowance of 0.05 m apart, and
 * lift what is nearer by no more than 0.04 m/s; not at all where nobody knows the step. */
#define STEP 0.016 /* s */
#define LIFT (0.04 * STEP)

static void checkPair(int kindA, int kindB, bool watchedByBrink) {
  dWorldID world = dWorldCreate();
  dSpaceID space = dHashSpaceCreate(NULL);
  dBrinkID brink = watchedByBrink ? dBrinkCreate(world) : NULL;
  dGeomID a = makeKind(space, kindA), b = makeKind(space, kindB);
  bool mesh = kindA == 5 || kindB == 5;
  double depth = !mesh ? 0.03 : watchedByBrink ? LIFT : 0, offset = mesh ? 1 + 0.02 : 1 - depth;
  dGeomSetPosition(a, 100, 7, -3);
  dGeomSetPosition(b, 100 + offset, 7, -3);
  if (watchedByBrink) {
    assert_int_equal(dBrinkAddSpace(brink, space), 1);
    assert_int_equal(dBrinkWorldStep(brink, STEP, NULL, NULL, NULL), 1);
  }
  dContactGeom contacts[16];
  for (int swapped = 0; swapped < 2; ++swapped) {
    dGeomID first = swapped ? b : a, second = swapped ? a : b;
    int count = dCollide(first, second, 8, contacts, sizeof(contacts[0]));
    if (count < 1 || count > 8) {
      fail_msg("kinds %d %d swapped %d: %d contacts", kindA, kindB, swapped, count);
    }
    double sign = swapped ? 1 : -1, deepest = 0; /* out of the second, into the first */
    for (int i = 0; i < count; ++i) {
      assert_ptr_equal(contacts[i].g1, first);
      assert_ptr_equal(contacts[i].g2, second);
      assert_true(contacts[i].side1 == -1 && contacts[i].side2 == -1);
      if (contacts[i].normal[0] * sign < 0.999 || contacts[i].depth < 0) {
        fail_msg("kinds %d %d swapped %d: normal %g depth %g", kindA, kindB, swapped, contacts[i].normal[0],
                 contacts[i].depth);
      }
      assert_true(fabs(contacts[i].pos[0] - 100.5) < 0.06);
      deepest = fmax(deepest, contacts[i].depth);
    }
    if (fabs(deepest - depth) > 1e-6) {
      fail_msg("kinds %d %d swapped %d: depth %g, not %g", kindA, kindB, swapped, deepest, depth);
    }
    assert_int_equal(dCollide(first, second, 1, contacts, sizeof(contacts[0])), 1);
  }
  dGeomSetPosition(b, 101.2, 7, -3);
  assert_int_equal(dCollide(a, b, 8, contacts, sizeof(contacts[0])), 0);
  dBrinkDestroy(brink);
  dSpaceDestroy(space);
  dWorldDestroy(world);
}

CASE(every_pair_of_classes_obeys_odes_conventions) {
  for (int a = 0; a < kinds; ++a) {
    for (int b = 0; b < kinds; ++b) {
      checkPair(a, b, true);
      checkPair(a, b, false); /* geoms of no dBrink are answered too */
    }
  }
}

CASE(planes_push_outward) {
  dGeomID plane = dCreatePlane(NULL, 0, 0, 1, 2);
  for (int kind = 0; kind < kinds; ++kind) {
    dGeomID geom = makeKind(NULL, kind);
    double low = kind == 2 ? 0.75 : 0.5;
    dGeomSetPosition(geom, 5, 5, 2 + low - 0.01);
    dContactGeom contacts[8];
    int count = dCollide(geom, plane, 8, contacts, sizeof(contacts[0]));
    assert_true(count >= 1);
    double deepest = 0;
    for (int i = 0; i < count; ++i) {
      assert_true(contacts[i].normal[2] > 0.999 && contacts[i].g1 == geom);
      deepest = fmax(deepest, contacts[i].depth);
    }
    if (fabs(deepest - 0.01) > 1e-6) {
      fail_msg("kind %d: depth %g, not 0.01", kind, deepest);
    }
    dGeomDestroy(geom);
  }
  dGeomDestroy(plane);
}

/* A box at rest as QuickStep leaves it: tilted by less than a ten thousandth of its allowance, with one corner
 * touching. Told that corner alone it would fall on the others within a step. */
CASE(what_lies_a_hair_off_touches_still) {
  dGeomID grounds[2] = {dCreatePlane(NULL, 0, 0, 1, 0), dCreateBox(NULL, 4, 4, 1)}, box = dCreateBox(NULL, 1, 1, 1);
  dGeomSetPosition(grounds[1], 0, 0, -0.5);
  dQuaternion turn;
  dQFromAxisAndAngle(turn, 1, 0.5, 0, 2e-6);
  dGeomSetQuaternion(box, turn);
  for (int i = 0; i < 2; ++i) {
    dContactGeom contacts[8];
    dGeomSetPosition(box, 0.1, 0.2, 0.5 + 1.3e-6);
    int count = dCollide(box, grounds[i], 8, contacts, sizeof(contacts[0]));
    if (count != 4) fail_msg("%s: %d corners", i ? "box" : "plane", count);
    for (int k = 0; k < count; ++k) {
      assert_true(contacts[k].depth >= 0 && contacts[k].depth < 1e-6);
    }
    dGeomSetPosition(box, 0.1, 0.2, 0.5 + 1e-3);
    assert_int_equal(dCollide(box, grounds[i], 8, contacts, sizeof(contacts[0])), 0);
    dGeomDestroy(grounds[i]);
  }
  dGeomDestroy(box);
}

/* Its space reports no pair when all corners are off: the pair of the last step is asked all the same. */
CASE(what_a_solver_left_a_hair_off_does_not_fall) {
  for (int quick = 0; quick < 2; ++quick) {
    for (int box = 0; box < 2; ++box) {
      odeWorld w;
      odeWorld_Make(&w, true, quick != 0, -9.81);
      dGeomID ground = box ? dCreateBox(w.space, 4, 4, 1) : dCreatePlane(w.space, 0, 0, 1, 0);
      if (box) dGeomSetPosition(ground, 0, 0, -0.5);
      dBodyID body = odeWorld_Body(&w, dCreateBox(w.space, 1, 1, 1), 10, 0, 0, 0.5);
      for (int frame = 0; frame < 5; ++frame) assert_int_equal(odeWorld_Step(&w), 1);
      dBodySetPosition(body, 0, 0, 0.5 + 1e-7);
      dBodySetLinearVel(body, 0, 0, 0);
      assert_int_equal(odeWorld_Step(&w), 1);
      double speed = fabs(dBodyGetLinearVel(body)[2]);
      if (!(speed < 1e-4))
        fail_msg("%s, %s: falls at %g m/s", box ? "box" : "plane", quick ? "QuickStep" : "WorldStep", speed);
      odeWorld_End(&w);
    }
  }
}

CASE(registration_is_checked) {
  assert_int_equal(dBrinkRegister(dSphereClass, dBoxClass), 1);
  assert_int_equal(dBrinkRegister(dRayClass, dBoxClass), 0);
  assert_int_equal(dBrinkRegister(dHeightfieldClass, dBoxClass), 1);
  assert_int_equal(dBrinkRegister(dHeightfieldClass, dPlaneClass), 0);
  assert_int_equal(dBrinkRegister(dConvexClass, dPlaneClass), 0);
  assert_int_equal(dBrinkRegister(-1, 1000), 0);
}

static dBodyID meshBody(odeWorld *w, double x, double y, double z) {
  dBodyID body = odeWorld_Body(w, dCreateTriMesh(w->space, cubeData, NULL, NULL, NULL), 1, x, y, z);
  dMass mass;
  dMassSetBoxTotal(&mass, 1, 1, 1, 1);
  dBodySetMass(body, &mass);
  return body;
}

CASE(meshes_rest_a_hair_apart_and_never_cross) {
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dWorldSetCFM(w.world, 1e-6);
  dBrinkSetAllowance(w.brink, 0.01);
  dGeomID floor = dCreateTriMesh(w.space, cubeData, NULL, NULL, NULL);
  dGeomSetPosition(floor, 0, 0, -0.5);
  dBodyID lower = meshBody(&w, 0.1, 0, 0.6), upper = meshBody(&w, 0, 0.1, 1.9);
  dBodySetLinearVel(upper, 0, 0, -40);
  int extra = 0;
  for (int frame = 0; frame < 400; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    double gaps[2] = {dBrinkGeomDistance(w.brink, floor, dBodyGetFirstGeom(lower)),
                      dBrinkGeomDistance(w.brink, dBodyGetFirstGeom(lower), dBodyGetFirstGeom(upper))};
    if (gaps[0] <= 0 || gaps[1] <= 0) {
      fail_msg("frame %d: gaps %g %g", frame, gaps[0], gaps[1]);
    }
    extra += frame >= 300 ? odeWorld_Info(&w).solves - 1 : 0;
    if (frame == 399) {
      print_message("meshes at rest: gaps %g %g m, allowance 0.01, extra solves in the last 100 frames %d\n", gaps[0],
                    gaps[1], extra);
      assert_true(gaps[0] < 0.0101 && gaps[1] < 0.0101);
    }
  }
  assert_int_equal(extra, 0);
  odeWorld_End(&w);
}

CASE(fast_mesh_stops_at_a_thin_sheet) {
  static const double sheet[4][3] = {{0, -3, -3}, {0, 3, -3}, {0, -3, 3}, {0, 3, 3}};
  static const dTriIndex two[2][3] = {{0, 1, 2}, {1, 3, 2}};
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, sheet, sizeof(sheet[0]), 4, two, 6, sizeof(two[0]));
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    dCreateTriMesh(w.space, data, NULL, NULL, NULL);
    dBodyID mesh = meshBody(&w, -3.7, 0.2, 0.1);
    dBodySetLinearVel(mesh, 250, 3, 0);
    dBodySetAngularVel(mesh, 10, 20, -30);
    for (int frame = 0; frame < 30; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      assert_true(dBodyGetPosition(mesh)[0] < 0);
    }
    odeWorld_End(&w);
  }
  dGeomTriMeshDataDestroy(data);
}

CASE(registered_bounce_is_exact_and_stacks_stand) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  w.bounce = 0.5;
  w.mu = 0;
  dGeomSetPosition(dCreateBox(w.space, 0.005, 1, 1), 0, 0, 0);
  dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.005), 0.01, -2.3, 0, 0);
  dBodySetLinearVel(bullet, 300, 0, 0);
  for (int frame = 0; frame < 3; ++frame) {
    odeWorld_Step(&w);
  }
  assert_true(fabs(dBodyGetLinearVel(bullet)[0] + 150) < 1.5);
  odeWorld_End(&w);
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld_Make(&w, true, quick, -9.81);
    dRandSetSeed(1);
    dWorldSetCFM(w.world, 1e-5);
    dWorldSetQuickStepNumIterations(w.world, 100);
    w.mu = 1;
    dCreatePlane(w.space, 0, 0, 1, 0);
    dBodyID top = NULL;
    int boxes = quick ? 10 : 3; /* ODE's own WorldStep lets taller stacks fall */
    for (int i = 0; i < boxes; ++i) {
      top = odeWorld_Body(&w, dCreateBox(w.space, 0.5, 0.5, 0.5), 10, 0, 0, 0.25 + 0.5 * i);
    }
    int extra = 0;
    for (int frame = 0; frame < 1000; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      extra += frame > 500 ? odeWorld_Info(&w).solves - 1 : 0;
    }
    const dReal *p = dBodyGetPosition(top);
    print_message("stack on Brink's contacts, %s: top at (%g %g %g), extra solves %d\n",
                  quick ? "QuickStep" : "WorldStep", p[0], p[1], p[2], extra);
    assert_true(fabs(p[2] - (0.5 * boxes - 0.25)) < 0.01 && hypot(p[0], p[1]) < 0.1);
    assert_int_equal(extra, 0);
    odeWorld_End(&w);
  }
}

int main(void) {
  dInitODE2(0);
  cubeData = makeBoxData(cubeVertices);
  int failed = !dBrinkRegisterAll() || cases_Run(NULL, NULL);
  dGeomTriMeshDataDestroy(cubeData);
  dCloseODE();
  return failed;
}
