/* SPDX-License-Identifier: BSD-3-Clause */
/* See inverse_motion.h. Matrices of balls with first and second Taylor coefficients ("jets"): a product's second
 * coefficient over a whole cell bounds how far the matrix leaves the straight line between the cell's ends:
 * |f - lerp| <= max|f''| w^2/8 = max|f''/2| w^2/4.
 *
 * Rounding: each ball operation adds an ulp of its result to the radius and rounds the radius up. sin, cos: libm within
 * BRINK_TRIG_ERROR. Axis and R of a rotation are taken as exactly unit and orthonormal; what they lack goes into the
 * radius. */
#include "inverse_motion.h"

#include "interval.h"

#define UNIT_ERROR                                                                                          \
  (16.0 * DBL_EPSILON)        /* entries of E(angle a) R from an axis and an R that are unit up to rounding \
                               */
#define LEAST_RADIUS 0x1p-300 /* covers what is flushed to zero; radii multiply without becoming denormal (slow) */
#define LONG_PRODUCT 8u       /* factors: beyond it balls are not even tried for curves of rigid motions */
#define REGULAR_CELLS 200000u
#define REGULAR_WIDTH 0x1p-30

/* ---- balls */

typedef struct ball {
  double m, r;
} ball;

static ball outward(double m, double r) {
  return (ball){m, r * (1.0 + 8.0 * DBL_EPSILON) + fabs(m) * DBL_EPSILON + LEAST_RADIUS};
}
static ball ballOf(double x) { return (ball){x, 0.0}; }
static ball ballAdd(ball a, ball b) { return outward(a.m + b.m, a.r + b.r); }
static ball ballNegate(ball a) { return (ball){-a.m, a.r}; }
static ball ballSub(ball a, ball b) { return outward(a.m - b.m, a.r + b.r); }
static ball ballMul(ball a, ball b) {
  if ((a.m == 0.0 && a.r == 0.0) || (b.m == 0.0 && b.r == 0.0)) return ballOf(0.0);
  if (a.m == 1.0 && a.r == 0.0) return b;
  if (b.m == 1.0 && b.r == 0.0) return a;
  return outward(a.m * b.m, fabs(a.m) * b.r + fabs(b.m) * a.r + a.r * b.r);
}
static double ballReach(ball a) { return (fabs(a.m) + a.r) * (1.0 + 4.0 * DBL_EPSILON); }
/* 1/a; infinite radius when a may be 0. */
static ball ballInverse(ball a) {
  double least = (fabs(a.m) - a.r) * (1.0 - 4.0 * DBL_EPSILON);
  if (!(least > DBL_MIN)) return (ball){0.0, INFINITY};
  return outward(1.0 / a.m, a.r / (least * fabs(a.m)) * (1.0 + 8.0 * DBL_EPSILON));
}

/* ---- jets: f, f', f''/2; `order` says how many are kept */

typedef struct jet {
  ball c[3];
} jet;

static jet jetOf(double x) { return (jet){{ballOf(x), ballOf(0.0), ballOf(0.0)}}; }
static jet jetAdd(jet a, jet b, int order) {
  jet r = jetOf(0.0);
  for (int k = 0; k <= order; ++k) r.c[k] = ballAdd(a.c[k], b.c[k]);
  return r;
}
static jet jetSub(jet a, jet b, int order) {
  jet r = jetOf(0.0);
  for (int k = 0; k <= order; ++k) r.c[k] = ballSub(a.c[k], b.c[k]);
  return r;
}
static bool isConstant(const jet *a) {
  return a->c[1].m == 0.0 && a->c[1].r == 0.0 && a->c[2].m == 0.0 && a->c[2].r == 0.0;
}
static jet jetMul(jet a, jet b, int order) {
  jet r = jetOf(0.0);
  if (order > 0 && isConstant(&b)) {
    for (int k = 0; k <= order; ++k) r.c[k] = ballMul(a.c[k], b.c[0]);
    return r;
  }
  r.c[0] = ballMul(a.c[0], b.c[0]);
  if (order >= 1) r.c[1] = ballAdd(ballMul(a.c[0], b.c[1]), ballMul(a.c[1], b.c[0]));
  if (order >= 2) r.c[2] = ballAdd(ballAdd(ballMul(a.c[0], b.c[2]), ballMul(a.c[2], b.c[0])), ballMul(a.c[1], b.c[1]));
  return r;
}
static jet jetNegate(jet a) { return (jet){{ballNegate(a.c[0]), ballNegate(a.c[1]), ballNegate(a.c[2])}}; }
/* 1/f: -f'/f^2, (f'^2/f - f''/2)/f^2 */
static jet jetInverse(jet a, int order) {
  jet r = jetOf(0.0);
  r.c[0] = ballInverse(a.c[0]);
  ball square = ballMul(r.c[0], r.c[0]);
  if (order >= 1) r.c[1] = ballNegate(ballMul(a.c[1], square));
  if (order >= 2) r.c[2] = ballMul(ballSub(ballMul(ballMul(a.c[1], a.c[1]), r.c[0]), a.c[2]), square);
  return r;
}

typedef struct jetMatrix {
  jet e[12];
} jetMatrix;

static jetMatrix jetIdentity(void) {
  jetMatrix r;
  for (int i = 0; i < 12; ++i) r.e[i] = jetOf(i % 5 == 0 ? 1.0 : 0.0);
  return r;
}

static jetMatrix jetProduct(const jetMatrix *a, const jetMatrix *b, int order) {
  jetMatrix r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      jet sum = j == 3 ? a->e[4 * i + 3] : jetOf(0.0);
      for (int k = 0; k < 3; ++k) sum = jetAdd(sum, jetMul(a->e[4 * i + k], b->e[4 * k + j], order), order);
      r.e[4 * i + j] = sum;
    }
  return r;
}

/* a T where T only shifts, and T b. */
static void shiftRight(jetMatrix *a, const jetMatrix *shift, int order) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      a->e[4 * i + 3] = jetAdd(a->e[4 * i + 3], jetMul(a->e[4 * i + k], shift->e[4 * k + 3], order), order);
}

static jet jetMinor(const jetMatrix *a, int p, int q, int r, int s, int order) {
  return jetSub(jetMul(a->e[p], a->e[q], order), jetMul(a->e[r], a->e[s], order), order);
}

