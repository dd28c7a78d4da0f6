/* SPDX-License-Identifier: BSD-3-Clause */
/* How far apart do a joint's two ends get in a segment, and how are they brought together again?
 * ODE takes back a fifth of a gap per step, through velocities. After an impact there are many such solves. So bodies
 * that an impact has changed are shifted (stepping/gap.h) before Brink is asked about their motion. Velocities stay, so
 * no energy is made; the shifted motion is the one that is proved free.
 *
 * Not shifted: what a contact or a joint that may slide or give holds where it is. Lighter bodies give way to heavier
 * ones, as an impulse at the joint would have it; a few rounds over the joints, forward and backward.
 *
 * Units: m, rad, kg. */
#include <math.h>
#include <string.h>

#include "gap.h" /* plugin/stepping */
#include "step.h"

#define ROUNDS 10 /* over all joints; a gap next to a heavy body is then closed to a few parts of a hundred */

/* What the segment starts with: after a solve at an impact `start` is still that of the segment before. */
static const brinkStepState *beginningOf(const brinkStepBody *record) {
  return record->posed ? &record->next : &record->start;
}

/* rad, world axes: how the body turns in the segment. Its spin only tells the number of whole turns: who damps more
 * than ODE's step cannot be told from who does not. */
static brinkVec3 turnOf(const brinkStepBody *record) {
  return brinkStepTurnBetween(beginningOf(record)->quaternion, record->end.quaternion, record->spin);
}

/* The sides of a joint in ODE's own motion, without shifts. */
static void readSides(const dxBrink *brink, const brinkStepJoint *joint, brinkStepSide sides[2]) {
  for (int s = 0; s < 2; ++s) {
    brinkStepSide *side = &sides[s];
    const double *anchor = joint->anchors[s];
    *side = (brinkStepSide){.from = {anchor[0], anchor[1], anchor[2]}, .to = {anchor[0], anchor[1], anchor[2]}};
    if (joint->bodies[s] == BRINK_NO_RECORD) {
      continue;
    }
    const brinkStepBody *record = &brink->step.bodies[joint->bodies[s]];
    const brinkStepState *from = beginningOf(record), *end = &record->end;
    for (int i = 0; i < 3; ++i) {
      const dReal *first = from->rotation + 4 * i, *last = end->rotation + 4 * i;
      side->arm[i] = first[0] * anchor[0] + first[1] * anchor[1] + first[2] * anchor[2];
      side->lastArm[i] = last[0] * anchor[0] + last[1] * anchor[1] + last[2] * anchor[2];
      side->from[i] = from->position[i];
      side->to[i] = end->position[i] - record->gap.shift[i];
      side->spin[i] = record->spin[i];
    }
    side->reach = sqrt(anchor[0] * anchor[0] + anchor[1] * anchor[1] + anchor[2] * anchor[2]);
    const brinkVec3 turn = turnOf(record);
    memcpy(side->turn, &turn, sizeof(side->turn));
  }
}

/* Is the joint still there, and on? A near callback may have destroyed it, as one does that breaks under an impact. */
static bool holds(const dxBrink *brink, const brinkStepJoint *joint) {
  dBodyID body = brink->step.bodies[joint->bodies[joint->bodies[0] == BRINK_NO_RECORD]].body;
  int count = dBodyGetNumJoints(body);
  for (int i = 0; i < count; ++i) {
    if (dBodyGetJoint(body, i) == joint->joint) {
      return dJointGetType(joint->joint) == joint->type && dJointIsEnabled(joint->joint);
    }
  }
  return false;
}

/* Is the motion of both its bodies known, and do they share a point? */
static bool jointIsKnown(const dxBrink *brink, const brinkStepJoint *joint) {
  bool known = joint->joint != NULL && joint->holdsPoint;
  int bodies = 0;
  for (int side = 0; known && side < 2; ++side) {
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      const brinkStepBody *record = &brink->step.bodies[joint->bodies[side]];
      known = record->body != NULL && !record->quiet;
      bodies++;
    }
  }
  return known && bodies > 0 && holds(brink, joint);
}

/* ---- who gives way */

static bool isStiff(dJointID joint) {
  switch (dJointGetType(joint)) {
    case dJointTypeBall:
      return dJointGetBallParam(joint, dParamCFM) <= BRINK_STEP_SOFTEST_CFM;
    case dJointTypeFixed:
      return dJointGetFixedParam(joint, dParamCFM) <= BRINK_STEP_SOFTEST_CFM;
    case dJointTypeHinge:
    case dJointTypeUniversal:
    case dJointTypeAMotor:
      return true;
    default: /* a contact, or what slides or springs */
      return false;
  }
}

