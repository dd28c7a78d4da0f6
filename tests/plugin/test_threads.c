/* SPDX-License-Identifier: BSD-3-Clause */
/* One question over the host's threads (brinkQuery.run): the answer, counters, and the calls of filters and goOn must
 * be those of a question without, bit for bit, whatever the number of threads and whoever takes which task. Crowds of
 * every kind of shape and motion, chains, a plane and a mesh below; all modes, schemes and watches; boxes kept from
 * question to question; a question that lives for a step; memory that runs out. */
#include "cases.h"
#include "plugin_support.h"

#include <pthread.h>
#include <stdatomic.h>

#include "brink/steps.h"
#include "motion_makers.h"
#include "tetrahedra.h"

enum { BODIES = 160, LINKS = 4, MOST_THREADS = 8 };

/* ---- hosts' ways to run tasks */

typedef struct Crew {
  int threads; /* 0: the asking one, last task first */
  int calls;   /* how often tasks were run */
} Crew;

typedef struct Work {
  uint32_t count;
  void (*task)(void *data, uint32_t index);
  void *data;
  atomic_uint next;
} Work;

static void *takeTasks(void *user) {
  Work *work = user;
  for (uint32_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) work->task(work->data, i);
  return NULL;
}

static void runTasks(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data) {
  Crew *crew = user;
  ++crew->calls;
  if (crew->threads == 0) {
    while (count-- > 0) task(data, count);
    return;
  }
  Work work = {.count = count, .task = task, .data = data};
  pthread_t threads[MOST_THREADS];
  atomic_init(&work.next, 0);
  for (int i = 1; i < crew->threads; ++i) assert_int_equal(pthread_create(&threads[i], NULL, takeTasks, &work), 0);
  takeTasks(&work);
  for (int i = 1; i < crew->threads; ++i) pthread_join(threads[i], NULL);
}

/* ---- a crowd */

typedef struct Crowd {
  brinkWorld *world;
  brinkBodyId bodies[BODIES];
  brinkBodyMotion motions[BODIES];
  Store stores[BODIES];
  uint64_t calls; /* hash of the filter's */
} Crowd;

/* An ellipsoid. */
static void furthest(void *user, const double d[3], double point[3]) {
  (void)user;
  const double half[3] = {0.3, 0.2, 0.25};
  double length = 0;
  for (int i = 0; i < 3; ++i) length += half[i] * half[i] * d[i] * d[i];
  for (int i = 0; i < 3; ++i) point[i] = half[i] * half[i] * d[i] / sqrt(length);
}

static void makeShapes(brinkWorld *world, brinkShapeId shape[8]) {
  shape[0] = newShape(world, brink_sphere, vec(0.25, 0, 0));
  shape[1] = newShape(world, brink_box, vec(0.25, 0.3, 0.2));
  shape[2] = newTetrahedron(world, 0.35, false);
  shape[3] = newTetrahedron(world, 0.3, true);
  shape[4] = newShape(world, brink_capsule, vec(0.15, 0, 0.2));
  shape[5] = newShape(world, brink_cylinder, vec(0.2, 0, 0.25));
  brinkShapeDef def = shapeDef(brink_support, vec(0, 0, 0));
  def.support = furthest;
  def.supportRadius = 0.3;
  def.supportRounding = 1e-12;
  shape[6] = shapeFrom(world, &def);
  const brinkShapeChild children[2] = {{shape[0], at(0.2, 0, 0)}, {shape[1], at(-0.2, 0.1, 0)}};
  def = shapeDef(brink_compound, vec(0, 0, 0));
  def.children = children;
  def.childCount = 2;
  shape[7] = shapeFrom(world, &def);
}

static int oddFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  Crowd *crowd = user;
  crowd->calls = (crowd->calls ^ (userDataA * 4096 + userDataB)) * UINT64_C(0x100000001b3);
  (void)a, (void)b;
  return (userDataA + userDataB) % 7 != 0;
}

static double someSink(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB,
                       double *limit) {
  (void)user, (void)a, (void)b;
  *limit = 0.02;
  return (userDataA + userDataB) % 3 == 0 ? 0.01 : 0;
}

