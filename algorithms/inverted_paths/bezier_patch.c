/* SPDX-License-Identifier: BSD-3-Clause */
/* See bezier_patch.h. With N = w S (homogeneous numerator, origin moved to the patch's middle) and w >= w_min > 0:
 *   S_u = (N_u - S w_u) / w,  S_uu = (N_uu - 2 S_u w_u - S w_uu) / w,  S_uv = (N_uv - S_u w_v - S_v w_u - S w_uv) / w,
 * norms bounded term by term; a Bezier form is bounded by its largest coefficient. */
#include "bezier_patch.h"

#include <stdlib.h>

#define WELD 1e-11 /* of the size: the same border from two patches differs by rounding only */
#define ROUNDING (1.0 + 1e-9)

static brinkStatus checkPatch(brinkContext *context, const brinkBezierPatch *patch, size_t index, const char *name) {
  if (patch->controls == NULL || patch->rows < 2 || patch->columns < 2 || patch->rows > BRINK_PATCH_MAX_ORDER ||
      patch->columns > BRINK_PATCH_MAX_ORDER)
    return brinkFail(context, brink_errorRange,
                     "%s: patch %zu has %u x %u control points; 2 to %d a side are understood", name, index,
                     patch->rows, patch->columns, BRINK_PATCH_MAX_ORDER);
  for (uint32_t i = 0; i < patch->rows * patch->columns; ++i) {
    const double *c = patch->controls + 4 * i;
    for (int k = 0; k < 4; ++k)
      if (!isfinite(c[k]) || fabs(c[k]) > 1e50)
        return brinkFail(context, brink_errorBadValue, "%s: patch %zu, control %u is not finite (or beyond 1e50)", name,
                         index, i);
    if (!(c[3] > 0.0))
      return brinkFail(context, brink_errorBadValue,
                       "%s: patch %zu, control %u has weight %g; weights are greater than 0", name, index, i, c[3]);
  }
  return brink_ok;
}

void brinkBezierPatch_At(const brinkBezierPatch *patch, double u, double v, double out[3]) {
  double row[BRINK_PATCH_MAX_ORDER][4], column[BRINK_PATCH_MAX_ORDER][4];
  for (uint32_t i = 0; i < patch->rows; ++i) {
    for (uint32_t j = 0; j < patch->columns; ++j) {
      const double *c = patch->controls + 4 * (i * patch->columns + j);
      for (int k = 0; k < 4; ++k) row[j][k] = k < 3 ? c[k] * c[3] : c[3];
    }
    for (uint32_t n = patch->columns - 1; n > 0; --n)
      for (uint32_t j = 0; j < n; ++j)
        for (int k = 0; k < 4; ++k) row[j][k] = (1.0 - v) * row[j][k] + v * row[j + 1][k];
    memcpy(column[i], row[0], sizeof row[0]);
  }
  for (uint32_t n = patch->rows - 1; n > 0; --n)
    for (uint32_t i = 0; i < n; ++i)
      for (int k = 0; k < 4; ++k) column[i][k] = (1.0 - u) * column[i][k] + u * column[i + 1][k];
  for (int k = 0; k < 3; ++k) out[k] = column[0][k] / column[0][3];
}

/* Largest norm of the coefficients' (a,b)-th differences, times the factor of the derivative; part 0: numerator about
 * `centre`, 1: weight. */
