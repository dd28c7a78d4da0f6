/* SPDX-License-Identifier: BSD-3-Clause */
/* Context, memory growth, hashing, rotations: known answers and failures that change nothing. */
#include "base.h"
#include "linear.h"

#include <stdlib.h>

#include "cases.h"
#include "test_random.h"

static uint64_t randomState = 20240601;

static double uniform(double lo, double hi) { return linearUniform(&randomState, lo, hi); }

static brinkVec3 randomVector(double size) {
  return brinkV3(uniform(-size, size), uniform(-size, size), uniform(-size, size));
}

/* exp(hat w) by its power series, after halving the angle until it is small. */
static void seriesExponential(brinkVec3 w, long double out[3][3]) {
  long double hat[3][3] = {{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}},
              term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int halvings = 0;
  for (double size = brinkLength(w); size > 0.125; size *= 0.5) ++halvings;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      hat[i][j] = ldexpl(hat[i][j], -halvings);
      out[i][j] = term[i][j];
    }
  for (int k = 1; k < 20; ++k) {
    long double next[3][3] = {{0}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) next[i][j] += term[i][l] * hat[l][j] / k;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        term[i][j] = next[i][j];
        out[i][j] += next[i][j];
      }
  }
  for (; halvings > 0; --halvings) {
    long double square[3][3] = {{0}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) square[i][j] += out[i][l] * out[l][j];
    memcpy(out, square, sizeof square);
  }
}

CASE(exponential_agrees_with_its_series) {
  double worst = 0;
  for (int n = 0; n < 5000; ++n) {
    brinkVec3 w = randomVector(pow(10, uniform(-12, 1)));
    brinkMat3 r = brinkExp3(w);
    long double series[3][3];
    seriesExponential(w, series);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) worst = fmax(worst, fabs((double)(r.m[i][j] - series[i][j])));
  }
  print_message("worst error of brinkExp3: %.3g\n", worst);
  assert_true(worst < 2e-14);
}

CASE(exponential_of_nothing_and_of_denormals_is_the_identity) {
  const double sizes[3] = {0, 5e-324, 1e-310};
  for (int i = 0; i < 3; ++i) {
    brinkMat3 r = brinkExp3(brinkV3(0, sizes[i], 0)), one = brinkIdentity3();
    for (int j = 0; j < 9; ++j) assert_true(fabs((&r.m[0][0])[j] - (&one.m[0][0])[j]) <= 1e-300);
  }
}

CASE(quaternion_of_a_matrix_gives_the_matrix_back) {
  for (int n = 0; n < 20000; ++n) {
    brinkQuat q = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    if (n % 5 == 0) q.w = uniform(-1e-9, 1e-9); /* half turns */
    if (n % 7 == 0) q.x = q.y = 0;
    assert_true(brinkNormalizeQuat(&q));
    brinkMat3 r = brinkMat3_FromQuat(q);
    brinkQuat back = brinkQuat_FromMat3(&r);
    assert_true(back.w >= 0);
    double along = fabs(q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z);
    assert_true(fabs(along - 1) < 1e-14);
    brinkMat3 again = brinkMat3_FromQuat(back);
    for (int i = 0; i < 9; ++i) assert_true(fabs((&r.m[0][0])[i] - (&again.m[0][0])[i]) < 1e-14);
  }
}

