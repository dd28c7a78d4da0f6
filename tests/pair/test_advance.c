/* SPDX-License-Identifier: BSD-3-Clause */
/* Conservative advancement of one pair: closed forms, the brute-force oracle, and relations that must hold whatever the
 * answer. Contract: distance > 0 on [0, toi), distance(toi) <= tolerance, free only when free. */
#include "cases.h"
#include "advance.h"

#include "pair_scenarios.h"

#define PI 3.14159265358979323846

/* toi in [time of distance <= eps, time of contact] */
static void assertBracket(const brinkPairResult *result, double timeNear, double timeContact) {
  if (result->state != brink_hit || result->toi < timeNear - 1e-14 || result->toi > timeContact)
    fail_msg("state %d toi %.17g, expected a hit in [%.17g, %.17g]", (int)result->state, result->toi, timeNear,
             timeContact);
}

/* ---- closed forms */

CASE(sphere_falling_on_a_plane_is_met_at_the_known_time) {
  RIG(r);
  brinkShape *sphere = makeSphere(&r.context, 0.5), *plane = makePlane(&r.context, brinkV3(0, 0, 2), 0);
  int32_t link = addMoving(&r, brinkV3(1, 2, 2), unturned, brinkV3(0.25, 0, -3), brinkV3(5, 0, 0));
  brinkAdvanceInput input = makeInput(&r, sphere, link, plane, -1, 1e-6);
  brinkPairResult result = askPaper(&r, &input);
  assertBracket(&result, 0.5 - 1e-6 / 3, 0.5);
  assert_true(fabs(result.normal.z + 1) < 1e-12);
  assert_true(fabs(result.normalVelocity + 3) < 1e-9);
  assert_true(result.distance > 0 && result.distance <= 1e-6);
  assert_true(fabs(result.pointA.x - 1.125) < 1e-6 && fabs(result.pointA.z) < 2e-6 && fabs(result.pointB.z) < 1e-9);
  brinkDestroyShape(&r.context, sphere);
  brinkDestroyShape(&r.context, plane);
}

CASE(box_on_its_corner_touches_with_the_corner_first) {
  RIG(r);
  brinkShape *box = makeBox(&r.context, 0.5, 0.5, 0.5), *floor = makeBox(&r.context, 5, 5, 0.5);
  /* the diagonal (1,1,1) turned down: about (1,-1,0) by pi - acos(1/sqrt 3) or so; any exact corner-down pose will do
   */
  brinkVec3 axis = brinkScale(brinkV3(1, -1, 0), 1 / sqrt(2));
  double angle = -(PI - acos(1 / sqrt(3)));
  brinkQuat q = {cos(angle / 2), axis.x * sin(angle / 2), axis.y * sin(angle / 2), axis.z * sin(angle / 2)};
  brinkMat3 rotation = brinkMat3_FromQuat(q);
  double lowest = 0;
  uint32_t corner = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    brinkVec3 v = brinkMulMV(&rotation, brinkV3((i & 1) ? 0.5 : -0.5, (i & 2) ? 0.5 : -0.5, (i & 4) ? 0.5 : -0.5));
    if (v.z < lowest) {
      lowest = v.z;
      corner = i;
    }
  }
  assert_true(fabs(lowest + sqrt(3) / 2) < 1e-9);
  int32_t link = addMoving(&r, brinkV3(0.1, 0.2, 2), q, brinkV3(0, 0, -2), brinkV3(0, 0, 0));
  brinkAdvanceInput input = makeInput(&r, box, link, floor, -1, 1e-6);
  brinkPairResult result = askPaper(&r, &input);
  double contact = (2 + lowest - 0.5) / 2;
  assertBracket(&result, contact - 0.5e-6, contact);
  assert_int_equal(result.kindA, 1);
  assert_int_equal(result.featureA[0], corner);
  brinkDestroyShape(&r.context, box);
  brinkDestroyShape(&r.context, floor);
}

