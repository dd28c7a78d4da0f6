/* SPDX-License-Identifier: BSD-3-Clause */
/* See point_contacts.h. A piece of time is clear when the path over it is proven off A's surface; then one exact
 * in/out test settles the whole piece. Pieces that are not clear are cut: where the path is predicted to cross the triangle in
 * its way, with a narrow piece around that, else in the middle. A narrow piece between out and in is a crossing that is proven by
 * its two sides. */
#include "point_contacts.h"

#define TABLE_DEPTH 8u /* of all stretches together */
#define TABLE_LEAST 2u
#define DEFAULT_CELLS 20000u
#define STACK_CAPACITY 256
#define PIECE_CAPACITY 2048
#define LEAST_WIDTH 0x1p-46

/* ---- table */

static size_t heapSize(uint32_t depth) { return ((size_t)2 << depth) - 1; }

static void fillHeap(const brinkMotionTable *table, brinkMotionCell *heap, size_t at, double l, double u) {
  if (at >= heapSize(table->depth)) return;
  brinkRelativeMotion_Cell(&table->motion, l, u, &heap[at]);
  double middle = 0.5 * (l + u);
  fillHeap(table, heap, 2 * at + 1, l, middle);
  fillHeap(table, heap, 2 * at + 2, middle, u);
}

brinkStatus brinkMotionTable_Make(brinkContext *context, const brinkRelativeMotion *motion, double tStart, double tEnd,
                                  brinkMotionTable *out) {
  double *breaks = NULL;
  size_t capacity = 0, count = 0;
  brinkStatus status = brinkCollectBreaks(context, motion, tStart, tEnd, &breaks, &capacity, &count);
  brinkMotionTable table = {.motion = *motion, .stretches = count + 1, .depth = TABLE_DEPTH};
  while (table.depth > TABLE_LEAST && ((count + 1) << table.depth) > ((size_t)2 << TABLE_DEPTH)) --table.depth;
  if (status == brink_ok) {
    table.cells = brinkAllocate(context, table.stretches * heapSize(table.depth) * sizeof *table.cells);
    if (table.cells == NULL) status = brinkFail(context, brink_errorNoMemory, "no memory for a motion of %zu stretches", count + 1);
  }
  for (size_t i = 0; i <= count && status == brink_ok; ++i)
    fillHeap(&table, table.cells + i * heapSize(table.depth), 0, i == 0 ? tStart : breaks[i - 1], i == count ? tEnd : breaks[i]);
  brinkRelease(context, breaks, capacity * sizeof *breaks);
  if (status == brink_ok) *out = table;
  return status;
}

void brinkMotionTable_Free(brinkContext *context, brinkMotionTable *table) {
  brinkRelease(context, table->cells, table->stretches * heapSize(table->depth) * sizeof *table->cells);
  memset(table, 0, sizeof *table);
}

/* ---- one piece of a path */

typedef struct pathCell {
  double l, u;
  size_t heap; /* index in the stretch's heap; SIZE_MAX: not of the table */
  size_t stretch;
} pathCell;

typedef enum pieceState { piece_out = 0, piece_in = 1, piece_open = 2 } pieceState;

typedef struct piece {
  double l, u;
  uint32_t state, triangle;
} piece;

typedef struct pathWalk {
  const brinkInverseTarget *a;
  const brinkMotionTable *table;
  const double *x;
  const brinkPointQuery *query;
  double reachA[3], reachB[3], errorA;
} pathWalk;

static void placePath(const pathWalk *self, const pathCell *cell, brinkPlacedCell *out) {
  if (cell->heap != SIZE_MAX) {
    out->cell = self->table->cells[cell->stretch * heapSize(self->table->depth) + cell->heap];
    brinkPlaceKnownCell(self->reachA, self->errorA, self->reachB, self->query->errorB, out);
  } else {
    brinkPlaceCell(&self->table->motion, cell->l, cell->u, self->reachA, self->errorA, self->reachB, self->query->errorB, out);
  }
}

static void implicitOver(const brinkImplicitSolid *solid, const double p[3], const double q[3], const double slack[3],
                         double out[2]) {
  double low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = fmin(p[k], q[k]) - slack[k];
    high[k] = fmax(p[k], q[k]) + slack[k];
  }
  out[0] = -HUGE_VAL;
  out[1] = HUGE_VAL;
  const double from[3] = {solid->box.lower.x, solid->box.lower.y, solid->box.lower.z},
               to[3] = {solid->box.upper.x, solid->box.upper.y, solid->box.upper.z};
  for (int k = 0; k < 3; ++k)
    if (low[k] > to[k] || high[k] < from[k]) {
      out[0] = out[1] = HUGE_VAL;
      return;
    }
  solid->bound(solid->user, low, high, out);
}