static void jetCofactors(const jetMatrix *a, jet out[9], int order) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      out[3 * i + j] = jetMinor(a, 4 * i1 + j1, 4 * i2 + j2, 4 * i1 + j2, 4 * i2 + j1, order);
    }
}

static jet jetDeterminant(const jetMatrix *a, const jet cofactors[9], int order) {
  jet sum = jetOf(0.0);
  for (int j = 0; j < 3; ++j) sum = jetAdd(sum, jetMul(a->e[j], cofactors[j], order), order);
  return sum;
}

/* [L^-1 | -L^-1 p] by cofactors. */
static jetMatrix jetInverseMatrix(const jetMatrix *a, int order) {
  jet cofactors[9];
  jetMatrix r;
  jetCofactors(a, cofactors, order);
  jet inverse = jetInverse(jetDeterminant(a, cofactors, order), order);
  for (int i = 0; i < 3; ++i) {
    jet shift = jetOf(0.0);
    for (int j = 0; j < 3; ++j) {
      r.e[4 * i + j] = jetMul(cofactors[3 * j + i], inverse, order);
      shift = jetAdd(shift, jetMul(r.e[4 * i + j], a->e[4 * j + 3], order), order);
    }
    r.e[4 * i + 3] = jetNegate(shift);
  }
  return r;
}

/* ---- spans */

static const double identity9[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* s over the times [l,u], with ds/dt. */
static jet localTime(const brinkInverseSpan *span, double l, double u) {
  double m = 0.5 * (l + u);
  ball t = l < u ? outward(m, fmax(u - m, m - l)) : ballOf(l);
  jet s = jetOf(0.0);
  s.c[0] = ballMul(ballSub(t, ballOf(span->t0)), ballOf(span->perSpan));
  s.c[1] = ballOf(span->perSpan);
  return s;
}

static void polynomialJets(const brinkInverseSpan *span, jet s, int order, jetMatrix *out) {
  for (int i = 0; i < 12; ++i) {
    jet sum = jetOf(span->coefficients[span->degree][i]);
    for (int k = (int)span->degree - 1; k >= 0; --k)
      sum = jetAdd(jetMul(sum, s, order), jetOf(span->coefficients[k][i]), order);
    out->e[i] = sum;
  }
}

static jet deCasteljau(const double *values, size_t stride, uint32_t degree, jet s, int order) {
  jet b[BRINK_INVERSE_MAX_DEGREE + 1];
  bool same = true;
  for (uint32_t i = 1; i <= degree; ++i) same = same && values[stride * i] == values[0];
  if (same) return jetOf(values[0]);
  for (uint32_t i = 0; i <= degree; ++i) b[i] = jetOf(values[stride * i]);
  for (uint32_t r = degree; r > 0; --r)
    for (uint32_t i = 0; i < r; ++i) b[i] = jetAdd(b[i], jetMul(s, jetSub(b[i + 1], b[i], order), order), order);
  return b[0];
}

static void rationalJets(const brinkInverseSpan *span, jet s, int order, jetMatrix *out) {
  bool plain = true; /* all weights 1 */
  for (uint32_t i = 0; i <= span->degree; ++i) plain = plain && span->weights[i] == 1.0;
  jet weight = plain ? jetOf(1.0) : jetInverse(deCasteljau(span->weights, 1, span->degree, s, order), order);
  for (int i = 0; i < 12; ++i) {
    jet sum = deCasteljau(&span->coefficients[0][i], 12, span->degree, s, order);
    out->e[i] = plain ? sum : jetMul(sum, weight, order);
  }
}

/* sin and cos of a jet. */
static void jetTrig(jet x, int order, jet *sine, jet *cosine) {
  double m = x.c[0].m;
  ball s = outward(sin(m), fmin(x.c[0].r, 2.0) + BRINK_TRIG_ERROR),
       c = outward(cos(m), fmin(x.c[0].r, 2.0) + BRINK_TRIG_ERROR);
  *sine = *cosine = jetOf(0.0);
  sine->c[0] = s;
  cosine->c[0] = c;
  if (order >= 1) {
    sine->c[1] = ballMul(c, x.c[1]);
    cosine->c[1] = ballNegate(ballMul(s, x.c[1]));
  }
  if (order >= 2) {
    ball half = ballMul(ballMul(x.c[1], x.c[1]), ballOf(0.5));
    sine->c[2] = ballSub(ballMul(c, x.c[2]), ballMul(s, half));
    cosine->c[2] = ballNegate(ballAdd(ballMul(s, x.c[2]), ballMul(c, half)));
  }
}

/* E(angle a) R, or its inverse R^T E(-angle a). */
static void rotationJets(const brinkInverseSpan *span, jet s, int order, bool inverse, jetMatrix *out) {
  jet angle = jetOf(span->angle[3]), sine, cosine;
  for (int k = 2; k >= 0; --k) angle = jetAdd(jetMul(angle, s, order), jetOf(span->angle[k]), order);
  if (inverse) angle = jetNegate(angle);
  jetTrig(angle, order, &sine, &cosine);
  jet versine = jetSub(jetOf(1.0), cosine, order);
  const double *a = span->axis;
  const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  jetMatrix turn = jetIdentity(), constant = jetIdentity();
  bool plain = memcmp(span->turn, identity9, sizeof identity9) == 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double part = a[i] * a[j];
      /* a_i^2 + (1 - a_i^2) cos: along an axis nothing moves, and nothing is lost */
      jet e = i == j ? jetAdd(jetMul(cosine, jetOf(1.0 - part), order), jetOf(part), order)
                     : jetAdd(jetMul(versine, jetOf(part), order), jetMul(sine, jetOf(cross[3 * i + j]), order), order);
      e.c[0].r += 2.0 * DBL_EPSILON; /* of a_i a_j */
      e.c[0].r += UNIT_ERROR;
      e.c[1].r += UNIT_ERROR * ballReach(angle.c[1]);
      e.c[2].r += UNIT_ERROR * (ballReach(angle.c[2]) + ballReach(angle.c[1]) * ballReach(angle.c[1]));
      turn.e[4 * i + j] = e;
      constant.e[4 * i + j] = jetOf(span->turn[inverse ? 3 * j + i : 3 * i + j]);
    }
  if (plain)
    *out = turn;
  else
    *out = inverse ? jetProduct(&constant, &turn, order) : jetProduct(&turn, &constant, order);
}

