/* SPDX-License-Identifier: BSD-3-Clause */
/* Bad input at the C ABI, one test a row of the project's table of bad values (A01 to A26): each is refused by name and
 * message with nothing changed, or taken as documented. test_hostile_host goes deeper into handles, memory and sizes.
 */
#include "cases.h"
#include <float.h>
#include <pthread.h>
#if defined(__x86_64__)
#include <fenv.h>
#include <xmmintrin.h>
#endif

#include "plugin_support.h"

#include "brink/clearance.h"
#include "brink/linear.h"
#include "motion_makers.h"

/* ---- a world with something of everything */

typedef struct Small {
  brinkWorld *world;
  brinkShapeId hull, ball;
  brinkBodyId body, still;
  brinkColliderId moving, fixed;
  brinkJointId joint;
} Small;

static Small newSmall(const brinkHost *host) {
  Small s = {.world = newWorld(host)};
  s.hull = newTetrahedron(s.world, 0.5, true);
  s.ball = newShape(s.world, brink_sphere, vec(0.5, 0, 0));
  s.body = newBody(s.world, 0, at(0, 0, 0));
  s.still = newBody(s.world, 0, at(0, 9, 0));
  s.moving = newCollider(s.world, s.body, s.hull, at(0, 0, 0));
  s.fixed = newCollider(s.world, 0, s.ball, at(3, 0, 0));
  s.joint = newJoint(s.world, s.body, s.still, vec(0, 0, 0), vec(0, 0, 0));
  brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(4, 0, 0), vec(0, 0, 1));
  ASSERT_OK(s.world, api()->setBodyMotion(s.world, s.body, &motion));
  return s;
}

/* What the world answers, bit by bit. */
static uint64_t printOf(const Small *s) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    query.mode = brink_modePairs;
    brinkReport report = ask(s->world, &query);
    const double numbers[3] = {report.toi, (double)report.state, (double)report.contactCount};
    const unsigned char *byte = (const unsigned char *)numbers;
    for (size_t i = 0; i < sizeof numbers; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
  }
  return hash;
}

/* Refused with a message, nothing changed. */
#define REFUSED(small, call, expected)                         \
  do {                                                         \
    const uint64_t before = printOf(small);                    \
    ASSERT_STATUS((small)->world, (call), (expected));         \
    assert_true(strlen(api()->lastError((small)->world)) > 0); \
    assert_true(printOf(small) == before);                     \
  } while (0)

static void endSmall(Small *s) { ASSERT_OK(s->world, api()->destroyWorld(s->world)); }

/* Every double of a body's pose, a motion's pose, velocity and spin, a vertex, in turn becomes `bad`. */
static void poisonAll(double bad, brinkStatus expected) {
  Small s = newSmall(NULL);
  for (size_t i = 0; i < 7; ++i) {
    const bool isTurn = i >= 3;
    if (isTurn && expected == brink_errorRange) continue; /* any finite quaternion is normalised */
    brinkBodyDef body = bodyDef(0, at(0, 0, 0));
    memcpy((char *)&body.pose + i * sizeof bad, &bad, sizeof bad);
    brinkBodyId id = 77;
    REFUSED(&s, api()->createBody(s.world, &body, &id), expected);
    assert_int_equal(id, 77);
    brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(1, 0, 0), vec(1, 0, 0));
    memcpy((char *)&motion.pose0 + i * sizeof bad, &bad, sizeof bad);
    REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), expected);
    motion = posesMotion(at(0, 0, 0), at(0, 0, 0));
    memcpy((char *)&motion.pose1 + i * sizeof bad, &bad, sizeof bad);
    REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), expected);
    brinkColliderDef collider = colliderDef(s.body, s.ball, at(0, 0, 0));
    memcpy((char *)&collider.pose + i * sizeof bad, &bad, sizeof bad);
    REFUSED(&s, api()->createCollider(s.world, &collider, &id), expected);
  }
  for (size_t i = 0; i < 3; ++i) {
    brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(1, 0, 0), vec(1, 0, 0));
    memcpy((char *)&motion.velocity + i * sizeof bad, &bad, sizeof bad);
    REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), expected);
    motion = velocitiesMotion(at(0, 0, 0), vec(1, 0, 0), vec(1, 0, 0));
    memcpy((char *)&motion.spin + i * sizeof bad, &bad, sizeof bad);
    REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), expected);
  }
  const brinkLinearTable *linear = api()->getExtension(BRINK_LINEAR_NAME);
  for (size_t i = 0; i < 12; ++i) {
    double vertices[12];
    memcpy(vertices, tetrahedron, sizeof vertices);
    vertices[i] = bad;
    for (uint32_t type = brink_hull; type <= brink_mesh; ++type) {
      brinkShapeDef def = surfaceDef((brinkShapeType)type, vertices, 4, tetrahedronFaces, 4);
      brinkShapeId id;
      REFUSED(&s, api()->createShape(s.world, &def, &id), expected);
    }
    const brinkLinearBody body = movingTetrahedron(tetrahedron, vertices);
    const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1};
    brinkLinearContact out = {.structSize = sizeof out};
    REFUSED(&s, linear->firstContactWithCollider(s.world, &body, s.moving, &query, &out), expected);
  }
  endSmall(&s);
}

static double fromBits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

CASE(A01_nan_is_refused_wherever_a_number_goes) {
  NEEDS(BRINK_LINEAR_NAME);
  poisonAll(fromBits(0x7ff8000000000000u), brink_errorBadValue); /* quiet */
  poisonAll(fromBits(0x7ff0000000000001u), brink_errorBadValue); /* signalling */
  poisonAll(fromBits(0xfff8000000000123u), brink_errorBadValue);
}

