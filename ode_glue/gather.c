/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bodies hang together at an impact, and how far is it felt?
 * In a heap all bodies hang together through contacts, and N impacts that each solve all N of them cost N^2. So an
 * impact is felt by the bodies nearest to it, counted in contacts, BRINK_STEP_TOGETHER in all (chains of joints are
 * never cut). What these touch beyond that is an edge, see edges.c. */
#include "step.h"

void dxBrinkBeginGathering(dBrinkID brink) {
  brink->step.island.mark++;
  brink->step.island.gatheredCount = brink->step.island.edgeCount = 0;
}

bool dxBrinkIsGathered(const dxBrink *brink, uint32_t number) {
  return number != BRINK_NO_RECORD && brink->step.bodies[number].mark == brink->step.island.mark;
}

bool dxBrinkGather(dBrinkID brink, uint32_t number) {
  if (number == BRINK_NO_RECORD || brink->step.bodies[number].mark == brink->step.island.mark) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(brink->step.island.gathered, brink->step.island.gatheredCount,
                          brink->step.island.gatheredCapacity)) {
    return false;
  }
  brink->step.bodies[number].mark = brink->step.island.mark;
  brink->step.island.gathered[brink->step.island.gatheredCount++] = number;
  return true;
}

static bool mayGatherMore(const dxBrink *brink) { return brink->step.island.gatheredCount < BRINK_STEP_TOGETHER; }

static bool noteEdge(dBrinkID brink, uint32_t number) {
  if (number == BRINK_NO_RECORD || dxBrinkIsGathered(brink, number) ||
      brink->step.bodies[number].edgeMark == brink->step.island.mark) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(brink->step.island.edges, brink->step.island.edgeCount, brink->step.island.edgeCapacity)) {
    return false;
  }
  brink->step.bodies[number].edgeMark = brink->step.island.mark;
  brink->step.island.edges[brink->step.island.edgeCount++] = (brinkStepEdge){.body = number};
  return true;
}

bool dxBrinkIsEdge(const dxBrink *brink, uint32_t number) {
  return number != BRINK_NO_RECORD && brink->step.bodies[number].edgeMark == brink->step.island.mark &&
         brink->step.bodies[number].mark != brink->step.island.mark;
}

/* Everything that enabled joints connect to what is gathered; contacts too, as far as an impact is felt
 * (mayGatherMore), or only joints that hold. */
bool dxBrinkSpread(dBrinkID brink, bool throughContacts) {
  for (size_t next = 0; next < brink->step.island.gatheredCount; ++next) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[next]].body;
    int count = dBodyGetNumJoints(body);
    for (int i = 0; i < count; ++i) {
      dJointID joint = dBodyGetJoint(body, i);
      bool isContact = dJointGetType(joint) == dJointTypeContact;
      if (!dJointIsEnabled(joint) || (!throughContacts && isContact)) {
        continue;
      }
      bool (*take)(dBrinkID, uint32_t) = isContact && !mayGatherMore(brink) ? noteEdge : dxBrinkGather;
      for (int side = 0; side < 2; ++side) {
        if (!take(brink, dxBrinkFindBody(brink, dJointGetBody(joint, side)))) {
          return false;
        }
      }
    }
  }
  return true;
}

bool dxBrinkGatherStruck(dBrinkID brink, bool throughContacts) {
  dxBrinkBeginGathering(brink);
  for (size_t i = 0; i < brink->step.pairs.impactCount; ++i) {
    const brinkStepImpact *impact = &brink->step.pairs.impacts[i];
    if (impact->wanted && (!dxBrinkGather(brink, brink->geoms[impact->pair.a].body) ||
                           !dxBrinkGather(brink, brink->geoms[impact->pair.b].body))) {
      return false;
    }
  }
  return dxBrinkSpread(brink, throughContacts);
}
