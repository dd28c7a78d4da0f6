/* SPDX-License-Identifier: BSD-3-Clause */
/* A plain ODE program for the tests of the hooks: `many_calls N [loose] [FRAMES]` collides each of N balls by itself,
 * one dSpaceCollide2 each in every frame: with the space they are in, or, loose, with a wall, all in no space. Every
 * tenth is shot at a wall of 5 mm. Prints how many passed. */
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dWorldID world;
static dJointGroupID contacts;

static void nearCallback(void *data, dGeomID a, dGeomID b) {
  dContact found[2];
  memset(found, 0, sizeof found);
  (void)data;
  int count = dCollide(a, b, 2, &found[0].geom, sizeof(dContact));
  for (int i = 0; i < count; ++i) {
    found[i].surface.mode = dContactBounce;
    found[i].surface.bounce = 0.5;
    dJointAttach(dJointCreateContact(world, contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 100, loose = argc > 2 && strcmp(argv[2], "loose") == 0;
  int frames = argc > 2 + loose ? atoi(argv[2 + loose]) : 8;
  dInitODE2(0);
  world = dWorldCreate();
  dWorldSetGravity(world, 0, 0, -9.81);
  contacts = dJointGroupCreate(0);
  dSpaceID space = loose ? NULL : dSimpleSpaceCreate(NULL);
  dGeomID *balls = calloc((size_t)count, sizeof *balls), wall = dCreateBox(space, 0.005, 1000, 1000);
  for (int i = 0; i < count; ++i) {
    dBodyID body = dBodyCreate(world);
    balls[i] = dCreateSphere(space, 0.01);
    dGeomSetBody(balls[i], body);
    dBodySetPosition(body, i % 10 == 0 ? -12.3 : -0.5 - 0.1 * (i % 7), 0.2 * (i / 50), 0.2 * (i % 50));
    dBodySetLinearVel(body, i % 10 == 0 ? 300 : 0, 0, 0);
  }
  for (int frame = 0; frame < frames; ++frame) {
    for (int i = 0; i < count; ++i) dSpaceCollide2(balls[i], loose ? wall : (dGeomID)space, NULL, nearCallback);
    dWorldQuickStep(world, 1.0 / 60);
    dJointGroupEmpty(contacts);
  }
  int through = 0;
  for (int i = 0; i < count; ++i) through += dGeomGetPosition(balls[i])[0] > 0;
  printf("end: through %d\n", through);
  for (int i = 0; i < count && loose; ++i) dGeomDestroy(balls[i]);
  if (loose)
    dGeomDestroy(wall);
  else
    dSpaceDestroy(space);
  dJointGroupDestroy(contacts);
  dWorldDestroy(world);
  dCloseODE();
  free(balls);
  return 0;
}
