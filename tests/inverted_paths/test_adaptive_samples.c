/* SPDX-License-Identifier: BSD-3-Clause */
/* Adaptive samples: what lies in no piece never meets the other body, what lies in one enters and leaves within its
 * brackets, every edge piece has a sample within the spacing, and it is less work than samples everywhere. Truth:
 * random points of the surface, each followed on its own, and closed forms of a ball. */
#include <stdio.h>
#include <stdlib.h>
#include "cases.h"
#include "interfering_subsets.h"
#include "interval_arithmetic.h"
#include "inverse_factors.h"
#include "inverse_support.h"

static brinkContext context;

static void ballBound(void *user, const double low[3], const double high[3], double out[2]) {
  double r = *(const double *)user;
  brinkInterval sum = {-r * r * (1 + 1e-15), -r * r * (1 - 1e-15)};
  for (int k = 0; k < 3; ++k) sum = brinkInterval_Add(sum, brinkInterval_Sqr((brinkInterval){low[k], high[k]}));
  out[0] = sum.lo;
  out[1] = sum.hi;
}
static void ballGradient(void *user, const double low[3], const double high[3], double out[3][2]) {
  (void)user;
  for (int k = 0; k < 3; ++k) {
    out[k][0] = 2 * low[k];
    out[k][1] = 2 * high[k];
  }
}

/* A ball of n x 2n cells, squeezed and rippled. */
static void makeBall(smallMesh *m, int n, double x, double y, double z, double ripple) {
  m->vertexCount = m->triangleCount = 0;
  uint32_t across = 2 * (uint32_t)n;
  for (int i = 1; i < n; ++i)
    for (uint32_t j = 0; j < across; ++j) {
      double a = INVERSE_PI * i / n, b = 2 * INVERSE_PI * j / across, r = 1 + ripple * sin(5 * a) * cos(4 * b);
      addVertex(m, x * r * sin(a) * cos(b), y * r * sin(a) * sin(b), z * r * cos(a));
    }
  uint32_t top = addVertex(m, 0, 0, z), bottom = addVertex(m, 0, 0, -z);
  for (uint32_t j = 0; j < across; ++j) {
    uint32_t next = (j + 1) % across, last = ((uint32_t)n - 2) * across;
    addTriangle(m, top, j, next);
    addTriangle(m, bottom, last + next, last + j);
    for (uint32_t i = 0; i + 2 < (uint32_t)n; ++i) {
      addTriangle(m, i * across + j, (i + 1) * across + j, (i + 1) * across + next);
      addTriangle(m, i * across + j, (i + 1) * across + next, i * across + next);
    }
  }
}

static void countdown(void *user, size_t count, void (*task)(void *, size_t), void *data) {
  (void)user;
  for (size_t i = count; i-- > 0;) task(data, i);
}

/* Is p in the piece, as far as rounding tells? */
static bool holds(const brinkSubsetPiece *piece, const double p[3]) {
  double u[3], v[3], w[3], uu = 0, uv = 0, vv = 0, uw = 0, vw = 0;
  for (int k = 0; k < 3; ++k) {
    u[k] = piece->corners[1][k] - piece->corners[0][k];
    v[k] = piece->corners[2][k] - piece->corners[0][k];
    w[k] = p[k] - piece->corners[0][k];
    uu += u[k] * u[k];
    uv += u[k] * v[k];
    vv += v[k] * v[k];
    uw += u[k] * w[k];
    vw += v[k] * w[k];
  }
  double det = uu * vv - uv * uv, s = (vv * uw - uv * vw) / det, t = (uu * vw - uv * uw) / det;
  return s >= -1e-9 && t >= -1e-9 && s + t <= 1 + 1e-9;
}

typedef struct tally {
  size_t met, in, edge, missed;
} tally;