static const brinkInverseSpan *spanAt(const brinkInverseFactor *factor, double l, double u) {
  double m = 0.5 * (l + u);
  size_t low = 0, high = factor->count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (factor->spans[middle].t0 <= m)
      low = middle;
    else
      high = middle;
  }
  return &factor->spans[low];
}

/* within: a time inside the span wanted, for one-sided values at breaks. */
static void factorJets(const brinkInverseFactor *factor, double l, double u, double within, int order, bool inverse,
                       jetMatrix *out) {
  const brinkInverseSpan *span = spanAt(factor, within, within);
  jet s = localTime(span, l, u);
  if (span->kind == brink_spanRotation) {
    rotationJets(span, s, order, inverse, out);
    return;
  }
  if (span->kind == brink_spanPolynomial)
    polynomialJets(span, s, order, out);
  else
    rationalJets(span, s, order, out);
  if (!inverse) return;
  if (factor->translation) {
    for (int i = 0; i < 3; ++i) out->e[4 * i + 3] = jetNegate(out->e[4 * i + 3]);
  } else {
    *out = jetInverseMatrix(out, order);
  }
}

/* out = out F, or out F^-1 */
static void appendJets(const brinkInverseFactor *factor, double l, double u, double within, int order, bool inverse,
                       bool first, jetMatrix *out) {
  jetMatrix jets;
  factorJets(factor, l, u, within, order, inverse, first ? out : &jets);
  if (first) return;
  if (factor->translation)
    shiftRight(out, &jets, order);
  else
    *out = jetProduct(out, &jets, order);
}

static void relativeJets(const brinkRelativeMotion *motion, double l, double u, double within, int order,
                         jetMatrix *out) {
  bool first = true;
  *out = jetIdentity();
  /* (F1 F2 .. Fn)^-1 = Fn^-1 .. F1^-1: the last factor's inverse comes first */
  for (size_t i = motion->a != NULL ? motion->a->count : 0; i-- > 0; first = false)
    appendJets(&motion->a->factors[i], l, u, within, order, true, first, out);
  for (size_t i = 0; motion->b != NULL && i < motion->b->count; ++i, first = false)
    appendJets(&motion->b->factors[i], l, u, within, order, false, first, out);
}

/* ---- rigid products by norms: balls of long products widen, these do not */

/* Bounds of |f|, |f'|, |f''| of sum c_k s^k for |s| <= reach, f' by time; norms[k] = |c_k|. */
static void polynomialNorms(const double *norms, uint32_t degree, double reach, double perSpan, double out[3]) {
  double power = 1.0, below = 0.0, below2 = 0.0; /* reach^k, reach^(k-1), reach^(k-2) */
  out[0] = out[1] = out[2] = 0.0;
  for (uint32_t k = 0; k <= degree; ++k) {
    out[0] += norms[k] * power;
    if (k >= 1) out[1] += k * norms[k] * below * perSpan;
    if (k >= 2) out[2] += (double)k * (k - 1) * norms[k] * below2 * perSpan * perSpan;
    below2 = below;
    below = power;
    power *= reach;
  }
}

typedef struct rigidNorms {
  double turn, bend; /* sums of |angle'| and |angle''| so far: |R'| <= turn, |R''| <= turn^2 + bend */
  double shift;      /* bound of |p''| */
} rigidNorms;

/* false: neither a rotation nor a shift. */
static bool addNorms(const brinkInverseFactor *factor, double l, double u, rigidNorms *sum) {
  const brinkInverseSpan *span = spanAt(factor, 0.5 * (l + u), 0.5 * (l + u));
  double reach = fmax(fabs((l - span->t0) * span->perSpan), fabs((u - span->t0) * span->perSpan)) * (1.0 + 1e-12);
  double norms[BRINK_INVERSE_MAX_DEGREE + 1], f[3];
  if (span->kind == brink_spanRotation) {
    for (int k = 0; k < 4; ++k) norms[k] = fabs(span->angle[k]);
    polynomialNorms(norms, 3, reach, span->perSpan, f);
    sum->turn += f[1];
    sum->bend += f[2];
    return true;
  }
  if (!factor->translation) return false;
  for (uint32_t k = 0; k <= span->degree; ++k) {
    const double *c = span->coefficients[k];
    norms[k] = sqrt(c[3] * c[3] + c[7] * c[7] + c[11] * c[11]);
  }
  polynomialNorms(norms, span->degree, reach, span->perSpan, f);
  sum->shift += (sum->turn * sum->turn + sum->bend) * f[0] + 2.0 * sum->turn * f[1] + f[2];
  return true;
}

/* Lowers the curves to what norms know, where all factors are rotations and shifts; false: they are not. */
static bool rigidCurves(const brinkRelativeMotion *motion, double l, double u, double curve[12]) {
  rigidNorms sum = {0.0, 0.0, 0.0};
  for (size_t i = motion->a != NULL ? motion->a->count : 0; i-- > 0;)
    if (!addNorms(&motion->a->factors[i], l, u, &sum)) return false;
  for (size_t i = 0; motion->b != NULL && i < motion->b->count; ++i)
    if (!addNorms(&motion->b->factors[i], l, u, &sum)) return false;
  double part = 0.125 * (u - l) * (u - l) * (1.0 + 1e-9), linear = (sum.turn * sum.turn + sum.bend) * part;
  for (int i = 0; i < 12; ++i) curve[i] = fmin(curve[i], i % 4 == 3 ? sum.shift * part : linear);
  return true;
}

static void takeValues(const jetMatrix *jets, double values[12], double error[12]) {
  for (int i = 0; i < 12; ++i) {
    ball b = jets->e[i].c[0];
    bool known = isfinite(b.m) && isfinite(b.r);
    values[i] = known ? b.m : 0.0;
    error[i] = fmax(error[i], known ? b.r : HUGE_VAL);
  }
}

/* ---- rigid products at one time: rotations do not lengthen errors, so these add up where balls multiply */

typedef struct rigidPlace {
  double m[12];
  double linear, entry; /* bounds of the error of L: of its norm, of each entry */
  double shift;         /* of the error of p */
  bool turned;
} rigidPlace;

