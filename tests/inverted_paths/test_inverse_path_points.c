/* SPDX-License-Identifier: BSD-3-Clause */
/* Points on inverted trajectories: all their intervals against closed forms and slow truths; faces; samples; sweeps. */
#include <stdio.h>
#include <stdlib.h>
#include "cases.h"
#include "ball_solid.h"
#include "interfering_subsets.h"
#include "inverse_factors.h"
#include "inverse_support.h"

static brinkContext context;

CASE(a_point_through_a_turning_block_enters_and_leaves_at_the_closed_forms_times) {
  smallMesh m;
  makeBlock(&m, 0.5, 0.4, 0.3);
  brinkInverseMesh mesh;
  brinkMeshView view = viewOf(&m, true);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "a", &mesh), brink_ok);
  brinkInverseMotion a = {0}, b = {0};
  addTurn(&context, &a, 0, 0, 1, 0.2,
          9.0); /* the block turns, the point stands at radius 0.45 on the axis x: inside while |y'| < 0.4 */
  brinkRelativeMotion motion = {&a, &b};
  brinkMotionTable table;
  assert_int_equal(brinkMotionTable_Make(&context, &motion, 0, 1, &table), brink_ok);
  brinkInverseTarget target = {&mesh, NULL};
  brinkPointQuery query = {.timeTolerance = 1e-10};
  brinkContactInterval out[8];
  const double x[3] = {0.45, 0, 0.05};
  size_t count = brinkPointContacts(&target, &table, x, &query, out, 8);
  /* x' = 0.45 cos q, y' = -0.45 sin q, q = 0.2 + 9 t; inside: |sin q| <= 0.4/0.45 */
  double limit = asin(0.4 / 0.45), first[4] = {0.2, INVERSE_PI - limit, 2 * INVERSE_PI - limit, 3 * INVERSE_PI - limit},
         last[4] = {limit, INVERSE_PI + limit, 2 * INVERSE_PI + limit, 9.2};
  assert_int_equal(count, 4);
  for (int i = 0; i < 4; ++i) {
    assert_true(out[i].proven && out[i].openInside == 0);
    assert_true(out[i].startUpper - out[i].startLower <= 1e-9 && out[i].endUpper - out[i].endLower <= 1e-9);
    double start = (first[i] - 0.2) / 9, end = (last[i] - 0.2) / 9;
    assert_true(start >= out[i].startLower - 1e-14 && start <= out[i].startUpper + 1e-14);
    assert_true(end >= out[i].endLower - 1e-14 && end <= out[i].endUpper + 1e-14);
    assert_true(out[i].begins == (i > 0) && out[i].ends == (i < 3));
  }
  brinkMotionTable_Free(&context, &table);
  brinkInverseMotion_Free(&context, &a);
  brinkInverseMesh_Free(&context, &mesh);
}

CASE(an_implicit_ball_is_met_at_the_closed_forms_times) {
  double radius = 0.7;
  const brinkImplicitSolid ball = {.bound = ballBound, .user = &radius, .box = {{-0.8, -0.8, -0.8}, {0.8, 0.8, 0.8}}};
  brinkInverseTarget target = {NULL, &ball};
  inverseRandom g = {5};
  int met = 0;
  for (int i = 0; i < 200; ++i) {
    brinkInverseMotion b = {0};
    double p[3], v[3], a = 0, h = 0, c = -radius * radius;
    for (int k = 0; k < 3; ++k) {
      p[k] = randomBetween(&g, -1.2, 1.2);
      v[k] = randomBetween(&g, -4, 4);
      a += v[k] * v[k];
      h += v[k] * p[k];
      c += p[k] * p[k];
    }
    addShift(&context, &b, p[0], p[1], p[2], v[0], v[1], v[2]);
    brinkRelativeMotion motion = {NULL, &b};
    brinkMotionTable table;
    assert_int_equal(brinkMotionTable_Make(&context, &motion, 0, 1, &table), brink_ok);
    brinkPointQuery query = {.timeTolerance = 1e-10};
    brinkContactInterval out[4];
    const double x[3] = {0, 0, 0};
    size_t count = brinkPointContacts(&target, &table, x, &query, out, 4);
    double root = h * h - a * c, t0 = root > 0 ? (-h - sqrt(root)) / a : 2, t1 = root > 0 ? (-h + sqrt(root)) / a : -1;
    bool meets = root > 0 && t1 > 0 && t0 < 1;
    assert_int_equal(count, meets ? 1 : 0);
    if (meets) {
      met += 1;
      assert_true(out[0].proven);
      if (t0 > 0) assert_true(t0 >= out[0].startLower - 1e-13 && t0 <= out[0].startUpper + 1e-13);
      if (t1 < 1) assert_true(t1 >= out[0].endLower - 1e-13 && t1 <= out[0].endUpper + 1e-13);
      assert_true(out[0].startUpper - out[0].startLower <= 1e-9 && out[0].endUpper - out[0].endLower <= 1e-9);
    }
    brinkMotionTable_Free(&context, &table);
    brinkInverseMotion_Free(&context, &b);
  }
  assert_true(met > 20);
}

