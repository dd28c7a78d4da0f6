/* SPDX-License-Identifier: BSD-3-Clause */
/* Points, segments and single triangles under affine motions that may be singular, through brink.inverse-path: every
 * crossing of linearly moving vertices against roots found in long double; bodies flattened to a segment or a point;
 * sliding at distance 0; nearness; long chains; what is refused; and the same by the command `brink check --affine`. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "brink/inverse_path.h"
#include "inverse_motion.h"
#include "inverse_support.h"

#define PROGRAM BRINK_BINARY_DIR "/bin/brink"
#define SAMPLES 4000

static const brinkPlugin *api;
static const brinkInverseTable *table;
static brinkWorld *world;

/* ---- bodies whose vertices move on lines */

typedef struct lineBody {
  int count;                     /* 1, 2 or 3 */
  double start[3][3], end[3][3]; /* of the vertices */
  bool flattened;                /* one vertex: as (1,0,0) under [v 0 0] instead of the origin shifted */
} lineBody;

typedef struct madeBody {
  double vertices[9], controls[32];
  uint32_t triangle[3];
  brinkInverseFactorDef factor;
} madeBody;

static void make(const lineBody *from, madeBody *out, brinkInverseBodyDef *def, brinkInverseMotionDef *motion) {
  memset(out, 0, sizeof *out);
  bool shifted = from->count == 1 && !from->flattened;
  for (int i = 0; i < 3; ++i) {
    out->triangle[i] = (uint32_t)(i < from->count ? i : from->count - 1);
    if (i < from->count && !shifted) out->vertices[4 * i] = 1.0;
  }
  for (int e = 0; e < 2; ++e) {
    double *m = out->controls + 16 * e;
    m[15] = 1.0;
    for (int k = 0; k < 3; ++k) {
      if (shifted) m[5 * k] = 1.0;
      if (shifted) m[4 * k + 3] = (e == 0 ? from->start : from->end)[0][k];
      for (int i = 0; i < from->count && !shifted; ++i) m[4 * k + i] = (e == 0 ? from->start : from->end)[i][k];
    }
  }
  out->factor = (brinkInverseFactorDef){
      .structSize = sizeof out->factor, .kind = brink_inverseBezier, .matrices = out->controls, .count = 2};
  *def = (brinkInverseBodyDef){.structSize = sizeof *def,
                               .kind = brink_inverseMesh,
                               .mesh = {.structSize = sizeof def->mesh,
                                        .vertices = out->vertices,
                                        .vertexCount = (size_t)from->count,
                                        .indices = out->triangle,
                                        .triangleCount = 1}};
  *motion = (brinkInverseMotionDef){.structSize = sizeof *motion, .factors = &out->factor, .factorCount = 1};
}

/* Valid until the next call. */
static brinkInverseIntervals ask(const lineBody *a, const lineBody *b, double nearDistance) {
  madeBody made[2];
  brinkInverseSceneDef scene = {.structSize = sizeof scene};
  make(a, &made[0], &scene.a, &scene.motionA);
  make(b, &made[1], &scene.b, &scene.motionB);
  const brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0, .nearDistance = nearDistance};
  brinkInverseIntervals out = {.structSize = sizeof out};
  brinkStatus status = table->contactIntervals(world, &scene, &query, &out);
  if (status != brink_ok) fail_msg("%s", api->lastError(world));
  return out;
}

/* ---- slow truth: roots of the volume at which the parameters lie inside */

static void placeAt(const lineBody *body, int i, real t, real out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = (1 - t) * (real)body->start[i][k] + t * (real)body->end[i][k];
}

/* Vertices of A, then of B, at t: a point and a triangle, or two segments. */
static real volumeAt(const lineBody *a, const lineBody *b, real t, real at[4][3]) {
  for (int i = 0; i < 4; ++i) placeAt(i < a->count ? a : b, i < a->count ? i : i - a->count, t, at[i]);
  return orient3(at[0], at[1], at[2], at[3]);
}

