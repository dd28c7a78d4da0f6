/* SPDX-License-Identifier: BSD-3-Clause */
/* How does ODE solve a part of the step for the gathered bodies alone?
 * What ODE knows per step has to be told for a part r of it. Error reduction e and constraint force mixing c stand for
 * a spring and a damper, e = h k / (h k + d), c = 1 / (h k + d) (ODE's manual); the same k and d need
 * e' = e r / (1 - e + e r), c' = c / (1 - e + e r) in a solve of r h; with e itself short solves would make energy.
 * Damping D per step is 1 - (1 - D)^r. Feedback is a force: that of the step is the sum of each solve's, weighted by
 * its length, since the impulses of all solves are kept. Random numbers that the solve takes are given back.
 * r: part of the step, [0,1]. Units: s. */
#include <math.h>
#include <string.h>
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

void dxBrinkSolve(dBrinkID brink, double h) {
  double began = dxBrinkSecondsNow();
  dxBrinkLoosenTethers(brink);
  if (brink->call.quick) {
    dWorldQuickStep(brink->world, h);
  } else {
    dWorldStep(brink->world, h);
  }
  dxBrinkFastenTethers(brink);
  brink->island.solveSeconds += dxBrinkSecondsNow() - began;
  brink->step.report.solves++;
}

static double scaledErp(double erp, double r) {
  double left = 1 - erp + erp * r;
  return left > 0 ? erp * r / left : erp;
}

static double scaledCfm(double cfm, double erp, double r) {
  double left = 1 - erp + erp * r;
  return left > 0 ? cfm / left : cfm;
}

/* The force mixing that belongs to an error reduction; 0: none. */
static int cfmOf(int parameter) {
  switch (parameter) {
    case dParamERP:
      return dParamCFM;
    case dParamStopERP:
      return dParamStopCFM;
    case dParamStopERP2:
      return dParamStopCFM2;
    case dParamStopERP3:
      return dParamStopCFM3;
    case dParamSuspensionERP:
      return dParamSuspensionCFM;
    default:
      return 0;
  }
}

/* Joints keep an error reduction of their own, copied from the world's when they were made. */
typedef struct erpKind {
  dJointType type;
  dReal (*get)(dJointID joint, int parameter);
  void (*set)(dJointID joint, int parameter, dReal value);
  int parameters[3]; /* 0 = none */
} erpKind;

static const erpKind erpKinds[] = {
    {dJointTypeBall, dJointGetBallParam, dJointSetBallParam, {dParamERP, 0, 0}},
    {dJointTypeFixed, dJointGetFixedParam, dJointSetFixedParam, {dParamERP, 0, 0}},
    {dJointTypeDBall, dJointGetDBallParam, dJointSetDBallParam, {dParamERP, 0, 0}},
    {dJointTypeDHinge, dJointGetDHingeParam, dJointSetDHingeParam, {dParamERP, 0, 0}},
    {dJointTypeHinge, dJointGetHingeParam, dJointSetHingeParam, {dParamStopERP, 0, 0}},
    {dJointTypeSlider, dJointGetSliderParam, dJointSetSliderParam, {dParamStopERP, 0, 0}},
    {dJointTypeHinge2,
     dJointGetHinge2Param,
     dJointSetHinge2Param,
     {dParamStopERP, dParamStopERP2, dParamSuspensionERP}},
    {dJointTypeUniversal, dJointGetUniversalParam, dJointSetUniversalParam, {dParamStopERP, dParamStopERP2, 0}},
    {dJointTypePR, dJointGetPRParam, dJointSetPRParam, {dParamStopERP, dParamStopERP2, 0}},
    {dJointTypePU, dJointGetPUParam, dJointSetPUParam, {dParamStopERP, dParamStopERP2, dParamStopERP3}},
    {dJointTypePiston, dJointGetPistonParam, dJointSetPistonParam, {dParamStopERP, dParamStopERP2, 0}},
    {dJointTypeAMotor, dJointGetAMotorParam, dJointSetAMotorParam, {dParamStopERP, dParamStopERP2, dParamStopERP3}},
    {dJointTypeLMotor, dJointGetLMotorParam, dJointSetLMotorParam, {dParamStopERP, dParamStopERP2, dParamStopERP3}},
};

