/* SPDX-License-Identifier: BSD-3-Clause */
/* One question about much that moves: see large.h. What is counted is the question, not the handing over of motions.
 * Path is the calling thread's own processor time outside of tasks, and that of the busiest thread of each round of
 * them. For it tasks are dealt out by what they cost one thread; the wall clock is of threads that take the next one.
 */
#include "large.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/steps.h"
#include "crew.h"

#define BODIES 5000
#define SITES 64
#define SPACING 1.2 /* m, of the crowd; bodies are about 1 m large */
#define POINTS 32   /* of a hull */
#define SIDE 9      /* points a side of a small mesh: 128 triangles */
#define PI 3.14159265358979

typedef struct Large {
  const brinkPlugin *brink;
  brinkWorld *world;
  brinkBodyId *bodies;
  brinkBodyMotion *motions;
  int count;
} Large;

static double Uniform(uint64_t *state) { /* splitmix64, -1..1 */
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static brinkVec3 Within(uint64_t *state, double size) {
  const double x = size * Uniform(state), y = size * Uniform(state), z = size * Uniform(state);
  return (brinkVec3){x, y, z};
}

static brinkStatus Open(Large *large, int bodies) {
  *large = (Large){.brink = brinkEntry(BRINK_ABI_MAJOR, NULL), .count = bodies};
  large->bodies = calloc((size_t)bodies, sizeof *large->bodies);
  large->motions = calloc((size_t)bodies, sizeof *large->motions);
  const brinkWorldDef def = {sizeof def, 0, 3, 0};
  if (large->bodies == NULL || large->motions == NULL) return brink_errorNoMemory;
  return large->brink->createWorld(NULL, &def, &large->world);
}

static void Close(Large *large) {
  if (large->world != NULL) large->brink->destroyWorld(large->world);
  free(large->bodies);
  free(large->motions);
}

static brinkStatus AddCollider(const Large *large, brinkBodyId body, brinkShapeId shape, brinkPose pose) {
  const brinkColliderDef def = {
      .structSize = sizeof def, .body = body, .shape = shape, .pose = pose, .categoryBits = 1, .collideBits = 1};
  brinkColliderId made;
  return large->brink->createCollider(large->world, &def, &made);
}

/* ---- the crowd */

static brinkStatus AddHull(const Large *large, uint64_t *state, brinkShapeId *out) {
  double points[3 * POINTS];
  for (int i = 0; i < POINTS; ++i) {
    const brinkVec3 p = Within(state, 1);
    const double size = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    points[3 * i] = 0.5 * p.x / size;
    points[3 * i + 1] = 0.4 * p.y / size;
    points[3 * i + 2] = 0.3 * p.z / size;
  }
  brinkShapeDef def = {.structSize = sizeof def, .type = brink_hull};
  def.mesh = (brinkMeshView){.structSize = sizeof def.mesh, .vertices = points, .vertexCount = POINTS};
  return large->brink->createShape(large->world, &def, out);
}

/* An open tube. */
static brinkStatus AddTube(const Large *large, brinkShapeId *out) {
  double vertices[3 * SIDE * SIDE];
  uint32_t triangles[6 * (SIDE - 1) * (SIDE - 1)], *next = triangles;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      const double u = 2.0 * i / (SIDE - 1) - 1, v = 2.0 * j / (SIDE - 1) - 1;
      double *p = &vertices[3 * (i * SIDE + j)];
      p[0] = 0.5 * v;
      p[1] = (0.3 + 0.05 * v) * cos(PI * u);
      p[2] = 0.25 * sin(PI * u);
      if (i + 1 == SIDE || j + 1 == SIDE) continue;
      const uint32_t a = (uint32_t)(i * SIDE + j), b = a + SIDE, corners[6] = {a, b, a + 1, a + 1, b, b + 1};
      memcpy(next, corners, sizeof corners);
      next += 6;
    }
  brinkShapeDef def = {.structSize = sizeof def, .type = brink_mesh};
  def.mesh = (brinkMeshView){.structSize = sizeof def.mesh,
                             .vertices = vertices,
                             .vertexCount = SIDE * SIDE,
                             .indices = triangles,
                             .triangleCount = 2 * (SIDE - 1) * (SIDE - 1)};
  return large->brink->createShape(large->world, &def, out);
}