/* How far inside, 0 to 1 (below 0: outside), are the features at a root? */
static real insideBy(int countA, real at[4][3]) {
  real n[3], e[3], f[3], least = 1;
  if (countA == 2) {
    for (int k = 0; k < 3; ++k) {
      e[k] = at[1][k] - at[0][k];
      f[k] = at[3][k] - at[2][k];
    }
    for (int k = 0; k < 3; ++k) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    real square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], s = 0, t = 0, d[3];
    for (int k = 0; k < 3; ++k) d[k] = at[2][k] - at[0][k];
    for (int k = 0; k < 3; ++k) {
      s += n[k] * (d[(k + 1) % 3] * f[(k + 2) % 3] - d[(k + 2) % 3] * f[(k + 1) % 3]);
      t += n[k] * (d[(k + 1) % 3] * e[(k + 2) % 3] - d[(k + 2) % 3] * e[(k + 1) % 3]);
    }
    s /= square;
    t /= square;
    return fminl(fminl(s, 1 - s), fminl(t, 1 - t));
  }
  real areas[3], total = 0;
  for (int k = 0; k < 3; ++k) {
    e[k] = at[2][k] - at[1][k];
    f[k] = at[3][k] - at[1][k];
  }
  for (int k = 0; k < 3; ++k) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
  for (int c = 0; c < 3; ++c) {
    const real *p = at[1 + c], *q = at[1 + (c + 1) % 3];
    areas[c] = 0;
    for (int k = 0; k < 3; ++k)
      areas[c] += n[k] * ((p[(k + 1) % 3] - at[0][(k + 1) % 3]) * (q[(k + 2) % 3] - at[0][(k + 2) % 3]) -
                          (p[(k + 2) % 3] - at[0][(k + 2) % 3]) * (q[(k + 1) % 3] - at[0][(k + 1) % 3]));
    total += areas[c];
  }
  for (int c = 0; c < 3; ++c) least = fminl(least, areas[c] / total);
  return least;
}

/* Roots inside, ascending; -1: too close to call. */
static int findRoots(const lineBody *a, const lineBody *b, real roots[8]) {
  real at[4][3], before = volumeAt(a, b, 0, at);
  int count = 0;
  for (int i = 1; i <= SAMPLES; ++i) {
    real t = (real)i / SAMPLES, now = volumeAt(a, b, t, at);
    if (fabsl(now) < 1e-9L) return -1;
    if ((now > 0) != (before > 0)) {
      real low = (real)(i - 1) / SAMPLES, high = t;
      for (int k = 0; k < 60; ++k) {
        real middle = (low + high) / 2;
        if ((volumeAt(a, b, middle, at) > 0) == (before > 0))
          low = middle;
        else
          high = middle;
      }
      volumeAt(a, b, low, at);
      real inside = insideBy(a->count, at);
      if (fabsl(inside) < 1e-5L) return -1;
      if (inside > 0 && count < 8) roots[count++] = low;
    }
    before = now;
  }
  return count;
}

static lineBody randomBody(inverseRandom *g, int count) {
  lineBody body = {.count = count};
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      double size = count == 1 ? 0.6 : count == 2 ? 1.0 : 1.8;
      body.start[i][k] = randomBetween(g, -size, size);
      body.end[i][k] = randomBetween(g, -size, size);
    }
  return body;
}

static void checkCrossings(int countA, bool flattened, uint64_t seed) {
  inverseRandom g = {seed};
  int asked = 0, crossings = 0, several = 0;
  for (int n = 0; n < 400; ++n) {
    lineBody a = randomBody(&g, countA), b = randomBody(&g, 4 - countA);
    a.flattened = flattened;
    real roots[8];
    int count = findRoots(&a, &b, roots);
    if (count < 0) continue;
    for (int swap = 0; swap < 2; ++swap) {
      brinkInverseIntervals out = swap == 0 ? ask(&a, &b, 0.0) : ask(&b, &a, 0.0);
      bool right = out.count == (size_t)count;
      for (int i = 0; i < count && right; ++i) {
        const brinkInverseInterval *one = &out.intervals[i];
        right = one->flags == (BRINK_INVERSE_PROVEN | BRINK_INVERSE_CROSSING) && one->startLower <= roots[i] + 1e-15L &&
                roots[i] <= one->endUpper + 1e-15L && one->endUpper - one->startLower <= 1e-9 &&
                one->startUpper == one->endUpper && one->endLower == one->startLower && one->startA == 0 &&
                one->startB == 0;
      }
      if (!right)
        fail_msg("seed %llu, case %d, swap %d: %zu intervals for %d roots (first %.17Lg)", (unsigned long long)seed, n,
                 swap, out.count, count, count > 0 ? roots[0] : 0);
    }
    ++asked;
    crossings += count;
    several += count > 1;
  }
  print_message("%d cases, %d crossings, %d with several\n", asked, crossings, several);
  assert_true(asked > 350 && crossings > 40);
}

