/* SPDX-License-Identifier: BSD-3-Clause */
/* See path.h. Based on: theory D1.1, D3, D4.6; docs/theory.md "Motions beyond constant velocities".
 *   screw    |T'| = hypot(th rho, s), |T^(k)| = th^k rho, rho = distance of T0 from the axis
 *   odeStep  al = 2 atan(k t): al' = 2k/(1+u^2), al'' = -4 k^2 u/(1+u^2)^2, al''' = -4 k^3 (1-3u^2)/(1+u^2)^3, u = k t;
 *            |al''| <= (3 sqrt3/4) k^2, |al'''| <= 4 k^3 because |1-3u^2| <= (1+u^2)^3
 *   spline   in a piece of length d, s = (t-t_i)/d: T a cubic: |T'| by its Bernstein coefficients, T'' linear, T'''
 * constant bezier   f = P/W: W f' = P' - f W', W f'' = P'' - 2 f' W' - f W'', ...; P moved to the middle's f, so that
 * only differences count; bounds of P^(k), W^(k) by the control points of the part of the window (hull property).
 *            Rotation: Om = axial part of R' R^T, |Om| = |R'|_F/sqrt2; R'' R^T = hat(Om') + hat(Om)^2, so |Om'| <=
 *            |R''|_F/sqrt2; R''' R^T = hat(Om'') + 2 hat(Om') hat(Om) + hat(Om) hat(Om') + hat(Om)^3, so |Om''| <=
 *            |R'''|_F/sqrt2 + 3 |Om||Om'| + |Om|^3.
 * Rounding: values carry a few dozen eps of the magnitudes that enter; every bound is raised by RAISE. Those of a
 * bezier carry 3 n eps of sum B_i |P_i| over W, which is at most max |P_i|/w_i whatever the weights. A k-th derivative
 * loses k times the weights' ratio. */
#include "path.h"

#define EPS DBL_EPSILON
#define RAISE (1 + 64 * EPS)
#define TWO_PI 6.283185307179586
/* Narrower windows are widened to this before control points are differenced: rounding grows with its third power. */
#define NARROWEST 0x1p-10

static const brinkVec3 zero = {0, 0, 0};

static double spanOf(double t, double lo, double hi) { return fmax(hi - t, t - lo); }

/* Reach: |T| at t and the way from there. */
static void finish(brinkPathRate *out, double t, double lo, double hi) {
  double way = out->speed * spanOf(t, lo, hi);
  out->reach = (brinkLength(out->pose.p) + (hi > lo ? way : 0) + out->kappa * out->magnitude) * RAISE;
}

/* ---- screw */

brinkPath brinkMakePathScrew(brinkPose start, brinkVec3 point, brinkVec3 axis, double angle, double pitch) {
  brinkPath path;
  memset(&path, 0, sizeof path);
  path.kind = brink_pathScrew;
  brinkVec3 a = brinkNormalizeOr(axis, brinkV3(1, 0, 0));
  path.turn = brinkMakeLinkMotionVelocities(-1, (brinkPose){zero, start.rotation}, zero, brinkScale(a, angle));
  path.start = start.position;
  path.point = point;
  path.arm = brinkSub(start.position, point);
  path.advance = brinkScale(a, pitch * angle / TWO_PI);
  return path;
}

/* E(angle axis) v */
static brinkVec3 turnVector(brinkVec3 axis, double angle, brinkVec3 v) {
  double halfSine = sin(0.5 * angle), halfCosine = cos(0.5 * angle);
  brinkVec3 across = brinkCross(axis, v), twice = brinkCross(axis, across);
  return brinkMulAdd(brinkMulAdd(v, 2 * halfSine * halfCosine, across), 2 * halfSine * halfSine, twice);
}