CASE(turning_rod_hits_a_peg_at_the_known_angle) {
  RIG(r);
  brinkShapeSpec spec = {.type = testCapsule, .size = {0.05, 0, 0.5}};
  brinkShape *rod = makeShape(&r.context, &spec), *peg = makeSphere(&r.context, 0.1);
  for (int turns = 0; turns < 2; ++turns) {
    clearTree(&r.tree);
    /* the capsule's axis is local z, laid along x; centre 0.5 off the hub */
    brinkQuat lay = {sqrt(0.5), 0, sqrt(0.5), 0};
    double rate = turns == 0 ? 0.5 * PI : 40.0;
    int32_t hub = addMoving(&r, brinkV3(0, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, rate));
    brinkAdvanceInput input = makeInput(&r, rod, hub, peg, -1, 1e-7);
    input.a.local = (brinkRigid){brinkMat3_FromQuat(lay), {0.5, 0, 0}};
    double distance = 0.8, bearing = 1.2;
    input.b.local.p = brinkV3(distance * cos(bearing), distance * sin(bearing), 0);
    brinkPairResult result = askPaper(&r, &input);
    double contact = (bearing - asin(0.15 / distance)) / rate;
    double near = (bearing - asin((0.15 + 1e-7) / distance)) / rate;
    assertBracket(&result, near, contact);
  }
  brinkDestroyShape(&r.context, rod);
  brinkDestroyShape(&r.context, peg);
}

CASE(needle_through_thin_wall_is_always_hit) {
  RIG(r);
  generator g = {11};
  meshData wallMesh = makeBoxMesh(10, 10, 5e-4), sheetMesh = makeSheetMesh(&g, 2, 10, 0);
  brinkShape *needle = makeBox(&r.context, 1e-4, 1e-4, 0.05);
  brinkShape *walls[3] = {makeBox(&r.context, 10, 10, 5e-4),
                          makeMeshShape(&r.context, &wallMesh, testMesh, BRINK_MESH_SOLID),
                          makeMeshShape(&r.context, &sheetMesh, testMesh, 0)};
  const double tops[3] = {5e-4, 5e-4, 0};
  for (int wall = 0; wall < 3; ++wall) {
    for (double speed = 1; speed < 1e7; speed *= 10) {
      for (int i = 0; i < 20; ++i) {
        clearTree(&r.tree);
        brinkVec3 start = {uniform(&g, -5, 5), uniform(&g, -5, 5), uniform(&g, 0.2, 0.9) * speed};
        int32_t link = addMoving(&r, start, unturned, brinkV3(0, 0, -speed), brinkV3(0, 0, uniform(&g, -9, 9)));
        brinkAdvanceInput input = makeInput(&r, needle, link, walls[wall], -1, 1e-6);
        brinkPairResult result = askPaper(&r, &input);
        double contact = (start.z - 0.05 - tops[wall]) / speed;
        assertBracket(&result, contact - 1e-6 / speed, contact + 1e-15);
      }
    }
  }
  for (int i = 0; i < 3; ++i) brinkDestroyShape(&r.context, walls[i]);
  brinkDestroyShape(&r.context, needle);
}

CASE(blade_of_many_turns_is_not_stepped_over) {
  RIG(r);
  /* A blade of half length 1 spins 30 times while it approaches a wall at x = 2 from x = 0 with speed 1.5: it reaches
   * x(t) + |cos| + ... ; the first t with 1.5 t + |cos(60 pi t)| + 0.01 |sin| >= 2, found by scanning. */
  brinkShape *blade = makeBox(&r.context, 1, 0.01, 0.01), *wall = makeBox(&r.context, 0.5, 5, 5);
  double rate = 60 * PI;
  int32_t link = addMoving(&r, brinkV3(0, 0, 0), unturned, brinkV3(1.5, 0, 0), brinkV3(0, 0, rate));
  brinkAdvanceInput input = makeInput(&r, blade, link, wall, -1, 1e-6);
  input.b.local.p = brinkV3(2.5, 0, 0);
  brinkPairResult result = askPaper(&r, &input);
  assert_int_equal(result.state, brink_hit);
  double gap = 2 - 1.5 * result.toi - fabs(cos(rate * result.toi)) - 0.01 * fabs(sin(rate * result.toi));
  assert_true(gap > 0 && gap <= 1e-6 * (1 + 1e-6));
  for (int i = 0; i < 1000000; ++i) {
    double t = result.toi * i / 1000000;
    if (2 - 1.5 * t - fabs(cos(rate * t)) - 0.01 * fabs(sin(rate * t)) <= 0)
      fail_msg("stepped over contact at %.17g", t);
  }
  brinkDestroyShape(&r.context, blade);
  brinkDestroyShape(&r.context, wall);
}

