/* SPDX-License-Identifier: BSD-3-Clause */
/* Why is continuous collision detection not active here? Each reason is a bit and a line of words that says what was
 * found and what to change. Asked between steps; what is said of the last step is that of the last step. Units: m. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "inspect.h"

/* ---- how far apart now? */

static int poseBodies(dBrinkID brink, const uint32_t bodies[2]) {
  for (size_t i = 0; i < 2; ++i) {
    if (bodies[i] == BRINK_NO_RECORD) {
      continue;
    }
    const brinkStepBody *record = &brink->step.bodies[bodies[i]];
    brinkStepVoidLook(&brink->step, bodies[i]);
    if (!brinkStepRestAt(&brink->step, bodies[i], dBodyGetPosition(record->body), dBodyGetQuaternion(record->body))) {
      return dxBrinkFail(brink, "dBrinkGeomDistance: %s", brink->shapes.plugin->lastError(brink->shapes.world));
    }
  }
  return 1;
}

double dBrinkGeomDistance(dBrinkID brink, dGeomID g1, dGeomID g2) {
  if (!dxBrinkMayCall(brink, "dBrinkGeomDistance") || !dxBrinkRefresh(brink)) {
    return NAN;
  }
  const dxBrinkGeom *a = dxBrinkFindGeom(brink, g1), *b = dxBrinkFindGeom(brink, g2);
  if (a == NULL || b == NULL || !a->answered || !b->answered) {
    dxBrinkFail(
        brink,
        "dBrinkGeomDistance: one of the geoms is not watched; add its space with dBrinkAddSpace; see the log for "
        "classes that Brink does not answer");
    return NAN;
  }
  const uint32_t bodies[2] = {a->body, b->body};
  brinkContact contact;
  if (!poseBodies(brink, bodies)) {
    return NAN;
  }
  if (brink->shapes.plugin->distance(brink->shapes.world, a->collider, b->collider, 0, &contact) != brink_ok) {
    dxBrinkFail(brink, "dBrinkGeomDistance: %s", brink->shapes.plugin->lastError(brink->shapes.world));
    return NAN;
  }
  dxBrinkSucceed(brink);
  return contact.distance;
}

typedef struct words {
  char *buffer;
  size_t capacity, length; /* length: of the whole text, as if there were room */
  int reasons;
} words;