static bool setForNow(dBrinkID brink, dJointID joint, const erpKind *kind, int parameter, dReal value) {
  if (!BRINK_STEP_RESERVE(brink->island.erps, brink->island.erpCount, brink->island.erpCapacity)) {
    return false;
  }
  brink->island.erps[brink->island.erpCount++] = (dxBrinkErp){joint, parameter, kind->get(joint, parameter), kind->set};
  kind->set(joint, parameter, value);
  return true;
}

static bool scaleJointErp(dBrinkID brink, dJointID joint, double r) {
  dJointType type = dJointGetType(joint);
  for (size_t k = 0; k < sizeof(erpKinds) / sizeof(*erpKinds); ++k) {
    const erpKind *kind = &erpKinds[k];
    for (int i = 0; kind->type == type && i < 3 && kind->parameters[i] != 0; ++i) {
      int parameter = kind->parameters[i], mixing = cfmOf(parameter);
      dReal erp = kind->get(joint, parameter), cfm = kind->get(joint, mixing);
      if (!setForNow(brink, joint, kind, parameter, scaledErp(erp, r)) ||
          !setForNow(brink, joint, kind, mixing, scaledCfm(cfm, erp, r))) {
        return false;
      }
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

/* Each joint once: at its first body that is gathered. */
static void scaleIslandErp(dBrinkID brink, double r) {
  brink->island.erpCount = brink->island.feltCount = 0;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID first = dJointGetBody(joint, 0) != NULL ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
      bool once = first == body || !brinkStepIsGathered(&brink->step, dxBrinkFindBody(brink, first));
      if (once && (!scaleJointErp(brink, joint, r) || !rememberFelt(brink, joint))) {
        return;
      }
    }
  }
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

/* After an impact small bodies spin fast. ODE's infinitesimal mode turns them by 2 atan(|w| h / 2), never more than
 * half a turn, while their centre moves on at full speed: the point that a contact has stopped would then move into the
 * surface. The finite mode turns by |w| h, as the velocities say. */
static void turnFinitely(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    dxBrinkHostedOf(brink, record)->finite = dBodyGetFiniteRotationMode(record->body) != 0;
    dBodySetFiniteRotationMode(record->body, 1);
  }
}

static void restoreTurning(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    dBodySetFiniteRotationMode(record->body, dxBrinkHostedOf(brink, record)->finite);
  }
}

static double scaledDamping(double damping, double r) { return 1 - pow(1 - damping, r); }

static void scaleDamping(dBrinkID brink, double r) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    dBodyID body = record->body;
    dxBrinkHostedOf(brink, record)->damping[0] = dBodyGetLinearDamping(body);
    dxBrinkHostedOf(brink, record)->damping[1] = dBodyGetAngularDamping(body);
    if (dxBrinkDampsByTime(dxBrinkHostedOf(brink, record)->damping[0], dBodyGetLinearDampingThreshold(body))) {
      dBodySetLinearDamping(body, scaledDamping(dxBrinkHostedOf(brink, record)->damping[0], r));
    }
    if (dxBrinkDampsByTime(dxBrinkHostedOf(brink, record)->damping[1], dBodyGetAngularDampingThreshold(body))) {
      dBodySetAngularDamping(body, scaledDamping(dxBrinkHostedOf(brink, record)->damping[1], r));
    }
  }
}

void dxBrinkRestoreDamping(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    if (dxBrinkHostedOf(brink, record)->damping[0] > 0) {
      dBodySetLinearDamping(record->body, dxBrinkHostedOf(brink, record)->damping[0]);
    }
    if (dxBrinkHostedOf(brink, record)->damping[1] > 0) {
      dBodySetAngularDamping(record->body, dxBrinkHostedOf(brink, record)->damping[1]);
    }
  }
}

static bool isIdle(dBodyID body) {
  const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
  double linear = dBodyGetAutoDisableLinearThreshold(body), angular = dBodyGetAutoDisableAngularThreshold(body);
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= linear * linear &&
         w[0] * w[0] + w[1] * w[1] + w[2] * w[2] <= angular * angular;
}