CASE(deepening_of_a_resting_box_is_met_at_the_negative_threshold) {
  RIG(r);
  brinkShape *box = makeBox(&r.context, 0.5, 0.5, 0.5), *floor = makeBox(&r.context, 5, 5, 0.5);
  brinkShape *plane = makePlane(&r.context, brinkV3(0, 0, 1), 0.5);
  for (int against = 0; against < 2; ++against) {
    clearTree(&r.tree);
    int32_t link = addMoving(&r, brinkV3(0, 0, 0.99), unturned, brinkV3(0, 0, -0.1), brinkV3(0, 0, 0));
    brinkAdvanceInput input = makeInput(&r, box, link, against == 0 ? floor : plane, -1, 1e-6);
    input.threshold = -0.03; /* depth starts at 0.01, grows by 0.1: at 0.2 */
    brinkPairResult result = askPaper(&r, &input);
    assertBracket(&result, 0.2 - 1e-5, 0.2);
    assert_true(result.distance <= -0.03 + 1e-6 && result.distance > -0.03);
    input.threshold = -0.2;
    result = askPaper(&r, &input);
    assert_int_equal(result.state, brink_free);
    input.threshold = -0.005;
    result = askPaper(&r, &input);
    assert_int_equal(result.state, brink_overlap);
    assert_true(fabs(result.distance + 0.01) < 1e-9);
  }
  brinkDestroyShape(&r.context, box);
  brinkDestroyShape(&r.context, floor);
  brinkDestroyShape(&r.context, plane);
}

CASE(starts_are_told_apart_touching_overlapping_near) {
  RIG(r);
  meshData mesh = makeBoxMesh(0.5, 0.5, 0.5);
  brinkShape *shapes[3] = {makeBox(&r.context, 0.5, 0.5, 0.5), makeMeshShape(&r.context, &mesh, testHull, 0),
                           makeMeshShape(&r.context, &mesh, testMesh, BRINK_MESH_SOLID)};
  brinkShape *small = makeSphere(&r.context, 0.05);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      struct {
        double x;
        brinkPairState state;
      } starts[] = {{1, brink_overlap}, {0.9, brink_overlap}, {1 + 5e-7, brink_hit}, {1.5, brink_free}};
      for (int k = 0; k < 4; ++k) {
        clearTree(&r.tree);
        int32_t link = addMoving(&r, brinkV3(starts[k].x, 0.1, 0.2), unturned, brinkV3(0.2, 0, 0), brinkV3(0, 0, 0));
        brinkAdvanceInput input = makeInput(&r, shapes[i], link, shapes[j], -1, 1e-6);
        brinkPairResult result = askPaper(&r, &input);
        if (result.state != starts[k].state || (result.state != brink_free && result.toi != 0))
          fail_msg("shapes %d %d at %g: state %d toi %g", i, j, starts[k].x, (int)result.state, result.toi);
      }
    }
    /* inside, far from the surface */
    clearTree(&r.tree);
    int32_t link = addMoving(&r, brinkV3(0.05, 0.1, 0), unturned, brinkV3(0.01, 0, 0), brinkV3(0, 0, 0));
    brinkAdvanceInput input = makeInput(&r, small, link, shapes[i], -1, 1e-6);
    brinkPairResult result = askPaper(&r, &input);
    assert_int_equal(result.state, brink_overlap);
    brinkCollider swap = input.a;
    input.a = input.b;
    input.b = swap;
    result = askPaper(&r, &input);
    assert_int_equal(result.state, brink_overlap);
  }
  for (int i = 0; i < 3; ++i) brinkDestroyShape(&r.context, shapes[i]);
  brinkDestroyShape(&r.context, small);
}

CASE(crossing_sheets_overlap_though_no_vertex_is_near) {
  RIG(r);
  generator g = {3};
  meshData mesh = makeSheetMesh(&g, 2, 1, 0);
  brinkShape *sheet = makeMeshShape(&r.context, &mesh, testMesh, 0);
  brinkQuat upright = {sqrt(0.5), sqrt(0.5), 0, 0};
  int32_t link = addMoving(&r, brinkV3(0.1, 0, 0.2), upright, brinkV3(1, 0, 0), brinkV3(0, 0, 1));
  brinkAdvanceInput input = makeInput(&r, sheet, link, sheet, -1, 1e-6);
  brinkPairResult result = askPaper(&r, &input);
  assert_int_equal(result.state, brink_overlap);
  assert_true(result.toi == 0);
  brinkDestroyShape(&r.context, sheet);
}

