/* SPDX-License-Identifier: BSD-3-Clause */
#include "stage.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BRINK_ODE_REDIRECT_NAMES_ONLY
#include "brink/ode_redirect.h"

#define FIELD_SAMPLES 9
#define MAX_TOUCHES 64
#define DOLL_DENSITY 1000.0 /* kg/m3 */
#define DOLL_SPIN_LIMIT 40.0
#define DOLL_SPIN_DAMPING 0.5

static int stagesAlive;

static const char *const shapeNames[stageShapes] = {"box",    "sphere", "capsule", "cylinder",
                                                    "convex", "mesh",   "plane",   "heightfield"};
static const char *const wayNames[stageWays] = {"plain", "fine", "calls", "header", "preload"};

const char *stage_ShapeName(stageShape shape) { return shapeNames[shape]; }
const char *stage_WayName(stageWay way) { return wayNames[way]; }

double stage_CpuSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- numbers */

double stage_Uniform(uint64_t *state, double low, double high) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

int stage_Pick(uint64_t *state, int count) { return (int)stage_Uniform(state, 0, count); }

void stage_RandomTurn(uint64_t *state, double turn[4]) {
  double u = stage_Uniform(state, 0, 1), a = stage_Uniform(state, 0, 2 * M_PI), b = stage_Uniform(state, 0, 2 * M_PI);
  turn[0] = sqrt(1 - u) * cos(a);
  turn[1] = sqrt(1 - u) * sin(a);
  turn[2] = sqrt(u) * cos(b);
  turn[3] = sqrt(u) * sin(b);
}

/* ---- memory that lives as long as the stage */

static void *grow(void *items, int count, int *capacity, size_t size) {
  if (count < *capacity) return items;
  *capacity = *capacity > 0 ? 2 * *capacity : 16;
  void *larger = realloc(items, (size_t)*capacity * size);
  if (larger == NULL) abort();
  return larger;
}

static void *keep(stage *s, const void *data, size_t size) {
  void *block = malloc(size);
  if (block == NULL) abort();
  memcpy(block, data, size);
  s->blocks = grow(s->blocks, s->blockCount, &s->blockCapacity, sizeof *s->blocks);
  s->blocks[s->blockCount++] = block;
  return block;
}

/* ---- begin, end, step */

static long giveUps;

static void hearMessage(int number, const char *format, va_list arguments) {
  (void)number;
  (void)arguments;
  giveUps += strstr(format, "LCP internal error") != NULL;
}

long stage_GiveUps(void) { return giveUps; }

void stage_Begin(stage *s, const stageSetup *setup) {
  *s = (stage){.setup = *setup, .near = stage_Near, .rand = setup->seed != 0 ? setup->seed : 1};
  s->surface = (stageSurface){.mode = dContactApprox1, .mu = 0.5, .maxContacts = 8};
  if (stagesAlive++ == 0) {
    dInitODE2(0);
    dSetMessageHandler(hearMessage);
  }
  bool withBrink = setup->way == stageCalls;
  if (setup->registered && setup->way >= stageCalls) dBrinkRegisterAll();
  s->world = dWorldCreate();
  s->space = dHashSpaceCreate(NULL);
  s->contacts = dJointGroupCreate(0);
  dWorldSetGravity(s->world, 0, 0, setup->gravity);
  if (withBrink) {
    s->brink = dBrinkCreate(s->world);
    dBrinkAddSpace(s->brink, s->space);
  }
}

void stage_End(stage *s) {
  bool header = s->setup.way == stageHeader;
  dBrinkDestroy(s->brink);
  dJointGroupDestroy(s->contacts);
  if (s->space != NULL) stage_DestroySpace(s);
  if (s->world != NULL) stage_DestroyWorld(s);
  for (int i = 0; i < s->meshCount; ++i) dGeomTriMeshDataDestroy(s->meshes[i]);
  for (int i = 0; i < s->fieldCount; ++i) dGeomHeightfieldDataDestroy(s->fields[i]);
  for (int i = 0; i < s->blockCount; ++i) free(s->blocks[i]);
  free(s->meshes);
  free(s->fields);
  free(s->blocks);
  free(s->bodies);
  if (--stagesAlive == 0) (header ? dBrinkHookCloseODE : dCloseODE)();
}

void stage_DestroySpace(stage *s) {
  (s->setup.way == stageHeader ? dBrinkHookSpaceDestroy : dSpaceDestroy)(s->space);
  s->space = NULL;
}

