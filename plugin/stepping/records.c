/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is in the engine's world: records of bodies, colliders and joints, which the host's mirror adds, changes
 * and drops. Each is made in the plugin's world, too. */
#include <math.h>
#include <stdlib.h>

#include "stepper.h"

/* ---- bodies */

/* A record that nobody uses, its number at least *from; as many as `count` are in use or free. */
#define NEXT_FREE(records, count, handle, from)                \
  while ((from) < (count) && (records)[from].handle != NULL) { \
    (from)++;                                                  \
  }

static bool makeRoomForBody(brinkStepper *stepper) {
  const size_t count = stepper->bodyCount;
  return BRINK_STEP_RESERVE(stepper->bodies, count, stepper->bodyCapacity) &&
         BRINK_STEP_RESERVE(stepper->hotData, count, stepper->hotCapacity) &&
         BRINK_STEP_RESERVE(stepper->quiet.awake, count, stepper->quiet.awakeCapacity) &&
         BRINK_STEP_RESERVE(stepper->quiet.due, count, stepper->quiet.dueCapacity);
}

uint32_t brinkStepAddBody(brinkStepper *stepper, void *body, const double *position) {
  NEXT_FREE(stepper->bodies, stepper->bodyCount, body, stepper->bodyFree)
  const uint32_t number = (uint32_t)stepper->bodyFree;
  if (number == stepper->bodyCount) {
    if (!makeRoomForBody(stepper)) {
      (void)brinkStepFail(stepper, "no memory for a body");
      return BRINK_NO_RECORD;
    }
    stepper->bodyCount++;
  }
  brinkStepBody *record = &stepper->bodies[number];
  *record = (brinkStepBody){
      .firstCollider = BRINK_NO_RECORD, .firstJoint = BRINK_NO_RECORD, .chain = number, .beside = number};
  stepper->hotData[number] = (brinkStepHotData){.body = NULL};
  brinkBodyDef def = {.structSize = sizeof(def), .userData = number};
  const double *p = position, *q = position + stepper->layout.quaternion;
  def.pose.rotation.w = 1;
  if (isfinite(p[0] + p[1] + p[2]) && isfinite(q[0] + q[1] + q[2] + q[3])) { /* else the host refuses the step */
    def.pose = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  }
  if (!brinkKeyMap_Set(&stepper->bodyMap, BRINK_POINTER_KEY(body), number)) {
    (void)brinkStepFail(stepper, "no memory for a body");
    return BRINK_NO_RECORD;
  }
  if (stepper->plugin->createBody(stepper->world, &def, &record->id) != brink_ok) {
    brinkKeyMap_Remove(&stepper->bodyMap, BRINK_POINTER_KEY(body));
    (void)brinkStepFail(stepper, "a body: %s", stepper->plugin->lastError(stepper->world));
    return BRINK_NO_RECORD;
  }
  record->body = stepper->hotData[number].body = body;
  stepper->hotData[number].position = position;
  stepper->changed.chains = true;
  stepper->quiet.liveBodies++;
  return number;
}

/* What was set of the object that lay at an address. */
static void dropModes(brinkStepper *stepper, const void *object) {
  struct brinkStepSettings *settings = &stepper->settings;
  for (size_t i = settings->modeCount; i-- > 0;) {
    const brinkStepSetting *mode = &settings->modes[i];
    if (mode->body == object || mode->geoms[0] == object || mode->geoms[1] == object) {
      settings->modes[i] = settings->modes[--settings->modeCount];
    }
  }
}

static void forgetAddress(brinkKeyMap *map, const void *object, uint32_t number) {
  if (brinkKeyMap_Get(map, BRINK_POINTER_KEY(object)) == number) { /* else another one lies there now */
    brinkKeyMap_Remove(map, BRINK_POINTER_KEY(object));
  }
}

