/* SPDX-License-Identifier: BSD-3-Clause */
/* All contact intervals of bodies made of rational patches, against closed forms: spheres, tori, cylinders and boxes
 * whose patches are exact, so contact is a distance of centres, axes and circles. None missing, none invented, ends
 * within 1e-9. And B-splines: the same surface as patches split by hand; bad knots are refused. */
#include <stdio.h>
#include <stdlib.h>
#include "cases.h"
#include "contact_intervals.h"
#include "inverse_support.h"

#define MOST_PATCHES 32
#define MOST_INTERVALS 32
#define TIME_TOLERANCE 1e-9
#define SEEDS 3

static brinkContext context;

/* ---- exact bodies */

typedef struct patchSet {
  double controls[MOST_PATCHES][9][4];
  brinkBezierPatch patches[MOST_PATCHES];
  size_t count;
} patchSet;

/* One arc (count 3) or segment (count 2) of a profile, r z weight, turned about z: four patches. */
static void revolve(patchSet *set, const double (*profile)[3], uint32_t count) {
  static const double arc[9][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}};
  for (int q = 0; q < 4; ++q) {
    double(*out)[4] = set->controls[set->count];
    for (uint32_t i = 0; i < count; ++i)
      for (int j = 0; j < 3; ++j) {
        double *c = out[3 * i + (uint32_t)j];
        c[0] = profile[i][0] * arc[2 * q + j][0];
        c[1] = profile[i][0] * arc[2 * q + j][1];
        c[2] = profile[i][1];
        c[3] = profile[i][2] * (j == 1 ? sqrt(0.5) : 1.0);
      }
    set->patches[set->count++] = (brinkBezierPatch){count, 3, out[0]};
  }
}

static void makeSphere(patchSet *set, double r) {
  const double w = sqrt(0.5), low[3][3] = {{0, -r, 1}, {r, -r, w}, {r, 0, 1}},
               high[3][3] = {{r, 0, 1}, {r, r, w}, {0, r, 1}};
  set->count = 0;
  revolve(set, low, 3);
  revolve(set, high, 3);
}

static void makeTorus(patchSet *set, double d, double r) {
  const double w = sqrt(0.5);
  const double arcs[4][3][3] = {{{d, -r, 1}, {d + r, -r, w}, {d + r, 0, 1}},
                                {{d + r, 0, 1}, {d + r, r, w}, {d, r, 1}},
                                {{d, r, 1}, {d - r, r, w}, {d - r, 0, 1}},
                                {{d - r, 0, 1}, {d - r, -r, w}, {d, -r, 1}}};
  set->count = 0;
  for (int i = 0; i < 4; ++i) revolve(set, arcs[i], 3);
}

static void makeCylinder(patchSet *set, double r, double h) {
  const double below[2][3] = {{0, -h, 1}, {r, -h, 1}}, wall[2][3] = {{r, -h, 1}, {r, h, 1}},
               above[2][3] = {{r, h, 1}, {0, h, 1}};
  set->count = 0;
  revolve(set, below, 2);
  revolve(set, wall, 2);
  revolve(set, above, 2);
}

static void makeBox(patchSet *set, double x, double y, double z) {
  const double half[3] = {x, y, z};
  set->count = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = -1; side <= 1; side += 2) {
      double(*out)[4] = set->controls[set->count];
      int i = side > 0 ? (axis + 1) % 3 : (axis + 2) % 3, j = side > 0 ? (axis + 2) % 3 : (axis + 1) % 3;
      for (int k = 0; k < 4; ++k) {
        out[k][axis] = side * half[axis];
        out[k][i] = k / 2 == 0 ? -half[i] : half[i];
        out[k][j] = k % 2 == 0 ? -half[j] : half[j];
        out[k][3] = 1.0;
      }
      set->patches[set->count++] = (brinkBezierPatch){2, 2, out[0]};
    }
}

typedef struct surfaceBody {
  brinkInverseMesh mesh;
  brinkPatchBody body;
} surfaceBody;

static void openBody(const brinkBezierPatch *patches, size_t count, bool solid, double error, surfaceBody *out) {
  brinkPatchMesh triangles = {0};
  assert_int_equal(brinkTriangulatePatches(&context, patches, count, error, "body", &triangles), brink_ok);
  const brinkMeshView view = {.structSize = sizeof view,
                              .flags = solid ? BRINK_MESH_SOLID : 0u,
                              .vertices = triangles.vertices,
                              .vertexCount = triangles.vertexCount,
                              .indices = triangles.triangles,
                              .triangleCount = triangles.triangleCount};
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "body", &out->mesh), brink_ok);
  brinkPatchMesh_Free(&context, &triangles);
  assert_int_equal(brinkPatchBody_Make(&context, patches, count, &out->mesh, error, "body", &out->body), brink_ok);
}

