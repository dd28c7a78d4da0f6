/* SPDX-License-Identifier: BSD-3-Clause */
/* The wide tree of boxes: what it promises about every triangle below every box, checked in 80-bit floats against the
 * mesh as it was given. */
#include "cases.h"
#include <stdlib.h>

#include "box_tree.h"

#include "contact_support.h"
#include "rounding_modes.h"

typedef struct soup {
  double *vertices;
  uint32_t *indices;
  size_t vertexCount, triangleCount;
} soup;

static soup makeSoup(size_t vertexCount, size_t triangleCount) {
  soup s = {calloc(3 * vertexCount, sizeof(double)), calloc(3 * triangleCount, sizeof(uint32_t)), vertexCount,
            triangleCount};
  assert_non_null(s.vertices);
  assert_non_null(s.indices);
  return s;
}
static void dropSoup(soup *s) {
  free(s->vertices);
  free(s->indices);
}

/* A bumpy sheet with some triangles that are points and segments, `size` wide, its middle at `place`. */
static soup makeBumps(generator *g, size_t side, double size, brinkVec3 place) {
  soup s = makeSoup(side * side, 2 * (side - 1) * (side - 1));
  for (size_t i = 0; i < side * side; ++i) {
    double *v = &s.vertices[3 * i], step = size / (double)(side - 1);
    v[0] = place.x + step * ((double)(i / side) + uniform(g, -0.3, 0.3)) - 0.5 * size;
    v[1] = place.y + step * ((double)(i % side) + uniform(g, -0.3, 0.3)) - 0.5 * size;
    v[2] = place.z + uniform(g, -0.1, 0.1) * size;
  }
  size_t t = 0;
  for (size_t i = 0; i + 1 < side; ++i)
    for (size_t j = 0; j + 1 < side; ++j) {
      uint32_t a = (uint32_t)(i * side + j), b = a + (uint32_t)side;
      const uint32_t corners[6] = {a, b, a + 1, a + 1, b, b + 1};
      memcpy(&s.indices[3 * t], corners, sizeof corners);
      if (nextBits(g) % 16 == 0) s.indices[3 * t + 1] = a;                            /* a segment */
      if (nextBits(g) % 16 == 0) s.indices[3 * t + 3] = s.indices[3 * t + 4] = b + 1; /* a point */
      t += 2;
    }
  return s;
}

static brinkObbTree build(brinkContext *context, const soup *s, int mode) {
  brinkObbTree tree;
  enterMode(mode);
  brinkStatus status = brinkMakeObbTree(context, s->vertices, s->vertexCount, s->indices, s->triangleCount, &tree);
  leaveMode();
  if (status != brink_ok) fail_msg("%s", context->message);
  return tree;
}

/* Coefficients of d in the box's axes (Cramer's rule). */
static void coefficients(const brinkObbBox *box, const long double d[3], long double s[3]) {
  long double m[3][3];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) m[i][k] = (long double)box->axes[k][i];
#define DET(a, b, c)                                                                                       \
  (m[0][a] * (m[1][b] * m[2][c] - m[1][c] * m[2][b]) - m[0][b] * (m[1][a] * m[2][c] - m[1][c] * m[2][a]) + \
   m[0][c] * (m[1][a] * m[2][b] - m[1][b] * m[2][a]))
  long double whole = DET(0, 1, 2);
#undef DET
  for (int k = 0; k < 3; ++k) {
    long double c[3][3];
    memcpy(c, m, sizeof c);
    for (int i = 0; i < 3; ++i) c[i][k] = d[i];
    s[k] = (c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) - c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
            c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0])) /
           whole;
  }
}

/* Both sets a box stands for, and its ball, hold the vertex (mesh frame). */
static void assertHolds(const brinkObbTree *tree, const brinkObbBox *box, const double vertex[3]) {
  const double origin[3] = {tree->origin.x, tree->origin.y, tree->origin.z};
  long double d[3], square = 0, s[3];
  for (int i = 0; i < 3; ++i) {
    d[i] = (long double)vertex[i] - (long double)origin[i] - (long double)box->center[i];
    square += d[i] * d[i];
  }
  coefficients(box, d, s);
  for (int k = 0; k < 3; ++k) {
    long double along = 0;
    for (int i = 0; i < 3; ++i) along += (long double)box->axes[k][i] * d[i];
    if (fabsl(along) > (long double)box->half[k])
      fail_msg("axis %d: %.20Lg beyond %.9g", k, along, (double)box->half[k]);
    if (fabsl(s[k]) > (long double)box->half[k])
      fail_msg("coefficient %d: %.20Lg beyond %.9g", k, s[k], (double)box->half[k]);
  }
  if (square > (long double)box->radius * (long double)box->radius) fail_msg("outside the ball: %.20Lg", sqrtl(square));
}

