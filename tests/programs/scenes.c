/* SPDX-License-Identifier: BSD-3-Clause */
/* A plain ODE program for the tests of the hooks: it knows nothing of Brink. `scenes NAME [quick] [FRAMES]` runs a
 * scene and prints one line a frame with the bits of every body's state (so two runs can be compared byte by byte), and
 * at the end one line `end: ...` for people and checks. */
#include <math.h>
#include <ode/ode.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BODIES 256

typedef struct Frame { /* what the program hands to dSpaceCollide: lives in its own block, for one call */
  int magic;
  double bounce, mu;
} Frame;

static dWorldID world, secondWorld;
static dSpaceID space, carSpace, secondSpace;
static dJointGroupID contacts;
static dBodyID bodies[MAX_BODIES];
static int bodyCount, quick, nearCalls, sensorCalls, staleData, destroys;
static dGeomID sensor, looseWall, looseBall;
static double bounce = 0.5, mu, h = 1.0 / 60;
static const char *scene;

static dBodyID addBody(dWorldID where, dGeomID geom, double x, double y, double z) {
  dBodyID body = dBodyCreate(where);
  dMass mass;
  if (geom != NULL) {
    if (dGeomGetClass(geom) == dSphereClass) {
      dMassSetSphereTotal(&mass, 1, dGeomSphereGetRadius(geom));
    } else {
      dMassSetBoxTotal(&mass, 1, 0.3, 0.3, 0.3);
    }
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
  }
  dBodySetPosition(body, x, y, z);
  bodies[bodyCount++] = body;
  return body;
}

static void nearCallback(void *data, dGeomID a, dGeomID b) {
  const Frame *frame = data;
  if (dGeomIsSpace(a) || dGeomIsSpace(b)) { /* as ODE's manual says */
    dSpaceCollide2(a, b, data, nearCallback);
    if (dGeomIsSpace(a)) dSpaceCollide((dSpaceID)a, data, nearCallback);
    if (dGeomIsSpace(b)) dSpaceCollide((dSpaceID)b, data, nearCallback);
    return;
  }
  nearCalls++;
  if (frame->magic != 4711) {
    staleData++;
    return;
  }
  dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
  if (bodyA != NULL && bodyB != NULL && dAreConnectedExcluding(bodyA, bodyB, dJointTypeContact)) return;
  dContact found[8];
  memset(found, 0, sizeof found);
  int count = dCollide(a, b, 8, &found[0].geom, sizeof(dContact));
  if (a == sensor || b == sensor) {
    sensorCalls += count > 0;
    return;
  }
  if (destroys && count > 0 && bodies[0] != NULL) {
    dBodyDestroy(bodies[0]);
    bodies[0] = NULL;
    return;
  }
  for (int i = 0; i < count; ++i) {
    found[i].surface.mode = dContactApprox1 | dContactBounce;
    found[i].surface.mu = frame->mu;
    found[i].surface.bounce = frame->bounce;
    dJointAttach(dJointCreateContact(world, contacts, &found[i]), bodyA, bodyB);
  }
}

static void makeBullet(void) {
  dGeomSetPosition(dCreateBox(space, 0.005, 1, 1), 0, 0, 0);
  dBodySetLinearVel(addBody(world, dCreateSphere(space, 0.01), -12.3, 0, 0), 300, 0, 0);
}

/* Boxes and balls at rest on the ground, a slow mover, a slowly swinging pendulum, a turning motor. */
static void makeSlow(void) {
  dWorldSetGravity(world, 0, 0, -9.81);
  dWorldSetCFM(world, 1e-5); /* eight points under a box are too many for a hard solver */
  dCreatePlane(space, 0, 0, 1, 0);
  for (int i = 0; i < 24; ++i)
    addBody(world, i % 3 ? dCreateBox(space, 0.5, 0.5, 0.5) : dCreateSphere(space, 0.25), 1.5 * (i % 6), 1.5 * (i / 6),
            0.25);
  for (int i = 0; i < 4; ++i)
    addBody(world, dCreateBox(space, 0.5 - 0.05 * i, 0.5 - 0.05 * i, 0.4), 10 + 0.01 * i, 0, 0.1995 + 0.399 * i);
  dBodySetLinearVel(bodies[0], 0.3, 0.2, 0);
  dBodyID bob = addBody(world, dCreateCapsule(space, 0.2, 1), -3, 0, 3);
  dJointID hinge = dJointCreateHinge(world, NULL);
  dJointAttach(hinge, bob, NULL);
  dJointSetHingeAnchor(hinge, -3, 0, 3.5);
  dJointSetHingeAxis(hinge, 0, 1, 0);
  dBodySetAngularVel(bob, 0, 0.5, 0);
  dBodyID wheel = addBody(world, dCreateCylinder(space, 0.4, 0.2), -6, 0, 2);
  dJointID motor = dJointCreateHinge(world, NULL);
  dJointAttach(motor, wheel, NULL);
  dJointSetHingeAnchor(motor, -6, 0, 2);
  dJointSetHingeAxis(motor, 0, 0, 1);
  dJointSetHingeParam(motor, dParamVel, 1.0);
  dJointSetHingeParam(motor, dParamFMax, 10);
  addBody(world, NULL, 0, 0, 50); /* a body that nothing sees: it must fall once per step */
  mu = 1;
  bounce = 0;
}

