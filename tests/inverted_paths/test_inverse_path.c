/* SPDX-License-Identifier: BSD-3-Clause */
/* All contact intervals of two meshes under affine motions: none missing, none invented, ends within 1e-9, against slow
 * truths (dense sampling and bisection in long double) on gears, cams, threads and tumbling, deforming solids. */
#include <stdio.h>
#include <stdlib.h>
#include "cases.h"
#include "contact_intervals.h"
#include "inverse_support.h"

#define MOST_INTERVALS 128
#define TIME_TOLERANCE 1e-9

static brinkContext context;

/* ---- truths: bodies move by x -> c + Rz(angle) (S(t) x), angle and c cubic, S = I + t D */

typedef struct plainMotion {
  double shift[4][3], angle[4], axis[3], stretch[9]; /* S = I + t stretch */
} plainMotion;

static void placePoint(const plainMotion *m, real t, const double *x, real *out) {
  real y[3], s[3];
  for (int i = 0; i < 3; ++i)
    y[i] = x[i] + t * (m->stretch[3 * i] * (real)x[0] + m->stretch[3 * i + 1] * (real)x[1] +
                       m->stretch[3 * i + 2] * (real)x[2]);
  real angle = m->angle[0] + t * (m->angle[1] + t * (m->angle[2] + t * (real)m->angle[3]));
  real length = sqrtl((real)m->axis[0] * m->axis[0] + (real)m->axis[1] * m->axis[1] + (real)m->axis[2] * m->axis[2]);
  real a[3] = {m->axis[0] / length, m->axis[1] / length, m->axis[2] / length}, c = cosl(angle), sn = sinl(angle);
  real d = a[0] * y[0] + a[1] * y[1] + a[2] * y[2];
  s[0] = a[1] * y[2] - a[2] * y[1];
  s[1] = a[2] * y[0] - a[0] * y[2];
  s[2] = a[0] * y[1] - a[1] * y[0];
  for (int i = 0; i < 3; ++i)
    out[i] = c * y[i] + sn * s[i] + (1 - c) * d * a[i] + m->shift[0][i] +
             t * (m->shift[1][i] + t * (m->shift[2][i] + t * (real)m->shift[3][i]));
}

static void makeMotion(const plainMotion *m, brinkInverseMotion *out) {
  double shift[4][12] = {{0}}, stretch[2][12] = {{0}};
  memset(out, 0, sizeof *out);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i) shift[k][4 * i + 3] = m->shift[k][i];
  for (int i = 0; i < 3; ++i) {
    shift[0][5 * i] = stretch[0][5 * i] = 1;
    for (int j = 0; j < 3; ++j) stretch[1][4 * i + j] = m->stretch[3 * i + j];
  }
  assert_int_equal(brinkInverseMotion_AddPolynomial(&context, out, shift[0], 3, "shift"), brink_ok);
  assert_int_equal(brinkInverseMotion_AddRotation(&context, out, m->axis, m->angle, "turn"), brink_ok);
  bool deforms = false;
  for (int i = 0; i < 9; ++i) deforms = deforms || m->stretch[i] != 0;
  if (deforms) assert_int_equal(brinkInverseMotion_AddPolynomial(&context, out, stretch[0], 1, "stretch"), brink_ok);
  assert_int_equal(brinkInverseMotion_CheckRegular(&context, out, "motion"), brink_ok);
}

typedef struct scenario {
  smallMesh mesh[2];
  plainMotion motion[2];
  bool solid[2];
  /* plane figures: contact is that of the outlines, which the truth then uses */
  double outline[2][128][2];
  size_t outlineCount[2];
  placedMesh placed[2];
} scenario;

static bool spaceTruth(void *user, real t) {
  scenario *s = user;
  for (int k = 0; k < 2; ++k) {
    s->placed[k].mesh = &s->mesh[k];
    s->placed[k].solid = s->solid[k];
    for (size_t i = 0; i < s->mesh[k].vertexCount; ++i)
      placePoint(&s->motion[k], t, s->mesh[k].vertices + 3 * i, s->placed[k].at + 3 * i);
  }
  return meshesMeet(&s->placed[0], &s->placed[1]);
}

