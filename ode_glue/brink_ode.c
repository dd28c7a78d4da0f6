/* SPDX-License-Identifier: BSD-3-Clause */
/* The public dBrink functions: making and ending, settings, errors, what happened. Nothing here touches a world that it
 * has not checked first; every failure leaves a text that says what, where and what to do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dxbrink.h"

#define DEFAULT_SUBSTEPS 8
#define DEFAULT_ORDER 3u

static char createError[512]; /* of the last failed dBrinkCreate: there is no object to keep it in */

/* ---- helpers shared with the other files */

bool dxBrinkReserve(void **items, size_t *capacity, size_t count, size_t itemSize) {
  if (count < *capacity) {
    return true;
  }
  size_t wider = *capacity == 0 ? 16 : 2 * *capacity;
  void *moved = realloc(*items, wider * itemSize);
  if (moved == NULL) {
    return false;
  }
  *items = moved;
  *capacity = wider;
  return true;
}

void dxBrinkLog(dBrinkID brink, brinkLogLevel level, const char *format, ...) {
  if (brink->log == NULL) {
    return;
  }
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  brink->log(brink->logUser, (int)level, message);
}

int dxBrinkFail(dBrinkID brink, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(brink != NULL ? brink->error : createError, sizeof(createError), format, arguments);
  va_end(arguments);
  if (brink != NULL) {
    dxBrinkLog(brink, brink_logError, "%s", brink->error);
  }
  return 0;
}

static int succeed(dBrinkID brink) {
  brink->error[0] = '\0';
  return 1;
}

static void logFromPlugin(void *user, int level, const char *message) {
  dxBrinkLog(user, (brinkLogLevel)level, "%s", message);
}

static jmp_buf notInitialised;

static void catchAssertion(int number, const char *message, va_list arguments) {
  (void)number;
  (void)message;
  (void)arguments;
  longjmp(notInitialised, 1);
}

/* ODE has no question for this. dAllocateODEDataForThread does nothing in an initialised library (the calling thread's
 * data is there already, or is made as any user of a thread must) and asserts in any other; the assertion is caught by
 * ODE's own handler instead of ending the process. A library built without assertions (ODE_EXT_no_debug) cannot be
 * asked. */
bool dxBrinkOdeIsInitialised(void) {
  if (dCheckConfiguration("ODE_EXT_no_debug")) {
    return true;
  }
  dMessageFunction *volatile previous = dGetDebugHandler();
  volatile bool initialised = false;
  dSetDebugHandler(catchAssertion);
  if (setjmp(notInitialised) == 0) {
    initialised = dAllocateODEDataForThread(dAllocateFlagBasicData) != 0;
  }
  dSetDebugHandler(previous);
  return initialised;
}

/* ---- making and ending */

/* NULL: createError says why. */
static brinkWorld *openWorld(dBrinkID brink, const brinkPlugin *plugin, uint32_t taylorOrder) {
  brinkHost host = {.structSize = sizeof(host), .abiMajor = BRINK_ABI_MAJOR, .user = brink, .log = logFromPlugin};
  brinkWorldDef def = {.structSize = sizeof(def), .taylorOrder = taylorOrder};
  brinkWorld *world = NULL;
  brinkStatus status = plugin->createWorld(&host, &def, &world);
  if (status != brink_ok) {
    dxBrinkFail(NULL, "libbrink made no world: %s", plugin->statusText(status));
    return NULL;
  }
  return world;
}

static int openPlugin(dBrinkID brink) {
  const char *reason = NULL;
  brink->shapes.plugin = brinkEntry(BRINK_ABI_MAJOR, &reason);
  if (brink->shapes.plugin == NULL) {
    return dxBrinkFail(NULL, "dBrinkCreate: libbrink was refused: %s", reason != NULL ? reason : "no reason given");
  }
  brink->taylorOrder = DEFAULT_ORDER;
  brink->shapes.world = openWorld(brink, brink->shapes.plugin, DEFAULT_ORDER);
  return brink->shapes.world != NULL;
}

