/* SPDX-License-Identifier: BSD-3-Clause */
/* The extension "brink.steps/1", and what the scene keeps from question to question for it: random worlds in which a
 * few bodies get new motions between questions must answer exactly as a world that was made anew. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "test_random.h"
#include "brink/ccd.h"
#include "brink/steps.h"

#define BODIES 120

static uint64_t state64;
static double uniform(double low, double high) { return shiftUniform(&state64, low, high); }

typedef struct made {
  const brinkPlugin *api;
  const brinkStepsTable *steps;
  brinkWorld *world;
  brinkBodyId bodies[BODIES];
  brinkColliderId colliders[BODIES];
} made;

static void makeWorld(made *m) {
  m->api = brinkEntry(BRINK_ABI_MAJOR, NULL);
  m->steps = m->api->getExtension(BRINK_STEPS_NAME);
  assert_non_null(m->steps);
  assert_int_equal(m->steps->structSize, sizeof(brinkStepsTable));
  assert_int_equal(m->api->createWorld(NULL, NULL, &m->world), brink_ok);
  brinkShapeDef ball = {.structSize = sizeof ball, .type = brink_sphere, .size = {0.3, 0, 0}};
  brinkShapeDef box = {.structSize = sizeof box, .type = brink_box, .size = {0.2, 0.4, 0.3}};
  brinkShapeDef plane = {.structSize = sizeof plane, .type = brink_plane, .normal = {0, 0, 1}, .offset = -3};
  brinkShapeId shapes[3];
  assert_int_equal(m->api->createShape(m->world, &ball, &shapes[0]), brink_ok);
  assert_int_equal(m->api->createShape(m->world, &box, &shapes[1]), brink_ok);
  assert_int_equal(m->api->createShape(m->world, &plane, &shapes[2]), brink_ok);
  for (int i = 0; i < BODIES; ++i) {
    brinkBodyDef def = {.structSize = sizeof def, .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
    assert_int_equal(m->api->createBody(m->world, &def, &m->bodies[i]), brink_ok);
    brinkColliderDef collider = {
        .structSize = sizeof collider, .body = i % 10 == 9 ? 0 : m->bodies[i], .shape = shapes[i % 2]};
    collider.pose = (brinkPose){{i % 10 == 9 ? 0.07 * i : 0, 0, 0}, {1, 0, 0, 0}};
    if (i == 0) collider.shape = shapes[2], collider.body = 0;
    collider.categoryBits = collider.collideBits = 1;
    assert_int_equal(m->api->createCollider(m->world, &collider, &m->colliders[i]), brink_ok);
  }
}

static brinkBodyMotion randomMotion(bool rest) {
  brinkBodyMotion motion = {.structSize = sizeof motion, .kind = rest ? brink_motionRest : brink_motionVelocities};
  motion.pose0 = (brinkPose){{uniform(-4, 4), uniform(-4, 4), uniform(-3, 3)}, {1, uniform(-1, 1), uniform(-1, 1), 0}};
  motion.pose1 = motion.pose0;
  if (!rest) {
    motion.flags = BRINK_MOTION_ALONE;
    motion.velocity = (brinkVec3){uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)};
    motion.spin = (brinkVec3){uniform(-9, 9), uniform(-9, 9), uniform(-9, 9)};
  }
  return motion;
}

static void ask(made *m, brinkReport *report) {
  brinkQuery query = {.structSize = sizeof query, .mode = brink_modePairs, .tEnd = 1};
  *report = (brinkReport){.structSize = sizeof *report, .counters = {.structSize = sizeof report->counters}};
  assert_int_equal(m->api->firstContact(m->world, &query, report), brink_ok);
}

/* Asks both worlds; the second was made anew. */
static void assertSameAnswers(made *kept, made *fresh, uint64_t seed, int round) {
  brinkReport a, b;
  ask(kept, &a);
  ask(fresh, &b);
  if (a.contactCount != b.contactCount || a.state != b.state || a.toi != b.toi ||
      a.counters.pairsSpatial != b.counters.pairsSpatial || a.counters.pairsBefore != b.counters.pairsBefore)
    fail_msg("seed %llu round %d: %zu pairs, toi %.17g; made anew %zu, %.17g", (unsigned long long)seed, round,
             a.contactCount, a.toi, b.contactCount, b.toi);
  for (size_t i = 0; i < a.contactCount; ++i) {
    assert_int_equal(a.contacts[i].state, b.contacts[i].state);
    assert_true(a.contacts[i].toi == b.contacts[i].toi && a.contacts[i].distance == b.contacts[i].distance);
  }
}

