/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaps of pieces whose vertices are followed over a window of time: never above what many times sampled find, whatever
 * moves; and of what slides past they hide the third order only. */
#include "cases.h"
#include "clearance_rig.h"

#include "carried_gap.h"
#include "largest_product.h"
#include "path.h"

#define PI 3.14159265358979323846
#define SEED 7996301u

/* Furthest vertex along n, times sign, at one pose. */
static double furthest(const brinkPiece *piece, const brinkRigid *pose, brinkVec3 n, double sign) {
  double most = -HUGE_VAL;
  uint32_t count = piece->kind == brink_pieceBox ? 8u : piece->count;
  for (uint32_t i = 0; i < count; ++i)
    most = fmax(most, sign * brinkDot(n, brinkApply(pose, brinkPiece_Vertex(piece, i))));
  return sign * most;
}

typedef struct Sampled {
  const brinkMotionTree *tree;
  int32_t links[2];
  brinkRigid locals[2];
  const brinkPiece *pieces[2];
  brinkVec3 n0, n1;
  double t0, t1;
} Sampled;

/* Smallest n(t).(y - x) of many times, radii off. */
static double sampledGap(const Sampled *c, int count) {
  double least = HUGE_VAL;
  for (int i = 0; i <= count; ++i) {
    double s = (double)i / count, t = c->t0 + s * (c->t1 - c->t0);
    brinkVec3 n = brinkMulAdd(c->n0, s, brinkSub(c->n1, c->n0));
    brinkRigid pose[2];
    for (int k = 0; k < 2; ++k) {
      brinkRigid link = brinkMotionTree_Pose(c->tree, c->links[k], -1, t);
      pose[k] = brinkCompose(&link, &c->locals[k]);
    }
    least = fmin(least, furthest(c->pieces[1], &pose[1], n, -1) - furthest(c->pieces[0], &pose[0], n, 1));
  }
  return least - c->pieces[0]->radius - c->pieces[1]->radius;
}

/* The links down to `link`, each the parent of the next. */
static int32_t chainTo(const brinkMotionTree *tree, int32_t link, brinkLinkMotion *out) {
  int32_t count = 0, i;
  for (i = link; i >= 0; i = tree->links[i].parent) ++count;
  for (i = count; i-- > 0; link = tree->links[link].parent) {
    out[i] = tree->links[link];
    out[i].parent = i - 1;
  }
  return count;
}

static double carriedGap(const Sampled *c, brinkVec3 centre, double enough) {
  brinkLinkMotion chain[8];
  brinkTaylorRigid models[8];
  brinkCarried carried[2];
  for (int k = 0; k < 2; ++k) {
    assert_true(brinkCarried_Serves(c->pieces[k]));
    brinkCarried_Make(chain, chainTo(c->tree, c->links[k], chain), &c->locals[k], centre, c->t0, c->t1, models,
                      &carried[k]);
  }
  double tau;
  double gap = brinkCarriedGap(c->pieces[0], &carried[0], c->pieces[1], &carried[1], c->n0, c->n1, enough, &tau);
  assert_true(tau >= -1.0 && tau <= 1.0);
  return gap;
}

static brinkPath randomPath(generator *g, int kind, brinkPathKey keys[4]) {
  brinkPose start = {randomIn(g, 0.5), randomRotation(g)};
  if (kind == 0) return brinkMakePathScrew(start, randomIn(g, 1), randomDirection(g), uniform(g, -9, 9), 0.5);
  if (kind == 1) return brinkMakePathOdeStep(start, randomIn(g, 1), randomIn(g, 3));
  memset(keys, 0, 4 * sizeof *keys);
  for (int k = 0; k < 4; ++k) {
    keys[k].time = k / 3.0;
    keys[k].position = randomIn(g, 0.7);
    keys[k].slope = randomIn(g, 1);
    keys[k].rotation = randomRotation(g);
  }
  return brinkMakePathSpline(keys, 4);
}

