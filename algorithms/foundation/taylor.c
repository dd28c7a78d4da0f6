/* SPDX-License-Identifier: BSD-3-Clause */
/* Taylor models of orders 0..5 in tau in [-1,1]: sin and cos with tail remainders, products, exact ranges, rigid maps.
 *
 * Based on: [CATCH] Sec. 5.1, eq. 5; theory D1.3 (tail-exact and simple remainders), D1.4 (arithmetic), D1.5 (range
 * of the cubic), D1.6 (matrices of models); Bernstein coefficients for orders 4 and 5.
 *
 * Rounding. eps = DBL_EPSILON bounds the relative error of one operation in ANY rounding mode, DBL_MIN that of a
 * flushed one. Nothing is rounded outward step by step: each operation adds one term k eps S to its remainder, S = a
 * sum of the magnitudes of everything that entered, k counted where it stands. S also tells overflow: while it is
 * finite, so is all. Symbols: n order, X = |rate| h, C_n and S_n = cos and sin minus their Taylor terms up to x^n, phi
 * the middle's angle. */
#include "taylor.h"

#ifdef __GNUC__
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))
#else
#define ALWAYS_INLINE inline
#define NEVER_INLINE
#endif

#define EPS DBL_EPSILON
#define MAX_ORDER BRINK_MAX_ORDER
/* Room for products flushed to zero: more than the operations of the longest kernel below. */
#define TINY (4096.0 * DBL_MIN)
/* Above this X no order up to 5 beats the plain range of sin or cos: |C_5(4)| > 4. */
#define LARGEST_EXPANDED_ANGLE 4.0

static ALWAYS_INLINE double least(double a, double b) { return a < b ? a : b; }
static ALWAYS_INLINE double greatest(double a, double b) { return a > b ? a : b; }

static brinkTaylor unknownModel(void) {
  brinkTaylor r = {{0}, {-HUGE_VAL, HUGE_VAL}};
  return r;
}

static brinkTaylor modelOfInterval(brinkInterval range) {
  brinkTaylor r = {{0}, {0, 0}};
  if (!isfinite(range.lo) || !isfinite(range.hi)) return unknownModel();
  r.c[0] = 0.5 * range.lo + 0.5 * range.hi;
  r.remainder = (brinkInterval){brinkDown(range.lo - r.c[0]), brinkUp(range.hi - r.c[0])};
  return r;
}

static double sumOfMagnitudes(const brinkTaylor *a, int n) {
  double sum = fabs(a->c[0]);
  for (int k = 1; k <= n; ++k) sum += fabs(a->c[k]);
  return sum;
}

static double remainderMagnitude(const brinkTaylor *a) {
  return greatest(fabs(a->remainder.lo), fabs(a->remainder.hi));
}

/* ---- products */

/* What a factor brings to a product besides its coefficients. */
typedef struct Factor {
  const brinkTaylor *model;
  double magnitude; /* sum |c_k| + |remainder| */
  double lo, hi;    /* range of the polynomial, monomial by monomial: even powers in [0,1], odd in [-1,1] */
} Factor;

static ALWAYS_INLINE Factor makeFactor(const brinkTaylor *a, int n) {
  Factor f = {a, fabs(a->c[0]) + remainderMagnitude(a), a->c[0], a->c[0]};
  for (int k = 1; k <= n; ++k) {
    double size = fabs(a->c[k]);
    f.magnitude += size;
    f.lo -= (k & 1) ? size : greatest(-a->c[k], 0.0);
    f.hi += (k & 1) ? size : greatest(a->c[k], 0.0);
  }
  return f;
}

typedef struct Accumulator {
  double c[2 * MAX_ORDER + 1];
  double lo, hi;    /* of all remainder products */
  double magnitude; /* S */
} Accumulator;

