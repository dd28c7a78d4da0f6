/* SPDX-License-Identifier: BSD-3-Clause */
/* Poses and interval jets of stages and chains of stages.
 *
 *   E(s w) = I + S(s) hat(w) + C(s) hat(w)^2,   S = sin(th s)/th, C = (1 - cos(th s))/th^2, th = |w|
 *   S' = cos, S'' = -th sin;  C' = sin/th, C'' = cos          (s linear in t: chain rule by its rate)
 *   ode: with u: R = [(1 - q) I + 2 t hat(u) + 2 t^2 u u^T] / (1 + q), q = t^2 |u|^2 (rational, no angles)
 *   bezier: f = N/W, P = N - fc W fc = f at the ends, their mean: f - fc = P/W, f' = (P' - (f-fc) W')/W,
 *           f'' = (P'' - 2 f' W' - (f-fc) W'')/W; ranges of P/W, P', P'', W, W', W'' by the control points of the part.
 * Based on: theory D1.1, D3, D4.6. */
#include "motion_curve.h"

#include "path.h"

#define EPS DBL_EPSILON

static const brinkVec3 zero = {0, 0, 0};
static const brinkInterval nothing = {0, 0};

/* As interval_arithmetic.h has them, but exact zeros stay exact. Widening by TINY: products of what is left of zeros do
 * not become subnormal, which is slow. */
#define TINY 1e-290
static brinkInterval point(double x) { return (brinkInterval){x, x}; }
static inline brinkInterval outward(double lo, double hi) {
  brinkInterval r = {lo - (fabs(lo) * (2.0 * EPS) + TINY), hi + (fabs(hi) * (2.0 * EPS) + TINY)};
  return fabs(r.lo) <= DBL_MAX && fabs(r.hi) <= DBL_MAX ? r : (brinkInterval){-HUGE_VAL, HUGE_VAL};
}
static inline bool isZero(brinkInterval a) { return a.lo == 0.0 && a.hi == 0.0; }
static inline brinkInterval add(brinkInterval a, brinkInterval b) {
  if (isZero(a)) return b;
  if (isZero(b)) return a;
  return outward(a.lo + b.lo, a.hi + b.hi);
}
static inline brinkInterval mul(brinkInterval a, brinkInterval b) {
  if (isZero(a) || isZero(b)) return nothing;
  double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  if (!(fabs(p) + fabs(q) + fabs(r) + fabs(s) <= DBL_MAX)) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  return outward(BRINK_MIN(BRINK_MIN(p, q), BRINK_MIN(r, s)), BRINK_MAX(BRINK_MAX(p, q), BRINK_MAX(r, s)));
}
static inline brinkInterval scale(brinkInterval a, double s) {
  if (s == 0.0) return nothing;
  return s < 0.0 ? outward(a.hi * s, a.lo * s) : outward(a.lo * s, a.hi * s);
}

/* ---- jets */

static brinkJet constant(double x) { return (brinkJet){point(x), nothing, nothing}; }
static inline brinkJet addJets(brinkJet a, brinkJet b) {
  return (brinkJet){add(a.v, b.v), add(a.d, b.d), add(a.dd, b.dd)};
}
static inline brinkJet mulJets(brinkJet a, brinkJet b) {
  return (brinkJet){mul(a.v, b.v), add(mul(a.d, b.v), mul(a.v, b.d)),
                    add(add(mul(a.dd, b.v), scale(mul(a.d, b.d), 2.0)), mul(a.v, b.dd))};
}
static inline brinkJet scaleJet(brinkJet a, double s) {
  return (brinkJet){scale(a.v, s), scale(a.d, s), scale(a.dd, s)};
}
static brinkJet divJets(brinkJet a, brinkJet b) {
  brinkJet q;
  q.v = brinkInterval_Div(a.v, b.v);
  q.d = brinkInterval_Div(brinkInterval_Sub(a.d, mul(q.v, b.d)), b.v);
  q.dd = brinkInterval_Div(brinkInterval_Sub(brinkInterval_Sub(a.dd, scale(mul(q.d, b.d), 2.0)), mul(q.v, b.dd)), b.v);
  return q;
}

static void constantMap(const brinkMat3 *r, brinkVec3 p, brinkJetMap *out) {
  const double at[3] = {p.x, p.y, p.z};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out->m[i][j] = constant(r->m[i][j]);
    out->m[i][3] = constant(at[i]);
  }
}

