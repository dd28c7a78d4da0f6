/* SPDX-License-Identifier: BSD-3-Clause */
/* An ODE program as people write them, without a word of Brink: before [SPEED]. Boxes stacked on a plane, a pendulum, a
 * ball of 20 cm thrown at a wall of 2 cm at SPEED m/s; 300 frames, every position to the last bit. test_docs applies
 * the README's diff to this text. */
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>

static dWorldID world;
static dJointGroupID contactGroup;

static void near(void *data, dGeomID a, dGeomID b) {
  dContact contact[8];
  (void)data;
  int count = dCollide(a, b, 8, &contact[0].geom, sizeof contact[0]);
  for (int i = 0; i < count; ++i) {
    contact[i].surface = (dSurfaceParameters){.mode = dContactBounce | dContactApprox1, .mu = 0.5, .bounce = 0.3};
    dJointAttach(dJointCreateContact(world, contactGroup, &contact[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

static dBodyID place(dGeomID geom, const dMass *mass, double x, double y, double z) {
  dBodyID body = dBodyCreate(world);
  dBodySetMass(body, mass);
  dGeomSetBody(geom, body);
  dBodySetPosition(body, x, y, z);
  return body;
}

int main(int argc, char **argv) {
  const dReal h = 1.0 / 60;
  void *data = NULL;
  dMass mass;
  dBodyID bodies[6];
  dInitODE2(0);
  world = dWorldCreate();
  dWorldSetGravity(world, 0, 0, -9.81);
  contactGroup = dJointGroupCreate(0);
  dSpaceID space = dHashSpaceCreate(0);
  dCreatePlane(space, 0, 0, 1, 0);
  dGeomSetPosition(dCreateBox(space, 0.02, 4, 4), 3, 0, 2);
  dMassSetBox(&mass, 500, 0.4, 0.4, 0.4);
  for (int i = 0; i < 4; ++i) bodies[i] = place(dCreateBox(space, 0.4, 0.4, 0.4), &mass, 0, 2, 0.2 + 0.4 * i);
  dMassSetSphere(&mass, 500, 0.2);
  bodies[4] = place(dCreateSphere(space, 0.2), &mass, -0.74, -2, 1.62);
  dJointID string = dJointCreateBall(world, 0);
  dJointAttach(string, bodies[4], 0);
  dJointSetBallAnchor(string, -0.6, -2, 2);
  dMassSetSphere(&mass, 7800, 0.1);
  bodies[5] = place(dCreateSphere(space, 0.1), &mass, -1, 0, 0.1);
  dBodySetLinearVel(bodies[5], argc > 1 ? atof(argv[1]) : 300, 0, 0);

  for (int frame = 0; frame < 300; ++frame) {
    dSpaceCollide(space, data, near);
    dWorldStep(world, h);
    dJointGroupEmpty(contactGroup);
    for (int i = 0; i < 6; ++i) {
      const dReal *p = dBodyGetPosition(bodies[i]);
      printf("%d %d %a %a %a\n", frame, i, p[0], p[1], p[2]);
    }
  }
  printf("%s\n", dBodyGetPosition(bodies[5])[0] < 3 ? "stopped by the wall" : "through the wall");
  dJointGroupDestroy(contactGroup);
  dSpaceDestroy(space);
  dWorldDestroy(world);
  dCloseODE();
  return 0;
}