static ALWAYS_INLINE void addIntervalProduct(Accumulator *sum, double aLo, double aHi, double bLo, double bHi) {
  double p = aLo * bLo, q = aLo * bHi, r = aHi * bLo, s = aHi * bHi;
  sum->lo += least(least(p, q), least(r, s));
  sum->hi += greatest(greatest(p, q), greatest(r, s));
}

/* (p,I)(q,J) = pq + (range(p) + I) J + range(q) I */
static ALWAYS_INLINE void addProduct(Accumulator *sum, const Factor *a, const Factor *b, int n) {
  const double *p = a->model->c, *q = b->model->c;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) sum->c[i + j] += p[i] * q[j];
  brinkInterval ra = a->model->remainder, rb = b->model->remainder;
  addIntervalProduct(sum, a->lo + ra.lo, a->hi + ra.hi, rb.lo, rb.hi);
  addIntervalProduct(sum, b->lo, b->hi, ra.lo, ra.hi);
  sum->magnitude += a->magnitude * b->magnitude;
}

/* Rounding: at most three products and one model are summed. A coefficient is a sum of at most 3 (n+1) + 1 <= 19 terms
 * of one multiplication each: 20 eps of their magnitudes; dropped terms and remainders take at most 2 multiplications
 * and 20 additions more; ranges and magnitudes carry 2 n + 2 roundings of their own. All magnitudes together are at
 * most S: 20 + 22 + 12 < 64. */
static ALWAYS_INLINE brinkTaylor finishProduct(const Accumulator *sum, int n) {
  if (!(sum->magnitude < DBL_MAX * EPS)) return unknownModel();
  brinkTaylor r;
  double lo = sum->lo, hi = sum->hi, slack = 64 * EPS * sum->magnitude + TINY;
  for (int k = n + 1; k <= 2 * n; ++k) {
    double c = sum->c[k];
    lo -= (k & 1) ? fabs(c) : greatest(-c, 0.0);
    hi += (k & 1) ? fabs(c) : greatest(c, 0.0);
  }
  for (int k = 0; k <= MAX_ORDER; ++k) r.c[k] = k <= n ? sum->c[k] : 0;
  r.remainder = (brinkInterval){lo - slack, hi + slack};
  return r;
}

/* What the product's polynomial lacks: dropped powers and rounding of the coefficients. */
static ALWAYS_INLINE double droppedTerms(const Accumulator *sum, int n) {
  double dropped = 64 * EPS * sum->magnitude + TINY;
  for (int k = n + 1; k <= 2 * n; ++k) dropped += fabs(sum->c[k]);
  return dropped;
}

/* Row of a times column of b, plus start when it is not NULL. */
static ALWAYS_INLINE brinkTaylor rowTimesColumn(const Factor row[3], const Factor *b0, const Factor *b1,
                                                const Factor *b2, const brinkTaylor *start, double *dropped, int n) {
  Accumulator sum = {{0}, 0, 0, 0};
  if (start) {
    for (int k = 0; k <= n; ++k) sum.c[k] = start->c[k];
    sum.lo = start->remainder.lo;
    sum.hi = start->remainder.hi;
    sum.magnitude = sumOfMagnitudes(start, n) + remainderMagnitude(start);
  }
  addProduct(&sum, &row[0], b0, n);
  addProduct(&sum, &row[1], b1, n);
  addProduct(&sum, &row[2], b2, n);
  *dropped = droppedTerms(&sum, n);
  return finishProduct(&sum, n);
}

/* The same for any order, once: unrolled it would be ten times as long. */
static NEVER_INLINE brinkTaylor rowTimesColumnOfAnyOrder(const Factor row[3], const Factor *b0, const Factor *b1,
                                                         const Factor *b2, const brinkTaylor *start, double *dropped,
                                                         int n) {
  return rowTimesColumn(row, b0, b1, b2, start, dropped, n);
}

static void clampRemainder(brinkTaylor *model, double error) {
  if (!(error < HUGE_VAL)) return;
  model->remainder.lo = greatest(model->remainder.lo, -error);
  model->remainder.hi = least(model->remainder.hi, error);
}

