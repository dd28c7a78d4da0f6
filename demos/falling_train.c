/* SPDX-License-Identifier: BSD-3-Clause */
/* The main job: an engine and 16 coupled cars, real triangle meshes read through assimp, fall on a mountain. The
 * mountain is hollow: what gets through its surface falls to the bedrock below and stays there, to be seen in the
 * cutaway. `through` counts cars of which any surface point lies deeper below the mountain than ALLOWANCE, `lost` those
 * wholly below; judged by terrain_check, which shares nothing with Brink. worstDepth: the deepest point, m. Based on:
 * the falling train of [CATCH] Sec. 7 (own models, own numbers). Units: m, kg, s; x along the train. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"
#include "scene_kit.h"
#include "terrain_check.h"

#define CAR_COUNT 17
#define ALLOWANCE 0.02   /* m; stated to Brink, and what the check forgives */
#define CAR_MASS 20000.0 /* kg */
#define ENGINE_MASS 40000.0
#define CLEARANCE 14.0      /* m, lowest car part over the highest ground below the train */
#define SAMPLE_SPACING 0.4  /* m, of check points on a car's surface */
#define DEFAULT_SPEED 100.0 /* m/s, at the start */
/* s/kg, contacts' CFM. At rest on 8 contacts of QuickStep a car of 20 t sinks 1 cm, half of what the check forgives. */
#define SOFTNESS 5e-6
#define FRICTION 1.0
#define BEDROCK (-6.0)  /* m, height of the floor inside the mountain */
#define CUT_MARGIN 2.4  /* m, from a car's middle to the cut before it; half its width is 1.5 */
#define CUT_SPACING 2.5 /* m, of the cut's points along the train */
#define CUT_SLOPE 0.6   /* of the cut, sideways: no kinks */
#define CUT_HALF 120.0  /* m, the mountain's half width */

typedef struct train {
  terrainCheck *terrain;
  double *samples[2]; /* engine, car */
  size_t sampleCount[2];
  double pathCentre[3];
} train;

static void releaseTrain(void *own) {
  train *self = own;
  if (!self) return;
  terrainCheck_Destroy(self->terrain);
  free(self->samples[0]);
  free(self->samples[1]);
  free(self);
}

static void check(demoScene *scene, demoFrame *out) {
  const train *self = scene->own;
  for (int car = 0; car < scene->bodyCount; car++) {
    int kind = car == 0 ? 0 : 1;
    double deepest = 0.0;
    size_t below = 0;
    for (size_t i = 0; i < self->sampleCount[kind]; i++) {
      double point[3];
      kit_ToWorld(scene->bodies[car], self->samples[kind] + 3 * i, point);
      double depth = terrainCheck_Depth(self->terrain, point);
      if (!(depth <= deepest)) deepest = depth;
      below += depth > ALLOWANCE;
    }
    if (!(deepest <= out->worstDepth)) out->worstDepth = deepest;
    if (!(deepest <= ALLOWANCE)) {
      out->through++;
      out->throughMask |= UINT64_C(1) << car;
    }
    out->lost += below == self->sampleCount[kind];
  }
}

static double highestGround(const terrainCheck *terrain, double fromX, double toX, double y) {
  double highest = -INFINITY;
  for (double x = fromX; x <= toX; x += 1.0) highest = fmax(highest, terrainCheck_Height(terrain, x, y));
  return highest;
}

static void addCouplings(demoScene *scene) {
  for (int i = 0; i + 1 < scene->bodyCount; i++) {
    const dReal *a = dBodyGetPosition(scene->bodies[i]), *b = dBodyGetPosition(scene->bodies[i + 1]);
    dJointID joint = dJointCreateUniversal(scene->world, NULL);
    dJointAttach(joint, scene->bodies[i], scene->bodies[i + 1]);
    dJointSetUniversalAnchor(joint, 0.5 * (a[0] + b[0]), a[1], fmin(a[2], b[2]));
    dJointSetUniversalAxis2(joint, 0.0, 0.0, 1.0); /* first: ODE complains when the two are parallel for a moment */
    dJointSetUniversalAxis1(joint, 0.0, 1.0, 0.0);
    dJointSetUniversalParam(joint, dParamLoStop, -0.6);
    dJointSetUniversalParam(joint, dParamHiStop, 0.6);
    dJointSetUniversalParam(joint, dParamLoStop2, -0.6);
    dJointSetUniversalParam(joint, dParamHiStop2, 0.6);
    kit_AddJoint(scene, joint);
  }
}

