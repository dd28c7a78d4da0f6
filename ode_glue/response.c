/* SPDX-License-Identifier: BSD-3-Clause */
/* How does the motion of an island change in the middle of a step?
 * As one transaction, which impacts, cuts for what spins and contacts ahead of an impact all use. It begins with the
 * island at its poses of tau, where the program is asked for contacts. It is committed: contacts of before are put
 * aside, ODE solves the rest of the step for this island alone, and what it finds is the island's motion from tau on.
 * Or it is aborted: every body is back where the last solve left it. Nobody else's motion changes.
 * The guard stops bodies at tau instead, without a solve.
 *
 * Based on: measurements of responses against ODE 0.16.2 (docs/ode.md): interpolating to the impact and stepping the
 * rest costs one solve per impact and keeps energy and joints.
 *
 * tau: part of the step, [0,1]. Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "stepper.h"

/* m/s that forces and gravity give a body in a whole step. False: something else acted on it, too (joints, contacts,
 * damping), or an impact before. */
static bool fallsFreely(const dxBrinkRun *run, const dxBrinkBody *record, double gain[3]) {
  dxBrinkState before = record->start;
  if (!record->dynamic || record->from > 0) {
    return false;
  }
  dxBrinkVelocityAt(run->brink, record, run->h, &before);
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
static dxBrinkBody *findFalling(const dxBrinkRun *run, const dxBrinkImpact *impact, double *gain) {
  dBrinkID brink = run->brink;
  const uint32_t numbers[2] = {brink->geoms[impact->pair.geomA].body, brink->geoms[impact->pair.geomB].body};
  dxBrinkBody *falling = NULL;
  double whole[3];
  for (int side = 0; side < 2; ++side) {
    dxBrinkBody *record = numbers[side] != BRINK_NO_RECORD ? &brink->bodies[numbers[side]] : NULL;
    if (record == NULL || !record->dynamic) {
      continue;
    }
    if (falling != NULL || !fallsFreely(run, record, whole)) {
      return NULL;
    }
    falling = record;
    *gain = whole[0] * impact->normal[0] + whole[1] * impact->normal[1] + whole[2] * impact->normal[2];
  }
  return falling;
}

static double speedAlong(const dReal *velocity, const double *normal) {
  return velocity[0] * normal[0] + velocity[1] * normal[1] + velocity[2] * normal[2];
}

/* Before the solve: who falls freely, and how fast? */
static void noteFalls(const dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    dxBrinkImpact *impact = &brink->pairs.impacts[i];
    const dxBrinkBody *falling = findFalling(run, impact, &impact->gain);
    impact->falling = falling != NULL ? (uint32_t)(falling - brink->bodies) : BRINK_NO_RECORD;
    impact->met = falling != NULL ? speedAlong(falling->next.linear, impact->normal) : 0;
    for (size_t j = 0; falling != NULL && j < i; ++j) {
      if (brink->pairs.impacts[j].falling == impact->falling) {
        impact->falling = BRINK_NO_RECORD; /* once */
        break;
      }
    }
  }
}

/* What falls freely at h gains v g h / 2 less in kinetic energy than it loses in height: ODE adds the gravity of a step
 * before it moves. On the way up it loses as much. Its heights lie on the true parabola, on which its speeds are those
 * of half a step before. So on that parabola it meets the floor at tau with v + g h / 2, v being the speed that Brink
 * hands to the solve, is to leave with e times that, and to have e (v + g h / 2) - (1/2 - tau) g h at the step's end as
 * ODE counts. But ODE's contact ends the solve with e v, whatever part of the step is left. The difference is added,
 * where something has bounced: ((e - 1) / 2 + tau) g h. */
static void leaveAsFast(const dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    const dxBrinkImpact *impact = &brink->pairs.impacts[i];
    if (!impact->wanted || impact->falling == BRINK_NO_RECORD) {
      continue;
    }
    dxBrinkBody *record = &brink->bodies[impact->falling];
    double left = speedAlong(record->end.linear, impact->normal), e = impact->met != 0 ? -left / impact->met : 0;
    if (!(fabs(impact->met) > BRINK_STEP_FALLEN * fabs(impact->gain)) || !(e > BRINK_STEP_LEAST_BOUNCE)) {
      continue;
    }
    double more = -((fmin(e, 1) - 1) / 2 + run->tau) * impact->gain;
    for (int k = 0; k < 3; ++k) {
      record->end.linear[k] += more * impact->normal[k];
    }
    dBodySetLinearVel(record->body, record->end.linear[0], record->end.linear[1], record->end.linear[2]);
  }
}

/* ---- the transaction */

