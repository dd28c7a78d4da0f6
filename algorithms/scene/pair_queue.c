/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary min-heap by (bound, pair). A bound that is not a number says nothing, so it counts as -infinity: asked first,
 * never culled. Based on: [CATCH] Sec. 7.1, Algorithm 1 (order of pairs). Units: step time. */
#include "pair_queue.h"

#include "heap.h"

/* The first stands on top. */
static bool comesBefore(const void *user, const void *left, const void *right) {
  const brinkQueuedPair *x = left, *y = right;
  (void)user;
  return x->bound < y->bound || (x->bound == y->bound && x->pair < y->pair);
}

brinkStatus brinkPairQueue_Push(brinkContext *context, brinkPairQueue *queue, double bound, uint32_t pair) {
  const brinkQueuedPair entry = {isnan(bound) ? -HUGE_VAL : bound, pair};
  if (queue->first < queue->count && queue->count < queue->capacity && queue->sorted &&
      comesBefore(NULL, &queue->pairs[queue->count - 1u], &entry)) {
    queue->pairs[queue->count++] = entry; /* last */
    return brink_ok;
  }
  if (queue->first > 0 && queue->first < queue->count && comesBefore(NULL, &entry, &queue->pairs[queue->first])) {
    queue->pairs[--queue->first] = entry; /* back in front */
    return brink_ok;
  }
  if (queue->first > 0) { /* sorted: a heap, too */
    queue->count -= queue->first;
    memmove(queue->pairs, queue->pairs + queue->first, queue->count * sizeof *queue->pairs);
    queue->first = 0;
  }
  brinkStatus status =
      brinkReserve(context, (void **)&queue->pairs, &queue->capacity, queue->count + 1u, sizeof *queue->pairs);
  if (status != brink_ok) return status;
  brinkQueuedPair *pairs = queue->pairs;
  size_t at = queue->count++;
  queue->sorted = at == 0 || (queue->sorted && comesBefore(NULL, &pairs[at - 1], &entry));
  for (; at > 0 && comesBefore(NULL, &entry, &pairs[(at - 1) / 2]); at = (at - 1) / 2) pairs[at] = pairs[(at - 1) / 2];
  pairs[at] = entry;
  return brink_ok;
}

bool brinkPairQueue_Pop(brinkPairQueue *queue, double *bound, uint32_t *pair) {
  if (queue->first == queue->count) return false;
  brinkQueuedPair *pairs = queue->pairs;
  *bound = pairs[queue->first].bound;
  *pair = pairs[queue->first].pair;
  queue->first += queue->sorted;
  if (queue->sorted) return true;
  pairs[0] = pairs[--queue->count];
  if (queue->count > 1) brinkHeap_Sift(pairs, 0, queue->count, sizeof *pairs, comesBefore, NULL);
  return true;
}

void brinkPairQueue_Clear(brinkPairQueue *queue) { queue->first = queue->count = 0; }

void brinkPairQueue_Free(brinkContext *context, brinkPairQueue *queue) {
  brinkRelease(context, queue->pairs, queue->capacity * sizeof *queue->pairs);
  memset(queue, 0, sizeof *queue);
}
