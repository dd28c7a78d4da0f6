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
#define CROWD 128u         /* open cells: from here on those that stay near are halved no more */
#define VAIN_LEVELS 12u    /* how often a cell whose work ends is halved still */
#define VAIN_CROWD 24u     /* such cells: from here on only once */
#define CROSSING_CELLS 16u /* open side by side about a crossing: rounding hides it from closer looks */
#define LONG_NEAR 1e-6     /* step time: shorter spells of nearness beside contact belong to its ends */

typedef struct timeCell {
  double l, u;
  uint32_t state;
  bool final; /* open, and not cut any more */
  brinkCellMemory memory;
  uint32_t nearLevels;           /* it and so many cells it was cut from, less one, stay near */
  uint32_t vainLevels;           /* of it and so many, less one, work ended */
  double crossLower, crossUpper; /* the shortest of these cells that is proven to cross; none: 1 and 0 */
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
  bool crowded, vain;
} levelTask;

static void classifyOne(void *data, size_t index) {
  const levelTask *level = data;
  timeCell *cell = &level->cells[level->open[index]];
  uint32_t state = (uint32_t)level->classify(level->problem, cell->l, cell->u, &cell->memory);
  if ((state & brink_cellCrossing) != 0u) {
    cell->crossLower = cell->l;
    cell->crossUpper = cell->u;
  }
  cell->vainLevels = (state & brink_cellVain) != 0u ? cell->vainLevels + 1u : 0u;
  cell->final = cell->vainLevels > (level->vain ? 1u : VAIN_LEVELS);
  cell->nearLevels = (state & brink_cellNear) != 0u ? cell->nearLevels + 1u : 0u;
  cell->state = state & (brink_cellApart | brink_cellContact);
  bool crossed = cell->crossLower < cell->crossUpper; /* a crossing is worth a short bracket */
  if (cell->state == brink_cellOpen && cell->nearLevels > (level->crowded ? 0u : BRINK_NEAR_LEVELS) && !crossed)
    cell->state = brink_cellNear;
}

static brinkStatus firstCells(brinkContext *context, const brinkIntervalQuery *query, cellList *cells) {
  double at = query->tStart;
  brinkStatus status = brink_ok;
  for (size_t i = 0; i <= query->breakCount && status == brink_ok; ++i) {
    double end = i < query->breakCount ? query->breaks[i] : query->tEnd;
    status = append(context, cells,
                    (timeCell){.l = at,
                               .u = end,
                               .state = brink_cellOpen,
                               .memory = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE},
                               .crossLower = 1.0});
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

/* Is a crossing proven that cannot lie but in [from,to)? The rest of the cell it was proven for is apart. */
static bool runCrosses(const timeCell *cells, size_t from, size_t to, size_t count) {
  for (size_t i = from; i < to; ++i) {
    double lower = cells[i].crossLower, upper = cells[i].crossUpper;
    if (!(lower < upper)) continue;
    size_t a = from, b = to;
    while (a > 0 && cells[a - 1].u > lower && cells[a - 1].state == brink_cellApart) --a;
    while (b < count && cells[b].l < upper && cells[b].state == brink_cellApart) ++b;
    if ((a == 0 || cells[a - 1].u <= lower) && (b == count || cells[b].l >= upper)) return true;
  }
  return false;
}

/* Is the open run [from,to) an end or a crossing, and short enough to be left? */
static bool isShortEnd(const cellList *cells, size_t from, size_t to, double tolerance) {
  bool isShort = cells->items[to - 1].u - cells->items[from].l <= tolerance;
  if ((isShort || to - from >= CROSSING_CELLS) && runCrosses(cells->items, from, to, cells->count)) return true;
  if (!isShort) return false;
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
      } else if (open && (stop || !leave) && cell.nearLevels > 0) {
        cell.state = brink_cellNear;
      }
      if (status == brink_ok) status = append(context, next, cell);
    }
  }
  return status;
}

/* Cells from..to-1 as one interval: none is apart. */
static brinkStatus appendRun(brinkContext *context, const timeCell *cells, size_t from, size_t to, size_t count,
                             brinkIntervalSet *set) {
  size_t first = to, last = from;
  uint32_t kind = brink_cellNear;
  for (size_t i = from; i < to; ++i)
    if (cells[i].state == brink_cellContact) kind = brink_cellContact;
  for (size_t i = from; i < to; ++i)
    if (cells[i].state == kind) {
      if (first == to) first = i;
      last = i;
    }
  brinkStatus status = brinkReserve(context, (void **)&set->items, &set->capacity, set->count + 1, sizeof *set->items);
  if (status != brink_ok) return status;
  brinkContactInterval *out = &set->items[set->count++];
  memset(out, 0, sizeof *out);
  bool known = first < to;
  out->near = known && kind == brink_cellNear;
  out->crosses = !known && runCrosses(cells, from, to, count);
  out->proven = (known && kind == brink_cellContact) || out->crosses;
  out->begins = from > 0 || (known && first > from);
  out->ends = to < count || (known && last + 1 < to);
  out->startLower = cells[from].l;
  out->endUpper = cells[to - 1].u;
  out->startUpper = known ? cells[first].l : out->endUpper;
  out->endLower = known ? cells[last].u : out->startLower;
  /* the memory of the open cell at the end says which triangles come together there */
  out->first = cells[known && first > from ? first - 1 : from].memory;
  out->last = cells[known && last + 1 < to ? last + 1 : to - 1].memory;
  if (out->first.triangleA == BRINK_NO_TRIANGLE && known) out->first = cells[first].memory;
  if (out->last.triangleA == BRINK_NO_TRIANGLE && known) out->last = cells[last].memory;
  for (size_t i = first + 1; i < last; ++i)
    if (cells[i].state != kind && cells[i - 1].state == kind) out->openInside += 1;
  for (size_t i = from; i < to; ++i)
    if (cells[i].state == brink_cellOpen) set->openTotal += cells[i].u - cells[i].l;
  return brink_ok;
}

