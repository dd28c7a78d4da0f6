/* SPDX-License-Identifier: BSD-3-Clause */
/* How far apart do a joint's two ends get in a segment, and how are they brought together again?
 * ODE's solver keeps joints to first order: in each solve a body goes straight while its arm turns, so the joint opens
 * by half the square of the turn times the arm, and ODE takes back a fifth of it per step, through velocities. After an
 * impact there are many such solves. So bodies that an impact has changed are shifted, without turning them, before
 * Brink is asked about their motion: by what closes the gap that the segment starts with, and half of what it adds.
 * (All of it would, in the middle of a turn that an impact breaks off, open the joint to the other side.) Velocities
 * stay, so no energy is made; the shifted motion is the one that is proved free.
 *
 * Not shifted: what a contact or a joint that may slide or give holds where it is. Lighter bodies give way to heavier
 * ones, as an impulse at the joint would have it; a few rounds over the joints, forward and backward.
 *
 * local: time in the segment, [0,1]. Units: m, rad, kg. */
#include <math.h>
#include <string.h>

#include "stepper.h"

#define ROUNDS 10 /* over all joints; a gap next to a heavy body is then closed to a few parts of a hundred */

#define MOST_LOOKS 64 /* at a gap */
#define HALVINGS 12   /* between the last two of them */

/* What the segment starts with: after a solve at an impact `start` is still that of the segment before. */
static const dxBrinkState *beginningOf(const dxBrinkBody *record) {
  return record->posed ? &record->next : &record->start;
}

/* rad, world axes: how the body turns in the segment. Its spin only tells the number of whole turns: who damps more
 * than ODE's step cannot be told from who does not. */
static brinkVec3 turnOf(const dxBrinkBody *record) {
  return brinkStepTurnBetween(beginningOf(record)->quaternion, record->end.quaternion, record->spin);
}

double dxBrinkTurnAngle(const dxBrinkBody *record) {
  brinkVec3 turn = turnOf(record);
  return sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
}

/* out = arm turned by local * turn (Rodrigues). */
static void turnArm(brinkVec3 turn, double local, const double arm[3], double out[3]) {
  double angle = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  memcpy(out, arm, 3 * sizeof(double));
  if (!(angle > 0)) {
    return;
  }
  double n[3] = {turn.x / angle, turn.y / angle, turn.z / angle}, c = cos(local * angle), s = sin(local * angle);
  double along = (1 - c) * (n[0] * arm[0] + n[1] * arm[1] + n[2] * arm[2]);
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = c * arm[i] + s * (n[j] * arm[k] - n[k] * arm[j]) + along * n[i];
  }
}

/* Where a body's end of the joint is, in ODE's own motion. */
static void endOfJoint(const dxBrinkBody *record, const double anchor[3], double local, double out[3]) {
  const dxBrinkState *from = beginningOf(record);
  double arm[3];
  for (int i = 0; i < 3; ++i) {
    const dReal *row = from->rotation + 4 * i;
    arm[i] = row[0] * anchor[0] + row[1] * anchor[1] + row[2] * anchor[2];
  }
  turnArm(turnOf(record), local, arm, out);
  for (int i = 0; i < 3; ++i) {
    out[i] += from->position[i] + local * (record->end.position[i] - record->gap.shift[i] - from->position[i]);
  }
}