CASE(second_part_inside_a_solid_is_found) {
  RIG(r);
  meshData outer = makeBoxMesh(1, 1, 1), inner = makeBoxMesh(0.1, 0.1, 0.1);
  /* one mesh of two cubes: the first far outside, the second inside the solid */
  meshData two = {.vertexCount = 0};
  for (int part = 0; part < 2; ++part) {
    int base = two.vertexCount;
    for (int i = 0; i < 8; ++i)
      addVertex(&two, inner.vertices[3 * i] + (part == 0 ? 5 : 0), inner.vertices[3 * i + 1],
                inner.vertices[3 * i + 2]);
    for (int i = 0; i < 12; ++i)
      addTriangle(&two, base + (int)inner.triangles[3 * i], base + (int)inner.triangles[3 * i + 1],
                  base + (int)inner.triangles[3 * i + 2]);
  }
  brinkShape *solid = makeMeshShape(&r.context, &outer, testMesh, BRINK_MESH_SOLID);
  brinkShape *parts = makeMeshShape(&r.context, &two, testMesh, 0);
  int32_t link = addMoving(&r, brinkV3(0.2, 0, 0), unturned, brinkV3(0.1, 0, 0), brinkV3(0, 0, 0));
  brinkAdvanceInput input = makeInput(&r, parts, link, solid, -1, 1e-6);
  brinkPairResult result = askPaper(&r, &input);
  assert_int_equal(result.state, brink_overlap);
  brinkDestroyShape(&r.context, solid);
  brinkDestroyShape(&r.context, parts);
}

/* ---- random pairs against the oracle */

static void runAgainstOracle(uint64_t seed, int cases, bool convexOnly, int maxLinks, double turn, bool selfCollision) {
  RIG(r);
  int hits = 0, frees = 0, undecided = 0;
  for (int i = 0; i < cases; ++i) {
    prepared p;
    brinkAdvanceInput input;
    double eps = i % 2 == 0 ? 1e-3 : 1e-6;
    prepare(&r, seed + (uint64_t)i, convexOnly, false, maxLinks, turn, selfCollision ? 2 : 0, &p, &input, eps);
    r.mode = i % ROUNDING_MODES;
    brinkPairResult result = askPaper(&r, &input);
    hits += result.state == brink_hit;
    frees += result.state == brink_free;
    if (!oracleAgrees(&result, &p.bodies[0], &p.bodies[1], 1, eps, 3000, &undecided))
      fail_msg("seed %llu: state %d toi %.17g", (unsigned long long)(seed + (uint64_t)i), (int)result.state,
               result.toi);
    /* the hulls' lower bound, and a walk that starts at it, say the same */
    double bound = brinkHullLowerBound(&input, &r.work);
    if (result.state == brink_overlap) assert_true(bound == 0);
    input.provenUntil = bound;
    if (bound < 1) {
      brinkPairResult again = askPaper(&r, &input);
      if (!oracleAgrees(&again, &p.bodies[0], &p.bodies[1], 1, eps, 3000, &undecided))
        fail_msg("seed %llu from the hulls' bound: state %d", (unsigned long long)(seed + (uint64_t)i),
                 (int)again.state);
    } else {
      assert_int_equal(result.state, brink_free);
    }
    drop(&r, &p);
  }
  printf("%d cases, %d hits, %d free, oracle undecided %d\n", cases, hits, frees, undecided);
  assert_true(hits > cases / 10 && frees > cases / 10 && undecided <= cases / 5);
}

CASE(random_convex_pairs_agree_with_the_oracle) { runAgainstOracle(1000, 150, true, 1, 3, false); }
CASE(random_convex_chains_agree_with_the_oracle) { runAgainstOracle(2000, 100, true, 6, 3, false); }
CASE(random_mesh_chains_agree_with_the_oracle) { runAgainstOracle(3000, 80, false, 4, 3, false); }
CASE(random_mesh_pairs_of_many_turns_agree_with_the_oracle) { runAgainstOracle(4000, 40, false, 1, 20, false); }
CASE(links_of_one_chain_agree_with_the_oracle) { runAgainstOracle(5000, 80, false, 2, 2, true); }