void stage_DestroyWorld(stage *s) {
  (s->setup.way == stageHeader ? dBrinkHookWorldDestroy : dWorldDestroy)(s->world);
  s->world = NULL;
  s->bodyCount = 0;
}

/* dBrinkOfWorld makes a dBrink where there is none: it is asked only where the preload has made one. */
static bool isPreloaded(void) {
  const char *libraries = getenv("LD_PRELOAD");
  return libraries != NULL && strstr(libraries, "libbrink_preload") != NULL;
}

static int stepOnce(stage *s, double h) {
  bool quick = s->setup.quick;
  dBrinkID entry = s->setup.way <= stageFine && isPreloaded() ? dBrinkOfWorld(s->world) : NULL;
  if (entry != NULL) dBrinkSetEnabled(entry, 0); /* the plain half of a run under the preload */
  if (s->brink != NULL && s->setup.way == stageCalls)
    return (quick ? dBrinkWorldQuickStep : dBrinkWorldStep)(s->brink, h, s, s->near, s->contacts);
  if (s->setup.way == stageHeader)
    return (quick ? dBrinkHookWorldQuickStep : dBrinkHookWorldStep)(s->world, h, (unsigned)sizeof(dReal));
  return (quick ? dWorldQuickStep : dWorldStep)(s->world, h);
}

static void readInfo(stage *s, bool done) {
  bool entry = s->setup.way == stageHeader || s->setup.way == stagePreload;
  dBrinkID brink = entry && s->world != NULL ? dBrinkOfWorld(s->world) : s->brink;
  s->steps++;
  s->failed += !done;
  s->lastSolves = 1;
  if (brink == NULL) return;
  dBrinkStepInfo info = {.structSize = sizeof info};
  if (!done && s->message[0] == '\0') snprintf(s->message, sizeof s->message, "%s", dBrinkGetError(brink));
  if (!dBrinkGetStepInfo(brink, &info)) return;
  s->lost += info.lostTime;
  s->clamps += info.clamps;
  s->unresolved += info.unresolved;
  s->solves += info.solves;
  s->queries += (long)info.distanceQueries;
  s->events += info.eventCount;
  s->lastSolves = info.solves;
}

bool stage_Step(stage *s) {
  int parts = s->setup.way == stageFine ? STAGE_FINE_PARTS : 1;
  double h = s->setup.h / parts;
  bool done = true;
  dRandSetSeed(s->rand);
  for (int i = 0; i < parts; ++i) {
    if (s->before != NULL) s->before(s, s->time, h);
    (s->setup.way == stageHeader ? dBrinkHookSpaceCollide : dSpaceCollide)(s->space, s, s->near);
    if (s->after != NULL) s->after(s);
    s->inStep = true;
    done = stepOnce(s, h) != 0 && done;
    s->inStep = false;
    dJointGroupEmpty(s->contacts);
    s->time += h;
  }
  s->rand = dRandGetSeed();
  readInfo(s, done);
  return done;
}

void stage_Touch(stage *s, const dContactGeom *geom) {
  const stageSurface *surface = &s->surface;
  dContact contact = {.surface = {.mode = surface->mode,
                                  .mu = surface->mu,
                                  .bounce = surface->bounce,
                                  .bounce_vel = surface->bounceVelocity,
                                  .soft_erp = surface->softErp,
                                  .soft_cfm = surface->softCfm,
                                  .motion1 = surface->motion}};
  contact.geom = *geom;
  if (surface->mode & dContactFDir1) { /* of a belt: along x */
    contact.fdir1[0] = 1 - geom->normal[0] * geom->normal[0];
    contact.fdir1[1] = -geom->normal[0] * geom->normal[1];
    contact.fdir1[2] = -geom->normal[0] * geom->normal[2];
    dSafeNormalize3(contact.fdir1);
  }
  dJointID joint = (s->setup.way == stageHeader ? dBrinkHookJointCreateContact : dJointCreateContact)(
      s->world, s->contacts, &contact);
  dJointAttach(joint, dGeomGetBody(geom->g1), dGeomGetBody(geom->g2));
}

void stage_Near(void *data, dGeomID a, dGeomID b) {
  stage *s = data;
  dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
  dContactGeom geoms[MAX_TOUCHES];
  bool free = (bodyA != NULL && !dBodyIsKinematic(bodyA)) || (bodyB != NULL && !dBodyIsKinematic(bodyB));
  if (!free || bodyA == bodyB) return;
  if (bodyA != NULL && bodyB != NULL && dAreConnectedExcluding(bodyA, bodyB, dJointTypeContact)) return;
  int count = dCollide(a, b, s->surface.maxContacts, geoms, sizeof *geoms);
  for (int i = 0; i < count; ++i) stage_Touch(s, &geoms[i]);
}