CASE(a_point_crosses_a_moving_triangle_at_every_root_and_no_other_time) { checkCrossings(1, false, 11); }
CASE(nothing_is_inverted_when_both_motions_are_singular_all_the_time) { checkCrossings(1, true, 12); }
CASE(a_segment_crosses_a_moving_segment_at_every_root_and_no_other_time) { checkCrossings(2, false, 13); }

/* ---- flattened on the way */

/* The triangle is a segment at 1/2 (and mirrored afterwards); the point goes through z = 0 just then. */
CASE(a_triangle_that_collapses_is_met_or_missed_as_it_is_then) {
  for (int flattened = 0; flattened < 2; ++flattened) {
    lineBody triangle = {3, {{0, 0, 0}, {1, 0, 0}, {0.25, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0.25, -1, 0}}, false};
    lineBody point = {1, {{0.5, 0, -1}}, {{0.5, 0, 1}}, flattened != 0};
    brinkInverseIntervals out = ask(&point, &triangle, 1e-9);
    assert_int_equal(out.count, 1);
    assert_true((out.intervals[0].flags & BRINK_INVERSE_NEAR) != 0u);
    assert_true(out.intervals[0].startLower <= 0.5 && out.intervals[0].endUpper >= 0.5);
    assert_true(out.intervals[0].endUpper - out.intervals[0].startLower < 1e-8);
    point.start[0][1] = point.end[0][1] = 0.3; /* 0.3 beside what is left of it */
    out = ask(&point, &triangle, 0.0);
    assert_int_equal(out.count, 0);
    assert_true(out.openTotal == 0.0);
    point.end[0][2] = 3; /* through z = 0 at 1/4, where the triangle still has half its height */
    out = ask(&point, &triangle, 0.0);
    assert_int_equal(out.count, 1);
    assert_true((out.intervals[0].flags & BRINK_INVERSE_PROVEN) == 0u || out.intervals[0].startLower <= 0.25);
    assert_true(out.intervals[0].startLower <= 0.25 && out.intervals[0].endUpper >= 0.25);
  }
}

CASE(a_triangle_that_shrinks_to_a_point_is_a_point) {
  for (int flattened = 0; flattened < 2; ++flattened) {
    lineBody triangle = {
        3, {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}, {{0.25, 0.5, 0}, {0.25, 0.5, 0}, {0.25, 0.5, 0}}, false};
    lineBody point = {1, {{0.25, 0.5, 2}}, {{0.25, 0.5, 0}}, flattened != 0}; /* arrives where it ends */
    brinkInverseIntervals out = ask(&point, &triangle, 1e-9);
    assert_int_equal(out.count, 1);
    assert_true(out.intervals[0].endUpper == 1.0 && out.intervals[0].startLower > 1 - 1e-8);
    assert_true((out.intervals[0].flags & BRINK_INVERSE_AT_END) != 0u);
    point.end[0][2] = 1e-6;
    out = ask(&point, &triangle, 0.0);
    assert_int_equal(out.count, 0);
    lineBody still = {1, {{0.25, 0.5, 0}}, {{0.25, 0.5, 0}}, flattened != 0}; /* it shrinks in its plane, around it */
    out = ask(&still, &triangle, 0.0);
    assert_int_equal(out.count, 1);
    assert_true((out.intervals[0].flags & BRINK_INVERSE_NEAR) != 0u && out.intervals[0].startUpper == 0.0 &&
                out.intervals[0].endLower > 1 - 1e-9);
  }
}

