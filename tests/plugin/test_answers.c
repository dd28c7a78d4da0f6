/* SPDX-License-Identifier: BSD-3-Clause */
/* What firstContact answers beyond the first contact: thresholds, yes or no, windows, batches, budgets, and hosts that
 * were built against ABI minor 0. Closed forms and properties; counters show what was not done. */
#include "cases.h"
#include "plugin_support.h"

#define EXPECT(condition, seed)                                                                              \
  do {                                                                                                       \
    if (!(condition)) fail_msg("%s (case %llu, line %d)", #condition, (unsigned long long)(seed), __LINE__); \
  } while (0)

static void slide(brinkWorld *world, brinkBodyId body, brinkPose from, brinkVec3 velocity, brinkVec3 spin) {
  brinkBodyMotion motion = velocitiesMotion(from, velocity, spin);
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
}

/* A closed dart: not convex. */
static brinkShapeId newDart(brinkWorld *world) {
  static const double vertices[24] = {0.6, 0, -0.4, -0.5, 0.5, -0.4, -0.2, 0, -0.4, -0.5, -0.5, -0.4,
                                      0.6, 0, 0.4,  -0.5, 0.5, 0.4,  -0.2, 0, 0.4,  -0.5, -0.5, 0.4};
  static const uint32_t triangles[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                         1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
  brinkShapeDef def = surfaceDef(brink_mesh, vertices, 8, triangles, 12);
  def.mesh.flags = BRINK_MESH_SOLID;
  return shapeFrom(world, &def);
}

/* ---- thresholds */

CASE(threshold_asks_when_the_distance_falls_to_it) {
  for (int kind = 0; kind < 4; ++kind) {
    brinkWorld *world = newWorld(NULL);
    brinkShapeId ball = newShape(world, brink_sphere, vec(0.5, 0, 0));
    brinkShapeId box = newShape(world, brink_box, vec(1, 1, 1)),
                 below[4] = {ball, box, newPlane(world), newDart(world)};
    const double top[4] = {0.5, 1, 0, 0.4};
    newCollider(world, 0, below[kind], at(0, 0, 0));
    brinkBodyId body = newBody(world, 0, at(0, 0, 0));
    newCollider(world, body, ball, at(0, 0, 0));
    slide(world, body, at(0, 0, 8), vec(0, 0, -8), vec(0, 1, 0));
    for (uint32_t scheme = 0; scheme < 3; ++scheme) {
      brinkQuery query = wholeStep();
      query.scheme = scheme;
      for (int i = 0; i < 8; ++i) {
        query.threshold = 0.75 * i;
        brinkReport report = ask(world, &query);
        EXPECT(report.state == brink_hit, 10 * kind + i);
        ASSERT_NEAR(report.toi, (8 - 0.5 - top[kind] - query.threshold) / 8, 1e-6);
        EXPECT(report.contacts[0].threshold == query.threshold, i);
        ASSERT_NEAR(report.contacts[0].distance, query.threshold, 1e-5);
      }
      query.threshold = 20; /* below it from the start, but not touching */
      brinkReport report = ask(world, &query);
      EXPECT(report.state == brink_hit && report.toi == 0, kind);
    }
    /* Passing by: the least distance decides. */
    slide(world, body, at(-4, 0, top[kind] + 0.5 + 1), vec(8, 0, 0), vec(0, 0, 0));
    brinkQuery query = wholeStep();
    query.threshold = 0.99;
    EXPECT(ask(world, &query).state == brink_free, kind);
    query.threshold = 1.01;
    EXPECT(ask(world, &query).state == brink_hit, kind);
    query.watch = brink_watchDepth;
    brinkReport report = {.structSize = sizeof report};
    ASSERT_STATUS(world, api()->firstContact(world, &query, &report), brink_errorBadValue);
    query.watch = brink_watchContact;
    query.threshold = -1;
    ASSERT_STATUS(world, api()->firstContact(world, &query, &report), brink_errorBadValue);
    query.threshold = NAN;
    ASSERT_STATUS(world, api()->firstContact(world, &query, &report), brink_errorBadValue);
    api()->destroyWorld(world);
  }
}

CASE(what_a_solid_holds_is_nearer_than_any_threshold) {
  brinkWorld *world = newWorld(NULL);
  double half[3] = {5, 5, 5};
  uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  double vertices[24];
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) vertices[3 * i + k] = i >> k & 1 ? half[k] : -half[k];
  brinkShapeDef def = shapeDef(brink_mesh, vec(0, 0, 0));
  def.mesh = (brinkMeshView){sizeof def.mesh, BRINK_MESH_SOLID, vertices, 8, triangles, 12};
  brinkShapeId crate;
  ASSERT_OK(world, api()->createShape(world, &def, &crate));
  newCollider(world, 0, crate, at(0, 0, 0));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, newDart(world), at(0, 0, 0));
  slide(world, body, at(0, 0, 0), vec(0.1, 0, 0), vec(0, 0, 0));
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    query.threshold = 0.5;
    assert_int_equal(ask(world, &query).state, brink_overlap);
  }
  api()->destroyWorld(world);
}

