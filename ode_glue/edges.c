/* SPDX-License-Identifier: BSD-3-Clause */
/* How far is an impact felt in the rest of its step?
 * In a heap all bodies hang together through contacts, and N impacts that each solve all N of them cost N^2. So an
 * impact is felt by the bodies nearest to it, counted in contacts, MOST_TOGETHER in all (chains of joints are never
 * cut). What these touch beyond that is an edge: it keeps the motion that it has to the step's end. In the solve a body
 * of Brink's own stands in for it, as heavy as it is and free to yield, and what the solve gives that one is added to
 * the edge's velocity, so no momentum is lost and no energy made. What lies beyond the edges hears of it from the next
 * step's own solve, or when an edge strikes it.
 * Units: m, s. */
#include <string.h>

#include "stepper.h"

#define MOST_TOGETHER 32 /* bodies */

bool dxBrinkMayGatherMore(const dxBrink *brink) { return brink->gatheredCount < MOST_TOGETHER; }

bool dxBrinkNoteEdge(dBrinkID brink, uint32_t number) {
  if (number == BRINK_NO_RECORD || dxBrinkIsGathered(brink, number) || brink->bodies[number].edgeMark == brink->mark) {
    return true;
  }
  if (!DX_BRINK_RESERVE(brink->edges, brink->edgeCount, brink->edgeCapacity)) {
    return false;
  }
  brink->bodies[number].edgeMark = brink->mark;
  brink->edges[brink->edgeCount++] = (dxBrinkEdge){.body = number};
  return true;
}

bool dxBrinkIsEdge(const dxBrink *brink, uint32_t number) {
  return number != BRINK_NO_RECORD && brink->bodies[number].edgeMark == brink->mark &&
         brink->bodies[number].mark != brink->mark;
}

/* For the program's callback. They count as posed, and are put back like all that is not gathered. */
bool dxBrinkPoseEdges(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->edgeCount; ++i) {
    uint32_t number = brink->edges[i].body;
    dxBrinkBody *record = &brink->bodies[number];
    if (!dxBrinkIsEdge(brink, number) || record->posed) {
      continue;
    }
    if (!dxBrinkWake(run, number) || !dxBrinkStateAt(brink, record, run->tau, &record->next) ||
        !DX_BRINK_RESERVE(brink->posed, brink->posedCount, brink->posedCapacity)) {
      return false;
    }
    brink->posed[brink->posedCount++] = number;
    record->posed = record->touched = true;
    dxBrinkVelocitiesAt(run, record, run->tau, &record->next);
    dxBrinkWriteState(record->body, &record->next);
  }
  return true;
}

/* ---- stand-ins */

static bool isAlive(const dxBrinkStandIn *standIn) {
  return dJointGetBody(standIn->tether, 0) == standIn->body; /* else it went with its world */
}

static dxBrinkStandIn *takeStandIn(dBrinkID brink, size_t index) {
  if (index < brink->standInCount) {
    return &brink->standIns[index];
  }
  if (!DX_BRINK_RESERVE(brink->standIns, brink->standInCount, brink->standInCapacity)) {
    return NULL;
  }
  dxBrinkStandIn *made = &brink->standIns[brink->standInCount++];
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
  for (size_t i = 0; i < brink->standInCount; ++i) {
    if (isAlive(&brink->standIns[i])) {
      dBodyDestroy(brink->standIns[i].body);
    }
  }
  brink->standInCount = 0;
}

/* It yields as the body itself would, alone: what lies beyond is not in the solve. It has the velocities of the step's
 * end, which forces, joints and other contacts have led to, so none of them acts on it again. yields false: without
 * end heavy, with the velocities of tau. */
static bool placeStandIn(dxBrinkRun *run, dxBrinkEdge *edge, size_t index, double tau, bool yields) {
  dBrinkID brink = run->brink;
  dxBrinkBody *record = &brink->bodies[edge->body];
  dxBrinkStandIn *standIn = takeStandIn(brink, index);
  dxBrinkState state;
  if (standIn == NULL || !dxBrinkWake(run, edge->body) || !dxBrinkStateAt(brink, record, tau, &state)) {
    return false;
  }
  edge->yields = yields && record->dynamic && dxBrinkStateIsFinite(&record->end);
  if (edge->yields) {
    dMass mass;
    dBodyGetMass(record->body, &mass);
    dBodySetMass(standIn->body, &mass);
    memcpy(state.linear, record->end.linear, sizeof(state.linear));
    memcpy(state.angular, record->end.angular, sizeof(state.angular));
  } else {
    dBodySetKinematic(standIn->body);
    dxBrinkVelocitiesAt(run, record, tau, &state);
  }
  dxBrinkWriteState(standIn->body, &state);
  memcpy(edge->before, state.linear, sizeof(state.linear));
  memcpy(edge->before + 3, state.angular, sizeof(state.angular));
  edge->standIn = standIn->body;
  return true;
}

