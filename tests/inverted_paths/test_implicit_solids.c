/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole implicit solids: ball, torus and gyroid by interval bounds, with and without gradients, against meshes and each
 * other, moving, turning and deforming. All intervals against closed forms whose sign changes are found in long double.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cases.h"
#include "implicit_solid.h"
#include "interval_arithmetic.h"
#include "inverse_factors.h"
#include "inverse_support.h"

static brinkContext context;

/* ---- solids */

typedef brinkInterval range;

static range rangeOf(double low, double high) { return (range){low, high}; }
static void give(range r, double out[2]) {
  out[0] = r.lo;
  out[1] = r.hi;
}

/* radius */
static void ballBound(void *user, const double low[3], const double high[3], double out[2]) {
  double r = *(const double *)user;
  range sum = {-r * r * (1 + 1e-15), -r * r * (1 - 1e-15)};
  for (int k = 0; k < 3; ++k) sum = brinkInterval_Add(sum, brinkInterval_Sqr(rangeOf(low[k], high[k])));
  give(sum, out);
}
static void ballGradient(void *user, const double low[3], const double high[3], double out[3][2]) {
  (void)user;
  for (int k = 0; k < 3; ++k) {
    out[k][0] = 2 * low[k];
    out[k][1] = 2 * high[k];
  }
}

typedef struct torus {
  double ring, tube;
} torus;

static range ringRadius(const double low[3], const double high[3]) {
  return brinkInterval_Sqrt(
      brinkInterval_Add(brinkInterval_Sqr(rangeOf(low[0], high[0])), brinkInterval_Sqr(rangeOf(low[1], high[1]))));
}
/* (sqrt(x^2 + y^2) - ring)^2 + z^2 - tube^2 */
static void torusBound(void *user, const double low[3], const double high[3], double out[2]) {
  const torus *t = user;
  range across = brinkInterval_Sub(ringRadius(low, high), rangeOf(t->ring, t->ring));
  range sum = brinkInterval_Add(brinkInterval_Sqr(across), brinkInterval_Sqr(rangeOf(low[2], high[2])));
  give(brinkInterval_Sub(sum, rangeOf(t->tube * t->tube * (1 - 1e-15), t->tube * t->tube * (1 + 1e-15))), out);
}
static void torusGradient(void *user, const double low[3], const double high[3], double out[3][2]) {
  const torus *t = user;
  range rho = ringRadius(low, high), across = brinkInterval_Sub(rho, rangeOf(t->ring, t->ring)), limit;
  for (int k = 0; k < 2; ++k) { /* x / rho is in [-1,1] whatever the quotient says */
    limit = rho.lo > 1e-9 ? brinkInterval_Div(rangeOf(low[k], high[k]), rho) : rangeOf(-1, 1);
    limit = rangeOf(fmax(limit.lo, -1), fmin(limit.hi, 1));
    give(brinkInterval_Mul(brinkInterval_Mul(across, limit), rangeOf(2, 2)), out[k]);
  }
  out[2][0] = 2 * low[2];
  out[2][1] = 2 * high[2];
}

/* The gyroid's one side within a ball: max(sin x cos y + sin y cos z + sin z cos x, |x|^2 - r^2). */
static range gyroidRange(const double low[3], const double high[3]) {
  range sum = {0, 0};
  for (int k = 0; k < 3; ++k) {
    int n = (k + 1) % 3;
    sum = brinkInterval_Add(sum, brinkInterval_Mul(brinkInterval_Sin(rangeOf(low[k], high[k])),
                                                   brinkInterval_Cos(rangeOf(low[n], high[n]))));
  }
  return sum;
}
static void gyroidBound(void *user, const double low[3], const double high[3], double out[2]) {
  double ball[2];
  range g = gyroidRange(low, high);
  ballBound(user, low, high, ball);
  out[0] = fmax(g.lo, ball[0]);
  out[1] = fmax(g.hi, ball[1]);
}
static void gyroidGradient(void *user, const double low[3], const double high[3], double out[3][2]) {
  double ball[2], other[3][2];
  range g = gyroidRange(low, high);
  ballBound(user, low, high, ball);
  ballGradient(user, low, high, other);
  for (int k = 0; k < 3; ++k) {
    int n = (k + 1) % 3, b = (k + 2) % 3;
    range one = brinkInterval_Mul(brinkInterval_Cos(rangeOf(low[k], high[k])),
                                  brinkInterval_Cos(rangeOf(low[n], high[n]))),
          two = brinkInterval_Mul(brinkInterval_Sin(rangeOf(low[b], high[b])),
                                  brinkInterval_Sin(rangeOf(low[k], high[k])));
    range d = brinkInterval_Sub(one, two);
    if (ball[0] > g.hi)
      d = rangeOf(other[k][0], other[k][1]);
    else if (ball[1] >= g.lo)
      d = rangeOf(fmin(d.lo, other[k][0]), fmax(d.hi, other[k][1]));
    give(d, out[k]);
  }
}

