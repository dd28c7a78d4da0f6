/* SPDX-License-Identifier: BSD-3-Clause */
/* Culling by body: which bodies can come to no event in this step, so that the question leaves them out? Such a body is
 * quiet, others are awake; the engine's sleep is another thing. A look at a body measures its pairs and gives it a
 * slack (quiet.h). Here bodies are sifted at a step's start, woken by what comes near, and looked at after the step.
 *
 * A quiet body stands in the plugin's world where it was last looked at. The slack of a body with a changed geom, bits,
 * joint or kind is void, as is that of all bodies near a changed geom without body. Bodies that have nearly used up
 * their slack are looked at together, when the first of them must be. In a step in which nothing is awake each body
 * costs the reading of its hot data and of the state that the engine keeps of it, before and after the solve.
 *
 * Units: m, rad; t: part of the step, [0,1]. */
#include <math.h>
#include <string.h>

#include "step.h"

#define FETCH_AHEAD 8 /* bodies */

/* ---- the start of a step */

static bool isCalm(const brinkStepper *stepper, uint32_t number) {
  const brinkStepHotData *hot = &stepper->hotData[number];
  const brinkStepLayout *to = &stepper->layout;
  const double *v = hot->position + to->linear, *w = hot->position + to->angular;
  return brinkStepIsCalm(v, w, hot->turnReach, stepper->now.h, stepper->bodies[number].allowance) &&
         stepper->host->angularDamping(stepper->user, number) <= BRINK_STEP_MOST_DAMPING;
}

static int takeAwake(brinkStepper *stepper, uint32_t number) {
  brinkStepHotData *hot = &stepper->hotData[number];
  stepper->quiet.awake[stepper->quiet.awakeCount++] = number;
  hot->calm = !hot->measured || isCalm(stepper, number);
  return brinkStepReadMotion(stepper, number);
}

/* If one body of a chain is awake, all of it is. */
static int wakeChains(brinkStepper *stepper) {
  if (stepper->quiet.awakeCount == stepper->quiet.liveBodies) {
    return 1;
  }
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    stepper->bodies[i].gap.turnsFar = false; /* used here for "one of the chain is awake" */
  }
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    stepper->bodies[stepper->bodies[stepper->quiet.awake[i]].chain].gap.turnsFar = true;
  }
  for (uint32_t i = 0; i < stepper->bodyCount; ++i) {
    brinkStepBody *record = &stepper->bodies[i];
    if (record->body != NULL && record->quiet && stepper->bodies[record->chain].gap.turnsFar) {
      record->quiet = stepper->hotData[i].quiet = false;
      if (!takeAwake(stepper, i)) {
        return 0;
      }
    }
  }
  return 1;
}

static inline void fetchBody(const brinkStepHotData *hot, const brinkStepLayout *to) {
  BRINK_STEP_FETCH(hot->position);
  BRINK_STEP_FETCH(hot->position + 2);
  BRINK_STEP_FETCH(hot->position + to->quaternion);
  BRINK_STEP_FETCH(hot->position + to->angular + 2);
}

/* Of a body that was or is awake: clears what the last step left in its record. */
static void beginStep(brinkStepper *stepper, uint32_t number, bool quiet) {
  brinkStepBody *record = &stepper->bodies[number];
  brinkStepHotData *hot = &stepper->hotData[number];
  record->quiet = hot->quiet = quiet;
  record->moves = record->posed = record->frozen = record->missed = false;
  record->from = 0;
  record->beside = number;
  record->solvedAgain = false;
  hot->touched = record->look.woken = record->look.searched = false;
  record->substeps = record->gap.cuts = 0;
  record->lastImpact = -1;
}

