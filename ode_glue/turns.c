/* SPDX-License-Identifier: BSD-3-Clause */
/* Is the rest of the step too long for a jointed body that spins after an impact?
 * A limb that is struck off its centre may turn by many radians in what is left of the step, and in the steps after it.
 * ODE's solver keeps joints to first order only, so such a turn pulls them apart by the length of the limb. The segment
 * is therefore cut where the first joint would have opened by a fifth of its arm: the islands of the bodies that pull
 * are posed there, their contacts made anew, and the rest is solved again, as at an impact at which nothing is struck.
 * Only bodies that an impact has changed, from then on as long as they spin, and only where the solve does pull at a
 * joint: a wheel's does not. A few cuts in a step, then the rest goes as it is. What a cut leaves open joint_gaps.c
 * closes.
 *
 * local: time in the segment, tau: in the step, [0,1]. Units: rad, m. */
#include <math.h>
#include <string.h>

#include "stepper.h"

#define OPENING 0.2       /* of the distance from centre to joint: what a segment may add to the joint's gap */
#define NOT_WORTH 1.2     /* times that: nothing is cut for less */
#define STRIDE 0.5        /* rad: between two looks at a gap */
#define MOST_LOOKS 64     /* at a gap */
#define HALVINGS 12       /* between the last two of them */
#define CALM_TURN 0.25    /* rad in a step: a chain that turns less is as it was before its impact */
#define MAX_CUTS 16       /* per body in a step */
#define SHORTEST_CUT 0.02 /* of the step: shorter parts are not solved for a turn's sake */

/* Spin wanders along a chain: it is calm when all of it is. */
void dxBrinkCalmDown(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  if (!brink->anyStruck) {
    return;
  }
  brink->anyStruck = false;
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->bodies[i].spins = false;
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[i];
    if (record->body != NULL && record->struck) {
      const dReal *w = dBodyGetAngularVel(record->body);
      bool spins = run->h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) > CALM_TURN;
      brink->bodies[record->chain].spins = brink->bodies[record->chain].spins || spins;
    }
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    record->struck = record->body != NULL && record->struck && brink->bodies[record->chain].spins;
    brink->anyStruck = brink->anyStruck || record->struck;
  }
}

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
  double stride = fmax(STRIDE / turn, 1.0 / MOST_LOOKS), low = 0, high = fmin(1, stride);
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
  double most = OPENING * dxBrinkJointReach(joint), turn = 0, bend = 0;
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
      cuts = record->cuts > cuts ? record->cuts : cuts;
    }
  }
  if (!struck || cuts >= MAX_CUTS || !(bend > NOT_WORTH / 2 * most) ||
      !(openingAt(brink, joint, 1) > NOT_WORTH * most)) {
    return 2;
  }
  /* what is too far for all cuts is shared among them */
  return fmax(whereItOpens(brink, joint, turn, most), 1.0 / (MAX_CUTS + 1 - cuts));
}

/* Where the motion of the joint's bodies has to be cut, part of what is left of the step, `left`; 2: nowhere. */
double dxBrinkCutOfJoint(const dxBrink *brink, const dxBrinkJoint *joint, double left) {
  double local = left < 2 * SHORTEST_CUT ? 2 : limitOfJoint(brink, joint);
  if (local > 1) {
    return 2;
  }
  local = fmax(local, SHORTEST_CUT / left);
  return (1 - local) * left >= SHORTEST_CUT ? local : 2;
}

static double startOf(const dxBrink *brink, const dxBrinkJoint *joint) {
  double from = 0;
  for (int side = 0; side < 2; ++side) {
    from = joint->bodies[side] != BRINK_NO_RECORD ? fmax(from, brink->bodies[joint->bodies[side]].from) : from;
  }
  return from;
}

/* For the joints of these bodies, whose motions are new. */
bool dxBrinkPlanCuts(dxBrinkRun *run, const uint32_t *numbers, size_t count) {
  dBrinkID brink = run->brink;
  if (run->near == NULL || !brink->anyStruck || brink->jointCount == 0) {
    return true;
  }
  if (!dxBrinkListJointsOf(brink, numbers, count)) {
    return false;
  }
  for (size_t i = 0; i < brink->openCount; ++i) {
    uint32_t number = brink->openJoints[i];
    dxBrinkJoint *joint = &brink->joints[number];
    double from = startOf(brink, joint), local = dxBrinkCutOfJoint(brink, joint, 1 - from);
    joint->cutAt = local <= 1 ? from + local * (1 - from) : 2;
    if (joint->cutAt <= 1 && !joint->planned) {
      if (!DX_BRINK_RESERVE(brink->cuts, brink->cutCount, brink->cutCapacity)) {
        return false;
      }
      brink->cuts[brink->cutCount++] = number;
      joint->planned = true;
    }
  }
  return true;
}

