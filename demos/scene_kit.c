/* SPDX-License-Identifier: BSD-3-Clause */
/* How is a scene put together, stepped and measured? Everything that is the same for all of them.
 * Based on: ODE 0.16 manual (spaces, joints, contact joints); splitmix64 (Steele, Lea, Flood 2014).
 * Units: m, kg, s, J; z up; quaternions (w,x,y,z) as ODE's. */
#include "scene_kit.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "query_log.h"
#include "render.h"

#define GRAVITY 9.81
#define CONTACT_LIMIT 16

uint64_t kit_Random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

double kit_Uniform(uint64_t *state, double low, double high) {
  return low + (high - low) * ((double)(kit_Random(state) >> 11) * 0x1p-53);
}

/* ODE's complaints (axes that became parallel, an LCP that gave up) come by the hundred once a body has burst through a
 * wall: counted, not printed. ODE's handler knows no scene. */
static long odeMessages;

static void countMessage(int number, const char *format, va_list arguments) {
  (void)number, (void)format, (void)arguments;
  odeMessages++;
}

static demoScene *begin(const demoParams *params, double defaultSpeed, char *message, size_t messageCapacity) {
  double step = params->step != 0.0 ? params->step : 1.0 / 60.0,
         speed = params->speed != 0.0 ? params->speed : defaultSpeed;
  if (!(step > 0.0 && step <= 1.0) || !(fabs(speed) <= 1e4)) {
    snprintf(message, messageCapacity,
             "step %g s, speed %g m/s: the step must be in (0, 1] and the speed at most 10000", step, speed);
    return NULL;
  }
  demoScene *scene = calloc(1, sizeof *scene);
  if (!scene) {
    snprintf(message, messageCapacity, "no memory for a scene");
    return NULL;
  }
  if (!dInitODE2(0)) {
    snprintf(message, messageCapacity, "dInitODE2 failed");
    free(scene);
    return NULL;
  }
  dSetMessageHandler(countMessage);
  dRandSetSeed(42); /* QuickStep shuffles its rows by it */
  scene->params = *params;
  scene->step = step;
  scene->speed = speed;
  scene->friction = 0.6;
  scene->maxContacts = 8;
  scene->world = dWorldCreate();
  scene->space = dSimpleSpaceCreate(NULL);
  scene->contacts = dJointGroupCreate(0);
  dWorldSetGravity(scene->world, 0.0, 0.0, -GRAVITY);
  return scene;
}

/* Cooking takes longer than most runs: done once, kept beside the model's file, trusted only while it fits. */
static bool useCookedMeshes(demoScene *scene, char *message, size_t messageCapacity) {
  for (int i = 0; i < scene->meshCount; i++) {
    void *blob;
    size_t size;
    if (!scene->meshData[i] || !scene->meshFiles[i]) continue;
    if (brinkLoadCooked(scene->meshFiles[i], NULL, 0, scene->params.quiet, &blob, &size, NULL, message,
                        messageCapacity) != brink_ok)
      return false;
    int used = dBrinkUseCookedMesh(scene->brink, scene->meshData[i], blob, size);
    brinkFreeBlob(blob);
    if (used) continue;
    snprintf(message, messageCapacity, "%s, cooked: %s", scene->meshFiles[i], dBrinkGetError(scene->brink));
    return false;
  }
  return true;
}

/* Once all bodies stand: meshes are cooked once and kept beside their files (FILE.brink); the vertices of a loaded mesh
 * must be the file's own. */
static bool attachBrink(demoScene *scene, double allowance, const int *classes, char *message, size_t messageCapacity) {
  scene->startEnergy = kit_Energy(scene);
  if (scene->params.queryDir) {
    scene->queries = queryLog_Open(scene, scene->params.queryDir, message, messageCapacity);
    if (!scene->queries) return false;
  }
  if (!scene->params.withBrink) return true;
  scene->brink = dBrinkCreate(scene->world);
  if (!scene->brink) {
    snprintf(message, messageCapacity, "dBrinkCreate: %s", dBrinkGetError(NULL));
    return false;
  }
  if (!useCookedMeshes(scene, message, messageCapacity)) return false;
  bool good = dBrinkAddSpace(scene->brink, scene->space) && dBrinkSetScheme(scene->brink, scene->params.scheme);
  if (good && allowance > 0.0) good = dBrinkSetAllowance(scene->brink, allowance);
  for (; good && classes && classes[0] >= 0; classes += 2) good = dBrinkRegister(classes[0], classes[1]);
  if (!good) snprintf(message, messageCapacity, "setting up Brink: %s", dBrinkGetError(scene->brink));
  return good;
}