static double differenceBound(const brinkBezierPatch *patch, const double centre[3], uint32_t a, uint32_t b, int part) {
  uint32_t m = patch->rows - 1, n = patch->columns - 1;
  static const double binomial[3][3] = {{1, 0, 0}, {-1, 1, 0}, {1, -2, 1}};
  if (a > m || b > n) return 0.0;
  double largest = 0.0;
  for (uint32_t i = 0; i + a <= m; ++i)
    for (uint32_t j = 0; j + b <= n; ++j) {
      double sum[3] = {0, 0, 0};
      for (uint32_t p = 0; p <= a; ++p)
        for (uint32_t q = 0; q <= b; ++q) {
          const double *c = patch->controls + 4 * ((i + p) * patch->columns + j + q);
          double f = binomial[a][p] * binomial[b][q] * c[3];
          for (int k = 0; k < 3; ++k) sum[k] += f * (part == 0 ? c[k] - centre[k] : k == 0 ? 1.0 : 0.0);
        }
      largest = fmax(largest, sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]));
    }
  double factor = 1.0;
  for (uint32_t k = 0; k < a; ++k) factor *= m - k;
  for (uint32_t k = 0; k < b; ++k) factor *= n - k;
  return largest * factor * ROUNDING;
}

/* Bounds of |S_uu|, |S_uv|, |S_vv| over the patch. */
static void secondDerivatives(const brinkBezierPatch *patch, double out[3]) {
  double centre[3] = {0, 0, 0}, least = HUGE_VAL, reach = 0.0, tiny = 0.0;
  uint32_t count = patch->rows * patch->columns;
  for (uint32_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) centre[k] += patch->controls[4 * i + (uint32_t)k] / count;
  for (uint32_t i = 0; i < count; ++i) {
    const double *c = patch->controls + 4 * i;
    double d[3] = {c[0] - centre[0], c[1] - centre[1], c[2] - centre[2]};
    least = fmin(least, c[3]);
    reach = fmax(reach, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    tiny = fmax(tiny, c[3] * (fabs(c[0]) + fabs(c[1]) + fabs(c[2])));
  }
  reach *= ROUNDING;
  double wu = differenceBound(patch, centre, 1, 0, 1), wv = differenceBound(patch, centre, 0, 1, 1);
  double su = (differenceBound(patch, centre, 1, 0, 0) + reach * wu) / least,
         sv = (differenceBound(patch, centre, 0, 1, 0) + reach * wv) / least;
  out[0] =
      (differenceBound(patch, centre, 2, 0, 0) + 2 * su * wu + reach * differenceBound(patch, centre, 2, 0, 1)) / least;
  out[1] =
      (differenceBound(patch, centre, 1, 1, 0) + su * wv + sv * wu + reach * differenceBound(patch, centre, 1, 1, 1)) /
      least;
  out[2] =
      (differenceBound(patch, centre, 0, 2, 0) + 2 * sv * wv + reach * differenceBound(patch, centre, 0, 2, 1)) / least;
  for (int k = 0; k < 3; ++k) out[k] = out[k] * ROUNDING + 1e3 * DBL_EPSILON * tiny / least;
}

/* ---- B-splines */

static brinkStatus checkKnots(brinkContext *context, const double *knots, uint32_t degree, uint32_t controls,
                              const char *direction, size_t index, const char *name) {
  if (degree < 1 || degree >= BRINK_PATCH_MAX_ORDER)
    return brinkFail(context, brink_errorRange, "%s: spline %zu has degree %u along %s; 1 to %d are understood", name,
                     index, degree, direction, BRINK_PATCH_MAX_ORDER - 1);
  if (controls < degree + 1 || controls > BRINK_SPLINE_MAX_CONTROLS)
    return brinkFail(context, brink_errorRange,
                     "%s: spline %zu of degree %u has %u control points along %s; it needs %u, and at most %d are "
                     "understood",
                     name, index, degree, controls, direction, degree + 1, BRINK_SPLINE_MAX_CONTROLS);
  if (knots == NULL)
    return brinkFail(context, brink_errorNullArgument, "%s: spline %zu has no knots along %s", name, index, direction);
  for (uint32_t i = 0, same = 0; i < controls + degree + 1; ++i) {
    if (!isfinite(knots[i]) || fabs(knots[i]) > 1e50)
      return brinkFail(context, brink_errorBadValue, "%s: spline %zu, knot %u along %s is not finite (or beyond 1e50)",
                       name, index, i, direction);
    if (i > 0 && knots[i] < knots[i - 1])
      return brinkFail(context, brink_errorBadValue,
                       "%s: spline %zu, knot %u along %s is %g, below the one before it, %g; knots ascend", name, index,
                       i, direction, knots[i], knots[i - 1]);
    same = i > 0 && knots[i] == knots[i - 1] ? same + 1 : 1;
    if (same > degree && knots[i] > knots[degree] && knots[i] < knots[controls])
      return brinkFail(context, brink_errorBadValue,
                       "%s: spline %zu, knot %u along %s is there %u times, more than the degree %u: the surface is "
                       "torn; give its parts as splines of their own",
                       name, index, i, direction, same, degree);
  }
  if (!(knots[degree] < knots[controls]))
    return brinkFail(context, brink_errorEmpty, "%s: spline %zu has no span along %s: knots %u to %u are all %g", name,
                     index, direction, degree, controls, knots[degree]);
  return brink_ok;
}

static brinkStatus checkSpline(brinkContext *context, const brinkSplineSurface *spline, size_t index,
                               const char *name) {
  brinkStatus status = checkKnots(context, spline->knotsU, spline->degreeU, spline->rows, "u", index, name);
  if (status == brink_ok)
    status = checkKnots(context, spline->knotsV, spline->degreeV, spline->columns, "v", index, name);
  if (status == brink_ok && spline->controls == NULL)
    status = brinkFail(context, brink_errorNullArgument, "%s: spline %zu has no control points", name, index);
  for (size_t i = 0; status == brink_ok && i < (size_t)spline->rows * spline->columns; ++i) {
    const double *c = spline->controls + 4 * i;
    for (int k = 0; k < 4 && status == brink_ok; ++k)
      if (!isfinite(c[k]) || fabs(c[k]) > 1e50)
        status = brinkFail(context, brink_errorBadValue, "%s: spline %zu, control %zu is not finite (or beyond 1e50)",
                           name, index, i);
    if (status == brink_ok && !(c[3] > 0.0))
      status = brinkFail(context, brink_errorBadValue,
                         "%s: spline %zu, control %zu has weight %g; weights are greater than 0", name, index, i, c[3]);
  }
  return status;
}

/* Bezier points of the span [knots[s], knots[s+1]] of a curve from its degree + 1 control points, in place. Convex
 * combinations only: the blossom's arguments lie in the span. */
static void blossomSpan(double (*points)[4], uint32_t degree, const double *knots, uint32_t s) {
  double out[BRINK_PATCH_MAX_ORDER][4], d[BRINK_PATCH_MAX_ORDER][4];
  for (uint32_t i = 0; i <= degree; ++i) { /* i arguments are the span's end, the others its beginning */
    memcpy(d, points, (degree + 1) * sizeof d[0]);
    for (uint32_t r = 1; r <= degree; ++r) {
      double at = r <= i ? knots[s + 1] : knots[s];
      for (uint32_t j = degree; j >= r; --j) {
        double from = knots[s + j - degree], to = knots[s + j + 1 - r], f = (at - from) / (to - from);
        for (int k = 0; k < 4; ++k) d[j][k] = (1.0 - f) * d[j - 1][k] + f * d[j][k];
      }
    }
    memcpy(out[i], d[degree], sizeof out[i]);
  }
  memcpy(points, out, (degree + 1) * sizeof out[0]);
}

static void splitSpan(const brinkSplineSurface *spline, uint32_t s, uint32_t t, double *out) {
  uint32_t m = spline->degreeU + 1, n = spline->degreeV + 1;
  double net[BRINK_PATCH_MAX_ORDER][BRINK_PATCH_MAX_ORDER][4], line[BRINK_PATCH_MAX_ORDER][4];
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      const double *c = spline->controls + 4 * ((size_t)(s + 1 + i - m) * spline->columns + (t + 1 + j - n));
      for (int k = 0; k < 4; ++k) net[i][j][k] = k < 3 ? c[k] * c[3] : c[3];
    }
  for (uint32_t j = 0; j < n; ++j) {
    for (uint32_t i = 0; i < m; ++i) memcpy(line[i], net[i][j], sizeof line[i]);
    blossomSpan(line, m - 1, spline->knotsU, s);
    for (uint32_t i = 0; i < m; ++i) memcpy(net[i][j], line[i], sizeof line[i]);
  }
  for (uint32_t i = 0; i < m; ++i) {
    blossomSpan(net[i], n - 1, spline->knotsV, t);
    for (uint32_t j = 0; j < n; ++j)
      for (uint32_t k = 0; k < 4; ++k) out[4 * (i * n + j) + k] = k < 3 ? net[i][j][k] / net[i][j][3] : net[i][j][3];
  }
}