/* A rail of parts in a space of its own hits a wall; its parts overlap and must not collide among themselves. */
static void makeCar(void) {
  carSpace = dSimpleSpaceCreate(space);
  dGeomSetPosition(dCreateBox(space, 0.02, 4, 4), 0, 0, 0);
  for (int i = 0; i < 3; ++i) {
    dBodyID part = addBody(world, dCreateBox(carSpace, 0.3, 0.3, 0.3), -3 - 0.29 * i, 0, 0);
    dBodySetLinearVel(part, 120, 0, 0);
    if (i > 0) {
      dJointID joint = dJointCreateFixed(world, NULL);
      dJointAttach(joint, bodies[bodyCount - 2], part);
      dJointSetFixed(joint);
    }
  }
}

/* Ball and plate in one nested space, which the program collides with itself when it comes near something (the ground).
 */
static void makeNest(void) {
  dCreatePlane(space, 0, 0.6, 0.8, -5); /* far away, but its box is endless */
  carSpace = dHashSpaceCreate(space);
  dCreateBox(carSpace, 0.005, 1, 1);
  dBodySetLinearVel(addBody(world, dCreateSphere(carSpace, 0.01), -12.3, 0, 0), 300, 0, 0);
}

/* A cube of triangles is shot at a plate and pulled against it. */
static void makeMesh(void) {
  static const double corners[8][3] = {{-0.1, -0.1, -0.1}, {0.1, -0.1, -0.1}, {-0.1, 0.1, -0.1}, {0.1, 0.1, -0.1},
                                       {-0.1, -0.1, 0.1},  {0.1, -0.1, 0.1},  {-0.1, 0.1, 0.1},  {0.1, 0.1, 0.1}};
  static const unsigned faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, corners, sizeof corners[0], 8, faces, 36, sizeof faces[0]);
  dGeomSetPosition(dCreateBox(space, 0.02, 4, 4), 0.01, 0, 0);
  dWorldSetGravity(world, 9.81, 0, 0);
  dBodySetLinearVel(addBody(world, dCreateTriMesh(space, data, NULL, NULL, NULL), -3, 0, 0), 60, 0, 0);
  mu = 1;
  bounce = 0;
}

static void makeSensor(void) {
  sensor = dCreateBox(space, 0.5, 1, 1);
  dBodySetLinearVel(addBody(world, dCreateSphere(space, 0.01), -12.1, 0, 0), 300, 0, 0);
}

/* Geoms in no space, collided two by two. */
static void makeLoose(void) {
  looseWall = dCreateBox(NULL, 0.005, 1, 1);
  looseBall = dCreateSphere(NULL, 0.01);
  dBodySetLinearVel(addBody(world, looseBall, -12.3, 0, 0), 300, 0, 0);
}

/* A rebound inside one step: between two plates, 0.3 m apart, at 300 m/s. */
static void makeRebound(void) {
  dGeomSetPosition(dCreateBox(space, 0.005, 1, 1), 0.15, 0, 0);
  dGeomSetPosition(dCreateBox(space, 0.005, 1, 1), -0.15, 0, 0);
  dBodySetLinearVel(addBody(world, dCreateSphere(space, 0.01), 0.05, 0, 0), 300, 0, 0);
  bounce = 1;
}

/* The program takes the ball out of the world as soon as it sees it touch. */
static void makeDestroy(void) {
  makeBullet();
  destroys = 1;
}