/* Poses every gathered body that is not posed yet. */
bool dxBrinkPoseGathered(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  bool good = true;
  for (size_t i = 0; good && i < brink->island.gatheredCount; ++i) {
    good = dxBrinkWake(run, brink->island.gathered[i]) != 0;
  }
  good = good && dxBrinkEnableGathered(run); /* the program's callback is to see them as in its own frame */
  for (size_t i = 0; good && i < brink->island.gatheredCount; ++i) {
    good = dxBrinkPoseBody(run, brink->island.gathered[i]);
  }
  return good;
}

/* Puts posed bodies back to where the last solve left them: all, or those that are not gathered (any more). */
static void unpose(dBrinkID brink, bool all) {
  size_t kept = 0;
  for (size_t i = 0; i < brink->island.posedCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.posed[i]];
    if (!all && dxBrinkIsGathered(brink, brink->island.posed[i])) {
      brink->island.posed[kept++] = brink->island.posed[i];
    } else {
      record->posed = false;
      dxBrinkWriteState(record->body, &record->end);
    }
  }
  brink->island.posedCount = kept;
}

/* The gathered bodies go to their poses of tau; contacts that they have now, and pairs near them, are listed. */
bool dxBrinkBeginChange(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  run->tau = tau;
  run->firstStale = brink->contacts.disabledCount;
  brink->island.posedCount = 0;
  if (!dxBrinkListStaleContacts(brink) || !dxBrinkListNearPairs(run) || !dxBrinkPoseGathered(run)) {
    dxBrinkAbortChange(run);
    return false;
  }
  return true;
}

void dxBrinkAbortChange(dxBrinkRun *run) {
  run->brink->contacts.disabledCount = run->firstStale;
  unpose(run->brink, true);
}

/* After the program was asked about the struck pairs and the bodies were gathered again: contacts of before are
 * switched off, those of the others around are made, the rest of the step is solved. False: the guard is to stop it. */
bool dxBrinkCommitChange(dxBrinkRun *run, bool callOthers) {
  dBrinkID brink = run->brink;
  unpose(brink, false);
  dxBrinkDisableStaleContacts(brink, run->firstStale);
  if (!dxBrinkPoseGathered(run)) {
    return false;
  }
  if (callOthers) {
    if (!dxBrinkPoseEdges(run)) {
      return false;
    }
    dxBrinkCallNearOthers(run);
    if (dxBrinkWorldChanged(brink) || !dxBrinkSpread(brink, true) || !dxBrinkPoseGathered(run)) {
      return false; /* bodies that the program tied to the island just now were posed, too */
    }
  }
  unpose(brink, false);
  return dxBrinkSolveGathered(run, run->tau, false);
}

/* The gathered bodies' motions begin at record->next, at tau, and lead to record->end. */
static bool takeMotions(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    if (!record->alone && !dxBrinkLeaveChain(brink, record->chain, tau)) {
      return false;
    }
  }
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    const double spin[3] = {record->spin[0], record->spin[1], record->spin[2]}; /* of the part from tau on */
    dxBrinkStartFrom(record, tau);
    memcpy(record->spin, spin, sizeof(spin));
    record->posed = record->look.searched = false;
    if (!dxBrinkSendMotion(brink, brink->island.gathered[i])) {
      return false;
    }
  }
  return dxBrinkPlanCuts(run, brink->island.gathered, brink->island.gatheredCount);
}

static bool noteParts(dBrinkID brink, double tau) {
  bool good = true;
  for (size_t i = 0; good && i < brink->island.gatheredCount; ++i) {
    good = brink->told->carried(brink, brink->island.gathered[i], tau);
  }
  return good;
}

/* Solves the step from tau to its end for the gathered bodies, which are at their poses of tau. insteadOfLast: the
 * solve that led here does not count. */
bool dxBrinkSolveGathered(dxBrinkRun *run, double tau, bool insteadOfLast) {
  dBrinkID brink = run->brink;
  if (!noteParts(brink, tau)) {
    return false;
  }
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    dxBrinkReadState(record->body, &record->next); /* as ODE normalised it, and as the program's callback left it */
    if (!dxBrinkStateIsFinite(&record->next)) {
      return dxBrinkFail(brink,
                         "a near callback gave body %u a position or velocity that is not finite inside a step: what "
                         "was struck stays where the proof ends; give it finite values",
                         brink->island.gathered[i]) != 0;
    }
    record->frozen = false;
    record->struck = brink->spins.anyStruck = true;
    dBodySetForce(record->body, record->force[0], record->force[1], record->force[2]);
    dBodySetTorque(record->body, record->torque[0], record->torque[1], record->torque[2]);
  }
  bool solved = dxBrinkHangOnStandIns(run, tau, !insteadOfLast) && dxBrinkSolveIsland(run, 1 - tau, insteadOfLast);
  dxBrinkTakeFromStandIns(brink, solved);
  if (!solved) {
    return false;
  }
  bool finite = true;
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    dxBrinkReadState(record->body, &record->end);
    dxBrinkReadSpin(record->body, &record->end, (1 - tau) * run->h, true, record->spin);
    finite = finite && dxBrinkStateIsFinite(&record->end);
  }
  dxBrinkRestoreDamping(brink);
  if (finite) {
    dxBrinkCloseJoints(run, brink->island.gathered, brink->island.gatheredCount, 1 - tau);
  }
  return finite && takeMotions(run, tau);
}

