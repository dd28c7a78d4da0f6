/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bodies hang together at an impact, and how far is it felt?
 * In a heap all bodies hang together through contacts, and N impacts that each solve all N of them cost N^2. So an
 * impact is felt by the bodies nearest to it, counted in contacts, BRINK_STEP_TOGETHER in all (chains of joints are
 * never cut). What these touch beyond that is an edge, see edges.c. */
#include "stepper.h"

void dxBrinkBeginGathering(dBrinkID brink) {
  brink->island.mark++;
  brink->island.gatheredCount = brink->island.edgeCount = 0;
}

bool dxBrinkIsGathered(const dxBrink *brink, uint32_t number) {
  return number != BRINK_NO_RECORD && brink->bodies[number].mark == brink->island.mark;
}

bool dxBrinkGather(dBrinkID brink, uint32_t number) {
  if (number == BRINK_NO_RECORD || brink->bodies[number].mark == brink->island.mark) {
    return true;
  }
  if (!DX_BRINK_RESERVE(brink->island.gathered, brink->island.gatheredCount, brink->island.gatheredCapacity)) {
    return false;
  }
  brink->bodies[number].mark = brink->island.mark;
  brink->island.gathered[brink->island.gatheredCount++] = number;
  return true;
}

static bool mayGatherMore(const dxBrink *brink) { return brink->island.gatheredCount < BRINK_STEP_TOGETHER; }

static bool noteEdge(dBrinkID brink, uint32_t number) {
  if (number == BRINK_NO_RECORD || dxBrinkIsGathered(brink, number) ||
      brink->bodies[number].edgeMark == brink->island.mark) {
    return true;
  }
  if (!DX_BRINK_RESERVE(brink->island.edges, brink->island.edgeCount, brink->island.edgeCapacity)) {
    return false;
  }
  brink->bodies[number].edgeMark = brink->island.mark;
  brink->island.edges[brink->island.edgeCount++] = (dxBrinkEdge){.body = number};
  return true;
}

bool dxBrinkIsEdge(const dxBrink *brink, uint32_t number) {
  return number != BRINK_NO_RECORD && brink->bodies[number].edgeMark == brink->island.mark &&
         brink->bodies[number].mark != brink->island.mark;
}

/* Everything that enabled joints connect to what is gathered; contacts too, as far as an impact is felt
 * (mayGatherMore), or only joints that hold. */
bool dxBrinkSpread(dBrinkID brink, bool throughContacts) {
  for (size_t next = 0; next < brink->island.gatheredCount; ++next) {
    dBodyID body = brink->bodies[brink->island.gathered[next]].body;
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
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    const dxBrinkImpact *impact = &brink->pairs.impacts[i];
    if (impact->wanted && (!dxBrinkGather(brink, brink->geoms[impact->pair.geomA].body) ||
                           !dxBrinkGather(brink, brink->geoms[impact->pair.geomB].body))) {
      return false;
    }
  }
  return dxBrinkSpread(brink, throughContacts);
}
