/* SPDX-License-Identifier: BSD-3-Clause */
/* Which record has this object of ODE's? And what the mirror keeps, made and ended. */
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
  dxBrinkFreeShapes(&brink->shapes);
  dJointGroupDestroy(brink->tethers);
  dSpaceDestroy(watched->root);
  dGeomDestroy(watched->probe);
  brinkKeyMap_Free(&brink->geomMap);
  brinkKeyMap_Free(&brink->step.colliderMap);
  brinkKeyMap_Free(&brink->bodyMap);
  brinkKeyMap_Free(&brink->jointMap);
  void *blocks[] = {brink->geoms,    brink->step.bodies,    brink->step.hotData,     brink->step.joints,
                    brink->hosted,   brink->step.colliders, brink->walk->quickTests, watched->spaces,
                    watched->listed, watched->looseGeoms,   brink->walk->geomStamps, watched,
                    brink->walk};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
}

dxBrinkGeom *dxBrinkFindGeom(dBrinkID brink, dGeomID geom) {
  uint32_t number = brinkKeyMap_Get(&brink->geomMap, BRINK_POINTER_KEY(geom));
  return number == BRINK_NO_RECORD ? NULL : &brink->geoms[number];
}

uint32_t dxBrinkFindBody(const dxBrink *brink, dBodyID body) {
  return brinkKeyMap_Get(&brink->bodyMap, BRINK_POINTER_KEY(body));
}

void dxBrinkFetchFlags(const dxBrink *brink, size_t index) {
#if defined(__GNUC__)
  if (index + DX_BRINK_FETCH_AHEAD < brink->step.bodyCount) {
    __builtin_prefetch(&brink->step.bodies[index + DX_BRINK_FETCH_AHEAD]);
    if (brink->step.bodies[index].body != NULL) {
      __builtin_prefetch(brink->step.bodies[index].body);
    }
  }
#else
  (void)brink;
  (void)index;
#endif
}

bool dxBrinkRestAt(dBrinkID brink, const brinkStepBody *record, const dReal *p, const dReal *q) {
  brinkBodyMotion motion = {.structSize = sizeof(motion), .kind = brink_motionRest};
  motion.pose0 = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  motion.pose1 = motion.pose0;
  return brink->shapes.plugin->setBodyMotion(brink->shapes.world, record->id, &motion) == brink_ok;
}
