/* SPDX-License-Identifier: BSD-3-Clause */
/* How deep is a point below a terrain? A grid over (x, y) names the triangles of each cell; the column's triangle gives
 * the height, the nearest triangle around gives the depth. Based on: closest point on a triangle by its Voronoi regions
 * (Ericson 2005, 5.1.5). Units: m. */
#include "terrain_check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_DEPTH                                                                                 \
  3.0 /* m; deeper points are judged by the column alone: by then the exact figure says nothing new \
       */

struct terrainCheck {
  const brinkMesh *mesh;
  double low[2], cell; /* m */
  int columns, rows;
  uint32_t *start; /* [columns * rows + 1] into list */
  uint32_t *list;  /* triangles */
  double *top;     /* [columns * rows], m: nothing in a cell's triangles is higher */
};

static int clampCell(double value, int count) {
  if (!(value > 0.0)) return 0;
  return value >= count ? count - 1 : (int)value;
}

/* Cells covered by a box; inclusive. */
static void cellRange(const terrainCheck *self, double lowX, double lowY, double highX, double highY, int range[4]) {
  range[0] = clampCell((lowX - self->low[0]) / self->cell, self->columns);
  range[1] = clampCell((lowY - self->low[1]) / self->cell, self->rows);
  range[2] = clampCell((highX - self->low[0]) / self->cell, self->columns);
  range[3] = clampCell((highY - self->low[1]) / self->cell, self->rows);
}

static const double *cornerOf(const terrainCheck *self, uint32_t triangle, int corner) {
  return self->mesh->vertices + 3 * self->mesh->indices[3 * triangle + (uint32_t)corner];
}

static void triangleRange(const terrainCheck *self, uint32_t t, int range[4]) {
  const double *a = cornerOf(self, t, 0), *b = cornerOf(self, t, 1), *c = cornerOf(self, t, 2);
  cellRange(self, fmin(a[0], fmin(b[0], c[0])), fmin(a[1], fmin(b[1], c[1])), fmax(a[0], fmax(b[0], c[0])),
            fmax(a[1], fmax(b[1], c[1])), range);
}

static bool findTops(terrainCheck *self) {
  size_t cells = (size_t)self->columns * (size_t)self->rows;
  self->top = malloc((cells + 1) * sizeof *self->top);
  for (size_t cell = 0; self->top && cell < cells; cell++) {
    self->top[cell] = -INFINITY;
    for (uint32_t i = self->start[cell]; i < self->start[cell + 1]; i++)
      for (int k = 0; k < 3; k++) self->top[cell] = fmax(self->top[cell], cornerOf(self, self->list[i], k)[2]);
  }
  return self->top != NULL;
}

/* Counting sort of triangles into cells. */
static bool fillCells(terrainCheck *self) {
  size_t cells = (size_t)self->columns * (size_t)self->rows;
  self->start = calloc(cells + 2, sizeof *self->start);
  if (!self->start) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t t = 0; t < self->mesh->triangleCount; t++) {
      int range[4];
      triangleRange(self, t, range);
      for (int y = range[1]; y <= range[3]; y++)
        for (int x = range[0]; x <= range[2]; x++) {
          size_t cell = (size_t)y * (size_t)self->columns + (size_t)x;
          if (pass == 0)
            self->start[cell + 2]++;
          else
            self->list[self->start[cell + 1]++] = t;
        }
    }
    if (pass == 1) break;
    for (size_t i = 2; i < cells + 2; i++) self->start[i] += self->start[i - 1];
    self->list = malloc((self->start[cells + 1] + (size_t)1) * sizeof *self->list);
    if (!self->list) return false;
  }
  return true;
}

terrainCheck *terrainCheck_Create(const brinkMesh *mesh) {
  terrainCheck *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t i = 0; i < mesh->vertexCount; i++)
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(low[k], mesh->vertices[3 * i + (size_t)k]);
      high[k] = fmax(high[k], mesh->vertices[3 * i + (size_t)k]);
    }
  self->mesh = mesh;
  memcpy(self->low, low, sizeof low);
  double width = high[0] - low[0], depth = high[1] - low[1];
  self->cell = fmax(1e-6, sqrt(width * depth / ((double)mesh->triangleCount + 1.0)));
  self->columns = 1 + (int)fmin(4000.0, width / self->cell);
  self->rows = 1 + (int)fmin(4000.0, depth / self->cell);
  if (fillCells(self) && findTops(self)) return self;
  terrainCheck_Destroy(self);
  return NULL;
}

void terrainCheck_Destroy(terrainCheck *self) {
  if (!self) return;
  free(self->start);
  free(self->list);
  free(self->top);
  free(self);
}

/* Height of a triangle's plane above (x, y), when the column meets it. */
static bool columnHeight(const double *a, const double *b, const double *c, double x, double y, double *height) {
  double area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
  if (area == 0.0) return false;
  double u = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / area;
  double v = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area;
  if (u < -1e-12 || v < -1e-12 || u + v > 1.0 + 1e-12) return false; /* rounding: no column between two triangles */
  *height = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2]);
  return true;
}

