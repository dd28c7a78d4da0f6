/* SPDX-License-Identifier: BSD-3-Clause */
/* Cooking: mesh -> patches -> binary tree of boxes -> hulls over its patches, wide tree over its triangles -> blob.
 *
 * Boxes come top-down (box_tree.h), hulls bottom-up: a node's hull is that of its children's hull vertices, which is
 * the hull of everything below, exactly. Subtrees, and the hull of the whole, are tasks that the host may run at the
 * same time; what they are does not depend on who runs them, so neither does the blob.
 *
 * Based on: [CATCH] Sec. 4; Ehmann and Lin 2001; figures: theory D8.1.
 * Units: m, frame of the mesh. */
#include "cook.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "box_tree.h"
#include "convex.h"
#include "blob.h"
#include "orientation.h"
#include "surface.h"

#define NONE UINT32_MAX
#define MOST_ELEMENTS 0x10000000u /* vertices, triangles: 2^28 */
#define BOTH_HULLS (2 * BRINK_NODE_HULL_VERTICES)

typedef struct indexList {
  uint32_t *items;
  size_t count, capacity;
} indexList;

typedef struct nodeHull { /* of a node of the box tree that holds whole patches */
  uint32_t start, count;  /* in the ids of its task; count 0: none */
  uint32_t task;
  float radius; /* of the ball about the box's centre, as stored */
} nodeHull;

typedef struct subtree { /* one task */
  brinkContext context;  /* messages of its own */
  indexList ids;         /* of its nodes' hulls */
  brinkStatus status;
} subtree;

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
  brinkBoxTree boxes;        /* over patches */
  brinkBoxTree fine;         /* over triangles */
  uint32_t *triangleNumbers; /* [triangleCount + 1] 0, 1, 2 .. */
  brinkSurface singles;
  uint32_t *slots;   /* [triangleCount] hull order -> wide order */
  nodeHull *hulls;   /* by the box tree's numbers */
  subtree *subtrees; /* [subtreeCount]: the whole, those of the patches, those of the triangles, the top */
  size_t subtreeCount;
  brinkConvexHull whole;
  indexList wholeIds;
  brinkObbTree wide;
  brinkHullTreeNode *nodes;
  uint32_t nodeCount;
  indexList hullIds;
  brinkHullTree header;
} cookWork;

static brinkStatus noMemory(brinkContext *context, const char *what) {
  return brinkFail(context, brink_errorNoMemory, "no memory for %s of the mesh; free some or cook a smaller mesh",
                   what);
}

static float upFloat(double x) {
  float f = (float)x;
  return (double)f < x ? nextafterf(f, INFINITY) : f;
}

static brinkStatus reportProgress(cookWork *work, double fraction) {
  if (!work->options || !work->options->progress) return brink_ok;
  if (work->options->progress(work->options->user, fraction) == 0) return brink_ok;
  return brinkFail(work->context, brink_errorBusy, "cooking was given up by the progress callback");
}

/* ---- hull pieces */

/* Box of a node as stored. The builder knows its vertices to half a rounding of themselves; centre and half extents are
 * rounded to floats; the centre is rounded once more in the mesh's frame where it is read. */
static void storeBox(const cookWork *work, const brinkBoxNode *box, brinkHullTreeNode *out) {
  const brinkVec3 o = work->boxes.origin;
  const double c[3] = {box->center.x, box->center.y, box->center.z}, h[3] = {box->half.x, box->half.y, box->half.z};
  double moved = 0.0, far = (fabs(o.x) + fabs(o.y) + fabs(o.z)) / work->boxes.unit;
  for (int k = 0; k < 3; ++k) {
    out->center[k] = (float)c[k];
    moved += fabs(c[k] - (double)out->center[k]);
  }
  for (int k = 0; k < 3; ++k) out->half[k] = upFloat(h[k] + moved + DBL_EPSILON * (64.0 + 4.0 * far));
  out->turn = box->turn;
}

static void gatherPoints(const cookWork *work, const uint32_t *ids, uint32_t count, double *points) {
  for (uint32_t i = 0; i < count; ++i) memcpy(&points[3 * i], &work->vertices[3 * (size_t)ids[i]], 3 * sizeof(double));
}

