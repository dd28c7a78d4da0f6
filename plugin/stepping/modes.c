/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of bodies and pairs: whose impacts are only reported, held back, advanced or clamped (brinkStepMode)? How
 * they combine stands in pairs.c
 * (brinkStepModeOfPair): a pair's own counts; else the stricter one of its two bodies' (report < speculative < advance
 * < clamp); else the stepper's. */
#include "stepper.h"

static bool isSetting(const brinkStepSetting *setting, const void *body, const void *a, const void *b) {
  return setting->body == body &&
         ((setting->geoms[0] == a && setting->geoms[1] == b) || (setting->geoms[0] == b && setting->geoms[1] == a));
}

/* Replaces, adds or (inherit) removes a setting. */
bool brinkStepSetMode(brinkStepper *stepper, brinkStepSetting wanted) {
  struct brinkStepSettings *kept = &stepper->settings;
  size_t at = 0;
  while (at < kept->modeCount && !isSetting(&kept->modes[at], wanted.body, wanted.geoms[0], wanted.geoms[1])) {
    at++;
  }
  if (wanted.mode == brink_stepInherit) {
    if (at < kept->modeCount) {
      kept->modes[at] = kept->modes[--kept->modeCount];
    }
    return true;
  }
  if (at == kept->modeCount) {
    if (!BRINK_STEP_RESERVE(kept->modes, kept->modeCount, kept->modeCapacity)) {
      return false;
    }
    kept->modeCount++;
  }
  kept->modes[at] = wanted;
  return true;
}

/* Settings of what is gone are dropped, those of bodies are written into their records. */
void brinkStepApplyModes(brinkStepper *stepper) {
  struct brinkStepSettings *settings = &stepper->settings;
  settings->pairModes = settings->anyModes = settings->speculates = false;
  if (settings->modeCount == 0 && !settings->bodyModes) {
    return;
  }
  settings->bodyModes = settings->modeCount > 0;
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    stepper->bodies[i].mode = brink_stepInherit;
  }
  size_t kept = 0;
  for (size_t i = 0; i < settings->modeCount; ++i) {
    const brinkStepSetting setting = settings->modes[i];
    uint32_t body = setting.body != NULL ? brinkStepFindBody(stepper, setting.body) : BRINK_NO_RECORD;
    if (body != BRINK_NO_RECORD) {
      stepper->bodies[body].mode = setting.mode;
    } else if (setting.body != NULL ||
               brinkStepFindCollider(stepper, setting.geoms[0], BRINK_NO_RECORD) == BRINK_NO_RECORD ||
               brinkStepFindCollider(stepper, setting.geoms[1], BRINK_NO_RECORD) == BRINK_NO_RECORD) {
      continue;
    }
    settings->pairModes = settings->pairModes || setting.body == NULL;
    settings->speculates = settings->speculates || setting.mode == brink_stepSpeculative;
    settings->modes[kept++] = setting;
  }
  settings->modeCount = kept;
  settings->anyModes = kept > 0;
}

int brinkStepOwnMode(const brinkStepper *stepper, brinkStepPair pair) {
  const void *a = stepper->colliders[pair.a].geom, *b = stepper->colliders[pair.b].geom;
  for (size_t i = 0; i < stepper->settings.modeCount; ++i) {
    if (isSetting(&stepper->settings.modes[i], NULL, a, b)) {
      return stepper->settings.modes[i].mode;
    }
  }
  return brink_stepInherit;
}
