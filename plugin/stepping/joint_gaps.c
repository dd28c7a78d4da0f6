/* SPDX-License-Identifier: BSD-3-Clause */
/* Closing joints: how far apart do a joint's two ends get in a segment, and how are they brought together again?
 * Engines take back a part of a gap per step (ODE a fifth), through velocities. After an impact there are many such
 * solves. So bodies that an impact has changed are shifted (gap.h) before Brink is asked about their motion.
 * Velocities stay, so no energy is made; the shifted motion is the one that is proved free.
 *
 * Not shifted: what a contact or a joint that may slide or give holds where it is. Lighter bodies give way to heavier
 * ones, as an impulse at the joint would have it; a few rounds over the joints, forward and backward.
 *
 * Units: m, rad, kg. */
#include <math.h>
#include <string.h>

#include "gap.h"
#include "step.h"

#define FETCH_AHEAD 8 /* joints */
#define ROUNDS 10     /* over all joints; a gap next to a heavy body is then closed to a few parts of a hundred */

/* What the segment starts with: after a solve at an impact `start` is still that of the segment before. */
static const brinkStepState *beginningOf(const brinkStepBody *record) {
  return record->posed ? &record->next : &record->start;
}

/* rad, world axes: how the body turns in the segment. Its spin only tells the number of whole turns: who damps more
 * than the engine's step cannot be told from who does not. */
static brinkVec3 turnOf(const brinkStepBody *record) {
  return brinkStepTurnBetween(beginningOf(record)->quaternion, record->end.quaternion, record->spin);
}