/* Another motion for every `every`-th body; jointed ones go from pose to pose, and carry the others of their chain. */
static void moveCrowd(Random *random, Crowd *crowd, int every, bool paths) {
  for (int i = 0; i < BODIES; ++i) {
    const brinkPose place = crowd->motions[i].pose0;
    const uint64_t draw = nextBits(random);
    if (i % every != 0) continue;
    brinkBodyMotion *motion = &crowd->motions[i];
    if (i < BODIES / 4) {
      *motion = posesMotion(place, (brinkPose){plus(place.position, randomVector(random, 0.2)),
                                               product(rotation(randomVector(random, 0.4)), place.rotation)});
    } else if (paths && draw % 3u == 0) {
      const brinkPose at0 = place;
      *motion = randomMotion(random, (uint32_t)(draw / 3u % 7u) + 1u, 0.5, &crowd->stores[i]);
      if (motion->kind == brink_motionUser) crowd->stores[i].swing.centre = at0.position;
      motion->pose0 = at0;
    } else {
      *motion = velocitiesMotion(place, randomVector(random, 0.3), randomVector(random, 0.8));
    }
    ASSERT_OK(crowd->world, api()->setBodyMotion(crowd->world, crowd->bodies[i], motion));
  }
}

static void makeCrowd(uint64_t seed, double spacing, bool ground, const brinkHost *host, Crowd *crowd) {
  Random random = {seed};
  memset(crowd, 0, sizeof *crowd);
  crowd->world = newWorld(host);
  brinkShapeId shape[8];
  makeShapes(crowd->world, shape);
  for (int i = 0; i < BODIES; ++i) {
    const brinkVec3 cell = vec(spacing * (i % 6), spacing * (i / 6 % 6), spacing * (i / 36) + 0.4); /* NOLINT */
    const brinkPose place = {plus(cell, randomVector(&random, 0.1)), rotation(randomVector(&random, 3))};
    crowd->bodies[i] = newBody(crowd->world, 0, place);
    crowd->motions[i].pose0 = place;
    if (i < BODIES / 4 && i % LINKS != 0)
      newJoint(crowd->world, crowd->bodies[i - 1], crowd->bodies[i], vec(spacing / 2, 0, 0), vec(-spacing / 2, 0, 0));
    brinkColliderDef def = colliderDef(crowd->bodies[i], shape[nextBits(&random) % 8u], at(0, 0, 0));
    def.userData = (uint64_t)i;
    brinkColliderId made;
    ASSERT_OK(crowd->world, api()->createCollider(crowd->world, &def, &made));
  }
  if (ground) {
    newCollider(crowd->world, 0, newPlane(crowd->world), at(0, 0, -0.2));
    newCollider(crowd->world, 0, newShape(crowd->world, brink_box, vec(9, 9, 0.1)), at(0, 0, -0.3));
    newCollider(crowd->world, 0, newTetrahedron(crowd->world, 2, false), at(2, 2, -1));
  }
  moveCrowd(&random, crowd, 1, true);
}

/* ---- answers */

typedef struct Answer {
  brinkReport report;
  brinkContact *contacts;
  uint64_t calls;
} Answer;

static Answer askOnce(Crowd *crowd, brinkQuery query, int threads, int *ran) {
  Crew crew = {threads, 0};
  Answer answer = {.report = {.structSize = sizeof answer.report, .counters.structSize = sizeof(brinkCounters)}};
  if (threads >= 0) {
    query.run = runTasks;
    query.runUser = &crew;
  }
  crowd->calls = 1;
  ASSERT_OK(crowd->world, api()->firstContact(crowd->world, &query, &answer.report));
  answer.contacts = malloc(answer.report.contactCount * sizeof *answer.contacts + 1);
  memcpy(answer.contacts, answer.report.contacts, answer.report.contactCount * sizeof *answer.contacts);
  answer.calls = crowd->calls;
  if (ran != NULL) *ran = crew.calls;
  return answer;
}

static void expectSame(const Answer *x, const Answer *y) {
  assert_int_equal(x->report.state, y->report.state);
  assert_memory_equal(&x->report.toi, &y->report.toi, sizeof x->report.toi);
  assert_int_equal(x->report.contactCount, y->report.contactCount);
  assert_memory_equal(&x->report.counters, &y->report.counters, sizeof x->report.counters);
  assert_memory_equal(x->contacts, y->contacts, x->report.contactCount * sizeof *x->contacts);
  assert_true(x->calls == y->calls);
}

static const int crews[] = {0, 1, 2, 3, 8};

static void askByAll(Crowd *crowd, const brinkQuery *query, int *ran) {
  Answer alone = askOnce(crowd, *query, -1, NULL);
  for (size_t i = 0; i < sizeof crews / sizeof *crews; ++i) {
    int calls;
    Answer shared = askOnce(crowd, *query, crews[i], &calls);
    expectSame(&alone, &shared);
    free(shared.contacts);
    if (ran != NULL) *ran += calls;
  }
  free(alone.contacts);
}

