/* SPDX-License-Identifier: BSD-3-Clause */
/* Toleranced motions against closed forms and dense samples: the metric and its distortion rates, jets of every stage,
 * balls around motions, fat vertices, edges and faces, and the search over the paper's kinds of examples. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "cases.h"
#include "test_random.h"
#include "certificate.h"
#include "gjk.h"
#include "tolerance.h"

static uint64_t seed;
static double uniform(double low, double high) { return splitUniform(&seed, low, high); }
static brinkVec3 randomIn(double size) {
  brinkVec3 v = {uniform(-size, size), uniform(-size, size), 0};
  v.z = uniform(-size, size);
  return v;
}
static brinkMat3 randomMatrix(double size) {
  brinkMat3 m;
  for (int i = 0; i < 9; ++i) m.m[i / 3][i % 3] = uniform(-size, size);
  return m;
}

/* ---- the metric */

CASE(the_metric_is_the_sum_over_mass_points) {
  for (seed = 1; seed <= 200; seed += 1) {
    uint64_t start = seed;
    double points[30], weights[10];
    size_t count = 4 + (size_t)uniform(0, 6);
    for (size_t i = 0; i < 3 * count; ++i) points[i] = uniform(-1, 1);
    for (size_t i = 0; i < count; ++i) weights[i] = uniform(0.1, 3);
    brinkContext context;
    brinkInitContext(&context);
    brinkObjectMetric metric;
    assert_int_equal(brinkMakeObjectMetric(&context, points, weights, count, &metric), brink_ok);
    brinkDisplacement d = {randomMatrix(1), randomIn(2)};
    double sum = 0, bound = brinkObjectMetric_SquareBound(&metric, &d);
    for (size_t i = 0; i < count; ++i)
      sum += weights[i] * brinkLengthSquared(brinkApply(&d, brinkV3_FromArray(&points[3 * i])));
    double least = fmin(metric.moments[0], fmin(metric.moments[1], metric.moments[2]));
    double most = fmax(metric.moments[0], fmax(metric.moments[1], metric.moments[2]));
    bool thick = least > 1.0001 * BRINK_METRIC_FLATNESS * BRINK_METRIC_FLATNESS * most;
    if (!(bound >= sum * (1 - 1e-12)) || (thick && bound > sum * (1 + 1e-9)))
      fail_msg("seed %llu: %.17g for %.17g", (unsigned long long)start, bound, sum);
    seed = start;
  }
}

CASE(a_ball_of_displacements_moves_a_point_by_its_distortion_rate) {
  seed = 5;
  double points[18];
  for (int i = 0; i < 18; ++i) points[i] = uniform(-1, 1);
  brinkObjectMetric metric;
  assert_int_equal(brinkMakeObjectMetric(NULL, points, NULL, 6, &metric), brink_ok);
  double closest = 0;
  for (int n = 0; n < 20000; ++n) {
    brinkDisplacement d = {randomMatrix(1), randomIn(1)};
    double radius = sqrt(brinkObjectMetric_SquareBound(&metric, &d));
    brinkVec3 x = randomIn(2);
    double moved = brinkLength(brinkApply(&d, x)), allowed = radius * brinkObjectMetric_Distortion(&metric, x);
    if (!(moved <= allowed)) fail_msg("case %d: moved %.17g, allowed %.17g", n, moved, allowed);
    closest = fmax(closest, moved / allowed);
  }
  /* attained (theory D4.2): translation u R/(m sigma), linear part (R/sigma) u (x-s)^T J^-1 */
  brinkVec3 x = brinkV3(0.7, -0.4, 1.1), u = brinkV3(0.6, 0, 0.8),
            y = brinkMulMV(&metric.inverse, brinkSub(x, metric.center));
  double sigma = brinkObjectMetric_Distortion(&metric, x), radius = 0.3;
  brinkDisplacement d;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) d.r.m[i][j] = radius / sigma * (&u.x)[i] * (&y.x)[j];
  d.p = brinkSub(brinkScale(u, radius / (metric.mass * sigma)), brinkMulMV(&d.r, metric.center));
  assert_true(fabs(sqrt(brinkObjectMetric_SquareBound(&metric, &d)) - radius) < 1e-9);
  assert_true(fabs(brinkLength(brinkApply(&d, x)) - radius * sigma) < 1e-9);
  assert_true(closest > 0.5);
}

CASE(flat_and_single_masses_are_made_thick_and_bad_weights_refused) {
  const double flat[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, one[3] = {1, 2, 3};
  const double bad[3][4] = {{1, 1, 0, 1}, {1, -1, 1, 1}, {1, 1, 1, NAN}};
  brinkContext context;
  brinkInitContext(&context);
  brinkObjectMetric metric, untouched;
  assert_int_equal(brinkMakeObjectMetric(&context, flat, NULL, 4, &metric), brink_ok);
  assert_true(brinkObjectMetric_Distortion(&metric, brinkV3(0.5, 0.5, 0.3)) < 10);
  assert_int_equal(brinkMakeObjectMetric(&context, one, NULL, 1, &metric), brink_ok);
  assert_true(fabs(brinkObjectMetric_Distortion(&metric, brinkV3(1, 2, 3)) - 1) < 1e-9);
  untouched = metric;
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(brinkMakeObjectMetric(&context, flat, bad[i], 4, &metric), brink_errorBadValue);
    assert_non_null(strstr(context.message, "weight"));
  }
  assert_int_equal(brinkMakeObjectMetric(&context, flat, NULL, 0, &metric), brink_errorEmpty);
  assert_memory_equal(&metric, &untouched, sizeof metric);
}

/* R sigma of a square at its corner, for translations by up to d = 1: masses at its corners, one grid of masses over a
 * body of 32 x 32 squares at the body's corner, a sphere of little mass. */
