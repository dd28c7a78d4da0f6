/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a point inside a closed mesh? Crossings against solid angles, and rays that are made to run through vertices. */
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
