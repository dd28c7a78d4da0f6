/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples has this heightfield? ODE has no getter for them, and neither for their number. It does tell the
 * extents (the box of a geom that stands at the origin) and, to a vertical ray, the height of any point. Where the
 * program has not told the numbers (dBrinkUseHeightfield), they are searched: the smallest grid whose triangles are all
 * flat is the grid itself, or one that has the same surface. Candidates per axis come from the borders, where the
 * surface bends only at samples; pairs of candidates are tried on triangles spread over the field; the winner is
 * compared with ODE at the middle of every triangle.
 *
 * ODE's field, in its own frame: x over the width, z over the depth, both from minus to plus half, y up; each cell is
 * split from (column + 1, row) to (column, row + 1). Brink's heightfield has z up and the other diagonal: with the rows
 * counted from +z down and the frame turned a quarter about x both agree. Units: m. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mirror.h"

#define MOST_SAMPLES 4097  /* a side, searched */
#define BORDER_CELLS 16    /* looked at per border and candidate */
#define FIELD_TRIANGLES 48 /* looked at per pair of candidates */
#define MOST_RAYS 4000000  /* of a search: seconds */
#define BORDER 1e-7        /* of the field: rays on the very border miss */
#define NUDGE 1e-3 /* of a cell: rays at a sample miss now and then; two beside it in one triangle give it exactly */
#define FLAT 1e-11 /* of the ray's length: rounding of a ray */
#define UNKNOWN_TOP 1e6   /* m, where the field's bounds are infinite (callbacks) */
#define LEAST_BOTTOM 1e-3 /* of the larger side: how far below the lowest sample the ground reaches at least */

typedef struct rayProbe {
  dGeomID field, ray;
  double width, depth, top, bottom; /* m; bottom: thickness included, may be -infinity */
  double length, slack;             /* of the ray; m */
  size_t rays;
} rayProbe;

/* NULL: ready; else why not. */
static const char *openProbe(rayProbe *probe, dHeightfieldDataID data) {
  *probe = (rayProbe){.field = dCreateHeightfield(NULL, data, 0)};
  dReal box[6];
  dGeomGetAABB(probe->field, box);
  probe->width = box[1] - box[0];
  probe->depth = box[5] - box[4];
  probe->bottom = box[2];
  probe->top = isfinite(box[3]) ? box[3] : UNKNOWN_TOP;
  double low = isfinite(box[2]) ? box[2] : -UNKNOWN_TOP;
  double air = 1 + 0.01 * (probe->top - low);
  probe->length = probe->top - low + 2 * air;
  probe->top += air;
  probe->slack = FLAT * probe->length;
  if (!isfinite(probe->width) || !isfinite(probe->depth)) {
    dGeomDestroy(probe->field);
    return "it wraps around without end; build it with bWrap = 0";
  }
  probe->ray = dCreateRay(NULL, probe->length);
  return NULL;
}

static void closeProbe(rayProbe *probe) {
  dGeomDestroy(probe->ray);
  dGeomDestroy(probe->field);
}

/* Height at u, v in [0,1] of width and depth; NaN: the ray hits nothing. */
static double heightAt(rayProbe *probe, double u, double v) {
  dContactGeom hit;
  probe->rays++;
  dGeomRaySet(probe->ray, (u - 0.5) * probe->width, probe->top, (v - 0.5) * probe->depth, 0, -1, 0);
  return dCollide(probe->ray, probe->field, 1, &hit, sizeof(hit)) > 0 ? hit.pos[1] : (double)NAN;
}

/* ---- how many samples */

static bool axisFits(rayProbe *probe, int axis, size_t samples) {
  size_t cells = samples - 1, looked = cells < BORDER_CELLS ? cells : BORDER_CELLS;
  for (size_t k = 0; k < looked; ++k) {
    size_t cell = k * cells / looked;
    for (int side = 0; side < 2; ++side) {
      double h[3], across = side == 0 ? BORDER : 1 - BORDER;
      for (int i = 0; i < 3; ++i) {
        double along = ((double)cell + 0.05 + 0.45 * i) / (double)cells;
        h[i] = axis == 0 ? heightAt(probe, along, across) : heightAt(probe, across, along);
      }
      if (!(fabs(h[0] + h[2] - 2 * h[1]) <= 4 * probe->slack)) {
        return false;
      }
    }
  }
  return true;
}

