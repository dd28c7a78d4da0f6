/* SPDX-License-Identifier: BSD-3-Clause */
/* What does a geom meet that the program moves by hand? A paddle without a body goes 0.6 m a step along a table with
 * fifteen balls. In plain ODE it jumps over most of them. Set to sweep (dBrinkSetSweep) it goes there during the step
 * and takes every ball along. A ball is "through" when the paddle is past it. Units: m, kg, s; z up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene_kit.h"

#define ROWS 3
#define COLUMNS 5
#define BALLS (ROWS * COLUMNS)
#define RADIUS 0.1
#define PADDLE 0.05 /* m thick */
#define FIRST (-2.45)
#define STRIDE 0.6 /* m a step: 36 m/s */
#define STRIDES 5

static void drive(demoScene *scene) {
  int strides = scene->frame < STRIDES ? scene->frame + 1 : STRIDES;
  dGeomSetPosition(scene->own, FIRST + STRIDE * strides, 0.0, 0.3);
}

static void check(demoScene *scene, demoFrame *out) {
  double face = dGeomGetPosition(scene->own)[0];
  for (int i = 0; i < BALLS; i++) {
    const dReal *p = dBodyGetPosition(scene->bodies[i]);
    if (!(p[0] < face)) continue;
    out->worstDepth = fmax(out->worstDepth, face - p[0]);
    out->through++;
    out->throughMask |= UINT64_C(1) << i;
  }
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  static const float paddleColor[3] = {0.80f, 0.62f, 0.35f}, ballColor[3] = {0.25f, 0.45f, 0.70f},
                     groundColor[3] = {0.72f, 0.74f, 0.70f}, railColor[3] = {0.55f, 0.50f, 0.46f};
  const double size[3] = {PADDLE, 4.0, 0.6}, place[3] = {FIRST, 0.0, 0.3}, rail[3] = {0.5, 8.0, 1.2},
               railPlace[3] = {7.0, 0.0, 0.6}, still[3] = {0.0, 0.0, 0.0};
  const brinkMesh *ball = kit_MakeBallMesh(scene, RADIUS);
  if (!ball || !kit_AddGround(scene, 14.0, groundColor, message, messageCapacity)) return false;
  scene->own = kit_AddStaticBox(scene, place, size, paddleColor, message, messageCapacity);
  if (!scene->own || !kit_AddStaticBox(scene, railPlace, rail, railColor, message, messageCapacity)) return false;
  for (int i = 0; i < BALLS; i++) {
    const double at[3] = {-1.65 + 0.53 * (i / COLUMNS) + 0.11 * (i % COLUMNS),
                          0.75 * (i % COLUMNS - 0.5 * (COLUMNS - 1)), RADIUS};
    kit_AddBall(scene, ball, RADIUS, at, still, ballColor, i);
  }
  return true;
}

static bool finish(demoScene *scene) { return !scene->brink || dBrinkSetSweep(scene->brink, scene->own, 1); }

KIT_CREATE(.drive = drive, .check = check, .build = build, .finish = finish,
           .view = {{-3.5, -8.5, 5.0}, {1.6, 0.0, 0.2}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  bool good = sum.failed == 0 && sum.everThroughBrink == 0;
  snprintf(out, capacity,
           "%s. Plain ODE: the paddle goes past %d of %d balls, for it is nowhere between two steps. Swept by Brink: "
           "past %d.",
           good ? "A geom moved by hand pushes what is in its way" : "PROMISE BROKEN", sum.everThroughPlain, BALLS,
           sum.everThroughBrink);
  return good;
}

const demoSceneDef demoSweeps = {KIT_SCENE("sweeps", "A paddle, moved by hand by 0.6 m a step, and fifteen balls", 60),
                                 .throughText = "balls behind the paddle", .partCount = BALLS,
                                 .everText = "balls were left behind the paddle"};
