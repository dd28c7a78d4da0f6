/* SPDX-License-Identifier: BSD-3-Clause */
/* See point_contacts.h. A piece of time is clear when the path over it is proven off A's surface; then one exact
 * in/out test settles the whole piece. Pieces that are not clear are cut: where the path is predicted to cross the
 * triangle in its way, with a narrow piece around that, else in the middle. A narrow piece between out and in is a
 * crossing that is proven by its two sides. */
#include "point_contacts.h"

#define TABLE_DEPTH 8u /* of all stretches together */
#define TABLE_LEAST 2u
#define DEFAULT_CELLS 20000u
#define STACK_CAPACITY 256
#define PIECE_CAPACITY 2048
#define FACE_STACK 96 /* depth-first: one cell a level stays behind */
#define LEAST_WIDTH 0x1p-46
#define VAIN_WIDTH 0x1p-9 /* of a stretch: cells whose work ends are halved down to this */
#define BLURRED_CELLS 64u /* of a face of bodies known up to an error: cells that are halved in one direction */

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
    if (table.cells == NULL)
      status = brinkFail(context, brink_errorNoMemory, "no memory for a motion of %zu stretches", count + 1);
  }
  for (size_t i = 0; i <= count && status == brink_ok; ++i)
    fillHeap(&table, table.cells + i * heapSize(table.depth), 0, i == 0 ? tStart : breaks[i - 1],
             i == count ? tEnd : breaks[i]);
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
  size_t heap; /* of the stretch's heap: the cell itself, or (own) the one it is part of */
  size_t stretch;
  bool own;
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

/* Curves of the nearest cell of the table that holds the piece, scaled: |bend| goes with the square of the width.
 * blur: what of the slack is not bend. */
static void placePath(const pathWalk *self, const pathCell *cell, brinkPathPiece *out, double blur[3]) {
  const brinkMotionCell *known = &self->table->cells[cell->stretch * heapSize(self->table->depth) + cell->heap];
  double width = known->u - known->l, part = width > 0.0 ? (cell->u - cell->l) / width : 0.0, error[2], stretch[3],
         reach[3];
  brinkRelativeMotion_Point(&self->table->motion, cell->l, 0.5 * (known->l + known->u), self->x, out->p, &error[0]);
  brinkRelativeMotion_Point(&self->table->motion, cell->u, 0.5 * (known->l + known->u), self->x, out->q, &error[1]);
  part = fmin(part * part * (1.0 + 1e-9), 1.0);
  for (int i = 0; i < 3; ++i) {
    double bend = known->curve[4 * i + 3];
    stretch[i] = 0.0; /* squared: how far a row takes what is 1 off */
    for (int j = 0; j < 3; ++j) {
      double most = fmax(fabs(known->at[0][4 * i + j]), fabs(known->at[1][4 * i + j])) + known->curve[4 * i + j] +
                    known->error[4 * i + j];
      stretch[i] += most * most;
      bend += known->curve[4 * i + j] * self->reachB[j];
    }
    reach[i] = fmax(fabs(out->p[i]), fabs(out->q[i])) + self->reachA[i];
    out->slack[i] = bend * part + 32.0 * DBL_EPSILON * reach[i];
  }
  for (int i = 0; i < 3; ++i) {
    double thick = self->errorA + (self->query->errorB > 0.0 ? self->query->errorB * sqrt(stretch[i]) : 0.0) +
                   fmax(error[0], error[1]);
    blur[i] = 32.0 * DBL_EPSILON * reach[i] + thick;
    out->slack[i] = (out->slack[i] + thick) * (1.0 + 1e-12) + DBL_MIN;
    if (!isfinite(out->slack[i])) out->slack[i] = HUGE_VAL;
  }
}

static void implicitOver(const brinkImplicitSolid *solid, const double p[3], const double q[3], const double slack[3],
                         double out[2]) {
  double spots[2][3];
  memcpy(spots[0], p, sizeof spots[0]);
  memcpy(spots[1], q, sizeof spots[1]);
  brinkImplicitSolid_Over(solid, (const double(*)[3])spots, 2, slack, out);
}

