/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens in the two worlds of the playground? Builds the scenes and the things, steps both lanes, judges what
 * went through. Nothing here knows how it is drawn. Based on: the ODE manual (joints, near callback, kinematic bodies).
 * Units and words as in the header. */
#include "world.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/cook.h"
#include "brink/ode.h"

#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#define EXPORTED EMSCRIPTEN_KEEPALIVE
static double nowMs(void) { return emscripten_get_now(); }
#else
#include <time.h>
#define EXPORTED
static double nowMs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}
#endif

#define MOST_STATICS 8
#define MOST_CONTACTS 8
#define HILL_SIDE 29
#define HILL_CELL 0.9   /* m */
#define EDGE 0.15       /* m; a centre that crosses a wall's plane so near its rim may have gone around it */
#define GONE -60.0      /* m; what has fallen so far leaves its lane */
#define DENSITY 500.0   /* kg/m3 */
#define HAND_SPEED 18.0 /* m/s, of what is dragged */
#define HAND_ERP 0.3
#define HAND_STIFFNESS 40.0 /* 1/s: CFM = 1 / (this * mass) */
#define SPIN_LIMIT 40.0 /* rad/s, above which ragdolls, chains and trains lose spin: ODE turns to first order only */
#define SPIN_DAMPING 0.5
#define AIR 0.003    /* of the velocity, lost each step: what rolls comes to rest */
#define STANDING 0.5 /* m/s; slower things are set down upright */
#define BACK_UP 24   /* tries to find room for a thing */
#define HULL_DEPTH 5 /* of the hill's tree, as it is shown */
#define MOST_HULL_EDGES 4000

typedef struct partPlan {
  playShape shape;
  double size[3], place[3], axis[3]; /* of the part, in the thing's frame: x ahead, z up; axis: of a capsule */
  int parent;                        /* part of the same thing, -1: none */
  double anchor[3];
  int joint; /* 0 ball, 1 hinge about y, 2 universal about y, x */
  double low, high;
} partPlan;

typedef struct lane {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBrinkID brink; /* NULL: plain */
  dTriMeshDataID hillData;
  dGeomID statics[MOST_STATICS];
  dBodyID bodies[PLAY_PARTS]; /* NULL: gone */
  dGeomID geoms[PLAY_PARTS];
  dJointID joints[PLAY_PARTS]; /* to the parent; NULL: none */
  double before[PLAY_PARTS][3];
  uint8_t passed[PLAY_THINGS];
  float poses[PLAY_PARTS][8];
  dBodyID hand;
  dJointID grip;
  unsigned long seed;
  double ms, lost;
  int solves, impacts, clamps, refused;
} lane;

typedef struct staticBox {
  double size[3], place[3], tilt; /* rad about y */
} staticBox;

static lane lanes[PLAY_LANES];
static bool open;
static int scene, partCount, thingCount, staticCount;
static double stepLength = 1.0 / 60, gravity = 9.81;
static int watched; /* 0 nothing, 1 impacts, 2 swept boxes too */
static staticBox boxes[MOST_STATICS];
static struct {
  int shape, thing;
  double size[3], radius; /* radius: of a ball around it */
} parts[PLAY_PARTS];
static struct {
  int first, count;
  double mass; /* of all parts, kg */
} things[PLAY_THINGS];
static double hill[HILL_SIDE * HILL_SIDE][3];
static dTriIndex hillFaces[2 * (HILL_SIDE - 1) * (HILL_SIDE - 1)][3];
static struct {
  int part; /* -1: nothing */
  double point[3], target[3];
} grip = {.part = -1};
static float marks[PLAY_MARKS][7], swept[PLAY_MARKS][6], tables[PLAY_PARTS][6], staticTable[MOST_STATICS][10],
    hillTable[HILL_SIDE * HILL_SIDE][3], pairs[PLAY_MARKS][6], hullTable[MOST_HULL_EDGES][6];
static int markCount, sweptCount, pairCount, hullCount;
static char message[256];

/* ---- the things */

#define CAPSULE(r, half) \
  playShapeCapsule, { (r), (half), 0 }
#define NO_PARENT -1, {0, 0, 0}, 0, 0, 0

static const partPlan ballPlan[] = {{playShapeBall, {0.16, 0, 0}, {0, 0, 0}, {0, 0, 1}, NO_PARENT}};
static const partPlan boxPlan[] = {{playShapeBox, {0.5, 0.5, 0.5}, {0, 0, 0}, {0, 0, 1}, NO_PARENT}};
static const partPlan bladePlan[] = {{playShapeBox, {0.05, 2.0, 0.16}, {0, 0, 0}, {0, 0, 1}, NO_PARENT}};
/* Eleven capsules with gaps at the joints, so that neighbours need not be left out. Centre of the standing figure: 0.95
 * m above its soles. */
