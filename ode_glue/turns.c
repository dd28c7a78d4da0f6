/* SPDX-License-Identifier: BSD-3-Clause */
/* Is the rest of the step too long for a jointed body that spins after an impact?
 * A limb that is struck off its centre may turn by many radians in what is left of the step. ODE's solver keeps joints and
 * contacts to first order only, so such a turn pulls them apart by the length of the limb. The segment is therefore cut
 * where the fastest struck body has turned by TURN: the islands of the bodies that spin are posed there, their contacts
 * made anew, and the rest is solved again, as at an impact at which nothing is struck. Only bodies that an impact of this
 * step has changed already; a few cuts in a step, then the rest goes as it is.
 *
 * local: time in the segment, tau: in the step, [0,1]. Units: rad, m. */
#include <math.h>
#include <string.h>

#include "stepper.h"

#define TURN 0.5          /* rad: first-order errors of a limb are then an eighth of its length */
#define MAX_CUTS 8        /* per body in a step */
#define SHORTEST_CUT 0.02 /* of the step: shorter parts are not solved for a turn's sake */

static double turnOf(const dxBrinkBody *record) {
  return sqrt(record->spin[0] * record->spin[0] + record->spin[1] * record->spin[1] + record->spin[2] * record->spin[2]);
}

/* A free body may turn as far as it likes. */
static bool isHeld(dBodyID body) {
  int count = dBodyGetNumJoints(body);
  for (int i = 0; i < count; ++i) {
    dJointID joint = dBodyGetJoint(body, i);
    if (dJointGetType(joint) != dJointTypeContact && dJointIsEnabled(joint)) {
      return true;
    }
  }
  return false;
}

static bool spinsFar(const dxBrinkBody *record) {
  return record->body != NULL && record->moves && record->dynamic && record->struck && record->cuts < MAX_CUTS &&
         turnOf(record) > 1.5 * TURN && isHeld(record->body);
}

double dxBrinkTurnLimit(const dxBrinkRun *run) {
  const dxBrink *brink = run->brink;
  double left = 1 - run->t, most = 0;
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    if (spinsFar(&brink->bodies[i])) {
      most = fmax(most, turnOf(&brink->bodies[i]));
    }
  }
  if (run->near == NULL || most == 0 || left < 2 * SHORTEST_CUT) {
    return 2;
  }
  double local = fmax(TURN / most, SHORTEST_CUT / left);
  return (1 - local) * left >= SHORTEST_CUT ? local : 2;
}

static bool gatherSpinning(dBrinkID brink) {
  dxBrinkBeginGathering(brink);
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    if (spinsFar(&brink->bodies[i]) && !dxBrinkGather(brink, i)) {
      return false;
    }
  }
  return dxBrinkSpread(brink, true);
}

/* Pairs that touch at the cut are asked for as struck ones are: what ODE's colliders cannot see over a hair's gap would strike
 * again at once. */
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
    bool touches = ours && brink->shapes.plugin->distance(brink->shapes.world, brink->geoms[pair.geomA].collider,
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
  }
  brink->strikeCount = 0;
  dxBrinkCallNearOthers(run);
  if (!dxBrinkSpread(brink, true)) {
    return false;
  }
  dxBrinkPoseGathered(run, tau);
  double impacts = run->bodySolves;
  bool solved = dxBrinkSolveGathered(run, tau);
  run->bodySolves = impacts; /* cuts have a limit of their own */
  return solved;
}
