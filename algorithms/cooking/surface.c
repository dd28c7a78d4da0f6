/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex surface decomposition: which neighbouring triangles can share one convex hull and all lie on it?
 *
 * A patch grows breadth first from its lowest free triangle over edges that have exactly two triangles of opposite
 * direction. A triangle joins when every vertex of the patch is on or below its plane and its vertices are on or below
 * every plane of the patch. So at the end each triangle's plane supports all vertices of the patch: the patch lies on
 * its hull. Triangles whose corners are on one line (or so thin that their plane is noise) are patches of their own.
 *
 * Based on: Ehmann and Lin 2001, Sec. 3 (surface decomposition, breadth-first variant), as used by [CATCH] Sec. 4.
 * Units: those of the mesh; planes are evaluated relative to a corner, in coordinates scaled to at most 1. */
#include "surface.h"

#include <stdlib.h>

#include "convex.h"
#include "orientation.h"

#define NONE UINT32_MAX
/* Height over longest edge below which a triangle's plane is rounding noise. */
#define SLIVER 1e-7
#define MANY_EDGES 32u /* at one vertex: sorted by halves, not one by one */

/* ---- welding */

static uint64_t positionBits(double x) {
  double positive = x == 0.0 ? 0.0 : x;
  uint64_t bits;
  memcpy(&bits, &positive, sizeof bits);
  return bits;
}