static const partPlan ragdollPlan[] = {
    {CAPSULE(0.14, 0.12), {0, 0, 0.37}, {0, 0, 1}, NO_PARENT},
    {CAPSULE(0.11, 0.06), {0, 0, -0.02}, {0, 1, 0}, 0, {0, 0, 0.10}, 2, -0.5, 0.6},
    {CAPSULE(0.12, 0.02), {0, 0, 0.80}, {0, 0, 1}, 0, {0, 0, 0.64}, 2, -0.6, 0.5},
    {CAPSULE(0.05, 0.10), {0, 0.23, 0.42}, {0, 0, 1}, 0, {0, 0.20, 0.54}, 2, -1.4, 1.4},
    {CAPSULE(0.045, 0.11), {0, 0.23, 0.09}, {0, 0, 1}, 3, {0, 0.23, 0.25}, 1, -2.2, 0.1},
    {CAPSULE(0.05, 0.10), {0, -0.23, 0.42}, {0, 0, 1}, 0, {0, -0.20, 0.54}, 2, -1.4, 1.4},
    {CAPSULE(0.045, 0.11), {0, -0.23, 0.09}, {0, 0, 1}, 5, {0, -0.23, 0.25}, 1, -2.2, 0.1},
    {CAPSULE(0.08, 0.12), {0, 0.11, -0.35}, {0, 0, 1}, 1, {0, 0.11, -0.12}, 2, -1.4, 0.6},
    {CAPSULE(0.06, 0.14), {0, 0.11, -0.78}, {0, 0, 1}, 7, {0, 0.11, -0.56}, 1, -0.1, 2.2},
    {CAPSULE(0.08, 0.12), {0, -0.11, -0.35}, {0, 0, 1}, 1, {0, -0.11, -0.12}, 2, -1.4, 0.6},
    {CAPSULE(0.06, 0.14), {0, -0.11, -0.78}, {0, 0, 1}, 9, {0, -0.11, -0.56}, 1, -0.1, 2.2}};
#define RAGDOLL_PARTS ((int)(sizeof ragdollPlan / sizeof *ragdollPlan))

#define CHAIN_LINKS 10
#define CHAIN_PITCH 0.36
#define TRAIN_CARS 6
#define TRAIN_PITCH 1.15
#define MOST_PLAN 16

static int plan(int kind, partPlan out[MOST_PLAN]) {
  const partPlan *fixed = kind == playBall    ? ballPlan
                          : kind == playBox   ? boxPlan
                          : kind == playBlade ? bladePlan
                                              : NULL;
  if (fixed != NULL) return out[0] = *fixed, 1;
  if (kind == playRagdoll) return memcpy(out, ragdollPlan, sizeof ragdollPlan), RAGDOLL_PARTS;
  bool chain = kind == playChain;
  int count = chain ? CHAIN_LINKS : TRAIN_CARS;
  double pitch = chain ? CHAIN_PITCH : TRAIN_PITCH;
  for (int i = 0; i < count; ++i) {
    double x = pitch * (0.5 * (count - 1) - i);
    out[i] = (partPlan){.shape = chain ? playShapeCapsule : playShapeBox,
                        .place = {x, 0, 0},
                        .axis = {chain ? 1 : 0, 0, chain ? 0 : 1},
                        .parent = i - 1,
                        .anchor = {x + 0.5 * pitch, 0, 0}};
    double size[2][3] = {{0.95, 0.5, 0.55}, {0.06, 0.10, 0}};
    memcpy(out[i].size, size[chain], sizeof out[i].size);
  }
  return count;
}

static double radiusOf(int shape, const double size[3]) {
  if (shape == playShapeBall) return size[0];
  if (shape == playShapeCapsule) return size[0] + size[1];
  return 0.5 * sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
}

static dGeomID makeGeom(dSpaceID space, int shape, const double size[3]) {
  if (shape == playShapeBall) return dCreateSphere(space, size[0]);
  if (shape == playShapeCapsule) return dCreateCapsule(space, size[0], 2 * size[1]);
  return dCreateBox(space, size[0], size[1], size[2]);
}

static void setMass(dBodyID body, int shape, const double size[3]) {
  dMass mass;
  if (shape == playShapeBall)
    dMassSetSphere(&mass, DENSITY, size[0]);
  else if (shape == playShapeCapsule)
    dMassSetCapsule(&mass, DENSITY, 3, size[0], 2 * size[1]);
  else
    dMassSetBox(&mass, DENSITY, size[0], size[1], size[2]);
  dBodySetMass(body, &mass);
}

static void turned(const dMatrix3 r, const double v[3], double out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = r[4 * k] * v[0] + r[4 * k + 1] * v[1] + r[4 * k + 2] * v[2];
}

static dJointID joinPart(lane *l, const partPlan *p, dBodyID parent, dBodyID body, const double anchor[3],
                         const dMatrix3 frame) {
  double x[3], y[3];
  turned(frame, (double[3]){1, 0, 0}, x);
  turned(frame, (double[3]){0, 1, 0}, y);
  dJointID joint = p->joint == 0   ? dJointCreateBall(l->world, NULL)
                   : p->joint == 1 ? dJointCreateHinge(l->world, NULL)
                                   : dJointCreateUniversal(l->world, NULL);
  dJointAttach(joint, body, parent);
  if (p->joint == 0) {
    dJointSetBallAnchor(joint, anchor[0], anchor[1], anchor[2]);
  } else if (p->joint == 1) {
    dJointSetHingeAnchor(joint, anchor[0], anchor[1], anchor[2]);
    dJointSetHingeAxis(joint, y[0], y[1], y[2]);
    dJointSetHingeParam(joint, dParamLoStop, p->low);
    dJointSetHingeParam(joint, dParamHiStop, p->high);
  } else {
    dJointSetUniversalAnchor(joint, anchor[0], anchor[1], anchor[2]);
    dJointSetUniversalAxis2(joint, x[0], x[1], x[2]); /* first: ODE complains while the two are parallel */
    dJointSetUniversalAxis1(joint, y[0], y[1], y[2]);
    dJointSetUniversalParam(joint, dParamLoStop, p->low);
    dJointSetUniversalParam(joint, dParamHiStop, p->high);
    dJointSetUniversalParam(joint, dParamLoStop2, 0.6 * p->low);
    dJointSetUniversalParam(joint, dParamHiStop2, 0.6 * p->high);
  }
  return joint;
}

