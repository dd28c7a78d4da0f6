/* SPDX-License-Identifier: BSD-3-Clause */
/* Balls around parts of a motion. Norms of displacements known as intervals: d^2 = m |D(s)|^2 + sum nu_k |D u_k|^2,
 * each of the four vectors by interval arithmetic. Rounding: radii are raised by RAISE of themselves and of the
 * entries' size (the centre is a rounded pose, the control points are off by BRINK_BEZIER_PART_ERROR). Based on: shared
 * theory 4.1, 4.6. */
#include "motion_balls.h"

#define RAISE 1e-11

static double sizeOf(const brinkDisplacement *d) {
  double size = fabs(d->p.x) + fabs(d->p.y) + fabs(d->p.z);
  for (int i = 0; i < 9; ++i) size += fabs(d->r.m[i / 3][i % 3]);
  return size;
}

static brinkDisplacement displacementOf(const double point[13]) {
  brinkDisplacement out;
  for (int i = 0; i < 9; ++i) out.r.m[i / 3][i % 3] = point[1 + i] / point[0];
  out.p = brinkV3(point[10] / point[0], point[11] / point[0], point[12] / point[0]);
  return out;
}

static brinkDisplacement difference(const brinkDisplacement *a, const brinkDisplacement *b) {
  brinkDisplacement out;
  for (int i = 0; i < 9; ++i) out.r.m[i / 3][i % 3] = a->r.m[i / 3][i % 3] - b->r.m[i / 3][i % 3];
  out.p = brinkSub(a->p, b->p);
  return out;
}

static void copyDerivatives(const brinkJetMap *jets, int order, brinkInterval out[3][4], double *size) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      out[i][j] = order == 1 ? jets->m[i][j].d : jets->m[i][j].dd;
      *size = fmax(*size, fmax(fabs(out[i][j].lo), fabs(out[i][j].hi)));
    }
}

void brinkMakeMotionSpan(const brinkMotionCurve *curve, double t0, double t1, brinkMotionSpan *out) {
  double middle = 0.5 * (t0 + t1);
  memset(out, 0, sizeof *out);
  out->half = t1 > t0 ? brinkUp(fmax(t1 - middle, middle - t0)) : 0.0;
  out->center = brinkMotionCurve_At(curve, middle);
  out->size = sizeOf(&out->center);
  const brinkMotionStage *bezier = brinkMotionCurve_Bezier(curve);
  if (bezier != NULL) {
    double part[BRINK_CURVE_MAX_DEGREE + 1][13];
    brinkBezier_Part(bezier, t0, t1, part);
    out->count = bezier->count;
    for (int32_t i = 0; i < bezier->count; ++i) {
      brinkDisplacement control = displacementOf(part[i]);
      out->size = fmax(out->size, sizeOf(&control));
      out->differences[i] = difference(&control, &out->center);
    }
    return;
  }
  if (curve->count == 0 || !(t1 > t0)) return;
  brinkJetMap jets;
  double ignored = 0.0;
  brinkMotionCurve_Jets(curve, t0, t1, &jets);
  copyDerivatives(&jets, 1, out->first, &ignored);
  copyDerivatives(&jets, 2, out->second, &ignored);
  brinkMotionCurve_Jets(curve, middle, middle, &jets);
  copyDerivatives(&jets, 1, out->at, &ignored);
}

/* |D| in the metric, D known entry by entry. */
static double intervalNorm(const brinkInterval d[3][4], const brinkObjectMetric *metric) {
  double sum = 0.0;
  for (int k = 0; k < 4; ++k) {
    const double s[3] = {metric->center.x, metric->center.y, metric->center.z};
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
      brinkInterval row = k == 3 ? d[i][3] : (brinkInterval){0, 0};
      for (int j = 0; j < 3; ++j)
        row = brinkInterval_Add(row, brinkInterval_Scale(d[i][j], k == 3 ? s[j] : metric->axes.m[j][k]));
      double most = fmax(fabs(row.lo), fabs(row.hi));
      square += most * most;
    }
    sum += (k == 3 ? metric->mass : metric->moments[k]) * square;
  }
  return sqrt(sum);
}

double brinkMotionSpan_Radius(const brinkMotionSpan *span, const brinkObjectMetric *metric) {
  double square = 0.0, radius;
  for (int32_t i = 0; i < span->count; ++i)
    square = fmax(square, brinkObjectMetric_SquareBound(metric, &span->differences[i]));
  radius = sqrt(square);
  if (span->count == 0 && span->half > 0.0) {
    double first = span->half * intervalNorm(span->first, metric);
    double second = span->half * intervalNorm(span->at, metric) +
                    0.5 * span->half * span->half * intervalNorm(span->second, metric);
    radius = fmin(first, second);
  }
  if (!(radius > 0.0)) return 0.0;
  double reach = sqrt(metric->mass) * (1.0 + brinkLength(metric->center)) +
                 sqrt(metric->moments[0] + metric->moments[1] + metric->moments[2]);
  return radius * (1.0 + RAISE) + RAISE * span->size * reach;
}

double brinkArcBallRadius(double length, double curvature) {
  double angle = 0.5 * length * curvature;
  if (!(length >= 0.0) || !(curvature >= 0.0) || !(angle < 1.5707)) return HUGE_VAL;
  if (angle < 1e-4) return 0.5 * length * (1.0 + angle * angle); /* tan x <= x (1 + x^2) for small x */
  return tan(angle) / curvature * (1.0 + 16.0 * DBL_EPSILON);
}
