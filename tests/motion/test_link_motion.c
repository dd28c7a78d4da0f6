/* SPDX-License-Identifier: BSD-3-Clause */
/* In-between motions: poses, turns, pieces, Taylor models and rates against a plain long double evaluation of the
 * definition x_parent(t) = t0 + t v + E(t w) R0 x and its finite differences. */
#include "motion_truth.h"
#include "rounding_modes.h"
#include "taylor_values.h"

#include <stdlib.h>

#include "cases.h"

#define MAX_LINKS 20

static double poseDifference(const brinkRigid *a, const Truth *b) {
  const double p[3] = {a->p.x, a->p.y, a->p.z};
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    worst = fmax(worst, fabs((double)(p[i] - b->p[i])));
    for (int j = 0; j < 3; ++j) worst = fmax(worst, fabs((double)(a->r.m[i][j] - b->r[i][j])));
  }
  return worst;
}

static double rigidDifference(const brinkRigid *a, const brinkRigid *b) {
  double worst = fmax(fabs(a->p.x - b->p.x), fmax(fabs(a->p.y - b->p.y), fabs(a->p.z - b->p.z)));
  for (int i = 0; i < 9; ++i) worst = fmax(worst, fabs((&a->r.m[0][0])[i] - (&b->r.m[0][0])[i]));
  return worst;
}

/* ---- one link */

CASE(motion_starts_exactly_and_ends_at_the_requested_pose) {
  double worst = 0;
  for (int n = 0; n < 20000; ++n) {
    brinkPose start = randomPose(3), end = randomPose(3);
    if (n % 4 == 0) { /* nearly the same rotation */
      brinkVec3 d = brinkScale(randomDirection(), pow(10, uniform(-17, -1)));
      end.rotation = brinkMulQQ((brinkQuat){sqrt(1 - brinkLengthSquared(d)), d.x, d.y, d.z}, start.rotation);
    }
    brinkVec3 hint = brinkScale(randomDirection(), uniform(0, 40));
    brinkLinkMotion motion = brinkMakeLinkMotion(-1, start, end, n % 2 ? &hint : NULL);
    brinkRigid first = brinkLinkMotion_At(&motion, 0), want = brinkRigid_FromPose(start);
    assert_memory_equal(&first, &want, sizeof first);
    brinkRigid last = brinkLinkMotion_At(&motion, 1);
    want = brinkRigid_FromPose(end);
    worst = fmax(worst, rigidDifference(&last, &want));
    if (n % 2 == 0) assert_true(motion.angle <= PI * (1 + 1e-15));
  }
  print_message("worst miss of the end pose: %.3g\n", worst);
  assert_true(worst < 4e-8); /* 2 * AXIS_LOST: nearly whole turns about the hint's axis */
}

CASE(q_and_minus_q_give_the_same_motion) {
  for (int n = 0; n < 5000; ++n) {
    brinkPose start = randomPose(1), end = randomPose(1);
    if (n % 3 == 0) { /* exact half turns about the axes */
      start.rotation = (brinkQuat){1, 0, 0, 0};
      end.rotation = (brinkQuat){0, n % 2, (n + 1) % 2, 0};
    }
    brinkVec3 hint = randomVector(20);
    brinkLinkMotion motion = brinkMakeLinkMotion(-1, start, end, n % 2 ? &hint : NULL);
    for (int flip = 1; flip < 4; ++flip) {
      brinkPose a = start, b = end;
      if (flip & 1) a.rotation = (brinkQuat){-a.rotation.w, -a.rotation.x, -a.rotation.y, -a.rotation.z};
      if (flip & 2) b.rotation = (brinkQuat){-b.rotation.w, -b.rotation.x, -b.rotation.y, -b.rotation.z};
      brinkLinkMotion same = brinkMakeLinkMotion(-1, a, b, n % 2 ? &hint : NULL);
      assert_true(same.w.x == motion.w.x && same.w.y == motion.w.y && same.w.z == motion.w.z);
    }
  }
}

