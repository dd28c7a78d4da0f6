/* SPDX-License-Identifier: BSD-3-Clause */
/* The public calls that set what an impact leads to (report, speculative, advance, clamp), for the world, for bodies
 * and for pairs; how they combine stands in plugin/stepping/modes.c. */
#include "step.h"

static int badMode(dBrinkID brink, const char *where, int mode) {
  return dxBrinkFail(brink,
                     "%s: %d is no dBrinkMode (1 report, 2 speculative, 3 advance, 4 clamp; bodies and pairs: 0 takes "
                     "the setting back)",
                     where, mode);
}

/* Common checks of a body's or pair's setting; brings the mirror up to date. */
static int begin(dBrinkID brink, const char *where, int mode) {
  if (mode < dBrinkModeInherit || mode > dBrinkModeClamp) {
    return badMode(brink, where, mode);
  }
  return dxBrinkMayCall(brink, where) && dxBrinkRefresh(brink);
}

int dBrinkSetMode(dBrinkID brink, int mode) {
  if (brink == NULL) {
    return 0;
  }
  if (mode <= dBrinkModeInherit || mode > dBrinkModeClamp) {
    return badMode(brink, "dBrinkSetMode", mode);
  }
  brink->step.settings.mode = mode;
  return dxBrinkSucceed(brink);
}

static int keep(dBrinkID brink, brinkStepSetting wanted) {
  return brinkStepSetMode(&brink->step, wanted) ? dxBrinkSucceed(brink) : dxBrinkFail(brink, "no memory for a mode");
}

int dBrinkSetBodyMode(dBrinkID brink, dBodyID body, int mode) {
  if (brink == NULL || !begin(brink, "dBrinkSetBodyMode", mode)) {
    return 0;
  }
  if (dxBrinkFindBody(brink, body) == BRINK_NO_RECORD) {
    return dxBrinkFail(
        brink,
        "dBrinkSetBodyMode: the body has no geom in a watched space and no joint to one that has: dBrinkAddSpace");
  }
  return keep(brink, (brinkStepSetting){.body = body, .mode = mode});
}

int dBrinkSetPairMode(dBrinkID brink, dGeomID g1, dGeomID g2, int mode) {
  if (brink == NULL || !begin(brink, "dBrinkSetPairMode", mode)) {
    return 0;
  }
  if (g1 == g2 || dxBrinkFindGeom(brink, g1) == NULL || dxBrinkFindGeom(brink, g2) == NULL) {
    return dxBrinkFail(brink, "dBrinkSetPairMode: %s",
                       g1 == g2 ? "a geom makes no pair with itself"
                                : "a geom is in no watched space; add its space with dBrinkAddSpace first");
  }
  return keep(brink, (brinkStepSetting){.geoms = {g1, g2}, .mode = mode});
}
