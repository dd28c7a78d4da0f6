/* SPDX-License-Identifier: BSD-3-Clause */
/* Distance of convex pieces: closed forms, brute force over features in long double, and the promise that holds for
 * every pair whatever its shape: lower <= true distance <= upper. */
#include "cases.h"
#include "largest_product.h"
#include "make_shape.h"
#include "piece_support.h"

/* ---- truth in long double: all vertex-face, edge-edge, vertex-edge, vertex-vertex candidates, and piercing */

typedef struct wide {
  long double x, y, z;
} wide;
static wide wideSub(wide a, wide b) { return (wide){a.x - b.x, a.y - b.y, a.z - b.z}; }
static wide wideAlong(wide a, long double s, wide b) { return (wide){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static long double wideDot(wide a, wide b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static wide wideCross(wide a, wide b) {
  return (wide){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static wide widen(const brinkRigid *pose, const double *v) {
  long double c[3] = {v[0], v[1], v[2]}, o[3] = {pose->p.x, pose->p.y, pose->p.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) o[i] += (long double)pose->r.m[i][j] * c[j];
  return (wide){o[0], o[1], o[2]};
}

static long double pointEdge(wide p, wide a, wide b) {
  wide d = wideSub(b, a);
  long double l = wideDot(d, d), t = l > 0 ? wideDot(wideSub(p, a), d) / l : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  wide r = wideSub(p, wideAlong(a, t, d));
  return sqrtl(wideDot(r, r));
}
static long double edgeEdge(wide a, wide b, wide c, wide d) {
  long double best =
      fminl(fminl(pointEdge(a, c, d), pointEdge(b, c, d)), fminl(pointEdge(c, a, b), pointEdge(d, a, b)));
  wide u = wideSub(b, a), v = wideSub(d, c), n = wideCross(u, v), r = wideSub(c, a);
  long double size = wideDot(n, n);
  if (!(size > 0)) return best;
  long double s = wideDot(wideCross(r, v), n) / size, t = wideDot(wideCross(r, u), n) / size;
  if (s < 0 || s > 1 || t < 0 || t > 1) return best;
  wide w = wideSub(wideAlong(c, t, v), wideAlong(a, s, u));
  return fminl(best, sqrtl(wideDot(w, w)));
}
static bool footInside(wide p, const wide *t) {
  wide n = wideCross(wideSub(t[1], t[0]), wideSub(t[2], t[0]));
  for (int i = 0; i < 3; ++i)
    if (wideDot(wideCross(wideSub(t[(i + 1) % 3], t[i]), wideSub(p, t[i])), n) < 0) return false;
  return wideDot(n, n) > 0;
}
static long double pointFace(wide p, const wide *t) {
  if (!footInside(p, t)) return (long double)INFINITY;
  wide n = wideCross(wideSub(t[1], t[0]), wideSub(t[2], t[0]));
  return fabsl(wideDot(wideSub(p, t[0]), n)) / sqrtl(wideDot(n, n));
}
static bool pierces(wide a, wide b, const wide *t) {
  wide n = wideCross(wideSub(t[1], t[0]), wideSub(t[2], t[0]));
  long double ha = wideDot(wideSub(a, t[0]), n), hb = wideDot(wideSub(b, t[0]), n);
  if (ha == hb || (ha > 0) == (hb > 0)) return false;
  return footInside(wideAlong(a, ha / (ha - hb), wideSub(b, a)), t);
}
/* of two triangles (repeat vertices for segments and points) */
static long double trueDistance(const wide *a, const wide *b) {
  long double best = (long double)INFINITY;
  for (int i = 0; i < 3; ++i) {
    if (pierces(a[i], a[(i + 1) % 3], b) || pierces(b[i], b[(i + 1) % 3], a)) return 0;
    best = fminl(best, fminl(pointFace(a[i], b), pointFace(b[i], a)));
    for (int j = 0; j < 3; ++j) best = fminl(best, edgeEdge(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
  }
  return best;
}

/* ---- tests */

CASE(boxes_side_by_side_match_closed_form) {
  const double scales[] = {1e-6, 1.0, 1e6};
  for (int k = 0; k < 3; ++k) {
    dice d = {11 + k, 11 + k};
    for (int i = 0; i < 3000; ++i) {
      double s = scales[k];
      brinkVec3 ha = brinkV3(uniform(&d, 0.1, 1) * s, uniform(&d, 0.1, 1) * s, uniform(&d, 0.1, 1) * s);
      brinkVec3 hb = brinkV3(uniform(&d, 0.1, 1) * s, uniform(&d, 0.1, 1) * s, uniform(&d, 0.1, 1) * s);
      brinkPiece a = boxPiece(ha), b = boxPiece(hb);
      brinkRigid pa = {brinkIdentity3(), inCube(&d, 2 * s)}, pb = {brinkIdentity3(), inCube(&d, 2 * s)};
      brinkVec3 gap = brinkSub(brinkAbsV3(brinkSub(pb.p, pa.p)), brinkAdd(ha, hb));
      brinkVec3 out = brinkMaxV3(gap, brinkV3(0, 0, 0));
      double truth = brinkLength(out);
      brinkSeparation r;
      brinkGjk(&a, &pa, &b, &pb, &accurate, NULL, &r);
      double doubt = 1e-12 * s;
      CHECK(r.lower <= truth && truth <= r.upper + (r.overlap ? doubt : 0), &d, "%g %g %g", r.lower, truth, r.upper);
      CHECK(r.overlap == (truth == 0.0) || truth < doubt, &d, "%d %g", r.overlap, truth);
      if (!r.overlap) CHECK(r.upper - r.lower <= doubt, &d, "case %d: %.17g %.17g", i, r.lower, r.upper);
    }
  }
}

CASE(sphere_and_capsule_match_closed_form) {
  dice d = {21, 21};
  static const double origin[3] = {0, 0, 0}, axis[6] = {0, 0, -0.7, 0, 0, 0.7};
  for (int i = 0; i < 3000; ++i) {
    double ra = uniform(&d, 0.05, 0.5), rb = uniform(&d, 0.05, 0.5);
    brinkPiece sphere = brinkMakePointPiece(origin, 1, ra), capsule = brinkMakePointPiece(axis, 2, rb);
    brinkRigid ps = randomPose(&d, 1.5), pc = randomPose(&d, 1.5);
    brinkVec3 local = brinkApplyInverse(&pc, ps.p);
    double t = fmin(0.7, fmax(-0.7, local.z));
    double truth = sqrt(local.x * local.x + local.y * local.y + (local.z - t) * (local.z - t)) - ra - rb;
    brinkSeparation r;
    brinkSignedSeparation(&sphere, &ps, &capsule, &pc, &accurate, NULL, &r);
    CHECK(fabs(r.lower - truth) < 1e-13, &d, "case %d: %.17g %.17g", i, r.lower, truth);
    CHECK(r.overlap == (truth <= 0.0) || fabs(truth) < 1e-13, &d, "%g", truth);
    double along = brinkDot(r.normal, brinkSub(r.pointB, r.pointA));
    CHECK(fabs(along - truth) < 1e-13, &d, "witnesses %g %g", along, truth);
  }
}

/* 1e5 pairs: generic, slivers, needles, nearly coplanar, touching; three scales; also as 4-vertex pieces, so that the
 * iteration is judged by the same truth as the closed forms. */
CASE(lower_true_upper_stand_in_order_for_all_triangle_pairs) {
  const double scales[] = {1e-6, 1.0, 1e6};
  dice d = {31, 31};
  int loose = 0, looseIterated = 0, unclear = 0, generic = 0, falseOverlap = 0;
  for (int i = 0; i < 120000; ++i) {
    double s = scales[i % 3];
    int kind = (i / 3) % 6;
    double va[12], vb[12];
    for (int side = 0; side < 2; ++side) {
      double *v = side ? vb : va;
      brinkVec3 p[3] = {inCube(&d, 1), inCube(&d, 1), inCube(&d, 1)};
      double thin = pow(10.0, uniform(&d, -12, -1));
      if (kind == 1) p[2] = brinkAdd(brinkScale(brinkAdd(p[0], p[1]), 0.5), inCube(&d, thin)); /* cap */
      if (kind == 2) p[2] = brinkAdd(p[1], inCube(&d, thin));                                  /* needle */
      if (kind == 3)
        for (int k = 0; k < 3; ++k) p[k].z *= thin; /* nearly coplanar */
      if (kind == 4)
        for (int k = 0; k < 3; ++k) p[k].z = 0.0; /* coplanar */
      if (kind == 5 && side)
        p[0] = brinkAdd(brinkV3(va[0] / s, va[1] / s, va[2] / s), inCube(&d, thin)); /* near touch */
      for (int k = 0; k < 3; ++k) {
        v[3 * k] = p[k].x * s;
        v[3 * k + 1] = p[k].y * s;
        v[3 * k + 2] = p[k].z * s;
      }
      memcpy(v + 9, v + 6, 3 * sizeof *v);
    }
    brinkRigid pa = at(0, 0, 0), pb = at(0, 0, 0);
    if (kind < 3)
      pb = randomPose(&d, 2 * s);
    else if (kind < 5)
      pb.p = brinkV3(uniform(&d, -2, 2) * s, uniform(&d, -2, 2) * s, 0);
    wide wa[3], wb[3];
    for (int k = 0; k < 3; ++k) {
      wa[k] = widen(&pa, va + 3 * k);
      wb[k] = widen(&pb, vb + 3 * k);
    }
    long double truth = trueDistance(wa, wb);
    for (uint32_t count = 3; count <= 4; ++count) {
      brinkPiece a = brinkMakePointPiece(va, count, 0.0), b = brinkMakePointPiece(vb, count, 0.0);
      brinkSeparation r;
      enterMode(i % ROUNDING_MODES);
      brinkGjk(&a, &pa, &b, &pb, &accurate, NULL, &r);
      leaveMode();
      double rounding = brinkPairRounding(&a, &pa, &b, &pb);
      CHECK((long double)r.lower <= truth, &d, "case %d: lower %.17g true %.20Lg", i, r.lower, truth);
      if (!r.overlap)
        CHECK(truth <= (long double)r.upper, &d, "case %d: upper %.17g true %.20Lg", i, r.upper, truth);
      else if (truth > (long double)(2 * rounding))
        ++falseOverlap;
      CHECK(!(r.lower > 0.0 && r.overlap), &d, "case %d", i);
      if (truth > 0 && !r.overlap && r.upper - r.lower > 1e-12 * s * 4) {
        if (count == 3)
          ++loose;
        else
          ++looseIterated;
        if (kind == 0) CHECK(false, &d, "generic case %d: %.17g %.17g true %.17Lg", i, r.lower, r.upper, truth);
      }
      if (truth == 0 && !r.overlap) ++unclear;
      if (kind == 0) ++generic;
    }
  }
  print_message("triangles: loose %d, loose iterated %d, touching unclear %d, false overlap %d of 240000\n", loose,
                looseIterated, unclear, falseOverlap);
  assert_int_equal(falseOverlap, 0);
  assert_true(loose < 1200 && looseIterated < 2400 && unclear < 1200);
}

CASE(random_hulls_agree_with_brute_force) {
  dice d = {41, 41};
  int apart = 0;
  for (int i = 0; i < 250; ++i) {
    enum { N = 7 };
    double va[3 * N], vb[3 * N];
    double flatA = i % 5 == 0 ? 1e-9 : 1.0, flatB = i % 7 == 0 ? 0.0 : 1.0;
    for (int k = 0; k < 3 * N; ++k) {
      va[k] = uniform(&d, -1, 1) * (k % 3 == 2 ? flatA : 1.0);
      vb[k] = uniform(&d, -1, 1) * (k % 3 == 2 ? flatB : 1.0);
    }
    brinkRigid pa = randomPose(&d, 1.5), pb = randomPose(&d, 1.5);
    brinkPiece a = brinkMakePointPiece(va, N, 0.0), b = brinkMakePointPiece(vb, N, 0.0);
    wide wa[N], wb[N];
    for (int k = 0; k < N; ++k) {
      wa[k] = widen(&pa, va + 3 * k);
      wb[k] = widen(&pb, vb + 3 * k);
    }
    brinkSeparation r;
    enterMode(i % ROUNDING_MODES);
    brinkGjk(&a, &pa, &b, &pb, &accurate, NULL, &r);
    leaveMode();
    long double truth = (long double)INFINITY; /* all triangles of the points: the hull's own are among them */
    for (int p = 0; p < N; ++p)
      for (int q = p + 1; q < N; ++q)
        for (int o = q + 1; o < N; ++o)
          for (int u = 0; u < N; ++u)
            for (int v = u + 1; v < N; ++v)
              for (int w = v + 1; w < N && truth > 0; ++w) {
                wide ta[3] = {wa[p], wa[q], wa[o]}, tb[3] = {wb[u], wb[v], wb[w]};
                truth = fminl(truth, trueDistance(ta, tb));
              }
    CHECK((long double)r.lower <= truth, &d, "case %d: %.17g %.17Lg", i, r.lower, truth);
    if (truth > 0 && r.overlap) continue; /* one inside the other: no surfaces meet */
    if (truth > 1e-9L) {
      ++apart;
      CHECK(!r.overlap && truth <= (long double)r.upper, &d, "case %d: %.17g %.17Lg", i, r.upper, truth);
      CHECK(r.upper - r.lower < 1e-12, &d, "case %d: %.17g %.17g", i, r.lower, r.upper);
    } else {
      CHECK(r.overlap || r.upper < 1e-8, &d, "case %d: %.17g %.17Lg", i, r.upper, truth);
    }
  }
  assert_true(apart > 50);
}

/* Largest gap over the 15 axes of two boxes. */
static double boxAxesGap(brinkVec3 ha, const brinkRigid *pa, brinkVec3 hb, const brinkRigid *pb) {
  double best = -INFINITY;
  brinkVec3 between = brinkSub(pb->p, pa->p);
  for (int i = 0; i < 15; ++i) {
    brinkVec3 e[2][3], n;
    for (int k = 0; k < 3; ++k) {
      e[0][k] = brinkV3(pa->r.m[0][k], pa->r.m[1][k], pa->r.m[2][k]);
      e[1][k] = brinkV3(pb->r.m[0][k], pb->r.m[1][k], pb->r.m[2][k]);
    }
    if (i < 6)
      n = e[i / 3][i % 3];
    else
      n = brinkNormalizeOr(brinkCross(e[0][(i - 6) / 3], e[1][(i - 6) % 3]), brinkV3(0, 0, 0));
    if (brinkLengthSquared(n) == 0.0) continue;
    double reach = fabs(brinkDot(n, e[0][0])) * ha.x + fabs(brinkDot(n, e[0][1])) * ha.y +
                   fabs(brinkDot(n, e[0][2])) * ha.z + fabs(brinkDot(n, e[1][0])) * hb.x +
                   fabs(brinkDot(n, e[1][1])) * hb.y + fabs(brinkDot(n, e[1][2])) * hb.z;
    best = fmax(best, fabs(brinkDot(n, between)) - reach);
  }
  return best;
}

CASE(overlap_agrees_with_separating_axes_for_random_boxes) {
  dice d = {51, 51};
  int overlaps = 0;
  for (int i = 0; i < 100000; ++i) {
    double s = i % 3 == 0 ? 1e-6 : i % 3 == 1 ? 1.0 : 1e6;
    double thin = i % 4 == 0 ? 1e-7 : 0.05;
    brinkVec3 ha = brinkV3(uniform(&d, 0.05, 1) * s, uniform(&d, 0.05, 1) * s, uniform(&d, thin / 2, thin) * s);
    brinkVec3 hb = brinkV3(uniform(&d, 0.05, 1) * s, uniform(&d, 0.05, 1) * s, uniform(&d, 0.05, 1) * s);
    brinkPiece a = boxPiece(ha), b = boxPiece(hb);
    brinkRigid pa = randomPose(&d, 0.8 * s), pb = randomPose(&d, 0.8 * s);
    double gap = boxAxesGap(ha, &pa, hb, &pb);
    if (fabs(gap) < 1e-12 * s) continue;
    brinkSeparation r;
    brinkGjk(&a, &pa, &b, &pb, &accurate, NULL, &r);
    CHECK(r.overlap == (gap < 0.0), &d, "case %d: overlap %d gap %g lower %g upper %g", i, r.overlap, gap / s,
          r.lower / s, r.upper / s);
    if (!r.overlap)
      CHECK(r.lower > 0.0 && r.upper - r.lower < 2e-12 * s, &d, "case %d: %.17g %.17g", i, r.lower, r.upper);
    overlaps += r.overlap;
  }
  assert_true(overlaps > 20000);
}

CASE(half_space_gap_is_the_lowest_vertex) {
  dice d = {61, 61};
  for (int i = 0; i < 2000; ++i) {
    double v[24];
    for (int k = 0; k < 24; ++k) v[k] = uniform(&d, -1, 1);
    double radius = i % 2 ? 0.1 : 0.0;
    brinkPiece hull = brinkMakePointPiece(v, 8, radius);
    brinkVec3 normal = brinkNormalizeOr(inCube(&d, 1), brinkV3(0, 0, 1));
    brinkPiece plane = halfSpacePiece(normal, uniform(&d, -1, 1));
    brinkRigid pp = randomPose(&d, 1), ph = randomPose(&d, 2);
    brinkVec3 n = brinkMulMV(&pp.r, normal);
    double truth = INFINITY;
    for (int k = 0; k < 8; ++k)
      truth = fmin(truth, brinkDot(n, brinkSub(brinkApply(&ph, brinkV3_FromArray(v + 3 * k)), pp.p)) - plane.offset);
    truth -= radius;
    brinkSeparation r, q;
    brinkGjk(&plane, &pp, &hull, &ph, &accurate, NULL, &r);
    brinkGjk(&hull, &ph, &plane, &pp, &accurate, NULL, &q);
    CHECK(fabs(r.lower - truth) < 1e-13 && fabs(q.lower - truth) < 1e-13, &d, "%g %g %g", r.lower, q.lower, truth);
    CHECK(brinkDistance(r.normal, n) < 1e-14 && brinkDistance(q.normal, brinkNeg(n)) < 1e-14, &d, "normal");
    CHECK(r.overlap == (truth <= 0.0), &d, "%g", truth);
    CHECK(fabs(brinkCertifyGap(&plane, &pp, &hull, &ph, n) - truth) < 1e-13, &d, "certify");
    CHECK(brinkCertifyGap(&plane, &pp, &hull, &ph, brinkAdd(n, brinkV3(0.1, 0.1, 0))) < -1e300, &d, "other direction");
  }
}

CASE(cylinders_converge_to_closed_forms) {
  dice d = {71, 71};
  static const double origin[3] = {0, 0, 0};
  for (int i = 0; i < 3000; ++i) {
    double radius = uniform(&d, 0.1, 1), half = uniform(&d, 0.1, 1);
    brinkPiece cylinder = cylinderPiece(radius, half), point = brinkMakePointPiece(origin, 1, 0.0);
    brinkRigid pc = randomPose(&d, 1), pp = randomPose(&d, 2);
    brinkVec3 local = brinkApplyInverse(&pc, pp.p);
    double side = fmax(0.0, sqrt(local.x * local.x + local.y * local.y) - radius), up = fmax(0.0, fabs(local.z) - half);
    double truth = sqrt(side * side + up * up);
    brinkSeparation r;
    brinkGjk(&cylinder, &pc, &point, &pp, &accurate, NULL, &r);
    CHECK(r.lower <= truth + 1e-15 && truth <= r.upper + 1e-14, &d, "case %d: %.17g %.17g %.17g", i, r.lower, truth,
          r.upper);
    CHECK(r.upper - r.lower < 1e-10 || r.overlap, &d, "case %d: %.17g %.17g, %u", i, r.lower, r.upper, r.iterations);
    if (truth > 1e-12) CHECK(!r.overlap, &d, "case %d", i);
    /* crossed axes, far enough that the sides face each other */
    brinkPiece other = cylinderPiece(uniform(&d, 0.1, 1), 1.0);
    cylinder.half.z = 1.0;
    cylinder.boundRadius = other.boundRadius = 2.0;
    brinkRigid lower = at(0, 0, 0), upper = at(uniform(&d, -0.3, 0.3), 0, 0);
    double angle = uniform(&d, 0.5, 1.5);
    upper.r = brinkExp3(brinkV3(0, angle, 0));
    upper.p.y = uniform(&d, radius + other.half.x + 0.01, 3.0);
    double gap = upper.p.y - radius - other.half.x;
    brinkGjk(&cylinder, &lower, &other, &upper, &accurate, NULL, &r);
    CHECK(r.lower <= gap + 1e-14 && gap <= r.upper + 1e-14, &d, "%.17g %.17g %.17g", r.lower, gap, r.upper);
    CHECK(r.upper - r.lower < 1e-7, &d, "crossed %d: %.17g %.17g, %u", i, r.lower, r.upper, r.iterations);
  }
}

CASE(early_exit_is_still_a_proof) {
  dice d = {81, 81};
  uint32_t saved = 0;
  for (int i = 0; i < 5000; ++i) {
    double va[30], vb[30];
    for (int k = 0; k < 30; ++k) {
      va[k] = uniform(&d, -1, 1);
      vb[k] = uniform(&d, -1, 1);
    }
    brinkPiece a = brinkMakePointPiece(va, i % 2 ? 10 : 3, 0.0), b = brinkMakePointPiece(vb, i % 2 ? 10 : 3, 0.01);
    brinkRigid pa = randomPose(&d, 2), pb = randomPose(&d, 2);
    brinkSeparation full, r;
    brinkGjk(&a, &pa, &b, &pb, &accurate, NULL, &full);
    brinkGjkLimits rough = {0.3, 0.0, INFINITY, -1.0, 0}, enough = accurate, near = accurate, one = accurate;
    enough.enoughLower = 0.2;
    near.enoughUpper = 0.5;
    one.maxIterations = 1;
    const brinkGjkLimits *all[] = {&rough, &enough, &near, &one};
    for (int k = 0; k < 4; ++k) {
      brinkGjk(&a, &pa, &b, &pb, all[k], NULL, &r);
      CHECK(r.lower <= full.upper && r.upper >= full.lower, &d, "case %d limits %d", i, k);
      CHECK(!r.overlap || full.overlap || full.upper < 1e-12, &d, "case %d limits %d", i, k);
    }
    brinkGjk(&a, &pa, &b, &pb, &rough, NULL, &r);
    CHECK(full.overlap || r.upper - r.lower <= 0.3 * r.upper + 1e-12, &d, "case %d: rough", i);
    if (full.lower > 0.2 + 1e-9) {
      brinkGjk(&a, &pa, &b, &pb, &enough, NULL, &r);
      CHECK(r.lower >= 0.2 - 1e-12, &d, "case %d: %g", i, r.lower);
    }
    brinkGjk(&a, &pa, &b, &pb, &accurate, &full.simplex, &r);
    CHECK(full.overlap == r.overlap && fabs(r.upper - full.upper) < 1e-12, &d, "warm %d: %g %g", i, r.upper,
          full.upper);
    saved += full.iterations > r.iterations;
    brinkGjk(&b, &pb, &a, &pa, &accurate, NULL, &r);
    CHECK(full.overlap == r.overlap && fabs(r.upper - full.upper) < 1e-12, &d, "swap %d: %g %g", i, r.upper,
          full.upper);
    if (!full.overlap && full.lower > 0.01)
      CHECK(brinkDistance(r.normal, brinkNeg(full.normal)) < 1e-9, &d, "swapped normal %d", i);
  }
  assert_true(saved > 1000);
}

CASE(same_question_gives_the_same_bits) {
  dice d = {91, 91};
  for (int i = 0; i < 2000; ++i) {
    double va[24], vb[24];
    for (int k = 0; k < 24; ++k) {
      va[k] = uniform(&d, -1, 1);
      vb[k] = uniform(&d, -1, 1);
    }
    brinkPiece a = brinkMakePointPiece(va, 1 + (uint32_t)(i % 8), 0.0), b = brinkMakePointPiece(vb, 8, 0.0);
    brinkRigid pa = randomPose(&d, 1), pb = randomPose(&d, 1);
    brinkSeparation r, q;
    memset(&r, 0, sizeof r);
    memset(&q, 0xff, sizeof q);
    brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &r);
    brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &q);
    assert_memory_equal(&r.lower, &q.lower, sizeof r.lower);
    assert_memory_equal(&r.upper, &q.upper, sizeof r.upper);
    assert_memory_equal(&r.normal, &q.normal, 3 * sizeof r.normal);
  }
}

CASE(zero_size_sets_are_ordinary) {
  static const double zero[12] = {0}, line[12] = {-1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0};
  for (uint32_t na = 1; na <= 4; ++na)
    for (uint32_t nb = 1; nb <= 4; ++nb)
      for (int which = 0; which < 4; ++which) {
        brinkPiece a = brinkMakePointPiece(which & 1 ? line : zero, na, 0.0);
        brinkPiece b = brinkMakePointPiece(which & 2 ? line : zero, nb, 0.0);
        brinkRigid pa = at(0, 0, 0), pb = at(0, 0, 0.25);
        brinkSeparation r;
        brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &r);
        double apart = 0.25;
        if (which == 1 && na == 1) apart = sqrt(1.0625); /* line's first vertex alone */
        if (which == 2 && nb == 1) apart = sqrt(1.0625);
        assert_false(r.overlap);
        assert_true(fabs(r.upper - apart) < 1e-13 && fabs(r.lower - apart) < 1e-13);
        pb.p.z = 0.0;
        brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &r);
        if (apart == 0.25) {
          assert_true(r.overlap);
          assert_true(fabs(r.upper) < 1e-13 && fabs(r.lower) < 1e-13);
          assert_true(fabs(brinkLength(r.normal) - 1.0) < 1e-12);
        }
      }
}

CASE(features_name_vertex_edge_and_face) {
  brinkPiece box = boxPiece(brinkV3(1, 1, 1));
  static const double origin[3] = {0, 0, 0};
  static const double triangle[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
  static const uint32_t ids[3] = {70, 80, 90};
  brinkPiece point = brinkMakePointPiece(origin, 1, 0.0), face = brinkMakePointPiece(triangle, 3, 0.0);
  face.vertexIds = ids;
  const brinkVec3 places[3] = {{2, 2, 2}, {2, 2, 0.3}, {2, 0.1, 0.3}};
  brinkSeparation r;
  uint32_t kindA, kindB, a[3], b[3];
  for (uint32_t i = 0; i < 3; ++i) {
    brinkRigid pose = at(places[i].x, places[i].y, places[i].z), origin0 = at(0, 0, 0);
    brinkGjk(&box, &origin0, &point, &pose, &accurate, NULL, &r);
    brinkWitnessFeatures(&box, &point, &r, &kindA, a, &kindB, b);
    assert_int_equal(kindA, i + 1);
    assert_int_equal(kindB, 1);
    for (uint32_t k = 0; k < kindA; ++k) assert_true(a[k] & 1u); /* +x corners */
  }
  brinkRigid above = at(0, 0, 0.5), beside = at(0, -2, 0), origin0 = at(0, 0, 0);
  brinkGjk(&face, &origin0, &point, &above, &accurate, NULL, &r);
  brinkWitnessFeatures(&face, &point, &r, &kindA, a, &kindB, b);
  assert_int_equal(kindA, 3);
  assert_int_equal(a[0] + a[1] + a[2], 240);
  brinkGjk(&face, &origin0, &point, &beside, &accurate, NULL, &r);
  brinkWitnessFeatures(&face, &point, &r, &kindA, a, &kindB, b);
  assert_int_equal(kindA, 2);
  assert_int_equal(a[0] + a[1], 150);
}

CASE(largest_products_have_the_same_bits_for_every_instruction_set) {
  dice d = {77, 77};
  double points[3 * 70];
  for (uint32_t count = 1; count <= 70; ++count)
    for (int k = 0; k < 50; ++k) {
      const double size = pow(10.0, uniform(&d, -6, 6));
      for (uint32_t i = 0; i < 3 * count; ++i) points[i] = size * uniform(&d, -1, 1);
      const brinkVec3 n = {uniform(&d, -1, 1), uniform(&d, -1, 1), uniform(&d, -1, 1)};
      double truth = -INFINITY;
      uint32_t first = 0;
      for (uint32_t i = 0; i < count; ++i) {
        const double *v = &points[3 * i], product = v[0] * n.x + v[1] * n.y + v[2] * n.z;
        if (!(product > truth)) continue;
        truth = product;
        first = i;
      }
      double columns[3 * 72];
      brinkMakePointColumns(points, count, columns);
      const brinkProductKernels *plain = &brinkProductKernels_Base;
      const double found[4] = {plain->points(points, count, n), brinkLargestProduct(points, count, n),
                               plain->columns(columns, count, n), brinkPointColumns_LargestProduct(columns, count, n)};
      for (int i = 0; i < 4; ++i)
        if (found[i] != truth) fail_msg("%u points, way %d: %a, not %a", count, i, found[i], truth);
      if (count > BRINK_MOST_COLUMNS) continue;
      const uint32_t at = brinkPointColumns_Furthest(columns, count, n);
      if (at != first || plain->furthest(columns, count, n) != first)
        fail_msg("%u points: %u, not %u", count, at, first);
    }
}

/* Vertices in columns are asked in another way, and the proof believes the vertex that is told there: everything comes
 * out as from the plain vertices, to the last bit. */
CASE(packed_vertices_give_the_answer_of_plain_ones) {
  enum { MOST = BRINK_MOST_COLUMNS };
  dice d = {78, 78};
  int apart = 0, across = 0;
  for (int i = 0; i < 4000; ++i) {
    double points[2][3 * MOST], columns[2][3 * MOST];
    brinkPiece plain[2], packed[2];
    brinkRigid poses[2];
    for (int side = 0; side < 2; ++side) {
      const uint32_t count = 5u + (uint32_t)uniform(&d, 0, MOST - 4);
      for (uint32_t k = 0; k < 3 * count; ++k) points[side][k] = uniform(&d, -1, 1);
      plain[side] = packed[side] = brinkMakePointPiece(points[side], count, i % 2 ? 0.1 : 0.0);
      brinkMakePointColumns(points[side], count, columns[side]);
      packed[side].columns = columns[side];
      poses[side] = randomPose(&d, 2);
    }
    brinkSeparation r, s;
    brinkGjk(&plain[0], &poses[0], &plain[1], &poses[1], &accurate, NULL, &r);
    brinkGjk(&packed[0], &poses[0], &packed[1], &poses[1], &accurate, NULL, &s);
    CHECK(r.lower == s.lower && r.upper == s.upper && r.overlap == s.overlap, &d,
          "case %d: %.17g %.17g, not %.17g %.17g", i, s.lower, s.upper, r.lower, r.upper);
    assert_memory_equal(&r.normal, &s.normal, sizeof r.normal);
    assert_memory_equal(&r.pointA, &s.pointA, sizeof r.pointA);
    assert_memory_equal(&r.pointB, &s.pointB, sizeof r.pointB);
    CHECK(r.simplex.count == s.simplex.count, &d, "case %d", i);
    assert_memory_equal(r.simplex.indexA, s.simplex.indexA, r.simplex.count * sizeof *r.simplex.indexA);
    assert_memory_equal(r.simplex.indexB, s.simplex.indexB, r.simplex.count * sizeof *r.simplex.indexB);
    apart += !r.overlap;
    across += r.overlap;
  }
  assert_true(apart > 500 && across > 500);
}

/* Needles a few nanometres apart. A sliver of the simplex that seems to hold the nearest point lies: an edge of it is
 * nearer by up to two thirds. Found by the hundred thousand; with slivers trusted the first is told 4.4e-9 apart
 * instead of 1.4e-9, the second 6.1e-9 instead of 4.3e-9, the third 8.6e-10 instead of 3.0e-10. */
CASE(a_sliver_of_the_simplex_hides_no_nearer_edge) {
  static const struct {
    uint32_t count;
    double points[18];
    brinkRigid pose;
  } needles[][2] = {
      {{5,
        {-0.20918117663898544, 0.051258552341839167, -0.49734492432860111, -0.27472173106172432, 0.067318818674099265,
         -0.65317280577375414, 0.17746258650045232, -0.043486082069956584, 0.42193143982523368, -0.047946922756405622,
         0.011749094631104549, -0.11399763074047077, -0.36739627260353785, 0.090028134977843191, -0.87351391488068886},
        {{{{-0.9406136072875062, 0.27881454420450613, 0.19367109161054127},
           {0.20147911495067852, 0.91764671513093266, -0.34253565135340336},
           {-0.27322556253812791, -0.28317301451487664, -0.91932629453653769}}},
         {0, 0, 0}}},
       {5,
        {0.74245342121661362, 0.35501379481179246, 0.32909159562533796, -0.20058139848645717, -0.095910611567475434,
         -0.088907467170010968, -0.37451076264390687, -0.17907723432827916, -0.16600145421724086, 0.80149080563070296,
         0.38324329512602784, 0.35525984252019766, 0.54426747877770876, 0.26024861071599287, 0.24124591277175395},
        {{{{0.87450580103765041, 0.46148639727137619, -0.14923105938437539},
           {0.4367125390354798, -0.88307072660147323, -0.17166318786720358},
           {-0.21100180615502315, 0.084949378767780484, -0.97378736942224009}}},
         {-0.47014293123192308, 0.34802626958160054, 1.270867953360481}}}},
      {{5,
        {0.012741683850682858, 0.019906631252232507, 0.045372159622445854, -0.14136842220540116, -0.22086320424778677,
         -0.50340211772093824, -0.1786244813590403, -0.27906922439495407, -0.63606809842545198, -0.032403429496113252,
         -0.050624640862467221, -0.11538613787200361, -0.054367598289456705, -0.084939773545660013,
         -0.19359884599467433},
        {{{{-0.1643078569239298, -0.27347325648949661, -0.9477422150237349},
           {-0.98274849105499884, -0.037313844160600906, 0.18114381127458185},
           {-0.084901893277996965, 0.96115558314925709, -0.2626244723913278}}},
         {0, 0, 0}}},
       {5,
        {-0.001730934240530186, -0.0075535053738493303, 0.0045149488804151205, 0.19296361057440059, 0.84205736947208731,
         -0.50332153476298847, 0.020453660455753853, 0.089255974959920714, -0.053350834708979937, -0.11750931768420333,
         -0.51278877762588082, 0.30650837793911928, -0.17635658936027696, -0.76958733980095051, 0.46000415915914106},
        {{{{-0.20209630893848773, -0.14963901092057807, 0.96786633804681466},
           {0.95032937574756793, 0.2088952026993669, 0.23073116798653021},
           {-0.23670901863823751, 0.96642173025025757, 0.099989398415137098}}},
         {0.42986380667744706, 0.1746220321266625, 0.22065618826563838}}}},
      {{5,
        {-0.033875718671942383, 0.20870848933370231, 0.4307033744945592, -0.049204837576445483, 0.30315126236700951,
         0.62560115312747655, 0.01373581578982686, -0.084626436775568581, -0.17464019947933901, -0.0091641686548523948,
         0.056460495504041683, 0.11651527178423211, -0.047249340052915839, 0.29110342619826107, 0.60073851309661319},
        {{{{-0.99738822171350994, -0.0070889027307463812, 0.071878248763002917},
           {-0.07085156076090543, 0.2893137796945201, -0.95460860734471398},
           {-0.014028240264047396, -0.95720806742157394, -0.28906041606928712}}},
         {0, 0, 0}}},
       {6,
        {-0.31086036216031565, 0.045535706483010821, -0.83130940293525246, -0.013157188519973939, -0.55696208110448708,
         0.89104770064299821, -0.62912192495934738, 0.44259093694035334, -0.48687240573289764, -0.49966647506351591,
         0.15618249957492625, -0.92655761722318164, 0.02719536706868525, -0.49393965406161455, 0.19859024609147358,
         1.0719413626627743, -0.52499390646696287, -0.12495363133516846},
        {{{{-0.51088580728080624, 0.85904949958800891, -0.032088146980321419},
           {0.60354533304871461, 0.3850150571457428, 0.69820945047039928},
           {0.61215089877754458, 0.33733864739850367, -0.71517404461934486}}},
         {1.0640044151211323, -0.73962049284365117, -0.92353931996064009}}}},
  };
  brinkContext context;
  brinkInitContext(&context);
  for (size_t i = 0; i < sizeof needles / sizeof *needles; ++i) {
    brinkShape *shapes[2];
    for (int side = 0; side < 2; ++side) {
      const brinkMeshView view = {.structSize = sizeof view,
                                  .flags = BRINK_MESH_CONVEX,
                                  .vertices = needles[i][side].points,
                                  .vertexCount = needles[i][side].count};
      const brinkShapeSpec spec = {.type = brink_shapeHull, .mesh = &view};
      assert_int_equal(brinkCreateShape(&context, &spec, &shapes[side]), brink_ok);
    }
    const brinkGjkLimits limits = {.relative = 1e-10, .enoughLower = INFINITY, .enoughUpper = -1};
    brinkSeparation told;
    brinkGjk(&shapes[0]->piece, &needles[i][0].pose, &shapes[1]->piece, &needles[i][1].pose, &limits, NULL, &told);
    if (!(told.lower > 0 && told.upper - told.lower < 1e-12)) fail_msg("pair %zu: %g .. %g", i, told.lower, told.upper);
    for (int side = 0; side < 2; ++side) brinkDestroyShape(&context, shapes[side]);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
