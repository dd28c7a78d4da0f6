/* SPDX-License-Identifier: BSD-3-Clause */
/* Swept separating axes: intervals (poses, relative acceleration, jerk bound), exact leaves, the march of two convex pieces,
 * and the answer. The traversal itself is swept_axis_body.h. Symbols: q = origin of X seen from the origin of W, w, v, a, al =
 * angular velocity, velocity, acceleration, angular acceleration of a link in the pair's frame (deepest common ancestor). */
#include "swept_axis.h"

#include "gjk.h"
#include "swept_axis_internal.h"

#define DEFAULT_ITERATIONS 1000000u
#define LEAF_STEPS 400u       /* exact steps of one leaf before it is called undecided */
#define AIM 0.25              /* steps aim at this part of the tolerance above the threshold */

struct brinkSweptAxisScratch {
  PairRun run; /* keeps intervals and stack */
};

brinkSweptAxisScratch *brinkSweptAxisScratch_Create(brinkContext *context) {
  brinkSweptAxisScratch *scratch = brinkAllocateZeroed(context, 1, sizeof *scratch);
  if (!scratch) return NULL;
  scratch->run.intervals = brinkAllocateZeroed(context, BRINK_SWEPT_AXIS_INTERVALS, sizeof(Interval));
  if (scratch->run.intervals) return scratch;
  brinkRelease(context, scratch, sizeof *scratch);
  return NULL;
}

void brinkSweptAxisScratch_Destroy(brinkContext *context, brinkSweptAxisScratch *scratch) {
  if (!scratch) return;
  brinkRelease(context, scratch->run.intervals, BRINK_SWEPT_AXIS_INTERVALS * sizeof(Interval));
  brinkRelease(context, scratch->run.stack, scratch->run.stackCapacity * sizeof(Entry));
  brinkRelease(context, scratch, sizeof *scratch);
}

static bool SinglePiece(const brinkShape *shape) { return shape->tree == NULL || (shape->flags & BRINK_MESH_CONVEX); }

bool brinkSweptAxisServes(const brinkAdvanceInput *input) {
  const brinkShape *a = input->a.shape, *b = input->b.shape;
  if (a->piece.kind == brink_pieceHalfSpace || b->piece.kind == brink_pieceHalfSpace) return false;
  bool singleA = SinglePiece(a), singleB = SinglePiece(b);
  if ((!singleA && a->obbTree == NULL) || (!singleB && b->obbTree == NULL)) return false;
  return (singleA && singleB) || input->threshold >= 0;
}

/* ---- poses */
static brinkRigid ShapePose(const PairRun *run, int side, double t) {
  const brinkCollider *collider = run->sides[side].collider;
  brinkRigid link = brinkMotionTree_Pose(run->input->tree, collider->link, run->ancestor, t);
  return brinkCompose(&link, &collider->local);
}

static brinkRigid RelativePose(const PairRun *run, double t) {
  brinkRigid a = ShapePose(run, 0, t), b = ShapePose(run, 1, t);
  return brinkRelative(&b, &a);
}

/* ---- intervals */
static float UpToFloat(double x) { return (float)(x * (1 + 2e-7)) + 1e-37f; }

