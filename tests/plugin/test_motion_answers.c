/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of motion times every kind of answer: first, each pair's own, the window, yes or no, threshold, batch,
 * budgets, linear bodies against colliders, clearance (of equal times and of swept volumes), swept boxes. Each answer
 * is held against slow distances at sampled times, of poses that are the motion's own. */
#include "plugin_support.h"

#include "brink/clearance.h"
#include "brink/linear.h"
#include "motion_makers.h"
#include "oracle.h"

enum { OBSTACLES = 2, SAMPLES = 100, WORLDS = 16 };

typedef enum Kind {
  kindRest,
  kindPoses,
  kindVelocities,
  kindScrew,
  kindOdeStep,
  kindSpline,
  kindBezier,
  kindUser,
  kindManyTurns,
  kindChain, /* a spinning link on one that follows a spline */
  kindCount
} Kind;

static const char *const kindNames[kindCount] = {"rest",   "poses",  "velocities", "screw",      "odeStep",
                                                 "spline", "bezier", "user",       "many turns", "chain on a spline"};

typedef struct Stage {
  brinkWorld *world;
  Store stores[2];
  brinkBodyId body;
  brinkColliderId moving, obstacle[OBSTACLES];
  double size, sizes[OBSTACLES], eps;
  brinkPose places[OBSTACLES];
  double gap[OBSTACLES][SAMPLES + 1]; /* slow distances */
  int number;
  Kind kind;
} Stage;

#define HOLDS(stage, condition, value)                                                                             \
  do {                                                                                                             \
    if (!(condition))                                                                                              \
      fail_msg("%s, world %d: %s fails at %.17g (line %d)", kindNames[(stage)->kind], (stage)->number, #condition, \
               (double)(value), __LINE__);                                                                         \
  } while (0)

static brinkBodyMotion motionOf(Random *random, Kind kind, Store *store) {
  if (kind == kindRest || kind == kindPoses) {
    brinkPose from = {randomVector(random, 1), rotation(randomVector(random, 3))};
    brinkPose to = {randomVector(random, 1), rotation(randomVector(random, 3))};
    brinkBodyMotion motion = posesMotion(from, to);
    motion.kind = kind == kindRest ? brink_motionRest : brink_motionPoses;
    return motion;
  }
  brinkBodyMotion motion =
      randomMotion(random, kind < kindManyTurns ? (uint32_t)kind : (uint32_t)brink_motionVelocities, 1.0, store);
  if (kind == kindManyTurns) motion.spin = randomVector(random, 60);
  return motion;
}

static oracleBody slowBody(brinkPose p, double size, oracleLink *link, double *vertices) {
  *link = (oracleLink){{p.position.x, p.position.y, p.position.z},
                       {p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z},
                       {0, 0, 0},
                       {0, 0, 0}};
  for (int i = 0; i < 12; ++i) vertices[i] = size * tetrahedron[i];
  return (oracleBody){link, 1, vertices, 4, tetrahedronFaces, 4, true, 0};
}

static double slowGap(const Stage *s, int k, double t) {
  oracleLink link[2];
  double vertices[2][12];
  oracleBody a = slowBody(poseOf(s->world, s->body, t), s->size, &link[0], vertices[0]);
  oracleBody b = slowBody(s->places[k], s->sizes[k], &link[1], vertices[1]);
  return (double)oracleDistance(&a, &b, 0);
}

