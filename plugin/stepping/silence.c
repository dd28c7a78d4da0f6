/* SPDX-License-Identifier: BSD-3-Clause */
/* What does it mean that the program's callback makes no contact for a struck pair?
 * Either the program does not want the pair to collide; or it only notes pairs there and makes their contacts later,
 * outside of it. Where a callback has made contacts inside a step before, it is the first. Until then nobody can
 * tell, so the pair waits for one frame where the engine's colliders see it touch, with its speed: if the program has
 * made a contact for it when the next step begins, that one acts, and as long as there is one the pair is wanted; if
 * not, the pair passes, and so does the rest of its chain of joints there. It tells nothing of other pairs: a sensor is
 * often the first that a program is asked about. */
#include "step.h"

static bool isOf(const brinkStepSilent *silent, const void *a, const void *b) {
  return (silent->geoms[0] == a && silent->geoms[1] == b) || (silent->geoms[0] == b && silent->geoms[1] == a);
}

static brinkStepSilent *findSilent(brinkStepper *stepper, brinkStepPair pair) {
  const void *a = stepper->colliders[pair.a].geom, *b = stepper->colliders[pair.b].geom;
  for (size_t i = 0; i < stepper->pairs.silentCount; ++i) {
    if (isOf(&stepper->pairs.silent[i], a, b)) {
      return &stepper->pairs.silent[i];
    }
  }
  return NULL;
}

static uint32_t chainOf(const brinkStepper *stepper, uint32_t collider) {
  const uint32_t body = collider != BRINK_NO_RECORD ? stepper->colliders[collider].body : BRINK_NO_RECORD;
  return body != BRINK_NO_RECORD ? stepper->bodies[body].chain : BRINK_NO_RECORD;
}

/* Does the program not want it, or what a chain of joints holds to one of the two, at the other one? */
static bool isUnwanted(brinkStepper *stepper, brinkStepPair pair) {
  const uint32_t sides[2] = {pair.a, pair.b};
  for (size_t i = 0; i < stepper->pairs.silentCount; ++i) {
    brinkStepSilent *silent = &stepper->pairs.silent[i];
    for (int k = 0; silent->unwanted && k < 4; ++k) {
      const int at = k / 2, mine = k % 2;
      const uint32_t chain = chainOf(stepper, sides[mine]);
      const uint32_t kin =
          brinkStepFindCollider(stepper, silent->geoms[1 - at], at == 0 ? silent->pair.b : silent->pair.a);
      /* Of one body a sensor beside a solid geom tells nothing. */
      if (silent->geoms[at] == stepper->colliders[sides[1 - mine]].geom && chain != BRINK_NO_RECORD &&
          chain == chainOf(stepper, kin) &&
          (kin == sides[mine] || stepper->colliders[kin].body != stepper->colliders[sides[mine]].body)) {
        silent->step = stepper->stepNumber;
        return true;
      }
    }
  }
  return false;
}

/* Of what another impact has led apart again since it waited, the program had no contact to make. */
static bool touchesNow(const brinkStepper *stepper, brinkStepPair pair) {
  brinkContactPoint point;
  return stepper->host->contactPoints(stepper->user, pair, 0, &point, 1) > 0 && point.separation < 0;
}

/* At the start of a step, after the walk: what did the program make of the pairs that waited? One that has its contacts
 * now has had contacts in this step. Where they do not hold it, as one point does not hold a rod, Brink's do: else it
 * would wait in every frame. */
void brinkStepBeginSilence(brinkStepper *stepper) {
  size_t kept = 0;
  for (size_t i = 0; i < stepper->pairs.silentCount; ++i) {
    brinkStepSilent silent = stepper->pairs.silent[i];
    const brinkStepPair pair = {brinkStepFindCollider(stepper, silent.geoms[0], silent.pair.a),
                                brinkStepFindCollider(stepper, silent.geoms[1], silent.pair.b)};
    if (pair.a == BRINK_NO_RECORD || pair.b == BRINK_NO_RECORD ||
        stepper->stepNumber - silent.step > BRINK_STEP_AGAIN) {
      continue;
    }
    if (!silent.unwanted && stepper->host->hasContact(stepper->user, pair)) {
      if (!stepper->pairs.makesLater) {
        stepper->pairs.makesLater = true;
        brinkStepLog(
            stepper, brink_logWarning,
            "this program makes contacts after it has asked for collisions, not in its callback: what is struck "
            "inside a step waits there for its contacts until the next one. Make them in the callback to lose no "
            "time");
      }
      silent.wanted = brinkStepNoteContacts(stepper, pair);
      silent.step = stepper->stepNumber;
    } else if (silent.wanted || !(silent.unwanted || touchesNow(stepper, pair))) {
      continue;
    } else {
      silent.unwanted = true;
    }
    stepper->pairs.silent[kept++] = silent;
  }
  stepper->pairs.silentCount = kept;
}

/* A struck pair for which the callback has made nothing. Did it switch one of the two off, or take its bits, it has
 * said what it wants. */
brinkStepSilence brinkStepHearSilence(brinkStepper *stepper, brinkStepPair pair) {
  if (stepper->pairs.makesInside || !stepper->host->collides(stepper->user, pair) || isUnwanted(stepper, pair)) {
    return brinkStepSilenceDrops;
  }
  brinkStepSilent *silent = findSilent(stepper, pair);
  if (silent == NULL) {
    if (!BRINK_STEP_RESERVE(stepper->pairs.silent, stepper->pairs.silentCount, stepper->pairs.silentCapacity)) {
      return brinkStepSilenceDrops;
    }
    silent = &stepper->pairs.silent[stepper->pairs.silentCount++];
    *silent = (brinkStepSilent){.pair = pair,
                                .geoms = {stepper->colliders[pair.a].geom, stepper->colliders[pair.b].geom},
                                .step = stepper->stepNumber};
    return brinkStepSilenceDeepens;
  }
  silent->step = stepper->stepNumber;
  return brinkStepSilenceWaits;
}