void brinkStepEndBody(brinkStepper *stepper, uint32_t number) {
  brinkStepForgetLate(stepper, number);
  dropModes(stepper, stepper->bodies[number].body);
  forgetAddress(&stepper->bodyMap, stepper->bodies[number].body, number);
  stepper->hotData[number].body = NULL;
}

void brinkStepEndCollider(brinkStepper *stepper, uint32_t number) {
  dropModes(stepper, stepper->colliders[number].geom);
  forgetAddress(&stepper->geomMap, stepper->colliders[number].geom, number);
}

void brinkStepDropBody(brinkStepper *stepper, uint32_t number) {
  brinkStepBody *record = &stepper->bodies[number];
  stepper->plugin->destroyBody(stepper->world, record->id);
  forgetAddress(&stepper->bodyMap, record->body, number);
  brinkStepForgetLate(stepper, number);
  brinkStepVoidLook(stepper, number);
  *record = (brinkStepBody){.firstCollider = BRINK_NO_RECORD, .firstJoint = BRINK_NO_RECORD};
  stepper->hotData[number] = (brinkStepHotData){.body = NULL};
  stepper->bodyFree = number < stepper->bodyFree ? number : stepper->bodyFree;
  stepper->quiet.liveBodies--;
  stepper->changed.chains = stepper->changed.dropped = true;
}

/* ---- joints */

/* Where the list of a body's joints leads to this one, or ends. It has the order in which the host told of them. */
static uint32_t *leadTo(brinkStepper *stepper, uint32_t body, uint32_t number) {
  uint32_t *at = &stepper->bodies[body].firstJoint;
  while (*at != BRINK_NO_RECORD && *at != number) {
    at = &stepper->joints[*at].nextOfBody[stepper->joints[*at].bodies[0] != body];
  }
  return at;
}

static void linkJoint(brinkStepper *stepper, uint32_t number) {
  brinkStepJoint *record = &stepper->joints[number];
  stepper->spins.liveJoints++;
  stepper->spins.rodCount += record->length > 0;
  for (int side = 0; side < 2; ++side) {
    record->nextOfBody[side] = BRINK_NO_RECORD;
    if (record->bodies[side] != BRINK_NO_RECORD) {
      *leadTo(stepper, record->bodies[side], BRINK_NO_RECORD) = number;
    }
  }
}

static void unlinkJoint(brinkStepper *stepper, uint32_t number) {
  const brinkStepJoint *record = &stepper->joints[number];
  stepper->spins.liveJoints--;
  stepper->spins.rodCount -= record->length > 0;
  for (int side = 0; side < 2; ++side) {
    const uint32_t body = record->bodies[side];
    uint32_t *at = body < stepper->bodyCount ? leadTo(stepper, body, number) : NULL;
    if (at != NULL && *at == number) { /* else its body has gone since */
      *at = record->nextOfBody[side];
    }
  }
}

uint32_t brinkStepAddJoint(brinkStepper *stepper, const brinkStepJoint *joint) {
  NEXT_FREE(stepper->joints, stepper->jointCount, joint, stepper->jointFree)
  const uint32_t number = (uint32_t)stepper->jointFree;
  if (number == stepper->jointCount) {
    if (!BRINK_STEP_RESERVE(stepper->joints, stepper->jointCount, stepper->jointCapacity)) {
      (void)brinkStepFail(stepper, "no memory for a joint");
      return BRINK_NO_RECORD;
    }
    stepper->jointCount++;
  }
  brinkStepJoint *record = &stepper->joints[number];
  *record = *joint;
  record->id = 0;
  linkJoint(stepper, number);
  if (record->bodies[0] == BRINK_NO_RECORD || record->bodies[1] == BRINK_NO_RECORD) {
    return number; /* held by the world: makes no chain */
  }
  brinkJointDef def = {.structSize = sizeof(def)};
  def.bodyA = stepper->bodies[record->bodies[0]].id;
  def.bodyB = stepper->bodies[record->bodies[1]].id;
  def.anchorA = (brinkVec3){record->anchors[0][0], record->anchors[0][1], record->anchors[0][2]};
  def.anchorB = (brinkVec3){record->anchors[1][0], record->anchors[1][1], record->anchors[1][2]};
  if (stepper->plugin->createJoint(stepper->world, &def, &record->id) != brink_ok) {
    unlinkJoint(stepper, number);
    *record = (brinkStepJoint){.joint = NULL};
    (void)brinkStepFail(stepper, "a joint: %s", stepper->plugin->lastError(stepper->world));
    return BRINK_NO_RECORD;
  }
  stepper->changed.chains = true;
  return number;
}

