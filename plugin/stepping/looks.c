/* SPDX-License-Identifier: BSD-3-Clause */
/* What voids a look at a body, the proof that it may stay quiet (culling.c): the mirror has met a change of its geoms,
 * joints or kind, or one of a geom without body near it. Units: m. */
#include <math.h>

#include "step.h"

void brinkStepForgetLooks(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    stepper->hotData[i].known = false;
  }
  stepper->quiet.slackMost = 0;
}

void brinkStepVoidLook(brinkStepper *stepper, uint32_t body) {
  if (body == BRINK_NO_RECORD) {
    return;
  }
  const brinkStepBody *record = &stepper->bodies[body];
  if (stepper->hotData[body].measured && isfinite(record->allowance)) {
    stepper->quiet.allowanceSum =
        stepper->quiet.allowanceCount > 1 ? stepper->quiet.allowanceSum - record->allowance : 0;
    stepper->quiet.allowanceCount--;
  }
  stepper->hotData[body].measured = stepper->hotData[body].known = false;
}

void brinkStepForgetMeasures(brinkStepper *stepper) {
  brinkStepForgetLooks(stepper);
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    stepper->hotData[i].measured = false;
  }
  stepper->quiet.allowanceSum = 0;
  stepper->quiet.allowanceCount = 0;
}

void brinkStepVoidLooksNear(brinkStepper *stepper, brinkColliderId collider) {
  brinkAabb box;
  if (++stepper->quiet.staticChanges > BRINK_STEP_MANY_CHANGES ||
      stepper->plugin->sweptBounds(stepper->world, collider, 0, 0, &box) != brink_ok) {
    brinkStepForgetLooks(stepper);
    return;
  }
  const double lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[i];
    brinkStepHotData *hot = &stepper->hotData[i];
    double around =
        record->reach + 2 * stepper->quiet.slackMost + (isfinite(record->allowance) ? record->allowance : 0);
    bool far = false;
    for (int axis = 0; axis < 3; ++axis) {
      far = far || hot->lookPosition[axis] + around < lower[axis] || hot->lookPosition[axis] - around > upper[axis];
    }
    hot->known = hot->known && far;
  }
}

bool brinkStepRestAt(brinkStepper *stepper, uint32_t number, const double *p, const double *q) {
  brinkBodyMotion motion = {.structSize = sizeof(motion), .kind = brink_motionRest};
  motion.pose0 = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  motion.pose1 = motion.pose0;
  return stepper->plugin->setBodyMotion(stepper->world, stepper->bodies[number].id, &motion) == brink_ok;
}