/* Relative motion of X in W's frame (X = side x): y'' = M c + g at t0, |y'''| <= jerk0 + jerk1 rho over the interval. */
static void FillAcceleration(const PairRun *run, const brinkLinkRate rates[2], int x, double dt, double matrix[3][3],
                             double vector[3], double *norm, double *jerk0, double *jerk1, double *vectorError) {
  const brinkLinkRate *rx = &rates[x], *rw = &rates[1 - x];
  const brinkRigid *localX = &run->sides[x].collider->local, *localW = &run->sides[1 - x].collider->local;
  brinkVec3 d = brinkSub(rx->omega, rw->omega), e = brinkAdd(brinkCross(d, rw->omega), brinkSub(rx->alpha, rw->alpha));
  brinkVec3 q = brinkSub(rx->pose.p, rw->pose.p), v = brinkSub(rx->velocity, rw->velocity);
  brinkVec3 k = brinkSub(brinkSub(rx->accel, rw->accel), brinkCross(rw->alpha, q));
  k = brinkAdd(k, brinkMulAdd(brinkCross(rw->omega, brinkCross(rw->omega, q)), -2, brinkCross(rw->omega, v)));
  /* N = hat(d)^2 + hat(e) */
  double square = brinkDot(d, d);
  brinkMat3 n = {{{d.x * d.x - square, d.x * d.y - e.z, d.x * d.z + e.y},
                  {d.y * d.x + e.z, d.y * d.y - square, d.y * d.z - e.x},
                  {d.z * d.x - e.y, d.z * d.y + e.x, d.z * d.z - square}}};
  brinkMat3 shapeX = brinkMulMM(&rx->pose.r, &localX->r), shapeW = brinkMulMM(&rw->pose.r, &localW->r);
  brinkVec3 g = brinkTMulMV(&shapeW, brinkAdd(k, brinkMulMV(&n, brinkMulMV(&rx->pose.r, localX->p))));
  brinkMat3 m = brinkMulMM(&n, &shapeX);
  m = brinkTMulMM(&shapeW, &m);
  memcpy(matrix, m.m, sizeof m.m);
  vector[0] = g.x;
  vector[1] = g.y;
  vector[2] = g.z;
  *norm = (square + brinkLength(e)) * (1 + 1e-12);

  /* y = R_W^T r: |y'''| <= |r'''| + 3 W |r''| + 3 W^2 |r'| + W^3 |r|, each bounded by its value at t0 plus dt times the next;
   * value and slope in |r_link| = |local.p| + rho. */
  double w = rw->speedSlope, lever = brinkLength(localX->p);
  double third0 = rx->jerkBase + rw->jerkBase, third1 = rx->jerkSlope;
  double second0 = brinkDistance(rx->accel, rw->accel) + third0 * dt;
  double second1 = brinkLength(rx->alpha) + brinkDot(rx->omega, rx->omega) + third1 * dt;
  double first0 = brinkLength(v) + second0 * dt, first1 = brinkLength(rx->omega) + second1 * dt;
  double zeroth0 = brinkLength(q) + first0 * dt, zeroth1 = 1 + first1 * dt;
  double base = third0 + w * (3 * second0 + w * (3 * first0 + w * zeroth0));
  double slope = third1 + w * (3 * second1 + w * (3 * first1 + w * zeroth1));
  *jerk0 = dt * (base + slope * lever) * (1 + 1e-12);
  *jerk1 = dt * slope * (1 + 1e-12);

  /* rounding of g and, per unit of rho, of M: first order in the errors of the rates, doubled for the products */
  double reach = brinkLength(q), speed = brinkLength(v), turn = brinkLength(rw->omega), spin = brinkLength(rx->omega);
  double positionError = rx->poseError + rw->poseError, omegaError = rx->omegaError + rw->omegaError;
  double alphaError = rx->alphaError + rw->alphaError, matrixError = alphaError + 4 * (turn + spin) * omegaError;
  *vectorError = 2 * (rx->accelError + rw->accelError + alphaError * reach + brinkLength(rw->alpha) * positionError +
                      2 * omegaError * speed + 2 * turn * (rx->velocityError + rw->velocityError) +
                      2 * turn * omegaError * reach + turn * turn * positionError + matrixError * lever) +
                 1e-14 * (brinkLength(rx->accel) + brinkLength(rw->accel) + turn * (speed + turn * reach));
  *jerk1 += 2 * matrixError;
}

static void FillSide(const brinkRigid *start, const brinkRigid *end, const double matrix[3][3], const double vector[3],
                     double norm, double jerk0, double jerk1, double vectorError, double dt, IntervalSide *out) {
  double turnSquare = 0, size = 0;
  double p0[3] = {start->p.x, start->p.y, start->p.z}, p1[3] = {end->p.x, end->p.y, end->p.z};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double change = end->r.m[i][j] - start->r.m[i][j];
      out->rotation[i][j] = (float)start->r.m[i][j];
      out->rotationChange[i][j] = (float)change;
      out->accelMatrix[i][j] = (float)matrix[i][j];
      turnSquare += change * change;
    }
    out->position[i] = (float)p0[i];
    out->positionChange[i] = (float)(p1[i] - p0[i]);
    out->accelVector[i] = (float)vector[i];
    size += fabs(vector[i]);
  }
  out->turn = UpToFloat(sqrt(turnSquare / 8)); /* |R1 - R0|_F = 2 sqrt(2) sin(theta/2) */
  out->accelNorm = UpToFloat(norm);
  out->accelRound = UpToFloat(1e-6 * size + vectorError);
  out->jerk0 = UpToFloat(jerk0);
  out->jerk1 = UpToFloat(jerk1 + 1e-6 * norm); /* rounding of M c */
  out->eighthSquare = UpToFloat(dt * dt / 8);
}

