/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of bodies of faces, and the tree over them: top-down, each range cut across the line along which its faces'
 * centres spread most, at the widest gap near the middle: between rows of faces, not through them. So nodes are patches
 * with flat hulls, also where they lie askew, as threads of a screw do. Every node lists its vertices once, so hulls
 * and balls of nodes cost no search. */
#include "face_tree.h"

#include <stdlib.h>

#define LARGEST 1e60 /* m: fourth powers stay finite */

#define LARGEST_JUMP 1e-9 /* of a rotation at a key, of its largest entry: docs/certificate.md */

/* Does each piece of a spline end with the rotation of the next key? */
static brinkStatus checkContinuity(brinkContext *context, const brinkMotionStage *stage, size_t index,
                                   const char *name) {
  for (int32_t i = 0; i + 1 < stage->count; ++i) {
    const brinkStageKey *key = &stage->keys[i], *next = key + 1;
    brinkMotionStage turn = brinkMakeRestStage(&(brinkDisplacement){key->rotation, {0, 0, 0}});
    turn.spin = key->turn;
    brinkDisplacement end = brinkMotionCurve_At(&(brinkMotionCurve){.stages = &turn, .count = 1}, 1.0);
    double largest = 0.0, jump = 0.0;
    for (int k = 0; k < 9; ++k) {
      largest = fmax(largest, fabs(next->rotation.m[k / 3][k % 3]));
      jump = fmax(jump, fabs(end.r.m[k / 3][k % 3] - next->rotation.m[k / 3][k % 3]));
    }
    if (!(jump <= 0.999 * LARGEST_JUMP * largest))
      return brinkFail(context, brink_errorBadRotation,
                       "%s: the rotation of stage %zu jumps by %g at key %d: a turn leads to the rotation of the next "
                       "key, to %g of its largest entry",
                       name, index, jump, (int)i + 1, LARGEST_JUMP);
  }
  return brink_ok;
}

static brinkStatus checkStage(brinkContext *context, const brinkMotionStage *stage, size_t index, const char *name) {
  const brinkVec3 vectors[4] = {stage->point, stage->velocity, stage->spin, stage->arm};
  for (int i = 0; i < 4; ++i)
    if (!brinkFiniteV3(vectors[i]) || brinkLengthSquared(vectors[i]) > LARGEST * LARGEST)
      return brinkFail(context, brink_errorBadValue, "%s: stage %zu has a vector that is not finite, or beyond %g",
                       name, index, LARGEST);
  for (int i = 0; i < 9; ++i)
    if (!(fabs(stage->rotation.m[i / 3][i % 3]) <= LARGEST))
      return brinkFail(context, brink_errorBadValue, "%s: the matrix of stage %zu is not finite", name, index);
  if (stage->kind == brink_stageSpline) {
    if (stage->keys == NULL || stage->count < 2)
      return brinkFail(context, brink_errorEmpty, "%s: spline of stage %zu has no two keys", name, index);
    for (int32_t i = 0; i < stage->count; ++i)
      if (!(stage->keys[i].time >= (i == 0 ? 0.0 : stage->keys[i - 1].time + 1e-9)) ||
          (i == 0 && stage->keys[0].time > 0.0) || (i + 1 == stage->count && !(stage->keys[i].time >= 1.0)))
        return brinkFail(context, brink_errorBadTime, "%s: key %d of stage %zu is at %g: keys ascend and cover [0,1]",
                         name, (int)i, index, stage->keys[i].time);
    for (int32_t i = 0; i < stage->count; ++i) {
      const brinkStageKey *key = &stage->keys[i];
      bool last = i + 1 == stage->count;
      if (!brinkFiniteV3(key->position) || !brinkFiniteV3(key->slope) || !(last || brinkFiniteV3(key->turn)))
        return brinkFail(context, brink_errorBadValue, "%s: key %d of stage %zu is not finite", name, (int)i, index);
    }
    brinkStatus status = checkContinuity(context, stage, index, name);
    if (status != brink_ok) return status;
  }
  if (stage->kind == brink_stageBezier) {
    if (stage->controls == NULL || stage->count < 1 || stage->count > BRINK_CURVE_MAX_DEGREE + 1)
      return brinkFail(context, brink_errorBadValue, "%s: stage %zu has %d control points: 1 to %d", name, index,
                       (int)stage->count, BRINK_CURVE_MAX_DEGREE + 1);
    for (int32_t i = 0; i < stage->count; ++i) {
      if (!(stage->controls[13 * i] > 0.0) || !(stage->controls[13 * i] <= LARGEST))
        return brinkFail(context, brink_errorBadValue,
                         "%s: weight %d of stage %zu is %g: weights are finite and above 0", name, (int)i, index,
                         stage->controls[13 * i]);
      for (int k = 1; k < 13; ++k)
        if (!(fabs(stage->controls[13 * i + k]) <= LARGEST))
          return brinkFail(context, brink_errorBadValue, "%s: control point %d of stage %zu is not finite", name,
                           (int)i, index);
    }
  }
  if (stage->kind < brink_stageTurn || stage->kind > brink_stageBezier)
    return brinkFail(context, brink_errorBadValue, "%s: stage %zu is of kind %u, which is not known", name, index,
                     stage->kind);
  return brink_ok;
}

