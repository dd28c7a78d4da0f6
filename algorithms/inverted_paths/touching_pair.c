/* SPDX-License-Identifier: BSD-3-Clause */
/* See touching_pair.h. Witnesses are proposed in plain doubles at the middle and the ends of the cell; what they prove
 * is computed from the corners again:
 *
 * - A point with barycentric coordinates v0 at the beginning and v1 at the end, lerp between, of a triangle with
 *   corners lerp(p0_i, p1_i) is v(s).p(s) = lerp of its ends - s (1 - s) sum (v1 - v0)_i (p1 - p0)_i: within a quarter
 *   of that sum's length of the straight line. The distance of two such points is convex but for these terms.
 * - A point of B that stays over a resting triangle of A is as far from it as from its plane.
 * - u x v of differences that are lerps is quadratic, and cubic times a third; a polynomial in Bernstein form lies
 *   between its smallest and largest coefficient. Differences are off by 2 |slack| at most.
 *
 * Rounding: slack holds 32 eps of all coordinates, many times what these few operations lose. Symbols: s in [0,1] runs
 * over the cell; n a direction; bary: barycentric coordinates. */
#include "touching_pair.h"

#include "linear.h"

#define CLIPPED 8 /* a triangle cut by three planes has 6 corners at most */

static double length3(const double a[3]) { return sqrt(brinkDot3(a, a)); }
static void pointOf(const double (*corners)[3], const double bary[3], double out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = bary[0] * corners[0][k] + bary[1] * corners[1][k] + bary[2] * corners[2][k];
}

/* ---- closest points: proposals */

static double clamp01(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

static void normalOf(const double (*corners)[3], double n[3]) {
  double e0[3], e1[3];
  brinkSub3(corners[1], corners[0], e0);
  brinkSub3(corners[2], corners[0], e1);
  brinkCross3(e0, e1, n);
}

/* Of the triangle to x; returns the distance. */
static double closestOnTriangle(const double (*corners)[3], const double x[3], double bary[3]) {
  double n[3], best = INFINITY, inside[3];
  normalOf(corners, n);
  double square = brinkDot3(n, n);
  bool over = square > 0.0;
  for (int c = 0; c < 3; ++c) { /* borders, and is it over the inside? */
    int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    double e[3], d[3], at[3], turned[3];
    brinkSub3(corners[c1], corners[c], e);
    brinkSub3(x, corners[c], d);
    double along = brinkDot3(e, e), s = along > 0.0 ? clamp01(brinkDot3(e, d) / along) : 0.0;
    for (int k = 0; k < 3; ++k) at[k] = d[k] - s * e[k];
    double distance = length3(at);
    if (distance < best) {
      best = distance;
      bary[c] = 1.0 - s;
      bary[c1] = s;
      bary[c2] = 0.0;
    }
    brinkCross3(e, d, turned);
    inside[c2] = over ? brinkDot3(turned, n) / square : -1.0;
    over = over && inside[c2] >= 0.0;
  }
  if (!over) return best;
  double sum = inside[0] + inside[1] + inside[2], d[3];
  if (!(sum > 0.0)) return best;
  brinkSub3(x, corners[0], d);
  for (int c = 0; c < 3; ++c) bary[c] = inside[c] / sum;
  return fabs(brinkDot3(d, n)) / sqrt(square);
}

static double closestOnEdges(const double *p, const double *q, const double *u, const double *v, double *s, double *t) {
  double d1[3], d2[3], r[3], gap[3];
  brinkSub3(q, p, d1);
  brinkSub3(v, u, d2);
  brinkSub3(p, u, r);
  double a = brinkDot3(d1, d1), e = brinkDot3(d2, d2), f = brinkDot3(d2, r), c = brinkDot3(d1, r),
         b = brinkDot3(d1, d2);
  double det = a * e - b * b;
  *s = det > 0.0 ? clamp01((b * f - c * e) / det) : 0.0;
  *t = e > 0.0 ? clamp01((b * *s + f) / e) : 0.0;
  if (a > 0.0) *s = clamp01((b * *t - c) / a);
  for (int k = 0; k < 3; ++k) gap[k] = r[k] + *s * d1[k] - *t * d2[k];
  return length3(gap);
}

static void closestOfTriangles(const double (*a)[3], const double (*b)[3], double baryA[3], double baryB[3]) {
  double best = INFINITY;
  for (int c = 0; c < 3; ++c) {
    double bary[3], distance = closestOnTriangle(b, a[c], bary);
    if (distance < best) {
      best = distance;
      memcpy(baryB, bary, sizeof bary);
      for (int k = 0; k < 3; ++k) baryA[k] = k == c ? 1.0 : 0.0;
    }
    distance = closestOnTriangle(a, b[c], bary);
    if (distance < best) {
      best = distance;
      memcpy(baryA, bary, sizeof bary);
      for (int k = 0; k < 3; ++k) baryB[k] = k == c ? 1.0 : 0.0;
    }
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double s, t, distance = closestOnEdges(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3], &s, &t);
      if (distance >= best) continue;
      best = distance;
      baryA[i] = 1.0 - s;
      baryA[(i + 1) % 3] = s;
      baryA[(i + 2) % 3] = 0.0;
      baryB[j] = 1.0 - t;
      baryB[(j + 1) % 3] = t;
      baryB[(j + 2) % 3] = 0.0;
    }
}