static brinkStatus MakeCrowd(Large *large) {
  brinkStatus status = Open(large, BODIES);
  if (status != brink_ok) return status;
  uint64_t state = 4711;
  brinkShapeId shapes[4] = {0};
  const brinkShapeDef box = {.structSize = sizeof box, .type = brink_box, .size = {0.45, 0.35, 0.3}},
                      capsule = {.structSize = sizeof capsule, .type = brink_capsule, .size = {0.25, 0, 0.3}};
  status = large->brink->createShape(large->world, &box, &shapes[0]);
  if (status == brink_ok) status = large->brink->createShape(large->world, &capsule, &shapes[1]);
  if (status == brink_ok) status = AddHull(large, &state, &shapes[2]);
  if (status == brink_ok) status = AddTube(large, &shapes[3]);
  const int side = (int)ceil(cbrt((double)BODIES));
  for (int i = 0; i < BODIES && status == brink_ok; ++i) {
    const brinkVec3 off = Within(&state, 0.05);
    const brinkPose pose = {
        {SPACING * (i % side) + off.x, SPACING * (i / side % side) + off.y, SPACING * (i / side / side) + off.z},
        {1, 0.5 * Uniform(&state), 0.5 * Uniform(&state), 0.5 * Uniform(&state)}};
    const brinkBodyDef def = {.structSize = sizeof def, .pose = pose};
    status = large->brink->createBody(large->world, &def, &large->bodies[i]);
    if (status == brink_ok)
      status = AddCollider(large, large->bodies[i], shapes[i % 4], (brinkPose){{0, 0, 0}, {1, 0, 0, 0}});
    large->motions[i] = (brinkBodyMotion){.structSize = sizeof *large->motions,
                                          .kind = brink_motionVelocities,
                                          .pose0 = pose,
                                          .velocity = Within(&state, 0.3),
                                          .spin = Within(&state, 0.6)};
  }
  return status;
}

/* ---- construction sites side by side */

