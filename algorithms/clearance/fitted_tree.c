/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging of clusters of triangles, the cheapest pair of neighbours first. What a merge costs is how far vertices of
 * the one stick out in front of the triangles of the other, and a little for its size, so that what costs nothing
 * (flats, convex bodies) grows evenly. Clusters that have become as large as a hull may be are put together from the
 * top, by halves along the longest axis. */
#include "fitted_tree.h"

#include "base.h"
#include "largest_product.h"

#include <stdlib.h>
#include <string.h>

#define MOST_VERTICES 48u /* of a hull; more: the corners of a box */
#define SIZE_WEIGHT 0.05  /* metres of bulge that a metre of size is worth */
#define FEWER 4u          /* times fewer clusters than triangles: else surfaces could not be followed */
#define NONE UINT32_MAX

typedef struct Cluster {
  uint32_t firstVertex, vertexCount;     /* in the pool; 0: more than a hull has */
  uint32_t firstTriangle, lastTriangle;  /* a list */
  uint32_t firstNeighbor, neighborCount; /* in the pool */
  uint32_t into;                         /* the cluster it became part of; itself: none */
  uint32_t mark;                         /* of who looked at it last */
  double bulge;                          /* how far its vertices stick out in front of its triangles */
  brinkVec3 low, high;
} Cluster;

typedef struct Face { /* plane of a triangle, n.x <= offset behind it */
  brinkVec3 n;
  double offset;
  uint32_t next; /* in the list of its cluster */
} Face;

typedef struct Edge {
  uint32_t low, high, triangle;
} Edge;

typedef struct Merge { /* that may be done */
  double cost, bulge;
  uint32_t a, b;
} Merge;

typedef struct Placed { /* a cluster of the top, along an axis */
  double at;
  uint32_t cluster;
} Placed;

typedef struct Build {
  brinkContext *context;
  brinkFittedTree *tree;
  double radius;
  Cluster *clusters;
  Face *faces;
  Edge *edges;
  Merge *heap;
  Placed *rest;
  uint32_t *neighbors;
  size_t vertexCount, neighborCount, heapCount;
  brinkStatus status;
} Build;

enum { workClusters, workFaces, workEdges, workHeap, workNeighbors, workRest };
static const size_t sizes[BRINK_FITTED_WORK] = {sizeof(Cluster), sizeof(Face),     sizeof(Edge),
                                                sizeof(Merge),   sizeof(uint32_t), sizeof(Placed)};

static void *reserve(Build *build, int work, size_t count) {
  brinkFittedTree *tree = build->tree;
  build->status = brinkReserve(build->context, &tree->work[work], &tree->workCapacity[work], count, sizes[work]);
  return tree->work[work];
}

static void reserveVertices(Build *build, size_t count) {
  brinkFittedTree *tree = build->tree;
  void *block = tree->vertices;
  build->status = brinkReserve(build->context, &block, &tree->vertexCapacity, 3 * count, sizeof(double));
  tree->vertices = block;
  if (build->status != brink_ok) return;
  block = tree->ids;
  build->status = brinkReserve(build->context, &block, &tree->idCapacity, count, sizeof(uint32_t));
  tree->ids = block;
}

static void addVertex(Build *build, const double place[3], uint32_t id) {
  brinkFittedTree *tree = build->tree;
  memcpy(&tree->vertices[3 * build->vertexCount], place, 3 * sizeof(double));
  tree->ids[build->vertexCount++] = id;
}

/* ---- triangles, and which share an edge */

