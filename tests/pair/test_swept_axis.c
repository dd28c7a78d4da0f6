/* SPDX-License-Identifier: BSD-3-Clause */
/* The swept-axis scheme: its answers against the brute-force oracle and the paper's scheme, and each single verdict of
 * its kernels (a box or a triangle stays apart by more than x during a whole interval) against 80-bit distances. */
#include "cases.h"
#include <stdlib.h>

#include "advance.h"
#include "obb_tree.h"
#include "pair_scenarios.h"

/* The kernels themselves, for this file's instruction set. */
#define BRINK_SWEPT_AXIS_RUN runHere
#include "swept_axis_internal.h"
static brinkStatus runHere(PairRun *run);
#include "swept_axis_body.h"

/* ---- answers */

static void runAgainstOracle(uint64_t seed, int cases, bool convexOnly, bool meshes, int maxLinks, double turn,
                             int shared) {
  RIG(r);
  int hits = 0, frees = 0, undecided = 0, differing = 0;
  for (int i = 0; i < cases; ++i) {
    prepared p;
    brinkAdvanceInput input;
    double eps = i % 2 == 0 ? 1e-3 : 1e-6;
    unsigned long long at = seed + (unsigned long long)i;
    prepare(&r, at, convexOnly, meshes, maxLinks, turn, shared, &p, &input, eps);
    r.mode = i % ROUNDING_MODES;
    brinkPairResult result = askAxes(&r, &input);
    hits += result.state == brink_hit;
    frees += result.state == brink_free;
    if (!oracleAgrees(&result, &p.bodies[0], &p.bodies[1], 1, eps, 3000, &undecided))
      fail_msg("seed %llu: state %d toi %.17g", at, (int)result.state, result.toi);
    /* the paper's scheme says the same, but for grazing within the tolerance */
    brinkPairResult paper = askPaper(&r, &input);
    if (paper.state != result.state) {
      ++differing;
      bool grazing =
          (paper.state == brink_free || result.state == brink_free) && paper.distance <= eps && result.distance <= eps;
      if (!grazing) fail_msg("seed %llu: %d, the paper's scheme %d", at, (int)result.state, (int)paper.state);
    } else if (result.state == brink_hit && paper.normalVelocity < -0.1 && result.normalVelocity < -0.1) {
      if (fabs(paper.toi - result.toi) > 20 * eps)
        fail_msg("seed %llu: toi %.17g, the paper's scheme %.17g", at, result.toi, paper.toi);
    }
    drop(&r, &p);
  }
  printf("%d cases, %d hits, %d free, oracle undecided %d, schemes differ within the tolerance %d\n", cases, hits,
         frees, undecided, differing);
  assert_true(hits > cases / 10 && frees > cases / 10 && undecided <= cases / 5);
}

CASE(convex_pairs_agree_with_the_oracle) { runAgainstOracle(11000, 120, true, false, 1, 3, 0); }
CASE(convex_chains_agree_with_the_oracle) { runAgainstOracle(12000, 80, true, false, 6, 3, 0); }
CASE(mesh_pairs_agree_with_the_oracle) { runAgainstOracle(13000, 60, false, true, 1, 3, 0); }
CASE(mesh_chains_agree_with_the_oracle) { runAgainstOracle(14000, 60, false, true, 5, 3, 0); }
CASE(mixed_pairs_of_many_turns_agree_with_the_oracle) { runAgainstOracle(15000, 30, false, false, 1, 20, 0); }
CASE(links_of_one_chain_agree_with_the_oracle) { runAgainstOracle(16000, 60, false, false, 2, 2, 2); }

/* Counter-rotating links: the product barely turns, yet its angular acceleration is large (the third derivative's bound
 * must not be made of the turn's first derivative). */
CASE(links_that_undo_each_others_turn_agree_with_the_oracle) {
  RIG(r);
  int undecided = 0, hits = 0;
  for (uint64_t seed = 17000; seed < 17060; ++seed) {
    generator g = {seed};
    meshData meshes[2] = {makeStarMesh(4, 0.1, 0.4, 0.1), makeBoxMesh(0.3, 0.05, 0.2)};
    oracleLink chains[2][3];
    brinkVec3 spin = brinkScale(randomDirection(&g), uniform(&g, 2, 9));
    for (int k = 0; k < 2; ++k) {
      chains[k][0] = makeLink(randomIn(&g, 0.6), unturned, randomIn(&g, 0.8), k == 0 ? spin : randomIn(&g, 0.5));
      chains[k][1] =
          makeLink(randomIn(&g, 0.4), unturned, randomIn(&g, 0.2), k == 0 ? brinkNeg(spin) : randomIn(&g, 0.5));
      chains[k][2] = makeLink(randomIn(&g, 0.4), randomRotation(&g), randomIn(&g, 0.2), randomIn(&g, 0.5));
    }
    clearTree(&r.tree);
    brinkShape *shapes[2];
    int32_t links[2];
    oracleBody bodies[2];
    for (int k = 0; k < 2; ++k) {
      links[k] = addChain(&r.tree, chains[k], 3, -1);
      shapes[k] = makeMeshShape(&r.context, &meshes[k], testMesh, BRINK_MESH_SOLID);
      bodies[k] = makeOracleBody(&meshes[k], chains[k], 3, true);
    }
    brinkAdvanceInput input = makeInput(&r, shapes[0], links[0], shapes[1], links[1], 1e-5);
    brinkPairResult result = askAxes(&r, &input);
    hits += result.state == brink_hit;
    if (!oracleAgrees(&result, &bodies[0], &bodies[1], 1, 1e-5, 3000, &undecided))
      fail_msg("seed %llu: state %d toi %.17g", (unsigned long long)seed, (int)result.state, result.toi);
    for (int k = 0; k < 2; ++k) brinkDestroyShape(&r.context, shapes[k]);
  }
  printf("%d hits, oracle undecided %d\n", hits, undecided);
  assert_true(hits > 3);
}

static void assertSameBits(const brinkPairResult *a, const brinkPairResult *b) {
  assert_int_equal(a->state, b->state);
  assert_true(a->toi == b->toi && a->toiUpper == b->toiUpper && a->distance == b->distance);
  assert_memory_equal(&a->pointA, &b->pointA, sizeof a->pointA);
  assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
  assert_int_equal(a->pieceA, b->pieceA);
  assert_int_equal(a->pieceB, b->pieceB);
  assert_int_equal(a->iterations, b->iterations);
}

CASE(all_instruction_sets_give_the_same_bits) {
  RIG(r);
  brinkSweptAxisTraversal *const variants[3] = {brinkSweptAxis_RunBase, runHere, brinkSweptAxis_BestRun()};
  for (uint64_t seed = 18000; seed < 18080; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, true, 3, seed % 4 == 0 ? 15 : 2, 0, &p, &input, 1e-4);
    brinkPairResult results[3];
    for (int k = 0; k < 3; ++k) {
      brinkStatus status =
          brinkSweptAxis_Pair(&r.context, r.swept, r.advance, &input, variants[k], &results[k], &r.work);
      assert_int_equal(status, brink_ok);
      assertSameBits(&results[0], &results[k]);
    }
    drop(&r, &p);
  }
  if (variants[2] == brinkSweptAxis_RunBase) printf("this processor has no AVX2\n");
}