/* Values that change sign where the path is expected to meet what is in its way: at the piece's ends. */
typedef struct obstacle {
  uint32_t triangle;
  double values[2], doubt; /* doubt: how far they may bend between */
} obstacle;

static void planeObstacle(const brinkInverseMesh *mesh, const brinkPlacedCell *placed, const double x[3], obstacle *out) {
  const double *a = brinkInverseMesh_Vertex(mesh, out->triangle, 0), *b = brinkInverseMesh_Vertex(mesh, out->triangle, 1),
               *c = brinkInverseMesh_Vertex(mesh, out->triangle, 2);
  brinkVec3 n = brinkCross(brinkSub(brinkV3_FromArray(b), brinkV3_FromArray(a)), brinkSub(brinkV3_FromArray(c), brinkV3_FromArray(a)));
  for (int e = 0; e < 2; ++e) {
    double y[3];
    brinkApply34(placed->cell.at[e], x, y);
    out->values[e] = brinkDot(n, brinkSub(brinkV3_FromArray(y), brinkV3_FromArray(a)));
  }
  out->doubt = fabs(n.x) * placed->slack[0] + fabs(n.y) * placed->slack[1] + fabs(n.z) * placed->slack[2];
}

/* true: clear, *inside says which side (asked only when unknown, -1). false: *met says what is in the way. */
static bool askPiece(const pathWalk *self, const pathCell *cell, int *inside, obstacle *met) {
  brinkPlacedCell placed;
  placePath(self, cell, &placed);
  met->triangle = 0;
  met->values[0] = met->values[1] = met->doubt = 0.0;
  for (int k = 0; k < 3; ++k)
    if (!isfinite(placed.slack[k])) return false;
  double p[3], q[3];
  brinkApply34(placed.cell.at[0], self->x, p);
  brinkApply34(placed.cell.at[1], self->x, q);
  if (self->a->mesh != NULL) {
    if (!brinkPathIsClear(self->a->mesh, &placed, self->x, &met->triangle)) {
      planeObstacle(self->a->mesh, &placed, self->x, met);
      return false;
    }
    if (*inside >= 0) return true;
    double middle[3];
    brinkApply34(placed.cell.middle, self->x, middle);
    *inside = brinkInverseMesh_Contains(self->a->mesh, middle);
    return *inside >= 0;
  }
  double range[2];
  implicitOver(self->a->implicit, p, q, placed.slack, range);
  if (range[0] > 0.0 || range[1] < 0.0) {
    *inside = range[1] < 0.0 ? 1 : 0;
    return true;
  }
  implicitOver(self->a->implicit, p, p, placed.slack, range);
  met->values[0] = isfinite(range[0] + range[1]) ? 0.5 * (range[0] + range[1]) : range[0] > 0 ? 1.0 : 0.0;
  implicitOver(self->a->implicit, q, q, placed.slack, range);
  met->values[1] = isfinite(range[0] + range[1]) ? 0.5 * (range[0] + range[1]) : range[0] > 0 ? 1.0 : 0.0;
  met->doubt = 0.05 * fabs(met->values[0] - met->values[1]);
  return false;
}

/* Pieces of the cell, last one first, on the stack; true when cut. */
static bool cutPiece(const pathWalk *self, const pathCell *cell, const obstacle *met, pathCell *stack, size_t *count) {
  double l = cell->l, u = cell->u, width = u - l, tolerance = fmax(self->query->timeTolerance, LEAST_WIDTH);
  if (width <= tolerance || *count + 3 > STACK_CAPACITY) return false;
  if (cell->heap != SIZE_MAX && 2 * cell->heap + 2 < heapSize(self->table->depth)) {
    double middle = 0.5 * (l + u);
    stack[(*count)++] = (pathCell){middle, u, 2 * cell->heap + 2, cell->stretch};
    stack[(*count)++] = (pathCell){l, middle, 2 * cell->heap + 1, cell->stretch};
    return true;
  }
  double v0 = met->values[0], v1 = met->values[1], middle = 0.5 * (l + u);
  if ((v0 < 0) != (v1 < 0) && v0 != v1) {
    double root = l + width * (v0 / (v0 - v1)), around = 2.0 * width * met->doubt / fabs(v0 - v1) + 0.25 * tolerance;
    double from = root - around, to = root + around;
    if (around < 0.2 * width && to - from < 0.5 * width) {
      if (to < u) stack[(*count)++] = (pathCell){to, u, SIZE_MAX, cell->stretch};
      stack[(*count)++] = (pathCell){fmax(from, l), fmin(to, u), SIZE_MAX, cell->stretch};
      if (from > l) stack[(*count)++] = (pathCell){l, from, SIZE_MAX, cell->stretch};
      return true;
    }
  }
  if (middle <= l || middle >= u) return false;
  stack[(*count)++] = (pathCell){middle, u, SIZE_MAX, cell->stretch};
  stack[(*count)++] = (pathCell){l, middle, SIZE_MAX, cell->stretch};
  return true;
}

