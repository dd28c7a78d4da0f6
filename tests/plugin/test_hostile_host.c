/* SPDX-License-Identifier: BSD-3-Clause */
/* Can a host break the plugin? NULL arguments, garbage and stale handles, NaN and huge values everywhere, wrong struct
 * sizes, memory that runs out at every single request, calls from inside callbacks. Each must give a named status and a
 * message, and leave the world as it was: a hash over everything that can be asked tells. */
#define _GNU_SOURCE
#include "brink/cook.h"
#include "cases.h"
#include "plugin_support.h"

/* ---- a small world and its fingerprint */

typedef struct Fixture {
  brinkWorld *world;
  brinkShapeId ball, box, hull, mesh;
  brinkBodyId a, b, c;
  brinkJointId joint, apart;
  brinkColliderId onA, onB, onC, fixed, terrain;
} Fixture;

static const double tetrahedron[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t tetrahedronFaces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static brinkShapeDef hullDef(void) { return surfaceDef(brink_hull, tetrahedron, 4, tetrahedronFaces, 4); }

/* A roof of four triangles: not convex, open. */
static const double roof[15] = {-1, -6, -1, 3, -6, -1, 3, -6, 2, -1, -6, 2, 1, -5, 0.5};
static const uint32_t roofFaces[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};

static brinkShapeDef meshDef(void) { return surfaceDef(brink_mesh, roof, 5, roofFaces, 4); }

/* Builds as much as memory allows; the first status that is not ok, or ok. */
#define TRY(call)                        \
  do {                                   \
    brinkStatus tried = (call);          \
    if (tried != brink_ok) return tried; \
  } while (0)

static brinkStatus build(Fixture *f, const brinkHost *host) {
  const brinkPlugin *plugin = api();
  memset(f, 0, sizeof *f);
  TRY(plugin->createWorld(host, NULL, &f->world));
  brinkShapeDef shape = shapeDef(brink_sphere, vec(0.5, 0, 0));
  TRY(plugin->createShape(f->world, &shape, &f->ball));
  shape = shapeDef(brink_box, vec(0.5, 0.25, 0.5));
  TRY(plugin->createShape(f->world, &shape, &f->box));
  shape = hullDef();
  TRY(plugin->createShape(f->world, &shape, &f->hull));
  shape = meshDef();
  TRY(plugin->createShape(f->world, &shape, &f->mesh));
  brinkBodyDef body = bodyDef(0, at(0, 0, 0));
  TRY(plugin->createBody(f->world, &body, &f->a));
  body.pose = at(2, 0, 0);
  TRY(plugin->createBody(f->world, &body, &f->b));
  body = bodyDef(f->b, at(0, 2, 0));
  TRY(plugin->createBody(f->world, &body, &f->c));
  brinkColliderDef collider = colliderDef(f->a, f->ball, at(0, 0, 0));
  TRY(plugin->createCollider(f->world, &collider, &f->onA));
  collider = colliderDef(f->b, f->box, at(0, 0, 0));
  TRY(plugin->createCollider(f->world, &collider, &f->onB));
  collider = colliderDef(f->c, f->hull, at(0, 0, 0));
  TRY(plugin->createCollider(f->world, &collider, &f->onC));
  collider = colliderDef(0, f->box, at(0, -3, 0));
  TRY(plugin->createCollider(f->world, &collider, &f->fixed));
  collider = colliderDef(0, f->mesh, at(0, 1, 0));
  TRY(plugin->createCollider(f->world, &collider, &f->terrain));
  brinkJointDef joint = jointDef(f->a, f->b, vec(1, 0, 0), vec(-1, 0, 0));
  TRY(plugin->createJoint(f->world, &joint, &f->joint));
  TRY(plugin->ignorePair(f->world, f->onA, f->onC, 1));
  joint = jointDef(f->b, f->c, vec(0, 2, 0), vec(0, 0, 0));
  joint.flags = BRINK_JOINT_COLLIDE_APART;
  joint.restMargin = 2;
  TRY(plugin->createJoint(f->world, &joint, &f->apart));
  TRY(plugin->leaveOutOverlaps(f->world, f->onC, f->terrain, 0.0, 7.5, NULL));
  brinkBodyMotion motion = posesMotion(at(0, 0, 0), at(0, -3, 0));
  TRY(plugin->setBodyMotion(f->world, f->a, &motion));
  motion = velocitiesMotion(at(2, 0, 0), vec(-1, -3, 0), vec(0, 0, 1));
  TRY(plugin->setBodyMotion(f->world, f->b, &motion));
  return brink_ok;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

static brinkStatus fingerprint(const Fixture *f, uint64_t *out) {
  const brinkPlugin *plugin = api();
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t mode = 0; mode <= 2; ++mode) {
    brinkQuery query = wholeStep();
    query.mode = mode;
    query.window = 1.0;
    brinkReport report;
    memset(&report, 0, sizeof report);
    report.structSize = sizeof report;
    TRY(plugin->firstContact(f->world, &query, &report));
    hash = mix(hash, &report.state, sizeof report.state);
    hash = mix(hash, &report.toi, sizeof report.toi);
    for (size_t i = 0; i < report.contactCount; ++i)
      hash = mix(hash, &report.contacts[i].toi, 4 * sizeof(double) + 3 * sizeof(brinkVec3));
    hash = mix(hash, &report.counters, sizeof report.counters);
  }
  const brinkBodyId bodies[3] = {f->a, f->b, f->c};
  for (int i = 0; i < 3; ++i) {
    brinkPose pose;
    TRY(plugin->bodyPose(f->world, bodies[i], 0.6, &pose));
    hash = mix(hash, &pose, sizeof pose);
  }
  const brinkColliderPair *pairs;
  size_t count;
  TRY(plugin->nearPairs(f->world, 0.5, 2.0, &pairs, &count));
  hash = mix(hash, &count, sizeof count);
  brinkContact contact;
  TRY(plugin->distance(f->world, f->onA, f->onB, 0.5, &contact));
  hash = mix(hash, &contact.distance, sizeof contact.distance);
  brinkContactPoint points[4];
  memset(points, 0, sizeof points);
  TRY(plugin->collide(f->world, f->onB, f->fixed, 1.0, 5.0, points, 4, &count));
  hash = mix(hash, &count, sizeof count);
  brinkAabb box;
  TRY(plugin->sweptBounds(f->world, f->onC, 0.0, 1.0, &box));
  *out = mix(hash, &box, sizeof box);
  return brink_ok;
}

static uint64_t mustPrint(const Fixture *f) {
  uint64_t hash = 0;
  ASSERT_OK(f->world, fingerprint(f, &hash));
  return hash;
}

#define REFUSED(call, expected)                                                                                        \
  do {                                                                                                                 \
    brinkStatus got = (call);                                                                                          \
    if (got != (expected))                                                                                             \
      fail_msg("%s gave %d (%s), expected %d (line %d)", #call, (int)got, plugin->lastError(f.world), (int)(expected), \
               __LINE__);                                                                                              \
    if (plugin->lastError(f.world)[0] == '\0') fail_msg("%s: no message (line %d)", #call, __LINE__);                  \
  } while (0)

/* ---- NULL */

CASE(null_arguments_are_refused) {
  const brinkPlugin *plugin = api();
  Fixture f;
  assert_int_equal(build(&f, NULL), brink_ok);
  uint64_t before = mustPrint(&f);
  brinkShapeDef shape = shapeDef(brink_sphere, vec(1, 0, 0));
  brinkBodyDef body = bodyDef(0, at(0, 0, 0));
  brinkBodyMotion motion = posesMotion(at(0, 0, 0), at(0, 0, 0));
  brinkJointDef joint = jointDef(f.a, f.b, vec(0, 0, 0), vec(0, 0, 0));
  brinkColliderDef collider = colliderDef(f.a, f.ball, at(0, 0, 0));
  brinkQuery query = wholeStep();
  brinkReport report = {.structSize = sizeof report};
  brinkPose pose = at(0, 0, 0);
  const brinkColliderPair *pairs;
  brinkContactPoint point;
  brinkContact contact;
  brinkAabb box;
  double value;
  size_t count;
  uint64_t id;

  assert_int_equal(plugin->createWorld(NULL, NULL, NULL), brink_errorNullArgument);
  assert_int_equal(plugin->destroyWorld(NULL), brink_ok);
  assert_true(strlen(plugin->lastError(NULL)) > 0);
  assert_int_equal(plugin->createShape(NULL, &shape, &id), brink_errorNullArgument);
  assert_int_equal(plugin->destroyShape(NULL, f.ball), brink_errorNullArgument);
  assert_int_equal(plugin->createBody(NULL, &body, &id), brink_errorNullArgument);
  assert_int_equal(plugin->destroyBody(NULL, f.a), brink_errorNullArgument);
  assert_int_equal(plugin->setBodyMotion(NULL, f.a, &motion), brink_errorNullArgument);
  assert_int_equal(plugin->createJoint(NULL, &joint, &id), brink_errorNullArgument);
  assert_int_equal(plugin->destroyJoint(NULL, f.joint), brink_errorNullArgument);
  assert_int_equal(plugin->createCollider(NULL, &collider, &id), brink_errorNullArgument);
  assert_int_equal(plugin->destroyCollider(NULL, f.onA), brink_errorNullArgument);
  assert_int_equal(plugin->setColliderPose(NULL, f.onA, &pose), brink_errorNullArgument);
  assert_int_equal(plugin->setColliderFilter(NULL, f.onA, 1, 1), brink_errorNullArgument);
  assert_int_equal(plugin->setPairFilter(NULL, NULL, NULL), brink_errorNullArgument);
  assert_int_equal(plugin->ignorePair(NULL, f.onA, f.onB, 1), brink_errorNullArgument);
  assert_int_equal(plugin->leaveOutOverlaps(NULL, f.onA, f.onB, 0, 0, &count), brink_errorNullArgument);
  assert_int_equal(plugin->firstContacts(NULL, &query, 1, &report), brink_errorNullArgument);
  assert_int_equal(plugin->jointResidual(NULL, f.joint, &value), brink_errorNullArgument);
  assert_int_equal(plugin->firstContact(NULL, &query, &report), brink_errorNullArgument);
  assert_int_equal(plugin->bodyPose(NULL, f.a, 0, &pose), brink_errorNullArgument);
  assert_int_equal(plugin->nearPairs(NULL, 0, 0, &pairs, &count), brink_errorNullArgument);
  assert_int_equal(plugin->collide(NULL, f.onA, f.onB, 0, 0, &point, 1, &count), brink_errorNullArgument);
  assert_int_equal(plugin->collideShapes(NULL, f.ball, &pose, f.ball, &pose, 0, &point, 1, &count),
                   brink_errorNullArgument);
  assert_int_equal(plugin->distance(NULL, f.onA, f.onB, 0, &contact), brink_errorNullArgument);
  assert_int_equal(plugin->colliderAllowance(NULL, f.onA, &value), brink_errorNullArgument);
  assert_int_equal(plugin->sweptBounds(NULL, f.onA, 0, 1, &box), brink_errorNullArgument);

  REFUSED(plugin->createShape(f.world, NULL, &id), brink_errorNullArgument);
  REFUSED(plugin->createShape(f.world, &shape, NULL), brink_errorNullArgument);
  REFUSED(plugin->createBody(f.world, NULL, &id), brink_errorNullArgument);
  REFUSED(plugin->createBody(f.world, &body, NULL), brink_errorNullArgument);
  REFUSED(plugin->setBodyMotion(f.world, f.a, NULL), brink_errorNullArgument);
  REFUSED(plugin->createJoint(f.world, NULL, &id), brink_errorNullArgument);
  REFUSED(plugin->createJoint(f.world, &joint, NULL), brink_errorNullArgument);
  REFUSED(plugin->createCollider(f.world, NULL, &id), brink_errorNullArgument);
  REFUSED(plugin->createCollider(f.world, &collider, NULL), brink_errorNullArgument);
  REFUSED(plugin->setColliderPose(f.world, f.onA, NULL), brink_errorNullArgument);
  REFUSED(plugin->firstContact(f.world, NULL, &report), brink_errorNullArgument);
  REFUSED(plugin->firstContact(f.world, &query, NULL), brink_errorNullArgument);
  REFUSED(plugin->bodyPose(f.world, f.a, 0, NULL), brink_errorNullArgument);
  REFUSED(plugin->nearPairs(f.world, 0, 0, NULL, &count), brink_errorNullArgument);
  REFUSED(plugin->nearPairs(f.world, 0, 0, &pairs, NULL), brink_errorNullArgument);
  REFUSED(plugin->collide(f.world, f.onA, f.onB, 0, 0, NULL, 1, &count), brink_errorNullArgument);
  REFUSED(plugin->collide(f.world, f.onA, f.onB, 0, 0, &point, 1, NULL), brink_errorNullArgument);
  REFUSED(plugin->collide(f.world, f.onA, f.onB, 0, 0, &point, 0, &count), brink_errorBadValue);
  REFUSED(plugin->collideShapes(f.world, f.ball, NULL, f.ball, &pose, 0, &point, 1, &count), brink_errorNullArgument);
  REFUSED(plugin->collideShapes(f.world, f.ball, &pose, f.ball, NULL, 0, &point, 1, &count), brink_errorNullArgument);
  REFUSED(plugin->distance(f.world, f.onA, f.onB, 0, NULL), brink_errorNullArgument);
  REFUSED(plugin->colliderAllowance(f.world, f.onA, NULL), brink_errorNullArgument);
  REFUSED(plugin->sweptBounds(f.world, f.onA, 0, 1, NULL), brink_errorNullArgument);
  REFUSED(plugin->jointResidual(f.world, f.joint, NULL), brink_errorNullArgument);
  REFUSED(plugin->firstContacts(f.world, NULL, 1, &report), brink_errorNullArgument);
  REFUSED(plugin->firstContacts(f.world, &query, 1, NULL), brink_errorNullArgument);
  shape = hullDef();
  shape.mesh.vertices = NULL;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorNullArgument);
  shape = hullDef();
  shape.mesh.indices = NULL;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorNullArgument);

  assert_true(mustPrint(&f) == before);
  assert_string_equal(plugin->lastError(f.world), "");
  ASSERT_OK(f.world, plugin->destroyWorld(f.world));
}

