/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of links 2 to 20 deep, branching trees that meet themselves, neighbours that are allowed to collide, and
 * loops: first contacts under both schemes against the project's slow oracle, by the plugin's door. */
#include "oracle_judge.h"
#include "plugin_support.h"

enum { MAX_LINKS = 24, MAX_THINGS = 3, BUDGET = 6000 };

static brinkQuat randomTurn(Random *random) { return rotation(randomVector(random, 3)); }

static const double tetrahedron[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
static const uint32_t tetrahedronFaces[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};

typedef struct treeCase {
  oracleLink link[MAX_LINKS];
  int parent[MAX_LINKS], linkCount;
  int carrier[MAX_THINGS], things; /* links that carry a tetrahedron */
  double size[MAX_THINGS];
  bool convex;
} treeCase;

static void setLink(Random *random, treeCase *c, int index, int parent, double step, double turn) {
  brinkVec3 p = randomVector(random, step), v = randomVector(random, uniform(random, 0, 1) < 0.5 ? 0.3 * step : 0),
            w = randomVector(random, turn);
  brinkQuat q = randomTurn(random);
  c->parent[index] = parent;
  c->link[index] = (oracleLink){{p.x, p.y, p.z}, {q.w, q.x, q.y, q.z}, {v.x, v.y, v.z}, {w.x, w.y, w.z}};
}

static oracleBody bodyOf(const treeCase *c, int thing, oracleLink *chain, double *vertices) {
  int depth = 0, link = c->carrier[thing];
  for (int k = link; k >= 0; k = c->parent[k]) ++depth;
  for (int k = link, at = depth; k >= 0; k = c->parent[k]) chain[--at] = c->link[k];
  for (int i = 0; i < 12; ++i) vertices[i] = c->size[thing] * tetrahedron[i];
  return (oracleBody){chain, depth, vertices, 4, tetrahedronFaces, 4, true, 0};
}

static brinkShapeId newTetrahedron(brinkWorld *world, double size, bool convex) {
  double vertices[12];
  for (int i = 0; i < 12; ++i) vertices[i] = size * tetrahedron[i];
  brinkShapeDef def = shapeDef(convex ? brink_hull : brink_mesh, vec(0, 0, 0));
  def.mesh.flags = convex ? BRINK_MESH_CONVEX : BRINK_MESH_SOLID;
  def.mesh.vertices = vertices;
  def.mesh.vertexCount = 4;
  def.mesh.indices = tetrahedronFaces;
  def.mesh.triangleCount = 4;
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

typedef struct tally {
  int pairs, contacts, grades[5];
} tally;

/* Asks every pair of the case's things under both schemes. */
static void askTree(const treeCase *c, int number, tally *out) {
  static const char *const names[] = {"good", "miss", "late", "early", "unresolved"};
  brinkWorld *world = newWorld(NULL);
  brinkBodyId body[MAX_LINKS];
  for (int i = 0; i < c->linkCount; ++i) {
    const oracleLink *link = &c->link[i];
    brinkPose pose = {vec(link->position[0], link->position[1], link->position[2]),
                      {link->rotation[0], link->rotation[1], link->rotation[2], link->rotation[3]}};
    brinkBodyId parent = c->parent[i] >= 0 ? body[c->parent[i]] : 0;
    body[i] = newBody(world, parent, pose);
    brinkBodyMotion motion = velocitiesMotion(pose, vec(link->velocity[0], link->velocity[1], link->velocity[2]),
                                              vec(link->spin[0], link->spin[1], link->spin[2]));
    ASSERT_OK(world, api()->setBodyMotion(world, body[i], &motion));
    if (parent == 0) continue;
    brinkJointDef joint = jointDef(parent, body[i], pose.position, vec(0, 0, 0));
    joint.flags = BRINK_JOINT_COLLIDE_CONNECTED;
    brinkJointId id;
    ASSERT_OK(world, api()->createJoint(world, &joint, &id));
  }
  brinkColliderId collider[MAX_THINGS];
  double smallest = 1e9;
  for (int k = 0; k < c->things; ++k) {
    collider[k] = newCollider(world, body[c->carrier[k]], newTetrahedron(world, c->size[k], c->convex), at(0, 0, 0));
    smallest = fmin(smallest, c->size[k]);
  }
  double eps = 1e-3 * smallest;
  judgeTruth truth[MAX_THINGS][MAX_THINGS];
  for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
    brinkQuery query = wholeStep();
    query.mode = brink_modePairs;
    query.scheme = scheme;
    query.tolerance = eps;
    brinkReport report;
    memset(&report, 0, sizeof report);
    report.structSize = sizeof report;
    ASSERT_OK(world, api()->firstContact(world, &query, &report));
    for (int i = 0; i < c->things; ++i)
      for (int j = i + 1; j < c->things; ++j) {
        oracleLink chain[2][MAX_LINKS];
        double vertices[2][12];
        oracleBody a = bodyOf(c, i, chain[0], vertices[0]), b = bodyOf(c, j, chain[1], vertices[1]);
        if (scheme == brink_schemePaper) truth[i][j] = judgeTruthOf(&a, &b, eps, BUDGET);
        uint32_t state = brink_free;
        double toi = 2;
        for (size_t k = 0; k < report.contactCount; ++k) {
          const brinkContact *contact = &report.contacts[k];
          if (contact->colliderA != collider[i] || contact->colliderB != collider[j]) continue;
          state = contact->state;
          toi = contact->toi;
        }
        judgeGrade grade = judgeAnswer(&a, &b, &truth[i][j], eps, state, toi);
        if (grade != judge_good)
          print_message("case %d scheme %u things %d %d (links %d %d of %d): %s, state %u toi %.17g, touched %.17g\n",
                        number, scheme, i, j, c->carrier[i], c->carrier[j], c->linkCount, names[grade], state, toi,
                        truth[i][j].touched);
        ++out->grades[grade];
        ++out->pairs;
        out->contacts += state == brink_hit || state == brink_overlap;
      }
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

static void expectClean(const tally *t) {
  print_message("%d answers, %d contacts: miss %d, late %d, early %d, unresolved %d\n", t->pairs, t->contacts,
                t->grades[judge_miss], t->grades[judge_late], t->grades[judge_early], t->grades[judge_unresolved]);
  assert_int_equal(t->grades[judge_miss] + t->grades[judge_late] + t->grades[judge_early] + t->grades[judge_unresolved],
                   0);
  assert_true(t->contacts > t->pairs / 20 && t->contacts < t->pairs);
}

static void chains_2_to_20_deep_meet_an_obstacle_when_the_oracle_says(void **state) {
  (void)state;
  tally t = {0};
  Random generator = {31}, *random = &generator;
  for (int n = 0; n < 250; ++n) {
    int depth = 2 + n % 19;
    treeCase c = {.linkCount = depth + 1, .things = 2, .convex = n % 2};
    for (int i = 0; i < depth; ++i) setLink(random, &c, i, i - 1, 1.2 / sqrt(depth), 2.5 / sqrt(depth));
    setLink(random, &c, depth, -1, 1.2, 0.5); /* the obstacle moves too */
    c.carrier[0] = depth - 1;
    c.carrier[1] = depth;
    c.size[0] = uniform(random, 0.15, 0.4);
    c.size[1] = uniform(random, 0.2, 0.5);
    askTree(&c, n, &t);
  }
  expectClean(&t);
}

static void branching_trees_meet_themselves_when_the_oracle_says(void **state) {
  (void)state;
  tally t = {0};
  Random generator = {32}, *random = &generator;
  for (int n = 0; n < 120; ++n) {
    int count = 4 + n % 17;
    treeCase c = {.linkCount = count, .things = 3, .convex = n % 2};
    for (int i = 0; i < count; ++i) setLink(random, &c, i, i == 0 ? -1 : (int)uniform(random, 0, i), 0.8, 1.5);
    for (int k = 0; k < 3; ++k) {
      bool again;
      do {
        c.carrier[k] = (int)uniform(random, 0, count);
        again = false;
        for (int m = 0; m < k; ++m) again = again || c.carrier[m] == c.carrier[k];
      } while (again);
      c.size[k] = uniform(random, 0.1, 0.35);
    }
    askTree(&c, n, &t);
  }
  expectClean(&t);
}

static void neighbours_in_a_chain_meet_when_their_joint_lets_them(void **state) {
  (void)state;
  tally t = {0};
  Random generator = {33}, *random = &generator;
  for (int n = 0; n < 120; ++n) {
    int depth = 2 + n % 8;
    treeCase c = {.linkCount = depth, .things = 2, .convex = n % 2};
    for (int i = 0; i < depth; ++i) setLink(random, &c, i, i - 1, 0.6, 4);
    c.carrier[0] = depth - 2;
    c.carrier[1] = depth - 1;
    for (int k = 0; k < 2; ++k) c.size[k] = uniform(random, 0.1, 0.25);
    askTree(&c, n, &t);
  }
  expectClean(&t);
}

static void neighbours_are_left_out_when_their_joint_does_not_let_them(void **state) {
  (void)state;
  for (int free = 0; free < 2; ++free) {
    brinkWorld *world = newWorld(NULL);
    brinkBodyId a = newBody(world, 0, at(0, 0, 0)), b = newBody(world, a, at(3, 0, 0));
    brinkJointDef joint = jointDef(a, b, vec(3, 0, 0), vec(0, 0, 0));
    joint.flags = free ? BRINK_JOINT_COLLIDE_CONNECTED : 0;
    brinkJointId id;
    ASSERT_OK(world, api()->createJoint(world, &joint, &id));
    brinkShapeId box = newShape(world, brink_box, vec(1, 0.5, 0.5));
    newCollider(world, a, box, at(0, 0, 0));
    newCollider(world, b, box, at(0, 0, 0));
    brinkBodyMotion motion = velocitiesMotion(at(3, 0, 0), vec(-2, 0, 0), vec(0, 0, 0));
    ASSERT_OK(world, api()->setBodyMotion(world, b, &motion));
    brinkQuery query = wholeStep();
    brinkReport report;
    memset(&report, 0, sizeof report);
    report.structSize = sizeof report;
    ASSERT_OK(world, api()->firstContact(world, &query, &report));
    assert_int_equal(report.state, free ? brink_hit : brink_free);
    if (free) ASSERT_NEAR(report.toi, 0.5, 1e-5);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

/* ---- loops */

/* A four-bar linkage from pose to pose, its joints fitting at both ends: the cut joint opens in between, and no more
 * than jointResidual says; tree joints hold. */
static void a_cut_joint_opens_no_more_than_its_residual(void **state) {
  (void)state;
  Random generator = {34}, *random = &generator;
  double loosest = 0;
  for (int n = 0; n < 60; ++n) {
    brinkWorld *world = newWorld(NULL);
    brinkBodyId body[4];
    brinkJointId joint[4];
    double bend[2] = {uniform(random, 0.4, 2.4), uniform(random, 0.4, 2.4)};
    brinkPose common[2] = {{randomVector(random, 1), randomTurn(random)},
                           {randomVector(random, 1), randomTurn(random)}};
    for (int k = 0; k < 4; ++k) {
      brinkPose pose[2];
      for (int e = 0; e < 2; ++e) { /* a rhombus of unit bars in the plane z = 0, then the common pose */
        double c = cos(bend[e]), s = sin(bend[e]);
        brinkVec3 corner[4] = {vec(0, 0, 0), vec(1, 0, 0), vec(1 + c, s, 0), vec(c, s, 0)};
        double heading[4] = {0, bend[e], acos(-1.0), acos(-1.0) + bend[e]};
        pose[e] = chain(common[e], (brinkPose){corner[k], rotation(vec(0, 0, heading[k]))});
      }
      body[k] = newBody(world, 0, pose[0]);
      moveBody(world, body[k], pose[0], pose[1]);
    }
    for (int k = 0; k < 4; ++k) joint[k] = newJoint(world, body[k], body[(k + 1) % 4], vec(1, 0, 0), vec(0, 0, 0));
    brinkQuery query = wholeStep();
    brinkReport report;
    memset(&report, 0, sizeof report);
    report.structSize = sizeof report;
    ASSERT_OK(world, api()->firstContact(world, &query, &report));
    assert_int_equal(report.counters.cutJoints, 1);
    for (int k = 0; k < 4; ++k) {
      double bound = -1, opened = 0;
      ASSERT_OK(world, api()->jointResidual(world, joint[k], &bound));
      for (int s = 0; s <= 200; ++s) {
        brinkPose a, b;
        ASSERT_OK(world, api()->bodyPose(world, body[k], s / 200.0, &a));
        ASSERT_OK(world, api()->bodyPose(world, body[(k + 1) % 4], s / 200.0, &b));
        opened = fmax(opened, norm(minus(carry(a, vec(1, 0, 0)), b.position)));
      }
      assert_true(opened <= bound + 1e-14);
      if (k < 3) assert_true(bound < 1e-11);
      assert_true(bound <= opened + 0.02);
      loosest = fmax(loosest, bound - opened);
    }
    ASSERT_OK(world, api()->destroyWorld(world));
  }
  print_message("largest bound minus largest opening seen: %.3g\n", loosest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_2_to_20_deep_meet_an_obstacle_when_the_oracle_says),
      cmocka_unit_test(branching_trees_meet_themselves_when_the_oracle_says),
      cmocka_unit_test(neighbours_in_a_chain_meet_when_their_joint_lets_them),
      cmocka_unit_test(neighbours_are_left_out_when_their_joint_does_not_let_them),
      cmocka_unit_test(a_cut_joint_opens_no_more_than_its_residual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
