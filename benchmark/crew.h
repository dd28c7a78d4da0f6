/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_CREW_H
#define BRINK_BENCH_CREW_H
/* Threads that take tasks from a shared counter, and how much processor time each of them spent. On a machine that is
 * shared with other work the wall clock says little; the busiest thread's own time is what the wall clock would be.
 * Where even that is noisy, the kernel counts the instructions of each thread (Linux; else 0). */
#include <stdbool.h>
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
  crewCost caller;        /* of the calling thread */
} crewTime;

typedef struct crew {
  uint32_t threads; /* 1 .. CREW_THREADS; the caller is one of them */
  bool dealt;       /* task i is thread i's, modulo the number of threads; else whoever is free takes the next */
  crewTime time;
} crew;

/* Fits the members `run` of the library's options: task(data, i) for all i below count. user: a crew. */
void crew_Run(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
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
