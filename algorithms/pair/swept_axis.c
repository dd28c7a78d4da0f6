/* SPDX-License-Identifier: BSD-3-Clause */
/* Swept separating axes: intervals (poses, relative acceleration, jerk bound), exact leaves, the march of two convex
 * pieces, and the answer. The traversal itself is swept_axis_body.h. Symbols: q = origin of X seen from the origin of
 * W, w, v, a, al = angular velocity, velocity, acceleration, angular acceleration of a link in the pair's frame
 * (deepest common ancestor). Derivations and rounding: docs/theory.md 6, 7. */
#include "swept_axis.h"

#include "epa.h"
#include "largest_product.h"
#include "likely_normal.h"
#include "revolution.h"
#include "simd.h"
#include "swept_axis_interval.h"

#define LEAF_STEPS 400u /* exact steps of one leaf before it is called undecided */
#define SLOW_STEPS 8u   /* after so many axes that turn are tried */
#define AIM 0.25        /* steps aim at this part of the tolerance above the threshold */
#define NEARLY 0.25     /* a pair so little above the aim (in parts of it) is told as the event */
/* Where the bodies turn by more than this (rad) bodies of revolution are tried once about as much effort was spent as
 * trying them costs, so much for each vertex, then after twice as much, and so on. */
#define TRY_A_VERTEX 2u

brinkSweptAxisScratch *brinkSweptAxisScratch_Create(brinkContext *context) {
  brinkSweptAxisScratch *scratch = brinkAllocateZeroed(context, 1, sizeof *scratch);
  if (scratch != NULL) scratch->run.context = context;
  return scratch;
}

void brinkSweptAxisScratch_Destroy(brinkContext *context, brinkSweptAxisScratch *scratch) {
  if (!scratch) return;
  for (int level = 0; level < BRINK_SWEPT_AXIS_LEVELS; ++level)
    brinkRelease(context, scratch->run.levels[level], brinkSweptAxis_Kept(level) * sizeof(Interval));
  if (scratch->run.knownCapacity > 0) /* else borrowed */
    brinkRelease(context, scratch->run.known, scratch->run.knownCapacity * sizeof(KnownLink));
  brinkRelease(context, scratch->run.stack, scratch->run.stackCapacity * sizeof(Entry));
  brinkRelease(context, scratch, sizeof *scratch);
}

brinkStatus brinkSweptAxisScratch_BeginQuery(brinkContext *context, brinkSweptAxisScratch *scratch,
                                             const brinkMotionTree *tree, double tStart, double tEnd) {
  PairRun *run = &scratch->run;
  size_t before = run->knownCapacity;
  brinkStatus status =
      brinkReserve(context, (void **)&run->known, &run->knownCapacity, (size_t)tree->linkCount, sizeof(KnownLink));
  if (status != brink_ok)
    return brinkFail(context, status, "swept axis: out of memory for %d links", (int)tree->linkCount);
  for (size_t i = before; i < run->knownCapacity; ++i) run->known[i].query = run->known[i].ended = 0;
  run->query++;
  run->queryTree = tree;
  run->queryStart = tStart;
  run->queryEnd = tEnd;
  return brink_ok;
}

void brinkSweptAxisScratch_EndQuery(brinkSweptAxisScratch *scratch) { scratch->run.queryTree = NULL; }

static bool IsKept(const PairRun *run, int32_t link) {
  return run->queryTree != NULL && link >= 0 &&
         !run->queryTree->links[link].paths; /* velocities may jump within the query */
}

void brinkSweptAxisScratch_Borrow(brinkSweptAxisScratch *scratch, const brinkSweptAxisScratch *from) {
  PairRun *run = &scratch->run;
  run->queryTree = from->run.queryTree;
  run->queryStart = from->run.queryStart;
  run->queryEnd = from->run.queryEnd;
  run->query = from->run.query;
  run->known = from->run.known;
}

static bool SinglePiece(const brinkShape *shape) { return shape->tree == NULL || (shape->flags & BRINK_MESH_CONVEX); }

bool brinkSweptAxisServes(const brinkAdvanceInput *input) {
  const brinkShape *a = input->a.shape, *b = input->b.shape;
  if (a->piece.kind == brink_pieceHalfSpace || b->piece.kind == brink_pieceHalfSpace) return false;
  bool singleA = SinglePiece(a), singleB = SinglePiece(b);
  if (singleA && singleB && input->leftOut.any) return false;
  if ((!singleA && a->obbTree == NULL) || (!singleB && b->obbTree == NULL)) return false;
  if (!brinkMotionTree_IsSmooth(input->tree, input->a.link) || !brinkMotionTree_IsSmooth(input->tree, input->b.link))
    return false;
  return (singleA && singleB) || input->threshold >= 0;
}

/* ---- sides, poses */
void brinkSweptAxis_StateAt(const PairRun *run, int index, double t, double tEnd, LinkState *out) {
  const Side *side = &run->sides[index];
  brinkLinkRate rate;
  if (side->known != NULL && t == run->queryStart)
    rate = side->known->rate; /* its bounds hold for longer */
  else
    brinkMotionTree_Rate(run->input->tree, side->collider->link, run->ancestor, t, tEnd, &rate);
  *out = (LinkState){.velocity = rate.velocity,
                     .omega = rate.omega,
                     .accel = rate.accel,
                     .alpha = rate.alpha,
                     .spin = brinkLength(rate.omega),
                     .lift = brinkLength(rate.alpha),
                     .jerkBase = rate.jerkBase,
                     .turn1 = rate.speedSlope,
                     .turn2 = rate.accelSlope,
                     .turn3 = rate.jerkSlope,
                     .velocityError = rate.velocityError,
                     .omegaError = rate.omegaError,
                     .accelError = rate.accelError,
                     .alphaError = rate.alphaError};
}

/* What is known of the link for the whole query; NULL: nothing. */
static KnownLink *Known(const PairRun *run, int32_t link, KnownLink *own) {
  if (run->queryTree != run->input->tree || run->ancestor >= 0) return NULL;
  if (run->input->tStart < run->queryStart || run->input->tEnd > run->queryEnd) return NULL;
  if (!IsKept(run, link)) return NULL;
  KnownLink *known = &run->known[link];
  uint64_t seen = atomic_load_explicit(&known->query, memory_order_acquire);
  if (seen == run->query) return known;
  if (seen == MAKING || !atomic_compare_exchange_strong(&known->query, &seen, MAKING)) known = own;
  brinkMotionTree_Rate(run->queryTree, link, -1, run->queryStart, run->queryEnd, &known->rate);
  atomic_store_explicit(&known->ended, 0u, memory_order_relaxed);
  atomic_store_explicit(&known->query, run->query, memory_order_release);
  return known;
}

static void MakeWhole(Side *side, const brinkObbBox *box) {
  for (int k = 0; k < 3; ++k) {
    side->whole.center[k][0] = box->center[k];
    side->whole.half[k][0] = box->half[k];
    for (int j = 0; j < 3; ++j) side->whole.axes[j][k][0] = box->axes[j][k];
  }
  side->whole.radius[0] = box->radius;
  side->whole.child[0] = box->child;
}

