/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from the motions of links down a tree: poses, Taylor models, rates. Based on: [CATCH] Sec. 3.2,
 * eq. 1-2, Sec. 5 (Taylor models), Sec. 6 (norm sums); theory D1.1, D1.2, D1.4, D2.1-D2.4.
 * Rates are gathered from the leaf upward: a point that moves as p(t) in frame j moves as T + R p in frame j-1, so
 *   p'  -> v + w x R p + R p'          Om -> w + R Om
 *   p'' -> w x (w x R p) + 2 w x R p' + R p''          Al -> w x R Om + R Al
 * and by Leibniz, with |R^(m)| <= |w|^m, a bound D_m of |p^(m)| on the window becomes
 *   D_m -> |T^(m)| + sum_q binomial(m,q) |w|^q D_(m-q)        (unrolled: the sums of theory D2.4 (c), (e)).
 * Links with a path (path.h) enter with the bounds that the path gives instead of |w|^m and v, and with its errors.
 * No stack, no memory, any depth. After each link a bound may be replaced by |exact value at t| + D_(m+1) (tEnd - t).
 * Symbols: th angle, D position of the link's origin, E angular velocity, B rotation matrix, W sum of |w|, N magnitudes
 * before any cancellation (for rounding), kappa relative rounding of the chain. Units: m, rad, per step. */
#include "motion_tree.h"

#define EPS DBL_EPSILON

/* ---- one link with a path */

brinkLinkMotion brinkMakeLinkMotionPath(int32_t parent, const brinkPath *path) {
  brinkPathRate rate;
  double to = brinkPath_NextBreak(path, 0, 1);
  brinkPath_Rate(path, 0, 0, to, &rate);
  brinkLinkMotion motion = {.parent = parent, .moving = 1, .t0 = rate.pose.p, .r0 = rate.pose.r, .w = rate.omega};
  motion.v.x = rate.speed * to;
  motion.angle = rate.turn * to;
  motion.axis = brinkNormalizeOr(rate.omega, brinkV3(1, 0, 0));
  motion.path = path;
  motion.paths = 1;
  for (double from = to; from < 1; from = to) {
    to = brinkPath_NextBreak(path, from, 1);
    brinkPath_Rate(path, from, from, to, &rate);
    motion.v.x += rate.speed * (to - from);
    motion.angle = fmax(motion.angle, rate.turn * (to - from));
  }
  return motion;
}

brinkRigid brinkLinkMotion_At(const brinkLinkMotion *motion, double t) {
  return motion->path ? brinkPath_At(motion->path, t) : brinkLinkMotion_PlainAt(motion, t);
}

/* ---- paths in a tree */

void brinkMotionTree_MarkPaths(brinkLinkMotion *links, int32_t linkCount) {
  for (int32_t i = 0; i < linkCount; ++i)
    links[i].paths = links[i].path != NULL || (links[i].parent >= 0 && links[links[i].parent].paths);
}

double brinkMotionTree_NextBreak(const brinkMotionTree *tree, int32_t link, double t, double tEnd) {
  if (link < 0 || !tree->links[link].paths) return tEnd;
  for (; link >= 0; link = tree->links[link].parent)
    if (tree->links[link].path) tEnd = brinkPath_NextBreak(tree->links[link].path, t, tEnd);
  return tEnd;
}

bool brinkMotionTree_IsSmooth(const brinkMotionTree *tree, int32_t link) {
  if (link < 0 || !tree->links[link].paths) return true;
  for (; link >= 0; link = tree->links[link].parent)
    if (tree->links[link].path && !brinkPath_IsSmooth(tree->links[link].path)) return false;
  return true;
}

/* ---- poses */

brinkRigid brinkMotionTree_Pose(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t) {
  if (link < 0 || link == ancestor) return brinkIdentityRigid();
  brinkRigid pose = brinkLinkMotion_At(&tree->links[link], t);
  for (int32_t j = tree->links[link].parent; j >= 0 && j != ancestor; j = tree->links[j].parent) {
    brinkRigid step = brinkLinkMotion_At(&tree->links[j], t);
    pose = brinkCompose(&step, &pose);
  }
  return pose;
}

