/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bodies need no question in this step? What a look at a body and its pairs allows stands in stepping/quiet.h;
 * here bodies are sifted, woken and looked at.
 *
 * A quiet body stands in the plugin's world where it was last looked at. The slack of a body with a changed geom, bits,
 * joint or kind is void, as is that of all bodies near a changed geom without body. Bodies that have nearly used up
 * their slack are looked at together, when the first of them must be. In a step in which nothing is awake each body
 * costs the reading of its hot and of the state that ODE keeps of it, before and after the solve.
 *
 * Units: m, rad; t: part of the step, [0,1]. */
#include <math.h>
#include <string.h>

#include "step.h"

/* ---- the start of a step */

/* What the walk noted of the start of a body that could have been left alone. */
static void startAsNoted(dBrinkID brink, uint32_t number) {
  brinkStepBody *record = &brink->step.bodies[number];
  const brinkStepHotData *hot = &brink->step.hotData[number];
  if (!hot->whole) {
    memcpy(record->start.position, hot->startPosition, sizeof(hot->startPosition));
    memcpy(record->start.quaternion, hot->startQuaternion, sizeof(hot->startQuaternion));
  }
}

/* Bodies of one chain are asked about together. */
static void wakeChains(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    brink->step.bodies[i].gap.turnsFar = false; /* used here for "one of the chain is awake" */
  }
  for (size_t i = 0; i < brink->step.quiet.awakeCount; ++i) {
    brink->step.bodies[brink->step.bodies[brink->step.quiet.awake[i]].chain].gap.turnsFar = true;
  }
  for (uint32_t i = 0; i < brink->step.bodyCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[i];
    if (record->body != NULL && record->quiet && brink->step.bodies[record->chain].gap.turnsFar) {
      record->quiet = brink->step.hotData[i].quiet = false;
      startAsNoted(brink, i);
      brink->step.quiet.awake[brink->step.quiet.awakeCount++] = i;
    }
  }
}

static inline void fetchBody(const brinkStepHotData *hot, const brinkStepLayout *to) {
#if defined(__GNUC__)
  __builtin_prefetch(hot->position);
  __builtin_prefetch(hot->position + 2);
  __builtin_prefetch(hot->position + to->quaternion);
  __builtin_prefetch(hot->position + to->angular + 2);
#else
  (void)hot;
  (void)to;
#endif
}

/* A body that was or is not quiet: what the last step left in its record is put away. */
static void beginStep(dBrinkID brink, uint32_t number, bool quiet) {
  brinkStepBody *record = &brink->step.bodies[number];
  brinkStepHotData *hot = &brink->step.hotData[number];
  record->quiet = hot->quiet = quiet;
  record->moves = record->posed = record->frozen = false;
  record->from = 0;
  record->look.touched = record->look.woken = record->look.searched = false;
  record->substeps = record->gap.cuts = 0;
  record->lastImpact = -1;
  if (!quiet) {
    startAsNoted(brink, number);
    brink->step.quiet.awake[brink->step.quiet.awakeCount++] = number;
  }
}

void dxBrinkSift(dBrinkID brink) {
  /* Whoever judges the answers sees every body. */
  bool culling = !brink->step.told->needsAll(brink);
  bool urgent = false;
  const brinkStepLayout to = brink->step.layout;
  brink->step.quiet.awakeCount = brink->step.quiet.dueCount = 0;
  for (uint32_t i = 0; i < brink->step.bodyCount; ++i) {
    const brinkStepHotData *hot = &brink->step.hotData[i];
    if (i + 2 * DX_BRINK_FETCH_AHEAD < brink->step.bodyCount) {
      brinkStepFetchHotData(hot + 2 * DX_BRINK_FETCH_AHEAD); /* it tells where the body is */
      fetchBody(hot + DX_BRINK_FETCH_AHEAD, &to);
    }
    if (hot->body == NULL) {
      continue;
    }
    double steps = HUGE_VAL;
    bool quiet = culling && brinkStepStaysInSlack(hot, &to, brink->step.now.h, &steps);
    if (!quiet || !hot->quiet) {
      beginStep(brink, i, quiet);
    }
    if (quiet && steps < BRINK_STEP_DUE_STEPS) {
      brink->step.quiet.due[brink->step.quiet.dueCount++] = i;
      urgent = urgent || steps < BRINK_STEP_URGENT_STEPS;
    }
  }
  brink->step.quiet.dueCount = urgent ? brink->step.quiet.dueCount : 0;
  brink->step.quiet.staticChanges = 0;
  if (brink->step.quiet.awakeCount > 0 && brink->step.jointCount > 0) {
    wakeChains(brink);
  }
}

