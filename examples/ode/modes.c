/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings for one body, one pair and one geom. One bullet only reports its impact. Another is stopped at the wall
 * without an extra solve. Then Brink tells what it did about a body. */
#include <ode/ode.h>
#include <stdio.h>

#include "brink/ode.h"

static void noContacts(void *data, dGeomID g1, dGeomID g2) { (void)data, (void)g1, (void)g2; }

static void say(void *user, int level, const char *message) {
  (void)user;
  printf("level %d: %s\n", level, message);
}

static dBodyID addBullet(dWorldID world, dSpaceID space, double y, dGeomID *geom) {
  dBodyID body = dBodyCreate(world);
  *geom = dCreateSphere(space, 0.05);
  dGeomSetBody(*geom, body);
  dBodySetPosition(body, -1, y, 0);
  dBodySetLinearVel(body, 120, 0, 0);
  return body;
}

int main(void) {
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dSpaceID space = dSimpleSpaceCreate(NULL);
  dJointGroupID contacts = dJointGroupCreate(0);
  dGeomID wall = dCreateBox(space, 0.02, 4, 4), reported, stopped;
  dBodyID ghost = addBullet(world, space, -1, &reported), bullet = addBullet(world, space, 1, &stopped);

  dBrinkID brink = dBrinkCreateChecked(world, (unsigned)sizeof(dReal)); /* what dBrinkCreate is short for */
  int good = brink != NULL && dBrinkAddSpace(brink, space) && dBrinkSetLog(brink, say, NULL);
  good = good && dBrinkSetBodyMode(brink, ghost, dBrinkModeReport);
  good = good && dBrinkSetPairMode(brink, stopped, wall, dBrinkModeClamp);
  good = good && dBrinkSetGeomAllowance(brink, wall, 0.001) && dBrinkSetTaylorOrder(brink, 2);
  good = good && dBrinkWorldStep(brink, 1.0 / 60, NULL, noContacts, contacts);
  char text[512] = "";
  good = good && (dBrinkExplainBody(brink, bullet, text, sizeof text) & dBrinkReasonUnknown) == 0;
  double far = dBodyGetPosition(ghost)[0], near = dBodyGetPosition(bullet)[0];
  printf("reported: x = %.3f m; stopped: x = %.3f m\n%s\n", far, near, text);
  good = good && far > 0.99 && near < 0.0;
  if (!good) fprintf(stderr, "modes: %s\n", dBrinkGetError(brink));
  dBrinkDestroy(brink);
  dJointGroupDestroy(contacts);
  dSpaceDestroy(space);
  dWorldDestroy(world);
  dCloseODE();
  return good ? 0 : 1;
}