/* sum c_k s^k is off by at most the returned value; sums: of |c_k| |s|^k and of k |c_k| |s|^(k-1). */
static double polynomialError(double sum, double slope, double off) { return slope * off + 16.0 * DBL_EPSILON * sum; }

static void addTurn(const brinkInverseSpan *span, double s, double off, bool inverse, rigidPlace *place) {
  double angle = 0.0, sum = 0.0, slope = 0.0, turn[9], product[9];
  for (int k = 3; k >= 0; --k) {
    slope = slope * fabs(s) + sum;
    angle = angle * s + span->angle[k];
    sum = sum * fabs(s) + fabs(span->angle[k]);
  }
  double sine = sin(angle), cosine = cos(angle);
  const double *a = span->axis;
  const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double part = a[i] * a[j];
      turn[3 * i + j] = i == j ? part + (1.0 - part) * cosine : (1.0 - cosine) * part + sine * cross[3 * i + j];
    }
  bool plain = memcmp(span->turn, identity9, sizeof identity9) == 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      product[3 * i + j] = turn[3 * i + j];
      if (plain) continue;
      product[3 * i + j] = 0.0;
      for (int k = 0; k < 3; ++k) product[3 * i + j] += turn[3 * i + k] * span->turn[3 * k + j];
    }
  double entry = UNIT_ERROR + 2.0 * BRINK_TRIG_ERROR + 16.0 * DBL_EPSILON + polynomialError(sum, slope, off);
  double norm = 3.0 * entry, row[3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      row[j] = 0.0;
      for (int k = 0; k < 3; ++k) row[j] += place->m[4 * i + k] * (inverse ? product[3 * j + k] : product[3 * k + j]);
    }
    memcpy(place->m + 4 * i, row, sizeof row);
  }
  place->entry = entry;
  place->linear += norm + place->linear * norm + (place->turned ? 16.0 * DBL_EPSILON * (1.0 + norm) : 0.0);
  if (place->turned) place->entry = place->linear;
  place->turned = true;
}

static void addShift(const brinkInverseSpan *span, double s, double off, bool inverse, rigidPlace *place) {
  double d[3], error = 0.0, size = 0.0, length = 0.0;
  for (int i = 0; i < 3; ++i) {
    double value = 0.0, sum = 0.0, slope = 0.0;
    for (int k = (int)span->degree; k >= 0; --k) {
      slope = slope * fabs(s) + sum;
      value = value * s + span->coefficients[k][4 * i + 3];
      sum = sum * fabs(s) + fabs(span->coefficients[k][4 * i + 3]);
    }
    d[i] = inverse ? -value : value;
    error += polynomialError(sum, slope, off) * (1.0 + span->degree);
    size += fabs(value);
  }
  for (int i = 0; i < 3; ++i) {
    length += fabs(place->m[4 * i + 3]);
    place->m[4 * i + 3] += place->m[4 * i] * d[0] + place->m[4 * i + 1] * d[1] + place->m[4 * i + 2] * d[2];
  }
  place->shift += place->linear * size + (1.0 + place->linear) * error + 16.0 * DBL_EPSILON * (length + 2.0 * size);
}

static bool addRigid(const brinkInverseFactor *factor, double t, double within, bool inverse, rigidPlace *place) {
  const brinkInverseSpan *span = spanAt(factor, within, within);
  double s = (t - span->t0) * span->perSpan, off = 4.0 * DBL_EPSILON * (fabs(t) + fabs(span->t0)) * fabs(span->perSpan);
  if (span->kind == brink_spanRotation)
    addTurn(span, s, off, inverse, place);
  else if (factor->translation)
    addShift(span, s, off, inverse, place);
  else
    return false;
  return true;
}

