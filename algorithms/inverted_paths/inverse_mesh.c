/* SPDX-License-Identifier: BSD-3-Clause */
/* See inverse_mesh.h. */
#include "inverse_mesh.h"

#include <stdlib.h>

#include "orientation.h"
#include "surface.h"

#define DIRECTIONS 8
#define STACK_CAPACITY 128 /* deeper than any tree by median split */
#define KNOWN 0x80000000u

/* ---- tree */

static double middleOf(const brinkInverseLeaf *leaf, int axis) {
  return 0.5 * leaf->low[axis] + 0.5 * leaf->high[axis];
}
static int compareOn(const brinkInverseLeaf *a, const brinkInverseLeaf *b, int axis) {
  double x = middleOf(a, axis), y = middleOf(b, axis);
  if (x != y) return x < y ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}
static int compareX(const void *a, const void *b) { return compareOn(a, b, 0); }
static int compareY(const void *a, const void *b) { return compareOn(a, b, 1); }
static int compareZ(const void *a, const void *b) { return compareOn(a, b, 2); }

static void growBox(double low[3], double high[3], const double *p) {
  for (int k = 0; k < 3; ++k) {
    low[k] = fmin(low[k], p[k]);
    high[k] = fmax(high[k], p[k]);
  }
}

/* Nodes of leaves[0..count) from index `at`; returns the next free index. */
static uint32_t buildNode(brinkInverseNode *nodes, brinkInverseLeaf *leaves, size_t count, uint32_t at) {
  static int (*const compare[3])(const void *, const void *) = {compareX, compareY, compareZ};
  brinkInverseNode *node = &nodes[at];
  *node = (brinkInverseNode){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0, leaves[0].id};
  for (size_t i = 0; i < count; ++i) {
    growBox(node->low, node->high, leaves[i].low);
    growBox(node->low, node->high, leaves[i].high);
  }
  if (count == 1) return at + 1;
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis]) axis = k;
  qsort(leaves, count, sizeof *leaves, compare[axis]);
  uint32_t right = buildNode(nodes, leaves, count / 2, at + 1);
  nodes[at].right = right;
  return buildNode(nodes, leaves + count / 2, count - count / 2, right);
}

void brinkInverseNodes_Build(brinkInverseLeaf *leaves, size_t count, brinkInverseNode *nodes) {
  buildNode(nodes, leaves, count, 0);
}

static void buildTree(brinkInverseMesh *mesh, brinkInverseLeaf *leaves) {
  for (size_t i = 0; i < mesh->triangleCount; ++i) {
    leaves[i] = (brinkInverseLeaf){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, (uint32_t)i};
    for (int c = 0; c < 3; ++c) growBox(leaves[i].low, leaves[i].high, brinkInverseMesh_Vertex(mesh, (uint32_t)i, c));
  }
  brinkInverseNodes_Build(leaves, mesh->triangleCount, mesh->nodes);
}

/* ---- parts and closedness */

static uint32_t findRoot(uint32_t *parents, uint32_t i) {
  while (parents[i] != i) {
    parents[i] = parents[parents[i]];
    i = parents[i];
  }
  return i;
}

/* One vertex of each connected part that has triangles; parents: [vertexCount] scratch. */
static void findParts(brinkInverseMesh *mesh, uint32_t *parents) {
  for (size_t i = 0; i < mesh->vertexCount; ++i) parents[i] = (uint32_t)i;
  for (size_t i = 0; i < mesh->triangleCount; ++i) {
    const uint32_t *t = mesh->triangles + 3 * i;
    for (int c = 1; c < 3; ++c) {
      uint32_t a = findRoot(parents, t[0]), b = findRoot(parents, t[c]);
      if (a != b) parents[BRINK_MAX(a, b)] = BRINK_MIN(a, b);
    }
  }
  for (size_t i = 0; i < mesh->vertexCount; ++i) parents[i] = findRoot(parents, (uint32_t)i);
  for (size_t i = 0; i < mesh->triangleCount; ++i) {
    uint32_t root = parents[mesh->triangles[3 * i]] & ~KNOWN;
    if ((parents[root] & KNOWN) == 0) mesh->parts[mesh->partCount++] = root;
    parents[root] |= KNOWN;
  }
}

