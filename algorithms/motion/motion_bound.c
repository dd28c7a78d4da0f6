/* SPDX-License-Identifier: BSD-3-Clause */
/* See motion_bound.h. [CATCH] Sec. 6, eq. 6-10 (eq10: theory D2.2); theory D2.3, D2.4 (a), (c), (c+), (d), (e).
 * A fixed n: only the core of a piece moves along it, its sweeping sphere adds a constant. y: a point of the core from
 * the link's origin in pair axes; c: the core's bounding centre, rho its radius. Maxima over the core:
 *   n.p'  = n.V + (n x Om).y: one support query, or (n x Om).c + |n x Om| rho
 *   n.p'' = n.A + q.y,  q = n x Al + Om (Om.n) - n |Om|^2: at most n.A + q.c + |q| rho
 * Displacement along n after D:  s1 D + M D^2/2,  and  s1 D + s2 D^2/2 + M3 D^3/6;  speed never above mu.
 * Rounding: every sum is raised by 32 eps of the magnitudes in it (no sum here has more than 24 operations on a path)
 * and by the errors the rates carry; steps are lowered by 64 eps. Units: m, step time. */
#include "motion_bound.h"

#define EPS DBL_EPSILON
#define RAISE (1 + 32 * EPS)
#define LOWER (1 - 64 * EPS)

/* One side, freed of frames: what its core does along any direction. */
typedef struct Side {
  const brinkMovingPiece *moving;
  const brinkLinkRate *rate;
  bool rest, unbounded; /* unbounded: a half-space that turns against another */
  bool ball;            /* a half-space's material within a ball (c, rho): no support queries */
  brinkVec3 c;          /* core's centre from the link's origin, pair axes */
  double rc, rho;       /* |c| and core radius, rounded up; reach = rc + rho */
  double reach;
  brinkVec3 velocity, accel; /* of the centre at t */
  double velocityError, accelError;
  double centreAccel;   /* bound of the centre's |p''| on the window */
  double second, third; /* M and M3 of the whole core */
  double speed;         /* any direction, whole core, whole window */
} Side;

/* Ball in the plane's frame that holds the other piece during `window`: centre from the plane's link, pair axes. A
 * point x of the other moves in that frame by at most the integral of |x' - p' - w x (x - p)|. */
static double materialBall(const brinkMovingPiece *plane, const brinkMovingPiece *other, double window,
                           brinkVec3 *centre) {
  const brinkLinkRate *rate = plane->rate, *rates = other->rate;
  brinkVec3 local = brinkApply(&other->local, other->piece->center);
  double size = (other->piece->boundRadius + other->piece->radius) * RAISE, reach = brinkLength(local) * RAISE + size;
  *centre = brinkSub(brinkApply(&rates->pose, local), rate->pose.p);
  double travel = (rates->speedBase + rates->speedSlope * reach + rate->speedBase) * window;
  double far = brinkLength(*centre) * RAISE + size + travel;
  double doubt = rates->poseError + rates->poseErrorSlope * reach + rate->poseError + 32 * EPS * (reach + far);
  return (size + travel + rate->speedSlope * window * far + doubt) * RAISE;
}

/* Does the half-space keep its normal? (A spin about it changes nothing.) */
static bool keepsNormal(const brinkMovingPiece *plane) {
  const brinkLinkRate *rate = plane->rate;
  if (rate->speedSlope == 0) return true;
  if (!rate->fixedAxis) return false;
  brinkVec3 local = brinkMulMV(&plane->local.r, plane->piece->normal), normal = brinkMulMV(&rate->pose.r, local);
  return brinkLength(brinkCross(normal, rate->omega)) <= 16 * EPS * brinkLength(rate->omega);
}

