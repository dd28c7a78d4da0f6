/* SPDX-License-Identifier: BSD-3-Clause */
/* A ball flies through a light barrier, a sensor, and past a ray, all within one step of 1/60 s: both are told, and
 * neither stops it. A gate that the program moves by hand sweeps its way instead of jumping. */
#include <ode/ode.h>
#include <stdio.h>

#include "brink/ode.h"

static void noContacts(void *data, dGeomID g1, dGeomID g2) { (void)data, (void)g1, (void)g2; }

int main(void) {
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dSpaceID space = dSimpleSpaceCreate(NULL);
  dJointGroupID contacts = dJointGroupCreate(0);
  dBodyID ball = dBodyCreate(world);
  dGeomID sphere = dCreateSphere(space, 0.05), barrier = dCreateBox(space, 0.01, 1, 1), ray = dCreateRay(space, 2);
  dGeomSetBody(sphere, ball);
  dBodySetPosition(ball, -1, 0, 0);
  dBodySetLinearVel(ball, 120, 0, 0); /* 2 m in a step */
  dGeomRaySet(ray, 0.5, 0, -1, 0, 0, 1);
  dGeomID gate = dCreateBox(space, 0.1, 0.1, 0.1);
  dGeomSetPosition(gate, 10, 0, 0);

  dBrinkID brink = dBrinkCreate(world);
  int good = brink != NULL && dBrinkAddSpace(brink, space) && dBrinkSetSensor(brink, barrier, 1) &&
             dBrinkSetRays(brink, 1) && dBrinkSetSweep(brink, gate, 1);
  good = good && dBrinkWorldStep(brink, 1.0 / 60, NULL, noContacts, contacts);
  dBrinkStepInfo info = {.structSize = sizeof info};
  good = good && dBrinkGetStepInfo(brink, &info);
  for (int i = 0; good && i < info.sensorEventCount; ++i)
    printf("the ball %s the barrier at %.3f of the step\n",
           info.sensorEvents[i].kind == dBrinkSensorEnter ? "enters" : "leaves", info.sensorEvents[i].toi);
  int rays = 0;
  for (int i = 0; good && i < info.eventCount; ++i) rays += info.events[i].g1 == ray || info.events[i].g2 == ray;
  double x = dBodyGetPosition(ball)[0];
  printf("%d events with the ray; the ball is at x = %.3f m\n", rays, x);
  good = good && info.sensorEventCount == 2 && rays == 1 && x > 0.99;

  dGeomSetPosition(gate, 11, 0, 0); /* goes there during the next step */
  good = good && dBrinkWorldStep(brink, 1.0 / 60, NULL, noContacts, contacts) && dGeomGetPosition(gate)[0] == 11;
  if (!good) fprintf(stderr, "sensors: %s\n", dBrinkGetError(brink));
  dBrinkDestroy(brink);
  dJointGroupDestroy(contacts);
  dSpaceDestroy(space);
  dWorldDestroy(world);
  dCloseODE();
  return good ? 0 : 1;
}