/* R_a R_b = P_a P_b + E_a P_b + R_a E_b, |P_b| <= 1 + |E_b|, |R_a| = 1, and likewise for places; entries keep the
 * smaller of both bounds. (The maps need not be exact rotations: norms of motions are 1 up to 1e-9 a link, see path.h.)
 */
static void addErrors(const brinkTaylorRigid *a, const brinkTaylorRigid *b, const Factor place[3], double turnDropped,
                      double placeDropped, brinkTaylorRigid *out) {
  const double up = 1 + 64 * EPS, rigid = 1 + 1e-6;
  double reach = 0;
  for (int i = 0; i < 3; ++i) {
    double largest = greatest(fabs(place[i].lo), fabs(place[i].hi));
    reach += largest * largest;
  }
  reach = sqrt(reach) * up;
  out->turnError = (a->turnError * (rigid + b->turnError) + rigid * b->turnError + sqrt(turnDropped)) * up;
  out->placeError = (a->placeError + a->turnError * reach + rigid * b->placeError + sqrt(placeDropped)) * up;
  if (!(out->turnError < HUGE_VAL)) out->turnError = HUGE_VAL; /* NaN */
  if (!(out->placeError < HUGE_VAL)) out->placeError = HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    clampRemainder(&out->p[i], out->placeError);
    for (int j = 0; j < 3; ++j) clampRemainder(&out->r[i][j], out->turnError);
  }
}

typedef brinkTaylor RowTimesColumn(const Factor row[3], const Factor *b0, const Factor *b1, const Factor *b2,
                                   const brinkTaylor *start, double *dropped, int n);

static ALWAYS_INLINE void multiplyRigid(const brinkTaylorRigid *a, const brinkTaylorRigid *b, RowTimesColumn *times,
                                        brinkTaylorRigid *out, int n) {
  Factor right[3][3], point[3];
  double turnDropped = 0, placeDropped = 0; /* squares */
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) right[i][j] = makeFactor(&b->r[i][j], n);
    point[i] = makeFactor(&b->p[i], n);
  }
  for (int i = 0; i < 3; ++i) {
    Factor row[3] = {makeFactor(&a->r[i][0], n), makeFactor(&a->r[i][1], n), makeFactor(&a->r[i][2], n)};
    double dropped;
    for (int j = 0; j < 3; ++j) {
      out->r[i][j] = times(row, &right[0][j], &right[1][j], &right[2][j], NULL, &dropped, n);
      turnDropped += dropped * dropped;
    }
    out->p[i] = times(row, &point[0], &point[1], &point[2], &a->p[i], &dropped, n);
    placeDropped += dropped * dropped;
  }
  addErrors(a, b, point, turnDropped, placeDropped, out);
}

/* ---- linear combinations */

/* Rounding: four products and three additions per coefficient, as many for the remainder: 5 eps + 5 eps of S < 16 eps.
 */
static ALWAYS_INLINE brinkTaylor combine(const brinkTaylor *const a[4], const double s[4], int n) {
  brinkTaylor r = {{0}, {0, 0}};
  double magnitude = 0;
  for (int i = 0; i < 4; ++i) {
    if (!a[i]) continue;
    double lo = a[i]->remainder.lo * s[i], hi = a[i]->remainder.hi * s[i], sum = remainderMagnitude(a[i]);
    for (int k = 0; k <= n; ++k) {
      r.c[k] += a[i]->c[k] * s[i];
      sum += fabs(a[i]->c[k]);
    }
    r.remainder.lo += least(lo, hi);
    r.remainder.hi += greatest(lo, hi);
    magnitude += sum * fabs(s[i]);
  }
  if (!(magnitude < DBL_MAX * EPS)) return unknownModel();
  double slack = 16 * EPS * magnitude + TINY;
  r.remainder.lo -= slack;
  r.remainder.hi += slack;
  return r;
}

