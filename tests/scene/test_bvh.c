/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree answers exactly what a plain list of boxes would, and asks far less. */
#include "bvh.h"

#include <stdlib.h>

#include "cases.h"
#include "test_random.h"

#define LEAVES 10000

static uint64_t randomState = 4242;

static double uniform(double lo, double hi) { return linearUniform(&randomState, lo, hi); }

static brinkAabb randomBox(double world, double size) {
  brinkVec3 p = {uniform(-world, world), uniform(-world, world), uniform(-world, world)};
  return (brinkAabb){p, {p.x + uniform(0, size), p.y + uniform(0, size), p.z + uniform(0, size)}};
}

typedef struct Answers {
  uint32_t ids[LEAVES];
  size_t count, limit;
} Answers;

static bool collect(void *user, uint32_t id) {
  Answers *answers = user;
  assert_true(answers->count < LEAVES);
  answers->ids[answers->count++] = id;
  return answers->count < answers->limit;
}

static int compareIds(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static Answers found;

static bool meet(brinkAabb a, brinkAabb b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
         a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static uint64_t compareWithList(const brinkBvh *bvh, const brinkAabb *boxes, const bool *alive, size_t count,
                                brinkAabb box) {
  found.count = 0;
  found.limit = SIZE_MAX;
  const uint64_t tests = brinkBvh_Query(bvh, box, collect, &found);
  qsort(found.ids, found.count, sizeof found.ids[0], compareIds);
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!alive[i] || !meet(boxes[i], box)) continue;
    assert_true(at < found.count);
    assert_int_equal(found.ids[at], i);
    ++at;
  }
  assert_int_equal(at, found.count);
  return tests;
}

static brinkAabb boxes[LEAVES];
static bool alive[LEAVES];
static int32_t proxies[LEAVES];

CASE(answers_equal_those_of_a_plain_list_through_inserts_moves_and_removals) {
  brinkContext context;
  brinkInitContext(&context);
  brinkBvh *bvh = brinkBvh_Create(&context);
  const size_t count = 600;
  size_t live = 0;
  memset(alive, 0, sizeof alive);
  for (int step = 0; step < 20000; ++step) {
    size_t i = (size_t)uniform(0, (double)count);
    brinkAabb box = randomBox(10, uniform(0, 1) < 0.05 ? 10 : 1);
    if (uniform(0, 1) < 0.01) box.lower.y = -HUGE_VAL, box.upper.y = HUGE_VAL;
    if (!alive[i]) {
      boxes[i] = box;
      proxies[i] = brinkBvh_Insert(bvh, box, (uint32_t)i);
      assert_true(proxies[i] >= 0);
      alive[i] = true;
      ++live;
    } else if (uniform(0, 1) < 0.3) {
      brinkBvh_Remove(bvh, proxies[i]);
      alive[i] = false;
      --live;
    } else {
      if (uniform(0, 1) < 0.7) { /* a small move */
        box = boxes[i];
        double dx = uniform(-0.1, 0.1);
        box.lower.x += dx;
        box.upper.x += dx;
      }
      boxes[i] = box;
      brinkBvh_Move(bvh, proxies[i], box);
    }
    assert_int_equal(brinkBvh_Count(bvh), live);
    if (step % 20 == 0) compareWithList(bvh, boxes, alive, count, randomBox(10, 5));
  }
  brinkBvh_Destroy(bvh);
}

static void checkLargeTree(const char *name) {
  brinkContext context;
  brinkInitContext(&context);
  brinkBvh *bvh = brinkBvh_Create(&context);
  for (uint32_t i = 0; i < LEAVES; ++i) {
    alive[i] = true;
    proxies[i] = brinkBvh_Insert(bvh, boxes[i], i);
    assert_true(proxies[i] >= 0);
  }
  uint64_t sum = 0;
  size_t answers = 0;
  for (int n = 0; n < 200; ++n) {
    size_t i = (size_t)uniform(0, LEAVES);
    sum += compareWithList(bvh, boxes, alive, LEAVES, boxes[i]);
    answers += found.count;
  }
  double tests = (double)sum / 200;
  print_message("%s: %.0f box tests per query of %d boxes, %.1f answers\n", name, tests, LEAVES, (double)answers / 200);
  assert_true(tests < 200 + 12 * (double)answers / 200);
  uint64_t allocations = context.allocationCount;
  for (uint32_t i = 0; i < LEAVES; ++i) brinkBvh_Move(bvh, proxies[i], boxes[LEAVES - 1 - i]);
  assert_true(context.allocationCount == allocations);
  brinkBvh_Destroy(bvh);
}

