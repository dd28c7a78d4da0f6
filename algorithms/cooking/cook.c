/* SPDX-License-Identifier: BSD-3-Clause */
/* Cooking: mesh -> patches -> binary tree of hulls -> blob.
 *
 * Tree: top-down over whole patches. A node's oriented box is the best of several candidates (brinkMakeTightBox); it is
 * split across one of the box's axes at least LEAST_EXTENT of the longest, in BINS bins of patch centres, where the
 * children's box surfaces times triangle counts are least. Hulls come bottom-up: a node's hull is that of its
 * children's hull vertices, which is the hull of everything below, exactly.
 *
 * Based on: [CATCH] Sec. 4; Ehmann and Lin 2001; Gottschalk, Lin, Manocha 1996; Wald 2007 (binned surface-area split);
 * figures: theory D8.1.
 * Units: m, frame of the mesh. */
#include "cook.h"

#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "convex.h"
#include "surface.h"

#define NONE UINT32_MAX
#define BINS 32
#define LEAST_EXTENT 0.2
/* From here on nodes are halved by count, so that depth stays below BRINK_HULL_TREE_DEPTH for 2^32 patches. */
#define BALANCED_DEPTH 47u
#define MOST_ELEMENTS 0x10000000u /* vertices, triangles: 2^28 */
/* Quick cooking: nodes below the first with at most so many vertices get no hulls of their own. */
#define QUICK_VERTICES 1024u

typedef struct indexList {
  uint32_t *items;
  size_t count, capacity;
} indexList;

typedef struct patchBox { /* along the axes of the node at work */
  double low[3], high[3];
} patchBox;

typedef struct cookWork {
  brinkContext *context;
  const brinkCookOptions *options;
  const double *vertices;
  uint32_t vertexCount;
  const uint32_t *indices;
  uint32_t triangleCount;
  uint32_t *ownIndices; /* hull triangles of a convex mesh */
  size_t ownIndexCount;
  brinkSurface surface;
  uint32_t *patchOrder;     /* [patchCount] */
  uint32_t *patchScratch;   /* [patchCount] */
  patchBox *patchBoxes;     /* [patchCount] by place in the node */
  uint8_t *patchBins;       /* [patchCount] */
  uint32_t *nodeTriangles;  /* [triangleCount] scratch */
  uint32_t *nodeVertices;   /* [vertexCount] scratch */
  uint32_t *stamps;         /* [vertexCount] node that last gathered the vertex, + 1 */
  brinkHullTreeNode *nodes; /* [2 patchCount - 1] */
  brinkHullTreeTriangle *slots;
  uint32_t nodeCount, slotCount, patchesDone;
  double *hullVertices;
  size_t hullVertexCount, hullVertexCapacity; /* in vertices of 3 doubles */
  indexList hullIds, neighborStarts, neighbors;
  brinkHullTree header;
} cookWork;

static brinkStatus noMemory(brinkContext *context, const char *what) {
  return brinkFail(context, brink_errorNoMemory, "no memory for %s of the mesh; free some or cook a smaller mesh",
                   what);
}

static brinkStatus pushItem(brinkContext *context, indexList *list, uint32_t item) {
  void *block = list->items;
  brinkStatus status = brinkReserve(context, &block, &list->capacity, list->count + 1, sizeof item);
  list->items = block;
  if (status == brink_ok) list->items[list->count++] = item;
  return status;
}

/* ---- hull pieces --------------------------------------------------------------------------------------------------
 */

static brinkStatus pushVertex(cookWork *work, const double x[3], uint32_t id) {
  void *block = work->hullVertices;
  brinkStatus status =
      brinkReserve(work->context, &block, &work->hullVertexCapacity, work->hullVertexCount + 1, 3 * sizeof(double));
  work->hullVertices = block;
  if (status == brink_ok) status = pushItem(work->context, &work->hullIds, id);
  if (status == brink_ok) memcpy(&work->hullVertices[3 * work->hullVertexCount++], x, 3 * sizeof(double));
  return status;
}

/* Hull of the mesh vertices `ids`; its vertices replace the list, in ascending order; the graph stays in *hull, whose
 * indices count within the new list. */