/* The cell of a column; false outside. */
static bool cellOf(const terrainCheck *self, double x, double y, size_t *cell) {
  double fx = (x - self->low[0]) / self->cell, fy = (y - self->low[1]) / self->cell;
  if (!(fx >= 0.0 && fy >= 0.0 && fx < self->columns && fy < self->rows)) return false;
  *cell = (size_t)(int)fy * (size_t)self->columns + (size_t)(int)fx;
  return true;
}

double terrainCheck_Height(const terrainCheck *self, double x, double y) {
  double best = -INFINITY;
  size_t cell;
  if (!cellOf(self, x, y, &cell)) return best;
  for (uint32_t i = self->start[cell]; i < self->start[cell + 1]; i++) {
    double height;
    uint32_t t = self->list[i];
    if (columnHeight(cornerOf(self, t, 0), cornerOf(self, t, 1), cornerOf(self, t, 2), x, y, &height))
      best = fmax(best, height);
  }
  return best;
}

static double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Distance of p to triangle a b c. */
static double triangleDistance(const double *p, const double *a, const double *b, const double *c) {
  double ab[3], ac[3], ap[3], bp[3], cp[3], closest[3];
  for (int k = 0; k < 3; k++)
    ab[k] = b[k] - a[k], ac[k] = c[k] - a[k], ap[k] = p[k] - a[k], bp[k] = p[k] - b[k], cp[k] = p[k] - c[k];
  double d1 = dot3(ab, ap), d2 = dot3(ac, ap), d3 = dot3(ab, bp), d4 = dot3(ac, bp), d5 = dot3(ab, cp),
         d6 = dot3(ac, cp);
  double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, u = 0.0,
         v = 0.0; /* closest = a + u ab + v ac */
  if (d1 <= 0.0 && d2 <= 0.0)
    u = v = 0.0;
  else if (d3 >= 0.0 && d4 <= d3)
    u = 1.0;
  else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
    u = d1 / (d1 - d3);
  else if (d6 >= 0.0 && d5 <= d6)
    v = 1.0;
  else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
    v = d2 / (d2 - d6);
  else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    v = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    u = 1.0 - v;
  } else {
    u = vb / (va + vb + vc);
    v = vc / (va + vb + vc);
  }
  for (int k = 0; k < 3; k++) closest[k] = p[k] - (a[k] + u * ab[k] + v * ac[k]);
  return sqrt(dot3(closest, closest));
}

double terrainCheck_Depth(const terrainCheck *self, const double point[3]) {
  size_t own;
  if (!cellOf(self, point[0], point[1], &own) || point[2] > self->top[own]) return 0.0;
  double vertical = terrainCheck_Height(self, point[0], point[1]) - point[2];
  if (!(vertical > 0.0)) return 0.0;
  if (vertical > EXACT_DEPTH) return vertical;
  double best = vertical;
  int range[4];
  cellRange(self, point[0] - vertical, point[1] - vertical, point[0] + vertical, point[1] + vertical, range);
  for (int y = range[1]; y <= range[3]; y++)
    for (int x = range[0]; x <= range[2]; x++) {
      size_t cell = (size_t)y * (size_t)self->columns + (size_t)x;
      for (uint32_t i = self->start[cell]; i < self->start[cell + 1]; i++) {
        uint32_t t = self->list[i];
        double d = triangleDistance(point, cornerOf(self, t, 0), cornerOf(self, t, 1), cornerOf(self, t, 2));
        if (d < best) best = d;
      }
    }
  return best;
}

static double edgeLength(const double *a, const double *b) {
  double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return sqrt(dot3(d, d));
}

double *terrainCheck_SamplePoints(const brinkMesh *mesh, double spacing, size_t *count) {
  double *points = NULL;
  size_t total = 0;
  for (int pass = 0; pass < 2; pass++) { /* count, then write */
    total = mesh->vertexCount;
    for (size_t t = 0; t < mesh->triangleCount; t++) {
      const double *a = mesh->vertices + 3 * mesh->indices[3 * t], *b = mesh->vertices + 3 * mesh->indices[3 * t + 1];
      const double *c = mesh->vertices + 3 * mesh->indices[3 * t + 2];
      int parts = (int)fmin(200.0, ceil(fmax(edgeLength(a, b), fmax(edgeLength(b, c), edgeLength(c, a))) / spacing));
      for (int i = 0; i <= parts && parts > 1; i++)
        for (int j = 0; i + j <= parts; j++, total++) {
          double u = (double)i / parts, v = (double)j / parts;
          for (int k = 0; pass == 1 && k < 3; k++)
            points[3 * total + (size_t)k] = a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]);
        }
    }
    if (pass == 1) break;
    points = malloc((3 * total + 1) * sizeof *points);
    if (!points) return NULL;
    memcpy(points, mesh->vertices, 3 * mesh->vertexCount * sizeof *points);
  }
  *count = total;
  return points;
}