/* ---- sine and cosine */

/* Bounds of |C_n(x)| and |S_n(x)| for |x| <= X: X^mc/mc! and X^ms/ms!; above X = 1 also the tails themselves, whose
 * cancellation is covered by 16 eps of the sum of their terms. Tails have one sign and grow with X, except 1 - cos X,
 * which turns at pi with the value 2: theory D1.3. */
static void tailBounds(int n, double x, double *cosineTail, double *sineTail) {
  static const double cosineFactor[MAX_ORDER + 1] = {1.0 / 2, 1.0 / 2, 1.0 / 24, 1.0 / 24, 1.0 / 720, 1.0 / 720};
  static const double sineFactor[MAX_ORDER + 1] = {1.0, 1.0 / 6, 1.0 / 6, 1.0 / 120, 1.0 / 120, 1.0 / 5040};
  double x2 = x * x, cosinePower = x2, sinePower = n == 0 ? x : x * x2;
  for (int k = 2; k <= n; k += 2) cosinePower *= x2;
  for (int k = 3; k <= n; k += 2) sinePower *= x2;
  *cosineTail = cosinePower * cosineFactor[n] * (1 + 32 * EPS) + TINY;
  *sineTail = sinePower * sineFactor[n] * (1 + 32 * EPS) + TINY;
  if (x <= 1) return;
  double cosine = cos(x), sine = sin(x), cosineSum = 0, sineSum = 0, term = 1, size = 1;
  for (int k = 0; k <= n; ++k) { /* term = x^k/k! */
    if (k & 1)
      sineSum += (k & 2) ? -term : term;
    else
      cosineSum += (k & 2) ? -term : term;
    size += term;
    term *= x / (k + 1);
  }
  double slack = 16 * EPS * size + BRINK_TRIG_ERROR;
  *cosineTail = least(*cosineTail, n == 1 && x > 3.14 ? 2.0 : fabs(cosine - cosineSum) + slack);
  *sineTail = least(*sineTail, fabs(sine - sineSum) + slack);
}

/* f = even C(x) + odd S(x) with even, odd = value at phi of the function and of its derivative: coefficients
 * even, odd X, -even X^2/2, -odd X^3/6, ...; remainder even sC [0,|C_n|] + |odd| [-1,1] |S_n|. */
static brinkTaylor expandWave(double even, double odd, const double power[MAX_ORDER + 1], int n, double cosineTail,
                              double sineTail, double slack) {
  static const double cosineSign[MAX_ORDER + 1] = {-1, -1, 1, 1, -1, -1}; /* sC */
  brinkTaylor r = {{0}, {0, 0}};
  for (int k = 0; k <= n; ++k) r.c[k] = ((k & 1) ? odd : even) * ((k & 2) ? -power[k] : power[k]);
  double oneSided = even * cosineSign[n] * cosineTail, bothSides = fabs(odd) * sineTail + slack;
  r.remainder = (brinkInterval){least(oneSided, 0) - bothSides, greatest(oneSided, 0) + bothSides};
  return r;
}