/* a := a b, values alone */
static void composeValues(brinkJetMap *a, const brinkJetMap *b) {
  for (int i = 0; i < 3; ++i) {
    const brinkInterval row[3] = {a->m[i][0].v, a->m[i][1].v, a->m[i][2].v};
    for (int j = 0; j < 4; ++j) {
      brinkInterval sum = add(add(mul(row[0], b->m[0][j].v), mul(row[1], b->m[1][j].v)), mul(row[2], b->m[2][j].v));
      a->m[i][j].v = j == 3 ? add(sum, a->m[i][3].v) : sum;
    }
  }
}

/* a := a b */
static void composeMaps(brinkJetMap *a, const brinkJetMap *b) {
  brinkJetMap c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      brinkJet sum = mulJets(a->m[i][0], b->m[0][j]);
      for (int k = 1; k < 3; ++k) sum = addJets(sum, mulJets(a->m[i][k], b->m[k][j]));
      c.m[i][j] = j == 3 ? addJets(sum, a->m[i][3]) : sum;
    }
  *a = c;
}

#define TINY_SPIN 1e-100 /* squares of smaller ones leave the normal numbers */

/* E(s w) for s in `at`, which changes at the constant rate `rate` (1/rate exact enough as an interval). The axis of a
 * tiny w is taken of w times a power of two, which is exact. */
static void rotationJets(brinkVec3 w, brinkInterval at, brinkInterval rate, brinkJet out[3][3]) {
  double most = fmax(fabs(w.x), fmax(fabs(w.y), fabs(w.z)));
  int shift = 0;
  if (most > 0.0 && most < TINY_SPIN) frexp(most, &shift);
  if (shift != 0) w = brinkV3(ldexp(w.x, -shift), ldexp(w.y, -shift), ldexp(w.z, -shift));
  const double x[3] = {w.x, w.y, w.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = constant(i == j ? 1.0 : 0.0);
  if (w.x == 0.0 && w.y == 0.0 && w.z == 0.0) return;
  brinkInterval square =
      add(add(brinkInterval_Sqr(point(w.x)), brinkInterval_Sqr(point(w.y))), brinkInterval_Sqr(point(w.z)));
  brinkInterval angle = brinkInterval_Sqrt(square);
  if (shift != 0) { /* E(s w) = E((2^shift s) (w/2^shift)) */
    at = scale(at, ldexp(1.0, shift));
    rate = scale(rate, ldexp(1.0, shift));
  }
  brinkInterval phase = mul(angle, at), half = scale(phase, 0.5);
  brinkInterval sine = brinkInterval_Sin(phase), cosine = brinkInterval_Cos(phase), rate2 = mul(rate, rate);
  brinkInterval versine = scale(brinkInterval_Sqr(brinkInterval_Sin(half)), 2.0);
  brinkJet s = {brinkInterval_Div(sine, angle), mul(cosine, rate), scale(mul(mul(angle, sine), rate2), -1.0)};
  brinkJet c = {brinkInterval_Div(versine, square), mul(brinkInterval_Div(sine, angle), rate), mul(cosine, rate2)};
  const double hat[3][3] = {{0, -x[2], x[1]}, {x[2], 0, -x[0]}, {-x[1], x[0], 0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) { /* hat^2 = w w^T - |w|^2 I */
      brinkInterval twice = brinkInterval_Mul(point(x[i]), point(x[j]));
      if (i == j) twice = brinkInterval_Sub(twice, square);
      brinkJet second = {mul(c.v, twice), mul(c.d, twice), mul(c.dd, twice)};
      out[i][j] = addJets(out[i][j], addJets(scaleJet(s, hat[i][j]), second));
    }
}

static void turnRows(const brinkJet turn[3][3], const brinkMat3 *r, brinkJetMap *out) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      out->m[i][j] = scaleJet(turn[i][0], r->m[0][j]);
      for (int k = 1; k < 3; ++k) out->m[i][j] = addJets(out->m[i][j], scaleJet(turn[i][k], r->m[k][j]));
    }
}

/* ---- stages */

