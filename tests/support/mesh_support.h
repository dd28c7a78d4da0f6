/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_MESH_SUPPORT_H
#define BRINK_TESTS_MESH_SUPPORT_H
/* Shared by the tests of convex, surface, hull_tree and shape: seeded random numbers, procedural meshes, and a context
 * that checks the size of every release and can run out of memory on purpose. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "test_random.h"
#include "base.h"
#include "linear.h"

#define PI 3.14159265358979323846

/* ---- random numbers */
static inline uint64_t testRandom_Bits(testRandom *random) { return splitBits(&random->state); }
static inline double testRandom_Range(testRandom *random, double low, double high) {
  return splitUniform(&random->state, low, high);
}
static inline uint32_t testRandom_Below(testRandom *random, uint32_t limit) {
  return (uint32_t)(testRandom_Bits(random) % limit);
}
static inline brinkVec3 testRandom_Vector(testRandom *random, double size) {
  double x = testRandom_Range(random, -size, size), y = testRandom_Range(random, -size, size);
  return brinkV3(x, y, testRandom_Range(random, -size, size));
}
static inline brinkMat3 testRandom_Rotation(testRandom *random) {
  brinkQuat q = {testRandom_Range(random, -1, 1), testRandom_Range(random, -1, 1), testRandom_Range(random, -1, 1),
                 0.3};
  brinkNormalizeQuat(&q);
  return brinkMat3_FromQuat(q);
}

/* ---- a context that counts bytes; fails from allocation `failAt` on (0 = never) */
typedef struct testMemory {
  size_t bytes;
  uint64_t count, failAt;
} testMemory;

static inline void *testMemory_Allocate(void *user, size_t size) {
  testMemory *memory = user;
  if (++memory->count >= memory->failAt && memory->failAt != 0) return NULL;
  size_t *block = malloc(size + 16);
  assert_non_null(block);
  block[0] = size;
  memory->bytes += size;
  return (char *)block + 16;
}
static inline void testMemory_Release(void *user, void *block, size_t size) {
  testMemory *memory = user;
  size_t *start = (size_t *)(void *)((char *)block - 16);
  assert_int_equal(start[0], size);
  memory->bytes -= size;
  free(start);
}
static inline brinkContext testMemory_Context(testMemory *memory) {
  brinkContext context;
  brinkInitContext(&context);
  context.user = memory;
  context.allocate = testMemory_Allocate;
  context.release = testMemory_Release;
  return context;
}

/* ---- meshes */
typedef struct testMesh {
  double *vertices;
  uint32_t *indices;
  uint32_t vertexCount, triangleCount;
} testMesh;