/* ---- signs during the cell */

/* Is n . ((q - p) x (r - p)) on one side of 0 during the whole cell? +1, -1, or 0 for no. Points at its two ends. */
static int sideDuring(const double n[3], const double *p[2], const double *q[2], const double *r[2], double off) {
  double u[2][3], v[2][3], w[3], c[3], most = 0.0;
  for (int e = 0; e < 2; ++e) {
    brinkSub3(q[e], p[e], u[e]);
    brinkSub3(r[e], p[e], v[e]);
    most = fmax(most, length3(u[e]) + length3(v[e]));
  }
  brinkCross3(u[0], v[0], w);
  c[0] = brinkDot3(n, w);
  brinkCross3(u[1], v[1], w);
  c[2] = brinkDot3(n, w);
  brinkCross3(u[0], v[1], w);
  c[1] = brinkDot3(n, w);
  brinkCross3(u[1], v[0], w);
  c[1] = 0.5 * (c[1] + brinkDot3(n, w));
  double need = length3(n) * off * (most + off) * (1.0 + 1e-12);
  double least = fmin(c[0], fmin(c[1], c[2])), highest = fmax(c[0], fmax(c[1], c[2]));
  return least > need ? 1 : highest < -need ? -1 : 0;
}

/* Sign of (q - p) x (r - p) . (x - p) at one end, 0: doubtful. */
static int orientationAt(const double *p, const double *q, const double *r, const double *x, double off) {
  double u[3], v[3], w[3], n[3];
  brinkSub3(q, p, u);
  brinkSub3(r, p, v);
  brinkSub3(x, p, w);
  brinkCross3(u, v, n);
  double value = brinkDot3(n, w), a = length3(u), b = length3(v), c = length3(w);
  double need = off * (a * b + b * c + c * a + off * (a + b + c + off)) * (1.0 + 1e-12);
  return value > need ? 1 : value < -need ? -1 : 0;
}

/* The same during the whole cell, points at its two ends. */
static int orientationDuring(const double *p[2], const double *q[2], const double *r[2], const double *x[2],
                             double off) {
  double u[2][3], v[2][3], w[2][3], c[4] = {0, 0, 0, 0}, a = 0.0, b = 0.0, d = 0.0;
  for (int e = 0; e < 2; ++e) {
    brinkSub3(q[e], p[e], u[e]);
    brinkSub3(r[e], p[e], v[e]);
    brinkSub3(x[e], p[e], w[e]);
    a = fmax(a, length3(u[e]));
    b = fmax(b, length3(v[e]));
    d = fmax(d, length3(w[e]));
  }
  for (int i = 0; i < 8; ++i) { /* Bernstein coefficients: means over the choices of i ends */
    double n[3];
    int ends = (i & 1) + (i >> 1 & 1) + (i >> 2 & 1);
    brinkCross3(u[i & 1], v[i >> 1 & 1], n);
    c[ends] += brinkDot3(n, w[i >> 2 & 1]) * (ends == 1 || ends == 2 ? 1.0 / 3.0 : 1.0);
  }
  double need = off * (a * b + b * d + d * a + off * (a + b + d + off)) * (1.0 + 1e-12);
  double least = fmin(fmin(c[0], c[1]), fmin(c[2], c[3])), most = fmax(fmax(c[0], c[1]), fmax(c[2], c[3]));
  return least > need ? 1 : most < -need ? -1 : 0;
}

static double offOf(const double slack[3]) { return 2.0 * length3(slack) * (1.0 + 1e-12); }

/* Four times the triangle's normal in the middle of the cell. */
static void middleNormal(const double *corner[3][2], double n[3]) {
  double e0[3], e1[3];
  for (int k = 0; k < 3; ++k) {
    e0[k] = (corner[1][0][k] + corner[1][1][k]) - (corner[0][0][k] + corner[0][1][k]);
    e1[k] = (corner[2][0][k] + corner[2][1][k]) - (corner[0][0][k] + corner[0][1][k]);
  }
  brinkCross3(e0, e1, n);
}