static brinkStatus splitOne(brinkContext *context, const brinkSplineSurface *spline, uint32_t owner,
                            brinkSplitSplines *out) {
  uint32_t m = spline->degreeU + 1, n = spline->degreeV + 1;
  brinkStatus status = brink_ok;
  for (uint32_t s = m - 1; s < spline->rows; ++s)
    for (uint32_t t = n - 1; t < spline->columns && status == brink_ok; ++t) {
      if (!(spline->knotsU[s] < spline->knotsU[s + 1] && spline->knotsV[t] < spline->knotsV[t + 1])) continue;
      status = brinkReserve(context, (void **)&out->controls, &out->controlCapacity,
                            out->controlCount + (size_t)4 * m * n, sizeof(double));
      if (status == brink_ok)
        status = brinkReserve(context, (void **)&out->patches, &out->patchCapacity, out->patchCount + 1,
                              sizeof *out->patches);
      if (status == brink_ok)
        status =
            brinkReserve(context, (void **)&out->owners, &out->ownerCapacity, out->patchCount + 1, sizeof(uint32_t));
      if (status != brink_ok) break;
      splitSpan(spline, s, t, out->controls + out->controlCount);
      out->controlCount += (size_t)4 * m * n;
      out->owners[out->patchCount] = owner;
      out->patches[out->patchCount++] = (brinkBezierPatch){m, n, NULL};
    }
  return status;
}