static int compareEdges(const void *x, const void *y) {
  const Edge *a = x, *b = y;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static void startTriangle(Build *build, const brinkHullTree *mesh, uint32_t slot) {
  brinkTriangleRoom room;
  const brinkPiece piece = brinkHullTree_Triangle(mesh, slot, &room, NULL);
  Cluster *cluster = &build->clusters[slot];
  *cluster = (Cluster){.firstVertex = (uint32_t)build->vertexCount,
                       .vertexCount = piece.count,
                       .firstTriangle = slot,
                       .lastTriangle = slot,
                       .into = slot,
                       .mark = NONE};
  brinkVec3 p[3];
  for (uint32_t k = 0; k < 3; ++k) p[k] = brinkV3_FromArray(room.vertices[k < piece.count ? k : 0]);
  cluster->low = brinkMinV3(p[0], brinkMinV3(p[1], p[2]));
  cluster->high = brinkMaxV3(p[0], brinkMaxV3(p[1], p[2]));
  Face *face = &build->faces[slot];
  face->n = brinkNormalizeOr(brinkCross(brinkSub(p[1], p[0]), brinkSub(p[2], p[0])), brinkV3(0, 0, 0));
  face->offset = brinkDot(face->n, p[0]);
  face->next = NONE;
  for (uint32_t k = 0; k < 3 && k < piece.count; ++k) addVertex(build, room.vertices[k], room.ids[k]);
  for (uint32_t k = 0; k < 3; ++k) {
    const uint32_t from = room.ids[k < piece.count ? k : 0], to = room.ids[k + 1 < piece.count ? k + 1 : 0];
    build->edges[3 * (size_t)slot + k] = (Edge){BRINK_MIN(from, to), BRINK_MAX(from, to), slot};
  }
}

/* ---- what a merge costs */

/* How far vertices of b stick out in front of triangles of a. */
static double bulgeOf(const Build *build, const Cluster *a, const Cluster *b) {
  const double *vertices = &build->tree->vertices[3 * (size_t)b->firstVertex];
  double most = 0.0;
  for (uint32_t t = a->firstTriangle; t != NONE; t = build->faces[t].next) {
    const Face *face = &build->faces[t];
    for (uint32_t i = 0; i < b->vertexCount; ++i) {
      const double *p = &vertices[3 * (size_t)i];
      const double out = face->n.x * p[0] + face->n.y * p[1] + face->n.z * p[2] - face->offset;
      most = BRINK_MAX(most, out);
    }
  }
  return most;
}

static bool isBelow(const Merge *x, const Merge *y) {
  if (x->cost != y->cost) return x->cost < y->cost;
  return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void propose(Build *build, uint32_t a, uint32_t b) {
  const Cluster *x = &build->clusters[a], *y = &build->clusters[b];
  if (x->vertexCount + y->vertexCount > MOST_VERTICES + 2) return; /* neighbours share two at least */
  double bulge = BRINK_MAX(x->bulge, y->bulge);
  bulge = BRINK_MAX(bulge, BRINK_MAX(bulgeOf(build, x, y), bulgeOf(build, y, x)));
  const double size = brinkDistance(brinkMinV3(x->low, y->low), brinkMaxV3(x->high, y->high));
  const Merge merge = {bulge + SIZE_WEIGHT * size, bulge, a, b};
  build->heap = reserve(build, workHeap, build->heapCount + 1);
  if (build->status != brink_ok) return;
  size_t at = build->heapCount++;
  for (; at > 0 && isBelow(&merge, &build->heap[(at - 1) / 2]); at = (at - 1) / 2)
    build->heap[at] = build->heap[(at - 1) / 2];
  build->heap[at] = merge;
}

/* Triangles that share an edge; of more than two at one, each and the next. */
static void startNeighbors(Build *build, uint32_t count) {
  const Edge *edges = build->edges;
  Cluster *clusters = build->clusters;
  for (int fill = 0; fill < 2; ++fill) {
    for (size_t i = 1; i < 3 * (size_t)count; ++i) {
      const uint32_t a = edges[i - 1].triangle, b = edges[i].triangle;
      if (edges[i].low != edges[i - 1].low || edges[i].high != edges[i - 1].high || a == b) continue;
      if (fill) {
        build->neighbors[clusters[a].firstNeighbor + clusters[a].neighborCount] = b;
        build->neighbors[clusters[b].firstNeighbor + clusters[b].neighborCount] = a;
      }
      ++clusters[a].neighborCount;
      ++clusters[b].neighborCount;
    }
    for (uint32_t i = 0; i < count && !fill; ++i) {
      clusters[i].firstNeighbor = (uint32_t)build->neighborCount;
      build->neighborCount += clusters[i].neighborCount;
      clusters[i].neighborCount = 0;
    }
  }
  for (uint32_t a = 0; a < count; ++a)
    for (uint32_t i = 0; i < clusters[a].neighborCount && build->status == brink_ok; ++i)
      if (build->neighbors[clusters[a].firstNeighbor + i] > a)
        propose(build, a, build->neighbors[clusters[a].firstNeighbor + i]);
}

static Merge popMerge(Build *build) {
  Merge *heap = build->heap, top = heap[0], last = heap[--build->heapCount];
  size_t at = 0, count = build->heapCount;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && isBelow(&heap[child + 1], &heap[child])) ++child;
    if (!isBelow(&heap[child], &last)) break;
    heap[at] = heap[child];
    at = child;
  }
  if (count > 0) heap[at] = last;
  return top;
}

/* ---- merging */

static uint32_t wholeOf(Cluster *clusters, uint32_t index) {
  while (clusters[index].into != index) index = clusters[index].into = clusters[clusters[index].into].into;
  return index;
}

