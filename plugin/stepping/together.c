/* SPDX-License-Identifier: BSD-3-Clause */
/* How do islands that are struck shortly after each other share one solve?
 * An engine walks all bodies of its world in each solve, however few it moves. So when an island is struck, those that
 * are struck within a slice of the step after it are made ready, too: each at its own time, with the contacts that the
 * program makes there. All are solved in one call, for what is left of the step for the first. The host gives the
 * others as much less of their forces as they have less time (brinkStepBody.solvedFrom), so their velocities are those
 * of a solve of their own; each ends where its motion is after its own time. Then every island but the first goes back
 * to where it was, and waits. When its impact is the next event it takes what was solved for it, if nothing has
 * touched it since; else it is solved anew. So the order of impacts, and what is proved, are those of solves one by
 * one.
 *
 * Only islands that share no body, need no stand-ins and no direct solver, and have no joint that reports its forces
 * (feedback). A pair for which the callback is silent ahead of its time goes alone: silence is judged at its own
 * time (silence.c). Slice: the part of the step in which islands share a solve. Claimed: belongs to an island of the
 * slice. tau: part of the step, [0,1]. Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "step.h"

/* A body of an island that is ready. */
struct brinkStepReady {
  uint32_t number;
  double from;           /* of the motion that led here */
  brinkStepState before; /* where that ends */
  double spinBefore[3];  /* rad, from there on */
  brinkStepState next;   /* at tau */
  brinkStepState end;    /* solved: at the step's end */
  double spin[3];        /* the same: rad, turned from tau on */
};

struct brinkStepReadyIsland {
  double tau;
  size_t firstBody, bodyCount, firstImpact, impactCount;
  bool joined, solved;
};

/* ---- events that come later */

void brinkStepForgetReady(brinkStepper *stepper) {
  stepper->island.together.islandCount = stepper->island.together.bodyCount = stepper->island.together.impactCount = 0;
  stepper->island.together.laterCount = 0;
  stepper->island.together.pushOut = HUGE_VAL;
}

/* Of the last answer's events those after `last` are kept for later. False: no memory. */
bool brinkStepPutOffLater(brinkStepper *stepper, double last) {
  struct brinkStepTogether *together = &stepper->island.together;
  size_t kept = 0;
  together->laterCount = 0;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    brinkStepImpact impact = stepper->pairs.impacts[i];
    if (impact.contact.toi <= last) {
      stepper->pairs.impacts[kept++] = impact;
    } else if (impact.contact.state == brink_hit) { /* others come up again */
      if (!BRINK_STEP_RESERVE(together->later, together->laterCount, together->laterCapacity)) {
        return false;
      }
      together->later[together->laterCount++] = impact;
    }
  }
  stepper->pairs.impactCount = kept;
  return true;
}

/* A cut comes before all events of the last answer: all of them are later ones. False: no memory. */
bool brinkStepPutOffAll(brinkStepper *stepper) {
  struct brinkStepTogether *together = &stepper->island.together;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (stepper->pairs.impacts[i].contact.state == brink_hit) {
      if (!BRINK_STEP_RESERVE(together->later, together->laterCount, together->laterCapacity)) {
        return false;
      }
      together->later[together->laterCount++] = stepper->pairs.impacts[i];
    }
  }
  stepper->pairs.impactCount = 0;
  return true;
}

bool brinkStepIsClaimed(const brinkStepper *stepper, uint32_t number) {
  return number != BRINK_NO_RECORD && stepper->bodies[number].claimed == stepper->island.together.slice;
}

static void claimGathered(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    stepper->bodies[stepper->island.gathered[i]].claimed = stepper->island.together.slice;
  }
}

/* Do all its bodies have the motion that they had when it was made ready? */
static bool isIntact(const brinkStepper *stepper, const struct brinkStepReadyIsland *island) {
  for (size_t i = 0; i < island->bodyCount; ++i) {
    const struct brinkStepReady *ready = &stepper->island.together.bodies[island->firstBody + i];
    const brinkStepBody *record = &stepper->bodies[ready->number];
    if (record->body == NULL || record->from != ready->from ||
        memcmp(&record->end, &ready->before, sizeof(record->end)) != 0) {
      return false;
    }
  }
  return true;
}

