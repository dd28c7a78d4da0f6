/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BEZIER_PATCH_H
#define BRINK_BEZIER_PATCH_H
/* Rational Bezier patches as triangles, with a proven bound of the error: patch and triangles at the same parameters
 * are no further apart than that. All patches are cut alike, so that patches with a common border curve share its
 * points, and equal points become one vertex: patches that close give a closed mesh.
 *
 * Based on: linear interpolation over a right triangle of legs p, q in (u,v) errs by at most
 * (p^2 max|S_uu| + 2 p q max|S_uv| + q^2 max|S_vv|) / 8 (Filip, Magedson, Markot 1986); derivatives of the rational
 * patch from the convex hulls of its numerator's and denominator's derivatives; Bezier points of a span of a B-spline
 * as values of its blossom (Ramshaw 1989), which is what repeated knot insertion gives (Boehm 1980). Units: m. */
#include "base.h"
#include "linear.h"

#define BRINK_PATCH_MAX_ORDER 9 /* control points a side */
#define BRINK_PATCH_MAX_CUTS 64
#define BRINK_SPLINE_MAX_CONTROLS 65536 /* a side */

typedef struct brinkBezierPatch {
  uint32_t rows, columns; /* 2..BRINK_PATCH_MAX_ORDER */
  const double *controls; /* [rows][columns][4]: x y z weight */
} brinkBezierPatch;

/* A rational B-spline surface: control points x y z weight (x y z not multiplied) and knots, unclamped ones too. */
typedef struct brinkSplineSurface {
  uint32_t degreeU, degreeV;     /* 1..BRINK_PATCH_MAX_ORDER - 1 */
  uint32_t rows, columns;        /* at least degree + 1 */
  const double *knotsU, *knotsV; /* [rows + degreeU + 1], [columns + degreeV + 1] */
  const double *controls;        /* [rows][columns][4] */
} brinkSplineSurface;

/* Bezier patches of one order each, made of splines. Owned, grown. */
typedef struct brinkSplitSplines {
  double *controls;
  size_t controlCapacity, controlCount; /* doubles */
  brinkBezierPatch *patches;            /* [patchCount]; they point into controls, once all splines are in */
  size_t patchCapacity, patchCount;
  uint32_t *owners; /* [patchCount]: number of the spline */
  size_t ownerCapacity;
} brinkSplitSplines;

typedef struct brinkPatchMesh { /* owned */
  double *vertices;
  uint32_t *triangles;
  size_t vertexCount, triangleCount, vertexCapacity, triangleCapacity;
  uint32_t *patches; /* [triangleCount]: whose triangle it is */
  size_t patchCapacity;
  uint32_t cuts; /* a side */
  double error;  /* proven, m */
} brinkPatchMesh;

/* error > 0, m. Not finite, weight <= 0, no patches, error out of reach with BRINK_PATCH_MAX_CUTS: status and message
 * beginning with `name`, out untouched. */
brinkStatus brinkTriangulatePatches(brinkContext *context, const brinkBezierPatch *patches, size_t count, double error,
                                    const char *name, brinkPatchMesh *out);
void brinkPatchMesh_Free(brinkContext *context, brinkPatchMesh *mesh);
/* One patch for each pair of spans that are not empty, u first; the same surface, by knot insertion. Knots that
 * descend, are not finite, repeat more than the degree inside (the surface would tear) or leave no span, weights <= 0:
 * status and message beginning with `name`; out is of use to Free only. */
brinkStatus brinkSplitSplines_Make(brinkContext *context, const brinkSplineSurface *splines, size_t count,
                                   const char *name, brinkSplitSplines *out);
void brinkSplitSplines_Free(brinkContext *context, brinkSplitSplines *splines);
/* S(u,v), rounded. */
void brinkBezierPatch_At(const brinkBezierPatch *patch, double u, double v, double out[3]);

#endif
