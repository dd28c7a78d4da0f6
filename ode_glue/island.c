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

#include "stepper.h"

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

void dxBrinkSolve(dxBrinkRun *run, double h) {
  double began = dxBrinkSecondsNow();
  dxBrinkLoosenTethers(run->brink);
  if (run->quick) {
    dWorldQuickStep(run->brink->world, h);
  } else {
    dWorldStep(run->brink->world, h);
  }
  dxBrinkFastenTethers(run->brink);
  run->brink->island.solveSeconds += dxBrinkSecondsNow() - began;
  run->brink->result.info.solves++;
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
  if (!DX_BRINK_RESERVE(brink->island.erps, brink->island.erpCount, brink->island.erpCapacity)) {
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
  if (!DX_BRINK_RESERVE(brink->island.felt, brink->island.feltCount, brink->island.feltCapacity)) {
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
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dBodyID body = brink->bodies[brink->island.gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID first = dJointGetBody(joint, 0) != NULL ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
      bool once = first == body || !dxBrinkIsGathered(brink, dxBrinkFindBody(brink, first));
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
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    record->host.finite = dBodyGetFiniteRotationMode(record->body) != 0;
    dBodySetFiniteRotationMode(record->body, 1);
  }
}

static void restoreTurning(dBrinkID brink) {
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    dBodySetFiniteRotationMode(record->body, record->host.finite);
  }
}

static double scaledDamping(double damping, double r) { return 1 - pow(1 - damping, r); }

static void scaleDamping(dBrinkID brink, double r) {
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    dBodyID body = record->body;
    record->host.damping[0] = dBodyGetLinearDamping(body);
    record->host.damping[1] = dBodyGetAngularDamping(body);
    if (dxBrinkDampsByTime(record->host.damping[0], dBodyGetLinearDampingThreshold(body))) {
      dBodySetLinearDamping(body, scaledDamping(record->host.damping[0], r));
    }
    if (dxBrinkDampsByTime(record->host.damping[1], dBodyGetAngularDampingThreshold(body))) {
      dBodySetAngularDamping(body, scaledDamping(record->host.damping[1], r));
    }
  }
}

void dxBrinkRestoreDamping(dBrinkID brink) {
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    if (record->host.damping[0] > 0) {
      dBodySetLinearDamping(record->body, record->host.damping[0]);
    }
    if (record->host.damping[1] > 0) {
      dBodySetAngularDamping(record->body, record->host.damping[1]);
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
  dxBrinkBody *record = &brink->bodies[number];
  if (brink->stepNumber - record->host.idleSeen > BRINK_STEP_IDLE_GAP) {
    record->host.idleFrom = brink->stepNumber;
  }
  record->host.idleSeen = brink->stepNumber;
  uint32_t idle = brink->stepNumber - record->host.idleFrom;
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
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    dBodyID body = brink->bodies[i].body;
    dxBrinkFetchFlags(brink, i + DX_BRINK_FETCH_AHEAD);
    if (body == NULL || !dBodyIsEnabled(body)) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->island.sleepers, brink->island.sleeperCount, brink->island.sleeperCapacity)) {
      return false;
    }
    brink->island.sleepers[brink->island.sleeperCount++] = i;
  }
  for (size_t i = 0; i < brink->island.sleeperCount; ++i) {
    dBodyDisable(brink->bodies[brink->island.sleepers[i]].body);
    brink->bodies[brink->island.sleepers[i]].host.held = true;
  }
  brink->island.othersHeld = true;
  return true;
}

/* Of the bodies that are awake in the program's world the gathered ones, and no others. */
bool dxBrinkEnableGathered(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  if (!holdOthers(brink)) {
    return false;
  }
  for (size_t i = 0; i < brink->island.enabledNowCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->island.enabledNow[i]];
    if (record->body != NULL && !dxBrinkIsGathered(brink, brink->island.enabledNow[i])) {
      dBodyDisable(record->body);
    }
  }
  brink->island.enabledNowCount = 0;
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    if (!DX_BRINK_RESERVE(brink->island.enabledNow, brink->island.enabledNowCount, brink->island.enabledNowCapacity)) {
      return false;
    }
    brink->island.enabledNow[brink->island.enabledNowCount++] = brink->island.gathered[i];
    if (brink->bodies[brink->island.gathered[i]].host.held) {
      wake(brink, run->h, brink->bodies[brink->island.gathered[i]].body);
    }
  }
  return true;
}

