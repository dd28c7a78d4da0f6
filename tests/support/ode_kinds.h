/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_ODE_KINDS_H
#define BRINK_TESTS_ODE_KINDS_H
/* Bodies of 0.4 m and 1 kg, one of each kind of geom, for tests of contacts. Include after cmocka. */
#include "ode_world.h"

enum { kindSphere, kindBox, kindCapsule, kindCylinder, kindMesh, kindConvex };
static const char *const kindNames[] = {"sphere", "box", "capsule", "cylinder", "trimesh", "convex"};

static const double cubeVertices[8][3] = {{-.2, -.2, -.2}, {.2, -.2, -.2}, {-.2, .2, -.2}, {.2, .2, -.2},
                                          {-.2, -.2, .2},  {.2, -.2, .2},  {-.2, .2, .2},  {.2, .2, .2}};
static const dTriIndex cubeTriangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
static const dReal cubePlanes[24] = {1, 0, 0, .2, -1, 0, 0, .2, 0, 1, 0, .2, 0, -1, 0, .2, 0, 0, 1, .2, 0, 0, -1, .2};
static const dReal cubePoints[24] = {-.2, -.2, -.2, .2, -.2, -.2, -.2, .2, -.2, .2, .2, -.2,
                                     -.2, -.2, .2,  .2, -.2, .2,  -.2, .2, .2,  .2, .2, .2};
static const unsigned cubePolygons[30] = {4, 1, 3, 7, 5, 4, 0, 4, 6, 2, 4, 2, 6, 7, 3,
                                          4, 0, 1, 5, 4, 4, 4, 5, 7, 6, 4, 0, 2, 3, 1};

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

#endif