/* ---- waking */

int dxBrinkWake(dBrinkID brink, uint32_t number) {
  brinkStepBody *record = &brink->step.bodies[number];
  if (!record->quiet) {
    return 1;
  }
  record->quiet = brink->step.hotData[number].quiet = false;
  brink->step.quiet.awake[brink->step.quiet.awakeCount++] = number;
  startAsNoted(brink, number);
  record->look.woken = true;
  dxBrinkReadState(record->body, &record->end);
  dxBrinkReadSpin(record->body, &record->end, brink->step.now.h, dBodyGetFiniteRotationMode(record->body) != 0,
                  record->spin);
  dRfromQ(record->start.rotation, record->start.quaternion);
  record->moves = !dxBrinkSamePose(&record->start, &record->end);
  record->alone = true;
  return brink->step.told->carried(brink, number, 0) && dxBrinkSendMotion(brink, number);
}

static bool listBody(dBrinkID brink, uint32_t number) {
  if (!BRINK_STEP_RESERVE(brink->step.quiet.looked, brink->step.quiet.lookedCount, brink->step.quiet.lookedCapacity)) {
    return false;
  }
  brink->step.quiet.looked[brink->step.quiet.lookedCount++] = brink->step.bodies[number].id;
  return true;
}

int dxBrinkWakeNear(dBrinkID brink, const uint32_t *numbers, size_t count) {
  double reach = 0;
  brink->step.quiet.lookedCount = 0;
  if (brink->step.quiet.awakeCount >= brink->step.quiet.liveBodies) {
    return 1; /* nobody is left to be woken */
  }
  for (size_t i = 0; i < count; ++i) {
    brinkStepBody *record = &brink->step.bodies[numbers[i]];
    if (!record->moves || record->look.searched) {
      continue;
    }
    record->look.searched = true;
    reach = fmax(reach, isfinite(record->allowance) ? record->allowance : 0);
    if (!listBody(brink, numbers[i])) {
      return dxBrinkFail(brink, "no memory for the bodies of an impact");
    }
  }
  if (brink->step.quiet.lookedCount > 0 &&
      !dxBrinkListPairsAround(brink, brink->step.now.t, brink->step.quiet.slackMost + reach, false)) {
    return dxBrinkFail(brink, "near pairs: %s", brink->shapes.plugin->lastError(brink->shapes.world));
  }
  for (size_t i = 0; brink->step.quiet.lookedCount > 0 && i < brink->step.pairs.nearCount; ++i) {
    brinkStepPair pair = brink->step.pairs.nearPairs[i];
    const uint32_t bodies[2] = {brink->geoms[pair.a].body, brink->geoms[pair.b].body};
    for (int side = 0; side < 2; ++side) {
      if (bodies[side] != BRINK_NO_RECORD && brink->step.bodies[bodies[side]].quiet) {
        if (!dxBrinkWake(brink, bodies[side])) {
          return 0;
        }
        brink->step.bodies[bodies[side]].look.searched = true; /* within its slack: it reaches no other quiet body */
      }
    }
  }
  return 1;
}

/* ---- looking */