CASE(crossings_of_an_open_sheet_are_proven_one_by_one) {
  smallMesh m = {.vertexCount = 0};
  addVertex(&m, 0, -1, -1);
  addVertex(&m, 0, 1, -1);
  addVertex(&m, 0, 1, 1);
  addVertex(&m, 0, -1, 1);
  addTriangle(&m, 0, 1, 2);
  addTriangle(&m, 0, 2, 3);
  brinkInverseMesh mesh;
  brinkMeshView view = viewOf(&m, false);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "a", &mesh), brink_ok);
  brinkInverseMotion b = {0};
  addTurn(&context, &b, 0, 0, 1, 0.1, 20); /* the point (r,0,z) circles: x = r cos q is 0 at odd quarters */
  brinkRelativeMotion motion = {NULL, &b};
  brinkMotionTable table;
  assert_int_equal(brinkMotionTable_Make(&context, &motion, 0, 1, &table), brink_ok);
  brinkInverseTarget target = {&mesh, NULL};
  brinkPointQuery query = {.timeTolerance = 1e-10};
  brinkContactInterval out[16];
  const double x[3] = {0.5, 0, 0.3};
  size_t count = brinkPointContacts(&target, &table, x, &query, out, 16), expected = 0;
  for (int k = 0; k < 40; ++k) {
    double t = ((k + 0.5) * INVERSE_PI - 0.1) / 20;
    if (t < 0 || t > 1) continue;
    assert_true(expected < count);
    assert_true(out[expected].proven);
    assert_true(t >= out[expected].startLower - 1e-14 && t <= out[expected].endUpper + 1e-14);
    assert_true(out[expected].endUpper - out[expected].startLower <= 1e-9);
    expected += 1;
  }
  assert_int_equal(count, expected);
  brinkMotionTable_Free(&context, &table);
  brinkInverseMotion_Free(&context, &b);
  brinkInverseMesh_Free(&context, &mesh);
}

static void countdown(void *user, size_t count, void (*task)(void *, size_t), void *data) {
  (void)user;
  for (size_t i = count; i-- > 0;) task(data, i);
}