/* ODE begins the countdown to sleep anew in dBodyEnable: where others collide in every step, nothing would ever sleep.
 * What is left of it cannot be read, so it is counted here, from the extra solves that find the body below its limits;
 * what happens between two that are far apart is not known and counts for nothing. */
static void wake(dBrinkID brink, double h, dBodyID body) {
  uint32_t number = dBodyGetAutoDisableFlag(body) ? dxBrinkFindBody(brink, body) : BRINK_NO_RECORD;
  if (number == BRINK_NO_RECORD || !isIdle(body)) {
    dBodyEnable(body);
    return;
  }
  brinkStepBody *record = &brink->step.bodies[number];
  if (brink->step.stepNumber - dxBrinkHostedOf(brink, record)->idleSeen > BRINK_STEP_IDLE_GAP) {
    dxBrinkHostedOf(brink, record)->idleFrom = brink->step.stepNumber;
  }
  dxBrinkHostedOf(brink, record)->idleSeen = brink->step.stepNumber;
  uint32_t idle = brink->step.stepNumber - dxBrinkHostedOf(brink, record)->idleFrom;
  int steps = dBodyGetAutoDisableSteps(body);
  dReal seconds = dBodyGetAutoDisableTime(body);
  dBodySetAutoDisableSteps(body, (int)fmax(steps > 0, steps - (double)idle));
  dBodySetAutoDisableTime(body, fmax(0, seconds - h * idle));
  dBodyEnable(body);
  dBodySetAutoDisableSteps(body, steps);
  dBodySetAutoDisableTime(body, seconds);
}

/* ---- who is solved */

/* Between the first impact of a step and its end only the island of the change that is under way is enabled: ODE solves
 * nothing else, and putting the others to sleep costs once. */
static bool holdOthers(dBrinkID brink) {
  if (brink->island.othersHeld) {
    return true;
  }
  brink->island.sleeperCount = 0;
  for (uint32_t i = 0; i < brink->step.bodyCount; ++i) {
    dBodyID body = brink->step.bodies[i].body;
    dxBrinkFetchFlags(brink, i + DX_BRINK_FETCH_AHEAD);
    if (body == NULL || !dBodyIsEnabled(body)) {
      continue;
    }
    if (!BRINK_STEP_RESERVE(brink->island.sleepers, brink->island.sleeperCount, brink->island.sleeperCapacity)) {
      return false;
    }
    brink->island.sleepers[brink->island.sleeperCount++] = i;
  }
  for (size_t i = 0; i < brink->island.sleeperCount; ++i) {
    dBodyDisable(brink->step.bodies[brink->island.sleepers[i]].body);
    brink->hosted[brink->island.sleepers[i]].held = true;
  }
  brink->island.othersHeld = true;
  return true;
}

/* Of the bodies that are awake in the program's world the gathered ones, and no others. */
bool dxBrinkEnableGathered(dBrinkID brink) {
  if (!holdOthers(brink)) {
    return false;
  }
  for (size_t i = 0; i < brink->island.enabledNowCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->island.enabledNow[i]];
    if (record->body != NULL && !brinkStepIsGathered(&brink->step, brink->island.enabledNow[i])) {
      dBodyDisable(record->body);
    }
  }
  brink->island.enabledNowCount = 0;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    if (!BRINK_STEP_RESERVE(brink->island.enabledNow, brink->island.enabledNowCount,
                            brink->island.enabledNowCapacity)) {
      return false;
    }
    brink->island.enabledNow[brink->island.enabledNowCount++] = brink->step.island.gathered[i];
    if (brink->hosted[brink->step.island.gathered[i]].held) {
      wake(brink, brink->step.now.h, brink->step.bodies[brink->step.island.gathered[i]].body);
    }
  }
  return true;
}

/* After a solve: those that ODE has woken are awake in the program's world. */
static void holdGathered(dBrinkID brink) {
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    if (!dBodyIsEnabled(record->body)) {
      continue;
    }
    if (!dxBrinkHostedOf(brink, record)->held &&
        BRINK_STEP_RESERVE(brink->island.sleepers, brink->island.sleeperCount, brink->island.sleeperCapacity)) {
      brink->island.sleepers[brink->island.sleeperCount++] = brink->step.island.gathered[i];
      dxBrinkHostedOf(brink, record)->held = true;
    }
    if (dxBrinkHostedOf(brink, record)->held) {
      dBodyDisable(record->body);
    }
  }
}