/* At the start of a step. */
void dxBrinkForgetCuts(dBrinkID brink) {
  for (size_t i = 0; i < brink->cutCount; ++i) {
    brink->joints[brink->cuts[i]].planned = false;
  }
  brink->cutCount = 0;
}

/* The joint that is to be cut next; BRINK_NO_RECORD: none. */
static uint32_t nextCut(dBrinkID brink) {
  uint32_t first = BRINK_NO_RECORD;
  size_t kept = 0;
  for (size_t i = 0; i < brink->cutCount; ++i) {
    uint32_t number = brink->cuts[i];
    dxBrinkJoint *joint = &brink->joints[number];
    if (joint->joint == NULL || joint->cutAt > 1) {
      joint->planned = false;
      continue;
    }
    brink->cuts[kept++] = number;
    first = first == BRINK_NO_RECORD || joint->cutAt < brink->joints[first].cutAt ? number : first;
  }
  brink->cutCount = kept;
  return first;
}

double dxBrinkNextCut(dBrinkID brink) {
  uint32_t joint = nextCut(brink);
  return joint != BRINK_NO_RECORD ? brink->joints[joint].cutAt : 2;
}

/* The island of the joint that is cut next. */
static bool gatherPulling(dBrinkID brink) {
  const dxBrinkJoint *joint = &brink->joints[nextCut(brink)];
  dxBrinkBeginGathering(brink);
  for (int side = 0; side < 2; ++side) {
    uint32_t number = joint->bodies[side];
    if (number != BRINK_NO_RECORD && brink->bodies[number].dynamic && !dxBrinkGather(brink, number)) {
      return false;
    }
  }
  return dxBrinkSpread(brink, true);
}

/* Pairs that touch at the cut are asked for as struck ones are: what ODE's colliders cannot see over a hair's gap would
 * strike again at once. */
static bool contactsAt(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  size_t kept = 0;
  brink->strikeCount = 0;
  for (size_t i = 0; i < brink->nearCount; ++i) {
    dxBrinkPair pair = brink->nearPairs[i];
    uint32_t bodyA = brink->geoms[pair.geomA].body, bodyB = brink->geoms[pair.geomB].body;
    bool ours = (dxBrinkIsGathered(brink, bodyA) || bodyA == BRINK_NO_RECORD) &&
                (dxBrinkIsGathered(brink, bodyB) || bodyB == BRINK_NO_RECORD);
    brinkContact now;
    bool touches = ours &&
                   brink->shapes.plugin->distance(brink->shapes.world, brink->geoms[pair.geomA].collider,
                                                  brink->geoms[pair.geomB].collider, run->tau, &now) == brink_ok &&
                   now.distance <= DX_BRINK_TOUCHING * dxBrinkPairAllowance(brink, pair);
    if (!touches) {
      brink->nearPairs[kept++] = pair;
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->strikes, brink->strikeCount, brink->strikeCapacity)) {
      return false;
    }
    dxBrinkStrike *strike = &brink->strikes[brink->strikeCount++];
    *strike = (dxBrinkStrike){.pair = pair, .contact = now, .wanted = true};
    memcpy(strike->normal, &now.normal, sizeof(strike->normal));
  }
  brink->nearCount = kept;
  return true;
}

/* At dxBrinkNextCut. */
bool dxBrinkCutTurns(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  brink->strikeCount = 0;
  if (!gatherPulling(brink) || !dxBrinkBeginChange(run, tau)) {
    return false;
  }
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    brink->bodies[brink->gathered[i]].cuts++;
  }
  dxBrinkDisableStaleContacts(brink, run->firstStale);
  if (!contactsAt(run)) {
    return false;
  }
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    dxBrinkStrikePair(run, &brink->strikes[i]);
    if (brink->worldChanged) {
      return false;
    }
  }
  brink->strikeCount = 0;
  double impacts = run->bodySolves;
  bool solved = dxBrinkCommitChange(run, true);
  run->bodySolves = impacts; /* cuts have a limit of their own */
  return solved;
}
