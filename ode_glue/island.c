/* SPDX-License-Identifier: BSD-3-Clause */
/* The extra solve: how does ODE solve a part of the step for an island (the gathered bodies) alone?
 * ERP, CFM and damping are per step, and are scaled to the part r of it (plugin/stepping/part.c). Joint feedback is a
 * force: the step's is the sum of each solve's, weighted by its length, since the impulses of all solves are kept. The
 * random numbers that the solve takes are given back. r: part of the step, [0,1]. Units: s. */
#include <math.h>
#include <pthread.h>
#include <time.h>

#include "step.h"

typedef struct dxBrinkErp {
  dJointID joint;
  int parameter;
  dReal value;
  void (*set)(dJointID joint, int parameter, dReal value);
} dxBrinkErp;

/* What a joint's feedback told before a solve. */
typedef struct dxBrinkFelt {
  dJointFeedback *feedback;
  dJointFeedback sum;
} dxBrinkFelt;

/* ---- ODE's solve */

double dxBrinkSecondsNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void dxBrinkSolve(dBrinkID brink, double h, bool quick) {
  double began = dxBrinkSecondsNow();
  (quick ? dWorldQuickStep : dWorldStep)(brink->world, h);
  brink->island.solveSeconds += dxBrinkSecondsNow() - began;
  brink->step.report.solves++;
}

/* The force mixing that belongs to an error reduction: ODE lists the two of a stop, and of a suspension, in a row. */
static int cfmOf(int parameter) { return parameter == dParamERP ? dParamCFM : parameter + 1; }
_Static_assert(dParamStopCFM == dParamStopERP + 1 && dParamSuspensionCFM == dParamSuspensionERP + 1, "order of ODE's");

/* Joints keep an error reduction of their own, copied from the world's when they were made. */
enum { exchanged = 8 }; /* erpKind.turned: the first two rates are each other's */
typedef struct erpKind {
  dJointType type;
  dReal (*get)(dJointID joint, int parameter);
  void (*set)(dJointID joint, int parameter, dReal value);
  int parameters[3];                 /* 0 = none */
  dReal (*rates[3])(dJointID joint); /* of what its motors drive; of joints that are motors: see driven */
  int turned; /* where the first body is the world, a bit for each axis whose rate ODE tells with the other sign */
} erpKind;

#define KIND(name) dJointType##name, dJointGet##name##Param, dJointSet##name##Param
#define TWO dParamStopERP, dParamStopERP2
static const erpKind erpKinds[] = {
    {KIND(Ball), {dParamERP}, {0}, 0},
    {KIND(Fixed), {dParamERP}, {0}, 0},
    {KIND(DBall), {dParamERP}, {0}, 0},
    {KIND(DHinge), {dParamERP}, {0}, 0},
    {KIND(Hinge), {dParamStopERP}, {dJointGetHingeAngleRate}, 1},
    {KIND(Slider), {dParamStopERP}, {dJointGetSliderPositionRate}, 0},
    {KIND(Hinge2), {TWO, dParamSuspensionERP}, {dJointGetHinge2Angle1Rate, dJointGetHinge2Angle2Rate}, 0},
    {KIND(Universal), {TWO}, {dJointGetUniversalAngle1Rate, dJointGetUniversalAngle2Rate}, exchanged},
    {KIND(PR), {TWO}, {dJointGetPRPositionRate, dJointGetPRAngleRate}, 2},
    {KIND(PU),
     {TWO, dParamStopERP3},
     {dJointGetPUAngle1Rate, dJointGetPUAngle2Rate, dJointGetPUPositionRate},
     exchanged},
    {KIND(Piston), {TWO}, {dJointGetPistonPositionRate, dJointGetPistonAngleRate}, 2},
    {KIND(AMotor), {TWO, dParamStopERP3}, {0}, 0},
    {KIND(LMotor), {TWO, dParamStopERP3}, {0}, 0},
};

