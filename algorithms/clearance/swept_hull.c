/* SPDX-License-Identifier: BSD-3-Clause */
/* Distance of the volumes that two moving colliders sweep. Best first over (node of A, node of B, cell of time of A,
 * cell of time of B): GJK over the support mappings of the two swept nodes proposes a direction, the support values
 * along it prove the bound, two real points give the other side; what is largest (either node, either sweep) is split.
 *
 * One vertex q' = R0 q under x(t) = T0 + t v + E(t w) q' along n (theory D6.1, a = w/th):
 *   n.x(t) = n.T0 + C + c1 t + A cos(th t) + B sin(th t),   C = (n.a)(a.q'), A = n.q' - C, B = n.(a x q'), c1 = n.v
 * largest at the ends or at th t = psi + asin(c1/(th rho)) + 2 pi k, rho = hypot(A,B), psi = atan2(B,A).
 * Vertex j overtakes i (q = p_j - p_i) at th t = psi - acos(-C/rho) + 2 pi k (6.2). Rounding: values are raised by
 * 64 eps |n| (|T0| + |v| + |q| (1 + th)), more than all products above can lose. */
#include "swept_hull.h"

#ifdef BRINK_SWEPT_HULL

#include "gjk.h"
#include "interval.h"
#include "node_view.h"

#define EPS DBL_EPSILON
#define TWO_PI 6.283185307179586476925286766559
#define DEFAULT_ITERATIONS 200000u
#define TARGET 0.75
#define SAMPLES 5
#define DESCENTS 8

/* ---- one swept piece */

typedef struct Sweep { /* an exact piece along one direction */
  const brinkSweptPiece *swept;
  brinkVec3 n, axis;
  brinkMat3 start;                 /* R0 local.r */
  brinkVec3 arm;                   /* R0 local.p */
  double angle, base, slope, size; /* th; n.(T0 - centre); n.v; |T0 - centre| + |v| */
} Sweep;

static const brinkLinkMotion *motionOf(const brinkSweptPiece *swept) {
  return swept->link >= 0 ? &swept->tree->links[swept->link] : NULL;
}

bool brinkSweptPiece_IsExact(const brinkSweptPiece *swept) {
  const brinkLinkMotion *motion = motionOf(swept);
  bool polytope = swept->piece->kind == brink_piecePoints || swept->piece->kind == brink_pieceBox;
  return polytope && (motion == NULL || (motion->parent < 0 && motion->path == NULL));
}

static Sweep makeSweep(const brinkSweptPiece *swept, brinkVec3 n) {
  const brinkLinkMotion *motion = motionOf(swept);
  Sweep s = {.swept = swept, .n = n, .axis = {1, 0, 0}};
  brinkVec3 from = brinkNeg(swept->centre), v = {0, 0, 0};
  s.start = swept->local.r;
  s.arm = swept->local.p;
  if (motion != NULL) {
    from = brinkSub(motion->t0, swept->centre);
    v = motion->v;
    s.start = brinkMulMM(&motion->r0, &swept->local.r);
    s.arm = brinkMulMV(&motion->r0, swept->local.p);
    s.angle = motion->angle;
    s.axis = motion->axis;
  }
  s.base = brinkDot(n, from);
  s.slope = brinkDot(n, v);
  s.size = brinkLength(from) + brinkLength(swept->centre) + brinkLength(v);
  return s;
}

static uint32_t vertexCount(const brinkPiece *piece) { return piece->kind == brink_pieceBox ? 8u : piece->count; }

static brinkVec3 startOf(const Sweep *s, uint32_t vertex) {
  return brinkAdd(s->arm, brinkMulMV(&s->start, brinkPiece_Vertex(s->swept->piece, vertex)));
}

/* The wave of a vector that turns with the link: C + A cos + B sin. */
typedef struct Wave {
  double constant, cosine, sine;
} Wave;

static Wave waveOf(const Sweep *s, brinkVec3 q) {
  double along = brinkDot(s->n, s->axis) * brinkDot(s->axis, q);
  return (Wave){along, brinkDot(s->n, q) - along, brinkDot(s->n, brinkCross(s->axis, q))};
}

static double waveAt(const Sweep *s, const Wave *wave, double t) {
  return wave->constant + wave->cosine * cos(s->angle * t) + wave->sine * sin(s->angle * t);
}