/* The node's ball and hull ids (ascending, count may be 0: the box's corners). */
static brinkStatus keepHull(cookWork *work, uint32_t taskIndex, uint32_t index, const uint32_t *ids, uint32_t count) {
  subtree *task = &work->subtrees[taskIndex];
  nodeHull *hull = &work->hulls[index];
  brinkHullTreeNode stored;
  storeBox(work, &work->boxes.nodes[index], &stored);
  brinkObb box = brinkHullTree_Box(&work->header, &stored);
  double points[BRINK_NODE_HULL_VERTICES][3];
  if (count > 0)
    gatherPoints(work, ids, count, points[0]);
  else
    brinkMakeBoxCorners(&box, points);
  double radius = brinkMakeBallRadius(points[0], NULL, count > 0 ? count : 8, box.center) / work->boxes.unit;
  hull->radius = upFloat(radius * (1.0 + 4.0 * DBL_EPSILON));
  hull->task = taskIndex;
  hull->start = (uint32_t)task->ids.count;
  hull->count = count;
  void *block = task->ids.items;
  brinkStatus status =
      brinkReserve(&task->context, &block, &task->ids.capacity, task->ids.count + count, sizeof(uint32_t));
  task->ids.items = block;
  if (status != brink_ok) return status;
  if (count > 0) memcpy(&task->ids.items[task->ids.count], ids, count * sizeof(uint32_t));
  task->ids.count += count;
  return brink_ok;
}

/* Vertices of some triangles, once each, ascending. */
static uint32_t gatherCorners(const cookWork *work, const uint32_t *triangles, uint32_t count, uint32_t *ids) {
  uint32_t found = 0;
  for (uint32_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) {
      uint32_t id = work->indices[3 * (size_t)triangles[t] + (size_t)k], at = found;
      while (at > 0 && ids[at - 1] > id) --at;
      if (at > 0 && ids[at - 1] == id) continue;
      memmove(&ids[at + 1], &ids[at], (found - at) * sizeof *ids);
      ids[at] = id;
      ++found;
    }
  return found;
}

static uint32_t mergeIds(const uint32_t *a, uint32_t countA, const uint32_t *b, uint32_t countB, uint32_t *out) {
  uint32_t i = 0, k = 0, count = 0;
  while (i < countA || k < countB) {
    uint32_t id = k == countB || (i < countA && a[i] <= b[k]) ? a[i] : b[k];
    i += i < countA && a[i] == id;
    k += k < countB && b[k] == id;
    out[count++] = id;
  }
  return count;
}

/* Leaves in ids only those on their hull. */
static brinkStatus reduceToHull(cookWork *work, brinkContext *context, uint32_t *ids, uint32_t *count) {
  double points[BOTH_HULLS][3];
  brinkConvexHull hull;
  gatherPoints(work, ids, *count, points[0]);
  brinkStatus status = brinkFindHullVertices(context, points[0], *count, &hull);
  if (status != brink_ok) return status;
  for (uint32_t i = 0; i < hull.vertexCount; ++i) ids[i] = ids[hull.vertices[i]];
  *count = hull.vertexCount;
  brinkFreeConvexHull(context, &hull);
  return brink_ok;
}

/* Hull of an inner node from those of its children; few vertices are kept as they are, on the hull or not. */
static brinkStatus joinHulls(cookWork *work, uint32_t taskIndex, uint32_t index) {
  const nodeHull *sides[2] = {&work->hulls[index + 1], &work->hulls[work->boxes.nodes[index].right]};
  bool quick = work->options && (work->options->flags & BRINK_COOK_QUICK);
  uint32_t ids[BOTH_HULLS], count = 0;
  if (!quick && sides[0]->count > 0 && sides[1]->count > 0) {
    const uint32_t *items[2];
    for (int i = 0; i < 2; ++i) items[i] = &work->subtrees[sides[i]->task].ids.items[sides[i]->start];
    count = mergeIds(items[0], sides[0]->count, items[1], sides[1]->count, ids);
    if (count > BRINK_BRUTE_FORCE_VERTICES) {
      brinkStatus status = reduceToHull(work, &work->subtrees[taskIndex].context, ids, &count);
      if (status != brink_ok) return status;
    }
    if (count > BRINK_NODE_HULL_VERTICES) count = 0;
  }
  return keepHull(work, taskIndex, index, ids, count);
}

