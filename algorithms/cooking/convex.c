/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex hull of points, proven: which points are needed so that all others lie in their hull, and the polytope's
 * edges.
 *
 * Way: scale by a power of two (exact), sort and drop duplicates, find the dimension with exact predicates. Solid sets
 * of more than SMALL_SET points go to libqhull_r first (fast, but in doubt it merges); its triangles are kept when they
 *   (1) are a closed, edge-manifold, locally convex surface wound once around an inner point, and
 *   (2) have every other input point on or below each triangle's plane,
 * all decided exactly. (1)+(2) => surface = boundary of the hull. Otherwise, and for small sets, quickhull with exact
 * predicates runs: only strictly visible triangles are removed, so the horizon is one simple cycle and no new triangle
 * is degenerate (a point in line with a horizon edge sees neither of its triangles).
 *
 * Based on: Barber, Dobkin, Huhdanpaa 1996 (quickhull, qhull); Shewchuk 1997, "Adaptive Precision Floating-Point
 * Arithmetic and Fast Robust Geometric Predicates" (expansions, error bound of the filter); Andrew 1979 (monotone
 * chain); van Oosterom and Strackee 1983 (solid angle). Units: any; only signs matter. */
#include "convex.h"

#include <libqhull_r/qhull_ra.h>
#include <stdlib.h>

#include "orientation.h"
#include "quiet_qhull.h"

#define NONE UINT32_MAX
/* Up to here the exact quickhull beats qhull's set-up cost. */
#define SMALL_SET 64u
/* Smallest nonzero |coordinate| relative to the largest for which no predicate underflows. */
#define SMALLEST_EXACT 0x1p-200

/* ---- is a triangle surface a convex boundary? */

typedef struct directedEdge {
  uint64_t key;      /* from << 32 | to */
  uint32_t opposite; /* third corner */
} directedEdge;

bool brinkCollinear(const double a[3], const double b[3], const double c[3]) {
  return brinkOrientation2(a[0], a[1], b[0], b[1], c[0], c[1]) == 0 &&
         brinkOrientation2(a[1], a[2], b[1], b[2], c[1], c[2]) == 0 &&
         brinkOrientation2(a[2], a[0], b[2], b[0], c[2], c[0]) == 0;
}

static uint64_t edgeKey(uint32_t from, uint32_t to) { return (uint64_t)from << 32 | to; }

static int compareEdges(const void *left, const void *right) {
  const directedEdge *a = left, *b = right;
  return a->key < b->key ? -1 : a->key > b->key;
}