/* Is a triangle flat at three points and their middle? */
static bool triangleFits(rayProbe *probe, size_t columns, size_t rows, size_t triangle) {
  static const double points[4][2] = {{0.1, 0.1}, {0.8, 0.1}, {0.1, 0.8}, {1.0 / 3, 1.0 / 3}};
  size_t cell = triangle / 2, column = cell % (columns - 1), row = cell / (columns - 1);
  double h[4];
  for (int i = 0; i < 4; ++i) {
    double u = triangle % 2 == 0 ? points[i][0] : 1 - points[i][0],
           v = triangle % 2 == 0 ? points[i][1] : 1 - points[i][1];
    h[i] = heightAt(probe, ((double)column + u) / (double)(columns - 1), ((double)row + v) / (double)(rows - 1));
  }
  return fabs(h[0] + h[1] + h[2] - 3 * h[3]) <= 6 * probe->slack;
}

static bool gridFits(rayProbe *probe, size_t columns, size_t rows) {
  size_t count = 2 * (columns - 1) * (rows - 1), looked = count < FIELD_TRIANGLES ? count : FIELD_TRIANGLES;
  for (size_t k = 0; k < looked; ++k) {
    /* Spread evenly over both sides, by powers of the plastic number (Roberts 2018, "R2"); all when there are few. */
    double u = (double)(k + 1) * 0.7548776662466927, v = (double)(k + 1) * 0.5698402909980532;
    size_t column = (size_t)((u - floor(u)) * (double)(columns - 1)),
           row = (size_t)((v - floor(v)) * (double)(rows - 1));
    size_t triangle = looked == count ? k : 2 * (row * (columns - 1) + column) + k % 2;
    if (!triangleFits(probe, columns, rows, triangle)) {
      return false;
    }
  }
  return true;
}

/* ---- the samples */

static double sampleAt(rayProbe *probe, size_t columns, size_t rows, size_t column, size_t row) {
  bool lastColumn = column + 1 == columns, lastRow = row + 1 == rows;
  double stepU = NUDGE * (lastColumn ? -1 : lastRow ? 0.5 : 1), stepV = NUDGE * (lastRow ? -0.9 : 0.9), h[2];
  for (int i = 0; i < 2; ++i) {
    h[i] = heightAt(probe, ((double)column + (i + 1) * stepU) / (double)(columns - 1),
                    ((double)row + (i + 1) * stepV) / (double)(rows - 1));
  }
  return 2 * h[0] - h[1];
}

static bool middlesAgree(rayProbe *probe, const double *heights, size_t columns, size_t rows) {
  for (size_t row = 0; row + 1 < rows; ++row) {
    for (size_t column = 0; column + 1 < columns; ++column) {
      const double *a = &heights[row * columns + column], *c = a + columns;
      double lower = heightAt(probe, ((double)column + 1.0 / 3) / (double)(columns - 1),
                              ((double)row + 1.0 / 3) / (double)(rows - 1));
      double upper = heightAt(probe, ((double)column + 2.0 / 3) / (double)(columns - 1),
                              ((double)row + 2.0 / 3) / (double)(rows - 1));
      if (!(fabs(lower - (a[0] + a[1] + c[0]) / 3) <= 8 * probe->slack) ||
          !(fabs(upper - (c[1] + a[1] + c[0]) / 3) <= 8 * probe->slack)) {
        return false;
      }
    }
  }
  return true;
}

typedef enum fitting { fits, fitsNot, noRoom } fitting;

static fitting readGrid(rayProbe *probe, size_t columns, size_t rows, dxBrinkHeights *out) {
  double *heights = malloc(columns * rows * sizeof(*heights));
  if (heights == NULL) {
    return noRoom;
  }
  for (size_t i = 0; i < columns * rows; ++i) {
    heights[i] = sampleAt(probe, columns, rows, i % columns, i / columns);
  }
  if (!middlesAgree(probe, heights, columns, rows)) { /* a NaN does not agree */
    free(heights);
    return fitsNot;
  }
  *out = (dxBrinkHeights){columns, rows, probe->width, probe->depth, 0, heights};
  return fits;
}