void brinkMotionTree_Poses(const brinkMotionTree *tree, double t, brinkRigid *out) {
  for (int32_t i = 0; i < tree->linkCount; ++i) {
    const brinkLinkMotion *link = &tree->links[i];
    out[i] = brinkLinkMotion_At(link, t);
    if (link->parent >= 0) out[i] = brinkCompose(&out[link->parent], &out[i]);
  }
}

int32_t brinkMotionTree_CommonAncestor(const brinkMotionTree *tree, int32_t a, int32_t b) {
  while (a != b) { /* a parent's index is smaller than its child's: the larger of the two is no ancestor of the other */
    if (a > b)
      a = tree->links[a].parent;
    else
      b = tree->links[b].parent;
  }
  return a;
}

/* ---- Taylor models */

/* Entry A0 + cos C + sin S. Its constants carry at most 12 eps each (products of units), 64 eps cover them three times.
 * The entry never leaves A0 +- hypot(C,S): that is the answer where the remainder is wider (many turns). */
static brinkTaylor rotationEntry(double constant, double cosine, double sine, const brinkTaylor *cosineModel,
                                 const brinkTaylor *sineModel, int order) {
  const double slack = 64 * EPS;
  brinkTaylor one = brinkTaylor_Constant(1);
  const brinkTaylor *const models[4] = {cosineModel, sineModel, &one, NULL};
  const double factors[4] = {cosine, sine, constant, 0};
  brinkTaylor entry = brinkTaylor_Combine(models, factors, order);
  entry.remainder.lo -= slack;
  entry.remainder.hi += slack;
  double amplitude = hypot(cosine, sine) + slack;
  if (brinkInterval_Width(entry.remainder) > 2 * amplitude) {
    entry = brinkTaylor_Constant(constant);
    entry.remainder = (brinkInterval){-amplitude, amplitude};
  }
  return entry;
}

static brinkTaylorRigid linkModel(const brinkLinkMotion *motion, double m, double h, int order) {
  brinkTaylorRigid r;
  const double t0[3] = {motion->t0.x, motion->t0.y, motion->t0.z}, v[3] = {motion->v.x, motion->v.y, motion->v.z};
  brinkTaylor sine, cosine;
  if (motion->angle > 0) {
    double angleError = 4 * EPS * motion->angle * (fabs(m) + h); /* of |w| */
    brinkTaylor_SinCos(0, motion->angle, angleError, m, h, order, &sine, &cosine);
  }
  for (int i = 0; i < 3; ++i) {
    r.p[i] = brinkTaylor_Affine(t0[i], v[i], m, h, order);
    for (int j = 0; j < 3; ++j)
      r.r[i][j] = motion->angle > 0 ? rotationEntry(motion->constant.m[i][j], motion->cosine.m[i][j],
                                                    motion->sine.m[i][j], &cosine, &sine, order)
                                    : brinkTaylor_Constant(motion->r0.m[i][j]);
  }
  return r;
}

void brinkMotionTree_Taylor(const brinkMotionTree *tree, double t0, double t1, int order, brinkTaylorRigid *out) {
  double m, h;
  brinkTaylor_Window(t0, t1, &m, &h);
  for (int32_t i = 0; i < tree->linkCount; ++i) {
    const brinkLinkMotion *link = &tree->links[i];
    const brinkTaylorRigid *parent = link->parent >= 0 ? &out[link->parent] : NULL;
    if (!link->moving) {
      brinkRigid pose = {link->r0, link->t0};
      out[i] = parent ? brinkTaylorRigid_MulConstant(parent, &pose, order) : brinkTaylorRigid_Constant(&pose);
      continue;
    }
    brinkTaylorRigid local;
    if (link->path)
      brinkPath_Taylor(link->path, m, h, order, &local);
    else
      local = linkModel(link, m, h, order);
    brinkTaylorRigid_TakeErrors(&local);
    out[i] = parent ? brinkTaylorRigid_Mul(parent, &local, order) : local;
  }
}

/* ---- rates */

static void lower(double *bound, double other) {
  if (other < *bound) *bound = other; /* NaN never wins */
}

