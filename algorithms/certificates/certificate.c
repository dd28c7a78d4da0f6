/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds witnesses. A cell (time x node of A x node of B) asks GJK for the nearest direction at both of its ends; the
 * bound of the header decides; else it is cut: in time while the bound loses more to curvature than a tenth of the
 * larger node or hulls that meet sweep three times its radius (a screw in its nut), else in space, where there are
 * children. Depth first, earlier time first. At times at which one pair of faces has been left open others are not
 * looked at (limits.everyPair: they are): their cells are open, too, and add nothing to the times without a proof. So
 * bodies deep in each other cost as much as their times of contact are long, not as many faces as meet.
 *
 * Open cells: single faces, mid-time distance at most the tolerance, and no two points of the two faces move against
 * each other by more than the tolerance within the cell; or the faces overlap all the time. Rounding: supports are sums
 * of interval entries times doubles, widened by 16 eps of the sum of magnitudes (six products and sums); the stated
 * bound is lower than the proven one by SLACK of all magnitudes and by WIDTHS times what the intervals at one time are
 * wide (after many turns an angle is known less well), so that a checker that rounds otherwise finds it too.
 */
#include "certificate.h"

#include "epa.h"

#define EPS DBL_EPSILON
#define SLACK 1e-11
#define WIDTHS 8.0
#define BEND_SLACK 1e-8 /* the same of the curvature, relative */
#define DEFAULT_CELLS 1000000u
#define DEFAULT_OPEN 100000u
#define SWEPT_SIZES 3.0   /* of the larger node's radius: hulls that meet and sweep more are cut in time first */
#define HIDDEN_SIZES 0.1  /* the same of what curvature takes from hulls that are apart */
#define ROUGHLY 1e-3      /* of a distance: what a direction is worth, and ... */
#define CLOSELY 1e-9      /* ... where the distance itself decides */
#define LEAST_PART 1e-12  /* of a direction: components below are taken as 0 */
#define NARROWEST 0x1p-44 /* of the step: times below are not told apart */

#define TIMES 256u /* intervals of time kept, by a hash of their ends */

static const brinkRigid identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};

typedef struct brinkCertifierTime { /* bodies over a cell of time */
  double l, u;
  brinkJetMap over[2], start[2], end[2];
} Cell;

void brinkCertifier_Init(brinkCertifier *certifier, brinkContext *context, const brinkFaceBody *a,
                         const brinkFaceTree *treeA, const brinkFaceBody *b, const brinkFaceTree *treeB,
                         brinkCertifierLimits limits) {
  memset(certifier, 0, sizeof *certifier);
  certifier->context = context;
  certifier->a = a;
  certifier->b = b;
  certifier->treeA = treeA;
  certifier->treeB = treeB;
  certifier->limits = limits;
  if (limits.maxCells == 0) certifier->limits.maxCells = DEFAULT_CELLS;
  if (limits.maxOpen == 0) certifier->limits.maxOpen = DEFAULT_OPEN;
}

void brinkCertifier_Free(brinkCertifier *certifier) {
  brinkContext *context = certifier->context;
  if (certifier->cells != NULL)
    brinkRelease(context, certifier->cells, certifier->cellCapacity * sizeof *certifier->cells);
  for (int k = 0; k < 2; ++k)
    if (certifier->places[k] != NULL)
      brinkRelease(context, certifier->places[k], certifier->placesCapacity[k] * sizeof(double));
  if (certifier->times != NULL) brinkRelease(context, certifier->times, TIMES * sizeof *certifier->times);
  if (certifier->openTimes != NULL)
    brinkRelease(context, certifier->openTimes, certifier->openTimeCapacity * sizeof *certifier->openTimes);
  memset(certifier, 0, sizeof *certifier);
}

static brinkStatus append(brinkCertifier *certifier, const brinkCertificateCell *cell) {
  void *block = certifier->cells;
  brinkStatus status =
      brinkReserve(certifier->context, &block, &certifier->cellCapacity, certifier->cellCount + 1, sizeof *cell);
  certifier->cells = block;
  if (status == brink_ok) certifier->cells[certifier->cellCount++] = *cell;
  return status;
}

/* ---- bodies over a cell of time */

static void makeCell(const brinkCertifier *certifier, double l, double u, Cell *cell) {
  const brinkFaceBody *const body[2] = {certifier->a, certifier->b};
  cell->l = l;
  cell->u = u;
  for (int k = 0; k < 2; ++k) {
    brinkMotionCurve_Jets(&body[k]->motion, l, u, &cell->over[k]);
    brinkMotionCurve_Values(&body[k]->motion, l, &cell->start[k]);
    brinkMotionCurve_EndValues(&body[k]->motion, l, u, &cell->end[k]);
  }
}