CASE(A02_infinity_is_refused_wherever_a_number_goes) {
  NEEDS(BRINK_LINEAR_NAME);
  poisonAll(INFINITY, brink_errorBadValue);
  poisonAll(-INFINITY, brink_errorBadValue);
}

CASE(A03_denormals_are_taken_as_they_are) {
  const double tiny = 4.9e-324;
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    brinkWorld *world = newWorld(NULL);
    brinkShapeId hull = newTetrahedron(world, 1, true), mesh = newTetrahedron(world, 1, false);
    brinkPose pose = {{tiny, -tiny, tiny}, {1, tiny, -tiny, tiny}};
    brinkBodyId body = newBody(world, 0, pose);
    newCollider(world, body, hull, pose);
    newCollider(world, 0, mesh, at(4, 0, 0));
    brinkBodyMotion motion = velocitiesMotion(pose, vec(4, tiny, -tiny), vec(tiny, 0, tiny));
    ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    brinkReport report = ask(world, &query);
    assert_int_equal(report.state, brink_hit);
    ASSERT_NEAR(report.toi, 0.5, 1e-5); /* as if they were 0: corners of edge 2 meet after 2 m of 4 */
    assert_true(isfinite(report.contacts[0].distance) && isfinite(report.contacts[0].normal.x));
    query.tolerance = tiny;
    report = ask(world, &query);
    assert_true(report.state != brink_free && report.toi <= 0.5);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

CASE(A04_numbers_whose_squares_overflow_are_refused) {
  NEEDS(BRINK_LINEAR_NAME);
  poisonAll(1e155, brink_errorRange);
  poisonAll(-DBL_MAX, brink_errorRange);
  /* and the largest that are taken give an answer: 1e60 m apart is free, never silently wrong */
  brinkWorld *world = newWorld(NULL);
  brinkShapeId ball = newShape(world, brink_sphere, vec(1, 0, 0));
  brinkBodyId body = newBody(world, 0, at(1e60, 0, 0));
  newCollider(world, body, ball, at(0, 0, 0));
  newCollider(world, 0, ball, at(-1e60, 0, 0));
  brinkBodyMotion motion = velocitiesMotion(at(1e60, 0, 0), vec(-1e60, 0, 0), vec(0, 0, 0));
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
  brinkQuery query = wholeStep();
  assert_int_not_equal(ask(world, &query).state, brink_hit);
  newCollider(world, 0, ball, at(0.5e60, 0, 0)); /* on the way: it is met, or unresolved, not free */
  assert_int_not_equal(ask(world, &query).state, brink_free);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(A05_a_zero_quaternion_is_refused) {
  Small s = newSmall(NULL);
  const brinkPose bad = {{0, 0, 0}, {0, 0, 0, 0}};
  uint64_t id;
  brinkBodyDef body = bodyDef(0, bad);
  REFUSED(&s, api()->createBody(s.world, &body, &id), brink_errorBadRotation);
  brinkColliderDef collider = colliderDef(s.body, s.ball, bad);
  REFUSED(&s, api()->createCollider(s.world, &collider, &id), brink_errorBadRotation);
  REFUSED(&s, api()->setColliderPose(s.world, s.moving, &bad), brink_errorBadRotation);
  brinkBodyMotion motion = posesMotion(bad, at(0, 0, 0));
  REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), brink_errorBadRotation);
  motion = posesMotion(at(0, 0, 0), bad);
  REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), brink_errorBadRotation);
  brinkContactPoint point;
  size_t count;
  brinkPose good = at(0, 0, 0);
  REFUSED(&s, api()->collideShapes(s.world, s.ball, &good, s.ball, &bad, 0, &point, 1, &count), brink_errorBadRotation);
  const brinkShapeChild child = {s.ball, bad};
  brinkShapeDef compound = shapeDef(brink_compound, vec(0, 0, 0));
  compound.children = &child;
  compound.childCount = 1;
  REFUSED(&s, api()->createShape(s.world, &compound, &id), brink_errorBadRotation);
  endSmall(&s);
}

