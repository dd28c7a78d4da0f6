/* SPDX-License-Identifier: BSD-3-Clause */
/* See field.h. The smallest grid whose triangles are all flat is the grid itself, or one that has the same surface.
 * Candidates per axis come from the borders, where the surface bends only at samples; pairs of candidates are tried on
 * triangles spread over the field; the winner is compared with the surface at the middle of every triangle. */
#include "field.h"

#include <math.h>
#include <stdlib.h>

#include "thickness.h"

#define MOST_SAMPLES 4097  /* a side, searched */
#define BORDER_CELLS 16    /* looked at per border and candidate */
#define FIELD_TRIANGLES 48 /* looked at per pair of candidates */
#define MOST_ASKED 4000000 /* heights of a search: seconds where each is a ray */
#define BORDER 1e-7        /* of the field: rays on the very border miss */
#define NUDGE 1e-3 /* of a cell: rays at a sample miss now and then; two beside it in one triangle give it exactly */
#define LEAST_BOTTOM 1e-3 /* of the larger side: how far below the lowest sample the ground reaches at least */

typedef struct search {
  const brinkStepSurface *of;
  size_t asked;
} search;

static double heightAt(search *in, double u, double v) {
  in->asked++;
  return in->of->heightAt(in->of->user, u, v);
}

/* ---- how many samples */

static bool axisFits(search *in, int axis, size_t samples) {
  size_t cells = samples - 1, looked = cells < BORDER_CELLS ? cells : BORDER_CELLS;
  for (size_t k = 0; k < looked; ++k) {
    size_t cell = k * cells / looked;
    for (int side = 0; side < 2; ++side) {
      double h[3], across = side == 0 ? BORDER : 1 - BORDER;
      for (int i = 0; i < 3; ++i) {
        double along = ((double)cell + 0.05 + 0.45 * i) / (double)cells;
        h[i] = axis == 0 ? heightAt(in, along, across) : heightAt(in, across, along);
      }
      if (!(fabs(h[0] + h[2] - 2 * h[1]) <= 4 * in->of->slack)) {
        return false;
      }
    }
  }
  return true;
}

/* Is a triangle flat at three points and their middle? */
static bool triangleFits(search *in, size_t columns, size_t rows, size_t triangle) {
  static const double points[4][2] = {{0.1, 0.1}, {0.8, 0.1}, {0.1, 0.8}, {1.0 / 3, 1.0 / 3}};
  size_t cell = triangle / 2, column = cell % (columns - 1), row = cell / (columns - 1);
  double h[4];
  for (int i = 0; i < 4; ++i) {
    double u = triangle % 2 == 0 ? points[i][0] : 1 - points[i][0],
           v = triangle % 2 == 0 ? points[i][1] : 1 - points[i][1];
    h[i] = heightAt(in, ((double)column + u) / (double)(columns - 1), ((double)row + v) / (double)(rows - 1));
  }
  return fabs(h[0] + h[1] + h[2] - 3 * h[3]) <= 6 * in->of->slack;
}

static bool gridFits(search *in, size_t columns, size_t rows) {
  size_t count = 2 * (columns - 1) * (rows - 1), looked = count < FIELD_TRIANGLES ? count : FIELD_TRIANGLES;
  for (size_t k = 0; k < looked; ++k) {
    /* Spread evenly over both sides, by powers of the plastic number (Roberts 2018, "R2"); all when there are few. */
    double u = (double)(k + 1) * 0.7548776662466927, v = (double)(k + 1) * 0.5698402909980532;
    size_t column = (size_t)((u - floor(u)) * (double)(columns - 1)),
           row = (size_t)((v - floor(v)) * (double)(rows - 1));
    size_t triangle = looked == count ? k : 2 * (row * (columns - 1) + column) + k % 2;
    if (!triangleFits(in, columns, rows, triangle)) {
      return false;
    }
  }
  return true;
}

/* ---- the samples */

static double sampleAt(search *in, size_t columns, size_t rows, size_t column, size_t row) {
  bool lastColumn = column + 1 == columns, lastRow = row + 1 == rows;
  double stepU = NUDGE * (lastColumn ? -1 : lastRow ? 0.5 : 1), stepV = NUDGE * (lastRow ? -0.9 : 0.9), h[2];
  for (int i = 0; i < 2; ++i) {
    h[i] = heightAt(in, ((double)column + (i + 1) * stepU) / (double)(columns - 1),
                    ((double)row + (i + 1) * stepV) / (double)(rows - 1));
  }
  return 2 * h[0] - h[1];
}

static bool middlesAgree(search *in, const double *heights, size_t columns, size_t rows) {
  for (size_t row = 0; row + 1 < rows; ++row) {
    for (size_t column = 0; column + 1 < columns; ++column) {
      const double *a = &heights[row * columns + column], *c = a + columns;
      double lower = heightAt(in, ((double)column + 1.0 / 3) / (double)(columns - 1),
                              ((double)row + 1.0 / 3) / (double)(rows - 1));
      double upper = heightAt(in, ((double)column + 2.0 / 3) / (double)(columns - 1),
                              ((double)row + 2.0 / 3) / (double)(rows - 1));
      if (!(fabs(lower - (a[0] + a[1] + c[0]) / 3) <= 8 * in->of->slack) ||
          !(fabs(upper - (c[1] + a[1] + c[0]) / 3) <= 8 * in->of->slack)) {
        return false;
      }
    }
  }
  return true;
}