/* ---- yes or no, windows, batches */

typedef struct Rain {
  brinkWorld *world;
  brinkBodyId drops[60];
} Rain;

/* Sixty darts fall on darts; drop i arrives at (i + 10) / 80. */
static void startRain(Rain *rain) {
  rain->world = newWorld(NULL);
  brinkShapeId dart = newDart(rain->world);
  for (int i = 0; i < 60; ++i) {
    newCollider(rain->world, 0, dart, at(3.0 * i, 0, 0));
    rain->drops[i] = newBody(rain->world, 0, at(0, 0, 0));
    newCollider(rain->world, rain->drops[i], dart, at(0, 0, 0));
    slide(rain->world, rain->drops[i], at(3.0 * i + 0.05, 0.02, 0.8 + (i + 10) / 10.0), vec(0, 0, -8), vec(0, 0, 0));
  }
}

CASE(yes_or_no_stops_at_the_first_yes) {
  Rain rain;
  startRain(&rain);
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    query.mode = brink_modePairs;
    brinkReport all = ask(rain.world, &query);
    assert_int_equal(all.contactCount, 60);
    query.mode = brink_modeBoolean;
    brinkReport yes = ask(rain.world, &query);
    assert_int_equal(yes.state, brink_hit);
    uint64_t workAll = all.counters.distanceQueries + all.counters.nodePairs;
    uint64_t workYes = yes.counters.distanceQueries + yes.counters.nodePairs;
    EXPECT(workYes < workAll / 3, scheme);
    EXPECT(yes.counters.pairsTemporal <= all.counters.pairsTemporal / 10, scheme);
    query.tEnd = 0.1; /* before the first drop arrives */
    assert_int_equal(ask(rain.world, &query).state, brink_free);
  }
  api()->destroyWorld(rain.world);
}

/* Two rough sheets fall on each other: hundreds of triangles meet, and any of them is a yes. */
CASE(yes_or_no_within_a_pair_ends_at_any_contact) {
  enum { SIDE = 40 };
  static double heights[SIDE * SIDE];
  Random random = {12};
  for (int i = 0; i < SIDE * SIDE; ++i) heights[i] = uniform(&random, 0, 0.8);
  brinkWorld *world = newWorld(NULL);
  brinkShapeDef def = shapeDef(brink_heightfield, vec(1, 1, 0));
  def.heights = heights;
  def.columns = def.rows = SIDE;
  brinkShapeId sheet;
  ASSERT_OK(world, api()->createShape(world, &def, &sheet));
  newCollider(world, 0, sheet, at(0, 0, 0));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, sheet, at(0, 0, 0));
  brinkPose above = {{3.3, 30.7, 6}, rotation(vec(acos(-1.0), 0, 0))}; /* upside down */
  slide(world, body, above, vec(0.3, -0.2, -12), vec(0.1, 0.05, 0.2));
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    brinkReport first = ask(world, &query);
    assert_int_equal(first.state, brink_hit);
    const double toi = first.toi;
    query.mode = brink_modeBoolean;
    brinkReport any = ask(world, &query);
    assert_int_equal(any.state, brink_hit);
    EXPECT(any.contacts[0].toi <= toi && any.contacts[0].toiUpper >= toi - 1e-9, any.contacts[0].toi);
    uint64_t workFirst = first.counters.distanceQueries + first.counters.nodePairs;
    uint64_t workAny = any.counters.distanceQueries + any.counters.nodePairs;
    print_message("scheme %u: work %llu for the first, %llu for any\n", scheme, (unsigned long long)workFirst,
                  (unsigned long long)workAny);
    EXPECT(workAny < workFirst, scheme);
  }
  api()->destroyWorld(world);
}