brinkStatus brinkSplitSplines_Make(brinkContext *context, const brinkSplineSurface *splines, size_t count,
                                   const char *name, brinkSplitSplines *out) {
  brinkStatus status = brink_ok;
  memset(out, 0, sizeof *out);
  if (splines == NULL || count == 0) return brinkFail(context, brink_errorEmpty, "%s: no splines", name);
  for (size_t i = 0; i < count && status == brink_ok; ++i) {
    status = checkSpline(context, &splines[i], i, name);
    if (status == brink_ok) status = splitOne(context, &splines[i], (uint32_t)i, out);
  }
  const double *at = out->controls;
  for (size_t i = 0; i < out->patchCount; ++i) {
    out->patches[i].controls = at;
    at += (size_t)4 * out->patches[i].rows * out->patches[i].columns;
  }
  return status;
}

void brinkSplitSplines_Free(brinkContext *context, brinkSplitSplines *splines) {
  brinkRelease(context, splines->controls, splines->controlCapacity * sizeof(double));
  brinkRelease(context, splines->patches, splines->patchCapacity * sizeof *splines->patches);
  brinkRelease(context, splines->owners, splines->ownerCapacity * sizeof *splines->owners);
  memset(splines, 0, sizeof *splines);
}

/* ---- welding */

typedef struct corner {
  int64_t cell[3];
  uint32_t id;
} corner;