CASE(hint_less_than_half_a_turn_off_recovers_the_turns) {
  double worst = 0;
  for (int n = 0; n < 20000; ++n) {
    brinkVec3 axis = randomDirection();
    double angle = uniform(-60, 60), off = uniform(-3.1, 3.1), rest = fabs(remainder(angle, 2 * PI));
    brinkVec3 hint = brinkScale(axis, angle + off);
    brinkPose start = randomPose(1), end = randomPose(1);
    brinkMat3 turn = brinkExp3(brinkScale(axis, angle)), from = brinkMat3_FromQuat(start.rotation),
              to = brinkMulMM(&turn, &from);
    end.rotation = brinkQuat_FromMat3(&to);
    brinkLinkMotion motion = brinkMakeLinkMotion(-1, start, end, &hint);
    double miss = brinkDistance(motion.w, brinkScale(axis, angle));
    worst = fmax(worst, miss * fmin(1, rest) / (1 + fabs(angle))); /* the axis is known to eps / rest */
    if (miss > 0.1) print_message("seed %llu angle %g off %g miss %g\n", (unsigned long long)seed, angle, off, miss);
    assert_true(miss < 0.1);
  }
  print_message("worst recovered angular velocity, scaled: %.3g\n", worst);
  assert_true(worst < 1e-13);
}

CASE(whole_and_half_turns_follow_the_hint) {
  for (int turns = -5; turns <= 5; ++turns)
    for (int noise = 0; noise < 3; ++noise) {
      brinkVec3 axis = randomDirection(), hint = brinkScale(axis, 2 * PI * turns + uniform(-1, 1));
      brinkPose start = randomPose(1), end = start;
      end.rotation.x += noise * 1e-16;
      brinkLinkMotion motion = brinkMakeLinkMotion(-1, start, end, &hint);
      assert_true(brinkDistance(motion.w, brinkScale(axis, 2 * PI * turns)) < 1e-13 * (1 + abs(turns)) + 1e-15);
    }
  for (int sign = -1; sign <= 1; sign += 2) {
    brinkPose start = {{0, 0, 0}, {1, 0, 0, 0}}, end = {{0, 0, 0}, {0, 0, 0, 1}};
    brinkVec3 hint = {0, 0, sign * 3.0};
    brinkLinkMotion motion = brinkMakeLinkMotion(-1, start, end, &hint);
    assert_true(fabs(motion.w.z - sign * PI) < 1e-15);
    hint.z = sign * 8.0;
    motion = brinkMakeLinkMotion(-1, start, end, &hint);
    assert_true(fabs(motion.w.z - sign * 3 * PI) < 1e-14);
  }
}

CASE(nonsense_hints_and_rotations_are_harmless) {
  brinkPose start = {{1, 2, 3}, {0, 0, 0, 0}}, end = {{1, 2, 4}, {(double)NAN, 0, 0, 0}};
  brinkVec3 hint = {(double)NAN, HUGE_VAL, 0};
  brinkLinkMotion motion = brinkMakeLinkMotion(-1, start, end, &hint);
  assert_true(motion.angle == 0 && motion.moving && motion.v.z == 1);
  brinkLinkMotion rest = brinkMakeLinkMotionVelocities(4, start, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
  assert_true(!rest.moving && rest.angle == 0 && rest.parent == 4 && rest.axis.x == 1);
}

CASE(derived_members_reproduce_the_rotation) {
  double worst = 0, worstAt = 0;
  for (int n = 0; n < 20000; ++n) {
    brinkVec3 w = brinkScale(randomDirection(), pow(10, uniform(-9, 2)));
    brinkLinkMotion motion = brinkMakeLinkMotionVelocities(-1, randomPose(1), randomVector(1), w);
    double t = uniform(0, 1), c = cos(motion.angle * t), s = sin(motion.angle * t), scale = 1 + motion.angle;
    Truth truth;
    truthOfLink(&motion, t, &truth);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double value = motion.constant.m[i][j] + c * motion.cosine.m[i][j] + s * motion.sine.m[i][j];
        worst = fmax(worst, fabs((double)(value - truth.r[i][j])) / scale);
      }
    brinkRigid at = brinkLinkMotion_At(&motion, t);
    worstAt = fmax(worstAt, poseDifference(&at, &truth) / scale);
  }
  print_message("worst error per (1 + angle): members %.3g, At %.3g\n", worst, worstAt);
  assert_true(worst < 3e-15 && worstAt < 3e-15);
}

