/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SWEPT_AXIS_INTERNAL_H
#define BRINK_SWEPT_AXIS_INTERNAL_H
/* State of one swept-axis query, shared by swept_axis.c and the traversal that is compiled once per instruction set.
 * Box frame of a side: that of its box tree (obb_tree.h), or its shape's frame moved to the middle of its single box.
 */
#include <stdatomic.h>

#include "gjk.h"
#include "swept_axis.h"

#define BRINK_SWEPT_AXIS_LEVELS \
  14 /* of dyadic intervals: index 1 is the whole, 2i and 2i+1 the halves of i; 0 the start alone */
#define BRINK_SWEPT_AXIS_KEPT 16u /* intervals of a level that are kept: the search goes through time in order */

/* X (side 0: A, side 1: B) seen from W (the other) over one interval, box frames, each number rounded once from double.
 * Halves of eight: at t0 (lanes 0-2), at t1 (lanes 4-6); the others: finite. */
typedef struct IntervalSide {
  float turned[3][8]; /* columns of the rotation */
  float position[8];
  float accel[4][4];            /* columns of M, then g: y''(t0) = M c + g */
  float accelNorm;              /* bound of |M| */
  float accelRound;             /* rounding of g; that of M c is in jerk1 */
  float poseError0, poseError1; /* a point at distance rho is off by poseError0 + poseError1 rho */
  float jerk0, jerk1;           /* dt * bound of |y'''| = jerk0 + jerk1 rho */
  float turn;                   /* sin of half the relative rotation between the ends, rounded up */
  float eighthSquare;           /* dt^2 / 8, rounded up */
} IntervalSide;

/* Where a side is, pair frame. */
typedef struct LinkPlace {
  brinkRigid pose;  /* of the box frame */
  brinkVec3 arm;    /* from the link's origin to the box frame's, pair axes */
  brinkVec3 origin; /* of the link */
} LinkPlace;

/* How its link moves at one time, pair frame, with bounds that hold on a window that starts there (see brinkLinkRate).
 */
typedef struct LinkState {
  brinkVec3 velocity, omega, accel, alpha;
  double spin, lift;                    /* |omega|, |alpha| */
  double jerkBase, turn1, turn2, turn3; /* bounds of |o'''|, |R'|, |R''|, |R'''| */
  double velocityError, omegaError, accelError, alphaError;
} LinkState;

typedef struct Interval {
  double t0, t1;
  uint64_t revision;    /* of the run that filled it */
  uint32_t index;       /* in the search, see BRINK_SWEPT_AXIS_LEVELS */
  uint32_t sidesFilled; /* bits; sides are filled on demand */
  LinkPlace places[2];  /* at t0 */
  LinkState states[2];  /* at t0; only of links whose state changes */
  IntervalSide side[2];
  double frames[2][2][4][4]; /* at t0 and t1 [side]'s box frame in the other's: columns, position; fourth: finite */
} Interval;

/* A link seen from the world, found once in a query. Who comes first makes it for all threads; one that comes meanwhile
 * makes the same for itself. */
#define MAKING UINT64_MAX
typedef struct KnownLink {
  _Atomic uint64_t query, ended; /* that filled rate, endPose; or MAKING */
  brinkLinkRate rate;            /* at the query's start, for the whole of it */
  brinkRigid endPose;            /* at the query's end */
} KnownLink;

typedef struct Side {
  const brinkCollider *collider;
  const brinkObbTree *tree; /* NULL: one convex piece */
  const brinkPiece *piece;
  KnownLink *known;              /* of the link, when the frame is the world; NULL: nothing */
  const brinkLinkMotion *motion; /* of a link directly below the pair's frame; NULL: at rest, or deeper */
  bool rest;
  bool unturned;                    /* local.r is the identity */
  LinkState state;                  /* at rest, or with constant velocities: at all times */
  brinkVec3 origin;                 /* of the box frame, shape frame */
  brinkRigid local;                 /* box frame -> link frame (pair frame when at rest) */
  double arm;                       /* |local.p| */
  double poseError, poseErrorSlope; /* of link poses in the pair's frame, whole query */
  double accelBase, accelSlope;     /* bound of a link point's acceleration, whole query */
  double localError;                /* rounding of local.p */
  float scale;
  double margin;      /* m: of a mesh's triangles; box trees are made without it */
  brinkObbNode whole; /* its box in the first lane, where it is asked for */
  KnownLink own;      /* what another thread was about to find, too */
} Side;

/* Two boxes that wait. Words: the references of A's (lower half) and of B's; the interval, and IS_HALF. They are
 * written and read as one vector: what was only just written in parts is read as a whole with a delay. */