/* ---- meshes of segments */

CASE(a_frame_of_segments_pierces_a_flattened_triangle) {
  /* a tetrahedron's six edges fall through a triangle whose matrix is singular all the time */
  const double corners[12] = {0, 0, 0.2, 0.5, 0, 0.6, -0.3, 0.4, 0.6, -0.3, -0.4, 0.7};
  const uint32_t edges[18] = {0, 1, 1, 0, 2, 2, 0, 3, 3, 1, 2, 2, 1, 3, 3, 2, 3, 3};
  const double fall[32] = {1, 0, 0, 0.05, 0, 1, 0, 0.02, 0, 0, 1, 0,  0, 0, 0, 1,
                           1, 0, 0, 0.05, 0, 1, 0, 0.02, 0, 0, 1, -2, 0, 0, 0, 1};
  lineBody triangle = {3, {{-2, -2, 0.01}, {2, -2, 0}, {0, 3, 0}}, {{-2, -2, 0.01}, {2, -2, 0}, {0, 3, 0}}, false};
  madeBody made;
  brinkInverseFactorDef factor = {
      .structSize = sizeof factor, .kind = brink_inverseBezier, .matrices = fall, .count = 2};
  brinkInverseSceneDef scene = {.structSize = sizeof scene};
  make(&triangle, &made, &scene.b, &scene.motionB);
  scene.a = scene.b;
  scene.a.mesh.vertices = corners;
  scene.a.mesh.vertexCount = 4;
  scene.a.mesh.indices = edges;
  scene.a.mesh.triangleCount = 6;
  scene.motionA = scene.motionB;
  scene.motionA.factors = &factor;
  brinkInverseIntervals out = {.structSize = sizeof out};
  const brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0};
  double start[2], end[2];
  for (int k = 0; k < 2; ++k) {
    /* second: the third column of the frame's matrix falls away, its heights come from the constant: singular too */
    double flat[32], flatCorners[12];
    memcpy(flat, fall, sizeof flat);
    memcpy(flatCorners, corners, sizeof flatCorners);
    if (k == 1) {
      for (int e = 0; e < 2; ++e) flat[16 * e + 2] = flat[16 * e + 6] = flat[16 * e + 10] = 0.0;
      for (int e = 0; e < 2; ++e) { /* heights as a map of x: z = 0.2 + 0.8 x (corner 1), so only that edge is asked */
        flat[16 * e + 8] = 0.8;
        flat[16 * e + 11] += 0.2;
      }
      factor.matrices = flat;
      scene.a.mesh.triangleCount = 1;
    }
    scene.a.mesh.vertices = flatCorners;
    assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
    assert_int_equal(out.count, 1);
    assert_true((out.intervals[0].flags & BRINK_INVERSE_PROVEN) != 0u &&
                (out.intervals[0].flags & BRINK_INVERSE_CROSSING) == 0u);
    start[k] = 0.5 * (out.intervals[0].startLower + out.intervals[0].startUpper);
    end[k] = 0.5 * (out.intervals[0].endLower + out.intervals[0].endUpper);
    assert_true(out.intervals[0].startUpper - out.intervals[0].startLower <= 1e-9);
  }
  /* corner 0 arrives first; n = (q - p) x (r - p) of the triangle */
  const double n[3] = {0.05, 0.02, 20.0};
  double plane = 0.01 - (n[0] * (0.05 + 2) + n[1] * (0.02 + 2)) / n[2];
  assert_true(fabs(start[0] - (0.2 - plane) / 2) < 1e-9 && fabs(start[1] - start[0]) < 1e-9);
  assert_true(end[0] > 0.34 && end[0] < 0.36 && end[1] > 0.29 && end[1] < 0.31);
}

/* ---- long chains */

typedef struct chainLink {
  double shift[2][12], axis[3], angle[4];
} chainLink;