static real cross2(const real *a, const real *b, const real *c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool insidePolygon(real (*p)[3], size_t n, const real *x) {
  bool inside = false;
  for (size_t i = 0, j = n - 1; i < n; j = i++)
    if ((p[i][1] > x[1]) != (p[j][1] > x[1]) &&
        x[0] < (p[j][0] - p[i][0]) * (x[1] - p[i][1]) / (p[j][1] - p[i][1]) + p[i][0])
      inside = !inside;
  return inside;
}

static bool planeTruth(void *user, real t) {
  const scenario *s = user;
  real at[2][128][3];
  for (int k = 0; k < 2; ++k)
    for (size_t i = 0; i < s->outlineCount[k]; ++i) {
      const double x[3] = {s->outline[k][i][0], s->outline[k][i][1], 0};
      placePoint(&s->motion[k], t, x, at[k][i]);
    }
  for (size_t i = 0; i < s->outlineCount[0]; ++i)
    for (size_t j = 0; j < s->outlineCount[1]; ++j) {
      const real *a = at[0][i], *b = at[0][(i + 1) % s->outlineCount[0]], *c = at[1][j],
                 *d = at[1][(j + 1) % s->outlineCount[1]];
      real ab = cross2(a, b, c), ba = cross2(a, b, d), cd = cross2(c, d, a), dc = cross2(c, d, b);
      if (ab * ba <= 0 && cd * dc <= 0) return true;
    }
  return insidePolygon(at[0], s->outlineCount[0], at[1][0]) || insidePolygon(at[1], s->outlineCount[1], at[0][0]);
}

/* ---- asking */

static void askScenario(const scenario *s, brinkIntervalSet *set) {
  brinkInverseMesh mesh[2];
  brinkInverseMotion motion[2];
  for (int k = 0; k < 2; ++k) {
    brinkMeshView view = viewOf(&s->mesh[k], s->solid[k]);
    assert_int_equal(brinkInverseMesh_Make(&context, &view, "body", &mesh[k]), brink_ok);
    makeMotion(&s->motion[k], &motion[k]);
  }
  const brinkMeshPair pair = {&mesh[0], &mesh[1], {&motion[0], &motion[1]}, 0};
  const brinkIntervalQuery query = {.tStart = 0, .tEnd = 1, .timeTolerance = TIME_TOLERANCE};
  assert_int_equal(brinkFindContactIntervals(&context, &pair, &query, set), brink_ok);
  for (int k = 0; k < 2; ++k) {
    brinkInverseMesh_Free(&context, &mesh[k]);
    brinkInverseMotion_Free(&context, &motion[k]);
  }
}

typedef struct totals {
  int cases, intervals, several, wrong;
  uint64_t cells;
  double widest; /* bracket of an end */
} totals;

static void complain(const char *what, const char *family, uint64_t seed, real t) {
  print_error("%s, seed %llu: %s near t = %.15Lg\n", family, (unsigned long long)seed, what, t);
}

/* Every interval of ours is one of the truth's, end for end, and the truth has no others. The truth samples evenly and
 * in the middle of each of our intervals and gaps: an invented or a merged one shows. */
static void judge(scenario *s, truthAt truth, int samples, const char *family, uint64_t seed, totals *sum) {
  truthInterval expected[MOST_INTERVALS];
  double extra[2 * MOST_INTERVALS];
  size_t extraCount = 0;
  brinkIntervalSet set = {0};
  askScenario(s, &set);
  assert_true(set.count < MOST_INTERVALS);
  for (size_t i = 0; i < set.count; ++i) {
    extra[extraCount++] = 0.5 * (set.items[i].startUpper + set.items[i].endLower);
    if (i + 1 < set.count) extra[extraCount++] = 0.5 * (set.items[i].endUpper + set.items[i + 1].startLower);
  }
  size_t count = findTruth(truth, s, samples, extra, extraCount, expected, MOST_INTERVALS), at = 0;
  sum->cases += 1;
  sum->cells += set.cells;
  sum->several += set.count > 1 ? 1 : 0;
  for (size_t i = 0; i < set.count; ++i) {
    const brinkContactInterval *ours = &set.items[i];
    sum->intervals += 1;
    if (!ours->proven || ours->openInside > 0) {
      complain("an open interval", family, seed, ours->startLower);
      sum->wrong += 1;
      continue;
    }
    sum->widest = fmax(sum->widest, fmax(ours->startUpper - ours->startLower, ours->endUpper - ours->endLower));
    if (at < count && expected[at].start < ours->startLower - 1e-13L) {
      complain("a missing interval", family, seed, expected[at++].start);
      sum->wrong += 1;
    }
    if (at == count || expected[at].start > ours->startUpper + 1e-13L) {
      complain("an invented interval", family, seed, ours->startLower);
      sum->wrong += 1;
      continue;
    }
    const truthInterval *e = &expected[at++];
    if (e->end >= ours->endLower - 1e-13L && e->end <= ours->endUpper + 1e-13L && e->begins == ours->begins &&
        e->ends == ours->ends)
      continue;
    complain("ends differ", family, seed, e->start);
    sum->wrong += 1;
  }
  if (at < count) {
    complain("a missing interval", family, seed, expected[at].start);
    sum->wrong += 1;
  }
  brinkIntervalSet_Free(&context, &set);
}

/* ---- families */

static void restMotion(plainMotion *m) {
  memset(m, 0, sizeof *m);
  m->axis[2] = 1;
}

static size_t gearOutline(inverseRandom *g, double (*out)[2], double radius) {
  int teeth = 4 + (int)randomBetween(g, 0, 4);
  double depth = randomBetween(g, 0.1, 0.3) * radius, land = randomBetween(g, 0.15, 0.3),
         root = randomBetween(g, 0.3, 0.45);
  size_t n = 0;
  for (int i = 0; i < teeth; ++i) {
    double pitch = 2 * INVERSE_PI / teeth, a = pitch * i;
    const double corners[4][2] = {{-root, radius - depth}, {-land, radius}, {land, radius}, {root, radius - depth}};
    for (int k = 0; k < 4; ++k, ++n) {
      out[n][0] = corners[k][1] * cos(a + corners[k][0] * pitch);
      out[n][1] = corners[k][1] * sin(a + corners[k][0] * pitch);
    }
  }
  return n;
}

static void makeGears(inverseRandom *g, scenario *s) {
  double radius[2] = {randomBetween(g, 0.7, 1.2), randomBetween(g, 0.5, 1.0)};
  for (int k = 0; k < 2; ++k) {
    restMotion(&s->motion[k]);
    s->outlineCount[k] = gearOutline(g, s->outline[k], radius[k]);
    makePrism(&s->mesh[k], (const double(*)[2])s->outline[k], s->outlineCount[k], k == 0 ? 0.3 : 0.2);
    s->solid[k] = true;
    s->motion[k].angle[0] = randomBetween(g, 0, 6);
    s->motion[k].angle[1] = randomBetween(g, 2, 9) * (k == 0 ? 1 : -1);
    s->motion[k].angle[2] = randomBetween(g, -1, 1);
  }
  s->motion[1].shift[0][0] = radius[0] + radius[1] * randomBetween(g, 0.93, 0.99);
  s->motion[1].shift[1][1] = randomBetween(g, -0.2, 0.2);
}

static void makeCam(inverseRandom *g, scenario *s) {
  restMotion(&s->motion[0]);
  restMotion(&s->motion[1]);
  double lift = randomBetween(g, 0.2, 0.5), lobes = 1 + floor(randomBetween(g, 0, 3));
  s->outlineCount[0] = 24;
  for (int i = 0; i < 24; ++i) {
    double a = 2 * INVERSE_PI * i / 24, r = 0.6 + lift * pow(0.5 + 0.5 * cos(lobes * a), 2.0);
    s->outline[0][i][0] = r * cos(a);
    s->outline[0][i][1] = r * sin(a);
  }
  s->motion[0].angle[0] = randomBetween(g, 0, 6);
  s->motion[0].angle[1] = randomBetween(g, 8, 30);
  s->motion[0].shift[0][0] = randomBetween(g, -0.1, 0.1); /* eccentric */
  double x = randomBetween(g, 0.1, 0.3), y = randomBetween(g, 0.1, 0.2);
  const double block[4][2] = {{x, y}, {-x, y}, {-x, -y}, {x, -y}};
  s->outlineCount[1] = 4;
  memcpy(s->outline[1], block, sizeof block);
  s->motion[1].angle[0] = randomBetween(g, 0, 1);
  s->motion[1].angle[1] = randomBetween(g, -0.3, 0.3);
  s->motion[1].shift[0][1] = 0.65 + y + randomBetween(g, 0.05, 0.9) * lift;
  s->motion[1].shift[1][1] = randomBetween(g, -0.1, 0.1);
  for (int k = 0; k < 2; ++k) {
    makePrism(&s->mesh[k], (const double(*)[2])s->outline[k], s->outlineCount[k], k == 0 ? 0.3 : 0.2);
    s->solid[k] = true;
  }
}

static void randomTetrahedron(inverseRandom *g, smallMesh *m, double size) {
  double p[4][3];
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) p[i][k] = randomBetween(g, -size, size) + size * (i == k + 1 ? 1.5 : 0.0);
  makeTetrahedron(m, (const double(*)[3])p);
}