static double valueAt(const Sweep *s, const Wave *wave, double t) {
  return s->base + s->slope * t + waveAt(s, wave, t);
}

static void tryTime(const Sweep *s, const Wave *wave, double t, double *best, double *at) {
  double value = valueAt(s, wave, t);
  if (!(value > *best)) return;
  *best = value;
  *at = t;
}

/* Raises *best to the largest value of the vertex on [t0,t1] when that is larger. */
static void vertexMaximum(const Sweep *s, const Wave *wave, double t0, double t1, double *best, double *at) {
  double rho = hypot(wave->cosine, wave->sine);
  if (!(s->base + wave->constant + rho + fmax(s->slope * t0, s->slope * t1) > *best)) return;
  tryTime(s, wave, t0, best, at);
  tryTime(s, wave, t1, best, at);
  double steepest = s->angle * rho;
  if (!(steepest > 0) || fabs(s->slope) > steepest) return;
  double phase = atan2(wave->sine, wave->cosine) + asin(s->slope / steepest);
  double first = ceil((s->angle * t0 - phase) / TWO_PI), last = floor((s->angle * t1 - phase) / TWO_PI);
  if (first > last) return;
  tryTime(s, wave, BRINK_MIN(fmax((phase + TWO_PI * first) / s->angle, t0), t1), best, at);
  tryTime(s, wave, BRINK_MIN(fmax((phase + TWO_PI * last) / s->angle, t0), t1), best, at);
}

/* Time in [t, end) from which vertex j lies further than the present one; INFINITY: not before the end. */
static double overtakes(const Sweep *s, brinkVec3 q, double t, double end) {
  Wave wave = waveOf(s, q);
  double rho = hypot(wave.cosine, wave.sine), noise = 32 * EPS * (fabs(wave.constant) + rho) * (1 + s->angle);
  if (waveAt(s, &wave, t) > noise) return t;
  if (!(rho > fabs(wave.constant)) || !(s->angle > 0)) return INFINITY;
  double phase = atan2(wave.sine, wave.cosine) - acos(-wave.constant / rho);
  /* A crossing that rounding puts just before t (two at once) is one at t. */
  double when = (phase + TWO_PI * ceil((s->angle * t - phase) / TWO_PI - 1e-12)) / s->angle;
  when = fmax(when, t);
  return when < end ? when : HUGE_VAL;
}

static uint32_t furthestAt(const Sweep *s, double t) {
  /* n turned back by the link's rotation, then into the shape's frame */
  brinkMat3 back = brinkExp3(brinkScale(s->axis, -s->angle * t));
  brinkVec3 d = brinkTMulMV(&s->start, brinkMulMV(&back, s->n)), point;
  return brinkPiece_Support(s->swept->piece, d, 0u, &point);
}

typedef struct Walk {
  uint32_t vertex;
  double t, until; /* the vertex is furthest during [t, until] */
  size_t steps, limit;
} Walk;

/* Who overtakes the vertex first after walk->t? Sets until and returns the heir (vertex itself: nobody). */
static uint32_t nextVertex(const Sweep *s, Walk *walk) {
  const brinkPiece *piece = s->swept->piece;
  bool graph = piece->kind == brink_piecePoints && piece->neighborStart != NULL;
  uint32_t first = graph ? piece->neighborStart[walk->vertex] : 0u;
  uint32_t last = graph ? piece->neighborStart[walk->vertex + 1u] : vertexCount(piece), heir = walk->vertex;
  brinkVec3 here = brinkMulMV(&s->start, brinkPiece_Vertex(piece, walk->vertex));
  walk->until = s->swept->t1;
  for (uint32_t k = first; k < last; ++k) {
    uint32_t j = graph ? piece->neighbors[k] : k;
    if (j == walk->vertex) continue;
    brinkVec3 q = brinkSub(brinkMulMV(&s->start, brinkPiece_Vertex(piece, j)), here);
    double when = overtakes(s, q, walk->t, walk->until);
    if (!(when < walk->until)) continue;
    walk->until = when;
    heir = j;
  }
  return heir;
}

/* The walk over the polytope; visit is told each vertex with its interval. False: it did not end as geometry says it
 * must (rounding): look at all vertices instead. */
