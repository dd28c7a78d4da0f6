/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PLUGIN_SUPPORT_H
#define BRINK_PLUGIN_SUPPORT_H
/* What the tests of the C ABI share: short makers of definitions, a counting allocator that fails on demand, an own
 * generator of random numbers. Uses brink/ccd.h alone, so that these tests prove what any host could do. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "test_random.h"
#include "brink/ccd.h"

#define PI 3.14159265358979323846

/* ---- random numbers: splitmix64 */

typedef testRandom Random;

static inline uint64_t nextBits(Random *random) { return splitBits(&random->state); }
static inline double uniform(Random *random, double low, double high) {
  return splitUniform(&random->state, low, high);
}
static inline brinkVec3 randomVector(Random *random, double size) {
  brinkVec3 v = {uniform(random, -size, size), 0, 0};
  v.y = uniform(random, -size, size);
  v.z = uniform(random, -size, size);
  return v;
}

/* ---- rotations, on their own: nothing of Brink's is used */

static inline brinkVec3 vec(double x, double y, double z) { return (brinkVec3){x, y, z}; }
static inline brinkVec3 plus(brinkVec3 a, brinkVec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline brinkVec3 minus(brinkVec3 a, brinkVec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline brinkVec3 times(double s, brinkVec3 a) { return vec(s * a.x, s * a.y, s * a.z); }
static inline double norm(brinkVec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }
static inline brinkVec3 cross(brinkVec3 a, brinkVec3 b) {
  return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline brinkVec3 turn(brinkQuat q, brinkVec3 v) {
  brinkVec3 u = vec(q.x, q.y, q.z);
  brinkVec3 c = times(2.0, cross(u, v));
  return plus(plus(v, times(q.w, c)), cross(u, c));
}
static inline brinkQuat product(brinkQuat a, brinkQuat b) {
  brinkVec3 u = vec(a.x, a.y, a.z), v = vec(b.x, b.y, b.z);
  brinkVec3 w = plus(plus(times(a.w, v), times(b.w, u)), cross(u, v));
  return (brinkQuat){a.w * b.w - (u.x * v.x + u.y * v.y + u.z * v.z), w.x, w.y, w.z};
}
static inline brinkQuat rotation(brinkVec3 w) { /* by |w| about w */
  double angle = norm(w);
  if (angle == 0.0) return (brinkQuat){1, 0, 0, 0};
  brinkVec3 u = times(sin(0.5 * angle) / angle, w);
  return (brinkQuat){cos(0.5 * angle), u.x, u.y, u.z};
}
static inline brinkPose at(double x, double y, double z) { return (brinkPose){{x, y, z}, {1, 0, 0, 0}}; }
static inline brinkVec3 carry(brinkPose pose, brinkVec3 v) { return plus(pose.position, turn(pose.rotation, v)); }
static inline brinkPose chain(brinkPose a, brinkPose b) {
  return (brinkPose){carry(a, b.position), product(a.rotation, b.rotation)};
}
/* Largest difference that two poses make for points within radius 1 of the origin. */
static inline double poseError(brinkPose a, brinkPose b) {
  double worst = norm(minus(a.position, b.position));
  const brinkVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; ++i) worst = fmax(worst, norm(minus(carry(a, axes[i]), carry(b, axes[i]))));
  return worst;
}

#define ASSERT_NEAR(actual, expected, tolerance)                                                                       \
  do {                                                                                                                 \
    double actualValue = (actual), expectedValue = (expected), toleranceValue = (tolerance);                           \
    if (!(fabs(actualValue - expectedValue) <= toleranceValue))                                                        \
      fail_msg("%s is %.17g, expected %.17g within %g (line %d)", #actual, actualValue, expectedValue, toleranceValue, \
               __LINE__);                                                                                              \
  } while (0)
/* error: what tells of it. */
#define ASSERT_STATUS_BY(error, call, expected)                                                                    \
  do {                                                                                                             \
    brinkStatus gotStatus = (call);                                                                                \
    if (gotStatus != (expected))                                                                                   \
      fail_msg("%s gave %d (%s), expected %d (line %d)", #call, (int)gotStatus, error, (int)(expected), __LINE__); \
  } while (0)
#define ASSERT_STATUS(world, call, expected) ASSERT_STATUS_BY(api()->lastError(world), call, expected)
#define ASSERT_OK(world, call) ASSERT_STATUS(world, call, brink_ok)

/* ---- the table and definitions */

static inline const brinkPlugin *api(void) {
  const char *reason = "";
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, &reason);
  if (plugin == NULL) fail_msg("brinkEntry: %s", reason);
  return plugin;
}
/* First line of a case that asks an extension: builds without that wing (the CMake option BRINK_WINGS) skip it. */
#define NEEDS(extension)                                \
  do {                                                  \
    if (api()->getExtension(extension) == NULL) skip(); \
  } while (0)
static inline brinkWorld *newWorld(const brinkHost *host) {
  brinkWorld *world = NULL;
  brinkStatus status = api()->createWorld(host, NULL, &world);
  if (status != brink_ok) fail_msg("createWorld: %s", api()->statusText(status));
  return world;
}
static inline brinkShapeDef shapeDef(brinkShapeType type, brinkVec3 size) {
  brinkShapeDef def;
  memset(&def, 0, sizeof def);
  def.structSize = sizeof def;
  def.type = type;
  def.size = size;
  def.mesh.structSize = sizeof def.mesh;
  return def;
}
/* Of vertices [vertexCount][3] and triangles [triangleCount][3], borrowed. */
static inline brinkShapeDef surfaceDef(brinkShapeType type, const double *vertices, size_t vertexCount,
                                       const uint32_t *triangles, size_t triangleCount) {
  brinkShapeDef def = shapeDef(type, vec(0, 0, 0));
  def.mesh.vertices = vertices;
  def.mesh.vertexCount = vertexCount;
  def.mesh.indices = triangles;
  def.mesh.triangleCount = triangleCount;
  return def;
}
static inline brinkShapeId shapeFrom(brinkWorld *world, const brinkShapeDef *def) {
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, def, &shape));
  return shape;
}
static inline brinkShapeId newShape(brinkWorld *world, brinkShapeType type, brinkVec3 size) {
  const brinkShapeDef def = shapeDef(type, size);
  return shapeFrom(world, &def);
}
/* z = 0, solid below. */
static inline brinkShapeId newPlane(brinkWorld *world) {
  brinkShapeDef def = shapeDef(brink_plane, vec(0, 0, 0));
  def.normal = vec(0, 0, 1);
  return shapeFrom(world, &def);
}
static inline brinkBodyDef bodyDef(brinkBodyId parent, brinkPose pose) {
  brinkBodyDef def;
  memset(&def, 0, sizeof def);
  def.structSize = sizeof def;
  def.parent = parent;
  def.pose = pose;
  return def;
}
static inline brinkBodyId newBody(brinkWorld *world, brinkBodyId parent, brinkPose pose) {
  brinkBodyDef def = bodyDef(parent, pose);
  brinkBodyId body = 0;
  ASSERT_OK(world, api()->createBody(world, &def, &body));
  return body;
}
static inline brinkColliderDef colliderDef(brinkBodyId body, brinkShapeId shape, brinkPose pose) {
  brinkColliderDef def;
  memset(&def, 0, sizeof def);
  def.structSize = sizeof def;
  def.body = body;
  def.shape = shape;
  def.pose = pose;
  def.categoryBits = def.collideBits = 1;
  return def;
}
static inline brinkColliderId newCollider(brinkWorld *world, brinkBodyId body, brinkShapeId shape, brinkPose pose) {
  brinkColliderDef def = colliderDef(body, shape, pose);
  brinkColliderId collider = 0;
  ASSERT_OK(world, api()->createCollider(world, &def, &collider));
  return collider;
}
static inline brinkJointDef jointDef(brinkBodyId a, brinkBodyId b, brinkVec3 anchorA, brinkVec3 anchorB) {
  brinkJointDef def;
  memset(&def, 0, sizeof def);
  def.structSize = sizeof def;
  def.bodyA = a;
  def.bodyB = b;
  def.anchorA = anchorA;
  def.anchorB = anchorB;
  return def;
}
static inline brinkJointId newJoint(brinkWorld *world, brinkBodyId a, brinkBodyId b, brinkVec3 anchorA,
                                    brinkVec3 anchorB) {
  brinkJointDef def = jointDef(a, b, anchorA, anchorB);
  brinkJointId joint = 0;
  ASSERT_OK(world, api()->createJoint(world, &def, &joint));
  return joint;
}
static inline brinkBodyMotion posesMotion(brinkPose pose0, brinkPose pose1) {
  brinkBodyMotion motion;
  memset(&motion, 0, sizeof motion);
  motion.structSize = sizeof motion;
  motion.kind = brink_motionPoses;
  motion.pose0 = pose0;
  motion.pose1 = pose1;
  return motion;
}
static inline brinkBodyMotion velocitiesMotion(brinkPose pose0, brinkVec3 velocity, brinkVec3 spin) {
  brinkBodyMotion motion = posesMotion(pose0, pose0);
  motion.kind = brink_motionVelocities;
  motion.velocity = velocity;
  motion.spin = spin;
  return motion;
}
static inline void moveBody(brinkWorld *world, brinkBodyId body, brinkPose pose0, brinkPose pose1) {
  brinkBodyMotion motion = posesMotion(pose0, pose1);
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
}
static inline brinkQuery wholeStep(void) {
  brinkQuery query;
  memset(&query, 0, sizeof query);
  query.structSize = sizeof query;
  query.tEnd = 1.0;
  return query;
}
static inline brinkReport ask(brinkWorld *world, const brinkQuery *query) {
  brinkReport report;
  memset(&report, 0, sizeof report);
  report.structSize = sizeof report;
  ASSERT_OK(world, api()->firstContact(world, query, &report));
  return report;
}
static inline brinkPose poseOf(brinkWorld *world, brinkBodyId body, double t) {
  brinkPose pose;
  ASSERT_OK(world, api()->bodyPose(world, body, t, &pose));
  return pose;
}