static void MakeSide(PairRun *run, const brinkCollider *collider, double start, double end, Side *side) {
  const brinkShape *shape = collider->shape;
  memset(side, 0, offsetof(Side, whole));
  side->collider = collider;
  side->piece = SinglePiece(shape) ? &shape->piece : NULL;
  side->margin = shape->piece.radius;
  side->rest = collider->link < 0 || collider->link == run->ancestor;
  const brinkLinkMotion *motion = side->rest ? NULL : &run->input->tree->links[collider->link];
  side->motion = motion && motion->parent == run->ancestor && motion->path == NULL ? motion : NULL;
  if (!side->rest) {
    side->known = Known(run, collider->link, &side->own);
    brinkLinkRate own; /* its bounds hold for the whole query */
    const brinkLinkRate *rate = side->known != NULL ? &side->known->rate : &own;
    if (side->known == NULL) brinkMotionTree_Rate(run->input->tree, collider->link, run->ancestor, start, end, &own);
    side->poseError = rate->poseError;
    side->poseErrorSlope = rate->poseErrorSlope;
    side->accelBase = rate->accelBase;
    side->accelSlope = rate->accelSlope;
    if (side->motion) {
      side->state.velocity = rate->velocity;
      side->state.omega = rate->omega;
      side->state.spin = brinkLength(rate->omega);
      side->state.turn1 = rate->speedSlope;
      side->state.turn2 = rate->accelSlope;
      side->state.turn3 = rate->jerkSlope;
    }
  }
  if (side->piece == NULL) {
    side->tree = shape->obbTree;
    side->origin = side->tree->origin;
    MakeWhole(side, &side->tree->root);
    side->scale = side->tree->scale;
  }
  side->local.r = collider->local.r;
  side->unturned = brinkMat3_IsIdentity(&side->local.r);
  side->local.p = brinkApply(&collider->local, side->origin);
  side->arm = brinkLength(side->local.p);
  side->localError = 8 * EPS * (brinkLength(collider->local.p) + brinkLength(side->origin));
}

/* Box of a single piece's core, only needed against trees. The sweep is a margin: a turning ball does not move. */
static void MakeSingleBox(Side *side) {
  const brinkObb *obb = &side->collider->shape->obb;
  brinkMat3 rows = brinkTranspose(&obb->axes);
  const double size = brinkLength(obb->center) + brinkLength(obb->half), sweep = side->piece->radius;
  brinkVec3 core = brinkMaxV3(brinkSub(obb->half, brinkV3(sweep, sweep, sweep)), brinkV3(0, 0, 0));
  brinkObbBox box = brinkMakeObbBox(obb->center, &rows, core, size, 8 * EPS * size);
  box.child = BRINK_OBB_EMPTY;
  MakeWhole(side, &box);
  side->scale = (float)(size * (1 + 2e-7)) + 1e-37f;
}

static double ProvenPrefix(const PairRun *run) {
  double prefix = run->best;
  if (run->stalled < prefix) prefix = run->stalled;
  for (size_t i = 0; i < run->stackCount; ++i)
    if (run->stack[i].key < prefix) prefix = run->stack[i].key;
  return prefix;
}

/* Up to which time do the bodies of revolution of the whole sides prove more than `separation`? t: nothing. */
static double RevolvedUntil(PairRun *run, double t, double separation) {
  const brinkAdvanceInput *input = run->input;
  if (!(brinkMostTurned(input->tree, input->a.link, input->b.link, t, run->best) >= BRINK_SOME_TURNING)) return t;
  brinkRevolvingBody a = {&input->a.shape->piece, input->a.local, input->a.link},
                     b = {&input->b.shape->piece, input->b.local, input->b.link};
  return brinkRevolvedUntil(input->tree, &a, &b, t, run->best, separation, &run->distances);
}

void brinkSweptAxis_TryRevolution(PairRun *run) {
  const brinkAdvanceInput *input = run->input;
  run->tryAt = 2 * brinkSweptAxis_Effort(run);
  if (run->instant || input->leftOut.any) return;
  double prefix = ProvenPrefix(run);
  const bool fresh = prefix <= run->start && !(input->provenUntil > input->tStart);
  const double until = RevolvedUntil(run, prefix, input->threshold + (fresh ? 1 : AIM) * input->tolerance);
  size_t kept = 0;
  for (size_t i = 0; i < run->stackCount; ++i) {
    Entry *entry = &run->stack[i];
    if (entry->key < until) {
      const Interval *interval = IntervalAt(run, (uint32_t)entry->words[1]);
      if (interval == NULL || interval->t1 <= until) continue;
      entry->key = until;
    }
    run->stack[kept++] = *entry;
  }
  run->stackCount = kept;
}

static bool HaveLevel(PairRun *run, int level) {
  if (run->levels[level] == NULL)
    run->levels[level] = brinkAllocateZeroed(run->context, brinkSweptAxis_Kept(level), sizeof(Interval));
  return run->levels[level] != NULL;
}

bool brinkSweptAxis_CanSplit(PairRun *run, uint32_t index) {
  if (index == 0) return false;
  int level = 32 - __builtin_clz(index);
  return level < BRINK_SWEPT_AXIS_LEVELS && HaveLevel(run, level); /* without memory: coarser, still right */
}

brinkStatus brinkSweptAxis_ReserveStack(PairRun *run, size_t needed) {
  if (needed <= run->stackCapacity) return brink_ok;
  return brinkReserve(run->context, (void **)&run->stack, &run->stackCapacity, needed, sizeof(Entry));
}

/* ---- exact leaves */
static void Event(PairRun *run, double t, uint32_t slotA, uint32_t slotB) {
  run->best = t;
  run->found = true;
  run->pieceA = slotA;
  run->pieceB = slotB;
  run->revision++;
}

/* Bound of the acceleration, in the other's frame, of any point of a piece of side x during the interval. */
static double AccelerationBound(const PairRun *run, const Interval *interval, int x, const brinkPiece *piece,
                                double lever) {
  Acceleration acceleration;
  FillAcceleration(run, interval, x, &acceleration);
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    double component = acceleration.columns[0][i] * piece->center.x + acceleration.columns[1][i] * piece->center.y +
                       acceleration.columns[2][i] * piece->center.z + acceleration.columns[3][i];
    square += component * component;
  }
  return (sqrt(square) + acceleration.vectorError + acceleration.norm * (piece->boundRadius + 1e-12 * lever) +
          acceleration.jerk0 + acceleration.jerk1 * lever) *
         (1 + 1e-9);
}

/* The moving side's box frame in the other's. */
static brinkRigid RelativeIn(const PairRun *run, const Interval *interval, int mover, double t) {
  if (t <= interval->t0) return FrameAt(interval, mover, 0);
  if (t >= interval->t1) return FrameAt(interval, mover, 1);
  const brinkRigid poseA = BoxPose(run, 0, t), poseB = BoxPose(run, 1, t), a = brinkRelative(&poseB, &poseA);
  return mover == 0 ? a : brinkInverseRigid(&a);
}

/* Where a step covers little of the window its bounds were made for, a shorter window has better bounds. */
static const Interval *NextWindow(PairRun *run, double t, double length, double end) {
  double t1 = t + length < end ? t + length : end;
  if (!(t1 > t)) t1 = end;
  FillInterval(run, &run->leaf, t, t1, NULL, NULL);
  return &run->leaf;
}

/* ---- nearest points of two triangles: single precision looks for the features, double realises and certifies them */
typedef struct Nearest {
  double distance; /* of x and y */
  brinkVec3 x, y;
} Nearest;