/* Two blocks on a curve: samples of B, its faces and the whole agree with each other, in any order of tasks. */
CASE(samples_faces_and_whole_agree_in_any_order_of_tasks) {
  smallMesh m[2];
  brinkInverseMesh mesh[2];
  makeBlock(&m[0], 0.5, 0.5, 0.5);
  makeBlock(&m[1], 0.4, 0.3, 0.35);
  for (int k = 0; k < 2; ++k) {
    brinkMeshView view = viewOf(&m[k], true);
    assert_int_equal(brinkInverseMesh_Make(&context, &view, "body", &mesh[k]), brink_ok);
  }
  brinkInverseMotion b = {0};
  addShift(&context, &b, -1.5, 0.3, 0.25, 3, 0.1, -0.2);
  addTurn(&context, &b, 0, 0, 1, 0.3, 2);
  addTurn(&context, &b, 1, 0, 0, 0.2, 1.5);
  brinkMeshPair pair = {&mesh[0], &mesh[1], {NULL, &b}, 0};
  brinkIntervalQuery query = {.tStart = 0, .tEnd = 1, .timeTolerance = 1e-9};
  brinkIntervalSet set = {0}, again = {0};
  assert_int_equal(brinkFindContactIntervals(&context, &pair, &query, &set), brink_ok);
  query.parallel.run = countdown;
  assert_int_equal(brinkFindContactIntervals(&context, &pair, &query, &again), brink_ok);
  assert_int_equal(set.count, 1);
  assert_int_equal(again.count, 1);
  assert_memory_equal(&set.items[0], &again.items[0], sizeof set.items[0]);

  brinkFaceContact faces[2][16];
  brinkMotionTable table;
  assert_int_equal(brinkMotionTable_Make(&context, &pair.motion, 0, 1, &table), brink_ok);
  assert_int_equal(brinkFindFaceContacts(&context, &pair, &table, 1e-9, &(brinkParallel){0}, faces[0]), brink_ok);
  assert_int_equal(brinkFindFaceContacts(&context, &pair, &table, 1e-9, &query.parallel, faces[1]), brink_ok);
  assert_memory_equal(faces[0], faces[1], sizeof faces[0]);
  double first = 2, last = -1;
  for (int i = 0; i < 16; ++i)
    if (faces[0][i].state == brink_cellContact) {
      first = fmin(first, faces[0][i].entryUpper);
      last = fmax(last, faces[0][i].exitLower);
      assert_true(faces[0][i].entryUpper - faces[0][i].entryLower <= 1e-9);
    }
  assert_true(fabs(first - set.items[0].startUpper) < 2e-9);
  assert_true(fabs(last - set.items[0].endLower) < 2e-9);

  brinkSamples samples = {0};
  assert_int_equal(brinkSamples_AddBoundary(&context, &mesh[1], 0.03, &samples), brink_ok);
  assert_true(samples.spacing <= 0.03 && samples.count > 500);
  size_t boundary = samples.count;
  assert_int_equal(brinkSamples_AddInside(&context, &mesh[1], 0.1, &samples), brink_ok);
  assert_true(samples.count > boundary + 100);
  brinkInverseTarget target = {&mesh[0], NULL};
  brinkPointQuery asked = {.timeTolerance = 1e-9};
  brinkPointSet points = {0}, reversed = {0};
  assert_int_equal(brinkFindPointContacts(&context, &target, &table, samples.points, samples.count, &asked,
                                          &(brinkParallel){0}, &points),
                   brink_ok);
  assert_int_equal(brinkFindPointContacts(&context, &target, &table, samples.points, samples.count, &asked,
                                          &query.parallel, &reversed),
                   brink_ok);
  assert_memory_equal(points.starts, reversed.starts, (samples.count + 1) * sizeof(size_t));
  size_t interfering = 0;
  for (size_t i = 0; i < samples.count; ++i)
    for (size_t k = points.starts[i]; k < points.starts[i + 1]; ++k) {
      const brinkContactInterval *one = &points.intervals[k];
      interfering += k == points.starts[i] ? 1 : 0;
      if (!one->proven) continue;
      assert_true(one->startUpper >= set.items[0].startLower && one->endLower <= set.items[0].endUpper);
      if (samples.faces[i] == BRINK_NO_TRIANGLE) continue;
      const brinkFaceContact *face = &faces[0][samples.faces[i]];
      assert_int_equal(face->state, brink_cellContact);
      if (!(one->startUpper >= face->entryLower && one->endLower <= face->exitUpper))
        print_error("point %zu of face %u: %.15g..%.15g, face %.15g %.15g .. %.15g %.15g\n", i, samples.faces[i],
                    one->startUpper, one->endLower, face->entryLower, face->entryUpper, face->exitLower,
                    face->exitUpper);
      assert_true(one->startUpper >= face->entryLower && one->endLower <= face->exitUpper);
    }
  assert_true(interfering > 300 && interfering < samples.count);
  brinkPointSet_Free(&context, &points);
  brinkPointSet_Free(&context, &reversed);
  brinkMotionTable_Free(&context, &table);
  brinkSamples_Free(&context, &samples);
  brinkIntervalSet_Free(&context, &set);
  brinkIntervalSet_Free(&context, &again);
  brinkInverseMotion_Free(&context, &b);
  for (int k = 0; k < 2; ++k) brinkInverseMesh_Free(&context, &mesh[k]);
}