/* A relative position is off by both links' errors, and by the turn errors over the distance between the two shapes. */
static void FillPoseError(const PairRun *run, const brinkLinkRate rates[2], Interval *interval) {
  double slope = rates[0].poseErrorSlope + rates[1].poseErrorSlope + 16 * DBL_EPSILON;
  double reach = brinkLength(interval->relative[0].p) + brinkLength(interval->relative[1].p);
  for (int side = 0; side < 2; ++side) reach += 2 * brinkLength(run->sides[side].collider->local.p);
  interval->poseError0 = rates[0].poseError + rates[1].poseError + slope * reach;
  interval->poseError1 = slope;
}

static void FillInterval(PairRun *run, Interval *interval, double t0, double t1) {
  interval->t0 = t0;
  interval->t1 = t1;
  interval->revision = run->revision;
  double dt = t1 - t0;
  brinkLinkRate rates[2];
  brinkRigid poses[2][2];
  for (int side = 0; side < 2; ++side) {
    const brinkCollider *collider = run->sides[side].collider;
    brinkMotionTree_Rate(run->input->tree, collider->link, run->ancestor, t0, t1, &rates[side]);
    poses[side][0] = brinkCompose(&rates[side].pose, &collider->local);
    poses[side][1] = ShapePose(run, side, t1);
  }
  for (int k = 0; k < 2; ++k) interval->relative[k] = brinkRelative(&poses[1][k], &poses[0][k]);
  FillPoseError(run, rates, interval);
  double vectorError;
  FillAcceleration(run, rates, 0, dt, interval->accelMatrix, interval->accelVector, &interval->accelNorm,
                   &interval->jerk0, &interval->jerk1, &vectorError);
  interval->jerk0 += vectorError; /* exact leaves add one to the other anyway */
  FillSide(&interval->relative[0], &interval->relative[1], interval->accelMatrix, interval->accelVector,
           interval->accelNorm, interval->jerk0, interval->jerk1, 0, dt, &interval->side[0]);
  double matrix[3][3], vector[3], norm, jerk0, jerk1;
  FillAcceleration(run, rates, 1, dt, matrix, vector, &norm, &jerk0, &jerk1, &vectorError);
  brinkRigid inverse[2] = {brinkInverseRigid(&interval->relative[0]), brinkInverseRigid(&interval->relative[1])};
  FillSide(&inverse[0], &inverse[1], matrix, vector, norm, jerk0, jerk1, vectorError, dt, &interval->side[1]);
  for (int side = 0; side < 2; ++side) {
    interval->side[side].poseError0 = UpToFloat(interval->poseError0);
    interval->side[side].poseError1 = UpToFloat(interval->poseError1);
  }
}

const Interval *brinkSweptAxis_Interval(PairRun *run, uint32_t index) {
  Interval *interval = &run->intervals[index];
  bool mine = interval->revision >> 20 == run->revision >> 20; /* filled for this pair */
  if (mine && interval->t1 <= run->best) return interval;
  int level = 31 - __builtin_clz(index);
  double parts = (double)(1u << level), position = (double)(index - (1u << level));
  double length = run->end - run->start;
  double t0 = position == 0 ? run->start : run->start + length * (position / parts);
  double t1 = position + 1 == parts ? run->end : run->start + length * ((position + 1) / parts);
  if (brinkSweptAxis_Late(run, t0)) return NULL;
  FillInterval(run, interval, t0, t1 < run->best ? t1 : run->best);
  return interval;
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

/* Smallest tau > 0 where c + slope tau + curvature tau^2/2 reaches 0 from c > 0, rounded down; INFINITY when never. */
static double FirstRoot(double c, double slope, double curvature) {
  if (slope >= 0) return INFINITY;
  double discriminant = slope * slope - 2 * curvature * c;
  if (discriminant < -1e-12 * slope * slope) return INFINITY;
  return 2 * c / (-slope + sqrt(fmax(discriminant, 0))) * (1 - 1e-12);
}

/* Bound of the acceleration, in B's frame, of any point of a piece of A during the interval. */
static double AccelerationBound(const Interval *interval, const brinkPiece *piece, double lever) {
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    double component = interval->accelMatrix[i][0] * piece->center.x + interval->accelMatrix[i][1] * piece->center.y +
                       interval->accelMatrix[i][2] * piece->center.z + interval->accelVector[i];
    square += component * component;
  }
  return (sqrt(square) + interval->accelNorm * (piece->boundRadius + 1e-12 * lever) + interval->jerk0 +
          interval->jerk1 * lever) * (1 + 1e-9);
}