static void addPart(lane *l, int index, const partPlan *p, const dMatrix3 frame, const double place[3],
                    const double velocity[3], int first, bool damped) {
  dBodyID body = dBodyCreate(l->world);
  dMatrix3 own, whole;
  double at[3], anchor[3];
  if (p->shape == playShapeCapsule)
    dRFromZAxis(own, p->axis[0], p->axis[1], p->axis[2]);
  else
    dRSetIdentity(own);
  dMultiply0_333(whole, frame, own);
  turned(frame, p->place, at);
  turned(frame, p->anchor, anchor);
  for (int k = 0; k < 3; ++k) at[k] += place[k], anchor[k] += place[k];
  setMass(body, p->shape, p->size);
  dBodySetPosition(body, at[0], at[1], at[2]);
  dBodySetRotation(body, whole);
  dBodySetLinearVel(body, velocity[0], velocity[1], velocity[2]);
  dBodySetLinearDamping(body, AIR);
  if (damped) {
    dBodySetAngularDamping(body, SPIN_DAMPING);
    dBodySetAngularDampingThreshold(body, SPIN_LIMIT);
  }
  dGeomID geom = makeGeom(l->space, p->shape, p->size);
  dGeomSetBody(geom, body);
  dGeomSetData(geom, (void *)(intptr_t)(index + 1));
  l->bodies[index] = body;
  l->geoms[index] = geom;
  l->joints[index] = p->parent < 0 ? NULL : joinPart(l, p, l->bodies[first + p->parent], body, anchor, frame);
  memcpy(l->before[index], at, sizeof at);
}

/* ---- scenes */

static double hillHeight(double x, double y) {
  return 3.2 * exp(-0.035 * (x * x + y * y)) + 0.35 * sin(1.1 * x) * cos(0.9 * y) - 0.02 * (x * x + y * y) * 0.3;
}

static void planHill(void) {
  double half = 0.5 * HILL_CELL * (HILL_SIDE - 1);
  int cells = HILL_SIDE - 1;
  for (int i = 0; i < HILL_SIDE * HILL_SIDE; ++i) {
    hill[i][0] = HILL_CELL * (i % HILL_SIDE) - half;
    hill[i][1] = HILL_CELL * (i / HILL_SIDE) - half;
    hill[i][2] = hillHeight(hill[i][0], hill[i][1]);
    for (int k = 0; k < 3; ++k) hillTable[i][k] = (float)hill[i][k];
  }
  for (int i = 0; i < cells * cells; ++i) {
    dTriIndex a = (dTriIndex)(i / cells * HILL_SIDE + i % cells), b = a + 1, c = a + HILL_SIDE, d = c + 1;
    dTriIndex *one = hillFaces[2 * i], *two = hillFaces[2 * i + 1];
    one[0] = a, one[1] = b, one[2] = d;
    two[0] = a, two[1] = d, two[2] = c;
  }
}

/* The tree of convex hulls that Brink makes of the hill, some way down. Nothing where it cannot be made. */
static void planHulls(void) {
  static uint32_t faces[2 * (HILL_SIDE - 1) * (HILL_SIDE - 1)][3];
  static double edges[MOST_HULL_EDGES][6];
  size_t size = 0, count = 0, faceCount = sizeof faces / sizeof *faces;
  void *blob = NULL;
  for (size_t i = 0; i < faceCount; ++i)
    for (int k = 0; k < 3; ++k) faces[i][k] = (uint32_t)hillFaces[i][k];
  const brinkMeshView view = {.structSize = sizeof view,
                              .vertices = hill[0],
                              .vertexCount = HILL_SIDE * HILL_SIDE,
                              .indices = faces[0],
                              .triangleCount = faceCount};
  if (brinkCook(&view, NULL, &blob, &size, NULL, 0) != brink_ok) return;
  if (brinkBlobHullEdges(blob, size, HULL_DEPTH, edges[0], MOST_HULL_EDGES, &count) == brink_ok) {
    hullCount = (int)(count < MOST_HULL_EDGES ? count : MOST_HULL_EDGES);
    for (int i = 0; i < hullCount; ++i)
      for (int k = 0; k < 6; ++k) hullTable[i][k] = (float)edges[i][k];
  }
  brinkFreeBlob(blob);
}

/* Height of the triangles at (x, y); NAN beside the hill. */
static double meshHeight(double x, double y) {
  double half = 0.5 * HILL_CELL * (HILL_SIDE - 1), u = (x + half) / HILL_CELL, v = (y + half) / HILL_CELL;
  if (!(u >= 0 && v >= 0 && u < HILL_SIDE - 1 && v < HILL_SIDE - 1)) return NAN;
  int i = (int)u, j = (int)v, a = j * HILL_SIDE + i;
  u -= i, v -= j;
  double za = hill[a][2], zb = hill[a + 1][2], zc = hill[a + HILL_SIDE][2], zd = hill[a + HILL_SIDE + 1][2];
  return u >= v ? za + u * (zb - za) + v * (zd - zb) : za + v * (zc - za) + u * (zd - zc);
}

static void planScene(void) {
  static const staticBox wall[] = {{{26, 26, 0.3}, {0, 0, -0.15}, 0}, {{0.04, 10, 4.5}, {2, 0, 2.25}, 0}},
                         shelves[] = {{{26, 26, 0.3}, {0, 0, -0.15}, 0},
                                      {{7, 9, 0.03}, {0, 0, 1.6}, 0.12},
                                      {{7, 9, 0.03}, {0, 0, 3.4}, -0.12},
                                      {{7, 9, 0.03}, {0, 0, 5.2}, 0.12}};
  const staticBox *from = scene == playWall ? wall : shelves;
  staticCount = scene == playWall ? 2 : scene == playShelves ? 4 : 0;
  if (staticCount > 0) memcpy(boxes, from, (size_t)staticCount * sizeof *boxes);
  for (int i = 0; i < staticCount; ++i) {
    const staticBox *b = &boxes[i];
    const double row[10] = {b->size[0],  b->size[1],       b->size[2], b->place[0],      b->place[1],
                            b->place[2], cos(b->tilt / 2), 0,          sin(b->tilt / 2), 0};
    for (int k = 0; k < 10; ++k) staticTable[i][k] = (float)row[k];
  }
  hullCount = 0;
  if (scene == playHill) planHill(), planHulls();
}

