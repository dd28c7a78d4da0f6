/* SPDX-License-Identifier: BSD-3-Clause */
/* What voids a look at a body (culling.c): the mirror has met a change of its geoms, joints or kind, or one of a geom
 * without body near it. Units: m. */
#include <math.h>

#include "mirror.h"

void dxBrinkForgetLooks(dBrinkID brink) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->hotData[i].known = false;
  }
  brink->quiet.slackMost = 0;
}

void dxBrinkVoidLook(dBrinkID brink, uint32_t body) {
  if (body == BRINK_NO_RECORD) {
    return;
  }
  dxBrinkBody *record = &brink->bodies[body];
  if (record->look.measured && isfinite(record->allowance)) {
    brink->quiet.allowanceSum = brink->quiet.allowanceCount > 1 ? brink->quiet.allowanceSum - record->allowance : 0;
    brink->quiet.allowanceCount--;
  }
  record->look.measured = brink->hotData[body].known = false;
}

void dxBrinkForgetMeasures(dBrinkID brink) {
  dxBrinkForgetLooks(brink);
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->bodies[i].look.measured = false;
  }
  brink->quiet.allowanceSum = 0;
  brink->quiet.allowanceCount = 0;
}

void dxBrinkVoidLooksNear(dBrinkID brink, brinkColliderId collider) {
  brinkAabb box;
  if (++brink->quiet.staticChanges > BRINK_STEP_MANY_CHANGES ||
      brink->shapes.plugin->sweptBounds(brink->shapes.world, collider, 0, 0, &box) != brink_ok) {
    dxBrinkForgetLooks(brink);
    return;
  }
  const double lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[i];
    brinkStepHotData *hot = &brink->hotData[i];
    double around = record->reach + 2 * brink->quiet.slackMost + (isfinite(record->allowance) ? record->allowance : 0);
    bool far = false;
    for (int axis = 0; axis < 3; ++axis) {
      far = far || hot->lookPosition[axis] + around < lower[axis] || hot->lookPosition[axis] - around > upper[axis];
    }
    hot->known = hot->known && far;
  }
}