static void turnJets(const brinkMotionStage *stage, brinkInterval t, bool values, brinkJetMap *out) {
  const double p[3] = {stage->point.x, stage->point.y, stage->point.z},
               arm[3] = {stage->arm.x, stage->arm.y, stage->arm.z};
  const double v[3] = {stage->velocity.x, stage->velocity.y, stage->velocity.z};
  brinkJet turn[3][3];
  rotationJets(stage->spin, t, values ? nothing : point(1.0), turn); /* without a rate, values alone come out */
  turnRows((const brinkJet(*)[3])turn, &stage->rotation, out);
  for (int i = 0; i < 3; ++i) {
    out->m[i][3] = (brinkJet){add(point(p[i]), scale(t, v[i])), point(v[i]), nothing};
    for (int k = 0; k < 3; ++k) out->m[i][3] = addJets(out->m[i][3], scaleJet(turn[i][k], arm[k]));
  }
}

static void odeJets(const brinkMotionStage *stage, brinkInterval t, brinkJetMap *out) {
  const double p[3] = {stage->point.x, stage->point.y, stage->point.z};
  const double v[3] = {stage->velocity.x, stage->velocity.y, stage->velocity.z};
  const double u[3] = {stage->spin.x, stage->spin.y, stage->spin.z};
  const double hat[3][3] = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
  brinkJet time = {t, point(1.0), nothing}, square = {brinkInterval_Sqr(t), scale(t, 2.0), point(2.0)};
  brinkInterval length2 =
      add(add(brinkInterval_Sqr(point(u[0])), brinkInterval_Sqr(point(u[1]))), brinkInterval_Sqr(point(u[2])));
  brinkJet q = {mul(square.v, length2), mul(square.d, length2), mul(square.dd, length2)};
  brinkJet below = addJets(constant(1.0), q), turn[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) { /* R - I: 2 [t hat + t^2 (u u^T - |u|^2 I)] / (1 + q) */
      brinkInterval twice = brinkInterval_Mul(point(u[i]), point(u[j]));
      if (i == j) twice = brinkInterval_Sub(twice, length2);
      brinkJet above = addJets(scaleJet(time, 2.0 * hat[i][j]),
                               (brinkJet){scale(mul(square.v, twice), 2.0), scale(mul(square.d, twice), 2.0),
                                          scale(mul(square.dd, twice), 2.0)});
      turn[i][j] = addJets(constant(i == j ? 1.0 : 0.0), divJets(above, below));
    }
  turnRows((const brinkJet(*)[3])turn, &stage->rotation, out);
  for (int i = 0; i < 3; ++i) out->m[i][3] = (brinkJet){add(point(p[i]), scale(t, v[i])), point(v[i]), nothing};
}

/* The piece that holds [t0,t1]. */
static int32_t pieceOf(const brinkMotionStage *stage, double t0, double t1) {
  int32_t low = 0, high = stage->count - 2;
  while (low < high) {
    int32_t middle = (low + high + 1) / 2;
    if (stage->keys[middle].time < t1 || (stage->keys[middle].time == t1 && stage->keys[middle].time <= t0))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* On the piece that holds `during`, of which [t0,t1] is a part. */
static void splineJets(const brinkMotionStage *stage, const double during[2], double t0, double t1, brinkJetMap *out) {
  const brinkStageKey *a = &stage->keys[pieceOf(stage, during[0], during[1])], *b = a + 1;
  const double pa[3] = {a->position.x, a->position.y, a->position.z},
               pb[3] = {b->position.x, b->position.y, b->position.z};
  const double ma[3] = {a->slope.x, a->slope.y, a->slope.z}, mb[3] = {b->slope.x, b->slope.y, b->slope.z};
  brinkInterval d = brinkInterval_Sub(point(b->time), point(a->time)), rate = brinkInterval_Div(point(1.0), d);
  brinkInterval at = brinkInterval_Div(brinkInterval_Sub((brinkInterval){t0, t1}, point(a->time)), d);
  at = (brinkInterval){BRINK_MIN(BRINK_MAX(at.lo, 0.0), 1.0), BRINK_MIN(BRINK_MAX(at.hi, 0.0), 1.0)};
  brinkJet turn[3][3], s = {at, rate, nothing}, r = {brinkInterval_Sub(point(1.0), at), scale(rate, -1.0), nothing};
  rotationJets(a->turn, at, rate, turn);
  turnRows((const brinkJet(*)[3])turn, &a->rotation, out);
  brinkJet s2 = mulJets(s, s), r2 = mulJets(r, r), width = {d, nothing, nothing};
  brinkJet toB = mulJets(s2, addJets(constant(3.0), scaleJet(s, -2.0)));
  brinkJet out0 = mulJets(width, mulJets(s, r2)), out1 = mulJets(width, mulJets(s2, r));
  for (int i = 0; i < 3; ++i) { /* pa + (pb - pa) toB + d ma s r^2 - d mb s^2 r */
    brinkInterval step = brinkInterval_Sub(point(pb[i]), point(pa[i]));
    brinkJet whole = addJets(constant(pa[i]), (brinkJet){mul(step, toB.v), mul(step, toB.d), mul(step, toB.dd)});
    out->m[i][3] = addJets(whole, addJets(scaleJet(out0, ma[i]), scaleJet(out1, -mb[i])));
  }
}

void brinkBezier_Part(const brinkMotionStage *stage, double t0, double t1, double part[][13]) {
  int n = stage->count - 1;
  double work[BRINK_CURVE_MAX_DEGREE + 1][13];
  memcpy(work, stage->controls, sizeof(double) * 13 * (size_t)stage->count);
  for (int size = n; size > 0 && t0 > 0.0; --size)
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < 13; ++c) work[i][c] = (1 - t0) * work[i][c] + t0 * work[i + 1][c];
  double s = t0 < 1.0 ? (t1 - t0) / (1.0 - t0) : 1.0;
  if (s > 1.0) s = 1.0;
  for (int size = n; size >= 0; --size) {
    memcpy(part[n - size], work[0], sizeof work[0]);
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < 13; ++c) work[i][c] = (1 - s) * work[i][c] + s * work[i + 1][c];
  }
}

