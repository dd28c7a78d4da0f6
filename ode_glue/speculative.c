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

#include "step.h"

/* ---- what was tried in this step */

static brinkStepAhead *findAhead(const dxBrink *brink, brinkStepPair pair) {
  for (size_t i = 0; i < brink->step.pairs.aheadCount; ++i) {
    if (memcmp(&brink->step.pairs.ahead[i].pair, &pair, sizeof(pair)) == 0) {
      return &brink->step.pairs.ahead[i];
    }
  }
  return NULL;
}

/* Of what was left of the step when the last change was made. */
static bool isEarly(dBrinkID brink, double tau) {
  return tau - brink->step.now.t < BRINK_STEP_LATE * (1 - brink->step.now.t);
}

/* A pair that was held back and touches late has arrived as meant. */
bool dxBrinkMayHoldBack(dBrinkID brink, const brinkStepImpact *impact) {
  const brinkStepAhead *ahead = findAhead(brink, impact->pair);
  return dxBrinkIsFirstTouch(brink, impact) &&
         (ahead == NULL || (!ahead->arrived && ahead->tries < BRINK_STEP_AGAIN && isEarly(brink, impact->contact.toi)));
}

bool dxBrinkHasArrived(dBrinkID brink, double tau) {
  for (size_t i = 0; i < brink->step.pairs.impactCount; ++i) {
    const brinkStepAhead *ahead = findAhead(brink, brink->step.pairs.impacts[i].pair);
    if (isEarly(brink, tau) || ahead == NULL || ahead->arrived ||
        !dxBrinkIsFirstTouch(brink, &brink->step.pairs.impacts[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < brink->step.pairs.impactCount; ++i) {
    findAhead(brink, brink->step.pairs.impacts[i].pair)->arrived = true;
  }
  return brink->step.pairs.impactCount > 0;
}

static bool countTries(dBrinkID brink, brinkStepPair pair, int tries) {
  brinkStepAhead *ahead = findAhead(brink, pair);
  if (ahead == NULL) {
    if (!BRINK_STEP_RESERVE(brink->step.pairs.ahead, brink->step.pairs.aheadCount, brink->step.pairs.aheadCapacity)) {
      return false;
    }
    ahead = &brink->step.pairs.ahead[brink->step.pairs.aheadCount++];
    *ahead = (brinkStepAhead){.pair = pair};
  }
  ahead->tries += tries;
  return true;
}

bool dxBrinkGiveUpHoldingBack(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.pairs.impactCount; ++i) {
    if (!countTries(brink, brink->step.pairs.impacts[i].pair, BRINK_STEP_AGAIN)) {
      return false;
    }
  }
  return true;
}

/* ---- does the program want the pair at all? */

/* Asks near at the impact pose and switches off what it made there, which is not for this solve: what is not listed. */
static bool askProgram(dBrinkID brink, brinkStepImpact *impact) {
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, impact->pair.a), bodyB = dxBrinkBodyOfGeom(brink, impact->pair.b);
  dBodyID body = bodyA != NULL ? bodyA : bodyB;
  dxBrinkImpactPair(brink, impact);
  if (dxBrinkWorldChanged(brink)) {
    return false;
  }
  int count = dBodyGetNumJoints(body);
  for (int i = 0; impact->wanted && i < count; ++i) {
    dJointID joint = dBodyGetJoint(body, i);
    bool listed = dJointGetType(joint) != dJointTypeContact || !dJointIsEnabled(joint);
    for (size_t k = brink->contacts.firstStale; k < brink->contacts.disabledCount && !listed; ++k) {
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
static bool describeContact(dBrinkID brink, const brinkStepImpact *impact, double tau, double back, dContact *contact) {
  const dxBrinkGeom *geoms[2] = {&brink->geoms[impact->pair.a], &brink->geoms[impact->pair.b]};
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
    const brinkStepBody *record = geoms[side]->body == BRINK_NO_RECORD ? NULL : &brink->step.bodies[geoms[side]->body];
    brinkStepState first;
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
static bool solveAgainFrom(dBrinkID brink, double back) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    if (!dxBrinkWake(brink, brink->step.island.gathered[i])) {
      return false;
    }
  }
  brink->step.now.tau = back;
  if (!dxBrinkPoseGathered(brink)) {
    return false;
  }
  for (size_t i = 0; back == 0 && i < brink->step.island.gatheredCount; ++i) { /* what led into the step is known */
    brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    record->next = record->start;
    dxBrinkWriteState(record->body, &record->next);
  }
  return dxBrinkSolveGathered(brink, back, back == 0);
}

/* dropped: the program wants none of the pairs, or one does not approach at its point of impact; nothing has changed.
 * Held back: the bodies' motion is another one from brink->step.now.t on. */
dxBrinkOutcome dxBrinkHoldBack(dBrinkID brink, double tau) {
  bool anyWanted = false;
  dContact contact;
  if (!dxBrinkGatherStruck(brink, true) || !dxBrinkBeginChange(brink, tau)) {
    return dxBrinkOutcomeFailed;
  }
  const double back =
      brink->step.now.t; /* of the last change: from there on every motion is the one that is known now */
  for (size_t i = 0; i < brink->step.pairs.impactCount; ++i) {
    if (!describeContact(brink, &brink->step.pairs.impacts[i], tau, back, &contact)) {
      dxBrinkAbortChange(brink);
      return dxBrinkOutcomeDropped;
    }
  }
  for (size_t i = 0; i < brink->step.pairs.impactCount; ++i) {
    brinkStepImpact *impact = &brink->step.pairs.impacts[i];
    if (!askProgram(brink, impact) ||
        (impact->wanted ? !countTries(brink, impact->pair, 1) : !dxBrinkDropPair(brink, impact->pair))) {
      return dxBrinkOutcomeFailed;
    }
    anyWanted = anyWanted || impact->wanted;
    if (impact->wanted && describeContact(brink, impact, tau, back, &contact)) {
      dJointAttach(dJointCreateContact(brink->world, brink->contacts.ownGroup, &contact),
                   dxBrinkBodyOfGeom(brink, impact->pair.a), dxBrinkBodyOfGeom(brink, impact->pair.b));
    }
  }
  if (dxBrinkWorldChanged(brink)) {
    return dxBrinkOutcomeFailed;
  }
  brink->contacts.firstStale =
      brink->contacts.disabledCount; /* those that the program made just now stay off, those of before stay on */
  dxBrinkAbortChange(brink);
  if (!anyWanted) {
    return dxBrinkOutcomeDropped;
  }
  if (!dxBrinkGatherStruck(brink, true)) {
    return dxBrinkOutcomeFailed;
  }
  return solveAgainFrom(brink, back) ? dxBrinkOutcomeHeldBack : dxBrinkOutcomeFailed;
}