static brinkStatus reduceToHull(cookWork *work, indexList *ids, brinkConvexHull *hull) {
  size_t size = 3 * ids->count * sizeof(double);
  double *points = brinkAllocate(work->context, size);
  if (!points) return noMemory(work->context, "a hull");
  for (size_t i = 0; i < ids->count; ++i)
    memcpy(&points[3 * i], &work->vertices[3 * (size_t)ids->items[i]], 3 * sizeof(double));
  brinkStatus status = brinkMakeConvexHull(work->context, points, (uint32_t)ids->count, hull);
  brinkRelease(work->context, points, size);
  if (status != brink_ok) return status;
  for (uint32_t i = 0; i < hull->vertexCount; ++i) ids->items[i] = ids->items[hull->vertices[i]];
  ids->count = hull->vertexCount;
  return brink_ok;
}

/* Appends hull vertices (and the graph, when worth it) to the pools. */
static brinkStatus poolHull(cookWork *work, const indexList *ids, const brinkConvexHull *hull, uint32_t *start,
                            uint32_t *neighborStart) {
  brinkStatus status = brink_ok;
  *start = (uint32_t)work->hullVertexCount;
  *neighborStart = NONE;
  for (size_t i = 0; status == brink_ok && i < ids->count; ++i)
    status = pushVertex(work, &work->vertices[3 * (size_t)ids->items[i]], ids->items[i]);
  if (ids->count <= BRINK_BRUTE_FORCE_VERTICES || hull->neighborCount == 0) return status;
  *neighborStart = (uint32_t)work->neighborStarts.count;
  uint32_t base = (uint32_t)work->neighbors.count;
  for (size_t i = 0; status == brink_ok && i <= ids->count; ++i)
    status = pushItem(work->context, &work->neighborStarts, base + hull->neighborStart[i]);
  for (uint32_t i = 0; status == brink_ok && i < hull->neighborCount; ++i)
    status = pushItem(work->context, &work->neighbors, hull->neighbors[i]);
  return status;
}

/* Corners of a box, pushed out by more than their own rounding: their hull contains the box. */
static brinkStatus poolCorners(cookWork *work, brinkHullTreeNode *node) {
  brinkVec3 c = node->obb.center, h = node->obb.half;
  double slack = 16.0 * DBL_EPSILON * (brinkLengthBound(c) + brinkLengthBound(h));
  h = brinkAdd(h, brinkV3(slack, slack, slack));
  brinkStatus status = brink_ok;
  node->exactHull = 0;
  node->neighborStart = NONE;
  node->hullStart = (uint32_t)work->hullVertexCount;
  node->hullCount = 8;
  for (uint32_t i = 0; status == brink_ok && i < 8; ++i) {
    brinkVec3 y = {i & 1u ? h.x : -h.x, i & 2u ? h.y : -h.y, i & 4u ? h.z : -h.z};
    brinkVec3 corner = brinkAdd(c, brinkMulMV(&node->obb.axes, y));
    status = pushVertex(work, (double[3]){corner.x, corner.y, corner.z}, i);
  }
  if (status != brink_ok) return status;
  node->hullCenter = c;
  node->hullRadius = brinkMakeBallRadius(&work->hullVertices[3 * (size_t)node->hullStart], NULL, 8, c);
  return brink_ok;
}

/* ids: all hull vertices of the children, or all vertices of the leaf; reduced to the node's hull vertices. */
static brinkStatus finishHull(cookWork *work, uint32_t index, indexList *ids) {
  brinkConvexHull hull;
  brinkStatus status = reduceToHull(work, ids, &hull);
  if (status != brink_ok) return status;
  brinkHullTreeNode *node = &work->nodes[index];
  node->radius = brinkMakeBall(work->vertices, ids->items, (uint32_t)ids->count, node->obb.center, &node->center);
  if (ids->count <= BRINK_NODE_HULL_VERTICES) {
    node->exactHull = 1;
    node->hullCount = (uint32_t)ids->count;
    node->hullCenter = node->center;
    node->hullRadius = node->radius;
    status = poolHull(work, ids, &hull, &node->hullStart, &node->neighborStart);
  } else {
    status = poolCorners(work, node);
  }
  if (status == brink_ok && index == 0) {
    brinkHullTree *header = &work->header;
    header->wholeDimension = (uint32_t)hull.dimension;
    header->wholeCount = (uint32_t)ids->count;
    header->wholeCenter = node->center;
    header->wholeRadius = node->radius;
    header->wholeStart = node->hullStart;
    header->wholeNeighborStart = node->neighborStart;
    if (!node->exactHull) status = poolHull(work, ids, &hull, &header->wholeStart, &header->wholeNeighborStart);
  }
  brinkFreeConvexHull(work->context, &hull);
  return status;
}

