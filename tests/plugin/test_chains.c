/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of links 2 to 20 deep, branching trees that meet themselves, neighbours that are allowed to collide, and
 * loops: first contacts under both schemes against the project's slow oracle, through the plugin's table. */
#include "cases.h"
#include "plugin_support.h"

#include "judge_tally.h"
#include "tetrahedra.h"

enum { MAX_LINKS = 24, MAX_THINGS = 3, BUDGET = 6000 };

static brinkQuat randomTurn(Random *random) { return rotation(randomVector(random, 3)); }

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

/* Asks every pair of the case's things under both schemes. */
static void askTree(const treeCase *c, int number, tally *out) {
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
                        number, scheme, i, j, c->carrier[i], c->carrier[j], c->linkCount, gradeName(grade), state, toi,
                        truth[i][j].touched);
        countGrade(out, grade, state);
      }
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(chains_2_to_20_deep_meet_an_obstacle_when_the_oracle_says) {
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

CASE(branching_trees_meet_themselves_when_the_oracle_says) {
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

/* Boxes of links far down a chain must not swell: pairs left after spatial culling against pairs whose links really
 * come that near. */
CASE(long_chains_are_asked_about_what_is_near_only) {
  enum { LONGEST = 200, OBSTACLES = 150, TIMES = 40 };
  static brinkVec3 place[LONGEST][TIMES + 1];
  const int lengths[4] = {20, 50, 100, 200};
  for (int l = 0; l < 4; ++l) {
    Random generator = {7}, *random = &generator;
    brinkWorld *world = newWorld(NULL);
    brinkShapeId link = newShape(world, brink_sphere, vec(0.1, 0, 0)),
                 ball = newShape(world, brink_sphere, vec(0.1, 0, 0));
    brinkBodyId body = 0, bodies[LONGEST];
    for (int i = 0; i < lengths[l]; ++i) {
      brinkPose pose = at(0.3, 0, 0);
      body = newBody(world, body, pose);
      brinkBodyMotion motion =
          velocitiesMotion(pose, i == 0 ? vec(0.5, 0, -0.5) : vec(0, 0, 0), randomVector(random, 0.1));
      ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
      brinkColliderId collider = newCollider(world, body, link, at(0, 0, 0));
      ASSERT_OK(world, api()->setColliderFilter(world, collider, 2, 1));
      bodies[i] = body;
    }
    for (int i = 0; i < lengths[l]; ++i)
      for (int k = 0; k <= TIMES; ++k) place[i][k] = poseOf(world, bodies[i], (double)k / TIMES).position;
    uint64_t near = 0;
    for (int n = 0; n < OBSTACLES; ++n) { /* some 2 m beside the way of some link */
      int i = (int)uniform(random, 0, lengths[l]);
      brinkVec3 where = plus(place[i][TIMES / 2], randomVector(random, 2));
      newCollider(world, 0, ball, (brinkPose){where, {1, 0, 0, 0}});
      for (i = 0; i < lengths[l]; ++i) {
        brinkVec3 low = place[i][0], high = low;
        for (int k = 1; k <= TIMES; ++k) {
          low = vec(fmin(low.x, place[i][k].x), fmin(low.y, place[i][k].y), fmin(low.z, place[i][k].z));
          high = vec(fmax(high.x, place[i][k].x), fmax(high.y, place[i][k].y), fmax(high.z, place[i][k].z));
        }
        const double reach = 0.2 + 0.05; /* both balls, and what sampling leaves out */
        near += where.x > low.x - reach && where.x < high.x + reach && where.y > low.y - reach &&
                where.y < high.y + reach && where.z > low.z - reach && where.z < high.z + reach;
      }
    }
    brinkQuery query = wholeStep();
    query.mode = brink_modePairs;
    brinkReport report = ask(world, &query);
    print_message("%d links: %llu pairs left, %llu near\n", lengths[l],
                  (unsigned long long)report.counters.pairsSpatial, (unsigned long long)near);
    assert_true((double)report.counters.pairsSpatial <= 1.5 * (double)near);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

CASE(neighbours_in_a_chain_meet_when_their_joint_lets_them) {
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

CASE(neighbours_are_left_out_when_their_joint_does_not_let_them) {
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

/* Four bars: ground 1, crank 0.5, coupler 1.1, rocker 0.8; the crank's angle fixes the rest. */
static void placeBars(double crank, brinkPose pose[4]) {
  brinkVec3 elbow = vec(0.5 * cos(crank), 0.5 * sin(crank), 0), pivot = vec(1, 0, 0), between = minus(pivot, elbow);
  double d = norm(between), along = (1.1 * 1.1 - 0.8 * 0.8 + d * d) / (2 * d), across = sqrt(1.1 * 1.1 - along * along);
  brinkVec3 u = times(1 / d, between), tip = plus(elbow, plus(times(along, u), times(across, vec(-u.y, u.x, 0))));
  brinkVec3 coupler = minus(tip, elbow), rocker = minus(pivot, tip);
  pose[0] = at(0, 0, 0);
  pose[1] = (brinkPose){vec(0, 0, 0), rotation(vec(0, 0, crank))};
  pose[2] = (brinkPose){elbow, rotation(vec(0, 0, atan2(coupler.y, coupler.x)))};
  pose[3] = (brinkPose){tip, rotation(vec(0, 0, atan2(rocker.y, rocker.x)))};
}

typedef struct Linkage {
  brinkWorld *world;
  brinkBodyId body[4];
  brinkJointId joint[4];
} Linkage;

static Linkage newLinkage(double crank0, double crank1) {
  static const double length[4] = {1, 0.5, 1.1, 0.8};
  Linkage l = {.world = newWorld(NULL)};
  brinkPose start[4], end[4];
  placeBars(crank0, start);
  placeBars(crank1, end);
  for (int k = 0; k < 4; ++k) {
    l.body[k] = newBody(l.world, 0, start[k]);
    moveBody(l.world, l.body[k], start[k], end[k]);
  }
  for (int k = 0; k < 3; ++k) /* crank at the ground's origin, coupler at the crank's end, rocker at the coupler's */
    l.joint[k] = newJoint(l.world, l.body[k], l.body[k + 1], vec(k == 0 ? 0 : length[k], 0, 0), vec(0, 0, 0));
  l.joint[3] = newJoint(l.world, l.body[3], l.body[0], vec(length[3], 0, 0), vec(1, 0, 0));
  return l;
}

/* The bars as the forest has them, each at its pose at t: tetrahedra on them meet what stands around, and each other,
 * when the slow distances of those poses say so. */
CASE(bodies_on_a_loop_meet_when_the_oracle_says) {
  enum { SAMPLES = 100 };
  Random generator = {38}, *random = &generator;
  int wrong = 0, contacts = 0, answers = 0;
  for (int n = 0; n < 40; ++n) {
    double crank = uniform(random, -PI, PI);
    Linkage l = newLinkage(crank, crank + uniform(random, 0.3, 2.2));
    double size = uniform(random, 0.05, 0.12), eps = 1e-4 * size;
    brinkShapeId shape = newTetrahedron(l.world, size, n % 2);
    brinkPose middle[4];
    placeBars(crank + uniform(random, 0, 1), middle);
    brinkPose still = {plus(middle[2 + n % 2].position, randomVector(random, 0.15)), randomTurn(random)};
    brinkBodyId rest = newBody(l.world, 0, still);
    const brinkBodyId body[3] = {l.body[1], l.body[3], rest};
    const brinkVec3 place[3] = {vec(0.45, 0, 0), vec(0.1, 0, 0), vec(0, 0, 0)};
    brinkColliderId collider[3];
    for (int k = 0; k < 3; ++k) collider[k] = newCollider(l.world, body[k], shape, (brinkPose){place[k], {1, 0, 0, 0}});
    for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
      brinkQuery query = wholeStep();
      query.mode = brink_modePairs;
      query.scheme = scheme;
      query.tolerance = eps;
      brinkReport report = ask(l.world, &query);
      assert_int_equal(report.counters.cutJoints, 1);
      brinkContact found[3];
      size_t count = report.contactCount;
      assert_true(count <= 3);
      if (count > 0)
        memcpy(found, report.contacts, count * sizeof found[0]); /* bodyPose may change what the world owns */
      for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 3; ++j) {
          uint32_t got = brink_free;
          double toi = 2, touched = INFINITY, there = 0;
          for (size_t k = 0; k < count; ++k)
            if (found[k].colliderA == collider[i] && found[k].colliderB == collider[j]) {
              got = found[k].state;
              toi = found[k].toi;
            }
          for (int s = 0; s <= SAMPLES + 1; ++s) {
            double t = s <= SAMPLES ? (double)s / SAMPLES : fmin(toi, 1), vertices[2][12];
            oracleLink link[2];
            oracleBody at[2];
            for (int side = 0; side < 2; ++side) {
              int k = side == 0 ? i : j;
              brinkPose p = poseOf(l.world, body[k], t);
              p.position = carry(p, place[k]);
              link[side] = (oracleLink){.position = {p.position.x, p.position.y, p.position.z},
                                        .rotation = {p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z}};
              for (int c = 0; c < 12; ++c) vertices[side][c] = size * tetrahedron[c];
              at[side] = (oracleBody){&link[side], 1, vertices[side], 4, tetrahedronFaces, 4, true, 0};
            }
            double gap = (double)oracleDistance(&at[0], &at[1], 0);
            if (s > SAMPLES) there = gap;
            if (gap <= 0) touched = fmin(touched, t);
          }
          bool good =
              got == brink_free ? touched > 1 : got != brink_unresolved && toi <= touched && there <= eps * (1 + 1e-6);
          if (!good)
            print_message("seed 38, case %d scheme %u pair %d %d: state %u toi %.17g, touched %.17g, gap %.3g\n", n,
                          scheme, i, j, got, toi, touched, there);
          wrong += !good;
          contacts += got != brink_free;
          ++answers;
        }
    }
    ASSERT_OK(l.world, api()->destroyWorld(l.world));
  }
  print_message("%d answers on loops, %d contacts, %d wrong\n", answers, contacts, wrong);
  assert_int_equal(wrong, 0);
  assert_true(contacts > answers / 10);
}

/* The linkage itself turns its crank evenly and is closed at every t; the forest's rocker is off meanwhile. Where it is
 * off by no more than the residual, the answer with loops is never later than the linkage's own first contact. */
CASE(loops_are_met_no_later_than_the_linkage_meets) {
  Random generator = {37}, *random = &generator;
  int hits = 0, later = 0, within = 0;
  for (int n = 0; n < 150; ++n) {
    double crank0 = uniform(random, -PI, PI), crank1 = crank0 + uniform(random, 0.3, 2.2);
    double ball = uniform(random, 0.02, 0.08);
    Linkage l = newLinkage(crank0, crank1);
    brinkPose middle[4];
    placeBars(crank0 + uniform(random, 0, 1) * (crank1 - crank0), middle);
    brinkVec3 target = plus(middle[3].position, times(uniform(random, 0, ball + 0.05), vec(0, 1, 0)));
    newCollider(l.world, l.body[3], newShape(l.world, brink_sphere, vec(ball, 0, 0)), at(0, 0, 0));
    newCollider(l.world, 0, newShape(l.world, brink_sphere, vec(0.05, 0, 0)), (brinkPose){target, {1, 0, 0, 0}});
    double met = INFINITY, off = 0, residual;
    for (int i = 0; i <= 1000; ++i) {
      double t = i / 1000.0;
      brinkPose bars[4];
      placeBars(crank0 + (crank1 - crank0) * t, bars);
      off = fmax(off, norm(minus(poseOf(l.world, l.body[3], t).position, bars[3].position)));
      if (met > 1 && norm(minus(bars[3].position, target)) <= ball + 0.05) met = t;
    }
    ASSERT_OK(l.world, api()->jointResidual(l.world, l.joint[3], &residual));
    brinkQuery query = wholeStep();
    query.flags = BRINK_QUERY_LOOPS;
    brinkReport report = ask(l.world, &query);
    assert_int_equal(report.counters.cutJoints, 1);
    bool isWithin = off <= residual;
    within += isWithin;
    if (met <= 1 && isWithin && (report.state == brink_free || report.toi > met))
      fail_msg("seed 37, case %d: state %u toi %g, the linkage meets at %g, residual %g", n, report.state, report.toi,
               met, residual);
    hits += met <= 1;
    query.flags = 0;
    brinkReport plain = ask(l.world, &query);
    later += met <= 1 && isWithin && (plain.state == brink_free || plain.toi > met);
    query.watch = brink_watchDepth;
    query.flags = BRINK_QUERY_LOOPS;
    report.structSize = sizeof report;
    ASSERT_STATUS(l.world, api()->firstContact(l.world, &query, &report), brink_errorBadValue);
    ASSERT_OK(l.world, api()->destroyWorld(l.world));
  }
  print_message(
      "%d linkages meet something, %d of 150 stay within the residual; without it %d answers would have been late\n",
      hits, within, later);
  assert_true(hits > 100 && within > 50 && later > 10);
}

/* Threshold of pairs on the loop: what the cut joint opens; off the loop: nothing; carried by the loop: the same. */
CASE(the_residual_counts_on_the_loop_and_for_what_it_carries) {
  Linkage l = newLinkage(0.3, 2.0);
  brinkWorld *world = l.world;
  brinkShapeId sphere = newShape(world, brink_sphere, vec(0.05, 0, 0));
  brinkPose start[4], end[4];
  placeBars(0.3, start);
  placeBars(2.0, end);
  brinkBodyId hung = newBody(world, 0, start[3]), apart = newBody(world, 0, at(5, 0, 0));
  moveBody(world, hung, start[3], end[3]);
  newJoint(world, l.body[3], hung, vec(0, 0, 0), vec(0, 0, 0));
  moveBody(world, apart, at(5, 0, 0), at(5, 0, 0));
  brinkColliderId on = newCollider(world, l.body[3], sphere, at(0, 0, 1));
  brinkColliderId carried = newCollider(world, hung, sphere, at(0, 0, 2));
  newCollider(world, l.body[0], sphere, at(0, 0, 3)); /* the ground is not off */
  newCollider(world, apart, sphere, at(0, 0, 4));
  double bound;
  ASSERT_OK(world, api()->jointResidual(world, l.joint[3], &bound));
  assert_true(bound > 0.01);
  brinkQuery query = wholeStep();
  query.mode = brink_modePairs;
  query.flags = BRINK_QUERY_LOOPS;
  query.threshold = 100; /* so that all pairs answer */
  brinkReport report = ask(world, &query);
  size_t off = 0;
  for (size_t i = 0; i < report.contactCount; ++i) {
    const brinkContact *c = &report.contacts[i];
    double expected = 100;
    if (c->colliderA == on || c->colliderB == on) expected += bound;
    if (c->colliderA == carried || c->colliderB == carried) expected += bound;
    ASSERT_NEAR(c->threshold, expected, 1e-9);
    off += expected > 100;
  }
  assert_int_equal(off, 3);
  assert_int_equal(report.contactCount, 4); /* joined bodies are left out */
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* A four-bar linkage from pose to pose, its joints fitting at both ends: the cut joint opens in between, and no more
 * than jointResidual says; tree joints hold. */
CASE(a_cut_joint_opens_no_more_than_its_residual) {
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

int main(void) { return cases_Run(NULL, NULL); }