static void closeBody(surfaceBody *body) {
  brinkPatchBody_Free(&context, &body->body);
  brinkInverseMesh_Free(&context, &body->mesh);
}

/* ---- motions: A turns about its origin; B is turned and stretched about its own, which goes along a cubic */

typedef struct plainMotion {
  double axisA[3], angleA[4], shift[4][3], axisB[3], angleB[4], stretch[3]; /* B: I + t diag(stretch) before turning */
} plainMotion;

static void makeMotions(const plainMotion *m, brinkInverseMotion out[2]) {
  double shift[4][12] = {{0}}, stretch[2][12] = {{0}};
  memset(out, 0, 2 * sizeof *out);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i) shift[k][4 * i + 3] = m->shift[k][i];
  for (int i = 0; i < 3; ++i) {
    shift[0][5 * i] = stretch[0][5 * i] = 1;
    stretch[1][5 * i] = m->stretch[i];
  }
  assert_int_equal(brinkInverseMotion_AddRotation(&context, &out[0], m->axisA, m->angleA, "A"), brink_ok);
  assert_int_equal(brinkInverseMotion_AddPolynomial(&context, &out[1], shift[0], 3, "B"), brink_ok);
  assert_int_equal(brinkInverseMotion_AddRotation(&context, &out[1], m->axisB, m->angleB, "B"), brink_ok);
  if (m->stretch[0] != 0 || m->stretch[1] != 0 || m->stretch[2] != 0)
    assert_int_equal(brinkInverseMotion_AddPolynomial(&context, &out[1], stretch[0], 1, "B"), brink_ok);
}

static void turnBack(const double axis[3], const double angle[4], real t, const real *x, real *out) {
  real phi = -(angle[0] + t * (angle[1] + t * (angle[2] + t * (real)angle[3]))), c = cosl(phi), s = sinl(phi),
       length = 0, a[3];
  for (int i = 0; i < 3; ++i) length += (real)axis[i] * axis[i];
  for (int i = 0; i < 3; ++i) a[i] = axis[i] / sqrtl(length);
  real d = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
  for (int i = 0; i < 3; ++i)
    out[i] = c * x[i] + s * (a[(i + 1) % 3] * x[(i + 2) % 3] - a[(i + 2) % 3] * x[(i + 1) % 3]) + (1 - c) * d * a[i];
}

/* B's origin in A's frame. */
static void originOf(const plainMotion *m, real t, real *out) {
  real x[3];
  for (int i = 0; i < 3; ++i)
    x[i] = m->shift[0][i] + t * (m->shift[1][i] + t * (m->shift[2][i] + t * (real)m->shift[3][i]));
  turnBack(m->axisA, m->angleA, t, x, out);
}

typedef enum family { onSphere, onShell, onTorus, onCylinder, onBox, familyCount } family;

typedef struct scenario {
  family kind;
  plainMotion motion;
  double size[3], radius; /* A's sizes; B is a sphere */
} scenario;

/* Distance of B's centre from A's solid (its surface, of a shell). */
static real distanceTo(const scenario *s, const real *c) {
  real round = sqrtl(c[0] * c[0] + c[1] * c[1]), d[3], sum = 0;
  switch (s->kind) {
    case onSphere:
      return sqrtl(round * round + c[2] * c[2]) - s->size[0];
    case onShell:
      return fabsl(sqrtl(round * round + c[2] * c[2]) - s->size[0]);
    case onTorus:
      return sqrtl((round - s->size[0]) * (round - s->size[0]) + c[2] * c[2]) - s->size[1];
    case onCylinder:
      d[0] = fmaxl(round - s->size[0], 0);
      d[1] = fmaxl(fabsl(c[2]) - s->size[1], 0);
      return sqrtl(d[0] * d[0] + d[1] * d[1]);
    default:
      for (int i = 0; i < 3; ++i) {
        d[i] = fmaxl(fabsl(c[i]) - s->size[i], 0);
        sum += d[i] * d[i];
      }
      return sqrtl(sum);
  }
}

static bool sphereTruth(void *user, real t) {
  const scenario *s = user;
  real c[3];
  originOf(&s->motion, t, c);
  return distanceTo(s, c) <= s->radius;
}

