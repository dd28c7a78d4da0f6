/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours in a chain that overlap where they are joined: what overlaps at rest is left out, all else is tested,
 * under both schemes, by joints and by the host's own call, against the project's slow oracle. */
#include "cases.h"
#include "plugin_support.h"

#include "judge_tally.h"
#include "tetrahedra.h"

enum { BUDGET = 3000 };

/* ---- neighbours that overlap where they are joined */

enum { BONE_RINGS = 3, BONE_VERTICES = 3 * BONE_RINGS, BONE_TRIANGLES = 6 * (BONE_RINGS - 1) + 2, MAX_BONES = 20 };

/* A closed triangular prism along +z. */
static void makeBone(double length, double radius, double *vertices, uint32_t *indices) {
  int count = 0;
  for (int ring = 0; ring < BONE_RINGS; ++ring)
    for (int k = 0; k < 3; ++k) {
      double angle = 2 * PI * k / 3 + 0.3 * ring, *v = &vertices[3 * (3 * ring + k)];
      v[0] = radius * cos(angle);
      v[1] = radius * sin(angle);
      v[2] = length * ring / (BONE_RINGS - 1);
    }
  for (uint32_t ring = 0; ring + 1 < BONE_RINGS; ++ring)
    for (uint32_t k = 0; k < 3; ++k) {
      uint32_t a = 3 * ring + k, b = 3 * ring + (k + 1) % 3, side[6] = {a, b, a + 3, b, b + 3, a + 3};
      memcpy(&indices[3 * count], side, sizeof side);
      count += 2;
    }
  const uint32_t caps[6] = {0, 2, 1, BONE_VERTICES - 3, BONE_VERTICES - 2, BONE_VERTICES - 1};
  memcpy(&indices[3 * count], caps, sizeof caps);
}

typedef struct Skeleton {
  oracleLink link[MAX_BONES];
  int parent[MAX_BONES], boneCount;
  double vertices[3 * BONE_VERTICES];
  uint32_t indices[3 * BONE_TRIANGLES];
  double margin; /* of what overlaps at rest */
} Skeleton;

/* Deepest bone that carries both, or is one of them. */
static int sharedBone(const Skeleton *c, int x, int y) {
  while (x != y) { /* parents come first */
    if (x > y)
      x = c->parent[x];
    else
      y = c->parent[y];
  }
  return x;
}

/* Seen from the bone `from`: what both sides of a pair share does not change their distance. */
static oracleBody boneOf(const Skeleton *c, int bone, int from, oracleLink *chain, const uint32_t *triangles,
                         int count) {
  int depth = 0;
  for (int k = bone; k != from; k = c->parent[k]) ++depth;
  for (int k = bone, at = depth; k != from; k = c->parent[k]) chain[--at] = c->link[k];
  return (oracleBody){chain, depth, c->vertices, BONE_VERTICES, triangles, count, false, 0};
}

/* What the oracle is asked: each triangle of A against those of B that it does not overlap at rest. */
typedef struct Question {
  oracleLink chainA[MAX_BONES], chainB[MAX_BONES];
  oracleBody a[BONE_TRIANGLES], b[BONE_TRIANGLES];
  uint32_t of[BONE_TRIANGLES][3 * BONE_TRIANGLES];
  judgeTruth truth[BONE_TRIANGLES];
  int left; /* pairs left out */
} Question;

static void makeQuestion(const Skeleton *c, int x, int y, bool apart, double eps, Question *q) {
  const int from = sharedBone(c, x, y);
  q->left = 0;
  for (int i = 0; i < BONE_TRIANGLES; ++i) {
    int count = 0;
    q->a[i] = boneOf(c, x, from, q->chainA, &c->indices[3 * i], 1);
    for (int k = 0; k < BONE_TRIANGLES; ++k) {
      oracleBody one = boneOf(c, y, from, q->chainB, &c->indices[3 * k], 1);
      if (apart && oracleDistance(&q->a[i], &one, 0) <= (long double)c->margin) {
        ++q->left;
        continue;
      }
      memcpy(&q->of[i][3 * count++], &c->indices[3 * k], 3 * sizeof(uint32_t));
    }
    q->b[i] = boneOf(c, y, from, q->chainB, q->of[i], count);
    q->truth[i].touched = INFINITY;
    if (count > 0) q->truth[i] = judgeTruthOf(&q->a[i], &q->b[i], eps, BUDGET);
  }
}