/* What the solve gave a stand-in, its body has at the step's end: nothing that the gathered bodies lose is lost. */
static void takeOver(dBrinkID brink, const dxBrinkEdge *edge) {
  dxBrinkBody *record = &brink->bodies[edge->body];
  const dReal *v = dBodyGetLinearVel(edge->standIn), *w = dBodyGetAngularVel(edge->standIn);
  dxBrinkState after = record->end;
  bool changed = false;
  for (int i = 0; i < 3; ++i) {
    after.linear[i] += v[i] - edge->before[i];
    after.angular[i] += w[i] - edge->before[3 + i];
    changed = changed || v[i] != edge->before[i] || w[i] != edge->before[3 + i];
  }
  if (!changed || !dxBrinkStateIsFinite(&after)) {
    return;
  }
  record->end = after;
  record->touched = true;
  if (!record->held && DX_BRINK_RESERVE(brink->sleepers, brink->sleeperCount, brink->sleeperCapacity)) {
    brink->sleepers[brink->sleeperCount++] = edge->body; /* a push wakes what sleeps */
    record->held = true;
  }
  dBodySetLinearVel(record->body, after.linear[0], after.linear[1], after.linear[2]);
  dBodySetAngularVel(record->body, after.angular[0], after.angular[1], after.angular[2]);
}

static dBodyID standInOf(const dxBrink *brink, dBodyID body) {
  uint32_t number = dxBrinkFindBody(brink, body);
  for (size_t i = 0; dxBrinkIsEdge(brink, number) && i < brink->edgeCount; ++i) {
    if (brink->edges[i].body == number) {
      return brink->edges[i].standIn;
    }
  }
  return body;
}

/* Contacts between the gathered bodies and edges, as they are now. */
static bool listHung(dBrinkID brink) {
  brink->hungCount = 0;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dBodyID body = brink->bodies[brink->gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID ends[2] = {dJointGetBody(joint, 0), dJointGetBody(joint, 1)};
      dBodyID other = ends[0] == body ? ends[1] : ends[0];
      if (other == NULL || !dJointIsEnabled(joint) || dJointGetType(joint) != dJointTypeContact ||
          !dxBrinkIsEdge(brink, dxBrinkFindBody(brink, other))) {
        continue;
      }
      if (!DX_BRINK_RESERVE(brink->hung, brink->hungCount, brink->hungCapacity)) {
        return false;
      }
      brink->hung[brink->hungCount++] = (dxBrinkTakenOff){joint, {ends[0], ends[1]}};
    }
  }
  return true;
}

/* Before a solve from tau on. False: no memory; nothing has changed. */
bool dxBrinkHangOnStandIns(dxBrinkRun *run, double tau, bool yields) {
  dBrinkID brink = run->brink;
  brink->hungCount = 0;
  if (brink->edgeCount == 0) {
    return true;
  }
  for (size_t i = 0, used = 0; i < brink->edgeCount; ++i) {
    brink->edges[i].standIn = NULL;
    brink->edges[i].yields = false;
    if (dxBrinkIsEdge(brink, brink->edges[i].body) && !placeStandIn(run, &brink->edges[i], used++, tau, yields)) {
      return false;
    }
  }
  if (!listHung(brink)) {
    brink->hungCount = 0;
    return false;
  }
  for (size_t i = 0; i < brink->hungCount; ++i) {
    const dxBrinkTakenOff *hung = &brink->hung[i];
    dJointAttach(hung->joint, standInOf(brink, hung->bodies[0]), standInOf(brink, hung->bodies[1]));
  }
  return true;
}

/* After it: in reverse, so that each body lists its joints in the order that it had. */
void dxBrinkTakeFromStandIns(dBrinkID brink, bool solved) {
  for (size_t i = 0; solved && i < brink->edgeCount; ++i) {
    if (brink->edges[i].standIn != NULL && brink->edges[i].yields) {
      takeOver(brink, &brink->edges[i]);
    }
  }
  while (brink->hungCount > 0) {
    const dxBrinkTakenOff *hung = &brink->hung[--brink->hungCount];
    dJointAttach(hung->joint, hung->bodies[0], hung->bodies[1]);
  }
  for (size_t i = 0; i < brink->standInCount; ++i) {
    dBodyDisable(brink->standIns[i].body); /* ODE wakes what a contact leads to */
  }
}