static void recallCell(const brinkCertifier *certifier, double l, double u, Cell *cell) {
  const double ends[2] = {l, u};
  Cell *kept = &certifier->times[brinkHash(0, ends, sizeof ends) % TIMES];
  if (kept->l != l || kept->u != u) makeCell(certifier, l, u, kept);
  *cell = *kept;
}

static brinkStatus makeTimes(brinkCertifier *certifier) {
  if (certifier->times != NULL) return brink_ok;
  certifier->times = brinkAllocate(certifier->context, TIMES * sizeof *certifier->times);
  if (certifier->times == NULL)
    return brinkFail(certifier->context, brink_errorNoMemory, "no memory for %u intervals of time", TIMES);
  for (uint32_t i = 0; i < TIMES; ++i) certifier->times[i].l = certifier->times[i].u = -1.0;
  return brink_ok;
}

/* ---- times without a proof */

/* How many of them begin at t or before. */
static size_t openBefore(const brinkCertifier *certifier, double t) {
  size_t low = 0, high = certifier->openTimeCount;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (certifier->openTimes[middle][0] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool isOpenTime(const brinkCertifier *certifier, double l, double u) {
  size_t before = openBefore(certifier, l);
  return before > 0 && certifier->openTimes[before - 1][1] >= u;
}

static brinkStatus addOpenTime(brinkCertifier *certifier, double l, double u) {
  if (isOpenTime(certifier, l, u)) return brink_ok;
  void *block = certifier->openTimes;
  brinkStatus status = brinkReserve(certifier->context, &block, &certifier->openTimeCapacity,
                                    certifier->openTimeCount + 1, sizeof *certifier->openTimes);
  certifier->openTimes = block;
  if (status != brink_ok) return status;
  double(*times)[2] = certifier->openTimes;
  size_t first = openBefore(certifier, l), last;
  if (first > 0 && times[first - 1][1] >= l) l = times[--first][0];
  for (last = first; last < certifier->openTimeCount && times[last][0] <= u; ++last) u = fmax(u, times[last][1]);
  memmove(&times[first + 1], &times[last], (certifier->openTimeCount - last) * sizeof *times);
  times[first][0] = l;
  times[first][1] = u;
  certifier->openTimeCount += 1 + first - last;
  return brink_ok;
}

static brinkInterval inter(double x) { return (brinkInterval){x, x}; }

/* A linear functional of the vertices: row.p(t) + slope.(p1 - p0) + offset, p(t) = p0 + t (p1 - p0). */
typedef struct Functional {
  brinkInterval row[3], slope[3], offset;
  double at0, at1; /* range of t */
} Functional;

/* Exact zeros stay exact: of bodies at rest and motions in a plane they are many, and what is left of them when they
 * are widened becomes subnormal, which is slow. */
static inline bool isZero(brinkInterval a) { return a.lo == 0.0 && a.hi == 0.0; }
static inline brinkInterval product(brinkInterval a, brinkInterval b) {
  return isZero(a) || isZero(b) ? inter(0) : brinkInterval_Mul(a, b);
}
static inline brinkInterval sum(brinkInterval a, brinkInterval b) {
  return isZero(a) ? b : isZero(b) ? a : brinkInterval_Add(a, b);
}
static brinkInterval combine(const brinkInterval n[3], brinkInterval x, brinkInterval y, brinkInterval z) {
  return sum(sum(product(n[0], x), product(n[1], y)), product(n[2], z));
}

/* n.x at one time */
static Functional valueOf(const brinkJetMap *map, brinkVec3 n, double t) {
  const brinkInterval v[3] = {inter(n.x), inter(n.y), inter(n.z)};
  Functional f;
  memset(&f, 0, sizeof f);
  for (int j = 0; j < 3; ++j) f.row[j] = combine(v, map->m[0][j].v, map->m[1][j].v, map->m[2][j].v);
  f.offset = combine(v, map->m[0][3].v, map->m[1][3].v, map->m[2][3].v);
  f.at0 = f.at1 = t;
  return f;
}

/* f'' = n.x'' + 2 m.x' over the cell; bent: with vertices that move (x = R p + T, p' = q): R''p + 2 R'q + T'' and R'p +
 * R q + T'. */
static Functional curvatureOf(const brinkJetMap *map, const brinkInterval n[3], const brinkInterval m[3], double l,
                              double u, bool bent) {
  Functional f;
  memset(&f, 0, sizeof f);
  for (int j = 0; j < 4; ++j) {
    brinkInterval second = combine(n, map->m[0][j].dd, map->m[1][j].dd, map->m[2][j].dd);
    brinkInterval first = combine(m, map->m[0][j].d, map->m[1][j].d, map->m[2][j].d);
    brinkInterval all = sum(second, product(first, inter(2.0)));
    if (j == 3) {
      f.offset = all;
      break;
    }
    f.row[j] = all;
    if (!bent) continue;
    brinkInterval inner = combine(n, map->m[0][j].d, map->m[1][j].d, map->m[2][j].d);
    inner = sum(inner, combine(m, map->m[0][j].v, map->m[1][j].v, map->m[2][j].v));
    f.slope[j] = product(inner, inter(2.0));
  }
  f.at0 = l;
  f.at1 = u;
  return f;
}

/* Velocity component along axis k: x' = R'p + R q + T'. */
static Functional velocityOf(const brinkJetMap *map, int k, double l, double u) {
  Functional f;
  memset(&f, 0, sizeof f);
  for (int j = 0; j < 3; ++j) {
    f.row[j] = map->m[k][j].d;
    f.slope[j] = map->m[k][j].v;
  }
  f.offset = map->m[k][3].d;
  f.at0 = l;
  f.at1 = u;
  return f;
}

/* row * x for x in [x0,x1], added to lo, hi, size. */
static inline void addTerm(brinkInterval row, double x0, double x1, double *lo, double *hi, double *size) {
  double p = row.lo * x0, q = row.hi * x0, r = row.lo * x1, s = row.hi * x1;
  double low = BRINK_MIN(p, q), lower = BRINK_MIN(r, s), high = BRINK_MAX(p, q), higher = BRINK_MAX(r, s);
  *lo += BRINK_MIN(low, lower);
  *hi += BRINK_MAX(high, higher);
  *size += BRINK_MAX(fabs(row.lo), fabs(row.hi)) * BRINK_MAX(fabs(x0), fabs(x1));
}

/* Range of a functional over the vertices of a node; *magnitude grows to the largest sum of magnitudes, with the widths
 * of the intervals at their weight. */
static brinkInterval rangeOver(const brinkFaceBody *body, const brinkFaceTree *tree, const brinkFaceNode *node,
                               const Functional *f, double *magnitude) {
  brinkInterval range = {HUGE_VAL, -HUGE_VAL};
  const uint32_t *ids = &tree->ids[node->vertexStart];
  double offsetSize = BRINK_MAX(fabs(f->offset.lo), fabs(f->offset.hi));
  for (uint32_t i = 0; i < node->vertexCount; ++i) {
    const double *p0 = &body->vertices[3 * ids[i]];
    double lo = f->offset.lo, hi = f->offset.hi, size = offsetSize;
    if (body->vertices1 == NULL) {
      for (int k = 0; k < 3; ++k) {
        double p = f->row[k].lo * p0[k], q = f->row[k].hi * p0[k];
        lo += BRINK_MIN(p, q);
        hi += BRINK_MAX(p, q);
        size += BRINK_MAX(fabs(p), fabs(q));
      }
    } else {
      const double *p1 = &body->vertices1[3 * ids[i]];
      for (int k = 0; k < 3; ++k) {
        double step = p1[k] - p0[k], tiny = 4.0 * EPS * (fabs(p0[k]) + fabs(p1[k]));
        double at0 = p0[k] + f->at0 * step, at1 = p0[k] + f->at1 * step;
        addTerm(f->row[k], BRINK_MIN(at0, at1) - tiny, BRINK_MAX(at0, at1) + tiny, &lo, &hi, &size);
        addTerm(f->slope[k], step - tiny, step + tiny, &lo, &hi, &size);
      }
    }
    double error = 16.0 * EPS * size + DBL_MIN;
    if (!(lo - error <= hi + error)) return (brinkInterval){-HUGE_VAL, HUGE_VAL}; /* no numbers any more */
    range.lo = BRINK_MIN(range.lo, lo - error);
    range.hi = BRINK_MAX(range.hi, hi + error);
    size += WIDTHS / SLACK * (hi - lo);
    *magnitude = BRINK_MAX(*magnitude, size);
  }
  if (!(range.lo <= range.hi)) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  return range;
}

/* Side k of the pair: range of n.x; half-spaces: only along their own normal, only the side that faces the other body
 * is finite. */
static brinkInterval sideRange(const brinkCertifier *certifier, int k, uint32_t node, const Functional *f, brinkVec3 n,
                               double *magnitude) {
  const brinkFaceBody *body = k == 0 ? certifier->a : certifier->b;
  const brinkFaceTree *tree = k == 0 ? certifier->treeA : certifier->treeB;
  if (!body->halfSpace) return rangeOver(body, tree, &tree->nodes[node], f, magnitude);
  double sign = k == 0 ? 1.0 : -1.0; /* A: max n.x = offset for n = normal; B: min n.y = -offset for n = -normal */
  brinkVec3 own = brinkScale(body->normal, sign);
  bool same = n.x == own.x && n.y == own.y && n.z == own.z;
  *magnitude = fmax(*magnitude, fabs(body->offset));
  if (!same) return (brinkInterval){-HUGE_VAL, HUGE_VAL};
  return (brinkInterval){k == 0 ? -HUGE_VAL : -body->offset, k == 0 ? body->offset : HUGE_VAL};
}

typedef struct Proof {
  double bound;  /* m; -inf when there is none */
  double hidden; /* m: what curvature took */
} Proof;

/* The bound of the header. */
static Proof boundOf(const brinkCertifier *certifier, const Cell *cell, uint32_t nodeA, uint32_t nodeB, brinkVec3 n0,
                     brinkVec3 n1) {
  const uint32_t nodes[2] = {nodeA, nodeB};
  double h = brinkUp(cell->u - cell->l), magnitude = 0.0, second = 0.0;
  brinkInterval atStart[2], atEnd[2], bend[2];
  brinkInterval n[3] = {
      {fmin(n0.x, n1.x), fmax(n0.x, n1.x)}, {fmin(n0.y, n1.y), fmax(n0.y, n1.y)}, {fmin(n0.z, n1.z), fmax(n0.z, n1.z)}};
  brinkInterval m[3] = {inter(0), inter(0), inter(0)};
  if (cell->u > cell->l) {
    brinkInterval width = brinkInterval_Sub(inter(cell->u), inter(cell->l));
    m[0] = brinkInterval_Div(brinkInterval_Sub(inter(n1.x), inter(n0.x)), width);
    m[1] = brinkInterval_Div(brinkInterval_Sub(inter(n1.y), inter(n0.y)), width);
    m[2] = brinkInterval_Div(brinkInterval_Sub(inter(n1.z), inter(n0.z)), width);
  }
  for (int k = 0; k < 2; ++k) {
    Functional f = valueOf(&cell->start[k], n0, cell->l);
    atStart[k] = sideRange(certifier, k, nodes[k], &f, n0, &magnitude);
    f = valueOf(&cell->end[k], n1, cell->u);
    atEnd[k] = sideRange(certifier, k, nodes[k], &f, n1, &magnitude);
    const brinkFaceBody *body = k == 0 ? certifier->a : certifier->b;
    bend[k] = inter(0);
    if (body->halfSpace) continue;
    f = curvatureOf(&cell->over[k], n, m, cell->l, cell->u, body->vertices1 != NULL);
    bend[k] = sideRange(certifier, k, nodes[k], &f, n0, &second);
  }
  double g0 = atStart[1].lo - atStart[0].hi, g1 = atEnd[1].lo - atEnd[0].hi;
  double k = fmax(0.0, bend[1].hi - bend[0].lo);
  double q = 0.5 * k * h * h * (1.0 + BEND_SLACK), rise = g1 - g0;
  double least = fabs(rise) < q ? g0 - (q - rise) * (q - rise) / (4.0 * q) : fmin(g0, g1);
  double length = fmax(brinkLength(n0), brinkLength(n1));
  double slack = SLACK * (magnitude + certifier->a->radius + certifier->b->radius + q);
  Proof proof;
  proof.bound = (least - slack) / length * (1.0 - 8.0 * EPS) - certifier->a->radius - certifier->b->radius - slack;
  if (!isfinite(proof.bound) || !(length > 0.0)) proof.bound = -HUGE_VAL;
  proof.hidden = fmin(g0, g1) - least;
  return proof;
}

/* Largest |difference of velocities| over the cell: how far two points of the nodes move against each other, per step.
 */
static double closingSpeed(const brinkCertifier *certifier, const Cell *cell, uint32_t nodeA, uint32_t nodeB) {
  const uint32_t nodes[2] = {nodeA, nodeB};
  double square = 0.0, size = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    brinkInterval v[2] = {inter(0), inter(0)};
    for (int k = 0; k < 2; ++k) {
      if ((k == 0 ? certifier->a : certifier->b)->halfSpace) continue;
      Functional f = velocityOf(&cell->over[k], axis, cell->l, cell->u);
      v[k] = sideRange(certifier, k, nodes[k], &f, brinkV3(0, 0, 0), &size);
    }
    double most = fmax(v[1].hi - v[0].lo, v[0].hi - v[1].lo);
    square += most * most;
  }
  return sqrt(square);
}

/* ---- proposals */

static brinkStatus placeNode(brinkCertifier *certifier, int k, uint32_t node, const brinkJetMap *at, double t,
                             brinkPiece *out) {
  const brinkFaceBody *body = k == 0 ? certifier->a : certifier->b;
  const brinkFaceTree *tree = k == 0 ? certifier->treeA : certifier->treeB;
  uint32_t count = tree->nodes[node].vertexCount;
  const uint32_t *ids = &tree->ids[tree->nodes[node].vertexStart];
  void *block = certifier->places[k];
  brinkStatus status =
      brinkReserve(certifier->context, &block, &certifier->placesCapacity[k], 3 * (size_t)count, sizeof(double));
  certifier->places[k] = block;
  if (status != brink_ok) return status;
  double r[3][4], *to = certifier->places[k];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) r[i][j] = 0.5 * (at->m[i][j].v.lo + at->m[i][j].v.hi);
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (uint32_t i = 0; i < count; ++i) {
    double p[3];
    for (int c = 0; c < 3; ++c) {
      p[c] = body->vertices[3 * ids[i] + (uint32_t)c];
      if (body->vertices1 != NULL) p[c] += t * (body->vertices1[3 * ids[i] + (uint32_t)c] - p[c]);
    }
    for (int c = 0; c < 3; ++c) {
      const double x = r[c][0] * p[0] + r[c][1] * p[1] + r[c][2] * p[2] + r[c][3];
      to[3 * i + (uint32_t)c] = x;
      low[c] = BRINK_MIN(low[c], x);
      high[c] = BRINK_MAX(high[c], x);
    }
  }
  /* The ball around their box: looser than theirs, and free. */
  *out = (brinkPiece){.kind = brink_piecePoints, .count = count, .vertices = to, .radius = body->radius};
  double square = 0.0, size = 0.0, center[3];
  for (int c = 0; c < 3; ++c) {
    center[c] = 0.5 * low[c] + 0.5 * high[c];
    square += (high[c] - low[c]) * (high[c] - low[c]);
    size += fabs(low[c]) + fabs(high[c]);
  }
  out->center = brinkV3_FromArray(center);
  out->boundRadius = 0.5 * sqrt(square) * (1.0 + 8.0 * EPS) + 8.0 * EPS * size;
  return brink_ok;
}