/* ---- geoms */

static dGeomID addConvexBox(stage *s, const double size[3]) {
  static const unsigned int polygons[] = {4, 0, 1, 5, 4, 4, 1, 3, 7, 5, 4, 3, 2, 6, 7,
                                          4, 2, 0, 4, 6, 4, 4, 5, 7, 6, 4, 2, 3, 1, 0};
  double planes[24] = {0}, points[24];
  static const int axes[6] = {1, 0, 1, 0, 2, 2}, signs[6] = {-1, 1, 1, -1, 1, -1};
  for (int i = 0; i < 6; ++i) {
    planes[4 * i + axes[i]] = signs[i];
    planes[4 * i + 3] = size[axes[i]] / 2;
  }
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) points[3 * i + k] = (i >> k & 1) ? size[k] / 2 : -size[k] / 2;
  return dCreateConvex(s->space, keep(s, planes, sizeof planes), 6, keep(s, points, sizeof points), 8,
                       keep(s, polygons, sizeof polygons));
}

dGeomID stage_AddMesh(stage *s, const double (*vertices)[3], int vertexCount, const int (*faces)[3], int faceCount) {
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  double *kept = keep(s, vertices, (size_t)vertexCount * sizeof *vertices);
  dTriIndex *indices = malloc((size_t)faceCount * 3 * sizeof *indices);
  if (indices == NULL) abort();
  for (int i = 0; i < 3 * faceCount; ++i) indices[i] = (dTriIndex)faces[i / 3][i % 3];
  dTriIndex *keptIndices = keep(s, indices, (size_t)faceCount * 3 * sizeof *indices);
  free(indices);
  dGeomTriMeshDataBuildDouble(data, kept, 3 * sizeof(double), vertexCount, keptIndices, 3 * faceCount,
                              3 * sizeof(dTriIndex));
  dGeomTriMeshDataPreprocess2(data, 1U << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL); /* ODE's convexes ask for it */
  s->meshes = grow(s->meshes, s->meshCount, &s->meshCapacity, sizeof(dTriMeshDataID));
  s->meshes[s->meshCount++] = data;
  return dCreateTriMesh(s->space, data, NULL, NULL, NULL);
}

static dGeomID addMeshBox(stage *s, const double size[3]) {
  static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  static const int flat[2][3] = {{0, 1, 3}, {0, 3, 2}};
  double vertices[8][3];
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) vertices[i][k] = (i >> k & 1) ? size[k] / 2 : -size[k] / 2;
  bool isFlat = !(size[2] > 0);
  return stage_AddMesh(s, (const double(*)[3])vertices, isFlat ? 4 : 8, isFlat ? flat : faces, isFlat ? 2 : 12);
}

static dGeomID addFlatField(stage *s, const double size[3]) {
  static const double heights[FIELD_SAMPLES * FIELD_SAMPLES];
  dHeightfieldDataID data = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildDouble(data, heights, 0, size[0], size[1], FIELD_SAMPLES, FIELD_SAMPLES, 1, 0, 1, 0);
  s->fields = grow(s->fields, s->fieldCount, &s->fieldCapacity, sizeof(dHeightfieldDataID));
  s->fields[s->fieldCount++] = data;
  dGeomID geom = dCreateHeightfield(s->space, data, 1);
  const dQuaternion up = {sqrt(0.5), sqrt(0.5), 0, 0}; /* ODE's fields look along y */
  dGeomSetQuaternion(geom, up);
  return geom;
}

dGeomID stage_AddGeom(stage *s, stageShape shape, const double size[3]) {
  switch (shape) {
    case stageSphere:
      return dCreateSphere(s->space, size[0] / 2);
    case stageCapsule:
      return dCreateCapsule(s->space, size[0] / 2, size[2] - size[0]);
    case stageCylinder:
      return dCreateCylinder(s->space, size[0] / 2, size[2]);
    case stageConvex:
      return addConvexBox(s, size);
    case stageMesh:
      return addMeshBox(s, size);
    case stagePlane:
      return dCreatePlane(s->space, 0, 0, 1, 0);
    case stageField:
      return addFlatField(s, size);
    default:
      return dCreateBox(s->space, size[0], size[1], size[2]);
  }
}