CASE(the_same_question_twice_gives_the_same_bits) {
  RIG(r);
  for (uint64_t seed = 18100; seed < 18140; ++seed) {
    prepared p, other;
    brinkAdvanceInput input, between;
    prepare(&r, seed + 1000, false, true, 2, 3, 0, &other, &between, 1e-3);
    testTree kept = r.tree;
    kept.tree.links = kept.links;
    between.tree = &kept.tree;
    prepare(&r, seed, false, seed % 2 == 0, 3, 3, 0, &p, &input, 1e-5);
    brinkPairResult first = askAxes(&r, &input);
    askAxes(&r, &between);
    brinkPairResult again = askAxes(&r, &input);
    assertSameBits(&first, &again);
    drop(&r, &p);
    drop(&r, &other);
  }
}

static bool alwaysMeshesOnly(uint64_t seed) {
  (void)seed;
  return true;
}
static bool everySecondMeshesOnly(uint64_t seed) { return seed % 2 == 0; }

static void agreeSwapped(uint64_t seed, const brinkPairResult *one, const brinkPairResult *other) {
  bool grazing = one->distance <= 1e-5 && other->distance <= 1e-5;
  if (one->state != other->state && !grazing)
    fail_msg("seed %llu: %d %d", (unsigned long long)seed, (int)one->state, (int)other->state);
  if (one->state == brink_hit && other->state == brink_hit && one->normalVelocity < -0.1 &&
      other->normalVelocity < -0.1) {
    assert_true(fabs(one->toi - other->toi) < 2e-4);
    assert_true(brinkDistance(one->normal, brinkNeg(other->normal)) < 1e-2 || fabs(one->toi - other->toi) > 0);
  }
}

CASE(swapping_the_sides_changes_nothing_but_the_normal) {
  const pairScheme axes = {askAxes, alwaysMeshesOnly, 3};
  runSwapped(&axes, 18200, 60, agreeSwapped);
}

static void agreeInTime(const brinkPairResult *part, const brinkPairResult *whole) {
  if (part->state == brink_hit && whole->state == brink_hit)
    assert_true(part->toi == whole->toi);
  else if (part->state != whole->state) /* overlap not looked for */
    assert_true(part->state == brink_hit && whole->state == brink_overlap && part->toi == 0);
}

CASE(a_spent_budget_is_said_with_a_proven_prefix) {
  const pairScheme axes = {askAxes, everySecondMeshesOnly, 3};
  runBudgets(&axes, 18300, 18340, 200, agreeInTime);
}

CASE(a_proven_start_is_taken_up) {
  RIG(r);
  int asked = 0;
  for (uint64_t seed = 18400; seed < 18460; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, seed % 2 == 0, 2, 3, 0, &p, &input, 1e-6);
    brinkPairResult whole = askAxes(&r, &input);
    if (whole.state == brink_hit && whole.toi > 1e-3) {
      const double parts[3] = {0.3, 0.9, 1};
      for (int k = 0; k < 3; ++k) {
        input.provenUntil = parts[k] * whole.toi;
        brinkPairResult part = askAxes(&r, &input);
        assert_int_equal(part.state, brink_hit);
        assert_true(part.toi >= input.provenUntil);
        if (whole.normalVelocity < -0.1 && part.normalVelocity < -0.1) assert_true(fabs(part.toi - whole.toi) < 2e-5);
        ++asked;
      }
    } else if (whole.state == brink_free) {
      input.provenUntil = 0.5;
      assert_int_equal(askAxes(&r, &input).state, brink_free);
    }
    drop(&r, &p);
  }
  assert_true(asked > 30);
}

static void agreeStopped(const brinkPairResult *part, const brinkPairResult *whole, double stop) {
  (void)whole;
  assert_true(part->distance <= 1e-6 && part->toi <= stop);
}

CASE(stop_after_ends_the_search_there) {
  const pairScheme axes = {askAxes, everySecondMeshesOnly, 2};
  runStops(&axes, 18500, -0.1, agreeStopped);
}

static brinkShape *makeMargined(rig *r, const meshData *mesh, double margin) {
  brinkMeshView view = {
      sizeof view, 0, mesh->vertices, (size_t)mesh->vertexCount, mesh->triangles, (size_t)mesh->triangleCount};
  brinkShapeSpec spec = {.type = testMesh, .mesh = &view, .margin = margin};
  return makeShape(&r->context, &spec);
}

CASE(margins_and_thresholds_of_meshes_add_up) {
  RIG(r);
  int undecided = 0, hits = 0;
  for (uint64_t seed = 18600; seed < 18660; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, true, 2, 3, 0, &p, &input, 1e-5);
    brinkShape *thick[2] = {makeMargined(&r, &p.pair.meshes[0], 0.02), makeMargined(&r, &p.pair.meshes[1], 0.03)};
    input.a.shape = thick[0];
    input.b.shape = thick[1];
    input.threshold = 0.01;
    brinkPairResult result = askAxes(&r, &input);
    hits += result.state == brink_hit;
    /* the event: sharp surfaces within 0.06 */
    oracleBody a = p.pair.bodies[0], b = p.pair.bodies[1];
    a.solid = b.solid = false;
    long double t, smallest;
    if (result.state == brink_free) {
      oracleVerdict verdict = oracleFree(&a, &b, 0, 1, 0.06L, 3000, &t, &smallest);
      undecided += verdict == oracle_undecided;
      if (verdict == oracle_contact) fail_msg("seed %llu: missed at %.17Lg", (unsigned long long)seed, t);
      assert_true(result.distance >= 0.01);
    } else if (result.state == brink_hit) {
      long double distance = oracleDistance(&a, &b, (long double)result.toi);
      if (!(distance > 0.06L && distance <= 0.06L + 1e-5L * (1 + 1e-9L)))
        fail_msg("seed %llu: distance %.17Lg at the event", (unsigned long long)seed, distance);
      assert_true(result.distance > 0.01 && result.distance <= 0.01 + 1.001e-5);
      oracleVerdict verdict = oracleFree(&a, &b, 0, (long double)result.toi, 0.06L, 3000, &t, &smallest);
      undecided += verdict == oracle_undecided;
      if (verdict == oracle_contact) fail_msg("seed %llu: late", (unsigned long long)seed);
    } else {
      assert_int_equal(result.state, brink_overlap);
    }
    for (int k = 0; k < 2; ++k) brinkDestroyShape(&r.context, thick[k]);
    drop(&r, &p);
  }
  printf("%d hits, oracle undecided %d\n", hits, undecided);
  assert_true(hits > 10 && undecided < 20);
}

