/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of the swept-axis search: where the sides are at both ends, and their relative acceleration. Included by
 * swept_axis.c and by the traversal, so compiled for each instruction set. Not a header of its own. */
#include "simd.h"
#include "swept_axis_internal.h"

#define EPS DBL_EPSILON

/* Rows of components instead of four vectors, in each half. */
static inline void Transpose4(const brinkF8 v[4], brinkF8 out[3]) {
  brinkF8 low01 = brinkF8_UnpackLow(v[0], v[1]), low23 = brinkF8_UnpackLow(v[2], v[3]);
  brinkF8 high01 = brinkF8_UnpackHigh(v[0], v[1]), high23 = brinkF8_UnpackHigh(v[2], v[3]);
  out[0] = brinkF8_MoveLow(low01, low23);
  out[1] = brinkF8_MoveHigh(low01, low23);
  out[2] = brinkF8_MoveLow(high01, high23);
}

static brinkRigid LinkPose(const PairRun *run, const Side *side, double t) {
  if (side->known != NULL && t == run->queryStart) return side->known->rate.pose;
  if (side->known != NULL && t == run->queryEnd) {
    uint64_t seen = atomic_load_explicit(&side->known->ended, memory_order_acquire);
    if (seen == run->query) return side->known->endPose;
    const brinkRigid pose = brinkMotionTree_Pose(run->queryTree, side->collider->link, -1, t);
    if (seen != MAKING && atomic_compare_exchange_strong(&side->known->ended, &seen, MAKING)) {
      side->known->endPose = pose;
      atomic_store_explicit(&side->known->ended, run->query, memory_order_release);
    }
    return pose;
  }
  if (side->motion) return brinkLinkMotion_At(side->motion, t);
  return brinkMotionTree_Pose(run->input->tree, side->collider->link, run->ancestor, t);
}

static void PlaceAt(const PairRun *run, int index, double t, LinkPlace *out) {
  const Side *side = &run->sides[index];
  if (side->rest) {
    out->pose = side->local; /* at rest any point will do for the link's origin: the nearest has the best bounds */
    out->arm = brinkV3(0, 0, 0);
    out->origin = side->local.p;
    return;
  }
  brinkRigid link = LinkPose(run, side, t);
  out->pose.r = side->unturned ? link.r : brinkMulMM(&link.r, &side->local.r);
  out->arm = brinkMulMV(&link.r, side->local.p);
  out->origin = link.p;
  out->pose.p = brinkAdd(out->arm, link.p);
}

/* Box frame -> pair frame. */
static inline brinkRigid BoxPose(const PairRun *run, int index, double t) {
  const Side *side = &run->sides[index];
  if (side->rest) return side->local;
  const brinkRigid link = LinkPose(run, side, t);
  return side->unturned ? (brinkRigid){link.r, brinkApply(&link, side->local.p)} : brinkCompose(&link, &side->local);
}

/* a0 rows[0] + a1 rows[1] + a2 rows[2], in the order of linear.h: the same bits. */
static inline brinkD4 Mix(double a0, double a1, double a2, const brinkD4 rows[3]) {
  return brinkD4_Add(brinkD4_Add(brinkD4_Mul(brinkD4_Set(a0), rows[0]), brinkD4_Mul(brinkD4_Set(a1), rows[1])),
                     brinkD4_Mul(brinkD4_Set(a2), rows[2]));
}

static inline void RowsOf(const brinkMat3 *m, brinkD4 rows[3]) {
  for (int k = 0; k < 3; ++k) rows[k] = brinkD4_Load3(m->m[k]);
}

/* How A is seen from B at one end, and B from A. */
static void PlaceFrames(Interval *interval, int end, const brinkRigid *a, const brinkRigid *b) {
  brinkD4 rowsA[3], rowsB[3], rows[3];
  RowsOf(&a->r, rowsA);
  RowsOf(&b->r, rowsB);
  for (int k = 0; k < 3; ++k) {
    rows[k] = Mix(b->r.m[0][k], b->r.m[1][k], b->r.m[2][k], rowsA);
    brinkD4_Store(interval->frames[end][1][k], rows[k]);
    brinkD4_Store(interval->frames[end][0][k], Mix(a->r.m[0][k], a->r.m[1][k], a->r.m[2][k], rowsB));
  }
  double *p = interval->frames[end][0][3];
  brinkD4_Store(p, Mix(a->p.x - b->p.x, a->p.y - b->p.y, a->p.z - b->p.z, rowsB));
  brinkD4_Store(interval->frames[end][1][3], brinkD4_Mul(brinkD4_Set(-1), Mix(p[0], p[1], p[2], rows)));
}

