/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees whose hulls fit the surface: every triangle stands in them once, every hull holds what is below it; and
 * searches that are long enough to use them say what many times sampled say. */
#include "cases.h"
#include "clearance_rig.h"

#include "fitted_tree.h"

#include <stdio.h>

#define PI 3.14159265358979323846
#define SEED 5120048u
enum { SIDES = 24, ROWS = 20, MOST = 2 * SIDES * ROWS };
#define LONG_SEARCH 20000u /* distances: samples and all, long enough for trees that fit */

typedef struct Tube { /* an open tube about z that waves along and around */
  double vertices[3 * SIDES * (ROWS + 1)];
  uint32_t indices[3 * MOST];
} Tube;

/* pitch: of a thread, of which the surface has `starts` */
static brinkShape *makeTube(brinkContext *context, double radius, double depth, double height, double pitch,
                            double starts, bool apart) {
  static Tube tube;
  static double single[9 * MOST];
  uint32_t triangles = 0;
  for (int j = 0; j <= ROWS; ++j)
    for (int i = 0; i < SIDES; ++i) {
      double angle = 2 * PI * i / SIDES, z = height * ((double)j / ROWS - 0.5);
      double r = radius + depth * cos(2 * PI * z / pitch - starts * angle);
      double *v = &tube.vertices[3 * (j * SIDES + i)];
      v[0] = r * cos(angle), v[1] = r * sin(angle), v[2] = z;
    }
  for (uint32_t j = 0; j < ROWS; ++j)
    for (uint32_t i = 0; i < SIDES; ++i) {
      uint32_t a = j * SIDES + i, b = j * SIDES + (i + 1) % SIDES;
      const uint32_t corners[6] = {a, b, a + SIDES, b, b + SIDES, a + SIDES};
      memcpy(&tube.indices[6 * (j * SIDES + i)], corners, sizeof corners);
      triangles += 2;
    }
  brinkMeshView view = {sizeof view, 0, tube.vertices, SIDES * (ROWS + 1), tube.indices, triangles};
  if (apart) { /* every triangle with vertices of its own, a little off */
    for (uint32_t i = 0; i < 3 * triangles; ++i) {
      memcpy(&single[3 * i], &tube.vertices[3 * tube.indices[i]], 3 * sizeof(double));
      single[3 * i] += 1e-6 * (i / 3 % 7);
      tube.indices[i] = i;
    }
    view.vertices = single;
    view.vertexCount = 3 * triangles;
  }
  brinkShapeSpec spec = {.type = testMesh, .mesh = &view};
  return makeShape(context, &spec);
}

/* Is p a vertex of the piece, or within the box whose corners they are? */
static bool holds(const brinkPiece *piece, const double p[3]) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (uint32_t i = 0; i < piece->count; ++i) {
    if (memcmp(&piece->vertices[3 * i], p, 3 * sizeof(double)) == 0) return true;
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], piece->vertices[3 * i + (uint32_t)k]);
      high[k] = fmax(high[k], piece->vertices[3 * i + (uint32_t)k]);
    }
  }
  for (int k = 0; k < 3; ++k)
    if (piece->count != 8 || p[k] < low[k] || p[k] > high[k]) return false;
  return true;
}

static uint32_t below(const brinkFittedTree *fitted, uint32_t node, uint32_t *out) {
  if (node < fitted->triangleCount) {
    out[0] = node;
    return 1;
  }
  uint32_t left = below(fitted, fitted->nodes[node].child[0], out);
  return left + below(fitted, fitted->nodes[node].child[1], out + left);
}

