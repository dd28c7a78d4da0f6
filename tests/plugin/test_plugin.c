/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the C ABI do what brink/ccd.h says? Trees of motion from joints and parents, handles, filters, questions with
 * known answers, the float environment, memory after warm-up, the exported symbols. Closed forms; nothing of
 * algorithms is used. */
#define _GNU_SOURCE
#include "cases.h"
#include "plugin_support.h"

#include <fenv.h>

/* ---- entry */

CASE(entry_speaks_one_major_only) {
  const char *reason = NULL;
  assert_non_null(brinkEntry(BRINK_ABI_MAJOR, &reason));
  assert_null(brinkEntry(BRINK_ABI_MAJOR + 1u, &reason));
  assert_non_null(strstr(reason, "newer"));
  assert_null(brinkEntry(0, &reason));
  assert_non_null(strstr(reason, "older"));
  assert_null(brinkEntry(77u, NULL));
  assert_int_equal(api()->abiMajor, BRINK_ABI_MAJOR);
  assert_string_equal(api()->version, "0.1.0");
  assert_null(api()->getExtension("brink.unheard-of/1"));
  assert_null(api()->getExtension(NULL));
}

CASE(every_status_has_its_own_text) {
  for (int i = 0; i <= brink_errorInternal; ++i) {
    assert_true(strlen(api()->statusText((brinkStatus)i)) > 0);
    for (int j = 0; j < i; ++j)
      assert_string_not_equal(api()->statusText((brinkStatus)i), api()->statusText((brinkStatus)j));
  }
  assert_string_equal(api()->statusText((brinkStatus)12345), "unknown status");
}

CASE(only_brink_entry_and_cooking_are_exported) {
  FILE *pipe = popen("nm -D --defined-only '" BRINK_BINARY_DIR "/lib/libbrink.so' 2>/dev/null", "r");
  assert_non_null(pipe);
  char line[512];
  int symbols = 0, entries = 0, cooking = 0;
  while (fgets(line, sizeof line, pipe) != NULL) {
    if (strstr(line, " A ") != NULL) continue; /* the version node itself */
    ++symbols;
    entries += strstr(line, "brinkEntry") != NULL;
    cooking += strstr(line, "brinkCook") != NULL || strstr(line, "Blob") != NULL;
  }
  if (pclose(pipe) != 0 || symbols == 0) {
    print_message("skipped: nm cannot read libbrink.so here\n");
    return;
  }
  assert_int_equal(symbols, 6);
  assert_int_equal(entries, 1);
  assert_int_equal(cooking, 5); /* brink/cook.h */
}

/* ---- motion of trees */

#define LINKS 6

/* Poses of a chain of LINKS bodies, joined end to end at (+-0.5,0,0), from the turns of its links. */
static void chainPoses(const brinkVec3 turns[LINKS], brinkVec3 start, brinkPose poses[LINKS]) {
  for (int i = 0; i < LINKS; ++i) {
    poses[i].rotation = rotation(turns[i]);
    brinkVec3 joint = i == 0 ? start : carry(poses[i - 1], vec(0.5, 0, 0));
    poses[i].position = minus(joint, turn(poses[i].rotation, vec(-0.5, 0, 0)));
  }
}

static double worstJointError(brinkWorld *world, const brinkBodyId bodies[LINKS], double t) {
  double worst = 0.0;
  for (int i = 1; i < LINKS; ++i) {
    brinkVec3 a = carry(poseOf(world, bodies[i - 1], t), vec(0.5, 0, 0));
    brinkVec3 b = carry(poseOf(world, bodies[i], t), vec(-0.5, 0, 0));
    worst = fmax(worst, norm(minus(a, b)));
  }
  return worst;
}

