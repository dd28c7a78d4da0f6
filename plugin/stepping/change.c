/* SPDX-License-Identifier: BSD-3-Clause */
/* How does the motion of an island change in the middle of a step?
 * As one transaction, which impacts, cuts (turns.c) and speculative contacts (ahead.c) all use. It begins with the
 * island posed at tau, where the program is asked for contacts. Committed, old contacts are put aside, the engine
 * solves [tau, 1] for this island alone, and the result is the island's motion from tau on. Aborted, every body is back
 * where the last solve left it. No other body's motion changes. The guard clamps bodies at tau instead, without a
 * solve.
 *
 * brinkStepRespondWithContacts is the whole response to an impact: contacts, solve, corrections of the result. "The
 * gathered" bodies are the island (gather.c); record->next is a body's state at tau, record->end its state at the end
 * of the step as last solved.
 *
 * Based on: measurements of responses against ODE 0.16.2 (docs/ode.md): interpolating to the impact and stepping the
 * rest costs one solve per impact and keeps energy and joints.
 *
 * tau: part of the step, [0,1]. Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "step.h"

/* m/s that forces and gravity give a body in a whole step. False: something else acted on it, too (joints, contacts,
 * damping), or an impact before. */
static bool fallsFreely(brinkStepper *stepper, const brinkStepBody *record, double gain[3]) {
  brinkStepState before = record->start;
  if (!record->dynamic || record->from > 0) {
    return false;
  }
  memcpy(before.linear, record->end.linear, sizeof(before.linear));
  memcpy(before.angular, record->end.angular, sizeof(before.angular));
  stepper->host->takeBackForces(stepper->user, brinkStepNumberOf(stepper, record), stepper->now.h, &before);
  double off = 0, size = 0;
  for (int i = 0; i < 3; ++i) {
    gain[i] = record->end.linear[i] - before.linear[i];
    off = fmax(off, fabs(before.linear[i] - record->start.linear[i]));
    size = fmax(size, fabs(record->end.linear[i]) + fabs(gain[i]));
  }
  return off <= BRINK_STEP_FREE * size;
}

/* The body of a pair that falls freely onto something that does not move by itself; *gain: m/s along the normal in a
 * step. NULL: none. */
static brinkStepBody *findFalling(brinkStepper *stepper, const brinkStepImpact *impact, double *gain) {
  const uint32_t numbers[2] = {stepper->colliders[impact->pair.a].body, stepper->colliders[impact->pair.b].body};
  brinkStepBody *falling = NULL;
  double whole[3];
  for (int side = 0; side < 2; ++side) {
    brinkStepBody *record = numbers[side] != BRINK_NO_RECORD ? &stepper->bodies[numbers[side]] : NULL;
    if (record == NULL || !record->dynamic) {
      continue;
    }
    if (falling != NULL || !fallsFreely(stepper, record, whole)) {
      return NULL;
    }
    falling = record;
    *gain = whole[0] * impact->normal[0] + whole[1] * impact->normal[1] + whole[2] * impact->normal[2];
  }
  return falling;
}

static double speedAlong(const double *velocity, const double *normal) {
  return velocity[0] * normal[0] + velocity[1] * normal[1] + velocity[2] * normal[2];
}

/* Before the solve: which struck bodies fall freely, and how fast? For leaveAsFast. */
static void noteFalls(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    brinkStepImpact *impact = &stepper->pairs.impacts[i];
    const brinkStepBody *falling = findFalling(stepper, impact, &impact->gain);
    impact->falling = falling != NULL ? (uint32_t)(falling - stepper->bodies) : BRINK_NO_RECORD;
    impact->met = falling != NULL ? speedAlong(falling->next.linear, impact->normal) : 0;
    for (size_t j = 0; falling != NULL && j < i; ++j) {
      if (stepper->pairs.impacts[j].falling == impact->falling) {
        impact->falling = BRINK_NO_RECORD; /* once */
        break;
      }
    }
  }
}