/* ---- handles */

CASE(garbage_and_stale_handles_are_refused) {
  const brinkPlugin *plugin = api();
  Fixture f, other;
  assert_int_equal(build(&f, NULL), brink_ok);
  assert_int_equal(build(&other, NULL), brink_ok);
  uint64_t before = mustPrint(&f);
  Random random = {99};
  brinkPose pose = at(0, 0, 0);
  brinkContact contact;
  brinkColliderDef collider = colliderDef(f.a, f.ball, at(0, 0, 0));
  uint64_t id;
  for (int i = 0; i < 2000; ++i) {
    uint64_t forged;
    switch (i % 8) {
      case 0:
        forged = 0;
        break;
      case 1:
        forged = UINT64_MAX;
        break;
      case 2:
        forged = other.a;
        break; /* another world's */
      case 3:
        forged = f.ball;
        break; /* another kind */
      case 4:
        forged = f.a ^ (uint64_t)1 << (nextBits(&random) % 64);
        break; /* one bit wrong */
      case 5:
        forged = f.a + ((uint64_t)1 << 20) * 50;
        break; /* index out of range */
      case 6:
        forged = (uint64_t)i;
        break;
      default:
        forged = nextBits(&random);
        break;
    }
    const uint64_t living[] = {f.a,   f.b,   f.c,   f.joint, f.ball, f.box,     f.hull,
                               f.onA, f.onB, f.onC, f.fixed, f.mesh, f.terrain, f.apart};
    bool lives = false;
    for (size_t k = 0; k < sizeof living / sizeof living[0]; ++k) lives = lives || (forged == living[k] && i % 8 != 3);
    if (lives) continue; /* one wrong bit can make a good handle of another kind */
    REFUSED(plugin->destroyBody(f.world, forged), brink_errorStale);
    REFUSED(plugin->bodyPose(f.world, forged, 0, &pose), brink_errorStale);
    if (forged != f.ball) REFUSED(plugin->destroyShape(f.world, forged), brink_errorStale);
    REFUSED(plugin->destroyJoint(f.world, forged), brink_errorStale);
    REFUSED(plugin->destroyCollider(f.world, forged), brink_errorStale);
    REFUSED(plugin->setColliderPose(f.world, forged, &pose), brink_errorStale);
    REFUSED(plugin->setColliderFilter(f.world, forged, 1, 1), brink_errorStale);
    REFUSED(plugin->ignorePair(f.world, f.onA, forged, 1), brink_errorStale);
    REFUSED(plugin->distance(f.world, forged, f.onA, 0, &contact), brink_errorStale);
    REFUSED(plugin->leaveOutOverlaps(f.world, forged, f.onA, 0, 0, NULL), brink_errorStale);
    REFUSED(plugin->leaveOutOverlaps(f.world, f.onA, forged, 0, 0, NULL), brink_errorStale);
    double residual;
    REFUSED(plugin->jointResidual(f.world, forged, &residual), brink_errorStale);
    if (forged != 0) {
      brinkBodyDef body = bodyDef(forged, at(0, 0, 0));
      brinkStatus status = plugin->createBody(f.world, &body, &id);
      assert_true(status == brink_errorStale ||
                  status == brink_errorBadTree); /* it may be the next body's own handle */
      collider.body = forged;
      REFUSED(plugin->createCollider(f.world, &collider, &id), brink_errorStale);
      brinkJointDef joint = jointDef(f.a, forged, vec(0, 0, 0), vec(0, 0, 0));
      REFUSED(plugin->createJoint(f.world, &joint, &id), brink_errorStale);
      brinkQuery query = wholeStep();
      query.onlyBody = forged;
      brinkReport report = {.structSize = sizeof report};
      REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorStale);
    }
  }
  assert_true(mustPrint(&f) == before);

  /* In use, then gone, then gone twice. */
  REFUSED(plugin->destroyShape(f.world, f.ball), brink_errorInUse);
  ASSERT_OK(f.world, plugin->destroyCollider(f.world, f.onA));
  REFUSED(plugin->destroyCollider(f.world, f.onA), brink_errorStale);
  ASSERT_OK(f.world, plugin->destroyShape(f.world, f.ball));
  REFUSED(plugin->destroyShape(f.world, f.ball), brink_errorStale);
  ASSERT_OK(f.world, plugin->destroyBody(f.world, f.b));
  REFUSED(plugin->destroyBody(f.world, f.b), brink_errorStale);
  REFUSED(plugin->destroyJoint(f.world, f.joint), brink_errorStale); /* went with the body */
  REFUSED(plugin->destroyCollider(f.world, f.onB), brink_errorStale);
  brinkBodyId again = newBody(f.world, 0, at(0, 0, 0)); /* takes the slot: the old handle must not fit */
  assert_true(again != f.b);
  REFUSED(plugin->bodyPose(f.world, f.b, 0, &pose), brink_errorStale);
  ASSERT_OK(f.world, plugin->destroyWorld(f.world));
  ASSERT_OK(other.world, plugin->destroyWorld(other.world));
}

