/* SPDX-License-Identifier: BSD-3-Clause */
/* Smallest distance of two moving colliders over an interval of time, enclosed from both sides. Best first over
 * (node of A, node of B, cell of time): what cannot reach below the best known distance is dropped, what can is split
 * in time or in space, whichever hides more.
 *
 * Bound of one pair of convex pieces over [t0,t1], h = t1 - t0 (OWN; docs/theory.md, "Clearance"): n0, n1 unit
 * separating directions at the ends with certified gaps g0, g1; n(t) their chord, |n(t)| <= 1. For every pair of points
 *   f(t) = n(t).(y(t) - x(t)),   |f''| <= A + 2 |n1 - n0| V / h,
 * so f, and with it the distance, stays above  chord(g0, g1) - K s (1-s),  K = h^2/2 of that bound; A and V bound the
 * relative acceleration and speed of the points. It converges with h^2, whatever turns, while the nearest features
 * stay. A half-space that turns has only its own normal N: f'' = N''.(x-p) + 2 N'.(x-p)' + N.(x-p)''.
 *
 * Frames: the pair frame is the deepest common ancestor of the two links. Units: m, step. */
#include "clearance.h"

#include "carried_gap.h"
#include "fitted_tree.h"
#include "gjk.h"
#include "interval.h"
#include "node_view.h"

#define EPS DBL_EPSILON
#define DEFAULT_TOLERANCE 1e-6 /* of the size */
#define DEFAULT_ITERATIONS 1000000u
#define TARGET 0.75          /* of the tolerance: the rest pays for rounding */
#define SAMPLES 9            /* of the whole distance before the search, for an early upper bound */
#define SAMPLE_QUERIES 4000u /* ... no more once they cost this: the search finds upper bounds, too */
#define COARSE_RELATIVE 0.02
#define TIGHT_RELATIVE 1e-12
/* Time is split once what it hides exceeds this part of the larger piece: below it, space hides more. */
#define TIME_SHARE 0.25
#define CARRIED_TIME_SHARE 0.05 /* the same where vertices are carried */
#define PROPOSALS 3             /* of directions for a cell in which vertices are carried */
#define FAR_SHARE 0.05  /* of the tolerance: more than places may hide by rounding before they are taken relatively */
#define SWEPT_SIZES 1.0 /* of the larger piece: hulls that meet and sweep more are split in time first */
#define CARRIED_SWEPT_SIZES 3.0 /* the same where vertices are carried */
#define CARRY_AFTER 4000u       /* distances: models of motions pay where many pairs share a cell */
#define FIT_AFTER 4u            /* distances a triangle: about what making a tree that fits costs */
#define CARRIED_RELATIVE 0.005  /* of a distance there: what its direction is worth */

typedef struct Moment { /* the two links at one time */
  double t;
  brinkRigid poseA, poseB; /* shape -> pair frame minus centre */
  brinkVec3 centre;
  double slack; /* what the rounding of poses may hide, m */
} Moment;

typedef struct Cell {         /* an interval of time */
  uint32_t ends[2];           /* moments */
  uint32_t children;          /* first of two; 0 = none yet */
  brinkLinkRate rateA, rateB; /* over the cell */
  uint32_t carried;           /* number of its models, from 1; 0 = not made yet */
} Cell;

typedef struct CarriedPair { /* models of both sides over a cell */
  brinkCarried a, b;
} CarriedPair;

typedef struct Entry { /* pair of nodes during a cell */
  double lower;        /* proven */
  uint32_t a, b, cell;
  uint32_t order; /* ties: first come */
  double gap[2];  /* at the ends, certified along: */
  brinkVec3 n[2];
  bool exact;
} Entry;

struct brinkClearanceScratch {
  Moment *moments;
  size_t momentCount, momentCapacity;
  Cell *cells;
  size_t cellCount, cellCapacity;
  Entry *heap;
  size_t heapCount, heapCapacity;
  CarriedPair *carried;
  size_t carriedCount, carriedCapacity;
  brinkLinkMotion *chains; /* from the pair's frame down to A's link, then to B's */
  int32_t chainCount[2];
  size_t chainCapacity;
  brinkTaylorRigid *models; /* room for those of one chain */
  size_t modelCapacity;
  brinkLinkMotion *links; /* a copy, moved to the origin */
  size_t linkCapacity;
  brinkFittedTree fitted[2];
  void *block; /* swept_hull.c's heap */
  size_t blockCapacity;
};

typedef struct Search {
  brinkContext *context;
  brinkClearanceScratch *scratch;
  const brinkClearanceInput *input;
  brinkNodeSide a, b;
  const brinkFittedTree *fitted[2]; /* of a and b, in place of the tree of the blob; NULL: not so */
  int32_t ancestor;
  double target;       /* gap at which a cell is settled */
  double best;         /* upper bound, INFINITY = none */
  double dropped;      /* smallest lower bound among what was dropped */
  double stuck;        /* ... among what rounding forbids to refine */
  bool carries;        /* vertices are carried over whole cells */
  double proven;       /* by the search before the trees were fitted */
  uint64_t carryAfter; /* iterations; UINT64_MAX: the sides are no vertices */
  uint64_t fitAfter;   /* iterations; UINT64_MAX: the trees are fitted, or cannot be */
  bool collision;
  bool sampled; /* the best is of a sample, in `result` */
  uint32_t bestA, bestB, bestMoment;
  uint32_t order;
  uint64_t iterations, budget;
  brinkStatus status;
} Search;

/* ---- parts of leaves: a run of a leaf's triangles is a node, too, so that leaves are opened by halves */

#define RUN_SHIFT 28u /* of the number of triangles less 1, in a triangle's reference */
#define RUN_SLOT 0x0fffffffu
_Static_assert(BRINK_PATCH_TRIANGLES <= 8u, "a run's length has three bits");

/* Number of triangles of a reference to triangles; 0: it is no such reference. */
static uint32_t runLength(uint32_t ref) {
  bool triangle = ref != BRINK_REF_WHOLE && (ref & BRINK_REF_TRIANGLE) != 0u;
  return triangle ? 1u + (ref >> RUN_SHIFT & 7u) : 0u;
}

static uint32_t makeRun(uint32_t slot, uint32_t count) { return BRINK_REF_TRIANGLE | (count - 1u) << RUN_SHIFT | slot; }

