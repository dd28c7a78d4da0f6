/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MOTION_BALLS_H
#define BRINK_MOTION_BALLS_H
/* A part of a motion inside balls: the covering that toleranced motions are made of. A span is made once; it answers
 * for as many mass distributions and points as are asked.
 *
 * Balls of displacements: centre is the pose at the middle of the part, one of the motion's own poses.
 *   one rational Bezier stage: distance of the centre to the control points of the part (de Casteljau, hull property)
 *   anything else (chains, turns, splines), by jets: |c(t) - c(m)| <= min(h/2 max|c'|, h/2 |c'(m)| + h^2/8 max|c''|):
 *   the joints' rates and their derivatives, composed along the chain
 * Balls of a point's path: the same about the point at the middle, or the ball over the path's end points, whichever is
 * smaller. The latter holds the whole curve when tangents at any two times make no obtuse angle (BallOverEnds); of
 * curves with curvature at most k and length L that is so for k L <= pi/2, and it holds them up to k L = pi. It is
 * never larger than the ball of Prop. 2 of Schroecker and Weber, radius tan(k L/2)/k, and answers what their Sec. 7
 * leaves open ("end points are antipodal"). Proof: docs/theory.md, "Toleranced motions".
 * Based on: Schroecker and Weber 2013, Sec. 4; theory D4.6. Units: m. */
#include "motion_curve.h"

typedef struct brinkSpread { /* numbers known up to `by` */
  double middle[3][4], by[3][4];
} brinkSpread;

typedef struct brinkMotionSpan {
  bool rest; /* does not move */
  brinkDisplacement center;
  int32_t count; /* > 0: control points minus centre; 0: jets */
  brinkDisplacement differences[BRINK_CURVE_MAX_DEGREE + 1];
  brinkSpread first, at, second; /* c' over the span, c' at the middle, c'' over the span */
  brinkDisplacement start, end;  /* jets only: poses at the ends */
  double half;                   /* half of the span's length, rounded up */
  double size;                   /* of all entries, for rounding */
  double turn;                   /* bound of |R(t) - R(center)|, Frobenius, during the span */
} brinkMotionSpan;

/* Over [t0,t1], no key of a spline inside. */
void brinkMakeMotionSpan(const brinkMotionCurve *curve, double t0, double t1, brinkMotionSpan *out);
/* Radius of a ball about span->center that holds the span, rounded up. */
double brinkMotionSpan_Radius(const brinkMotionSpan *span, const brinkObjectMetric *metric);

typedef struct brinkPathBall {
  double moved;     /* the point is never further than this from where it is at the middle; rounded up */
  brinkVec3 center; /* a ball that holds its path, no larger than that */
  double radius;    /* rounded up */
} brinkPathBall;
/* Of the point x of the body. */
brinkPathBall brinkMotionSpan_Path(const brinkMotionSpan *span, brinkVec3 x);

/* Does the ball over the end points hold a Bezier curve (rational, weights > 0) with these control points? By the
 * angles of its control polygon's legs: each at most 45 degrees from the chord. */
bool brinkBallOverEnds(const brinkVec3 *points, int32_t count);

#endif
