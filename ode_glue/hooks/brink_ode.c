/* SPDX-License-Identifier: BSD-3-Clause */
/* The public dBrink functions: create and destroy, settings, errors, step info. Each checks its arguments before it
 * touches a world; each failure leaves a text that says what, where and what to do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../inspect/inspect.h"

#define DEFAULT_SUBSTEPS 8
#define DEFAULT_ORDER 3u

/* The log until the program sets one: warnings go to stderr. */
static void warnOnly(void *user, int level, const char *message) {
  (void)user;
  if (level == brink_logWarning) {
    fprintf(stderr, "brink: %s\n", message);
  }
}

/* Logs what the plugin finds unusual, such as loops of joints, which ODE does not mind: to the program's log alone. */
static void logFromPlugin(void *user, int level, const char *message) {
  dBrinkID brink = user;
  if (brink->chosen.log != warnOnly) {
    dxBrinkLog(brink, (brinkLogLevel)level, "%s", message);
  }
}

/* ---- making and ending */

/* Creates the plugin's world. NULL: dBrinkGetError(NULL) tells why. */
static brinkWorld *openWorld(dBrinkID brink, const brinkPlugin *plugin, uint32_t taylorOrder) {
  brinkHost host = {.structSize = sizeof(host), .abiMajor = BRINK_ABI_MAJOR, .user = brink, .log = logFromPlugin};
  brinkWorldDef def = {sizeof(def), BRINK_WORLD_ORDER_STATED, taylorOrder, 0};
  brinkWorld *world = NULL;
  brinkStatus status = plugin->createWorld(&host, &def, &world);
  if (status != brink_ok) {
    dxBrinkFail(NULL, "libbrink made no world: %s", plugin->statusText(status));
    return NULL;
  }
  brink->step.steps->leaveOutResting(world, 1);
  brink->step.steps->setSink(world, brinkStepSinkPair, &brink->step);
  brink->step.world = world;
  return world;
}

static int openPlugin(dBrinkID brink) {
  const char *reason = NULL;
  brink->shapes.plugin = brinkEntry(BRINK_ABI_MAJOR, &reason);
  if (brink->shapes.plugin == NULL) {
    return dxBrinkFail(NULL, "dBrinkCreate: libbrink was refused: %s", reason != NULL ? reason : "no reason given");
  }
  brink->step.settings.taylorOrder = DEFAULT_ORDER;
  brink->step.plugin = brink->shapes.plugin;
  brink->shapes.sample = dxBrinkSampleMesh;
  brink->step.steps = brink->shapes.plugin->getExtension(BRINK_STEPS_NAME);
  if (brink->step.steps == NULL) {
    return dxBrinkFail(NULL, "dBrinkCreate: the loaded libbrink has no " BRINK_STEPS_NAME
                             "; install the one that came with this library");
  }
  brink->shapes.world = openWorld(brink, brink->shapes.plugin, DEFAULT_ORDER);
  return brink->shapes.world != NULL;
}

static int mayCreate(dWorldID world, unsigned realSize) {
  if (realSize != sizeof(double)) {
    return dxBrinkFail(
        NULL,
        "dBrinkCreate: this program was compiled with a dReal of %u bytes, Brink needs 8; compile with -DdDOUBLE and "
        "link a double-precision ODE",
        realSize);
  }
  if (!dCheckConfiguration("ODE_double_precision")) {
    return dxBrinkFail(
        NULL,
        "dBrinkCreate: the loaded libode is single precision (%s); install or link a double-precision build, such as "
        "Debian's libode8",
        dGetConfiguration());
  }
  if (!dxBrinkOdeIsInitialised()) {
    return dxBrinkFail(NULL, "dBrinkCreate: ODE is not initialised; call dInitODE2(0) first");
  }
  if (!dxBrinkKnowsLists()) {
    return dxBrinkFail(NULL, "dBrinkCreate: this libode lists its bodies in another way than 0.16 does; use that");
  }
  return world != NULL ||
         dxBrinkFail(NULL, "dBrinkCreate: world is NULL; pass the dWorldID that dWorldCreate returned");
}

dBrinkID dBrinkCreateChecked(dWorldID world, unsigned realSize) {
  dxBrinkSucceed(NULL);
  if (!mayCreate(world, realSize)) {
    return NULL;
  }
  dBrinkID brink = calloc(1, sizeof(*brink));
  if (brink == NULL) {
    dxBrinkFail(NULL, "dBrinkCreate: no memory");
    return NULL;
  }
  brink->world = world;
  brink->chosen.enabled = true;
  brink->step.settings.maxSubsteps = DEFAULT_SUBSTEPS;
  brink->step.host = &dxBrinkOde;
  brink->step.settings.mode = dBrinkModeAdvance;
  brink->step.settings.allowanceCap = INFINITY;
  if (!dxBrinkOpenInspect(brink) || !dxBrinkOpenMirror(brink)) {
    dxBrinkCloseInspect(brink);
    free(brink);
    dxBrinkFail(NULL, "dBrinkCreate: no memory");
    return NULL;
  }
  brink->chosen.log = warnOnly;
  if (!openPlugin(brink)) {
    dxBrinkCloseInspect(brink);
    dxBrinkCloseMirror(brink);
    free(brink);
    return NULL;
  }
  dxBrinkEnlist(brink);
  return brink;
}