static void screwRate(const brinkPath *path, double t, brinkPathRate *out) {
  double angle = path->turn.angle;
  brinkVec3 arm = turnVector(path->turn.axis, angle * t, path->arm), swing = brinkCross(path->turn.w, arm);
  double rho = brinkLength(brinkCross(path->turn.axis, path->arm)), size = brinkLength(path->arm);
  double s = brinkLength(path->advance), w = angle;
  out->pose = brinkLinkMotion_PlainAt(&path->turn, t);
  out->pose.p = brinkAdd(brinkMulAdd(path->point, t, path->advance), arm);
  out->velocity = brinkAdd(swing, path->advance);
  out->accel = brinkCross(path->turn.w, swing);
  out->omega = path->turn.w;
  rho += 16 * EPS * size;
  out->speed = sqrt(w * rho * (w * rho) + s * s) * RAISE;
  out->accelBound = w * w * rho * RAISE;
  out->jerk = w * w * w * rho * RAISE;
  out->turn = w * RAISE;
  out->magnitude = brinkLength(path->point) + size + s;
  out->kappa = (128 + 16 * w) * EPS;
  out->velocityError = out->kappa * (w * size + s);
  out->accelError = out->kappa * w * w * size;
}

/* ---- ODE's step */

brinkPath brinkMakePathOdeStep(brinkPose start, brinkVec3 v, brinkVec3 w) {
  brinkPath path;
  memset(&path, 0, sizeof path);
  path.kind = brink_pathOdeStep;
  path.turn = brinkMakeLinkMotionVelocities(-1, (brinkPose){zero, start.rotation}, zero, w);
  path.rate = 0.5 * path.turn.angle;
  if (path.rate > 0) { /* by one radian per unit */
    path.turn.w = path.turn.axis;
    brinkLinkMotion_Prepare(&path.turn);
  }
  path.start = start.position;
  path.advance = v;
  return path;
}

static void odeRate(const brinkPath *path, double t, double lo, double hi, brinkPathRate *out) {
  double k = path->rate, u = k * t, d = 1 + u * u, low = k * fmax(lo, 0), high = k * hi;
  out->pose = brinkLinkMotion_PlainAt(&path->turn, k > 0 ? 2 * atan(u) : 0);
  out->pose.p = brinkMulAdd(path->start, t, path->advance);
  out->velocity = path->advance;
  out->speed = brinkLength(path->advance) * RAISE;
  out->magnitude = brinkLength(path->start) + brinkLength(path->advance);
  out->kappa = (128 + 16 * 4) * EPS; /* angles below pi; atan within 4 eps */
  if (!(k > 0)) return;
  double rate = 2 * k / d, change = -4 * k * k * u / (d * d);
  out->omega = brinkScale(path->turn.axis, rate);
  out->alpha = brinkScale(path->turn.axis, change);
  out->turn = 2 * k / (1 + low * low) * RAISE;
  double best = 0.5773502691896258; /* of u/(1+u^2)^2 */
  double at = low <= best && best <= high ? best : high < best ? high : low;
  out->turnAccel = 4 * k * k * at / ((1 + at * at) * (1 + at * at)) * RAISE;
  out->turnJerk = 4 * k * k * k * RAISE;
  out->omegaError = out->kappa * rate;
  out->alphaError = out->kappa * k * k;
}

/* ---- spline */

brinkPath brinkMakePathSpline(brinkPathKey *keys, int32_t count) {
  brinkPath path;
  memset(&path, 0, sizeof path);
  path.kind = brink_pathSpline;
  path.keys = keys;
  path.count = count;
  path.start = keys[0].position;
  for (int32_t i = 0; i + 1 < count; ++i)
    keys[i].turn =
        brinkMakeLinkMotion(-1, (brinkPose){zero, keys[i].rotation}, (brinkPose){zero, keys[i + 1].rotation}, NULL);
  return path;
}