static brinkInterval hullOf(const double *values, int count, double error) {
  brinkInterval hull = {values[0], values[0]};
  for (int i = 1; i < count; ++i) {
    hull.lo = BRINK_MIN(hull.lo, values[i]);
    hull.hi = BRINK_MAX(hull.hi, values[i]);
  }
  return (brinkInterval){brinkDown(hull.lo - error), brinkUp(hull.hi + error)};
}

/* Ranges of a polynomial and its first two derivatives from Bernstein coefficients, each off by at most error. */
static brinkJet bernsteinJet(const double *c, int n, double width, double error) {
  double first[BRINK_CURVE_MAX_DEGREE + 1], second[BRINK_CURVE_MAX_DEGREE + 1], size = 0.0;
  brinkJet out = {hullOf(c, n + 1, error), nothing, nothing};
  for (int i = 0; i <= n; ++i) size = BRINK_MAX(size, fabs(c[i]));
  double slack = 2.0 * error + 4.0 * EPS * size;
  for (int i = 0; i < n; ++i) first[i] = c[i + 1] - c[i];
  for (int i = 0; i + 1 < n; ++i) second[i] = first[i + 1] - first[i];
  if (n >= 1) out.d = brinkInterval_Div(scale(hullOf(first, n, slack), n), point(width));
  if (n >= 2)
    out.dd = brinkInterval_Div(
        brinkInterval_Div(scale(hullOf(second, n - 1, 2.0 * slack), (double)n * (n - 1)), point(width)), point(width));
  return out;
}

/* Narrower parts are widened to this: differences of rounded control points would say nothing. Derivatives over a wider
 * interval still hold. */
#define NARROWEST 0x1p-20

static void bezierJets(const brinkMotionStage *stage, double t0, double t1, brinkJetMap *out) {
  int n = stage->count - 1;
  double part[BRINK_CURVE_MAX_DEGREE + 1][13], column[BRINK_CURVE_MAX_DEGREE + 1];
  if (t1 - t0 < NARROWEST) {
    double m = 0.5 * (t0 + t1);
    t0 = BRINK_MAX(0.0, BRINK_MIN(BRINK_MIN(t0, m - 0.5 * NARROWEST), 1.0 - NARROWEST));
    t1 = BRINK_MIN(1.0, BRINK_MAX(t1, t0 + NARROWEST));
  }
  brinkBezier_Part(stage, t0, t1, part);
  double width = t1 - t0, heaviest = 0.0;
  for (int i = 0; i <= n; ++i) heaviest = BRINK_MAX(heaviest, stage->controls[13 * i]);
  double weightError = BRINK_BEZIER_PART_ERROR * heaviest;
  for (int i = 0; i <= n; ++i) column[i] = part[i][0];
  brinkJet weight = bernsteinJet(column, n, width, weightError);
  for (int c = 1; c < 13; ++c) {
    double centre = 0.5 * (part[0][c] / part[0][0] + part[n][c] / part[n][0]), size = 0.0;
    for (int i = 0; i <= n; ++i) size = BRINK_MAX(size, fabs(stage->controls[13 * i + c]));
    double error = BRINK_BEZIER_PART_ERROR * (size + fabs(centre) * heaviest) + 4.0 * EPS * fabs(centre) * heaviest;
    for (int i = 0; i <= n; ++i) column[i] = part[i][c] - centre * part[i][0];
    brinkJet p = bernsteinJet(column, n, width, error), f = divJets(p, weight);
    f.v = add(f.v, point(centre));
    out->m[c < 10 ? (c - 1) / 3 : c - 10][c < 10 ? (c - 1) % 3 : 3] = f;
  }
}

