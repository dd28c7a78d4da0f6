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

#include "stepper.h"

/* The island of the joint that is cut next. */
static bool gatherPulling(dBrinkID brink) {
  const dxBrinkJoint *joint = &brink->joints[dxBrinkNextCutJoint(brink)];
  dxBrinkBeginGathering(brink);
  for (int side = 0; side < 2; ++side) {
    uint32_t number = joint->bodies[side];
    if (number != BRINK_NO_RECORD && brink->bodies[number].dynamic && !dxBrinkGather(brink, number)) {
      return false;
    }
  }
  return dxBrinkSpread(brink, true);
}

/* Do the two lie this near at the cut? A search that ends at the distance costs far less than one for the distance. */
static bool liesWithin(const dxBrinkRun *run, dxBrinkPair pair, double distance) {
  const dxBrink *brink = run->brink;
  const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
  brinkContactPoint point;
  size_t count = 0;
  return dxBrinkBoxesWithin(a->geom, b->geom, distance) &&
         (brink->shapes.plugin->collide(brink->shapes.world, a->collider, b->collider, run->tau, distance, &point, 1,
                                        &count) != brink_ok ||
          count > 0);
}

/* Pairs that touch at the cut are asked for as struck ones are: what ODE's colliders cannot see over a hair's gap would
 * impact again at once. */
static bool contactsAt(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  size_t kept = 0;
  brink->pairs.impactCount = 0;
  for (size_t i = 0; i < brink->pairs.nearCount; ++i) {
    dxBrinkPair pair = brink->pairs.nearPairs[i];
    uint32_t bodyA = brink->geoms[pair.geomA].body, bodyB = brink->geoms[pair.geomB].body;
    bool ours = (dxBrinkIsGathered(brink, bodyA) || bodyA == BRINK_NO_RECORD) &&
                (dxBrinkIsGathered(brink, bodyB) || bodyB == BRINK_NO_RECORD);
    const double near = BRINK_STEP_TOUCHING * dxBrinkPairAllowance(brink, pair);
    brinkContact now;
    bool touches = ours && liesWithin(run, pair, near) &&
                   brink->shapes.plugin->distance(brink->shapes.world, brink->geoms[pair.geomA].collider,
                                                  brink->geoms[pair.geomB].collider, run->tau, &now) == brink_ok &&
                   now.distance <= near;
    if (!touches) {
      brink->pairs.nearPairs[kept++] = pair;
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->pairs.impacts, brink->pairs.impactCount, brink->pairs.impactCapacity)) {
      return false;
    }
    dxBrinkImpact *impact = &brink->pairs.impacts[brink->pairs.impactCount++];
    *impact = (dxBrinkImpact){.pair = pair, .contact = now, .wanted = true};
    memcpy(impact->normal, &now.normal, sizeof(impact->normal));
  }
  brink->pairs.nearCount = kept;
  return true;
}

/* At dxBrinkNextCut. */
bool dxBrinkCutTurns(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  brink->pairs.impactCount = 0;
  if (!gatherPulling(brink) || !dxBrinkBeginChange(run, tau)) {
    return false;
  }
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    brink->bodies[brink->island.gathered[i]].gap.cuts++;
  }
  dxBrinkDisableStaleContacts(brink, run->firstStale);
  if (!contactsAt(run)) {
    return false;
  }
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    dxBrinkImpactPair(run, &brink->pairs.impacts[i]);
    if (brink->contacts.worldChanged) {
      return false;
    }
  }
  brink->pairs.impactCount = 0;
  double impacts = run->bodySolves;
  bool solved = dxBrinkCommitChange(run, true);
  run->bodySolves = impacts; /* cuts have a limit of their own */
  return solved;
}