/* The piece that holds t: the one that begins there, except at the end of the window. */
static int32_t pieceAt(const brinkPath *path, double t, double hi) {
  int32_t low = 0, high = path->count - 2;
  while (low < high) {
    int32_t middle = (low + high + 1) / 2;
    if (path->keys[middle].time < t || (path->keys[middle].time == t && hi > t))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Bernstein coefficients of T' (three) and T'' (two) and T''' of a piece, in t. */
typedef struct Cubic {
  brinkVec3 first[3], second[2], third;
  double duration;
} Cubic;

static Cubic cubicOf(const brinkPathKey *a, const brinkPathKey *b) {
  Cubic c;
  double d = b->time - a->time;
  c.duration = d;
  brinkVec3 chord = brinkScale(brinkSub(b->position, a->position), 1 / d);
  c.first[0] = a->slope;
  c.first[2] = b->slope;
  c.first[1] = brinkSub(brinkScale(chord, 3), brinkAdd(a->slope, b->slope));
  for (int i = 0; i < 2; ++i) c.second[i] = brinkScale(brinkSub(c.first[i + 1], c.first[i]), 2 / d);
  c.third = brinkScale(brinkSub(c.second[1], c.second[0]), 1 / d);
  return c;
}

static brinkVec3 between(brinkVec3 a, brinkVec3 b, double s) {
  return brinkAdd(brinkScale(a, 1 - s), brinkScale(b, s));
}

static void pieceBounds(const brinkPath *path, int32_t i, double lo, double hi, brinkPathRate *out) {
  const brinkPathKey *a = &path->keys[i], *b = a + 1;
  Cubic c = cubicOf(a, b);
  double s0 = fmin(fmax((lo - a->time) / c.duration, 0), 1), s1 = fmin(fmax((hi - a->time) / c.duration, 0), 1);
  double slopes = brinkLength(a->slope) + brinkLength(b->slope);
  double size = slopes + 3 * (brinkLength(a->position) + brinkLength(b->position)) / c.duration;
  /* blossom of the quadratic T' at (s0,s0), (s0,s1), (s1,s1) */
  brinkVec3 low[2] = {between(c.first[0], c.first[1], s0), between(c.first[1], c.first[2], s0)};
  brinkVec3 high[2] = {between(c.first[0], c.first[1], s1), between(c.first[1], c.first[2], s1)};
  double speed = fmax(brinkLength(between(low[0], low[1], s0)),
                      fmax(brinkLength(between(low[0], low[1], s1)), brinkLength(between(high[0], high[1], s1))));
  double accel =
      fmax(brinkLength(between(c.second[0], c.second[1], s0)), brinkLength(between(c.second[0], c.second[1], s1)));
  out->speed = fmax(out->speed, speed + 32 * EPS * size);
  out->accelBound = fmax(out->accelBound, accel + 64 * EPS * size / c.duration);
  out->jerk = fmax(out->jerk, brinkLength(c.third) + 128 * EPS * size / (c.duration * c.duration));
  out->turn = fmax(out->turn, a->turn.angle / c.duration * RAISE);
}

static void splineRate(const brinkPath *path, double t, double lo, double hi, brinkPathRate *out) {
  int32_t at = pieceAt(path, t, hi), first = pieceAt(path, lo, hi > lo ? hi : HUGE_VAL), last = pieceAt(path, hi, hi);
  if (first > at) first = at;
  if (last < at) last = at;
  const brinkPathKey *a = &path->keys[at], *b = a + 1;
  Cubic c = cubicOf(a, b);
  double s = fmin(fmax((t - a->time) / c.duration, 0), 1), r = 1 - s, d = c.duration;
  out->pose = brinkLinkMotion_PlainAt(&a->turn, s);
  /* Hermite: values at the keys are met exactly */
  double hb = s * s * (3 - 2 * s), ha = r * r * (3 - 2 * r);
  brinkVec3 p = brinkAdd(brinkScale(a->position, ha), brinkScale(b->position, hb));
  p = brinkMulAdd(p, d * s * r * r, a->slope);
  out->pose.p = brinkMulAdd(p, -d * s * s * r, b->slope);
  brinkVec3 low = between(c.first[0], c.first[1], s), high = between(c.first[1], c.first[2], s);
  out->velocity = between(low, high, s);
  out->accel = between(c.second[0], c.second[1], s);
  out->omega = brinkScale(a->turn.w, 1 / d);
  for (int32_t i = first; i <= last; ++i) pieceBounds(path, i, lo, hi, out);
  if (first < last) out->jerk = out->turnAccel = out->turnJerk = HUGE_VAL;
  double slopes = brinkLength(a->slope) + brinkLength(b->slope),
         places = brinkLength(a->position) + brinkLength(b->position);
  out->magnitude = places + d * slopes + out->speed;
  out->kappa = (256 + 16 * out->turn) * EPS; /* s has 4 eps of 1/d: the pose by speed times 4 eps of t */
  out->velocityError = 64 * EPS * (slopes + 3 * places / d) + 16 * EPS * out->accelBound;
  out->accelError = 256 * EPS * (slopes + 3 * places / d) / d;
  out->omegaError = 8 * EPS * out->turn;
}

/* ---- rational Bezier */

static double normOf(const double *v, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += v[i] * v[i];
  return sqrt(sum);
}

/* 2n+1 Bernstein coefficients of the product of two polynomials of degree n. */
static void addProduct(const double *a, const double *b, int stride, int n, double factor, double *out) {
  static const double binomial[9][9] = {{1},
                                        {1, 1},
                                        {1, 2, 1},
                                        {1, 3, 3, 1},
                                        {1, 4, 6, 4, 1},
                                        {1, 5, 10, 10, 5, 1},
                                        {1, 6, 15, 20, 15, 6, 1},
                                        {1, 7, 21, 35, 35, 21, 7, 1},
                                        {1, 8, 28, 56, 70, 56, 28, 8, 1}};
  double sum[2 * BRINK_PATH_MAX_DEGREE + 1] = {0}, total[2 * BRINK_PATH_MAX_DEGREE + 1] = {0};
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      double weight = binomial[n][i] * binomial[n][j];
      sum[i + j] += weight * a[i * stride] * b[j * stride];
      total[i + j] += weight;
    }
  for (int k = 0; k <= 2 * n; ++k) out[k] += factor * sum[k] / total[k];
}

bool brinkMakePathBezier(double *controls, int32_t count, brinkPath *out) {
  memset(out, 0, sizeof *out);
  int n = count - 1;
  /* N^T N - W^2 I over W^2, both by Bernstein coefficients, and the determinant's sign at the start */
  double smallest = HUGE_VAL, largest = 0, defect = 0, square[2 * BRINK_PATH_MAX_DEGREE + 1] = {0};
  for (int32_t i = 0; i < count; ++i) {
    const double *control = &controls[13 * i], weight = control[0];
    smallest = fmin(smallest, weight);
    largest = fmax(largest, weight);
    out->most = fmax(out->most, normOf(control + 1, 9) / weight);
    out->far = fmax(out->far, normOf(control + 10, 3) / weight);
  }
  out->ratio = largest / smallest;
  addProduct(controls, controls, 13, n, 1, square);
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      double product[2 * BRINK_PATH_MAX_DEGREE + 1] = {0};
      for (int k = 0; k < 3; ++k) addProduct(&controls[1 + 3 * k + i], &controls[1 + 3 * k + j], 13, n, 1, product);
      for (int k = 0; k <= 2 * n; ++k) defect = fmax(defect, fabs(product[k] - (i == j ? square[k] : 0)) / square[k]);
    }
  defect = 3 * defect + 64 * EPS * out->most * out->most;
  const double *r = &controls[1];
  double determinant =
      r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
  if (!(smallest > 0) || !(defect <= BRINK_PATH_RIGIDITY) || !(determinant > 0)) return false;
  out->kind = brink_pathBezier;
  out->controls = controls;
  out->count = count;
  out->defect = defect;
  out->start = brinkV3(controls[10] / controls[0], controls[11] / controls[0], controls[12] / controls[0]);
  return true;
}

