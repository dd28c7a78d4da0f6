/* SPDX-License-Identifier: BSD-3-Clause */
/* See oracle.h. Distance of two triangles: nine pairs of edges and six vertex-face distances; zero when an edge of one
 * goes through the other (textbook geometry: Ericson, Real-Time Collision Detection, 2005, Sec. 5.1). Containment:
 * solid angles (Van Oosterom and Strackee 1983). Time: |d(t) - d(s)| <= (speedA + speedB) |t - s|. */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

typedef long double real;

typedef struct point {
  real x, y, z;
} point;

static point subtract(point a, point b) { return (point){a.x - b.x, a.y - b.y, a.z - b.z}; }
static point addScaled(point a, real s, point b) { return (point){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static real dotProduct(point a, point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static point crossProduct(point a, point b) {
  return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static real norm(point a) { return sqrtl(dotProduct(a, a)); }
static point fromDoubles(const double a[3]) { return (point){a[0], a[1], a[2]}; }
static real clampUnit(real s) { return s < 0 ? 0 : s > 1 ? 1 : s; }

/* ---- motion */

/* Rotation of p by |w| about w (Rodrigues). */
static point rotateBy(point w, point p) {
  real angle = norm(w);
  if (angle == 0) return p;
  point axis = {w.x / angle, w.y / angle, w.z / angle};
  point along = crossProduct(axis, p);
  real c = cosl(angle), s = sinl(angle), k = dotProduct(axis, p) * (1 - c);
  return (point){c * p.x + s * along.x + k * axis.x, c * p.y + s * along.y + k * axis.y,
                 c * p.z + s * along.z + k * axis.z};
}

static point rotateByQuaternion(const double q[4], point p) {
  real w = q[0], length2 = w * w + (real)q[1] * q[1] + (real)q[2] * q[2] + (real)q[3] * q[3];
  point u = {q[1], q[2], q[3]};
  point once = crossProduct(u, p);
  point twice = crossProduct(u, addScaled(once, w, p));
  return addScaled(p, 2 / length2, twice);
}

static point placePoint(const oracleBody *body, real t, point p) {
  for (int k = body->linkCount - 1; k >= 0; --k) {
    const oracleLink *link = &body->chain[k];
    point w = fromDoubles(link->spin);
    p = rotateBy((point){t * w.x, t * w.y, t * w.z}, rotateByQuaternion(link->rotation, p));
    p = addScaled(addScaled(p, 1, fromDoubles(link->position)), t, fromDoubles(link->velocity));
  }
  return p;
}

void oraclePlace(const oracleBody *body, long double t, const double p[3], long double world[3]) {
  point placed = placePoint(body, t, fromDoubles(p));
  world[0] = placed.x;
  world[1] = placed.y;
  world[2] = placed.z;
}

long double oracleSpeed(const oracleBody *body) {
  real reach = 0, speed = 0;
  for (int i = 0; i < body->vertexCount; ++i) {
    real r = norm(fromDoubles(&body->vertices[3 * i]));
    if (r > reach) reach = r;
  }
  /* From the last link to the root: a link turns everything below it about its own origin. */
  for (int k = body->linkCount - 1; k >= 0; --k) {
    const oracleLink *link = &body->chain[k];
    point start = fromDoubles(link->position), end = addScaled(start, 1, fromDoubles(link->velocity));
    speed += norm(fromDoubles(link->velocity)) + norm(fromDoubles(link->spin)) * reach;
    reach += fmaxl(norm(start), norm(end));
  }
  return speed * (1 + 1e-15L);
}

/* ---- distance */

static real segmentDistance(point p0, point p1, point q0, point q1) {
  point d1 = subtract(p1, p0), d2 = subtract(q1, q0), r = subtract(p0, q0);
  real a = dotProduct(d1, d1), e = dotProduct(d2, d2), f = dotProduct(d2, r), c = dotProduct(d1, r);
  real s = 0, t = 0;
  if (a > 0 && e > 0) {
    real b = dotProduct(d1, d2), denominator = a * e - b * b;
    if (denominator > 0) s = clampUnit((b * f - c * e) / denominator);
    t = (b * s + f) / e;
    if (t < 0 || t > 1) {
      t = clampUnit(t);
      s = clampUnit((b * t - c) / a);
    }
  } else if (e > 0) {
    t = clampUnit(f / e);
  } else if (a > 0) {
    s = clampUnit(-c / a);
  }
  real best = norm(subtract(addScaled(p0, s, d1), addScaled(q0, t, d2)));
  /* Nearly parallel lines make the interior solution worthless; the minimum is then also met at an end. */
  point ends[4] = {p0, p1, q0, q1};
  for (int i = 0; i < 4; ++i) {
    point from = i < 2 ? q0 : p0, along = i < 2 ? d2 : d1;
    real length2 = i < 2 ? e : a;
    real u = length2 > 0 ? clampUnit(dotProduct(subtract(ends[i], from), along) / length2) : 0;
    best = fminl(best, norm(subtract(ends[i], addScaled(from, u, along))));
  }
  return best;
}

/* Distance of p from the face's interior; INFINITY when it does not project into it (edges are asked separately). */
static real faceDistance(point p, const point t[3]) {
  point n = crossProduct(subtract(t[1], t[0]), subtract(t[2], t[0]));
  real length = norm(n);
  if (length == 0) return INFINITY;
  for (int i = 0; i < 3; ++i) {
    point inward = crossProduct(n, subtract(t[(i + 1) % 3], t[i]));
    if (dotProduct(inward, subtract(p, t[i])) < 0) return INFINITY;
  }
  return fabsl(dotProduct(n, subtract(p, t[0]))) / length;
}

/* Does segment pq go through the triangle? (Touching may be missed here: the distances then are 0 anyway.) */
static bool pierces(point p, point q, const point t[3]) {
  point n = crossProduct(subtract(t[1], t[0]), subtract(t[2], t[0]));
  real hp = dotProduct(n, subtract(p, t[0])), hq = dotProduct(n, subtract(q, t[0]));
  if ((hp > 0) == (hq > 0) || hp == hq) return false;
  point x = addScaled(p, hp / (hp - hq), subtract(q, p));
  for (int i = 0; i < 3; ++i) {
    point inward = crossProduct(n, subtract(t[(i + 1) % 3], t[i]));
    if (dotProduct(inward, subtract(x, t[i])) < 0) return false;
  }
  return true;
}

static real triangleDistance(const point a[3], const point b[3]) {
  real best = INFINITY;
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3;
    if (pierces(a[i], a[j], b) || pierces(b[i], b[j], a)) return 0;
  }
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) best = fminl(best, segmentDistance(a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3]));
    best = fminl(best, fminl(faceDistance(a[i], b), faceDistance(b[i], a)));
  }
  return best;
}

