/* SPDX-License-Identifier: BSD-3-Clause */
/* See foresee.h. Units: m, rad. */
#include "foresee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "step.h"

/* A body on its flight. *flies: it moves. False: something is not finite. */
static bool makeFlight(const brinkStepper *stepper, const brinkStepForesight *ahead, uint32_t number,
                       brinkBodyMotion *motion, bool *flies) {
  const double *p = stepper->hotData[number].position, *q = p + stepper->layout.quaternion;
  double way[3] = {0, 0, 0}, turn[3] = {0, 0, 0}, sum = 0;
  ahead->flight(ahead->user, number, way, turn);
  for (int i = 0; i < 3; ++i) {
    sum += way[i] * way[i] + turn[i] * turn[i];
  }
  *flies = sum > 0;
  *motion = (brinkBodyMotion){.structSize = sizeof(*motion), .flags = BRINK_MOTION_ALONE};
  motion->kind = sum > 0 ? brink_motionVelocities : brink_motionRest;
  motion->pose0 = motion->pose1 = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  motion->velocity = (brinkVec3){way[0], way[1], way[2]};
  motion->spin = (brinkVec3){turn[0], turn[1], turn[2]};
  return isfinite(sum + p[0] + p[1] + p[2] + q[0] + q[1] + q[2] + q[3]);
}

/* Would the step find it quiet (culling.c) if it flew on like that? Then nothing needs to be known of it. */
static bool staysQuiet(const brinkStepper *stepper, uint32_t number, const brinkBodyMotion *motion) {
  const brinkStepHotData *hot = &stepper->hotData[number];
  if (!hot->known) {
    return false;
  }
  const double *v = &motion->velocity.x, *w = &motion->spin.x;
  double step = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), left;
  if (hot->turnReach > 0) {
    step += sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * hot->turnReach;
  }
  return brinkStepIsInside(hot, hot->position, hot->position + stepper->layout.quaternion, step, &left);
}

/* Then it was not sent its flight, and stands in the plugin's world where it was looked at last. */
static bool isLeftOut(const brinkStepper *stepper, const brinkStepForesight *ahead, uint32_t number) {
  brinkBodyMotion motion;
  bool flies;
  return makeFlight(stepper, ahead, number, &motion, &flies) && staysQuiet(stepper, number, &motion);
}

/* Gives every body that is not quiet its flight. False: something is not finite, or no memory. */
static bool sendFlights(brinkStepper *stepper, brinkStepForesight *ahead) {
  for (uint32_t i = 0; i < stepper->bodyCount; ++i) {
    brinkBodyMotion motion;
    bool flies;
    if (stepper->bodies[i].body == NULL) {
      continue;
    }
    if (!makeFlight(stepper, ahead, i, &motion, &flies)) {
      return false;
    }
    if (staysQuiet(stepper, i, &motion)) {
      continue;
    }
    if (stepper->plugin->setBodyMotion(stepper->world, stepper->bodies[i].id, &motion) != brink_ok) {
      return false;
    }
    ahead->moves = ahead->moves || flies;
  }
  return true;
}

void brinkStepBeginForesight(brinkStepper *stepper, brinkStepForesight *ahead) {
  ahead->count = 0;
  ahead->moves = false;
  brinkKeyMap_Clear(&ahead->map);
  ahead->sent = sendFlights(stepper, ahead);
}

static void add(brinkStepper *stepper, brinkStepForesight *ahead, const brinkContact *contact, bool flies) {
  const brinkStepPair pair = {brinkKeyMap_Get(&stepper->colliderMap, contact->colliderA),
                              brinkKeyMap_Get(&stepper->colliderMap, contact->colliderB)};
  if ((contact->state != brink_hit && contact->state != brink_unresolved) || contact->toi > 1 ||
      pair.a == BRINK_NO_RECORD || pair.b == BRINK_NO_RECORD ||
      brinkKeyMap_Get(&ahead->map, brinkStepPairKey(pair)) != BRINK_NO_RECORD ||
      !BRINK_STEP_RESERVE(ahead->items, ahead->count, ahead->capacity)) {
    return;
  }
  brinkStepForeseen *item = &ahead->items[ahead->count];
  *item = (brinkStepForeseen){.pair = pair, .toi = contact->toi, .flies = flies, .gap = fmax(contact->distance, 0)};
  memcpy(item->normal, &contact->normal, sizeof(item->normal));
  brinkKeyMap_Set(&ahead->map, brinkStepPairKey(pair), (uint32_t)ahead->count);
  ahead->count++;
}

/* In the plugin's world: to where it is now, or back to where it was looked at last. */
static bool standHere(brinkStepper *stepper, const brinkStepForesight *ahead, uint32_t number, bool here) {
  if (number == BRINK_NO_RECORD || !isLeftOut(stepper, ahead, number)) {
    return true;
  }
  const brinkStepHotData *hot = &stepper->hotData[number];
  const double *p = here ? hot->position : hot->lookPosition;
  const double *q = here ? hot->position + stepper->layout.quaternion : hot->lookQuaternion;
  bool stands = brinkStepRestAt(stepper, number, p, q);
  if (!stands) {
    brinkStepVoidLook(stepper, number);
  }
  return stands;
}