CASE(trees_that_are_none_are_refused) {
  const brinkPlugin *plugin = api();
  Fixture f;
  assert_int_equal(build(&f, NULL), brink_ok);
  uint64_t before = mustPrint(&f);
  uint64_t id = 0;
  brinkJointDef joint = jointDef(f.a, f.a, vec(0, 0, 0), vec(0, 0, 0));
  REFUSED(plugin->createJoint(f.world, &joint, &id), brink_errorBadTree);
  joint = jointDef(0, 0, vec(0, 0, 0), vec(0, 0, 0));
  REFUSED(plugin->createJoint(f.world, &joint, &id), brink_errorBadTree);
  /* The handle that the next body will have can be guessed: it would be its own parent. */
  brinkBodyId probe = newBody(f.world, 0, at(0, 0, 0));
  ASSERT_OK(f.world, plugin->destroyBody(f.world, probe));
  brinkBodyDef body = bodyDef(probe + 1u, at(0, 0, 0)); /* same slot, next generation */
  REFUSED(plugin->createBody(f.world, &body, &id), brink_errorBadTree);
  assert_non_null(strstr(plugin->lastError(f.world), "own parent"));
  assert_int_equal(id, 0);
  assert_true(mustPrint(&f) == before);
  ASSERT_OK(f.world, plugin->destroyWorld(f.world));
}

/* ---- values */

/* Every double of a struct in turn becomes poison; each call must be refused as told and change nothing. */
typedef brinkStatus Call(const Fixture *f, void *argument);

