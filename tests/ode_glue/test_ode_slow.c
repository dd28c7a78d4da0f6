/* SPDX-License-Identifier: BSD-3-Clause */
/* What "nothing is fast" means: bodies of 20 cm and more that are thrown onto the ground and at each other at 1 m/s
 * move as in plain ODE, bit for bit, with its own contacts. Own executable: the class table is for the whole process.
 * Units: SI. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_start.h"
#include "ode_world.h"

#define FASTEST 1.0 /* m/s, at which a body is thrown; README names it */
#define FASTEST_ON_MESHES 0.4
#define FRAMES 240

enum { bodyCount = 8 };
enum { groundPlane, groundBox, groundMesh, groundField, grounds };

static float groundVertices[4][3] = {{-6, -6, 0}, {6, -6, 0}, {6, 6, 0}, {-6, 6, 0}};
static dTriIndex groundTriangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
static float heights[9][9];

static void addGround(odeWorld *w, int kind, dTriMeshDataID mesh, dHeightfieldDataID field) {
  dMatrix3 up;
  switch (kind) {
    case groundPlane:
      dCreatePlane(w->space, 0, 0, 1, 0);
      break;
    case groundBox:
      dGeomSetPosition(dCreateBox(w->space, 12, 12, 0.4), 0, 0, -0.2);
      break;
    case groundMesh:
      dCreateTriMesh(w->space, mesh, NULL, NULL, NULL);
      break;
    default:
      dRFromAxisAndAngle(up, 1, 0, 0, M_PI / 2);
      dGeomSetRotation(dCreateHeightfield(w->space, field, 1), up);
  }
}

static dGeomID makeShape(dSpaceID space, int kind) {
  switch (kind % 4) {
    case 0:
      return dCreateSphere(space, 0.15);
    case 1:
      return dCreateBox(space, 0.3, 0.2, 0.25);
    case 2:
      return dCreateCapsule(space, 0.1, 0.2);
    default:
      return dCreateCylinder(space, 0.12, 0.25);
  }
}

static void run(bool withBrink, bool quick, int ground, double fastest, dTriMeshDataID mesh, dHeightfieldDataID field,
                dReal states[bodyCount][13], int *extra) {
  odeWorld w;
  dBodyID bodies[bodyCount];
  uint64_t seed = 7;
  dRandSetSeed(1);
  odeWorld_Make(&w, withBrink, quick, -fastest * fastest); /* so that falling makes nothing faster */
  w.bounce = 0.3;
  addGround(&w, ground, mesh, field);
  for (int i = 0; i < bodyCount; ++i) {
    double turn = odeUniform(&seed, 0, 6), angle = odeUniform(&seed, 0, 6.28);
    bodies[i] = odeWorld_Body(&w, makeShape(w.space, i), 2, 0.4 * (i % 4) - 0.6, 0.4 * (i / 4) - 0.2, 0.4);
    dQuaternion q;
    dQFromAxisAndAngle(q, cos(angle), sin(angle), 0.3, turn);
    dBodySetQuaternion(bodies[i], q);
    dBodySetLinearVel(bodies[i], 0.7 * fastest * cos(angle), 0.7 * fastest * sin(angle), -0.7 * fastest);
  }
  *extra = 0;
  for (int frame = 0; frame < FRAMES; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    *extra += withBrink ? odeWorld_Info(&w).solves - 1 : 0;
  }
  for (int i = 0; i < bodyCount; ++i) {
    memcpy(states[i], dBodyGetPosition(bodies[i]), 3 * sizeof(dReal));
    memcpy(states[i] + 3, dBodyGetQuaternion(bodies[i]), 4 * sizeof(dReal));
    memcpy(states[i] + 7, dBodyGetLinearVel(bodies[i]), 3 * sizeof(dReal));
    memcpy(states[i] + 10, dBodyGetAngularVel(bodies[i]), 3 * sizeof(dReal));
  }
  odeWorld_End(&w);
}

CASE(slow_bodies_keep_odes_bits) {
  static const char *const names[grounds] = {"plane", "box", "trimesh", "heightfield"};
  dTriMeshDataID mesh = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildSingle(mesh, groundVertices, sizeof(groundVertices[0]), 4, groundTriangles, 6,
                              sizeof(groundTriangles[0]));
  dHeightfieldDataID field = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildSingle(field, &heights[0][0], 1, 12, 12, 9, 9, 1, 0, 0.5, 0);
  for (int ground = 0; ground < grounds; ++ground) {
    for (int quick = 0; quick < 2; ++quick) {
      dReal plain[bodyCount][13], with[bodyCount][13];
      int none, extra;
      double fastest = ground == groundMesh || ground == groundField ? FASTEST_ON_MESHES : FASTEST;
      run(false, quick, ground, fastest, mesh, field, plain, &none);
      run(true, quick, ground, fastest, mesh, field, with, &extra);
      if (extra > 0 || memcmp(plain, with, sizeof(plain)) != 0) {
        for (int i = 0; i < bodyCount; ++i) {
          print_message("%d: %g %g %g, plain %g %g %g\n", i, with[i][0], with[i][1], with[i][2], plain[i][0],
                        plain[i][1], plain[i][2]);
        }
        fail_msg("%s, %s: %d extra solves", names[ground], quick ? "QuickStep" : "WorldStep", extra);
      }
    }
  }
  dGeomTriMeshDataDestroy(mesh);
  dGeomHeightfieldDataDestroy(field);
}

int main(void) { return cases_Run(startOde, endOde); }
