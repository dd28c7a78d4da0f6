/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue hands out pairs by (bound, pair), whatever the order they came in. */
#include "pair_queue.h"

#include <stdlib.h>

#include "cases.h"

static uint64_t randomState = 99;

static uint32_t randomBelow(uint32_t n) {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(randomState >> 33) % n;
}

typedef struct Expected {
  double bound;
  uint32_t pair;
} Expected;

static int compareExpected(const void *a, const void *b) {
  const Expected *x = a, *y = b;
  if (x->bound != y->bound) return x->bound < y->bound ? -1 : 1;
  return x->pair < y->pair ? -1 : x->pair > y->pair;
}

CASE(pairs_come_out_in_order_of_bound_then_index) {
  brinkContext context;
  brinkInitContext(&context);
  brinkPairQueue queue = {0};
  static Expected expected[5000];
  for (int round = 0; round < 20; ++round) {
    uint32_t count = 1 + randomBelow(5000);
    for (uint32_t i = 0; i < count; ++i) {
      expected[i] = (Expected){randomBelow(200) / 200.0, randomBelow(1000000)};
      assert_int_equal(brinkPairQueue_Push(&context, &queue, expected[i].bound, expected[i].pair), brink_ok);
    }
    qsort(expected, count, sizeof expected[0], compareExpected);
    double bound;
    uint32_t pair;
    for (uint32_t i = 0; i < count; ++i) {
      assert_true(brinkPairQueue_Pop(&queue, &bound, &pair));
      assert_true(bound == expected[i].bound && pair == expected[i].pair);
    }
    assert_false(brinkPairQueue_Pop(&queue, &bound, &pair));
  }
  brinkPairQueue_Free(&context, &queue);
  assert_null(queue.pairs);
}

CASE(pushing_back_a_popped_pair_keeps_the_order) {
  brinkContext context;
  brinkInitContext(&context);
  brinkPairQueue queue = {0};
  for (uint32_t i = 0; i < 300; ++i) brinkPairQueue_Push(&context, &queue, 0.001 * randomBelow(1000), i);
  double bound, last = 0;
  uint32_t pair;
  for (int steps = 0; steps < 3000 && brinkPairQueue_Pop(&queue, &bound, &pair); ++steps) {
    assert_true(bound >= last);
    last = bound;
    if (bound < 2) brinkPairQueue_Push(&context, &queue, bound + 0.01 * randomBelow(50), pair);
  }
  brinkPairQueue_Free(&context, &queue);
}

/* A queue that was filled in order hands out from its front: what comes back stands there only if it is the first. */
CASE(pairs_that_come_back_to_a_queue_filled_in_order_find_their_place) {
  enum { count = 100 };
  brinkContext context;
  brinkInitContext(&context);
  brinkPairQueue queue = {0};
  double bounds[count];
  for (uint32_t i = 0; i < count; ++i) {
    bounds[i] = 0.01 * i;
    brinkPairQueue_Push(&context, &queue, bounds[i], i);
  }
  for (uint32_t steps = 0; steps < 20 * count; ++steps) {
    double bound;
    uint32_t pair, first = 0;
    for (uint32_t i = 1; i < count; ++i) first = bounds[i] < bounds[first] ? i : first;
    assert_true(brinkPairQueue_Pop(&queue, &bound, &pair));
    assert_true(pair == first && bound == bounds[first]);
    /* most of them back in front, some just behind the next one */
    if (steps > 2) bounds[pair] += randomBelow(8) == 0 ? 0.0101 : 1e-6 * randomBelow(3);
    brinkPairQueue_Push(&context, &queue, bounds[pair], pair);
  }
  brinkPairQueue_Free(&context, &queue);
}

CASE(bound_that_is_not_a_number_is_asked_first) {
  brinkContext context;
  brinkInitContext(&context);
  brinkPairQueue queue = {0};
  brinkPairQueue_Push(&context, &queue, -1, 1);
  brinkPairQueue_Push(&context, &queue, (double)NAN, 2);
  brinkPairQueue_Push(&context, &queue, 0, 3);
  double bound;
  uint32_t pair;
  assert_true(brinkPairQueue_Pop(&queue, &bound, &pair));
  assert_int_equal(pair, 2);
  brinkPairQueue_Clear(&queue);
  assert_false(brinkPairQueue_Pop(&queue, &bound, &pair));
  brinkPairQueue_Free(&context, &queue);
}

static void *noMemory(void *user, size_t size) {
  (void)user;
  return size > 4096 ? NULL : malloc(size);
}

CASE(out_of_memory_leaves_the_queue_whole_and_warm_queues_allocate_nothing) {
  brinkContext context;
  brinkInitContext(&context);
  context.allocate = noMemory;
  brinkPairQueue queue = {0};
  brinkStatus status = brink_ok;
  uint32_t pushed = 0;
  while ((status = brinkPairQueue_Push(&context, &queue, 1.0 / (1 + pushed), pushed)) == brink_ok) ++pushed;
  assert_int_equal(status, brink_errorNoMemory);
  assert_int_equal(queue.count, pushed);
  double bound;
  uint32_t pair, popped = 0;
  while (brinkPairQueue_Pop(&queue, &bound, &pair)) assert_int_equal(pair, pushed - 1 - popped++);
  assert_int_equal(popped, pushed);
  uint64_t before = context.allocationCount;
  for (uint32_t i = 0; i < pushed; ++i) brinkPairQueue_Push(&context, &queue, 1, i);
  assert_true(context.allocationCount == before);
  brinkPairQueue_Free(&context, &queue);
}

int main(void) { return cases_Run(NULL, NULL); }
