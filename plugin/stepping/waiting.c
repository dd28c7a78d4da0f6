/* SPDX-License-Identifier: BSD-3-Clause */
/* What velocity has a body that was clamped at tau, and waits there for the next step? And who is squeezed?
 * It keeps what it had. The forces of the time that it waits are not put in, as the next step gives its own, and what
 * contacts and joints do against them in that time is not either.
 *
 * change: what the solve changed of its velocity, damping apart. forces: what the step's own forces do in that. The
 * rest, change - forces, comes from contacts and joints, of two kinds:
 * - They hold it up: they stand against a part `held` of the forces, [0,1]. A slope on which a body slides turns it
 * aside, too; without friction by no more than sqrt(held (1 - held)) |forces| (the rest of a vector beside its
 * projection). `holds`, [0,1], is the part of the remainder that is within that.
 * - They strike it: an impulse, all that is beyond. It acts at the solve's start, and belongs to the body however long
 * it waits. So over time the solve gave it holds change + (1 - holds) (1 - held) forces, and as much of that is taken
 * back as it waits. That is all of forces in free flight, also after a bounce off a wall; nothing of what rests, hangs
 * in friction or has bounced off its floor; and what leads down the slope on which it slides. Where holds is 1
 * velocities lie between those of the solve's start and end: there is no more energy than in one of them. Turning goes
 * by the same two.
 *
 * Interpolating all of change would bring back speed that an impulse has taken. Taking back forces alone lifts what
 * rests. Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "step.h"

static void toArray(const brinkStepState *state, double out[6]) {
  memcpy(out, state->linear, sizeof(state->linear));
  memcpy(out + 3, state->angular, sizeof(state->angular));
}

static void forcesOf(const brinkStepper *stepper, const brinkStepBody *record, double part, double out[6]) {
  brinkStepState taken = record->start;
  memset(taken.linear, 0, sizeof(taken.linear));
  memset(taken.angular, 0, sizeof(taken.angular));
  stepper->host->takeBackForces(stepper->user, brinkStepNumberOf(stepper, record), part * stepper->now.h, &taken);
  toArray(&taken, out);
  for (int i = 0; i < 6; ++i) {
    out[i] = -out[i];
  }
}

void brinkStepVelocitiesOfWaiting(const brinkStepper *stepper, const brinkStepBody *record, double tau,
                                  brinkStepState *out) {
  const uint32_t number = brinkStepNumberOf(stepper, record);
  const double from = record->solvedAgain ? record->begun.at : 0;
  memcpy(out->linear, record->end.linear, sizeof(out->linear));
  memcpy(out->angular, record->end.angular, sizeof(out->angular));
  if (brinkStepGoesOn(stepper, record)) {
    brinkStepVelocitiesAt(stepper, record, tau, out);
    return;
  }
  if (record->frozen || !(from < 1)) {
    return; /* it waits already */
  }
  stepper->host->giveBackDamping(stepper->user, number, tau, out);
  double change[6], forces[6], began[6], along = 0, whole = 0, beside = 0;
  brinkStepState end = record->end;
  stepper->host->giveBackDamping(stepper->user, number, from, &end);
  toArray(&end, change);
  toArray(&record->start, began);
  forcesOf(stepper, record, 1 - from, forces);
  for (int i = 0; i < 6; ++i) {
    change[i] -= record->solvedAgain ? record->begun.velocities[i] : began[i];
  }
  for (int i = 0; record->dynamic && i < 3; ++i) {
    along += (change[i] - forces[i]) * forces[i];
    whole += forces[i] * forces[i];
  }
  const double held = whole > 0 ? fmin(fmax(-along / whole, 0), 1) : 0, most = held * (1 - held) * whole;
  for (int i = 0; i < 3; ++i) {
    const double other = change[i] - (1 - held) * forces[i];
    beside += other * other;
  }
  const double holds = beside > most ? sqrt(most / beside) : 1, lost = record->dynamic ? (1 - tau) / (1 - from) : 0;
  for (int i = 0; i < 3; ++i) {
    out->linear[i] -= lost * (holds * change[i] + (1 - holds) * (1 - held) * forces[i]);
    out->angular[i] -= lost * (holds * change[3 + i] + (1 - holds) * (1 - held) * forces[3 + i]);
  }
}

