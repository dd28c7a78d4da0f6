/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertices carried along a direction, each a cubic in time. Symbols: n(tau) = middle + tau half, the chord of n0 and
 * n1; row[j][k]: coefficient of tau^k of column j of n(tau).(R | T). Chebyshev's polynomials, |T| <= 1, tell what
 * higher powers are: tau^4 = tau^2 - 1/8 + T4/8, tau^5 = (20 tau^3 - 5 tau + T5)/16, and of the cubic at the end tau^3
 * = (3 tau + T3)/4. */
#include "carried_gap.h"

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

typedef struct Places { /* along n(tau): of every vertex a cubic, and what all of them may be off by */
  double c[MOST_VERTICES][TERMS];
  uint32_t count;
  double error;
} Places;

static void placeAll(const brinkPiece *piece, const brinkCarried *carry, brinkVec3 middle, brinkVec3 half,
                     Places *out) {
  double row[4][TERMS], fourth[4] = {0}, reach = (brinkLength(piece->center) + piece->boundRadius) * (1 + 8 * EPS);
  const bool turns = half.x != 0.0 || half.y != 0.0 || half.z != 0.0;
  for (int j = 0; j < 4; ++j) {
    const double *x = carry->entry[0][j], *y = carry->entry[1][j], *z = carry->entry[2][j];
    for (int k = 0; k < TERMS; ++k) row[j][k] = middle.x * x[k] + middle.y * y[k] + middle.z * z[k];
    if (!turns) continue;
    for (int k = 1; k < TERMS; ++k) row[j][k] += half.x * x[k - 1] + half.y * y[k - 1] + half.z * z[k - 1];
    fourth[j] = half.x * x[3] + half.y * y[3] + half.z * z[3];
    row[j][2] += fourth[j];
    row[j][0] -= 0.125 * fourth[j];
  }
  double dropped =
      0.125 * (sqrt(squareOf(fourth[0]) + squareOf(fourth[1]) + squareOf(fourth[2])) * reach + fabs(fourth[3]));
  out->error = carry->turnError * reach + carry->placeError + dropped * (1 + 16 * EPS);
  out->count = piece->kind == brink_pieceBox ? 8u : piece->count;
  for (uint32_t i = 0; i < out->count; ++i) {
    brinkVec3 p = piece->kind == brink_pieceBox ? brinkPiece_Vertex(piece, i)
                                                : brinkV3_FromArray(&piece->vertices[3 * (size_t)i]);
    for (int k = 0; k < TERMS; ++k) out->c[i][k] = row[0][k] * p.x + row[1][k] * p.y + row[2][k] * p.z + row[3][k];
  }
}

typedef struct Least { /* smallest value so far, and when */
  double value, tau;
} Least;

/* Takes the smallest value of a cubic over [-1,1], or something below it. */
static inline void lower(Least *least, double c0, double c1, double c2, double c3) {
  double slope = c1 + 0.75 * c3, rest = c0 - 0.25 * fabs(c3), size = fabs(slope);
  double low = rest - size + c2, tau = slope > 0.0 ? -1.0 : 1.0;
  if (c2 > 0.0 && size < 2.0 * c2) {
    if (!(rest - 0.5 * size < least->value)) return; /* its minimum is above that */
    tau = -slope / (2.0 * c2);
    low = rest + 0.5 * slope * tau;
  }
  if (!(low < least->value)) return;
  least->value = low;
  least->tau = tau;
}

/* Smallest difference of vertices of B and of A over the window, pair by pair. */
static Least pairwise(const Places *a, const Places *b) {
  Least least = {HUGE_VAL, 0.0};
  for (uint32_t i = 0; i < a->count; ++i)
    for (uint32_t j = 0; j < b->count; ++j) {
      const double *x = a->c[i], *y = b->c[j];
      lower(&least, y[0] - x[0], y[1] - x[1], y[2] - x[2], y[3] - x[3]);
    }
  return least;
}

/* The same through one moving point between them. */
static Least through(const Places *a, const Places *b, const double e[TERMS]) {
  Least above = {HUGE_VAL, 0.0}, below = {HUGE_VAL, 0.0};
  for (uint32_t j = 0; j < b->count; ++j) {
    const double *y = b->c[j];
    lower(&above, y[0] - e[0], y[1] - e[1], y[2] - e[2], y[3] - e[3]);
  }
  for (uint32_t i = 0; i < a->count; ++i) {
    const double *x = a->c[i];
    lower(&below, e[0] - x[0], e[1] - x[1], e[2] - x[2], e[3] - x[3]);
  }
  return (Least){above.value + below.value, above.value < below.value ? above.tau : below.tau};
}

/* Does a vertex stand still along the direction? */
static bool rests(const double c[TERMS]) { return c[1] == 0.0 && c[2] == 0.0 && c[3] == 0.0; }

double brinkCarriedGap(const brinkPiece *a, const brinkCarried *carryA, const brinkPiece *b, const brinkCarried *carryB,
                       brinkVec3 n0, brinkVec3 n1, double enough, double *tau) {
  *tau = 0.0;
  if (!(carryA->turnError < HUGE_VAL) || !(carryB->turnError < HUGE_VAL)) return -HUGE_VAL;
  Places placesA, placesB;
  const brinkVec3 middle = brinkScale(brinkAdd(n0, n1), 0.5), half = brinkScale(brinkSub(n1, n0), 0.5);
  placeAll(a, carryA, middle, half, &placesA);
  placeAll(b, carryB, middle, half, &placesB);
  double off = (placesA.error + placesB.error) * (1 + 16 * EPS), radii = a->radius + b->radius;
  Least least;
  if (placesA.count * placesB.count <= FEW_PAIRS) {
    least = pairwise(&placesA, &placesB);
  } else {
    uint32_t top = 0, low = 0;
    for (uint32_t i = 1; i < placesA.count; ++i)
      if (placesA.c[i][0] > placesA.c[top][0]) top = i;
    for (uint32_t j = 1; j < placesB.count; ++j)
      if (placesB.c[j][0] < placesB.c[low][0]) low = j;
    least = through(&placesA, &placesB, placesB.c[low]);
    if (!(least.value - off - radii >= enough) && !rests(placesB.c[low])) { /* one that moves may be the wrong one */
      Least other = through(&placesA, &placesB, placesA.c[top]);
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