typedef struct walkState {
  const soup *mesh;
  const brinkObbTree *tree;
  brinkObbBox path[64]; /* boxes above */
  unsigned *seen;
  double largest; /* distance of a box's centre from the origin */
} walkState;

static void walk(walkState *w, const brinkObbBox *box, int depth) {
  assert_true(depth < 64);
  w->path[depth] = *box;
  double x = (double)box->center[0], y = (double)box->center[1], z = (double)box->center[2];
  w->largest = fmax(w->largest, sqrt(x * x + y * y + z * z));
  if (box->child >= 0) {
    assert_true((uint32_t)box->child < w->tree->nodeCount);
    for (int lane = 0; lane < BRINK_OBB_WIDTH; ++lane) {
      brinkObbBox child;
      int32_t reference = box->child * BRINK_OBB_WIDTH + lane;
      brinkObbTree_Box(w->tree, reference, &child);
      if (child.child == BRINK_OBB_EMPTY)
        assert_true(child.half[0] < -1e17f && child.half[1] < -1e17f && child.half[2] < -1e17f && child.radius == 0);
      else
        walk(w, &child, depth + 1);
    }
    return;
  }
  uint32_t first = brinkObbLeaf_First(box->child), count = brinkObbLeaf_Count(box->child);
  assert_true(count >= 1 && count <= BRINK_OBB_LEAF_TRIANGLES && first + count <= w->tree->triangleCount);
  for (uint32_t i = first; i < first + count; ++i) {
    const brinkObbTriangle *triangle = &w->tree->triangles[i];
    assert_true(triangle->slot < w->mesh->triangleCount);
    w->seen[triangle->slot]++;
    const double origin[3] = {w->tree->origin.x, w->tree->origin.y, w->tree->origin.z};
    for (int k = 0; k < 3; ++k) {
      const double *vertex = &w->mesh->vertices[3 * (size_t)w->mesh->indices[3 * (size_t)triangle->slot + (size_t)k]];
      for (int level = 0; level <= depth; ++level) assertHolds(w->tree, &w->path[level], vertex);
      long double square = 0;
      for (int c = 0; c < 3; ++c) {
        long double exact = (long double)vertex[c] - (long double)origin[c],
                    d = exact - (long double)triangle->center[c];
        assert_true(fabsl((long double)triangle->vertices[k][c] - exact) <= 0x1p-52L * fabsl(exact));
        square += d * d;
      }
      assert_true(square <= (long double)triangle->radius * (long double)triangle->radius);
    }
  }
}

static void checkTree(brinkContext *context, const soup *s) {
  static int mode; /* one after the other: the promise holds in each */
  brinkObbTree tree = build(context, s, mode++);
  walkState w = {.mesh = s, .tree = &tree, .seen = calloc(s->triangleCount, sizeof(unsigned))};
  assert_non_null(w.seen);
  walk(&w, &tree.root, 0);
  for (size_t i = 0; i < s->triangleCount; ++i) assert_int_equal(w.seen[i], 1);
  assert_true(w.largest <= (double)tree.scale);
  free(w.seen);
  brinkFreeObbTree(context, &tree);
}

CASE(every_triangle_is_inside_all_boxes_above_it) {
  brinkContext context;
  brinkInitContext(&context);
  const double sizes[5] = {1e-6, 1e-3, 1, 1e3, 1e6}, places[3] = {0, 1, 1e6};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j) {
      generator g = {(uint64_t)(100 * i + j)};
      brinkVec3 place = brinkScale(randomDirection(&g), places[j] * sizes[i]);
      if (j == 2) place = brinkScale(place, 1 / sizes[i]); /* 1e6 from the origin, whatever the size */
      soup s = makeBumps(&g, 9, sizes[i], place);
      checkTree(&context, &s);
      dropSoup(&s);
    }
}

CASE(a_large_mesh_keeps_the_promise) {
  brinkContext context;
  brinkInitContext(&context);
  generator g = {7};
  soup s = makeBumps(&g, 65, 40, brinkV3(500, -20, 3));
  checkTree(&context, &s);
  dropSoup(&s);
}