static void loadView(const Search *search, int which, uint32_t ref, brinkNodeView *view) {
  const brinkNodeSide *side = which == 0 ? &search->a : &search->b;
  const brinkFittedTree *fitted = search->fitted[which];
  if (fitted != NULL) {
    view->node = NULL;
    view->leaf = false;
    view->exact = ref < fitted->triangleCount;
    view->piece = &fitted->nodes[ref].piece;
    return;
  }
  uint32_t count = runLength(ref);
  if (count < 2u) {
    brinkNodeView_Load(side, ref, view);
    return;
  }
  view->node = NULL;
  view->leaf = view->exact = false;
  view->piece = &view->made;
  uint32_t vertexCount = 0;
  brinkTriangleRoom room;
  for (uint32_t i = 0; i < count; ++i) {
    brinkPiece triangle = brinkHullTree_Triangle(side->tree, (ref & RUN_SLOT) + i, &room, NULL);
    for (uint32_t k = 0; k < triangle.count; ++k) {
      uint32_t at = 0;
      while (at < vertexCount && view->room.hull.ids[at] != room.ids[k]) ++at;
      if (at < vertexCount) continue;
      memcpy(view->room.hull.vertices[vertexCount], room.vertices[k], sizeof room.vertices[k]);
      view->room.hull.ids[vertexCount++] = room.ids[k];
    }
  }
  view->made = brinkMakePointPiece(view->room.hull.vertices[0], vertexCount, side->shape->piece.radius);
  view->made.vertexIds = view->room.hull.ids;
}

/* Triangles of the largest meshes have no room for a length beside their slot: they are children one by one. */
static uint32_t childCount(const brinkNodeView *view) {
  if (!view->leaf) return 2u;
  return view->node->firstTriangle + view->node->triangleCount > RUN_SLOT ? view->node->triangleCount : 2u;
}

static uint32_t childOf(const brinkNodeView *view, uint32_t ref, uint32_t index) {
  uint32_t first = ref & RUN_SLOT, count = runLength(ref);
  if (count == 0u) {
    if (!view->leaf || childCount(view) != 2u) return brinkNodeView_Child(view, index);
    first = view->node->firstTriangle;
    count = view->node->triangleCount;
  }
  uint32_t half = count / 2u;
  return index == 0u ? makeRun(first, half) : makeRun(first + half, count - half);
}

/* ---- memory */

brinkClearanceScratch *brinkClearanceScratch_Create(brinkContext *context) {
  return brinkAllocateZeroed(context, 1u, sizeof(brinkClearanceScratch));
}

void brinkClearanceScratch_Destroy(brinkContext *context, brinkClearanceScratch *scratch) {
  if (scratch == NULL) return;
  brinkRelease(context, scratch->moments, scratch->momentCapacity * sizeof(Moment));
  brinkRelease(context, scratch->cells, scratch->cellCapacity * sizeof(Cell));
  brinkRelease(context, scratch->heap, scratch->heapCapacity * sizeof(Entry));
  brinkRelease(context, scratch->carried, scratch->carriedCapacity * sizeof(CarriedPair));
  brinkRelease(context, scratch->chains, scratch->chainCapacity * sizeof *scratch->chains);
  brinkRelease(context, scratch->models, scratch->modelCapacity * sizeof *scratch->models);
  brinkRelease(context, scratch->links, scratch->linkCapacity * sizeof *scratch->links);
  for (int i = 0; i < 2; ++i) brinkFittedTree_Free(context, &scratch->fitted[i]);
  brinkRelease(context, scratch->block, scratch->blockCapacity);
  brinkRelease(context, scratch, sizeof *scratch);
}

void **brinkClearanceScratch_Block(brinkClearanceScratch *scratch) { return &scratch->block; }
size_t *brinkClearanceScratch_BlockCapacity(brinkClearanceScratch *scratch) { return &scratch->blockCapacity; }

static bool comesFirst(const Entry *x, const Entry *y) {
  return x->lower != y->lower ? x->lower < y->lower : x->order < y->order;
}

static void pushEntry(Search *search, Entry *entry) {
  brinkClearanceScratch *scratch = search->scratch;
  void *block = scratch->heap;
  search->status =
      brinkReserve(search->context, &block, &scratch->heapCapacity, scratch->heapCount + 1u, sizeof(Entry));
  scratch->heap = block;
  if (search->status != brink_ok) return;
  entry->order = search->order++;
  size_t at = scratch->heapCount++;
  for (; at > 0 && comesFirst(entry, &scratch->heap[(at - 1) / 2]); at = (at - 1) / 2)
    scratch->heap[at] = scratch->heap[(at - 1) / 2];
  scratch->heap[at] = *entry;
}

static Entry popEntry(brinkClearanceScratch *scratch) {
  Entry top = scratch->heap[0], last = scratch->heap[--scratch->heapCount];
  size_t at = 0, count = scratch->heapCount;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && comesFirst(&scratch->heap[child + 1], &scratch->heap[child])) ++child;
    if (!comesFirst(&scratch->heap[child], &last)) break;
    scratch->heap[at] = scratch->heap[child];
    at = child;
  }
  if (count > 0) scratch->heap[at] = last;
  return top;
}

/* ---- time */

static void rateOf(const Search *search, const brinkNodeSide *side, double t, double tEnd, brinkLinkRate *rate) {
  if (side->link != search->ancestor) {
    brinkMotionTree_Rate(search->input->tree, side->link, search->ancestor, t, tEnd, rate);
    return;
  }
  memset(rate, 0, sizeof *rate);
  rate->pose = brinkIdentityRigid();
}

/* Largest |x| over the core, link frame; for half-spaces of the plane's nearest point. */
static double reachOf(const brinkNodeSide *side) {
  const brinkPiece *piece = &side->shape->piece;
  double reach = brinkLength(side->local.p);
  if (piece->kind == brink_pieceHalfSpace) return reach + fabs(piece->offset);
  return (reach + brinkLength(piece->center) + piece->boundRadius) * (1 + 8 * EPS);
}

static double slackOf(const brinkNodeSide *side, const brinkLinkRate *rate) {
  double reach = reachOf(side);
  return rate->poseError + rate->poseErrorSlope * reach + 32 * EPS * (brinkLength(rate->pose.p) + reach);
}

