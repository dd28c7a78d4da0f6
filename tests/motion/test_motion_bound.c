/* SPDX-License-Identifier: BSD-3-Clause */
/* Safe steps are never too long, judged by dense sampling of the gap in long double, and rarely much too short. */
#include "motion_bound.h"
#include "motion_truth.h"
#include "rounding_modes.h"

#include <stdlib.h>

#include "cases.h"

#define MAX_LINKS 20
#define MAX_POINTS 40
#define TIMES 100

/* A piece and points that span its core (exactly for points and boxes, inscribed for cylinders). */
typedef struct Body {
  double vertices[MAX_POINTS][3];
  int count;
  brinkPiece piece;
  brinkRigid local;
  int32_t link;
} Body;

static void makeBody(Body *body, int kind, double size, int32_t link) {
  memset(body, 0, sizeof *body);
  brinkPose pose = randomPose(size);
  body->local = brinkRigid_FromPose(pose);
  body->link = link;
  brinkVec3 half = {uniform(0.1, 1) * size, uniform(0.1, 1) * size, uniform(0.1, 1) * size};
  if (kind == 0) body->count = 1;
  if (kind == 1) body->count = 2 + (int)uniform(0, 10);
  if (kind == 2) body->count = 8;
  if (kind == 3) body->count = MAX_POINTS;
  for (int i = 0; i < body->count; ++i) {
    double angle = 2 * PI * (i / 2) / (MAX_POINTS / 2);
    brinkVec3 p = randomVector(size);
    if (kind == 2) p = brinkV3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    if (kind == 3) p = brinkV3(half.x * cos(angle), half.x * sin(angle), i & 1 ? half.z : -half.z);
    body->vertices[i][0] = p.x;
    body->vertices[i][1] = p.y;
    body->vertices[i][2] = p.z;
  }
  double radius = uniform(0, 1) < 0.5 ? 0 : uniform(0, size);
  if (kind < 2) {
    body->piece = brinkMakePointPiece(&body->vertices[0][0], (uint32_t)body->count, radius);
    return;
  }
  body->piece.kind = kind == 2 ? brink_pieceBox : brink_pieceCylinder;
  body->piece.half = kind == 2 ? half : brinkV3(half.x, half.x, half.z);
  body->piece.boundRadius = brinkUp(kind == 2 ? brinkLength(half) : hypot(half.x, half.z)) * (1 + 1e-15);
  body->piece.radius = radius;
}

/* n . (displacement of each core point between t and t + s): its largest value */
static long double advance(const brinkMotionTree *tree, const Body *body, int32_t ancestor, brinkVec3 n, double t,
                           double s) {
  long double most = -HUGE_VAL;
  Truth from, to;
  truthOfChain(tree, body->link, ancestor, t, &from);
  truthOfChain(tree, body->link, ancestor, (long double)t + s, &to);
  const double normal[3] = {n.x, n.y, n.z};
  for (int k = 0; k < body->count; ++k) {
    brinkVec3 p = brinkApply(&body->local, brinkV3_FromArray(body->vertices[k]));
    long double moved = 0;
    for (int i = 0; i < 3; ++i)
      moved += normal[i] * ((to.p[i] - from.p[i]) + (to.r[i][0] - from.r[i][0]) * p.x +
                            (to.r[i][1] - from.r[i][1]) * p.y + (to.r[i][2] - from.r[i][2]) * p.z);
    most = fmaxl(most, moved);
  }
  return most;
}

typedef struct Case {
  brinkLinkMotion links[MAX_LINKS];
  brinkMotionTree tree;
  Body a, b;
  int32_t ancestor;
  double t, tEnd;
  brinkLinkRate rateA, rateB;
  brinkMovingPiece movingA, movingB;
} Case;

static void takeRates(Case *c) {
  brinkMotionTree_Rate(&c->tree, c->a.link, c->ancestor, c->t, c->tEnd, &c->rateA);
  brinkMotionTree_Rate(&c->tree, c->b.link, c->ancestor, c->t, c->tEnd, &c->rateB);
}

static void makeCase(Case *c, int count, double turn, int32_t linkB) {
  c->tree = makeChain(c->links, count, turn);
  if (count > 2 && uniform(0, 1) < 0.5) c->links[count - 1].parent = (int32_t)uniform(0, count - 2); /* a fork */
  makeBody(&c->a, (int)uniform(0, 4), uniform(0.05, 1), count - 1);
  makeBody(&c->b, (int)uniform(0, 4), uniform(0.05, 1), linkB);
  c->ancestor = brinkMotionTree_CommonAncestor(&c->tree, c->a.link, linkB);
  c->t = uniform(0, 1) < 0.3 ? 0 : uniform(0, 0.95);
  c->tEnd = uniform(0, 1) < 0.5 ? 1 : uniform(c->t, 1);
  takeRates(c);
  c->movingA = (brinkMovingPiece){&c->a.piece, c->a.local, &c->rateA};
  c->movingB = (brinkMovingPiece){&c->b.piece, c->b.local, &c->rateB};
}