void dBrinkDestroy(dBrinkID brink) {
  if (brink == NULL) {
    return;
  }
  if (brink->busy) {
    brink->doomed = true; /* called from inside a near callback: after the step */
    return;
  }
  dxBrinkDropSweeps(brink);
  dxBrinkDropStandIns(brink);
  dxBrinkDropParking(brink);
  dxBrinkReleaseSpaces(brink);
  dxBrinkDelist(brink);
  dxBrinkForget(brink);
  dxBrinkCloseInspect(brink);
  dxBrinkCloseMirror(brink);
  brinkKeyMap_Free(&brink->contacts.staleMap);
  void *blocks[] = {brink->contacts.stale.items,    brink->contacts.aside.items, brink->contacts.counted,
                    brink->contacts.takenOff.items, brink->island.erps,          brink->island.felt,
                    brink->island.standIns,         brink->island.hung.items,    brink->island.listed,
                    brink->result.events,           brink->contacts.own.items,   brink->contacts.joints,
                    brink->island.borrowed};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
  free(brink);
}

/* ---- what is watched */

int dBrinkUseCookedMesh(dBrinkID brink, dTriMeshDataID data, const void *blob, size_t blobSize) {
  if (!dxBrinkMayCall(brink, "dBrinkUseCookedMesh")) {
    return 0;
  }
  if (data == NULL || blob == NULL || blobSize == 0) {
    return dxBrinkFail(brink, "dBrinkUseCookedMesh: data or blob is empty; pass what brinkCook returned");
  }
  brinkStatus status = brinkStepTellBlob(&brink->shapes, data, blob, blobSize);
  return status == brink_ok              ? dxBrinkSucceed(brink)
         : status == brink_errorNoMemory ? dxBrinkNoMemory(brink)
                                         : dxBrinkPluginFailed(brink, "dBrinkUseCookedMesh");
}

int dBrinkUseHeightfield(dBrinkID brink, dHeightfieldDataID data, int columns, int rows) {
  if (brink == NULL) {
    return 0;
  }
  if (data == NULL || columns < 2 || rows < 2) {
    return dxBrinkFail(brink, "dBrinkUseHeightfield: data is NULL, or %d columns and %d rows are less than 2 each",
                       columns, rows);
  }
  brinkStepTold *told = brinkStepToldOf(&brink->shapes, data);
  if (told == NULL) {
    return dxBrinkFail(brink, "dBrinkUseHeightfield: no memory");
  }
  told->columns = (size_t)columns;
  told->rows = (size_t)rows;
  return dxBrinkSucceed(brink);
}

/* ---- settings */

int dBrinkSetEnabled(dBrinkID brink, int enabled) {
  if (brink == NULL) {
    return 0;
  }
  brink->chosen.enabled = enabled != 0;
  return dxBrinkSucceed(brink);
}

int dBrinkSetMaxSubsteps(dBrinkID brink, int count) {
  if (brink == NULL) {
    return 0;
  }
  if (count < 0) {
    return dxBrinkFail(brink, "dBrinkSetMaxSubsteps: %d is negative; 0 means clamp at once", count);
  }
  brink->step.settings.maxSubsteps = count;
  return dxBrinkSucceed(brink);
}

static bool mayAllow(dBrinkID brink, const char *where, double allowance) {
  return dxBrinkMayCall(brink, where) &&
         (allowance > 0 || dxBrinkFail(brink, "%s: allowance %g must be a positive length in m", where, allowance));
}

int dBrinkSetGeomAllowance(dBrinkID brink, dGeomID geom, dReal allowance) {
  static const char *const where = "dBrinkSetGeomAllowance";
  dxBrinkGeom *record = mayAllow(brink, where, allowance) ? dxBrinkReadyGeom(brink, geom, where) : NULL;
  if (record == NULL) {
    return 0;
  }
  record->userAllowance = allowance;
  return dxBrinkApplyAllowances(brink) ? dxBrinkSucceed(brink) : 0;
}

int dBrinkSetAllowance(dBrinkID brink, dReal allowance) {
  if (!mayAllow(brink, "dBrinkSetAllowance", allowance)) {
    return 0;
  }
  brink->step.settings.allowanceCap = allowance;
  return dxBrinkApplyAllowances(brink) ? dxBrinkSucceed(brink) : 0;
}