static void startStage(Stage *s, Kind kind, int number) {
  Random generator = {1000u * (uint64_t)kind + (uint64_t)number}, *random = &generator;
  memset(s, 0, sizeof *s);
  s->kind = kind;
  s->number = number;
  s->world = newWorld(NULL);
  brinkBodyId parent = 0;
  if (kind == kindChain) {
    parent = newBody(s->world, 0, at(0, 0, 0));
    brinkBodyMotion motion = motionOf(random, kindSpline, &s->stores[1]);
    ASSERT_OK(s->world, api()->setBodyMotion(s->world, parent, &motion));
  }
  brinkBodyMotion motion = motionOf(random, kind == kindChain ? kindVelocities : kind, &s->stores[0]);
  s->body = newBody(s->world, parent, motion.kind >= brink_motionSpline ? at(0, 0, 0) : motion.pose0);
  if (kind != kindRest) ASSERT_OK(s->world, api()->setBodyMotion(s->world, s->body, &motion));
  s->size = uniform(random, 0.1, 0.3);
  s->eps = 1e-4 * s->size;
  s->moving = newCollider(s->world, s->body, newTetrahedron(s->world, s->size, number % 2), at(0, 0, 0));
  for (int k = 0; k < OBSTACLES; ++k) {
    s->sizes[k] = uniform(random, 0.1, 0.3);
    brinkPose near = poseOf(s->world, s->body, uniform(random, 0, 1));
    s->places[k] = (brinkPose){plus(near.position, randomVector(random, 0.6)), rotation(randomVector(random, 3))};
    brinkBodyId still = newBody(s->world, 0, s->places[k]); /* a resting body, so that rest has pairs too */
    s->obstacle[k] =
        newCollider(s->world, still, newTetrahedron(s->world, s->sizes[k], (number / 2 + k) % 2), at(0, 0, 0));
    ASSERT_OK(s->world, api()->setColliderFilter(s->world, s->obstacle[k], 2, 1)); /* not against each other */
    for (int i = 0; i <= SAMPLES; ++i) s->gap[k][i] = slowGap(s, k, (double)i / SAMPLES);
  }
}

/* First sampled time with a gap of at most x; INFINITY: none. */
static double sampledFall(const Stage *s, int k, double x) {
  for (int i = 0; i <= SAMPLES; ++i)
    if (s->gap[k][i] <= x) return (double)i / SAMPLES;
  return INFINITY;
}

static double sampledLeast(const Stage *s, int k) {
  double least = INFINITY;
  for (int i = 0; i <= SAMPLES; ++i) least = fmin(least, s->gap[k][i]);
  return least;
}

/* One pair's event: no later than any sample tells, and there when it is said to be. */
static void judgeEvent(const Stage *s, int k, double x, double eps, uint32_t state, double toi) {
  HOLDS(s, state != brink_unresolved, toi);
  if (state == brink_free) {
    HOLDS(s, sampledFall(s, k, x) > 1, sampledFall(s, k, x));
    return;
  }
  HOLDS(s, toi <= sampledFall(s, k, x), toi);
  HOLDS(s, slowGap(s, k, toi) <= x + eps * (1 + 1e-6), slowGap(s, k, toi));
}

typedef struct Own { /* each pair's own answer */
  uint32_t state[OBSTACLES];
  double toi[OBSTACLES], first;
  int contacts;
} Own;

static brinkQuery questionOf(const Stage *s, uint32_t scheme, uint32_t mode) {
  brinkQuery query = wholeStep();
  query.scheme = scheme;
  query.mode = mode;
  query.tolerance = s->eps;
  return query;
}

static Own askPairs(const Stage *s, const brinkQuery *query) {
  Own own = {.first = 2};
  for (int k = 0; k < OBSTACLES; ++k) own.toi[k] = 2;
  brinkReport report = ask(s->world, query);
  for (size_t i = 0; i < report.contactCount; ++i)
    for (int k = 0; k < OBSTACLES; ++k) {
      const brinkContact *contact = &report.contacts[i];
      if (contact->colliderA != s->moving || contact->colliderB != s->obstacle[k]) continue;
      own.state[k] = contact->state;
      own.toi[k] = contact->toi;
      if (contact->state == brink_free) { /* a proven bound of the smallest distance, less the threshold at least */
        HOLDS(s, contact->distance <= sampledLeast(s, k) * (1 + 1e-9), contact->distance);
        continue;
      }
      if (contact->state == brink_unresolved) continue;
      ++own.contacts;
      own.first = fmin(own.first, contact->toi);
      if (contact->state == brink_hit)
        HOLDS(s, norm(minus(contact->pointB, contact->pointA)) <= query->threshold + 2 * s->eps + 1e-9, k);
      ASSERT_NEAR(norm(contact->normal), 1, 1e-9);
    }
  return own;
}

