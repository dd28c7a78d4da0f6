/* SPDX-License-Identifier: BSD-3-Clause */
/* First contact of vertices on straight lines: closed forms, the slow oracle's distances along the motion, properties
 * that any right answer has, degenerate simplices and touching, the error of chords against links, bad input through
 * the C ABI. */
#include "cases.h"
#include <fenv.h>
#include <stdlib.h>

#include "contact_support.h"

#include "affine_motion.h"
#include "brink/linear.h"

static const uint64_t seed = 20260721;

static brinkContext context;
static brinkAffineScratch *scratch;

static int setUp(void **state) {
  (void)state;
  brinkInitContext(&context);
  scratch = brinkAffineScratch_Create(&context);
  return scratch == NULL;
}
static int tearDown(void **state) {
  (void)state;
  brinkAffineScratch_Destroy(&context, scratch);
  return 0;
}

/* ---- bodies */

enum { MOST_VERTICES = 64, MOST_SIMPLICES = 128 };
typedef struct linearBody {
  double start[3 * MOST_VERTICES], end[3 * MOST_VERTICES];
  uint32_t simplices[3 * MOST_SIMPLICES];
  size_t vertexCount, simplexCount;
  uint32_t flags;
  double radius;
} linearBody;

static brinkAffineBody viewOf(const linearBody *body) {
  return (brinkAffineBody){body->start,        body->end,   body->vertexCount, body->simplices,
                           body->simplexCount, body->flags, body->radius,      0};
}

/* One simplex of `count` vertices: rows of p0 p1. */
static linearBody simplexBody(int count, const double rows[][6]) {
  linearBody body = {.vertexCount = (size_t)count, .simplexCount = 1};
  for (int i = 0; i < count; ++i) {
    memcpy(body.start + 3 * i, rows[i], 3 * sizeof(double));
    memcpy(body.end + 3 * i, rows[i] + 3, 3 * sizeof(double));
  }
  for (int i = 0; i < 3; ++i) body.simplices[i] = (uint32_t)(i < count ? i : count - 1);
  return body;
}
#define POINT(...) simplexBody(1, (const double[][6]){__VA_ARGS__})
#define SEGMENT(...) simplexBody(2, (const double[][6]){__VA_ARGS__})
#define TRIANGLE(...) simplexBody(3, (const double[][6]){__VA_ARGS__})

static brinkPairResult ask(const linearBody *a, const linearBody *b, double tolerance) {
  brinkAffineBody viewA = viewOf(a), viewB = viewOf(b);
  assert_int_equal(brinkCheckAffineBody(&context, &viewA, "a"), brink_ok);
  assert_int_equal(brinkCheckAffineBody(&context, &viewB, "b"), brink_ok);
  const brinkAffineQuery query = {.tEnd = 1.0, .tolerance = tolerance};
  brinkPairResult result;
  memset(&result, 0xee, sizeof result);
  assert_int_equal(brinkAffine_FirstContact(&context, scratch, &viewA, &viewB, &query, &result), brink_ok);
  return result;
}

static void hitsAt(const linearBody *a, const linearBody *b, double tolerance, double t, double speed) {
  brinkPairResult result = ask(a, b, tolerance);
  if (result.state != brink_hit || !(result.toi <= t) || !(result.toi >= t - tolerance / speed * (1 + 1e-9) - 1e-13) ||
      !(result.toiUpper >= result.toi))
    fail_msg("state %d toi %.17g upper %.17g, expected just below %.17g", result.state, result.toi, result.toiUpper, t);
  assert_true(result.distance <= tolerance);
}

/* ---- judging by sampled distances */

static linearBody placedAt(const linearBody *body, double t) {
  linearBody placed = *body;
  for (size_t i = 0; i < 3 * body->vertexCount; ++i) placed.start[i] = (1 - t) * body->start[i] + t * body->end[i];
  return placed;
}

static long double distanceAt(const linearBody *a, const linearBody *b, double t) {
  linearBody x = placedAt(a, t), y = placedAt(b, t);
  const oracleBody bodyA = {NULL, 0, x.start, (int)x.vertexCount, x.simplices, (int)x.simplexCount, false, a->radius};
  const oracleBody bodyB = {NULL, 0, y.start, (int)y.vertexCount, y.simplices, (int)y.simplexCount, false, b->radius};
  return oracleDistance(&bodyA, &bodyB, 0);
}

static double fastest(const linearBody *body) {
  double speed = 0;
  for (size_t i = 0; i < body->vertexCount; ++i)
    speed = fmax(speed, brinkDistance(brinkV3_FromArray(body->start + 3 * i), brinkV3_FromArray(body->end + 3 * i)));
  return speed;
}

/* Smallest distance seen on [0,t1], in steps that the speeds allow (but not below 1e-4: there it only samples). */
static long double smallestUntil(const linearBody *a, const linearBody *b, double t1) {
  double speed = fastest(a) + fastest(b);
  long double smallest = INFINITY;
  for (double t = 0; t < t1;) {
    long double d = distanceAt(a, b, t);
    smallest = fminl(smallest, d);
    t += fmax(1e-4, speed > 0 ? 0.9 * (double)d / speed : 1);
  }
  return smallest;
}

static void judge(const linearBody *a, const linearBody *b, const brinkPairResult *result, double tolerance,
                  int round) {
  const long double slack = 1e-13L;
  if (result->state == brink_free) {
    long double seen = fminl(smallestUntil(a, b, 1), distanceAt(a, b, 1));
    if (!(seen > 0) || seen < (long double)result->distance - slack)
      fail_msg("seed %llu, round %d: free, bound %.17g, distance seen %.17Lg", (unsigned long long)seed, round,
               result->distance, seen);
  } else if (result->state == brink_hit) {
    long double before = smallestUntil(a, b, result->toi), at = distanceAt(a, b, result->toiUpper);
    if (!(before > 0) || at > (long double)tolerance + slack || result->toi > result->toiUpper)
      fail_msg("seed %llu, round %d: hit at [%.17g, %.17g], distance %.17Lg, before %.17Lg", (unsigned long long)seed,
               round, result->toi, result->toiUpper, at, before);
    /* of bodies with many simplices one of the nearest pairs is named */
    long double named = (long double)result->distance - distanceAt(a, b, result->toi);
    bool single = a->simplexCount == 1 && b->simplexCount == 1;
    assert_true(named > -1e-11L && named < 1e-11L + (single ? 0 : (long double)tolerance));
    assert_true(fabs(brinkLength(result->normal) - 1) < 1e-12);
    brinkVec3 across = brinkSub(result->pointB, result->pointA);
    assert_true(fabs(brinkLength(across) - fabs(result->distance)) < 1e-9);
  } else if (result->state == brink_overlap) {
    assert_true(result->toi == 0 && distanceAt(a, b, 0) <= slack);
  } else {
    fail_msg("seed %llu, round %d: unresolved at %.17g, distance %.17Lg", (unsigned long long)seed, round, result->toi,
             distanceAt(a, b, result->toi));
  }
}

/* ---- closed forms */