static inline brinkF8 Dot8(const brinkF8 a[3], const brinkF8 b[3]) {
  return brinkF8_Add(brinkF8_Add(brinkF8_Mul(a[0], b[0]), brinkF8_Mul(a[1], b[1])), brinkF8_Mul(a[2], b[2]));
}
static inline void Cross8(const brinkF8 a[3], const brinkF8 b[3], brinkF8 out[3]) {
  for (int i = 0; i < 3; ++i)
    out[i] = brinkF8_Sub(brinkF8_Mul(a[(i + 1) % 3], b[(i + 2) % 3]), brinkF8_Mul(a[(i + 2) % 3], b[(i + 1) % 3]));
}
/* Lanes 1 2 0 1 of each half. */
static inline brinkF8 NextLanes(brinkF8 a) { return brinkF8_Shuffle(a, a, 0x49); }
static inline brinkF8 Clamp8(brinkF8 a) { return brinkF8_Min(brinkF8_Max(a, brinkF8_Set(0.0f)), brinkF8_Set(1.0f)); }

static brinkVec3 Along(const double p[3], const double q[3], double t) {
  return brinkV3(p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2]));
}

/* Both triangles in one frame. A proposal: never wrong, as its points are realised, but not always the nearest. */
static Nearest NearestPoints(const double a[3][3], const double b[3][3]) {
  const brinkD4 origin = brinkD4_Load3(b[0]);
  brinkF8 rows[4], corners[3]; /* halves: A, B; [component], lanes: corner, the first again at the end */
  for (int k = 0; k < 3; ++k) {
    float of[2][4];
    brinkF4_Store(of[0], brinkF4_FromDoubles(brinkD4_Sub(brinkD4_Load3(a[k]), origin)));
    brinkF4_Store(of[1], brinkF4_FromDoubles(brinkD4_Sub(brinkD4_Load3(b[k]), origin)));
    rows[k] = brinkF8_LoadHalves(of[0], of[1]);
  }
  rows[3] = rows[0];
  Transpose4((const brinkF8 *)rows, corners);
  /* Each edge of A with the edge of B of the same number (lanes 0-2), the next (4-6), the one after that (8-10). */
  float ofA[2][3][8], ofB[4][3][8]; /* corners and edges of A; corners of B, then turned by one, two, three */
  for (int i = 0; i < 3; ++i) {
    brinkF8 other = brinkF8_SwapHalves(corners[i]);
    brinkF8_Store(ofA[0][i], corners[i]);
    brinkF8_Store(ofA[1][i], brinkF8_Sub(NextLanes(corners[i]), corners[i]));
    for (int turn = 0; turn < 4; ++turn, other = NextLanes(other)) brinkF8_Store(ofB[turn][i], other);
  }
  float squares[24], params[2][24];
  for (int turn = 0; turn < 3; turn += 2) {
    const int second = turn == 0 ? 1 : 2;
    brinkF8 r[3], d1[3], d2[3], tiny = brinkF8_Set(1e-30f);
    for (int i = 0; i < 3; ++i) {
      const brinkF8 from = brinkF8_LoadHalves(ofB[turn][i], ofB[second][i]);
      r[i] = brinkF8_Sub(brinkF8_LoadHalves(ofA[0][i], ofA[0][i]), from);
      d1[i] = brinkF8_LoadHalves(ofA[1][i], ofA[1][i]);
      d2[i] = brinkF8_Sub(brinkF8_LoadHalves(ofB[turn + 1][i], ofB[second + 1][i]), from);
    }
    brinkF8 e1 = brinkF8_Max(Dot8(d1, d1), tiny), e2 = brinkF8_Max(Dot8(d2, d2), tiny);
    brinkF8 across = Dot8(d1, d2), c = Dot8(d1, r), f = Dot8(d2, r), both = brinkF8_Mul(e1, e2);
    brinkF8 determinant =
        brinkF8_Max(brinkF8_Sub(both, brinkF8_Mul(across, across)), brinkF8_Mul(both, brinkF8_Set(1e-6f)));
    brinkF8 s = Clamp8(brinkF8_Div(brinkF8_Sub(brinkF8_Mul(across, f), brinkF8_Mul(c, e2)), determinant));
    brinkF8 t = Clamp8(brinkF8_Div(brinkF8_Add(brinkF8_Mul(across, s), f), e2));
    s = Clamp8(brinkF8_Div(brinkF8_Sub(brinkF8_Mul(across, t), c), e1));
    for (int i = 0; i < 3; ++i) r[i] = brinkF8_Sub(brinkF8_Add(r[i], brinkF8_Mul(s, d1[i])), brinkF8_Mul(t, d2[i]));
    brinkF8_Store(squares + 4 * turn, Dot8(r, r));
    brinkF8_Store(params[0] + 4 * turn, s);
    brinkF8_Store(params[1] + 4 * turn, t);
  }
  int best = 0;
  for (int pair = 1; pair < 9; ++pair) {
    const int u = pair / 3, v = pair % 3, lane = 4 * ((v + 3 - u) % 3) + u;
    if (squares[lane] < squares[best]) best = lane;
  }
  /* halves: corners of A over B, corners of B over A */
  brinkF8 w[3], e1[3], e2[3], n[3], p[3];
  for (int i = 0; i < 3; ++i) {
    const brinkF8 face = brinkF8_SwapHalves(corners[i]), first = brinkF8_Splat(face, 0);
    w[i] = brinkF8_Sub(corners[i], first);
    e1[i] = brinkF8_Sub(brinkF8_Splat(face, 1), first);
    e2[i] = brinkF8_Sub(brinkF8_Splat(face, 2), first);
  }
  Cross8(e1, e2, n);
  brinkF8 square = Dot8(n, n), height = Dot8(w, n);
  Cross8(w, e2, p);
  brinkF8_Store(params[0] + 16, brinkF8_Div(Dot8(p, n), square));
  Cross8(e1, w, p);
  brinkF8_Store(params[1] + 16, brinkF8_Div(Dot8(p, n), square));
  brinkF8_Store(squares + 16, brinkF8_Div(brinkF8_Mul(height, height), square));
  for (int lane = 16; lane < 23; ++lane) {
    float s = params[0][lane], t = params[1][lane];
    if (lane != 19 && s >= 0 && t >= 0 && s + t <= 1 && squares[lane] < squares[best]) best = lane;
  }
  double s = (double)params[0][best], t = (double)params[1][best];
  Nearest out;
  if (best < 16) {
    const int u = best % 4, v = (u + best / 4) % 3;
    out.x = Along(a[u], a[(u + 1) % 3], s);
    out.y = Along(b[v], b[(v + 1) % 3], t);
  } else {
    bool overB = best < 20;
    const double(*face)[3] = overB ? b : a, *corner = overB ? a[best - 16] : b[best - 20];
    if (s + t > 1) s = 1 - t;
    brinkVec3 foot = brinkV3(face[0][0] + s * (face[1][0] - face[0][0]) + t * (face[2][0] - face[0][0]),
                             face[0][1] + s * (face[1][1] - face[0][1]) + t * (face[2][1] - face[0][1]),
                             face[0][2] + s * (face[1][2] - face[0][2]) + t * (face[2][2] - face[0][2]));
    brinkVec3 point = brinkV3_FromArray(corner);
    out.x = overB ? point : foot;
    out.y = overB ? foot : point;
  }
  out.distance = brinkDistance(out.x, out.y);
  return out;
}

static double TriangleGap(const double a[3][3], const double b[3][3], brinkVec3 n) {
  double top = -INFINITY, bottom = INFINITY;
  for (int k = 0; k < 3; ++k) {
    double x = n.x * a[k][0] + n.y * a[k][1] + n.z * a[k][2], y = n.x * b[k][0] + n.y * b[k][1] + n.z * b[k][2];
    if (x > top) top = x;
    if (y < bottom) bottom = y;
  }
  return bottom - top;
}

