/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs of geoms count? Those that Brink is asked about, those near each other at an impact, and those that
 * Brink's contacts keep a hair apart from step to step. Units: m. */
#include <math.h>
#include <string.h>

#include "sink.h" /* plugin/stepping */
#include "stepper.h"

/* ---- what this step knows of a pair */

static uint64_t keyOf(dxBrinkPair pair) {
  uint32_t low = pair.geomA < pair.geomB ? pair.geomA : pair.geomB,
           high = pair.geomA < pair.geomB ? pair.geomB : pair.geomA;
  return (uint64_t)(low + 1) << 32 | (high + 1);
}

static uint32_t knownOf(const dxBrink *brink, dxBrinkPair pair) {
  uint32_t known = brinkKeyMap_Get(&brink->pairs.pairMap, keyOf(pair));
  return known == BRINK_NO_RECORD ? 0 : known;
}

bool dxBrinkIsDropped(const dxBrink *brink, dxBrinkPair pair) {
  return (knownOf(brink, pair) & DX_BRINK_PAIR_DROPPED) != 0;
}

bool dxBrinkHadContacts(const dxBrink *brink, dxBrinkPair pair) {
  return (knownOf(brink, pair) & DX_BRINK_PAIR_HAD_CONTACTS) != 0;
}

bool dxBrinkNoteContacts(dBrinkID brink, dxBrinkPair pair) {
  return brinkKeyMap_Set(&brink->pairs.pairMap, keyOf(pair), knownOf(brink, pair) | DX_BRINK_PAIR_HAD_CONTACTS);
}

bool dxBrinkDropPair(dBrinkID brink, dxBrinkPair pair) {
  brink->told->dropped(brink, pair);
  return brinkKeyMap_Set(&brink->pairs.pairMap, keyOf(pair), knownOf(brink, pair) | DX_BRINK_PAIR_DROPPED) &&
         brink->steps->leavePair(brink->shapes.world, brink->geoms[pair.geomA].collider,
                                 brink->geoms[pair.geomB].collider) == brink_ok;
}

/* Left out: pairs that no contact can change, and pairs held together by a joint (as ODE's programs do with
 * dAreConnectedExcluding). */
int dxBrinkMayMeet(const dxBrink *brink, uint32_t geomA, uint32_t geomB) {
  if (brink->geoms[geomA].key.geomClass == dRayClass && brink->geoms[geomB].key.geomClass == dRayClass) {
    return 0; /* ODE has no collider for it either */
  }
  uint32_t bodyA = brink->geoms[geomA].body, bodyB = brink->geoms[geomB].body;
  bool dynamicA = bodyA != BRINK_NO_RECORD && brink->bodies[bodyA].dynamic;
  bool dynamicB = bodyB != BRINK_NO_RECORD && brink->bodies[bodyB].dynamic;
  if (!dynamicA && !dynamicB && !dxBrinkIsSensorPair(brink, geomA, geomB)) {
    return 0;
  }
  if (bodyA != BRINK_NO_RECORD && bodyB != BRINK_NO_RECORD &&
      dAreConnectedExcluding(brink->bodies[bodyA].body, brink->bodies[bodyB].body, dJointTypeContact)) {
    return 0;
  }
  return 1;
}

/* Brink asks this for pairs whose swept boxes meet. Left out, too: pairs that the program did not want in this step,
 * and those of sensors. */
int dxBrinkWantPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  const dxBrink *brink = user;
  if (dxBrinkIsSensorPair(brink, (uint32_t)userDataA, (uint32_t)userDataB) ||
      !dxBrinkMayMeet(brink, (uint32_t)userDataA, (uint32_t)userDataB)) {
    return 0;
  }
  if (brink->chosen.hookSay != NULL && brink->chosen.hookSay(brink->chosen.hookUser, brink->geoms[userDataA].geom,
                                                             brink->geoms[userDataB].geom) == dxBrinkDoorLeaves) {
    return 0;
  }
  return brink->pairs.pairMap.count == 0 ||
         !dxBrinkIsDropped(brink, (dxBrinkPair){(uint32_t)userDataA, (uint32_t)userDataB});
}

int dxBrinkFilterPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  dBrinkID brink = user;
  int want = dxBrinkWantPair(user, a, b, userDataA, userDataB);
  if (!want) {
    brink->told->left(brink, (dxBrinkPair){(uint32_t)userDataA, (uint32_t)userDataB});
  }
  return want;
}

dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom) {
  uint32_t number = brink->geoms[geom].body;
  return number == BRINK_NO_RECORD ? NULL : brink->bodies[number].body;
}

double dxBrinkPairAllowance(const dxBrink *brink, dxBrinkPair pair) {
  return fmin(brink->geoms[pair.geomA].allowance, brink->geoms[pair.geomB].allowance);
}

/* ---- how deep a pair may sink */

static brinkStepCollider sinkerOf(const dxBrinkGeom *geom) {
  uint32_t flags = (geom->shape.surface ? BRINK_STEP_SURFACE : 0u) | (geom->shape.sheet ? BRINK_STEP_SHEET : 0u) |
                   (geom->key.geomClass == dHeightfieldClass ? BRINK_STEP_FIELD : 0u) |
                   (geom->sensor ? BRINK_STEP_SENSOR : 0u) | (geom->userAllowance >= 0 ? BRINK_STEP_SAID : 0u);
  return (brinkStepCollider){.flags = flags, .body = geom->body, .allowance = geom->allowance};
}

/* Penetration allowed per query, and in all: the pair's contacts are ODE's own and need surfaces that cross. */
static double sinkDepth(const dxBrink *brink, uint32_t geomA, uint32_t geomB, double *limit) {
  const dxBrinkGeom *a = &brink->geoms[geomA], *b = &brink->geoms[geomB];
  const brinkStepCollider sinkA = sinkerOf(a), sinkB = sinkerOf(b);
  return brinkStepSinkDepth(&sinkA, &sinkB, brink->chosen.allowanceCap, dxBrinkAnswersPair(a, b), limit);
}

double dxBrinkSinkPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB,
                       double *limit) {
  (void)a;
  (void)b;
  dBrinkID brink = user;
  double depth = sinkDepth(brink, (uint32_t)userDataA, (uint32_t)userDataB, limit);
  if (depth > 0) {
    brink->told->sinks(brink, (dxBrinkPair){(uint32_t)userDataA, (uint32_t)userDataB}, depth, *limit);
  }
  return depth;
}

bool dxBrinkSinking(const dxBrink *brink, dxBrinkPair pair, double local, brinkSinking *out) {
  const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
  out->structSize = sizeof(*out);
  return (a->shape.surface || b->shape.surface) &&
         brink->steps->sinking(brink->shapes.world, a->collider, b->collider, local, out) == brink_ok && out->depth > 0;
}

bool dxBrinkIsSunken(const dxBrink *brink, const brinkContact *contact, dxBrinkPair pair) {
  return contact->threshold < 0 && (brink->geoms[pair.geomA].shape.surface || brink->geoms[pair.geomB].shape.surface);
}

static bool isMeshPair(const dxBrink *brink, dxBrinkPair pair) {
  return brink->geoms[pair.geomA].key.geomClass == dTriMeshClass ||
         brink->geoms[pair.geomB].key.geomClass == dTriMeshClass;
}

/* Is this the first touch of a pair that was apart, and not the deepening of one that touches? See brinkWatch. */
bool dxBrinkIsFirstTouch(const dxBrink *brink, const dxBrinkImpact *impact) {
  double least =
      isMeshPair(brink, impact->pair) ? BRINK_STEP_FIRST_TOUCH * dxBrinkPairAllowance(brink, impact->pair) : 0;
  return impact->contact.threshold >= least;
}

bool dxBrinkIsPressed(const dxBrink *brink, const dxBrinkImpact *impact) {
  return impact->contact.threshold > 0 && !dxBrinkIsFirstTouch(brink, impact) &&
         dxBrinkAnswersPair(&brink->geoms[impact->pair.geomA], &brink->geoms[impact->pair.geomB]);
}

bool dxBrinkBoxesMeet(dGeomID a, dGeomID b) { return dxBrinkBoxesWithin(a, b, 0); }