static Side makeSide(const brinkMovingPiece *moving, const brinkMovingPiece *other, double window) {
  Side s;
  memset(&s, 0, sizeof s);
  const brinkLinkRate *rate = moving->rate;
  s.moving = moving;
  s.rate = rate;
  s.rest = rate->speedBase == 0 && rate->speedSlope == 0;
  if (s.rest) return s;
  if (moving->piece->kind == brink_pieceHalfSpace) {
    bool keeps = keepsNormal(moving);
    s.unbounded = !keeps && other->piece->kind == brink_pieceHalfSpace;
    s.ball = !keeps && !s.unbounded;
    if (s.ball) {
      s.rho = materialBall(moving, other, window, &s.c);
      s.rc = brinkLength(s.c) * RAISE;
    }
  } else {
    brinkVec3 centre = brinkApply(&moving->local, moving->piece->center);
    s.c = brinkMulMV(&rate->pose.r, centre);
    double size = brinkLength(moving->piece->center) + brinkLength(moving->local.p);
    s.rc = (brinkLength(centre) + 32 * EPS * size) * RAISE;
    s.rho = moving->piece->boundRadius * RAISE;
  }
  s.reach = s.rc + s.rho;
  double omega = brinkLength(rate->omega), alpha = brinkLength(rate->alpha);
  brinkVec3 swing = brinkCross(rate->omega, s.c);
  s.velocity = brinkAdd(rate->velocity, swing);
  s.accel = brinkAdd(rate->accel, brinkAdd(brinkCross(rate->alpha, s.c), brinkCross(rate->omega, swing)));
  s.velocityError = (rate->velocityError + (rate->omegaError + omega * rate->poseErrorSlope) * s.reach +
                     32 * EPS * (brinkLength(rate->velocity) + omega * s.reach)) *
                    RAISE;
  s.accelError =
      (rate->accelError +
       (rate->alphaError + 2 * omega * rate->omegaError + (alpha + omega * omega) * rate->poseErrorSlope) * s.reach +
       32 * EPS * (brinkLength(rate->accel) + (alpha + omega * omega) * s.reach)) *
      RAISE;
  s.third = (rate->jerkBase + rate->jerkSlope * s.reach) * RAISE;
  s.speed = (rate->speedBase + rate->speedSlope * s.reach) * RAISE;
  /* A fixed axis keeps the centre's distance from it, hence the length of its acceleration. */
  double drift = rate->fixedAxis ? 0 : (rate->jerkBase + rate->jerkSlope * s.rc) * rate->window;
  double bySums = rate->accelBase + rate->accelSlope * s.rc,
         byValue = brinkLength(s.accel) * RAISE + s.accelError + drift;
  s.centreAccel = (byValue < bySums ? byValue : bySums) * RAISE;
  s.second = (s.centreAccel + rate->accelSlope * s.rho) * RAISE;
  return s;
}

/* Bound of n.p' over core and window (one-sided: may be negative). sign: +1 for n, -1 for -n. */
static double fastest(const Side *s, brinkVec3 n) {
  const brinkLinkRate *rate = s->rate;
  double length = brinkLength(n) * RAISE, best = s->speed * length;
  double along = brinkDot(n, rate->rootVelocity) + 32 * EPS * length * brinkLength(rate->rootVelocity);
  double across =
      (brinkLength(brinkCross(n, rate->rootOmega)) + 32 * EPS * length * brinkLength(rate->rootOmega)) * RAISE;
  double reach = rate->paperArm + s->reach;
  if (rate->fixedAxis) { /* n x w is orthogonal to w: only the arm across the axis counts, and it keeps its length */
    double omega = brinkLength(rate->omega);
    double arm = omega > 0 ? brinkLength(brinkCross(rate->omega, s->c)) / omega : 0;
    reach = arm + (64 * EPS + 2 * rate->poseErrorSlope) * s->rc + s->rho;
  }
  double rest = (across * reach + (rate->paperBase + rate->paperSlope * s->reach) * length) * RAISE;
  double directed = along + rest;
  directed += 4 * EPS * (fabs(along) + rest);
  return directed < best ? directed : best;
}

/* theory D2.2 as it stands: |n.v| and norms. */
static double paperSpeed(const Side *s, brinkVec3 n) {
  const brinkLinkRate *rate = s->rate;
  double length = brinkLength(n) * RAISE;
  double along = fabs(brinkDot(n, rate->rootVelocity)) + 32 * EPS * length * brinkLength(rate->rootVelocity);
  double across = brinkLength(brinkCross(n, rate->rootOmega)) + 32 * EPS * length * brinkLength(rate->rootOmega);
  return (along + across * (rate->paperArm + s->reach) + (rate->paperBase + rate->paperSlope * s->reach) * length) *
         RAISE;
}

/* max over the core of n.p' at t, by the bounding sphere. */
static double firstBySphere(const Side *s, brinkVec3 n) {
  double length = brinkLength(n) * RAISE;
  double turn = (brinkLength(brinkCross(n, s->rate->omega)) + 32 * EPS * length * brinkLength(s->rate->omega)) * s->rho;
  double value = brinkDot(n, s->velocity), size = fabs(value) + turn;
  return value + turn + s->velocityError * length + 8 * EPS * size;
}

