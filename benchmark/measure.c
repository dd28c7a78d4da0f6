/* SPDX-License-Identifier: BSD-3-Clause */
/* A mirror of a replay behind the C ABI, and the clock around its questions: see measure.h. */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A frame that takes longer than this in its first run is not asked again; ms. Long enough that it is the question that
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
  const brinkWorldDef worldDef = {sizeof worldDef, 0, ask->order, 0};
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

bool bench_Measure(const replayData *replay, const benchAsk *ask, benchListener listener, void *user, benchRow *row,
                   char *message, size_t messageCapacity) {
  const char *reason = "";
  benchMirror mirror = {.replay = replay, .brink = brinkEntry(BRINK_ABI_MAJOR, &reason)};
  if (mirror.brink == NULL) {
    snprintf(message, messageCapacity, "brinkEntry: %s", reason);
    return false;
  }
  *row = (benchRow){0};
  const brinkQuery query = {
      .structSize = sizeof query, .mode = ask->mode, .scheme = ask->scheme, .tEnd = 1, .tolerance = ask->tolerance};
  brinkStatus status = makeMirror(&mirror, ask);
  brinkReport report;
  if (status == brink_ok)
    status = askOnce(&mirror, &query, replay_Moves(replay, 0), &report);  // builds trees, grows arrays
  const int asked = ask->frames > 0 && ask->frames < replay->frameCount ? ask->frames : replay->frameCount;
  double *best = calloc((size_t)asked, sizeof *best);
  uint32_t *states = calloc((size_t)asked, sizeof *states);
  if ((best == NULL || states == NULL) && status == brink_ok) status = brink_errorNoMemory;
  // The first run is not timed unless it is the only one: it brings memory near. The listener hears of it.
  const int first = ask->repeats > 1 ? -1 : 0, runs = ask->repeats - first;
  for (int pass = 0; pass < (ask->hot ? 1 : runs); ++pass)
    for (int i = 0; i < asked && status == brink_ok; ++i)
      for (int repeat = 0; repeat < (ask->hot ? runs : 1) && status == brink_ok; ++repeat) {
        const int run = first + pass + repeat;
        benchFrame frame = {.frame = bench_FrameAt(replay, asked, i), .report = &report};
        if (run > first && best[i] > PATIENCE) continue;
        status = timeFrame(&mirror, &query, frame.frame, &report, &frame.milliseconds);
        if (run == first || frame.milliseconds < best[i] || (run == 0 && best[i] <= PATIENCE))
          best[i] = frame.milliseconds;
        if (status != brink_ok || run > first) continue;
        states[i] = report.state;
        addCounters(row, &report.counters);
        if (listener != NULL && !listener(user, &mirror, &frame)) status = brink_errorNoMemory;
      }
  for (int i = 0; i < asked && status == brink_ok; ++i) benchRow_Add(row, states[i], best[i]);
  free(best);
  free(states);
  if (status != brink_ok)
    snprintf(message, messageCapacity, "%s: %s", mirror.brink->statusText(status),
             mirror.world != NULL ? mirror.brink->lastError(mirror.world) : "");
  freeMirror(&mirror);
  benchRow_Finish(row);
  return status == brink_ok;
}
