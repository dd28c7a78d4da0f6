/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies of revolution of moving pieces, and how long they stay apart.
 *
 * Let a link turn about the axis (P, a), P = P0 + D u + O(D^2), in the frame that carries it. A point of the link keeps
 * its height h = a.(x - P) and its distance r = |a x (x - P)| from the axis. So the piece stays within the hull of the
 * circles (h_i, r_i) of its vertices, whose support along d is max h_i a.d + r_i |a x d|, and the hull moves with the
 * carrier and along u alone. Apart by `gap` along n at t, they are apart for D where s1 D + M D^2/2 < gap: s1 is the
 * closing speed of the hulls at t, exact up to |n x w| times their radius, M a norm bound of their accelerations.
 *
 * Rounding: heights and radii err by a few eps of all lengths that enter; 512 eps are stated to GJK as the rounding of
 * a support function. Speeds are raised by 32 eps of the magnitudes in them. Units: m, rad, step time. */
#include "revolution.h"

#include "likely_normal.h"
#include "motion_bound.h"
#include "path.h"

#define EPS DBL_EPSILON
#define RAISE (1 + 32 * EPS)
#define CIRCLES 256u       /* of more vertices: the bounding ball's circle */
#define NEARLY_ALONG 1e-13 /* of a direction: the circle's middle is as far along, within the stated rounding */
#define PRISM 12u          /* corners that stand for each end of a cylinder */
#define CONTROL_POINTS 512u
#define SHORTEST 1e-4   /* windows of control poses, of the time asked about */
#define STEPS 24        /* bodies of revolution that near each other are left to others after so many steps ... */
#define LEAST_GAIN 1e-3 /* ... or where one gains less than this part of what is left */

typedef struct Axis {
  brinkVec3 direction, pivot, drift; /* unit; carrier frame, at t */
  double driftAccel, driftError;     /* bounds of |P''|, of drift's rounding */
  double rate;                       /* bound of the turn rate, rad per step */
  double size;                       /* of what entered the pivot */
  const brinkPath *controls;         /* a rational Bezier: no axis, but control poses */
} Axis;

/* The axis of a link in its parent's frame; false: none is known. */
static bool axisOf(const brinkLinkMotion *motion, double t, double tEnd, Axis *axis) {
  memset(axis, 0, sizeof *axis);
  if (motion->path != NULL) {
    brinkPathAxis path;
    if (motion->path->kind == brink_pathBezier) {
      axis->controls = motion->path;
      axis->rate = motion->angle;
      return true;
    }
    if (!brinkPath_Axis(motion->path, t, tEnd, &path)) return false;
    *axis =
        (Axis){path.direction, path.pivot, path.drift, path.driftAccel, path.driftError, path.rate, path.size, NULL};
    return path.rate > 0;
  }
  axis->direction = motion->axis;
  axis->pivot = brinkMulAdd(motion->t0, t, motion->v);
  axis->drift = motion->v;
  axis->driftAccel = axis->driftError = 0;
  axis->rate = motion->angle;
  axis->size = brinkLength(motion->t0) + brinkLength(motion->v);
  return motion->angle > 0;
}

static double turnOf(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t, double tEnd) {
  Axis axis;
  if (link < 0 || link == ancestor || !axisOf(&tree->links[link], t, tEnd, &axis)) return 0;
  return axis.rate * (tEnd - t);
}

static double turnedTo(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t, double tEnd) {
  double turn = 0;
  for (; link >= 0 && link != ancestor; link = tree->links[link].parent) turn += turnOf(tree, link, ancestor, t, tEnd);
  return turn;
}

double brinkMostTurned(const brinkMotionTree *tree, int32_t linkA, int32_t linkB, double t, double tEnd) {
  int32_t ancestor = brinkMotionTree_CommonAncestor(tree, linkA, linkB);
  return fmax(turnedTo(tree, linkA, ancestor, t, tEnd), turnedTo(tree, linkB, ancestor, t, tEnd));
}

/* ---- circles */

typedef struct Circles {
  uint32_t count;
  brinkVec3 axis;
  double height[CIRCLES], radius[CIRCLES];
  brinkSupportSource source;
} Circles;

