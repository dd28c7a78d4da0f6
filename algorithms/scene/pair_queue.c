/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary min-heap by (bound, pair). A bound that is not a number says nothing, so it counts as -infinity: asked first,
 * never culled. Based on: [CATCH] Sec. 7.1, Algorithm 1 (order of pairs). Units: step time. */
#include "pair_queue.h"

#define SMALLEST_CAPACITY 64u

typedef struct Entry {
  double bound;
  uint32_t pair;
} Entry;

static bool comesBefore(Entry a, Entry b) { return a.bound < b.bound || (a.bound == b.bound && a.pair < b.pair); }

static Entry entryAt(const brinkPairQueue *queue, size_t at) { return (Entry){queue->bounds[at], queue->pairs[at]}; }

static void put(brinkPairQueue *queue, size_t at, Entry entry) {
  queue->bounds[at] = entry.bound;
  queue->pairs[at] = entry.pair;
}

/* Both arrays or neither. */
static brinkStatus grow(brinkContext *context, brinkPairQueue *queue) {
  size_t capacity = queue->capacity ? 2 * queue->capacity : SMALLEST_CAPACITY;
  if (capacity > SIZE_MAX / sizeof(double) || capacity < queue->capacity)
    return brinkFail(context, brink_errorRange, "pair queue of %zu pairs cannot grow; split the scene", queue->count);
  double *bounds = brinkAllocate(context, capacity * sizeof *bounds);
  uint32_t *pairs = brinkAllocate(context, capacity * sizeof *pairs);
  if (!bounds || !pairs) {
    brinkRelease(context, bounds, capacity * sizeof *bounds);
    brinkRelease(context, pairs, capacity * sizeof *pairs);
    return brinkFail(context, brink_errorNoMemory, "no memory for a queue of %zu pairs; narrow the query", capacity);
  }
  if (queue->count) {
    memcpy(bounds, queue->bounds, queue->count * sizeof *bounds);
    memcpy(pairs, queue->pairs, queue->count * sizeof *pairs);
  }
  size_t count = queue->count;
  brinkPairQueue_Free(context, queue);
  *queue = (brinkPairQueue){bounds, pairs, count, capacity};
  return brink_ok;
}

brinkStatus brinkPairQueue_Push(brinkContext *context, brinkPairQueue *queue, double bound, uint32_t pair) {
  if (queue->count == queue->capacity) {
    brinkStatus status = grow(context, queue);
    if (status != brink_ok) return status;
  }
  Entry entry = {isnan(bound) ? -HUGE_VAL : bound, pair};
  size_t at = queue->count++;
  while (at > 0 && comesBefore(entry, entryAt(queue, (at - 1) / 2))) {
    put(queue, at, entryAt(queue, (at - 1) / 2));
    at = (at - 1) / 2;
  }
  put(queue, at, entry);
  return brink_ok;
}

bool brinkPairQueue_Pop(brinkPairQueue *queue, double *bound, uint32_t *pair) {
  if (queue->count == 0) return false;
  *bound = queue->bounds[0];
  *pair = queue->pairs[0];
  size_t count = --queue->count, at = 0;
  if (count == 0) return true;
  Entry entry = entryAt(queue, count);
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && comesBefore(entryAt(queue, child + 1), entryAt(queue, child))) ++child;
    if (!comesBefore(entryAt(queue, child), entry)) break;
    put(queue, at, entryAt(queue, child));
    at = child;
  }
  put(queue, at, entry);
  return true;
}

void brinkPairQueue_Clear(brinkPairQueue *queue) { queue->count = 0; }

void brinkPairQueue_Free(brinkContext *context, brinkPairQueue *queue) {
  brinkRelease(context, queue->bounds, queue->capacity * sizeof *queue->bounds);
  brinkRelease(context, queue->pairs, queue->capacity * sizeof *queue->pairs);
  memset(queue, 0, sizeof *queue);
}
