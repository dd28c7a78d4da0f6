/* SPDX-License-Identifier: BSD-3-Clause */
/* Which islands run on clocks of their own?
 * An island that was solved with others (together.c) and is far from everything else does not wait for its turn: it
 * goes ahead. So it is known at once what strikes it next, and that is solved with what strikes the others next, in one
 * call. A step of a crowd has as many solves as impacts follow each other in one place, not as many as there are.
 *
 * Who is ahead has another motion from a time on to which the step's clock has not come. Until then it goes as before,
 * but the question does not know that any more. So its land is promised to it: the boxes of all motions that its bodies
 * have had. Until the clock has come to its time nobody else's new motion enters it; who would is stopped where that
 * motion begins, which is outside. It is rare: who goes ahead is farther from all other lands than anything goes in
 * this step. The program hears of the impacts in the order of time.
 * Units: m; times are parts of the step. */
#include <math.h>
#include <string.h>

#include "together.h"

static const double nowhere[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};

static void addLand(const double from[6], double land[6]) {
  for (int i = 0; i < 3; ++i) {
    land[i] = fmin(land[i], from[i]);
    land[3 + i] = fmax(land[3 + i], from[3 + i]);
  }
}

static bool landsMeet(const double a[6], const double b[6], double margin) {
  bool meet = true;
  for (int i = 0; i < 3; ++i) {
    meet = meet && a[i] <= b[3 + i] + margin && b[i] <= a[3 + i] + margin;
  }
  return meet;
}

/* Where the question knows a body to be. */
static void addBody(const brinkStepper *stepper, uint32_t number, double land[6]) {
  brinkAabb box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  (void)stepper->steps->boxOf(stepper->world, stepper->bodies[number].id, &box); /* failed: anywhere */
  const double known[6] = {box.lower.x, box.lower.y, box.lower.z, box.upper.x, box.upper.y, box.upper.z};
  addLand(known, land);
}

/* How far the fastest body goes in a step; how near another has to come to count. */
static void measureWays(brinkStepper *stepper) {
  struct brinkStepTogether *together = &stepper->island.together;
  together->farthest = together->nearest = 0;
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[stepper->quiet.awake[i]];
    const double way = sqrt(brinkStepSquare3(record->start.position, record->end.position));
    together->farthest = fmax(together->farthest, record->moves ? way / (1 - record->from) : 0);
  }
  for (size_t i = 0; i < stepper->colliderCount; ++i) {
    const brinkStepCollider *collider = &stepper->colliders[i];
    if (collider->geom != NULL && collider->body != BRINK_NO_RECORD && isfinite(collider->allowance)) {
      together->nearest = fmax(together->nearest, collider->allowance);
    }
  }
}

/* Once a step, when the question has just answered: a land for each chain. False: no memory. */
static bool knowLands(brinkStepper *stepper) {
  struct brinkStepTogether *together = &stepper->island.together;
  if (together->landStep == stepper->stepNumber) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(together->landOf, stepper->bodyCount, together->landOfCapacity)) {
    return false;
  }
  together->landCount = 0;
  for (uint32_t i = 0; i < stepper->bodyCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[i];
    if (record->body == NULL) {
      continue;
    }
    if (record->chain == i) { /* the lowest of its bodies */
      if (!BRINK_STEP_RESERVE(together->lands, together->landCount, together->landCapacity)) {
        return false;
      }
      memcpy(together->lands[together->landCount].box, nowhere, sizeof(nowhere));
      together->landOf[i] = (uint32_t)together->landCount++;
    }
    together->landOf[i] = together->landOf[record->chain];
    addBody(stepper, i, together->lands[together->landOf[i]].box);
  }
  measureWays(stepper);
  together->landStep = stepper->stepNumber;
  return true;
}

