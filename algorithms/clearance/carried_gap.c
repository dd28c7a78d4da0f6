/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertices carried along a direction, each a cubic in time. Symbols: n(tau) = middle + tau half, the chord of n0 and
 * n1; row[j][k]: coefficient of tau^k of column j of n(tau).(R | T). Chebyshev's polynomials, |T| <= 1, tell what
 * higher powers are: tau^4 = tau^2 - 1/8 + T4/8, tau^5 = (20 tau^3 - 5 tau + T5)/16, and of the cubic at the end tau^3
 * = (3 tau + T3)/4. */
#define BRINK_CUBIC_KERNEL brinkLeastOfCubics_Base
#include "carried_gap.h"
#include "carried_gap_body.h"
#include "largest_product.h"

#define EPS DBL_EPSILON
#define TERMS BRINK_CARRIED_TERMS
#define ORDER 5
/* Of magnitudes: folding 4, a row 6, a vertex 6, a difference and its minimum 12 operations, each rounded by an eps. */
#define ROUNDING (64 * EPS)
#define MOST_VERTICES 64u
#define FEW_PAIRS 16u /* pairs of vertices that are asked one by one */

static double squareOf(double x) { return x * x; }

/* One entry's model as a cubic; what that leaves out, at most. */
static double foldEntry(const brinkTaylor *model, double out[TERMS]) {
  const double *c = model->c;
  out[0] = c[0] - 0.125 * c[4];
  out[1] = c[1] - 0.3125 * c[5];
  out[2] = c[2] + c[4];
  out[3] = c[3] + 1.25 * c[5];
  return 0.125 * fabs(c[4]) + 0.0625 * fabs(c[5]);
}

static double remainderOf(const brinkTaylor *model) {
  return fmax(fabs(model->remainder.lo), fabs(model->remainder.hi));
}

static double magnitudeOf(const double c[TERMS]) {
  double sum = 0.0;
  for (int k = 0; k < TERMS; ++k) sum += fabs(c[k]);
  return sum;
}

void brinkCarried_Make(const brinkLinkMotion *links, int32_t count, const brinkRigid *local, brinkVec3 centre,
                       double t0, double t1, brinkTaylorRigid *models, brinkCarried *out) {
  brinkTaylorRigid model = brinkTaylorRigid_Constant(local);
  if (count > 0) {
    const brinkMotionTree chain = {links, count};
    brinkMotionTree_Taylor(&chain, t0, t1, ORDER, models);
    model = brinkTaylorRigid_MulConstant(&models[count - 1], local, ORDER);
  }
  const double minus[3] = {centre.x, centre.y, centre.z}, up = 1 + 64 * EPS;
  double turnFold = 0, turnRest = 0, placeFold = 0, placeRest = 0, turnSize = 0, placeSize = 0, shifted = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      turnFold += squareOf(foldEntry(&model.r[i][j], out->entry[i][j]));
      turnRest += squareOf(remainderOf(&model.r[i][j]));
      turnSize += squareOf(magnitudeOf(out->entry[i][j]));
    }
    placeFold += squareOf(foldEntry(&model.p[i], out->entry[i][3]));
    placeRest += squareOf(remainderOf(&model.p[i]));
    shifted += fabs(out->entry[i][3][0]) + fabs(minus[i]);
    out->entry[i][3][0] -= minus[i];
    placeSize += squareOf(magnitudeOf(out->entry[i][3]));
  }
  out->turnError = (sqrt(turnFold) + fmin(sqrt(turnRest), model.turnError)) * up + ROUNDING * sqrt(turnSize);
  out->placeError =
      (sqrt(placeFold) + fmin(sqrt(placeRest), model.placeError)) * up + ROUNDING * sqrt(placeSize) + 4 * EPS * shifted;
  if (!(out->turnError < HUGE_VAL) || !(out->placeError < HUGE_VAL)) out->turnError = out->placeError = HUGE_VAL;
}

bool brinkCarried_Serves(const brinkPiece *piece) {
  return piece->kind == brink_pieceBox || (piece->kind == brink_piecePoints && piece->count <= MOST_VERTICES);
}

/* ---- one side */