static brinkImplicitSolid ballOf(double *radius, bool sharp) {
  double r = *radius * 1.01;
  return (brinkImplicitSolid){ballBound, radius, {{-r, -r, -r}, {r, r, r}}, sharp ? ballGradient : NULL};
}
static brinkImplicitSolid torusOf(torus *t, bool sharp) {
  double r = (t->ring + t->tube) * 1.01, h = t->tube * 1.01;
  return (brinkImplicitSolid){torusBound, t, {{-r, -r, -h}, {r, r, h}}, sharp ? torusGradient : NULL};
}
static brinkImplicitSolid gyroidOf(double *radius, bool sharp) {
  double r = *radius * 1.01;
  return (brinkImplicitSolid){gyroidBound, radius, {{-r, -r, -r}, {r, r, r}}, sharp ? gyroidGradient : NULL};
}

/* ---- motions */

static void addStretch(brinkInverseMotion *m, double x, double y, double z, double px, double py, double pz) {
  const double c[2][12] = {{x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0}, {px, 0, 0, 0, 0, py, 0, 0, 0, 0, pz, 0}};
  assert_int_equal(brinkInverseMotion_AddPolynomial(&context, m, c[0], 1, "stretch"), brink_ok);
}

/* ---- truths */

typedef struct truth { /* in contact iff value(t) <= 0 */
  real (*value)(const void *user, real t);
  const void *user;
} truth;

#define MOST_ENDS 64
#define STEPS 1500

static real crossing(const truth *self, real l, real u) {
  bool first = self->value(self->user, l) <= 0;
  for (int i = 0; i < 70; ++i) {
    real m = 0.5L * (l + u);
    if ((self->value(self->user, m) <= 0) == first)
      l = m;
    else
      u = m;
  }
  return 0.5L * (l + u);
}

/* Sign changes on [0,1], and whether it begins in contact. */
static size_t findEnds(const truth *self, real *ends, bool *starts) {
  size_t count = 0;
  real before = self->value(self->user, 0);
  *starts = before <= 0;
  for (int i = 1; i <= STEPS; ++i) {
    real t = (real)i / STEPS, now = self->value(self->user, t);
    if ((now <= 0) != (before <= 0)) ends[count++] = crossing(self, (real)(i - 1) / STEPS, t);
    before = now;
  }
  return count;
}

