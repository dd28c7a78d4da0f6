/* SPDX-License-Identifier: BSD-3-Clause */
/* The swept box holds every point of the carried box at every time; judged in long double. */
#include "motion_tree.h"
#include "swept_bounds.h"
#include "rounding_modes.h"

#include "cases.h"
#include "test_random.h"

#define MAX_LINKS 10

static const uint64_t seed = 616;
static uint64_t randomState = 616;

static double uniform(double lo, double hi) { return linearUniform(&randomState, lo, hi); }

static brinkVec3 randomVector(double size) {
  return brinkV3(uniform(-size, size), uniform(-size, size), uniform(-size, size));
}

static brinkPose randomPose(double size) {
  brinkQuat q = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
  brinkNormalizeQuat(&q);
  return (brinkPose){randomVector(size), q};
}

/* x of `link` to world at t, link by link, in long double */
static void carry(const brinkMotionTree *tree, int32_t link, long double t, long double x[3]) {
  for (int32_t k = link; k >= 0; k = tree->links[k].parent) {
    const brinkLinkMotion *motion = &tree->links[k];
    const long double w[3] = {motion->w.x, motion->w.y, motion->w.z};
    const double offset[3] = {motion->t0.x, motion->t0.y, motion->t0.z}, v[3] = {motion->v.x, motion->v.y, motion->v.z};
    long double angle = sqrtl(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), y[3], a[3] = {1, 0, 0};
    for (int i = 0; i < 3; ++i) {
      y[i] = motion->r0.m[i][0] * x[0] + motion->r0.m[i][1] * x[1] + motion->r0.m[i][2] * x[2];
      if (angle > 0) a[i] = w[i] / angle;
    }
    long double s = sinl(angle * t), c = cosl(angle * t), along = a[0] * y[0] + a[1] * y[1] + a[2] * y[2];
    const long double cross[3] = {a[1] * y[2] - a[2] * y[1], a[2] * y[0] - a[0] * y[2], a[0] * y[1] - a[1] * y[0]};
    for (int i = 0; i < 3; ++i) x[i] = offset[i] + t * v[i] + c * y[i] + s * cross[i] + (1 - c) * along * a[i];
  }
}

static brinkMotionTree makeChain(brinkLinkMotion *links, int count, double turn, double size) {
  for (int i = 0; i < count; ++i) {
    brinkVec3 v = randomVector(1), w = randomVector(turn);
    if (uniform(0, 1) < 0.15) v = brinkV3(0, 0, 0);
    if (uniform(0, 1) < 0.15) w = brinkV3(0, 0, 0);
    links[i] = brinkMakeLinkMotionVelocities(i - 1, randomPose(size), v, w);
  }
  return (brinkMotionTree){links, count};
}

static brinkObb randomObb(double size) {
  brinkPose pose = randomPose(size);
  return (brinkObb){pose.position,
                    brinkMat3_FromQuat(pose.rotation),
                    {uniform(0, size), uniform(0, size), uniform(0, size) < 0.1 * size ? 0 : uniform(0, size)}};
}

static long checkSamples(const brinkMotionTree *tree, int32_t link, const brinkObb *obb, double margin, double t0,
                         double t1, const brinkAabb *box, long double extent[2]) {
  long points = 0;
  extent[0] = HUGE_VAL;
  extent[1] = -HUGE_VAL;
  for (int s = 0; s <= 24; ++s)
    for (int corner = 0; corner < 10; ++corner) { /* corners, then random points inside */
      const double half[3] = {obb->half.x, obb->half.y, obb->half.z},
                   centre[3] = {obb->center.x, obb->center.y, obb->center.z};
      long double x[3] = {centre[0], centre[1], centre[2]};
      for (int k = 0; k < 3; ++k) {
        double u = corner < 8 ? ((corner >> k) & 1 ? 1 : -1) : uniform(-1, 1);
        for (int i = 0; i < 3; ++i) x[i] += u * half[k] * (long double)obb->axes.m[i][k];
      }
      carry(tree, link, t0 + ((long double)t1 - t0) * s / 24, x);
      const double lower[3] = {box->lower.x, box->lower.y, box->lower.z},
                   upper[3] = {box->upper.x, box->upper.y, box->upper.z};
      for (int i = 0; i < 3; ++i) {
        if (!(lower[i] + margin <= x[i] && x[i] <= upper[i] - margin))
          print_message("seed %llu: %.20Lg outside [%.17g, %.17g]\n", (unsigned long long)seed, x[i], lower[i],
                        upper[i]);
        assert_true(lower[i] + margin <= x[i] && x[i] <= upper[i] - margin);
      }
      extent[0] = fminl(extent[0], x[0]);
      extent[1] = fmaxl(extent[1], x[0]);
      points += 3;
    }
  return points;
}