/* Is it far from all others? island->land: its own then. */
static bool mayGoAhead(const brinkStepper *stepper, struct brinkStepReadyIsland *island) {
  const struct brinkStepTogether *together = &stepper->island.together;
  memcpy(island->land, nowhere, sizeof(nowhere));
  for (size_t i = 0; i < together->landCount; ++i) {
    together->lands[i].own = false;
  }
  for (size_t i = 0; i < island->bodyCount; ++i) {
    struct brinkStepLand *land = &together->lands[together->landOf[together->bodies[island->firstBody + i].number]];
    land->own = true;
    addLand(land->box, island->land);
  }
  for (size_t i = 0; i < together->landCount; ++i) {
    const struct brinkStepLand *land = &together->lands[i];
    if (!land->own && landsMeet(land->box, island->land, together->farthest + together->nearest)) {
      return false;
    }
  }
  return true;
}

/* The first of the solved islands that may go ahead has its turn: its impacts are the current ones; *cut: it has none.
 * *tau 2: there is no such island. False: no memory. */
bool brinkStepNextAhead(brinkStepper *stepper, double *tau, bool *cut) {
  struct brinkStepTogether *together = &stepper->island.together;
  *tau = 2;
  for (;;) {
    struct brinkStepReadyIsland *first = NULL;
    for (size_t i = 0; i < together->islandCount; ++i) {
      struct brinkStepReadyIsland *island = &together->islands[i];
      if (island->solved && !island->waits && (first == NULL || island->tau < first->tau)) {
        first = island;
      }
    }
    if (first == NULL) {
      return true;
    }
    if (!knowLands(stepper)) {
      return false;
    }
    if (!brinkStepIsIntact(stepper, first) || !mayGoAhead(stepper, first)) {
      first->waits = true;
      continue;
    }
    first->solved = false;
    *tau = first->tau;
    *cut = first->impactCount == 0;
    return brinkStepTakeImpactsOf(stepper, first);
  }
}

/* It has taken its turn. */
void brinkStepIsAhead(brinkStepper *stepper) {
  stepper->island.together.islands[stepper->island.together.turn].ahead = true;
}

/* Is this land promised to an island that was not struck before tau? */
static bool isPromised(const brinkStepper *stepper, const double land[6], double tau) {
  const struct brinkStepTogether *together = &stepper->island.together;
  for (size_t i = 0; i < together->islandCount; ++i) {
    const struct brinkStepReadyIsland *island = &together->islands[i];
    if (island->ahead && island->tau > tau && landsMeet(island->land, land, together->nearest)) {
      return true;
    }
  }
  return false;
}

/* The question has answered about what changed at tau: the gathered bodies. False: their new motions enter a land that
 * is promised to somebody else. */
bool brinkStepKeepsPromises(brinkStepper *stepper, double tau) {
  struct brinkStepTogether *together = &stepper->island.together;
  if (together->landStep != stepper->stepNumber) {
    return true;
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    double land[6];
    memcpy(land, nowhere, sizeof(land));
    addBody(stepper, number, land);
    if (isPromised(stepper, land, tau)) {
      return false;
    }
    addLand(land, together->lands[together->landOf[number]].box);
  }
  for (size_t i = 0; i < together->islandCount; ++i) {
    struct brinkStepReadyIsland *island = &together->islands[i];
    for (size_t k = 0; island->ahead && island->tau == tau && k < island->bodyCount; ++k) {
      addLand(together->lands[together->landOf[together->bodies[island->firstBody + k].number]].box, island->land);
    }
  }
  return true;
}

/* The clock of the step comes to t: the program hears of those that were ahead until then. False: no memory. */
bool brinkStepTellUntil(brinkStepper *stepper, double t) {
  struct brinkStepTogether *together = &stepper->island.together;
  bool good = true;
  for (;;) {
    struct brinkStepReadyIsland *first = NULL;
    for (size_t i = 0; i < together->islandCount; ++i) {
      struct brinkStepReadyIsland *island = &together->islands[i];
      if (island->ahead && island->tau <= t && (first == NULL || island->tau < first->tau)) {
        first = island;
      }
    }
    if (first == NULL) {
      return good;
    }
    first->ahead = false;
    for (size_t i = 0; i < first->impactCount; ++i) {
      const brinkStepImpact *impact = &together->impacts[first->firstImpact + i];
      stepper->report.firstToi = fmin(stepper->report.firstToi, first->tau);
      good = good && (!impact->wanted || stepper->told->impact(stepper->user, impact, brink_stepAdvanced));
    }
  }
}