/* The gathered island begins a slice; islands that are ready from an earlier one stay so. */
void brinkStepBeginSlice(brinkStepper *stepper) {
  struct brinkStepTogether *together = &stepper->island.together;
  together->slice++;
  claimGathered(stepper);
  for (size_t i = 0; i < together->islandCount; ++i) {
    const struct brinkStepReadyIsland *island = &together->islands[i];
    for (size_t k = 0; island->solved && k < island->bodyCount; ++k) {
      stepper->bodies[together->bodies[island->firstBody + k].number].claimed = together->slice;
    }
  }
}

static bool keepImpact(brinkStepper *stepper, const brinkStepImpact *impact) {
  if (!BRINK_STEP_RESERVE(stepper->pairs.impacts, stepper->pairs.impactCount, stepper->pairs.impactCapacity)) {
    return false;
  }
  stepper->pairs.impacts[stepper->pairs.impactCount++] = *impact;
  return true;
}

/* The first of the later events until `last` of bodies that no other island of the slice has: it is the current impact
 * now. *tau: its time; 2: there is none. False: no memory. */
bool brinkStepNextLater(brinkStepper *stepper, double last, double *tau) {
  struct brinkStepTogether *together = &stepper->island.together;
  brinkStepImpact *first = NULL;
  for (size_t i = 0; i < together->laterCount; ++i) {
    brinkStepImpact *later = &together->later[i];
    if (later->wanted && later->contact.toi <= last && (first == NULL || later->contact.toi < first->contact.toi) &&
        !brinkStepIsClaimed(stepper, stepper->colliders[later->pair.a].body) &&
        !brinkStepIsClaimed(stepper, stepper->colliders[later->pair.b].body)) {
      first = later;
    }
  }
  *tau = 2;
  stepper->pairs.impactCount = 0;
  if (first == NULL) {
    return true;
  }
  *tau = first->contact.toi;
  bool kept = keepImpact(stepper, first);
  first->wanted = false;
  return kept;
}

/* Later events of the gathered bodies that share the impact's time. False: no memory. */
bool brinkStepTakeSameTime(brinkStepper *stepper, double last) {
  for (size_t i = 0; i < stepper->island.together.laterCount; ++i) {
    brinkStepImpact *later = &stepper->island.together.later[i];
    if (!later->wanted || later->contact.toi > last ||
        !(brinkStepIsGathered(stepper, stepper->colliders[later->pair.a].body) ||
          brinkStepIsGathered(stepper, stepper->colliders[later->pair.b].body))) {
      continue;
    }
    if (!keepImpact(stepper, later)) {
      return false;
    }
    later->wanted = false;
  }
  return true;
}

/* ---- made ready */

/* May the gathered island wait for its turn with the others? */
bool brinkStepMayJoin(const brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    if (brinkStepIsClaimed(stepper, stepper->island.gathered[i])) {
      return false;
    }
  }
  return stepper->island.edgeCount == 0 && !stepper->island.isFelt;
}

/* The gathered bodies stand at their poses of tau, with their contacts. False: no memory. */
bool brinkStepKeepReady(brinkStepper *stepper, double tau) {
  struct brinkStepTogether *together = &stepper->island.together;
  if (!BRINK_STEP_RESERVE(together->islands, together->islandCount, together->islandCapacity)) {
    return false;
  }
  struct brinkStepReadyIsland island = {
      .tau = tau, .firstBody = together->bodyCount, .firstImpact = together->impactCount};
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const uint32_t number = stepper->island.gathered[i];
    const brinkStepBody *record = &stepper->bodies[number];
    if (!BRINK_STEP_RESERVE(together->bodies, together->bodyCount, together->bodyCapacity)) {
      return false;
    }
    struct brinkStepReady *ready = &together->bodies[together->bodyCount++];
    *ready = (struct brinkStepReady){.number = number, .from = record->from, .before = record->end};
    memcpy(ready->spinBefore, record->spin, sizeof(record->spin));
    stepper->host->readState(stepper->user, number, &ready->next);
    if (!brinkStepStateIsFinite(&ready->next)) {
      together->bodyCount = island.firstBody;
      return true; /* told when its turn comes */
    }
  }
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (!BRINK_STEP_RESERVE(together->impacts, together->impactCount, together->impactCapacity)) {
      return false;
    }
    together->impacts[together->impactCount++] = stepper->pairs.impacts[i];
  }
  island.bodyCount = together->bodyCount - island.firstBody;
  island.impactCount = together->impactCount - island.firstImpact;
  together->islands[together->islandCount++] = island;
  claimGathered(stepper);
  return true;
}

/* ---- solved with the first */

