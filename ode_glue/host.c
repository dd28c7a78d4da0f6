/* SPDX-License-Identifier: BSD-3-Clause */
/* ODE as the stepper's engine: the table of functions that plugin/stepping/stepper.h asks of a host (brinkStepHost). */
#include <string.h>

#include "step.h"

/* ---- bodies */

static dBodyID bodyOf(const dxBrink *brink, uint32_t number) { return brink->step.bodies[number].body; }

static void readState(void *user, uint32_t body, brinkStepState *state) { dxBrinkReadState(bodyOf(user, body), state); }

static void writeState(void *user, uint32_t body, const brinkStepState *state) {
  dxBrinkWriteState(bodyOf(user, body), state);
}

static void readEnd(void *user, uint32_t body) {
  dBrinkID brink = user;
  brinkStepBody *record = &brink->step.bodies[body];
  dxBrinkReadState(record->body, &record->end);
  dxBrinkReadSpin(record, brink->step.now.h, dBodyGetFiniteRotationMode(record->body) != 0);
}

static void readForces(void *user, uint32_t body, double forces[6]) {
  memcpy(forces, dBodyGetForce(bodyOf(user, body)), 3 * sizeof(*forces));
  memcpy(forces + 3, dBodyGetTorque(bodyOf(user, body)), 3 * sizeof(*forces));
}

static void writeForces(void *user, uint32_t body, const double f[6]) {
  dBodySetForce(bodyOf(user, body), f[0], f[1], f[2]);
  dBodySetTorque(bodyOf(user, body), f[3], f[4], f[5]);
}

static double angularDamping(void *user, uint32_t body) { return dBodyGetAngularDamping(bodyOf(user, body)); }

/* ---- what connects bodies */

static bool nextLink(void *user, uint32_t body, int *at, brinkStepLink *link) {
  dBrinkID brink = user;
  dBodyID own = bodyOf(brink, body);
  if (*at == 0) { /* one body's links at a time */
    dxBrinkUnpark(brink);
    brink->contacts.linkCount = dxBrinkListJoints(brink, own);
  }
  while ((size_t)*at < brink->contacts.linkCount) {
    dJointID joint = brink->contacts.joints[(*at)++];
    if (!dJointIsEnabled(joint)) {
      continue;
    }
    const dJointType type = dJointGetType(joint);
    dBodyID first = dJointGetBody(joint, 0), other = first == own ? dJointGetBody(joint, 1) : first;
    link->isContact = type == dJointTypeContact;
    link->joint = link->isContact ? BRINK_NO_RECORD : brinkStepFindJoint(&brink->step, body, joint);
    if (link->joint != BRINK_NO_RECORD && brink->step.joints[link->joint].type != type) {
      link->joint = BRINK_NO_RECORD; /* another one since the walk, where the old one lay */
    }
    link->body = dxBrinkBodyAcross(brink, link->joint, body, other);
    return true;
  }
  return false;
}

static bool joined(void *user, uint32_t bodyA, uint32_t bodyB) {
  return dAreConnectedExcluding(bodyOf(user, bodyA), bodyOf(user, bodyB), dJointTypeContact) != 0;
}

/* ---- pairs */

static brinkStepSay answers(void *user, brinkStepPair pair) {
  const dxBrink *brink = user;
  return brink->chosen.hookSay == NULL
             ? brink_stepAnswers
             : brink->chosen.hookSay(brink->chosen.hookUser, brink->geoms[pair.a].geom, brink->geoms[pair.b].geom);
}

static bool keptApart(void *user, brinkStepPair pair) {
  const dxBrink *brink = user;
  return dxBrinkAnswersPair(&brink->geoms[pair.a], &brink->geoms[pair.b]);
}

static bool hasContact(void *user, brinkStepPair pair, double *friction) {
  dBrinkID brink = user;
  size_t count = dxBrinkListContacts(brink, dxBrinkBodyOfGeom(brink, pair.a), dxBrinkBodyOfGeom(brink, pair.b));
  while (count > 0 && !dxBrinkMayBeOf(brink, brink->contacts.joints[count - 1], pair, friction)) {
    --count;
  }
  return count > 0;
}