/* Random points of B's surface, each on its own, against the pieces. */
static tally compare(const brinkInverseTarget *a, const brinkInverseMesh *b, const brinkMotionTable *table,
                     const brinkPieceSet *set, double spacing, uint64_t seed) {
  tally r = {0, 0, 0, 0};
  inverseRandom g = {seed};
  for (int i = 0; i < 600; ++i) {
    uint32_t triangle = (uint32_t)randomBetween(&g, 0, (double)b->triangleCount - 1e-9);
    double s = randomBetween(&g, 0, 1), t = randomBetween(&g, 0, 1 - s), x[3];
    for (int k = 0; k < 3; ++k)
      x[k] = (1 - s - t) * brinkInverseMesh_Vertex(b, triangle, 0)[k] + s * brinkInverseMesh_Vertex(b, triangle, 1)[k] +
             t * brinkInverseMesh_Vertex(b, triangle, 2)[k];
    brinkContactInterval found[16];
    const brinkPointQuery query = {.timeTolerance = 1e-8};
    size_t count = brinkPointContacts(a, table, x, &query, found, 16);
    if (count == 0 || count > 16 || !found[0].proven || !found[count - 1].proven) continue;
    r.met += 1;
    bool held = false;
    for (size_t k = 0; k < set->count; ++k) {
      const brinkSubsetPiece *piece = &set->pieces[k];
      if (piece->triangle != triangle || !holds(piece, x)) continue;
      held = true;
      /* the point's own brackets end in or after the piece's beginning, and so on */
      assert_true(found[0].startUpper >= piece->entryLower && found[0].startLower <= piece->entryUpper + 1e-12);
      assert_true(found[count - 1].endLower <= piece->exitUpper &&
                  found[count - 1].endUpper >= piece->exitLower - 1e-12);
      double square = 0;
      for (int c = 0; c < 3; ++c) square += (x[c] - set->centers[3 * k + c]) * (x[c] - set->centers[3 * k + c]);
      if (piece->state == brink_pieceEdge) assert_true(sqrt(square) <= spacing * (1 + 1e-9));
      r.in += piece->state == brink_pieceIn ? 1u : 0u;
      r.edge += piece->state == brink_pieceEdge ? 1u : 0u;
    }
    r.missed += held ? 0u : 1u;
  }
  return r;
}

typedef struct work {
  size_t pieces, asked;
  double uniform;
  uint64_t cells, uniformCells;
} work;

static work askBoth(const brinkInverseTarget *a, const brinkInverseMesh *b, const brinkRelativeMotion *motion,
                    double spacing, double spread, const char *name) {
  brinkMotionTable table;
  brinkPieceSet set = {0}, again = {0};
  brinkPointSet points = {0};
  brinkSamples samples = {0};
  const brinkPieceQuery query = {.spacing = spacing, .entrySpread = spread, .timeTolerance = 1e-9};
  const brinkPointQuery asked = {.timeTolerance = 1e-9};
  const brinkParallel alone = {0}, backwards = {countdown, NULL};
  assert_int_equal(brinkMotionTable_Make(&context, motion, 0, 1, &table), brink_ok);
  assert_int_equal(brinkFindPieces(&context, a, b, &table, &query, &alone, &set), brink_ok);
  assert_int_equal(brinkFindPieces(&context, a, b, &table, &query, &backwards, &again), brink_ok);
  assert_true(set.count == again.count && set.asked == again.asked && set.cells == again.cells);
  for (size_t i = 0; i < set.count; ++i) {
    assert_memory_equal(&set.pieces[i], &again.pieces[i], sizeof set.pieces[i]);
    const brinkSubsetPiece *p = &set.pieces[i];
    assert_true(p->entryLower <= p->entryUpper && p->exitLower <= p->exitUpper && p->entryLower <= p->exitUpper);
  }
  assert_true(set.spacing <= spacing);
  tally seen = compare(a, b, &table, &set, spacing, 99);
  if (seen.missed > 0) print_error("%s: %zu of %zu points are in no piece\n", name, seen.missed, seen.met);
  assert_int_equal(seen.missed, 0);
  assert_true(seen.met > 0 && seen.in + seen.edge >= seen.met);
  /* the work: pieces and their samples beside samples everywhere */
  double *edges = malloc(3 * (set.count + 1) * sizeof(double));
  size_t edgeCount = 0;
  for (size_t i = 0; i < set.count; ++i)
    if (set.pieces[i].state == brink_pieceEdge)
      memcpy(edges + 3 * edgeCount++, set.centers + 3 * i, 3 * sizeof(double));
  assert_int_equal(brinkFindPointContacts(&context, a, &table, edges, edgeCount, &asked, &alone, &points), brink_ok);
  free(edges);
  work r = {.pieces = set.count, .asked = set.asked, .cells = set.cells + points.cells};
  assert_int_equal(brinkSamples_AddBoundary(&context, b, spacing, &samples), brink_ok);
  assert_int_equal(brinkFindPointContacts(&context, a, &table, samples.points, samples.count, &asked, &alone, &points),
                   brink_ok);
  r.uniform = brinkCountBoundary(b, spacing);
  assert_true(fabs(r.uniform - (double)samples.count) < 0.5);
  r.uniformCells = points.cells;
  if (getenv("BRINK_TEST_PRINT") != NULL)
    print_message(
        "%s: %zu pieces listed, %zu looked at, %llu cells; everywhere %zu points, %llu cells; %zu met, %zu in\n", name,
        set.count, set.asked, (unsigned long long)r.cells, samples.count, (unsigned long long)r.uniformCells, seen.met,
        seen.in);
  brinkPointSet_Free(&context, &points);
  brinkSamples_Free(&context, &samples);
  brinkPieceSet_Free(&context, &set);
  brinkPieceSet_Free(&context, &again);
  brinkMotionTable_Free(&context, &table);
  return r;
}