CASE(A06_any_other_quaternion_is_normalised_everywhere_alike) {
  const double lengths[] = {0.5, 2.0, 1e-150, 1e150, 1.0 + 1e-15, 4.9e-324};
  const brinkQuat q = rotation(vec(0.3, 0.4, 0.5));
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
    const double l = lengths[i];
    const bool axis = l < 1e-300; /* denormal: only a pure quarter can be written */
    const brinkQuat unit = axis ? (brinkQuat){0, 1, 0, 0} : q;
    const brinkPose pose = {{1, 2, 3}, {l * unit.w, l * unit.x, l * unit.y, l * unit.z}}, right = {{1, 2, 3}, unit};
    brinkWorld *world = newWorld(NULL);
    brinkBodyId body = newBody(world, 0, pose);
    ASSERT_NEAR(poseError(poseOf(world, body, 0.5), right), 0, 1e-14);
    moveBody(world, body, pose, pose);
    ASSERT_NEAR(poseError(poseOf(world, body, 0.5), right), 0, 1e-14);
    brinkBodyMotion motion = velocitiesMotion(pose, vec(0, 0, 0), vec(0, 0, 0));
    ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
    ASSERT_NEAR(poseError(poseOf(world, body, 0.5), right), 0, 1e-14);
    motion.kind = brink_motionOdeStep;
    ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
    ASSERT_NEAR(poseError(poseOf(world, body, 0.5), right), 0, 1e-14);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

CASE(A07_matrices_must_be_rotations_where_rotations_are_asked) {
  NEEDS(BRINK_LINEAR_NAME);
  Small s = newSmall(NULL);
  for (int bad = 0; bad < 4; ++bad) {
    Store store;
    memset(&store, 0, sizeof store);
    odeControls(at(0, 0, 0), vec(1, 0, 0), vec(0, 0, 1), &store);
    for (int n = 0; n < 4; ++n) {
      double *c = &store.controls[12 * n];
      if (bad == 0) c[0] = -c[0], c[4] = -c[4], c[8] = -c[8]; /* a mirror */
      if (bad == 1) c[1] *= 1.01;                             /* sheared */
      if (bad == 2) memset(c, 0, 11 * sizeof *c);             /* singular */
      if (bad == 3) c[5] *= 2;                                /* stretched */
    }
    brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
    motion.kind = brink_motionBezier;
    motion.path = &store.path;
    REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), brink_errorBadRotation);
  }
  /* Affine bodies take any matrix, singular and mirroring ones too. */
  const brinkLinearTable *linear = api()->getExtension(BRINK_LINEAR_NAME);
  brinkLinearBody flat = {.structSize = sizeof flat,
                          .vertices0 = tetrahedron,
                          .vertexCount = 4,
                          .simplices = tetrahedronFaces,
                          .simplexCount = 4};
  flat.map0.b = vec(3, 0, 0); /* a point at first */
  flat.map1.m[0] = -1;        /* a segment in the end */
  const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1, .tolerance = 1e-6};
  brinkLinearContact out = {.structSize = sizeof out};
  ASSERT_OK(s.world, linear->firstContactWithCollider(s.world, &flat, s.moving, &query, &out));
  assert_true(out.state == brink_hit || out.state == brink_overlap);
  endSmall(&s);
}

CASE(A08_an_interval_of_no_length_asks_one_moment) {
  Small s = newSmall(NULL);
  for (uint32_t scheme = 0; scheme < 3; ++scheme)
    for (int apart = 0; apart < 2; ++apart) {
      brinkQuery query = wholeStep();
      query.scheme = scheme;
      query.mode = brink_modePairs;
      query.threshold = apart ? 0 : 0.5;
      query.tStart = query.tEnd = apart ? 0.2 : 0.75; /* the ball is at 3, the tetrahedron there then */
      brinkReport report = ask(s.world, &query);
      if (apart) {
        assert_int_equal(report.state, brink_free);
      } else {
        assert_int_equal(report.state, brink_overlap);
        assert_true(report.toi == 0.75);
      }
    }
  brinkContact contact;
  ASSERT_OK(s.world, api()->distance(s.world, s.moving, s.fixed, 0.2, &contact));
  assert_true(contact.state == brink_free && contact.distance > 1);
  endSmall(&s);
}

CASE(A09_times_that_are_none_are_refused) {
  Small s = newSmall(NULL);
  const double bad[] = {-1e-300, 1.0000001, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    brinkReport report = {.structSize = sizeof report};
    brinkQuery query = wholeStep();
    query.tStart = bad[i];
    REFUSED(&s, api()->firstContact(s.world, &query, &report), brink_errorBadTime);
    query = wholeStep();
    query.tEnd = bad[i];
    REFUSED(&s, api()->firstContact(s.world, &query, &report), brink_errorBadTime);
    brinkPose pose;
    REFUSED(&s, api()->bodyPose(s.world, s.body, bad[i], &pose), brink_errorBadTime);
    brinkContact contact;
    REFUSED(&s, api()->distance(s.world, s.moving, s.fixed, bad[i], &contact), brink_errorBadTime);
    brinkAabb box;
    REFUSED(&s, api()->sweptBounds(s.world, s.moving, 0, bad[i], &box), brink_errorBadTime);
    const brinkColliderPair *pairs;
    size_t count;
    REFUSED(&s, api()->nearPairs(s.world, bad[i], 0, &pairs, &count), brink_errorBadTime);
    REFUSED(&s, api()->leaveOutOverlaps(s.world, s.moving, s.fixed, bad[i], 0, &count), brink_errorBadTime);
    brinkContactPoint point;
    REFUSED(&s, api()->collide(s.world, s.moving, s.fixed, bad[i], 0, &point, 1, &count), brink_errorBadTime);
  }
  endSmall(&s);
}

CASE(A10_turns_without_measure_end_in_bounded_work_and_never_in_free) {
  Small s = newSmall(NULL);
  brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(4, 0, 0), vec(0, 0, 1e300));
  REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), brink_errorRange);
  motion = velocitiesMotion(at(0, 0, 0), vec(1e300, 0, 0), vec(0, 0, 0));
  REFUSED(&s, api()->setBodyMotion(s.world, s.body, &motion), brink_errorRange);
  for (double turns = 1e3; turns <= 1e8; turns *= 100) { /* 1e9 rad are the most */
    motion = velocitiesMotion(at(0, 0, 0), vec(4, 0, 0), vec(1, 0, 2 * PI * turns));
    ASSERT_OK(s.world, api()->setBodyMotion(s.world, s.body, &motion));
    for (uint32_t scheme = 0; scheme < 3; ++scheme) {
      brinkQuery query = wholeStep();
      query.scheme = scheme;
      query.maxIterations = 5000;
      brinkReport report = ask(s.world, &query);
      assert_int_not_equal(report.state, brink_free);
      assert_true(report.toi <= (3 - 0.5) / 4); /* its centre is in the ball by then */
      assert_true(report.counters.advancements + report.counters.nodePairs < 50000);
    }
  }
  endSmall(&s);
}

