/* SPDX-License-Identifier: BSD-3-Clause */
/* Is the rest of the step too long for a jointed body that spins after an impact?
 * A limb that is struck off its centre may turn by many radians in what is left of the step, and in the steps after it.
 * ODE's solver keeps joints to first order only, so such a turn pulls them apart by the length of the limb. The segment
 * is therefore cut where the first joint would have opened by a fifth of its arm: the islands of the bodies that pull
 * are posed there, their contacts made anew, and the rest is solved again, as at an impact at which nothing is struck.
 * Only bodies that an impact has changed, from then on as long as they spin, and only where the solve does pull at a
 * joint: a wheel's does not. A few cuts in a step, then the rest goes as it is. What a cut leaves open joint_gaps.c
 * closes.
 *
 * local: time in the segment, tau: in the step, [0,1]. Units: rad, m. */
#include <math.h>
#include <string.h>

#include "step.h"

/* The island of the joint that is cut next. */
static bool gatherPulling(dBrinkID brink) {
  const brinkStepJoint *joint = &brink->step.joints[dxBrinkNextCutJoint(brink)];
  dxBrinkBeginGathering(brink);
  for (int side = 0; side < 2; ++side) {
    uint32_t number = joint->bodies[side];
    if (number != BRINK_NO_RECORD && brink->step.bodies[number].dynamic && !dxBrinkGather(brink, number)) {
      return false;
    }
  }
  return dxBrinkSpread(brink, true);
}

/* Pairs that touch at the cut are asked for as struck ones are: what ODE's colliders cannot see over a hair's gap would
 * impact again at once. */
static bool contactsAt(dBrinkID brink) {
  size_t kept = 0;
  brink->step.pairs.impactCount = 0;
  for (size_t i = 0; i < brink->step.pairs.nearCount; ++i) {
    brinkStepPair pair = brink->step.pairs.nearPairs[i];
    uint32_t bodyA = brink->geoms[pair.a].body, bodyB = brink->geoms[pair.b].body;
    bool ours = (dxBrinkIsGathered(brink, bodyA) || bodyA == BRINK_NO_RECORD) &&
                (dxBrinkIsGathered(brink, bodyB) || bodyB == BRINK_NO_RECORD);
    brinkContact now;
    bool touches =
        ours &&
        brink->shapes.plugin->distance(brink->shapes.world, brink->geoms[pair.a].collider,
                                       brink->geoms[pair.b].collider, brink->step.now.tau, &now) == brink_ok &&
        now.distance <= BRINK_STEP_TOUCHING * dxBrinkPairAllowance(brink, pair);
    if (!touches) {
      brink->step.pairs.nearPairs[kept++] = pair;
      continue;
    }
    if (!BRINK_STEP_RESERVE(brink->step.pairs.impacts, brink->step.pairs.impactCount,
                            brink->step.pairs.impactCapacity)) {
      return false;
    }
    brinkStepImpact *impact = &brink->step.pairs.impacts[brink->step.pairs.impactCount++];
    *impact = (brinkStepImpact){.pair = pair, .contact = now, .wanted = true};
    memcpy(impact->normal, &now.normal, sizeof(impact->normal));
  }
  brink->step.pairs.nearCount = kept;
  return true;
}

/* At dxBrinkNextCut. */
bool dxBrinkCutTurns(dBrinkID brink, double tau) {
  brink->step.pairs.impactCount = 0;
  if (!gatherPulling(brink) || !dxBrinkBeginChange(brink, tau)) {
    return false;
  }
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    brink->step.bodies[brink->step.island.gathered[i]].gap.cuts++;
  }
  dxBrinkDisableStaleContacts(brink, brink->contacts.firstStale);
  if (!contactsAt(brink)) {
    return false;
  }
  for (size_t i = 0; i < brink->step.pairs.impactCount; ++i) {
    dxBrinkImpactPair(brink, &brink->step.pairs.impacts[i]);
    if (brink->step.worldChanged) {
      return false;
    }
  }
  brink->step.pairs.impactCount = 0;
  double impacts = brink->step.now.bodySolves;
  bool solved = dxBrinkCommitChange(brink, true);
  brink->step.now.bodySolves = impacts; /* cuts have a limit of their own */
  return solved;
}