CASE(window_holds_all_that_follow_the_first_closely) {
  Rain rain;
  startRain(&rain);
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    query.window = 0.1 + 1e-4; /* drops 0..8 */
    brinkReport report = ask(rain.world, &query);
    EXPECT(report.contactCount == 9, report.contactCount);
    ASSERT_NEAR(report.toi, 0.125, 1e-5);
    for (size_t i = 0; i < report.contactCount; ++i) ASSERT_NEAR(report.contacts[i].toi, (10 + (double)i) / 80, 1e-5);
  }
  api()->destroyWorld(rain.world);
}

/* A ball meets a wall at 0.5. Beside it two darts tumble, for which a small budget is too small: free as far as it
 * says, in contact perhaps before the ball. Each mode lists what its page says, whatever is watched. */
CASE(pairs_that_are_undecided_stand_among_the_contacts) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeId dart = newDart(world), ball = newShape(world, brink_sphere, vec(0.1, 0, 0)),
               wall = newShape(world, brink_box, vec(0.1, 1, 1));
  brinkBodyId bodies[4];
  brinkColliderId colliders[4];
  for (int i = 0; i < 4; ++i) { /* ball, wall, darts */
    bodies[i] = newBody(world, 0, at(0, 0, 0));
    colliders[i] = newCollider(world, bodies[i], i == 0 ? ball : i == 1 ? wall : dart, at(0, 0, 0));
  }
  slide(world, bodies[0], at(-2.2, 50, 0), vec(4, 0, 0), vec(0, 0, 0));
  slide(world, bodies[1], at(0, 50, 0), vec(0, 0, 0), vec(0, 0, 0));
  slide(world, bodies[2], at(0, 0, 0), vec(0, 0, 0), vec(1, 2, 3));
  slide(world, bodies[3], at(0.1, 0.2, 1.4), vec(0, 0, -1), vec(-3, 1, 2));
  for (uint32_t watch = 0; watch < 2; ++watch)
    for (uint32_t mode = 0; mode < 3; ++mode) {
      brinkQuery query = wholeStep();
      query.mode = mode;
      query.watch = watch;
      query.maxIterations = 6;
      brinkReport report = ask(world, &query);
      size_t met = 0, open = 0;
      for (size_t i = 0; i < report.contactCount; ++i) {
        const brinkContact *contact = &report.contacts[i];
        bool isBall = contact->colliderA == colliders[0] && contact->colliderB == colliders[1];
        met += contact->state == brink_hit && isBall;
        open += contact->state == brink_unresolved && contact->colliderA == colliders[2] &&
                contact->colliderB == colliders[3];
        EXPECT(contact->state == brink_hit || contact->state == brink_unresolved, mode);
      }
      EXPECT(met == 1, 10 * watch + mode);
      EXPECT(report.state == brink_hit, mode); /* though an undecided pair is earlier */
      EXPECT(report.contactCount == met + open, mode);
      if (mode != brink_modeBoolean) { /* that one may stop before it asks the darts */
        EXPECT(open == 1, 10 * watch + mode);
        EXPECT(report.contacts[0].state == brink_unresolved && report.toi == report.contacts[0].toi, mode);
        EXPECT(report.toi < 0.5 && report.counters.unresolved == 1, mode);
      }
      slide(world, bodies[0], at(-2.2, 50, 0), vec(-4, 0, 0), vec(0, 0, 0)); /* the ball flies away */
      report = ask(world, &query);
      EXPECT(report.state == brink_unresolved && report.toi == report.contacts[0].toi, mode);
      EXPECT(report.contactCount == 1 && report.contacts[0].state == brink_unresolved, mode);
      slide(world, bodies[3], at(0, 0, 50), vec(0, 0, 1), vec(0, 0, 0)); /* and one of the darts */
      report = ask(world, &query);
      EXPECT(report.state == brink_free && report.toi == BRINK_NO_TIME && report.contactCount == 0,
             mode); /* pairs: culled */
      slide(world, bodies[0], at(-2.2, 50, 0), vec(4, 0, 0), vec(0, 0, 0));
      slide(world, bodies[3], at(0.1, 0.2, 1.4), vec(0, 0, -1), vec(-3, 1, 2));
    }
  api()->destroyWorld(world);
}