static bool walkVertices(const Sweep *s, void (*visit)(void *user, const Walk *walk), void *user) {
  Walk walk = {.t = s->swept->t0};
  walk.vertex = furthestAt(s, walk.t);
  double turns = 1 + s->angle * (s->swept->t1 - s->swept->t0) / TWO_PI;
  walk.limit = (size_t)fmin(1e6, 64 + 8 * turns * vertexCount(s->swept->piece));
  for (;;) {
    uint32_t heir = nextVertex(s, &walk);
    visit(user, &walk);
    if (heir == walk.vertex) return true;
    if (++walk.steps > walk.limit) return false;
    walk.vertex = heir;
    walk.t = walk.until;
  }
}

typedef struct EventList {
  brinkSweptEvent *events;
  size_t count, capacity;
} EventList;

static void noteEvent(void *user, const Walk *walk) {
  EventList *list = user;
  if (!(walk->until > walk->t) && walk->steps > 0) return; /* of no duration: a tie on the way */
  if (list->count < list->capacity) list->events[list->count] = (brinkSweptEvent){walk->t, walk->vertex};
  ++list->count;
}

size_t brinkSweptPiece_Events(const brinkSweptPiece *swept, brinkVec3 n, brinkSweptEvent *events, size_t capacity) {
  if (!brinkSweptPiece_IsExact(swept)) return 0;
  Sweep s = makeSweep(swept, n);
  EventList list = {events, 0, capacity};
  walkVertices(&s, noteEvent, &list);
  return list.count;
}

typedef struct Furthest {
  const Sweep *sweep;
  double value, at;
  uint32_t vertex;
} Furthest;

static void noteFurthest(void *user, const Walk *walk) {
  Furthest *f = user;
  Wave wave = waveOf(f->sweep, startOf(f->sweep, walk->vertex));
  double before = f->value;
  vertexMaximum(f->sweep, &wave, walk->t, walk->until, &f->value, &f->at);
  if (f->value > before) f->vertex = walk->vertex;
}

static brinkRigid poseAt(const brinkSweptPiece *swept, double t) {
  brinkRigid link = brinkMotionTree_Pose(swept->tree, swept->link, -1, t);
  brinkRigid pose = brinkCompose(&link, &swept->local);
  pose.p = brinkSub(pose.p, swept->centre);
  return pose;
}

static Furthest furthestOf(const Sweep *s) {
  Furthest f = {s, -INFINITY, s->swept->t0, 0u};
  if (s->swept->link < 0 || s->angle == 0) { /* no turn: the vertex stays */
    Walk walk = {.vertex = furthestAt(s, s->swept->t0), .t = s->swept->t0, .until = s->swept->t1};
    noteFurthest(&f, &walk);
    return f;
  }
  if (walkVertices(s, noteFurthest, &f)) return f;
  for (uint32_t i = 0; i < vertexCount(s->swept->piece); ++i) {
    Walk walk = {.vertex = i, .t = s->swept->t0, .until = s->swept->t1};
    noteFurthest(&f, &walk);
  }
  return f;
}

brinkVec3 brinkSweptPiece_Support(const brinkSweptPiece *swept, brinkVec3 n, double *time) {
  brinkVec3 best = {0, 0, 0};
  if (brinkSweptPiece_IsExact(swept)) {
    Sweep s = makeSweep(swept, n);
    Furthest f = furthestOf(&s);
    *time = f.at;
    brinkRigid pose = poseAt(swept, f.at);
    return brinkApply(&pose, brinkPiece_Vertex(swept->piece, f.vertex));
  }
  double value = -INFINITY;
  *time = swept->t0;
  for (int i = 0; i < 3; ++i) {
    double t = i == 0 ? swept->t0 : i == 1 ? swept->t1 : swept->t0 + 0.5 * (swept->t1 - swept->t0);
    brinkRigid pose = poseAt(swept, t);
    brinkVec3 point;
    brinkPiece_Support(swept->piece, brinkTMulMV(&pose.r, n), 0u, &point);
    point = brinkApply(&pose, point);
    if (!(brinkDot(n, point) > value)) continue;
    value = brinkDot(n, point);
    best = point;
    *time = t;
  }
  return best;
}