static uint64_t mixBits(uint64_t hash, uint64_t bits) {
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static bool samePosition(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

brinkStatus brinkWeldVertices(brinkContext *context, const double *vertices, uint32_t vertexCount, uint32_t *welded) {
  size_t capacity = 16;
  while (capacity < 2 * (size_t)vertexCount) capacity *= 2;
  uint32_t *table = brinkAllocate(context, capacity * sizeof *table);
  if (!table) return brinkFail(context, brink_errorNoMemory, "no memory to weld %u vertices", vertexCount);
  memset(table, 0xff, capacity * sizeof *table);
  for (uint32_t v = 0; v < vertexCount; ++v) {
    const double *position = &vertices[3 * (size_t)v];
    uint64_t hash =
        mixBits(mixBits(mixBits(0, positionBits(position[0])), positionBits(position[1])), positionBits(position[2]));
    size_t slot = (size_t)(hash >> 20) & (capacity - 1);
    while (table[slot] != NONE && !samePosition(position, &vertices[3 * (size_t)table[slot]]))
      slot = (slot + 1) & (capacity - 1);
    if (table[slot] == NONE) table[slot] = v;
    welded[v] = table[slot];
  }
  brinkRelease(context, table, capacity * sizeof *table);
  return brink_ok;
}

/* ---- adjacency */

typedef struct halfEdge {
  uint64_t key;   /* smaller welded vertex << 32 | larger */
  uint32_t place; /* triangle * 3 + corner where the edge starts */
  uint32_t down;  /* 1 when it runs from the larger to the smaller */
} halfEdge;

static int compareHalfEdges(const void *left, const void *right) {
  const halfEdge *a = left, *b = right;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

typedef struct plane {
  brinkVec3 normal; /* unit; zero for triangles that stay alone */
  brinkVec3 corner;
} plane;

typedef struct surfaceWork {
  brinkContext *context;
  const double *vertices; /* scaled */
  const uint32_t *indices;
  uint32_t vertexCount, triangleCount, maxPatchTriangles;
  uint32_t *welded;    /* [vertexCount] */
  halfEdge *edges;     /* [3 triangleCount] */
  uint32_t *starts;    /* [vertexCount + 1] */
  uint32_t *neighbors; /* [triangleCount][3]: triangle across a consistent edge, or NONE */
  plane *planes;       /* [triangleCount] */
  uint32_t *patchOf;   /* [triangleCount] */
  uint32_t *queue;     /* [maxPatchTriangles] triangles of the patch at work, in order of joining */
  uint32_t *corners;   /* [3 maxPatchTriangles] its vertices, welded, distinct */
} surfaceWork;

static const double *cornerOf(const surfaceWork *work, uint32_t triangle, int k) {
  return &work->vertices[3 * (size_t)work->indices[3 * (size_t)triangle + k]];
}

/* Half edges into work->edges, those of one edge together; how many there are. Sorted by the smaller vertex first, by
 * counting: around a vertex there are few. */
static size_t sortHalfEdges(surfaceWork *work) {
  uint32_t *ends = work->starts; /* [vertexCount + 1] where a vertex's edges begin; filling moves it to their end */
  memset(ends, 0, ((size_t)work->vertexCount + 1) * sizeof *ends);
  for (int pass = 0; pass < 2; ++pass) {
    for (uint32_t t = 0; t < work->triangleCount; ++t) {
      uint32_t corner[3];
      for (int k = 0; k < 3; ++k) corner[k] = work->welded[work->indices[3 * (size_t)t + (size_t)k]];
      if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
      for (int k = 0; k < 3; ++k) {
        const uint32_t from = corner[k], to = corner[(k + 1) % 3], low = BRINK_MIN(from, to);
        if (pass == 0) {
          ++ends[low + 1];
          continue;
        }
        const uint64_t key = (uint64_t)low << 32 | BRINK_MAX(from, to);
        work->edges[ends[low]++] = (halfEdge){key, 3 * t + (uint32_t)k, from > to};
      }
    }
    for (uint32_t v = 0; pass == 0 && v < work->vertexCount; ++v) ends[v + 1] += ends[v];
  }
  for (size_t v = 0, first = 0; v < work->vertexCount; first = ends[v++]) {
    const size_t count = ends[v] - first;
    halfEdge *edges = &work->edges[first];
    if (count > MANY_EDGES) qsort(edges, count, sizeof *edges, compareHalfEdges);
    for (size_t i = 1; count <= MANY_EDGES && i < count; ++i) {
      const halfEdge edge = edges[i];
      size_t at = i;
      for (; at > 0 && compareHalfEdges(&edges[at - 1], &edge) > 0; --at) edges[at] = edges[at - 1];
      edges[at] = edge;
    }
  }
  return ends[work->vertexCount - 1];
}

/* Fills neighbors, closed, manifold. */
static void connectTriangles(surfaceWork *work, brinkSurface *out) {
  const size_t count = sortHalfEdges(work);
  memset(work->neighbors, 0xff, 3 * (size_t)work->triangleCount * sizeof(uint32_t)); /* NONE */
  out->closed = count > 0;
  out->manifold = true;
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && work->edges[end].key == work->edges[first].key;) ++end;
    size_t down = 0;
    for (size_t i = first; i < end; ++i) down += work->edges[i].down;
    bool pair = end - first == 2 && down == 1;
    out->manifold = out->manifold && end - first <= 2;
    out->closed = out->closed && 2 * down == end - first;
    if (!pair) continue;
    work->neighbors[work->edges[first].place] = work->edges[first + 1].place / 3;
    work->neighbors[work->edges[first + 1].place] = work->edges[first].place / 3;
  }
}

/* Fills planes and counts triangles without an area. */
static void makePlanes(surfaceWork *work, brinkSurface *out) {
  for (uint32_t t = 0; t < work->triangleCount; ++t) {
    const double *a = cornerOf(work, t, 0), *b = cornerOf(work, t, 1), *c = cornerOf(work, t, 2);
    brinkVec3 ab = brinkSub(brinkV3_FromArray(b), brinkV3_FromArray(a)),
              ac = brinkSub(brinkV3_FromArray(c), brinkV3_FromArray(a));
    brinkVec3 bc = brinkSub(brinkV3_FromArray(c), brinkV3_FromArray(b)), normal = brinkCross(ab, ac);
    double longest = fmax(brinkLengthSquared(ab), fmax(brinkLengthSquared(ac), brinkLengthSquared(bc)));
    double twiceArea = brinkLength(normal);
    work->planes[t] = (plane){{0, 0, 0}, brinkV3_FromArray(a)};
    if (twiceArea > SLIVER * longest)
      work->planes[t].normal = brinkNormalizeOr(normal, brinkV3(0, 0, 0));
    else if (brinkCollinear(a, b, c))
      out->degenerateCount += 1;
  }
}

/* ---- growth */

static bool isFree(const surfaceWork *work, uint32_t triangle) {
  return triangle != NONE && work->patchOf[triangle] == NONE && brinkLengthSquared(work->planes[triangle].normal) > 0.0;
}

static bool isBelow(const plane *p, const double *point) {
  return brinkDot(p->normal, brinkSub(brinkV3_FromArray(point), p->corner)) <= BRINK_FLAT_TOLERANCE;
}

static bool fits(const surfaceWork *work, uint32_t triangle, uint32_t patchTriangles, uint32_t cornerCount) {
  for (uint32_t i = 0; i < cornerCount; ++i)
    if (!isBelow(&work->planes[triangle], &work->vertices[3 * (size_t)work->corners[i]])) return false;
  for (uint32_t i = 0; i < patchTriangles; ++i)
    for (int k = 0; k < 3; ++k)
      if (!isBelow(&work->planes[work->queue[i]], cornerOf(work, triangle, k))) return false;
  return true;
}

static uint32_t addCorners(surfaceWork *work, uint32_t triangle, uint32_t cornerCount) {
  for (int k = 0; k < 3; ++k) {
    uint32_t corner = work->welded[work->indices[3 * (size_t)triangle + k]], i = 0;
    while (i < cornerCount && work->corners[i] != corner) ++i;
    if (i == cornerCount) work->corners[cornerCount++] = corner;
  }
  return cornerCount;
}

/* The patch of `seed`; its triangles are left in work->queue. */
static uint32_t growPatch(surfaceWork *work, uint32_t seed, uint32_t patch) {
  uint32_t size = 1, cornerCount = addCorners(work, seed, 0);
  work->queue[0] = seed;
  work->patchOf[seed] = patch;
  if (brinkLengthSquared(work->planes[seed].normal) == 0.0) return 1;
  for (uint32_t head = 0; head < size; ++head) {
    for (int k = 0; k < 3 && size < work->maxPatchTriangles; ++k) {
      uint32_t candidate = work->neighbors[3 * (size_t)work->queue[head] + k];
      if (!isFree(work, candidate) || !fits(work, candidate, size, cornerCount)) continue;
      work->patchOf[candidate] = patch;
      work->queue[size++] = candidate;
      cornerCount = addCorners(work, candidate, cornerCount);
    }
  }
  return size;
}

static int compareIndices(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

static void growPatches(surfaceWork *work, brinkSurface *out) {
  memset(work->patchOf, 0xff, work->triangleCount * sizeof(uint32_t));
  uint32_t written = 0;
  for (uint32_t seed = 0; seed < work->triangleCount; ++seed) {
    if (work->patchOf[seed] != NONE) continue;
    uint32_t size = growPatch(work, seed, out->patchCount);
    qsort(work->queue, size, sizeof(uint32_t), compareIndices);
    memcpy(&out->patchTriangles[written], work->queue, size * sizeof(uint32_t));
    out->patchStart[out->patchCount++] = written;
    written += size;
  }
  out->patchStart[out->patchCount] = written;
}

/* ---- memory */

/* Copy scaled by a power of two so that no product overflows: exact but for parts too small to matter. */
static double *makeScaledCopy(brinkContext *context, const double *vertices, uint32_t vertexCount) {
  size_t count = 3 * (size_t)vertexCount;
  double *scaled = brinkAllocate(context, count * sizeof(double)), largest = 0.0;
  if (!scaled) return NULL;
  for (size_t i = 0; i < count; ++i) largest = fmax(largest, fabs(vertices[i]));
  int exponent = 0;
  frexp(largest, &exponent);
  for (size_t i = 0; i < count; ++i) scaled[i] = ldexp(vertices[i], -exponent);
  return scaled;
}

brinkStatus brinkDecomposeSurface(brinkContext *context, const double *vertices, uint32_t vertexCount,
                                  const uint32_t *indices, uint32_t triangleCount, uint32_t maxPatchTriangles,
                                  brinkSurface *out) {
  memset(out, 0, sizeof *out);
  if (vertexCount == 0 || triangleCount == 0)
    return brinkFail(context, brink_errorEmpty, "a surface without triangles");
  if (triangleCount > UINT32_MAX / 4 || maxPatchTriangles == 0)
    return brinkFail(context, brink_errorRange, "%u triangles in patches of %u: out of range", triangleCount,
                     maxPatchTriangles);
  size_t triangles = triangleCount, patchCapacity = maxPatchTriangles;
  double *scaled = makeScaledCopy(context, vertices, vertexCount);
  surfaceWork work = {.context = context,
                      .vertices = scaled,
                      .indices = indices,
                      .vertexCount = vertexCount,
                      .triangleCount = triangleCount,
                      .maxPatchTriangles = maxPatchTriangles};
  work.welded = brinkAllocate(context, vertexCount * sizeof(uint32_t));
  work.edges = brinkAllocate(context, 3 * triangles * sizeof(halfEdge));
  work.starts = brinkAllocate(context, ((size_t)vertexCount + 1) * sizeof(uint32_t));
  work.neighbors = brinkAllocate(context, 3 * triangles * sizeof(uint32_t));
  work.planes = brinkAllocate(context, triangles * sizeof(plane));
  work.patchOf = brinkAllocate(context, triangles * sizeof(uint32_t));
  work.queue = brinkAllocate(context, patchCapacity * sizeof(uint32_t));
  work.corners = brinkAllocate(context, 3 * patchCapacity * sizeof(uint32_t));
  uint32_t *start = brinkAllocate(context, (triangles + 1) * sizeof(uint32_t));
  out->patchTriangles = brinkAllocate(context, triangles * sizeof(uint32_t));
  bool enough = scaled && work.welded && work.edges && work.starts && work.neighbors && work.planes && work.patchOf &&
                work.queue && work.corners && start && out->patchTriangles;
  brinkStatus status =
      enough ? brinkWeldVertices(context, vertices, vertexCount, work.welded)
             : brinkFail(context, brink_errorNoMemory, "no memory for a surface of %u triangles", triangleCount);
  if (status == brink_ok) {
    out->patchStart = start;
    connectTriangles(&work, out);
    makePlanes(&work, out);
    growPatches(&work, out);
    out->patchStart = brinkAllocate(context, ((size_t)out->patchCount + 1) * sizeof(uint32_t));
    if (out->patchStart)
      memcpy(out->patchStart, start, ((size_t)out->patchCount + 1) * sizeof(uint32_t));
    else
      status = brinkFail(context, brink_errorNoMemory, "no memory for %u patches", out->patchCount);
  }
  brinkRelease(context, scaled, 3 * (size_t)vertexCount * sizeof(double));
  brinkRelease(context, work.welded, vertexCount * sizeof(uint32_t));
  brinkRelease(context, work.edges, 3 * triangles * sizeof(halfEdge));
  brinkRelease(context, work.starts, ((size_t)vertexCount + 1) * sizeof(uint32_t));
  brinkRelease(context, work.neighbors, 3 * triangles * sizeof(uint32_t));
  brinkRelease(context, work.planes, triangles * sizeof(plane));
  brinkRelease(context, work.patchOf, triangles * sizeof(uint32_t));
  brinkRelease(context, work.queue, patchCapacity * sizeof(uint32_t));
  brinkRelease(context, work.corners, 3 * patchCapacity * sizeof(uint32_t));
  brinkRelease(context, start, (triangles + 1) * sizeof(uint32_t));
  if (status != brink_ok) brinkFreeSurface(context, out, triangleCount);
  return status;
}

void brinkFreeSurface(brinkContext *context, brinkSurface *surface, uint32_t triangleCount) {
  brinkRelease(context, surface->patchStart, ((size_t)surface->patchCount + 1) * sizeof(uint32_t));
  brinkRelease(context, surface->patchTriangles, triangleCount * sizeof(uint32_t));
  memset(surface, 0, sizeof *surface);
}
