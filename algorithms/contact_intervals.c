/* SPDX-License-Identifier: BSD-3-Clause */
/* See contact_intervals.h. Level by level: all open cells are classified (each writes its own slot, so any number of
 * threads gives the same result), those still open are halved. A run of open cells between one that holds and one that
 * does not is an end, and is left alone as soon as the whole run is as short as the tolerance; any other run might
 * still come to nothing and is cut on, down to LEAST_WIDTH. */
#include "contact_intervals.h"

#define LEAST_WIDTH 0x1p-46
#define DEFAULT_OPEN 4096u
#define PARALLEL_LEAST 4u
#define SPEED_CELLS 64

typedef struct timeCell {
  double l, u;
  uint32_t state;
  bool final; /* open, and not cut any more */
  brinkCellMemory memory;
} timeCell;

typedef struct cellList {
  timeCell *items; /* in order of time, without gaps */
  size_t count, capacity;
} cellList;

static brinkStatus append(brinkContext *context, cellList *list, timeCell cell) {
  brinkStatus status = brinkReserve(context, (void **)&list->items, &list->capacity, list->count + 1, sizeof cell);
  if (status == brink_ok) list->items[list->count++] = cell;
  return status;
}

void brinkRunTasks(const brinkParallel *parallel, size_t count, void (*task)(void *data, size_t index), void *data) {
  if (parallel->run != NULL && count >= PARALLEL_LEAST) {
    parallel->run(parallel->user, count, task, data);
    return;
  }
  for (size_t i = 0; i < count; ++i) task(data, i);
}

typedef struct levelTask {
  brinkClassifyCell classify;
  const void *problem;
  timeCell *cells;
  const size_t *open; /* indices of the cells to ask */
} levelTask;

static void classifyOne(void *data, size_t index) {
  const levelTask *level = data;
  timeCell *cell = &level->cells[level->open[index]];
  cell->state = (uint32_t)level->classify(level->problem, cell->l, cell->u, &cell->memory);
}

static brinkStatus firstCells(brinkContext *context, const brinkIntervalQuery *query, cellList *cells) {
  double at = query->tStart;
  brinkStatus status = brink_ok;
  for (size_t i = 0; i <= query->breakCount && status == brink_ok; ++i) {
    double end = i < query->breakCount ? query->breaks[i] : query->tEnd;
    status = append(context, cells, (timeCell){at, end, brink_cellOpen, false, {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE}});
    at = end;
  }
  return status;
}

/* One past the run of equal openness that begins at i. */
static size_t runEnd(const cellList *cells, size_t i) {
  bool open = cells->items[i].state == brink_cellOpen;
  size_t to = i;
  while (to < cells->count && (cells->items[to].state == brink_cellOpen) == open) ++to;
  return to;
}

/* Is the open run [from,to) an end, and short enough to be left? */
static bool isShortEnd(const cellList *cells, size_t from, size_t to, double tolerance) {
  if (cells->items[to - 1].u - cells->items[from].l > tolerance) return false;
  if (from == 0 || to == cells->count) return from > 0 || to < cells->count;
  return cells->items[from - 1].state != cells->items[to].state;
}

/* cells -> next: open cells halved where it is worth it, else made final. */
static brinkStatus cutCells(brinkContext *context, const cellList *cells, double tolerance, double least, bool stop,
                            cellList *next) {
  brinkStatus status = brink_ok;
  next->count = 0;
  for (size_t from = 0, to; from < cells->count && status == brink_ok; from = to) {
    to = runEnd(cells, from);
    bool open = cells->items[from].state == brink_cellOpen,
         leave = stop || (open && isShortEnd(cells, from, to, tolerance));
    for (size_t i = from; i < to && status == brink_ok; ++i) {
      timeCell cell = cells->items[i];
      double middle = 0.5 * (cell.l + cell.u), end = cell.u;
      cell.final = cell.final || leave || cell.u - cell.l <= least || middle <= cell.l || middle >= cell.u;
      if (open && !cell.final) {
        cell.u = middle;
        status = append(context, next, cell);
        cell.l = middle;
        cell.u = end;
      }
      if (status == brink_ok) status = append(context, next, cell);
    }
  }
  return status;
}

