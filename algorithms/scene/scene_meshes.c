/* SPDX-License-Identifier: BSD-3-Clause */
/* Does a convex collider stay off a mesh that stands still, without asking how far they are apart? Limbs above ground
 * do, in most steps. The collider is its course (its box at both ends of the interval, what rounds it, slack between);
 * for any fixed n the shape's support lies during the interval below the line from end to end, plus slack. So a box of
 * the mesh's tree, or a triangle, that both ends clear along one of its own directions is never met. Boxes that are
 * not cleared are opened; a triangle that is not cleared is left to the swept axes (nothing is known then).
 *
 * Rounding: boxes contain their triangles, their numbers are single precision: products and sums of three terms, of
 * lengths up to `scale`, are off by less than ROUNDING scale. Units: m, tree frame (obb_tree.h). */
#include "scene_internal.h"

#include "obb_tree.h"
#include "simd.h"

#define ROUNDING 4e-6f
#define MOST_NODES 48 /* then the swept axes are as cheap */

typedef struct Mover {
  brinkVec3 center[2], axes[2][3];         /* tree frame; axes: those along which its core extends */
  brinkF8 centers[2][3], columns[2][3][3]; /* [end][axis][component], in every lane */
  int axisCount;                           /* a capsule has one */
  double distance;                         /* to keep from triangles, everything but single precision included */
  float distanceUp;                        /* the same from boxes */
} Mover;

static void set8(brinkVec3 v, brinkF8 out[3]) {
  out[0] = brinkF8_Set((float)v.x), out[1] = brinkF8_Set((float)v.y), out[2] = brinkF8_Set((float)v.z);
}

static void seeFromTree(const brinkSceneCourse *course, const brinkRigid *mesh, const brinkObbTree *tree,
                        double distance, Mover *out) {
  double scale = (double)tree->scale;
  int axes[3];
  out->axisCount = 0;
  for (int i = 0; i < 3; ++i)
    if (brinkLengthSquared(course->axes[0][i]) + brinkLengthSquared(course->axes[1][i]) != 0.0)
      axes[out->axisCount++] = i;
  for (int end = 0; end < 2; ++end) {
    out->center[end] = brinkSub(brinkTMulMV(&mesh->r, brinkSub(course->center[end], mesh->p)), tree->origin);
    double reach = 0.0;
    for (int i = 0; i < out->axisCount; ++i) {
      const brinkVec3 column = brinkTMulMV(&mesh->r, course->axes[end][axes[i]]);
      out->axes[end][i] = column;
      set8(column, out->columns[end][i]);
      reach += brinkLength(column);
    }
    set8(out->center[end], out->centers[end]);
    scale = BRINK_MAX(scale, brinkLength(out->center[end]) + reach);
  }
  const double world = scale + brinkLength(mesh->p) + brinkLength(tree->origin);
  out->distance = distance + (course->slack + course->round) * (1 + 1e-9) + 64.0 * DBL_EPSILON * world;
  out->distanceUp = (float)(out->distance + 2.0 * (double)ROUNDING * scale);
}

static brinkF8 dot8(brinkF8 x, brinkF8 y, brinkF8 z, const brinkF8 v[3]) {
  return brinkF8_Add(brinkF8_Add(brinkF8_Mul(x, v[0]), brinkF8_Mul(y, v[1])), brinkF8_Mul(z, v[2]));
}