static int compareCorners(const void *a, const void *b) {
  const corner *x = a, *y = b;
  for (int k = 0; k < 3; ++k)
    if (x->cell[k] != y->cell[k]) return x->cell[k] < y->cell[k] ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static uint32_t findRoot(uint32_t *parents, uint32_t i) {
  while (parents[i] != i) {
    parents[i] = parents[parents[i]];
    i = parents[i];
  }
  return i;
}

/* Points within `width` of each other (by coordinate) become one: the grid is read eight times, each shifted by half a
 * cell in some axes, so that no neighbours are divided by a border every time. */
static void weldPoints(const double *points, size_t count, double width, corner *corners, uint32_t *parents) {
  for (size_t i = 0; i < count; ++i) parents[i] = (uint32_t)i;
  for (int shift = 0; shift < 8; ++shift) {
    for (size_t i = 0; i < count; ++i) {
      corners[i].id = (uint32_t)i;
      for (int k = 0; k < 3; ++k)
        corners[i].cell[k] =
            (int64_t)floor(points[3 * i + (size_t)k] / (4.0 * width) + ((shift >> k & 1) != 0 ? 0.5 : 0.0));
    }
    qsort(corners, count, sizeof *corners, compareCorners);
    for (size_t i = 1; i < count; ++i)
      if (memcmp(corners[i].cell, corners[i - 1].cell, sizeof corners[i].cell) == 0) {
        uint32_t a = findRoot(parents, corners[i].id), b = findRoot(parents, corners[i - 1].id);
        if (a != b) parents[BRINK_MAX(a, b)] = BRINK_MIN(a, b);
      }
  }
}

/* ---- triangulating */

static void emitTriangle(brinkPatchMesh *mesh, const uint32_t *ids, uint32_t a, uint32_t b, uint32_t c,
                         uint32_t patch) {
  uint32_t x = ids[a], y = ids[b], z = ids[c];
  if (x == y || y == z || z == x) return; /* a pole */
  uint32_t *t = mesh->triangles + 3 * mesh->triangleCount;
  t[0] = x;
  t[1] = y;
  t[2] = z;
  mesh->patches[mesh->triangleCount++] = patch;
}

/* points: [count (n+1)^2][3] */
static void emitAll(brinkPatchMesh *mesh, const double *points, size_t count, uint32_t n, uint32_t *ids) {
  size_t each = (size_t)(n + 1) * (n + 1);
  for (size_t i = 0; i < count * each; ++i) {
    uint32_t root = findRoot(ids, (uint32_t)i); /* roots come first: the smallest of their kind */
    if (root == i) memcpy(mesh->vertices + 3 * i, points + 3 * i, 3 * sizeof(double));
  }
  for (size_t i = 0; i < count * each; ++i) ids[i] = findRoot(ids, (uint32_t)i);
  for (size_t p = 0; p < count; ++p)
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = 0; j < n; ++j) {
        uint32_t a = (uint32_t)(p * each) + i * (n + 1) + j, b = a + n + 1;
        emitTriangle(mesh, ids, a, b, b + 1, (uint32_t)p);
        emitTriangle(mesh, ids, a, b + 1, a + 1, (uint32_t)p);
      }
  /* close the gaps in the vertices */
  size_t next = 0;
  uint32_t *renamed = ids;
  for (size_t i = 0; i < count * each; ++i)
    if (ids[i] == i) {
      memmove(mesh->vertices + 3 * next, mesh->vertices + 3 * i, 3 * sizeof(double));
      renamed[i] = (uint32_t)next++;
    } else {
      renamed[i] = renamed[ids[i]];
    }
  for (size_t i = 0; i < 3 * mesh->triangleCount; ++i) mesh->triangles[i] = renamed[mesh->triangles[i]];
  mesh->vertexCount = next;
}

static brinkStatus chooseCuts(brinkContext *context, const brinkBezierPatch *patches, size_t count, double error,
                              const char *name, uint32_t *cuts, double *bound) {
  double worst = 0.0;
  for (size_t i = 0; i < count; ++i) {
    double d[3];
    secondDerivatives(&patches[i], d);
    worst = fmax(worst, (d[0] + 2.0 * d[1] + d[2]) / 8.0);
  }
  double wanted = ceil(sqrt(worst / error));
  if (!(wanted <= BRINK_PATCH_MAX_CUTS))
    return brinkFail(context, brink_errorRange,
                     "%s: an error of %g m asks for %g cuts a side; at most %d: allow more error", name, error, wanted,
                     BRINK_PATCH_MAX_CUTS);
  *cuts = wanted < 1.0 ? 1u : (uint32_t)wanted;
  *bound = worst / ((double)*cuts * *cuts) * ROUNDING;
  return brink_ok;
}

