/* SPDX-License-Identifier: BSD-3-Clause */
/* One question that lives for a whole step (brink/steps.h). The referee is firstContact in worlds made anew: each
 * pair's answer must be, to the bit, what it tells in mode pairs over the part of the step since a motion of the pair
 * changed, and the events told must be the earliest of these. Kinds, margins and what is left against closed forms; the
 * work of a step with many islands struck one after another. */
#include "brink/steps.h"
#include "plugin_support.h"

static const brinkStepsTable *stepsTable(void) {
  const brinkStepsTable *steps = api()->getExtension(BRINK_STEPS_NAME);
  if (steps == NULL || steps->structSize != sizeof *steps) fail_msg("no table %s", BRINK_STEPS_NAME);
  return steps;
}

static brinkReport emptyReport(void) {
  brinkReport report;
  memset(&report, 0, sizeof report);
  report.structSize = sizeof report;
  report.counters.structSize = sizeof report.counters;
  return report;
}

static brinkReport next(brinkWorld *world, double from, const brinkPairEvent **events) {
  brinkReport report = emptyReport();
  ASSERT_OK(world, stepsTable()->nextEvents(world, from, &report, events));
  return report;
}

static brinkQuery depthQuery(double window) {
  brinkQuery query = wholeStep();
  query.watch = brink_watchDepth;
  query.window = window;
  return query;
}

/* ---- random worlds */

enum { BODIES = 36, CHAIN = 5, MOST_PAIRS = (BODIES + 1) * (BODIES + 2) };

typedef struct Scene {
  brinkWorld *world;
  brinkBodyId bodies[BODIES];
  brinkColliderId colliders[BODIES + 2]; /* the last two: ground mesh and plane, static */
  int above[BODIES];                     /* body it hangs on, -1 = none */
} Scene;

/* A few links of a jointed chain, three that carry each other, the others free. */
static int bodyAbove(int i) {
  if (i > 0 && i < CHAIN) return i - 1;
  if (i == CHAIN + 1 || i == CHAIN + 2) return i - 1;
  return -1;
}
static bool isJointed(int i) { return i < CHAIN; }

