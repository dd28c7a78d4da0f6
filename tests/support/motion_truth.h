/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_MOTION_TRUTH_H
#define BRINK_TESTS_MOTION_TRUTH_H
/* For tests of motions: seeded random numbers, and the definition x_parent(t) = t0 + t v + E(t w) R0 x down a chain,
 * straight in long double. Shares no code with algorithms but the structs. */
#include "motion_tree.h"
#include "test_random.h"

#define PI 3.14159265358979323846

static const uint64_t seed = 20071;
static uint64_t randomState = 20071;

static inline double uniform(double lo, double hi) { return linearUniform(&randomState, lo, hi); }

static inline brinkVec3 randomVector(double size) {
  return brinkV3(uniform(-size, size), uniform(-size, size), uniform(-size, size));
}

static inline brinkVec3 randomDirection(void) {
  brinkVec3 v;
  do v = randomVector(1);
  while (brinkLength(v) > 1 || brinkLength(v) < 0.1);
  return brinkNormalizeOr(v, brinkV3(1, 0, 0));
}

static inline brinkQuat randomRotation(void) {
  brinkQuat q = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
  brinkNormalizeQuat(&q);
  return q;
}

static inline brinkPose randomPose(double size) { return (brinkPose){randomVector(size), randomRotation()}; }

/* ---- the definition, in long double */

typedef struct Truth {
  long double r[3][3], p[3];
} Truth;

static inline void truthOfLink(const brinkLinkMotion *motion, long double t, Truth *out) {
  const long double w[3] = {motion->w.x, motion->w.y, motion->w.z};
  const double t0[3] = {motion->t0.x, motion->t0.y, motion->t0.z}, v[3] = {motion->v.x, motion->v.y, motion->v.z};
  long double angle = sqrtl(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), a[3] = {1, 0, 0};
  for (int i = 0; i < 3 && angle > 0; ++i) a[i] = w[i] / angle;
  long double s = sinl(angle * t), h = sinl(angle * t / 2), c = 2 * h * h;
  long double hat[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}, e[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) e[i][j] = (i == j ? 1 - c : 0) + s * hat[i][j] + c * a[i] * a[j];
  for (int i = 0; i < 3; ++i) {
    out->p[i] = t0[i] + t * v[i];
    for (int j = 0; j < 3; ++j) {
      out->r[i][j] = 0;
      for (int k = 0; k < 3; ++k) out->r[i][j] += e[i][k] * motion->r0.m[k][j];
    }
  }
}

static inline void truthOfChain(const brinkMotionTree *tree, int32_t link, int32_t ancestor, long double t,
                                Truth *out) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 3; ++i) out->r[i][i] = 1;
  for (int32_t k = link; k >= 0 && k != ancestor; k = tree->links[k].parent) {
    Truth up, next;
    truthOfLink(&tree->links[k], t, &up);
    for (int i = 0; i < 3; ++i) {
      next.p[i] = up.p[i];
      for (int j = 0; j < 3; ++j) {
        next.p[i] += up.r[i][j] * out->p[j];
        next.r[i][j] = 0;
        for (int l = 0; l < 3; ++l) next.r[i][j] += up.r[i][l] * out->r[l][j];
      }
    }
    *out = next;
  }
}

static inline void truthPoint(const brinkMotionTree *tree, int32_t link, int32_t ancestor, long double t, brinkVec3 r,
                              long double x[3]) {
  Truth pose;
  truthOfChain(tree, link, ancestor, t, &pose);
  for (int i = 0; i < 3; ++i) x[i] = pose.p[i] + pose.r[i][0] * r.x + pose.r[i][1] * r.y + pose.r[i][2] * r.z;
}

/* A chain of unit-scale links; some at rest, some only sliding, some only turning. */
static inline brinkMotionTree makeChain(brinkLinkMotion *links, int count, double turn) {
  for (int i = 0; i < count; ++i) {
    brinkVec3 v = randomVector(1), w = brinkScale(randomDirection(), uniform(0, turn));
    int kind = (int)uniform(0, 8);
    if (kind == 0) v = w = brinkV3(0, 0, 0);
    if (kind == 1) w = brinkV3(0, 0, 0);
    if (kind == 2 || kind == 3) v = brinkV3(0, 0, 0);
    links[i] = brinkMakeLinkMotionVelocities(i - 1, randomPose(1), v, w);
  }
  return (brinkMotionTree){links, count};
}

#endif