CASE(a_sinking_box_is_met_at_the_negative_threshold) {
  RIG(r);
  brinkShape *box = makeBox(&r.context, 0.5, 0.5, 0.5), *floor = makeBox(&r.context, 5, 5, 0.5);
  /* its bottom starts 0.001 inside the floor and sinks by 0.1 a step, spinning about the vertical */
  int32_t link = addMoving(&r, brinkV3(0.3, 0.2, 0.999), unturned, brinkV3(0, 0, -0.1), brinkV3(0, 0, 2));
  brinkAdvanceInput input = makeInput(&r, box, link, floor, -1, 1e-6);
  input.threshold = -0.011;
  brinkPairResult result = askAxes(&r, &input);
  assert_int_equal(result.state, brink_hit);
  if (!(result.toi <= 0.1 && result.toi >= 0.1 - 1.1e-5)) fail_msg("toi %.17g", result.toi);
  assert_true(result.distance <= -0.0109 && result.distance > -0.0111);
  input.threshold = -0.2; /* never that deep: free, and no separation above what is met is claimed */
  result = askAxes(&r, &input);
  assert_int_equal(result.state, brink_free);
  assert_true(result.distance <= -0.101 + 1e-9 && result.distance >= -0.2);
  brinkShape *plane = makePlane(&r.context, brinkV3(0, 0, 1), 0);
  input.b.shape = plane;
  assert_false(brinkSweptAxisServes(&input));
  brinkDestroyShape(&r.context, plane);
  brinkDestroyShape(&r.context, box);
  brinkDestroyShape(&r.context, floor);
}

CASE(starts_are_told_apart_near_touching_crossing_inside) {
  RIG(r);
  meshData small = makeBoxMesh(0.2, 0.2, 0.2), large = makeStarMesh(5, 1, 2, 1);
  brinkShape *inner = makeMeshShape(&r.context, &small, testMesh, BRINK_MESH_SOLID);
  brinkShape *solid = makeMeshShape(&r.context, &large, testMesh, BRINK_MESH_SOLID);
  brinkShape *open = makeMeshShape(&r.context, &large, testMesh, 0);
  brinkShape *box = makeBox(&r.context, 0.2, 0.2, 0.2);
  struct {
    double z;
    const brinkShape *mover, *target;
    brinkPairState expected;
  } cases[] = {{1.2000005, inner, solid, brink_hit}, /* within the tolerance above the top */
               {1.2, inner, solid, brink_overlap},   /* touching */
               {1.1, inner, solid, brink_overlap},   /* crossing */
               {0, inner, solid, brink_overlap},     /* inside, surfaces apart */
               {0, inner, open, brink_free},         /* inside a surface that is no solid */
               {0, box, solid, brink_overlap},       /* a convex piece inside */
               {1.1, box, open, brink_overlap},      {1.3, inner, solid, brink_free}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int swap = 0; swap < 4; ++swap) { /* from 2 on many turns, of which bodies of revolution could prove some */
      clearTree(&r.tree);
      brinkVec3 spin = brinkV3(0, 0, swap < 2 ? 0.1 : 200);
      int32_t link = addMoving(&r, brinkV3(0, 0, cases[i].z), unturned, brinkV3(0.01, 0, 0), spin);
      brinkAdvanceInput input = makeInput(&r, cases[i].mover, link, cases[i].target, -1, 1e-6);
      if (swap % 2 != 0) {
        brinkCollider a = input.a;
        input.a = input.b;
        input.b = a;
      }
      brinkPairResult result = askAxes(&r, &input);
      if (result.state != cases[i].expected) fail_msg("case %zu: state %d toi %.17g", i, (int)result.state, result.toi);
    }
  brinkDestroyShape(&r.context, inner);
  brinkDestroyShape(&r.context, solid);
  brinkDestroyShape(&r.context, open);
  brinkDestroyShape(&r.context, box);
}

/* A wavy sheet on its own copy: every triangle is a near miss. */
/* n x n points: a wavy sheet, or a tube 0.6 m long and 0.2 m wide (a limb). */
static brinkShape *makeSurface(rig *r, int n, bool tube) {
  size_t vertexCount = (size_t)(n * n), triangleCount = (size_t)(2 * (n - 1) * (n - 1)), t = 0;
  double *vertices = malloc(3 * vertexCount * sizeof *vertices);
  uint32_t *indices = malloc(3 * triangleCount * sizeof *indices);
  assert_true(vertices != NULL && indices != NULL);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double *v = &vertices[3 * (i * n + j)], x = 2.0 * i / (n - 1) - 1, y = 2.0 * j / (n - 1) - 1;
      v[0] = x;
      v[1] = y;
      v[2] = 0.1 * sin(5 * x) * cos(4 * y);
      if (!tube) continue;
      v[0] = 0.3 * y;
      v[1] = 0.1 * cos(3.14159265358979 * x);
      v[2] = 0.08 * sin(3.14159265358979 * x);
    }
  for (int i = 0; i + 1 < n; ++i)
    for (int j = 0; j + 1 < n; ++j) {
      uint32_t a = (uint32_t)(i * n + j), b = a + (uint32_t)n;
      const uint32_t corners[6] = {a, b, a + 1, a + 1, b, b + 1};
      memcpy(&indices[t], corners, sizeof corners);
      t += 6;
    }
  brinkMeshView view = {sizeof view, 0, vertices, vertexCount, indices, triangleCount};
  brinkShapeSpec spec = {.type = testMesh, .mesh = &view};
  brinkShape *shape = makeShape(&r->context, &spec);
  free(vertices);
  free(indices);
  return shape;
}

CASE(conforming_surfaces_that_nearly_touch_end_soon) {
  RIG(r);
  brinkShape *waves = makeSurface(&r, 41, false);
  const double gaps[3] = {0.01, 0.003, 0.0011};
  for (int i = 0; i < 3; ++i) {
    clearTree(&r.tree);
    /* up and turning a little about a far point; never nearer than the gap less what the turn costs */
    int32_t link = addMoving(&r, brinkV3(0, 0, gaps[i]), unturned, brinkV3(0, 0, 0.2 * gaps[i]), brinkV3(0, 1e-4, 0));
    brinkAdvanceInput input = makeInput(&r, waves, link, waves, -1, 1e-4);
    brinkPairResult result = askAxes(&r, &input);
    printf("gap %g: %llu iterations\n", gaps[i], (unsigned long long)result.iterations);
    assert_int_equal(result.state, brink_free);
    assert_true(result.iterations < 200000);
  }
  clearTree(&r.tree);
  int32_t link = addMoving(&r, brinkV3(0, 0, 0.002), unturned, brinkV3(0, 0, -0.004), brinkV3(0, 0, 0));
  brinkAdvanceInput input = makeInput(&r, waves, link, waves, -1, 1e-5);
  brinkPairResult result = askAxes(&r, &input);
  assert_int_equal(result.state, brink_hit);
  assert_true(result.toi <= 0.5 && result.toi > 0.49 && result.iterations < 200000);
  brinkDestroyShape(&r.context, waves);
}

/* ---- what lies near at one time */

typedef struct seen {
  uint32_t countB;
  bool *pairs; /* [countA countB] */
  size_t visits;
} seen;