static void makeHost(const scenario *s, surfaceBody *out) {
  static patchSet set;
  switch (s->kind) {
    case onTorus:
      makeTorus(&set, s->size[0], s->size[1]);
      break;
    case onCylinder:
      makeCylinder(&set, s->size[0], s->size[1]);
      break;
    case onBox:
      makeBox(&set, s->size[0], s->size[1], s->size[2]);
      break;
    default:
      makeSphere(&set, s->size[0]);
      break;
  }
  openBody(set.patches, set.count, s->kind != onShell, 0.01, out);
}

static void ask(const surfaceBody *a, const surfaceBody *b, const plainMotion *m, brinkIntervalSet *set) {
  brinkInverseMotion motions[2];
  makeMotions(m, motions);
  const brinkPatchPair pair = {&a->body, &b->body, {&motions[0], &motions[1]}};
  const brinkIntervalQuery query = {.tStart = 0, .tEnd = 1, .timeTolerance = TIME_TOLERANCE};
  assert_int_equal(brinkFindPatchIntervals(&context, &pair, &query, set), brink_ok);
  for (int k = 0; k < 2; ++k) brinkInverseMotion_Free(&context, &motions[k]);
}

typedef struct totals {
  int cases, intervals, wrong;
  uint64_t cells;
  double widest;
} totals;

static void complain(const char *what, family kind, uint64_t seed, real t, totals *sum) {
  print_error("family %d, seed %llu: %s near t = %.15Lg\n", (int)kind, (unsigned long long)seed, what, t);
  ++sum->wrong;
}

static void compare(truthAt truth, void *user, const brinkIntervalSet *set, family kind, uint64_t seed, totals *sum) {
  truthInterval expected[MOST_INTERVALS];
  double extra[2 * MOST_INTERVALS];
  size_t extraCount = 0;
  assert_true(set->count < MOST_INTERVALS);
  for (size_t i = 0; i < set->count; ++i) {
    extra[extraCount++] = 0.5 * (set->items[i].startUpper + set->items[i].endLower);
    if (i + 1 < set->count) extra[extraCount++] = 0.5 * (set->items[i].endUpper + set->items[i + 1].startLower);
  }
  size_t count = findTruth(truth, user, 4000, extra, extraCount, expected, MOST_INTERVALS);
  ++sum->cases;
  sum->intervals += (int)count;
  sum->cells += set->cells;
  if (set->count != count) {
    complain(set->count < count ? "an interval is missing" : "an interval is invented", kind, seed,
             set->count > 0 ? set->items[0].startLower : expected[0].start, sum);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const brinkContactInterval *one = &set->items[i];
    if (!one->proven) complain("an interval is open", kind, seed, one->startLower, sum);
    if (one->openInside > 0) complain("a gap is open", kind, seed, one->startUpper, sum);
    if (one->begins != expected[i].begins || one->ends != expected[i].ends)
      complain("an end at the motion's end", kind, seed, one->startLower, sum);
    if (one->begins &&
        !(one->startLower <= expected[i].start + 1e-13L && expected[i].start <= one->startUpper + 1e-13L))
      complain("its start is not in the bracket", kind, seed, expected[i].start, sum);
    if (one->ends && !(one->endLower <= expected[i].end + 1e-13L && expected[i].end <= one->endUpper + 1e-13L))
      complain("its end is not in the bracket", kind, seed, expected[i].end, sum);
    sum->widest = fmax(sum->widest, fmax(one->startUpper - one->startLower, one->endUpper - one->endLower));
  }
}

static void makeScenario(inverseRandom *g, family kind, scenario *out) {
  plainMotion *m = &out->motion;
  memset(out, 0, sizeof *out);
  out->kind = kind;
  out->radius = randomBetween(g, 0.1, 0.35);
  for (int i = 0; i < 3; ++i) {
    out->size[i] = randomBetween(g, 0.3, 0.8);
    m->axisA[i] = randomBetween(g, -1, 1);
    m->axisB[i] = randomBetween(g, -1, 1);
  }
  if (kind == onTorus) out->size[1] = randomBetween(g, 0.1, 0.25);
  for (int k = 0; k < 4; ++k) {
    m->angleA[k] = randomBetween(g, -1.5, 1.5);
    m->angleB[k] = randomBetween(g, -1.5, 1.5);
  }
  for (int i = 0; i < 3; ++i) { /* through a point near A in the middle */
    double near = randomBetween(g, -0.5, 0.5), speed = randomBetween(g, -3, 3), bow = randomBetween(g, -2, 2);
    m->shift[0][i] = near - 0.5 * speed + 0.25 * bow;
    m->shift[1][i] = speed - bow;
    m->shift[2][i] = bow;
  }
}