/* The same by a support query: never larger than the sphere's up to rounding. */
static double firstBySupport(const Side *s, brinkVec3 n, double bySphere) {
  const brinkPiece *piece = s->moving->piece;
  brinkVec3 turn = brinkCross(n, s->rate->omega);
  if (s->ball || s->rho == 0 || (turn.x == 0 && turn.y == 0 && turn.z == 0)) return bySphere;
  brinkVec3 g = brinkTMulMV(&s->rate->pose.r, turn), d = brinkTMulMV(&s->moving->local.r, g);
  double sweep = piece->radius * brinkLength(d), support = brinkPiece_SupportValue(piece, d) - sweep;
  double along = brinkDot(n, s->rate->velocity), offset = brinkDot(g, s->moving->local.p);
  double length = brinkLength(n) * RAISE, turnLength = brinkLength(turn);
  double size =
      turnLength * (brinkLength(piece->center) + piece->boundRadius + piece->radius + brinkLength(s->moving->local.p)) +
      fabs(along);
  double value = along + offset + support + s->velocityError * length + 32 * EPS * size;
  return value < bySphere ? value : bySphere;
}

/* max over the core of n.p'' at t, by the bounding sphere. */
static double secondAlong(const Side *s, brinkVec3 n) {
  const brinkLinkRate *rate = s->rate;
  double length = brinkLength(n) * RAISE, omega2 = brinkLengthSquared(rate->omega);
  brinkVec3 q = brinkCross(n, rate->alpha);
  q = brinkMulAdd(q, brinkDot(rate->omega, n), rate->omega);
  q = brinkMulAdd(q, -omega2, n);
  double value = brinkDot(n, s->accel), spread = brinkLength(q) * s->rho * RAISE;
  return value + spread + (s->accelError + 32 * EPS * (brinkLength(s->accel) + spread)) * length;
}

/* Smallest D > 0 with s1 D + m D^2/2 = d (m >= 0, d > 0); INFINITY when there is none. Without cancellation. */
static double quadraticStep(double s1, double m, double d) {
  if (m == 0) return s1 > 0 ? d / s1 : HUGE_VAL;
  double root = sqrt(s1 * s1 + 2 * m * d);
  return s1 >= 0 ? 2 * d / (s1 + root) : (root - s1) / m;
}

/* theory D2.4 (c+): accelerate by M until the speed is mu, then go on at mu. */
static double cappedStep(double s1, double m, double mu, double d) {
  if (mu <= 0) return HUGE_VAL;
  if (!(s1 < mu) || !(m < HUGE_VAL)) return d / mu; /* nothing but speeds is known of some paths */
  double plain = quadraticStep(s1, m, d);
  if (m == 0) return plain;
  double untilCap = (mu - s1) / m;
  if (!(plain > untilCap)) return plain;
  double covered = 0.5 * untilCap * (s1 + mu) * (1 + 8 * EPS) + 8 * EPS * untilCap * (fabs(s1) + mu);
  double beyond = untilCap * LOWER + (d - covered) / mu;
  return beyond > 0 ? beyond : 0;
}

/* theory D2.4 (e) with s2 >= 0: f = s1 D + s2 D^2/2 + m3 D^3/6 is convex, so a chord between a safe and an unsafe D
 * cuts the level d at a safe D. Newton from above brings the unsafe end down; whatever the rounding, only tested D are
 * returned. */
static double cubicStep(double s1, double s2, double m3, double d, double window) {
  double unsafe = quadraticStep(s1, s2, d), safe = 0, atSafe = 0;
  if (!(unsafe < window)) unsafe = window;
  for (int i = 0; i < 6; ++i) {
    double slope = s1 + unsafe * (s2 + 0.5 * m3 * unsafe);
    double rise = unsafe * (0.5 * s2 + unsafe * m3 / 6), value = unsafe * (s1 + rise);
    value += 8 * EPS * unsafe * (fabs(s1) + rise); /* up */
    if (value <= d) return unsafe;
    double chord = (safe + (unsafe - safe) * ((d - atSafe) / (value - atSafe))) * LOWER;
    double chordRise = chord * (0.5 * s2 + chord * m3 / 6), atChord = chord * (s1 + chordRise);
    atChord += 8 * EPS * chord * (fabs(s1) + chordRise);
    if (atChord <= d && chord > safe) {
      safe = chord;
      atSafe = atChord;
    }
    if (unsafe - safe <= 1e-3 * unsafe || !(slope > 0)) break;
    unsafe -= (value - d) / slope;
    if (!(unsafe > safe)) break;
  }
  return safe;
}