CASE(A11_tolerances_below_zero_or_beyond_the_objects_are_refused) {
  Small s = newSmall(NULL);
  brinkReport report = {.structSize = sizeof report};
  brinkQuery query = wholeStep(); /* 0 is the documented default */
  ASSERT_OK(s.world, api()->firstContact(s.world, &query, &report));
  assert_true(report.contacts[0].distance > 0 && report.contacts[0].distance <= 1e-6);
  const double bad[] = {-1e-9, -0x1p-1074, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    query.tolerance = bad[i];
    REFUSED(&s, api()->firstContact(s.world, &query, &report), brink_errorBadValue);
  }
  query.tolerance = 2; /* the tetrahedron's box has a diagonal of 1.73 */
  REFUSED(&s, api()->firstContact(s.world, &query, &report), brink_errorRange);
  query.tolerance = 1e300;
  REFUSED(&s, api()->firstContact(s.world, &query, &report), brink_errorRange);
  endSmall(&s);
}

CASE(A12_a_reversed_interval_is_refused) {
  NEEDS(BRINK_CLEARANCE_NAME);
  Small s = newSmall(NULL);
  brinkReport report = {.structSize = sizeof report};
  brinkQuery query = wholeStep();
  query.tStart = 0.6;
  query.tEnd = 0.59999999;
  REFUSED(&s, api()->firstContact(s.world, &query, &report), brink_errorBadTime);
  brinkAabb box;
  REFUSED(&s, api()->sweptBounds(s.world, s.moving, 0.5, 0.4, &box), brink_errorBadTime);
  const brinkClearanceTable *clearance = api()->getExtension(BRINK_CLEARANCE_NAME);
  const brinkClearanceQuery gap = {.structSize = sizeof gap, .tStart = 0.5, .tEnd = 0.4};
  brinkClearanceAnswer answer = {.structSize = sizeof answer};
  REFUSED(&s, clearance->measure(s.world, s.moving, s.fixed, &gap, &answer), brink_errorBadTime);
  endSmall(&s);
}

CASE(A13_null_is_refused) { /* every argument of every call: test_hostile_host */
  NEEDS(BRINK_CLEARANCE_NAME);
  NEEDS(BRINK_LINEAR_NAME);
  Small s = newSmall(NULL);
  assert_int_equal(api()->createWorld(NULL, NULL, NULL), brink_errorNullArgument);
  assert_int_equal(api()->createBody(NULL, NULL, NULL), brink_errorNullArgument);
  REFUSED(&s, api()->createBody(s.world, NULL, NULL), brink_errorNullArgument);
  const brinkLinearTable *linear = api()->getExtension(BRINK_LINEAR_NAME);
  const brinkClearanceTable *clearance = api()->getExtension(BRINK_CLEARANCE_NAME);
  const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1};
  brinkLinearContact out = {.structSize = sizeof out};
  REFUSED(&s, linear->firstContact(s.world, NULL, NULL, &query, &out), brink_errorNullArgument);
  REFUSED(&s, linear->firstContactWithCollider(s.world, NULL, s.moving, &query, &out), brink_errorNullArgument);
  REFUSED(&s, clearance->measure(s.world, s.moving, s.fixed, NULL, NULL), brink_errorNullArgument);
  assert_int_equal(clearance->measure(NULL, s.moving, s.fixed, NULL, NULL), brink_errorNullArgument);
  assert_null(api()->getExtension(NULL));
  endSmall(&s);
}

CASE(A14_handles_that_are_stale_foreign_or_forged_are_refused) {
  Small s = newSmall(NULL), other = newSmall(NULL);
  brinkBodyId gone = newBody(s.world, 0, at(0, 0, 0));
  ASSERT_OK(s.world, api()->destroyBody(s.world, gone)); /* between steps */
  const brinkBodyId bad[] = {gone, other.body, s.body ^ 1u, s.hull, 12345, UINT64_MAX};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    brinkBodyMotion motion = posesMotion(at(0, 0, 0), at(1, 0, 0));
    REFUSED(&s, api()->setBodyMotion(s.world, bad[i], &motion), brink_errorStale);
    brinkPose pose;
    REFUSED(&s, api()->bodyPose(s.world, bad[i], 0, &pose), brink_errorStale);
  }
  endSmall(&s);
  endSmall(&other);
}

CASE(A15_destroying_twice_is_refused_and_null_is_a_no_op) {
  Memory memory = {0};
  const brinkHost host = countingHost(&memory);
  Small s = newSmall(&host);
  assert_int_equal(api()->destroyWorld(NULL), brink_ok);
  brinkBodyId body = newBody(s.world, 0, at(0, 0, 0));
  brinkColliderId collider = newCollider(s.world, body, s.ball, at(50, 0, 0));
  ASSERT_OK(s.world, api()->destroyCollider(s.world, collider));
  REFUSED(&s, api()->destroyCollider(s.world, collider), brink_errorStale);
  ASSERT_OK(s.world, api()->destroyBody(s.world, body));
  REFUSED(&s, api()->destroyBody(s.world, body), brink_errorStale);
  ASSERT_OK(s.world, api()->destroyJoint(s.world, s.joint));
  REFUSED(&s, api()->destroyJoint(s.world, s.joint), brink_errorStale);
  REFUSED(&s, api()->destroyShape(s.world, 0), brink_errorStale);
  endSmall(&s);
  assert_int_equal(memory.blocks, 0);
}

