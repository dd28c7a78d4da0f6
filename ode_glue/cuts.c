/* SPDX-License-Identifier: BSD-3-Clause */
/* When is what spins after an impact to be solved again? Cuts are planned for each joint whenever a motion changes, and
 * taken in the order of time (turns.c). Who is calm again needs none. tau: part of the step, [0,1]. Units: rad. */
#include <math.h>

#include "step.h"

/* Spin wanders along a chain: it is calm when all of it is. */
void dxBrinkCalmDown(dBrinkID brink) {
  if (!brink->step.spins.anyStruck) {
    return;
  }
  brink->step.spins.anyStruck = false;
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    brink->step.bodies[i].gap.spins = false;
  }
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[i];
    if (record->body != NULL && record->struck) {
      const dReal *w = dBodyGetAngularVel(record->body);
      bool spins = brink->step.now.h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) > BRINK_STEP_CALM_TURN;
      brink->step.bodies[record->chain].gap.spins = brink->step.bodies[record->chain].gap.spins || spins;
    }
  }
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[i];
    record->struck = record->body != NULL && record->struck && brink->step.bodies[record->chain].gap.spins;
    brink->step.spins.anyStruck = brink->step.spins.anyStruck || record->struck;
  }
}

static double startOf(const dxBrink *brink, const brinkStepJoint *joint) {
  double from = 0;
  for (int side = 0; side < 2; ++side) {
    from = joint->bodies[side] != BRINK_NO_RECORD ? fmax(from, brink->step.bodies[joint->bodies[side]].from) : from;
  }
  return from;
}

/* For the joints of these bodies, whose motions are new. */
bool dxBrinkPlanCuts(dBrinkID brink, const uint32_t *numbers, size_t count) {
  if (brink->call.near == NULL || !brink->step.spins.anyStruck || brink->step.jointCount == 0) {
    return true;
  }
  if (!dxBrinkListJointsOf(brink, numbers, count)) {
    return false;
  }
  for (size_t i = 0; i < brink->step.spins.openCount; ++i) {
    uint32_t number = brink->step.spins.openJoints[i];
    brinkStepJoint *joint = &brink->step.joints[number];
    double from = startOf(brink, joint), local = dxBrinkCutOfJoint(brink, joint, 1 - from);
    joint->cutAt = local <= 1 ? from + local * (1 - from) : 2;
    if (joint->cutAt <= 1 && !joint->planned) {
      if (!BRINK_STEP_RESERVE(brink->step.spins.cuts, brink->step.spins.cutCount, brink->step.spins.cutCapacity)) {
        return false;
      }
      brink->step.spins.cuts[brink->step.spins.cutCount++] = number;
      joint->planned = true;
    }
  }
  return true;
}

/* At the start of a step. */
void dxBrinkForgetCuts(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.spins.cutCount; ++i) {
    brink->step.joints[brink->step.spins.cuts[i]].planned = false;
  }
  brink->step.spins.cutCount = 0;
}

/* The joint that is to be cut next; BRINK_NO_RECORD: none. */
uint32_t dxBrinkNextCutJoint(dBrinkID brink) {
  uint32_t first = BRINK_NO_RECORD;
  size_t kept = 0;
  for (size_t i = 0; i < brink->step.spins.cutCount; ++i) {
    uint32_t number = brink->step.spins.cuts[i];
    brinkStepJoint *joint = &brink->step.joints[number];
    if (joint->joint == NULL || joint->cutAt > 1) {
      joint->planned = false;
      continue;
    }
    brink->step.spins.cuts[kept++] = number;
    first = first == BRINK_NO_RECORD || joint->cutAt < brink->step.joints[first].cutAt ? number : first;
  }
  brink->step.spins.cutCount = kept;
  return first;
}

double dxBrinkNextCut(dBrinkID brink) {
  uint32_t joint = dxBrinkNextCutJoint(brink);
  return joint != BRINK_NO_RECORD ? brink->step.joints[joint].cutAt : 2;
}
