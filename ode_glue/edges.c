/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins for edges: bodies that touch an island and are left out of its solve (plugin/stepping/gather.c).
 * An edge keeps the motion that it has to the step's end. In the solve a body of Brink's own stands in for it, as heavy
 * and free to yield. What the solve gives the stand-in is added to the edge's velocity, so no momentum is lost and no
 * energy made. Bodies beyond the edges feel the impact in the next step's own solve, or when an edge hits them.
 * Units: m, s. */
#include <string.h>

#include "step.h"

/* ---- stand-ins */

static dxBrinkStandIn *takeStandIn(dBrinkID brink, size_t index) {
  if (index < brink->island.standInCount) {
    return &brink->island.standIns[index];
  }
  if (!BRINK_STEP_RESERVE(brink->island.standIns, brink->island.standInCount, brink->island.standInCapacity)) {
    return NULL;
  }
  dxBrinkStandIn *made = &brink->island.standIns[brink->island.standInCount++];
  made->body = dBodyCreate(brink->world);
  made->tether = dJointCreateBall(brink->world, brink->tethers);
  dJointAttach(made->tether, made->body, NULL);
  dJointDisable(made->tether);
  dBodySetGravityMode(made->body, 0);
  dBodySetGyroscopicMode(made->body, 0);
  dBodySetAutoDisableFlag(made->body, 0);
  dBodySetLinearDamping(made->body, 0);
  dBodySetAngularDamping(made->body, 0);
  dBodySetMaxAngularSpeed(made->body, dInfinity);
  dBodyDisable(made->body);
  return made;
}

void dxBrinkDropStandIns(dBrinkID brink) {
  for (size_t i = 0; i < brink->island.standInCount; ++i) {
    const dxBrinkStandIn *standIn = &brink->island.standIns[i];
    if (dJointGetBody(standIn->tether, 0) == standIn->body) { /* else it went with its world */
      dBodyDestroy(standIn->body);
    }
  }
  brink->island.standInCount = 0;
}

/* Puts a stand-in in an edge's place. It yields as the body would alone: what lies beyond is not in the solve. It has
 * the velocities of the step's end, which forces, joints and other contacts have led to, so none acts on it again.
 * yields false: it is kinematic, with the velocities of tau. */
static bool placeStandIn(dBrinkID brink, brinkStepEdge *edge, size_t index, double tau, bool yields) {
  brinkStepBody *record = &brink->step.bodies[edge->body];
  dxBrinkStandIn *standIn = takeStandIn(brink, index);
  brinkStepState state;
  if (standIn == NULL || !brinkStepWake(&brink->step, edge->body) ||
      !brinkStepStateAt(&brink->step, record, tau, &state)) {
    return false;
  }
  edge->yields = yields && record->dynamic && brinkStepStateIsFinite(&record->end);
  if (edge->yields) {
    dMass mass;
    dBodyGetMass(record->body, &mass);
    dBodySetMass(standIn->body, &mass);
    memcpy(state.linear, record->end.linear, sizeof(state.linear));
    memcpy(state.angular, record->end.angular, sizeof(state.angular));
  } else {
    dBodySetKinematic(standIn->body);
    brinkStepVelocitiesAt(&brink->step, record, tau, &state);
  }
  dxBrinkWriteState(standIn->body, &state);
  memcpy(edge->before, state.linear, sizeof(state.linear));
  memcpy(edge->before + 3, state.angular, sizeof(state.angular));
  edge->standIn = standIn->body;
  return true;
}

/* Adds what the solve gave a stand-in to its body's velocity at the step's end: no momentum is lost. */
static void takeOver(dBrinkID brink, const brinkStepEdge *edge) {
  brinkStepBody *record = &brink->step.bodies[edge->body];
  const dReal *v = dBodyGetLinearVel(edge->standIn), *w = dBodyGetAngularVel(edge->standIn);
  brinkStepState after = record->end;
  bool changed = false;
  for (int i = 0; i < 3; ++i) {
    after.linear[i] += v[i] - edge->before[i];
    after.angular[i] += w[i] - edge->before[3 + i];
    changed = changed || v[i] != edge->before[i] || w[i] != edge->before[3 + i];
  }
  if (!changed || !brinkStepStateIsFinite(&after)) {
    return;
  }
  record->end = after;
  record->look.touched = true;
  if (!dxBrinkHostedOf(brink, record)->held &&
      BRINK_STEP_RESERVE(brink->island.sleepers, brink->island.sleeperCount, brink->island.sleeperCapacity)) {
    brink->island.sleepers[brink->island.sleeperCount++] = edge->body; /* a push wakes what sleeps */
    dxBrinkHostedOf(brink, record)->held = true;
  }
  dBodySetLinearVel(record->body, after.linear[0], after.linear[1], after.linear[2]);
  dBodySetAngularVel(record->body, after.angular[0], after.angular[1], after.angular[2]);
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
  brink->island.hungCount = 0;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID ends[2] = {dJointGetBody(joint, 0), dJointGetBody(joint, 1)};
      dBodyID other = ends[0] == body ? ends[1] : ends[0];
      if (other == NULL || !dJointIsEnabled(joint) || dJointGetType(joint) != dJointTypeContact ||
          !brinkStepIsEdge(&brink->step, dxBrinkFindBody(brink, other))) {
        continue;
      }
      if (!BRINK_STEP_RESERVE(brink->island.hung, brink->island.hungCount, brink->island.hungCapacity)) {
        return false;
      }
      brink->island.hung[brink->island.hungCount++] = (dxBrinkTakenOff){joint, {ends[0], ends[1]}};
    }
  }
  return true;
}

/* Attaches these contacts to stand-ins, before a solve from tau on. False: no memory; nothing has changed. */
bool dxBrinkHangOnStandIns(dBrinkID brink, double tau, bool yields) {
  brink->island.hungCount = 0;
  if (brink->step.island.edgeCount == 0) {
    return true;
  }
  for (size_t i = 0, used = 0; i < brink->step.island.edgeCount; ++i) {
    brink->step.island.edges[i].standIn = NULL;
    brink->step.island.edges[i].yields = false;
    if (brinkStepIsEdge(&brink->step, brink->step.island.edges[i].body) &&
        !placeStandIn(brink, &brink->step.island.edges[i], used++, tau, yields)) {
      return false;
    }
  }
  if (!listHung(brink)) {
    brink->island.hungCount = 0;
    return false;
  }
  for (size_t i = 0; i < brink->island.hungCount; ++i) {
    const dxBrinkTakenOff *hung = &brink->island.hung[i];
    dJointAttach(hung->joint, standInOf(brink, hung->bodies[0]), standInOf(brink, hung->bodies[1]));
  }
  return true;
}

/* Attaches them to the edges again, last first, so that each body lists its joints in the order that it had. */
void dxBrinkTakeFromStandIns(dBrinkID brink, bool solved) {
  for (size_t i = 0; solved && i < brink->step.island.edgeCount; ++i) {
    if (brink->step.island.edges[i].standIn != NULL && brink->step.island.edges[i].yields) {
      takeOver(brink, &brink->step.island.edges[i]);
    }
  }
  while (brink->island.hungCount > 0) {
    const dxBrinkTakenOff *hung = &brink->island.hung[--brink->island.hungCount];
    dJointAttach(hung->joint, hung->bodies[0], hung->bodies[1]);
  }
  for (size_t i = 0; i < brink->island.standInCount; ++i) {
    dBodyDisable(brink->island.standIns[i].body); /* ODE wakes what a contact leads to */
  }
}
