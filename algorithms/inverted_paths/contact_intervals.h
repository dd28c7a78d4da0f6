/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CONTACT_INTERVALS_H
#define BRINK_CONTACT_INTERVALS_H
/* ALL times during which something holds (two bodies are in contact), as intervals whose ends are bracketed. Time is
 * cut into cells; each is proven to hold throughout, proven not to hold throughout, or halved, down to the time
 * tolerance. So no interval is missed or invented; what stays open is said to be so.
 *
 * Based on: theory D5.4, D5.5 (certified cells, sort and merge). Units: step time in [0,1]. */
#include "patch_contact.h"

/* The host's way to run `count` independent tasks, in any order, on any threads; returns when all are done. */
typedef struct brinkParallel {
  void (*run)(void *user, size_t count, void (*task)(void *data, size_t index),
              void *data); /* NULL: one after the other */
  void *user;
} brinkParallel;

void brinkRunTasks(const brinkParallel *parallel, size_t count, void (*task)(void *data, size_t index), void *data);

/* Pure, any thread. memory: see contact_cells.h. An open cell may carry the bits brink_cellNear and brink_cellCrossing.
 */
typedef brinkCellState (*brinkClassifyCell)(const void *problem, double l, double u, brinkCellMemory *memory);

typedef struct brinkIntervalQuery {
  double tStart, tEnd;
  double timeTolerance; /* > 0: how short the bracket of an end shall be; 2^-46 is the least */
  double leastWidth;    /* narrower cells stay open; 0 = 2^-46 */
  size_t maxOpen;       /* cells open at one time; beyond it they stay open: 0 = 4096 */
  const double *breaks; /* [breakCount], ascending, strictly inside (tStart, tEnd): cells end there */
  size_t breakCount;
  brinkParallel parallel;
} brinkIntervalQuery;

typedef struct brinkContactInterval {
  double startLower, startUpper; /* it begins in here: proven not just before startLower, proven from startUpper on */
  double endLower, endUpper;     /* it ends in here: proven until endLower, proven not after endUpper */
  bool proven;       /* false: open, i.e. touching within rounding or work ended; then startUpper = endUpper, endLower =
                        startLower, and there may be no contact at all */
  bool begins, ends; /* false: it holds at tStart / tEnd already / still */
  uint32_t openInside;         /* open gaps between proven parts, each no longer than a few times the tolerance */
  brinkCellMemory first, last; /* triangles that meet near its start and its end */
  bool near;                   /* not proven, but near from startUpper to endLower: brink_cellNear */
  bool crosses; /* proven to happen at some time of [startLower, endUpper] only: startUpper = endUpper, endLower =
                   startLower */
} brinkContactInterval;

typedef struct brinkIntervalSet {
  brinkContactInterval *items; /* [count], in order of time, grown with the context */
  size_t count, capacity;
  uint64_t cells;   /* classified */
  double openTotal; /* step time that is open */
} brinkIntervalSet;

void brinkIntervalSet_Free(brinkContext *context, brinkIntervalSet *set);
/* set: zero, or of an earlier call. */
brinkStatus brinkFindIntervals(brinkContext *context, brinkClassifyCell classify, const void *problem,
                               const brinkIntervalQuery *query, brinkIntervalSet *set);
/* The same, cut at the breaks of a motion first (the query's own breaks are not read). */
brinkStatus brinkFindIntervalsOf(brinkContext *context, const brinkRelativeMotion *motion, brinkClassifyCell classify,
                                 const void *problem, const brinkIntervalQuery *query, brinkIntervalSet *set);
/* Breaks of a motion inside (tStart, tEnd); *breaks is grown. */
brinkStatus brinkCollectBreaks(brinkContext *context, const brinkRelativeMotion *motion, double tStart, double tEnd,
                               double **breaks, size_t *capacity, size_t *count);
/* Step time below which bodies known up to an error cannot tell contact from none; 0 when both are exact. An estimate:
 * it only says where cutting on is vain. */
double brinkResolvableTime(const brinkRelativeMotion *motion, const brinkInverseMesh *a, const brinkInverseMesh *b,
                           double tStart, double tEnd);
/* The same with more asked (question->thin is found out here). */
brinkStatus brinkFindCloseIntervals(brinkContext *context, const brinkCloseQuestion *question,
                                    const brinkIntervalQuery *query, brinkIntervalSet *set);
/* Two meshes; what cannot be resolved is not cut further. What stays within rounding of touching is told as near. */
brinkStatus brinkFindContactIntervals(brinkContext *context, const brinkMeshPair *pair, const brinkIntervalQuery *query,
                                      brinkIntervalSet *set);
/* Two bodies of patches. first, last of the intervals: pieces of the bodies. */
brinkStatus brinkFindPatchIntervals(brinkContext *context, const brinkPatchPair *pair, const brinkIntervalQuery *query,
                                    brinkIntervalSet *set);

#endif