/* The step, when sides were made for at least as long a window as it comes out. */
static double stepOf(const Side sides[2], brinkVec3 n, double gap, bool eq10) {
  const brinkVec3 directions[2] = {n, brinkNeg(n)};
  if (sides[0].unbounded || sides[1].unbounded) return 0;
  if (sides[0].rest && sides[1].rest) return HUGE_VAL;
  double mu = 0, muSize = 0, s1 = 0, s1Size = 0, second = 0, third = 0, s2 = 0, window = 0;
  double length = brinkLength(n) * RAISE;
  for (int i = 0; i < 2; ++i) {
    if (sides[i].rest) continue;
    double speed = eq10 ? paperSpeed(&sides[i], directions[i]) : fastest(&sides[i], directions[i]);
    mu += speed;
    muSize += fabs(speed);
  }
  mu += 4 * EPS * muSize;
  if (isnan(mu)) return 0;
  if (eq10) return gap / mu * LOWER;
  double bySphere[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    if (sides[i].rest) continue;
    bySphere[i] = firstBySphere(&sides[i], directions[i]);
    s1 += bySphere[i];
    s1Size += fabs(bySphere[i]);
    second += sides[i].second * length;
    third += sides[i].third * length;
    window = fmax(window, sides[i].rate->window);
  }
  s1 += 4 * EPS * s1Size;
  second *= RAISE;
  double step = cappedStep(s1, second, mu, gap) * LOWER;
  if (step >= window) return step; /* already beyond anything asked: no support query needed */
  s1 = s1Size = 0;
  for (int i = 0; i < 2; ++i) {
    if (sides[i].rest) continue;
    double value = firstBySupport(&sides[i], directions[i], bySphere[i]), along = secondAlong(&sides[i], directions[i]);
    s1 += value;
    s1Size += fabs(value);
    s2 += along + 4 * EPS * fabs(along);
  }
  s1 += 4 * EPS * s1Size;
  step = fmax(step, cappedStep(s1, second, mu, gap) * LOWER);
  if (step < window) step = fmax(step, cubicStep(s1, fmax(s2, 0), third * RAISE, gap, window) * LOWER);
  return step > 0 ? step : 0;
}

/* Of m.(x - p): see turningStep. The sphere that sweeps a piece adds a constant to it, so only the core counts. */
static double planeCurvature(const brinkMovingPiece *plane, const brinkMovingPiece *other, double window) {
  const brinkLinkRate *p = plane->rate, *x = other->rate;
  const brinkPiece *piece = other->piece;
  double reach = brinkLength(other->local.p) + brinkLength(piece->center) + piece->boundRadius;
  double speed = x->speedBase + x->speedSlope * reach + p->speedBase;
  double farthest = brinkDistance(x->pose.p, p->pose.p) + reach + speed * window;
  return (p->accelSlope * farthest + 2 * p->speedSlope * speed + p->accelBase + x->accelBase + x->accelSlope * reach) *
         RAISE * RAISE;
}

/* A half-space that turns, seen from itself: f(x) = m.(x - p), m its normal and p its link's origin, has f' linear in x
 * and |f''| <= |m''| |x - p| + 2 |m'| |x' - p'| + |x'' - p''|; what is gap at t is not used up before s1 D + M D^2/2 =
 * gap, with s1 = max -f' over the other piece (one support query) and M the bound of |f''|. Of `plane` nothing counts
 * but that it stays behind the plane, which goes with its link. */
static double turningStep(const brinkMovingPiece *plane, const brinkMovingPiece *other, brinkVec3 m, double gap,
                          double window) {
  const brinkLinkRate *p = plane->rate, *x = other->rate;
  const brinkPiece *piece = other->piece;
  brinkVec3 between = brinkSub(x->pose.p, p->pose.p), slide = brinkCross(p->omega, m);
  brinkVec3 d = brinkNeg(brinkAdd(slide, brinkCross(m, x->omega))); /* pair axes; -f' grows along it */
  brinkVec3 g = brinkTMulMV(&x->pose.r, d), local = brinkTMulMV(&other->local.r, g);
  double support = brinkPiece_SupportValue(piece, local) - piece->radius * brinkLength(local);
  double centre = brinkDot(slide, between) + brinkDot(m, brinkSub(x->velocity, p->velocity));
  double reach =
      (brinkLength(other->local.p) + brinkLength(piece->center) + piece->boundRadius + piece->radius) * RAISE;
  double turn = brinkLength(d) * RAISE, far = brinkLength(between) * RAISE, omega = brinkLength(p->omega);
  double s1 = -centre + brinkDot(g, other->local.p) + support;
  double errors =
      p->velocityError + x->velocityError + p->omegaError * (far + reach) + x->omegaError * reach +
      (p->poseErrorSlope + x->poseErrorSlope) *
          (omega * (far + reach) + turn * reach + brinkLength(brinkSub(x->velocity, p->velocity))) +
      omega * (p->poseError + x->poseError) +
      32 * EPS * (omega * (far + reach) + turn * reach + brinkLength(x->velocity) + brinkLength(p->velocity));
  s1 += errors * RAISE;
  double second = planeCurvature(plane, other, window);
  if (isnan(s1) || !(second < HUGE_VAL)) return 0;
  return quadraticStep(s1, second, gap) * LOWER;
}