/* Which of the eight boxes the mover may come near, as bits. */
static uint32_t findNear(const brinkObbNode *node, const Mover *m) {
  brinkF8 away[2][3], distance = brinkF8_Set(m->distanceUp);
  uint32_t clear = 0, all = (1u << BRINK_OBB_WIDTH) - 1u;
  for (int i = 0; i < 6; ++i)
    away[i / 3][i % 3] = brinkF8_Sub(m->centers[i / 3][i % 3], brinkF8_Load(node->center[i % 3]));
  for (int j = 0; j < 3; ++j) {
    const brinkF8 x = brinkF8_Load(node->axes[j][0]), y = brinkF8_Load(node->axes[j][1]),
                  z = brinkF8_Load(node->axes[j][2]), half = brinkF8_Load(node->half[j]);
    brinkF8 up[2], down[2];
    for (int end = 0; end < 2; ++end) {
      const brinkF8 along = dot8(x, y, z, away[end]);
      brinkF8 reach = brinkF8_Add(half, distance);
      for (int k = 0; k < m->axisCount; ++k) reach = brinkF8_Add(reach, brinkF8_Abs(dot8(x, y, z, m->columns[end][k])));
      up[end] = brinkF8_Sub(along, reach);
      down[end] = brinkF8_Sub(brinkF8_Sub(brinkF8_Set(0.0f), along), reach);
    }
    clear |= brinkF8_Positive(brinkF8_Min(up[0], up[1])) | brinkF8_Positive(brinkF8_Min(down[0], down[1]));
    if (clear == all) break;
  }
  return all & ~clear;
}

static brinkVec3 corner(const brinkObbTriangle *triangle, int i) {
  return brinkV3(triangle->vertices[i][0], triangle->vertices[i][1], triangle->vertices[i][2]);
}

/* Along n (unit): the gap of both ends to the triangle. */
static bool clearsAlong(const brinkVec3 corners[3], const Mover *mover, brinkVec3 n) {
  const double top = BRINK_MAX(BRINK_MAX(brinkDot(n, corners[0]), brinkDot(n, corners[1])), brinkDot(n, corners[2]));
  for (int end = 0; end < 2; ++end) {
    double reach = 0.0;
    for (int i = 0; i < mover->axisCount; ++i) reach += fabs(brinkDot(n, mover->axes[end][i]));
    if (!(brinkDot(n, mover->center[end]) - top - reach > mover->distance)) return false;
  }
  return true;
}

/* Its plane, and the three square to it through its edges. */
static bool clearsTriangle(const brinkObbTriangle *triangle, const Mover *mover) {
  const brinkVec3 corners[3] = {corner(triangle, 0), corner(triangle, 1), corner(triangle, 2)};
  const brinkVec3 zero = {0, 0, 0};
  const brinkVec3 normal =
      brinkNormalizeOr(brinkCross(brinkSub(corners[1], corners[0]), brinkSub(corners[2], corners[0])), zero);
  if (clearsAlong(corners, mover, normal) || clearsAlong(corners, mover, brinkNeg(normal))) return true;
  for (int i = 0; i < 3; ++i) {
    const brinkVec3 out = brinkNormalizeOr(brinkCross(brinkSub(corners[(i + 1) % 3], corners[i]), normal), zero);
    if (clearsAlong(corners, mover, out)) return true;
  }
  return false;
}

static bool clearsLeaf(const brinkObbTree *tree, int32_t child, const Mover *mover) {
  for (uint32_t k = 0; k < brinkObbLeaf_Count(child); ++k)
    if (!clearsTriangle(&tree->triangles[brinkObbLeaf_First(child) + k], mover)) return false;
  return true;
}

bool brinkScene_StaysOffMesh(const brinkSceneCourse *course, const brinkCollider *mesh, double distance) {
  const brinkObbTree *tree = mesh->shape->obbTree;
  Mover mover;
  int32_t stack[8 * MOST_NODES];
  size_t count = 0;
  if (tree == NULL || !(mesh->shape->piece.radius <= 0.0)) return false;
  seeFromTree(course, &mesh->local, tree, distance, &mover);
  if (!isfinite(mover.distanceUp)) return false;
  if (tree->root.child < 0) return clearsLeaf(tree, tree->root.child, &mover);
  stack[count++] = tree->root.child;
  for (int nodes = 0; count > 0; ++nodes) {
    if (nodes == MOST_NODES) return false;
    const brinkObbNode *node = &tree->nodes[stack[--count]];
    for (uint32_t near = findNear(node, &mover); near != 0u; near &= near - 1u) {
      const int32_t child = node->child[__builtin_ctz(near)];
      if (child == BRINK_OBB_EMPTY) continue;
      if (child >= 0)
        stack[count++] = child;
      else if (!clearsLeaf(tree, child, &mover))
        return false;
    }
  }
  return true;
}