/* Index of a new moment; UINT32_MAX: no memory. */
static uint32_t addMoment(Search *search, double t) {
  brinkClearanceScratch *scratch = search->scratch;
  void *block = scratch->moments;
  search->status =
      brinkReserve(search->context, &block, &scratch->momentCapacity, scratch->momentCount + 1u, sizeof(Moment));
  scratch->moments = block;
  if (search->status != brink_ok) return UINT32_MAX;
  brinkLinkRate rateA, rateB;
  rateOf(search, &search->a, t, t, &rateA);
  rateOf(search, &search->b, t, t, &rateB);
  Moment *moment = &scratch->moments[scratch->momentCount];
  moment->t = t;
  moment->poseA = brinkCompose(&rateA.pose, &search->a.local);
  moment->poseB = brinkCompose(&rateB.pose, &search->b.local);
  bool useA = search->a.shape->piece.kind != brink_pieceHalfSpace &&
              !(search->a.shape->piece.boundRadius > search->b.shape->piece.boundRadius &&
                search->b.shape->piece.kind != brink_pieceHalfSpace);
  moment->centre = useA ? brinkApply(&moment->poseA, search->a.shape->piece.center)
                        : brinkApply(&moment->poseB, search->b.shape->piece.center);
  moment->poseA.p = brinkSub(moment->poseA.p, moment->centre);
  moment->poseB.p = brinkSub(moment->poseB.p, moment->centre);
  moment->slack = slackOf(&search->a, &rateA) + slackOf(&search->b, &rateB);
  return (uint32_t)scratch->momentCount++;
}

static void addCell(Search *search, uint32_t start, uint32_t end) {
  brinkClearanceScratch *scratch = search->scratch;
  void *block = scratch->cells;
  search->status = brinkReserve(search->context, &block, &scratch->cellCapacity, scratch->cellCount + 1u, sizeof(Cell));
  scratch->cells = block;
  if (search->status != brink_ok) return;
  Cell *cell = &scratch->cells[scratch->cellCount++];
  cell->ends[0] = start;
  cell->ends[1] = end;
  cell->children = cell->carried = 0;
  double t0 = scratch->moments[start].t, t1 = scratch->moments[end].t;
  rateOf(search, &search->a, t0, t1, &cell->rateA);
  rateOf(search, &search->b, t0, t1, &cell->rateB);
}

/* First child of the cell, made when it has none; 0: it cannot be halved, or no memory. */
static uint32_t halve(Search *search, uint32_t index) {
  brinkClearanceScratch *scratch = search->scratch;
  if (scratch->cells[index].children != 0) return scratch->cells[index].children;
  uint32_t start = scratch->cells[index].ends[0], end = scratch->cells[index].ends[1];
  double t0 = scratch->moments[start].t, t1 = scratch->moments[end].t, middle = t0 + 0.5 * (t1 - t0);
  if (!(middle > t0 && middle < t1)) return 0;
  uint32_t first = (uint32_t)scratch->cellCount, moment = addMoment(search, middle);
  if (search->status == brink_ok) addCell(search, start, moment);
  if (search->status == brink_ok) addCell(search, moment, end);
  if (search->status != brink_ok) return 0;
  scratch->cells[index].children = first;
  return first;
}

/* ---- models of both sides over a cell */

static int32_t depthOf(const brinkMotionTree *tree, int32_t link, int32_t ancestor) {
  int32_t depth = 0;
  for (; link != ancestor; link = tree->links[link].parent) ++depth;
  return depth;
}

/* The links between the pair's frame and the two sides, each the parent of the next. */
static void makeChains(Search *search) {
  brinkClearanceScratch *scratch = search->scratch;
  const brinkMotionTree *tree = search->input->tree;
  const int32_t ends[2] = {search->a.link, search->b.link};
  for (int k = 0; k < 2; ++k) scratch->chainCount[k] = depthOf(tree, ends[k], search->ancestor);
  const size_t count = (size_t)scratch->chainCount[0] + (size_t)scratch->chainCount[1];
  void *block = scratch->chains;
  search->status = brinkReserve(search->context, &block, &scratch->chainCapacity, count, sizeof *scratch->chains);
  scratch->chains = block;
  if (search->status != brink_ok) return;
  block = scratch->models;
  search->status = brinkReserve(search->context, &block, &scratch->modelCapacity, count, sizeof *scratch->models);
  scratch->models = block;
  if (search->status != brink_ok) return;
  brinkLinkMotion *out = scratch->chains;
  for (int k = 0; k < 2; out += scratch->chainCount[k], ++k) {
    int32_t link = ends[k];
    for (int32_t i = scratch->chainCount[k] - 1; i >= 0; --i, link = tree->links[link].parent) {
      out[i] = tree->links[link];
      out[i].parent = i - 1;
    }
  }
}

/* Made when it is first asked for; NULL: no memory. */
static const CarriedPair *carriedOver(Search *search, uint32_t index) {
  brinkClearanceScratch *scratch = search->scratch;
  Cell *cell = &scratch->cells[index];
  if (cell->carried != 0) return &scratch->carried[cell->carried - 1];
  void *block = scratch->carried;
  search->status =
      brinkReserve(search->context, &block, &scratch->carriedCapacity, scratch->carriedCount + 1u, sizeof(CarriedPair));
  scratch->carried = block;
  if (search->status != brink_ok) return NULL;
  CarriedPair *pair = &scratch->carried[scratch->carriedCount++];
  cell->carried = (uint32_t)scratch->carriedCount;
  const brinkVec3 centre = scratch->moments[cell->ends[0]].centre;
  double t0 = scratch->moments[cell->ends[0]].t, t1 = scratch->moments[cell->ends[1]].t;
  const brinkLinkMotion *chainA = scratch->chains, *chainB = chainA + scratch->chainCount[0];
  brinkCarried_Make(chainA, scratch->chainCount[0], &search->a.local, centre, t0, t1, scratch->models, &pair->a);
  brinkCarried_Make(chainB, scratch->chainCount[1], &search->b.local, centre, t0, t1, scratch->models, &pair->b);
  return pair;
}

/* ---- bounds */

/* Smallest value of (1-s) g0 + s g1 - k s (1-s) on [0,1], rounded down. */
static double chordMinimum(double g0, double g1, double k) {
  double low = BRINK_MIN(g0, g1), difference = fabs(g1 - g0);
  if (k > difference) low = 0.5 * (g0 + g1) - 0.25 * k - 0.25 * difference * difference / k;
  return low - 16 * EPS * (fabs(g0) + fabs(g1) + k);
}

/* Speed that no point of the core exceeds, and the same for the acceleration. */
static void sideBounds(const brinkNodeSide *side, const brinkNodeView *view, const brinkLinkRate *rate, double *speed,
                       double *second) {
  brinkVec3 centre = brinkApply(&side->local, view->piece->center);
  double reach = (brinkLength(centre) + view->piece->boundRadius +
                  32 * EPS * (brinkLength(side->local.p) + view->piece->boundRadius)) *
                 (1 + 8 * EPS);
  *speed = rate->speedBase + rate->speedSlope * reach;
  *second = rate->accelBase + rate->accelSlope * reach;
}

