/* SPDX-License-Identifier: BSD-3-Clause */
/* Depth and direction of overlapping pieces against separating axes by brute force: for polytopes the deepest gap is
 * reached on a face normal or a cross product of edges, and no direction beats it, so all triples and pairs of vertices
 * will do. */
#include "cases.h"
#include "epa.h"

#include "piece_support.h"

/* ---- brute force */

typedef struct cloud {
  uint32_t count;
  brinkVec3 x[8];
} cloud;
static cloud cloudOf(const brinkPiece *piece, const brinkRigid *pose) {
  cloud c = {piece->kind == brink_pieceBox ? 8 : piece->count, {{0, 0, 0}}};
  for (uint32_t i = 0; i < c.count; ++i) c.x[i] = brinkApply(pose, brinkPiece_Vertex(piece, i));
  return c;
}
static void better(const cloud *a, const cloud *b, brinkVec3 line, double *best) {
  brinkVec3 n = brinkNormalizeOr(line, brinkV3(0, 0, 0));
  if (brinkLengthSquared(n) == 0.0) return;
  double minA = INFINITY, maxA = -INFINITY, minB = INFINITY, maxB = -INFINITY;
  for (uint32_t i = 0; i < a->count; ++i) {
    minA = fmin(minA, brinkDot(n, a->x[i]));
    maxA = fmax(maxA, brinkDot(n, a->x[i]));
  }
  for (uint32_t i = 0; i < b->count; ++i) {
    minB = fmin(minB, brinkDot(n, b->x[i]));
    maxB = fmax(maxB, brinkDot(n, b->x[i]));
  }
  *best = fmax(*best, fmax(minB - maxA, minA - maxB));
}
static double bestGap(const cloud *a, const cloud *b) {
  double best = -INFINITY;
  const cloud *both[2] = {a, b};
  for (int s = 0; s < 2; ++s)
    for (uint32_t i = 0; i < both[s]->count; ++i)
      for (uint32_t j = i + 1; j < both[s]->count; ++j)
        for (uint32_t k = j + 1; k < both[s]->count; ++k)
          better(a, b, brinkCross(brinkSub(both[s]->x[j], both[s]->x[i]), brinkSub(both[s]->x[k], both[s]->x[i])),
                 &best);
  for (uint32_t i = 0; i < a->count; ++i)
    for (uint32_t j = i + 1; j < a->count; ++j)
      for (uint32_t k = 0; k < b->count; ++k)
        for (uint32_t l = k + 1; l < b->count; ++l)
          better(a, b, brinkCross(brinkSub(a->x[j], a->x[i]), brinkSub(b->x[l], b->x[k])), &best);
  return best;
}

static void checkAnswer(dice *d, int i, const brinkSeparation *r, double truth, double tolerance) {
  CHECK(fabs(r->lower - truth) <= tolerance, d, "case %d: %.17g, true %.17g", i, r->lower, truth);
  CHECK(r->lower <= r->upper && r->upper - r->lower <= tolerance, d, "case %d: %.17g %.17g", i, r->lower, r->upper);
  CHECK(fabs(brinkLength(r->normal) - 1.0) < 1e-12, d, "case %d", i);
  double along = brinkDot(r->normal, brinkSub(r->pointB, r->pointA));
  CHECK(fabs(along - truth) <= tolerance, d, "case %d: witnesses %.17g, true %.17g", i, along, truth);
}

CASE(depth_of_random_polytopes_is_the_best_axis) {
  dice d = {101, 101};
  int overlaps = 0;
  for (int i = 0; i < 6000; ++i) {
    double scale = i % 3 == 0 ? 1e-6 : i % 3 == 1 ? 1.0 : 1e6, v[48];
    for (int k = 0; k < 48; ++k) v[k] = uniform(&d, -scale, scale);
    brinkPiece a = brinkMakePointPiece(v, 4 + (uint32_t)(i % 5), 0.0),
               b = brinkMakePointPiece(v + 24, 5 + (uint32_t)(i % 4), 0.0);
    if (i % 7 == 0)
      a = boxPiece(brinkScale(brinkV3(uniform(&d, 0.1, 1), uniform(&d, 0.1, 1), uniform(&d, 0.1, 1)), scale));
    if (i % 14 == 0)
      b = boxPiece(brinkScale(brinkV3(uniform(&d, 0.1, 1), uniform(&d, 0.1, 1), uniform(&d, 0.1, 1)), scale));
    if (i % 11 == 0) b.count = 1 + (uint32_t)(i / 11 % 3);
    brinkRigid pa = randomPose(&d, 0.8 * scale), pb = randomPose(&d, 0.8 * scale);
    brinkSeparation r;
    enterMode(i % ROUNDING_MODES);
    brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &r);
    leaveMode();
    if (!r.overlap) continue;
    ++overlaps;
    cloud ca = cloudOf(&a, &pa), cb = cloudOf(&b, &pb);
    checkAnswer(&d, i, &r, bestGap(&ca, &cb), 1e-9 * scale);
  }
  assert_true(overlaps > 2000);
}