static brinkRigid RelativeIn(const PairRun *run, const Interval *interval, double t) {
  if (t <= interval->t0) return interval->relative[0];
  if (t >= interval->t1) return interval->relative[1];
  return RelativePose(run, t);
}

/* Where a step covers little of the window its bounds were made for, a shorter window has better bounds. */
static const Interval *NextWindow(PairRun *run, double t, double length, double end) {
  double t1 = t + length < end ? t + length : end;
  if (!(t1 > t)) t1 = end;
  FillInterval(run, &run->leaf, t, t1);
  return &run->leaf;
}

void brinkSweptAxis_Resolve(PairRun *run, const brinkPiece *a, uint32_t slotA, const brinkPiece *b, uint32_t slotB,
                            double key, const Interval *interval) {
  const double threshold = run->input->threshold, tolerance = run->input->tolerance, aim = AIM * tolerance;
  const brinkRigid identity = brinkIdentityRigid();
  const double end = interval->t1; /* <= best when filled; later falls only shorten what matters */
  const double lever = (brinkLength(a->center) + a->boundRadius) * (1 + 1e-12);
  const double poseError = interval->poseError0 + interval->poseError1 * lever, enough = threshold + tolerance - poseError;
  double t = key > interval->t0 ? key : interval->t0;
  brinkGjkCache cache = {0};
  brinkGjkLimits coarse = {.relative = 0.1, .absolute = 0, .enoughLower = INFINITY, .enoughUpper = enough};
  brinkGjkLimits fine = {.relative = 1e-13, .absolute = 1e-3 * tolerance, .enoughLower = INFINITY, .enoughUpper = enough};
  double curvature = AccelerationBound(interval, a, lever);
  for (uint32_t step = 0; step < LEAF_STEPS && t <= end && run->iterations < run->maxIterations; ++step) {
    brinkRigid relative = RelativeIn(run, interval, t);
    brinkSeparation separation;
    brinkGjk(a, &relative, b, &identity, &coarse, &cache, &separation);
    run->distances++;
    run->iterations++;
    double gap = separation.lower - threshold - poseError;
    if (separation.upper > enough && gap <= 2 * aim) {
      brinkGjk(a, &relative, b, &identity, &fine, &separation.simplex, &separation);
      run->distances++;
      gap = separation.lower - threshold - poseError;
    }
    cache = separation.simplex;
    if (separation.upper <= enough) {
      if (separation.overlap && t <= run->start) run->overlapAtStart = true;
      Event(run, t, slotA, slotB);
      return;
    }
    if (t >= end) return;
    if (gap <= aim) break; /* neither a contact nor a proof: undecided from here */
    double remaining = interval->t1 - t;
    double gapEnd = brinkCertifyGap(a, &interval->relative[1], b, &identity, separation.normal) - threshold - poseError;
    double slope = (gapEnd - gap) / remaining - curvature * remaining / 2;
    double advance = FirstRoot(gap - aim, slope, curvature);
    double length = interval->t1 - interval->t0;
    if (advance < remaining) {
      if (t + advance <= t) break;
      t += advance;
      if (advance >= 0.125 * length) continue;
      length = 8 * advance;
    } else {
      if (interval->t1 >= end) return; /* free to the end */
      t = interval->t1;
      length *= 4;
    }
    interval = NextWindow(run, t, length, end);
    curvature = AccelerationBound(interval, a, lever);
  }
  if (t >= end) return;
  if (t < run->stalled) run->stalled = t;
}

/* ---- two convex pieces */
typedef struct March {
  PairRun *run;
  const brinkPiece *a, *b;
  double curvature; /* bound of |second derivative| of any support gap along a unit direction */
  double poseError; /* of both poses together, at any point of the pieces */
} March;

static double GapAlong(const March *march, double t, brinkVec3 n) {
  brinkRigid a = ShapePose(march->run, 0, t), b = ShapePose(march->run, 1, t);
  brinkVec3 origin = a.p; /* recentred on the pair */
  a.p = brinkV3(0, 0, 0);
  b.p = brinkSub(b.p, origin);
  march->run->nodeTests++;
  return brinkCertifyGap(march->a, &a, march->b, &b, n) - march->run->input->threshold - march->poseError;
}

