/* SPDX-License-Identifier: BSD-3-Clause */
/* When is what spins after an impact to be solved again? Cuts are planned for each joint whenever a motion changes, and
 * taken in the order of time (turns.c). Who is calm again needs none. tau: part of the step, [0,1]. Units: rad. */
#include <math.h>

#include "stepper.h"

/* Spin wanders along a chain: it is calm when all of it is. */
void dxBrinkCalmDown(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  if (!brink->spins.anyStruck) {
    return;
  }
  brink->spins.anyStruck = false;
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->bodies[i].gap.spins = false;
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[i];
    if (record->body != NULL && record->struck) {
      const dReal *w = dBodyGetAngularVel(record->body);
      bool spins = run->h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) > BRINK_STEP_CALM_TURN;
      brink->bodies[record->chain].gap.spins = brink->bodies[record->chain].gap.spins || spins;
    }
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    record->struck = record->body != NULL && record->struck && brink->bodies[record->chain].gap.spins;
    brink->spins.anyStruck = brink->spins.anyStruck || record->struck;
  }
}

static double startOf(const dxBrink *brink, const dxBrinkJoint *joint) {
  double from = 0;
  for (int side = 0; side < 2; ++side) {
    from = joint->bodies[side] != BRINK_NO_RECORD ? fmax(from, brink->bodies[joint->bodies[side]].from) : from;
  }
  return from;
}

/* For the joints of these bodies, whose motions are new. */
bool dxBrinkPlanCuts(dxBrinkRun *run, const uint32_t *numbers, size_t count) {
  dBrinkID brink = run->brink;
  if (run->near == NULL || !brink->spins.anyStruck || brink->jointCount == 0) {
    return true;
  }
  if (!dxBrinkListJointsOf(brink, numbers, count)) {
    return false;
  }
  for (size_t i = 0; i < brink->spins.openCount; ++i) {
    uint32_t number = brink->spins.openJoints[i];
    dxBrinkJoint *joint = &brink->joints[number];
    double from = startOf(brink, joint), local = dxBrinkCutOfJoint(brink, joint, 1 - from);
    joint->cutAt = local <= 1 ? from + local * (1 - from) : 2;
    if (joint->cutAt <= 1 && !joint->planned) {
      if (!DX_BRINK_RESERVE(brink->spins.cuts, brink->spins.cutCount, brink->spins.cutCapacity)) {
        return false;
      }
      brink->spins.cuts[brink->spins.cutCount++] = number;
      joint->planned = true;
    }
  }
  return true;
}

/* At the start of a step. */
void dxBrinkForgetCuts(dBrinkID brink) {
  for (size_t i = 0; i < brink->spins.cutCount; ++i) {
    brink->joints[brink->spins.cuts[i]].planned = false;
  }
  brink->spins.cutCount = 0;
}

/* The joint that is to be cut next; BRINK_NO_RECORD: none. */
uint32_t dxBrinkNextCutJoint(dBrinkID brink) {
  uint32_t first = BRINK_NO_RECORD;
  size_t kept = 0;
  for (size_t i = 0; i < brink->spins.cutCount; ++i) {
    uint32_t number = brink->spins.cuts[i];
    dxBrinkJoint *joint = &brink->joints[number];
    if (joint->joint == NULL || joint->cutAt > 1) {
      joint->planned = false;
      continue;
    }
    brink->spins.cuts[kept++] = number;
    first = first == BRINK_NO_RECORD || joint->cutAt < brink->joints[first].cutAt ? number : first;
  }
  brink->spins.cutCount = kept;
  return first;
}

double dxBrinkNextCut(dBrinkID brink) {
  uint32_t joint = dxBrinkNextCutJoint(brink);
  return joint != BRINK_NO_RECORD ? brink->joints[joint].cutAt : 2;
}