static brinkQuery queryOf(uint32_t mode, uint32_t scheme, uint32_t watch) {
  return (brinkQuery){
      .structSize = sizeof(brinkQuery), .mode = mode, .scheme = scheme, .watch = watch, .tEnd = 1, .window = 0.01};
}

CASE(every_way_to_ask_has_the_same_bits) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Crowd crowd;
    Random random = {seed * 77};
    int ran = 0;
    makeCrowd(seed, seed % 2 != 0 ? 0.85 : 1.3, seed % 3 != 0, NULL, &crowd);
    if (seed % 2 == 0) ASSERT_OK(crowd.world, api()->setPairFilter(crowd.world, oddFilter, &crowd));
    const brinkStepsTable *steps = api()->getExtension(BRINK_STEPS_NAME);
    for (uint32_t way = 0; way < 18; ++way) {
      const uint32_t mode = way % 3, scheme = way / 3 % 3, watch = way / 9;
      brinkQuery query = queryOf(mode, scheme, watch);
      if (watch == brink_watchContact) query.threshold = way % 2 * 0.01;
      if (scheme == brink_schemePaper) query.tEnd = 0.2;
      ASSERT_OK(crowd.world, steps->setSink(crowd.world, way % 4 < 2 ? someSink : NULL, NULL));
      ASSERT_OK(crowd.world, steps->leaveOutResting(crowd.world, way % 5 < 3));
      askByAll(&crowd, &query, &ran);
      moveCrowd(&random, &crowd, 1 + (int)way % 3, way % 2 != 0);
    }
    assert_true(ran > 150);
    ASSERT_OK(crowd.world, api()->destroyWorld(crowd.world));
  }
}

/* Every waking costs: once a pair touches at the start no later one can be sooner, and all that is left is asked at
 * once. Nothing that a task finds is made ready for it in a round before. */
CASE(threads_are_woken_a_few_times_a_question) {
  Crowd crowd;
  makeCrowd(5, 0.7, false, NULL, &crowd);
  for (uint32_t watch = 0; watch < 2; ++watch) {
    brinkQuery query = queryOf(brink_modeFirst, brink_schemeDefault, watch);
    int calls;
    Answer answer = askOnce(&crowd, query, 2, &calls);
    assert_int_equal(answer.report.state, brink_overlap);
    assert_true(answer.report.counters.pairsTemporal > 200);
    assert_true(calls > 1 && calls < 6);
    free(answer.contacts);
  }
  ASSERT_OK(crowd.world, api()->destroyWorld(crowd.world));
}

/* The first question of a world, and each after a change, over threads alone: nothing is made ready by one without. */
CASE(worlds_that_know_threads_alone_have_the_same_bits) {
  for (size_t c = 0; c < sizeof crews / sizeof *crews; ++c) {
    Crowd alone, shared;
    Random one = {9}, other = {9};
    makeCrowd(40, 0.95, true, NULL, &alone);
    makeCrowd(40, 0.95, true, NULL, &shared);
    for (uint32_t step = 0; step < 6; ++step) {
      brinkQuery query = queryOf(step % 3, brink_schemeDefault, step / 3);
      Answer x = askOnce(&alone, query, -1, NULL), y = askOnce(&shared, query, crews[c], NULL);
      assert_int_equal(x.report.contactCount, y.report.contactCount);
      for (size_t i = 0; i < x.report.contactCount; ++i) { /* handles bear the world's tag */
        x.contacts[i].colliderA = y.contacts[i].colliderA;
        x.contacts[i].colliderB = y.contacts[i].colliderB;
      }
      expectSame(&x, &y);
      free(x.contacts), free(y.contacts);
      moveCrowd(&one, &alone, 1 + (int)step % 2, true);
      moveCrowd(&other, &shared, 1 + (int)step % 2, true);
    }
    ASSERT_OK(alone.world, api()->destroyWorld(alone.world));
    ASSERT_OK(shared.world, api()->destroyWorld(shared.world));
  }
}

/* Boxes of what is jointed are made by trees; spins ask for parts of the time and for Taylor models of a tree. Other
 * intervals make all boxes anew. */
