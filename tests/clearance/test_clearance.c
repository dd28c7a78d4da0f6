/* SPDX-License-Identifier: BSD-3-Clause */
/* Smallest distance of two moving bodies over an interval: closed forms, the brute-force oracle, and relations that
 * must hold whatever the answer. Contract: lower <= true <= upper, gap within the tolerance or the state says
 * otherwise. */
#include "cases.h"
#include "clearance.h"

#include "clearance_rig.h"
#include "path.h"

#define PI 3.14159265358979323846
#define SEED 7996197u

static void expectTruth(const brinkClearanceResult *result, double truth, double rounding) {
  if (!(result->lower <= truth + rounding) || !(result->upper >= truth - rounding) ||
      result->upper - result->lower > result->tolerance)
    fail_msg("[%.17g, %.17g] for %.17g, tolerance %g", result->lower, result->upper, truth, result->tolerance);
}

/* ---- closed forms */

CASE(two_flying_spheres_come_as_near_as_their_straight_lines_do) {
  RIG(r);
  generator g = {SEED};
  brinkShape *a = makeSphere(&r.context, 0.25), *b = makeSphere(&r.context, 0.5);
  for (int i = 0; i < 40; ++i) {
    clearTree(&r.tree);
    brinkVec3 pa = randomIn(&g, 3), pb = randomIn(&g, 3), va = randomIn(&g, 4), vb = randomIn(&g, 4);
    const oracleLink links[2] = {makeLink(pa, randomRotation(&g), va, randomIn(&g, 9)),
                                 makeLink(pb, randomRotation(&g), vb, randomIn(&g, 9))};
    int32_t linkA = addChain(&r.tree, &links[0], 1, -1), linkB = addChain(&r.tree, &links[1], 1, -1);
    brinkClearanceInput input = makeClearanceInput(&r, a, linkA, b, linkB);
    brinkClearanceResult result = askClearance(&r, &input);
    brinkVec3 p = brinkSub(pb, pa), v = brinkSub(vb, va);
    double t = fmin(1, fmax(0, -brinkDot(p, v) / brinkDot(v, v)));
    double truth = fmax(0, brinkLength(brinkMulAdd(p, t, v)) - 0.75);
    expectTruth(&result, truth, 1e-14);
    if (truth > 1e-3) {
      assert_false(result.collision);
      assert_true(fabs(result.timeA - t) < 2e-2);
      assert_true(fabs(brinkDistance(result.pointA, result.pointB) - result.upper) < 0.1 * result.tolerance);
    }
  }
  brinkDestroyShape(&r.context, a);
  brinkDestroyShape(&r.context, b);
}

CASE(a_turning_boxs_edge_passes_a_ball_at_its_corner_radius) {
  RIG(r);
  brinkShape *box = makeBox(&r.context, 1, 1, 1), *ball = makeSphere(&r.context, 0.5);
  const oracleLink spin = makeLink(brinkV3(0, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 2)),
                   back = makeLink(brinkV3(3, 0, 0.1), randomRotation(&(generator){SEED}), brinkV3(0, 0, 0),
                                   brinkV3(3, 1, -5));
  int32_t linkA = addChain(&r.tree, &spin, 1, -1), linkB = addChain(&r.tree, &back, 1, -1);
  brinkClearanceInput input = makeClearanceInput(&r, box, linkA, ball, linkB);
  brinkClearanceResult result = askClearance(&r, &input);
  expectTruth(&result, 2.5 - sqrt(2.0), 1e-14);
  assert_true(fabs(result.timeA - PI / 8) < 1e-2);
  brinkDestroyShape(&r.context, box);
  brinkDestroyShape(&r.context, ball);
}