static const directedEdge *findEdge(const directedEdge *edges, size_t count, uint64_t key) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (edges[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && edges[low].key == key ? &edges[low] : NULL;
}

/* Solid angle of a triangle seen from the origin. */
static double solidAngle(brinkVec3 a, brinkVec3 b, brinkVec3 c) {
  double la = brinkLength(a), lb = brinkLength(b), lc = brinkLength(c);
  double numerator = brinkDot(a, brinkCross(b, c));
  double denominator = la * lb * lc + brinkDot(a, b) * lc + brinkDot(b, c) * la + brinkDot(c, a) * lb;
  return 2.0 * atan2(numerator, denominator);
}

/* Every triangle strictly sees `inner` from above its back, and the surface is wound around it once. */
static bool isStarShapedOnce(const double *points, const uint32_t *faces, uint32_t faceCount, const double inner[3]) {
  brinkVec3 o = brinkV3_FromArray(inner);
  double total = 0.0;
  for (uint32_t f = 0; f < faceCount; ++f) {
    const double *a = &points[3 * (size_t)faces[3 * (size_t)f]], *b = &points[3 * (size_t)faces[3 * (size_t)f + 1]],
                 *c = &points[3 * (size_t)faces[3 * (size_t)f + 2]];
    if (brinkOrientation(a, b, c, inner) >= 0) return false;
    total += solidAngle(brinkSub(brinkV3_FromArray(a), o), brinkSub(brinkV3_FromArray(b), o),
                        brinkSub(brinkV3_FromArray(c), o));
  }
  return fabs(total / 12.566370614359172 - 1.0) < 0.1; /* a whole number but for rounding */
}

/* The mean of all corners. */
static void makeInnerPoint(const double *points, const uint32_t *faces, uint32_t faceCount, double inner[3]) {
  const size_t count = 3 * (size_t)faceCount;
  inner[0] = inner[1] = inner[2] = 0.0;
  for (size_t corner = 0; corner < count; ++corner)
    for (int k = 0; k < 3; ++k) inner[k] += points[3 * (size_t)faces[corner] + k] / (double)count;
}

brinkStatus brinkIsConvexSurface(brinkContext *context, const double *points, const uint32_t *faces, uint32_t faceCount,
                                 bool *convex) {
  *convex = false;
  if (faceCount < 4 || faceCount > UINT32_MAX / 3) return brink_ok;
  size_t edgeCount = 3 * (size_t)faceCount, size = edgeCount * sizeof(directedEdge);
  for (size_t i = 0; i < 3 * edgeCount; ++i) { /* beyond what predicates decide: doubt */
    double magnitude = fabs(points[3 * (size_t)faces[i / 3] + i % 3]);
    if (magnitude != 0.0 && !(magnitude >= SMALLEST_EXACT && magnitude <= 1.0 / SMALLEST_EXACT)) return brink_ok;
  }
  directedEdge *edges = brinkAllocate(context, size);
  if (!edges) return brinkFail(context, brink_errorNoMemory, "no memory for %zu edges of a hull", edgeCount);
  double inner[3];
  makeInnerPoint(points, faces, faceCount, inner);
  for (size_t corner = 0; corner < edgeCount; ++corner) {
    size_t base = corner - corner % 3;
    uint32_t from = faces[corner], to = faces[base + (corner + 1) % 3];
    edges[corner] = (directedEdge){edgeKey(from, to), faces[base + (corner + 2) % 3]};
  }
  qsort(edges, edgeCount, sizeof *edges, compareEdges);
  bool good = true;
  for (size_t e = 0; good && e < edgeCount; ++e) {
    uint32_t from = (uint32_t)(edges[e].key >> 32), to = (uint32_t)edges[e].key;
    const directedEdge *reverse = findEdge(edges, edgeCount, edgeKey(to, from));
    good = reverse && (e == 0 || edges[e - 1].key != edges[e].key);
    if (good && from < to)
      good = brinkOrientation(&points[3 * (size_t)from], &points[3 * (size_t)to],
                              &points[3 * (size_t)edges[e].opposite], &points[3 * (size_t)reverse->opposite]) <= 0;
  }
  *convex = good && isStarShapedOnce(points, faces, faceCount, inner);
  brinkRelease(context, edges, size);
  return brink_ok;
}

/* ---- work in scaled, sorted, distinct points */

typedef struct sortedPoint {
  double x[3];
  uint32_t id; /* in the input */
} sortedPoint;

static int comparePoints(const void *left, const void *right) {
  const sortedPoint *a = left, *b = right;
  for (int k = 0; k < 3; ++k) {
    if (a->x[k] < b->x[k]) return -1;
    if (a->x[k] > b->x[k]) return 1;
  }
  return a->id < b->id ? -1 : a->id > b->id;
}

static void sortPoints(sortedPoint *points, uint32_t count) {
  if (count > SMALL_SET) {
    qsort(points, count, sizeof *points, comparePoints);
    return;
  }
  for (uint32_t i = 1; i < count; ++i) {
    const sortedPoint point = points[i];
    uint32_t at = i;
    for (; at > 0 && comparePoints(&points[at - 1], &point) > 0; --at) points[at] = points[at - 1];
    points[at] = point;
  }
}

typedef struct triangle { /* of the growing hull */
  uint32_t vertices[3];
  uint32_t adjacent[3]; /* across the edge vertices[k], vertices[k+1] */
  uint32_t outside;     /* head of the list of points that see it and were given to it */
  uint32_t furthest;
  double height;           /* of furthest: volume, only to rank */
  double normal[3], doubt; /* not unit; |normal . (x - vertices[0])| beyond doubt has the right sign */
  uint32_t mark;           /* point that last saw it */
  uint32_t dead;
} triangle;

typedef struct hullWork {
  brinkContext *context;
  sortedPoint *points; /* [count] distinct, ascending */
  uint32_t count, inputCount;
  double extent;           /* no two points differ by more in a coordinate, rounded up */
  uint32_t *next;          /* [inputCount] outside lists; scratch */
  uint32_t *startTriangle; /* [inputCount] new triangle whose base edge starts here */
  triangle *triangles;
  size_t triangleCount, triangleCapacity;
  uint32_t *stack;
  size_t stackCount, stackCapacity;
  uint32_t *visible;
  size_t visibleCount, visibleCapacity;
  uint32_t *faces; /* [faceCount][3] result, indices into points */
  size_t faceCount, faceCapacity;
  uint32_t *chosen; /* flat results: indices into points, in order around */
  size_t chosenCount, chosenCapacity;
  bool onlyVertices; /* nobody asks for faces and neighbours */
} hullWork;

static brinkStatus pushIndex(brinkContext *context, uint32_t **list, size_t *count, size_t *capacity, uint32_t value) {
  void *block = *list;
  brinkStatus status = brinkReserve(context, &block, capacity, *count + 1, sizeof **list);
  *list = block;
  if (status == brink_ok) (*list)[(*count)++] = value;
  return status;
}

/* On which side of the triangle? Differences, products and sums are each right but for a factor of 1 + u, eight of them
 * in a row at most; six products of three are summed: 48 u, and some. Where that leaves the sign open, exactly. */
static int seen(const hullWork *work, const triangle *face, uint32_t point) {
  const double *a = work->points[face->vertices[0]].x, *x = work->points[point].x;
  double value = face->normal[0] * (x[0] - a[0]) + face->normal[1] * (x[1] - a[1]) + face->normal[2] * (x[2] - a[2]);
  if (value > face->doubt) return 1;
  if (value < -face->doubt) return -1;
  return brinkOrientation(a, work->points[face->vertices[1]].x, work->points[face->vertices[2]].x, x);
}

static double heightOver(const hullWork *work, const triangle *face, uint32_t point) {
  double error;
  return brinkRoundedOrientation(work->points[face->vertices[0]].x, work->points[face->vertices[1]].x,
                                 work->points[face->vertices[2]].x, work->points[point].x, &error);
}

/* Gives `point` to the first triangle from `first` on that sees it. Equal heights: the later point, which is the
 * lexicographically greatest, so that of a row of equally high points an end is taken. */
static void assignPoint(hullWork *work, size_t first, uint32_t point) {
  for (size_t f = first; f < work->triangleCount; ++f) {
    triangle *face = &work->triangles[f];
    if (seen(work, face, point) <= 0) continue;
    double height = heightOver(work, face, point);
    if (face->outside == NONE || height > face->height || (height == face->height && point > face->furthest)) {
      face->furthest = point;
      face->height = height;
    }
    work->next[point] = face->outside;
    face->outside = point;
    return;
  }
}

static brinkStatus addTriangle(hullWork *work, uint32_t a, uint32_t b, uint32_t c) {
  if (work->triangleCount >= NONE - 1) return brinkFail(work->context, brink_errorRange, "hull of too many points");
  void *block = work->triangles;
  brinkStatus status =
      brinkReserve(work->context, &block, &work->triangleCapacity, work->triangleCount + 1, sizeof(triangle));
  work->triangles = block;
  if (status != brink_ok) return status;
  triangle *made = &work->triangles[work->triangleCount++];
  *made = (triangle){
      .vertices = {a, b, c}, .adjacent = {NONE, NONE, NONE}, .outside = NONE, .furthest = NONE, .mark = NONE};
  double sides[2][3], longest[2] = {0, 0};
  for (int k = 0; k < 3; ++k) {
    sides[0][k] = work->points[b].x[k] - work->points[a].x[k];
    sides[1][k] = work->points[c].x[k] - work->points[a].x[k];
    for (int i = 0; i < 2; ++i) longest[i] = BRINK_MAX(longest[i], fabs(sides[i][k]));
  }
  for (int k = 0; k < 3; ++k)
    made->normal[k] = sides[0][(k + 1) % 3] * sides[1][(k + 2) % 3] - sides[0][(k + 2) % 3] * sides[1][(k + 1) % 3];
  made->doubt = 64 * (0.5 * DBL_EPSILON) * longest[0] * longest[1] * work->extent;
  return brink_ok;
}

/* All triangles that `point` sees, from `first` over edges, into work->visible; they are marked dead. */
static brinkStatus collectVisible(hullWork *work, uint32_t first, uint32_t point) {
  work->visibleCount = work->stackCount = 0;
  work->triangles[first].mark = point;
  work->triangles[first].dead = 1;
  brinkStatus status = pushIndex(work->context, &work->stack, &work->stackCount, &work->stackCapacity, first);
  while (status == brink_ok && work->stackCount > 0) {
    uint32_t f = work->stack[--work->stackCount];
    status = pushIndex(work->context, &work->visible, &work->visibleCount, &work->visibleCapacity, f);
    for (int k = 0; status == brink_ok && k < 3; ++k) {
      uint32_t g = work->triangles[f].adjacent[k];
      triangle *neighbor = &work->triangles[g];
      if (neighbor->mark == point) continue;
      neighbor->mark = point;
      if (seen(work, neighbor, point) <= 0) continue;
      neighbor->dead = 1;
      status = pushIndex(work->context, &work->stack, &work->stackCount, &work->stackCapacity, g);
    }
  }
  return status;
}

/* Replaces the triangles that `point` sees by the cone over their horizon. */
static brinkStatus addPoint(hullWork *work, uint32_t first, uint32_t point) {
  brinkStatus status = collectVisible(work, first, point);
  if (status != brink_ok) return status;
  size_t firstNew = work->triangleCount;
  for (size_t i = 0; i < work->visibleCount; ++i) {
    for (int k = 0; k < 3; ++k) {
      const triangle *face = &work->triangles[work->visible[i]];
      uint32_t outer = face->adjacent[k], a = face->vertices[k], b = face->vertices[(k + 1) % 3];
      if (work->triangles[outer].dead) continue;
      status = addTriangle(work, a, b, point);
      if (status != brink_ok) return status;
      uint32_t added = (uint32_t)(work->triangleCount - 1);
      work->triangles[added].adjacent[0] = outer;
      triangle *neighbor = &work->triangles[outer];
      for (int m = 0; m < 3; ++m)
        if (neighbor->vertices[m] == b && neighbor->vertices[(m + 1) % 3] == a) neighbor->adjacent[m] = added;
      work->startTriangle[a] = added;
    }
  }
  for (size_t f = firstNew; f < work->triangleCount; ++f) {
    uint32_t following = work->startTriangle[work->triangles[f].vertices[1]];
    work->triangles[f].adjacent[1] = following;
    work->triangles[following].adjacent[2] = (uint32_t)f;
  }
  for (size_t i = 0; i < work->visibleCount; ++i) {
    for (uint32_t p = work->triangles[work->visible[i]].outside, following; p != NONE; p = following) {
      following = work->next[p];
      if (p != point) assignPoint(work, firstNew, p);
    }
  }
  return brink_ok;
}

/* Exact quickhull from a nondegenerate first tetrahedron. */
static brinkStatus exactHull(hullWork *work, const uint32_t corner[4]) {
  uint32_t a = corner[0], b = corner[1], c = corner[2], d = corner[3];
  size_t listSize = work->inputCount * sizeof(uint32_t);
  if (!work->startTriangle) work->startTriangle = brinkAllocate(work->context, listSize);
  if (!work->startTriangle)
    return brinkFail(work->context, brink_errorNoMemory, "no memory for the hull of %u points", work->count);
  work->triangleCount = 0;
  if (brinkOrientation(work->points[a].x, work->points[b].x, work->points[c].x, work->points[d].x) > 0) {
    uint32_t swap = b;
    b = c;
    c = swap;
  }
  brinkStatus status = addTriangle(work, a, b, c);             /* 0: edges ab bc ca */
  if (status == brink_ok) status = addTriangle(work, a, d, b); /* 1: ad db ba */
  if (status == brink_ok) status = addTriangle(work, b, d, c); /* 2: bd dc cb */
  if (status == brink_ok) status = addTriangle(work, c, d, a); /* 3: cd da ac */
  if (status != brink_ok) return status;
  static const uint32_t adjacency[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; ++f)
    for (int k = 0; k < 3; ++k) work->triangles[f].adjacent[k] = adjacency[f][k];
  for (uint32_t p = 0; p < work->count; ++p)
    if (p != a && p != b && p != c && p != d) assignPoint(work, 0, p);
  for (size_t f = 0; status == brink_ok && f < work->triangleCount; ++f)
    if (!work->triangles[f].dead && work->triangles[f].outside != NONE)
      status = addPoint(work, (uint32_t)f, work->triangles[f].furthest);
  work->faceCount = 0;
  for (size_t f = 0; status == brink_ok && f < work->triangleCount; ++f)
    for (int k = 0; status == brink_ok && !work->triangles[f].dead && k < 3; ++k)
      status =
          pushIndex(work->context, &work->faces, &work->faceCount, &work->faceCapacity, work->triangles[f].vertices[k]);
  work->faceCount /= 3;
  return status;
}

/* ---- qhull */

typedef struct qhullWork {
  hullWork *work;
  bool usable;
} qhullWork;

/* Copies qhull's triangles, outward from the vertices' mean; not usable when one of them is flat as seen from there. */
static brinkStatus readQhull(void *user, qhT *qh, const double *coordinates) {
  qhullWork *reading = user;
  hullWork *work = reading->work;
  double inner[3] = {0.0, 0.0, 0.0};
  size_t vertexCount = 0;
  vertexT *vertex, **vertexp;
  FORALLvertices {
    for (int k = 0; k < 3; ++k) inner[k] += vertex->point[k];
    ++vertexCount;
  }
  for (int k = 0; k < 3; ++k) inner[k] /= (double)vertexCount;
  facetT *facet;
  brinkStatus status = brink_ok;
  work->faceCount = 0;
  FORALLfacets {
    uint32_t corner[3] = {0, 0, 0}, cornerCount = 0;
    FOREACHvertex_(facet->vertices) {
      if (cornerCount < 3) corner[cornerCount] = (uint32_t)((vertex->point - coordinates) / 3);
      ++cornerCount;
    }
    if (cornerCount != 3) return brink_ok;
    int side = brinkOrientation(work->points[corner[0]].x, work->points[corner[1]].x, work->points[corner[2]].x, inner);
    if (side == 0) return brink_ok;
    for (int k = 0; status == brink_ok && k < 3; ++k)
      status =
          pushIndex(work->context, &work->faces, &work->faceCount, &work->faceCapacity, corner[side < 0 ? k : 2 - k]);
    if (status != brink_ok) return status;
  }
  work->faceCount /= 3;
  reading->usable = true;
  return brink_ok;
}

/* Runs qhull on the distinct points. Any complaint of qhull's just means "not usable". */
static brinkStatus runQhull(hullWork *work, bool *usable) {
  qhullWork reading = {work, false};
  size_t size = 3 * (size_t)work->count * sizeof(double);
  double *coordinates = brinkAllocate(work->context, size);
  brinkStatus status = coordinates != NULL ? brink_ok
                                           : brinkFail(work->context, brink_errorNoMemory,
                                                       "no memory for the hull of %u points", work->count);
  for (uint32_t i = 0; i < work->count && status == brink_ok; ++i)
    memcpy(coordinates + 3 * (size_t)i, work->points[i].x, 3 * sizeof(double));
  char command[] = "qhull Qt Pp";
  if (status == brink_ok) status = brinkRunQhull(work->context, coordinates, work->count, command, readQhull, &reading);
  *usable = reading.usable;
  brinkRelease(work->context, coordinates, size);
  return status;
}

typedef struct faceEdge {
  uint64_t key;   /* from << 32 | to */
  uint32_t place; /* 3 face + edge */
} faceEdge;

static int compareFaceEdges(const void *left, const void *right) {
  const faceEdge *a = left, *b = right;
  return a->key < b->key ? -1 : a->key > b->key;
}

/* Faces across each edge of a closed surface: adjacent[3 f + k] across the edge from corner k. */
static brinkStatus connectFaces(hullWork *work, uint32_t *adjacent) {
  size_t count = 3 * work->faceCount, size = 2 * count * sizeof(faceEdge);
  faceEdge *edges = brinkAllocate(work->context, size), *reversed = edges ? edges + count : NULL;
  if (!edges) return brinkFail(work->context, brink_errorNoMemory, "no memory for the hull of %u points", work->count);
  for (size_t i = 0; i < count; ++i) {
    uint32_t from = work->faces[i], to = work->faces[i - i % 3 + (i + 1) % 3];
    edges[i] = (faceEdge){edgeKey(from, to), (uint32_t)i};
    reversed[i] = (faceEdge){edgeKey(to, from), (uint32_t)i};
  }
  qsort(edges, count, sizeof *edges, compareFaceEdges);
  qsort(reversed, count, sizeof *reversed, compareFaceEdges); /* each edge runs once each way: the lists agree */
  for (size_t i = 0; i < count; ++i) adjacent[edges[i].place] = reversed[i].place / 3;
  brinkRelease(work->context, edges, size);
  return brink_ok;
}

/* Is the point in the hull, exactly? Walks over the faces of a proven surface, from *face on, to one whose cone from
 * the inner point `o` holds it: it is inside when it is not above that face. */
static bool isBelowFaces(const hullWork *work, const uint32_t *adjacent, const double o[3], uint32_t point,
                         uint32_t *face) {
  const double *p = work->points[point].x;
  for (size_t step = 0; step < work->faceCount + 16; ++step) {
    const uint32_t *corner = &work->faces[3 * (size_t)*face];
    int out = -1;
    for (int k = 0; k < 3 && out < 0; ++k)
      if (brinkOrientation(o, work->points[corner[k]].x, work->points[corner[(k + 1) % 3]].x, p) < 0) out = k;
    if (out < 0)
      return brinkOrientation(work->points[corner[0]].x, work->points[corner[1]].x, work->points[corner[2]].x, p) <= 0;
    *face = adjacent[3 * (size_t)*face + (size_t)out];
  }
  for (size_t f = 0; f < work->faceCount; ++f) /* the walk got nowhere: all planes */
    if (brinkOrientation(work->points[work->faces[3 * f]].x, work->points[work->faces[3 * f + 1]].x,
                         work->points[work->faces[3 * f + 2]].x, p) > 0)
      return false;
  return true;
}

/* Conditions (1) and (2) of the file's head for work->faces. */
static brinkStatus verifyFaces(hullWork *work, bool *proven) {
  *proven = false;
  size_t flatSize = 3 * (size_t)work->count * sizeof(double), adjacentSize = 3 * work->faceCount * sizeof(uint32_t);
  double *flat = brinkAllocate(work->context, flatSize);
  uint8_t *isVertex = brinkAllocateZeroed(work->context, work->count, 1);
  uint32_t *adjacent = brinkAllocate(work->context, adjacentSize);
  brinkStatus status = brink_ok;
  if (!flat || !isVertex || !adjacent) {
    status = brinkFail(work->context, brink_errorNoMemory, "no memory for the hull of %u points", work->count);
  } else {
    for (uint32_t i = 0; i < work->count; ++i)
      memcpy(&flat[3 * (size_t)i], work->points[i].x, sizeof work->points[i].x);
    for (size_t i = 0; i < 3 * work->faceCount; ++i) isVertex[work->faces[i]] = 1;
    status = brinkIsConvexSurface(work->context, flat, work->faces, (uint32_t)work->faceCount, proven);
    if (status == brink_ok && *proven) status = connectFaces(work, adjacent);
    double inner[3]; /* strictly below every face: that is part of the proof above */
    makeInnerPoint(flat, work->faces, (uint32_t)work->faceCount, inner);
    uint32_t face = 0;
    for (uint32_t i = 0; status == brink_ok && *proven && i < work->count; ++i)
      if (!isVertex[i]) *proven = isBelowFaces(work, adjacent, inner, i, &face);
  }
  brinkRelease(work->context, flat, flatSize);
  brinkRelease(work->context, isVertex, work->count);
  brinkRelease(work->context, adjacent, adjacentSize);
  return status;
}

/* Do faces f and g (of a convex surface) lie in one plane? */
static bool areCoplanar(const hullWork *work, uint32_t f, uint32_t g) {
  const uint32_t *a = &work->faces[3 * (size_t)f], *b = &work->faces[3 * (size_t)g];
  for (int k = 0; k < 3; ++k)
    if (b[k] != a[0] && b[k] != a[1] && b[k] != a[2] &&
        brinkOrientation(work->points[a[0]].x, work->points[a[1]].x, work->points[a[2]].x, work->points[b[k]].x) != 0)
      return false;
  return true;
}

/* A vertex of a convex surface is extreme when its triangles lie in three planes or more; in two: inside an edge. */
static bool isExtreme(const hullWork *work, const uint32_t *around, uint32_t count) {
  uint32_t second = NONE;
  for (uint32_t i = 1; i < count; ++i) {
    if (areCoplanar(work, around[0], around[i])) continue;
    if (second == NONE)
      second = around[i];
    else if (!areCoplanar(work, second, around[i]))
      return true;
  }
  return false;
}

/* Leaves in work->points only the hull's extreme points; *dropped when the surface had others (inside faces, edges). */
static brinkStatus keepExtremePoints(hullWork *work, bool *dropped) {
  size_t startSize = ((size_t)work->count + 1) * sizeof(uint32_t), listSize = 3 * work->faceCount * sizeof(uint32_t);
  uint32_t *start = brinkAllocateZeroed(work->context, (size_t)work->count + 1, sizeof(uint32_t));
  uint32_t *list = brinkAllocate(work->context, listSize); /* faces around each point */
  brinkStatus status = brink_ok;
  *dropped = false;
  if (start && list) {
    for (size_t i = 0; i < 3 * work->faceCount; ++i) start[work->faces[i]] += 1;
    for (uint32_t p = 0; p < work->count; ++p) start[p + 1] += start[p]; /* ends; filling turns them into starts */
    for (size_t i = 3 * work->faceCount; i-- > 0;) list[--start[work->faces[i]]] = (uint32_t)(i / 3);
    uint32_t kept = 0;
    for (uint32_t p = 0; p < work->count; ++p) { /* faces refer to old places: mark first, move after */
      bool extreme = start[p + 1] > start[p] && isExtreme(work, &list[start[p]], start[p + 1] - start[p]);
      *dropped = *dropped || (start[p + 1] > start[p] && !extreme);
      if (extreme) work->next[kept++] = p;
    }
    for (uint32_t k = 0; *dropped && k < kept; ++k) work->points[k] = work->points[work->next[k]];
    if (*dropped) work->count = kept;
  } else {
    status = brinkFail(work->context, brink_errorNoMemory, "no memory for the hull of %u points", work->count);
  }
  brinkRelease(work->context, start, startSize);
  brinkRelease(work->context, list, listSize);
  return status;
}

static brinkStatus solidHull(hullWork *work, const uint32_t corner[4]) {
  bool proven = false;
  if (work->count > SMALL_SET && work->count <= INT32_MAX / 8) {
    brinkStatus status = runQhull(work, &proven);
    if (status == brink_ok && proven) status = verifyFaces(work, &proven);
    if (status != brink_ok) return status;
  }
  return proven ? brink_ok : exactHull(work, corner);
}

/* ---- dimension and flat sets */

/* Point off the line through a and b, the furthest if rounding can tell; NONE when all are on it. */
static uint32_t findOffLine(const hullWork *work, uint32_t a, uint32_t b) {
  brinkVec3 origin = brinkV3_FromArray(work->points[a].x),
            along = brinkSub(brinkV3_FromArray(work->points[b].x), origin);
  uint32_t best = NONE;
  double bestArea = -1.0;
  for (uint32_t i = 0; i < work->count; ++i) {
    double area = brinkLengthSquared(brinkCross(along, brinkSub(brinkV3_FromArray(work->points[i].x), origin)));
    if (area >= bestArea) {
      bestArea = area;
      best = i;
    }
  }
  if (!brinkCollinear(work->points[a].x, work->points[b].x, work->points[best].x)) return best;
  for (uint32_t i = 0; i < work->count; ++i)
    if (!brinkCollinear(work->points[a].x, work->points[b].x, work->points[i].x)) return i;
  return NONE;
}

static uint32_t findOffPlane(const hullWork *work, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t best = NONE;
  double bestHeight = -1.0, error;
  for (uint32_t i = 0; i < work->count; ++i) {
    double height = fabs(
        brinkRoundedOrientation(work->points[a].x, work->points[b].x, work->points[c].x, work->points[i].x, &error));
    if (height >= bestHeight) {
      bestHeight = height;
      best = i;
    }
  }
  const double *pa = work->points[a].x, *pb = work->points[b].x, *pc = work->points[c].x;
  if (brinkOrientation(pa, pb, pc, work->points[best].x) != 0) return best;
  for (uint32_t i = 0; i < work->count; ++i)
    if (brinkOrientation(pa, pb, pc, work->points[i].x) != 0) return i;
  return NONE;
}

/* Exactly coplanar points: monotone chain in the coordinate plane onto which they project best. */
static brinkStatus planarHull(hullWork *work, const uint32_t corner[3]) {
  const double *a = work->points[corner[0]].x, *b = work->points[corner[1]].x, *c = work->points[corner[2]].x;
  int u = 0, v = 1;
  double bestArea = -1.0;
  for (int k = 0; k < 3; ++k) {
    int p = (k + 1) % 3, q = (k + 2) % 3;
    double area = fabs((b[p] - a[p]) * (c[q] - a[q]) - (b[q] - a[q]) * (c[p] - a[p]));
    if (area <= bestArea || brinkOrientation2(a[p], a[q], b[p], b[q], c[p], c[q]) == 0) continue;
    bestArea = area;
    u = p;
    v = q;
  }
  size_t flatSize = work->count * sizeof(sortedPoint);
  sortedPoint *flat = brinkAllocate(work->context, flatSize);
  if (!flat) return brinkFail(work->context, brink_errorNoMemory, "no memory for the hull of %u points", work->count);
  for (uint32_t i = 0; i < work->count; ++i)
    flat[i] = (sortedPoint){{work->points[i].x[u], work->points[i].x[v], 0.0}, i};
  qsort(flat, work->count, sizeof *flat, comparePoints);
  brinkStatus status = brink_ok;
  work->chosenCount = 0; /* holds positions in `flat` until the end */
  for (int pass = 0; pass < 2; ++pass) {
    size_t base = work->chosenCount;
    for (uint32_t step = 0; status == brink_ok && step < work->count; ++step) {
      uint32_t i = pass == 0 ? step : work->count - 1 - step;
      while (work->chosenCount >= base + 2) {
        const double *p = flat[work->chosen[work->chosenCount - 2]].x, *q = flat[work->chosen[work->chosenCount - 1]].x;
        if (brinkOrientation2(p[0], p[1], q[0], q[1], flat[i].x[0], flat[i].x[1]) > 0) break;
        --work->chosenCount;
      }
      status = pushIndex(work->context, &work->chosen, &work->chosenCount, &work->chosenCapacity, i);
    }
    if (status == brink_ok) --work->chosenCount; /* the end of one chain is the start of the other */
  }
  for (size_t i = 0; i < work->chosenCount; ++i) work->chosen[i] = flat[work->chosen[i]].id;
  brinkRelease(work->context, flat, flatSize);
  return status;
}

/* ---- the way through */

/* Scaled, sorted, distinct; *wild when the magnitudes span more than exact predicates carry. */
static brinkStatus preparePoints(hullWork *work, const double *points, uint32_t count, bool *wild) {
  double largest = 0.0, smallest = INFINITY;
  for (size_t i = 0; i < 3 * (size_t)count; ++i) {
    double magnitude = fabs(points[i]);
    if (!isfinite(magnitude))
      return brinkFail(work->context, brink_errorBadValue, "point %zu of a hull is not finite; give finite coordinates",
                       i / 3);
    largest = fmax(largest, magnitude);
    if (magnitude > 0.0) smallest = fmin(smallest, magnitude);
  }
  int exponent = 0;
  frexp(largest, &exponent);
  *wild = largest > 0.0 && smallest < largest * SMALLEST_EXACT;
  work->points = brinkAllocate(work->context, (size_t)count * sizeof(sortedPoint));
  work->next = brinkAllocate(work->context, (size_t)count * sizeof(uint32_t));
  work->inputCount = count;
  if (!work->points || !work->next)
    return brinkFail(work->context, brink_errorNoMemory, "no memory for the hull of %u points", count);
  for (uint32_t i = 0; i < count; ++i) {
    for (int k = 0; k < 3; ++k) {
      double x = points[3 * (size_t)i + k];
      work->points[i].x[k] = *wild ? x : ldexp(x, -exponent); /* exact unless wild */
    }
    work->points[i].id = i;
  }
  sortPoints(work->points, count);
  work->count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const sortedPoint *last = work->count ? &work->points[work->count - 1] : NULL;
    const sortedPoint *point = &work->points[i];
    if (last && last->x[0] == point->x[0] && last->x[1] == point->x[1] && last->x[2] == point->x[2]) continue;
    work->points[work->count++] = *point;
  }
  work->extent = 0;
  for (int k = 0; k < 3; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < work->count; ++i) {
      double x = work->points[i].x[k];
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
    work->extent = BRINK_MAX(work->extent, (high - low) * (1 + DBL_EPSILON));
  }
  return brink_ok;
}