/* Bounds of |f'| and |f''| for a half-space that turns. */
static void turningPlaneBounds(const Search *search, const Cell *cell, const brinkNodeView *a, const brinkNodeView *b,
                               double h, double *slope, double *bend) {
  bool planeIsA = a->piece->kind == brink_pieceHalfSpace;
  const brinkNodeSide *side = planeIsA ? &search->b : &search->a;
  const brinkLinkRate *plane = planeIsA ? &cell->rateA : &cell->rateB, *other = planeIsA ? &cell->rateB : &cell->rateA;
  double speed, second;
  sideBounds(side, planeIsA ? b : a, other, &speed, &second);
  double relative = speed + plane->speedBase, reach = reachOf(side);
  double far = brinkDistance(plane->pose.p, other->pose.p) * (1 + 16 * EPS) + plane->poseError + other->poseError +
               reach + relative * h;
  *slope = (plane->speedSlope * far + relative) * (1 + 32 * EPS);
  *bend = (plane->accelSlope * far + 2 * plane->speedSlope * relative + second + plane->accelBase) * (1 + 32 * EPS);
}

/* The same from a bound of what the gap can change over the cell. */
static double travelMinimum(double g0, double g1, double travel) {
  double low = travel >= fabs(g1 - g0) ? 0.5 * (g0 + g1 - travel) : BRINK_MIN(g0, g1);
  return low - 8 * EPS * (fabs(g0) + fabs(g1) + travel);
}

/* NaN (bounds that do not exist) counts as nothing known. */
static double larger(double x, double y) { return y > x || isnan(x) ? y : x; }

/* What is still worth pursuing must be able to reach below this. */
static double barOf(const Search *search) {
  double bar = search->best - search->target;
  double required = search->input->required;
  return required > 0 && required < bar ? required : bar;
}

/* Certified gap of the pair at a moment along a direction. */
static double gapAlong(const Search *search, uint32_t index, const brinkNodeView *a, const brinkNodeView *b,
                       brinkVec3 n) {
  const Moment *moment = &search->scratch->moments[index];
  double gap = brinkCertifyGap(a->piece, &moment->poseA, b->piece, &moment->poseB, n);
  return gap - moment->slack - 4 * EPS * fabs(gap);
}

/* Proven lower bound of the pair's distance over the whole cell, from the gaps at its ends. */
static double lowerOf(Search *search, const Entry *entry, const brinkNodeView *a, const brinkNodeView *b) {
  const Cell *cell = &search->scratch->cells[entry->cell];
  double h = brinkUp(search->scratch->moments[cell->ends[1]].t - search->scratch->moments[cell->ends[0]].t);
  double g0 = entry->gap[0], g1 = entry->gap[1];
  if (!(h > 0)) return BRINK_MAX(0.0, BRINK_MAX(g0, g1));
  if (!isfinite(g0) || !isfinite(g1)) return 0.0;
  const brinkLinkRate *plane = a->piece->kind == brink_pieceHalfSpace   ? &cell->rateA
                               : b->piece->kind == brink_pieceHalfSpace ? &cell->rateB
                                                                        : NULL;
  if (plane != NULL && plane->speedSlope > 0) {
    double slope, bend;
    turningPlaneBounds(search, cell, a, b, h, &slope, &bend);
    return larger(0.0, larger(chordMinimum(g0, g1, 0.5 * bend * h * h), travelMinimum(g0, g1, slope * h)));
  }
  brinkMovingPiece movingA = {a->piece, search->a.local, &cell->rateA},
                   movingB = {b->piece, search->b.local, &cell->rateB};
  double speed, second;
  brinkMovingPair_Bounds(&movingA, &movingB, h, &speed, &second);
  double turn = plane != NULL ? 0.0 : brinkDistance(entry->n[0], entry->n[1]) + 16 * EPS;
  double k = (0.5 * second * h * h + turn * speed * h) * (1 + 16 * EPS);
  double low = larger(chordMinimum(g0, g1, k), travelMinimum(g0, g1, speed * h * (1 + 8 * EPS)));
  /* Either end's direction all the time: nothing is lost to its turning. Worth a look when that decides. */
  if (plane == NULL && low < barOf(search) && BRINK_MIN(g0, g1) > barOf(search) &&
      turn * speed * h > second * h * h * 0.0625) {
    double bend = 0.5 * second * h * h * (1 + 16 * EPS);
    for (int end = 0; end < 2; ++end) {
      double other = gapAlong(search, cell->ends[1 - end], a, b, entry->n[end]);
      low = larger(low, chordMinimum(entry->gap[end], other, bend));
    }
  }
  if (search->carries && low < barOf(search) && BRINK_MIN(g0, g1) > 0.0) {
    const CarriedPair *pair = carriedOver(search, entry->cell);
    if (pair == NULL) return larger(0.0, low);
    double tau;
    low = larger(
        low, brinkCarriedGap(a->piece, &pair->a, b->piece, &pair->b, entry->n[0], entry->n[1], barOf(search), &tau));
  }
  if (low < barOf(search))
    low = larger(low, g0 - brinkClosingBound(&movingA, &movingB, h) * (1 + 8 * EPS) - 8 * EPS * fabs(g0));
  return larger(0.0, low);
}

/* Gap of the pair at one end of the entry's cell. An exact pair's distance is a candidate for the best. */
static void measure(Search *search, Entry *entry, int end, const brinkNodeView *a, const brinkNodeView *b,
                    brinkVec3 guess, double enough) {
  uint32_t index = search->scratch->cells[entry->cell].ends[end];
  const Moment *moment = &search->scratch->moments[index];
  brinkGjkLimits limits = {COARSE_RELATIVE, 0.0, enough + moment->slack, 0.0, 0u};
  if (entry->exact) limits = (brinkGjkLimits){TIGHT_RELATIVE, 0.02 * search->target, INFINITY, -1.0, 0u};
  brinkGjkCache warm = {0};
  warm.normal = guess;
  brinkSeparation separation;
  brinkGjk(a->piece, &moment->poseA, b->piece, &moment->poseB, &limits, &warm, &separation);
  ++search->iterations;
  entry->gap[end] = separation.lower - moment->slack - 4 * EPS * fabs(separation.lower);
  entry->n[end] = separation.normal;
  if (!entry->exact) return;
  double upper = separation.overlap ? 0.0 : brinkUp(separation.upper + moment->slack);
  if (!(upper < search->best) && !(search->sampled && upper <= search->best)) return;
  search->best = upper;
  search->collision = separation.overlap;
  search->sampled = false;
  search->bestA = entry->a;
  search->bestB = entry->b;
  search->bestMoment = index;
}

/* Keeps what can still matter. */
static void consider(Search *search, Entry *entry) {
  if (entry->lower >= barOf(search))
    search->dropped = BRINK_MIN(search->dropped, entry->lower);
  else
    pushEntry(search, entry);
}