static judgeGrade judgeQuestion(const Question *q, double eps, uint32_t state, double toi) {
  double touched = INFINITY;
  long double nearest = INFINITY;
  for (int i = 0; i < BONE_TRIANGLES; ++i) {
    touched = fmin(touched, q->truth[i].touched);
    if (q->b[i].simplexCount > 0 && (state == brink_hit || state == brink_overlap))
      nearest = fminl(nearest, oracleDistance(&q->a[i], &q->b[i], (long double)toi));
  }
  if (state == brink_unresolved) return judge_unresolved;
  if (state == brink_free) return touched <= 1 ? judge_miss : judge_good;
  if (toi > touched * (1 + 1e-12)) return judge_late;
  return nearest > (long double)eps * (1 + 1e-6L) ? judge_early : judge_good;
}

static brinkShapeId newBone(brinkWorld *world, const Skeleton *c, bool solid) {
  brinkShapeDef def = shapeDef(brink_mesh, vec(0, 0, 0));
  def.mesh.flags = solid ? BRINK_MESH_SOLID : 0u;
  def.mesh.vertices = c->vertices;
  def.mesh.vertexCount = BONE_VERTICES;
  def.mesh.indices = c->indices;
  def.mesh.triangleCount = BONE_TRIANGLES;
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

static brinkPose startOf(const oracleLink *link) {
  return (brinkPose){vec(link->position[0], link->position[1], link->position[2]),
                     {link->rotation[0], link->rotation[1], link->rotation[2], link->rotation[3]}};
}

/* byJoint: the joints find what overlaps; else the host asks for each pair of neighbours. */
static void askSkeleton(const Skeleton *c, int number, bool byJoint, bool solid, tally *out) {
  static Question questions[4];
  brinkWorld *world = newWorld(NULL);
  brinkShapeId shape = newBone(world, c, solid);
  brinkBodyId body[MAX_BONES];
  brinkColliderId collider[MAX_BONES];
  for (int i = 0; i < c->boneCount; ++i) {
    body[i] = newBody(world, c->parent[i] >= 0 ? body[c->parent[i]] : 0, startOf(&c->link[i]));
    collider[i] = newCollider(world, body[i], shape, at(0, 0, 0));
    if (c->parent[i] < 0) continue;
    brinkJointDef joint = jointDef(body[c->parent[i]], body[i], startOf(&c->link[i]).position, vec(0, 0, 0));
    joint.flags = byJoint ? BRINK_JOINT_COLLIDE_APART : BRINK_JOINT_COLLIDE_CONNECTED;
    joint.restMargin = byJoint ? c->margin : 0;
    brinkJointId id;
    ASSERT_OK(world, api()->createJoint(world, &joint, &id));
  }
  size_t pieces[MAX_BONES] = {0};
  for (int i = 0; i < c->boneCount && !byJoint; ++i)
    if (c->parent[i] >= 0)
      ASSERT_OK(world, api()->leaveOutOverlaps(world, collider[i], collider[c->parent[i]], 0, c->margin, &pieces[i]));
  for (int i = 0; i < c->boneCount; ++i) {
    const oracleLink *link = &c->link[i];
    brinkBodyMotion motion =
        velocitiesMotion(startOf(link), vec(link->velocity[0], link->velocity[1], link->velocity[2]),
                         vec(link->spin[0], link->spin[1], link->spin[2]));
    ASSERT_OK(world, api()->setBodyMotion(world, body[i], &motion));
  }
  double eps = 1e-4;
  int pair[4][2], pairs = 0;
  for (int k = 0; k < 3; ++k) { /* neighbours: two of them, and the last; then one pair that are none */
    int child = k == 2 ? c->boneCount - 1 : 1 + (number * 7 + k * 5) % (c->boneCount - 1);
    pair[pairs][0] = c->parent[child];
    pair[pairs++][1] = child;
  }
  if (c->boneCount > 3 && c->parent[c->boneCount - 1] != 0) {
    pair[pairs][0] = 0;
    pair[pairs++][1] = c->boneCount - 1;
  }
  for (int p = 0; p < pairs; ++p) {
    bool joined = c->parent[pair[p][1]] == pair[p][0];
    makeQuestion(c, pair[p][0], pair[p][1], joined, eps, &questions[p]);
    if (joined && !byJoint) assert_int_equal(pieces[pair[p][1]], questions[p].left);
    if (joined) assert_true(questions[p].left > 0);
  }
  for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
    brinkQuery query = wholeStep();
    query.mode = brink_modePairs;
    query.scheme = scheme;
    query.tolerance = eps;
    brinkReport report = ask(world, &query);
    for (int p = 0; p < pairs; ++p) {
      uint32_t state = brink_free;
      double toi = 2;
      for (size_t k = 0; k < report.contactCount; ++k) {
        const brinkContact *contact = &report.contacts[k];
        if (contact->colliderA != collider[pair[p][0]] || contact->colliderB != collider[pair[p][1]]) continue;
        state = contact->state;
        toi = contact->toi;
      }
      judgeGrade grade = judgeQuestion(&questions[p], eps, state, toi);
      if (grade != judge_good)
        print_message("case %d scheme %u bones %d %d of %d: %s, state %u toi %.17g\n", number, scheme, pair[p][0],
                      pair[p][1], c->boneCount, gradeName(grade), state, toi);
      countGrade(out, grade, state);
    }
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

static void makeSkeleton(Random *random, int count, bool branching, Skeleton *c) {
  double length = uniform(random, 0.6, 1), radius = 0.12 * length;
  c->boneCount = count;
  c->margin = uniform(random, 0.12, 0.3) * length;
  makeBone(length, radius, c->vertices, c->indices);
  for (int i = 0; i < count; ++i) {
    c->parent[i] = branching && i > 1 ? (int)uniform(random, 0, i) : i - 1;
    brinkVec3 w = randomVector(random, uniform(random, 0, 1) < 0.3 ? 5 : 1.2);
    if (i == 0) w = randomVector(random, 1);
    /* children at the far end, or, branching, along the parent */
    double along = branching ? uniform(random, 0.4, 0.95) : 0.9;
    brinkQuat q = rotation(randomVector(random, branching ? 1.2 : 0.4));
    c->link[i] = (oracleLink){{0, 0, i == 0 ? 0 : along * length}, {q.w, q.x, q.y, q.z}, {0, 0, 0}, {w.x, w.y, w.z}};
  }
}

CASE(neighbours_that_overlap_at_rest_meet_elsewhere_when_the_oracle_says) {
  tally t = {0};
  Random generator = {35}, *random = &generator;
  for (int n = 0; n < 11; ++n) {
    Skeleton c;
    makeSkeleton(random, 2 + (2 * n) % 19, false, &c);
    askSkeleton(&c, n, n % 2 == 0, n % 3 == 0, &t);
  }
  expectClean(&t);
}

CASE(branching_skeletons_meet_themselves_and_their_neighbours) {
  tally t = {0};
  Random generator = {36}, *random = &generator;
  for (int n = 0; n < 8; ++n) {
    Skeleton c;
    makeSkeleton(random, 3 + (2 * n) % 14, true, &c);
    askSkeleton(&c, n, n % 2 == 1, n % 3 == 1, &t);
  }
  expectClean(&t);
}

/* Two convex parts a link, as compounds: the parts at the joint overlap at rest and are left out, the far ones are not.
 */
CASE(parts_at_the_joint_are_left_out_and_the_far_ones_are_tested) {
  for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
    brinkWorld *world = newWorld(NULL);
    brinkShapeId ball = newShape(world, brink_sphere, vec(0.3, 0, 0));
    brinkShapeChild children[2] = {{ball, at(0, 0, 0)}, {ball, at(2, 0, 0)}};
    brinkShapeDef def = shapeDef(brink_compound, vec(0, 0, 0));
    def.children = children;
    def.childCount = 2;
    brinkShapeId link;
    ASSERT_OK(world, api()->createShape(world, &def, &link));
    brinkBodyId a = newBody(world, 0, at(0, 0, 0)),
                b = newBody(world, a, (brinkPose){{0, 0, 0}, rotation(vec(0, 0, PI))});
    brinkColliderId ca = newCollider(world, a, link, at(0, 0, 0)), cb = newCollider(world, b, link, at(0, 0, 0));
    brinkJointDef joint = jointDef(a, b, vec(0, 0, 0), vec(0, 0, 0));
    joint.flags = BRINK_JOINT_COLLIDE_CONNECTED;
    brinkJointId id;
    ASSERT_OK(world, api()->createJoint(world, &joint, &id));
    brinkBodyMotion motion =
        velocitiesMotion((brinkPose){{0, 0, 0}, rotation(vec(0, 0, PI))}, vec(0, 0, 0), vec(0, 0, PI));
    ASSERT_OK(world, api()->setBodyMotion(world, b, &motion));
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    assert_int_equal(ask(world, &query).state, brink_overlap);
    size_t pieces = 0;
    ASSERT_OK(world, api()->leaveOutOverlaps(world, ca, cb, 0, 0, &pieces));
    assert_int_equal(pieces, 1);
    brinkReport report = ask(world, &query);
    assert_int_equal(report.state, brink_hit);
    /* centres at distance 2 from the joint, 0.6 apart, at an angle of 2 asin(0.15) */
    ASSERT_NEAR(report.toi, 1 - 2 * asin(0.15) / PI, 1e-6);
    query.watch = brink_watchDepth; /* steppers leave the same pieces out */
    report = ask(world, &query);
    assert_int_equal(report.state, brink_hit);
    assert_true(report.toi > 0.9);
    query.watch = brink_watchContact;
    ASSERT_OK(world, api()->ignorePair(world, ca, cb, 0)); /* taken back */
    assert_int_equal(ask(world, &query).state, brink_overlap);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

CASE(what_a_solid_holds_at_rest_is_left_out_with_it) {
  for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
    brinkWorld *world = newWorld(NULL);
    brinkShapeId outer = newTetrahedron(world, 1, false), inner = newShape(world, brink_sphere, vec(0.05, 0, 0));
    brinkBodyId a = newBody(world, 0, at(0, 0, 0)), b = newBody(world, 0, at(0, 0, 0));
    brinkColliderId ca = newCollider(world, a, outer, at(0, 0, 0)), cb = newCollider(world, b, inner, at(0, 0, 0));
    brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(3, 3, 3), vec(0, 0, 0));
    ASSERT_OK(world, api()->setBodyMotion(world, b, &motion));
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    assert_int_equal(ask(world, &query).state, brink_overlap);
    size_t pieces = 99;
    ASSERT_OK(world, api()->leaveOutOverlaps(world, ca, cb, 0, 0, &pieces));
    assert_int_equal(pieces, 0);
    brinkReport report = ask(world, &query); /* it still may not pass through the surface */
    assert_int_equal(report.state, brink_hit);
    assert_true(report.toi > 0.1);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

/* More colliders, other poses: joints look again; a half-space is left out against single triangles. */
CASE(joints_look_again_when_colliders_come_or_move) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeId box = newShape(world, brink_box, vec(1, 0.2, 0.2));
  brinkBodyId a = newBody(world, 0, at(0, 0, 0)), b = newBody(world, 0, at(2, 0, 0));
  brinkColliderId ca = newCollider(world, a, box, at(0.1, 0, 0));
  newCollider(world, b, box, at(0, 0, 0));
  brinkJointDef joint = jointDef(a, b, vec(1, 0, 0), vec(-1, 0, 0));
  joint.flags = BRINK_JOINT_COLLIDE_APART;
  brinkJointId id;
  ASSERT_OK(world, api()->createJoint(world, &joint, &id));
  brinkQuery query = wholeStep();
  moveBody(world, a, at(0, 0, 0), at(0, 0, 0));
  moveBody(world, b, at(2, 0, 0), at(1, 0, 0));
  assert_int_equal(ask(world, &query).state, brink_free);
  brinkPose away = at(-0.5, 0, 0);
  ASSERT_OK(world, api()->setColliderPose(world, ca, &away));
  assert_int_equal(ask(world, &query).state, brink_hit);
  ASSERT_OK(world, api()->setColliderPose(world, ca, &(brinkPose){{0.1, 0, 0}, {1, 0, 0, 0}}));
  assert_int_equal(ask(world, &query).state, brink_free);
  newCollider(world, a, newShape(world, brink_sphere, vec(0.1, 0, 0)), at(0, 0.5, 0));
  assert_int_equal(ask(world, &query).state, brink_free);
  newCollider(world, b, newShape(world, brink_sphere, vec(0.1, 0, 0)), at(-1.5, 0.5, 0));
  assert_int_equal(ask(world, &query).state, brink_hit);
  ASSERT_OK(world, api()->destroyWorld(world));

  for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
    world = newWorld(NULL);
    brinkShapeDef def = shapeDef(brink_plane, vec(0, 0, 0));
    def.normal = vec(0, 0, 1);
    brinkShapeId plane;
    ASSERT_OK(world, api()->createShape(world, &def, &plane));
    a = newBody(world, 0, at(0, 0, 0));
    ca = newCollider(world, 0, plane, at(0, 0, 0));
    brinkColliderId cb = newCollider(world, a, newTetrahedron(world, 1, false), at(0, 0, 0.9)); /* an edge below */
    size_t pieces;
    ASSERT_OK(world, api()->leaveOutOverlaps(world, ca, cb, 0, 0, &pieces));
    assert_int_equal(pieces, 4); /* two of them by a corner */
    ASSERT_OK(world, api()->ignorePair(world, ca, cb, 0));
    brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(0, 0, -3), vec(0, 0, 0));
    ASSERT_OK(world, api()->setBodyMotion(world, a, &motion));
    query.scheme = scheme;
    assert_int_equal(ask(world, &query).state, brink_overlap);
    ASSERT_OK(world, api()->leaveOutOverlaps(world, ca, cb, 0, 0, NULL));
    assert_int_equal(ask(world, &query).state, brink_free);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

int main(void) { return cases_Run(NULL, NULL); }
