/* SPDX-License-Identifier: BSD-3-Clause */
/* Why is continuous collision detection not active for a body or a pair? The reasons that ODE and its adapter know;
 * those of the step are in plugin/stepping/explain.c. Units: m. */
#include <math.h>
#include <stdio.h>

#include "explain.h" /* plugin/stepping */
#include "inspect.h"

/* The reasons that plugin/stepping knows have the same bits here. */
#define SAME(name) ((int)brink_stepReason##name == (int)dBrinkReason##name)
_Static_assert(SAME(Slow) && SAME(Frozen) && SAME(Joined) && SAME(SameBody) && SAME(Static) && SAME(Kinematic) &&
                   SAME(Dropped) && SAME(Touching) && SAME(Report) && SAME(Sensor),
               "reasons");

/* ---- how far apart now? */

static brinkStepPair pairOf(const dxBrink *brink, const dxBrinkGeom *a, const dxBrinkGeom *b) {
  return (brinkStepPair){(uint32_t)(a - brink->geoms), (uint32_t)(b - brink->geoms)};
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
  brinkContact contact;
  double distance = brinkStepDistanceNow(&brink->step, pairOf(brink, a, b), &contact);
  (void)(isnan(distance) ? dxBrinkPluginFailed(brink, "dBrinkGeomDistance") : dxBrinkSucceed(brink));
  return distance;
}

/* ---- one geom */

static void sayOfGeom(dBrinkID brink, dGeomID geom, const char *name, brinkStepWords *out) {
  const dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
  if (record == NULL) {
    bool elsewhere = dGeomGetBody(geom) != NULL && dBodyGetWorld(dGeomGetBody(geom)) != brink->world;
    brinkStepAddWords(
        out, elsewhere ? dBrinkReasonOtherWorld : dBrinkReasonNotWatched,
        elsewhere ? "%s sits on a body of another world: that world's dBrink answers for it"
                  : "%s is in no watched space: add its space with dBrinkAddSpace, or the geom with dBrinkAddGeom",
        name);
    return;
  }
  if (!dGeomIsEnabled(geom)) {
    brinkStepAddWords(out, dBrinkReasonDisabled, "%s is disabled: dGeomEnable", name);
  } else if (dGeomGetCategoryBits(geom) == 0 && dGeomGetCollideBits(geom) == 0) {
    brinkStepAddWords(out, dBrinkReasonFiltered, "%s has neither category nor collide bits: nothing collides with it",
                      name);
  }
  if (!record->answered) {
    dxBrinkShapeKey key;
    const char *why = record->given == NULL ? dxBrinkReadShapeKey(geom, &key) : NULL;
    brinkStepAddWords(out, dBrinkReasonClass, "%s has a shape that Brink does not answer: %s", name,
                      why != NULL ? why : "it could not be made, see the log (dBrinkSetLog)");
  }
}

static void sayIfAsleep(const dxBrink *brink, uint32_t body, const char *name, brinkStepWords *out) {
  if (body != BRINK_NO_RECORD && !dBodyIsEnabled(brink->step.bodies[body].body)) {
    brinkStepAddWords(out, dBrinkReasonDisabled, "%s is disabled (asleep): ODE does not move it; dBodyEnable", name);
  }
}

/* Checks what both questions need; wrong: what is wrong with what was given, or NULL. False: out says why they cannot
 * be answered. */
static bool begin(dBrinkID brink, const char *where, const char *wrong, char *buffer, size_t capacity,
                  brinkStepWords *out) {
  *out = (brinkStepWords){.buffer = buffer, .capacity = buffer != NULL ? capacity : 0, .collider = "geom"};
  out->callback = "near callback";
  out->setSubsteps = "dBrinkSetMaxSubsteps";
  out->setAllowance = "dBrinkSetGeomAllowance";
  if (out->capacity > 0) {
    buffer[0] = '\0';
  }
  bool may = dxBrinkMayCall(brink, where) && (wrong == NULL || dxBrinkFail(brink, "%s: %s", where, wrong)) &&
             dxBrinkRefresh(brink) && dxBrinkSucceed(brink);
  if (!may) {
    brinkStepAddWords(out, dBrinkReasonUnknown, "%s", brink != NULL ? brink->error : "brink is NULL");
  } else if (!brink->chosen.enabled) {
    brinkStepAddWords(out, dBrinkReasonSwitchedOff, "Brink is switched off for this world: dBrinkSetEnabled(brink, 1)");
  }
  return may;
}