/* The kept world was given some of these motions, a fresh one is given all. */
static void assertLikeFresh(made *kept, const brinkBodyMotion motions[BODIES], bool leaveOut, uint64_t seed,
                            int round) {
  made fresh;
  kept->steps->leaveOutResting(kept->world, leaveOut);
  makeWorld(&fresh);
  fresh.steps->leaveOutResting(fresh.world, leaveOut);
  for (int i = 0; i < BODIES; ++i)
    assert_int_equal(fresh.api->setBodyMotion(fresh.world, fresh.bodies[i], &motions[i]), brink_ok);
  assertSameAnswers(kept, &fresh, seed, round);
  fresh.api->destroyWorld(fresh.world);
}

CASE(what_is_kept_between_questions_changes_no_answer) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    made kept;
    brinkBodyMotion motions[BODIES];
    state64 = seed * 7919;
    makeWorld(&kept);
    for (int i = 0; i < BODIES; ++i) {
      motions[i] = randomMotion(i % 3 != 0);
      assert_int_equal(kept.api->setBodyMotion(kept.world, kept.bodies[i], &motions[i]), brink_ok);
    }
    for (int round = 0; round < 12; ++round) {
      for (int k = 0; k < 1 + round % 5; ++k) {
        int i = (int)uniform(0, BODIES);
        motions[i] = randomMotion(uniform(0, 1) < 0.5);
        assert_int_equal(kept.api->setBodyMotion(kept.world, kept.bodies[i], &motions[i]), brink_ok);
      }
      assertLikeFresh(&kept, motions, round % 2, seed, round);
    }
    kept.api->destroyWorld(kept.world);
  }
}

/* Moving boxes keep the places of an earlier sorting while they drift, and are sorted anew when they scatter. */
CASE(crowds_that_drift_and_scatter_answer_like_fresh_worlds) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    made kept;
    brinkBodyMotion motions[BODIES];
    state64 = seed * 104729;
    makeWorld(&kept);
    for (int i = 0; i < BODIES; ++i) motions[i] = randomMotion(false);
    for (int round = 0; round < 16; ++round) {
      const bool scatter = round % 5 == 4, someRest = round >= 9;
      for (int i = 0; i < BODIES; ++i) {
        brinkVec3 *place = &motions[i].pose0.position;
        if (scatter) motions[i] = randomMotion(someRest && i % 7 == 0);
        *place =
            (brinkVec3){place->x + uniform(-0.1, 0.1), place->y + uniform(-0.1, 0.1), place->z + uniform(-0.1, 0.1)};
        assert_int_equal(kept.api->setBodyMotion(kept.world, kept.bodies[i], &motions[i]), brink_ok);
      }
      assertLikeFresh(&kept, motions, true, seed, round);
    }
    kept.api->destroyWorld(kept.world);
  }
}