/* An extra solve is handed the velocities of brinkStepVelocitiesAt, record->next: less all that forces do in its time,
 * also what was held up. It gives that back, so it is no change of the body's. */
void brinkStepNoteBegun(const brinkStepper *stepper, brinkStepBody *record, double tau, bool insteadOfLast) {
  brinkStepState handed = record->next, waits = record->next;
  double at[6], was[6], has[6];
  if (!record->solvedAgain) {
    toArray(&record->start, record->begun.entered);
    toArray(&record->end, record->begun.solved);
    record->begun.anew = false;
  }
  toArray(&record->next, at);
  brinkStepVelocitiesAt(stepper, record, tau, &handed);
  brinkStepVelocitiesOfWaiting(stepper, record, tau, &waits);
  toArray(&handed, was);
  toArray(&waits, has);
  for (int i = 0; i < 6; ++i) {
    record->begun.velocities[i] = at[i] + (insteadOfLast ? 0 : has[i] - was[i]);
  }
  record->begun.at = tau;
  record->solvedAgain = true;
}

/* ---- the time that is lost, of all bodies in the mean */

/* It is stopped at tau. */
void brinkStepCountLost(brinkStepper *stepper, brinkStepBody *record, double tau) {
  if (record->moves && !record->missed) {
    stepper->report.lostTime += (1 - tau) * stepper->now.h / (double)stepper->now.bodyCount;
    record->missed = true;
  }
}

/* It is solved again from tau on: what is left of the step is not lost, if it was stopped before. */
void brinkStepSetGoing(brinkStepper *stepper, brinkStepBody *record, double tau) {
  if (record->missed) {
    stepper->report.lostTime -= (1 - tau) * stepper->now.h / (double)stepper->now.bodyCount;
  }
  record->frozen = record->missed = false;
  brinkStepBody *before = record; /* and goes on by itself */
  while (&stepper->bodies[before->beside] != record) {
    before = &stepper->bodies[before->beside];
  }
  before->beside = record->beside;
  record->beside = brinkStepNumberOf(stepper, record);
}

/* ---- bodies that are stopped in step after step, or squeezed: no faster than what squeezes them */

bool brinkStepGetsNowhere(const brinkStepper *stepper, const brinkStepBody *record) {
  return record->dynamic && record->frozenStep > 0 && stepper->stepNumber - record->frozenStep <= 1;
}

/* Twice its energy, J, with these velocities; *mass: kg. */
static double energyOf(const brinkStepper *stepper, const brinkStepBody *record, const double velocities[6],
                       double *mass) {
  brinkStepState state = record->next;
  brinkStepWeight weight;
  memcpy(state.linear, velocities, sizeof(state.linear));
  memcpy(state.angular, velocities + 3, sizeof(state.angular));
  stepper->host->weigh(stepper->user, brinkStepNumberOf(stepper, record), &state, &weight);
  *mass = weight.mass;
  return weight.energy;
}

/* At its pose of tau, with the velocities that the step found and what forces have given since. */
static brinkStepState stateBefore(const brinkStepper *stepper, const brinkStepBody *record, double tau) {
  brinkStepState state = record->next;
  memcpy(state.linear, record->begun.entered, sizeof(state.linear));
  memcpy(state.angular, record->begun.entered + 3, sizeof(state.angular));
  stepper->host->takeBackForces(stepper->user, brinkStepNumberOf(stepper, record), -tau * stepper->now.h, &state);
  return state;
}

/* The gathered bodies are at tau, where joints have pulled at them. If that has given them energy, they begin anew, as
 * fast as the step found them: the solves before do not count. Once a step. */
void brinkStepStartOver(const brinkStepper *stepper, double tau) {
  double gained = 0, mass, was[6], now[6];
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    brinkStepState before = stateBefore(stepper, record, tau);
    toArray(&before, was);
    toArray(&record->next, now);
    gained += record->dynamic ? energyOf(stepper, record, now, &mass) - energyOf(stepper, record, was, &mass) : 0;
  }
  for (size_t i = 0; gained > 0 && i < stepper->island.gatheredCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    if (record->dynamic && !record->begun.anew) {
      record->next = stateBefore(stepper, record, tau);
      record->begun.anew = true;
      stepper->host->writeState(stepper->user, stepper->island.gathered[i], &record->next);
      toArray(&record->next, record->begun.velocities);
    }
  }
}