/* ---- trees */

CASE(poses_down_a_tree_are_products_of_its_links) {
  brinkLinkMotion links[MAX_LINKS];
  brinkRigid poses[MAX_LINKS];
  for (int n = 0; n < 500; ++n) {
    brinkMotionTree tree = makeChain(links, MAX_LINKS, 4);
    for (int i = 1; i < MAX_LINKS; ++i) links[i].parent = (int32_t)uniform(-1, i); /* -1 .. i-1 (casts toward zero) */
    double t = uniform(0, 1);
    brinkMotionTree_Poses(&tree, t, poses);
    for (int i = 0; i < MAX_LINKS; ++i) {
      Truth truth;
      truthOfChain(&tree, i, -1, t, &truth);
      assert_true(poseDifference(&poses[i], &truth) < 1e-13);
      for (int32_t a = links[i].parent;; a = links[a].parent) {
        brinkRigid pose = brinkMotionTree_Pose(&tree, i, a, t);
        truthOfChain(&tree, i, a, t, &truth);
        assert_true(poseDifference(&pose, &truth) < 1e-13);
        if (a < 0) break;
      }
    }
    int32_t a = (int32_t)uniform(0, MAX_LINKS), b = (int32_t)uniform(0, MAX_LINKS), common = -1;
    for (int32_t i = a; i >= 0; i = links[i].parent)
      for (int32_t j = b; j >= 0; j = links[j].parent)
        if (i == j) common = i > common ? i : common;
    assert_int_equal(brinkMotionTree_CommonAncestor(&tree, a, b), common);
    assert_int_equal(brinkMotionTree_CommonAncestor(&tree, a, -1), -1);
    assert_int_equal(brinkMotionTree_CommonAncestor(&tree, a, a), a);
  }
  brinkRigid identity = brinkMotionTree_Pose(&(brinkMotionTree){links, MAX_LINKS}, -1, -1, 0.5),
             one = brinkIdentityRigid();
  assert_memory_equal(&identity, &one, sizeof one);
}

CASE(chain_of_ten_thousand_links_needs_no_stack) {
  const int32_t count = 10000;
  brinkLinkMotion *links = malloc((size_t)count * sizeof *links);
  brinkRigid *poses = malloc((size_t)count * sizeof *poses);
  for (int32_t i = 0; i < count; ++i)
    links[i] = brinkMakeLinkMotionVelocities(i - 1, (brinkPose){{0.01, 0, 0}, {1, 0, 0, 0}}, brinkV3(0, 0, 0),
                                             brinkV3(0, 0, 1e-4));
  brinkMotionTree tree = {links, count};
  brinkLinkRate rate;
  brinkMotionTree_Rate(&tree, count - 1, -1, 0.5, 0.6, &rate);
  brinkMotionTree_Poses(&tree, 0.5, poses);
  brinkRigid pose = brinkMotionTree_Pose(&tree, count - 1, -1, 0.5);
  assert_true(rigidDifference(&pose, &poses[count - 1]) < 1e-9 && rigidDifference(&pose, &rate.pose) < 1e-9);
  assert_true(fabs(rate.omega.z - 1) < 1e-9);
  /* p = sum of 0.01 e^(i k phi t): straight derivative in closed form by complex sums */
  long double x = 0, y = 0, vx = 0, vy = 0;
  for (int k = 0; k < count; ++k) { /* link k's offset is turned by the k links above */
    long double phi = k * (long double)links[0].w.z;
    x += 0.01 * cosl(0.5L * phi);
    y += 0.01 * sinl(0.5L * phi);
    vx -= 0.01 * phi * sinl(0.5L * phi);
    vy += 0.01 * phi * cosl(0.5L * phi);
  }
  assert_true(fabs((double)(x - rate.pose.p.x)) < rate.poseError && fabs((double)(y - rate.pose.p.y)) < rate.poseError);
  assert_true(fabs((double)(vx - rate.velocity.x)) < rate.velocityError &&
              fabs((double)(vy - rate.velocity.y)) < rate.velocityError);
  print_message("speed %.6g, bound %.6g\n", brinkLength(rate.velocity), rate.speedBase);
  assert_true(rate.speedBase >= brinkLength(rate.velocity) && rate.speedBase < 2 * brinkLength(rate.velocity));
  free(links);
  free(poses);
}