/* One past the first part of the run [from,to): contact, with short spells of nearness, or a long one of these. */
static size_t partEnd(const timeCell *cells, size_t from, size_t to) {
  size_t first = from, last;
  while (first < to && cells[first].state == brink_cellOpen) ++first;
  if (first == to) return to;
  uint32_t kind = cells[first].state;
  last = first; /* of this kind */
  for (size_t i = first; i < to; ++i) {
    if (cells[i].state == brink_cellOpen) continue;
    if (cells[i].state == kind) {
      last = i;
      continue;
    }
    if (kind == brink_cellNear) {
      if (cells[last].u - cells[first].l > LONG_NEAR) return i;
      kind = brink_cellContact;
      last = i;
      continue;
    }
    size_t until = i, end = i;
    for (; end < to && cells[end].state != kind; ++end)
      if (cells[end].state == brink_cellNear) until = end;
    if (cells[until].u - cells[i].l > LONG_NEAR) return i;
  }
  return to;
}

static brinkStatus mergeCells(brinkContext *context, const cellList *cells, brinkIntervalSet *set) {
  brinkStatus status = brink_ok;
  set->count = 0;
  set->openTotal = 0.0;
  for (size_t i = 0; i < cells->count && status == brink_ok;) {
    size_t from = i;
    while (i < cells->count && cells->items[i].state != brink_cellApart) ++i;
    if (i == from) ++i;
    for (size_t end; from < i && cells->items[from].state != brink_cellApart && status == brink_ok; from = end) {
      end = partEnd(cells->items, from, i);
      status = appendRun(context, cells->items, from, end, cells->count, set);
    }
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
    size_t vain = 0;
    for (size_t i = 0; i < count; ++i) vain += cells.items[open[i]].vainLevels > 0 ? 1u : 0u;
    levelTask level = {classify, problem, cells.items, open, count > CROWD, vain > VAIN_CROWD};
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

brinkStatus brinkFindIntervalsOf(brinkContext *context, const brinkRelativeMotion *motion, brinkClassifyCell classify,
                                 const void *problem, const brinkIntervalQuery *query, brinkIntervalSet *set) {
  brinkIntervalQuery cut = *query;
  double *breaks = NULL;
  size_t capacity = 0;
  brinkStatus status =
      brinkCollectBreaks(context, motion, query->tStart, query->tEnd, &breaks, &capacity, &cut.breakCount);
  cut.breaks = breaks;
  if (status == brink_ok) status = brinkFindIntervals(context, classify, problem, &cut, set);
  brinkRelease(context, breaks, capacity * sizeof *breaks);
  return status;
}

static brinkCellState classifyMeshes(const void *problem, double l, double u, brinkCellMemory *memory) {
  return brinkMeshPair_ClassifyClosely(problem, l, u, memory);
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

brinkStatus brinkFindCloseIntervals(brinkContext *context, const brinkCloseQuestion *question,
                                    const brinkIntervalQuery *query, brinkIntervalSet *set) {
  const brinkMeshPair *pair = question->pair;
  brinkCloseQuestion asked = *question;
  brinkIntervalQuery cut = *query;
  cut.leastWidth =
      fmax(cut.leastWidth, 0.25 * brinkResolvableTime(&pair->motion, pair->a, pair->b, query->tStart, query->tEnd));
  asked.thin = brinkHasThinTriangles(pair->a) || brinkHasThinTriangles(pair->b);
  return brinkFindIntervalsOf(context, &pair->motion, classifyMeshes, &asked, &cut, set);
}

brinkStatus brinkFindContactIntervals(brinkContext *context, const brinkMeshPair *pair, const brinkIntervalQuery *query,
                                      brinkIntervalSet *set) {
  const brinkCloseQuestion question = {.pair = pair};
  return brinkFindCloseIntervals(context, &question, query, set);
}

static brinkCellState classifyPatches(const void *problem, double l, double u, brinkCellMemory *memory) {
  return brinkPatchPair_Classify(problem, l, u, memory);
}

brinkStatus brinkFindPatchIntervals(brinkContext *context, const brinkPatchPair *pair, const brinkIntervalQuery *query,
                                    brinkIntervalSet *set) {
  return brinkFindIntervalsOf(context, &pair->motion, classifyPatches, pair, query, set);
}
