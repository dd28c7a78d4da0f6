/* SPDX-License-Identifier: BSD-3-Clause */
/* Motions beyond constant velocities: poses against closed forms, velocities and accelerations against differences of
 * the poses, bounds and Taylor models against samples; alone and mixed down chains of up to 12 links. */
#include "gjk.h"
#include "motion_truth.h"
#include "path.h"
#include "revolution.h"

#include <stdlib.h>

#include "cases.h"

#define MAX_LINKS 12
#define MAX_KEYS 6
#define KINDS 5 /* 0 constant velocities, 1 screw, 2 ODE's step, 3 spline, 4 Bezier */

/* ---- a path of each kind */

typedef struct PathStore {
  brinkPath path;
  brinkPathKey keys[MAX_KEYS];
  double controls[4 * 13];
} PathStore;

/* ODE's step as a rational cubic: theory D3. */
static void odeControls(brinkPose start, brinkVec3 v, brinkVec3 w, double scale, double *out) {
  double k = 0.5 * brinkLength(w), weights[4] = {1, 1, 1 + k * k / 3, 1 + k * k};
  brinkVec3 a = brinkNormalizeOr(w, brinkV3(1, 0, 0));
  brinkMat3 hat = brinkHat(a), r0 = brinkMat3_FromQuat(start.rotation);
  const double axis[3] = {a.x, a.y, a.z};
  double quadratic[3][3][3], cubic[4][3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double one = i == j;
      quadratic[0][i][j] = one;
      quadratic[1][i][j] = one + k * hat.m[i][j];
      quadratic[2][i][j] = (1 - k * k) * one + 2 * k * hat.m[i][j] + 2 * k * k * axis[i] * axis[j];
      cubic[0][i][j] = quadratic[0][i][j];
      cubic[1][i][j] = (quadratic[0][i][j] + 2 * quadratic[1][i][j]) / 3;
      cubic[2][i][j] = (2 * quadratic[1][i][j] + quadratic[2][i][j]) / 3;
      cubic[3][i][j] = quadratic[2][i][j];
    }
  for (int n = 0; n < 4; ++n) {
    double *c = &out[13 * n];
    c[0] = scale * weights[n];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = 0;
        for (int l = 0; l < 3; ++l) sum += cubic[n][i][l] * r0.m[l][j];
        c[1 + 3 * i + j] = scale * sum;
      }
    brinkVec3 x = start.position, p = brinkMulAdd(x, n / 3.0, v);
    if (n == 2) p = brinkMulAdd(p, k * k / 3, x);
    if (n == 3) p = brinkScale(p, 1 + k * k);
    c[10] = scale * p.x;
    c[11] = scale * p.y;
    c[12] = scale * p.z;
  }
}

static void makePath(PathStore *s, int kind, double turn) {
  brinkPose start = randomPose(1);
  brinkVec3 v = randomVector(1), w = brinkScale(randomDirection(), uniform(0.1, turn));
  if (kind == 1)
    s->path = brinkMakePathScrew(start, randomVector(1), randomVector(2), uniform(-turn, turn), uniform(-1, 1));
  if (kind == 2) s->path = brinkMakePathOdeStep(start, v, w);
  if (kind == 3) {
    int count = 2 + (int)uniform(0, MAX_KEYS - 1);
    for (int i = 0; i < count; ++i) {
      brinkPose pose = randomPose(1);
      s->keys[i] = (brinkPathKey){.time = i == 0           ? 0
                                          : i + 1 == count ? 1
                                                           : (i + uniform(-0.3, 0.3)) / (count - 1),
                                  .position = pose.position,
                                  .slope = randomVector(2),
                                  .rotation = pose.rotation};
    }
    s->path = brinkMakePathSpline(s->keys, count);
  }
  if (kind == 4) {
    odeControls(start, v, brinkScale(randomDirection(), uniform(0.1, fmin(turn, 4))), uniform(0.1, 10), s->controls);
    assert_true(brinkMakePathBezier(s->controls, 4, &s->path));
  }
}