/* At the step's start; solved: after its own solve. */
static void velocitiesBefore(const brinkStepBody *record, bool solved, double out[6]) {
  if (record->solvedAgain) {
    memcpy(out, solved ? record->begun.solved : record->begun.entered, 6 * sizeof(*out));
  } else {
    toArray(solved ? &record->end : &record->start, out);
  }
}

/* m/s, the root of twice the energy by the mass: of the fastest of the gathered bodies before. What is moved counts by
 * its fastest point. */
static double fastestBefore(const brinkStepper *stepper, bool solved) {
  double most = 0, velocities[6], mass;
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    for (int at = 0; record->dynamic && at <= solved; ++at) {
      velocitiesBefore(record, at, velocities);
      most = fmax(most, sqrt(energyOf(stepper, record, velocities, &mass) / mass));
    }
    most = record->dynamic ? most : fmax(most, brinkStepFastest(record));
  }
  return most;
}

/* How much of what has changed its velocities since, [0,1], leaves it no faster than `most`? It was not. */
static double partWithin(const brinkStepper *stepper, const brinkStepBody *record, const double before[6],
                         const brinkStepState *state, double most) {
  double now[6], change[6], mass;
  toArray(state, now);
  for (int i = 0; i < 6; ++i) {
    change[i] = now[i] - before[i];
  }
  const double energy = energyOf(stepper, record, now, &mass), had = energyOf(stepper, record, before, &mass);
  const double square = energyOf(stepper, record, change, &mass), half = (energy - had - square) / 2;
  const double left = fmax(mass * most * most, had);
  return energy > left && square > 0 ? fmin(fmax((sqrt(half * half + square * (left - had)) - half) / square, 0), 1)
                                     : 1;
}

static void takePart(const double before[6], double part, brinkStepState *state) {
  for (int i = 0; i < 3; ++i) {
    state->linear[i] = before[i] + part * (state->linear[i] - before[i]);
    state->angular[i] = before[3 + i] + part * (state->angular[i] - before[3 + i]);
  }
}

/* Does a joint or contact lead from it to what contacts do not move? */
static bool isHeld(const brinkStepper *stepper, uint32_t number) {
  brinkStepLink link;
  for (int at = 0; stepper->host->nextLink(stepper->user, number, &at, &link);) {
    if (link.body == BRINK_NO_RECORD || !stepper->bodies[link.body].dynamic) {
      return true;
    }
  }
  return false;
}

/* Can there be jaws in the island? Bodies that are held by nothing, joined or not, give each other what they have. */
static bool isDriven(const brinkStepper *stepper) {
  bool jointed = false, held = false;
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    const brinkStepBody *record = &stepper->bodies[number];
    if (!record->dynamic && brinkStepFastest(record) > 0) {
      return true;
    }
    jointed = jointed || (record->dynamic && stepper->hotData[number].jointed);
    held = held || isHeld(stepper, number);
  }
  return jointed && held;
}

/* Struck again and again in one step. Not links of a chain: they have their velocities from each other. */
static bool isSqueezed(const brinkStepper *stepper, uint32_t number) {
  const brinkStepBody *record = &stepper->bodies[number];
  return record->dynamic && record->substeps > BRINK_STEP_AGAIN && !stepper->hotData[number].jointed;
}

static bool anySqueezed(const brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    if (isSqueezed(stepper, stepper->island.gathered[i])) {
      return true;
    }
  }
  return false;
}

/* At a clamp. A body that is stopped early in one step after the other gets nowhere, so forces have done no work on it.
 * What it is struck by may bring it to its own speed, and to no higher one: between jaws that close no velocity is
 * right, and a solver leaves any. So it is no faster than the fastest of the island was when the step began. A body
 * that is squeezed, in an island with kinematic or jointed bodies, is no faster than that, or than the step's own solve
 * has left one of them. */
void brinkStepHoldWaiting(const brinkStepper *stepper, bool early) {
  const double most[2] = {fastestBefore(stepper, false), fastestBefore(stepper, true)};
  const bool driven = isDriven(stepper);
  double before[6];
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    brinkStepBody *record = &stepper->bodies[number];
    const bool stuck = early && brinkStepGetsNowhere(stepper, record);
    if (stuck || (driven && isSqueezed(stepper, number))) {
      velocitiesBefore(record, !stuck, before);
      takePart(before, partWithin(stepper, record, before, &record->next, most[!stuck]), &record->next);
    }
  }
}

