/* SPDX-License-Identifier: BSD-3-Clause */
/* Calling the program's near callback inside a step, and noticing what it did to the world besides contacts. Under
 * dSpaceCollide a callback cannot destroy geoms (their space is locked, ODE asserts); here it can, and then records of
 * the mirror point nowhere. Looked at after each call: the number of geoms in each space and the first of them, and
 * whether the two geoms have their bodies (one that is destroyed leaves its geoms); when those leave a doubt, and after
 * all calls of an impact: is each geom there that the walk has met, and on its body? Not
 * noticed: a body without geoms that only joints lead to. Joints are the program's to destroy at any time: nothing of
 * Brink's hangs on its bodies that dJointDestroy would leave. */
#include <string.h>

#include "step.h"

/* ---- what is there */

static bool countSpace(dBrinkID brink, dSpaceID space) {
  if (!BRINK_STEP_RESERVE(brink->contacts.counted, brink->contacts.countedCount, brink->contacts.countedCapacity)) {
    return false;
  }
  brink->contacts.counted[brink->contacts.countedCount++] = (dxBrinkCounted){
      .space = space, .count = dSpaceGetNumGeoms(space), .blind = dSpaceGetClass(space) == dQuadTreeSpaceClass};
  return true;
}

/* Calls for a space and all spaces in it, and for all geoms, directly or deeper. NULL: not for these. False: one call
 * said so, or no memory. */
static bool eachInSpace(dBrinkID brink, dSpaceID space, bool (*enters)(dBrinkID brink, dSpaceID space),
                        bool (*meets)(dBrinkID brink, dGeomID geom)) {
  size_t first = brink->watched->listedCount;
  bool done = (enters == NULL || enters(brink, space)) && dxBrinkListSpace(brink, space);
  size_t end = brink->watched->listedCount;
  for (size_t i = first; i < end && done; ++i) {
    dGeomID geom = brink->watched->listed[i];
    done = dGeomIsSpace(geom) ? eachInSpace(brink, (dSpaceID)geom, enters, meets) : meets == NULL || meets(brink, geom);
  }
  brink->watched->listedCount = first;
  return done;
}

/* Before the first call of a step: how many geoms has each space that the walk has gone through? Outer ones first: what
 * misses a destroyed space must not touch it. The root tells of those that it holds, spaces around nested ones of the
 * rest. */
static bool countSpaces(dBrinkID brink) {
  brink->watched->listedCount = brink->contacts.countedCount = 0;
  bool done = countSpace(brink, brink->watched->root);
  for (size_t i = 0; i < brink->watched->spaceCount && done; ++i) {
    const dxBrinkSpace *watched = &brink->watched->spaces[i];
    done = watched->sentinel == NULL || watched->sentinel == watched->space ||
           eachInSpace(brink, watched->sentinel, countSpace, NULL);
  }
  for (size_t i = 0; i < brink->walk->spaceCount && done; ++i) {
    done = countSpace(brink, brink->walk->spaces[i]);
  }
  brink->island.seen = (dxBrinkLists){.counts = {0}}; /* not yet */
  return done;
}

/* Is the geom as the walk has met it? What has no record is not watched. */
static bool isAsMet(dBrinkID brink, dGeomID geom) {
  dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
  if (record == NULL) {
    return true;
  }
  record->seen = true;
  return dxBrinkIsMet(dxBrinkOfGeom, geom) &&
         dGeomGetBody(geom) == dxBrinkBodyOfGeom(brink, (uint32_t)(record - brink->geoms));
}

/* Is every geom there that the walk has met, and on its body? */
static bool allAreThere(dBrinkID brink) {
  for (size_t i = 0; i < brink->geomCount; ++i) {
    brink->geoms[i].seen = brink->geoms[i].geom == NULL;
  }
  for (size_t i = 0; i < brink->watched->looseCount; ++i) { /* of their end a hook tells */
    dxBrinkGeom *record = dxBrinkFindGeom(brink, brink->watched->looseGeoms[i]);
    if (record != NULL) {
      record->seen = true;
    }
  }
  bool there = eachInSpace(brink, brink->watched->root, NULL, isAsMet);
  for (size_t i = 0; i < brink->watched->spaceCount && there; ++i) { /* and those that do not lie in the root */
    dSpaceID sentinel = brink->watched->spaces[i].sentinel;
    if (sentinel == NULL || !dxBrinkRootHolds(brink, (dGeomID)sentinel)) {
      there = (sentinel == NULL || dxBrinkAnyRootHolds((dGeomID)sentinel)) &&
              eachInSpace(brink, sentinel == NULL ? brink->watched->spaces[i].space : sentinel, NULL, isAsMet);
    }
  }
  for (size_t i = 0; i < brink->geomCount && there; ++i) {
    there = brink->geoms[i].seen;
  }
  return there;
}