/* N(t) of chains of a and b links in long double; axes normalised there. */
static void chainAt(const chainLink *a, int countA, const chainLink *b, int countB, real t, real out[3][4]) {
  real n[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  for (int i = -countA; i < countB; ++i) { /* A's links from the last to the first, inverted */
    bool inverse = i < 0;
    const chainLink *link = inverse ? &a[-1 - i] : &b[i];
    real axis[3], length = 0, angle = 0, d[3], turn[3][3];
    for (int k = 0; k < 3; ++k) length += (real)link->axis[k] * (real)link->axis[k];
    for (int k = 0; k < 3; ++k) axis[k] = (real)link->axis[k] / sqrtl(length);
    for (int k = 3; k >= 0; --k) angle = angle * t + (real)link->angle[k];
    for (int k = 0; k < 3; ++k) d[k] = (real)link->shift[0][4 * k + 3] + t * (real)link->shift[1][4 * k + 3];
    real s = sinl(angle), c = cosl(angle);
    for (int k = 0; k < 3; ++k)
      for (int m = 0; m < 3; ++m) {
        real cross = k == m ? 0 : ((m - k + 3) % 3 == 1 ? -1 : 1) * axis[3 - k - m];
        turn[k][m] = (k == m ? c : 0) + (1 - c) * axis[k] * axis[m] + s * cross;
      }
    real next[3][4];
    for (int k = 0; k < 3; ++k) {
      /* (shift turn)^-1 = turn^-1 shift^-1 */
      for (int m = 0; m < 3; ++m) {
        next[k][m] = 0;
        for (int q = 0; q < 3; ++q) next[k][m] += n[k][q] * (inverse ? turn[m][q] : turn[q][m]);
      }
      next[k][3] = n[k][3];
      for (int q = 0; q < 3; ++q) next[k][3] += inverse ? -next[k][q] * d[q] : n[k][q] * d[q];
    }
    memcpy(n, next, sizeof n);
  }
  memcpy(out, n, sizeof n);
}

CASE(rounding_of_long_chains_adds_up_and_is_kept_within_its_bound) {
  inverseRandom g = {31};
  brinkContext context;
  brinkInitContext(&context);
  double worstShare = 0, worstError = 0;
  for (int n = 0; n < 60; ++n) {
    chainLink links[2][20];
    int count[2] = {n % 7, 1 + n % 20};
    brinkInverseMotion motion[2] = {{0}, {0}};
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < count[k]; ++i) {
        chainLink *link = &links[k][i];
        memset(link, 0, sizeof *link);
        for (int e = 0; e < 2; ++e)
          for (int c = 0; c < 3; ++c) {
            link->shift[e][4 * c + 3] = randomBetween(&g, -1, 1);
            if (e == 0) link->shift[0][5 * c] = 1.0;
          }
        for (int c = 0; c < 3; ++c) link->axis[c] = randomBetween(&g, -1, 1);
        for (int c = 0; c < 4; ++c) link->angle[c] = randomBetween(&g, -2, 2);
        assert_int_equal(brinkInverseMotion_AddPolynomial(&context, &motion[k], link->shift[0], 1, "shift"), brink_ok);
        assert_int_equal(brinkInverseMotion_AddRotation(&context, &motion[k], link->axis, link->angle, "turn"),
                         brink_ok);
      }
    const brinkRelativeMotion relative = {&motion[0], &motion[1]};
    for (int m = 0; m < 6; ++m) {
      double l = randomBetween(&g, 0, 0.99), u = l + (1 - l) * pow(10.0, -randomBetween(&g, 0, 5));
      brinkMotionCell cell;
      brinkRelativeMotion_Cell(&relative, l, u, &cell);
      for (int q = 0; q <= 8; ++q) {
        real t = (real)l + ((real)u - (real)l) * q / 8, truth[3][4];
        chainAt(links[0], count[0], links[1], count[1], t, truth);
        for (int i = 0; i < 12; ++i) {
          real chord = (real)cell.at[0][i] + ((real)cell.at[1][i] - (real)cell.at[0][i]) * q / 8;
          real off = fabsl(truth[i / 4][i % 4] - chord);
          real allowed = (real)cell.error[i] + (q % 8 == 0 ? 0 : (real)cell.curve[i]);
          if (!(off <= allowed)) fail_msg("seed 31, chain %d: entry %d is off by %Lg, bound %Lg", n, i, off, allowed);
          if (q % 8 == 0) worstShare = fmax(worstShare, (double)(off / (real)cell.error[i]));
        }
      }
      for (int i = 0; i < 12; ++i) worstError = fmax(worstError, cell.error[i]);
    }
    for (int k = 0; k < 2; ++k) brinkInverseMotion_Free(&context, &motion[k]);
  }
  print_message("rounding: at most %.2g of its bound, bound at most %.2g\n", worstShare, worstError);
  assert_true(worstError < 1e-10);
}

