/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes and convex pieces: support points, proven support values, bounds.
 *
 * Rounding: every bound adds the error of its own arithmetic. A dot product of three terms errs by less than
 * 4 DBL_EPSILON |d| |x| (DBL_EPSILON = 2u; gamma_3 = 3u / (1 - 3u)); lengths and radii are scaled by 1 + 4 DBL_EPSILON.
 *
 * Based on: Gottschalk, Lin, Manocha 1996 (area-weighted principal axes); theory D8.1 (candidate boxes);
 * Badoiu and Clarkson 2003 (enclosing ball); Jacobi's rotations for the eigenvectors.
 * Units: m. */
#include "shape.h"

#include "largest_product.h"
#include "simd.h"

#define ROUND_UP (1.0 + 4.0 * DBL_EPSILON)
/* Share of the size that the box adds on each side: covers projections and axes not quite orthonormal. */
#define BOX_ROUNDING (16.0 * DBL_EPSILON)
#define BALL_STEPS 64
/* Coordinates whose fourth powers neither overflow nor vanish. */
#define TAME_EXPONENT 200
#define SMALL_NODE_TRIANGLES 12u

/* ---- lengths and balls ------------------------------------------------------------------------------------------- */

double brinkLengthBound(brinkVec3 v) {
  double squared = brinkLengthSquared(v);
  if (squared > 1e-280 && squared < 1e300) return sqrt(squared) * ROUND_UP;
  double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
  if (largest == 0.0 || !isfinite(largest)) return largest;
  brinkVec3 s = {v.x / largest, v.y / largest, v.z / largest};
  return nextafter(largest * (brinkLength(s) * ROUND_UP) * ROUND_UP, INFINITY);
}

static const double *pointAt(const double *points, const uint32_t *ids, uint32_t i) {
  return &points[3 * (size_t)(ids ? ids[i] : i)];
}

/* Point furthest from center; its squared distance may overflow or vanish, then any is returned. */
static uint32_t findFurthest(const double *points, const uint32_t *ids, uint32_t count, brinkVec3 center) {
  uint32_t furthest = 0;
  double largest = -1.0;
  for (uint32_t i = 0; i < count; ++i) {
    double squared = brinkLengthSquared(brinkSub(brinkV3_FromArray(pointAt(points, ids, i)), center));
    if (squared > largest) {
      largest = squared;
      furthest = i;
    }
  }
  return furthest;
}

double brinkMakeBallRadius(const double *points, const uint32_t *ids, uint32_t count, brinkVec3 center) {
  double largest = 0.0;
  for (uint32_t i = 0; i < count; ++i) {
    brinkVec3 away = brinkSub(brinkV3_FromArray(pointAt(points, ids, i)), center);
    double squared = brinkLengthSquared(away);
    if (squared > 1e-280 && squared < 1e300)
      largest = fmax(largest, squared);
    else if (squared != 0.0 || brinkLengthBound(away) != 0.0) { /* out of the squares' range: one by one */
      double radius = 0.0;
      for (uint32_t k = 0; k < count; ++k)
        radius = fmax(radius, brinkLengthBound(brinkSub(brinkV3_FromArray(pointAt(points, ids, k)), center)));
      return radius;
    }
  }
  return sqrt(largest) * ROUND_UP;
}

double brinkMakeBall(const double *points, const uint32_t *ids, uint32_t count, brinkVec3 start, brinkVec3 *center) {
  brinkVec3 walker = start;
  for (int step = 1; step <= BALL_STEPS; ++step) {
    brinkVec3 away = brinkV3_FromArray(pointAt(points, ids, findFurthest(points, ids, count, walker)));
    walker = brinkMulAdd(walker, 1.0 / (step + 1), brinkSub(away, walker));
  }
  double walked = brinkMakeBallRadius(points, ids, count, walker),
         stayed = brinkMakeBallRadius(points, ids, count, start);
  *center = walked < stayed ? walker : start;
  return fmin(walked, stayed);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Points, read scaled by a power of two. */
typedef struct cloud {
  const double *points;
  const uint32_t *ids;
  uint32_t count;
  double scale;
} cloud;

static brinkVec3 cloudPoint(const cloud *c, uint32_t i) {
  return brinkScale(brinkV3_FromArray(pointAt(c->points, c->ids, i)), c->scale);
}

/* Eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations; `a` becomes diagonal. */
static brinkMat3 diagonalize(double a[3][3]) {
  brinkMat3 v = brinkIdentity3();
  for (int sweep = 0; sweep < 16; ++sweep) {
    double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
    if (!(off > 1e-16 * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2])))) break;
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0.0) continue;
        double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
        double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        for (int k = 0; k < 3; ++k) {
          double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
        for (int k = 0; k < 3; ++k) {
          double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
        }
        for (int k = 0; k < 3; ++k) {
          double kp = v.m[k][p], kq = v.m[k][q];
          v.m[k][p] = c * kp - s * kq;
          v.m[k][q] = s * kp + c * kq;
        }
      }
    }
  }
  return v;
}

