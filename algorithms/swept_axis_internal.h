/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SWEPT_AXIS_INTERNAL_H
#define BRINK_SWEPT_AXIS_INTERNAL_H
/* State of one swept-axis query, shared by swept_axis.c and the traversal that is compiled once per instruction set. */
#include "swept_axis.h"

#define BRINK_SWEPT_AXIS_INTERVALS 2048u /* dyadic: index 1 is the whole, 2i and 2i+1 the halves of i; depth 10 */

/* X (side 0: A, side 1: B) seen from W (the other) over one interval, single precision, each rounded once from double. */
typedef struct IntervalSide {
  float rotation[3][3], rotationChange[3][3]; /* rows; change formed in double */
  float position[3], positionChange[3];
  float accelMatrix[3][3], accelVector[3]; /* y'' at t0 = M c + g */
  float accelNorm;    /* bound of |M| */
  float accelRound;   /* rounding of g; that of M c is in jerk1 */
  float poseError0, poseError1; /* of the relative pose, as in Interval */
  float jerk0, jerk1; /* dt * bound of |y'''| = jerk0 + jerk1 rho */
  float turn;         /* sin of half the relative rotation between the ends, rounded up */
  float eighthSquare; /* dt^2 / 8, rounded up */
} IntervalSide;

typedef struct Interval {
  double t0, t1;
  uint64_t revision;         /* of the run that filled it */
  brinkRigid relative[2];    /* A's shape frame in B's at t0 and t1 */
  IntervalSide side[2];
  double accelMatrix[3][3], accelVector[3], accelNorm, jerk0, jerk1; /* side 0 in double, for exact leaves */
  double poseError0, poseError1; /* rounding of the relative pose: a point at distance rho is off by poseError0 + poseError1 rho */
} Interval;

typedef struct Side {
  const brinkCollider *collider;
  const brinkObbTree *tree; /* NULL: one convex piece */
  const brinkPiece *piece;
  brinkObbBox box;          /* of the single piece, margin included */
  double margin;            /* m: of a mesh's triangles; box trees are made without it */
} Side;

typedef struct Entry {
  int32_t a, b;      /* box references */
  uint32_t interval;
  double key;        /* proven free up to here */
} Entry;

typedef struct PairRun {
  brinkContext *context;
  const brinkAdvanceInput *input;
  int32_t ancestor;
  Side sides[2];
  double start, end;    /* the interval asked about */
  double best;          /* event or end: nothing at or after it matters */
  bool found;           /* best is an event */
  bool overlapAtStart;
  double stalled;       /* earliest time where a leaf could not be decided; INFINITY = none */
  uint32_t pieceA, pieceB; /* of the event */
  float thresholdUp;
  uint64_t iterations, maxIterations, nodeTests, distances;
  uint64_t revision;    /* changes with every pair and with every fall of best */
  Interval leaf;        /* window of the exact leaf at hand */
  Interval *intervals;  /* [BRINK_SWEPT_AXIS_INTERVALS] */
  Entry *stack;
  size_t stackCount, stackCapacity;
} PairRun;

/* Can nothing that happens at or after this time matter any more? */
static inline bool brinkSweptAxis_Late(const PairRun *run, double time) {
  return time > run->best || (run->found && time >= run->best);
}
/* The interval, filled on demand and refilled when the best time has fallen into it; NULL when it starts at or after it. */
const Interval *brinkSweptAxis_Interval(PairRun *run, uint32_t index);
brinkStatus brinkSweptAxis_ReserveStack(PairRun *run, size_t needed);
/* Exact advancement of two convex pieces within the interval, from key on; lowers run->best at an event. */
void brinkSweptAxis_Resolve(PairRun *run, const brinkPiece *a, uint32_t slotA, const brinkPiece *b, uint32_t slotB,
                            double key, const Interval *interval);

brinkStatus brinkSweptAxis_RunBase(PairRun *run);
brinkStatus brinkSweptAxis_RunAvx2(PairRun *run);

#endif