/* N(t); error is raised to what it is off. */
static void valuesAt(const brinkRelativeMotion *motion, double t, double within, double values[12], double error[12]) {
  rigidPlace place = {.m = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
  bool rigid = true;
  for (size_t i = motion->a != NULL ? motion->a->count : 0; i-- > 0 && rigid;)
    rigid = addRigid(&motion->a->factors[i], t, within, true, &place);
  for (size_t i = 0; rigid && motion->b != NULL && i < motion->b->count; ++i)
    rigid = addRigid(&motion->b->factors[i], t, within, false, &place);
  if (!rigid) {
    jetMatrix jets;
    relativeJets(motion, t, t, within, 0, &jets);
    takeValues(&jets, values, error);
    return;
  }
  for (int i = 0; i < 12; ++i) {
    double off = (i % 4 == 3 ? place.shift : place.entry) * (1.0 + 1e-9) + LEAST_RADIUS;
    bool known = isfinite(place.m[i]) && isfinite(off);
    values[i] = known ? place.m[i] : 0.0;
    error[i] = fmax(error[i], known ? off : HUGE_VAL);
  }
}

static void takeCurve(const jetMatrix *jets, double width, double curve[12]) {
  for (int i = 0; i < 12; ++i) {
    double bend = 0.25 * ballReach(jets->e[i].c[2]) * width * width * (1.0 + 16.0 * DBL_EPSILON);
    if (bend < curve[i]) curve[i] = bend;
  }
}

static void motionJets(const brinkInverseMotion *motion, double l, double u, double within, int order, jetMatrix *out) {
  *out = jetIdentity();
  for (size_t i = 0; motion != NULL && i < motion->count; ++i)
    appendJets(&motion->factors[i], l, u, within, order, false, i == 0, out);
}

void brinkRelativeMotion_ForwardCells(const brinkRelativeMotion *motion, double l, double u, brinkMotionCell *a,
                                      brinkMotionCell *b) {
  const double middle = 0.5 * (l + u), from[4] = {l, u, middle, l}, to[4] = {l, u, middle, u};
  jetMatrix jets[2];
  brinkMotionCell *cell[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    memset(cell[k], 0, sizeof *cell[k]);
    cell[k]->l = l;
    cell[k]->u = u;
    for (int i = 0; u > l && i < 12; ++i) cell[k]->curve[i] = HUGE_VAL;
  }
  for (int pass = 0; pass < (u > l ? 4 : 3); ++pass) {
    int order = pass == 3 ? 2 : 0;
    motionJets(motion->a, from[pass], to[pass], middle, order, &jets[0]);
    motionJets(motion->b, from[pass], to[pass], middle, order, &jets[1]);
    for (int i = 0; i < 3; ++i) {
      jets[1].e[4 * i + 3] = jetSub(jets[1].e[4 * i + 3], jets[0].e[4 * i + 3], order);
      jets[0].e[4 * i + 3] = jetOf(0.0);
    }
    for (int k = 0; k < 2; ++k) {
      if (pass == 3)
        takeCurve(&jets[k], u - l, cell[k]->curve);
      else
        takeValues(&jets[k], pass == 2 ? cell[k]->middle : cell[k]->at[pass], cell[k]->error);
    }
  }
}

void brinkRelativeMotion_Cell(const brinkRelativeMotion *motion, double l, double u, brinkMotionCell *out) {
  jetMatrix jets;
  double middle = 0.5 * (l + u), width = u - l;
  memset(out, 0, sizeof *out);
  out->l = l;
  out->u = u;
  valuesAt(motion, l, middle, out->at[0], out->error);
  valuesAt(motion, u, middle, out->at[1], out->error);
  valuesAt(motion, middle, middle, out->middle, out->error);
  if (!(width > 0.0)) return;
  for (int i = 0; i < 12; ++i) out->curve[i] = HUGE_VAL;
  bool rigid = rigidCurves(motion, l, u, out->curve);
  if (rigid && (motion->a != NULL ? motion->a->count : 0) + (motion->b != NULL ? motion->b->count : 0) > LONG_PRODUCT)
    return;
  relativeJets(motion, l, u, middle, 2, &jets);
  takeCurve(&jets, width, out->curve);
}

void brinkRelativeMotion_Half(const brinkRelativeMotion *motion, const brinkMotionCell *cell, bool second,
                              brinkMotionCell *out) {
  double middle = 0.5 * (cell->l + cell->u);
  brinkMotionCell half = *cell;
  half.l = second ? middle : cell->l;
  half.u = second ? cell->u : middle;
  memcpy(half.at[second ? 0 : 1], cell->middle, sizeof half.middle);
  /* the halves' widths differ by rounding only */
  for (int i = 0; i < 12; ++i) half.curve[i] = cell->curve[i] * (0.25 * (1.0 + 1e-9));
  middle = 0.5 * (half.l + half.u);
  valuesAt(motion, middle, middle, half.middle, half.error);
  *out = half;
}

/* ---- single points, in plain doubles with one bound for all coordinates */

static double largest3(const double y[3]) { return fmax(fabs(y[0]), fmax(fabs(y[1]), fabs(y[2]))); }

static void turnPoint(const brinkInverseSpan *span, double s, bool inverse, double y[3], double *error) {
  double angle = 0.0, size = 0.0, z[3];
  for (int k = 3; k >= 0; --k) {
    angle = angle * s + span->angle[k];
    size = size * fabs(s) + fabs(span->angle[k]);
  }
  double sine = sin(inverse ? -angle : angle), cosine = cos(angle);
  bool plain = memcmp(span->turn, identity9, sizeof identity9) == 0;
  const double *r = span->turn, *a = span->axis;
  if (plain || inverse)
    memcpy(z, y, sizeof z);
  else
    for (int i = 0; i < 3; ++i) z[i] = r[3 * i] * y[0] + r[3 * i + 1] * y[1] + r[3 * i + 2] * y[2];
  double along = (1.0 - cosine) * (a[0] * z[0] + a[1] * z[1] + a[2] * z[2]), w[3];
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    w[i] = cosine * z[i] + sine * (a[j] * z[k] - a[k] * z[j]) + along * a[i];
  }
  if (plain || !inverse)
    memcpy(z, w, sizeof z);
  else
    for (int i = 0; i < 3; ++i) z[i] = r[i] * w[0] + r[3 + i] * w[1] + r[6 + i] * w[2];
  /* a rotation lengthens a coordinate's error by sqrt 3 at most; s is off by 4 ulp of itself, twice per power */
  *error = 2.0 * *error + largest3(y) * (256.0 * DBL_EPSILON * (1.0 + size) + 8.0 * BRINK_TRIG_ERROR);
  memcpy(y, z, sizeof z);
}

static void shiftPoint(const brinkInverseSpan *span, double s, bool inverse, double y[3], double *error) {
  double size = largest3(y);
  for (int i = 0; i < 3; ++i) {
    double shift = 0.0, sum = 0.0;
    for (int k = (int)span->degree; k >= 0; --k) {
      shift = shift * s + span->coefficients[k][4 * i + 3];
      sum = sum * fabs(s) + fabs(span->coefficients[k][4 * i + 3]);
    }
    size = fmax(size, sum);
    y[i] = inverse ? y[i] - shift : y[i] + shift;
  }
  *error += 256.0 * DBL_EPSILON * size;
}

static void movePoint(const brinkInverseFactor *factor, double t, double within, bool inverse, double y[3],
                      double *error) {
  const brinkInverseSpan *span = spanAt(factor, within, within);
  double s = (t - span->t0) * span->perSpan;
  if (span->kind == brink_spanRotation) {
    turnPoint(span, s, inverse, y, error);
  } else if (factor->translation && span->kind == brink_spanPolynomial) {
    shiftPoint(span, s, inverse, y, error);
  } else {
    jetMatrix jets;
    factorJets(factor, t, t, within, 0, inverse, &jets);
    double out[3], worst = 0.0;
    for (int i = 0; i < 3; ++i) {
      ball sum = jets.e[4 * i + 3].c[0];
      for (int j = 0; j < 3; ++j) sum = ballAdd(sum, ballMul(jets.e[4 * i + j].c[0], (ball){y[j], *error}));
      out[i] = isfinite(sum.m) ? sum.m : 0.0;
      worst = fmax(worst, isfinite(sum.m) && isfinite(sum.r) ? sum.r : HUGE_VAL);
    }
    *error = worst;
    memcpy(y, out, sizeof out);
  }
}