dBrinkID dBrinkCreateChecked(dWorldID world, unsigned realSize) {
  createError[0] = '\0';
  if (realSize != sizeof(double)) {
    dxBrinkFail(
        NULL,
        "dBrinkCreate: this program was compiled with a dReal of %u bytes, Brink needs 8; compile with -DdDOUBLE and "
        "link a double-precision ODE",
        realSize);
    return NULL;
  }
  if (!dCheckConfiguration("ODE_double_precision")) {
    dxBrinkFail(
        NULL,
        "dBrinkCreate: the loaded libode is single precision (%s); install or link a double-precision build, such as "
        "Debian's libode8",
        dGetConfiguration());
    return NULL;
  }
  if (!dxBrinkOdeIsInitialised()) {
    dxBrinkFail(NULL, "dBrinkCreate: ODE is not initialised; call dInitODE2(0) first");
    return NULL;
  }
  if (world == NULL) {
    dxBrinkFail(NULL, "dBrinkCreate: world is NULL; pass the dWorldID that dWorldCreate returned");
    return NULL;
  }
  dBrinkID brink = calloc(1, sizeof(*brink));
  if (brink == NULL) {
    dxBrinkFail(NULL, "dBrinkCreate: no memory");
    return NULL;
  }
  brink->world = world;
  brink->enabled = true;
  brink->maxSubsteps = DEFAULT_SUBSTEPS;
  brink->allowanceCap = INFINITY;
  if (!openPlugin(brink)) {
    free(brink);
    return NULL;
  }
  brink->ownGroup = dJointGroupCreate(0);
  dxBrinkEnlist(brink);
  return brink;
}

void dBrinkDestroy(dBrinkID brink) {
  if (brink == NULL) {
    return;
  }
  dxBrinkDelist(brink);
  dxBrinkForget(brink);
  dxBrinkFreeShapes(&brink->shapes);
  dJointGroupDestroy(brink->ownGroup);
  brinkKeyMap_Free(&brink->geomMap);
  brinkKeyMap_Free(&brink->colliderMap);
  brinkKeyMap_Free(&brink->bodyMap);
  brinkKeyMap_Free(&brink->jointMap);
  void *blocks[] = {brink->spaces,         brink->geoms,   brink->bodies,    brink->joints,    brink->gathered,
                    brink->disabledJoints, brink->dropped, brink->strikes,   brink->nearPairs, brink->sleepers,
                    brink->erps,           brink->events,  brink->heldApart, brink->heldGeoms,
                    brink->motions,        brink->verdicts};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
  free(brink);
}

const char *dBrinkGetError(dBrinkID brink) { return brink != NULL ? brink->error : createError; }

/* ---- what is watched */

static size_t findSpace(const dxBrink *brink, dSpaceID space) {
  size_t at = 0;
  while (at < brink->spaceCount && brink->spaces[at] != space) {
    at++;
  }
  return at;
}

int dBrinkAddSpace(dBrinkID brink, dSpaceID space) {
  if (brink == NULL) {
    return 0;
  }
  if (space == NULL) {
    return dxBrinkFail(brink, "dBrinkAddSpace: space is NULL");
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "dBrinkAddSpace: called from inside a step's near callback; call it between steps");
  }
  if (dSpaceGetClass(space) == dQuadTreeSpaceClass) {
    return dxBrinkFail(
        brink,
        "dBrinkAddSpace: ODE cannot list the geoms of a quadtree space (dSpaceGetGeom aborts); use a hash, simple or "
        "sweep-and-prune space");
  }
  if (findSpace(brink, space) < brink->spaceCount) {
    return succeed(brink);
  }
  if (!DX_BRINK_RESERVE(brink->spaces, brink->spaceCount, brink->spaceCapacity)) {
    return dxBrinkFail(brink, "dBrinkAddSpace: no memory");
  }
  brink->spaces[brink->spaceCount++] = space;
  if (!dxBrinkRefresh(brink)) {
    brink->spaceCount--;
    return 0;
  }
  return succeed(brink);
}

int dBrinkRemoveSpace(dBrinkID brink, dSpaceID space) {
  if (brink == NULL) {
    return 0;
  }
  size_t at = findSpace(brink, space);
  if (at == brink->spaceCount || brink->busy) {
    return dxBrinkFail(
        brink, brink->busy ? "dBrinkRemoveSpace: called from inside a step's near callback; call it between steps"
                           : "dBrinkRemoveSpace: this space was not added with dBrinkAddSpace");
  }
  memmove(&brink->spaces[at], &brink->spaces[at + 1], (brink->spaceCount - at - 1) * sizeof(*brink->spaces));
  brink->spaceCount--;
  return succeed(brink);
}

int dBrinkAddBody(dBrinkID brink, dBodyID body) {
  if (brink == NULL) {
    return 0;
  }
  if (body == NULL || brink->busy) {
    return dxBrinkFail(brink, body == NULL
                                  ? "dBrinkAddBody: body is NULL"
                                  : "dBrinkAddBody: called from inside a step's near callback; call it between steps");
  }
  return dxBrinkPinBody(brink, body) ? succeed(brink) : 0;
}