/* After a solve: those that ODE has woken are awake in the program's world. */
static void holdGathered(dBrinkID brink) {
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    if (!dBodyIsEnabled(record->body)) {
      continue;
    }
    if (!record->host.held &&
        DX_BRINK_RESERVE(brink->island.sleepers, brink->island.sleeperCount, brink->island.sleeperCapacity)) {
      brink->island.sleepers[brink->island.sleeperCount++] = brink->island.gathered[i];
      record->host.held = true;
    }
    if (record->host.held) {
      dBodyDisable(record->body);
    }
  }
}

void dxBrinkLetOthersGoOn(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; brink->island.othersHeld && i < brink->island.sleeperCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.sleepers[i]];
    if (record->host.held && record->body != NULL) {
      wake(brink, run->h, record->body);
    }
    record->host.held = false;
  }
  brink->island.sleeperCount = brink->island.enabledNowCount = 0;
  brink->island.othersHeld = false;
}

/* m/s, at which an extra solve pushes out what lies too deep: a small part of the speed of the gathered bodies' fastest
 * point, or what gravity gives in a step, so that what rests is carried. The step's own solve reduces the errors of a
 * depth; doing so again at each impact would give the island energy from nowhere. */
static double pushOutSpeed(const dxBrinkRun *run) {
  const dxBrink *brink = run->brink;
  dVector3 g;
  dWorldGetGravity(brink->world, g);
  double most = run->h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    const dReal *v = dBodyGetLinearVel(record->body), *w = dBodyGetAngularVel(record->body);
    double turning = isfinite(record->reach) ? record->reach * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) : 0;
    most = fmax(most, BRINK_STEP_SENT_BACK * (sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + turning));
  }
  return most;
}

/* Has the iterative solver failed to find the impulses that part this island? A pair that is kept apart is nearer than
 * at its first touch. More bodies than feel an impact are too much for a direct solver. */
static bool needsDirectSolve(const dxBrinkRun *run) {
  const dxBrink *brink = run->brink;
  if (brink->island.gatheredCount > BRINK_STEP_TOGETHER) {
    return false;
  }
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    const dxBrinkImpact *impact = &brink->pairs.impacts[i];
    if (impact->contact.toi <= run->tau + BRINK_STEP_WINDOW && dxBrinkIsPressed(brink, impact)) {
      return true;
    }
  }
  return false;
}

/* Solves a part r of the step for the gathered bodies alone. Their damping stays that of the part until
 * dxBrinkRestoreDamping: who reads their motion needs it. */
bool dxBrinkSolveIsland(dxBrinkRun *run, double r, bool insteadOfLast) {
  dBrinkID brink = run->brink;
  if (!dxBrinkEnableGathered(run)) {
    return false;
  }
  dReal erp = dWorldGetERP(brink->world), cfm = dWorldGetCFM(brink->world);
  dWorldSetERP(brink->world, scaledErp(erp, r));
  dWorldSetCFM(brink->world, scaledCfm(cfm, erp, r));
  dReal pushedOut = dWorldGetContactMaxCorrectingVel(brink->world);
  if (!insteadOfLast) {
    dWorldSetContactMaxCorrectingVel(brink->world, fmin(pushedOut, pushOutSpeed(run)));
  }
  scaleIslandErp(brink, r);
  scaleDamping(brink, r);
  turnFinitely(brink);
  unsigned long seed = dRandGetSeed();
  int iterations = dWorldGetQuickStepNumIterations(brink->world);
  dWorldSetQuickStepNumIterations(brink->world, BRINK_STEP_EFFORT * iterations);
  const bool quick = run->quick;
  run->quick = quick && !needsDirectSolve(run);
  dxBrinkSolve(run, r * run->h);
  run->quick = quick;
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
  run->bodySolves += (double)brink->island.gatheredCount;
  return true;
}