static brinkStatus MakeSites(Large *large, const replayData *replay) {
  brinkStatus status = Open(large, SITES * replay->bodyCount);
  brinkShapeId *shapes = calloc((size_t)replay->meshCount, sizeof *shapes);
  if (shapes == NULL) status = brink_errorNoMemory;
  for (int i = 0; i < replay->meshCount && status == brink_ok; ++i) {
    const brinkShapeDef def = {.structSize = sizeof def,
                               .type = brink_mesh,
                               .flags = BRINK_SHAPE_BORROW_BLOB,
                               .blob = replay->meshes[i].blob,
                               .blobSize = replay->meshes[i].blobSize};
    status = large->brink->createShape(large->world, &def, &shapes[i]);
  }
  for (int site = 0; site < SITES && status == brink_ok; ++site) {
    const double east = 1000.0 * (site % 8), north = 1000.0 * (site / 8);
    const replayMove *moves = replay_Moves(replay, (int)((long long)site * replay->frameCount / SITES));
    const int first = site * replay->bodyCount;
    for (int i = 0; i < replay->bodyCount && status == brink_ok; ++i) {
      const int parent = replay->bodies[i].parent;
      const brinkBodyDef def = {.structSize = sizeof def,
                                .parent = parent < 0 ? 0 : large->bodies[first + parent],
                                .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
      status = large->brink->createBody(large->world, &def, &large->bodies[first + i]);
      brinkBodyMotion *motion = &large->motions[first + i];
      *motion = (brinkBodyMotion){.structSize = sizeof *motion,
                                  .kind = brink_motionPoses,
                                  .flags = moves[i].hasSpin ? BRINK_MOTION_HAS_SPIN : 0u,
                                  .pose0 = moves[i].start,
                                  .pose1 = moves[i].end,
                                  .spin = moves[i].spin};
      motion->pose0.position.x += east, motion->pose1.position.x += east;
      motion->pose0.position.y += north, motion->pose1.position.y += north;
    }
    for (int i = 0; i < replay->colliderCount && status == brink_ok; ++i) {
      const replayCollider *collider = &replay->colliders[i];
      brinkPose pose = collider->body < 0 ? collider->pose : (brinkPose){{0, 0, 0}, {1, 0, 0, 0}};
      if (collider->body < 0) pose.position.x += east, pose.position.y += north;
      status = AddCollider(large, collider->body < 0 ? 0 : large->bodies[first + collider->body],
                           shapes[collider->mesh], pose);
    }
  }
  free(shapes);
  return status;
}

/* ---- asking */

static uint64_t Mix(uint64_t hash, const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i) hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Contacts and counters: a struct without padding, and one that is zeroed. */
static uint64_t HashOf(const brinkReport *report) {
  uint64_t hash = Mix(UINT64_C(0xcbf29ce484222325), &report->toi, sizeof report->toi);
  hash = Mix(hash, report->contacts, report->contactCount * sizeof *report->contacts);
  return Mix(hash, &report->counters, sizeof report->counters);
}

typedef struct Asked { /* the least of all repeats */
  crewCost all, path;
  double wall; /* ms */
  uint64_t hash, pairs, asked, tests;
  size_t contacts;
} Asked;

/* PARTS questions in one call: each about a part of the step. */
#define PARTS 4

/* hands NULL: without threads. */
static brinkStatus Ask(const Large *large, brinkQuery query, int parts, crew *hands, int repeats, Asked *out) {
  *out = (Asked){.all = {INFINITY, INFINITY}, .path = {INFINITY, INFINITY}, .wall = INFINITY};
  brinkStatus status = brink_ok;
  for (int repeat = -1; repeat < repeats && status == brink_ok; ++repeat) {
    query.run = hands != NULL ? crew_Run : NULL;
    query.runUser = hands;
    if (hands != NULL) hands->time = (crewTime){0};
    if (hands != NULL && hands->plan != NULL) hands->plan->next = 0;
    for (int i = 0; i < large->count && status == brink_ok; ++i)
      status = large->brink->setBodyMotion(large->world, large->bodies[i], &large->motions[i]);
    brinkReport report = {.structSize = sizeof report, .counters.structSize = sizeof report.counters};
    brinkReport reports[PARTS];
    brinkQuery queries[PARTS];
    for (int i = 0; i < parts; ++i) {
      reports[i] = report;
      queries[i] = query;
      queries[i].tStart = (double)i / parts * query.tEnd;
      queries[i].tEnd = (i + 1.0) / parts * query.tEnd;
    }
    const double wall = bench_Now();
    const crewCost own = crew_ThreadCost();
    if (status == brink_ok)
      status = parts > 1 ? large->brink->firstContacts(large->world, queries, (size_t)parts, reports)
                         : large->brink->firstContact(large->world, queries, reports);
    const crewTime time = hands != NULL ? hands->time : (crewTime){0};
    const crewCost rest = crew_Minus(crew_Minus(crew_ThreadCost(), own), time.caller);
    if (status != brink_ok) break;
    *out = (Asked){crew_Least(out->all, crew_Plus(rest, time.all)),
                   crew_Least(out->path, crew_Plus(rest, time.longest)), .wall = fmin(out->wall, bench_Now() - wall)};
    for (int i = 0; i < parts; ++i) {
      const uint64_t hash = HashOf(&reports[i]);
      out->hash = Mix(out->hash, &hash, sizeof hash);
      out->pairs += reports[i].counters.pairsSpatial;
      out->asked += reports[i].counters.pairsTemporal;
      out->tests += reports[i].counters.nodePairs;
      out->contacts += reports[i].contactCount;
    }
  }
  return status;
}

static bool Row(const Large *large, const char *label, const brinkQuery *query, int parts, uint32_t threads,
                int repeats) {
  Asked one, learnt = {0}, many = {0}, taken = {0};
  crewPlan plan = {0};
  crew teacher = {.threads = 1, .plan = &plan, .learns = true}, dealt = {.threads = threads, .plan = &plan},
       hands = {.threads = threads};
  brinkStatus status = Ask(large, *query, parts, NULL, repeats, &one);
  if (status == brink_ok) status = Ask(large, *query, parts, &teacher, repeats, &learnt);
  if (status == brink_ok) status = Ask(large, *query, parts, &dealt, repeats, &many);
  crew_Close(&dealt);
  if (status == brink_ok) status = Ask(large, *query, parts, &hands, repeats, &taken);
  crew_Close(&hands);
  crew_FreePlan(&plan);
  if (status != brink_ok) {
    fprintf(stderr, "brink-bench: %s: %s\n", label, large->brink->lastError(large->world));
    return false;
  }
  const bool same = one.hash == learnt.hash && one.hash == many.hash && one.hash == taken.hash;
  char counts[3][CREW_COUNT_SIZE];
  printf("%-36s %6d %6llu %6llu %6zu %6llu | %8.3f %8.3f | %8.3f %8.3f %8.3f | %7.2fx %7.2fx | %8s %8s %8s | %s\n",
         label, large->count, (unsigned long long)one.pairs, (unsigned long long)one.asked, one.contacts,
         (unsigned long long)one.tests, one.all.time, one.wall, many.all.time, many.path.time, taken.wall,
         one.path.time / many.path.time, one.wall / taken.wall, crew_PrintCount(one.path.instructions, "", counts[0]),
         crew_PrintCount(many.path.instructions, "", counts[1]),
         crew_PrintCount(one.path.instructions / many.path.instructions, "x", counts[2]), same ? "the same" : "OTHERS");
  if (!same) fprintf(stderr, "brink-bench: %s: the answer has other bits than alone\n", label);
  fflush(stdout);
  return same;
}

static bool Failed(const Large *large, const char *label, brinkStatus status) {
  if (status == brink_ok) return false;
  fprintf(stderr, "brink-bench: %s: %s\n", label,
          large->world != NULL ? large->brink->lastError(large->world) : "no memory");
  return true;
}

void large_PrintHead(uint32_t threads) {
  printf(
      "\none question, %u threads; ms of the question; path: what is not split, and the busiest thread of the rest; M: "
      "its "
      "instructions\n",
      threads);
  printf("%-36s %6s %6s %6s %6s %6s | %8s %8s | %8s %8s %8s | %8s %8s | %8s %8s %8s | bits\n", "", "bodies", "near",
         "asked", "events", "tests", "alone", "wall", "all", "path", "wall", "sooner", "by wall", "alone, M", "path, M",
         "sooner");
}

bool large_RunCrowd(uint32_t threads, int repeats) {
  Large large;
  brinkStatus status = MakeCrowd(&large);
  bool good = !Failed(&large, "crowd", status);
  const brinkStepsTable *steps = large.brink->getExtension(BRINK_STEPS_NAME);
  brinkQuery query = {.structSize = sizeof query, .mode = brink_modePairs, .tEnd = 1, .tolerance = 1e-4};
  good = good && Row(&large, "crowd, each pair's own", &query, 1, threads, repeats);
  query.mode = brink_modeFirst;
  good = good && Row(&large, "crowd, the first", &query, 1, threads, repeats);
  good = good && Row(&large, "crowd, the first, four at once", &query, PARTS, threads, repeats);
  query.threshold = 1e-3;
  query.tEnd = 0.05;
  good = good && Row(&large, "crowd, the first in a short step", &query, 1, threads, repeats);
  query.threshold = 0;
  query.watch = brink_watchDepth;
  query.tEnd = 1;
  good = good && Row(&large, "crowd, the first, depths", &query, 1, threads, repeats);
  if (good && steps != NULL) good = !Failed(&large, "crowd", steps->leaveOutResting(large.world, 1));
  good = good && Row(&large, "crowd, the first, depths, kept lists", &query, 1, threads, repeats);
  Close(&large);
  return good;
}

bool large_RunSites(const char *label, const replayData *replay, uint32_t threads, int repeats, double tolerance) {
  Large large;
  const brinkQuery query = {.structSize = sizeof query, .mode = brink_modePairs, .tEnd = 1, .tolerance = tolerance};
  char name[128];
  snprintf(name, sizeof name, "%d x %.100s", SITES, label);
  bool good = !Failed(&large, name, MakeSites(&large, replay)) && Row(&large, name, &query, 1, threads, repeats);
  good = good && Row(&large, "the same, four at once", &query, PARTS, threads, repeats);
  Close(&large);
  return good;
}
