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
    brink->bodies[i].pulled = false; /* used here for "some body of the chain spins" */
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[i];
    if (record->body != NULL && record->struck) {
      const dReal *w = dBodyGetAngularVel(record->body);
      bool spins = run->h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) > CALM_TURN;
      brink->bodies[record->chain].pulled = brink->bodies[record->chain].pulled || spins;
    }
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    record->struck = record->body != NULL && record->struck && brink->bodies[record->chain].pulled;
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

/* Marks the bodies that pull. left: of the step, to which the motions lead. */
double dxBrinkTurnLimit(dxBrinkRun *run, double left) {
  dBrinkID brink = run->brink;
  if (run->near == NULL || brink->jointCount == 0 || !brink->anyStruck) {
    return 2;
  }
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    brink->bodies[brink->awake[i]].pulled = false;
  }
  double local = 2;
  for (size_t i = 0; i < brink->jointCount; ++i) {
    const dxBrinkJoint *joint = &brink->joints[i];
    double limit = limitOfJoint(brink, joint);
    for (int side = 0; limit <= 1 && side < 2; ++side) {
      if (joint->bodies[side] != BRINK_NO_RECORD) {
        brink->bodies[joint->bodies[side]].pulled = true;
      }
    }
    local = fmin(local, limit);
  }
  if (local > 1 || left < 2 * SHORTEST_CUT) {
    return 2;
  }
  local = fmax(local, SHORTEST_CUT / left);
  return (1 - local) * left >= SHORTEST_CUT ? local : 2;
}

static bool gatherPulling(dBrinkID brink) {
  dxBrinkBeginGathering(brink);
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    if (record->pulled && record->body != NULL && record->moves && record->dynamic &&
        !dxBrinkGather(brink, brink->awake[i])) {
      return false;
    }
  }
  return dxBrinkSpread(brink, true);
}

/* Pairs that touch at the cut are asked for as struck ones are: what ODE's colliders cannot see over a hair's gap would
 * strike again at once. */
static bool contactsAt(dxBrinkRun *run, double local) {
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
                                                  brink->geoms[pair.geomB].collider, local, &now) == brink_ok &&
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

bool dxBrinkCutTurns(dxBrinkRun *run, double local) {
  dBrinkID brink = run->brink;
  double tau = run->t + local * (1 - run->t);
  size_t firstStale = brink->disabledCount;
  brink->strikeCount = 0;
  if (!dxBrinkReadImpactStates(brink, local) || !gatherPulling(brink) || !dxBrinkListStaleContacts(brink) ||
      !dxBrinkListNearPairs(brink)) {
    brink->disabledCount = firstStale;
    return false;
  }
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    brink->bodies[brink->gathered[i]].cuts++;
  }
  dxBrinkDisableStaleContacts(brink, firstStale);
  dxBrinkPoseGathered(run, tau);
  if (!contactsAt(run, local)) {
    return false;
  }
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    dxBrinkStrikePair(run, &brink->strikes[i]);
    if (brink->worldChanged) {
      return false;
    }
  }
  brink->strikeCount = 0;
  dxBrinkCallNearOthers(run);
  if (dxBrinkWorldChanged(brink) || !dxBrinkSpread(brink, true)) {
    return false;
  }
  dxBrinkPoseGathered(run, tau);
  double impacts = run->bodySolves;
  bool solved = dxBrinkSolveGathered(run, tau, false);
  run->bodySolves = impacts; /* cuts have a limit of their own */
  return solved;
}