/* The first geom of a space. A new one comes first in most spaces, as one that was only moved may. */
static dGeomID firstOf(const dxBrinkCounted *counted) {
  return counted->count > 0 && !counted->blind ? dSpaceGetGeom(counted->space, 0) : NULL;
}

static void rememberFirsts(dBrinkID brink) {
  for (size_t i = 0; i < brink->contacts.countedCount; ++i) {
    brink->contacts.counted[i].first = firstOf(&brink->contacts.counted[i]);
  }
}

/* Have numbers of geoms changed? Outer spaces come first: what misses a destroyed space must not touch it. */
static bool countsChanged(const dxBrink *brink, bool *doubtful) {
  for (size_t i = 0; i < brink->contacts.countedCount; ++i) {
    const dxBrinkCounted *counted = &brink->contacts.counted[i];
    if (dSpaceGetNumGeoms(counted->space) != counted->count) {
      return true;
    }
    if (firstOf(counted) != counted->first) {
      *doubtful = true;
      return false;
    }
  }
  return false;
}

/* ---- boxes and bits */

dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom) {
  uint32_t number = brink->geoms[geom].body;
  return number == BRINK_NO_RECORD ? NULL : brink->step.bodies[number].body;
}

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

/* ---- the call */

/* Of a space whose first geom cannot be asked for, a geom destroyed and another made in one call go unnoticed. */
static bool countsMayDeceive(const dxBrink *brink) {
  for (size_t i = 0; i < brink->contacts.countedCount; ++i) {
    if (brink->contacts.counted[i].blind && brink->contacts.counted[i].count > 0) {
      return true;
    }
  }
  return false;
}

/* Was a body destroyed? It leaves its geoms, so no number of geoms tells, but a geom's body does. Numbers are equal
 * here, so all geoms noted are alive. bodies NULL: all. What is made comes first in ODE's list, and was not met. */
static bool bodyIsGone(dBrinkID brink, const uint32_t *bodies, size_t count) {
  dBodyID newest;
  const bool asNoted = bodies == NULL && dxBrinkListsSameBodies(brink, &newest) && dxBrinkIsMet(dxBrinkOfBody, newest);
  for (size_t i = 0, end = bodies != NULL ? count : asNoted ? 0 : brink->step.bodyCount; i < end; ++i) {
    if (!dxBrinkHasItsGeom(brink, bodies != NULL ? bodies[i] : (uint32_t)i)) {
      return true;
    }
  }
  return false;
}

/* Has a callback made or destroyed anything? Asked after the calls of an impact. */
bool dxBrinkWorldChanged(void *user, const uint32_t *bodies, size_t count) {
  dBrinkID brink = user;
  dxBrinkUnpark(brink);
  if (!brink->step.worldChanged && brink->contacts.watching) {
    brink->step.worldChanged = bodyIsGone(brink, bodies, count) || (countsMayDeceive(brink) && !allAreThere(brink));
  }
  return brink->step.worldChanged;
}

/* ---- the world itself is gone */

/* After dWorldDestroy in a callback: bodies and joints are gone, and nothing that the step lists may be touched. Joints
 * in groups live on without a world, so the groups can be emptied later. */
void dxBrinkAbandonWorld(dBrinkID brink) {
  brinkStepAbandon(&brink->step);
  brink->contacts.worldGone = true;
  brink->contacts.parking = brink->contacts.shelf = NULL;
  brink->contacts.aside.count = brink->contacts.takenOff.count = brink->contacts.own.count = 0;
  dxBrinkAbandonSweeps(brink);
}

int dxBrinkFailWorldGone(dBrinkID brink) {
  return dxBrinkFail(brink,
                     "a near callback destroyed the world inside a step: nothing is left to step; "
                     "call dBrinkDestroy, and make a dBrink for another world");
}

/* Calls near as dSpaceCollide would, with current boxes: else ODE's collider of convex and trimesh sees nothing. */
void dxBrinkCallNear(dBrinkID brink, dGeomID a, dGeomID b) {
  if (brink->step.worldChanged) {
    return;
  }
  if (!brink->contacts.watching) {
    brink->contacts.watching = countSpaces(brink);
  }
  dReal box[6];
  dGeomGetAABB(a, box);
  dGeomGetAABB(b, box);
  dBodyID bodies[2] = {dGeomGetBody(a), dGeomGetBody(b)};
  const brinkStepPair pair = {brinkStepFindCollider(&brink->step, a, BRINK_NO_RECORD),
                              brinkStepFindCollider(&brink->step, b, BRINK_NO_RECORD)};
  double pushes[2][6];
  brinkStepReadPushes(&brink->step, pair, pushes);
  rememberFirsts(brink);
  dxBrinkPark(brink, bodies);
  const dJointID heads[2] = {dxBrinkHead(bodies[0]), dxBrinkHead(bodies[1])};
  brink->contacts.changing = brink->step.now.t > 0 || brink->step.now.tau > 0;
  brink->contacts.solveLength = (1 - brink->step.now.tau) * brink->step.now.h;
  brink->step.now.asked = true;
  brink->call.near(brink->call.data, a, b);
  brink->contacts.solveLength = brink->step.now.h;
  brink->contacts.changing = false;
  if (!dxBrinkWorldLives(brink)) {
    dxBrinkAbandonWorld(brink);
    return;
  }
  bool doubtful = false;
  brink->step.worldChanged = countsChanged(brink, &doubtful) ||
                             (doubtful && brink->contacts.watching && !allAreThere(brink)) ||
                             dGeomGetBody(a) != bodies[0] || dGeomGetBody(b) != bodies[1];
  if (brink->step.worldChanged) {
    dxBrinkUnpark(brink);
    return;
  }
  brinkStepKeepPushes(&brink->step, pair, pushes);
  brink->contacts.made = dxBrinkParkNew(brink, heads);
}

