/* SPDX-License-Identifier: BSD-3-Clause */
/* Is the rest of the step too long for a jointed body that spins after an impact?
 * A limb that is struck off its centre may turn by many radians in what is left of the step, and in the steps after it.
 * ODE's solver keeps joints to first order only, so such a turn pulls them apart by the length of the limb. The segment
 * is therefore cut before the fastest such body has turned far: the islands of the bodies that spin are posed there,
 * their contacts made anew, and the rest is solved again, as at an impact at which nothing is struck. Only bodies that
 * an impact has changed, from then on as long as they spin, and only where the solve does pull at a joint: a wheel's
 * does not. A few cuts in a step, then the rest goes as it is.
 *
 * local: time in the segment, tau: in the step, [0,1]. Units: rad, m. */
#include <math.h>
#include <string.h>

#include "stepper.h"

#define TURN 0.5          /* rad: first-order errors of a limb are then an eighth of its length */
#define FAR_TURN 0.75     /* rad: nothing is cut for less */
#define CALM_TURN 0.25    /* rad in a step: a chain that turns less is as it was before its impact */
#define PULL 0.02         /* of the distance from centre to joint: what a segment may add to the joint's error */
#define MAX_CUTS 16       /* per body in a step */
#define SHORTEST_CUT 0.02 /* of the step: shorter parts are not solved for a turn's sake */

static double turnOf(const dxBrinkBody *record) {
  return sqrt(record->spin[0] * record->spin[0] + record->spin[1] * record->spin[1] +
              record->spin[2] * record->spin[2]);
}

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

static void anchorAt(const dxBrinkBody *record, const dxBrinkState *state, const double anchor[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = anchor[i];
    if (record != NULL) {
      const dReal *row = state->rotation + 4 * i;
      out[i] = state->position[i] + row[0] * anchor[0] + row[1] * anchor[1] + row[2] * anchor[2];
    }
  }
}

/* m, by how much the segment's motion pulls a joint farther apart. */
static double pullOf(const dxBrinkBody *a, const dxBrinkBody *b, double anchors[2][3]) {
  double error[2];
  for (int end = 0; end < 2; ++end) {
    double p[3], q[3];
    anchorAt(a, a == NULL ? NULL : end ? &a->end : &a->start, anchors[0], p);
    anchorAt(b, b == NULL ? NULL : end ? &b->end : &b->start, anchors[1], q);
    error[end] = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
  }
  return error[1] - error[0];
}

/* m, by how much the arm from a body's centre to the joint leaves the straight way that the solver sees. */
static double bendOf(const dxBrinkBody *record, const double anchor[3]) {
  double arm[3];
  for (int i = 0; i < 3; ++i) {
    const dReal *row = record->start.rotation + 4 * i;
    arm[i] = row[0] * anchor[0] + row[1] * anchor[1] + row[2] * anchor[2];
  }
  const double *w = record->spin;
  double x = w[1] * arm[2] - w[2] * arm[1], y = w[2] * arm[0] - w[0] * arm[2], z = w[0] * arm[1] - w[1] * arm[0];
  return sqrt(x * x + y * y + z * z) * turnOf(record) / 2;
}

/* Marks the bodies whose turning pulls at a joint: a wheel may spin about its axle as fast as it likes. */
static void markPulled(dBrinkID brink) {
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    brink->bodies[brink->awake[i]].pulled = false;
  }
  for (size_t i = 0; i < brink->jointCount; ++i) {
    dxBrinkJoint *joint = &brink->joints[i];
    dxBrinkBody *bodies[2] = {NULL, NULL};
    double reach = 0;
    bool struck = false, known = joint->joint != NULL && dxBrinkJointHasAnchor(joint);
    for (int side = 0; side < 2; ++side) {
      if (joint->bodies[side] != BRINK_NO_RECORD) {
        bodies[side] = &brink->bodies[joint->bodies[side]];
        known = known && bodies[side]->body != NULL && !bodies[side]->quiet;
        struck = struck || bodies[side]->struck;
        const double *a = joint->anchors[side];
        reach = fmax(reach, sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
      }
    }
    if (known && struck && pullOf(bodies[0], bodies[1], joint->anchors) > PULL * reach) {
      for (int side = 0; side < 2; ++side) {
        if (bodies[side] != NULL && bendOf(bodies[side], joint->anchors[side]) > PULL * reach) {
          bodies[side]->pulled = true;
        }
      }
    }
  }
}

static bool spinsFar(const dxBrinkBody *record) {
  return record->body != NULL && record->moves && record->dynamic && record->struck && record->pulled &&
         record->cuts < MAX_CUTS && turnOf(record) > FAR_TURN;
}

double dxBrinkTurnLimit(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  if (run->near == NULL || brink->jointCount == 0 || !brink->anyStruck) {
    return 2;
  }
  markPulled(brink);
  double left = 1 - run->t, local = 2;
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    if (spinsFar(record)) { /* what is too far for all cuts is shared among them */
      double turn = turnOf(record);
      local = fmin(local, fmax(TURN, turn / (MAX_CUTS + 1 - record->cuts)) / turn);
    }
  }
  if (local > 1 || left < 2 * SHORTEST_CUT) {
    return 2;
  }
  local = fmax(local, SHORTEST_CUT / left);
  return (1 - local) * left >= SHORTEST_CUT ? local : 2;
}

static bool gatherSpinning(dBrinkID brink) {
  dxBrinkBeginGathering(brink);
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    if (spinsFar(&brink->bodies[brink->awake[i]]) && !dxBrinkGather(brink, brink->awake[i])) {
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
  if (!dxBrinkReadImpactStates(brink, local) || !gatherSpinning(brink) || !dxBrinkListStaleContacts(brink) ||
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
