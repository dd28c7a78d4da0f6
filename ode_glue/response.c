/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens to the bodies of an impact? Scheme A': poses at the impact, contacts there, ODE solves the rest of the
 * step for the struck island; or the guard: the struck bodies wait at the impact for the next step.
 *
 * Based on: measurements of responses against ODE 0.16.2 (docs/ode.md): interpolating to the impact and stepping the
 * rest costs one solve per impact and keeps energy and joints.
 *
 * tau: time of the impact, part of the step; local: the same as a part of the segment, [0,1]. Units: m, s, rad. */
#include <math.h>

#include "stepper.h"

/* Where everything is at the impact. Before any motion changes: a link's pose depends on its parents' motions. */
bool dxBrinkReadImpactStates(dBrinkID brink, double local) {
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    if (!dxBrinkStateAt(brink, record, local, &record->next)) {
      return false;
    }
    record->posed = false;
  }
  return true;
}

/* The next segment begins at the impact: unsolved bodies go on as before, the part of their motion that is left. */
int dxBrinkBeginSegment(dxBrinkRun *run, double local) {
  dBrinkID brink = run->brink;
  if (!dxBrinkSense(run, local)) {
    return 0;
  }
  run->t += local * (1 - run->t);
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    record->moved = record->moves || record->posed;
    record->start = record->next;
    if (!record->posed) {
      for (int axis = 0; axis < 3; ++axis) {
        record->spin[axis] *= 1 - local;
      }
    }
    record->moves = !record->frozen && !dxBrinkSamePose(&record->start, &record->end);
  }
  return dxBrinkSendMotions(run, false);
}

/* Damping acts at the end of a solve, for all of its time: what it took for the time after tau is given back. */
static void giveBackDamping(const dxBrinkRun *run, double tau, double damping, double threshold, const dReal *end,
                            dReal *velocity) {
  double speed = sqrt(end[0] * end[0] + end[1] * end[1] + end[2] * end[2]);
  if (!dxBrinkDampsByTime(damping, threshold) || !(damping < 1) ||
      !(speed > threshold * pow(1 - damping, 1 - run->t))) {
    return;
  }
  double more = pow(1 - damping, tau - 1) - 1;
  for (int axis = 0; axis < 3; ++axis) {
    velocity[axis] += more * end[axis];
  }
}

/* The velocities at tau, see dxBrinkVelocityAt. */
void dxBrinkVelocitiesAt(const dxBrinkRun *run, const dxBrinkBody *record, double tau, dxBrinkState *out) {
  dBodyID body = record->body;
  dxBrinkVelocityAt(run->brink, record, (1 - tau) * run->h, out);
  giveBackDamping(run, tau, dBodyGetLinearDamping(body), dBodyGetLinearDampingThreshold(body), record->end.linear,
                  out->linear);
  giveBackDamping(run, tau, dBodyGetAngularDamping(body), dBodyGetAngularDampingThreshold(body), record->end.angular,
                  out->angular);
}

void dxBrinkPoseGathered(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    if (!record->posed) {
      dxBrinkWake(run, brink->gathered[i], tau);
      record->posed = record->touched = true;
      dxBrinkVelocitiesAt(run, record, tau, &record->next);
      dxBrinkWriteState(record->body, &record->next);
    }
  }
}

static void unpose(dxBrinkBody *record) {
  record->posed = false;
  dxBrinkWriteState(record->body, &record->end);
}

/* Puts posed bodies that are not gathered (any more) back to where the last solve left them. */
static void unposeOthers(dBrinkID brink) {
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    if (record->posed && !dxBrinkIsGathered(brink, brink->awake[i])) {
      unpose(record);
    }
  }
}

void dxBrinkUnposeAll(dBrinkID brink) {
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    if (brink->bodies[brink->awake[i]].posed) {
      unpose(&brink->bodies[brink->awake[i]]);
    }
  }
}

/* Solves the step from tau to its end for the gathered bodies, which are at their poses of tau. insteadOfLast: the
 * solve that led here does not count. */
bool dxBrinkSolveGathered(dxBrinkRun *run, double tau, bool insteadOfLast) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    dxBrinkReadState(record->body, &record->next); /* as ODE normalised it */
    record->frozen = record->searched = false;
    record->struck = brink->anyStruck = true;
    dBodySetForce(record->body, record->force[0], record->force[1], record->force[2]);
    dBodySetTorque(record->body, record->torque[0], record->torque[1], record->torque[2]);
  }
  if (!dxBrinkSolveIsland(run, 1 - tau, insteadOfLast)) {
    return false;
  }
  bool finite = true;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    dxBrinkReadState(record->body, &record->end);
    dxBrinkReadSpin(record->body, &record->end, (1 - tau) * run->h, true, record->spin);
    finite = finite && dxBrinkStateIsFinite(&record->end);
  }
  dxBrinkRestoreDamping(brink);
  if (finite) {
    dxBrinkCloseJoints(run, brink->gathered, brink->gatheredCount, 1 - tau);
  }
  return finite;
}

/* Stops a body at its impact pose for the rest of the step. It keeps the velocity of the last solve (or a body stopped
 * at the very start of a step would never feel a contact), but for what the step's forces did in the time that is lost
 * (or one that hangs on something for long would gather speed). */
