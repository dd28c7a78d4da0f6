/* SPDX-License-Identifier: BSD-3-Clause */
/* Swept volumes: furthest points and events against brute force over vertices and times, distances against dense
 * sampling of both times with a Lipschitz bound, closed forms, and the order swept <= correlated. Empty without
 * BRINK_SWEPT_HULL. */
#include "cases.h"
#include "swept_hull.h"

#include "clearance_rig.h"

#ifdef BRINK_SWEPT_HULL

#include "motion_bound.h"

#define PI 3.14159265358979323846
#define SEED 19970u

static brinkClearanceResult measure(rig *r, const brinkClearanceInput *input, bool swept) {
  if (!swept) return askClearance(r, input);
  brinkClearanceResult result;
  enterMode(r->mode);
  brinkStatus status = brinkMeasureSweptClearance(&r->context, clearanceScratch(r), r->advance, input, &result);
  leaveMode();
  if (status != brink_ok) fail_msg("clearance: %s", r->context.message);
  return result;
}

/* ---- furthest points */

static brinkVec3 placeVertex(const brinkSweptPiece *swept, uint32_t vertex, double t) {
  brinkRigid link = brinkMotionTree_Pose(swept->tree, swept->link, -1, t), pose = brinkCompose(&link, &swept->local);
  return brinkSub(brinkApply(&pose, brinkPiece_Vertex(swept->piece, vertex)), swept->centre);
}

static brinkShape *randomPolytope(rig *r, generator *g, uint32_t count) {
  double points[3 * 64];
  for (uint32_t i = 0; i < count; ++i) {
    brinkVec3 p = brinkScale(randomDirection(g), uniform(g, 0.6, 1.0));
    points[3 * i] = p.x, points[3 * i + 1] = p.y, points[3 * i + 2] = p.z;
  }
  brinkMeshView view = {sizeof view, BRINK_MESH_CONVEX, points, count, NULL, 0};
  brinkShapeSpec spec = {.type = testHull, .mesh = &view};
  return makeShape(&r->context, &spec);
}

static brinkSweptPiece randomSweep(rig *r, generator *g, const brinkShape *shape, double spin) {
  clearTree(&r->tree);
  const oracleLink link =
      makeLink(randomIn(g, 2), randomRotation(g), randomIn(g, 2), brinkScale(randomDirection(g), spin));
  brinkRigid local = brinkRigid_FromPose((brinkPose){randomIn(g, 0.5), randomRotation(g)});
  int32_t index = addChain(&r->tree, &link, 1, -1);
  double t0 = uniform(g, 0, 0.5);
  return (brinkSweptPiece){&shape->piece, &r->tree.tree, index, local, t0, t0 + uniform(g, 0, 0.5), randomIn(g, 2)};
}

CASE(the_furthest_vertex_steps_to_edge_neighbours_at_exact_times) {
  RIG(r);
  generator g = {SEED};
  size_t events = 0;
  long checked = 0;
  for (int i = 0; i < 300; ++i) {
    brinkShape *shape = randomPolytope(&r, &g, 4 + (uint32_t)uniform(&g, 0, 50));
    brinkSweptPiece swept = randomSweep(&r, &g, shape, uniform(&g, 0, 60));
    brinkVec3 n = randomDirection(&g);
    brinkSweptEvent list[512];
    size_t count = brinkSweptPiece_Events(&swept, n, list, 512);
    assert_true(count >= 1 && count <= 512);
    assert_true(list[0].t == swept.t0);
    for (size_t k = 0; k < count; ++k) {
      double end = k + 1 < count ? list[k + 1].t : swept.t1;
      assert_true(end >= list[k].t);
      for (int s = 0; s < 5; ++s) { /* at the ends of the interval ties are legal: within rounding */
        double t = list[k].t + (end - list[k].t) * s / 4.0, best = -HUGE_VAL;
        double mine = brinkDot(n, placeVertex(&swept, list[k].vertex, t));
        for (uint32_t v = 0; v < shape->piece.count; ++v) best = fmax(best, brinkDot(n, placeVertex(&swept, v, t)));
        if (mine < best - 1e-13)
          fail_msg("polytope %d, event %zu of %zu, t %.17g: short by %g", i, k, count, t, best - mine);
        ++checked;
      }
      if (k > 0 && shape->piece.neighborStart != NULL) {
        bool edge = false;
        for (uint32_t j = shape->piece.neighborStart[list[k - 1].vertex];
             j < shape->piece.neighborStart[list[k - 1].vertex + 1]; ++j)
          edge = edge || shape->piece.neighbors[j] == list[k].vertex;
        assert_true(edge);
      }
    }
    events += count - 1;
    brinkDestroyShape(&r.context, shape);
  }
  print_message("300 polytopes, %zu events, %ld places checked\n", events, checked);
  assert_true(events > 1000);
}

