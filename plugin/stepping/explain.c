/* SPDX-License-Identifier: BSD-3-Clause */
/* See explain.h. Units: m. */
#include "explain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void brinkStepAddWords(brinkStepWords *out, int reason, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof(line) - 1, format, arguments);
  va_end(arguments);
  if (length < 0) {
    length = 0;
  }
  size_t count = (size_t)length < sizeof(line) - 2 ? (size_t)length : sizeof(line) - 2;
  line[count++] = '\n';
  for (size_t i = 0; i < count; ++i, ++out->length) {
    if (out->length + 1 < out->capacity) {
      out->buffer[out->length] = line[i];
      out->buffer[out->length + 1] = '\0';
    }
  }
  out->reasons |= reason;
}

/* ---- one body */

static bool isSlow(const brinkStepper *stepper, uint32_t body) {
  return stepper->bodies[body].quiet && stepper->hotData[body].known;
}

/* What stopped it; %s in it is the program's word, *word. */
static const char *whyStopped(brinkStepWhy why, const brinkStepWords *out, const char **word) {
  *word = why == brink_stepTooOften ? out->setSubsteps : out->callback;
  switch (why) {
    case brink_stepTooOften:
      return "it was struck more often than %s allows";
    case brink_stepTooLate:
      return "it was struck too near the step's end for what was left to be solved";
    case brink_stepCannotAsk:
      return "the step was given no %s to ask for contacts";
    case brink_stepUnknownAnswer:
      return "nobody knows yet which contacts the program makes for what struck it";
    case brink_stepSilentAnswer:
      return "the %s made no contact, and never had before (a program may make them later)";
    case brink_stepAtLimit:
      return "it is as deep in another as it may come, and the contacts do not hold it there";
    case brink_stepUndecided:
      return "whether it is struck could not be decided with the work that a question may cost";
    case brink_stepSaidSo:
      return "the mode is clamp";
    default:
      return "the step failed, and all that moved was stopped";
  }
}

void brinkStepExplainLastStep(const brinkStepper *stepper, uint32_t body, const char *name, brinkStepWords *out) {
  const brinkStepHotData *hot = &stepper->hotData[body];
  if (isSlow(stepper, body)) {
    brinkStepAddWords(
        out, brink_stepReasonSlow,
        "%s was too slow in the last step: at most %g m a step and %g m since it was last looked at bring "
        "none of its pairs to an event, so the engine's own contacts serve",
        name, hot->stepLimit, fmin(hot->slack, hot->awaySlack));
  }
  if (stepper->bodies[body].frozen) {
    const char *word, *why = whyStopped(stepper->bodies[body].why, out, &word);
    const char *at = strstr(why, "%s");
    const int before = at != NULL ? (int)(at - why) : (int)strlen(why);
    brinkStepAddWords(out, brink_stepReasonFrozen, "%s was clamped in the last step, and %s: %.*s%s%s", name,
                      stepper->bodies[body].moves ? "goes on as one with what it struck" : "waits at the impact",
                      before, why, at != NULL ? word : "", at != NULL ? at + 2 : "");
  }
}

void brinkStepExplainBody(const brinkStepper *stepper, uint32_t body, brinkStepWords *out) {
  const brinkStepBody *record = &stepper->bodies[body];
  const int mode = record->mode != brink_stepInherit ? record->mode : stepper->settings.mode;
  if (!record->dynamic) {
    brinkStepAddWords(out, brink_stepReasonKinematic,
                      "the body is kinematic: it stops for nothing, dynamic bodies stop at it");
  }
  if (mode == brink_stepReport) {
    brinkStepAddWords(out, brink_stepReasonReport,
                      "its mode is report: impacts are told as events and the engine's own result stays");
  }
}

/* ---- one pair */

static void sayWhoTheyAre(const brinkStepper *stepper, brinkStepPair pair, brinkStepWords *out) {
  const uint32_t a = stepper->colliders[pair.a].body, b = stepper->colliders[pair.b].body;
  const bool dynamicA = a != BRINK_NO_RECORD && stepper->bodies[a].dynamic;
  const bool dynamicB = b != BRINK_NO_RECORD && stepper->bodies[b].dynamic;
  if (a == b) {
    if (a == BRINK_NO_RECORD) {
      brinkStepAddWords(out, brink_stepReasonStatic,
                        "neither %s has a body: what is moved by hand jumps, it does not sweep", out->collider);
    } else {
      brinkStepAddWords(out, brink_stepReasonSameBody, "both sit on one body: they never move against each other");
    }
  } else if (!dynamicA && !dynamicB) {
    brinkStepAddWords(out, brink_stepReasonKinematic, "no side is dynamic: no contact could change their motion");
  }
  if (a != BRINK_NO_RECORD && b != BRINK_NO_RECORD && a != b && stepper->host->joined(stepper->user, a, b)) {
    brinkStepAddWords(out, brink_stepReasonJoined, "a joint connects the two bodies: such pairs are left out");
  }
  if (brinkStepIsSensorPair(stepper, pair.a, pair.b)) {
    brinkStepAddWords(out, brink_stepReasonSensor, "one of them is a sensor: %s, nothing stops",
                      a == BRINK_NO_RECORD && b == BRINK_NO_RECORD ? "it is told of what has a body, or sweeps"
                                                                   : "crossings are told");
  }
}