static void freezeBody(dxBrinkRun *run, dxBrinkBody *record, double tau) {
  if (record->moves) {
    run->brink->info.lostTime += (1 - tau) * run->h / (double)run->bodyCount;
  }
  if (dxBrinkStateIsFinite(&record->end)) {
    dxBrinkVelocitiesAt(run, record, tau, &record->next);
  }
  record->frozen = true;
  record->posed = record->touched = true;
  record->end = record->next;
  dxBrinkWriteState(record->body, &record->next);
}

static void freezeGathered(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkWake(run, brink->gathered[i], tau);
    freezeBody(run, &brink->bodies[brink->gathered[i]], tau);
  }
}

/* A pair with a mesh that has come so near that no step of time can be proved for it would stand still for ever: it is
 * set apart by a few thousandths of its allowance. After the impact states were read. */
static bool isTooNear(const dxBrink *brink, const dxBrinkStrike *strike, double *allowance) {
  brinkSinking at;
  *allowance = dxBrinkPairAllowance(brink, strike->pair);
  if (!dxBrinkIsSunken(brink, &strike->contact, strike->pair)) {
    return strike->contact.distance < DX_BRINK_CREEPING * *allowance;
  }
  if (!dxBrinkSinking(brink, strike->pair, strike->contact.toi, &at)) {
    return false;
  }
  *allowance = at.depth;
  return at.coreGap < DX_BRINK_CREEPING * at.depth;
}

static void setCreepersApart(dBrinkID brink) {
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    const dxBrinkStrike *strike = &brink->strikes[i];
    const dxBrinkGeom *a = &brink->geoms[strike->pair.geomA], *b = &brink->geoms[strike->pair.geomB];
    double allowance;
    if (!(a->shape.surface || b->shape.surface) || !isTooNear(brink, strike, &allowance)) {
      continue;
    }
    bool first = a->body != BRINK_NO_RECORD && brink->bodies[a->body].dynamic;
    dxBrinkBody *mover = first ? &brink->bodies[a->body] : b->body != BRINK_NO_RECORD ? &brink->bodies[b->body] : NULL;
    for (int axis = 0; mover != NULL && axis < 3; ++axis) { /* the normal points from A to B */
      mover->next.position[axis] += (first ? -4 : 4) * DX_BRINK_CREEPING * allowance * strike->normal[axis];
    }
  }
}

/* Scheme A' for the strikes found at `local`. dxBrinkOutcomeDropped: the program wants none of them, nothing has
 * changed. */
dxBrinkOutcome dxBrinkRespondWithContacts(dxBrinkRun *run, double local) {
  dBrinkID brink = run->brink;
  double tau = run->t + local * (1 - run->t);
  size_t firstStale = brink->disabledCount;
  if (!dxBrinkReadImpactStates(brink, local) || !dxBrinkGatherStruck(brink, true) || !dxBrinkListStaleContacts(brink) ||
      !dxBrinkListNearPairs(brink)) {
    brink->disabledCount = firstStale;
    return dxBrinkOutcomeFailed;
  }
  setCreepersApart(brink);
  dxBrinkPoseGathered(run, tau);
  bool anyWanted = false;
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    dxBrinkStrikePair(run, &brink->strikes[i]);
    if (brink->worldChanged) {
      return dxBrinkOutcomeFailed;
    }
    anyWanted = anyWanted || brink->strikes[i].wanted;
    if (!brink->strikes[i].wanted && !dxBrinkDropPair(brink, brink->strikes[i].pair)) {
      return dxBrinkOutcomeFailed;
    }
  }
  if (dxBrinkWorldChanged(brink) || !dxBrinkGatherStruck(brink, true)) { /* nothing when none is wanted */
    return dxBrinkOutcomeFailed;
  }
  unposeOthers(brink);
  dxBrinkDisableStaleContacts(brink, firstStale);
  if (!anyWanted) {
    return dxBrinkOutcomeDropped;
  }
  dxBrinkPoseGathered(run, tau);
  dxBrinkCallNearOthers(run);
  if (dxBrinkWorldChanged(brink) || !dxBrinkSpread(brink, true)) {
    return dxBrinkOutcomeFailed;
  }
  dxBrinkPoseGathered(run, tau); /* bodies that the program tied to the island just now */
  return dxBrinkSolveGathered(run, tau, false) ? dxBrinkOutcomeSolved : dxBrinkOutcomeFailed;
}

bool dxBrinkClampStrikes(dxBrinkRun *run, double local) {
  dBrinkID brink = run->brink;
  if (!dxBrinkReadImpactStates(brink, local) || !dxBrinkGatherStruck(brink, false)) {
    return false;
  }
  setCreepersApart(brink);
  freezeGathered(run, run->t + local * (1 - run->t));
  brink->info.clamps++;
  return true;
}

/* The guard's last resort, when Brink or memory gives no answer: everything that was asked about stays where the proof
 * ends. */
void dxBrinkClampAll(dxBrinkRun *run, double local) {
  dBrinkID brink = run->brink;
  if (!dxBrinkReadImpactStates(brink, local)) {
    for (size_t i = 0; i < brink->awakeCount; ++i) {
      brink->bodies[brink->awake[i]].next = brink->bodies[brink->awake[i]].start;
    }
  }
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    freezeBody(run, &brink->bodies[brink->awake[i]], run->t + local * (1 - run->t));
  }
  brink->info.clamps++;
}