/* Bounds on the window, growing upward. */
typedef struct Bounds {
  double d0, d1, d2, d3; /* |p^(m)| of the link's origin */
  double e0, e1, e2;     /* |Om|, |Om'|, |Om''| */
  double b1, b2, b3;     /* |R^(m)| */
  double n0, n1, n2;     /* magnitudes for rounding: no lam, no minimum */
  double w;              /* W */
  double kappa;
  double x1, x2, y0, y1; /* what paths leave unknown of p', p'', Om, Om' at t */
} Bounds;

/* Relative rounding of one link's pose (entries of R: 16 roundings of units and of its constants, 3 columns; T: 2) and
 * of the recursion (at most 12 operations per component); |w| has 4 eps, so the angle th t is off by 8 eps th at most.
 * Both doubled. */
static double linkKappa(double angle) { return (128 + 16 * angle) * EPS; }

static double largestOffset(const brinkLinkMotion *link, brinkVec3 atStart, double tEnd) {
  return brinkLarger(brinkLength(atStart), brinkLength(brinkMulAdd(link->t0, tEnd, link->v)));
}

static void growBounds(Bounds *b, const brinkLinkMotion *link, brinkVec3 atStart, double tEnd) {
  double w = link->angle, v = brinkLength(link->v), w2 = w * w, w3 = w2 * w;
  double magnitude = brinkLength(link->t0) + v * brinkLarger(1.0, fabs(tEnd));
  double rounding = linkKappa(w) * magnitude; /* lam itself may be the small difference of large numbers */
  double lam = largestOffset(link, atStart, tEnd) + rounding;
  b->d3 += 3 * w * b->d2 + 3 * w2 * b->d1 + w3 * b->d0;
  b->d2 += 2 * w * b->d1 + w2 * b->d0;
  b->d1 += v + w * b->d0;
  b->d0 += lam;
  b->e2 += 2 * w * b->e1 + w2 * b->e0;
  b->e1 += w * b->e0;
  b->e0 += w;
  b->b3 += 3 * w * b->b2 + 3 * w2 * b->b1 + w3;
  b->b2 += 2 * w * b->b1 + w2;
  b->b1 += w;
  b->n2 += 2 * w * b->n1 + w2 * b->n0;
  b->n1 += v + w * b->n0;
  b->n0 += magnitude;
  b->kappa += linkKappa(w);
  b->w += w;
}

/* The same for a link that moves along a path; errors of products first, from the bounds below the link. */
static void growPathBounds(Bounds *b, const brinkPathRate *path) {
  double r1 = path->turn, r2 = path->turnAccel + r1 * r1;
  double r3 = path->turnJerk + 3 * path->turnAccel * r1 + r1 * r1 * r1, wrong = path->omegaError;
  b->x2 += path->accelError + (path->alphaError + 2 * r1 * wrong) * b->d0 + 2 * (wrong * b->d1 + r1 * b->x1);
  b->x1 += path->velocityError + wrong * b->d0;
  b->y1 += path->alphaError + wrong * b->e0 + r1 * b->y0;
  b->y0 += wrong;
  b->d3 += path->jerk + 3 * r1 * b->d2 + 3 * r2 * b->d1 + r3 * b->d0;
  b->d2 += path->accelBound + 2 * r1 * b->d1 + r2 * b->d0;
  b->d1 += path->speed + r1 * b->d0;
  b->d0 += path->reach;
  b->e2 += path->turnJerk + 2 * r1 * b->e1 + r2 * b->e0;
  b->e1 += path->turnAccel + r1 * b->e0;
  b->e0 += r1;
  b->b3 += r3 + 3 * r1 * b->b2 + 3 * r2 * b->b1;
  b->b2 += r2 + 2 * r1 * b->b1;
  b->b1 += r1;
  b->n2 += path->accelBound + 2 * r1 * b->n1 + r2 * b->n0;
  b->n1 += path->speed + r1 * b->n0;
  b->n0 += path->magnitude + path->speed;
  b->kappa += path->kappa + linkKappa(r1);
  b->w += r1;
}

/* A derivative's bound on [t, t + window] is at most its value at t plus the next derivative's bound times the window,
 * and what paths leave unknown. */