CASE(thin_and_touching_polytopes_stay_exact) {
  dice d = {111, 111};
  int overlaps = 0;
  for (int i = 0; i < 3000; ++i) {
    double v[48], thin = pow(10.0, uniform(&d, -13, -1));
    for (int k = 0; k < 48; ++k) v[k] = uniform(&d, -1, 1) * (k % 3 == 2 && k < 24 ? thin : 1.0);
    brinkPiece a = brinkMakePointPiece(v, 8, 0.0), b = brinkMakePointPiece(v + 24, 8, 0.0);
    brinkRigid pa = randomPose(&d, 0.3), pb = randomPose(&d, 0.3);
    if (i % 4 == 0) { /* a barely sunk vertex */
      pb = pa;
      pb.p = brinkAdd(pb.p, brinkScale(inCube(&d, 1), thin));
    }
    brinkSeparation r;
    enterMode(i % ROUNDING_MODES);
    brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &r);
    leaveMode();
    if (!r.overlap) continue;
    ++overlaps;
    cloud ca = cloudOf(&a, &pa), cb = cloudOf(&b, &pb);
    checkAnswer(&d, i, &r, bestGap(&ca, &cb), 1e-9);
  }
  assert_true(overlaps > 1000);
}

CASE(tiny_box_in_huge_flat_box_ends_and_is_exact) {
  dice d = {121, 121};
  for (int i = 0; i < 5000; ++i) {
    brinkVec3 ha = brinkV3(1000, 1000, pow(10, uniform(&d, -6, 2))),
              hb = brinkV3(1e-3, pow(10, uniform(&d, -6, -2)), 1e-3);
    brinkPiece a = boxPiece(ha), b = boxPiece(hb);
    brinkRigid pa = at(0, 0, 0), pb = randomPose(&d, 900);
    pb.p.z = ha.z + uniform(&d, -0.001, 0.001);
    brinkSeparation r;
    brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &r);
    cloud ca = cloudOf(&a, &pa), cb = cloudOf(&b, &pb);
    double truth = bestGap(&ca, &cb);
    if (fabs(truth) < 1e-10) continue;
    CHECK(r.overlap == (truth < 0.0), &d, "case %d: %g", i, truth);
    if (r.overlap) checkAnswer(&d, i, &r, truth, 2e-10);
    double eight[24]; /* the same as point sets: no closed form, the polytope must grow */
    for (uint32_t k = 0; k < 8; ++k) {
      brinkVec3 x = brinkPiece_Vertex(&b, k);
      memcpy(eight + 3 * k, (double[3]){x.x, x.y, x.z}, 3 * sizeof(double));
    }
    brinkPiece hull = brinkMakePointPiece(eight, 8, 0.0);
    brinkSignedSeparation(&a, &pa, &hull, &pb, &accurate, NULL, &r);
    CHECK(r.overlap == (truth < 0.0), &d, "hull %d: %g", i, truth);
    if (r.overlap) checkAnswer(&d, i, &r, truth, 2e-10);
  }
}

CASE(sweeps_add_up_without_expansion) {
  dice d = {131, 131};
  static const double origin[3] = {0, 0, 0}, axis[6] = {0, 0, -1, 0, 0, 1};
  for (int i = 0; i < 3000; ++i) {
    double radius = uniform(&d, 0.1, 1);
    brinkVec3 half = brinkV3(uniform(&d, 0.2, 1), uniform(&d, 0.2, 1), uniform(&d, 0.2, 1));
    brinkPiece sphere = brinkMakePointPiece(origin, 1, radius), box = boxPiece(half);
    brinkRigid pb = randomPose(&d, 0.5), ps = randomPose(&d, 1.2);
    brinkVec3 local = brinkApplyInverse(&pb, ps.p), out = brinkSub(brinkAbsV3(local), half);
    double outside = brinkLength(brinkMaxV3(out, brinkV3(0, 0, 0)));
    double truth = (outside > 0.0 ? outside : fmax(out.x, fmax(out.y, out.z))) - radius;
    brinkSeparation r;
    brinkSignedSeparation(&box, &pb, &sphere, &ps, &accurate, NULL, &r);
    CHECK(fabs(r.lower - truth) < 1e-12, &d, "case %d: %.17g %.17g", i, r.lower, truth);
    if (r.overlap) checkAnswer(&d, i, &r, truth, 1e-12);
    brinkPiece capsule = brinkMakePointPiece(axis, 2, radius); /* crossed capsules whose cores miss by `apart` */
    double apart = uniform(&d, 0.01, 0.1);
    brinkRigid p0 = at(0, 0, 0), p1 = at(0, apart, 0);
    p1.r = brinkExp3(brinkV3(0, uniform(&d, 0.2, 1.5), 0));
    brinkSignedSeparation(&capsule, &p0, &capsule, &p1, &accurate, NULL, &r);
    checkAnswer(&d, i, &r, apart - 2 * radius, 1e-12);
    CHECK(brinkDistance(r.normal, brinkV3(0, 1, 0)) < 1e-9, &d, "case %d", i);
  }
}