/* What falls freely at h gains v g h / 2 less in kinetic energy than it loses in height: engines add the gravity of a
 * step before they move. On the way up it loses as much. Its heights lie on the true parabola, on which its speeds are
 * those of half a step before. So on that parabola it meets the floor at tau with v + g h / 2, v being the speed that
 * Brink hands to the solve, is to leave with e times that, and to have e (v + g h / 2) - (1/2 - tau) g h at the step's
 * end as they count. But their contact ends the solve with e v, whatever part of the step is left. The difference is
 * added, where something has bounced: ((e - 1) / 2 + tau) g h. */
static void leaveAsFast(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkStepImpact *impact = &stepper->pairs.impacts[i];
    if (!impact->wanted || impact->falling == BRINK_NO_RECORD) {
      continue;
    }
    brinkStepBody *record = &stepper->bodies[impact->falling];
    double left = speedAlong(record->end.linear, impact->normal), e = impact->met != 0 ? -left / impact->met : 0;
    if (!(fabs(impact->met) > BRINK_STEP_FALLEN * fabs(impact->gain)) || !(e > BRINK_STEP_LEAST_BOUNCE)) {
      continue;
    }
    double more = -((fmin(e, 1) - 1) / 2 + stepper->now.tau) * impact->gain;
    for (int k = 0; k < 3; ++k) {
      record->end.linear[k] += more * impact->normal[k];
    }
    stepper->host->writeState(stepper->user, impact->falling, &record->end);
  }
}

/* ---- the transaction */

/* The edges go to their poses of tau, too, for the program's callback. They count as posed, and are put back like all
 * that is not gathered. */
static bool poseEdges(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->island.edgeCount; ++i) {
    uint32_t number = stepper->island.edges[i].body;
    if (brinkStepIsEdge(stepper, number) && !(brinkStepWake(stepper, number) && brinkStepPoseBody(stepper, number))) {
      return false;
    }
  }
  return true;
}

/* Poses every gathered body that is not posed yet. */
bool brinkStepPoseGathered(brinkStepper *stepper) {
  bool good = true;
  for (size_t i = 0; good && i < stepper->island.gatheredCount; ++i) {
    good = brinkStepWake(stepper, stepper->island.gathered[i]) != 0;
  }
  for (size_t i = 0; good && i < stepper->island.gatheredCount; ++i) {
    good = brinkStepPoseBody(stepper, stepper->island.gathered[i]);
  }
  return good;
}

/* Puts posed bodies back to where the last solve left them: all, or those that are not gathered (any more). */
void brinkStepUnpose(brinkStepper *stepper, bool all) {
  size_t kept = 0;
  for (size_t i = 0; i < stepper->island.posedCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.posed[i]];
    if (!all && brinkStepIsGathered(stepper, stepper->island.posed[i])) {
      stepper->island.posed[kept++] = stepper->island.posed[i];
    } else {
      record->posed = false;
      stepper->host->writeState(stepper->user, stepper->island.posed[i], &record->end);
    }
  }
  stepper->island.posedCount = kept;
}

/* The gathered bodies go to their poses of tau; contacts that they have now, and pairs near them, are listed. */
bool brinkStepBeginChange(brinkStepper *stepper, double tau) {
  stepper->now.tau = tau;
  stepper->island.posedCount = 0;
  if (!stepper->host->listContacts(stepper->user) || !brinkStepListNearPairs(stepper) ||
      !brinkStepPoseGathered(stepper)) {
    brinkStepAbortChange(stepper);
    return false;
  }
  return true;
}

void brinkStepAbortChange(brinkStepper *stepper) { brinkStepUnpose(stepper, true); }

/* Has a callback destroyed a posed body? Only these are looked at here, all others once before the solve: in a heap
 * most have no part in an impact. */
static bool posedAreGone(brinkStepper *stepper) {
  return stepper->host->looksChanged(stepper->user, stepper->island.posed, stepper->island.posedCount);
}

/* After the program was asked about the struck pairs, and the island was gathered again: old contacts are put aside,
 * and callOthers: the program is asked for the other pairs near the island. False: the guard is to
 * stop it. */
static bool makeContacts(brinkStepper *stepper, bool callOthers) {
  brinkStepUnpose(stepper, false);
  stepper->host->putAside(stepper->user);
  if (!brinkStepPoseGathered(stepper)) {
    return false;
  }
  if (callOthers) {
    if (!poseEdges(stepper)) {
      return false;
    }
    stepper->host->askOthers(stepper->user);
    brinkStepForgetJoined(stepper);
    if (stepper->host->looksChanged(stepper->user, NULL, 0) || !brinkStepSpread(stepper, true) ||
        !brinkStepPoseGathered(stepper)) {
      return false; /* bodies that the program tied to the island just now were posed, too */
    }
  }
  brinkStepUnpose(stepper, false);
  return true;
}

