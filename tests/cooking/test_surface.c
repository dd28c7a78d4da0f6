/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex surface decomposition: a partition into connected patches on their own hulls, closed and manifold told
 * rightly, broken meshes legal. */
#include "cases.h"
#include "mesh_support.h"

#include "convex.h"
#include "surface.h"

static brinkSurface decompose(testMemory *memory, const testMesh *mesh, uint32_t maxPatchTriangles) {
  brinkContext context = testMemory_Context(memory);
  brinkSurface surface;
  assert_int_equal(brinkDecomposeSurface(&context, mesh->vertices, mesh->vertexCount, mesh->indices,
                                         mesh->triangleCount, maxPatchTriangles, &surface),
                   brink_ok);
  return surface;
}

static void freeSurface(testMemory *memory, brinkSurface *surface, const testMesh *mesh) {
  brinkContext context = testMemory_Context(memory);
  brinkFreeSurface(&context, surface, mesh->triangleCount);
  assert_int_equal(memory->bytes, 0);
}

static bool sameCorner(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static bool shareEdge(const testMesh *mesh, uint32_t s, uint32_t t) {
  int shared = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) shared += sameCorner(testMesh_Corner(mesh, s, i), testMesh_Corner(mesh, t, j));
  return shared >= 2;
}

/* Every triangle in exactly one patch; patches connected over edges, no larger than allowed, and each triangle's plane
 * has all vertices of its patch on or below it (brute force, tolerance as promised). */
static void checkPatches(const testMesh *mesh, const brinkSurface *surface, uint32_t maxPatchTriangles) {
  uint8_t *covered = calloc(mesh->triangleCount, 1);
  double largest = 0.0;
  for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i) largest = fmax(largest, fabs(mesh->vertices[i]));
  assert_int_equal(surface->patchStart[0], 0);
  assert_int_equal(surface->patchStart[surface->patchCount], mesh->triangleCount);
  for (uint32_t p = 0; p < surface->patchCount; ++p) {
    const uint32_t *triangles = &surface->patchTriangles[surface->patchStart[p]];
    uint32_t size = surface->patchStart[p + 1] - surface->patchStart[p], reached = 1;
    uint8_t connected[64] = {1};
    assert_in_range(size, 1, maxPatchTriangles);
    for (uint32_t pass = 0; pass < size; ++pass)
      for (uint32_t i = 0; i < size; ++i)
        for (uint32_t j = 0; connected[i] && j < size; ++j)
          if (!connected[j] && shareEdge(mesh, triangles[i], triangles[j])) connected[j] = 1, ++reached;
    assert_int_equal(reached, size);
    for (uint32_t i = 0; i < size; ++i) {
      assert_int_equal(covered[triangles[i]], 0);
      covered[triangles[i]] = 1;
      brinkVec3 a = brinkV3_FromArray(testMesh_Corner(mesh, triangles[i], 0));
      brinkVec3 b = brinkV3_FromArray(testMesh_Corner(mesh, triangles[i], 1));
      brinkVec3 c = brinkV3_FromArray(testMesh_Corner(mesh, triangles[i], 2));
      brinkVec3 n = brinkNormalizeOr(brinkCross(brinkSub(b, a), brinkSub(c, a)), brinkV3(0, 0, 0));
      for (uint32_t j = 0; size > 1 && j < size; ++j)
        for (int k = 0; k < 3; ++k) {
          double height = brinkDot(n, brinkSub(brinkV3_FromArray(testMesh_Corner(mesh, triangles[j], k)), a));
          assert_true(height <= 2.01 * BRINK_FLAT_TOLERANCE * largest);
        }
    }
  }
  for (uint32_t t = 0; t < mesh->triangleCount; ++t) assert_int_equal(covered[t], 1);
  free(covered);
}

