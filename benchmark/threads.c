/* SPDX-License-Identifier: BSD-3-Clause */
/* A batch of questions dealt out to threads: see threads.h. Each frame goes to the thread that has had the least to do
 * so far, as if each took the next one when it is done. What a frame costs is counted by one thread beforehand, so that
 * who does what does not depend on how busy the machine is. */
#include "threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"

typedef struct Batch {
  const replayData *replay;
  const benchAsk *ask;
  benchMirror *mirrors[CREW_THREADS];
  uint32_t threads;
  uint64_t *answers; /* [frameCount] hash of each */
  double *costs;     /* [frameCount] of each by one thread */
  uint32_t *owners;  /* [frameCount] threads */
  bool failed[CREW_THREADS];
} Batch;

static uint64_t Mix(uint64_t hash, const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i) hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t HashOf(const benchMirror *mirror, const brinkReport *report) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  hash = Mix(hash, &report->state, sizeof report->state);
  hash = Mix(hash, &report->toi, sizeof report->toi);
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *c = &report->contacts[i];
    const int pair[2] = {bench_ColliderOf(mirror, c->colliderA), bench_ColliderOf(mirror, c->colliderB)};
    hash = Mix(hash, pair, sizeof pair);
    hash = Mix(hash, &c->state, sizeof c->state);
    const double values[] = {c->toi,      c->toiUpper, c->distance, c->threshold, c->pointA.x, c->pointA.y, c->pointA.z,
                             c->pointB.x, c->pointB.y, c->pointB.z, c->normal.x,  c->normal.y, c->normal.z};
    hash = Mix(hash, values, sizeof values);
  }
  return hash;
}

/* The frames of one thread. */
static void AskSome(void *data, uint32_t thread) {
  Batch *batch = data;
  for (int frame = 0; frame < batch->replay->frameCount; ++frame) {
    brinkReport report;
    if (batch->owners[frame] != thread) continue;
    const crewCost before = crew_ThreadCost();
    if (bench_AskFrame(batch->mirrors[thread], batch->ask, frame, &report) == brink_ok)
      batch->answers[frame] = HashOf(batch->mirrors[thread], &report);
    else
      batch->failed[thread] = true;
    const crewCost cost = crew_Minus(crew_ThreadCost(), before);
    if (batch->threads == 1) batch->costs[frame] = cost.instructions > 0 ? cost.instructions : cost.time;
  }
}

static void Deal(Batch *batch) {
  double had[CREW_THREADS] = {0};
  for (int frame = 0; frame < batch->replay->frameCount; ++frame) {
    uint32_t least = 0;
    for (uint32_t i = 1; i < batch->threads; ++i)
      if (had[i] < had[least]) least = i;
    had[least] += batch->costs[frame];
    batch->owners[frame] = least;
  }
}

typedef struct Spent { /* the least of all passes */
  crewCost all, path;
  double wall; /* ms */
} Spent;

/* In passes over all frames; the first brings memory near and is not counted. */
static bool AskAll(Batch *batch, uint32_t threads, int repeats, Spent *spent) {
  char message[256] = "";
  bool good = true;
  crewCost same[CREW_THREADS]; /* a task for each */
  crewPlan plan = {.costs = same, .count = threads};
  crew hands = {.threads = threads, .plan = &plan};
  for (uint32_t i = 0; i < threads; ++i) same[i] = (crewCost){1, 1};
  *spent = (Spent){{INFINITY, INFINITY}, {INFINITY, INFINITY}, INFINITY};
  batch->threads = threads;
  Deal(batch);
  for (uint32_t i = 0; i < threads && good; ++i) {
    batch->mirrors[i] = bench_OpenMirror(batch->replay, batch->ask, message, sizeof message);
    batch->failed[i] = false;
    good = batch->mirrors[i] != NULL;
  }
  for (int pass = -1; pass < repeats && good; ++pass) {
    hands.time = (crewTime){0};
    plan.next = 0;
    const double start = bench_Now();
    crew_Run(&hands, threads, AskSome, batch);
    const double wall = bench_Now() - start;
    for (uint32_t i = 0; i < threads; ++i) good = good && !batch->failed[i];
    if (pass < 0) continue;
    spent->all = crew_Least(spent->all, hands.time.all);
    spent->path = crew_Least(spent->path, hands.time.longest);
    spent->wall = fmin(spent->wall, wall);
  }
  crew_Close(&hands);
  for (uint32_t i = 0; i < threads; ++i) {
    bench_CloseMirror(batch->mirrors[i]);
    batch->mirrors[i] = NULL;
  }
  if (!good) fprintf(stderr, "brink-bench: %s\n", message[0] ? message : "a question failed");
  return good;
}

void threads_PrintHead(uint32_t threads) {
  printf(
      "%u threads, a world each; ms for all frames; path: processor time of the busiest thread; M: its instructions\n",
      threads);
  printf("%-24s %7s %9s | %9s %9s | %9s %9s %9s | %9s %9s | %8s %8s %8s %8s | bits\n", "first contact of", "frames",
         "triangles", "alone", "wall", "all", "path", "wall", "sooner", "by wall", "alone, M", "all, M", "path, M",
         "sooner");
}

bool threads_Run(const char *label, const replayData *replay, const benchAsk *ask, uint32_t threads, int repeats) {
  const size_t count = (size_t)replay->frameCount;
  Batch batch = {.replay = replay,
                 .ask = ask,
                 .answers = calloc(count, sizeof *batch.answers),
                 .costs = calloc(count, sizeof *batch.costs),
                 .owners = calloc(count, sizeof *batch.owners)};
  uint64_t *alone = calloc(count, sizeof *alone);
  Spent one, many;
  bool good = batch.answers != NULL && batch.costs != NULL && batch.owners != NULL && alone != NULL &&
              AskAll(&batch, 1, repeats, &one);
  if (good) {
    memcpy(alone, batch.answers, count * sizeof *alone);
    memset(batch.answers, 0, count * sizeof *batch.answers);
    good = AskAll(&batch, threads, repeats, &many);
  }
  if (good) {
    char counts[4][CREW_COUNT_SIZE];
    size_t others = 0;
    for (size_t i = 0; i < count; ++i) others += alone[i] != batch.answers[i];
    printf("%-24s %7zu %9zu | %9.3f %9.3f | %9.3f %9.3f %9.3f | %8.2fx %8.2fx | %8s %8s %8s %8s | %s\n", label, count,
           replay->triangleCount, one.all.time, one.wall, many.all.time, many.path.time, many.wall,
           one.path.time / many.path.time, one.wall / many.wall, crew_PrintCount(one.path.instructions, "", counts[0]),
           crew_PrintCount(many.all.instructions, "", counts[1]),
           crew_PrintCount(many.path.instructions, "", counts[2]),
           crew_PrintCount(one.path.instructions / many.path.instructions, "x", counts[3]),
           others == 0 ? "the same" : "OTHERS");
    if (others > 0) fprintf(stderr, "brink-bench: %s: %zu answers have other bits than alone\n", label, others);
    good = others == 0;
  }
  fflush(stdout);
  free(batch.answers);
  free(batch.costs);
  free(batch.owners);
  free(alone);
  return good;
}