static brinkMotionTree mixedChain(brinkLinkMotion *links, PathStore *stores, int count, double turn) {
  makeChain(links, count, turn);
  for (int i = 0; i < count; ++i) {
    int kind = (int)uniform(0, KINDS);
    if (kind == 0) continue;
    makePath(&stores[i], kind, turn);
    links[i] = brinkMakeLinkMotionPath(i - 1, &stores[i].path);
  }
  brinkMotionTree_MarkPaths(links, count);
  return (brinkMotionTree){links, count};
}

static double difference(const brinkRigid *a, const brinkRigid *b) {
  double worst = brinkDistance(a->p, b->p);
  for (int i = 0; i < 9; ++i) worst = fmax(worst, fabs((&a->r.m[0][0])[i] - (&b->r.m[0][0])[i]));
  return worst;
}

/* ---- poses */

CASE(screw_keeps_its_distance_from_the_axis_and_advances_by_its_pitch) {
  double worst = 0;
  for (int n = 0; n < 2000; ++n) {
    brinkPose start = randomPose(2);
    brinkVec3 point = randomVector(2), axis = randomDirection();
    double angle = uniform(-30, 30), pitch = uniform(-1, 1), t = uniform(0, 1);
    brinkPath path = brinkMakePathScrew(start, point, brinkScale(axis, uniform(0.1, 10)), angle, pitch);
    brinkRigid first = brinkPath_At(&path, 0), at = brinkPath_At(&path, t), want = brinkRigid_FromPose(start);
    worst = fmax(worst, difference(&first, &want));
    brinkMat3 turn = brinkExp3(brinkScale(axis, angle * t));
    brinkRigid truth;
    truth.r = brinkMulMM(&turn, &want.r);
    truth.p = brinkAdd(point, brinkMulMV(&turn, brinkSub(start.position, point)));
    truth.p = brinkMulAdd(truth.p, pitch * angle * t / (2 * PI), axis);
    worst = fmax(worst, difference(&at, &truth));
  }
  print_message("worst %.3g\n", worst);
  assert_true(worst < 1e-13);
}

CASE(ode_step_is_the_normalised_quaternion_of_the_integrator) {
  double worst = 0;
  for (int n = 0; n < 2000; ++n) {
    brinkPose start = randomPose(2);
    brinkVec3 v = randomVector(3), w = brinkScale(randomDirection(), pow(10, uniform(-9, 2)));
    double t = uniform(0, 1);
    brinkPath path = brinkMakePathOdeStep(start, v, w);
    brinkQuat q = start.rotation, d = brinkMulQQ((brinkQuat){0, w.x, w.y, w.z}, q);
    brinkPose truth = {brinkMulAdd(start.position, t, v),
                       {q.w + 0.5 * t * d.w, q.x + 0.5 * t * d.x, q.y + 0.5 * t * d.y, q.z + 0.5 * t * d.z}};
    brinkNormalizeQuat(&truth.rotation);
    brinkRigid at = brinkPath_At(&path, t), want = brinkRigid_FromPose(truth);
    worst = fmax(worst, difference(&at, &want));
  }
  brinkPath still = brinkMakePathOdeStep(randomPose(1), brinkV3(1, 0, 0), brinkV3(0, 0, 0));
  brinkPathRate rate;
  brinkPath_Rate(&still, 0.5, 0.2, 0.8, &rate);
  assert_true(rate.turn == 0 && rate.turnAccel == 0 && fabs(rate.speed - 1) < 1e-12 && rate.accelBound == 0);
  print_message("worst %.3g\n", worst);
  assert_true(worst < 3e-15);
}