CASE(every_triangle_is_there_once_and_every_hull_holds_what_is_below_it) {
  brinkContext context;
  brinkInitContext(&context);
  brinkFittedTree fitted = {0};
  for (int round = 0; round < 2; ++round) { /* a second mesh uses the first one's memory */
    brinkShape *shape = makeTube(&context, 1.0, round ? 0.0 : 0.12, 2.0, 0.5, 1, false);
    assert_int_equal(brinkFittedTree_Make(&context, shape->tree, 0.25, &fitted), brink_ok);
    assert_int_equal(fitted.triangleCount, MOST);
    assert_int_equal(fitted.nodeCount, 2 * MOST - 1);
    static uint32_t slots[MOST];
    static uint8_t seen[MOST];
    memset(seen, 0, sizeof seen);
    assert_int_equal(below(&fitted, fitted.nodeCount - 1, slots), MOST);
    for (uint32_t i = 0; i < MOST; ++i) {
      assert_false(seen[slots[i]]);
      seen[slots[i]] = 1;
    }
    for (uint32_t node = 0; node < fitted.nodeCount; ++node) {
      const brinkPiece *piece = &fitted.nodes[node].piece;
      assert_true(piece->radius == 0.25);
      uint32_t count = below(&fitted, node, slots);
      for (uint32_t i = 0; i < count; ++i) {
        brinkTriangleRoom room;
        brinkPiece triangle = brinkHullTree_Triangle(shape->tree, slots[i], &room, NULL);
        for (uint32_t k = 0; k < triangle.count && k < 3; ++k) {
          assert_true(holds(piece, room.vertices[k]));
          assert_true(brinkDistance(piece->center, brinkV3_FromArray(room.vertices[k])) <= piece->boundRadius);
        }
      }
    }
    brinkDestroyShape(&context, shape);
  }
  brinkFittedTree_Free(&context, &fitted);
}

static brinkShape *fitTube(brinkContext *context, double pitch, bool apart, brinkFittedTree *fitted) {
  brinkInitContext(context);
  brinkShape *shape = makeTube(context, 1.0, 0.12, 2.0, pitch, 1, apart);
  assert_int_equal(brinkFittedTree_Make(context, shape->tree, 0.0, fitted), brink_ok);
  return shape;
}

/* Largest hull that bulges by no more than a twentieth of the thread's depth: a band along the crest, not a lump. */
CASE(hulls_follow_a_thread) {
  brinkContext context;
  brinkFittedTree fitted = {0};
  brinkShape *shape = fitTube(&context, 1.0, false, &fitted);
  double largest = 0.0;
  for (uint32_t node = 0; node < fitted.nodeCount; ++node)
    if (fitted.nodes[node].hides < 0.05) largest = fmax(largest, fitted.nodes[node].piece.boundRadius);
  assert_true(largest > 0.4);
  brinkDestroyShape(&context, shape);
  brinkFittedTree_Free(&context, &fitted);
}

CASE(triangles_that_share_no_edge_have_no_tree) {
  brinkContext context;
  brinkFittedTree fitted = {0};
  brinkShape *shape = fitTube(&context, 0.5, true, &fitted);
  assert_int_equal(fitted.nodeCount, 0);
  brinkDestroyShape(&context, shape);
  brinkFittedTree_Free(&context, &fitted);
}