static void buildStatics(lane *l) {
  for (int i = 0; i < staticCount; ++i) {
    dMatrix3 r;
    l->statics[i] = dCreateBox(l->space, boxes[i].size[0], boxes[i].size[1], boxes[i].size[2]);
    dRFromAxisAndAngle(r, 0, 1, 0, boxes[i].tilt);
    dGeomSetPosition(l->statics[i], boxes[i].place[0], boxes[i].place[1], boxes[i].place[2]);
    dGeomSetRotation(l->statics[i], r);
  }
  if (scene != playHill) return;
  l->hillData = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(l->hillData, hill, 3 * sizeof(double), HILL_SIDE * HILL_SIDE, hillFaces,
                              (int)(sizeof hillFaces / sizeof **hillFaces), 3 * sizeof(dTriIndex));
  l->statics[0] = dCreateTriMesh(l->space, l->hillData, NULL, NULL, NULL);
}

static void endLane(lane *l) {
  if (l->world == NULL) return;
  if (l->brink != NULL) dBrinkDestroy(l->brink);
  dJointGroupDestroy(l->contacts);
  dSpaceDestroy(l->space);
  dWorldDestroy(l->world);
  if (l->hillData != NULL) dGeomTriMeshDataDestroy(l->hillData);
}

static void quiet(int number, const char *format, va_list arguments) {
  (void)number, (void)format, (void)arguments; /* "LCP internal error" is plain ODE's own, see docs/ode.md */
}

static void watchSegment(void *user, dBrinkID brink, const dBrinkSegment *segment);

static bool beginLane(lane *l, bool withBrink) {
  memset(l, 0, sizeof *l);
  l->world = dWorldCreate();
  l->space = dHashSpaceCreate(NULL);
  l->contacts = dJointGroupCreate(0);
  l->seed = 1;
  dWorldSetGravity(l->world, 0, 0, -gravity);
  dWorldSetCFM(l->world, 1e-6);
  dWorldSetERP(l->world, 0.2);
  dWorldSetAutoDisableFlag(l->world, 1);
  dWorldSetAutoDisableLinearThreshold(l->world, 0.03);
  dWorldSetAutoDisableAngularThreshold(l->world, 0.05);
  dWorldSetAutoDisableTime(l->world, 0.5);
  dWorldSetAutoDisableAverageSamplesCount(l->world, 8);
  buildStatics(l);
  if (!withBrink) return true;
  l->brink = dBrinkCreate(l->world);
  return l->brink != NULL && dBrinkAddSpace(l->brink, l->space);
}

/* ---- is there room, and what a throw makes */

static double distanceToBox(const staticBox *b, const double p[3]) {
  double c = cos(b->tilt), s = sin(b->tilt), d[3], sum = 0;
  const double v[3] = {p[0] - b->place[0], p[1] - b->place[1], p[2] - b->place[2]};
  const double q[3] = {c * v[0] - s * v[2], v[1], s * v[0] + c * v[2]};
  for (int k = 0; k < 3; ++k) {
    d[k] = fmax(fabs(q[k]) - 0.5 * b->size[k], 0);
    sum += d[k] * d[k];
  }
  return sqrt(sum);
}

static bool hasRoom(const double p[3], double radius) {
  for (int i = 0; i < staticCount; ++i)
    if (distanceToBox(&boxes[i], p) < radius) return false;
  if (scene == playHill && !(isnan(meshHeight(p[0], p[1])) || p[2] - meshHeight(p[0], p[1]) > 1.6 * radius))
    return false;
  for (int l = 0; l < PLAY_LANES; ++l)
    for (int i = 0; i < partCount; ++i) {
      if (lanes[l].bodies[i] == NULL) continue;
      const dReal *q = dBodyGetPosition(lanes[l].bodies[i]);
      double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], reach = radius + parts[i].radius;
      if (x * x + y * y + z * z < reach * reach) return false;
    }
  return true;
}

static bool thingHasRoom(const partPlan *p, int count, const dMatrix3 frame, const double place[3]) {
  for (int i = 0; i < count; ++i) {
    double at[3];
    turned(frame, p[i].place, at);
    for (int k = 0; k < 3; ++k) at[k] += place[k];
    if (!hasRoom(at, radiusOf(p[i].shape, p[i].size) + 0.01)) return false;
  }
  return true;
}

/* x along the velocity, level; a thing that stands still looks along x. Ragdolls fly head first. */
static void frameAlong(int kind, const double v[3], dMatrix3 out) {
  double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), level = sqrt(v[0] * v[0] + v[1] * v[1]);
  double heading = level > 1e-9 ? atan2(v[1], v[0]) : 0, pitch = speed > STANDING ? atan2(-v[2], level) : 0;
  dMatrix3 turn, nod;
  if (kind == playRagdoll && speed > STANDING) pitch += 1.3;
  dRFromAxisAndAngle(turn, 0, 0, 1, heading);
  dRFromAxisAndAngle(nod, 0, 1, 0, pitch);
  dMultiply0_333(out, turn, nod);
}