/* Every pair that nearPairs tells at a time, and that involves the body, is among those of the interval. */
CASE(pairs_around_bodies_hold_all_near_pairs) {
  made m;
  state64 = 4711;
  makeWorld(&m);
  for (int i = 0; i < BODIES; ++i) {
    brinkBodyMotion motion = randomMotion(i % 4 != 0);
    assert_int_equal(m.api->setBodyMotion(m.world, m.bodies[i], &motion), brink_ok);
  }
  for (int round = 0; round < 20; ++round) {
    const brinkBodyId asked[2] = {m.bodies[1 + (int)uniform(0, BODIES - 1)], m.bodies[1 + (int)uniform(0, BODIES - 1)]};
    brinkColliderPair around[4096];
    const brinkColliderPair *pairs;
    size_t count, nearCount;
    double margin = uniform(0, 0.3);
    assert_int_equal(m.steps->pairsOf(m.world, asked, 2, 0, 1, margin, &pairs, &count), brink_ok);
    assert_true(count < 4096);
    if (count > 0) memcpy(around, pairs, count * sizeof *pairs);
    assert_int_equal(m.api->nearPairs(m.world, uniform(0, 1), margin, &pairs, &nearCount), brink_ok);
    for (size_t i = 0; i < nearCount; ++i) {
      bool involved = false, found = false;
      for (int k = 1; k < BODIES; ++k)
        involved = involved || (k % 10 != 9 && (m.bodies[k] == asked[0] || m.bodies[k] == asked[1]) &&
                                (pairs[i].a == m.colliders[k] || pairs[i].b == m.colliders[k]));
      for (size_t k = 0; k < count; ++k) found = found || (around[k].a == pairs[i].a && around[k].b == pairs[i].b);
      if (involved && !found) fail_msg("round %d: a near pair is missing", round);
    }
  }
  assert_int_not_equal(m.steps->pairsOf(m.world, NULL, 1, 0, 1, 0, NULL, NULL), brink_ok);
  const brinkBodyId wrong = 12345;
  const brinkColliderPair *pairs;
  size_t count;
  assert_int_equal(m.steps->pairsOf(m.world, &wrong, 1, 0, 1, 0, &pairs, &count), brink_errorStale);
  assert_int_equal(m.steps->pairsOf(m.world, m.bodies, 1, 1, 0, 0, &pairs, &count), brink_errorBadTime);
  m.api->destroyWorld(m.world);
}

CASE(how_deep_a_core_may_lie_is_told_of_each_kind_of_shape) {
  made m;
  makeWorld(&m);
  const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const uint32_t triangle[3] = {0, 1, 2};
  brinkShapeDef defs[6] = {{.type = brink_sphere, .size = {0.4, 0, 0}},
                           {.type = brink_box, .size = {0.4, 2, 3}},
                           {.type = brink_plane, .normal = {0, 0, 1}},
                           {.type = brink_segment, .size = {1, 0, 0}},
                           {.type = brink_mesh},
                           {.type = brink_compound}};
  defs[4].mesh = (brinkMeshView){sizeof(brinkMeshView), 0, corners[0], 4, triangle, 1};
  const double wanted[6] = {0.4 * 15 / 16, 0.2, INFINITY, 0, 0, 0};
  brinkShapeId shapes[6];
  const brinkShapeChild child = {.pose = {{0, 0, 0}, {1, 0, 0, 0}}};
  for (int i = 0; i < 6; ++i) {
    brinkShapeChild children[1] = {child};
    children[0].shape = i > 0 ? shapes[0] : 0;
    defs[i].structSize = sizeof defs[i];
    if (defs[i].type == brink_compound) defs[i].children = children, defs[i].childCount = 1;
    assert_int_equal(m.api->createShape(m.world, &defs[i], &shapes[i]), brink_ok);
    double depth = -1;
    assert_int_equal(m.steps->inside(m.world, shapes[i], &depth), brink_ok);
    if (!(depth == wanted[i])) fail_msg("shape %d: %.17g, not %.17g", i, depth, wanted[i]);
  }
  assert_int_equal(m.steps->inside(m.world, shapes[0], NULL), brink_errorNullArgument);
  m.api->destroyWorld(m.world);
}

int main(void) { return cases_Run(NULL, NULL); }