/* Same intervals, ends inside their brackets, no bracket wider than `width`. */
static size_t compare(const truth *self, const brinkIntervalSet *set, double width, const char *name) {
  real ends[MOST_ENDS];
  bool starts;
  size_t count = findEnds(self, ends, &starts), at = 0;
  if (set->count != (count + (starts ? 1 : 0) + 1) / 2)
    for (size_t i = 0; i < BRINK_MAX(set->count, count); ++i)
      print_error("%s: true end %.12g; %.12g + %.3g to %.12g + %.3g, proven %d\n", name,
                  i < count ? (double)ends[i] : -1.0, i < set->count ? set->items[i].startLower : -1.0,
                  i < set->count ? set->items[i].startUpper - set->items[i].startLower : -1.0,
                  i < set->count ? set->items[i].endLower : -1.0,
                  i < set->count ? set->items[i].endUpper - set->items[i].endLower : -1.0,
                  i < set->count ? (int)set->items[i].proven : -1);
  assert_int_equal(set->count, (count + (starts ? 1 : 0) + 1) / 2);
  for (size_t i = 0; i < set->count; ++i) {
    const brinkContactInterval *one = &set->items[i];
    real start = i == 0 && starts ? 0 : ends[at++], end = at < count ? ends[at++] : 1;
    if (!one->proven || !(start >= one->startLower - 1e-13L && start <= one->startUpper + 1e-13L) ||
        !(end >= one->endLower - 1e-13L && end <= one->endUpper + 1e-13L) ||
        one->startUpper - one->startLower > width || one->endUpper - one->endLower > width)
      print_error("%s, interval %zu: true %.17g to %.17g; %.17g + %.3g to %.17g + %.3g, proven %d\n", name, i,
                  (double)start, (double)end, one->startLower, one->startUpper - one->startLower, one->endLower,
                  one->endUpper - one->endLower, (int)one->proven);
    assert_true(one->proven);
    assert_true(start >= one->startLower - 1e-13L && start <= one->startUpper + 1e-13L);
    assert_true(end >= one->endLower - 1e-13L && end <= one->endUpper + 1e-13L);
    assert_true(one->startUpper - one->startLower <= width && one->endUpper - one->endLower <= width);
    assert_int_equal(one->begins, !(i == 0 && starts));
    assert_int_equal(one->ends, end < 1);
  }
  return set->count;
}

/* Backwards: any order of tasks. */
static void countdown(void *user, size_t count, void (*task)(void *, size_t), void *data) {
  *(size_t *)user += count;
  for (size_t i = count; i-- > 0;) task(data, i);
}

static size_t tasksRun;

/* Asks, in order and not, and compares. */
static size_t judge(const brinkImplicitPair *pair, const truth *self, double width, const char *name) {
  brinkIntervalQuery query = {.tStart = 0, .tEnd = 1, .timeTolerance = 1e-9};
  brinkIntervalSet set = {0}, again = {0};
  assert_int_equal(brinkFindImplicitContacts(&context, pair, &query, &set), brink_ok);
  size_t count = compare(self, &set, width, name);
  static size_t calls;
  if (calls++ % 4 != 0) { /* the order matters to none */
    brinkIntervalSet_Free(&context, &set);
    return count;
  }
  query.parallel = (brinkParallel){countdown, &tasksRun};
  assert_int_equal(brinkFindImplicitContacts(&context, pair, &query, &again), brink_ok);
  assert_true(again.count == set.count && again.cells == set.cells);
  for (size_t i = 0; i < set.count; ++i)
    assert_memory_equal(&set.items[i], &again.items[i], offsetof(brinkContactInterval, proven));
  brinkIntervalSet_Free(&context, &set);
  brinkIntervalSet_Free(&context, &again);
  return count;
}

#define SHARP 1e-9
#define PLAIN 2e-3 /* without gradients */

/* ---- ball and block */

typedef struct blockTruth { /* the block's frame moves; its half sizes times stretch + rate t */
  double half[3], shift[3], speed[3], axis[3], rate, radius, stretch[3], grow[3];
  bool open;
} blockTruth;

static real blockValue(const void *user, real t) {
  const blockTruth *b = user;
  real c[3], turned[3], square = 0, deepest = 1e9L, angle = -b->rate * t, sine = sinl(angle), cosine = cosl(angle),
                        along = 0;
  for (int k = 0; k < 3; ++k) {
    c[k] = -(b->shift[k] + b->speed[k] * t);
    along += b->axis[k] * c[k];
  }
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    turned[k] = b->axis[k] * along * (1 - cosine) + c[k] * cosine + (b->axis[i] * c[j] - b->axis[j] * c[i]) * sine;
  }
  for (int k = 0; k < 3; ++k) {
    real half = b->half[k] * (b->stretch[k] + b->grow[k] * t), over = fabsl(turned[k]) - half;
    square += over > 0 ? over * over : 0;
    deepest = fminl(deepest, -over);
  }
  if (b->open && deepest > 0) return deepest - b->radius; /* inside: distance to the wall */
  return square - (real)b->radius * b->radius;
}