/* Nearest direction and distance at one time, to a part of the distance; deep: of what overlaps lower is minus the
 * depth. */
static brinkStatus propose(brinkCertifier *certifier, uint32_t nodeA, uint32_t nodeB, const brinkJetMap *a,
                           const brinkJetMap *b, double t, double relative, bool deep, brinkSeparation *out) {
  memset(out, 0, sizeof *out);
  const brinkFaceBody *const body[2] = {certifier->a, certifier->b};
  brinkPiece piece[2];
  for (int k = 0; k < 2; ++k) {
    if (body[k]->halfSpace) continue;
    brinkStatus status = placeNode(certifier, k, k == 0 ? nodeA : nodeB, k == 0 ? a : b, t, &piece[k]);
    if (status != brink_ok) return status;
  }
  for (int k = 0; k < 2; ++k) { /* half-spaces: only one direction counts */
    if (!body[k]->halfSpace) continue;
    const double *p = certifier->places[1 - k];
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < piece[1 - k].count; ++i) {
      double d = body[k]->normal.x * p[3 * i] + body[k]->normal.y * p[3 * i + 1] + body[k]->normal.z * p[3 * i + 2] -
                 body[k]->offset;
      if (d < least) {
        least = d;
        out->pointA = out->pointB = brinkV3_FromArray(&p[3 * i]);
      }
    }
    out->normal = brinkScale(body[k]->normal, k == 0 ? 1.0 : -1.0);
    out->lower = least - body[0]->radius - body[1]->radius;
    out->upper = fmax(out->lower, 0.0);
    out->overlap = out->lower <= 0.0;
    return brink_ok;
  }
  const brinkGjkLimits limits = {.relative = relative, .absolute = 0.0, .enoughLower = HUGE_VAL, .enoughUpper = -1.0};
  brinkGjk(&piece[0], &identity, &piece[1], &identity, &limits, NULL, out);
  if (deep && out->overlap) brinkEpa(&piece[0], &identity, &piece[1], &identity, out);
  if (fabs(out->normal.x) < LEAST_PART) out->normal.x = 0.0; /* rounding, told in the longest words */
  if (fabs(out->normal.y) < LEAST_PART) out->normal.y = 0.0;
  if (fabs(out->normal.z) < LEAST_PART) out->normal.z = 0.0;
  return brink_ok;
}