static inline testMesh testMesh_Make(uint32_t vertexCount, uint32_t triangleCount) {
  testMesh mesh = {malloc(24 * ((size_t)vertexCount + 1)), malloc(12 * ((size_t)triangleCount + 1)), vertexCount,
                   triangleCount};
  assert_non_null(mesh.vertices);
  assert_non_null(mesh.indices);
  return mesh;
}
static inline void testMesh_Free(testMesh *mesh) {
  free(mesh->vertices);
  free(mesh->indices);
}
static inline brinkMeshView testMesh_View(const testMesh *mesh, uint32_t flags) {
  return (brinkMeshView){sizeof(brinkMeshView), flags,         mesh->vertices,
                         mesh->vertexCount,     mesh->indices, mesh->triangleCount};
}
static inline const double *testMesh_Corner(const testMesh *mesh, uint32_t triangle, int k) {
  return &mesh->vertices[3 * (size_t)mesh->indices[3 * (size_t)triangle + k]];
}
static inline testMesh testMesh_Copy(const double *vertices, uint32_t vertexCount, const uint32_t *indices,
                                     uint32_t triangleCount) {
  testMesh mesh = testMesh_Make(vertexCount, triangleCount);
  memcpy(mesh.vertices, vertices, 24 * (size_t)vertexCount);
  memcpy(mesh.indices, indices, 12 * (size_t)triangleCount);
  return mesh;
}
/* Unit cube [0,1]^3, outward; the first `triangleCount` of its 12 triangles (the last two are the top). */
static inline testMesh testMesh_Cube(uint32_t triangleCount) {
  static const double vertices[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  static const uint32_t indices[36] = {0, 2, 1, 0, 3, 2, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5,
                                       2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7, 4, 5, 6, 4, 6, 7};
  return testMesh_Copy(vertices, 8, indices, triangleCount);
}
/* Quads over a grid of parameters in [0,1)^2, wrapped in u (and v); the third argument gives the point. */
static inline testMesh testMesh_Grid(uint32_t rows, uint32_t columns, bool wrapRows, bool wrapColumns,
                                     brinkVec3 (*point)(double u, double v)) {
  uint32_t across = rows + !wrapRows, along = columns + !wrapColumns;
  testMesh mesh = testMesh_Make(across * along, 2 * rows * columns);
  for (uint32_t i = 0; i < across; ++i)
    for (uint32_t j = 0; j < along; ++j) {
      brinkVec3 p = point((double)i / rows, (double)j / columns);
      double *to = &mesh.vertices[3 * (size_t)(i * along + j)];
      to[0] = p.x, to[1] = p.y, to[2] = p.z;
    }
  uint32_t *to = mesh.indices;
  for (uint32_t i = 0; i < rows; ++i)
    for (uint32_t j = 0; j < columns; ++j) {
      uint32_t a = i * along + j, b = (i + 1) % across * along + j;
      uint32_t c = (i + 1) % across * along + (j + 1) % along, d = i * along + (j + 1) % along;
      const uint32_t quad[6] = {a, b, c, a, c, d};
      memcpy(to, quad, sizeof quad);
      to += 6;
    }
  return mesh;
}
static inline brinkVec3 testKnotPoint(double u, double v) { /* torus knot (2,3), tube of 0.3; outward */
  double a = 4.0 * PI * u, r = 2.0 + cos(1.5 * a), c = -2.0 * PI * v;
  brinkVec3 center = {r * cos(a), r * sin(a), sin(1.5 * a)};
  brinkVec3 out = {cos(a), sin(a), 0.0};
  return brinkAdd(center, brinkAdd(brinkScale(out, 0.3 * cos(c)), brinkV3(0, 0, 0.3 * sin(c))));
}
static inline brinkVec3 testTerrainPoint(double u, double v) {
  return brinkV3(20.0 * u, 20.0 * v, 2.0 * sin(9.0 * u) * cos(7.0 * v) + 0.3 * sin(40.0 * u + 13.0 * v));
}
static inline testMesh testMesh_Knot(uint32_t rows, uint32_t columns) {
  return testMesh_Grid(rows, columns, true, true, testKnotPoint);
}
static inline testMesh testMesh_Terrain(uint32_t rows, uint32_t columns) {
  return testMesh_Grid(rows, columns, false, false, testTerrainPoint);
}
/* Closed sphere of radius 1 + bump * waves: poles are single vertices, rings between; outward. */
static inline testMesh testMesh_Ball(uint32_t rings, uint32_t columns, double bump) {
  testMesh mesh = testMesh_Make(2 + rings * columns, 2 * rings * columns);
  for (uint32_t i = 0; i < mesh.vertexCount; ++i) {
    double theta = i == 0 ? 0.0 : i == 1 ? PI : PI * (1 + (i - 2) / columns) / (rings + 1);
    double phi = i < 2 ? 0.0 : 2.0 * PI * ((i - 2) % columns) / columns;
    double r = 1.0 + bump * sin(5.0 * theta) * sin(4.0 * phi);
    double *to = &mesh.vertices[3 * (size_t)i];
    to[0] = r * sin(theta) * cos(phi), to[1] = r * sin(theta) * sin(phi), to[2] = r * cos(theta);
  }
  uint32_t *to = mesh.indices;
  for (uint32_t j = 0; j < columns; ++j) {
    uint32_t next = (j + 1) % columns, last = 2 + (rings - 1) * columns;
    const uint32_t caps[6] = {0, 2 + j, 2 + next, 1, last + next, last + j};
    memcpy(to, caps, sizeof caps);
    to += 6;
    for (uint32_t i = 0; i + 1 < rings; ++i) {
      uint32_t a = 2 + i * columns + j, b = a + columns, c = 2 + (i + 1) * columns + next, d = 2 + i * columns + next;
      const uint32_t quad[6] = {a, b, c, a, c, d};
      memcpy(to, quad, sizeof quad);
      to += 6;
    }
  }
  return mesh;
}

#endif