/* Has the program tied nothing to it since, in its callback for another one? Both would be solved in one time. */
static bool isWhole(const brinkStepper *stepper, const struct brinkStepReadyIsland *island) {
  const struct brinkStepReady *bodies = &stepper->island.together.bodies[island->firstBody];
  for (size_t i = 0; i < island->bodyCount; ++i) {
    brinkStepLink link;
    for (int at = 0; stepper->host->nextLink(stepper->user, bodies[i].number, &at, &link);) {
      bool inside = link.body == BRINK_NO_RECORD;
      for (size_t k = 0; k < island->bodyCount && !inside; ++k) {
        inside = bodies[k].number == link.body;
      }
      if (!inside) {
        return false;
      }
    }
  }
  return true;
}

/* Before the solve of the gathered island: those that are ready are gathered with it. False: no memory. */
bool brinkStepJoinReady(brinkStepper *stepper) {
  struct brinkStepTogether *together = &stepper->island.together;
  if (brinkStepNeedsDirectSolve(stepper)) {
    together->pushOut = HUGE_VAL; /* it is solved alone */
    return true;
  }
  for (size_t i = 0; i < together->islandCount; ++i) {
    struct brinkStepReadyIsland *island = &together->islands[i];
    const struct brinkStepReady *bodies = &together->bodies[island->firstBody];
    bool apart = !island->solved && isIntact(stepper, island) && isWhole(stepper, island);
    for (size_t k = 0; apart && k < island->bodyCount; ++k) {
      apart = !brinkStepIsGathered(stepper, bodies[k].number) && !brinkStepIsEdge(stepper, bodies[k].number);
    }
    for (size_t k = 0; apart && k < island->bodyCount; ++k) {
      brinkStepBody *record = &stepper->bodies[bodies[k].number];
      if (!brinkStepGather(stepper, bodies[k].number)) {
        return false;
      }
      record->next = bodies[k].next;
      record->solvedFrom = island->tau;
      stepper->host->writeState(stepper->user, bodies[k].number, &record->next);
    }
    island->joined = apart;
  }
  return true;
}

/* Where a body that was solved from `tau` on is at the step's end if it began later. False: nowhere. */
static bool cutShort(struct brinkStepReady *ready, const brinkStepBody *record, double tau) {
  const double part = (1 - record->solvedFrom) / (1 - tau);
  brinkStepPose start, pose;
  ready->end = record->end;
  for (int axis = 0; axis < 3; ++axis) {
    ready->spin[axis] = part * record->spin[axis];
  }
  memcpy(start.position, ready->next.position, sizeof(start.position));
  memcpy(start.quaternion, ready->next.quaternion, sizeof(start.quaternion));
  /* Its spin only tells the number of whole turns, see joint_gaps.c. */
  const brinkVec3 turn = brinkStepTurnBetween(start.quaternion, record->end.quaternion, record->spin);
  brinkStepPoseAlong(&start, record->end.position, &turn, part, &pose);
  memcpy(ready->end.position, pose.position, sizeof(pose.position));
  memcpy(ready->end.quaternion, pose.quaternion, sizeof(pose.quaternion));
  brinkStepRotationOf(pose.quaternion, ready->end.rotation);
  return brinkStepStateIsFinite(&ready->end);
}

/* After the shared solve: what it found for the others is noted, and they are back where they were. own: how many
 * bodies were gathered before they joined. */
void brinkStepPartFromReady(brinkStepper *stepper, double tau, size_t own, bool solved) {
  struct brinkStepTogether *together = &stepper->island.together;
  for (size_t i = 0; i < together->islandCount; ++i) {
    struct brinkStepReadyIsland *island = &together->islands[i];
    bool good = solved;
    for (size_t k = 0; island->joined && k < island->bodyCount; ++k) {
      struct brinkStepReady *ready = &together->bodies[island->firstBody + k];
      brinkStepBody *record = &stepper->bodies[ready->number];
      good = good && cutShort(ready, record, tau);
      record->end = ready->before;
      memcpy(record->spin, ready->spinBefore, sizeof(record->spin));
      record->mark = 0;
      stepper->host->writeState(stepper->user, ready->number, &ready->before);
    }
    island->solved = island->solved || (island->joined && good);
    island->joined = false;
  }
  if (solved) {
    stepper->now.bodySolves -= (double)(stepper->island.gatheredCount - own);
  }
  stepper->island.gatheredCount = own;
}