CASE(a_mass_that_suits_the_motion_moves_a_face_no_further_than_it_goes) {
  static double grid[3 * 33 * 33];
  const double corners[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
  const brinkDisplacement shift = {.p = {0.6, 0, 0.8}};
  for (int i = 0; i < 33 * 33; ++i) {
    grid[3 * i] = (i / 33) / 16.0 - 1;
    grid[3 * i + 1] = (i % 33) / 16.0 - 1;
  }
  brinkObjectMetric own, whole, sphere = brinkMakeSphereMetric(brinkV3(0, 0, 0), sqrt(2));
  assert_int_equal(brinkMakeObjectMetric(NULL, corners, NULL, 4, &own), brink_ok);
  assert_int_equal(brinkMakeObjectMetric(NULL, grid, NULL, 33 * 33, &whole), brink_ok);
  sphere.mass = 1e-6;
  const brinkVec3 corner = {1, 1, 0};
  double reach[3];
  const brinkObjectMetric *const metrics[3] = {&own, &whole, &sphere};
  for (int i = 0; i < 3; ++i)
    reach[i] =
        sqrt(brinkObjectMetric_SquareBound(metrics[i], &shift)) * brinkObjectMetric_Distortion(metrics[i], corner);
  assert_true(fabs(reach[0] - sqrt(3)) < 1e-9 && fabs(reach[1] - 2.58) < 0.005);
  assert_true(reach[2] >= 1 && reach[2] < 1 + 1e-6);
}

/* ---- motions */

typedef struct Chain {
  brinkMotionStage stages[3];
  brinkStageKey keys[3][4];
  double controls[3][9 * 13];
  brinkMotionCurve curve;
} Chain;

static void makeStage(uint32_t kind, Chain *chain, int index) {
  brinkMotionStage *s = &chain->stages[index];
  memset(s, 0, sizeof *s);
  s->kind = kind;
  s->point = randomIn(1);
  s->velocity = randomIn(2);
  s->spin = randomIn(3);
  s->arm = kind == brink_stageTurn ? randomIn(0.5) : brinkV3(0, 0, 0);
  s->rotation = brinkExp3(randomIn(2));
  if (kind == brink_stageSpline) {
    s->count = 4;
    s->keys = chain->keys[index];
    for (int i = 0; i < 4; ++i) {
      brinkStageKey *k = &chain->keys[index][i];
      *k = (brinkStageKey){i / 3.0, randomIn(1), randomIn(2), brinkExp3(randomIn(2)), randomIn(2)};
      if (i == 0) continue; /* continuous */
      brinkMat3 turn = brinkExp3(k[-1].turn);
      k->rotation = brinkMulMM(&turn, &k[-1].rotation);
    }
  } else if (kind == brink_stageBezier) {
    s->count = 2 + (int32_t)uniform(0, 7.99);
    s->controls = chain->controls[index];
    for (int i = 0; i < s->count; ++i) {
      double *c = &chain->controls[index][13 * i], w = c[0] = uniform(0.5, 2);
      for (int e = 1; e < 13; ++e) c[e] = w * ((e == 1 || e == 5 || e == 9 ? 1 : 0) + uniform(-1, 1));
    }
  }
}

static void makeChain(Chain *chain, uint32_t kind, int count) {
  for (int i = 0; i < count; ++i) makeStage(i == 0 ? kind : 1 + (uint32_t)uniform(0, 3.99), chain, i);
  chain->curve = (brinkMotionCurve){.stages = chain->stages, .count = (size_t)count};
}

static double entry(const brinkDisplacement *d, int i, int j) { return j < 3 ? d->r.m[i][j] : (&d->p.x)[i]; }

CASE(jets_enclose_values_and_derivatives_of_all_motions) {
  for (uint64_t n = 0; n < 400; ++n) {
    seed = 1000 + n;
    Chain chain;
    makeChain(&chain, 1 + (uint32_t)(n % 4), 1 + (int)(n / 4 % 3));
    double t0 = uniform(0, 1), t1 = fmin(1, t0 + uniform(0, 0.2));
    t1 = brinkMotionCurve_NextKey(&chain.curve, t0, t1);
    brinkJetMap jets;
    brinkMotionCurve_Jets(&chain.curve, t0, t1, &jets);
    for (int s = 0; s <= 10; ++s) {
      double t = t0 + (t1 - t0) * s / 10, h = 1e-4;
      brinkDisplacement at = brinkMotionCurve_At(&chain.curve, t);
      double before = fmax(t - h, t0), after = fmin(t + h, t1);
      brinkDisplacement low = brinkMotionCurve_At(&chain.curve, before),
                        high = brinkMotionCurve_At(&chain.curve, after);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
          brinkJet jet = jets.m[i][j];
          double value = entry(&at, i, j), slope = (entry(&high, i, j) - entry(&low, i, j)) / (after - before);
          bool good = value >= jet.v.lo - 1e-12 && value <= jet.v.hi + 1e-12;
          /* a difference quotient is the derivative at some time in between */
          if (after - before > 1e-7) good = good && slope >= jet.d.lo - 1e-7 && slope <= jet.d.hi + 1e-7;
          if (t - before > 0.9 * h && after - t > 0.9 * h) {
            double bend = (entry(&high, i, j) - 2 * value + entry(&low, i, j)) / (h * h);
            good = good && bend >= jet.dd.lo - 1e-4 * (1 + fabs(bend)) && bend <= jet.dd.hi + 1e-4 * (1 + fabs(bend));
          }
          if (!good) fail_msg("seed %llu: entry %d %d at %.17g", (unsigned long long)seed, i, j, t);
        }
    }
  }
}

CASE(narrow_jets_are_narrow) {
  for (uint32_t kind = 1; kind <= 4; ++kind) {
    seed = kind;
    Chain chain;
    makeChain(&chain, kind, 1);
    brinkJetMap jets;
    brinkMotionCurve_Jets(&chain.curve, 0.4, 0.4 + 1e-6, &jets);
    for (int e = 0; e < 12; ++e) {
      brinkJet jet = jets.m[e / 4][e % 4];
      assert_true(jet.v.hi - jet.v.lo < 1e-3 && jet.d.hi - jet.d.lo < 1e-2 &&
                  jet.dd.hi - jet.dd.lo < (kind == brink_stageBezier ? 100 : 1));
    }
  }
}