/* At one time: de Casteljau in doubles, its rounding added. */
static void bezierValues(const brinkMotionStage *stage, double t, brinkJetMap *out) {
  double part[BRINK_CURVE_MAX_DEGREE + 1][13], size[13] = {0};
  brinkBezier_Part(stage, t, t, part);
  for (int i = 0; i < stage->count; ++i)
    for (int c = 0; c < 13; ++c) size[c] = BRINK_MAX(size[c], fabs(stage->controls[13 * i + c]));
  double weightError = BRINK_BEZIER_PART_ERROR * size[0];
  brinkInterval below = {brinkDown(part[0][0] - weightError), brinkUp(part[0][0] + weightError)};
  for (int c = 1; c < 13; ++c) {
    double error = BRINK_BEZIER_PART_ERROR * size[c];
    brinkInterval above = {brinkDown(part[0][c] - error), brinkUp(part[0][c] + error)};
    out->m[c < 10 ? (c - 1) / 3 : c - 10][c < 10 ? (c - 1) % 3 : 3].v = brinkInterval_Div(above, below);
  }
}

static void stageJets(const brinkMotionStage *stage, const double during[2], double t0, double t1, bool values,
                      brinkJetMap *out) {
  const brinkInterval t = {t0, t1};
  switch (stage->kind) {
    case brink_stageOde:
      odeJets(stage, t, out);
      break;
    case brink_stageSpline:
      splineJets(stage, during, t0, t1, out);
      break;
    case brink_stageBezier:
      bezierJets(stage, t0, t1, out);
      break;
    default:
      turnJets(stage, t, values, out);
      break;
  }
}

static bool atRest(const brinkMotionStage *stage) {
  return stage->kind == brink_stageTurn && stage->spin.x == 0.0 && stage->spin.y == 0.0 && stage->spin.z == 0.0 &&
         stage->velocity.x == 0.0 && stage->velocity.y == 0.0 && stage->velocity.z == 0.0 && stage->arm.x == 0.0 &&
         stage->arm.y == 0.0 && stage->arm.z == 0.0;
}

/* ---- chains that come again */

#define KEPT_CHAINS 1024u

typedef struct ChainKey { /* eight bytes each: compared bit by bit */
  uint64_t before;        /* the id of all stages but the last; 0: none */
  uint64_t what;          /* the last one's kind; values or jets */
  double t0, t1, last[21];
} ChainKey;

struct brinkKeptChains {
  uint64_t count; /* ids given so far */
  struct KeptChain {
    ChainKey key;
    uint64_t id; /* 0: not known yet */
    brinkJetMap at;
  } chains[KEPT_CHAINS];
};

brinkStatus brinkKeptChains_Make(brinkContext *context, struct brinkKeptChains **out) {
  *out = brinkAllocateZeroed(context, 1, sizeof **out);
  return *out != NULL ? brink_ok : brinkFail(context, brink_errorNoMemory, "no memory for %u chains", KEPT_CHAINS);
}

void brinkKeptChains_Destroy(brinkContext *context, struct brinkKeptChains *kept) {
  if (kept != NULL) brinkRelease(context, kept, sizeof *kept);
}

