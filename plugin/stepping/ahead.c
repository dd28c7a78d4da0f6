/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode speculative: a speculative contact, made ahead of the impact, holds a body back in one solve.
 * The struck island goes back to the segment's start, gets a contact that allows it to close the gap and no more, and
 * the whole segment is solved again: no pose is set to an impact, no bounce and no friction acts in mid-air. In the
 * next step the bodies touch, slower, and collide as ever. The prediction is of first order: Brink asks about the new
 * motion, and what still comes to an impact is predicted once more, then advanced or clamped (step.c).
 *
 * Based on: measurements of ODE 0.16.2 (docs/ode.md). A contact row is J v >= apart + push-out, so an approach of v < 0
 * that would close the gap in a part s of the solve is kept by apart = s v. No depth, bounce or friction: they would
 * act before the bodies arrive. The place of the contact, seen from each body, is that of the impact. Units: m, s. */
#include <string.h>

#include "step.h"

/* ---- what was tried in this step */

static brinkStepAhead *findAhead(const brinkStepper *stepper, brinkStepPair pair) {
  for (size_t i = 0; i < stepper->pairs.aheadCount; ++i) {
    if (memcmp(&stepper->pairs.ahead[i].pair, &pair, sizeof(pair)) == 0) {
      return &stepper->pairs.ahead[i];
    }
  }
  return NULL;
}

/* Of what was left of the step when the last change was made. */
static bool isEarly(const brinkStepper *stepper, double tau) {
  return tau - stepper->now.t < BRINK_STEP_LATE * (1 - stepper->now.t);
}

/* A pair that was held back and touches late in the step has arrived as meant: it is not held back again. */
bool brinkStepMayHoldBack(const brinkStepper *stepper, const brinkStepImpact *impact) {
  const brinkStepAhead *ahead = findAhead(stepper, impact->pair);
  return brinkStepIsFirstTouch(stepper, impact) &&
         (ahead == NULL ||
          (!ahead->arrived && ahead->tries < BRINK_STEP_AGAIN && isEarly(stepper, impact->contact.toi)));
}

bool brinkStepHasArrived(brinkStepper *stepper, double tau) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkStepAhead *ahead = findAhead(stepper, stepper->pairs.impacts[i].pair);
    if (isEarly(stepper, tau) || ahead == NULL || ahead->arrived ||
        !brinkStepIsFirstTouch(stepper, &stepper->pairs.impacts[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    findAhead(stepper, stepper->pairs.impacts[i].pair)->arrived = true;
  }
  return stepper->pairs.impactCount > 0;
}

static bool countTries(brinkStepper *stepper, brinkStepPair pair, int tries) {
  brinkStepAhead *ahead = findAhead(stepper, pair);
  if (ahead == NULL) {
    if (!BRINK_STEP_RESERVE(stepper->pairs.ahead, stepper->pairs.aheadCount, stepper->pairs.aheadCapacity)) {
      return false;
    }
    ahead = &stepper->pairs.ahead[stepper->pairs.aheadCount++];
    *ahead = (brinkStepAhead){.pair = pair};
  }
  ahead->tries += tries;
  return true;
}

bool brinkStepGiveUpHoldingBack(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (!countTries(stepper, stepper->pairs.impacts[i].pair, BRINK_STEP_AGAIN)) {
      return false;
    }
  }
  return true;
}

/* ---- the contact */