/* ---- sliding and hovering */

static double slideMatrices[2][12];

static brinkInverseSceneDef slideScene(smallMesh meshes[2], double height, brinkInverseFactorDef factors[2]) {
  makeBlock(&meshes[0], 2, 2, 0.5);
  makeBlock(&meshes[1], 0.3, 0.4, 0.25);
  memset(slideMatrices, 0, sizeof slideMatrices);
  for (int i = 0; i < 3; ++i) slideMatrices[0][5 * i] = 1.0;
  slideMatrices[0][3] = -1.0;
  slideMatrices[0][7] = 0.1;
  slideMatrices[0][11] = height;
  slideMatrices[1][3] = 1.0;
  factors[0] = (brinkInverseFactorDef){
      .structSize = sizeof factors[0], .kind = brink_inversePolynomial, .matrices = slideMatrices[0], .count = 2};
  factors[1] = (brinkInverseFactorDef){
      .structSize = sizeof factors[1], .kind = brink_inverseRotation, .axis = {0, 0, 1}, .angle = {0.1, 2, 0, 0}};
  brinkInverseSceneDef scene = {.structSize = sizeof scene};
  for (int k = 0; k < 2; ++k) {
    brinkInverseBodyDef *def = k == 0 ? &scene.a : &scene.b;
    *def =
        (brinkInverseBodyDef){.structSize = sizeof *def, .kind = brink_inverseMesh, .mesh = viewOf(&meshes[k], true)};
  }
  scene.motionA = (brinkInverseMotionDef){.structSize = sizeof scene.motionA};
  scene.motionB = (brinkInverseMotionDef){.structSize = sizeof scene.motionB, .factors = factors, .factorCount = 1};
  return scene;
}

CASE(sliding_at_distance_zero_is_told_as_near_all_the_time) {
  static smallMesh meshes[2];
  brinkInverseFactorDef factors[2];
  brinkInverseSceneDef scene = slideScene(meshes, 0.75, factors);
  const brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0};
  for (size_t turning = 0; turning < 2; ++turning) { /* straight, then spinning in the plane */
    scene.motionB.factorCount = 1 + turning;
    brinkInverseIntervals out = {.structSize = sizeof out};
    assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
    print_message("sliding: %zu intervals, %llu cells, %g open\n", out.count, (unsigned long long)out.cells,
                  out.openTotal);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.intervals[0].flags & ~(uint32_t)BRINK_INVERSE_NEAR,
                     BRINK_INVERSE_AT_START | BRINK_INVERSE_AT_END);
    assert_true((out.intervals[0].flags & BRINK_INVERSE_NEAR) != 0u);
    assert_true(out.intervals[0].startUpper == 0.0 && out.intervals[0].endLower == 1.0 && out.openTotal < 1e-9);
  }
}