/* Value, first and second derivative of the 13 polynomials at t. */
static void evaluateBezier(const brinkPath *path, double t, double value[3][13]) {
  int n = path->count - 1;
  double level[BRINK_PATH_MAX_DEGREE + 1][13];
  memcpy(level, path->controls, sizeof(double) * 13 * (size_t)path->count);
  memset(value[2], 0, sizeof value[2]);
  for (int size = n; size >= 0; --size) {
    for (int c = 0; c < 13; ++c) {
      if (size == 2) value[2][c] = n * (n - 1) * (level[2][c] - 2 * level[1][c] + level[0][c]);
      if (size == 1) value[1][c] = n * (level[1][c] - level[0][c]);
      if (size == 0) value[0][c] = level[0][c];
    }
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < 13; ++c) level[i][c] = (1 - t) * level[i][c] + t * level[i + 1][c];
  }
}

/* Control points of the part [lo,hi]: two cuts by de Casteljau. */
static void cutBezier(const brinkPath *path, double lo, double hi, double part[BRINK_PATH_MAX_DEGREE + 1][13]) {
  int n = path->count - 1;
  double work[BRINK_PATH_MAX_DEGREE + 1][13];
  memcpy(work, path->controls, sizeof(double) * 13 * (size_t)path->count);
  for (int size = n; size > 0; --size) /* keep [lo,1] in place */
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < 13; ++c) work[i][c] = (1 - lo) * work[i][c] + lo * work[i + 1][c];
  /* the loop leaves work[i] = point of degree n-i from i on: exactly the control points of [lo,1] */
  double s = lo < 1 ? (hi - lo) / (1 - lo) : 1;
  for (int size = n; size >= 0; --size) {
    memcpy(part[n - size], work[0], sizeof work[0]);
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < 13; ++c) work[i][c] = (1 - s) * work[i][c] + s * work[i + 1][c];
  }
}