static struct KeptChain *findChain(struct brinkKeptChains *kept, uint64_t before, const brinkMotionStage *last,
                                   double t0, double t1, bool values) {
  ChainKey key = {.before = before, .what = 2u * last->kind + (values ? 1u : 0u), .t0 = t0, .t1 = t1};
  const brinkVec3 vectors[4] = {last->point, last->velocity, last->spin, last->arm};
  uint64_t words[sizeof key / sizeof(uint64_t)], hash = 0;
  memcpy(key.last, vectors, sizeof vectors);
  memcpy(key.last + 12, last->rotation.m, sizeof last->rotation.m);
  memcpy(words, &key, sizeof key);
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    hash = (hash ^ words[i]) * 11400714819323198485u;
    hash ^= hash >> 32;
  }
  struct KeptChain *chain = &kept->chains[hash % KEPT_CHAINS];
  if (memcmp(&chain->key, &key, sizeof key) != 0) {
    chain->key = key;
    chain->id = 0;
  }
  return chain;
}

static void oneStage(const brinkMotionStage *stage, const double during[2], double t0, double t1, bool values,
                     brinkJetMap *out) {
  memset(out, 0, sizeof *out);
  if (atRest(stage))
    constantMap(&stage->rotation, stage->point, out);
  else if (values && stage->kind == brink_stageBezier)
    bezierValues(stage, t0, out);
  else
    stageJets(stage, during, t0, t1, values, out);
}

static void composeChain(const brinkMotionCurve *curve, const double during[2], double t0, double t1, bool values,
                         brinkJetMap *out) {
  const brinkMat3 identity = brinkIdentity3();
  const brinkJetMap *sofar = NULL; /* NULL: it is in `out` */
  struct brinkKeptChains *kept = curve->kept;
  uint64_t before = 0;
  if (curve->count == 0) constantMap(&identity, zero, out);
  for (size_t i = 0; i < curve->count; ++i) {
    const brinkMotionStage *stage = &curve->stages[i];
    brinkJetMap one;
    if (stage->kind != brink_stageTurn && stage->kind != brink_stageOde)
      kept = NULL; /* depends on more than the times */
    struct KeptChain *chain = kept != NULL ? findChain(kept, before, stage, t0, t1, values) : NULL;
    if (chain != NULL && chain->id != 0) {
      sofar = &chain->at;
      before = chain->id;
      continue;
    }
    if (sofar != NULL) *out = *sofar;
    sofar = NULL;
    oneStage(stage, during, t0, t1, values, &one);
    if (i == 0)
      *out = one;
    else if (values)
      composeValues(out, &one);
    else
      composeMaps(out, &one);
    if (chain == NULL) continue;
    chain->at = *out;
    chain->id = before = ++kept->count;
  }
  if (sofar != NULL) *out = *sofar;
}

void brinkMotionCurve_Jets(const brinkMotionCurve *curve, double t0, double t1, brinkJetMap *out) {
  composeChain(curve, (const double[2]){t0, t1}, t0, t1, false, out);
}

void brinkMotionCurve_Values(const brinkMotionCurve *curve, double t, brinkJetMap *out) {
  composeChain(curve, (const double[2]){t, t}, t, t, true, out);
}

void brinkMotionCurve_EndValues(const brinkMotionCurve *curve, double t0, double t1, brinkJetMap *out) {
  composeChain(curve, (const double[2]){t0, t1}, t1, t1, true, out);
}

brinkDisplacement brinkMotionCurve_At(const brinkMotionCurve *curve, double t) {
  brinkJetMap jets;
  brinkMotionCurve_Values(curve, t, &jets);
  brinkDisplacement out;
  double p[3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out.r.m[i][j] = 0.5 * (jets.m[i][j].v.lo + jets.m[i][j].v.hi);
    p[i] = 0.5 * (jets.m[i][3].v.lo + jets.m[i][3].v.hi);
  }
  out.p = brinkV3_FromArray(p);
  return out;
}

double brinkMotionCurve_NextKey(const brinkMotionCurve *curve, double t, double tEnd) {
  for (size_t i = 0; i < curve->count; ++i)
    for (int32_t k = 0; curve->stages[i].kind == brink_stageSpline && k < curve->stages[i].count; ++k) {
      double key = curve->stages[i].keys[k].time;
      if (key > t && key < tEnd) tEnd = key;
    }
  return tEnd;
}

const brinkMotionStage *brinkMotionCurve_Bezier(const brinkMotionCurve *curve) {
  return curve->count == 1 && curve->stages[0].kind == brink_stageBezier ? &curve->stages[0] : NULL;
}

/* ---- rational motions */

