/* SPDX-License-Identifier: BSD-3-Clause */
/* A jointed mannequin is thrown at a 5 mm wall and falls on thin stairs: does a limb get through?
 * `through` counts limbs that are beyond the far face of the wall, or deeper under a tread, a riser or the ground than
 * that is thick: judged at every mesh vertex against the scene's own planes, nothing of Brink's. `lost`: limbs whose
 * every vertex is. worstDepth: the deepest vertex past a near face, m. Units: m, kg, s; the wall is the plane x = 0,
 * the throw goes along +x. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mannequin.h"
#include "render.h"
#include "scene_kit.h"

#define WALL_THICKNESS 0.005
#define WALL_HEIGHT 5.0
#define WALL_WIDTH 8.0
#define PLATE 0.02 /* thickness of treads and risers; the ground forgives as much */
#define STEP_COUNT 5
#define STEP_DEPTH 0.30
#define STEP_RISE 0.18
#define START_DISTANCE 2.6
#define DEFAULT_SPEED 25.0

/* How far a point is inside the solid below the stairs' profile: the shorter of up and back; 0 outside. */
static double stairDepth(const double p[3]) {
  if (p[0] > 0.0 || fabs(p[1]) > 0.5 * WALL_WIDTH || p[0] < -STEP_COUNT * STEP_DEPTH) return 0.0;
  int column = (int)(-p[0] / STEP_DEPTH);
  if (column >= STEP_COUNT) column = STEP_COUNT - 1;
  double up = STEP_RISE * (STEP_COUNT - column) - p[2];
  if (!(up > 0.0)) return 0.0;
  int lower = column + 1; /* the next tread that the point is above; STEP_COUNT: the ground */
  while (lower < STEP_COUNT && STEP_RISE * (STEP_COUNT - lower) > p[2]) lower++;
  return fmin(up, p[0] + lower * STEP_DEPTH);
}

/* Returns true when the point is on the wrong side of something; *depth grows to the worst. */
static bool isWrong(const double p[3], double *depth) {
  bool wall = p[0] > 0.0 && fabs(p[1]) < 0.5 * WALL_WIDTH && p[2] < WALL_HEIGHT;
  double stairs = stairDepth(p);
  *depth = fmax(*depth, fmax(wall ? p[0] : 0.0, fmax(stairs, -p[2])));
  return (wall && p[0] > WALL_THICKNESS) || stairs > PLATE || -p[2] > PLATE || !isfinite(p[0] + p[1] + p[2]);
}

static void check(demoScene *scene, demoFrame *out) {
  for (size_t v = 0; v < scene->visualCount; v++) {
    const demoVisual *visual = &scene->visuals[v];
    if (visual->part < 0) continue;
    size_t wrong = 0;
    for (size_t i = 0; i < visual->mesh->vertexCount; i++) {
      double point[3];
      kit_ToWorld(visual->body, visual->mesh->vertices + 3 * i, point);
      wrong += isWrong(point, &out->worstDepth);
    }
    if (wrong == 0) continue;
    out->through++;
    out->throughMask |= UINT64_C(1) << visual->part;
    out->lost += wrong == visual->mesh->vertexCount;
  }
}

static bool addScenery(demoScene *scene, char *message, size_t messageCapacity) {
  static const float wallColor[3] = {0.80f, 0.78f, 0.72f}, stairColor[3] = {0.62f, 0.52f, 0.42f},
                     groundColor[3] = {0.72f, 0.74f, 0.70f};
  const double wallCentre[3] = {0.5 * WALL_THICKNESS, 0.0, 0.5 * WALL_HEIGHT},
               wallSize[3] = {WALL_THICKNESS, WALL_WIDTH, WALL_HEIGHT};
  if (!kit_AddGround(scene, 12.0, groundColor, message, messageCapacity)) return false;
  if (!kit_AddStaticBox(scene, wallCentre, wallSize, wallColor, message, messageCapacity)) return false;
  for (int i = 0; i < STEP_COUNT; i++) {
    double top = STEP_RISE * (STEP_COUNT - i), front = -STEP_DEPTH * (i + 1);
    const double tread[3] = {front + 0.5 * STEP_DEPTH, 0.0, top - 0.5 * PLATE},
                 treadSize[3] = {STEP_DEPTH, WALL_WIDTH, PLATE};
    const double riser[3] = {front + 0.5 * PLATE, 0.0, top - PLATE - 0.5 * (STEP_RISE - PLATE)};
    const double riserSize[3] = {PLATE, WALL_WIDTH, STEP_RISE - PLATE};
    if (!kit_AddStaticBox(scene, tread, treadSize, stairColor, message, messageCapacity)) return false;
    if (!kit_AddStaticBox(scene, riser, riserSize, stairColor, message, messageCapacity)) return false;
  }
  return true;
}

static bool addMannequin(demoScene *scene, char *message, size_t messageCapacity) {
  uint64_t random = scene->params.seed * UINT64_C(0x9E3779B97F4A7C15) + 7;
  mannequinStart start = {.place = {-START_DISTANCE, kit_Uniform(&random, -0.3, 0.3), kit_Uniform(&random, 2.0, 2.6)},
                          .velocity = {scene->speed, 0.0, 0.0}};
  mannequin_RandomTurn(&random, start.turn);
  for (int k = 0; k < 3; k++) start.spin[k] = kit_Uniform(&random, -4.0, 4.0);
  return mannequin_Add(scene, &start, message, messageCapacity);
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  return addScenery(scene, message, messageCapacity) && addMannequin(scene, message, messageCapacity);
}

static const int classes[] = {dTriMeshClass, dBoxClass, dTriMeshClass, dPlaneClass, dTriMeshClass, dTriMeshClass, -1};
/* From the side, the wall edge on: what is on which side of it is plain. */
KIT_CREATE(.defaultSpeed = DEFAULT_SPEED, .check = check, .build = build, .classes = classes,
           .view = {{-0.35, -7.0, 1.9}, {-0.5, 0.0, 1.3}})

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  char found[512] = "";
  bool good = kit_JudgeThrow(&sum, sum.everThroughBrink, found, sizeof found);
  snprintf(out, capacity,
           "%s. Plain ODE: %d of %d limbs go through the %.0f mm wall, a stair or the ground. With Brink: %d.%s",
           good ? "Brink stops the mannequin at the wall" : "PROMISE BROKEN", sum.everThroughPlain,
           BRINK_MANNEQUIN_LINKS, 1e3 * WALL_THICKNESS, sum.everThroughBrink, found);
  return good;
}

const demoSceneDef demoRagdoll = {KIT_SCENE("ragdoll", "A mannequin is thrown at a 5 mm wall", 180),
                                  .throughText = "limbs through", .defaultSpeed = DEFAULT_SPEED,
                                  .partCount = BRINK_MANNEQUIN_LINKS, .everText = "limbs went through"};