void dxBrinkLetOthersGoOn(dBrinkID brink) {
  for (size_t i = 0; brink->island.othersHeld && i < brink->island.sleeperCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[brink->island.sleepers[i]];
    if (dxBrinkHostedOf(brink, record)->held && record->body != NULL) {
      wake(brink, brink->step.now.h, record->body);
    }
    dxBrinkHostedOf(brink, record)->held = false;
  }
  brink->island.sleeperCount = brink->island.enabledNowCount = 0;
  brink->island.othersHeld = false;
}

/* m/s, at which an extra solve pushes out what lies too deep: a small part of the speed of the gathered bodies' fastest
 * point, or what gravity gives in a step, so that what rests is carried. The step's own solve reduces the errors of a
 * depth; doing so again at each impact would give the island energy from nowhere. */
static double pushOutSpeed(dBrinkID brink) {
  double most = brink->step.now.fall;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[brink->step.island.gathered[i]];
    const dReal *v = dBodyGetLinearVel(record->body), *w = dBodyGetAngularVel(record->body);
    double turning = isfinite(record->reach) ? record->reach * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) : 0;
    most = fmax(most, BRINK_STEP_SENT_BACK * (sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + turning));
  }
  return most;
}

/* Has the iterative solver failed to find the impulses that part this island? A pair that is kept apart is nearer than
 * at its first touch. More bodies than feel an impact are too much for a direct solver. */
static bool needsDirectSolve(dBrinkID brink) {
  if (brink->step.island.gatheredCount > BRINK_STEP_TOGETHER) {
    return false;
  }
  for (size_t i = 0; i < brink->step.pairs.impactCount; ++i) {
    const brinkStepImpact *impact = &brink->step.pairs.impacts[i];
    if (impact->contact.toi <= brink->step.now.tau + BRINK_STEP_WINDOW && brinkStepIsPressed(&brink->step, impact)) {
      return true;
    }
  }
  return false;
}

/* Solves a part r of the step for the gathered bodies alone. Their damping stays that of the part until
 * dxBrinkRestoreDamping: who reads their motion needs it. */
bool dxBrinkSolveIsland(dBrinkID brink, double r, bool insteadOfLast) {
  if (!dxBrinkEnableGathered(brink)) {
    return false;
  }
  dReal erp = dWorldGetERP(brink->world), cfm = dWorldGetCFM(brink->world);
  dWorldSetERP(brink->world, scaledErp(erp, r));
  dWorldSetCFM(brink->world, scaledCfm(cfm, erp, r));
  dReal pushedOut = dWorldGetContactMaxCorrectingVel(brink->world);
  if (!insteadOfLast) {
    dWorldSetContactMaxCorrectingVel(brink->world, fmin(pushedOut, pushOutSpeed(brink)));
  }
  scaleIslandErp(brink, r);
  scaleDamping(brink, r);
  turnFinitely(brink);
  unsigned long seed = dRandGetSeed();
  int iterations = dWorldGetQuickStepNumIterations(brink->world);
  dWorldSetQuickStepNumIterations(brink->world, BRINK_STEP_EFFORT * iterations);
  const bool quick = brink->call.quick;
  brink->call.quick = quick && !needsDirectSolve(brink);
  dxBrinkSolve(brink, r * brink->step.now.h);
  brink->call.quick = quick;
  dRandSetSeed(seed);
  dWorldSetQuickStepNumIterations(brink->world, iterations);
  restoreTurning(brink);
  restoreErp(brink);
  dWorldSetERP(brink->world, erp);
  dWorldSetCFM(brink->world, cfm);
  dWorldSetContactMaxCorrectingVel(brink->world, pushedOut);
  if (!insteadOfLast) {
    sumFelt(brink, r);
  }
  holdGathered(brink);
  brink->step.now.bodySolves += (double)brink->step.island.gatheredCount;
  return true;
}