/* Shorter and shorter windows: the ball around what a turning half-space can meet shrinks with them. */
#define WINDOWS 8

double brinkSafeStep(const brinkMovingPiece *a, const brinkMovingPiece *b, brinkVec3 n, double gap, bool eq10) {
  if (!(gap > 0)) return 0;
  double window = fmax(a->rate->window, b->rate->window), best = 0;
  const bool planeA = a->piece->kind == brink_pieceHalfSpace, planeB = b->piece->kind == brink_pieceHalfSpace;
  const brinkMovingPiece *plane = planeA ? a : b;
  if (planeA != planeB && !eq10 && plane->rate->speedSlope > 0) {
    const brinkVec3 inLink = brinkMulMV(&plane->local.r, plane->piece->normal);
    best = turningStep(plane, planeA ? b : a, brinkMulMV(&plane->rate->pose.r, inLink), gap, window);
  }
  for (int i = 0; i < WINDOWS; ++i) {
    Side sides[2] = {makeSide(a, b, window), makeSide(b, a, window)};
    double step = stepOf(sides, n, gap, eq10);
    if (!sides[0].ball && !sides[1].ball) return fmax(best, step);
    if (step >= window) return fmax(best, i == 0 ? step : window);
    best = fmax(best, step);
    window = fmin(0.5 * window, 4 * best);
    if (!(window > best)) break;
  }
  return best;
}

/* Of both sides, 1/s: how fast they close. sums: by their speeds; relative, accel: by their centres' difference. */
typedef struct Closing {
  double sums, relative, accel, second;
} Closing;

static Closing addSides(const Side sides[2]) {
  Closing out = {.relative = brinkLength(brinkSub(sides[0].velocity, sides[1].velocity)) * RAISE};
  for (int i = 0; i < 2; ++i) {
    if (sides[i].rest) continue;
    out.sums += sides[i].speed;
    out.relative += sides[i].velocityError + sides[i].rate->speedSlope * sides[i].rho;
    out.accel += sides[i].centreAccel;
    out.second += sides[i].second * RAISE;
  }
  return out;
}

double brinkClosingBound(const brinkMovingPiece *a, const brinkMovingPiece *b, double duration) {
  Side sides[2] = {makeSide(a, b, duration), makeSide(b, a, duration)};
  if (sides[0].unbounded || sides[1].unbounded) return duration > 0 ? HUGE_VAL : 0;
  if (!(duration > 0) || (sides[0].rest && sides[1].rest)) return 0;
  const Closing closing = addSides(sides);
  double byValue = closing.relative + 0.5 * closing.accel * duration;
  return (byValue < closing.sums ? byValue : closing.sums) * duration * RAISE;
}

void brinkMovingPair_Bounds(const brinkMovingPiece *a, const brinkMovingPiece *b, double duration, double *speed,
                            double *second) {
  Side sides[2] = {makeSide(a, b, duration), makeSide(b, a, duration)};
  const Closing closing = addSides(sides);
  double byValue = closing.relative + closing.accel * duration;
  *speed = (byValue < closing.sums ? byValue : closing.sums) * RAISE;
  *second = closing.second;
}

double brinkMovingPair_Curvature(const brinkMovingPiece *a, const brinkMovingPiece *b, double duration) {
  const bool planeA = a->piece->kind == brink_pieceHalfSpace, planeB = b->piece->kind == brink_pieceHalfSpace;
  if (planeA && planeB && (!keepsNormal(a) || !keepsNormal(b))) return HUGE_VAL;
  if (planeA && !planeB) return planeCurvature(a, b, duration);
  if (planeB && !planeA) return planeCurvature(b, a, duration);
  double speed, second;
  brinkMovingPair_Bounds(a, b, duration, &speed, &second);
  return second;
}
