/* SPDX-License-Identifier: BSD-3-Clause */
/* Cooked blobs as they lie: is this one whole, and what is in it?
 *
 * Nothing of a blob is believed before it is checked: header, size and checksum first, then every offset, count and
 * index, so that even a blob made to deceive (right checksum, wrong content) can give wrong answers but no wild reads.
 * Units: m. */
#include "blob.h"

#include <stdio.h>

#include "brink/cook.h"

/* ---- checking */

/* Four chains of eight bytes at a time: a flipped bit anywhere changes its chain for good (each step is one to one),
 * and so, whatever the others are, the sum that is hashed at the end but for one case in 2^64. */
static uint64_t hashWords(const void *from, size_t words, uint64_t seed) {
  const unsigned char *at = from;
  uint64_t chains[4] = {seed, seed + 1, seed + 2, seed + 3};
  for (size_t i = 0; i < words; ++i) {
    uint64_t word;
    memcpy(&word, at + 8 * i, sizeof word);
    uint64_t mixed = (chains[i % 4] ^ word) * 0x9e3779b97f4a7c15u;
    chains[i % 4] = mixed ^ mixed >> 32;
  }
  return brinkHash(0, chains, sizeof chains);
}

uint64_t brinkBlobChecksum(const brinkHullTree *tree) {
  brinkHullTree header = *tree;
  header.checksum = 0;
  uint64_t hash = hashWords(&header, sizeof header / 8, 1469598103934665603u);
  return hashWords(tree + 1, ((size_t)tree->size - sizeof header) / 8, hash);
}

_Static_assert(sizeof(brinkHullTree) % 8 == 0 && sizeof(brinkHullTreeNode) == 56 && sizeof(brinkObbTriangle) == 96,
               "blobs have no holes");

/* Every section in order, 8-byte aligned. Counts are below 2^32, so no sum overflows. */
uint64_t brinkBlobLayout(brinkHullTree *tree) {
  uint64_t at = sizeof(brinkHullTree);
  uint64_t starts = tree->wholeNeighborCount > 0 ? 4 * ((uint64_t)tree->wholeCount + 1) : 0;
  const uint64_t sizes[11] = {24 * (uint64_t)tree->vertexCount,
                              12 * (uint64_t)tree->triangleCount,
                              sizeof(brinkObbTriangle) * (uint64_t)tree->triangleCount,
                              4 * (uint64_t)tree->triangleCount,
                              sizeof(brinkObbNode) * (uint64_t)tree->wideCount,
                              sizeof(brinkHullTreeNode) * (uint64_t)tree->nodeCount,
                              4 * (uint64_t)tree->hullIdCount,
                              24 * (uint64_t)tree->wholeCount,
                              4 * (uint64_t)tree->wholeCount,
                              starts,
                              4 * (uint64_t)tree->wholeNeighborCount};
  uint64_t *const offsets[11] = {&tree->vertices, &tree->indices,     &tree->triangles,     &tree->slots,
                                 &tree->wide,     &tree->nodes,       &tree->hullIds,       &tree->wholeVertices,
                                 &tree->wholeIds, &tree->wholeStarts, &tree->wholeNeighbors};
  for (int i = 0; i < 11; ++i) {
    *offsets[i] = at;
    at += (sizes[i] + 7) / 8 * 8;
  }
  return at;
}

/* Are the doubles in these bytes finite? */
static bool areFinite(const void *from, size_t size) {
  const double *values = from;
  for (size_t i = 0; i < size / sizeof(double); ++i)
    if (!isfinite(values[i])) return false;
  return true;
}

static bool areBelow(const uint32_t *values, size_t count, uint32_t limit) {
  for (size_t i = 0; i < count; ++i)
    if (values[i] >= limit) return false;
  return true;
}

static bool isRange(uint32_t start, uint32_t count, uint32_t limit) { return start <= limit && count <= limit - start; }

static bool areFiniteFloats(const float *values, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(values[i])) return false;
  return true;
}