/* Is what the entry inherited, directions at both ends with their gaps, enough to drop it? */
static bool suffices(Search *search, Entry *entry, const brinkNodeView *a, const brinkNodeView *b) {
  double bar = barOf(search);
  if (!(entry->gap[0] >= bar && entry->gap[1] >= bar)) return false;
  double lower = lowerOf(search, entry, a, b);
  if (!(lower >= bar)) return false;
  search->dropped = BRINK_MIN(search->dropped, lower);
  return true;
}

/* ---- carried entries: one direction for the whole cell, found at the time at which the parent's is worst */

/* Distance and direction of the entry at tau of its cell: the best there may be, no bound. */
static void proposeAt(Search *search, Entry *entry, const CarriedPair *pair, double tau, const brinkNodeView *a,
                      const brinkNodeView *b) {
  const brinkRigid poseA = brinkCarried_Near(&pair->a, tau), poseB = brinkCarried_Near(&pair->b, tau);
  const brinkGjkLimits limits = {CARRIED_RELATIVE, 0.0, INFINITY, barOf(search), 0u};
  brinkGjkCache warm = {0};
  warm.normal = entry->n[0];
  brinkSeparation separation;
  brinkGjk(a->piece, &poseA, b->piece, &poseB, &limits, &warm, &separation);
  ++search->iterations;
  entry->gap[0] = entry->gap[1] = separation.lower;
  entry->n[0] = entry->n[1] = separation.normal;
}

/* What directions prove that are nearest at a few times: amid the cell, when the first is worst, and on the other side.
 * The entry keeps the best of them. */
static double proposeAll(Search *search, Entry *entry, const CarriedPair *pair, const brinkNodeView *a,
                         const brinkNodeView *b) {
  const double bar = barOf(search);
  double best = 0.0, at = 0.0, worst;
  for (int k = 0; k < PROPOSALS && best < bar; ++k) {
    const brinkVec3 before = entry->n[0];
    proposeAt(search, entry, pair, at, a, b);
    if (!(entry->gap[0] > bar)) break; /* nearer than that: no direction helps */
    const brinkVec3 n = entry->n[0];
    double low = brinkCarriedGap(a->piece, &pair->a, b->piece, &pair->b, n, n, bar, &worst);
    at = k == 0 ? worst : -0.5 * worst;
    if (low > best)
      best = low;
    else if (k > 0)
      entry->n[0] = entry->n[1] = before;
  }
  return best;
}

/* A new entry, which has its parent's direction, gap and bound: dropped when that direction keeps it, else asked for
 * its own. Exact pairs are asked at both ends, for a direction that turns: it converges where a fixed one does not. */
static void enter(Search *search, Entry *entry, const brinkNodeView *a, const brinkNodeView *b) {
  const CarriedPair *pair = carriedOver(search, entry->cell);
  if (pair == NULL) return;
  double bar = barOf(search), tau, low = 0.0;
  const brinkVec3 n = entry->n[0];
  if (entry->gap[0] > 0.0) low = brinkCarriedGap(a->piece, &pair->a, b->piece, &pair->b, n, n, bar, &tau);
  if (low >= bar) {
    search->dropped = BRINK_MIN(search->dropped, low);
    return;
  }
  if (entry->exact) {
    for (int end = 0; end < 2; ++end) measure(search, entry, end, a, b, n, INFINITY);
    low = larger(low, lowerOf(search, entry, a, b));
  } else {
    low = larger(low, proposeAll(search, entry, pair, a, b));
  }
  entry->lower = BRINK_MAX(entry->lower, low);
  consider(search, entry);
}

/* An exact pair's parts have its gaps at their ends: no part is proven beyond them. Where rounding keeps an end from
 * the bar, and the bound is within the target of that end, parts without number would win nothing. */
static bool isRounding(const Search *search, const Entry *entry) {
  const double end = BRINK_MIN(entry->gap[0], entry->gap[1]);
  return entry->exact && end < barOf(search) && entry->lower >= end - search->target;
}

static void splitTime(Search *search, const Entry *entry, const brinkNodeView *a, const brinkNodeView *b) {
  uint32_t first = isRounding(search, entry) ? 0 : halve(search, entry->cell);
  if (search->status != brink_ok) return;
  if (first == 0) {
    search->stuck = BRINK_MIN(search->stuck, entry->lower);
    return;
  }
  Entry children[2] = {*entry, *entry};
  children[0].cell = first;
  children[1].cell = first + 1;
  if (search->carries && !entry->exact) {
    for (int i = 0; i < 2 && search->status == brink_ok; ++i) enter(search, &children[i], a, b);
    return;
  }
  brinkVec3 guess = brinkNormalizeOr(brinkAdd(entry->n[0], entry->n[1]), entry->n[0]);
  children[0].n[1] = children[1].n[0] = guess;
  children[0].gap[1] = children[1].gap[0] = gapAlong(search, search->scratch->cells[first].ends[1], a, b, guess);
  if (suffices(search, &children[0], a, b) && suffices(search, &children[1], a, b)) return;
  measure(search, &children[0], 1, a, b, guess, INFINITY);
  children[1].gap[0] = children[0].gap[1];
  children[1].n[0] = children[0].n[1];
  for (int i = 0; i < 2 && search->status == brink_ok; ++i) {
    children[i].lower = fmax(entry->lower, lowerOf(search, &children[i], a, b));
    consider(search, &children[i]);
  }
}

/* Does A hide more than B? */
static bool worthOpening(const Search *search, const Entry *entry, const brinkNodeView *a, const brinkNodeView *b) {
  if (search->fitted[0] == NULL || search->fitted[1] == NULL) return brinkNodeView_Size(a) >= brinkNodeView_Size(b);
  return search->fitted[0]->nodes[entry->a].hides >= search->fitted[1]->nodes[entry->b].hides;
}

static void splitSpace(Search *search, const Entry *entry, const brinkNodeView *a, const brinkNodeView *b) {
  bool first = b->exact || (!a->exact && worthOpening(search, entry, a, b));
  const brinkNodeView *parent = first ? a : b;
  brinkNodeView child;
  const brinkFittedTree *fitted = search->fitted[first ? 0 : 1];
  const uint32_t whole = first ? entry->a : entry->b, children = fitted != NULL ? 2u : childCount(parent);
  for (uint32_t i = 0; i < children && search->status == brink_ok; ++i) {
    Entry next = *entry;
    uint32_t ref = fitted != NULL ? fitted->nodes[whole].child[i] : childOf(parent, whole, i);
    if (first)
      next.a = ref;
    else
      next.b = ref;
    loadView(search, first ? 0 : 1, ref, &child);
    const brinkNodeView *viewA = first ? &child : a, *viewB = first ? b : &child;
    next.exact = viewA->exact && viewB->exact;
    if (search->carries) {
      enter(search, &next, viewA, viewB);
      continue;
    }
    for (int end = 0; end < 2; ++end)
      next.gap[end] = gapAlong(search, search->scratch->cells[next.cell].ends[end], viewA, viewB, entry->n[end]);
    if (suffices(search, &next, viewA, viewB)) continue;
    for (int end = 0; end < 2; ++end) measure(search, &next, end, viewA, viewB, entry->n[end], INFINITY);
    next.lower = fmax(entry->lower, lowerOf(search, &next, viewA, viewB));
    consider(search, &next);
  }
}

