/* SPDX-License-Identifier: BSD-3-Clause */
/* A mirror of a replay behind the C ABI, and the clock around its questions: see measure.h. */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A frame that takes longer than this in both of its first runs is not asked again; ms. Both: it is the question that
 * took the time, not another process. */
#define PATIENCE 60.0

struct benchMirror {
  const replayData *replay;
  const brinkPlugin *brink;
  brinkWorld *world;
  brinkBodyId *bodies;
  brinkColliderId *colliders;
  brinkShapeId *shapes;
};

double bench_Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int bench_FrameAt(const replayData *replay, int asked, int index) {
  return (int)((long long)index * replay->frameCount / asked);
}

int bench_ColliderOf(const benchMirror *mirror, brinkColliderId collider) {
  for (int i = 0; i < mirror->replay->colliderCount; ++i)
    if (mirror->colliders[i] == collider) return i;
  return -1;
}

static brinkStatus addColliders(benchMirror *mirror) {
  const replayData *replay = mirror->replay;
  for (int i = 0; i < replay->meshCount; ++i) {
    const brinkShapeDef def = {.structSize = sizeof def,
                               .type = brink_mesh,
                               .flags = BRINK_SHAPE_BORROW_BLOB,
                               .blob = replay->meshes[i].blob,
                               .blobSize = replay->meshes[i].blobSize};
    const brinkStatus status = mirror->brink->createShape(mirror->world, &def, &mirror->shapes[i]);
    if (status != brink_ok) return status;
  }
  for (int i = 0; i < replay->colliderCount; ++i) {
    const replayCollider *collider = &replay->colliders[i];
    const brinkColliderDef def = {.structSize = sizeof def,
                                  .body = collider->body < 0 ? 0 : mirror->bodies[collider->body],
                                  .shape = mirror->shapes[collider->mesh],
                                  .pose = collider->body < 0 ? collider->pose : (brinkPose){{0, 0, 0}, {1, 0, 0, 0}},
                                  .categoryBits = 1,
                                  .collideBits = 1};
    const brinkStatus status = mirror->brink->createCollider(mirror->world, &def, &mirror->colliders[i]);
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

static bool isParentAndChild(const replayData *replay, int a, int b) {
  const int bodyA = replay->colliders[a].body, bodyB = replay->colliders[b].body;
  return bodyA >= 0 && bodyB >= 0 && (replay->bodies[bodyA].parent == bodyB || replay->bodies[bodyB].parent == bodyA);
}

static brinkStatus ignorePairs(benchMirror *mirror, bool separateBodies) {
  const replayData *replay = mirror->replay;
  brinkStatus status = brink_ok;
  for (int i = 0; i < replay->ignoredCount && status == brink_ok; ++i)
    status = mirror->brink->ignorePair(mirror->world, mirror->colliders[replay->ignored[i].a],
                                       mirror->colliders[replay->ignored[i].b], 1);
  for (int a = 0; separateBodies && a < replay->colliderCount; ++a)
    for (int b = a + 1; b < replay->colliderCount && status == brink_ok; ++b)
      if (isParentAndChild(replay, a, b))
        status = mirror->brink->ignorePair(mirror->world, mirror->colliders[a], mirror->colliders[b], 1);
  return status;
}

static brinkStatus makeMirror(benchMirror *mirror, const benchAsk *ask) {
  const replayData *replay = mirror->replay;
  mirror->bodies = calloc((size_t)replay->bodyCount, sizeof *mirror->bodies);
  mirror->colliders = calloc((size_t)replay->colliderCount, sizeof *mirror->colliders);
  mirror->shapes = calloc((size_t)replay->meshCount, sizeof *mirror->shapes);
  if (mirror->bodies == NULL || mirror->colliders == NULL || mirror->shapes == NULL) return brink_errorNoMemory;
  const brinkWorldDef worldDef = {sizeof worldDef, BRINK_WORLD_ORDER_STATED, ask->order, 0};
  brinkStatus status = mirror->brink->createWorld(NULL, &worldDef, &mirror->world);
  for (int i = 0; i < replay->bodyCount && status == brink_ok; ++i) {
    const int parent = ask->separateBodies ? -1 : replay->bodies[i].parent;
    const brinkBodyDef def = {.structSize = sizeof def,
                              .userData = (uint64_t)i,
                              .parent = parent < 0 ? 0 : mirror->bodies[parent],
                              .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
    status = mirror->brink->createBody(mirror->world, &def, &mirror->bodies[i]);
  }
  if (status == brink_ok) status = addColliders(mirror);
  return status == brink_ok ? ignorePairs(mirror, ask->separateBodies) : status;
}

static void freeMirror(benchMirror *mirror) {
  if (mirror->world != NULL) mirror->brink->destroyWorld(mirror->world);
  free(mirror->bodies);
  free(mirror->colliders);
  free(mirror->shapes);
}

static brinkStatus askOnce(const benchMirror *mirror, const brinkQuery *query, const replayMove *moves,
                           brinkReport *report) {
  for (int i = 0; i < mirror->replay->bodyCount; ++i) {
    const brinkBodyMotion motion = {.structSize = sizeof motion,
                                    .kind = brink_motionPoses,
                                    .flags = moves[i].hasSpin ? BRINK_MOTION_HAS_SPIN : 0u,
                                    .pose0 = moves[i].start,
                                    .pose1 = moves[i].end,
                                    .spin = moves[i].spin};
    const brinkStatus status = mirror->brink->setBodyMotion(mirror->world, mirror->bodies[i], &motion);
    if (status != brink_ok) return status;
  }
  *report = (brinkReport){.structSize = sizeof *report, .counters.structSize = sizeof report->counters};
  return mirror->brink->firstContact(mirror->world, query, report);
}

static brinkStatus timeFrame(const benchMirror *mirror, const brinkQuery *query, int frame, brinkReport *report,
                             double *taken) {
  const double start = bench_Now();
  const brinkStatus status = askOnce(mirror, query, replay_Moves(mirror->replay, frame), report);
  *taken = bench_Now() - start;
  return status;
}

benchMirror *bench_OpenMirror(const replayData *replay, const benchAsk *ask, char *message, size_t messageCapacity) {
  const char *reason = "out of memory";
  benchMirror *mirror = calloc(1, sizeof *mirror);
  brinkStatus status = brink_errorNoMemory;
  if (mirror != NULL) {
    *mirror = (benchMirror){.replay = replay, .brink = brinkEntry(BRINK_ABI_MAJOR, &reason)};
    if (mirror->brink != NULL) status = makeMirror(mirror, ask);
    if (mirror->world != NULL) reason = mirror->brink->lastError(mirror->world);
  }
  if (status == brink_ok) return mirror;
  snprintf(message, messageCapacity, "%s", reason);
  bench_CloseMirror(mirror);
  return NULL;
}

void bench_CloseMirror(benchMirror *mirror) {
  if (mirror != NULL) freeMirror(mirror);
  free(mirror);
}

brinkStatus bench_AskFrame(const benchMirror *mirror, const benchAsk *ask, int frame, brinkReport *report) {
  const brinkQuery query = {
      .structSize = sizeof query, .mode = ask->mode, .scheme = ask->scheme, .tEnd = 1, .tolerance = ask->tolerance};
  return askOnce(mirror, &query, replay_Moves(mirror->replay, frame), report);
}

void benchRow_Add(benchRow *row, uint32_t state, double milliseconds) {
  ++row->frames;
  row->all += milliseconds;
  row->worst = fmax(row->worst, milliseconds);
  if (state == brink_free) {
    ++row->freeFrames;
    row->free += milliseconds;
  } else if (state == brink_unresolved) {
    ++row->unresolved;
  } else {
    ++row->contacts;
    row->overlaps += state == brink_overlap;
    row->contact += milliseconds;
  }
}

static void addCounters(benchRow *row, const brinkCounters *counters) {
  row->pairsBefore += (double)counters->pairsBefore;
  row->pairsSpatial += (double)counters->pairsSpatial;
  row->pairsTemporal += (double)counters->pairsTemporal;
  row->advancements += (double)counters->advancements;
  row->distanceQueries += (double)counters->distanceQueries;
  row->nodePairs += (double)counters->nodePairs;
}

void benchRow_Finish(benchRow *row) {
  double *sums[] = {&row->all,          &row->pairsBefore,     &row->pairsSpatial, &row->pairsTemporal,
                    &row->advancements, &row->distanceQueries, &row->nodePairs};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; ++i) *sums[i] /= row->frames > 0 ? row->frames : 1;
  row->free = row->freeFrames > 0 ? row->free / row->freeFrames : 0;
  row->contact = row->contacts > 0 ? row->contact / row->contacts : 0;
}

struct benchPasses {
  benchMirror mirror;
  brinkQuery query;
  benchListener listener;
  void *user;
  benchRow row;
  double *best;     /* [asked] */
  uint32_t *states; /* [asked] */
  brinkStatus status;
  int asked, repeats, next; /* frames, asks of each in a pass, number of the next ask of each */
  int first;                /* of the first ask */
};

benchPasses *bench_BeginPasses(const replayData *replay, const benchAsk *ask, benchListener listener, void *user,
                               char *message, size_t messageCapacity) {
  const char *reason = "out of memory";
  benchPasses *passes = calloc(1, sizeof *passes);
  if (passes != NULL) passes->mirror = (benchMirror){.replay = replay, .brink = brinkEntry(BRINK_ABI_MAJOR, &reason)};
  if (passes == NULL || passes->mirror.brink == NULL) {
    snprintf(message, messageCapacity, "brinkEntry: %s", reason);
    free(passes);
    return NULL;
  }
  passes->query = (brinkQuery){.structSize = sizeof passes->query,
                               .mode = ask->mode,
                               .scheme = ask->scheme,
                               .tEnd = 1,
                               .tolerance = ask->tolerance};
  passes->listener = listener;
  passes->user = user;
  passes->status = makeMirror(&passes->mirror, ask);
  brinkReport report;
  if (passes->status == brink_ok)  // builds trees, grows arrays
    passes->status = askOnce(&passes->mirror, &passes->query, replay_Moves(replay, 0), &report);
  passes->asked = ask->frames > 0 && ask->frames < replay->frameCount ? ask->frames : replay->frameCount;
  passes->best = calloc((size_t)passes->asked, sizeof *passes->best);
  passes->states = calloc((size_t)passes->asked, sizeof *passes->states);
  if ((passes->best == NULL || passes->states == NULL) && passes->status == brink_ok)
    passes->status = brink_errorNoMemory;
  // The first run is not timed unless it is the only one: it brings memory near. The listener hears of it.
  passes->first = passes->next = ask->repeats > 1 ? -1 : 0;
  passes->repeats = ask->hot ? ask->repeats - passes->first : 1;
  return passes;
}

bool bench_Pass(benchPasses *passes) {
  const int first = passes->first;
  brinkReport report;
  for (int i = 0; i < passes->asked && passes->status == brink_ok; ++i)
    for (int run = passes->next; run < passes->next + passes->repeats && passes->status == brink_ok; ++run) {
      benchFrame frame = {.frame = bench_FrameAt(passes->mirror.replay, passes->asked, i), .report = &report};
      double *best = &passes->best[i];
      if (run > first + 1 && *best > PATIENCE) continue;
      passes->status = timeFrame(&passes->mirror, &passes->query, frame.frame, &report, &frame.milliseconds);
      if (run == first || frame.milliseconds < *best || (run == 0 && *best <= PATIENCE)) *best = frame.milliseconds;
      if (passes->status != brink_ok || run > first) continue;
      passes->states[i] = report.state;
      addCounters(&passes->row, &report.counters);
      if (passes->listener != NULL && !passes->listener(passes->user, &passes->mirror, &frame))
        passes->status = brink_errorNoMemory;
    }
  passes->next += passes->repeats;
  return passes->status == brink_ok;
}

bool bench_EndPasses(benchPasses *passes, benchRow *row, char *message, size_t messageCapacity) {
  if (passes == NULL) return false;
  const bool good = passes->status == brink_ok;
  for (int i = 0; i < passes->asked && good; ++i) benchRow_Add(&passes->row, passes->states[i], passes->best[i]);
  *row = passes->row;
  benchRow_Finish(row);
  const benchMirror *mirror = &passes->mirror;
  if (!good)
    snprintf(message, messageCapacity, "%s: %s", mirror->brink->statusText(passes->status),
             mirror->world != NULL ? mirror->brink->lastError(mirror->world) : "");
  free(passes->best);
  free(passes->states);
  freeMirror(&passes->mirror);
  free(passes);
  return good;
}

bool bench_Measure(const replayData *replay, const benchAsk *ask, benchListener listener, void *user, benchRow *row,
                   char *message, size_t messageCapacity) {
  benchPasses *passes = bench_BeginPasses(replay, ask, listener, user, message, messageCapacity);
  while (passes != NULL && passes->next < ask->repeats && bench_Pass(passes)) continue;
  return bench_EndPasses(passes, row, message, messageCapacity);
}