bool dxBrinkIsApartUnseen(const dxBrink *brink, size_t i) {
  const brinkStepPair pair = brink->step.pairs.heldApart[i];
  const dxBrinkGeom *a = &brink->geoms[pair.a], *b = &brink->geoms[pair.b];
  return a->geom == brink->step.pairs.heldGeoms[i][0] && b->geom == brink->step.pairs.heldGeoms[i][1] && a->answered &&
         b->answered && !dxBrinkBoxesWithin(a->geom, b->geom, 0) &&
         dxBrinkBoxesWithin(a->geom, b->geom, brinkStepContactReach(&brink->step, pair));
}

/* Before the solve: asks for contacts of pairs held apart, which the program's dSpaceCollide cannot see. */
void dxBrinkCallNearHeldApart(dBrinkID brink) {
  for (size_t i = 0; brink->call.near != NULL && i < brink->step.pairs.heldCount && !brink->step.worldChanged; ++i) {
    const brinkStepPair pair = brink->step.pairs.heldApart[i];
    dGeomID a = brink->geoms[pair.a].geom, b = brink->geoms[pair.b].geom;
    if (dxBrinkIsApartUnseen(brink, i) && dxBrinkBitsMeet(a, b)) {
      dxBrinkCallNear(brink, a, b);
      if (!brink->step.worldChanged && !brink->contacts.made) {
        brinkStepHoldApart(&brink->step, pair);
      }
    }
  }
}

/* ---- contacts that are put aside */

/* Puts a contact aside, off its bodies: a step with many impacts puts aside many more contacts than a body has at a
 * time, and ODE finds a body's joint by counting from the first. */
bool dxBrinkPutAside(dBrinkID brink, dJointID joint) {
  if (dxBrinkEndsWithStep(joint)) {
    dJointDestroy(joint);
    return true;
  }
  dxBrinkMakeParking(brink);
  if (!dxBrinkNote(&brink->contacts.aside, joint)) {
    return false;
  }
  dJointDisable(joint);
  dJointAttach(joint, brink->contacts.shelf, NULL);
  return true;
}

/* The last one that was put aside. The shelf lists them in the same order; one that is not there was destroyed. */
void dxBrinkPutBackLast(dBrinkID brink) {
  const dxBrinkNoted *last = &brink->contacts.aside.items[--brink->contacts.aside.count];
  if (dBodyGetJoint(brink->contacts.shelf, 0) == last->joint) {
    dJointEnable(last->joint);
    dJointAttach(last->joint, dxBrinkStillThere(brink, last->bodies[0]), dxBrinkStillThere(brink, last->bodies[1]));
  }
}

/* At the step's end. Each body lists first what was made last, as it would without Brink: dJointGroupEmpty takes joints
 * in this order, and looks for each from the first on. What was made inside the step stands first, and the other way.
 */
void dxBrinkPutBackAside(dBrinkID brink) {
  struct dxBrinkContacts *kept = &brink->contacts;
  const size_t old = kept->aside.count;
  for (size_t i = 0; i < brink->step.bodyCount && !brink->step.worldChanged; ++i) {
    dBodyID body = brink->step.bodies[i].body;
    dJointID joint;
    while (body != NULL && brink->step.bodies[i].from > 0 && (joint = dBodyGetJoint(body, 0)) != NULL &&
           dJointGetType(joint) == dJointTypeContact && dxBrinkNote(&kept->aside, joint)) {
      dJointAttach(joint, NULL, NULL);
    }
  }
  const size_t all = kept->aside.count;
  for (kept->aside.count = old; kept->aside.count > 0;) {
    dxBrinkPutBackLast(brink);
  }
  for (size_t end = all, begin; end > old; end = begin) { /* those of two bodies at a time */
    const dBodyID *of = kept->aside.items[end - 1].bodies;
    for (begin = end - 1; begin > old && memcmp(kept->aside.items[begin - 1].bodies, of, 2 * sizeof(*of)) == 0;) {
      --begin;
    }
    for (size_t i = begin; i < end; ++i) {
      dJointAttach(kept->aside.items[i].joint, of[0], of[1]);
    }
  }
}