/* Values that change sign where the path is expected to meet what is in its way: at the piece's ends. */
typedef struct obstacle {
  uint32_t triangle;
  double values[2], doubt; /* doubt: how far they may bend between */
  bool near;               /* all the time no farther from it than can be told from touching */
} obstacle;

/* Do both ends lie over the triangle, or beside it by no more than `margin`? n: its normal. */
static bool endsAreOver(const double *const corners[3], brinkVec3 n, const brinkPathPiece *path, double margin) {
  for (int k = 0; k < 3; ++k) {
    const brinkVec3 from = brinkV3_FromArray(corners[k]),
                    side = brinkSub(brinkV3_FromArray(corners[(k + 1) % 3]), from), inward = brinkCross(n, side);
    const double least = -margin * brinkLength(inward);
    if (brinkDot(inward, brinkSub(brinkV3_FromArray(path->p), from)) < least ||
        brinkDot(inward, brinkSub(brinkV3_FromArray(path->q), from)) < least)
      return false;
  }
  return true;
}

static void planeObstacle(const brinkInverseMesh *mesh, const brinkPathPiece *path, const double blur[3],
                          obstacle *out) {
  const double *a = brinkInverseMesh_Vertex(mesh, out->triangle, 0),
               *b = brinkInverseMesh_Vertex(mesh, out->triangle, 1),
               *c = brinkInverseMesh_Vertex(mesh, out->triangle, 2);
  brinkVec3 n = brinkCross(brinkSub(brinkV3_FromArray(b), brinkV3_FromArray(a)),
                           brinkSub(brinkV3_FromArray(c), brinkV3_FromArray(a)));
  out->values[0] = brinkDot(n, brinkSub(brinkV3_FromArray(path->p), brinkV3_FromArray(a)));
  out->values[1] = brinkDot(n, brinkSub(brinkV3_FromArray(path->q), brinkV3_FromArray(a)));
  out->doubt = fabs(n.x) * path->slack[0] + fabs(n.y) * path->slack[1] + fabs(n.z) * path->slack[2];
  const double limit = BRINK_NEAR_ROUNDING * (fabs(n.x) * blur[0] + fabs(n.y) * blur[1] + fabs(n.z) * blur[2]);
  out->near = out->doubt <= limit && fabs(out->values[0]) <= limit && fabs(out->values[1]) <= limit &&
              endsAreOver((const double *const[3]){a, b, c}, n, path,
                          BRINK_NEAR_ROUNDING * fmax(blur[0], fmax(blur[1], blur[2])));
}

static double implicitValue(const brinkImplicitSolid *solid, const double p[3], const double slack[3]) {
  double range[2];
  implicitOver(solid, p, p, slack, range);
  return isfinite(range[0] + range[1]) ? 0.5 * (range[0] + range[1]) : range[0] > 0.0 ? 1.0 : 0.0;
}

/* true: clear, *inside says which side (asked only when unknown, -1). false: *met says what is in the way. */
static bool askPiece(const pathWalk *self, const pathCell *cell, int *inside, obstacle *met) {
  brinkPathPiece path;
  double blur[3];
  placePath(self, cell, &path, blur);
  met->near = false;
  met->triangle = 0;
  met->values[0] = met->values[1] = met->doubt = 0.0;
  for (int k = 0; k < 3; ++k)
    if (!isfinite(path.slack[k])) return false;
  if (self->a->mesh != NULL) {
    if (!brinkPathIsClear(self->a->mesh, &path, &met->triangle)) {
      planeObstacle(self->a->mesh, &path, blur, met);
      return false;
    }
    if (*inside < 0)
      *inside = brinkInverseMesh_Contains(self->a->mesh, path.p); /* p may be off by rounding; slack held that clear */
    return *inside >= 0;
  }
  double range[2];
  implicitOver(self->a->implicit, path.p, path.q, path.slack, range);
  if (range[0] > 0.0 || range[1] < 0.0) {
    *inside = range[1] < 0.0 ? 1 : 0;
    return true;
  }
  met->values[0] = implicitValue(self->a->implicit, path.p, path.slack);
  met->values[1] = implicitValue(self->a->implicit, path.q, path.slack);
  met->doubt = 0.05 * fabs(met->values[0] - met->values[1]);
  return false;
}