demoScene *kit_Create(const kitPlan *plan, const demoParams *params, char *message, size_t messageCapacity) {
  demoScene *scene = begin(params, plan->defaultSpeed, message, messageCapacity);
  if (!scene) return NULL;
  scene->own = plan->ownSize > 0 ? calloc(1, plan->ownSize) : NULL;
  scene->releaseOwn = plan->releaseOwn ? plan->releaseOwn : plan->ownSize > 0 ? free : NULL;
  memcpy(scene->view, plan->view, sizeof scene->view);
  message[0] = '\0';
  bool good = (plan->ownSize == 0 || scene->own) && plan->build(scene, message, messageCapacity) &&
              attachBrink(scene, plan->allowance, plan->classes, message, messageCapacity);
  if (good && plan->finish && !plan->finish(scene)) {
    snprintf(message, messageCapacity, "setting up Brink: %s", dBrinkGetError(scene->brink));
    good = false;
  }
  scene->drive = plan->drive;
  scene->wants = plan->wants;
  scene->check = plan->check;
  if (good) return scene;
  if (message[0] == '\0') snprintf(message, messageCapacity, "no memory for a scene and its meshes");
  kit_Destroy(scene);
  return NULL;
}

void kit_Destroy(demoScene *scene) {
  if (!scene) return;
  if (!queryLog_Close(scene->queries))
    fprintf(stderr, "queries in %s are not whole; is the disk full?\n", scene->params.queryDir);
  dBrinkDestroy(scene->brink);
  dJointGroupDestroy(scene->contacts);
  dSpaceDestroy(scene->space); /* and its geoms */
  dWorldDestroy(scene->world);
  for (int i = 0; i < scene->meshCount; i++) {
    if (scene->meshData[i]) dGeomTriMeshDataDestroy(scene->meshData[i]);
    brinkFreeMesh(&scene->meshes[i]);
    free(scene->meshFiles[i]);
  }
  if (scene->releaseOwn) scene->releaseOwn(scene->own);
  free(scene);
  dSetMessageHandler(NULL);
  dCloseODE();
}

/* ---- meshes */

static brinkMesh *nextMesh(demoScene *scene) {
  return scene->meshCount < KIT_MESHES ? &scene->meshes[scene->meshCount++] : NULL;
}

/* Writes beside the final name and renames: two programs that start together never read half a file. */
static bool writeModel(const char *path, brinkModel model, int part, uint64_t seed, char *message,
                       size_t messageCapacity) {
  char temporary[1100];
  brinkMesh generated;
  if (brinkGenerateModel(model, part, seed, &generated, message, messageCapacity) != brink_ok) return false;
  snprintf(temporary, sizeof temporary, "%.1000s.%ld.obj", path, (long)getpid());
  bool good = brinkWriteObj(temporary, &generated, message, messageCapacity) == brink_ok;
  brinkFreeMesh(&generated);
  if (good && rename(temporary, path) != 0) {
    snprintf(message, messageCapacity, "cannot rename %s to %s: %s", temporary, path, strerror(errno));
    remove(temporary);
    good = false;
  }
  return good;
}

brinkMesh *kit_LoadModel(demoScene *scene, brinkModel model, int part, uint64_t seed, const char *name, char *message,
                         size_t messageCapacity) {
  const char *folder = scene->params.assetDir ? scene->params.assetDir : "models";
  char path[1000];
  if (snprintf(path, sizeof path, "%s/%s.obj", folder, name) >= (int)sizeof path) {
    snprintf(message, messageCapacity, "folder name too long: %s", folder);
    return NULL;
  }
  if (!folder_Make(folder)) {
    snprintf(message, messageCapacity, "cannot make folder %s: %s", folder, strerror(errno));
    return NULL;
  }
  bool present = scene->params.reuseModels && access(path, R_OK) == 0;
  if (!present && !writeModel(path, model, part, seed, message, messageCapacity)) return NULL;
  brinkMesh *mesh = nextMesh(scene);
  if (!mesh) {
    snprintf(message, messageCapacity, "more than %d meshes in a scene", KIT_MESHES);
    return NULL;
  }
  if (brinkImportMesh(path, 0, mesh, message, messageCapacity) != brink_ok) {
    scene->meshCount--;
    return NULL;
  }
  scene->meshFiles[scene->meshCount - 1] = strdup(path); /* without it the mesh is cooked again, nothing worse */
  return mesh;
}

