/* SPDX-License-Identifier: BSD-3-Clause */
/* Balls around parts of a motion. Norms of displacements known up to a spread: d^2 = m |D(s)|^2 + sum nu_k |D u_k|^2,
 * each of the four vectors by |middle| + spread. Rounding: radii are raised by RAISE of themselves and of the entries'
 * size (the centre is a rounded pose, the control points are off by BRINK_BEZIER_PART_ERROR). Based on: theory
 * D4.1, D4.6. */
#include "motion_balls.h"

#define RAISE 1e-11
#define LEG_COSINE2 0.5000001 /* above cos^2 of 45 degrees: rounding of a few products */
#define LEG_SPREAD 0.7071     /* below sin of 45 degrees: |v - g| <= this |g| keeps v within 45 degrees of g */

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

static double turnSquare(const brinkMat3 *r) {
  double sum = 0.0;
  for (int i = 0; i < 9; ++i) sum += r->m[i / 3][i % 3] * r->m[i / 3][i % 3];
  return sum;
}

static brinkSpread derivatives(const brinkJetMap *jets, int order) {
  brinkSpread out;
  for (int i = 0; i < 12; ++i) {
    const brinkJet *jet = &jets->m[i / 4][i % 4];
    brinkInterval d = order == 1 ? jet->d : jet->dd;
    double middle = 0.5 * (d.lo + d.hi);
    out.middle[i / 4][i % 4] = middle;
    out.by[i / 4][i % 4] = brinkUp(fmax(d.hi - middle, middle - d.lo));
  }
  return out;
}

/* Largest |R'| (Frobenius) within the spread. */
static double turnOf(const brinkSpread *d) {
  double sum = 0.0;
  for (int i = 0; i < 9; ++i) {
    double most = fabs(d->middle[i / 3][i % 3]) + d->by[i / 3][i % 3];
    sum += most * most;
  }
  return sqrt(sum);
}

/* D applied to (x, w) with w = 0 for directions, 1 for points: the middle, and how far from it at most. */
static brinkVec3 applySpread(const brinkSpread *d, brinkVec3 x, double w, double *by) {
  double out[3], off2 = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double *m = d->middle[i], *b = d->by[i];
    out[i] = m[0] * x.x + m[1] * x.y + m[2] * x.z + m[3] * w;
    double off = b[0] * fabs(x.x) + b[1] * fabs(x.y) + b[2] * fabs(x.z) + b[3] * w;
    off += RAISE * (fabs(m[0] * x.x) + fabs(m[1] * x.y) + fabs(m[2] * x.z) + fabs(m[3] * w));
    off2 += off * off;
  }
  *by = sqrt(off2);
  return brinkV3_FromArray(out);
}

static double mostOf(const brinkSpread *d, brinkVec3 x, double w) {
  double by;
  brinkVec3 middle = applySpread(d, x, w, &by);
  return brinkLength(middle) + by;
}

void brinkMakeMotionSpan(const brinkMotionCurve *curve, double t0, double t1, brinkMotionSpan *out) {
  double middle = 0.5 * (t0 + t1), turn2 = 0.0;
  memset(out, 0, sizeof *out);
  out->half = t1 > t0 ? brinkUp(fmax(t1 - middle, middle - t0)) : 0.0;
  out->center = brinkMotionCurve_At(curve, middle);
  out->size = sizeOf(&out->center);
  out->rest = curve->count == 0 || !(t1 > t0);
  if (curve->count == 0) return;
  const brinkMotionStage *bezier = brinkMotionCurve_Bezier(curve);
  if (bezier != NULL) {
    double part[BRINK_CURVE_MAX_DEGREE + 1][13];
    brinkBezier_Part(bezier, t0, t1, part);
    out->count = bezier->count;
    out->rest = false;
    for (int32_t i = 0; i < bezier->count; ++i) {
      brinkDisplacement control = displacementOf(part[i]);
      out->size = fmax(out->size, sizeOf(&control));
      out->differences[i] = difference(&control, &out->center);
      turn2 = fmax(turn2, turnSquare(&out->differences[i].r));
    }
    out->turn = sqrt(turn2) * (1.0 + RAISE) + RAISE * out->size;
    return;
  }
  if (out->rest) return;
  brinkJetMap jets;
  brinkMotionCurve_Jets(curve, t0, t1, &jets);
  out->first = derivatives(&jets, 1);
  out->second = derivatives(&jets, 2);
  brinkMotionCurve_Jets(curve, middle, middle, &jets);
  out->at = derivatives(&jets, 1);
  out->start = brinkMotionCurve_At(curve, t0);
  out->end = brinkMotionCurve_At(curve, t1);
  double h = out->half;
  out->turn = fmin(h * turnOf(&out->first), h * turnOf(&out->at) + 0.5 * h * h * turnOf(&out->second)) * (1.0 + RAISE) +
              RAISE * out->size;
}