static void tightenBounds(Bounds *b, const brinkLinkRate *rate, double window) {
  lower(&b->e1, brinkLength(rate->alpha) + b->kappa * b->w * b->w + b->y1 + b->e2 * window);
  lower(&b->e0, brinkLength(rate->omega) + b->kappa * b->w + b->y0 + b->e1 * window);
  lower(&b->b3, b->e2 + 3 * b->e0 * b->e1 + b->e0 * b->e0 * b->e0);
  lower(&b->b2, b->e1 + b->e0 * b->e0);
  lower(&b->b1, b->e0);
  lower(&b->d2, brinkLength(rate->accel) + b->kappa * b->n2 + b->x2 + b->d3 * window);
  lower(&b->d1, brinkLength(rate->velocity) + b->kappa * b->n1 + b->x1 + b->d2 * window);
  lower(&b->d0, brinkLength(rate->pose.p) + b->kappa * b->n0 + b->d1 * window);
}

/* The link's rate, known in the frame of `link`, seen from the frame of link's parent. */
static void carryRate(brinkLinkRate *rate, const brinkLinkMotion *link, const brinkRigid *step) {
  brinkVec3 w = link->w;
  rate->pose.r = brinkMulMM(&step->r, &rate->pose.r);
  brinkVec3 arm = brinkMulMV(&step->r, rate->pose.p), velocity = brinkMulMV(&step->r, rate->velocity);
  brinkVec3 omega = brinkMulMV(&step->r, rate->omega), swing = brinkCross(w, arm);
  brinkVec3 accel = brinkMulMV(&step->r, rate->accel), alpha = brinkMulMV(&step->r, rate->alpha);
  rate->pose.p = brinkAdd(step->p, arm);
  rate->velocity = brinkAdd(brinkAdd(link->v, swing), velocity);
  rate->omega = brinkAdd(w, omega);
  rate->accel = brinkAdd(brinkCross(w, brinkMulAdd(swing, 2, velocity)), accel);
  rate->alpha = brinkAdd(brinkCross(w, omega), alpha);
}

static void carryPathRate(brinkLinkRate *rate, const brinkPathRate *path) {
  const brinkMat3 *r = &path->pose.r;
  brinkVec3 w = path->omega;
  brinkVec3 arm = brinkMulMV(r, rate->pose.p), velocity = brinkMulMV(r, rate->velocity), swing = brinkCross(w, arm);
  brinkVec3 omega = brinkMulMV(r, rate->omega), accel = brinkMulMV(r, rate->accel), alpha = brinkMulMV(r, rate->alpha);
  rate->pose.r = brinkMulMM(r, &rate->pose.r);
  rate->pose.p = brinkAdd(path->pose.p, arm);
  rate->velocity = brinkAdd(brinkAdd(path->velocity, swing), velocity);
  rate->omega = brinkAdd(w, omega);
  accel = brinkAdd(accel, brinkAdd(brinkCross(w, brinkMulAdd(swing, 2, velocity)), brinkCross(path->alpha, arm)));
  rate->accel = brinkAdd(accel, path->accel);
  rate->alpha = brinkAdd(brinkAdd(brinkCross(w, omega), alpha), path->alpha);
}

/* A constant-velocity link above paths: what they leave unknown turns with it. */
static void growUnknown(Bounds *b, double w) {
  b->x2 += 2 * w * b->x1;
  b->y1 += w * b->y0;
}

static double orInfinity(double bound) { return bound < HUGE_VAL ? bound : HUGE_VAL; } /* NaN: 0 times infinity */

/* Bounds that a path does not have are infinite. */
static void addUnknown(brinkLinkRate *out, const Bounds *b) {
  out->velocityError = orInfinity(out->velocityError + b->x1);
  out->accelError = orInfinity(out->accelError + b->x2);
  out->omegaError = orInfinity(out->omegaError + b->y0);
  out->alphaError = orInfinity(out->alphaError + b->y1);
  double *const bounds[6] = {&out->speedBase,  &out->speedSlope, &out->accelBase,
                             &out->accelSlope, &out->jerkBase,   &out->jerkSlope};
  for (int i = 0; i < 6; ++i) *bounds[i] = orInfinity(*bounds[i]);
}

