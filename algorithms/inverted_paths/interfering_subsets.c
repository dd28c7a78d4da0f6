/* SPDX-License-Identifier: BSD-3-Clause */
/* See interfering_subsets.h. Covering: a triangle cut into n^2 like ones has its points within longest edge / (n sqrt
 * 3) of a corner of a piece (Jung 1901: the circumradius when acute; less when not). */
#include "interfering_subsets.h"

#define CHUNK 32u
#define PIECE_CHUNK 8u
#define PIECE_CELLS 1000u /* a piece, there and back */
#define PIECE_TIME 2.0    /* of the time in which the piece passes its own size */
#define MOST_SAMPLES ((size_t)1 << 26)
#define COVER 0.5773502691896259 /* 1/sqrt 3, rounded up */

void brinkSamples_Free(brinkContext *context, brinkSamples *samples) {
  brinkRelease(context, samples->points, samples->pointCapacity * sizeof(double));
  brinkRelease(context, samples->faces, samples->faceCapacity * sizeof(uint32_t));
  memset(samples, 0, sizeof *samples);
}

static brinkStatus reserveSamples(brinkContext *context, brinkSamples *samples, size_t more) {
  if (more > MOST_SAMPLES || samples->count + more > MOST_SAMPLES)
    return brinkFail(context, brink_errorRange, "more than %zu sample points; ask for a wider spacing", MOST_SAMPLES);
  brinkStatus status = brinkReserve(context, (void **)&samples->points, &samples->pointCapacity,
                                    3 * (samples->count + more), sizeof(double));
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&samples->faces, &samples->faceCapacity, samples->count + more,
                          sizeof(uint32_t));
  return status;
}

static void addSample(brinkSamples *samples, const double p[3], uint32_t face) {
  memcpy(samples->points + 3 * samples->count, p, 3 * sizeof(double));
  samples->faces[samples->count++] = face;
}

brinkStatus brinkSamples_AddPoint(brinkContext *context, const double p[3], uint32_t face, brinkSamples *samples) {
  brinkStatus status = reserveSamples(context, samples, 1);
  if (status == brink_ok) addSample(samples, p, face);
  return status;
}

static double longestEdge(const brinkInverseMesh *mesh, uint32_t triangle) {
  double longest = 0.0;
  for (int c = 0; c < 3; ++c)
    longest = fmax(longest, brinkDistance(brinkV3_FromArray(brinkInverseMesh_Vertex(mesh, triangle, c)),
                                          brinkV3_FromArray(brinkInverseMesh_Vertex(mesh, triangle, (c + 1) % 3))));
  return longest;
}

static brinkStatus sampleTriangle(brinkContext *context, const brinkInverseMesh *mesh, uint32_t triangle,
                                  double spacing, unsigned char *known, brinkSamples *samples) {
  double longest = longestEdge(mesh, triangle), wanted = ceil(COVER * longest / spacing);
  if (!(wanted <= 8000.0))
    return brinkFail(context, brink_errorRange, "spacing %g is too fine for triangle %u", spacing, triangle);
  size_t n = wanted < 1.0 ? 1 : (size_t)wanted;
  brinkStatus status = reserveSamples(context, samples, (n + 1) * (n + 2) / 2);
  if (status != brink_ok) return status;
  const double *a = brinkInverseMesh_Vertex(mesh, triangle, 0), *b = brinkInverseMesh_Vertex(mesh, triangle, 1),
               *c = brinkInverseMesh_Vertex(mesh, triangle, 2);
  for (size_t i = 0; i <= n; ++i)
    for (size_t j = 0; i + j <= n; ++j) {
      double p[3], u = (double)i / (double)n, v = (double)j / (double)n;
      int corner = i + j == 0 ? 0 : i == n ? 1 : j == n ? 2 : -1;
      if (corner >= 0) { /* vertices belong to the first triangle that has them */
        uint32_t id = mesh->triangles[3 * (size_t)triangle + (size_t)corner];
        if (known[id]++ == 0) addSample(samples, mesh->vertices + 3 * (size_t)id, triangle);
        known[id] = 1;
        continue;
      }
      for (int k = 0; k < 3; ++k) p[k] = a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]);
      addSample(samples, p, triangle);
    }
  samples->spacing = fmax(samples->spacing, COVER * longest / (double)n);
  return brink_ok;
}