/* The contacts, then the solve of [tau, 1]. */
bool brinkStepCommitChange(brinkStepper *stepper, bool callOthers) {
  return makeContacts(stepper, callOthers) && brinkStepSolveGathered(stepper, stepper->now.tau, false);
}

/* The gathered bodies' motions begin at record->next, at tau, and lead to record->end. */
static bool takeMotions(brinkStepper *stepper, double tau) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    if (!record->alone && !brinkStepLeaveChain(stepper, record->chain, tau)) {
      return false;
    }
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    const double spin[3] = {record->spin[0], record->spin[1], record->spin[2]}; /* of the part from tau on */
    brinkStepStartFrom(record, tau);
    memcpy(record->spin, spin, sizeof(spin));
    record->posed = record->look.searched = false;
    if (!brinkStepSendMotion(stepper, stepper->island.gathered[i])) {
      return false;
    }
  }
  return brinkStepPlanCuts(stepper, stepper->island.gathered, stepper->island.gatheredCount);
}

static bool noteParts(brinkStepper *stepper, double tau) {
  bool good = true;
  for (size_t i = 0; good && i < stepper->island.gatheredCount; ++i) {
    good = brinkStepNoteMotion(stepper, stepper->island.gathered[i], tau);
  }
  return good;
}

/* Solves the step from tau to its end for the gathered bodies, which are at their poses of tau. insteadOfLast: the
 * solve that led here does not count. */
bool brinkStepSolveGathered(brinkStepper *stepper, double tau, bool insteadOfLast) {
  if (!noteParts(stepper, tau)) {
    return false;
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    stepper->host->readState(stepper->user, stepper->island.gathered[i],
                             &record->next); /* as the engine normalised it, and as the program's callback left it */
    if (!brinkStepStateIsFinite(&record->next)) {
      return brinkStepFail(stepper,
                           "a near callback gave body %u a position or velocity that is not finite inside a step: what "
                           "was struck stays where the proof ends; give it finite values",
                           stepper->island.gathered[i]) != 0;
    }
    brinkStepNoteBegun(stepper, record, tau, insteadOfLast);
    brinkStepSetGoing(stepper, record, tau);
    record->struck = stepper->spins.anyStruck = true;
  }
  if (brinkStepIsTorn(stepper)) {
    brinkStepStartOver(stepper, tau);
  }
  stepper->island.wedged = brinkStepIsWedged(stepper);
  const bool solved = stepper->host->solve(stepper->user, tau, insteadOfLast);
  stepper->island.wedged = false;
  if (!solved) {
    return false;
  }
  stepper->now.bodySolves += (double)stepper->island.gatheredCount;
  bool finite = true;
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    finite = finite && brinkStepStateIsFinite(&stepper->bodies[stepper->island.gathered[i]].end);
  }
  if (finite) {
    brinkStepCloseJoints(stepper, stepper->island.gathered, stepper->island.gatheredCount, 1 - tau);
  }
  return finite && takeMotions(stepper, tau);
}

/* ---- the guard */

/* Stops a body at its pose of tau, record->next, for the rest of the step. It keeps its velocity, less what the lost
 * time would have given it: a body that is held up for long must not gather speed. */
static void freezeBody(brinkStepper *stepper, brinkStepBody *record, double tau) {
  brinkStepCountLost(stepper, record, tau);
  if (brinkStepStateIsFinite(&record->end)) {
    brinkStepVelocitiesOfWaiting(stepper, record, tau, &record->next);
  }
  record->frozen = true;
  record->beside = brinkStepNumberOf(stepper, record);
  stepper->hotData[record->beside].touched = true;
  record->why = stepper->now.why;
  record->end = record->next;
  memset(record->spin, 0, sizeof(record->spin));
}

/* A body that is stopped early in one step after the other loses the speed at which it approaches what it was struck
 * by: else it would gather it from step to step. Not so where it flies to and fro, and has come nearer by more than an
 * allowance since its motion last changed. Bodies that are not stopped count as infinitely heavy. */