/* An open thread turns past a pin that does not quite follow it. */
static void makeThreadAndPin(inverseRandom *g, scenario *s) {
  restMotion(&s->motion[0]);
  restMotion(&s->motion[1]);
  double pitch = randomBetween(g, 0.3, 0.5), turn = 2 * INVERSE_PI * randomBetween(g, 1, 3);
  makeThread(&s->mesh[0], 0.5, 0.25, pitch, 3, 8);
  s->solid[0] = false;
  s->motion[0].angle[0] = randomBetween(g, 0, 6);
  s->motion[0].angle[1] = turn;
  randomTetrahedron(g, &s->mesh[1], randomBetween(g, 0.02, 0.06));
  s->solid[1] = true;
  s->motion[1].axis[0] = randomBetween(g, -1, 1);
  s->motion[1].angle[1] = randomBetween(g, -5, 5);
  s->motion[1].shift[0][0] = randomBetween(g, 0.55, 0.65);
  s->motion[1].shift[0][2] = randomBetween(g, -0.3, 0.3);
  s->motion[1].shift[1][2] = -pitch * turn / (2 * INVERSE_PI) * randomBetween(g, 0.6, 1.4);
}

static void makeTumblers(inverseRandom *g, scenario *s) {
  for (int k = 0; k < 2; ++k) {
    plainMotion *m = &s->motion[k];
    restMotion(m);
    for (int i = 0; i < 3; ++i) {
      m->axis[i] = randomBetween(g, -1, 1);
      for (int p = 0; p < 4; ++p) m->shift[p][i] = randomBetween(g, -1, 1) * (p == 0 ? 0.6 : 0.7);
    }
    m->angle[1] = randomBetween(g, -12, 12);
    for (int i = 0; i < 9; ++i) m->stretch[i] = randomBetween(g, -0.3, 0.3);
    s->solid[k] = randomBetween(g, 0, 1) < 0.8;
    if (randomBetween(g, 0, 1) < 0.5)
      randomTetrahedron(g, &s->mesh[k], randomBetween(g, 0.2, 0.5));
    else
      makeBlock(&s->mesh[k], randomBetween(g, 0.05, 0.7), randomBetween(g, 0.05, 0.5), randomBetween(g, 0.05, 0.5));
  }
}

