/* SPDX-License-Identifier: BSD-3-Clause */
/* What was Brink asked, and what did it answer? For tests and tools that judge answers by other means.
 * s: part of a segment (from an impact to the end of the step), [0,1]. Units: m, rad. */
#include <string.h>

#include "dxbrink.h"

int dBrinkSetSegmentCallback(dBrinkID brink, dBrinkSegmentCallback *callback, void *user) {
  if (brink == NULL) {
    return 0;
  }
  brink->segmentCallback = callback;
  brink->segmentUser = user;
  brink->error[0] = '\0';
  return 1;
}

static void describeMotion(const dxBrinkBody *record, dBrinkMotion *out) {
  *out = (dBrinkMotion){.body = record->body, .kind = dBrinkMotionRest};
  memcpy(out->position, record->start.position, sizeof(out->position));
  memcpy(out->quaternion, record->start.quaternion, sizeof(out->quaternion));
  memcpy(out->endPosition, record->moves ? record->end.position : record->start.position, sizeof(out->endPosition));
  memcpy(out->endQuaternion, record->moves ? record->end.quaternion : record->start.quaternion,
         sizeof(out->endQuaternion));
  if (!record->moves) {
    return;
  }
  out->kind = record->alone ? dBrinkMotionAlone : dBrinkMotionChain;
  brinkVec3 turn = dxBrinkTurnBetween(record->start.quaternion, record->end.quaternion, record->spin);
  memcpy(out->spin, &turn, sizeof(out->spin));
  for (int i = 0; i < 3; ++i) {
    out->velocity[i] = out->endPosition[i] - out->position[i];
  }
}

static bool listMotions(dBrinkID brink) {
  brink->motionCount = 0;
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    if (brink->bodies[i].body == NULL) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->motions, brink->motionCount, brink->motionCapacity)) {
      return false;
    }
    describeMotion(&brink->bodies[i], &brink->motions[brink->motionCount++]);
  }
  return true;
}

static bool listVerdicts(dBrinkID brink, const brinkReport *report) {
  brink->verdictCount = 0;
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    uint32_t a = brinkKeyMap_Get(&brink->colliderMap, contact->colliderA);
    uint32_t b = brinkKeyMap_Get(&brink->colliderMap, contact->colliderB);
    if (a == BRINK_NO_RECORD || b == BRINK_NO_RECORD) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->verdicts, brink->verdictCount, brink->verdictCapacity)) {
      return false;
    }
    brink->verdicts[brink->verdictCount++] = (dBrinkVerdict){.g1 = brink->geoms[a].geom,
                                                             .g2 = brink->geoms[b].geom,
                                                             .state = (int)contact->state,
                                                             .toi = contact->toi,
                                                             .toiUpper = contact->toiUpper,
                                                             .distance = contact->distance,
                                                             .threshold = contact->threshold};
  }
  return true;
}

void dxBrinkTellSegment(dBrinkID brink, double start, const brinkReport *report) {
  if (brink->segmentCallback == NULL || !listMotions(brink) || !listVerdicts(brink, report)) {
    return;
  }
  dBrinkSegment segment = {
      .structSize = sizeof(segment), .state = (int)report->state, .start = start, .toi = report->toi};
  segment.motions = brink->motions;
  segment.motionCount = (int)brink->motionCount;
  segment.verdicts = brink->verdicts;
  segment.verdictCount = (int)brink->verdictCount;
  brink->segmentCallback(brink->segmentUser, brink, &segment);
}

int dBrinkSegmentPose(dBrinkID brink, dBodyID body, double s, double position[3], double quaternion[4]) {
  if (brink == NULL) {
    return 0;
  }
  uint32_t number = dxBrinkFindBody(brink, body);
  brinkPose pose;
  if (number == BRINK_NO_RECORD || !(s >= 0 && s <= 1) ||
      brink->shapes.plugin->bodyPose(brink->shapes.world, brink->bodies[number].id, s, &pose) != brink_ok) {
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
  return dxBrinkWantPair(brink, first->collider, second->collider, (uint64_t)(first - brink->geoms),
                         (uint64_t)(second - brink->geoms));
}