CASE(rational_bezier_reproduces_the_ode_step) {
  double worst = 0, rates = 0;
  for (int n = 0; n < 2000; ++n) {
    brinkPose start = randomPose(2);
    brinkVec3 v = randomVector(3), w = brinkScale(randomDirection(), uniform(0, 6));
    double controls[4 * 13], t = uniform(0, 1);
    odeControls(start, v, w, pow(10, uniform(-3, 3)), controls);
    brinkPath bezier, ode = brinkMakePathOdeStep(start, v, w);
    assert_true(brinkMakePathBezier(controls, 4, &bezier));
    brinkRigid a = brinkPath_At(&bezier, t), b = brinkPath_At(&ode, t);
    worst = fmax(worst, difference(&a, &b));
    brinkPathRate x, y;
    brinkPath_Rate(&bezier, t, 0, 1, &x);
    brinkPath_Rate(&ode, t, 0, 1, &y);
    double scale = 1 + brinkLengthSquared(w);
    rates = fmax(rates, fmax(brinkDistance(x.omega, y.omega), brinkDistance(x.alpha, y.alpha) / scale));
    assert_true(brinkDistance(x.omega, y.omega) <= x.omegaError + y.omegaError);
    assert_true(brinkDistance(x.alpha, y.alpha) <= x.alphaError + y.alphaError);
    assert_true(brinkDistance(x.velocity, y.velocity) <= x.velocityError + y.velocityError + 1e-15);
    assert_true(brinkLength(x.accel) <= x.accelError);
  }
  print_message("worst pose %.3g, rates %.3g\n", worst, rates);
  assert_true(worst < 1e-13 && rates < 1e-11);
}

CASE(curves_that_do_not_stay_rigid_are_refused) {
  double controls[4 * 13];
  brinkPath path;
  odeControls(randomPose(1), randomVector(1), brinkV3(0, 0, 1), 1, controls);
  assert_true(brinkMakePathBezier(controls, 4, &path));
  controls[13 + 2] += 1e-6;
  assert_false(brinkMakePathBezier(controls, 4, &path));
  odeControls(randomPose(1), randomVector(1), brinkV3(0, 0, 1), 1, controls);
  for (int n = 0; n < 4; ++n)
    for (int i = 1; i < 10; ++i) controls[13 * n + i] = -controls[13 * n + i]; /* a mirror */
  assert_false(brinkMakePathBezier(controls, 4, &path));
  odeControls(randomPose(1), randomVector(1), brinkV3(0, 0, 1), 1, controls);
  controls[13] = -controls[13];
  assert_false(brinkMakePathBezier(controls, 4, &path));
}

/* From one quaternion straight to another, of any lengths: weights q0.q0, q0.q1, q1.q1. */
static void turnControls(brinkQuat q0, brinkQuat q1, double *out) {
  const double q[2][4] = {{q0.w, q0.x, q0.y, q0.z}, {q1.w, q1.x, q1.y, q1.z}};
  for (int n = 0; n < 3; ++n) {
    double m[4][4], *c = &out[13 * n];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) m[i][j] = 0.5 * (q[n > 1][i] * q[n > 0][j] + q[n > 0][i] * q[n > 1][j]);
    const double numbers[10] = {m[0][0] + m[1][1] + m[2][2] + m[3][3],
                                m[0][0] + m[1][1] - m[2][2] - m[3][3],
                                2 * (m[1][2] - m[0][3]),
                                2 * (m[1][3] + m[0][2]),
                                2 * (m[1][2] + m[0][3]),
                                m[0][0] - m[1][1] + m[2][2] - m[3][3],
                                2 * (m[2][3] - m[0][1]),
                                2 * (m[1][3] - m[0][2]),
                                2 * (m[2][3] + m[0][1]),
                                m[0][0] - m[1][1] - m[2][2] + m[3][3]};
    memcpy(c, numbers, sizeof numbers);
  }
}