void brinkRelativeMotion_Point(const brinkRelativeMotion *motion, double t, double within, const double x[3],
                               double y[3], double *error) {
  memcpy(y, x, 3 * sizeof(double));
  *error = 0.0;
  for (size_t i = motion->b != NULL ? motion->b->count : 0; i-- > 0;)
    movePoint(&motion->b->factors[i], t, within, false, y, error);
  for (size_t i = 0; motion->a != NULL && i < motion->a->count; ++i)
    movePoint(&motion->a->factors[i], t, within, true, y, error);
}

void brinkRelativeMotion_At(const brinkRelativeMotion *motion, double t, double out[12], double error[12]) {
  memset(error, 0, 12 * sizeof error[0]);
  valuesAt(motion, t, t, out, error);
}

void brinkInverseMotion_At(const brinkInverseMotion *motion, double t, double out[12]) {
  double error[12];
  brinkRelativeMotion_At(&(brinkRelativeMotion){NULL, motion}, t, out, error);
}

double brinkInverseMotion_NextBreak(const brinkInverseMotion *motion, double t) {
  double next = 1.0;
  for (size_t i = 0; motion != NULL && i < motion->count; ++i)
    for (size_t k = 0; k < motion->factors[i].count; ++k)
      if (motion->factors[i].spans[k].t0 > t) next = fmin(next, motion->factors[i].spans[k].t0);
  return next;
}

double brinkRelativeMotion_NextBreak(const brinkRelativeMotion *motion, double t) {
  return fmin(brinkInverseMotion_NextBreak(motion->a, t), brinkInverseMotion_NextBreak(motion->b, t));
}

/* ---- making */

void brinkInverseMotion_Free(brinkContext *context, brinkInverseMotion *motion) {
  for (size_t i = 0; i < motion->count; ++i)
    brinkRelease(context, motion->factors[i].spans, motion->factors[i].count * sizeof *motion->factors[i].spans);
  brinkRelease(context, motion->factors, motion->capacity * sizeof *motion->factors);
  memset(motion, 0, sizeof *motion);
}

static bool allFinite(const double *values, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(values[i]) || fabs(values[i]) > 1e100) return false;
  return true;
}

static brinkInverseSpan *appendFactor(brinkContext *context, brinkInverseMotion *motion, size_t spanCount,
                                      bool translation) {
  if (brinkReserve(context, (void **)&motion->factors, &motion->capacity, motion->count + 1, sizeof *motion->factors) !=
      brink_ok)
    return NULL;
  brinkInverseSpan *spans = brinkAllocateZeroed(context, spanCount, sizeof *spans);
  if (spans == NULL) {
    brinkFail(context, brink_errorNoMemory, "no memory for a motion of %zu spans", spanCount);
    return NULL;
  }
  for (size_t i = 0; i < spanCount; ++i) spans[i].perSpan = 1.0;
  motion->factors[motion->count++] = (brinkInverseFactor){spans, spanCount, translation};
  return spans;
}

static bool isTranslation(const double *coefficients, size_t degree) {
  for (size_t k = 0; k <= degree; ++k)
    for (int i = 0; i < 12; ++i)
      if (i % 4 != 3 && coefficients[12 * k + (size_t)i] != (k == 0 && i % 5 == 0 ? 1.0 : 0.0)) return false;
  return true;
}

brinkStatus brinkInverseMotion_AddPolynomial(brinkContext *context, brinkInverseMotion *motion,
                                             const double *coefficients, size_t degree, const char *name) {
  if (degree > BRINK_INVERSE_MAX_DEGREE)
    return brinkFail(context, brink_errorRange, "%s: degree %zu is above %d", name, degree, BRINK_INVERSE_MAX_DEGREE);
  if (!allFinite(coefficients, 12 * (degree + 1)))
    return brinkFail(context, brink_errorBadValue, "%s: a coefficient is not finite (or beyond 1e100)", name);
  brinkInverseSpan *span = appendFactor(context, motion, 1, isTranslation(coefficients, degree));
  if (span == NULL) return brink_errorNoMemory;
  span->kind = brink_spanPolynomial;
  span->degree = (uint32_t)degree;
  memcpy(span->coefficients, coefficients, 12 * (degree + 1) * sizeof(double));
  return brink_ok;
}

brinkStatus brinkInverseMotion_AddRotation(brinkContext *context, brinkInverseMotion *motion, const double axis[3],
                                           const double angle[4], const char *name) {
  if (!allFinite(axis, 3) || !allFinite(angle, 4))
    return brinkFail(context, brink_errorBadValue, "%s: axis or angle is not finite", name);
  brinkVec3 unit = brinkNormalizeOr(brinkV3_FromArray(axis), brinkV3(0, 0, 0));
  if (!(brinkLength(unit) > 0.5))
    return brinkFail(context, brink_errorBadRotation, "%s: the axis has no direction", name);
  brinkInverseSpan *span = appendFactor(context, motion, 1, false);
  if (span == NULL) return brink_errorNoMemory;
  span->kind = brink_spanRotation;
  span->axis[0] = unit.x;
  span->axis[1] = unit.y;
  span->axis[2] = unit.z;
  memcpy(span->angle, angle, 4 * sizeof(double));
  memcpy(span->turn, identity9, sizeof identity9);
  return brink_ok;
}

static double det3(const double *m, size_t stride) {
  const double *a = m, *b = m + stride, *c = m + 2 * stride;
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* A 4x4 matrix that a motion may pass through. */
static brinkStatus checkMatrix(brinkContext *context, const double *m, const char *name, const char *what,
                               size_t index) {
  if (!allFinite(m, 16)) return brinkFail(context, brink_errorBadValue, "%s: %s %zu is not finite", name, what, index);
  if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1)
    return brinkFail(context, brink_errorBadValue, "%s: the last row of %s %zu is not 0 0 0 1", name, what, index);
  double size = 1.0;
  for (int j = 0; j < 3; ++j) size *= sqrt(m[j] * m[j] + m[4 + j] * m[4 + j] + m[8 + j] * m[8 + j]);
  if (!(fabs(det3(m, 4)) > BRINK_INVERSE_SINGULAR * size))
    return brinkFail(context, brink_errorBadValue, "%s: %s %zu is singular; a body may not be flattened", name, what,
                     index);
  return brink_ok;
}