/* Pieces of the cell, last one first, on the stack; true when cut. */
static bool cutPiece(const pathWalk *self, const pathCell *cell, const obstacle *met, pathCell *stack, size_t *count) {
  double l = cell->l, u = cell->u, width = u - l, tolerance = fmax(0.25 * self->query->timeTolerance, LEAST_WIDTH);
  if (met->near || width <= tolerance || *count + 3 > STACK_CAPACITY) return false;
  double middle = 0.5 * (l + u);
  if (!cell->own && 2 * cell->heap + 2 < heapSize(self->table->depth)) {
    stack[(*count)++] = (pathCell){middle, u, 2 * cell->heap + 2, cell->stretch, false};
    stack[(*count)++] = (pathCell){l, middle, 2 * cell->heap + 1, cell->stretch, false};
    return true;
  }
  double v0 = met->values[0], v1 = met->values[1];
  if ((v0 < 0) != (v1 < 0) && v0 != v1) {
    double root = l + width * (v0 / (v0 - v1)), around = 2.0 * width * met->doubt / fabs(v0 - v1) + 0.25 * tolerance;
    double from = root - around, to = root + around;
    if (around < 0.2 * width && to - from < 0.5 * width) {
      if (to < u) stack[(*count)++] = (pathCell){to, u, cell->heap, cell->stretch, true};
      stack[(*count)++] = (pathCell){fmax(from, l), fmin(to, u), cell->heap, cell->stretch, true};
      if (from > l) stack[(*count)++] = (pathCell){l, from, cell->heap, cell->stretch, true};
      return true;
    }
  }
  if (middle <= l || middle >= u) return false;
  stack[(*count)++] = (pathCell){middle, u, cell->heap, cell->stretch, true};
  stack[(*count)++] = (pathCell){l, middle, cell->heap, cell->stretch, true};
  return true;
}

static pathWalk walkOf(const brinkInverseTarget *a, const brinkMotionTable *table, const double x[3],
                       const brinkPointQuery *query) {
  pathWalk self = {.a = a, .table = table, .x = x, .query = query};
  for (int k = 0; k < 3; ++k) {
    self.reachB[k] = fabs(x[k]);
    if (a->mesh != NULL) self.reachA[k] = a->mesh->reach[k];
  }
  if (a->implicit != NULL) brinkImplicitSolid_Reach(a->implicit, self.reachA);
  self.errorA = a->mesh != NULL ? a->mesh->error : 0.0;
  return self;
}

/* ---- from pieces to intervals */

/* [l,u] as part of the smallest cell of the table that holds it; false: it spans a break. */
static bool findCell(const brinkMotionTable *table, double l, double u, pathCell *out) {
  for (size_t s = 0; s < table->stretches; ++s) {
    const brinkMotionCell *heap = &table->cells[s * heapSize(table->depth)];
    if (l < heap->l || u > heap->u) continue;
    size_t at = 0;
    for (size_t child = 1; child + 1 < heapSize(table->depth); child = 2 * at + 1) {
      if (l >= heap[child].l && u <= heap[child].u)
        at = child;
      else if (l >= heap[child + 1].l && u <= heap[child + 1].u)
        at = child + 1;
      else
        break;
    }
    *out = (pathCell){l, u, at, s, true};
    return true;
  }
  return false;
}