static void stopApproach(brinkStepper *stepper, const brinkStepImpact *impact, double tau) {
  const double room = brinkStepPairAllowance(stepper, impact->pair);
  double since = 0;
  const double *a = &impact->contact.pointA.x, *b = &impact->contact.pointB.x;
  double arms[2][3], linear[2][3], angular[2][3], approach = 0, yield = 0;
  brinkStepBody *bodies[2] = {NULL, NULL};
  const uint32_t geoms[2] = {impact->pair.a, impact->pair.b};
  for (int side = 0; side < 2; ++side) {
    uint32_t number = stepper->colliders[geoms[side]].body;
    brinkStepBody *record = number != BRINK_NO_RECORD ? &stepper->bodies[number] : NULL;
    for (int i = 0; record != NULL && i < 3; ++i) {
      arms[side][i] = (a[i] + b[i]) / 2 - record->next.position[i];
    }
    if (record == NULL) {
      continue;
    }
    approach += (side == 0 ? 1 : -1) *
                brinkStepPointSpeed(&record->next, arms[side], impact->normal); /* the normal leads from A to B */
    since = fmax(since, record->from);
    if (record->frozen && brinkStepGetsNowhere(stepper, record)) {
      bodies[side] = record;
      yield += stepper->host->pushOf(stepper->user, number, arms[side], impact->normal, linear[side], angular[side]);
    }
  }
  const bool flies = approach * (tau - since) * stepper->now.h > room;
  if (!(approach > 0) || !(yield > 0) || flies) {
    return;
  }
  for (int side = 0; side < 2; ++side) {
    double impulse = (side == 0 ? -1 : 1) * approach / yield;
    for (int i = 0; bodies[side] != NULL && i < 3; ++i) {
      bodies[side]->next.linear[i] += impulse * linear[side][i];
      bodies[side]->next.angular[i] += impulse * angular[side][i];
    }
  }
}

/* Clamps the gathered bodies, and sets their motions in the plugin's world. keepSpeed: mode clamp, where the next
 * step's contacts bounce them. adrift: they go on as one. */
static bool freezeGathered(brinkStepper *stepper, double tau, bool keepSpeed, bool adrift) {
  brinkStepCentre centre;
  if (!noteParts(stepper, tau)) {
    return false;
  }
  if (adrift) {
    brinkStepNoteCentre(stepper, &centre);
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    freezeBody(stepper, &stepper->bodies[stepper->island.gathered[i]], tau);
  }
  for (int sweep = 0; !keepSpeed && tau < BRINK_STEP_STUCK && sweep < BRINK_STEP_SWEEPS; ++sweep) {
    for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
      stopApproach(stepper, &stepper->pairs.impacts[i], tau);
    }
  }
  if (!keepSpeed) {
    brinkStepHoldWaiting(stepper, tau < BRINK_STEP_STUCK);
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    record->end = record->next;
    record->frozenStep = stepper->stepNumber;
  }
  if (adrift) {
    brinkStepGoOnAsOne(stepper, &centre);
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    stepper->host->writeState(stepper->user, number, &stepper->bodies[number].end);
  }
  return takeMotions(stepper, tau);
}

/* ---- the same motions, asked about again */

/* The struck bodies keep their motions. From tau on the question sees them as a pair that touches, which may deepen. */
bool brinkStepAskStruckAgain(brinkStepper *stepper, double tau) {
  bool good = brinkStepGatherStruck(stepper, false);
  for (size_t i = 0; good && i < stepper->island.gatheredCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    good = brinkStepWake(stepper, stepper->island.gathered[i]) && brinkStepStateAt(stepper, record, tau, &record->next);
    if (good && brinkStepGoesOn(stepper, record)) {
      brinkStepVelocitiesAt(stepper, record, tau, &record->next);
    }
  }
  good = good && noteParts(stepper, tau);
  for (size_t i = 0; good && i < stepper->island.gatheredCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    good = record->alone || brinkStepLeaveChain(stepper, record->chain, tau);
  }
  for (size_t i = 0; good && i < stepper->island.gatheredCount; ++i) {
    brinkStepStartFrom(&stepper->bodies[stepper->island.gathered[i]], tau);
    good = brinkStepSendMotion(stepper, stepper->island.gathered[i]) != 0;
  }
  stepper->now.t = tau;
  return good;
}