/* Quick: all vertices of a leaf as they are (few, and their hull is the same), the box's corners above. */
static brinkStatus finishQuick(cookWork *work, uint32_t index, uint32_t vertexCount) {
  brinkHullTreeNode *node = &work->nodes[index];
  node->center = node->obb.center;
  if (node->left >= 0) {
    node->radius = brinkLengthBound(node->obb.half);
    return poolCorners(work, node);
  }
  node->radius = brinkMakeBallRadius(work->vertices, work->nodeVertices, vertexCount, node->center);
  node->exactHull = 1;
  node->hullStart = (uint32_t)work->hullVertexCount;
  node->hullCount = vertexCount;
  node->hullCenter = node->center;
  node->hullRadius = node->radius;
  brinkStatus status = brink_ok;
  for (uint32_t i = 0; status == brink_ok && i < vertexCount; ++i)
    status = pushVertex(work, &work->vertices[3 * (size_t)work->nodeVertices[i]], work->nodeVertices[i]);
  return status;
}

/* ---- splitting ----------------------------------------------------------------------------------------------------
 */

static double boxSurface(const patchBox *box) {
  double x = box->high[0] - box->low[0], y = box->high[1] - box->low[1], z = box->high[2] - box->low[2];
  return x * y + y * z + z * x;
}

static void growBox(patchBox *box, const patchBox *other) {
  for (int k = 0; k < 3; ++k) {
    box->low[k] = fmin(box->low[k], other->low[k]);
    box->high[k] = fmax(box->high[k], other->high[k]);
  }
}