CASE(vertex_through_face_is_hit_just_before) {
  linearBody point = POINT({0.2, 0.2, 1, 0.2, 0.2, -1}),
             face = TRIANGLE({0, 0, 0, 0, 0, 0}, {1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0});
  for (double tolerance = 1e-2; tolerance > 1e-12; tolerance *= 0.1) hitsAt(&point, &face, tolerance, 0.5, 2);
  brinkPairResult result = ask(&point, &face, 1e-6);
  assert_int_equal(result.kindA, 1);
  assert_int_equal(result.kindB, 3);
  assert_true(fabs(result.normal.z + 1) < 1e-12);
  assert_true(fabs(result.normalVelocity + 2) < 1e-9);
  assert_true(fabs(result.pointB.x - 0.2) < 1e-9 && fabs(result.pointB.z) < 1e-15);
}

CASE(edge_through_edge_is_hit_just_before) {
  linearBody a = SEGMENT({-1, 0, 1, -1, 0, -3}, {1, 0, 1, 1, 0, -3}),
             b = SEGMENT({0, -1, 0, 0, -1, 0}, {0, 1, 0, 0, 1, 0});
  hitsAt(&a, &b, 1e-6, 0.25, 4);
  brinkPairResult result = ask(&a, &b, 1e-6);
  assert_int_equal(result.kindA, 2);
  assert_int_equal(result.kindB, 2);
}

CASE(spheres_of_points_hit_at_the_sum_of_their_radii) {
  linearBody a = POINT({-2, 0.3, 0, 2, 0.3, 0}), b = POINT({2, -0.3, 0, -2, -0.3, 0});
  a.radius = 0.5;
  b.radius = 0.5;
  /* centres 4 - 8t apart along x and 0.6 along y: 1 when 4 - 8t = 0.8 */
  hitsAt(&a, &b, 1e-7, 0.4, 8 * 0.8 * 0.9);
  a.radius = 0.05;
  assert_int_equal(ask(&a, &b, 1e-7).state, brink_free);
  assert_true(ask(&a, &b, 1e-7).distance <= 0.05 && ask(&a, &b, 1e-7).distance > 0.02);
}

CASE(needle_through_a_shrinking_hole_is_found) {
  /* four triangles leave a square hole of half side 0.5 (1 - t) + 0.01 t; the needle is 0.1 off the middle */
  linearBody frame = {.vertexCount = 8, .simplexCount = 8};
  static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 2; ++k) {
      frame.start[3 * i + k] = frame.end[3 * i + k] = 3 * corner[i][k];
      frame.start[3 * (i + 4) + k] = 0.5 * corner[i][k];
      frame.end[3 * (i + 4) + k] = 0.01 * corner[i][k];
    }
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t next = (i + 1) % 4, two[6] = {i, next, i + 4, next, next + 4, i + 4};
    memcpy(frame.simplices + 6 * i, two, sizeof two);
  }
  linearBody needle = SEGMENT({0.1, 0, -5, 0.1, 0, -1}, {0.1, 0, 1, 0.1, 0, 5});
  /* 0.5 - 0.49 t = 0.1 */
  hitsAt(&frame, &needle, 1e-6, 0.4 / 0.49, 0.49);
  needle.start[0] = needle.start[3] = needle.end[0] = needle.end[3] = 0.0099;
  brinkPairResult result = ask(&frame, &needle, 1e-6);
  assert_int_equal(result.state, brink_free);
  assert_true(result.distance > 0 && result.distance <= 1.01e-4);
}

/* ---- touching and degenerate */

CASE(touching_at_the_start_is_overlap) {
  linearBody face = TRIANGLE({0, 0, 0, 0, 0, 0}, {1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0});
  linearBody leaving = POINT({0.25, 0.25, 0, 0.25, 0.25, 1}), corner = POINT({1, 0, 0, 2, 0, 0});
  assert_int_equal(ask(&leaving, &face, 1e-6).state, brink_overlap);
  assert_int_equal(ask(&corner, &face, 1e-6).state, brink_overlap);
  assert_int_equal(ask(&face, &face, 1e-6).state, brink_overlap);
  linearBody near = POINT({0.25, 0.25, 5e-7, 0.25, 0.25, 1});
  brinkPairResult result = ask(&near, &face, 1e-6);
  assert_int_equal(result.state, brink_hit);
  assert_true(result.toi == 0 && result.toiUpper == 0);
}

CASE(touching_at_the_end_is_hit) {
  linearBody face = TRIANGLE({0, 0, 0, 0, 0, 0}, {1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0});
  linearBody arriving = POINT({0.25, 0.25, 1, 0.25, 0.25, 0}), corner = POINT({3, 1, 1, 1, 0, 0});
  hitsAt(&arriving, &face, 1e-6, 1, 1);
  hitsAt(&corner, &face, 1e-6, 1, sqrt(6));
}

CASE(grazing_touch_in_the_middle_is_hit) {
  /* the tips of two triangles pass through one another's plane where the tips touch */
  linearBody a = TRIANGLE({-1, 0, 0, 1, 0, 0}, {-2, -1, 0.5, 0, -1, 0.5}, {-2, -1, -0.5, 0, -1, -0.5});
  linearBody b = POINT({0, 0, 0, 0, 0, 0});
  hitsAt(&a, &b, 1e-6, 0.5, 1);
}

CASE(parallel_edges_meet_and_miss) {
  linearBody a = SEGMENT({0, 0, 1, 0, 0, -1}, {1, 0, 1, 1, 0, -1});
  linearBody along = SEGMENT({0.5, 0, 0, 0.5, 0, 0}, {1.5, 0, 0, 1.5, 0, 0});
  hitsAt(&a, &along, 1e-6, 0.5, 2);
  linearBody beside = SEGMENT({0.5, 1e-5, 0, 0.5, 1e-5, 0}, {1.5, 1e-5, 0, 1.5, 1e-5, 0});
  brinkPairResult result = ask(&a, &beside, 1e-6);
  assert_int_equal(result.state, brink_free);
  assert_true(result.distance <= 1e-5 && result.distance > 1e-6);
  linearBody end = SEGMENT({1, 0, 0, 1, 0, 0}, {2, 0, 0, 2, 0, 0}); /* collinear when they touch, in one point */
  hitsAt(&a, &end, 1e-6, 0.5, 2);
  linearBody gone = SEGMENT({1 + 1e-5, 0, 0, 1 + 1e-5, 0, 0}, {2, 0, 0, 2, 0, 0});
  assert_int_equal(ask(&a, &gone, 1e-6).state, brink_free);
}

CASE(coplanar_motion_is_exact) {
  linearBody face = TRIANGLE({0, 0, 0, 0, 0, 0}, {1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0});
  linearBody sliding = POINT({-1, 0.5, 0, 1, 0.5, 0});
  hitsAt(&sliding, &face, 1e-6, 0.5, 2);
  linearBody above = POINT({-1, 0.5, 1e-5, 1, 0.5, 1e-5});
  brinkPairResult result = ask(&above, &face, 1e-6);
  assert_int_equal(result.state, brink_free);
  assert_true(result.distance > 2e-6 && result.distance <= 1e-5);
  linearBody overCorner = POINT({-1, 2 + 1e-5, 0, 2, -1 + 1e-5, 0}); /* along the long edge, in the plane */
  assert_int_equal(ask(&overCorner, &face, 1e-6).state, brink_free);
}

