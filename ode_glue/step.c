/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of an ODE world: the mirror's walk, ODE's solve, and what plugin/stepping makes of it. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "step.h"

/* The walk has read where the bodies start. 0: something there is not finite, or beyond 1e60, or comes there: Brink
 * computes with less than 1e60, ODE asserts where a square overflows. */
static int checkStart(dBrinkID brink) {
  if (brink->walk->unfit == BRINK_NO_RECORD) {
    return 1;
  }
  const dReal *p = dBodyGetPosition(brink->step.bodies[brink->walk->unfit].body);
  return dxBrinkFail(brink,
                     "body %u has a position, rotation, velocity or force that is not finite, or beyond 1e60, or leads "
                     "there in this step (position %g %g %g): the world was not stepped, ODE would abort; give it "
                     "finite values (dBodySetPosition, dBodySetQuaternion, dBodySetLinearVel, dBodySetAngularVel, "
                     "dBodySetForce) or destroy it, and step again",
                     brink->walk->unfit, p[0], p[1], p[2]);
}

static void clearInfo(dBrinkID brink, double h, bool mayAsk) {
  brinkStepBegin(&brink->step, h, mayAsk);
  brink->result.info = (dBrinkStepInfo){.structSize = sizeof(brink->result.info), .firstToi = BRINK_NO_TIME};
  brink->result.eventCount = 0;
  brink->contacts.stale.count = brink->contacts.aside.count = 0;
  brink->contacts.watching = false;
  brink->island.solveSeconds = 0;
}

static int watchedStep(dBrinkID brink) {
  bool known = dxBrinkRefreshAtStart(brink) != 0;
  if (brink->walk->locked) {
    return dxBrinkFail(
        brink,
        "%s: called from inside dSpaceCollide of a watched space; ODE cannot move a geom of a space that is calling "
        "back, and would abort. The world was not stepped; step it after dSpaceCollide has returned",
        brink->call.quick ? "dBrinkWorldQuickStep" : "dBrinkWorldStep");
  }
  known = known && (!dxBrinkBeginSweeps(brink, brink->step.now.h) || dxBrinkRefreshAtStart(brink) != 0);
  if (!known) {
    dxBrinkSolve(brink, brink->step.now.h, brink->call.quick);
    return 0;
  }
  brinkStepApplyModes(&brink->step);
  brinkStepBeginSilence(&brink->step);
  if (!checkStart(brink)) {
    return 0;
  }
  dxBrinkCallNearHeldApart(brink);
  brinkStepSetOutLate(&brink->step);
  dxBrinkCallNearSwept(brink);
  if (dxBrinkWorldChanged(brink, NULL, 0)) {
    brink->contacts.watching = false;
    brink->step.worldChanged = false;
    if (brink->contacts.worldGone) {
      return dxBrinkFailWorldGone(brink);
    }
    if (!dxBrinkRefreshAtStart(brink) || !checkStart(brink)) {
      return 0;
    }
  }
  brink->step.pairs.mayHoldApart = dxBrinkMayHoldApart(brink);
  dxBrinkTurnStruckFinitely(brink);
  dxBrinkSolve(brink, brink->step.now.h, brink->call.quick);
  int done = brinkStepReadMotions(&brink->step);
  dxBrinkRestoreStruckTurning(brink);
  if (!done) {
    brinkStepForgetLooks(&brink->step);
  }
  done = done && brinkStepFollowImpacts(&brink->step);
  dxBrinkPutBackAside(brink);
  brinkStepGivePushes(&brink->step);
  brink->result.info.worstJointError = brinkStepWorstGap(&brink->step);
  if (!brink->contacts.worldGone) {
    brinkStepEnd(&brink->step);
  }
  return done;
}

_Static_assert(offsetof(dBrinkSensorEvent, kind) == offsetof(brinkStepSensorEvent, kind) &&
                   sizeof(dBrinkSensorEvent) == sizeof(brinkStepSensorEvent),
               "told as they are");
_Static_assert(offsetof(dBrinkStepInfo, worstJointError) - offsetof(dBrinkStepInfo, firstToi) ==
                   sizeof(struct brinkStepReport) - offsetof(struct brinkStepReport, firstToi),
               "the same");

static void tellReport(dBrinkID brink) {
  const struct brinkStepReport *report = &brink->step.report;
  dBrinkStepInfo *info = &brink->result.info;
  info->solves = report->solves;
  info->clamps = report->clamps;
  info->unresolved = report->unresolved;
  memcpy(&info->firstToi, &report->firstToi, sizeof(*report) - offsetof(struct brinkStepReport, firstToi));
  info->sensorEventCount = (int)brink->step.sensing.eventCount;
  info->sensorEvents = (const dBrinkSensorEvent *)(const void *)brink->step.sensing.events;
}

/* A step that an exception of a callback leaves is broken off; nothing of Brink's own stays in the world. */
static void leaveStep(const dBrinkID *stepped) {
  dBrinkID brink = *stepped;
  if (!brink->busy) {
    return;
  }
  brink->busy = brink->contacts.changing = false;
  if (brink->contacts.parking != NULL && !dxBrinkWorldLives(brink)) {
    dxBrinkAbandonWorld(brink);
    return;
  }
  if (brink->island.was.told) {
    dxBrinkTuneBack(brink);
    dxBrinkRestoreBodies(brink);
  }
  dxBrinkTakeFromStandIns(brink, false);
  dxBrinkUnpark(brink);
  brinkStepBreakOff(&brink->step);
  dxBrinkRestoreStruckTurning(brink);
  dxBrinkPutBackAside(brink);
  dxBrinkEndSweeps(brink);
}

int dxBrinkStep(dBrinkID brink, double h, void *data, dNearCallback *near, dJointGroupID contactGroup, bool quick) {
  const char *call = quick ? "dBrinkWorldQuickStep" : "dBrinkWorldStep";
  if (brink == NULL) {
    return dxBrinkFail(NULL, "%s: brink is NULL; see dBrinkGetError(NULL) after dBrinkCreate", call);
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "%s: called inside a step's near callback, or longjmp has left one; one at a time", call);
  }
  clearInfo(brink, h, near != NULL);
  if (brink->contacts.worldGone) {
    return dxBrinkFailWorldGone(brink);
  }
  if (!isfinite(h) || !(h > 0) || !isfinite(1 / h)) {
    brink->step.stepNumber--; /* none was made: the last one is the last still */
    return dxBrinkFail(brink,
                       "%s: the step is %g s; it and its inverse must be positive and finite (ODE would abort). The "
                       "world was not stepped",
                       call, h);
  }
  double began = dxBrinkSecondsNow();
  dxBrinkSucceed(brink);
  __attribute__((unused, cleanup(leaveStep))) const dBrinkID stepped = brink;
  brink->busy = true;
  brink->contacts.solveLength = h;
  brink->call = (struct dxBrinkCall){quick, data, near, contactGroup};
  int done = 1;
  if (brink->chosen.enabled) {
    done = watchedStep(brink);
    dxBrinkEndSweeps(brink);
    dxBrinkEndContacts(brink); /* those of before the solve, where nobody was followed */
  } else {
    dxBrinkSolve(brink, h, quick);
  }
  brink->busy = false;
  tellReport(brink);
  brink->result.info.milliseconds = 1e3 * (dxBrinkSecondsNow() - began - brink->island.solveSeconds);
  return done;
}