static bool see(void *user, uint32_t slotA, uint32_t slotB, double *reach) {
  seen *s = user;
  (void)reach;
  s->pairs[(size_t)slotA * s->countB + slotB] = true;
  s->visits++;
  return true;
}

static brinkPiece triangleAt(const brinkShape *shape, uint32_t slot, brinkTriangleRoom *room) {
  brinkPiece piece = brinkHullTree_TriangleOf(shape->tree, &shape->obbTree->triangles[slot], room);
  piece.radius += shape->piece.radius;
  return piece;
}

CASE(all_triangles_within_reach_are_visited) {
  RIG(r);
  size_t near = 0, all = 0, visits = 0;
  for (uint64_t seed = 21000; seed < 21090; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, true, 3, 3, 0, &p, &input, 1e-6);
    generator g = {seed};
    const double reach = uniform(&g, 0, 0.3);
    const brinkShape *a = input.a.shape, *b = input.b.shape;
    assert_true(a->obbTree != NULL && b->obbTree != NULL);
    const uint32_t countA = a->obbTree->triangleCount, countB = b->obbTree->triangleCount;
    seen s = {countB, calloc((size_t)countA * countB, sizeof(bool)), 0};
    assert_non_null(s.pairs);
    bool served = false;
    assert_int_equal(brinkSweptAxisNear(r.swept, &input, reach, see, &s, &served), brink_ok);
    if (served) {
      brinkRigid linkA = brinkMotionTree_Pose(input.tree, input.a.link, -1, 0),
                 poseA = brinkCompose(&linkA, &input.a.local);
      brinkRigid linkB = brinkMotionTree_Pose(input.tree, input.b.link, -1, 0),
                 poseB = brinkCompose(&linkB, &input.b.local);
      for (uint32_t i = 0; i < countA; ++i)
        for (uint32_t k = 0; k < countB; ++k) {
          brinkTriangleRoom rooms[2];
          const brinkPiece x = triangleAt(a, i, &rooms[0]), y = triangleAt(b, k, &rooms[1]);
          const brinkGjkLimits limits = {1e-10, 0, HUGE_VAL, -1, 0};
          brinkSeparation separation;
          brinkGjk(&x, &poseA, &y, &poseB, &limits, NULL, &separation);
          if (separation.upper > reach) continue;
          near++;
          if (!s.pairs[(size_t)i * countB + k])
            fail_msg("seed %llu: %u and %u are %g apart, reach %g", (unsigned long long)seed, i, k, separation.upper,
                     reach);
        }
      all += (size_t)countA * countB;
      visits += s.visits;
    }
    free(s.pairs);
    drop(&r, &p);
  }
  printf("%zu pairs, %zu within reach, %zu visited\n", all, near, visits);
  assert_true(near > 500 && visits < 2 * near);
}

/* The same of limbs, boxes and balls above ground that waves, near it and far off. */
CASE(the_distance_of_a_convex_piece_and_a_mesh_takes_few_distances) {
  RIG(r);
  enum { kinds = 3, places = 40 };
  const brinkShapeSpec limb = {.type = testCapsule, .size = {0.05, 0, 0.15}};
  brinkShape *waves = makeSurface(&r, 41, false);
  brinkShape *shapes[kinds] = {makeShape(&r.context, &limb), makeBox(&r.context, 0.1, 0.05, 0.02),
                               makeSphere(&r.context, 0.04)};
  generator g = {5};
  uint64_t distances[2] = {0}; /* [with the search] */
  for (int i = 0; i < kinds * places; ++i) {
    clearTree(&r.tree);
    const brinkVec3 at = {uniform(&g, -0.8, 0.8), uniform(&g, -0.8, 0.8), uniform(&g, 0, 0.4)};
    const int32_t link = addMoving(&r, at, randomRotation(&g), brinkV3(0, 0, 0), brinkV3(0, 0, 0));
    const brinkShape *shape = shapes[i % kinds];
    const brinkAdvanceInput input =
        i % 2 == 0 ? makeInput(&r, shape, link, waves, -1, 1e-9) : makeInput(&r, waves, -1, shape, link, 1e-9);
    brinkPairResult results[2];
    for (int with = 0; with < 2; ++with) {
      brinkAdvanceWork work = {0};
      brinkAdvanceScratch_SearchBy(r.advance, with ? brinkSweptAxisNear : NULL, r.swept);
      assert_int_equal(brinkPairDistanceAtStart(&r.context, r.advance, &input, 1e-9, 0.01, &results[with], &work),
                       brink_ok);
      distances[with] += work.distanceQueries;
    }
    assert_int_equal(results[0].state, results[1].state);
    if (results[0].state == brink_free) assert_true(fabs(results[0].distance - results[1].distance) <= 2e-9);
  }
  printf("%llu distances without, %llu with\n", (unsigned long long)distances[0], (unsigned long long)distances[1]);
  assert_true(distances[1] < distances[0] / 4);
  for (int k = 0; k < kinds; ++k) brinkDestroyShape(&r.context, shapes[k]);
  brinkDestroyShape(&r.context, waves);
}

/* As a screw's thread in its nut's: hulls say little there. The distance is the same as without the search, for a
 * fraction of its distances. */