static bool setForNow(dBrinkID brink, dJointID joint, const erpKind *kind, int parameter, dReal value) {
  if (!BRINK_STEP_RESERVE(brink->island.erps, brink->island.erpCount, brink->island.erpCapacity)) {
    return false;
  }
  brink->island.erps[brink->island.erpCount++] = (dxBrinkErp){joint, parameter, kind->get(joint, parameter), kind->set};
  kind->set(joint, parameter, value);
  return true;
}

static const erpKind *kindOf(dJointType type) {
  for (size_t k = 0; k < sizeof(erpKinds) / sizeof(*erpKinds); ++k) {
    if (erpKinds[k].type == type) {
      return &erpKinds[k];
    }
  }
  return NULL;
}

static bool scaleJointErp(dBrinkID brink, dJointID joint, double r, double closing) {
  const erpKind *kind = kindOf(dJointGetType(joint));
  for (int i = 0; kind != NULL && i < 3 && kind->parameters[i] != 0; ++i) {
    int parameter = kind->parameters[i], mixing = cfmOf(parameter);
    dReal erp = kind->get(joint, parameter), cfm = kind->get(joint, mixing), part = brinkStepErpOfPart(erp, r);
    if (!setForNow(brink, joint, kind, parameter, closing * part) ||
        !setForNow(brink, joint, kind, mixing, brinkStepCfmOfPart(cfm, erp, r))) {
      return false;
    }
  }
  return true;
}

/* ---- who gives way to close a joint */

static bool isStiff(dJointID joint) { /* no contact, nothing that slides or springs */
  const dJointType type = dJointGetType(joint);
  const erpKind *kind = kindOf(type);
  return type == dJointTypeHinge || type == dJointTypeUniversal || type == dJointTypeAMotor ||
         (kind != NULL && kind->parameters[0] == dParamERP && kind->get(joint, dParamCFM) <= BRINK_STEP_SOFTEST_CFM);
}

/* How far a body gives way to close a joint: 1/kg; 0: it stays. */
double dxBrinkYieldOf(void *user, uint32_t number) {
  const dxBrink *brink = user;
  dBodyID body = brink->step.bodies[number].body;
  if (!dBodyIsEnabled(body) || dWorldGetCFM(brink->world) > BRINK_STEP_SOFTEST_CFM) {
    return 0;
  }
  int count = dBodyGetNumJoints(body);
  for (int i = 0; i < count; ++i) {
    dJointID joint = dBodyGetJoint(body, i);
    if (dJointIsEnabled(joint) && !isStiff(joint)) {
      return 0;
    }
  }
  dMass mass;
  dBodyGetMass(body, &mass);
  return 1 / mass.mass;
}

/* ---- motors */

/* rad/s or m/s of what a motor drives. ODE's getters turn or exchange some where the joint's first body is the world.
 */
static double driven(dJointID joint, const erpKind *kind, int axis) {
  const bool reversed = dJointGetBody(joint, 0) == NULL, turns = kind->type == dJointTypeAMotor;
  if (kind->rates[0] != NULL) {
    const int told = reversed && kind->turned == exchanged && axis < 2 ? 1 - axis : axis;
    return (reversed && (kind->turned & 1 << axis) ? -1 : 1) * kind->rates[told](joint);
  }
  dVector3 along;
  double rate = 0;
  (turns ? dJointGetAMotorAxis : dJointGetLMotorAxis)(joint, axis, along);
  for (int i = 0; i < 2; ++i) {
    dBodyID body = dJointGetBody(joint, i);
    double speed = body == NULL ? 0 : dCalcVectorDot3(along, (turns ? dBodyGetAngularVel : dBodyGetLinearVel)(body));
    rate += i == 0 || reversed ? speed : -speed;
  }
  return rate;
}

/* A motor has done what it can in the step's own solve. In an extra one it holds the speed that this has led to: it
 * goes for no higher one, or every impact of a step would have the work of a whole step from it. Rates are those of
 * the bodies' velocities. Its whole force stands against a contact, which takes more rounds: see roundsOf. */
