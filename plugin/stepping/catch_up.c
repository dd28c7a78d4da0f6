/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast does go in a step what a host leads from place to place, where it was stopped on its way? It catches up, but
 * hardly faster than it was led since, as what it meets gets its speed (docs/step.md, "Squeezed bodies"). Units: m,
 * rad, s. */
#include <math.h>
#include <string.h>

#include "step.h"

/* Displacement and turn from one place to another, the shorter way round: m, rad. */
static void wayBetween(const brinkStepState *from, const brinkStepState *to, double line[3], double turn[3]) {
  static const double noSpin[3] = {0, 0, 0};
  const brinkVec3 turned = brinkStepTurnBetween(from->quaternion, to->quaternion, noSpin);
  memcpy(turn, &turned, sizeof(turned));
  for (int i = 0; i < 3; ++i) {
    line[i] = to->position[i] - from->position[i];
  }
}

static double lengthOf(const double v[3]) { return hypot(hypot(v[0], v[1]), v[2]); }

void brinkStepLead(brinkStepLed *led, double h, double rounding, double linear[3], double angular[3]) {
  double ways[2][3], part = 1;
  wayBetween(&led->last, &led->target, ways[0], ways[1]);
  for (int k = 0; k < 2; ++k) {
    led->moved[k] = fmax(lengthOf(ways[k]) / h, led->late ? led->fastest[k] : 0);
  }
  wayBetween(&led->stood, &led->target, ways[0], ways[1]);
  for (int k = 0; led->late && k < 2; ++k) {
    part = fmin(part, fmax((1 + BRINK_STEP_TENTH) * led->moved[k] * h, rounding) / lengthOf(ways[k]));
  }
  for (int i = 0; i < 3; ++i) {
    linear[i] = part * ways[0][i] / h;
    angular[i] = part * ways[1][i] / h;
  }
}

void brinkStepLedTo(brinkStepLed *led, const brinkStepState *reached) {
  led->stood = reached != NULL ? *reached : led->last;
  led->late = reached != NULL;
  memcpy(led->fastest, led->moved, sizeof(led->fastest));
}