/* The same of squeezed bodies after an extra solve. All its impulses are scaled by one factor, so what bodies give each
 * other is not lost. */
void brinkStepHoldSqueezed(const brinkStepper *stepper) {
  if (!anySqueezed(stepper) || !isDriven(stepper)) {
    return;
  }
  const double most = fmax(fastestBefore(stepper, true), brinkStepPushOutSpeed(stepper));
  double before[6], part = 1;
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    const brinkStepBody *record = &stepper->bodies[number];
    if (isSqueezed(stepper, number)) {
      velocitiesBefore(record, true, before);
      part = fmin(part, partWithin(stepper, record, before, &record->end, most));
    }
  }
  for (size_t i = 0; part < 1 && i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    brinkStepBody *record = &stepper->bodies[number];
    if (record->dynamic && !stepper->hotData[number].jointed) {
      velocitiesBefore(record, true, before);
      takePart(before, part, &record->end);
      stepper->host->writeState(stepper->user, number, &record->end);
    }
  }
}

/* ---- what is stopped in mid-air goes on as one */

/* A body at something that contacts do not move. */
static bool strikesFixed(const brinkStepper *stepper, brinkStepPair pair) {
  const uint32_t a = stepper->colliders[pair.a].body, b = stepper->colliders[pair.b].body;
  return a == BRINK_NO_RECORD || b == BRINK_NO_RECORD || !stepper->bodies[a].dynamic || !stepper->bodies[b].dynamic;
}

static bool gatherPair(brinkStepper *stepper, brinkStepPair pair) {
  return brinkStepGather(stepper, stepper->colliders[pair.a].body) &&
         brinkStepGather(stepper, stepper->colliders[pair.b].body);
}

static bool strikesGathered(const brinkStepper *stepper, brinkStepPair pair) {
  return brinkStepIsGathered(stepper, stepper->colliders[pair.a].body) ||
         brinkStepIsGathered(stepper, stepper->colliders[pair.b].body);
}

/* All that is stopped with the gathered bodies: what joints hold to them, what goes on as one with them, and what any
 * of these is struck by. False: no memory. */
static bool gatherStoppedWith(brinkStepper *stepper) {
  bool good = true;
  for (size_t before = 0; good && before < stepper->island.gatheredCount;) {
    before = stepper->island.gatheredCount;
    for (size_t i = 0; good && i < stepper->pairs.impactCount; ++i) {
      const brinkStepPair pair = stepper->pairs.impacts[i].pair;
      good = !strikesGathered(stepper, pair) || gatherPair(stepper, pair);
    }
    for (size_t i = 0; good && i < stepper->island.gatheredCount; ++i) {
      good = brinkStepGather(stepper, stepper->bodies[stepper->island.gathered[i]].beside);
    }
    good = good && brinkStepSpread(stepper, false);
  }
  return good;
}

/* Of the current impacts those whose bodies are stopped together: at fixed things all at once, in mid-air those that
 * hang together, or what flies apart would go on as one. They come first, and are the current ones. *fixed: at fixed
 * things. */
static bool gatherTogether(brinkStepper *stepper, bool *fixed) {
  brinkStepImpact *impacts = stepper->pairs.impacts;
  bool good = true;
  size_t kept = 0;
  *fixed = false;
  brinkStepBeginGathering(stepper);
  for (size_t i = 0; good && i < stepper->pairs.impactCount; ++i) {
    const bool strikes = strikesFixed(stepper, impacts[i].pair);
    good = !strikes || gatherPair(stepper, impacts[i].pair);
    *fixed = *fixed || strikes;
  }
  good = good && (*fixed || gatherPair(stepper, impacts[0].pair)) && gatherStoppedWith(stepper);
  for (size_t i = 0; good && i < stepper->pairs.impactCount; ++i) {
    if (strikesGathered(stepper, impacts[i].pair)) {
      brinkStepSwapImpacts(stepper, i, kept++);
    }
  }
  stepper->pairs.impactCount = good ? kept : stepper->pairs.impactCount;
  return good;
}

void brinkStepSwapImpacts(brinkStepper *stepper, size_t a, size_t b) {
  const brinkStepImpact impact = stepper->pairs.impacts[a];
  stepper->pairs.impacts[a] = stepper->pairs.impacts[b];
  stepper->pairs.impacts[b] = impact;
}