/* From the second body's end of the joint to the first one's, in ODE's own motion, without shifts. */
void dxBrinkJointGap(const dxBrink *brink, const dxBrinkJoint *joint, double local, double out[3]) {
  double ends[2][3];
  for (int side = 0; side < 2; ++side) {
    memcpy(ends[side], joint->anchors[side], sizeof(ends[side]));
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      endOfJoint(&brink->bodies[joint->bodies[side]], joint->anchors[side], local, ends[side]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    out[i] = ends[0][i] - ends[1][i];
  }
}

/* m, the longer way from a body's centre to the joint. */
double dxBrinkJointReach(const dxBrinkJoint *joint) {
  double reach = 0;
  for (int side = 0; side < 2; ++side) {
    const double *a = joint->anchors[side];
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      reach = fmax(reach, sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
    }
  }
  return reach;
}

/* Is the joint still there, and on? A near callback may have destroyed it, as one does that breaks under an impact. */
static bool holds(const dxBrink *brink, const dxBrinkJoint *joint) {
  dBodyID body = brink->bodies[joint->bodies[joint->bodies[0] == BRINK_NO_RECORD]].body;
  int count = dBodyGetNumJoints(body);
  for (int i = 0; i < count; ++i) {
    if (dBodyGetJoint(body, i) == joint->joint) {
      return dJointGetType(joint->joint) == joint->type && dJointIsEnabled(joint->joint);
    }
  }
  return false;
}

/* Is the motion of both its bodies known, and do they share a point? */
bool dxBrinkJointIsKnown(const dxBrink *brink, const dxBrinkJoint *joint) {
  bool known = joint->joint != NULL && dxBrinkJointHasAnchor(joint);
  int bodies = 0;
  for (int side = 0; known && side < 2; ++side) {
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      const dxBrinkBody *record = &brink->bodies[joint->bodies[side]];
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
static double yieldOf(const dxBrinkBody *record) {
  if (record->body == NULL || !record->dynamic || !record->struck || record->quiet || record->frozen ||
      !(record->host.held || dBodyIsEnabled(record->body))) {
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

/* ---- where it opens too far */

/* m, by how much the gap has grown since the segment's start. */
static double openingAt(const dxBrink *brink, const dxBrinkJoint *joint, double local) {
  double gaps[2][3], length[2];
  for (int end = 0; end < 2; ++end) {
    dxBrinkJointGap(brink, joint, end * local, gaps[end]);
    length[end] = sqrt(gaps[end][0] * gaps[end][0] + gaps[end][1] * gaps[end][1] + gaps[end][2] * gaps[end][2]);
  }
  return length[1] - length[0];
}

/* m, by how much the arm from a body's centre to the joint leaves the straight way that the solver sees. */
static double bendOf(const dxBrinkBody *record, const double anchor[3]) {
  double arm[3];
  for (int i = 0; i < 3; ++i) {
    const dReal *row = record->end.rotation + 4 * i;
    arm[i] = row[0] * anchor[0] + row[1] * anchor[1] + row[2] * anchor[2];
  }
  const double *w = record->spin;
  double x = w[1] * arm[2] - w[2] * arm[1], y = w[2] * arm[0] - w[0] * arm[2], z = w[0] * arm[1] - w[1] * arm[0];
  double spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  return sqrt(x * x + y * y + z * z) * spin / 2;
}

/* Where the joint has opened by `most`: local. */
static double whereItOpens(const dxBrink *brink, const dxBrinkJoint *joint, double turn, double most) {
  double stride = fmax(BRINK_STEP_STRIDE / turn, 1.0 / MOST_LOOKS), low = 0, high = fmin(1, stride);
  while (high < 1 && openingAt(brink, joint, high) < most) {
    low = high;
    high = fmin(1, high + stride);
  }
  for (int i = 0; i < HALVINGS; ++i) {
    double middle = (low + high) / 2;
    if (openingAt(brink, joint, middle) < most) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

/* Where the segment has to be cut for this joint; 2: nowhere. */
static double limitOfJoint(const dxBrink *brink, const dxBrinkJoint *joint) {
  double most = BRINK_STEP_OPENING * dxBrinkJointReach(joint), turn = 0, bend = 0;
  int cuts = 0;
  bool struck = false;
  if (!dxBrinkJointIsKnown(brink, joint)) {
    return 2;
  }
  for (int side = 0; side < 2; ++side) {
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      const dxBrinkBody *record = &brink->bodies[joint->bodies[side]];
      struck = struck || (record->struck && record->dynamic);
      turn = fmax(turn, dxBrinkTurnAngle(record));
      bend = fmax(bend, bendOf(record, joint->anchors[side]));
      cuts = record->gap.cuts > cuts ? record->gap.cuts : cuts;
    }
  }
  if (!struck || cuts >= BRINK_STEP_MAX_CUTS || !(bend > BRINK_STEP_NOT_WORTH / 2 * most) ||
      !(openingAt(brink, joint, 1) > BRINK_STEP_NOT_WORTH * most)) {
    return 2;
  }
  /* what is too far for all cuts is shared among them */
  return fmax(whereItOpens(brink, joint, turn, most), 1.0 / (BRINK_STEP_MAX_CUTS + 1 - cuts));
}

/* Where the motion of the joint's bodies has to be cut, part of what is left of the step, `left`; 2: nowhere. */
double dxBrinkCutOfJoint(const dxBrink *brink, const dxBrinkJoint *joint, double left) {
  double local = left < 2 * BRINK_STEP_SHORTEST_CUT ? 2 : limitOfJoint(brink, joint);
  if (local > 1) {
    return 2;
  }
  local = fmax(local, BRINK_STEP_SHORTEST_CUT / left);
  return (1 - local) * left >= BRINK_STEP_SHORTEST_CUT ? local : 2;
}

/* ---- closing */

static double yieldOfJoint(const dxBrink *brink, const dxBrinkJoint *joint) {
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    sum += joint->bodies[side] == BRINK_NO_RECORD ? 0 : brink->bodies[joint->bodies[side]].gap.yield;
  }
  return sum;
}

/* By how much the first end is to come to the second one at the segment's end; `cut`: local, where it will be cut. */
static void aim(const dxBrink *brink, dxBrinkJoint *joint, double cut) {
  double before[3], after[3], length = 0;
  dxBrinkJointGap(brink, joint, 0, before);
  dxBrinkJointGap(brink, joint, cut, after);
  for (int i = 0; i < 3; ++i) {
    joint->aim[i] = before[i] + BRINK_STEP_NEW_PART * (after[i] - before[i]) / cut;
    length += joint->aim[i] * joint->aim[i];
  }
  length = sqrt(length);
  double reach = dxBrinkJointReach(joint),
         scale = length > BRINK_STEP_OPENING * reach ? BRINK_STEP_OPENING * reach / length : 1;
  scale = length < BRINK_STEP_SMALLEST * reach ? 0 : scale;
  for (int i = 0; i < 3; ++i) {
    joint->aim[i] *= scale;
  }
}

static void shiftBodies(dBrinkID brink, const dxBrinkJoint *joint) {
  dxBrinkBody *bodies[2] = {NULL, NULL};
  for (int side = 0; side < 2; ++side) {
    bodies[side] = joint->bodies[side] == BRINK_NO_RECORD ? NULL : &brink->bodies[joint->bodies[side]];
  }
  double yield = yieldOfJoint(brink, joint);
  for (int i = 0; i < 3; ++i) {
    double left = joint->aim[i];
    left += bodies[0] != NULL ? bodies[0]->gap.shift[i] : 0;
    left -= bodies[1] != NULL ? bodies[1]->gap.shift[i] : 0;
    for (int side = 0; side < 2; ++side) {
      if (bodies[side] != NULL) {
        bodies[side]->gap.shift[i] += (side == 0 ? -left : left) * bodies[side]->gap.yield / yield;
      }
    }
  }
}

/* brink->spins.openJoints: joints of these bodies whose motion is known, each once. False: no memory. */
bool dxBrinkListJointsOf(dBrinkID brink, const uint32_t *numbers, size_t count) {
  brink->spins.openCount = 0;
  for (size_t i = 0; i < count; ++i) {
    const dxBrinkBody *record = &brink->bodies[numbers[i]];
    int jointCount = record->body != NULL ? dBodyGetNumJoints(record->body) : 0;
    for (int j = 0; j < jointCount; ++j) {
      uint32_t number = brinkKeyMap_Get(&brink->jointMap, BRINK_POINTER_KEY(dBodyGetJoint(record->body, j)));
      const dxBrinkJoint *joint = number != BRINK_NO_RECORD ? &brink->joints[number] : NULL;
      if (joint == NULL || joint->bodies[joint->bodies[0] == BRINK_NO_RECORD] != numbers[i] ||
          !dxBrinkJointIsKnown(brink, joint)) {
        continue;
      }
      if (!DX_BRINK_RESERVE(brink->spins.openJoints, brink->spins.openCount, brink->spins.openCapacity)) {
        return false;
      }
      brink->spins.openJoints[brink->spins.openCount++] = number;
    }
  }
  return true;
}

/* Of the joints of these bodies those that are to be closed; false: none, or no memory: all stays as ODE left it. */
static bool listJoints(dxBrinkRun *run, const uint32_t *numbers, size_t count, double left) {
  dBrinkID brink = run->brink;
  double cut = 1;
  size_t kept = 0;
  if (!dxBrinkListJointsOf(brink, numbers, count)) {
    return false;
  }
  for (size_t i = 0; run->near != NULL && i < brink->spins.openCount; ++i) {
    cut = fmin(cut, dxBrinkCutOfJoint(brink, &brink->joints[brink->spins.openJoints[i]], left));
  }
  for (size_t i = 0; i < brink->spins.openCount; ++i) {
    if (yieldOfJoint(brink, &brink->joints[brink->spins.openJoints[i]]) > 0) {
      brink->spins.openJoints[kept++] = brink->spins.openJoints[i];
      aim(brink, &brink->joints[brink->spins.openJoints[kept - 1]], cut);
    }
  }
  brink->spins.openCount = kept;
  return kept > 0;
}

/* Who gives way at these bodies' joints? Bodies that are not among them stay. */
static void measureYields(dBrinkID brink, const uint32_t *numbers, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    dxBrinkBody *record = &brink->bodies[numbers[i]];
    int jointCount = record->body != NULL ? dBodyGetNumJoints(record->body) : 0;
    for (int j = 0; j < jointCount; ++j) {
      for (int side = 0; side < 2; ++side) {
        uint32_t other = dxBrinkFindBody(brink, dJointGetBody(dBodyGetJoint(record->body, j), side));
        if (other != BRINK_NO_RECORD) {
          brink->bodies[other].gap.yield = 0;
        }
      }
    }
  }
  for (size_t i = 0; i < count; ++i) {
    brink->bodies[numbers[i]].gap.yield = yieldOf(&brink->bodies[numbers[i]]);
  }
}

/* After a solve: changes where these bodies end. left: of the step. */
void dxBrinkCloseJoints(dxBrinkRun *run, const uint32_t *numbers, size_t count, double left) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < count; ++i) {
    dxBrinkBody *record = &brink->bodies[numbers[i]];
    memset(record->gap.shift, 0, sizeof(record->gap.shift));
  }
  if (!brink->spins.anyStruck || brink->jointCount == 0 || dWorldGetCFM(brink->world) > BRINK_STEP_SOFTEST_CFM) {
    return;
  }
  measureYields(brink, numbers, count);
  if (!listJoints(run, numbers, count, left)) {
    return;
  }
  for (int round = 0; round < ROUNDS; ++round) {
    for (size_t i = 0; i < brink->spins.openCount; ++i) {
      size_t place = round % 2 == 0 ? i : brink->spins.openCount - 1 - i;
      shiftBodies(brink, &brink->joints[brink->spins.openJoints[place]]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkBody *record = &brink->bodies[numbers[i]];
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
  for (size_t i = 0; brink->spins.anyStruck && i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    record->host.lent = record->body != NULL && record->struck && brink->briefs[i].jointed &&
                        dBodyGetFiniteRotationMode(record->body) == 0;
    if (record->host.lent) {
      brink->spins.anyLent = true;
      dBodySetFiniteRotationMode(record->body, 1);
    }
  }
}

void dxBrinkRestoreStruckTurning(dBrinkID brink) {
  for (size_t i = 0; brink->spins.anyLent && i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->host.lent) {
      dBodySetFiniteRotationMode(record->body, 0);
      record->host.lent = false;
    }
  }
  brink->spins.anyLent = false;
}