static void AddCurvature(const PairRun *run, int side, March *march) {
  const brinkCollider *collider = run->sides[side].collider;
  brinkLinkRate rate;
  brinkMotionTree_Rate(run->input->tree, collider->link, run->ancestor, run->start, run->end, &rate);
  const brinkPiece *piece = run->sides[side].piece;
  double lever = brinkLength(brinkApply(&collider->local, piece->center)) + piece->boundRadius;
  march->curvature += (rate.accelBase + rate.accelSlope * lever) * (1 + 1e-9);
  march->poseError += rate.poseError + (rate.poseErrorSlope + 16 * DBL_EPSILON) * lever;
}

/* Marches along certified axes: the gap along a fixed axis lies above its chord minus curvature; keep the axis while it
 * proves, renew it by GJK where it runs out (shared fast-design 6). */
static void MarchPieces(PairRun *run) {
  March march = {run, run->sides[0].piece, run->sides[1].piece, 0, 0};
  AddCurvature(run, 0, &march);
  AddCurvature(run, 1, &march);
  const double threshold = run->input->threshold, tolerance = run->input->tolerance, aim = AIM * tolerance;
  const double enough = threshold + tolerance - march.poseError;
  brinkGjkLimits coarse = {.relative = 0.3, .absolute = 0, .enoughLower = INFINITY, .enoughUpper = enough};
  brinkGjkLimits fine = {.relative = 1e-13, .absolute = 1e-3 * tolerance, .enoughLower = INFINITY, .enoughUpper = enough};
  brinkGjkCache cache = {0};
  brinkVec3 normal = {0, 0, 0};
  double t = run->start, gap = -1;
  while (t < run->end || (t <= run->end && run->start == run->end)) {
    if (run->iterations++ >= run->maxIterations) {
      run->stalled = t;
      return;
    }
    if (gap <= 2 * aim) {
      brinkRigid a = ShapePose(run, 0, t), b = ShapePose(run, 1, t);
      brinkVec3 origin = a.p;
      a.p = brinkV3(0, 0, 0);
      b.p = brinkSub(b.p, origin);
      brinkSeparation separation;
      for (int pass = 0; pass < 2; ++pass) {
        const brinkGjkLimits *limits = pass ? &fine : &coarse;
        if (threshold < 0) brinkSignedSeparation(march.a, &a, march.b, &b, limits, &cache, &separation);
        else brinkGjk(march.a, &a, march.b, &b, limits, &cache, &separation);
        run->distances++;
        cache = separation.simplex;
        if (separation.upper <= enough || separation.lower - threshold - march.poseError > 2 * aim) break;
      }
      if (separation.upper <= enough) {
        if (separation.upper <= 0 && t <= run->start) run->overlapAtStart = true;
        Event(run, t, 0, 0);
        return;
      }
      gap = separation.lower - threshold - march.poseError;
      normal = separation.normal;
      if (gap <= aim) { /* neither contact nor proof */
        run->stalled = t;
        return;
      }
    }
    double remaining = run->end - t, horizon = remaining;
    if (remaining <= 0) return;
    if (march.curvature > 0) {
      double reach = sqrt(gap / march.curvature);
      if (reach < 0.8 * remaining) horizon = reach;
    }
    double gapEnd = GapAlong(&march, horizon == remaining ? run->end : t + horizon, normal);
    double slope = (gapEnd - gap) / horizon - march.curvature * horizon / 2;
    double advance = FirstRoot(gap - aim, slope, march.curvature);
    if (!(advance < horizon)) {
      if (horizon == remaining) return;
      t += horizon * (1 - 1e-15);
      gap = gapEnd - march.curvature * horizon * 2e-15 * horizon;
      continue;
    }
    if (t + advance <= t) {
      run->stalled = t;
      return;
    }
    t += advance;
    gap = -1;
  }
}

/* ---- the answer */
static void MakeSide(const brinkCollider *collider, Side *side) {
  *side = (Side){.collider = collider};
  const brinkShape *shape = collider->shape;
  if (!SinglePiece(shape)) {
    side->tree = shape->obbTree;
    side->margin = shape->piece.radius;
    return;
  }
  side->piece = &shape->piece;
  double scale = brinkLength(shape->obb.center) + brinkLength(shape->obb.half);
  brinkMat3 rows = brinkTranspose(&shape->obb.axes);
  side->box = brinkMakeObbBox(shape->obb.center, &rows, shape->obb.half, scale);
}

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
    const brinkCollider *collider = run->sides[side].collider;
    brinkMotionTree_Rate(run->input->tree, collider->link, -1, t, t, &rates[side]);
    poses[side] = brinkCompose(&rates[side].pose, &collider->local);
  }
  brinkVec3 origin = poses[0].p;
  poses[0].p = brinkV3(0, 0, 0);
  poses[1].p = brinkSub(poses[1].p, origin);
  brinkGjkLimits fine = {.relative = 1e-13, .absolute = 0, .enoughLower = INFINITY, .enoughUpper = -1};
  brinkSeparation separation;
  brinkSignedSeparation(&a, &poses[0], &b, &poses[1], &fine, NULL, &separation);
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

