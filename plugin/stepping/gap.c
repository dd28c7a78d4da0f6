/* SPDX-License-Identifier: BSD-3-Clause */
/* See gap.h. */
#include "gap.h"

#include <math.h>
#include <string.h>

#define MOST_LOOKS 64 /* at a gap */
#define HALVINGS 12   /* between the last two of them */

static double lengthOf(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* out = arm turned by local * turn (Rodrigues). */
static void turnArm(const double turn[3], double local, const double arm[3], double out[3]) {
  double angle = lengthOf(turn);
  memcpy(out, arm, 3 * sizeof(double));
  if (!(angle > 0) || local == 0) {
    return;
  }
  double n[3] = {turn[0] / angle, turn[1] / angle, turn[2] / angle}, c = cos(local * angle), s = sin(local * angle);
  double along = (1 - c) * (n[0] * arm[0] + n[1] * arm[1] + n[2] * arm[2]);
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = c * arm[i] + s * (n[j] * arm[k] - n[k] * arm[j]) + along * n[i];
  }
}

void brinkStepGap(const brinkStepSide sides[2], double local, double out[3]) {
  double ends[2][3];
  for (int side = 0; side < 2; ++side) {
    turnArm(sides[side].turn, local, sides[side].arm, ends[side]);
    for (int i = 0; i < 3; ++i) {
      ends[side][i] += sides[side].from[i] + local * (sides[side].to[i] - sides[side].from[i]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    out[i] = ends[0][i] - ends[1][i];
  }
  const double apart = sides[0].rod > 0 ? lengthOf(out) : 0;
  for (int i = 0; apart > 0 && i < 3; ++i) {
    out[i] *= 1 - sides[0].rod / apart;
  }
}

/* rad, by which the rod turns as the solver sees it: both its ends go straight. */
static double turnOfRod(const brinkStepSide sides[2]) {
  double rod[3], way[3], along = 0, square = 0;
  for (int i = 0; i < 3; ++i) {
    rod[i] = sides[0].to[i] + sides[0].lastArm[i] - sides[1].to[i] - sides[1].lastArm[i];
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    way[i] = sides[0].to[i] - sides[0].from[i] - sides[1].to[i] + sides[1].from[i];
    for (int side = 0; side < 2; ++side) {
      const double *w = sides[side].spin, *arm = sides[side].lastArm;
      way[i] += (side == 0 ? 1 : -1) * (w[j] * arm[k] - w[k] * arm[j]);
    }
    along += way[i] * rod[i];
    square += way[i] * way[i];
  }
  const double length = lengthOf(rod);
  return sides[0].rod > 0 && length > 0 ? sqrt(fmax(0, square - along * along / (length * length))) / sides[0].rod : 0;
}

/* ---- where it opens too far */

/* m, by how much the gap has grown since the start. */
static double openingAt(const brinkStepSide sides[2], double local) {
  double first[3], now[3];
  brinkStepGap(sides, 0, first);
  brinkStepGap(sides, local, now);
  return lengthOf(now) - lengthOf(first);
}

/* m, by how much the arm leaves the straight way that the solver sees. */
static double bendOf(const brinkStepSide *side) {
  const double *w = side->spin, *arm = side->lastArm;
  double x = w[1] * arm[2] - w[2] * arm[1], y = w[2] * arm[0] - w[0] * arm[2], z = w[0] * arm[1] - w[1] * arm[0];
  return sqrt(x * x + y * y + z * z) * lengthOf(w) / 2;
}

/* Where the joint has opened by `most`: local. */
static double whereItOpens(const brinkStepSide sides[2], double turn, double most) {
  double stride = fmax(BRINK_STEP_STRIDE / turn, 1.0 / MOST_LOOKS), low = 0, high = fmin(1, stride);
  while (high < 1 && openingAt(sides, high) < most) {
    low = high;
    high = fmin(1, high + stride);
  }
  for (int i = 0; i < HALVINGS; ++i) {
    double middle = (low + high) / 2;
    if (openingAt(sides, middle) < most) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

static double reachOf(const brinkStepSide sides[2]) { return fmax(fmax(sides[0].rod, sides[0].reach), sides[1].reach); }

/* m, of the arm what its body turns: the distance of the joint from the axis. Planks that hang together at both corners
 * turn about their long side. */
static double leverOf(const brinkStepSide *side) {
  const double *w = side->turn, *arm = side->arm, angle = lengthOf(w);
  const double moved[3] = {w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2], w[0] * arm[1] - w[1] * arm[0]};
  return fmax(angle > 0 ? lengthOf(moved) / angle : 0, BRINK_STEP_TENTH * side->reach);
}

static double limitOf(const brinkStepSide sides[2], int cuts) {
  const double lever = fmax(sides[0].rod, fmax(leverOf(&sides[0]), leverOf(&sides[1])));
  double most = BRINK_STEP_OPENING * lever, turn = turnOfRod(sides), bend = turn * turn * sides[0].rod / 2;
  for (int side = 0; side < 2; ++side) {
    turn = fmax(turn, lengthOf(sides[side].turn));
    bend = fmax(bend, bendOf(&sides[side]));
  }
  if (cuts >= BRINK_STEP_MAX_CUTS || !(bend > BRINK_STEP_NOT_WORTH / 2 * most) ||
      !(openingAt(sides, 1) > BRINK_STEP_NOT_WORTH * most)) {
    return 2;
  }
  /* what is too far for all cuts is shared among them */
  return fmax(whereItOpens(sides, turn, most), 1.0 / (BRINK_STEP_MAX_CUTS + 1 - cuts));
}

double brinkStepCut(const brinkStepSide sides[2], int cuts, double left) {
  double local = left < 2 * BRINK_STEP_SHORTEST_CUT ? 2 : limitOf(sides, cuts);
  if (local > 1) {
    return 2;
  }
  local = fmax(local, BRINK_STEP_SHORTEST_CUT / left);
  return (1 - local) * left >= BRINK_STEP_SHORTEST_CUT ? local : 2;
}

/* ---- closing */

void brinkStepAim(const brinkStepSide sides[2], double cut, double out[3]) {
  double before[3], after[3], length = 0;
  brinkStepGap(sides, 0, before);
  brinkStepGap(sides, cut, after);
  for (int i = 0; i < 3; ++i) {
    out[i] = before[i] + BRINK_STEP_NEW_PART * (after[i] - before[i]) / cut;
    length += out[i] * out[i];
  }
  length = sqrt(length);
  double reach = reachOf(sides), scale = length > BRINK_STEP_OPENING * reach ? BRINK_STEP_OPENING * reach / length : 1;
  scale = length < BRINK_STEP_SMALLEST * reach ? 0 : scale;
  for (int i = 0; i < 3; ++i) {
    out[i] *= scale;
  }
}

void brinkStepShift(const double aim[3], double *shiftA, double yieldA, double *shiftB, double yieldB) {
  for (int i = 0; i < 3; ++i) {
    double left = aim[i];
    left += shiftA != NULL ? shiftA[i] : 0;
    left -= shiftB != NULL ? shiftB[i] : 0;
    if (shiftA != NULL) {
      shiftA[i] += -left * yieldA / (yieldA + yieldB);
    }
    if (shiftB != NULL) {
      shiftB[i] += left * yieldB / (yieldA + yieldB);
    }
  }
}