/* Exact up to rounding: every vertex over the whole interval, those that cannot matter skipped by their amplitude. */
static double exactValue(const brinkSweptPiece *swept, brinkVec3 n) {
  Sweep s = makeSweep(swept, n);
  Furthest f = furthestOf(&s);
  for (uint32_t i = 0; i < vertexCount(swept->piece); ++i) {
    Wave wave = waveOf(&s, startOf(&s, i));
    vertexMaximum(&s, &wave, swept->t0, swept->t1, &f.value, &f.at);
  }
  const brinkPiece *piece = swept->piece;
  double reach = brinkLength(swept->local.p) + brinkLength(piece->center) + piece->boundRadius;
  double length = brinkLength(n);
  return f.value + length * (piece->radius * (1 + 8 * EPS) + 64 * EPS * (s.size + reach * (1 + s.angle)));
}

/* From the ends of the interval: the larger one plus what second derivatives, or speeds, allow in between. */
static double boundedValue(const brinkSweptPiece *swept, brinkVec3 n) {
  const brinkPiece *piece = swept->piece;
  brinkLinkRate rate;
  brinkMotionTree_Rate(swept->tree, swept->link, -1, swept->t0, swept->t1, &rate);
  double value[2], length = brinkLength(n) * (1 + 8 * EPS), h = brinkUp(swept->t1 - swept->t0);
  double reach = (brinkLength(swept->local.p) + brinkLength(piece->center) + piece->boundRadius) * (1 + 8 * EPS),
         size = 0;
  for (int i = 0; i < 2; ++i) {
    brinkRigid pose = poseAt(swept, i == 0 ? swept->t0 : swept->t1);
    value[i] = brinkDot(n, pose.p) + brinkPiece_SupportValue(piece, brinkTMulMV(&pose.r, n));
    size = fmax(size, brinkLength(pose.p) + brinkLength(swept->centre));
  }
  double slack = 2 * (rate.poseError + rate.poseErrorSlope * reach) + 64 * EPS * (size + reach + piece->radius);
  double travel = (rate.speedBase + rate.speedSlope * reach) * length * h;
  double bulge = (rate.accelBase + rate.accelSlope * reach) * length * h * h / 8;
  double byChord = fmax(value[0], value[1]) + bulge, bySpeed = 0.5 * (value[0] + value[1] + travel);
  bySpeed = fmax(bySpeed, fmax(value[0], value[1]));
  double top = byChord < bySpeed ? byChord : bySpeed;
  return isnan(top) ? HUGE_VAL : top + length * slack;
}

double brinkSweptPiece_SupportValue(const brinkSweptPiece *swept, brinkVec3 n) {
  return brinkSweptPiece_IsExact(swept) ? exactValue(swept, n) : boundedValue(swept, n);
}

/* ---- the search */

typedef struct Entry {
  double lower;
  double t[2][2]; /* [side][start, end] */
  uint32_t ref[2];
  uint32_t order;
  bool exact;
  brinkVec3 n;
} Entry;

typedef struct Search {
  brinkContext *context;
  const brinkClearanceInput *input;
  brinkNodeSide side[2];
  brinkVec3 centre;
  double target, best, dropped, stuck;
  bool collision;
  brinkClearanceResult *result; /* witnesses of the best */
  Entry *heap;
  size_t count, capacity;
  uint32_t order;
  uint64_t iterations, budget;
  brinkStatus status;
} Search;

static bool comesFirst(const Entry *x, const Entry *y) {
  return x->lower != y->lower ? x->lower < y->lower : x->order > y->order; /* ties: the latest, which is the finest */
}

static void pushEntry(Search *search, Entry *entry) {
  void *block = search->heap;
  search->status = brinkReserve(search->context, &block, &search->capacity, search->count + 1u, sizeof(Entry));
  search->heap = block;
  if (search->status != brink_ok) return;
  entry->order = search->order++;
  size_t at = search->count++;
  for (; at > 0 && comesFirst(entry, &search->heap[(at - 1) / 2]); at = (at - 1) / 2)
    search->heap[at] = search->heap[(at - 1) / 2];
  search->heap[at] = *entry;
}