CASE(a_gap_far_below_the_tolerance_is_a_hit_and_never_late) {
  linearBody a = SEGMENT({-1, 0, 1, -1, 0, 1e-16}, {1, 0, 1, 1, 0, 1e-16});
  linearBody b = SEGMENT({0, -1, 0, 0, -1, 0}, {0, 1, 0, 0, 1, 0});
  brinkPairResult result = ask(&a, &b, 1e-6);
  assert_int_equal(result.state, brink_hit);
  assert_true(result.distance <= 1e-6 && result.toi <= 1);
}

CASE(singular_maps_and_points_collapse_without_harm) {
  /* a triangle that collapses to a point, then would turn inside out; a segment given as a triangle; one moving point
   * thrice */
  linearBody collapsing = TRIANGLE({-1, -1, 0, 1, 1, 0}, {1, -1, 0, -1, 1, 0}, {0, 1, 0, 0, -1, 0});
  linearBody line = TRIANGLE({0, 0, 1, 0, 0, -1}, {0, 0, 2, 0, 0, 0}, {0, 0, 3, 0, 0, 1});
  brinkPairResult result = ask(&collapsing, &line, 1e-9);
  judge(&collapsing, &line, &result, 1e-9, 0);
  assert_int_equal(result.state, brink_hit);
  assert_true(result.toi <= 0.5 && result.toi > 0.49999);
  linearBody dot = TRIANGLE({5, 0, 0, -5, 0, 0}, {5, 0, 0, -5, 0, 0}, {5, 0, 0, -5, 0, 0});
  hitsAt(&dot, &line, 1e-9, 0.5, 10);
  linearBody still = POINT({0, 0, 0, 0, 0, 0});
  assert_int_equal(ask(&still, &still, 1e-9).state, brink_overlap);
}

CASE(persistent_small_gap_with_a_turning_normal_is_free_in_few_steps) {
  /* a face tilts while a point rides 2e-6 above it: along any fixed direction the gap would be lost in 1e-6 of the step
   */
  linearBody face = TRIANGLE({-1, -1, 0, -1, -1, 0}, {2, -1, 0, 2, -1, 0.9}, {-1, 2, 0, -1, 2, -0.7});
  /* the plane at (0,0): z = t (0.9 - 0.7) / 3 */
  linearBody rider = POINT({0, 0, 4e-6, 0, 0, 0.2 / 3 + 4e-6});
  brinkPairResult result = ask(&face, &rider, 1e-6);
  assert_int_equal(result.state, brink_free);
  assert_true(result.distance > 0 && result.distance <= 4e-6);
  assert_true(result.iterations < 300);
}

/* ---- against sampling */

static brinkVec3 randomPoint(generator *g, double size) { return randomIn(g, size); }

static linearBody randomBody(generator *g, int kind, double spread) {
  linearBody body = {0};
  brinkMat3 map[2];
  brinkVec3 shift[2] = {randomPoint(g, spread), randomPoint(g, spread)};
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) map[end].m[i][j] = uniform(g, -1, 1);
  if (nextBits(g) % 4 == 0) map[1] = (brinkMat3){0};
  static const int vertices[] = {1, 2, 3, 8, 16};
  body.vertexCount = (size_t)vertices[kind];
  for (size_t i = 0; i < body.vertexCount; ++i) {
    brinkVec3 local = randomPoint(g, 0.5);
    if (kind == 4) local = brinkV3((double)(i % 4) / 3 - 0.5, (double)(i / 4) / 3 - 0.5, 0);
    for (int end = 0; end < 2; ++end) {
      brinkVec3 p = brinkAdd(brinkMulMV(&map[end], local), shift[end]);
      double *out = (end == 0 ? body.start : body.end) + 3 * i;
      out[0] = p.x, out[1] = p.y, out[2] = p.z;
    }
  }
  if (kind < 3) {
    body.simplexCount = 1;
    for (uint32_t k = 0; k < 3; ++k) body.simplices[k] = (uint32_t)(k < body.vertexCount ? k : body.vertexCount - 1);
  } else if (kind == 3) {
    static const uint32_t soup[] = {0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 7, 2, 3, 6};
    body.simplexCount = 5;
    memcpy(body.simplices, soup, sizeof soup);
  } else {
    for (uint32_t i = 0; i < 3; ++i)
      for (uint32_t j = 0; j < 3; ++j) {
        uint32_t a = 4 * i + j;
        const uint32_t two[6] = {a, a + 1, a + 4, a + 1, a + 5, a + 4};
        memcpy(body.simplices + 3 * body.simplexCount, two, sizeof two);
        body.simplexCount += 2;
      }
  }
  return body;
}

CASE(random_pairs_agree_with_sampled_distances) {
  generator g = {seed};
  int hits = 0;
  for (int round = 0; round < 900; ++round) {
    double spread = round % 3 == 0 ? 1 : 0.5;
    int kindA = (int)(nextBits(&g) % 5), kindB = (int)(nextBits(&g) % 5);
    if (kindA == 4 && kindB == 4 && round % 4 != 0) kindB = 2;
    linearBody a = randomBody(&g, kindA, spread), b = randomBody(&g, kindB, spread);
    if (round % 7 == 0) a.radius = 0.05;
    double tolerance = round % 2 == 0 ? 1e-3 : 1e-7;
    brinkPairResult result = ask(&a, &b, tolerance);
    judge(&a, &b, &result, tolerance, round);
    hits += result.state == brink_hit;
  }
  assert_true(hits > 100);
}

CASE(answers_of_a_mesh_are_the_first_of_its_pairs) {
  generator g = {seed + 1};
  for (int round = 0; round < 120; ++round) {
    linearBody a = randomBody(&g, 4, 1), b = randomBody(&g, 3 + round % 2, 1);
    const double tolerance = 1e-9;
    brinkPairResult whole = ask(&a, &b, tolerance);
    double first = INFINITY;
    for (size_t i = 0; i < a.simplexCount; ++i)
      for (size_t j = 0; j < b.simplexCount; ++j) {
        linearBody x = a, y = b;
        memcpy(x.simplices, a.simplices + 3 * i, 3 * sizeof(uint32_t));
        memcpy(y.simplices, b.simplices + 3 * j, 3 * sizeof(uint32_t));
        x.simplexCount = y.simplexCount = 1;
        brinkPairResult one = ask(&x, &y, tolerance);
        assert_true(one.state != brink_unresolved);
        if (one.state != brink_free) first = fmin(first, one.toi);
      }
    if (whole.state == brink_free) {
      assert_true(isinf(first));
    } else {
      /* tolerance / closing speed apart at most; the slowest of these closes with about 1e-3 */
      if (!(fabs(whole.toi - first) < 1e-5)) fail_msg("round %d: %.17g, pairs %.17g", round, whole.toi, first);
    }
  }
}