void brinkStepDropJoint(brinkStepper *stepper, uint32_t number) {
  brinkStepJoint *record = &stepper->joints[number];
  brinkStepVoidLook(stepper, record->bodies[0]);
  brinkStepVoidLook(stepper, record->bodies[1]);
  if (record->id != 0) {
    stepper->plugin->destroyJoint(stepper->world, record->id);
  }
  unlinkJoint(stepper, number);
  *record = (brinkStepJoint){.joint = NULL};
  stepper->jointFree = number < stepper->jointFree ? number : stepper->jointFree;
  stepper->changed.chains = true;
}

/* The lowest record of the chain so far, paths halved on the way (union-find). */
static uint32_t chainOf(brinkStepper *stepper, uint32_t number) {
  while (stepper->bodies[number].chain != number) {
    uint32_t above = stepper->bodies[number].chain;
    stepper->bodies[number].chain = stepper->bodies[above].chain;
    number = stepper->bodies[number].chain;
  }
  return number;
}

static void markChains(brinkStepper *stepper) {
  for (uint32_t i = 0; i < stepper->bodyCount; ++i) {
    stepper->bodies[i].chain = i;
  }
  for (size_t i = 0; i < stepper->jointCount; ++i) {
    if (stepper->joints[i].joint != NULL && stepper->joints[i].id != 0) {
      uint32_t a = chainOf(stepper, stepper->joints[i].bodies[0]), b = chainOf(stepper, stepper->joints[i].bodies[1]);
      stepper->bodies[a > b ? a : b].chain = a > b ? b : a;
    }
  }
  for (uint32_t i = 0; i < stepper->bodyCount; ++i) {
    stepper->bodies[i].chain = chainOf(stepper, i);
  }
}

void brinkStepEndMirror(brinkStepper *stepper) {
  if (stepper->changed.chains) {
    markChains(stepper);
  }
  for (size_t i = stepper->quiet.awakeCount; stepper->changed.dropped && i-- > 0;) { /* in the middle of a step */
    if (stepper->bodies[stepper->quiet.awake[i]].body == NULL) {
      stepper->quiet.awake[i] = stepper->quiet.awake[--stepper->quiet.awakeCount];
    }
  }
  stepper->quiet.dueCount = stepper->changed.dropped ? 0 : stepper->quiet.dueCount;
  stepper->changed.chains = stepper->changed.dropped = false;
}

/* ---- colliders */

static void unlinkCollider(brinkStepper *stepper, uint32_t number) {
  const brinkStepCollider *record = &stepper->colliders[number];
  if (record->geom == NULL || record->body >= stepper->bodyCount) {
    return;
  }
  uint32_t *at = &stepper->bodies[record->body].firstCollider;
  while (*at != BRINK_NO_RECORD && *at != number) {
    at = &stepper->colliders[*at].nextOfBody;
  }
  if (*at == number) { /* else its body has gone since */
    *at = record->nextOfBody;
  }
}

/* Its body was looked at without this collider, or with it as it was. */
static void voidLooksAt(brinkStepper *stepper, const brinkStepCollider *collider) {
  if (collider->geom != NULL && collider->body < stepper->bodyCount) {
    brinkStepVoidLook(stepper, collider->body);
  }
}

