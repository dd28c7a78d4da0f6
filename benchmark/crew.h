/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_CREW_H
#define BRINK_BENCH_CREW_H
/* Threads that wait for tasks, as those of an engine do, and how much processor time each of them spent. On a machine
 * that is shared with other work the wall clock says little; the busiest thread's own time is what the wall clock would
 * be. Where even that is noisy, the kernel counts the instructions of each thread (Linux; else 0). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CREW_THREADS 8
#define CREW_COUNT_SIZE 24 /* bytes of a count as text */

typedef struct crewCost {
  double time;         /* ms of processor time */
  double instructions; /* millions, outside of the kernel; 0: not counted */
} crewCost;

typedef struct crewTime { /* summed over all runs */
  crewCost all;           /* of all threads */
  crewCost longest;       /* of the busiest thread of each run */
  crewCost caller;        /* of the calling thread, with its waiting for the others */
} crewTime;

/* What each task of a question costs, its runs one after the other. With it each task goes to the thread that has had
 * the least of its run so far, as if each took the next one when it is done: who does what then does not depend on how
 * busy the machine is. */
typedef struct crewPlan {
  crewCost *costs;
  size_t count, capacity, next; /* next: 0 before each question */
} crewPlan;

typedef struct crew {
  uint32_t threads; /* 1 .. CREW_THREADS; the caller is one of them */
  crewPlan *plan;   /* NULL: whoever is free takes the next task */
  bool learns;      /* tasks run on the calling thread, and the plan notes the least that each has cost */
  crewTime time;
  struct crewPool *pool; /* the others, who wait for the next run; NULL before the first */
} crew;

/* Fits the members `run` of the library's options: task(data, i) for all i below count. user: a crew. */
void crew_Run(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
void crew_Close(crew *self);
void crew_FreePlan(crewPlan *plan);
crewCost crew_ThreadCost(void); /* of the calling thread */
double crew_ThreadTime(void);   /* ms of processor time of the calling thread */
double crew_ProcessTime(void);  /* ms of processor time of all threads */

/* A count, or a ratio of counts, with its unit; "-" where instructions are not counted. Returns text. */
const char *crew_PrintCount(double count, const char *unit, char text[CREW_COUNT_SIZE]);

static inline crewCost crew_Plus(crewCost a, crewCost b) {
  return (crewCost){a.time + b.time, a.instructions + b.instructions};
}
static inline crewCost crew_Minus(crewCost a, crewCost b) {
  return (crewCost){a.time - b.time, a.instructions - b.instructions};
}
static inline crewCost crew_Least(crewCost a, crewCost b) {
  return (crewCost){a.time < b.time ? a.time : b.time,
                    a.instructions < b.instructions ? a.instructions : b.instructions};
}

#endif