/* ---- memory: counts everything, fails the k-th request (once, or from then on), checks the sizes given back */

typedef struct Memory {
  size_t blocks, bytes; /* alive */
  uint64_t requests;    /* ever */
  uint64_t failAt;      /* 0 = never; counts requests from 1 */
  bool failOn;          /* from failAt on */
  uint64_t failures;
} Memory;

typedef union BlockHead {
  size_t size;
  max_align_t aligner;
} BlockHead;

static inline void *countedAllocate(void *user, size_t size) {
  Memory *memory = user;
  ++memory->requests;
  if (memory->failAt != 0 &&
      (memory->failOn ? memory->requests >= memory->failAt : memory->requests == memory->failAt)) {
    ++memory->failures;
    return NULL;
  }
  BlockHead *head = malloc(sizeof *head + size);
  if (head == NULL) return NULL;
  head->size = size;
  memset(head + 1, 0xa5, size);
  ++memory->blocks;
  memory->bytes += size;
  return head + 1;
}
static inline void countedRelease(void *user, void *block, size_t size) {
  Memory *memory = user;
  if (block == NULL) {
    fail_msg("release of NULL");
    return;
  }
  BlockHead *head = (BlockHead *)block - 1;
  if (head->size != size) fail_msg("a block of %zu bytes was released as one of %zu", head->size, size);
  memset(block, 0x5a, size);
  --memory->blocks;
  memory->bytes -= size;
  free(head);
}
static inline brinkHost countingHost(Memory *memory) {
  return (brinkHost){.structSize = sizeof(brinkHost),
                     .abiMajor = BRINK_ABI_MAJOR,
                     .user = memory,
                     .allocate = countedAllocate,
                     .release = countedRelease};
}

#endif