/* A tube turns and slides in another, as random as their threads: what is proven and met, against times sampled. */
static void expectTrue(rig *r, generator *g, bool apart, uint64_t *distances) {
  const double pitch = uniform(g, 0.4, 1.0), depth = uniform(g, 0.02, 0.12), turns = uniform(g, 0.5, 2.0);
  const double gap = uniform(g, 0.05, 0.2), along = g->state % 2 == 0 ? pitch * turns : uniform(g, -1, 1);
  brinkShape *inner = makeTube(&r->context, 1.0, depth, 2.0, pitch, 1, apart),
             *outer = makeTube(&r->context, 1.0 + gap + depth, depth, 1.5, pitch, 1, false);
  clearTree(&r->tree);
  int32_t a = addMoving(r, brinkV3(uniform(g, -0.02, 0.02), 0, -0.5 * along), (brinkQuat){1, 0, 0, 0},
                        brinkV3(0, 0, along), brinkV3(0, 0, 2 * PI * turns)),
          b = addMoving(r, brinkV3(0, 0, 0), (brinkQuat){1, 0, 0, 0}, randomIn(g, 0.02), randomIn(g, 0.02));
  brinkClearanceInput input = makeClearanceInput(r, inner, a, outer, b);
  input.tolerance = 2e-3;
  input.maxIterations = 5000000;
  brinkClearanceResult result = askClearance(r, &input);
  *distances += result.iterations;
  double met = INFINITY;
  for (int i = 0; i <= 30; ++i) {
    brinkPairResult pair;
    brinkStatus status = brinkPairDistanceBelow(&r->context, r->advance, &r->tree.tree, &input.a, &input.b, i / 30.0,
                                                1e-6, met, &pair, &r->work);
    assert_int_equal(status, brink_ok);
    met = fmin(met, pair.state == brink_overlap ? 0.0 : pair.distance);
  }
  assert_true(result.lower <= met + 2e-6);
  if (result.collision) {
    assert_true(result.upper == 0.0);
  } else {
    assert_int_equal(result.state, brink_gapSettled);
    assert_true(fabs(brinkDistance(result.pointA, result.pointB) - result.upper) < 2e-4);
    brinkPairResult pair; /* the triangles it names are that near at that time */
    assert_int_equal(brinkPairDistanceBelow(&r->context, r->advance, &r->tree.tree, &input.a, &input.b, result.timeA,
                                            1e-6, INFINITY, &pair, &r->work),
                     brink_ok);
    assert_true(pair.distance <= result.upper + 2e-6 && pair.distance >= result.upper - 2.2e-4);
  }
  input.required = 0.5 * (result.lower + result.upper) - 2e-3; /* the verdict is that of the size */
  if (!result.collision && input.required > 0) assert_int_equal(askClearance(r, &input).verdict, brink_gapKept);
  input.required = result.upper + 2e-3;
  assert_int_equal(askClearance(r, &input).verdict, brink_gapBroken);
  uint64_t used = result.iterations;
  input.required = 0;
  for (uint64_t budget = used / 4; budget < used; budget += used / 4) { /* spent: both bounds hold all the same */
    input.maxIterations = budget;
    brinkClearanceResult spent = askClearance(r, &input);
    assert_true(spent.lower <= met + 2e-6 && spent.upper >= result.lower);
  }
  brinkDestroyShape(&r->context, inner);
  brinkDestroyShape(&r->context, outer);
}

CASE(threads_in_threads_are_enclosed) {
  RIG(r);
  generator g = {SEED};
  int fitted = 0;
  for (int i = 0; i < 8; ++i) {
    uint64_t distances = 0;
    r.mode = i % 3;
    expectTrue(&r, &g, i == 5, &distances); /* one side has a tree that fits, the other none */
    print_message("case %d: %llu distances\n", i, (unsigned long long)distances);
    fitted += distances > LONG_SEARCH;
  }
  assert_true(fitted >= 4);
}

CASE(long_searches_allocate_nothing_once_warm) {
  RIG(r);
  brinkShape *inner = makeTube(&r.context, 1.0, 0.12, 2.0, 0.5, 1, false),
             *outer = makeTube(&r.context, 1.24, 0.12, 1.0, 0.5, 1, false);
  int32_t a = addMoving(&r, brinkV3(0, 0, 0), (brinkQuat){1, 0, 0, 0}, brinkV3(0, 0, 0.5), brinkV3(0, 0, 2 * PI)),
          b = addMoving(&r, brinkV3(0, 0, 0), (brinkQuat){1, 0, 0, 0}, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
  brinkClearanceInput input = makeClearanceInput(&r, inner, a, outer, b);
  input.tolerance = 2e-3;
  brinkClearanceResult first = askClearance(&r, &input);
  uint64_t count = r.context.allocationCount;
  brinkClearanceResult again = askClearance(&r, &input);
  assert_true(r.context.allocationCount == count);
  assert_true(first.lower == again.lower && first.upper == again.upper && first.iterations == again.iterations);
  assert_true(first.iterations > LONG_SEARCH);
  brinkDestroyShape(&r.context, inner);
  brinkDestroyShape(&r.context, outer);
}

int main(void) { return cases_Run(NULL, NULL); }