CASE(chains_have_the_same_bits) {
  enum { CHAINS = 70, CHAIN = 3 };
  Crowd crowd = {.world = newWorld(NULL)};
  Random random = {31};
  const brinkShapeId box = newShape(crowd.world, brink_box, vec(0.45, 0.15, 0.1));
  brinkPose places[CHAINS * CHAIN];
  brinkBodyId bodies[CHAINS * CHAIN];
  for (int i = 0; i < CHAINS * CHAIN; ++i) {
    places[i] =
        (brinkPose){vec(i % CHAIN, 0.7 * (i / CHAIN % 9), 0.7 * (i / CHAIN / 9)), rotation(vec(0, 0, 0))}; /* NOLINT */
    bodies[i] = newBody(crowd.world, 0, places[i]);
    newCollider(crowd.world, bodies[i], box, at(0, 0, 0));
    if (i % CHAIN != 0) newJoint(crowd.world, bodies[i - 1], bodies[i], vec(0.5, 0, 0), vec(-0.5, 0, 0));
  }
  for (uint32_t way = 0; way < 12; ++way) {
    for (int i = 0; i < CHAINS * CHAIN; ++i) {
      const double turn = i / CHAIN % 5 == 0 ? 6 : 0.5;
      const brinkVec3 off = randomVector(&random, 0.3), spin = randomVector(&random, turn);
      if (way > 3 && i / CHAIN % 4 == 0) continue; /* not all move */
      const brinkPose end = {plus(places[i].position, off), product(rotation(spin), places[i].rotation)};
      brinkBodyMotion motion = posesMotion(places[i], end);
      motion.flags = BRINK_MOTION_HAS_SPIN;
      motion.spin = spin;
      ASSERT_OK(crowd.world, api()->setBodyMotion(crowd.world, bodies[i], &motion));
    }
    brinkQuery query = queryOf(way % 2, way % 6 == 5 ? brink_schemePaper : brink_schemeDefault, way / 3 % 2);
    if (way % 4 == 3) query.tStart = 0.3;
    int ran = 0;
    askByAll(&crowd, &query, &ran);
    if (way % 6 != 5) assert_true(ran >= 2 * (int)(sizeof crews / sizeof *crews)); /* trees, bounds, at times answers */
  }
  ASSERT_OK(crowd.world, api()->destroyWorld(crowd.world));
}

static int countDown(void *user) { return (*(int *)user)-- > 0; }

CASE(budgets_are_spent_in_the_same_order) {
  Crowd crowd;
  makeCrowd(3, 0.9, true, NULL, &crowd);
  for (int budget = 1; budget < 3000; budget = budget * 3 + 1) {
    brinkQuery query = queryOf(brink_modePairs, brink_schemeDefault, brink_watchContact);
    query.maxTotal = (uint64_t)budget;
    askByAll(&crowd, &query, NULL);
    query.maxTotal = 0;
    query.goOn = countDown;
    Answer first = {0};
    for (int threads = -1; threads <= 3; ++threads) {
      int left = budget;
      query.goOnUser = &left;
      Answer answer = askOnce(&crowd, query, threads, NULL);
      if (threads < 0) {
        first = answer;
        continue;
      }
      expectSame(&first, &answer);
      free(answer.contacts);
    }
    free(first.contacts);
  }
  ASSERT_OK(crowd.world, api()->destroyWorld(crowd.world));
}

/* A question that lives for a step: each call's events, and what comes after motions changed. */
CASE(questions_that_live_have_the_same_bits) {
  const brinkStepsTable *steps = api()->getExtension(BRINK_STEPS_NAME);
  for (int watch = 0; watch < 2; ++watch) {
    Answer seen[12] = {{.contacts = NULL}};
    for (int threads = -1; threads <= 3; ++threads) {
      Crowd crowd;
      Random random = {5};
      makeCrowd(11, 1.1, true, NULL, &crowd);
      ASSERT_OK(crowd.world, steps->setSink(crowd.world, someSink, NULL));
      brinkQuery query = queryOf(brink_modeFirst, brink_schemeDefault, (uint32_t)watch);
      Crew crew = {threads, 0};
      if (threads >= 0) {
        query.run = runTasks;
        query.runUser = &crew;
      }
      ASSERT_OK(crowd.world, steps->beginQuestion(crowd.world, &query));
      double from = 0;
      for (int call = 0; call < 12; ++call) {
        brinkReport report = {.structSize = sizeof report, .counters.structSize = sizeof report.counters};
        ASSERT_OK(crowd.world, steps->nextEvents(crowd.world, from, &report, NULL));
        if (threads < 0) {
          seen[call].report = report;
          seen[call].contacts = malloc(report.contactCount * sizeof *report.contacts + 1);
          memcpy(seen[call].contacts, report.contacts, report.contactCount * sizeof *report.contacts);
        }
        assert_int_equal(report.contactCount, seen[call].report.contactCount);
        assert_memory_equal(&report.counters, &seen[call].report.counters, sizeof report.counters);
        for (size_t i = 0; i < report.contactCount; ++i)
          assert_memory_equal(&report.contacts[i].toi, &seen[call].contacts[i].toi,
                              sizeof *report.contacts - offsetof(brinkContact, toi));
        if (report.state == brink_free) break;
        from = fmax(from, fmin(report.toi, 1));
        for (size_t i = 0; i < report.contactCount; ++i)
          ASSERT_OK(crowd.world,
                    steps->leavePair(crowd.world, report.contacts[i].colliderA, report.contacts[i].colliderB));
        for (int i = BODIES / 4 + call; i < BODIES; i += 12) { /* free bodies turn elsewhere from here on */
          crowd.motions[i] =
              velocitiesMotion(crowd.motions[i].pose0, randomVector(&random, 0.3), randomVector(&random, 0.8));
          ASSERT_OK(crowd.world, api()->setBodyMotion(crowd.world, crowd.bodies[i], &crowd.motions[i]));
        }
      }
      if (threads >= 0) assert_true(crew.calls > 3);
      ASSERT_OK(crowd.world, api()->destroyWorld(crowd.world));
    }
    for (int call = 0; call < 12; ++call) free(seen[call].contacts);
  }
}

