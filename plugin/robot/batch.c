/* SPDX-License-Identifier: BSD-3-Clause */
/* Many edges at once: threads take pieces of the list from a shared counter, each asks its own view, and every result
 * goes to its own slot, so that the output does not depend on who answered what. */
#include <stdatomic.h>
#include <stdio.h>

#include "robot.h"

#define PIECE 32 /* edges taken at a time: large against the counter's cost, small against the whole */
#define MOST_THREADS 1024u

typedef struct Batch {
  const double *q0, *q1;
  size_t count, width;
  const brinkEdgeQuery *query;
  brinkEdgeResult *results;
  atomic_size_t next;
  atomic_int failed; /* status of the first failure */
} Batch;

typedef struct Lane {
  Batch *batch;
  brinkRobotView *view;
  pthread_t thread;
  bool started;
} Lane;

static brinkStatus askOne(const Batch *batch, brinkRobotView *view, size_t i) {
  brinkSceneReport report;
  brinkEdgeAnswer answer = {.structSize = sizeof answer};
  brinkStatus status = brinkRobotView_Ask(view, batch->q0 + i * batch->width, batch->q1 + i * batch->width,
                                          batch->query, NULL, false, &report);
  if (status == brink_ok) status = brinkRobotView_Tell(view, &report, &answer);
  if (status != brink_ok) return status;
  batch->results[i] = (brinkEdgeResult){.state = answer.state,
                                        .linkA = answer.first.linkA,
                                        .linkB = answer.first.linkB,
                                        .obstacle = answer.first.obstacle,
                                        .toi = answer.toi,
                                        .toiUpper = answer.toiUpper};
  return brink_ok;
}

static void work(Batch *batch, brinkRobotView *view) {
  brinkFloatState saved;
  brinkFloat_Enter(&saved);
  for (;;) {
    size_t first = atomic_fetch_add(&batch->next, PIECE);
    if (first >= batch->count || atomic_load(&batch->failed) != brink_ok) break;
    for (size_t i = first; i < BRINK_MIN(first + PIECE, batch->count); ++i) {
      brinkStatus status = askOne(batch, view, i);
      int fine = brink_ok;
      if (status != brink_ok) atomic_compare_exchange_strong(&batch->failed, &fine, (int)status);
    }
  }
  brinkFloat_Leave(&saved);
}

static void *runLane(void *user) {
  Lane *lane = user;
  work(lane->batch, lane->view);
  return NULL;
}

static brinkStatus makeLanes(brinkRobot *robot, size_t count) {
  brinkContext *context = &robot->world->context;
  void *block = robot->lanes;
  brinkStatus status = brinkReserve(context, &block, &robot->laneCapacity, count, sizeof *robot->lanes);
  robot->lanes = block;
  while (status == brink_ok && robot->laneCount < count) {
    brinkRobotView *view;
    status = brinkRobotView_Create(robot, context, &view);
    if (status == brink_ok) robot->lanes[robot->laneCount++] = view;
  }
  for (size_t i = 0; status == brink_ok && i < count; ++i) {
    status = brinkRobotView_Refresh(robot->lanes[i]);
    if (status != brink_ok) status = brinkFail(context, status, "%s", robot->lanes[i]->context.message);
  }
  return status;
}

static brinkStatus checkEdges(brinkRobot *robot, const double *q0, const double *q1, size_t count,
                              const brinkEdgeQuery *query) {
  brinkContext *context = &robot->world->context;
  bool limits = (query->flags & BRINK_EDGE_NO_LIMITS) == 0;
  for (size_t i = 0; i < 2 * count; ++i) {
    const double *q = (i % 2 == 0 ? q0 : q1) + i / 2 * robot->valueCount;
    char what[48] = "q";
    brinkStatus status = brinkRobot_CheckValues(robot, context, q, what, limits);
    if (status == brink_ok) continue;
    snprintf(what, sizeof what, "edge %zu: q%zu", i / 2, i % 2); /* once more, by name: this is not threads' work */
    return brinkRobot_CheckValues(robot, context, q, what, limits);
  }
  return brink_ok;
}

static brinkStatus runLanes(brinkRobot *robot, Batch *batch, size_t laneCount) {
  brinkContext *context = &robot->world->context;
  Lane *lanes = brinkAllocateZeroed(context, laneCount, sizeof *lanes);
  if (lanes == NULL) return brinkFail(context, brink_errorNoMemory, "edges: no memory");
  for (size_t i = 1; i < laneCount; ++i) {
    lanes[i] = (Lane){.batch = batch, .view = robot->lanes[i]};
    lanes[i].started = pthread_create(&lanes[i].thread, NULL, runLane, &lanes[i]) == 0; /* else the others do more */
  }
  work(batch, robot->lanes[0]);
  for (size_t i = 1; i < laneCount; ++i)
    if (lanes[i].started) pthread_join(lanes[i].thread, NULL);
  brinkRelease(context, lanes, laneCount * sizeof *lanes);
  brinkStatus status = (brinkStatus)atomic_load(&batch->failed);
  return status == brink_ok ? status : brinkFail(context, status, "edges: %s", brinkStatusText(status));
}

brinkStatus brinkRobot_Edges(brinkRobot *robot, const double *q0, const double *q1, size_t count,
                             const brinkEdgeQuery *given, uint32_t threads, brinkEdgeResult *results) {
  brinkContext *context = &robot->world->context;
  brinkEdgeQuery query;
  brinkStatus status = brinkRobot_CheckQuery(context, given, &query);
  if (status != brink_ok || count == 0) return status;
  if (q0 == NULL) return brinkRefuseNull(context, "q0");
  if (q1 == NULL) return brinkRefuseNull(context, "q1");
  if (results == NULL) return brinkRefuseNull(context, "results");
  if (threads > MOST_THREADS)
    return brinkFail(context, brink_errorRange, "threads is %u, at most %u", threads, MOST_THREADS);
  status = checkEdges(robot, q0, q1, count, &query);
  size_t lanes = BRINK_MIN((size_t)BRINK_MAX(threads, 1u), (count + PIECE - 1) / PIECE);
  robot->inBatch = true;
  if (status == brink_ok) status = makeLanes(robot, lanes);
  robot->inBatch = false;
  if (status != brink_ok) return status;
  brinkEdgeResult *own = brinkAllocate(context, count * sizeof *own); /* the host's stay untouched on failure */
  if (own == NULL) return brinkFail(context, brink_errorNoMemory, "edges: no memory for %zu results", count);
  Batch batch = {.q0 = q0, .q1 = q1, .count = count, .width = robot->valueCount, .query = &query, .results = own};
  atomic_init(&batch.next, 0);
  atomic_init(&batch.failed, (int)brink_ok);
  status = runLanes(robot, &batch, lanes);
  if (status == brink_ok) memcpy(results, own, count * sizeof *own);
  brinkRelease(context, own, count * sizeof *own);
  return status;
}