CASE(patches_partition_the_mesh_and_lie_on_their_hulls) {
  testMesh meshes[] = {testMesh_Knot(120, 12), testMesh_Ball(24, 32, 0.15), testMesh_Ball(24, 32, 0.0),
                       testMesh_Terrain(40, 40), testMesh_Cube(12)};
  const uint32_t caps[] = {1, 2, 8, 64};
  for (size_t m = 0; m < sizeof meshes / sizeof *meshes; ++m) {
    uint32_t previous = UINT32_MAX;
    for (size_t c = 0; c < 4; ++c) {
      testMemory memory = {0};
      brinkSurface surface = decompose(&memory, &meshes[m], caps[c]);
      checkPatches(&meshes[m], &surface, caps[c]);
      assert_int_equal(surface.degenerateCount, 0);
      assert_true(surface.patchCount <= previous);
      previous = surface.patchCount;
      if (caps[c] == 1) assert_int_equal(surface.patchCount, meshes[m].triangleCount);
      assert_int_equal(surface.closed, m != 3);
      assert_true(surface.manifold);
      freeSurface(&memory, &surface, &meshes[m]);
    }
    testMesh_Free(&meshes[m]);
  }
}

CASE(cube_is_one_closed_patch) {
  testMesh cube = testMesh_Cube(12);
  testMemory memory = {0};
  brinkSurface surface = decompose(&memory, &cube, 64);
  assert_int_equal(surface.patchCount, 1);
  assert_true(surface.closed && surface.manifold);
  freeSurface(&memory, &surface, &cube);
  testMesh_Free(&cube);
}

CASE(open_cube_is_manifold_but_not_closed) {
  testMesh cube = testMesh_Cube(10);
  testMemory memory = {0};
  brinkSurface surface = decompose(&memory, &cube, 64);
  assert_false(surface.closed);
  assert_true(surface.manifold);
  freeSurface(&memory, &surface, &cube);
  testMesh_Free(&cube);
}

CASE(fan_of_three_on_one_edge_is_not_manifold) {
  const double vertices[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, -1, 1, 0, -1, -1, 0};
  const uint32_t indices[] = {0, 1, 2, 0, 1, 3, 1, 0, 4};
  testMesh fan = testMesh_Copy(vertices, 5, indices, 3);
  testMemory memory = {0};
  brinkSurface surface = decompose(&memory, &fan, 64);
  checkPatches(&fan, &surface, 64);
  assert_int_equal(surface.patchCount, 3);
  assert_false(surface.closed);
  assert_false(surface.manifold);
  freeSurface(&memory, &surface, &fan);
  testMesh_Free(&fan);
}

CASE(one_turned_triangle_opens_the_cube) {
  testMesh cube = testMesh_Cube(12);
  uint32_t swap = cube.indices[15];
  cube.indices[15] = cube.indices[16];
  cube.indices[16] = swap;
  testMemory memory = {0};
  brinkSurface surface = decompose(&memory, &cube, 64);
  checkPatches(&cube, &surface, 64);
  assert_false(surface.closed);
  assert_true(surface.manifold);
  freeSurface(&memory, &surface, &cube);
  testMesh_Free(&cube);
}

CASE(unwelded_cube_is_closed_by_equal_positions) {
  testMesh cube = testMesh_Cube(12), soup = testMesh_Make(36, 12);
  for (uint32_t i = 0; i < 36; ++i) {
    memcpy(&soup.vertices[3 * (size_t)i], &cube.vertices[3 * (size_t)cube.indices[i]], 24);
    soup.indices[i] = i;
  }
  soup.vertices[2] = -0.0; /* triangle 0 starts at the origin */
  testMemory memory = {0};
  brinkSurface surface = decompose(&memory, &soup, 64);
  assert_true(surface.closed && surface.manifold);
  assert_int_equal(surface.patchCount, 1);
  freeSurface(&memory, &surface, &soup);
  soup.vertices[2] = -5e-324;
  surface = decompose(&memory, &soup, 64);
  assert_false(surface.closed);
  freeSurface(&memory, &surface, &soup);
  testMesh_Free(&cube);
  testMesh_Free(&soup);
}

