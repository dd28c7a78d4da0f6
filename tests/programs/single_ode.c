/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands for a single-precision libode in the tests: ODE's names with float arguments. It says what it was asked. */
#include <stdio.h>
#include <string.h>

typedef void near(void *data, void *a, void *b);

int dCheckConfiguration(const char *token) { return strcmp(token, "ODE_single_precision") == 0; }
const char *dGetConfiguration(void) { return "ODE ODE_EXT_trimesh ODE_single_precision"; }
int dWorldStep(void *world, float h) { return printf("step %p %.9g\n", world, (double)h) > 0; }
int dWorldQuickStep(void *world, float h) { return printf("quick step %p %.9g\n", world, (double)h) > 0; }
void dSpaceCollide(void *space, void *data, near *callback) { callback(data, space, space); }
void dSpaceCollide2(void *a, void *b, void *data, near *callback) { callback(data, a, b); }
void *dJointCreateContact(void *world, void *group, const void *contact) {
  return world == group ? NULL : (void *)contact;
}
void *dBodyCreate(void *world) { return world; }
void dBodyDestroy(void *body) { printf("body %p\n", body); }
void dSpaceDestroy(void *space) { printf("space %p\n", space); }
void dGeomDestroy(void *geom) { printf("geom %p\n", geom); }
void dWorldDestroy(void *world) { printf("world %p\n", world); }
void dCloseODE(void) { printf("closed\n"); }