/* Bounds of |f - centre|, |f'|, |f''|, |f'''| for the components [from, from + count) of P/W. */
static void quotientBounds(double part[][13], int n, int from, int count, const double *centre, double width,
                           double out[4]) {
  double difference[4][BRINK_PATH_MAX_DEGREE + 1][13], weight[4] = {0}, size[4] = {0}, smallest = HUGE_VAL,
                                                       magnitude = 0, wholeWeight = 0;
  for (int i = 0; i <= n; ++i) {
    smallest = fmin(smallest, part[i][0]);
    wholeWeight = fmax(wholeWeight, part[i][0]);
    difference[0][i][0] = part[i][0];
    for (int c = 0; c < count; ++c) difference[0][i][1 + c] = part[i][from + c] - part[i][0] * centre[c];
    magnitude = fmax(magnitude, normOf(&part[i][from], count) + part[i][0] * normOf(centre, count));
    size[0] = fmax(size[0], normOf(&difference[0][i][1], count) / part[i][0]);
  }
  double factor = 1;
  for (int k = 1; k <= 3 && k <= n; ++k) {
    factor *= (n - k + 1) / width;
    for (int i = 0; i + k <= n; ++i) {
      for (int c = 0; c <= count; ++c) difference[k][i][c] = difference[k - 1][i + 1][c] - difference[k - 1][i][c];
      weight[k] = fmax(weight[k], factor * fabs(difference[k][i][0]));
      size[k] = fmax(size[k], factor * normOf(&difference[k][i][1], count));
    }
    double round = 128 * EPS * factor * 8; /* de Casteljau twice: 4 n eps; differences of three: 8 times that */
    weight[k] += round * wholeWeight;
    size[k] += round * magnitude;
  }
  size[0] += 128 * EPS * magnitude / smallest;
  out[0] = size[0] * RAISE;
  out[1] = (size[1] + out[0] * weight[1]) / smallest * RAISE;
  out[2] = (size[2] + 2 * out[1] * weight[1] + out[0] * weight[2]) / smallest * RAISE;
  out[3] = (size[3] + 3 * out[2] * weight[1] + 3 * out[1] * weight[2] + out[0] * weight[3]) / smallest * RAISE;
}