/* ---- relations */

CASE(the_same_question_twice_gives_the_same_bits) {
  RIG(r);
  for (uint64_t seed = 7000; seed < 7060; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-5);
    brinkPairResult first = askPaper(&r, &input), second;
    uint64_t before = r.context.allocationCount;
    second = askPaper(&r, &input);
    assert_true(r.context.allocationCount == before);
    assert_memory_equal(&first, &second, sizeof first);
    drop(&r, &p);
  }
}

static bool neverMeshesOnly(uint64_t seed) {
  (void)seed;
  return false;
}
static const pairScheme paper = {askPaper, neverMeshesOnly, 3};

static void agreeSwapped(uint64_t seed, const brinkPairResult *one, const brinkPairResult *other) {
  if ((one->state == brink_free) != (other->state == brink_free) && one->distance > 1e-5)
    fail_msg("seed %llu: states %d, %d", (unsigned long long)seed, (int)one->state, (int)other->state);
  if (one->state == brink_hit && other->state == brink_hit) {
    double speed = fabs(one->normalVelocity) + fabs(other->normalVelocity);
    if (fabs(one->toi - other->toi) * 0.1 * speed > 1e-4)
      fail_msg("seed %llu: toi %.17g, %.17g", (unsigned long long)seed, one->toi, other->toi);
  }
}

CASE(swapping_the_sides_changes_nothing_but_the_normal) { runSwapped(&paper, 7100, 100, agreeSwapped); }

CASE(moving_the_whole_frame_changes_nothing) {
  RIG(r);
  for (uint64_t seed = 7200; seed < 7260; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-5);
    brinkPairResult one = askPaper(&r, &input);
    /* both chains below a common link that flies and turns fast */
    generator g = {seed};
    oracleLink carrier = makeLink(randomIn(&g, 50), randomRotation(&g), randomIn(&g, 100), randomIn(&g, 30));
    clearTree(&r.tree);
    int32_t base = addChain(&r.tree, &carrier, 1, -1);
    input.a.link = addChain(&r.tree, p.pair.chains[0], p.pair.counts[0], base);
    input.b.link = addChain(&r.tree, p.pair.chains[1], p.pair.counts[1], base);
    brinkPairResult other = askPaper(&r, &input);
    assert_int_equal(one.state, other.state);
    assert_true(fabs(one.toi - other.toi) < 1e-9);
    assert_true(fabs(one.normalVelocity - other.normalVelocity) < 1e-6);
    if (one.state == brink_hit) assert_true(fabs(brinkDistance(other.pointA, other.pointB) - other.distance) < 1e-9);
    drop(&r, &p);
  }
}

CASE(scaling_by_a_power_of_two_scales_the_answer) {
  RIG(r);
  for (uint64_t seed = 7300; seed < 7340; ++seed) {
    for (int power = -20; power <= 20; power += 10) {
      prepared p;
      brinkAdvanceInput input;
      prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-5);
      brinkPairResult one = askPaper(&r, &input);
      drop(&r, &p);
      double s = ldexp(1, power);
      clearTree(&r.tree);
      for (int k = 0; k < 2; ++k) {
        meshData *mesh = &p.pair.meshes[k];
        for (int i = 0; i < 3 * mesh->vertexCount; ++i) mesh->vertices[i] *= s;
        for (int i = 0; i < p.pair.counts[k]; ++i)
          for (int c = 0; c < 3; ++c) {
            p.pair.chains[k][i].position[c] *= s;
            p.pair.chains[k][i].velocity[c] *= s;
          }
        p.shapes[k] = makeMeshShape(&r.context, mesh, p.pair.convex[k] ? testHull : testMesh, 0);
      }
      int32_t linkA = addChain(&r.tree, p.pair.chains[0], p.pair.counts[0], -1);
      int32_t linkB = addChain(&r.tree, p.pair.chains[1], p.pair.counts[1], -1);
      input = makeInput(&r, p.shapes[0], linkA, p.shapes[1], linkB, 1e-5 * s);
      brinkPairResult other = askPaper(&r, &input);
      assert_int_equal(one.state, other.state);
      if (one.state == brink_hit) assert_true(fabs(one.toi - other.toi) < 1e-6);
      drop(&r, &p);
    }
  }
}