/* 1/kg; 0: it stays. */
static double yieldOf(const dxBrink *brink, const brinkStepBody *record) {
  if (record->body == NULL || !record->dynamic || !record->struck || record->quiet || record->frozen ||
      !(dxBrinkHostedOf(brink, record)->held || dBodyIsEnabled(record->body))) {
    return 0;
  }
  int count = dBodyGetNumJoints(record->body);
  for (int i = 0; i < count; ++i) {
    dJointID joint = dBodyGetJoint(record->body, i);
    if (dJointIsEnabled(joint) && !isStiff(joint)) {
      return 0;
    }
  }
  dMass mass;
  dBodyGetMass(record->body, &mass);
  return 1 / mass.mass;
}

/* Where the motion of the joint's bodies has to be cut, part of what is left of the step, `left`; 2: nowhere. What
 * turns little opens no joint: brinkStepCut would say so, lengths alone tell it. */
double dxBrinkCutOfJoint(const dxBrink *brink, const brinkStepJoint *joint, double left) {
  int cuts = 0;
  bool struck = false;
  double reach = 0, bend = 0;
  for (int side = 0; side < 2; ++side) {
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      const brinkStepBody *record = &brink->step.bodies[joint->bodies[side]];
      const double *arm = joint->anchors[side], *w = record->spin;
      const double length = sqrt(arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]);
      struck = struck || (record->struck && record->dynamic);
      cuts = record->gap.cuts > cuts ? record->gap.cuts : cuts;
      reach = fmax(reach, length);
      bend = fmax(bend, length * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    }
  }
  if (!struck || bend * (1 + BRINK_STEP_ROUNDING) <= BRINK_STEP_NOT_WORTH * BRINK_STEP_OPENING * reach ||
      !jointIsKnown(brink, joint)) {
    return 2;
  }
  brinkStepSide sides[2];
  readSides(brink, joint, sides);
  return brinkStepCut(sides, cuts, left);
}

/* ---- closing */

static double yieldOfJoint(const dxBrink *brink, const brinkStepJoint *joint) {
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    sum += joint->bodies[side] == BRINK_NO_RECORD ? 0 : brink->step.bodies[joint->bodies[side]].gap.yield;
  }
  return sum;
}

static void shiftBodies(dBrinkID brink, const brinkStepJoint *joint) {
  double *shifts[2] = {NULL, NULL}, yields[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      shifts[side] = brink->step.bodies[joint->bodies[side]].gap.shift;
      yields[side] = brink->step.bodies[joint->bodies[side]].gap.yield;
    }
  }
  brinkStepShift(joint->aim, shifts[0], yields[0], shifts[1], yields[1]);
}

/* brink->step.spins.openJoints: joints of these bodies whose motion is known, each once. False: no memory. */
bool dxBrinkListJointsOf(dBrinkID brink, const uint32_t *numbers, size_t count) {
  brink->step.spins.openCount = 0;
  for (size_t i = 0; i < count; ++i) {
    const brinkStepBody *record = &brink->step.bodies[numbers[i]];
    int jointCount = record->body != NULL ? dBodyGetNumJoints(record->body) : 0;
    for (int j = 0; j < jointCount; ++j) {
      uint32_t number = brinkKeyMap_Get(&brink->jointMap, BRINK_POINTER_KEY(dBodyGetJoint(record->body, j)));
      const brinkStepJoint *joint = number != BRINK_NO_RECORD ? &brink->step.joints[number] : NULL;
      if (joint == NULL || joint->bodies[joint->bodies[0] == BRINK_NO_RECORD] != numbers[i] ||
          !jointIsKnown(brink, joint)) {
        continue;
      }
      if (!BRINK_STEP_RESERVE(brink->step.spins.openJoints, brink->step.spins.openCount,
                              brink->step.spins.openCapacity)) {
        return false;
      }
      brink->step.spins.openJoints[brink->step.spins.openCount++] = number;
    }
  }
  return true;
}