brinkStatus brinkSamples_AddBoundary(brinkContext *context, const brinkInverseMesh *mesh, double spacing,
                                     brinkSamples *samples) {
  unsigned char *known = brinkAllocateZeroed(context, mesh->vertexCount, 1);
  brinkStatus status = known != NULL ? brink_ok : brinkFail(context, brink_errorNoMemory, "no memory for samples");
  for (uint32_t i = 0; i < mesh->triangleCount && status == brink_ok; ++i)
    status = sampleTriangle(context, mesh, i, spacing, known, samples);
  brinkRelease(context, known, mesh->vertexCount);
  return status;
}

brinkStatus brinkSamples_AddInside(brinkContext *context, const brinkInverseMesh *mesh, double pitch,
                                   brinkSamples *samples) {
  const brinkInverseNode *box = &mesh->nodes[0];
  double steps[3], all = 1.0;
  for (int k = 0; k < 3; ++k) {
    steps[k] = floor((box->high[k] - box->low[k]) / pitch);
    all *= steps[k] + 1.0;
  }
  if (!(all <= (double)MOST_SAMPLES))
    return brinkFail(context, brink_errorRange, "a pitch of %g asks for %g grid points", pitch, all);
  brinkStatus status = brink_ok;
  for (double x = 0.0; x <= steps[0] && status == brink_ok; x += 1.0)
    for (double y = 0.0; y <= steps[1] && status == brink_ok; y += 1.0)
      for (double z = 0.0; z <= steps[2] && status == brink_ok; z += 1.0) {
        const double p[3] = {box->low[0] + (x + 0.5) * pitch, box->low[1] + (y + 0.5) * pitch,
                             box->low[2] + (z + 0.5) * pitch};
        if (brinkInverseMesh_Contains(mesh, p) <= 0) continue;
        status = reserveSamples(context, samples, 1);
        if (status == brink_ok) addSample(samples, p, BRINK_NO_TRIANGLE);
      }
  return status;
}

/* ---- points */

void brinkPointSet_Free(brinkContext *context, brinkPointSet *set) {
  brinkRelease(context, set->intervals, set->intervalCapacity * sizeof *set->intervals);
  brinkRelease(context, set->starts, set->startCapacity * sizeof *set->starts);
  memset(set, 0, sizeof *set);
}

typedef struct pointTask {
  const brinkInverseTarget *a;
  const brinkMotionTable *table;
  const double *points;
  const brinkPointQuery *query;
  brinkContactInterval *slots; /* [count][BRINK_SUBSET_SLOTS] */
  size_t *counts;              /* [count] */
  size_t count;
  uint32_t *cells; /* [count] */
} pointTask;

static void askChunk(void *data, size_t index) {
  const pointTask *task = data;
  size_t to = BRINK_MIN((index + 1) * CHUNK, task->count);
  for (size_t i = index * CHUNK; i < to; ++i)
    task->counts[i] = brinkFollowPoint(task->a, task->table, task->points + 3 * i, task->query,
                                       task->slots + BRINK_SUBSET_SLOTS * i, BRINK_SUBSET_SLOTS, &task->cells[i]);
}

static brinkStatus collect(brinkContext *context, const pointTask *task, brinkPointSet *set) {
  size_t all = 0;
  for (size_t i = 0; i < task->count; ++i) all += task->counts[i];
  brinkStatus status =
      brinkReserve(context, (void **)&set->intervals, &set->intervalCapacity, all + 1, sizeof *set->intervals);
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&set->starts, &set->startCapacity, task->count + 1, sizeof *set->starts);
  if (status != brink_ok) return status;
  set->pointCount = task->count;
  set->starts[0] = 0;
  set->cells = 0;
  for (size_t i = 0; i < task->count; ++i) {
    size_t at = set->starts[i], n = task->counts[i];
    set->cells += task->cells[i];
    if (n > BRINK_SUBSET_SLOTS)
      brinkPointContacts(task->a, task->table, task->points + 3 * i, task->query, set->intervals + at, n);
    else if (n > 0)
      memcpy(set->intervals + at, task->slots + BRINK_SUBSET_SLOTS * i, n * sizeof *set->intervals);
    set->starts[i + 1] = at + n;
  }
  return brink_ok;
}

