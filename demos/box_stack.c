/* SPDX-License-Identifier: BSD-3-Clause */
/* Does Brink leave resting bodies alone? Ten boxes on each other: no extra solve once settled, no creep beyond plain
 * ODE's. ODE's own box colliders in both runs, so a run without extra solves is plain ODE bit for bit. worstDepth here:
 * the farthest that any box's centre moved from where it was put, m. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene_kit.h"

#define BOX_COUNT 10
#define BOX_SIDE 0.5       /* m */
#define BOX_MASS 20.0      /* kg */
#define SETTLING_FRAMES 60 /* ODE's own transient */

static void startCentre(int index, double centre[3]) {
  centre[0] = centre[1] = 0.0;
  centre[2] = BOX_SIDE * (index + 0.5);
}

static void check(demoScene *scene, demoFrame *out) {
  for (int i = 0; i < scene->bodyCount; i++) {
    double start[3];
    startCentre(i, start);
    const dReal *p = dBodyGetPosition(scene->bodies[i]);
    double moved = sqrt((p[0] - start[0]) * (p[0] - start[0]) + (p[1] - start[1]) * (p[1] - start[1]) +
                        (p[2] - start[2]) * (p[2] - start[2]));
    if (!(moved <= out->worstDepth)) out->worstDepth = moved;
    if (!(moved < 0.5 * BOX_SIDE)) {
      out->through++;
      out->throughMask |= UINT64_C(1) << i;
    }
  }
}

static bool addBoxes(demoScene *scene, char *message, size_t messageCapacity) {
  static const float colors[2][3] = {{0.85f, 0.55f, 0.20f}, {0.25f, 0.45f, 0.70f}},
                     groundColor[3] = {0.72f, 0.73f, 0.70f};
  const double size[3] = {BOX_SIDE, BOX_SIDE, BOX_SIDE};
  const brinkMesh *mesh = kit_MakeBoxMesh(scene, BOX_SIDE, BOX_SIDE, BOX_SIDE);
  if (!mesh || !kit_AddGround(scene, 12.0, groundColor, message, messageCapacity)) return false;
  for (int i = 0; i < BOX_COUNT; i++) {
    double centre[3];
    startCentre(i, centre);
    dBodyID body = kit_AddBody(scene, BOX_MASS, size);
    dBodySetPosition(body, centre[0], centre[1], centre[2]);
    dGeomID geom = dCreateBox(scene->space, BOX_SIDE, BOX_SIDE, BOX_SIDE);
    dGeomSetBody(geom, body);
    kit_AddVisual(scene, body, geom, mesh, colors[i % 2], 0, i);
  }
  return true;
}

/* What it takes for plain ODE to keep ten boxes standing: its direct solver fails on the redundant contacts, its
 * iterative one topples the stack within a minute unless it iterates long and contacts are a little soft and deep. */
static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  scene->quickStep = true;
  scene->contactSoftness = 1e-6;
  dWorldSetQuickStepNumIterations(scene->world, 300);
  dWorldSetContactSurfaceLayer(scene->world, 0.001);
  dWorldSetContactMaxCorrectingVel(scene->world, 0.5);
  return addBoxes(scene, message, messageCapacity);
}

KIT_CREATE(.check = check, .build = build, .view = {{6.0, -8.5, 4.2}, {0.0, 0.0, 2.3}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  bool good = sum.failed == 0 && sum.lastExtraSolve < SETTLING_FRAMES && sum.worstThroughBrink == 0 &&
              sum.worstDepthBrink <= 1.05 * sum.worstDepthPlain + 1e-9;
  snprintf(out, capacity,
           "%s: ten stacked boxes, %d steps: moved at most %.3g mm (plain ODE %.3g mm), %ld extra solves%s.",
           good ? "At rest" : "NOT AT REST", frameCount, 1e3 * sum.worstDepthBrink, 1e3 * sum.worstDepthPlain,
           sum.extraSolves, sum.lastExtraSolve < SETTLING_FRAMES ? ", none once settled" : " in settled steps");
  return good;
}

const demoSceneDef demoBoxStack = {KIT_SCENE("box_stack", "Ten boxes at rest: Brink stays out of the way", 10000),
                                   .throughText = "boxes out of place", .defaultSpeed = 0.0};