static void makeBlockPair(const blockTruth *b, smallMesh *m, brinkInverseMesh *mesh, brinkInverseMotion *motion) {
  makeBlock(m, b->half[0], b->half[1], b->half[2]);
  brinkMeshView view = viewOf(m, !b->open);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "block", mesh), brink_ok);
  addShift(&context, motion, b->shift[0], b->shift[1], b->shift[2], b->speed[0], b->speed[1], b->speed[2]);
  addTurn(&context, motion, b->axis[0], b->axis[1], b->axis[2], 0, b->rate);
  addStretch(motion, b->stretch[0], b->stretch[1], b->stretch[2], b->grow[0], b->grow[1], b->grow[2]);
}

static size_t askBlock(const blockTruth *b, bool sharp, double width, const char *name) {
  smallMesh m;
  brinkInverseMesh mesh;
  brinkInverseMotion motion = {0};
  double radius = b->radius;
  const brinkImplicitSolid ball = ballOf(&radius, sharp);
  makeBlockPair(b, &m, &mesh, &motion);
  const brinkImplicitPair pair = {.a = &ball, .meshB = &mesh, .motion = {NULL, &motion}};
  const truth self = {blockValue, b};
  size_t count = judge(&pair, &self, width, name);
  brinkInverseMesh_Free(&context, &mesh);
  brinkInverseMotion_Free(&context, &motion);
  return count;
}

CASE(a_ball_and_a_passing_block_meet_at_the_closed_forms_times) {
  blockTruth b = {.half = {0.3, 0.4, 0.5},
                  .shift = {-2, 0.1, -0.2},
                  .speed = {4, 0, 0},
                  .axis = {0, 0, 1},
                  .radius = 0.7,
                  .stretch = {1, 1, 1}};
  assert_int_equal(askBlock(&b, true, SHARP, "face"), 1);
  assert_int_equal(askBlock(&b, false, PLAIN, "face, plain"), 1);
  b.shift[1] = 0.8; /* its edge */
  assert_int_equal(askBlock(&b, true, SHARP, "edge"), 1);
  b.shift[2] = 0.75; /* its corner */
  assert_int_equal(askBlock(&b, true, SHARP, "corner"), 1);
  assert_int_equal(askBlock(&b, false, PLAIN, "corner, plain"), 1);
  b.shift[1] = 1.2; /* free */
  assert_int_equal(askBlock(&b, true, SHARP, "free"), 0);
}

CASE(a_ball_inside_a_block_is_in_contact_with_the_solid_not_with_the_shell) {
  blockTruth b = {.half = {0.9, 0.8, 0.85},
                  .shift = {-2, 0.1, -0.2},
                  .speed = {4, 0, 0},
                  .axis = {0, 0, 1},
                  .radius = 0.3,
                  .stretch = {1, 1, 1}};
  assert_int_equal(askBlock(&b, true, SHARP, "solid"), 1);
  b.open = true;
  assert_int_equal(askBlock(&b, true, SHARP, "shell"), 2);
  b.open = false;
  b.shift[0] = 0.05; /* inside from start to end */
  b.speed[0] = 0.1;
  assert_int_equal(askBlock(&b, true, SHARP, "within"), 1);
  b.open = true;
  assert_int_equal(askBlock(&b, true, SHARP, "within the shell"), 0);
}

CASE(turning_and_deforming_blocks_meet_a_ball_as_dense_sampling_says) {
  inverseRandom g = {41};
  size_t met = 0;
  for (int i = 0; i < 12; ++i) {
    char name[32];
    blockTruth b = {.radius = randomBetween(&g, 0.2, 0.6), .rate = randomBetween(&g, -6, 6)};
    double length = 0;
    for (int k = 0; k < 3; ++k) {
      b.half[k] = randomBetween(&g, 0.1, 0.5);
      b.axis[k] = randomBetween(&g, -1, 1);
      b.shift[k] = randomBetween(&g, -1.2, 1.2);
      b.speed[k] = -b.shift[k] * randomBetween(&g, 1, 2.2);
      b.stretch[k] = randomBetween(&g, 0.7, 1.2);
      b.grow[k] = i % 2 == 0 ? randomBetween(&g, -0.4, 0.5) : 0;
      length += b.axis[k] * b.axis[k];
    }
    for (int k = 0; k < 3; ++k) b.axis[k] /= sqrt(length);
    snprintf(name, sizeof name, "block %d", i);
    met += askBlock(&b, true, SHARP, name);
  }
  assert_true(met > 4);
}