static void addOuter(double a[3][3], brinkVec3 v, double weight) {
  double x[3] = {v.x, v.y, v.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a[i][j] += weight * x[i] * x[j];
}

/* Orthonormal axes with columns near u and v; false when they do not span a plane. */
static bool makeAxes(brinkVec3 u, brinkVec3 v, brinkMat3 *axes) {
  brinkVec3 zero = {0, 0, 0}, x = brinkNormalizeOr(u, zero);
  brinkVec3 y = brinkNormalizeOr(brinkMulAdd(v, -brinkDot(v, x), x), zero);
  y = brinkNormalizeOr(brinkMulAdd(y, -brinkDot(y, x), x), zero); /* again: the first one may have cancelled */
  brinkVec3 z = brinkCross(x, y);
  if (!(brinkLengthSquared(z) > 0.5)) return false;
  z = brinkNormalizeOr(z, zero);
  *axes = (brinkMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
  return true;
}

static brinkVec3 column(const brinkMat3 *axes, int k) {
  return (brinkVec3){axes->m[0][k], axes->m[1][k], axes->m[2][k]};
}

/* Principal axes: of the triangles' surface, else of the points. */
static brinkMat3 principalAxes(const cloud *c, const uint32_t *triangles, const uint32_t *triangleIds,
                               uint32_t triangleCount) {
  double covariance[3][3] = {{0}}, total = 0.0;
  brinkVec3 mean = {0, 0, 0}, origin = cloudPoint(c, 0);
  for (int pass = 0; pass < 2; ++pass) {
    for (uint32_t t = 0; t < triangleCount; ++t) {
      const uint32_t *corner = &triangles[3 * (size_t)(triangleIds ? triangleIds[t] : t)];
      brinkVec3 p[3];
      for (int k = 0; k < 3; ++k)
        p[k] = brinkSub(brinkScale(brinkV3_FromArray(&c->points[3 * (size_t)corner[k]]), c->scale), origin);
      double area = brinkLength(brinkCross(brinkSub(p[1], p[0]), brinkSub(p[2], p[0])));
      brinkVec3 middle = brinkScale(brinkAdd(p[0], brinkAdd(p[1], p[2])), 1.0 / 3.0);
      if (pass == 0) {
        mean = brinkMulAdd(mean, area, middle);
        total += area;
        continue;
      }
      addOuter(covariance, brinkSub(middle, mean), 9.0 * area / total);
      for (int k = 0; k < 3; ++k) addOuter(covariance, brinkSub(p[k], mean), area / total);
    }
    if (!(total > 0.0)) break;
    if (pass == 0) mean = brinkScale(mean, 1.0 / total);
  }
  if (!(total > 0.0)) {
    mean = brinkV3(0, 0, 0);
    for (uint32_t i = 0; i < c->count; ++i)
      mean = brinkMulAdd(mean, 1.0 / c->count, brinkSub(cloudPoint(c, i), origin));
    for (uint32_t i = 0; i < c->count; ++i)
      addOuter(covariance, brinkSub(brinkSub(cloudPoint(c, i), origin), mean), 1.0);
  }
  brinkMat3 axes = diagonalize(covariance), clean;
  int thinnest = 0;
  for (int k = 1; k < 3; ++k)
    if (covariance[k][k] < covariance[thinnest][thinnest]) thinnest = k;
  /* columns: the two wide ones, then the thinnest */
  return makeAxes(column(&axes, (thinnest + 1) % 3), column(&axes, (thinnest + 2) % 3), &clean) ? clean
                                                                                                : brinkIdentity3();
}

/* Keeps `axes` when its box has less surface than *bestArea. */
static void tryAxes(const cloud *c, const brinkMat3 *axes, double *bestArea, brinkMat3 *best, brinkVec3 *bestMiddle) {
  brinkVec3 x = column(axes, 0), y = column(axes, 1), z = column(axes, 2);
  brinkVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (uint32_t i = 0; i < c->count; ++i) {
    brinkVec3 p = cloudPoint(c, i);
    double u = brinkDot(x, p), v = brinkDot(y, p), w = brinkDot(z, p);
    low.x = u < low.x ? u : low.x;
    high.x = u > high.x ? u : high.x;
    low.y = v < low.y ? v : low.y;
    high.y = v > high.y ? v : high.y;
    low.z = w < low.z ? w : low.z;
    high.z = w > high.z ? w : high.z;
  }
  brinkVec3 size = brinkSub(high, low);
  double area = size.x * size.y + size.y * size.z + size.z * size.x;
  /* Nearly equal boxes: keep the earlier candidate, body axes first. */
  if (!(area < *bestArea * (1.0 - 1e-9))) return;
  *bestArea = area;
  *best = *axes;
  *bestMiddle = brinkScale(brinkAdd(low, high), 0.5);
}

static double cloudScale(const double *points, const uint32_t *ids, uint32_t count) {
  double largest = 0.0;
  for (uint32_t i = 0; i < count; ++i) {
    const double *p = pointAt(points, ids, i);
    largest = fmax(largest, fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))));
  }
  int exponent = 0;
  frexp(largest, &exponent);
  if (exponent >= -TAME_EXPONENT && exponent <= TAME_EXPONENT) return 1.0;
  return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