/* ---- the guard */

/* Stops a body at its pose of tau, record->next, for the rest of the step. It keeps its velocity, less what forces
 * did in the lost time: a body that is held up for long must not gather speed. */
static void freezeBody(dxBrinkRun *run, dxBrinkBody *record, double tau) {
  if (record->moves) {
    run->brink->result.info.lostTime += (1 - tau) * run->h / (double)run->bodyCount;
  }
  if (dxBrinkStateIsFinite(&record->end)) {
    dxBrinkVelocitiesAt(run, record, tau, &record->next);
  }
  record->frozen = record->look.touched = true;
  record->end = record->next;
  memset(record->spin, 0, sizeof(record->spin));
}

/* What an impulse of 1 N s along the normal at the arm changes: velocities, and the speed of the point there, m/s. */
static double pushOf(const dxBrinkBody *record, const double arm[3], const double normal[3], double linear[3],
                     double angular[3]) {
  dMass mass;
  dMatrix3 inverse;
  dBodyGetMass(record->body, &mass);
  double lever[3] = {arm[1] * normal[2] - arm[2] * normal[1], arm[2] * normal[0] - arm[0] * normal[2],
                     arm[0] * normal[1] - arm[1] * normal[0]};
  dVector3 own, turned = {0, 0, 0, 0};
  dBodyVectorFromWorld(record->body, lever[0], lever[1], lever[2], own);
  if (dInvertPDMatrix(mass.I, inverse, 3)) {
    for (int i = 0; i < 3; ++i) {
      turned[i] = inverse[4 * i] * own[0] + inverse[4 * i + 1] * own[1] + inverse[4 * i + 2] * own[2];
    }
  }
  dVector3 world;
  dBodyVectorToWorld(record->body, turned[0], turned[1], turned[2], world);
  double sum = 1 / mass.mass;
  for (int i = 0; i < 3; ++i) {
    linear[i] = normal[i] / mass.mass;
    angular[i] = world[i];
    sum += world[i] * lever[i];
  }
  return sum;
}

/* A body that is stopped early in one step after the other loses the speed at which it approaches what it was struck
 * by: it would gather it from step to step else. Bodies that are not stopped count as heavy without end. */
static void stopApproach(dBrinkID brink, const dxBrinkImpact *impact) {
  const double *a = &impact->contact.pointA.x, *b = &impact->contact.pointB.x;
  double arms[2][3], linear[2][3], angular[2][3], approach = 0, yield = 0;
  dxBrinkBody *bodies[2] = {NULL, NULL};
  const uint32_t geoms[2] = {impact->pair.geomA, impact->pair.geomB};
  for (int side = 0; side < 2; ++side) {
    uint32_t number = brink->geoms[geoms[side]].body;
    dxBrinkBody *record = number != BRINK_NO_RECORD ? &brink->bodies[number] : NULL;
    for (int i = 0; record != NULL && i < 3; ++i) {
      arms[side][i] = (a[i] + b[i]) / 2 - record->next.position[i];
    }
    if (record == NULL) {
      continue;
    }
    approach += (side == 0 ? 1 : -1) *
                dxBrinkPointSpeed(&record->next, arms[side], impact->normal); /* the normal leads from A to B */
    if (record->frozen && record->dynamic && record->frozenStep > 0 && brink->stepNumber - record->frozenStep <= 1) {
      bodies[side] = record;
      yield += pushOf(record, arms[side], impact->normal, linear[side], angular[side]);
    }
  }
  if (!(approach > 0) || !(yield > 0)) {
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

/* Stops the gathered bodies, and tells Brink. keepSpeed: mode clamp, where the next step's contacts bounce them. */
static bool freezeGathered(dxBrinkRun *run, double tau, bool keepSpeed) {
  dBrinkID brink = run->brink;
  if (!noteParts(brink, tau)) {
    return false;
  }
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    freezeBody(run, &brink->bodies[brink->island.gathered[i]], tau);
  }
  for (int sweep = 0; !keepSpeed && tau < BRINK_STEP_STUCK && sweep < BRINK_STEP_SWEEPS; ++sweep) {
    for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
      stopApproach(brink, &brink->pairs.impacts[i]);
    }
  }
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    record->end = record->next;
    record->frozenStep = brink->stepNumber;
    dxBrinkWriteState(record->body, &record->next);
  }
  return takeMotions(run, tau);
}