/* Samples against the definition: is M_A^-1 M_B x in A at t? 400 random points, dense in time. */
CASE(point_intervals_agree_with_dense_sampling) {
  smallMesh m;
  const double star[10][2] = {{1, 0},        {0.35, 0.25}, {0.3, 0.95},   {-0.12, 0.4}, {-0.8, 0.6},
                              {-0.42, 0.01}, {-0.8, -0.6}, {-0.12, -0.4}, {0.3, -0.95}, {0.35, -0.25}};
  makePrism(&m, star, 10, 0.4);
  brinkInverseMesh mesh;
  brinkMeshView view = viewOf(&m, true);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "a", &mesh), brink_ok);
  brinkInverseMotion a = {0}, b = {0};
  addTurn(&context, &a, 0.1, 0.2, 1, 0, 5);
  addShift(&context, &b, -1.2, 0.1, 0.1, 2.3, 0.2, -0.1);
  addTurn(&context, &b, 1, 1, 0, 0, -3);
  brinkRelativeMotion motion = {&a, &b};
  brinkMotionTable table;
  assert_int_equal(brinkMotionTable_Make(&context, &motion, 0, 1, &table), brink_ok);
  brinkInverseTarget target = {&mesh, NULL};
  brinkPointQuery query = {.timeTolerance = 1e-10};
  inverseRandom g = {77};
  size_t all = 0;
  for (int i = 0; i < 150; ++i) {
    const double x[3] = {randomBetween(&g, -0.6, 0.6), randomBetween(&g, -0.6, 0.6), randomBetween(&g, -0.6, 0.6)};
    brinkContactInterval out[32];
    size_t count = brinkPointContacts(&target, &table, x, &query, out, 32);
    assert_true(count <= 32);
    all += count;
    for (int s = 0; s <= 500; ++s) {
      double t = s / 500.0, n[12], e[12], y[3];
      brinkRelativeMotion_At(&motion, t, n, e);
      brinkApply34(n, x, y);
      placedMesh placed = {.mesh = &m, .solid = true};
      for (size_t k = 0; k < 3 * m.vertexCount; ++k) placed.at[k] = m.vertices[k];
      const real p[3] = {y[0], y[1], y[2]};
      bool inside = windsAround(&placed, p), ours = false, doubt = false;
      for (size_t k = 0; k < count; ++k) {
        ours = ours || (t >= out[k].startUpper && t <= out[k].endLower);
        doubt = doubt || (t >= out[k].startLower && t <= out[k].startUpper) ||
                (t >= out[k].endLower && t <= out[k].endUpper);
      }
      if (!doubt) assert_int_equal(ours, inside);
    }
  }
  assert_true(all > 100);
  brinkMotionTable_Free(&context, &table);
  brinkInverseMotion_Free(&context, &a);
  brinkInverseMotion_Free(&context, &b);
  brinkInverseMesh_Free(&context, &mesh);
}

/* A bar turns about its end: points of the disc are in, beyond it out; where it passes twice there is a fold. */
CASE(sweep_membership_tells_in_out_and_folds) {
  smallMesh m = {.vertexCount = 0};
  makeBlock(&m, 0.5, 0.1, 0.1);
  for (size_t i = 0; i < m.vertexCount; ++i) m.vertices[3 * i] += 0.5;
  brinkInverseMesh mesh;
  brinkMeshView view = viewOf(&m, true);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "a", &mesh), brink_ok);
  brinkInverseMotion a = {0};
  addTurn(&context, &a, 0, 0, 1, 0, 1.5 * INVERSE_PI + INVERSE_PI); /* one turn and a quarter */
  brinkRelativeMotion motion = {&a, NULL};
  brinkMotionTable table;
  assert_int_equal(brinkMotionTable_Make(&context, &motion, 0, 1, &table), brink_ok);
  brinkInverseTarget target = {&mesh, NULL};
  brinkPointQuery query = {.timeTolerance = 1e-9};
  const struct {
    double x[3];
    uint32_t side, fold;
  } cases[] = {{{0.7, 0.5, 0}, brink_sweepIn, brink_foldInside}, /* passed at 35 and at 395 degrees */
               {{-0.7, 0.1, 0.05}, brink_sweepIn, brink_foldNone}, {{0.3, -0.7, 0}, brink_sweepIn, brink_foldNone},
               {{0.9, 0.6, 0}, brink_sweepOut, brink_foldNone},    {{0.3, 0.3, 0.11}, brink_sweepOut, brink_foldNone},
               {{-0.5, -0.2, 0.1}, brink_sweepOn, brink_foldNone}}; /* the top slides over it */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    brinkContactInterval out[8];
    query.maxCells = 3000;
    size_t count = brinkPointContacts(&target, &table, cases[i].x, &query, out, 8);
    uint32_t side = 9, fold = 9;
    brinkJudgeSweep(out, count, true, &side, &fold);
    if (side != cases[i].side || fold != cases[i].fold) print_error("point %zu: side %u fold %u\n", i, side, fold);
    assert_int_equal(side, cases[i].side);
    assert_int_equal(fold, cases[i].fold);
  }
  brinkMotionTable_Free(&context, &table);
  brinkInverseMotion_Free(&context, &a);
  brinkInverseMesh_Free(&context, &mesh);
}