static bool isWholeSound(const brinkHullTree *tree) {
  if (tree->wholeCount == 0 || tree->wholeDimension > 3) return false;
  if (!areFinite(brinkHullTree_At(tree, tree->wholeVertices), 24 * (size_t)tree->wholeCount)) return false;
  if (!areBelow(brinkHullTree_At(tree, tree->wholeIds), tree->wholeCount, tree->vertexCount)) return false;
  if (tree->wholeNeighborCount == 0) return true;
  const uint32_t *starts = brinkHullTree_At(tree, tree->wholeStarts);
  for (uint32_t i = 0; i < tree->wholeCount; ++i)
    if (starts[i] > starts[i + 1]) return false;
  if (starts[tree->wholeCount] > tree->wholeNeighborCount) return false;
  return areBelow(brinkHullTree_At(tree, tree->wholeNeighbors), tree->wholeNeighborCount, tree->wholeCount);
}

static bool isNodeSound(const brinkHullTree *tree, uint32_t index) {
  const brinkHullTreeNode *node = brinkHullTree_Record(tree, index);
  if (node->hullCount > BRINK_NODE_HULL_VERTICES) return false;
  if (node->right == 0 && (node->hullCount != 0 || node->triangleCount > BRINK_PATCH_TRIANGLES)) return false;
  if (!isRange(node->hullStart, node->hullCount, tree->hullIdCount)) return false;
  if (!isRange(node->firstTriangle, node->triangleCount, tree->triangleCount) || node->triangleCount == 0) return false;
  if (node->depth > BRINK_HULL_TREE_DEPTH) return false;
  if (node->right != 0) {
    if (node->right <= index + 1 || node->right >= tree->nodeCount) return false;
    if (brinkHullTree_Record(tree, index + 1)->depth != node->depth + 1) return false;
    if (brinkHullTree_Record(tree, node->right)->depth != node->depth + 1) return false;
  }
  return areFiniteFloats(node->center, 7);
}

static bool isTriangleSound(const brinkHullTree *tree, uint32_t slot) {
  const brinkObbTriangle *triangle = brinkHullTree_TriangleRecord(tree, slot);
  return triangle->slot < tree->triangleCount && areFinite(triangle->vertices, sizeof triangle->vertices) &&
         areFiniteFloats(triangle->center, 4);
}

/* A child is a range of triangles or a node: each node but the first is the child of one lane, in order. */
static bool isChildSound(const brinkHullTree *tree, int32_t child, uint32_t *next) {
  if (child == BRINK_OBB_EMPTY) return true;
  if (child >= 0) return (uint32_t)child == *next && (*next)++ < tree->wideCount;
  return isRange(brinkObbLeaf_First(child), brinkObbLeaf_Count(child), tree->triangleCount);
}

static bool isWideSound(const brinkHullTree *tree) {
  if (!tree->hasWide) return tree->wideCount == 0;
  const brinkObbBox *root = &tree->wideRoot;
  uint32_t next = 0;
  if (tree->wideCount > INT32_MAX / BRINK_OBB_WIDTH || !isfinite(tree->wideScale)) return false;
  if (!areFiniteFloats(root->center, 3 + 9 + 3 + 1) || root->child == BRINK_OBB_EMPTY) return false;
  if (!isChildSound(tree, root->child, &next)) return false;
  const brinkObbNode *nodes = brinkHullTree_At(tree, tree->wide);
  for (uint32_t i = 0; i < tree->wideCount; ++i) {
    if (i >= next || !areFiniteFloats(nodes[i].center[0], (3 + 9 + 3 + 1) * BRINK_OBB_WIDTH)) return false;
    for (int lane = 0; lane < BRINK_OBB_WIDTH; ++lane) {
      bool empty = nodes[i].child[lane] == BRINK_OBB_EMPTY;
      if (empty != (nodes[i].half[0][lane] < 0) || !isChildSound(tree, nodes[i].child[lane], &next)) return false;
    }
  }
  return next == tree->wideCount;
}

static bool isContentSound(const brinkHullTree *tree) {
  if (tree->nodeCount == 0 || tree->nodeCount > INT32_MAX || tree->triangleCount == 0 || tree->vertexCount == 0)
    return false;
  if (!areFinite(&tree->bounds, sizeof tree->bounds + sizeof tree->wholeCenter + sizeof tree->wholeRadius +
                                    sizeof tree->wholeBox + sizeof tree->origin + sizeof tree->unit))
    return false;
  if (!areFinite(brinkHullTree_At(tree, tree->vertices), 24 * (size_t)tree->vertexCount)) return false;
  if (!areBelow(brinkHullTree_At(tree, tree->indices), 3 * (size_t)tree->triangleCount, tree->vertexCount))
    return false;
  if (!areBelow(brinkHullTree_At(tree, tree->slots), tree->triangleCount, tree->triangleCount)) return false;
  if (!areBelow(brinkHullTree_At(tree, tree->hullIds), tree->hullIdCount, tree->vertexCount)) return false;
  if (!isWholeSound(tree) || !isWideSound(tree)) return false;
  if (brinkHullTree_Record(tree, 0)->depth != 0) return false;
  for (uint32_t i = 0; i < tree->nodeCount; ++i)
    if (!isNodeSound(tree, i)) return false;
  for (uint32_t i = 0; i < tree->triangleCount; ++i)
    if (!isTriangleSound(tree, i)) return false;
  return true;
}