static void poison(const Fixture *f, void *argument, size_t offset, size_t count, Call *call, bool rotationIsThere) {
  static const double poisons[] = {NAN, -NAN, INFINITY, -INFINITY};
  uint64_t before = mustPrint(f);
  for (size_t i = 0; i < count; ++i) {
    double kept;
    memcpy(&kept, (char *)argument + offset + i * sizeof kept, sizeof kept);
    for (size_t p = 0; p < sizeof poisons / sizeof poisons[0]; ++p) {
      memcpy((char *)argument + offset + i * sizeof kept, &poisons[p], sizeof kept);
      brinkStatus status = call(f, argument);
      if (status != brink_errorBadValue && status != brink_errorBadTime)
        fail_msg("double %zu at offset %zu as %g: status %d", i, offset, poisons[p], (int)status);
      assert_true(strlen(api()->lastError(f->world)) > 0);
    }
    bool isPosition = rotationIsThere && i % 7 < 3;
    double huge = 1e155;
    memcpy((char *)argument + offset + i * sizeof kept, &huge, sizeof huge);
    if (isPosition && call(f, argument) != brink_errorRange) fail_msg("1e155 at double %zu is not out of range", i);
    memcpy((char *)argument + offset + i * sizeof kept, &kept, sizeof kept);
  }
  assert_true(mustPrint(f) == before);
}

static brinkStatus callBody(const Fixture *f, void *argument) {
  brinkBodyId id;
  return api()->createBody(f->world, argument, &id);
}
static brinkStatus callMotion(const Fixture *f, void *argument) {
  return api()->setBodyMotion(f->world, f->c, argument);
}
static brinkStatus callJoint(const Fixture *f, void *argument) {
  brinkJointId id;
  return api()->createJoint(f->world, argument, &id);
}
static brinkStatus callCollider(const Fixture *f, void *argument) {
  brinkColliderId id;
  return api()->createCollider(f->world, argument, &id);
}
static brinkStatus callShape(const Fixture *f, void *argument) {
  brinkShapeId id;
  return api()->createShape(f->world, argument, &id);
}
static brinkStatus callPose(const Fixture *f, void *argument) {
  return api()->setColliderPose(f->world, f->onA, argument);
}
static brinkStatus callQuery(const Fixture *f, void *argument) {
  brinkReport report = {.structSize = sizeof report};
  return api()->firstContact(f->world, argument, &report);
}

CASE(nan_and_infinity_are_refused_everywhere) {
  Fixture f;
  assert_int_equal(build(&f, NULL), brink_ok);
  brinkBodyDef body = bodyDef(0, at(0, 0, 0));
  poison(&f, &body, offsetof(brinkBodyDef, pose), 7, callBody, true);
  brinkBodyMotion motion = posesMotion(at(0, 0, 0), at(1, 0, 0));
  motion.flags = BRINK_MOTION_HAS_SPIN;
  poison(&f, &motion, offsetof(brinkBodyMotion, pose0), 14, callMotion, true);
  poison(&f, &motion, offsetof(brinkBodyMotion, spin), 3, callMotion, false);
  motion = velocitiesMotion(at(0, 0, 0), vec(1, 0, 0), vec(1, 0, 0));
  poison(&f, &motion, offsetof(brinkBodyMotion, pose0), 7, callMotion, true);
  poison(&f, &motion, offsetof(brinkBodyMotion, velocity), 6, callMotion, false);
  brinkJointDef joint = jointDef(f.a, f.b, vec(0, 0, 0), vec(0, 0, 0));
  poison(&f, &joint, offsetof(brinkJointDef, anchorA), 7, callJoint, false); /* restMargin too */
  brinkColliderDef collider = colliderDef(f.a, f.ball, at(0, 0, 0));
  poison(&f, &collider, offsetof(brinkColliderDef, pose), 7, callCollider, true);
  poison(&f, &collider, offsetof(brinkColliderDef, allowance), 1, callCollider, false);
  brinkPose pose = at(0, 0, 0);
  poison(&f, &pose, 0, 7, callPose, true);
  brinkShapeDef shape = shapeDef(brink_box, vec(1, 1, 1));
  poison(&f, &shape, offsetof(brinkShapeDef, size), 3, callShape, false);
  poison(&f, &shape, offsetof(brinkShapeDef, margin), 1, callShape, false);
  shape = shapeDef(brink_plane, vec(0, 0, 0));
  shape.normal = vec(0, 0, 1);
  poison(&f, &shape, offsetof(brinkShapeDef, normal), 3, callShape, false);
  poison(&f, &shape, offsetof(brinkShapeDef, offset), 1, callShape, false);
  shape = shapeDef(brink_segment, vec(1, 0, 0));
  poison(&f, &shape, offsetof(brinkShapeDef, size), 3, callShape, false);
  brinkQuery query = wholeStep();
  poison(&f, &query, offsetof(brinkQuery, tStart), 4, callQuery, false);
  /* vertices: each component */
  double vertices[12];
  for (int i = 0; i < 12; ++i) {
    memcpy(vertices, tetrahedron, sizeof vertices);
    shape = hullDef();
    shape.mesh.vertices = vertices;
    vertices[i] = i % 2 ? NAN : -INFINITY;
    assert_int_equal(callShape(&f, &shape), brink_errorBadValue);
    char expected[32];
    snprintf(expected, sizeof expected, "vertices[%d].%c", i / 3, "xyz"[i % 3]);
    if (strstr(api()->lastError(f.world), expected) == NULL)
      fail_msg("message '%s' does not name %s", api()->lastError(f.world), expected);
    vertices[i] = 1e200;
    assert_int_equal(callShape(&f, &shape), brink_errorRange);
  }
  ASSERT_OK(f.world, api()->destroyWorld(f.world));
}