static void Place(const brinkPiece *triangle, const brinkRigid *pose, double out[3][3]) {
  for (int k = 0; k < 3; ++k) {
    brinkVec3 p = brinkApply(pose, brinkV3_FromArray(triangle->vertices + 3 * k));
    out[k][0] = p.x;
    out[k][1] = p.y;
    out[k][2] = p.z;
  }
}

/* What is known of a pair of pieces at one time: bounds of the separation, and a direction for the lower one. */
typedef struct Bracket {
  double lower, upper;
  brinkVec3 normal;
  bool overlap;
} Bracket;

typedef struct Leaf { /* two pieces, B resting */
  const brinkPiece *a, *b;
  bool triangles;             /* both have three corners */
  double radii, sizeA, sizeB; /* sizes: distance from the frame's origin, radii left out */
  brinkGjkCache cache;
} Leaf;

/* Bound of the rounding of gaps and realised distances: as in gjk.c, 16 eps of all sizes. */
static double LeafRounding(const Leaf *leaf, const brinkRigid *relative) {
  return 16 * EPS * (brinkLength(relative->p) + leaf->sizeA + leaf->sizeB + leaf->radii);
}

static Bracket QuickBracket(const Leaf *leaf, const brinkRigid *relative) {
  double a[3][3];
  const double(*b)[3] = (const double(*)[3])(const void *)leaf->b->vertices;
  Place(leaf->a, relative, a);
  Nearest nearest = NearestPoints((const double(*)[3])a, b);
  Bracket out = {-INFINITY, INFINITY, {0, 0, 0}, false};
  if (!(nearest.distance > 0)) return out;
  double rounding = LeafRounding(leaf, relative);
  out.normal = brinkScale(brinkSub(nearest.y, nearest.x), 1 / nearest.distance);
  out.lower = TriangleGap((const double(*)[3])a, b, out.normal) * (1 - 8 * EPS) - leaf->radii - rounding;
  out.upper = brinkLarger(nearest.distance - leaf->radii + rounding, 0);
  return out;
}

static Bracket GjkBracket(Leaf *leaf, const brinkRigid *relative, const brinkGjkLimits *limits) {
  const brinkRigid identity = brinkIdentityRigid();
  brinkSeparation separation;
  brinkGjk(leaf->a, relative, leaf->b, &identity, limits, &leaf->cache, &separation);
  leaf->cache = separation.simplex;
  return (Bracket){separation.lower, separation.upper, separation.normal, separation.overlap};
}

static double GapAt(const Leaf *leaf, const brinkRigid *relative, brinkVec3 normal) {
  const brinkRigid identity = brinkIdentityRigid();
  if (!leaf->triangles) return brinkCertifyGap(leaf->a, relative, leaf->b, &identity, normal);
  double a[3][3];
  Place(leaf->a, relative, a);
  double gap = TriangleGap((const double(*)[3])a, (const double(*)[3])(const void *)leaf->b->vertices, normal);
  return gap - 8 * EPS * fabs(gap) - leaf->radii - LeafRounding(leaf, relative);
}

static Leaf MakeLeaf(const brinkPiece *a, const brinkPiece *b) {
  Leaf leaf = {.a = a, .b = b, .radii = a->radius + b->radius};
  leaf.triangles = a->kind == brink_piecePoints && a->count == 3 && b->kind == brink_piecePoints && b->count == 3;
  leaf.sizeA = (brinkLength(a->center) + a->boundRadius) * (1 + 1e-12);
  leaf.sizeB = (brinkLength(b->center) + b->boundRadius) * (1 + 1e-12);
  return leaf;
}

/* Do the pieces touch at the very start? */
static void ResolveInstant(PairRun *run, Leaf *leaf, int mover, uint32_t slotA, uint32_t slotB) {
  const brinkRigid placed = RelativeIn(run, &run->now, mover, run->start), *relative = &placed;
  double base, slope;
  PoseErrors(run, brinkLength(relative->p), &base, &slope);
  double error = base + slope * leaf->sizeA;
  brinkGjkLimits limits = {.relative = 1e-13, .absolute = 0, .enoughLower = error, .enoughUpper = -1};
  Bracket bracket = GjkBracket(leaf, relative, &limits);
  run->distances++;
  if (!bracket.overlap && bracket.upper > error) return;
  run->overlapAtStart = true;
  run->pieceA = slotA;
  run->pieceB = slotB;
}

static uint32_t PieceId(const Side *side, uint32_t slot) {
  return side->tree == NULL ? 0u : side->tree->triangles[slot].slot;
}

static bool IsLeftOut(const PairRun *run, uint32_t slotA, uint32_t slotB) {
  return brinkLeftOut_Has(&run->input->leftOut, PieceId(&run->sides[0], slotA), PieceId(&run->sides[1], slotB));
}

/* How long a gap surely lasts from t on, by what it is then and at `to` along the direction; `to` - t: to there. */
static double ChordAdvance(const PairRun *run, const Interval *interval, int mover, const Leaf *leaf, double t,
                           double to, brinkVec3 normal, double gap, double curvature, double error) {
  const brinkRigid last = RelativeIn(run, interval, mover, to);
  const double gapEnd = GapAt(leaf, &last, normal) - run->input->threshold - error;
  return brinkChordLasts(gap, gapEnd, AIM * run->input->tolerance, to - t, curvature);
}

/* Cheapest first. */
static Bracket BracketAt(PairRun *run, Leaf *leaf, const brinkRigid *relative, double enough, double enoughUpper,
                         double error) {
  const brinkRigid identity = brinkIdentityRigid();
  const double threshold = run->input->threshold, tolerance = run->input->tolerance;
  Bracket bracket = {-INFINITY, INFINITY, {0, 0, 0}, false};
  for (int pass = leaf->triangles ? 0 : 1; pass < 3; ++pass) {
    if (pass == 0) {
      bracket = QuickBracket(leaf, relative);
    } else {
      brinkGjkLimits limits = {.relative = pass == 1 ? 0.1 : 1e-13,
                               .absolute = pass == 1 ? 0 : 1e-3 * tolerance,
                               .enoughLower = INFINITY,
                               .enoughUpper = enoughUpper};
      bracket = GjkBracket(leaf, relative, &limits);
      if (pass == 2 && bracket.upper > enough && bracket.lower < 0.9 * bracket.upper)
        brinkTakeLikelyGap(leaf->a, relative, leaf->b, &identity, &bracket.lower, &bracket.normal);
    }
    run->distances++;
    if (bracket.upper <= enough ||
        bracket.lower - threshold - error > brinkLarger(2 * AIM * tolerance, 0.5 * (bracket.upper - threshold)))
      break;
  }
  return bracket;
}

static void SetReach(PairRun *run, double reach) {
  run->thresholdUp = UpToFloat(BRINK_MAX(reach, 0) + run->sides[0].margin + run->sides[1].margin);
}

static void Visit(PairRun *run, uint32_t slotA, uint32_t slotB) {
  double reach = run->reach;
  run->overlapAtStart = !run->visit(run->visitor, slotA, slotB, &reach); /* ends the traversal */
  if (reach < run->reach) SetReach(run, run->reach = reach);
}