CASE(hull_of_moving_vertices_is_solid_throughout) {
  linearBody box = {.vertexCount = 8, .flags = BRINK_MESH_CONVEX};
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) {
      box.start[3 * i + k] = i >> k & 1 ? 0.5 : -0.5;
      box.end[3 * i + k] = 2 * box.start[3 * i + k];
    }
  linearBody inside = POINT({0.1, 0.1, 0.1, 0.1, 0.1, 0.1}), outside = POINT({0.8, 0, 0, 0.8, 0, 0});
  assert_int_equal(ask(&box, &inside, 1e-6).state, brink_overlap);
  hitsAt(&box, &outside, 1e-6, 0.6, 0.5);
  linearBody far = POINT({1.5, 0, 0, 1.5, 0, 0});
  brinkPairResult result = ask(&box, &far, 1e-6);
  assert_int_equal(result.state, brink_free);
  assert_true(result.distance > 0.49 && result.distance <= 0.5);
}

static linearBody cubeBody(double half, double shift) {
  static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  linearBody body = {.vertexCount = 8, .simplexCount = 12};
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) {
      body.start[3 * i + k] = (i >> k & 1 ? half : -half) + (k == 0 ? shift : 0);
      body.end[3 * i + k] = body.start[3 * i + k];
    }
  memcpy(body.simplices, faces, sizeof faces);
  return body;
}

CASE(what_is_inside_a_solid_at_the_start_overlaps) {
  linearBody large = cubeBody(1, 0), small = cubeBody(0.2, 0.1);
  assert_int_equal(ask(&large, &small, 1e-6).state, brink_free); /* surfaces alone */
  large.flags = BRINK_MESH_SOLID;
  assert_int_equal(ask(&large, &small, 1e-6).state, brink_overlap);
  assert_int_equal(ask(&small, &large, 1e-6).state, brink_overlap);
  linearBody outside = cubeBody(0.2, 3);
  assert_int_equal(ask(&large, &outside, 1e-6).state, brink_free);
  /* two parts, the second one inside */
  linearBody both = outside;
  memcpy(both.start + 24, small.start, 24 * sizeof(double));
  memcpy(both.end + 24, small.end, 24 * sizeof(double));
  for (int i = 0; i < 36; ++i) both.simplices[36 + i] = small.simplices[i] + 8;
  both.vertexCount = 16;
  both.simplexCount = 24;
  assert_int_equal(ask(&both, &large, 1e-6).state, brink_overlap);
  /* turned inside out it is the same volume */
  for (size_t i = 0; i < large.simplexCount; ++i) {
    uint32_t held = large.simplices[3 * i];
    large.simplices[3 * i] = large.simplices[3 * i + 1];
    large.simplices[3 * i + 1] = held;
  }
  assert_int_equal(ask(&large, &small, 1e-6).state, brink_overlap);
}

/* ---- properties */

CASE(swapping_the_bodies_changes_nothing_but_the_sides) {
  generator g = {seed + 2};
  for (int round = 0; round < 200; ++round) {
    linearBody a = randomBody(&g, round % 5, 1), b = randomBody(&g, round / 5 % 5, 1);
    brinkPairResult one = ask(&a, &b, 1e-6), two = ask(&b, &a, 1e-6);
    assert_int_equal(one.state, two.state);
    judge(&b, &a, &two, 1e-6, round);
  }
}

CASE(scaling_by_a_power_of_two_scales_the_answer_exactly) {
  generator g = {seed + 3};
  for (int round = 0; round < 200; ++round) {
    linearBody a = randomBody(&g, round % 5, 1), b = randomBody(&g, round / 5 % 5, 1);
    brinkPairResult one = ask(&a, &b, 1e-6);
    for (int exponent = -20; exponent <= 400; exponent += 105) {
      double scale = ldexp(1, exponent);
      linearBody x = a, y = b;
      for (int i = 0; i < 3 * MOST_VERTICES; ++i) {
        x.start[i] *= scale, x.end[i] *= scale;
        y.start[i] *= scale, y.end[i] *= scale;
      }
      brinkPairResult two = ask(&x, &y, 1e-6 * scale);
      assert_int_equal(two.state, one.state);
      assert_true(two.toi == one.toi && two.toiUpper == one.toiUpper);
      assert_true(two.distance == one.distance * scale);
    }
  }
}

CASE(answers_hold_far_from_the_origin_in_any_rounding_mode) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  generator g = {seed + 4};
  for (int run = 0; run < 200; ++run) {
    linearBody a = randomBody(&g, run % 5, 1), b = randomBody(&g, run / 5 % 5, 1);
    /* a multiple of 2^-30, so that the shifted bodies are the same bodies */
    for (int i = 0; i < 3 * MOST_VERTICES; ++i) {
      a.start[i] = rint(a.start[i] * 0x1p30) * 0x1p-30, a.end[i] = rint(a.end[i] * 0x1p30) * 0x1p-30;
      b.start[i] = rint(b.start[i] * 0x1p30) * 0x1p-30, b.end[i] = rint(b.end[i] * 0x1p30) * 0x1p-30;
    }
    linearBody x = a, y = b;
    for (int i = 0; i < 3 * MOST_VERTICES; ++i) {
      x.start[i] += 1048576, y.start[i] += 1048576;
      x.end[i] -= 524288, y.end[i] -= 524288;
    }
    fesetround(modes[run % 4]);
    brinkPairResult result = ask(&x, &y, 1e-6);
    fesetround(FE_TONEAREST);
    /* the relative motion is that of the bodies where they were */
    result.pointA = result.pointB = brinkV3(0, 0, 0);
    result.pointB = brinkScale(result.normal, result.distance);
    judge(&a, &b, &result, 1e-6, run);
  }
}

CASE(a_larger_tolerance_is_never_later) {
  generator g = {seed + 5};
  for (int round = 0; round < 200; ++round) {
    linearBody a = randomBody(&g, round % 5, 1), b = randomBody(&g, round / 5 % 5, 1);
    double last = INFINITY;
    for (double tolerance = 1e-10; tolerance < 1; tolerance *= 100) {
      brinkPairResult result = ask(&a, &b, tolerance);
      judge(&a, &b, &result, tolerance, round);
      if (result.state == brink_free) continue;
      assert_true(result.toi <= last + 1e-9);
      last = result.toi;
    }
  }
}

CASE(cutting_the_interval_finds_the_same_contact) {
  generator g = {seed + 6};
  for (int round = 0; round < 200; ++round) {
    linearBody a = randomBody(&g, round % 5, 1), b = randomBody(&g, round / 5 % 5, 1);
    brinkAffineBody viewA = viewOf(&a), viewB = viewOf(&b);
    brinkPairResult whole = ask(&a, &b, 1e-8), part;
    double cut = uniform(&g, 0, 1), from = 0;
    for (int k = 0; k < 2; ++k, from = cut) {
      const brinkAffineQuery query = {.tStart = from, .tEnd = k == 0 ? cut : 1, .tolerance = 1e-8};
      assert_int_equal(brinkAffine_FirstContact(&context, scratch, &viewA, &viewB, &query, &part), brink_ok);
      if (part.state != brink_free) break;
    }
    assert_int_equal(part.state == brink_free, whole.state == brink_free);
    if (part.state == brink_hit) assert_true(fabs(part.toi - whole.toi) < 1e-4);
    if (part.state == brink_hit) assert_true(distanceAt(&a, &b, part.toiUpper) <= 1e-8L + 1e-14L);
  }
}

