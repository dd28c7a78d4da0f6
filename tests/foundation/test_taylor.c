/* SPDX-License-Identifier: BSD-3-Clause */
/* Taylor models contain the functions they stand for, and are not much wider; judged in long double. */
#include "taylor_values.h"

#include <fenv.h>
#include <stdlib.h>

#include "cases.h"
#include "test_random.h"

#define SAMPLES 60

static const uint64_t seed = 1307;
static uint64_t randomState = 1307;

static double uniform(double lo, double hi) { return linearUniform(&randomState, lo, hi); }

static long double polynomial(const brinkTaylor *a, int order, long double tau) {
  long double value = 0;
  for (int k = order; k >= 0; --k) value = value * tau + a->c[k];
  return value;
}

/* value = what the model stands for at tau */
static void contains(const brinkTaylor *a, int order, long double tau, long double value, const char *what) {
  long double rest = value - polynomial(a, order, tau);
  if (a->remainder.lo <= rest && rest <= a->remainder.hi) return;
  print_message("seed %llu, %s, order %d, tau %.6Lg: %.20Lg outside [%.17g, %.17g]\n", (unsigned long long)seed, what,
                order, tau, rest, a->remainder.lo, a->remainder.hi);
  fail();
}

static int compareDoubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

CASE(sine_and_cosine_models_contain_the_function) {
  static double ratios[3000];
  long points = 0;
  for (int order = 0; order <= 5; ++order) {
    int ratioCount = 0;
    for (int n = 0; n < 1500; ++n) {
      double x = pow(10, uniform(-3, 0.95)), h = pow(10, uniform(-3, 1)), rate = (n & 1 ? -1 : 1) * x / h;
      double m = uniform(-1, 1), phase = uniform(-1, 1) * pow(10, uniform(-3, 3));
      brinkTaylor cosine = taylorCos(phase, rate, m, h, order), sine = taylorSin(phase, rate, m, h, order);
      long double lo = 9, hi = -9;
      for (int i = 0; i <= SAMPLES; ++i) {
        long double tau = -1 + 2.0L * i / SAMPLES, angle = phase + rate * (m + h * tau);
        contains(&cosine, order, tau, cosl(angle), "cos");
        contains(&sine, order, tau, sinl(angle), "sin");
        long double rest = cosl(angle) - polynomial(&cosine, order, tau);
        lo = fminl(lo, rest);
        hi = fmaxl(hi, rest);
        points += 2;
      }
      if (x > 0.1 && x < 1 && hi - lo > 1e-9L)
        ratios[ratioCount++] = brinkInterval_Width(cosine.remainder) / (double)(hi - lo);
      brinkInterval range = brinkTaylor_Range(&cosine, order);
      if (order == 0) assert_true(range.lo >= -1 - 1e-14 && range.hi <= 1 + 1e-14);
    }
    if (ratioCount == 0) continue;
    qsort(ratios, (size_t)ratioCount, sizeof ratios[0], compareDoubles);
    print_message("order %d: remainder width / sampled, X in 0.1..1: median %.3f, 90th percentile %.3f\n", order,
                  ratios[ratioCount / 2], ratios[ratioCount * 9 / 10]);
    assert_true(ratios[ratioCount / 2] < 1.1);
  }
  print_message("%ld points, 0 outside\n", points);
}

CASE(many_turns_never_leave_minus_one_to_one) {
  const double rates[6] = {7, 100, 1e5, 1e12, 1e300, -1e17};
  for (int order = 0; order <= 5; ++order)
    for (int i = 0; i < 6; ++i) {
      brinkTaylor c = taylorCos(0.3, rates[i], 0.5, 0.5, order);
      brinkInterval range = brinkTaylor_Range(&c, order);
      assert_true(range.lo >= -1 - 1e-12 && range.hi <= 1 + 1e-12);
      assert_true(range.lo <= -1 + 1e-9 && range.hi >= 1 - 1e-9);
    }
}

CASE(remainder_is_never_wider_than_the_plain_range) {
  for (int n = 0; n < 4000; ++n) {
    double x = uniform(0, 20), phase = uniform(-4, 4);
    for (int order = 0; order <= 5; ++order) {
      brinkTaylor c = taylorCos(phase, x, 0, 1, order);
      brinkTaylor plain = taylorCos(phase, x, 0, 1, 0);
      if (x > 1) assert_true(brinkInterval_Width(c.remainder) <= brinkInterval_Width(plain.remainder));
    }
  }
}