/* Side x in the other's frame. */
static inline brinkRigid FrameAt(const Interval *interval, int x, int end) {
  const double(*columns)[4] = interval->frames[end][x], (*rows)[4] = interval->frames[end][1 - x];
  brinkRigid out;
  for (int k = 0; k < 3; ++k) memcpy(out.r.m[k], rows[k], sizeof out.r.m[k]);
  out.p = brinkV3_FromArray(columns[3]);
  return out;
}

/* A point of the box frame at distance rho, seen from the other box frame at a distance of about `reach`: bound of what
 * rounding of the poses can hide. Links err by poseError + slope |point|, and a turn error acts over the whole
 * distance. */
static void PoseErrors(const PairRun *run, double reach, double *base, double *slope) {
  const Side *a = &run->sides[0], *b = &run->sides[1];
  *slope = a->poseErrorSlope + b->poseErrorSlope + 16 * EPS;
  *base = a->poseError + b->poseError + a->localError + b->localError + *slope * (reach + 2 * (a->arm + b->arm));
}

static float UpToFloat(double x) { return (float)(x * (1 + 2e-7)) + 1e-37f; }

static bool IsSteady(const Side *side) { return side->rest || side->motion != NULL; }

/* Relative motion of X in W's box frame: y'' = M c + g at t0, |y'''| dt <= jerk0 + jerk1 rho over the interval. */
typedef struct Acceleration {
  double columns[4][4]; /* of M, then g; fourth: of no use */
  double norm;          /* of M */
  double jerk0, jerk1;
  double vectorError; /* of g, beyond its own last digits */
} Acceleration;

/* M = R_W^T N R_X and g = R_W^T v. */
static inline void TakeMatrix(const brinkMat3 *n, brinkVec3 v, const LinkPlace *px, const LinkPlace *pw,
                              Acceleration *out) {
  brinkD4 rowsX[3], rowsW[3];
  double turned[3][4];
  RowsOf(&px->pose.r, rowsX);
  RowsOf(&pw->pose.r, rowsW);
  for (int k = 0; k < 3; ++k) brinkD4_Store(turned[k], Mix(n->m[k][0], n->m[k][1], n->m[k][2], rowsX));
  for (int k = 0; k < 3; ++k) brinkD4_Store(out->columns[k], Mix(turned[0][k], turned[1][k], turned[2][k], rowsW));
  brinkD4_Store(out->columns[3], Mix(v.x, v.y, v.z, rowsW));
}