static void writeBounds(brinkLinkRate *out, const Bounds *b, int32_t depth) {
  /* Every bound is a sum of products of nonnegative numbers: at most 16 roundings per link on any path. */
  double up = 1 + 32 * EPS * (depth + 1), tiny = b->w > 0 ? 64 * DBL_MIN : 0; /* squares of tiny angles underflow */
  out->speedBase = b->d1 * up;
  out->speedSlope = b->b1 * up;
  out->accelBase = b->d2 * up + tiny;
  out->accelSlope = b->b2 * up + tiny;
  out->jerkBase = b->d3 * up + tiny;
  out->jerkSlope = b->b3 * up + tiny;
  out->poseError = b->kappa * b->n0;
  out->poseErrorSlope = b->kappa;
  if (depth == 1) return; /* velocity and omega are v and w themselves */
  out->velocityError = b->kappa * b->n1;
  out->omegaError = b->kappa * b->w;
  out->accelError = b->kappa * b->n2 + tiny;
  out->alphaError = b->kappa * b->w * b->w + tiny;
}

/* Of a link with paths at or above it: one link at a time. */
static void pathRate(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t, double tEnd,
                     brinkLinkRate *out) {
  double window = tEnd > t ? (tEnd - t) * (1 + 2 * EPS) : 0;
  Bounds b;
  memset(&b, 0, sizeof b);
  double armBelow = 0, speedBelow = 0, turnBelow = 0, armHere = 0, speedHere = 0;
  int32_t depth = 0, top = link;
  bool anyPath = false;
  for (int32_t j = link; j >= 0 && j != ancestor; j = tree->links[j].parent, ++depth) {
    const brinkLinkMotion *up = &tree->links[j];
    armBelow = armHere;
    speedBelow = speedHere;
    turnBelow = b.w;
    if (up->path) {
      brinkPathRate path;
      brinkPath_Rate(up->path, t, t, fmax(t, tEnd), &path);
      carryPathRate(out, &path);
      growPathBounds(&b, &path);
      armHere = armBelow + path.reach;
      speedHere = speedBelow + path.speed + path.turn * armBelow;
      anyPath = true;
    } else {
      brinkRigid step = brinkLinkMotion_At(up, t);
      carryRate(out, up, &step);
      growUnknown(&b, up->angle);
      growBounds(&b, up, step.p, tEnd);
      armHere = armBelow + largestOffset(up, step.p, tEnd);
      speedHere = speedBelow + brinkLength(up->v) + up->angle * armBelow;
    }
    if (depth > 0 || up->path) tightenBounds(&b, out, window);
    top = j;
  }
  writeBounds(out, &b, depth);
  if (anyPath) addUnknown(out, &b);
  double up = 1 + 32 * EPS * (depth + 1);
  out->window = window;
  if (tree->links[top].path) { /* its directions turn: norms only */
    out->paperBase = out->speedBase;
    out->paperSlope = out->speedSlope;
    return;
  }
  out->rootVelocity = tree->links[top].v;
  out->rootOmega = tree->links[top].w;
  out->paperArm = orInfinity((armBelow + b.kappa * b.n0) * up);
  out->paperBase = orInfinity((speedBelow + b.kappa * b.n1 + (anyPath ? b.x1 : 0)) * up);
  out->paperSlope = orInfinity(turnBelow * up);
  out->fixedAxis = depth == 1;
  if (depth == 1) out->paperArm = out->paperBase = 0;
}

