/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a step, read of every body before the engine's solve, where the engine keeps it; and what a body
 * remembers from one step to the next.
 * That is: an impact has changed it, and it spins since (cuts.c); it was stopped (waiting.c); Brink's contacts hold
 * these pairs apart (pairs.c). It belongs to a motion that goes on. A body that the program has put elsewhere since
 * remembers nothing, so states that are set again lead to the same bits, whatever came between. A body that was given
 * only another velocity still spins from its impact, but does not count as stopped. */
#include <math.h>
#include <string.h>

#include "step.h"

/* Magnitudes of a vector, in two lanes. */
static inline void addSizes(double sum[2], const double *v) {
  sum[0] += fabs(v[0]) + fabs(v[2]);
  sum[1] += fabs(v[1]);
}

static bool isFit(const brinkStepHotData *hot, const brinkStepLayout *to) {
  const double *p = hot->position;
  return brinkStepAllFinite(p, 3) && brinkStepAllFinite(p + to->quaternion, 4) &&
         brinkStepAllFinite(p + to->linear, 3) && brinkStepAllFinite(p + to->angular, 3) &&
         brinkStepAllFinite(p + to->force, 3) && brinkStepAllFinite(p + to->torque, 3);
}

/* moved: m, since the last step left it. */
static void forgetBody(brinkStepper *stepper, uint32_t number, double moved) {
  stepper->bodies[number].struck = false;
  stepper->bodies[number].frozenStep = 0;
  stepper->hotData[number].remembers = false;
  brinkStepForgetHeldApart(stepper, number, moved);
}

static void note(brinkStepper *stepper, uint32_t body) {
  if (body != BRINK_NO_RECORD && stepper->bodies[body].body != NULL && !stepper->hotData[body].remembers) {
    stepper->hotData[body].remembers = true;
    stepper->host->readState(stepper->user, body, &stepper->bodies[body].end);
  }
}

void brinkStepNoteLeft(brinkStepper *stepper) {
  for (uint32_t i = 0; stepper->quiet.anyRemembers && i < stepper->bodyCount; ++i) {
    stepper->hotData[i].remembers = false;
  }
  const bool any = stepper->spins.anyStruck || stepper->report.clamps > 0;
  for (uint32_t i = 0; any && i < stepper->bodyCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[i];
    if (record->struck || (record->frozenStep == stepper->stepNumber && record->body != NULL)) {
      note(stepper, i);
    }
  }
  for (size_t i = 0; i < stepper->pairs.heldCount; ++i) {
    note(stepper, stepper->colliders[stepper->pairs.heldApart[i].a].body);
    note(stepper, stepper->colliders[stepper->pairs.heldApart[i].b].body);
  }
  stepper->quiet.anyRemembers = any || stepper->pairs.heldCount > 0;
}

static bool isElsewhere(const brinkStepper *stepper, uint32_t number) {
  const double *p = stepper->hotData[number].position;
  const brinkStepState *left = &stepper->bodies[number].end;
  return memcmp(p, left->position, sizeof(left->position)) != 0 ||
         memcmp(p + stepper->layout.quaternion, left->quaternion, sizeof(left->quaternion)) != 0;
}

static bool isSteered(const brinkStepper *stepper, uint32_t number) {
  const double *p = stepper->hotData[number].position;
  const brinkStepState *left = &stepper->bodies[number].end;
  return memcmp(p + stepper->layout.linear, left->linear, sizeof(left->linear)) != 0 ||
         memcmp(p + stepper->layout.angular, left->angular, sizeof(left->angular)) != 0;
}

/* A body that was only shifted by a hair lies on what it lay on: its space need not see that. */
static double movedBy(const brinkStepper *stepper, uint32_t number) {
  const double *p = stepper->hotData[number].position;
  const brinkStepState *left = &stepper->bodies[number].end;
  const bool turned = memcmp(p + stepper->layout.quaternion, left->quaternion, sizeof(left->quaternion)) != 0;
  return turned ? HUGE_VAL : hypot(hypot(p[0] - left->position[0], p[1] - left->position[1]), p[2] - left->position[2]);
}

