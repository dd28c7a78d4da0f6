/* SPDX-License-Identifier: BSD-3-Clause */
/* Why is nothing done? Seven balls fly at seven plates at 200 m/s. One is stopped. For each of the others something in
 * the program stands against it, and dBrinkExplainPair says what, after the very step in which the ball passed. A ball
 * is "through" (its plate red) when it passed and nobody said why. demoFrame.own[0]: reasons that were as they should
 * be, so far; own[1]: balls that passed. Units: m, kg, s; z up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene_kit.h"

#define SPEED 200.0
#define RADIUS 0.1
#define THICKNESS 0.01
#define START 4.2 /* m before the plate */
#define LANES 7

/* What stands against it, and the reason that must be told. */
static const struct lane {
  const char *text;
  int reason;
  const char *note; /* at the plate, once it is told */
} lanes[LANES] = {{"Nothing, it is stopped and touches", dBrinkReasonTouching, "stopped"},
                  {"Passes: the plate's collide bits", dBrinkReasonFiltered, "bits"},
                  {"Passes: the plate is in a space that Brink was not given", dBrinkReasonNotWatched, "space"},
                  {"Passes: mode report", dBrinkReasonReport, "mode"},
                  {"Passes: the near callback makes no contact", dBrinkReasonDropped, "callback"},
                  {"Passes: the plate is disabled", dBrinkReasonDisabled, "disabled"},
                  {"Passes: the plate is a sensor", dBrinkReasonSensor, "sensor"}};

typedef struct reasons {
  dGeomID plate[LANES], ball[LANES];
  dSpaceID aside;       /* not watched */
  size_t visual[LANES]; /* the plate's */
  bool asked[LANES], silent[LANES];
  int right;
} reasons;

static bool wants(demoScene *scene, dGeomID g1, dGeomID g2) {
  const reasons *own = scene->own;
  for (int i = 0; i < LANES; i++)
    if (g1 == own->plate[i] || g2 == own->plate[i])
      return lanes[i].reason != dBrinkReasonDropped && lanes[i].reason != dBrinkReasonSensor;
  return true;
}

static void ask(demoScene *scene, int lane, bool passed) {
  reasons *own = scene->own;
  char words[512] = "";
  int told = scene->brink ? dBrinkExplainPair(scene->brink, own->ball[lane], own->plate[lane], words, sizeof words) : 0;
  own->asked[lane] = true;
  own->silent[lane] = passed && told <= 0;
  const bool right = told > 0 && (told & lanes[lane].reason) != 0;
  own->right += right;
  if (right) scene->visuals[own->visual[lane]].note = lanes[lane].note;
  kit_Tell(scene, told);
  if (scene->brink && !scene->params.quiet) printf("  %s. Told: %s", lanes[lane].text, words);
}