CASE(a_spent_budget_is_unresolved_with_a_proven_prefix) {
  generator g = {seed + 7};
  int spent = 0;
  for (int round = 0; round < 300; ++round) {
    linearBody a = randomBody(&g, round % 5, 1), b = randomBody(&g, round / 5 % 5, 1);
    brinkAffineBody viewA = viewOf(&a), viewB = viewOf(&b);
    brinkPairResult whole = ask(&a, &b, 1e-8), result;
    const brinkAffineQuery query = {.tEnd = 1, .tolerance = 1e-8, .maxIterations = 1 + (uint64_t)(round % 12)};
    assert_int_equal(brinkAffine_FirstContact(&context, scratch, &viewA, &viewB, &query, &result), brink_ok);
    if (result.state == brink_unresolved) {
      ++spent;
      if (whole.state != brink_free) assert_true(result.toi <= whole.toiUpper);
      assert_true(result.toi >= 0 && result.toi <= 1);
    } else {
      judge(&a, &b, &result, 1e-8, round);
    }
  }
  assert_true(spent > 20);
}

CASE(nothing_is_allocated_after_warm_up) {
  generator g = {seed + 8};
  linearBody a = randomBody(&g, 4, 0.5), b = randomBody(&g, 4, 0.5);
  ask(&a, &b, 1e-6);
  linearBody box = cubeBody(1, 0.3);
  box.flags = BRINK_MESH_SOLID;
  ask(&a, &box, 1e-6);
  uint64_t before = context.allocationCount;
  for (int i = 0; i < 5; ++i) {
    ask(&a, &b, 1e-6);
    ask(&a, &box, 1e-6);
  }
  assert_int_equal(context.allocationCount, before);
}

typedef struct shortMemory {
  long left;   /* allocations that still go well; negative: all */
  long blocks; /* held */
} shortMemory;
static void *allocateShort(void *user, size_t size) {
  shortMemory *memory = user;
  if (memory->left == 0) return NULL;
  --memory->left;
  ++memory->blocks;
  return malloc(size);
}
static void releaseShort(void *user, void *block, size_t size) {
  (void)size;
  --((shortMemory *)user)->blocks;
  free(block);
}

CASE(running_out_of_memory_is_a_status_and_leaks_nothing) {
  generator g = {seed + 11};
  linearBody a = randomBody(&g, 4, 0.5), b = cubeBody(1, 0.3);
  b.flags = BRINK_MESH_SOLID;
  brinkAffineBody viewA = viewOf(&a), viewB = viewOf(&b);
  const brinkAffineQuery query = {.tEnd = 1, .tolerance = 1e-6};
  bool passed = false;
  for (long limit = 1; !passed; ++limit) {
    assert_true(limit < 100);
    shortMemory memory = {limit, 0};
    brinkContext own;
    brinkInitContext(&own);
    own.user = &memory;
    own.allocate = allocateShort;
    own.release = releaseShort;
    brinkAffineScratch *scarce = brinkAffineScratch_Create(&own);
    assert_non_null(scarce);
    brinkPairResult result;
    brinkStatus status = brinkAffine_FirstContact(&own, scarce, &viewA, &viewB, &query, &result);
    assert_true(status == brink_ok || (status == brink_errorNoMemory && own.message[0] != '\0'));
    passed = status == brink_ok;
    if (!passed) { /* what was kept is still whole */
      memory.left = -1;
      assert_int_equal(brinkAffine_FirstContact(&own, scarce, &viewA, &viewB, &query, &result), brink_ok);
    }
    brinkAffineScratch_Destroy(&own, scarce);
    assert_int_equal(memory.blocks, 0);
  }
}

/* ---- against links */

static brinkPairResult askCarried(const linearBody *a, const testTree *tree, const brinkShape *shape, int32_t link,
                                  brinkVec3 at, double tolerance) {
  brinkAffineBody view = viewOf(a);
  const brinkCollider collider = {.shape = shape, .local = {brinkIdentity3(), at}, .link = link};
  const brinkAffineQuery query = {.tEnd = 1, .tolerance = tolerance};
  brinkPairResult result;
  assert_int_equal(brinkAffine_FirstContactCarried(&context, scratch, &view, &tree->tree, &collider, &query, &result),
                   brink_ok);
  return result;
}

static void inBracket(brinkPairResult result, double t, double tolerance, double speed) {
  if (result.state != brink_hit || !(result.toi <= t) || !(result.toi >= t - 1.001 * tolerance / speed - 1e-12))
    fail_msg("state %d, toi %.17g, expected just below %.17g", result.state, result.toi, t);
}

CASE(turning_rod_hits_a_falling_point) {
  testTree tree;
  clearTree(&tree);
  const oracleLink turning =
      makeLink(brinkV3(0, 0, 0), (brinkQuat){1, 0, 0, 0}, brinkV3(0, 0, 0), brinkV3(0, 0, 3.14159265358979323846));
  int32_t link = addChain(&tree, &turning, 1, -1);
  brinkShapeSpec spec = {.type = testSegment, .size = {1, 0, 0}};
  brinkShape *rod = makeShape(&context, &spec);
  /* the point stands at 45 degrees; the rod is there at t = 1/4 */
  double r = 0.7 / sqrt(2.0);
  linearBody point = POINT({r, r, 0, r, r, 0});
  for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 0.1)
    inBracket(askCarried(&point, &tree, rod, link, brinkV3(0, 0, 0), tolerance), 0.25, tolerance, 0.7 * 3.14 * 0.99);
  linearBody beyond = POINT({r, r, 1e-4, r, r, 1e-4});
  brinkPairResult result = askCarried(&beyond, &tree, rod, link, brinkV3(0, 0, 0), 1e-6);
  assert_int_equal(result.state, brink_free);
  assert_true(result.distance > 0 && result.distance <= 1e-4);
  brinkDestroyShape(&context, rod);
}