static double ProvenPrefix(const PairRun *run) {
  double prefix = run->best;
  if (run->stalled < prefix) prefix = run->stalled;
  for (size_t i = 0; i < run->stackCount; ++i)
    if (run->stack[i].key < prefix) prefix = run->stack[i].key;
  return prefix;
}

static brinkStatus Traverse(PairRun *run) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return brinkSweptAxis_RunAvx2(run);
#endif
  return brinkSweptAxis_RunBase(run);
}

brinkStatus brinkSweptAxisPair(brinkContext *context, brinkSweptAxisScratch *scratch, brinkAdvanceScratch *advanceScratch,
                               const brinkAdvanceInput *input, brinkPairResult *result, brinkAdvanceWork *work) {
  brinkStatus status = brinkCheckAdvanceInput(context, input);
  if (status != brink_ok) return status;
  PairRun *run = &scratch->run;
  memset(result, 0, sizeof *result);
  run->context = context;
  run->input = input;
  run->ancestor = brinkMotionTree_CommonAncestor(input->tree, input->a.link, input->b.link);
  MakeSide(&input->a, &run->sides[0]);
  MakeSide(&input->b, &run->sides[1]);
  bool fresh = !(input->provenUntil > input->tStart);
  run->start = fresh ? input->tStart : fmin(input->provenUntil, input->tEnd);
  run->end = fmin(input->tEnd, input->stopAfter);
  if (run->end < run->start) {
    result->state = brink_free;
    result->toi = result->toiUpper = run->end;
    return brink_ok;
  }
  run->best = run->end;
  run->found = run->overlapAtStart = false;
  run->stalled = INFINITY;
  run->pieceA = run->pieceB = 0;
  run->thresholdUp = UpToFloat(fmax(input->threshold, 0) + run->sides[0].margin + run->sides[1].margin);
  run->iterations = run->nodeTests = run->distances = 0;
  run->maxIterations = input->maxIterations ? input->maxIterations : DEFAULT_ITERATIONS;
  run->revision = ((run->revision >> 20) + 1) << 20; /* a new pair */
  run->stackCount = 0;

  if (run->sides[0].tree == NULL && run->sides[1].tree == NULL) {
    MarchPieces(run);
  } else {
    status = Traverse(run);
    if (status != brink_ok) return brinkFail(context, status, "swept axis: out of memory for the traversal's stack");
    bool inside = false;
    if (fresh && !run->overlapAtStart) status = brinkPairContainment(context, advanceScratch, input, result, &inside);
    if (status != brink_ok || inside) return status;
  }
  work->nodePairs += run->nodeTests;
  work->distanceQueries += run->distances;
  work->advancements += run->distances;
  result->iterations = run->iterations;

  double prefix = ProvenPrefix(run);
  bool spent = run->iterations >= run->maxIterations && run->stackCount > 0;
  if (!run->overlapAtStart && prefix < run->best && (spent || run->stalled < run->best)) {
    result->state = brink_unresolved;
    result->toi = prefix;
    result->toiUpper = run->found ? run->best : 2;
    return brink_ok;
  }
  if (!run->found) {
    result->state = brink_free;
    result->toi = result->toiUpper = run->end;
    return brink_ok;
  }
  if (fresh && run->best <= run->start && input->threshold <= 0) {
    /* The first leaf within reach ended the traversal: is another one crossing? */
    brinkPairResult now;
    status = brinkPairDistance(context, advanceScratch, input->tree, &input->a, &input->b, run->start,
                               0.25 * input->tolerance, &now, work);
    if (status != brink_ok) return status;
    if (now.state == brink_overlap) run->overlapAtStart = true;
  }
  result->state = run->overlapAtStart && fresh ? brink_overlap : brink_hit;
  result->toi = result->toiUpper = run->best;
  Describe(run, result);
  return brink_ok;
}