static void FillAcceleration(const PairRun *run, const Interval *interval, int x, Acceleration *out) {
  const Side *sideX = &run->sides[x], *sideW = &run->sides[1 - x];
  const bool alone = sideW->rest && sideX->motion != NULL; /* nothing but X's turning */
  const LinkState *sx = IsSteady(sideX) ? &sideX->state : &interval->states[x];
  const LinkState *sw = IsSteady(sideW) ? &sideW->state : &interval->states[1 - x];
  const LinkPlace *px = &interval->places[x], *pw = &interval->places[1 - x];
  const double dt = interval->t1 - interval->t0, arm = sideX->rest ? 0 : sideX->arm;
  brinkVec3 d = sx->omega, e = {0, 0, 0}, k = e, q = e, v = e;
  if (!alone) {
    d = brinkSub(sx->omega, sw->omega);
    e = brinkAdd(brinkCross(d, sw->omega), brinkSub(sx->alpha, sw->alpha));
    q = brinkSub(px->origin, pw->origin);
    v = brinkSub(sx->velocity, sw->velocity);
    k = brinkSub(brinkSub(sx->accel, sw->accel), brinkCross(sw->alpha, q));
    k = brinkAdd(k, brinkMulAdd(brinkCross(sw->omega, brinkCross(sw->omega, q)), -2, brinkCross(sw->omega, v)));
  }
  /* N = hat(d)^2 + hat(e) */
  double square = brinkDot(d, d);
  brinkMat3 n = {{{d.x * d.x - square, d.x * d.y - e.z, d.x * d.z + e.y},
                  {d.y * d.x + e.z, d.y * d.y - square, d.y * d.z - e.x},
                  {d.z * d.x - e.y, d.z * d.y + e.x, d.z * d.z - square}}};
  TakeMatrix(&n, brinkAdd(k, brinkMulMV(&n, px->arm)), px, pw, out);
  out->norm = (square + brinkLength(e)) * (1 + 1e-12);
  const double turnError = sideX->poseErrorSlope + sideW->poseErrorSlope + 16 * EPS;
  if (alone) {
    const double matrixError = turnError * out->norm;
    out->jerk0 = dt * (sx->turn3 * arm) * (1 + 1e-12);
    out->jerk1 = dt * sx->turn3 * (1 + 1e-12) + 2 * matrixError;
    out->vectorError = 2 * (matrixError * arm + turnError * (out->norm * arm));
    return;
  }

  /* y = R_W^T z: |y'''| <= |z'''| + 3 |R_W'| |z''| + 3 |R_W''| |z'| + |R_W'''| |z|, each of z's bounded by its value at
   * t0 plus dt times the next; base and slope in the distance of the point from X's link origin. */
  const double spin = sx->spin, turn = sw->spin, lift = sw->lift, reach = brinkLength(q), speed = brinkLength(v);
  const double positionError = sideX->poseError + sideW->poseError + sideX->localError + sideW->localError;
  double third0 = sx->jerkBase + sw->jerkBase, third1 = sx->turn3;
  double second0 = brinkDistance(sx->accel, sw->accel) + sx->accelError + sw->accelError + third0 * dt;
  double second1 = sx->lift + spin * spin + sx->alphaError + 2 * (spin + sx->omegaError) * sx->omegaError + third1 * dt;
  if (sx->turn2 < second1) second1 = sx->turn2;
  double first0 = speed + sx->velocityError + sw->velocityError + second0 * dt,
         first1 = spin + sx->omegaError + second1 * dt;
  if (sx->turn1 < first1) first1 = sx->turn1;
  double zeroth0 = reach + positionError + first0 * dt;
  double base = third0 + 3 * sw->turn1 * second0 + 3 * sw->turn2 * first0 + sw->turn3 * zeroth0;
  double slope = third1 + 3 * sw->turn1 * second1 + 3 * sw->turn2 * first1 + sw->turn3;
  out->jerk0 = dt * (base + slope * arm) * (1 + 1e-12);
  out->jerk1 = dt * slope * (1 + 1e-12);

  /* Rounding of g and, per unit of rho, of M: first order in the errors of the rates, doubled for their products; turn
   * errors act on every vector that is turned. */
  double omegaError = sx->omegaError + sw->omegaError, alphaError = sx->alphaError + sw->alphaError;
  double matrixError = alphaError + 4 * (turn + spin) * omegaError + turnError * out->norm;
  double sizes = brinkLength(sx->accel) + brinkLength(sw->accel) + lift * reach + turn * (2 * speed + turn * reach) +
                 out->norm * arm;
  out->vectorError =
      2 * (sx->accelError + sw->accelError + alphaError * reach + lift * positionError + 2 * omegaError * speed +
           2 * turn * (sx->velocityError + sw->velocityError) + 2 * turn * omegaError * reach +
           turn * turn * positionError + matrixError * arm + turnError * sizes);
  out->jerk1 += 2 * matrixError;
}

static void FillInterval(PairRun *run, Interval *interval, double t0, double t1, const Interval *whole,
                         const Interval *next) {
  interval->t0 = t0;
  interval->t1 = t1;
  interval->revision = run->revision;
  interval->sidesFilled = 0;
  run->intervalsFilled++;
  if (whole != NULL && whole->t0 == t0) {
    interval->places[0] = whole->places[0];
    interval->places[1] = whole->places[1];
    memcpy(interval->frames[0], whole->frames[0], sizeof interval->frames[0]);
  } else {
    PlaceAt(run, 0, t0, &interval->places[0]);
    PlaceAt(run, 1, t0, &interval->places[1]);
    PlaceFrames(interval, 0, &interval->places[0].pose, &interval->places[1].pose);
  }
  for (int side = 0; side < 2; ++side)
    if (!IsSteady(&run->sides[side])) brinkSweptAxis_StateAt(run, side, t0, t1, &interval->states[side]);
  if (whole != NULL && whole->t1 == t1) {
    memcpy(interval->frames[1], whole->frames[1], sizeof interval->frames[1]);
  } else if (next != NULL && next->t0 == t1) {
    memcpy(interval->frames[1], next->frames[0], sizeof interval->frames[1]);
  } else if (t1 > t0) {
    const brinkRigid a = BoxPose(run, 0, t1), b = BoxPose(run, 1, t1);
    PlaceFrames(interval, 1, &a, &b);
  } else {
    memcpy(interval->frames[1], interval->frames[0], sizeof interval->frames[1]);
  }
}