CASE(no_carried_gap_is_above_what_samples_find) {
  rig r;
  startRig(&r);
  generator g = {SEED};
  int tight = 0, cases = 0;
  for (int i = 0; i < 3000; ++i) {
    clearTree(&r.tree);
    double points[2][3 * 40], columns[2][3 * 40];
    brinkPiece pieces[2], box = {.kind = brink_pieceBox, .half = {0.2, 0.3, 0.1}, .boundRadius = 0.375};
    Sampled c = {.tree = &r.tree.tree};
    double far = i % 5 == 0 ? 1e4 : 1.0;
    brinkVec3 centre = randomIn(&g, far);
    for (int k = 0; k < 2; ++k) {
      uint32_t count = 1u + (uint32_t)(uniform(&g, 0, i % 2 == 0 ? 4 : 39));
      for (uint32_t v = 0; v < 3 * count; ++v) points[k][v] = uniform(&g, -0.5, 0.5);
      pieces[k] = i % 7 == k ? box : brinkMakePointPiece(points[k], count, i % 3 == 0 ? 0.1 : 0.0);
      brinkMakePointColumns(points[k], count, columns[k]);
      if (i % 13 > 4 && pieces[k].kind == brink_piecePoints) pieces[k].columns = columns[k];
      c.pieces[k] = &pieces[k];
      c.locals[k] = (brinkRigid){brinkMat3_FromQuat(randomRotation(&g)), randomIn(&g, 0.3)};
      oracleLink chain[3];
      int links = (int)uniform(&g, 0, 4);
      for (int l = 0; l < links; ++l)
        chain[l] = makeLink(l == 0 ? brinkAdd(centre, randomIn(&g, 1)) : randomIn(&g, 1), randomRotation(&g),
                            randomIn(&g, 2), randomIn(&g, i % 4 == 0 ? 20 : 2));
      c.links[k] = links > 0 ? addChain(&r.tree, chain, links, -1) : -1;
      if (links == 0) c.locals[k].p = brinkAdd(centre, c.locals[k].p);
    }
    brinkPathKey keys[4];
    brinkPath path = randomPath(&g, i % 3, keys);
    bool onPath = i % 2 == 0 && far == 1.0;
    if (onPath) {
      r.tree.links[r.tree.tree.linkCount] = brinkMakeLinkMotionPath(c.links[0], &path);
      c.links[0] = r.tree.tree.linkCount++;
      brinkMotionTree_MarkPaths(r.tree.links, r.tree.tree.linkCount);
    }
    double length = pow(10, uniform(&g, -4, 0));
    c.t0 = uniform(&g, 0, 1 - length);
    c.t1 = c.t0 + length;
    if (onPath && i % 3 == 2) { /* inside a piece of the spline */
      c.t0 /= 3.0;
      c.t1 /= 3.0;
    }
    c.n0 = randomDirection(&g);
    c.n1 = i % 2 == 0 ? c.n0 : brinkNormalizeOr(brinkAdd(c.n0, randomIn(&g, 0.3)), c.n0);
    double found = sampledGap(&c, 300), proven = carriedGap(&c, centre, i % 11 == 0 ? -HUGE_VAL : HUGE_VAL);
    if (!(proven <= found + 1e-13 * far)) fail_msg("case %d: %.17g proven, %.17g found", i, proven, found);
    ++cases;
    tight += found - proven < 1e-3 * far;
  }
  print_message("%d of %d within a millimetre\n", tight, cases);
  assert_true(tight > cases / 3);
  stopRig(&r);
}

/* Of random cubics: never above what samples find, below it by no more than half of the third order, that of the vertex
 * it names; and whatever the processor has, the same bits. */
CASE(the_least_of_many_cubics_is_below_samples_and_the_same_by_every_kernel) {
  generator g = {SEED + 1};
  for (int i = 0; i < 2000; ++i) {
    const uint32_t count = 1u + (uint32_t)uniform(&g, 0, 63.99);
    double points[3 * 64], columns[3 * 64], row[4][BRINK_CARRIED_TERMS];
    for (uint32_t v = 0; v < 3 * count; ++v) points[v] = uniform(&g, -1, 1);
    brinkMakePointColumns(points, count, columns);
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < BRINK_CARRIED_TERMS; ++k)
        row[j][k] = i % 5 == 0 && k > 1 ? 0.0 : uniform(&g, -1, 1) * (k == 3 ? 0.1 : 1.0);
    uint32_t index = count;
    const double least = brinkLeastOfCubics_Base(columns, count, row, &index);
    double found = HUGE_VAL, third = 0.0, own = HUGE_VAL;
    for (uint32_t v = 0; v < count; ++v) {
      double c[4];
      for (int k = 0; k < 4; ++k)
        c[k] = row[0][k] * points[3 * v] + row[1][k] * points[3 * v + 1] + row[2][k] * points[3 * v + 2] + row[3][k];
      third = fmax(third, fabs(c[3]));
      for (int t = -50; t <= 50; ++t) {
        const double tau = t / 50.0, value = c[0] + tau * (c[1] + tau * (c[2] + tau * c[3]));
        found = fmin(found, value);
        if (v == index) own = fmin(own, value);
      }
    }
    assert_true(index < count);
    assert_true(least <= found + 1e-14 && least >= found - 0.5 * third - 1e-3);
    assert_true(own >= least - 1e-14 && own <= least + 0.5 * third + 1e-3);
#if defined(__x86_64__)
    uint32_t other = count;
    if (!__builtin_cpu_supports("avx2")) continue;
    assert_true(brinkLeastOfCubics_Avx2(columns, count, row, &other) == least);
    assert_int_equal(other, index);
#endif
  }
}

