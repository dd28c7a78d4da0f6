/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins for edges: bodies that touch an island and are left out of its solve (plugin/stepping/edges.c).
 * In the solve a body of Brink's own, disabled otherwise, takes the place of each, and the contacts of the edge hang on
 * it for that time. Units: m, s. */
#include "step.h"

/* ---- stand-ins */

static dBodyID takeStandIn(dBrinkID brink, size_t index) {
  if (index < brink->island.standInCount) {
    return brink->island.standIns[index];
  }
  if (!BRINK_STEP_RESERVE(brink->island.standIns, brink->island.standInCount, brink->island.standInCapacity)) {
    return NULL;
  }
  dBodyID made = dxBrinkMakeBody(brink);
  brink->island.standIns[brink->island.standInCount++] = made;
  dBodyDisable(made);
  dxBrinkMarkMet(dxBrinkOfBody, made);
  return made;
}

void dxBrinkDropStandIns(dBrinkID brink) {
  for (size_t i = 0; i < brink->island.standInCount && dxBrinkWorldLives(brink); ++i) {
    dBodyDestroy(brink->island.standIns[i]);
  }
  brink->island.standInCount = 0;
}

static bool placeStandIn(dBrinkID brink, brinkStepEdge *edge, size_t index, double tau) {
  dBodyID standIn = takeStandIn(brink, index);
  brinkStepState state;
  if (standIn == NULL || !brinkStepBeginEdge(&brink->step, edge, tau, &state)) {
    return false;
  }
  if (edge->yields) {
    dMass mass;
    dBodyGetMass(brink->step.bodies[edge->body].body, &mass);
    dBodySetMass(standIn, &mass);
  } else {
    dBodySetKinematic(standIn);
  }
  dxBrinkWriteState(standIn, &state);
  edge->standIn = standIn;
  return true;
}

static dBodyID standInOf(const dxBrink *brink, dBodyID body) {
  uint32_t number = dxBrinkFindBody(brink, body);
  for (size_t i = 0; brinkStepIsEdge(&brink->step, number) && i < brink->step.island.edgeCount; ++i) {
    if (brink->step.island.edges[i].body == number) {
      return brink->step.island.edges[i].standIn;
    }
  }
  return body;
}

/* Lists the contacts between the gathered bodies and edges. */
static bool listHung(dBrinkID brink) {
  brink->island.hung.count = 0;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    for (size_t j = 0, count = dxBrinkListJoints(brink, body); j < count; ++j) {
      dJointID joint = brink->contacts.joints[j];
      dBodyID other = dJointGetBody(joint, dJointGetBody(joint, 0) == body);
      if (other != NULL && dJointIsEnabled(joint) && dJointGetType(joint) == dJointTypeContact &&
          brinkStepIsEdge(&brink->step, dxBrinkFindBody(brink, other)) && !dxBrinkNote(&brink->island.hung, joint)) {
        return false;
      }
    }
  }
  return true;
}

/* Attaches these contacts to stand-ins, before a solve from tau on. False: no memory; nothing has changed. */
bool dxBrinkHangOnStandIns(dBrinkID brink, double tau) {
  brink->island.hung.count = 0;
  if (brink->step.island.edgeCount == 0) {
    return true;
  }
  for (size_t i = 0, used = 0; i < brink->step.island.edgeCount; ++i) {
    brink->step.island.edges[i].standIn = NULL;
    brink->step.island.edges[i].yields = false;
    if (brinkStepIsEdge(&brink->step, brink->step.island.edges[i].body) &&
        !placeStandIn(brink, &brink->step.island.edges[i], used++, tau)) {
      return false;
    }
  }
  if (!listHung(brink)) {
    brink->island.hung.count = 0;
    return false;
  }
  for (size_t i = 0; i < brink->island.hung.count; ++i) {
    const dxBrinkNoted *hung = &brink->island.hung.items[i];
    dJointAttach(hung->joint, standInOf(brink, hung->bodies[0]), standInOf(brink, hung->bodies[1]));
  }
  return true;
}

/* Attaches them to the edges again, last first, so that each body lists its joints in the order that it had. */
void dxBrinkTakeFromStandIns(dBrinkID brink, bool solved) {
  for (size_t i = 0; solved && i < brink->step.island.edgeCount; ++i) {
    if (brink->step.island.edges[i].standIn != NULL && brink->step.island.edges[i].yields) {
      dBodyID standIn = brink->step.island.edges[i].standIn;
      brinkStepEndEdge(&brink->step, &brink->step.island.edges[i], dBodyGetLinearVel(standIn),
                       dBodyGetAngularVel(standIn));
    }
  }
  while (brink->island.hung.count > 0) {
    const dxBrinkNoted *hung = &brink->island.hung.items[--brink->island.hung.count];
    dJointAttach(hung->joint, hung->bodies[0], hung->bodies[1]);
  }
  for (size_t i = 0; i < brink->island.standInCount; ++i) {
    dBodyDisable(brink->island.standIns[i]); /* ODE wakes what a contact leads to */
  }
}