CASE(a_turning_plane_comes_as_near_as_its_normal_says) {
  RIG(r);
  generator g = {SEED + 1};
  brinkShape *plane = makePlane(&r.context, brinkV3(0, 0, 1), 0.25), *ball = makeSphere(&r.context, 0.125);
  for (int i = 0; i < 20; ++i) {
    clearTree(&r.tree);
    double turn = uniform(&g, 0.5, 1.4), x = uniform(&g, 1, 2), z = uniform(&g, 4, 6), v = uniform(&g, -2, 2);
    /* the normal at t: (sin turn t, 0, cos turn t), through the origin; the ball at (-x - v t, 0, z) */
    const oracleLink links[2] = {makeLink(brinkV3(0, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, turn, 0)),
                                 makeLink(brinkV3(-x, 0, z), unturned, brinkV3(-v, 0, 0), brinkV3(1, 2, 3))};
    int32_t linkA = addChain(&r.tree, &links[0], 1, -1), linkB = addChain(&r.tree, &links[1], 1, -1);
    brinkClearanceInput input = makeClearanceInput(&r, plane, linkA, ball, linkB);
    brinkClearanceResult result = askClearance(&r, &input);
    double truth = HUGE_VAL;
    for (int k = 0; k <= 200000; ++k) {
      double t = k / 200000.0;
      truth = fmin(truth, (-x - v * t) * sin(turn * t) + z * cos(turn * t) - 0.375);
    }
    truth = fmax(truth, 0);
    expectTruth(&result, truth, 1e-9);
    brinkClearanceInput swapped = makeClearanceInput(&r, ball, linkB, plane, linkA);
    expectTruth((result = askClearance(&r, &swapped), &result), truth, 1e-9);
  }
  brinkDestroyShape(&r.context, plane);
  brinkDestroyShape(&r.context, ball);
}

