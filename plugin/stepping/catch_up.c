/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast does go in a step what a host leads from place to place, where it was stopped on its way? It catches up, but
 * hardly faster than it was led since, as what it meets gets its speed (docs/step.md, "Squeezed bodies").
 *
 * A moved body that was stopped is led, too, where the program goes on setting its pose by a timeline that knows
 * nothing of the stop: as if set there it would jump past what has stopped it. It starts from where it stood, and goes
 * where the pose and velocity that the program gave it would lead. A pose counts as the timeline's where it is no
 * farther from where the body ought to be than that is from where it stood, or than a part of a step's way. A body that
 * is put elsewhere jumps, and one whose pose is not set goes on from where it stands. Where the program says that a
 * body is always led, each pose counts. Units: m, rad, s. */
#include <math.h>
#include <string.h>

#include "step.h"

/* Displacement and turn from one place to another, the shorter way round: m, rad. */
static void wayBetween(const brinkStepState *from, const brinkStepState *to, double line[3], double turn[3]) {
  static const double noSpin[3] = {0, 0, 0};
  const brinkVec3 turned = brinkStepTurnBetween(from->quaternion, to->quaternion, noSpin);
  memcpy(turn, &turned, sizeof(turned));
  for (int i = 0; i < 3; ++i) {
    line[i] = to->position[i] - from->position[i];
  }
}

static double lengthOf(const double v[3]) { return hypot(hypot(v[0], v[1]), v[2]); }

bool brinkStepLead(brinkStepLed *led, double h, double rounding, double linear[3], double angular[3]) {
  double ways[2][3], part = 1;
  wayBetween(&led->last, &led->target, ways[0], ways[1]);
  for (int k = 0; k < 2; ++k) {
    led->moved[k] = fmax(lengthOf(ways[k]) / h, led->late ? led->fastest[k] : 0);
  }
  wayBetween(&led->stood, &led->target, ways[0], ways[1]);
  for (int k = 0; led->late && k < 2; ++k) {
    part = fmin(part, fmax((1 + BRINK_STEP_TENTH) * led->moved[k] * h, rounding) / lengthOf(ways[k]));
  }
  for (int i = 0; i < 3; ++i) {
    linear[i] = part * ways[0][i] / h;
    angular[i] = part * ways[1][i] / h;
  }
  return part == 1;
}

void brinkStepLedTo(brinkStepLed *led, const brinkStepState *reached) {
  led->stood = reached != NULL ? *reached : led->last;
  led->late = reached != NULL;
  memcpy(led->fastest, led->moved, sizeof(led->fastest));
}

/* ---- moved bodies that are behind their way */

static size_t findLate(const brinkStepper *stepper, uint32_t number) {
  size_t at = 0;
  while (at < stepper->lates.count && stepper->lates.items[at].number != number) {
    at++;
  }
  return at;
}

static void dropLate(brinkStepper *stepper, size_t at) {
  stepper->lates.items[at] = stepper->lates.items[--stepper->lates.count];
}

void brinkStepForgetLate(brinkStepper *stepper, uint32_t body) {
  const size_t at = findLate(stepper, body);
  if (at < stepper->lates.count) {
    dropLate(stepper, at);
  }
}

/* Where its velocities lead in a step. */
static void goOn(brinkStepState *state, double h) {
  static const double none[3] = {0, 0, 0};
  brinkStepBringBack(state, -h, none);
}

/* m, of the point of a body that goes farthest from one place to another. */
static double distanceOf(const brinkStepBody *record, const brinkStepState *from, const brinkStepState *to) {
  double line[3], turn[3];
  wayBetween(from, to, line, turn);
  return lengthOf(line) + record->reach * lengthOf(turn);
}

static bool isOnItsWay(const brinkStepper *stepper, const brinkStepLate *late) {
  const brinkStepBody *record = &stepper->bodies[late->number];
  const double lost = distanceOf(record, &late->led.stood, &late->led.last);
  const double step = distanceOf(record, &late->set, &late->led.target);
  return late->always || (late->step + 1 == stepper->stepNumber &&
                          distanceOf(record, &late->set, &late->led.last) <= fmax(lost, BRINK_STEP_QUARTER * step));
}

/* May it be led from where it stood to where the program has set it? */
static bool isSet(const brinkStepLate *late) {
  return brinkStepStateIsFinite(&late->set) && !brinkStepSamePose(&late->set, &late->led.stood);
}