/* Down at 1 m per step from 0.25 m, along the plate from then on, off its edge, down again. */
CASE(coming_down_sliding_and_leaving_are_told_apart) {
  static smallMesh meshes[2];
  brinkInverseFactorDef factors[2];
  brinkInverseSceneDef scene = slideScene(meshes, 0.75, factors);
  const double times[3] = {0, 0.25, 1};
  double keys[3][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1},
                        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.75, 0, 0, 0, 1},
                        {1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0.75, 0, 0, 0, 1}};
  factors[0] = (brinkInverseFactorDef){.structSize = sizeof factors[0],
                                       .kind = brink_inverseKeys,
                                       .blend = brink_inverseLinear,
                                       .matrices = keys[0],
                                       .times = times,
                                       .count = 3};
  const brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0};
  brinkInverseIntervals out = {.structSize = sizeof out};
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
  assert_int_equal(out.count, 1);
  const brinkInverseInterval *one = &out.intervals[0];
  double leaves = 0.25 + 0.75 * 2.3 / 3.0; /* x = 2 + 0.3 */
  assert_int_equal(one->flags, BRINK_INVERSE_NEAR);
  assert_true(one->startLower <= 0.25 && one->startUpper >= 0.25 - 1e-12 && one->startUpper - one->startLower <= 1e-9);
  assert_true(one->endLower <= leaves + 1e-12 && one->endUpper >= leaves - 1e-12 &&
              one->endUpper - one->endLower <= 1e-9);
  keys[2][11] = 0.75 - 1e-6; /* a hair into the plate instead: contact, proven from where it is more than rounding */
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
  bool proven = false;
  for (size_t i = 0; i < out.count; ++i) proven = proven || (out.intervals[i].flags & BRINK_INVERSE_PROVEN) != 0u;
  assert_true(proven && out.intervals[0].startLower <= 0.25);
  keys[1][11] = keys[2][11] = 0.75 + 1e-12; /* a hair above: proven free */
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
  assert_int_equal(out.count, 0);
}

CASE(what_hovers_is_near_or_free_as_it_is_asked) {
  lineBody triangle = {3, {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}, {{-1, -1, 0.1}, {1, -1, 0.1}, {0, 1, 0.1}}, false};
  lineBody point = {1, {{-0.2, 0, 1e-7}}, {{0.3, 0.1, 0.1 + 2e-7}}, false};
  for (int flattened = 0; flattened < 2; ++flattened) {
    point.flattened = flattened != 0;
    brinkInverseIntervals out = ask(&point, &triangle, 0.0);
    assert_int_equal(out.count, 0);
    out = ask(&point, &triangle, 1e-6); /* proof of freedom comes first, wherever it succeeds */
    assert_true(out.count == 0 || (out.intervals[0].flags & BRINK_INVERSE_NEAR) != 0u);
  }
}

/* ---- what is refused */

CASE(only_open_meshes_may_be_flattened) {
  static smallMesh meshes[2];
  brinkInverseFactorDef factors[2];
  brinkInverseSceneDef scene = slideScene(meshes, 0.8, factors);
  brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0, .nearDistance = -1.0};
  brinkInverseIntervals out = {.structSize = sizeof out, .count = 77};
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_errorBadValue);
  assert_non_null(strstr(api->lastError(world), "nearDistance"));
  query.structSize = offsetof(brinkInverseQuery, nearDistance); /* a host that does not know it yet */
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
  query.structSize = sizeof query;
  query.nearDistance = 0.0;
  slideMatrices[0][10] = 0.0; /* flat all the time */
  out.count = 77;
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_errorBadValue);
  assert_non_null(strstr(api->lastError(world), "singular"));
  assert_int_equal(out.count, 77);
  scene.b.mesh.flags = 0u; /* a surface may; against a solid, which is not moved by a singular matrix */
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
  assert_int_equal(out.count, 0);
  brinkInverseSubset subset = {.structSize = sizeof subset, .asked = 5}; /* its points are followed backwards too */
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_errorBadValue);
  assert_int_equal(subset.asked, 5);
}