CASE(batch_answers_as_single_questions_do) {
  Rain rain;
  startRain(&rain);
  enum { COUNT = 40 };
  brinkQuery queries[COUNT];
  brinkReport reports[COUNT], single;
  Random random = {4};
  for (int i = 0; i < COUNT; ++i) {
    queries[i] = wholeStep();
    queries[i].mode = (uint32_t)(i % 3);
    queries[i].scheme = (uint32_t)(i / 3 % 3);
    queries[i].onlyBody = i % 2 ? rain.drops[nextBits(&random) % 60] : 0;
    queries[i].tStart = uniform(&random, 0, 0.12);
    queries[i].tEnd = uniform(&random, queries[i].tStart, 1);
    queries[i].threshold = i % 4 == 0 ? 0.05 : 0;
    queries[i].window = 0.05;
    reports[i] = (brinkReport){.structSize = sizeof reports[i]};
  }
  ASSERT_OK(rain.world, api()->firstContacts(rain.world, queries, COUNT, reports));
  brinkContact kept[COUNT][60];
  for (int i = 0; i < COUNT; ++i)
    if (reports[i].contactCount > 0) memcpy(kept[i], reports[i].contacts, reports[i].contactCount * sizeof kept[i][0]);
  for (int i = 0; i < COUNT; ++i) {
    single = ask(rain.world, &queries[i]);
    EXPECT(single.state == reports[i].state && single.toi == reports[i].toi, i);
    EXPECT(single.contactCount == reports[i].contactCount, i);
    EXPECT(single.counters.distanceQueries == reports[i].counters.distanceQueries, i);
    if (single.contactCount > 0)
      EXPECT(memcmp(single.contacts, kept[i], single.contactCount * sizeof kept[i][0]) == 0, i);
  }
  /* All or nothing: a bad one at the end leaves every report alone. */
  queries[COUNT - 1].tEnd = 7;
  brinkReport untouched[COUNT];
  memset(untouched, 0, sizeof untouched);
  for (int i = 0; i < COUNT; ++i) untouched[i].structSize = sizeof untouched[i];
  memcpy(reports, untouched, sizeof reports);
  ASSERT_STATUS(rain.world, api()->firstContacts(rain.world, queries, COUNT, reports), brink_errorBadTime);
  assert_non_null(strstr(api()->lastError(rain.world), "question 39"));
  assert_memory_equal(reports, untouched, sizeof reports);
  ASSERT_STATUS(rain.world, api()->firstContacts(rain.world, NULL, 1, reports), brink_errorNullArgument);
  ASSERT_STATUS(rain.world, api()->firstContacts(rain.world, queries, 1, NULL), brink_errorNullArgument);
  ASSERT_OK(rain.world, api()->firstContacts(rain.world, NULL, 0, NULL));
  queries[1].structSize -= 1;
  ASSERT_STATUS(rain.world, api()->firstContacts(rain.world, queries, 2, reports), brink_errorVersion);
  api()->destroyWorld(rain.world);
}

