/* SPDX-License-Identifier: BSD-3-Clause */
/* Geoms without a body that the program moves by hand: gates, lifts, swords. As ODE has it they jump. One that is set
 * to sweep goes, during the step, from where it stood after the last one to where it was put: for that time it sits on
 * a kinematic body of Brink's own, so that everything that holds for bodies holds for it, and contacts push with its
 * velocity. After the step it stands where the program put it, bit for bit, without a body. One that was clamped on its
 * way goes on from there, and catches up: hardly faster than the program has moved it since, as what it meets gets its
 * speed. Units: m, rad, s. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "step.h"

#define ARRIVED 1e-7 /* m and part of the coordinate; rad: rounding of a step */

struct dxBrinkSweep {
  dGeomID geom;
  dBodyID body; /* kinematic, Brink's own; NULL: not needed yet */
  bool active;  /* it sits on the body in this step */
  brinkStepLed led;
};

static size_t findSweep(const dxBrink *brink, dGeomID geom) {
  size_t at = 0;
  while (at < brink->sweeps.count && brink->sweeps.items[at].geom != geom) {
    at++;
  }
  return at;
}

/* Reads a geom's place. near: the quaternion to choose, see dxBrinkGeomTurn; may be the state's own. */
static void readGeom(dGeomID geom, const dReal *near, brinkStepState *state) {
  memcpy(state->position, dGeomGetPosition(geom), sizeof(state->position));
  memcpy(state->rotation, dGeomGetRotation(geom), sizeof(state->rotation));
  memmove(state->quaternion, near, sizeof(state->quaternion));
  dxBrinkGeomTurn(geom, state->quaternion);
}

static void dropSweep(dBrinkID brink, size_t at) {
  if (brink->sweeps.items[at].body != NULL && dxBrinkWorldLives(brink)) {
    dBodyDestroy(brink->sweeps.items[at].body);
  }
  brink->sweeps.items[at] = brink->sweeps.items[--brink->sweeps.count];
}

void dxBrinkAbandonSweeps(dBrinkID brink) { brink->sweeps.count = 0; }

void dxBrinkDropSweeps(dBrinkID brink) {
  while (brink->sweeps.count > 0) {
    dropSweep(brink, brink->sweeps.count - 1);
  }
  free(brink->sweeps.items);
}

int dBrinkSetSweep(dBrinkID brink, dGeomID geom, int sweeps) {
  if (!dxBrinkMayCall(brink, "dBrinkSetSweep") || !dxBrinkRefresh(brink)) {
    return 0;
  }
  if (geom == NULL || dxBrinkFindGeom(brink, geom) == NULL || dxBrinkIsPlaceless(geom)) {
    return dxBrinkFail(brink, "dBrinkSetSweep: the geom is not watched, or has no place that could change (a plane)");
  }
  dBodyID body = dGeomGetBody(geom);
  const uint32_t number = dxBrinkFindBody(brink, body);
  if (sweeps && body != NULL && !dBodyIsKinematic(body)) {
    return dxBrinkFail(brink, "dBrinkSetSweep: the geom sits on a body, whose velocity moves it: make that kinematic");
  }
  brinkStepForgetLate(&brink->step, number);
  size_t at = findSweep(brink, geom);
  if (at < brink->sweeps.count) {
    dropSweep(brink, at);
  }
  if (sweeps && body != NULL) {
    return brinkStepLeadAlways(&brink->step, number) ? dxBrinkSucceed(brink) : dxBrinkNoMemory(brink);
  }
  if (sweeps) {
    if (!BRINK_STEP_RESERVE(brink->sweeps.items, brink->sweeps.count, brink->sweeps.capacity)) {
      return dxBrinkFail(brink, "dBrinkSetSweep: no memory");
    }
    dxBrinkSweep *sweep = &brink->sweeps.items[brink->sweeps.count++];
    *sweep = (dxBrinkSweep){.geom = geom};
    dxBrinkFindGeom(brink, geom)->sweeps = true;
    readGeom(geom, (dQuaternion){1, 0, 0, 0}, &sweep->led.stood);
    sweep->led.last = sweep->led.stood;
  }
  return dxBrinkSucceed(brink);
}