int brinkStepSift(brinkStepper *stepper) {
  /* Whoever judges the answers sees every body. */
  bool culling = stepper->recorder == NULL && !stepper->told->needsAll(stepper->user);
  bool urgent = false;
  int good = 1;
  const brinkStepLayout to = stepper->layout;
  stepper->quiet.awakeCount = stepper->quiet.dueCount = 0;
  for (uint32_t i = 0; i < stepper->bodyCount; ++i) {
    const brinkStepHotData *hot = &stepper->hotData[i];
    if (i + 2 * FETCH_AHEAD < stepper->bodyCount) {
      brinkStepFetchHotData(hot + 2 * FETCH_AHEAD); /* it tells where the body is */
      fetchBody(hot + FETCH_AHEAD, &to);
      if (!hot[FETCH_AHEAD].quiet) {
        brinkStepFetchFlags(&stepper->bodies[i + FETCH_AHEAD]);
        brinkStepFetchMotion(&stepper->bodies[i + FETCH_AHEAD]);
        BRINK_STEP_FETCH(hot[FETCH_AHEAD].body);
        BRINK_STEP_FETCH(hot[FETCH_AHEAD].position + to.quaternion / 2); /* between what fetchBody does */
      }
    }
    if (hot->body == NULL) {
      continue;
    }
    double steps = HUGE_VAL;
    bool quiet = culling && brinkStepStaysInSlack(hot, &to, stepper->now.h, &steps);
    if (!quiet || !hot->quiet) {
      beginStep(stepper, i, quiet);
      good = good && (quiet || takeAwake(stepper, i));
    }
    if (quiet && steps < BRINK_STEP_DUE_STEPS) {
      stepper->quiet.due[stepper->quiet.dueCount++] = i;
      urgent = urgent || steps < BRINK_STEP_URGENT_STEPS;
    }
  }
  stepper->quiet.dueCount = urgent ? stepper->quiet.dueCount : 0;
  stepper->quiet.staticChanges = 0;
  return good && (stepper->quiet.awakeCount == 0 || stepper->jointCount == 0 || wakeChains(stepper));
}

/* ---- waking */

int brinkStepWake(brinkStepper *stepper, uint32_t number) {
  brinkStepBody *record = &stepper->bodies[number];
  if (!record->quiet) {
    return 1;
  }
  record->quiet = stepper->hotData[number].quiet = false;
  record->look.woken = record->alone = true;
  return takeAwake(stepper, number) && brinkStepNoteMotion(stepper, number, 0) && brinkStepSendMotion(stepper, number);
}

static bool listBody(brinkStepper *stepper, uint32_t number) {
  if (!BRINK_STEP_RESERVE(stepper->quiet.looked, stepper->quiet.lookedCount, stepper->quiet.lookedCapacity)) {
    return false;
  }
  stepper->quiet.looked[stepper->quiet.lookedCount++] = stepper->bodies[number].id;
  return true;
}

int brinkStepWakeNear(brinkStepper *stepper, const uint32_t *numbers, size_t count) {
  double reach = 0;
  stepper->quiet.lookedCount = 0;
  if (stepper->quiet.awakeCount >= stepper->quiet.liveBodies) {
    return 1; /* nobody is left to be woken */
  }
  for (size_t i = 0; i < count; ++i) {
    brinkStepBody *record = &stepper->bodies[numbers[i]];
    if (!record->moves || record->look.searched) {
      continue;
    }
    record->look.searched = true;
    reach = fmax(reach, isfinite(record->allowance) ? record->allowance : 0);
    if (!listBody(stepper, numbers[i])) {
      return brinkStepFail(stepper, "no memory for the bodies of an impact");
    }
  }
  if (stepper->quiet.lookedCount > 0 &&
      !brinkStepListPairsAround(stepper, stepper->now.t, stepper->quiet.slackMost + reach, false)) {
    return brinkStepFail(stepper, "near pairs: %s", stepper->plugin->lastError(stepper->world));
  }
  for (size_t i = 0; stepper->quiet.lookedCount > 0 && i < stepper->pairs.nearCount; ++i) {
    brinkStepPair pair = stepper->pairs.nearPairs[i];
    const uint32_t bodies[2] = {stepper->colliders[pair.a].body, stepper->colliders[pair.b].body};
    for (int side = 0; side < 2; ++side) {
      if (bodies[side] != BRINK_NO_RECORD && stepper->bodies[bodies[side]].quiet) {
        if (!brinkStepWake(stepper, bodies[side])) {
          return 0;
        }
        stepper->bodies[bodies[side]].look.searched = true; /* within its slack: it reaches no other quiet body */
      }
    }
  }
  return 1;
}