dGeomID stage_AddStatic(stage *s, stageShape shape, const double size[3], const double place[3]) {
  dGeomID geom = stage_AddGeom(s, shape, size);
  if (shape == stagePlane)
    dGeomPlaneSetParams(geom, 0, 0, 1, place[2]);
  else
    dGeomSetPosition(geom, place[0], place[1], place[2]);
  return geom;
}

/* ---- bodies */

static void setMass(dMass *mass, stageShape shape, const double size[3], double density) {
  if (shape == stageSphere)
    dMassSetSphere(mass, density, size[0] / 2);
  else if (shape == stageCapsule)
    dMassSetCapsule(mass, density, 3, size[0] / 2, size[2] - size[0]);
  else if (shape == stageCylinder)
    dMassSetCylinder(mass, density, 3, size[0] / 2, size[2]);
  else
    dMassSetBox(mass, density, size[0], size[1], size[2]);
}

dBodyID stage_AddBareBody(stage *s, const dMass *mass, const double place[3]) {
  dBodyID body = dBodyCreate(s->world);
  dBodySetMass(body, mass);
  dBodySetPosition(body, place[0], place[1], place[2]);
  s->bodies = grow(s->bodies, s->bodyCount, &s->bodyCapacity, sizeof(dBodyID));
  s->bodies[s->bodyCount++] = body;
  return body;
}

dBodyID stage_AddBody(stage *s, stageShape shape, const double size[3], double density, const double place[3]) {
  dMass mass;
  setMass(&mass, shape, size, density);
  dBodyID body = stage_AddBareBody(s, &mass, place);
  dGeomSetBody(stage_AddGeom(s, shape, size), body);
  return body;
}

dBodyID stage_AddKinematic(stage *s, stageShape shape, const double size[3], const double place[3]) {
  dBodyID body = stage_AddBody(s, shape, size, 1000, place);
  dBodySetKinematic(body);
  s->bodyCount--;
  return body;
}

void stage_DestroyBody(stage *s, dBodyID body) {
  bool header = s->setup.way == stageHeader;
  for (dGeomID geom = dBodyGetFirstGeom(body), next; geom != NULL; geom = next) {
    next = dBodyGetNextGeom(geom);
    (header ? dBrinkHookGeomDestroy : dGeomDestroy)(geom);
  }
  (header ? dBrinkHookBodyDestroy : dBodyDestroy)(body);
  for (int i = 0; i < s->bodyCount; ++i)
    if (s->bodies[i] == body) s->bodies[i] = s->bodies[--s->bodyCount];
}

dJointID stage_AddHinge(stage *s, dBodyID a, dBodyID b, const double anchor[3], const double axis[3]) {
  dJointID joint = dJointCreateHinge(s->world, NULL);
  dJointAttach(joint, a, b);
  dJointSetHingeAnchor(joint, anchor[0], anchor[1], anchor[2]);
  dJointSetHingeAxis(joint, axis[0], axis[1], axis[2]);
  return joint;
}

dJointID stage_AddBall(stage *s, dBodyID a, dBodyID b, const double anchor[3]) {
  dJointID joint = dJointCreateBall(s->world, NULL);
  dJointAttach(joint, a, b);
  dJointSetBallAnchor(joint, anchor[0], anchor[1], anchor[2]);
  return joint;
}

dJointID stage_AddSlider(stage *s, dBodyID a, dBodyID b, const double axis[3]) {
  dJointID joint = dJointCreateSlider(s->world, NULL);
  dJointAttach(joint, a, b);
  dJointSetSliderAxis(joint, axis[0], axis[1], axis[2]);
  return joint;
}

int stage_AddChain(stage *s, int links, stageShape shape, const double size[3], double spacing, const double place[3]) {
  int first = s->bodyCount;
  for (int i = 0; i < links; ++i) {
    double at[3] = {place[0], place[1], place[2] + i * spacing};
    dBodyID link = stage_AddBody(s, shape, size, 1000, at);
    if (i > 0) stage_AddBall(s, s->bodies[first + i - 1], link, (double[3]){at[0], at[1], at[2] - spacing / 2});
  }
  return first;
}

typedef struct dollPart {
  double radius, half, place[3], axis[3];
  int parent; /* -1: none */
  double anchor[3];
  bool hinge;
  double low, high; /* rad */
} dollPart;