CASE(needles_points_and_coincident_triangles_are_kept) {
  brinkContext context;
  brinkInitContext(&context);
  generator g = {8};
  soup s = makeSoup(30, 40);
  for (size_t i = 0; i < 90; ++i) s.vertices[i] = uniform(&g, -1, 1) * (i % 3 == 2 ? 1e-7 : 1);
  for (size_t i = 0; i < 120; ++i) s.indices[i] = i < 60 ? (uint32_t)(i % 3) : (uint32_t)(nextBits(&g) % 30);
  checkTree(&context, &s);
  dropSoup(&s);
  for (size_t count = 1; count <= 3; ++count) { /* all on one point, far out */
    s = makeSoup(1, count);
    s.vertices[0] = 1e6;
    s.vertices[1] = -3e5;
    s.vertices[2] = 0.1;
    checkTree(&context, &s);
    dropSoup(&s);
  }
}

CASE(the_same_mesh_gives_the_same_bits) {
  brinkContext context;
  brinkInitContext(&context);
  generator g = {9};
  soup s = makeBumps(&g, 17, 3, brinkV3(1, 2, 3));
  brinkObbTree a = build(&context, &s, 0), b = build(&context, &s, 0);
  assert_int_equal(a.nodeCount, b.nodeCount);
  assert_true(a.scale == b.scale);
  assert_memory_equal(a.nodes, b.nodes, a.nodeCount * sizeof *a.nodes);
  for (uint32_t i = 0; i < a.triangleCount; ++i) assert_int_equal(a.triangles[i].slot, b.triangles[i].slot);
  brinkFreeObbTree(&context, &a);
  brinkFreeObbTree(&context, &b);
  dropSoup(&s);
}

/* Two triangles of a square that is folded by a little along its diagonal lie within half a height of a plane across
 * both diagonals; the plane of either triangle leaves twice as much, and a question then asks most leaves in vain. */
CASE(the_box_of_a_folded_square_is_no_thicker_than_its_fold) {
  brinkContext context;
  brinkInitContext(&context);
  for (int turn = 0; turn < 4; ++turn) {
    soup s = makeSoup(4, 2);
    const double fold = 0.05, corners[4][3] = {{0, 0, 0}, {1, 0, fold}, {1, 1, 0}, {0, 1, fold}};
    const brinkMat3 rotation = brinkExp3(brinkScale(brinkV3(0.1, 0.2, 0.3), turn));
    for (int i = 0; i < 4; ++i) {
      const brinkVec3 p = brinkMulMV(&rotation, brinkV3_FromArray(corners[i]));
      s.vertices[3 * i] = p.x;
      s.vertices[3 * i + 1] = p.y;
      s.vertices[3 * i + 2] = p.z;
    }
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    memcpy(s.indices, indices, sizeof indices);
    brinkObbTree tree;
    assert_int_equal(brinkMakeObbTree(&context, s.vertices, 4, s.indices, 2, &tree), brink_ok);
    const float *h = tree.root.half;
    const float thin = h[0] < h[1] ? (h[0] < h[2] ? h[0] : h[2]) : (h[1] < h[2] ? h[1] : h[2]);
    assert_true((double)thin < 0.5 * fold * 1.001);
    brinkFreeObbTree(&context, &tree);
    dropSoup(&s);
  }
}

CASE(sizes_beyond_single_precision_are_refused) {
  brinkContext context;
  brinkInitContext(&context);
  soup s = makeSoup(3, 1);
  s.indices[1] = 1;
  s.indices[2] = 2;
  const double sizes[4] = {1e-12, 1e10, 1e200, INFINITY};
  for (int i = 0; i < 4; ++i) {
    s.vertices[3] = sizes[i];
    s.vertices[7] = sizes[i];
    brinkObbTree tree;
    assert_int_equal(brinkMakeObbTree(&context, s.vertices, 3, s.indices, 1, &tree), brink_errorRange);
    assert_null(tree.nodes);
    assert_null(tree.triangles);
    assert_true(context.message[0] != 0);
  }
  brinkObbTree tree;
  assert_int_equal(brinkMakeObbTree(&context, s.vertices, 3, s.indices, 0, &tree), brink_errorEmpty);
  dropSoup(&s);
}

int main(void) { return cases_Run(NULL, NULL); }
