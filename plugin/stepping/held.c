/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is solved? Between the first impact of a step and its end only the island of the change that is under way is on:
 * the engine solves nothing else, and switching the others off costs once. What an engine wakes in a solve, and what is
 * pushed, is awake in the program's world from then on. */
#include "step.h"

static bool hold(brinkStepper *stepper, uint32_t number) {
  struct brinkStepHeld *held = &stepper->held;
  if (stepper->bodies[number].held) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(held->bodies, held->count, held->capacity)) {
    return false;
  }
  held->bodies[held->count++] = number;
  stepper->bodies[number].held = true;
  return true;
}

static bool holdOthers(brinkStepper *stepper) {
  struct brinkStepHeld *held = &stepper->held;
  bool done = true;
  for (uint32_t i = 0; i < stepper->bodyCount && !held->others && done; ++i) {
    done = stepper->bodies[i].body == NULL || !stepper->host->isOn(stepper->user, i) || hold(stepper, i);
  }
  for (size_t i = 0; i < held->count && !held->others && done; ++i) {
    stepper->host->turnOff(stepper->user, held->bodies[i]);
  }
  held->others = held->others || done;
  return done;
}

bool brinkStepFreeGathered(brinkStepper *stepper) {
  struct brinkStepHeld *held = &stepper->held;
  const struct brinkStepIsland *island = &stepper->island;
  if (!holdOthers(stepper)) {
    return false;
  }
  for (size_t i = 0; i < held->freedCount; ++i) {
    if (stepper->bodies[held->freed[i]].body != NULL && !brinkStepIsGathered(stepper, held->freed[i])) {
      stepper->host->turnOff(stepper->user, held->freed[i]);
    }
  }
  held->freedCount = 0;
  for (size_t i = 0; i < island->gatheredCount; ++i) {
    if (!BRINK_STEP_RESERVE(held->freed, held->freedCount, held->freedCapacity)) {
      return false;
    }
    held->freed[held->freedCount++] = island->gathered[i];
    if (stepper->bodies[island->gathered[i]].held) {
      stepper->host->turnOn(stepper->user, island->gathered[i]);
    }
  }
  return true;
}

void brinkStepHoldGathered(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    if (stepper->host->isOn(stepper->user, number) && hold(stepper, number)) {
      stepper->host->turnOff(stepper->user, number);
    }
  }
}

void brinkStepWakeHeld(brinkStepper *stepper, uint32_t number) { (void)hold(stepper, number); }

bool brinkStepIsAwake(const brinkStepper *stepper, uint32_t number) {
  return stepper->bodies[number].held || stepper->host->isOn(stepper->user, number);
}

void brinkStepLetOthersGoOn(brinkStepper *stepper) {
  struct brinkStepHeld *held = &stepper->held;
  for (size_t i = 0; i < held->count; ++i) {
    brinkStepBody *record = &stepper->bodies[held->bodies[i]];
    if (record->held && record->body != NULL) {
      stepper->host->turnOn(stepper->user, held->bodies[i]);
    }
    record->held = false;
  }
  held->count = held->freedCount = 0;
  held->others = false;
}
