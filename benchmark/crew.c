/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that take tasks: see crew.h. */
#include "crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

#define PATIENCE 0.1 /* ms that a thread looks for what it waits for before it sleeps */

typedef struct Member {
  struct crewPool *pool;
  uint32_t index;
  pthread_t thread;
  crewCost cost; /* of the run's tasks */
} Member;

typedef struct crewPool {
  Member members[CREW_THREADS]; /* 0: the caller */
  uint32_t threads, tasks;
  void (*task)(void *data, uint32_t index);
  void *data;
  uint32_t *owners; /* [tasks] members */
  size_t ownerCapacity;
  bool owned;             /* else each task is its who is free */
  atomic_uint next;       /* task */
  atomic_uint run;        /* 0: go home */
  atomic_uint left;       /* threads that are not done */
  pthread_mutex_t mutex;  /* of those who sleep */
  pthread_cond_t changed; /* run or left */
} crewPool;

static double Clock(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static _Thread_local int counter = -1; /* of this thread's instructions; -2: there is none */

static double Instructions(void) {
#ifdef __linux__
  if (counter == -1) {
    struct perf_event_attr what;
    memset(&what, 0, sizeof what);
    what.type = PERF_TYPE_HARDWARE;
    what.size = sizeof what;
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.exclude_kernel = what.exclude_hv = 1;
    counter = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0ul);
    if (counter < 0) counter = -2;
  }
  uint64_t count;
  if (counter >= 0 && read(counter, &count, sizeof count) == (ssize_t)sizeof count) return 1e-6 * (double)count;
#endif
  return 0;
}

static void CloseCounter(void) {
  if (counter >= 0) close(counter);
  counter = -1;
}

crewCost crew_ThreadCost(void) {
  const double time = crew_ThreadTime();
  return (crewCost){time, Instructions()};
}

double crew_ThreadTime(void) { return Clock(CLOCK_THREAD_CPUTIME_ID); }
double crew_ProcessTime(void) { return Clock(CLOCK_PROCESS_CPUTIME_ID); }

static void WorkAway(Member *member) {
  crewPool *pool = member->pool;
  const crewCost start = crew_ThreadCost();
  if (pool->owned) {
    for (uint32_t i = 0; i < pool->tasks; ++i)
      if (pool->owners[i] == member->index) pool->task(pool->data, i);
  } else {
    for (uint32_t i; (i = atomic_fetch_add(&pool->next, 1)) < pool->tasks;) pool->task(pool->data, i);
  }
  member->cost = crew_Minus(crew_ThreadCost(), start);
}

/* After a change of run or left. */
static void Wake(crewPool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->mutex);
}

/* What stands there once it is not `old` any more. */
static uint32_t Await(crewPool *pool, atomic_uint *what, uint32_t old) {
  const double patience = Clock(CLOCK_MONOTONIC) + PATIENCE;
  while (atomic_load(what) == old && Clock(CLOCK_MONOTONIC) < patience) {
  }
  if (atomic_load(what) == old) {
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(what) == old) pthread_cond_wait(&pool->changed, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
  }
  return atomic_load(what);
}

static void *Wait(void *user) {
  Member *member = user;
  crewPool *pool = member->pool;
  for (uint32_t run = 1; (run = Await(pool, &pool->run, run)) != 0;) {
    WorkAway(member);
    if (atomic_fetch_sub(&pool->left, 1) == 1) Wake(pool);
  }
  CloseCounter();
  return NULL;
}

static crewPool *OpenPool(uint32_t threads) {
  crewPool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return NULL;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->changed, NULL);
  atomic_store(&pool->run, 1);
  for (uint32_t i = 0; i < threads; ++i) {
    pool->members[i] = (Member){.pool = pool, .index = i};
    if (i > 0 && pthread_create(&pool->members[i].thread, NULL, Wait, &pool->members[i]) != 0) break;
    ++pool->threads;
  }
  return pool;
}

