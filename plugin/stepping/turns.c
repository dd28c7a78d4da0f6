/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts: the rest of the step is solved again in the middle of a turn that would pull joints apart (planned in cuts.c).
 * A limb that is struck off its centre may turn by many radians in what is left of the step, and in the steps after it.
 * An engine's solver keeps joints to first order only, so such a turn pulls them apart by the length of the limb. The
 * segment is therefore cut where the first joint would have opened by a fifth of its arm: the islands of the bodies
 * that pull are posed there, their contacts made anew, and the rest is solved again, as at an impact at which nothing
 * is struck. Only bodies that an impact has changed, from then on as long as they spin, and only where the solve does
 * pull at a joint: a wheel's does not. A few cuts in a step, then the rest goes as it is. What a cut leaves open
 * joint_gaps.c closes.
 *
 * local: time in the segment, tau: in the step, [0,1]. Units: rad, m. */
#include <string.h>

#include "step.h"

/* Gathers the island of a joint that is cut. */
static bool gatherPulling(brinkStepper *stepper, const brinkStepJoint *joint) {
  brinkStepBeginGathering(stepper);
  for (int side = 0; side < 2; ++side) {
    uint32_t number = joint->bodies[side];
    if (number != BRINK_NO_RECORD && stepper->bodies[number].dynamic && !brinkStepGather(stepper, number)) {
      return false;
    }
  }
  return brinkStepSpread(stepper, true);
}

/* Pairs that touch at the cut are asked for as struck ones are: what the engine's colliders cannot see over a hair's
 * gap would impact again at once. */
static bool contactsAt(brinkStepper *stepper) {
  size_t kept = 0;
  stepper->pairs.impactCount = 0;
  for (size_t i = 0; i < stepper->pairs.nearCount; ++i) {
    brinkStepPair pair = stepper->pairs.nearPairs[i];
    uint32_t bodyA = stepper->colliders[pair.a].body, bodyB = stepper->colliders[pair.b].body;
    bool ours = (brinkStepIsGathered(stepper, bodyA) || bodyA == BRINK_NO_RECORD) &&
                (brinkStepIsGathered(stepper, bodyB) || bodyB == BRINK_NO_RECORD);
    const double near = BRINK_STEP_TOUCHING * brinkStepPairAllowance(stepper, pair);
    brinkContact now;
    bool touches = ours &&
                   stepper->steps->distanceBelow(stepper->world, stepper->colliders[pair.a].collider,
                                                 stepper->colliders[pair.b].collider, stepper->now.tau, 2 * near,
                                                 &now) == brink_ok &&
                   now.distance <= near;
    if (!touches) {
      stepper->pairs.nearPairs[kept++] = pair;
      continue;
    }
    if (!BRINK_STEP_RESERVE(stepper->pairs.impacts, stepper->pairs.impactCount, stepper->pairs.impactCapacity)) {
      return false;
    }
    brinkStepImpact *impact = &stepper->pairs.impacts[stepper->pairs.impactCount++];
    *impact = (brinkStepImpact){.pair = pair, .contact = now, .wanted = true};
    memcpy(impact->normal, &now.normal, sizeof(impact->normal));
  }
  stepper->pairs.nearCount = kept;
  return true;
}

/* The gathered bodies go to their poses of tau, where the program makes their contacts. */
static bool beginCut(brinkStepper *stepper, double tau) {
  if (!brinkStepBeginChange(stepper, tau)) {
    return false;
  }
  stepper->host->putAside(stepper->user);
  if (!contactsAt(stepper)) {
    return false;
  }
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    brinkStepAskContacts(stepper, &stepper->pairs.impacts[i]);
    if (stepper->worldChanged) {
      return false;
    }
  }
  stepper->pairs.impactCount = 0;
  return true;
}

static void countCut(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    stepper->bodies[stepper->island.gathered[i]].gap.cuts++;
  }
}

/* The world may have changed since its bodies were last seen. */
static bool bodiesAreThere(brinkStepper *stepper, const brinkStepJoint *joint) {
  return !stepper->host->looksChanged(stepper->user, joint->bodies, 2);
}

static bool cutAndSolve(brinkStepper *stepper, const brinkStepJoint *joint, double tau) {
  if (!bodiesAreThere(stepper, joint) || !gatherPulling(stepper, joint)) {
    return false;
  }
  countCut(stepper);
  return beginCut(stepper, tau) && brinkStepCommitChange(stepper, true);
}

/* Carries out the next cut, at tau. */
bool brinkStepCutTurns(brinkStepper *stepper, double tau) {
  brinkStepJoint *joint = &stepper->joints[brinkStepNextCutJoint(stepper)];
  const double impacts = stepper->now.bodySolves;
  joint->cutAt = 2; /* it is planned anew with the new motions, if the program has not destroyed it by then */
  stepper->pairs.impactCount = 0;
  const bool solved = cutAndSolve(stepper, joint, tau);
  stepper->now.bodySolves = impacts; /* cuts have a limit of their own */
  return solved;
}