static brinkMesh *makeMesh(demoScene *scene, size_t vertexCount, size_t triangleCount) {
  brinkMesh *mesh = nextMesh(scene);
  if (!mesh) return NULL;
  *mesh = (brinkMesh){.vertexCount = vertexCount, .triangleCount = triangleCount};
  mesh->vertices = calloc(3 * vertexCount, sizeof *mesh->vertices);
  mesh->indices = calloc(3 * triangleCount, sizeof *mesh->indices);
  if (mesh->vertices && mesh->indices) return mesh;
  brinkFreeMesh(mesh);
  scene->meshCount--;
  return NULL;
}

brinkMesh *kit_MakeBoxMesh(demoScene *scene, double x, double y, double z) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  brinkMesh *mesh = makeMesh(scene, 8, 12);
  if (!mesh) return NULL;
  for (int i = 0; i < 8; i++) {
    mesh->vertices[3 * i] = i & 1 ? 0.5 * x : -0.5 * x;
    mesh->vertices[3 * i + 1] = i & 2 ? 0.5 * y : -0.5 * y;
    mesh->vertices[3 * i + 2] = i & 4 ? 0.5 * z : -0.5 * z;
  }
  for (int q = 0; q < 6; q++) {
    const uint32_t corners[6] = {quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3]};
    memcpy(mesh->indices + 6 * q, corners, sizeof corners);
  }
  return mesh;
}

brinkMesh *kit_MakeRoundMesh(demoScene *scene, const double (*rings)[2], int ringCount, int sides) {
  brinkMesh *mesh = makeMesh(scene, (size_t)ringCount * (size_t)sides, 2 * (size_t)(ringCount - 1) * (size_t)sides);
  uint32_t *next = mesh ? mesh->indices : NULL, step = (uint32_t)sides;
  for (int r = 0; mesh && r < ringCount; r++)
    for (int i = 0; i < sides; i++) {
      double angle = 6.283185307179586 * i / sides, *v = mesh->vertices + 3 * (r * sides + i);
      v[0] = rings[r][0] * cos(angle), v[1] = rings[r][0] * sin(angle), v[2] = rings[r][1];
      if (r + 1 == ringCount) continue;
      uint32_t a = (uint32_t)(r * sides + i), b = (uint32_t)(r * sides + (i + 1) % sides);
      const uint32_t corners[6] = {a, b, b + step, a, b + step, a + step};
      memcpy(next, corners, sizeof corners);
      next += 6;
    }
  return mesh;
}

brinkMesh *kit_MakeBallMesh(demoScene *scene, double radius) {
  enum { rings = 9, sides = 16 };
  double profile[rings][2];
  for (int i = 0; i < rings; i++) {
    double angle = M_PI * i / (rings - 1);
    profile[i][0] = i == rings - 1 ? 0.0 : radius * sin(angle);
    profile[i][1] = -radius * cos(angle);
  }
  return kit_MakeRoundMesh(scene, (const double(*)[2])profile, rings, sides);
}

void kit_MeshBounds(const brinkMesh *mesh, double low[3], double high[3]) {
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
  for (size_t i = 0; i < 3 * mesh->vertexCount; i++) {
    low[i % 3] = fmin(low[i % 3], mesh->vertices[i]);
    high[i % 3] = fmax(high[i % 3], mesh->vertices[i]);
  }
}

/* ---- bodies */

dGeomID kit_AddMeshGeom(demoScene *scene, dBodyID body, brinkMesh *mesh) {
  size_t index = (size_t)(mesh - scene->meshes);
  if (!scene->meshData[index]) {
    scene->meshData[index] = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(scene->meshData[index], mesh->vertices, 3 * sizeof(double), (int)mesh->vertexCount,
                                mesh->indices, (int)(3 * mesh->triangleCount), 3 * sizeof(uint32_t));
  }
  dGeomID geom = dCreateTriMesh(scene->space, scene->meshData[index], NULL, NULL, NULL);
  if (body) dGeomSetBody(geom, body);
  return geom;
}