CASE(swept_box_holds_every_sampled_point) {
  brinkLinkMotion links[MAX_LINKS];
  brinkTaylorRigid models[MAX_LINKS];
  long points = 0;
  for (int n = 0; n < 900; ++n) {
    int count = 1 + n % MAX_LINKS, order = (n / MAX_LINKS) % 6;
    brinkMotionTree tree = makeChain(links, count, n % 7 ? 1.2 : 12, n % 5 ? 1 : 1e4);
    double t0 = n % 3 ? uniform(0, 1) : 0, t1 = n % 3 ? uniform(t0, 1) : 1, margin = n % 2 ? 0.125 : 0;
    brinkObb obb = randomObb(n % 4 ? 1 : 100);
    enterMode(n % ROUNDING_MODES);
    brinkMotionTree_Taylor(&tree, t0, t1, order, models);
    brinkAabb box = brinkMakeSweptBox(&models[count - 1], &obb, margin, order);
    leaveMode();
    long double extent[2];
    points += checkSamples(&tree, count - 1, &obb, margin, t0, t1, &box, extent);
  }
  print_message("%ld coordinates, 0 outside\n", points);
}

CASE(order_three_is_much_tighter_than_intervals) {
  brinkLinkMotion links[MAX_LINKS];
  brinkTaylorRigid models[MAX_LINKS];
  const int lengths[4] = {1, 2, 5, 10};
  double ratio[4][6];
  for (int l = 0; l < 4; ++l)
    for (int order = 0; order <= 5; ++order) {
      randomState = 88;
      double total = 0;
      for (int n = 0; n < 60; ++n) {
        brinkMotionTree tree = makeChain(links, lengths[l], 0.6, 1);
        brinkMotionTree_Taylor(&tree, 0, 1, order, models);
        brinkObb obb = randomObb(0.5);
        brinkAabb box = brinkMakeSweptBox(&models[lengths[l] - 1], &obb, 0, order);
        long double extent[2];
        checkSamples(&tree, lengths[l] - 1, &obb, 0, 0, 1, &box, extent);
        total += (box.upper.x - box.lower.x) / (double)(extent[1] - extent[0]);
      }
      ratio[l][order] = total / 60;
    }
  for (int l = 0; l < 4; ++l)
    print_message("%2d links: box width / sampled width by order 0..5: %.3g %.3g %.3g %.4g %.4g %.4g\n", lengths[l],
                  ratio[l][0], ratio[l][1], ratio[l][2], ratio[l][3], ratio[l][4], ratio[l][5]);
  assert_true(ratio[0][3] < 1.02 && ratio[1][3] < 1.1 && ratio[3][3] < 0.2 * ratio[3][0]);
}