CASE(support_values_are_never_below_any_place_and_tight) {
  RIG(r);
  generator g = {SEED + 1};
  for (int i = 0; i < 200; ++i) {
    brinkShape *shape = i % 2 == 0 ? makeBox(&r.context, uniform(&g, 0.1, 1), uniform(&g, 0.1, 1), uniform(&g, 0.1, 1))
                                   : randomPolytope(&r, &g, 30);
    brinkSweptPiece swept = randomSweep(&r, &g, shape, uniform(&g, 0, 20));
    assert_true(brinkSweptPiece_IsExact(&swept));
    brinkVec3 n = randomDirection(&g);
    double time, value = brinkSweptPiece_SupportValue(&swept, n), met = -HUGE_VAL;
    brinkVec3 point = brinkSweptPiece_Support(&swept, n, &time);
    uint32_t count = shape->piece.kind == brink_pieceBox ? 8 : shape->piece.count;
    for (int k = 0; k <= 1000; ++k)
      for (uint32_t v = 0; v < count; ++v)
        met = fmax(met, brinkDot(n, placeVertex(&swept, v, swept.t0 + (swept.t1 - swept.t0) * k / 1000)));
    assert_true(value >= met);
    assert_true(value <= met + 1e-3);
    assert_true(time >= swept.t0 && time <= swept.t1);
    assert_true(fabs(brinkDot(n, point) - value) < 1e-12);
    brinkDestroyShape(&r.context, shape);
  }
}

CASE(chains_and_curved_cores_are_bounded_from_above) {
  RIG(r);
  generator g = {SEED + 2};
  brinkShapeSpec spec = {.type = testCylinder, .size = {0.4, 0, 0.7}};
  spec.size.y = 0.7;
  brinkShape *shapes[2] = {makeShape(&r.context, &spec), makeBox(&r.context, 0.4, 0.5, 0.6)};
  for (int i = 0; i < 100; ++i) {
    clearTree(&r.tree);
    oracleLink chain[2];
    for (int k = 0; k < 2; ++k)
      chain[k] = makeLink(randomIn(&g, 1), randomRotation(&g), randomIn(&g, 2), randomIn(&g, 3));
    int32_t link = addChain(&r.tree, chain, 2, -1);
    const brinkShape *shape = shapes[i % 2];
    brinkSweptPiece swept = {&shape->piece,  &r.tree.tree, link, brinkIdentityRigid(), 0.25, 0.25 + uniform(&g, 0, 0.5),
                             randomIn(&g, 1)};
    assert_false(brinkSweptPiece_IsExact(&swept));
    brinkVec3 n = randomDirection(&g);
    double value = brinkSweptPiece_SupportValue(&swept, n);
    for (int k = 0; k <= 200; ++k) {
      double t = swept.t0 + (swept.t1 - swept.t0) * k / 200;
      brinkRigid pose = brinkMotionTree_Pose(swept.tree, link, -1, t);
      brinkVec3 point;
      brinkPiece_Support(&shape->piece, brinkTMulMV(&pose.r, n), 0u, &point);
      assert_true(brinkDot(n, brinkSub(brinkApply(&pose, point), swept.centre)) <= value);
    }
  }
  for (int i = 0; i < 2; ++i) brinkDestroyShape(&r.context, shapes[i]);
}

/* ---- distances */

