/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes beyond ODE's own. Brink takes one geom for a simpler one, and a convex set is given by its support function. A
 * heightfield tells its samples. One geom has no space, one body no geom. */
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>

#include "brink/ode.h"

/* An ellipsoid with half axes 0.2, 0.1, 0.1 m. */
static void ellipsoid(void *user, const double direction[3], double point[3]) {
  (void)user;
  const double axes[3] = {0.2, 0.1, 0.1};
  double length = 0;
  for (int i = 0; i < 3; ++i) length += axes[i] * axes[i] * direction[i] * direction[i];
  length = sqrt(length);
  for (int i = 0; i < 3; ++i) point[i] = axes[i] * axes[i] * direction[i] / length;
}

static dReal flat(void *user, int x, int z) { return (void)user, 0.1 * (x == z); }

int main(void) {
  dInitODE2(0);
  int good = dBrinkRegisterAll(); /* contacts of these classes come from Brink from now on */
  dWorldID world = dWorldCreate();
  dSpaceID space = dSimpleSpaceCreate(NULL), other = dSimpleSpaceCreate(NULL);
  dGeomID capsule = dCreateCapsule(space, 0.1, 1), like = dCreateBox(NULL, 0.2, 0.2, 1.2);
  dGeomID egg = dCreateSphere(space, 0.2), loose = dCreateBox(NULL, 1, 1, 1);
  dBodyID body = dBodyCreate(world);
  dGeomSetBody(egg, body);
  dHeightfieldDataID data = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildCallback(data, NULL, flat, 4, 4, 5, 5, 1, 0, 1, 0);
  dGeomHeightfieldDataSetBounds(data, 0, 1);
  dGeomSetPosition(dCreateHeightfield(space, data, 1), 0, 0, -5);

  dBrinkID brink = dBrinkCreate(world);
  good = good && brink != NULL && dBrinkAddSpace(brink, space) && dBrinkAddSpace(brink, other);
  good = good && dBrinkSetGeomShape(brink, capsule, like);
  good = good && dBrinkSetGeomSupport(brink, egg, ellipsoid, NULL, 0.2);
  good = good && dBrinkUseHeightfield(brink, data, 5, 5);
  good = good && dBrinkAddGeom(brink, loose);
  good = good && dBrinkWorldStep(brink, 0.01, NULL, NULL, NULL);
  good = good && dBrinkRemoveGeom(brink, loose) && dBrinkRemoveSpace(brink, other);
  if (!good) fprintf(stderr, "shapes: %s\n", dBrinkGetError(brink));
  printf(good ? "every shape was taken\n" : "refused\n");
  dBrinkDestroy(brink);
  dGeomDestroy(loose);
  dGeomDestroy(like);
  dSpaceDestroy(other);
  dSpaceDestroy(space);
  dGeomHeightfieldDataDestroy(data);
  dWorldDestroy(world);
  dCloseODE();
  return good ? 0 : 1;
}
