/* SPDX-License-Identifier: BSD-3-Clause */
/* How does ODE move a body (turns, damping, forces), and how easily is it moved?
 * In an ODE step a body moves straight and turns about a fixed axis by 2 atan(|w| h / 2) (infinitesimal mode) or |w| h
 * (finite mode), w the angular velocity that the solver left, before damping.
 * Based on: measurements of ODE 0.16.2 (docs/ode.md). Units: m, s, rad, kg. */
#include <math.h>

#include "step.h"

#define DEFAULT_THRESHOLD 0.0101 /* m/s, rad/s: ODE's own and a hair; below it damping does not act */

bool dxBrinkMeetsJoint(const dxBrink *brink, dBodyID body, dJointID joint) {
  dBodyID first = dJointGetBody(joint, 0) != NULL ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
  return first == body || !brinkStepIsGathered(&brink->step, dxBrinkFindBody(brink, first)); /* else an edge's */
}

/* Turn of a body in a solve of length h that led to its end. */
void dxBrinkReadSpin(brinkStepBody *record, double h, bool finite) {
  brinkStepReadSpin(record, h, finite, dBodyGetAngularDamping(record->body),
                    dBodyGetAngularDampingThreshold(record->body));
}

/* What an angular impulse adds to a body's angular velocity: rad/s, all in world axes. */
static void turnBy(dBodyID body, const dMass *mass, const double impulse[3], dVector3 out) {
  dMatrix3 inverse;
  dVector3 own, turned = {0, 0, 0, 0};
  dBodyVectorFromWorld(body, impulse[0], impulse[1], impulse[2], own);
  if (dInvertPDMatrix(mass->I, inverse, 3)) {
    dMultiply0_331(turned, inverse, own);
  }
  dBodyVectorToWorld(body, turned[0], turned[1], turned[2], out);
}

void dxBrinkTakeBackForces(void *user, uint32_t number, double seconds, brinkStepState *state) {
  dBrinkID brink = user;
  const brinkStepBody *record = &brink->step.bodies[number];
  const dxBrinkHosted *hosted = &brink->hosted[number];
  if (!record->dynamic || !dBodyIsEnabled(record->body)) {
    return;
  }
  dMass mass;
  dVector3 gravity = {0, 0, 0, 0}, turn;
  dBodyGetMass(record->body, &mass);
  if (dBodyGetGravityMode(record->body)) {
    dWorldGetGravity(brink->world, gravity);
  }
  for (int i = 0; i < 3; ++i) {
    state->linear[i] -= seconds * (gravity[i] + hosted->force[i] / mass.mass);
  }
  if (hosted->torque[0] == 0 && hosted->torque[1] == 0 && hosted->torque[2] == 0) {
    return;
  }
  turnBy(record->body, &mass, hosted->torque, turn);
  for (int i = 0; i < 3; ++i) {
    state->angular[i] -= seconds * turn[i];
  }
}

double dxBrinkPushOf(void *user, uint32_t number, const double arm[3], const double normal[3], double linear[3],
                     double angular[3]) {
  dBodyID body = ((const dxBrink *)user)->step.bodies[number].body;
  dMass mass;
  dVector3 world;
  dBodyGetMass(body, &mass);
  const double lever[3] = {arm[1] * normal[2] - arm[2] * normal[1], arm[2] * normal[0] - arm[0] * normal[2],
                           arm[0] * normal[1] - arm[1] * normal[0]};
  turnBy(body, &mass, lever, world);
  double sum = 1 / mass.mass;
  for (int i = 0; i < 3; ++i) {
    linear[i] = normal[i] / mass.mass;
    angular[i] = world[i];
    sum += world[i] * lever[i];
  }
  return sum;
}

/* Does damping go with time? Above a threshold of the program's own it is a limit, which each solve keeps. */
bool dxBrinkDampsByTime(double damping, double threshold) { return damping > 0 && threshold <= DEFAULT_THRESHOLD; }

void dxBrinkGiveBackDamping(void *user, uint32_t number, double tau, brinkStepState *state) {
  const brinkStepBody *record = &((const dxBrink *)user)->step.bodies[number];
  const double least[2] = {dBodyGetLinearDampingThreshold(record->body), dBodyGetAngularDampingThreshold(record->body)};
  const double damping[2] = {dBodyGetLinearDamping(record->body), dBodyGetAngularDamping(record->body)};
  const double *end[2] = {record->end.linear, record->end.angular};
  for (int i = 0; i < 2; ++i) {
    if (dxBrinkDampsByTime(damping[i], least[i])) {
      brinkStepGiveBackDamping(record->from, tau, damping[i], least[i], end[i],
                               i == 0 ? state->linear : state->angular);
    }
  }
}

/* ---- the step's own solve */

/* ODE's infinitesimal mode turns a body by 2 atan(|w| h / 2) while its centre goes on at full speed: what spins by more
 * than a radian in a step leaves its joints at once. Jointed bodies that an impact has changed, and that spin since,
 * turn in the finite mode in the steps after it too. */
void dxBrinkTurnStruckFinitely(dBrinkID brink) {
  struct dxBrinkIsland *island = &brink->island;
  for (uint32_t i = 0; brink->step.spins.anyStruck && i < brink->step.bodyCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[i];
    if (record->body != NULL && record->struck && brink->step.hotData[i].jointed &&
        dBodyGetFiniteRotationMode(record->body) == 0 &&
        BRINK_STEP_RESERVE(island->borrowed, island->borrowedCount, island->borrowedCapacity)) {
      island->borrowed[island->borrowedCount++] = i;
      dBodySetFiniteRotationMode(record->body, 1);
    }
  }
}

void dxBrinkRestoreStruckTurning(dBrinkID brink) {
  while (brink->island.borrowedCount > 0) {
    dBodySetFiniteRotationMode(brink->step.bodies[brink->island.borrowed[--brink->island.borrowedCount]].body, 0);
  }
}