CASE(quaternion_curves_become_rigid_rational_motions) {
  seed = 3;
  for (int n = 0; n < 50; ++n) {
    brinkQuat q[5];
    brinkVec3 places[9];
    double controls[9 * 13];
    for (int i = 0; i < 5; ++i) q[i] = (brinkQuat){1, uniform(-0.6, 0.6), uniform(-0.6, 0.6), uniform(-0.6, 0.6)};
    for (int i = 0; i < 9; ++i) places[i] = randomIn(2);
    assert_true(brinkMakeRationalMotion(q, 5, places, controls));
    brinkMotionStage stage = {.kind = brink_stageBezier, .count = 9, .controls = controls};
    const brinkMotionCurve curve = {.stages = &stage, .count = 1};
    for (int s = 0; s <= 10; ++s) {
      brinkDisplacement d = brinkMotionCurve_At(&curve, s / 10.0);
      brinkMat3 square = brinkTMulMM(&d.r, &d.r);
      for (int e = 0; e < 9; ++e) assert_true(fabs(square.m[e / 3][e % 3] - (e % 4 == 0)) < 1e-12);
    }
  }
  const brinkQuat halfTurn[2] = {{1, 0, 0, 0}, {-1, 0, 0.1, 0}};
  brinkVec3 places[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double controls[39];
  assert_false(brinkMakeRationalMotion(halfTurn, 2, places, controls));
}

CASE(balls_hold_the_motion) {
  double loosest = 0;
  for (uint64_t n = 0; n < 400; ++n) {
    seed = 7000 + n;
    Chain chain;
    makeChain(&chain, 1 + (uint32_t)(n % 4), 1 + (int)(n / 4 % 3));
    double points[18], t0 = uniform(0, 0.9),
                       t1 = brinkMotionCurve_NextKey(&chain.curve, t0, fmin(1, t0 + uniform(0.001, 0.1)));
    for (int i = 0; i < 18; ++i) points[i] = uniform(-1, 1);
    brinkObjectMetric metric;
    assert_int_equal(brinkMakeObjectMetric(NULL, points, NULL, 6, &metric), brink_ok);
    brinkMotionSpan span;
    brinkMakeMotionSpan(&chain.curve, t0, t1, &span);
    double radius = brinkMotionSpan_Radius(&span, &metric), furthest = 0;
    for (int s = 0; s <= 20; ++s) {
      brinkDisplacement at = brinkMotionCurve_At(&chain.curve, t0 + (t1 - t0) * s / 20), d;
      for (int e = 0; e < 9; ++e) d.r.m[e / 3][e % 3] = at.r.m[e / 3][e % 3] - span.center.r.m[e / 3][e % 3];
      d.p = brinkSub(at.p, span.center.p);
      furthest = fmax(furthest, sqrt(brinkObjectMetric_SquareBound(&metric, &d)));
    }
    if (!(furthest <= radius * (1 + 1e-11) + 1e-11))
      fail_msg("seed %llu: %.17g outside of %.17g", (unsigned long long)seed, furthest, radius);
    loosest = fmax(loosest, radius / furthest);
  }
  assert_true(loosest < 8);
}

CASE(inverse_stages_undo_rigid_motions) {
  double worst = 0;
  for (uint64_t n = 0; n < 200; ++n) {
    seed = 600 + n;
    Chain chain;
    int count = 1 + (int)(n / 4 % 3);
    makeChain(&chain, 1 + (uint32_t)(n % 4), count);
    brinkStageKey keys[2 * 3 * 4];
    double controls[26 * 3 * 9];
    brinkMotionStage inverse[9];
    for (int i = 0; i < count; ++i) { /* rational motions that are rigid */
      brinkQuat q[5];
      brinkVec3 places[9];
      for (int k = 0; k < 5; ++k) q[k] = (brinkQuat){1, uniform(-0.6, 0.6), uniform(-0.6, 0.6), uniform(-0.6, 0.6)};
      for (int k = 0; k < 9; ++k) places[k] = randomIn(2);
      if (chain.stages[i].kind != brink_stageBezier) continue;
      assert_true(brinkMakeRationalMotion(q, 5, places, chain.controls[i]));
      chain.stages[i].count = 9;
    }
    size_t made = brinkInvertStages(chain.stages, (size_t)count, inverse, keys, controls);
    assert_true(made >= (size_t)count && made <= 3 * (size_t)count);
    const brinkMotionCurve back = {.stages = inverse, .count = made};
    for (int s = 0; s <= 10; ++s) {
      brinkDisplacement there = brinkMotionCurve_At(&chain.curve, s / 10.0),
                        again = brinkMotionCurve_At(&back, s / 10.0);
      brinkVec3 x = randomIn(1);
      worst = fmax(worst, brinkDistance(brinkApply(&again, brinkApply(&there, x)), x));
    }
    if (!(worst < 1e-12)) fail_msg("seed %llu: %.17g from where it began", (unsigned long long)seed, worst);
  }
}

/* Paths of points: within `moved` of the middle, and within the ball. */
CASE(path_balls_hold_the_path_and_are_often_those_over_its_ends) {
  int overEnds = 0, count = 0;
  double best = 1;
  for (uint64_t n = 0; n < 1200; ++n) {
    seed = 9000 + n;
    Chain chain;
    makeChain(&chain, 1 + (uint32_t)(n % 4), 1 + (int)(n / 4 % 3));
    double t0 = uniform(0, 0.9), t1 = brinkMotionCurve_NextKey(&chain.curve, t0, fmin(1, t0 + uniform(0.001, 0.3)));
    brinkVec3 x = randomIn(1);
    brinkMotionSpan span;
    brinkMakeMotionSpan(&chain.curve, t0, t1, &span);
    brinkPathBall ball = brinkMotionSpan_Path(&span, x);
    brinkVec3 middle = brinkApply(&span.center, x);
    assert_true(ball.radius <= ball.moved);
    double furthest = 0, moved = 0, turned = 0;
    for (int s = 0; s <= 40; ++s) {
      brinkDisplacement at = brinkMotionCurve_At(&chain.curve, s == 40 ? t1 : t0 + (t1 - t0) * s / 40);
      furthest = fmax(furthest, brinkDistance(brinkApply(&at, x), ball.center));
      moved = fmax(moved, brinkDistance(brinkApply(&at, x), middle));
      double square = 0;
      for (int e = 0; e < 9; ++e)
        square += (at.r.m[e / 3][e % 3] - span.center.r.m[e / 3][e % 3]) *
                  (at.r.m[e / 3][e % 3] - span.center.r.m[e / 3][e % 3]);
      turned = fmax(turned, sqrt(square));
    }
    if (!(furthest <= ball.radius && moved <= ball.moved && turned <= span.turn))
      fail_msg("seed %llu: %.17g of %.17g, %.17g of %.17g, %.17g of %.17g", (unsigned long long)seed, furthest,
               ball.radius, moved, ball.moved, turned, span.turn);
    overEnds += ball.radius < ball.moved;
    best = fmin(best, ball.radius / ball.moved);
    ++count;
  }
  print_message("ball over the ends taken in %d of %d, least ratio to the middle's %.3f\n", overEnds, count, best);
  assert_true(overEnds > count / 4 && best < 0.8);
}

/* Curves of piecewise constant curvature <= k, k L <= pi: the ball over their ends holds them, and is never larger than
 * that of Prop. 2, radius tan(k L/2)/k. */
CASE(curves_that_turn_half_a_circle_at_most_stay_in_the_ball_over_their_ends) {
  enum { STEPS = 200 };
  seed = 11;
  double nearest = 0, smallest = 1, largest = 0;
  for (int n = 0; n < 3000; ++n) {
    double curvature = uniform(0.1, 3), turn = uniform(0.01, 3.14159), length = turn / curvature;
    brinkVec3 at[STEPS + 1] = {{0, 0, 0}}, tangent = {1, 0, 0}, axis = {0, 0, 1};
    bool fullArc = n % 3 == 0;
    for (int s = 0; s < STEPS; ++s) {
      if (!fullArc && s % 40 == 0) axis = brinkNormalizeOr(brinkCross(tangent, randomIn(1)), brinkV3(0, 0, 1));
      double k = fullArc || s % 3 != 0 ? curvature : uniform(0, curvature);
      brinkMat3 half = brinkExp3(brinkScale(axis, 0.5 * k * length / STEPS)),
                whole = brinkExp3(brinkScale(axis, k * length / STEPS));
      double step = k > 0 ? 2 / k * sin(0.5 * k * length / STEPS) : length / STEPS;
      at[s + 1] = brinkMulAdd(at[s], step, brinkMulMV(&half, tangent));
      tangent = brinkMulMV(&whole, tangent);
    }
    brinkVec3 center = brinkScale(at[STEPS], 0.5);
    double radius = brinkLength(center), proposition2 = tan(0.5 * turn) / curvature;
    for (int s = 0; s <= STEPS; ++s) {
      double ratio = brinkDistance(at[s], center) / radius;
      if (!(ratio <= 1 + 1e-9)) fail_msg("case %d: %.17g of the radius", n, ratio);
      if (s > 10 && s < STEPS - 10) nearest = fmax(nearest, ratio);
    }
    assert_true(radius <= proposition2);
    smallest = fmin(smallest, radius / proposition2);
    if (turn < 2) largest = fmax(largest, proposition2 / radius);
  }
  print_message("radius %.3g to 1 of Prop. 2's; up to k L = 2 Prop. 2's is up to %.2f times larger\n", smallest,
                largest);
  assert_true(nearest > 0.99);          /* half a circle runs along the sphere */
  assert_true(1 - cos(1.8) > sin(1.8)); /* more than half a circle: the arc's height exceeds half its chord */
}

/* ---- fat features */

static brinkVec3 pointOf(const brinkFatPolygon *p, double u, double v) { /* fan of the polygon, u, v in [0,1] */
  uint32_t triangles = p->count > 2 ? p->count - 2 : 1, k = (uint32_t)fmin(u * triangles, triangles - 1.0);
  double s = u * triangles - k;
  if (p->count == 1) return p->corner[0];
  if (p->count == 2) return brinkMulAdd(p->corner[0], v, brinkSub(p->corner[1], p->corner[0]));
  brinkVec3 a = brinkMulAdd(p->corner[k + 1], s, brinkSub(p->corner[k + 2], p->corner[k + 1]));
  return brinkMulAdd(p->corner[0], v, brinkSub(a, p->corner[0]));
}

static uint32_t makePolygon(uint32_t corners, double size, brinkObjectMetric *metric, brinkFatPolygon *out) {
  double vertices[3 * BRINK_FAT_CORNERS];
  uint32_t ids[BRINK_FAT_CORNERS];
  brinkMat3 r = brinkExp3(randomIn(2));
  brinkVec3 shift = randomIn(0.2);
  double from = uniform(0, 1);
  for (uint32_t i = 0; i < corners; ++i) {
    double angle = from + 6.283185307179586 * i / corners;
    brinkVec3 v = brinkAdd(shift, brinkMulMV(&r, brinkV3(size * cos(angle), 0.7 * size * sin(angle), 0)));
    vertices[3 * i] = v.x;
    vertices[3 * i + 1] = v.y;
    vertices[3 * i + 2] = v.z;
    ids[i] = i;
  }
  assert_int_equal(brinkMakeObjectMetric(NULL, vertices, NULL, corners, metric), brink_ok);
  assert_true(brinkMakeFatPolygon(vertices, ids, corners, metric, out));
  return corners;
}

CASE(spheres_hyperboloids_and_scaled_faces_are_the_fat_polygon) {
  int inside = 0, outside = 0;
  for (uint64_t n = 0; n < 300; ++n) {
    seed = 20000 + n;
    brinkObjectMetric metric;
    brinkFatPolygon p;
    makePolygon(3 + (uint32_t)uniform(0, 5.99), 1, &metric, &p);
    double radius = uniform(0.05, n % 4 == 0 ? 3 : 0.6);
    for (int k = 0; k < 20; ++k) {
      brinkVec3 point = brinkAdd(pointOf(&p, uniform(0, 1), sqrt(uniform(0, 1))), randomIn(0.6 * radius));
      double least = HUGE_VAL; /* of distance minus R sigma over a grid of the polygon */
      for (int i = 0; i <= 60; ++i)
        for (int j = 0; j <= 60; ++j) {
          brinkVec3 x = pointOf(&p, i / 60.0, j / 60.0);
          least = fmin(least, brinkDistance(point, x) - radius * brinkObjectMetric_Distortion(&metric, x));
        }
      bool says = brinkFatPolygon_Contains(&p, &metric, radius, point);
      if (least < -1e-9 && !says)
        fail_msg("seed %llu: a point %.3g inside is left out", (unsigned long long)seed, -least);
      if (says && least > 0.02 * (1 + radius))
        fail_msg("seed %llu: a point %.3g outside is held", (unsigned long long)seed, least);
      inside += least < 0;
      outside += least > 0;
    }
  }
  assert_true(inside > 500 && outside > 500);
}

CASE(fat_polygons_called_apart_are_apart_and_others_nearly_meet) {
  int apart = 0, meet = 0;
  uint64_t tests = 0;
  for (uint64_t n = 0; n < 1500; ++n) {
    seed = 40000 + n;
    brinkObjectMetric metricA, metricB;
    brinkFatPolygon p, f;
    makePolygon(n % 7 == 0 ? 2 : n % 11 == 0 ? 1 : 3 + (uint32_t)uniform(0, 5.99), 0.6, &metricA, &p);
    makePolygon(n % 5 == 0 ? 2 : n % 13 == 0 ? 1 : 3 + (uint32_t)uniform(0, 5.99), 0.6, &metricB, &f);
    brinkDisplacement a = {brinkIdentity3(), randomIn(0.9)}, b = {brinkIdentity3(), {0, 0, 0}};
    if (n % 3 == 0) /* affine centres */
      for (int e = 0; e < 9; ++e) a.r.m[e / 3][e % 3] += uniform(-0.3, 0.3);
    double radiusA = uniform(0, n % 4 == 0 ? 1.5 : 0.3), radiusB = n % 2 == 0 ? 0 : uniform(0, 0.3),
           margin = n % 6 == 0 ? 0.05 : 0;
    brinkFatSide sides[2] = {{&p, &a, radiusA, 0}, {&f, &b, radiusB, 0}};
    brinkFeaturePairs left = brinkAllFeaturePairs(&p, &f);
    bool says = brinkFatPolygons_Apart(&sides[0], &sides[1], margin, &left, &tests);
    double least = HUGE_VAL;
    enum { GRID = 14 };
    for (int i = 0; i <= GRID; ++i)
      for (int j = 0; j <= GRID; ++j) {
        brinkVec3 x = pointOf(&p, (double)i / GRID, (double)j / GRID), at = brinkApply(&a, x);
        double reach = radiusA * brinkObjectMetric_Distortion(&metricA, x) + margin;
        for (int k = 0; k <= GRID; ++k)
          for (int l = 0; l <= GRID; ++l) {
            brinkVec3 y = pointOf(&f, (double)k / GRID, (double)l / GRID);
            least = fmin(least, brinkDistance(at, brinkApply(&b, y)) - reach -
                                    radiusB * brinkObjectMetric_Distortion(&metricB, y));
          }
      }
    if (says && least <= 0)
      fail_msg("seed %llu: apart, but a pair of points meets by %.3g", (unsigned long long)seed, -least);
    bool one = radiusB == 0 && margin == 0; /* a single term: the quadratic is exact */
    if (!says && one && least > 0.15) fail_msg("seed %llu: %.3g apart, but not told", (unsigned long long)seed, least);
    apart += says;
    meet += !says;
  }
  assert_true(apart > 200 && meet > 200 && tests > 1000);
}

/* ---- the search */

typedef struct Example {
  double vertices[2][3 * 33 * 33], controls[9 * 13];
  uint32_t start[32 * 32 + 1], ids[4 * 32 * 32];
  brinkMotionStage stage, turn;
  brinkFaceBody a, b;
} Example;

static const brinkQuat turning[5] = {
    {1, 0, 0, 0}, {1, 0.3, 0.1, 0.2}, {1, 0.5, 0.4, 0.1}, {1, 0.2, 0.6, -0.3}, {1, -0.1, 0.3, 0.4}};

static void makeMotion(Example *e, double height) {
  brinkVec3 places[9];
  for (int i = 0; i < 9; ++i) places[i] = brinkV3(-3 + 6 * i / 8.0, 0.3 * i * (8 - i) / 16.0, height);
  assert_true(brinkMakeRationalMotion(turning, 5, places, e->controls));
  e->stage = (brinkMotionStage){.kind = brink_stageBezier, .count = 9, .controls = e->controls};
  e->a.motion = (brinkMotionCurve){.stages = &e->stage, .count = 1};
}

static void makeOctagons(Example *e, double height) {
  memset(e, 0, sizeof *e);
  for (uint32_t i = 0; i < 8; ++i) {
    e->vertices[0][3 * i] = cos(0.7853981633974483 * i);
    e->vertices[0][3 * i + 1] = sin(0.7853981633974483 * i);
    e->ids[i] = i;
  }
  e->start[1] = 8;
  e->a = e->b = (brinkFaceBody){
      .vertices = e->vertices[0], .vertexCount = 8, .faceStart = e->start, .faceIds = e->ids, .faceCount = 1};
  makeMotion(e, height);
}

static void makeSquares(Example *e, uint32_t m, double height) {
  memset(e, 0, sizeof *e);
  for (uint32_t i = 0; i <= m; ++i)
    for (uint32_t j = 0; j <= m; ++j) {
      double *v = &e->vertices[0][3 * (i * (m + 1) + j)];
      v[0] = -1 + 2.0 * i / m;
      v[1] = -1 + 2.0 * j / m;
    }
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t j = 0; j < m; ++j) {
      uint32_t f = i * m + j, k = i * (m + 1) + j;
      const uint32_t corners[4] = {k, k + m + 1, k + m + 2, k + 1};
      memcpy(&e->ids[4 * f], corners, sizeof corners);
      e->start[f + 1] = 4 * (f + 1);
    }
  e->a = e->b = (brinkFaceBody){.vertices = e->vertices[0],
                                .vertexCount = (m + 1) * (m + 1),
                                .faceStart = e->start,
                                .faceIds = e->ids,
                                .faceCount = m * m};
  makeMotion(e, height);
}