CASE(spheres_meet_exact_bodies_when_their_distance_says) {
  totals sum = {0};
  for (family kind = onSphere; kind < familyCount; ++kind)
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
      inverseRandom g = {seed * 7919 + (uint64_t)kind * 104729};
      scenario s;
      surfaceBody a, b;
      static patchSet set;
      brinkIntervalSet found = {0};
      makeScenario(&g, kind, &s);
      makeSphere(&set, s.radius);
      makeHost(&s, &a);
      openBody(set.patches, set.count, true, 0.01, &b);
      ask(&a, &b, &s.motion, &found);
      compare(sphereTruth, &s, &found, kind, seed, &sum);
      brinkIntervalSet_Free(&context, &found);
      closeBody(&a);
      closeBody(&b);
    }
  print_message("%d cases, %d intervals, %llu cells, ends within %.3g\n", sum.cases, sum.intervals,
                (unsigned long long)sum.cells, sum.widest);
  assert_int_equal(sum.wrong, 0);
  assert_true(sum.intervals >= 15);
  assert_true(sum.widest <= 1e-9);
}

/* ---- single closed forms */

static plainMotion straight(double x, double y, double z, double dx, double dy, double dz) {
  return (plainMotion){.axisA = {0, 0, 1}, .axisB = {0, 0, 1}, .shift = {{x, y, z}, {dx, dy, dz}}};
}

static void expectOne(const brinkIntervalSet *set, double start, double end) {
  if (set->count != 1 || !set->items[0].proven || set->items[0].openInside > 0)
    fail_msg("%zu intervals, open time %g, [%.12g %.12g]", set->count, set->openTotal,
             set->count > 0 ? set->items[0].startLower : 0.0, set->count > 0 ? set->items[0].endUpper : 0.0);
  const brinkContactInterval *one = &set->items[0];
  assert_int_equal(one->begins, start > 0.0);
  assert_int_equal(one->ends, end < 1.0);
  if (start > 0.0 && !(one->startLower <= start + 1e-14 && one->startUpper >= start - 1e-14))
    fail_msg("start %.15g is not in [%.15g, %.15g]", start, one->startLower, one->startUpper);
  if (end < 1.0 && !(one->endLower <= end + 1e-14 && one->endUpper >= end - 1e-14))
    fail_msg("end %.15g is not in [%.15g, %.15g]", end, one->endLower, one->endUpper);
  assert_true(one->startUpper - one->startLower <= TIME_TOLERANCE && one->endUpper - one->endLower <= TIME_TOLERANCE);
}

/* Lying on its side: it touches the box along a line. And end on: face to face. */
CASE(cylinders_meet_a_face_along_a_line_and_face_to_face) {
  static patchSet box, cylinder;
  surfaceBody a, b;
  brinkIntervalSet set = {0};
  makeBox(&box, 1.0, 0.8, 0.3);
  makeCylinder(&cylinder, 0.2, 0.45);
  openBody(box.patches, box.count, true, 0.01, &a);
  openBody(cylinder.patches, cylinder.count, true, 0.01, &b);
  plainMotion lying = straight(0.03, 0.05, 1.1, 0.01, 0.02, -1.9);
  lying.axisB[1] = 1.0, lying.axisB[2] = 0.0;
  lying.angleB[0] = 0.5 * INVERSE_PI;
  ask(&a, &b, &lying, &set);
  expectOne(&set, (1.1 - 0.2 - 0.3) / 1.9, (1.1 + 0.2 + 0.3) / 1.9);
  plainMotion upright = straight(0.03, 0.05, 1.5, 0.01, 0.02, -1.9);
  upright.angleB[1] = 0.7; /* and turning about its axis */
  ask(&a, &b, &upright, &set);
  expectOne(&set, (1.5 - 0.45 - 0.3) / 1.9, 1.0);
  brinkIntervalSet_Free(&context, &set);
  closeBody(&a);
  closeBody(&b);
}

/* Their borders alone cross: only a point inside both can prove it. */
CASE(equal_boxes_in_line_meet_and_part) {
  static patchSet box;
  surfaceBody a, b;
  brinkIntervalSet set = {0};
  makeBox(&box, 0.4, 0.3, 0.5);
  openBody(box.patches, box.count, true, 0.01, &a);
  openBody(box.patches, box.count, true, 0.01, &b);
  const plainMotion along = straight(-1.5, 0, 0, 3.1, 0, 0);
  ask(&a, &b, &along, &set);
  expectOne(&set, (1.5 - 0.8) / 3.1, (1.5 + 0.8) / 3.1);
  brinkIntervalSet_Free(&context, &set);
  closeBody(&a);
  closeBody(&b);
}