dBodyID kit_AddBody(demoScene *scene, double mass, const double boxSize[3]) {
  dMass distribution;
  dBodyID body = dBodyCreate(scene->world);
  dMassSetBoxTotal(&distribution, mass, boxSize[0], boxSize[1], boxSize[2]);
  dBodySetMass(body, &distribution);
  if (scene->bodyCount < KIT_BODIES) scene->bodies[scene->bodyCount++] = body;
  return body;
}

void kit_AddVisual(demoScene *scene, dBodyID body, dGeomID geom, const brinkMesh *mesh, const float color[3], int style,
                   int part) {
  if (scene->visualCount >= KIT_VISUALS) return;
  demoVisual *visual = &scene->visuals[scene->visualCount++];
  *visual = (demoVisual){.body = body, .geom = geom, .mesh = mesh, .style = style, .part = part};
  memcpy(visual->color, color, sizeof visual->color);
}

dGeomID kit_AddStaticBox(demoScene *scene, const double centre[3], const double size[3], const float color[3],
                         char *message, size_t messageCapacity) {
  brinkMesh *mesh = kit_MakeBoxMesh(scene, size[0], size[1], size[2]);
  if (!mesh) {
    snprintf(message, messageCapacity, "no memory for a box, or more than %d meshes", KIT_MESHES);
    return NULL;
  }
  dGeomID geom = dCreateBox(scene->space, size[0], size[1], size[2]);
  dGeomSetPosition(geom, centre[0], centre[1], centre[2]);
  kit_AddVisual(scene, NULL, geom, mesh, color, 0, -1);
  return geom;
}

dGeomID kit_AddBall(demoScene *scene, const brinkMesh *mesh, double radius, const double place[3],
                    const double velocity[3], const float color[3], int part) {
  dMass mass;
  dMassSetSphere(&mass, 7850.0, radius);
  dBodyID body = kit_AddBody(scene, 1.0, (const double[3]){radius, radius, radius});
  dBodySetMass(body, &mass);
  dBodySetPosition(body, place[0], place[1], place[2]);
  dBodySetLinearVel(body, velocity[0], velocity[1], velocity[2]);
  dGeomID geom = dCreateSphere(scene->space, radius);
  dGeomSetBody(geom, body);
  kit_AddVisual(scene, body, geom, mesh, color, 0, part);
  return geom;
}

bool kit_AddGround(demoScene *scene, double half, const float color[3], char *message, size_t messageCapacity) {
  static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
  brinkMesh *mesh = makeMesh(scene, 4, 2);
  if (!mesh) {
    snprintf(message, messageCapacity, "no memory for the ground");
    return false;
  }
  for (int i = 0; i < 4; i++) {
    mesh->vertices[3 * i] = i == 1 || i == 2 ? half : -half;
    mesh->vertices[3 * i + 1] = i >= 2 ? half : -half;
  }
  memcpy(mesh->indices, corners, sizeof corners);
  kit_AddVisual(scene, NULL, dCreatePlane(scene->space, 0.0, 0.0, 1.0, 0.0), mesh, color, RENDER_GROUND, -1);
  return true;
}

void kit_AddJoint(demoScene *scene, dJointID joint) {
  if (scene->jointCount < KIT_BODIES) scene->joints[scene->jointCount++] = joint;
}

/* ---- the step */

static void nearCallback(void *data, dGeomID g1, dGeomID g2) {
  demoScene *scene = data;
  dBodyID body1 = dGeomGetBody(g1), body2 = dGeomGetBody(g2);
  if (!body1 && !body2) return;
  if (body1 && body2 && dAreConnectedExcluding(body1, body2, dJointTypeContact)) return;
  if (scene->wants && !scene->wants(scene, g1, g2)) return;
  dContact contacts[CONTACT_LIMIT];
  memset(contacts, 0, sizeof contacts);
  int count = dCollide(g1, g2, scene->maxContacts, &contacts[0].geom, sizeof contacts[0]);
  for (int i = 0; i < count; i++) {
    contacts[i].surface.mode = dContactApprox1 | (scene->contactSoftness > 0.0 ? dContactSoftCFM : 0);
    contacts[i].surface.mu = scene->friction;
    contacts[i].surface.soft_cfm = scene->contactSoftness;
    dJointAttach(dJointCreateContact(scene->world, scene->contacts, &contacts[i]), body1, body2);
  }
}