void brinkTaylor_SinCos(double phase, double rate, double angleError, double m, double h, int order, brinkTaylor *sine,
                        brinkTaylor *cosine) {
  double angle = phase + rate * m, signedX = rate * h, x = fabs(signedX) * (1 + 2 * EPS);
  double slack = angleError + 4 * EPS * (fabs(phase) + fabs(rate * m)) + TINY; /* of the middle's angle */
  if (!(slack < 1) || !(x < 4 * LARGEST_EXPANDED_ANGLE)) {
    /* Too uncertain or too many turns; NaN and infinities end here as well. */
    bool known = !isnan(phase) && !isnan(rate) && !isnan(m) && !isnan(h) && !isnan(angleError);
    *sine = known ? modelOfInterval((brinkInterval){-1, 1}) : unknownModel();
    *cosine = *sine;
    return;
  }
  brinkTaylor plainSine, plainCosine;
  bool plain = order == 0 || x > 1;
  if (plain) {
    double reach = (x + slack) * (1 + 2 * EPS) + 2 * EPS * fabs(angle);
    brinkInterval angles = {angle - reach, angle + reach};
    plainSine = modelOfInterval(brinkInterval_Sin(angles));
    plainCosine = modelOfInterval(brinkInterval_Cos(angles));
    if (order == 0 || x > LARGEST_EXPANDED_ANGLE) {
      *sine = plainSine;
      *cosine = plainCosine;
      return;
    }
  }
  double s = sin(angle), c = cos(angle), cosineTail, sineTail, power[MAX_ORDER + 1] = {1, 0, 0, 0, 0, 0}, size = 1;
  for (int k = 1; k <= order; ++k) {
    power[k] = power[k - 1] * signedX / k;
    size += fabs(power[k]);
  }
  tailBounds(order, x, &cosineTail, &sineTail);
  /* x^k/k! carries 3 k <= 15 roundings, its product with s or c one more and libm's error. */
  slack += (20 * EPS + 2 * BRINK_TRIG_ERROR) * (size + cosineTail + sineTail);
  *sine = expandWave(s, c, power, order, cosineTail, sineTail, slack);
  *cosine = expandWave(c, -s, power, order, cosineTail, sineTail, slack);
  if (plain) { /* a remainder wider than the plain range helps nobody */
    if (brinkInterval_Width(sine->remainder) > brinkInterval_Width(plainSine.remainder)) *sine = plainSine;
    if (brinkInterval_Width(cosine->remainder) > brinkInterval_Width(plainCosine.remainder)) *cosine = plainCosine;
  }
}

/* ---- simple models */

brinkTaylor brinkTaylor_Constant(double value) {
  brinkTaylor r = {{value, 0, 0, 0, 0, 0}, {0, 0}};
  return isfinite(value) ? r : unknownModel();
}

brinkTaylor brinkTaylor_Affine(double a, double b, double m, double h, int order) {
  brinkTaylor r = {{a + b * m, 0, 0, 0, 0, 0}, {0, 0}};
  double slope = b * h, size = fabs(a) + fabs(b * m) + fabs(slope);
  if (!(size < DBL_MAX * EPS)) return unknownModel();
  /* Two roundings of c0, one of c1; 8 eps covers the size's own as well. */
  double slack = 8 * EPS * size + TINY;
  if (order > 0)
    r.c[1] = slope;
  else
    slack += fabs(slope);
  if (b == 0) slack = 0;
  r.remainder = (brinkInterval){-slack, slack};
  return r;
}

brinkTaylor brinkTaylor_Combine(const brinkTaylor *const a[4], const double s[4], int order) {
  return order == 3 ? combine(a, s, 3) : combine(a, s, order);
}

/* ---- ranges */

static double horner(const double c[], int n, double tau) {
  double value = c[n];
  for (int k = n - 1; k >= 0; --k) value = value * tau + c[k];
  return value;
}

/* Values at both ends and at the critical points inside. A critical point that is slightly off costs only the square of
 * its error; evaluating it and widening by 16 eps sum|c_k| (by the caller) covers that and Horner's rounding:
 * theory D1.5. */