/* What the pieces move against each other during the cell, m. */
static double travelOf(const Search *search, const Entry *entry, const brinkNodeView *a, const brinkNodeView *b) {
  const Cell *cell = &search->scratch->cells[entry->cell];
  double h = search->scratch->moments[cell->ends[1]].t - search->scratch->moments[cell->ends[0]].t, speed, second;
  brinkMovingPiece movingA = {a->piece, search->a.local, &cell->rateA},
                   movingB = {b->piece, search->b.local, &cell->rateB};
  if (a->piece->kind == brink_pieceHalfSpace || b->piece->kind == brink_pieceHalfSpace || entry->gap[0] > 0.0 ||
      entry->gap[1] > 0.0)
    return 0.0;
  brinkMovingPair_Bounds(&movingA, &movingB, h, &speed, &second);
  return speed * h;
}

static void refine(Search *search, const Entry *entry) {
  brinkNodeView a, b;
  loadView(search, 0, entry->a, &a);
  loadView(search, 1, entry->b, &b);
  if (entry->exact) {
    splitTime(search, entry, &a, &b);
    return;
  }
  double hidden = BRINK_MIN(entry->gap[0], entry->gap[1]) - entry->lower, size = 0.0;
  if (!a.exact) size = brinkNodeView_Size(&a);
  if (!b.exact) size = BRINK_MAX(size, brinkNodeView_Size(&b));
  const Cell *cell = &search->scratch->cells[entry->cell];
  bool lasts = cell->ends[0] != cell->ends[1];
  /* Hulls that meet at an end say nothing of what is inside them while they sweep more than their size. */
  double swept = (search->carries ? CARRIED_SWEPT_SIZES : SWEPT_SIZES) * size;
  const double share = search->carries ? CARRIED_TIME_SHARE : TIME_SHARE;
  if (lasts && (hidden > share * size || travelOf(search, entry, &a, &b) > swept))
    splitTime(search, entry, &a, &b);
  else
    splitSpace(search, entry, &a, &b);
}

/* The slot of an exact reference. */
static uint32_t slotOf(const Search *search, int which, uint32_t ref) {
  if (search->fitted[which] != NULL) return ref;
  if ((ref & BRINK_REF_TRIANGLE) != 0u) return ref & RUN_SLOT;
  return brinkHullTree_Record((which == 0 ? &search->a : &search->b)->tree, ref)->firstTriangle;
}

static uint32_t rootOf(const Search *search, int which) {
  const brinkFittedTree *fitted = search->fitted[which];
  return fitted != NULL ? fitted->nodeCount - 1u : brinkNodeSide_Root(which == 0 ? &search->a : &search->b);
}

static void addRoot(Search *search, uint32_t first, uint32_t last) {
  addCell(search, first, last);
  if (search->status != brink_ok) return;
  Entry root = {.a = rootOf(search, 0), .b = rootOf(search, 1), .cell = (uint32_t)search->scratch->cellCount - 1u};
  brinkNodeView a, b;
  loadView(search, 0, root.a, &a);
  loadView(search, 1, root.b, &b);
  root.exact = a.exact && b.exact;
  for (int end = 0; end < 2; ++end) measure(search, &root, end, &a, &b, brinkV3(0, 0, 0), INFINITY);
  root.lower = fmax(search->proven, lowerOf(search, &root, &a, &b));
  consider(search, &root);
}

/* Are all pieces of this side few vertices, and its motion known well enough to follow them? */
static bool carriesSide(const Search *search, const brinkNodeSide *side) {
  return (side->tree != NULL || brinkCarried_Serves(&side->shape->piece)) &&
         brinkMotionTree_IsSmooth(search->input->tree, side->link);
}

/* The interval, cut where velocities jump: within a cell motions are smooth. */
static void addRoots(Search *search) {
  const brinkClearanceInput *input = search->input;
  double t = input->tStart;
  uint32_t first = addMoment(search, t);
  if (search->status == brink_ok && !(input->tEnd > t)) addRoot(search, first, first);
  while (search->status == brink_ok && t < input->tEnd) {
    double next = brinkMotionTree_NextBreak(input->tree, search->a.link, t, input->tEnd);
    next = BRINK_MIN(next, brinkMotionTree_NextBreak(input->tree, search->b.link, t, input->tEnd));
    if (!(next > t)) next = input->tEnd;
    uint32_t last = addMoment(search, next);
    if (search->status == brink_ok) addRoot(search, first, last);
    first = last;
    t = next;
  }
}

static double leastOf(const Search *search) {
  const double least = BRINK_MIN(search->dropped, search->stuck);
  return search->scratch->heapCount > 0 ? BRINK_MIN(least, search->scratch->heap[0].lower) : least;
}

/* Begins anew with trees that fit the surfaces, where they can be made. What is proven stays so. */
static void fit(Search *search) {
  brinkClearanceScratch *scratch = search->scratch;
  search->fitAfter = UINT64_MAX;
  for (int k = 0; k < 2 && search->status == brink_ok; ++k) {
    const brinkNodeSide *side = k == 0 ? &search->a : &search->b;
    uint32_t *best = k == 0 ? &search->bestA : &search->bestB;
    if (side->tree == NULL) continue;
    search->status = brinkFittedTree_Make(search->context, side->tree, side->shape->piece.radius, &scratch->fitted[k]);
    if (search->status != brink_ok || scratch->fitted[k].nodeCount == 0) continue;
    if (!search->sampled) *best = slotOf(search, k, *best);
    search->fitted[k] = &scratch->fitted[k];
  }
  if (search->status != brink_ok || (search->fitted[0] == NULL && search->fitted[1] == NULL)) return;
  search->proven = leastOf(search);
  scratch->heapCount = scratch->cellCount = scratch->carriedCount = 0;
  search->dropped = search->stuck = INFINITY;
  addRoots(search);
}