/* The same motion from its end to its start. */
static brinkLinkMotion reversed(const brinkLinkMotion *motion) {
  brinkLinkMotion back = *motion;
  const brinkRigid start = brinkLinkMotion_PlainAt(motion, 1);
  back.t0 = start.p;
  back.r0 = start.r;
  back.v = brinkNeg(motion->v);
  back.w = brinkNeg(motion->w);
  brinkLinkMotion_Prepare(&back);
  return back;
}

CASE(reversed_time_keeps_free_free) {
  RIG(r);
  int frees = 0;
  for (uint64_t seed = 7400; seed < 7600; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-7);
    brinkPairResult forward = askPaper(&r, &input);
    for (int32_t k = 0; k < r.tree.tree.linkCount; ++k) r.tree.links[k] = reversed(&r.tree.links[k]);
    brinkPairResult backward = askPaper(&r, &input);
    frees += forward.state == brink_free;
    if (forward.state == brink_free && backward.state != brink_free) {
      /* allowed only for a near miss within the tolerance */
      assert_int_equal(backward.state, brink_hit);
      assert_true(backward.distance > 0 && backward.distance <= 1e-7);
    }
    drop(&r, &p);
  }
  printf("%d free\n", frees);
  assert_true(frees > 10);
}

CASE(a_larger_tolerance_never_answers_later) {
  RIG(r);
  for (uint64_t seed = 7500; seed < 7560; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    double last = -1;
    prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-2);
    for (double eps = 1e-2; eps > 1e-9; eps *= 0.1) {
      input.tolerance = eps;
      brinkPairResult result = askPaper(&r, &input);
      assert_int_not_equal(result.state, brink_unresolved);
      double toi = result.state == brink_free ? 2 : result.toi;
      if (toi < last) fail_msg("seed %llu eps %g: %.17g after %.17g", (unsigned long long)seed, eps, toi, last);
      last = toi;
    }
    drop(&r, &p);
  }
}

CASE(an_interval_cut_in_two_gives_the_same_answer) {
  RIG(r);
  for (uint64_t seed = 7600; seed < 7660; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-6);
    brinkPairResult whole = askPaper(&r, &input);
    input.tEnd = 0.4375;
    brinkPairResult part = askPaper(&r, &input);
    if (part.state == brink_free) {
      input.tStart = 0.4375;
      input.tEnd = 1;
      part = askPaper(&r, &input);
    }
    bool close = part.distance <= 1e-6 || whole.distance <= 1e-6;
    if (part.state != whole.state && !close)
      fail_msg("seed %llu: %d %d", (unsigned long long)seed, (int)whole.state, (int)part.state);
    if (part.state == brink_hit && whole.state == brink_hit && fabs(part.normalVelocity) > 0.1)
      assert_true(fabs(part.toi - whole.toi) < 1e-4);
    drop(&r, &p);
  }
}

static void agreeInTime(const brinkPairResult *part, const brinkPairResult *whole) {
  if (part->state == brink_hit && whole->state == brink_hit)
    assert_true(fabs(part->toi - whole->toi) < 1e-9);
  else
    assert_int_equal(part->state, whole->state);
}

CASE(a_spent_budget_is_said_with_a_proven_prefix) { runBudgets(&paper, 7700, 7740, 64, agreeInTime); }

CASE(the_papers_bound_gives_the_same_contacts_with_more_steps) {
  RIG(r);
  uint64_t steps[2] = {0, 0};
  for (uint64_t seed = 7800; seed < 7840; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    brinkPairResult results[2];
    prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-4);
    for (int k = 0; k < 2; ++k) {
      input.eq10 = k == 1;
      uint64_t before = r.work.advancements;
      results[k] = askPaper(&r, &input);
      steps[k] += r.work.advancements - before;
    }
    if (results[0].state != results[1].state && results[0].distance > 1e-4 && results[1].distance > 1e-4)
      fail_msg("seed %llu: %d %d", (unsigned long long)seed, (int)results[0].state, (int)results[1].state);
    drop(&r, &p);
  }
  assert_true(steps[1] > steps[0]);
}