/* ---- looking */

/* Radius of the body about its origin, for all that turns; the allowance of its thinnest geom. It rests at the origin,
 * unturned: what is measured is the body's own, wherever it was when it came to be measured. */
static void measureBody(brinkStepper *stepper, brinkStepBody *record) {
  const uint32_t number = brinkStepNumberOf(stepper, record);
  brinkStepHotData *hot = &stepper->hotData[number];
  hot->turnReach = record->reach = record->look.slackCap = 0;
  record->allowance = INFINITY;
  for (uint32_t at = record->firstCollider; at != BRINK_NO_RECORD; at = stepper->colliders[at].nextOfBody) {
    const brinkStepCollider *known = &stepper->colliders[at];
    brinkAabb box;
    if (known->collider == 0) {
      continue;
    }
    record->allowance = fmin(record->allowance, known->allowance);
    double radius = INFINITY;
    if (stepper->plugin->sweptBounds(stepper->world, known->collider, 0, 0, &box) == brink_ok) {
      double x = fmax(fabs(box.lower.x), fabs(box.upper.x));
      double y = fmax(fabs(box.lower.y), fabs(box.upper.y));
      double z = fmax(fabs(box.lower.z), fabs(box.upper.z));
      radius = sqrt(x * x + y * y + z * z) * (1 + 1e-9);
    }
    record->reach = fmax(record->reach, radius);
    hot->turnReach = fmax(hot->turnReach, known->flags & BRINK_STEP_ROUND ? 0 : radius);
  }
}

/* Before their motions are sent: a step asks for the reach of a body from its first impact on. All poses first: each
 * change makes the plugin's next answer about a box dear. */
