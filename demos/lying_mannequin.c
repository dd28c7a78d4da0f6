/* SPDX-License-Identifier: BSD-3-Clause */
/* Does Brink leave a jointed body at rest alone? A mannequin lies on the ground: once settled no extra solve, no more
 * creep than in plain ODE. worstDepth here: the farthest that any link moved since SETTLED, m; `through`: links that
 * sank deeper than SINK into the ground. Units: m, s. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mannequin.h"
#include "render.h"
#include "scene_kit.h"

#define SETTLED 900 /* frames: 15 s to fall 1 cm and come to rest */
#define SINK 0.01   /* m */
#define CREEP \
  1e-10 /* m over plain ODE's, which itself creeps by the solver's softness: motors under load give a little */

typedef struct lying {
  double settled[BRINK_MANNEQUIN_LINKS][3];
} lying;

static void check(demoScene *scene, demoFrame *out) {
  lying *self = scene->own;
  for (int i = 0; i < scene->bodyCount; i++) {
    const dReal *p = dBodyGetPosition(scene->bodies[i]);
    double moved = 0.0, lowest = INFINITY;
    if (out->frame <= SETTLED) memcpy(self->settled[i], p, sizeof self->settled[i]);
    for (int k = 0; k < 3; k++) moved += (p[k] - self->settled[i][k]) * (p[k] - self->settled[i][k]);
    moved = sqrt(moved);
    if (!(moved <= out->worstDepth)) out->worstDepth = moved;
    const dReal *r = dBodyGetRotation(scene->bodies[i]);
    const brinkMesh *mesh = &scene->meshes[i + 1]; /* mesh 0 is the ground */
    for (size_t v = 0; v < mesh->vertexCount; v++) {
      const double *local = mesh->vertices + 3 * v;
      lowest = fmin(lowest, p[2] + r[8] * local[0] + r[9] * local[1] + r[10] * local[2]);
    }
    if (!(lowest >= -SINK)) {
      out->through++;
      out->throughMask |= UINT64_C(1) << i;
    }
  }
}

/* Lowers the whole mannequin until its lowest vertex is 5 mm over the ground. */
static void lower(demoScene *scene) {
  double lowest = INFINITY;
  for (int i = 0; i < scene->bodyCount; i++)
    for (size_t v = 0; v < scene->meshes[i + 1].vertexCount; v++) {
      double point[3];
      kit_ToWorld(scene->bodies[i], scene->meshes[i + 1].vertices + 3 * v, point);
      lowest = fmin(lowest, point[2]);
    }
  for (int i = 0; i < scene->bodyCount; i++) {
    const dReal *p = dBodyGetPosition(scene->bodies[i]);
    dBodySetPosition(scene->bodies[i], p[0], p[1], p[2] - lowest + 0.005);
  }
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  static const float groundColor[3] = {0.72f, 0.74f, 0.70f};
  const mannequinStart start = {.place = {0.0, 0.0, 1.0},
                                .turn = {0.70710678118654757, 0.0, -0.70710678118654757, 0.0}};
  if (!kit_AddGround(scene, 8.0, groundColor, message, messageCapacity) ||
      !mannequin_Add(scene, &start, message, messageCapacity))
    return false;
  lower(scene); /* back down: it lies face up */
  return true;
}

static const int classes[] = {dTriMeshClass, dPlaneClass, dTriMeshClass, dTriMeshClass, -1};
KIT_CREATE(.ownSize = sizeof(lying), .check = check, .build = build, .classes = classes,
           .view = {{-1.6, -3.0, 1.9}, {-0.1, 0.0, 0.1}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  bool good = sum.failed == 0 && sum.lastExtraSolve < SETTLED && sum.worstThroughBrink == 0 &&
              sum.worstDepthBrink <= 1.05 * sum.worstDepthPlain + CREEP;
  snprintf(out, capacity,
           "%s: a lying mannequin, %d steps: creeps at most %.3g mm after it settled (plain ODE %.3g mm), %ld extra "
           "solves, the last "
           "in frame %d (settled from %d on).",
           good ? "At rest" : "NOT AT REST", frameCount, 1e3 * sum.worstDepthBrink, 1e3 * sum.worstDepthPlain,
           sum.extraSolves, sum.lastExtraSolve, SETTLED);
  return good;
}

const demoSceneDef demoLyingMannequin = {
    KIT_SCENE("lying_mannequin", "A mannequin lies still: Brink stays out of the way", 10000),
    .throughText = "links sunk into the ground", .defaultSpeed = 0.0};
