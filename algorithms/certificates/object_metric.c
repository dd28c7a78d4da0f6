/* SPDX-License-Identifier: BSD-3-Clause */
/* The metric of a mass distribution. J and J^-1 come from one eigenvector basis, so that they are inverse to each other
 * up to a few hundred ulp (the condition number is at most 1/FLATNESS^2); every value that must bound something is
 * raised by RAISE, far more than that. Based on: theory D4.1, D4.2. */
#include "object_metric.h"

#define RAISE (1.0 + 1e-12)
#define SWEEPS 32 /* of Jacobi's method; 3x3 matrices need about six */

/* Eigenvectors (columns of v) and eigenvalues (diagonal of a) of a symmetric matrix: cyclic Jacobi rotations. */
static void diagonalise(brinkMat3 *a, brinkMat3 *v) {
  static const int first[3] = {0, 0, 1}, second[3] = {1, 2, 2};
  *v = brinkIdentity3();
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    bool turned = false;
    for (int k = 0; k < 3; ++k) {
      int p = first[k], q = second[k];
      double off = a->m[p][q];
      if (!(fabs(off) > 0.25 * DBL_EPSILON * sqrt(fabs(a->m[p][p] * a->m[q][q])) && fabs(off) > DBL_MIN)) continue;
      turned = true;
      double theta = (a->m[q][q] - a->m[p][p]) / (2.0 * off);
      double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
      double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
      brinkMat3 turn = brinkIdentity3();
      turn.m[p][p] = turn.m[q][q] = c;
      turn.m[p][q] = s;
      turn.m[q][p] = -s;
      brinkMat3 half = brinkMulMM(a, &turn);
      *a = brinkTMulMM(&turn, &half);
      *v = brinkMulMM(v, &turn);
    }
    if (!turned) return;
  }
}

static brinkMat3 fromEigen(const brinkMat3 *v, const double values[3]) {
  brinkMat3 out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      out.m[i][j] = 0.0;
      for (int k = 0; k < 3; ++k) out.m[i][j] += v->m[i][k] * values[k] * v->m[j][k];
    }
  return out;
}

static brinkStatus checkPoints(brinkContext *context, const double *points, const double *weights, size_t count) {
  if (count == 0) return brinkFail(context, brink_errorEmpty, "a mass distribution without points: give one or more");
  for (size_t i = 0; i < count; ++i) {
    if (weights != NULL && (!(weights[i] > 0.0) || !(weights[i] <= 1e60)))
      return brinkFail(context, brink_errorBadValue, "mass weight %zu is %g: weights are finite and above 0", i,
                       weights[i]);
    for (int k = 0; k < 3; ++k)
      if (!(fabs(points[3 * i + k]) <= 1e60))
        return brinkFail(context, brink_errorBadValue, "mass point %zu: coordinate %g is not finite, or beyond 1e60", i,
                         points[3 * i + k]);
  }
  return brink_ok;
}

brinkStatus brinkMakeObjectMetric(brinkContext *context, const double *points, const double *weights, size_t count,
                                  brinkObjectMetric *out) {
  brinkStatus status = checkPoints(context, points, weights, count);
  if (status != brink_ok) return status;
  brinkObjectMetric made;
  memset(&made, 0, sizeof made);
  brinkVec3 sum = {0, 0, 0};
  for (size_t i = 0; i < count; ++i) {
    double w = weights == NULL ? 1.0 : weights[i];
    made.mass += w;
    sum = brinkMulAdd(sum, w, brinkV3_FromArray(&points[3 * i]));
  }
  made.center = brinkScale(sum, 1.0 / made.mass);
  brinkMat3 j = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, v;
  for (size_t i = 0; i < count; ++i) {
    double w = weights == NULL ? 1.0 : weights[i];
    brinkVec3 d = brinkSub(brinkV3_FromArray(&points[3 * i]), made.center);
    const double e[3] = {d.x, d.y, d.z};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) j.m[r][c] += w * e[r] * e[c];
  }
  diagonalise(&j, &v);
  double largest = fmax(j.m[0][0], fmax(j.m[1][1], j.m[2][2])), values[3], inverse[3];
  if (!(largest > made.mass * 1e-100)) largest = made.mass; /* one point: a body of 1 m stands for it */
  for (int k = 0; k < 3; ++k) {
    values[k] = fmax(j.m[k][k], BRINK_METRIC_FLATNESS * BRINK_METRIC_FLATNESS * largest);
    inverse[k] = 1.0 / values[k];
    made.moments[k] = values[k];
  }
  made.axes = v;
  made.inertia = fromEigen(&v, values);
  made.inverse = fromEigen(&v, inverse);
  *out = made;
  return brink_ok;
}

double brinkObjectMetric_SquareBound(const brinkObjectMetric *metric, const brinkDisplacement *difference) {
  brinkVec3 at = brinkApply(difference, metric->center);
  brinkMat3 turned = brinkMulMM(&difference->r, &metric->inertia);
  double trace = 0.0, size = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      trace += turned.m[i][k] * difference->r.m[i][k];
      size += fabs(turned.m[i][k] * difference->r.m[i][k]);
    }
  return (metric->mass * brinkDot(at, at) + fmax(trace, 0.0) + 1e-13 * size) * RAISE;
}

brinkObjectMetric brinkMakeSphereMetric(brinkVec3 center, double radius) {
  double moment = radius > 1e-100 ? radius * radius : 1.0;
  brinkObjectMetric made = {.mass = 1.0, .center = center, .axes = brinkIdentity3()};
  for (int k = 0; k < 3; ++k) {
    made.moments[k] = made.inertia.m[k][k] = moment;
    made.inverse.m[k][k] = 1.0 / moment;
  }
  return made;
}

double brinkObjectMetric_Spread(const brinkObjectMetric *metric, brinkVec3 x) {
  brinkVec3 y = brinkSub(x, metric->center), turned = brinkMulMV(&metric->inverse, y);
  return fmax(brinkDot(y, turned), 0.0);
}

double brinkObjectMetric_DistortionSquare(const brinkObjectMetric *metric, brinkVec3 x) {
  return 1.0 / metric->mass + brinkObjectMetric_Spread(metric, x);
}

double brinkObjectMetric_Distortion(const brinkObjectMetric *metric, brinkVec3 x) {
  return sqrt(brinkObjectMetric_DistortionSquare(metric, x)) * RAISE;
}