/* ---- memory that runs out on any thread */

static atomic_int memoryLeft;

static void *scarce(void *user, size_t size) {
  (void)user;
  return atomic_fetch_sub(&memoryLeft, 1) > 0 ? malloc(size) : NULL;
}

static void giveBack(void *user, void *block, size_t size) {
  (void)user, (void)size;
  free(block);
}

CASE(memory_that_runs_out_spoils_no_later_answer) {
  const brinkHost host = {
      .structSize = sizeof host, .abiMajor = BRINK_ABI_MAJOR, .allocate = scarce, .release = giveBack};
  const brinkQuery query = queryOf(brink_modePairs, brink_schemeDefault, brink_watchDepth);
  int refused = 0;
  for (int room = 0; room < 400; room = room * 5 / 4 + 1) {
    Crowd crowd;
    Crew crew = {3, 0};
    brinkQuery shared = query;
    shared.run = runTasks;
    shared.runUser = &crew;
    atomic_store(&memoryLeft, INT32_MAX);
    makeCrowd(8, 0.9, true, &host, &crowd);
    brinkReport report = {.structSize = sizeof report, .counters.structSize = sizeof report.counters};
    atomic_store(&memoryLeft, room);
    const brinkStatus status = api()->firstContact(crowd.world, &shared, &report);
    assert_true(status == brink_ok || status == brink_errorNoMemory);
    refused += status != brink_ok;
    atomic_store(&memoryLeft, INT32_MAX);
    Answer late = askOnce(&crowd, query, 3, NULL), alone = askOnce(&crowd, query, -1, NULL);
    expectSame(&late, &alone);
    free(late.contacts), free(alone.contacts);
    ASSERT_OK(crowd.world, api()->destroyWorld(crowd.world));
  }
  assert_true(refused > 5);
}

/* A motion of the host's that is no number is found out on whatever thread it is called. */
static void brokenPose(void *user, double t, brinkMotionState *out) {
  out->pose = at(*(double *)user, 0, t > 0 && *(double *)user < 0 ? (double)NAN : 0);
}
static void brokenBound(void *user, double t0, double t1, brinkMotionBound *out) {
  (void)user, (void)t0, (void)t1;
  out->speed = out->turnRate = 1;
}

CASE(a_hosts_motion_that_is_no_number_is_refused_on_threads_too) {
  Crowd crowd;
  double place = 1;
  makeCrowd(2, 0.9, false, NULL, &crowd);
  brinkMotionPath path = {.structSize = sizeof path, .user = &place, .poseAt = brokenPose, .boundOver = brokenBound};
  brinkBodyMotion motion = {.structSize = sizeof motion, .kind = brink_motionUser, .path = &path};
  ASSERT_OK(crowd.world, api()->setBodyMotion(crowd.world, crowd.bodies[BODIES - 1], &motion));
  place = -1;
  Crew crew = {3, 0};
  brinkQuery query = queryOf(brink_modePairs, brink_schemeDefault, brink_watchContact);
  query.run = runTasks;
  query.runUser = &crew;
  brinkReport report = {.structSize = sizeof report, .counters.structSize = sizeof report.counters};
  ASSERT_STATUS(crowd.world, api()->firstContact(crowd.world, &query, &report), brink_errorBadValue);
  place = 1;
  askByAll(&crowd, &query, NULL);
  ASSERT_OK(crowd.world, api()->destroyWorld(crowd.world));
}

int main(void) { return cases_Run(NULL, NULL); }