brinkObb brinkMakeTightBox(const double *points, const uint32_t *ids, uint32_t count, const uint32_t *triangles,
                           const uint32_t *triangleIds, uint32_t triangleCount) {
  /* cos and sin of 0, 15, .. 75 degrees */
  static const double turns[6][2] = {{1.0, 0.0},
                                     {0.96592582628906829, 0.25881904510252076},
                                     {0.86602540378443865, 0.5},
                                     {0.70710678118654752, 0.70710678118654752},
                                     {0.5, 0.86602540378443865},
                                     {0.25881904510252076, 0.96592582628906829}};
  cloud c = {points, ids, count, cloudScale(points, ids, count)};
  brinkMat3 best = brinkIdentity3(), principal = principalAxes(&c, triangles, triangleIds, triangleCount), axes;
  brinkVec3 middle = {0, 0, 0};
  double bestArea = INFINITY;
  tryAxes(&c, &best, &bestArea, &best, &middle);
  for (int turn = 0; turn < 6; ++turn) {
    brinkVec3 u = column(&principal, 0), v = column(&principal, 1);
    brinkVec3 turned = brinkAdd(brinkScale(u, turns[turn][0]), brinkScale(v, turns[turn][1]));
    if (makeAxes(turned, brinkCross(column(&principal, 2), turned), &axes))
      tryAxes(&c, &axes, &bestArea, &best, &middle);
  }
  for (uint32_t t = 0; triangleCount <= SMALL_NODE_TRIANGLES && t < triangleCount; ++t) {
    const uint32_t *corner = &triangles[3 * (size_t)(triangleIds ? triangleIds[t] : t)];
    brinkVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = brinkScale(brinkV3_FromArray(&points[3 * (size_t)corner[k]]), c.scale);
    brinkVec3 normal = brinkCross(brinkSub(p[1], p[0]), brinkSub(p[2], p[0]));
    for (int k = 0; k < 3; ++k)
      if (makeAxes(brinkSub(p[(k + 1) % 3], p[k]), brinkCross(normal, brinkSub(p[(k + 1) % 3], p[k])), &axes))
        tryAxes(&c, &axes, &bestArea, &best, &middle);
  }
  brinkVec3 center = brinkMulMV(&best, middle), half = {0, 0, 0};
  double reach = 0.0;
  for (uint32_t i = 0; i < count; ++i) {
    brinkVec3 away = brinkSub(cloudPoint(&c, i), center);
    half = brinkMaxV3(half, brinkAbsV3(brinkTMulMV(&best, away)));
    reach = fmax(reach, brinkLength(away));
  }
  double slack = BOX_ROUNDING * reach, back = 1.0 / c.scale;
  brinkObb box = {brinkScale(center, back), best, brinkScale(brinkAdd(half, brinkV3(slack, slack, slack)), back)};
  if (c.scale != 1.0) /* center and half may have been rounded on the way back into the denormal range */
    box.half = brinkAdd(box.half, brinkV3(4.0 * DBL_TRUE_MIN, 4.0 * DBL_TRUE_MIN, 4.0 * DBL_TRUE_MIN));
  return box;
}

/* ---- support ----------------------------------------------------------------------------------------------------- */