/* A maximal run of cells from..to-1 that are not apart. */
static brinkStatus appendRun(brinkContext *context, const timeCell *cells, size_t from, size_t to, size_t count,
                             brinkIntervalSet *set) {
  size_t first = to, last = from;
  for (size_t i = from; i < to; ++i)
    if (cells[i].state == brink_cellContact) {
      if (first == to) first = i;
      last = i;
    }
  brinkStatus status = brinkReserve(context, (void **)&set->items, &set->capacity, set->count + 1, sizeof *set->items);
  if (status != brink_ok) return status;
  brinkContactInterval *out = &set->items[set->count++];
  memset(out, 0, sizeof *out);
  out->proven = first < to;
  out->begins = from > 0 || (first < to && first > from);
  out->ends = to < count || (first < to && last + 1 < to);
  out->startLower = cells[from].l;
  out->endUpper = cells[to - 1].u;
  out->startUpper = out->proven ? cells[first].l : out->endUpper;
  out->endLower = out->proven ? cells[last].u : out->startLower;
  /* the memory of the open cell at the end says which triangles come together there */
  out->first = cells[out->proven && first > from ? first - 1 : from].memory;
  out->last = cells[out->proven && last + 1 < to ? last + 1 : to - 1].memory;
  if (out->first.triangleA == BRINK_NO_TRIANGLE && out->proven) out->first = cells[first].memory;
  if (out->last.triangleA == BRINK_NO_TRIANGLE && out->proven) out->last = cells[last].memory;
  for (size_t i = first + 1; i < last; ++i)
    if (cells[i].state == brink_cellOpen && cells[i - 1].state == brink_cellContact) out->openInside += 1;
  for (size_t i = from; i < to; ++i)
    if (cells[i].state == brink_cellOpen) set->openTotal += cells[i].u - cells[i].l;
  return brink_ok;
}

static brinkStatus mergeCells(brinkContext *context, const cellList *cells, brinkIntervalSet *set) {
  brinkStatus status = brink_ok;
  set->count = 0;
  set->openTotal = 0.0;
  for (size_t i = 0; i < cells->count && status == brink_ok;) {
    size_t from = i;
    while (i < cells->count && cells->items[i].state != brink_cellApart) ++i;
    if (i > from)
      status = appendRun(context, cells->items, from, i, cells->count, set);
    else
      ++i;
  }
  return status;
}

/* Indices of the open cells that may still be asked; their number. */
static brinkStatus listOpen(brinkContext *context, const cellList *cells, size_t **open, size_t *capacity,
                            size_t *count) {
  *count = 0;
  brinkStatus status = brinkReserve(context, (void **)open, capacity, cells->count, sizeof **open);
  for (size_t i = 0; i < cells->count && status == brink_ok; ++i)
    if (cells->items[i].state == brink_cellOpen && !cells->items[i].final) (*open)[(*count)++] = i;
  return status;
}

brinkStatus brinkFindIntervals(brinkContext *context, brinkClassifyCell classify, const void *problem,
                               const brinkIntervalQuery *query, brinkIntervalSet *set) {
  cellList cells = {0}, next = {0};
  size_t *open = NULL, capacity = 0, count = 0, most = query->maxOpen > 0 ? query->maxOpen : DEFAULT_OPEN;
  double least = fmax(query->leastWidth, LEAST_WIDTH);
  brinkStatus status = firstCells(context, query, &cells);
  if (status == brink_ok) status = listOpen(context, &cells, &open, &capacity, &count);
  set->cells = 0;
  while (status == brink_ok && count > 0) {
    levelTask level = {classify, problem, cells.items, open};
    brinkRunTasks(&query->parallel, count, classifyOne, &level);
    set->cells += count;
    status = listOpen(context, &cells, &open, &capacity, &count);
    if (status == brink_ok) status = cutCells(context, &cells, query->timeTolerance, least, count > most, &next);
    cellList swap = cells;
    cells = next;
    next = swap;
    if (status == brink_ok) status = listOpen(context, &cells, &open, &capacity, &count);
  }
  if (status == brink_ok) status = mergeCells(context, &cells, set);
  brinkRelease(context, cells.items, cells.capacity * sizeof *cells.items);
  brinkRelease(context, next.items, next.capacity * sizeof *next.items);
  brinkRelease(context, open, capacity * sizeof *open);
  return status;
}