static const double identity16[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

CASE(keys_are_met_and_rigid_keys_stay_rigid) {
  double keys[4][16], times[4] = {0, 0.2, 0.7, 1};
  for (int i = 0; i < 4; ++i) {
    memcpy(keys[i], identity16, sizeof identity16);
    double a = 1.1 * i * i;
    keys[i][0] = cos(a), keys[i][1] = -sin(a), keys[i][4] = sin(a), keys[i][5] = cos(a);
    keys[i][3] = i, keys[i][7] = -0.5 * i * i, keys[i][11] = 0.1;
  }
  for (int blend = 0; blend < 3; ++blend) {
    brinkInverseMotion m = {0};
    assert_int_equal(brinkInverseMotion_AddKeys(&context, &m, times, keys[0], 4, (brinkKeyBlend)blend, "m"), brink_ok);
    for (int i = 0; i < 4; ++i) {
      double at[12];
      brinkInverseMotion_At(&m, times[i], at);
      for (int k = 0; k < 12; ++k) assert_true(fabs(at[k] - keys[i][k]) < 1e-12);
    }
    for (int i = 0; i <= 50 && blend == brink_blendPolar; ++i) {
      double at[12];
      brinkInverseMotion_At(&m, i / 50.0, at);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          assert_true(fabs(at[4 * r] * at[4 * c] + at[4 * r + 1] * at[4 * c + 1] + at[4 * r + 2] * at[4 * c + 2] -
                           (r == c)) < 1e-13);
    }
    brinkInverseMotion_Free(&context, &m);
  }
}

/* Cells promise: N(t) x is within curve + error of the straight line between the ends. */
CASE(cells_enclose_the_motion) {
  brinkInverseMotion a = {0}, b = {0};
  inverseRandom g = {3};
  double stretch[3][12], controls[4][16], weights[4] = {1, 2, 0.5, 1.5};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 12; ++i) stretch[k][i] = (k == 0 && i % 5 == 0 ? 1.0 : 0.0) + randomBetween(&g, -0.1, 0.1);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 16; ++i) controls[k][i] = identity16[i] + (i < 12 ? randomBetween(&g, -0.3, 0.3) : 0.0);
  addShift(&context, &a, 0.1, 0.2, 0.3, 1, -1, 0.5);
  addTurn(&context, &a, 1, 2, 3, 0.3, 4);
  assert_int_equal(brinkInverseMotion_AddPolynomial(&context, &a, stretch[0], 2, "s"), brink_ok);
  addTurn(&context, &b, -1, 1, 0.2, 0, -6);
  assert_int_equal(brinkInverseMotion_AddBezier(&context, &b, controls[0], weights, 4, "b"), brink_ok);
  assert_int_equal(brinkInverseMotion_CheckRegular(&context, &a, "a"), brink_ok);
  brinkRelativeMotion motion = {&a, &b};
  for (int i = 0; i < 400; ++i) {
    double l = randomBetween(&g, 0, 1), u = fmin(1.0, l + pow(10, randomBetween(&g, -8, -0.3)));
    brinkMotionCell cell;
    brinkRelativeMotion_Cell(&motion, l, u, &cell);
    for (int s = 0; s <= 10; ++s) {
      double t = l + (u - l) * s / 10, at[12], error[12];
      brinkRelativeMotion_At(&motion, t, at, error);
      for (int k = 0; k < 12; ++k) {
        double line = cell.at[0][k] + (cell.at[1][k] - cell.at[0][k]) * s / 10,
               slack = cell.curve[k] + cell.error[k] + error[k] + 1e-14;
        assert_true(isfinite(cell.curve[k]) || u - l > 0.05);
        assert_true(fabs(at[k] - line) <= slack + 1e-13 * fabs(line));
      }
    }
  }
  brinkInverseMotion_Free(&context, &a);
  brinkInverseMotion_Free(&context, &b);
}