static long double closing(const Case *c, brinkVec3 n, double s) {
  return advance(&c->tree, &c->a, c->ancestor, n, c->t, s) +
         advance(&c->tree, &c->b, c->ancestor, brinkNeg(n), c->t, s);
}

CASE(safe_step_never_lets_the_gap_close) {
  static Case c;
  long points = 0, finite = 0;
  for (int n = 0; n < 4000; ++n) {
    int count = 1 + n % MAX_LINKS;
    makeCase(&c, count, n % 6 ? 2 : 15, n % 3 ? -1 : (int32_t)uniform(-1, count - 1));
    if (n % 5 == 0) { /* far apart links: every digit of the arms counts */
      for (int i = 0; i < count; ++i) c.links[i].t0 = brinkScale(c.links[i].t0, 1e5);
    }
    enterMode(n % ROUNDING_MODES);
    takeRates(&c);
    leaveMode();
    brinkVec3 direction = randomDirection();
    double noise = n % 5 ? 0 : 1e-12; /* of long double at 1e6 m */
    double gap = pow(10, n % 5 ? uniform(-6, 0.3) : uniform(-7, 3)), window = c.tEnd - c.t;
    for (int eq10 = 0; eq10 < 2; ++eq10) {
      enterMode(n % ROUNDING_MODES);
      double step = brinkSafeStep(&c.movingA, &c.movingB, direction, gap, eq10);
      leaveMode();
      assert_true(step >= 0);
      finite += step < window;
      step = fmin(step, window);
      for (int i = 1; i <= TIMES / 2; ++i) {
        double s = step * i / (TIMES / 2);
        long double used = closing(&c, direction, s);
        if (used > gap * (1 + 1e-15L) + noise)
          print_message("seed %llu case %d links %d eq10 %d: gap %.17g, used %.20Lg after %.17g of %.17g\n",
                        (unsigned long long)seed, n, count, eq10, gap, used, s, step);
        assert_true(used <= gap * (1 + 1e-15L) + noise);
        ++points;
      }
    }
  }
  print_message("%ld gaps, 0 closed; %ld of 8000 steps inside their window\n", points, finite);
}

/* The gap of the cores along an axis that goes straight from n at t to `then` at t + length. */
static long double gapAlong(const Case *c, brinkVec3 n, brinkVec3 then, double length, double s) {
  const double from[3] = {n.x, n.y, n.z}, to[3] = {then.x, then.y, then.z};
  const long double part = length > 0 ? (long double)s / length : 0;
  long double most = 0;
  for (int side = 0; side < 2; ++side) {
    const Body *body = side == 0 ? &c->a : &c->b;
    long double top = -HUGE_VAL;
    Truth at;
    truthOfChain(&c->tree, body->link, c->ancestor, (long double)c->t + s, &at);
    for (int k = 0; k < body->count; ++k) {
      const brinkVec3 p = brinkApply(&body->local, brinkV3_FromArray(body->vertices[k]));
      long double along = 0;
      for (int i = 0; i < 3; ++i)
        along += (side == 0 ? 1 : -1) * (from[i] + part * (to[i] - from[i])) *
                 (at.p[i] + at.r[i][0] * p.x + at.r[i][1] * p.y + at.r[i][2] * p.z);
      top = fmaxl(top, along);
    }
    most += top;
  }
  return -most;
}

/* Edges of both bodies give an axis that turns with both. Judged in long double; gaps down to 1e-9 m of what is left.
 */