void brinkSweptAxis_Resolve(PairRun *run, const brinkPiece *x, uint32_t slotX, const brinkPiece *w, uint32_t slotW,
                            int mover, double key, const Interval *interval) {
  const uint32_t slotA = mover == 0 ? slotX : slotW, slotB = mover == 0 ? slotW : slotX;
  if (run->visit != NULL) {
    Visit(run, slotA, slotB);
    return;
  }
  if (run->input->leftOut.any && IsLeftOut(run, slotA, slotB)) return;
  const double threshold = run->input->threshold, tolerance = run->input->tolerance, aim = AIM * tolerance;
  const double end = interval->t1; /* <= best when filled; later falls only shorten what matters */
  const bool fresh = !(run->input->provenUntil > run->input->tStart);
  Leaf leaf = MakeLeaf(x, w);
  if (run->instant) {
    ResolveInstant(run, &leaf, mover, slotA, slotB);
    return;
  }
  double t = key > interval->t0 ? key : interval->t0,
         curvature = AccelerationBound(run, interval, mover, x, leaf.sizeA), before = INFINITY;
  for (uint32_t step = 0; step < LEAF_STEPS && t <= end && !brinkSweptAxis_IsSpent(run); ++step) {
    brinkRigid relative = RelativeIn(run, interval, mover, t);
    double base, slope;
    PoseErrors(run, brinkLength(relative.p) + brinkLength(brinkV3_FromArray(interval->frames[1][0][3])), &base, &slope);
    const double error = base + slope * leaf.sizeA, enough = threshold + tolerance - error;
    const bool atStart = t <= run->start && fresh; /* whatever lies within the tolerance there is an event */
    run->iterations++;
    Bracket bracket =
        BracketAt(run, &leaf, &relative, enough, atStart ? enough : threshold + (1 + NEARLY) * aim - error, error);
    const double gap = bracket.lower - threshold - error, over = gap - aim;
    /* Within the tolerance a pair goes on to the aim, which no other pair has passed before: so what is told is nearly
     * the nearest. Where a step gains little that would cost too much. */
    const bool within = bracket.upper <= enough;
    if (within && (atStart || over <= NEARLY * aim || over > 0.5 * before)) {
      if (bracket.overlap && atStart) run->overlapAtStart = true;
      Event(run, t, slotA, slotB);
      return;
    }
    before = over;
    if (t >= end) return;
    if (gap <= aim) break; /* neither a contact nor a proof: undecided from here */
    const double remaining = interval->t1 - t, reach = 2 * sqrt(gap / curvature);
    double advance = ChordAdvance(run, interval, mover, &leaf, t, interval->t1, bracket.normal, gap, curvature, error);
    if (advance < remaining && advance < reach && reach < remaining) /* a shorter chord sags less */
      advance = brinkLarger(
          advance, ChordAdvance(run, interval, mover, &leaf, t, t + reach, bracket.normal, gap, curvature, error));
    double look = brinkSmaller(reach, remaining);
    for (int k = step < SLOW_STEPS ? BRINK_LOOKS : 0; k < BRINK_LOOKS && advance < 0.25 * look && t + look > t; ++k) {
      const double to = look < remaining ? t + look : interval->t1; /* what lies between two edges turns with both */
      const brinkRigid last = RelativeIn(run, interval, mover, to);
      const Bracket then = BracketAt(run, &leaf, &last, -1, -1, error);
      const brinkVec3 change = brinkSub(bracket.normal, then.normal);
      double shorter;
      advance =
          brinkLarger(advance, brinkTurnedLasts(gap, then.lower - threshold - error, aim, to - t, curvature, change,
                                                brinkPiece_Way(x, &relative, &last, change), error, 0, &shorter));
      look *= then.overlap ? 0.25 : shorter;
    }
    double length = interval->t1 - interval->t0;
    if (advance < remaining) {
      if (t + advance <= t) {
        if (!within) break;
        Event(run, t, slotA, slotB);
        return;
      }
      t += advance;
      if (within || advance >= 0.125 * length) continue; /* one step to the aim: a new window would cost more */
      length = 8 * advance;
    } else {
      if (interval->t1 >= end) return; /* free to the end */
      t = interval->t1;
      length *= 4;
    }
    interval = NextWindow(run, t, length, end);
    curvature = AccelerationBound(run, interval, mover, x, leaf.sizeA);
  }
  if (t >= end) return;
  if (t < run->stalled) run->stalled = t;
  run->maxIterations = run->iterations; /* what lies later is for the scheme that decides this one */
}

/* ---- two convex pieces */
typedef struct MarchSide {
  const Side *side;
  const brinkPiece *piece;
  double rounding;     /* of the largest product of a vertex with a unit axis: shape.c */
  brinkVec3 turned[3]; /* the axis in the link's frame, velocities being constant: constant, sine and versine parts */
} MarchSide;

typedef struct March {
  PairRun *run;
  MarchSide a, b;
  double curvature; /* bound of |second derivative| of any support gap along a unit direction */
  double poseError; /* of both poses together, at any point of the pieces */
  brinkVec3 normal; /* unit up to rounding, A to B, pair frame */
} March;

static void AddCurvature(const PairRun *run, int index, March *march) {
  const Side *side = &run->sides[index];
  MarchSide *out = index == 0 ? &march->a : &march->b;
  const brinkVec3 center = side->piece->center;
  const double reach = fabs(center.x) + fabs(center.y) + fabs(center.z) + side->piece->boundRadius;
  *out = (MarchSide){.side = side, .piece = side->piece, .rounding = 16 * EPS * reach + 16 * DBL_MIN};
  if (side->rest) return;
  double lever = (brinkLength(brinkApply(&side->local, side->piece->center)) + side->piece->boundRadius) * (1 + 1e-12);
  march->curvature += (side->accelBase + side->accelSlope * lever) * (1 + 1e-9);
  march->poseError += side->poseError + (side->poseErrorSlope + 16 * EPS) * lever;
}

static void TurnAxis(MarchSide *side, brinkVec3 normal) {
  const brinkLinkMotion *motion = side->side->motion;
  if (!motion) return;
  side->turned[0] = brinkTMulMV(&motion->r0, normal);
  side->turned[1] = brinkTMulMV(&motion->sine, normal);
  side->turned[2] = brinkTMulMV(&motion->cosine, normal);
}

/* n . (place of the frame's origin) and n in the box frame, at t. */
static double AxisAt(const March *march, const MarchSide *of, double t, brinkVec3 *local) {
  const Side *side = of->side;
  brinkVec3 n = march->normal;
  if (side->rest) {
    *local = brinkTMulMV(&side->local.r, n);
    return brinkDot(n, side->local.p);
  }
  if (!side->motion) {
    brinkRigid pose = brinkMotionTree_Pose(march->run->input->tree, side->collider->link, march->run->ancestor, t);
    brinkVec3 inLink = brinkTMulMV(&pose.r, n);
    *local = brinkTMulMV(&side->local.r, inLink);
    return brinkDot(n, pose.p) + brinkDot(inLink, side->local.p);
  }
  const brinkLinkMotion *motion = side->motion;
  double x = 0.5 * motion->angle * t, halfSine = sin(x), sine = 2 * halfSine * cos(x),
         versine = 2 * halfSine * halfSine;
  brinkVec3 inLink = brinkMulAdd(brinkMulAdd(of->turned[0], sine, of->turned[1]), -versine, of->turned[2]);
  *local = side->unturned ? inLink : brinkTMulMV(&side->local.r, inLink);
  return brinkDot(n, brinkMulAdd(motion->t0, t, motion->v)) + brinkDot(inLink, side->local.p);
}

/* brinkPiece_SupportValue, d being unit up to rounding: its 1-norm is below 2. */
static inline double Top(const MarchSide *of, brinkVec3 d) {
  const brinkPiece *piece = of->piece;
  if (piece->columns == NULL || piece->radius > 0) return brinkPiece_SupportValue(piece, d);
  return brinkPointColumns_LargestProduct(piece->columns, piece->count, d) + of->rounding;
}

