/* SPDX-License-Identifier: BSD-3-Clause */
/* The island of an impact, called "the gathered bodies" everywhere: which bodies does it change?
 * In a heap contacts connect all bodies, and N impacts that each solve all N of them cost N^2. So an island takes the
 * bodies nearest to the impact, counted in contacts, BRINK_STEP_TOGETHER in all (chains of joints are never cut). A
 * body that touches the island and is not in it is an edge (edges.c): the host puts a stand-in for it into the
 * solve.
 */
#include "step.h"

void brinkStepBeginGathering(brinkStepper *stepper) {
  stepper->island.mark++;
  stepper->island.gatheredCount = stepper->island.edgeCount = 0;
}

bool brinkStepIsGathered(const brinkStepper *stepper, uint32_t number) {
  return number != BRINK_NO_RECORD && stepper->bodies[number].mark == stepper->island.mark;
}

bool brinkStepGather(brinkStepper *stepper, uint32_t number) {
  if (number == BRINK_NO_RECORD || stepper->bodies[number].mark == stepper->island.mark) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(stepper->island.gathered, stepper->island.gatheredCount, stepper->island.gatheredCapacity)) {
    return false;
  }
  stepper->bodies[number].mark = stepper->island.mark;
  stepper->island.gathered[stepper->island.gatheredCount++] = number;
  return true;
}

static bool mayGatherMore(const brinkStepper *stepper) { return stepper->island.gatheredCount < BRINK_STEP_TOGETHER; }

static bool noteEdge(brinkStepper *stepper, uint32_t number) {
  if (number == BRINK_NO_RECORD || brinkStepIsGathered(stepper, number) ||
      stepper->bodies[number].edgeMark == stepper->island.mark) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(stepper->island.edges, stepper->island.edgeCount, stepper->island.edgeCapacity)) {
    return false;
  }
  stepper->bodies[number].edgeMark = stepper->island.mark;
  stepper->island.edges[stepper->island.edgeCount++] = (brinkStepEdge){.body = number};
  return true;
}

bool brinkStepIsEdge(const brinkStepper *stepper, uint32_t number) {
  return number != BRINK_NO_RECORD && stepper->bodies[number].edgeMark == stepper->island.mark &&
         stepper->bodies[number].mark != stepper->island.mark;
}

/* Everything that enabled joints connect to what is gathered; contacts too, as far as an impact is felt
 * (mayGatherMore), or only joints that hold. */
bool brinkStepSpread(brinkStepper *stepper, bool throughContacts) {
  for (size_t next = 0; next < stepper->island.gatheredCount; ++next) {
    brinkStepLink link;
    for (int at = 0; stepper->host->nextLink(stepper->user, stepper->island.gathered[next], &at, &link);) {
      if (link.isContact && !throughContacts) {
        continue;
      }
      bool (*take)(brinkStepper *, uint32_t) = link.isContact && !mayGatherMore(stepper) ? noteEdge : brinkStepGather;
      if (!take(stepper, link.body)) {
        return false;
      }
    }
  }
  return true;
}

bool brinkStepGatherStruck(brinkStepper *stepper, bool throughContacts) {
  brinkStepBeginGathering(stepper);
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkStepImpact *impact = &stepper->pairs.impacts[i];
    if ((impact->wanted || impact->moved) && (!brinkStepGather(stepper, stepper->colliders[impact->pair.a].body) ||
                                              !brinkStepGather(stepper, stepper->colliders[impact->pair.b].body))) {
      return false;
    }
  }
  return brinkStepSpread(stepper, throughContacts);
}