CASE(every_shape_meets_a_linear_point_at_its_surface) {
  testTree tree;
  clearTree(&tree);
  /* spin about z, which leaves these shapes where they are along z; the point comes down the axis from z = 3 with speed
   * 4 */
  const oracleLink turning = makeLink(brinkV3(0, 0, 0), (brinkQuat){1, 0, 0, 0}, brinkV3(0, 0, 0), brinkV3(0, 0, 2));
  int32_t link = addChain(&tree, &turning, 1, -1);
  linearBody point = POINT({0.01, 0, 3, 0.01, 0, -1});
  static const struct {
    brinkShapeSpec spec;
    double top;
  } shapes[] = {{{.type = testSphere, .size = {0.5, 0, 0}}, 0.499899989997999},
                {{.type = testCapsule, .size = {0.25, 0, 0.5}}, 0.74979991990387},
                {{.type = testBox, .size = {0.3, 0.4, 0.5}}, 0.5},
                {{.type = testBox, .size = {0.3, 0.4, 0.5}, .margin = 0.1}, 0.6},
                {{.type = testCylinder, .size = {0.3, 0, 0.5}}, 0.5},
                {{.type = testSegment, .size = {0, 0, 0.5}, .margin = 0.1}, 0.599498743710662}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    brinkShape *shape = makeShape(&context, &shapes[i].spec);
    inBracket(askCarried(&point, &tree, shape, link, brinkV3(0, 0, 0), 1e-4), (3 - shapes[i].top) / 4, 1e-4, 3.9);
    brinkDestroyShape(&context, shape);
  }
  brinkShape *plane = makePlane(&context, brinkV3(0, 0, 2), 1);
  inBracket(askCarried(&point, &tree, plane, -1, brinkV3(0, 0, 0.25), 1e-6), (3 - 0.75) / 4, 1e-6, 4);
  brinkDestroyShape(&context, plane);
}

CASE(a_turning_half_space_catches_points) {
  testTree tree;
  clearTree(&tree);
  /* x <= 0 turns by half a circle about z: the point at angle 60 degrees from its face is reached at a third of the
   * step */
  const oracleLink turning =
      makeLink(brinkV3(0, 0, 0), (brinkQuat){1, 0, 0, 0}, brinkV3(0, 0, 0), brinkV3(0, 0, 3.14159265358979323846));
  int32_t link = addChain(&tree, &turning, 1, -1);
  brinkShape *plane = makePlane(&context, brinkV3(1, 0, 0), 0);
  double r = 2 * sin(1.0471975511965976), h = 2 * cos(1.0471975511965976);
  linearBody point = POINT({r, -h, 0, r, -h, 0});
  for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 0.1)
    inBracket(askCarried(&point, &tree, plane, link, brinkV3(0, 0, 0), tolerance), 1.0 / 3, tolerance, 2 * 3.14159);
  /* rising with the face it is never met, as long as it rises fast enough */
  linearBody rising = POINT({1, 1, 0, -9, 1, 0}), inside = POINT({-1e-3, 0, 0, 1, 0, 0});
  brinkPairResult result = askCarried(&inside, &tree, plane, link, brinkV3(0, 0, 0), 1e-6);
  assert_int_equal(result.state, brink_overlap);
  result = askCarried(&rising, &tree, plane, link, brinkV3(0, 0, 0), 1e-6);
  /* x(t) = (1 - 10 t, 1), N = (cos, sin)(pi t): g = (1 - 10 t) cos + sin */
  double low = 0, high = 0.5;
  for (int i = 0; i < 60; ++i) {
    double t = 0.5 * (low + high), g = (1 - 10 * t) * cos(3.14159265358979323846 * t) + sin(3.14159265358979323846 * t);
    if (g > 0) {
      low = t;
    } else {
      high = t;
    }
  }
  inBracket(result, high, 1e-6, 5);
  brinkDestroyShape(&context, plane);
}

CASE(a_turning_cylinder_lies_between_its_prisms) {
  generator g = {seed + 10};
  enum { SIDES = 48 };
  const double grown = 1 / cos(3.14159265358979323846 / SIDES);
  double inner[6 * SIDES], outer[6 * SIDES];
  for (int i = 0; i < 2 * SIDES; ++i) {
    double angle = 2 * 3.14159265358979323846 * (i % SIDES) / SIDES;
    const double p[3] = {0.3 * cos(angle), 0.3 * sin(angle), i < SIDES ? 0.5 : -0.5};
    for (int k = 0; k < 3; ++k) {
      inner[3 * i + k] = p[k];
      outer[3 * i + k] = k < 2 ? grown * p[k] : p[k];
    }
  }
  const brinkMeshView views[2] = {{sizeof views[0], 0, inner, 2 * SIDES, NULL, 0},
                                  {sizeof views[0], 0, outer, 2 * SIDES, NULL, 0}};
  const brinkShapeSpec specs[3] = {{.type = testCylinder, .size = {0.3, 0, 0.5}},
                                   {.type = testHull, .mesh = &views[0]},
                                   {.type = testHull, .mesh = &views[1]}};
  brinkShape *shapes[3];
  for (int i = 0; i < 3; ++i) shapes[i] = makeShape(&context, &specs[i]);
  int hits = 0;
  for (int run = 0; run < 150; ++run) {
    linearBody a = randomBody(&g, run % 5, 0.9);
    testTree tree;
    clearTree(&tree);
    const oracleLink link = makeLink(randomIn(&g, 0.6), randomRotation(&g), randomIn(&g, 0.6), randomIn(&g, 2));
    int32_t index = addChain(&tree, &link, 1, -1);
    brinkPairResult result[3];
    const double tolerance = 1e-5;
    for (int i = 0; i < 3; ++i) {
      result[i] = askCarried(&a, &tree, shapes[i], index, brinkV3(0, 0, 0), tolerance);
      if (result[i].state == brink_unresolved) fail_msg("run %d, shape %d: unresolved at %.17g", run, i, result[i].toi);
      if (result[i].state == brink_free) result[i].toi = 2;
    }
    /* passing by within the tolerance may or may not be called a hit: only what closes in is compared */
    for (int i = 0; i < 2; ++i) {
      const brinkPairResult *inside = &result[1 - i], *around = &result[i == 0 ? 0 : 2];
      if (inside->state == brink_overlap) assert_int_equal(around->state, brink_overlap);
      if (inside->state == brink_hit && inside->normalVelocity < -0.1)
        assert_true(around->toi <= inside->toiUpper + 1e-4);
    }
    hits += result[0].state == brink_hit;
    assert_true(result[0].distance <= tolerance || result[0].state == brink_free);
  }
  for (int i = 0; i < 3; ++i) brinkDestroyShape(&context, shapes[i]);
  assert_true(hits > 20);
}

/* Place of a collider's mesh at t, as a body at rest. */
static linearBody carriedAt(const linearBody *mesh, const oracleLink *chain, int count, double t) {
  linearBody placed = *mesh;
  const oracleBody body = {chain, count, mesh->start, (int)mesh->vertexCount, mesh->simplices, (int)mesh->simplexCount,
                           false, 0};
  for (size_t i = 0; i < mesh->vertexCount; ++i) {
    long double world[3];
    oraclePlace(&body, (long double)t, mesh->start + 3 * i, world);
    for (int k = 0; k < 3; ++k) placed.start[3 * i + (size_t)k] = placed.end[3 * i + (size_t)k] = (double)world[k];
  }
  return placed;
}