/* Certified gap along the axis at t, less the threshold. Rounding beyond that of the supports: as brinkPairRounding,
 * the places' own size being in poseError (at least 64 eps of it). */
static double GapAlong(const March *march, double t) {
  brinkVec3 inA, inB;
  double placeA = AxisAt(march, &march->a, t, &inA), placeB = AxisAt(march, &march->b, t, &inB);
  march->run->nodeTests++;
  double top = Top(&march->a, inA), bottom = -Top(&march->b, brinkNeg(inB));
  double gap = (placeB - placeA) + (bottom - top);
  double rounding = 16 * EPS * (fabs(placeA) + fabs(placeB) + fabs(top) + fabs(bottom) + fabs(gap));
  return gap - rounding - march->run->input->threshold - march->poseError;
}

/* GJK begins where the last one ended: run->witness. */
static Bracket MarchBracket(March *march, double t, const brinkGjkLimits *limits) {
  PairRun *run = march->run;
  brinkRigid a = BoxPose(run, 0, t), b = BoxPose(run, 1, t);
  brinkSeparation separation;
  b.p = brinkSub(b.p, a.p); /* recentred on the pair */
  a.p = brinkV3(0, 0, 0);
  if (run->input->threshold < 0)
    brinkSignedSeparation(march->a.piece, &a, march->b.piece, &b, limits, &run->witness, &separation);
  else
    brinkGjk(march->a.piece, &a, march->b.piece, &b, limits, &run->witness, &separation);
  run->distances++;
  run->witness = separation.simplex;
  Bracket out = {separation.lower, separation.upper, separation.normal, separation.overlap};
  if (limits->absolute > 0 && out.upper > limits->enoughUpper && out.lower < 0.9 * out.upper)
    brinkTakeLikelyGap(march->a.piece, &a, march->b.piece, &b, &out.lower, &out.normal);
  return out;
}

/* Is the threshold (if below 0; else contact) passed at t? */
static bool CrossesAt(March *march, double t) {
  const double crossed = BRINK_MIN(march->run->input->threshold, 0) + march->poseError;
  const brinkGjkLimits exact = {.relative = 1e-13, .absolute = 0, .enoughLower = crossed + DBL_MIN, .enoughUpper = -1};
  Bracket bracket = MarchBracket(march, t, &exact);
  return bracket.upper <= crossed;
}

static void TakeAxis(March *march, brinkVec3 normal) {
  march->normal = normal;
  TurnAxis(&march->a, normal);
  TurnAxis(&march->b, normal);
}

/* The line of centres costs no iteration, and will do for pairs that are far apart: gap along it at the start. */
static double TryCentres(March *march) {
  PairRun *run = march->run;
  brinkRigid a = BoxPose(run, 0, run->start), b = BoxPose(run, 1, run->start);
  brinkVec3 between = brinkSub(brinkApply(&b, march->b.piece->center), brinkApply(&a, march->a.piece->center));
  double length = brinkLength(between);
  if (!(length > march->a.piece->boundRadius + march->b.piece->boundRadius)) return -1;
  TakeAxis(march, brinkScale(between, (1 - 8 * EPS) / length));
  return GapAlong(march, run->start);
}

/* What lies between two edges turns with both: how long the gap along the axis, which goes on to the one then, lasts.
 */
static double TurnedAdvance(March *march, double t, double gap) {
  PairRun *run = march->run;
  const double threshold = run->input->threshold, tolerance = run->input->tolerance;
  const brinkGjkLimits exact = {1e-13, 1e-3 * tolerance, INFINITY, -1, 0};
  const brinkRigid fromA = BoxPose(run, 0, t), fromB = BoxPose(run, 1, t);
  double best = 0, look = brinkSmaller(2 * sqrt(gap / march->curvature), run->end - t);
  for (int k = 0; k < BRINK_LOOKS && best < 0.25 * look && t + look > t; ++k) {
    const double to = brinkSmaller(t + look, run->end);
    const Bracket then = MarchBracket(march, to, &exact);
    const brinkRigid a = BoxPose(run, 0, to), b = BoxPose(run, 1, to);
    const brinkVec3 change = brinkSub(march->normal, then.normal);
    const double way = brinkPiece_Way(march->a.piece, &fromA, &a, change) +
                       brinkPiece_Way(march->b.piece, &fromB, &b, brinkNeg(change));
    double shorter;
    best = brinkLarger(
        best, brinkTurnedLasts(gap, then.lower - threshold - march->poseError, AIM * tolerance, to - t,
                               march->curvature, change, way, march->poseError, brinkLarger(-threshold, 0), &shorter));
    look *= then.overlap && threshold >= 0 ? 0.25 : shorter;
  }
  return best;
}

/* Marches along certified axes: the gap along a fixed axis lies above its chord minus curvature; keep the axis while it
 * proves, renew it by GJK where it runs out (docs/theory.md 7). */
static void MarchPieces(PairRun *run, double *smallest) {
  March march = {.run = run};
  AddCurvature(run, 0, &march);
  AddCurvature(run, 1, &march);
  march.poseError += run->sides[0].localError + run->sides[1].localError;
  const double threshold = run->input->threshold, tolerance = run->input->tolerance, aim = AIM * tolerance;
  const double enough = threshold + tolerance - march.poseError;
  const brinkGjkLimits coarse = {0.3, 0, INFINITY, enough, 0};
  const brinkGjkLimits fine = {1e-13, 1e-3 * tolerance, INFINITY, enough, 0};
  double t = run->start, gap = TryCentres(&march);
  if (gap <= tolerance) gap = -1; /* within reach at the start: the event itself may be here */
  *smallest = run->input->provenUntil > run->input->tStart ? 0 : HUGE_VAL; /* of what was proven before: no more */
  uint32_t renewed = 0;
  double closing = NAN; /* speed of the last step, estimate; before the first: that of the links' origins */
  for (;;) {
    if (run->iterations++ >= run->maxIterations || brinkSweptAxis_Effort(run) >= run->maxEffort) break;
    if (brinkSweptAxis_Effort(run) >= run->tryAt) {
      run->tryAt = 2 * brinkSweptAxis_Effort(run);
      double until = RevolvedUntil(run, t, brinkLarger(threshold + tolerance, 0));
      if (until > t) *smallest = brinkSmaller(*smallest, tolerance);
      if (until >= run->end) return;
      if (until > t) gap = -1;
      t = until;
    }
    if (gap <= 2 * aim) {
      Bracket bracket = MarchBracket(&march, t, &coarse);
      gap = bracket.lower - threshold - march.poseError;
      if (bracket.upper > enough && gap <= 2 * aim) {
        bracket = MarchBracket(&march, t, &fine);
        gap = bracket.lower - threshold - march.poseError;
      }
      if (bracket.upper <= enough) {
        if (t <= run->start) run->overlapAtStart = CrossesAt(&march, t);
        Event(run, t, 0, 0);
        return;
      }
      if (gap <= aim) break; /* neither contact nor proof */
      TakeAxis(&march, bracket.normal);
    }
    *smallest = brinkSmaller(*smallest, gap);
    if (isnan(closing) && IsSteady(&run->sides[0]) && IsSteady(&run->sides[1]))
      closing = brinkDot(march.normal, brinkSub(run->sides[0].state.velocity, run->sides[1].state.velocity));
    double next = run->end;
    if (!(next > t)) return;
    if (march.curvature > 0) {
      /* A chord that falls so fast stays clear of the aim over 2 (bend - fall), curvature taken off. */
      double reach = sqrt(gap / march.curvature);
      const double fall = closing / march.curvature, bend = sqrt(2 * (gap - aim) / march.curvature);
      if (closing * reach > 1.5 * gap) reach = 1.5 * gap / closing;
      if (2 * fall < bend) reach = brinkLarger(reach, 1.5 * (bend - fall));
      if (reach < 0.8 * (next - t)) next = t + reach;
    }
    double horizon = next - t;
    if (!(horizon > 0)) break;
    double gapEnd = GapAlong(&march, next);
    closing = (gap - gapEnd) / horizon;
    double advance = brinkChordLasts(gap, gapEnd, aim, horizon, march.curvature);
    if (!(advance < horizon)) {
      double lowest = brinkSmaller(gap, gapEnd) - march.curvature * horizon * horizon / 8;
      *smallest = brinkSmaller(*smallest, brinkLarger(lowest, aim));
      if (next >= run->end) return;
      t = next;
      gap = gapEnd;
      continue;
    }
    *smallest = brinkSmaller(*smallest, aim);
    if (++renewed > SLOW_STEPS) advance = brinkLarger(advance, TurnedAdvance(&march, t, gap));
    if (t + advance <= t) break;
    t += advance;
    gap = -1;
  }
  run->stalled = t;
}

