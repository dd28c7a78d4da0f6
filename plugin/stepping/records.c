/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that the host tells, and what the stepper tells the host in words. */
#include <stdarg.h>
#include <stdio.h>
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
  stepper->surfaceCount += record->geom != NULL && (record->flags & BRINK_STEP_SURFACE);
  if (record->geom != NULL && record->body != BRINK_NO_RECORD) {
    record->nextOfBody = stepper->bodies[record->body].firstCollider;
    stepper->bodies[record->body].firstCollider = number;
  }
}

void brinkStepFree(brinkStepper *stepper) {
  brinkKeyMap_Free(&stepper->colliderMap);
  brinkKeyMap_Free(&stepper->pairs.pairMap);
  void *blocks[] = {stepper->bodies,          stepper->hotData,          stepper->colliders,
                    stepper->joints,          stepper->island.gathered,  stepper->island.edges,
                    stepper->island.posed,    stepper->pairs.silent,     stepper->pairs.ahead,
                    stepper->pairs.impacts,   stepper->pairs.nearPairs,  stepper->pairs.heldApart,
                    stepper->pairs.heldGeoms, stepper->spins.openJoints, stepper->spins.cuts,
                    stepper->quiet.awake,     stepper->quiet.due,        stepper->quiet.looked};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
}

int brinkStepFail(brinkStepper *stepper, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  stepper->host->say(stepper->user, brink_logError, text);
  return 0;
}

void brinkStepLog(brinkStepper *stepper, brinkLogLevel level, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  stepper->host->say(stepper->user, level, text);
}