CASE(hash_is_fnv_1a) {
  assert_true(brinkHash(0, "", 0) == 0xcbf29ce484222325u);
  assert_true(brinkHash(0, "a", 1) == 0xaf63dc4c8601ec8cu);
  assert_true(brinkHash(0, "foobar", 6) == 0x85944171f73967e8u);
  assert_true(brinkHash(brinkHash(0, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
}

typedef struct Budget {
  size_t left, live;
} Budget;

static void *budgetAllocate(void *user, size_t size) {
  Budget *budget = user;
  if (size > budget->left) return NULL;
  budget->left -= size;
  budget->live += size;
  return malloc(size);
}

static void budgetRelease(void *user, void *block, size_t size) {
  ((Budget *)user)->live -= size;
  free(block);
}

CASE(reserve_keeps_content_and_failure_changes_nothing) {
  Budget budget = {4096, 0};
  brinkContext context;
  brinkInitContext(&context);
  context.user = &budget;
  context.allocate = budgetAllocate;
  context.release = budgetRelease;
  void *block = NULL;
  size_t capacity = 0;
  assert_int_equal(brinkReserve(&context, &block, &capacity, 5, sizeof(int)), brink_ok);
  assert_true(capacity >= 5);
  for (int i = 0; i < 5; ++i) ((int *)block)[i] = i * i;
  assert_int_equal(brinkReserve(&context, &block, &capacity, 100, sizeof(int)), brink_ok);
  for (int i = 0; i < 5; ++i) assert_int_equal(((int *)block)[i], i * i);
  void *before = block;
  size_t capacityBefore = capacity;
  uint64_t allocations = context.allocationCount;
  assert_int_equal(brinkReserve(&context, &block, &capacity, 100000, sizeof(int)), brink_errorNoMemory);
  assert_ptr_equal(block, before);
  assert_int_equal(capacity, capacityBefore);
  assert_true(context.message[0] != 0);
  assert_int_equal(brinkReserve(&context, &block, &capacity, SIZE_MAX / 2, sizeof(int)), brink_errorNoMemory);
  assert_ptr_equal(block, before);
  assert_true(context.allocationCount == allocations && allocations == 2);
  brinkRelease(&context, block, capacity * sizeof(int));
  assert_int_equal(budget.live, 0);
}

CASE(allocation_of_nothing_or_too_much_is_null) {
  brinkContext context;
  brinkInitContext(&context);
  assert_null(brinkAllocate(&context, 0));
  assert_null(brinkAllocateZeroed(&context, SIZE_MAX / 2, 3));
  unsigned char *zeroes = brinkAllocateZeroed(&context, 7, 9);
  assert_non_null(zeroes);
  for (int i = 0; i < 63; ++i) assert_int_equal(zeroes[i], 0);
  brinkRelease(&context, zeroes, 63);
  brinkRelease(&context, NULL, 0);
}

CASE(failure_writes_a_message_that_always_ends) {
  brinkContext context;
  brinkInitContext(&context);
  assert_string_equal(context.message, "");
  assert_int_equal(brinkFail(&context, brink_errorBadValue, "link %d: radius is %g", 7, 0.5), brink_errorBadValue);
  assert_string_equal(context.message, "link 7: radius is 0.5");
  brinkFail(&context, brink_errorIo, "%01000d", 1);
  assert_int_equal(strlen(context.message), BRINK_MESSAGE_CAPACITY - 1);
}

static void remember(void *user, int level, const char *message) {
  memcpy(user, message, strlen(message) + 1);
  ((char *)user)[63] = (char)level;
}

CASE(log_reaches_the_host_or_nobody) {
  char heard[64] = "";
  brinkContext context;
  brinkInitContext(&context);
  brinkLog(&context, 1, "nobody listens");
  context.user = heard;
  context.log = remember;
  brinkLog(&context, 2, "%d pairs", 3);
  assert_string_equal(heard, "3 pairs");
  assert_int_equal(heard[63], 2);
}

static int asked;
static double next(double value) {
  ++asked;
  return value;
}

CASE(the_lesser_and_the_greater_evaluate_each_number_once) {
  asked = 0;
  assert_true(BRINK_MIN(next(2), next(1)) == 1.0 && BRINK_MAX(next(2), next(1)) == 2.0);
  assert_int_equal(asked, 4);
  assert_true(BRINK_MAX((uint64_t)5000000000u, 4u) == 5000000000u && BRINK_MIN((size_t)3u, 2u) == 2u);
  assert_true(BRINK_MIN(1u, 2u) == 1u && BRINK_MAX(1, 0.5) == 1.0);
}

int main(void) { return cases_Run(NULL, NULL); }