/* ---- impacts */

/* Asks the program about the struck pairs. Solved: the program, or Brink in its place, made contacts for some, or the
 * program gave their bodies other velocities. Waits: neither, and silence may mean anything yet (silence.c); the silent
 * pairs are the current impacts then. Dropped: the program wants none. */
static brinkStepOutcome askProgram(brinkStepper *stepper) {
  brinkStepOutcome outcome = brinkStepOutcomeDropped;
  size_t silent = 0;
  uint32_t asked[2] = {BRINK_NO_RECORD, BRINK_NO_RECORD};
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    brinkStepImpact *impact = &stepper->pairs.impacts[i];
    const uint32_t bodies[2] = {stepper->colliders[impact->pair.a].body, stepper->colliders[impact->pair.b].body};
    if (i > 0 && memcmp(bodies, asked, sizeof(asked)) != 0 && stepper->host->looksChanged(stepper->user, bodies, 2)) {
      return brinkStepOutcomeFailed; /* the call for another pair has destroyed one of them */
    }
    memcpy(asked, bodies, sizeof(asked));
    brinkStepAskContacts(stepper, impact);
    if (stepper->worldChanged) {
      return brinkStepOutcomeFailed;
    }
    if (impact->wanted) {
      outcome = brinkStepOutcomeSolved;
      continue;
    }
    impact->moved = impact->moved && !brinkStepWasMoved(stepper, impact->pair);
    if (impact->moved) { /* it goes on with this velocity from here */
      if (!brinkStepAwaitsAnswer(stepper, impact->pair) && !brinkStepDropPair(stepper, impact->pair)) {
        return brinkStepOutcomeFailed;
      }
      outcome = brinkStepOutcomeSolved;
      continue;
    }
    if (!brinkStepAwaitsAnswer(stepper, impact->pair)) {
      if (!brinkStepDropPair(stepper, impact->pair)) {
        return brinkStepOutcomeFailed;
      }
    } else if (outcome != brinkStepOutcomeSolved) {
      outcome = brinkStepOutcomeWaits;
      brinkStepImpact held = *impact;
      stepper->pairs.impacts[i] = stepper->pairs.impacts[silent];
      stepper->pairs.impacts[silent++] = held;
    }
  }
  if (posedAreGone(stepper)) {
    return brinkStepOutcomeFailed;
  }
  if (outcome == brinkStepOutcomeWaits) {
    stepper->pairs.impactCount = silent;
    for (size_t i = 0; i < silent; ++i) {
      stepper->pairs.impacts[i].wanted = true; /* as far as anybody can tell */
    }
  }
  return outcome;
}

/* A velocity that the callback gives a pair counts once a step: what it adds would be added at each call. False: no
 * memory. */
static bool noteMoved(brinkStepper *stepper) {
  bool noted = true;
  for (size_t i = 0; noted && i < stepper->pairs.impactCount; ++i) {
    noted = !stepper->pairs.impacts[i].moved || brinkStepNoteMoved(stepper, stepper->pairs.impacts[i].pair);
  }
  return noted;
}

/* The struck island at tau, with its contacts. Dropped: the program wants none of them, nothing has changed. */
static brinkStepOutcome meetStruck(brinkStepper *stepper, double tau) {
  if (!brinkStepGatherStruck(stepper, true) || !brinkStepBeginChange(stepper, tau)) {
    return brinkStepOutcomeFailed;
  }
  noteFalls(stepper);
  const brinkStepOutcome outcome = askProgram(stepper);
  if (outcome == brinkStepOutcomeSolved) {
    return brinkStepGatherStruck(stepper, true) && makeContacts(stepper, true) ? outcome : brinkStepOutcomeFailed;
  }
  if (outcome != brinkStepOutcomeFailed) {
    brinkStepAbortChange(stepper);
  }
  return stepper->host->looksChanged(stepper->user, NULL, 0) ? brinkStepOutcomeFailed : outcome;
}

/* Contacts at tau for the impacts, and a solve of the rest. brinkStepOutcomeDropped: the program wants none of them,
 * nothing has changed. */