/* ---- torus and needle */

typedef struct needleTruth {
  torus ring;
  double half, shift[3], speed[3], tilt, rate, start, grow; /* turned about x by tilt + rate t; its length grows */
} needleTruth;

/* Least of F over the needle: its points are p + s d, |s| <= half. */
static real needleValue(const void *user, real t) {
  const needleTruth *n = user;
  real angle = n->tilt + n->rate * t, half = n->half * (n->start + n->grow * t), least = 1e9L;
  real p[3], d[3] = {0, -sinl(angle), cosl(angle)};
  for (int k = 0; k < 3; ++k) p[k] = n->shift[k] + n->speed[k] * t;
  int at = 0;
  enum { parts = 60 };
  real step = 2 * half / parts;
  real l = 0, u = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i <= parts; ++i) {
      real s = pass == 0 ? -half + step * i : l + (u - l) * i / parts, x = p[0] + s * d[0], y = p[1] + s * d[1],
           z = p[2] + s * d[2], across = sqrtl(x * x + y * y) - n->ring.ring,
           value = across * across + z * z - (real)n->ring.tube * n->ring.tube;
      if (value < least) {
        least = value;
        at = i;
      }
    }
    if (pass == 0) {
      l = -half + step * (at > 0 ? at - 1 : 0);
      u = -half + step * (at < parts ? at + 1 : parts);
    }
  }
  for (int i = 0; i < 90; ++i) { /* ternary */
    real s[2] = {l + (u - l) / 3, u - (u - l) / 3}, value[2];
    for (int e = 0; e < 2; ++e) {
      real x = p[0] + s[e] * d[0], y = p[1] + s[e] * d[1], z = p[2] + s[e] * d[2],
           across = sqrtl(x * x + y * y) - n->ring.ring;
      value[e] = across * across + z * z - (real)n->ring.tube * n->ring.tube;
      least = fminl(least, value[e]);
    }
    if (value[0] < value[1])
      u = s[1];
    else
      l = s[0];
  }
  return least;
}

static size_t askNeedle(needleTruth *n, bool sharp, double width, const char *name) {
  smallMesh m = {.vertexCount = 0};
  addVertex(&m, 0, 0, -n->half);
  addVertex(&m, 0, 0, n->half);
  addTriangle(&m, 0, 1, 1);
  brinkInverseMesh mesh;
  brinkMeshView view = viewOf(&m, false);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "needle", &mesh), brink_ok);
  brinkInverseMotion motion = {0};
  addShift(&context, &motion, n->shift[0], n->shift[1], n->shift[2], n->speed[0], n->speed[1], n->speed[2]);
  addTurn(&context, &motion, 1, 0, 0, n->tilt, n->rate);
  addStretch(&motion, 1, 1, n->start, 0, 0, n->grow);
  const brinkImplicitSolid ring = torusOf(&n->ring, sharp);
  const brinkImplicitPair pair = {.a = &ring, .meshB = &mesh, .motion = {NULL, &motion}};
  const truth self = {needleValue, n};
  size_t count = judge(&pair, &self, width, name);
  brinkInverseMesh_Free(&context, &mesh);
  brinkInverseMotion_Free(&context, &motion);
  return count;
}