/* A point on a screw passes a plane square to its helix's normal: the plane keeps it, over an angle at which a bound of
 * the acceleration alone hides a hundred times more. */
CASE(what_slides_along_a_screw_hides_its_third_order_only) {
  const double pitch = 0.5, radius = 1.0;
  double hidden[3];
  const brinkRigid identity = brinkIdentityRigid();
  for (int i = 0; i < 3; ++i) {
    const double angle = 0.8 / (1 << i); /* rad, over the window */
    testTree store;
    clearTree(&store);
    const oracleLink turn = makeLink(brinkV3(0, 0, -pitch * angle / (4 * PI)), unturned,
                                     brinkV3(0, 0, pitch * angle / (2 * PI)), brinkV3(0, 0, angle));
    int32_t link = addChain(&store, &turn, 1, -1);
    /* at half the time at (radius, 0, 0), moving along (0, radius, pitch/(2 pi)) */
    const double slope = pitch / (2 * PI * radius), wide = 3.0;
    brinkVec3 n = brinkNormalizeOr(brinkV3(0.5, -slope, 1), brinkV3(0, 0, 1)),
              u = brinkNormalizeOr(brinkV3(0, 1, slope), n), v = brinkCross(n, u);
    double thread[3] = {radius * cos(angle / 2), -radius * sin(angle / 2), 0}, plane[9];
    const double sides[3][2] = {{1, 0}, {-1, 1}, {-1, -1}};
    for (int k = 0; k < 3; ++k) {
      brinkVec3 p = brinkMulAdd(brinkV3(radius, 0, 0), 0.05, n);
      p = brinkAdd(p, brinkAdd(brinkScale(u, wide * sides[k][0]), brinkScale(v, wide * sides[k][1])));
      plane[3 * k] = p.x, plane[3 * k + 1] = p.y, plane[3 * k + 2] = p.z;
    }
    brinkPiece point = brinkMakePointPiece(thread, 1, 0), triangle = brinkMakePointPiece(plane, 3, 0);
    Sampled c = {&store.tree, {link, -1}, {identity, identity}, {&point, &triangle}, n, n, 0, 1};
    double found = sampledGap(&c, 1000), proven = carriedGap(&c, brinkV3(0, 0, 0), HUGE_VAL);
    hidden[i] = found - proven;
    double second = radius * angle * angle / 8; /* what a bound of |x''| hides */
    print_message("%.2f rad: %.3g of %.3g m hidden, %.3g by the acceleration\n", angle, hidden[i], found, second);
    assert_true(hidden[i] >= -1e-13 && hidden[i] < 0.01 * second);
  }
  assert_true(hidden[2] < hidden[0] / 30);
}

CASE(motions_that_nobody_knows_prove_nothing) {
  const brinkRigid identity = brinkIdentityRigid();
  double at[3] = {0, 0, 0};
  brinkPiece point = brinkMakePointPiece(at, 1, 0), plane = {.kind = brink_pieceHalfSpace, .normal = {0, 0, 1}},
             round = {.kind = brink_pieceCylinder, .half = {1, 1, 1}, .boundRadius = 2};
  assert_false(brinkCarried_Serves(&plane));
  assert_false(brinkCarried_Serves(&round));
  testTree store;
  clearTree(&store);
  const oracleLink wild = makeLink(brinkV3(0, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 1e18));
  int32_t link = addChain(&store, &wild, 1, -1);
  double off[3] = {1, 0, 0};
  brinkPiece spun = brinkMakePointPiece(off, 1, 0);
  Sampled c = {&store.tree, {link, -1}, {identity, identity}, {&spun, &point}, {-1, 0, 0}, {-1, 0, 0}, 0, 1};
  assert_true(carriedGap(&c, brinkV3(0, 0, 0), HUGE_VAL) <= -1);
}

int main(void) { return cases_Run(NULL, NULL); }