CASE(a_gap_along_an_axis_that_turns_lasts_as_long_as_its_chord_says) {
  static Case c;
  long whole = 0, part = 0;
  for (int n = 0; n < 4000; ++n) {
    const int count = 1 + n % MAX_LINKS;
    makeCase(&c, count, n % 6 ? 2 : 15, n % 3 ? -1 : (int32_t)uniform(-1, count - 1));
    const double length = (c.tEnd - c.t) * pow(10, uniform(-3, 0)), gap = pow(10, uniform(-9, 0.3));
    const brinkVec3 from = randomDirection(),
                    to = brinkNormalizeOr(brinkMulAdd(from, pow(10, uniform(-4, 0)), randomDirection()), from);
    const brinkRigid startA = brinkMotionTree_Pose(&c.tree, c.a.link, c.ancestor, c.t),
                     startB = brinkMotionTree_Pose(&c.tree, c.b.link, c.ancestor, c.t),
                     endA = brinkMotionTree_Pose(&c.tree, c.a.link, c.ancestor, c.t + length),
                     endB = brinkMotionTree_Pose(&c.tree, c.b.link, c.ancestor, c.t + length);
    const brinkRigid placesA[2] = {brinkCompose(&startA, &c.a.local), brinkCompose(&endA, &c.a.local)},
                     placesB[2] = {brinkCompose(&startB, &c.b.local), brinkCompose(&endB, &c.b.local)};
    const brinkVec3 change = brinkSub(from, to);
    const double way = brinkPiece_Way(&c.a.piece, &placesA[0], &placesA[1], change) +
                       brinkPiece_Way(&c.b.piece, &placesB[0], &placesB[1], brinkNeg(change));
    const double straight = brinkMovingPair_Curvature(&c.movingA, &c.movingB, length);
    const long double base = gapAlong(&c, from, to, length, 0) - gap,
                      end = gapAlong(&c, from, to, length, length) - base;
    /* base: what the gap exceeds. Below 0 it counts by the axis's length. */
    const double depth = base < 0 ? (double)-base : 0;
    double shorter;
    const double lasts = brinkTurnedLasts(gap, (double)end, 0, length, straight, change, way, 1e-14, depth, &shorter);
    assert_true(lasts >= 0 && lasts <= length && shorter > 0 && shorter < 1);
    whole += lasts == length;
    part += lasts > 0 && lasts < length;
    for (int i = 1; i <= TIMES / 2; ++i) {
      const double s = lasts * i / (TIMES / 2);
      const brinkVec3 axis = brinkMulAdd(from, length > 0 ? -s / length : 0, change);
      const long double least = base < 0 ? base * (long double)brinkLength(axis) : base;
      assert_true(gapAlong(&c, from, to, length, s) - least >= -1e-13L);
    }
  }
  print_message("%ld of 4000 gaps last, %ld for a part\n", whole, part);
  assert_true(whole > 500 && part > 2000);
}

static int compareDoubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

CASE(steps_are_long_and_never_shorter_than_by_speed_alone) {
  static Case c;
  static double full[400], paper[400];
  const int lengths[4] = {1, 3, 8, 15};
  double medians[4];
  for (int l = 0; l < 4; ++l) {
    int found = 0;
    for (int n = 0; n < 4000 && found < 400; ++n) {
      makeCase(&c, lengths[l], 2, -1);
      c.t = 0;
      c.tEnd = 1;
      takeRates(&c);
      brinkVec3 direction = randomDirection();
      double gap = pow(10, uniform(-3, 0)), limit = -1;
      for (int i = 1; i <= TIMES && limit < 0; ++i)
        if (closing(&c, direction, (double)i / TIMES) > gap) limit = (double)i / TIMES;
      if (limit < 0) continue;
      double low = limit - 1.0 / TIMES;
      for (int i = 0; i < 20; ++i) {
        double middle = 0.5 * (low + limit);
        if (closing(&c, direction, middle) > gap)
          limit = middle;
        else
          low = middle;
      }
      full[found] = brinkSafeStep(&c.movingA, &c.movingB, direction, gap, false) / limit;
      paper[found] = brinkSafeStep(&c.movingA, &c.movingB, direction, gap, true) / limit;
      assert_true(full[found] >= paper[found] * (1 - 1e-12) && full[found] <= 1 + 1e-9);
      ++found;
    }
    qsort(full, (size_t)found, sizeof full[0], compareDoubles);
    qsort(paper, (size_t)found, sizeof paper[0], compareDoubles);
    medians[l] = full[found / 2];
    print_message(
        "%2d links, %d cases: step / longest possible, median (10th percentile): %.2f (%.2f); eq10 %.3f (%.3f)\n",
        lengths[l], found, full[found / 2], full[found / 10], paper[found / 2], paper[found / 10]);
  }
  assert_true(medians[0] > 0.8 && medians[1] > 0.5 && medians[2] > 0.25);
}