/* ---- the search */

static brinkStatus prove(brinkCertifier *certifier, const Cell *cell, uint32_t nodeA, uint32_t nodeB);

static double nodeSize(const brinkFaceBody *body, const brinkFaceTree *tree, uint32_t node) {
  return body->halfSpace ? 0.0 : tree->nodes[node].radius;
}
static bool isSingle(const brinkFaceBody *body, const brinkFaceTree *tree, uint32_t node) {
  return body->halfSpace || tree->nodes[node].left < 0;
}
static void rangeOf(const brinkFaceBody *body, const brinkFaceTree *tree, uint32_t node, uint32_t *from, uint32_t *to) {
  *from = body->halfSpace ? 0 : tree->nodes[node].first;
  *to = body->halfSpace ? 1 : tree->nodes[node].first + tree->nodes[node].count;
}

static brinkCertificateCell cellOf(const brinkCertifier *certifier, double l, double u, uint32_t nodeA,
                                   uint32_t nodeB) {
  brinkCertificateCell out;
  memset(&out, 0, sizeof out);
  out.l = l;
  out.u = u;
  rangeOf(certifier->a, certifier->treeA, nodeA, &out.a0, &out.a1);
  rangeOf(certifier->b, certifier->treeB, nodeB, &out.b0, &out.b1);
  return out;
}