int dBrinkExplainBody(dBrinkID brink, dBodyID body, char *buffer, size_t capacity) {
  brinkStepWords out;
  if (!begin(brink, "dBrinkExplainBody", body == NULL ? "body is NULL" : NULL, buffer, capacity, &out)) {
    return out.reasons;
  }
  if (dBodyGetWorld(body) != brink->world) {
    brinkStepAddWords(&out, dBrinkReasonOtherWorld, "the body belongs to another world: ask that world's dBrink");
    return out.reasons;
  }
  uint32_t number = dxBrinkFindBody(brink, body);
  int geomCount = 0;
  for (dGeomID geom = dBodyGetFirstGeom(body); geom != NULL; geom = dBodyGetNextGeom(geom)) {
    char name[32];
    snprintf(name, sizeof(name), "geom %d of the body", geomCount++);
    sayOfGeom(brink, geom, name, &out);
    const dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
    if (record != NULL && record->sensor) {
      brinkStepAddWords(&out, dBrinkReasonSensor, "%s is a sensor (dBrinkSetSensor): it is told, nothing stops at it",
                        name);
    }
  }
  if (geomCount == 0) {
    brinkStepAddWords(&out, dBrinkReasonNoGeom, "the body has no geom: there is nothing to collide");
  }
  if (number == BRINK_NO_RECORD) {
    brinkStepAddWords(
        &out, dBrinkReasonNotWatched,
        "the body is not known: no geom of it is in a watched space and no joint leads to it (dBrinkAddSpace)");
    return out.reasons;
  }
  brinkStepApplyModes(&brink->step);
  brinkStepExplainLastStep(&brink->step, number, "the body", &out);
  sayIfAsleep(brink, number, "the body", &out);
  brinkStepExplainBody(&brink->step, number, &out);
  return out.reasons;
}

/* ---- one pair */

static void sayOfFilters(dBrinkID brink, const dxBrinkGeom *a, const dxBrinkGeom *b, brinkStepWords *out) {
  if (!((a->categoryBits & b->collideBits) || (b->categoryBits & a->collideBits))) {
    brinkStepAddWords(out, dBrinkReasonFiltered, "category and collide bits do not meet (%llx/%llx and %llx/%llx)",
                      (unsigned long long)a->categoryBits, (unsigned long long)a->collideBits,
                      (unsigned long long)b->categoryBits, (unsigned long long)b->collideBits);
  }
  if (brink->chosen.hookSay != NULL &&
      brink->chosen.hookSay(brink->chosen.hookUser, a->geom, b->geom) == brink_stepLeaves) {
    brinkStepAddWords(out, dBrinkReasonNotCollided,
                      "the program's own dSpaceCollide does not report this pair, or makes no contacts for it");
  }
  if (a->body != b->body) {
    sayIfAsleep(brink, a->body, "the first geom's body", out);
    sayIfAsleep(brink, b->body, "the second geom's body", out);
  }
}

int dBrinkExplainPair(dBrinkID brink, dGeomID g1, dGeomID g2, char *buffer, size_t capacity) {
  brinkStepWords out;
  bool pair = g1 != NULL && g2 != NULL && g1 != g2 && !dGeomIsSpace(g1) && !dGeomIsSpace(g2);
  if (!begin(brink, "dBrinkExplainPair", pair ? NULL : "give two different geoms that are no spaces", buffer, capacity,
             &out)) {
    return out.reasons;
  }
  sayOfGeom(brink, g1, "the first geom", &out);
  sayOfGeom(brink, g2, "the second geom", &out);
  const dxBrinkGeom *a = dxBrinkFindGeom(brink, g1), *b = dxBrinkFindGeom(brink, g2);
  if (a == NULL || b == NULL) {
    return out.reasons;
  }
  sayOfFilters(brink, a, b, &out);
  brinkStepApplyModes(&brink->step);
  brinkStepExplainPair(&brink->step, pairOf(brink, a, b), &out);
  return out.reasons;
}