/* A sphere that is stretched by 1 + t d and turns: how far an ellipsoid reaches down is a square root. */
typedef struct ellipsoid {
  plainMotion motion;
  double radius, top;
} ellipsoid;

static bool ellipsoidTruth(void *user, real t) {
  const ellipsoid *e = user;
  const real up[3] = {0, 0, 1};
  real d[3], sum = 0;
  turnBack(e->motion.axisB, e->motion.angleB, t, up, d);
  for (int i = 0; i < 3; ++i)
    sum += d[i] * d[i] * (1 + t * (real)e->motion.stretch[i]) * (1 + t * (real)e->motion.stretch[i]);
  real z = e->motion.shift[0][2] + t * (e->motion.shift[1][2] + t * (real)e->motion.shift[2][2]);
  return z - e->radius * sqrtl(sum) <= e->top;
}

CASE(deforming_spheres_meet_a_face_when_the_ellipsoid_reaches_it) {
  static patchSet box, sphere;
  surfaceBody a, b;
  totals sum = {0};
  makeBox(&box, 2.0, 2.0, 0.25);
  makeSphere(&sphere, 0.3);
  openBody(box.patches, box.count, true, 0.01, &a);
  openBody(sphere.patches, sphere.count, true, 0.01, &b);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    inverseRandom g = {seed * 31337};
    brinkIntervalSet set = {0};
    ellipsoid e = {.radius = 0.3, .top = 0.25};
    e.motion = straight(0.1, -0.1, 1.1, 0.2, 0.1, randomBetween(&g, -3.2, -2.6));
    e.motion.shift[2][2] = randomBetween(&g, 2.4, 3.0); /* down and up again */
    for (int i = 0; i < 3; ++i) {
      e.motion.stretch[i] = randomBetween(&g, -0.5, 0.6);
      e.motion.axisB[i] = randomBetween(&g, -1, 1);
      e.motion.angleB[i] = randomBetween(&g, -2, 2);
    }
    ask(&a, &b, &e.motion, &set);
    compare(ellipsoidTruth, &e, &set, familyCount, seed, &sum);
    brinkIntervalSet_Free(&context, &set);
  }
  assert_int_equal(sum.wrong, 0);
  assert_true(sum.intervals >= 5 && sum.widest <= 1e-9);
  closeBody(&a);
  closeBody(&b);
}

/* Inside a solid is contact though no surfaces meet; inside a shell is not; through a ring is not. */
CASE(what_is_enclosed_meets_solids_and_not_shells) {
  static patchSet large, small, torus;
  surfaceBody solid, shell, ball, ring;
  brinkIntervalSet set = {0};
  makeSphere(&large, 0.9);
  makeSphere(&small, 0.15);
  makeTorus(&torus, 0.5, 0.2);
  openBody(large.patches, large.count, true, 0.02, &solid);
  openBody(large.patches, large.count, false, 0.02, &shell);
  openBody(small.patches, small.count, true, 0.02, &ball);
  openBody(torus.patches, torus.count, true, 0.02, &ring);
  const plainMotion within = straight(-0.6, 0.1, 0.2, 1.2, 0, -0.3);
  ask(&solid, &ball, &within, &set);
  expectOne(&set, 0.0, 1.0);
  ask(&ball, &solid, &within, &set);
  expectOne(&set, 0.0, 1.0);
  ask(&shell, &ball, &within, &set);
  assert_int_equal(set.count, 0);
  assert_true(set.openTotal == 0.0);
  const plainMotion through = straight(0.05, -0.04, -1.0, 0.01, 0.03, 2.0);
  ask(&ring, &ball, &through, &set);
  assert_int_equal(set.count, 0);
  assert_true(set.openTotal == 0.0);
  brinkIntervalSet_Free(&context, &set);
  closeBody(&solid);
  closeBody(&shell);
  closeBody(&ball);
  closeBody(&ring);
}

/* Two open surfaces have no inside: only chords that pierce prove contact. */
CASE(open_surfaces_cross_where_they_say) {
  static patchSet sheet, sphere, box;
  surfaceBody a, b, c;
  brinkIntervalSet set = {0};
  makeBox(&box, 1.0, 1.0, 0.0);
  sheet.patches[0] = box.patches[5]; /* one square */
  makeSphere(&sphere, 0.3);
  openBody(sheet.patches, 1, false, 0.02, &a);
  openBody(sphere.patches, sphere.count, false, 0.02, &b);
  plainMotion m = straight(0.1, 0.05, -1.0, 0.2, 0.1, 2.3);
  m.axisB[0] = 0.3;
  m.angleB[1] = 1.0;
  ask(&a, &b, &m, &set);
  expectOne(&set, (1.0 - 0.3) / 2.3, (1.0 + 0.3) / 2.3);
  ask(&b, &a, &m, &set); /* the sheet moves, turning: it leaves by its border or by its face */
  assert_int_equal(set.count, 1);
  openBody(sphere.patches, 4, false, 0.02, &c); /* half a shell, its border down: z from -0.3 to 0 */
  m = straight(0.1, 0.05, -1.0, 0.2, 0.1, 2.3);
  ask(&a, &c, &m, &set);
  expectOne(&set, 1.0 / 2.3, (1.0 + 0.3) / 2.3);
  brinkIntervalSet_Free(&context, &set);
  closeBody(&a);
  closeBody(&b);
  closeBody(&c);
}

