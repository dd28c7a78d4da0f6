/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of sine and cosine contain what they must; judged in long double (64-bit mantissa on x86). */
#include "interval.h"

#include "cases.h"
#include "test_random.h"

static const uint64_t seed = 771;
static uint64_t randomState = 771;

static double uniform(double lo, double hi) { return linearUniform(&randomState, lo, hi); }

static void within(brinkInterval range, long double value) {
  if (range.lo <= value && value <= range.hi) return;
  print_message("seed %llu: %.20Lg not in [%.17g, %.17g]\n", (unsigned long long)seed, value, range.lo, range.hi);
  fail();
}

CASE(sine_and_cosine_contain_every_sample_and_are_tight) {
  double worstExcess = 0;
  for (int n = 0; n < 6000; ++n) {
    double size = pow(10, uniform(-3, 4)), lo = uniform(-size, size), width = n % 3 ? pow(10, uniform(-9, 0.9)) : 0;
    if (n % 11 == 0) lo = 1.5707963267948966 * (double)(int)uniform(-50, 50);
    if (n % 13 == 0) lo = 1.5707963267948966 * (double)(int)uniform(-50, 50) - width;
    brinkInterval a = {lo, lo + width}, s = brinkInterval_Sin(a), c = brinkInterval_Cos(a);
    long double sLo = 2, sHi = -2, cLo = 2, cHi = -2;
    for (int i = 0; i <= 200; ++i) {
      long double x = (long double)a.lo + ((long double)a.hi - a.lo) * i / 200, sine = sinl(x), cosine = cosl(x);
      within(s, sine);
      within(c, cosine);
      sLo = fminl(sLo, sine);
      sHi = fmaxl(sHi, sine);
      cLo = fminl(cLo, cosine);
      cHi = fmaxl(cHi, cosine);
    }
    double grid = 0.5 * pow(brinkInterval_Width(a) / 200, 2); /* what the samples can miss at an extremum */
    double excess =
        fmax(fmax((double)(sLo - s.lo), (double)(s.hi - sHi)), fmax((double)(cLo - c.lo), (double)(c.hi - cHi)));
    worstExcess = fmax(worstExcess, excess - grid);
    assert_true(s.lo >= -1 && s.hi <= 1 && c.lo >= -1 && c.hi <= 1);
  }
  print_message("widest excess of sin and cos over samples: %.3g\n", worstExcess);
  assert_true(worstExcess < 1e-11);
}

CASE(many_turns_give_the_whole_range) {
  brinkInterval r = brinkInterval_Cos((brinkInterval){-100, 1e9});
  assert_true(r.lo == -1 && r.hi == 1);
  r = brinkInterval_Sin((brinkInterval){-HUGE_VAL, HUGE_VAL});
  assert_true(r.lo == -1 && r.hi == 1);
}

static bool isEverything(brinkInterval a) { return a.lo == -HUGE_VAL && a.hi == HUGE_VAL; }

CASE(doubt_gives_everything) {
  const brinkInterval bad = {(double)NAN, 1};
  assert_true(isEverything(brinkInterval_Sin(bad)));
  assert_true(isEverything(brinkInterval_Cos(bad)));
}

int main(void) { return cases_Run(NULL, NULL); }