static int addThing(int kind, const partPlan *p, int count, const dMatrix3 frame, const double place[3],
                    const double v[3]) {
  int thing = thingCount++, first = partCount;
  things[thing].first = first;
  things[thing].count = count;
  partCount += count;
  for (int i = 0; i < count; ++i) {
    int index = first + i;
    parts[index].shape = p[i].shape;
    parts[index].thing = thing;
    memcpy(parts[index].size, p[i].size, sizeof p[i].size);
    parts[index].radius = radiusOf(p[i].shape, p[i].size);
    float *row = tables[index];
    row[0] = (float)p[i].shape, row[4] = (float)thing, row[5] = (float)kind;
    for (int k = 0; k < 3; ++k) row[1 + k] = (float)p[i].size[k];
    for (int l = 0; l < PLAY_LANES; ++l) addPart(&lanes[l], index, &p[i], frame, place, v, first, count > 1);
  }
  things[thing].mass = 0;
  for (int i = 0; i < count; ++i) {
    dMass mass;
    dBodyGetMass(lanes[0].bodies[first + i], &mass);
    things[thing].mass += mass.mass;
  }
  return thing;
}

EXPORTED int playThrow(int kind, double x, double y, double z, double vx, double vy, double vz) {
  partPlan p[MOST_PLAN];
  double place[3] = {x, y, z};
  const double v[3] = {vx, vy, vz};
  dMatrix3 frame;
  if (!open || kind < 0 || kind >= playKinds || !isfinite(x + y + z + vx + vy + vz)) return -1;
  int count = plan(kind, p), tries = 0;
  if (partCount + count > PLAY_PARTS || thingCount == PLAY_THINGS) return -1;
  double speed = sqrt(vx * vx + vy * vy + vz * vz), back[3] = {0, 0, 0.3};
  for (int k = 0; k < 3 && speed > STANDING; ++k) back[k] = -0.3 * v[k] / speed;
  frameAlong(kind, v, frame);
  for (; tries < BACK_UP && !thingHasRoom(p, count, frame, place); ++tries)
    for (int k = 0; k < 3; ++k) place[k] += back[k];
  if (tries == BACK_UP) return -1;
  int thing = addThing(kind, p, count, frame, place, v);
  for (int l = 0; l < PLAY_LANES && kind == playBlade; ++l)
    dBodySetAngularVel(lanes[l].bodies[things[thing].first], 0, 0, 0.6 * speed);
  return thing;
}

/* What the wall protects. */
static void addPyramid(void) {
  static const double places[6][3] = {{5, -0.6, 0.251}, {5, 0, 0.251},   {5, 0.6, 0.251},
                                      {5, -0.3, 0.753}, {5, 0.3, 0.753}, {5, 0, 1.255}};
  static const double still[3] = {0, 0, 0};
  dMatrix3 upright;
  dRSetIdentity(upright);
  for (int i = 0; i < 6; ++i) addThing(playBox, boxPlan, 1, upright, places[i], still);
}

EXPORTED int playReset(int which) {
  if (which < 0 || which >= playScenes) return 0;
  if (!open) {
    dInitODE2(0);
    dSetMessageHandler(quiet);
    open = true;
  }
  for (int l = 0; l < PLAY_LANES; ++l) endLane(&lanes[l]);
  scene = which;
  partCount = thingCount = markCount = sweptCount = pairCount = 0;
  grip.part = -1;
  message[0] = '\0';
  planScene();
  for (int l = 0; l < PLAY_LANES; ++l)
    if (!beginLane(&lanes[l], l == 1)) {
      snprintf(message, sizeof message, "%s", dBrinkGetError(lanes[l].brink));
      return 0;
    }
  playSet(playWatch, watched);
  if (scene == playWall) addPyramid();
  return 1;
}

/* ---- settings */

EXPORTED int playSet(int setting, double value) {
  if (!isfinite(value)) return 0;
  if (setting == playStepLength) {
    if (!(value >= 1e-3 && value <= 0.1)) return 0;
    stepLength = value;
  } else if (setting == playGravity) {
    if (!(fabs(value) <= 1000)) return 0;
    gravity = value;
    for (int l = 0; l < PLAY_LANES && open; ++l) {
      dWorldSetGravity(lanes[l].world, 0, 0, -value);
      for (int i = 0; i < partCount; ++i)
        if (lanes[l].bodies[i] != NULL) dBodyEnable(lanes[l].bodies[i]); /* what sleeps would not feel it */
    }
  } else if (setting == playWatch) {
    if (!(value >= 0 && value <= 2)) return 0;
    watched = (int)value;
    if (open && lanes[1].brink != NULL)
      dBrinkSetSegmentCallback(lanes[1].brink, watched == 2 ? watchSegment : NULL, NULL);
  } else {
    return 0;
  }
  return 1;
}

EXPORTED double playGet(int setting) {
  return setting == playStepLength ? stepLength : setting == playGravity ? gravity : watched;
}

/* ---- overlays */

static int partOf(dBodyID body) {
  dGeomID geom = dBodyGetFirstGeom(body);
  return geom == NULL ? -1 : (int)(intptr_t)dGeomGetData(geom) - 1;
}

/* The box of a part at a pose grows low and high. */
static void growBox(int part, const double place[3], const double q[4], double low[3], double high[3]) {
  dMatrix3 r;
  dRfromQ(r, q);
  const double *size = parts[part].size;
  for (int k = 0; k < 3; ++k) {
    double half = size[0];
    if (parts[part].shape == playShapeBox)
      half = 0.5 * (fabs(r[4 * k]) * size[0] + fabs(r[4 * k + 1]) * size[1] + fabs(r[4 * k + 2]) * size[2]);
    else if (parts[part].shape == playShapeCapsule)
      half = size[0] + fabs(r[4 * k + 2]) * size[1];
    low[k] = fmin(low[k], place[k] - half);
    high[k] = fmax(high[k], place[k] + half);
  }
}