static void backward(void *user, size_t count, void (*task)(void *data, size_t index), void *data) {
  (void)user;
  for (size_t i = count; i-- > 0;) task(data, i);
}

CASE(meshes_against_patches_in_any_order_of_tasks_give_the_same) {
  static smallMesh block;
  static patchSet set, cube;
  surfaceBody ball, box;
  brinkInverseMesh mesh;
  brinkPatchBody faces;
  brinkInverseMotion motions[2];
  brinkIntervalSet found[3] = {{0}};
  makeBlock(&block, 0.5, 0.4, 0.3);
  makeBox(&cube, 0.5, 0.4, 0.3);
  makeSphere(&set, 0.25);
  const brinkMeshView view = viewOf(&block, true);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "block", &mesh), brink_ok);
  assert_int_equal(brinkPatchBody_OfMesh(&context, &mesh, "block", &faces), brink_ok);
  openBody(set.patches, set.count, true, 0.02, &ball);
  openBody(cube.patches, cube.count, true, 0.02, &box);
  const plainMotion m = straight(-1.3, 0.2, 0.5, 2.5, 0.1, -0.6);
  makeMotions(&m, motions);
  for (int k = 0; k < 3; ++k) {
    const brinkPatchPair pair = {k == 2 ? &box.body : &faces, &ball.body, {&motions[0], &motions[1]}};
    const brinkIntervalQuery query = {
        .tStart = 0, .tEnd = 1, .timeTolerance = TIME_TOLERANCE, .parallel = {k == 1 ? backward : NULL, NULL}};
    assert_int_equal(brinkFindPatchIntervals(&context, &pair, &query, &found[k]), brink_ok);
    assert_int_equal(found[k].count, 1);
  }
  assert_memory_equal(found[0].items, found[1].items, found[0].count * sizeof *found[0].items);
  const brinkContactInterval *x = found[0].items, *y = found[2].items; /* brackets of the same times */
  assert_true(x->proven && y->proven);
  assert_true(x->startLower <= y->startUpper && y->startLower <= x->startUpper);
  assert_true(x->endLower <= y->endUpper && y->endLower <= x->endUpper);
  for (int k = 0; k < 3; ++k) brinkIntervalSet_Free(&context, &found[k]);
  for (int k = 0; k < 2; ++k) brinkInverseMotion_Free(&context, &motions[k]);
  brinkPatchBody_Free(&context, &faces);
  brinkInverseMesh_Free(&context, &mesh);
  closeBody(&ball);
  closeBody(&box);
}

/* ---- pieces */