CASE(A16_shapes_in_use_stay) {
  Small s = newSmall(NULL);
  REFUSED(&s, api()->destroyShape(s.world, s.ball), brink_errorInUse);
  const brinkShapeChild child = {s.hull, at(0, 0, 0)};
  brinkShapeDef compound = shapeDef(brink_compound, vec(0, 0, 0));
  compound.children = &child;
  compound.childCount = 1;
  brinkShapeId id;
  ASSERT_OK(s.world, api()->createShape(s.world, &compound, &id));
  ASSERT_OK(s.world, api()->destroyCollider(s.world, s.moving));
  REFUSED(&s, api()->destroyShape(s.world, s.hull), brink_errorInUse); /* a part of the compound */
  ASSERT_OK(s.world, api()->destroyShape(s.world, id));
  ASSERT_OK(s.world, api()->destroyShape(s.world, s.hull));
  endSmall(&s);
}

/* ---- callbacks */

static int tryAll(void *user) {
  Small *s = user;
  brinkQuery query = wholeStep();
  brinkReport report = {.structSize = sizeof report};
  brinkPose pose;
  assert_int_equal(api()->firstContact(s->world, &query, &report), brink_errorBusy);
  assert_int_equal(api()->destroyBody(s->world, s->body), brink_errorBusy);
  assert_int_equal(api()->bodyPose(s->world, s->body, 0, &pose), brink_errorBusy);
  assert_int_equal(api()->destroyWorld(s->world), brink_errorBusy);
  return 1;
}
static int tryFromFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t x, uint64_t y) {
  (void)a, (void)b, (void)x, (void)y;
  return tryAll(user);
}
static void tryFromSupport(void *user, const double d[3], double point[3]) {
  Small *s = user;
  if (s->world != NULL) tryAll(s);
  double l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int i = 0; i < 3; ++i) point[i] = 0.5 * d[i] / (l > 0 ? l : 1);
}
static void tryFromMotion(void *user, double t, brinkMotionState *out) {
  tryAll(user);
  out->pose = at(3 * t, 0, 5);
}
static void tryFromBound(void *user, double t0, double t1, brinkMotionBound *out) {
  (void)t0, (void)t1;
  tryAll(user);
  *out = (brinkMotionBound){.structSize = out->structSize, .speed = 3.001, .acceleration = INFINITY, .turnRate = 0};
}

CASE(A17_calls_from_inside_every_callback_are_busy) {
  Small s = newSmall(NULL);
  uint64_t before = printOf(&s);
  ASSERT_OK(s.world, api()->setPairFilter(s.world, tryFromFilter, &s));
  assert_true(printOf(&s) == before);
  ASSERT_OK(s.world, api()->setPairFilter(s.world, NULL, NULL));
  brinkQuery query = wholeStep();
  query.goOn = tryAll;
  query.goOnUser = &s;
  assert_int_equal(ask(s.world, &query).state, brink_hit);
  brinkShapeDef def = shapeDef(brink_support, vec(0, 0, 0));
  def.support = tryFromSupport;
  def.supportUser = &s;
  def.supportRadius = 1;
  brinkShapeId support;
  ASSERT_OK(s.world, api()->createShape(s.world, &def, &support));
  brinkBodyId body = newBody(s.world, 0, at(0, 0, 5));
  newCollider(s.world, body, support, at(0, 0, 0));
  newCollider(s.world, 0, s.ball, at(3, 0, 5));
  brinkBodyMotion motion = posesMotion(at(0, 0, 0), at(0, 0, 0));
  const brinkMotionPath path = {
      .structSize = sizeof path, .user = &s, .poseAt = tryFromMotion, .boundOver = tryFromBound};
  motion.kind = brink_motionUser;
  motion.path = &path;
  ASSERT_OK(s.world, api()->setBodyMotion(s.world, body, &motion));
  brinkReport report =
      ask(s.world, &(brinkQuery){.structSize = sizeof(brinkQuery), .tEnd = 1, .mode = brink_modePairs});
  assert_int_equal(report.contactCount, 2);
  endSmall(&s);
}

/* ---- threads */

static void *askOften(void *argument) {
  const Small *s = argument;
  uint64_t first = printOf(s);
  for (int i = 0; i < 200; ++i)
    if (printOf(s) != first) return NULL;
  return argument;
}

CASE(A18_worlds_are_independent_across_threads) {
  enum { THREADS = 4 };
  Small worlds[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) worlds[i] = newSmall(NULL);
  for (int i = 0; i < THREADS; ++i) assert_int_equal(pthread_create(&threads[i], NULL, askOften, &worlds[i]), 0);
  for (int i = 0; i < THREADS; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    assert_ptr_equal(result, &worlds[i]);
  }
  for (int i = 1; i < THREADS; ++i) assert_true(printOf(&worlds[i]) == printOf(&worlds[0]));
  for (int i = 0; i < THREADS; ++i) endSmall(&worlds[i]);
}

/* ---- trees */

