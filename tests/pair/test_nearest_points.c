/* SPDX-License-Identifier: BSD-3-Clause */
/* Nearest points of two triangles, found in single precision and realised in double, against all features of the two in
 * quadruple precision: what is told is a pair of points of the two, never nearer than the truth, and nearest but for
 * what single precision may miss. Where the two cross, any pair of points will do. The bracket made of them encloses
 * the truth. The source stands here as it is, so that its own words can be asked. */
#include "../../algorithms/pair/swept_axis.c"
/* behind it */
#include "cases.h"
#include "test_random.h"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide;
#else
typedef long double wide;
#endif

typedef struct wide3 {
  wide x, y, z;
} wide3;
static wide3 widen(const double p[3]) { return (wide3){p[0], p[1], p[2]}; }
static wide3 sub(wide3 a, wide3 b) { return (wide3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static wide3 along(wide3 a, wide t, wide3 d) { return (wide3){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z}; }
static wide dot(wide3 a, wide3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static wide3 cross(wide3 a, wide3 b) {
  return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static wide smaller(wide a, wide b) { return a < b ? a : b; }
static double root(wide square) { return (double)sqrtl((long double)square); }

/* ---- squares of distances, every feature against every other */

static wide pointEdge(wide3 p, wide3 a, wide3 b) {
  const wide3 d = sub(b, a);
  const wide length = dot(d, d);
  wide t = length > 0 ? dot(sub(p, a), d) / length : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  const wide3 r = sub(p, along(a, t, d));
  return dot(r, r);
}

static wide edgeEdge(wide3 a, wide3 b, wide3 c, wide3 d) {
  const wide best =
      smaller(smaller(pointEdge(a, c, d), pointEdge(b, c, d)), smaller(pointEdge(c, a, b), pointEdge(d, a, b)));
  const wide3 u = sub(b, a), v = sub(d, c), n = cross(u, v), r = sub(c, a);
  const wide size = dot(n, n);
  if (!(size > 0)) return best;
  const wide s = dot(cross(r, v), n) / size, t = dot(cross(r, u), n) / size;
  if (s < 0 || s > 1 || t < 0 || t > 1) return best;
  const wide3 w = sub(along(c, t, v), along(a, s, u));
  return smaller(best, dot(w, w));
}

static bool isOver(wide3 p, const wide3 *t) {
  const wide3 n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
  for (int i = 0; i < 3; ++i)
    if (dot(cross(sub(t[(i + 1) % 3], t[i]), sub(p, t[i])), n) < 0) return false;
  return dot(n, n) > 0;
}

static wide pointTriangle(wide3 p, const wide3 *t) {
  wide best = smaller(pointEdge(p, t[0], t[1]), smaller(pointEdge(p, t[1], t[2]), pointEdge(p, t[2], t[0])));
  if (!isOver(p, t)) return best;
  const wide3 n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
  const wide height = dot(sub(p, t[0]), n);
  return smaller(best, height * height / dot(n, n));
}

static bool pierces(wide3 a, wide3 b, const wide3 *t) {
  const wide3 n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
  const wide ha = dot(sub(a, t[0]), n), hb = dot(sub(b, t[0]), n);
  if (ha == hb || (ha > 0 && hb > 0) || (ha < 0 && hb < 0)) return false;
  return isOver(along(a, ha / (ha - hb), sub(b, a)), t);
}

static wide squareOf(const double a[3][3], const double b[3][3], bool *crossing) {
  wide3 t[2][3];
  for (int i = 0; i < 3; ++i) {
    t[0][i] = widen(a[i]);
    t[1][i] = widen(b[i]);
  }
  wide best = (wide)INFINITY;
  *crossing = false;
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < 3; ++i) {
      const wide3 p = t[side][i], q = t[side][(i + 1) % 3], *other = t[1 - side];
      best = smaller(best, pointTriangle(p, other));
      *crossing = *crossing || pierces(p, q, other);
      for (int j = 0; j < 3; ++j) best = smaller(best, edgeEdge(p, q, other[j], other[(j + 1) % 3]));
    }
  return *crossing ? 0 : best;
}

/* ---- the judge */

typedef struct Worst {
  double over; /* distance told less the truth, of the size */
  long pairs, crossing;
} Worst;

/* allowed: of the size */
static void judge(const double a[3][3], const double b[3][3], double allowed, Worst *worst) {
  double size = 0, place = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      size = fmax(size, fmax(fabs(a[i][k] - b[0][k]), fabs(b[i][k] - b[0][k])));
      place = fmax(place, fmax(fabs(a[i][k]), fabs(b[i][k])));
    }
  bool crossing;
  const double truth = root(squareOf(a, b, &crossing)), rounding = 16 * DBL_EPSILON * (place + size);
  const Nearest told = NearestPoints(a, b);
  wide3 corners[2][3];
  for (int i = 0; i < 3; ++i) {
    corners[0][i] = widen(a[i]);
    corners[1][i] = widen(b[i]);
  }
  const double onA = root(pointTriangle((wide3){told.x.x, told.x.y, told.x.z}, corners[0])),
               onB = root(pointTriangle((wide3){told.y.x, told.y.y, told.y.z}, corners[1]));
  if (!(onA <= rounding && onB <= rounding)) fail_msg("points off their triangles by %g, %g", onA, onB);
  if (fabs(told.distance - brinkDistance(told.x, told.y)) > 0) fail_msg("distance is not that of the points");
  if (!(told.distance >= truth - 2 * rounding)) fail_msg("%.17g is nearer than the truth, %.17g", told.distance, truth);
  worst->pairs++;
  worst->crossing += crossing;
  if (!crossing) {
    const double over = (told.distance - truth - rounding) / size;
    if (!(over <= allowed)) fail_msg("%.17g told, %.17g true, size %g: over by %g", told.distance, truth, size, over);
    worst->over = fmax(worst->over, over);
  }
  /* the bracket: A placed, B resting */
  const brinkRigid identity = brinkIdentityRigid();
  brinkPiece pieces[2] = {{.kind = brink_piecePoints, .count = 3, .vertices = a[0]},
                          {.kind = brink_piecePoints, .count = 3, .vertices = b[0]}};
  for (int side = 0; side < 2; ++side) pieces[side].boundRadius = 2 * (place + size); /* about the origin */
  const Leaf leaf = MakeLeaf(&pieces[0], &pieces[1]);
  const Bracket bracket = QuickBracket(&leaf, &identity);
  if (!(bracket.lower <= truth && truth <= bracket.upper))
    fail_msg("%.17g is not between %.17g and %.17g", truth, bracket.lower, bracket.upper);
  if (isfinite(bracket.lower) && GapAt(&leaf, &identity, bracket.normal) > truth)
    fail_msg("a gap along a normal above the truth");
}

static void draw(uint64_t *seed, double scale, double out[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out[i][k] = splitUniform(seed, -scale, scale);
}

static void shift(double t[3][3], double x, double y, double z) {
  for (int i = 0; i < 3; ++i) {
    t[i][0] += x;
    t[i][1] += y;
    t[i][2] += z;
  }
}

static void both(const double a[3][3], const double b[3][3], double allowed, Worst *worst) {
  judge(a, b, allowed, worst);
  judge(b, a, allowed, worst);
}

#define CONST(t) ((const double(*)[3])(t))
#define PAIRS 200

CASE(triangles_anywhere_and_of_any_size) {
  static const double scales[] = {1, 1e3, 1e-3, 1e-6}, places[] = {0, 1, 1e4};
  uint64_t seed = 1;
  Worst worst = {0};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s)
    for (size_t p = 0; p < sizeof places / sizeof *places; ++p)
      for (int i = 0; i < PAIRS; ++i) {
        double a[3][3], b[3][3];
        draw(&seed, scales[s], a);
        draw(&seed, scales[s], b);
        const double far = splitUniform(&seed, 0, 3) * scales[s];
        shift(b, far, 0.3 * far, -0.5 * far);
        shift(a, places[p] * scales[s], -2 * places[p] * scales[s], places[p] * scales[s]);
        shift(b, places[p] * scales[s], -2 * places[p] * scales[s], places[p] * scales[s]);
        both(CONST(a), CONST(b), 1e-5, &worst);
      }
  print_message("%ld pairs, %ld crossing, over by %g of the size\n", worst.pairs, worst.crossing, worst.over);
  assert_true(worst.crossing > worst.pairs / 50);
}

/* One above the other at a known height, with edges parallel or not; a height of 0 touches. */
CASE(triangles_in_parallel_planes_and_touching) {
  static const double heights[] = {1, 1e-2, 1e-4, 0};
  uint64_t seed = 2;
  Worst worst = {0};
  for (size_t h = 0; h < sizeof heights / sizeof *heights; ++h)
    for (int i = 0; i < PAIRS; ++i) {
      double a[3][3], b[3][3];
      draw(&seed, 1, a);
      draw(&seed, 1, b);
      for (int k = 0; k < 3; ++k) {
        a[k][2] = 0;
        b[k][2] = heights[h];
      }
      if (i % 3 == 0) /* the same triangle, moved: three pairs of parallel edges */
        for (int k = 0; k < 6; ++k) b[k / 2][k % 2] = a[k / 2][k % 2] + 0.5 * (k % 2 ? 1 : heights[h]);
      if (i % 3 == 1) /* a corner shared */
        for (int k = 0; k < 2; ++k) b[i % 2][k] = a[i % 2][k];
      both(CONST(a), CONST(b), 1e-5, &worst);
    }
  print_message("over by %g of the size\n", worst.over);
}

/* Segments, points and needles. */
CASE(triangles_without_an_area) {
  static const double thin[] = {0, 1e-9, 1e-6, 1e-3};
  uint64_t seed = 3;
  Worst worst = {0};
  for (size_t n = 0; n < sizeof thin / sizeof *thin; ++n)
    for (int i = 0; i < PAIRS; ++i) {
      double a[3][3], b[3][3];
      draw(&seed, 1, a);
      draw(&seed, 1, b);
      shift(b, 0, 0, splitUniform(&seed, 0, 3));
      const double t = splitUniform(&seed, 0, 1);
      for (int k = 0; k < 3; ++k) {
        a[2][k] = a[0][k] + t * (a[1][k] - a[0][k]) + thin[n] * splitUniform(&seed, -1, 1);
        if (i % 2) b[1][k] = b[2][k] + thin[n] * splitUniform(&seed, -1, 1);
        if (i % 4 == 3) b[0][k] = b[2][k] + thin[n] * splitUniform(&seed, -1, 1);
      }
      both(CONST(a), CONST(b), 1e-5, &worst);
    }
  print_message("over by %g of the size\n", worst.over);
}

/* Every feature by itself, exact. */
CASE(each_pair_of_features_is_found) {
  static const double floor[3][3] = {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}};
  Worst worst = {0};
  for (int corner = 0; corner < 3; ++corner) /* over the face: each corner of the other */
    for (int first = 0; first < 3; ++first) {
      double a[3][3] = {{1, 1, 9}, {2, 1, 9}, {1, 2, 9}}, b[3][3];
      a[corner][2] = 2;
      memcpy(b, floor, sizeof b);
      for (int i = 0; i < 3; ++i) memcpy(b[i], floor[(i + first) % 3], sizeof b[i]);
      both(CONST(a), CONST(b), 0, &worst);
      assert_true(NearestPoints(CONST(a), CONST(b)).distance == 2);
    }
  for (int i = 0; i < 3; ++i) /* beside an edge: each edge with each */
    for (int j = 0; j < 3; ++j) {
      double a[3][3], b[3][3];
      const double upper[3][3] = {{0, -1, 3}, {0, 1, 3}, {0, 0, 11}}, lower[3][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, -8}};
      for (int k = 0; k < 3; ++k) {
        memcpy(a[(k + i) % 3], upper[k], sizeof a[0]);
        memcpy(b[(k + j) % 3], lower[k], sizeof b[0]);
      }
      both(CONST(a), CONST(b), 0, &worst);
      assert_true(NearestPoints(CONST(a), CONST(b)).distance == 3);
    }
  for (int i = 0; i < 3; ++i) /* a corner with each corner */
    for (int j = 0; j < 3; ++j) {
      double a[3][3], b[3][3];
      const double left[3][3] = {{0, 0, 0}, {-4, 1, 0}, {-4, -1, 1}}, right[3][3] = {{5, 0, 0}, {9, 1, 1}, {9, -1, 0}};
      for (int k = 0; k < 3; ++k) {
        memcpy(a[(k + i) % 3], left[k], sizeof a[0]);
        memcpy(b[(k + j) % 3], right[k], sizeof b[0]);
      }
      both(CONST(a), CONST(b), 0, &worst);
      assert_true(NearestPoints(CONST(a), CONST(b)).distance == 5);
    }
}

int main(void) { return cases_Run(NULL, NULL); }