static bool touches(void *user, brinkStepPair pair) {
  const dxBrink *brink = user;
  dGeomID a = brink->geoms[pair.a].geom, b = brink->geoms[pair.b].geom;
  dContactGeom seen;
  brinkContactPoint point;
  return dxBrinkBitsMeet(a, b) && dxBrinkBoxesWithin(a, b, 0) &&
         (dxBrinkMayAskOde(dGeomGetClass(dxBrinkLeaf(a)), dGeomGetClass(dxBrinkLeaf(b)))
              ? dCollide(a, b, 1, &seen, sizeof(seen)) > 0
              : dxBrinkContactPoints(user, pair, 0, &point, 1) > 0);
}

static bool collides(void *user, brinkStepPair pair) {
  const dxBrink *brink = user;
  return dxBrinkBitsMeet(brink->geoms[pair.a].geom, brink->geoms[pair.b].geom);
}

/* ---- contacts inside a step */

static int refresh(void *user) {
  dBrinkID brink = user;
  return brink->contacts.worldGone ? dxBrinkFailWorldGone(brink) : dxBrinkRefresh(brink);
}

/* ---- solves */

static bool isOn(void *user, uint32_t body) { return dBodyIsEnabled(bodyOf(user, body)) != 0; }

static void wake(void *user, uint32_t body) {
  if (!isOn(user, body)) { /* what is awake goes on with its countdown to sleep */
    dBodyEnable(bodyOf(user, body));
  }
}

static bool solve(void *user, double tau, bool insteadOfLast) {
  dBrinkID brink = user;
  const struct brinkStepIsland *island = &brink->step.island;
  bool solved = dxBrinkHangOnStandIns(brink, tau) && dxBrinkSolveIsland(brink, 1 - tau, insteadOfLast);
  dxBrinkTakeFromStandIns(brink, solved);
  if (!solved) {
    return false;
  }
  for (size_t i = 0; i < island->gatheredCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[island->gathered[i]];
    dxBrinkReadState(record->body, &record->end);
    dxBrinkReadSpin(record, (1 - tau) * brink->step.now.h, true);
  }
  dxBrinkRestoreBodies(brink);
  return true;
}

/* ---- words */

static void writeCollider(void *user, uint32_t number, brinkStepText *out) {
  const dxBrink *brink = user;
  const dxBrinkGeom *record = &brink->geoms[number];
  brinkPose pose = brinkStepComposePose(record->pose, record->shape.place);
  dxBrinkWriteShape(record, number, out);
  brinkStepAppend(out, "collider %u %ld", number, record->body == BRINK_NO_RECORD ? -1L : (long)record->body);
  brinkStepAppendPose(out, &pose);
  brinkStepAppend(out, " %llu %llu", (unsigned long long)record->categoryBits, (unsigned long long)record->collideBits);
  brinkStepAppendNumbers(out, &record->allowance, 1);
  brinkStepAppend(out, "\n");
}

static void say(void *user, brinkLogLevel level, const char *text) {
  if (level == brink_logError) {
    (void)dxBrinkFail(user, "%s", text);
  } else {
    dxBrinkLog(user, level, "%s", text);
  }
}

const brinkStepHost dxBrinkOde = {
    .readState = readState,
    .writeState = writeState,
    .readEnd = readEnd,
    .readForces = readForces,
    .writeForces = writeForces,
    .takeBackForces = dxBrinkTakeBackForces,
    .giveBackDamping = dxBrinkGiveBackDamping,
    .angularDamping = angularDamping,
    .pushOf = dxBrinkPushOf,
    .weigh = dxBrinkWeigh,
    .yieldOf = dxBrinkYieldOf,
    .nextLink = nextLink,
    .joined = joined,
    .answers = answers,
    .keptApart = keptApart,
    .hasContact = hasContact,
    .touches = touches,
    .collides = collides,
    .renewCollider = dxBrinkMakeColliderAgain,
    .listContacts = dxBrinkListStaleContacts,
    .putAside = dxBrinkDisableStaleContacts,
    .putAsideNew = dxBrinkPutAsideNew,
    .askContacts = dxBrinkAskContacts,
    .askOthers = dxBrinkCallNearOthers,
    .contactPoints = dxBrinkContactPoints,
    .addContact = dxBrinkAddContact,
    .looksChanged = dxBrinkWorldChanged,
    .refresh = refresh,
    .isOn = isOn,
    .wake = wake,
    .solve = solve,
    .endSolves = dxBrinkEndContacts,
    .writeCollider = writeCollider,
    .say = say,
    .whyNotKeptApart =
        "are not convex and have ODE's own contacts, which need surfaces that cross: they are held apart "
        "impact by impact, and may cross at a step's start; register their classes with dBrinkRegister",
    .howToHear = " (said once; give a log with dBrinkSetLog to hear of others)",
};