int dBrinkRemoveBody(dBrinkID brink, dBodyID body) {
  if (brink == NULL) {
    return 0;
  }
  uint32_t number = dxBrinkFindBody(brink, body);
  if (number == BRINK_NO_RECORD || !brink->bodies[number].pinned) {
    return dxBrinkFail(brink, "dBrinkRemoveBody: this body was not added with dBrinkAddBody");
  }
  brink->bodies[number].pinned = false;
  return succeed(brink);
}

int dBrinkUseCookedMesh(dBrinkID brink, dTriMeshDataID data, const void *blob, size_t blobSize) {
  if (brink == NULL) {
    return 0;
  }
  if (data == NULL || blob == NULL || blobSize == 0) {
    return dxBrinkFail(brink, "dBrinkUseCookedMesh: data or blob is empty; pass what brinkCook returned");
  }
  dxBrinkShapes *shapes = &brink->shapes;
  size_t at = 0;
  while (at < shapes->blobCount && shapes->blobs[at].data != data) {
    at++;
  }
  void *copy = malloc(blobSize);
  if (copy == NULL || !DX_BRINK_RESERVE(shapes->blobs, shapes->blobCount, shapes->blobCapacity)) {
    free(copy);
    return dxBrinkFail(brink, "dBrinkUseCookedMesh: no memory for %zu bytes", blobSize);
  }
  memcpy(copy, blob, blobSize);
  if (at == shapes->blobCount) {
    shapes->blobs[shapes->blobCount++] = (dxBrinkBlob){.data = data};
  }
  free(shapes->blobs[at].blob);
  shapes->blobs[at].blob = copy;
  shapes->blobs[at].size = blobSize;
  return succeed(brink);
}

/* ---- settings */

int dBrinkSetEnabled(dBrinkID brink, int enabled) {
  if (brink == NULL) {
    return 0;
  }
  brink->enabled = enabled != 0;
  return succeed(brink);
}

int dBrinkSetMaxSubsteps(dBrinkID brink, int count) {
  if (brink == NULL) {
    return 0;
  }
  if (count < 0) {
    return dxBrinkFail(brink, "dBrinkSetMaxSubsteps: %d is negative; 0 means clamp at once", count);
  }
  brink->maxSubsteps = count;
  return succeed(brink);
}

static int badAllowance(dBrinkID brink, const char *where, double allowance) {
  return dxBrinkFail(brink, "%s: allowance %g must be a positive length in m", where, allowance);
}

int dBrinkSetGeomAllowance(dBrinkID brink, dGeomID geom, dReal allowance) {
  if (brink == NULL) {
    return 0;
  }
  if (!(allowance > 0)) {
    return badAllowance(brink, "dBrinkSetGeomAllowance", allowance);
  }
  if (brink->busy) {
    return dxBrinkFail(brink,
                       "dBrinkSetGeomAllowance: called from inside a step's near callback; call it between steps");
  }
  if (!dxBrinkRefresh(brink)) {
    return 0;
  }
  dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
  if (record == NULL) {
    return dxBrinkFail(
        brink, "dBrinkSetGeomAllowance: the geom is in no watched space; add its space with dBrinkAddSpace first");
  }
  record->userAllowance = allowance;
  return dxBrinkApplyAllowances(brink) ? succeed(brink) : 0;
}

int dBrinkSetAllowance(dBrinkID brink, dReal allowance) {
  if (brink == NULL) {
    return 0;
  }
  if (!(allowance > 0)) {
    return badAllowance(brink, "dBrinkSetAllowance", allowance);
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "dBrinkSetAllowance: called from inside a step's near callback; call it between steps");
  }
  brink->allowanceCap = allowance;
  return dxBrinkApplyAllowances(brink) ? succeed(brink) : 0;
}

int dBrinkSetScheme(dBrinkID brink, int scheme) {
  if (brink == NULL) {
    return 0;
  }
  if (scheme < brink_schemeDefault || scheme > brink_schemeSweptAxis) {
    return dxBrinkFail(brink, "dBrinkSetScheme: %d is no brinkScheme (0 default, 1 paper, 2 swept axis)", scheme);
  }
  brink->scheme = (uint32_t)scheme;
  return succeed(brink);
}

/* Gives the allowances set by hand back to the geoms of a mirror that was built again. */
static int restoreAllowances(dBrinkID brink, const dxBrinkGeom *old, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    dxBrinkGeom *record = old[i].geom == NULL ? NULL : dxBrinkFindGeom(brink, old[i].geom);
    if (record != NULL) {
      record->userAllowance = old[i].userAllowance;
    }
  }
  return dxBrinkApplyAllowances(brink);
}

