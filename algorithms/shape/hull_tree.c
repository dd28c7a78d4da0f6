/* SPDX-License-Identifier: BSD-3-Clause */
/* Cooked blobs as they lie: is this one whole, what is in it, is a point inside?
 *
 * Nothing of a blob is believed before it is checked: header, size and checksum first, then every offset, count and
 * index, so that even a blob made to deceive (right checksum, wrong content) can give wrong answers but no wild reads.
 *
 * Based on: van Oosterom and Strackee 1983 (solid angle of a triangle); Jacobson, Kavan, Sorkine 2013 (winding number).
 * Units: m. */
#include "hull_tree.h"

#include <stdio.h>

#include "brink/cook.h"

/* ---- checking -----------------------------------------------------------------------------------------------------
 */

uint64_t brinkBlobChecksum(const brinkHullTree *tree) {
  brinkHullTree header = *tree;
  header.checksum = 0;
  uint64_t hash = brinkHash(0, &header, sizeof header);
  return brinkHash(hash, tree + 1, (size_t)tree->size - sizeof header);
}

/* Every section in order, 8-byte aligned. Counts are below 2^32, so no sum overflows. */
uint64_t brinkBlobLayout(brinkHullTree *tree) {
  uint64_t at = sizeof(brinkHullTree);
  const uint64_t sizes[8] = {24 * (uint64_t)tree->vertexCount,
                             12 * (uint64_t)tree->triangleCount,
                             sizeof(brinkHullTreeTriangle) * (uint64_t)tree->triangleCount,
                             sizeof(brinkHullTreeNode) * (uint64_t)tree->nodeCount,
                             24 * (uint64_t)tree->hullVertexCount,
                             4 * (uint64_t)tree->hullVertexCount,
                             4 * (uint64_t)tree->neighborStartCount,
                             4 * (uint64_t)tree->neighborCount};
  uint64_t *const offsets[8] = {&tree->vertices,     &tree->indices, &tree->triangles,      &tree->nodes,
                                &tree->hullVertices, &tree->hullIds, &tree->neighborStarts, &tree->neighbors};
  for (int i = 0; i < 8; ++i) {
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

/* A convex piece in the pools, with its graph. */
static bool isPieceSound(const brinkHullTree *tree, uint32_t start, uint32_t count, uint32_t neighborStart) {
  if (count == 0 || !isRange(start, count, tree->hullVertexCount)) return false;
  if (neighborStart == UINT32_MAX) return true;
  if (!isRange(neighborStart, count + 1, tree->neighborStartCount)) return false;
  const uint32_t *starts = (const uint32_t *)brinkHullTree_At(tree, tree->neighborStarts) + neighborStart;
  const uint32_t *neighbors = brinkHullTree_At(tree, tree->neighbors);
  for (uint32_t i = 0; i < count; ++i)
    if (starts[i] > starts[i + 1]) return false;
  if (starts[count] > tree->neighborCount) return false;
  return areBelow(&neighbors[starts[0]], starts[count] - starts[0], count);
}

static bool isNodeSound(const brinkHullTree *tree, uint32_t index) {
  const brinkHullTreeNode *node = brinkHullTree_Record(tree, index);
  bool leaf = node->left < 0;
  if (!isPieceSound(tree, node->hullStart, node->hullCount, node->neighborStart)) return false;
  if (!isRange(node->firstTriangle, node->triangleCount, tree->triangleCount) || node->triangleCount == 0) return false;
  if (node->depth > BRINK_HULL_TREE_DEPTH || leaf != (node->right < 0)) return false;
  if (!leaf) {
    uint32_t left = (uint32_t)node->left, right = (uint32_t)node->right;
    if (left <= index || right <= left || right >= tree->nodeCount) return false;
    if (brinkHullTree_Record(tree, left)->depth != node->depth + 1) return false;
    if (brinkHullTree_Record(tree, right)->depth != node->depth + 1) return false;
  }
  return areFinite(&node->obb, sizeof(brinkObb)) && areFinite(&node->center, 8 * sizeof(double));
}

static bool isTriangleSound(const brinkHullTree *tree, uint32_t slot) {
  const brinkHullTreeTriangle *triangle = brinkHullTree_TriangleRecord(tree, slot);
  return triangle->count >= 1 && triangle->count <= 3 && areBelow(triangle->ids, 3, tree->vertexCount) &&
         triangle->triangleId < tree->triangleCount && areFinite(triangle, 13 * sizeof(double));
}

static bool isContentSound(const brinkHullTree *tree) {
  if (tree->nodeCount == 0 || tree->nodeCount > INT32_MAX || tree->triangleCount == 0 || tree->vertexCount == 0)
    return false;
  if (!areFinite(&tree->bounds, 10 * sizeof(double))) return false;
  if (!areFinite(brinkHullTree_At(tree, tree->vertices), 24 * (size_t)tree->vertexCount)) return false;
  if (!areBelow(brinkHullTree_At(tree, tree->indices), 3 * (size_t)tree->triangleCount, tree->vertexCount))
    return false;
  if (!areFinite(brinkHullTree_At(tree, tree->hullVertices), 24 * (size_t)tree->hullVertexCount)) return false;
  if (!isPieceSound(tree, tree->wholeStart, tree->wholeCount, tree->wholeNeighborStart)) return false;
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
    if (node->depth > depth || (node->depth < depth && node->left >= 0)) continue;
    brinkPiece hull = brinkHullTree_Hull(tree, index);
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

/* ---- reading ------------------------------------------------------------------------------------------------------
 */

void brinkHullTree_Node(const brinkHullTree *tree, uint32_t index, brinkHullNode *out) {
  const brinkHullTreeNode *node = brinkHullTree_Record(tree, index);
  out->hull = brinkHullTree_Hull(tree, index);
  out->obb = node->obb;
  out->left = node->left;
  out->right = node->right;
  out->firstTriangle = node->firstTriangle;
  out->triangleCount = node->triangleCount;
}

brinkPiece brinkHullTree_Triangle(const brinkHullTree *tree, uint32_t slot, uint32_t *triangleId) {
  if (triangleId) *triangleId = brinkHullTree_TriangleRecord(tree, slot)->triangleId;
  return brinkHullTree_TrianglePiece(tree, slot);
}

uint32_t brinkHullTree_Flags(const brinkHullTree *tree) { return tree->flags; }

brinkMeshView brinkHullTree_Mesh(const brinkHullTree *tree) {
  return (brinkMeshView){.structSize = sizeof(brinkMeshView),
                         .flags = tree->flags,
                         .vertices = brinkHullTree_At(tree, tree->vertices),
                         .vertexCount = tree->vertexCount,
                         .indices = brinkHullTree_At(tree, tree->indices),
                         .triangleCount = tree->triangleCount};
}

/* ---- inside? ------------------------------------------------------------------------------------------------------
 */

static bool isInBounds(const brinkAabb *box, brinkVec3 p) {
  return p.x >= box->lower.x && p.x <= box->upper.x && p.y >= box->lower.y && p.y <= box->upper.y &&
         p.z >= box->lower.z && p.z <= box->upper.z;
}

bool brinkHullTree_Contains(const brinkHullTree *tree, brinkVec3 p) {
  if (!tree->closed || !isInBounds(&tree->bounds, p)) return false;
  const double *vertices = brinkHullTree_At(tree, tree->vertices);
  const uint32_t *indices = brinkHullTree_At(tree, tree->indices);
  int exponent = 0; /* a power of two brings the mesh to size 1: no product overflows */
  frexp(brinkLengthBound(brinkSub(tree->bounds.upper, tree->bounds.lower)), &exponent);
  double scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent), halfTurns = 0.0;
  for (size_t t = 0; t < tree->triangleCount; ++t) {
    brinkVec3 corner[3];
    double length[3];
    for (int k = 0; k < 3; ++k) {
      corner[k] = brinkScale(brinkSub(brinkV3_FromArray(&vertices[3 * (size_t)indices[3 * t + k]]), p), scale);
      length[k] = brinkLength(corner[k]);
    }
    double numerator = brinkDot(corner[0], brinkCross(corner[1], corner[2]));
    double denominator = length[0] * length[1] * length[2] + brinkDot(corner[0], corner[1]) * length[2] +
                         brinkDot(corner[1], corner[2]) * length[0] + brinkDot(corner[2], corner[0]) * length[1];
    if (numerator != 0.0) halfTurns += atan2(numerator, denominator); /* half the solid angle */
  }
  return fabs(halfTurns) > 3.1415926535897932; /* winding number beyond 1/2; +-1 inside, 0 outside */
}