static bool holdMotor(dBrinkID brink, dJointID joint) {
  static const int speeds[3] = {dParamVel, dParamVel2, dParamVel3}, forces[3] = {dParamFMax, dParamFMax2, dParamFMax3};
  const erpKind *kind = kindOf(dJointGetType(joint));
  for (int axis = 0; kind != NULL && kind->parameters[0] == dParamStopERP && axis < 3; ++axis) {
    if (!(kind->get(joint, forces[axis]) > 0)) {
      continue;
    }
    brink->island.driven = true;
    const double target = kind->get(joint, speeds[axis]), rate = driven(joint, kind, axis);
    const double held = fmax(fmin(rate, fmax(target, 0)), fmin(target, 0));
    if (held != target && !setForNow(brink, joint, kind, speeds[axis], held)) {
      return false;
    }
  }
  return true;
}

/* A contact that is switched on here was made at this impact, and what its feedback holds is nothing yet. */
static bool rememberFelt(dBrinkID brink, dJointID joint) {
  dJointFeedback *feedback = dJointGetFeedback(joint);
  if (feedback == NULL || !dJointIsEnabled(joint)) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(brink->island.felt, brink->island.feltCount, brink->island.feltCapacity)) {
    return false;
  }
  dxBrinkFelt *felt = &brink->island.felt[brink->island.feltCount++];
  *felt = (dxBrinkFelt){.feedback = feedback};
  if (dJointGetType(joint) != dJointTypeContact) {
    felt->sum = *feedback;
  }
  return true;
}

/* The velocities that the last solve led to, or those of tau, from which this one begins. */
static void setVelocities(dBrinkID brink, bool ofEnd) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    const brinkStepState *state = ofEnd ? &record->end : &record->next;
    dBodySetLinearVel(record->body, state->linear[0], state->linear[1], state->linear[2]);
    dBodySetAngularVel(record->body, state->angular[0], state->angular[1], state->angular[2]);
  }
}

/* False: no memory; what was set is on the list of restoreErp. */
static bool tellJoints(dBrinkID brink, double r, double closing, bool insteadOfLast) {
  brink->island.erpCount = brink->island.feltCount = 0;
  brink->island.driven = false;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    for (size_t j = 0, count = dxBrinkListJoints(brink, body); j < count; ++j) {
      dJointID joint = brink->contacts.joints[j];
      if (dxBrinkMeetsJoint(brink, body, joint) &&
          !((insteadOfLast || holdMotor(brink, joint)) && scaleJointErp(brink, joint, r, closing) &&
            rememberFelt(brink, joint))) {
        return false;
      }
    }
  }
  return true;
}

static void sumFelt(dBrinkID brink, double r) {
  for (size_t i = 0; i < brink->island.feltCount; ++i) {
    dJointFeedback *now = brink->island.felt[i].feedback;
    const dJointFeedback *sum = &brink->island.felt[i].sum;
    for (int axis = 0; axis < 3; ++axis) {
      now->f1[axis] = sum->f1[axis] + r * now->f1[axis];
      now->t1[axis] = sum->t1[axis] + r * now->t1[axis];
      now->f2[axis] = sum->f2[axis] + r * now->f2[axis];
      now->t2[axis] = sum->t2[axis] + r * now->t2[axis];
    }
  }
}

static void restoreErp(dBrinkID brink) {
  while (brink->island.erpCount > 0) {
    const dxBrinkErp *erp = &brink->island.erps[--brink->island.erpCount];
    erp->set(erp->joint, erp->parameter, erp->value);
  }
}

/* Damping is told for the part that is solved. And small bodies spin fast after an impact. ODE's infinitesimal mode
 * turns them by 2 atan(|w| h / 2), at most half a turn, and with an axis by half of w across it, while their centre
 * moves on: the point that a contact has stopped would move into the surface. So it would where w is cut down after the
 * solve. The finite mode without an axis or limit turns by |w| h, as the velocities say. Gyroscopic torque has acted in
 * the step's own solve, and nobody takes it back. */