/* The bodies of all current impacts, and all that was stopped with them. False: no memory. */
bool brinkStepGatherAllStopped(brinkStepper *stepper) {
  bool good = true;
  brinkStepBeginGathering(stepper);
  for (size_t i = 0; good && i < stepper->pairs.impactCount; ++i) {
    good = gatherPair(stepper, stepper->pairs.impacts[i].pair);
  }
  return good && gatherStoppedWith(stepper);
}

/* Is nothing that joints and contacts lead to from the gathered bodies held or touched by what is not free? It gathers
 * them all. */
static bool isFree(brinkStepper *stepper) {
  bool is = true;
  for (size_t i = 0; is && i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    brinkStepLink link;
    is = stepper->bodies[number].dynamic && stepper->host->isOn(stepper->user, number) &&
         brinkStepStateIsFinite(&stepper->bodies[number].end);
    for (int at = 0; is && stepper->host->nextLink(stepper->user, number, &at, &link);) {
      is = link.body != BRINK_NO_RECORD && brinkStepGather(stepper, link.body);
    }
  }
  return is;
}

/* Would going on as one take in more bodies than go on so already? None of them may have been stopped for good. */
static bool wouldTakeInMore(const brinkStepper *stepper) {
  size_t together = 1;
  const uint32_t first = stepper->island.gathered[0];
  for (uint32_t at = stepper->bodies[first].beside; at != first; at = stepper->bodies[at].beside) {
    together++;
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    if (record->frozen && !brinkStepGoesOn(stepper, record)) {
      return false;
    }
  }
  return together < stepper->island.gatheredCount;
}

/* Gathers what a clamp stops together, see gatherTogether. *adrift: nothing else than free bodies is struck, and holds
 * or touches them; so their common centre need not stop. It goes on once more only with more bodies than before, so
 * that this comes to an end. False: no memory. */
bool brinkStepGatherStopped(brinkStepper *stepper, bool *adrift) {
  bool fixed;
  if (!gatherTogether(stepper, &fixed)) {
    return false;
  }
  *adrift = !fixed && wouldTakeInMore(stepper);
  if (!*adrift) {
    return true;
  }
  *adrift = isFree(stepper);
  return gatherTogether(stepper, &fixed);
}

static double massOf(const brinkStepper *stepper, uint32_t number) {
  brinkStepWeight weight;
  stepper->host->weigh(stepper->user, number, &stepper->bodies[number].next, &weight);
  return weight.mass;
}

/* The gathered bodies are to be stopped at their poses of tau, record->next: how far would their common centre have
 * gone, and how fast is it, and would it be? */
void brinkStepNoteCentre(const brinkStepper *stepper, brinkStepCentre *out) {
  *out = (brinkStepCentre){.mass = 0};
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    const double mass = massOf(stepper, stepper->island.gathered[i]);
    out->mass += mass;
    for (int k = 0; k < 3; ++k) {
      out->way[k] += mass * (record->end.position[k] - record->next.position[k]);
      out->momentum[0][k] += mass * record->next.linear[k];
      out->momentum[1][k] += mass * record->end.linear[k];
    }
  }
}

/* They have been stopped. Their common centre goes on as it would have, and they with it, straight and without turning:
 * nothing that they hold against each other changes. And it has the momentum that it would have had, all the time: what
 * forces give comes evenly. With them taken back for the time that they wait, what falls would hang. */
void brinkStepGoOnAsOne(brinkStepper *stepper, const brinkStepCentre *centre) {
  const uint32_t *gathered = stepper->island.gathered;
  const size_t count = stepper->island.gatheredCount;
  double has[3] = {0, 0, 0};
  for (size_t i = 0; i < count; ++i) {
    const double mass = massOf(stepper, gathered[i]);
    for (int k = 0; k < 3; ++k) {
      has[k] += mass * stepper->bodies[gathered[i]].next.linear[k];
    }
  }
  for (size_t i = 0; i < count; ++i) {
    brinkStepBody *record = &stepper->bodies[gathered[i]];
    record->beside = gathered[(i + 1) % count];
    for (int k = 0; k < 3; ++k) {
      record->end.position[k] += centre->way[k] / centre->mass;
      record->end.linear[k] += (centre->momentum[1][k] - has[k]) / centre->mass;
      record->next.linear[k] += (centre->momentum[0][k] - has[k]) / centre->mass;
    }
  }
}