/* Radius of the body about its origin, for all that turns; the allowance of its thinnest geom. It rests where it is. */
static void measureBody(dBrinkID brink, brinkStepBody *record) {
  const dReal *p = dBodyGetPosition(record->body);
  record->look.measured = true;
  brinkStepHotData *hot = &brink->step.hotData[record - brink->step.bodies];
  hot->turnReach = record->reach = record->look.slackCap = 0;
  record->allowance = INFINITY;
  for (dGeomID geom = dBodyGetFirstGeom(record->body); geom != NULL; geom = dBodyGetNextGeom(geom)) {
    const dxBrinkGeom *known = dxBrinkFindGeom(brink, geom);
    brinkAabb box;
    if (known == NULL || !known->answered) {
      continue;
    }
    record->allowance = fmin(record->allowance, known->allowance);
    double radius = INFINITY;
    if (brink->shapes.plugin->sweptBounds(brink->shapes.world, known->collider, 0, 0, &box) == brink_ok) {
      double x = fmax(fabs(box.lower.x - p[0]), fabs(box.upper.x - p[0]));
      double y = fmax(fabs(box.lower.y - p[1]), fabs(box.upper.y - p[1]));
      double z = fmax(fabs(box.lower.z - p[2]), fabs(box.upper.z - p[2]));
      radius = sqrt(x * x + y * y + z * z) * (1 + 1e-9);
    }
    record->reach = fmax(record->reach, radius);
    bool round =
        dGeomGetClass(geom) == dSphereClass && known->given == NULL && !known->offset; /* turning moves nothing of it */
    hot->turnReach = fmax(hot->turnReach, round ? 0 : radius);
  }
}

/* All motions first: each change makes the plugin's next answer about a box dear. */
static void measureBodies(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.quiet.awakeCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->step.quiet.awake[i]];
    if (!record->look.measured) {
      dxBrinkRestAt(brink, record, dBodyGetPosition(record->body), dBodyGetQuaternion(record->body));
    }
  }
  for (size_t i = 0; i < brink->step.quiet.awakeCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[brink->step.quiet.awake[i]];
    if (!record->look.measured) {
      measureBody(brink, record);
      if (isfinite(record->allowance)) {
        brink->step.quiet.allowanceSum += record->allowance;
        brink->step.quiet.allowanceCount++;
      }
    }
  }
}

static bool isSolidPair(const dxBrink *brink, brinkStepPair pair) {
  return !brink->geoms[pair.a].shape.surface && !brink->geoms[pair.b].shape.surface;
}

/* What the plugin says of a pair: how far its two sides together may move, and the normal (not unit: none) against
 * which alone motion counts. Two convex shapes part along it as two parallel planes do, so what one of them moves along
 * it is the most by which the separation falls; deep ones by whatever turns the normal. */
static double pairSlackNow(const dxBrink *brink, brinkStepPair pair, brinkVec3 *normal, double *stepLimit) {
  const dxBrinkGeom *a = &brink->geoms[pair.a], *b = &brink->geoms[pair.b];
  const bool solid = isSolidPair(brink, pair), sensor = dxBrinkIsSensorPair(brink, pair.a, pair.b);
  brinkSinking at = {.structSize = sizeof(at)};
  brinkContact contact;
  *normal = (brinkVec3){0, 0, 0};
  *stepLimit = 0;
  if (!sensor && brink->step.steps->sinking(brink->shapes.world, a->collider, b->collider, 0, &at) == brink_ok &&
      at.depth > 0) {
    if (solid && at.separation > BRINK_STEP_EDGE * at.depth - at.limit) {
      *normal = at.normal;
    }
    return brinkStepCoreSlack(&at, stepLimit);
  }
  if (brink->shapes.plugin->distance(brink->shapes.world, a->collider, b->collider, 0, &contact) != brink_ok) {
    return 0;
  }
  double allowance = dxBrinkPairAllowance(brink, pair);
  if (solid && contact.distance > BRINK_STEP_EDGE * allowance - allowance) {
    *normal = contact.normal;
  }
  if (sensor) {
    *stepLimit = BRINK_STEP_CALM * allowance;
    return 0; /* slow crossings count too */
  }
  return brinkStepPairSlack(allowance, contact.distance, solid, contact.state == brink_overlap, stepLimit);
}

static void lookAtPair(dBrinkID brink, brinkStepPair pair) {
  uint32_t a = brink->geoms[pair.a].body, b = brink->geoms[pair.b].body;
  brinkStepHotData *bodyA = a != BRINK_NO_RECORD ? &brink->step.hotData[a] : NULL;
  brinkStepHotData *bodyB = b != BRINK_NO_RECORD ? &brink->step.hotData[b] : NULL;
  if ((bodyA != NULL && !bodyA->known) || (bodyB != NULL && !bodyB->known)) {
    return; /* asked about in the next step anyway */
  }
  brinkVec3 normal;
  double stepLimit, slack = pairSlackNow(brink, pair, &normal, &stepLimit);
  brinkStepShareSlack(bodyA, bodyB, &normal, slack, stepLimit);
}

