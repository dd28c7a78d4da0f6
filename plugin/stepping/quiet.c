/* SPDX-License-Identifier: BSD-3-Clause */
/* See quiet.h. */
#include "quiet.h"

#include <string.h>

static double distanceOf(const double *a, const double *b) { return sqrt(brinkStepSquare3(a, b)); }

/* Upper bound of the angle between two orientations, rad; infinity beyond a radian. */
static double turnOf(const double *a, const double *b) {
  double minus = 0, plus = 0;
  for (int i = 0; i < 4; ++i) {
    minus += (a[i] - b[i]) * (a[i] - b[i]);
    plus += (a[i] + b[i]) * (a[i] + b[i]);
  }
  double square = minus < plus ? minus : plus; /* of the chord 2 sin(turn/4) */
  return square <= 0.25 ? BRINK_STEP_CHORD_TO_TURN * sqrt(square) : HUGE_VAL;
}

bool brinkStepIsInside(const brinkStepHotData *hot, const double *p, const double *q, double step, double *left) {
  double way = distanceOf(p, hot->lookPosition), near = 0, turn = 0;
  if (hot->turnReach > 0) {
    turn = turnOf(q, hot->lookQuaternion) * hot->turnReach;
  }
  for (int i = 0; i < 3; ++i) {
    near -= hot->away[i] * (p[i] - hot->lookPosition[i]);
  }
  double used = way + turn + step, usedTowards = fmax(near, 0) + turn + step;
  *left = fmin(hot->slack - used, hot->awaySlack - usedTowards);
  return used <= hot->slack && usedTowards <= hot->awaySlack && step <= hot->stepLimit;
}

bool brinkStepCountSteps(const brinkStepHotData *hot, const double *p, const double *q, double *steps) {
  double step = distanceOf(p, hot->startPosition), left;
  if (hot->turnReach > 0) {
    step += turnOf(q, hot->startQuaternion) * hot->turnReach;
  }
  bool inside = brinkStepIsInside(hot, p, q, step, &left);
  *steps = step > 0 && left < BRINK_STEP_DUE * fmin(hot->slack, hot->awaySlack) ? left / step : HUGE_VAL;
  return inside;
}

bool brinkStepIsCalm(const double *v, const double *w, double turnReach, double h, double allowance) {
  double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  double turn = turnReach > 0 ? sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * turnReach : 0;
  return h * (speed + turn) <= BRINK_STEP_CALM * allowance;
}

double brinkStepPairSlack(double allowance, double separation, bool solid, bool crosses, double *stepLimit) {
  double a = allowance, edge = BRINK_STEP_EDGE * a;
  *stepLimit = BRINK_STEP_CALM * a;
  if (!solid && crosses) {
    return BRINK_STEP_CROSSING * a;
  }
  return fmax(0, solid ? separation + a - edge : separation - BRINK_STEP_TOUCHING * a - edge);
}

double brinkStepCoreSlack(const brinkSinking *at, double *stepLimit) {
  double edge = BRINK_STEP_EDGE * at->depth;
  *stepLimit = BRINK_STEP_CALM * at->depth;
  return fmax(0, at->separation + at->limit - edge);
}

void brinkStepBeginSlack(brinkStepHotData *hot, const double *p, const double *q, double slack, double stepLimit) {
  hot->known = true;
  memcpy(hot->lookPosition, p, sizeof(hot->lookPosition));
  memcpy(hot->lookQuaternion, q, sizeof(hot->lookQuaternion));
  hot->stepLimit = stepLimit;
  hot->slack = slack;
  hot->awaySlack = INFINITY;
  memset(hot->away, 0, sizeof(hot->away));
}

static void shareSlack(brinkStepHotData *hot, double slack, double stepLimit) {
  hot->slack = fmin(hot->slack, slack);
  hot->stepLimit = fmin(hot->stepLimit, stepLimit);
}

/* One slack is kept that only motion against a normal uses up, the smallest; the others hold for all directions. */
static void shareSlackAgainst(brinkStepHotData *hot, const brinkVec3 *normal, double sign, double slack,
                              double stepLimit) {
  if (slack >= hot->awaySlack) {
    shareSlack(hot, slack, stepLimit);
    return;
  }
  shareSlack(hot, hot->awaySlack, stepLimit);
  hot->away[0] = sign * normal->x;
  hot->away[1] = sign * normal->y;
  hot->away[2] = sign * normal->z;
  hot->awaySlack = slack;
}

static bool isUnit(const brinkVec3 *n) { return fabs(n->x * n->x + n->y * n->y + n->z * n->z - 1) < 1e-9; }

void brinkStepShareSlack(brinkStepHotData *a, brinkStepHotData *b, const brinkVec3 *normal, double slack,
                         double stepLimit) {
  if (slack > 0 && (a == NULL || b == NULL) && isUnit(normal)) {
    shareSlackAgainst(a != NULL ? a : b, normal, a != NULL ? -1 : 1, slack, stepLimit);
    return;
  }
  double each = a != NULL && b != NULL ? slack / 2 : slack;
  if (a != NULL) {
    shareSlack(a, each, stepLimit);
  }
  if (b != NULL) {
    shareSlack(b, each, stepLimit);
  }
}