static void circleSupport(void *user, const double direction[3], double point[3]) {
  const Circles *circles = user;
  brinkVec3 d = brinkV3_FromArray(direction), a = circles->axis;
  double along = brinkDot(d, a);
  brinkVec3 across = brinkMulAdd(d, -along, a);
  double length = brinkLength(across), best = -HUGE_VAL;
  uint32_t at = 0;
  for (uint32_t i = 0; i < circles->count; ++i) {
    double value = along * circles->height[i] + length * circles->radius[i];
    if (value > best) best = value, at = i;
  }
  brinkVec3 p = brinkScale(a, circles->height[at]);
  if (length > NEARLY_ALONG) { /* what is left of a small part across must be made orthogonal once more */
    across = brinkScale(across, 1 / length);
    across = brinkMulAdd(across, -brinkDot(across, a), a);
    p = brinkMulAdd(p, circles->radius[at] / brinkLength(across), across);
  }
  point[0] = p.x, point[1] = p.y, point[2] = p.z;
}

static void addCircle(Circles *circles, const brinkRigid *pose, brinkVec3 vertex, brinkVec3 pivot) {
  brinkVec3 x = brinkSub(brinkApply(pose, vertex), pivot);
  double height = brinkDot(circles->axis, x);
  circles->height[circles->count] = height;
  circles->radius[circles->count++] = brinkLength(brinkMulAdd(x, -height, circles->axis));
}

/* The piece, placed in the frame of the axis by `pose`, turned about it: about the pivot. false: half-spaces. */
static bool makeRevolved(const brinkPiece *piece, const brinkRigid *pose, const Axis *axis, Circles *circles,
                         brinkPiece *out) {
  if (piece->kind == brink_pieceHalfSpace) return false;
  circles->count = 0;
  circles->axis = axis->direction;
  *out = (brinkPiece){.kind = brink_pieceSupport, .radius = piece->radius, .support = &circles->source};
  if (piece->kind == brink_piecePoints && piece->count <= CIRCLES) {
    for (uint32_t i = 0; i < piece->count; ++i)
      addCircle(circles, pose, brinkV3_FromArray(piece->vertices + 3 * (size_t)i), axis->pivot);
  } else if (piece->kind == brink_pieceBox) {
    for (uint32_t i = 0; i < 8u; ++i) addCircle(circles, pose, brinkPiece_Vertex(piece, i), axis->pivot);
  } else if (piece->kind == brink_pieceCylinder) {
    const double turn = 6.283185307179586 / PRISM, radius = piece->half.x / cos(0.5 * turn) * RAISE;
    for (uint32_t i = 0; i < 2u * PRISM; ++i) {
      brinkVec3 corner = {radius * cos(turn * (i >> 1)), radius * sin(turn * (i >> 1)),
                          i & 1u ? piece->half.z : -piece->half.z};
      addCircle(circles, pose, brinkAdd(piece->center, corner), axis->pivot);
    }
  } else {
    addCircle(circles, pose, piece->center, axis->pivot);
    out->radius += piece->boundRadius;
  }
  double bound = 0;
  for (uint32_t i = 0; i < circles->count; ++i)
    bound = fmax(bound, circles->height[i] * circles->height[i] + circles->radius[i] * circles->radius[i]);
  bound = sqrt(bound) * RAISE;
  circles->source.function = circleSupport;
  circles->source.user = circles;
  circles->source.rounding =
      512 * EPS * (bound + brinkLength(pose->p) + axis->size + brinkLength(piece->center) + piece->boundRadius);
  circles->source.bound = bound + circles->source.rounding;
  out->boundRadius = circles->source.bound;
  return isfinite(bound);
}

/* ---- sides */

typedef struct Side {
  brinkPiece revolved;
  Circles circles;
  double points[3 * CONTROL_POINTS]; /* of a piece at its control poses */
  brinkLinkRate rate;                /* of what carries the body */
  brinkMovingPiece moving;
  brinkRigid pose;  /* of the piece in the pair's frame, at t */
  double poseError; /* m, any point of the piece */
} Side;

static void rateOf(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t, double tEnd,
                   brinkLinkRate *rate) {
  memset(rate, 0, sizeof *rate);
  rate->pose = brinkIdentityRigid();
  if (link != ancestor) brinkMotionTree_Rate(tree, link, ancestor, t, tEnd, rate);
}

static bool isAtRest(const brinkLinkRate *rate) { return rate->speedBase == 0 && rate->speedSlope == 0; }

