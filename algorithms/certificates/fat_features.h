/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_FAT_FEATURES_H
#define BRINK_FAT_FEATURES_H
/* What a ball of displacements makes of a vertex, an edge and a face, and whether two fat polygons can meet.
 *
 * Shapes (about a Euclidean centre, in the feature's own frame; R the ball's radius, sigma the distortion rate):
 *   vertex  ball of radius R sigma(x)
 *   edge    sigma^2 = k0^2 + be t^2 along the line: one-sheeted hyperboloid rr^2 - R^2 be/(1 - R^2 be) X^2 = R^2 k0^2
 * while R^2 be < 1, and balls at the ends; else the two end balls alone (Remark 1) face    sigma^2 = k0^2 + be1 t1^2 +
 * be2 t2^2 in the plane: two-sheeted hyperboloid over the polygon scaled by diag(1 - R^2 be1, 1 - R^2 be2) (Prop. 1)
 * while both are positive; else the fat edges alone (Remark 1) The three tests (vertex-face, edge-edge, face-vertex)
 * for any affine centres and both bodies moving are one quadratic, Q(x, y) = |ga(x) - gb(y)|^2 - al sigma_A(x)^2 - be
 * sigma_B(y)^2 - ga2 > 0, minimised over pairs of features; see fat_features.c. They are complete when the polygons are
 * disjoint at the centres, which is tested too. Based on: Schroecker and Weber 2013, Sec. 3, Prop. 1, Remark 1;
 * theory D4.3-D4.5, D4.7. */
#include "object_metric.h"

#define BRINK_FAT_CORNERS 8 /* most corners of a polygon */

/* A convex polygon (1 point, 2 segment, 3.. planar) with its metric, body frame. */
typedef struct brinkFatPolygon {
  uint32_t count;
  brinkVec3 corner[BRINK_FAT_CORNERS];
  double spread[BRINK_FAT_CORNERS];  /* sigma^2 - 1/m at the corners */
  double bend[BRINK_FAT_CORNERS];    /* d^T J^-1 d of the edge from corner i to the next (count 2: edge 0 only) */
  brinkVec3 e1, e2, normal;          /* plane through corner 0; count >= 3 */
  double flat[BRINK_FAT_CORNERS][2]; /* corners in (e1,e2) from corner 0, counter-clockwise */
  double b11, b12, b22, g1, g2;      /* sigma^2 - 1/m = spread[0] + 2 (g1 u + g2 v) + b11 u^2 + 2 b12 u v + b22 v^2 */
  double still;                      /* 1/m */
  double widest;                     /* largest spread, rounded up */
} brinkFatPolygon;

/* false: more corners than BRINK_FAT_CORNERS, not planar, or not convex in this order. */
bool brinkMakeFatPolygon(const double *vertices, const uint32_t *ids, uint32_t count, const brinkObjectMetric *metric,
                         brinkFatPolygon *out);

/* ---- shapes */
typedef struct brinkFatEdge { /* sigma(c + t d)^2 = k0^2 + be t^2, |d| = 1 */
  brinkVec3 center, direction;
  double k0, be, t0, t1; /* end points at t0, t1 */
} brinkFatEdge;
typedef struct brinkFatFace { /* sigma(c + t1 d1 + t2 d2)^2 = k0^2 + be1 t1^2 + be2 t2^2; orthonormal d1, d2 */
  brinkVec3 center, d1, d2;
  double k0, be1, be2;
} brinkFatFace;
brinkFatEdge brinkMakeFatEdge(brinkVec3 a, brinkVec3 b, const brinkObjectMetric *metric);
brinkFatFace brinkMakeFatFace(const brinkFatPolygon *polygon, const brinkObjectMetric *metric);
bool brinkFatEdge_Contains(const brinkFatEdge *edge, double radius, brinkVec3 point);
/* Of the whole fat polygon: corners, edges and face. Estimate (no rounding control): for pictures and tests. */
bool brinkFatPolygon_Contains(const brinkFatPolygon *polygon, const brinkObjectMetric *metric, double radius,
                              brinkVec3 point);

/* ---- the tests */
typedef struct brinkFeaturePairs { /* bit 8 i + j; set: not yet excluded on a longer part of the motion */
  uint64_t edgeEdge, cornerEdge,
      edgeCorner; /* edge i of P, edge j of F; corner i of P, edge j of F; edge i of P, corner j of F */
  uint64_t cornerFace, faceCorner; /* bit i: corner i of P and F's face; bit j: P's face and corner j of F */
} brinkFeaturePairs;
brinkFeaturePairs brinkAllFeaturePairs(const brinkFatPolygon *p, const brinkFatPolygon *f);

typedef struct brinkFatSide {
  const brinkFatPolygon *polygon;
  const brinkDisplacement *center;
  double radius; /* of the ball of displacements */
  double still;  /* 1/m where the ball is of another mass than the polygon's metric, of the same J; 0: the polygon's */
} brinkFatSide;
/* Are the fat polygons proven more than `margin` apart? Excludes feature pairs one by one (*left keeps the others;
 * *tests counts the quadratics looked at). true needs all of them excluded and the polygons apart at the centres. Slack
 * for rounding included. */
bool brinkFatPolygons_Apart(const brinkFatSide *p, const brinkFatSide *f, double margin, brinkFeaturePairs *left,
                            uint64_t *tests);

#endif