/* ---- Taylor models */

static double inModel(const brinkTaylor *a, int order, long double tau, long double value) {
  long double p = 0;
  for (int k = order; k >= 0; --k) p = p * tau + a->c[k];
  p = value - p;
  return (double)fmaxl(a->remainder.lo - p, p - a->remainder.hi);
}

CASE(taylor_models_contain_every_pose_of_chains_of_1_to_20_links) {
  static brinkTaylorRigid models[MAX_LINKS];
  brinkLinkMotion links[MAX_LINKS];
  long points = 0;
  double width[6][MAX_LINKS] = {{0}};
  int chains = 0;
  for (int n = 0; n < 150; ++n) {
    int count = 1 + n % MAX_LINKS;
    brinkMotionTree tree = makeChain(links, count, n % 10 == 9 ? 20 : 2);
    double t0 = n % 3 ? uniform(0, 0.9) : 0, t1 = n % 3 ? uniform(t0, 1) : 1, m, h;
    if (n % 17 == 0) t1 = t0;
    brinkTaylor_Window(t0, t1, &m, &h);
    chains += n % 3 == 0 && n % 10 != 9;
    for (int order = 0; order <= 5; ++order) {
      enterMode(n % ROUNDING_MODES);
      brinkMotionTree_Taylor(&tree, t0, t1, order, models);
      leaveMode();
      for (int s = 0; s <= 20; ++s) {
        long double t = t0 + ((long double)t1 - t0) * s / 20, tau = h > 0 ? (t - m) / h : 0;
        for (int i = 0; i < count; ++i) {
          Truth truth;
          truthOfChain(&tree, i, -1, t, &truth);
          for (int a = 0; a < 3; ++a) {
            double outside = inModel(&models[i].p[a], order, tau, truth.p[a]);
            for (int b = 0; b < 3; ++b) outside = fmax(outside, inModel(&models[i].r[a][b], order, tau, truth.r[a][b]));
            if (outside > 0)
              print_message("seed %llu chain %d link %d order %d: outside by %g\n", (unsigned long long)seed, n, i,
                            order, outside);
            assert_true(outside <= 0);
            points += 4;
          }
        }
      }
      if (n % 3 == 0 && n % 10 != 9 && n % 17 != 0)
        for (int i = 0; i < count; ++i) width[order][i] += brinkInterval_Width(models[i].p[0].remainder) / chains;
    }
  }
  print_message("%ld entries, 0 outside; remainder widths of an origin over [0,1], links up to 2 rad per step\n",
                points);
  for (int i = 1; i < 10; i += 4)
    print_message("  link %2d: order 0 %.3g, order 3 %.3g\n", i + 1, width[0][i], width[3][i]);
  assert_true(width[3][1] < 0.2 * width[0][1]);
}

CASE(many_turns_stay_within_the_circle) {
  brinkLinkMotion link =
      brinkMakeLinkMotionVelocities(-1, (brinkPose){{0, 0, 0}, {1, 0, 0, 0}}, brinkV3(0, 0, 0), brinkV3(0, 0, 700));
  brinkMotionTree tree = {&link, 1};
  for (int order = 0; order <= 5; ++order) {
    brinkTaylorRigid model;
    brinkMotionTree_Taylor(&tree, 0, 1, order, &model);
    brinkAabb box = taylorPointRange(&model, brinkV3(1, 0, 0.5), order);
    assert_true(box.lower.x <= -1 && box.lower.x > -1 - 1e-12 && box.upper.x >= 1 && box.upper.x < 1 + 1e-12);
    assert_true(box.lower.y <= -1 && box.lower.y > -1 - 1e-12 && box.upper.y >= 1 && box.upper.y < 1 + 1e-12);
    assert_true(box.lower.z <= 0.5 && box.lower.z > 0.5 - 1e-12 && box.upper.z < 0.5 + 1e-12);
  }
}