void brinkStepSetOutLate(brinkStepper *stepper) {
  for (size_t i = stepper->lates.count; i-- > 0;) {
    brinkStepLate *late = &stepper->lates.items[i];
    const bool on = stepper->host->isOn(stepper->user, late->number);
    late->leads = !stepper->bodies[late->number].dynamic && (on || late->always);
    if (late->leads) {
      stepper->host->readState(stepper->user, late->number, &late->set);
      late->led.target = late->set;
      if (on) {
        goOn(&late->led.target, stepper->now.h);
      }
      late->leads = isSet(late) && isOnItsWay(stepper, late);
    }
    if (late->leads) {
      stepper->host->wake(stepper->user, late->number); /* as it waited */
      brinkStepState out = late->led.stood;
      late->whole = brinkStepLead(&late->led, stepper->now.h, BRINK_STEP_ROUNDING, out.linear, out.angular);
      stepper->host->writeState(stepper->user, late->number, &out);
      (void)brinkStepReadStart(stepper, late->number);
    } else if (!late->always) {
      dropLate(stepper, i);
    }
  }
}

double brinkStepLedWay(const brinkStepper *stepper, uint32_t body) {
  const size_t at = findLate(stepper, body);
  if (at == stepper->lates.count || !stepper->lates.items[at].leads) {
    return -1;
  }
  const brinkStepLed *led = &stepper->lates.items[at].led;
  return distanceOf(&stepper->bodies[body], &led->stood, &led->target);
}

/* It was led in this step. Is it where it was to go? If the step was refused, it is put back as the program had it. */
static bool endLed(const brinkStepper *stepper, brinkStepLate *late) {
  brinkStepState reached;
  late->leads = false;
  if (stepper->report.solves == 0) {
    stepper->host->writeState(stepper->user, late->number, &late->set);
    return false;
  }
  stepper->host->readState(stepper->user, late->number, &reached);
  memcpy(reached.linear, late->set.linear, sizeof(reached.linear));
  memcpy(reached.angular, late->set.angular, sizeof(reached.angular));
  stepper->host->writeState(stepper->user, late->number, &reached);
  const bool arrived = late->whole && stepper->bodies[late->number].frozenStep != stepper->stepNumber;
  late->led.last = arrived ? reached : late->led.target;
  brinkStepLedTo(&late->led, arrived ? NULL : &reached);
  return arrived;
}

static brinkStepLate *addLate(brinkStepper *stepper, uint32_t number) {
  if (!BRINK_STEP_RESERVE(stepper->lates.items, stepper->lates.count, stepper->lates.capacity)) {
    return NULL;
  }
  brinkStepLate *late = &stepper->lates.items[stepper->lates.count++];
  *late = (brinkStepLate){.number = number, .step = stepper->stepNumber};
  stepper->host->readState(stepper->user, number, &late->led.stood);
  late->led.last = late->led.stood;
  return late;
}

bool brinkStepLeadAlways(brinkStepper *stepper, uint32_t body) {
  brinkStepForgetLate(stepper, body);
  brinkStepLate *late = addLate(stepper, body);
  if (late != NULL) {
    late->always = true;
  }
  return late != NULL;
}

/* A moved body was stopped in this step: it ought to be where its velocities led from the start. */
static void noteStopped(brinkStepper *stepper, uint32_t number) {
  const size_t at = findLate(stepper, number);
  brinkStepLate *late = at < stepper->lates.count ? &stepper->lates.items[at] : addLate(stepper, number);
  if (late == NULL || late->led.late) {
    return; /* no memory: it jumps; or it was led */
  }
  const brinkStepHotData *hot = &stepper->hotData[number];
  memcpy(late->led.last.position, hot->startPosition, sizeof(hot->startPosition));
  memcpy(late->led.last.quaternion, hot->startQuaternion, sizeof(hot->startQuaternion));
  memcpy(late->led.last.linear, hot->startLinear, sizeof(hot->startLinear));
  memcpy(late->led.last.angular, hot->startAngular, sizeof(hot->startAngular));
  goOn(&late->led.last, stepper->now.h);
  late->led.late = true;
  late->led.fastest[0] = lengthOf(hot->startLinear);
  late->led.fastest[1] = lengthOf(hot->startAngular);
}

void brinkStepEndLate(brinkStepper *stepper) {
  for (size_t i = stepper->lates.count; i-- > 0;) {
    brinkStepLate *late = &stepper->lates.items[i];
    const bool dynamic = stepper->bodies[late->number].dynamic, led = late->leads && !dynamic;
    const bool arrived = led && endLed(stepper, late);
    late->step = stepper->stepNumber;
    if (!late->always && (dynamic || arrived)) {
      dropLate(stepper, i);
    } else if (late->always && !led && stepper->report.solves > 0) { /* a dynamic one goes by itself */
      stepper->host->readState(stepper->user, late->number, &late->led.last);
      brinkStepLedTo(&late->led, NULL);
    }
  }
  for (uint32_t i = 0; stepper->report.clamps > 0 && i < stepper->bodyCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[i];
    if (record->body != NULL && !record->dynamic && record->frozenStep == stepper->stepNumber &&
        stepper->host->isOn(stepper->user, i)) {
      noteStopped(stepper, i);
    }
  }
}
