/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that take tasks from a shared counter: see crew.h. */
#include "crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

typedef struct Work {
  uint32_t count;
  void (*task)(void *data, uint32_t index);
  void *data;
  atomic_uint next;
} Work;

typedef struct Member {
  Work *work;
  uint32_t first, stride; /* stride 0: the next one that nobody has */
  crewCost cost;
} Member;

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

static void *WorkAway(void *user) {
  Member *member = user;
  Work *work = member->work;
  const crewCost start = crew_ThreadCost();
  if (member->stride > 0)
    for (uint32_t i = member->first; i < work->count; i += member->stride) work->task(work->data, i);
  else
    for (uint32_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) work->task(work->data, i);
  member->cost = crew_Minus(crew_ThreadCost(), start);
  return NULL;
}

static void *WorkElsewhere(void *user) {
  WorkAway(user);
  CloseCounter();
  return NULL;
}

void crew_Run(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data) {
  crew *self = user;
  Work work = {.count = count, .task = task, .data = data};
  Member members[CREW_THREADS];
  pthread_t threads[CREW_THREADS];
  uint32_t started = 1;
  crewCost longest = {0, 0};
  atomic_init(&work.next, 0);
  for (uint32_t i = 0; i < CREW_THREADS; ++i)
    members[i] = (Member){.work = &work, .first = i, .stride = self->dealt ? self->threads : 0};
  for (; started < self->threads; ++started)
    if (pthread_create(&threads[started], NULL, WorkElsewhere, &members[started]) != 0) break;
  WorkAway(&members[0]);
  for (uint32_t i = 1; i < started; ++i) pthread_join(threads[i], NULL);
  for (uint32_t i = started; i < self->threads && self->dealt; ++i) WorkAway(&members[i]); /* could not be had */
  for (uint32_t i = 0; i < self->threads; ++i) {
    const crewCost cost = members[i].cost;
    self->time.all = crew_Plus(self->time.all, cost);
    longest.time = cost.time > longest.time ? cost.time : longest.time;
    longest.instructions = cost.instructions > longest.instructions ? cost.instructions : longest.instructions;
  }
  self->time.longest = crew_Plus(self->time.longest, longest);
  self->time.caller = crew_Plus(self->time.caller, members[0].cost);
}

const char *crew_PrintCount(double count, const char *unit, char text[CREW_COUNT_SIZE]) {
  if (count > 0.0)
    snprintf(text, CREW_COUNT_SIZE, "%.2f%s", count, unit);
  else
    snprintf(text, CREW_COUNT_SIZE, "-"); /* 0, or 0 / 0 */
  return text;
}
