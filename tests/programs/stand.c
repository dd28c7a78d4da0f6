/* SPDX-License-Identifier: BSD-3-Clause */
/* A plain ODE program for the tests of the hooks: a stand of four bars falls on a flat mesh and stays there, stepped by
 * QuickStep with 16 iterations at 180 steps a second. Then ODE is closed, begun anew, and all is done once more, as a
 * game does that goes from its menu to a race. Argument: steps of each part. Prints height above the mesh and speed at
 * either end. */
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dWorldID world;
static dJointGroupID contacts;

static void nearCallback(void *data, dGeomID a, dGeomID b) {
  dContact found[16];
  memset(found, 0, sizeof found);
  (void)data;
  if (dGeomGetBody(a) == dGeomGetBody(b)) return;
  int count = dCollide(a, b, 16, &found[0].geom, sizeof(dContact));
  for (int i = 0; i < count; ++i) {
    found[i].surface.mode = dContactApprox1;
    found[i].surface.mu = 50;
    dJointAttach(dJointCreateContact(world, contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

static void addBar(dSpaceID space, dBodyID body, double y, double z, double x, double height) {
  dGeomID bar = dCreateBox(space, x, 0.1, height);
  dGeomSetBody(bar, body);
  dGeomSetOffsetPosition(bar, 0, y, z);
}

static void run(int steps) {
  static const float corners[] = {-15, -15, 0, 15, -15, 0, 15, 15, 0, -15, 15, 0};
  static const dTriIndex faces[] = {0, 1, 2, 0, 2, 3};
  dMass mass;
  dInitODE2(0);
  world = dWorldCreate();
  dWorldSetGravity(world, 0, 0, -9.81);
  dWorldSetQuickStepNumIterations(world, 16);
  contacts = dJointGroupCreate(0);
  dSpaceID space = dSimpleSpaceCreate(NULL);
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildSingle(data, corners, 3 * sizeof(float), 4, faces, 6, 3 * sizeof(dTriIndex));
  dCreateTriMesh(space, data, NULL, NULL, NULL);
  dBodyID stand = dBodyCreate(world);
  dMassSetBoxTotal(&mass, 50, 1, 1.6, 1);
  dBodySetMass(stand, &mass);
  for (int side = -1; side <= 1; side += 2) {
    addBar(space, stand, 0.75 * side, -0.45, 1, 0.1);
    addBar(space, stand, 0.75 * side, 0, 0.1, 1);
  }
  dBodySetPosition(stand, 0, 0, 0.52);
  dBodySetLinearVel(stand, 0, 0, -0.5);
  for (int i = 0; i < steps; ++i) {
    dSpaceCollide(space, NULL, nearCallback);
    dWorldQuickStep(world, 1.0 / 180);
    dJointGroupEmpty(contacts);
  }
  const dReal *p = dBodyGetPosition(stand), *v = dBodyGetLinearVel(stand);
  printf("end: height %.9f speed %.9f\n", p[2] - 0.5, dCalcVectorLength3(v));
  dJointGroupDestroy(contacts);
  dSpaceDestroy(space);
  dGeomTriMeshDataDestroy(data);
  dWorldDestroy(world);
  dCloseODE();
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 600;
  run(steps);
  run(steps);
  return 0;
}