CASE(ten_thousand_random_boxes_take_few_tests) {
  for (int i = 0; i < LEAVES; ++i) boxes[i] = randomBox(100, 2);
  checkLargeTree("random");
}

CASE(ten_thousand_boxes_in_a_row_take_few_tests) {
  for (int i = 0; i < LEAVES; ++i) boxes[i] = (brinkAabb){{i, 0, 0}, {i + 1.5, 1, 1}};
  checkLargeTree("row");
}

CASE(floor_box_and_a_plane_do_not_spoil_the_tree) {
  for (int i = 0; i < LEAVES; ++i) boxes[i] = randomBox(100, 2);
  boxes[0] = (brinkAabb){{-1e6, -1e6, -1e6}, {1e6, 1e6, -100}};
  boxes[1] = (brinkAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, 0}};
  checkLargeTree("with a floor and a plane");
}

CASE(ten_thousand_equal_boxes_are_all_found) {
  for (int i = 0; i < LEAVES; ++i) boxes[i] = (brinkAabb){{0, 0, 0}, {1, 1, 1}};
  checkLargeTree("equal");
}

CASE(same_calls_give_the_same_order_of_answers) {
  static Answers answers[2];
  for (int run = 0; run < 2; ++run) {
    randomState = 555;
    brinkContext context;
    brinkInitContext(&context);
    brinkBvh *bvh = brinkBvh_Create(&context);
    void *noise = malloc((size_t)(1000 + run * 5000)); /* other addresses */
    for (uint32_t i = 0; i < 2000; ++i) proxies[i] = brinkBvh_Insert(bvh, randomBox(10, 1), i);
    for (uint32_t i = 0; i < 2000; i += 3) brinkBvh_Move(bvh, proxies[i], randomBox(10, 1));
    answers[run].count = 0;
    answers[run].limit = SIZE_MAX;
    brinkBvh_Query(bvh, (brinkAabb){{-5, -5, -5}, {5, 5, 5}}, collect, &answers[run]);
    brinkBvh_Destroy(bvh);
    free(noise);
  }
  assert_true(answers[0].count > 100);
  assert_int_equal(answers[0].count, answers[1].count);
  assert_memory_equal(answers[0].ids, answers[1].ids, answers[0].count * sizeof(uint32_t));
}

CASE(visit_can_stop_the_query) {
  brinkContext context;
  brinkInitContext(&context);
  brinkBvh *bvh = brinkBvh_Create(&context);
  for (uint32_t i = 0; i < 50; ++i) brinkBvh_Insert(bvh, (brinkAabb){{0, 0, 0}, {1, 1, 1}}, i);
  found.count = 0;
  found.limit = 7;
  brinkBvh_Query(bvh, (brinkAabb){{1, 1, 1}, {2, 2, 2}}, collect, &found); /* touching counts */
  assert_int_equal(found.count, 7);
  brinkBvh_Destroy(bvh);
}

CASE(box_that_is_not_a_number_meets_everything) {
  brinkContext context;
  brinkInitContext(&context);
  brinkBvh *bvh = brinkBvh_Create(&context);
  int32_t proxy = brinkBvh_Insert(bvh, (brinkAabb){{(double)NAN, 0, 0}, {1, 1, 1}}, 3);
  found.count = 0;
  found.limit = SIZE_MAX;
  brinkBvh_Query(bvh, (brinkAabb){{50, 50, 50}, {51, 51, 51}}, collect, &found);
  assert_int_equal(found.count, 1);
  brinkBvh_Remove(bvh, proxy);
  assert_int_equal(brinkBvh_Count(bvh), 0);
  brinkBvh_Destroy(bvh);
}

static void *noMemory(void *user, size_t size) {
  (void)user;
  return size > 20000 ? NULL : malloc(size);
}

CASE(out_of_memory_is_told_and_the_tree_lives_on) {
  brinkContext context;
  brinkInitContext(&context);
  context.allocate = noMemory;
  brinkBvh *bvh = brinkBvh_Create(&context);
  uint32_t inserted = 0;
  while (brinkBvh_Insert(bvh, (brinkAabb){{inserted, 0, 0}, {inserted + 1.0, 1, 1}}, inserted) >= 0) ++inserted;
  assert_true(inserted > 10 && brinkBvh_Count(bvh) == inserted);
  found.count = 0;
  found.limit = SIZE_MAX;
  brinkBvh_Query(bvh, (brinkAabb){{-1, -1, -1}, {1e6, 2, 2}}, collect, &found);
  assert_int_equal(found.count, inserted);
  brinkBvh_Destroy(bvh);
}

int main(void) { return cases_Run(NULL, NULL); }