static brinkToleranceInput inputOf(const Example *e) {
  return (brinkToleranceInput){.a = &e->a, .b = &e->b, .tEnd = 1, .tolerance = 0.02};
}

/* Distance of the two bodies' hulls (flat bodies: of the bodies) at t. */
static double distanceAt(const Example *e, double t) {
  static double placed[2][3 * 33 * 33];
  const brinkFaceBody *const body[2] = {&e->a, &e->b};
  brinkPiece piece[2];
  const brinkRigid identity = brinkIdentityRigid();
  for (int k = 0; k < 2; ++k) {
    brinkDisplacement at = brinkMotionCurve_At(&body[k]->motion, t);
    for (size_t i = 0; i < body[k]->vertexCount; ++i) {
      brinkVec3 v = brinkApply(&at, brinkV3_FromArray(&body[k]->vertices[3 * i]));
      placed[k][3 * i] = v.x;
      placed[k][3 * i + 1] = v.y;
      placed[k][3 * i + 2] = v.z;
    }
    piece[k] = brinkMakePointPiece(placed[k], (uint32_t)body[k]->vertexCount, 0);
  }
  brinkSeparation at;
  const brinkGjkLimits limits = {.relative = 1e-6, .enoughLower = HUGE_VAL, .enoughUpper = -1};
  brinkGjk(&piece[0], &identity, &piece[1], &identity, &limits, NULL, &at);
  return at.overlap ? 0 : at.upper;
}

