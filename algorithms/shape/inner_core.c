/* SPDX-License-Identifier: BSD-3-Clause */
/* The shrunk core of a convex shape; see inner_core.h.
 * Based on: for a convex body K with a ball B(x0, rho) inside, x0 + (1 - c/rho) (K - x0) + B(0, c) lies in K: it is a
 * convex combination of K with the ball. So does, by convexity alone, the shrunk body itself, whatever rho is.
 * Symbols: x0 = innerCenter, rho = innerRadius, c = inset, scale = 1 - c/rho. Units: m. */
#include "inner_core.h"

#include "hull_tree.h"

#define ROUND_UP (1.0 + 8.0 * DBL_EPSILON) /* of a few products */
#define HALF 0.5
#define DEEPEST 0.9375            /* all but a sixteenth */
#define CORNER 1.7320508075688774 /* square root of 3, rounded up: corner of a box off that of its core */

/* m: of what a radius rounds, its own; of the rest (as far as it has an inside) the largest ball within it. */
static double roundOf(const brinkShape *shape) {
  return shape->tree != NULL && (shape->flags & BRINK_MESH_CONVEX) == 0u ? 0.0 : shape->piece.radius;
}

static double innerOf(const brinkShape *shape) {
  const brinkPiece *piece = &shape->piece;
  switch (piece->kind) {
    case brink_piecePoints:
      return shape->innerRadius;
    case brink_pieceBox:
      return BRINK_MIN(piece->half.x, BRINK_MIN(piece->half.y, piece->half.z));
    case brink_pieceCylinder:
      return BRINK_MIN(piece->half.x, piece->half.z);
    case brink_pieceHalfSpace:
      return INFINITY;
    case brink_pieceSupport:
      break;
  }
  return 0.0;
}

double brinkInnerCore_Most(const brinkShape *shape) {
  return BRINK_MAX(DEEPEST * roundOf(shape), HALF * innerOf(shape));
}

double brinkInnerCore_Deepest(const brinkShape *shape) { return DEEPEST * BRINK_MAX(roundOf(shape), innerOf(shape)); }

size_t brinkInnerCore_Room(const brinkShape *shape) {
  return shape->piece.kind == brink_piecePoints && shape->innerRadius > 0.0 ? 3u * (size_t)shape->piece.count : 0u;
}

double brinkInnerCore_Reach(const brinkShape *shape, double inset) {
  const brinkPiece *piece = &shape->piece;
  const bool mesh = shape->tree != NULL && (shape->flags & BRINK_MESH_CONVEX) == 0u;
  if (piece->kind == brink_pieceHalfSpace || (!mesh && piece->radius > inset)) return inset * ROUND_UP;
  if (piece->kind == brink_piecePoints) {
    const double farthest = brinkDistance(piece->center, shape->innerCenter) + piece->boundRadius;
    return inset * BRINK_MAX(1.0, farthest / shape->innerRadius) * ROUND_UP;
  }
  return inset * CORNER;
}

static void shrinkTowardsBall(const brinkShape *shape, double inset, double *room, brinkShape *out) {
  const brinkPiece *piece = &shape->piece;
  const brinkVec3 x0 = shape->innerCenter;
  const double scale = 1.0 - inset / shape->innerRadius;
  const double size = brinkLength(piece->center) + piece->boundRadius + brinkLength(x0);
  for (uint32_t i = 0; i < piece->count; ++i) {
    brinkVec3 v = brinkSub(brinkV3_FromArray(&piece->vertices[3 * (size_t)i]), x0);
    v = brinkAdd(x0, brinkScale(v, scale));
    room[3 * (size_t)i] = v.x, room[3 * (size_t)i + 1] = v.y, room[3 * (size_t)i + 2] = v.z;
  }
  const double slack = 16.0 * DBL_EPSILON * size;
  out->piece.vertices = room;
  out->piece.columns = NULL;
  out->piece.center = brinkAdd(x0, brinkScale(brinkSub(piece->center, x0), scale));
  out->piece.boundRadius = scale * piece->boundRadius * ROUND_UP + slack;
  brinkVec3 core = brinkSub(shape->obb.half, brinkV3(piece->radius, piece->radius, piece->radius));
  out->obb.center = brinkAdd(x0, brinkScale(brinkSub(shape->obb.center, x0), scale));
  const double around = piece->radius + slack;
  out->obb.half = brinkScale(brinkAdd(brinkScale(core, scale), brinkV3(around, around, around)), ROUND_UP);
  out->type = brink_shapeHull;
  out->flags |= BRINK_MESH_CONVEX;
  out->tree = NULL;
  out->obbTree = NULL;
}

void brinkMakeInnerCore(const brinkShape *shape, double inset, double *room, brinkShape *out) {
  *out = *shape;
  brinkPiece *piece = &out->piece;
  brinkVec3 all = {inset, inset, inset};
  bool mesh = shape->tree != NULL && (shape->flags & BRINK_MESH_CONVEX) == 0u;
  if (piece->kind == brink_pieceHalfSpace) {
    piece->offset -= inset;
  } else if (!mesh && piece->radius > inset) {
    piece->radius -= inset;
    out->obb.half = brinkScale(brinkSub(out->obb.half, all), ROUND_UP);
  } else if (piece->kind == brink_piecePoints) {
    shrinkTowardsBall(shape, inset, room, out);
  } else {
    piece->half = brinkSub(piece->half, all);
    out->obb.half = brinkScale(brinkSub(out->obb.half, all), ROUND_UP);
  }
  out->thickness = BRINK_MAX(0.0, shape->thickness - 2.0 * inset);
}
