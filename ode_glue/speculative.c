/* SPDX-License-Identifier: BSD-3-Clause */
/* Can a contact made ahead of the impact hold a body back in one solve?
 * The struck island goes back to the segment's start, gets a contact that allows it to close the gap and no more, and
 * the whole segment is solved again: no pose is set to an impact, no bounce and no friction acts in mid-air. In the
 * next step the bodies touch, slower, and collide as ever. The prediction is of first order: Brink asks about the new
 * motion, and what still comes to an impact is predicted once more, then advanced or clamped (stepper.c).
 *
 * Based on: measurements of ODE 0.16.2 (docs/ode.md). A contact row is J v >= motionN + push-out, normals point into
 * the first geom, so an approach of v < 0 that would close the gap in a part s of the solve is kept by motionN = s v.
 * Only dContactMotionN: ODE clips a negative depth to 0, bounce and friction act before the bodies arrive, soft_cfm
 * lets them through. The place of the contact, seen from each body, is that of the impact. Units: m, s. */
#include <string.h>

#include "stepper.h"

/* ---- what was tried in this step */

static dxBrinkAhead *findAhead(const dxBrink *brink, dxBrinkPair pair) {
  for (size_t i = 0; i < brink->pairs.aheadCount; ++i) {
    if (memcmp(&brink->pairs.ahead[i].pair, &pair, sizeof(pair)) == 0) {
      return &brink->pairs.ahead[i];
    }
  }
  return NULL;
}

/* Of what was left of the step when the last change was made. */
static bool isEarly(const dxBrinkRun *run, double tau) { return tau - run->t < BRINK_STEP_LATE * (1 - run->t); }

/* A pair that was held back and touches late has arrived as meant. */
bool dxBrinkMayHoldBack(const dxBrinkRun *run, const dxBrinkImpact *impact) {
  const dxBrinkAhead *ahead = findAhead(run->brink, impact->pair);
  return dxBrinkIsFirstTouch(run->brink, impact) &&
         (ahead == NULL || (!ahead->arrived && ahead->tries < BRINK_STEP_AGAIN && isEarly(run, impact->contact.toi)));
}

bool dxBrinkHasArrived(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    const dxBrinkAhead *ahead = findAhead(brink, brink->pairs.impacts[i].pair);
    if (isEarly(run, tau) || ahead == NULL || ahead->arrived || !dxBrinkIsFirstTouch(brink, &brink->pairs.impacts[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    findAhead(brink, brink->pairs.impacts[i].pair)->arrived = true;
  }
  return brink->pairs.impactCount > 0;
}

static bool countTries(dBrinkID brink, dxBrinkPair pair, int tries) {
  dxBrinkAhead *ahead = findAhead(brink, pair);
  if (ahead == NULL) {
    if (!DX_BRINK_RESERVE(brink->pairs.ahead, brink->pairs.aheadCount, brink->pairs.aheadCapacity)) {
      return false;
    }
    ahead = &brink->pairs.ahead[brink->pairs.aheadCount++];
    *ahead = (dxBrinkAhead){.pair = pair};
  }
  ahead->tries += tries;
  return true;
}

bool dxBrinkGiveUpHoldingBack(dBrinkID brink) {
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    if (!countTries(brink, brink->pairs.impacts[i].pair, BRINK_STEP_AGAIN)) {
      return false;
    }
  }
  return true;
}

/* ---- does the program want the pair at all? */

/* Asks near at the impact pose and switches off what it made there, which is not for this solve: what is not listed. */
static bool askProgram(dxBrinkRun *run, dxBrinkImpact *impact) {
  dBrinkID brink = run->brink;
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, impact->pair.geomA), bodyB = dxBrinkBodyOfGeom(brink, impact->pair.geomB);
  dBodyID body = bodyA != NULL ? bodyA : bodyB;
  dxBrinkImpactPair(run, impact);
  if (dxBrinkWorldChanged(brink)) {
    return false;
  }
  int count = dBodyGetNumJoints(body);
  for (int i = 0; impact->wanted && i < count; ++i) {
    dJointID joint = dBodyGetJoint(body, i);
    bool listed = dJointGetType(joint) != dJointTypeContact || !dJointIsEnabled(joint);
    for (size_t k = run->firstStale; k < brink->contacts.disabledCount && !listed; ++k) {
      listed = brink->contacts.disabledJoints[k] == joint;
    }
    if (!listed && !dxBrinkPutAside(brink, joint)) {
      return false;
    }
  }
  return true;
}

/* ---- the contact */