/* ---- solids */

static bool samePlace(const brinkFaceBody *body, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < 3; ++k) {
    if (body->vertices[3 * a + k] != body->vertices[3 * b + k]) return false;
    if (body->vertices1 != NULL && body->vertices1[3 * a + k] != body->vertices1[3 * b + k]) return false;
  }
  return true;
}

bool brinkFaceBody_Bounds(const brinkFaceBody *body, const uint32_t ids[3]) {
  return !samePlace(body, ids[0], ids[1]) && !samePlace(body, ids[1], ids[2]) && !samePlace(body, ids[2], ids[0]);
}

/* Of where a vertex begins and ends: vertices at one place are one. */
static uint64_t placeHash(const brinkFaceBody *body, uint32_t id) {
  double at[6];
  for (uint32_t k = 0; k < 6; ++k) {
    const double *from = k < 3 || body->vertices1 == NULL ? body->vertices : body->vertices1;
    at[k] = from[3 * id + k % 3] + 0.0; /* no -0 */
  }
  return brinkHash(0, at, sizeof at);
}

/* Signed sum over the edges of all fans of a hash of each: an open surface passes unseen with a chance of 2^-64. (The
 * checker of certificates sorts them.) */
static bool closes(const brinkFaceBody *body) {
  uint64_t sum = 0;
  size_t triangles = 0;
  for (size_t f = 0; f < body->faceCount; ++f)
    for (uint32_t i = body->faceStart[f] + 1; i + 1 < body->faceStart[f + 1]; ++i) {
      const uint32_t ids[3] = {body->faceIds[body->faceStart[f]], body->faceIds[i], body->faceIds[i + 1]};
      if (!brinkFaceBody_Bounds(body, ids)) continue;
      ++triangles;
      for (int k = 0; k < 3; ++k) {
        uint64_t from = placeHash(body, ids[k]), to = placeHash(body, ids[(k + 1) % 3]);
        const uint64_t edge[2] = {BRINK_MIN(from, to), BRINK_MAX(from, to)};
        uint64_t hash = brinkHash(0, edge, sizeof edge);
        sum += from < to ? hash : (uint64_t)0 - hash;
      }
    }
  return triangles > 0 && sum == 0;
}

brinkStatus brinkCheckFaceBody(brinkContext *context, const brinkFaceBody *body, const char *name) {
  if (!(body->radius >= 0.0) || !(body->radius <= LARGEST))
    return brinkFail(context, brink_errorBadValue, "%s: radius is %g: finite and at least 0", name, body->radius);
  if (body->halfSpace) {
    double length = brinkLength(body->normal);
    if (!(fabs(length - 1.0) < 1e-9) || !(fabs(body->offset) <= LARGEST))
      return brinkFail(context, brink_errorBadValue, "%s: a half-space needs a unit normal and a finite offset", name);
    return brink_ok;
  }
  if (body->faceCount == 0 || body->vertexCount == 0)
    return brinkFail(context, brink_errorEmpty, "%s: no faces or no vertices: nothing that could touch", name);
  if (body->faceCount > INT32_MAX / 4 || body->vertexCount > INT32_MAX / 4)
    return brinkFail(context, brink_errorRange, "%s: more than %d faces or vertices", name, INT32_MAX / 4);
  for (size_t i = 0; i < 3 * body->vertexCount; ++i)
    if (!(fabs(body->vertices[i]) <= LARGEST) || (body->vertices1 != NULL && !(fabs(body->vertices1[i]) <= LARGEST)))
      return brinkFail(context, brink_errorBadValue, "%s: vertex %zu is not finite, or beyond %g", name, i / 3,
                       LARGEST);
  for (size_t f = 0; f < body->faceCount; ++f) {
    if (body->faceStart[f + 1] <= body->faceStart[f])
      return brinkFail(context, brink_errorEmpty, "%s: face %zu has no vertices", name, f);
    for (uint32_t k = body->faceStart[f]; k < body->faceStart[f + 1]; ++k)
      if (body->faceIds[k] >= body->vertexCount)
        return brinkFail(context, brink_errorBadIndex, "%s: face %zu names vertex %u of %zu", name, f, body->faceIds[k],
                         body->vertexCount);
  }
  for (size_t i = 0; i < body->motion.count; ++i) {
    brinkStatus status = checkStage(context, &body->motion.stages[i], i, name);
    if (status != brink_ok) return status;
  }
  if (body->solid && !closes(body))
    return brinkFail(context, brink_errorNotClosed,
                     "%s: solid, but its faces do not close: some edge is not run as often one way as the other; mend "
                     "it, order the vertices of each face around it, or state it as open",
                     name);
  return brink_ok;
}