void brinkIntervalSet_Free(brinkContext *context, brinkIntervalSet *set) {
  brinkRelease(context, set->items, set->capacity * sizeof *set->items);
  memset(set, 0, sizeof *set);
}

brinkStatus brinkCollectBreaks(brinkContext *context, const brinkRelativeMotion *motion, double tStart, double tEnd,
                               double **breaks, size_t *capacity, size_t *count) {
  brinkStatus status = brink_ok;
  *count = 0;
  for (double t = brinkRelativeMotion_NextBreak(motion, tStart); t < tEnd && status == brink_ok;
       t = brinkRelativeMotion_NextBreak(motion, t)) {
    status = brinkReserve(context, (void **)breaks, capacity, *count + 1, sizeof **breaks);
    if (status == brink_ok) (*breaks)[(*count)++] = t;
  }
  return status;
}

static brinkCellState classifyMeshes(const void *problem, double l, double u, brinkCellMemory *memory) {
  return brinkMeshPair_Classify(problem, l, u, memory);
}

double brinkResolvableTime(const brinkRelativeMotion *motion, const brinkInverseMesh *a, const brinkInverseMesh *b,
                           double tStart, double tEnd) {
  double speed = 0.0, width = (tEnd - tStart) / SPEED_CELLS, thick = 0.0;
  if (a->error == 0.0 && b->error == 0.0) return 0.0;
  for (int k = 0; k < SPEED_CELLS; ++k) {
    double at[2][12], error[12], sum = 0.0, stretch = 0.0;
    for (int e = 0; e < 2; ++e) brinkRelativeMotion_At(motion, tStart + (k + e) * width, at[e], error);
    for (int i = 0; i < 3; ++i) {
      double d = fabs(at[1][4 * i + 3] - at[0][4 * i + 3]);
      for (int j = 0; j < 3; ++j) {
        d += fabs(at[1][4 * i + j] - at[0][4 * i + j]) * b->reach[j];
        stretch = fmax(stretch, fabs(at[0][4 * i + j]));
      }
      sum = fmax(sum, d);
    }
    speed = fmax(speed, sum / width);
    thick = fmax(thick, a->error + stretch * b->error);
  }
  return speed > 0.0 ? thick / speed : 0.0;
}

brinkStatus brinkFindContactIntervals(brinkContext *context, const brinkMeshPair *pair, const brinkIntervalQuery *query,
                                      brinkIntervalSet *set) {
  brinkIntervalQuery cut = *query;
  double *breaks = NULL;
  size_t capacity = 0;
  brinkStatus status =
      brinkCollectBreaks(context, &pair->motion, query->tStart, query->tEnd, &breaks, &capacity, &cut.breakCount);
  cut.breaks = breaks;
  cut.leastWidth =
      fmax(cut.leastWidth, 0.25 * brinkResolvableTime(&pair->motion, pair->a, pair->b, query->tStart, query->tEnd));
  if (status == brink_ok) status = brinkFindIntervals(context, classifyMeshes, pair, &cut, set);
  brinkRelease(context, breaks, capacity * sizeof *breaks);
  return status;
}

static brinkCellState classifyPatches(const void *problem, double l, double u, brinkCellMemory *memory) {
  return brinkPatchPair_Classify(problem, l, u, memory);
}

brinkStatus brinkFindPatchIntervals(brinkContext *context, const brinkPatchPair *pair, const brinkIntervalQuery *query,
                                    brinkIntervalSet *set) {
  brinkIntervalQuery cut = *query;
  double *breaks = NULL;
  size_t capacity = 0;
  brinkStatus status =
      brinkCollectBreaks(context, &pair->motion, query->tStart, query->tEnd, &breaks, &capacity, &cut.breakCount);
  cut.breaks = breaks;
  if (status == brink_ok) status = brinkFindIntervals(context, classifyPatches, pair, &cut, set);
  brinkRelease(context, breaks, capacity * sizeof *breaks);
  return status;
}
