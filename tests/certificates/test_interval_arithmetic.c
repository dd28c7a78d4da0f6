/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals contain what they must, in every rounding mode; judged in long double (64-bit mantissa on x86). */
#include "interval_arithmetic.h"

#include <fenv.h>

#include "cases.h"
#include "test_random.h"

static const uint64_t seed = 771;
static uint64_t randomState = 771;

static double uniform(double lo, double hi) { return linearUniform(&randomState, lo, hi); }

static double anyNumber(void) { return (uniform(-1, 1) < 0 ? -1 : 1) * pow(10, uniform(-9, 9)); }

static brinkInterval anyInterval(void) {
  double a = anyNumber(), b = uniform(0, 1) < 0.3 ? a : anyNumber();
  return (brinkInterval){BRINK_MIN(a, b), BRINK_MAX(a, b)};
}

static brinkInterval point(double x) { return (brinkInterval){x, x}; }

static void within(brinkInterval range, long double value) {
  if (range.lo <= value && value <= range.hi) return;
  print_message("seed %llu: %.20Lg not in [%.17g, %.17g]\n", (unsigned long long)seed, value, range.lo, range.hi);
  fail();
}

static void checkOperations(int count) {
  int mode = fegetround();
  for (int n = 0; n < count; ++n) {
    fesetround(FE_TONEAREST);
    brinkInterval a = anyInterval(), b = anyInterval();
    double u = uniform(0, 1), v = uniform(0, 1);
    double x = BRINK_MIN(BRINK_MAX(a.lo + u * (a.hi - a.lo), a.lo), a.hi);
    double y = BRINK_MIN(BRINK_MAX(b.lo + v * (b.hi - b.lo), b.lo), b.hi);
    fesetround(mode);
    brinkInterval sum = brinkInterval_Add(a, b), difference = brinkInterval_Sub(a, b),
                  product = brinkInterval_Mul(a, b);
    brinkInterval quotient = brinkInterval_Div(a, b), square = brinkInterval_Sqr(a), root = brinkInterval_Sqrt(a);
    fesetround(FE_TONEAREST);
    within(sum, (long double)x + y);
    within(difference, (long double)x - y);
    within(product, (long double)x * y);
    within(quotient, (long double)x / y);
    within(square, (long double)x * x);
    within(root, sqrtl(x > 0 ? x : 0));
    assert_true(square.lo >= 0 && root.lo >= 0);
  }
}

CASE(operations_contain_the_exact_result_in_every_rounding_mode) {
  const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int i = 0; i < 4; ++i) {
    fesetround(modes[i]);
    checkOperations(50000);
    fesetround(FE_TONEAREST);
  }
}

CASE(point_operations_are_a_few_ulp_wide) {
  for (int n = 0; n < 10000; ++n) {
    brinkInterval a = point(anyNumber()), b = point(anyNumber());
    brinkInterval p = brinkInterval_Mul(a, b);
    assert_true(brinkInterval_Width(p) <= 8 * DBL_EPSILON * fabs(p.hi) + 1e-300);
  }
}

static bool isEverything(brinkInterval a) { return a.lo == -HUGE_VAL && a.hi == HUGE_VAL; }

CASE(doubt_gives_everything) {
  brinkInterval one = point(1), bad = {(double)NAN, 1}, zero = {-1, 1}, huge = {1e308, 1.5e308};
  assert_true(isEverything(brinkInterval_Add(one, bad)));
  assert_true(isEverything(brinkInterval_Sub(bad, one)));
  assert_true(isEverything(brinkInterval_Mul(one, bad)));
  assert_true(isEverything(brinkInterval_Div(one, zero)));
  assert_true(isEverything(brinkInterval_Div(one, point(0))));
  assert_true(isEverything(brinkInterval_Div(one, point(5e-324))));
  assert_true(isEverything(brinkInterval_Mul(huge, huge)));
  assert_true(isEverything(brinkInterval_Add(huge, huge)));
  assert_true(isEverything(brinkInterval_Sqr(bad)));
  assert_true(isEverything(brinkInterval_Sqrt(bad)));
  assert_true(isEverything(brinkInterval_Mul((brinkInterval){0, 0}, (brinkInterval){-HUGE_VAL, HUGE_VAL})));
}

int main(void) { return cases_Run(NULL, NULL); }
