/* SPDX-License-Identifier: BSD-3-Clause */
/* When do bodies whose vertices move on straight lines first touch? Pairs of simplices are proven apart on cells of
 * time by polynomial separating directions; what cannot be proven is halved, or entered by Newton's step when a contact
 * is known to lie in it; boxes that move linearly leave out the pairs, and the times, that do not matter.
 *
 * Based on: theory D7.1 (turning separating direction), D2.3 (a gap proves, an iteration only proposes); OWN:
 * - A cell [l,u] with s = (t-l)/(u-l), direction n(s) = (1-s)^2 n0 + 2 s (1-s) n1 + s^2 n2, vertex p(s) = (1-s) p_l + s
 * p_u: n.p is a cubic with Bernstein coefficients n0.p_l, (2 n1.p_l + n0.p_u)/3, (n2.p_l + 2 n1.p_u)/3, n2.p_u. If for
 * each k the smallest k-th coefficient of B exceeds the largest of A by at least g > 0, then n(s).(y - x) >= g for all
 * x in A, y in B, s in [0,1]: the distance is at least g / max|n_k|. No curvature term, nothing to be inverted. n0 = n1
 * = n2: a fixed direction, whose gap is concave in time. The normals of a moving face or pair of edges are quadratic in
 * t, so degree 2 follows them exactly.
 * - Fixed n: the first time its gap falls to a given value is found on lines alone (reach); advancing to it is Newton's
 * method for the distance, from below.
 * - Two boxes with linearly moving sides overlap during one interval of time: each of the six conditions is linear.
 *
 * Symbols: A, B the bodies; L the point of time up to which the pair is proven free, R the next sampled one; m.
 *
 * Rounding (u = DBL_EPSILON/2; 2u covers directed modes). A pair is recentred (exactly the same translation for both
 * sides, one for each end of the step: relative motion is what counts) and scaled by a power of two to coordinates
 * below 1, so |p| <= R = sqrt 3: recentring errs by u R, interpolation by 4u R, a dot product by 3u N R with N =
 * max|n_k|, a Bernstein coefficient by 5u N R in all, the difference by 2u N R: 22u N R < 20 DBL_EPSILON N; 64
 * DBL_EPSILON N is taken (ROUNDING). */
#include "affine_motion.h"

#include "gjk.h"

#define ROUNDING (64.0 * DBL_EPSILON)
#define DEFAULT_ITERATIONS 1000000u
/* Cells are halved and none is narrower than 1e-15 (a gap above ROUNDING lasts that long): 50 can wait at once. */
#define MOST_CELLS 128
#define NO_CHILD 0u

/* Room for `needed` elements in an array that is kept; sets `status`. */
#define GROW(array, capacity, needed)                                               \
  do {                                                                              \
    void *block = (array);                                                          \
    status = brinkReserve(context, &block, &(capacity), (needed), sizeof *(array)); \
    (array) = block;                                                                \
  } while (0)

/* Not fmin and fmax: those are calls, and they pass over a NaN, which must never look like a proof here. */
static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

/* ---- one pair of convex pieces */

typedef struct movingPoints {
  uint32_t count;
  double *start, *end, *now; /* [count][3] each, recentred and scaled */
} movingPoints;

typedef struct piecePair {
  movingPoints a, b;
  double scale;     /* a power of two */
  double thickness; /* sum of the radii, scaled */
  double doubt;     /* errors of the vertices and ROUNDING, scaled */
  double tolerance; /* scaled */
  uint64_t iterations, most;
  brinkGjkCache nearest;
} piecePair;

/* A direction proposed for one time. */
typedef struct axisPoint {
  double t;
  brinkVec3 n;         /* unit up to rounding */
  double lower, upper; /* proven bounds of the distance, radii taken off, scaled; lower along n */
} axisPoint;

static brinkVec3 pointAt(const movingPoints *points, uint32_t i, double t) {
  const double *p = points->start + 3 * (size_t)i, *q = points->end + 3 * (size_t)i;
  double s = 1.0 - t;
  return (brinkVec3){s * p[0] + t * q[0], s * p[1] + t * q[1], s * p[2] + t * q[2]};
}

/* min_B n.y - max_A n.x at t, as computed, and which vertices say so. */
static double supportGap(const piecePair *pair, brinkVec3 n, double t, uint32_t *furthestA, uint32_t *furthestB) {
  double highest = -INFINITY, lowest = INFINITY;
  for (uint32_t i = 0; i < pair->a.count; ++i) {
    double value = brinkDot(n, pointAt(&pair->a, i, t));
    if (value > highest) {
      highest = value;
      *furthestA = i;
    }
  }
  for (uint32_t j = 0; j < pair->b.count; ++j) {
    double value = brinkDot(n, pointAt(&pair->b, j, t));
    if (value < lowest) {
      lowest = value;
      *furthestB = j;
    }
  }
  return lowest - highest;
}

/* Proven lower bound of the distance (radii taken off) along n at t; n unit up to 1e-15. */
static double provenGapAt(const piecePair *pair, brinkVec3 n, double t) {
  uint32_t i = 0, j = 0;
  double gap = supportGap(pair, n, t, &i, &j);
  return gap * (1.0 - copysign(4.0 * DBL_EPSILON, gap)) - pair->thickness - pair->doubt;
}

