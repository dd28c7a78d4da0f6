/* SPDX-License-Identifier: BSD-3-Clause */
/* Does Brink leave a settled world of every kind of body alone? A thousand bodies at rest on 125 sites of 8: two boxes
 * on each other, a mesh on a box, and on the floor beside them a ball, a capsule, a convex and a cylinder. ODE's own
 * colliders. No extra solve, no more drift than plain ODE's.
 * worstDepth here: the farthest that any body moved from where it lay when the run began, m. Units: m, kg, s; z up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_kit.h"

#define SITES_X 25
#define SITES_Y 5
#define PER_SITE 8
#define SPACING 2.0       /* m */
#define SETTLING_STEPS 60 /* of plain ODE, before the run begins */
#define ROUND_SIDES 12

typedef struct pileData {
  dReal start[SITES_X * SITES_Y * PER_SITE][3];
} pileData;

static void check(demoScene *scene, demoFrame *out) {
  const pileData *pile = scene->own;
  for (int i = 0; i < scene->bodyCount; i++) {
    const dReal *p = dBodyGetPosition(scene->bodies[i]), *q = pile->start[i];
    double moved = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
    if (!(moved <= out->worstDepth)) out->worstDepth = moved;
    if (!(moved < 0.25)) out->through++;
  }
}

/* ---- shapes */

static const double octagonDirections[8][2] = {{1, 0},  {0.70710678, 0.70710678},   {0, 1},  {-0.70710678, 0.70710678},
                                               {-1, 0}, {-0.70710678, -0.70710678}, {0, -1}, {0.70710678, -0.70710678}};
static double prismPoints[16 * 3];            /* eight-sided prism, 0.5 high */
static double prismPlanes[10 * 4];            /* its faces: normal, distance */
static unsigned prismPolygons[2 * 9 + 8 * 5]; /* each: count, points counterclockwise from outside */

static void makePrism(void) {
  unsigned *polygon = prismPolygons;
  for (int i = 0; i < 8; i++)
    for (int level = 0; level < 2; level++) {
      double *point = prismPoints + 3 * (2 * i + level);
      point[0] = 0.3 * octagonDirections[i][0], point[1] = 0.3 * octagonDirections[i][1],
      point[2] = level ? 0.25 : -0.25;
    }
  for (int level = 0; level < 2; level++) {
    *polygon++ = 8;
    for (int i = 0; i < 8; i++) *polygon++ = (unsigned)(2 * (level ? i : 7 - i) + level);
    double *plane = prismPlanes + 4 * level;
    plane[0] = plane[1] = 0, plane[2] = level ? 1 : -1, plane[3] = 0.25;
  }
  for (int i = 0; i < 8; i++) {
    int j = (i + 1) % 8;
    *polygon++ = 4;
    *polygon++ = (unsigned)(2 * i), *polygon++ = (unsigned)(2 * j), *polygon++ = (unsigned)(2 * j + 1),
    *polygon++ = (unsigned)(2 * i + 1);
    double x = prismPoints[6 * i] + prismPoints[6 * j], y = prismPoints[6 * i + 1] + prismPoints[6 * j + 1],
           length = sqrt(x * x + y * y);
    double *plane = prismPlanes + 4 * (i + 2);
    plane[0] = x / length, plane[1] = y / length, plane[2] = 0, plane[3] = length / 2;
  }
}

typedef struct pictures {
  brinkMesh *box, *cylinder, *ball, *capsule, *prism, *mesh;
} pictures;

static bool makePictures(demoScene *scene, pictures *out) {
  static const double cylinder[4][2] = {{0, -0.25}, {0.25, -0.25}, {0.25, 0.25}, {0, 0.25}};
  static const double ball[5][2] = {{0, -0.25}, {0.18, -0.18}, {0.25, 0}, {0.18, 0.18}, {0, 0.25}};
  static const double capsule[6][2] = {{0, -0.35}, {0.1, -0.3}, {0.15, -0.2}, {0.15, 0.2}, {0.1, 0.3}, {0, 0.35}};
  static const double prism[4][2] = {{0, -0.25}, {0.3, -0.25}, {0.3, 0.25}, {0, 0.25}};
  out->box = kit_MakeBoxMesh(scene, 0.5, 0.5, 0.5);
  out->mesh = kit_MakeBoxMesh(scene, 0.4, 0.4, 0.4);
  out->cylinder = kit_MakeRoundMesh(scene, cylinder, 4, ROUND_SIDES);
  out->ball = kit_MakeRoundMesh(scene, ball, 5, ROUND_SIDES);
  out->capsule = kit_MakeRoundMesh(scene, capsule, 6, ROUND_SIDES);
  out->prism = kit_MakeRoundMesh(scene, prism, 4, ROUND_SIDES);
  return out->box && out->mesh && out->cylinder && out->ball && out->capsule && out->prism;
}

/* ---- the world */