void brinkMotionTree_Rate(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t, double tEnd,
                          brinkLinkRate *out) {
  *out = (brinkLinkRate){.pose = brinkIdentityRigid()};
  if (link < 0 || link == ancestor) return;
  const brinkLinkMotion *motion = &tree->links[link];
  if (motion->paths) {
    pathRate(tree, link, ancestor, t, tEnd, out);
    return;
  }
  double window = tEnd > t ? (tEnd - t) * (1 + 2 * EPS) : 0;
  Bounds b;
  memset(&b, 0, sizeof b);
  out->pose = brinkLinkMotion_PlainAt(motion, t);
  out->velocity = motion->v;
  out->omega = motion->w;
  growBounds(&b, motion, out->pose.p, tEnd);
  double armBelow = 0, speedBelow = 0, turnBelow = 0; /* theory D2.2 of the links under the topmost one seen so far */
  double armHere = b.d0, speedHere = b.d1;
  int32_t depth = 1, top = link;
  for (int32_t j = motion->parent; j >= 0 && j != ancestor; j = tree->links[j].parent, ++depth) {
    const brinkLinkMotion *up = &tree->links[j];
    brinkRigid step = brinkLinkMotion_PlainAt(up, t);
    armBelow = armHere;
    speedBelow = speedHere;
    turnBelow = b.w;
    carryRate(out, up, &step);
    growBounds(&b, up, step.p, tEnd);
    tightenBounds(&b, out, window);
    armHere = armBelow + largestOffset(up, step.p, tEnd);
    speedHere = speedBelow + brinkLength(up->v) + up->angle * armBelow;
    top = j;
  }
  writeBounds(out, &b, depth);
  double up = 1 + 32 * EPS * (depth + 1);
  out->rootVelocity = tree->links[top].v;
  out->rootOmega = tree->links[top].w;
  out->paperArm = (armBelow + b.kappa * b.n0) * up;
  out->paperBase = (speedBelow + b.kappa * b.n1) * up;
  out->paperSlope = turnBelow * up;
  out->window = window;
  out->fixedAxis = depth == 1;
  if (depth == 1) out->paperArm = out->paperBase = 0;
}

/* Leibniz from the root: x = o_p + R_p (T + Q r), |Q^(m)| <= |w|^m, T'' = 0. Sums and products of nonnegative numbers,
 * at most eight roundings a link. */
static void boundPath(const brinkLinkBound *parent, const brinkPath *path, double t0, double t1,
                      brinkLinkBound *bound) {
  const double up = 1 + 32 * EPS;
  brinkPathRate rate;
  brinkPath_Rate(path, t0, t0, t1, &rate);
  double second = rate.turnAccel + rate.turn * rate.turn;
  bound->accelBase = orInfinity(
      (parent->accelBase + parent->accelSlope * rate.reach + 2 * parent->speedSlope * rate.speed + rate.accelBound) *
      up);
  bound->accelSlope = orInfinity((parent->accelSlope + 2 * parent->speedSlope * rate.turn + second) * up);
  bound->speedSlope = orInfinity((parent->speedSlope + rate.turn) * up);
  bound->reach = orInfinity((parent->reach + rate.reach + rate.magnitude) * up);
  bound->poseErrorSlope = (parent->poseErrorSlope + rate.kappa + linkKappa(rate.turn)) * up;
  bound->poseError = orInfinity(bound->poseErrorSlope * bound->reach * up);
}

void brinkMotionTree_Bounds(const brinkMotionTree *tree, double t0, double t1, brinkLinkBound *out) {
  double largest = brinkLarger(1.0, brinkLarger(fabs(t0), fabs(t1)));
  const brinkLinkBound root = {0};
  for (int32_t i = 0; i < tree->linkCount; ++i) {
    const brinkLinkMotion *link = &tree->links[i];
    const brinkLinkBound *parent = link->parent >= 0 ? &out[link->parent] : &root;
    double w = link->angle, v = brinkLength(link->v), offset = brinkLength(link->t0) + v * largest, up = 1 + 32 * EPS;
    brinkLinkBound *bound = &out[i];
    if (link->path) {
      boundPath(parent, link->path, t0, t1, bound);
      continue;
    }
    bound->accelBase = (parent->accelBase + parent->accelSlope * offset + 2 * parent->speedSlope * v) * up;
    bound->accelSlope = (parent->accelSlope + 2 * parent->speedSlope * w + w * w) * up;
    bound->speedSlope = (parent->speedSlope + w) * up;
    bound->reach = (parent->reach + offset) * up;
    bound->poseErrorSlope = (parent->poseErrorSlope + linkKappa(w)) * up;
    bound->poseError = bound->poseErrorSlope * bound->reach * up;
  }
}