/* The same on the whole cell [l,u] with the quadratic direction n[3] (Bernstein form): see top. */
static double provenGapOn(const piecePair *pair, double l, double u, const brinkVec3 n[3]) {
  double length = greater(brinkLength(n[0]), greater(brinkLength(n[1]), brinkLength(n[2]))) * (1.0 + 4.0 * DBL_EPSILON);
  if (!(length > 0.0) || !isfinite(length)) return -INFINITY;
  double highest[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
         lowest[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (int side = 0; side < 2; ++side) {
    const movingPoints *points = side == 0 ? &pair->a : &pair->b;
    for (uint32_t i = 0; i < points->count; ++i) {
      brinkVec3 p = pointAt(points, i, l), q = pointAt(points, i, u);
      const double value[4] = {brinkDot(n[0], p), (2.0 * brinkDot(n[1], p) + brinkDot(n[0], q)) / 3.0,
                               (brinkDot(n[2], p) + 2.0 * brinkDot(n[1], q)) / 3.0, brinkDot(n[2], q)};
      for (int k = 0; k < 4; ++k) {
        if (side == 0) {
          highest[k] = greater(highest[k], value[k]);
        } else {
          lowest[k] = lesser(lowest[k], value[k]);
        }
      }
    }
  }
  double gap = INFINITY;
  for (int k = 0; k < 4; ++k) gap = lesser(gap, lowest[k] - highest[k]);
  if (!(gap > 0.0)) return -INFINITY;
  return gap / length * (1.0 - 4.0 * DBL_EPSILON) - pair->thickness - pair->doubt;
}

/* A time in [l,u] up to which the gap along n stays at about `aim` or more: where it falls to that, or just before. The
 * gap is concave, so lines through its vertices lie above it (their crossings are steps down to the right time) and its
 * chord from l lies below it. Only a proposal: what is used is proven again. */
static double reach(const piecePair *pair, double l, double u, brinkVec3 n, double aim) {
  uint32_t i = 0, j = 0;
  double t = u, gap = supportGap(pair, n, u, &i, &j), start = 0.0;
  for (int round = 0; round < 12 && gap < aim; ++round) {
    start = brinkDot(n, brinkSub(pointAt(&pair->b, j, l), pointAt(&pair->a, i, l)));
    if (!(start > aim)) return l;
    double next = l + (t - l) * ((start - aim) / (start - gap));
    if (!(next < t)) break;
    t = next;
    gap = supportGap(pair, n, t, &i, &j);
  }
  if (gap >= aim || t <= l) return t;
  start = supportGap(pair, n, l, &i, &j);
  return start > aim ? l + (t - l) * ((start - aim) / (start - gap)) : l;
}

static brinkPiece pieceNow(const movingPoints *points) {
  return (brinkPiece){
      .kind = brink_piecePoints, .count = points->count, .vertices = points->now, .boundRadius = 1.7320508075688776};
}

/* Closest points at t; positions in a.now and b.now. */
static void separate(piecePair *pair, double t, double relative, brinkSeparation *out) {
  movingPoints *side[2] = {&pair->a, &pair->b};
  for (int k = 0; k < 2; ++k) {
    for (uint32_t i = 0; i < side[k]->count; ++i) {
      brinkVec3 p = pointAt(side[k], i, t);
      double *now = side[k]->now + 3 * (size_t)i;
      now[0] = p.x, now[1] = p.y, now[2] = p.z;
    }
  }
  const brinkRigid here = brinkIdentityRigid();
  const brinkPiece a = pieceNow(&pair->a), b = pieceNow(&pair->b);
  const brinkGjkLimits limits = {
      .relative = relative, .absolute = 1e-3 * pair->tolerance, .enoughLower = INFINITY, .enoughUpper = -1.0};
  brinkGjk(&a, &here, &b, &here, &limits, &pair->nearest, out);
  pair->nearest = out->simplex;
}

static axisPoint axisAt(piecePair *pair, double t) {
  brinkSeparation s;
  separate(pair, t, 1e-6, &s);
  ++pair->iterations;
  axisPoint axis = {.t = t, .n = brinkNormalizeOr(s.normal, brinkV3(1, 0, 0))};
  axis.lower = provenGapAt(pair, axis.n, t);
  axis.upper = s.upper * (1.0 + 4.0 * DBL_EPSILON) - pair->thickness + pair->doubt;
  return axis;
}

/* Is the pair apart on [L, R]? The best bound found; L and R are looked at along their own directions, then along one
 * that turns linearly. */
static double proveCell(piecePair *pair, const axisPoint *left, const axisPoint *right) {
  ++pair->iterations;
  double bound = fmin(left->lower, provenGapAt(pair, left->n, right->t));
  double ends = fmin(left->lower, right->lower);
  if (bound > 0.0 && bound >= 0.5 * ends) return bound;
  if (!(right->lower > 0.0)) return bound;
  bound = fmax(bound, fmin(right->lower, provenGapAt(pair, right->n, left->t)));
  if (bound > 0.0 && bound >= 0.5 * ends) return bound;
  if (!(brinkDot(left->n, right->n) > -0.5)) return bound;
  const brinkVec3 turning[3] = {left->n, brinkScale(brinkAdd(left->n, right->n), 0.5), right->n};
  return fmax(bound, provenGapOn(pair, left->t, right->t, turning));
}

/* The same along the quadratic direction through those of L, M and R. */
static double proveCellThrough(piecePair *pair, const axisPoint *left, const axisPoint *middle,
                               const axisPoint *right) {
  ++pair->iterations;
  if (!(brinkDot(left->n, middle->n) > 0.0) || !(brinkDot(middle->n, right->n) > 0.0)) return -INFINITY;
  double s = (middle->t - left->t) / (right->t - left->t), r = 1.0 - s;
  if (!(s * r > 0.0)) return -INFINITY;
  brinkVec3 n = brinkMulAdd(brinkMulAdd(middle->n, -r * r, left->n), -s * s, right->n);
  const brinkVec3 turning[3] = {left->n, brinkScale(n, 0.5 / (r * s)), right->n};
  return provenGapOn(pair, left->t, right->t, turning);
}

typedef struct pairAnswer {
  brinkPairState state;
  double toi, toiUpper;
  double bound; /* scaled; free: smallest distance proven; else that at toi (may be <= 0) */
} pairAnswer;

/* First contact of the pair in [tStart,tEnd]. Proven free up to `left`; `waiting` holds sampled times to the right of
 * it, the nearest on top; the lowest is the end, which moves left whenever a contact is met on the way. */
static pairAnswer solvePair(piecePair *pair, double tStart, double tEnd) {
  axisPoint left = axisAt(pair, tStart);
  pairAnswer answer = {.state = brink_unresolved, .toi = tStart, .toiUpper = BRINK_NO_TIME, .bound = left.lower};
  if (left.upper <= pair->tolerance) {
    answer.state = left.lower > 0.0 ? brink_hit : brink_overlap;
    answer.toiUpper = tStart;
    return answer;
  }
  if (!(left.lower > 0.0)) return answer;
  if (!(tEnd > tStart)) {
    answer.state = brink_free;
    return answer;
  }
  axisPoint waiting[MOST_CELLS];
  size_t count = 0;
  double bound = left.lower;
  bool halve = false;
  waiting[count++] = axisAt(pair, tEnd);
  for (;;) {
    axisPoint right = waiting[count - 1];
    bool contact = right.upper <= pair->tolerance;
    double proven = proveCell(pair, &left, &right), advanced = left.t;
    axisPoint middle;
    if (!(proven > 0.0)) {
      if (pair->iterations >= pair->most || count == MOST_CELLS) break;
      if (contact && !halve)
        advanced = reach(pair, left.t, right.t, left.n,
                         pair->thickness + pair->doubt + fmax(0.25 * pair->tolerance, pair->doubt));
      middle.t = advanced > left.t && advanced < right.t ? advanced : 0.5 * (left.t + right.t);
      if (!(middle.t > left.t) || !(middle.t < right.t)) break;
      middle = axisAt(pair, middle.t);
      if (!contact && middle.lower > 0.0) proven = proveCellThrough(pair, &left, &middle, &right);
    }
    if (proven > 0.0) {
      bound = fmin(bound, proven);
      /* R's own direction may be poor; L's may still prove R. */
      double along = provenGapAt(pair, left.n, right.t);
      if (along > right.lower) {
        right.lower = along;
        right.n = left.n;
      }
      left = right;
      halve = false;
      if (--count > 0) continue;
      answer.state = contact ? brink_hit : brink_free;
      answer.toi = left.t;
      answer.toiUpper = contact ? left.t : BRINK_NO_TIME;
      answer.bound = contact ? left.lower : bound;
      return answer;
    }
    /* Newton's step is kept as long as it halves the distance. */
    halve = contact && !halve && middle.upper > 0.5 * left.upper;
    if (middle.upper <= pair->tolerance) count = 0;
    waiting[count++] = middle;
  }
  /* Too close to be told apart, or the work is spent. A contact known further on makes it a bracket, when nothing lies
   * between. */
  bool known = count == 1 && waiting[0].upper <= pair->tolerance && pair->iterations < pair->most;
  answer.state = known ? brink_hit : brink_unresolved;
  answer.toi = left.t;
  answer.toiUpper = known ? waiting[0].t : BRINK_NO_TIME;
  answer.bound = left.lower;
  return answer;
}

/* ---- pieces of bodies */

static uint32_t simplexVertices(const brinkAffineBody *body, size_t simplex, uint32_t ids[3]) {
  const uint32_t *given = body->simplices + 3 * simplex;
  uint32_t count = 0;
  for (int i = 0; i < 3; ++i) {
    bool repeated = false;
    for (uint32_t j = 0; j < count; ++j) repeated = repeated || ids[j] == given[i];
    if (!repeated) ids[count++] = given[i];
  }
  return count;
}

static size_t pieceCount(const brinkAffineBody *body) {
  return (body->flags & BRINK_MESH_CONVEX) != 0 ? 1 : body->simplexCount;
}

/* Vertex ids of a piece: NULL = all vertices. */
static uint32_t pieceVertices(const brinkAffineBody *body, size_t piece, uint32_t ids[3], const uint32_t **out) {
  *out = NULL;
  if ((body->flags & BRINK_MESH_CONVEX) != 0) return (uint32_t)body->vertexCount;
  *out = ids;
  return simplexVertices(body, piece, ids);
}

static const double *vertexOf(const double *vertices, const uint32_t *ids, uint32_t i) {
  return vertices + 3 * (size_t)(ids != NULL ? ids[i] : i);
}

typedef struct bounds3 {
  double lower[3], upper[3];
} bounds3;

static bounds3 emptyBounds(void) {
  return (bounds3){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void growBounds(bounds3 *bounds, const double p[3]) {
  for (int k = 0; k < 3; ++k) {
    bounds->lower[k] = lesser(bounds->lower[k], p[k]);
    bounds->upper[k] = greater(bounds->upper[k], p[k]);
  }
}

static void joinBounds(bounds3 *bounds, const bounds3 *other) {
  growBounds(bounds, other->lower);
  growBounds(bounds, other->upper);
}

static void collect(movingPoints *points, const brinkAffineBody *body, const uint32_t *ids, uint32_t count,
                    const double center[2][3], double scale) {
  points->count = count;
  for (uint32_t i = 0; i < count; ++i) {
    const double *p = vertexOf(body->start, ids, i), *q = vertexOf(body->end, ids, i);
    for (int k = 0; k < 3; ++k) {
      points->start[3 * (size_t)i + k] = (p[k] - center[0][k]) * scale;
      points->end[3 * (size_t)i + k] = (q[k] - center[1][k]) * scale;
    }
  }
}

/* Recentres, scales, and fills the pair; its arrays are there already. */
static void fillPair(piecePair *pair, const brinkAffineBody *a, size_t pieceA, const brinkAffineBody *b, size_t pieceB,
                     double tolerance) {
  uint32_t own[2][3];
  const uint32_t *ids[2];
  const brinkAffineBody *body[2] = {a, b};
  uint32_t counts[2] = {pieceVertices(a, pieceA, own[0], &ids[0]), pieceVertices(b, pieceB, own[1], &ids[1])};
  bounds3 bounds[2] = {emptyBounds(), emptyBounds()};
  for (int side = 0; side < 2; ++side) {
    for (uint32_t i = 0; i < counts[side]; ++i) {
      growBounds(&bounds[0], vertexOf(body[side]->start, ids[side], i));
      growBounds(&bounds[1], vertexOf(body[side]->end, ids[side], i));
    }
  }
  double center[2][3], error = a->error + b->error, radius = a->radius + b->radius, largest = fmax(error, radius);
  for (int end = 0; end < 2; ++end) {
    for (int k = 0; k < 3; ++k) {
      center[end][k] = 0.5 * (bounds[end].lower[k] + bounds[end].upper[k]);
      largest = fmax(largest, fmax(bounds[end].upper[k] - center[end][k], center[end][k] - bounds[end].lower[k]));
    }
  }
  int exponent = 0;
  frexp(largest, &exponent); /* largest < 2^exponent */
  pair->scale = largest > 0.0 ? ldexp(1.0, exponent < -999 ? 999 : -exponent) : 1.0;
  pair->thickness = radius * pair->scale;
  pair->doubt = error * pair->scale * (1.0 + 4.0 * DBL_EPSILON) + ROUNDING;
  pair->tolerance = tolerance * pair->scale;
  pair->nearest.count = 0;
  pair->nearest.normal = brinkV3(0, 0, 0);
  collect(&pair->a, a, ids[0], counts[0], (const double(*)[3])center, pair->scale);
  collect(&pair->b, b, ids[1], counts[1], (const double(*)[3])center, pair->scale);
}

/* Velocity of the point of a piece that lies at x at t, scaled: weights of the feature's vertices by least squares. */
static brinkVec3 velocityAt(const movingPoints *points, const uint32_t *indices, uint32_t count, double t,
                            brinkVec3 x) {
  brinkVec3 p[3], v[3];
  for (uint32_t i = 0; i < count; ++i) {
    p[i] = pointAt(points, indices[i], t);
    v[i] = brinkSub(brinkV3_FromArray(points->end + 3 * (size_t)indices[i]),
                    brinkV3_FromArray(points->start + 3 * (size_t)indices[i]));
  }
  if (count == 0) return brinkV3(0, 0, 0);
  if (count == 1) return v[0];
  brinkVec3 e = brinkSub(p[1], p[0]), d = brinkSub(x, p[0]);
  double ee = brinkDot(e, e), de = brinkDot(d, e);
  if (count == 2) return ee > 0.0 ? brinkMulAdd(v[0], de / ee, brinkSub(v[1], v[0])) : v[0];
  brinkVec3 f = brinkSub(p[2], p[0]);
  double ff = brinkDot(f, f), ef = brinkDot(e, f), df = brinkDot(d, f), area = ee * ff - ef * ef;
  if (!(area > 0.0)) return v[0];
  double s = (de * ff - df * ef) / area, r = (df * ee - de * ef) / area;
  return brinkMulAdd(brinkMulAdd(v[0], s, brinkSub(v[1], v[0])), r, brinkSub(v[2], v[0]));
}

/* Distinct local vertices of one side of the closest pair, and their ids in the body. */
static uint32_t featureOf(const uint32_t *indices, uint32_t count, const uint32_t *ids, uint32_t local[3],
                          uint32_t names[3]) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < count && found < 3; ++i) {
    bool repeated = false;
    for (uint32_t j = 0; j < found; ++j) repeated = repeated || local[j] == indices[i];
    if (repeated) continue;
    local[found] = indices[i];
    names[found++] = ids != NULL ? ids[indices[i]] : indices[i];
  }
  return found;
}

/* Witnesses, features, distance and speed at result->toi. */
static void describe(piecePair *pair, const brinkAffineBody *a, size_t pieceA, const brinkAffineBody *b, size_t pieceB,
                     double tolerance, brinkPairResult *result) {
  uint32_t own[2][3], local[2][3];
  const uint32_t *ids[2];
  pieceVertices(a, pieceA, own[0], &ids[0]);
  pieceVertices(b, pieceB, own[1], &ids[1]);
  fillPair(pair, a, pieceA, b, pieceB, tolerance);
  double t = result->toi, size = 1.0 / pair->scale;
  brinkSeparation s;
  separate(pair, t, 1e-10, &s);
  brinkVec3 n = brinkNormalizeOr(s.normal, brinkV3(1, 0, 0));
  result->kindA = featureOf(s.simplex.indexA, s.simplex.count, ids[0], local[0], result->featureA);
  result->kindB = featureOf(s.simplex.indexB, s.simplex.count, ids[1], local[1], result->featureB);
  brinkVec3 speedA = velocityAt(&pair->a, local[0], result->kindA, t, s.pointA);
  brinkVec3 speedB = velocityAt(&pair->b, local[1], result->kindB, t, s.pointB);
  result->normal = n;
  result->normalVelocity = size * brinkDot(n, brinkSub(speedB, speedA));
  /* where a vertex of A stands tells the translation that was taken off */
  const double *p = vertexOf(a->start, ids[0], 0), *q = vertexOf(a->end, ids[0], 0);
  brinkVec3 world = {(1.0 - t) * p[0] + t * q[0], (1.0 - t) * p[1] + t * q[1], (1.0 - t) * p[2] + t * q[2]};
  brinkVec3 moved = brinkMulAdd(world, -size, pointAt(&pair->a, 0, t));
  result->pointA = brinkMulAdd(brinkMulAdd(moved, size, s.pointA), a->radius, n);
  result->pointB = brinkMulAdd(brinkMulAdd(moved, size, s.pointB), -b->radius, n);
  result->distance = (s.upper - pair->thickness) * size;
  if (s.overlap) result->distance = fmin(0.0, s.lower * size - (a->radius + b->radius));
  result->pieceA = (uint32_t)pieceA;
  result->pieceB = (uint32_t)pieceB;
}

/* ---- trees of boxes whose sides move linearly */

typedef struct boxNode {
  bounds3 box[2];        /* at tStart and tEnd */
  uint32_t child;        /* the left one; the right one follows; NO_CHILD = leaf */
  uint32_t first, count; /* in the order */
} boxNode;

typedef struct boxTree {
  boxNode *nodes;
  size_t nodeCapacity;
  uint32_t nodeCount;
  uint32_t *order; /* pieces */
  size_t orderCapacity;
  double *keys; /* [pieceCount][3]: middle of the piece at the middle of the step */
  size_t keyCapacity;
  bounds3 *boxes; /* [pieceCount][2]: at tStart and tEnd */
  size_t boxCapacity;
} boxTree;

typedef struct waitingPair {
  double tin, tout; /* the boxes overlap no earlier, no later */
  uint32_t a, b;    /* nodes */
} waitingPair;

struct brinkAffineScratch {
  boxTree tree[2];
  waitingPair *heap;
  size_t heapCount, heapCapacity;
  double *points; /* of one pair of pieces */
  size_t pointCapacity;
  double *bodies; /* brinkAffineScratch_Reserve */
  size_t bodyCapacity;
  uint32_t *parents; /* connected parts */
  size_t parentCapacity;
};

static void interpolate(const double *start, const double *end, double t, double out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = (1.0 - t) * start[k] + t * end[k];
}

static void pieceBounds(const brinkAffineBody *body, size_t piece, double t, bounds3 *out) {
  uint32_t own[3];
  const uint32_t *ids;
  uint32_t count = pieceVertices(body, piece, own, &ids);
  *out = emptyBounds();
  for (uint32_t i = 0; i < count; ++i) {
    double p[3];
    interpolate(vertexOf(body->start, ids, i), vertexOf(body->end, ids, i), t, p);
    growBounds(out, p);
  }
}

static bool keyBefore(const boxTree *tree, int axis, uint32_t a, uint32_t b) {
  double x = tree->keys[3 * (size_t)a + (size_t)axis], y = tree->keys[3 * (size_t)b + (size_t)axis];
  return x < y || (x == y && a < b);
}

/* Quickselect: the `middle` smallest pieces of order[first, first + count) come first. */
static void selectHalf(boxTree *tree, int axis, uint32_t first, uint32_t count, uint32_t middle) {
  uint32_t *order = tree->order + first;
  uint32_t low = 0, high = count - 1;
  while (low < high) {
    uint32_t pivot = order[low + (high - low) / 2], i = low, j = high;
    for (;;) {
      while (keyBefore(tree, axis, order[i], pivot)) ++i;
      while (keyBefore(tree, axis, pivot, order[j])) --j;
      if (i >= j) break;
      uint32_t held = order[i];
      order[i++] = order[j];
      order[j--] = held;
    }
    /* order[low..j] <= pivot <= order[j+1..high] */
    if (middle <= j) {
      high = j;
    } else {
      low = j + 1;
    }
  }
}

static int widestAxis(const boxTree *tree, uint32_t first, uint32_t count) {
  bounds3 spread = emptyBounds();
  for (uint32_t i = 0; i < count; ++i) growBounds(&spread, tree->keys + 3 * (size_t)tree->order[first + i]);
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (spread.upper[k] - spread.lower[k] > spread.upper[axis] - spread.lower[axis]) axis = k;
  return axis;
}

static brinkStatus buildTree(brinkContext *context, boxTree *tree, const brinkAffineBody *body, double tStart,
                             double tEnd) {
  size_t pieces = pieceCount(body);
  brinkStatus status;
  GROW(tree->nodes, tree->nodeCapacity, 2 * pieces);
  if (status == brink_ok) GROW(tree->order, tree->orderCapacity, pieces);
  if (status == brink_ok) GROW(tree->keys, tree->keyCapacity, 3 * pieces);
  if (status == brink_ok) GROW(tree->boxes, tree->boxCapacity, 2 * pieces);
  if (status != brink_ok) return brinkFail(context, status, "no memory for the boxes of %zu simplices", pieces);
  for (size_t i = 0; i < pieces; ++i) {
    bounds3 *box = &tree->boxes[2 * i];
    pieceBounds(body, i, tStart, &box[0]);
    pieceBounds(body, i, tEnd, &box[1]);
    for (int k = 0; k < 3; ++k)
      tree->keys[3 * i + (size_t)k] =
          0.25 * (box[0].lower[k] + box[0].upper[k]) + 0.25 * (box[1].lower[k] + box[1].upper[k]);
    tree->order[i] = (uint32_t)i;
  }
  tree->nodes[0] = (boxNode){.first = 0, .count = (uint32_t)pieces};
  tree->nodeCount = 1;
  for (uint32_t at = 0; at < tree->nodeCount; ++at) { /* children come after their parent */
    boxNode *node = &tree->nodes[at];
    if (node->count == 1) continue;
    uint32_t half = node->count / 2;
    selectHalf(tree, widestAxis(tree, node->first, node->count), node->first, node->count, half);
    node->child = tree->nodeCount;
    tree->nodes[node->child] = (boxNode){.first = node->first, .count = half};
    tree->nodes[node->child + 1] = (boxNode){.first = node->first + half, .count = node->count - half};
    tree->nodeCount += 2;
  }
  for (uint32_t at = tree->nodeCount; at-- > 0;) {
    boxNode *node = &tree->nodes[at];
    if (node->child == NO_CHILD) {
      memcpy(node->box, &tree->boxes[2 * (size_t)tree->order[node->first]], sizeof node->box);
      continue;
    }
    for (int end = 0; end < 2; ++end) {
      node->box[end] = tree->nodes[node->child].box[end];
      joinBounds(&node->box[end], &tree->nodes[node->child + 1].box[end]);
    }
  }
  return brink_ok;
}

/* During which part [in, out] of the step (fractions) are the boxes closer than margin along every axis? false: never.
 */
static bool overlapInterval(const boxNode *a, const boxNode *b, double margin, double *in, double *out) {
  *in = 0.0;
  *out = 1.0;
  for (int side = 0; side < 6; ++side) {
    int k = side / 2;
    const boxNode *low = side % 2 ? b : a, *high = side % 2 ? a : b;
    double start = high->box[0].lower[k] - low->box[0].upper[k] - margin;
    double end = high->box[1].lower[k] - low->box[1].upper[k] - margin;
    if (start > 0.0 && end > 0.0) return false;
    if (start > 0.0) *in = greater(*in, start / (start - end));
    if (end > 0.0) *out = lesser(*out, start / (start - end));
  }
  return *in <= *out;
}

/* ---- pairs of nodes by the time their boxes meet */

static bool comesBefore(const waitingPair *x, const waitingPair *y) {
  if (x->tin != y->tin) return x->tin < y->tin;
  return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static brinkStatus pushPair(brinkContext *context, brinkAffineScratch *scratch, waitingPair pair) {
  brinkStatus status;
  GROW(scratch->heap, scratch->heapCapacity, scratch->heapCount + 1);
  if (status != brink_ok) return brinkFail(context, status, "no memory for %zu pairs of boxes", scratch->heapCount + 1);
  size_t at = scratch->heapCount++;
  while (at > 0 && comesBefore(&pair, &scratch->heap[(at - 1) / 2])) {
    scratch->heap[at] = scratch->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  scratch->heap[at] = pair;
  return brink_ok;
}

static waitingPair popPair(brinkAffineScratch *scratch) {
  waitingPair top = scratch->heap[0];
  size_t count = --scratch->heapCount, at = 0;
  waitingPair last = scratch->heap[count];
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && comesBefore(&scratch->heap[child + 1], &scratch->heap[child])) ++child;
    if (!comesBefore(&scratch->heap[child], &last)) break;
    scratch->heap[at] = scratch->heap[child];
    at = child;
  }
  scratch->heap[at] = last;
  return top;
}

/* ---- one inside the other at the start */

static uint32_t rootOf(uint32_t *parents, uint32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

/* Winding number of the body's simplices about p at t, from solid angles (Van Oosterom and Strackee 1983). */
static double windingAt(const brinkAffineBody *body, double t, const double p[3]) {
  double sum = 0.0;
  for (size_t i = 0; i < body->simplexCount; ++i) {
    brinkVec3 corner[3];
    double length[3];
    for (int k = 0; k < 3; ++k) {
      uint32_t id = body->simplices[3 * i + (size_t)k];
      double x[3];
      interpolate(body->start + 3 * (size_t)id, body->end + 3 * (size_t)id, t, x);
      corner[k] = brinkV3(x[0] - p[0], x[1] - p[1], x[2] - p[2]);
      length[k] = brinkLength(corner[k]);
    }
    double volume = brinkDot(corner[0], brinkCross(corner[1], corner[2]));
    double spread = length[0] * length[1] * length[2] + brinkDot(corner[0], corner[1]) * length[2] +
                    brinkDot(corner[1], corner[2]) * length[0] + brinkDot(corner[2], corner[0]) * length[1];
    if (volume != 0.0 || spread != 0.0) sum += 2.0 * atan2(volume, spread);
  }
  return sum / 12.566370614359172;
}

/* Is a connected part of `inner` inside the solid at t, by one vertex each? Its surface may still cross: that is found
 * elsewhere. */
static brinkStatus findContained(brinkContext *context, brinkAffineScratch *scratch, const brinkAffineBody *solid,
                                 const brinkAffineBody *inner, double t, bool *found, double where[3]) {
  *found = false;
  if ((solid->flags & BRINK_MESH_SOLID) == 0 || (solid->flags & BRINK_MESH_CONVEX) != 0) return brink_ok;
  bounds3 box = emptyBounds();
  for (size_t i = 0; i < solid->simplexCount; ++i) {
    bounds3 one;
    pieceBounds(solid, i, t, &one);
    joinBounds(&box, &one);
  }
  size_t count = inner->vertexCount;
  brinkStatus status;
  GROW(scratch->parents, scratch->parentCapacity, count);
  if (status != brink_ok) return brinkFail(context, status, "no memory for the connected parts of %zu vertices", count);
  uint32_t *parents = scratch->parents;
  bool whole = (inner->flags & BRINK_MESH_CONVEX) != 0;
  for (size_t i = 0; i < count; ++i) parents[i] = whole ? 0 : UINT32_MAX;
  for (size_t i = 0; !whole && i < 3 * inner->simplexCount; ++i) parents[inner->simplices[i]] = inner->simplices[i];
  for (size_t i = 0; !whole && i < inner->simplexCount; ++i) {
    uint32_t first = rootOf(parents, inner->simplices[3 * i]);
    for (size_t k = 1; k < 3; ++k) {
      uint32_t other = rootOf(parents, inner->simplices[3 * i + k]);
      if (other == first) continue;
      if (other < first) {
        parents[first] = other;
        first = other;
      } else {
        parents[other] = first;
      }
    }
  }
  for (size_t i = 0; i < count && !*found; ++i) {
    if (parents[i] != (uint32_t)i) continue; /* one vertex for each part */
    interpolate(inner->start + 3 * i, inner->end + 3 * i, t, where);
    bool outside = false;
    for (int k = 0; k < 3; ++k) outside = outside || where[k] < box.lower[k] || where[k] > box.upper[k];
    *found = !outside && fabs(windingAt(solid, t, where)) > 0.5;
  }
  return brink_ok;
}

/* ---- public */

brinkAffineScratch *brinkAffineScratch_Create(brinkContext *context) {
  return brinkAllocateZeroed(context, 1, sizeof(brinkAffineScratch));
}

void brinkAffineScratch_Destroy(brinkContext *context, brinkAffineScratch *scratch) {
  if (scratch == NULL) return;
  for (int k = 0; k < 2; ++k) {
    boxTree *tree = &scratch->tree[k];
    brinkRelease(context, tree->nodes, tree->nodeCapacity * sizeof *tree->nodes);
    brinkRelease(context, tree->order, tree->orderCapacity * sizeof *tree->order);
    brinkRelease(context, tree->boxes, tree->boxCapacity * sizeof *tree->boxes);
    brinkRelease(context, tree->keys, tree->keyCapacity * sizeof *tree->keys);
  }
  brinkRelease(context, scratch->heap, scratch->heapCapacity * sizeof *scratch->heap);
  brinkRelease(context, scratch->points, scratch->pointCapacity * sizeof *scratch->points);
  brinkRelease(context, scratch->bodies, scratch->bodyCapacity * sizeof *scratch->bodies);
  brinkRelease(context, scratch->parents, scratch->parentCapacity * sizeof *scratch->parents);
  brinkRelease(context, scratch, sizeof *scratch);
}

/* Mixes one undirected edge into 64 bits (splitmix64). */
static uint64_t edgeHash(uint64_t low, uint64_t high) {
  uint64_t z = (low << 32 ^ low >> 32 ^ high) + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Of where a vertex begins and ends: vertices at one place are one. */
static uint64_t placeHash(const brinkAffineBody *body, uint32_t id) {
  double at[6];
  for (size_t k = 0; k < 6; ++k) at[k] = (k < 3 ? body->start : body->end)[3 * (size_t)id + k % 3] + 0.0; /* no -0 */
  return brinkHash(0, at, sizeof at);
}

/* Does every edge run as often one way as the other? Signed sum of hashes: a border passes unseen with a chance of
 * 2^-64. */
static bool withoutBorder(const brinkAffineBody *body) {
  uint64_t sum = 0;
  for (size_t i = 0; i < body->simplexCount; ++i) {
    uint64_t places[3];
    for (size_t k = 0; k < 3; ++k) places[k] = placeHash(body, body->simplices[3 * i + k]);
    for (size_t k = 0; k < 3; ++k) {
      uint64_t from = places[k], to = places[(k + 1) % 3];
      if (from < to) sum += edgeHash(from, to);
      if (from > to) sum -= edgeHash(to, from);
    }
  }
  return sum == 0;
}

brinkStatus brinkCheckAffineBody(brinkContext *context, const brinkAffineBody *body, const char *name) {
  if (body->start == NULL || body->end == NULL || body->vertexCount == 0)
    return brinkFail(context, body->vertexCount == 0 ? brink_errorEmpty : brink_errorNullArgument, "%s: no vertices",
                     name);
  bool convex = (body->flags & BRINK_MESH_CONVEX) != 0;
  if (!convex && body->simplexCount == 0)
    return brinkFail(context, brink_errorEmpty, "%s: no simplices, and not flagged convex", name);
  if (body->simplexCount > 0 && body->simplices == NULL)
    return brinkFail(context, brink_errorNullArgument, "%s: simplices is NULL, simplexCount %zu", name,
                     body->simplexCount);
  if (body->vertexCount > UINT32_MAX / 4 || body->simplexCount > UINT32_MAX / 4)
    return brinkFail(context, brink_errorRange, "%s: more than %u vertices or simplices", name, UINT32_MAX / 4);
  for (size_t i = 0; i < 3 * body->vertexCount; ++i) {
    double largest = fmax(fabs(body->start[i]), fabs(body->end[i]));
    if (isnan(body->start[i]) || isnan(body->end[i]) || isinf(largest))
      return brinkFail(context, brink_errorBadValue, "%s: vertex %zu is not finite", name, i / 3);
    if (largest > BRINK_LARGEST_COORDINATE)
      return brinkFail(context, brink_errorRange, "%s: vertex %zu: %g is beyond %g", name, i / 3, largest,
                       BRINK_LARGEST_COORDINATE);
  }
  for (size_t i = 0; i < 3 * body->simplexCount; ++i)
    if (body->simplices[i] >= body->vertexCount)
      return brinkFail(context, brink_errorBadIndex, "%s: simplex %zu names vertex %u of %zu", name, i / 3,
                       body->simplices[i], body->vertexCount);
  if (!(body->radius >= 0.0 && body->radius <= BRINK_LARGEST_COORDINATE))
    return brinkFail(context, brink_errorBadValue, "%s: radius %g is not a length", name, body->radius);
  if (!convex && (body->flags & BRINK_MESH_SOLID) != 0 && !withoutBorder(body))
    return brinkFail(context, brink_errorNotClosed,
                     "%s: solid, but its triangles do not close a consistently wound surface", name);
  return brink_ok;
}

double brinkAffineBody_Magnitude(const brinkAffineBody *body) {
  double largest = 0.0;
  for (size_t i = 0; i < 3 * body->vertexCount; ++i)
    largest = fmax(largest, fmax(fabs(body->start[i]), fabs(body->end[i])));
  return largest + body->radius + body->error;
}

double brinkAffineBody_Size(const brinkAffineBody *body) {
  bounds3 box = emptyBounds();
  for (size_t i = 0; i < body->vertexCount; ++i) growBounds(&box, body->start + 3 * i);
  brinkVec3 half = {0.5 * (box.upper[0] - box.lower[0]), 0.5 * (box.upper[1] - box.lower[1]),
                    0.5 * (box.upper[2] - box.lower[2])};
  return brinkLength(half) + body->radius;
}

brinkStatus brinkAffineScratch_Reserve(brinkContext *context, brinkAffineScratch *scratch, size_t doubleCount,
                                       double **doubles) {
  brinkStatus status;
  GROW(scratch->bodies, scratch->bodyCapacity, doubleCount);
  if (status != brink_ok) return brinkFail(context, status, "no memory for %zu coordinates", doubleCount);
  *doubles = scratch->bodies;
  return brink_ok;
}

static brinkStatus preparePair(brinkContext *context, brinkAffineScratch *scratch, const brinkAffineBody *a,
                               const brinkAffineBody *b, piecePair *pair) {
  size_t countA = (a->flags & BRINK_MESH_CONVEX) != 0 ? a->vertexCount : 3,
         countB = (b->flags & BRINK_MESH_CONVEX) != 0 ? b->vertexCount : 3;
  brinkStatus status;
  GROW(scratch->points, scratch->pointCapacity, 9 * (countA + countB));
  if (status != brink_ok) return brinkFail(context, status, "no memory for %zu vertices of a pair", countA + countB);
  double *points = scratch->points;
  memset(pair, 0, sizeof *pair);
  pair->a = (movingPoints){0, points, points + 3 * countA, points + 6 * countA};
  points += 9 * countA;
  pair->b = (movingPoints){0, points, points + 3 * countB, points + 6 * countB};
  return brink_ok;
}

/* Everything that one query knows. */
typedef struct search {
  const brinkAffineBody *a, *b;
  const brinkAffineQuery *query;
  piecePair pair;
  double bound;      /* m; smallest distance proven so far */
  double contact;    /* toi of the best contact; INFINITY = none */
  double unresolved; /* smallest proven prefix of an unresolved pair; INFINITY = none */
  pairAnswer best;
  size_t bestA, bestB; /* pieces */
} search;

static void solvePieces(search *s, size_t pieceA, size_t pieceB, double tStart, double tEnd) {
  fillPair(&s->pair, s->a, pieceA, s->b, pieceB, s->query->tolerance);
  pairAnswer answer = solvePair(&s->pair, tStart, tEnd);
  if (answer.state == brink_overlap && tStart > s->query->tStart) answer.state = brink_hit;
  if (answer.state == brink_free) {
    s->bound = fmin(s->bound, fmax(0.0, answer.bound / s->pair.scale));
  } else if (answer.state == brink_unresolved) {
    if (answer.toi < s->unresolved) s->unresolved = answer.toi;
  } else if (answer.toi < s->contact || (answer.toi == s->contact && answer.state > s->best.state)) {
    s->contact = answer.toi;
    s->best = answer;
    s->bestA = pieceA;
    s->bestB = pieceB;
  }
}

/* Can a pair that is free until `from` no longer change the answer? Not the first contact; but `overlap` counts more
 * than `hit`. */
static bool nothingEarlier(const search *s, double from) {
  if (from > fmin(s->contact, s->unresolved)) return true;
  if (from < s->contact) return false;
  return s->query->prefixOnly || from > s->query->tStart || s->best.state == brink_overlap;
}

/* Pairs of nodes, the earliest first. What lies outside a pair's interval of overlap is at least `margin` apart. */
static brinkStatus searchTrees(brinkContext *context, brinkAffineScratch *scratch, search *s) {
  double tStart = s->query->tStart, duration = s->query->tEnd - tStart;
  brinkStatus status = buildTree(context, &scratch->tree[0], s->a, tStart, s->query->tEnd);
  if (status == brink_ok) status = buildTree(context, &scratch->tree[1], s->b, tStart, s->query->tEnd);
  if (status != brink_ok) return status;
  const boxTree *treeA = &scratch->tree[0], *treeB = &scratch->tree[1];
  double margin =
      (s->query->tolerance + (s->a->radius + s->b->radius) + (s->a->error + s->b->error)) * (1.0 + 8.0 * DBL_EPSILON) +
      ROUNDING * (brinkAffineBody_Magnitude(s->a) + brinkAffineBody_Magnitude(s->b));
  waitingPair root = {0};
  s->bound = fmin(s->bound, s->query->tolerance);
  scratch->heapCount = 0;
  if (overlapInterval(&treeA->nodes[0], &treeB->nodes[0], margin, &root.tin, &root.tout))
    status = pushPair(context, scratch, root);
  while (scratch->heapCount > 0 && status == brink_ok) {
    waitingPair next = popPair(scratch);
    double from = fmax(tStart, tStart + next.tin * duration), to = fmin(s->query->tEnd, tStart + next.tout * duration);
    if (nothingEarlier(s, from)) break;
    if (s->pair.iterations >= s->pair.most) {
      s->unresolved = fmin(s->unresolved, from);
      break;
    }
    const boxNode *a = &treeA->nodes[next.a], *b = &treeB->nodes[next.b];
    if (a->child == NO_CHILD && b->child == NO_CHILD) {
      solvePieces(s, treeA->order[a->first], treeB->order[b->first], from, fmax(from, fmin(to, s->contact)));
      continue;
    }
    bool splitA = b->child == NO_CHILD || (a->child != NO_CHILD && a->count >= b->count);
    for (uint32_t k = 0; k < 2 && status == brink_ok; ++k) {
      waitingPair child = {.a = splitA ? a->child + k : next.a, .b = splitA ? next.b : b->child + k};
      ++s->pair.iterations;
      if (overlapInterval(&treeA->nodes[child.a], &treeB->nodes[child.b], margin, &child.tin, &child.tout))
        status = pushPair(context, scratch, child);
    }
  }
  return status;
}

brinkStatus brinkCheckAffineQuery(brinkContext *context, const brinkAffineQuery *query) {
  if (!(query->tStart >= 0.0 && query->tStart <= query->tEnd && query->tEnd <= 1.0))
    return brinkFail(context, brink_errorBadTime, "interval [%g, %g] is not within [0,1]", query->tStart, query->tEnd);
  if (!(query->tolerance > 0.0) || !isfinite(query->tolerance))
    return brinkFail(context, brink_errorBadValue, "tolerance %g is not a length greater than 0", query->tolerance);
  return brink_ok;
}

brinkStatus brinkAffine_FirstContact(brinkContext *context, brinkAffineScratch *scratch, const brinkAffineBody *a,
                                     const brinkAffineBody *b, const brinkAffineQuery *query, brinkPairResult *result) {
  brinkStatus status = brinkCheckAffineQuery(context, query);
  search s = {.a = a, .b = b, .query = query, .bound = INFINITY, .contact = INFINITY, .unresolved = INFINITY};
  if (status == brink_ok) status = preparePair(context, scratch, a, b, &s.pair);
  if (status != brink_ok) return status;
  s.pair.most = query->maxIterations != 0 ? query->maxIterations : DEFAULT_ITERATIONS;
  bool contained = false;
  double where[3] = {0, 0, 0};
  status = findContained(context, scratch, a, b, query->tStart, &contained, where);
  if (status == brink_ok && !contained)
    status = findContained(context, scratch, b, a, query->tStart, &contained, where);
  if (status == brink_ok && !contained) {
    if (pieceCount(a) == 1 && pieceCount(b) == 1) {
      solvePieces(&s, 0, 0, query->tStart, query->tEnd);
    } else {
      status = searchTrees(context, scratch, &s);
    }
  }
  if (status != brink_ok) return status;
  memset(result, 0, sizeof *result);
  result->iterations = s.pair.iterations;
  if (contained) {
    result->state = brink_overlap;
    result->toi = result->toiUpper = query->tStart;
    result->pointA = result->pointB = brinkV3_FromArray(where);
    result->normal = brinkV3(1, 0, 0);
    return brink_ok;
  }
  if (s.unresolved < s.contact ||
      (s.unresolved == s.contact && s.best.state != brink_overlap && isfinite(s.unresolved))) {
    result->state = brink_unresolved;
    result->toi = s.unresolved;
    result->toiUpper = isfinite(s.contact) ? s.best.toiUpper : BRINK_NO_TIME;
    return brink_ok;
  }
  if (isfinite(s.contact)) {
    result->state = s.best.state;
    result->toi = s.best.toi;
    result->toiUpper = s.best.toiUpper;
    describe(&s.pair, a, s.bestA, b, s.bestB, query->tolerance, result);
    return brink_ok;
  }
  result->state = brink_free;
  result->toi = result->toiUpper = BRINK_NO_TIME;
  result->distance = isfinite(s.bound) ? s.bound * (1.0 - 4.0 * DBL_EPSILON) : 0.0;
  return brink_ok;
}
