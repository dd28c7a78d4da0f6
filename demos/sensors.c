/* SPDX-License-Identifier: BSD-3-Clause */
/* Who came by, and how fast? Eight balls of 20 to 400 m/s fly through gates of 2 cm that are sensors (dBrinkSetSensor).
 * A program that looks at the end of each step sees few of them. Brink tells when each enters and leaves, within the
 * step, and so how fast it was. A gate is "through" (red) when its ball went by unseen.
 * demoFrame.own[0]: passages told so far; own[1]: worst relative error of a speed that follows from them.
 * Units: m, kg, s; z up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene_kit.h"

#define LANES 8
#define RADIUS 0.06
#define THICKNESS 0.02

static const double speeds[LANES] = {20.0, 40.0, 80.0, 120.0, 160.0, 200.0, 300.0, 400.0};

typedef struct gates {
  dGeomID gate[LANES], ball[LANES];
  bool seen[LANES], unseen[LANES];
  double enter[LANES]; /* s */
  int told;
  double worst;
} gates;

static int laneOf(const gates *own, dGeomID gate) {
  for (int i = 0; i < LANES; i++)
    if (own->gate[i] == gate) return i;
  return -1;
}

/* A sensor makes no contacts. */
static bool wants(demoScene *scene, dGeomID g1, dGeomID g2) {
  return laneOf(scene->own, g1) < 0 && laneOf(scene->own, g2) < 0;
}

static void hear(demoScene *scene, const demoFrame *frame) {
  gates *own = scene->own;
  for (int i = 0; i < frame->brink.sensorEventCount; i++) {
    const dBrinkSensorEvent *event = &frame->brink.sensorEvents[i];
    int lane = laneOf(own, event->sensor);
    double time = (frame->frame + event->toi) * scene->step;
    if (lane < 0) continue;
    kit_Tell(scene, event->toi);
    own->seen[lane] = true;
    if (event->kind == dBrinkSensorEnter) own->enter[lane] = time;
    if (event->kind != dBrinkSensorExit) continue;
    double speed = (THICKNESS + 2.0 * RADIUS) / (time - own->enter[lane]);
    own->worst = fmax(own->worst, fabs(speed / speeds[lane] - 1.0));
    own->told++;
  }
}

static void check(demoScene *scene, demoFrame *out) {
  gates *own = scene->own;
  hear(scene, out);
  for (int i = 0; i < LANES; i++) {
    dContactGeom contact;
    if (!scene->brink && dCollide(own->gate[i], own->ball[i], 1, &contact, sizeof contact) > 0) own->seen[i] = true;
    if (dBodyGetPosition(scene->bodies[i])[0] > 0.5 * THICKNESS + RADIUS && !own->seen[i]) own->unseen[i] = true;
    if (!own->unseen[i]) continue;
    out->through++;
    out->throughMask |= UINT64_C(1) << i;
  }
  out->own[0] = own->told;
  out->own[1] = own->worst;
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  static const float gateColor[3] = {0.45f, 0.70f, 0.50f}, ballColor[3] = {0.25f, 0.45f, 0.70f},
                     groundColor[3] = {0.72f, 0.74f, 0.70f};
  gates *own = scene->own;
  const double size[3] = {THICKNESS, 0.7, 1.4};
  const brinkMesh *ball = kit_MakeBallMesh(scene, RADIUS);
  if (!ball || !kit_AddGround(scene, 14.0, groundColor, message, messageCapacity)) return false;
  for (int i = 0; i < LANES; i++) {
    double y = 0.8 * (i - 0.5 * (LANES - 1));
    const double gate[3] = {0.0, y, 0.8}, place[3] = {-0.3 - 0.07 * i - speeds[i] * scene->step, y, 1.1},
                 velocity[3] = {speeds[i], 0.0, 0.0};
    own->gate[i] = kit_AddStaticBox(scene, gate, size, gateColor, message, messageCapacity);
    if (!own->gate[i]) return false;
    scene->visuals[scene->visualCount - 1].part = i;
    own->ball[i] = kit_AddBall(scene, ball, RADIUS, place, velocity, ballColor, -1);
  }
  return true;
}

static bool finish(demoScene *scene) {
  const gates *own = scene->own;
  bool good = true;
  for (int i = 0; good && scene->brink && i < LANES; i++) good = dBrinkSetSensor(scene->brink, own->gate[i], 1);
  return good;
}

KIT_CREATE(.ownSize = sizeof(gates), .wants = wants, .check = check, .build = build, .finish = finish,
           .view = {{-7.5, -7.0, 4.5}, {-1.2, 0.0, 0.6}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  const double *told = brinkFrames[frameCount - 1].own;
  bool good = sum.failed == 0 && sum.everThroughBrink == 0 && told[0] == (double)LANES && told[1] < 1e-4;
  snprintf(out, capacity,
           "%s. Looked at after each step: %d of %d balls went through their gate unseen. With Brink: %d; %g entrances "
           "and exits, and the speeds that follow from them are right to %.1g.",
           good ? "Every passage is told" : "PROMISE BROKEN", sum.everThroughPlain, LANES, sum.everThroughBrink,
           told[0], told[1]);
  return good;
}

const demoSceneDef demoSensors = {KIT_SCENE("sensors",
                                            "Eight balls, up to 400 m/s, through gates of 2 cm: who came by, "
                                            "and how fast?",
                                            30),
                                  .throughText = "balls unseen", .partCount = LANES,
                                  .everText = "balls went by unseen"};