CASE(the_distance_of_meshes_that_lie_along_each_other_takes_few_distances) {
  RIG(r);
  brinkShape *waves = makeSurface(&r, 41, false);
  const double gaps[4] = {0.02, 0.005, 0.001, 0.0002};
  for (int i = 0; i < 4; ++i) {
    clearTree(&r.tree);
    int32_t link = addMoving(&r, brinkV3(0.01, 0, gaps[i]), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
    brinkAdvanceInput input = makeInput(&r, waves, link, waves, -1, 1e-9);
    brinkPairResult results[2];
    brinkAdvanceWork work[2] = {{0}};
    for (int with = 0; with < 2; ++with) {
      brinkAdvanceScratch_SearchBy(r.advance, with ? brinkSweptAxisNear : NULL, r.swept);
      assert_int_equal(
          brinkPairDistanceAtStart(&r.context, r.advance, &input, 1e-9, gaps[i], &results[with], &work[with]),
          brink_ok);
    }
    printf("gap %g: %.9g, %llu distances without, %llu with\n", gaps[i], results[1].distance,
           (unsigned long long)work[0].distanceQueries, (unsigned long long)work[1].distanceQueries);
    assert_int_equal(results[0].state, results[1].state);
    if (results[0].state == brink_free) assert_true(fabs(results[0].distance - results[1].distance) <= 2e-9);
    assert_true(work[1].distanceQueries < work[0].distanceQueries / 4);
  }
  brinkDestroyShape(&r.context, waves);
}

/* Limbs of 512 triangles fly about a wall's face; work in node tests, triangle tests and distances. */
static uint64_t workAgainstWall(rig *r, const brinkShape *limb, const brinkShape *wall, bool wallMoves) {
  uint64_t before = r->work.nodePairs + r->work.distanceQueries, iterations = 0;
  int hits = 0;
  for (unsigned long long seed = 19000; seed < 19040; ++seed) {
    generator g = {seed};
    clearTree(&r->tree);
    brinkVec3 at = brinkV3(uniform(&g, -0.3, 0.3), uniform(&g, -0.3, 0.3), uniform(&g, 0.35, 0.7)),
              v = randomIn(&g, 0.3);
    v.z -= 0.2;
    int32_t a = addMoving(r, at, randomRotation(&g), v, brinkScale(randomDirection(&g), 1.5));
    int32_t b = wallMoves ? addMoving(r, brinkV3(0, 0, 0), unturned, brinkV3(0, 0, 0.1), brinkV3(0, 0, 0.2)) : -1;
    brinkAdvanceInput input =
        seed % 2 == 0 ? makeInput(r, limb, a, wall, b, 1e-5) : makeInput(r, wall, b, limb, a, 1e-5);
    brinkPairResult result = askAxes(r, &input);
    iterations += result.iterations;
    brinkAdvanceWork kept = r->work;
    brinkPairResult paper = askPaper(r, &input);
    r->work = kept;
    if (result.state != paper.state || (result.state == brink_hit && fabs(result.toi - paper.toi) > 1e-3))
      fail_msg("seed %llu: %d at %.17g, the paper's scheme %d at %.17g", seed, (int)result.state, result.toi,
               (int)paper.state, paper.toi);
    hits += result.state == brink_hit;
  }
  if (hits < 5 || hits > 35) fail_msg("%d hits of 40", hits);
  return r->work.nodePairs + r->work.distanceQueries - before + iterations;
}

/* Boxes that turn and pass each other at some distance: a chord is as long as the speed of its fall lets it prove. */
CASE(pieces_that_stay_apart_take_few_gaps_along_an_axis) {
  RIG(r);
  brinkShape *box = makeBox(&r.context, 0.5, 0.4, 0.3);
  r.work = (brinkAdvanceWork){0};
  uint64_t free = 0;
  for (unsigned long long seed = 18900; seed < 19000; ++seed) {
    generator g = {seed};
    clearTree(&r.tree);
    const brinkVec3 at = brinkScale(randomDirection(&g), uniform(&g, 2.0, 4.0));
    int32_t a =
        addMoving(&r, brinkV3(0, 0, 0), randomRotation(&g), randomIn(&g, 0.5), brinkScale(randomDirection(&g), 2));
    int32_t b = addMoving(&r, at, randomRotation(&g), randomIn(&g, 0.5), brinkScale(randomDirection(&g), 2));
    brinkAdvanceInput input = makeInput(&r, box, a, box, b, 1e-4);
    free += askAxes(&r, &input).state == brink_free;
  }
  printf("%llu free: %llu gaps, %llu distances\n", (unsigned long long)free, (unsigned long long)r.work.nodePairs,
         (unsigned long long)r.work.distanceQueries);
  assert_true(free == 100 && r.work.nodePairs < 250);
  brinkDestroyShape(&r.context, box);
}

/* What a large piece's own turning would hide must not count: seen from the small body a long wall sweeps far. */
CASE(a_wall_costs_no_more_for_being_large) {
  RIG(r);
  brinkShape *limb = makeSurface(&r, 17, true);
  for (int kind = 0; kind < 4; ++kind) {
    uint64_t small = 0;
    for (double size = 10; size < 2000; size *= 10) {
      meshData mesh = makeBoxMesh(size, size, 0.2);
      for (int v = 0; v < 8; ++v) mesh.vertices[3 * v + 2] -= 0.2;
      brinkShape *wall = makeMeshShape(&r.context, &mesh, kind % 2 == 0 ? testHull : testMesh, 0);
      uint64_t work = workAgainstWall(&r, limb, wall, kind >= 2);
      printf("%s wall of %g m: %llu\n", kind % 2 == 0 ? "convex" : "mesh", size, (unsigned long long)work);
      if (size == 10) small = work;
      if (work > 5 * small || work > 40000)
        fail_msg("kind %d, %g m: work %llu, %llu for 10 m", kind, size, (unsigned long long)work,
                 (unsigned long long)small);
      brinkDestroyShape(&r.context, wall);
    }
  }
  brinkDestroyShape(&r.context, limb);
}

/* Limbs swing past each other, ten times as far as they are thick. No axis of a box is across such a way; and where
 * only the bend of the paths hides that boxes are apart, halves of the time are asked. */
CASE(what_goes_far_for_its_size_takes_few_tests) {
  RIG(r);
  brinkShape *limb = makeSurface(&r, 17, true);
  uint64_t intervals = 0, free = 0;
  r.work = (brinkAdvanceWork){0};
  for (unsigned long long seed = 19500; seed < 19600; ++seed) {
    generator g = {seed};
    clearTree(&r.tree);
    const brinkVec3 way = brinkScale(randomDirection(&g), uniform(&g, 1.5, 3.0));
    const brinkVec3 side = brinkCross(way, randomDirection(&g));
    const brinkVec3 beside = brinkScale(side, uniform(&g, 0.25, 0.5) / brinkLength(side));
    const int32_t rests = addMoving(&r, brinkV3(0, 0, 0), randomRotation(&g), brinkV3(0, 0, 0), brinkV3(0, 0, 0));
    const int32_t goes = addMoving(&r, brinkMulAdd(beside, -0.5, way), randomRotation(&g), way,
                                   brinkScale(randomDirection(&g), uniform(&g, 0.2, 0.9)));
    brinkAdvanceInput input = makeInput(&r, limb, rests, limb, goes, 1e-4);
    free += askAxes(&r, &input).state == brink_free;
    intervals += r.swept->run.intervalsFilled;
  }
  printf("%llu free: %llu tests, %llu distances, %llu intervals\n", (unsigned long long)free,
         (unsigned long long)r.work.nodePairs, (unsigned long long)r.work.distanceQueries,
         (unsigned long long)intervals);
  assert_true(free > 30 && r.work.nodePairs < 2500); /* were 3165 */
  brinkDestroyShape(&r.context, limb);
}

/* Limbs fall on a wavy sheet. What surely comes first is asked first, so few contacts are found that are not the first;
 * and a few triangles that meet are advanced at once, not over halves of ever shorter intervals. */
CASE(the_first_of_many_contacts_takes_few_distances_and_intervals) {
  RIG(r);
  brinkShape *ground = makeSurface(&r, 41, false), *limb = makeSurface(&r, 17, true);
  uint64_t intervals = 0, hits = 0;
  r.work = (brinkAdvanceWork){0};
  for (unsigned long long seed = 19200; seed < 19260; ++seed) {
    generator g = {seed};
    clearTree(&r.tree);
    brinkVec3 at = brinkV3(uniform(&g, -0.5, 0.5), uniform(&g, -0.5, 0.5), 0.6), v = randomIn(&g, 0.3);
    v.z = -1;
    int32_t link = addMoving(&r, at, randomRotation(&g), v, brinkScale(randomDirection(&g), 0.5));
    brinkAdvanceInput input = makeInput(&r, ground, -1, limb, link, 1e-4);
    hits += askAxes(&r, &input).state == brink_hit;
    intervals += r.swept->run.intervalsFilled;
  }
  printf("%llu hits: %llu distances, %llu intervals\n", (unsigned long long)hits,
         (unsigned long long)r.work.distanceQueries, (unsigned long long)intervals);
  assert_int_equal(hits, 60);
  assert_true(r.work.distanceQueries < 450 && intervals < 1500); /* were 589 and 2099 */
  brinkDestroyShape(&r.context, ground);
  brinkDestroyShape(&r.context, limb);
}

CASE(a_ball_on_a_mesh_costs_no_more_for_spinning) {
  RIG(r);
  brinkShape *ground = makeSurface(&r, 41, false), *ball = makeSphere(&r.context, 0.2);
  uint64_t work[2];
  for (int spinning = 0; spinning < 2; ++spinning) {
    r.work = (brinkAdvanceWork){0};
    for (unsigned long long seed = 19100; seed < 19130; ++seed) {
      generator g = {seed};
      clearTree(&r.tree);
      brinkVec3 at = brinkV3(uniform(&g, -0.8, 0.8), uniform(&g, -0.8, 0.8), uniform(&g, 0.35, 0.5));
      brinkVec3 v = randomIn(&g, 0.2), spin = brinkScale(randomDirection(&g), spinning ? 30 : 0);
      int32_t link = addMoving(&r, at, unturned, v, spin);
      brinkAdvanceInput input = makeInput(&r, ground, -1, ball, link, 1e-5);
      askAxes(&r, &input);
    }
    work[spinning] = r.work.nodePairs + r.work.distanceQueries;
  }
  printf("at rest %llu, spinning %llu\n", (unsigned long long)work[0], (unsigned long long)work[1]);
  assert_true(work[1] <= work[0] + work[0] / 2);
  brinkDestroyShape(&r.context, ground);
  brinkDestroyShape(&r.context, ball);
}

CASE(nothing_is_allocated_after_the_first_round) {
  RIG(r);
  enum { COUNT = 12 };
  static prepared pairs[COUNT];
  static testTree trees[COUNT];
  brinkAdvanceInput inputs[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    prepare(&r, 18700 + (uint64_t)i, false, true, 3, i % 3 == 0 ? 12 : 3, 0, &pairs[i], &inputs[i], 1e-6);
    trees[i] = r.tree;
    trees[i].tree.links = trees[i].links;
    inputs[i].tree = &trees[i].tree;
    for (int k = 0; k < 2; ++k)
      assert_int_equal(brinkAdvanceScratch_Remember(&r.context, r.advance, pairs[i].shapes[k]), brink_ok);
  }
  for (int i = 0; i < COUNT; ++i) askAxes(&r, &inputs[i]);
  uint64_t before = r.context.allocationCount;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < COUNT; ++i) askAxes(&r, &inputs[i]);
  assert_int_equal(r.context.allocationCount, before);
  for (int i = 0; i < COUNT; ++i) {
    for (int k = 0; k < 2; ++k) brinkAdvanceScratch_Forget(&r.context, r.advance, pairs[i].shapes[k]);
    drop(&r, &pairs[i]);
  }
}