CASE(a_needle_crosses_the_tube_twice_and_passes_the_hole_free) {
  needleTruth n = {.ring = {1, 0.25}, .half = 0.6, .shift = {-2, 0.02, 0.1}, .speed = {4.1, 0, 0}, .start = 1};
  assert_int_equal(askNeedle(&n, true, SHARP, "upright"), 2);
  assert_int_equal(askNeedle(&n, false, PLAIN, "upright, plain"), 2);
  n.tilt = 0.5;
  n.rate = 3;
  n.grow = 0.8; /* turning and growing */
  assert_true(askNeedle(&n, true, SHARP, "turning") >= 2);
  n = (needleTruth){.ring = {1, 0.2}, .half = 0.3, .shift = {0, 0, -1}, .speed = {0, 0.1, 2}, .start = 1};
  assert_int_equal(askNeedle(&n, true, SHARP, "through the hole"), 0);
  inverseRandom g = {9};
  size_t met = 0;
  for (int i = 0; i < 10; ++i) {
    char name[32];
    n = (needleTruth){.ring = {1, randomBetween(&g, 0.1, 0.4)}, .half = randomBetween(&g, 0.2, 0.9), .start = 1};
    for (int k = 0; k < 3; ++k) {
      n.shift[k] = randomBetween(&g, -1.5, 1.5);
      n.speed[k] = randomBetween(&g, -3, 3);
    }
    n.tilt = randomBetween(&g, 0, 3);
    n.rate = randomBetween(&g, -7, 7);
    n.grow = randomBetween(&g, -0.5, 1);
    snprintf(name, sizeof name, "needle %d", i);
    met += askNeedle(&n, true, SHARP, name);
  }
  assert_true(met > 4);
}

/* ---- gyroid */

typedef struct pointTruth {
  double radius, shift[3], speed[3], arm[3], rate;
} pointTruth;

static real gyroidAt(real radius, const real p[3]) {
  real g = sinl(p[0]) * cosl(p[1]) + sinl(p[1]) * cosl(p[2]) + sinl(p[2]) * cosl(p[0]);
  return fmaxl(g, p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - radius * radius);
}

static void pointAt(const pointTruth *b, real t, real p[3]) {
  real sine = sinl(b->rate * t), cosine = cosl(b->rate * t);
  for (int k = 0; k < 3; ++k) p[k] = b->shift[k] + b->speed[k] * t;
  p[0] += cosine * b->arm[0] - sine * b->arm[1];
  p[1] += sine * b->arm[0] + cosine * b->arm[1];
  p[2] += b->arm[2];
}
static real pointValue(const void *user, real t) {
  const pointTruth *b = user;
  real p[3];
  pointAt(b, t, p);
  return gyroidAt(b->radius, p);
}

CASE(a_point_winds_through_a_gyroid_and_every_interval_is_found) {
  inverseRandom g = {123};
  size_t met = 0;
  for (int i = 0; i < 10; ++i) {
    char name[32];
    pointTruth b = {.radius = randomBetween(&g, 4, 7), .rate = randomBetween(&g, -9, 9)};
    for (int k = 0; k < 3; ++k) {
      b.shift[k] = randomBetween(&g, -7, 7);
      b.speed[k] = -2 * b.shift[k] + randomBetween(&g, -3, 3);
      b.arm[k] = randomBetween(&g, -2, 2);
    }
    smallMesh m = {.vertexCount = 0};
    addVertex(&m, b.arm[0], b.arm[1], b.arm[2]);
    addTriangle(&m, 0, 0, 0);
    brinkInverseMesh mesh;
    brinkMeshView view = viewOf(&m, false);
    assert_int_equal(brinkInverseMesh_Make(&context, &view, "point", &mesh), brink_ok);
    brinkInverseMotion motion = {0};
    addShift(&context, &motion, b.shift[0], b.shift[1], b.shift[2], b.speed[0], b.speed[1], b.speed[2]);
    addTurn(&context, &motion, 0, 0, 1, 0, b.rate);
    snprintf(name, sizeof name, "path %d", i);
    for (int sharp = 0; sharp < 2; ++sharp) {
      const brinkImplicitSolid gyroid = gyroidOf(&b.radius, sharp != 0);
      const brinkImplicitPair pair = {.a = &gyroid, .meshB = &mesh, .motion = {NULL, &motion}};
      const truth self = {pointValue, &b};
      met += judge(&pair, &self, SHARP, name);
    }
    brinkInverseMesh_Free(&context, &mesh);
    brinkInverseMotion_Free(&context, &motion);
  }
  assert_true(met > 30);
}

/* ---- two implicit solids */

typedef struct ballsTruth {
  double radius[2], shift[3], speed[3], start, grow;
} ballsTruth;

static real ballsValue(const void *user, real t) {
  const ballsTruth *b = user;
  real square = 0, sum = b->radius[0] + b->radius[1] * (b->start + b->grow * t);
  for (int k = 0; k < 3; ++k) square += (b->shift[k] + b->speed[k] * t) * (b->shift[k] + b->speed[k] * t);
  return square - sum * sum;
}