static const dollPart dollParts[STAGE_DOLL_PARTS] = {
    {0.13, 0.12, {0, 0, 1.32}, {0, 0, 1}, -1, {0, 0, 0}, false, 0, 0},
    {0.10, 0.05, {0, 0, 0.95}, {0, 1, 0}, 0, {0, 0, 1.06}, false, -0.5, 0.6},
    {0.10, 0.02, {0, 0, 1.72}, {0, 0, 1}, 0, {0, 0, 1.59}, false, -0.6, 0.5},
    {0.045, 0.10, {0, 0.21, 1.36}, {0, 0, 1}, 0, {0, 0.18, 1.48}, false, -1.4, 1.4},
    {0.04, 0.09, {0, 0.21, 1.07}, {0, 0, 1}, 3, {0, 0.21, 1.21}, true, -2.2, 0.1},
    {0.035, 0.03, {0, 0.21, 0.86}, {0, 0, 1}, 4, {0, 0.21, 0.93}, false, -0.8, 0.8},
    {0.045, 0.10, {0, -0.21, 1.36}, {0, 0, 1}, 0, {0, -0.18, 1.48}, false, -1.4, 1.4},
    {0.04, 0.09, {0, -0.21, 1.07}, {0, 0, 1}, 6, {0, -0.21, 1.21}, true, -2.2, 0.1},
    {0.035, 0.03, {0, -0.21, 0.86}, {0, 0, 1}, 7, {0, -0.21, 0.93}, false, -0.8, 0.8},
    {0.07, 0.12, {0, 0.10, 0.63}, {0, 0, 1}, 1, {0, 0.10, 0.85}, false, -1.4, 0.6},
    {0.055, 0.13, {0, 0.10, 0.22}, {0, 0, 1}, 9, {0, 0.10, 0.42}, true, -0.1, 2.2},
    {0.045, 0.06, {0.05, 0.10, -0.03}, {1, 0, 0}, 10, {0, 0.10, 0.02}, false, -0.6, 0.6},
    {0.07, 0.12, {0, -0.10, 0.63}, {0, 0, 1}, 1, {0, -0.10, 0.85}, false, -1.4, 0.6},
    {0.055, 0.13, {0, -0.10, 0.22}, {0, 0, 1}, 12, {0, -0.10, 0.42}, true, -0.1, 2.2},
    {0.045, 0.06, {0.05, -0.10, -0.03}, {1, 0, 0}, 13, {0, -0.10, 0.02}, false, -0.6, 0.6}};

static void joinDollPart(stage *s, const dollPart *part, dBodyID parent, dBodyID body) {
  dJointID joint = part->hinge ? dJointCreateHinge(s->world, NULL) : dJointCreateUniversal(s->world, NULL);
  dJointAttach(joint, body, parent);
  if (part->hinge) {
    dJointSetHingeAnchor(joint, part->anchor[0], part->anchor[1], part->anchor[2]);
    dJointSetHingeAxis(joint, 0, 1, 0);
    dJointSetHingeParam(joint, dParamLoStop, part->low);
    dJointSetHingeParam(joint, dParamHiStop, part->high);
    return;
  }
  dJointSetUniversalAnchor(joint, part->anchor[0], part->anchor[1], part->anchor[2]);
  dJointSetUniversalAxis2(joint, 1, 0, 0);
  dJointSetUniversalAxis1(joint, 0, 1, 0);
  dJointSetUniversalParam(joint, dParamLoStop, part->low);
  dJointSetUniversalParam(joint, dParamHiStop, part->high);
  dJointSetUniversalParam(joint, dParamLoStop2, 0.6 * part->low);
  dJointSetUniversalParam(joint, dParamHiStop2, 0.6 * part->high);
}

int stage_AddDoll(stage *s, const double place[3], const double turn[4], const double velocity[3],
                  const double spin[3]) {
  int first = s->bodyCount;
  for (int i = 0; i < STAGE_DOLL_PARTS; ++i) {
    const dollPart *part = &dollParts[i];
    dMatrix3 rotation;
    dBodyID body = stage_AddBody(s, stageCapsule, (double[3]){2 * part->radius, 0, 2 * (part->half + part->radius)},
                                 DOLL_DENSITY, part->place);
    dRFromZAxis(rotation, part->axis[0], part->axis[1], part->axis[2]);
    dBodySetRotation(body, rotation);
    dBodySetAngularDamping(body, DOLL_SPIN_DAMPING);
    dBodySetAngularDampingThreshold(body, DOLL_SPIN_LIMIT);
    if (part->parent >= 0) joinDollPart(s, part, s->bodies[first + part->parent], body);
  }
  dMatrix3 rotation;
  const dQuaternion q = {turn[0], turn[1], turn[2], turn[3]};
  dRfromQ(rotation, q);
  for (int i = 0; i < STAGE_DOLL_PARTS; ++i) {
    dBodyID body = s->bodies[first + i];
    const dReal *p = dBodyGetPosition(body);
    dVector3 arm = {p[0], p[1], p[2] - 0.95, 0}, turned;
    dQuaternion whole;
    dMultiply0_331(turned, rotation, arm);
    dQMultiply0(whole, q, dBodyGetQuaternion(body));
    dBodySetPosition(body, place[0] + turned[0], place[1] + turned[1], place[2] + turned[2]);
    dBodySetQuaternion(body, whole);
    dBodySetLinearVel(body, velocity[0] + spin[1] * turned[2] - spin[2] * turned[1],
                      velocity[1] + spin[2] * turned[0] - spin[0] * turned[2],
                      velocity[2] + spin[0] * turned[1] - spin[1] * turned[0]);
    dBodySetAngularVel(body, spin[0], spin[1], spin[2]);
  }
  return first;
}

