/* SPDX-License-Identifier: BSD-3-Clause */
/* What does it mean that the program's callback makes no contact for a struck pair?
 * Where a callback has made contacts inside a step before: that it wants none. Until then nobody can tell, as it may
 * only note pairs there, and make their contacts after its own collide. So the pair waits where it was struck, and the
 * next frame tells. Silence is evidence about one pair in one frame:
 *   a contact of the pair when the next step begins    it is wanted, and counts as one that had contacts in that step
 *   none, though the program was asked about it         it is unwanted in that step
 *   none, and it was not asked                          nobody can tell, as before
 * Asked: its geoms' boxes meet, and the engine's colliders see them touch. So that it is, whatever waits is shown to
 * the program a hair nearer than it was stopped, touching, and goes back when the step begins. What cannot be shown, as
 * something else holds it, is not left hanging: Brink's own contacts hold it then. What is wanted, and lies a hair
 * apart since, as on Brink's contacts, is wanted until the program is asked again. */
#include <math.h>
#include <string.h>

#include "meet.h"
#include "step.h"

static bool isOf(const brinkStepSilent *silent, const void *a, const void *b) {
  return (silent->geoms[0] == a && silent->geoms[1] == b) || (silent->geoms[0] == b && silent->geoms[1] == a);
}

static brinkStepSilent *findSilent(const brinkStepper *stepper, brinkStepPair pair) {
  const void *a = stepper->colliders[pair.a].geom, *b = stepper->colliders[pair.b].geom;
  for (size_t i = 0; i < stepper->pairs.silentCount; ++i) {
    if (isOf(&stepper->pairs.silent[i], a, b)) {
      return &stepper->pairs.silent[i];
    }
  }
  return NULL;
}

static bool isWanted(const brinkStepSilent *silent) { return silent->verdict >= brink_stepWanted; }

static bool addSilent(brinkStepper *stepper, brinkStepPair pair) {
  if (!BRINK_STEP_RESERVE(stepper->pairs.silent, stepper->pairs.silentCount, stepper->pairs.silentCapacity)) {
    return false;
  }
  stepper->pairs.silent[stepper->pairs.silentCount++] =
      (brinkStepSilent){.pair = pair, .geoms = {stepper->colliders[pair.a].geom, stepper->colliders[pair.b].geom}};
  stepper->pairs.silent[stepper->pairs.silentCount - 1].friction = BRINK_STEP_FRICTION;
  return true;
}

/* ---- what waits is shown to the program as touching */

static bool isDynamic(const brinkStepper *stepper, uint32_t collider) {
  const uint32_t body = stepper->colliders[collider].body;
  return body != BRINK_NO_RECORD && stepper->bodies[body].dynamic;
}

/* Moves the gathered bodies; where they were is noted once. False: no memory. */
static bool showAt(brinkStepper *stepper, const double way[3]) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    struct brinkStepPairs *pairs = &stepper->pairs;
    brinkStepState state;
    size_t at = 0;
    if (!stepper->bodies[number].dynamic) {
      continue;
    }
    stepper->host->readState(stepper->user, number, &state);
    while (at < pairs->shownCount && pairs->shown[at].number != number) {
      ++at;
    }
    if (at == pairs->shownCount) {
      if (!BRINK_STEP_RESERVE(pairs->shown, pairs->shownCount, pairs->shownCapacity)) {
        return false;
      }
      pairs->shown[pairs->shownCount++] = (brinkStepShown){.number = number, .body = stepper->bodies[number].body};
      memcpy(pairs->shown[at].home, state.position, sizeof(state.position));
    }
    for (int k = 0; k < 3; ++k) {
      state.position[k] += way[k];
    }
    stepper->host->writeState(stepper->user, number, &state);
    stepper->host->readState(stepper->user, number, &state);
    memcpy(pairs->shown[at].there, state.position, sizeof(state.position));
  }
  return true;
}

static bool findNearest(const brinkStepper *stepper, brinkStepPair pair, double margin, brinkContactPoint *out) {
  brinkContactPoint points[BRINK_STEP_MOST_POINTS];
  const size_t count = stepper->host->contactPoints(stepper->user, pair, margin, points, BRINK_STEP_MOST_POINTS);
  for (size_t i = 0; i < count; ++i) {
    *out = i == 0 || points[i].separation < out->separation ? points[i] : *out;
  }
  return count > 0;
}