/* What every answer must keep: cells hold their bound, open ones lie near, contacts are in open ones. */
static void judge(const Example *e, const brinkToleranceInput *input, const brinkToleranceResult *result) {
  double least = HUGE_VAL;
  for (int s = 0; s <= 1000; ++s) {
    double t = s / 1000.0, d = distanceAt(e, t);
    least = fmin(least, d);
    bool listed = false;
    for (size_t i = 0; i < result->openCount; ++i) listed |= result->open[i].from <= t && t <= result->open[i].to;
    if (d <= 0 && !listed) fail_msg("contact at %g is not listed", t);
    if (listed && d > 2.2 * input->tolerance) fail_msg("listed at %g, where they are %g apart", t, d);
  }
  if (result->state == brink_toleranceProven) {
    assert_true(least > 0);
    if (!input->searchOnly && !(result->bound <= least))
      fail_msg("bound %g above the distance %g", result->bound, least);
  } else if (least > 2.2 * input->tolerance) {
    fail_msg("not proven, but %g apart all the time", least);
  }
}

CASE(octagons_are_certified_or_their_contact_is_listed) {
  static Example e;
  const double heights[3] = {1.25, 0.9, 0.5};
  int proven = 0;
  for (int k = 0; k < 3; ++k)
    for (int mode = 0; mode < 6; ++mode) {
      makeOctagons(&e, heights[k]);
      brinkToleranceInput input = inputOf(&e);
      input.searchOnly = mode == 0;
      input.oneMass = mode == 2;
      input.parts = mode == 3 ? 7 : 0;
      if (mode == 4) { /* the other body moves too: the same motion seen from a turning frame */
        e.turn = (brinkMotionStage){.kind = brink_stageTurn, .spin = brinkV3(0, 0, 0.3), .rotation = brinkIdentity3()};
        e.b.motion = (brinkMotionCurve){.stages = &e.turn, .count = 1};
      }
      brinkContext context;
      brinkInitContext(&context);
      brinkToleranceResult result;
      brinkStatus status = (mode == 5 ? brinkTolerance_Witness : brinkTolerance_Search)(&context, &input, &result);
      assert_int_equal(status, brink_ok);
      judge(&e, &input, &result);
      proven += result.state == brink_toleranceProven;
      assert_int_equal(result.state == brink_toleranceProven, result.openCount == 0);
      brinkToleranceResult_Free(&context, &result);
    }
  assert_true(proven >= 6 && proven < 18);
}