CASE(random_meshes_on_chains_agree_with_sampled_distances) {
  generator g = {seed + 9};
  int hits = 0;
  for (int round = 0; round < 60; ++round) {
    linearBody a = randomBody(&g, round % 5, 1.2), mesh = cubeBody(0.3, 0.1);
    oracleLink chain[3];
    int count = 1 + round % 3;
    double speed = fastest(&a), reach = 0.8;
    for (int k = 0; k < count; ++k)
      chain[k] = makeLink(randomIn(&g, 0.6), randomRotation(&g), randomIn(&g, 0.6), randomIn(&g, 2));
    const oracleBody moving = {chain, count, mesh.start, 8, mesh.simplices, 12, false, 0};
    speed += (double)oracleSpeed(&moving);
    (void)reach;
    testTree tree;
    clearTree(&tree);
    int32_t link = addChain(&tree, chain, count, -1);
    const brinkMeshView view = {sizeof view, 0, mesh.start, mesh.vertexCount, mesh.simplices, mesh.simplexCount};
    brinkShapeSpec spec = {.type = testMesh, .mesh = &view};
    brinkShape *shape = makeShape(&context, &spec);
    double tolerance = round % 2 == 0 ? 1e-3 : 1e-6;
    brinkPairResult result = askCarried(&a, &tree, shape, link, brinkV3(0, 0, 0), tolerance);
    brinkDestroyShape(&context, shape);
    assert_true(result.state != brink_unresolved);
    double until = result.state == brink_free ? 1 : result.toi;
    long double smallest = INFINITY;
    for (double t = 0; t < until;) {
      linearBody there = carriedAt(&mesh, chain, count, t), here = placedAt(&a, t);
      memcpy(here.end, here.start, sizeof here.end);
      long double d = distanceAt(&here, &there, 0);
      smallest = fminl(smallest, d);
      t += fmax(2e-4, 0.9 * (double)d / speed);
    }
    if (result.state == brink_free) {
      assert_true(smallest > 0 && smallest >= (long double)result.distance);
    } else {
      linearBody there = carriedAt(&mesh, chain, count, result.toi), here = placedAt(&a, result.toi);
      memcpy(here.end, here.start, sizeof here.end);
      long double d = distanceAt(&here, &there, 0);
      if (!(smallest > 0) || d > (long double)tolerance)
        fail_msg("round %d: toi %.17g, distance %.17Lg, before %.17Lg", round, result.toi, d, smallest);
      ++hits;
    }
  }
  assert_true(hits > 10);
}

/* ---- the C ABI */

typedef struct abi {
  const brinkPlugin *plugin;
  const brinkLinearTable *linear;
  brinkWorld *world;
} abi;

static abi openAbi(void) {
  abi api = {.plugin = brinkEntry(BRINK_ABI_MAJOR, NULL)};
  api.linear = api.plugin->getExtension(BRINK_LINEAR_NAME);
  assert_non_null(api.linear);
  assert_int_equal(api.linear->structSize, sizeof *api.linear);
  assert_int_equal(api.plugin->createWorld(NULL, NULL, &api.world), brink_ok);
  return api;
}

static const uint32_t pointIds[3] = {0, 0, 0}, faceIds[3] = {0, 1, 2};
static const double faceAt[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, pointFrom[3] = {0.2, 0.2, 1}, pointTo[3] = {0.2, 0.2, -1};

static brinkLinearBody abiBody(const double *start, const double *end, size_t vertexCount, const uint32_t *ids) {
  return (brinkLinearBody){.structSize = sizeof(brinkLinearBody),
                           .vertices0 = start,
                           .vertices1 = end,
                           .vertexCount = vertexCount,
                           .simplices = ids,
                           .simplexCount = 1};
}
static brinkLinearBody abiFace(void) { return abiBody(faceAt, faceAt, 3, faceIds); }
static brinkLinearBody abiPoint(void) { return abiBody(pointFrom, pointTo, 1, pointIds); }
static brinkLinearQuery abiQuery(void) {
  return (brinkLinearQuery){.structSize = sizeof(brinkLinearQuery), .tEnd = 1, .tolerance = 1e-6};
}

CASE(maps_and_vertices_say_the_same) {
  abi api = openAbi();
  brinkLinearBody point = abiPoint(), face = abiFace();
  brinkLinearQuery query = abiQuery();
  brinkLinearContact byVertices = {.structSize = sizeof byVertices}, byMaps = byVertices;
  assert_int_equal(api.linear->firstContact(api.world, &point, &face, &query, &byVertices), brink_ok);
  assert_int_equal(byVertices.state, brink_hit);
  assert_true(byVertices.toi <= 0.5 && byVertices.toi > 0.4999994);
  assert_int_equal(byVertices.featureA.kind, brink_featureVertex);
  assert_int_equal(byVertices.featureB.kind, brink_featureFace);
  /* the public queries' way: columns of the matrix are the corners; a point is a translation of the origin */
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0, 0, 0};
  face.vertices0 = unit;
  face.vertices1 = NULL;
  for (int corner = 0; corner < 3; ++corner)
    for (int k = 0; k < 3; ++k) face.map0.m[3 * k + corner] = face.map1.m[3 * k + corner] = faceAt[3 * corner + k];
  point.vertices0 = origin;
  point.vertices1 = NULL;
  point.map0.m[0] = point.map0.m[4] = point.map0.m[8] = 1;
  point.map1 = point.map0;
  point.map0.b = (brinkVec3){0.2, 0.2, 1};
  point.map1.b = (brinkVec3){0.2, 0.2, -1};
  assert_int_equal(api.linear->firstContact(api.world, &point, &face, &query, &byMaps), brink_ok);
  assert_int_equal(byMaps.state, brink_hit);
  assert_true(fabs(byMaps.toi - byVertices.toi) < 1e-12);
  query.tolerance = 0; /* the library's own */
  assert_int_equal(api.linear->firstContact(api.world, &point, &face, &query, &byMaps), brink_ok);
  assert_int_equal(byMaps.state, brink_hit);
  api.plugin->destroyWorld(api.world);
}