static brinkStatus say(char *message, size_t capacity, brinkStatus status, const char *text) {
  if (message && capacity > 0) snprintf(message, capacity, "%s", text);
  return status;
}

brinkStatus brinkCheckBlob(const void *blob, size_t blobSize, brinkMeshSummary *summary, char *message,
                           size_t messageCapacity) {
  if (!blob) return say(message, messageCapacity, brink_errorNullArgument, "blob is NULL");
  if ((uintptr_t)blob % 8 != 0)
    return say(message, messageCapacity, brink_errorBadValue,
               "blob is not 8-byte aligned; copy it to malloc'ed memory");
  if (blobSize < sizeof(brinkHullTree))
    return say(message, messageCapacity, brink_errorTruncated, "blob is shorter than its header; cook the mesh again");
  const brinkHullTree *tree = blob;
  if (tree->magic != BRINK_BLOB_MAGIC)
    return say(message, messageCapacity, brink_errorParse, "not a cooked mesh (magic number)");
  if (tree->version != BRINK_BLOB_VERSION)
    return say(message, messageCapacity, brink_errorVersion, "blob of another version; cook the mesh again");
  if (tree->size > blobSize)
    return say(message, messageCapacity, brink_errorTruncated,
               "blob is shorter than its header says; cook the mesh again");
  if (tree->size != blobSize)
    return say(message, messageCapacity, brink_errorParse, "blob is longer than its header says; cook the mesh again");
  if (tree->size % 8 != 0)
    return say(message, messageCapacity, brink_errorParse, "blob is inconsistent; cook the mesh again");
  if (tree->checksum != brinkBlobChecksum(tree))
    return say(message, messageCapacity, brink_errorParse, "blob is damaged (checksum); cook the mesh again");
  brinkHullTree layout = *tree;
  if (brinkBlobLayout(&layout) != tree->size || memcmp(&layout, tree, sizeof layout) != 0 || !isContentSound(tree))
    return say(message, messageCapacity, brink_errorParse, "blob is inconsistent; cook the mesh again");
  if (summary) {
    *summary = (brinkMeshSummary){.structSize = sizeof *summary,
                                  .closed = tree->closed,
                                  .manifold = tree->manifold,
                                  .convex = tree->convex,
                                  .vertexCount = tree->vertexCount,
                                  .triangleCount = tree->triangleCount,
                                  .degenerateCount = tree->degenerateCount,
                                  .patchCount = tree->patchCount,
                                  .nodeCount = tree->nodeCount,
                                  .bounds = tree->bounds};
  }
  return say(message, messageCapacity, brink_ok, "");
}

brinkStatus brinkBlobMesh(const void *blob, size_t blobSize, brinkMeshView *out) {
  if (!out) return brink_errorNullArgument;
  brinkStatus status = brinkCheckBlob(blob, blobSize, NULL, NULL, 0);
  if (status == brink_ok) *out = brinkHullTree_Mesh(blob);
  return status;
}

/* ---- for pictures */