typedef struct sweptPart {
  int part;
  double low[3], high[3], at[3]; /* at: where its centre starts */
} sweptPart;

static bool meet(const double low[3], const double high[3], const double otherLow[3], const double otherHigh[3]) {
  for (int k = 0; k < 3; ++k)
    if (low[k] > otherHigh[k] || otherLow[k] > high[k]) return false;
  return true;
}

static void keepPair(const double from[3], const double to[3]) {
  if (pairCount == PLAY_MARKS) return;
  for (int k = 0; k < 3; ++k) pairs[pairCount][k] = (float)from[k], pairs[pairCount][3 + k] = (float)to[k];
  ++pairCount;
}

/* A static thing whose box this part's swept box meets, if Brink asks about the two. */
static void keepStaticPairs(dBrinkID brink, const lane *l, const sweptPart *p) {
  for (int i = 0; i < MOST_STATICS && l->statics[i] != NULL; ++i) {
    dReal box[6];
    double to[3];
    dGeomGetAABB(l->statics[i], box);
    const double low[3] = {box[0], box[2], box[4]}, high[3] = {box[1], box[3], box[5]};
    if (!meet(p->low, p->high, low, high) || !dBrinkSegmentAsks(brink, l->geoms[p->part], l->statics[i])) continue;
    for (int k = 0; k < 3; ++k) to[k] = fmin(fmax(p->at[k], low[k]), high[k]);
    if (scene == playHill) to[2] = meshHeight(p->at[0], p->at[1]);
    if (isfinite(to[2])) keepPair(p->at, to);
  }
}

static bool goesFar(const dBrinkMotion *motion, int part) {
  double way = 0;
  for (int k = 0; k < 3; ++k) way += pow(motion->endPosition[k] - motion->position[k], 2);
  return motion->kind != dBrinkMotionRest && sqrt(way) >= 0.5 * parts[part].radius;
}

/* For the picture: of what goes far the box around nine poses of the motion that Brink was asked about, of the rest the
 * geom's own. What Brink itself uses is proven to hold every pose between. */
static void sweep(dBrinkID brink, const dBrinkMotion *motion, bool far, sweptPart *out) {
  dReal box[6];
  dGeomGetAABB(lanes[1].geoms[out->part], box);
  for (int k = 0; k < 3; ++k) {
    out->low[k] = far ? (double)INFINITY : box[2 * k];
    out->high[k] = far ? -(double)INFINITY : box[2 * k + 1];
    out->at[k] = motion->position[k];
  }
  for (int s = 0; s <= 8 && far; ++s) {
    double place[3], q[4];
    if (dBrinkSegmentPose(brink, motion->body, s / 8.0, place, q)) growBox(out->part, place, q, out->low, out->high);
  }
}

/* Swept boxes of what goes far, and which parts, and what stands, they meet: those pairs Brink looks into. */
static void watchSegment(void *user, dBrinkID brink, const dBrinkSegment *segment) {
  static sweptPart far[PLAY_PARTS], slow[PLAY_PARTS];
  int farCount = 0, slowCount = 0;
  (void)user;
  for (int i = 0; i < segment->motionCount && i < PLAY_PARTS; ++i) {
    int part = partOf(segment->motions[i].body);
    if (part < 0) continue;
    bool isFar = goesFar(&segment->motions[i], part);
    sweptPart *p = isFar ? &far[farCount++] : &slow[slowCount++];
    p->part = part;
    sweep(brink, &segment->motions[i], isFar, p);
  }
  for (int i = 0; i < farCount; ++i) {
    const sweptPart *p = &far[i];
    for (int k = 0; k < 3 && sweptCount < PLAY_MARKS; ++k)
      swept[sweptCount][k] = (float)p->low[k], swept[sweptCount][3 + k] = (float)p->high[k];
    if (sweptCount < PLAY_MARKS) ++sweptCount;
    keepStaticPairs(brink, &lanes[1], p);
    for (int j = 0; j < i + slowCount && pairCount < PLAY_MARKS; ++j) {
      const sweptPart *q = j < i ? &far[j] : &slow[j - i];
      if (meet(p->low, p->high, q->low, q->high) &&
          dBrinkSegmentAsks(brink, lanes[1].geoms[p->part], lanes[1].geoms[q->part]))
        keepPair(p->at, q->at);
    }
  }
}

static void keepMarks(const dBrinkStepInfo *info) {
  for (int i = 0; i < info->eventCount && markCount < PLAY_MARKS; ++i) {
    const dBrinkEvent *event = &info->events[i];
    float *row = marks[markCount++];
    for (int k = 0; k < 3; ++k) row[k] = (float)event->position[k], row[3 + k] = (float)event->normal[k];
    row[6] = (float)event->response;
  }
}

/* ---- the judge: did a centre cross a surface on its straight way through the step? */

static bool crossedBox(const staticBox *b, const double from[3], const double to[3]) {
  int thin = b->size[0] <= b->size[2] ? 0 : 2; /* the axis across the plate */
  double c = cos(b->tilt), s = sin(b->tilt), p[2][3];
  for (int e = 0; e < 2; ++e) {
    const double *v = e == 0 ? from : to, x = v[0] - b->place[0], z = v[2] - b->place[2];
    p[e][0] = c * x - s * z;
    p[e][1] = v[1] - b->place[1];
    p[e][2] = s * x + c * z;
  }
  if ((p[0][thin] < 0) == (p[1][thin] < 0)) return false;
  double t = p[0][thin] / (p[0][thin] - p[1][thin]);
  for (int k = 0; k < 3; ++k)
    if (k != thin && fabs(p[0][k] + t * (p[1][k] - p[0][k])) > 0.5 * b->size[k] - EDGE) return false;
  return true;
}