/* The order belongs to a plugin world for life: a new one takes its place and the mirror is built again. */
int dBrinkSetTaylorOrder(dBrinkID brink, int order) {
  if (brink == NULL) {
    return 0;
  }
  if (order < 0 || order > BRINK_MAX_ORDER) {
    return dxBrinkFail(brink, "dBrinkSetTaylorOrder: %d is outside 0..%d", order, BRINK_MAX_ORDER);
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "dBrinkSetTaylorOrder: called from inside a step's near callback; call it between steps");
  }
  if ((uint32_t)order == brink->taylorOrder) {
    return succeed(brink);
  }
  const brinkPlugin *plugin = brink->shapes.plugin;
  dxBrinkGeom *old = malloc((brink->geomCount + 1) * sizeof(*old));
  brinkWorld *world = old == NULL ? NULL : openWorld(brink, plugin, (uint32_t)order);
  if (world == NULL) {
    free(old);
    return dxBrinkFail(brink, "dBrinkSetTaylorOrder: %s", old == NULL ? "no memory" : createError);
  }
  size_t oldCount = brink->geomCount;
  if (oldCount > 0) {
    memcpy(old, brink->geoms, oldCount * sizeof(*old));
  }
  dxBrinkForget(brink);
  plugin->destroyWorld(brink->shapes.world);
  brink->shapes.world = world;
  brink->taylorOrder = (uint32_t)order;
  int restored = dxBrinkRefresh(brink) && restoreAllowances(brink, old, oldCount);
  free(old);
  return restored ? succeed(brink) : 0;
}

int dBrinkSetLog(dBrinkID brink, dBrinkLogCallback *log, void *user) {
  if (brink == NULL) {
    return 0;
  }
  brink->log = log;
  brink->logUser = user;
  return succeed(brink);
}

/* ---- what happened */

int dBrinkGetStepInfo(dBrinkID brink, dBrinkStepInfo *info) {
  if (brink == NULL) {
    return 0;
  }
  if (info == NULL || info->structSize < sizeof(unsigned)) {
    return dxBrinkFail(brink, "dBrinkGetStepInfo: set info->structSize = sizeof(dBrinkStepInfo) before the call");
  }
  unsigned size = info->structSize < sizeof(*info) ? info->structSize : (unsigned)sizeof(*info);
  dBrinkStepInfo filled = brink->info;
  filled.structSize = size;
  filled.events = brink->events;
  filled.eventCount = (int)brink->eventCount;
  memcpy(info, &filled, size);
  return succeed(brink);
}

static int poseAllBodies(dBrinkID brink) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[i];
    if (record->body == NULL) {
      continue;
    }
    const dReal *p = dBodyGetPosition(record->body), *q = dBodyGetQuaternion(record->body);
    brinkBodyMotion motion = {.structSize = sizeof(motion), .kind = brink_motionRest};
    motion.pose0 = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
    motion.pose1 = motion.pose0;
    if (brink->shapes.plugin->setBodyMotion(brink->shapes.world, record->id, &motion) != brink_ok) {
      return dxBrinkFail(brink, "dBrinkGeomDistance: %s", brink->shapes.plugin->lastError(brink->shapes.world));
    }
  }
  return 1;
}

double dBrinkGeomDistance(dBrinkID brink, dGeomID g1, dGeomID g2) {
  if (brink == NULL) {
    return NAN;
  }
  if (brink->busy) {
    dxBrinkFail(brink, "dBrinkGeomDistance: called from inside a step's near callback; call it between steps");
    return NAN;
  }
  if (!dxBrinkRefresh(brink) || !poseAllBodies(brink)) {
    return NAN;
  }
  const dxBrinkGeom *a = dxBrinkFindGeom(brink, g1), *b = dxBrinkFindGeom(brink, g2);
  if (a == NULL || b == NULL || !a->answered || !b->answered) {
    dxBrinkFail(
        brink,
        "dBrinkGeomDistance: one of the geoms is not watched; add its space with dBrinkAddSpace; see the log for "
        "classes that Brink does not answer");
    return NAN;
  }
  brinkContact contact;
  if (brink->shapes.plugin->distance(brink->shapes.world, a->collider, b->collider, 0, &contact) != brink_ok) {
    dxBrinkFail(brink, "dBrinkGeomDistance: %s", brink->shapes.plugin->lastError(brink->shapes.world));
    return NAN;
  }
  succeed(brink);
  return contact.distance;
}

/* ---- one step */

int dBrinkWorldStep(dBrinkID brink, dReal h, void *data, dNearCallback *near, dJointGroupID contactGroup) {
  return dxBrinkStep(brink, h, data, near, contactGroup, false);
}

int dBrinkWorldQuickStep(dBrinkID brink, dReal h, void *data, dNearCallback *near, dJointGroupID contactGroup) {
  return dxBrinkStep(brink, h, data, near, contactGroup, true);
}