/* Hulls of a subtree, children first. Recursion is no deeper than BRINK_HULL_TREE_DEPTH. */
static brinkStatus makeHulls(cookWork *work, uint32_t taskIndex, uint32_t index) {
  const brinkBoxNode *node = &work->boxes.nodes[index];
  if (node->patches == 1) {
    uint32_t ids[3 * BRINK_PATCH_TRIANGLES + 1];
    uint32_t count = gatherCorners(work, &work->boxes.order[node->first], node->count, ids);
    return keepHull(work, taskIndex, index, ids, count);
  }
  brinkStatus status = makeHulls(work, taskIndex, index + 1);
  if (status == brink_ok) status = makeHulls(work, taskIndex, node->right);
  return status == brink_ok ? joinHulls(work, taskIndex, index) : status;
}

/* The nodes above the tasks. */
static brinkStatus makeTopHulls(cookWork *work, uint32_t topIndex, size_t *next, uint32_t index) {
  if (*next < work->boxes.taskCount && work->boxes.tasks[*next].node == index) {
    ++*next;
    return brink_ok;
  }
  brinkStatus status = makeTopHulls(work, topIndex, next, index + 1);
  if (status == brink_ok) status = makeTopHulls(work, topIndex, next, work->boxes.nodes[index].right);
  return status == brink_ok ? joinHulls(work, topIndex, index) : status;
}

/* ---- the tree */

static brinkStatus findConvex(cookWork *work, brinkContext *context, bool *convex);

/* Hull of all vertices in use, whether it is the surface itself, and the box of the whole. */
static brinkStatus makeWhole(cookWork *work, brinkContext *context) {
  brinkHullTree *header = &work->header;
  bool convex = false;
  size_t size = 3 * (size_t)work->vertexCount * sizeof(double), marksSize = work->vertexCount;
  double *points = brinkAllocate(context, size);
  uint8_t *used = brinkAllocateZeroed(context, marksSize, 1);
  work->wholeIds.items = brinkAllocate(context, work->vertexCount * sizeof(uint32_t));
  brinkStatus status = points && used && work->wholeIds.items ? brink_ok : noMemory(context, "the hull of the whole");
  if (work->wholeIds.items) work->wholeIds.capacity = work->vertexCount;
  if (status == brink_ok) {
    uint32_t *ids = work->wholeIds.items, count = 0;
    for (size_t i = 0; i < 3 * (size_t)work->triangleCount; ++i) used[work->indices[i]] = 1;
    for (uint32_t v = 0; v < work->vertexCount; ++v)
      if (used[v]) ids[count++] = v;
    gatherPoints(work, ids, count, points);
    status = brinkMakeConvexHull(context, points, count, &work->whole);
    for (uint32_t i = 0; status == brink_ok && i < work->whole.vertexCount; ++i) ids[i] = ids[work->whole.vertices[i]];
    work->wholeIds.count = work->whole.vertexCount;
  }
  if (status == brink_ok) status = findConvex(work, context, &convex);
  if (status == brink_ok) {
    uint32_t count = work->whole.vertexCount;
    header->convex = convex || (header->flags & BRINK_MESH_CONVEX);
    header->wholeCount = count;
    header->wholeDimension = (uint32_t)work->whole.dimension;
    header->wholeNeighborCount = count > BRINK_BRUTE_FORCE_VERTICES ? work->whole.neighborCount : 0;
    header->wholeBox =
        brinkMakeTightBox(work->vertices, work->wholeIds.items, count, work->indices, NULL, work->triangleCount);
    header->wholeRadius =
        brinkMakeBall(work->vertices, work->wholeIds.items, count, header->wholeBox.center, &header->wholeCenter);
  }
  brinkRelease(context, points, size);
  brinkRelease(context, used, marksSize);
  return status;
}

/* Task 0 is the whole: it takes longest where the mesh is nearly convex. */
static void runSubtree(void *user, uint32_t taskIndex) {
  cookWork *work = user;
  subtree *task = &work->subtrees[taskIndex];
  brinkFloatState host;
  brinkFloat_Enter(&host);
  if (taskIndex == 0) {
    task->status = makeWhole(work, &task->context);
  } else if (taskIndex <= work->boxes.taskCount) {
    const brinkBoxTask *boxes = &work->boxes.tasks[taskIndex - 1];
    brinkBuildBoxTask(&work->boxes, boxes);
    task->status = makeHulls(work, taskIndex, boxes->node);
  } else {
    brinkBuildBoxTask(&work->fine, &work->fine.tasks[taskIndex - 1 - work->boxes.taskCount]);
  }
  brinkFloat_Leave(&host);
}