static inline Interval *KeptPlace(PairRun *run, uint32_t index) {
  const int level = 31 - __builtin_clz(index);
  return &run->levels[level][index & (brinkSweptAxis_Kept(level) - 1u)];
}

static Interval *MakeInterval(PairRun *run, uint32_t index) {
  const uint64_t pair = run->revision >> 20;
  if (index == 0) {
    if (run->now.revision >> 20 != pair) FillInterval(run, &run->now, run->start, run->start, NULL, NULL);
    return &run->now;
  }
  int level = 31 - __builtin_clz(index);
  Interval *interval = KeptPlace(run, index);
  double parts = (double)(1u << level), position = (double)(index - (1u << level));
  double length = run->end - run->start;
  double t0 = position == 0 ? run->start : run->start + length * (position / parts);
  double t1 = position + 1 == parts ? run->end : run->start + length * ((position + 1) / parts);
  if (brinkSweptAxis_Late(run, t0)) return NULL;
  const Interval *whole = level > 0 ? KeptPlace(run, index >> 1) : NULL;
  if (whole != NULL && (whole->index != index >> 1 || whole->revision >> 20 != pair)) whole = NULL;
  const Interval *next = level > 0 && index % 2 == 0 ? interval + 1 : NULL; /* a level's places are in order */
  if (next != NULL && (next->index != index + 1 || next->revision >> 20 != pair)) next = NULL;
  interval->index = index;
  FillInterval(run, interval, t0, t1 < run->best ? t1 : run->best, whole, next);
  return interval;
}

static void FillSide(const PairRun *run, Interval *interval, int x) {
  IntervalSide *out = &interval->side[x];
  Acceleration acceleration;
  FillAcceleration(run, interval, x, &acceleration);
  const double(*start)[4] = interval->frames[0][x], (*end)[4] = interval->frames[1][x];
  double dt = interval->t1 - interval->t0, turnSquare = 0, size = 0;
  for (int k = 0; k < 4; ++k) {
    float *to = k < 3 ? out->turned[k] : out->position;
    brinkF4_Store(to, brinkF4_FromDoubles(brinkD4_Load(start[k])));
    brinkF4_Store(to + 4, brinkF4_FromDoubles(brinkD4_Load(end[k])));
    brinkF4_Store(out->accel[k], brinkF4_FromDoubles(brinkD4_Load(acceleration.columns[k])));
  }
  for (int i = 0; i < 3; ++i) {
    double change[4];
    brinkD4 step =
        brinkD4_Sub(brinkD4_Load(interval->frames[1][1 - x][i]), brinkD4_Load(interval->frames[0][1 - x][i]));
    brinkD4_Store(change, brinkD4_Mul(step, step));
    for (int j = 0; j < 3; ++j) turnSquare += change[j];
    size += fabs(acceleration.columns[3][i]);
  }
  double error0, error1;
  PoseErrors(run, brinkLength(brinkV3_FromArray(start[3])) + brinkLength(brinkV3_FromArray(end[3])), &error0, &error1);
  out->turn = UpToFloat(sqrt(turnSquare / 8) + 4 * EPS); /* |R1 - R0|_F = 2 sqrt(2) sin(theta/2) */
  out->accelNorm = UpToFloat(acceleration.norm);
  out->accelRound = UpToFloat(1e-6 * size + acceleration.vectorError);
  out->jerk0 = UpToFloat(acceleration.jerk0);
  out->jerk1 = UpToFloat(acceleration.jerk1 + 1e-6 * acceleration.norm); /* rounding of M c */
  out->eighthSquare = UpToFloat(dt * dt / 8);
  out->poseError0 = UpToFloat(error0);
  out->poseError1 = UpToFloat(error1);
  if (!isfinite(turnSquare + size + acceleration.norm + acceleration.jerk0 + acceleration.jerk1 + error0 + error1))
    out->eighthSquare = out->jerk0 = HUGE_VALF; /* nothing is proven over this interval */
  interval->sidesFilled |= 1u << x;
}

/* Filled on demand, and again when the best time has fallen into it; NULL when it starts at or after that. */
static inline Interval *IntervalAt(PairRun *run, uint32_t index) {
  if (index > 0) {
    Interval *interval = KeptPlace(run, index);
    if (interval->index == index && interval->revision >> 20 == run->revision >> 20 && interval->t1 <= run->best)
      return interval;
  }
  return MakeInterval(run, index);
}
static inline const IntervalSide *SideOf(const PairRun *run, Interval *interval, int x) {
  if (!(interval->sidesFilled >> x & 1u)) FillSide(run, interval, x);
  return &interval->side[x];
}