/* The carrier's rates with the drift of an axis in its frame. */
static void addDrift(brinkLinkRate *rate, const Axis *axis, double window) {
  const double speed = (brinkLength(axis->drift) + axis->driftError) * RAISE, accel = axis->driftAccel;
  if (!(speed > 0) && !(accel > 0)) return;
  const bool rest = isAtRest(rate);
  const double most = (speed + accel * window) * RAISE, far = most * window;
  brinkVec3 drift = brinkMulMV(&rate->pose.r, axis->drift);
  rate->accel = brinkAdd(rate->accel, brinkScale(brinkCross(rate->omega, drift), 2));
  rate->accelError += accel + (2 * rate->omegaError + 32 * EPS * rate->speedSlope) * speed;
  rate->velocity = brinkAdd(rate->velocity, drift);
  rate->velocityError += axis->driftError + (rate->poseErrorSlope + 32 * EPS) * speed;
  rate->speedBase = (rate->speedBase + most + rate->speedSlope * far) * RAISE;
  rate->jerkBase =
      (rate->jerkBase + 3 * (rate->speedSlope * accel + rate->accelSlope * most) + rate->jerkSlope * far) * RAISE;
  if (accel > 0) rate->jerkBase = HUGE_VAL; /* not known */
  rate->accelBase = (rate->accelBase + accel + 2 * rate->speedSlope * most + rate->accelSlope * far) * RAISE;
  if (rest && accel == 0) { /* the same at all times */
    rate->rootVelocity = drift;
    rate->paperBase = rate->velocityError;
    rate->fixedAxis = 1;
  } else {
    rate->paperBase = (rate->paperBase + most + rate->speedSlope * far) * RAISE;
    rate->fixedAxis = 0;
  }
  rate->window = fmax(rate->window, window * (1 + 2 * EPS));
}

static double extentOf(const brinkPiece *piece) {
  if (piece->kind == brink_pieceHalfSpace) return fabs(piece->offset);
  return brinkLength(piece->center) + piece->boundRadius + piece->radius;
}

static void place(Side *side, const brinkPiece *piece, const brinkRigid *local) {
  side->moving = (brinkMovingPiece){piece, *local, &side->rate};
  side->pose = brinkCompose(&side->rate.pose, local);
  double reach = brinkLength(local->p) + extentOf(piece);
  side->poseError = (side->rate.poseError + (side->rate.poseErrorSlope + 16 * EPS) * reach) * RAISE;
}

/* As it is, with its own rates. */
static bool makePlain(const brinkMotionTree *tree, const brinkRevolvingBody *body, int32_t ancestor, double t,
                      double tEnd, Side *side) {
  rateOf(tree, body->link, ancestor, t, tEnd, &side->rate);
  if (body->piece->kind == brink_pieceHalfSpace && side->rate.speedSlope != 0) return false;
  place(side, body->piece, &body->local);
  return true;
}

/* A body on a rational Bezier is a convex combination of what it is at the control poses of [t, until]: their hull. */
static bool makeControlled(const brinkMotionTree *tree, const brinkRevolvingBody *body, int32_t ancestor,
                           const brinkPath *path, double t, double until, double tEnd, Side *side) {
  const brinkPiece *piece = body->piece;
  const uint32_t count = piece->kind == brink_pieceBox ? 8u : piece->count;
  brinkRigid controls[BRINK_PATH_MAX_DEGREE + 1];
  double error, size = 0;
  int32_t poses = brinkPath_Controls(path, t, until, controls, &error);
  if ((piece->kind != brink_pieceBox && piece->kind != brink_piecePoints) || poses == 0 ||
      count * (uint32_t)poses > CONTROL_POINTS)
    return false;
  double *out = side->points;
  for (int32_t k = 0; k < poses; ++k)
    for (uint32_t i = 0; i < count; ++i, out += 3) {
      brinkVec3 inLink = brinkApply(&body->local, brinkPiece_Vertex(piece, i)), x = brinkApply(&controls[k], inLink);
      out[0] = x.x, out[1] = x.y, out[2] = x.z;
      size = fmax(size, brinkLength(inLink));
    }
  side->revolved = brinkMakePointPiece(side->points, count * (uint32_t)poses, piece->radius);
  rateOf(tree, tree->links[body->link].parent, ancestor, t, tEnd, &side->rate);
  const brinkRigid here = brinkIdentityRigid();
  place(side, &side->revolved, &here);
  side->poseError += (error + 64 * EPS) * (1 + size);
  return true;
}