static patchBox emptyBox(void) { return (patchBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static uint32_t patchSize(const cookWork *work, uint32_t patch) {
  return work->surface.patchStart[patch + 1] - work->surface.patchStart[patch];
}

/* Boxes of the node's patches along the node's axes. */
static void projectPatches(cookWork *work, uint32_t first, uint32_t count, const brinkObb *obb) {
  for (uint32_t i = 0; i < count; ++i) {
    patchBox box = emptyBox();
    uint32_t patch = work->patchOrder[first + i];
    for (uint32_t t = work->surface.patchStart[patch]; t < work->surface.patchStart[patch + 1]; ++t) {
      const uint32_t *corner = &work->indices[3 * (size_t)work->surface.patchTriangles[t]];
      for (int k = 0; k < 3; ++k) {
        brinkVec3 v = brinkSub(brinkV3_FromArray(&work->vertices[3 * (size_t)corner[k]]), obb->center);
        brinkVec3 y = brinkTMulMV(&obb->axes, v);
        growBox(&box, &(patchBox){{y.x, y.y, y.z}, {y.x, y.y, y.z}});
      }
    }
    work->patchBoxes[i] = box;
  }
}

static double middleOf(const patchBox *box, int axis) { return 0.5 * box->low[axis] + 0.5 * box->high[axis]; }

static int binOf(double middle, double low, double high) {
  int bin = (int)(BINS * ((middle - low) / (high - low)));
  return bin < 0 ? 0 : bin > BINS - 1 ? BINS - 1 : bin;
}

typedef struct split {
  double cost;
  int axis, lastLeftBin;
  double low, high; /* of patch middles along axis */
} split;

/* Best cut across one axis; keeps *best when that is no worse. */
static void trySplit(const cookWork *work, uint32_t first, uint32_t count, int axis, split *best) {
  double low = INFINITY, high = -INFINITY;
  for (uint32_t i = 0; i < count; ++i) {
    low = fmin(low, middleOf(&work->patchBoxes[i], axis));
    high = fmax(high, middleOf(&work->patchBoxes[i], axis));
  }
  if (!(high > low) || !isfinite(1.0 / (high - low))) return;
  patchBox boxes[BINS];
  double triangles[BINS] = {0.0}, rightCost[BINS] = {0.0};
  for (int b = 0; b < BINS; ++b) boxes[b] = emptyBox();
  for (uint32_t i = 0; i < count; ++i) {
    int bin = binOf(middleOf(&work->patchBoxes[i], axis), low, high);
    growBox(&boxes[bin], &work->patchBoxes[i]);
    triangles[bin] += patchSize(work, work->patchOrder[first + i]);
  }
  patchBox side = emptyBox();
  double sum = 0.0;
  for (int b = BINS - 1; b > 0; --b) {
    growBox(&side, &boxes[b]);
    sum += triangles[b];
    rightCost[b] = sum > 0.0 ? boxSurface(&side) * sum : HUGE_VAL;
  }
  side = emptyBox();
  sum = 0.0;
  for (int b = 0; b + 1 < BINS; ++b) {
    growBox(&side, &boxes[b]);
    sum += triangles[b];
    double cost = sum > 0.0 ? boxSurface(&side) * sum + rightCost[b + 1] : HUGE_VAL;
    if (cost < best->cost) *best = (split){cost, axis, b, low, high};
  }
}

/* Reorders the node's patches, left ones first, both sides in their old order; returns the left count, 0 < n < count.
 */
static uint32_t splitPatches(cookWork *work, uint32_t first, uint32_t count, uint32_t depth, const brinkObb *obb) {
  if (depth >= BALANCED_DEPTH) return count / 2;
  projectPatches(work, first, count, obb);
  double half[3] = {obb->half.x, obb->half.y, obb->half.z}, longest = fmax(half[0], fmax(half[1], half[2]));
  split best = {.cost = INFINITY, .axis = -1};
  for (int axis = 0; axis < 3; ++axis)
    if (half[axis] >= LEAST_EXTENT * longest) trySplit(work, first, count, axis, &best);
  if (best.axis < 0) return count / 2;
  uint32_t left = 0, right = 0;
  for (uint32_t i = 0; i < count; ++i) {
    int bin = binOf(middleOf(&work->patchBoxes[i], best.axis), best.low, best.high);
    work->patchBins[i] = bin > best.lastLeftBin;
    left += bin <= best.lastLeftBin;
  }
  uint32_t leftCount = left;
  left = 0;
  for (uint32_t i = 0; i < count; ++i)
    work->patchScratch[work->patchBins[i] ? leftCount + right++ : left++] = work->patchOrder[first + i];
  memcpy(&work->patchOrder[first], work->patchScratch, count * sizeof(uint32_t));
  return leftCount;
}

/* ---- the tree -----------------------------------------------------------------------------------------------------
 */

/* Triangles and vertices below; vertices in order of first use. */
static void gatherNode(cookWork *work, uint32_t index, uint32_t first, uint32_t count, uint32_t *triangleCount,
                       uint32_t *vertexCount) {
  *triangleCount = *vertexCount = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t patch = work->patchOrder[first + i];
    for (uint32_t t = work->surface.patchStart[patch]; t < work->surface.patchStart[patch + 1]; ++t) {
      uint32_t triangle = work->surface.patchTriangles[t];
      work->nodeTriangles[(*triangleCount)++] = triangle;
      for (int k = 0; k < 3; ++k) {
        uint32_t v = work->indices[3 * (size_t)triangle + k];
        if (work->stamps[v] == index + 1) continue;
        work->stamps[v] = index + 1;
        work->nodeVertices[(*vertexCount)++] = v;
      }
    }
  }
}

static bool sameVertex(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static void addSlot(cookWork *work, uint32_t triangle) {
  brinkHullTreeTriangle *slot = &work->slots[work->slotCount++];
  memset(slot, 0, sizeof *slot);
  slot->triangleId = triangle;
  for (int k = 0; k < 3; ++k) {
    uint32_t id = work->indices[3 * (size_t)triangle + k], i = 0;
    const double *position = &work->vertices[3 * (size_t)id];
    while (i < slot->count && !sameVertex(slot->vertices[i], position)) ++i;
    if (i < slot->count) continue;
    memcpy(slot->vertices[slot->count], position, 3 * sizeof(double));
    slot->ids[slot->count++] = id;
  }
  brinkPiece piece = brinkMakePointPiece(slot->vertices[0], slot->count, 0.0);
  slot->radius = brinkMakeBall(slot->vertices[0], NULL, slot->count, piece.center, &slot->center);
}

static brinkStatus reportProgress(cookWork *work, double fraction) {
  if (!work->options || !work->options->progress) return brink_ok;
  if (work->options->progress(work->options->user, fraction) == 0) return brink_ok;
  return brinkFail(work->context, brink_errorBusy, "cooking was given up by the progress callback");
}

/* Builds the node over patchOrder[first, first+count); leaves its hull's vertices in *hullIds (the caller frees it;
 * NULL: they are not needed, and no hull is made). Recursion is no deeper than BRINK_HULL_TREE_DEPTH. */
static brinkStatus buildNode(cookWork *work, uint32_t first, uint32_t count, uint32_t depth, indexList *hullIds) {
  uint32_t index = work->nodeCount++, triangleCount, vertexCount;
  brinkHullTreeNode *node = &work->nodes[index];
  gatherNode(work, index, first, count, &triangleCount, &vertexCount);
  *node = (brinkHullTreeNode){.left = -1,
                              .right = -1,
                              .firstTriangle = work->slotCount,
                              .triangleCount = triangleCount,
                              .depth = depth,
                              .neighborStart = NONE};
  /* Without triangles fewer axes are tried. */
  node->obb = brinkMakeTightBox(work->vertices, work->nodeVertices, vertexCount, work->indices, work->nodeTriangles,
                                hullIds != NULL ? triangleCount : 0);
  bool quick = work->options && (work->options->flags & BRINK_COOK_QUICK) && vertexCount <= QUICK_VERTICES;
  bool gathers = hullIds != NULL && (count == 1 || quick); /* the vertices themselves, not the children's hulls */
  brinkStatus status = brink_ok;
  for (uint32_t v = 0; gathers && status == brink_ok && v < vertexCount; ++v)
    status = pushItem(work->context, hullIds, work->nodeVertices[v]);
  if (status != brink_ok) return status;
  if (count == 1) {
    for (uint32_t t = 0; t < triangleCount; ++t) addSlot(work, work->nodeTriangles[t]);
    if (status == brink_ok && ++work->patchesDone % 64 == 0)
      status = reportProgress(work, 0.1 + 0.9 * work->patchesDone / work->surface.patchCount);
  } else {
    uint32_t leftCount = splitPatches(work, first, count, depth, &node->obb);
    indexList others = {0};
    bool below = hullIds == NULL || gathers;
    node->left = (int32_t)work->nodeCount;
    status = buildNode(work, first, leftCount, depth + 1, below ? NULL : hullIds);
    node->right = (int32_t)work->nodeCount;
    if (status == brink_ok)
      status = buildNode(work, first + leftCount, count - leftCount, depth + 1, below ? NULL : &others);
    for (size_t i = 0; status == brink_ok && i < others.count; ++i)
      status = pushItem(work->context, hullIds, others.items[i]);
    brinkRelease(work->context, others.items, others.capacity * sizeof(uint32_t));
  }
  if (status != brink_ok) return status;
  return hullIds != NULL ? finishHull(work, index, hullIds) : finishQuick(work, index, vertexCount);
}

static brinkStatus buildTree(cookWork *work) {
  brinkContext *context = work->context;
  size_t patches = work->surface.patchCount, nodes = 2 * patches - 1;
  work->patchOrder = brinkAllocate(context, patches * sizeof(uint32_t));
  work->patchScratch = brinkAllocate(context, patches * sizeof(uint32_t));
  work->patchBoxes = brinkAllocate(context, patches * sizeof(patchBox));
  work->patchBins = brinkAllocate(context, patches);
  work->nodeTriangles = brinkAllocate(context, work->triangleCount * sizeof(uint32_t));
  work->nodeVertices = brinkAllocate(context, work->vertexCount * sizeof(uint32_t));
  work->stamps = brinkAllocateZeroed(context, work->vertexCount, sizeof(uint32_t));
  work->nodes = brinkAllocate(context, nodes * sizeof(brinkHullTreeNode));
  work->slots = brinkAllocate(context, work->triangleCount * sizeof(brinkHullTreeTriangle));
  if (!work->patchOrder || !work->patchScratch || !work->patchBoxes || !work->patchBins || !work->nodeTriangles ||
      !work->nodeVertices || !work->stamps || !work->nodes || !work->slots)
    return noMemory(context, "the hull tree");
  for (uint32_t i = 0; i < patches; ++i) work->patchOrder[i] = i;
  indexList hullIds = {0};
  brinkStatus status = buildNode(work, 0, (uint32_t)patches, 0, &hullIds);
  brinkRelease(context, hullIds.items, hullIds.capacity * sizeof(uint32_t));
  return status;
}

/* ---- the mesh as given --------------------------------------------------------------------------------------------
 */

static brinkStatus checkVertices(brinkContext *context, const brinkMeshView *mesh) {
  if (mesh->vertexCount == 0) return brinkFail(context, brink_errorEmpty, "the mesh has no vertices");
  if (!mesh->vertices) return brinkFail(context, brink_errorNullArgument, "mesh.vertices is NULL");
  if (mesh->vertexCount > MOST_ELEMENTS || mesh->triangleCount > MOST_ELEMENTS)
    return brinkFail(context, brink_errorRange, "%zu vertices, %zu triangles: more than %u; split the mesh",
                     mesh->vertexCount, mesh->triangleCount, MOST_ELEMENTS);
  for (size_t i = 0; i < 3 * mesh->vertexCount; ++i) {
    double x = mesh->vertices[i];
    if (!isfinite(x))
      return brinkFail(context, brink_errorBadValue, "vertex %zu: %c is %g; give finite coordinates", i / 3,
                       (char)('x' + i % 3), x);
    if (fabs(x) > BRINK_LARGEST_COORDINATE)
      return brinkFail(context, brink_errorRange, "vertex %zu: %c is %g m; up to %g m can be computed", i / 3,
                       (char)('x' + i % 3), x, BRINK_LARGEST_COORDINATE);
  }
  return brink_ok;
}

static brinkStatus checkMesh(brinkContext *context, const brinkMeshView *mesh) {
  if (!mesh) return brinkFail(context, brink_errorNullArgument, "mesh is NULL");
  if (mesh->structSize < sizeof(brinkMeshView))
    return brinkFail(context, brink_errorVersion, "mesh.structSize is %u; set it to sizeof(brinkMeshView), %zu here",
                     mesh->structSize, sizeof(brinkMeshView));
  if (mesh->flags & ~(uint32_t)(BRINK_MESH_SOLID | BRINK_MESH_CONVEX))
    return brinkFail(context, brink_errorBadValue, "mesh.flags 0x%x: unknown bits", mesh->flags);
  brinkStatus status = checkVertices(context, mesh);
  if (status != brink_ok) return status;
  if (mesh->triangleCount == 0)
    return mesh->flags & BRINK_MESH_CONVEX ? brink_ok
                                           : brinkFail(context, brink_errorEmpty, "the mesh has no triangles");
  if (!mesh->indices) return brinkFail(context, brink_errorNullArgument, "mesh.indices is NULL");
  for (size_t i = 0; i < 3 * mesh->triangleCount; ++i)
    if (mesh->indices[i] >= mesh->vertexCount)
      return brinkFail(context, brink_errorBadIndex,
                       "triangle %zu: corner %zu is vertex %u, but there are %zu vertices", i / 3, i % 3,
                       mesh->indices[i], mesh->vertexCount);
  return brink_ok;
}

/* Triangles of a convex mesh: those of its hull; a flat hull becomes a fan, a segment or a point. */
static brinkStatus takeHullTriangles(cookWork *work) {
  brinkConvexHull hull;
  brinkStatus status = brinkMakeConvexHull(work->context, work->vertices, work->vertexCount, &hull);
  if (status != brink_ok) return status;
  bool fan = hull.dimension == 2 && hull.vertexCount >= 3 && hull.neighborCount > 0;
  size_t triangles = hull.faceCount > 0 ? hull.faceCount : fan ? hull.vertexCount - 2 : hull.vertexCount;
  work->ownIndexCount = 3 * triangles;
  work->ownIndices = brinkAllocate(work->context, work->ownIndexCount * sizeof(uint32_t));
  if (!work->ownIndices) status = noMemory(work->context, "the hull");
  uint32_t previous = 0, current = fan ? hull.neighbors[hull.neighborStart[0]] : 0;
  for (size_t t = 0; status == brink_ok && t < triangles; ++t) {
    uint32_t corner[3] = {(uint32_t)t, (uint32_t)((t + 1) % hull.vertexCount), (uint32_t)((t + 1) % hull.vertexCount)};
    if (hull.faceCount > 0) {
      memcpy(corner, &hull.faces[3 * t], sizeof corner);
    } else if (fan) { /* around the polygon from vertex 0 */
      const uint32_t *two = &hull.neighbors[hull.neighborStart[current]];
      uint32_t following = two[0] == previous ? two[1] : two[0];
      corner[0] = 0;
      corner[1] = current;
      corner[2] = following;
      previous = current;
      current = following;
    }
    for (int k = 0; k < 3; ++k) work->ownIndices[3 * t + k] = hull.vertices[corner[k]];
  }
  brinkFreeConvexHull(work->context, &hull);
  work->indices = work->ownIndices;
  work->triangleCount = (uint32_t)triangles;
  return status;
}

/* All vertices in use on the hull and the surface its boundary, exactly. */
static brinkStatus findConvex(cookWork *work, bool *convex) {
  *convex = false;
  if (!work->surface.closed) return brink_ok;
  size_t count = 3 * (size_t)work->triangleCount, kept = 0;
  uint32_t *welded = brinkAllocate(work->context, work->vertexCount * sizeof(uint32_t));
  uint32_t *faces = brinkAllocate(work->context, count * sizeof(uint32_t));
  brinkStatus status = welded && faces ? brinkWeldVertices(work->context, work->vertices, work->vertexCount, welded)
                                       : noMemory(work->context, "the surface");
  if (status == brink_ok) {
    for (size_t i = 0; i < count; i += 3) {
      for (int k = 0; k < 3; ++k) faces[kept + k] = welded[work->indices[i + k]];
      if (faces[kept] != faces[kept + 1] && faces[kept + 1] != faces[kept + 2] && faces[kept + 2] != faces[kept])
        kept += 3;
    }
    if (kept == count) /* stray points and segments are no part of a hull's boundary */
      status = brinkIsConvexSurface(work->context, work->vertices, faces, work->triangleCount, convex);
  }
  brinkRelease(work->context, welded, work->vertexCount * sizeof(uint32_t));
  brinkRelease(work->context, faces, count * sizeof(uint32_t));
  return status;
}

static brinkStatus decompose(cookWork *work, uint32_t flags) {
  brinkStatus status = flags & BRINK_MESH_CONVEX ? takeHullTriangles(work) : brink_ok;
  if (status == brink_ok)
    status = brinkDecomposeSurface(work->context, work->vertices, work->vertexCount, work->indices, work->triangleCount,
                                   BRINK_PATCH_TRIANGLES, &work->surface);
  if (status != brink_ok) return status;
  if ((flags & BRINK_MESH_SOLID) && !work->surface.closed)
    return brinkFail(work->context, brink_errorNotClosed,
                     "BRINK_MESH_SOLID, but the mesh is %s; close it with consistent winding, or drop the flag",
                     work->surface.manifold
                         ? "open or wound inconsistently"
                         : "not two-manifold, and some edge is not run as often one way as the other");
  bool convex = false;
  status = findConvex(work, &convex);
  brinkHullTree *header = &work->header;
  header->flags = flags;
  header->closed = work->surface.closed;
  header->manifold = work->surface.manifold;
  header->convex = convex || (flags & BRINK_MESH_CONVEX);
  header->degenerateCount = work->surface.degenerateCount;
  header->patchCount = work->surface.patchCount;
  return status;
}

/* ---- the blob -----------------------------------------------------------------------------------------------------
 */

static brinkAabb usedBounds(const cookWork *work) {
  brinkVec3 low = brinkV3_FromArray(&work->vertices[3 * (size_t)work->indices[0]]), high = low;
  for (size_t i = 0; i < 3 * (size_t)work->triangleCount; ++i) {
    brinkVec3 v = brinkV3_FromArray(&work->vertices[3 * (size_t)work->indices[i]]);
    low = brinkMinV3(low, v);
    high = brinkMaxV3(high, v);
  }
  return (brinkAabb){low, high};
}

static void copySection(unsigned char *blob, uint64_t offset, const void *from, size_t size) {
  if (size > 0) memcpy(blob + offset, from, size);
}

static brinkStatus writeBlob(cookWork *work, void **blob, size_t *blobSize) {
  if (work->hullVertexCount >= NONE || work->neighborStarts.count >= NONE || work->neighbors.count >= NONE)
    return brinkFail(work->context, brink_errorRange, "the mesh's hulls have more than 2^32 vertices; split the mesh");
  brinkHullTree *header = &work->header;
  header->magic = BRINK_BLOB_MAGIC;
  header->version = BRINK_BLOB_VERSION;
  header->vertexCount = work->vertexCount;
  header->triangleCount = work->triangleCount;
  header->nodeCount = work->nodeCount;
  header->hullVertexCount = (uint32_t)work->hullVertexCount;
  header->neighborStartCount = (uint32_t)work->neighborStarts.count;
  header->neighborCount = (uint32_t)work->neighbors.count;
  header->bounds = usedBounds(work);
  header->size = brinkBlobLayout(header);
  if (header->size > SIZE_MAX) return noMemory(work->context, "the blob");
  unsigned char *bytes = brinkAllocateZeroed(work->context, 1, (size_t)header->size);
  if (!bytes) return noMemory(work->context, "the blob");
  memcpy(bytes, header, sizeof *header);
  copySection(bytes, header->vertices, work->vertices, 3 * (size_t)work->vertexCount * sizeof(double));
  copySection(bytes, header->indices, work->indices, 3 * (size_t)work->triangleCount * sizeof(uint32_t));
  copySection(bytes, header->triangles, work->slots, work->triangleCount * sizeof(brinkHullTreeTriangle));
  copySection(bytes, header->nodes, work->nodes, work->nodeCount * sizeof(brinkHullTreeNode));
  copySection(bytes, header->hullVertices, work->hullVertices, 3 * work->hullVertexCount * sizeof(double));
  copySection(bytes, header->hullIds, work->hullIds.items, work->hullIds.count * sizeof(uint32_t));
  copySection(bytes, header->neighborStarts, work->neighborStarts.items, work->neighborStarts.count * sizeof(uint32_t));
  copySection(bytes, header->neighbors, work->neighbors.items, work->neighbors.count * sizeof(uint32_t));
  brinkHullTree *tree = (brinkHullTree *)bytes;
  tree->checksum = brinkBlobChecksum(tree);
  *blob = bytes;
  *blobSize = (size_t)header->size;
  return brink_ok;
}

static void freeWork(cookWork *work) {
  brinkContext *context = work->context;
  size_t patches = work->surface.patchCount;
  brinkRelease(context, work->patchOrder, patches * sizeof(uint32_t));
  brinkRelease(context, work->patchScratch, patches * sizeof(uint32_t));
  brinkRelease(context, work->patchBoxes, patches * sizeof(patchBox));
  brinkRelease(context, work->patchBins, patches);
  brinkRelease(context, work->nodeTriangles, work->triangleCount * sizeof(uint32_t));
  brinkRelease(context, work->nodeVertices, work->vertexCount * sizeof(uint32_t));
  brinkRelease(context, work->stamps, work->vertexCount * sizeof(uint32_t));
  brinkRelease(context, work->nodes, (2 * patches - 1) * sizeof(brinkHullTreeNode));
  brinkRelease(context, work->slots, work->triangleCount * sizeof(brinkHullTreeTriangle));
  brinkRelease(context, work->hullVertices, work->hullVertexCapacity * 3 * sizeof(double));
  brinkRelease(context, work->hullIds.items, work->hullIds.capacity * sizeof(uint32_t));
  brinkRelease(context, work->neighborStarts.items, work->neighborStarts.capacity * sizeof(uint32_t));
  brinkRelease(context, work->neighbors.items, work->neighbors.capacity * sizeof(uint32_t));
  brinkRelease(context, work->ownIndices, work->ownIndexCount * sizeof(uint32_t));
  brinkFreeSurface(context, &work->surface, work->triangleCount);
}

brinkStatus brinkCookIn(brinkContext *context, const brinkMeshView *mesh, const brinkCookOptions *options, void **blob,
                        size_t *blobSize) {
  *blob = NULL;
  *blobSize = 0;
  brinkStatus status = checkMesh(context, mesh);
  if (status != brink_ok) return status;
  cookWork work = {.context = context,
                   .options = options,
                   .vertices = mesh->vertices,
                   .vertexCount = (uint32_t)mesh->vertexCount,
                   .indices = mesh->indices,
                   .triangleCount = (uint32_t)mesh->triangleCount};
  status = reportProgress(&work, 0.0);
  if (status == brink_ok) status = decompose(&work, mesh->flags);
  if (status == brink_ok) status = reportProgress(&work, 0.1);
  if (status == brink_ok) status = buildTree(&work);
  if (status == brink_ok) status = writeBlob(&work, blob, blobSize);
  if (status == brink_ok) {
    status = reportProgress(&work, 1.0);
    if (status != brink_ok) {
      brinkRelease(context, *blob, *blobSize);
      *blob = NULL;
      *blobSize = 0;
    }
  }
  freeWork(&work);
  return status;
}

brinkStatus brinkCook(const brinkMeshView *mesh, const brinkCookOptions *options, void **blob, size_t *blobSize,
                      char *message, size_t messageCapacity) {
  brinkContext context;
  brinkInitContext(&context); /* over malloc: what brinkFreeBlob undoes */
  brinkStatus status = brink_ok;
  if (!blob || !blobSize) {
    status = brinkFail(&context, brink_errorNullArgument, "blob or blobSize is NULL; give places for the result");
  } else {
    *blob = NULL;
    *blobSize = 0;
    if (options && options->structSize < sizeof(brinkCookOptions))
      status = brinkFail(&context, brink_errorVersion,
                         "options.structSize is %u; set it to sizeof(brinkCookOptions), %zu here", options->structSize,
                         sizeof(brinkCookOptions));
    else if (options && (options->flags & ~(uint32_t)BRINK_COOK_QUICK) != 0)
      status = brinkFail(&context, brink_errorBadValue, "options.flags is 0x%x; only BRINK_COOK_QUICK is known",
                         options->flags);
    else {
      brinkFloatState host;
      brinkFloat_Enter(&host);
      status = brinkCookIn(&context, mesh, options, blob, blobSize);
      brinkFloat_Leave(&host);
    }
  }
  if (message && messageCapacity > 0)
    snprintf(message, messageCapacity, "%s", status == brink_ok ? "" : context.message);
  return status;
}

void brinkFreeBlob(void *blob) { free(blob); }