CASE(two_cars_on_crossing_roads_collide_swept_but_not_in_time) {
  RIG(r);
  brinkShape *car = makeBox(&r.context, 0.5, 0.25, 0.25);
  const oracleLink east = makeLink(brinkV3(-4, 0, 0), unturned, brinkV3(8, 0, 0), brinkV3(0, 0, 0)),
                   north = makeLink(brinkV3(0, -12, 0), unturned, brinkV3(0, 12, 0), brinkV3(0, 0, 0));
  int32_t a = addChain(&r.tree, &east, 1, -1), b = addChain(&r.tree, &north, 1, -1);
  brinkClearanceInput input = makeClearanceInput(&r, car, a, car, b);
  brinkClearanceResult swept = measure(&r, &input, true), timed = measure(&r, &input, false);
  assert_true(swept.collision && swept.upper == 0);
  assert_true(!timed.collision && timed.lower > 1);
  brinkDestroyShape(&r.context, car);
}

CASE(parallel_sweeps_are_as_far_apart_as_their_lanes) {
  RIG(r);
  brinkShape *ball = makeSphere(&r.context, 0.25), *box = makeBox(&r.context, 0.5, 0.5, 0.5);
  const oracleLink one = makeLink(brinkV3(-4, 0, 0), unturned, brinkV3(8, 0, 0), brinkV3(0, 0, 0)),
                   two = makeLink(brinkV3(9, 2, 0), unturned, brinkV3(-10, 0, 0), brinkV3(0, 0, 0));
  int32_t a = addChain(&r.tree, &one, 1, -1), b = addChain(&r.tree, &two, 1, -1);
  brinkClearanceInput input = makeClearanceInput(&r, ball, a, box, b);
  brinkClearanceResult result = measure(&r, &input, true);
  assert_true(result.lower <= 1.25 && result.upper >= 1.25 && result.upper - result.lower <= result.tolerance);
  brinkDestroyShape(&r.context, ball);
  brinkDestroyShape(&r.context, box);
}

CASE(a_point_on_a_circle_keeps_its_distance_from_the_centre_although_its_hull_does_not) {
  /* time must be split: the hull of the whole circle holds the centre */
  RIG(r);
  brinkShape *ball = makeSphere(&r.context, 0.125);
  const oracleLink spin = makeLink(brinkV3(1, 2, 3), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 5)),
                   still = makeLink(brinkV3(1.3, 2, 3.4), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
  int32_t a = addChain(&r.tree, &spin, 1, -1), b = addChain(&r.tree, &still, 1, -1);
  brinkClearanceInput input = makeClearanceInput(&r, ball, a, ball, b);
  input.a.local.p = brinkV3(1, 0, 0);
  input.tolerance = 1e-6;
  brinkClearanceResult result = measure(&r, &input, true);
  double truth = hypot(0.7, 0.4) - 0.25;
  assert_true(result.lower <= truth && result.upper >= truth && result.upper - result.lower <= 1e-6);
  brinkDestroyShape(&r.context, ball);
}