typedef struct placedBody {
  point *corners; /* [simplexCount][3] */
  point *centers;
  real *radii;
} placedBody;

static placedBody place(const oracleBody *body, real t) {
  placedBody out;
  size_t count = (size_t)body->simplexCount;
  point *all = malloc(sizeof(point) * (size_t)body->vertexCount);
  out.corners = malloc(sizeof(point) * 3u * count);
  out.centers = malloc(sizeof(point) * count);
  out.radii = malloc(sizeof(real) * count);
  if (all == NULL || out.corners == NULL || out.centers == NULL || out.radii == NULL) abort();
  for (int i = 0; i < body->vertexCount; ++i) all[i] = placePoint(body, t, fromDoubles(&body->vertices[3 * i]));
  for (size_t i = 0; i < count; ++i) {
    point sum = {0, 0, 0};
    for (size_t k = 0; k < 3u; ++k) {
      out.corners[3 * i + k] = all[body->simplices[3 * i + k]];
      sum = addScaled(sum, 1.0L / 3, out.corners[3 * i + k]);
    }
    out.centers[i] = sum;
    out.radii[i] = 0;
    for (size_t k = 0; k < 3u; ++k)
      out.radii[i] = fmaxl(out.radii[i], norm(subtract(out.corners[3 * i + k], sum)) * (1 + 1e-15L));
  }
  free(all);
  return out;
}

static void release(placedBody *body) {
  free(body->corners);
  free(body->centers);
  free(body->radii);
}

static bool holds(const placedBody *solid, int count, point p) {
  real angle = 0;
  for (int i = 0; i < count; ++i) {
    point a = subtract(solid->corners[3 * i], p), b = subtract(solid->corners[3 * i + 1], p);
    point c = subtract(solid->corners[3 * i + 2], p);
    real la = norm(a), lb = norm(b), lc = norm(c);
    real top = dotProduct(a, crossProduct(b, c));
    real bottom = la * lb * lc + dotProduct(a, b) * lc + dotProduct(b, c) * la + dotProduct(c, a) * lb;
    angle += 2 * atan2l(top, bottom);
  }
  return fabsl(angle) > 6;
}

long double oracleDistance(const oracleBody *a, const oracleBody *b, long double t) {
  placedBody x = place(a, t), y = place(b, t);
  real best = INFINITY;
  for (int i = 0; i < a->simplexCount && best > 0; ++i) {
    for (int j = 0; j < b->simplexCount && best > 0; ++j) {
      if (norm(subtract(x.centers[i], y.centers[j])) - x.radii[i] - y.radii[j] > best) continue;
      best = fminl(best, triangleDistance(&x.corners[3 * i], &y.corners[3 * j]));
    }
  }
  if (best > 0 && b->solid && holds(&y, b->simplexCount, x.corners[0])) best = 0;
  if (best > 0 && a->solid && holds(&x, a->simplexCount, y.corners[0])) best = 0;
  release(&x);
  release(&y);
  return fmaxl(best - a->radius - b->radius, 0);
}

oracleVerdict oracleFree(const oracleBody *a, const oracleBody *b, long double t0, long double t1, long double margin,
                         int budget, long double *t, long double *smallest) {
  real speed = oracleSpeed(a) + oracleSpeed(b);
  *t = t0;
  *smallest = INFINITY;
  for (int i = 0; i < budget; ++i) {
    real distance = oracleDistance(a, b, *t);
    *smallest = fminl(*smallest, distance);
    if (distance <= margin) return oracle_contact;
    if (*t >= t1) return oracle_free;
    if (speed == 0) return oracle_free;
    real step = (distance - margin) / speed;
    *t = fminl(t1, *t + step);
    if (step < 1e-17L) return oracle_undecided;
  }
  return oracle_undecided;
}