/* Of the joints of these bodies those that are to be closed; false: none, or no memory: all stays as ODE left it. */
static bool listJoints(dBrinkID brink, const uint32_t *numbers, size_t count, double left) {
  double cut = 1;
  size_t kept = 0;
  if (!dxBrinkListJointsOf(brink, numbers, count)) {
    return false;
  }
  for (size_t i = 0; brink->call.near != NULL && i < brink->step.spins.openCount; ++i) {
    cut = fmin(cut, dxBrinkCutOfJoint(brink, &brink->step.joints[brink->step.spins.openJoints[i]], left));
  }
  for (size_t i = 0; i < brink->step.spins.openCount; ++i) {
    if (yieldOfJoint(brink, &brink->step.joints[brink->step.spins.openJoints[i]]) > 0) {
      brink->step.spins.openJoints[kept++] = brink->step.spins.openJoints[i];
      brinkStepJoint *joint = &brink->step.joints[brink->step.spins.openJoints[kept - 1]];
      brinkStepSide sides[2];
      readSides(brink, joint, sides);
      brinkStepAim(sides, cut, joint->aim);
    }
  }
  brink->step.spins.openCount = kept;
  return kept > 0;
}

/* Who gives way at these bodies' joints? Bodies that are not among them stay. */
static void measureYields(dBrinkID brink, const uint32_t *numbers, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    brinkStepBody *record = &brink->step.bodies[numbers[i]];
    int jointCount = record->body != NULL ? dBodyGetNumJoints(record->body) : 0;
    for (int j = 0; j < jointCount; ++j) {
      for (int side = 0; side < 2; ++side) {
        uint32_t other = dxBrinkFindBody(brink, dJointGetBody(dBodyGetJoint(record->body, j), side));
        if (other != BRINK_NO_RECORD) {
          brink->step.bodies[other].gap.yield = 0;
        }
      }
    }
  }
  for (size_t i = 0; i < count; ++i) {
    brink->step.bodies[numbers[i]].gap.yield = yieldOf(brink, &brink->step.bodies[numbers[i]]);
  }
}

/* After a solve: changes where these bodies end. left: of the step. */
void dxBrinkCloseJoints(dBrinkID brink, const uint32_t *numbers, size_t count, double left) {
  for (size_t i = 0; i < count; ++i) {
    brinkStepBody *record = &brink->step.bodies[numbers[i]];
    memset(record->gap.shift, 0, sizeof(record->gap.shift));
  }
  if (!brink->step.spins.anyStruck || brink->step.jointCount == 0 ||
      dWorldGetCFM(brink->world) > BRINK_STEP_SOFTEST_CFM) {
    return;
  }
  measureYields(brink, numbers, count);
  if (!listJoints(brink, numbers, count, left)) {
    return;
  }
  for (int round = 0; round < ROUNDS; ++round) {
    for (size_t i = 0; i < brink->step.spins.openCount; ++i) {
      size_t place = round % 2 == 0 ? i : brink->step.spins.openCount - 1 - i;
      shiftBodies(brink, &brink->step.joints[brink->step.spins.openJoints[place]]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    brinkStepBody *record = &brink->step.bodies[numbers[i]];
    if (record->gap.yield > 0) {
      for (int axis = 0; axis < 3; ++axis) {
        record->end.position[axis] += record->gap.shift[axis];
      }
      dxBrinkWriteState(record->body, &record->end);
    }
  }
}

/* ---- the step's own solve */

/* ODE's infinitesimal mode turns a body by 2 atan(|w| h / 2) while its centre goes on at full speed: what spins by more
 * than a radian in a step leaves its joints at once. Jointed bodies that an impact has changed, and that spin since,
 * turn in the finite mode in the steps after it too. */
void dxBrinkTurnStruckFinitely(dBrinkID brink) {
  for (size_t i = 0; brink->step.spins.anyStruck && i < brink->step.bodyCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[i];
    dxBrinkHostedOf(brink, record)->borrowed = record->body != NULL && record->struck &&
                                               brink->step.hotData[i].jointed &&
                                               dBodyGetFiniteRotationMode(record->body) == 0;
    if (dxBrinkHostedOf(brink, record)->borrowed) {
      brink->island.anyBorrowed = true;
      dBodySetFiniteRotationMode(record->body, 1);
    }
  }
}

void dxBrinkRestoreStruckTurning(dBrinkID brink) {
  for (size_t i = 0; brink->island.anyBorrowed && i < brink->step.bodyCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[i];
    if (dxBrinkHostedOf(brink, record)->borrowed) {
      dBodySetFiniteRotationMode(record->body, 0);
      dxBrinkHostedOf(brink, record)->borrowed = false;
    }
  }
  brink->island.anyBorrowed = false;
}
