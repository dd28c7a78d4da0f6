/* SPDX-License-Identifier: BSD-3-Clause */
/* A program built for single-precision ODE; see single_ode.c. */
#include <stdio.h>

int dWorldStep(void *world, float h);
int dWorldQuickStep(void *world, float h);
void dSpaceCollide(void *space, void *data, void (*callback)(void *data, void *a, void *b));
void *dBodyCreate(void *world);
void dBodyDestroy(void *body);
void dCloseODE(void);

static void near(void *data, void *a, void *b) { printf("near %p %p %p\n", data, a, b); }

int main(void) {
  void *world = (void *)16, *space = (void *)32;
  dBodyDestroy(dBodyCreate(world));
  dSpaceCollide(space, world, near);
  dWorldStep(world, 0.0166666675f);
  dWorldQuickStep(world, 0.1f);
  dCloseODE();
  return 0;
}