CASE(values_out_of_their_domain_are_refused) {
  const brinkPlugin *plugin = api();
  Fixture f;
  assert_int_equal(build(&f, NULL), brink_ok);
  uint64_t before = mustPrint(&f);
  uint64_t id;
  /* zero quaternions */
  brinkPose bad = {{0, 0, 0}, {0, 0, 0, 0}};
  brinkBodyDef body = bodyDef(0, bad);
  REFUSED(plugin->createBody(f.world, &body, &id), brink_errorBadRotation);
  REFUSED(plugin->setColliderPose(f.world, f.onA, &bad), brink_errorBadRotation);
  brinkBodyMotion motion = posesMotion(at(0, 0, 0), bad);
  REFUSED(plugin->setBodyMotion(f.world, f.a, &motion), brink_errorBadRotation);
  brinkColliderDef collider = colliderDef(f.a, f.ball, bad);
  REFUSED(plugin->createCollider(f.world, &collider, &id), brink_errorBadRotation);
  /* kinds, flags, types */
  motion = posesMotion(at(0, 0, 0), at(0, 0, 0));
  motion.kind = 8;
  REFUSED(plugin->setBodyMotion(f.world, f.a, &motion), brink_errorBadValue);
  motion = posesMotion(at(0, 0, 0), at(0, 0, 0));
  motion.flags = 8;
  REFUSED(plugin->setBodyMotion(f.world, f.a, &motion), brink_errorBadValue);
  motion = velocitiesMotion(at(0, 0, 0), vec(0, 0, 0), vec(1e300, 0, 0));
  REFUSED(plugin->setBodyMotion(f.world, f.a, &motion), brink_errorRange);
  motion = velocitiesMotion(at(0, 0, 0), vec(0, 1e300, 0), vec(0, 0, 0));
  REFUSED(plugin->setBodyMotion(f.world, f.a, &motion), brink_errorRange);
  brinkShapeDef shape = shapeDef((brinkShapeType)0, vec(1, 1, 1));
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  shape = shapeDef((brinkShapeType)77, vec(1, 1, 1));
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  shape = shapeDef(brink_sphere, vec(-1, 0, 0));
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  shape = shapeDef(brink_sphere, vec(0, 0, 0));
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  shape = shapeDef(brink_box, vec(1, 0, 1));
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  shape = shapeDef(brink_box, vec(1, 1, 1));
  shape.margin = -1;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  shape = shapeDef(brink_box, vec(1, 1, 1));
  shape.flags = 64;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  shape = shapeDef(brink_plane, vec(0, 0, 0));
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  shape = shapeDef(brink_box, vec(1e200, 1, 1));
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorRange);
  /* meshes */
  shape = hullDef();
  shape.mesh.vertexCount = 0;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorEmpty);
  shape = hullDef();
  shape.type = brink_mesh;
  shape.mesh.triangleCount = 0;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorEmpty);
  shape = hullDef();
  shape.mesh.vertexCount = 3; /* triangles name vertex 3 */
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadIndex);
  shape = hullDef();
  shape.mesh.vertexCount = SIZE_MAX / 8;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorRange);
  shape = hullDef();
  shape.mesh.triangleCount = (size_t)INT32_MAX + 1u;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorRange);
  static const double rubbish[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  shape = shapeDef(brink_mesh, vec(0, 0, 0));
  shape.blob = rubbish;
  shape.blobSize = sizeof rubbish;
  assert_int_not_equal(plugin->createShape(f.world, &shape, &id), brink_ok);
  shape.blob = (const char *)rubbish + 1;
  shape.blobSize = 32;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  /* a blob beside another mesh than its own */
  shape = hullDef();
  shape.type = brink_mesh;
  void *cooked;
  assert_int_equal(brinkCook(&shape.mesh, NULL, &cooked, &shape.blobSize, NULL, 0), brink_ok);
  shape.blob = cooked;
  ASSERT_OK(f.world, plugin->createShape(f.world, &shape, &id));
  ASSERT_OK(f.world, plugin->destroyShape(f.world, id));
  --shape.mesh.triangleCount;
  REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorBadValue);
  brinkFreeBlob(cooked);
  /* two half-spaces across each other overlap without contact points */
  shape = shapeDef(brink_plane, vec(0, 0, 0));
  shape.normal = vec(0, 0, 1e-200);
  brinkShapeId plane;
  ASSERT_OK(f.world, plugin->createShape(f.world, &shape, &plane));
  brinkContactPoint point;
  size_t count = 9;
  brinkPose pose = at(0, 0, 0);
  ASSERT_OK(f.world, plugin->collideShapes(f.world, plane, &pose, plane, &pose, 0.1, &point, 1, &count));
  assert_int_equal(count, 0);
  ASSERT_OK(f.world, plugin->destroyShape(f.world, plane));
  /* times and tolerances */
  brinkReport report = {.structSize = sizeof report};
  brinkQuery query = wholeStep();
  query.tStart = 0.75;
  query.tEnd = 0.25;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadTime);
  query = wholeStep();
  query.tEnd = 1.5;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadTime);
  query = wholeStep();
  query.tStart = -1e-300;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadTime);
  query = wholeStep();
  query.tolerance = -1e-9;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadValue);
  query = wholeStep();
  query.tolerance = 1000;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorRange);
  query = wholeStep();
  query.window = -1;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadValue);
  query = wholeStep();
  query.mode = 3;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadValue);
  query = wholeStep();
  query.scheme = 3;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadValue);
  query = wholeStep();
  query.watch = 2;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadValue);
  REFUSED(plugin->bodyPose(f.world, f.a, -0.1, &pose), brink_errorBadTime);
  REFUSED(plugin->bodyPose(f.world, f.a, NAN, &pose), brink_errorBadTime);
  brinkAabb box;
  REFUSED(plugin->sweptBounds(f.world, f.onA, 0.5, 0.4, &box), brink_errorBadTime);
  const brinkColliderPair *pairs;
  REFUSED(plugin->nearPairs(f.world, 0.5, -1, &pairs, &count), brink_errorBadValue);
  REFUSED(plugin->nearPairs(f.world, 2, 0, &pairs, &count), brink_errorBadTime);
  REFUSED(plugin->collide(f.world, f.onA, f.onB, 0, NAN, &point, 1, &count), brink_errorBadValue);
  brinkContact contact;
  REFUSED(plugin->distance(f.world, f.onA, f.onA, 0, &contact), brink_errorBadValue);
  REFUSED(plugin->ignorePair(f.world, f.onA, f.onA, 1), brink_errorBadValue);
  REFUSED(plugin->leaveOutOverlaps(f.world, f.onA, f.onA, 0, 0, &count), brink_errorBadValue);
  REFUSED(plugin->leaveOutOverlaps(f.world, f.onA, f.onB, 2, 0, &count), brink_errorBadTime);
  REFUSED(plugin->leaveOutOverlaps(f.world, f.onA, f.onB, NAN, 0, &count), brink_errorBadTime);
  REFUSED(plugin->leaveOutOverlaps(f.world, f.onA, f.onB, 0, -1, &count), brink_errorBadValue);
  REFUSED(plugin->leaveOutOverlaps(f.world, f.onA, f.onB, 0, NAN, &count), brink_errorBadValue);
  REFUSED(plugin->leaveOutOverlaps(f.world, f.onA, f.onB, 0, 1e155, &count), brink_errorRange);
  brinkJointDef joint = jointDef(f.a, f.b, vec(0, 0, 0), vec(0, 0, 0));
  joint.flags = 8;
  REFUSED(plugin->createJoint(f.world, &joint, &id), brink_errorBadValue);
  joint.flags = BRINK_JOINT_COLLIDE_APART;
  joint.restMargin = -1;
  REFUSED(plugin->createJoint(f.world, &joint, &id), brink_errorBadValue);
  query = wholeStep();
  query.flags = 8;
  REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorBadValue);
  assert_true(mustPrint(&f) == before);
  ASSERT_OK(f.world, plugin->destroyWorld(f.world));
}

