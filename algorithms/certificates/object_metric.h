/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_OBJECT_METRIC_H
#define BRINK_OBJECT_METRIC_H
/* How far are two displacements of a body from each other? The Euclidean metric in the 12-dimensional space of affine
 * displacements that a mass distribution gives, and what a ball of that metric does to a point.
 *
 *   d(al, be)^2 = sum m_i |al(p_i) - be(p_i)|^2 = m |al(s) - be(s)|^2 + tr((A - B) J (A - B)^T)
 *   a ball of radius R about gamma carries x into the ball of radius R sigma(x) about gamma(x), exactly, with
 *   sigma(x)^2 = 1/m + (x - s)^T J^-1 (x - s)          (the distortion rate; convex: largest at a vertex)
 *
 * m mass, s barycentre, J inertia matrix. Flat and thin distributions are made thicker (MakeObjectMetric), which is
 * another metric, not an approximation. Based on: Schroecker and Weber 2013, Sec. 2 and 3; theory D4.1, D4.2.
 * Units: m; weights without unit. */
#include "base.h"
#include "linear.h"

/* x -> r x + p with any matrix r: an affine displacement. */
typedef brinkRigid brinkDisplacement;

typedef struct brinkObjectMetric {
  double mass;
  brinkVec3 center;  /* s */
  brinkMat3 inertia; /* J, positive definite */
  brinkMat3 inverse; /* J^-1 */
  brinkMat3 axes;    /* columns: eigenvectors u_k of J, orthonormal */
  double moments[3]; /* eigenvalues nu_k: tr(D J D^T) = sum nu_k |D u_k|^2 */
} brinkObjectMetric;

/* From mass points; weights NULL = 1 each. Principal moments below FLATNESS^2 of the largest are raised to that.
 * brink_errorEmpty without points, brink_errorBadValue for weights <= 0 and what is not finite: out untouched. */
#define BRINK_METRIC_FLATNESS 0.1
brinkStatus brinkMakeObjectMetric(brinkContext *context, const double *points, const double *weights, size_t count,
                                  brinkObjectMetric *out);
/* d(al,be)^2 of two displacements whose difference (al - be) is given; rounded up. */
double brinkObjectMetric_SquareBound(const brinkObjectMetric *metric, const brinkDisplacement *difference);
/* Of a sphere of radius `radius` (0: a point, for which 1 m stands) about `center` and mass 1: J = radius^2 I. */
brinkObjectMetric brinkMakeSphereMetric(brinkVec3 center, double radius);
/* sigma(x), rounded up. */
double brinkObjectMetric_Distortion(const brinkObjectMetric *metric, brinkVec3 x);
/* sigma(x)^2, and sigma(x)^2 - 1/m, as they come (relative error below 1e-12: see RAISE in object_metric.c). */
double brinkObjectMetric_DistortionSquare(const brinkObjectMetric *metric, brinkVec3 x);
double brinkObjectMetric_Spread(const brinkObjectMetric *metric, brinkVec3 x);

#endif