/* ---- budgets */

/* However small the budget, nothing that meets is called free, and the proven prefix is true. */
CASE(spent_budgets_leave_a_proven_prefix) {
  Random random = {31};
  int unresolved = 0;
  for (int i = 0; i < 400; ++i) {
    brinkWorld *world = newWorld(NULL);
    brinkShapeId hull = newShape(world, brink_cylinder, vec(0.5, 0, 0.4)), dart = newDart(world),
                 plane = newPlane(world);
    brinkShapeId shapes[5][2] = {{dart, dart}, {hull, hull}, {plane, hull}, {dart, hull}, {plane, dart}};
    const brinkShapeId *pair = shapes[i % 5];
    brinkBodyId a = newBody(world, 0, at(0, 0, 0)), b = newBody(world, 0, at(0, 0, 0));
    newCollider(world, a, pair[0], at(0, 0, 0));
    newCollider(world, b, pair[1], at(0, 0, 0));
    slide(world, a, at(0, 0, 0), vec(0, 0, 0.5), pair[0] == plane ? vec(0.3, 0.2, 0) : randomVector(&random, 4));
    slide(world, b, at(0.1, 0.2, 3), vec(0, 0, uniform(&random, -4, -1)), randomVector(&random, 4));
    brinkQuery query = wholeStep();
    query.scheme = (uint32_t)(i % 3);
    brinkReport truth = ask(world, &query);
    EXPECT(truth.state == brink_hit || truth.state == brink_free, i);
    double last = -1;
    for (uint64_t budget = 1; budget <= 256; budget *= 2) {
      query.maxIterations = budget;
      brinkReport report = ask(world, &query);
      if (report.state == brink_unresolved) {
        ++unresolved;
        EXPECT(report.counters.unresolved == 1 && report.toi >= last && report.contactCount == 1, i);
        EXPECT(report.toi >= 0 && report.toi <= (truth.state == brink_hit ? truth.toi : 1), i);
        EXPECT(report.contacts[0].toi == report.toi && report.contacts[0].toiUpper == BRINK_NO_TIME, i);
      } else {
        EXPECT(report.state == truth.state, i);
        if (truth.state == brink_hit) ASSERT_NEAR(report.toi, truth.toi, 1e-5);
      }
    }
    api()->destroyWorld(world);
  }
  assert_true(unresolved > 200);
}

/* One budget for all pairs: what it does not reach is unresolved, as far as it was proven. */
CASE(a_total_budget_is_shared_by_all_pairs) {
  Rain rain;
  startRain(&rain);
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    for (uint32_t mode = 0; mode < 3; ++mode) {
      brinkQuery query = wholeStep();
      query.scheme = scheme;
      query.mode = mode;
      brinkReport whole = ask(rain.world, &query);
      double first = whole.toi;
      size_t least = whole.contactCount, unresolved = 0;
      for (uint64_t total = 1; total < 1u << 14; total *= 4) {
        query.maxTotal = total;
        brinkReport report = ask(rain.world, &query);
        EXPECT(report.state != brink_free && report.toi <= first, total);
        uint64_t spent = 0;
        for (size_t i = 0; i < report.contactCount; ++i) spent += report.contacts[i].iterations;
        EXPECT(spent <= total + 16, spent); /* a node is never left half tested */
        if (mode == brink_modePairs) EXPECT(report.contactCount == least, report.contactCount);
        unresolved += report.counters.unresolved;
        for (size_t i = 0; mode == brink_modePairs && i < report.contactCount; ++i)
          if (report.contacts[i].state == brink_unresolved) EXPECT(report.contacts[i].toi <= 1, i);
      }
      EXPECT(unresolved > 0, scheme);
    }
  }
  api()->destroyWorld(rain.world);
}