CASE(joints_hold_at_every_time) {
  Random random = {20240607};
  for (int round = 0; round < 50; ++round) {
    brinkWorld *world = newWorld(NULL);
    brinkVec3 turns0[LINKS], turns1[LINKS];
    brinkPose poses0[LINKS], poses1[LINKS];
    for (int i = 0; i < LINKS; ++i) {
      turns0[i] = randomVector(&random, 2.0);
      turns1[i] = randomVector(&random, 2.0);
    }
    chainPoses(turns0, randomVector(&random, 10.0), poses0);
    chainPoses(turns1, randomVector(&random, 10.0), poses1);
    brinkBodyId bodies[LINKS];
    for (int i = 0; i < LINKS; ++i) {
      bodies[i] = newBody(world, 0, at(0, 0, 0));
      moveBody(world, bodies[i], poses0[i], poses1[i]);
    }
    /* Joints in an order of their own: the forest does not depend on it. */
    for (int k = 1; k < LINKS; ++k) {
      int i = 1 + (k * 2 + round) % (LINKS - 1);
      newJoint(world, bodies[i - 1], bodies[i], vec(0.5, 0, 0), vec(-0.5, 0, 0));
    }
    double worst = 0.0;
    for (int step = 0; step <= 16; ++step) worst = fmax(worst, worstJointError(world, bodies, step / 16.0));
    if (worst > 1e-13 * 20.0) fail_msg("round %d: joints open by %g m", round, worst);
    for (int i = 0; i < LINKS; ++i) {
      ASSERT_NEAR(poseError(poseOf(world, bodies[i], 0.0), poses0[i]), 0.0, 1e-13);
      ASSERT_NEAR(poseError(poseOf(world, bodies[i], 1.0), poses1[i]), 0.0, 1e-12);
    }
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

CASE(free_bodies_move_on_straight_lines) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  brinkPose start = {{1, 2, 3}, rotation(vec(0.1, 0.2, 0.3))}, end = {{-4, 5, 7}, {1, 0, 0, 0}};
  end.rotation = product(rotation(vec(0, 0, 1.5)), start.rotation);
  moveBody(world, body, start, end);
  for (int i = 0; i <= 10; ++i) {
    double t = i / 10.0;
    brinkPose expected = {plus(times(1 - t, start.position), times(t, end.position)),
                          product(rotation(vec(0, 0, 1.5 * t)), start.rotation)};
    ASSERT_NEAR(poseError(poseOf(world, body, t), expected), 0.0, 1e-13);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(spin_decides_the_whole_turns) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  double spin = 20.0; /* three turns and a bit */
  brinkBodyMotion motion = posesMotion(at(0, 0, 0), (brinkPose){{0, 0, 0}, rotation(vec(0, spin, 0))});
  motion.flags = BRINK_MOTION_HAS_SPIN;
  motion.spin = vec(0, spin + 1.0, 0);
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
  ASSERT_NEAR(poseError(poseOf(world, body, 0.3), (brinkPose){{0, 0, 0}, rotation(vec(0, 0.3 * spin, 0))}), 0.0, 1e-12);
  motion.flags = 0;
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
  double shortWay = spin - 6.0 * PI;
  ASSERT_NEAR(poseError(poseOf(world, body, 0.3), (brinkPose){{0, 0, 0}, rotation(vec(0, 0.3 * shortWay, 0))}), 0.0,
              1e-12);
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* A wheel on a hinge of a body that spins itself: the hint is taken relative to the parent. */
CASE(spin_of_a_child_is_taken_relative_to_its_parent) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId parent = newBody(world, 0, at(0, 0, 0)), child = newBody(world, 0, at(1, 0, 0));
  newJoint(world, parent, child, vec(1, 0, 0), vec(0, 0, 0));
  double w = 9.0, u = 30.0; /* of parent and child, about z */
  brinkBodyMotion motion = posesMotion(at(0, 0, 0), (brinkPose){{0, 0, 0}, rotation(vec(0, 0, w))});
  motion.flags = BRINK_MOTION_HAS_SPIN;
  motion.spin = vec(0, 0, w);
  ASSERT_OK(world, api()->setBodyMotion(world, parent, &motion));
  motion = posesMotion(at(1, 0, 0), (brinkPose){turn(rotation(vec(0, 0, w)), vec(1, 0, 0)), rotation(vec(0, 0, u))});
  motion.flags = BRINK_MOTION_HAS_SPIN;
  motion.spin = vec(0, 0, u);
  ASSERT_OK(world, api()->setBodyMotion(world, child, &motion));
  for (int i = 0; i <= 8; ++i) {
    double t = i / 8.0;
    brinkPose expected = {turn(rotation(vec(0, 0, w * t)), vec(1, 0, 0)), rotation(vec(0, 0, u * t))};
    ASSERT_NEAR(poseError(poseOf(world, child, t), expected), 0.0, 1e-11);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

static brinkPose motionAt(brinkPose start, brinkVec3 v, brinkVec3 w, double t) {
  return (brinkPose){plus(start.position, times(t, v)), product(rotation(times(t, w)), start.rotation)};
}

CASE(velocities_multiply_down_the_explicit_tree) {
  Random random = {77};
  brinkWorld *world = newWorld(NULL);
  brinkBodyId bodies[5];
  brinkPose starts[5];
  brinkVec3 v[5], w[5];
  for (int i = 0; i < 5; ++i) {
    starts[i] = (brinkPose){randomVector(&random, 1.0), rotation(randomVector(&random, 2.0))};
    v[i] = randomVector(&random, 1.0);
    w[i] = randomVector(&random, 8.0);
    bodies[i] = newBody(world, i == 0 ? 0 : bodies[i - 1], starts[i]);
  }
  for (int i = 4; i >= 0; --i) {
    brinkBodyMotion motion = velocitiesMotion(starts[i], v[i], w[i]);
    ASSERT_OK(world, api()->setBodyMotion(world, bodies[i], &motion));
  }
  for (int step = 0; step <= 7; ++step) {
    double t = step / 7.0;
    brinkPose expected = at(0, 0, 0);
    for (int i = 0; i < 5; ++i) {
      expected = chain(expected, motionAt(starts[i], v[i], w[i], t));
      ASSERT_NEAR(poseError(poseOf(world, bodies[i], t), expected), 0.0, 1e-13 * 10);
    }
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(bodies_at_rest_stay_in_their_parents_frame) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId root = newBody(world, 0, at(0, 0, 0)), still = newBody(world, root, at(2, 0, 0));
  moveBody(world, root, at(0, 0, 0), (brinkPose){{1, 0, 0}, rotation(vec(0, 0, 1))});
  brinkPose expected = chain((brinkPose){{0.5, 0, 0}, rotation(vec(0, 0, 0.5))}, at(2, 0, 0));
  ASSERT_NEAR(poseError(poseOf(world, still, 0.5), expected), 0.0, 1e-14);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(a_body_at_rest_never_hangs_on_a_joint) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId mover = newBody(world, 0, at(0, 0, 0)), still = newBody(world, 0, at(1, 0, 0));
  newJoint(world, mover, still, vec(0.5, 0, 0), vec(-0.5, 0, 0));
  brinkPose end = {{0, 0, 0}, {1, 0, 0, 0}}; /* turns about the joint, which stays */
  end.rotation = rotation(vec(0, 0, 1));
  end.position = minus(vec(0.5, 0, 0), turn(end.rotation, vec(0.5, 0, 0)));
  moveBody(world, mover, at(0, 0, 0), end);
  for (int i = 0; i <= 8; ++i) {
    ASSERT_NEAR(poseError(poseOf(world, still, i / 8.0), at(1, 0, 0)), 0.0, 0.0);
    ASSERT_NEAR(norm(minus(carry(poseOf(world, mover, i / 8.0), vec(0.5, 0, 0)), vec(0.5, 0, 0))), 0.0, 1e-15);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(a_chain_of_ten_thousand_bodies_does_not_recurse) {
  enum { COUNT = 10000 };
  brinkWorld *world = newWorld(NULL);
  brinkShapeId shape = newShape(world, brink_sphere, vec(0.1, 0, 0));
  brinkBodyId *bodies = calloc(COUNT, sizeof *bodies);
  assert_non_null(bodies);
  for (int i = 0; i < COUNT; ++i) {
    bodies[i] = newBody(world, 0, at(i, 0, 0));
    newCollider(world, bodies[i], shape, at(0, 0, 0));
    moveBody(world, bodies[i], at(i, 0, 0), at(i, 0, 1));
    if (i > 0) newJoint(world, bodies[i - 1], bodies[i], vec(0.5, 0, 0), vec(-0.5, 0, 0));
  }
  ASSERT_NEAR(poseError(poseOf(world, bodies[COUNT - 1], 0.25), at(COUNT - 1, 0, 0.25)), 0.0, 1e-9);
  for (int i = 0; i < COUNT; ++i) ASSERT_OK(world, api()->destroyBody(world, bodies[i]));
  free(bodies);
  ASSERT_OK(world, api()->destroyWorld(world));
}

static uint64_t logged;
static void countLog(void *user, int level, const char *message) {
  (void)user;
  (void)level;
  assert_non_null(message);
  ++logged;
}

CASE(a_joint_that_closes_a_loop_is_cut_and_counted) {
  logged = 0;
  const brinkHost host = {.structSize = sizeof host, .abiMajor = BRINK_ABI_MAJOR, .log = countLog};
  brinkWorld *world = newWorld(&host);
  brinkBodyId bodies[4];
  for (int i = 0; i < 4; ++i) {
    bodies[i] = newBody(world, 0, at(0, 0, 0));
    moveBody(world, bodies[i], at(i, 0, 0), at(i, 1, 0));
  }
  for (int i = 0; i < 4; ++i) newJoint(world, bodies[i], bodies[(i + 1) % 4], vec(0, 0, 0), vec(0, 0, 0));
  newJoint(world, bodies[0], 0, vec(0, 0, 0), vec(0, 0, 0)); /* to the world: no chain, no loop */
  brinkQuery query = wholeStep();
  assert_int_equal(ask(world, &query).counters.cutJoints, 1);
  assert_int_equal(logged, 1);
  moveBody(world, bodies[0], at(0, 0, 0), at(0, 1, 0));
  assert_int_equal(ask(world, &query).counters.cutJoints, 1);
  assert_int_equal(logged, 1); /* once */
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(children_of_a_destroyed_body_stay_where_they_are) {
  brinkWorld *world = newWorld(NULL);
  brinkPose a = {{1, 2, 3}, rotation(vec(0, 0, 1))}, b = {{4, 0, 0}, rotation(vec(0.5, 0, 0))},
            c = {{0, 1, 0}, rotation(vec(0, 1, 0))};
  brinkBodyId root = newBody(world, 0, a), middle = newBody(world, root, b), leaf = newBody(world, middle, c);
  brinkPose middlePose = poseOf(world, middle, 0.0), leafPose = poseOf(world, leaf, 0.0);
  ASSERT_OK(world, api()->destroyBody(world, root));
  ASSERT_NEAR(poseError(poseOf(world, middle, 0.0), middlePose), 0.0, 1e-14);
  ASSERT_NEAR(poseError(poseOf(world, leaf, 0.0), leafPose), 0.0, 1e-14);
  ASSERT_NEAR(poseError(leafPose, chain(chain(a, b), c)), 0.0, 1e-14);
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* ---- questions with known answers */

/* Two unit spheres 6 m apart that run into each other at 8 m per step in all: toi 0.5. */
typedef struct Duel {
  brinkWorld *world;
  brinkShapeId sphere;
  brinkBodyId left, right;
  brinkColliderId leftCollider, rightCollider;
} Duel;

static Duel makeDuel(const brinkHost *host) {
  Duel duel;
  duel.world = newWorld(host);
  duel.sphere = newShape(duel.world, brink_sphere, vec(1, 0, 0));
  duel.left = newBody(duel.world, 0, at(0, 0, 0));
  duel.right = newBody(duel.world, 0, at(0, 0, 0));
  duel.leftCollider = newCollider(duel.world, duel.left, duel.sphere, at(0, 0, 0));
  duel.rightCollider = newCollider(duel.world, duel.right, duel.sphere, at(0, 0, 0));
  moveBody(duel.world, duel.left, at(-3, 0, 0), at(2, 0, 0));
  moveBody(duel.world, duel.right, at(3, 0, 0), at(0, 0, 0));
  return duel;
}

CASE(spheres_meet_at_half_time) {
  for (uint32_t scheme = brink_schemeDefault; scheme <= brink_schemeSweptAxis; ++scheme) {
    Duel duel = makeDuel(NULL);
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    brinkReport report = ask(duel.world, &query);
    assert_int_equal(report.state, brink_hit);
    assert_int_equal(report.contactCount, 1);
    const brinkContact *contact = &report.contacts[0];
    if (contact->toi > 0.5) fail_msg("toi %.17g is later than the contact at 0.5", contact->toi);
    ASSERT_NEAR(contact->toi, 0.5, 1e-6);
    if (contact->toiUpper < contact->toi) fail_msg("bracket [%g, %g]", contact->toi, contact->toiUpper);
    ASSERT_NEAR(report.toi, contact->toi, 0.0);
    assert_true(contact->colliderA == duel.leftCollider && contact->colliderB == duel.rightCollider);
    ASSERT_NEAR(norm(minus(contact->normal, vec(1, 0, 0))), 0.0, 1e-9);
    ASSERT_NEAR(norm(minus(contact->pointA, vec(0.5, 0, 0))), 0.0, 1e-5);
    ASSERT_NEAR(contact->normalVelocity, -8.0, 1e-6);
    assert_int_equal(report.counters.pairsBefore, 1);
    assert_int_equal(report.counters.structSize, sizeof report.counters);
    ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
  }
}

CASE(a_miss_is_free) {
  Duel duel = makeDuel(NULL);
  moveBody(duel.world, duel.left, at(-3, 1.5, 1.5), at(5, 1.5, 1.5)); /* boxes meet, spheres pass */
  moveBody(duel.world, duel.right, at(3, 0, 0), at(-5, 0, 0));
  brinkQuery query = wholeStep();
  brinkReport report = ask(duel.world, &query);
  assert_int_equal(report.state, brink_free);
  assert_true(report.toi == BRINK_NO_TIME);
  assert_int_equal(report.contactCount, 0);
  query.mode = brink_modePairs;
  report = ask(duel.world, &query);
  assert_int_equal(report.contactCount, 1);
  assert_int_equal(report.contacts[0].state, brink_free);
  assert_true(report.contacts[0].distance <= sqrt(4.5) - 2.0 + 1e-12);
  ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
}

CASE(overlap_at_the_start_is_said) {
  Duel duel = makeDuel(NULL);
  moveBody(duel.world, duel.right, at(-2, 0, 0), at(10, 0, 0));
  brinkQuery query = wholeStep();
  brinkReport report = ask(duel.world, &query);
  assert_int_equal(report.state, brink_overlap);
  ASSERT_NEAR(report.toi, 0.0, 0.0);
  ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
}

CASE(only_the_asked_part_of_the_step_counts) {
  Duel duel = makeDuel(NULL);
  brinkQuery query = wholeStep();
  query.tEnd = 0.49;
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  query.tStart = query.tEnd = 0.25; /* a static question */
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  query.tStart = query.tEnd = 0.75;
  assert_int_equal(ask(duel.world, &query).state, brink_overlap);
  query.tStart = 0.25;
  query.tEnd = 1.0;
  ASSERT_NEAR(ask(duel.world, &query).toi, 0.5, 1e-6);
  ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
}

CASE(static_colliders_are_met) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeDef plane = shapeDef(brink_plane, vec(0, 0, 0));
  plane.normal = vec(0, 0, 2);
  plane.offset = 2; /* z <= 1 */
  brinkShapeId floor;
  ASSERT_OK(world, api()->createShape(world, &plane, &floor));
  brinkColliderId ground = newCollider(world, 0, floor, at(0, 0, 0));
  brinkShapeId box = newShape(world, brink_box, vec(0.5, 0.5, 0.5));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  brinkColliderId collider = newCollider(world, body, box, at(0, 0, 0));
  moveBody(world, body, at(0, 0, 5.5), at(0, 0, -2.5));
  brinkQuery query = wholeStep();
  brinkReport report = ask(world, &query);
  assert_int_equal(report.state, brink_hit);
  ASSERT_NEAR(report.toi, 0.5, 1e-6);
  assert_true(report.toi <= 0.5);
  assert_true(report.contacts[0].colliderA == ground && report.contacts[0].colliderB == collider);
  ASSERT_NEAR(norm(minus(report.contacts[0].normal, vec(0, 0, 1))), 0.0, 1e-9);
  /* The ground moves away: the fall ends above it. */
  brinkPose lower = at(0, 0, -5);
  ASSERT_OK(world, api()->setColliderPose(world, ground, &lower));
  assert_int_equal(ask(world, &query).state, brink_free);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(colliders_of_jointed_bodies_are_where_the_body_is) {
  /* The child's link frame lies at its anchor, its collider must not move with that. */
  brinkWorld *world = newWorld(NULL);
  brinkShapeId small = newShape(world, brink_sphere, vec(0.1, 0, 0));
  brinkBodyId parent = newBody(world, 0, at(0, 0, 0)), child = newBody(world, 0, at(0, 0, 0));
  newJoint(world, parent, child, vec(1, 0, 0), vec(-1, 0, 0));
  brinkColliderId collider = newCollider(world, child, small, at(0.5, 0, 0));
  brinkColliderId probe = newCollider(world, 0, small, at(10, 0, 0));
  moveBody(world, parent, at(0, 0, 0), at(0, 0, 0));
  brinkPose end = {{1, 1, 0}, rotation(vec(0, 0, PI / 2))};
  moveBody(world, child, at(2, 0, 0), end);
  brinkVec3 expected[2] = {vec(2.5, 0, 0), carry(end, vec(0.5, 0, 0))};
  for (int i = 0; i < 2; ++i) {
    brinkContact contact;
    ASSERT_OK(world, api()->distance(world, collider, probe, i, &contact));
    ASSERT_NEAR(contact.distance, norm(minus(vec(10, 0, 0), expected[i])) - 0.2, 1e-8);
    brinkAabb box;
    ASSERT_OK(world, api()->sweptBounds(world, collider, i, i, &box));
    ASSERT_NEAR(0.5 * (box.lower.x + box.upper.x), expected[i].x, 1e-9);
    ASSERT_NEAR(0.5 * (box.lower.y + box.upper.y), expected[i].y, 1e-9);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(distances_of_spheres_are_exact) {
  Duel duel = makeDuel(NULL);
  brinkContact contact;
  ASSERT_OK(duel.world, api()->distance(duel.world, duel.leftCollider, duel.rightCollider, 0.25, &contact));
  assert_int_equal(contact.state, brink_free);
  ASSERT_NEAR(contact.distance, 2.0, 1e-9);
  ASSERT_NEAR(contact.pointA.x, -0.75, 1e-8);
  ASSERT_NEAR(contact.pointB.x, 1.25, 1e-8);
  ASSERT_OK(duel.world, api()->distance(duel.world, duel.rightCollider, duel.leftCollider, 0.25, &contact));
  ASSERT_NEAR(contact.normal.x, -1.0, 1e-9); /* from the first to the second, as asked */
  ASSERT_OK(duel.world, api()->distance(duel.world, duel.leftCollider, duel.rightCollider, 0.75, &contact));
  assert_int_equal(contact.state, brink_overlap);
  ASSERT_NEAR(contact.distance, -2.0, 1e-6);
  ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
}

CASE(contact_points_lie_between_the_surfaces) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeId box = newShape(world, brink_box, vec(1, 1, 1));
  brinkPose low = at(0, 0, 0), high = at(0.5, 0, 1.99);
  brinkContactPoint points[8];
  size_t count = 0;
  ASSERT_OK(world, api()->collideShapes(world, box, &low, box, &high, 0.1, points, 8, &count));
  assert_true(count >= 4);
  for (size_t i = 0; i < count; ++i) {
    ASSERT_NEAR(points[i].separation, -0.01, 1e-9);
    ASSERT_NEAR(norm(minus(points[i].normal, vec(0, 0, 1))), 0.0, 1e-9);
    ASSERT_NEAR(points[i].position.z, 0.995, 1e-9);
  }
  /* Fewer places than points: a prefix, and the same bodies through colliders. */
  ASSERT_OK(world, api()->collideShapes(world, box, &low, box, &high, 0.1, points, 1, &count));
  assert_int_equal(count, 1);
  brinkBodyId body = newBody(world, 0, high);
  brinkColliderId a = newCollider(world, 0, box, low), b = newCollider(world, body, box, at(0, 0, 0));
  ASSERT_OK(world, api()->collide(world, a, b, 0.5, 0.1, points, 8, &count));
  assert_true(count >= 4);
  high = at(0, 0, 5);
  ASSERT_OK(world, api()->collideShapes(world, box, &low, box, &high, 0.1, points, 8, &count));
  assert_int_equal(count, 0);
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* Meshes that bound convex bodies are asked as their hulls while they lie apart: distances, features and contact points
 * are those of the triangles, vertices keep their mesh's numbers. */
CASE(convex_meshes_that_lie_apart_answer_like_their_triangles) {
  static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  brinkWorld *world = newWorld(NULL);
  double corners[24];
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) corners[3 * i + k] = i >> k & 1 ? 0.5 : -0.5;
  const brinkShapeDef def = surfaceDef(brink_mesh, corners, 8, faces, 12);
  const brinkShapeId cube = shapeFrom(world, &def);
  /* Corner 7 of the lower one below corner 0 of the upper one, which is turned so that it points down. */
  const double lean = atan(sqrt(2));
  const brinkPose low = at(0, 0, 0),
                  point = {{0.5, 0.5, 0.5 + 0.05 + sqrt(3) / 2}, rotation(vec(-lean / sqrt(2), lean / sqrt(2), 0))};
  const brinkColliderId a = newCollider(world, 0, cube, low), b = newCollider(world, 0, cube, point);
  brinkContact contact;
  ASSERT_OK(world, api()->distance(world, a, b, 0, &contact));
  ASSERT_NEAR(contact.distance, 0.05, 1e-9);
  assert_int_equal(contact.featureA.vertex[0], 7);
  assert_int_equal(contact.featureB.kind, 1);
  const uint32_t lowest = contact.featureB.vertex[0];
  const brinkVec3 corner = vec(corners[3 * lowest], corners[3 * lowest + 1], corners[3 * lowest + 2]);
  ASSERT_NEAR(norm(minus(carry(point, corner), contact.pointB)), 0.0, 1e-8);
  /* Face on face: the corners of the overlap, the same asked again, and others after another question. */
  brinkContactPoint points[3][16];
  size_t count[3] = {0};
  const brinkPose high = at(0.25, 0.125, 1.01), farther = at(0.25, 0.125, 1.02);
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(world,
              api()->collideShapes(world, cube, &low, cube, i < 2 ? &high : &farther, 0.1, points[i], 16, &count[i]));
  assert_int_equal(count[0], 4);
  assert_int_equal(count[1], 4);
  assert_memory_equal(points[0], points[1], count[0] * sizeof points[0][0]);
  double least[2] = {1, 1}, most[2] = {-1, -1};
  for (int i = 0; i < 3; i += 2) {
    for (size_t k = 0; k < count[i]; ++k) {
      ASSERT_NEAR(points[i][k].separation, i ? 0.02 : 0.01, 1e-9);
      ASSERT_NEAR(points[i][k].normal.z, 1, 1e-9);
      least[0] = fmin(least[0], points[i][k].position.x);
      least[1] = fmin(least[1], points[i][k].position.y);
      most[0] = fmax(most[0], points[i][k].position.x);
      most[1] = fmax(most[1], points[i][k].position.y);
    }
    ASSERT_NEAR(least[0], -0.25, 1e-9);
    ASSERT_NEAR(least[1], -0.375, 1e-9);
    ASSERT_NEAR(most[0], 0.5, 1e-9);
    ASSERT_NEAR(most[1], 0.5, 1e-9);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(swept_bounds_contain_the_sweep) {
  Random random = {4711};
  for (uint32_t order = 0; order <= BRINK_MAX_ORDER; ++order) {
    brinkWorld *world = NULL;
    const brinkWorldDef def = {sizeof def, BRINK_WORLD_ORDER_STATED, order, 0};
    assert_int_equal(api()->createWorld(NULL, &def, &world), brink_ok);
    brinkShapeId box = newShape(world, brink_box, vec(0.2, 0.3, 0.4));
    brinkBodyId parent = 0;
    for (int link = 0; link < 4; ++link) {
      brinkPose start = {randomVector(&random, 1.0), rotation(randomVector(&random, 2.0))};
      parent = newBody(world, parent, start);
      brinkBodyMotion motion = velocitiesMotion(start, randomVector(&random, 1.0), randomVector(&random, 2.0));
      ASSERT_OK(world, api()->setBodyMotion(world, parent, &motion));
      brinkPose local = {randomVector(&random, 0.5), rotation(randomVector(&random, 2.0))};
      brinkColliderId collider = newCollider(world, parent, box, local);
      brinkAabb bounds;
      ASSERT_OK(world, api()->sweptBounds(world, collider, 0.25, 0.75, &bounds));
      for (int i = 0; i <= 40; ++i) {
        brinkPose pose = chain(poseOf(world, parent, 0.25 + i / 80.0), local);
        for (int corner = 0; corner < 8; ++corner) {
          brinkVec3 p = carry(pose, vec(corner & 1 ? 0.2 : -0.2, corner & 2 ? 0.3 : -0.3, corner & 4 ? 0.4 : -0.4));
          if (p.x < bounds.lower.x - 1e-13 || p.x > bounds.upper.x + 1e-13 || p.y < bounds.lower.y - 1e-13 ||
              p.y > bounds.upper.y + 1e-13 || p.z < bounds.lower.z - 1e-13 || p.z > bounds.upper.z + 1e-13)
            fail_msg("order %u, link %d: a corner leaves the swept box", order, link);
        }
      }
    }
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

/* How wide the box of a body is that flies and turns, in a world of this def. */
static double boxOf(const brinkWorldDef *def) {
  brinkWorld *world = NULL;
  assert_int_equal(api()->createWorld(NULL, def, &world), brink_ok);
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(1, 2, 3), vec(0.5, 1, 1.5));
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
  brinkAabb box;
  brinkColliderId collider = newCollider(world, body, newShape(world, brink_box, vec(0.2, 0.3, 0.4)), at(1, 0, 0));
  ASSERT_OK(world, api()->sweptBounds(world, collider, 0, 1, &box));
  api()->destroyWorld(world);
  return (box.upper.x - box.lower.x) + (box.upper.y - box.lower.y) + (box.upper.z - box.lower.z);
}

CASE(a_world_def_without_an_order_has_the_default) {
  const brinkWorldDef zeroed = {.structSize = sizeof zeroed}, third = {.structSize = sizeof third, .taylorOrder = 3};
  const brinkWorldDef intervals = {.structSize = sizeof intervals, .flags = BRINK_WORLD_ORDER_STATED};
  assert_true(boxOf(&zeroed) == boxOf(NULL) && boxOf(&third) == boxOf(NULL));
  assert_true(boxOf(&intervals) > 1.05 * boxOf(NULL));
}

CASE(allowance_is_a_twentieth_of_the_smallest_extent) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeId box = newShape(world, brink_box, vec(1, 0.1, 2));
  brinkColliderDef def = colliderDef(0, box, at(0, 0, 0));
  brinkColliderId byDefault = newCollider(world, 0, box, at(0, 0, 0)), own;
  def.allowance = 0.5;
  ASSERT_OK(world, api()->createCollider(world, &def, &own));
  double value;
  ASSERT_OK(world, api()->colliderAllowance(world, byDefault, &value));
  ASSERT_NEAR(value, 0.01, 1e-9);
  ASSERT_OK(world, api()->colliderAllowance(world, own, &value));
  ASSERT_NEAR(value, 0.5, 0.0);
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* ---- which pairs */

static int calls;
static int refuseAll(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)userDataA;
  (void)userDataB;
  ++calls;
  assert_true(a < b);
  return *(int *)user;
}

CASE(filters_leave_pairs_out) {
  Duel duel = makeDuel(NULL);
  const brinkPlugin *plugin = api();
  brinkQuery query = wholeStep();
  ASSERT_OK(duel.world, plugin->setColliderFilter(duel.world, duel.leftCollider, 2, 4));
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  ASSERT_OK(duel.world, plugin->setColliderFilter(duel.world, duel.rightCollider, 8, 2)); /* one side wants it */
  assert_int_equal(ask(duel.world, &query).state, brink_hit);
  ASSERT_OK(duel.world, plugin->ignorePair(duel.world, duel.rightCollider, duel.leftCollider, 1));
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  ASSERT_OK(duel.world, plugin->ignorePair(duel.world, duel.leftCollider, duel.rightCollider, 0));
  assert_int_equal(ask(duel.world, &query).state, brink_hit);
  int keep = 0;
  calls = 0;
  ASSERT_OK(duel.world, plugin->setPairFilter(duel.world, refuseAll, &keep));
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  assert_true(calls > 0);
  keep = 1;
  assert_int_equal(ask(duel.world, &query).state, brink_hit);
  ASSERT_OK(duel.world, plugin->setPairFilter(duel.world, NULL, NULL));
  query.onlyBody = newBody(duel.world, 0, at(0, 0, 0));
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  query.onlyBody = duel.right;
  assert_int_equal(ask(duel.world, &query).state, brink_hit);
  ASSERT_OK(duel.world, plugin->destroyWorld(duel.world));
}

typedef struct Asked {
  brinkColliderId last[2];
  int count;
} Asked;

static int keepInOrder(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  Asked *asked = user;
  (void)userDataA;
  (void)userDataB;
  assert_true(a > asked->last[0] || (a == asked->last[0] && b > asked->last[1]));
  asked->last[0] = a;
  asked->last[1] = b;
  ++asked->count;
  return 1;
}

/* Wherever bodies are: what a filter knows of them lies side by side then. */
CASE(filters_are_asked_in_the_order_of_the_colliders) {
  enum { bodies = 400 };
  Random random = {9};
  brinkWorld *world = newWorld(NULL);
  brinkShapeId ball = newShape(world, brink_sphere, vec(0.5, 0, 0));
  for (int i = 0; i < bodies; ++i) {
    const brinkVec3 from = randomVector(&random, 3), to = plus(from, randomVector(&random, 0.2));
    const brinkBodyId body = newBody(world, 0, at(from.x, from.y, from.z));
    brinkColliderDef def = colliderDef(body, ball, at(0, 0, 0));
    brinkColliderId collider;
    ASSERT_OK(world, api()->createCollider(world, &def, &collider));
    moveBody(world, body, at(from.x, from.y, from.z), at(to.x, to.y, to.z));
  }
  Asked asked = {.count = 0};
  ASSERT_OK(world, api()->setPairFilter(world, keepInOrder, &asked));
  brinkQuery query = wholeStep();
  query.mode = brink_modePairs;
  (void)ask(world, &query);
  assert_true(asked.count > bodies);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(a_collider_made_without_bits_meets_all) {
  enum { STATED = BRINK_COLLIDER_BITS_STATED };
  static const struct {
    uint64_t category, collide;
    uint32_t flags, met; /* met by all bits? */
  } with[6] = {{0, 0, 0, 1}, {4, 8, 0, 1}, {0, 2, 0, 1}, {0, 0, STATED, 0}, {0, 2, STATED, 1}, {4, 0, STATED, 1}};
  for (int zero = 0; zero < 2; ++zero) { /* the ball is made without bits, or says that it has none */
    for (int i = 0; i < 6; ++i) {
      brinkWorld *world = newWorld(NULL);
      brinkShapeId ball = newShape(world, brink_sphere, vec(0.1, 0, 0));
      brinkBodyId body = newBody(world, 0, at(0, 0, 0));
      moveBody(world, body, at(-1, 0, 0), at(1, 0, 0));
      brinkColliderDef def = colliderDef(body, ball, at(0, 0, 0));
      brinkColliderId a = 0, b = 0;
      def.categoryBits = def.collideBits = 0;
      def.flags = zero ? STATED : 0u;
      ASSERT_OK(world, api()->createCollider(world, &def, &a));
      def = colliderDef(0, ball, at(0, 0, 0));
      def.categoryBits = with[i].category, def.collideBits = with[i].collide, def.flags = with[i].flags;
      ASSERT_OK(world, api()->createCollider(world, &def, &b));
      const brinkQuery query = wholeStep();
      assert_int_equal(ask(world, &query).state, with[i].met && !zero ? brink_hit : brink_free);
      ASSERT_OK(world, api()->setColliderFilter(world, a, 0, 0)); /* stated */
      assert_int_equal(ask(world, &query).state, brink_free);
      api()->destroyWorld(world);
    }
  }
}

CASE(a_query_without_an_end_asks_about_its_start) {
  Duel duel = makeDuel(NULL);
  brinkQuery query = wholeStep();
  assert_int_equal(ask(duel.world, &query).state, brink_hit);
  query.tEnd = 0;
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  moveBody(duel.world, duel.left, poseOf(duel.world, duel.right, 0), at(0, 0, 0));
  assert_int_equal(ask(duel.world, &query).state, brink_overlap);
  ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
}

CASE(ignoring_before_the_first_question_works) {
  Duel duel = makeDuel(NULL);
  brinkQuery query = wholeStep();
  ASSERT_OK(duel.world, api()->ignorePair(duel.world, duel.leftCollider, duel.rightCollider, 1));
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  ASSERT_OK(duel.world, api()->destroyCollider(duel.world, duel.rightCollider));
  duel.rightCollider = newCollider(duel.world, duel.right, duel.sphere, at(0, 0, 0)); /* a new one is not ignored */
  assert_int_equal(ask(duel.world, &query).state, brink_hit);
  ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
}

CASE(joined_bodies_do_not_collide_unless_asked_to) {
  Duel duel = makeDuel(NULL);
  brinkQuery query = wholeStep();
  brinkJointId joint = newJoint(duel.world, duel.left, duel.right, vec(0, 0, 0), vec(0, 0, 0));
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  ASSERT_OK(duel.world, api()->destroyJoint(duel.world, joint));
  assert_int_equal(ask(duel.world, &query).state, brink_hit);
  brinkJointDef def = jointDef(duel.left, duel.right, vec(0, 0, 0), vec(0, 0, 0));
  def.flags = BRINK_JOINT_COLLIDE_CONNECTED;
  ASSERT_OK(duel.world, api()->createJoint(duel.world, &def, &joint));
  assert_int_equal(ask(duel.world, &query).state, brink_hit);
  newJoint(duel.world, duel.left, duel.right, vec(0, 0, 0), vec(0, 0, 0)); /* a second one that does not allow it */
  assert_int_equal(ask(duel.world, &query).state, brink_free);
  ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
}

CASE(near_pairs_are_those_within_the_margin) {
  Duel duel = makeDuel(NULL);
  const brinkColliderPair *pairs = NULL;
  size_t count = 9;
  ASSERT_OK(duel.world, api()->nearPairs(duel.world, 0.0, 3.9, &pairs, &count)); /* boxes are 4 apart */
  assert_int_equal(count, 0);
  ASSERT_OK(duel.world, api()->nearPairs(duel.world, 0.0, 4.1, &pairs, &count));
  assert_int_equal(count, 1);
  assert_true(pairs[0].a == duel.leftCollider && pairs[0].b == duel.rightCollider);
  ASSERT_OK(duel.world, api()->nearPairs(duel.world, 0.5, 0.01, &pairs, &count));
  assert_int_equal(count, 1);
  ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
}

/* ---- what must not change */

static uint64_t hashOf(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

/* A crowd of boxes that fly about: hash over the numbers of all answers (not over handles: they carry the world's
 * tag). */
static uint64_t crowdHash(const brinkHost *host, uint64_t seed, Memory *memory, uint64_t *requestsAfterWarmUp) {
  Random random = {seed};
  brinkWorld *world = newWorld(host);
  brinkShapeId box = newShape(world, brink_box, vec(0.2, 0.3, 0.4)),
               ball = newShape(world, brink_sphere, vec(0.3, 0, 0));
  enum { COUNT = 24 };
  brinkBodyId bodies[COUNT];
  brinkPose poses[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    poses[i] = (brinkPose){randomVector(&random, 2.0), rotation(randomVector(&random, 2.0))};
    bodies[i] = newBody(world, 0, poses[i]);
    newCollider(world, bodies[i], i % 3 == 0 ? ball : box, at(0, 0, 0));
    if (i % 4 == 3) newJoint(world, bodies[i - 1], bodies[i], vec(0.5, 0, 0), vec(-0.5, 0, 0));
  }
  newCollider(world, 0, box, at(0, 0, 0));
  uint64_t hash = 0xcbf29ce484222325u;
  for (int step = 0; step < 12; ++step) {
    if (step == 8 && memory != NULL) *requestsAfterWarmUp = memory->requests;
    Random again = {seed +
                    (uint64_t)(step % 4)}; /* the same four steps over and over: warm-up is complete after one round */
    for (int i = 0; i < COUNT; ++i) {
      brinkPose end = {randomVector(&again, 2.0), rotation(randomVector(&again, 2.0))};
      moveBody(world, bodies[i], poses[i], end);
    }
    for (uint32_t mode = brink_modeFirst; mode <= brink_modeBoolean; ++mode) {
      brinkQuery query = wholeStep();
      query.mode = mode;
      query.window = 0.1;
      brinkReport report = ask(world, &query);
      hash = hashOf(hash, &report.toi, sizeof report.toi);
      for (size_t i = 0; i < report.contactCount; ++i) {
        const brinkContact *contact = &report.contacts[i];
        hash = hashOf(hash, &contact->toi, 4 * sizeof(double) + 3 * sizeof(brinkVec3));
      }
    }
    brinkPose pose = poseOf(world, bodies[3], 0.37);
    hash = hashOf(hash, &pose, sizeof pose);
  }
  if (memory != NULL) *requestsAfterWarmUp = memory->requests - *requestsAfterWarmUp;
  ASSERT_OK(world, api()->destroyWorld(world));
  return hash;
}

CASE(the_same_input_gives_the_same_bits) {
  assert_true(crowdHash(NULL, 5, NULL, NULL) == crowdHash(NULL, 5, NULL, NULL));
  assert_true(crowdHash(NULL, 5, NULL, NULL) != crowdHash(NULL, 6, NULL, NULL));
}

CASE(nothing_is_allocated_after_warm_up_and_nothing_leaks) {
  Memory memory = {0};
  const brinkHost host = countingHost(&memory);
  uint64_t requests = 0;
  crowdHash(&host, 11, &memory, &requests);
  assert_int_equal(requests, 0);
  assert_int_equal(memory.blocks, 0);
  assert_int_equal(memory.bytes, 0);
  assert_true(memory.requests > 0);
}

#if defined(__x86_64__)
#include <xmmintrin.h>
static void setFlushing(void) { _mm_setcsr(_mm_getcsr() | 0x8040u); }
static unsigned controlWord(void) { return _mm_getcsr() & 0xffc0u; }
#else
static void setFlushing(void) {}
static unsigned controlWord(void) { return (unsigned)fegetround(); }
#endif

CASE(the_hosts_float_mode_neither_matters_nor_changes) {
  uint64_t plain;
  {
    Duel duel = makeDuel(NULL);
    brinkQuery query = wholeStep();
    brinkReport report = ask(duel.world, &query);
    plain = hashOf(0, &report.contacts[0].toi, 4 * sizeof(double) + 3 * sizeof(brinkVec3));
    ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
  }
  const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int i = 0; i < 8; ++i) {
    fenv_t saved;
    fegetenv(&saved);
    fesetround(modes[i % 4]);
    if (i >= 4) setFlushing();
    unsigned before = controlWord();
    Duel duel = makeDuel(NULL);
    brinkQuery query = wholeStep();
    brinkReport report = ask(duel.world, &query);
    uint64_t hash = hashOf(0, &report.contacts[0].toi, 4 * sizeof(double) + 3 * sizeof(brinkVec3));
    ASSERT_OK(duel.world, api()->destroyWorld(duel.world));
    unsigned after = controlWord();
    fesetenv(&saved);
    if (hash != plain) fail_msg("mode %d changed the answer", i);
    if (before != after) fail_msg("mode %d was not restored: 0x%x became 0x%x", i, before, after);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