static brinkInterval cubicRange(const double c[4]) {
  double even = c[0] + c[2], odd = c[1] + c[3];
  double a = even - odd, b = even + odd;
  brinkInterval r = {least(a, b), greatest(a, b)};
  double s1 = fabs(c[1]), s2 = fabs(c[2]), s3 = fabs(c[3]);
  if (s1 >= (2 * s2 + 3 * s3) * (1 + 8 * EPS)) return r; /* monotone */
  double size = greatest(s1, greatest(s2, s3)), c1 = c[1] / size, c2 = c[2] / size, c3 = c[3] / size;
  double critical[2] = {2, 2}, discriminant = c2 * c2 - 3 * c1 * c3;
  if (discriminant > 0) {
    double q = -(c2 + (c2 < 0 ? -sqrt(discriminant) : sqrt(discriminant)));
    if (c3 != 0) critical[0] = q / (3 * c3);
    critical[1] = c1 / q; /* |q| >= sqrt(discriminant) > 0; for c3 = 0 this is -c1/(2 c2) */
  }
  for (int i = 0; i < 2; ++i) {
    if (!(fabs(critical[i]) <= 1)) continue;
    double value = horner(c, 3, critical[i]);
    r.lo = least(r.lo, value);
    r.hi = greatest(r.hi, value);
  }
  return r;
}

/* Each halving brings the hull of the coefficients four times closer to the range. */
#define BERNSTEIN_HALVINGS 2

static brinkInterval bernsteinHull(const double b[MAX_ORDER + 1], int n, int halvings) {
  brinkInterval r = {b[0], b[0]};
  if (halvings == 0) {
    for (int i = 1; i <= n; ++i) {
      r.lo = least(r.lo, b[i]);
      r.hi = greatest(r.hi, b[i]);
    }
    return r;
  }
  double left[MAX_ORDER + 1] = {0}, right[MAX_ORDER + 1]; /* de Casteljau at the middle */
  memcpy(right, b, sizeof right);
  for (int i = 0; i <= n; ++i) {
    left[i] = right[0];
    for (int k = 0; k + 1 <= n - i; ++k) right[k] = 0.5 * (right[k] + right[k + 1]);
  }
  brinkInterval first = bernsteinHull(left, n, halvings - 1), second = bernsteinHull(right, n, halvings - 1);
  return (brinkInterval){least(first.lo, second.lo), greatest(first.hi, second.hi)};
}

/* Bernstein coefficients of sum c_k tau^k on [-1,1]: b_i = sum_k c_k e_k(i ones, n-i minus ones)/C(n,k), e_k =
 * elementary symmetric polynomial. Each weight is at most 1 in magnitude. */
static brinkInterval bernsteinRange(const double c[MAX_ORDER + 1], int n) {
  static const double four[5][5] = {
      {1, 1, 1, 1, 1}, {-1, -0.5, 0, 0.5, 1}, {1, 0, -1.0 / 3, 0, 1}, {-1, 0.5, 0, -0.5, 1}, {1, -1, 1, -1, 1}};
  static const double five[6][6] = {{1, 1, 1, 1, 1, 1},           {-1, -0.6, -0.2, 0.2, 0.6, 1},
                                    {1, 0.2, -0.2, -0.2, 0.2, 1}, {-1, 0.2, 0.2, -0.2, -0.2, 1},
                                    {1, -0.6, 0.2, 0.2, -0.6, 1}, {-1, 1, -1, 1, -1, 1}};
  double b[MAX_ORDER + 1] = {0};
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= n; ++k) b[i] += c[k] * (n == 4 ? four[k][i] : five[k][i]);
  return bernsteinHull(b, n, BERNSTEIN_HALVINGS);
}

static ALWAYS_INLINE brinkInterval rangeOf(const brinkTaylor *a, int n) {
  double size = sumOfMagnitudes(a, n);
  if (!(size + remainderMagnitude(a) < DBL_MAX * EPS)) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  brinkInterval r;
  if (size == fabs(a->c[0])) {
    r = (brinkInterval){a->c[0], a->c[0]};
  } else {
    r = cubicRange(a->c);
    if (n >= 4) { /* the cubic plus c4 [0,1] + c5 [-1,1], or the Bernstein hull: both hold */
      brinkInterval hull = bernsteinRange(a->c, n);
      double wave = n == 5 ? fabs(a->c[5]) : 0;
      r.lo = greatest(r.lo + least(a->c[4], 0) - wave, hull.lo);
      r.hi = least(r.hi + greatest(a->c[4], 0) + wave, hull.hi);
    }
  }
  /* 16 eps: above; order 4 and 5 add 6 terms of the coefficients and 5 sums per halving. */
  double slack = (n >= 4 ? 32 : 16) * EPS * (size + remainderMagnitude(a)) + TINY;
  return (brinkInterval){r.lo + a->remainder.lo - slack, r.hi + a->remainder.hi + slack};
}