static bool addMountain(demoScene *scene, train *self, char *message, size_t messageCapacity) {
  static const float color[3] = {0.6f, 0.6f, 0.55f};
  brinkMesh *mesh = kit_LoadModel(scene, brink_modelMountain, 0, 1, "mountain", message, messageCapacity);
  if (!mesh) return false;
  double low[3], high[3];
  kit_MeshBounds(mesh, low, high);
  scene->zeroLevel = low[2];
  kit_AddVisual(scene, NULL, kit_AddMeshGeom(scene, NULL, mesh), mesh, color, RENDER_TERRAIN, -1);
  dCreatePlane(scene->space, 0.0, 0.0, 1.0, BEDROCK);
  self->terrain = terrainCheck_Create(mesh);
  for (int k = 0; k < 3; k++) self->pathCentre[k] = 0.5 * (low[k] + high[k]);
  if (!self->terrain) snprintf(message, messageCapacity, "no memory for the terrain check");
  return self->terrain != NULL;
}

static bool addCars(demoScene *scene, train *self, char *message, size_t messageCapacity) {
  static const float engineColor[3] = {0.16f, 0.20f, 0.24f}; /* no red: that colour says `through` */
  static const float carColors[3][3] = {{0.93f, 0.78f, 0.26f}, {0.15f, 0.38f, 0.62f}, {0.88f, 0.87f, 0.82f}};
  brinkMesh *meshes[2] = {kit_LoadModel(scene, brink_modelTrainEngine, 0, 1, "train_engine", message, messageCapacity),
                          NULL};
  if (!meshes[0]) return false;
  meshes[1] = kit_LoadModel(scene, brink_modelTrainCar, 0, 1, "train_car", message, messageCapacity);
  if (!meshes[1]) return false;
  double size[2][3], bottom[2]; /* m; the meshes' origins are centres of mass by design */
  for (int kind = 0; kind < 2; kind++) {
    double low[3], high[3];
    kit_MeshBounds(meshes[kind], low, high);
    for (int k = 0; k < 3; k++) size[kind][k] = high[k] - low[k];
    bottom[kind] = low[2];
    self->samples[kind] = terrainCheck_SamplePoints(meshes[kind], SAMPLE_SPACING, &self->sampleCount[kind]);
    if (!self->samples[kind]) {
      snprintf(message, messageCapacity, "no memory for check points");
      return false;
    }
  }
  double middle = 0.5 * (CAR_COUNT - 1) * BRINK_TRAIN_PITCH, half = middle + BRINK_TRAIN_PITCH;
  double ground =
      highestGround(self->terrain, self->pathCentre[0] - half, self->pathCentre[0] + half, self->pathCentre[1]);
  uint64_t random = scene->params.seed + 1;
  for (int i = 0; i < CAR_COUNT; i++) {
    int kind = i == 0 ? 0 : 1;
    dBodyID body = kit_AddBody(scene, kind ? CAR_MASS : ENGINE_MASS, size[kind]);
    dBodySetPosition(body, self->pathCentre[0] + middle - i * BRINK_TRAIN_PITCH, self->pathCentre[1],
                     ground + CLEARANCE - fmin(bottom[0], bottom[1]));
    dBodySetLinearVel(body, 0.30 * scene->speed, 0.0, -0.92 * scene->speed);
    dBodySetAngularVel(body, 0.0, 0.0, kit_Uniform(&random, -0.02, 0.02));
    kit_AddVisual(scene, body, kit_AddMeshGeom(scene, body, meshes[kind]), meshes[kind],
                  kind ? carColors[i % 3] : engineColor, 0, i);
  }
  addCouplings(scene);
  return true;
}

