/* SPDX-License-Identifier: BSD-3-Clause */
/* See interfering_subsets.h. Covering: a triangle cut into n^2 like ones has its points within longest edge / (n sqrt
 * 3) of a corner of a piece (Jung 1901: the circumradius when acute; less when not). */
#include "interfering_subsets.h"

#define CHUNK 32u
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
} pointTask;

static void askChunk(void *data, size_t index) {
  const pointTask *task = data;
  size_t to = BRINK_MIN((index + 1) * CHUNK, task->count);
  for (size_t i = index * CHUNK; i < to; ++i)
    task->counts[i] = brinkPointContacts(task->a, task->table, task->points + 3 * i, task->query,
                                         task->slots + BRINK_SUBSET_SLOTS * i, BRINK_SUBSET_SLOTS);
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
  for (size_t i = 0; i < task->count; ++i) {
    size_t at = set->starts[i], n = task->counts[i];
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
         countSize = (count + 1) * sizeof(size_t);
  pointTask task = {a,    table, points, query, brinkAllocate(context, slotSize), brinkAllocate(context, countSize),
                    count};
  brinkStatus status = task.slots != NULL && task.counts != NULL
                           ? brink_ok
                           : brinkFail(context, brink_errorNoMemory, "no memory for the answers of %zu points", count);
  if (status == brink_ok) {
    brinkRunTasks(parallel, (count + CHUNK - 1) / CHUNK, askChunk, &task);
    status = collect(context, &task, set);
  }
  brinkRelease(context, task.slots, slotSize);
  brinkRelease(context, task.counts, countSize);
  return status;
}

/* ---- faces */

typedef struct faceTask {
  const brinkMeshPair *pair;
  const brinkMotionTable *table;
  double timeTolerance;
  const uint32_t *leaves;
  brinkFaceContact *faces;
} faceTask;

static void askFace(void *data, size_t index) {
  const faceTask *task = data;
  brinkMeshPair pair = *task->pair;
  pair.rootB = task->leaves[index];
  brinkFaceContacts(&pair, task->table, task->timeTolerance, &task->faces[index]);
}

brinkStatus brinkFindFaceContacts(brinkContext *context, const brinkMeshPair *pair, const brinkMotionTable *table,
                                  double timeTolerance, const brinkParallel *parallel, brinkFaceContact *faces) {
  size_t count = pair->b->triangleCount;
  uint32_t *leaves = brinkAllocate(context, count * sizeof *leaves);
  if (leaves == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %zu faces", count);
  brinkListLeaves(pair->b, leaves);
  faceTask task = {pair, table, timeTolerance, leaves, faces};
  brinkRunTasks(parallel, count, askFace, &task);
  brinkRelease(context, leaves, count * sizeof *leaves);
  return brink_ok;
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