/* sum, difference-like combination and product chains of sin, cos and affine factors */
CASE(arithmetic_of_models_contains_the_arithmetic_of_functions) {
  long points = 0;
  const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int n = 0; n < 3000; ++n) {
    int order = n % 6, mode = modes[(n / 6) % 4];
    double m = 0.5, h = n % 5 ? 0.5 : uniform(0, 0.5), rate[6], phase[6], a = uniform(-9, 9), b = uniform(-9, 9);
    for (int f = 0; f < 6; ++f) {
      rate[f] = uniform(-2, 2) * (n % 7 ? 1 : 3);
      phase[f] = uniform(-4, 4);
    }
    double s = uniform(-5, 5);
    fesetround(mode);
    brinkTaylor product = brinkTaylor_Affine(a, b, m, h, order), sum = product;
    for (int f = 0; f < 6; ++f) {
      brinkTaylor factor =
          f & 1 ? taylorSin(phase[f], rate[f], m, h, order) : taylorCos(phase[f], rate[f], m, h, order);
      product = taylorMul(&product, &factor, order);
      factor = taylorScale(&factor, s, order);
      sum = taylorAdd(&sum, &factor, order);
    }
    fesetround(FE_TONEAREST);
    brinkInterval range = brinkTaylor_Range(&product, order);
    for (int i = 0; i <= SAMPLES; ++i) {
      long double tau = -1 + 2.0L * i / SAMPLES, t = m + h * tau, p = a + b * t, q = p;
      for (int f = 0; f < 6; ++f) {
        long double angle = phase[f] + rate[f] * t, value = f & 1 ? sinl(angle) : cosl(angle);
        p *= value;
        q += s * value;
      }
      contains(&product, order, tau, p, "product of seven");
      contains(&sum, order, tau, q, "sum of seven");
      assert_true(range.lo <= p && p <= range.hi);
      points += 2;
    }
  }
  print_message("%ld points, 0 outside\n", points);
}

CASE(range_of_a_polynomial_is_exact_up_to_the_cubic_and_never_too_small) {
  double worst[6] = {0};
  for (int n = 0; n < 30000; ++n) {
    int order = n % 6;
    brinkTaylor a = brinkTaylor_Constant(0);
    for (int k = 0; k <= order; ++k) a.c[k] = uniform(-1, 1) * (n % 3 ? 1 : pow(10, uniform(-12, 12)));
    if (order == 3 && n % 4 == 0) { /* (tau-r)^2 (tau-q): double root, nearly */
      double r = uniform(-1.1, 1.1), q = uniform(-2, 2), wobble = n % 8 ? 0 : 1e-14;
      a.c[3] = 1;
      a.c[2] = -2 * r - q + wobble;
      a.c[1] = r * r + 2 * r * q;
      a.c[0] = -r * r * q;
    }
    brinkInterval range = brinkTaylor_Range(&a, order);
    long double lo = HUGE_VAL, hi = -HUGE_VAL, size = 0, bend = 0;
    for (int i = 0; i <= 400; ++i) {
      long double value = polynomial(&a, order, -1 + i / 200.0L);
      assert_true(range.lo <= value && value <= range.hi);
      lo = fminl(lo, value);
      hi = fmaxl(hi, value);
    }
    for (int k = 0; k <= order; ++k) {
      size += fabsl(a.c[k]);
      bend += k * k * fabsl(a.c[k]);
    }
    long double excess =
        (fmaxl(lo - range.lo, range.hi - hi) - bend * 0.5L * 0.0025L * 0.0025L - 1e-14L * size) / (size + 1e-300L);
    worst[order] = fmax(worst[order], (double)excess);
  }
  for (int order = 0; order <= 5; ++order) print_message("order %d: excess of the range %.3g\n", order, worst[order]);
  for (int order = 0; order <= 3; ++order) assert_true(worst[order] <= 2e-16);
  assert_true(worst[4] < 0.1 && worst[5] < 0.1);
}

CASE(higher_orders_are_tighter) {
  double last = HUGE_VAL;
  for (int order = 0; order <= 5; ++order) {
    brinkTaylor c = taylorCos(0.4, 1, 0.5, 0.5, order), s = taylorSin(0.4, 1, 0.5, 0.5, order);
    brinkTaylor square = taylorMul(&c, &c, order), other = taylorMul(&s, &s, order);
    brinkTaylor one = taylorAdd(&square, &other, order);
    brinkInterval range = brinkTaylor_Range(&one, order);
    print_message("order %d: cos^2 + sin^2 in 1 %+.2g %+.2g\n", order, range.lo - 1, range.hi - 1);
    assert_true(range.lo <= 1 && range.hi >= 1 && brinkInterval_Width(range) < last);
    last = brinkInterval_Width(range);
  }
  assert_true(last < 1e-3);
}

