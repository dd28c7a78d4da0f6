/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_ODE_KINDS_H
#define BRINK_TESTS_ODE_KINDS_H
/* Bodies of 0.4 m and 1 kg, one of each kind of geom, for tests of contacts. Include after cmocka. */
#include "ode_box.h"
#include "ode_world.h"

enum { kindSphere, kindBox, kindCapsule, kindCylinder, kindMesh, kindConvex };
static const char *const kindNames[] = {"sphere", "box", "capsule", "cylinder", "trimesh", "convex"};

static const double cubeVertices[8][3] = BOX_CORNERS(.2, .2, .2);
static const dReal cubePlanes[24] = BOX_PLANES(.2, .2, .2);
static const dReal cubePoints[24] = BOX_POINTS(.2, .2, .2);

/* cubeData: of cubeVertices and cubeTriangles. */
static inline dBodyID addKind(odeWorld *w, dTriMeshDataID cubeData, int kind, double x, double y, double z) {
  dGeomID geom = kind == kindSphere     ? dCreateSphere(w->space, 0.2)
                 : kind == kindBox      ? dCreateBox(w->space, 0.4, 0.4, 0.4)
                 : kind == kindCapsule  ? dCreateCapsule(w->space, 0.2, 0.4)
                 : kind == kindCylinder ? dCreateCylinder(w->space, 0.2, 0.4)
                 : kind == kindMesh     ? dCreateTriMesh(w->space, cubeData, NULL, NULL, NULL)
                                        : dCreateConvex(w->space, cubePlanes, 6, cubePoints, 8, cubePolygons);
  dBodyID body = odeWorld_Body(w, NULL, 1, x, y, z);
  dMass mass;
  dMassSetBoxTotal(&mass, 1, 0.4, 0.4, 0.4);
  dBodySetMass(body, &mass);
  dGeomSetBody(geom, body);
  if (kind == kindCapsule) { /* lies along x */
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 0, 1, 0, M_PI / 2);
    dBodySetRotation(body, turn);
  }
  return body;
}

/* A heightfield of side times side samples whose local y points up, along world z. */
static inline dGeomID addHeightfield(odeWorld *w, dHeightfieldDataID data, int side) {
  dGeomID field = dCreateHeightfield(w->space, data, 1);
  if (w->brink != NULL) {
    assert_int_equal(dBrinkUseHeightfield(w->brink, data, side, side), 1);
  }
  dMatrix3 turn;
  dRFromAxisAndAngle(turn, 1, 0, 0, M_PI / 2);
  dGeomSetRotation(field, turn);
  return field;
}

#endif