static brinkStatus runSubtrees(cookWork *work) {
  uint32_t count = (uint32_t)(work->subtreeCount - 1);
  brinkStatus status = brink_ok;
  if (work->options && work->options->run) {
    work->options->run(work->options->runUser, count, runSubtree, work);
  } else {
    for (uint32_t i = 0; status == brink_ok && i < count; ++i) {
      runSubtree(work, i);
      status = reportProgress(work, 0.2 + 0.7 * (i + 1) / count);
    }
  }
  for (uint32_t i = 0; status == brink_ok && i < count; ++i)
    if (work->subtrees[i].status != brink_ok)
      status = brinkFail(work->context, work->subtrees[i].status, "%s", work->subtrees[i].context.message);
  return status;
}

/* Nodes of whole patches in the blob's order: a parent, all that is below its left child, then its right one. */
static brinkStatus writeNodes(cookWork *work, uint32_t index, uint32_t depth) {
  const brinkBoxNode *box = &work->boxes.nodes[index];
  const nodeHull *hull = &work->hulls[index];
  uint32_t place = work->nodeCount++;
  brinkHullTreeNode *node = &work->nodes[place];
  memset(node, 0, sizeof *node);
  storeBox(work, box, node);
  node->hullRadius = hull->radius;
  node->firstTriangle = box->first;
  node->triangleCount = box->count;
  node->depth = (uint16_t)depth;
  node->hullStart = (uint32_t)work->hullIds.count;
  if (box->patches == 1) return brink_ok; /* its triangles tell */
  node->hullCount = (uint16_t)hull->count;
  void *block = work->hullIds.items;
  brinkStatus status =
      brinkReserve(work->context, &block, &work->hullIds.capacity, work->hullIds.count + hull->count, sizeof(uint32_t));
  work->hullIds.items = block;
  if (status != brink_ok) return status;
  if (hull->count > 0)
    memcpy(&work->hullIds.items[work->hullIds.count], &work->subtrees[hull->task].ids.items[hull->start],
           hull->count * sizeof(uint32_t));
  work->hullIds.count += hull->count;
  status = writeNodes(work, index + 1, depth + 1);
  node->right = work->nodeCount;
  return status == brink_ok ? writeNodes(work, box->right, depth + 1) : status;
}

static brinkStatus buildTree(cookWork *work) {
  brinkContext *context = work->context;
  brinkStatus status = brinkStartBoxTree(context, work->vertices, work->vertexCount, work->indices, work->triangleCount,
                                         &work->surface, &work->boxes);
  if (status != brink_ok) return status;
  size_t numbers = (size_t)work->triangleCount + 1;
  work->triangleNumbers = brinkAllocate(context, numbers * sizeof(uint32_t));
  work->slots = brinkAllocate(context, work->triangleCount * sizeof(uint32_t));
  if (!work->triangleNumbers || !work->slots) return noMemory(context, "the box tree");
  for (uint32_t i = 0; i < numbers; ++i) work->triangleNumbers[i] = i;
  work->singles = (brinkSurface){
      .patchCount = work->triangleCount, .patchStart = work->triangleNumbers, .patchTriangles = work->triangleNumbers};
  status = brinkStartBoxTree(context, work->vertices, work->vertexCount, work->indices, work->triangleCount,
                             &work->singles, &work->fine);
  if (status != brink_ok) return status;
  work->fine.bare = true;
  work->header.origin = work->boxes.origin;
  work->header.unit = work->boxes.unit;
  work->subtreeCount = work->boxes.taskCount + work->fine.taskCount + 2;
  work->hulls = brinkAllocate(context, (2 * (size_t)work->triangleCount - 1) * sizeof(nodeHull));
  work->nodes = brinkAllocate(context, (2 * (size_t)work->surface.patchCount - 1) * sizeof(brinkHullTreeNode));
  work->subtrees = brinkAllocateZeroed(context, work->subtreeCount, sizeof(subtree));
  if (!work->hulls || !work->nodes || !work->subtrees) return noMemory(context, "the hull tree");
  for (size_t i = 0; i < work->subtreeCount; ++i) work->subtrees[i].context = *context;
  status = reportProgress(work, 0.2);
  if (status == brink_ok) status = runSubtrees(work);
  size_t next = 0;
  if (status == brink_ok) status = makeTopHulls(work, (uint32_t)(work->subtreeCount - 1), &next, 0);
  if (status == brink_ok) status = writeNodes(work, 0, 0);
  if (status == brink_ok) status = brinkMakeWideTree(&work->fine, &work->wide);
  if (status != brink_ok) return status;
  uint32_t *places = work->triangleNumbers; /* no longer needed as they are: by id */
  for (uint32_t i = 0; i < work->triangleCount; ++i) places[work->fine.order[i]] = i;
  for (uint32_t i = 0; i < work->triangleCount; ++i) work->slots[i] = places[work->boxes.order[i]];
  return brink_ok;
}