typedef uint64_t EntryWords __attribute__((vector_size(16), aligned(8)));
typedef struct Entry {
  EntryWords words;
  double key; /* proven free up to here */
} Entry;

typedef struct PairRun {
  brinkContext *context;
  const brinkAdvanceInput *input;
  int32_t ancestor;
  Side sides[2];
  double start, end; /* the interval asked about */
  double best;       /* event or end: nothing at or after it matters */
  bool found;        /* best is an event */
  bool instant;      /* looking only for overlap at the start */
  bool overlapAtStart;
  double stalled;        /* earliest time where a leaf could not be decided; INFINITY = none */
  brinkNearVisit *visit; /* of what is near at the start; NULL: events are asked for */
  void *visitor;
  double reach;            /* m, of the visit */
  uint32_t pieceA, pieceB; /* of the event */
  brinkGjkCache witness;   /* of two convex pieces' event: what GJK ended with; count 0: nothing */
  float thresholdUp;       /* threshold plus margins, rounded up */
  uint64_t iterations, maxIterations, nodeTests, distances, intervalsFilled;
  uint64_t maxEffort, tryAt;                 /* effort after which to stop, and to try bodies of revolution */
  uint64_t revision;                         /* changes with every pair and with every fall of best */
  Interval leaf;                             /* window of the exact leaf at hand */
  Interval *levels[BRINK_SWEPT_AXIS_LEVELS]; /* [brinkSweptAxis_Kept], made when first needed */
  Interval now;                              /* index 0 */
  Entry *stack;
  size_t stackCount, stackCapacity;
  const brinkMotionTree *queryTree; /* NULL: no query is open */
  double queryStart, queryEnd;
  uint64_t query;
  KnownLink *known; /* [queryTree->linkCount] */
  size_t knownCapacity;
} PairRun;

struct brinkSweptAxisScratch {
  PairRun run; /* keeps intervals and stack */
};

static inline uint64_t brinkSweptAxis_Effort(const PairRun *run) {
  return run->iterations + BRINK_EFFORT_DISTANCE * run->distances + BRINK_EFFORT_INTERVAL * run->intervalsFilled;
}
static inline bool brinkSweptAxis_IsSpent(const PairRun *run) {
  return run->iterations >= run->maxIterations || brinkSweptAxis_Effort(run) >= run->maxEffort;
}
/* Fills everything of the run but its intervals; false: nothing is asked (stopAfter lies before the start). */
bool brinkSweptAxis_Begin(PairRun *run, brinkContext *context, const brinkAdvanceInput *input);
/* Can nothing that happens at or after this time matter any more? */
static inline bool brinkSweptAxis_Late(const PairRun *run, double time) {
  return time > run->best || (run->found && time >= run->best && !run->instant);
}
/* How many intervals of a level are kept, a power of two. Each has its place, which it shares with others. */
static inline uint32_t brinkSweptAxis_Kept(int level) {
  return 1u << level < BRINK_SWEPT_AXIS_KEPT ? 1u << level : BRINK_SWEPT_AXIS_KEPT;
}
/* Are there intervals of half this one's length? */
bool brinkSweptAxis_CanSplit(PairRun *run, uint32_t index);
/* How the link of a side (0: A, 1: B) moves at t, with bounds until tEnd. */
void brinkSweptAxis_StateAt(const PairRun *run, int index, double t, double tEnd, LinkState *out);
brinkStatus brinkSweptAxis_ReserveStack(PairRun *run, size_t needed);
/* Exact advancement of two convex pieces (box frames) within the interval, from key on; lowers run->best at an event.
 * x: a piece of side `mover`, best the smaller one; w: of the other side, seen as resting. */
void brinkSweptAxis_Resolve(PairRun *run, const brinkPiece *x, uint32_t slotX, const brinkPiece *w, uint32_t slotW,
                            int mover, double key, const Interval *interval);

/* Many turns at once, as far as the bodies of revolution of the whole sides prove them; then after twice as much work.
 */
void brinkSweptAxis_TryRevolution(PairRun *run);

typedef brinkStatus brinkSweptAxisTraversal(PairRun *run);
brinkSweptAxisTraversal brinkSweptAxis_RunBase, brinkSweptAxis_RunAvx2;
/* The one for this processor; all give the same bits. */
brinkSweptAxisTraversal *brinkSweptAxis_BestRun(void);
/* brinkSweptAxisPair with the traversal given. */
brinkStatus brinkSweptAxis_Pair(brinkContext *context, brinkSweptAxisScratch *scratch,
                                brinkAdvanceScratch *advanceScratch, const brinkAdvanceInput *input,
                                brinkSweptAxisTraversal *traverse, brinkPairResult *result, brinkAdvanceWork *work);

#endif
