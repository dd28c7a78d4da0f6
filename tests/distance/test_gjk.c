/* SPDX-License-Identifier: BSD-3-Clause */
/* Distance of convex pieces: closed forms, brute force over features in long double, and the promise that holds for
 * every pair whatever its shape: lower <= true distance <= upper. */
#include "cases.h"
#include "largest_product.h"
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

int main(void) { return cases_Run(NULL, NULL); }