static void forgetIfMoved(brinkStepper *stepper, uint32_t number) {
  if (isElsewhere(stepper, number)) {
    forgetBody(stepper, number, movedBy(stepper, number));
  } else if (isSteered(stepper, number)) {
    stepper->bodies[number].frozenStep = 0;
  }
}

uint32_t brinkStepMemoryOf(const brinkStepper *stepper, uint32_t number) {
  const brinkStepBody *record = &stepper->bodies[number];
  if (!stepper->hotData[number].remembers || isElsewhere(stepper, number)) {
    return 0;
  }
  const bool stopped = record->frozenStep == stepper->stepNumber && !isSteered(stepper, number);
  return (record->struck ? BRINK_STEP_WAS_STRUCK : 0) | (stopped ? BRINK_STEP_WAS_STOPPED : 0);
}

void brinkStepRecall(brinkStepper *stepper, uint32_t number, uint32_t memory) {
  brinkStepBody *record = &stepper->bodies[number];
  stepper->stepNumber += stepper->stepNumber == 0; /* there was a last step, whoever made it */
  forgetBody(stepper, number, HUGE_VAL);
  record->struck = (memory & BRINK_STEP_WAS_STRUCK) != 0;
  record->frozenStep = memory & BRINK_STEP_WAS_STOPPED ? stepper->stepNumber : 0;
  stepper->spins.anyStruck = stepper->spins.anyStruck || record->struck;
  if (memory != 0) {
    note(stepper, number);
    stepper->quiet.anyRemembers = true;
  }
}

/* Would velocities and forces lead it out of range? After the solve it is too late to refuse the step. */
bool brinkStepEndsUnfit(const brinkStepper *stepper, uint32_t number) {
  const double *p = stepper->hotData[number].position, h = stepper->now.h;
  brinkStepState end;
  stepper->host->readState(stepper->user, number, &end);
  stepper->host->takeBackForces(stepper->user, number, -h, &end);
  for (int i = 0; i < 3; ++i) {
    end.position[i] = p[i] + h * end.linear[i];
  }
  return !brinkStepAllFinite(end.position, 3) || !brinkStepAllFinite(end.linear, 3) ||
         !brinkStepAllFinite(end.angular, 3);
}

/* Only what cannot be had after the solve: the body's record is not touched. */
int brinkStepReadStart(brinkStepper *stepper, uint32_t number) {
  brinkStepHotData *hot = &stepper->hotData[number];
  const brinkStepLayout *to = &stepper->layout;
  const double *p = hot->position, *q = p + to->quaternion;
  double forces[2] = {0, 0}, all[2];
  addSizes(forces, p + to->force);
  addSizes(forces, p + to->torque);
  memcpy(all, forces, sizeof(all));
  addSizes(all, p);
  addSizes(all, q);
  all[0] += fabs(q[3]);
  addSizes(all, p + to->linear);
  addSizes(all, p + to->angular);
  const bool fit = all[0] + all[1] < BRINK_STEP_LARGEST || isFit(hot, to);
  memcpy(hot->startPosition, p, sizeof(hot->startPosition));
  memcpy(hot->startQuaternion, q, sizeof(hot->startQuaternion));
  memcpy(hot->startLinear, p + to->linear, sizeof(hot->startLinear));
  memcpy(hot->startAngular, p + to->angular, sizeof(hot->startAngular));
  const bool forced = forces[0] + forces[1] != 0, was = hot->forced; /* for NaN, too */
  hot->forced = forced;
  if (hot->remembers) {
    forgetIfMoved(stepper, number);
  }
  return (fit ? 0 : BRINK_STEP_UNFIT) | (forced || was ? BRINK_STEP_FORCED : 0);
}