/* ---- the answer */
static brinkPiece EventPiece(const Side *side, uint32_t slot, uint32_t *id) {
  *id = 0;
  if (side->tree == NULL) return *side->piece;
  const brinkObbTriangle *triangle = &side->tree->triangles[slot];
  *id = triangle->slot;
  return brinkMakePointPiece(&triangle->vertices[0][0], 3, side->margin);
}

/* Vertex ids of a mesh triangle for the corners that the features name. */
static void MapFeature(const Side *side, uint32_t triangle, uint32_t kind, uint32_t ids[3]) {
  if (side->tree == NULL) return;
  brinkMeshView mesh = brinkHullTree_Mesh(side->collider->shape->tree);
  for (uint32_t k = 0; k < kind && k < 3; ++k) ids[k] = mesh.indices[3 * (size_t)triangle + ids[k] % 3];
}

static void Describe(PairRun *run, brinkPairResult *result) {
  double t = run->best;
  brinkPiece a = EventPiece(&run->sides[0], run->pieceA, &result->pieceA);
  brinkPiece b = EventPiece(&run->sides[1], run->pieceB, &result->pieceB);
  brinkLinkRate rates[2];
  brinkRigid poses[2];
  for (int side = 0; side < 2; ++side) {
    const brinkLinkMotion *motion = run->ancestor < 0 ? run->sides[side].motion : NULL;
    if (motion != NULL) /* no bounds are asked for */
      rates[side] =
          (brinkLinkRate){.pose = brinkLinkMotion_PlainAt(motion, t), .velocity = motion->v, .omega = motion->w};
    else
      brinkMotionTree_Rate(run->input->tree, run->sides[side].collider->link, -1, t, t, &rates[side]);
    poses[side] = brinkCompose(&rates[side].pose, &run->sides[side].local);
  }
  const brinkVec3 origin = poses[0].p;
  poses[0].p = brinkV3(0, 0, 0);
  poses[1].p = brinkSub(poses[1].p, origin);
  const brinkGjkLimits fine = {.relative = 1e-13, .absolute = 0, .enoughLower = INFINITY, .enoughUpper = -1};
  brinkSeparation separation;
  brinkSignedSeparation(&a, &poses[0], &b, &poses[1], &fine, &run->witness, &separation);
  result->distance = separation.overlap ? separation.lower : separation.upper;
  result->normal = separation.normal;
  result->pointA = brinkAdd(separation.pointA, origin);
  result->pointB = brinkAdd(separation.pointB, origin);
  brinkWitnessFeatures(&a, &b, &separation, &result->kindA, result->featureA, &result->kindB, result->featureB);
  MapFeature(&run->sides[0], result->pieceA, result->kindA, result->featureA);
  MapFeature(&run->sides[1], result->pieceB, result->kindB, result->featureB);
  brinkVec3 armA = brinkSub(result->pointA, rates[0].pose.p), armB = brinkSub(result->pointB, rates[1].pose.p);
  brinkVec3 velocityA = brinkAdd(rates[0].velocity, brinkCross(rates[0].omega, armA));
  brinkVec3 velocityB = brinkAdd(rates[1].velocity, brinkCross(rates[1].omega, armB));
  result->normalVelocity = brinkDot(result->normal, brinkSub(velocityB, velocityA));
}

brinkSweptAxisTraversal *brinkSweptAxis_BestRun(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return brinkSweptAxis_RunAvx2;
#endif
  return brinkSweptAxis_RunBase;
}

/* Does a face of the other side's whole box keep side x's off at the start? */
static bool FacesKeepOff(const PairRun *run, const Interval *first, int x) {
  const brinkObbNode *box = &run->sides[x].whole, *other = &run->sides[1 - x].whole;
  const brinkRigid frame = FrameAt(first, x, 0);
  brinkVec3 axes[3], half = {(double)box->half[0][0], (double)box->half[1][0], (double)box->half[2][0]};
#define AXIS(of) brinkV3((double)(of)[0][0], (double)(of)[1][0], (double)(of)[2][0])
  const brinkVec3 from = brinkSub(brinkApply(&frame, AXIS(box->center)), AXIS(other->center));
  for (int j = 0; j < 3; ++j) axes[j] = brinkMulMV(&frame.r, AXIS(box->axes[j]));
  const double scale = fabs(from.x) + fabs(from.y) + fabs(from.z) + (double)box->radius[0] + (double)other->radius[0];
  const double slack = 1e-6 * scale + (double)run->thresholdUp + run->sides[0].poseError + run->sides[1].poseError;
  for (int i = 0; i < 3; ++i) {
    const brinkVec3 n = AXIS(other->axes[i]);
    const double reach =
        half.x * fabs(brinkDot(n, axes[0])) + half.y * fabs(brinkDot(n, axes[1])) + half.z * fabs(brinkDot(n, axes[2]));
    if (fabs(brinkDot(n, from)) > reach + (double)other->half[i][0] + slack) return true;
  }
#undef AXIS
  return false;
}

/* Are the boxes of the whole sides apart at the start? Face directions only. Then neither holds the other. */
static bool BoxesApartAtStart(PairRun *run) {
  const Interval *first = IntervalAt(run, 1);
  return first != NULL && (FacesKeepOff(run, first, 0) || FacesKeepOff(run, first, 1));
}

static bool IsSolidMesh(const Side *side) {
  return side->tree != NULL && (brinkHullTree_Flags(side->collider->shape->tree) & BRINK_MESH_SOLID);
}

/* A contact at the very start ended the search: is anything crossing there? */
static brinkStatus FindOverlapAtStart(PairRun *run, brinkSweptAxisTraversal *traverse) {
  uint32_t pieceA = run->pieceA, pieceB = run->pieceB;
  run->instant = true;
  SetReach(run, 0);
  brinkStatus status = traverse(run);
  run->instant = false;
  run->stackCount = 0;
  if (!run->overlapAtStart) {
    run->pieceA = pieceA;
    run->pieceB = pieceB;
  }
  return status;
}

static uint64_t VerticesOf(const brinkCollider *collider) {
  const brinkPiece *piece = &collider->shape->piece;
  return piece->kind == brink_piecePoints ? piece->count : 8u;
}