CASE(odd_but_legal_values_work) {
  const brinkPlugin *plugin = api();
  brinkWorld *world = newWorld(NULL);
  brinkShapeId ball = newShape(world, brink_sphere, vec(1, 0, 0));
  /* A06: any nonzero quaternion is normalised, however long */
  const double lengths[] = {0.5, 2.0, 1e-150, 1e150, 1.0 + 1e-15};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
    brinkQuat q = rotation(vec(0.3, 0.4, 0.5));
    brinkPose pose = {{1, 2, 3}, {lengths[i] * q.w, lengths[i] * q.x, lengths[i] * q.y, lengths[i] * q.z}};
    brinkBodyId body = newBody(world, 0, pose);
    ASSERT_NEAR(poseError(poseOf(world, body, 0.5), (brinkPose){{1, 2, 3}, q}), 0.0, 1e-14);
  }
  /* A03: denormals everywhere; never NaN out */
  brinkPose tiny = {{4.9e-324, -4.9e-324, 0}, {1, 4.9e-324, 0, 0}};
  brinkBodyId body = newBody(world, 0, tiny);
  newCollider(world, body, ball, tiny);
  brinkBodyMotion motion = velocitiesMotion(tiny, vec(4.9e-324, 0, 0), vec(0, 4.9e-324, 0));
  ASSERT_OK(world, plugin->setBodyMotion(world, body, &motion));
  newCollider(world, 0, ball, at(3, 0, 0));
  brinkQuery query = wholeStep();
  assert_int_equal(ask(world, &query).state, brink_free);
  brinkPose pose = poseOf(world, body, 0.7);
  assert_true(isfinite(pose.position.x) && isfinite(pose.rotation.w));
  /* A10: a million turns per step: an answer or an honest bound, in bounded time */
  motion = velocitiesMotion(at(0, 0, 0), vec(1.5, 0, 0), vec(0, 0, 2e6 * PI));
  ASSERT_OK(world, plugin->setBodyMotion(world, body, &motion));
  query.maxIterations = 20000;
  brinkReport report = ask(world, &query);
  assert_true(report.state == brink_hit || report.state == brink_unresolved);
  assert_true(report.toi <= 2.0 / 3.0);
  ASSERT_OK(world, plugin->destroyWorld(world));
}

CASE(work_budget_ends_in_unresolved_with_a_proven_prefix) {
  const brinkPlugin *plugin = api();
  brinkWorld *world = newWorld(NULL);
  brinkShapeId box = newShape(world, brink_box, vec(1, 0.01, 0.02));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, box, at(0, 0, 0));
  newCollider(world, 0, newShape(world, brink_box, vec(0.1, 0.1, 0.1)), at(0, 1.3, 0.1));
  brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(0, 1, 0), vec(1, 2, 300));
  ASSERT_OK(world, plugin->setBodyMotion(world, body, &motion));
  brinkQuery query = wholeStep();
  brinkReport whole = ask(world, &query);
  assert_int_equal(whole.state, brink_hit);
  double hit = whole.toi;
  for (uint64_t budget = 1; budget < 40; budget = budget * 2 + 1) {
    query.maxIterations = budget;
    brinkReport report = ask(world, &query);
    if (report.state != brink_unresolved && report.state != brink_hit)
      fail_msg("budget %llu: state %u, toi %g (without a budget %g)", (unsigned long long)budget, report.state,
               report.toi, hit);
    if (report.state == brink_unresolved) {
      assert_true(report.toi <= hit + 1e-9);
      assert_int_equal(report.counters.unresolved, 1);
      assert_int_equal(report.contactCount, 1);
    }
  }
  ASSERT_OK(world, plugin->destroyWorld(world));
}

/* Once a read out of bounds: a curvature slack beyond float's range kept even the empty lanes of a wide node "alive".
 */
CASE(meshes_that_spin_beyond_all_measure_stay_in_bounds) {
  const brinkPlugin *plugin = api();
  brinkWorld *world = newWorld(NULL);
  brinkShapeDef def = meshDef();
  brinkShapeId mesh;
  ASSERT_OK(world, plugin->createShape(world, &def, &mesh));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, mesh, at(0, 0, 0));
  newCollider(world, 0, mesh, at(0, 3, 0));
  for (double spin = 1e3; spin <= 1e9; spin *= 10) {
    brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(0, 1, 0), vec(spin, 0.3 * spin, -0.1 * spin));
    ASSERT_OK(world, plugin->setBodyMotion(world, body, &motion));
    brinkQuery query = wholeStep();
    query.maxIterations = 20000;
    brinkReport report = ask(world, &query);
    /* apart all the time: 0.55 m in 200,000 samples of the time */
    assert_true(report.state == brink_free || report.state == brink_unresolved);
    assert_true(report.toi >= 0.0 && (report.toi <= 1.0 || report.state == brink_free));
  }
  ASSERT_OK(world, plugin->destroyWorld(world));
}

/* ---- sizes and versions */

CASE(wrong_struct_sizes_are_refused) {
  const brinkPlugin *plugin = api();
  Fixture f;
  assert_int_equal(build(&f, NULL), brink_ok);
  uint64_t before = mustPrint(&f);
  const int delta[3] = {-8, 8, 100000};
  for (int i = 0; i < 3; ++i) {
    uint64_t id;
    brinkShapeDef shape = shapeDef(brink_sphere, vec(1, 0, 0));
    shape.structSize = (uint32_t)((int)shape.structSize + delta[i]);
    REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorVersion);
    shape = hullDef();
    shape.mesh.structSize = (uint32_t)((int)shape.mesh.structSize + delta[i]);
    REFUSED(plugin->createShape(f.world, &shape, &id), brink_errorVersion);
    brinkBodyDef body = bodyDef(0, at(0, 0, 0));
    body.structSize = (uint32_t)((int)body.structSize + delta[i]);
    REFUSED(plugin->createBody(f.world, &body, &id), brink_errorVersion);
    brinkBodyMotion motion = posesMotion(at(0, 0, 0), at(0, 0, 0));
    /* 8 less is the size that minor 0 had: understood */
    motion.structSize = (uint32_t)((int)motion.structSize + (delta[i] < 0 ? -16 : delta[i]));
    REFUSED(plugin->setBodyMotion(f.world, f.a, &motion), brink_errorVersion);
    brinkJointDef joint = jointDef(f.a, f.b, vec(0, 0, 0), vec(0, 0, 0));
    joint.structSize = (uint32_t)((int)joint.structSize + (delta[i] < 0 ? -16 : delta[i]));
    REFUSED(plugin->createJoint(f.world, &joint, &id), brink_errorVersion);
    brinkColliderDef collider = colliderDef(f.a, f.ball, at(0, 0, 0));
    collider.structSize = (uint32_t)((int)collider.structSize + delta[i]);
    REFUSED(plugin->createCollider(f.world, &collider, &id), brink_errorVersion);
    brinkQuery query = wholeStep();
    brinkReport report = {.structSize = sizeof report};
    query.structSize = (uint32_t)((int)offsetof(brinkQuery, threshold) + delta[i]); /* of minor 0 */
    if (query.structSize != offsetof(brinkQuery, flags))                            /* of minor 1 */
      REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorVersion);
    query.structSize = (uint32_t)((int)sizeof query + delta[i]);
    REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorVersion);
    query = wholeStep();
    report.structSize = (uint32_t)((int)report.structSize + delta[i]);
    REFUSED(plugin->firstContact(f.world, &query, &report), brink_errorVersion);
    brinkWorld *world = NULL;
    brinkWorldDef def = {.structSize = (uint32_t)((int)sizeof def + delta[i])};
    assert_int_equal(plugin->createWorld(NULL, &def, &world), brink_errorVersion);
    brinkHost host = {.structSize = (uint32_t)((int)sizeof host + delta[i]), .abiMajor = BRINK_ABI_MAJOR};
    assert_int_equal(plugin->createWorld(&host, NULL, &world), brink_errorVersion);
    assert_null(world);
  }
  brinkWorld *world = NULL;
  brinkHost host = {.structSize = sizeof host, .abiMajor = 2};
  assert_int_equal(plugin->createWorld(&host, NULL, &world), brink_errorVersion);
  Memory memory = {0};
  host = countingHost(&memory);
  host.release = NULL;
  assert_int_equal(plugin->createWorld(&host, NULL, &world), brink_errorNullArgument);
  brinkWorldDef def = {.structSize = sizeof def, .taylorOrder = 6};
  assert_int_equal(plugin->createWorld(NULL, &def, &world), brink_errorRange);
  def = (brinkWorldDef){.structSize = sizeof def, .flags = 2};
  assert_int_equal(plugin->createWorld(NULL, &def, &world), brink_errorBadValue);
  assert_null(world);
  assert_true(mustPrint(&f) == before);
  ASSERT_OK(f.world, plugin->destroyWorld(f.world));
}