brinkStatus brinkFindPointContacts(brinkContext *context, const brinkInverseTarget *a, const brinkMotionTable *table,
                                   const double *points, size_t count, const brinkPointQuery *query,
                                   const brinkParallel *parallel, brinkPointSet *set) {
  if (count > MOST_SAMPLES)
    return brinkFail(context, brink_errorRange, "%zu points; at most %zu at once", count, MOST_SAMPLES);
  size_t slotSize = (BRINK_SUBSET_SLOTS * count + 1) * sizeof(brinkContactInterval),
         countSize = (count + 1) * sizeof(size_t), cellSize = (count + 1) * sizeof(uint32_t);
  pointTask task = {a,
                    table,
                    points,
                    query,
                    brinkAllocate(context, slotSize),
                    brinkAllocate(context, countSize),
                    count,
                    brinkAllocate(context, cellSize)};
  brinkStatus status = task.slots != NULL && task.counts != NULL && task.cells != NULL
                           ? brink_ok
                           : brinkFail(context, brink_errorNoMemory, "no memory for the answers of %zu points", count);
  if (status == brink_ok) {
    brinkRunTasks(parallel, (count + CHUNK - 1) / CHUNK, askChunk, &task);
    status = collect(context, &task, set);
  }
  brinkRelease(context, task.slots, slotSize);
  brinkRelease(context, task.counts, countSize);
  brinkRelease(context, task.cells, cellSize);
  return status;
}

/* ---- pieces */

/* A node of B's tree, or a piece of a triangle, on the way. */
typedef struct openPiece {
  brinkSubsetPiece piece; /* state 0: cut on */
  double center[3], radius;
  uint32_t node;  /* BRINK_NO_TRIANGLE: a piece */
  uint32_t cells; /* looked at */
  bool out;
} openPiece;

typedef struct pieceList {
  openPiece *items;
  size_t count, capacity;
} pieceList;

static brinkStatus appendPiece(brinkContext *context, pieceList *list, const openPiece *piece) {
  if (list->count >= MOST_SAMPLES)
    return brinkFail(context, brink_errorRange, "more than %zu pieces; ask for a wider spacing", MOST_SAMPLES);
  brinkStatus status = brinkReserve(context, (void **)&list->items, &list->capacity, list->count + 1, sizeof *piece);
  if (status == brink_ok) list->items[list->count++] = *piece;
  return status;
}

static double farthestCorner(const double (*corners)[3], const double center[3]) {
  double far = 0.0;
  for (int c = 0; c < 3; ++c) far = fmax(far, brinkDistance(brinkV3_FromArray(corners[c]), brinkV3_FromArray(center)));
  return far;
}

/* A point of the piece and how far the others are from it: the centroid, or the middle of an edge. */
static void enclosePiece(openPiece *self) {
  const double(*corners)[3] = (const double(*)[3])self->piece.corners;
  double size = 0.0;
  for (int k = 0; k < 3; ++k) {
    self->center[k] = (corners[0][k] + corners[1][k] + corners[2][k]) / 3.0;
    for (int c = 0; c < 3; ++c) size = fmax(size, fabs(corners[c][k]));
  }
  self->radius = farthestCorner(corners, self->center);
  for (int e = 0; e < 3; ++e) {
    double middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (corners[e][k] + corners[(e + 1) % 3][k]);
    double far = farthestCorner(corners, middle);
    if (far >= self->radius) continue;
    self->radius = far;
    memcpy(self->center, middle, sizeof middle);
  }
  self->radius = self->radius * (1.0 + 8.0 * DBL_EPSILON) + 64.0 * DBL_EPSILON * size; /* and what halving is off */
}