static double sizeOfPatches(const brinkBezierPatch *patches, size_t count) {
  double size = 0.0;
  for (size_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < patches[i].rows * patches[i].columns; ++k)
      for (uint32_t c = 0; c < 3; ++c) size = fmax(size, fabs(patches[i].controls[4 * k + c]));
  return size;
}

brinkStatus brinkTriangulatePatches(brinkContext *context, const brinkBezierPatch *patches, size_t count, double error,
                                    const char *name, brinkPatchMesh *out) {
  if (patches == NULL || count == 0) return brinkFail(context, brink_errorEmpty, "%s: no patches", name);
  if (!(error > 0.0) || !isfinite(error))
    return brinkFail(context, brink_errorBadValue, "%s: an error of %g m; it is greater than 0", name, error);
  brinkStatus status = brink_ok;
  for (size_t i = 0; i < count && status == brink_ok; ++i) status = checkPatch(context, &patches[i], i, name);
  brinkPatchMesh mesh = {0};
  if (status == brink_ok) status = chooseCuts(context, patches, count, error, name, &mesh.cuts, &mesh.error);
  if (status != brink_ok) return status;
  uint32_t n = mesh.cuts;
  size_t each = (size_t)(n + 1) * (n + 1), all = count * each;
  if (all > INT32_MAX / 2)
    return brinkFail(context, brink_errorRange, "%s: %zu patches cut %u times are too many points", name, count, n);
  double *points = brinkAllocate(context, 3 * all * sizeof(double)), size = sizeOfPatches(patches, count);
  corner *corners = brinkAllocate(context, all * sizeof *corners);
  uint32_t *ids = brinkAllocate(context, all * sizeof *ids);
  if (points == NULL || corners == NULL || ids == NULL)
    status = brinkFail(context, brink_errorNoMemory, "%s: no memory", name);
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&mesh.vertices, &mesh.vertexCapacity, 3 * all, sizeof(double));
  if (status == brink_ok)
    status =
        brinkReserve(context, (void **)&mesh.triangles, &mesh.triangleCapacity, 6 * count * n * n, sizeof(uint32_t));
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&mesh.patches, &mesh.patchCapacity, 2 * count * n * n, sizeof(uint32_t));
  if (status == brink_ok) {
    for (size_t p = 0; p < count; ++p)
      for (uint32_t i = 0; i <= n; ++i)
        for (uint32_t j = 0; j <= n; ++j)
          brinkBezierPatch_At(&patches[p], (double)i / n, (double)j / n, points + 3 * (p * each + i * (n + 1) + j));
    weldPoints(points, all, WELD * size + DBL_MIN, corners, ids);
    emitAll(&mesh, points, count, n, ids);
    mesh.error += 8.0 * WELD * size;
    if (mesh.triangleCount == 0) status = brinkFail(context, brink_errorEmpty, "%s: the patches have no area", name);
  }
  brinkRelease(context, points, 3 * all * sizeof(double));
  brinkRelease(context, corners, all * sizeof *corners);
  brinkRelease(context, ids, all * sizeof *ids);
  if (status == brink_ok)
    *out = mesh;
  else
    brinkPatchMesh_Free(context, &mesh);
  return status;
}

void brinkPatchMesh_Free(brinkContext *context, brinkPatchMesh *mesh) {
  brinkRelease(context, mesh->vertices, mesh->vertexCapacity * sizeof(double));
  brinkRelease(context, mesh->triangles, mesh->triangleCapacity * sizeof(uint32_t));
  brinkRelease(context, mesh->patches, mesh->patchCapacity * sizeof(uint32_t));
  memset(mesh, 0, sizeof *mesh);
}