static bool crossedHill(const double from[3], const double to[3]) {
  double a = from[2] - meshHeight(from[0], from[1]), b = to[2] - meshHeight(to[0], to[1]);
  return a > 0 && b < 0; /* false beside the hill, where they are NAN */
}

static void judge(lane *l) {
  for (int i = 0; i < partCount; ++i) {
    if (l->bodies[i] == NULL) continue;
    const dReal *p = dBodyGetPosition(l->bodies[i]);
    bool through = scene == playHill && crossedHill(l->before[i], p);
    for (int k = 0; k < staticCount && !through; ++k) through = crossedBox(&boxes[k], l->before[i], p);
    if (through) l->passed[parts[i].thing] = 1;
    for (int k = 0; k < 3; ++k) l->before[i][k] = p[k];
  }
}

/* ---- the step */

static void near(void *data, dGeomID a, dGeomID b) {
  lane *l = data;
  dBodyID one = dGeomGetBody(a), two = dGeomGetBody(b);
  dContact contacts[MOST_CONTACTS];
  if (one == two) return;
  if (one != NULL && two != NULL && dAreConnectedExcluding(one, two, dJointTypeContact)) return;
  int count = dCollide(a, b, MOST_CONTACTS, &contacts[0].geom, sizeof *contacts);
  for (int i = 0; i < count; ++i) {
    contacts[i].surface =
        (dSurfaceParameters){.mode = dContactBounce | dContactApprox1, .mu = 0.6, .bounce = 0.25, .bounce_vel = 0.5};
    dJointAttach(dJointCreateContact(l->world, l->contacts, &contacts[i]), one, two);
  }
}

static void dropThing(lane *l, int thing) {
  if (grip.part >= 0 && parts[grip.part].thing == thing) playRelease();
  for (int i = things[thing].first; i < things[thing].first + things[thing].count; ++i) {
    if (l->bodies[i] == NULL) continue;
    if (l->joints[i] != NULL) dJointDestroy(l->joints[i]);
    dGeomDestroy(l->geoms[i]);
    dBodyDestroy(l->bodies[i]);
    l->bodies[i] = NULL, l->geoms[i] = NULL, l->joints[i] = NULL;
  }
}

static void dropFallen(lane *l) {
  for (int t = 0; t < thingCount; ++t) {
    dBodyID body = l->bodies[things[t].first];
    if (body != NULL && dBodyGetPosition(body)[2] < GONE) dropThing(l, t);
  }
}

/* The hand goes towards the pointer, no faster than HAND_SPEED: a part is dragged, not beamed. */
static void moveHand(lane *l) {
  if (l->hand == NULL) return;
  const dReal *p = dBodyGetPosition(l->hand);
  double d[3], way = 0, most = HAND_SPEED * stepLength;
  for (int k = 0; k < 3; ++k) d[k] = grip.target[k] - p[k], way += d[k] * d[k];
  double part = way > most * most ? most / sqrt(way) : 1;
  dBodySetPosition(l->hand, p[0] + part * d[0], p[1] + part * d[1], p[2] + part * d[2]);
  for (int i = 0; i < things[parts[grip.part].thing].count; ++i) {
    dBodyID body = l->bodies[things[parts[grip.part].thing].first + i];
    if (body != NULL) dBodyEnable(body);
  }
}

static bool stepLane(lane *l) {
  double start = nowMs();
  int done = 1;
  dRandSetSeed(l->seed);
  moveHand(l);
  dSpaceCollide(l->space, l, near);
  if (l->brink != NULL)
    done = dBrinkWorldQuickStep(l->brink, stepLength, l, near, l->contacts);
  else
    dWorldQuickStep(l->world, stepLength);
  dJointGroupEmpty(l->contacts);
  l->seed = dRandGetSeed();
  l->ms = nowMs() - start;
  l->solves = 1;
  if (l->brink != NULL) {
    dBrinkStepInfo info = {.structSize = sizeof info};
    if (!done) {
      l->refused += 1;
      snprintf(message, sizeof message, "%s", dBrinkGetError(l->brink));
    }
    if (dBrinkGetStepInfo(l->brink, &info)) {
      l->solves = info.solves;
      l->impacts = info.eventCount;
      l->clamps += info.clamps;
      l->lost += info.lostTime;
      if (watched > 0) keepMarks(&info);
    }
  }
  judge(l);
  dropFallen(l);
  return done != 0;
}

EXPORTED int playStep(void) {
  int done = 1;
  if (!open) return 0;
  markCount = sweptCount = pairCount = 0;
  for (int l = 0; l < PLAY_LANES; ++l)
    if (!stepLane(&lanes[l])) done = 0;
  return done;
}

/* ---- the hand */

typedef struct rayHit {
  dGeomID ray;
  double depth, point[3];
  int part;
} rayHit;

static void nearRay(void *data, dGeomID a, dGeomID b) {
  rayHit *hit = data;
  dContactGeom contact;
  dGeomID other = a == hit->ray ? b : a;
  if (dCollide(hit->ray, other, 1, &contact, sizeof contact) < 1 || contact.depth >= hit->depth) return;
  hit->depth = contact.depth;
  hit->part = (int)(intptr_t)dGeomGetData(other) - 1; /* -1: a wall is in front */
  for (int k = 0; k < 3; ++k) hit->point[k] = contact.pos[k];
}

EXPORTED void playRelease(void) {
  for (int l = 0; l < PLAY_LANES; ++l) {
    if (lanes[l].hand == NULL) continue;
    dJointDestroy(lanes[l].grip);
    dBodyDestroy(lanes[l].hand);
    lanes[l].hand = NULL;
  }
  grip.part = -1;
}

