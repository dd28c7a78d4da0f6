/* SPDX-License-Identifier: BSD-3-Clause */
/* Balls and boxes around points, and the ball inside a convex body.
 *
 * Based on: Gottschalk, Lin, Manocha 1996 (area-weighted principal axes); theory D8.1 (candidate boxes);
 * Badoiu and Clarkson 2003 (enclosing ball); Jacobi's rotations for the eigenvectors. Units: m. */
#include "bounds.h"

/* Share of the size that the box adds on each side: covers projections and axes not quite orthonormal. */
#define BOX_ROUNDING (16.0 * DBL_EPSILON)
#define BALL_STEPS 64
/* Coordinates whose fourth powers neither overflow nor vanish. */
#define TAME_EXPONENT 200
#define SMALL_NODE_TRIANGLES 12u
#define WALK_STEPS 32
#define WALK_SHARE 0.5 /* of the ball's radius, in the first step */
#define SLIVER 1e-7    /* height over longest edge: such a face has no normal, its neighbours do */

/* ---- balls around points */

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

/* ---- boxes around points */

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

/* ---- the ball inside */

/* Distance of x below the plane of a face; HUGE_VAL when it has none. */
static double depthBelow(const double *vertices, const uint32_t *face, brinkVec3 x, brinkVec3 *normal) {
  brinkVec3 a = brinkV3_FromArray(&vertices[3 * (size_t)face[0]]);
  brinkVec3 b = brinkV3_FromArray(&vertices[3 * (size_t)face[1]]);
  brinkVec3 c = brinkV3_FromArray(&vertices[3 * (size_t)face[2]]);
  brinkVec3 cross = brinkCross(brinkSub(b, a), brinkSub(c, a));
  double area = brinkLength(cross), longest = BRINK_MAX(brinkDistance(a, b), brinkDistance(a, c));
  longest = BRINK_MAX(longest, brinkDistance(b, c));
  if (!(area > SLIVER * longest * longest)) return HUGE_VAL;
  *normal = brinkScale(cross, 1.0 / area);
  return brinkDot(*normal, brinkSub(a, x));
}

static double nearestFace(const double *vertices, const uint32_t *faces, size_t faceCount, brinkVec3 x,
                          brinkVec3 *normal) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < faceCount; ++i) {
    brinkVec3 n = {0, 0, 0};
    double depth = depthBelow(vertices, &faces[3 * i], x, &n);
    if (!(depth < least)) continue;
    least = depth;
    *normal = n;
  }
  return least;
}

void brinkFindInnerBall(const double *vertices, size_t vertexCount, const uint32_t *faces, size_t faceCount,
                        brinkVec3 *center, double *radius) {
  brinkVec3 x = {0, 0, 0}, normal = {0, 0, 0};
  *radius = 0.0;
  *center = x;
  for (size_t i = 0; i < vertexCount; ++i)
    x = brinkAdd(x, brinkScale(brinkV3_FromArray(&vertices[3 * i]), 1.0 / (double)vertexCount));
  for (int step = 1; step <= WALK_STEPS; ++step) {
    double depth = nearestFace(vertices, faces, faceCount, x, &normal);
    if (!(depth < HUGE_VAL) || !(depth > 0.0)) return;
    if (depth > *radius) {
      *radius = depth;
      *center = x;
    }
    x = brinkSub(x, brinkScale(normal, WALK_SHARE * depth / step));
  }
  *radius *= 1.0 - 1e-9; /* rounding of the faces' normals */
}