/* Was a bug: with coarse limits the upper bound was that of the direction found, below the true separation, and a
 * resting capsule was taken for struck at once (the stepper then held it for ever). */
CASE(coarse_limits_keep_both_bounds_around_the_signed_separation) {
  dice d = {177, 177};
  static const double axis[6] = {0, 0, -0.2, 0, 0, 0.2};
  const brinkGjkLimits coarse = {.relative = 0.3, .absolute = 0, .enoughLower = INFINITY, .enoughUpper = -1e-4};
  for (int i = 0; i < 3000; ++i) {
    double radius = uniform(&d, 0.02, 0.1);
    brinkPiece capsule = brinkMakePointPiece(axis, 2, radius), box = boxPiece(brinkV3(3, 0.0025, 4));
    brinkRigid pb = randomPose(&d, 0.01), pc = randomPose(&d, 0.01);
    brinkVec3 normal = brinkMulMV(&pb.r, brinkV3(0, 1, 0)), along = brinkMulMV(&pc.r, brinkV3(0, 0, 0.2));
    double depth = uniform(&d, 1e-5, 0.3 * radius);
    pc.p = brinkMulAdd(pb.p, 0.0025 + radius - depth + fabs(brinkDot(along, normal)), normal);
    pc.p = brinkAdd(pc.p,
                    brinkMulMV(&pb.r, brinkV3(uniform(&d, -2.5, 2.5), 0, uniform(&d, -3.5, 3.5)))); /* over the face */
    brinkSeparation r;
    brinkSignedSeparation(&capsule, &pc, &box, &pb, &coarse, NULL, &r);
    CHECK(r.lower <= -depth + 1e-12 && r.upper >= -depth - 1e-12, &d, "case %d: [%.17g %.17g], true %.17g", i, r.lower,
          r.upper, -depth);
  }
}

CASE(cylinders_sink_along_their_caps_and_sides) {
  dice d = {141, 141};
  for (int i = 0; i < 500; ++i) {
    double radius = uniform(&d, 0.2, 1), half = uniform(&d, 0.2, 1), depth = uniform(&d, 1e-6, 0.02);
    brinkPiece cylinder = cylinderPiece(radius, half), box = boxPiece(brinkV3(3, 3, 1));
    brinkRigid base = randomPose(&d, 1);
    brinkRigid standing = at(uniform(&d, -1, 1), uniform(&d, -1, 1), 1 + half - depth);
    brinkRigid lying = at(uniform(&d, -1, 1), uniform(&d, -1, 1), 1 + radius - depth);
    standing.r = brinkExp3(brinkV3(0, 0, uniform(&d, -3, 3)));
    lying.r = brinkExp3(brinkV3(1.5707963267948966, 0, 0));
    brinkRigid poses[2] = {brinkCompose(&base, &standing), brinkCompose(&base, &lying)};
    brinkVec3 up = brinkV3(base.r.m[0][2], base.r.m[1][2], base.r.m[2][2]);
    for (int k = 0; k < 2; ++k) {
      brinkSeparation r;
      brinkSignedSeparation(&box, &base, &cylinder, &poses[k], &accurate, NULL, &r);
      checkAnswer(&d, i, &r, -depth, 1e-12);
      CHECK(brinkDistance(r.normal, up) < 1e-9, &d, "case %d", i);
    }
    brinkPiece other =
        cylinderPiece(uniform(&d, 0.2, 1), 5.0); /* sides, crossed: depth along the common perpendicular */
    brinkPiece first = cylinderPiece(radius, 5.0);
    brinkRigid p0 = at(0, 0, 0), p1 = at(0, radius + other.half.x - depth, 0);
    p1.r = brinkExp3(brinkV3(0, uniform(&d, 0.3, 2.8), 0));
    brinkSeparation r;
    brinkSignedSeparation(&first, &p0, &other, &p1, &accurate, NULL, &r);
    CHECK(r.overlap && fabs(r.lower + depth) < 1e-12, &d, "case %d: %g %g", i, r.lower, depth);
    brinkRigid tilted = poses[0]; /* any pose: bounded, certified, and no random direction does better */
    tilted.r = brinkExp3(inCube(&d, 2));
    brinkSignedSeparation(&box, &base, &cylinder, &tilted, &accurate, NULL, &r);
    if (!r.overlap) continue;
    for (int k = 0; k < 300; ++k) {
      brinkVec3 n = brinkNormalizeOr(brinkMulAdd(r.normal, pow(10, uniform(&d, -6, 1)), inCube(&d, 1)), r.normal);
      CHECK(brinkCertifyGap(&box, &base, &cylinder, &tilted, n) <= r.lower + 1e-7, &d, "case %d: %.17g against %.17g",
            i, brinkCertifyGap(&box, &base, &cylinder, &tilted, n), r.lower);
    }
  }
}