/* The first contact of all pairs, as `query` finds it. */
static void judgeFirst(const Stage *s, const brinkQuery *query, const Own *own) {
  brinkReport report = ask(s->world, query);
  HOLDS(s, (report.state == brink_free) == (own->contacts == 0), report.state);
  for (int k = 0; k < OBSTACLES; ++k)
    HOLDS(s, report.toi <= sampledFall(s, k, 0) || report.state == brink_free, report.toi);
  if (report.state == brink_free) return;
  HOLDS(s, report.contactCount > 0 && report.contacts[0].toi == report.toi, report.toi);
  for (int k = 0; k < OBSTACLES; ++k)
    if (report.contacts[0].colliderB == s->obstacle[k]) judgeEvent(s, k, 0, s->eps, report.state, report.toi);
}

/* Any contact will do: nothing before toi, contact at toiUpper. */
static void judgeYesOrNo(const Stage *s, const brinkQuery *query, const Own *own) {
  brinkReport report = ask(s->world, query);
  HOLDS(s, (report.state == brink_free) == (own->contacts == 0), report.state);
  if (report.state == brink_free) return;
  HOLDS(s, report.contactCount == 1, report.contactCount);
  const brinkContact contact = report.contacts[0];
  for (int k = 0; k < OBSTACLES; ++k) {
    if (contact.colliderB != s->obstacle[k]) continue;
    HOLDS(s, contact.toi <= sampledFall(s, k, 0) && contact.toi <= contact.toiUpper, contact.toi);
    HOLDS(s, contact.toi <= own->toi[k] + 1e-9 && contact.toiUpper >= own->toi[k] - 1e-3, contact.toiUpper);
    HOLDS(s, slowGap(s, k, contact.toiUpper) <= s->eps * (1 + 1e-6), slowGap(s, k, contact.toiUpper));
  }
}

static void judgeScheme(const Stage *s, uint32_t scheme, int *contacts) {
  brinkQuery query = questionOf(s, scheme, brink_modePairs);
  const Own own = askPairs(s, &query);
  for (int k = 0; k < OBSTACLES; ++k) judgeEvent(s, k, 0, s->eps, own.state[k], own.toi[k]);
  *contacts += own.contacts;
  /* first, window, yes or no: where in its tolerance an event is found depends on what else is asked */
  query.mode = brink_modeFirst;
  judgeFirst(s, &query, &own);
  query.window = 0.3;
  brinkReport report = ask(s->world, &query);
  size_t least = 0, most = 0;
  for (int k = 0; k < OBSTACLES; ++k) {
    least += own.state[k] != brink_free && own.toi[k] <= own.first + query.window - 1e-3;
    most += own.state[k] != brink_free && own.toi[k] <= own.first + query.window + 1e-3;
  }
  HOLDS(s, report.contactCount >= least && report.contactCount <= most, report.contactCount);
  query = questionOf(s, scheme, brink_modeBoolean);
  judgeYesOrNo(s, &query, &own);
  /* a part of the step, and time reversed in halves: free on both sides or a contact in one */
  query = questionOf(s, scheme, brink_modePairs);
  if (own.contacts > 0 && own.first > 0.01) {
    query.tEnd = own.first * 0.99;
    HOLDS(s, ask(s->world, &query).state == brink_free, own.first);
  }
  /* threshold */
  query = questionOf(s, scheme, brink_modePairs);
  query.threshold = 0.2;
  const Own far = askPairs(s, &query);
  for (int k = 0; k < OBSTACLES; ++k) {
    judgeEvent(s, k, query.threshold, s->eps, far.state[k], far.toi[k]);
    HOLDS(s, far.toi[k] <= own.toi[k] + 1e-3, far.toi[k]);
  }
  /* batch */
  brinkQuery batch[2] = {questionOf(s, scheme, brink_modeFirst), query};
  brinkReport reports[2] = {{.structSize = sizeof(brinkReport)}, {.structSize = sizeof(brinkReport)}};
  ASSERT_OK(s->world, api()->firstContacts(s->world, batch, 2, reports));
  query = batch[0];
  HOLDS(s, reports[0].toi == ask(s->world, &query).toi && reports[1].toi == far.first, reports[0].toi);
  /* budgets */
  for (uint64_t budget = 1; budget <= 64; budget *= 4) {
    query = questionOf(s, scheme, brink_modePairs);
    query.maxIterations = budget;
    Own spent = askPairs(s, &query);
    for (int k = 0; k < OBSTACLES; ++k) {
      if (spent.state[k] == brink_unresolved)
        HOLDS(s, spent.toi[k] <= fmin(own.toi[k], sampledFall(s, k, 0)), spent.toi[k]);
      else
        judgeEvent(s, k, 0, s->eps, spent.state[k], spent.toi[k]);
    }
    query = questionOf(s, scheme, brink_modeFirst);
    query.maxTotal = budget;
    report = ask(s->world, &query);
    HOLDS(s, report.state != brink_free || own.contacts == 0, budget);
    for (int k = 0; k < OBSTACLES; ++k)
      HOLDS(s, report.toi <= sampledFall(s, k, 0) || report.state == brink_free, report.toi);
  }
}