/* from, to: out before and after. */
static void openPieceOf(const brinkInverseMesh *mesh, uint32_t node, double from, double to, openPiece *out) {
  const brinkInverseNode *n = &mesh->nodes[node];
  memset(out, 0, sizeof *out);
  out->piece.entryLower = from;
  out->piece.exitUpper = to;
  out->node = n->right != 0 ? node : BRINK_NO_TRIANGLE;
  out->piece.triangle = n->right != 0 ? BRINK_NO_TRIANGLE : n->triangle;
  if (n->right == 0) {
    for (int c = 0; c < 3; ++c)
      memcpy(out->piece.corners[c], brinkInverseMesh_Vertex(mesh, n->triangle, c), sizeof out->piece.corners[c]);
    enclosePiece(out);
    return;
  }
  double square = 0.0, size = 0.0;
  for (int k = 0; k < 3; ++k) {
    double half = 0.5 * (n->high[k] - n->low[k]);
    out->center[k] = 0.5 * n->low[k] + 0.5 * n->high[k];
    square += half * half;
    size = fmax(size, fmax(fabs(n->low[k]), fabs(n->high[k])));
  }
  out->radius = sqrt(square) * (1.0 + 8.0 * DBL_EPSILON) + 8.0 * DBL_EPSILON * size;
}

typedef struct pieceTask {
  const brinkInverseTarget *a;
  const brinkInverseMesh *b;
  const brinkMotionTable *table;
  const brinkPieceQuery *query;
  double timePerLength; /* an estimate: the time in which what is 1 m thick passes */
  openPiece *items;
  size_t count;
} pieceTask;

/* All points of the ball about the center at once. */
static void askPiece(const pieceTask *task, openPiece *self) {
  bool small = self->node == BRINK_NO_TRIANGLE && self->radius <= task->query->spacing;
  double spread = task->query->entrySpread;
  const brinkBallQuery asked = {
      .radius = self->radius + task->b->error,
      .from = self->piece.entryLower,
      .to = self->piece.exitUpper,
      .spread = spread,
      .tolerance =
          fmax(task->query->timeTolerance, fmin(0.25 * spread, PIECE_TIME * task->timePerLength * self->radius)),
      .maxCells = PIECE_CELLS,
      .onlyOut = !small && (self->node != BRINK_NO_TRIANGLE || task->timePerLength * self->radius > spread),
      .last = small};
  brinkBallContact found;
  brinkFollowBall(task->a, task->table, self->center, &asked, &found, &self->cells);
  self->out = found.out;
  if (found.out) return;
  self->piece.entryLower = found.entryLower; /* what it is cut into inherits these two */
  self->piece.exitUpper = found.exitUpper;
  self->piece.entryUpper = found.entryUpper;
  self->piece.exitLower = found.exitLower;
  if (self->node == BRINK_NO_TRIANGLE && (found.in || small))
    self->piece.state = found.in ? brink_pieceIn : brink_pieceEdge;
}

static void askPieces(void *data, size_t index) {
  const pieceTask *task = data;
  size_t to = BRINK_MIN((index + 1) * PIECE_CHUNK, task->count);
  for (size_t i = index * PIECE_CHUNK; i < to; ++i) askPiece(task, &task->items[i]);
}

static brinkStatus appendCorners(brinkContext *context, pieceList *next, const openPiece *parent, const double a[3],
                                 const double b[3], const double c[3]) {
  openPiece piece = *parent;
  piece.piece.state = 0;
  memcpy(piece.piece.corners[0], a, 3 * sizeof(double));
  memcpy(piece.piece.corners[1], b, 3 * sizeof(double));
  memcpy(piece.piece.corners[2], c, 3 * sizeof(double));
  enclosePiece(&piece);
  return appendPiece(context, next, &piece);
}

