/* SPDX-License-Identifier: BSD-3-Clause */
/* Brink as the narrowphase: contacts of two shapes, see meet.h.
 * Convex pairs report depth = -separation, and touch when they are a thousandth of the allowance apart. Pairs with a
 * mesh are kept apart, as their surfaces may not cross: contacts act below 0.6 of the allowance (the event lies at 0.5,
 * see brinkWatch). Nothing is reported farther out, except beside such contacts, and of a sliding mesh: engines take a
 * contact of depth 0 for touching, so a body would stop in mid-air there and drift down by the solver's softness.
 * Units: m, s. */
#include <math.h>

#include "meet.h"
#include "stepper.h"

#define LONGEST_BAND 1.0 /* m: a plane against a plane has no thinner side */

/* Depth that the engine is told. Contacts of a pair with a mesh act where the surfaces are still apart, and lift a body
 * that was put nearer: never faster than `lift`, m, allows, whatever the error reduction that the program asks for. */
static double toldDepth(double separation, double keptApart, double lift) {
  return fmax(0, -separation) + fmin(fmax(0, keptApart - fmax(0, separation)), lift);
}

double brinkStepLookOut(double allowance) {
  return BRINK_STEP_LOOK_FARTHER * BRINK_STEP_GAP * fmin(allowance, LONGEST_BAND);
}

size_t brinkStepKeepSpread(brinkContactPoint *points, size_t count, double farthestOut, size_t most) {
  size_t kept = 0;
  double gaps[BRINK_STEP_MOST_POINTS];
  for (size_t i = 0; i < count; ++i) {
    if (points[i].separation <= farthestOut) {
      points[kept] = points[i];
      gaps[kept++] = HUGE_VAL;
    }
  }
  for (size_t taken = 0; taken < kept && taken < most; ++taken) {
    size_t best = taken;
    for (size_t i = taken + 1; i < kept; ++i) {
      bool better = taken == 0 ? points[i].separation < points[best].separation : gaps[i] > gaps[best];
      best = better ? i : best;
    }
    brinkContactPoint point = points[best];
    points[best] = points[taken];
    gaps[best] = gaps[taken];
    points[taken] = point;
    for (size_t i = taken + 1; i < kept; ++i) {
      const double *a = &points[i].position.x, *b = &point.position.x;
      gaps[i] = fmin(gaps[i], hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
  }
  return kept < most ? kept : most;
}

/* m/s, of the surfaces past each other at this point: along them, and in all. */
static double slidingSpeed(const brinkStepMover movers[2], const brinkContactPoint *at, double *whole) {
  const double *n = &at->normal.x;
  double v[3] = {0, 0, 0};
  brinkStepAddPointVelocity(&movers[0], &at->position.x, 1, v);
  brinkStepAddPointVelocity(&movers[1], &at->position.x, -1, v);
  double along = v[0] * n[0] + v[1] * n[1] + v[2] * n[2], square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  *whole = sqrt(square);
  return sqrt(fmax(0, square - along * along));
}

/* By more than the gap in a sixtieth of a second? */
static bool slides(const brinkStepMeeting *of, const brinkContactPoint *at, double gap) {
  double whole;
  return slidingSpeed(of->movers, at, &whole) > BRINK_STEP_SLIDING * gap;
}

/* m, of what lies nearer than it is kept. At an impact what slides or rolls over something curved comes nearer again
 * faster than the solver's straight contact can follow: it is lifted by a part of its own speed. */
static double liftAt(const brinkStepMeeting *of, const brinkContactPoint *at) {
  double whole = 0;
  if (of->struck && at->separation < BRINK_STEP_TOUCHING * of->allowance) {
    (void)slidingSpeed(of->movers, at, &whole);
  }
  return fmax(BRINK_STEP_LIFT_SPEED, BRINK_STEP_LIFT * whole) * of->h;
}

static double leastSeparation(const brinkContactPoint *points, size_t count) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < count; ++i) {
    least = fmin(least, points[i].separation);
  }
  return least;
}

size_t brinkStepMeet(const brinkStepMeeting *of, brinkContactPoint *points, double *depths, size_t most) {
  double allowance = fmin(of->allowance, LONGEST_BAND);
  double keptApart = of->mesh ? BRINK_STEP_GAP * allowance : 0;
  /* A solver leaves the corners of a box at rest a little off its ground, each by another hair. They touch still: with
   * one corner told the box would fall on the others. */
  double margin = of->mesh ? brinkStepLookOut(allowance) : BRINK_STEP_HAIR * allowance;
  size_t count = 0;
  if (of->plugin->collideShapes(of->world, of->shapes[0], &of->poses[0], of->shapes[1], &of->poses[1], margin, points,
                                of->mesh ? BRINK_STEP_MOST_POINTS : most, &count) != brink_ok) {
    return 0;
  }
  if (of->unmet) {
    keptApart = fmin(keptApart, BRINK_STEP_GAP * brinkStepClearanceOf(leastSeparation(points, count), allowance));
  }
  /* A body that lies on some points would fall on those just outside, and be struck, in step after step: the frame is
   * told of them too, with depth 0. At an impact they would hold what is to turn. Farther ones of what slides, and of
   * two trimeshes: where stones of an arch push each other, what opens by a hair would fall. At rest the same would let
   * a limb hover and drift down. */
  if (of->mesh && count > 0) {
    const bool lies = !of->struck && leastSeparation(points, count) <= keptApart;
    double band = of->meshes || slides(of, &points[0], keptApart) ? BRINK_STEP_MESH_BAND : lies ? BRINK_STEP_BESIDE : 0;
    count = brinkStepKeepSpread(points, count, (1 + band) * keptApart, most);
  }
  for (size_t i = 0; i < count; ++i) {
    depths[i] = toldDepth(points[i].separation, keptApart, of->mesh ? liftAt(of, &points[i]) : 0);
  }
  return count;
}