CASE(squares_are_certified_or_listed_with_both_kinds_of_masses) {
  static Example e;
  const double heights[3] = {0.7, 1.05, 1.6};
  for (int k = 0; k < 3; ++k)
    for (int mode = 0; mode < 3; ++mode) {
      makeSquares(&e, mode == 2 ? 8 : 4, heights[k]);
      brinkToleranceInput input = inputOf(&e);
      input.oneMass = mode == 0;
      input.flat = mode == 1;
      brinkContext context;
      brinkInitContext(&context);
      brinkToleranceResult result;
      assert_int_equal(brinkTolerance_Search(&context, &input, &result), brink_ok);
      judge(&e, &input, &result);
      assert_int_equal(result.state, k == 2 ? brink_toleranceProven : brink_toleranceListed);
      brinkToleranceResult_Free(&context, &result);
    }
}

/* The paper's squares, both kinds of masses: individual masses need fewer tests of each kind than one and leave fewer
 * cells open; with a hierarchy the work grows no faster than m^2, without one no faster than the m^4 pairs of faces. */
CASE(individual_masses_take_less_work_and_work_grows_like_m_squared) {
  static Example e;
  const double heights[3] = {0.7, 1.13, 1.6};
  for (int k = 0; k < 3; ++k)
    for (int flat = 0; flat < 2; ++flat) {
      double work[2][4];
      uint32_t most = flat ? 3 : 4; /* m = 4, 8, 16, 32 */
      for (uint32_t i = 0; i < most; ++i) {
        brinkToleranceResult results[2];
        for (int one = 0; one < 2; ++one) {
          makeSquares(&e, 4u << i, heights[k]);
          brinkToleranceInput input = inputOf(&e);
          input.oneMass = one == 1;
          input.flat = flat == 1;
          input.searchOnly = true;
          input.maxTests = 1u << 30;
          input.maxOpen = 1u << 30;
          brinkContext context;
          brinkInitContext(&context);
          assert_int_equal(brinkTolerance_Search(&context, &input, &results[one]), brink_ok);
          assert_int_equal(results[one].state, k == 0 ? brink_toleranceListed : brink_toleranceProven);
          const brinkToleranceCounters *c = &results[one].counters;
          work[one][i] = (double)(c->pairTests + c->featureTests);
        }
        const brinkToleranceCounters *own = &results[0].counters, *one = &results[1].counters;
        print_message("height %.2f %s m %2u: individual %llu pairs %llu polygons %zu open, one mass %llu %llu %zu\n",
                      heights[k], flat ? "flat" : "tree", 4u << i, (unsigned long long)own->pairTests,
                      (unsigned long long)own->polygonTests, results[0].cellCount, (unsigned long long)one->pairTests,
                      (unsigned long long)one->polygonTests, results[1].cellCount);
        assert_true((double)own->pairTests < 0.7 * (double)one->pairTests && own->polygonTests <= one->polygonTests);
        assert_true(own->spans < one->spans && results[0].cellCount <= results[1].cellCount);
        brinkContext context;
        brinkInitContext(&context);
        for (int r = 0; r < 2; ++r) brinkToleranceResult_Free(&context, &results[r]);
      }
      for (int one = 0; one < 2; ++one) { /* exponent by m^2 of the whole range */
        double exponent = log(work[one][most - 1] / work[one][0]) / log((double)(1u << (2 * (most - 1))));
        print_message("  exponent by m^2, %s: %.2f\n", one ? "one mass" : "individual", exponent);
        assert_true(exponent < (flat ? 2.0 : 1.05));
      }
    }
}