/* Is the segment from vertex i to j an edge of the hull? Only of few vertices: all planes through it are tried. */
static bool isHullEdge(const brinkPiece *hull, uint32_t i, uint32_t j) {
  const double slack = 1e-9 * hull->boundRadius;
  brinkVec3 from = brinkV3_FromArray(&hull->vertices[3 * (size_t)i]);
  brinkVec3 way = brinkSub(brinkV3_FromArray(&hull->vertices[3 * (size_t)j]), from);
  if (hull->count == 2) return true;
  for (uint32_t k = 0; k < hull->count; ++k) {
    brinkVec3 normal = brinkCross(way, brinkSub(brinkV3_FromArray(&hull->vertices[3 * (size_t)k]), from));
    double length = sqrt(brinkDot(normal, normal)), low = 0, high = 0, left = 0, right = 0;
    if (k == i || k == j || !(length > slack * hull->boundRadius)) continue;
    brinkVec3 inward = brinkCross(normal, way); /* within the plane, from the segment towards k */
    double reach = slack * sqrt(brinkDot(inward, inward));
    for (uint32_t m = 0; m < hull->count; ++m) {
      brinkVec3 offset = brinkSub(brinkV3_FromArray(&hull->vertices[3 * (size_t)m]), from);
      double height = brinkDot(normal, offset), side = brinkDot(inward, offset);
      low = fmin(low, height), high = fmax(high, height);
      if (fabs(height) <= slack * length) left = fmin(left, side + reach), right = fmax(right, side - reach);
    }
    if ((low >= -slack * length || high <= slack * length) && (left >= 0 || right <= 0)) return true;
  }
  return false;
}

static bool hasEdge(const brinkPiece *hull, uint32_t i, uint32_t j) {
  if (hull->vertexIds == NULL) return hull->count == 8 && ((i ^ j) & ((i ^ j) - 1)) == 0; /* corners of a box */
  if (hull->neighborStart == NULL) return isHullEdge(hull, i, j);
  for (uint32_t k = hull->neighborStart[i]; k < hull->neighborStart[i + 1]; ++k)
    if (hull->neighbors[k] == j) return true;
  return false;
}

brinkStatus brinkBlobHullEdges(const void *blob, size_t blobSize, uint32_t depth, double *edges, size_t capacity,
                               size_t *edgeCount) {
  if (edgeCount == NULL || (edges == NULL && capacity > 0)) return brink_errorNullArgument;
  brinkStatus status = brinkCheckBlob(blob, blobSize, NULL, NULL, 0);
  if (status != brink_ok) return status;
  const brinkHullTree *tree = blob;
  size_t count = 0;
  for (uint32_t index = 0; index < tree->nodeCount; ++index) {
    const brinkHullTreeNode *node = brinkHullTree_Record(tree, index);
    if (node->depth > depth || (node->depth < depth && node->right != 0)) continue;
    brinkHullRoom room;
    brinkPiece hull =
        index == 0 && node->hullCount > 0 ? brinkHullTree_WholeHull(tree) : brinkHullTree_Hull(tree, index, &room);
    for (uint32_t i = 0; i < hull.count; ++i)
      for (uint32_t j = i + 1; j < hull.count; ++j) {
        if (!hasEdge(&hull, i, j)) continue;
        if (count < capacity) {
          memcpy(&edges[6 * count], &hull.vertices[3 * (size_t)i], 3 * sizeof(double));
          memcpy(&edges[6 * count + 3], &hull.vertices[3 * (size_t)j], 3 * sizeof(double));
        }
        ++count;
      }
  }
  *edgeCount = count;
  return brink_ok;
}

/* ---- what a shape is made of */

brinkPiece brinkHullTree_WholeHull(const brinkHullTree *tree) {
  brinkPiece piece = {.kind = brink_piecePoints,
                      .count = tree->wholeCount,
                      .vertices = brinkHullTree_At(tree, tree->wholeVertices),
                      .vertexIds = brinkHullTree_At(tree, tree->wholeIds),
                      .center = tree->wholeCenter,
                      .boundRadius = tree->wholeRadius};
  if (tree->wholeNeighborCount > 0) {
    piece.neighborStart = brinkHullTree_At(tree, tree->wholeStarts);
    piece.neighbors = brinkHullTree_At(tree, tree->wholeNeighbors);
  }
  return piece;
}

bool brinkHullTree_Wide(const brinkHullTree *tree, brinkObbTree *out) {
  if (!tree->hasWide) return false;
  unsigned char *bytes = (unsigned char *)(uintptr_t)tree; /* the view has nothing to write */
  *out = (brinkObbTree){.nodeCount = tree->wideCount,
                        .triangleCount = tree->triangleCount,
                        .origin = tree->origin,
                        .root = tree->wideRoot,
                        .scale = tree->wideScale,
                        .nodes = (brinkObbNode *)(void *)(bytes + tree->wide),
                        .triangles = (brinkObbTriangle *)(void *)(bytes + tree->triangles)};
  return true;
}