CASE(A19_graphs_that_are_no_trees_are_refused_or_cut) {
  Small s = newSmall(NULL);
  uint64_t id;
  brinkJointDef joint = jointDef(s.body, s.body, vec(0, 0, 0), vec(0, 0, 0));
  REFUSED(&s, api()->createJoint(s.world, &joint, &id), brink_errorBadTree); /* its own parent */
  brinkBodyId probe = newBody(s.world, 0, at(0, 0, 0));
  ASSERT_OK(s.world, api()->destroyBody(s.world, probe));
  brinkBodyDef body = bodyDef(probe + 1u, at(0, 0, 0)); /* the handle it will get itself */
  REFUSED(&s, api()->createBody(s.world, &body, &id), brink_errorBadTree);
  body.parent = probe; /* missing */
  REFUSED(&s, api()->createBody(s.world, &body, &id), brink_errorStale);
  /* two parents by joints: a loop, cut and counted, the rest stays a tree */
  brinkBodyId a = newBody(s.world, 0, at(20, 0, 0)), b = newBody(s.world, 0, at(21, 0, 0)),
              c = newBody(s.world, 0, at(22, 0, 0));
  moveBody(s.world, a, at(20, 0, 0), at(20, 1, 0));
  moveBody(s.world, b, at(21, 0, 0), at(21, 1, 0));
  moveBody(s.world, c, at(22, 0, 0), at(22, 1, 0));
  newJoint(s.world, a, c, vec(1, 0, 0), vec(-1, 0, 0));
  newJoint(s.world, b, c, vec(1, 0, 0), vec(0, 0, 0));
  newJoint(s.world, a, b, vec(1, 0, 0), vec(0, 0, 0));
  ASSERT_OK(s.world, api()->destroyJoint(s.world, s.joint));
  brinkQuery query = wholeStep();
  assert_int_equal(ask(s.world, &query).counters.cutJoints, 1);
  endSmall(&s);
}

CASE(A20_no_link_one_link_and_ten_thousand) {
  brinkWorld *world = newWorld(NULL); /* nothing to ask about: free */
  brinkQuery query = wholeStep();
  assert_int_equal(ask(world, &query).state, brink_free);
  enum { LINKS = 10000 };
  brinkShapeId ball = newShape(world, brink_sphere, vec(0.4, 0, 0));
  newCollider(world, 0, ball, at(LINKS * 0.001, 1, 0));
  brinkBodyId parent = newBody(world, 0, at(0, 0, 0)); /* one link */
  brinkColliderId first = newCollider(world, parent, ball, at(0, 0, 0));
  assert_int_equal(ask(world, &query).state, brink_free);
  brinkPose step = at(0.001, 0, 0);
  for (int i = 1; i <= LINKS; ++i) {
    brinkBodyMotion motion = velocitiesMotion(step, vec(0, 2.0 / LINKS, 0), vec(0, 0, 0));
    parent = newBody(world, parent, step);
    ASSERT_OK(world, api()->setBodyMotion(world, parent, &motion));
  }
  newCollider(world, parent, ball, at(0, 0, 0));
  ASSERT_OK(world, api()->destroyCollider(world, first));
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    query.scheme = scheme;
    brinkReport report = ask(world, &query);
    assert_int_equal(report.state, brink_hit);
    ASSERT_NEAR(report.toi, 0.1, 1e-5); /* 0.2 m of 2 m */
    assert_true(report.toi <= 0.1);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* ---- sizes */

CASE(A21_counts_that_overflow_are_refused_before_anything_is_allocated) {
  NEEDS(BRINK_LINEAR_NAME);
  Memory memory = {0};
  const brinkHost host = countingHost(&memory);
  Small s = newSmall(&host);
  printOf(&s);
  const uint64_t requests = memory.requests;
  uint64_t id;
  const size_t huge[] = {(size_t)INT32_MAX + 1u, SIZE_MAX / 24 + 1, SIZE_MAX};
  for (size_t i = 0; i < sizeof huge / sizeof huge[0]; ++i) {
    brinkShapeDef def = shapeDef(brink_mesh, vec(1, 1, 0));
    def.mesh.vertices = tetrahedron;
    def.mesh.indices = tetrahedronFaces;
    def.mesh.vertexCount = 4;
    def.mesh.triangleCount = huge[i];
    ASSERT_STATUS(s.world, api()->createShape(s.world, &def, &id), brink_errorRange);
    def.mesh.vertexCount = huge[i];
    def.mesh.triangleCount = 4;
    ASSERT_STATUS(s.world, api()->createShape(s.world, &def, &id), brink_errorRange);
    def = shapeDef(brink_heightfield, vec(1, 1, 0));
    def.heights = tetrahedron;
    def.columns = huge[i];
    def.rows = huge[i];
    ASSERT_STATUS(s.world, api()->createShape(s.world, &def, &id), brink_errorRange);
    def.rows = 2;
    ASSERT_STATUS(s.world, api()->createShape(s.world, &def, &id), brink_errorRange);
    def = shapeDef(brink_compound, vec(0, 0, 0));
    const brinkShapeChild child = {s.ball, at(0, 0, 0)};
    def.children = &child;
    def.childCount = huge[i];
    ASSERT_STATUS(s.world, api()->createShape(s.world, &def, &id), brink_errorRange);
    const brinkLinearTable *linear = api()->getExtension(BRINK_LINEAR_NAME);
    brinkLinearBody body = {.structSize = sizeof body,
                            .vertices0 = tetrahedron,
                            .vertices1 = tetrahedron,
                            .vertexCount = huge[i],
                            .simplices = tetrahedronFaces,
                            .simplexCount = 4};
    if (huge[i] > UINT32_MAX) {
      const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1};
      brinkLinearContact out = {.structSize = sizeof out};
      ASSERT_STATUS(s.world, linear->firstContactWithCollider(s.world, &body, s.moving, &query, &out),
                    brink_errorRange);
    }
    assert_true(memory.requests == requests);
  }
  for (size_t i = 0; i < sizeof huge / sizeof huge[0]; ++i) { /* a path's own small block comes and goes */
    Store store;
    memset(&store, 0, sizeof store);
    odeControls(at(0, 0, 0), vec(1, 0, 0), vec(0, 0, 1), &store);
    store.path.controlCount = huge[i];
    brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
    motion.kind = brink_motionBezier;
    motion.path = &store.path;
    ASSERT_STATUS(s.world, api()->setBodyMotion(s.world, s.body, &motion), brink_errorBadValue);
  }
  endSmall(&s);
  assert_int_equal(memory.blocks, 0);
}