static void say(words *out, int reason, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(words *out, int reason, const char *format, ...) {
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

/* ---- one geom */

static void sayOfGeom(dBrinkID brink, dGeomID geom, const char *name, words *out) {
  const dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
  if (record == NULL) {
    bool elsewhere = dGeomGetBody(geom) != NULL && dBodyGetWorld(dGeomGetBody(geom)) != brink->world;
    say(out, elsewhere ? dBrinkReasonOtherWorld : dBrinkReasonNotWatched,
        elsewhere ? "%s sits on a body of another world: that world's dBrink answers for it"
                  : "%s is in no watched space: add its space with dBrinkAddSpace, or the geom with dBrinkAddGeom",
        name);
    return;
  }
  if (!dGeomIsEnabled(geom)) {
    say(out, dBrinkReasonDisabled, "%s is disabled: dGeomEnable", name);
  } else if (dGeomGetCategoryBits(geom) == 0 && dGeomGetCollideBits(geom) == 0) {
    say(out, dBrinkReasonFiltered, "%s has neither category nor collide bits: nothing collides with it", name);
  }
  if (!record->answered) {
    dxBrinkShapeKey key;
    const char *why = record->given == NULL ? dxBrinkReadShapeKey(geom, &key) : NULL;
    say(out, dBrinkReasonClass, "%s has a shape that Brink does not answer: %s", name,
        why != NULL ? why : "it could not be made, see the log (dBrinkSetLog)");
  }
}

static bool isSensor(const dxBrinkGeom *record) { return record != NULL && record->sensor; }

static const brinkStepBody *bodyOf(const dxBrink *brink, const dxBrinkGeom *record) {
  return record != NULL && record->body != BRINK_NO_RECORD ? &brink->step.bodies[record->body] : NULL;
}

/* ---- one body */

static const brinkStepHotData *hotDataOf(const dxBrink *brink, const brinkStepBody *record) {
  return &brink->step.hotData[record - brink->step.bodies];
}

static void sayOfSpeed(const dxBrink *brink, const brinkStepBody *record, const char *name, words *out) {
  const brinkStepHotData *hot = hotDataOf(brink, record);
  if (record->quiet && hot->known) {
    say(out, dBrinkReasonSlow,
        "%s was too slow in the last step: at most %g m a step and %g m since it was last looked at bring none of its "
        "pairs "
        "to an event, so ODE's own contacts serve",
        name, hot->stepLimit, fmin(hot->slack, hot->awaySlack));
  }
  if (record->frozen) {
    say(out, dBrinkReasonFrozen,
        "%s was clamped in the last step: it was struck more often than dBrinkSetMaxSubsteps allows, too near the "
        "step's end, without a near callback, or its near callback made no contact and never had before (a "
        "program may make them later); it waits at the impact",
        name);
  }
  if (!dBodyIsEnabled(record->body)) {
    say(out, dBrinkReasonDisabled, "%s is disabled (asleep): ODE does not move it; dBodyEnable", name);
  }
}

static void sayOfWorld(dBrinkID brink, words *out) {
  if (!brink->chosen.enabled) {
    say(out, dBrinkReasonSwitchedOff, "Brink is switched off for this world: dBrinkSetEnabled(brink, 1)");
  }
}

/* Common start of both questions. 0: cannot be answered, dBrinkGetError tells why. */
static int begin(dBrinkID brink, const char *where, char *buffer, size_t capacity, words *out) {
  *out = (words){.buffer = buffer, .capacity = buffer != NULL ? capacity : 0};
  if (out->capacity > 0) {
    buffer[0] = '\0';
  }
  return dxBrinkMayCall(brink, where) && dxBrinkRefresh(brink);
}

int dBrinkExplainBody(dBrinkID brink, dBodyID body, char *buffer, size_t capacity) {
  words out;
  if (brink == NULL) {
    return -1;
  }
  if (body == NULL) {
    dxBrinkFail(brink, "dBrinkExplainBody: body is NULL");
    return -1;
  }
  if (!begin(brink, "dBrinkExplainBody", buffer, capacity, &out)) {
    return -1;
  }
  sayOfWorld(brink, &out);
  if (dBodyGetWorld(body) != brink->world) {
    say(&out, dBrinkReasonOtherWorld, "the body belongs to another world: ask that world's dBrink");
    return out.reasons;
  }
  uint32_t number = dxBrinkFindBody(brink, body);
  int geomCount = 0;
  for (dGeomID geom = dBodyGetFirstGeom(body); geom != NULL; geom = dBodyGetNextGeom(geom)) {
    char name[32];
    snprintf(name, sizeof(name), "geom %d of the body", geomCount++);
    sayOfGeom(brink, geom, name, &out);
    if (isSensor(dxBrinkFindGeom(brink, geom))) {
      say(&out, dBrinkReasonSensor, "%s is a sensor (dBrinkSetSensor): it is told, nothing stops at it", name);
    }
  }
  if (geomCount == 0) {
    say(&out, dBrinkReasonNoGeom, "the body has no geom: there is nothing to collide");
  }
  if (number == BRINK_NO_RECORD) {
    say(&out, dBrinkReasonNotWatched,
        "the body is not known: no geom of it is in a watched space and no joint leads to it (dBrinkAddSpace, "
        "dBrinkAddBody)");
    return out.reasons;
  }
  const brinkStepBody *record = &brink->step.bodies[number];
  sayOfSpeed(brink, record, "the body", &out);
  if (dBodyIsKinematic(body)) {
    say(&out, dBrinkReasonKinematic, "the body is kinematic: it stops for nothing, dynamic bodies stop at it");
  }
  brinkStepApplyModes(&brink->step);
  int mode = record->mode != dBrinkModeInherit ? record->mode : brink->step.settings.mode;
  if (mode == dBrinkModeReport) {
    say(&out, dBrinkReasonReport, "its mode is report: impacts are told as events and ODE's own result stays");
  }
  return out.reasons;
}

/* ---- one pair */

static bool isDropped(const dxBrink *brink, const dxBrinkGeom *a, const dxBrinkGeom *b) {
  uint32_t x = (uint32_t)(a - brink->geoms), y = (uint32_t)(b - brink->geoms);
  return brinkStepIsDropped(&brink->step, (brinkStepPair){x, y});
}

static void sayOfFilters(dBrinkID brink, const dxBrinkGeom *a, const dxBrinkGeom *b, words *out) {
  const brinkStepBody *bodyA = bodyOf(brink, a), *bodyB = bodyOf(brink, b);
  if (bodyA == bodyB) {
    say(out, bodyA == NULL ? dBrinkReasonStatic : dBrinkReasonSameBody,
        bodyA == NULL ? "neither geom has a body: geoms moved by hand jump, they do not sweep"
                      : "both geoms sit on one body: they never move against each other");
  } else if (!(bodyA != NULL && bodyA->dynamic) && !(bodyB != NULL && bodyB->dynamic)) {
    say(out, dBrinkReasonKinematic, "no side is dynamic: no contact could change their motion");
  }
  if (!((a->categoryBits & b->collideBits) || (b->categoryBits & a->collideBits))) {
    say(out, dBrinkReasonFiltered, "category and collide bits do not meet (%llx/%llx and %llx/%llx)",
        (unsigned long long)a->categoryBits, (unsigned long long)a->collideBits, (unsigned long long)b->categoryBits,
        (unsigned long long)b->collideBits);
  }
  if (bodyA != NULL && bodyB != NULL && bodyA != bodyB &&
      dAreConnectedExcluding(bodyA->body, bodyB->body, dJointTypeContact)) {
    say(out, dBrinkReasonJoined, "a joint connects the two bodies: as dAreConnectedExcluding, such pairs are left out");
  }
  if (isSensor(a) || isSensor(b)) {
    say(out, dBrinkReasonSensor, "one of them is a sensor (dBrinkSetSensor): crossings are told, nothing stops");
  }
  if (brink->chosen.hookSay != NULL &&
      brink->chosen.hookSay(brink->chosen.hookUser, a->geom, b->geom) == brink_stepLeaves) {
    say(out, dBrinkReasonNotCollided,
        "the program's own dSpaceCollide does not report this pair, or makes no contacts for it");
  }
}

static void sayOfLastStep(dBrinkID brink, const dxBrinkGeom *a, const dxBrinkGeom *b, words *out) {
  const brinkStepBody *bodies[2] = {bodyOf(brink, a), bodyOf(brink, b)};
  static const char *const names[2] = {"the first geom's body", "the second geom's body"};
  bool slow = true;
  for (int side = 0; side < 2; ++side) {
    slow = slow && (bodies[side] == NULL || (bodies[side]->quiet && hotDataOf(brink, bodies[side])->known));
  }
  for (int side = 0; side < 2 && bodies[0] != bodies[1]; ++side) {
    if (bodies[side] != NULL && (slow || bodies[side]->frozen || !dBodyIsEnabled(bodies[side]->body))) {
      sayOfSpeed(brink, bodies[side], names[side], out);
    }
  }
  if (isDropped(brink, a, b)) {
    say(out, dBrinkReasonDropped, "left out for the rest of the last step: %s",
        a->shape.surface || b->shape.surface ? "near made no contact joint for it, or its surfaces crossed when the "
                                               "step began (then ODE's contacts serve)"
                                             : "near made no contact joint for it");
  }
}

/* A pair that touches is watched for deepening: what depth counts? See brinkWatch in brink/ccd.h. */
static void sayOfThreshold(dBrinkID brink, dGeomID g1, dGeomID g2, words *out) {
  double distance = dBrinkGeomDistance(brink, g1, g2);
  const dxBrinkGeom *a = dxBrinkFindGeom(brink, g1), *b = dxBrinkFindGeom(brink, g2);
  if (!isfinite(distance) || a == NULL || b == NULL) {
    return;
  }
  double allowance = fmin(a->allowance, b->allowance);
  bool surface = a->shape.surface || b->shape.surface;
  brinkSinking at;
  if (brinkStepSinking(&brink->step, (brinkStepPair){(uint32_t)(a - brink->geoms), (uint32_t)(b - brink->geoms)}, 0,
                       &at)) {
    if (distance <= allowance / 2) {
      say(out, dBrinkReasonTouching,
          "they touch, and contacts of a mesh that are ODE's own need surfaces that cross: the core of the convex one "
          "is "
          "watched (%g m deep now), no impact until it is %g m deep or sinks by %g m in a step",
          fmax(0, -at.separation), at.limit, 0.75 * at.depth);
    }
    return;
  }
  at = (brinkSinking){.structSize = sizeof(at)};
  if (!surface && brink->step.steps->sinking(brink->shapes.world, a->collider, b->collider, 0, &at) == brink_ok &&
      at.depth > 0) {
    if (distance <= allowance / 4) {
      say(out, dBrinkReasonTouching,
          "they touch (separation %g m): not an impact unless they would sink by %g m in a step, or come to be %g m "
          "deep (allowance %g m, dBrinkSetGeomAllowance)",
          distance, 0.75 * at.depth, at.limit, allowance);
    }
    return;
  }
  double event = surface                 ? (distance > allowance / 2   ? allowance / 2
                                            : distance > allowance / 4 ? allowance / 4
                                                                       : distance / 2)
                 : distance > -allowance ? fmax(fmin(distance, 0) - allowance / 2, -allowance)
                                         : distance - allowance / 16;
  if (surface ? distance <= allowance / 2 : distance <= allowance / 4) {
    say(out, dBrinkReasonTouching,
        "they touch (separation %g m): not an impact until the separation falls to %g m (allowance %g m, "
        "dBrinkSetGeomAllowance)",
        distance, event, allowance);
  }
}

int dBrinkExplainPair(dBrinkID brink, dGeomID g1, dGeomID g2, char *buffer, size_t capacity) {
  words out;
  if (brink == NULL) {
    return -1;
  }
  if (g1 == NULL || g2 == NULL || g1 == g2 || dGeomIsSpace(g1) || dGeomIsSpace(g2)) {
    dxBrinkFail(brink, "dBrinkExplainPair: give two different geoms that are no spaces");
    return -1;
  }
  if (!begin(brink, "dBrinkExplainPair", buffer, capacity, &out)) {
    return -1;
  }
  sayOfWorld(brink, &out);
  sayOfGeom(brink, g1, "the first geom", &out);
  sayOfGeom(brink, g2, "the second geom", &out);
  const dxBrinkGeom *a = dxBrinkFindGeom(brink, g1), *b = dxBrinkFindGeom(brink, g2);
  if (a == NULL || b == NULL) {
    return out.reasons;
  }
  sayOfFilters(brink, a, b, &out);
  sayOfLastStep(brink, a, b, &out);
  if (a->answered && b->answered) {
    brinkStepApplyModes(&brink->step);
    if (brinkStepModeOfPair(&brink->step, (brinkStepPair){(uint32_t)(a - brink->geoms),
                                                          (uint32_t)(b - brink->geoms)}) == dBrinkModeReport) {
      say(&out, dBrinkReasonReport, "the pair's mode is report: impacts are told as events and ODE's own result stays");
    }
    if (!(out.reasons & (dBrinkReasonStatic | dBrinkReasonSameBody))) {
      sayOfThreshold(brink, g1, g2, &out);
    }
  }
  return out.reasons;
}