/* |D| in the metric, rounding aside. */
static double normOf(const brinkSpread *d, const brinkObjectMetric *metric) {
  double at = mostOf(d, metric->center, 1.0), sum = metric->mass * at * at;
  for (int k = 0; k < 3; ++k) {
    double most = mostOf(d, brinkV3(metric->axes.m[0][k], metric->axes.m[1][k], metric->axes.m[2][k]), 0.0);
    sum += metric->moments[k] * most * most;
  }
  return sqrt(sum);
}

double brinkMotionSpan_Radius(const brinkMotionSpan *span, const brinkObjectMetric *metric) {
  double square = 0.0, radius;
  if (span->rest) return 0.0;
  for (int32_t i = 0; i < span->count; ++i)
    square = fmax(square, brinkObjectMetric_SquareBound(metric, &span->differences[i]));
  radius = sqrt(square);
  if (span->count == 0) {
    double first = span->half * normOf(&span->first, metric);
    double second =
        span->half * normOf(&span->at, metric) + 0.5 * span->half * span->half * normOf(&span->second, metric);
    radius = fmin(first, second);
  }
  if (!(radius > 0.0)) return 0.0;
  double reach = sqrt(metric->mass) * (1.0 + brinkLength(metric->center)) +
                 sqrt(metric->moments[0] + metric->moments[1] + metric->moments[2]);
  return radius * (1.0 + RAISE) + RAISE * span->size * reach;
}

/* ---- paths of points */

/* Legs within 45 degrees of the chord: any two within 90. */
bool brinkBallOverEnds(const brinkVec3 *points, int32_t count) {
  brinkVec3 chord = brinkSub(points[count - 1], points[0]);
  double length2 = brinkLengthSquared(chord);
  if (!(length2 > 1e-280)) return false;
  for (int32_t i = 0; i + 1 < count; ++i) {
    brinkVec3 leg = brinkSub(points[i + 1], points[i]);
    double along = brinkDot(leg, chord);
    if (!(along >= 0.0) || !(along * along >= LEG_COSINE2 * brinkLengthSquared(leg) * length2)) return false;
  }
  return true;
}

static void overEnds(const brinkVec3 from, const brinkVec3 to, double slack, brinkPathBall *out) {
  double radius = 0.5 * brinkDistance(from, to) * (1.0 + RAISE) + slack;
  if (!(radius < out->radius)) return;
  out->radius = radius;
  out->center = brinkScale(brinkAdd(from, to), 0.5);
}

brinkPathBall brinkMotionSpan_Path(const brinkMotionSpan *span, brinkVec3 x) {
  brinkPathBall out = {0.0, brinkApply(&span->center, x), 0.0};
  if (span->rest) return out;
  double slack = RAISE * span->size * (1.0 + fabs(x.x) + fabs(x.y) + fabs(x.z)), h = span->half;
  if (span->count > 0) {
    brinkVec3 points[BRINK_CURVE_MAX_DEGREE + 1];
    double most2 = 0.0;
    for (int32_t i = 0; i < span->count; ++i) {
      points[i] = brinkApply(&span->differences[i], x);
      most2 = fmax(most2, brinkLengthSquared(points[i]));
    }
    out.moved = out.radius = sqrt(most2) * (1.0 + RAISE) + slack;
    brinkVec3 from = brinkAdd(out.center, points[0]), to = brinkAdd(out.center, points[span->count - 1]);
    if (brinkBallOverEnds(points, span->count)) overEnds(from, to, slack, &out);
    return out;
  }
  double by, bend = mostOf(&span->second, x, 1.0), first = mostOf(&span->first, x, 1.0);
  brinkVec3 velocity = applySpread(&span->at, x, 1.0, &by);
  double speed = brinkLength(velocity);
  out.moved = fmin(h * first, h * (speed + by) + 0.5 * h * h * bend) * (1.0 + RAISE) + slack;
  out.radius = out.moved;
  /* velocities stay within by + h bend of the middle's: within 45 degrees of it, any two within 90 */
  if (by + h * bend <= LEG_SPREAD * speed * (1.0 - RAISE))
    overEnds(brinkApply(&span->start, x), brinkApply(&span->end, x), slack, &out);
  return out;
}
