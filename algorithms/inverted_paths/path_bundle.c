/* SPDX-License-Identifier: BSD-3-Clause */
/* See path_bundle.h. */
#include "path_bundle.h"

#define LEAST_WIDTH 0x1p-30 /* of a cell: shorter ones gain nothing over rounding */

void brinkPathBundle_Free(brinkContext *context, brinkPathBundle *bundle) {
  brinkRelease(context, bundle->vertices, bundle->vertexCapacity * sizeof *bundle->vertices);
  brinkRelease(context, bundle->paths, bundle->pathCapacity * sizeof *bundle->paths);
  memset(bundle, 0, sizeof *bundle);
}

/* Stretches of time in which no path bends by more than the deviation. */
typedef struct timeGrid {
  double *times; /* [count], ascending */
  size_t count, capacity;
  double deviation; /* the largest bound, m */
} timeGrid;

static double bendOf(const brinkMotionCell *cell, const double reach[3]) {
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    double off = cell->curve[4 * i + 3] + 2.0 * cell->error[4 * i + 3];
    for (int j = 0; j < 3; ++j) off += (cell->curve[4 * i + j] + 2.0 * cell->error[4 * i + j]) * reach[j];
    sum += off * off;
  }
  return sqrt(sum) * (1.0 + 32.0 * DBL_EPSILON);
}

static brinkStatus addTime(brinkContext *context, timeGrid *grid, double t) {
  brinkStatus status =
      brinkReserve(context, (void **)&grid->times, &grid->capacity, grid->count + 1, sizeof *grid->times);
  if (status == brink_ok) grid->times[grid->count++] = t;
  return status;
}

static brinkStatus makeGrid(brinkContext *context, const brinkRelativeMotion *motion, double tStart, double tEnd,
                            const double reach[3], double deviation, timeGrid *grid) {
  brinkStatus status = addTime(context, grid, tStart);
  double to = tEnd;
  for (double from = tStart; from < tEnd && status == brink_ok;) {
    to = fmin(to, brinkRelativeMotion_NextBreak(motion, from));
    brinkMotionCell cell;
    brinkRelativeMotion_Cell(motion, from, to, &cell);
    const double bend = bendOf(&cell, reach), middle = 0.5 * (from + to);
    if (bend > deviation && to - from > LEAST_WIDTH && middle > from && middle < to) {
      to = middle;
      continue;
    }
    grid->deviation = fmax(grid->deviation, bend);
    status = addTime(context, grid, to);
    const double width = to - from;
    from = to;
    to = fmin(tEnd, from + 2.0 * width);
  }
  return status;
}

/* The first of the grid's times after t. */
static size_t firstAfter(const timeGrid *grid, double t) {
  size_t low = 0, high = grid->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (grid->times[middle] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static brinkStatus addPath(brinkContext *context, const brinkRelativeMotion *motion, const timeGrid *grid,
                           const double x[3], const brinkContactInterval *interval, brinkPathBundle *out) {
  double from = interval->proven ? interval->startUpper : interval->startLower,
         to = interval->proven ? interval->endLower : interval->endUpper;
  if (interval->crosses || !(from < to)) from = to = 0.5 * (from + to);
  size_t at = firstAfter(grid, from), end = at;
  while (end < grid->count && grid->times[end] < to) ++end;
  const size_t count = from == to ? 1 : end - at + 2;
  brinkStatus status = brinkReserve(context, (void **)&out->vertices, &out->vertexCapacity, out->vertexCount + count,
                                    sizeof *out->vertices);
  if (status != brink_ok) return status;
  for (size_t i = 0; i < count; ++i) {
    brinkPathVertex *vertex = &out->vertices[out->vertexCount++];
    double error;
    vertex->t = i == 0 ? from : i + 1 == count ? to : grid->times[at + i - 1];
    brinkRelativeMotion_Point(motion, vertex->t, vertex->t, x, vertex->position, &error);
  }
  return brink_ok;
}

brinkStatus brinkPathBundle_Make(brinkContext *context, const brinkRelativeMotion *motion, double tStart, double tEnd,
                                 const double reach[3], const double *points, const brinkPointSet *set,
                                 double deviation, brinkPathBundle *out) {
  timeGrid grid = {0};
  brinkStatus status = makeGrid(context, motion, tStart, tEnd, reach, deviation, &grid);
  out->vertexCount = out->pathCount = 0;
  out->deviation = grid.deviation;
  const size_t total = set->starts[set->pointCount];
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&out->paths, &out->pathCapacity, total + 1, sizeof *out->paths);
  for (size_t i = 0; i < set->pointCount && status == brink_ok; ++i)
    for (size_t k = set->starts[i]; k < set->starts[i + 1] && status == brink_ok; ++k) {
      const size_t first = out->vertexCount;
      status = addPath(context, motion, &grid, points + 3 * i, &set->intervals[k], out);
      if (status == brink_ok) out->paths[out->pathCount++] = (brinkInnerPath){i, k, first, out->vertexCount - first};
    }
  brinkRelease(context, grid.times, grid.capacity * sizeof *grid.times);
  return status;
}
