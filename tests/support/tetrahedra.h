/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_TETRAHEDRA_H
#define BRINK_TESTS_TETRAHEDRA_H
/* For tests: regular tetrahedra, as hulls and as solid meshes, corners at (+-size, +-size, +-size). */
#include "brink/linear.h"
#include "plugin_support.h"

static const double tetrahedron[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
static const uint32_t tetrahedronFaces[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};

static inline brinkShapeId newTetrahedron(brinkWorld *world, double size, bool convex) {
  double vertices[12];
  for (int i = 0; i < 12; ++i) vertices[i] = size * tetrahedron[i];
  brinkShapeDef def = surfaceDef(convex ? brink_hull : brink_mesh, vertices, 4, tetrahedronFaces, 4);
  def.mesh.flags = convex ? BRINK_MESH_CONVEX : BRINK_MESH_SOLID;
  return shapeFrom(world, &def);
}

/* One whose vertices move on straight lines. */
static inline brinkLinearBody movingTetrahedron(const double start[12], const double end[12]) {
  return (brinkLinearBody){.structSize = sizeof(brinkLinearBody),
                           .vertices0 = start,
                           .vertices1 = end,
                           .vertexCount = 4,
                           .simplices = tetrahedronFaces,
                           .simplexCount = 4};
}

#endif