typedef struct candidates {
  size_t *columns, *rows; /* [MOST_SAMPLES] each, ascending */
  size_t columnCount, rowCount;
} candidates;

/* Pairs whose larger side is the last candidate of an axis. */
static fitting tryNewest(rayProbe *probe, const candidates *c, bool newColumns, bool newRows, size_t larger,
                         dxBrinkHeights *out) {
  fitting found = fitsNot;
  for (size_t j = 0; newColumns && j < c->rowCount && found == fitsNot; ++j) {
    if (gridFits(probe, larger, c->rows[j])) {
      found = readGrid(probe, larger, c->rows[j], out);
    }
  }
  for (size_t i = 0; newRows && i < c->columnCount && found == fitsNot; ++i) {
    if (c->columns[i] < larger && gridFits(probe, c->columns[i], larger)) {
      found = readGrid(probe, c->columns[i], larger, out);
    }
  }
  return found;
}

/* Pairs in the order of their larger side. */
static fitting searchGrid(rayProbe *probe, dxBrinkHeights *out) {
  candidates c = {.columns = malloc(2 * MOST_SAMPLES * sizeof(size_t))};
  if (c.columns == NULL) {
    return noRoom;
  }
  c.rows = c.columns + MOST_SAMPLES;
  fitting found = fitsNot;
  for (size_t n = 2; n <= MOST_SAMPLES && found == fitsNot && probe->rays < MOST_RAYS; ++n) {
    bool newColumns = axisFits(probe, 0, n), newRows = axisFits(probe, 1, n);
    if (newColumns) {
      c.columns[c.columnCount++] = n;
    }
    if (newRows) {
      c.rows[c.rowCount++] = n;
    }
    found = tryNewest(probe, &c, newColumns, newRows, n, out);
  }
  free(c.columns);
  return found;
}

/* ODE's ground reaches down by the thickness; Brink's must lie below every sample. */
static double bottomOf(const rayProbe *probe, const dxBrinkHeights *field) {
  double lowest = INFINITY, side = fmax(field->width, field->depth);
  for (size_t i = 0; i < field->columns * field->rows; ++i) {
    lowest = fmin(lowest, field->heights[i]);
  }
  double bottom = lowest - LEAST_BOTTOM * side;
  return isfinite(probe->bottom) ? fmin(probe->bottom, bottom) : bottom;
}

brinkStatus dxBrinkReadHeights(dHeightfieldDataID data, size_t columns, size_t rows, dxBrinkHeights *out,
                               const char **reason) {
  rayProbe probe;
  *reason = openProbe(&probe, data);
  if (*reason != NULL) {
    return brink_errorBadValue;
  }
  fitting found = columns > 0 ? readGrid(&probe, columns, rows, out) : searchGrid(&probe, out);
  if (found == fits) {
    out->bottom = bottomOf(&probe, out);
  } else if (found == fitsNot) {
    *reason = columns > 0 ? "the numbers of samples given to dBrinkUseHeightfield are not those of the field"
                          : "its samples were not found; tell their numbers with dBrinkUseHeightfield";
  }
  closeProbe(&probe);
  return found == fits ? brink_ok : found == noRoom ? brink_errorNoMemory : brink_errorBadValue;
}

/* Spots that tell when the samples were changed in place. */
void dxBrinkSampleHeights(dHeightfieldDataID data, double samples[DX_BRINK_MESH_SAMPLES][9]) {
  rayProbe probe;
  memset(samples, 0, DX_BRINK_MESH_SAMPLES * sizeof(samples[0]));
  if (openProbe(&probe, data) != NULL) {
    return;
  }
  for (int i = 0; i < DX_BRINK_MESH_SAMPLES; ++i) {
    double place = 0.5 + i * 0.7548776662466927,
           across = 0.5 + i * 0.5698402909980532; /* plastic ratio: evenly spread */
    samples[i][0] = heightAt(&probe, place - floor(place), across - floor(across)) + 0.0;
    samples[i][1] = probe.width;
    samples[i][2] = probe.depth;
  }
  closeProbe(&probe);
}