/* ---- from pieces to intervals */

/* Does the path go through the triangle, from one side to the other, during the open piece? */
static bool crossingIsProven(const pathWalk *self, const piece *open, double least, double most) {
  double width = fmax(open->u - open->l, LEAST_WIDTH);
  for (int pass = 0; pass < 3; ++pass, width *= 8.0) {
    pathCell cell = {fmax(open->l - width, least), fmin(open->u + width, most), SIZE_MAX, 0};
    brinkPlacedCell placed;
    placePath(self, &cell, &placed);
    if (brinkPathCrosses(self->a->mesh, &placed, self->x, open->triangle)) return true;
  }
  return false;
}

/* Appends a piece; neighbours of one state become one. false: no room. */
static bool appendPiece(piece *pieces, size_t *count, piece next) {
  if (*count > 0 && pieces[*count - 1].state == next.state) {
    pieces[*count - 1].u = next.u;
    return true;
  }
  if (*count == PIECE_CAPACITY) return false;
  pieces[(*count)++] = next;
  return true;
}

/* Pieces from..to-1 are not out. */
static brinkContactInterval intervalOf(const piece *pieces, size_t from, size_t to, size_t count) {
  brinkContactInterval r;
  size_t first = to, last = from;
  memset(&r, 0, sizeof r);
  for (size_t i = from; i < to; ++i)
    if (pieces[i].state == piece_in) {
      if (first == to) first = i;
      last = i;
    }
  r.proven = first < to;
  r.begins = from > 0 || (r.proven && first > from);
  r.ends = to < count || (r.proven && last + 1 < to);
  r.startLower = pieces[from].l;
  r.endUpper = pieces[to - 1].u;
  r.startUpper = r.proven ? pieces[first].l : r.endUpper;
  r.endLower = r.proven ? pieces[last].u : r.startLower;
  r.first = (brinkCellMemory){pieces[from].state == piece_open ? pieces[from].triangle : BRINK_NO_TRIANGLE, 0};
  r.last = (brinkCellMemory){pieces[to - 1].state == piece_open ? pieces[to - 1].triangle : BRINK_NO_TRIANGLE, 0};
  for (size_t i = first + 1; i < last; ++i) r.openInside += pieces[i].state == piece_open ? 1u : 0u;
  return r;
}

static size_t gather(const pathWalk *self, const piece *pieces, size_t count, brinkContactInterval *out, size_t capacity) {
  bool solid = self->a->implicit != NULL || self->a->mesh->solid;
  size_t found = 0;
  for (size_t i = 0; i < count;) {
    size_t from = i;
    while (i < count && pieces[i].state != piece_out) ++i;
    if (i == from) {
      ++i;
      continue;
    }
    brinkContactInterval one = intervalOf(pieces, from, i, count);
    if (!solid) one.proven = crossingIsProven(self, &pieces[from], pieces[0].l, pieces[count - 1].u);
    if (found < capacity) out[found] = one;
    found += 1;
  }
  return found;
}