/* ---- figures */

double stage_Energy(const stage *s, double zeroLevel) {
  double sum = 0;
  for (int i = 0; i < s->bodyCount; ++i) {
    dBodyID body = s->bodies[i];
    dMass mass;
    dVector3 local;
    dBodyGetMass(body, &mass);
    const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body), *p = dBodyGetPosition(body);
    dBodyVectorFromWorld(body, w[0], w[1], w[2], local);
    for (int k = 0; k < 3; ++k) {
      sum += 0.5 * mass.mass * v[k] * v[k];
      for (int m = 0; m < 3; ++m) sum += 0.5 * local[k] * mass.I[4 * k + m] * local[m];
    }
    if (dBodyGetGravityMode(body)) sum -= mass.mass * s->setup.gravity * (p[2] - zeroLevel);
  }
  return sum;
}

double stage_Fastest(const stage *s) {
  double most = 0;
  for (int i = 0; i < s->bodyCount; ++i) {
    const dReal *v = dBodyGetLinearVel(s->bodies[i]);
    double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    most = speed > most || isnan(speed) ? speed : most;
  }
  return most;
}

double stage_FastestPoint(const stage *s) {
  double most = 0;
  for (int i = 0; i < s->bodyCount; ++i) {
    const dReal *v = dBodyGetLinearVel(s->bodies[i]), *w = dBodyGetAngularVel(s->bodies[i]);
    dGeomID geom = dBodyGetFirstGeom(s->bodies[i]);
    dReal box[6] = {0};
    if (geom != NULL) dGeomGetAABB(geom, box);
    double reach = hypot(hypot(box[1] - box[0], box[3] - box[2]), box[5] - box[4]) / 2;
    double speed = sqrt(dCalcVectorLengthSquare3(v)) + reach * sqrt(dCalcVectorLengthSquare3(w));
    most = speed > most || isnan(speed) ? speed : most;
  }
  return most;
}

void stage_Copy(const stage *from, stage *to) {
  for (int i = 0; i < from->bodyCount; ++i) {
    const dReal *p = dBodyGetPosition(from->bodies[i]), *v = dBodyGetLinearVel(from->bodies[i]),
                *w = dBodyGetAngularVel(from->bodies[i]);
    dBodySetPosition(to->bodies[i], p[0], p[1], p[2]);
    dBodySetQuaternion(to->bodies[i], dBodyGetQuaternion(from->bodies[i]));
    dBodySetLinearVel(to->bodies[i], v[0], v[1], v[2]);
    dBodySetAngularVel(to->bodies[i], w[0], w[1], w[2]);
  }
  to->rand = from->rand;
}

bool stage_IsFinite(const stage *s) {
  for (int i = 0; i < s->bodyCount; ++i) {
    const dReal *p = dBodyGetPosition(s->bodies[i]), *v = dBodyGetLinearVel(s->bodies[i]);
    for (int k = 0; k < 3; ++k)
      if (!(fabs(p[k]) < 1e9) || !(fabs(v[k]) < 1e9)) return false;
  }
  return true;
}

bool stage_Same(const stage *a, const stage *b) {
  for (int i = 0; i < a->bodyCount; ++i)
    if (memcmp(dBodyGetPosition(a->bodies[i]), dBodyGetPosition(b->bodies[i]), 3 * sizeof(dReal)) != 0 ||
        memcmp(dBodyGetQuaternion(a->bodies[i]), dBodyGetQuaternion(b->bodies[i]), 4 * sizeof(dReal)) != 0)
      return false;
  return true;
}
