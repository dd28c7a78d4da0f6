/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the record of an ODE object; makes and frees what the mirror keeps. */
#include <stdlib.h>

#include "mirror.h"

bool dxBrinkOpenMirror(dBrinkID brink) {
  brink->watched = calloc(1, sizeof(*brink->watched));
  brink->walk = calloc(1, sizeof(*brink->walk));
  if (brink->watched == NULL || brink->walk == NULL) {
    free(brink->watched);
    free(brink->walk);
    return false;
  }
  brink->tethers = dJointGroupCreate(0);
  brink->watched->root = dSimpleSpaceCreate(NULL);
  dSpaceSetCleanup(brink->watched->root, 0);
  brink->watched->probe = dCreatePlane(NULL, 1, 1, 1, 0);
  return true;
}

/* After dxBrinkForget. */
void dxBrinkCloseMirror(dBrinkID brink) {
  struct dxBrinkWatched *watched = brink->watched;
  brinkStepFreeShapes(&brink->shapes);
  dJointGroupDestroy(brink->tethers);
  dSpaceDestroy(watched->root);
  dGeomDestroy(watched->probe);
  brinkStepFree(&brink->step);
  struct dxBrinkWalk *walk = brink->walk;
  void *blocks[] = {
      brink->geoms,     brink->hosted, watched->spaces, watched->listed, watched->looseGeoms, watched, walk->quickTests,
      walk->geomStamps, walk->spaces,  walk->reached,   walk->joints,    walk->changed,       walk};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
}

dxBrinkGeom *dxBrinkFindGeom(dBrinkID brink, dGeomID geom) {
  uint32_t number = brinkStepFindCollider(&brink->step, geom, BRINK_NO_RECORD);
  return number == BRINK_NO_RECORD ? NULL : &brink->geoms[number];
}

uint32_t dxBrinkFindBody(const dxBrink *brink, dBodyID body) { return brinkStepFindBody(&brink->step, body); }

uint32_t dxBrinkBodyAcross(const dxBrink *brink, uint32_t joint, uint32_t body, dBodyID other) {
  if (joint != BRINK_NO_RECORD) {
    const uint32_t *bodies = brink->step.joints[joint].bodies, across = bodies[bodies[0] == body];
    if (other != NULL && across != BRINK_NO_RECORD && brink->step.hotData[across].body == other) {
      return across;
    }
  }
  return dxBrinkFindBody(brink, other);
}