CASE(degenerate_triangles_are_patches_of_their_own) {
  testMesh cube = testMesh_Cube(12), mesh = testMesh_Make(10, 16);
  memcpy(mesh.vertices, cube.vertices, 24 * 8);
  memcpy(mesh.indices, cube.indices, 12 * 12);
  const double extra[6] = {0, 0, 0, 0.5, 0.5, 0.5};              /* a copy of vertex 0, the cube's middle */
  const uint32_t bad[12] = {3, 3, 3, 1, 2, 2, 0, 8, 4, 0, 9, 6}; /* point, segment, equal positions, collinear */
  memcpy(&mesh.vertices[24], extra, sizeof extra);
  memcpy(&mesh.indices[36], bad, sizeof bad);
  testMemory memory = {0};
  brinkSurface surface = decompose(&memory, &mesh, 64);
  checkPatches(&mesh, &surface, 64);
  assert_int_equal(surface.degenerateCount, 4);
  assert_int_equal(surface.patchCount, 5);
  assert_false(surface.closed); /* the collinear one has three edges with one triangle */
  freeSurface(&memory, &surface, &mesh);
  mesh.triangleCount = 15; /* points and segments do not open a closed mesh */
  surface = decompose(&memory, &mesh, 64);
  assert_int_equal(surface.degenerateCount, 3);
  assert_true(surface.closed && surface.manifold);
  freeSurface(&memory, &surface, &mesh);
  testMesh_Free(&cube);
  testMesh_Free(&mesh);
}

CASE(scale_does_not_change_the_patches) {
  testMesh mesh = testMesh_Ball(16, 20, 0.1);
  testMemory memory = {0};
  brinkSurface first = decompose(&memory, &mesh, 8);
  const double factors[] = {0x1p490, 0x1p-900};
  for (int f = 0; f < 2; ++f) {
    testMemory other = {0};
    testMesh scaled = testMesh_Copy(mesh.vertices, mesh.vertexCount, mesh.indices, mesh.triangleCount);
    for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i) scaled.vertices[i] *= factors[f];
    brinkSurface surface = decompose(&other, &scaled, 8);
    assert_int_equal(surface.patchCount, first.patchCount);
    assert_memory_equal(surface.patchTriangles, first.patchTriangles, 4 * (size_t)mesh.triangleCount);
    freeSurface(&other, &surface, &scaled);
    testMesh_Free(&scaled);
  }
  freeSurface(&memory, &first, &mesh);
  testMesh_Free(&mesh);
}

CASE(welding_finds_the_lowest_equal_vertex) {
  testRandom random = {3};
  enum { COUNT = 3000 };
  static double vertices[COUNT][3];
  static uint32_t welded[COUNT];
  for (int i = 0; i < COUNT; ++i)
    for (int k = 0; k < 3; ++k)
      vertices[i][k] = testRandom_Below(&random, 10) * (testRandom_Below(&random, 2) ? 0.1 : -0.1);
  testMemory memory = {0};
  brinkContext context = testMemory_Context(&memory);
  assert_int_equal(brinkWeldVertices(&context, vertices[0], COUNT, welded), brink_ok);
  for (uint32_t i = 0; i < COUNT; ++i) {
    uint32_t expected = 0;
    while (!sameCorner(vertices[expected], vertices[i])) ++expected;
    assert_int_equal(welded[i], expected);
  }
  assert_int_equal(memory.bytes, 0);
}

CASE(running_out_of_memory_anywhere_leaks_nothing) {
  testMesh mesh = testMesh_Ball(4, 6, 0.1);
  brinkStatus status = brink_errorNoMemory;
  for (uint64_t failAt = 1; status != brink_ok; ++failAt) {
    testMemory memory = {.failAt = failAt};
    brinkContext context = testMemory_Context(&memory);
    brinkSurface surface;
    status =
        brinkDecomposeSurface(&context, mesh.vertices, mesh.vertexCount, mesh.indices, mesh.triangleCount, 8, &surface);
    if (status == brink_ok) brinkFreeSurface(&context, &surface, mesh.triangleCount);
    if (status != brink_ok) assert_int_equal(status, brink_errorNoMemory);
    assert_int_equal(memory.bytes, 0);
    assert_true(failAt < 100);
  }
  testMesh_Free(&mesh);
}

int main(void) { return cases_Run(NULL, NULL); }