/* Paths, compounds, heightfields, both extensions, overlaps at rest; the rest of the table is in test_hostile_host. */
static brinkStatus useRest(const brinkHost *host, double *answer) {
  const brinkPlugin *plugin = api();
  brinkWorld *world = NULL;
  brinkStatus status = plugin->createWorld(host, NULL, &world);
  if (status != brink_ok) return status;
  static const double heights[9] = {0, 1, 0, 1, 0, 1, 0, 1, 0};
  brinkShapeDef def = shapeDef(brink_heightfield, vec(1, 1, 0));
  def.heights = heights;
  def.columns = def.rows = 3;
  brinkShapeId field = 0, ball = 0, pair = 0;
  status = plugin->createShape(world, &def, &field);
  def = shapeDef(brink_sphere, vec(0.5, 0, 0));
  if (status == brink_ok) status = plugin->createShape(world, &def, &ball);
  brinkShapeChild children[2] = {{ball, at(0, 0, 0)}, {ball, at(1, 0, 0)}};
  def = shapeDef(brink_compound, vec(0, 0, 0));
  def.children = children;
  def.childCount = 2;
  if (status == brink_ok) status = plugin->createShape(world, &def, &pair);
  brinkBodyId body = 0;
  brinkBodyDef bodyMade = bodyDef(0, at(0, 0, 0));
  if (status == brink_ok) status = plugin->createBody(world, &bodyMade, &body);
  brinkColliderId ground = 0, rider = 0;
  brinkColliderDef collider = colliderDef(0, field, at(0, 0, 0));
  if (status == brink_ok) status = plugin->createCollider(world, &collider, &ground);
  collider = colliderDef(body, pair, at(0, 0, 0));
  if (status == brink_ok) status = plugin->createCollider(world, &collider, &rider);
  Store store;
  memset(&store, 0, sizeof store);
  store.keys[0] = (brinkMotionKey){0, at(0.5, 1, 3), vec(0, 0, -1)};
  store.keys[1] = (brinkMotionKey){1, at(0.5, 1, 1), vec(0, 0, -3)};
  store.path = (brinkMotionPath){.structSize = sizeof store.path, .keys = store.keys, .keyCount = 2};
  brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
  motion.kind = brink_motionSpline;
  motion.path = &store.path;
  if (status == brink_ok) status = plugin->setBodyMotion(world, body, &motion);
  if (status == brink_ok) status = plugin->leaveOutOverlaps(world, ground, rider, 0.9, 0.01, NULL);
  const brinkClearanceTable *clearance = plugin->getExtension(BRINK_CLEARANCE_NAME);
  const brinkClearanceQuery gap = {.structSize = sizeof gap, .tEnd = 0.3};
  brinkClearanceAnswer far = {.structSize = sizeof far};
  if (status == brink_ok) status = clearance->measure(world, ground, rider, &gap, &far);
  const brinkLinearTable *linear = plugin->getExtension(BRINK_LINEAR_NAME);
  const brinkLinearBody flat = movingTetrahedron(tetrahedron, tetrahedron);
  const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1};
  brinkLinearContact out = {.structSize = sizeof out};
  if (status == brink_ok) status = linear->firstContactWithCollider(world, &flat, rider, &query, &out);
  brinkQuery whole = wholeStep();
  brinkReport report = {.structSize = sizeof report};
  if (status == brink_ok) status = plugin->firstContacts(world, &whole, 1, &report);
  if (status == brink_ok) *answer = report.toi + far.lower + out.toi;
  assert_int_equal(plugin->destroyWorld(world), brink_ok);
  return status;
}

CASE(A22_memory_may_run_out_at_any_request) {
  NEEDS(BRINK_CLEARANCE_NAME);
  NEEDS(BRINK_LINEAR_NAME);
  double expected = 0, answer = 0;
  Memory memory = {0};
  brinkHost host = countingHost(&memory);
  assert_int_equal(useRest(&host, &expected), brink_ok);
  const uint64_t requests = memory.requests;
  for (uint64_t k = 1; k <= requests; ++k)
    for (int from = 0; from < 2; ++from) {
      memory = (Memory){.failAt = k, .failOn = from};
      host = countingHost(&memory);
      brinkStatus status = useRest(&host, &answer);
      /* finer intervals are done without: coarser ones prove the same */
      if (status != brink_errorNoMemory && !(status == brink_ok && fabs(answer - expected) < 1e-5))
        fail_msg("request %llu failed: status %d", (unsigned long long)k, (int)status);
      assert_int_equal(memory.blocks, 0);
    }
  memory = (Memory){0};
  host = countingHost(&memory);
  assert_int_equal(useRest(&host, &answer), brink_ok);
  assert_true(answer == expected && memory.blocks == 0);
}

CASE(A23_spent_budgets_are_unresolved_with_a_true_prefix) {
  Small s = newSmall(NULL);
  brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(4, 0, 0), vec(20, 30, 10));
  ASSERT_OK(s.world, api()->setBodyMotion(s.world, s.body, &motion));
  for (uint32_t scheme = 0; scheme < 3; ++scheme) {
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    const double truth = ask(s.world, &query).toi;
    for (uint64_t budget = 1; budget < 200; ++budget) {
      query.maxIterations = budget;
      brinkReport report = ask(s.world, &query);
      assert_int_not_equal(report.state, brink_free);
      assert_true(report.toi <= truth + 1e-6);
      if (report.state == brink_unresolved) assert_true(report.toi <= truth);
    }
  }
  endSmall(&s);
}