/* ---- rates */

/* Derivatives of order 1..3 of a link point by central differences of the definition. */
static void differences(const brinkMotionTree *tree, int32_t link, int32_t ancestor, double t, brinkVec3 r,
                        long double d[4][3]) {
  const long double h = 1e-4L;
  long double x[5][3];
  for (int k = 0; k < 5; ++k) truthPoint(tree, link, ancestor, t + (k - 2) * h, r, x[k]);
  for (int i = 0; i < 3; ++i) {
    d[0][i] = x[2][i];
    d[1][i] = (8 * (x[3][i] - x[1][i]) - (x[4][i] - x[0][i])) / (12 * h);
    d[2][i] = (-x[4][i] + 16 * x[3][i] - 30 * x[2][i] + 16 * x[1][i] - x[0][i]) / (12 * h * h);
    d[3][i] = (x[4][i] - 2 * x[3][i] + 2 * x[1][i] - x[0][i]) / (2 * h * h * h);
  }
}

static double norm(const long double x[3]) { return (double)sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static double missOf(brinkVec3 a, const long double b[3]) {
  const long double d[3] = {a.x - b[0], a.y - b[1], a.z - b[2]};
  return norm(d);
}

CASE(rates_equal_the_derivatives_of_the_pose) {
  brinkLinkMotion links[MAX_LINKS];
  double worst[3] = {0}, poseRatio = 0;
  for (int n = 0; n < 6000; ++n) {
    int count = 1 + n % MAX_LINKS;
    brinkMotionTree tree = makeChain(links, count, 2);
    double t = uniform(0, 1);
    int32_t link = count - 1, ancestor = (int32_t)uniform(-1, count - 1);
    brinkLinkRate rate;
    brinkMotionTree_Rate(&tree, link, ancestor, t, uniform(t, 1), &rate);
    brinkVec3 r = randomVector(1), y = brinkMulMV(&rate.pose.r, r), swing = brinkCross(rate.omega, y);
    brinkVec3 v = brinkAdd(rate.velocity, swing);
    brinkVec3 a = brinkAdd(rate.accel, brinkAdd(brinkCross(rate.alpha, y), brinkCross(rate.omega, swing)));
    long double d[4][3];
    differences(&tree, link, ancestor, t, r, d);
    double scale = 1 + rate.jerkBase + rate.jerkSlope;
    poseRatio = fmax(poseRatio, missOf(brinkAdd(rate.pose.p, y), d[0]) /
                                    (rate.poseError + rate.poseErrorSlope * brinkLength(r) + 4e-16 * brinkLength(y)));
    worst[1] = fmax(worst[1], missOf(v, d[1]) / scale);
    worst[2] = fmax(worst[2], missOf(a, d[2]) / scale);
  }
  print_message("worst velocity %.3g, acceleration %.3g (relative); pose error / stated bound %.3g\n", worst[1],
                worst[2], poseRatio);
  assert_true(worst[1] < 1e-12 && worst[2] < 1e-9);
  assert_true(poseRatio < 1);
}

CASE(rate_bounds_hold_on_the_whole_window) {
  brinkLinkMotion links[MAX_LINKS];
  long points = 0;
  double tightest[4] = {0, 0, 0, 0}, sums[4] = {0};
  int counted = 0;
  for (int n = 0; n < 6000; ++n) {
    int count = 1 + n % MAX_LINKS;
    brinkMotionTree tree = makeChain(links, count, n % 5 ? 2 : 8);
    double t = uniform(0, 1), tEnd = n % 4 == 0 ? 1 : n % 4 == 1 ? t + 0.01 * (1 - t) : uniform(t, 1);
    int32_t link = count - 1, ancestor = n % 3 ? -1 : (int32_t)uniform(-1, count - 1);
    brinkLinkRate rate;
    enterMode(n % ROUNDING_MODES);
    brinkMotionTree_Rate(&tree, link, ancestor, t, tEnd, &rate);
    leaveMode();
    const double base[4] = {0, rate.speedBase, rate.accelBase, rate.jerkBase};
    const double slope[4] = {0, rate.speedSlope, rate.accelSlope, rate.jerkSlope};
    double best[4] = {0};
    for (int s = 0; s < 10; ++s) {
      brinkVec3 r = s % 2 ? randomVector(pow(10, uniform(-3, 1))) : brinkV3(0, 0, 0), direction = randomDirection();
      long double d[4][3];
      differences(&tree, link, ancestor, t + (tEnd - t) * s / 9, r, d);
      for (int k = 1; k <= 3; ++k) {
        double bound = base[k] + slope[k] * brinkLength(r), noise = (k == 3   ? 2e-5
                                                                     : k == 2 ? 1e-9
                                                                              : 1e-12) *
                                                                    (1 + bound);
        if (k == 3) noise += 1e-5 * bound;
        if (norm(d[k]) > bound + noise)
          print_message("seed %llu case %d, %d links: derivative %d is %.17g, bound %.17g\n", (unsigned long long)seed,
                        n, count, k, norm(d[k]), bound);
        assert_true(norm(d[k]) <= bound + noise);
        best[k] = fmax(best[k], bound > 0.01 ? norm(d[k]) / bound : 0);
        ++points;
      }
      brinkVec3 v = {(double)d[1][0], (double)d[1][1], (double)d[1][2]};
      double paper = fabs(brinkDot(direction, rate.rootVelocity)) +
                     brinkLength(brinkCross(direction, rate.rootOmega)) * (rate.paperArm + brinkLength(r)) +
                     rate.paperBase + rate.paperSlope * brinkLength(r);
      assert_true(fabs(brinkDot(direction, v)) <= paper + 1e-12 * (1 + paper));
    }
    for (int k = 1; k <= 3; ++k) {
      tightest[k] = fmax(tightest[k], best[k]);
      sums[k] += best[k];
    }
    ++counted;
  }
  print_message("%ld bounds, 0 broken; sampled / bound, mean of maxima: speed %.3f, acceleration %.3f, jerk %.3f\n",
                points, sums[1] / counted, sums[2] / counted, sums[3] / counted);
  assert_true(tightest[1] > 0.9);
}

CASE(single_link_and_static_rates_are_the_closed_forms) {
  brinkLinkMotion links[2];
  links[0] = brinkMakeLinkMotionVelocities(-1, randomPose(1), brinkV3(3, 4, 0), brinkV3(0, 0, 2));
  links[1] = brinkMakeLinkMotionVelocities(-1, randomPose(1), brinkV3(0, 0, 0), brinkV3(0, 0, 0));
  brinkMotionTree tree = {links, 2};
  brinkLinkRate rate;
  brinkMotionTree_Rate(&tree, 0, -1, 0.25, 0.5, &rate);
  assert_true(fabs(rate.speedBase - 5) < 1e-13 && fabs(rate.speedSlope - 2) < 1e-13 && rate.accelBase < 1e-300);
  assert_true(fabs(rate.accelSlope - 4) < 1e-12 && rate.jerkBase < 1e-300 && fabs(rate.jerkSlope - 8) < 1e-12);
  assert_true(rate.speedBase >= 5 && rate.speedSlope >= 2 && rate.accelSlope >= 4 && rate.jerkSlope >= 8);
  assert_true(rate.fixedAxis == 1 && rate.window >= 0.25);
  brinkMotionTree_Rate(&tree, 1, -1, 0, 1, &rate);
  assert_true(rate.speedBase == 0 && rate.speedSlope == 0 && rate.accelSlope == 0 && rate.jerkSlope == 0);
  for (int32_t link = -1; link <= 1; link += 2) { /* world in world; link in itself */
    brinkMotionTree_Rate(&tree, link, link, 0, 1, &rate);
    brinkRigid one = brinkIdentityRigid();
    assert_memory_equal(&rate.pose, &one, sizeof one);
    assert_true(rate.speedBase == 0 && rate.speedSlope == 0 && brinkLength(rate.velocity) == 0);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