CASE(two_balls_meet_when_their_centres_are_that_near) {
  inverseRandom g = {31};
  size_t met = 0;
  for (int i = 0; i < 6; ++i) {
    char name[32];
    ballsTruth b = {.start = 1, .grow = i % 3 == 0 ? randomBetween(&g, -0.5, 0.8) : 0};
    for (int k = 0; k < 2; ++k) b.radius[k] = randomBetween(&g, 0.1, 0.6);
    for (int k = 0; k < 3; ++k) {
      b.shift[k] = randomBetween(&g, -1.5, 1.5);
      b.speed[k] = -b.shift[k] * randomBetween(&g, 1.5, 2.5);
    }
    brinkInverseMotion motion[2] = {{0}, {0}};
    addTurn(&context, &motion[0], 1, 2, 0.5, 0.3, 4); /* A turns about its centre */
    addShift(&context, &motion[1], b.shift[0], b.shift[1], b.shift[2], b.speed[0], b.speed[1], b.speed[2]);
    addTurn(&context, &motion[1], 0, 1, 1, 0, -5);
    addStretch(&motion[1], b.start, b.start, b.start, b.grow, b.grow, b.grow);
    snprintf(name, sizeof name, "balls %d", i);
    for (int sharp = 0; sharp < 2; ++sharp) {
      if (sharp == 0 && i >= 1) continue;
      const brinkImplicitSolid one = ballOf(&b.radius[0], sharp != 0), other = ballOf(&b.radius[1], sharp != 0);
      const brinkImplicitPair pair = {.a = &one, .solidB = &other, .motion = {&motion[0], &motion[1]}};
      const truth self = {ballsValue, &b};
      met += judge(&pair, &self, sharp != 0 ? SHARP : 2e-2, name);
    }
    for (int k = 0; k < 2; ++k) brinkInverseMotion_Free(&context, &motion[k]);
  }
  assert_true(met > 2);
}

typedef struct wheelTruth { /* a torus turns about x and moves; a ball rests */
  torus ring;
  double radius, shift[3], speed[3], tilt, rate;
} wheelTruth;

static real wheelValue(const void *user, real t) {
  const wheelTruth *w = user;
  real angle = w->tilt + w->rate * t, x = -(w->shift[0] + w->speed[0] * t), y = -(w->shift[1] + w->speed[1] * t),
       z = -(w->shift[2] + w->speed[2] * t), yy = cosl(angle) * y + sinl(angle) * z,
       zz = -sinl(angle) * y + cosl(angle) * z, across = sqrtl(x * x + yy * yy) - w->ring.ring,
       sum = w->ring.tube + w->radius;
  return across * across + zz * zz - sum * sum;
}

CASE(a_turning_ring_meets_a_ball_and_lets_it_through_its_hole) {
  inverseRandom g = {64};
  size_t met = 0, several = 0;
  for (int i = 0; i < 6; ++i) {
    char name[32];
    wheelTruth w = {.ring = {randomBetween(&g, 0.7, 1.2), randomBetween(&g, 0.08, 0.3)},
                    .radius = randomBetween(&g, 0.05, 0.3),
                    .tilt = randomBetween(&g, 0, 3),
                    .rate = i % 2 == 0 ? randomBetween(&g, -8, 8) : 0};
    for (int k = 0; k < 3; ++k) {
      w.shift[k] = randomBetween(&g, -1.6, 1.6);
      w.speed[k] = -w.shift[k] * randomBetween(&g, 1.6, 2.4);
    }
    brinkInverseMotion motion = {0};
    addShift(&context, &motion, w.shift[0], w.shift[1], w.shift[2], w.speed[0], w.speed[1], w.speed[2]);
    addTurn(&context, &motion, 1, 0, 0, w.tilt, w.rate);
    const brinkImplicitSolid ball = ballOf(&w.radius, true), ring = torusOf(&w.ring, true);
    const brinkImplicitPair pair = {.a = &ball, .solidB = &ring, .motion = {NULL, &motion}};
    /* roles exchanged: the ring rests, the ball moves the other way */
    const brinkImplicitPair exchanged = {.a = &ring, .solidB = &ball, .motion = {&motion, NULL}};
    const truth self = {wheelValue, &w};
    snprintf(name, sizeof name, "wheel %d", i);
    size_t count = judge(&pair, &self, SHARP, name);
    assert_int_equal(judge(&exchanged, &self, SHARP, name), count);
    met += count;
    several += count > 1 ? 1u : 0u;
    brinkInverseMotion_Free(&context, &motion);
  }
  assert_true(met > 2 && several > 0 && tasksRun > 100);
}