static Entry popEntry(Search *search) {
  Entry top = search->heap[0], last = search->heap[--search->count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= search->count) break;
    if (child + 1 < search->count && comesFirst(&search->heap[child + 1], &search->heap[child])) ++child;
    if (!comesFirst(&search->heap[child], &last)) break;
    search->heap[at] = search->heap[child];
    at = child;
  }
  if (search->count > 0) search->heap[at] = last;
  return top;
}

static brinkSweptPiece sweptOf(const Search *search, const Entry *entry, int k, const brinkNodeView *view) {
  const brinkNodeSide *side = &search->side[k];
  return (brinkSweptPiece){view->piece,    search->input->tree, side->link,    side->local,
                           entry->t[k][0], entry->t[k][1],      search->centre};
}

static double reachOf(const brinkNodeSide *side, const brinkPiece *piece) {
  return brinkLength(side->local.p) + brinkLength(piece->center) + piece->boundRadius;
}

/* How far the piece may move during the entry's cell. */
static double travelOf(const Search *search, const Entry *entry, int k, const brinkNodeView *view) {
  const brinkNodeSide *side = &search->side[k];
  if (side->link < 0 || !(entry->t[k][1] > entry->t[k][0])) return 0.0;
  brinkLinkRate rate;
  brinkMotionTree_Rate(search->input->tree, side->link, -1, entry->t[k][0], entry->t[k][1], &rate);
  return (rate.speedBase + rate.speedSlope * reachOf(side, view->piece)) * (entry->t[k][1] - entry->t[k][0]);
}

static uint32_t triangleOf(const brinkNodeSide *side, uint32_t ref) {
  if (ref == BRINK_REF_WHOLE) return 0;
  uint32_t slot = (ref & BRINK_REF_TRIANGLE) != 0u ? ref & ~BRINK_REF_TRIANGLE
                                                   : brinkHullTree_Record(side->tree, ref)->firstTriangle;
  return brinkHullTree_TriangleId(side->tree, slot);
}

/* Distance of two exact pieces at two times: a candidate for the best. Returns it with the witnesses (minus centre). */
static double distanceAt(Search *search, const Entry *entry, const brinkNodeView views[2], const double t[2],
                         brinkSeparation *separation) {
  brinkRigid pose[2];
  double slack = 0.0;
  for (int k = 0; k < 2; ++k) {
    const brinkNodeSide *side = &search->side[k];
    brinkSweptPiece at = {views[k].piece, search->input->tree, side->link, side->local, t[k], t[k], search->centre};
    pose[k] = poseAt(&at, t[k]);
    brinkLinkRate rate = {.pose = brinkIdentityRigid()};
    double reach = reachOf(side, views[k].piece);
    if (side->link >= 0) brinkMotionTree_Rate(search->input->tree, side->link, -1, t[k], t[k], &rate);
    slack += rate.poseError + rate.poseErrorSlope * reach +
             32 * EPS * (brinkLength(rate.pose.p) + brinkLength(search->centre) + reach);
  }
  brinkGjkLimits limits = {1e-12, 0.02 * search->target, INFINITY, -1.0, 0u};
  brinkGjk(views[0].piece, &pose[0], views[1].piece, &pose[1], &limits, NULL, separation);
  double upper = separation->overlap ? 0.0 : brinkUp(separation->upper + slack);
  if (!(upper < search->best)) return upper;
  brinkClearanceResult *result = search->result;
  search->best = upper;
  search->collision = separation->overlap;
  result->timeA = t[0];
  result->timeB = t[1];
  result->pointA = brinkAdd(separation->pointA, search->centre);
  result->pointB = brinkAdd(separation->pointB, search->centre);
  result->normal = separation->normal;
  result->kindA = result->kindB = 0u;
  brinkWitnessFeatures(views[0].piece, views[1].piece, separation, &result->kindA, result->featureA, &result->kindB,
                       result->featureB);
  result->pieceA = triangleOf(&search->side[0], entry->ref[0]);
  result->pieceB = triangleOf(&search->side[1], entry->ref[1]);
  return upper;
}

static brinkVec3 velocityAt(const Search *search, int k, double t, brinkVec3 point) {
  const brinkNodeSide *side = &search->side[k];
  if (side->link < 0) return brinkV3(0, 0, 0);
  brinkLinkRate rate;
  brinkMotionTree_Rate(search->input->tree, side->link, -1, t, t, &rate);
  return brinkAdd(rate.velocity, brinkCross(rate.omega, brinkSub(brinkAdd(point, search->centre), rate.pose.p)));
}