static void setOut(dxBrinkSweep *sweep, const double linear[3], const double angular[3]) {
  const dReal *from = sweep->led.stood.position;
  dBodyEnable(sweep->body);
  dBodySetQuaternion(sweep->body, sweep->led.stood.quaternion);
  dBodySetPosition(sweep->body, from[0], from[1], from[2]);
  dBodySetLinearVel(sweep->body, linear[0], linear[1], linear[2]);
  dBodySetAngularVel(sweep->body, angular[0], angular[1], angular[2]);
  dGeomSetBody(sweep->geom, sweep->body);
  sweep->active = true;
}

/* Sets sweeping geoms going, after a walk. True: some sweep in this step, so walk again. */
bool dxBrinkBeginSweeps(dBrinkID brink, double h) {
  bool any = false;
  for (size_t i = brink->sweeps.count; i-- > 0;) {
    dxBrinkSweep *sweep = &brink->sweeps.items[i];
    const dxBrinkGeom *record = dxBrinkFindGeom(brink, sweep->geom);
    if (record == NULL || !record->sweeps) {
      dropSweep(brink, i);
      continue;
    }
    sweep->active = false;
    const brinkStepState *stood = &sweep->led.stood, *target = &sweep->led.target;
    double linear[3], angular[3];
    readGeom(sweep->geom, stood->quaternion, &sweep->led.target);
    (void)brinkStepLead(&sweep->led, h, ARRIVED, linear, angular);
    bool moved = memcmp(target->position, stood->position, sizeof(stood->position)) != 0 ||
                 memcmp(target->rotation, stood->rotation, sizeof(stood->rotation)) != 0;
    if (moved && dGeomGetBody(sweep->geom) == NULL && brinkStepAllFinite(target->position, 3) &&
        brinkStepAllFinite(target->quaternion, 4)) {
      if (sweep->body == NULL) {
        sweep->body = dxBrinkMakeBody(brink);
        dBodySetKinematic(sweep->body);
        dBodySetFiniteRotationMode(sweep->body, 1);
      }
      setOut(sweep, linear, angular);
      any = true;
    }
  }
  return any;
}

double dxBrinkSweptWay(const dxBrink *brink, dGeomID geom) {
  const size_t at = findSweep(brink, geom);
  if (at == brink->sweeps.count || !brink->sweeps.items[at].active) {
    return brinkStepLedWay(&brink->step, dxBrinkFindBody(brink, dGeomGetBody(geom)));
  }
  const dReal *from = brink->sweeps.items[at].led.stood.position, *to = brink->sweeps.items[at].led.target.position;
  return hypot(hypot(to[0] - from[0], to[1] - from[1]), to[2] - from[2]);
}

/* Puts sweeping geoms where the program has them. One that was clamped on the way goes on from there in the next step.
 * After a step that was refused they have not moved. */
void dxBrinkEndSweeps(dBrinkID brink) {
  const bool stepped = brink->step.report.solves > 0;
  for (size_t i = 0; i < brink->sweeps.count; ++i) {
    dxBrinkSweep *sweep = &brink->sweeps.items[i];
    bool there = dxBrinkFindGeom(brink, sweep->geom) != NULL; /* not destroyed in the step */
    bool all = true;
    brinkStepState reached;
    if (there && sweep->active && dGeomGetBody(sweep->geom) == sweep->body) {
      const dReal *p = sweep->led.target.position;
      dxBrinkReadState(sweep->body, &reached);
      all = brinkStepIsNearPose(&reached, &sweep->led.target, ARRIVED);
      dGeomSetBody(sweep->geom, NULL);
      dGeomSetRotation(sweep->geom, sweep->led.target.rotation);
      dGeomSetPosition(sweep->geom, p[0], p[1], p[2]);
      dBodySetLinearVel(sweep->body, 0, 0, 0);
      dBodySetAngularVel(sweep->body, 0, 0, 0);
      dBodyDisable(sweep->body);
    } else if (sweep->active) {
      sweep->body = NULL; /* a callback has parted it from its geom, or ended it */
    }
    sweep->active = false;
    if (there && stepped) {
      readGeom(sweep->geom, sweep->led.stood.quaternion, &sweep->led.last);
      brinkStepLedTo(&sweep->led, all ? NULL : &reached);
    }
  }
  brinkStepEndLate(&brink->step);
}