static bool build(demoScene *scene, char *message, size_t messageCapacity) {
  train *self = scene->own;
  scene->quickStep = true;
  scene->contactSoftness = SOFTNESS;
  scene->friction = FRICTION;
  dWorldSetQuickStepNumIterations(scene->world, 60);
  if (!addMountain(scene, self, message, messageCapacity) || !addCars(scene, self, message, messageCapacity))
    return false;
  /* From the side, and still: both runs are seen against the same mountain. */
  const double target[3] = {self->pathCentre[0] - 2.0, self->pathCentre[1], 30.0},
               eye[3] = {target[0] - 20.0, target[1] - 205.0, 76.0};
  memcpy(scene->view[0], eye, sizeof eye);
  memcpy(scene->view[1], target, sizeof target);
  return true;
}

static const int classes[] = {dTriMeshClass, dTriMeshClass, -1};
KIT_CREATE(.defaultSpeed = DEFAULT_SPEED, .allowance = ALLOWANCE, .ownSize = sizeof(train), .releaseOwn = releaseTrain,
           .check = check, .build = build, .classes = classes)

/* The mountain is cut open along the train: the cut passes just before the cars, wherever they are. */
static size_t cutaway(demoScene *scene, double (*points)[3], size_t capacity, double levels[2]) {
  const train *self = scene->own;
  size_t count = (size_t)(2.0 * CUT_HALF / CUT_SPACING) + 1;
  if (count > capacity) return 0;
  for (size_t i = 0; i < count; i++) {
    double nearest = INFINITY;
    points[i][0] = -CUT_HALF + CUT_SPACING * (double)i;
    points[i][1] = 0.0;
    for (int car = 0; car < scene->bodyCount; car++) { /* beyond the train: as at its nearest car */
      const dReal *p = dBodyGetPosition(scene->bodies[car]);
      double away = fmax(0.0, fabs(p[0] - points[i][0]) - 0.6 * BRINK_TRAIN_PITCH);
      if (away < nearest || (away == 0.0 && p[1] - CUT_MARGIN < points[i][1])) points[i][1] = p[1] - CUT_MARGIN;
      nearest = fmin(nearest, away);
    }
    points[i][1] = fmax(-CUT_HALF + 1.0, fmin(CUT_HALF - 1.0, points[i][1]));
  }
  for (size_t i = 1; i < count; i++) points[i][1] = fmin(points[i][1], points[i - 1][1] + CUT_SLOPE * CUT_SPACING);
  for (size_t i = count - 1; i-- > 0;) points[i][1] = fmin(points[i][1], points[i + 1][1] + CUT_SLOPE * CUT_SPACING);
  for (size_t i = 0; i < count; i++)
    points[i][2] = fmax(
        BEDROCK,
        terrainCheck_Height(self->terrain, fmax(0.01 - CUT_HALF, fmin(CUT_HALF - 0.01, points[i][0])), points[i][1]));
  levels[0] = BEDROCK - 5.0, levels[1] = BEDROCK;
  return count;
}

static bool verdict(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, char *out,
                    size_t capacity) {
  kitSummary sum;
  kit_Summarize(plainFrames, brinkFrames, frameCount, &sum);
  char found[512] = "";
  bool good = kit_JudgeThrow(&sum, sum.worstThroughBrink, found, sizeof found);
  snprintf(out, capacity,
           "%s. Plain ODE: %d of %d cars sink into the mountain (%d at once, %d wholly below), up to %.2f m. With "
           "Brink: %d, deepest point %.1f mm (allowance %.0f mm).%s",
           good ? "Brink holds the train on the mountain" : "PROMISE BROKEN", sum.everThroughPlain, CAR_COUNT,
           sum.worstThroughPlain, sum.worstLostPlain, sum.worstDepthPlain, sum.everThroughBrink,
           1e3 * sum.worstDepthBrink, 1e3 * ALLOWANCE, found);
  return good;
}

const demoSceneDef demoFallingTrain = {KIT_SCENE("falling_train", "A train of 17 cars falls on a mountain", 480),
                                       .throughText = "cars in the mountain",
                                       .defaultSpeed = DEFAULT_SPEED,
                                       .partCount = CAR_COUNT,
                                       .everText = "cars went into the mountain",
                                       .cutaway = cutaway};
