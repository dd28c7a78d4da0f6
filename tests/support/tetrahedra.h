/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_TETRAHEDRA_H
#define BRINK_TESTS_TETRAHEDRA_H
/* For tests: regular tetrahedra, as hulls and as solid meshes, corners at (+-size, +-size, +-size). */
#include "plugin_support.h"

static const double tetrahedron[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
static const uint32_t tetrahedronFaces[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};

static inline brinkShapeId newTetrahedron(brinkWorld *world, double size, bool convex) {
  double vertices[12];
  for (int i = 0; i < 12; ++i) vertices[i] = size * tetrahedron[i];
  brinkShapeDef def = shapeDef(convex ? brink_hull : brink_mesh, vec(0, 0, 0));
  def.mesh.flags = convex ? BRINK_MESH_CONVEX : BRINK_MESH_SOLID;
  def.mesh.vertices = vertices;
  def.mesh.vertexCount = 4;
  def.mesh.indices = tetrahedronFaces;
  def.mesh.triangleCount = 4;
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

#endif