/* From the proposed times downhill: both witnesses on straight lines, the closest times by least squares, within the
 * cells. */
static void descend(Search *search, const Entry *entry, const brinkNodeView views[2], double t[2]) {
  brinkSeparation separation;
  double present = distanceAt(search, entry, views, t, &separation), part = 1.0;
  for (int i = 0; i < DESCENTS && present > 0.0; ++i) {
    brinkVec3 r = brinkSub(separation.pointB, separation.pointA);
    brinkVec3 va = velocityAt(search, 0, t[0], separation.pointA), vb = velocityAt(search, 1, t[1], separation.pointB);
    double aa = brinkDot(va, va), bb = brinkDot(vb, vb), ab = brinkDot(va, vb), damp = 1e-9 * (aa + bb) + DBL_MIN;
    double ra = brinkDot(va, r), rb = -brinkDot(vb, r);
    double determinant = (aa + damp) * (bb + damp) - ab * ab;
    if (!(determinant > 0.0)) return;
    double step[2] = {((bb + damp) * ra + ab * rb) / determinant, ((aa + damp) * rb + ab * ra) / determinant}, next[2];
    for (int k = 0; k < 2; ++k) next[k] = fmin(fmax(t[k] + part * step[k], entry->t[k][0]), entry->t[k][1]);
    if (!isfinite(next[0]) || !isfinite(next[1]) || (next[0] == t[0] && next[1] == t[1])) return;
    brinkSeparation tried;
    double value = distanceAt(search, entry, views, next, &tried);
    if (value < present) {
      bool done = present - value < 0.01 * search->target;
      present = value;
      separation = tried;
      t[0] = next[0];
      t[1] = next[1];
      if (done) return;
    } else {
      part *= 0.25;
    }
  }
}

/* Support mappings for GJK, which only proposes. */
static void supportOf(void *user, const double direction[3], double point[3]) {
  double time;
  brinkVec3 p = brinkSweptPiece_Support(user, brinkV3_FromArray(direction), &time);
  point[0] = p.x;
  point[1] = p.y;
  point[2] = p.z;
}

static double gapAlong(const brinkSweptPiece swept[2], brinkVec3 n) {
  double length = brinkLength(n);
  if (!(length > 0.0)) return -INFINITY;
  double a = brinkSweptPiece_SupportValue(&swept[0], n), b = brinkSweptPiece_SupportValue(&swept[1], brinkNeg(n));
  double gap = -(a + b), size = fabs(a) + fabs(b);
  gap = (gap - 4 * EPS * size) / length;
  return gap - 8 * EPS * fabs(gap);
}

static brinkVec3 propose(brinkSweptPiece swept[2], brinkVec3 guess, double bound, double tolerance) {
  brinkSupportSource sources[2];
  brinkPiece pieces[2];
  for (int k = 0; k < 2; ++k) {
    sources[k] = (brinkSupportSource){supportOf, &swept[k], bound, 1e-14 * bound};
    pieces[k] = (brinkPiece){
        .kind = brink_pieceSupport, .support = &sources[k], .boundRadius = bound, .radius = swept[k].piece->radius};
  }
  brinkRigid identity = brinkIdentityRigid();
  brinkGjkLimits limits = {1e-10, 0.05 * tolerance, INFINITY, 0.0, 32u};
  brinkGjkCache warm = {0};
  warm.normal = guess;
  brinkSeparation separation;
  brinkGjk(&pieces[0], &identity, &pieces[1], &identity, &limits, &warm, &separation);
  return separation.normal;
}

static double boundOf(const Search *search, const Entry *entry, int k, const brinkNodeView *view) {
  brinkSweptPiece swept = sweptOf(search, entry, k, view);
  brinkRigid pose = poseAt(&swept, entry->t[k][0]);
  return 1.01 * (brinkLength(brinkApply(&pose, view->piece->center)) + view->piece->boundRadius +
                 travelOf(search, entry, k, view));
}