/* Children of a node; four like pieces; or two, across a long edge. */
static brinkStatus cutPiece(brinkContext *context, const brinkInverseMesh *mesh, const openPiece *self,
                            pieceList *next) {
  brinkStatus status = brink_ok;
  if (self->node != BRINK_NO_TRIANGLE) {
    const uint32_t children[2] = {self->node + 1, mesh->nodes[self->node].right};
    for (int k = 0; k < 2 && status == brink_ok; ++k) {
      openPiece child;
      openPieceOf(mesh, children[k], self->piece.entryLower, self->piece.exitUpper, &child);
      status = appendPiece(context, next, &child);
    }
    return status;
  }
  const double(*p)[3] = (const double(*)[3])self->piece.corners;
  double middle[3][3], lengths[3];
  int longest = 0;
  for (int e = 0; e < 3; ++e) {
    for (int k = 0; k < 3; ++k) middle[e][k] = 0.5 * (p[e][k] + p[(e + 1) % 3][k]);
    lengths[e] = brinkDistance(brinkV3_FromArray(p[e]), brinkV3_FromArray(p[(e + 1) % 3]));
    if (lengths[e] > lengths[longest]) longest = e;
  }
  int i = longest, j = (longest + 1) % 3, k = (longest + 2) % 3;
  if (fmin(lengths[j], lengths[k]) < 0.5 * lengths[i]) {
    status = appendCorners(context, next, self, p[i], middle[i], p[k]);
    return status == brink_ok ? appendCorners(context, next, self, middle[i], p[j], p[k]) : status;
  }
  for (int e = 0; e < 3 && status == brink_ok; ++e)
    status = appendCorners(context, next, self, p[e], middle[e], middle[(e + 2) % 3]);
  return status == brink_ok ? appendCorners(context, next, self, middle[0], middle[1], middle[2]) : status;
}

static brinkStatus keepPiece(brinkContext *context, const openPiece *self, brinkPieceSet *set) {
  size_t needed = set->count + 1;
  brinkStatus status = brinkReserve(context, (void **)&set->pieces, &set->pieceCapacity, needed, sizeof *set->pieces);
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&set->centers, &set->centerCapacity, 3 * needed, sizeof(double));
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&set->faces, &set->faceCapacity, needed, sizeof(uint32_t));
  if (status != brink_ok) return status;
  set->pieces[set->count] = self->piece;
  memcpy(set->centers + 3 * set->count, self->center, sizeof self->center);
  set->faces[set->count++] = self->piece.triangle;
  if (self->piece.state == brink_pieceEdge) set->spacing = fmax(set->spacing, self->radius);
  return brink_ok;
}

void brinkPieceSet_Free(brinkContext *context, brinkPieceSet *set) {
  brinkRelease(context, set->pieces, set->pieceCapacity * sizeof *set->pieces);
  brinkRelease(context, set->centers, set->centerCapacity * sizeof(double));
  brinkRelease(context, set->faces, set->faceCapacity * sizeof(uint32_t));
  memset(set, 0, sizeof *set);
}

/* Level by level, as brinkFindIntervals: each piece writes its own slot. */
brinkStatus brinkFindPieces(brinkContext *context, const brinkInverseTarget *a, const brinkInverseMesh *b,
                            const brinkMotionTable *table, const brinkPieceQuery *query, const brinkParallel *parallel,
                            brinkPieceSet *set) {
  pieceList level = {0}, next = {0};
  openPiece root;
  size_t last = (table->stretches - 1) * (((size_t)2 << table->depth) - 1);
  pieceTask task = {.a = a, .b = b, .table = table, .query = query};
  brinkInverseMesh still = {0}, thick = *b;
  thick.error = 1.0;
  task.timePerLength = brinkResolvableTime(&table->motion, &still, &thick, table->cells[0].l, table->cells[last].u);
  openPieceOf(b, 0, table->cells[0].l, table->cells[last].u, &root);
  brinkStatus status = appendPiece(context, &level, &root);
  set->count = set->asked = 0;
  set->cells = 0;
  set->spacing = 0.0;
  while (status == brink_ok && level.count > 0) {
    task.items = level.items;
    task.count = level.count;
    brinkRunTasks(parallel, (level.count + PIECE_CHUNK - 1) / PIECE_CHUNK, askPieces, &task);
    next.count = 0;
    for (size_t i = 0; i < level.count && status == brink_ok; ++i) {
      const openPiece *one = &level.items[i];
      set->asked += 1;
      set->cells += one->cells;
      if (one->out) continue;
      status = one->piece.state != 0 ? keepPiece(context, one, set) : cutPiece(context, b, one, &next);
    }
    pieceList swap = level;
    level = next;
    next = swap;
  }
  brinkRelease(context, level.items, level.capacity * sizeof *level.items);
  brinkRelease(context, next.items, next.capacity * sizeof *next.items);
  return status;
}