brinkStatus brinkInverseMotion_AddBezier(brinkContext *context, brinkInverseMotion *motion, const double *controls,
                                         const double *weights, size_t count, const char *name) {
  if (count < 1 || count > BRINK_INVERSE_MAX_DEGREE + 1)
    return brinkFail(context, brink_errorRange, "%s: %zu control matrices; 1 to %d are understood", name, count,
                     BRINK_INVERSE_MAX_DEGREE + 1);
  for (size_t i = 0; i < count; ++i) {
    if (!allFinite(controls + 16 * i, 16))
      return brinkFail(context, brink_errorBadValue, "%s: control %zu is not finite", name, i);
    const double *m = controls + 16 * i;
    if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1)
      return brinkFail(context, brink_errorBadValue, "%s: the last row of control %zu is not 0 0 0 1", name, i);
    if (weights != NULL && !(weights[i] > 0.0 && weights[i] < 1e100))
      return brinkFail(context, brink_errorBadValue, "%s: weight %zu is %g; weights are greater than 0", name, i,
                       weights[i]);
  }
  brinkInverseSpan *span = appendFactor(context, motion, 1, false);
  if (span == NULL) return brink_errorNoMemory;
  span->kind = brink_spanRational;
  span->degree = (uint32_t)count - 1u;
  for (size_t i = 0; i < count; ++i) {
    span->weights[i] = weights != NULL ? weights[i] : 1.0;
    for (int k = 0; k < 12; ++k) span->coefficients[i][k] = span->weights[i] * controls[16 * i + (size_t)k];
  }
  return brink_ok;
}

/* Cubic Hermite from value[0], slope[0] to value[1], slope[1] over a span of length h (slopes per unit of time). */
static void hermite(brinkInverseSpan *span, int entry, double v0, double v1, double s0, double s1) {
  span->coefficients[0][entry] = v0;
  span->coefficients[1][entry] = s0;
  span->coefficients[2][entry] = 3.0 * (v1 - v0) - 2.0 * s0 - s1;
  span->coefficients[3][entry] = 2.0 * (v0 - v1) + s0 + s1;
}

/* Catmull-Rom slope of values[stride i] at key i, per unit of time; the outer keys' slope is the chord's. */
static double slopeAt(const double *times, const double *values, size_t stride, size_t count, size_t i) {
  size_t before = i > 0 ? i - 1 : 0, after = i + 1 < count ? i + 1 : count - 1;
  return (values[stride * after] - values[stride * before]) / (times[after] - times[before]);
}

/* Spans between keys of 3x4 matrices given as [count][12]; only entries with mask set are blended, others are the
 * identity's. */
static brinkStatus addBlend(brinkContext *context, brinkInverseMotion *motion, const double *times,
                            const double *values, size_t count, bool cubic, bool translation) {
  brinkInverseSpan *spans = appendFactor(context, motion, count - 1, translation);
  if (spans == NULL) return brink_errorNoMemory;
  for (size_t i = 0; i + 1 < count; ++i) {
    double h = times[i + 1] - times[i];
    spans[i].kind = brink_spanPolynomial;
    spans[i].degree = cubic ? 3 : 1;
    spans[i].t0 = times[i];
    spans[i].perSpan = 1.0 / h;
    for (int k = 0; k < 12; ++k) {
      const double *v = values + k;
      if (cubic) {
        hermite(&spans[i], k, v[12 * i], v[12 * (i + 1)], h * slopeAt(times, v, 12, count, i),
                h * slopeAt(times, v, 12, count, i + 1));
      } else {
        spans[i].coefficients[0][k] = v[12 * i];
        spans[i].coefficients[1][k] = v[12 * (i + 1)] - v[12 * i];
      }
    }
  }
  return brink_ok;
}

/* The rotation nearest to L: R <- (R + R^-T)/2 (Higham 1986). det L > 0. */
static brinkMat3 polarRotation(const double *m) {
  brinkMat3 r = {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}};
  for (int pass = 0; pass < 60; ++pass) {
    brinkMat3 c, next;
    double change = 0.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        c.m[i][j] = r.m[i1][j1] * r.m[i2][j2] - r.m[i1][j2] * r.m[i2][j1];
      }
    double det = r.m[0][0] * c.m[0][0] + r.m[0][1] * c.m[0][1] + r.m[0][2] * c.m[0][2];
    double scale = pass < 20 ? 1.0 / cbrt(det) : 1.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        next.m[i][j] = 0.5 * (scale * r.m[i][j] + c.m[i][j] / (det * scale));
        change = fmax(change, fabs(next.m[i][j] - r.m[i][j]));
      }
    r = next;
    if (change < 4.0 * DBL_EPSILON) break;
  }
  brinkQuat q = brinkQuat_FromMat3(&r);
  brinkNormalizeQuat(&q);
  return brinkMat3_FromQuat(q);
}

static brinkStatus addTurns(brinkContext *context, brinkInverseMotion *motion, const double *times,
                            const brinkMat3 *turns, size_t count) {
  brinkInverseSpan *spans = appendFactor(context, motion, count - 1, false);
  if (spans == NULL) return brink_errorNoMemory;
  for (size_t i = 0; i + 1 < count; ++i) {
    brinkMat3 inverse = brinkTranspose(&turns[i]), step = brinkMulMM(&turns[i + 1], &inverse);
    brinkQuat q = brinkQuat_FromMat3(&step);
    brinkVec3 v = {q.x, q.y, q.z}, axis = brinkNormalizeOr(v, brinkV3(0, 0, 1));
    spans[i].kind = brink_spanRotation;
    spans[i].t0 = times[i];
    spans[i].perSpan = 1.0 / (times[i + 1] - times[i]);
    spans[i].angle[1] = 2.0 * atan2(brinkLength(v), q.w);
    spans[i].axis[0] = axis.x;
    spans[i].axis[1] = axis.y;
    spans[i].axis[2] = axis.z;
    memcpy(spans[i].turn, turns[i].m, 9 * sizeof(double));
  }
  return brink_ok;
}