/* ---- single verdicts */

typedef struct trial { /* two box meshes on chains, scaled, somewhere */
  meshData meshes[2];
  oracleLink chains[2][MAX_CHAIN];
  int counts[2], shared;
  double size, tStart, tEnd; /* the interval asked about */
} trial;

/* Boxes of about `size` with their meshes `far` from their frames' origins; links `size` long, turning up to `turn`,
 * the whole `place` from the world's origin. At some time of the interval they are near each other. */
static void makeTrial(generator *g, double size, double far, double place, double turn, int links, trial *out) {
  out->size = size;
  out->tStart = uniform(g, 0, 0.9);
  out->tEnd = out->tStart + (1 - out->tStart) * pow(10, -uniform(g, 0, 3));
  brinkVec3 shift[2];
  for (int k = 0; k < 2; ++k) {
    out->meshes[k] =
        makeBoxMesh(size * uniform(g, 0.05, 0.5), size * uniform(g, 0.05, 0.5), size * uniform(g, 0.05, 0.5));
    shift[k] = brinkScale(randomDirection(g), far * size);
    for (int v = 0; v < 8; ++v) {
      out->meshes[k].vertices[3 * v] += shift[k].x;
      out->meshes[k].vertices[3 * v + 1] += shift[k].y;
      out->meshes[k].vertices[3 * v + 2] += shift[k].z;
    }
    out->counts[k] = 1 + (int)(nextBits(g) % (unsigned)links);
    for (int i = 0; i < out->counts[k]; ++i)
      out->chains[k][i] = makeLink(randomIn(g, size), randomRotation(g), randomIn(g, size),
                                   brinkScale(randomIn(g, 1), turn / out->counts[k]));
    out->chains[k][0].position[0] += place;
    out->chains[k][0].position[1] -= 0.37 * place;
  }
  /* Bring the middles together, some box sizes apart, at a time within the interval. */
  long double at[2][3], when = (long double)(out->tStart + uniform(g, 0, 1) * (out->tEnd - out->tStart));
  for (int k = 0; k < 2; ++k) {
    oracleBody body = makeOracleBody(&out->meshes[k], out->chains[k], out->counts[k], false);
    const double middle[3] = {shift[k].x, shift[k].y, shift[k].z};
    oraclePlace(&body, when, middle, at[k]);
  }
  brinkVec3 apart = brinkScale(randomDirection(g), size * uniform(g, 0.3, 2.5));
  const double miss[3] = {apart.x, apart.y, apart.z};
  for (int c = 0; c < 3; ++c) out->chains[1][0].position[c] += (double)(at[0][c] - at[1][c]) + miss[c];
}

/* Smallest distance of the simplices over samples of [t0,t1]. mode: what verdicts are given under. */
static long double smallestDistance(const oracleBody *a, const oracleBody *b, double t0, double t1, int samples,
                                    int mode) {
  long double smallest = INFINITY;
  leaveMode();
  for (int i = 0; i <= samples; ++i) {
    long double t = (long double)t0 + ((long double)t1 - (long double)t0) * i / samples, d = oracleDistance(a, b, t);
    if (d < smallest) smallest = d;
  }
  enterMode(mode);
  return smallest;
}

/* direction: the side whose whole box is tested; it moves and the node's boxes rest, or the other way round. */
static bool laneApart(PairRun *run, Interval *interval, int direction, bool rests, const brinkObbNode *node,
                      const brinkObbNode *whole, int lane, double threshold, WideTest *test) {
  float up = (float)(threshold * (1 + 1e-6));
  const Lane box = {whole, 0};
  *test = (WideTest){.alive = 0};
  if (rests) {
    const IntervalSide *side = SideOf(run, interval, 1 - direction);
    RestingBox w;
    MakeRestingBox(box, side, &w);
    TestMovingWide(node, &w, side, up, run->sides[direction].scale, test);
  } else {
    MovingBox x;
    const IntervalSide *side = SideOf(run, interval, direction);
    const float curvature = LaneCurvature(side, box, whole->radius[0]);
    MakeMovingBox(box, side, curvature, up, run->sides[1 - direction].scale, &x);
    TestWide(node, &x, test);
  }
  return !(test->alive >> lane & 1u);
}