static void runBackwards(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data) {
  (void)user;
  while (count > 0) task(data, --count);
}

CASE(the_order_of_tasks_does_not_change_a_bit) {
  static Example e;
  makeSquares(&e, 4, 0.7);
  brinkToleranceInput input = inputOf(&e);
  input.parts = 8;
  brinkToleranceResult results[2];
  brinkContext context;
  brinkInitContext(&context);
  assert_int_equal(brinkTolerance_Search(&context, &input, &results[0]), brink_ok);
  input.run = runBackwards;
  assert_int_equal(brinkTolerance_Search(&context, &input, &results[1]), brink_ok);
  assert_int_equal(results[0].cellCount, results[1].cellCount);
  assert_memory_equal(results[0].cells, results[1].cells, results[0].cellCount * sizeof *results[0].cells);
  for (int k = 0; k < 2; ++k) brinkToleranceResult_Free(&context, &results[k]);
}

CASE(a_spent_budget_is_said_and_never_called_free) {
  static Example e;
  makeSquares(&e, 8, 0.7);
  brinkToleranceInput input = inputOf(&e);
  input.maxTests = 500;
  brinkContext context;
  brinkInitContext(&context);
  for (int witness = 0; witness < 2; ++witness) {
    brinkToleranceResult result;
    assert_int_equal((witness ? brinkTolerance_Witness : brinkTolerance_Search)(&context, &input, &result), brink_ok);
    assert_int_equal(result.state, brink_toleranceSpent);
    assert_true(result.openCount > 0);
    brinkToleranceResult_Free(&context, &result);
  }
}

/* A box flies through another and turns: the times without a proof are the same whether all pairs of faces are followed
 * to them or one for each time, but for what it costs; as whole solids, deep in each other, they cost least. */
CASE(deep_contacts_cost_as_much_as_their_times_are_long) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  double vertices[24];
  uint32_t start[7], ids[24], wholeIds[8];
  const uint32_t wholeStart[2] = {0, 8};
  for (uint32_t i = 0; i < 24; ++i) vertices[i] = (i / 3) >> (i % 3) & 1 ? 1 : -1;
  for (uint32_t i = 0; i < 8; ++i) wholeIds[i] = i;
  for (uint32_t f = 0; f < 6; ++f) memcpy(&ids[4 * f], quads[f], sizeof quads[f]);
  for (uint32_t f = 0; f <= 6; ++f) start[f] = 4 * f;
  brinkMotionStage stage = {.kind = brink_stageTurn,
                            .point = brinkV3(-5, 0.3, 0.2),
                            .velocity = brinkV3(10, 0, 0),
                            .spin = brinkV3(0.4, 0.3, 1.5),
                            .rotation = brinkIdentity3()};
  double from[3], to[3];
  uint64_t examined[3];
  for (int k = 0; k < 3; ++k) {
    brinkFaceBody b = {.vertices = vertices,
                       .vertexCount = 8,
                       .faceStart = k < 2 ? start : wholeStart,
                       .faceIds = k < 2 ? ids : wholeIds,
                       .faceCount = k < 2 ? 6 : 1},
                  a = b;
    a.motion = (brinkMotionCurve){.stages = &stage, .count = 1};
    brinkToleranceInput input = {.a = &a, .b = &b, .tEnd = 1, .tolerance = 1e-3, .everyPair = k == 0};
    brinkContext context;
    brinkInitContext(&context);
    brinkToleranceResult result;
    assert_int_equal(brinkTolerance_Witness(&context, &input, &result), brink_ok);
    assert_int_equal(result.state, brink_toleranceListed);
    assert_int_equal(result.openCount, 1);
    from[k] = result.open[0].from;
    to[k] = result.open[0].to;
    examined[k] = result.counters.proofCells;
    brinkToleranceResult_Free(&context, &result);
  }
  print_message("open from %g to %g: %llu cells for every pair, %llu, whole %llu\n", from[0], to[0],
                (unsigned long long)examined[0], (unsigned long long)examined[1], (unsigned long long)examined[2]);
  assert_true(from[0] == from[1] && to[0] == to[1]);
  assert_true(fabs(from[0] - from[2]) < 1e-3 && fabs(to[0] - to[2]) < 1e-3);
  assert_true(from[0] > 0.1 && from[0] < 0.4 && to[0] > 0.6 && to[0] < 0.9);
  assert_true(4 * examined[1] < examined[0] && 4 * examined[2] < examined[1]);
}