static void makeWorlds(void) {
  makeBullet();
  secondWorld = dWorldCreate();
  secondSpace = dSimpleSpaceCreate(NULL);
  dGeomSetPosition(dCreateBox(secondSpace, 0.005, 1, 1), 0, 0, 0);
  dBodySetLinearVel(addBody(secondWorld, dCreateSphere(secondSpace, 0.01), -12.3, 0, 0), 300, 0, 0);
}

static void collideAll(void) {
  Frame *frame = malloc(sizeof *frame);
  *frame = (Frame){4711, bounce, mu};
  if (strcmp(scene, "alone") == 0) /* no collide call: it asks dCollide itself */
    nearCallback(frame, dSpaceGetGeom(space, 0), dSpaceGetGeom(space, 1));
  else if (looseWall != NULL)
    dSpaceCollide2(looseWall, looseBall, frame, nearCallback);
  else
    dSpaceCollide(space, frame, nearCallback);
  memset(frame, strcmp(scene, "temporary") == 0 ? 0xdb : 0, strcmp(scene, "temporary") == 0 ? sizeof *frame : 0);
  static Frame *last; /* freed a frame later, except where the test is about data that dies at once */
  free(last);
  last = frame;
}

static void step(dWorldID which) {
  if (quick)
    dWorldQuickStep(which, h);
  else
    dWorldStep(which, h);
}

static void printState(int frame) {
  printf("%d", frame);
  for (int i = 0; i < bodyCount; ++i) {
    double state[13] = {0};
    if (bodies[i] == NULL) continue;
    memcpy(state, dBodyGetPosition(bodies[i]), 3 * sizeof(double));
    memcpy(state + 3, dBodyGetQuaternion(bodies[i]), 4 * sizeof(double));
    memcpy(state + 7, dBodyGetLinearVel(bodies[i]), 3 * sizeof(double));
    memcpy(state + 10, dBodyGetAngularVel(bodies[i]), 3 * sizeof(double));
    for (int k = 0; k < 13; ++k) {
      uint64_t bits;
      memcpy(&bits, &state[k], sizeof bits);
      printf(" %016llx", (unsigned long long)bits);
    }
  }
  printf("\n");
}

int main(int argc, char **argv) {
  int frames = 10;
  scene = argc > 1 ? argv[1] : "bullet";
  for (int i = 2; i < argc; ++i) {
    quick = quick || strcmp(argv[i], "quick") == 0;
    if (atoi(argv[i]) > 0) frames = atoi(argv[i]);
  }
  dInitODE2(0);
  world = dWorldCreate();
  space = strcmp(scene, "slow") == 0 ? dHashSpaceCreate(NULL) : dSimpleSpaceCreate(NULL);
  contacts = dJointGroupCreate(0);
  const struct {
    const char *name;
    void (*make)(void);
  } scenes[] = {{"bullet", makeBullet},   {"temporary", makeBullet}, {"slow", makeSlow},       {"car", makeCar},
                {"sensor", makeSensor},   {"loose", makeLoose},      {"rebound", makeRebound}, {"worlds", makeWorlds},
                {"destroy", makeDestroy}, {"nest", makeNest},        {"mesh", makeMesh},       {"alone", makeBullet}};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
    if (strcmp(scenes[i].name, scene) == 0) scenes[i].make();
  for (int frame = 0; frame < frames; ++frame) {
    collideAll();
    step(world);
    dJointGroupEmpty(contacts);
    if (secondWorld != NULL) {
      dWorldID first = world;
      world = secondWorld; /* the callback makes its joints there */
      dSpaceCollide(secondSpace, &(Frame){4711, bounce, mu}, nearCallback);
      step(secondWorld);
      dJointGroupEmpty(contacts);
      world = first;
    }
    printState(frame);
  }
  double x = bodies[0] == NULL ? 0 : dBodyGetPosition(bodies[0])[0];
  double v = bodies[0] == NULL ? 0 : dBodyGetLinearVel(bodies[0])[0];
  printf("end: x %.6f v %.6f sensor %d stale %d bodies %d", x, v, sensorCalls, staleData, bodyCount);
  if (secondWorld != NULL) printf(" second x %.6f", dBodyGetPosition(bodies[1])[0]);
  printf("\n");
  dJointGroupDestroy(contacts);
  dSpaceDestroy(space);
  if (looseWall != NULL) {
    dGeomDestroy(looseWall);
    dGeomDestroy(looseBall);
  }
  dWorldDestroy(world);
  if (secondWorld != NULL) {
    dSpaceDestroy(secondSpace);
    dWorldDestroy(secondWorld);
  }
  dCloseODE();
  return 0;
}