typedef enum fitting { fits, fitsNot, noRoom } fitting;

static fitting readGrid(search *in, size_t columns, size_t rows, brinkStepField *out) {
  double *heights = columns <= SIZE_MAX / sizeof(*heights) / rows ? malloc(columns * rows * sizeof(*heights)) : NULL;
  if (heights == NULL) {
    return noRoom;
  }
  for (size_t i = 0; i < columns * rows; ++i) {
    heights[i] = sampleAt(in, columns, rows, i % columns, i / columns);
  }
  if (!middlesAgree(in, heights, columns, rows)) { /* a NaN does not agree */
    free(heights);
    return fitsNot;
  }
  *out = (brinkStepField){columns, rows, in->of->width, in->of->depth, 0, heights};
  return fits;
}

typedef struct candidates {
  size_t *columns, *rows; /* [MOST_SAMPLES] each, ascending */
  size_t columnCount, rowCount;
} candidates;

/* Pairs whose larger side is the last candidate of an axis. */
static fitting tryNewest(search *in, const candidates *c, bool newColumns, bool newRows, size_t larger,
                         brinkStepField *out) {
  fitting found = fitsNot;
  for (size_t j = 0; newColumns && j < c->rowCount && found == fitsNot; ++j) {
    if (gridFits(in, larger, c->rows[j])) {
      found = readGrid(in, larger, c->rows[j], out);
    }
  }
  for (size_t i = 0; newRows && i < c->columnCount && found == fitsNot; ++i) {
    if (c->columns[i] < larger && gridFits(in, c->columns[i], larger)) {
      found = readGrid(in, c->columns[i], larger, out);
    }
  }
  return found;
}

/* Pairs in the order of their larger side. */
static fitting searchGrid(search *in, brinkStepField *out) {
  candidates c = {.columns = malloc(2 * MOST_SAMPLES * sizeof(size_t))};
  if (c.columns == NULL) {
    return noRoom;
  }
  c.rows = c.columns + MOST_SAMPLES;
  fitting found = fitsNot;
  for (size_t n = 2; n <= MOST_SAMPLES && found == fitsNot && in->asked < MOST_ASKED; ++n) {
    bool newColumns = axisFits(in, 0, n), newRows = axisFits(in, 1, n);
    if (newColumns) {
      c.columns[c.columnCount++] = n;
    }
    if (newRows) {
      c.rows[c.rowCount++] = n;
    }
    found = tryNewest(in, &c, newColumns, newRows, n, out);
  }
  free(c.columns);
  return found;
}

/* Brink's ground must lie below every sample. */
static double bottomOf(const brinkStepSurface *of, const brinkStepField *field) {
  double lowest = INFINITY, side = fmax(field->width, field->depth);
  for (size_t i = 0; i < field->columns * field->rows; ++i) {
    lowest = fmin(lowest, field->heights[i]);
  }
  double bottom = lowest - LEAST_BOTTOM * side;
  return isfinite(of->bottom) ? fmin(of->bottom, bottom) : bottom;
}

brinkStatus brinkStepFindField(const brinkStepSurface *of, size_t columns, size_t rows, brinkStepField *out) {
  search in = {.of = of};
  fitting found = fitsNot;
  if (columns == 0) {
    found = searchGrid(&in, out);
  } else if (columns > 1 && rows > 1) {
    found = readGrid(&in, columns, rows, out);
  }
  if (found == fits) {
    out->bottom = bottomOf(of, out);
  }
  return found == fits ? brink_ok : found == noRoom ? brink_errorNoMemory : brink_errorBadValue;
}

void brinkStepSpot(int i, double *u, double *v) {
  const double along = 0.5 + i * 0.7548776662466927, across = 0.5 + i * 0.5698402909980532;
  *u = along - floor(along);
  *v = across - floor(across);
}

double brinkStepFieldThickness(const brinkStepField *field) {
  double low = field->heights[0], high = field->heights[0];
  for (size_t i = 0; i < field->columns * field->rows; ++i) {
    low = fmin(low, field->heights[i]);
    high = fmax(high, field->heights[i]);
  }
  return brinkStepSurfaceThickness(high - low, fmax(field->width, field->depth));
}

brinkShapeDef brinkStepFieldDef(brinkStepField *field, brinkPose *place) {
  for (size_t row = 0; row < field->rows / 2; ++row) {
    for (size_t column = 0; column < field->columns; ++column) {
      double *a = &field->heights[row * field->columns + column],
             *b = &field->heights[(field->rows - 1 - row) * field->columns + column], kept = *a;
      *a = *b;
      *b = kept;
    }
  }
  brinkShapeDef def = {.structSize = sizeof(def), .type = brink_heightfield, .flags = BRINK_SHAPE_SOLID_BELOW};
  def.size = (brinkVec3){field->width / (double)(field->columns - 1), field->depth / (double)(field->rows - 1), 0};
  def.offset = field->bottom;
  def.heights = field->heights;
  def.columns = field->columns;
  def.rows = field->rows;
  *place = (brinkPose){{-field->width / 2, 0, field->depth / 2}, {sqrt(0.5), -sqrt(0.5), 0, 0}};
  return def;
}
