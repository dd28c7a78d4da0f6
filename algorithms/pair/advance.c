/* SPDX-License-Identifier: BSD-3-Clause */
/* When do two moving colliders come within a threshold of each other? Conservative advancement over pairs of hull-tree
 * nodes: each node pair carries the time it is proven free up to; a node pair that cannot be proven to the end hands
 * its time to its children, triangles at last are walked to the brink of the event. Nothing is ever stepped over: a
 * step is made of a certified support gap along one direction and a proven motion bound.
 *
 * Based on: [CATCH] Zhang, Redon, Lee, Kim 2007, Sec. 3.3 (advancement), 6 (bounds along the direction), 7.2 (hulls),
 * and Algorithm 1 lines 10-20; safe steps from support gaps: theory D2.3, D2.4.
 *
 * Frames: the pair frame is the deepest common ancestor of the two links; distances are computed in it, recentred on
 * the pair. Symbols: aim = separation that a step may use up to; slack = what the rounding of poses may hide. Units: m,
 * step. */
#include "advance.h"

#include "epa.h"
#include "heap.h"
#include "inside.h"
#include "interval.h"
#include "likely_normal.h"
#include "revolution.h"

/* How much of the tolerance is left when a step ends: landing near threshold + tolerance/4 ends the walk at once and
 * keeps rounding far from the threshold itself. */
#define AIM_FRACTION 0.25
/* A direction will do for a step: GJK may stop at this relative gap between its bounds. */
#define COARSE_RELATIVE 0.3
#define TIGHT_RELATIVE 1e-12
/* A node pair is walked on, not split, while its gap is large against the larger node (children would gain little) ...
 */
#define WALK_GAP 0.7
/* ... or while a step covers this much of what is left. */
#define WALK_GAIN 0.4
#define HULL_STEPS 12
#define MOMENTS 8
/* Bodies of revolution are tried where the bodies still turn: on node pairs whose step covers less than this part
 * of it, and on exact pairs after so many steps, then after twice as many, and so on. */
#define REVOLVE_GAIN 0.125
#define SLOW_STEPS 16u
#define DEFAULT_ITERATIONS 1000000u
/* Of two convex pieces: a few dozen mostly serve, grazing ones take 2,000; more come from shapes a million times larger
 * than their allowance, which no number of steps a host could wait for would decide. */
#define CONVEX_ITERATIONS 20000u

#define REF_WHOLE 0xffffffffu    /* the shape's own piece */
#define REF_TRIANGLE 0x80000000u /* | slot in the tree's triangle order; else a node index */

/* ---- one side of the pair and its pieces */

typedef struct Side {
  const brinkShape *shape;
  const brinkHullTree *tree; /* NULL: the shape's own piece is exact */
  brinkRigid local;
  int32_t link;
} Side;

typedef struct View { /* a loaded piece; it points into the view: do not copy */
  const brinkPiece *piece;
  uint32_t triangleId;
  bool exact, leaf;
  brinkPiece triangle;
  brinkTriangleRoom corners;
  uint32_t left, right, firstTriangle, triangleCount; /* of a node */
  brinkPiece hull;
  brinkHullRoom room;
} View;

typedef struct Entry { /* node pair waiting on the stack */
  double t;            /* proven free up to here; in distance searches: proven lower bound of the distance */
  uint32_t a, b;
  brinkVec3 normal; /* last separating direction, pair frame; zero = none */
  bool again;       /* walk on rather than split */
} Entry;

typedef struct Moment { /* the two links at one time */
  double t, tEnd;       /* the rates' bounds hold on [t, tEnd] */
  brinkLinkRate rateA, rateB;
  brinkRigid poseA, poseB; /* shape -> pair frame minus centre */
  brinkVec3 centre;
} Moment;

typedef struct Parts { /* one vertex of every connected part of a mesh */
  const brinkHullTree *tree;
  uint32_t *vertices;
  uint32_t count, uses;
} Parts;

struct brinkAdvanceScratch {
  Entry *stack;
  size_t count, capacity;
  uint32_t *forest; /* union-find over a mesh's vertices */
  size_t forestCapacity;
  Parts *parts;
  size_t partsCount, partsCapacity;
  Moment moments[MOMENTS];
  uint32_t momentCount, momentNext;
  brinkNearSearch *search; /* NULL: none */
  void *searcher;
};

typedef struct Search {
  brinkContext *context;
  brinkAdvanceScratch *scratch;
  const brinkAdvanceInput *input;
  brinkAdvanceWork *work;
  brinkPairResult *best; /* earliest event so far; toi = INFINITY when none */
  Side a, b;
  int32_t ancestor;
  double start;   /* time the walk starts at */
  bool fresh;     /* start is tStart: overlap is possible */
  double horizon; /* proven free beyond this = done */
  double aim, slack;
  uint64_t iterations, budget;
  bool cut;          /* the budget is that of maxEffort */
  double unresolved; /* smallest proven prefix of what could not be finished */
  double smallest;   /* proven lower bound of the separation met on what was proven free */
  brinkStatus status;
} Search;

#define MOST_MOVES 16u /* of a key, on average, while keys are sorted by insertion */

static bool keyAfter(const void *user, const void *x, const void *y) {
  (void)user;
  return *(const uint64_t *)x > *(const uint64_t *)y;
}

void brinkSortPieceKeys(uint64_t *keys, size_t count) {
  size_t moves = 0;
  for (size_t i = 1; i < count && moves <= MOST_MOVES * count; ++i) {
    const uint64_t key = keys[i];
    size_t at = i;
    for (; at > 0u && keys[at - 1u] > key; --at) keys[at] = keys[at - 1u];
    keys[at] = key;
    moves += i - at;
  }
  if (moves > MOST_MOVES * count) brinkHeap_Sort(keys, count, sizeof *keys, keyAfter, NULL);
}

bool brinkLeftOut_Has(const brinkLeftOut *leftOut, uint32_t pieceA, uint32_t pieceB) {
  uint64_t key = leftOut->swapped ? brinkPieceKey(pieceB, pieceA) : brinkPieceKey(pieceA, pieceB);
  size_t at = brinkFindKey(leftOut->keys, leftOut->count, key);
  return at < leftOut->count && leftOut->keys[at] == key;
}

/* leftOut: by triangles, so that the mesh must be asked by triangles. */
static Side makeSide(const brinkCollider *collider, const brinkCollider *other, const brinkLeftOut *leftOut) {
  const brinkShape *shape = collider->shape;
  Side side = {shape, NULL, collider->local, collider->link};
  /* A half-space is as far from a mesh as from the mesh's hull. */
  bool hullIsExact =
      (shape->flags & BRINK_MESH_CONVEX) != 0u || (other->shape->piece.kind == brink_pieceHalfSpace && !leftOut->any);
  if (shape->tree != NULL && !hullIsExact) side.tree = shape->tree;
  return side;
}

/* Can both sides be asked as single pieces while they lie apart? Then takes the trees of convex surfaces away. What
 * lies within such a surface is near it, but inside its hull: sides that meet must be asked by their trees. */
static bool takeHulls(const brinkAdvanceInput *input, Side *a, Side *b) {
  if (!input->hullsServe || input->leftOut.any || (a->tree == NULL && b->tree == NULL)) return false;
  if ((a->tree != NULL && !a->tree->convex) || (b->tree != NULL && !b->tree->convex)) return false;
  a->tree = b->tree = NULL;
  return true;
}

static uint32_t rootOf(const Side *side) { return side->tree != NULL ? 0u : REF_WHOLE; }

static void loadTriangle(const Side *side, uint32_t slot, View *view) {
  view->triangle = brinkHullTree_Triangle(side->tree, slot, &view->corners, &view->triangleId);
  view->triangle.radius += side->shape->piece.radius; /* the tree's pieces are sharp */
  view->piece = &view->triangle;
  view->exact = true;
}