static void runFamily(const char *name, void (*make)(inverseRandom *, scenario *), truthAt truth, int cases,
                      int samples, uint64_t seed, int severalAtLeast) {
  static scenario s;
  totals sum = {0};
  for (int i = 0; i < cases; ++i) {
    inverseRandom g = {seed + (uint64_t)i * 7919u};
    memset(&s, 0, sizeof s);
    make(&g, &s);
    judge(&s, truth, samples, name, g.state, &sum);
  }
  print_message("%s: %d cases, %d intervals, %d with several, %llu cells, widest end %.2g\n", name, sum.cases,
                sum.intervals, sum.several, (unsigned long long)sum.cells, sum.widest);
  assert_int_equal(sum.wrong, 0);
  assert_true(sum.widest <= 1e-9);
  assert_true(sum.several >= severalAtLeast);
}

CASE(gears_hit_tooth_by_tooth_and_no_interval_is_missing_or_invented) {
  runFamily("gears", makeGears, planeTruth, 80, 500, 11, 60);
}
CASE(cams_lift_and_leave_and_no_interval_is_missing_or_invented) {
  runFamily("cams", makeCam, planeTruth, 80, 500, 22, 50);
}
CASE(a_pin_meets_a_thread_again_and_again_and_no_interval_is_missing_or_invented) {
  runFamily("threads", makeThreadAndPin, spaceTruth, 70, 300, 33, 25);
}
CASE(deforming_tumblers_lose_no_contact_interval) { runFamily("tumblers", makeTumblers, spaceTruth, 80, 300, 44, 8); }