brinkInterval brinkTaylor_Range(const brinkTaylor *a, int order) { return rangeOf(a, order); }

/* ---- rigid maps */

brinkTaylorRigid brinkTaylorRigid_Constant(const brinkRigid *a) {
  brinkTaylorRigid r;
  const double p[3] = {a->p.x, a->p.y, a->p.z};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.r[i][j] = brinkTaylor_Constant(a->r.m[i][j]);
    r.p[i] = brinkTaylor_Constant(p[i]);
  }
  r.turnError = r.placeError = 0;
  return r;
}

void brinkTaylorRigid_TakeErrors(brinkTaylorRigid *a) {
  double turn = 0, place = 0;
  for (int i = 0; i < 3; ++i) {
    double size = remainderMagnitude(&a->p[i]);
    place += size * size;
    for (int j = 0; j < 3; ++j) {
      size = remainderMagnitude(&a->r[i][j]);
      turn += size * size;
    }
  }
  a->turnError = sqrt(turn) * (1 + 64 * EPS);
  a->placeError = sqrt(place) * (1 + 64 * EPS);
}

brinkTaylorRigid brinkTaylorRigid_MulConstant(const brinkTaylorRigid *a, const brinkRigid *b, int order) {
  brinkTaylorRigid r;
  for (int i = 0; i < 3; ++i) {
    const brinkTaylor *row[4] = {&a->r[i][0], &a->r[i][1], &a->r[i][2], NULL};
    for (int j = 0; j < 3; ++j) {
      const double column[4] = {b->r.m[0][j], b->r.m[1][j], b->r.m[2][j], 0};
      r.r[i][j] = brinkTaylor_Combine(row, column, order);
    }
    row[3] = &a->p[i];
    const double point[4] = {b->p.x, b->p.y, b->p.z, 1};
    r.p[i] = brinkTaylor_Combine(row, point, order);
  }
  /* As a product with a model without remainder; 16 eps of the sums of entries, at most sqrt 3 times |b|. */
  const double reach = brinkLength(b->p), rounding = 128 * EPS * (1 + a->turnError);
  r.turnError = (a->turnError * (1 + 1e-6) + rounding) * (1 + 64 * EPS) + TINY;
  double own = 0;
  for (int i = 0; i < 3; ++i) own += sumOfMagnitudes(&a->p[i], order) + remainderMagnitude(&a->p[i]);
  double entries = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) entries += sumOfMagnitudes(&a->r[i][j], order) + remainderMagnitude(&a->r[i][j]);
  r.placeError = (a->placeError + a->turnError * reach + 32 * EPS * (own + entries * reach)) * (1 + 64 * EPS) + TINY;
  r.turnError += 64 * EPS * entries;
  if (!(r.turnError < HUGE_VAL)) r.turnError = HUGE_VAL;
  if (!(r.placeError < HUGE_VAL)) r.placeError = HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    clampRemainder(&r.p[i], r.placeError);
    for (int j = 0; j < 3; ++j) clampRemainder(&r.r[i][j], r.turnError);
  }
  return r;
}

brinkTaylorRigid brinkTaylorRigid_Mul(const brinkTaylorRigid *a, const brinkTaylorRigid *b, int order) {
  brinkTaylorRigid r;
  if (order == 3)
    multiplyRigid(a, b, rowTimesColumn, &r, 3); /* the default, unrolled by the compiler */
  else
    multiplyRigid(a, b, rowTimesColumnOfAnyOrder, &r, order);
  return r;
}