/* Seen along n, is x inside the triangle all the time? */
static bool staysOver(const double *corner[3][2], const double n[3], const double *x[2], double off) {
  for (int c = 0; c < 3; ++c)
    if (sideDuring(n, corner[c], corner[(c + 1) % 3], x, off) != 1) return false;
  return true;
}

/* Point x against a triangle: over its inside all the time, on different sides at the ends. */
static bool pointCrosses(const double *corner[3][2], const double *x[2], double off) {
  double n[3];
  middleNormal(corner, n);
  if (!staysOver(corner, n, x, off)) return false;
  int first = orientationAt(corner[0][0], corner[1][0], corner[2][0], x[0], off);
  return first != 0 && orientationAt(corner[0][1], corner[1][1], corner[2][1], x[1], off) == -first;
}

/* Segments p[0] p[1] and q[0] q[1]: seen along n they cross all the time, and the one in front changes. */
static bool segmentsCross(const double *p[2][2], const double *q[2][2], double off) {
  double u[3], v[3], n[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = (p[1][0][k] + p[1][1][k]) - (p[0][0][k] + p[0][1][k]);
    v[k] = (q[1][0][k] + q[1][1][k]) - (q[0][0][k] + q[0][1][k]);
  }
  brinkCross3(u, v, n);
  int first = sideDuring(n, p[0], p[1], q[0], off);
  if (first == 0 || sideDuring(n, p[0], p[1], q[1], off) != -first) return false;
  first = sideDuring(n, q[0], q[1], p[0], off);
  if (first == 0 || sideDuring(n, q[0], q[1], p[1], off) != -first) return false;
  first = orientationAt(p[0][0], p[1][0], q[0][0], q[1][0], off);
  return first != 0 && orientationAt(p[0][1], p[1][1], q[0][1], q[1][1], off) == -first;
}

bool brinkTrianglePair_Crosses(const brinkTrianglePair *pair, const double slack[3], const int cornersA[3], int countA,
                               const int cornersB[3], int countB) {
  const double *a[3][2], *b[3][2];
  double off = offOf(slack);
  for (int i = 0; i < countA; ++i) {
    a[i][0] = pair->a0[cornersA[i]];
    a[i][1] = pair->a1[cornersA[i]];
  }
  for (int i = 0; i < countB; ++i) {
    b[i][0] = pair->b0[cornersB[i]];
    b[i][1] = pair->b1[cornersB[i]];
  }
  if (countA == 3 && countB == 1) return pointCrosses(a, b[0], off);
  if (countA == 1 && countB == 3) return pointCrosses(b, a[0], off);
  return countA == 2 && countB == 2 && segmentsCross(a, b, off);
}

/* ---- near during the cell */

/* What is left of B's triangle over A's along n, as the mean of its corners' barycentric coordinates on B; false:
 * nothing. */
