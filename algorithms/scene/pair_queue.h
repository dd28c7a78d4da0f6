/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PAIR_QUEUE_H
#define BRINK_PAIR_QUEUE_H
/* Which pair next: a binary heap by (proven lower bound of the toi, pair index). Temporal culling of [CATCH] Sec. 7.1:
 * when the smallest bound passes the best toi (+ window), everything left is culled. */
#include "base.h"

typedef struct brinkQueuedPair {
  double bound;
  uint32_t pair;
} brinkQueuedPair;

typedef struct brinkPairQueue {
  brinkQueuedPair *pairs;        /* heap order */
  size_t first, count, capacity; /* [first, count) are in it; first is 0 unless sorted */
  bool sorted;                   /* pushed in order so far, so that popping costs nothing */
} brinkPairQueue;

brinkStatus brinkPairQueue_Push(brinkContext *context, brinkPairQueue *queue, double bound, uint32_t pair);
bool brinkPairQueue_Pop(brinkPairQueue *queue, double *bound, uint32_t *pair); /* false: empty */
void brinkPairQueue_Clear(brinkPairQueue *queue);
void brinkPairQueue_Free(brinkContext *context, brinkPairQueue *queue);

#endif