static double binomial(int n, int k) {
  double value = 1.0;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

bool brinkMakeRationalMotion(const brinkQuat *quats, int32_t quatCount, const brinkVec3 *places, double *controls) {
  int n = quatCount - 1;
  if (n < 0 || 2 * n > BRINK_CURVE_MAX_DEGREE) return false;
  for (int k = 0; k <= 2 * n; ++k) {
    double *c = &controls[13 * k];
    memset(c, 0, 13 * sizeof *c);
    for (int i = k > n ? k - n : 0; i <= n && i <= k; ++i) {
      brinkQuat a = quats[i], b = quats[k - i];
      double f = binomial(n, i) * binomial(n, k - i) / binomial(2 * n, k);
      c[0] += f * (a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
      /* polar form of |q|^2 R(q), symmetric in a and b */
      double ww = a.w * b.w, xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z, xy = a.x * b.y + a.y * b.x,
             xz = a.x * b.z + a.z * b.x, yz = a.y * b.z + a.z * b.y, wx = a.w * b.x + a.x * b.w,
             wy = a.w * b.y + a.y * b.w, wz = a.w * b.z + a.z * b.w;
      const double r[9] = {ww + xx - yy - zz, xy - wz, xz + wy, xy + wz,          ww - xx + yy - zz,
                           yz - wx,           xz - wy, yz + wx, ww - xx - yy + zz};
      for (int e = 0; e < 9; ++e) c[1 + e] += f * r[e];
    }
    if (!(c[0] > 0.0)) return false;
    c[10] = c[0] * places[k].x;
    c[11] = c[0] * places[k].y;
    c[12] = c[0] * places[k].z;
  }
  return true;
}

/* ---- from a tree of links */

brinkMotionStage brinkMakeRestStage(const brinkDisplacement *place) {
  brinkMotionStage stage;
  memset(&stage, 0, sizeof stage);
  stage.kind = brink_stageTurn;
  stage.point = place->p;
  stage.rotation = place->r;
  return stage;
}

static brinkMotionStage stageOfPath(const brinkPath *path, brinkStageKey *keys) {
  brinkMotionStage stage;
  memset(&stage, 0, sizeof stage);
  stage.rotation = path->turn.r0;
  stage.velocity = path->advance;
  switch (path->kind) {
    case brink_pathScrew:
      stage.kind = brink_stageTurn;
      stage.point = path->point;
      stage.arm = path->arm;
      stage.spin = path->turn.w;
      break;
    case brink_pathOdeStep:
      stage.kind = brink_stageOde;
      stage.point = path->start;
      stage.spin = brinkScale(path->turn.axis, path->rate);
      break;
    case brink_pathSpline:
      stage.kind = brink_stageSpline;
      stage.count = path->count;
      stage.keys = keys;
      for (int32_t i = 0; keys != NULL && i < path->count; ++i) {
        const brinkPathKey *key = &path->keys[i];
        bool last = i + 1 == path->count;
        brinkMat3 r = last ? brinkMat3_FromQuat(key->rotation) : key->turn.r0;
        keys[i] = (brinkStageKey){key->time, key->position, key->slope, r, last ? zero : key->turn.w};
      }
      break;
    default:
      stage.kind = brink_stageBezier;
      stage.count = path->count;
      stage.controls = path->controls;
      break;
  }
  return stage;
}

bool brinkMotionTree_Stages(const brinkMotionTree *tree, int32_t link, int32_t ancestor, brinkMotionStage *stages,
                            size_t *stageCount, brinkStageKey *keys, size_t *keyCount) {
  size_t count = 0, keysUsed = 0;
  for (int32_t j = link; j >= 0 && j != ancestor; j = tree->links[j].parent) {
    const brinkPath *path = tree->links[j].path;
    if (path != NULL && path->kind == brink_pathUser) return false;
    bool moved = path != NULL && (path->offset.x != 0.0 || path->offset.y != 0.0 || path->offset.z != 0.0);
    count += moved ? 2 : 1;
    if (path != NULL && path->kind == brink_pathSpline) keysUsed += (size_t)path->count;
  }
  *stageCount = count;
  *keyCount = keysUsed;
  if (stages == NULL) return true;
  keysUsed = 0;
  for (int32_t j = link; j >= 0 && j != ancestor; j = tree->links[j].parent) {
    const brinkLinkMotion *motion = &tree->links[j];
    const brinkPath *path = motion->path;
    brinkMotionStage *stage = &stages[--count];
    if (path == NULL) {
      *stage = brinkMakeRestStage(&(brinkDisplacement){motion->r0, motion->t0});
      stage->velocity = motion->v;
      stage->spin = motion->w;
      continue;
    }
    *stage = stageOfPath(path, keys != NULL ? keys + keysUsed : NULL);
    if (path->kind == brink_pathSpline) keysUsed += (size_t)path->count;
    if (path->offset.x != 0.0 || path->offset.y != 0.0 || path->offset.z != 0.0)
      stages[--count] = brinkMakeRestStage(&(brinkDisplacement){brinkIdentity3(), path->offset});
  }
  return true;
}

/* ---- inverses */

/* Of a spline or Bezier stage: x -> R(t)^T x, then x -> x - T(t). */
static void invertKeys(const brinkMotionStage *stage, brinkStageKey *turn, brinkStageKey *shift) {
  for (int32_t i = 0; i < stage->count; ++i) {
    const brinkStageKey *key = &stage->keys[i];
    brinkMat3 back = brinkTranspose(&key->rotation); /* R^T E(-s w) = E(-s R^T w) R^T */
    turn[i] = (brinkStageKey){key->time, zero, zero, back, brinkNeg(brinkMulMV(&back, key->turn))};
    shift[i] = (brinkStageKey){key->time, brinkNeg(key->position), brinkNeg(key->slope), brinkIdentity3(), zero};
  }
}

static void invertControls(const brinkMotionStage *stage, double *turn, double *shift) {
  memset(turn, 0, 13 * (size_t)stage->count * sizeof *turn);
  memset(shift, 0, 13 * (size_t)stage->count * sizeof *shift);
  for (int32_t i = 0; i < stage->count; ++i) {
    const double *from = &stage->controls[13 * i];
    turn[13 * i] = shift[13 * i] = from[0];
    for (int k = 0; k < 9; ++k) turn[13 * i + 1 + k] = from[1 + 3 * (k % 3) + k / 3];
    for (int k = 0; k < 3; ++k) {
      shift[13 * i + 1 + 4 * k] = from[0];
      shift[13 * i + 10 + k] = -from[10 + k];
    }
  }
}

/* T = p + t v + E(t w) a, E(t w) R:   x -> R^T x after x -> E(-t w) x - a after x -> x - p - t v */
static size_t invertTurn(const brinkMotionStage *stage, brinkMotionStage *out) {
  size_t count = 0;
  if (stage->rotation.m[0][0] != 1.0 || stage->rotation.m[1][1] != 1.0 || stage->rotation.m[2][2] != 1.0)
    out[count++] = brinkMakeRestStage(&(brinkDisplacement){brinkTranspose(&stage->rotation), zero});
  brinkMotionStage turn = brinkMakeRestStage(&(brinkDisplacement){brinkIdentity3(), brinkNeg(stage->arm)}),
                   shift = turn;
  turn.kind = stage->kind;
  turn.spin = brinkNeg(stage->spin);
  shift.point = brinkNeg(stage->point);
  shift.velocity = brinkNeg(stage->velocity);
  if (brinkLengthSquared(stage->spin) > 0.0 || brinkLengthSquared(stage->arm) > 0.0) out[count++] = turn;
  out[count++] = shift;
  return count;
}

size_t brinkInvertStages(const brinkMotionStage *stages, size_t count, brinkMotionStage *out, brinkStageKey *keys,
                         double *controls) {
  size_t made = 0;
  for (size_t i = count; i-- > 0;) {
    const brinkMotionStage *stage = &stages[i];
    if (stage->kind == brink_stageTurn || stage->kind == brink_stageOde) {
      made += invertTurn(stage, &out[made]);
      continue;
    }
    out[made] = out[made + 1] = *stage;
    if (stage->kind == brink_stageSpline) {
      invertKeys(stage, keys, keys + stage->count);
      out[made].keys = keys;
      out[made + 1].keys = keys + stage->count;
      keys += 2 * stage->count;
    } else {
      invertControls(stage, controls, controls + 13 * stage->count);
      out[made].controls = controls;
      out[made + 1].controls = controls + 13 * stage->count;
      controls += 26 * stage->count;
    }
    made += 2;
  }
  return made;
}