static brinkShapeId boxMesh(brinkWorld *world, double x, double y, double z) {
  static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  double vertices[24];
  for (int i = 0; i < 8; ++i) {
    vertices[3 * i] = i & 1 ? x : -x;
    vertices[3 * i + 1] = i & 2 ? y : -y;
    vertices[3 * i + 2] = i & 4 ? z : -z;
  }
  brinkShapeDef def = shapeDef(brink_mesh, vec(0, 0, 0));
  def.mesh.vertices = vertices;
  def.mesh.vertexCount = 8;
  def.mesh.indices = faces;
  def.mesh.triangleCount = 12;
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

static brinkShapeId groundMesh(brinkWorld *world) {
  enum { SIDE = 9 };
  static double vertices[3 * SIDE * SIDE];
  static uint32_t faces[6 * (SIDE - 1) * (SIDE - 1)];
  size_t count = 0;
  for (uint32_t i = 0; i < SIDE; ++i)
    for (uint32_t k = 0; k < SIDE; ++k) {
      double *v = &vertices[3 * (i * SIDE + k)];
      v[0] = -6 + 1.5 * i;
      v[1] = -6 + 1.5 * k;
      v[2] = 0.4 * sin(1.3 * i) * cos(0.9 * k);
      if (i + 1 == SIDE || k + 1 == SIDE) continue;
      const uint32_t at = i * SIDE + k, corners[6] = {at, at + SIDE, at + 1, at + 1, at + SIDE, at + SIDE + 1};
      memcpy(&faces[count], corners, sizeof corners);
      count += 6;
    }
  brinkShapeDef def = shapeDef(brink_mesh, vec(0, 0, 0));
  def.mesh.vertices = vertices;
  def.mesh.vertexCount = SIDE * SIDE;
  def.mesh.indices = faces;
  def.mesh.triangleCount = count / 3;
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

static double sinkALittle(void *user, brinkColliderId a, brinkColliderId b, uint64_t dataA, uint64_t dataB,
                          double *limit) {
  (void)user;
  (void)a;
  (void)b;
  if ((dataA + dataB) % 3 == 0) return 0.0;
  *limit = 0.06;
  return 0.02;
}

static int leaveSome(void *user, brinkColliderId a, brinkColliderId b, uint64_t dataA, uint64_t dataB) {
  ++*(uint64_t *)user;
  (void)a;
  (void)b;
  return (dataA * 7 + dataB) % 11 != 0;
}

static uint64_t filterCalls;

static void makeScene(Scene *scene, const brinkBodyMotion *motions, bool leaveOutResting) {
  brinkWorld *world = scene->world = newWorld(NULL);
  const brinkShapeId shapes[5] = {newShape(world, brink_sphere, vec(0.3, 0, 0)),
                                  newShape(world, brink_box, vec(0.2, 0.4, 0.3)), boxMesh(world, 0.3, 0.25, 0.2),
                                  newShape(world, brink_capsule, vec(0.15, 0, 0.3)),
                                  newShape(world, brink_cylinder, vec(0.25, 0, 0.2))};
  for (int i = 0; i < BODIES; ++i) {
    scene->above[i] = bodyAbove(i);
    const bool carried = scene->above[i] >= 0 && !isJointed(i);
    scene->bodies[i] = newBody(world, carried ? scene->bodies[scene->above[i]] : 0, at(0, 0, 0));
    brinkColliderDef def = colliderDef(scene->bodies[i], shapes[i % 5], at(0.02 * (i % 3), 0, 0));
    def.userData = (uint64_t)i;
    ASSERT_OK(world, api()->createCollider(world, &def, &scene->colliders[i]));
  }
  brinkColliderDef def = colliderDef(0, groundMesh(world), at(0, 0, -2.5));
  def.userData = 100;
  ASSERT_OK(world, api()->createCollider(world, &def, &scene->colliders[BODIES]));
  brinkShapeDef planeDef = shapeDef(brink_plane, vec(0, 0, 0));
  planeDef.normal = vec(0, 0, 1);
  planeDef.offset = -3.2;
  brinkShapeId plane;
  ASSERT_OK(world, api()->createShape(world, &planeDef, &plane));
  def = colliderDef(0, plane, at(0, 0, 0));
  def.userData = 101;
  ASSERT_OK(world, api()->createCollider(world, &def, &scene->colliders[BODIES + 1]));
  for (int i = 1; i < CHAIN; ++i)
    newJoint(world, scene->bodies[i - 1], scene->bodies[i], vec(0.5, 0, 0), vec(-0.5, 0, 0));
  ASSERT_OK(world, stepsTable()->setSink(world, sinkALittle, NULL));
  ASSERT_OK(world, api()->setPairFilter(world, leaveSome, &filterCalls));
  ASSERT_OK(world, stepsTable()->leaveOutResting(world, leaveOutResting));
  for (int i = 0; i < BODIES; ++i) ASSERT_OK(world, api()->setBodyMotion(world, scene->bodies[i], &motions[i]));
}

static brinkBodyMotion randomMotion(Random *random, int body, double size) {
  brinkPose pose = {randomVector(random, size), rotation(randomVector(random, 2))};
  brinkVec3 velocity = randomVector(random, 2), spin = randomVector(random, 4);
  if (bodyAbove(body) >= 0 && !isJointed(body)) { /* near the one that carries it */
    pose.position = vec(0, 0, 1);
    velocity = times(0.2, velocity);
  }
  if (isJointed(body)) { /* world poses of a chain along x that bends a little */
    brinkPose start = at(-4 + 1.0 * body, 0, 1), end = start;
    end.position = plus(end.position, randomVector(random, 0.8));
    end.rotation = rotation(randomVector(random, 0.5));
    return posesMotion(start, end);
  }
  brinkBodyMotion motion = velocitiesMotion(pose, velocity, spin);
  if (uniform(random, 0, 1) < 0.3) {
    motion = posesMotion(pose, pose);
    motion.kind = brink_motionRest;
  }
  return motion;
}

/* ---- the referee: what every pair would answer, each asked when its motions last changed */

typedef struct Known {
  brinkContact contact;
  bool has;
  bool left; /* never again */
} Known;

static int indexOf(const Scene *scene, brinkColliderId id) {
  for (int i = 0; i < BODIES + 2; ++i)
    if (scene->colliders[i] == id) return i;
  fail_msg("unknown collider");
  return -1;
}

static bool isBelow(const bool *changed, int body) {
  for (; body >= 0; body = bodyAbove(body))
    if (changed[body]) return true;
  return false;
}

static bool pairChanged(const bool *changed, int a, int b) {
  return (a < BODIES && isBelow(changed, a)) || (b < BODIES && isBelow(changed, b));
}

/* Asks a world made anew about [from,1] and takes over the answers of the changed pairs. */
static void askAnew(const brinkBodyMotion *motions, bool leaveOutResting, const brinkQuery *whole, double from,
                    const bool *changed, Known (*known)[BODIES + 2]) {
  Scene fresh;
  makeScene(&fresh, motions, leaveOutResting);
  brinkQuery query = *whole;
  query.mode = brink_modePairs;
  query.window = 0;
  query.tStart = from;
  for (int a = 0; a < BODIES + 2; ++a)
    for (int b = 0; b < BODIES + 2; ++b)
      if (pairChanged(changed, a, b)) known[a][b].has = false;
  const brinkReport report = ask(fresh.world, &query);
  for (size_t i = 0; i < report.contactCount; ++i) {
    const brinkContact *contact = &report.contacts[i];
    int a = indexOf(&fresh, contact->colliderA), b = indexOf(&fresh, contact->colliderB);
    if (!pairChanged(changed, a, b) || contact->state == brink_free || known[a][b].left) continue;
    known[a][b] = (Known){*contact, true, false};
  }
  ASSERT_OK(fresh.world, api()->destroyWorld(fresh.world));
}

/* The report must be the earliest of what is known, all within the window, to the bit. */
static size_t compare(const Scene *scene, const brinkReport *report, const brinkPairEvent *events, double window,
                      Known (*known)[BODIES + 2], uint64_t seed, int round) {
  double first = HUGE_VAL;
  size_t expected = 0;
  for (int a = 0; a < BODIES + 2; ++a)
    for (int b = 0; b < BODIES + 2; ++b)
      if (known[a][b].has) first = fmin(first, known[a][b].contact.toi);
  for (int a = 0; a < BODIES + 2; ++a)
    for (int b = 0; b < BODIES + 2; ++b) expected += known[a][b].has && known[a][b].contact.toi <= first + window;
  if (report->contactCount != expected || (expected > 0 && report->toi != first))
    fail_msg("seed %llu round %d: %zu events from %.17g, expected %zu from %.17g", (unsigned long long)seed, round,
             report->contactCount, report->toi, expected, first);
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *got = &report->contacts[i];
    const Known *want = &known[indexOf(scene, got->colliderA)][indexOf(scene, got->colliderB)];
    if (!want->has || got->toi != want->contact.toi || got->toiUpper != want->contact.toiUpper ||
        got->state != want->contact.state || got->distance != want->contact.distance ||
        got->threshold != want->contact.threshold)
      fail_msg("seed %llu round %d: pair %d %d at %.17g (state %u), expected %.17g (state %u)",
               (unsigned long long)seed, round, indexOf(scene, got->colliderA), indexOf(scene, got->colliderB),
               got->toi, got->state, want->contact.toi, want->contact.state);
    assert_true(i == 0 || got->toi >= got[-1].toi);
    assert_int_equal(events[i].structSize, sizeof(brinkPairEvent));
    assert_true(events[i].kind >= brink_eventTouch && events[i].kind <= brink_eventUndecided);
    assert_true((events[i].kind == brink_eventUndecided) == (got->state == brink_unresolved));
    assert_true((events[i].kind == brink_eventCrossed) == (got->state == brink_overlap));
    assert_true(events[i].left >= 0.0);
  }
  return expected;
}

static bool isDone(const brinkReport *report) { return report->contactCount == 0; }

/* Steps as a stepper makes them: some of what struck gets new motions at the impact; pairs are left now and then; other
 * questions are asked in between. */
static void playStep(uint64_t seed, uint32_t watch, size_t *rounds, size_t *events) {
  static Known known[BODIES + 2][BODIES + 2];
  Random random = {seed * 7919};
  brinkBodyMotion motions[BODIES];
  const double size = uniform(&random, 1.5, 4);
  for (int i = 0; i < BODIES; ++i) motions[i] = randomMotion(&random, i, size);
  const bool leaveOutResting = seed % 2 == 0;
  Scene scene;
  makeScene(&scene, motions, leaveOutResting);
  brinkQuery query = depthQuery(seed % 3 == 0 ? 0.05 : 0.0);
  query.watch = watch;
  ASSERT_OK(scene.world, stepsTable()->beginQuestion(scene.world, &query));
  bool changed[BODIES];
  double from = 0;
  for (int i = 0; i < BODIES; ++i) changed[i] = true;
  memset(known, 0, sizeof known);
  askAnew(motions, leaveOutResting, &query, 0, changed, known);
  for (int round = 0; round < 25; ++round, ++*rounds) {
    const brinkPairEvent *found;
    brinkReport report = next(scene.world, from, &found);
    *events += compare(&scene, &report, found, query.window, known, seed, round);
    if (isDone(&report)) break;
    from = fmax(from, uniform(&random, 0, 1) < 0.8 ? report.toi : from);
    memset(changed, 0, sizeof changed);
    for (size_t i = 0; i < report.contactCount; ++i) {
      const int a = indexOf(&scene, report.contacts[i].colliderA), b = indexOf(&scene, report.contacts[i].colliderB);
      if (uniform(&random, 0, 1) < 0.4 || report.contacts[i].toi < from) {
        known[a][b].has = false;
        ASSERT_OK(scene.world, stepsTable()->leavePair(scene.world, scene.colliders[a], scene.colliders[b]));
        known[a][b].left = true;
        continue;
      }
      if (a < BODIES) changed[a] = true;
      if (b < BODIES) changed[b] = true;
    }
    if (round % 4 == 1) changed[(int)uniform(&random, 0, BODIES)] = true;
    for (int i = 0; i < BODIES; ++i) {
      if (!changed[i]) continue;
      motions[i] = randomMotion(&random, i, size);
      ASSERT_OK(scene.world, api()->setBodyMotion(scene.world, scene.bodies[i], &motions[i]));
    }
    askAnew(motions, leaveOutResting, &query, from, changed, known);
    if (round % 3 == 0) { /* what is asked in between changes nothing */
      const brinkColliderPair *pairs;
      size_t count;
      const double t = round % 2 ? from : 0.0;
      ASSERT_OK(scene.world,
                stepsTable()->pairsOf(scene.world, &scene.bodies[round % BODIES], 1, t, 1, 0.1, &pairs, &count));
      if (round % 2) ASSERT_OK(scene.world, api()->nearPairs(scene.world, 0.5, 0.1, &pairs, &count));
      brinkQuery other = wholeStep();
      if (round % 9 == 0) ask(scene.world, &other);
    }
  }
  ASSERT_OK(scene.world, stepsTable()->endQuestion(scene.world));
  /* What the question kept serves the next one. */
  for (int i = 0; i < BODIES; i += 3) {
    motions[i] = randomMotion(&random, i, size);
    ASSERT_OK(scene.world, api()->setBodyMotion(scene.world, scene.bodies[i], &motions[i]));
  }
  for (int i = 0; i < BODIES; ++i) changed[i] = true;
  ASSERT_OK(scene.world, stepsTable()->beginQuestion(scene.world, &query));
  memset(known, 0, sizeof known);
  askAnew(motions, leaveOutResting, &query, 0, changed, known);
  const brinkPairEvent *found;
  const brinkReport report = next(scene.world, 0, &found);
  compare(&scene, &report, found, query.window, known, seed, -1);
  ASSERT_OK(scene.world, api()->destroyWorld(scene.world));
}

static void each_pair_answers_as_a_world_made_anew(void **unused) {
  (void)unused;
  size_t rounds = 0, events = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed)
    playStep(seed, seed % 4 == 3 ? brink_watchContact : brink_watchDepth, &rounds, &events);
  printf("%zu rounds, %zu events\n", rounds, events);
  assert_true(rounds > 300 && events > 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_pair_answers_as_a_world_made_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