/* The sides of a joint in the engine's own motion, without shifts. */
static void readSides(const brinkStepper *stepper, const brinkStepJoint *joint, brinkStepSide sides[2]) {
  for (int s = 0; s < 2; ++s) {
    brinkStepSide *side = &sides[s];
    const double *anchor = joint->anchors[s];
    *side = (brinkStepSide){.from = {anchor[0], anchor[1], anchor[2]}, .to = {anchor[0], anchor[1], anchor[2]}};
    side->rod = joint->length;
    if (joint->bodies[s] == BRINK_NO_RECORD) {
      continue;
    }
    const brinkStepBody *record = &stepper->bodies[joint->bodies[s]];
    const brinkStepState *from = beginningOf(record), *end = &record->end;
    for (int i = 0; i < 3; ++i) {
      const double *first = from->rotation + 4 * i, *last = end->rotation + 4 * i;
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

/* Is the motion of both its bodies known, and do they share a point? */
static bool jointIsKnown(const brinkStepper *stepper, const brinkStepJoint *joint) {
  bool known = joint->joint != NULL && joint->holdsPoint;
  int bodies = 0;
  for (int side = 0; known && side < 2; ++side) {
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      const brinkStepBody *record = &stepper->bodies[joint->bodies[side]];
      known = record->body != NULL && !record->quiet;
      bodies++;
    }
  }
  return known && bodies > 0;
}

/* ---- who gives way */

/* What a contact holds would be shifted into what it lies on, impact by impact, and stand still at last. */
static bool isHeldByContact(const brinkStepper *stepper, uint32_t number) {
  brinkStepLink link = {.isContact = false};
  int at = 0;
  while (!link.isContact && stepper->host->nextLink(stepper->user, number, &at, &link)) {
  }
  return link.isContact;
}

/* 1/kg; 0: it stays. */
static double yieldOf(const brinkStepper *stepper, uint32_t number) {
  const brinkStepBody *record = &stepper->bodies[number];
  if (record->body == NULL || !record->dynamic || !record->struck || record->quiet || record->frozen) {
    return 0;
  }
  const double yield = stepper->host->yieldOf(stepper->user, number);
  return yield > 0 && isHeldByContact(stepper, number) ? 0 : yield;
}

/* Where the motion of the joint's bodies has to be cut, part of what is left of the step, `left`; 2: nowhere. What
 * turns little opens no joint: brinkStepCut would say so, lengths alone tell it. */
double brinkStepCutOfJoint(const brinkStepper *stepper, const brinkStepJoint *joint, double left) {
  int cuts = 0;
  bool struck = false;
  double most = 0; /* rad, squared */
  for (int side = 0; side < 2; ++side) {
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      const brinkStepBody *record = &stepper->bodies[joint->bodies[side]];
      const double *w = record->spin;
      struck = struck || (record->struck && record->dynamic);
      cuts = record->gap.cuts > cuts ? record->gap.cuts : cuts;
      most = fmax(most, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
  }
  const bool turns = most * (1 + BRINK_STEP_ROUNDING) > BRINK_STEP_NOT_WORTH * BRINK_STEP_OPENING;
  if (!struck || (!turns && joint->length == 0) || !jointIsKnown(stepper, joint)) {
    return 2;
  }
  brinkStepSide sides[2];
  readSides(stepper, joint, sides);
  return brinkStepCut(sides, cuts, left);
}

/* ---- closing */

static double yieldOfJoint(const brinkStepper *stepper, const brinkStepJoint *joint) {
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    sum += joint->bodies[side] == BRINK_NO_RECORD ? 0 : stepper->bodies[joint->bodies[side]].gap.yield;
  }
  return sum;
}

static void shiftBodies(brinkStepper *stepper, const brinkStepJoint *joint) {
  double *shifts[2] = {NULL, NULL}, yields[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    if (joint->bodies[side] != BRINK_NO_RECORD) {
      shifts[side] = stepper->bodies[joint->bodies[side]].gap.shift;
      yields[side] = stepper->bodies[joint->bodies[side]].gap.yield;
    }
  }
  brinkStepShift(joint->aim, shifts[0], yields[0], shifts[1], yields[1]);
}

/* Is nothing of its chain struck? Its joints need neither a cut nor closing. An impact changes a chain as a whole; a
 * body that was struck in an earlier step has a chain that spins. */
static bool isUnstruck(const brinkStepper *stepper, const brinkStepBody *record) {
  return !record->struck && !stepper->bodies[record->chain].gap.spins;
}

/* Lists a joint of a body, unless the body at its other end does. False: no memory. */
static bool listJoint(brinkStepper *stepper, uint32_t body, uint32_t number) {
  const brinkStepJoint *joint = &stepper->joints[number];
  if (joint->bodies[joint->bodies[0] == BRINK_NO_RECORD] != body || !jointIsKnown(stepper, joint)) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(stepper->spins.openJoints, stepper->spins.openCount, stepper->spins.openCapacity)) {
    return false;
  }
  stepper->spins.openJoints[stepper->spins.openCount++] = number;
  return true;
}

/* stepper->spins.openJoints: joints of these bodies whose motion is known, each once. False: no memory. */
bool brinkStepListJointsOf(brinkStepper *stepper, const uint32_t *numbers, size_t count) {
  bool good = true;
  stepper->spins.openCount = 0;
  for (size_t i = 0; good && i < count; ++i) {
    const brinkStepBody *record = &stepper->bodies[numbers[i]];
    brinkStepLink link;
    if (record->body == NULL || isUnstruck(stepper, record)) {
      continue;
    }
    if (brinkStepKnowsJoints(stepper, numbers[i])) {
      for (uint32_t at = record->firstJoint; good && at != BRINK_NO_RECORD;
           at = brinkStepNextJoint(stepper, numbers[i], at)) {
        good = listJoint(stepper, numbers[i], at);
      }
      continue;
    }
    for (int at = 0; good && stepper->host->nextLink(stepper->user, numbers[i], &at, &link);) {
      good = link.joint == BRINK_NO_RECORD || listJoint(stepper, numbers[i], link.joint);
    }
  }
  return good;
}

/* Who gives way at the listed joints? Bodies that are not among these stay. */
static void measureYields(brinkStepper *stepper, const uint32_t *numbers, size_t count) {
  for (size_t i = 0; i < stepper->spins.openCount; ++i) {
    const brinkStepJoint *joint = &stepper->joints[stepper->spins.openJoints[i]];
    for (int side = 0; side < 2; ++side) {
      if (joint->bodies[side] != BRINK_NO_RECORD) {
        stepper->bodies[joint->bodies[side]].gap.yield = 0;
      }
    }
  }
  for (size_t i = 0; i < count; ++i) {
    stepper->bodies[numbers[i]].gap.yield = yieldOf(stepper, numbers[i]);
  }
}

/* Of the joints of these bodies those that are to be closed; false: none, or no memory: all stays as the engine left
 * it. */
static bool listJoints(brinkStepper *stepper, const uint32_t *numbers, size_t count, double left) {
  double cut = 1;
  size_t kept = 0;
  if (!brinkStepListJointsOf(stepper, numbers, count)) {
    return false;
  }
  measureYields(stepper, numbers, count);
  for (size_t i = 0; stepper->now.mayAsk && i < stepper->spins.openCount; ++i) {
    cut = fmin(cut, brinkStepCutOfJoint(stepper, &stepper->joints[stepper->spins.openJoints[i]], left));
  }
  for (size_t i = 0; i < stepper->spins.openCount; ++i) {
    if (yieldOfJoint(stepper, &stepper->joints[stepper->spins.openJoints[i]]) > 0) {
      stepper->spins.openJoints[kept++] = stepper->spins.openJoints[i];
      brinkStepJoint *joint = &stepper->joints[stepper->spins.openJoints[kept - 1]];
      brinkStepSide sides[2];
      readSides(stepper, joint, sides);
      brinkStepAim(sides, cut, joint->aim);
    }
  }
  stepper->spins.openCount = kept;
  return kept > 0;
}

/* After a solve: changes where these bodies end. left: of the step. */
void brinkStepCloseJoints(brinkStepper *stepper, const uint32_t *numbers, size_t count, double left) {
  for (size_t i = 0; i < count; ++i) {
    brinkStepBody *record = &stepper->bodies[numbers[i]];
    memset(record->gap.shift, 0, sizeof(record->gap.shift));
  }
  if (!stepper->spins.anyStruck || stepper->jointCount == 0 || !listJoints(stepper, numbers, count, left)) {
    return;
  }
  for (int round = 0; round < ROUNDS; ++round) {
    for (size_t i = 0; i < stepper->spins.openCount; ++i) {
      size_t place = round % 2 == 0 ? i : stepper->spins.openCount - 1 - i;
      shiftBodies(stepper, &stepper->joints[stepper->spins.openJoints[place]]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    brinkStepBody *record = &stepper->bodies[numbers[i]];
    if (record->gap.yield > 0) {
      for (int axis = 0; axis < 3; ++axis) {
        record->end.position[axis] += record->gap.shift[axis];
      }
      stepper->host->writeState(stepper->user, numbers[i], &record->end);
      if (!record->posed) { /* its motion was read, and now ends elsewhere */
        record->moves = !brinkStepSamePose(&record->start, &record->end);
      }
    }
  }
}

/* m, where its bodies are now. */
static double gapOf(const brinkStepper *stepper, const brinkStepJoint *joint) {
  double gap[3] = {0, 0, 0};
  for (int side = 0; side < 2; ++side) {
    const double *a = joint->anchors[side], sign = side == 0 ? 1 : -1;
    if (joint->bodies[side] == BRINK_NO_RECORD) {
      for (int k = 0; k < 3; ++k) {
        gap[k] += sign * a[k];
      }
      continue;
    }
    const double *p = stepper->hotData[joint->bodies[side]].position;
    double R[12];
    brinkStepRotationOf(p + stepper->layout.quaternion, R);
    for (int k = 0; k < 3; ++k) {
      gap[k] += sign * (p[k] + R[4 * k] * a[0] + R[4 * k + 1] * a[1] + R[4 * k + 2] * a[2]);
    }
  }
  return fabs(sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]) - joint->length);
}

/* The hot data of a joint's bodies, which tells where they are, and those of one that comes before. */
static inline void fetchSides(const brinkStepper *stepper, size_t number) {
  for (int side = 0; side < 2; ++side) {
    const uint32_t far = number + FETCH_AHEAD < stepper->jointCount ? stepper->joints[number + FETCH_AHEAD].bodies[side]
                                                                    : BRINK_NO_RECORD;
    const uint32_t body = number < stepper->jointCount ? stepper->joints[number].bodies[side] : BRINK_NO_RECORD;
    if (far != BRINK_NO_RECORD) {
      BRINK_STEP_FETCH(&stepper->hotData[far]);
    }
    if (body != BRINK_NO_RECORD && stepper->hotData[body].position != NULL) {
      BRINK_STEP_FETCH(stepper->hotData[body].position);
      BRINK_STEP_FETCH(stepper->hotData[body].position + stepper->layout.quaternion);
    }
  }
}

double brinkStepWorstGap(const brinkStepper *stepper) {
  double worst = 0;
  for (size_t i = 0; i < stepper->jointCount; ++i) {
    const brinkStepJoint *joint = &stepper->joints[i];
    fetchSides(stepper, i + FETCH_AHEAD);
    if (joint->joint != NULL && joint->holdsPoint) {
      worst = fmax(worst, gapOf(stepper, joint));
    }
  }
  return worst;
}

static double reachOf(const brinkStepJoint *joint) {
  double reach = 0;
  for (int side = 0; side < 2; ++side) {
    const double *a = joint->anchors[side];
    reach = joint->bodies[side] != BRINK_NO_RECORD ? fmax(reach, sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])) : reach;
  }
  return reach;
}

