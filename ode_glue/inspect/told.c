/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports while a step runs: impacts as events of dBrinkStepInfo; questions and answers to the segment callback, for
 * tests and tools that judge them. s: part of a segment (from an impact to the end of the step), [0,1]. Units: m, rad.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"

struct dxBrinkSegments {
  dBrinkSegmentCallback *callback;
  void *user;
  double start;          /* of the segment that is being told, part of the step */
  dBrinkMotion *motions; /* told to the callback */
  size_t motionCount, motionCapacity;
  dBrinkVerdict *verdicts;
  size_t verdictCount, verdictCapacity;
};

int dBrinkSetSegmentCallback(dBrinkID brink, dBrinkSegmentCallback *callback, void *user) {
  if (brink == NULL) {
    return 0;
  }
  brink->segments->callback = callback;
  brink->segments->user = user;
  return dxBrinkSucceed(brink);
}

/* Describes a body's motion from the segment's start on. */
static bool describeMotion(dBrinkID brink, const brinkStepBody *record, dBrinkMotion *out) {
  brinkStepState first;
  *out = (dBrinkMotion){.body = record->body, .kind = dBrinkMotionRest};
  if (!brinkStepMotionSince(&brink->step, record, brink->segments->start, &first, out->velocity, out->spin)) {
    return false;
  }
  const brinkStepState *last = record->moves ? &record->end : &first;
  memcpy(out->position, first.position, sizeof(out->position));
  memcpy(out->quaternion, first.quaternion, sizeof(out->quaternion));
  memcpy(out->endPosition, last->position, sizeof(out->endPosition));
  memcpy(out->endQuaternion, last->quaternion, sizeof(out->endQuaternion));
  if (record->moves) {
    out->kind = record->alone ? dBrinkMotionAlone : dBrinkMotionChain;
  }
  return true;
}

static bool listMotions(dBrinkID brink) {
  struct dxBrinkSegments *told = brink->segments;
  told->motionCount = 0;
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    if (brink->step.bodies[i].body == NULL) {
      continue;
    }
    if (!BRINK_STEP_RESERVE(told->motions, told->motionCount, told->motionCapacity) ||
        !describeMotion(brink, &brink->step.bodies[i], &told->motions[told->motionCount++])) {
      return false;
    }
  }
  return true;
}

/* Step time as a part of the segment. */
static double inSegment(const dBrinkID brink, double time) {
  return time > 1 ? time : (time - brink->segments->start) / (1 - brink->segments->start);
}

static bool listVerdicts(dBrinkID brink, const brinkReport *report) {
  struct dxBrinkSegments *told = brink->segments;
  told->verdictCount = 0;
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    uint32_t a = brinkKeyMap_Get(&brink->step.colliderMap, contact->colliderA);
    uint32_t b = brinkKeyMap_Get(&brink->step.colliderMap, contact->colliderB);
    if (a == BRINK_NO_RECORD || b == BRINK_NO_RECORD) {
      continue;
    }
    if (!BRINK_STEP_RESERVE(told->verdicts, told->verdictCount, told->verdictCapacity)) {
      return false;
    }
    told->verdicts[told->verdictCount++] = (dBrinkVerdict){.g1 = brink->geoms[a].geom,
                                                           .g2 = brink->geoms[b].geom,
                                                           .state = (int)contact->state,
                                                           .toi = inSegment(brink, contact->toi),
                                                           .toiUpper = inSegment(brink, contact->toiUpper),
                                                           .distance = contact->distance,
                                                           .threshold = contact->threshold};
  }
  return true;
}

static void tellAnswer(void *user, const brinkReport *report) {
  dBrinkID brink = user;
  struct dxBrinkSegments *told = brink->segments;
  told->start = brink->step.now.t;
  if (told->callback == NULL || !listMotions(brink) || !listVerdicts(brink, report)) {
    return;
  }
  dBrinkSegment segment = {.structSize = sizeof(segment),
                           .state = (int)report->state,
                           .start = told->start,
                           .toi = inSegment(brink, report->toi)};
  segment.motions = told->motions;
  segment.motionCount = (int)told->motionCount;
  segment.verdicts = told->verdicts;
  segment.verdictCount = (int)told->verdictCount;
  told->callback(told->user, brink, &segment);
}

/* With a segment callback no body is quiet: all motions are reported, so that answers can be judged. */
static bool needsAll(const void *user) { return ((const dxBrink *)user)->segments->callback != NULL; }

static bool tellImpact(void *user, const brinkStepImpact *impact, int response) {
  dBrinkID brink = user;
  if (!BRINK_STEP_RESERVE(brink->result.events, brink->result.eventCount, brink->result.eventCapacity)) {
    return false;
  }
  const brinkContact *contact = &impact->contact;
  dBrinkEvent *event = &brink->result.events[brink->result.eventCount++];
  for (; event > brink->result.events && event[-1].toi > contact->toi; --event) {
    *event = event[-1];
  }
  *event = (dBrinkEvent){.g1 = brink->geoms[impact->pair.a].geom, .g2 = brink->geoms[impact->pair.b].geom};
  event->toi = contact->toi;
  event->toiUpper = fmin(1, contact->toiUpper);
  event->distance = contact->distance;
  event->threshold = contact->threshold;
  event->response = response;
  const double *a = &contact->pointA.x, *b = &contact->pointB.x;
  for (int i = 0; i < 3; ++i) {
    event->position[i] = (a[i] + b[i]) / 2;
    event->normal[i] = impact->normal[i];
  }
  return true;
}

static const brinkStepListener inspector = {.needsAll = needsAll, .answer = tellAnswer, .impact = tellImpact};

bool dxBrinkOpenInspect(dBrinkID brink) {
  brink->step.told = &inspector;
  brink->step.user = brink;
  brink->segments = calloc(1, sizeof(*brink->segments));
  return brink->segments != NULL;
}

void dxBrinkCloseInspect(dBrinkID brink) {
  if (brink->segments != NULL) {
    free(brink->segments->motions);
    free(brink->segments->verdicts);
    free(brink->segments);
  }
}

int dBrinkSegmentPose(dBrinkID brink, dBodyID body, double s, double position[3], double quaternion[4]) {
  if (brink == NULL) {
    return 0;
  }
  uint32_t number = dxBrinkFindBody(brink, body);
  brinkPose pose;
  if (number == BRINK_NO_RECORD || !(s >= 0 && s <= 1) ||
      brink->shapes.plugin->bodyPose(brink->shapes.world, brink->step.bodies[number].id,
                                     brink->segments->start + s * (1 - brink->segments->start), &pose) != brink_ok) {
    return 0;
  }
  memcpy(position, &pose.position, 3 * sizeof(double));
  const double turn[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
  memcpy(quaternion, turn, sizeof(turn));
  return 1;
}

int dBrinkSegmentAsks(dBrinkID brink, dGeomID g1, dGeomID g2) {
  const dxBrinkGeom *a = brink != NULL ? dxBrinkFindGeom(brink, g1) : NULL;
  const dxBrinkGeom *b = a != NULL ? dxBrinkFindGeom(brink, g2) : NULL;
  if (b == NULL || !a->answered || !b->answered || (a->body == b->body) ||
      !((a->categoryBits & b->collideBits) || (b->categoryBits & a->collideBits))) {
    return 0;
  }
  bool swap = b->collider < a->collider;
  const dxBrinkGeom *first = swap ? b : a, *second = swap ? a : b;
  return brinkStepWantPair(&brink->step, first->collider, second->collider, (uint64_t)(first - brink->geoms),
                           (uint64_t)(second - brink->geoms));
}
