/* SPDX-License-Identifier: BSD-3-Clause */
/* What voids a look at a body (culling.c): the mirror has met a change of its geoms, joints or kind, or one of a geom
 * without body near it. Units: m. */
#include <math.h>

#include "mirror.h"

void dxBrinkForgetLooks(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    brink->step.hotData[i].known = false;
  }
  brink->step.quiet.slackMost = 0;
}

void dxBrinkVoidLook(dBrinkID brink, uint32_t body) {
  if (body == BRINK_NO_RECORD) {
    return;
  }
  brinkStepBody *record = &brink->step.bodies[body];
  if (record->look.measured && isfinite(record->allowance)) {
    brink->step.quiet.allowanceSum =
        brink->step.quiet.allowanceCount > 1 ? brink->step.quiet.allowanceSum - record->allowance : 0;
    brink->step.quiet.allowanceCount--;
  }
  record->look.measured = brink->step.hotData[body].known = false;
}

void dxBrinkForgetMeasures(dBrinkID brink) {
  dxBrinkForgetLooks(brink);
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    brink->step.bodies[i].look.measured = false;
  }
  brink->step.quiet.allowanceSum = 0;
  brink->step.quiet.allowanceCount = 0;
}

void dxBrinkVoidLooksNear(dBrinkID brink, brinkColliderId collider) {
  brinkAabb box;
  if (++brink->step.quiet.staticChanges > BRINK_STEP_MANY_CHANGES ||
      brink->shapes.plugin->sweptBounds(brink->shapes.world, collider, 0, 0, &box) != brink_ok) {
    dxBrinkForgetLooks(brink);
    return;
  }
  const double lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[i];
    brinkStepHotData *hot = &brink->step.hotData[i];
    double around =
        record->reach + 2 * brink->step.quiet.slackMost + (isfinite(record->allowance) ? record->allowance : 0);
    bool far = false;
    for (int axis = 0; axis < 3; ++axis) {
      far = far || hot->lookPosition[axis] + around < lower[axis] || hot->lookPosition[axis] - around > upper[axis];
    }
    hot->known = hot->known && far;
  }
}
