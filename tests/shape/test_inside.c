/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a point inside a closed mesh? Crossings against solid angles, and rays that are made to run through vertices. */
#include <time.h>

#include "cases.h"
#include "inside.h"

#include "contact_support.h"

CASE(crossings_and_solid_angles_agree) {
  brinkContext context;
  brinkInitContext(&context);
  meshData meshes[] = {makeBoxMesh(0.5, 0.3, 0.8), makeTetrahedronMesh(0.6), makeIcosahedronMesh(0.5, 0.7, 0.6),
                       makeStarMesh(5, 0.2, 0.9, 0.3), makeStarMesh(12, 0.6, 0.7, 0.05)};
  int inside = 0, outside = 0;
  for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; ++m) {
    brinkShape *shape = makeMeshShape(&context, &meshes[m], testMesh, BRINK_MESH_SOLID);
    generator g = {m};
    for (int i = 0; i < 4000; ++i) {
      brinkVec3 p = randomIn(&g, i % 2 == 0 ? 1.0 : 0.4);
      bool found = brinkIsInsideMesh(shape->tree, p);
      if (found != brinkHullTree_Contains(shape->tree, p)) fail_msg("mesh %zu point %g %g %g", m, p.x, p.y, p.z);
      inside += found;
      outside += !found;
    }
    brinkDestroyShape(&context, shape);
  }
  assert_true(inside > 1000 && outside > 1000);
}

CASE(points_in_line_with_vertices_and_edges_are_decided) {
  brinkContext context;
  brinkInitContext(&context);
  meshData mesh = makeStarMesh(4, 0.25, 1, 0.5);
  brinkShape *shape = makeMeshShape(&context, &mesh, testMesh, BRINK_MESH_SOLID);
  for (int i = 0; i < mesh.vertexCount; ++i) {
    brinkVec3 v = brinkV3_FromArray(&mesh.vertices[3 * i]);
    for (double s = 0; s < 2; s += 0.125) {
      brinkVec3 p = brinkScale(v, s); /* from the centre through the vertex */
      if (s != 1) assert_int_equal(brinkIsInsideMesh(shape->tree, p), s < 1);
      for (int k = 0; k < 3; ++k) { /* exactly below and beside vertices */
        double c[3] = {v.x, v.y, v.z};
        c[k] += 2.5;
        assert_false(brinkIsInsideMesh(shape->tree, brinkV3_FromArray(c)));
      }
    }
  }
  assert_false(brinkIsInsideMesh(shape->tree, brinkV3(NAN, 0, 0)));
  assert_false(brinkIsInsideMesh(shape->tree, brinkV3(1e300, 0, 0)));
  brinkDestroyShape(&context, shape);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { finest = 4000 };

/* s for a point just inside or outside of a bar of 40 m x 1 m x 1 m that is cut into so many pieces. */
static double askLongBar(int pieces) {
  static double vertices[12 * (finest + 1)];
  static uint32_t triangles[24 * finest + 12];
  unsigned count = 0;
  for (int i = 0; i <= pieces; ++i) {
    for (int k = 0; k < 4; ++k) {
      double *v = &vertices[3 * (4 * i + k)];
      v[0] = 40.0 * i / pieces, v[1] = k == 1 || k == 2, v[2] = (k >= 2) * (1 + 0.1 * (i % 3));
    }
    for (unsigned k = 0; i < pieces && k < 4; ++k) {
      const unsigned a = 4 * (unsigned)i + k, b = 4 * (unsigned)i + (k + 1) % 4,
                     quad[6] = {a, b + 4, b, a, a + 4, b + 4};
      for (int c = 0; c < 6; ++c) triangles[count++] = quad[c];
    }
  }
  const unsigned end = 4 * (unsigned)pieces,
                 caps[12] = {0, 1, 2, 0, 2, 3, end, end + 2, end + 1, end, end + 3, end + 2};
  for (int c = 0; c < 12; ++c) triangles[count++] = caps[c];
  brinkContext context;
  brinkInitContext(&context);
  brinkMeshView view = {.structSize = sizeof view,
                        .flags = BRINK_MESH_SOLID,
                        .vertices = vertices,
                        .vertexCount = 4 * ((size_t)pieces + 1),
                        .indices = triangles,
                        .triangleCount = count / 3};
  brinkShapeSpec spec = {.type = testMesh, .mesh = &view};
  brinkShape *shape = makeShape(&context, &spec);
  double best = HUGE_VAL;
  for (int round = 0; round < 5; ++round) {
    const double start = now();
    for (int i = 0; i < 200; ++i) {
      const double x = 0.3 + 39 * i / 200.0, y = 0.1 + 0.004 * i;
      assert_true(brinkIsInsideMesh(shape->tree, brinkV3(x, y, 0.97)));
      assert_false(brinkIsInsideMesh(shape->tree, brinkV3(x, y, -0.001)));
    }
    best = fmin(best, (now() - start) / 400);
  }
  brinkDestroyShape(&context, shape);
  return best;
}

/* Wide ground has a short way out of it: along the other one each of its triangles would be asked. */
CASE(long_meshes_are_left_by_the_short_way) {
  const double coarse = askLongBar(finest / 100), fine = askLongBar(finest);
  print_message("us a point: %.2f, of a bar with 100 times the triangles %.2f\n", 1e6 * coarse, 1e6 * fine);
  assert_true(fine < 4 * coarse);
}

CASE(open_meshes_have_no_inside) {
  brinkContext context;
  brinkInitContext(&context);
  meshData mesh = makeBoxMesh(1, 1, 1);
  --mesh.triangleCount;
  brinkShape *shape = makeMeshShape(&context, &mesh, testMesh, 0);
  assert_false(brinkIsInsideMesh(shape->tree, brinkV3(0, 0, 0)));
  brinkDestroyShape(&context, shape);
}

int main(void) { return cases_Run(NULL, NULL); }