void crew_Close(crew *self) {
  crewPool *pool = self->pool;
  if (pool == NULL) return;
  atomic_store(&pool->run, 0);
  Wake(pool);
  for (uint32_t i = 1; i < pool->threads; ++i) pthread_join(pool->members[i].thread, NULL);
  pthread_cond_destroy(&pool->changed);
  pthread_mutex_destroy(&pool->mutex);
  free(pool->owners);
  free(pool);
  self->pool = NULL;
}

void crew_FreePlan(crewPlan *plan) {
  free(plan->costs);
  *plan = (crewPlan){0};
}

/* Room for so many; false: no memory. */
static bool Reserve(void **block, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return true;
  void *grown = realloc(*block, 2 * needed * size);
  if (grown == NULL) return false;
  *block = grown;
  *capacity = 2 * needed;
  return true;
}

/* The tasks on this thread alone; what each costs, at least, goes into the plan. */
static void Learn(crewPlan *plan, uint32_t count, void (*task)(void *data, uint32_t index), void *data) {
  const bool room = Reserve((void **)&plan->costs, &plan->capacity, plan->next + count, sizeof *plan->costs);
  for (uint32_t i = 0; i < count; ++i, ++plan->next) {
    const crewCost start = crew_ThreadCost();
    task(data, i);
    const crewCost cost = crew_Minus(crew_ThreadCost(), start);
    if (!room) continue;
    plan->costs[plan->next] = plan->next < plan->count ? crew_Least(plan->costs[plan->next], cost) : cost;
    if (plan->next >= plan->count) plan->count = plan->next + 1;
  }
}

/* By the plan; false: it does not say. */
static bool Deal(crewPool *pool, crewPlan *plan) {
  double had[CREW_THREADS] = {0};
  if (plan == NULL || plan->next + pool->tasks > plan->count) return false;
  if (!Reserve((void **)&pool->owners, &pool->ownerCapacity, pool->tasks, sizeof *pool->owners)) return false;
  for (uint32_t i = 0; i < pool->tasks; ++i) {
    const crewCost cost = plan->costs[plan->next++];
    uint32_t least = 0;
    for (uint32_t k = 1; k < pool->threads; ++k)
      if (had[k] < had[least]) least = k;
    had[least] += cost.instructions > 0 ? cost.instructions : cost.time;
    pool->owners[i] = least;
  }
  return true;
}

void crew_Run(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data) {
  crew *self = user;
  const crewCost begin = crew_ThreadCost();
  crewCost longest = {0, 0};
  if (self->learns) {
    Learn(self->plan, count, task, data);
    return;
  }
  if (self->pool == NULL) self->pool = OpenPool(self->threads);
  crewPool *pool = self->pool;
  if (pool == NULL) { /* no memory */
    for (uint32_t i = 0; i < count; ++i) task(data, i);
    return;
  }
  pool->tasks = count;
  pool->task = task;
  pool->data = data;
  pool->owned = Deal(pool, self->plan);
  atomic_store(&pool->next, 0);
  atomic_store(&pool->left, pool->threads);
  const crewCost told = crew_ThreadCost();
  atomic_fetch_add(&pool->run, 1);
  Wake(pool);
  const crewCost telling = crew_Minus(crew_ThreadCost(), told);
  WorkAway(&pool->members[0]);
  atomic_fetch_sub(&pool->left, 1);
  for (uint32_t left; (left = atomic_load(&pool->left)) != 0;) Await(pool, &pool->left, left);
  for (uint32_t i = 0; i < pool->threads; ++i) {
    const crewCost cost = pool->members[i].cost;
    self->time.all = crew_Plus(self->time.all, cost);
    longest.time = cost.time > longest.time ? cost.time : longest.time;
    longest.instructions = cost.instructions > longest.instructions ? cost.instructions : longest.instructions;
  }
  self->time.longest = crew_Plus(self->time.longest, longest);
  self->time.caller = crew_Plus(self->time.caller, crew_Minus(crew_Minus(crew_ThreadCost(), begin), telling));
}

const char *crew_PrintCount(double count, const char *unit, char text[CREW_COUNT_SIZE]) {
  if (count > 0.0)
    snprintf(text, CREW_COUNT_SIZE, "%.2f%s", count, unit);
  else
    snprintf(text, CREW_COUNT_SIZE, "-"); /* 0, or 0 / 0 */
  return text;
}