CASE(flat_differences_have_depth_zero_along_their_normal) {
  double square[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0},
         five[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 0};
  brinkPiece a = brinkMakePointPiece(square, 4, 0.0), b = brinkMakePointPiece(five, 5, 0.0);
  brinkPiece segment = brinkMakePointPiece(five, 2, 0.0), point = brinkMakePointPiece(five, 1, 0.0);
  const brinkPiece *others[3] = {&b, &segment, &point};
  dice d = {151, 151};
  for (int i = 0; i < 300; ++i) {
    brinkRigid base = randomPose(&d, 1), inPlane = at(uniform(&d, -0.5, 0.5), uniform(&d, -0.4, 0.4), 0);
    inPlane.r = brinkExp3(brinkV3(0, 0, uniform(&d, -0.1, 0.1)));
    brinkRigid pose = brinkCompose(&base, &inPlane);
    for (int k = 0; k < 3; ++k) {
      brinkSeparation r;
      brinkSignedSeparation(&a, &base, others[k], &pose, &accurate, NULL, &r);
      CHECK(r.overlap && fabs(r.lower) < 1e-13, &d, "case %d/%d: %g", i, k, r.lower);
      brinkVec3 up = brinkV3(base.r.m[0][2], base.r.m[1][2], base.r.m[2][2]);
      CHECK(fabs(fabs(brinkDot(r.normal, up)) - 1.0) < 1e-6, &d, "case %d/%d", i, k);
    }
  }
}

CASE(same_overlap_gives_the_same_bits) {
  dice d = {161, 161};
  for (int i = 0; i < 500; ++i) {
    double v[48];
    for (int k = 0; k < 48; ++k) v[k] = uniform(&d, -1, 1);
    brinkPiece a = brinkMakePointPiece(v, 8, 0.0), b = brinkMakePointPiece(v + 24, 8, 0.1);
    brinkRigid pa = randomPose(&d, 0.2), pb = randomPose(&d, 0.2);
    brinkSeparation r, q;
    brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &r);
    brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &q);
    assert_memory_equal(&r.lower, &q.lower, sizeof r.lower);
    assert_memory_equal(&r.normal, &q.normal, 3 * sizeof r.normal);
  }
}

/* A coarse answer is less sharp, and no less true: a ball deep in a capsule was called deeper than it is, by what was
 * left open of the distance of their cores. */
CASE(a_coarse_answer_bounds_the_sharp_one) {
  dice d = {171, 171};
  static const brinkGjkLimits coarse = {0.3, 0.0, INFINITY, -1.0, 0};
  int swept = 0;
  for (int i = 0; i < 20000; ++i) {
    double v[12];
    for (int k = 0; k < 12; ++k) v[k] = uniform(&d, -1, 1);
    brinkPiece a = brinkMakePointPiece(v, 1 + (uint32_t)(i % 3), uniform(&d, 0.3, 2.0)),
               b = brinkMakePointPiece(v + 6, 1 + (uint32_t)(i / 3 % 2), uniform(&d, 0.3, 2.0));
    if (i % 5 == 0) a = boxPiece(brinkV3(uniform(&d, 0.1, 1), uniform(&d, 0.1, 1), uniform(&d, 0.1, 1)));
    const brinkRigid pa = randomPose(&d, 0.5), pb = randomPose(&d, 0.5);
    brinkSeparation rough, sharp;
    brinkSignedSeparation(&a, &pa, &b, &pb, &coarse, NULL, &rough);
    brinkSignedSeparation(&a, &pa, &b, &pb, &accurate, NULL, &sharp);
    swept += sharp.lower < 0.0 && sharp.lower > -(a.radius + b.radius);
    CHECK(rough.upper >= sharp.lower - 1e-12 && rough.lower <= sharp.upper + 1e-12, &d,
          "case %d: %.17g to %.17g, true %.17g", i, rough.lower, rough.upper, sharp.lower);
  }
  assert_true(swept > 5000);
}

int main(void) { return cases_Run(NULL, NULL); }
