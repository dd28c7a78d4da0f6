/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_NODE_VIEW_H
#define BRINK_NODE_VIEW_H
/* One side of a pair as a tree of convex pieces: the whole shape, a hull-tree node, or a triangle, each by a reference
 * of 32 bits. Exact pieces are the body itself; the others contain what is below them. Inline; no state. */
#include "advance.h"

#define BRINK_REF_WHOLE 0xffffffffu    /* the shape's own piece */
#define BRINK_REF_TRIANGLE 0x80000000u /* | slot in the tree's triangle order; else a node index */

typedef struct brinkNodeSide {
  const brinkShape *shape;
  const brinkHullTree *tree; /* NULL: the shape's own piece is exact */
  brinkRigid local;          /* shape -> link frame */
  int32_t link;
} brinkNodeSide;

typedef struct brinkNodeView { /* a loaded piece; `piece` may point into the view itself: do not copy */
  const brinkPiece *piece;
  bool exact, leaf;
  brinkPiece made;
  const brinkHullTreeNode *node; /* NULL for the whole shape and triangles */
  uint32_t left;                 /* of the node */
  union {
    brinkHullRoom hull;
    brinkTriangleRoom triangle;
  } room;
} brinkNodeView;

/* A half-space is as far from a mesh as from the mesh's hull. */
static inline brinkNodeSide brinkMakeNodeSide(const brinkCollider *collider, const brinkCollider *other) {
  const brinkShape *shape = collider->shape;
  brinkNodeSide side = {shape, NULL, collider->local, collider->link};
  bool hullIsExact = (shape->flags & BRINK_MESH_CONVEX) != 0u || other->shape->piece.kind == brink_pieceHalfSpace;
  if (shape->tree != NULL && !hullIsExact) side.tree = shape->tree;
  return side;
}
static inline uint32_t brinkNodeSide_Root(const brinkNodeSide *side) {
  return side->tree != NULL ? 0u : BRINK_REF_WHOLE;
}

static inline void brinkNodeView_Load(const brinkNodeSide *side, uint32_t ref, brinkNodeView *view) {
  view->node = NULL;
  view->leaf = false;
  view->exact = true;
  view->piece = &side->shape->piece;
  if (ref == BRINK_REF_WHOLE) return;
  view->piece = &view->made;
  uint32_t slot = ref & ~BRINK_REF_TRIANGLE;
  if ((ref & BRINK_REF_TRIANGLE) == 0u) {
    view->node = brinkHullTree_Record(side->tree, ref);
    view->leaf = view->node->right == 0u;
    view->left = ref + 1u;
    view->exact = view->leaf && view->node->triangleCount == 1u;
    slot = view->node->firstTriangle;
  }
  view->made = view->exact ? brinkHullTree_Triangle(side->tree, slot, &view->room.triangle, NULL)
                           : brinkHullTree_Hull(side->tree, ref, &view->room.hull);
  view->made.radius += side->shape->piece.radius; /* the tree's pieces are sharp */
}

static inline double brinkNodeView_Size(const brinkNodeView *view) {
  return view->piece->boundRadius + view->piece->radius;
}
static inline uint32_t brinkNodeView_ChildCount(const brinkNodeView *view) {
  return view->leaf ? view->node->triangleCount : 2u;
}
static inline uint32_t brinkNodeView_Child(const brinkNodeView *view, uint32_t index) {
  if (view->leaf) return BRINK_REF_TRIANGLE | (view->node->firstTriangle + index);
  return index == 0u ? view->left : view->node->right;
}

#endif