/* Remainders must add up along a chain, not multiply: entry by entry they grow 1.38 times a link. */
CASE(box_of_the_last_link_of_a_long_chain_is_at_most_half_as_large_again) {
  enum { LONGEST = 200, TIMES = 400 };
  static brinkLinkMotion links[LONGEST];
  static brinkTaylorRigid models[LONGEST];
  const int lengths[4] = {20, 50, 100, 200};
  const brinkObb obb = {{0, 0, 0}, brinkIdentityRigid().r, {0.2, 0.1, 0.1}};
  for (int l = 0; l < 4; ++l) {
    double worst = 0, worstEntries = 0;
    for (int n = 0; n < 20; ++n) {
      for (int i = 0; i < lengths[l]; ++i) {
        brinkPose pose = {{0.5, 0, 0}, {1, 0, 0, 0}};
        brinkVec3 w = {uniform(-0.1, 0.1), uniform(-0.1, 0.1), uniform(-0.1, 0.1)};
        links[i] = brinkMakeLinkMotionVelocities(i - 1, pose, i == 0 ? brinkV3(1, 0, -2) : brinkV3(0, 0, 0), w);
      }
      brinkMotionTree tree = {links, lengths[l]};
      brinkAabb box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
      const int parts = lengths[l] <= 50 ? 1 : 8; /* as many as scene_boxes.c takes */
      for (int k = 0; k < parts; ++k) {
        brinkMotionTree_Taylor(&tree, (double)k / parts, (k + 1.0) / parts, 3, models);
        brinkAabb part = brinkMakeSweptBox(&models[lengths[l] - 1], &obb, 0, 3);
        box = (brinkAabb){brinkMinV3(box.lower, part.lower), brinkMaxV3(box.upper, part.upper)};
      }
      brinkVec3 lower = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, upper = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
      for (int k = 0; k <= TIMES; ++k)
        for (unsigned corner = 0; corner < 8u; ++corner) {
          brinkVec3 c = {corner & 1u ? 0.2 : -0.2, corner & 2u ? 0.1 : -0.1, corner & 4u ? 0.1 : -0.1};
          brinkRigid at = brinkMotionTree_Pose(&tree, lengths[l] - 1, -1, (double)k / TIMES);
          brinkVec3 x = brinkApply(&at, c);
          lower = brinkMinV3(lower, x);
          upper = brinkMaxV3(upper, x);
        }
      assert_true(box.lower.x <= lower.x && box.lower.y <= lower.y && box.lower.z <= lower.z);
      assert_true(box.upper.x >= upper.x && box.upper.y >= upper.y && box.upper.z >= upper.z);
      brinkVec3 truth = brinkSub(upper, lower), got = brinkSub(box.upper, box.lower);
      worst = fmax(worst, fmax(got.x / truth.x, fmax(got.y / truth.y, got.z / truth.z)));
      worstEntries = fmax(worstEntries, models[lengths[l] - 1].placeError);
    }
    print_message("%d links: at most %.3f times the true box; remainder %.3g m\n", lengths[l], worst, worstEntries);
    assert_true(worst <= 1.5);
  }
}

CASE(resting_box_is_its_own_bounds) {
  brinkLinkMotion link =
      brinkMakeLinkMotionVelocities(-1, (brinkPose){{1, 2, 3}, {1, 0, 0, 0}}, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
  brinkMotionTree tree = {&link, 1};
  brinkTaylorRigid model;
  brinkMotionTree_Taylor(&tree, 0, 1, 3, &model);
  brinkObb obb = {{0, 0, 1}, brinkIdentity3(), {0.5, 1, 2}};
  brinkAabb box = brinkMakeSweptBox(&model, &obb, 0.25, 3);
  const double want[6] = {0.25, 0.75, 1.75, 1.75, 3.25, 6.25};
  const double got[6] = {box.lower.x, box.lower.y, box.lower.z, box.upper.x, box.upper.y, box.upper.z};
  for (int i = 0; i < 6; ++i) {
    assert_true(fabs(got[i] - want[i]) < 1e-12);
    assert_true(i < 3 ? got[i] <= want[i] : got[i] >= want[i]);
  }
}

CASE(infinite_or_broken_boxes_cover_everything) {
  brinkLinkMotion link =
      brinkMakeLinkMotionVelocities(-1, (brinkPose){{1, 2, 3}, {1, 0, 0, 0}}, brinkV3(1, 0, 0), brinkV3(0, 0, 1));
  brinkMotionTree tree = {&link, 1};
  brinkTaylorRigid model;
  brinkMotionTree_Taylor(&tree, 0, 1, 3, &model);
  const double bad[2] = {HUGE_VAL, (double)NAN};
  for (int i = 0; i < 2; ++i) {
    brinkObb obb = {{0, 0, 0}, brinkIdentity3(), {1, bad[i], 1}};
    brinkAabb box = brinkMakeSweptBox(&model, &obb, 0, 3);
    assert_true(isinf(box.lower.x) && isinf(box.lower.y) && isinf(box.upper.z) && box.lower.x < 0 && box.upper.z > 0);
  }
  link.v.x = NAN;
  brinkLinkMotion_Prepare(&link);
  brinkMotionTree_Taylor(&tree, 0, 1, 3, &model);
  brinkObb obb = {{0, 0, 0}, brinkIdentity3(), {1, 1, 1}};
  brinkAabb box = brinkMakeSweptBox(&model, &obb, 0, 3);
  assert_true(isinf(box.lower.x) && isinf(box.upper.x));
}

int main(void) { return cases_Run(NULL, NULL); }