/* Every verdict that the boxes and the triangles of the trial give, at the largest threshold that they give it for. */
static int checkVerdicts(rig *r, const trial *tr, unsigned long long seed, bool allTriangles, int *fractions) {
  brinkShape *shapes[2];
  int32_t links[2];
  oracleBody bodies[2];
  int checked = 0;
  clearTree(&r->tree);
  for (int k = 0; k < 2; ++k) {
    links[k] = addChain(&r->tree, tr->chains[k], tr->counts[k], -1);
    shapes[k] = makeMeshShape(&r->context, &tr->meshes[k], testMesh, 0);
    bodies[k] = makeOracleBody(&tr->meshes[k], tr->chains[k], tr->counts[k], false);
  }
  brinkAdvanceInput input = makeInput(r, shapes[0], links[0], shapes[1], links[1], 1e-6 * tr->size);
  input.tStart = tr->tStart;
  input.tEnd = tr->tEnd;
  PairRun *run = &r->swept->run;
  r->mode = (int)(seed % ROUNDING_MODES);
  enterMode(r->mode);
  assert_true(brinkSweptAxis_Begin(run, &r->context, &input));
  static Interval interval;
  FillInterval(run, &interval, tr->tStart, tr->tEnd, NULL, NULL);
  for (int trialKind = 0; trialKind < 4; ++trialKind) {
    const int direction = trialKind % 2;
    const bool rests = trialKind >= 2;
    const Side *x = &run->sides[direction], *w = &run->sides[1 - direction];
    const brinkObbNode *node = &w->tree->nodes[0];
    for (int lane = 0; lane < BRINK_OBB_WIDTH; ++lane) {
      WideTest test;
      if (node->child[lane] == BRINK_OBB_EMPTY || node->child[lane] >= 0) continue;
      /* the triangles of the lane against the whole of X */
      oracleBody part = bodies[1 - direction];
      unsigned simplices[6];
      uint32_t first = brinkObbLeaf_First(node->child[lane]), count = brinkObbLeaf_Count(node->child[lane]);
      for (uint32_t i = 0; i < count; ++i)
        memcpy(&simplices[3 * i], &tr->meshes[1 - direction].triangles[3 * (size_t)w->tree->triangles[first + i].slot],
               3 * sizeof(unsigned));
      part.simplices = simplices;
      part.simplexCount = (int)count;
      double low = 0, high = 8 * tr->size;
      bool any = laneApart(run, &interval, direction, rests, node, &x->whole, lane, 0, &test);
      for (int step = 0; any && step < 40; ++step) {
        double middle = 0.5 * (low + high);
        if (laneApart(run, &interval, direction, rests, node, &x->whole, lane, middle, &test))
          low = middle;
        else
          high = middle;
      }
      if (any) {
        long double truth = smallestDistance(&bodies[direction], &part, tr->tStart, tr->tEnd, 24, r->mode);
        if (!(truth > (long double)low))
          fail_msg("seed %llu, kind %d, lane %d: %.17g claimed, %.17Lg met", seed, trialKind, lane, low, truth);
        ++checked;
      }
      /* a little more than can be proven for the whole: for a part of it? */
      double more = any ? low * 1.01 + 1e-3 * tr->size : 0;
      if (laneApart(run, &interval, direction, rests, node, &x->whole, lane, more, &test) || !(test.fraction[lane] > 0))
        continue;
      double until = tr->tStart + fmin((double)test.fraction[lane] * 0.999998, 1) * (tr->tEnd - tr->tStart);
      long double truth = smallestDistance(&bodies[direction], &part, tr->tStart, until, 12, r->mode);
      if (!(truth > (long double)more * (1 - 1e-12L)))
        fail_msg("seed %llu, kind %d, lane %d: %.17g claimed until %.17g, %.17Lg met", seed, trialKind, lane, more,
                 until, truth);
      ++*fractions;
    }
  }
  generator g = {seed};
  for (uint32_t sample = 0; sample < (allTriangles ? 144u : 4u); ++sample) {
    uint32_t i = (allTriangles ? sample : (uint32_t)nextBits(&g)) % 12u,
             j = (allTriangles ? sample / 12u : (uint32_t)nextBits(&g)) % 12u;
    const int mover = (int)(sample / 2u % 2u);
    const brinkObbTriangle *a = &run->sides[0].tree->triangles[i], *b = &run->sides[1].tree->triangles[j];
    RestingTriangle resting;
    MakeRestingTriangle(mover == 0 ? b : a, &resting);
    const IntervalSide *side = SideOf(run, &interval, mover);
    double low = -1, high = 8 * tr->size;
    for (int step = 0; step < 40; ++step) {
      double middle = step == 0 ? 0 : 0.5 * (low + high);
      MovingTriangle moving;
      MakeMovingTriangle(mover == 0 ? a : b, &interval, mover, side, (float)(middle * (1 + 1e-6)),
                         run->sides[1 - mover].scale, &moving);
      if (sample % 2u == 0u ? BesidePlane(&moving, &resting) >= 1 : TrianglesApart(&moving, &resting))
        low = middle;
      else
        high = middle;
      if (low < 0) break;
    }
    if (low < 0) continue;
    oracleBody one = bodies[0], other = bodies[1];
    one.simplices = &tr->meshes[0].triangles[3 * (size_t)a->slot];
    other.simplices = &tr->meshes[1].triangles[3 * (size_t)b->slot];
    one.simplexCount = other.simplexCount = 1;
    long double truth = smallestDistance(&one, &other, tr->tStart, tr->tEnd, 24, r->mode);
    if (!(truth > (long double)low))
      fail_msg("seed %llu, triangles %u and %u: %.17g claimed, %.17Lg met", seed, (unsigned)i, (unsigned)j, low, truth);
    ++checked;
    if (sample % 2u != 0u) continue;
    /* a little more than the plane proves for the whole: for a part of it? */
    const float more = (float)(low * 1.01 + 1e-3 * tr->size);
    MovingTriangle moving;
    MakeMovingTriangle(mover == 0 ? a : b, &interval, mover, side, more, run->sides[1 - mover].scale, &moving);
    const double share = BesidePlane(&moving, &resting);
    if (!(share > 0 && share < 1)) continue;
    const double until = tr->tStart + share * 0.999998 * (tr->tEnd - tr->tStart);
    truth = smallestDistance(&one, &other, tr->tStart, until, 12, r->mode);
    if (!(truth > (long double)more * (1 - 1e-12L)))
      fail_msg("seed %llu, triangles %u and %u: %.9g claimed until %.17g, %.17Lg met", seed, (unsigned)i, (unsigned)j,
               (double)more, until, truth);
    ++*fractions;
  }
  leaveMode();
  for (int k = 0; k < 2; ++k) brinkDestroyShape(&r->context, shapes[k]);
  return checked;
}