brinkVec3 brinkPiece_Vertex(const brinkPiece *piece, uint32_t index) {
  switch (piece->kind) {
    case brink_piecePoints:
      return brinkV3_FromArray(&piece->vertices[3 * (size_t)index]);
    case brink_pieceBox:
      return brinkV3(piece->center.x + (index & 1u ? piece->half.x : -piece->half.x),
                     piece->center.y + (index & 2u ? piece->half.y : -piece->half.y),
                     piece->center.z + (index & 4u ? piece->half.z : -piece->half.z));
    case brink_pieceHalfSpace:
      return brinkScale(piece->normal, piece->offset);
    case brink_pieceCylinder:
    case brink_pieceSupport:
      break;
  }
  return piece->center;
}

/* First of the furthest vertices; four at a time so that the products overlap. */
static uint32_t scanVertices(const double *vertices, uint32_t count, brinkVec3 d, double *value) {
  uint32_t best = 0, i = 0;
  double bestValue = -INFINITY;
  for (; i + 4 <= count; i += 4) {
    const double *v = &vertices[3 * (size_t)i];
    double d0 = v[0] * d.x + v[1] * d.y + v[2] * d.z, d1 = v[3] * d.x + v[4] * d.y + v[5] * d.z;
    double d2 = v[6] * d.x + v[7] * d.y + v[8] * d.z, d3 = v[9] * d.x + v[10] * d.y + v[11] * d.z;
    uint32_t low = d1 > d0 ? i + 1 : i, high = d3 > d2 ? i + 3 : i + 2;
    double lowValue = d1 > d0 ? d1 : d0, highValue = d3 > d2 ? d3 : d2;
    if (highValue > lowValue) {
      low = high;
      lowValue = highValue;
    }
    if (lowValue > bestValue) {
      bestValue = lowValue;
      best = low;
    }
  }
  for (; i < count; ++i) {
    const double *v = &vertices[3 * (size_t)i];
    double product = v[0] * d.x + v[1] * d.y + v[2] * d.z;
    if (product > bestValue) {
      bestValue = product;
      best = i;
    }
  }
  *value = bestValue;
  return best;
}

static uint32_t climb(const brinkPiece *piece, brinkVec3 d, uint32_t start) {
  uint32_t best = start < piece->count ? start : 0;
  double bestValue = brinkDot(brinkPiece_Vertex(piece, best), d);
  for (bool moved = true; moved;) { /* strictly upwards: ends */
    moved = false;
    uint32_t from = best;
    for (uint32_t e = piece->neighborStart[from]; e < piece->neighborStart[from + 1]; ++e) {
      const double *v = &piece->vertices[3 * (size_t)piece->neighbors[e]];
      double value = v[0] * d.x + v[1] * d.y + v[2] * d.z;
      if (value > bestValue) {
        bestValue = value;
        best = piece->neighbors[e];
        moved = true;
      }
    }
  }
  return best;
}

static brinkVec3 supportCylinder(const brinkPiece *piece, brinkVec3 d) {
  double largest = fmax(fabs(d.x), fabs(d.y));
  brinkVec3 p = piece->center;
  p.z += d.z >= 0.0 ? piece->half.z : -piece->half.z;
  if (largest == 0.0) return p; /* along the axis: the cap's centre is as far as its rim */
  double x = d.x / largest, y = d.y / largest, s = piece->half.x / sqrt(x * x + y * y);
  p.x += x * s;
  p.y += y * s;
  return p;
}

/* What the caller's function says along d, made harmless. */
static brinkVec3 supportOfSource(const brinkSupportSource *source, brinkVec3 d) {
  brinkVec3 unit = brinkNormalizeOr(d, brinkV3(0, 0, 1));
  const double direction[3] = {unit.x, unit.y, unit.z};
  double point[3] = {NAN, NAN, NAN};
  source->function(source->user, direction, point);
  brinkVec3 p = brinkV3_FromArray(point);
  if (brinkFiniteV3(p) && brinkLengthBound(p) <= (source->bound + source->rounding) * ROUND_UP) return p;
  return brinkScale(unit, source->bound);
}

uint32_t brinkPiece_Support(const brinkPiece *piece, brinkVec3 d, uint32_t hint, brinkVec3 *point) {
  uint32_t index = 0;
  switch (piece->kind) {
    case brink_piecePoints: {
      double value;
      if (piece->columns != NULL && piece->count <= BRINK_MOST_COLUMNS)
        index = brinkPointColumns_Furthest(piece->columns, piece->count, d);
      else if (piece->count > BRINK_BRUTE_FORCE_VERTICES && piece->neighborStart)
        index = climb(piece, d, hint);
      else
        index = scanVertices(piece->vertices, piece->count, d, &value);
      *point = brinkPiece_Vertex(piece, index);
      break;
    }
    case brink_pieceBox:
      index = (d.x >= 0.0 ? 1u : 0u) | (d.y >= 0.0 ? 2u : 0u) | (d.z >= 0.0 ? 4u : 0u);
      *point = brinkPiece_Vertex(piece, index);
      break;
    case brink_pieceCylinder:
      *point = supportCylinder(piece, d);
      break;
    case brink_pieceHalfSpace:
      *point = brinkPiece_Vertex(piece, 0);
      break;
    case brink_pieceSupport:
      *point = supportOfSource(piece->support, d);
      break;
  }
  return index;
}