/* Weights are positive: what rounding leaves is a part of the largest control pose, however unlike they are. */
CASE(unlike_weights_lose_no_digits) {
  double worst = 0;
  for (int n = 0; n < 2000; ++n) {
    brinkQuat from = randomRotation(), to = randomRotation();
    const double along = from.w * to.w + from.x * to.x + from.y * to.y + from.z * to.z;
    if (fabs(along) < 0.3) continue; /* the middle weight */
    const double longer = copysign(pow(10, uniform(-2, 2)), along), far = pow(10, uniform(0, 6)), t = uniform(0, 1);
    double controls[3 * 13];
    turnControls(from, (brinkQuat){longer * to.w, longer * to.x, longer * to.y, longer * to.z}, controls);
    for (int i = 0; i < 3; ++i)
      for (int k = 10; k < 13; ++k) controls[13 * i + k] = controls[13 * i] * (far + uniform(-1, 1));
    brinkPath path;
    assert_true(brinkMakePathBezier(controls, 3, &path));
    brinkPathRate rate;
    brinkPath_Rate(&path, t, t, t, &rate);
    assert_true(rate.kappa < 1e-12 && rate.kappa * rate.magnitude < 1e-11 * far);
    long double truth[13] = {0}, basis[3] = {(1 - (long double)t) * (1 - (long double)t), 2 * (1 - (long double)t) * t,
                                             (long double)t * t};
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 13; ++k) truth[k] += basis[i] * controls[13 * i + k];
    const double p[3] = {rate.pose.p.x, rate.pose.p.y, rate.pose.p.z};
    for (int k = 0; k < 9; ++k)
      worst = fmax(worst, fabs((double)(truth[1 + k] / truth[0] - (&rate.pose.r.m[0][0])[k])) / rate.kappa);
    for (int k = 0; k < 3; ++k)
      worst = fmax(worst, fabs((double)(truth[10 + k] / truth[0] - p[k])) / (rate.kappa * rate.magnitude));
  }
  print_message("largest part of what rounding may leave %.3g\n", worst);
  assert_true(worst < 1);
}