typedef struct Patience {
  brinkWorld *world;
  int left, asked;
} Patience;

static int isPatient(void *user) {
  Patience *patience = user;
  brinkPose pose;
  assert_int_equal(api()->bodyPose(patience->world, 0, 0, &pose), brink_errorBusy);
  ++patience->asked;
  return patience->left-- > 0;
}

/* The host's clock, not Brink's: once it says no, nothing more is asked, and nothing is called free. */
CASE(a_host_out_of_time_gets_what_is_proven) {
  Rain rain;
  startRain(&rain);
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    for (int left = 0; left <= 64; left += 8) {
      Patience patience = {rain.world, left, 0};
      brinkQuery query = wholeStep();
      query.scheme = scheme;
      query.mode = brink_modePairs;
      query.goOn = isPatient;
      query.goOnUser = &patience;
      brinkReport report = ask(rain.world, &query);
      size_t answered = report.contactCount - report.counters.unresolved;
      EXPECT(report.contactCount == 60 && answered == (size_t)(left < 60 ? left : 60), answered);
      EXPECT(patience.asked == (left < 60 ? left + 1 : 60), patience.asked);
      for (size_t i = 0; i < report.contactCount; ++i) {
        const brinkContact *contact = &report.contacts[i];
        EXPECT(contact->state == brink_hit || contact->state == brink_unresolved, i);
        EXPECT(contact->state == brink_hit || (contact->toi <= 1 && contact->toi >= 0), i);
      }
      query.mode = brink_modeBoolean;
      patience.left = 0;
      report = ask(rain.world, &query);
      EXPECT(report.state == brink_unresolved && report.toi <= 0.125, scheme);
    }
  }
  api()->destroyWorld(rain.world);
}

/* ---- hosts of older minors */

CASE(structs_of_older_minors_are_understood) {
  brinkWorld *world = newWorld(NULL);
  /* What lies behind the smaller struct is not read. */
  _Alignas(16) unsigned char block[sizeof(brinkShapeDef)];
  memset(block, 0xff, sizeof block);
  brinkShapeDef def = shapeDef(brink_sphere, vec(0.5, 0, 0));
  def.structSize = offsetof(brinkShapeDef, heights);
  memcpy(block, &def, def.structSize);
  brinkShapeId ball;
  ASSERT_OK(world, api()->createShape(world, (const brinkShapeDef *)(const void *)block, &ball));
  newCollider(world, 0, ball, at(0, 0, 0));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, ball, at(0, 0, 0));
  slide(world, body, at(0, 0, 3), vec(0, 0, -4), vec(0, 0, 0));
  _Alignas(16) unsigned char asked[sizeof(brinkQuery)];
  memset(asked, 0xff, sizeof asked);
  brinkQuery query = wholeStep();
  query.structSize = offsetof(brinkQuery, threshold);
  memcpy(asked, &query, query.structSize);
  ASSERT_NEAR(ask(world, (const brinkQuery *)(const void *)asked).toi, 0.5, 1e-6);
  memset(asked, 0xff, sizeof asked); /* minor 1 had the threshold */
  query.structSize = offsetof(brinkQuery, flags);
  query.threshold = 0.4;
  memcpy(asked, &query, query.structSize);
  ASSERT_NEAR(ask(world, (const brinkQuery *)(const void *)asked).toi, 0.4, 1e-6);
  _Alignas(16) unsigned char joined[sizeof(brinkJointDef)];
  memset(joined, 0xff, sizeof joined);
  brinkJointDef joint = jointDef(body, newBody(world, 0, at(0, 9, 0)), vec(0, 0, 0), vec(0, 0, 0));
  joint.structSize = offsetof(brinkJointDef, restMargin);
  memcpy(joined, &joint, joint.structSize);
  brinkJointId id;
  ASSERT_OK(world, api()->createJoint(world, (const brinkJointDef *)(const void *)joined, &id));
  api()->destroyWorld(world);
}

int main(void) { return cases_Run(NULL, NULL); }