/* The gathered bodies, which are on one side of the pair, go until the engine's colliders see it touch. False: it is
 * farther apart than the margin, as something else has led it apart again, or no memory. */
static bool showPair(brinkStepper *stepper, brinkStepPair pair, bool moveA, double margin) {
  const double allowance = brinkStepPairAllowance(stepper, pair);
  const double deeper[] = {BRINK_STEP_HAIR * BRINK_STEP_EDGE, BRINK_STEP_EDGE, BRINK_STEP_TOUCHING};
  brinkContactPoint nearest;
  if (!(margin >= 0) || !findNearest(stepper, pair, margin, &nearest)) {
    return false;
  }
  for (size_t i = 0; i < sizeof(deeper) / sizeof(*deeper) && !stepper->host->touches(stepper->user, pair); ++i) {
    const double way = (moveA ? 1 : -1) * (nearest.separation + deeper[i] * allowance);
    if (!showAt(stepper, (double[3]){way * nearest.normal.x, way * nearest.normal.y, way * nearest.normal.z}) ||
        !findNearest(stepper, pair, margin, &nearest)) {
      return false;
    }
  }
  return true;
}

/* m, from where it was stopped. */
static double shownBy(const brinkStepper *stepper, uint32_t number) {
  for (size_t i = 0; i < stepper->pairs.shownCount; ++i) {
    const double *p = stepper->pairs.shown[i].there, *q = stepper->pairs.shown[i].home;
    if (stepper->pairs.shown[i].number == number) {
      return hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
    }
  }
  return 0;
}

/* What hangs together with what waits often comes to the same thing a little later, and would wait one after the other:
 * what is within their allowances of it is shown, too. */
static void showKin(brinkStepper *stepper, brinkStepPair pair, bool moveA) {
  const brinkStepCollider *first = &stepper->colliders[moveA ? pair.a : pair.b];
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    uint32_t own = stepper->bodies[stepper->island.gathered[i]].firstCollider;
    for (; own != BRINK_NO_RECORD; own = stepper->colliders[own].nextOfBody) {
      const brinkStepPair kin = {moveA ? own : pair.a, moveA ? pair.b : own};
      const double most = fmin(first->allowance, stepper->colliders[own].allowance);
      if (brinkStepWantPair(stepper, 0, 0, kin.a, kin.b) && findSilent(stepper, kin) == NULL &&
          showPair(stepper, kin, moveA, most - shownBy(stepper, first->body))) {
        (void)addSilent(stepper, kin); /* no memory: it waits when it is struck */
      }
    }
  }
}

/* A body of the pair, and what joints hold to it, but for the pair's other one. False: no memory. */
static bool gatherMover(brinkStepper *stepper, brinkStepPair pair, bool moveA) {
  const uint32_t mover = stepper->colliders[moveA ? pair.a : pair.b].body;
  brinkStepBeginGathering(stepper);
  if (!brinkStepGather(stepper, mover) || !brinkStepSpread(stepper, false)) {
    return false;
  }
  if (brinkStepIsGathered(stepper, stepper->colliders[moveA ? pair.b : pair.a].body)) {
    brinkStepBeginGathering(stepper);
    return brinkStepGather(stepper, mover);
  }
  return true;
}

/* At the end of a step. */
void brinkStepShowSilent(brinkStepper *stepper) {
  const size_t count = stepper->pairs.silentCount;
  for (size_t i = 0; i < count && !stepper->worldChanged; ++i) {
    const brinkStepPair pair = stepper->pairs.silent[i].pair;
    const bool moveA = isDynamic(stepper, pair.a);
    if (stepper->pairs.silent[i].waits && gatherMover(stepper, pair, moveA) &&
        showPair(stepper, pair, moveA, 2 * brinkStepPairAllowance(stepper, pair))) {
      showKin(stepper, pair, moveA);
    }
  }
}