static void bezierRate(const brinkPath *path, double t, double lo, double hi, brinkPathRate *out) {
  const double half = 0.7071067811865476;
  int n = path->count - 1;
  double value[3][13], f[3][12];
  evaluateBezier(path, t, value);
  for (int c = 0; c < 12; ++c) {
    f[0][c] = value[0][1 + c] / value[0][0];
    f[1][c] = (value[1][1 + c] - f[0][c] * value[1][0]) / value[0][0];
    f[2][c] = (value[2][1 + c] - 2 * f[1][c] * value[1][0] - f[0][c] * value[2][0]) / value[0][0];
  }
  memcpy(out->pose.r.m, f[0], 9 * sizeof(double));
  out->pose.p = brinkV3_FromArray(&f[0][9]);
  out->velocity = brinkV3_FromArray(&f[1][9]);
  out->accel = brinkV3_FromArray(&f[2][9]);
  for (int k = 1; k <= 2; ++k) { /* axial parts of R^(k) R^T */
    double m[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        m[i][j] = f[k][3 * i] * f[0][3 * j] + f[k][3 * i + 1] * f[0][3 * j + 1] + f[k][3 * i + 2] * f[0][3 * j + 2];
    brinkVec3 axial = {0.5 * (m[2][1] - m[1][2]), 0.5 * (m[0][2] - m[2][0]), 0.5 * (m[1][0] - m[0][1])};
    if (k == 1)
      out->omega = axial;
    else
      out->alpha = axial;
  }
  lo = fmin(fmax(lo, 0), 1);
  hi = fmin(fmax(hi, 0), 1);
  if (hi - lo < NARROWEST) {
    lo = fmax(0, fmin(lo, 1 - NARROWEST));
    hi = lo + NARROWEST > hi ? lo + NARROWEST : hi;
  }
  double part[BRINK_PATH_MAX_DEGREE + 1][13], place[4], turn[4];
  cutBezier(path, lo, hi, part);
  quotientBounds(part, n, 10, 3, &f[0][9], hi - lo, place);
  quotientBounds(part, n, 1, 9, &f[0][0], hi - lo, turn);
  double give = 1 + 4 * path->defect; /* R^T is not quite the inverse */
  out->speed = place[1];
  out->accelBound = place[2];
  out->jerk = place[3];
  out->turn = turn[1] * half * give;
  out->turnAccel = turn[2] * half * give;
  out->turnJerk = (turn[3] * half + 3 * out->turn * out->turnAccel + out->turn * out->turn * out->turn) * give;
  out->magnitude = path->far + out->speed;
  out->kappa = 64 * (n + 1) * EPS * path->most + path->defect;
  double error = 64 * EPS * n, ratio = path->ratio, most = path->most;
  out->velocityError = error * 2 * n * ratio * path->far;
  out->accelError = error * 8 * n * n * ratio * ratio * path->far;
  out->omegaError = error * 6 * n * ratio * most * most + 4 * path->defect * out->turn;
  out->alphaError =
      error * 24 * n * n * ratio * ratio * most * most + 4 * path->defect * (out->turnAccel + out->turn * out->turn);
}

/* ---- user */

brinkPath brinkMakePathUser(brinkPathUser user) {
  brinkPath path;
  memset(&path, 0, sizeof path);
  path.kind = brink_pathUser;
  path.user = user;
  brinkRigid start = brinkPath_At(&path, 0);
  path.start = start.p;
  return path;
}

static double known(double bound) { return bound >= 0 ? bound * RAISE : HUGE_VAL; } /* NaN is not known */

static void userRate(const brinkPath *path, double t, double lo, double hi, brinkPathRate *out) {
  brinkPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  brinkPathBound bound = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  bool given = false;
  path->user.pose(path->user.user, t, &pose, &out->velocity, &out->omega, &given);
  path->user.bound(path->user.user, lo, hi, &bound);
  brinkNormalizeQuat(&pose.rotation);
  out->pose = brinkRigid_FromPose(pose);
  out->speed = known(bound.speed);
  out->accelBound = known(bound.accel);
  out->turn = known(bound.turn);
  out->turnAccel = known(bound.turnAccel);
  if (!brinkFiniteV3(pose.position)) out->speed = HUGE_VAL;
  out->jerk = out->turnJerk = HUGE_VAL;
  out->accelError = out->accelBound;
  out->alphaError = out->turnAccel;
  if (!given) {
    out->velocity = out->omega = zero;
    out->velocityError = out->speed;
    out->omegaError = out->turn;
  }
  out->magnitude = brinkLength(pose.position);
  out->kappa = 128 * EPS;
}

/* ---- any */

void brinkPath_Rate(const brinkPath *path, double t, double lo, double hi, brinkPathRate *out) {
  memset(out, 0, sizeof *out);
  switch (path->kind) {
    case brink_pathScrew:
      screwRate(path, t, out);
      break;
    case brink_pathOdeStep:
      odeRate(path, t, lo, hi, out);
      break;
    case brink_pathSpline:
      splineRate(path, t, lo, hi, out);
      break;
    case brink_pathBezier:
      bezierRate(path, t, lo, hi, out);
      break;
    default:
      userRate(path, t, lo, hi, out);
      break;
  }
  out->pose.p = brinkAdd(out->pose.p, path->offset);
  out->magnitude += brinkLength(path->offset);
  finish(out, t, lo, hi);
}

static brinkRigid ownPlace(const brinkPath *path, double t) {
  brinkPathRate rate;
  brinkPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  brinkVec3 velocity, omega;
  bool given = false;
  memset(&rate, 0, sizeof rate);
  switch (path->kind) {
    case brink_pathScrew:
      screwRate(path, t, &rate);
      return rate.pose;
    case brink_pathOdeStep:
      odeRate(path, t, t, t, &rate);
      return rate.pose;
    case brink_pathSpline:
      splineRate(path, t, t, t, &rate);
      return rate.pose;
    case brink_pathBezier: {
      double value[3][13];
      evaluateBezier(path, t, value);
      for (int c = 0; c < 9; ++c) rate.pose.r.m[c / 3][c % 3] = value[0][1 + c] / value[0][0];
      rate.pose.p = brinkV3(value[0][10] / value[0][0], value[0][11] / value[0][0], value[0][12] / value[0][0]);
      return rate.pose;
    }
    default:
      path->user.pose(path->user.user, t, &pose, &velocity, &omega, &given);
      brinkNormalizeQuat(&pose.rotation);
      return brinkRigid_FromPose(pose);
  }
}

brinkRigid brinkPath_At(const brinkPath *path, double t) {
  brinkRigid pose = ownPlace(path, t);
  pose.p = brinkAdd(pose.p, path->offset);
  return pose;
}

int32_t brinkPath_Controls(const brinkPath *path, double lo, double hi, brinkRigid *out, double *error) {
  if (path->kind != brink_pathBezier) return 0;
  double part[BRINK_PATH_MAX_DEGREE + 1][13], largest = 1;
  cutBezier(path, fmin(fmax(lo, 0), 1), fmin(fmax(hi, 0), 1), part);
  for (int32_t i = 0; i < path->count; ++i) {
    for (int c = 1; c < 13; ++c) part[i][c] /= part[i][0];
    memcpy(out[i].r.m, &part[i][1], 9 * sizeof(double));
    out[i].p = brinkAdd(brinkV3_FromArray(&part[i][10]), path->offset);
    largest = fmax(largest, brinkLength(out[i].p) + brinkLength(path->offset));
    if (!(part[i][0] > 0)) return 0;
  }
  *error = (64 * path->count * EPS + path->defect) * largest;
  return path->count;
}

bool brinkPath_Axis(const brinkPath *path, double t, double tEnd, brinkPathAxis *out) {
  if (path->kind == brink_pathBezier) return false;
  const brinkLinkMotion *turn = &path->turn;
  brinkPathRate rate;
  brinkPath_Rate(path, t, t, tEnd, &rate);
  *out = (brinkPathAxis){.pivot = rate.pose.p, .drift = rate.velocity, .rate = rate.turn, .size = rate.magnitude};
  if (path->kind == brink_pathUser) { /* known where the host says that the angular velocity stays as it is at t */
    out->driftAccel = rate.accelBound;
    out->driftError = rate.velocityError;
    out->direction = brinkNormalizeOr(rate.omega, brinkV3(1, 0, 0));
    return rate.turnAccel == 0 && rate.omegaError < 1e-12 * rate.turn && isfinite(rate.accelBound + rate.velocityError);
  }
  if (path->kind == brink_pathSpline) {
    int32_t at = pieceAt(path, t, tEnd);
    if (!(path->keys[at + 1].time >= tEnd)) return false; /* another axis from that key on */
    turn = &path->keys[at].turn;
    out->driftAccel = rate.accelBound;
    out->driftError = rate.velocityError;
  } else {
    out->drift = path->advance;
  }
  if (path->kind == brink_pathScrew) out->pivot = brinkAdd(brinkMulAdd(path->point, t, path->advance), path->offset);
  out->direction = turn->axis;
  return turn->angle > 0;
}

double brinkPath_NextBreak(const brinkPath *path, double t, double tEnd) {
  return path->kind == brink_pathSpline ? fmin(path->keys[pieceAt(path, t, HUGE_VAL) + 1].time, tEnd) : tEnd;
}

/* ---- Taylor models: Taylor's formula at the middle, the highest derivative that is known in the remainder */

static brinkTaylor expand(const double value[3], const double error[3], const double bound[4], double h, int order) {
  brinkTaylor model;
  memset(&model, 0, sizeof model);
  int terms = order < 2 ? order : 2;
  while (terms > 0 && !(bound[terms + 1] < HUGE_VAL && error[terms] < HUGE_VAL)) --terms;
  double power = 1, remainder = 0, size = 0;
  for (int k = 0; k <= terms; ++k) {
    model.c[k] = value[k] * power;
    remainder += error[k] * power;
    size += fabs(model.c[k]);
    power *= h / (k + 1);
  }
  if (h > 0) remainder += bound[terms + 1] * power;
  remainder = (remainder + 16 * EPS * size) * RAISE;
  if (!(remainder < HUGE_VAL) || !(size < HUGE_VAL)) {
    memset(&model, 0, sizeof model);
    remainder = HUGE_VAL;
  }
  model.remainder = (brinkInterval){-remainder, remainder};
  return model;
}

void brinkPath_Taylor(const brinkPath *path, double m, double h, int order, brinkTaylorRigid *out) {
  brinkPathRate rate;
  brinkPath_Rate(path, m, m - h, m + h, &rate);
  const double p[3][3] = {{rate.pose.p.x, rate.pose.p.y, rate.pose.p.z},
                          {rate.velocity.x, rate.velocity.y, rate.velocity.z},
                          {rate.accel.x, rate.accel.y, rate.accel.z}};
  const double placeError[3] = {rate.kappa * rate.magnitude, rate.velocityError, rate.accelError};
  const double placeBound[4] = {rate.reach, rate.speed, rate.accelBound, rate.jerk};
  double w = rate.turn, a = rate.turnAccel;
  brinkMat3 hat = brinkHat(rate.omega), change = brinkHat(rate.alpha), square = brinkMulMM(&hat, &hat);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) change.m[i][j] += square.m[i][j];
  brinkMat3 first = brinkMulMM(&hat, &rate.pose.r), second = brinkMulMM(&change, &rate.pose.r);
  const double turnBound[4] = {1, w, a + w * w, rate.turnJerk + 3 * w * a + w * w * w};
  const double turnError[3] = {rate.kappa, rate.omegaError + (rate.kappa + 16 * EPS) * w,
                               rate.alphaError + 2 * w * rate.omegaError + (rate.kappa + 32 * EPS) * (a + w * w)};
  for (int i = 0; i < 3; ++i) {
    const double place[3] = {p[0][i], p[1][i], p[2][i]};
    out->p[i] = expand(place, placeError, placeBound, h, order);
    for (int j = 0; j < 3; ++j) {
      const double entry[3] = {rate.pose.r.m[i][j], first.m[i][j], second.m[i][j]};
      brinkTaylor model = expand(entry, turnError, turnBound, h, order);
      double most = 1 + rate.kappa;
      if (!(brinkInterval_Width(model.remainder) <= 2 * most)) { /* no entry of a rotation leaves [-1,1] */
        memset(&model, 0, sizeof model);
        model.remainder = (brinkInterval){-most, most};
      }
      out->r[i][j] = model;
    }
  }
}