static void check(demoScene *scene, demoFrame *out) {
  reasons *own = scene->own;
  for (int i = 0; i < LANES; i++) {
    double x = dBodyGetPosition(scene->bodies[i])[0];
    bool passed = x > THICKNESS, struck = out->brink.eventCount > 0 && fabs(x + RADIUS) < 0.02;
    if (!own->asked[i] && (passed || struck)) ask(scene, i, passed);
    out->own[1] += passed;
    if (!own->silent[i]) continue;
    out->through++;
    out->throughMask |= UINT64_C(1) << i;
  }
  out->own[0] = own->right;
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  static const float plateColor[3] = {0.80f, 0.78f, 0.72f}, ballColor[3] = {0.25f, 0.45f, 0.70f},
                     groundColor[3] = {0.72f, 0.74f, 0.70f};
  reasons *own = scene->own;
  const double size[3] = {THICKNESS, 0.9, 1.6}, velocity[3] = {scene->speed, 0.0, 0.0};
  const brinkMesh *ball = kit_MakeBallMesh(scene, RADIUS);
  if (!ball || !kit_AddGround(scene, 14.0, groundColor, message, messageCapacity)) return false;
  own->aside = dSimpleSpaceCreate(NULL);
  for (int i = 0; i < LANES; i++) {
    double y = 1.1 * (i - 0.5 * (LANES - 1));
    const double plate[3] = {0.5 * THICKNESS, y, 0.8}, place[3] = {-START, y, 1.0};
    own->plate[i] = kit_AddStaticBox(scene, plate, size, plateColor, message, messageCapacity);
    if (!own->plate[i]) return false;
    own->visual[i] = scene->visualCount - 1;
    scene->visuals[own->visual[i]].part = i;
    own->ball[i] = kit_AddBall(scene, ball, RADIUS, place, velocity, ballColor, -1);
    dGeomSetCategoryBits(own->ball[i], 1u);
    dGeomSetCollideBits(own->ball[i], 2u);
    dGeomSetCategoryBits(own->plate[i], lanes[i].reason == dBrinkReasonFiltered ? 4u : 2u);
    dGeomSetCollideBits(own->plate[i], lanes[i].reason == dBrinkReasonFiltered ? 0u : 1u);
    if (lanes[i].reason == dBrinkReasonDisabled) dGeomDisable(own->plate[i]);
    if (lanes[i].reason != dBrinkReasonNotWatched) continue;
    dSpaceRemove(scene->space, own->plate[i]);
    dSpaceAdd(own->aside, own->plate[i]);
  }
  return true;
}

static bool finish(demoScene *scene) {
  const reasons *own = scene->own;
  bool good = true;
  for (int i = 0; scene->brink && i < LANES; i++) {
    if (lanes[i].reason == dBrinkReasonSensor) good = dBrinkSetSensor(scene->brink, own->plate[i], 1) && good;
    if (lanes[i].reason == dBrinkReasonReport)
      good = dBrinkSetBodyMode(scene->brink, scene->bodies[i], dBrinkModeReport) && good;
  }
  return good;
}

static void releaseOwn(void *own) {
  if (own && ((reasons *)own)->aside) dSpaceDestroy(((reasons *)own)->aside);
  free(own);
}

KIT_CREATE(.defaultSpeed = SPEED, .ownSize = sizeof(reasons), .releaseOwn = releaseOwn, .wants = wants, .check = check,
           .build = build, .finish = finish, .view = {{-9.4, -3.4, 4.6}, {0.4, 0.0, 0.6}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  double right = brinkFrames[frameCount - 1].own[0];
  bool good = sum.failed == 0 && sum.everThroughBrink == 0 && right == (double)LANES;
  snprintf(
      out, capacity,
      "%s. Plain ODE: %d of %d balls pass, and nothing says why. With Brink one is stopped, and %g of %d pairs tell "
      "the reason that stands against them: bits, space, mode, callback, disabled, sensor.",
      good ? "Every ball that passes has its reason" : "PROMISE BROKEN", sum.everThroughPlain, LANES, right, LANES);
  return good;
}

static void headline(const demoFrame *last, char *out, size_t capacity) {
  const int passed = (int)last->own[1];
  if (last->own[0] == 0.0)
    snprintf(out, capacity, "%d of %d balls pass, and nothing says why", passed, LANES);
  else if (last->through == 0 && last->own[0] == (double)LANES)
    snprintf(out, capacity, "%d stopped, %d pass on purpose: reason told for each", LANES - passed, passed);
  else
    snprintf(out, capacity, "%d stopped, %d pass: reason told for %g of %d", LANES - passed, passed, last->own[0],
             LANES);
}

const demoSceneDef demoExplain = {KIT_SCENE("explain", "Seven balls, one is stopped: why not the others?", 60),
                                  .throughText = "balls passed, reason not told",
                                  .defaultSpeed = SPEED,
                                  .partCount = LANES,
                                  .everText = "balls passed and nobody said why",
                                  .headline = headline};