/* ---- the tree */

typedef struct FaceCenter {
  double at[3], along; /* along: the line on which they are sorted */
  uint32_t face;
} FaceCenter;

static int compareAlong(const void *a, const void *b) {
  const FaceCenter *x = a, *y = b;
  if (x->along != y->along) return x->along < y->along ? -1 : 1;
  return x->face < y->face ? -1 : x->face > y->face;
}

#define SQUARINGS 6 /* of the covariance: its 64th power has the direction of the largest spread in every column */

/* The direction along which they spread most; of no length when they are all at one place. */
static brinkVec3 widestDirection(const FaceCenter *centers, uint32_t count) {
  double middle[3] = {0, 0, 0}, spread[3][3] = {{0}};
  for (uint32_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) middle[k] += centers[i].at[k] / count;
  for (uint32_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) spread[k][l] += (centers[i].at[k] - middle[k]) * (centers[i].at[l] - middle[l]);
  for (int step = 0; step < SQUARINGS; ++step) {
    double trace = spread[0][0] + spread[1][1] + spread[2][2], square[3][3];
    if (!(trace > 0.0) || !isfinite(trace)) return brinkV3(0, 0, 0);
    for (int k = 0; k < 9; ++k) spread[k / 3][k % 3] /= trace;
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        square[k][l] = spread[k][0] * spread[0][l] + spread[k][1] * spread[1][l] + spread[k][2] * spread[2][l];
    memcpy(spread, square, sizeof spread);
  }
  int column = 0;
  for (int k = 1; k < 3; ++k)
    if (spread[k][k] > spread[column][column]) column = k;
  return brinkNormalizeOr(brinkV3(spread[0][column], spread[1][column], spread[2][column]), brinkV3(0, 0, 0));
}

/* Sorts them and returns where to cut: between the quarters, gaps count the less the further from the middle. */
static uint32_t sortAndCut(FaceCenter *centers, uint32_t count) {
  brinkVec3 direction = widestDirection(centers, count);
  for (uint32_t i = 0; i < count; ++i)
    centers[i].along = direction.x * centers[i].at[0] + direction.y * centers[i].at[1] + direction.z * centers[i].at[2];
  qsort(centers, count, sizeof *centers, compareAlong);
  uint32_t cut = count / 2, quarter = BRINK_MAX(count / 4, 1u);
  double widest = 0.0;
  for (uint32_t i = quarter; i <= count - quarter; ++i) {
    double off = fabs((double)i - 0.5 * count) / count;
    double gap = (centers[i].along - centers[i - 1].along) * (1.0 - off);
    if (!(gap > widest * (1.0 + 1e-9))) continue; /* rounding does not choose */
    widest = gap;
    cut = i;
  }
  return cut;
}

static void fillCenters(const brinkFaceBody *body, FaceCenter *centers) {
  for (uint32_t f = 0; f < body->faceCount; ++f) {
    centers[f] = (FaceCenter){{0, 0, 0}, 0, f};
    double count = body->faceStart[f + 1] - body->faceStart[f];
    for (uint32_t k = body->faceStart[f]; k < body->faceStart[f + 1]; ++k)
      for (int c = 0; c < 3; ++c) centers[f].at[c] += body->vertices[3 * body->faceIds[k] + (uint32_t)c] / count;
  }
}