size_t brinkPointContacts(const brinkInverseTarget *a, const brinkMotionTable *table, const double x[3],
                          const brinkPointQuery *query, brinkContactInterval *out, size_t capacity) {
  pathWalk self = {.a = a, .table = table, .x = x, .query = query};
  pathCell stack[STACK_CAPACITY];
  piece pieces[PIECE_CAPACITY];
  size_t pieceCount = 0;
  uint32_t cells = 0, most = query->maxCells > 0 ? query->maxCells : DEFAULT_CELLS;
  for (int k = 0; k < 3; ++k) {
    self.reachB[k] = fabs(x[k]);
    if (a->mesh != NULL) self.reachA[k] = a->mesh->reach[k];
  }
  if (a->implicit != NULL) {
    const brinkAabb *box = &a->implicit->box;
    self.reachA[0] = fmax(fabs(box->lower.x), fabs(box->upper.x));
    self.reachA[1] = fmax(fabs(box->lower.y), fabs(box->upper.y));
    self.reachA[2] = fmax(fabs(box->lower.z), fabs(box->upper.z));
  }
  self.errorA = a->mesh != NULL ? a->mesh->error : 0.0;
  int inside = -1;
  for (size_t s = 0; s < table->stretches; ++s) {
    const brinkMotionCell *root = &table->cells[s * heapSize(table->depth)];
    size_t count = 1;
    stack[0] = (pathCell){root->l, root->u, 0, s};
    while (count > 0) {
      pathCell cell = stack[--count];
      obstacle met;
      int asked = inside;
      bool clear = ++cells <= most && askPiece(&self, &cell, &asked, &met);
      if (!clear && cells <= most && cutPiece(&self, &cell, &met, stack, &count)) continue;
      piece next = {cell.l, cell.u, clear ? (asked > 0 ? piece_in : piece_out) : piece_open, clear ? BRINK_NO_TRIANGLE : met.triangle};
      if (cells > most) next.triangle = BRINK_NO_TRIANGLE;
      inside = clear ? asked : -1;
      if (!appendPiece(pieces, &pieceCount, next)) pieces[pieceCount - 1] = (piece){pieces[pieceCount - 1].l, cell.u, piece_open, BRINK_NO_TRIANGLE};
    }
  }
  return gather(&self, pieces, pieceCount, out, capacity);
}

/* ---- faces */

void brinkListLeaves(const brinkInverseMesh *mesh, uint32_t *leaves) {
  for (size_t i = 0; i < 2 * mesh->triangleCount - 1; ++i)
    if (mesh->nodes[i].right == 0) leaves[mesh->nodes[i].triangle] = (uint32_t)i;
}

/* From one end of [from,to] towards the other: the first time that is proven contact (*sure) and the first that is not proven
 * apart (*doubt). forward: from `from` on. Returns what was found. */
static brinkCellState scanFace(const brinkMeshPair *pair, double from, double to, double tolerance, bool forward,
                               double *doubt, double *sure, brinkCellMemory *memory, bool *doubted) {
  struct {
    double l, u;
    brinkCellMemory memory;
  } stack[STACK_CAPACITY];
  size_t count = 1;
  stack[0].l = from;
  stack[0].u = to;
  stack[0].memory = *memory;
  while (count > 0) {
    --count;
    double l = stack[count].l, u = stack[count].u, middle = 0.5 * (l + u);
    brinkCellMemory now = stack[count].memory;
    brinkCellState state = brinkMeshPair_Classify(pair, l, u, &now);
    *memory = now;
    if (state == brink_cellApart) continue;
    if (state == brink_cellContact || u - l <= tolerance || count + 2 > STACK_CAPACITY) {
      if (!*doubted) *doubt = forward ? l : u;
      *doubted = true;
      *sure = forward ? (state == brink_cellContact ? l : u) : (state == brink_cellContact ? u : l);
      if (state == brink_cellContact) return brink_cellContact;
      continue;
    }
    for (int k = 0; k < 2; ++k) {
      bool early = (k == 1) == forward; /* the last pushed is the first asked */
      stack[count].l = early ? l : middle;
      stack[count].u = early ? middle : u;
      stack[count++].memory = now;
    }
  }
  return *doubted ? brink_cellOpen : brink_cellApart;
}

void brinkFaceContacts(const brinkMeshPair *pair, double tStart, double tEnd, double timeTolerance, const double *breaks,
                       size_t breakCount, brinkFaceContact *out) {
  double tolerance = fmax(0.0625 * timeTolerance, LEAST_WIDTH); /* several cells may stay open */
  brinkFaceContact r;
  memset(&r, 0, sizeof r);
  r.state = brink_cellApart;
  brinkCellMemory memory = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE};
  bool doubted = false;
  for (size_t i = 0; i <= breakCount && r.state != brink_cellContact; ++i)
    r.state = (uint32_t)scanFace(pair, i == 0 ? tStart : breaks[i - 1], i == breakCount ? tEnd : breaks[i], tolerance, true,
                                 &r.entryLower, &r.entryUpper, &memory, &doubted);
  if (r.state == brink_cellApart) {
    *out = r;
    return;
  }
  bool late = false;
  uint32_t back = brink_cellApart;
  for (size_t i = breakCount + 1; i-- > 0 && back != brink_cellContact;)
    back = (uint32_t)scanFace(pair, i == 0 ? tStart : breaks[i - 1], i == breakCount ? tEnd : breaks[i], tolerance, false,
                              &r.exitUpper, &r.exitLower, &memory, &late);
  if (!late) r.exitLower = r.exitUpper = r.entryUpper;
  *out = r;
}