static void addBody(demoScene *scene, dGeomID geom, const brinkMesh *picture, double x, double y, double z, double size,
                    int shade) {
  static const float colors[4][3] = {
      {0.85f, 0.55f, 0.20f}, {0.25f, 0.45f, 0.70f}, {0.35f, 0.60f, 0.40f}, {0.75f, 0.35f, 0.35f}};
  const double sides[3] = {size, size, size};
  dBodyID body = kit_AddBody(scene, 5.0, sides);
  dBodySetPosition(body, x, y, z);
  dGeomSetBody(geom, body);
  kit_AddVisual(scene, body, geom, picture, colors[shade % 4], 0, -1);
}

static void addSite(demoScene *scene, const pictures *look, double x, double y) {
  dSpaceID space = scene->space;
  addBody(scene, dCreateBox(space, 0.5, 0.5, 0.5), look->box, x, y, 0.25, 0.5, 0);
  addBody(scene, dCreateBox(space, 0.5, 0.5, 0.5), look->box, x, y, 0.75, 0.5, 1);
  addBody(scene, dCreateBox(space, 0.5, 0.5, 0.5), look->box, x, y - 1.8, 0.25, 0.5, 0);
  addBody(scene, kit_AddMeshGeom(scene, NULL, (brinkMesh *)(uintptr_t)look->mesh), look->mesh, x, y - 1.8, 0.7, 0.4, 3);
  addBody(scene, dCreateSphere(space, 0.25), look->ball, x + 0.8, y, 0.25, 0.4, 2);
  addBody(scene, dCreateCapsule(space, 0.15, 0.4), look->capsule, x, y + 0.9, 0.35, 0.3, 2);
  addBody(scene, dCreateConvex(space, prismPlanes, 10, prismPoints, 16, prismPolygons), look->prism, x - 0.8, y, 0.25,
          0.5, 1);
  addBody(scene, dCreateCylinder(space, 0.25, 0.5), look->cylinder, x, y - 0.9, 0.25, 0.5, 1);
  dQuaternion lying;
  dQFromAxisAndAngle(lying, 1, 0, 0, 1.5707963267948966);
  dBodyID capsule = scene->bodies[scene->bodyCount - 3];
  dBodySetQuaternion(capsule, lying);
  dBodySetPosition(capsule, x, y + 0.9, 0.15);
}

static bool addPile(demoScene *scene, char *message, size_t messageCapacity) {
  static const float groundColor[3] = {0.72f, 0.73f, 0.70f};
  pictures look;
  makePrism();
  if (!kit_AddGround(scene, 40.0, groundColor, message, messageCapacity) || !makePictures(scene, &look)) return false;
  for (int i = 0; i < SITES_X * SITES_Y; i++)
    addSite(scene, &look, SPACING * (i % SITES_X - 0.5 * (SITES_X - 1)),
            2.2 * SPACING * (i / SITES_X - 0.5 * (SITES_Y - 1)));
  return true;
}

static bool settle(demoScene *scene) {
  dBrinkID brink = scene->brink;
  scene->brink = NULL; /* plain steps of the kit */
  demoFrame ignored;
  for (int i = 0; i < SETTLING_STEPS; i++) kit_Step(scene, &ignored);
  scene->brink = brink;
  scene->frame = 0;
  scene->startEnergy = kit_Energy(scene);
  pileData *pile = scene->own;
  for (int i = 0; i < scene->bodyCount; i++)
    memcpy(pile->start[i], dBodyGetPosition(scene->bodies[i]), sizeof pile->start[i]);
  return true;
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  dSpaceDestroy(scene->space);
  scene->space = dHashSpaceCreate(NULL); /* the kit's simple space looks at every pair */
  scene->quickStep = true;
  scene->contactSoftness = 1e-6;
  dWorldSetQuickStepNumIterations(scene->world, 60);
  dWorldSetContactSurfaceLayer(scene->world, 0.001);
  dWorldSetContactMaxCorrectingVel(scene->world, 0.5);
  dWorldSetDamping(scene->world, 1e-3, 1e-2);
  return addPile(scene, message, messageCapacity);
}

KIT_CREATE(.ownSize = sizeof(pileData), .check = check, .build = build, .finish = settle,
           .view = {{16.0, -22.0, 12.0}, {0.0, 0.0, 0.5}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  bool good = sum.failed == 0 && sum.extraSolves == 0 && sum.clamps == 0 && sum.worstThroughBrink == 0 &&
              sum.worstDepthBrink <= 1.05 * sum.worstDepthPlain + 1e-6;
  snprintf(out, capacity,
           "%s: a thousand bodies, %d steps: moved at most %.3g mm (plain ODE %.3g mm), %ld extra solves, %ld clamps.",
           good ? "At rest" : "NOT AT REST", frameCount, 1e3 * sum.worstDepthBrink, 1e3 * sum.worstDepthPlain,
           sum.extraSolves, sum.clamps);
  return good;
}

const demoSceneDef demoPile = {KIT_SCENE("pile", "A thousand bodies of every kind at rest", 600),
                               .throughText = "bodies out of place", .defaultSpeed = 0.0};