/* tau: of the impact; back: where the bodies will be solved again from. False: they do not approach there. */
static bool describeContact(brinkStepper *stepper, const brinkStepImpact *impact, double tau, double back,
                            brinkStepContact *contact) {
  const uint32_t bodies[2] = {stepper->colliders[impact->pair.a].body, stepper->colliders[impact->pair.b].body};
  const double *a = &impact->contact.pointA.x, *b = &impact->contact.pointB.x;
  double place[3], intoA[3], start[3] = {0, 0, 0}, approach = 0;
  int movers = 0;
  *contact = (brinkStepContact){.pair = impact->pair};
  for (int i = 0; i < 3; ++i) {
    place[i] = (a[i] + b[i]) / 2;
    contact->normal[i] = impact->normal[i];
    intoA[i] = -impact->normal[i];
  }
  for (int side = 0; side < 2; ++side) {
    const brinkStepBody *record = bodies[side] == BRINK_NO_RECORD ? NULL : &stepper->bodies[bodies[side]];
    brinkStepState first;
    if (record == NULL || !record->moves) {
      continue;
    }
    if (!brinkStepStateAt(stepper, record, back, &first)) {
      return false;
    }
    const double *x = record->next.position;
    const double arm[3] = {place[0] - x[0], place[1] - x[1], place[2] - x[2]};
    double speed = brinkStepPointSpeed(&record->end, arm, intoA); /* as last solved */
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
    contact->point[i] = place[i] + start[i] / movers;
  }
  contact->apart = (tau - back) / (1 - back) * approach;
  return true;
}

/* ---- the response */

/* The gathered bodies go back there, with the velocities that led into it, and are solved again. */
static bool solveAgainFrom(brinkStepper *stepper, double back) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    if (!brinkStepWake(stepper, stepper->island.gathered[i])) {
      return false;
    }
  }
  stepper->now.tau = back;
  if (!brinkStepPoseGathered(stepper)) {
    return false;
  }
  for (size_t i = 0; back == 0 && i < stepper->island.gatheredCount; ++i) { /* what led into the step is known */
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    record->next = record->start;
    stepper->host->writeState(stepper->user, stepper->island.gathered[i], &record->next);
  }
  return brinkStepSolveGathered(stepper, back, back == 0);
}

/* Does its solve take the place of the step's own, and end at edges? That would count twice what the step's own has
 * given them. */
static bool wouldCountTwice(const brinkStepper *stepper) {
  return stepper->now.t == 0 && stepper->island.edgeCount > 0;
}

/* dropped: the program wants none of the pairs, or one does not approach at its point of impact, or more bodies hang
 * together than an island takes; nothing has changed. Held back: the bodies' motion is another one from stepper->now.t
 * on. */
brinkStepOutcome brinkStepHoldBack(brinkStepper *stepper, double tau) {
  bool anyWanted = false;
  brinkStepContact contact;
  if (!brinkStepGatherStruck(stepper, true)) {
    return brinkStepOutcomeFailed;
  }
  if (wouldCountTwice(stepper)) {
    return brinkStepOutcomeDropped;
  }
  if (!brinkStepBeginChange(stepper, tau)) {
    return brinkStepOutcomeFailed;
  }
  const double back = stepper->now.t; /* of the last change: from there on every motion is the one that is known now */
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (!describeContact(stepper, &stepper->pairs.impacts[i], tau, back, &contact)) {
      brinkStepAbortChange(stepper);
      return brinkStepOutcomeDropped;
    }
  }
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    brinkStepImpact *impact = &stepper->pairs.impacts[i];
    brinkStepAskContacts(stepper, impact);
    /* What the program made there is not for this solve. */
    if (stepper->host->looksChanged(stepper->user, NULL, 0) ||
        (impact->wanted && !stepper->host->putAsideNew(stepper->user, impact->pair)) ||
        (impact->wanted || impact->moved
             ? !countTries(stepper, impact->pair, impact->wanted ? 1 : BRINK_STEP_AGAIN) /* moved: advanced */
             : !brinkStepDropPair(stepper, impact->pair))) {
      return brinkStepOutcomeFailed;
    }
    anyWanted = anyWanted || impact->wanted;
    if (impact->wanted && describeContact(stepper, impact, tau, back, &contact)) {
      stepper->host->addContact(stepper->user, &contact);
    }
  }
  if (stepper->host->looksChanged(stepper->user, NULL, 0)) {
    return brinkStepOutcomeFailed;
  }
  brinkStepUnpose(stepper, true); /* what the program made just now stays off, what was there before stays on */
  if (!anyWanted) {
    return brinkStepOutcomeDropped;
  }
  if (!brinkStepGatherStruck(stepper, true)) {
    return brinkStepOutcomeFailed;
  }
  return solveAgainFrom(stepper, back) ? brinkStepOutcomeHeldBack : brinkStepOutcomeFailed;
}