CASE(every_verdict_holds_at_all_scales_places_and_turns) {
  RIG(r);
  const double sizes[5] = {1e-6, 1e-3, 1, 1e3, 1e6}, fars[3] = {0, 1, 1e6}, turns[4] = {0, 0.3, 3, 60};
  int checked = 0, fractions = 0;
  for (unsigned long long seed = 20000; seed < 20240; ++seed) {
    generator g = {seed};
    double size = sizes[seed % 5], far = fars[seed / 5 % 3], turn = turns[seed / 15 % 4];
    double place = seed / 60 % 2 ? (seed % 7 == 0 ? 1e6 : 1e3 * size) : 0;
    int links = seed % 3 == 0 ? 7 : 1 + (int)(seed % 2);
    trial tr;
    makeTrial(&g, size, far, place, turn, links, &tr);
    checked += checkVerdicts(&r, &tr, seed, false, &fractions);
  }
  printf("%d verdicts for whole intervals, %d for parts\n", checked, fractions);
  assert_true(checked > 3000 && fractions > 500);
}

/* Faces that slide along each other: the claimed distance is the true one but for rounding, so that rounding which is
 * not accounted for shows. */
CASE(verdicts_of_parallel_faces_hold_to_the_last_digit) {
#if defined(__SANITIZE_ADDRESS__)
  enum { seeds = 24 };
#else
  enum { seeds = 90 };
#endif
  RIG(r);
  int checked = 0, fractions = 0;
  for (unsigned long long seed = 21000; seed < 21000 + seeds; ++seed) {
    generator g = {seed};
    trial tr = {.size = 1, .tStart = 0, .tEnd = 1};
    brinkQuat q = randomRotation(&g);
    brinkMat3 turned = brinkMat3_FromQuat(q);
    brinkVec3 normal = brinkMulMV(&turned, brinkV3(0, 0, 1));
    double place = seed % 3 == 0 ? 1e6 : seed % 3 == 1 ? 100 : 0, gap = pow(10, -uniform(&g, 1, 4.5));
    double heights[2] = {uniform(&g, 0.1, 1), uniform(&g, 0.1, 1)};
    for (int k = 0; k < 2; ++k) {
      tr.meshes[k] = makeBoxMesh(uniform(&g, 0.3, 1), uniform(&g, 0.3, 1), heights[k]);
      tr.counts[k] = 1;
      brinkVec3 at = k == 0 ? brinkV3(0, 0, 0) : brinkScale(normal, heights[0] + heights[1] + gap);
      tr.chains[k][0] =
          makeLink(brinkAdd(at, brinkV3(place, -place, 0.5 * place)), q, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
    }
    brinkVec3 sideways = brinkCross(normal, randomIn(&g, 1));
    for (int k = 0; k < 2; ++k) {
      tr.chains[k][0].velocity[0] = k ? 0.3 * sideways.x : -0.2 * sideways.x;
      tr.chains[k][0].velocity[1] = k ? 0.3 * sideways.y : -0.2 * sideways.y;
      tr.chains[k][0].velocity[2] = k ? 0.3 * sideways.z : -0.2 * sideways.z;
    }
    checked += checkVerdicts(&r, &tr, seed, true, &fractions);
  }
  printf("%d verdicts\n", checked);
  assert_true(checked > 16 * seeds);
}

CASE(bounds_that_are_infinite_or_no_numbers_prove_nothing) {
  RIG(r);
  generator g = {23000};
  trial tr;
  makeTrial(&g, 1, 0, 0, 0, 1, &tr);
  for (int k = 0; k < 2; ++k) tr.chains[k][0].position[0] += 50 * k; /* far apart */
  brinkShape *shapes[2];
  int32_t links[2];
  for (int k = 0; k < 2; ++k) {
    links[k] = addChain(&r.tree, tr.chains[k], 1, -1);
    shapes[k] = makeMeshShape(&r.context, &tr.meshes[k], testMesh, 0);
  }
  brinkAdvanceInput input = makeInput(&r, shapes[0], links[0], shapes[1], links[1], 1e-6);
  PairRun *run = &r.swept->run;
  assert_true(brinkSweptAxis_Begin(run, &r.context, &input));
  static Interval interval;
  const float bad[3] = {0, INFINITY, NAN};
  for (int i = 0; i < 3; ++i) {
    FillInterval(run, &interval, 0, 1, NULL, NULL);
    FillSide(run, &interval, 0);
    if (i > 0) interval.side[0].jerk0 = bad[i];
    const brinkObbNode *node = &run->sides[1].tree->nodes[0];
    for (int lane = 0; lane < BRINK_OBB_WIDTH; ++lane) {
      WideTest test;
      if (node->child[lane] == BRINK_OBB_EMPTY) continue;
      bool apart = laneApart(run, &interval, 0, false, node, &run->sides[0].whole, lane, 0, &test);
      assert_int_equal(apart, i == 0);
      if (!apart) assert_true(!(test.fraction[lane] > 0));
    }
    node = &run->sides[0].tree->nodes[0];
    for (int lane = 0; lane < BRINK_OBB_WIDTH; ++lane) {
      WideTest test;
      if (node->child[lane] == BRINK_OBB_EMPTY) continue;
      bool apart = laneApart(run, &interval, 1, true, node, &run->sides[1].whole, lane, 0, &test);
      assert_int_equal(apart, i == 0);
      if (!apart) assert_true(!(test.fraction[lane] > 0));
    }
    MovingTriangle moving;
    RestingTriangle resting;
    MakeRestingTriangle(&run->sides[1].tree->triangles[0], &resting);
    MakeMovingTriangle(&run->sides[0].tree->triangles[0], &interval, 0, &interval.side[0], 0, run->sides[1].scale,
                       &moving);
    assert_true(i == 0 ? BesidePlane(&moving, &resting) == 1 : BesidePlane(&moving, &resting) == 0);
    assert_int_equal(TrianglesApart(&moving, &resting), i == 0);
  }
  for (int k = 0; k < 2; ++k) brinkDestroyShape(&r.context, shapes[k]);
}

CASE(an_open_query_changes_no_answer) {
  RIG(r);
  for (uint64_t seed = 18800; seed < 18860; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, seed % 2 == 0, 3, 3, 0, &p, &input, 1e-5);
    brinkPairResult alone = askAxes(&r, &input);
    assert_int_equal(brinkSweptAxisScratch_BeginQuery(&r.context, r.swept, &r.tree.tree, 0, 1), brink_ok);
    brinkPairResult within = askAxes(&r, &input), again = askAxes(&r, &input);
    assertSameBits(&within, &again);
    bool grazing = alone.distance <= 1e-5 && within.distance <= 1e-5;
    if (alone.state != within.state && !grazing)
      fail_msg("seed %llu: %d %d", (unsigned long long)seed, (int)alone.state, (int)within.state);
    if (alone.state == brink_hit && within.state == brink_hit && alone.normalVelocity < -0.1)
      assert_true(fabs(alone.toi - within.toi) < 2e-4);
    brinkSweptAxisScratch_EndQuery(r.swept);
    drop(&r, &p);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