/* Is a joint of the gathered bodies wider open than its arm, or than a body's allowance where that is more? Of the
 * error reduction erp that closes gaps, the part that would close no more than that of any; `least`, m, it may close of
 * all. 1: none is wider; 0: no memory. */
static double partOfGap(brinkStepper *stepper, double erp, double least) {
  if (!brinkStepListJointsOf(stepper, stepper->island.gathered, stepper->island.gatheredCount)) {
    return 0;
  }
  double part = 1;
  for (size_t i = 0; i < stepper->spins.openCount; ++i) {
    const brinkStepJoint *joint = &stepper->joints[stepper->spins.openJoints[i]];
    double arm = reachOf(joint);
    for (int side = 0; side < 2; ++side) {
      const uint32_t number = joint->bodies[side];
      const double allowance = number != BRINK_NO_RECORD ? stepper->bodies[number].allowance : 0;
      arm = isfinite(allowance) ? fmax(arm, allowance) : arm;
    }
    const double gap = erp * gapOf(stepper, joint), most = fmax(erp * arm, least);
    part = gap > most ? fmin(part, most / gap) : part;
  }
  return part;
}

/* Is the island at a limit, with a joint that is wider open than its arm? The step's own solve has pulled at it, and a
 * direct solver gives any velocity where none both closes it and keeps the links apart. Not where the program has just
 * given it others. */
bool brinkStepIsTorn(brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (stepper->pairs.impacts[i].moved) {
      return false;
    }
  }
  return brinkStepIsAtLimit(stepper) && partOfGap(stepper, 1, 0) < 1;
}

/* The step's own solve takes back a part of each gap, and the shifts above more of it, without any speed. A gap wider
 * than the arm is no small error any more: links that spin close it by their turn, and a cut in the middle of the turn
 * has them thrown together instead. A chain that an engine's long steps had left metres apart got ten times its energy
 * at one impact. So what is wider counts as an arm there, or as what closes no faster than depths are pushed out.
 *
 * At a limit such a joint only holds, and so do the island's others. A chain that long steps have folded the wrong way
 * round is held open by its own links, and no velocity both closes it and keeps them apart. */
double brinkStepClosingPart(brinkStepper *stepper, double erp, double h) {
  const double part = partOfGap(stepper, erp, h * brinkStepPushOutSpeed(stepper));
  return part < 1 && brinkStepIsAtLimit(stepper) ? 0 : part;
}