/* tau: of the impact; back: where the bodies will be solved again from. False: they do not approach there. */
static bool describeContact(dBrinkID brink, const dxBrinkImpact *impact, double tau, double back, dContact *contact) {
  const dxBrinkGeom *geoms[2] = {&brink->geoms[impact->pair.geomA], &brink->geoms[impact->pair.geomB]};
  const double *a = &impact->contact.pointA.x, *b = &impact->contact.pointB.x;
  double place[3], start[3] = {0, 0, 0}, approach = 0;
  int movers = 0;
  *contact = (dContact){.surface = {.mode = dContactMotionN}};
  contact->geom = (dContactGeom){.g1 = geoms[0]->geom, .g2 = geoms[1]->geom, .side1 = -1, .side2 = -1};
  for (int i = 0; i < 3; ++i) {
    place[i] = (a[i] + b[i]) / 2;
    contact->geom.normal[i] = -impact->normal[i];
  }
  for (int side = 0; side < 2; ++side) {
    const dxBrinkBody *record = geoms[side]->body == BRINK_NO_RECORD ? NULL : &brink->bodies[geoms[side]->body];
    dxBrinkState first;
    if (record == NULL || !record->moves) {
      continue;
    }
    if (!dxBrinkStateAt(brink, record, back, &first)) {
      return false;
    }
    const dReal *x = record->next.position;
    const double arm[3] = {place[0] - x[0], place[1] - x[1], place[2] - x[2]};
    double speed = dxBrinkPointSpeed(&record->end, arm, contact->geom.normal); /* as last solved */
    approach += side == 0 ? speed : -speed;
    movers++;
    for (int i = 0; i < 3; ++i) {
      start[i] += first.position[i] - record->next.position[i];
    }
  }
  if (!(approach < 0)) {
    return false;
  }
  for (int i = 0; i < 3; ++i) {
    contact->geom.pos[i] = place[i] + start[i] / movers;
  }
  contact->surface.motionN = (tau - back) / (1 - back) * approach;
  return true;
}

/* ---- the response */

/* The gathered bodies go back there, with the velocities that led into it, and are solved again. */
static bool solveAgainFrom(dxBrinkRun *run, double back) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    if (!dxBrinkWake(run, brink->island.gathered[i])) {
      return false;
    }
  }
  run->tau = back;
  if (!dxBrinkPoseGathered(run)) {
    return false;
  }
  for (size_t i = 0; back == 0 && i < brink->island.gatheredCount; ++i) { /* what led into the step is known */
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    record->next = record->start;
    dxBrinkWriteState(record->body, &record->next);
  }
  return dxBrinkSolveGathered(run, back, back == 0);
}

/* dropped: the program wants none of the pairs, or one does not approach at its point of impact; nothing has changed.
 * Held back: the bodies' motion is another one from run->t on. */
dxBrinkOutcome dxBrinkHoldBack(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  bool anyWanted = false;
  dContact contact;
  if (!dxBrinkGatherStruck(brink, true) || !dxBrinkBeginChange(run, tau)) {
    return dxBrinkOutcomeFailed;
  }
  const double back = run->t; /* of the last change: from there on every motion is the one that is known now */
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    if (!describeContact(brink, &brink->pairs.impacts[i], tau, back, &contact)) {
      dxBrinkAbortChange(run);
      return dxBrinkOutcomeDropped;
    }
  }
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    dxBrinkImpact *impact = &brink->pairs.impacts[i];
    if (!askProgram(run, impact) ||
        (impact->wanted ? !countTries(brink, impact->pair, 1) : !dxBrinkDropPair(brink, impact->pair))) {
      return dxBrinkOutcomeFailed;
    }
    anyWanted = anyWanted || impact->wanted;
    if (impact->wanted && describeContact(brink, impact, tau, back, &contact)) {
      dJointAttach(dJointCreateContact(brink->world, brink->contacts.ownGroup, &contact),
                   dxBrinkBodyOfGeom(brink, impact->pair.geomA), dxBrinkBodyOfGeom(brink, impact->pair.geomB));
    }
  }
  if (dxBrinkWorldChanged(brink)) {
    return dxBrinkOutcomeFailed;
  }
  run->firstStale =
      brink->contacts.disabledCount; /* those that the program made just now stay off, those of before stay on */
  dxBrinkAbortChange(run);
  if (!anyWanted) {
    return dxBrinkOutcomeDropped;
  }
  if (!dxBrinkGatherStruck(brink, true)) {
    return dxBrinkOutcomeFailed;
  }
  return solveAgainFrom(run, back) ? dxBrinkOutcomeHeldBack : dxBrinkOutcomeFailed;
}