CASE(links_of_one_chain_keep_the_clearance_of_their_own_joint_alone) {
  /* both ride on a wild common link: only the child's own turn counts */
  RIG(r);
  brinkShape *rod = makeBox(&r.context, 2, 0.25, 0.25), *ball = makeSphere(&r.context, 0.5);
  const oracleLink wild = makeLink(brinkV3(5, -3, 1), unturned, brinkV3(20, 10, -5), brinkV3(11, -7, 3)),
                   arm = makeLink(brinkV3(0, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, PI / 2)),
                   still = makeLink(brinkV3(3, 3, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
  int32_t base = addChain(&r.tree, &wild, 1, -1), linkA = addChain(&r.tree, &arm, 1, base);
  int32_t linkB = addChain(&r.tree, &still, 1, base);
  brinkClearanceInput input = makeClearanceInput(&r, rod, linkA, ball, linkB);
  brinkClearanceResult result = askClearance(&r, &input);
  expectTruth(&result, sqrt(18.0) - sqrt(4.0625) - 0.5, 1e-13);
  brinkDestroyShape(&r.context, rod);
  brinkDestroyShape(&r.context, ball);
}

/* ---- the oracle */

typedef struct worldCase {
  meshData mesh[2];
  brinkShape *shape[2];
  oracleLink chain[2][3];
  int count[2];
  oracleBody body[2];
  bool solid[2];
} worldCase;

static void makeCase(rig *r, generator *g, worldCase *c, brinkClearanceInput *input) {
  clearTree(&r->tree);
  int32_t link[2];
  brinkVec3 apart = brinkScale(randomDirection(g), uniform(g, 1.5, 4.0));
  for (int k = 0; k < 2; ++k) {
    int kind = (int)uniform(g, 0, 6);
    bool convex = kind < 3;
    c->solid[k] = kind != 5;
    if (kind == 0) c->mesh[k] = makeBoxMesh(uniform(g, 0.2, 0.8), uniform(g, 0.2, 0.8), uniform(g, 0.2, 0.8));
    if (kind == 1) c->mesh[k] = makeTetrahedronMesh(uniform(g, 0.2, 0.6));
    if (kind == 2) c->mesh[k] = makeIcosahedronMesh(uniform(g, 0.2, 1), uniform(g, 0.2, 1), uniform(g, 0.2, 1));
    if (kind == 3 || kind == 4) c->mesh[k] = makeStarMesh(3 + kind, 0.3, 0.9, 0.2);
    if (kind == 5) c->mesh[k] = makeSheetMesh(g, 4, 0.8, 0.2);
    uint32_t flags = convex ? BRINK_MESH_CONVEX : c->solid[k] ? BRINK_MESH_SOLID : 0u;
    c->shape[k] = makeMeshShape(&r->context, &c->mesh[k], convex ? testHull : testMesh, flags);
    c->count[k] = uniform(g, 0, 1) < 0.7 ? 1 : 2;
    for (int i = 0; i < c->count[k]; ++i)
      c->chain[k][i] = makeLink(i > 0    ? randomIn(g, 0.5)
                                : k == 0 ? brinkV3(0, 0, 0)
                                         : apart,
                                randomRotation(g), randomIn(g, 1.0), randomIn(g, 3.0));
    link[k] = addChain(&r->tree, c->chain[k], c->count[k], -1);
    c->body[k] = makeOracleBody(&c->mesh[k], c->chain[k], c->count[k], c->solid[k]);
  }
  *input = makeClearanceInput(r, c->shape[0], link[0], c->shape[1], link[1]);
}

static void freeCase(rig *r, worldCase *c) {
  for (int k = 0; k < 2; ++k) brinkDestroyShape(&r->context, c->shape[k]);
}

/* Smallest distance met by a grid and by golden sections around its best places: never below the truth. */
static double searchedMinimum(const worldCase *c, int samples) {
  double grid[33], best = HUGE_VAL;
  for (int i = 0; i <= samples; ++i)
    grid[i] = (double)oracleDistance(&c->body[0], &c->body[1], i / (long double)samples);
  for (int i = 0; i <= samples; ++i) best = fmin(best, grid[i]);
  for (int i = 0; i <= samples; ++i) {
    bool low = (i == 0 || grid[i] <= grid[i - 1]) && (i == samples || grid[i] <= grid[i + 1]);
    if (!low || grid[i] > best + 0.03) continue;
    double x0 = fmax(0, (i - 1.0) / samples), x1 = fmin(1, (i + 1.0) / samples);
    for (int k = 0; k < 26; ++k) {
      double a = x1 - 0.61803398874989485 * (x1 - x0), b = x0 + 0.61803398874989485 * (x1 - x0);
      double da = (double)oracleDistance(&c->body[0], &c->body[1], (long double)a),
             db = (double)oracleDistance(&c->body[0], &c->body[1], (long double)b);
      best = fmin(best, fmin(da, db));
      if (da < db)
        x1 = b;
      else
        x0 = a;
    }
  }
  return best;
}

CASE(three_hundred_turning_pairs_are_enclosed_as_the_oracle_measures) {
  RIG(r);
  generator g = {SEED + 2};
  int collisions = 0, settled = 0;
  uint64_t iterations = 0, worst = 0;
  for (int i = 0; i < 320; ++i) {
    worldCase c;
    brinkClearanceInput input;
    uint64_t at = g.state;
    makeCase(&r, &g, &c, &input);
    r.mode = i % ROUNDING_MODES;
    brinkClearanceResult result = askClearance(&r, &input);
    double met = searchedMinimum(&c, 24);
    double there = (double)oracleDistance(&c.body[0], &c.body[1], (long double)result.timeA);
    bool gap = result.upper - result.lower <= 1e-6 * brinkClearanceSize(&input.a, &input.b);
    if (!(result.lower <= met + 1e-13) || !(there <= result.upper + 1e-13) || !gap ||
        result.state != brink_gapSettled || (result.collision && there > 0) || (result.lower > 0 && met <= 0))
      fail_msg("case %d (state %llu): [%.17g, %.17g] at %.17g, met %.17g, there %.17g, state %d, %llu iterations", i,
               (unsigned long long)at, result.lower, result.upper, result.timeA, met, there, (int)result.state,
               (unsigned long long)result.iterations);
    collisions += result.collision;
    settled += result.state == brink_gapSettled;
    iterations += result.iterations;
    worst = result.iterations > worst ? result.iterations : worst;
    freeCase(&r, &c);
  }
  print_message("320 cases, %d settled, %d collide, %.0f distance queries each, at most %llu\n", settled, collisions,
                (double)iterations / 320, (unsigned long long)worst);
  assert_true(collisions > 20 && collisions < 240);
}

/* The bounds against the distances at many times: the smallest of those is never below the truth. */
static void expectSampled(rig *r, const brinkClearanceInput *input, const char *what) {
  brinkClearanceResult result = askClearance(r, input);
  double met = HUGE_VAL;
  for (int k = 0; k <= 400; ++k) {
    brinkAdvanceWork work = {0, 0, 0};
    brinkPairResult pair;
    assert_int_equal(brinkPairDistanceBelow(&r->context, r->advance, input->tree, &input->a, &input->b, k / 400.0, 1e-9,
                                            INFINITY, &pair, &work),
                     brink_ok);
    met = fmin(met, fmax(pair.distance, 0));
  }
  if (!(result.lower <= met + 1e-12) || !(result.upper <= met + result.tolerance) || result.state != brink_gapSettled)
    fail_msg("%s: [%.17g, %.17g], met %.17g, state %d, %llu iterations", what, result.lower, result.upper, met,
             (int)result.state, (unsigned long long)result.iterations);
}

CASE(every_convex_kind_is_enclosed) {
  RIG(r);
  generator g = {SEED + 9};
  const uint32_t kinds[] = {testSphere, testCapsule, testBox, testCylinder};
  for (int i = 0; i < 48; ++i) {
    clearTree(&r.tree);
    brinkShape *shape[2];
    int32_t link[2];
    for (int k = 0; k < 2; ++k) {
      uint32_t kind = kinds[(k == 0 ? i : i / 4) % 4];
      brinkShapeSpec spec = {.type = kind,
                             .size = {uniform(&g, 0.1, 0.5), uniform(&g, 0.1, 0.7), uniform(&g, 0.1, 0.7)}};
      if (kind == testBox) spec.margin = 0.05;
      shape[k] = makeShape(&r.context, &spec);
      const oracleLink chain = makeLink(brinkScale(randomDirection(&g), k == 0 ? 0 : 2.5), randomRotation(&g),
                                        randomIn(&g, 1), randomIn(&g, 4));
      link[k] = addChain(&r.tree, &chain, 1, -1);
    }
    brinkClearanceInput input = makeClearanceInput(&r, shape[0], link[0], shape[1], link[1]);
    expectSampled(&r, &input, "convex kinds");
    for (int k = 0; k < 2; ++k) brinkDestroyShape(&r.context, shape[k]);
  }
}

CASE(screws_steps_of_ode_and_splines_are_enclosed) {
  RIG(r);
  generator g = {SEED + 10};
  brinkShape *box = makeBox(&r.context, 0.5, 0.25, 0.375);
  meshData star = makeStarMesh(3, 0.2, 0.6, 0.2);
  brinkShape *mesh = makeMeshShape(&r.context, &star, testMesh, BRINK_MESH_SOLID);
  for (int i = 0; i < 24; ++i) {
    clearTree(&r.tree);
    const oracleLink chain =
        makeLink(brinkScale(randomDirection(&g), 3), randomRotation(&g), randomIn(&g, 1), randomIn(&g, 3));
    int32_t plain = addChain(&r.tree, &chain, 1, -1);
    brinkPose start = {randomIn(&g, 0.5), randomRotation(&g)};
    brinkPathKey keys[4];
    memset(keys, 0, sizeof keys);
    brinkPath path;
    if (i % 3 == 0) path = brinkMakePathScrew(start, randomIn(&g, 1), randomDirection(&g), uniform(&g, -3, 3), 0.5);
    if (i % 3 == 1) path = brinkMakePathOdeStep(start, randomIn(&g, 1), randomIn(&g, 3));
    if (i % 3 == 2) {
      const double times[4] = {0, 0.3, 0.7, 1};
      for (int k = 0; k < 4; ++k) {
        keys[k].time = times[k];
        keys[k].position = randomIn(&g, 0.7);
        keys[k].slope = randomIn(&g, 1);
        keys[k].rotation = randomRotation(&g);
      }
      path = brinkMakePathSpline(keys, 4);
    }
    r.tree.links[r.tree.tree.linkCount] = brinkMakeLinkMotionPath(-1, &path);
    int32_t curved = r.tree.tree.linkCount++;
    brinkMotionTree_MarkPaths(r.tree.links, r.tree.tree.linkCount);
    brinkClearanceInput input = makeClearanceInput(&r, i % 2 == 0 ? box : mesh, curved, i % 4 < 2 ? mesh : box, plain);
    expectSampled(&r, &input, i % 3 == 0 ? "screw" : i % 3 == 1 ? "step of ODE" : "spline");
  }
  brinkDestroyShape(&r.context, box);
  brinkDestroyShape(&r.context, mesh);
}

/* A ball goes beside a wall, 1e6 m from where its path's places are told: rounding hides more than the tolerance all
 * the way. That is found at once, not when the budget is gone. */
CASE(what_rounding_forbids_is_told_at_once) {
  RIG(r);
  brinkShape *ball = makeSphere(&r.context, 0.25), *wall = makeBox(&r.context, 50, 50, 1);
  for (int i = 0; i < 6; ++i) {
    clearTree(&r.tree);
    const double far = i % 2 == 0 ? 1e6 : 1e8;
    brinkPathKey keys[3];
    memset(keys, 0, sizeof keys);
    for (int k = 0; k < 3; ++k) {
      keys[k].time = 0.5 * k;
      keys[k].position = brinkV3(far - 10 + 10 * k, far, 2.25);
      keys[k].slope = brinkV3(20, 0, i == 4 ? 1e-9 : 0);
      keys[k].rotation = unturned;
    }
    brinkPath path = brinkMakePathSpline(keys, 3);
    r.tree.links[r.tree.tree.linkCount] = brinkMakeLinkMotionPath(-1, &path);
    int32_t curved = r.tree.tree.linkCount++;
    const oracleLink still = makeLink(brinkV3(far, far, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
    int32_t plain = addChain(&r.tree, &still, 1, -1);
    brinkMotionTree_MarkPaths(r.tree.links, r.tree.tree.linkCount);
    brinkClearanceInput input = makeClearanceInput(&r, ball, curved, wall, plain);
    input.tolerance = far * 1e-15;
    if (i >= 2) input.required = i % 3 == 0 ? 1 : 0.5;
    brinkClearanceResult result = askClearance(&r, &input);
    print_message("%.17g to %.17g, %llu distances\n", result.lower, result.upper,
                  (unsigned long long)result.iterations);
    assert_true(result.lower <= 1 && result.upper >= 1 && result.upper - result.lower < far * 1e-12);
    assert_true(result.iterations < 2000);
  }
  brinkDestroyShape(&r.context, ball);
  brinkDestroyShape(&r.context, wall);
}

/* ---- relations */

typedef struct tally {
  uint64_t full, early; /* distance queries */
  int spent;
} tally;
typedef void judgeCase(rig *r, generator *g, worldCase *c, brinkClearanceInput *input, tally *sums);

static tally overCases(uint64_t seed, int count, judgeCase *judge) {
  RIG(r);
  generator g = {seed};
  tally sums = {0};
  for (int i = 0; i < count; ++i) {
    worldCase c;
    brinkClearanceInput input;
    makeCase(&r, &g, &c, &input);
    judge(&r, &g, &c, &input, &sums);
    freeCase(&r, &c);
  }
  return sums;
}

static void judgeRequired(rig *r, generator *g, worldCase *c, brinkClearanceInput *input, tally *sums) {
  (void)g, (void)c;
  brinkClearanceResult size = askClearance(r, input);
  if (size.lower <= 1e-3) {
    input->required = 0.1;
    assert_int_equal(askClearance(r, input).verdict, brink_gapBroken);
    return;
  }
  input->required = 0.7 * size.lower;
  brinkClearanceResult kept = askClearance(r, input);
  input->required = 1.3 * size.upper;
  brinkClearanceResult broken = askClearance(r, input);
  assert_int_equal(kept.verdict, brink_gapKept);
  assert_true(kept.lower >= 0.7 * size.lower);
  assert_int_equal(broken.verdict, brink_gapBroken);
  assert_true(broken.upper < 1.3 * size.upper && broken.upper >= size.lower);
  sums->full += 2 * size.iterations;
  sums->early += kept.iterations + broken.iterations;
  input->required = 0.5 * (size.lower + size.upper);
  brinkClearanceResult between = askClearance(r, input);
  assert_true(between.lower <= between.upper);
}

CASE(a_required_clearance_is_kept_or_broken_as_the_size_says_and_earlier) {
  tally sums = overCases(SEED + 3, 60, judgeRequired);
  print_message("yes or no: %.2f of the distance queries of the size\n", (double)sums.early / (double)sums.full);
  assert_true(sums.early < sums.full);
}

static void judgeMoved(rig *r, generator *g, worldCase *c, brinkClearanceInput *input, tally *sums) {
  (void)g, (void)sums;
  brinkClearanceResult first = askClearance(r, input), other;
  brinkClearanceInput swapped = *input;
  swapped.a = input->b;
  swapped.b = input->a;
  other = askClearance(r, &swapped);
  assert_true(other.lower <= first.upper && first.lower <= other.upper);
  assert_int_equal(first.collision, other.collision);
  brinkVec3 far = brinkV3(1000, -500, 250);
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j) c->chain[k][0].position[j] += j == 0 ? far.x : j == 1 ? far.y : far.z;
  clearTree(&r->tree);
  input->a.link = addChain(&r->tree, c->chain[0], c->count[0], -1);
  input->b.link = addChain(&r->tree, c->chain[1], c->count[1], -1);
  other = askClearance(r, input);
  assert_true(other.lower <= first.upper + 1e-11 && first.lower <= other.upper + 1e-11);
}

CASE(the_answer_does_not_care_which_body_is_first_or_where_the_world_is) { overCases(SEED + 4, 40, judgeMoved); }

static void judgeParts(rig *r, generator *g, worldCase *c, brinkClearanceInput *input, tally *sums) {
  (void)g, (void)c, (void)sums;
  brinkClearanceResult whole = askClearance(r, input);
  double nearest = HUGE_VAL, nearestLower = HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    input->tStart = k / 3.0;
    input->tEnd = k == 2 ? 1.0 : (k + 1) / 3.0;
    brinkClearanceResult part = askClearance(r, input);
    assert_true(part.timeA >= input->tStart && part.timeA <= input->tEnd);
    assert_true(part.upper >= whole.lower);
    nearest = fmin(nearest, part.upper);
    nearestLower = fmin(nearestLower, part.lower);
  }
  assert_true(nearestLower <= whole.upper && nearest <= whole.upper + whole.tolerance);
}

CASE(a_part_of_the_interval_is_never_nearer_than_the_whole) { overCases(SEED + 5, 40, judgeParts); }

static void judgeMoment(rig *r, generator *g, worldCase *c, brinkClearanceInput *input, tally *sums) {
  (void)sums;
  input->tStart = input->tEnd = uniform(g, 0, 1);
  brinkClearanceResult result = askClearance(r, input);
  double truth = (double)oracleDistance(&c->body[0], &c->body[1], (long double)input->tStart);
  expectTruth(&result, truth, 1e-12);
}

CASE(one_moment_is_the_distance_there) { overCases(SEED + 6, 40, judgeMoment); }

static void judgeBudget(rig *r, generator *g, worldCase *c, brinkClearanceInput *input, tally *sums) {
  (void)g, (void)c;
  brinkClearanceResult whole = askClearance(r, input);
  input->maxIterations = 30;
  brinkClearanceResult rough = askClearance(r, input);
  assert_true(rough.lower <= whole.upper && rough.upper >= whole.lower);
  if (rough.upper - rough.lower <= rough.tolerance) return;
  assert_int_equal(rough.state, brink_gapSpent);
  ++sums->spent;
}

CASE(a_spent_budget_still_gives_two_true_bounds_and_says_so) {
  assert_true(overCases(SEED + 7, 40, judgeBudget).spent > 0);
}

CASE(a_ball_inside_a_solid_mesh_collides_though_no_surface_is_near) {
  RIG(r);
  meshData cube = makeBoxMesh(3, 3, 3);
  brinkShape *room = makeMeshShape(&r.context, &cube, testMesh, BRINK_MESH_SOLID),
             *shell = makeMeshShape(&r.context, &cube, testMesh, 0), *ball = makeSphere(&r.context, 0.5);
  const oracleLink fly = makeLink(brinkV3(0, 0, 0), unturned, brinkV3(1, 0, 0), brinkV3(1, 2, 3));
  int32_t link = addChain(&r.tree, &fly, 1, -1);
  brinkClearanceInput input = makeClearanceInput(&r, ball, link, room, -1);
  brinkClearanceResult result = askClearance(&r, &input);
  assert_true(result.collision && result.lower == 0 && result.upper == 0);
  input = makeClearanceInput(&r, ball, link, shell, -1);
  result = askClearance(&r, &input);
  expectTruth(&result, 1.5, 1e-14);
  brinkDestroyShape(&r.context, room);
  brinkDestroyShape(&r.context, shell);
  brinkDestroyShape(&r.context, ball);
}

CASE(questions_without_an_answer_are_refused_and_leave_the_result_alone) {
  RIG(r);
  brinkShape *ball = makeSphere(&r.context, 1), *plane = makePlane(&r.context, brinkV3(0, 0, 1), 0);
  brinkClearanceInput good = makeClearanceInput(&r, ball, -1, plane, -1), bad;
  brinkClearanceResult result, before;
  memset(&result, 7, sizeof result);
  before = result;
  bad = good, bad.tolerance = -1;
  assert_int_equal(brinkMeasureClearance(&r.context, clearanceScratch(&r), r.advance, &bad, &result),
                   brink_errorBadValue);
  bad = good, bad.tolerance = NAN;
  assert_int_equal(brinkMeasureClearance(&r.context, clearanceScratch(&r), r.advance, &bad, &result),
                   brink_errorBadValue);
  bad = good, bad.required = -0.5;
  assert_int_equal(brinkMeasureClearance(&r.context, clearanceScratch(&r), r.advance, &bad, &result),
                   brink_errorBadValue);
  bad = good, bad.tStart = 0.75, bad.tEnd = 0.25;
  assert_int_equal(brinkMeasureClearance(&r.context, clearanceScratch(&r), r.advance, &bad, &result),
                   brink_errorBadTime);
  bad = good, bad.a.shape = plane;
  assert_int_equal(brinkMeasureClearance(&r.context, clearanceScratch(&r), r.advance, &bad, &result),
                   brink_errorBadValue);
  assert_memory_equal(&result, &before, sizeof result);
  brinkDestroyShape(&r.context, ball);
  brinkDestroyShape(&r.context, plane);
}

CASE(nothing_is_allocated_once_warm) {
  RIG(r);
  generator g = {SEED + 8};
  worldCase c;
  brinkClearanceInput input;
  makeCase(&r, &g, &c, &input);
  brinkClearanceResult first = askClearance(&r, &input);
  uint64_t count = r.context.allocationCount;
  brinkClearanceResult again = askClearance(&r, &input);
  assert_true(r.context.allocationCount == count);
  assert_true(first.lower == again.lower && first.upper == again.upper && first.iterations == again.iterations);
  freeCase(&r, &c);
}

int main(void) { return cases_Run(NULL, NULL); }