/* The slack of a body far from everything: every look searches that far around. Not more than twice the mean allowance,
 * or one large body would make the looks of all small ones long. */
static double slackLimit(const dxBrink *brink) {
  return brink->step.quiet.allowanceCount > 0
             ? 2 * brink->step.quiet.allowanceSum / (double)brink->step.quiet.allowanceCount
             : 0;
}

static bool isCalm(const brinkStepBody *record, double turnReach, double h) {
  dBodyID body = record->body;
  return brinkStepIsCalm(dBodyGetLinearVel(body), dBodyGetAngularVel(body), dBodyGetAngularDamping(body), turnReach, h,
                         record->allowance);
}

/* Takes a body that was awake into this look, or leaves it to the next step's question. False: no memory. */
static bool beginLook(dBrinkID brink, uint32_t number, double slackCap) {
  brinkStepBody *record = &brink->step.bodies[number];
  brinkStepHotData *hot = &brink->step.hotData[number];
  const dReal *p = dBodyGetPosition(record->body), *q = dBodyGetQuaternion(record->body);
  if (hot->known && record->look.woken && !record->look.touched) {
    hot->known = dxBrinkRestAt(brink, record, hot->lookPosition, hot->lookQuaternion); /* what is known still holds */
    return true;
  }
  bool wasFree = hot->known && hot->slack >= record->look.slackCap; /* but for what it stands on, say */
  hot->known = false;
  if (!record->look.measured || !isCalm(record, hot->turnReach, brink->step.now.h) ||
      !dxBrinkRestAt(brink, record, p, q)) {
    return !dxBrinkHaveHeldMeshes(brink) || listBody(brink, number);
  }
  brinkStepBeginSlack(hot, p, q, INFINITY, BRINK_STEP_CALM * record->allowance); /* without geoms: meets nothing */
  if (!isfinite(record->allowance)) {
    return true;
  }
  double least = fmin(record->allowance, slackCap);
  hot->slack = record->look.slackCap = wasFree ? fmin(2 * record->look.slackCap, BRINK_STEP_MOST_SLACK * least) : least;
  brink->step.quiet.slackMost = fmax(brink->step.quiet.slackMost, hot->slack);
  return listBody(brink, number);
}

/* Which pairs can ever count, whatever the program or this step says of them now? */
int dxBrinkMeetFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  return dxBrinkMayMeet(user, (uint32_t)userDataA, (uint32_t)userDataB);
}

void dxBrinkLook(dBrinkID brink) {
  double around = 0, slackMost = 0;
  brink->step.quiet.lookedCount = 0;
  measureBodies(brink);
  double slackCap = slackLimit(brink);
  bool good = true;
  for (size_t i = 0; good && i < brink->step.quiet.dueCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[brink->step.quiet.due[i]];
    if (record->quiet) { /* as after a step in which it was awake */
      record->quiet = brink->step.hotData[brink->step.quiet.due[i]].quiet = false;
      brink->step.quiet.awake[brink->step.quiet.awakeCount++] = brink->step.quiet.due[i];
    }
  }
  for (size_t i = 0; good && i < brink->step.quiet.awakeCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->step.quiet.awake[i]];
    good = beginLook(brink, brink->step.quiet.awake[i], slackCap);
    around = fmax(around, record->look.measured && isfinite(record->allowance) ? record->allowance : 0);
    slackMost = fmax(slackMost, record->look.slackCap);
  }
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkMeetFilter, brink);
  /* A mesh pair's event lies up to half an allowance before touching; contacts hold it apart within a whole one. */
  good = good && dxBrinkListPairsAround(brink, 0, slackMost + brink->step.quiet.slackMost + around, false);
  dxBrinkBeginHeldApart(brink);
  for (size_t i = 0; good && i < brink->step.pairs.nearCount; ++i) {
    lookAtPair(brink, brink->step.pairs.nearPairs[i]);
    dxBrinkAddHeldApart(brink, brink->step.pairs.nearPairs[i]);
  }
  if (!good) {
    dxBrinkForgetLooks(brink);
  }
}