CASE(random_sweeps_are_enclosed_as_dense_sampling_of_both_times_shows) {
  RIG(r);
  generator g = {SEED + 3};
  int settled = 0, collisions = 0, sharper = 0;
  uint64_t iterations = 0;
  for (int i = 0; i < 120; ++i) {
    clearTree(&r.tree);
    meshData mesh[2];
    brinkShape *shape[2];
    oracleLink link[2];
    oracleBody body[2];
    int32_t index[2];
    brinkVec3 apart = brinkScale(randomDirection(&g), uniform(&g, 1.5, 4.0));
    for (int k = 0; k < 2; ++k) {
      int kind = (int)uniform(&g, 0, 4);
      mesh[k] = kind == 0   ? makeBoxMesh(uniform(&g, 0.2, 0.8), uniform(&g, 0.2, 0.8), uniform(&g, 0.2, 0.8))
                : kind == 1 ? makeTetrahedronMesh(uniform(&g, 0.2, 0.6))
                : kind == 2 ? makeIcosahedronMesh(uniform(&g, 0.2, 1), uniform(&g, 0.2, 1), uniform(&g, 0.2, 1))
                            : makeStarMesh(3, 0.3, 0.9, 0.2);
      shape[k] = makeMeshShape(&r.context, &mesh[k], kind < 3 ? testHull : testMesh,
                               kind < 3 ? BRINK_MESH_CONVEX : BRINK_MESH_SOLID);
      link[k] = makeLink(k == 0 ? brinkV3(0, 0, 0) : apart, randomRotation(&g), randomIn(&g, 0.6), randomIn(&g, 2.0));
      index[k] = addChain(&r.tree, &link[k], 1, -1);
    }
    brinkClearanceInput input = makeClearanceInput(&r, shape[0], index[0], shape[1], index[1]);
    input.tolerance = 1e-5;
    input.maxIterations = 20000;
    r.mode = i % ROUNDING_MODES;
    brinkClearanceResult swept = measure(&r, &input, true), timed = measure(&r, &input, false);
    /* B frozen at many times: its own still link, so that the oracle measures across times */
    enum { GRID = 12 };
    double met = HUGE_VAL, speed = 0;
    for (int k = 0; k < 2; ++k) {
      body[k] = makeOracleBody(&mesh[k], &link[k], 1, true);
      speed += (double)oracleSpeed(&body[k]);
    }
    for (int k = 0; k <= GRID; ++k) {
      brinkPose pose = brinkPose_FromRigid(&(brinkRigid){r.tree.links[index[1]].r0, brinkV3(0, 0, 0)});
      brinkRigid there = brinkLinkMotion_At(&r.tree.links[index[1]], (double)k / GRID);
      pose = brinkPose_FromRigid(&there);
      oracleLink frozen = makeLink(pose.position, pose.rotation, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
      oracleBody still = makeOracleBody(&mesh[1], &frozen, 1, true);
      for (int j = 0; j <= GRID; ++j) met = fmin(met, (double)oracleDistance(&body[0], &still, j / (long double)GRID));
    }
    if (!(swept.lower <= met + 1e-13) || !(swept.upper >= met - speed * 0.5 / GRID) || !(swept.lower <= timed.upper) ||
        !(swept.lower <= swept.upper) || (swept.upper - swept.lower > 1e-5 && swept.state != brink_gapSpent))
      fail_msg("case %d: [%.17g, %.17g], met %.17g, in time [%.17g, %.17g]", i, swept.lower, swept.upper, met,
               timed.lower, timed.upper);
    brinkRigid at[2] = {brinkLinkMotion_At(&r.tree.links[index[0]], swept.timeA),
                        brinkLinkMotion_At(&r.tree.links[index[1]], swept.timeB)};
    brinkPose poses[2] = {brinkPose_FromRigid(&at[0]), brinkPose_FromRigid(&at[1])};
    oracleLink frozen[2];
    oracleBody still[2];
    for (int k = 0; k < 2; ++k) {
      frozen[k] = makeLink(poses[k].position, poses[k].rotation, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
      still[k] = makeOracleBody(&mesh[k], &frozen[k], 1, true);
    }
    double there = (double)oracleDistance(&still[0], &still[1], 0);
    if (there > swept.upper + 1e-12) fail_msg("case %d: upper %.17g, but %.17g there", i, swept.upper, there);
    settled += swept.state == brink_gapSettled;
    collisions += swept.collision;
    sharper += swept.upper < timed.lower - 1e-3;
    iterations += swept.iterations;
    for (int k = 0; k < 2; ++k) brinkDestroyShape(&r.context, shape[k]);
  }
  print_message("120 cases: %d settled, %d collide, %d nearer than in time, %.0f swept pairs each\n", settled,
                collisions, sharper, (double)iterations / 120);
  assert_true(settled > 80 && sharper > 20);
}

CASE(planes_and_bad_numbers_are_refused) {
  RIG(r);
  brinkShape *ball = makeSphere(&r.context, 1), *plane = makePlane(&r.context, brinkV3(0, 0, 1), 0);
  brinkClearanceInput input = makeClearanceInput(&r, ball, -1, plane, -1);
  brinkClearanceResult result;
  assert_int_equal(brinkMeasureSweptClearance(&r.context, clearanceScratch(&r), r.advance, &input, &result),
                   brink_errorBadValue);
  input = makeClearanceInput(&r, ball, -1, ball, -1);
  input.tolerance = -1;
  assert_int_equal(brinkMeasureSweptClearance(&r.context, clearanceScratch(&r), r.advance, &input, &result),
                   brink_errorBadValue);
  brinkDestroyShape(&r.context, ball);
  brinkDestroyShape(&r.context, plane);
}

int main(void) { return cases_Run(NULL, NULL); }

#else

CASE(swept_hulls_are_not_in_this_build) { skip(); }

int main(void) { return cases_Run(NULL, NULL); }

#endif