/* Does the path go through the triangle, from one side to the other, during the open piece? */
static bool crossingIsProven(const pathWalk *self, const piece *open, double least, double most) {
  double width = fmax(open->u - open->l, LEAST_WIDTH);
  for (int pass = 0; pass < 3; ++pass, width *= 8.0) {
    pathCell cell;
    brinkPathPiece path;
    double blur[3];
    if (!findCell(self->table, fmax(open->l - width, least), fmin(open->u + width, most), &cell)) return false;
    placePath(self, &cell, &path, blur);
    if (brinkPathCrosses(self->a->mesh, &path, open->triangle)) return true;
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

static size_t gather(const pathWalk *self, const piece *pieces, size_t count, brinkContactInterval *out,
                     size_t capacity) {
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
  uint32_t cells;
  return brinkFollowPoint(a, table, x, query, out, capacity, &cells);
}

size_t brinkFollowPoint(const brinkInverseTarget *a, const brinkMotionTable *table, const double x[3],
                        const brinkPointQuery *query, brinkContactInterval *out, size_t capacity, uint32_t *looked) {
  const pathWalk self = walkOf(a, table, x, query);
  pathCell stack[STACK_CAPACITY];
  piece pieces[PIECE_CAPACITY];
  size_t pieceCount = 0;
  uint32_t cells = 0, most = query->maxCells > 0 ? query->maxCells : DEFAULT_CELLS;
  int inside = -1;
  for (size_t s = 0; s < table->stretches; ++s) {
    const brinkMotionCell *root = &table->cells[s * heapSize(table->depth)];
    size_t count = 1;
    stack[0] = (pathCell){root->l, root->u, 0, s, false};
    while (count > 0) {
      pathCell cell = stack[--count];
      obstacle met;
      int asked = inside;
      bool clear = ++cells <= most && askPiece(&self, &cell, &asked, &met);
      if (!clear && cells <= most && cutPiece(&self, &cell, &met, stack, &count)) continue;
      piece next = {cell.l, cell.u, clear ? (asked > 0 ? piece_in : piece_out) : piece_open,
                    clear ? BRINK_NO_TRIANGLE : met.triangle};
      if (cells > most) next.triangle = BRINK_NO_TRIANGLE;
      inside = clear ? asked : -1;
      if (!appendPiece(pieces, &pieceCount, next))
        pieces[pieceCount - 1] = (piece){pieces[pieceCount - 1].l, cell.u, piece_open, BRINK_NO_TRIANGLE};
    }
  }
  *looked = BRINK_MIN(cells, most);
  return gather(&self, pieces, pieceCount, out, capacity);
}

/* ---- balls */

typedef struct ballScan { /* in the direction of the scan */
  double doubt, sure;     /* first time that is not proven out, and that is proven in */
  bool doubted;
  uint32_t triangle; /* in the way at the doubt */
  uint32_t cells;
} ballScan;

typedef enum ballState { ball_out, ball_doubt, ball_in } ballState;

/* What a piece of the path says; ball_out: go on. */
static ballState judgeBall(const pathWalk *self, double spread, const pathCell *cell, bool clear, bool inside,
                           uint32_t triangle, bool forward, ballScan *scan) {
  double from = forward ? cell->l : cell->u, to = forward ? cell->u : cell->l;
  if (clear && !inside && !scan->doubted) return ball_out;
  if (!scan->doubted) {
    scan->doubted = true;
    scan->doubt = from;
    scan->triangle = triangle;
  }
  scan->sure = from;
  bool isShort = fabs(from - scan->doubt) <= spread;
  if (clear && inside) return isShort ? ball_in : ball_doubt;
  if (!clear) return fabs(to - scan->doubt) <= spread ? ball_out : ball_doubt;
  if (!isShort || self->a->mesh == NULL || self->a->mesh->solid) return ball_doubt;
  const brinkMotionTable *table = self->table; /* an open surface was passed: crossed? */
  const piece run = {fmin(from, scan->doubt), fmax(from, scan->doubt), piece_open, scan->triangle};
  double least = table->cells[0].l, most = table->cells[(table->stretches - 1) * heapSize(table->depth)].u;
  return crossingIsProven(self, &run, least, most) ? ball_in : ball_doubt;
}

/* One stretch of the table. ball_out: on to the next. */
static ballState scanBall(const pathWalk *self, const brinkBallQuery *query, size_t stretch, bool forward,
                          bool onlyDoubt, ballScan *scan) {
  const brinkMotionCell *root = &self->table->cells[stretch * heapSize(self->table->depth)];
  pathCell stack[STACK_CAPACITY];
  size_t count = 1;
  int inside = -1;
  stack[0] = (pathCell){root->l, root->u, 0, stretch, false};
  while (count > 0) {
    pathCell cell = stack[--count];
    obstacle met;
    int asked = inside;
    size_t before = count;
    if (cell.u <= query->from || cell.l >= query->to) continue;
    if (++scan->cells > query->maxCells) {
      if (!scan->doubted) scan->doubt = forward ? cell.l : cell.u;
      scan->doubted = true;
      return ball_doubt;
    }
    bool clear = askPiece(self, &cell, &asked, &met);
    if (!clear && cutPiece(self, &cell, &met, stack, &count)) {
      for (size_t i = before, j = count - 1; !forward && i < j; ++i, --j) { /* the last one is asked first */
        pathCell swap = stack[i];
        stack[i] = stack[j];
        stack[j] = swap;
      }
      continue;
    }
    inside = clear ? asked : -1;
    ballState state = judgeBall(self, query->spread, &cell, clear, asked > 0, met.triangle, forward, scan);
    if (state != ball_out || (onlyDoubt && scan->doubted)) return state == ball_in ? ball_in : ball_doubt;
  }
  return ball_out;
}

static ballState scanWhole(const pathWalk *self, const brinkBallQuery *query, bool forward, bool onlyDoubt,
                           ballScan *scan) {
  size_t count = self->table->stretches;
  ballState state = ball_out;
  memset(scan, 0, sizeof *scan);
  for (size_t i = 0; i < count && state == ball_out; ++i)
    state = scanBall(self, query, forward ? i : count - 1 - i, forward, onlyDoubt, scan);
  return state == ball_out && scan->doubted ? ball_doubt : state;
}

void brinkFollowBall(const brinkInverseTarget *a, const brinkMotionTable *table, const double x[3],
                     const brinkBallQuery *query, brinkBallContact *out, uint32_t *cells) {
  const brinkPointQuery known = {.timeTolerance = 4.0 * query->tolerance, .errorB = query->radius};
  const pathWalk self = walkOf(a, table, x, &known);
  ballScan ahead, back;
  ballState state = scanWhole(&self, query, true, query->onlyOut, &ahead);
  memset(out, 0, sizeof *out);
  *cells = ahead.cells;
  out->out = state == ball_out;
  if (out->out) return;
  out->entryLower = ahead.doubt;
  out->entryLower = fmax(out->entryLower, query->from);
  out->exitUpper = query->to;
  if (state == ball_in || query->last) {
    ballState last = scanWhole(&self, query, false, state != ball_in, &back);
    *cells += back.cells;
    if (back.doubted) out->exitUpper = fmin(back.doubt, query->to);
    out->in = state == ball_in && last == ball_in;
  }
  out->entryUpper = out->in ? ahead.sure : out->exitUpper;
  out->exitLower = out->in ? back.sure : out->entryLower;
}

/* ---- faces */

void brinkListLeaves(const brinkInverseMesh *mesh, uint32_t *leaves) {
  for (size_t i = 0; i < 2 * mesh->triangleCount - 1; ++i)
    if (mesh->nodes[i].right == 0) leaves[mesh->nodes[i].triangle] = (uint32_t)i;
}

/* A cell to look at: of the table, or further halved. */
typedef struct faceCell {
  brinkMotionCell cell;
  size_t heap; /* SIZE_MAX: below the table */
  uint32_t nearLevels;
  brinkCellMemory memory;
} faceCell;

typedef struct faceScan {
  double doubt,
      sure; /* first time that is not proven apart, and that is proven contact, in the direction of the scan */
  bool doubted;
  brinkCellMemory memory;
} faceScan;

typedef struct faceQuestion { /* one of the two */
  const brinkMeshPair *meshes;
  const brinkImplicitPair *implicit;
} faceQuestion;

static brinkCellState askFace(const faceQuestion *question, const brinkMotionCell *cell, brinkCellMemory *memory) {
  return question->meshes != NULL ? brinkMeshPair_ClassifyKnown(question->meshes, cell, memory)
                                  : brinkImplicitPair_Classify(question->implicit, cell, memory);
}

/* Over one stretch of the table, from its start or from its end. */
static brinkCellState scanFace(const faceQuestion *question, const brinkMotionTable *table, size_t stretch,
                               double tolerance, bool forward, size_t *left, faceScan *scan) {
  faceCell stack[FACE_STACK];
  size_t count = 1;
  const brinkMotionCell *heap = table->cells + stretch * heapSize(table->depth);
  stack[0] = (faceCell){heap[0], 0, 0u, scan->memory};
  while (count > 0) {
    faceCell top = stack[--count];
    double l = top.cell.l, u = top.cell.u;
    brinkCellState state = askFace(question, &top.cell, &top.memory);
    *left -= *left > 0 ? 1 : 0;
    const uint32_t nearLevels = (state & brink_cellNear) != 0u ? top.nearLevels + 1u : 0u;
    bool vain = *left == 0 || nearLevels > BRINK_NEAR_LEVELS ||
                ((state & brink_cellVain) != 0u && u - l <= VAIN_WIDTH * (heap[0].u - heap[0].l));
    scan->memory = top.memory;
    if (state == brink_cellApart) continue;
    if (state == brink_cellContact || u - l <= tolerance || vain || count + 2 > FACE_STACK) {
      if (!scan->doubted) scan->doubt = forward ? l : u;
      scan->doubted = true;
      scan->sure = (state == brink_cellContact) == forward ? l : u;
      if (state == brink_cellContact) return brink_cellContact;
      continue;
    }
    for (int k = 0; k < 2; ++k) { /* the last pushed is the first asked */
      bool second = (k == 0) == forward;
      faceCell *next = &stack[count++];
      next->memory = top.memory;
      next->nearLevels = nearLevels;
      size_t child = top.heap == SIZE_MAX ? SIZE_MAX : 2 * top.heap + (second ? 2 : 1);
      next->heap = child < heapSize(table->depth) ? child : SIZE_MAX;
      if (next->heap != SIZE_MAX)
        next->cell = heap[child];
      else
        brinkRelativeMotion_Half(&table->motion, &top.cell, second, &next->cell);
    }
  }
  return scan->doubted ? brink_cellOpen : brink_cellApart;
}

static void findFace(const faceQuestion *question, const brinkMotionTable *table, double timeTolerance,
                     brinkFaceContact *out) {
  bool blurred = question->meshes != NULL && question->meshes->a->error + question->meshes->b->error > 0.0;
  double tolerance = fmax((blurred ? 1.0 : 0.0625) * timeTolerance, LEAST_WIDTH); /* several cells may stay open */
  const size_t most = blurred ? BLURRED_CELLS : DEFAULT_CELLS;
  size_t left[2] = {most, most};
  faceScan ahead = {.memory = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE}}, back = ahead;
  brinkCellState state = brink_cellApart, last = brink_cellApart;
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < table->stretches && state != brink_cellContact; ++i)
    state = scanFace(question, table, i, tolerance, true, &left[0], &ahead);
  out->state = (uint32_t)state;
  if (state == brink_cellApart) return;
  for (size_t i = table->stretches; i-- > 0 && last != brink_cellContact;)
    last = scanFace(question, table, i, tolerance, false, &left[1], &back);
  out->entryLower = ahead.doubt;
  out->entryUpper = ahead.sure;
  out->exitLower = back.doubted ? back.sure : ahead.sure;
  out->exitUpper = back.doubted ? back.doubt : ahead.sure;
}

void brinkFaceContacts(const brinkMeshPair *pair, const brinkMotionTable *table, double timeTolerance,
                       brinkFaceContact *out) {
  findFace(&(faceQuestion){pair, NULL}, table, timeTolerance, out);
}

void brinkImplicitFaceContacts(const brinkImplicitPair *pair, const brinkMotionTable *table, double timeTolerance,
                               brinkFaceContact *out) {
  findFace(&(faceQuestion){NULL, pair}, table, timeTolerance, out);
}