bool brinkSweptAxis_Begin(PairRun *run, brinkContext *context, const brinkAdvanceInput *input) {
  run->context = context;
  run->input = input;
  run->ancestor = brinkMotionTree_CommonAncestor(input->tree, input->a.link, input->b.link);
  bool fresh = !(input->provenUntil > input->tStart);
  run->start = fresh ? input->tStart : BRINK_MIN(input->provenUntil, input->tEnd);
  run->end = BRINK_MIN(input->tEnd, input->stopAfter);
  if (run->end < run->start) return false;
  MakeSide(run, &input->a, run->start, run->end, &run->sides[0]);
  MakeSide(run, &input->b, run->start, run->end, &run->sides[1]);
  run->best = run->end;
  run->found = run->overlapAtStart = run->instant = false;
  run->stalled = INFINITY;
  run->pieceA = run->pieceB = 0;
  run->witness = (brinkGjkCache){0};
  SetReach(run, input->threshold);
  run->visit = NULL;
  run->iterations = run->nodeTests = run->distances = run->intervalsFilled = 0;
  run->maxEffort = input->maxEffort ? input->maxEffort : UINT64_MAX;
  run->maxIterations = brinkAdvanceBudget(input);
  run->revision = ((run->revision >> 20) + 1) << 20; /* a new pair */
  run->stackCount = 0;
  run->tryAt = TRY_A_VERTEX * (VerticesOf(&input->a) + VerticesOf(&input->b));
  return true;
}

brinkStatus brinkSweptAxisNear(void *scratch, const brinkAdvanceInput *input, double reach, brinkNearVisit *visit,
                               void *user, bool *served) {
  PairRun *run = &((brinkSweptAxisScratch *)scratch)->run;
  brinkAdvanceInput at = *input;
  at.tEnd = at.provenUntil = at.tStart;
  at.stopAfter = HUGE_VAL;
  at.threshold = reach;
  at.maxEffort = 0;
  at.maxIterations = UINT64_MAX;
  const bool singleA = SinglePiece(at.a.shape), singleB = SinglePiece(at.b.shape);
  *served = brinkSweptAxisServes(&at) && !(singleA && singleB) && (isfinite(reach) || !(singleA || singleB)) &&
            brinkSweptAxis_Begin(run, run->context, &at);
  if (!*served) return brink_ok;
  if (singleA || singleB) MakeSingleBox(&run->sides[singleA ? 0 : 1]);
  run->visit = visit;
  run->visitor = user;
  run->reach = reach;
  run->instant = run->found = true;
  brinkStatus status = brinkSweptAxis_BestRun()(run);
  run->instant = false;
  run->stackCount = 0;
  return status;
}

/* Pairs with a mesh. */
static brinkStatus SearchTrees(PairRun *run, brinkAdvanceScratch *advanceScratch, brinkSweptAxisTraversal *traverse,
                               bool fresh, brinkPairResult *result, bool *inside) {
  brinkContext *context = run->context;
  if (!HaveLevel(run, 0)) return brinkFail(context, brink_errorNoMemory, "swept axis: out of memory for intervals");
  for (int side = 0; side < 2; ++side)
    if (run->sides[side].tree == NULL) MakeSingleBox(&run->sides[side]);
  brinkStatus status = traverse(run);
  bool spent = brinkSweptAxis_IsSpent(run);
  if (status == brink_ok && fresh && run->found && run->best <= run->start && !run->overlapAtStart && !spent)
    status = FindOverlapAtStart(run, traverse);
  if (status != brink_ok) return brinkFail(context, status, "swept axis: out of memory for the traversal's stack");
  if (fresh && !run->overlapAtStart && (IsSolidMesh(&run->sides[0]) || IsSolidMesh(&run->sides[1])) &&
      !BoxesApartAtStart(run))
    status = brinkPairContainment(context, advanceScratch, run->input, result, inside);
  return status;
}

/* They are looked along soon; the motions are bounded meanwhile. */
static void FetchVertices(const brinkPiece *piece) {
  const uint32_t count = piece->columns != NULL ? BRINK_MIN(piece->count, BRINK_MOST_COLUMNS) : 0u;
  for (uint32_t i = 0; i < 3u * count; i += 8u) __builtin_prefetch(piece->columns + i);
}

brinkStatus brinkSweptAxis_Pair(brinkContext *context, brinkSweptAxisScratch *scratch,
                                brinkAdvanceScratch *advanceScratch, const brinkAdvanceInput *input,
                                brinkSweptAxisTraversal *traverse, brinkPairResult *result, brinkAdvanceWork *work) {
  brinkStatus status = brinkCheckAdvanceInput(context, input);
  if (status != brink_ok) return status;
  /* A march keeps nothing: its run stands on the stack, which is in the cache whatever world asks. */
  PairRun *run = &scratch->run, march;
  if (SinglePiece(input->a.shape) && SinglePiece(input->b.shape)) {
    march.queryTree = run->queryTree;
    march.queryStart = run->queryStart;
    march.queryEnd = run->queryEnd;
    march.query = run->query;
    march.known = run->known;
    march.revision = 0;
    run = &march;
    FetchVertices(&input->a.shape->piece);
    FetchVertices(&input->b.shape->piece);
  }
  memset(result, 0, sizeof *result);
  if (!brinkSweptAxis_Begin(run, context, input)) {
    result->state = brink_free;
    result->toi = result->toiUpper = run->end;
    result->distance = input->threshold;
    return brink_ok;
  }
  bool fresh = !(input->provenUntil > input->tStart), inside = false;
  double smallest = 0;
  if (run->sides[0].tree == NULL && run->sides[1].tree == NULL)
    MarchPieces(run, &smallest);
  else
    status = SearchTrees(run, advanceScratch, traverse, fresh, result, &inside);
  work->nodePairs += run->nodeTests;
  work->distanceQueries += run->distances;
  work->advancements += run->distances;
  result->iterations = run->iterations;
  if (status != brink_ok || inside) return status;

  double prefix = ProvenPrefix(run);
  const bool ended = brinkSweptAxis_IsSpent(run), cut = brinkSweptAxis_Effort(run) >= run->maxEffort;
  bool spent = ended && (run->stackCount > 0 || run->stalled < HUGE_VAL);
  bool anyEvent = run->found && input->anyContact;
  /* a contact at the start, but whether anything crosses there was not looked at to the end */
  bool startOpen = fresh && run->found && run->best <= run->start && !run->overlapAtStart && ended;
  if (startOpen) {
    *result = (brinkPairResult){.state = brink_unresolved, .iterations = run->iterations, .cut = cut};
    result->toi = run->start;
    result->toiUpper = run->best;
    return brink_ok;
  }
  if (!run->overlapAtStart && !anyEvent && prefix < run->best && (spent || run->stalled < run->best)) {
    result->state = brink_unresolved;
    result->toi = prefix;
    result->toiUpper = run->found ? run->best : BRINK_NO_TIME;
    result->cut = cut;
    return brink_ok;
  }
  if (!run->found) {
    result->state = brink_free;
    result->toi = result->toiUpper = run->end;
    result->distance = input->threshold + (isfinite(smallest) ? smallest : 0);
    return brink_ok;
  }
  result->state = run->overlapAtStart && fresh ? brink_overlap : brink_hit;
  result->toiUpper = run->best;
  result->toi = anyEvent && result->state == brink_hit ? prefix : run->best;
  Describe(run, result);
  return brink_ok;
}

brinkStatus brinkSweptAxisPair(brinkContext *context, brinkSweptAxisScratch *scratch,
                               brinkAdvanceScratch *advanceScratch, const brinkAdvanceInput *input,
                               brinkPairResult *result, brinkAdvanceWork *work) {
  return brinkSweptAxis_Pair(context, scratch, advanceScratch, input, brinkSweptAxis_BestRun(), result, work);
}