/* Vertices of both, once each. False: too many. */
static bool joinVertices(Build *build, const Cluster *x, const Cluster *y, Cluster *out) {
  reserveVertices(build, build->vertexCount + x->vertexCount + y->vertexCount);
  if (build->status != brink_ok) return false;
  const double *vertices = build->tree->vertices;
  const uint32_t *ids = build->tree->ids;
  out->firstVertex = (uint32_t)build->vertexCount;
  for (uint32_t i = 0; i < x->vertexCount; ++i)
    addVertex(build, &vertices[3 * (size_t)(x->firstVertex + i)], ids[x->firstVertex + i]);
  for (uint32_t i = 0; i < y->vertexCount; ++i) {
    uint32_t k = 0;
    while (k < x->vertexCount && ids[x->firstVertex + k] != ids[y->firstVertex + i]) ++k;
    if (k == x->vertexCount) addVertex(build, &vertices[3 * (size_t)(y->firstVertex + i)], ids[y->firstVertex + i]);
  }
  out->vertexCount = (uint32_t)build->vertexCount - out->firstVertex;
  if (out->vertexCount <= MOST_VERTICES) return true;
  build->vertexCount = out->firstVertex;
  return false;
}

static void joinNeighbors(Build *build, uint32_t index) {
  Cluster *clusters = build->clusters, *out = &clusters[index];
  const uint32_t *child = build->tree->nodes[index].child;
  build->neighbors = reserve(
      build, workNeighbors, build->neighborCount + clusters[child[0]].neighborCount + clusters[child[1]].neighborCount);
  if (build->status != brink_ok) return;
  out->firstNeighbor = (uint32_t)build->neighborCount;
  out->mark = index;
  for (int k = 0; k < 2; ++k)
    for (uint32_t i = 0; i < clusters[child[k]].neighborCount; ++i) {
      const uint32_t other = wholeOf(clusters, build->neighbors[clusters[child[k]].firstNeighbor + i]);
      if (clusters[other].mark == index) continue;
      clusters[other].mark = index;
      build->neighbors[build->neighborCount++] = other;
    }
  out->neighborCount = (uint32_t)build->neighborCount - out->firstNeighbor;
}

/* A new node over two; its index. */
static uint32_t addNode(Build *build, uint32_t a, uint32_t b, double hides) {
  const uint32_t index = build->tree->nodeCount++;
  build->tree->nodes[index] = (brinkFittedNode){.hides = hides, .child = {a, b}};
  Cluster *x = &build->clusters[a], *y = &build->clusters[b], *out = &build->clusters[index];
  *out = (Cluster){.into = index, .mark = NONE};
  out->low = brinkMinV3(x->low, y->low);
  out->high = brinkMaxV3(x->high, y->high);
  x->into = y->into = index;
  return index;
}

static void mergeAll(Build *build) {
  while (build->heapCount > 0 && build->status == brink_ok) {
    const Merge merge = popMerge(build);
    Cluster *x = &build->clusters[merge.a], *y = &build->clusters[merge.b], joined = {0};
    if (x->into != merge.a || y->into != merge.b || !joinVertices(build, x, y, &joined)) continue;
    const uint32_t index = addNode(build, merge.a, merge.b, merge.cost);
    Cluster *out = &build->clusters[index];
    out->bulge = merge.bulge;
    out->firstVertex = joined.firstVertex;
    out->vertexCount = joined.vertexCount;
    out->firstTriangle = x->firstTriangle;
    out->lastTriangle = y->lastTriangle;
    build->faces[x->lastTriangle].next = y->firstTriangle;
    joinNeighbors(build, index);
    for (uint32_t i = 0; i < build->clusters[index].neighborCount && build->status == brink_ok; ++i)
      propose(build, build->neighbors[build->clusters[index].firstNeighbor + i], index);
  }
}

/* ---- the top */

static int comparePlaced(const void *x, const void *y) {
  const Placed *a = x, *b = y;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return a->cluster < b->cluster ? -1 : a->cluster > b->cluster;
}

/* One node over all of these, by halves: no deeper than 32. */
static uint32_t topOver(Build *build, Placed *list, uint32_t count) {
  if (count == 1) return list[0].cluster;
  const Cluster *clusters = build->clusters;
  brinkVec3 low = clusters[list[0].cluster].low, high = clusters[list[0].cluster].high;
  for (uint32_t i = 1; i < count; ++i) {
    low = brinkMinV3(low, clusters[list[i].cluster].low);
    high = brinkMaxV3(high, clusters[list[i].cluster].high);
  }
  const brinkVec3 size = brinkSub(high, low);
  const brinkVec3 axis = {size.x >= size.y && size.x >= size.z, size.y > size.x && size.y >= size.z,
                          size.z > size.x && size.z > size.y};
  for (uint32_t i = 0; i < count; ++i) {
    const Cluster *cluster = &clusters[list[i].cluster];
    list[i].at = brinkDot(axis, cluster->low) + brinkDot(axis, cluster->high);
  }
  qsort(list, count, sizeof *list, comparePlaced);
  const uint32_t a = topOver(build, list, count / 2), b = topOver(build, list + count / 2, count - count / 2);
  return addNode(build, a, b, brinkLength(size));
}