bool brinkStepSetCollider(brinkStepper *stepper, uint32_t number, const brinkStepCollider *collider) {
  for (; number >= stepper->colliderCount; stepper->colliderCount++) {
    if (!BRINK_STEP_RESERVE(stepper->colliders, stepper->colliderCount, stepper->colliderCapacity)) {
      return brinkStepFail(stepper, "no memory for a collider") != 0;
    }
    stepper->colliders[stepper->colliderCount] = (brinkStepCollider){.geom = NULL};
  }
  brinkStepCollider *record = &stepper->colliders[number], old = *record;
  unlinkCollider(stepper, number);
  voidLooksAt(stepper, &old);
  voidLooksAt(stepper, collider);
  stepper->surfaceCount -= old.geom != NULL && (old.flags & BRINK_STEP_SURFACE);
  stepper->unansweredCount -= old.geom != NULL && old.collider == 0;
  *record = *collider;
  record->nextOfBody = BRINK_NO_RECORD;
  record->met = old.geom == collider->geom && old.met;
  record->clearance = old.clearance;
  stepper->sensing.sensorCount -= old.geom != NULL && (old.flags & BRINK_STEP_SENSOR);
  stepper->sensing.rayCount -= old.geom != NULL && old.collider != 0 && (old.flags & BRINK_STEP_RAY);
  stepper->sensing.rayCount += record->geom != NULL && record->collider != 0 && (record->flags & BRINK_STEP_RAY);
  stepper->sensing.sensorCount += record->geom != NULL && (record->flags & BRINK_STEP_SENSOR);
  stepper->surfaceCount += record->geom != NULL && (record->flags & BRINK_STEP_SURFACE);
  stepper->unansweredCount += record->geom != NULL && record->collider == 0;
  stepper->newSurfaces = stepper->newSurfaces || (!record->met && (record->flags & BRINK_STEP_SURFACE));
  if (record->geom != NULL && record->body != BRINK_NO_RECORD) {
    record->nextOfBody = stepper->bodies[record->body].firstCollider;
    stepper->bodies[record->body].firstCollider = number;
  }
  if (old.collider != record->collider && old.collider != 0) {
    brinkKeyMap_Remove(&stepper->colliderMap, old.collider);
  }
  /* Where memory ran out once, the geom has another record by now. */
  if (old.geom != record->geom) {
    forgetAddress(&stepper->geomMap, old.geom, number);
  }
  bool found = record->geom == NULL || brinkKeyMap_Set(&stepper->geomMap, BRINK_POINTER_KEY(record->geom), number);
  return (found && (record->collider == 0 || brinkKeyMap_Set(&stepper->colliderMap, record->collider, number))) ||
         brinkStepFail(stepper, "no memory for a collider") != 0;
}

void brinkStepFree(brinkStepper *stepper) {
  (void)brinkStepSetRecords(stepper, NULL);
  brinkKeyMap_Free(&stepper->colliderMap);
  brinkKeyMap_Free(&stepper->bodyMap);
  brinkKeyMap_Free(&stepper->geomMap);
  free(stepper->settings.modes);
  brinkKeyMap_Free(&stepper->pairs.pairMap);
  brinkKeyMap_Free(&stepper->pushes.map);
  void *blocks[] = {
      stepper->bodies,           stepper->hotData,         stepper->colliders,       stepper->joints,
      stepper->island.gathered,  stepper->island.edges,    stepper->island.posed,    stepper->pushes.items,
      stepper->pairs.silent,     stepper->pairs.shown,     stepper->pairs.ahead,     stepper->pairs.atLimit,
      stepper->pairs.impacts,    stepper->pairs.nearPairs, stepper->pairs.heldApart, stepper->pairs.heldGeoms,
      stepper->spins.openJoints, stepper->spins.cuts,      stepper->quiet.awake,     stepper->quiet.due,
      stepper->lates.items,      stepper->quiet.looked,    stepper->sensing.inside,  stepper->sensing.parts,
      stepper->sensing.events};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
}