static int compareIndices(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

static int compareKeys(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

/* out->vertices from those of work->points with used[i] != 0; used[i] becomes 1 + place in out->vertices. */
static brinkStatus emitVertices(hullWork *work, uint32_t *used, brinkConvexHull *out) {
  uint32_t vertexCount = 0;
  for (uint32_t i = 0; i < work->count; ++i) vertexCount += used[i] != 0;
  out->vertices = brinkAllocate(work->context, vertexCount * sizeof(uint32_t));
  size_t placeSize = (size_t)work->inputCount * sizeof(uint32_t);
  uint32_t *place = brinkAllocate(work->context, placeSize); /* input index -> place */
  if (out->vertices && place) {
    out->vertexCount = vertexCount;
    vertexCount = 0;
    for (uint32_t i = 0; i < work->count; ++i)
      if (used[i]) out->vertices[vertexCount++] = work->points[i].id;
    qsort(out->vertices, vertexCount, sizeof(uint32_t), compareIndices);
    for (uint32_t i = 0; i < vertexCount; ++i) place[out->vertices[i]] = i;
    for (uint32_t i = 0; i < work->count; ++i)
      if (used[i]) used[i] = 1 + place[work->points[i].id];
  }
  brinkStatus status = out->vertices && place ? brink_ok
                                              : brinkFail(work->context, brink_errorNoMemory,
                                                          "no memory for %u hull vertices", vertexCount);
  if (status != brink_ok && out->vertices) {
    brinkRelease(work->context, out->vertices, vertexCount * sizeof(uint32_t));
    out->vertices = NULL;
  }
  brinkRelease(work->context, place, placeSize);
  return status;
}

/* keys: directed edges (from << 32 | to) by places in out->vertices; sorted here. */
static brinkStatus emitNeighbors(hullWork *work, uint64_t *keys, size_t keyCount, brinkConvexHull *out) {
  out->neighborStart = brinkAllocateZeroed(work->context, (size_t)out->vertexCount + 1, sizeof(uint32_t));
  if (!out->neighborStart) return brinkFail(work->context, brink_errorNoMemory, "no memory for hull neighbours");
  if (keyCount == 0) return brink_ok;
  qsort(keys, keyCount, sizeof *keys, compareKeys);
  size_t distinct = 0;
  for (size_t i = 0; i < keyCount; ++i)
    if (distinct == 0 || keys[distinct - 1] != keys[i]) keys[distinct++] = keys[i];
  out->neighbors = brinkAllocate(work->context, distinct * sizeof(uint32_t));
  if (!out->neighbors) return brinkFail(work->context, brink_errorNoMemory, "no memory for hull neighbours");
  out->neighborCount = (uint32_t)distinct;
  for (size_t i = 0; i < distinct; ++i) {
    out->neighborStart[(keys[i] >> 32) + 1] += 1;
    out->neighbors[i] = (uint32_t)keys[i];
  }
  for (uint32_t i = 0; i < out->vertexCount; ++i) out->neighborStart[i + 1] += out->neighborStart[i];
  return brink_ok;
}

/* Result from work->faces (solid), else work->chosen (polygon, segment, point), else all points. */
static brinkStatus emitHull(hullWork *work, brinkConvexHull *out) {
  size_t usedSize = work->count * sizeof(uint32_t);
  size_t keyCapacity = BRINK_MAX(3 * work->faceCount, 2 * work->chosenCount) + 1;
  uint32_t *used = brinkAllocateZeroed(work->context, work->count, sizeof(uint32_t));
  uint64_t *keys = brinkAllocate(work->context, keyCapacity * sizeof(uint64_t));
  size_t keyCount = 0;
  brinkStatus status = used && keys ? brink_ok : brinkFail(work->context, brink_errorNoMemory, "no memory for a hull");
  if (status == brink_ok) {
    for (size_t i = 0; i < 3 * work->faceCount; ++i) used[work->faces[i]] = 1;
    for (size_t i = 0; i < work->chosenCount; ++i) used[work->chosen[i]] = 1;
    if (work->faceCount + work->chosenCount == 0)
      for (uint32_t i = 0; i < work->count; ++i) used[i] = 1;
    status = emitVertices(work, used, out);
  }
  if (work->onlyVertices) {
    brinkRelease(work->context, used, usedSize);
    brinkRelease(work->context, keys, keyCapacity * sizeof(uint64_t));
    return status;
  }
  if (status == brink_ok && work->faceCount > 0) {
    out->faces = brinkAllocate(work->context, 3 * work->faceCount * sizeof(uint32_t));
    if (out->faces) {
      out->faceCount = (uint32_t)work->faceCount;
      for (size_t i = 0; i < 3 * work->faceCount; ++i) {
        size_t following = i - i % 3 + (i + 1) % 3;
        out->faces[i] = used[work->faces[i]] - 1;
        keys[keyCount++] = edgeKey(used[work->faces[i]] - 1, used[work->faces[following]] - 1);
      }
    } else {
      status = brinkFail(work->context, brink_errorNoMemory, "no memory for %zu hull triangles", work->faceCount);
    }
  }
  if (status == brink_ok && work->chosenCount > 1) {
    for (size_t i = 0; i < work->chosenCount; ++i) {
      uint32_t from = used[work->chosen[i]] - 1, to = used[work->chosen[(i + 1) % work->chosenCount]] - 1;
      keys[keyCount++] = edgeKey(from, to);
      keys[keyCount++] = edgeKey(to, from);
    }
  }
  if (status == brink_ok) status = emitNeighbors(work, keys, keyCount, out);
  brinkRelease(work->context, used, usedSize);
  brinkRelease(work->context, keys, keyCapacity * sizeof(uint64_t));
  return status;
}

/* Hull of work->points by their dimension. */
static brinkStatus hullByDimension(hullWork *work, int *dimension) {
  uint32_t corner[4] = {0, work->count - 1, NONE, NONE};
  work->faceCount = work->chosenCount = 0;
  if (work->count > 2) corner[2] = findOffLine(work, corner[0], corner[1]);
  if (corner[2] != NONE) corner[3] = findOffPlane(work, corner[0], corner[1], corner[2]);
  *dimension = corner[3] != NONE ? 3 : corner[2] != NONE ? 2 : work->count > 1 ? 1 : 0;
  if (*dimension == 3) return solidHull(work, corner);
  if (*dimension == 2) return planarHull(work, corner);
  brinkStatus status = brink_ok;
  for (int k = 0; status == brink_ok && k <= *dimension; ++k) /* ascending order along a line: the ends */
    status = pushIndex(work->context, &work->chosen, &work->chosenCount, &work->chosenCapacity, corner[k]);
  return status;
}

static brinkStatus buildHull(hullWork *work, const double *points, uint32_t count, brinkConvexHull *out) {
  bool wild = false, dropped = false;
  brinkStatus status = preparePoints(work, points, count, &wild);
  if (status != brink_ok) return status;
  out->dimension = (int)BRINK_MIN(work->count - 1, 3u);
  if (wild && work->count > 2) return emitHull(work, out);
  status = hullByDimension(work, &out->dimension);
  if (status == brink_ok && out->dimension == 3) status = keepExtremePoints(work, &dropped);
  if (status == brink_ok && dropped) status = hullByDimension(work, &out->dimension);
  return status == brink_ok ? emitHull(work, out) : status;
}

static brinkStatus makeHull(brinkContext *context, const double *points, uint32_t count, bool onlyVertices,
                            brinkConvexHull *out) {
  memset(out, 0, sizeof *out);
  if (count == 0) return brinkFail(context, brink_errorEmpty, "a hull needs at least one point");
  hullWork work = {.context = context, .onlyVertices = onlyVertices};
  brinkStatus status = buildHull(&work, points, count, out);
  brinkRelease(context, work.points, (size_t)work.inputCount * sizeof(sortedPoint));
  brinkRelease(context, work.next, work.inputCount * sizeof(uint32_t));
  brinkRelease(context, work.startTriangle, work.inputCount * sizeof(uint32_t));
  brinkRelease(context, work.triangles, work.triangleCapacity * sizeof(triangle));
  brinkRelease(context, work.stack, work.stackCapacity * sizeof(uint32_t));
  brinkRelease(context, work.visible, work.visibleCapacity * sizeof(uint32_t));
  brinkRelease(context, work.faces, work.faceCapacity * sizeof(uint32_t));
  brinkRelease(context, work.chosen, work.chosenCapacity * sizeof(uint32_t));
  if (status != brink_ok) brinkFreeConvexHull(context, out);
  return status;
}

brinkStatus brinkMakeConvexHull(brinkContext *context, const double *points, uint32_t count, brinkConvexHull *out) {
  return makeHull(context, points, count, false, out);
}

brinkStatus brinkFindHullVertices(brinkContext *context, const double *points, uint32_t count, brinkConvexHull *out) {
  return makeHull(context, points, count, true, out);
}

void brinkFreeConvexHull(brinkContext *context, brinkConvexHull *hull) {
  brinkRelease(context, hull->vertices, hull->vertexCount * sizeof(uint32_t));
  brinkRelease(context, hull->neighborStart, ((size_t)hull->vertexCount + 1) * sizeof(uint32_t));
  brinkRelease(context, hull->neighbors, hull->neighborCount * sizeof(uint32_t));
  brinkRelease(context, hull->faces, 3 * (size_t)hull->faceCount * sizeof(uint32_t));
  memset(hull, 0, sizeof *hull);
}
