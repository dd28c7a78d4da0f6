/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that take tasks from a shared counter: see crew.h. */
#include "crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

typedef struct Work {
  uint32_t count;
  void (*task)(void *data, uint32_t index);
  void *data;
  atomic_uint next;
} Work;

typedef struct Member {
  Work *work;
  uint32_t first, stride; /* stride 0: the next one that nobody has */
  double time;
} Member;

static double Clock(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

double crew_ThreadTime(void) { return Clock(CLOCK_THREAD_CPUTIME_ID); }
double crew_ProcessTime(void) { return Clock(CLOCK_PROCESS_CPUTIME_ID); }

static void *WorkAway(void *user) {
  Member *member = user;
  Work *work = member->work;
  const double start = crew_ThreadTime();
  if (member->stride > 0)
    for (uint32_t i = member->first; i < work->count; i += member->stride) work->task(work->data, i);
  else
    for (uint32_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) work->task(work->data, i);
  member->time = crew_ThreadTime() - start;
  return NULL;
}

void crew_Run(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data) {
  crew *self = user;
  Work work = {.count = count, .task = task, .data = data};
  Member members[CREW_THREADS];
  pthread_t threads[CREW_THREADS];
  uint32_t started = 1;
  double longest = 0;
  atomic_init(&work.next, 0);
  for (uint32_t i = 0; i < CREW_THREADS; ++i)
    members[i] = (Member){.work = &work, .first = i, .stride = self->dealt ? self->threads : 0};
  for (; started < self->threads; ++started)
    if (pthread_create(&threads[started], NULL, WorkAway, &members[started]) != 0) break;
  WorkAway(&members[0]);
  for (uint32_t i = 1; i < started; ++i) pthread_join(threads[i], NULL);
  for (uint32_t i = started; i < self->threads && self->dealt; ++i) WorkAway(&members[i]); /* could not be had */
  for (uint32_t i = 0; i < self->threads; ++i) {
    self->time.all += members[i].time;
    longest = members[i].time > longest ? members[i].time : longest;
  }
  self->time.longest += longest;
  self->time.caller += members[0].time;
}
