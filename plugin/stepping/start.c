/* SPDX-License-Identifier: BSD-3-Clause */
/* Where does a body start? Read of every body before the engine's solve, where the engine keeps it. */
#include <math.h>
#include <string.h>

#include "stepper.h"

/* Magnitudes of a vector, in two lanes. */
static inline void addSizes(double sum[2], const double *v) {
  sum[0] += fabs(v[0]) + fabs(v[2]);
  sum[1] += fabs(v[1]);
}

static bool isFit(const brinkStepHotData *hot, const brinkStepLayout *to) {
  const double *p = hot->position;
  return brinkStepAllFinite(p, 3) && brinkStepAllFinite(p + to->quaternion, 4) &&
         brinkStepAllFinite(p + to->linear, 3) && brinkStepAllFinite(p + to->angular, 3) &&
         brinkStepAllFinite(p + to->force, 3) && brinkStepAllFinite(p + to->torque, 3);
}

/* Of a body that may be left alone only what cannot be had after the solve. */
int brinkStepReadStart(brinkStepper *stepper, uint32_t number) {
  brinkStepHotData *hot = &stepper->hotData[number];
  const brinkStepLayout *to = &stepper->layout;
  const double *p = hot->position, *q = p + to->quaternion;
  double forces[2] = {0, 0}, all[2];
  addSizes(forces, p + to->force);
  addSizes(forces, p + to->torque);
  memcpy(all, forces, sizeof(all));
  addSizes(all, p);
  addSizes(all, q);
  all[0] += fabs(q[3]);
  addSizes(all, p + to->linear);
  addSizes(all, p + to->angular);
  const bool fit = all[0] + all[1] < BRINK_STEP_LARGEST || isFit(hot, to);
  memcpy(hot->startPosition, p, sizeof(hot->startPosition));
  memcpy(hot->startQuaternion, q, sizeof(hot->startQuaternion));
  memcpy(hot->startLinear, p + to->linear, sizeof(hot->startLinear));
  memcpy(hot->startAngular, p + to->angular, sizeof(hot->startAngular));
  hot->whole = !hot->known;
  if (!hot->known) {
    stepper->host->readState(stepper->user, number, &stepper->bodies[number].start);
  }
  const bool forced = forces[0] + forces[1] != 0, was = hot->forced; /* for NaN, too */
  hot->forced = forced;
  return (fit ? 0 : BRINK_STEP_UNFIT) | (forced || was ? BRINK_STEP_FORCED : 0);
}