static void loadView(const Side *side, uint32_t ref, View *view) {
  view->triangleId = 0u;
  view->leaf = false;
  if (ref == REF_WHOLE) {
    view->piece = &side->shape->piece;
    view->exact = true;
    return;
  }
  if ((ref & REF_TRIANGLE) != 0u) {
    loadTriangle(side, ref & ~REF_TRIANGLE, view);
    return;
  }
  const brinkHullTreeNode *node = brinkHullTree_Record(side->tree, ref);
  view->leaf = node->right == 0u;
  view->left = ref + 1u;
  view->right = node->right;
  view->firstTriangle = node->firstTriangle;
  view->triangleCount = node->triangleCount;
  view->exact = view->leaf && node->triangleCount == 1u;
  if (view->exact) {
    loadTriangle(side, node->firstTriangle, view);
  } else {
    view->hull = brinkHullTree_Hull(side->tree, ref, &view->room);
    view->hull.radius += side->shape->piece.radius;
    view->piece = &view->hull;
  }
}

/* A triangle by its slot in the wide tree; of a single piece itself. */
static void loadSlot(const Side *side, uint32_t slot, View *view) {
  if (side->tree == NULL) {
    loadView(side, REF_WHOLE, view);
    return;
  }
  const brinkObbTriangle *record = &side->shape->obbTree->triangles[slot];
  view->leaf = false;
  view->triangleId = record->slot;
  view->triangle = brinkHullTree_TriangleOf(side->tree, record, &view->corners);
  view->triangle.radius += side->shape->piece.radius;
  view->piece = &view->triangle;
  view->exact = true;
}

/* Copies an exact piece. */
static void keepView(const View *view, View *out) {
  out->piece = view->piece;
  out->triangleId = view->triangleId;
  out->exact = view->exact;
  out->leaf = view->leaf;
  if (view->piece != &view->triangle) return;
  out->triangle = view->triangle;
  out->corners = view->corners;
  out->triangle.vertices = out->corners.vertices[0];
  out->triangle.vertexIds = out->corners.ids;
  out->piece = &out->triangle;
}

static double pieceSize(const brinkPiece *piece) { return piece->boundRadius + piece->radius; }

/* Exact pieces that are not to be tested against each other. */
static bool isLeftOut(const brinkLeftOut *leftOut, const View *a, const View *b) {
  return leftOut->any && a->exact && b->exact && brinkLeftOut_Has(leftOut, a->triangleId, b->triangleId);
}

static uint32_t childCount(const View *view) { return view->leaf ? view->triangleCount : 2u; }

static uint32_t childRef(const View *view, uint32_t index) {
  if (view->leaf) return REF_TRIANGLE | (view->firstTriangle + index);
  return index == 0u ? view->left : view->right;
}

/* Split the larger side; an exact side cannot be split. */
static bool splitFirst(const View *a, const View *b) {
  if (a->exact) return false;
  if (b->exact) return true;
  return pieceSize(a->piece) >= pieceSize(b->piece);
}

/* ---- stack */

static brinkStatus push(brinkContext *context, brinkAdvanceScratch *scratch, const Entry *entry) {
  void *block = scratch->stack;
  brinkStatus status = brinkReserve(context, &block, &scratch->capacity, scratch->count + 1u, sizeof(Entry));
  scratch->stack = block;
  if (status == brink_ok) scratch->stack[scratch->count++] = *entry;
  return status;
}

static bool comesLater(const Entry *x, const Entry *y) {
  if (x->t != y->t) return x->t > y->t;
  if (x->a != y->a) return x->a > y->a;
  return x->b > y->b;
}

/* Entries [first, count) so that the earliest pops first. Few entries: insertion. */
static void sortTop(brinkAdvanceScratch *scratch, size_t first) {
  for (size_t i = first + 1u; i < scratch->count; ++i) {
    Entry entry = scratch->stack[i];
    size_t at = i;
    for (; at > first && comesLater(&entry, &scratch->stack[at - 1u]); --at)
      scratch->stack[at] = scratch->stack[at - 1u];
    scratch->stack[at] = entry;
  }
}

/* ---- the links at one time */

static void restRate(brinkLinkRate *rate) {
  memset(rate, 0, sizeof *rate);
  rate->pose = brinkIdentityRigid();
}

static void placeShapes(const Side *a, const Side *b, const brinkRigid *linkA, const brinkRigid *linkB,
                        brinkRigid *poseA, brinkRigid *poseB, brinkVec3 *centre) {
  *poseA = brinkCompose(linkA, &a->local);
  *poseB = brinkCompose(linkB, &b->local);
  /* The centre of the smaller shape: a large static mesh may have its own far away. */
  bool useA = !(pieceSize(&a->shape->piece) > pieceSize(&b->shape->piece));
  *centre = useA ? brinkApply(poseA, a->shape->piece.center) : brinkApply(poseB, b->shape->piece.center);
  poseA->p = brinkSub(poseA->p, *centre);
  poseB->p = brinkSub(poseB->p, *centre);
}

static void makeMoment(const brinkMotionTree *tree, const Side *a, const Side *b, int32_t ancestor, double t,
                       double tEnd, Moment *moment) {
  moment->t = t;
  moment->tEnd = tEnd;
  if (a->link == ancestor)
    restRate(&moment->rateA);
  else
    brinkMotionTree_Rate(tree, a->link, ancestor, t, tEnd, &moment->rateA);
  if (b->link == ancestor)
    restRate(&moment->rateB);
  else
    brinkMotionTree_Rate(tree, b->link, ancestor, t, tEnd, &moment->rateB);
  placeShapes(a, b, &moment->rateA.pose, &moment->rateB.pose, &moment->poseA, &moment->poseB, &moment->centre);
}

/* How far from the ancestor's origin the shape (of a half-space, its plane's nearest point) gets, and how many ulp of
 * such a length its poses err by: every product of the chain errs by a few, every angle by a few of itself. */
static double reachOf(const brinkMotionTree *tree, const Side *side, int32_t ancestor, double *ulps) {
  const brinkPiece *piece = &side->shape->piece;
  double reach = brinkLength(side->local.p);
  *ulps = 16.0;
  if (piece->kind != brink_pieceHalfSpace)
    reach += brinkLength(piece->center) + pieceSize(piece);
  else
    reach += fabs(piece->offset);
  for (int32_t link = side->link; link != ancestor && link >= 0; link = tree->links[link].parent) {
    const brinkLinkMotion *motion = &tree->links[link];
    reach += brinkLength(motion->t0) + brinkLength(motion->v);
    *ulps += 16.0 + 4.0 * motion->angle;
  }
  return reach;
}

/* Bound of what rounding of the link poses can hide, m. A half-space's normal is off as far out as the other shape is.
 */
static double poseSlackOf(const brinkMotionTree *tree, const Side *a, const Side *b, int32_t ancestor) {
  double ulpsA, ulpsB, reachA = reachOf(tree, a, ancestor, &ulpsA), reachB = reachOf(tree, b, ancestor, &ulpsB);
  double farA = a->shape->piece.kind == brink_pieceHalfSpace ? reachA + reachB : reachA;
  double farB = b->shape->piece.kind == brink_pieceHalfSpace ? reachA + reachB : reachB;
  return (ulpsA * farA + ulpsB * farB) * DBL_EPSILON;
}

static double floorAt(const Search *search, double t);

/* Proven time by the pieces' bodies of revolution; t: nothing. */
static double revolve(Search *search, const View *a, const View *b, double t, double limit) {
  const brinkMotionTree *tree = search->input->tree;
  if (search->input->eq10 || !(brinkMostTurned(tree, search->a.link, search->b.link, t, limit) >= BRINK_SOME_TURNING))
    return t;
  brinkRevolvingBody bodyA = {a->piece, search->a.local, search->a.link},
                     bodyB = {b->piece, search->b.local, search->b.link};
  double separation = BRINK_MAX(floorAt(search, t) + search->slack, 0.0);
  return brinkRevolvedUntil(tree, &bodyA, &bodyB, t, limit, separation, &search->work->distanceQueries);
}

static double limitOf(const Search *search) { return BRINK_MIN(search->horizon, search->best->toi); }