/* A ball and the gyroid: sampled truth, so contacts are compared at sampled times only. */
CASE(a_ball_moves_through_a_gyroid_as_sampled_points_say) {
  double radius = 2.5, small = 0.5;
  const brinkImplicitSolid gyroid = gyroidOf(&radius, true), ball = ballOf(&small, true);
  brinkInverseMotion motion = {0};
  addShift(&context, &motion, -3.5, 0.4, 0.3, 7, 0.7, -0.4);
  const brinkImplicitPair pair = {.a = &gyroid, .solidB = &ball, .motion = {NULL, &motion}};
  brinkIntervalQuery query = {.tStart = 0, .tEnd = 1, .timeTolerance = 1e-9};
  brinkIntervalSet set = {0};
  assert_int_equal(brinkFindImplicitContacts(&context, &pair, &query, &set), brink_ok);
  assert_true(set.count >= 1 && set.openTotal < 0.05);
  inverseRandom g = {7};
  size_t common = 0;
  for (int i = 0; i <= 400; ++i) {
    double t = i / 400.0;
    bool ours = false, found = false;
    for (size_t k = 0; k < set.count; ++k) ours = ours || (t >= set.items[k].startLower && t <= set.items[k].endUpper);
    for (int s = 0; s < 300 && !found; ++s) {
      real x[3] = {randomBetween(&g, -small, small), randomBetween(&g, -small, small),
                   randomBetween(&g, -small, small)};
      if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > small * small) continue;
      x[0] += -3.5 + 7 * t;
      x[1] += 0.4 + 0.7 * t;
      x[2] += 0.3 - 0.4 * t;
      found = gyroidAt(radius, x) <= 0;
    }
    common += found ? 1u : 0u;
    if (found) assert_true(ours);
  }
  assert_true(common > 50);
  brinkIntervalSet_Free(&context, &set);
  brinkInverseMotion_Free(&context, &motion);
}

/* ---- bounds */

CASE(bounds_over_hulls_hold_at_random_points) {
  inverseRandom g = {17};
  double radius = 5;
  torus ring = {1, 0.3};
  for (int i = 0; i < 3000; ++i) {
    const brinkImplicitSolid solids[2] = {gyroidOf(&radius, true), torusOf(&ring, true)};
    const brinkImplicitSolid *solid = &solids[i % 2];
    double spots[6][3], slack[3], out[2], size = pow(10, randomBetween(&g, -6, 0)), center[3];
    for (int k = 0; k < 3; ++k) {
      center[k] = randomBetween(&g, -1, 1);
      slack[k] = size * randomBetween(&g, 0, 0.1);
      for (int s = 0; s < 6; ++s) spots[s][k] = center[k] + size * randomBetween(&g, -1, 1);
    }
    brinkImplicitSolid_Over(solid, (const double(*)[3])spots, 6, slack, out);
    for (int s = 0; s < 10; ++s) {
      double weights[6], sum = 0, p[3], at[2];
      for (int k = 0; k < 6; ++k) sum += weights[k] = randomBetween(&g, 0, 1);
      for (int k = 0; k < 3; ++k) {
        p[k] = slack[k] * randomBetween(&g, -0.999, 0.999);
        for (int w = 0; w < 6; ++w) p[k] += weights[w] / sum * spots[w][k];
      }
      solid->bound(solid->user, p, p, at);
      assert_true(out[0] == (double)HUGE_VAL ? at[1] > 0 : at[1] >= out[0] && at[0] <= out[1]);
    }
  }
}

int main(void) {
  brinkInitContext(&context);
  return cases_Run(NULL, NULL);
}