static int compareEdges(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Does every directed edge have its opposite as often as itself? welded: of each vertex, the first at its place; edges:
 * [3 triangleCount] scratch. */
static bool isClosed(const brinkInverseMesh *mesh, const uint32_t *welded, uint64_t *edges) {
  size_t count = 0;
  for (size_t i = 0; i < mesh->triangleCount; ++i)
    for (int c = 0; c < 3; ++c) {
      uint64_t a = welded[mesh->triangles[3 * i + (size_t)c]], b = welded[mesh->triangles[3 * i + (size_t)(c + 1) % 3]];
      if (a != b) edges[count++] = a < b ? a << 32 | b << 1 : b << 32 | a << 1 | 1u; /* ids stay below 2^31 */
    }
  qsort(edges, count, sizeof *edges, compareEdges);
  for (size_t i = 0; i < count;) {
    size_t forward = 0, backward = 0;
    uint64_t edge = edges[i] >> 1;
    for (; i < count && edges[i] >> 1 == edge; ++i) (edges[i] & 1u) != 0 ? ++backward : ++forward;
    if (forward != backward) return false;
  }
  return count > 0;
}

/* ---- making */

static brinkStatus checkView(brinkContext *context, const brinkMeshView *view, const char *name) {
  if (view->vertices == NULL || view->vertexCount == 0 || view->indices == NULL || view->triangleCount == 0)
    return brinkFail(context, brink_errorEmpty, "%s: %zu vertices, %zu triangles: there is nothing to meet", name,
                     view->vertexCount, view->triangleCount);
  if (view->vertexCount > INT32_MAX || view->triangleCount > INT32_MAX / 4)
    return brinkFail(context, brink_errorRange, "%s: more than 2^31 vertices or 2^29 triangles", name);
  for (size_t i = 0; i < 3 * view->vertexCount; ++i)
    if (!isfinite(view->vertices[i]) || fabs(view->vertices[i]) > 1e50)
      return brinkFail(context, brink_errorBadValue, "%s: vertex %zu is not finite (or beyond 1e50)", name, i / 3);
  for (size_t i = 0; i < 3 * view->triangleCount; ++i)
    if (view->indices[i] >= view->vertexCount)
      return brinkFail(context, brink_errorBadIndex, "%s: triangle %zu has vertex %u of %zu", name, i / 3,
                       view->indices[i], view->vertexCount);
  return brink_ok;
}

brinkStatus brinkInverseMesh_Make(brinkContext *context, const brinkMeshView *view, const char *name,
                                  brinkInverseMesh *out) {
  brinkStatus status = checkView(context, view, name);
  if (status != brink_ok) return status;
  size_t n = view->triangleCount, m = view->vertexCount;
  brinkInverseMesh mesh = {.vertexCount = m, .triangleCount = n, .solid = (view->flags & BRINK_MESH_SOLID) != 0};
  mesh.vertices = brinkAllocate(context, 3 * m * sizeof(double));
  mesh.triangles = brinkAllocate(context, 3 * n * sizeof(uint32_t));
  mesh.nodes = brinkAllocate(context, (2 * n - 1) * sizeof *mesh.nodes);
  mesh.parts = brinkAllocate(context, n * sizeof(uint32_t));
  size_t scratchSize =
      BRINK_MAX(BRINK_MAX(n * sizeof(brinkInverseLeaf), 3 * n * sizeof(uint64_t)), m * sizeof(uint32_t));
  void *scratch = brinkAllocate(context, scratchSize);
  if (mesh.vertices == NULL || mesh.triangles == NULL || mesh.nodes == NULL || mesh.parts == NULL || scratch == NULL)
    status = brinkFail(context, brink_errorNoMemory, "%s: no memory for %zu triangles", name, n);
  if (status == brink_ok) {
    memcpy(mesh.vertices, view->vertices, 3 * m * sizeof(double));
    memcpy(mesh.triangles, view->indices, 3 * n * sizeof(uint32_t));
    for (size_t i = 0; i < 3 * m; ++i) mesh.reach[i % 3] = fmax(mesh.reach[i % 3], fabs(mesh.vertices[i]));
    buildTree(&mesh, scratch);
    findParts(&mesh, scratch);
    uint32_t *welded = mesh.solid ? brinkAllocate(context, m * sizeof *welded) : NULL;
    if (mesh.solid && welded == NULL) status = brinkFail(context, brink_errorNoMemory, "%s: no memory to weld", name);
    if (welded != NULL) status = brinkWeldVertices(context, mesh.vertices, (uint32_t)m, welded);
    if (status == brink_ok && mesh.solid && !isClosed(&mesh, welded, scratch))
      status = brinkFail(context, brink_errorNotClosed,
                         "%s: not closed, so it has no inside; mend it or leave BRINK_MESH_SOLID out", name);
    if (welded != NULL) brinkRelease(context, welded, m * sizeof *welded);
  }
  brinkRelease(context, scratch, scratchSize);
  if (status == brink_ok)
    *out = mesh;
  else
    brinkInverseMesh_Free(context, &mesh);
  return status;
}

void brinkInverseMesh_Free(brinkContext *context, brinkInverseMesh *mesh) {
  size_t n = mesh->triangleCount;
  brinkRelease(context, mesh->vertices, 3 * mesh->vertexCount * sizeof(double));
  brinkRelease(context, mesh->triangles, 3 * n * sizeof(uint32_t));
  brinkRelease(context, mesh->nodes, (2 * n - 1) * sizeof *mesh->nodes);
  brinkRelease(context, mesh->parts, n * sizeof(uint32_t));
  memset(mesh, 0, sizeof *mesh);
}

/* ---- inside */

/* Never a wrong no. */
static bool segmentMayMeet(const brinkInverseNode *node, const double p[3], const double q[3]) {
  double enter = 0.0, leave = 1.0;
  for (int k = 0; k < 3; ++k) {
    double margin = 1e-9 * (fabs(p[k]) + fabs(q[k]) + fabs(node->low[k]) + fabs(node->high[k]));
    double low = node->low[k] - margin, high = node->high[k] + margin, along = q[k] - p[k];
    if (fabs(along) <= margin) {
      if (p[k] < low - margin || p[k] > high + margin) return false;
      continue;
    }
    double t0 = (low - p[k]) / along, t1 = (high - p[k]) / along;
    enter = fmax(enter, fmin(t0, t1) - 1e-9);
    leave = fmin(leave, fmax(t0, t1) + 1e-9);
  }
  return enter <= leave;
}

/* +1 out, -1 in, 0 none, 2 doubtful. */
static int crossTriangle(const brinkInverseMesh *mesh, uint32_t triangle, const double p[3], const double q[3]) {
  const double *a = brinkInverseMesh_Vertex(mesh, triangle, 0), *b = brinkInverseMesh_Vertex(mesh, triangle, 1),
               *c = brinkInverseMesh_Vertex(mesh, triangle, 2);
  if (a == b || b == c || c == a) return 0;
  int sideP = brinkOrientation(a, b, c, p), sideQ = brinkOrientation(a, b, c, q);
  if (sideP == sideQ && sideP != 0) return 0;
  int ab = brinkOrientation(p, q, a, b), bc = brinkOrientation(p, q, b, c), ca = brinkOrientation(p, q, c, a);
  bool positive = ab > 0 || bc > 0 || ca > 0, negative = ab < 0 || bc < 0 || ca < 0;
  if (positive && negative) return 0;
  if (sideP == 0 || sideQ == 0 || ab == 0 || bc == 0 || ca == 0) return 2;
  return sideQ > 0 ? 1 : -1;
}

static bool countCrossings(const brinkInverseMesh *mesh, const double p[3], const double q[3], int *winding) {
  uint32_t stack[STACK_CAPACITY];
  size_t count = 1;
  stack[0] = 0;
  *winding = 0;
  while (count > 0) {
    uint32_t at = stack[--count];
    const brinkInverseNode *node = &mesh->nodes[at];
    if (!segmentMayMeet(node, p, q)) continue;
    if (node->right == 0) {
      int crossing = crossTriangle(mesh, node->triangle, p, q);
      if (crossing == 2) return false;
      *winding += crossing;
      continue;
    }
    stack[count++] = node->right;
    stack[count++] = at + 1;
  }
  return true;
}

int brinkInverseMesh_Contains(const brinkInverseMesh *mesh, const double p[3]) {
  static const double directions[DIRECTIONS][3] = {
      {0.0123, 0.0311, 1.0}, {1.0, 0.0217, -0.0343}, {-0.0413, 1.0, 0.0279},  {0.577, -0.613, 0.539},
      {-0.61, 0.52, -0.598}, {0.31, 0.871, -0.39},   {-0.713, -0.21, 0.6707}, {0.1171, -0.967, -0.2231}};
  const brinkInverseNode *root = &mesh->nodes[0];
  if (!mesh->solid) return 0;
  double size = 0.0;
  for (int k = 0; k < 3; ++k) {
    if (!(p[k] >= root->low[k] && p[k] <= root->high[k])) return 0;
    size += root->high[k] - root->low[k];
  }
  int winding = 0;
  for (int i = 0; i < DIRECTIONS; ++i) {
    double q[3];
    for (int k = 0; k < 3; ++k) q[k] = p[k] + 2.0 * size * directions[i][k];
    if (countCrossings(mesh, p, q, &winding)) return winding != 0;
  }
  return -1; /* on the surface, or as good as */
}