/* Turned about its own axis. */
static bool makeTurned(const brinkMotionTree *tree, const brinkRevolvingBody *body, int32_t ancestor, double t,
                       double until, double tEnd, Side *side) {
  const brinkLinkMotion *motion = &tree->links[body->link];
  Axis axis;
  if (!axisOf(motion, t, tEnd, &axis)) return false;
  if (axis.controls != NULL) return makeControlled(tree, body, ancestor, axis.controls, t, until, tEnd, side);
  brinkRigid inCarrier = brinkLinkMotion_At(motion, t), placed = brinkCompose(&inCarrier, &body->local);
  if (!makeRevolved(body->piece, &placed, &axis, &side->circles, &side->revolved)) return false;
  rateOf(tree, motion->parent, ancestor, t, tEnd, &side->rate);
  const brinkRigid pivot = {brinkIdentityRigid().r, axis.pivot};
  place(side, &side->revolved, &pivot);
  addDrift(&side->rate, &axis, tEnd - t);
  return true;
}

/* Two sides as seen from the pair's frame; which: bits of the sides that are turned about their axes. */
static bool makeSides(const brinkMotionTree *tree, const brinkRevolvingBody *const bodies[2], int32_t ancestor,
                      double t, double until, double tEnd, unsigned which, Side sides[2]) {
  for (int i = 0; i < 2; ++i)
    if (!(which >> i & 1u ? makeTurned(tree, bodies[i], ancestor, t, until, tEnd, &sides[i])
                          : makePlain(tree, bodies[i], ancestor, t, tEnd, &sides[i])))
      return false;
  for (int i = 0; i < 2; ++i) /* a half-space is off as far out as the other body is */
    if (sides[i].moving.piece->kind == brink_pieceHalfSpace)
      sides[i].poseError += (sides[i].rate.poseErrorSlope + 16 * EPS) *
                            (brinkLength(sides[1 - i].pose.p) + extentOf(sides[1 - i].moving.piece));
  return true;
}

/* Seen from the link that turns (bodies[turning]), if the other body rests: that one turns about the same axis the
 * other way, and drifts along it only. */
static bool makeSeenFrom(const brinkMotionTree *tree, const brinkRevolvingBody *const bodies[2], int32_t ancestor,
                         double t, double tEnd, int turning, Side sides[2]) {
  const brinkRevolvingBody *mover = bodies[turning], *other = bodies[1 - turning];
  const brinkLinkMotion *motion = &tree->links[mover->link];
  Side *still = &sides[turning], *turned = &sides[1 - turning];
  Axis axis;
  if (motion->parent != ancestor || !axisOf(motion, t, tEnd, &axis) || axis.controls != NULL || axis.driftAccel != 0)
    return false;
  if (brinkLength(brinkCross(axis.drift, axis.direction)) > 16 * EPS * brinkLength(axis.drift)) return false;
  rateOf(tree, other->link, ancestor, t, tEnd, &turned->rate);
  if (!isAtRest(&turned->rate)) return false;
  const brinkRigid placed = brinkCompose(&turned->rate.pose, &other->local);
  if (!makeRevolved(other->piece, &placed, &axis, &turned->circles, &turned->revolved)) return false;
  const brinkRigid pivot = {brinkIdentityRigid().r, axis.pivot}, pose = brinkLinkMotion_At(motion, t);
  rateOf(tree, ancestor, ancestor, t, tEnd, &turned->rate);
  place(turned, &turned->revolved, &pivot);
  axis.drift = brinkNeg(axis.drift);
  addDrift(&turned->rate, &axis, tEnd - t);
  rateOf(tree, ancestor, ancestor, t, tEnd, &still->rate);
  const brinkRigid own = brinkCompose(&pose, &mover->local);
  place(still, mover->piece, &own);
  bool plane = mover->piece->kind == brink_pieceHalfSpace; /* its pose errs as far out as the other body is */
  double reach = brinkLength(still->pose.p) + extentOf(mover->piece);
  if (plane) reach += brinkLength(axis.pivot) + turned->revolved.boundRadius;
  still->poseError = (256 + 16 * motion->angle) * EPS * (reach + axis.size);
  return true;
}

/* ---- steps */