static void run(Search *search) {
  brinkClearanceScratch *scratch = search->scratch;
  while (search->status == brink_ok && scratch->heapCount > 0 && search->iterations < search->budget) {
    if (search->collision || search->best < search->input->required) return; /* the verdict is known */
    if (scratch->heap[0].lower >= barOf(search)) return;
    if (!search->carries && search->iterations > search->carryAfter) {
      makeChains(search);
      search->carries = search->status == brink_ok;
      continue;
    }
    if (search->iterations > search->fitAfter) {
      fit(search);
      continue;
    }
    Entry entry = popEntry(scratch);
    refine(search, &entry);
  }
}

static uint64_t trianglesOf(const brinkNodeSide *side) {
  return side->tree != NULL ? ((const struct brinkHullTree *)side->tree)->triangleCount : 0u;
}

static void start(Search *search) {
  search->carryAfter = search->fitAfter = UINT64_MAX;
  if (search->input->tEnd > search->input->tStart && carriesSide(search, &search->a) &&
      carriesSide(search, &search->b)) {
    const uint64_t fitting = FIT_AFTER * (trianglesOf(&search->a) + trianglesOf(&search->b));
    search->carryAfter = search->iterations + CARRY_AFTER;
    search->fitAfter = search->iterations + BRINK_MAX(CARRY_AFTER, fitting);
  }
  addRoots(search);
}

/* ---- witnesses */

void brinkClearance_TakeSample(const brinkPairResult *pair, brinkClearanceResult *result) {
  result->timeA = result->timeB = pair->toi;
  result->pointA = pair->pointA;
  result->pointB = pair->pointB;
  result->normal = pair->normal;
  result->kindA = pair->kindA;
  result->kindB = pair->kindB;
  memcpy(result->featureA, pair->featureA, sizeof result->featureA);
  memcpy(result->featureB, pair->featureB, sizeof result->featureB);
  result->pieceA = pair->pieceA;
  result->pieceB = pair->pieceB;
}

static uint32_t triangleOf(const Search *search, int which, uint32_t ref) {
  if (ref == BRINK_REF_WHOLE) return 0;
  return brinkHullTree_TriangleId((which == 0 ? &search->a : &search->b)->tree, slotOf(search, which, ref));
}

static void fillWitness(const Search *search, brinkClearanceResult *result) {
  const Moment *moment = &search->scratch->moments[search->bestMoment];
  brinkNodeView a, b;
  loadView(search, 0, search->bestA, &a);
  loadView(search, 1, search->bestB, &b);
  brinkGjkLimits limits = {TIGHT_RELATIVE, 0.02 * search->target, INFINITY, -1.0, 0u};
  brinkSeparation separation;
  brinkGjk(a.piece, &moment->poseA, b.piece, &moment->poseB, &limits, NULL, &separation);
  brinkRigid world = brinkIdentityRigid();
  if (search->ancestor >= 0) world = brinkMotionTree_Pose(search->input->tree, search->ancestor, -1, moment->t);
  result->timeA = result->timeB = moment->t;
  result->pointA = brinkApply(&world, brinkAdd(separation.pointA, moment->centre));
  result->pointB = brinkApply(&world, brinkAdd(separation.pointB, moment->centre));
  result->normal = brinkMulMV(&world.r, separation.normal);
  brinkWitnessFeatures(a.piece, b.piece, &separation, &result->kindA, result->featureA, &result->kindB,
                       result->featureB);
  result->pieceA = triangleOf(search, 0, search->bestA);
  result->pieceB = triangleOf(search, 1, search->bestB);
}

/* ---- public */

double brinkClearanceSize(const brinkCollider *a, const brinkCollider *b) {
  double smaller = INFINITY, larger = 0.0;
  const brinkShape *const shapes[2] = {a->shape, b->shape};
  for (int i = 0; i < 2; ++i) {
    if (shapes[i]->piece.kind == brink_pieceHalfSpace) continue;
    brinkVec3 half = shapes[i]->obb.half;
    double size = fmax(half.x, fmax(half.y, half.z));
    if (size > 0) smaller = fmin(smaller, size);
    larger = fmax(larger, size);
  }
  return isfinite(smaller) ? smaller : larger > 0 ? larger : 1.0;
}

brinkStatus brinkPairDistanceBelow(brinkContext *context, brinkAdvanceScratch *scratch, const brinkMotionTree *tree,
                                   const brinkCollider *a, const brinkCollider *b, double t, double tolerance,
                                   double enough, brinkPairResult *result, brinkAdvanceWork *work) {
  const brinkAdvanceInput input = {.tree = tree, .a = *a, .b = *b, .tStart = t, .tEnd = t};
  return brinkPairDistanceAtStart(context, scratch, &input, tolerance, enough, result, work);
}

brinkStatus brinkCheckClearanceInput(brinkContext *context, const brinkClearanceInput *input, double *tolerance) {
  if (!(input->tolerance >= 0.0) || !isfinite(input->tolerance))
    return brinkFail(context, brink_errorBadValue, "clearance: tolerance %g; a length > 0, or 0 for the default",
                     input->tolerance);
  if (!(input->required >= 0.0) || !isfinite(input->required))
    return brinkFail(context, brink_errorBadValue, "clearance: required %g; a length > 0, or 0 when it is not asked",
                     input->required);
  if (input->a.shape->piece.kind == brink_pieceHalfSpace && input->b.shape->piece.kind == brink_pieceHalfSpace)
    return brinkFail(context, brink_errorBadValue, "clearance: two planes; at most one side of a pair may be a plane");
  *tolerance = input->tolerance > 0 ? input->tolerance
                                    : fmax(DEFAULT_TOLERANCE * brinkClearanceSize(&input->a, &input->b), DBL_MIN);
  brinkAdvanceInput check = {.tree = input->tree,
                             .a = input->a,
                             .b = input->b,
                             .tStart = input->tStart,
                             .tEnd = input->tEnd,
                             .tolerance = *tolerance,
                             .stopAfter = input->tEnd};
  return brinkCheckAdvanceInput(context, &check);
}

void brinkClearance_Conclude(const brinkClearanceInput *input, brinkClearanceResult *result) {
  result->lower = BRINK_MAX(0.0, BRINK_MIN(result->lower, result->upper));
  result->verdict = brink_gapNotAsked;
  if (input->required > 0)
    result->verdict = result->lower >= input->required  ? brink_gapKept
                      : result->upper < input->required ? brink_gapBroken
                                                        : brink_gapUnproven;
  if (result->upper - result->lower <= result->tolerance)
    result->state = brink_gapSettled;
  else if (result->verdict == brink_gapKept || result->verdict == brink_gapBroken)
    result->state = brink_gapDecided;
  else
    result->state = brink_gapSpent;
}