CASE(bad_motions_and_bodies_are_refused_with_a_reason) {
  brinkInverseMotion m = {0};
  double keys[3][16], times[3] = {0, 0.5, 1};
  for (int i = 0; i < 3; ++i) memcpy(keys[i], identity16, sizeof identity16);
  keys[1][5] = 0; /* flattened */
  assert_int_equal(brinkInverseMotion_AddKeys(&context, &m, times, keys[0], 3, brink_blendLinear, "motionA"),
                   brink_errorBadValue);
  assert_non_null(strstr(context.message, "motionA: key 1 is singular"));
  keys[1][5] = 1;
  times[1] = 1.5;
  assert_int_equal(brinkInverseMotion_AddKeys(&context, &m, times, keys[0], 3, brink_blendLinear, "m"),
                   brink_errorBadTime);
  times[1] = 0.5;
  times[2] = 0.9;
  assert_int_equal(brinkInverseMotion_AddKeys(&context, &m, times, keys[0], 3, brink_blendLinear, "m"),
                   brink_errorBadTime);
  times[2] = 1;
  keys[2][12] = 1;
  assert_int_equal(brinkInverseMotion_AddKeys(&context, &m, times, keys[0], 3, brink_blendLinear, "m"),
                   brink_errorBadValue);
  keys[2][12] = 0;
  keys[2][0] = -1;
  assert_int_equal(brinkInverseMotion_AddKeys(&context, &m, times, keys[0], 3, brink_blendLinear, "m"),
                   brink_errorBadValue);
  assert_non_null(strstr(context.message, "mirrored"));
  keys[2][0] = (double)NAN;
  assert_int_equal(brinkInverseMotion_AddKeys(&context, &m, times, keys[0], 3, brink_blendCubic, "m"),
                   brink_errorBadValue);
  keys[2][0] = 1;
  const double weights[3] = {1, 0, 1};
  assert_int_equal(brinkInverseMotion_AddBezier(&context, &m, keys[0], weights, 3, "m"), brink_errorBadValue);
  assert_non_null(strstr(context.message, "weight 1 is 0"));
  assert_int_equal(m.count, 0);
  /* half a turn blended entry by entry passes through a singular matrix */
  keys[2][0] = keys[2][5] = keys[1][0] = keys[1][5] = -1;
  const double two[2] = {0, 1};
  assert_int_equal(brinkInverseMotion_AddKeys(&context, &m, two, keys[0], 2, brink_blendLinear, "m"), brink_ok);
  assert_int_equal(brinkInverseMotion_CheckRegular(&context, &m, "m"), brink_errorBadValue);
  assert_non_null(strstr(context.message, "singular"));
  brinkInverseMotion_Free(&context, &m);
  smallMesh box;
  makeBlock(&box, 1, 1, 1);
  brinkInverseMesh mesh = {.partCount = 77};
  brinkMeshView view = viewOf(&box, true);
  view.triangleCount = 0;
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "bodyB", &mesh), brink_errorEmpty);
  view = viewOf(&box, true);
  view.triangleCount -= 1;
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "bodyB", &mesh), brink_errorNotClosed);
  box.indices[3] = 400;
  view = viewOf(&box, true);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "bodyB", &mesh), brink_errorBadIndex);
  box.vertices[5] = (double)INFINITY;
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "bodyB", &mesh), brink_errorBadValue);
  assert_int_equal(mesh.partCount, 77);
}

int main(void) {
  brinkInitContext(&context);
  return cases_Run(NULL, NULL);
}