/* A small closed box inside a large one: no faces meet, but it is not free. */
CASE(what_begins_inside_a_solid_is_not_certified) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int k = 0; k < 3; ++k) { /* inside, beside in a notch-less hull, inside but the large one is a mere surface */
    double vertices[2][24];
    uint32_t start[7], ids[24];
    for (int i = 0; i < 8; ++i)
      for (int c = 0; c < 3; ++c) {
        double corner = (i >> c & 1) ? 1 : -1;
        vertices[0][3 * i + c] = 0.2 * corner + (k == 1 && c == 0 ? 3 : 0);
        vertices[1][3 * i + c] = corner;
      }
    for (uint32_t f = 0; f < 6; ++f) memcpy(&ids[4 * f], quads[f], sizeof quads[f]);
    for (uint32_t f = 0; f <= 6; ++f) start[f] = 4 * f;
    brinkMotionStage stage = {.kind = brink_stageTurn,
                              .velocity = brinkV3(0.1, 0.2, 0),
                              .spin = brinkV3(0, 0.3, 0),
                              .rotation = brinkIdentity3()};
    brinkFaceBody a = {.motion = {&stage, 1, NULL},
                       .vertices = vertices[0],
                       .vertexCount = 8,
                       .faceStart = start,
                       .faceIds = ids,
                       .faceCount = 6};
    brinkFaceBody b = {
        .vertices = vertices[1], .vertexCount = 8, .faceStart = start, .faceIds = ids, .faceCount = 6, .solid = k < 2};
    brinkContext context;
    brinkInitContext(&context);
    brinkToleranceInput input = {.a = &a, .b = &b, .tEnd = 1, .tolerance = 1e-3};
    brinkToleranceResult result;
    assert_int_equal(brinkTolerance_Witness(&context, &input, &result), brink_ok);
    assert_int_equal(result.inside, k == 0);
    assert_int_equal(result.state == brink_toleranceProven, k != 0);
    brinkToleranceResult_Free(&context, &result);
  }
}

CASE(bad_input_is_refused_with_a_message) {
  static Example e;
  brinkContext context;
  brinkToleranceResult result;
  for (int k = 0; k < 9; ++k) {
    makeOctagons(&e, 1.25);
    brinkToleranceInput input = inputOf(&e);
    brinkStatus expected = brink_errorBadValue;
    double weight = 0, point[3] = {0, 0, 0};
    if (k == 0) input.tolerance = 0;
    if (k == 1) input.tolerance = -1;
    if (k == 2) input.tolerance = NAN;
    if (k == 3) e.controls[13 * 4] = 0;
    if (k == 4) e.controls[13 * 4] = -1;
    if (k == 5) input.oneMass = true, input.mass[0] = (brinkToleranceMass){point, &weight, 1};
    if (k == 6) e.a.faceCount = 0, expected = brink_errorEmpty;
    if (k == 7) e.ids[3] = 8, expected = brink_errorBadIndex;
    if (k == 8) input.tStart = 0.5, input.tEnd = 0.4, expected = brink_errorBadTime;
    brinkInitContext(&context);
    assert_int_equal(brinkTolerance_Search(&context, &input, &result), expected);
    assert_true(context.message[0] != '\0');
    assert_null(result.cells);
  }
}

/* Certificates are written by a faster way of their own for common sizes: at most 17 digits, read back bit for bit;
 * numbers with at most nine decimals with these and no more. */
CASE(numbers_are_written_in_digits_that_are_read_back) {
  brinkContext context;
  brinkInitContext(&context);
  uint64_t bits = 1;
  for (int i = 0; i < 30000; ++i) {
    double x[4];
    for (int k = 0; k < 4; ++k) {
      bits = bits * 6364136223846793005u + 1442695040888963407u;
      uint64_t z = bits ^ (bits >> 29);
      x[k] = k == 0   ? (double)(int64_t)z * 0x1p-63
             : k == 1 ? ldexp((double)(z >> 11), (int)(z % 90) - 100)
             : k == 2 ? (double)((int64_t)(z % 2000000001u) - 1000000000) / 1e9
                      : nextafter(pow(10.0, (double)(z % 21) - 5.0), (z & 1024u) != 0u ? 0.0 : HUGE_VAL);
    }
    const brinkFaceBody body = {.halfSpace = true, .normal = {x[0], x[1], x[2]}, .offset = x[3]};
    const brinkCertificateStatement statement = {.a = &body, .b = &body, .tEnd = 1.0};
    brinkCertificateText text = {.context = &context};
    brinkWriteStatement(&text, &statement);
    const char *word = text.status == brink_ok ? strstr(text.data, "plane") : NULL;
    assert_non_null(word);
    word += 5;
    for (int k = 0; k < 4; ++k) {
      char *end, shortest[40];
      double y = strtod(word, &end);
      int digits = 0;
      for (const char *c = word; c < end && *c != 'e'; ++c)
        digits += isdigit((unsigned char)*c) && (digits > 0 || *c != '0');
      if (memcmp(&y, &x[k], sizeof y) != 0 || digits > 17 || (*end != ' ' && *end != '\n'))
        fail_msg("%.17g is written as%.*s", x[k], (int)(end - word), word);
      snprintf(shortest, sizeof shortest, " %.9f", x[k]);
      size_t length = strlen(shortest);
      while (shortest[length - 1] == '0') --length;
      if (shortest[length - 1] == '.') --length;
      if (k == 2 && ((size_t)(end - word) != length || strncmp(word, shortest, length) != 0))
        fail_msg("%.9f is written as%.*s", x[k], (int)(end - word), word);
      word = end;
    }
    brinkCertificateText_Free(&text);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