CASE(closing_bound_holds_along_every_direction) {
  static Case c;
  long points = 0;
  for (int n = 0; n < 1500; ++n) {
    int count = 1 + n % MAX_LINKS;
    makeCase(&c, count, 2, n % 3 ? -1 : (int32_t)uniform(-1, count - 1));
    double duration = (c.tEnd - c.t) * uniform(0, 1), bound = brinkClosingBound(&c.movingA, &c.movingB, duration);
    for (int d = 0; d < 10; ++d)
      for (int i = 1; i <= 10; ++i) {
        long double used = closing(&c, randomDirection(), duration * i / 10);
        assert_true(used <= bound);
        ++points;
      }
  }
  print_message("%ld closings, 0 above the bound\n", points);
}

CASE(steps_converge_on_a_spinning_rod_like_newton) {
  /* A rod of length 1 about z at the origin, 2 rad per step, towards the plane y = 0.5 (n = +y): contact when sin(2t) =
   * 0.5. */
  brinkLinkMotion link =
      brinkMakeLinkMotionVelocities(-1, (brinkPose){{0, 0, 0}, {1, 0, 0, 0}}, brinkV3(0, 0, 0), brinkV3(0, 0, 2));
  brinkMotionTree tree = {&link, 1};
  const double rod[2][3] = {{0, 0, 0}, {1, 0, 0}}, zero[1][3] = {{0, 0.5, 0}};
  brinkPiece a = brinkMakePointPiece(&rod[0][0], 2, 0), b = brinkMakePointPiece(&zero[0][0], 1, 0);
  double t = 0, contact = asin(0.5) / 2;
  int steps = 0;
  for (; steps < 40; ++steps) {
    double gap = 0.5 - sin(2 * t);
    if (gap < 1e-12) break;
    brinkLinkRate rateA, rateB;
    brinkMotionTree_Rate(&tree, 0, -1, t, 1, &rateA);
    brinkMotionTree_Rate(&tree, -1, -1, t, 1, &rateB);
    brinkMovingPiece movingA = {&a, brinkIdentityRigid(), &rateA}, movingB = {&b, brinkIdentityRigid(), &rateB};
    t += brinkSafeStep(&movingA, &movingB, brinkV3(0, 1, 0), gap, false);
    assert_true(t <= contact + 1e-15);
  }
  print_message("%d steps to 1e-12\n", steps);
  assert_true(fabs(t - contact) < 1e-11 && steps < 8);
}

static double stepOf(brinkVec3 velocityA, brinkVec3 spinA, brinkVec3 velocityB, brinkVec3 n, double gap, double radius,
                     bool eq10) {
  brinkPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  brinkLinkMotion links[2] = {brinkMakeLinkMotionVelocities(-1, pose, velocityA, spinA),
                              brinkMakeLinkMotionVelocities(-1, pose, velocityB, brinkV3(0, 0, 0))};
  brinkMotionTree tree = {links, 2};
  const double centre[3] = {0, 0, 0};
  brinkPiece piece = brinkMakePointPiece(centre, 1, radius);
  brinkLinkRate rates[2];
  for (int i = 0; i < 2; ++i) brinkMotionTree_Rate(&tree, i, -1, 0, 1, &rates[i]);
  brinkMovingPiece a = {&piece, brinkIdentityRigid(), &rates[0]}, b = {&piece, brinkIdentityRigid(), &rates[1]};
  return brinkSafeStep(&a, &b, n, gap, eq10);
}

CASE(translations_and_spinning_spheres_give_the_closed_forms) {
  brinkVec3 x = {1, 0, 0}, zero = {0, 0, 0}, spin = {0, 0, 30};
  double step = stepOf(brinkV3(3, 7, 0), zero, brinkV3(1, -50, 2), x, 0.5, 0, false);
  assert_true(step <= 0.25 && step > 0.25 * (1 - 1e-12));
  assert_true(isinf(stepOf(brinkV3(3, 7, 0), zero, brinkV3(3.0000001, 0, 0), x, 1e-9, 0, false))); /* receding */
  assert_true(stepOf(brinkV3(3, 0, 0), zero, brinkV3(3, 0, 0), x, 1e-9, 0, false) > 1e3);          /* side by side */
  assert_true(stepOf(zero, spin, zero, x, 1e-6, 5, false) > 1e3);             /* a sphere spins in place */
  step = stepOf(brinkV3(3, 7, 0), zero, brinkV3(1, -50, 2), x, 0.5, 0, true); /* |n.v| of both */
  assert_true(step <= 0.125 && step > 0.125 * (1 - 1e-12));
  assert_true(stepOf(x, zero, zero, x, 0, 0, false) == 0);
  assert_true(stepOf(x, zero, zero, x, -1, 0, false) == 0);
  assert_true(stepOf(x, zero, zero, x, (double)NAN, 0, false) == 0);
  assert_true(stepOf(brinkV3((double)NAN, 0, 0), zero, zero, x, 1, 0, false) == 0);
  assert_true(stepOf(brinkV3(HUGE_VAL, 0, 0), spin, zero, x, 1, 0, false) == 0);
  assert_true(isinf(stepOf(zero, zero, zero, x, 1e-9, 0, false)));
}

