/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans cuts: times at which a jointed body that spins after an impact is solved again, before a joint opens too far.
 * They are planned for each joint whenever a motion changes, and taken in the order of time (turns.c). A chain that has
 * calmed down needs none. tau: part of the step, [0,1]. Units: rad. */
#include <math.h>

#include "step.h"

/* Does a rod between two bodies turn, though perhaps neither of them does? One between two places of the world never
 * does: a rod that turns has a body. */
static bool rodSpins(const brinkStepper *stepper, const brinkStepJoint *joint) {
  static const double still[3] = {0, 0, 0};
  const double *at[2], *v[2];
  for (int side = 0; side < 2; ++side) {
    const uint32_t body = joint->bodies[side];
    at[side] = body != BRINK_NO_RECORD ? stepper->hotData[body].position : joint->anchors[side];
    v[side] = body != BRINK_NO_RECORD ? at[side] + stepper->layout.linear : still;
  }
  return stepper->now.h * sqrt(brinkStepSquare3(v[0], v[1])) >
         BRINK_STEP_CALM_TURN * sqrt(brinkStepSquare3(at[0], at[1]));
}

/* Which bodies no longer count as struck? Spin wanders along a chain, so a chain is calm when all of it is. */
void brinkStepCalmDown(brinkStepper *stepper) {
  if (!stepper->spins.anyStruck) {
    return;
  }
  stepper->spins.anyStruck = false;
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    stepper->bodies[i].gap.spins = false;
  }
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[i];
    if (record->body != NULL && record->struck) {
      const double *w = stepper->hotData[i].position + stepper->layout.angular;
      bool spins = stepper->now.h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) > BRINK_STEP_CALM_TURN;
      stepper->bodies[record->chain].gap.spins = stepper->bodies[record->chain].gap.spins || spins;
    }
  }
  for (size_t i = 0; stepper->spins.rodCount > 0 && i < stepper->jointCount; ++i) {
    const brinkStepJoint *joint = &stepper->joints[i];
    if (joint->joint != NULL && joint->length > 0 && rodSpins(stepper, joint)) {
      const uint32_t body = joint->bodies[joint->bodies[0] == BRINK_NO_RECORD];
      stepper->bodies[stepper->bodies[body].chain].gap.spins = true;
    }
  }
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    brinkStepBody *record = &stepper->bodies[i];
    record->struck = record->body != NULL && record->struck && stepper->bodies[record->chain].gap.spins;
    stepper->spins.anyStruck = stepper->spins.anyStruck || record->struck;
  }
}

static double startOf(const brinkStepper *stepper, const brinkStepJoint *joint) {
  double from = 0;
  for (int side = 0; side < 2; ++side) {
    from = joint->bodies[side] != BRINK_NO_RECORD ? fmax(from, stepper->bodies[joint->bodies[side]].from) : from;
  }
  return from;
}

/* For the joints of these bodies, whose motions are new. */
bool brinkStepPlanCuts(brinkStepper *stepper, const uint32_t *numbers, size_t count) {
  if (!stepper->now.mayAsk || !stepper->spins.anyStruck || stepper->jointCount == 0) {
    return true;
  }
  if (!brinkStepListJointsOf(stepper, numbers, count)) {
    return false;
  }
  for (size_t i = 0; i < stepper->spins.openCount; ++i) {
    uint32_t number = stepper->spins.openJoints[i];
    brinkStepJoint *joint = &stepper->joints[number];
    double from = startOf(stepper, joint), local = brinkStepCutOfJoint(stepper, joint, 1 - from);
    joint->cutAt = local <= 1 ? from + local * (1 - from) : 2;
    if (joint->cutAt <= 1 && !joint->planned) {
      if (!BRINK_STEP_RESERVE(stepper->spins.cuts, stepper->spins.cutCount, stepper->spins.cutCapacity)) {
        return false;
      }
      stepper->spins.cuts[stepper->spins.cutCount++] = number;
      joint->planned = true;
    }
  }
  return true;
}

/* At the start of a step. */
void brinkStepForgetCuts(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->spins.cutCount; ++i) {
    stepper->joints[stepper->spins.cuts[i]].planned = false;
  }
  stepper->spins.cutCount = 0;
}

/* The joint that is to be cut next; BRINK_NO_RECORD: none. */
uint32_t brinkStepNextCutJoint(brinkStepper *stepper) {
  uint32_t first = BRINK_NO_RECORD;
  size_t kept = 0;
  for (size_t i = 0; i < stepper->spins.cutCount; ++i) {
    uint32_t number = stepper->spins.cuts[i];
    brinkStepJoint *joint = &stepper->joints[number];
    if (joint->joint == NULL || joint->cutAt > 1) {
      joint->planned = false;
      continue;
    }
    stepper->spins.cuts[kept++] = number;
    first = first == BRINK_NO_RECORD || joint->cutAt < stepper->joints[first].cutAt ? number : first;
  }
  stepper->spins.cutCount = kept;
  return first;
}

double brinkStepNextCut(brinkStepper *stepper) {
  uint32_t joint = brinkStepNextCutJoint(stepper);
  return joint != BRINK_NO_RECORD ? stepper->joints[joint].cutAt : 2;
}