/* Forgets islands that were made ready and not solved: their impacts come up again. */
void brinkStepForgetUnsolved(brinkStepper *stepper) {
  struct brinkStepTogether *together = &stepper->island.together;
  while (together->islandCount > 0 && !together->islands[together->islandCount - 1].solved) {
    const struct brinkStepReadyIsland *last = &together->islands[--together->islandCount];
    together->bodyCount = last->firstBody;
    together->impactCount = last->firstImpact;
  }
}

/* ---- its turn */

static struct brinkStepReadyIsland *findSolved(const brinkStepper *stepper, double tau) {
  const struct brinkStepTogether *together = &stepper->island.together;
  for (size_t i = 0; i < together->islandCount; ++i) {
    struct brinkStepReadyIsland *island = &together->islands[i];
    const brinkStepImpact *first = &together->impacts[island->firstImpact];
    const bool struck = island->solved && island->impactCount > 0 && island->tau == tau;
    for (size_t k = 0; struck && k < stepper->pairs.impactCount; ++k) {
      if (memcmp(&stepper->pairs.impacts[k].pair, &first->pair, sizeof(first->pair)) == 0) {
        return island;
      }
    }
  }
  return NULL;
}

static bool holdsBody(const brinkStepper *stepper, const struct brinkStepReadyIsland *island, uint32_t number) {
  for (size_t i = 0; i < island->bodyCount; ++i) {
    if (stepper->island.together.bodies[island->firstBody + i].number == number) {
      return true;
    }
  }
  return false;
}

/* The same of a cut at tau for one of these bodies: nothing is struck there. */
bool brinkStepFindReadyCut(brinkStepper *stepper, double tau, const uint32_t bodies[2]) {
  struct brinkStepTogether *together = &stepper->island.together;
  for (size_t i = 0; i < together->islandCount; ++i) {
    struct brinkStepReadyIsland *island = &together->islands[i];
    if (island->solved && island->impactCount == 0 && island->tau == tau &&
        (holdsBody(stepper, island, bodies[0]) || holdsBody(stepper, island, bodies[1]))) {
      island->solved = false;
      together->turn = i;
      return isIntact(stepper, island);
    }
  }
  return false;
}

/* Is something of what happens at tau solved already? Then the impacts of that island are the current ones: the others
 * come up again. False: no memory. */
bool brinkStepFindReady(brinkStepper *stepper, double tau, bool *ready) {
  struct brinkStepTogether *together = &stepper->island.together;
  struct brinkStepReadyIsland *island = findSolved(stepper, tau);
  *ready = island != NULL && isIntact(stepper, island);
  if (island != NULL) {
    island->solved = false;
  }
  if (!*ready) {
    return true;
  }
  together->turn = (size_t)(island - together->islands);
  stepper->pairs.impactCount = 0;
  bool kept = true;
  for (size_t i = 0; kept && i < island->impactCount; ++i) {
    kept = keepImpact(stepper, &together->impacts[island->firstImpact + i]);
  }
  return kept;
}

/* The island that was found is gathered, at its poses of tau. False: no memory. */
bool brinkStepGatherReady(brinkStepper *stepper) {
  const struct brinkStepTogether *together = &stepper->island.together;
  const struct brinkStepReadyIsland *island = &together->islands[together->turn];
  bool good = true;
  brinkStepBeginGathering(stepper);
  for (size_t i = 0; good && i < island->bodyCount; ++i) {
    const struct brinkStepReady *ready = &together->bodies[island->firstBody + i];
    stepper->bodies[ready->number].next = ready->next; /* it may have been posed elsewhere since, as an edge */
    good = brinkStepGather(stepper, ready->number);
  }
  return good;
}

/* The gathered bodies go from their poses of tau to where they were solved to. */
void brinkStepEndAsReady(brinkStepper *stepper) {
  const struct brinkStepReadyIsland *island = &stepper->island.together.islands[stepper->island.together.turn];
  for (size_t i = 0; i < island->bodyCount; ++i) {
    const struct brinkStepReady *ready = &stepper->island.together.bodies[island->firstBody + i];
    brinkStepBody *record = &stepper->bodies[ready->number];
    record->end = ready->end;
    memcpy(record->spin, ready->spin, sizeof(record->spin));
    brinkStepSetGoing(stepper, record, stepper->now.tau);
    record->posed = true; /* until its motion is taken: its segment begins at `next` */
    record->look.touched = record->struck = stepper->spins.anyStruck = true;
    stepper->host->writeState(stepper->user, ready->number, &record->end);
  }
  stepper->now.bodySolves += (double)island->bodyCount;
}