/* The obstacles as linear bodies, at rest and on their way, against the moving collider. */
static void judgeLinear(const Stage *s, int *contacts) {
  const brinkLinearTable *linear = api()->getExtension(BRINK_LINEAR_NAME);
  if (linear == NULL) return; /* a build without that wing */
  for (int k = 0; k < OBSTACLES; ++k)
    for (int moves = 0; moves < 2; ++moves) {
      double start[12], end[12];
      const brinkVec3 way = moves ? vec(0.3, -0.2, 0.25) : vec(0, 0, 0);
      for (int i = 0; i < 4; ++i) {
        brinkVec3 p = carry(
            s->places[k], times(s->sizes[k], vec(tetrahedron[3 * i], tetrahedron[3 * i + 1], tetrahedron[3 * i + 2])));
        brinkVec3 q = plus(p, way);
        memcpy(&start[3 * i], &p, sizeof p);
        memcpy(&end[3 * i], &q, sizeof q);
      }
      brinkLinearBody a = movingTetrahedron(start, end);
      a.flags = BRINK_MESH_SOLID;
      brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1, .tolerance = s->eps};
      brinkLinearContact out = {.structSize = sizeof out};
      ASSERT_OK(s->world, linear->firstContactWithCollider(s->world, &a, s->moving, &query, &out));
      HOLDS(s, out.state != brink_unresolved, out.toi);
      double least = INFINITY, touched = INFINITY, there = INFINITY;
      for (int i = 0; i <= SAMPLES + 1; ++i) {
        double t = i <= SAMPLES ? (double)i / SAMPLES : fmin(out.toi, 1);
        oracleLink link;
        double vertices[12], places[12];
        for (int c = 0; c < 12; ++c) places[c] = start[c] + t * (end[c] - start[c]);
        oracleBody b = slowBody(poseOf(s->world, s->body, t), s->size, &link, vertices);
        oracleBody here = {NULL, 0, places, 4, tetrahedronFaces, 4, true, 0};
        double gap = (double)oracleDistance(&here, &b, 0);
        if (i > SAMPLES) there = gap;
        if (gap <= 0) touched = fmin(touched, t);
        least = fmin(least, gap);
      }
      if (out.state == brink_free) {
        HOLDS(s, touched > 1 && out.distance <= least * (1 + 1e-9), least);
      } else {
        HOLDS(s, out.toi <= touched && there <= s->eps * (1 + 1e-6), out.toi);
        ++*contacts;
      }
      for (query.maxIterations = 1; query.maxIterations <= 64; query.maxIterations *= 4) {
        brinkLinearContact spent = {.structSize = sizeof spent};
        ASSERT_OK(s->world, linear->firstContactWithCollider(s->world, &a, s->moving, &query, &spent));
        if (spent.state == brink_unresolved)
          HOLDS(s, spent.toi <= fmin(out.toi, touched), spent.toi);
        else
          HOLDS(s, spent.state == out.state && spent.toi == out.toi, spent.toi);
      }
    }
}

