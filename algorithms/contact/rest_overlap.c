/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pieces of two resting shapes overlap? Down both hull trees at once: a pair of nodes whose hulls are proven to
 * be further apart than the margin is dropped, exact pairs that are not are kept. Depth first on a stack of node pairs;
 * the larger node is opened. Run once for each joint, not for every query: plain rather than quick.
 *
 * Proof: GJK's lower bound of the distance (docs/theory.md 3) less the rounding of two composed poses, which the bound
 * takes for exact: 16 eps of the lengths in them. Frames: recentred on the smaller shape. Units: m. */
#include "rest_overlap.h"

#include "gjk.h"
#include "interval.h"
#include "node_view.h"

#define POSE_ROUNDING (16.0 * DBL_EPSILON)
#define TIGHT_RELATIVE 1e-12
#define COARSE_RELATIVE 0.3

typedef struct NodePair {
  uint32_t a, b;
} NodePair;

typedef struct Search {
  brinkContext *context;
  brinkNodeSide a, b;
  brinkRigid poseA, poseB;
  double margin, rounding;
  NodePair *stack;
  size_t count, capacity;
  brinkPiecePairs *out;
} Search;

/* Unlike in a query, a half-space meets the triangles of a mesh, not its hull: they are what is left out. */
static brinkNodeSide makeSide(const brinkShape *shape) {
  return (brinkNodeSide){shape, shape->tree, brinkIdentityRigid(), -1};
}

static brinkStatus push(Search *search, NodePair pair) {
  void *block = search->stack;
  brinkStatus status =
      brinkReserve(search->context, &block, &search->capacity, search->count + 1u, sizeof *search->stack);
  search->stack = block;
  if (status == brink_ok) search->stack[search->count++] = pair;
  return status;
}

static brinkStatus keep(Search *search, uint64_t key) {
  brinkPiecePairs *out = search->out;
  void *block = out->keys;
  brinkStatus status = brinkReserve(search->context, &block, &out->capacity, out->count + 1u, sizeof *out->keys);
  out->keys = block;
  if (status == brink_ok) out->keys[out->count++] = key;
  return status;
}

static uint32_t pieceOf(const brinkNodeSide *side, uint32_t ref) {
  if (ref == BRINK_REF_WHOLE) return 0u;
  uint32_t slot = (ref & BRINK_REF_TRIANGLE) != 0u ? ref & ~BRINK_REF_TRIANGLE
                                                   : brinkHullTree_Record(side->tree, ref)->firstTriangle;
  return brinkHullTree_TriangleId(side->tree, slot);
}

static bool areApart(const Search *search, const brinkNodeView *a, const brinkNodeView *b) {
  bool exact = a->exact && b->exact;
  double enough = brinkUp(search->margin + search->rounding);
  brinkGjkLimits limits = {exact ? TIGHT_RELATIVE : COARSE_RELATIVE, 0.0, brinkUp(enough), exact ? -1.0 : 0.0, 0u};
  brinkSeparation separation;
  brinkGjk(a->piece, &search->poseA, b->piece, &search->poseB, &limits, NULL, &separation);
  return separation.lower > enough;
}

static brinkStatus open(Search *search, NodePair pair, const brinkNodeView *a, const brinkNodeView *b) {
  bool first = !a->exact && (b->exact || brinkNodeView_Size(a) >= brinkNodeView_Size(b));
  const brinkNodeView *parent = first ? a : b;
  brinkStatus status = brink_ok;
  for (uint32_t i = 0; i < brinkNodeView_ChildCount(parent) && status == brink_ok; ++i) {
    uint32_t ref = brinkNodeView_Child(parent, i);
    status = push(search, first ? (NodePair){ref, pair.b} : (NodePair){pair.a, ref});
  }
  return status;
}

static brinkStatus run(Search *search) {
  brinkStatus status = push(search, (NodePair){brinkNodeSide_Root(&search->a), brinkNodeSide_Root(&search->b)});
  while (status == brink_ok && search->count > 0u) {
    const NodePair pair = search->stack[--search->count];
    brinkNodeView a, b;
    brinkNodeView_Load(&search->a, pair.a, &a);
    brinkNodeView_Load(&search->b, pair.b, &b);
    if (areApart(search, &a, &b)) continue;
    if (a.exact && b.exact)
      status = keep(search, brinkPieceKey(pieceOf(&search->a, pair.a), pieceOf(&search->b, pair.b)));
    else
      status = open(search, pair, &a, &b);
  }
  return status;
}

/* Distance from the pose's origin that anything of the shape lies within; planes: of what matters of them, their
 * offset. */
static double reachOf(const brinkShape *shape) {
  const brinkPiece *piece = &shape->piece;
  if (piece->kind == brink_pieceHalfSpace) return fabs(piece->offset) + piece->radius;
  return brinkLength(piece->center) + piece->boundRadius + piece->radius;
}

brinkStatus brinkFindRestOverlaps(brinkContext *context, const brinkShape *a, const brinkRigid *poseA,
                                  const brinkShape *b, const brinkRigid *poseB, double margin, brinkPiecePairs *out) {
  Search search = {
      .context = context, .a = makeSide(a), .b = makeSide(b), .poseA = *poseA, .poseB = *poseB, .out = out};
  out->count = 0;
  double sizeA = a->piece.kind == brink_pieceHalfSpace ? HUGE_VAL : a->piece.boundRadius;
  double sizeB = b->piece.kind == brink_pieceHalfSpace ? HUGE_VAL : b->piece.boundRadius;
  brinkVec3 centre = sizeA <= sizeB ? brinkApply(poseA, a->piece.center) : brinkApply(poseB, b->piece.center);
  search.poseA.p = brinkSub(poseA->p, centre);
  search.poseB.p = brinkSub(poseB->p, centre);
  search.margin = margin;
  search.rounding = POSE_ROUNDING * (brinkLength(poseA->p) + brinkLength(poseB->p) + reachOf(a) + reachOf(b));
  brinkStatus status = run(&search);
  brinkRelease(context, search.stack, search.capacity * sizeof *search.stack);
  if (status != brink_ok) return brinkFail(context, status, "overlaps at rest: out of memory");
  brinkSortPieceKeys(out->keys, out->count);
  return brink_ok;
}

void brinkPiecePairs_Free(brinkContext *context, brinkPiecePairs *pairs) {
  brinkRelease(context, pairs->keys, pairs->capacity * sizeof *pairs->keys);
  *pairs = (brinkPiecePairs){0};
}
