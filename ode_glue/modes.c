/* SPDX-License-Identifier: BSD-3-Clause */
/* What does an impact of this pair lead to? Settings of the world, of bodies and of pairs. How they combine stands in
 * plugin/stepping/pairs.c (brinkStepModeOfPair): a pair's own setting counts; else the stricter one of its two bodies'
 * (report < speculative < advance < clamp); else the world's. Settings are kept by pointer and dropped at the first
 * walk that does not meet the body or geom any more. */
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

static bool isSetting(const dxBrinkSetting *setting, dBodyID body, dGeomID g1, dGeomID g2) {
  return setting->body == body &&
         ((setting->geoms[0] == g1 && setting->geoms[1] == g2) || (setting->geoms[0] == g2 && setting->geoms[1] == g1));
}

/* Replaces, adds or (inherit) removes a setting. */
static int keepSetting(dBrinkID brink, dxBrinkSetting wanted) {
  size_t at = 0;
  while (at < brink->chosen.settingCount &&
         !isSetting(&brink->chosen.settings[at], wanted.body, wanted.geoms[0], wanted.geoms[1])) {
    at++;
  }
  if (wanted.mode == dBrinkModeInherit) {
    if (at < brink->chosen.settingCount) {
      brink->chosen.settings[at] = brink->chosen.settings[--brink->chosen.settingCount];
    }
    return dxBrinkSucceed(brink);
  }
  if (at == brink->chosen.settingCount) {
    if (!BRINK_STEP_RESERVE(brink->chosen.settings, brink->chosen.settingCount, brink->chosen.settingCapacity)) {
      return dxBrinkFail(brink, "no memory for a mode");
    }
    brink->chosen.settingCount++;
  }
  brink->chosen.settings[at] = wanted;
  return dxBrinkSucceed(brink);
}

int dBrinkSetBodyMode(dBrinkID brink, dBodyID body, int mode) {
  if (brink == NULL || !begin(brink, "dBrinkSetBodyMode", mode)) {
    return 0;
  }
  if (dxBrinkFindBody(brink, body) == BRINK_NO_RECORD) {
    return dxBrinkFail(
        brink,
        "dBrinkSetBodyMode: the body has no geom in a watched space and no joint to one that has; add its "
        "space with dBrinkAddSpace first");
  }
  return keepSetting(brink, (dxBrinkSetting){.body = body, .mode = mode});
}

int dBrinkSetPairMode(dBrinkID brink, dGeomID g1, dGeomID g2, int mode) {
  if (brink == NULL || !begin(brink, "dBrinkSetPairMode", mode)) {
    return 0;
  }
  if (g1 == g2 || dxBrinkFindGeom(brink, g1) == NULL || dxBrinkFindGeom(brink, g2) == NULL) {
    return dxBrinkFail(brink, "dBrinkSetPairMode: %s",
                       g1 == g2 ? "a geom makes no pair with itself"
                                : "a geom is in no watched space; add its space with "
                                  "dBrinkAddSpace first");
  }
  return keepSetting(brink, (dxBrinkSetting){.geoms = {g1, g2}, .mode = mode});
}

/* After a walk: settings of what is gone are dropped, those of bodies are written into their records. */
void dxBrinkApplyModes(dBrinkID brink) {
  if (brink->chosen.settingCount == 0 && !brink->chosen.anyBodyMode) {
    brink->step.settings.pairModes = brink->step.settings.anyModes = false;
    return;
  }
  brink->chosen.anyBodyMode = brink->chosen.settingCount > 0;
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    brink->step.bodies[i].mode = dBrinkModeInherit;
  }
  size_t kept = 0;
  brink->step.settings.pairModes = false;
  for (size_t i = 0; i < brink->chosen.settingCount; ++i) {
    dxBrinkSetting setting = brink->chosen.settings[i];
    uint32_t body = setting.body != NULL ? dxBrinkFindBody(brink, setting.body) : BRINK_NO_RECORD;
    if (body != BRINK_NO_RECORD) {
      brink->step.bodies[body].mode = setting.mode;
    } else if (setting.body != NULL || dxBrinkFindGeom(brink, setting.geoms[0]) == NULL ||
               dxBrinkFindGeom(brink, setting.geoms[1]) == NULL) {
      continue;
    }
    brink->step.settings.pairModes = brink->step.settings.pairModes || setting.body == NULL;
    brink->chosen.settings[kept++] = setting;
  }
  brink->chosen.settingCount = kept;
  brink->step.settings.anyModes = kept > 0;
}

int dxBrinkModeOfPair(void *user, brinkStepPair pair) {
  const dxBrink *brink = user;
  const dxBrinkGeom *a = &brink->geoms[pair.a], *b = &brink->geoms[pair.b];
  for (size_t i = 0; i < brink->chosen.settingCount; ++i) {
    if (isSetting(&brink->chosen.settings[i], NULL, a->geom, b->geom)) {
      return brink->chosen.settings[i].mode;
    }
  }
  return dBrinkModeInherit;
}
