/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MOTION_BALLS_H
#define BRINK_MOTION_BALLS_H
/* A part of a motion inside a ball of the object-oriented metric: the covering that toleranced motions are made of. The
 * centre is the pose at the middle of the part, one of the motion's own poses; the radius depends on the metric, so a
 * span is made once and asked for as many metrics as there are mass distributions. one rational Bezier stage: distance
 * of the centre to the control points of the part (de Casteljau, hull property) anything else (chains, turns, splines):
 * jets: |c(t) - c(m)| <= min(h/2 max|c'|, h/2 |c'(m)| + h^2/8 max|c''|): the joints' rates and their derivatives,
 * composed along the chain bounded curvature and arc length: Prop. 2 of Schroecker and Weber, for who has such bounds
 * (brinkArcBallRadius) Based on: Schroecker and Weber 2013, Sec. 4; shared theory 4.6. Units: m. */
#include "motion_curve.h"

typedef struct brinkMotionSpan {
  brinkDisplacement center;
  int32_t count; /* > 0: control points minus centre; 0: jets */
  brinkDisplacement differences[BRINK_CURVE_MAX_DEGREE + 1];
  brinkInterval first[3][4], at[3][4], second[3][4]; /* c' over the span, c' at the middle, c'' over the span */
  double half;                                       /* half of the span's length, rounded up */
  double size;                                       /* of all entries, for rounding */
} brinkMotionSpan;

/* Over [t0,t1], no key of a spline inside. */
void brinkMakeMotionSpan(const brinkMotionCurve *curve, double t0, double t1, brinkMotionSpan *out);
/* Radius of a ball about span->center that holds the span, rounded up. */
double brinkMotionSpan_Radius(const brinkMotionSpan *span, const brinkObjectMetric *metric);

/* Prop. 2: a C2 curve of length L and curvature at most k, k L < pi, lies in the ball through its start with radius
 * tan(k L/2)/k (L/2 for k = 0) and centre = start + radius * tangent. INFINITY when k L >= pi. Rounded up. */
double brinkArcBallRadius(double length, double curvature);

#endif