void brinkStepMeasure(brinkStepper *stepper) {
  static const double origin[3] = {0, 0, 0}, unturned[4] = {1, 0, 0, 0};
  const uint32_t *awake = stepper->quiet.awake;
  const size_t count = stepper->quiet.awakeCount;
  for (size_t i = 0; i < count; ++i) {
    if (!stepper->hotData[awake[i]].measured) {
      brinkStepRestAt(stepper, awake[i], origin, unturned);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (!stepper->hotData[awake[i]].measured) {
      measureBody(stepper, &stepper->bodies[awake[i]]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    brinkStepHotData *hot = &stepper->hotData[awake[i]];
    if (!hot->measured) {
      const brinkStepBody *record = &stepper->bodies[awake[i]];
      brinkStepRestAt(stepper, awake[i], hot->position, hot->position + stepper->layout.quaternion);
      hot->measured = true;
      if (isfinite(record->allowance)) {
        stepper->quiet.allowanceSum += record->allowance;
        stepper->quiet.allowanceCount++;
      }
    }
  }
}

static bool isSolidPair(const brinkStepper *stepper, brinkStepPair pair) {
  return !(stepper->colliders[pair.a].flags & BRINK_STEP_SURFACE) &&
         !(stepper->colliders[pair.b].flags & BRINK_STEP_SURFACE);
}

/* What the plugin says of a pair: how far its two sides together may move, and the normal (not unit: none) against
 * which alone motion counts. Two convex shapes part along it as two parallel planes do, so what one of them moves along
 * it is the most by which the separation falls; deep ones by whatever turns the normal. Of meshes no more than `most`
 * is looked for: all of the distance of two that lie along each other costs a thousand questions. */
static double pairSlackNow(const brinkStepper *stepper, brinkStepPair pair, double most, brinkVec3 *normal,
                           double *stepLimit) {
  const brinkStepCollider *a = &stepper->colliders[pair.a], *b = &stepper->colliders[pair.b];
  const bool solid = isSolidPair(stepper, pair), sensor = brinkStepIsSensorPair(stepper, pair.a, pair.b);
  const bool sensed = brinkStepIsSensed(stepper, pair.a, pair.b);
  brinkSinking at = {.structSize = sizeof(at)};
  brinkContact contact;
  *normal = (brinkVec3){0, 0, 0};
  *stepLimit = 0;
  if (!sensed && stepper->steps->sinking(stepper->world, a->collider, b->collider, 0, &at) == brink_ok &&
      at.depth > 0) {
    if (solid && at.separation > BRINK_STEP_EDGE * at.depth - at.limit) {
      *normal = at.normal;
    }
    return brinkStepCoreSlack(&at, stepLimit);
  }
  double allowance = brinkStepPairAllowance(stepper, pair);
  const double enough = solid || sensed ? HUGE_VAL : allowance + most;
  contact = (brinkContact){.state = brink_free};
  if (stepper->steps->distanceBelow(stepper->world, a->collider, b->collider, 0, enough, &contact) != brink_ok) {
    return 0;
  }
  if (solid && contact.distance > BRINK_STEP_EDGE * allowance - allowance) {
    *normal = contact.normal;
  }
  if (sensor) {
    *stepLimit = BRINK_STEP_CALM * allowance;
    return 0; /* slow crossings count too */
  }
  if (sensed) { /* a ray's: nothing is told as long as it has parted */
    *stepLimit = HUGE_VAL;
    return fmax(0, contact.distance - brinkStepPartedBeyond(stepper, pair));
  }
  return brinkStepPairSlack(allowance, contact.distance, solid, contact.state == brink_overlap, stepLimit);
}

static void lookAtPair(brinkStepper *stepper, brinkStepPair pair) {
  uint32_t a = stepper->colliders[pair.a].body, b = stepper->colliders[pair.b].body;
  brinkStepHotData *bodyA = a != BRINK_NO_RECORD ? &stepper->hotData[a] : NULL;
  brinkStepHotData *bodyB = b != BRINK_NO_RECORD ? &stepper->hotData[b] : NULL;
  if ((bodyA != NULL && !bodyA->known) || (bodyB != NULL && !bodyB->known)) {
    return; /* asked about in the next step anyway */
  }
  brinkVec3 normal;
  const double most = fmax(bodyA != NULL ? bodyA->slack : 0, bodyB != NULL ? bodyB->slack : 0);
  double stepLimit, slack = pairSlackNow(stepper, pair, 2 * most, &normal, &stepLimit);
  brinkStepShareSlack(bodyA, bodyB, &normal, slack, stepLimit);
}

/* The slack of a body far from everything: every look searches that far around. Not more than twice the mean allowance,
 * or one large body would make the looks of all small ones long. */
static double slackLimit(const brinkStepper *stepper) {
  return stepper->quiet.allowanceCount > 0 ? 2 * stepper->quiet.allowanceSum / (double)stepper->quiet.allowanceCount
                                           : 0;
}

/* Takes a body that was awake into this look, or leaves it to the next step's question. False: no memory. */
static bool beginLook(brinkStepper *stepper, uint32_t number, double slackCap) {
  brinkStepBody *record = &stepper->bodies[number];
  brinkStepHotData *hot = &stepper->hotData[number];
  const double *p = hot->position, *q = p + stepper->layout.quaternion;
  if (hot->known && record->look.woken && !hot->touched) {
    hot->known =
        brinkStepRestAt(stepper, number, hot->lookPosition, hot->lookQuaternion); /* what is known still holds */
    return true;
  }
  bool wasFree = hot->known && hot->slack >= record->look.slackCap; /* but for what it stands on, say */
  hot->known = false;
  if (!hot->measured || !isCalm(stepper, number) || !brinkStepRestAt(stepper, number, p, q)) {
    return !stepper->pairs.mayHoldApart || listBody(stepper, number);
  }
  brinkStepBeginSlack(hot, p, q, INFINITY, BRINK_STEP_CALM * record->allowance); /* without geoms: meets nothing */
  if (!isfinite(record->allowance)) {
    return true;
  }
  double least = fmin(record->allowance, slackCap);
  hot->slack = record->look.slackCap = wasFree ? fmin(2 * record->look.slackCap, BRINK_STEP_MOST_SLACK * least) : least;
  stepper->quiet.slackMost = fmax(stepper->quiet.slackMost, hot->slack);
  return listBody(stepper, number);
}

/* Of a body that was awake: is there something to look at? Not in the state and the record of one that flies on. */
static inline bool isLookedAt(const brinkStepper *stepper, uint32_t number) {
  const brinkStepHotData *hot = &stepper->hotData[number];
  return hot->calm || hot->known || hot->touched || stepper->pairs.mayHoldApart;
}

static inline void fetchLook(const brinkStepper *stepper, size_t place) {
  if (place + FETCH_AHEAD < stepper->quiet.awakeCount) {
    BRINK_STEP_FETCH(&stepper->hotData[stepper->quiet.awake[place + FETCH_AHEAD]]);
  }
  if (place < stepper->quiet.awakeCount && isLookedAt(stepper, stepper->quiet.awake[place])) {
    const uint32_t number = stepper->quiet.awake[place];
    brinkStepFetchHotData(&stepper->hotData[number]);
    fetchBody(&stepper->hotData[number], &stepper->layout);
    brinkStepFetchFlags(&stepper->bodies[number]);
  }
}

/* Which pairs can ever count, whatever the program or this step says of them now? */
int brinkStepMeetFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  return brinkStepMayMeet(user, (uint32_t)userDataA, (uint32_t)userDataB);
}

void brinkStepLook(brinkStepper *stepper) {
  double around = 0, slackMost = 0;
  stepper->quiet.lookedCount = 0;
  double slackCap = slackLimit(stepper);
  bool good = true;
  for (size_t i = 0; good && i < stepper->quiet.dueCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->quiet.due[i]];
    if (record->quiet) { /* as after a step in which it was awake */
      record->quiet = stepper->hotData[stepper->quiet.due[i]].quiet = false;
      stepper->quiet.awake[stepper->quiet.awakeCount++] = stepper->quiet.due[i];
    }
  }
  for (size_t i = 0; good && i < stepper->quiet.awakeCount; ++i) {
    const uint32_t number = stepper->quiet.awake[i];
    const brinkStepBody *record = &stepper->bodies[number];
    fetchLook(stepper, i + FETCH_AHEAD);
    if (isLookedAt(stepper, number)) {
      good = beginLook(stepper, number, slackCap);
      around = fmax(around, stepper->hotData[number].measured && isfinite(record->allowance) ? record->allowance : 0);
      slackMost = fmax(slackMost, record->look.slackCap);
    }
  }
  stepper->plugin->setPairFilter(stepper->world, brinkStepMeetFilter, stepper);
  /* A mesh pair's event lies up to half an allowance before touching; contacts hold it apart within a whole one. */
  good = good && brinkStepListPairsAround(stepper, 0, slackMost + stepper->quiet.slackMost + around, false);
  brinkStepBeginHeldApart(stepper);
  for (size_t i = 0; good && i < stepper->pairs.nearCount; ++i) {
    lookAtPair(stepper, stepper->pairs.nearPairs[i]);
    brinkStepAddHeldApart(stepper, stepper->pairs.nearPairs[i]);
  }
  if (!good) {
    brinkStepForgetLooks(stepper);
  }
}