int dBrinkSetRays(dBrinkID brink, int watched) {
  if (!dxBrinkMayCall(brink, "dBrinkSetRays")) {
    return 0;
  }
  brink->chosen.rays = watched != 0;
  for (size_t i = 0; i < brink->geomCount; ++i) {
    if (brink->geoms[i].geom != NULL && brink->geoms[i].key.geomClass == dRayClass) {
      brink->geoms[i].key.geomClass = -1; /* built anew at the next walk */
    }
  }
  return dxBrinkRefresh(brink) ? dxBrinkSucceed(brink) : 0;
}

int dBrinkSetSensor(dBrinkID brink, dGeomID geom, int sensor) {
  dxBrinkGeom *record = dxBrinkReadyGeom(brink, geom, "dBrinkSetSensor");
  if (record == NULL || !record->answered) {
    return record != NULL &&
           dxBrinkFail(brink, "dBrinkSetSensor: Brink does not answer this geom (see the log), so it cannot sense");
  }
  record->sensor = sensor != 0;
  dxBrinkTellCollider(brink, record);
  brinkStepForgetLooks(&brink->step);
  return dxBrinkSucceed(brink);
}

int dBrinkSetScheme(dBrinkID brink, int scheme) {
  if (brink == NULL) {
    return 0;
  }
  if (scheme < brink_schemeDefault || scheme > brink_schemeSweptAxis) {
    return dxBrinkFail(brink, "dBrinkSetScheme: %d is no brinkScheme (0 default, 1 paper, 2 swept axis)", scheme);
  }
  brink->step.settings.scheme = (uint32_t)scheme;
  return dxBrinkSucceed(brink);
}

/* A plugin world keeps its order for life, so another world takes its place and the mirror is built again. */
int dBrinkSetTaylorOrder(dBrinkID brink, int order) {
  if (!dxBrinkMayCall(brink, "dBrinkSetTaylorOrder")) {
    return 0;
  }
  if (order < 0 || order > BRINK_MAX_ORDER) {
    return dxBrinkFail(brink, "dBrinkSetTaylorOrder: %d is outside 0..%d", order, BRINK_MAX_ORDER);
  }
  if ((uint32_t)order == brink->step.settings.taylorOrder) {
    return dxBrinkSucceed(brink);
  }
  if (!dxBrinkRefresh(brink)) { /* from here on all records are alive */
    return 0;
  }
  const brinkPlugin *plugin = brink->shapes.plugin;
  brinkWorld *world = openWorld(brink, plugin, (uint32_t)order);
  if (world == NULL) {
    return dxBrinkFail(brink, "dBrinkSetTaylorOrder: %s", dBrinkGetError(NULL));
  }
  dxBrinkForgetAllButGeoms(brink);
  plugin->destroyWorld(brink->shapes.world);
  brink->shapes.world = world;
  brink->step.settings.taylorOrder = (uint32_t)order;
  return dxBrinkRefresh(brink) ? dxBrinkSucceed(brink) : 0;
}

int dBrinkSetRecordDirectory(dBrinkID brink, const char *directory) {
  return dxBrinkMayCall(brink, "dBrinkSetRecordDirectory") && brinkStepSetRecords(&brink->step, directory)
             ? dxBrinkSucceed(brink)
             : 0;
}

int dBrinkSetLog(dBrinkID brink, dBrinkLogCallback *log, void *user) {
  if (brink == NULL) {
    return 0;
  }
  brink->chosen.log = log;
  brink->chosen.logUser = user;
  return dxBrinkSucceed(brink);
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
  dBrinkStepInfo filled = brink->result.info;
  filled.structSize = size;
  filled.events = brink->result.events;
  filled.eventCount = (int)brink->result.eventCount;
  filled.recordPath = brinkStepRecordPath(&brink->step);
  memcpy(info, &filled, size);
  return dxBrinkSucceed(brink);
}

/* ---- one step */

static int stepThenEnd(dBrinkID brink, dReal h, void *data, dNearCallback *near, dJointGroupID contactGroup,
                       bool quick) {
  if (brink != NULL && !brink->busy && brink->step.stepNumber == 0 && brink->chosen.enabled &&
      brink->watched->spaceCount == 0 && dSpaceGetNumGeoms(brink->watched->root) == 0) {
    dxBrinkLog(brink, brink_logWarning, "dBrinkWorld%sStep: nothing is watched; call dBrinkAddSpace (brink, space)",
               quick ? "Quick" : "");
  }
  int done = dxBrinkStep(brink, h, data, near, contactGroup, quick);
  if (brink != NULL && brink->doomed && !brink->busy) {
    dBrinkDestroy(brink);
  }
  return done;
}

int dBrinkWorldStep(dBrinkID brink, dReal h, void *data, dNearCallback *near, dJointGroupID contactGroup) {
  return stepThenEnd(brink, h, data, near, contactGroup, false);
}

int dBrinkWorldQuickStep(dBrinkID brink, dReal h, void *data, dNearCallback *near, dJointGroupID contactGroup) {
  return stepThenEnd(brink, h, data, near, contactGroup, true);
}