static void advanceWorld(demoScene *scene, demoFrame *out) {
  if (!scene->brink) {
    if (scene->quickStep)
      dWorldQuickStep(scene->world, scene->step);
    else
      dWorldStep(scene->world, scene->step);
    return;
  }
  int good = scene->quickStep ? dBrinkWorldQuickStep(scene->brink, scene->step, scene, nearCallback, scene->contacts)
                              : dBrinkWorldStep(scene->brink, scene->step, scene, nearCallback, scene->contacts);
  out->brink.structSize = sizeof out->brink;
  if (good) good = dBrinkGetStepInfo(scene->brink, &out->brink);
  out->failed = !good;
  for (int i = 0; i < out->brink.eventCount; i++)
    if (out->brink.events[i].toi == out->brink.firstToi) {
      out->toiUpper = out->brink.events[i].toiUpper;
      break;
    }
  if (!good && scene->complaint[0] == '\0')
    snprintf(scene->complaint, sizeof scene->complaint, "frame %d: %.200s", scene->frame, dBrinkGetError(scene->brink));
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void kit_Step(demoScene *scene, demoFrame *out) {
  *out = (demoFrame){.frame = scene->frame, .step = scene->step, .startEnergy = scene->startEnergy};
  out->brink.firstToi = out->toiUpper = BRINK_NO_TIME;
  long messages = odeMessages;
  if (scene->drive) scene->drive(scene);
  double start = milliseconds();
  dSpaceCollide(scene->space, scene, nearCallback);
  if (scene->queries) queryLog_Frame(scene->queries, scene);
  advanceWorld(scene, out);
  dJointGroupEmpty(scene->contacts);
  out->milliseconds = milliseconds() - start;
  scene->frame++;
  out->odeMessages = (int)(odeMessages - messages);
  out->energy = kit_Energy(scene);
  out->jointError = kit_JointError(scene);
  if (scene->check) scene->check(scene, out);
}

size_t kit_Visuals(demoScene *scene, const demoVisual **out) {
  *out = scene->visuals;
  return scene->visualCount;
}

dBrinkID kit_Brink(demoScene *scene) { return scene->brink; }

void kit_Camera(demoScene *scene, int frame, double eye[3], double target[3]) {
  (void)frame;
  memcpy(eye, scene->view[0], sizeof scene->view[0]);
  memcpy(target, scene->view[1], sizeof scene->view[1]);
}

/* ---- figures */

static uint64_t hashBytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3); /* FNV-1a */
  return hash;
}

uint64_t kit_HashBodies(const dBodyID *bodies, int count) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (int i = 0; i < count; i++) {
    hash = hashBytes(hash, dBodyGetPosition(bodies[i]), 3 * sizeof(dReal));
    hash = hashBytes(hash, dBodyGetQuaternion(bodies[i]), 4 * sizeof(dReal));
    hash = hashBytes(hash, dBodyGetLinearVel(bodies[i]), 3 * sizeof(dReal));
    hash = hashBytes(hash, dBodyGetAngularVel(bodies[i]), 3 * sizeof(dReal));
  }
  return hash;
}

void kit_Tell(demoScene *scene, double value) {
  scene->told = hashBytes(scene->told ? scene->told : 1, &value, sizeof value);
}

uint64_t kit_Hash(demoScene *scene) {
  uint64_t hash = kit_HashBodies(scene->bodies, scene->bodyCount);
  return scene->told ? hashBytes(hash, &scene->told, sizeof scene->told) : hash;
}

double kit_Energy(demoScene *scene) {
  double energy = 0.0;
  for (int i = 0; i < scene->bodyCount; i++) {
    dMass mass;
    dVector3 spin; /* body frame, like the inertia */
    dBodyGetMass(scene->bodies[i], &mass);
    const dReal *v = dBodyGetLinearVel(scene->bodies[i]), *w = dBodyGetAngularVel(scene->bodies[i]);
    dBodyVectorFromWorld(scene->bodies[i], w[0], w[1], w[2], spin);
    energy += 0.5 * mass.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) energy += 0.5 * spin[r] * mass.I[4 * r + c] * spin[c];
    energy += mass.mass * GRAVITY * (dBodyGetPosition(scene->bodies[i])[2] - scene->zeroLevel);
  }
  return energy;
}