/* ---- the mesh as given */

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

/* Is one of a few vertices of the hull strictly above one of a few triangles? Then the surface is not its boundary. */
static bool isDented(const cookWork *work) {
  const uint32_t looks = 16;
  for (uint32_t i = 0; i < looks; ++i) {
    const uint32_t *corner = &work->indices[3 * (size_t)((uint64_t)i * work->triangleCount / looks)];
    for (uint32_t k = 0; k < looks; ++k) {
      uint32_t v = work->wholeIds.items[(uint64_t)k * work->wholeIds.count / looks];
      if (v == corner[0] || v == corner[1] || v == corner[2]) continue;
      if (brinkOrientation(&work->vertices[3 * (size_t)corner[0]], &work->vertices[3 * (size_t)corner[1]],
                           &work->vertices[3 * (size_t)corner[2]], &work->vertices[3 * (size_t)v]) > 0)
        return true;
    }
  }
  return false;
}

/* All vertices in use on the hull and the surface its boundary, exactly. */
static brinkStatus findConvex(cookWork *work, brinkContext *context, bool *convex) {
  *convex = false;
  if (!work->surface.closed || isDented(work)) return brink_ok;
  size_t count = 3 * (size_t)work->triangleCount, kept = 0;
  uint32_t *welded = brinkAllocate(context, work->vertexCount * sizeof(uint32_t));
  uint32_t *faces = brinkAllocate(context, count * sizeof(uint32_t));
  brinkStatus status = welded && faces ? brinkWeldVertices(context, work->vertices, work->vertexCount, welded)
                                       : noMemory(context, "the surface");
  if (status == brink_ok) {
    for (size_t i = 0; i < count; i += 3) {
      for (int k = 0; k < 3; ++k) faces[kept + k] = welded[work->indices[i + k]];
      if (faces[kept] != faces[kept + 1] && faces[kept + 1] != faces[kept + 2] && faces[kept + 2] != faces[kept])
        kept += 3;
    }
    if (kept == count) /* stray points and segments are no part of a hull's boundary */
      status = brinkIsConvexSurface(context, work->vertices, faces, work->triangleCount, convex);
  }
  brinkRelease(context, welded, work->vertexCount * sizeof(uint32_t));
  brinkRelease(context, faces, count * sizeof(uint32_t));
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
  brinkHullTree *header = &work->header;
  header->flags = flags;
  header->closed = work->surface.closed;
  header->manifold = work->surface.manifold;
  header->degenerateCount = work->surface.degenerateCount;
  header->patchCount = work->surface.patchCount;
  return status;
}