static void takePart(lane *l, int part, const double local[3]) {
  dVector3 at;
  if (l->bodies[part] == NULL) return;
  dBodyGetRelPointPos(l->bodies[part], local[0], local[1], local[2], at);
  l->hand = dBodyCreate(l->world);
  dBodySetKinematic(l->hand);
  dBodySetPosition(l->hand, at[0], at[1], at[2]);
  l->grip = dJointCreateBall(l->world, NULL);
  dJointAttach(l->grip, l->bodies[part], l->hand);
  dJointSetBallAnchor(l->grip, at[0], at[1], at[2]);
  dJointSetBallParam(l->grip, dParamERP, HAND_ERP);
  dJointSetBallParam(l->grip, dParamCFM, 1 / (HAND_STIFFNESS * things[parts[part].thing].mass));
}

EXPORTED int playPick(int which, double x, double y, double z, double dx, double dy, double dz) {
  playRelease();
  if (!open || which < 0 || which >= PLAY_LANES || !isfinite(x + y + z + dx + dy + dz) ||
      dx * dx + dy * dy + dz * dz == 0)
    return -1;
  lane *l = &lanes[which];
  rayHit hit = {.depth = INFINITY, .part = -1};
  hit.ray = dCreateRay(NULL, 200);
  dGeomRaySet(hit.ray, x, y, z, dx, dy, dz);
  dSpaceCollide2(hit.ray, (dGeomID)l->space, &hit, nearRay);
  dGeomDestroy(hit.ray);
  if (hit.part < 0) return -1;
  dVector3 local;
  dBodyGetPosRelPoint(l->bodies[hit.part], hit.point[0], hit.point[1], hit.point[2], local);
  grip.part = hit.part;
  memcpy(grip.point, hit.point, sizeof hit.point);
  memcpy(grip.target, hit.point, sizeof hit.point);
  for (int i = 0; i < PLAY_LANES; ++i) takePart(&lanes[i], hit.part, local);
  return hit.part;
}

EXPORTED const double *playPickPoint(void) { return grip.point; }

EXPORTED void playDrag(double x, double y, double z) {
  if (!isfinite(x + y + z)) return;
  grip.target[0] = x, grip.target[1] = y, grip.target[2] = z;
}

/* ---- what the page reads */

EXPORTED int playPartCount(void) { return partCount; }
EXPORTED int playThingCount(void) { return thingCount; }

EXPORTED const float *playPoses(int which) {
  lane *l = &lanes[which == 1];
  for (int i = 0; i < partCount; ++i) {
    float *row = l->poses[i];
    row[7] = l->bodies[i] != NULL;
    if (l->bodies[i] == NULL) continue;
    const dReal *p = dBodyGetPosition(l->bodies[i]), *q = dBodyGetQuaternion(l->bodies[i]);
    for (int k = 0; k < 3; ++k) row[k] = (float)p[k];
    for (int k = 0; k < 4; ++k) row[3 + k] = (float)q[k];
  }
  return l->poses[0];
}

EXPORTED const float *playPartTable(void) { return tables[0]; }
EXPORTED const uint8_t *playPassed(int which) { return lanes[which == 1].passed; }

static double worstJoint(const lane *l) {
  double worst = 0;
  for (int i = 0; i < partCount; ++i) {
    dVector3 a, b;
    if (l->joints[i] == NULL) continue;
    dJointType type = dJointGetType(l->joints[i]);
    if (type == dJointTypeBall)
      dJointGetBallAnchor(l->joints[i], a), dJointGetBallAnchor2(l->joints[i], b);
    else if (type == dJointTypeHinge)
      dJointGetHingeAnchor(l->joints[i], a), dJointGetHingeAnchor2(l->joints[i], b);
    else
      dJointGetUniversalAnchor(l->joints[i], a), dJointGetUniversalAnchor2(l->joints[i], b);
    worst = fmax(worst, sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2)));
  }
  return worst;
}

EXPORTED double playFigureOf(int which, int figure) {
  const lane *l = &lanes[which == 1];
  int count = 0;
  switch (figure) {
    case playThrough:
      for (int i = 0; i < thingCount; ++i) count += l->passed[i];
      return count;
    case playTime:
      return l->ms;
    case playSolves:
      return l->solves;
    case playImpacts:
      return l->impacts;
    case playClamps:
      return l->clamps;
    case playLost:
      return l->lost;
    case playRefused:
      return l->refused;
    case playJointError:
      return worstJoint(l);
    case playAwake:
      for (int i = 0; i < partCount; ++i) count += l->bodies[i] != NULL && dBodyIsEnabled(l->bodies[i]);
      return count;
    default:
      return NAN;
  }
}

EXPORTED int playStaticCount(void) { return staticCount; }
EXPORTED const float *playStatics(void) { return staticTable[0]; }
EXPORTED int playHillSide(void) { return scene == playHill ? HILL_SIDE : 0; }
EXPORTED const float *playHillVertices(void) { return hillTable[0]; }
EXPORTED int playMarkCount(void) { return markCount; }
EXPORTED const float *playMarks(void) { return marks[0]; }
EXPORTED int playSweptCount(void) { return sweptCount; }
EXPORTED const float *playSwept(void) { return swept[0]; }
EXPORTED int playPairCount(void) { return pairCount; }
EXPORTED const float *playPairs(void) { return pairs[0]; }
EXPORTED int playHullCount(void) { return hullCount; }
EXPORTED const float *playHulls(void) { return hullTable[0]; }
EXPORTED const char *playMessage(void) { return message; }
