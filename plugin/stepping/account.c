/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy budget of an island: how much kinetic energy may an extra solve leave?
 * Contacts lead an island no farther from any motion that they allow than it was, measured by the masses. Here that
 * motion is as fast as the fastest kinematic body and as what is pushed out. The host solves again by iterations what
 * exceeds it (docs/step.md, "The energy budget"). Norm: the root of twice the energy. Units: kg, m/s. */
#include <math.h>

#include "step.h"

/* Kinematic bodies have none. */
double brinkStepNorm(const brinkStepper *stepper) {
  double sum = 0;
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    brinkStepState state;
    brinkStepWeight weight;
    stepper->host->readState(stepper->user, stepper->island.gathered[i], &state);
    stepper->host->weigh(stepper->user, stepper->island.gathered[i], &state, &weight);
    sum += stepper->bodies[stepper->island.gathered[i]].dynamic ? weight.energy : 0;
  }
  return sqrt(sum);
}

/* Joints store energy, and so may stand-ins: then there is no budget. */
static bool isOfContacts(const brinkStepper *stepper, uint32_t number) {
  brinkStepLink link;
  for (int at = 0; stepper->host->nextLink(stepper->user, number, &at, &link);) {
    if (!link.isContact) {
      return false;
    }
  }
  return stepper->island.edgeCount == 0;
}

bool brinkStepMostNorm(const brinkStepper *stepper, double r, double pushedOut, double *most) {
  double total = 0, moved = 0, forced = 0;
  bool ofContacts = true;
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    const brinkStepBody *record = &stepper->bodies[number];
    brinkStepWeight weight;
    ofContacts = ofContacts && isOfContacts(stepper, number);
    stepper->host->weigh(stepper->user, number, &record->next, &weight);
    if (!record->dynamic) {
      moved = fmax(moved, brinkStepFastest(record));
      continue;
    }
    total += weight.mass;
    forced += weight.turned ? HUGE_VAL : weight.force / weight.mass;
  }
  *most = brinkStepNorm(stepper) + 2 * sqrt(total) * (moved + pushedOut) + r * stepper->now.h * sqrt(forced);
  return ofContacts;
}