static void agreeStopped(const brinkPairResult *part, const brinkPairResult *whole, double stop) {
  (void)stop;
  assert_true(part->toi <= whole->toi + 1e-9 && part->distance <= 1e-6);
}

CASE(stop_after_ends_the_walk_there) { runStops(&paper, 7900, 0.1, agreeStopped); }

CASE(distance_at_a_time_agrees_with_the_oracle) {
  RIG(r);
  int apart = 0;
  for (uint64_t seed = 8000; seed < 8100; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-6);
    finishPair(&p.pair);
    for (double t = 0; t <= 1; t += 0.25) {
      brinkPairResult result;
      input.tStart = input.tEnd = t;
      assert_int_equal(brinkPairDistanceAtStart(&r.context, r.advance, &input, 1e-9, INFINITY, &result, &r.work),
                       brink_ok);
      long double truth = oracleDistance(&p.pair.bodies[0], &p.pair.bodies[1], (long double)t);
      double found = fmax(result.distance, 0);
      if (fabsl(truth - (long double)found) > 2e-9L)
        fail_msg("seed %llu t %g: %.17g, truth %.17Lg", (unsigned long long)seed, t, result.distance, truth);
      assert_int_equal(result.state, truth > 0 ? brink_free : brink_overlap);
      if (truth > 0) {
        ++apart;
        assert_true(fabs(brinkDistance(result.pointA, result.pointB) - result.distance) < 1e-9);
        assert_int_equal(
            brinkPairDistanceAtStart(&r.context, r.advance, &input, 1e-9, 0.5 * result.distance, &result, &r.work),
            brink_ok);
        assert_true(result.state == brink_free && result.distance <= (double)truth);
      }
    }
    drop(&r, &p);
  }
  assert_true(apart > 100);
}

/* Closed convex meshes, solid and not, with and without leave to ask them as hulls: the same answers with less work. */
CASE(convex_meshes_answer_as_their_hulls_do) {
  RIG(r);
  uint64_t distances[2] = {0, 0};
  int hits = 0, overlaps = 0, apart = 0;
  for (uint64_t seed = 8200; seed < 8400; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, true, seed % 2 == 0, 3, 3, 0, &p, &input, 1e-6);
    if (seed % 2 != 0) { /* no solids: what lies inside is apart */
      for (int k = 0; k < 2; ++k) {
        brinkDestroyShape(&r.context, p.shapes[k]);
        p.shapes[k] = makeMeshShape(&r.context, &p.pair.meshes[k], testMesh, 0);
      }
      input.a.shape = p.shapes[0];
      input.b.shape = p.shapes[1];
    }
    input.threshold = 0.02;
    brinkPairResult found[2], start[2];
    for (int k = 0; k < 2; ++k) {
      input.hullsServe = k == 1;
      uint64_t before = r.work.distanceQueries;
      found[k] = askPaper(&r, &input);
      brinkStatus status = brinkPairDistanceAtStart(&r.context, r.advance, &input, 1e-9, HUGE_VAL, &start[k], &r.work);
      assert_int_equal(status, brink_ok);
      distances[k] += r.work.distanceQueries - before;
    }
    if (found[0].state != found[1].state || fabs(found[0].toi - found[1].toi) > 1e-3 ||
        fabs(start[0].distance - start[1].distance) > 2e-9 || start[0].state != start[1].state)
      fail_msg("seed %llu: states %d %d, toi %.17g %.17g, at the start %.17g %.17g", (unsigned long long)seed,
               (int)found[0].state, (int)found[1].state, found[0].toi, found[1].toi, start[0].distance,
               start[1].distance);
    if (found[1].state == brink_hit && found[1].toi > 0) {
      ++hits;
      assert_true(found[1].distance > input.threshold && found[1].distance <= input.threshold + 2e-6);
    }
    overlaps += start[1].state == brink_overlap;
    apart += start[1].state == brink_free;
    drop(&r, &p);
  }
  assert_true(hits > 30 && overlaps > 0 && apart > 100);
  assert_true(3 * distances[1] < distances[0]);
}

/* A box flies to the wall of a closed room from within: its hull holds the box all the time. A search that begins where
 * somebody else proved the pair apart must not take that for a contact. */