static bool middleOfShared(const double (*a)[3], const double (*b)[3], const double n[3], double mean[3]) {
  double polygon[CLIPPED][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, cut[CLIPPED][3];
  int count = 3;
  for (int c = 0; c < 3 && count > 0; ++c) {
    double e[3], inward[3], height[3];
    int kept = 0;
    brinkSub3(a[(c + 1) % 3], a[c], e);
    brinkCross3(n, e, inward);
    for (int i = 0; i < 3; ++i) {
      double d[3];
      brinkSub3(b[i], a[c], d);
      height[i] = brinkDot3(inward, d);
    }
    for (int i = 0; i < count; ++i) {
      const double *p = polygon[i], *q = polygon[(i + 1) % count];
      double h = brinkDot3(p, height), g = brinkDot3(q, height);
      if (h >= 0.0 && kept < CLIPPED) memcpy(cut[kept++], p, sizeof cut[0]);
      if (((h > 0.0 && g < 0.0) || (h < 0.0 && g > 0.0)) && kept < CLIPPED) {
        for (int k = 0; k < 3; ++k) cut[kept][k] = p[k] + (q[k] - p[k]) * (h / (h - g));
        ++kept;
      }
    }
    memcpy(polygon, cut, (size_t)kept * sizeof cut[0]);
    count = kept;
  }
  for (int k = 0; k < 3; ++k) {
    mean[k] = 0.0;
    for (int i = 0; i < count; ++i) mean[k] += polygon[i][k] / count;
  }
  return count > 0;
}

/* A fixed point of B that stays over A's resting triangle: its distance from the plane. */
static bool staysNearPlane(const brinkTrianglePair *pair, const double (*middle)[3], const double slack[3],
                           double distance) {
  double n[3], bary[3], at[2][3], d[3];
  if (pair->moves) return false;
  normalOf(pair->a0, n);
  double length = length3(n), off = fabs(n[0]) * slack[0] + fabs(n[1]) * slack[1] + fabs(n[2]) * slack[2];
  if (!(length > 0.0) || !(off <= distance * length) || !middleOfShared(pair->a0, middle, n, bary)) return false;
  pointOf(pair->b0, bary, at[0]);
  pointOf(pair->b1, bary, at[1]);
  const double *x[2] = {at[0], at[1]};
  for (int c = 0; c < 3; ++c) {
    const double *p[2] = {pair->a0[c], pair->a0[c]}, *q[2] = {pair->a0[(c + 1) % 3], pair->a0[(c + 1) % 3]};
    if (sideDuring(n, p, q, x, offOf(slack)) != 1) return false;
  }
  double most = 0.0;
  for (int e = 0; e < 2; ++e) {
    brinkSub3(at[e], pair->a0[0], d);
    most = fmax(most, fabs(brinkDot3(n, d)));
  }
  return (most + off) * (1.0 + 1e-12) <= distance * length;
}

/* Points with these coordinates at the beginning and the end, lerp between. */
static double farthestAlong(const brinkTrianglePair *pair, const double baryA[2][3], const double baryB[2][3],
                            const double slack[3]) {
  double ends = 0.0, bend[3];
  for (int e = 0; e < 2; ++e) {
    double x[3], y[3], d[3];
    pointOf(e == 0 ? pair->a0 : pair->a1, baryA[e], x);
    pointOf(e == 0 ? pair->b0 : pair->b1, baryB[e], y);
    brinkSub3(y, x, d);
    ends = fmax(ends, length3(d));
  }
  for (int k = 0; k < 3; ++k) {
    bend[k] = 0.0;
    for (int i = 0; i < 3; ++i)
      bend[k] += (baryB[1][i] - baryB[0][i]) * (pair->b1[i][k] - pair->b0[i][k]) -
                 (baryA[1][i] - baryA[0][i]) * (pair->a1[i][k] - pair->a0[i][k]);
  }
  return (ends + 0.25 * length3(bend) + length3(slack)) * (1.0 + 1e-12);
}

bool brinkTrianglePair_StaysNear(const brinkTrianglePair *pair, const double slack[3], double distance) {
  double a[3][3], b[3][3], baryA[3], baryB[3], movingA[2][3], movingB[2][3];
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) {
      a[c][k] = 0.5 * (pair->a0[c][k] + pair->a1[c][k]);
      b[c][k] = 0.5 * (pair->b0[c][k] + pair->b1[c][k]);
    }
  const double(*middleA)[3] = (const double(*)[3])a, (*middleB)[3] = (const double(*)[3])b;
  double x[3];
  if (staysNearPlane(pair, middleB, slack, distance)) return true;
  if (!(length3(slack) < distance)) return false;
  closestOfTriangles(pair->a0, pair->b0, movingA[0], movingB[0]); /* both slide */
  closestOfTriangles(pair->a1, pair->b1, movingA[1], movingB[1]);
  if (farthestAlong(pair, (const double(*)[3])movingA, (const double(*)[3])movingB, slack) <= distance) return true;
  closestOfTriangles(middleA, middleB, baryA, baryB);
  for (int e = 0; e < 2; ++e) { /* B's point stays, A's follows */
    memcpy(movingB[e], baryB, sizeof movingB[e]);
    pointOf(e == 0 ? pair->b0 : pair->b1, baryB, x);
    closestOnTriangle(e == 0 ? pair->a0 : pair->a1, x, movingA[e]);
  }
  if (farthestAlong(pair, (const double(*)[3])movingA, (const double(*)[3])movingB, slack) <= distance) return true;
  for (int e = 0; e < 2; ++e) { /* A's stays, B's follows */
    memcpy(movingA[e], baryA, sizeof movingA[e]);
    pointOf(e == 0 ? pair->a0 : pair->a1, baryA, x);
    closestOnTriangle(e == 0 ? pair->b0 : pair->b1, x, movingB[e]);
  }
  return farthestAlong(pair, (const double(*)[3])movingA, (const double(*)[3])movingB, slack) <= distance;
}

bool brinkTrianglePair_Pierces(const brinkTrianglePair *pair, const double slack[3], const double ends[2][3]) {
  double at[2][2][3], n[3], off = offOf(slack);
  const double *corner[3][2];
  int side[2];
  for (int c = 0; c < 3; ++c) {
    corner[c][0] = pair->a0[c];
    corner[c][1] = pair->a1[c];
  }
  middleNormal(corner, n);
  for (int k = 0; k < 2; ++k) {
    pointOf(pair->b0, ends[k], at[k][0]);
    pointOf(pair->b1, ends[k], at[k][1]);
    const double *x[2] = {at[k][0], at[k][1]};
    if (!staysOver(corner, n, x, off)) return false;
    side[k] = orientationDuring(corner[0], corner[1], corner[2], x, off);
    if (side[k] == 0) return false;
  }
  return side[0] == -side[1];
}