/* Bounds of the entry; pushes it when it can still matter. */
static void evaluate(Search *search, Entry *entry) {
  brinkNodeView views[2];
  for (int k = 0; k < 2; ++k) brinkNodeView_Load(&search->side[k], entry->ref[k], &views[k]);
  entry->exact = views[0].exact && views[1].exact;
  brinkSweptPiece swept[2] = {sweptOf(search, entry, 0, &views[0]), sweptOf(search, entry, 1, &views[1])};
  ++search->iterations;
  double required = search->input->required;
  double bar = search->best - search->target;
  if (required > 0.0 && required < bar) bar = required;
  entry->lower = fmax(entry->lower, gapAlong(swept, entry->n));
  if (entry->lower < bar) {
    double bound = fmax(boundOf(search, entry, 0, &views[0]), boundOf(search, entry, 1, &views[1]));
    if (isfinite(bound)) {
      brinkVec3 n = propose(swept, entry->n, bound, search->target);
      double gap = gapAlong(swept, n);
      if (gap > entry->lower || brinkLength(entry->n) == 0.0) entry->n = n;
      entry->lower = fmax(entry->lower, gap);
    }
  }
  if (entry->exact && entry->lower < bar) {
    double t[2];
    brinkSweptPiece_Support(&swept[0], entry->n, &t[0]);
    brinkSweptPiece_Support(&swept[1], brinkNeg(entry->n), &t[1]);
    descend(search, entry, views, t);
    bar = search->best - search->target;
    if (required > 0.0 && required < bar) bar = required;
  }
  entry->lower = fmax(0.0, entry->lower);
  if (entry->lower >= bar)
    search->dropped = fmin(search->dropped, entry->lower);
  else
    pushEntry(search, entry);
}

static void splitTime(Search *search, const Entry *entry, int k) {
  double middle = entry->t[k][0] + 0.5 * (entry->t[k][1] - entry->t[k][0]);
  if (!(middle > entry->t[k][0] && middle < entry->t[k][1])) {
    search->stuck = fmin(search->stuck, entry->lower);
    return;
  }
  for (int i = 0; i < 2 && search->status == brink_ok; ++i) {
    Entry child = *entry;
    child.t[k][1 - i] = middle;
    evaluate(search, &child);
  }
}

static void refine(Search *search, const Entry *entry) {
  brinkNodeView views[2];
  double size[4];
  for (int k = 0; k < 2; ++k) {
    brinkNodeView_Load(&search->side[k], entry->ref[k], &views[k]);
    size[k] = views[k].exact ? 0.0 : brinkNodeView_Size(&views[k]);
    size[2 + k] = 0.5 * travelOf(search, entry, k, &views[k]);
  }
  int largest = 0;
  for (int i = 1; i < 4; ++i)
    if (size[i] > size[largest]) largest = i;
  if (!(size[largest] > 0.0)) {
    search->stuck = fmin(search->stuck, entry->lower);
  } else if (largest >= 2) {
    splitTime(search, entry, largest - 2);
  } else {
    for (uint32_t i = 0; i < brinkNodeView_ChildCount(&views[largest]) && search->status == brink_ok; ++i) {
      Entry child = *entry;
      child.ref[largest] = brinkNodeView_Child(&views[largest], i);
      evaluate(search, &child);
    }
  }
}

static void run(Search *search) {
  while (search->status == brink_ok && search->count > 0 && search->iterations < search->budget) {
    double bar = search->best - search->target, required = search->input->required;
    if (search->collision || search->best < required) return;
    if (required > 0.0 && required < bar) bar = required;
    if (search->heap[0].lower >= bar) return;
    Entry entry = popEntry(search);
    refine(search, &entry);
  }
}

static double slackAt(const Search *search, double t) {
  double slack = 0.0;
  for (int k = 0; k < 2; ++k) {
    const brinkNodeSide *side = &search->side[k];
    brinkLinkRate rate = {.pose = brinkIdentityRigid()};
    if (side->link >= 0) brinkMotionTree_Rate(search->input->tree, side->link, -1, t, t, &rate);
    double reach = reachOf(side, &side->shape->piece);
    slack += rate.poseError + rate.poseErrorSlope * reach + 32 * EPS * (brinkLength(rate.pose.p) + reach);
  }
  return 2.0 * slack;
}