CASE(what_flies_inside_a_closed_surface_meets_its_wall) {
  RIG(r);
  meshData roomMesh = makeBoxMesh(2, 2, 2);
  brinkShape *room = makeMeshShape(&r.context, &roomMesh, testMesh, 0), *box = makeBox(&r.context, 0.1, 0.1, 0.1);
  clearTree(&r.tree);
  int32_t link = addMoving(&r, brinkV3(0.3, 0.2, 0), unturned, brinkV3(0, 0, 3), brinkV3(0, 0, 0.5));
  brinkAdvanceInput input = makeInput(&r, room, -1, box, link, 1e-6);
  input.threshold = 0.01;
  for (int serves = 0; serves < 2; ++serves) {
    for (double proven = 0; proven < 0.6; proven += 0.125) {
      input.hullsServe = serves == 1;
      input.provenUntil = proven;
      brinkPairResult result = askPaper(&r, &input);
      assertBracket(&result, (1.9 - 0.01 - 1e-6) / 3, (1.9 - 0.01) / 3 + 1e-15);
      assert_true(result.distance > 0.01 && result.distance <= 0.01 + 1e-6 && result.normal.z < -0.99);
    }
  }
  brinkDestroyShape(&r.context, room);
  brinkDestroyShape(&r.context, box);
}

CASE(normal_velocity_is_the_derivative_of_the_separation) {
  RIG(r);
  int checked = 0;
  for (uint64_t seed = 8200; seed < 8280; ++seed) {
    prepared p;
    brinkAdvanceInput input;
    prepare(&r, seed, false, false, 3, 3, 0, &p, &input, 1e-3);
    brinkPairResult result = askPaper(&r, &input);
    if (result.state == brink_hit && result.toi > 1e-3 && result.toi < 1 - 1e-3) {
      finishPair(&p.pair);
      long double h = 1e-8L, at = (long double)result.toi;
      long double slope = (oracleDistance(&p.pair.bodies[0], &p.pair.bodies[1], at + h) -
                           oracleDistance(&p.pair.bodies[0], &p.pair.bodies[1], at - h)) /
                          (2 * h);
      /* kinks (two features equally near) have two slopes: not counted */
      if (fabsl(slope - (long double)result.normalVelocity) < 1e-3L * (1 + fabsl(slope)))
        ++checked;
      else
        printf("seed %llu: slope %Lg, normal velocity %g\n", (unsigned long long)seed, slope, result.normalVelocity);
      assert_true(result.normalVelocity < 1e-6);
    }
    drop(&r, &p);
  }
  assert_true(checked > 10);
}

CASE(bad_questions_are_refused) {
  RIG(r);
  meshData mesh = makeBoxMesh(1, 1, 1);
  brinkShape *box = makeBox(&r.context, 1, 1, 1), *plane = makePlane(&r.context, brinkV3(0, 0, 1), 0);
  brinkShape *soup = makeMeshShape(&r.context, &mesh, testMesh, 0);
  int32_t link = addMoving(&r, brinkV3(0, 0, 5), unturned, brinkV3(0, 0, -1), brinkV3(0, 0, 0));
  brinkAdvanceInput good = makeInput(&r, box, link, soup, -1, 1e-6), bad;
  brinkPairResult result;
  bad = good;
  bad.tolerance = 0;
  assert_int_equal(brinkAdvancePair(&r.context, r.advance, &bad, &result, &r.work), brink_errorBadValue);
  bad = good;
  bad.tEnd = -1;
  assert_int_equal(brinkAdvancePair(&r.context, r.advance, &bad, &result, &r.work), brink_errorBadTime);
  bad = good;
  bad.threshold = -0.1;
  assert_int_equal(brinkAdvancePair(&r.context, r.advance, &bad, &result, &r.work), brink_errorBadValue);
  bad.a.shape = bad.b.shape = plane; /* nor has a soup, but planes have depth */
  assert_int_equal(brinkAdvancePair(&r.context, r.advance, &bad, &result, &r.work), brink_ok);
  bad = good;
  bad.threshold = -0.1;
  assert_int_equal(brinkAdvancePair(&r.context, r.advance, &bad, &result, &r.work), brink_errorBadValue);
  assert_true(strlen(r.context.message) > 10);
  brinkDestroyShape(&r.context, box);
  brinkDestroyShape(&r.context, plane);
  brinkDestroyShape(&r.context, soup);
}

int main(void) { return cases_Run(NULL, NULL); }