static void addCorners(Build *build, Cluster *cluster) {
  cluster->firstVertex = (uint32_t)build->vertexCount;
  cluster->vertexCount = 8;
  for (unsigned k = 0; k < 8; ++k) {
    const double corner[3] = {(k & 1u ? cluster->high : cluster->low).x, (k & 2u ? cluster->high : cluster->low).y,
                              (k & 4u ? cluster->high : cluster->low).z};
    addVertex(build, corner, k);
  }
}

static void makePieces(Build *build) {
  brinkFittedTree *tree = build->tree;
  reserveVertices(build, build->vertexCount + 8 * (size_t)tree->nodeCount);
  if (build->status != brink_ok) return;
  size_t room = 0;
  for (uint32_t i = 0; i < tree->nodeCount; ++i) {
    if (build->clusters[i].vertexCount == 0) addCorners(build, &build->clusters[i]);
    room += 3 * (size_t)brinkPointColumns_Room(build->clusters[i].vertexCount);
  }
  void *block = tree->columns;
  build->status = brinkReserve(build->context, &block, &tree->columnCapacity, room, sizeof(double));
  tree->columns = block;
  if (build->status != brink_ok) return;
  double *columns = tree->columns;
  for (uint32_t i = 0; i < tree->nodeCount; ++i) {
    const Cluster *cluster = &build->clusters[i];
    const double *vertices = &tree->vertices[3 * (size_t)cluster->firstVertex];
    brinkPiece *piece = &tree->nodes[i].piece;
    *piece = brinkMakePointPiece(vertices, cluster->vertexCount, build->radius);
    piece->vertexIds = &tree->ids[cluster->firstVertex];
    if (cluster->vertexCount <= 4) continue;
    piece->columns = columns;
    brinkMakePointColumns(vertices, cluster->vertexCount, columns);
    columns += 3 * (size_t)brinkPointColumns_Room(cluster->vertexCount);
  }
}

/* ---- public */

static void make(Build *build, const brinkHullTree *mesh) {
  brinkFittedTree *tree = build->tree;
  const uint32_t count = mesh->triangleCount;
  const size_t most = 2 * (size_t)count;
  tree->triangleCount = count;
  void *block = tree->nodes;
  build->status = brinkReserve(build->context, &block, &tree->nodeCapacity, most, sizeof(brinkFittedNode));
  tree->nodes = block;
  if (build->status == brink_ok) build->clusters = reserve(build, workClusters, most);
  if (build->status == brink_ok) build->faces = reserve(build, workFaces, count);
  if (build->status == brink_ok) build->edges = reserve(build, workEdges, 3 * (size_t)count);
  if (build->status == brink_ok) build->rest = reserve(build, workRest, count);
  if (build->status == brink_ok) build->neighbors = reserve(build, workNeighbors, 6 * (size_t)count);
  if (build->status == brink_ok) reserveVertices(build, 3 * (size_t)count);
  if (build->status != brink_ok) return;
  for (uint32_t slot = 0; slot < count; ++slot) {
    tree->nodes[slot] = (brinkFittedNode){.hides = 0.0};
    startTriangle(build, mesh, slot);
  }
  qsort(build->edges, 3 * (size_t)count, sizeof(Edge), compareEdges);
  startNeighbors(build, count);
  tree->nodeCount = count;
  mergeAll(build);
  uint32_t rest = 0;
  for (uint32_t i = 0; i < tree->nodeCount; ++i)
    if (build->clusters[i].into == i) build->rest[rest++] = (Placed){0.0, i};
  if (rest > count / FEWER || build->status != brink_ok) {
    tree->nodeCount = 0;
    return;
  }
  topOver(build, build->rest, rest);
  makePieces(build);
}

brinkStatus brinkFittedTree_Make(brinkContext *context, const brinkHullTree *mesh, double radius,
                                 brinkFittedTree *out) {
  Build build = {.context = context, .tree = out, .radius = radius, .status = brink_ok};
  out->nodeCount = 0;
  make(&build, mesh);
  if (build.status != brink_ok) out->nodeCount = 0;
  return build.status;
}

void brinkFittedTree_Free(brinkContext *context, brinkFittedTree *tree) {
  brinkRelease(context, tree->nodes, tree->nodeCapacity * sizeof *tree->nodes);
  brinkRelease(context, tree->vertices, tree->vertexCapacity * sizeof *tree->vertices);
  brinkRelease(context, tree->columns, tree->columnCapacity * sizeof *tree->columns);
  brinkRelease(context, tree->ids, tree->idCapacity * sizeof *tree->ids);
  for (int i = 0; i < BRINK_FITTED_WORK; ++i) brinkRelease(context, tree->work[i], tree->workCapacity[i] * sizes[i]);
}
