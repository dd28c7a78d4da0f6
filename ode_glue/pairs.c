/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs of geoms count? Those that Brink is asked about, those near each other at an impact, and those that Brink's
 * contacts keep a hair apart from step to step. Units: m. */
#include <math.h>
#include <string.h>

#include "stepper.h"

static bool isDropped(const dxBrink *brink, dxBrinkPair pair) {
  for (size_t i = 0; i < brink->droppedCount; ++i) {
    if (memcmp(&brink->dropped[i], &pair, sizeof(pair)) == 0) {
      return true;
    }
  }
  return false;
}

bool dxBrinkDropPair(dBrinkID brink, dxBrinkPair pair) {
  if (!DX_BRINK_RESERVE(brink->dropped, brink->droppedCount, brink->droppedCapacity)) {
    return false;
  }
  brink->dropped[brink->droppedCount++] = pair;
  return true;
}

/* Brink asks this for pairs whose swept boxes meet. Left out: pairs that no contact can change, pairs held together by
 * a joint (as ODE's programs do with dAreConnectedExcluding), and pairs that the program did not want in this step. */
int dxBrinkWantPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  const dxBrink *brink = user;
  uint32_t bodyA = brink->geoms[userDataA].body, bodyB = brink->geoms[userDataB].body;
  bool dynamicA = bodyA != BRINK_NO_RECORD && brink->bodies[bodyA].dynamic;
  bool dynamicB = bodyB != BRINK_NO_RECORD && brink->bodies[bodyB].dynamic;
  if (!dynamicA && !dynamicB) {
    return 0;
  }
  if (bodyA != BRINK_NO_RECORD && bodyB != BRINK_NO_RECORD &&
      dAreConnectedExcluding(brink->bodies[bodyA].body, brink->bodies[bodyB].body, dJointTypeContact)) {
    return 0;
  }
  if (brink->doorSay != NULL && brink->doorSay(brink->doorUser, brink->geoms[userDataA].geom,
                                               brink->geoms[userDataB].geom) == dxBrinkDoorLeaves) {
    return 0;
  }
  return brink->droppedCount == 0 || !isDropped(brink, (dxBrinkPair){(uint32_t)userDataA, (uint32_t)userDataB});
}

dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom) {
  uint32_t number = brink->geoms[geom].body;
  return number == BRINK_NO_RECORD ? NULL : brink->bodies[number].body;
}

double dxBrinkPairAllowance(const dxBrink *brink, dxBrinkPair pair) {
  return fmin(brink->geoms[pair.geomA].allowance, brink->geoms[pair.geomB].allowance);
}

bool dxBrinkBoxesMeet(dGeomID a, dGeomID b) {
  dReal boxA[6], boxB[6];
  dGeomGetAABB(a, boxA);
  dGeomGetAABB(b, boxB);
  for (int axis = 0; axis < 3; ++axis) {
    if (boxA[2 * axis] > boxB[2 * axis + 1] || boxB[2 * axis] > boxA[2 * axis + 1]) {
      return false;
    }
  }
  return true;
}

bool dxBrinkBitsMeet(dGeomID a, dGeomID b) {
  return dGeomIsEnabled(a) && dGeomIsEnabled(b) &&
         ((dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) || (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a)));
}

/* ---- near each other at an impact */

static bool isStrike(const dBrinkID brink, dxBrinkPair pair) {
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    if (memcmp(&brink->strikes[i].pair, &pair, sizeof(pair)) == 0) {
      return true;
    }
  }
  return false;
}

static double largestAllowance(const dxBrink *brink) {
  double largest = 0;
  for (size_t i = 0; i < brink->geomCount; ++i) {
    const dxBrinkGeom *geom = &brink->geoms[i];
    if (geom->geom != NULL && geom->answered && geom->key.geomClass != dPlaneClass && dxBrinkIsGathered(brink, geom->body)) {
      largest = fmax(largest, geom->allowance);
    }
  }
  return largest;
}

/* Pairs near each other at the impact, but for the struck ones. */
bool dxBrinkListNearPairs(dBrinkID brink, double local) {
  const brinkColliderPair *pairs;
  size_t count;
  brink->nearCount = 0;
  if (brink->shapes.plugin->nearPairs(brink->shapes.world, local, largestAllowance(brink), &pairs, &count) !=
      brink_ok) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, pairs[i].a),
                        brinkKeyMap_Get(&brink->colliderMap, pairs[i].b)};
    if (pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD || isStrike(brink, pair)) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->nearPairs, brink->nearCount, brink->nearCapacity)) {
      return false;
    }
    brink->nearPairs[brink->nearCount++] = pair;
  }
  return true;
}

/* ---- meshes at rest */

static bool isHeldApart(const dxBrink *brink, dxBrinkPair pair) {
  const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
  return (a->shape.surface || b->shape.surface) && dxBrinkAnswersPair(a, b);
}

static bool haveHeldMeshes(const dxBrink *brink) {
  for (size_t i = 0; i < brink->shapes.meshCount; ++i) {
    if (brink->shapes.meshes[i].users > 0) {
      return true;
    }
  }
  return false;
}

/* Brink's contacts keep meshes a hair apart, but an ODE space reports only geoms whose boxes meet: a mesh at rest on a
 * level floor would be reported in no frame. So the pairs that are this near now are kept for the next step. */
void dxBrinkListHeldApart(dBrinkID brink) {
  brink->heldCount = 0;
  if (!haveHeldMeshes(brink)) {
    return;
  }
  double margin = 0;
  for (size_t i = 0; i < brink->geomCount; ++i) {
    const dxBrinkGeom *geom = &brink->geoms[i];
    bool counts = geom->geom != NULL && geom->answered && geom->key.geomClass != dPlaneClass;
    margin = counts ? fmax(margin, geom->allowance) : margin;
  }
  const brinkColliderPair *pairs;
  size_t count;
  if (brink->shapes.plugin->nearPairs(brink->shapes.world, 1, margin, &pairs, &count) != brink_ok) {
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, pairs[i].a),
                        brinkKeyMap_Get(&brink->colliderMap, pairs[i].b)};
    if (pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD || !isHeldApart(brink, pair)) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->heldApart, brink->heldCount, brink->heldCapacity) ||
        !DX_BRINK_RESERVE(brink->heldGeoms, brink->heldCount, brink->heldGeomsCapacity)) {
      return;
    }
    brink->heldGeoms[brink->heldCount][0] = brink->geoms[pair.geomA].geom;
    brink->heldGeoms[brink->heldCount][1] = brink->geoms[pair.geomB].geom;
    brink->heldApart[brink->heldCount++] = pair;
  }
}

/* Before the solve: contacts of those pairs that the program's own dSpaceCollide could not see. */
void dxBrinkCallNearHeldApart(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; run->near != NULL && i < brink->heldCount; ++i) {
    dxBrinkPair pair = brink->heldApart[i];
    const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
    bool same = a->geom == brink->heldGeoms[i][0] && b->geom == brink->heldGeoms[i][1] && a->answered && b->answered;
    if (same && dxBrinkBitsMeet(a->geom, b->geom) && !dxBrinkBoxesMeet(a->geom, b->geom)) {
      dxBrinkCallNear(run, a->geom, b->geom);
    }
  }
}