typedef struct Side {               /* its vertices along n(tau): of each a cubic, and what all of them may be off by */
  double row[4][TERMS];             /* the cubic of a vertex p: row[0] p.x + row[1] p.y + row[2] p.z + row[3] */
  const double *vertices, *columns; /* columns NULL: few vertices, or a box */
  uint32_t count;
  bool still; /* none moves along n */
  double error;
  double corners[8][3];
} Side;

static void makeSide(const brinkPiece *piece, const brinkCarried *carry, brinkVec3 middle, brinkVec3 half, Side *out) {
  double fourth[4] = {0}, reach = (brinkLength(piece->center) + piece->boundRadius) * (1 + 8 * EPS);
  const bool turns = half.x != 0.0 || half.y != 0.0 || half.z != 0.0;
  out->still = true;
  for (int j = 0; j < 4; ++j) {
    const double *x = carry->entry[0][j], *y = carry->entry[1][j], *z = carry->entry[2][j];
    double *row = out->row[j];
    for (int k = 0; k < TERMS; ++k) row[k] = middle.x * x[k] + middle.y * y[k] + middle.z * z[k];
    if (turns) {
      for (int k = 1; k < TERMS; ++k) row[k] += half.x * x[k - 1] + half.y * y[k - 1] + half.z * z[k - 1];
      fourth[j] = half.x * x[3] + half.y * y[3] + half.z * z[3];
      row[2] += fourth[j];
      row[0] -= 0.125 * fourth[j];
    }
    out->still = out->still && row[1] == 0.0 && row[2] == 0.0 && row[3] == 0.0;
  }
  double dropped =
      0.125 * (sqrt(squareOf(fourth[0]) + squareOf(fourth[1]) + squareOf(fourth[2])) * reach + fabs(fourth[3]));
  out->error = carry->turnError * reach + carry->placeError + dropped * (1 + 16 * EPS);
  const bool box = piece->kind == brink_pieceBox;
  out->count = box ? 8u : piece->count;
  out->columns = box ? NULL : piece->columns;
  out->vertices = box ? out->corners[0] : piece->vertices;
  for (uint32_t i = 0; box && i < 8u; ++i) {
    const brinkVec3 p = brinkPiece_Vertex(piece, i);
    out->corners[i][0] = p.x, out->corners[i][1] = p.y, out->corners[i][2] = p.z;
  }
}

static inline void cubicOf(const double row[4][TERMS], const double p[3], double c[TERMS]) {
  for (int k = 0; k < TERMS; ++k) c[k] = row[0][k] * p[0] + row[1][k] * p[1] + row[2][k] * p[2] + row[3][k];
}

/* The vertex whose constant term, times sign, is largest. */
static uint32_t furthestOf(const Side *side, double sign) {
  const brinkVec3 d = {sign * side->row[0][0], sign * side->row[1][0], sign * side->row[2][0]};
  if (side->columns != NULL) return brinkPointColumns_Furthest(side->columns, side->count, d);
  uint32_t best = 0;
  double most = -HUGE_VAL;
  for (uint32_t i = 0; i < side->count; ++i) {
    const double product = brinkDot(d, brinkV3_FromArray(&side->vertices[3 * (size_t)i]));
    if (product > most) most = product, best = i;
  }
  return best;
}

typedef struct Least { /* smallest value so far, and when */
  double value, tau;
} Least;

/* Takes the smallest value of a cubic over [-1,1], or something below it. */
static inline void lower(Least *least, const double c[TERMS]) {
  double slope = c[1] + 0.75 * c[3], rest = c[0] - 0.25 * fabs(c[3]), size = fabs(slope);
  double low = rest - size + c[2], tau = slope > 0.0 ? -1.0 : 1.0;
  if (c[2] > 0.0 && size < 2.0 * c[2]) {
    if (!(rest - 0.5 * size < least->value)) return; /* its minimum is above that */
    tau = -slope / (2.0 * c[2]);
    low = rest + 0.5 * slope * tau;
  }
  if (!(low < least->value)) return;
  least->value = low;
  least->tau = tau;
}