/* ---- the blob */

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
  if (work->hullIds.count >= NONE)
    return brinkFail(work->context, brink_errorRange, "the mesh's hulls have more than 2^32 vertices; split the mesh");
  brinkHullTree *header = &work->header;
  header->magic = BRINK_BLOB_MAGIC;
  header->version = BRINK_BLOB_VERSION;
  header->vertexCount = work->vertexCount;
  header->triangleCount = work->triangleCount;
  header->nodeCount = work->nodeCount;
  header->hullIdCount = (uint32_t)work->hullIds.count;
  header->hasWide = brinkBoxTree_FitsFloat(&work->boxes);
  header->wideCount = work->wide.nodeCount;
  header->wideScale = work->wide.scale;
  header->wideRoot = work->wide.root;
  header->bounds = usedBounds(work);
  header->size = brinkBlobLayout(header);
  if (header->size > SIZE_MAX) return noMemory(work->context, "the blob");
  unsigned char *bytes = brinkAllocateZeroed(work->context, 1, (size_t)header->size);
  if (!bytes) return noMemory(work->context, "the blob");
  memcpy(bytes, header, sizeof *header);
  copySection(bytes, header->vertices, work->vertices, 3 * (size_t)work->vertexCount * sizeof(double));
  copySection(bytes, header->indices, work->indices, 3 * (size_t)work->triangleCount * sizeof(uint32_t));
  copySection(bytes, header->triangles, work->wide.triangles, work->triangleCount * sizeof(brinkObbTriangle));
  copySection(bytes, header->slots, work->slots, work->triangleCount * sizeof(uint32_t));
  copySection(bytes, header->wide, work->wide.nodes, work->wide.nodeCount * sizeof(brinkObbNode));
  copySection(bytes, header->nodes, work->nodes, work->nodeCount * sizeof(brinkHullTreeNode));
  copySection(bytes, header->hullIds, work->hullIds.items, work->hullIds.count * sizeof(uint32_t));
  gatherPoints(work, work->wholeIds.items, header->wholeCount, (double *)(void *)(bytes + header->wholeVertices));
  copySection(bytes, header->wholeIds, work->wholeIds.items, header->wholeCount * sizeof(uint32_t));
  if (header->wholeNeighborCount > 0) {
    copySection(bytes, header->wholeStarts, work->whole.neighborStart,
                ((size_t)header->wholeCount + 1) * sizeof(uint32_t));
    copySection(bytes, header->wholeNeighbors, work->whole.neighbors, header->wholeNeighborCount * sizeof(uint32_t));
  }
  brinkHullTree *tree = (brinkHullTree *)(void *)bytes;
  tree->checksum = brinkBlobChecksum(tree);
  *blob = bytes;
  *blobSize = (size_t)header->size;
  return brink_ok;
}

static void freeWork(cookWork *work) {
  brinkContext *context = work->context;
  size_t patches = work->surface.patchCount, triangles = work->triangleCount;
  if (work->boxes.context) brinkFreeBoxTree(&work->boxes);
  if (work->fine.context) brinkFreeBoxTree(&work->fine);
  brinkRelease(context, work->triangleNumbers, (triangles + 1) * sizeof(uint32_t));
  brinkRelease(context, work->slots, triangles * sizeof(uint32_t));
  brinkRelease(context, work->hulls, (2 * triangles - 1) * sizeof(nodeHull));
  brinkRelease(context, work->nodes, (2 * patches - 1) * sizeof(brinkHullTreeNode));
  for (size_t i = 0; work->subtrees && i < work->subtreeCount; ++i)
    brinkRelease(context, work->subtrees[i].ids.items, work->subtrees[i].ids.capacity * sizeof(uint32_t));
  brinkRelease(context, work->subtrees, work->subtreeCount * sizeof(subtree));
  brinkFreeConvexHull(context, &work->whole);
  brinkRelease(context, work->wholeIds.items, work->wholeIds.capacity * sizeof(uint32_t));
  brinkRelease(context, work->hullIds.items, work->hullIds.capacity * sizeof(uint32_t));
  brinkFreeObbTree(context, &work->wide);
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
    brinkCookOptions known = {0}; /* hosts of older minors know fewer members */
    if (options) memcpy(&known, options, BRINK_MIN((size_t)options->structSize, sizeof known));
    if (options && options->structSize < offsetof(brinkCookOptions, run))
      status = brinkFail(&context, brink_errorVersion,
                         "options.structSize is %u; set it to sizeof(brinkCookOptions), %zu here", options->structSize,
                         sizeof(brinkCookOptions));
    else if (options && (options->flags & ~(uint32_t)BRINK_COOK_QUICK) != 0)
      status = brinkFail(&context, brink_errorBadValue, "options.flags is 0x%x; only BRINK_COOK_QUICK is known",
                         options->flags);
    else {
      brinkFloatState host;
      brinkFloat_Enter(&host);
      status = brinkCookIn(&context, mesh, options ? &known : NULL, blob, blobSize);
      brinkFloat_Leave(&host);
    }
  }
  if (message && messageCapacity > 0)
    snprintf(message, messageCapacity, "%s", status == brink_ok ? "" : context.message);
  return status;
}

void brinkFreeBlob(void *blob) { free(blob); }
