/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bodies hang together at an impact, and how does ODE solve a part of the step for them alone?
 * Short steps need a smaller error reduction parameter: e' = e r / (1 - e + e r) removes as much of an error in a step
 * r h as e does in a step h, per time; with e itself they would make energy. r: part of the step, [0,1]. Units: s. */
#include <time.h>

#include "stepper.h"

#define QUICK_STEP_EFFORT \
  3 /* times QuickStep's iterations in an extra solve: half-solved contacts would strike again */

typedef struct dxBrinkErp {
  dJointID joint;
  int parameter;
  dReal value;
  void (*set)(dJointID joint, int parameter, dReal value);
} dxBrinkErp;

/* ---- who */

void dxBrinkBeginGathering(dBrinkID brink) {
  brink->mark++;
  brink->gatheredCount = 0;
}

bool dxBrinkIsGathered(const dxBrink *brink, uint32_t number) {
  return number != BRINK_NO_RECORD && brink->bodies[number].mark == brink->mark;
}

bool dxBrinkGather(dBrinkID brink, uint32_t number) {
  if (number == BRINK_NO_RECORD || brink->bodies[number].mark == brink->mark) {
    return true;
  }
  if (!DX_BRINK_RESERVE(brink->gathered, brink->gatheredCount, brink->gatheredCapacity)) {
    return false;
  }
  brink->bodies[number].mark = brink->mark;
  brink->gathered[brink->gatheredCount++] = number;
  return true;
}

/* Everything that enabled joints connect to what is gathered; contacts too, or only joints that hold. */
bool dxBrinkSpread(dBrinkID brink, bool throughContacts) {
  for (size_t next = 0; next < brink->gatheredCount; ++next) {
    dBodyID body = brink->bodies[brink->gathered[next]].body;
    int count = dBodyGetNumJoints(body);
    for (int i = 0; i < count; ++i) {
      dJointID joint = dBodyGetJoint(body, i);
      if (!dJointIsEnabled(joint) || (!throughContacts && dJointGetType(joint) == dJointTypeContact)) {
        continue;
      }
      for (int side = 0; side < 2; ++side) {
        if (!dxBrinkGather(brink, dxBrinkFindBody(brink, dJointGetBody(joint, side)))) {
          return false;
        }
      }
    }
  }
  return true;
}

bool dxBrinkGatherStruck(dBrinkID brink, bool throughContacts) {
  dxBrinkBeginGathering(brink);
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    const dxBrinkStrike *strike = &brink->strikes[i];
    if (strike->wanted && (!dxBrinkGather(brink, brink->geoms[strike->pair.geomA].body) ||
                           !dxBrinkGather(brink, brink->geoms[strike->pair.geomB].body))) {
      return false;
    }
  }
  return dxBrinkSpread(brink, throughContacts);
}

/* ---- ODE's solve */

double dxBrinkSecondsNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void dxBrinkSolve(dxBrinkRun *run, double h) {
  double began = dxBrinkSecondsNow();
  if (run->quick) {
    dWorldQuickStep(run->brink->world, h);
  } else {
    dWorldStep(run->brink->world, h);
  }
  run->brink->solveSeconds += dxBrinkSecondsNow() - began;
  run->brink->info.solves++;
}

static double scaledErp(double erp, double r) {
  double left = 1 - erp + erp * r;
  return left > 0 ? erp * r / left : erp;
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

static bool scaleJointErp(dBrinkID brink, dJointID joint, double r) {
  dJointType type = dJointGetType(joint);
  for (size_t k = 0; k < sizeof(erpKinds) / sizeof(*erpKinds); ++k) {
    for (int i = 0; erpKinds[k].type == type && i < 3 && erpKinds[k].parameters[i] != 0; ++i) {
      if (!DX_BRINK_RESERVE(brink->erps, brink->erpCount, brink->erpCapacity)) {
        return false;
      }
      dReal value = erpKinds[k].get(joint, erpKinds[k].parameters[i]);
      brink->erps[brink->erpCount++] = (dxBrinkErp){joint, erpKinds[k].parameters[i], value, erpKinds[k].set};
      erpKinds[k].set(joint, erpKinds[k].parameters[i], scaledErp(value, r));
    }
  }
  return true;
}

/* Each joint once: at its first body, or at its only one. */
static void scaleIslandErp(dBrinkID brink, double r) {
  brink->erpCount = 0;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dBodyID body = brink->bodies[brink->gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID first = dJointGetBody(joint, 0) != NULL ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
      if (first == body && !scaleJointErp(brink, joint, r)) {
        return;
      }
    }
  }
}

static void restoreErp(dBrinkID brink) {
  while (brink->erpCount > 0) {
    const dxBrinkErp *erp = &brink->erps[--brink->erpCount];
    erp->set(erp->joint, erp->parameter, erp->value);
  }
}

/* After an impact small bodies spin fast. ODE's infinitesimal mode turns them by 2 atan(|w| h / 2), never more than
 * half a turn, while their centre moves on at full speed: the point that a contact has stopped would then move into the
 * surface. The finite mode turns by |w| h, as the velocities say. */
static void turnFinitely(dBrinkID brink) {
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    record->finite = dBodyGetFiniteRotationMode(record->body) != 0;
    dBodySetFiniteRotationMode(record->body, 1);
  }
}

static void restoreTurning(dBrinkID brink) {
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    dBodySetFiniteRotationMode(record->body, record->finite);
  }
}

static void wakeSleepers(dBrinkID brink) {
  for (size_t i = 0; i < brink->sleeperCount; ++i) {
    dBodyEnable(brink->sleepers[i]);
  }
  brink->sleeperCount = 0;
}

/* Solves a part r of the step for the gathered bodies alone. */
bool dxBrinkSolveIsland(dxBrinkRun *run, double r) {
  dBrinkID brink = run->brink;
  brink->sleeperCount = 0;
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    dBodyID body = brink->bodies[i].body;
    dxBrinkFetchFlags(brink, i + DX_BRINK_FETCH_AHEAD);
    if (body == NULL || dxBrinkIsGathered(brink, i) || !dBodyIsEnabled(body)) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->sleepers, brink->sleeperCount, brink->sleeperCapacity)) {
      wakeSleepers(brink);
      return false;
    }
    brink->sleepers[brink->sleeperCount++] = body;
    dBodyDisable(body);
  }
  dReal erp = dWorldGetERP(brink->world);
  dWorldSetERP(brink->world, scaledErp(erp, r));
  scaleIslandErp(brink, r);
  turnFinitely(brink);
  int iterations = dWorldGetQuickStepNumIterations(brink->world);
  dWorldSetQuickStepNumIterations(brink->world, QUICK_STEP_EFFORT * iterations);
  dxBrinkSolve(run, r * run->h);
  dWorldSetQuickStepNumIterations(brink->world, iterations);
  restoreTurning(brink);
  restoreErp(brink);
  dWorldSetERP(brink->world, erp);
  wakeSleepers(brink);
  run->bodySolves += (double)brink->gatheredCount;
  return true;
}