/* Every point of a piece lies within the stated error of its triangles at the same parameters, and in its net's box. */
CASE(pieces_keep_their_stated_distance_from_their_triangles) {
  inverseRandom g = {4711};
  for (int trial = 0; trial < 60; ++trial) {
    double controls[9 * 9][4];
    uint32_t m = 2 + (uint32_t)randomBetween(&g, 0, 7.99), n = 2 + (uint32_t)randomBetween(&g, 0, 7.99);
    for (uint32_t i = 0; i < m * n; ++i) {
      for (int k = 0; k < 3; ++k) controls[i][k] = randomBetween(&g, -1, 1) + (k == 0 ? i / n : k == 1 ? i % n : 0);
      controls[i][3] = randomBetween(&g, 0.3, 3);
    }
    const brinkBezierPatch patch = {m, n, controls[0]};
    brinkInverseMesh mesh = {.solid = false};
    brinkPatchBody body;
    assert_int_equal(brinkPatchBody_Make(&context, &patch, 1, &mesh, 100.0, "patch", &body), brink_ok);
    brinkPatchPiece piece = {.patch = 0};
    double before = INFINITY;
    for (int level = 0; level < 10; ++level) {
      brinkPatchNet net;
      double error[3], du = ldexp(1.0, -piece.levelU), dv = ldexp(1.0, -piece.levelV), most = 0;
      brinkPatchBody_Net(&body, &piece, &net);
      brinkPatchNet_Error(&net, error);
      const double *c[4];
      for (int k = 0; k < 4; ++k) c[k] = net.points[brinkPatchNet_Corner(&net, k)];
      for (int sample = 0; sample < 40; ++sample) {
        double u = randomBetween(&g, 0, 1), v = randomBetween(&g, 0, 1), p[3];
        brinkBezierPatch_At(&patch, (piece.u + u) * du, (piece.v + v) * dv, p);
        for (int k = 0; k < 3; ++k) {
          double flat = u >= v ? c[0][k] + u * (c[1][k] - c[0][k]) + v * (c[2][k] - c[1][k])
                               : c[0][k] + v * (c[3][k] - c[0][k]) + u * (c[2][k] - c[3][k]);
          if (!(fabs(p[k] - flat) <= error[k] + body.rounding))
            fail_msg("trial %d, level %d: off by %.17g, bound %.17g", trial, level, fabs(p[k] - flat), error[k]);
          double low = INFINITY, high = -INFINITY;
          for (uint32_t i = 0; i < m * n; ++i) {
            low = fmin(low, net.points[i][k]);
            high = fmax(high, net.points[i][k]);
          }
          assert_true(p[k] >= low - body.rounding && p[k] <= high + body.rounding);
        }
      }
      for (int k = 0; k < 3; ++k) most = fmax(most, error[k]);
      if (level >= 4) assert_true(most < 0.7 * before); /* in the end to a quarter */
      before = most;
      brinkPatchPiece halves[2];
      for (int direction = 0; direction < 2; ++direction) {
        assert_true(brinkPatchPiece_Halve(&piece, direction, halves));
        piece = halves[randomBetween(&g, 0, 1) < 0.5 ? 0 : 1];
      }
    }
    brinkPatchBody_Free(&context, &body);
  }
}

CASE(points_are_told_in_and_out_of_exact_solids) {
  static patchSet torus;
  surfaceBody a;
  inverseRandom g = {99};
  makeTorus(&torus, 0.6, 0.25);
  openBody(torus.patches, torus.count, true, 0.02, &a);
  int in = 0;
  for (int i = 0; i < 400; ++i) {
    double p[3] = {randomBetween(&g, -0.9, 0.9), randomBetween(&g, -0.9, 0.9), randomBetween(&g, -0.3, 0.3)};
    if (i % 2 == 1) { /* a hair off the surface */
      double angle = randomBetween(&g, -3, 3), around = randomBetween(&g, -3, 3),
             r = 0.25 + (i % 4 == 1 ? 1e-8 : -1e-8);
      p[0] = (0.6 + r * cos(around)) * cos(angle);
      p[1] = (0.6 + r * cos(around)) * sin(angle);
      p[2] = r * sin(around);
    }
    bool truth = hypot(hypot(p[0], p[1]) - 0.6, p[2]) < 0.25;
    assert_int_equal(brinkPatchBody_Contains(&a.body, p), truth ? 1 : 0);
    in += truth ? 1 : 0;
  }
  assert_true(in > 100);
  closeBody(&a);
}

/* ---- B-splines */

