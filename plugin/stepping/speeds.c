/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast are bodies, or points of them, at an impact and at the end of the step? And how fast may an extra solve push
 * out overlaps (brinkStepPushOutSpeed)? Units: m, s. */
#include <math.h>

#include "stepper.h"
#include "tuning.h"

static double lengthOf(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

double brinkStepPointSpeed(const brinkStepState *state, const double arm[3], const double normal[3]) {
  const double *v = state->linear, *w = state->angular;
  return normal[0] * (v[0] + w[1] * arm[2] - w[2] * arm[1]) + normal[1] * (v[1] + w[2] * arm[0] - w[0] * arm[2]) +
         normal[2] * (v[2] + w[0] * arm[1] - w[1] * arm[0]);
}

double brinkStepFastest(const brinkStepBody *record) {
  double turning = isfinite(record->reach) ? record->reach * lengthOf(record->next.angular) : 0;
  return lengthOf(record->next.linear) + turning;
}

double brinkStepPairSpeed(const brinkStepper *stepper, brinkStepPair pair) {
  const uint32_t numbers[2] = {stepper->colliders[pair.a].body, stepper->colliders[pair.b].body};
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    sum += numbers[side] != BRINK_NO_RECORD ? brinkStepFastest(&stepper->bodies[numbers[side]]) : 0;
  }
  return sum;
}

double brinkStepPartingSpeed(const brinkStepper *stepper, brinkStepPair pair, const brinkContactPoint *point) {
  const uint32_t numbers[2] = {stepper->colliders[pair.a].body, stepper->colliders[pair.b].body};
  const double normal[3] = {point->normal.x, point->normal.y, point->normal.z}; /* from A to B */
  double speed = 0;
  for (int side = 0; side < 2; ++side) {
    if (numbers[side] != BRINK_NO_RECORD) {
      const brinkStepBody *record = &stepper->bodies[numbers[side]];
      const double *p = record->next.position;
      const double arm[3] = {point->position.x - p[0], point->position.y - p[1], point->position.z - p[2]};
      speed += (side == 0 ? -1 : 1) * brinkStepPointSpeed(&record->end, arm, normal);
    }
  }
  return speed;
}

/* Gathered, or not a body at all. */
static bool takesPart(const brinkStepper *stepper, uint32_t collider) {
  const uint32_t body = stepper->colliders[collider].body;
  return body == BRINK_NO_RECORD || brinkStepIsGathered(stepper, body);
}

/* The step's own solve reduces the errors of a depth; doing so again at each impact would give the island energy from
 * nowhere. What slides round an edge goes deeper by the curvature of its way, which its own speed tells, not that of
 * other bodies of the island. A wedged body is not pushed out: no velocity leads out of both sides. */
double brinkStepPushOutSpeed(const brinkStepper *stepper) {
  double most = stepper->now.fall;
  if (stepper->island.wedged) {
    return 0;
  }
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkStepPair pair = stepper->pairs.impacts[i].pair;
    if (takesPart(stepper, pair.a) && takesPart(stepper, pair.b)) {
      most = fmax(most, BRINK_STEP_SENT_BACK * brinkStepPairSpeed(stepper, pair));
    }
  }
  return most;
}

/* m/s, where the pair was struck. solved: with the velocities that the engine has now. */
static double approachOf(const brinkStepper *stepper, const brinkStepImpact *impact, bool solved) {
  const uint32_t numbers[2] = {stepper->colliders[impact->pair.a].body, stepper->colliders[impact->pair.b].body};
  const double *a = &impact->contact.pointA.x, *b = &impact->contact.pointB.x;
  double speed = 0;
  for (int side = 0; side < 2; ++side) {
    if (numbers[side] == BRINK_NO_RECORD) {
      continue;
    }
    const brinkStepBody *record = &stepper->bodies[numbers[side]];
    brinkStepState state = record->next;
    double arm[3];
    if (solved) {
      stepper->host->readState(stepper->user, numbers[side], &state);
    }
    for (int i = 0; i < 3; ++i) {
      arm[i] = (a[i] + b[i]) / 2 - record->next.position[i];
    }
    speed += (side == 0 ? 1 : -1) * brinkStepPointSpeed(&state, arm, impact->normal); /* it leads from A to B */
  }
  return speed;
}

/* Where a body is kinematic, as a press is, no velocity may answer. */
bool brinkStepIsUnanswered(const brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    if (!stepper->bodies[stepper->island.gathered[i]].dynamic) {
      return false;
    }
  }
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkStepImpact *impact = &stepper->pairs.impacts[i];
    const double before = impact->wanted ? approachOf(stepper, impact, false) : 0;
    if (before > stepper->now.fall && approachOf(stepper, impact, true) > BRINK_STEP_LATE * before) {
      return true;
    }
  }
  return false;
}
