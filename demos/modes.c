/* SPDX-License-Identifier: BSD-3-Clause */
/* What can an impact lead to? Four equal balls fly at four walls of 5 mm at 200 m/s, one in each mode of
 * dBrinkSetBodyMode. Report tells of the impact and lets the ball pass, as plain ODE does. Speculative holds it back
 * until the gap closes, advance makes contacts at the impact, clamp leaves it there for the rest of the step.
 * demoFrame.own[r]: events of this step whose dBrinkResponse is r. Units: m, kg, s; z up. */
#include <math.h>
#include <stdio.h>

#include "scene_kit.h"

#define SPEED 200.0
#define RADIUS 0.1
#define THICKNESS 0.005
#define START 4.2 /* m before the wall: after two steps of plain ODE the ball is behind it */
#define LANES 4

static const struct lane {
  int mode;
  const char *note; /* at its wall, in the run with Brink */
  float color[3];
} lanes[LANES] = {{dBrinkModeReport, "report", {0.55f, 0.55f, 0.58f}},
                  {dBrinkModeSpeculative, "speculative", {0.35f, 0.60f, 0.40f}},
                  {dBrinkModeAdvance, "advance", {0.25f, 0.45f, 0.70f}},
                  {dBrinkModeClamp, "clamp", {0.85f, 0.55f, 0.20f}}};

static void check(demoScene *scene, demoFrame *out) {
  for (int i = 0; i < out->brink.eventCount; i++) {
    const dBrinkEvent *event = &out->brink.events[i];
    out->own[event->response] += 1.0;
    kit_Tell(scene, event->toi);
  }
  for (int i = 0; i < LANES; i++) {
    double depth = dBodyGetPosition(scene->bodies[i])[0] - THICKNESS;
    if (!(depth > 0.0)) continue;
    out->worstDepth = fmax(out->worstDepth, depth);
    out->through++;
    out->throughMask |= UINT64_C(1) << i;
  }
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  static const float wallColor[3] = {0.80f, 0.78f, 0.72f}, groundColor[3] = {0.72f, 0.74f, 0.70f};
  const double size[3] = {THICKNESS, 1.2, 1.6}, velocity[3] = {scene->speed, 0.0, 0.0};
  const brinkMesh *ball = kit_MakeBallMesh(scene, RADIUS);
  if (!ball || !kit_AddGround(scene, 14.0, groundColor, message, messageCapacity)) return false;
  for (int i = 0; i < LANES; i++) {
    double y = 1.5 * (i - 0.5 * (LANES - 1));
    const double wall[3] = {0.5 * THICKNESS, y, 0.8}, place[3] = {-START, y, 1.0};
    if (!kit_AddStaticBox(scene, wall, size, wallColor, message, messageCapacity)) return false;
    demoVisual *drawn = &scene->visuals[scene->visualCount - 1];
    drawn->part = i; /* red, like its ball */
    if (scene->params.withBrink) drawn->note = lanes[i].note;
    kit_AddBall(scene, ball, RADIUS, place, velocity, lanes[i].color, i);
  }
  return true;
}

static bool finish(demoScene *scene) {
  bool good = true;
  for (int i = 0; good && scene->brink && i < LANES; i++)
    good = dBrinkSetBodyMode(scene->brink, scene->bodies[i], lanes[i].mode);
  return good;
}

KIT_CREATE(.defaultSpeed = SPEED, .check = check, .build = build, .finish = finish,
           .view = {{-5.0, -5.5, 3.2}, {0.2, 0.0, 0.6}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  double told[4] = {0.0, 0.0, 0.0, 0.0};
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  for (int i = 0; i < frameCount; i++)
    for (int r = 0; r < 4; r++) told[r] += brinkFrames[i].own[r];
  bool every = told[dBrinkResponseReported] >= 1.0 && told[dBrinkResponseHeldBack] >= 1.0 &&
               told[dBrinkResponseContacts] >= 1.0 && told[dBrinkResponseClamped] >= 1.0;
  bool good = sum.failed == 0 && every && brinkFrames[frameCount - 1].throughMask == 1u;
  snprintf(out, capacity,
           "%s. Plain ODE: %d of %d balls pass their wall. With Brink %d, the one in mode report, and its impact was "
           "told. Events: %g reported, %g held back (speculative), %g with contacts (advance), %g clamped.",
           good ? "Each mode does what it says" : "PROMISE BROKEN", sum.everThroughPlain, LANES, sum.everThroughBrink,
           told[dBrinkResponseReported], told[dBrinkResponseHeldBack], told[dBrinkResponseContacts],
           told[dBrinkResponseClamped]);
  return good;
}

static void headline(const demoFrame *last, char *out, size_t capacity) {
  snprintf(out, capacity, "%d of %d balls passed their wall%s", last->through, LANES,
           last->throughMask == 1u ? ", in mode report: on purpose" : "");
}

const demoSceneDef demoModes = {
    KIT_SCENE("modes", "Report, speculative, advance, clamp: four balls at four walls, a mode each", 60),
    .throughText = "balls behind their wall",
    .defaultSpeed = SPEED,
    .partCount = LANES,
    .everText = "balls passed their wall",
    .headline = headline};
