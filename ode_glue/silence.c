/* SPDX-License-Identifier: BSD-3-Clause */
/* What does it mean that the program's callback makes no contact for a struck pair?
 * Either the program does not want the pair to collide; or it only notes pairs there and makes their contacts later,
 * after dSpaceCollide. Where a callback has made contacts inside a step before, it is the first. Until then nobody can
 * tell, so the pair waits for one frame where ODE's colliders see it touch, with its speed: if the program has made a
 * contact for it when the next step begins, that one acts, and so it goes on; if not, the pair passes, and from then on
 * silence means no. */
#include "step.h"

static bool isOf(const brinkStepSilent *silent, dGeomID a, dGeomID b) {
  return (silent->geoms[0] == a && silent->geoms[1] == b) || (silent->geoms[0] == b && silent->geoms[1] == a);
}

static brinkStepSilent *findSilent(dBrinkID brink, brinkStepPair pair) {
  dGeomID a = brink->geoms[pair.a].geom, b = brink->geoms[pair.b].geom;
  for (size_t i = 0; i < brink->step.pairs.silentCount; ++i) {
    if (isOf(&brink->step.pairs.silent[i], a, b)) {
      return &brink->step.pairs.silent[i];
    }
  }
  return NULL;
}

/* At the start of a step, after the walk: what did the program make of the pairs that waited? */
void dxBrinkBeginSilence(dBrinkID brink) {
  size_t kept = 0;
  for (size_t i = 0; i < brink->step.pairs.silentCount; ++i) {
    brinkStepSilent silent = brink->step.pairs.silent[i];
    const dxBrinkGeom *a = dxBrinkFindGeom(brink, silent.geoms[0]), *b = dxBrinkFindGeom(brink, silent.geoms[1]);
    if (a == NULL || b == NULL || brink->step.stepNumber - silent.step > BRINK_STEP_AGAIN) {
      continue;
    }
    int at = 0;
    if (!silent.unwanted &&
        dxBrinkNextContact(dGeomGetBody(silent.geoms[0]), dGeomGetBody(silent.geoms[1]), &at) != NULL) {
      if (!brink->step.pairs.makesLater) {
        brink->step.pairs.makesLater = true;
        dxBrinkLog(brink, brink_logWarning,
                   "this program makes contacts after dSpaceCollide, not in its near callback: what is struck inside a "
                   "step waits there for its contacts until the next one. Make them in the callback to lose no time");
      }
      continue;
    }
    silent.unwanted = true;
    brink->step.pairs.silenceIsNo = brink->step.pairs.silenceIsNo || !brink->step.pairs.makesLater;
    brink->step.pairs.silent[kept++] = silent;
  }
  brink->step.pairs.silentCount = kept;
}

/* A struck pair for which the callback has made nothing. */
dxBrinkSilence dxBrinkHearSilence(dBrinkID brink, brinkStepPair pair) {
  if (brink->step.pairs.makesInside || brink->step.pairs.silenceIsNo) {
    return dxBrinkSilenceDrops;
  }
  brinkStepSilent *silent = findSilent(brink, pair);
  if (silent == NULL) {
    if (!BRINK_STEP_RESERVE(brink->step.pairs.silent, brink->step.pairs.silentCount,
                            brink->step.pairs.silentCapacity)) {
      return dxBrinkSilenceDrops;
    }
    silent = &brink->step.pairs.silent[brink->step.pairs.silentCount++];
    *silent = (brinkStepSilent){.geoms = {brink->geoms[pair.a].geom, brink->geoms[pair.b].geom},
                                .step = brink->step.stepNumber};
    return dxBrinkSilenceDeepens;
  }
  silent->step = brink->step.stepNumber;
  return silent->unwanted ? dxBrinkSilenceDrops : dxBrinkSilenceWaits;
}