double kit_JointError(demoScene *scene) {
  double worst = 0.0;
  for (int i = 0; i < scene->jointCount; i++) {
    dVector3 a = {0}, b = {0};
    switch (dJointGetType(scene->joints[i])) {
      case dJointTypeBall:
        dJointGetBallAnchor(scene->joints[i], a);
        dJointGetBallAnchor2(scene->joints[i], b);
        break;
      case dJointTypeHinge:
        dJointGetHingeAnchor(scene->joints[i], a);
        dJointGetHingeAnchor2(scene->joints[i], b);
        break;
      case dJointTypeUniversal:
        dJointGetUniversalAnchor(scene->joints[i], a);
        dJointGetUniversalAnchor2(scene->joints[i], b);
        break;
      default:
        continue;
    }
    double error = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    if (!(error <= worst)) worst = error; /* a NaN stays visible */
  }
  return worst;
}

void kit_ToWorld(dBodyID body, const double local[3], double world[3]) {
  const dReal *p = dBodyGetPosition(body), *r = dBodyGetRotation(body);
  for (int k = 0; k < 3; k++) world[k] = p[k] + r[4 * k] * local[0] + r[4 * k + 1] * local[1] + r[4 * k + 2] * local[2];
}

static int countBits(uint64_t mask) {
  int count = 0;
  for (; mask; mask &= mask - 1) count++;
  return count;
}

/* Like fmax, but a NaN wins: a broken run must not look good. */
static double worse(double a, double b) { return b > a || isnan(b) ? b : a; }

void kit_Summarize(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, kitSummary *out) {
  *out = (kitSummary){.firstExtraSolve = -1, .lastExtraSolve = -1};
  uint64_t plainMask = 0, brinkMask = 0;
  for (int i = 0; i < frameCount; i++) {
    const demoFrame *p = &plainFrames[i], *b = &brinkFrames[i];
    if (p->through > out->worstThroughPlain) out->worstThroughPlain = p->through;
    if (b->through > out->worstThroughBrink) out->worstThroughBrink = b->through;
    if (p->lost > out->worstLostPlain) out->worstLostPlain = p->lost;
    if (b->lost > out->worstLostBrink) out->worstLostBrink = b->lost;
    plainMask |= p->throughMask;
    brinkMask |= b->throughMask;
    out->worstDepthPlain = worse(out->worstDepthPlain, p->worstDepth);
    out->worstDepthBrink = worse(out->worstDepthBrink, b->worstDepth);
    out->worstJointPlain = worse(out->worstJointPlain, p->jointError);
    out->worstJointBrink = worse(out->worstJointBrink, b->jointError);
    out->worstEnergyPlain = worse(out->worstEnergyPlain, p->energy / p->startEnergy);
    out->worstEnergyBrink = worse(out->worstEnergyBrink, b->energy / b->startEnergy);
    out->clamps += b->brink.clamps;
    out->lostTime += b->brink.lostTime;
    out->runTime += b->step;
    out->failed += b->failed;
    out->odeMessagesPlain += p->odeMessages;
    out->odeMessagesBrink += b->odeMessages;
    if (b->brink.solves > 1) {
      out->extraSolves += b->brink.solves - 1;
      out->lastExtraSolve = i;
      if (out->firstExtraSolve < 0) out->firstExtraSolve = i;
    }
  }
  out->everThroughPlain = countBits(plainMask);
  out->everThroughBrink = countBits(brinkMask);
}

bool kit_JudgeThrow(const kitSummary *sum, int through, char *out, size_t capacity) {
  bool joints = sum->worstJointBrink <= 1.1 * sum->worstJointPlain, energy = sum->worstEnergyBrink <= 1.05,
       held = !(sum->lostTime <= KIT_LOST_SHARE * sum->runTime);
  size_t used = strlen(out);
  snprintf(
      out + used, capacity - used,
      " Worst joint error %.3f m against %.3f m%s; energy at most %.3f of the start%s; bodies held still by clamps "
      "%.1f %% of the time%s.",
      sum->worstJointBrink, sum->worstJointPlain, joints ? "" : " (TOO MUCH)", sum->worstEnergyBrink,
      energy ? "" : " (TOO MUCH)", 100.0 * sum->lostTime / sum->runTime, held ? " (TOO MUCH)" : "");
  return through == 0 && joints && energy && !held && sum->failed == 0;
}