/* A window's control poses say nothing of what comes after it. */
CASE(control_poses_prove_nothing_beyond_their_window) {
  const double corners[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
  const brinkPiece piece = brinkMakePointPiece(corners, 4, 0);
  double proven = 0;
  for (int n = 0; n < 6000; ++n) {
    double controls[4 * 13];
    brinkPath path;
    odeControls(randomPose(3), randomVector(6), brinkScale(randomDirection(), uniform(1, 4)), 1, controls);
    assert_true(brinkMakePathBezier(controls, 4, &path));
    brinkLinkMotion link = brinkMakeLinkMotionPath(-1, &path);
    const brinkMotionTree tree = {&link, 1};
    const brinkRigid here = brinkIdentityRigid(), met = brinkPath_At(&path, uniform(0, 1));
    brinkRigid there = brinkRigid_FromPose(randomPose(4));
    there.p = brinkAdd(there.p, met.p);
    const brinkRevolvingBody moving = {&piece, here, 0}, resting = {&piece, there, -1};
    const double apart = uniform(0.1, 2);
    uint64_t distances = 0;
    const double until = brinkRevolvedUntil(&tree, &moving, &resting, 0, 1, apart, &distances);
    proven += until;
    for (int i = 0; i <= 100 && until > 0; ++i) {
      const brinkRigid at = brinkPath_At(&path, until * i / 100);
      const brinkGjkLimits limits = {1e-9, 0, INFINITY, -1, 0};
      brinkSeparation separation;
      brinkGjk(&piece, &at, &piece, &there, &limits, NULL, &separation);
      assert_true(separation.upper > apart);
    }
  }
  assert_true(proven > 1000);
}

CASE(spline_meets_its_keys_with_their_slopes) {
  PathStore s;
  double worst = 0, slopes = 0;
  for (int n = 0; n < 500; ++n) {
    makePath(&s, 3, 3);
    for (int i = 0; i < s.path.count; ++i) {
      const brinkPathKey *key = &s.keys[i];
      brinkPathRate before, after;
      brinkPath_Rate(&s.path, key->time, fmax(0, key->time - 0.01), key->time, &before);
      brinkPath_Rate(&s.path, key->time, key->time, fmin(1, key->time + 0.01), &after);
      brinkRigid want = brinkRigid_FromPose((brinkPose){key->position, key->rotation});
      worst = fmax(worst, fmax(difference(&before.pose, &want), difference(&after.pose, &want)));
      slopes =
          fmax(slopes, fmax(brinkDistance(before.velocity, key->slope), brinkDistance(after.velocity, key->slope)));
    }
    assert_true(brinkPath_NextBreak(&s.path, 0, 1) == (s.path.count > 2 ? s.keys[1].time : 1));
    assert_true(brinkPath_NextBreak(&s.path, s.keys[s.path.count - 2].time, 1) == 1);
  }
  print_message("worst pose %.3g, slope %.3g\n", worst, slopes);
  assert_true(worst < 1e-14 && slopes < 1e-13);
}

/* Angle between two rotations, rad. */
static double turnBetween(const brinkMat3 *a, const brinkMat3 *b) {
  double square = 0;
  for (int i = 0; i < 9; ++i) square += pow((&a->m[0][0])[i] - (&b->m[0][0])[i], 2);
  return 2 * asin(fmin(1, sqrt(square / 8)));
}

/* What rounding may hide is reckoned from these two. With the first piece alone a short key would hide nothing. */
CASE(a_link_knows_the_way_of_all_pieces_and_the_most_that_one_turns) {
  PathStore s;
  for (int n = 0; n < 200; ++n) {
    makePath(&s, 3, 3);
    if (s.path.count > 2) {
      s.keys[1].time = n % 2 ? 1e-4 : 0.9999; /* as long or as short as it may be, the rest follows */
      for (int i = 2; i + 1 < s.path.count; ++i)
        s.keys[i].time = s.keys[1].time + (1 - s.keys[1].time) * i / s.path.count;
    }
    const brinkLinkMotion link = brinkMakeLinkMotionPath(-1, &s.path);
    double way = 0, most = 0;
    for (double from = 0, to; from < 1; from = to) {
      double turned = 0;
      to = brinkPath_NextBreak(&s.path, from, 1);
      brinkRigid last = brinkPath_At(&s.path, from);
      for (int i = 1; i <= 200; ++i) {
        const brinkRigid now = brinkPath_At(&s.path, from + (to - from) * i / 200);
        way += brinkDistance(now.p, last.p);
        turned += turnBetween(&now.r, &last.r);
        last = now;
      }
      most = fmax(most, turned);
    }
    assert_true(way <= link.v.x * (1 + 1e-9) && most <= link.angle * (1 + 1e-9) + 1e-9);
  }
}

/* ---- rates and bounds down mixed chains */

static brinkVec3 pointVelocity(const brinkLinkRate *rate, brinkVec3 r) {
  return brinkAdd(rate->velocity, brinkCross(rate->omega, brinkMulMV(&rate->pose.r, r)));
}

static brinkVec3 pointAccel(const brinkLinkRate *rate, brinkVec3 r) {
  brinkVec3 y = brinkMulMV(&rate->pose.r, r);
  return brinkAdd(rate->accel,
                  brinkAdd(brinkCross(rate->alpha, y), brinkCross(rate->omega, brinkCross(rate->omega, y))));
}

CASE(rates_equal_the_differences_of_the_poses) {
  brinkLinkMotion links[MAX_LINKS];
  PathStore stores[MAX_LINKS];
  double worst[2] = {0, 0};
  for (int n = 0; n < 3000; ++n) {
    int count = 1 + n % MAX_LINKS;
    brinkMotionTree tree = mixedChain(links, stores, count, 2);
    const double h = 2e-4;
    double t = uniform(2 * h, 1 - 2 * h);
    if (brinkMotionTree_NextBreak(&tree, count - 1, t - h, t + h) < t + h) continue; /* across a key */
    brinkLinkRate rate;
    brinkMotionTree_Rate(&tree, count - 1, -1, t, fmin(1, t + 1e-3), &rate);
    brinkVec3 r = randomVector(1), x[3];
    for (int k = 0; k < 3; ++k) {
      brinkRigid pose = brinkMotionTree_Pose(&tree, count - 1, -1, t + (k - 1) * h);
      x[k] = brinkApply(&pose, r);
    }
    brinkVec3 v = brinkScale(brinkSub(x[2], x[0]), 0.5 / h);
    brinkVec3 a = brinkScale(brinkAdd(brinkSub(x[2], x[1]), brinkSub(x[0], x[1])), 1 / (h * h));
    brinkLinkRate whole; /* scale: derivatives one order up */
    brinkMotionTree_Rate(&tree, count - 1, -1, t - h, t + h, &whole);
    double scale = 1 + rate.jerkBase + rate.jerkSlope;
    if (!isfinite(scale)) scale = 1e4;
    worst[0] = fmax(worst[0], brinkDistance(v, pointVelocity(&rate, r)) / scale);
    worst[1] = fmax(worst[1], brinkDistance(a, pointAccel(&rate, r)) / (scale * (1 + whole.speedSlope)));
  }
  print_message("worst velocity %.3g, acceleration %.3g, of the jerk bound\n", worst[0], worst[1]);
  assert_true(worst[0] < 1e-7 && worst[1] < 1e-4);
}

CASE(bounds_hold_on_the_whole_window_of_mixed_chains) {
  brinkLinkMotion links[MAX_LINKS];
  PathStore stores[MAX_LINKS];
  long checks = 0;
  double tightest = 0;
  for (int n = 0; n < 4000; ++n) {
    int count = 1 + n % MAX_LINKS;
    brinkMotionTree tree = mixedChain(links, stores, count, n % 4 ? 2 : 9);
    double t = n % 5 ? uniform(0, 0.99) : 0, tEnd = n % 3 ? t + (1 - t) * pow(10, uniform(-4, 0)) : 1;
    if (n % 2) tEnd = brinkMotionTree_NextBreak(&tree, count - 1, t, tEnd);
    brinkLinkRate start;
    brinkMotionTree_Rate(&tree, count - 1, -1, t, tEnd, &start);
    for (int s = 0; s <= 8; ++s) {
      double at = fmin(t + (tEnd - t) * s / 8, tEnd), dt = at - t;
      brinkVec3 r = randomVector(pow(10, uniform(-2, 1))), direction = randomDirection();
      double arm = brinkLength(r);
      brinkLinkRate now; /* the piece that ends here, so that values at a key are those before it */
      brinkMotionTree_Rate(&tree, count - 1, -1, at, at, &now);
      brinkVec3 x0 = brinkApply(&start.pose, r), x1 = brinkApply(&now.pose, r);
      brinkVec3 v0 = pointVelocity(&start, r), v1 = pointVelocity(&now, r), a0 = pointAccel(&start, r),
                a1 = pointAccel(&now, r);
      double speed = start.speedBase + start.speedSlope * arm, accel = start.accelBase + start.accelSlope * arm;
      double jerk = start.jerkBase + start.jerkSlope * arm;
      double poseNoise =
          2 * (start.poseError + start.poseErrorSlope * arm + now.poseError + now.poseErrorSlope * arm) + 1e-14;
      double velocityNoise =
          2 * (start.velocityError + start.omegaError * arm + now.velocityError + now.omegaError * arm) + 1e-12 * speed;
      double accelNoise = 2 * (start.accelError + (start.alphaError + 2 * start.speedSlope * start.omegaError) * arm +
                               now.accelError + (now.alphaError + 2 * start.speedSlope * now.omegaError) * arm) +
                          1e-12 * accel;
      bool good = brinkDistance(x0, x1) <= speed * dt + poseNoise && brinkLength(v1) <= speed + velocityNoise;
      good = good && (!(accel < HUGE_VAL) || (brinkDistance(v0, v1) <= accel * dt + velocityNoise &&
                                              (tEnd > at || dt == 0 || brinkLength(a1) <= accel + accelNoise)));
      good = good && (!(jerk < HUGE_VAL) || brinkDistance(a0, a1) <= jerk * dt + accelNoise);
      double paper = fabs(brinkDot(direction, start.rootVelocity)) +
                     brinkLength(brinkCross(direction, start.rootOmega)) * (start.paperArm + arm) + start.paperBase +
                     start.paperSlope * arm;
      good = good && fabs(brinkDot(direction, v1)) <= paper + velocityNoise + 1e-12 * paper;
      if (!good)
        print_message(
            "seed %llu case %d, %d links, t %.17g..%.17g at %.17g: moved %.17g of %.17g, speed %.17g of %.17g, dv "
            "%.17g "
            "of %.17g, da %.17g of %.17g\n",
            (unsigned long long)seed, n, count, t, tEnd, at, brinkDistance(x0, x1), speed * dt, brinkLength(v1), speed,
            brinkDistance(v0, v1), accel * dt, brinkDistance(a0, a1), jerk * dt);
      assert_true(good);
      if (speed > 0.1) tightest = fmax(tightest, brinkLength(v1) / speed);
      checks += 5;
    }
  }
  print_message("%ld bounds, 0 broken; tightest speed bound %.3f\n", checks, tightest);
  assert_true(tightest > 0.9);
}

CASE(coarse_bounds_of_whole_trees_hold) {
  brinkLinkMotion links[MAX_LINKS];
  PathStore stores[MAX_LINKS];
  brinkLinkBound bounds[MAX_LINKS];
  for (int n = 0; n < 2000; ++n) {
    int count = 1 + n % MAX_LINKS;
    brinkMotionTree tree = mixedChain(links, stores, count, 3);
    double t0 = uniform(0, 0.9), t1 = brinkMotionTree_NextBreak(&tree, count - 1, t0, uniform(t0, 1));
    brinkMotionTree_Bounds(&tree, t0, t1, bounds);
    const brinkLinkBound *bound = &bounds[count - 1];
    for (int s = 0; s <= 4; ++s) {
      double t = fmin(t0 + (t1 - t0) * s / 4, t1);
      brinkLinkRate rate;
      brinkMotionTree_Rate(&tree, count - 1, -1, t, t, &rate);
      brinkVec3 r = randomVector(2);
      double noise = 2 * (rate.accelError + rate.alphaError * 4 + rate.omegaError * 8 * rate.speedSlope) +
                     1e-12 * bound->accelBase;
      if (s < 4)
        assert_true(brinkLength(pointAccel(&rate, r)) <= bound->accelBase + bound->accelSlope * brinkLength(r) + noise);
      assert_true(brinkLength(rate.omega) <= bound->speedSlope + rate.omegaError);
      assert_true(brinkLength(rate.pose.p) <= bound->reach);
    }
  }
}

static double outside(const brinkTaylor *a, int order, double tau, double value) {
  double p = 0;
  for (int k = order; k >= 0; --k) p = p * tau + a->c[k];
  return fmax(a->remainder.lo - (value - p), (value - p) - a->remainder.hi);
}

CASE(taylor_models_of_mixed_chains_contain_every_pose) {
  brinkLinkMotion links[MAX_LINKS];
  PathStore stores[MAX_LINKS];
  static brinkTaylorRigid models[MAX_LINKS];
  long entries = 0;
  double width[6] = {0};
  for (int n = 0; n < 400; ++n) {
    int count = 1 + n % MAX_LINKS;
    brinkMotionTree tree = mixedChain(links, stores, count, n % 7 ? 2 : 20);
    double t0 = n % 3 ? uniform(0, 0.9) : 0, t1 = n % 3 ? uniform(t0, 1) : 1, m, h;
    brinkTaylor_Window(t0, t1, &m, &h);
    for (int order = 0; order <= 5; ++order) {
      brinkMotionTree_Taylor(&tree, t0, t1, order, models);
      for (int s = 0; s <= 10; ++s) {
        double t = fmin(t0 + (t1 - t0) * s / 10, t1), tau = h > 0 ? (t - m) / h : 0;
        for (int i = 0; i < count; ++i) {
          brinkLinkRate rate; /* the pose and what rounding did to it */
          brinkMotionTree_Rate(&tree, i, -1, t, t, &rate);
          const double p[3] = {rate.pose.p.x, rate.pose.p.y, rate.pose.p.z};
          for (int a = 0; a < 3; ++a) {
            double off = outside(&models[i].p[a], order, tau, p[a]) - rate.poseError - 1e-15;
            for (int b = 0; b < 3; ++b)
              off =
                  fmax(off, outside(&models[i].r[a][b], order, tau, rate.pose.r.m[a][b]) - rate.poseErrorSlope - 1e-15);
            if (off > 0)
              print_message("seed %llu chain %d link %d order %d t %g: %g outside\n", (unsigned long long)seed, n, i,
                            order, t, off);
            assert_true(off <= 0);
            entries += 4;
          }
        }
      }
      if (t1 - t0 < 0.2 && links[0].path) width[order] += brinkInterval_Width(models[0].p[0].remainder);
    }
  }
  print_message("%ld entries, 0 outside; remainder widths of first links, order 0..3: %.3g %.3g %.3g %.3g\n", entries,
                width[0], width[1], width[2], width[3]);
  assert_true(width[2] < width[1] && width[1] < width[0]);
}

/* ---- a user's motion: constant velocities told by callbacks */

typedef struct Told {
  brinkLinkMotion motion;
  brinkQuat rotation;
  bool velocities, accelerations;
} Told;

static void toldPose(void *user, double t, brinkPose *pose, brinkVec3 *velocity, brinkVec3 *omega, bool *known) {
  const Told *told = user;
  brinkRigid at = brinkLinkMotion_At(&told->motion, t);
  *pose = brinkPose_FromRigid(&at);
  *velocity = told->motion.v;
  *omega = told->motion.w;
  *known = told->velocities;
}

static void toldBound(void *user, double t0, double t1, brinkPathBound *out) {
  const Told *told = user;
  assert_true(t0 <= t1);
  out->speed = brinkLength(told->motion.v) * (1 + 1e-12);
  out->turn = told->motion.angle * (1 + 1e-12);
  if (told->accelerations) out->accel = out->turnAccel = 0;
}

CASE(users_motion_is_bounded_by_what_its_user_says) {
  for (int n = 0; n < 400; ++n) {
    brinkPose start = randomPose(1);
    Told told = {brinkMakeLinkMotionVelocities(-1, start, randomVector(1), randomVector(3)), start.rotation, n % 2,
                 n % 3 != 0};
    brinkPath path = brinkMakePathUser((brinkPathUser){&told, toldPose, toldBound});
    assert_false(brinkPath_IsSmooth(&path));
    brinkLinkMotion links[2] = {brinkMakeLinkMotionPath(-1, &path),
                                brinkMakeLinkMotionVelocities(0, randomPose(1), randomVector(1), randomVector(2))};
    brinkLinkMotion plain[2] = {told.motion, links[1]};
    brinkMotionTree_MarkPaths(links, 2);
    brinkMotionTree tree = {links, 2}, same = {plain, 2};
    assert_false(brinkMotionTree_IsSmooth(&tree, 1));
    double t = uniform(0, 1), tEnd = uniform(t, 1);
    brinkLinkRate rate, truth;
    brinkMotionTree_Rate(&tree, 1, -1, t, tEnd, &rate);
    brinkMotionTree_Rate(&same, 1, -1, t, tEnd, &truth);
    assert_true(difference(&rate.pose, &truth.pose) < 1e-14);
    assert_true(brinkDistance(rate.velocity, truth.velocity) <= rate.velocityError + 1e-13);
    assert_true(brinkDistance(rate.omega, truth.omega) <= rate.omegaError + 1e-13);
    assert_true(brinkDistance(rate.accel, truth.accel) <= rate.accelError + 1e-12);
    assert_true(brinkDistance(rate.alpha, truth.alpha) <= rate.alphaError + 1e-12);
    assert_true(brinkLength(truth.velocity) <= rate.speedBase && brinkLength(truth.omega) <= rate.speedSlope);
    assert_true(brinkLength(truth.accel) <= rate.accelBase * (1 + 1e-12));
    assert_true(isfinite(rate.speedBase) && isfinite(rate.speedSlope) && rate.jerkBase == HUGE_VAL);
    assert_true(told.accelerations == (isfinite(rate.accelBase) != 0));
    if (told.velocities) assert_true(rate.velocityError < 1e-10 && rate.omegaError < 1e-10);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