/* Distances of the whole bodies at a few times: an upper bound to start from, and overlaps found at once. */
static brinkStatus sample(Search *search, brinkAdvanceScratch *advance, brinkClearanceResult *result) {
  const brinkClearanceInput *input = search->input;
  brinkAdvanceWork work = {0, 0, 0};
  brinkPairResult pair;
  const double start = input->tStart;
  brinkAdvanceInput at = {.tree = input->tree,
                          .a = input->a,
                          .b = input->b,
                          .tStart = start,
                          .tEnd = start,
                          .tolerance = result->tolerance,
                          .stopAfter = start};
  bool inside = false;
  brinkStatus status = brinkPairContainment(search->context, advance, &at, &pair, &inside);
  if (status != brink_ok) return status;
  if (inside) {
    search->best = 0.0;
    search->collision = search->sampled = true;
    brinkClearance_TakeSample(&pair, result);
    return brink_ok;
  }
  double span = input->tEnd - input->tStart;
  int count = span > 0 ? SAMPLES : 1;
  for (int i = 0; i < count && !search->collision && work.distanceQueries < SAMPLE_QUERIES; ++i) {
    double t = i + 1 == count && i > 0 ? input->tEnd : input->tStart + span * i / (SAMPLES - 1);
    status = brinkPairDistanceBelow(search->context, advance, input->tree, &input->a, &input->b, t,
                                    0.1 * result->tolerance, search->best, &pair, &work);
    if (status != brink_ok) return status;
    if (pair.state != brink_overlap && !(pair.distance < search->best)) continue;
    uint32_t moment = addMoment(search, t);
    if (search->status != brink_ok) return search->status;
    double upper = brinkUp(pair.distance + search->scratch->moments[moment].slack);
    search->scratch->momentCount = moment;
    if (pair.state == brink_overlap) upper = 0.0;
    if (!(upper < search->best)) continue;
    search->best = upper;
    search->collision = pair.state == brink_overlap;
    search->sampled = true;
    brinkClearance_TakeSample(&pair, result);
  }
  search->iterations += work.distanceQueries;
  return brink_ok;
}

static brinkStatus measureClearance(brinkContext *context, brinkClearanceScratch *scratch, brinkAdvanceScratch *advance,
                                    const brinkClearanceInput *input, brinkClearanceResult *result) {
  brinkClearanceResult found;
  memset(&found, 0, sizeof found);
  brinkStatus status = brinkCheckClearanceInput(context, input, &found.tolerance);
  if (status != brink_ok) return status;
  Search search = {.context = context,
                   .scratch = scratch,
                   .input = input,
                   .a = brinkMakeNodeSide(&input->a, &input->b),
                   .b = brinkMakeNodeSide(&input->b, &input->a),
                   .ancestor = brinkMotionTree_CommonAncestor(input->tree, input->a.link, input->b.link),
                   .target = TARGET * found.tolerance,
                   .best = INFINITY,
                   .dropped = INFINITY,
                   .stuck = INFINITY,
                   .budget = input->maxIterations != 0u ? input->maxIterations : DEFAULT_ITERATIONS,
                   .status = brink_ok};
  scratch->momentCount = scratch->cellCount = scratch->heapCount = scratch->carriedCount = 0;
  status = sample(&search, advance, &found);
  if (status != brink_ok) return status;
  bool decided = search.collision || search.best < input->required;
  if (!search.collision) start(&search);
  if (!decided) run(&search);
  if (search.status != brink_ok) return search.status;
  found.lower = leastOf(&search);
  if (search.collision) found.lower = 0.0;
  found.upper = search.best;
  found.collision = search.collision;
  found.iterations = search.iterations;
  if (!search.sampled) fillWitness(&search, &found);
  brinkClearance_Conclude(input, &found);
  *result = found;
  return brink_ok;
}

/* ---- far from the origin */

/* Where the part of a side that is at rest in the world begins: the place of its topmost link, or of the collider
 * itself; NULL: that link follows a path of its own. */
static const brinkVec3 *placeOfRoot(const brinkMotionTree *tree, const brinkCollider *side, int32_t *root) {
  *root = side->link;
  while (*root >= 0 && tree->links[*root].parent >= 0) *root = tree->links[*root].parent;
  if (*root < 0) return &side->local.p;
  return tree->links[*root].path == NULL ? &tree->links[*root].t0 : NULL;
}

static void shiftRoot(brinkLinkMotion *links, brinkCollider *side, int32_t root, brinkVec3 by) {
  brinkVec3 *place = root < 0 ? &side->local.p : &links[root].t0;
  *place = brinkSub(*place, by);
}

/* Distances do not change when both bodies are moved by the same: where the rounding of places far from the origin
 * would hide more than the tolerance can bear, A's place becomes the origin. The difference of the places is rounded by
 * less than the slack of places of its size. */
brinkStatus brinkMeasureClearance(brinkContext *context, brinkClearanceScratch *scratch, brinkAdvanceScratch *advance,
                                  const brinkClearanceInput *input, brinkClearanceResult *result) {
  double tolerance;
  int32_t rootA, rootB;
  brinkStatus status = brinkCheckClearanceInput(context, input, &tolerance);
  if (status != brink_ok) return status;
  const brinkVec3 *placeA = placeOfRoot(input->tree, &input->a, &rootA),
                  *placeB = placeOfRoot(input->tree, &input->b, &rootB);
  bool apart = placeA != NULL && placeB != NULL && (rootA != rootB || rootA < 0);
  if (!apart || !(64 * EPS * fmax(brinkLength(*placeA), brinkLength(*placeB)) > FAR_SHARE * tolerance))
    return measureClearance(context, scratch, advance, input, result);
  size_t count = (size_t)input->tree->linkCount;
  void *block = scratch->links;
  status = brinkReserve(context, &block, &scratch->linkCapacity, count, sizeof *scratch->links);
  scratch->links = block;
  if (status != brink_ok) return status;
  if (count > 0) memcpy(scratch->links, input->tree->links, count * sizeof *scratch->links);
  const brinkVec3 by = *placeA;
  brinkMotionTree tree = {.links = scratch->links, .linkCount = input->tree->linkCount};
  brinkClearanceInput moved = *input;
  moved.tree = &tree;
  moved.tolerance = tolerance;
  shiftRoot(scratch->links, &moved.a, rootA, by);
  shiftRoot(scratch->links, &moved.b, rootB, by);
  status = measureClearance(context, scratch, advance, &moved, result);
  if (status != brink_ok) return status;
  result->pointA = brinkAdd(result->pointA, by);
  result->pointB = brinkAdd(result->pointB, by);
  return brink_ok;
}
