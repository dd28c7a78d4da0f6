/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges of the hulls inside a blob, for pictures: those of a cube, a hull and a flat square are the known ones, each
 * depth holds all vertices, damaged blobs are refused. */
#include "cases.h"
#include "mesh_support.h"

#include "brink/cook.h"

static void *cook(const double *vertices, size_t vertexCount, const uint32_t *indices, size_t triangleCount,
                  size_t *size) {
  brinkMeshView view = {sizeof view, 0, vertices, vertexCount, indices, triangleCount};
  void *blob = NULL;
  char message[256];
  if (brinkCook(&view, NULL, &blob, size, message, sizeof message) != brink_ok) fail_msg("%s", message);
  return blob;
}

static size_t edgesOf(const void *blob, size_t size, uint32_t depth, double **edges) {
  size_t count = 0, again = 0;
  assert_int_equal(brinkBlobHullEdges(blob, size, depth, NULL, 0, &count), brink_ok);
  *edges = malloc((6 * count + 1) * sizeof **edges);
  assert_non_null(*edges);
  assert_int_equal(brinkBlobHullEdges(blob, size, depth, *edges, count, &again), brink_ok);
  assert_int_equal(count, again);
  return count;
}

CASE(a_cube_has_twelve_edges_and_no_diagonal) {
  static const uint32_t faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                        {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  double corners[8][3], *edges;
  size_t size;
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) corners[i][k] = (i >> (2 - k)) & 1 ? 5.25 : 5;
  void *blob = cook(corners[0], 8, faces[0], 12, &size);
  size_t count = edgesOf(blob, size, 0, &edges);
  assert_int_equal(count, 12);
  for (size_t i = 0; i < count; ++i) {
    double square = 0;
    for (int k = 0; k < 3; ++k)
      square += (edges[6 * i + k] - edges[6 * i + 3 + k]) * (edges[6 * i + k] - edges[6 * i + 3 + k]);
    assert_true(fabs(square - 0.0625) < 1e-12);
  }
  free(edges);
  brinkFreeBlob(blob);
}

CASE(a_flat_square_has_four_edges) {
  static const double corners[4][3] = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const uint32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
  double *edges;
  size_t size;
  void *blob = cook(corners[0], 4, faces[0], 2, &size);
  assert_int_equal(edgesOf(blob, size, 0, &edges), 4);
  free(edges);
  brinkFreeBlob(blob);
}

/* A ragged tube: 3 V - 6 edges for a hull of V vertices in general position; deeper cuts have more hulls, and their
 * edges span as much as the mesh. */
CASE(every_depth_spans_the_mesh) {
  enum { rings = 24, around = 12, vertexCount = rings * around };
  static double v[vertexCount][3];
  static uint32_t faces[2 * (rings - 1) * around][3];
  testRandom random = {7};
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  size_t size, t = 0, first = 0, last = 0;
  for (int i = 0; i < vertexCount; ++i) {
    double a = 6.283185307179586 * (i % around) / around;
    v[i][0] = 0.2 * (i / around), v[i][1] = cos(a), v[i][2] = sin(a);
    for (int k = 0; k < 3; ++k) v[i][k] += testRandom_Range(&random, -0.05, 0.05);
    for (int k = 0; k < 3; ++k) low[k] = fmin(low[k], v[i][k]), high[k] = fmax(high[k], v[i][k]);
  }
  for (uint32_t j = 0; j + 1 < rings; ++j)
    for (uint32_t i = 0; i < around; ++i) {
      uint32_t a = j * around + i, b = j * around + (i + 1) % around;
      uint32_t two[2][3] = {{a, b, b + around}, {a, b + around, a + around}};
      memcpy(faces[t], two, sizeof two);
      t += 2;
    }
  void *blob = cook(v[0], vertexCount, faces[0], t, &size);
  for (uint32_t depth = 0; depth < 12; ++depth) {
    double *edges, span[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    size_t count = edgesOf(blob, size, depth, &edges);
    last = count;
    if (depth == 0) first = count;
    for (size_t i = 0; i < 2 * count; ++i)
      for (int k = 0; k < 3; ++k)
        span[0][k] = fmin(span[0][k], edges[3 * i + k]), span[1][k] = fmax(span[1][k], edges[3 * i + k]);
    for (int k = 0; k < 3; ++k) assert_true(span[0][k] <= low[k] && span[1][k] >= high[k]);
    free(edges);
  }
  assert_true(first >= 12 && last > 10 * first);
  ((unsigned char *)blob)[size / 2] ^= 1;
  assert_int_equal(brinkBlobHullEdges(blob, size, 0, NULL, 0, &first), brink_errorParse);
  brinkFreeBlob(blob);
  assert_int_equal(brinkBlobHullEdges(NULL, 0, 0, NULL, 0, NULL), brink_errorNullArgument);
}

int main(void) { return cases_Run(NULL, NULL); }