/* All faces that cross do so along their borders, and all others slide in one plane. */
CASE(blocks_in_line_are_proven_in_contact_from_touch_to_touch) {
  static scenario s;
  brinkIntervalSet set = {0};
  memset(&s, 0, sizeof s);
  for (int k = 0; k < 2; ++k) {
    restMotion(&s.motion[k]);
    makeBlock(&s.mesh[k], 0.5, 0.5, 0.5);
    s.solid[k] = true;
  }
  s.motion[1].shift[0][0] = -4;
  s.motion[1].shift[1][0] = 7; /* touches at x = -1 and x = 1 */
  askScenario(&s, &set);
  assert_int_equal(set.count, 1);
  assert_true(set.items[0].proven && set.items[0].openInside == 0);
  assert_true(set.items[0].startLower <= 3.0 / 7 && set.items[0].startUpper >= 3.0 / 7 - 1e-15 &&
              set.items[0].endUpper >= 5.0 / 7);
  assert_true(set.items[0].startUpper - set.items[0].startLower <= 1.1e-9 &&
              set.items[0].endUpper - set.items[0].endLower <= 1.1e-9);
  brinkIntervalSet_Free(&context, &set);
}

/* Two bars pass each other crosswise, 1e-9 apart, while both turn: free, and found to be so with little work. */
CASE(crossed_bars_a_nanometre_apart_are_proven_free) {
  static scenario s;
  brinkIntervalSet set = {0};
  memset(&s, 0, sizeof s);
  for (int k = 0; k < 2; ++k) {
    restMotion(&s.motion[k]);
    s.solid[k] = true;
    s.motion[k].angle[1] = 2;
  }
  makeBlock(&s.mesh[0], 1, 0.1, 0.1);
  makeBlock(&s.mesh[1], 0.1, 1, 0.1);
  s.motion[1].axis[2] = 0;
  s.motion[1].axis[1] = 1;
  s.motion[1].angle[0] = INVERSE_PI / 4 - 1; /* at t = 1/2 its edge points down at the other's face */
  s.motion[1].shift[0][2] = 0.1 + 0.1 * sqrt(2.0) + 1e-9;
  askScenario(&s, &set);
  assert_int_equal(set.count, 0);
  assert_true(set.openTotal == 0.0 && set.cells < 5000);
  brinkIntervalSet_Free(&context, &set);
}

int main(void) {
  brinkInitContext(&context);
  return cases_Run(NULL, NULL);
}
