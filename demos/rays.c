/* SPDX-License-Identifier: BSD-3-Clause */
/* What does a beam meet while it turns? A lamp turns ten times a second, 55 degrees a step, and its ray passes 24 thin
 * posts in every turn. A program that looks at the end of each step sees next to none. With dBrinkSetRays each is an
 * event, at its own time, so its bearing is known. A post is "through" (red) when the beam passed it unseen at least
 * once. demoFrame.own[0]: posts told in this step; own[1]: that the beam passed; own[2]: worst error of a bearing, rad.
 * Units: m, kg, s, rad; z up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene_kit.h"

#define POSTS 24
#define RADIUS 0.015
#define HEIGHT 1.0
#define BEAM 8.0
#define LEVEL 0.6  /* m: of the beam */
#define TURNS 10.0 /* a second */
#define GAP 1.0    /* rad without posts, where the beam begins: its first step meets none */

typedef struct radar {
  dGeomID ray, post[POSTS];
  double bearing[POSTS]; /* at which the beam first touches the post, in [0, 2 pi) */
  double turned;         /* rad, by the closed form */
  bool unseen[POSTS];
} radar;

/* ODE turns a body by 2 atan(h w / 2) in a step; within it Brink turns it evenly. */
static double turnAt(const demoScene *scene, double part) {
  return part * 2.0 * atan(0.5 * scene->step * TURNS * 2.0 * M_PI);
}

/* How far the beam has to turn from `from` to the bearing, in [0, 2 pi). */
static double angleTo(double from, double bearing) {
  double angle = fmod(bearing - from, 2.0 * M_PI);
  return angle < 0.0 ? angle + 2.0 * M_PI : angle;
}

static bool wants(demoScene *scene, dGeomID g1, dGeomID g2) {
  const radar *own = scene->own;
  return g1 != own->ray && g2 != own->ray;
}

/* What is told of a post in this step: 2 when nothing is. */
static double toldTime(const demoScene *scene, const demoFrame *frame, int post) {
  const radar *own = scene->own;
  for (int i = 0; i < frame->brink.eventCount; i++) {
    const dBrinkEvent *event = &frame->brink.events[i];
    if (event->g1 == own->post[post] || event->g2 == own->post[post]) return event->toi;
  }
  dContactGeom contact; /* plain ODE: is it there now? */
  return !scene->brink && dCollide(own->ray, own->post[post], 1, &contact, sizeof contact) > 0 ? 1.0 : 2.0;
}

static void check(demoScene *scene, demoFrame *out) {
  radar *own = scene->own;
  double whole = turnAt(scene, 1.0);
  for (int i = 0; i < POSTS; i++) {
    double away = angleTo(own->turned, own->bearing[i]), time = toldTime(scene, out, i);
    bool passed = away < whole;
    if (passed) out->own[1] += 1.0;
    if (passed && time <= 1.0) out->own[0] += 1.0;
    if (passed && scene->brink && time <= 1.0) out->own[2] = fmax(out->own[2], fabs(turnAt(scene, time) - away));
    if (scene->brink && time <= 1.0) kit_Tell(scene, time);
    if (passed && time > 1.0) own->unseen[i] = true;
    if (!own->unseen[i]) continue;
    out->through++;
    out->throughMask |= UINT64_C(1) << i;
  }
  own->turned += whole;
}

static bool addPosts(demoScene *scene, char *message, size_t messageCapacity) {
  static const double profile[4][2] = {
      {0, -0.5 * HEIGHT}, {RADIUS, -0.5 * HEIGHT}, {RADIUS, 0.5 * HEIGHT}, {0, 0.5 * HEIGHT}};
  static const float color[3] = {0.30f, 0.50f, 0.45f};
  radar *own = scene->own;
  uint64_t random = scene->params.seed * UINT64_C(0x9E3779B97F4A7C15) + 11;
  const brinkMesh *mesh = kit_MakeRoundMesh(scene, profile, 4, 12);
  if (!mesh) snprintf(message, messageCapacity, "no memory for meshes");
  for (int i = 0; mesh && i < POSTS; i++) {
    double angle = GAP + (2.0 * M_PI - GAP) * (i + kit_Uniform(&random, 0.2, 0.8)) / POSTS,
           away = kit_Uniform(&random, 2.5, 7.0);
    own->post[i] = dCreateCylinder(scene->space, RADIUS, HEIGHT);
    dGeomSetPosition(own->post[i], away * cos(angle), away * sin(angle), 0.5 * HEIGHT);
    kit_AddVisual(scene, NULL, own->post[i], mesh, color, 0, i);
    own->bearing[i] = angleTo(0.0, angle - asin(RADIUS / away));
  }
  return mesh != NULL;
}

static bool addLamp(demoScene *scene, char *message, size_t messageCapacity) {
  static const float groundColor[3] = {0.72f, 0.74f, 0.70f}, beamColor[3] = {0.95f, 0.75f, 0.15f};
  radar *own = scene->own;
  const double size[3] = {0.3, 0.3, 0.3};
  brinkMesh *beam = kit_MakeBoxMesh(scene, BEAM, 0.02, 0.02);
  if (!beam || !kit_AddGround(scene, 14.0, groundColor, message, messageCapacity)) return false;
  dBodyID lamp = kit_AddBody(scene, 1.0, size);
  dBodySetGravityMode(lamp, 0);
  dBodySetPosition(lamp, 0.0, 0.0, LEVEL);
  dBodySetAngularVel(lamp, 0.0, 0.0, TURNS * 2.0 * M_PI);
  own->ray = dCreateRay(scene->space, BEAM);
  dGeomSetBody(own->ray, lamp);
  dMatrix3 turn;
  dRFromZAxis(turn, 1.0, 0.0, 0.0);
  dGeomSetOffsetRotation(own->ray, turn);
  for (size_t i = 0; i < beam->vertexCount; i++) beam->vertices[3 * i] += 0.5 * BEAM;
  kit_AddVisual(scene, lamp, own->ray, beam, beamColor, 0, -1);
  return true;
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  return addLamp(scene, message, messageCapacity) && addPosts(scene, message, messageCapacity);
}

static bool finish(demoScene *scene) { return !scene->brink || dBrinkSetRays(scene->brink, 1); }

KIT_CREATE(.ownSize = sizeof(radar), .wants = wants, .check = check, .build = build, .finish = finish,
           .view = {{-6.0, -12.0, 8.5}, {0.0, 0.0, 0.0}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  double plain = 0.0, told = 0.0, passed = 0.0, worst = 0.0;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  for (int i = 0; i < frameCount; i++) {
    plain += plainFrames[i].own[0];
    told += brinkFrames[i].own[0];
    passed += brinkFrames[i].own[1];
    worst = fmax(worst, brinkFrames[i].own[2]);
  }
  bool good = sum.failed == 0 && sum.everThroughBrink == 0 && told == passed && worst < 1e-4;
  snprintf(
      out, capacity,
      "%s. The beam passes a post %g times. Looked at after each step: %g are seen. With Brink: %g, their bearings "
      "right to %.1g rad.",
      good ? "The beam misses nothing" : "PROMISE BROKEN", passed, plain, told, worst);
  return good;
}

const demoSceneDef demoRays = {KIT_SCENE("rays", "A beam that turns ten times a second, and 24 thin posts", 60),
                               .throughText = "posts passed unseen", .partCount = POSTS,
                               .everText = "posts were passed unseen"};
