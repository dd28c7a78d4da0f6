/* SPDX-License-Identifier: BSD-3-Clause */
/* Calling the program's near callback inside a step. */
#include "stepper.h"

/* As from dSpaceCollide: with boxes that are up to date. ODE's collider of a convex and a trimesh sees nothing else. */
void dxBrinkCallNear(dxBrinkRun *run, dGeomID a, dGeomID b) {
  dReal box[6];
  dGeomGetAABB(a, box);
  dGeomGetAABB(b, box);
  run->near(run->data, a, b);
}