bool dxBrinkBoxesWithin(dGeomID a, dGeomID b, double margin) {
  dReal boxA[6], boxB[6];
  dGeomGetAABB(a, boxA);
  dGeomGetAABB(b, boxB);
  for (int axis = 0; axis < 3; ++axis) {
    if (boxA[2 * axis] - margin > boxB[2 * axis + 1] || boxB[2 * axis] - margin > boxA[2 * axis + 1]) {
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

static bool isImpact(const dBrinkID brink, dxBrinkPair pair) {
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    if (memcmp(&brink->pairs.impacts[i].pair, &pair, sizeof(pair)) == 0) {
      return true;
    }
  }
  return false;
}

/* brink->pairs.nearPairs: pairs around the listed bodies, from there on. */
bool dxBrinkListPairsAround(dBrinkID brink, double from, double margin, bool butStruck) {
  const brinkColliderPair *pairs = NULL;
  size_t count = 0;
  brink->pairs.nearCount = 0;
  if (brink->quiet.lookedCount > 0 &&
      brink->steps->pairsOf(brink->shapes.world, brink->quiet.looked, brink->quiet.lookedCount, from, 1, margin, &pairs,
                            &count) != brink_ok) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, pairs[i].a),
                        brinkKeyMap_Get(&brink->colliderMap, pairs[i].b)};
    if (pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD || (butStruck && isImpact(brink, pair))) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->pairs.nearPairs, brink->pairs.nearCount, brink->pairs.nearCapacity)) {
      return false;
    }
    brink->pairs.nearPairs[brink->pairs.nearCount++] = pair;
  }
  return true;
}

/* Those around the gathered bodies, which may be near each other at the impact. */
bool dxBrinkListNearPairs(const dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  double allowance = 0;
  brink->quiet.lookedCount = 0;
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    if (!DX_BRINK_RESERVE(brink->quiet.looked, brink->quiet.lookedCount, brink->quiet.lookedCapacity)) {
      return false;
    }
    brink->quiet.looked[brink->quiet.lookedCount++] = record->id;
    allowance = fmax(allowance, isfinite(record->allowance) ? record->allowance : 0);
  }
  return dxBrinkListPairsAround(brink, run->t, allowance + brink->quiet.slackMost, true);
}

/* ---- meshes at rest */

static bool isHeldApart(const dxBrink *brink, dxBrinkPair pair) {
  const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
  return (a->shape.surface || b->shape.surface) && dxBrinkAnswersPair(a, b);
}

/* Can isHeldApart be true of any pair? A mesh whose contacts are Brink's, or two meshes. */
bool dxBrinkHaveHeldMeshes(const dxBrink *brink) {
  uint32_t users = 0;
  for (size_t i = 0; i < brink->shapes.meshCount; ++i) {
    const dxBrinkMesh *mesh = &brink->shapes.meshes[i];
    for (int other = 0; mesh->users > 0 && other <= dHeightfieldClass; ++other) {
      if (dxBrinkOverrides(mesh->geomClass, other)) {
        return true;
      }
    }
    users += mesh->users;
  }
  return users > 1;
}

static bool isQuiet(const dxBrink *brink, uint32_t geom) {
  uint32_t body = brink->geoms[geom].body;
  return body == BRINK_NO_RECORD || brink->bodies[body].quiet;
}

/* Brink's contacts keep meshes a hair apart, but an ODE space reports only geoms whose boxes meet: a mesh at rest on a
 * level floor would be reported in no frame. So the pairs that may be this near now are kept for the next step; those
 * of quiet bodies stay. */
void dxBrinkBeginHeldApart(dBrinkID brink) {
  size_t kept = 0;
  for (size_t i = 0; i < brink->pairs.heldCount; ++i) {
    dxBrinkPair pair = brink->pairs.heldApart[i];
    if (isQuiet(brink, pair.geomA) && isQuiet(brink, pair.geomB)) {
      brink->pairs.heldApart[kept] = pair;
      memcpy(brink->pairs.heldGeoms[kept++], brink->pairs.heldGeoms[i], sizeof(*brink->pairs.heldGeoms));
    }
  }
  brink->pairs.heldCount = kept;
}

void dxBrinkAddHeldApart(dBrinkID brink, dxBrinkPair pair) {
  if (!isHeldApart(brink, pair) ||
      !DX_BRINK_RESERVE(brink->pairs.heldApart, brink->pairs.heldCount, brink->pairs.heldCapacity) ||
      !DX_BRINK_RESERVE(brink->pairs.heldGeoms, brink->pairs.heldCount, brink->pairs.heldGeomsCapacity)) {
    return;
  }
  brink->pairs.heldGeoms[brink->pairs.heldCount][0] = brink->geoms[pair.geomA].geom;
  brink->pairs.heldGeoms[brink->pairs.heldCount][1] = brink->geoms[pair.geomB].geom;
  brink->pairs.heldApart[brink->pairs.heldCount++] = pair;
}