/* Before there is a world the log alone can tell why there is none. */
static char createLog[1000];

static void keepCreateLog(void *user, int level, const char *message) {
  assert_ptr_equal(user, createLog);
  assert_int_equal(level, brink_logError);
  snprintf(createLog + strlen(createLog), sizeof createLog - strlen(createLog), "%s\n", message);
}

CASE(the_log_says_why_there_is_no_world) {
  Memory memory = {.failAt = 1, .failOn = true};
  const brinkHost right = {
      .structSize = sizeof right, .abiMajor = BRINK_ABI_MAJOR, .user = createLog, .log = keepCreateLog};
  const brinkHost counting = countingHost(&memory);
  const brinkWorldDef def = {.structSize = sizeof def}, high = {.structSize = sizeof high, .taylorOrder = 6};
  brinkHost host[6] = {right, right, right, right, right, right};
  host[0].abiMajor = 0;
  host[1].allocate = counting.allocate;
  host[2].release = counting.release;
  host[4].structSize = 0;
  const brinkStatus expected[6] = {brink_errorVersion, brink_errorNullArgument, brink_errorNullArgument,
                                   brink_errorRange,   brink_errorVersion,      brink_ok};
  const char *const words[6] = {"createWorld: host->abiMajor is 0, this build speaks 1",
                                "must come together",
                                "must come together",
                                "createWorld: def->taylorOrder is 6",
                                "",
                                ""};
  for (int i = 0; i < 6; ++i) {
    brinkWorld *world = NULL;
    createLog[0] = '\0';
    assert_int_equal(api()->createWorld(&host[i], i == 3 ? &high : &def, &world), expected[i]);
    if (words[i][0] == '\0') assert_string_equal(createLog, ""); /* of an unknown size: where is its log? */
    if (strstr(createLog, words[i]) == NULL) fail_msg("host %d: '%s' is not in: %s", i, words[i], createLog);
    api()->destroyWorld(world);
  }
}

/* ---- memory that runs out */

/* From k on: everything fails cleanly and nothing leaks. */
CASE(memory_may_run_out_for_good_at_any_request) {
  uint64_t expected = 0;
  bool complete = false;
  for (uint64_t k = 1; !complete; ++k) {
    Memory memory = {.failAt = k, .failOn = true};
    const brinkHost host = countingHost(&memory);
    Fixture f;
    brinkStatus status = build(&f, &host);
    if (status == brink_ok) status = fingerprint(&f, &expected);
    complete = status == brink_ok && memory.failures == 0;
    if (!complete && status != brink_errorNoMemory && memory.failures > 0)
      fail_msg("request %llu failed: status %d", (unsigned long long)k, (int)status);
    if (f.world != NULL) assert_int_equal(api()->destroyWorld(f.world), brink_ok);
    if (memory.blocks != 0) fail_msg("request %llu failed: %zu blocks leak", (unsigned long long)k, memory.blocks);
    if (k > 5000) fail_msg("never completes");
  }
}