CASE(pieces_of_a_fine_ball_cover_what_meets_a_star_with_less_work) {
  static smallMesh m[2];
  const double star[10][2] = {{1, 0},        {0.35, 0.25}, {0.3, 0.95},   {-0.12, 0.4}, {-0.8, 0.6},
                              {-0.42, 0.01}, {-0.8, -0.6}, {-0.12, -0.4}, {0.3, -0.95}, {0.35, -0.25}};
  makePrism(&m[0], star, 10, 0.4);
  makeBall(&m[1], 10, 0.7, 0.6, 0.5, 0.1);
  brinkInverseMesh mesh[2];
  for (int k = 0; k < 2; ++k) {
    brinkMeshView view = viewOf(&m[k], true);
    assert_int_equal(brinkInverseMesh_Make(&context, &view, "body", &mesh[k]), brink_ok);
  }
  brinkInverseMotion a = {0}, b = {0};
  addTurn(&context, &a, 0.1, 0.2, 1, 0, 1.5);
  addShift(&context, &b, -2, 0.9, 0.3, 3.5, -0.2, 0.1);
  addTurn(&context, &b, 1, 1, 0, 0, -1);
  const brinkRelativeMotion motion = {&a, &b};
  const brinkInverseTarget target = {&mesh[0], NULL};
  work r = askBoth(&target, &mesh[1], &motion, 0.03, 0.25, "ball in star");
  assert_true((double)r.pieces < r.uniform);
  askBoth(&target, &mesh[1], &motion, 0.2, 0.02, "ball in star, short brackets");
  /* a graze: most of it is out */
  brinkInverseMotion far = {0};
  addShift(&context, &far, -2, 1.35, 0.3, 3.5, -0.2, 0.1);
  addTurn(&context, &far, 1, 1, 0, 0, -1);
  const brinkRelativeMotion graze = {&a, &far};
  r = askBoth(&target, &mesh[1], &graze, 0.03, 0.25, "ball grazes star");
  assert_true((double)r.pieces < 0.7 * r.uniform);
  brinkInverseMotion_Free(&context, &far);
  for (int k = 0; k < 2; ++k) brinkInverseMesh_Free(&context, &mesh[k]);
  brinkInverseMotion_Free(&context, &a);
  brinkInverseMotion_Free(&context, &b);
}

CASE(pieces_that_cross_an_open_sheet_are_bracketed) {
  static smallMesh m[2];
  m[0].vertexCount = m[0].triangleCount = 0;
  addVertex(&m[0], -1, -1, 0);
  addVertex(&m[0], 1, -1, 0.1);
  addVertex(&m[0], 1, 1, 0);
  addVertex(&m[0], -1, 1, 0.2);
  addTriangle(&m[0], 0, 1, 2);
  addTriangle(&m[0], 0, 2, 3);
  makeBlock(&m[1], 0.9, 0.8, 0.4);
  brinkInverseMesh mesh[2];
  for (int k = 0; k < 2; ++k) {
    brinkMeshView view = viewOf(&m[k], k == 1);
    assert_int_equal(brinkInverseMesh_Make(&context, &view, "body", &mesh[k]), brink_ok);
  }
  brinkInverseMotion b = {0};
  addShift(&context, &b, 0.6, 0.5, 1, 0, 0.1, -1.3);
  addTurn(&context, &b, 1, 0.3, 0, 0.2, 1);
  const brinkRelativeMotion motion = {NULL, &b};
  const brinkInverseTarget target = {&mesh[0], NULL};
  work r = askBoth(&target, &mesh[1], &motion, 0.03, 0.3, "block through sheet");
  assert_true((double)r.asked < r.uniform);
  for (int k = 0; k < 2; ++k) brinkInverseMesh_Free(&context, &mesh[k]);
  brinkInverseMotion_Free(&context, &b);
}

