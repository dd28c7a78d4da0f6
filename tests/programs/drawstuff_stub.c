/* SPDX-License-Identifier: BSD-3-Clause */
/* ODE's demos without a window. Linked with a demo in place of drawstuff: runs the demo's loop for so many frames,
 * types keys, and stands before ODE's step to lengthen it and to look at what it did.
 *
 * Environment: DEMO_FRAMES [300], DEMO_SCALE [1] (of each step's length), DEMO_KEYS (one is typed every ten frames),
 * DEMO_MOVED (the number of a start: before its first step each body is moved by up to 1 cm, one with joints or
 * contacts by 1e-6 m, in each start otherwise). Prints `end: steps N energy E finite F time T`: E is the largest
 * kinetic energy after a step, J. One thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <ode/ode.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drawstuff/drawstuff.h>

#define MAX_BODIES 65536
#define KEY_EVERY 10

static dBodyID bodies[MAX_BODIES];
static bool isNew[MAX_BODIES]; /* no step has been made with it */
static int bodyCount, depth, stopped;
static long steps;
static double energy, simulated;
static int isFinite = 1;

static void *findBehind(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

#define NEXT(function)                   \
  static __typeof__(&function) real;     \
  if (real == NULL) {                    \
    void *found = findBehind(#function); \
    memcpy(&real, &found, sizeof found); \
  }

static double getNumber(const char *name, double usual) {
  const char *text = getenv(name);
  return text != NULL ? atof(text) : usual;
}

/* ---- what the steps do */

dBodyID dBodyCreate(dWorldID world) {
  NEXT(dBodyCreate)
  dBodyID body = real(world);
  bool listed = bodyCount > 0 && bodies[bodyCount - 1] == body; /* through the preload a call comes by here twice */
  if (!listed && bodyCount < MAX_BODIES) {
    isNew[bodyCount] = true;
    bodies[bodyCount++] = body;
  }
  return body;
}

static void forgetAt(int i) {
  isNew[i] = isNew[--bodyCount];
  bodies[i] = bodies[bodyCount];
}

static void forgetBody(dBodyID body) {
  for (int i = 0; i < bodyCount; ++i)
    if (bodies[i] == body) forgetAt(i--);
}

void dBodyDestroy(dBodyID body) {
  NEXT(dBodyDestroy)
  forgetBody(body);
  real(body);
}

void dWorldDestroy(dWorldID world) {
  NEXT(dWorldDestroy)
  for (int i = 0; i < bodyCount; ++i)
    if (dBodyGetWorld(bodies[i]) == world) forgetAt(i--);
  real(world);
}

static void look(dWorldID world) {
  double sum = 0;
  for (int i = 0; i < bodyCount; ++i) {
    if (dBodyGetWorld(bodies[i]) != world || dBodyIsKinematic(bodies[i])) continue;
    dMass mass;
    dVector3 local;
    const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
    dBodyGetMass(bodies[i], &mass);
    dBodyVectorFromWorld(bodies[i], w[0], w[1], w[2], local);
    for (int k = 0; k < 3; ++k) {
      sum += 0.5 * mass.mass * v[k] * v[k];
      for (int m = 0; m < 3; ++m) sum += 0.5 * local[k] * mass.I[4 * k + m] * local[m];
    }
  }
  steps++;
  isFinite = isFinite && isfinite(sum);
  if (sum > energy) energy = sum;
}

static double draw(unsigned long long *state) { /* -1 to 1; splitmix64 */
  unsigned long long z = (*state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return 2 * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 - 1;
}

/* Each body, before the first step that it is there for. A joint would feel a centimetre. */
static void moveNew(dWorldID world, unsigned long long start) {
  static unsigned long long made;
  for (int i = 0; i < bodyCount; ++i) {
    if (!isNew[i] || dBodyGetWorld(bodies[i]) != world) continue;
    const dReal *p = dBodyGetPosition(bodies[i]);
    const double most = dBodyGetNumJoints(bodies[i]) > 0 ? 1e-6 : 1e-2;
    unsigned long long state = start << 32 ^ made++;
    const double x = most * draw(&state), y = most * draw(&state), z = most * draw(&state);
    isNew[i] = false;
    if (start > 0) dBodySetPosition(bodies[i], p[0] + x, p[1] + y, p[2] + z);
  }
}

static int stepScaled(int (*step)(dWorldID, dReal), dWorldID world, dReal h) {
  if (depth > 0) return step(world, h); /* Brink's own */
  depth++;
  moveNew(world, (unsigned long long)getNumber("DEMO_MOVED", 0));
  h *= getNumber("DEMO_SCALE", 1);
  simulated += h;
  unsigned long seed = dRandGetSeed(); /* what a solver draws must not change what the demo draws */
  int done = step(world, h);
  dRandSetSeed(seed);
  depth--;
  look(world);
  return done;
}

int dWorldStep(dWorldID world, dReal h) {
  NEXT(dWorldStep)
  return stepScaled(real, world, h);
}

int dWorldQuickStep(dWorldID world, dReal h) {
  NEXT(dWorldQuickStep)
  return stepScaled(real, world, h);
}

/* ---- drawstuff */

void dsSimulationLoop(int argc, char **argv, int width, int height, struct dsFunctions *fn) {
  const char *keys = getenv("DEMO_KEYS");
  size_t keyCount = keys != NULL ? strlen(keys) : 0;
  int frames = (int)getNumber("DEMO_FRAMES", 300);
  (void)argc, (void)argv, (void)width, (void)height;
  if (fn->start != NULL) fn->start();
  for (int i = 0; i < frames && !stopped; ++i) {
    if (keyCount > 0 && fn->command != NULL && i % KEY_EVERY == 0)
      fn->command(keys[(size_t)(i / KEY_EVERY) % keyCount]);
    fn->step(0);
  }
  printf("end: steps %ld energy %.6g finite %d time %.6g\n", steps, energy, isFinite, simulated);
  fflush(stdout);
  if (fn->stop != NULL) fn->stop();
}

static void say(const char *format, va_list arguments) {
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

void dsError(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
  exit(1);
}

void dsDebug(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
  abort();
}

void dsPrint(const char *format, ...) { (void)format; }
void dsStop(void) { stopped = 1; }
double dsElapsedTime(void) { return 1.0 / 60; }
void dsSetViewpoint(float position[3], float angles[3]) { (void)position, (void)angles; }
void dsGetViewpoint(float position[3], float angles[3]) {
  memset(position, 0, 3 * sizeof *position);
  memset(angles, 0, 3 * sizeof *angles);
}
void dsSetTexture(int number) { (void)number; }
void dsSetColor(float r, float g, float b) { (void)r, (void)g, (void)b; }
void dsSetColorAlpha(float r, float g, float b, float a) { (void)r, (void)g, (void)b, (void)a; }
void dsSetDrawMode(int mode) { (void)mode; }
void dsSetSphereQuality(int n) { (void)n; }
void dsSetCapsuleQuality(int n) { (void)n; }

/* Twice: for places in float and in double. */
#define DRAW(suffix, real)                                                                                          \
  void dsDrawBox##suffix(const real p[3], const real r[12], const real sides[3]) { (void)p, (void)r, (void)sides; } \
  void dsDrawSphere##suffix(const real p[3], const real r[12], float size) { (void)p, (void)r, (void)size; }        \
  void dsDrawTriangle##suffix(const real p[3], const real r[12], const real *a, const real *b, const real *c,       \
                              int solid) {                                                                          \
    (void)p, (void)r, (void)a, (void)b, (void)c, (void)solid;                                                       \
  }                                                                                                                 \
  void dsDrawTriangles##suffix(const real p[3], const real r[12], const real *v, int n, int solid) {                \
    (void)p, (void)r, (void)v, (void)n, (void)solid;                                                                \
  }                                                                                                                 \
  void dsDrawCylinder##suffix(const real p[3], const real r[12], float length, float radius) {                      \
    (void)p, (void)r, (void)length, (void)radius;                                                                   \
  }                                                                                                                 \
  void dsDrawCapsule##suffix(const real p[3], const real r[12], float length, float radius) {                       \
    (void)p, (void)r, (void)length, (void)radius;                                                                   \
  }                                                                                                                 \
  void dsDrawLine##suffix(const real a[3], const real b[3]) { (void)a, (void)b; }                                   \
  void dsDrawConvex##suffix(const real p[3], const real r[12], const real *planes, unsigned planeCount,             \
                            const real *points, unsigned pointCount, const unsigned *polygons) {                    \
    (void)p, (void)r, (void)planes, (void)planeCount, (void)points, (void)pointCount, (void)polygons;               \
  }
DRAW(, float)
DRAW(D, double)