/* Vertices of a node, each once, and their ball. seen[vertex] = node + 1 marks those listed. */
static brinkStatus fillNode(brinkContext *context, const brinkFaceBody *body, brinkFaceTree *tree, uint32_t index,
                            uint32_t *seen, size_t *capacity) {
  brinkFaceNode *node = &tree->nodes[index];
  node->vertexStart = (uint32_t)tree->idCount;
  for (uint32_t i = node->first; i < node->first + node->count; ++i) {
    uint32_t f = tree->order[i];
    for (uint32_t k = body->faceStart[f]; k < body->faceStart[f + 1]; ++k) {
      uint32_t v = body->faceIds[k];
      if (seen[v] == index + 1) continue;
      seen[v] = index + 1;
      void *block = tree->ids;
      brinkStatus status = brinkReserve(context, &block, capacity, tree->idCount + 1, sizeof *tree->ids);
      tree->ids = block;
      if (status != brink_ok) return status;
      tree->ids[tree->idCount++] = v;
    }
  }
  node->vertexCount = (uint32_t)(tree->idCount - node->vertexStart);
  const uint32_t *ids = &tree->ids[node->vertexStart];
  brinkVec3 low = brinkV3_FromArray(&body->vertices[3 * ids[0]]), high = low;
  for (uint32_t i = 1; i < node->vertexCount; ++i) {
    brinkVec3 v = brinkV3_FromArray(&body->vertices[3 * ids[i]]);
    low = brinkMinV3(low, v);
    high = brinkMaxV3(high, v);
  }
  node->center = brinkScale(brinkAdd(low, high), 0.5);
  double square = 0.0;
  for (uint32_t i = 0; i < node->vertexCount; ++i)
    square = fmax(square, brinkLengthSquared(brinkSub(brinkV3_FromArray(&body->vertices[3 * ids[i]]), node->center)));
  node->radius = sqrt(square) * (1.0 + 8.0 * DBL_EPSILON) + 4.0 * DBL_EPSILON * brinkLength(node->center);
  return brink_ok;
}

static brinkStatus grow(brinkContext *context, const brinkFaceBody *body, FaceCenter *centers, uint32_t *seen,
                        brinkFaceTree *tree) {
  size_t capacity = 0;
  tree->nodes[0] = (brinkFaceNode){.first = 0, .count = (uint32_t)body->faceCount, .left = -1, .right = -1};
  tree->nodeCount = 1;
  for (uint32_t i = 0; i < tree->nodeCount; ++i) { /* children are appended behind: breadth first */
    brinkFaceNode *node = &tree->nodes[i];
    if (node->count == 1) continue;
    uint32_t half = sortAndCut(&centers[node->first], node->count);
    node->left = (int32_t)tree->nodeCount;
    node->right = node->left + 1;
    tree->nodes[tree->nodeCount++] = (brinkFaceNode){.first = node->first, .count = half, .left = -1, .right = -1};
    tree->nodes[tree->nodeCount++] =
        (brinkFaceNode){.first = node->first + half, .count = node->count - half, .left = -1, .right = -1};
  }
  for (size_t i = 0; i < body->faceCount; ++i) tree->order[i] = centers[i].face;
  brinkStatus status = brink_ok;
  for (uint32_t i = 0; i < tree->nodeCount && status == brink_ok; ++i)
    status = fillNode(context, body, tree, i, seen, &capacity);
  tree->idBytes = capacity * sizeof *tree->ids;
  return status;
}

brinkStatus brinkFaceTree_Build(brinkContext *context, const brinkFaceBody *body, brinkFaceTree *out) {
  memset(out, 0, sizeof *out);
  if (body->halfSpace) return brink_ok;
  brinkFaceTree tree;
  memset(&tree, 0, sizeof tree);
  tree.faceCount = body->faceCount;
  tree.nodeBytes = (2 * body->faceCount - 1) * sizeof *tree.nodes;
  tree.orderBytes = body->faceCount * sizeof *tree.order;
  tree.nodes = brinkAllocate(context, tree.nodeBytes);
  tree.order = brinkAllocate(context, tree.orderBytes);
  size_t centerBytes = body->faceCount * sizeof(FaceCenter);
  FaceCenter *centers = brinkAllocate(context, centerBytes);
  uint32_t *seen = brinkAllocateZeroed(context, body->vertexCount, sizeof *seen);
  brinkStatus status =
      tree.nodes == NULL || tree.order == NULL || centers == NULL || seen == NULL ? brink_errorNoMemory : brink_ok;
  if (status == brink_ok) {
    fillCenters(body, centers);
    status = grow(context, body, centers, seen, &tree);
  }
  if (centers != NULL) brinkRelease(context, centers, centerBytes);
  if (seen != NULL) brinkRelease(context, seen, body->vertexCount * sizeof *seen);
  if (status == brink_ok) {
    *out = tree;
    return brink_ok;
  }
  brinkFaceTree_Free(context, &tree);
  return brinkFail(context, status, "no memory for the tree of %zu faces", body->faceCount);
}

void brinkFaceTree_Free(brinkContext *context, brinkFaceTree *tree) {
  if (tree->nodes != NULL) brinkRelease(context, tree->nodes, tree->nodeBytes);
  if (tree->order != NULL) brinkRelease(context, tree->order, tree->orderBytes);
  if (tree->ids != NULL) brinkRelease(context, tree->ids, tree->idBytes);
  memset(tree, 0, sizeof *tree);
}