CASE(bad_bodies_are_refused_with_a_message) {
  abi api = openAbi();
  const brinkLinearBody point = abiPoint(), face = abiFace();
  const brinkLinearQuery good = abiQuery();
  brinkLinearContact out = {.structSize = sizeof out};
  const double notANumber[9] = {0, 0, 0, 1, NAN, 0, 0, 1, 0}, endless[9] = {0, 0, 0, 1, 0, 0, 0, INFINITY, 0};
  const uint32_t beyond[3] = {0, 1, 3};
  brinkLinearBody bad[10];
  for (int i = 0; i < 10; ++i) bad[i] = face;
  static const brinkStatus expected[10] = {
      brink_errorVersion, brink_errorBadValue,     brink_errorBadValue, brink_errorBadIndex,  brink_errorEmpty,
      brink_errorEmpty,   brink_errorNullArgument, brink_errorBadValue, brink_errorNotClosed, brink_errorBadValue};
  bad[0].structSize = 8;
  bad[1].vertices0 = notANumber;
  bad[2].vertices1 = endless;
  bad[3].simplices = beyond;
  bad[4].simplexCount = 0;
  bad[5].vertexCount = 0;
  bad[6].simplices = NULL;
  bad[7].radius = -1;
  bad[8].flags = BRINK_MESH_SOLID;
  bad[9].flags = 1u << 20;
  for (int i = 0; i < 10; ++i) {
    brinkStatus status = api.linear->firstContact(api.world, &point, &bad[i], &good, &out);
    if (status != expected[i]) fail_msg("case %d: status %d, expected %d", i, status, expected[i]);
    assert_true(strlen(api.plugin->lastError(api.world)) > 10);
  }
  assert_int_equal(api.linear->firstContact(NULL, &point, &face, &good, &out), brink_errorNullArgument);
  assert_int_equal(api.linear->firstContact(api.world, NULL, &face, &good, &out), brink_errorNullArgument);
  assert_int_equal(api.linear->firstContact(api.world, &point, &face, NULL, &out), brink_errorNullArgument);
  assert_int_equal(api.linear->firstContact(api.world, &point, &face, &good, NULL), brink_errorNullArgument);
  brinkLinearQuery query = good;
  query.tStart = 1.0;
  query.tEnd = 0.0;
  assert_int_equal(api.linear->firstContact(api.world, &point, &face, &query, &out), brink_errorBadTime);
  query = good;
  query.tolerance = -1;
  assert_int_equal(api.linear->firstContact(api.world, &point, &face, &query, &out), brink_errorBadValue);
  assert_int_equal(api.linear->firstContactWithCollider(api.world, &point, 12345, &good, &out), brink_errorStale);
  assert_int_equal(api.linear->firstContact(api.world, &point, &face, &good, &out), brink_ok);
  assert_string_equal(api.plugin->lastError(api.world), "");
  api.plugin->destroyWorld(api.world);
}

CASE(colliders_of_the_world_are_met_under_their_motion) {
  abi api = openAbi();
  brinkShapeDef shape = {.structSize = sizeof shape, .type = brink_sphere, .size = {0.5, 0, 0}};
  brinkBodyDef body = {.structSize = sizeof body, .pose = {{3, 0, 0}, {1, 0, 0, 0}}};
  brinkColliderDef collider = {
      .structSize = sizeof collider, .pose = {{0, 0, 0}, {1, 0, 0, 0}}, .categoryBits = 1, .collideBits = 1};
  brinkColliderId id;
  assert_int_equal(api.plugin->createShape(api.world, &shape, &collider.shape), brink_ok);
  assert_int_equal(api.plugin->createBody(api.world, &body, &collider.body), brink_ok);
  assert_int_equal(api.plugin->createCollider(api.world, &collider, &id), brink_ok);
  const brinkBodyMotion motion = {.structSize = sizeof motion,
                                  .kind = brink_motionVelocities,
                                  .pose0 = body.pose,
                                  .velocity = {-2, 0, 0},
                                  .spin = {0, 1, 2}};
  assert_int_equal(api.plugin->setBodyMotion(api.world, collider.body, &motion), brink_ok);
  static const double from[3] = {0, 0, 0}, to[3] = {2, 0, 0};
  brinkLinearBody point = abiPoint();
  point.vertices0 = from;
  point.vertices1 = to;
  brinkLinearQuery query = abiQuery();
  brinkLinearContact out = {.structSize = sizeof out};
  assert_int_equal(api.linear->firstContactWithCollider(api.world, &point, id, &query, &out), brink_ok);
  assert_int_equal(out.state, brink_hit);
  assert_true(out.toi <= 0.625 && out.toi > 0.625 - 3e-7); /* 3 - 4t = 0.5 */
  assert_true(fabs(out.normal.x - 1) < 1e-12 && fabs(out.normalVelocity + 4) < 1e-4);
  api.plugin->destroyWorld(api.world);
}

static void supportOfBall(void *user, const double direction[3], double point[3]) {
  for (int k = 0; k < 3; ++k) point[k] = *(const double *)user * direction[k];
}

CASE(support_functions_and_compounds_are_met_like_what_they_stand_for) {
  abi api = openAbi();
  double radius = 0.5;
  brinkShapeDef def = {.structSize = sizeof def,
                       .type = brink_support,
                       .support = supportOfBall,
                       .supportUser = &radius,
                       .supportRadius = 0.5,
                       .supportRounding = 1e-15};
  brinkShapeId ball, sphere, both;
  assert_int_equal(api.plugin->createShape(api.world, &def, &ball), brink_ok);
  def = (brinkShapeDef){.structSize = sizeof def, .type = brink_sphere, .size = {0.5, 0, 0}};
  assert_int_equal(api.plugin->createShape(api.world, &def, &sphere), brink_ok);
  const brinkShapeChild children[2] = {{ball, {{-4, 0, 0}, {1, 0, 0, 0}}}, {sphere, {{0, 0, 0}, {1, 0, 0, 0}}}};
  def = (brinkShapeDef){.structSize = sizeof def, .type = brink_compound, .children = children, .childCount = 2};
  assert_int_equal(api.plugin->createShape(api.world, &def, &both), brink_ok);
  const brinkShapeId shapes[3] = {ball, sphere, both};
  static const double from[6] = {0, 0, 0, 0, 0.1, 0}, to[6] = {4, 0, 0, 4, 0.1, 0};
  static const uint32_t ids[3] = {0, 1, 1};
  brinkLinearBody segment = abiPoint();
  segment.vertices0 = from;
  segment.vertices1 = to;
  segment.vertexCount = 2;
  segment.simplices = ids;
  brinkLinearQuery query = abiQuery();
  for (int i = 0; i < 3; ++i) {
    brinkBodyDef body = {.structSize = sizeof body, .pose = {{3, 0, 0}, {1, 0, 0, 0}}};
    brinkColliderDef collider = {
        .structSize = sizeof collider, .pose = {{0, 0, 0}, {1, 0, 0, 0}}, .categoryBits = 1, .collideBits = 1};
    collider.shape = shapes[i];
    brinkColliderId id;
    assert_int_equal(api.plugin->createBody(api.world, &body, &collider.body), brink_ok);
    assert_int_equal(api.plugin->createCollider(api.world, &collider, &id), brink_ok);
    const brinkBodyMotion motion = {.structSize = sizeof motion,
                                    .kind = brink_motionVelocities,
                                    .pose0 = body.pose,
                                    .velocity = {0, 0, 0},
                                    .spin = {0.5, 0, 0}};
    assert_int_equal(api.plugin->setBodyMotion(api.world, collider.body, &motion), brink_ok);
    brinkLinearContact out = {.structSize = sizeof out};
    assert_int_equal(api.linear->firstContactWithCollider(api.world, &segment, id, &query, &out), brink_ok);
    assert_int_equal(out.state, brink_hit);
    assert_true(out.toi <= 0.625 && out.toi > 0.625 - 3e-7); /* 3 - 4t = 0.5 */
    query.tEnd = 0.5;
    assert_int_equal(api.linear->firstContactWithCollider(api.world, &segment, id, &query, &out), brink_ok);
    assert_int_equal(out.state, brink_free);
    assert_true(out.distance >= 0 && out.distance <= 0.5);
    query.tEnd = 1;
  }
  api.plugin->destroyWorld(api.world);
}

int main(void) { return cases_Run(setUp, tearDown); }