static void sayOfLastStep(const brinkStepper *stepper, brinkStepPair pair, brinkStepWords *out) {
  const uint32_t bodies[2] = {stepper->colliders[pair.a].body, stepper->colliders[pair.b].body};
  bool slow = true;
  for (int side = 0; side < 2; ++side) {
    slow = slow && (bodies[side] == BRINK_NO_RECORD || isSlow(stepper, bodies[side]));
  }
  for (int side = 0; side < 2 && bodies[0] != bodies[1]; ++side) {
    if (bodies[side] != BRINK_NO_RECORD && (slow || stepper->bodies[bodies[side]].frozen)) {
      char name[64];
      snprintf(name, sizeof(name), "the %s %s's body", side == 0 ? "first" : "second", out->collider);
      brinkStepExplainLastStep(stepper, bodies[side], name, out);
    }
  }
  if (brinkStepIsDropped(stepper, pair)) {
    const bool surface =
        ((stepper->colliders[pair.a].flags | stepper->colliders[pair.b].flags) & BRINK_STEP_SURFACE) != 0;
    brinkStepAddWords(
        out, brink_stepReasonDropped, "left out for the rest of the last step: the %s made no contact joint for it%s",
        out->callback,
        surface ? ", or its surfaces crossed when the step began (then the engine's contacts serve)" : "");
  }
}

double brinkStepDistanceNow(brinkStepper *stepper, brinkStepPair pair, brinkContact *contact) {
  const uint32_t bodies[2] = {stepper->colliders[pair.a].body, stepper->colliders[pair.b].body};
  for (int side = 0; side < 2; ++side) {
    if (bodies[side] == BRINK_NO_RECORD) {
      continue;
    }
    const double *p = stepper->hotData[bodies[side]].position;
    brinkStepVoidLook(stepper, bodies[side]);
    if (!brinkStepRestAt(stepper, bodies[side], p, p + stepper->layout.quaternion)) {
      return (double)NAN;
    }
  }
  return stepper->plugin->distance(stepper->world, stepper->colliders[pair.a].collider,
                                   stepper->colliders[pair.b].collider, 0, contact) == brink_ok
             ? contact->distance
             : (double)NAN;
}

/* A pair that touches is watched for deepening: what depth counts? See brinkWatch in brink/ccd.h. */
static void sayOfThreshold(brinkStepper *stepper, brinkStepPair pair, brinkStepWords *out) {
  const brinkStepCollider *a = &stepper->colliders[pair.a], *b = &stepper->colliders[pair.b];
  const bool surface = ((a->flags | b->flags) & BRINK_STEP_SURFACE) != 0;
  const double allowance = brinkStepPairAllowance(stepper, pair);
  brinkContact contact;
  const double distance = brinkStepDistanceNow(stepper, pair, &contact);
  brinkSinking at = {.structSize = sizeof(at)};
  if (!isfinite(distance)) {
    return;
  }
  if (surface && brinkStepSinking(stepper, pair, 0, &at)) {
    if (distance <= allowance / 2) {
      brinkStepAddWords(
          out, brink_stepReasonTouching,
          "they touch, and contacts of a mesh that are the engine's own need surfaces that cross: the core of "
          "the convex one is watched (%g m deep now), no impact until it is %g m deep or sinks by %g m in a "
          "step",
          fmax(0, -at.separation), at.limit, 0.75 * at.depth);
    }
    return;
  }
  at = (brinkSinking){.structSize = sizeof(at)};
  if (!surface && stepper->steps->sinking(stepper->world, a->collider, b->collider, 0, &at) == brink_ok &&
      at.depth > 0) {
    if (distance <= allowance / 4) {
      brinkStepAddWords(
          out, brink_stepReasonTouching,
          "they touch (separation %g m): not an impact until they come to be %g m deep; from apart, unless they "
          "would sink by %g m in a step (at a face; allowance %g m, %s)",
          distance, at.limit, 0.75 * at.depth, allowance, out->setAllowance);
    }
    return;
  }
  double event = surface                 ? (distance > allowance / 2   ? allowance / 2
                                            : distance > allowance / 4 ? allowance / 4
                                                                       : distance / 2)
                 : distance > -allowance ? fmax(fmin(distance, 0) - allowance / 2, -allowance)
                                         : distance - allowance / 16;
  if (surface ? distance <= allowance / 2 : distance <= allowance / 4) {
    brinkStepAddWords(
        out, brink_stepReasonTouching,
        "they touch (separation %g m): not an impact until the separation falls to %g m (allowance %g m, %s)", distance,
        event, allowance, out->setAllowance);
  }
}

void brinkStepExplainPair(brinkStepper *stepper, brinkStepPair pair, brinkStepWords *out) {
  sayWhoTheyAre(stepper, pair, out);
  sayOfLastStep(stepper, pair, out);
  if (stepper->colliders[pair.a].collider == 0 || stepper->colliders[pair.b].collider == 0) {
    return;
  }
  if (brinkStepModeOfPair(stepper, pair) == brink_stepReport) {
    brinkStepAddWords(out, brink_stepReasonReport,
                      "the pair's mode is report: impacts are told as events and the engine's own result stays");
  }
  if (stepper->colliders[pair.a].body != stepper->colliders[pair.b].body) {
    sayOfThreshold(stepper, pair, out);
  }
}
