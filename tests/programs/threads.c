/* SPDX-License-Identifier: BSD-3-Clause */
/* A plain ODE program for the tests of the hooks: eight worlds, each collided and stepped by one of N threads
 * (argument). Prints where the ball of each world ends: the same for every N. */
#include <ode/ode.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 8

typedef struct Scene {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBodyID ball;
  dThreadingImplementationID threading; /* the one that worlds share by default serves one step at a time */
} Scene;

static Scene scenes[WORLDS];
static int threadCount = 1;

static void nearCallback(void *data, dGeomID a, dGeomID b) {
  const Scene *scene = data;
  dContact found[4];
  memset(found, 0, sizeof found);
  int count = dCollide(a, b, 4, &found[0].geom, sizeof(dContact));
  for (int i = 0; i < count; ++i) {
    found[i].surface.mode = dContactBounce;
    found[i].surface.bounce = 0.5;
    dJointAttach(dJointCreateContact(scene->world, scene->contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

static void makeScene(Scene *scene, int number) {
  scene->world = dWorldCreate();
  scene->threading = dThreadingAllocateSelfThreadedImplementation();
  dWorldSetStepThreadingImplementation(scene->world, dThreadingImplementationGetFunctions(scene->threading),
                                       scene->threading);
  scene->space = dHashSpaceCreate(NULL);
  scene->contacts = dJointGroupCreate(0);
  dCreateBox(scene->space, 0.005, 1, 1);
  scene->ball = dBodyCreate(scene->world);
  dGeomSetBody(dCreateSphere(scene->space, 0.01), scene->ball);
  dBodySetPosition(scene->ball, -12.3 - number, 0, 0);
  dBodySetLinearVel(scene->ball, 300 - number, 0, 0);
}

static void *run(void *first) {
  dAllocateODEDataForThread(dAllocateMaskAll);
  for (int i = (int)(size_t)first; i < WORLDS; i += threadCount) {
    Scene *scene = &scenes[i];
    for (int frame = 0; frame < 60; ++frame) {
      dSpaceCollide(scene->space, scene, nearCallback);
      dWorldStep(scene->world, 1.0 / 60);
      dJointGroupEmpty(scene->contacts);
    }
  }
  dCleanupODEAllDataForThread();
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[WORLDS];
  threadCount = argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) <= WORLDS ? atoi(argv[1]) : 1;
  dInitODE2(0);
  for (int i = 0; i < WORLDS; ++i) makeScene(&scenes[i], i); /* ODE itself makes no two worlds at once */
  for (int i = 0; i < threadCount; ++i)
    if (pthread_create(&threads[i], NULL, run, (void *)(size_t)i) != 0) return 1;
  for (int i = 0; i < threadCount; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < WORLDS; ++i) {
    printf("%d %.17g\n", i, dBodyGetPosition(scenes[i].ball)[0]);
    dJointGroupDestroy(scenes[i].contacts);
    dSpaceDestroy(scenes[i].space);
    dWorldDestroy(scenes[i].world);
    dThreadingFreeImplementation(scenes[i].threading);
  }
  dCloseODE();
  return 0;
}