static void tellBodies(dBrinkID brink, double r) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    dxBrinkHosted *hosted = dxBrinkHostedOf(brink, record);
    hosted->finite = dBodyGetFiniteRotationMode(record->body) != 0;
    dBodyGetFiniteRotationAxis(record->body, hosted->axis);
    dBodySetFiniteRotationMode(record->body, 1);
    dBodySetFiniteRotationAxis(record->body, 0, 0, 0);
    hosted->fastest = dBodyGetMaxAngularSpeed(record->body);
    dBodySetMaxAngularSpeed(record->body, dInfinity);
    hosted->gyroscopic = dBodyGetGyroscopicMode(record->body) != 0;
    dBodySetGyroscopicMode(record->body, 0);
    hosted->damping[0] = dBodyGetLinearDamping(record->body);
    hosted->damping[1] = dBodyGetAngularDamping(record->body);
    if (dxBrinkDampsByTime(hosted->damping[0], dBodyGetLinearDampingThreshold(record->body))) {
      dBodySetLinearDamping(record->body, brinkStepDampingOfPart(hosted->damping[0], r));
    }
    if (dxBrinkDampsByTime(hosted->damping[1], dBodyGetAngularDampingThreshold(record->body))) {
      dBodySetAngularDamping(record->body, brinkStepDampingOfPart(hosted->damping[1], r));
    }
  }
}

void dxBrinkRestoreBodies(dBrinkID brink) {
  brink->island.was.told = false;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    const dxBrinkHosted *hosted = dxBrinkHostedOf(brink, record);
    dBodySetFiniteRotationMode(record->body, hosted->finite);
    dBodySetFiniteRotationAxis(record->body, hosted->axis[0], hosted->axis[1], hosted->axis[2]);
    dBodySetMaxAngularSpeed(record->body, hosted->fastest);
    dBodySetGyroscopicMode(record->body, hosted->gyroscopic);
    dBodySetLinearDamping(record->body, hosted->damping[0]);
    dBodySetAngularDamping(record->body, hosted->damping[1]);
  }
}

/* ---- the account of energy */

void dxBrinkWeigh(void *user, uint32_t number, const brinkStepState *at, brinkStepWeight *out) {
  const dxBrink *brink = user;
  const dxBrinkHosted *hosted = &brink->hosted[number];
  dBodyID body = brink->step.bodies[number].body;
  const double *v = at->linear, *w = at->angular;
  dMass mass;
  dVector3 own, spin;
  dBodyGetMass(body, &mass);
  dBodyVectorFromWorld(body, w[0], w[1], w[2], own);
  dMultiply0_331(spin, mass.I, own);
  *out = (brinkStepWeight){.mass = mass.mass, .turned = dCalcVectorDot3(hosted->torque, hosted->torque) > 0};
  out->energy = mass.mass * dCalcVectorDot3(v, v) + dCalcVectorDot3(own, spin);
  out->force = dCalcVectorDot3(hosted->force, hosted->force);
}

/* Again: each solve of ODE's takes them. */
static void giveForces(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    const dxBrinkHosted *hosted = &brink->hosted[brink->step.island.gathered[i]];
    dBodySetForce(body, hosted->force[0], hosted->force[1], hosted->force[2]);
    dBodySetTorque(body, hosted->torque[0], hosted->torque[1], hosted->torque[2]);
  }
}

/* ODE's direct solver leaves arbitrary velocities where contacts exclude each other, as between a floor and a press, or
 * are redundant, as of flat discs in a stack: then the iterative one solves once more. Only it takes random numbers,
 * whose row is the process's: worlds in other threads wait for their turn. */