/* Equal times first: containment, overlaps, an upper bound to start from. */
static brinkStatus sample(Search *search, brinkAdvanceScratch *advance) {
  const brinkClearanceInput *input = search->input;
  brinkAdvanceWork work = {0, 0, 0};
  brinkPairResult pair;
  brinkAdvanceInput at = {.tree = input->tree,
                          .a = input->a,
                          .b = input->b,
                          .tStart = input->tStart,
                          .tEnd = input->tStart,
                          .tolerance = search->result->tolerance,
                          .stopAfter = input->tStart};
  bool inside = false;
  brinkStatus status = brinkPairContainment(search->context, advance, &at, &pair, &inside);
  if (status != brink_ok) return status;
  if (inside) {
    search->best = 0.0;
    search->collision = true;
    brinkClearance_TakeSample(&pair, search->result);
    return brink_ok;
  }
  for (int i = 0; i < SAMPLES && !search->collision; ++i) {
    double t = i + 1 == SAMPLES ? input->tEnd : input->tStart + (input->tEnd - input->tStart) * i / (SAMPLES - 1);
    status = brinkPairDistanceBelow(search->context, advance, input->tree, &input->a, &input->b, t,
                                    0.1 * search->result->tolerance, search->best, &pair, &work);
    if (status != brink_ok) return status;
    bool overlap = pair.state == brink_overlap;
    double upper = overlap ? 0.0 : brinkUp(pair.distance + slackAt(search, t));
    if (!(upper < search->best)) continue;
    search->best = upper;
    search->collision = overlap;
    brinkClearance_TakeSample(&pair, search->result);
  }
  return brink_ok;
}

brinkStatus brinkMeasureSweptClearance(brinkContext *context, brinkClearanceScratch *scratch,
                                       brinkAdvanceScratch *advance, const brinkClearanceInput *input,
                                       brinkClearanceResult *result) {
  brinkClearanceResult found;
  memset(&found, 0, sizeof found);
  brinkStatus status = brinkCheckClearanceInput(context, input, &found.tolerance);
  if (status != brink_ok) return status;
  if (input->a.shape->piece.kind == brink_pieceHalfSpace || input->b.shape->piece.kind == brink_pieceHalfSpace)
    return brinkFail(context, brink_errorBadValue,
                     "swept clearance: a plane has no swept hull; ask for the clearance instead");
  Search search = {.context = context,
                   .input = input,
                   .side = {brinkMakeNodeSide(&input->a, &input->b), brinkMakeNodeSide(&input->b, &input->a)},
                   .target = TARGET * found.tolerance,
                   .best = INFINITY,
                   .dropped = INFINITY,
                   .stuck = INFINITY,
                   .result = &found,
                   .budget = input->maxIterations != 0u ? input->maxIterations : DEFAULT_ITERATIONS,
                   .status = brink_ok};
  brinkRigid link = brinkMotionTree_Pose(input->tree, input->a.link, -1, input->tStart);
  search.centre = brinkApply(&link, brinkApply(&input->a.local, input->a.shape->piece.center));
  void **memory = brinkClearanceScratch_Block(scratch);
  size_t *capacity = brinkClearanceScratch_BlockCapacity(scratch);
  search.heap = *memory;
  search.capacity = *capacity / sizeof(Entry);
  status = sample(&search, advance);
  if (status == brink_ok && !search.collision) {
    Entry root = {.t = {{input->tStart, input->tEnd}, {input->tStart, input->tEnd}},
                  .ref = {brinkNodeSide_Root(&search.side[0]), brinkNodeSide_Root(&search.side[1])},
                  .n = {0, 0, 0}};
    bool decided = search.best < input->required;
    evaluate(&search, &root);
    if (!decided) run(&search);
    status = search.status;
  }
  *memory = search.heap;
  *capacity = search.capacity * sizeof(Entry);
  if (status != brink_ok) return status;
  found.lower = fmin(search.dropped, search.stuck);
  if (search.count > 0) found.lower = fmin(found.lower, search.heap[0].lower);
  if (search.collision) found.lower = 0.0;
  found.upper = search.best;
  found.collision = search.collision;
  found.iterations = search.iterations;
  brinkClearance_Conclude(input, &found);
  *result = found;
  return brink_ok;
}

#else

typedef int brinkSweptHullIsNotBuilt; /* ISO C forbids an empty translation unit */

#endif