/* The best certified gap along GJK's direction, the axes and normals of flat faces, and that direction. */
static double gapOf(const Side sides[2], double separation, brinkGjkCache *warm, brinkVec3 *normal) {
  const brinkGjkLimits limits = {
      .relative = 0.05, .absolute = 0.05 * separation, .enoughLower = INFINITY, .enoughUpper = separation};
  brinkSeparation found;
  const brinkPiece *a = sides[0].moving.piece, *b = sides[1].moving.piece;
  brinkGjk(a, &sides[0].pose, b, &sides[1].pose, &limits, warm, &found);
  warm->normal = *normal = found.normal;
  double best = found.lower;
  if (best > 0.5 * found.upper && best > separation) return best;
  brinkTakeLikelyGap(a, &sides[0].pose, b, &sides[1].pose, &best, normal);
  for (int i = 0; i < 2; ++i) {
    if (sides[i].moving.piece != &sides[i].revolved || sides[i].revolved.kind != brink_pieceSupport) continue;
    brinkVec3 n = brinkMulMV(&sides[i].pose.r, sides[i].circles.axis);
    if (brinkDot(n, found.normal) < 0) n = brinkNeg(n);
    double gap = brinkCertifyGap(a, &sides[0].pose, b, &sides[1].pose, n);
    if (gap > best) {
      best = gap;
      *normal = n;
    }
  }
  return best;
}

/* One step; t: nothing is proven. */
static double stepFrom(Side sides[2], double t, double tEnd, double separation, brinkGjkCache *warm) {
  brinkVec3 centre = sides[0].pose.p, n;
  sides[0].pose.p = brinkV3(0, 0, 0);
  sides[1].pose.p = brinkSub(sides[1].pose.p, centre);
  double gap = gapOf(sides, separation, warm, &n) - separation - (sides[0].poseError + sides[1].poseError);
  double step = brinkSafeStep(&sides[0].moving, &sides[1].moving, n, gap, false);
  if (!(step > 0)) return t;
  return step >= tEnd - t ? tEnd : BRINK_MAX(t, BRINK_MIN(t + step * (1 - 4 * EPS), tEnd));
}

enum { SEEN_FROM = 4 }; /* + side */

static double walk(const brinkMotionTree *tree, const brinkRevolvingBody *const bodies[2], int32_t ancestor, double t,
                   double tEnd, double separation, unsigned way, uint64_t *distances) {
  Side sides[2];
  brinkGjkCache warm = {0};
  const double whole = tEnd - t;
  bool controlled = false; /* proofs hold for short windows only */
  for (int i = 0; i < 2; ++i)
    if (way < SEEN_FROM && way >> i & 1u) {
      const brinkPath *path = tree->links[bodies[i]->link].path;
      controlled = controlled || (path != NULL && path->kind == brink_pathBezier);
    }
  double window = whole;
  for (int i = 0; i < (controlled ? 8 * STEPS : STEPS) && t < tEnd; ++i) {
    const double until = window < tEnd - t ? t + window : tEnd;
    bool made = way >= SEEN_FROM ? makeSeenFrom(tree, bodies, ancestor, t, tEnd, (int)(way - SEEN_FROM), sides)
                                 : makeSides(tree, bodies, ancestor, t, until, tEnd, way, sides);
    if (!made) return t;
    ++*distances;
    double next = fmin(stepFrom(sides, t, tEnd, separation, &warm), until);
    bool little = next - t < LEAST_GAIN * (tEnd - t);
    if (controlled) {
      if (next < until) {
        window *= 0.25;
        if (window < SHORTEST * whole) return BRINK_MAX(t, next);
      } else {
        window *= 2;
      }
    } else if (little) {
      return next;
    }
    t = next;
  }
  return t;
}

double brinkRevolvedUntil(const brinkMotionTree *tree, const brinkRevolvingBody *a, const brinkRevolvingBody *b,
                          double t, double tEnd, double separation, uint64_t *distances) {
  const brinkRevolvingBody *const bodies[2] = {a, b};
  int32_t ancestor = brinkMotionTree_CommonAncestor(tree, a->link, b->link);
  unsigned turning = 0;
  for (unsigned i = 0; i < 2; ++i)
    if (turnOf(tree, bodies[i]->link, ancestor, t, tEnd) > 0) turning |= 1u << i;
  if (turning == 0) return t;
  double until = walk(tree, bodies, ancestor, t, tEnd, separation, turning, distances);
  for (unsigned i = 0; i < 2 && until < tEnd; ++i)
    if (turning == 1u << i)
      until = fmax(until, walk(tree, bodies, ancestor, until, tEnd, separation, SEEN_FROM + i, distances));
  return until;
}
