/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BEZIER_PATCH_H
#define BRINK_BEZIER_PATCH_H
/* Rational Bezier patches as triangles, with a proven bound of the error: patch and triangles at the same parameters
 * are no further apart than that. All patches are cut alike, so that patches with a common border curve share its
 * points, and equal points become one vertex: patches that close give a closed mesh.
 *
 * Based on: linear interpolation over a right triangle of legs p, q in (u,v) errs by at most
 * (p^2 max|S_uu| + 2 p q max|S_uv| + q^2 max|S_vv|) / 8 (Filip, Magedson, Markot 1986); derivatives of the rational
 * patch from the convex hulls of its numerator's and denominator's derivatives. Units: m. */
#include "base.h"
#include "linear.h"

#define BRINK_PATCH_MAX_ORDER 9 /* control points a side */
#define BRINK_PATCH_MAX_CUTS 64

typedef struct brinkBezierPatch {
  uint32_t rows, columns; /* 2..BRINK_PATCH_MAX_ORDER */
  const double *controls; /* [rows][columns][4]: x y z weight */
} brinkBezierPatch;

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
/* S(u,v), rounded. */
void brinkBezierPatch_At(const brinkBezierPatch *patch, double u, double v, double out[3]);

#endif