double brinkCountBoundary(const brinkInverseMesh *mesh, double spacing) {
  double count = (double)mesh->vertexCount;
  for (uint32_t i = 0; i < mesh->triangleCount; ++i) {
    double n = fmax(1.0, ceil(COVER * longestEdge(mesh, i) / spacing));
    count += 0.5 * (n + 1.0) * (n + 2.0) - 3.0;
  }
  return count;
}

/* ---- faces */

typedef struct faceTask {
  const brinkMeshPair *pair; /* one of the two */
  const brinkImplicitPair *implicit;
  const brinkMotionTable *table;
  double timeTolerance;
  const uint32_t *leaves;
  brinkFaceContact *faces;
} faceTask;

static void askFace(void *data, size_t index) {
  const faceTask *task = data;
  if (task->implicit != NULL) {
    brinkImplicitPair one = *task->implicit;
    one.rootB = task->leaves[index];
    brinkImplicitFaceContacts(&one, task->table, task->timeTolerance, &task->faces[index]);
    return;
  }
  brinkMeshPair pair = *task->pair;
  pair.rootB = task->leaves[index];
  brinkFaceContacts(&pair, task->table, task->timeTolerance, &task->faces[index]);
}

static brinkStatus findFaces(brinkContext *context, const brinkInverseMesh *mesh, faceTask *task,
                             const brinkParallel *parallel) {
  size_t count = mesh->triangleCount;
  uint32_t *leaves = brinkAllocate(context, count * sizeof *leaves);
  if (leaves == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %zu faces", count);
  brinkListLeaves(mesh, leaves);
  task->leaves = leaves;
  brinkRunTasks(parallel, count, askFace, task);
  brinkRelease(context, leaves, count * sizeof *leaves);
  return brink_ok;
}

brinkStatus brinkFindFaceContacts(brinkContext *context, const brinkMeshPair *pair, const brinkMotionTable *table,
                                  double timeTolerance, const brinkParallel *parallel, brinkFaceContact *faces) {
  faceTask task = {.pair = pair, .table = table, .timeTolerance = timeTolerance, .faces = faces};
  return findFaces(context, pair->b, &task, parallel);
}

brinkStatus brinkFindImplicitFaceContacts(brinkContext *context, const brinkImplicitPair *pair,
                                          const brinkMotionTable *table, double timeTolerance,
                                          const brinkParallel *parallel, brinkFaceContact *faces) {
  faceTask task = {.implicit = pair, .table = table, .timeTolerance = timeTolerance, .faces = faces};
  return findFaces(context, pair->meshB, &task, parallel);
}

/* ---- sweeps */

void brinkJudgeSweep(const brinkContactInterval *intervals, size_t count, bool solid, uint32_t *side, uint32_t *fold) {
  size_t insides = 0, touches = 0;
  for (size_t i = 0; i < count; ++i) {
    bool inside = solid && intervals[i].proven;
    insides += inside ? 1u : 0u;
    touches += inside ? intervals[i].openInside : 1u;
  }
  *side = insides > 0 ? brink_sweepIn : touches > 0 ? brink_sweepOn : brink_sweepOut;
  *fold = insides > 1 ? brink_foldInside : insides == 1 && touches > 0 ? brink_foldBoundary : brink_foldNone;
}