void brinkStepForeseeHere(brinkStepper *stepper, brinkStepForesight *ahead, uint32_t a, uint32_t b, double reach) {
  const brinkStepCollider *colliders = stepper->colliders;
  const brinkStepPair pair =
      colliders[a].collider < colliders[b].collider ? (brinkStepPair){a, b} : (brinkStepPair){b, a};
  brinkContact now;
  if (colliders[a].collider == 0 || colliders[b].collider == 0) {
    return;
  }
  if (standHere(stepper, ahead, colliders[a].body, true) && standHere(stepper, ahead, colliders[b].body, true) &&
      stepper->plugin->distance(stepper->world, colliders[pair.a].collider, colliders[pair.b].collider, 0, &now) ==
          brink_ok) {
    now.state = brink_hit;
    now.toi = now.distance <= reach * brinkStepPairAllowance(stepper, pair) ? 0 : 2 * BRINK_STEP_SHORTEST_REST;
    add(stepper, ahead, &now, false);
  }
  (void)standHere(stepper, ahead, colliders[a].body, false);
  (void)standHere(stepper, ahead, colliders[b].body, false);
}

/* What the step does may differ from the flight, most of all of what joints hold. So nearly each touch counts as a
 * meeting, however little it would sink: the step itself waits with it until it would sink too far. */
static double sinkAhead(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB,
                        double *limit) {
  return BRINK_STEP_TENTH * brinkStepSinkPair(user, a, b, userDataA, userDataB, limit);
}

void brinkStepForeseeFlights(brinkStepper *stepper, brinkStepForesight *ahead) {
  if (!ahead->sent || !ahead->moves) {
    return;
  }
  brinkQuery query = {.structSize = sizeof(query), .mode = brink_modePairs, .scheme = stepper->settings.scheme};
  query.watch = brink_watchDepth;
  query.tEnd = 1;
  brinkReport report = {.structSize = sizeof(report), .counters = {.structSize = sizeof(report.counters)}};
  stepper->plugin->setPairFilter(stepper->world, ahead->wants, ahead->user);
  stepper->steps->setSink(stepper->world, sinkAhead, stepper);
  if (stepper->plugin->firstContact(stepper->world, &query, &report) == brink_ok) {
    for (size_t i = 0; i < report.contactCount; ++i) {
      add(stepper, ahead, &report.contacts[i], true);
    }
  }
  stepper->plugin->setPairFilter(stepper->world, NULL, NULL);
  stepper->steps->setSink(stepper->world, brinkStepSinkPair, stepper);
}

/* Where it is, to the last bit, or on its way. */
static bool poseAt(brinkStepper *stepper, uint32_t number, double toi, brinkStepState *pose) {
  if (number == BRINK_NO_RECORD || stepper->bodies[number].body == NULL) {
    return true;
  }
  if (!(toi > 0)) {
    stepper->host->readState(stepper->user, number, pose);
    return true;
  }
  return brinkStepPoseFromBrink(stepper, &stepper->bodies[number], toi, pose);
}

/* Bodies that were looked at stand in the plugin's world where that was: culling.c counts on it. */
static void restoreLooks(brinkStepper *stepper, const brinkStepForesight *ahead) {
  for (uint32_t i = 0; i < stepper->bodyCount; ++i) {
    const brinkStepHotData *hot = &stepper->hotData[i];
    if (stepper->bodies[i].body != NULL && hot->known && !isLeftOut(stepper, ahead, i) &&
        !brinkStepRestAt(stepper, i, hot->lookPosition, hot->lookQuaternion)) {
      brinkStepVoidLook(stepper, i);
    }
  }
}

void brinkStepEndForesight(brinkStepper *stepper, brinkStepForesight *ahead) {
  for (size_t i = 0; i < ahead->count; ++i) {
    brinkStepForeseen *item = &ahead->items[i];
    const uint32_t a = stepper->colliders[item->pair.a].body, b = stepper->colliders[item->pair.b].body;
    const double at = item->flies ? item->toi : 0;
    if ((a == BRINK_NO_RECORD && b == BRINK_NO_RECORD) || !poseAt(stepper, a, at, &item->poses[0]) ||
        !poseAt(stepper, b, at, &item->poses[1])) { /* what was clamped has lost its body since */
      item->toi = BRINK_NO_TIME;
    }
  }
  restoreLooks(stepper, ahead);
}

void brinkStepFreeForesight(brinkStepForesight *ahead) {
  brinkKeyMap_Free(&ahead->map);
  free(ahead->items);
}

/* ---- when to foresee */

uint64_t brinkStepHashStates(const brinkStepper *stepper, uint64_t hash) {
  const brinkStepLayout *to = &stepper->layout;
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    const double *p = stepper->hotData[i].position;
    if (stepper->hotData[i].body != NULL) {
      hash = brinkHashValues(brinkHashValues(hash, p, 3), p + to->quaternion, 4);
      hash = brinkHashValues(brinkHashValues(hash, p + to->linear, 3), p + to->angular, 3);
      hash = brinkHashValues(hash, p + to->force, 3);
    }
  }
  return hash;
}

bool brinkStepIsWorthALook(brinkStepLooks *looks) {
  const bool worth = ++looks->calls <= BRINK_STEP_EXACT_CALLS || looks->calls >= 2 * looks->last;
  looks->last = worth ? looks->calls : looks->last;
  return worth;
}