static brinkStatus addPolar(brinkContext *context, brinkInverseMotion *motion, const double *times,
                            const double *values, size_t count) {
  double *shifts = brinkAllocate(context, 24 * count * sizeof(double)),
         *stretches = shifts != NULL ? shifts + 12 * count : NULL;
  brinkMat3 *turns = brinkAllocate(context, count * sizeof *turns);
  brinkStatus status =
      shifts != NULL && turns != NULL ? brink_ok : brinkFail(context, brink_errorNoMemory, "no memory for keys");
  for (size_t i = 0; i < count && status == brink_ok; ++i) {
    const double *m = values + 12 * i;
    turns[i] = polarRotation(m);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 4; ++c) {
        double s = 0.0;
        for (int k = 0; k < 3 && c < 3; ++k) s += turns[i].m[k][r] * m[4 * k + c];
        stretches[12 * i + (size_t)(4 * r + c)] = s;
        shifts[12 * i + (size_t)(4 * r + c)] = c == 3 ? m[4 * r + 3] : r == c ? 1.0 : 0.0;
      }
  }
  bool rigid = true; /* stretches are the identity up to rounding: leave the factor out */
  for (size_t i = 0; i < 12 * count && status == brink_ok; ++i)
    rigid = rigid && fabs(stretches[i] - (i % 12 % 5 == 0 ? 1.0 : 0.0)) < 1e-12;
  if (status == brink_ok) status = addBlend(context, motion, times, shifts, count, true, true);
  if (status == brink_ok) status = addTurns(context, motion, times, turns, count);
  if (status == brink_ok && !rigid) status = addBlend(context, motion, times, stretches, count, true, false);
  brinkRelease(context, shifts, 24 * count * sizeof(double));
  brinkRelease(context, turns, count * sizeof *turns);
  return status;
}

static brinkStatus checkKeys(brinkContext *context, const double *times, const double *matrices, size_t count,
                             const char *name) {
  if (count < 2) return brinkFail(context, brink_errorEmpty, "%s: %zu keys; at least 2 are needed", name, count);
  for (size_t i = 0; i < count; ++i) {
    if (!isfinite(times[i]))
      return brinkFail(context, brink_errorBadTime, "%s: the time of key %zu is not finite", name, i);
    if (i > 0 && !(times[i] - times[i - 1] >= 1e-6))
      return brinkFail(context, brink_errorBadTime,
                       "%s: key %zu at %g does not come 1e-6 after key %zu at %g; sort them", name, i, times[i], i - 1,
                       times[i - 1]);
    brinkStatus status = checkMatrix(context, matrices + 16 * i, name, "key", i);
    if (status != brink_ok) return status;
    if (det3(matrices + 16 * i, 4) * det3(matrices, 4) < 0.0)
      return brinkFail(context, brink_errorBadValue,
                       "%s: key %zu is mirrored against key 0: the body would be flattened between", name, i);
  }
  if (times[0] != 0.0 || times[count - 1] != 1.0)
    return brinkFail(context, brink_errorBadTime, "%s: keys run from %g to %g; they must run from 0 to 1", name,
                     times[0], times[count - 1]);
  return brink_ok;
}

brinkStatus brinkInverseMotion_AddKeys(brinkContext *context, brinkInverseMotion *motion, const double *times,
                                       const double *matrices, size_t count, brinkKeyBlend blend, const char *name) {
  brinkStatus status = checkKeys(context, times, matrices, count, name);
  if (status != brink_ok) return status;
  if (blend == brink_blendPolar && det3(matrices, 4) < 0.0)
    return brinkFail(context, brink_errorBadRotation, "%s: mirrored keys have no rotation; blend their entries", name);
  double *values = brinkAllocate(context, 12 * count * sizeof(double));
  if (values == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %zu keys", count);
  for (size_t i = 0; i < count; ++i) memcpy(values + 12 * i, matrices + 16 * i, 12 * sizeof(double));
  size_t before = motion->count;
  status = blend == brink_blendPolar
               ? addPolar(context, motion, times, values, count)
               : addBlend(context, motion, times, values, count, blend == brink_blendCubic, false);
  brinkRelease(context, values, 12 * count * sizeof(double));
  while (status != brink_ok && motion->count > before) {
    brinkInverseFactor *factor = &motion->factors[--motion->count];
    brinkRelease(context, factor->spans, factor->count * sizeof *factor->spans);
  }
  return status;
}

/* ---- regularity */

/* Is the determinant of the factor proven away from 0 on [l,u]? */
static bool isRegular(const brinkInverseFactor *factor, double l, double u) {
  jetMatrix jets;
  jet cofactors[9];
  factorJets(factor, l, u, 0.5 * (l + u), 0, false, &jets);
  jetCofactors(&jets, cofactors, 0);
  ball det = jetDeterminant(&jets, cofactors, 0).c[0];
  return fabs(det.m) > det.r * (1.0 + 4.0 * DBL_EPSILON);
}

static bool factorIsRegular(const brinkInverseFactor *factor, double *where) {
  double ends[128];
  size_t cells = 0;
  for (size_t i = 0; i < factor->count; ++i) {
    double at = factor->spans[i].t0;
    size_t count = 0;
    ends[count++] = i + 1 < factor->count ? factor->spans[i + 1].t0 : 1.0;
    while (count > 0) {
      double u = ends[count - 1];
      if (isRegular(factor, at, u)) {
        at = u;
        --count;
      } else if (!isRegular(factor, at, at) || !isRegular(factor, u, u)) {
        *where = isRegular(factor, at, at) ? u : at;
        return false;
      } else if (u - at < REGULAR_WIDTH || count == sizeof ends / sizeof ends[0] || ++cells > REGULAR_CELLS) {
        *where = 0.5 * (at + u);
        return false;
      } else {
        ends[count++] = 0.5 * (at + u);
      }
    }
  }
  return true;
}

bool brinkInverseMotion_IsRegular(const brinkInverseMotion *motion, double *where) {
  bool regular = true;
  for (size_t i = 0; i < motion->count && regular; ++i) {
    const brinkInverseFactor *factor = &motion->factors[i];
    if (!factor->translation && factor->spans[0].kind != brink_spanRotation) regular = factorIsRegular(factor, where);
  }
  return regular;
}

brinkStatus brinkInverseMotion_CheckRegular(brinkContext *context, const brinkInverseMotion *motion, const char *name) {
  double where = 0.0;
  if (brinkInverseMotion_IsRegular(motion, &where)) return brink_ok;
  return brinkFail(context, brink_errorBadValue,
                   "%s: the matrix is singular (or not provably regular) near t = %.9g; a body may not be flattened",
                   name, where);
}