/* The rates hold up to the limit of the time they were made at, which only falls: a kept moment stays valid. */
static const Moment *momentAt(Search *search, double t) {
  brinkAdvanceScratch *scratch = search->scratch;
  for (uint32_t i = 0; i < scratch->momentCount; ++i)
    if (scratch->moments[i].t == t) return &scratch->moments[i];
  Moment *moment = &scratch->moments[scratch->momentNext];
  scratch->momentNext = (scratch->momentNext + 1u) % MOMENTS;
  if (scratch->momentCount < MOMENTS) ++scratch->momentCount;
  makeMoment(search->input->tree, &search->a, &search->b, search->ancestor, t, BRINK_MAX(t, limitOf(search)), moment);
  return moment;
}

static bool isZero(brinkVec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* Time up to which a separation that exceeds what may be used up by `gap` > 0 along n is proven to last; at most the
 * end of the moment's window. */
static double walk(const brinkAdvanceInput *input, const Moment *moment, const brinkPiece *pieceA, const Side *sideA,
                   const brinkPiece *pieceB, const Side *sideB, brinkVec3 n, double gap, brinkAdvanceWork *work) {
  brinkMovingPiece a = {pieceA, sideA->local, &moment->rateA}, b = {pieceB, sideB->local, &moment->rateB};
  double step = brinkSafeStep(&a, &b, n, gap, input->eq10);
  ++work->advancements;
  if (!(step > 0.0)) return moment->t;
  /* A window of a few ulp must be crossable: compare lengths, not rounded sums. */
  if (step >= brinkUp(moment->tEnd - moment->t)) return moment->tEnd;
  return BRINK_MAX(moment->t, BRINK_MIN(brinkDown(moment->t + step), moment->tEnd));
}

/* A longer step, for exact pieces, by the gap at both of its ends: what lies between is above their chord less
 * M D^2/8 (docs/theory.md 4). A safe step must reckon with the fastest point anywhere on the pieces, this one knows
 * where they are. The axis stands still, or goes straight to the one at the other end: what lies between two edges
 * turns with both. t: not proven. */
static double stride(Search *search, const Moment *moment, const View *a, const View *b, const brinkSeparation *now,
                     double gap) {
  const brinkAdvanceInput *input = search->input;
  const brinkPiece *pieceA = a->piece, *pieceB = b->piece;
  brinkMovingPiece movingA = {pieceA, search->a.local, &moment->rateA},
                   movingB = {pieceB, search->b.local, &moment->rateB};
  const double t = moment->t, window = moment->tEnd - t,
               curvature = brinkMovingPair_Curvature(&movingA, &movingB, window);
  const bool planeA = pieceA->kind == brink_pieceHalfSpace, planeB = pieceB->kind == brink_pieceHalfSpace,
             turns = !planeA && !planeB && input->threshold >= 0.0;
  const brinkGjkLimits limits = {TIGHT_RELATIVE, 0.01 * input->tolerance, HUGE_VAL, -1.0, 0u};
  double best = t, length = BRINK_MIN(2.0 * sqrt(gap / curvature), window), shorter;
  for (int look = 0; look < BRINK_LOOKS && t + length > t && curvature < HUGE_VAL; ++look) {
    const double end = length >= window ? moment->tEnd : t + length, whole = brinkUp(end - t);
    const Moment *last = momentAt(search, end);
    brinkSeparation then = *now;
    brinkVec3 change = {0, 0, 0};
    if (planeA) then.normal = brinkMulMV(&last->poseA.r, pieceA->normal);
    if (planeB) then.normal = brinkNeg(brinkMulMV(&last->poseB.r, pieceB->normal));
    if (turns) {
      brinkGjk(pieceA, &last->poseA, pieceB, &last->poseB, &limits, &now->simplex, &then);
      if (then.lower < 0.9 * then.upper)
        brinkTakeLikelyGap(pieceA, &last->poseA, pieceB, &last->poseB, &then.lower, &then.normal);
      change = brinkSub(now->normal, then.normal);
    } else {
      then.lower = brinkCertifyGap(pieceA, &last->poseA, pieceB, &last->poseB, then.normal);
    }
    ++search->work->distanceQueries;
    const double gapEnd = then.lower - search->slack - search->aim;
    const double way = !turns ? 0.0
                              : brinkPiece_Way(pieceA, &moment->poseA, &last->poseA, change) +
                                    brinkPiece_Way(pieceB, &moment->poseB, &last->poseB, brinkNeg(change));
    const double lasts =
        brinkTurnedLasts(gap, gapEnd, 0.0, whole, curvature, change, way, search->slack, 0.0, &shorter);
    best = fmax(best, lasts < whole ? brinkDown(t + lasts) : end);
    if (then.overlap) shorter = 0.25;
    if (!turns || lasts > 0.5 * shorter * whole) break;
    length *= shorter;
  }
  return best;
}

/* Separation large enough to last to the end of the moment's window, whatever the direction. */
static double lastingGap(const Moment *moment, const brinkPiece *pieceA, const Side *sideA, const brinkPiece *pieceB,
                         const Side *sideB) {
  brinkMovingPiece a = {pieceA, sideA->local, &moment->rateA}, b = {pieceB, sideB->local, &moment->rateB};
  return brinkClosingBound(&a, &b, moment->tEnd - moment->t);
}

/* ---- events */

static brinkVec3 pointVelocity(const brinkLinkRate *rate, brinkVec3 point) {
  return brinkAdd(rate->velocity, brinkCross(rate->omega, brinkSub(point, rate->pose.p)));
}

/* Witnesses of a separation at the moment, in world coordinates. */
static void fillWitness(const brinkMotionTree *tree, int32_t ancestor, const Moment *moment, const View *a,
                        const View *b, const brinkSeparation *separation, brinkPairResult *result) {
  brinkRigid world = ancestor < 0 ? brinkIdentityRigid() : brinkMotionTree_Pose(tree, ancestor, -1, moment->t);
  brinkVec3 pointA = brinkAdd(separation->pointA, moment->centre),
            pointB = brinkAdd(separation->pointB, moment->centre);
  result->pointA = brinkApply(&world, pointA);
  result->pointB = brinkApply(&world, pointB);
  result->normal = brinkMulMV(&world.r, separation->normal);
  brinkVec3 relative = brinkSub(pointVelocity(&moment->rateB, pointB), pointVelocity(&moment->rateA, pointA));
  result->normalVelocity = brinkDot(separation->normal, relative);
  result->pieceA = a->triangleId;
  result->pieceB = b->triangleId;
  memset(result->featureA, 0, sizeof result->featureA);
  memset(result->featureB, 0, sizeof result->featureB);
  result->kindA = result->kindB = 0u;
  brinkWitnessFeatures(a->piece, b->piece, separation, &result->kindA, result->featureA, &result->kindB,
                       result->featureB);
}

/* The separation of an exact pair at a moment: accurate, and signed where the shapes have an inside. */
static void measure(Search *search, const Moment *moment, const View *a, const View *b, const brinkGjkCache *warm,
                    brinkSeparation *separation) {
  brinkGjkLimits limits = {TIGHT_RELATIVE, 1e-3 * search->input->tolerance, INFINITY, -1.0, 0u};
  ++search->work->distanceQueries;
  if (search->a.tree == NULL && search->b.tree == NULL)
    brinkSignedSeparation(a->piece, &moment->poseA, b->piece, &moment->poseB, &limits, warm, separation);
  else
    brinkGjk(a->piece, &moment->poseA, b->piece, &moment->poseB, &limits, warm, separation);
}

/* The separation at `moment` is within tolerance of the threshold: this is the earliest event so far. */
static void recordEvent(Search *search, const Moment *moment, const View *a, const View *b, const brinkGjkCache *warm) {
  brinkSeparation separation;
  measure(search, moment, a, b, warm, &separation);
  double distance = separation.overlap ? BRINK_MIN(separation.upper, 0.0) : separation.upper;
  double crossed = BRINK_MIN(search->input->threshold, 0.0);
  bool overlap = search->fresh && moment->t == search->start && distance <= crossed + search->slack;
  if (!overlap && search->best->toi <= moment->t) return; /* looking for overlap behind a hit at the start */
  brinkPairResult *best = search->best;
  best->state = overlap ? brink_overlap : brink_hit;
  best->toi = best->toiUpper = moment->t;
  best->distance = distance;
  fillWitness(search->input->tree, search->ancestor, moment, a, b, &separation, best);
}

/* A hit at the very start: what is left to learn is whether other parts overlap there. */
static bool onlyOverlapMatters(const Search *search) {
  return search->fresh && search->best->state == brink_hit && search->best->toi == search->start;
}

/* What a separation at t must exceed before it may be walked on: at the start whatever lies within the tolerance is an
 * event, even when it moves away. */
static double floorAt(const Search *search, double t) {
  bool atStart = search->fresh && t == search->start;
  return atStart ? search->input->threshold + search->input->tolerance : search->aim;
}

static bool isSettled(const Search *search, double t) {
  if (search->best->state == brink_overlap) return true;
  if (onlyOverlapMatters(search)) return t > search->start;
  return t >= search->best->toi || (t > search->start && t >= search->horizon);
}

/* ---- advancement */

/* One step of a node pair from entry->t. True: proven free as far as anyone asks. */
static bool advanceOnce(Search *search, const View *a, const View *b, Entry *entry) {
  if (isLeftOut(&search->input->leftOut, a, b)) return true;
  const Moment *moment = momentAt(search, entry->t);
  brinkAdvanceWork *work = search->work;
  ++search->iterations;
  ++work->nodePairs;
  double limit = limitOf(search);
  bool onlyOverlap = onlyOverlapMatters(search);
  double aim = onlyOverlap ? 0.0 : search->aim, least = onlyOverlap ? 0.0 : floorAt(search, entry->t);
  /* The direction that separated the parents often separates the children for good. */
  if (!isZero(entry->normal)) {
    double gap =
        brinkCertifyGap(a->piece, &moment->poseA, b->piece, &moment->poseB, entry->normal) - search->slack - aim;
    if (gap > least - aim) {
      if (onlyOverlap) return true;
      if (walk(search->input, moment, a->piece, &search->a, b->piece, &search->b, entry->normal, gap, work) >= limit) {
        search->smallest = BRINK_MIN(search->smallest, search->aim);
        return true;
      }
    }
  }
  double enough = onlyOverlap ? search->slack : 0.0;
  if (!onlyOverlap) enough = aim + search->slack + lastingGap(moment, a->piece, &search->a, b->piece, &search->b);
  enough = BRINK_MAX(enough, least + search->slack);
  brinkGjkLimits limits = {COARSE_RELATIVE, 0.0, brinkUp(enough), BRINK_MAX(least, 0.0), 0u};
  brinkGjkCache warm = {0};
  warm.normal = entry->normal;
  brinkSeparation separation;
  brinkGjk(a->piece, &moment->poseA, b->piece, &moment->poseB, &limits, &warm, &separation);
  ++work->distanceQueries;
  double gap = separation.lower - search->slack - aim;
  if (!(gap > least - aim)) {
    entry->again = false;
    entry->normal = separation.lower > 0.0 ? separation.normal : (brinkVec3){0, 0, 0};
    return false;
  }
  entry->normal = separation.normal;
  if (onlyOverlap) return true;
  if (separation.lower >= enough && enough < HUGE_VAL) {
    search->smallest = BRINK_MIN(search->smallest, brinkDown(separation.lower - enough) + search->aim);
    return true;
  }
  double next = walk(search->input, moment, a->piece, &search->a, b->piece, &search->b, separation.normal, gap, work);
  search->smallest = BRINK_MIN(search->smallest, search->aim);
  if (next - entry->t < REVOLVE_GAIN * (limit - entry->t)) next = fmax(next, revolve(search, a, b, next, limit));
  if (next >= limit && next > moment->t) return true;
  if (next >= limit && moment->t >= search->horizon)
    return true; /* an empty interval: the gap at its one time is proof */
  double gained = next - entry->t, left = limit - entry->t;
  entry->again = gap > WALK_GAP * BRINK_MAX(pieceSize(a->piece), pieceSize(b->piece)) || gained > WALK_GAIN * left;
  entry->t = next;
  return false;
}

/* Does one of two parallel half-spaces turn other than about its normal? (Two that turn alike are at rest to each other
 * only by chance of rounding: not asked.) */
static bool turnsAway(const Moment *moment, const brinkPiece *a, const brinkPiece *b) {
  brinkVec3 normalA = brinkMulMV(&moment->poseA.r, a->normal), normalB = brinkMulMV(&moment->poseB.r, b->normal);
  brinkVec3 change = brinkAdd(brinkCross(moment->rateA.omega, normalA), brinkCross(moment->rateB.omega, normalB));
  return brinkLengthSquared(change) > 0.0;
}

static void giveUp(Search *search, double t) { search->unresolved = BRINK_MIN(search->unresolved, t); }

/* Walks a pair of exact pieces to its event or to the limit. */
static void advanceExact(Search *search, const View *a, const View *b, const Entry *entry) {
  const brinkAdvanceInput *input = search->input;
  bool isSigned = input->threshold < 0.0, tight = false;
  brinkGjkCache warm = {0};
  warm.normal = entry->normal;
  double t = entry->t, event = input->threshold + input->tolerance;
  const uint64_t began = search->iterations;
  uint64_t tryAt = began + SLOW_STEPS, wait = SLOW_STEPS;
  for (;;) {
    if (search->iterations >= search->budget) {
      giveUp(search, t);
      return;
    }
    ++search->iterations;
    const Moment *moment = momentAt(search, t);
    double lasting = lastingGap(moment, a->piece, &search->a, b->piece, &search->b), least = floorAt(search, t);
    double enough = brinkUp(BRINK_MAX(search->aim + lasting, least) + search->slack);
    brinkGjkLimits limits = {COARSE_RELATIVE, 0.1 * input->tolerance, enough, event - search->slack, 0u};
    if (tight) limits = (brinkGjkLimits){TIGHT_RELATIVE, 0.01 * input->tolerance, HUGE_VAL, event - search->slack, 0u};
    brinkSeparation separation;
    if (isSigned)
      brinkSignedSeparation(a->piece, &moment->poseA, b->piece, &moment->poseB, &limits, &warm, &separation);
    else
      brinkGjk(a->piece, &moment->poseA, b->piece, &moment->poseB, &limits, &warm, &separation);
    ++search->work->distanceQueries;
    warm = separation.simplex;
    if (separation.upper + search->slack <= event || (separation.overlap && !isSigned)) {
      recordEvent(search, moment, a, b, &warm);
      return;
    }
    if (onlyOverlapMatters(search)) return;
    if (tight && separation.lower < 0.9 * separation.upper)
      brinkTakeLikelyGap(a->piece, &moment->poseA, b->piece, &moment->poseB, &separation.lower, &separation.normal);
    double lower = separation.lower - search->slack;
    if (lower <= least && !tight) { /* the bounds are too far apart to go on: ask for all that can be had */
      tight = true;
      continue;
    }
    /* The event lies between two bounds that cannot be told apart: to creep up to it would tell no more. */
    if (tight && lower <= search->aim && separation.upper <= event + 4.0 * search->slack) {
      recordEvent(search, moment, a, b, &warm);
      return;
    }
    /* A gap below the aim (tolerance near rounding) may be used up to the threshold itself. */
    double gap = lower > search->aim ? lower - search->aim : lower - input->threshold;
    double next = t;
    if (separation.lower >= enough)
      next = moment->tEnd;
    else if (gap > 0.0)
      next = walk(input, moment, a->piece, &search->a, b->piece, &search->b, separation.normal, gap, search->work);
    const bool slow = gap > 0.0 && search->iterations - began >= SLOW_STEPS;
    if (slow && next < moment->tEnd && lower > search->aim)
      next = fmax(next, stride(search, moment, a, b, &separation, gap));
    if (gap > 0.0 && next >= limitOf(search) && (next > t || t >= search->horizon)) {
      double met = BRINK_MAX(lower - lasting, lower > search->aim ? search->aim : input->threshold);
      search->smallest = BRINK_MIN(search->smallest, met);
      return;
    }
    if (!(next > t)) {
      if (!tight) {
        tight = true;
        continue;
      }
      /* Rounding hides what is left of the gap. Contact when the surfaces are that close, else an honest no answer. Two
       * half-spaces that begin to turn against each other meet at once, far out. */
      bool planes = a->piece->kind == brink_pieceHalfSpace && b->piece->kind == brink_pieceHalfSpace;
      if (separation.upper <= event + 4.0 * search->slack || (planes && turnsAway(moment, a->piece, b->piece)))
        recordEvent(search, moment, a, b, &warm);
      else
        giveUp(search, t);
      return;
    }
    search->smallest = BRINK_MIN(search->smallest, lower > search->aim ? search->aim : input->threshold);
    tight = false;
    t = next;
    if (search->iterations < tryAt) continue;
    tryAt = search->iterations + (wait *= 2u);
    t = revolve(search, a, b, t, limitOf(search));
    if (t >= limitOf(search)) return;
  }
}

/* Tests the children of the larger side and pushes those that are not settled, earliest on top. */
static void split(Search *search, const Entry *entry, const View *a, const View *b) {
  brinkAdvanceScratch *scratch = search->scratch;
  bool first = splitFirst(a, b);
  const View *parent = first ? a : b;
  size_t base = scratch->count;
  View child;
  for (uint32_t i = 0; i < childCount(parent); ++i) {
    Entry next = *entry;
    uint32_t ref = childRef(parent, i);
    if (first)
      next.a = ref;
    else
      next.b = ref;
    next.again = false;
    loadView(first ? &search->a : &search->b, ref, &child);
    if (advanceOnce(search, first ? &child : a, first ? b : &child, &next)) continue;
    search->status = push(search->context, scratch, &next);
    if (search->status != brink_ok) return;
  }
  sortTop(scratch, base);
}

/* An event was found and any will do: what still waits was proven free up to its own times. */
static bool endAtAny(Search *search) {
  brinkPairResult *best = search->best;
  brinkAdvanceScratch *scratch = search->scratch;
  if (!search->input->anyContact || !(best->toi < HUGE_VAL) || !(best->toi > search->start)) return false;
  for (size_t i = 0; i < scratch->count; ++i) best->toi = BRINK_MIN(best->toi, scratch->stack[i].t);
  scratch->count = 0u;
  return true;
}

static void run(Search *search) {
  brinkAdvanceScratch *scratch = search->scratch;
  View a, b;
  while (scratch->count > 0u && search->status == brink_ok) {
    if (endAtAny(search)) return;
    Entry entry = scratch->stack[--scratch->count];
    if (isSettled(search, entry.t)) continue;
    if (search->iterations >= search->budget) {
      giveUp(search, entry.t);
      continue;
    }
    loadView(&search->a, entry.a, &a);
    loadView(&search->b, entry.b, &b);
    if (a.exact && b.exact) {
      advanceExact(search, &a, &b, &entry);
    } else if (entry.again) {
      if (!advanceOnce(search, &a, &b, &entry)) search->status = push(search->context, scratch, &entry);
    } else {
      split(search, &entry, &a, &b);
    }
  }
}

/* ---- one solid inside another */

static uint32_t findRoot(uint32_t *forest, uint32_t vertex) {
  while (forest[vertex] != vertex) {
    forest[vertex] = forest[forest[vertex]];
    vertex = forest[vertex];
  }
  return vertex;
}

/* Joins the vertices of each connected part of the mesh under the smallest one. */
static brinkStatus makeForest(brinkContext *context, brinkAdvanceScratch *scratch, const brinkMeshView *mesh) {
  void *block = scratch->forest;
  brinkStatus status = brinkReserve(context, &block, &scratch->forestCapacity, mesh->vertexCount, sizeof(uint32_t));
  scratch->forest = block;
  if (status != brink_ok) return status;
  for (size_t i = 0; i < mesh->vertexCount; ++i) scratch->forest[i] = (uint32_t)i;
  for (size_t i = 0; i < mesh->triangleCount; ++i) {
    for (size_t corner = 1; corner < 3u; ++corner) {
      uint32_t x = findRoot(scratch->forest, mesh->indices[3 * i]);
      uint32_t y = findRoot(scratch->forest, mesh->indices[3 * i + corner]);
      if (x < y)
        scratch->forest[y] = x;
      else
        scratch->forest[x] = y;
    }
  }
  return brink_ok;
}

static bool isSolid(const Side *side) {
  return side->tree != NULL && (brinkHullTree_Flags(side->tree) & BRINK_MESH_SOLID) != 0u;
}

/* Calls back for one vertex of every connected part, until told to stop. Spoils the forest. */
static void eachPart(uint32_t *forest, const brinkMeshView *mesh, bool (*visit)(void *user, uint32_t vertex),
                     void *user) {
  for (size_t i = 0; i < 3u * mesh->triangleCount; ++i) {
    uint32_t vertex = mesh->indices[i];
    if (forest[vertex] != vertex) continue;
    if (!visit(user, vertex)) return;
    forest[vertex] = UINT32_MAX; /* asked once */
  }
}

static Parts *findParts(brinkAdvanceScratch *scratch, const brinkHullTree *tree) {
  for (size_t i = 0; i < scratch->partsCount; ++i)
    if (scratch->parts[i].tree == tree) return &scratch->parts[i];
  return NULL;
}

static bool countPart(void *user, uint32_t vertex) {
  (void)vertex;
  ++((Parts *)user)->count;
  return true;
}

static bool notePart(void *user, uint32_t vertex) {
  Parts *parts = user;
  parts->vertices[parts->count++] = vertex;
  return true;
}

brinkStatus brinkAdvanceScratch_Remember(brinkContext *context, brinkAdvanceScratch *scratch, const brinkShape *shape) {
  if (shape->tree == NULL) return brink_ok;
  Parts *known = findParts(scratch, shape->tree), made = {shape->tree, NULL, 0u, 1u};
  if (known != NULL) {
    ++known->uses;
    return brink_ok;
  }
  void *block = scratch->parts;
  brinkStatus status = brinkReserve(context, &block, &scratch->partsCapacity, scratch->partsCount + 1u, sizeof(Parts));
  scratch->parts = block;
  brinkMeshView mesh = brinkHullTree_Mesh(shape->tree);
  if (status == brink_ok) status = makeForest(context, scratch, &mesh);
  if (status != brink_ok) return status;
  eachPart(scratch->forest, &mesh, countPart, &made);
  if (made.count > 0u) {
    made.vertices = brinkAllocate(context, made.count * sizeof *made.vertices);
    if (made.vertices == NULL) return brink_errorNoMemory;
    made.count = 0u;
    status = makeForest(context, scratch, &mesh);
    eachPart(scratch->forest, &mesh, notePart, &made);
  }
  scratch->parts[scratch->partsCount++] = made;
  return status;
}

void brinkAdvanceScratch_Forget(brinkContext *context, brinkAdvanceScratch *scratch, const brinkShape *shape) {
  Parts *known = shape->tree != NULL ? findParts(scratch, shape->tree) : NULL;
  if (known == NULL || --known->uses > 0u) return;
  brinkRelease(context, known->vertices, known->count * sizeof *known->vertices);
  *known = scratch->parts[--scratch->partsCount];
}

void brinkAdvanceScratch_Borrow(brinkAdvanceScratch *scratch, const brinkAdvanceScratch *from) {
  scratch->parts = from->parts;
  scratch->partsCount = from->partsCount;
}

typedef struct Probe { /* is a point of one shape inside another? */
  const Side *inner, *outer;
  const brinkRigid *poseInner, *poseOuter;
  brinkVec3 where; /* in the common frame */
  bool found;
} Probe;

static void probePoint(Probe *probe, brinkVec3 point) {
  probe->where = brinkApply(probe->poseInner, point);
  brinkVec3 local = brinkApplyInverse(probe->poseOuter, probe->where);
  const brinkObb *box = &probe->outer->shape->obb; /* most points are not even in the box */
  brinkVec3 inBox = brinkAbsV3(brinkTMulMV(&box->axes, brinkSub(local, box->center)));
  double slack = 1e-12 * (brinkLength(local) + brinkLength(box->center) + brinkLength(box->half));
  probe->found = inBox.x <= box->half.x + slack && inBox.y <= box->half.y + slack && inBox.z <= box->half.z + slack &&
                 brinkIsInsideMesh(probe->outer->tree, local);
}

static bool probeVertex(void *user, uint32_t vertex) {
  Probe *probe = user;
  brinkMeshView mesh = brinkHullTree_Mesh(probe->inner->tree);
  probePoint(probe, brinkV3_FromArray(&mesh.vertices[3 * (size_t)vertex]));
  return !probe->found;
}

/* Do the surfaces, known not to meet, lie one inside the other? One vertex of every connected part decides for it. */
static brinkStatus findContained(brinkContext *context, brinkAdvanceScratch *scratch, Probe *probe) {
  const Side *inner = probe->inner;
  probe->found = false;
  if (!isSolid(probe->outer)) return brink_ok;
  if (inner->tree == NULL) {
    const brinkPiece *piece = &inner->shape->piece;
    brinkVec3 some = piece->kind == brink_piecePoints ? brinkPiece_Vertex(piece, 0u) : piece->center;
    if (piece->kind == brink_pieceSupport) brinkPiece_Support(piece, brinkV3(0, 0, 1), 0u, &some);
    probePoint(probe, some);
    return brink_ok;
  }
  const Parts *parts = findParts(scratch, inner->tree);
  if (parts != NULL) {
    for (uint32_t i = 0; i < parts->count && !probe->found; ++i) probeVertex(probe, parts->vertices[i]);
    return brink_ok;
  }
  brinkMeshView mesh = brinkHullTree_Mesh(inner->tree);
  brinkStatus status = makeForest(context, scratch, &mesh);
  if (status == brink_ok) eachPart(scratch->forest, &mesh, probeVertex, probe);
  return status;
}

/* Overlap by containment at the moment: fills result and returns through *found. */
static brinkStatus checkContainment(brinkContext *context, brinkAdvanceScratch *scratch, const brinkMotionTree *tree,
                                    const Side *a, const Side *b, int32_t ancestor, const Moment *moment,
                                    brinkPairResult *result, bool *found) {
  Probe probe = {a, b, &moment->poseA, &moment->poseB, {0, 0, 0}, false};
  brinkStatus status = findContained(context, scratch, &probe);
  if (status == brink_ok && !probe.found) {
    probe = (Probe){b, a, &moment->poseB, &moment->poseA, {0, 0, 0}, false};
    status = findContained(context, scratch, &probe);
  }
  *found = status == brink_ok && probe.found;
  if (!*found) return status;
  brinkRigid world = ancestor < 0 ? brinkIdentityRigid() : brinkMotionTree_Pose(tree, ancestor, -1, moment->t);
  brinkVec3 towards =
      brinkSub(brinkApply(&moment->poseB, b->shape->piece.center), brinkApply(&moment->poseA, a->shape->piece.center));
  memset(result, 0, sizeof *result);
  result->state = brink_overlap;
  result->toi = result->toiUpper = moment->t;
  result->pointA = result->pointB = brinkApply(&world, brinkAdd(probe.where, moment->centre));
  result->normal = brinkMulMV(&world.r, brinkNormalizeOr(towards, brinkV3(0, 0, 1)));
  return brink_ok;
}

/* ---- public */

brinkAdvanceScratch *brinkAdvanceScratch_Create(brinkContext *context) {
  return brinkAllocateZeroed(context, 1u, sizeof(brinkAdvanceScratch));
}

void brinkAdvanceScratch_Destroy(brinkContext *context, brinkAdvanceScratch *scratch) {
  if (scratch == NULL) return;
  brinkRelease(context, scratch->stack, scratch->capacity * sizeof(Entry));
  brinkRelease(context, scratch->forest, scratch->forestCapacity * sizeof(uint32_t));
  for (size_t i = 0; i < scratch->partsCount && scratch->partsCapacity > 0u; ++i)
    brinkRelease(context, scratch->parts[i].vertices, scratch->parts[i].count * sizeof(uint32_t));
  if (scratch->partsCapacity > 0u) brinkRelease(context, scratch->parts, scratch->partsCapacity * sizeof(Parts));
  brinkRelease(context, scratch, sizeof *scratch);
}

void brinkAdvanceScratch_SearchBy(brinkAdvanceScratch *scratch, brinkNearSearch *search, void *self) {
  scratch->search = search;
  scratch->searcher = self;
}

static brinkStatus checkInput(brinkContext *context, const brinkAdvanceInput *input) {
  if (!(input->tolerance > 0.0) || !isfinite(input->tolerance) || !isfinite(input->threshold))
    return brinkFail(context, brink_errorBadValue,
                     "advance: tolerance %g, threshold %g; tolerance must be > 0, both finite", input->tolerance,
                     input->threshold);
  if (!(input->tStart <= input->tEnd) || !isfinite(input->tStart) || !isfinite(input->tEnd))
    return brinkFail(context, brink_errorBadTime, "advance: interval [%g, %g] is reversed or not finite", input->tStart,
                     input->tEnd);
  return brink_ok;
}

static double aimOf(const brinkAdvanceInput *input) { return input->threshold + AIM_FRACTION * input->tolerance; }

static void finish(const Search *search, brinkPairResult *result) {
  const brinkAdvanceInput *input = search->input;
  result->iterations = search->iterations;
  bool known = result->state == brink_hit || result->state == brink_overlap;
  if (known && (result->state == brink_overlap || result->toi <= search->unresolved)) return;
  if (known && input->anyContact) {
    result->toi = search->unresolved;
    return;
  }
  double last = BRINK_MIN(input->tEnd, input->stopAfter);
  if (search->unresolved < HUGE_VAL) {
    double upper = known ? result->toi : input->tEnd;
    uint64_t iterations = result->iterations;
    memset(result, 0, sizeof *result);
    result->state = brink_unresolved;
    result->toi = search->unresolved;
    result->toiUpper = upper;
    result->iterations = iterations;
    result->cut = search->cut && iterations >= search->budget;
    return;
  }
  result->state = brink_free;
  result->toi = result->toiUpper = BRINK_MAX(last, search->start);
  result->distance = search->smallest < HUGE_VAL ? search->smallest : input->threshold;
}

uint64_t brinkAdvanceBudget(const brinkAdvanceInput *input) {
  const Side a = makeSide(&input->a, &input->b, &input->leftOut), b = makeSide(&input->b, &input->a, &input->leftOut);
  if (input->maxIterations != 0u) return input->maxIterations;
  return a.tree == NULL && b.tree == NULL ? CONVEX_ITERATIONS : DEFAULT_ITERATIONS;
}

static brinkStatus advanceSides(brinkContext *context, brinkAdvanceScratch *scratch, const brinkAdvanceInput *input,
                                const Side *sideA, const Side *sideB, brinkPairResult *result, brinkAdvanceWork *work) {
  memset(result, 0, sizeof *result);
  result->toi = result->toiUpper = INFINITY;
  Search search = {.context = context, .scratch = scratch, .input = input, .work = work, .best = result};
  search.a = *sideA;
  search.b = *sideB;
  search.ancestor = brinkMotionTree_CommonAncestor(input->tree, input->a.link, input->b.link);
  search.start = BRINK_MIN(BRINK_MAX(input->tStart, input->provenUntil), input->tEnd);
  search.fresh = !(input->provenUntil > input->tStart);
  search.horizon = BRINK_MIN(input->tEnd, brinkUp(input->stopAfter));
  search.aim = aimOf(input);
  search.slack = poseSlackOf(input->tree, &search.a, &search.b, search.ancestor);
  search.budget = brinkAdvanceBudget(input);
  if (input->maxEffort > 0u && input->maxEffort / BRINK_EFFORT_STEP < search.budget) {
    search.budget = input->maxEffort / BRINK_EFFORT_STEP;
    search.cut = true;
  }
  search.unresolved = INFINITY;
  search.smallest = search.fresh ? HUGE_VAL : input->threshold; /* all that is known of [tStart, provenUntil] */
  scratch->count = 0u;
  scratch->momentCount = scratch->momentNext = 0u;
  if (input->stopAfter < search.start) {
    finish(&search, result);
    return brink_ok;
  }

  Entry root = {search.start, rootOf(&search.a), rootOf(&search.b), {0, 0, 0}, false};
  View a, b;
  loadView(&search.a, root.a, &a);
  loadView(&search.b, root.b, &b);
  bool hullsMeet = false;
  if (isLeftOut(&input->leftOut, &a, &b)) {
    search.smallest = input->threshold;
  } else if (a.exact && b.exact) {
    advanceExact(&search, &a, &b, &root);
  } else if (!advanceOnce(&search, &a, &b, &root)) {
    hullsMeet = search.fresh && isZero(root.normal);
    search.status = push(context, scratch, &root);
    run(&search);
  }
  if (search.status != brink_ok) return search.status;
  if (hullsMeet && result->state != brink_overlap && !input->leftOut.any) {
    bool found = false;
    brinkPairResult contained;
    const Moment *moment = momentAt(&search, search.start);
    brinkStatus status = checkContainment(context, scratch, input->tree, &search.a, &search.b, search.ancestor, moment,
                                          &contained, &found);
    if (status != brink_ok) return status;
    if (found) *result = contained;
  }
  finish(&search, result);
  return brink_ok;
}

brinkStatus brinkAdvancePair(brinkContext *context, brinkAdvanceScratch *scratch, const brinkAdvanceInput *input,
                             brinkPairResult *result, brinkAdvanceWork *work) {
  brinkStatus status = brinkCheckAdvanceInput(context, input);
  if (status != brink_ok) return status;
  Side a = makeSide(&input->a, &input->b, &input->leftOut), b = makeSide(&input->b, &input->a, &input->leftOut);
  Side hullA = a, hullB = b;
  if (input->threshold > 0.0 && takeHulls(input, &hullA, &hullB)) {
    brinkAdvanceInput trial = *input;
    trial.maxIterations = BRINK_MIN(brinkAdvanceBudget(input), CONVEX_ITERATIONS);
    status = advanceSides(context, scratch, &trial, &hullA, &hullB, result, work);
    const bool apart = result->state == brink_free || (result->state == brink_hit && result->distance > 0.0);
    if (status != brink_ok || apart || result->cut)
      return status; /* past its start a search calls no overlap, but a hit */
  }
  return advanceSides(context, scratch, input, &a, &b, result, work);
}

double brinkHullLowerBound(const brinkAdvanceInput *input, brinkAdvanceWork *work) {
  Side a = makeSide(&input->a, &input->b, &input->leftOut), b = makeSide(&input->b, &input->a, &input->leftOut);
  const brinkPiece *pieceA = &input->a.shape->piece, *pieceB = &input->b.shape->piece;
  int32_t ancestor = brinkMotionTree_CommonAncestor(input->tree, a.link, b.link);
  double slack = poseSlackOf(input->tree, &a, &b, ancestor);
  double aim = aimOf(input) + slack;
  double limit = BRINK_MIN(input->tEnd, brinkUp(input->stopAfter));
  double t = BRINK_MIN(BRINK_MAX(input->tStart, input->provenUntil), input->tEnd);
  double least = input->provenUntil > input->tStart ? aim : input->threshold + input->tolerance + slack;
  brinkSeparation separation = {0};
  brinkGjkCache warm = {0};
  for (int step = 0; step < HULL_STEPS; ++step) {
    Moment moment;
    makeMoment(input->tree, &a, &b, ancestor, t, BRINK_MAX(t, limit), &moment);
    double enough = brinkUp(BRINK_MAX(aim + lastingGap(&moment, pieceA, &a, pieceB, &b), least));
    if (pieceA->kind != brink_pieceHalfSpace && pieceB->kind != brink_pieceHalfSpace) {
      double between =
          brinkDistance(brinkApply(&moment.poseA, pieceA->center), brinkApply(&moment.poseB, pieceB->center));
      if (between * (1.0 - 8.0 * DBL_EPSILON) - pieceSize(pieceA) - pieceSize(pieceB) > enough)
        return limit >= input->tEnd ? HUGE_VAL : limit;
    }
    brinkGjkLimits limits = {COARSE_RELATIVE, 0.0, enough, BRINK_MAX(least, 0.0), 0u};
    brinkGjk(pieceA, &moment.poseA, pieceB, &moment.poseB, &limits, &warm, &separation);
    ++work->distanceQueries;
    double gap = separation.lower - aim;
    if (!(gap > least - aim)) return t;
    least = aim;
    double next = separation.lower >= enough
                      ? moment.tEnd
                      : walk(input, &moment, pieceA, &a, pieceB, &b, separation.normal, gap, work);
    if (next >= limit) return limit >= input->tEnd ? HUGE_VAL : limit;
    double gained = next - t;
    t = next;
    if (gained < 0.1 * (limit - t)) return t;
    warm = separation.simplex;
  }
  return t;
}

/* ---- distance at one time */

typedef struct Nearest {
  const brinkLeftOut *leftOut;
  double limit; /* only distances below this matter */
  double tolerance;
  bool found, overlap;
  View a, b;
  brinkSeparation separation;
} Nearest;

static void measureNodePair(const Moment *moment, const View *a, const View *b, Entry *entry, Nearest *nearest,
                            brinkAdvanceWork *work, bool *open) {
  bool exact = a->exact && b->exact;
  *open = false;
  if (isLeftOut(nearest->leftOut, a, b)) return;
  brinkGjkLimits limits = {COARSE_RELATIVE, 0.0, nearest->limit, 0.0, 0u};
  if (exact) limits = (brinkGjkLimits){TIGHT_RELATIVE, 0.25 * nearest->tolerance, nearest->limit, -1.0, 0u};
  brinkGjkCache warm = {0};
  warm.normal = entry->normal;
  brinkSeparation separation;
  brinkGjk(a->piece, &moment->poseA, b->piece, &moment->poseB, &limits, &warm, &separation);
  ++work->distanceQueries;
  ++work->nodePairs;
  entry->t = separation.lower;
  entry->normal = separation.lower > 0.0 ? separation.normal : (brinkVec3){0, 0, 0};
  *open = !exact && separation.lower < nearest->limit;
  if (!exact || !(separation.upper < nearest->limit)) return;
  nearest->found = true;
  nearest->overlap = separation.overlap;
  nearest->separation = separation;
  keepView(a, &nearest->a);
  keepView(b, &nearest->b);
  nearest->limit = BRINK_MAX(separation.upper - 0.5 * nearest->tolerance, DBL_MIN); /* crossings still count */
}

/* By the balls around them: most of a node's children are, and a distance of hulls costs a hundred times this. */
static bool isFar(const Moment *moment, const brinkPiece *a, const brinkPiece *b, double limit) {
  if (a->kind == brink_pieceHalfSpace || b->kind == brink_pieceHalfSpace) return false;
  const brinkVec3 centerA = brinkApply(&moment->poseA, a->center), centerB = brinkApply(&moment->poseB, b->center);
  const double rounding = 32.0 * DBL_EPSILON * (brinkLength(centerA) + brinkLength(centerB));
  return brinkDistance(centerA, centerB) - rounding - pieceSize(a) - pieceSize(b) > limit;
}

typedef struct Visitor {
  const Side *a, *b;
  const Moment *moment;
  Nearest *nearest;
  brinkAdvanceWork *work;
} Visitor;

static bool visitTriangles(void *user, uint32_t slotA, uint32_t slotB, double *reach) {
  const Visitor *visitor = user;
  Entry entry = {0.0, 0u, 0u, {0, 0, 0}, false};
  View a, b;
  bool open;
  loadSlot(visitor->a, slotA, &a);
  loadSlot(visitor->b, slotB, &b);
  measureNodePair(visitor->moment, &a, &b, &entry, visitor->nearest, visitor->work, &open);
  *reach = visitor->nearest->limit;
  return !visitor->nearest->overlap;
}

static brinkStatus searchNearest(brinkContext *context, brinkAdvanceScratch *scratch, const brinkAdvanceInput *input,
                                 const Side *a, const Side *b, const Moment *moment, Nearest *nearest,
                                 brinkAdvanceWork *work, bool *hullsMeet) {
  Entry root = {0.0, rootOf(a), rootOf(b), {0, 0, 0}, false};
  View viewA, viewB, child;
  bool open = false;
  loadView(a, root.a, &viewA);
  loadView(b, root.b, &viewB);
  scratch->count = 0u;
  measureNodePair(moment, &viewA, &viewB, &root, nearest, work, &open);
  *hullsMeet = isZero(root.normal);
  if (open && scratch->search != NULL) {
    Visitor visitor = {a, b, moment, nearest, work};
    bool served;
    brinkStatus status = scratch->search(scratch->searcher, input, nearest->limit, visitTriangles, &visitor, &served);
    if (status != brink_ok || served) return status;
  }
  brinkStatus status = open ? push(context, scratch, &root) : brink_ok;
  while (status == brink_ok && scratch->count > 0u && !nearest->overlap) {
    Entry entry = scratch->stack[--scratch->count];
    if (!(entry.t < nearest->limit)) continue;
    loadView(a, entry.a, &viewA);
    loadView(b, entry.b, &viewB);
    bool first = splitFirst(&viewA, &viewB);
    const View *parent = first ? &viewA : &viewB;
    size_t base = scratch->count;
    for (uint32_t i = 0; i < childCount(parent) && status == brink_ok; ++i) {
      Entry next = entry;
      uint32_t ref = childRef(parent, i);
      if (first)
        next.a = ref;
      else
        next.b = ref;
      loadView(first ? a : b, ref, &child);
      if (isFar(moment, (first ? &child : &viewA)->piece, (first ? &viewB : &child)->piece, nearest->limit)) continue;
      measureNodePair(moment, first ? &child : &viewA, first ? &viewB : &child, &next, nearest, work, &open);
      if (open) status = push(context, scratch, &next);
    }
    if (status == brink_ok) sortTop(scratch, base);
  }
  return status;
}

static bool areHullsApart(const Side *a, const Side *b, const Moment *moment, Nearest *nearest,
                          brinkAdvanceWork *work) {
  brinkGjkLimits limits = {TIGHT_RELATIVE, 0.25 * nearest->tolerance, nearest->limit, 0.0, 0u};
  loadView(a, REF_WHOLE, &nearest->a);
  loadView(b, REF_WHOLE, &nearest->b);
  brinkGjk(nearest->a.piece, &moment->poseA, nearest->b.piece, &moment->poseB, &limits, NULL, &nearest->separation);
  ++work->distanceQueries;
  return nearest->separation.lower > 0.0;
}

brinkStatus brinkPairDistanceAtStart(brinkContext *context, brinkAdvanceScratch *scratch,
                                     const brinkAdvanceInput *input, double tolerance, double enough,
                                     brinkPairResult *result, brinkAdvanceWork *work) {
  const brinkMotionTree *tree = input->tree;
  const double t = input->tStart;
  brinkAdvanceInput check = {.tree = tree, .tStart = t, .tEnd = t, .tolerance = tolerance};
  brinkStatus status = checkInput(context, &check);
  if (status != brink_ok) return status;
  const brinkLeftOut *leftOut = &input->leftOut;
  Side a = makeSide(&input->a, &input->b, leftOut), b = makeSide(&input->b, &input->a, leftOut);
  int32_t ancestor = brinkMotionTree_CommonAncestor(tree, a.link, b.link);
  Moment moment;
  makeMoment(tree, &a, &b, ancestor, t, t, &moment);
  memset(result, 0, sizeof *result);
  result->state = brink_free;
  result->toi = result->toiUpper = t;
  Nearest nearest; /* views are filled as they are measured, and too large to be cleared for each distance */
  nearest.leftOut = leftOut, nearest.limit = enough, nearest.tolerance = tolerance;
  nearest.found = nearest.overlap = false;
  bool hullsMeet = false;
  if (a.tree == NULL && b.tree == NULL && leftOut->any && brinkLeftOut_Has(leftOut, 0u, 0u)) {
    result->distance = enough;
    return brink_ok;
  }
  Side hullA = a, hullB = b;
  if (takeHulls(input, &hullA, &hullB) && areHullsApart(&hullA, &hullB, &moment, &nearest, work)) {
    nearest.found = nearest.separation.lower < enough;
  } else if (a.tree == NULL && b.tree == NULL) {
    brinkGjkLimits limits = {TIGHT_RELATIVE, 0.25 * tolerance, enough, -1.0, 0u};
    loadView(&a, REF_WHOLE, &nearest.a);
    loadView(&b, REF_WHOLE, &nearest.b);
    brinkSignedSeparation(nearest.a.piece, &moment.poseA, nearest.b.piece, &moment.poseB, &limits, NULL,
                          &nearest.separation);
    ++work->distanceQueries;
    nearest.found = !(nearest.separation.lower >= enough);
    nearest.overlap = nearest.separation.overlap;
  } else {
    status = searchNearest(context, scratch, input, &a, &b, &moment, &nearest, work, &hullsMeet);
    if (status != brink_ok) return status;
  }
  if (hullsMeet && !nearest.overlap && !leftOut->any) {
    bool contained = false;
    status = checkContainment(context, scratch, tree, &a, &b, ancestor, &moment, result, &contained);
    if (status != brink_ok || contained) return status;
  }
  if (!nearest.found) {
    result->distance = enough;
    return brink_ok;
  }
  const brinkSeparation *separation = &nearest.separation;
  if (nearest.overlap) result->state = brink_overlap;
  result->distance = nearest.overlap ? BRINK_MIN(separation->upper, 0.0) : separation->upper;
  result->lower = separation->lower;
  fillWitness(tree, ancestor, &moment, &nearest.a, &nearest.b, separation, result);
  return brink_ok;
}

brinkStatus brinkPairContainment(brinkContext *context, brinkAdvanceScratch *scratch, const brinkAdvanceInput *input,
                                 brinkPairResult *result, bool *found) {
  *found = false;
  if (input->leftOut.any) return brink_ok;
  Side a = makeSide(&input->a, &input->b, &input->leftOut), b = makeSide(&input->b, &input->a, &input->leftOut);
  if (!isSolid(&a) && !isSolid(&b)) return brink_ok;
  int32_t ancestor = brinkMotionTree_CommonAncestor(input->tree, input->a.link, input->b.link);
  Moment moment;
  makeMoment(input->tree, &a, &b, ancestor, input->tStart, input->tStart, &moment);
  bool partsKnown =
      (a.tree == NULL || findParts(scratch, a.tree) != NULL) && (b.tree == NULL || findParts(scratch, b.tree) != NULL);
  if (!partsKnown) { /* finding them costs more than looking at the hulls first */
    brinkGjkLimits limits = {.relative = 0.5, .enoughLower = 0.0, .enoughUpper = -1.0};
    brinkSeparation separation;
    brinkGjk(&a.shape->piece, &moment.poseA, &b.shape->piece, &moment.poseB, &limits, NULL, &separation);
    if (separation.lower > 0.0) return brink_ok;
  }
  return checkContainment(context, scratch, input->tree, &a, &b, ancestor, &moment, result, found);
}

brinkStatus brinkCheckAdvanceInput(brinkContext *context, const brinkAdvanceInput *input) {
  brinkStatus status = checkInput(context, input);
  if (status != brink_ok) return status;
  Side a = makeSide(&input->a, &input->b, &input->leftOut), b = makeSide(&input->b, &input->a, &input->leftOut);
  if (input->threshold < 0.0 && (a.tree != NULL || b.tree != NULL))
    return brinkFail(context, brink_errorBadValue,
                     "advance: threshold %g < 0 for a pair with a mesh, which has no depth", input->threshold);
  return brink_ok;
}