brinkStatus brinkCertifier_Open(brinkCertifier *certifier, uint32_t nodeA, uint32_t nodeB, double t0, double t1,
                                brinkVec3 place, bool spent) {
  brinkCertificateCell out = cellOf(certifier, t0, t1, nodeA, nodeB);
  ++certifier->openCount;
  out.open = 1u;
  out.spent = spent ? 1u : 0u;
  out.place = place;
  return append(certifier, &out);
}

static brinkStatus halveTime(brinkCertifier *certifier, const Cell *cell, uint32_t nodeA, uint32_t nodeB) {
  Cell half;
  double middle = 0.5 * (cell->l + cell->u);
  recallCell(certifier, cell->l, middle, &half);
  brinkStatus status = prove(certifier, &half, nodeA, nodeB);
  if (status != brink_ok) return status;
  recallCell(certifier, middle, cell->u, &half);
  return prove(certifier, &half, nodeA, nodeB);
}

static brinkStatus halveSpace(brinkCertifier *certifier, const Cell *cell, uint32_t nodeA, uint32_t nodeB) {
  const brinkFaceTree *treeA = certifier->treeA, *treeB = certifier->treeB;
  bool singleA = isSingle(certifier->a, treeA, nodeA), singleB = isSingle(certifier->b, treeB, nodeB);
  bool splitA = !singleA && (singleB || nodeSize(certifier->a, treeA, nodeA) >= nodeSize(certifier->b, treeB, nodeB));
  const brinkFaceNode *node = splitA ? &treeA->nodes[nodeA] : &treeB->nodes[nodeB];
  for (int side = 0; side < 2; ++side) {
    uint32_t child = (uint32_t)(side == 0 ? node->left : node->right);
    brinkStatus status = prove(certifier, cell, splitA ? child : nodeA, splitA ? nodeB : child);
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

/* The best bound of the directions at both ends and those that turn from one to the other. */
static Proof bestOf(const brinkCertifier *certifier, const Cell *cell, uint32_t nodeA, uint32_t nodeB,
                    brinkVec3 atStart, brinkVec3 atEnd, brinkVec3 *n0, brinkVec3 *n1) {
  Proof best = boundOf(certifier, cell, nodeA, nodeB, atStart, atEnd);
  *n0 = atStart;
  *n1 = atEnd;
  for (int k = 0; k < 2 && !(best.bound > certifier->limits.clearance); ++k) {
    brinkVec3 n = k == 0 ? atStart : atEnd;
    Proof one = boundOf(certifier, cell, nodeA, nodeB, n, n);
    if (!(one.bound > best.bound)) continue;
    best = one;
    *n0 = *n1 = n;
  }
  return best;
}

/* Single faces that no direction proves: open when close enough, or when they are so deep in each other (overlap: at
 * both ends) that they do not part within the cell; else halved in time. A depth is known from above, so half of it
 * counts. */
static brinkStatus settle(brinkCertifier *certifier, const Cell *cell, uint32_t nodeA, uint32_t nodeB, bool overlap) {
  double middle = 0.5 * (cell->l + cell->u), tolerance = certifier->limits.tolerance;
  bool narrow = !(middle > cell->l && middle < cell->u) || cell->u - cell->l < NARROWEST;
  double moved = closingSpeed(certifier, cell, nodeA, nodeB) * (cell->u - cell->l);
  bool still = moved <= tolerance;
  if (!narrow && !still && !overlap) return halveTime(certifier, cell, nodeA, nodeB);
  brinkJetMap a, b;
  brinkSeparation at;
  brinkMotionCurve_Values(&certifier->a->motion, middle, &a);
  brinkMotionCurve_Values(&certifier->b->motion, middle, &b);
  brinkStatus status = propose(certifier, nodeA, nodeB, &a, &b, middle, CLOSELY, !still, &at);
  if (status != brink_ok) return status;
  bool near = still && (at.overlap || at.upper <= tolerance + certifier->limits.clearance);
  if (!still && at.overlap && -at.lower >= moved) near = true;
  if (!near && !narrow) return halveTime(certifier, cell, nodeA, nodeB);
  if (near) status = addOpenTime(certifier, cell->l, cell->u);
  if (status != brink_ok) return status;
  return brinkCertifier_Open(certifier, nodeA, nodeB, cell->l, cell->u, brinkScale(brinkAdd(at.pointA, at.pointB), 0.5),
                             !near);
}

static brinkStatus prove(brinkCertifier *certifier, const Cell *cell, uint32_t nodeA, uint32_t nodeB) {
  if (!certifier->limits.everyPair && isOpenTime(certifier, cell->l, cell->u)) {
    brinkCertificateCell out = cellOf(certifier, cell->l, cell->u, nodeA, nodeB);
    out.open = 1u;
    out.spent = 2u;
    return append(certifier, &out);
  }
  if (certifier->examined >= certifier->limits.maxCells || certifier->openCount >= certifier->limits.maxOpen)
    return brinkCertifier_Open(certifier, nodeA, nodeB, cell->l, cell->u, brinkV3(0, 0, 0), true);
  ++certifier->examined;
  brinkSeparation start, end;
  brinkStatus status =
      propose(certifier, nodeA, nodeB, &cell->start[0], &cell->start[1], cell->l, ROUGHLY, false, &start);
  if (status == brink_ok)
    status = propose(certifier, nodeA, nodeB, &cell->end[0], &cell->end[1], cell->u, ROUGHLY, false, &end);
  if (status != brink_ok) return status;
  bool single = isSingle(certifier->a, certifier->treeA, nodeA) && isSingle(certifier->b, certifier->treeB, nodeB);
  double need = certifier->limits.clearance;
  bool apart = !start.overlap && !end.overlap && start.upper > need && end.upper > need;
  Proof best = {-HUGE_VAL, HUGE_VAL};
  if (apart) {
    brinkCertificateCell out = cellOf(certifier, cell->l, cell->u, nodeA, nodeB);
    best = bestOf(certifier, cell, nodeA, nodeB, start.normal, end.normal, &out.n0, &out.n1);
    out.bound = best.bound;
    if (best.bound > need) return append(certifier, &out);
  }
  if (single) return settle(certifier, cell, nodeA, nodeB, start.overlap && end.overlap);
  double size = fmax(nodeSize(certifier->a, certifier->treeA, nodeA), nodeSize(certifier->b, certifier->treeB, nodeB));
  bool wide = cell->u - cell->l > NARROWEST;
  if (apart && wide && best.hidden > HIDDEN_SIZES * size) return halveTime(certifier, cell, nodeA, nodeB);
  /* Hulls that meet: what they sweep tells nothing of their parts while it is longer than they are. */
  if (!apart && wide && closingSpeed(certifier, cell, nodeA, nodeB) * (cell->u - cell->l) > SWEPT_SIZES * size)
    return halveTime(certifier, cell, nodeA, nodeB);
  return halveSpace(certifier, cell, nodeA, nodeB);
}

brinkStatus brinkCertifier_Prove(brinkCertifier *certifier, uint32_t nodeA, uint32_t nodeB, double t0, double t1) {
  brinkStatus status = makeTimes(certifier);
  for (double from = t0; status == brink_ok;) {
    double to = brinkMotionCurve_NextKey(&certifier->b->motion, from,
                                         brinkMotionCurve_NextKey(&certifier->a->motion, from, t1));
    Cell cell;
    recallCell(certifier, from, to, &cell);
    status = prove(certifier, &cell, nodeA, nodeB);
    if (to >= t1) break;
    from = to;
  }
  return status;
}

/* ---- closed bodies */

static const double rayDirections[][3] = {{0.48, 0.36, 0.8},    {-0.53, 0.61, 0.58},  {0.71, -0.29, -0.64},
                                          {-0.37, -0.77, 0.52}, {0.23, 0.91, -0.34},  {-0.83, 0.17, -0.53},
                                          {0.61, 0.66, 0.43},   {0.13, -0.42, 0.89},  {-0.27, -0.55, -0.79},
                                          {0.93, 0.11, 0.35},   {-0.67, 0.72, -0.17}, {0.31, -0.93, 0.19}};

/* The triangle against the ray from the origin along d. -1: cannot be told. *winding: + 1 where it is left, - 1 where
 * it is entered. */
static int crossesTriangle(const brinkVec3 p[3], const double error, brinkVec3 d, int *winding) {
  double volume[3], size = 0.0;
  for (int k = 0; k < 3; ++k) {
    brinkVec3 u = p[k], v = p[(k + 1) % 3];
    volume[k] = brinkDot(d, brinkCross(u, v));
    size = fmax(size, brinkLength(u) * brinkLength(v));
  }
  double reach = fmax(brinkLength(p[0]), fmax(brinkLength(p[1]), brinkLength(p[2])));
  double slack = 64.0 * EPS * size * brinkLength(d) + 4.0 * error * reach * brinkLength(d);
  int positive = 0, negative = 0;
  for (int k = 0; k < 3; ++k) {
    positive += volume[k] > slack;
    negative += volume[k] < -slack;
  }
  if (positive > 0 && negative > 0) return 0;
  if (positive < 3 && negative < 3) return -1;
  brinkVec3 normal = brinkCross(brinkSub(p[1], p[0]), brinkSub(p[2], p[0]));
  double height = brinkDot(normal, p[0]), toward = brinkDot(normal, d);
  double heightSlack = 256.0 * EPS * size * reach + 16.0 * error * reach * reach;
  if (!(fabs(height) > heightSlack) || toward == 0.0) return -1;
  if ((height > 0.0) == (toward > 0.0)) *winding += toward > 0.0 ? 1 : -1;
  return 0;
}

static void placeVertex(const brinkFaceBody *body, const brinkDisplacement *at, double t, uint32_t vertex,
                        brinkVec3 *out) {
  brinkVec3 p = brinkV3_FromArray(&body->vertices[3 * vertex]);
  if (body->vertices1 != NULL) p = brinkMulAdd(p, t, brinkSub(brinkV3_FromArray(&body->vertices1[3 * vertex]), p));
  *out = brinkApply(at, p);
}

/* A direction that tells that the surface winds 0 times about the point; false: it winds about it, or no telling. */
static bool findRay(const brinkFaceBody *solid, const brinkDisplacement *at, double t, brinkVec3 from, double error,
                    brinkVec3 *direction) {
  for (size_t i = 0; i < sizeof rayDirections / sizeof rayDirections[0]; ++i) {
    brinkVec3 d = brinkV3_FromArray(rayDirections[i]);
    int winding = 0, verdict = 0;
    for (size_t f = 0; f < solid->faceCount && verdict >= 0; ++f)
      for (uint32_t k = solid->faceStart[f] + 1; k + 1 < solid->faceStart[f + 1] && verdict >= 0; ++k) {
        const uint32_t ids[3] = {solid->faceIds[solid->faceStart[f]], solid->faceIds[k], solid->faceIds[k + 1]};
        brinkVec3 p[3];
        if (!brinkFaceBody_Bounds(solid, ids)) continue;
        for (int c = 0; c < 3; ++c) {
          placeVertex(solid, at, t, ids[c], &p[c]);
          p[c] = brinkSub(p[c], from);
        }
        verdict = crossesTriangle(p, error, d, &winding);
      }
    if (verdict < 0) continue;
    *direction = d;
    return winding == 0;
  }
  return false;
}

static uint32_t rootOf(uint32_t *parent, uint32_t item) {
  while (parent[item] != item) {
    parent[item] = parent[parent[item]];
    item = parent[item];
  }
  return item;
}

brinkStatus brinkProveOutside(brinkContext *context, const brinkFaceBody *solid, const brinkFaceBody *inner, double t,
                              brinkOutsideRay **rays, size_t *count, bool *inside) {
  *rays = NULL;
  *count = 0;
  *inside = false;
  if (inner->halfSpace || solid->halfSpace) return brink_ok;
  uint32_t *parent = brinkAllocate(context, inner->vertexCount * sizeof *parent);
  if (parent == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %zu vertices", inner->vertexCount);
  for (uint32_t i = 0; i < inner->vertexCount; ++i) parent[i] = UINT32_MAX;
  size_t parts = 0;
  for (size_t f = 0; f < inner->faceCount; ++f)
    for (uint32_t k = inner->faceStart[f]; k < inner->faceStart[f + 1]; ++k) {
      uint32_t v = inner->faceIds[k];
      if (parent[v] == UINT32_MAX) {
        parent[v] = v;
        ++parts;
      }
      uint32_t x = rootOf(parent, inner->faceIds[inner->faceStart[f]]), y = rootOf(parent, v);
      if (x == y) continue;
      parent[BRINK_MAX(x, y)] = BRINK_MIN(x, y); /* the root is a part's lowest vertex */
      --parts;
    }
  brinkDisplacement solidAt = brinkMotionCurve_At(&solid->motion, t), innerAt = brinkMotionCurve_At(&inner->motion, t);
  double size = 0.0;
  for (size_t i = 0; i < solid->vertexCount; ++i) {
    brinkVec3 p;
    placeVertex(solid, &solidAt, t, (uint32_t)i, &p);
    size = fmax(size, brinkLength(p));
  }
  brinkOutsideRay *out = brinkAllocate(context, parts * sizeof *out);
  brinkStatus status =
      out == NULL ? brinkFail(context, brink_errorNoMemory, "no memory for %zu rays", parts) : brink_ok;
  size_t found = 0;
  for (uint32_t v = 0; v < inner->vertexCount && status == brink_ok && !*inside; ++v) {
    if (parent[v] != v) continue;
    brinkVec3 from;
    placeVertex(inner, &innerAt, t, v, &from);
    out[found].vertex = v;
    *inside = !findRay(solid, &solidAt, t, from, 1e-11 * (size + brinkLength(from)), &out[found].direction);
    ++found;
  }
  brinkRelease(context, parent, inner->vertexCount * sizeof *parent);
  if (status == brink_ok && !*inside) {
    *rays = out;
    *count = parts;
  } else if (out != NULL) {
    brinkRelease(context, out, parts * sizeof *out);
  }
  return status;
}