CASE(splines_are_the_patches_that_a_hand_would_split_them_into) {
  /* a uniform cubic, as its textbook matrix says; rational; along v a clamped quadratic of one span */
  double controls[7][3][4], knotsU[11], hand[4][3][4];
  const double knotsV[6] = {2, 2, 2, 5, 5, 5};
  inverseRandom g = {5};
  for (int i = 0; i < 11; ++i) knotsU[i] = 0.5 * i - 1.0;
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) controls[i][j][k] = randomBetween(&g, -1, 1);
      controls[i][j][3] = randomBetween(&g, 0.5, 2);
    }
  const brinkSplineSurface uniform = {3, 2, 7, 3, knotsU, knotsV, controls[0][0]};
  brinkSplitSplines split;
  assert_int_equal(brinkSplitSplines_Make(&context, &uniform, 1, "uniform", &split), brink_ok);
  assert_int_equal(split.patchCount, 4);
  for (int span = 0; span < 4; ++span) {
    assert_true(split.patches[span].rows == 4 && split.patches[span].columns == 3 && split.owners[span] == 0);
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) {
        double p[4];
        for (int q = 0; q < 4; ++q) p[q] = controls[span + q][j][k] * (k < 3 ? controls[span + q][j][3] : 1);
        hand[0][j][k] = (p[0] + 4 * p[1] + p[2]) / 6;
        hand[1][j][k] = (2 * p[1] + p[2]) / 3;
        hand[2][j][k] = (p[1] + 2 * p[2]) / 3;
        hand[3][j][k] = (p[1] + 4 * p[2] + p[3]) / 6;
      }
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k)
          assert_true(fabs(split.patches[span].controls[4 * (3 * i + j) + k] -
                           (k < 3 ? hand[i][j][k] / hand[i][j][3] : hand[i][j][3])) < 1e-14);
    }
  }
  brinkSplitSplines_Free(&context, &split);
  /* the circle of nine control points and double knots: four quarters, its control points themselves; and a whole pipe
   */
  static const double ring[9][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}};
  const double knotsRing[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4}, knotsLine[4] = {0, 0, 1, 1};
  double pipe[2][9][4];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 9; ++j) {
      pipe[i][j][0] = ring[j][0];
      pipe[i][j][1] = ring[j][1];
      pipe[i][j][2] = i;
      pipe[i][j][3] = j % 2 == 1 ? sqrt(0.5) : 1.0;
    }
  const brinkSplineSurface both[2] = {uniform, {1, 2, 2, 9, knotsLine, knotsRing, pipe[0][0]}};
  assert_int_equal(brinkSplitSplines_Make(&context, both, 2, "both", &split), brink_ok);
  assert_int_equal(split.patchCount, 8);
  for (int q = 0; q < 4; ++q) {
    assert_int_equal(split.owners[4 + q], 1);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 4; ++k)
          assert_true(split.patches[4 + q].controls[4 * (3 * i + j) + k] == pipe[i][2 * q + j][k]);
  }
  brinkSplitSplines_Free(&context, &split);
}

static void refuseSpline(const brinkSplineSurface *spline, brinkStatus expected, const char *text) {
  brinkSplitSplines split;
  assert_int_equal(brinkSplitSplines_Make(&context, spline, 1, "body A", &split), expected);
  if (strstr(context.message, text) == NULL) fail_msg("'%s' does not say '%s'", context.message, text);
  brinkSplitSplines_Free(&context, &split);
}

CASE(bad_splines_are_refused_and_say_why) {
  double controls[4][4][4], knotsU[8] = {0, 0, 0, 1, 2, 3, 3, 3}, knotsV[7] = {0, 0, 0, 1, 2, 2, 2};
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 4; ++k) controls[i / 4][i % 4][k] = k == 3 ? 1.0 : i * (k + 1);
  brinkSplineSurface good = {2, 2, 4, 4, knotsV, knotsV, controls[0][0]}, bad = good;
  brinkSplitSplines split;
  assert_int_equal(brinkSplitSplines_Make(&context, &good, 1, "body A", &split), brink_ok);
  assert_int_equal(split.patchCount, 4);
  brinkSplitSplines_Free(&context, &split);
  bad.degreeU = 0;
  refuseSpline(&bad, brink_errorRange, "spline 0 has degree 0 along u; 1 to 8");
  bad.degreeU = 9;
  refuseSpline(&bad, brink_errorRange, "degree 9 along u");
  bad = good;
  bad.rows = 2;
  refuseSpline(&bad, brink_errorRange, "has 2 control points along u; it needs 3");
  bad = good;
  bad.knotsV = NULL;
  refuseSpline(&bad, brink_errorNullArgument, "no knots along v");
  bad = good;
  bad.controls = NULL;
  refuseSpline(&bad, brink_errorNullArgument, "no control points");
  knotsU[3] = -1;
  bad = good;
  bad.knotsU = knotsU;
  refuseSpline(&bad, brink_errorBadValue, "knot 3 along u is -1, below the one before it");
  knotsU[3] = (double)NAN;
  refuseSpline(&bad, brink_errorBadValue, "knot 3 along u is not finite");
  double flat[7] = {0, 1, 1, 1, 1, 1, 2};
  bad.knotsU = flat;
  refuseSpline(&bad, brink_errorEmpty, "no span along u");
  double torn[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, more[6][4][4];
  for (int i = 0; i < 24; ++i)
    for (int k = 0; k < 4; ++k) more[i / 4][i % 4][k] = k == 3 ? 1.0 : i;
  bad.rows = 6;
  bad.knotsU = torn;
  bad.controls = more[0][0];
  refuseSpline(&bad, brink_errorBadValue, "is there 3 times, more than the degree 2: the surface is torn");
  bad = good;
  controls[2][1][3] = -2;
  refuseSpline(&bad, brink_errorBadValue, "control 9 has weight -2");
  assert_int_equal(brinkSplitSplines_Make(&context, NULL, 0, "body A", &split), brink_errorEmpty);
}

int main(void) {
  brinkInitContext(&context);
  return cases_Run(NULL, NULL);
}