CASE(half_spaces_stand_slide_and_turn) {
  brinkPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  brinkLinkMotion links[3] = {brinkMakeLinkMotionVelocities(-1, pose, brinkV3(0, 0, -2), brinkV3(0, 0, 9)),
                              brinkMakeLinkMotionVelocities(-1, pose, brinkV3(0, 0, 3), brinkV3(0, 0, 0)),
                              brinkMakeLinkMotionVelocities(-1, pose, brinkV3(0, 0, 0), brinkV3(0, 1, 0))};
  brinkMotionTree tree = {links, 3};
  const double centre[3] = {0, 0, 0};
  brinkPiece ball = brinkMakePointPiece(centre, 1, 0.5), plane;
  memset(&plane, 0, sizeof plane);
  plane.kind = brink_pieceHalfSpace;
  plane.normal = brinkV3(0, 0, 1);
  plane.offset = -2;
  plane.boundRadius = HUGE_VAL;
  brinkLinkRate rates[4];
  for (int i = -1; i < 3; ++i) brinkMotionTree_Rate(&tree, i, -1, 0, 1, &rates[i + 1]);
  brinkMovingPiece a = {&ball, brinkIdentityRigid(), &rates[1]};
  brinkMovingPiece fixed = {&plane, brinkIdentityRigid(), &rates[0]},
                   sliding = {&plane, brinkIdentityRigid(), &rates[2]};
  brinkMovingPiece turning = {&plane, brinkIdentityRigid(), &rates[3]};
  brinkVec3 down = {0, 0, -1};
  double step = brinkSafeStep(&a, &fixed, down, 1.5, false);
  assert_true(step <= 0.75 && step > 0.75 * (1 - 1e-9));
  step = brinkSafeStep(&a, &sliding, down, 1.5, false);
  assert_true(step <= 0.3 && step > 0.3 * (1 - 1e-9));
  /* The turning plane stays 2 from the origin: the gap is 1.5 - 2 t cos t, which never closes. */
  step = brinkSafeStep(&a, &turning, down, 1.5, false);
  assert_true(step >= 0.24);
  double bound = brinkClosingBound(&a, &turning, 0.5);
  assert_true(bound >= cos(0.5) && bound < 8);
  brinkMovingPiece against = {&plane, brinkIdentityRigid(), &rates[0]};
  assert_true(brinkSafeStep(&against, &turning, down, 1.5, false) == 0);
  assert_true(isinf(brinkClosingBound(&against, &turning, 0.5)));
  bound = brinkClosingBound(&a, &sliding, 0.5);
  assert_true(bound >= 2.5 && bound < 2.5 * (1 + 1e-9));
}

CASE(common_ancestor_cancels_the_common_motion) {
  /* Two hands of one fast spinning body, at rest against each other. */
  brinkPose pose = {{1, 0, 0}, {1, 0, 0, 0}};
  brinkLinkMotion links[3] = {brinkMakeLinkMotionVelocities(-1, pose, brinkV3(100, 0, 0), brinkV3(0, 0, 50)),
                              brinkMakeLinkMotionVelocities(0, pose, brinkV3(0, 0, 0), brinkV3(0, 0, 1e-3)),
                              brinkMakeLinkMotionVelocities(0, pose, brinkV3(0, 0, 0), brinkV3(0, 0, 0))};
  brinkMotionTree tree = {links, 3};
  const double point[3] = {0, 0.5, 0};
  brinkPiece piece = brinkMakePointPiece(point, 1, 0);
  brinkLinkRate rates[2];
  int32_t ancestor = brinkMotionTree_CommonAncestor(&tree, 1, 2);
  assert_int_equal(ancestor, 0);
  for (int i = 0; i < 2; ++i) brinkMotionTree_Rate(&tree, i + 1, ancestor, 0, 1, &rates[i]);
  brinkMovingPiece a = {&piece, brinkIdentityRigid(), &rates[0]}, b = {&piece, brinkIdentityRigid(), &rates[1]};
  assert_true(brinkSafeStep(&a, &b, brinkV3(1, 0, 0), 0.01, false) > 1);
  assert_true(brinkClosingBound(&a, &b, 1) < 1e-3);
}

int main(void) { return cases_Run(NULL, NULL); }