static double supportHalfSpace(const brinkPiece *piece, brinkVec3 d, double length) {
  brinkVec3 n = piece->normal;
  bool along = d.y * n.z == d.z * n.y && d.z * n.x == d.x * n.z && d.x * n.y == d.y * n.x && brinkDot(d, n) >= 0.0;
  if (!along) return INFINITY;
  /* length is rounded up: too large is safe only for positive offsets */
  return piece->offset >= 0.0 ? piece->offset * length * ROUND_UP : piece->offset * length * (1.0 - 16.0 * DBL_EPSILON);
}

/* Error: with L = |d| reach >= |d.x| for every x of the core, the products err by 3u L and the last two sums by 2u
 * more; 8 DBL_EPSILON = 16u of L (in the 1-norms, which are larger) covers that, DBL_MIN what underflows. */
static double supportRounding(const brinkPiece *piece, brinkVec3 d) {
  double length = fabs(d.x) + fabs(d.y) + fabs(d.z);
  double reach = fabs(piece->center.x) + fabs(piece->center.y) + fabs(piece->center.z) + piece->boundRadius;
  return 8.0 * DBL_EPSILON * length * reach + 8.0 * DBL_MIN * (length > 0.0);
}

double brinkPiece_CoreSupportValueAt(const brinkPiece *piece, brinkVec3 d, uint32_t index) {
  if (piece->kind != brink_piecePoints || piece->columns == NULL || piece->count > BRINK_MOST_COLUMNS)
    return brinkPiece_CoreSupportValue(piece, d);
  const double *v = &piece->vertices[3 * (size_t)index];
  return v[0] * d.x + v[1] * d.y + v[2] * d.z + supportRounding(piece, d);
}

double brinkPiece_CoreSupportValue(const brinkPiece *piece, brinkVec3 d) {
  double value = 0.0;
  switch (piece->kind) {
    case brink_piecePoints:
      value = piece->columns != NULL ? brinkPointColumns_LargestProduct(piece->columns, piece->count, d)
                                     : brinkLargestProduct(piece->vertices, piece->count, d);
      break;
    case brink_pieceBox:
      value = brinkDot(piece->center, d) + fabs(d.x) * piece->half.x + fabs(d.y) * piece->half.y +
              fabs(d.z) * piece->half.z;
      break;
    case brink_pieceCylinder:
      value = brinkDot(piece->center, d) + piece->half.x * brinkLengthBound(brinkV3(d.x, d.y, 0.0)) +
              fabs(d.z) * piece->half.z;
      break;
    case brink_pieceHalfSpace:
      return supportHalfSpace(piece, d, brinkLengthBound(d));
    case brink_pieceSupport: /* the unit direction it is asked about is off by 4u: no more than 2 eps of reach */
      value =
          brinkDot(supportOfSource(piece->support, d), d) + piece->support->rounding * brinkLengthBound(d) * ROUND_UP;
      break;
  }
  return value + supportRounding(piece, d);
}

double brinkPiece_SupportValue(const brinkPiece *piece, brinkVec3 d) {
  double core = brinkPiece_CoreSupportValue(piece, d);
  return piece->radius > 0.0 ? core + piece->radius * brinkLengthBound(d) * ROUND_UP : core;
}

brinkPiece brinkMakePointPiece(const double vertices[], uint32_t count, double radius) {
  brinkPiece piece = {.kind = brink_piecePoints, .count = count, .vertices = vertices, .radius = radius};
  brinkVec3 low = brinkV3_FromArray(vertices), high = low;
  for (uint32_t i = 1; i < count; ++i) {
    low = brinkMinV3(low, brinkV3_FromArray(&vertices[3 * (size_t)i]));
    high = brinkMaxV3(high, brinkV3_FromArray(&vertices[3 * (size_t)i]));
  }
  piece.center = brinkAdd(brinkScale(low, 0.5), brinkScale(high, 0.5));
  piece.boundRadius = brinkMakeBallRadius(vertices, NULL, count, piece.center);
  return piece;
}