CASE(A24_a_small_buffer_gets_the_deepest_points_first) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeId box = newShape(world, brink_box, vec(1, 1, 1));
  brinkPose a = at(0, 0, 0), b = {{0.2, 0.1, 1.99}, rotation(vec(0.02, 0.01, 0))};
  brinkContactPoint all[16], few[16];
  size_t count, smaller;
  ASSERT_OK(world, api()->collideShapes(world, box, &a, box, &b, 0.1, all, 16, &count));
  assert_true(count >= 4);
  double deepest = INFINITY;
  for (size_t i = 0; i < count; ++i) deepest = fmin(deepest, all[i].separation);
  for (size_t room = 1; room < count; ++room) {
    memset(few, 0x7f, sizeof few);
    ASSERT_OK(world, api()->collideShapes(world, box, &a, box, &b, 0.1, few, room, &smaller));
    assert_int_equal(smaller, room);
    double best = INFINITY;
    for (size_t i = 0; i < smaller; ++i) best = fmin(best, few[i].separation);
    ASSERT_NEAR(best, deepest, 1e-12);
    const unsigned char *behind = (const unsigned char *)&few[room];
    for (size_t i = 0; i < sizeof few - room * sizeof few[0]; ++i) assert_int_equal(behind[i], 0x7f);
  }
  ASSERT_OK(world, api()->collideShapes(world, box, &a, box, &b, 0.1, few, 16, &smaller)); /* nothing was lost */
  assert_int_equal(smaller, count);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(A25_versions_and_sizes_that_do_not_fit_are_refused) {
  /* every struct: test_hostile_host */
  const char *reason = NULL;
  assert_null(brinkEntry(BRINK_ABI_MAJOR + 1u, &reason));
  assert_true(reason != NULL && strlen(reason) > 0);
  assert_null(brinkEntry(0, NULL));
  Small s = newSmall(NULL);
  brinkQuery query = wholeStep();
  brinkReport report = {.structSize = 1};
  REFUSED(&s, api()->firstContact(s.world, &query, &report), brink_errorVersion);
  report.structSize = sizeof report;
  query.structSize = 0;
  REFUSED(&s, api()->firstContact(s.world, &query, &report), brink_errorVersion);
  endSmall(&s);
}

/* ---- floating-point modes */

#if defined(__x86_64__)
static uint64_t answersUnder(int rounding, bool flushing) {
  Small s = newSmall(NULL); /* cooking too */
  fesetround(rounding);
  if (flushing) _mm_setcsr(_mm_getcsr() | 0x8040u);
  const unsigned mode = _mm_getcsr() & 0xffc0u;
  brinkShapeId mesh = newTetrahedron(s.world, 0.37, false), hull = newTetrahedron(s.world, 0.41, true);
  uint64_t hash = printOf(&s);
  brinkBodyId body = newBody(s.world, 0, at(0, 0, 0));
  brinkColliderId a = newCollider(s.world, body, mesh, at(0.25, 0.5, 0.125)),
                  b = newCollider(s.world, 0, hull, at(2, 0.375, 0.5));
  brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(3, 0.25, 0.5), vec(2, 3, 4));
  ASSERT_OK(s.world, api()->setBodyMotion(s.world, body, &motion));
  hash ^= printOf(&s);
  const brinkClearanceTable *clearance = api()->getExtension(BRINK_CLEARANCE_NAME);
  const brinkClearanceQuery gap = {.structSize = sizeof gap, .tEnd = 0.2};
  brinkClearanceAnswer far = {.structSize = sizeof far};
  ASSERT_OK(s.world, clearance->measure(s.world, a, b, &gap, &far));
  const brinkLinearTable *linear = api()->getExtension(BRINK_LINEAR_NAME);
  const brinkLinearBody flat = movingTetrahedron(tetrahedron, tetrahedron);
  const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1};
  brinkLinearContact out = {.structSize = sizeof out};
  ASSERT_OK(s.world, linear->firstContactWithCollider(s.world, &flat, a, &query, &out));
  brinkPose pose = poseOf(s.world, body, 0.7);
  assert_true((_mm_getcsr() & 0xffc0u) == mode); /* the host's mode is its own */
  fesetround(FE_TONEAREST);
  _mm_setcsr(_mm_getcsr() & ~0x8040u);
  const double numbers[5] = {far.lower, far.upper, out.toi, out.distance, pose.position.x};
  for (size_t i = 0; i < sizeof numbers; ++i) hash = (hash ^ ((const unsigned char *)numbers)[i]) * 0x100000001b3u;
  endSmall(&s);
  return hash;
}
#endif

CASE(A26_the_hosts_floating_point_mode_changes_nothing_and_is_put_back) {
  NEEDS(BRINK_CLEARANCE_NAME);
  NEEDS(BRINK_LINEAR_NAME);
#if defined(__x86_64__)
  const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  const uint64_t expected = answersUnder(FE_TONEAREST, false);
  for (int i = 0; i < 8; ++i)
    if (answersUnder(modes[i % 4], i >= 4) != expected) fail_msg("mode %d, flushing %d: other answers", i % 4, i >= 4);
#else
  skip();
#endif
}

int main(void) { return cases_Run(NULL, NULL); }