brinkStepOutcome brinkStepRespondWithContacts(brinkStepper *stepper, double tau) {
  const brinkStepOutcome outcome = meetStruck(stepper, tau);
  if (outcome != brinkStepOutcomeSolved) {
    return outcome;
  }
  if (!noteMoved(stepper) || !brinkStepSolveGathered(stepper, tau, false)) {
    return brinkStepOutcomeFailed;
  }
  leaveAsFast(stepper);
  brinkStepHoldSqueezed(stepper);
  return outcome;
}

/* Before a clamp at pairs that the program was not asked about: does it want them? Contacts that it makes here act
 * nowhere, the next step's do. Pairs that it does not want are left out, here and in the rest of the step. Solved,
 * Waits: some are wanted; Dropped: none. */
brinkStepOutcome brinkStepAskBeforeStop(brinkStepper *stepper, double tau) {
  if (!brinkStepGatherStruck(stepper, true) || !brinkStepBeginChange(stepper, tau)) {
    return brinkStepOutcomeFailed;
  }
  const brinkStepOutcome outcome = askProgram(stepper);
  bool good = outcome != brinkStepOutcomeFailed && noteMoved(stepper);
  size_t kept = 0;
  for (size_t i = 0; good && i < stepper->pairs.impactCount; ++i) {
    const brinkStepImpact impact = stepper->pairs.impacts[i];
    if (impact.wanted) {
      good = stepper->host->putAsideNew(stepper->user, impact.pair);
      stepper->pairs.impacts[kept++] = impact;
    }
  }
  if (!good) {
    return brinkStepOutcomeFailed;
  }
  brinkStepAbortChange(stepper);
  if (stepper->host->looksChanged(stepper->user, NULL, 0)) {
    return brinkStepOutcomeFailed;
  }
  stepper->pairs.impactCount = kept;
  return kept > 0 ? outcome : brinkStepOutcomeDropped;
}

/* What is stopped together one after the other; at last all of it is gathered. Of two that wait for the program's
 * answer neither may take the other along: it need not want the pair. */
bool brinkStepClampImpacts(brinkStepper *stepper, double tau, bool keepSpeed) {
  const size_t count = stepper->pairs.impactCount;
  bool good = true, adrift = false;
  stepper->now.tau = tau;
  for (size_t left = count; good && left > 0;) {
    stepper->pairs.impactCount = left;
    stepper->island.posedCount = 0;
    good = brinkStepGatherStopped(stepper, &adrift) && brinkStepPoseGathered(stepper) &&
           freezeGathered(stepper, tau, keepSpeed, adrift && stepper->now.why != brink_stepSilentAnswer);
    for (size_t i = stepper->pairs.impactCount; i > 0;) {
      brinkStepSwapImpacts(stepper, --i, --left);
    }
  }
  stepper->pairs.impactCount = count;
  stepper->report.clamps += good;
  return good && brinkStepGatherAllStopped(stepper);
}

/* Where the proof ends, of all that was asked about. Before bodies and joints are looked for again: a link's pose
 * depends on its parents' motions, and on who they are. */
void brinkStepReadProvenPoses(brinkStepper *stepper, double tau) {
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->quiet.awake[i]];
    if (record->body != NULL && !brinkStepStateAt(stepper, record, fmax(tau, record->from), &record->next)) {
      record->next = record->start;
    }
  }
}

/* The guard's last resort, when Brink or memory gives no answer: everything that was asked about stays there. Bodies
 * whose records are gone are left alone. */
void brinkStepClampAtProven(brinkStepper *stepper, double tau) {
  stepper->now.why = brink_stepFailed;
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->quiet.awake[i]];
    if (record->body == NULL) {
      continue;
    }
    freezeBody(stepper, record, fmax(tau, record->from));
    record->posed = false;
    record->start = record->next;
    record->from = fmax(tau, record->from);
    record->moves = false;
    stepper->host->writeState(stepper->user, stepper->quiet.awake[i], &record->next);
  }
  stepper->report.clamps++;
}

void brinkStepClampAll(brinkStepper *stepper, double tau) {
  brinkStepReadProvenPoses(stepper, tau);
  brinkStepClampAtProven(stepper, tau);
}