static void judgeClearance(const Stage *s) {
  const brinkClearanceTable *clearance = api()->getExtension(BRINK_CLEARANCE_NAME);
  if (clearance == NULL) return;
  for (int k = 0; k < OBSTACLES; ++k) {
    brinkClearanceQuery query = {.structSize = sizeof query, .tEnd = 1, .tolerance = 1e-3};
    brinkClearanceAnswer out = {.structSize = sizeof out};
    ASSERT_OK(s->world, clearance->measure(s->world, s->moving, s->obstacle[k], &query, &out));
    double least = sampledLeast(s, k);
    HOLDS(s, out.state == brink_clearanceSettled && out.upper - out.lower <= 1e-3, out.upper - out.lower);
    HOLDS(s, out.lower <= least * (1 + 1e-9) && out.upper <= least + 1e-3, out.lower);
    HOLDS(s, fabs(slowGap(s, k, out.timeA) - out.upper) <= 1e-4, out.upper);
    query.required = least + 2e-3;
    ASSERT_OK(s->world, clearance->measure(s->world, s->moving, s->obstacle[k], &query, &out));
    HOLDS(s, out.verdict == brink_clearanceBroken, out.upper);
    query.required = 0;
    query.maxIterations = 1;
    ASSERT_OK(s->world, clearance->measure(s->world, s->moving, s->obstacle[k], &query, &out));
    HOLDS(s, out.lower <= least * (1 + 1e-9) && out.upper >= out.lower, out.lower);
#ifdef BRINK_SWEPT_HULL
    query.maxIterations = 0;
    query.tolerance = 0.02;
    query.flags = BRINK_CLEARANCE_SWEPT;
    ASSERT_OK(s->world, clearance->measure(s->world, s->moving, s->obstacle[k], &query, &out));
    HOLDS(s, out.lower <= least * (1 + 1e-9), out.lower); /* the obstacle rests: both mean the same */
    if (out.state == brink_clearanceSettled) HOLDS(s, out.upper <= least + 0.02, out.upper);
#endif
  }
}

static void judgeBoxes(const Stage *s) {
  brinkAabb box;
  for (int part = 0; part < 4; ++part) {
    double t0 = part / 4.0, t1 = part == 3 ? 1 : t0 + 0.3;
    ASSERT_OK(s->world, api()->sweptBounds(s->world, s->moving, t0, t1, &box));
    for (int i = 0; i <= 40; ++i) {
      brinkPose pose = poseOf(s->world, s->body, t0 + (t1 - t0) * i / 40);
      for (int v = 0; v < 4; ++v) {
        brinkVec3 p =
            carry(pose, times(s->size, vec(tetrahedron[3 * v], tetrahedron[3 * v + 1], tetrahedron[3 * v + 2])));
        const double margin = 1e-14 * (1 + norm(p)); /* of this test's own rotation */
        HOLDS(s,
              p.x >= box.lower.x - margin && p.x <= box.upper.x + margin && p.y >= box.lower.y - margin &&
                  p.y <= box.upper.y + margin && p.z >= box.lower.z - margin && p.z <= box.upper.z + margin,
              i);
      }
    }
  }
}

static void every_answer_holds_for_this_motion(void **state) {
  const Kind kind = *(const Kind *)*state;
  int contacts[2] = {0, 0};
  for (int number = 0; number < WORLDS; ++number) {
    Stage stage;
    startStage(&stage, kind, number);
    for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme)
      judgeScheme(&stage, scheme, &contacts[0]);
    judgeLinear(&stage, &contacts[1]);
    judgeClearance(&stage);
    judgeBoxes(&stage);
    ASSERT_OK(stage.world, api()->destroyWorld(stage.world));
  }
  print_message("%s: %d worlds, %d contacts, %d of linear bodies\n", kindNames[kind], WORLDS, contacts[0], contacts[1]);
}

int main(void) {
  static Kind kinds[kindCount];
  struct CMUnitTest tests[kindCount];
  static char names[kindCount][64];
  for (int k = 0; k < kindCount; ++k) {
    kinds[k] = (Kind)k;
    snprintf(names[k], sizeof names[k], "every_answer_holds_for_this_motion: %s", kindNames[k]);
    tests[k] = (struct CMUnitTest){names[k], every_answer_holds_for_this_motion, NULL, NULL, &kinds[k]};
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