/* What was shown goes back, unless the program has moved it. */
static void endShowing(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->pairs.shownCount; ++i) {
    const brinkStepShown *shown = &stepper->pairs.shown[i];
    brinkStepState state;
    if (shown->number >= stepper->bodyCount || stepper->bodies[shown->number].body != shown->body) {
      continue;
    }
    stepper->host->readState(stepper->user, shown->number, &state);
    if (memcmp(state.position, shown->there, sizeof(shown->there)) == 0) {
      memcpy(state.position, shown->home, sizeof(state.position));
      stepper->host->writeState(stepper->user, shown->number, &state);
      memcpy(stepper->bodies[shown->number].end.position, shown->home, sizeof(shown->home));
      (void)brinkStepReadStart(stepper, shown->number); /* the host has read its forces, and knows that it is fit */
    }
  }
  stepper->pairs.shownCount = 0;
}

/* ---- what the frame tells */

static brinkStepVerdict hear(brinkStepper *stepper, brinkStepSilent *silent) {
  double friction;
  if (stepper->host->hasContact(stepper->user, silent->pair, &friction)) {
    silent->friction = friction;
    if (!stepper->pairs.makesLater) {
      stepper->pairs.makesLater = true;
      brinkStepLog(stepper, brink_logWarning,
                   "this program makes contacts after it has asked for collisions, not in its callback: what is struck "
                   "inside a step waits there for its contacts until the next one. Make them in the callback to lose "
                   "no time");
    }
    return brink_stepWanted;
  }
  if (stepper->host->touches(stepper->user, silent->pair)) {
    return brink_stepUnwanted;
  }
  brinkContactPoint nearest;
  const bool near =
      isWanted(silent) && findNearest(stepper, silent->pair, brinkStepPairAllowance(stepper, silent->pair), &nearest);
  return near ? brink_stepUnseen : brink_stepUntold;
}

/* At the start of a step, after the walk. Where the program's contacts do not hold a pair, as one point does not hold a
 * rod, Brink's do: else it would wait in every frame. So do they where no collider can show it to the program. */
void brinkStepBeginSilence(brinkStepper *stepper) {
  size_t kept = 0;
  for (size_t i = 0; i < stepper->pairs.silentCount && !stepper->pairs.makesInside; ++i) {
    brinkStepSilent silent = stepper->pairs.silent[i];
    const brinkStepPair pair = {brinkStepFindCollider(stepper, silent.geoms[0], silent.pair.a),
                                brinkStepFindCollider(stepper, silent.geoms[1], silent.pair.b)};
    if (pair.a == BRINK_NO_RECORD || pair.b == BRINK_NO_RECORD) {
      continue;
    }
    silent.pair = pair;
    silent.verdict = hear(stepper, &silent);
    silent.waited = silent.waits && silent.verdict == brink_stepUntold ? silent.waited + 1 : 0;
    silent.waits = false;
    silent.verdict = silent.waited > BRINK_STEP_AGAIN ? brink_stepWanted : silent.verdict;
    if (isWanted(&silent)) {
      (void)brinkStepNoteContacts(stepper, pair); /* no memory: it waits again */
    }
    if (silent.verdict != brink_stepUntold || silent.waited > 0) {
      stepper->pairs.silent[kept++] = silent;
    }
  }
  stepper->pairs.silentCount = kept;
  endShowing(stepper);
}

double brinkStepFrictionOf(const brinkStepper *stepper, brinkStepPair pair) {
  const brinkStepSilent *silent = findSilent(stepper, pair);
  return silent != NULL && isWanted(silent) ? silent->friction : BRINK_STEP_FRICTION;
}

bool brinkStepIsUnseen(const brinkStepper *stepper, brinkStepPair pair) {
  const brinkStepSilent *silent = findSilent(stepper, pair);
  return silent != NULL && silent->verdict == brink_stepUnseen;
}

/* A struck pair for which the callback has made nothing: does it wait for what the next frame tells? Else it passes.
 * Did the callback switch one of the two off, or take its bits, it has said what it wants. */
bool brinkStepAwaitsAnswer(brinkStepper *stepper, brinkStepPair pair) {
  if (stepper->pairs.makesInside || !stepper->host->collides(stepper->user, pair)) {
    return false;
  }
  brinkStepSilent *silent = findSilent(stepper, pair);
  if (silent == NULL) {
    silent = addSilent(stepper, pair) ? &stepper->pairs.silent[stepper->pairs.silentCount - 1] : NULL;
  }
  if (silent != NULL) {
    silent->waits = silent->verdict != brink_stepUnwanted;
  }
  return silent != NULL && silent->waits;
}
