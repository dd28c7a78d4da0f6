/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that the host tells. */
#include <stdlib.h>

#include "stepper.h"

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

void brinkStepSetCollider(brinkStepper *stepper, uint32_t number, const brinkStepCollider *collider) {
  brinkStepCollider *record = &stepper->colliders[number], old = *record;
  unlinkCollider(stepper, number);
  stepper->surfaceCount -= old.geom != NULL && (old.flags & BRINK_STEP_SURFACE);
  *record = *collider;
  record->nextOfBody = BRINK_NO_RECORD;
  record->met = old.geom == collider->geom && old.met;
  record->clearance = old.clearance;
  stepper->sensorCount -= old.geom != NULL && (old.flags & BRINK_STEP_SENSOR);
  stepper->sensorCount += record->geom != NULL && (record->flags & BRINK_STEP_SENSOR);
  stepper->surfaceCount += record->geom != NULL && (record->flags & BRINK_STEP_SURFACE);
  if (record->geom != NULL && record->body != BRINK_NO_RECORD) {
    record->nextOfBody = stepper->bodies[record->body].firstCollider;
    stepper->bodies[record->body].firstCollider = number;
  }
}

uint32_t brinkStepFindCollider(const brinkStepper *stepper, const void *geom, uint32_t hint) {
  uint32_t number = hint < stepper->colliderCount ? hint : 0;
  for (size_t looked = 0; looked < stepper->colliderCount; ++looked, ++number) {
    number = number < stepper->colliderCount ? number : 0;
    if (stepper->colliders[number].geom == geom) {
      return number;
    }
  }
  return BRINK_NO_RECORD;
}

void brinkStepFree(brinkStepper *stepper) {
  (void)brinkStepSetRecords(stepper, NULL);
  brinkKeyMap_Free(&stepper->colliderMap);
  brinkKeyMap_Free(&stepper->pairs.pairMap);
  void *blocks[] = {stepper->bodies,          stepper->hotData,          stepper->colliders,
                    stepper->joints,          stepper->island.gathered,  stepper->island.edges,
                    stepper->island.posed,    stepper->pairs.silent,     stepper->pairs.ahead,
                    stepper->pairs.impacts,   stepper->pairs.nearPairs,  stepper->pairs.heldApart,
                    stepper->pairs.heldGeoms, stepper->spins.openJoints, stepper->spins.cuts,
                    stepper->quiet.awake,     stepper->quiet.due,        stepper->quiet.looked,
                    stepper->sensing.inside,  stepper->sensing.parts,    stepper->sensing.events};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
}
