/* SPDX-License-Identifier: BSD-3-Clause */
/* See tetrahedra.h.
 *
 * Based on: Barber, Dobkin, Huhdanpaa 1996 (Delaunay by the lower hull of the lifted points; qhull, option QJ). */
#include "tetrahedra.h"

#include <libqhull_r/qhull_ra.h>
#include <stdlib.h>

#include "linear.h"
#include "quiet_qhull.h"

#define SAME 1e-9 /* of the largest extent: points this near to each other are one */

void brinkTetrahedra_Free(brinkContext *context, brinkTetrahedra *tetrahedra) {
  brinkRelease(context, tetrahedra->corners, tetrahedra->capacity * sizeof(uint32_t));
  memset(tetrahedra, 0, sizeof *tetrahedra);
}

void brinkOuterFaces_Free(brinkContext *context, brinkOuterFaces *faces) {
  brinkRelease(context, faces->corners, faces->capacity * sizeof(uint32_t));
  memset(faces, 0, sizeof *faces);
}

/* ---- points that differ */

typedef struct gridPoint {
  int64_t cell[3];
  uint32_t id;
} gridPoint;

static int compareCells(const void *left, const void *right) {
  const gridPoint *a = left, *b = right;
  for (int k = 0; k < 3; ++k)
    if (a->cell[k] != b->cell[k]) return a->cell[k] < b->cell[k] ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

/* One id of each cell that holds points, the least; in order of ids' cells. */
static size_t listDistinct(const double *points, gridPoint *grid, size_t count) {
  double low[3], extent = 0.0;
  for (int k = 0; k < 3; ++k) {
    double high = low[k] = points[k];
    for (size_t i = 0; i < count; ++i) {
      low[k] = fmin(low[k], points[3 * i + (size_t)k]);
      high = fmax(high, points[3 * i + (size_t)k]);
    }
    extent = fmax(extent, high - low[k]);
  }
  const double size = fmax(SAME * extent, DBL_MIN);
  for (size_t i = 0; i < count; ++i) {
    grid[i].id = (uint32_t)i;
    for (int k = 0; k < 3; ++k) grid[i].cell[k] = llround((points[3 * i + (size_t)k] - low[k]) / size);
  }
  qsort(grid, count, sizeof *grid, compareCells);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (kept == 0 || memcmp(grid[i].cell, grid[kept - 1].cell, sizeof grid[i].cell) != 0) grid[kept++] = grid[i];
  return kept;
}

/* ---- what qhull finds */

typedef struct tetrahedraWork {
  brinkContext *context;
  const gridPoint *grid;
  brinkTetrahedra *out;
} tetrahedraWork;

static double volumeOf(const double *points, const uint32_t corners[4]) {
  const brinkVec3 a = brinkV3_FromArray(points + 3 * (size_t)corners[0]),
                  u = brinkSub(brinkV3_FromArray(points + 3 * (size_t)corners[1]), a),
                  v = brinkSub(brinkV3_FromArray(points + 3 * (size_t)corners[2]), a),
                  w = brinkSub(brinkV3_FromArray(points + 3 * (size_t)corners[3]), a);
  return brinkDot(brinkCross(u, v), w) / 6.0;
}

double brinkTetrahedra_Volume(const brinkTetrahedra *tetrahedra, const double *points) {
  double volume = 0.0;
  for (size_t i = 0; i < tetrahedra->count; ++i) volume += volumeOf(points, tetrahedra->corners + 4 * i);
  return volume;
}

/* The lower hull of the lifted points. All are oriented alike by qhull; the sign of the sum tells which way. */
static brinkStatus readTetrahedra(void *user, qhT *qh, const double *points) {
  tetrahedraWork *work = user;
  brinkTetrahedra *out = work->out;
  double volume = 0.0;
  facetT *facet;
  FORALLfacets {
    if (facet->upperdelaunay || !facet->simplicial) continue;
    brinkStatus status =
        brinkReserve(work->context, (void **)&out->corners, &out->capacity, 4 * (out->count + 1), sizeof(uint32_t));
    if (status != brink_ok) return status;
    uint32_t *corners = out->corners + 4 * out->count, found = 0;
    vertexT *vertex, **vertexp;
    FOREACHvertex_(facet->vertices) {
      if (found < 4u) corners[found] = (uint32_t)qh_pointid(qh, vertex->point);
      ++found;
    }
    if (found != 4u) continue;
    if (facet->toporient) {
      const uint32_t keep = corners[0];
      corners[0] = corners[1];
      corners[1] = keep;
    }
    volume += volumeOf(points, corners);
    ++out->count;
  }
  for (size_t i = 0; i < out->count; ++i) {
    uint32_t *corners = out->corners + 4 * i;
    for (int k = 0; k < 4; ++k) corners[k] = work->grid[corners[k]].id;
    if (volume >= 0.0) continue;
    const uint32_t keep = corners[0];
    corners[0] = corners[1];
    corners[1] = keep;
  }
  return brink_ok;
}

brinkStatus brinkTetrahedra_Make(brinkContext *context, const double *points, size_t count, brinkTetrahedra *out) {
  out->count = 0;
  if (count < 4) return brink_ok;
  if (count > UINT32_MAX / 2)
    return brinkFail(context, brink_errorRange, "%zu points are too many for tetrahedra", count);
  size_t gridSize = count * sizeof(gridPoint), copySize = 3 * count * sizeof(double);
  gridPoint *grid = brinkAllocate(context, gridSize);
  double *copy = brinkAllocate(context, copySize);
  brinkStatus status = grid != NULL && copy != NULL
                           ? brink_ok
                           : brinkFail(context, brink_errorNoMemory, "no memory for tetrahedra of %zu points", count);
  if (status == brink_ok) {
    const size_t kept = listDistinct(points, grid, count);
    for (size_t i = 0; i < kept; ++i) memcpy(copy + 3 * i, points + 3 * (size_t)grid[i].id, 3 * sizeof(double));
    tetrahedraWork work = {context, grid, out};
    char command[] = "qhull d QJ Qbb Pp";
    if (kept >= 4) status = brinkRunQhull(context, copy, kept, command, readTetrahedra, &work);
  }
  brinkRelease(context, grid, gridSize);
  brinkRelease(context, copy, copySize);
  return status;
}

/* ---- surface */

typedef struct sideFace {
  uint32_t key[3]; /* its corners, ascending */
  uint32_t corners[3];
} sideFace;

static int compareSides(const void *left, const void *right) {
  const sideFace *a = left, *b = right;
  for (int k = 0; k < 3; ++k)
    if (a->key[k] != b->key[k]) return a->key[k] < b->key[k] ? -1 : 1;
  return 0;
}

static sideFace makeSide(uint32_t a, uint32_t b, uint32_t c) {
  sideFace side = {{a, b, c}, {a, b, c}};
  uint32_t *key = side.key;
  for (int pass = 0; pass < 2; ++pass)
    for (int k = 0; k < 2; ++k)
      if (key[k] > key[k + 1]) {
        const uint32_t keep = key[k];
        key[k] = key[k + 1];
        key[k + 1] = keep;
      }
  return side;
}

brinkStatus brinkOuterFaces_Make(brinkContext *context, const brinkTetrahedra *tetrahedra, brinkOuterFaces *out) {
  out->count = 0;
  const size_t count = 4 * tetrahedra->count, size = (count + 1) * sizeof(sideFace);
  sideFace *sides = brinkAllocate(context, size);
  if (sides == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %zu faces", count);
  for (size_t i = 0; i < tetrahedra->count; ++i) {
    const uint32_t *c = tetrahedra->corners + 4 * i;
    sides[4 * i] = makeSide(c[0], c[2], c[1]);
    sides[4 * i + 1] = makeSide(c[0], c[1], c[3]);
    sides[4 * i + 2] = makeSide(c[0], c[3], c[2]);
    sides[4 * i + 3] = makeSide(c[1], c[2], c[3]);
  }
  qsort(sides, count, sizeof *sides, compareSides);
  brinkStatus status = brinkReserve(context, (void **)&out->corners, &out->capacity, 3 * count + 1, sizeof(uint32_t));
  for (size_t i = 0; i < count && status == brink_ok; ++i) {
    if (i + 1 < count && compareSides(&sides[i], &sides[i + 1]) == 0)
      ++i; /* between two tetrahedra */
    else
      memcpy(out->corners + 3 * out->count++, sides[i].corners, sizeof sides[i].corners);
  }
  brinkRelease(context, sides, size);
  return status;
}