/* A ball of radius r rests, a block passes: the point x of it is in while |x + p(t)| <= r. Pieces and faces. */
CASE(pieces_and_faces_in_an_implicit_ball_keep_to_the_closed_forms) {
  static smallMesh m;
  makeBlock(&m, 0.6, 0.5, 0.4);
  brinkInverseMesh mesh;
  brinkMeshView view = viewOf(&m, true);
  assert_int_equal(brinkInverseMesh_Make(&context, &view, "block", &mesh), brink_ok);
  double radius = 0.45;
  for (int sharp = 0; sharp < 2; ++sharp) {
    const brinkImplicitSolid ball = {
        ballBound, &radius, {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}, sharp != 0 ? ballGradient : NULL};
    const brinkInverseTarget target = {NULL, &ball};
    brinkInverseMotion b = {0};
    addShift(&context, &b, -1.8, 0.6, 0.1, 3.6, 0, 0);
    const brinkRelativeMotion motion = {NULL, &b};
    work r = askBoth(&target, &mesh, &motion, 0.03, 0.25, sharp != 0 ? "block in ball" : "block in ball, plain");
    assert_true((double)r.asked < 0.7 * r.uniform && r.cells < r.uniformCells);
    if (sharp == 0) { /* the faces' brackets want gradients */
      brinkInverseMotion_Free(&context, &b);
      continue;
    }
    brinkMotionTable table;
    brinkFaceContact faces[2][16];
    assert_int_equal(brinkMotionTable_Make(&context, &motion, 0, 1, &table), brink_ok);
    const brinkImplicitPair pair = {.a = &ball, .meshB = &mesh, .motion = motion};
    const brinkParallel backwards = {countdown, NULL};
    assert_int_equal(brinkFindImplicitFaceContacts(&context, &pair, &table, 1e-9, &(brinkParallel){0}, faces[0]),
                     brink_ok);
    assert_int_equal(brinkFindImplicitFaceContacts(&context, &pair, &table, 1e-9, &backwards, faces[1]), brink_ok);
    assert_memory_equal(faces[0], faces[1], sizeof faces[0]);
    size_t meeting = 0;
    for (uint32_t i = 0; i < mesh.triangleCount; ++i) {
      /* nearest point of the triangle to the centre at -p(t), over time: sampled finely, so first <= true start + step
       */
      double first = 2, last = -1;
      for (int s = 0; s <= 500; ++s) {
        double t = s / 500.0, c[3] = {1.8 - 3.6 * t, -0.6, -0.1}, least = 1e9;
        for (int u = 0; u <= 16; ++u)
          for (int v = 0; u + v <= 16; ++v) {
            double square = 0;
            for (int k = 0; k < 3; ++k) {
              const double *p = brinkInverseMesh_Vertex(&mesh, i, 0), *q = brinkInverseMesh_Vertex(&mesh, i, 1),
                           *w = brinkInverseMesh_Vertex(&mesh, i, 2);
              double x = p[k] + (q[k] - p[k]) * u / 16 + (w[k] - p[k]) * v / 16 - c[k];
              square += x * x;
            }
            least = fmin(least, square);
          }
        if (least <= radius * radius) {
          first = fmin(first, t);
          last = fmax(last, t);
        }
      }
      const brinkFaceContact *face = &faces[0][i];
      meeting += face->state == brink_cellContact ? 1u : 0u;
      if (first < 2) { /* samples met: proven, not later than seen and not much before */
        assert_int_equal(face->state, brink_cellContact);
        assert_true(face->entryUpper <= first + 1e-9 && face->entryLower >= first - 0.08);
        assert_true(face->exitLower >= last - 1e-9 && face->exitUpper <= last + 0.08);
        assert_true(face->entryLower <= first && face->exitUpper >= last);
        assert_true(face->entryUpper - face->entryLower <= 1e-8);
      }
    }
    assert_true(meeting >= 4 && meeting < mesh.triangleCount);
    brinkMotionTable_Free(&context, &table);
    brinkInverseMotion_Free(&context, &b);
  }
  brinkInverseMesh_Free(&context, &mesh);
}

int main(void) {
  brinkInitContext(&context);
  return cases_Run(NULL, NULL);
}