CASE(overflow_and_nan_give_everything) {
  brinkTaylor huge = brinkTaylor_Affine(1e200, 1e200, 0, 1, 3), big = taylorMul(&huge, &huge, 3);
  brinkInterval range = brinkTaylor_Range(&big, 3);
  assert_true(isinf(range.lo) && isinf(range.hi));
  brinkTaylor zero = brinkTaylor_Constant(0), product = taylorMul(&zero, &big, 3);
  range = brinkTaylor_Range(&product, 3);
  assert_true(isinf(range.lo) && isinf(range.hi));
  const double bad[2] = {(double)NAN, HUGE_VAL};
  for (int i = 0; i < 2; ++i) {
    brinkTaylor models[4] = {brinkTaylor_Constant(bad[i]), brinkTaylor_Affine(bad[i], 1, 0, 1, 3),
                             brinkTaylor_Affine(0, bad[i], 0, 1, 2), taylorScale(&huge, bad[i], 3)};
    for (int k = 0; k < 4; ++k) {
      range = brinkTaylor_Range(&models[k], 3);
      assert_true(isinf(range.lo) && isinf(range.hi));
    }
  }
  brinkTaylor c = taylorCos((double)NAN, 1, 0, 1, 3);
  range = brinkTaylor_Range(&c, 3);
  assert_true(isinf(range.lo));
}

CASE(point_path_of_a_product_of_maps_stays_in_its_range) {
  for (int n = 0; n < 2000; ++n) {
    int order = n % 6;
    double rate[2] = {uniform(-2, 2), uniform(-2, 2)}, speed = uniform(-3, 3);
    brinkRigid fixed = {brinkExp3(brinkV3(uniform(-3, 3), uniform(-3, 3), uniform(-3, 3))),
                        {uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)}};
    brinkTaylorRigid map[2];
    for (int k = 0; k < 2; ++k) { /* about z, along x; then about x */
      brinkRigid one = brinkIdentityRigid();
      map[k] = brinkTaylorRigid_Constant(&one);
      int u = k ? 1 : 0, v = k ? 2 : 1;
      brinkTaylor s = taylorSin(0, rate[k], 0.5, 0.5, order);
      map[k].r[u][u] = map[k].r[v][v] = taylorCos(0, rate[k], 0.5, 0.5, order);
      map[k].r[v][u] = s;
      map[k].r[u][v] = taylorScale(&s, -1, order);
    }
    map[0].p[0] = brinkTaylor_Affine(1, speed, 0.5, 0.5, order);
    brinkTaylorRigid_TakeErrors(&map[0]);
    brinkTaylorRigid_TakeErrors(&map[1]);
    brinkTaylorRigid middle = brinkTaylorRigid_MulConstant(&map[0], &fixed, order);
    brinkTaylorRigid whole = brinkTaylorRigid_Mul(&middle, &map[1], order);
    brinkVec3 p = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    brinkAabb box = taylorPointRange(&whole, p, order);
    for (int i = 0; i <= SAMPLES; ++i) {
      long double t = (long double)i / SAMPLES, c = cosl(rate[1] * t), s = sinl(rate[1] * t);
      long double q[3] = {p.x, c * p.y - s * p.z, s * p.y + c * p.z}, r[3];
      const double offset[3] = {fixed.p.x, fixed.p.y, fixed.p.z};
      for (int k = 0; k < 3; ++k)
        r[k] = fixed.r.m[k][0] * q[0] + fixed.r.m[k][1] * q[1] + fixed.r.m[k][2] * q[2] + offset[k];
      c = cosl(rate[0] * t);
      s = sinl(rate[0] * t);
      long double x = c * r[0] - s * r[1] + 1 + speed * t, y = s * r[0] + c * r[1], z = r[2];
      assert_true(box.lower.x <= x && x <= box.upper.x);
      assert_true(box.lower.y <= y && y <= box.upper.y);
      assert_true(box.lower.z <= z && z <= box.upper.z);
    }
  }
}

int main(void) { return cases_Run(NULL, NULL); }