static void solveWithinAccount(dBrinkID brink, double r, double pushedOut, bool quick) {
  static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
  double most = (double)INFINITY;
  const bool known = quick || brinkStepMostNorm(&brink->step, r, pushedOut, &most);
  giveForces(brink);
  const bool gaveUp = dxBrinkGivesUp(dxBrinkSolve, brink, r * brink->step.now.h, quick);
  if (!(known || gaveUp) ||
      !(brinkStepNorm(&brink->step) > most || (isfinite(most) && brinkStepIsUnanswered(&brink->step)))) {
    return;
  }
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    dxBrinkWriteState(record->body, &record->next);
  }
  giveForces(brink);
  dxBrinkListAll(brink); /* what a moved callback destroyed counts for neither solve */
  if (!dxBrinkListGathered(brink)) {
    return;
  }
  pthread_mutex_lock(&taking);
  const unsigned long seed = dRandGetSeed();
  dxBrinkSolve(brink, r * brink->step.now.h, true);
  dRandSetSeed(seed);
  pthread_mutex_unlock(&taking);
}

/* How many of QuickStep's iterations? Without convergence a motor's whole force is left over: an arm that meets
 * something would be thrown about by it. And what a great mass presses to its limit would be struck again at once. A
 * crowd's solves stay short. */
static int roundsOf(const dxBrink *brink, int iterations) {
  const bool most = (brink->island.driven || brinkStepIsAtLimit(&brink->step)) &&
                    brink->step.island.gatheredCount <= BRINK_STEP_TOGETHER;
  return (most ? BRINK_STEP_DRIVEN_EFFORT : BRINK_STEP_EFFORT) * iterations;
}

void dxBrinkTuneBack(dBrinkID brink) {
  dxBrinkListAll(brink);
  if (brink->call.quick) {
    dRandSetSeed(brink->island.was.seed);
  }
  dWorldSetQuickStepNumIterations(brink->world, brink->island.was.iterations);
  restoreErp(brink);
  dWorldSetERP(brink->world, brink->island.was.erp);
  dWorldSetCFM(brink->world, brink->island.was.cfm);
  dWorldSetContactMaxCorrectingVel(brink->world, brink->island.was.pushedOut);
}

/* Solves a part r of the step for the gathered bodies alone. Their damping stays that of the part until
 * dxBrinkRestoreBodies: who reads their motion needs it. */
bool dxBrinkSolveIsland(dBrinkID brink, double r, bool insteadOfLast) {
  const dReal erp = dWorldGetERP(brink->world), cfm = dWorldGetCFM(brink->world), part = brinkStepErpOfPart(erp, r);
  const double closing = insteadOfLast ? 1 : brinkStepClosingPart(&brink->step, part, r * brink->step.now.h);
  setVelocities(brink, true);
  const bool told = tellJoints(brink, r, closing, insteadOfLast);
  setVelocities(brink, false);
  if (!told || !dxBrinkListGathered(brink)) {
    restoreErp(brink);
    return false;
  }
  const dReal pushedOut = dWorldGetContactMaxCorrectingVel(brink->world);
  const double push = insteadOfLast ? pushedOut : fmin(pushedOut, brinkStepPushOutSpeed(&brink->step));
  brink->island.was =
      (struct dxBrinkWas){true, erp, cfm, pushedOut, dWorldGetQuickStepNumIterations(brink->world), dRandGetSeed()};
  dWorldSetERP(brink->world, closing * part);
  dWorldSetCFM(brink->world, brinkStepCfmOfPart(cfm, erp, r));
  dWorldSetContactMaxCorrectingVel(brink->world, push);
  dWorldSetQuickStepNumIterations(brink->world, roundsOf(brink, brink->island.was.iterations));
  tellBodies(brink, r);
  solveWithinAccount(brink, r, insteadOfLast ? (double)INFINITY : push,
                     brink->call.quick && !brinkStepNeedsDirectSolve(&brink->step));
  dxBrinkTuneBack(brink);
  if (!insteadOfLast) {
    sumFelt(brink, r);
  }
  return true;
}