/* A plate squeezed flat passes a solid; either may be called A. */
CASE(a_flattened_surface_meets_a_solid_in_either_order) {
  static smallMesh meshes[2];
  brinkInverseFactorDef factors[2];
  brinkInverseSceneDef scene = slideScene(meshes, 2.0, factors);
  slideMatrices[0][10] = 0.0;
  slideMatrices[1][11] = -4.0; /* z from 2 to -2; the solid is between -1/2 and 1/2 */
  scene.b.mesh.flags = 0u;
  const brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0};
  brinkInverseIntervals out = {.structSize = sizeof out};
  uint32_t first[2][2];
  for (int swap = 0; swap < 2; ++swap) {
    brinkInverseSceneDef asked = scene;
    if (swap == 1) {
      asked.a = scene.b;
      asked.b = scene.a;
      asked.motionA = scene.motionB;
      asked.motionB = scene.motionA;
    }
    assert_int_equal(table->contactIntervals(world, &asked, &query, &out), brink_ok);
    assert_int_equal(out.count, 1);
    const brinkInverseInterval *one = &out.intervals[0];
    assert_true((one->flags & BRINK_INVERSE_PROVEN) != 0u && one->startLower <= 0.375 && one->startUpper >= 0.375 &&
                one->endLower <= 0.625 && one->endUpper >= 0.625);
    assert_true(one->startUpper - one->startLower <= 1e-9 && one->endUpper - one->endLower <= 1e-9);
    first[swap][0] = one->startA;
    first[swap][1] = one->startB;
  }
  assert_true(first[0][0] < meshes[0].triangleCount && first[0][1] < meshes[1].triangleCount);
  assert_true(first[0][0] == first[1][1] && first[0][1] == first[1][0]);
}

/* ---- the command */

static void writeQuery(FILE *file, const lineBody *a, const lineBody *b) {
  for (int e = 0; e < 2; ++e)
    for (int i = 0; i < 4; ++i) {
      const lineBody *body = i < a->count ? a : b;
      const double *p = (e == 0 ? body->start : body->end)[i < a->count ? i : i - a->count];
      for (int k = 0; k < 3; ++k) fprintf(file, "%.0f,1048576,", p[k] * 1048576.0);
      fprintf(file, "0\n");
    }
}

/* Multiples of 2^-20, so that they are written exactly. */
static lineBody dyadic(lineBody body) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      body.start[i][k] = nearbyint(body.start[i][k] * 1048576.0) / 1048576.0;
      body.end[i][k] = nearbyint(body.end[i][k] * 1048576.0) / 1048576.0;
    }
  return body;
}

CASE(the_command_never_misses_a_query_and_is_never_late) {
  if (access(PROGRAM, X_OK) != 0) {
    print_message("skipped: the brink command is not built\n");
    return;
  }
  char folder[] = BRINK_BINARY_DIR "/brink-affine-XXXXXX", path[256], command[1024], line[512];
  assert_non_null(mkdtemp(folder));
  static real first[2][200];
  for (int kind = 0; kind < 2; ++kind) {
    inverseRandom g = {21 + (uint64_t)kind};
    snprintf(path, sizeof path, "%s/queries.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    int count = 0;
    while (count < 200) {
      lineBody a = dyadic(randomBody(&g, kind + 1)), b = dyadic(randomBody(&g, 3 - kind));
      real roots[8];
      int found = findRoots(&a, &b, roots);
      if (found < 0) continue;
      first[kind][count++] = found > 0 ? roots[0] : 2;
      writeQuery(file, &a, &b);
    }
    fclose(file);
    snprintf(command, sizeof command, "'%s' check --affine --repeat 1 --eps 1e-9 --queries %s '%s'", PROGRAM,
             kind == 0 ? "vf" : "ee", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    int lines = 0, hits = 0;
    while (fgets(line, sizeof line, pipe) != NULL) {
      char name[256], verdict[32], toi[64], upper[64];
      assert_int_equal(sscanf(line, "%255s %31s %63s %63s", name, verdict, toi, upper), 4);
      real truth = first[kind][lines++];
      if (truth > 1) {
        assert_string_equal(verdict, "free");
        continue;
      }
      ++hits;
      assert_string_equal(verdict, "hit");
      assert_true(strtod(toi, NULL) <= truth + 1e-15L && strtod(toi, NULL) > truth - 1e-8L &&
                  strtod(upper, NULL) >= strtod(toi, NULL));
    }
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(lines, 200);
    assert_true(hits > 20);
  }
  assert_int_equal(remove(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  api = brinkEntry(BRINK_ABI_MAJOR, NULL);
  table = api->getExtension(BRINK_INVERSE_PATH_NAME);
  if (table == NULL || api->createWorld(NULL, NULL, &world) != brink_ok) return 1;
  int failed = cases_Run(NULL, NULL);
  api->destroyWorld(world);
  return failed;
}