/* ---- the same motions, asked about again */

/* The struck bodies go on as they are, but from tau on they are asked about as bodies that touch. */
bool dxBrinkAskStruckAgain(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  bool good = dxBrinkGatherStruck(brink, false);
  for (size_t i = 0; good && i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    good = dxBrinkWake(run, brink->island.gathered[i]) && dxBrinkStateAt(brink, record, tau, &record->next);
  }
  good = good && noteParts(brink, tau);
  for (size_t i = 0; good && i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    good = record->alone || dxBrinkLeaveChain(brink, record->chain, tau);
  }
  for (size_t i = 0; good && i < brink->island.gatheredCount; ++i) {
    dxBrinkStartFrom(&brink->bodies[brink->island.gathered[i]], tau);
    good = dxBrinkSendMotion(brink, brink->island.gathered[i]) != 0;
  }
  run->t = tau;
  return good;
}

/* ---- impacts */

/* Asks the program about the struck pairs. Solved: it, or Brink for it, made contacts for some; Deepens, Waits: for
 * none, and nobody can tell why (these are the impacts then). */
static dxBrinkOutcome askProgram(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  dxBrinkOutcome outcome = dxBrinkOutcomeDropped;
  size_t silent = 0;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    dxBrinkImpact *impact = &brink->pairs.impacts[i];
    dxBrinkImpactPair(run, impact);
    if (brink->contacts.worldChanged) {
      return dxBrinkOutcomeFailed;
    }
    if (impact->wanted) {
      outcome = dxBrinkOutcomeSolved;
      continue;
    }
    dxBrinkSilence silence = dxBrinkHearSilence(brink, impact->pair);
    if (silence == dxBrinkSilenceDrops) {
      if (!dxBrinkDropPair(brink, impact->pair)) {
        return dxBrinkOutcomeFailed;
      }
    } else if (outcome != dxBrinkOutcomeSolved) {
      outcome = silence == dxBrinkSilenceWaits ? dxBrinkOutcomeWaits : dxBrinkOutcomeDeepens;
      dxBrinkImpact held = *impact;
      brink->pairs.impacts[i] = brink->pairs.impacts[silent];
      brink->pairs.impacts[silent++] = held;
    }
  }
  if (dxBrinkWorldChanged(brink)) {
    return dxBrinkOutcomeFailed;
  }
  if (outcome == dxBrinkOutcomeDeepens || outcome == dxBrinkOutcomeWaits) {
    brink->pairs.impactCount = silent;
    for (size_t i = 0; i < silent; ++i) {
      brink->pairs.impacts[i].wanted = true; /* as far as anybody can tell */
    }
  }
  return outcome;
}

/* Contacts at tau for the impacts, and a solve of the rest. dxBrinkOutcomeDropped: the program wants none of them,
 * nothing has changed. */
dxBrinkOutcome dxBrinkRespondWithContacts(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  if (!dxBrinkGatherStruck(brink, true) || !dxBrinkBeginChange(run, tau)) {
    return dxBrinkOutcomeFailed;
  }
  noteFalls(run);
  dxBrinkOutcome outcome = askProgram(run);
  if (outcome == dxBrinkOutcomeSolved) {
    if (!dxBrinkGatherStruck(brink, true) || !dxBrinkCommitChange(run, true)) {
      return dxBrinkOutcomeFailed;
    }
    leaveAsFast(run);
    return dxBrinkOutcomeSolved;
  }
  if (outcome != dxBrinkOutcomeFailed) {
    dxBrinkAbortChange(run);
  }
  return outcome;
}

bool dxBrinkClampImpacts(dxBrinkRun *run, double tau, bool keepSpeed) {
  dBrinkID brink = run->brink;
  run->tau = tau;
  run->firstStale = brink->contacts.disabledCount;
  brink->island.posedCount = 0;
  if (!dxBrinkGatherStruck(brink, false) || !dxBrinkPoseGathered(run)) {
    return false;
  }
  brink->result.info.clamps++;
  return freezeGathered(run, tau, keepSpeed);
}

/* The guard's last resort, when Brink or memory gives no answer: everything that was asked about stays where the proof
 * ends. Bodies whose records are gone are left alone. */
void dxBrinkClampAll(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) { /* all poses first: a link's depends on its parents' motions */
    dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    if (record->body != NULL && !dxBrinkStateAt(brink, record, fmax(tau, record->from), &record->next)) {
      record->next = record->start;
    }
  }
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    if (record->body == NULL) {
      continue;
    }
    freezeBody(run, record, fmax(tau, record->from));
    record->posed = false;
    record->start = record->next;
    record->from = fmax(tau, record->from);
    record->moves = false;
    dxBrinkWriteState(record->body, &record->next);
  }
  brink->result.info.clamps++;
}