/* Once at k: the call that met it is tried again, succeeds, and the world is as if nothing had happened. */
static brinkStatus retry(Memory *memory, uint64_t *seen, brinkStatus status, bool *again) {
  *again = status == brink_errorNoMemory && memory->failures > *seen;
  *seen = memory->failures;
  return status;
}
#define AGAIN(call)                                                                                                  \
  do {                                                                                                               \
    bool once;                                                                                                       \
    brinkStatus result = retry(memory, &seen, (call), &once);                                                        \
    if (once) result = (call);                                                                                       \
    if (result != brink_ok)                                                                                          \
      fail_msg("%s: status %d after a retry, request %llu", #call, (int)result, (unsigned long long)memory->failAt); \
  } while (0)

static uint64_t persistentRun(Memory *memory) {
  const brinkPlugin *plugin = api();
  const brinkHost host = countingHost(memory);
  uint64_t seen = 0, hash = 0;
  Fixture f = {0};
  AGAIN(plugin->createWorld(&host, NULL, &f.world));
  brinkShapeDef shape = shapeDef(brink_sphere, vec(0.5, 0, 0));
  AGAIN(plugin->createShape(f.world, &shape, &f.ball));
  shape = shapeDef(brink_box, vec(0.5, 0.25, 0.5));
  AGAIN(plugin->createShape(f.world, &shape, &f.box));
  shape = hullDef();
  AGAIN(plugin->createShape(f.world, &shape, &f.hull));
  shape = meshDef();
  AGAIN(plugin->createShape(f.world, &shape, &f.mesh));
  brinkBodyDef body = bodyDef(0, at(0, 0, 0));
  AGAIN(plugin->createBody(f.world, &body, &f.a));
  body.pose = at(2, 0, 0);
  AGAIN(plugin->createBody(f.world, &body, &f.b));
  body = bodyDef(f.b, at(0, 2, 0));
  AGAIN(plugin->createBody(f.world, &body, &f.c));
  brinkColliderDef collider = colliderDef(f.a, f.ball, at(0, 0, 0));
  AGAIN(plugin->createCollider(f.world, &collider, &f.onA));
  collider = colliderDef(f.b, f.box, at(0, 0, 0));
  AGAIN(plugin->createCollider(f.world, &collider, &f.onB));
  collider = colliderDef(f.c, f.hull, at(0, 0, 0));
  AGAIN(plugin->createCollider(f.world, &collider, &f.onC));
  collider = colliderDef(0, f.box, at(0, -3, 0));
  AGAIN(plugin->createCollider(f.world, &collider, &f.fixed));
  collider = colliderDef(0, f.mesh, at(0, 1, 0));
  AGAIN(plugin->createCollider(f.world, &collider, &f.terrain));
  brinkJointDef joint = jointDef(f.a, f.b, vec(1, 0, 0), vec(-1, 0, 0));
  AGAIN(plugin->createJoint(f.world, &joint, &f.joint));
  AGAIN(plugin->ignorePair(f.world, f.onA, f.onC, 1));
  joint = jointDef(f.b, f.c, vec(0, 2, 0), vec(0, 0, 0));
  joint.flags = BRINK_JOINT_COLLIDE_APART;
  joint.restMargin = 2;
  AGAIN(plugin->createJoint(f.world, &joint, &f.apart));
  size_t pieces = 0;
  AGAIN(plugin->leaveOutOverlaps(f.world, f.onC, f.terrain, 0.0, 7.5, &pieces));
  assert_in_range(pieces, 1, 4);
  brinkBodyMotion motion = posesMotion(at(0, 0, 0), at(0, -3, 0));
  AGAIN(plugin->setBodyMotion(f.world, f.a, &motion));
  motion = velocitiesMotion(at(2, 0, 0), vec(-1, -3, 0), vec(0, 0, 1));
  AGAIN(plugin->setBodyMotion(f.world, f.b, &motion));
  AGAIN(fingerprint(&f, &hash));
  AGAIN(fingerprint(&f, &hash));
  assert_int_equal(plugin->destroyWorld(f.world), brink_ok);
  assert_int_equal(memory->blocks, 0);
  assert_int_equal(memory->bytes, 0);
  return hash;
}

CASE(one_failed_request_leaves_no_trace) {
  Memory memory = {0};
  uint64_t expected = persistentRun(&memory);
  uint64_t requests = memory.requests;
  for (uint64_t k = 1; k <= requests; ++k) {
    memory = (Memory){.failAt = k};
    uint64_t hash = persistentRun(&memory);
    if (hash != expected) fail_msg("request %llu failed once: the answers differ afterwards", (unsigned long long)k);
  }
  print_message("%llu requests failed one by one\n", (unsigned long long)requests);
}

/* ---- calls from inside */

typedef struct Reentry {
  Fixture *f;
  int calls;
} Reentry;

static int callBack(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)userDataA;
  (void)userDataB;
  Reentry *reentry = user;
  Fixture *f = reentry->f;
  const brinkPlugin *plugin = api();
  ++reentry->calls;
  brinkQuery query = wholeStep();
  brinkReport report = {.structSize = sizeof report};
  brinkPose pose = at(0, 0, 0);
  brinkBodyDef body = bodyDef(0, pose);
  uint64_t id;
  assert_int_equal(plugin->firstContact(f->world, &query, &report), brink_errorBusy);
  assert_int_equal(plugin->destroyBody(f->world, f->a), brink_errorBusy);
  assert_int_equal(plugin->destroyCollider(f->world, a), brink_errorBusy);
  assert_int_equal(plugin->ignorePair(f->world, a, b, 1), brink_errorBusy);
  assert_int_equal(plugin->leaveOutOverlaps(f->world, a, b, 0, 0, NULL), brink_errorBusy);
  assert_int_equal(plugin->createBody(f->world, &body, &id), brink_errorBusy);
  assert_int_equal(plugin->bodyPose(f->world, f->a, 0, &pose), brink_errorBusy);
  assert_int_equal(plugin->setPairFilter(f->world, NULL, NULL), brink_errorBusy);
  assert_int_equal(plugin->destroyWorld(f->world), brink_errorBusy);
  assert_non_null(strstr(plugin->lastError(f->world), "callback"));
  /* Another world is another matter. */
  brinkWorld *other = newWorld(NULL);
  newBody(other, 0, at(0, 0, 0));
  assert_int_equal(plugin->destroyWorld(other), brink_ok);
  return 1;
}

CASE(calls_from_inside_a_callback_are_refused) {
  const brinkPlugin *plugin = api();
  Fixture f;
  assert_int_equal(build(&f, NULL), brink_ok);
  uint64_t before = mustPrint(&f);
  Reentry reentry = {&f, 0};
  ASSERT_OK(f.world, plugin->setPairFilter(f.world, callBack, &reentry));
  assert_true(mustPrint(&f) == before);
  assert_true(reentry.calls > 0);
  assert_string_equal(plugin->lastError(f.world), "");
  ASSERT_OK(f.world, plugin->setPairFilter(f.world, NULL, NULL));
  assert_true(mustPrint(&f) == before);
  ASSERT_OK(f.world, plugin->destroyWorld(f.world));
}

CASE(slots_are_reused_without_confusion) {
  const brinkPlugin *plugin = api();
  Memory memory = {0};
  const brinkHost host = countingHost(&memory);
  Fixture f;
  assert_int_equal(build(&f, &host), brink_ok);
  uint64_t before = mustPrint(&f);
  Random random = {31337};
  enum { MANY = 40 };
  brinkBodyId bodies[MANY] = {0};
  brinkBodyId gone[MANY] = {0};
  for (int i = 0; i < 4000; ++i) {
    size_t k = nextBits(&random) % MANY;
    if (bodies[k] == 0) {
      brinkBodyId parent = nextBits(&random) % 2 ? bodies[nextBits(&random) % MANY] : 0;
      bodies[k] = newBody(f.world, parent, at((double)k, 1000, 0));
      newCollider(f.world, bodies[k], f.ball, at(0, 0, 0));
      if (bodies[(k + 1) % MANY] != 0) newJoint(f.world, bodies[k], bodies[(k + 1) % MANY], vec(0, 0, 0), vec(0, 0, 0));
      if (i % 3 == 0) moveBody(f.world, bodies[k], at((double)k, 1000, 0), at((double)k, 1001, 0));
    } else {
      ASSERT_OK(f.world, plugin->destroyBody(f.world, bodies[k]));
      gone[k] = bodies[k];
      bodies[k] = 0;
    }
    if (gone[k] != 0) {
      brinkPose pose;
      assert_int_equal(plugin->bodyPose(f.world, gone[k], 0, &pose), brink_errorStale);
    }
    if (i % 16 == 0) {
      brinkQuery query = wholeStep();
      ask(f.world, &query);
    }
  }
  for (int k = 0; k < MANY; ++k)
    if (bodies[k] != 0) ASSERT_OK(f.world, plugin->destroyBody(f.world, bodies[k]));
  assert_true(mustPrint(&f) == before);
  ASSERT_OK(f.world, plugin->destroyWorld(f.world));
  assert_int_equal(memory.blocks, 0);
}

int main(void) { return cases_Run(NULL, NULL); }