/* Smallest difference of vertices of B and of A over the window, pair by pair. */
static Least pairwise(const Side *a, const Side *b) {
  Least least = {HUGE_VAL, 0.0};
  double x[FEW_PAIRS][TERMS], y[TERMS], difference[TERMS];
  for (uint32_t i = 0; i < a->count; ++i) cubicOf(a->row, &a->vertices[3 * (size_t)i], x[i]);
  for (uint32_t j = 0; j < b->count; ++j) {
    cubicOf(b->row, &b->vertices[3 * (size_t)j], y);
    for (uint32_t i = 0; i < a->count; ++i) {
      for (int k = 0; k < TERMS; ++k) difference[k] = y[k] - x[i][k];
      lower(&least, difference);
    }
  }
  return least;
}

static double leastOfCubics(const double *columns, uint32_t count, const double row[4][TERMS], uint32_t *index) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return brinkLeastOfCubics_Avx2(columns, count, row, index);
#endif
  return brinkLeastOfCubics_Base(columns, count, row, index);
}

/* Smallest value of sign (vertex - e) over the window and all vertices, e a moving point. */
static Least leastFrom(const Side *side, double sign, const double e[TERMS]) {
  Least least = {HUGE_VAL, 0.0};
  double row[4][TERMS], c[TERMS];
  for (int j = 0; j < 4; ++j)
    for (int k = 0; k < TERMS; ++k) row[j][k] = sign * (j < 3 ? side->row[j][k] : side->row[3][k] - e[k]);
  if (side->still || side->columns != NULL) {
    uint32_t index = side->still ? furthestOf(side, -sign) : 0;
    double value = HUGE_VAL;
    if (!side->still) value = leastOfCubics(side->columns, side->count, row, &index);
    cubicOf(row, &side->vertices[3 * (size_t)index], c);
    lower(&least, c);
    least.value = BRINK_MIN(least.value, value);
    return least;
  }
  for (uint32_t i = 0; i < side->count; ++i) {
    cubicOf(row, &side->vertices[3 * (size_t)i], c);
    lower(&least, c);
  }
  return least;
}

/* Smallest difference of vertices of B and of A, through a moving point between them. */
static Least through(const Side *a, const Side *b, const double e[TERMS]) {
  const Least above = leastFrom(b, 1.0, e), below = leastFrom(a, -1.0, e);
  return (Least){above.value + below.value, above.value < below.value ? above.tau : below.tau};
}

double brinkCarriedGap(const brinkPiece *a, const brinkCarried *carryA, const brinkPiece *b, const brinkCarried *carryB,
                       brinkVec3 n0, brinkVec3 n1, double enough, double *tau) {
  *tau = 0.0;
  if (!(carryA->turnError < HUGE_VAL) || !(carryB->turnError < HUGE_VAL)) return -HUGE_VAL;
  Side sideA, sideB;
  const brinkVec3 middle = brinkScale(brinkAdd(n0, n1), 0.5), half = brinkScale(brinkSub(n1, n0), 0.5);
  makeSide(a, carryA, middle, half, &sideA);
  makeSide(b, carryB, middle, half, &sideB);
  double off = (sideA.error + sideB.error) * (1 + 16 * EPS), radii = a->radius + b->radius;
  Least least;
  if (sideA.count * sideB.count <= FEW_PAIRS) {
    least = pairwise(&sideA, &sideB);
  } else {
    double e[TERMS];
    cubicOf(sideB.row, &sideB.vertices[3 * (size_t)furthestOf(&sideB, -1.0)], e);
    least = through(&sideA, &sideB, e);
    if (!(least.value - off - radii >= enough) && !sideB.still) { /* one that moves may be the wrong one */
      cubicOf(sideA.row, &sideA.vertices[3 * (size_t)furthestOf(&sideA, 1.0)], e);
      Least other = through(&sideA, &sideB, e);
      if (other.value > least.value) least = other;
    }
  }
  if (!(least.value < HUGE_VAL)) return -HUGE_VAL; /* no numbers any more */
  *tau = least.tau;
  double gap = least.value - off;
  gap -= 16 * EPS * fabs(gap); /* n(tau) is no longer than 1 but for a few ulp */
  return gap - radii - 4 * EPS * (fabs(gap) + radii);
}

brinkRigid brinkCarried_Near(const brinkCarried *carry, double tau) {
  double at[3][4];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      const double *c = carry->entry[i][j];
      at[i][j] = c[0] + tau * (c[1] + tau * (c[2] + tau * c[3]));
    }
  brinkRigid out = {.p = {at[0][3], at[1][3], at[2][3]}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.r.m[i][j] = at[i][j];
  return out;
}
