/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces that the program's callback gives inside a step act in the next one. The next extra solve has its island's own
 * forces, and moves no other bodies. So what is given after the step's own solve is taken off again, and given at the
 * step's end. Of the calls for a pair the last one of a step counts, as there may be several. Units: N, N m. */
#include <string.h>

#include "step.h"

static uint32_t bodyOf(const brinkStepper *stepper, brinkStepPair pair, int side) {
  return stepper->colliders[side == 0 ? pair.a : pair.b].body;
}

void brinkStepReadPushes(const brinkStepper *stepper, brinkStepPair pair, double out[2][6]) {
  memset(out, 0, 2 * sizeof(*out));
  for (int side = 0; side < 2; ++side) {
    if (bodyOf(stepper, pair, side) != BRINK_NO_RECORD) {
      stepper->host->readForces(stepper->user, bodyOf(stepper, pair, side), out[side]);
    }
  }
}

static brinkStepPush *pushOf(struct brinkStepPushes *pushes, brinkStepPair pair) {
  const uint32_t known = brinkKeyMap_Get(&pushes->map, brinkStepPairKey(pair));
  if (known != BRINK_NO_RECORD) {
    return &pushes->items[known];
  }
  return BRINK_STEP_RESERVE(pushes->items, pushes->count, pushes->capacity) &&
                 brinkKeyMap_Set(&pushes->map, brinkStepPairKey(pair), (uint32_t)pushes->count)
             ? &pushes->items[pushes->count++]
             : NULL;
}

void brinkStepKeepPushes(brinkStepper *stepper, brinkStepPair pair, double before[2][6]) {
  double after[2][6];
  brinkStepReadPushes(stepper, pair, after);
  brinkStepPush *push = stepper->report.solves > 0 && memcmp(after, before, sizeof(after)) != 0
                            ? pushOf(&stepper->pushes, pair)
                            : NULL; /* no memory: they are lost */
  for (int side = 0; push != NULL && side < 2; ++side) {
    push->bodies[side] = bodyOf(stepper, pair, side);
    for (int i = 0; i < 6; ++i) {
      push->given[side][i] = after[side][i] - before[side][i];
    }
    if (push->bodies[side] != BRINK_NO_RECORD) {
      stepper->host->writeForces(stepper->user, push->bodies[side], before[side]);
    }
  }
}

void brinkStepGivePushes(brinkStepper *stepper) {
  for (size_t i = 0; i < 2 * stepper->pushes.count && !stepper->worldChanged; ++i) {
    const brinkStepPush *push = &stepper->pushes.items[i / 2];
    double forces[6];
    if (push->bodies[i % 2] == BRINK_NO_RECORD) {
      continue;
    }
    stepper->host->readForces(stepper->user, push->bodies[i % 2], forces);
    for (int k = 0; k < 6; ++k) {
      forces[k] += push->given[i % 2][k];
    }
    stepper->host->writeForces(stepper->user, push->bodies[i % 2], forces);
  }
  stepper->pushes.count = 0;
  brinkKeyMap_Clear(&stepper->pushes.map);
}
