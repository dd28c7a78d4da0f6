/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex hulls: exact signs against wide integers, every input point inside, vertices from the input, edge graph
 * climbable, flat and degenerate sets, silence of qhull, memory. */
#include "cases.h"
#include "mesh_support.h"

#include <unistd.h>

#include "convex.h"
#include "orientation.h"

typedef struct pointSet {
  double x[20000][3];
  uint32_t count;
} pointSet;

static pointSet set; /* too large for the stack */

static void addPoint(double x, double y, double z) {
  set.x[set.count][0] = x, set.x[set.count][1] = y, set.x[set.count][2] = z;
  set.count++;
}

/* What holds for every hull: vertices ascending and in range; solid: closed surface of genus 0, every input point
 * exactly on or below every triangle; neighbours symmetric; climbing over neighbours reaches the largest product. */
static void checkHull(const brinkConvexHull *hull, uint64_t seed) {
  for (uint32_t i = 0; i < hull->vertexCount; ++i) {
    assert_true(hull->vertices[i] < set.count);
    if (i > 0) assert_true(hull->vertices[i - 1] < hull->vertices[i]);
  }
  if (hull->dimension == 3) {
    assert_int_equal(hull->faceCount, 2 * hull->vertexCount - 4);
    assert_int_equal(hull->neighborCount, 6 * hull->vertexCount - 12);
  }
  for (uint32_t f = 0; f < hull->faceCount; ++f) {
    const double *corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = set.x[hull->vertices[hull->faces[3 * f + k]]];
    for (uint32_t i = 0; i < set.count; ++i)
      if (brinkOrientation(corner[0], corner[1], corner[2], set.x[i]) > 0)
        fail_msg("seed %llu: point %u is outside face %u", (unsigned long long)seed, i, f);
  }
  for (uint32_t v = 0; v < hull->vertexCount && hull->neighborCount > 0; ++v) {
    for (uint32_t e = hull->neighborStart[v]; e < hull->neighborStart[v + 1]; ++e) {
      uint32_t other = hull->neighbors[e];
      bool back = false;
      assert_true(other < hull->vertexCount && other != v);
      for (uint32_t g = hull->neighborStart[other]; g < hull->neighborStart[other + 1]; ++g)
        back = back || hull->neighbors[g] == v;
      assert_true(back);
    }
  }
}

static void checkClimbing(const brinkConvexHull *hull, uint64_t seed) {
  testRandom random = {seed};
  double size = 0.0;
  for (uint32_t i = 0; i < set.count; ++i) size = fmax(size, brinkLength(brinkV3_FromArray(set.x[i])));
  for (int trial = 0; trial < 50; ++trial) {
    brinkVec3 d = brinkNormalizeOr(testRandom_Vector(&random, 1.0), brinkV3(1, 0, 0));
    double largest = -INFINITY;
    for (uint32_t i = 0; i < set.count; ++i) largest = fmax(largest, brinkDot(d, brinkV3_FromArray(set.x[i])));
    uint32_t at = testRandom_Below(&random, hull->vertexCount);
    double value = brinkDot(d, brinkV3_FromArray(set.x[hull->vertices[at]]));
    for (bool moved = true; moved;) {
      moved = false;
      uint32_t from = at;
      for (uint32_t e = hull->neighborStart[from]; e < hull->neighborStart[from + 1]; ++e) {
        double other = brinkDot(d, brinkV3_FromArray(set.x[hull->vertices[hull->neighbors[e]]]));
        if (other > value) {
          value = other;
          at = hull->neighbors[e];
          moved = true;
        }
      }
    }
    if (!(value >= largest - 1e-12 * size))
      fail_msg("seed %llu: climbed to %.17g of %.17g", (unsigned long long)seed, value, largest);
  }
}

static brinkConvexHull makeHull(testMemory *memory) {
  brinkContext context = testMemory_Context(memory);
  brinkConvexHull hull;
  assert_int_equal(brinkMakeConvexHull(&context, set.x[0], set.count, &hull), brink_ok);
  return hull;
}

static void freeHull(testMemory *memory, brinkConvexHull *hull) {
  brinkContext context = testMemory_Context(memory);
  brinkFreeConvexHull(&context, hull);
  assert_int_equal(memory->bytes, 0);
}

CASE(orientation_agrees_with_wide_integers) {
  testRandom random = {11};
  for (int trial = 0; trial < 200000; ++trial) {
    /* Nearly coplanar on purpose: d is a rounded combination of the others. Products stay below 2^126. */
    int64_t p[4][3];
    double x[4][3];
    int bits = 3 + (int)testRandom_Below(&random, 36);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        p[i][k] = (int64_t)(testRandom_Bits(&random) >> (64 - bits)) - ((int64_t)1 << (bits - 1));
    double s = testRandom_Range(&random, -1, 1), t = testRandom_Range(&random, -1, 1);
    for (int k = 0; k < 3; ++k)
      p[3][k] = p[0][k] + (int64_t)(s * (double)(p[1][k] - p[0][k])) + (int64_t)(t * (double)(p[2][k] - p[0][k]));
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 3; ++k) x[i][k] = (double)p[i][k] * 0x1p-20; /* exact */
    __extension__ typedef __int128 wide;
    wide u[3][3];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) u[i][k] = p[i + 1][k] - p[0][k];
    wide volume = (u[0][1] * u[1][2] - u[0][2] * u[1][1]) * u[2][0] +
                  (u[0][2] * u[1][0] - u[0][0] * u[1][2]) * u[2][1] + (u[0][0] * u[1][1] - u[0][1] * u[1][0]) * u[2][2];
    int expected = volume > 0 ? 1 : volume < 0 ? -1 : 0;
    assert_int_equal(brinkOrientation(x[0], x[1], x[2], x[3]), expected);
  }
}

CASE(collinearity_is_exact) {
  double a[3] = {0.1, 0.2, 0.3}, b[3] = {0.2, 0.4, 0.6}, c[3] = {0.4, 0.8, 1.2}; /* powers of two times a */
  assert_true(brinkCollinear(a, b, c));
  c[2] = nextafter(1.2, 2.0);
  assert_false(brinkCollinear(a, b, c));
  assert_true(brinkCollinear(a, a, c));
}

CASE(random_points_lie_in_their_hull) {
  const uint32_t sizes[] = {4, 5, 8, 20, 60, 64, 65, 200, 2000};
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      testRandom random = {seed};
      set.count = 0;
      for (uint32_t i = 0; i < sizes[s]; ++i) {
        brinkVec3 p = testRandom_Vector(&random, 1.0);
        if (seed % 2) p = brinkNormalizeOr(p, p); /* all on a sphere */
        addPoint(p.x, p.y, p.z);
      }
      testMemory memory = {0};
      brinkConvexHull hull = makeHull(&memory);
      assert_int_equal(hull.dimension, 3);
      if (seed % 2 && sizes[s] < 200) assert_int_equal(hull.vertexCount, sizes[s]);
      checkHull(&hull, seed);
      checkClimbing(&hull, seed);
      freeHull(&memory, &hull);
    }
  }
}

CASE(cube_grid_has_eight_vertices) {
  for (int n = 2; n <= 12; n += 2) { /* small: exact quickhull; large: qhull */
    set.count = 0;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j)
        for (int k = 0; k <= n; ++k) addPoint(i, j - 3, k * 0.5);
    testMemory memory = {0};
    brinkConvexHull hull = makeHull(&memory);
    checkHull(&hull, 0);
    checkClimbing(&hull, 3);
    assert_int_equal(hull.dimension, 3);
    assert_int_equal(hull.vertexCount, 8);
    assert_int_equal(hull.faceCount, 12);
    freeHull(&memory, &hull);
  }
}

CASE(turned_tessellated_box_loses_no_point) {
  for (uint64_t seed = 1; seed <= 4; ++seed) { /* faces flat up to rounding: qhull merges, exact predicates decide */
    testRandom random = {seed};
    brinkMat3 r = testRandom_Rotation(&random);
    set.count = 0;
    for (int i = 0; i <= 12; ++i)
      for (int j = 0; j <= 12; ++j)
        for (int side = -1; side <= 1; side += 2) {
          double u = i / 6.0 - 1.0, v = j / 6.0 - 1.0;
          brinkVec3 faces[3] = {{u, v, side}, {v, side, u}, {side, u, v}};
          for (int k = 0; k < 3; ++k) {
            brinkVec3 p = brinkAdd(brinkMulMV(&r, faces[k]), brinkV3(100, -50, 7));
            addPoint(p.x, p.y, p.z);
          }
        }
    testMemory memory = {0};
    brinkConvexHull hull = makeHull(&memory);
    checkHull(&hull, seed);
    checkClimbing(&hull, seed);
    freeHull(&memory, &hull);
  }
}

CASE(integer_sphere_with_many_coplanar_points_is_exact) {
  set.count = 0;
  for (int x = -15; x <= 15; ++x)
    for (int y = -15; y <= 15; ++y)
      for (int z = -15; z <= 15; ++z)
        if (x * x + y * y + z * z == 225 || x * x + y * y + z * z == 169) addPoint(x, y, z);
  testMemory memory = {0};
  brinkConvexHull hull = makeHull(&memory);
  checkHull(&hull, 0);
  for (uint32_t i = 0; i < set.count; ++i) { /* cospherical points are all extreme */
    double *p = set.x[i];
    bool outer = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] == 225.0, found = false;
    for (uint32_t v = 0; v < hull.vertexCount; ++v) found = found || hull.vertices[v] == i;
    if (outer) assert_true(found);
  }
  freeHull(&memory, &hull);
}

/* Small integers: nearly every subset is coplanar, collinear or equal. Vertices must be the extreme points, no others.
 */
CASE(lattice_sets_full_of_coincidences_are_exact) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    testRandom random = {seed};
    uint32_t range = 2 + testRandom_Below(&random, 6), count = 4 + testRandom_Below(&random, seed % 4 ? 60 : 200);
    set.count = 0;
    for (uint32_t i = 0; i < count; ++i) {
      double x = testRandom_Below(&random, range), y = testRandom_Below(&random, range);
      addPoint(x, y, x + 3 * y + testRandom_Below(&random, range));
    }
    testMemory memory = {0};
    brinkConvexHull hull = makeHull(&memory);
    checkHull(&hull, seed);
    checkClimbing(&hull, seed);
    brinkConvexHull again; /* without one of its vertices, the hull is another */
    uint32_t left = testRandom_Below(&random, hull.vertexCount), at = hull.vertices[left];
    double removed[3] = {set.x[at][0], set.x[at][1], set.x[at][2]};
    uint32_t dimension = (uint32_t)hull.dimension;
    freeHull(&memory, &hull);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
      if (memcmp(set.x[i], removed, sizeof removed) != 0) memmove(set.x[kept++], set.x[i], sizeof removed);
    set.count = kept;
    if (kept == 0 || dimension < 3) continue;
    again = makeHull(&memory);
    bool outside = again.dimension < 3;
    for (uint32_t f = 0; f < again.faceCount; ++f)
      outside = outside || brinkOrientation(set.x[again.vertices[again.faces[3 * f]]],
                                            set.x[again.vertices[again.faces[3 * f + 1]]],
                                            set.x[again.vertices[again.faces[3 * f + 2]]], removed) > 0;
    if (!outside) fail_msg("seed %llu: a vertex that is not extreme", (unsigned long long)seed);
    freeHull(&memory, &again);
  }
}

CASE(planar_points_make_a_polygon) {
  for (int plane = 0; plane < 4; ++plane) {
    testRandom random = {40 + (uint64_t)plane};
    set.count = 0;
    for (int i = 0; i < 300; ++i) {
      double a = testRandom_Below(&random, 41) - 20.0, b = testRandom_Below(&random, 41) - 20.0;
      if (plane == 0) addPoint(a, b, 3.0);
      if (plane == 1) addPoint(a, -7.0, b);
      if (plane == 2) addPoint(0.125, a, b);
      if (plane == 3) addPoint(a, b, 2.0 * a - 3.0 * b + 0.5);
    }
    testMemory memory = {0};
    brinkConvexHull hull = makeHull(&memory);
    assert_int_equal(hull.dimension, 2);
    assert_int_equal(hull.faceCount, 0);
    assert_int_equal(hull.neighborCount, 2 * hull.vertexCount);
    checkHull(&hull, 0);
    checkClimbing(&hull, 5);
    /* Each vertex is extreme: it lies on no segment of others and in no triangle; here: strictly furthest somewhere. */
    for (uint32_t v = 0; v < hull.vertexCount; ++v) {
      assert_int_equal(hull.neighborStart[v + 1] - hull.neighborStart[v], 2);
      const uint32_t *two = &hull.neighbors[hull.neighborStart[v]];
      assert_false(brinkCollinear(set.x[hull.vertices[v]], set.x[hull.vertices[two[0]]], set.x[hull.vertices[two[1]]]));
    }
    freeHull(&memory, &hull);
  }
}

CASE(collinear_points_keep_both_ends) {
  set.count = 0;
  for (int i = 0; i < 100; ++i) addPoint(3.0 * ((i * 37) % 100), -1.5 * ((i * 37) % 100), 0.25 * ((i * 37) % 100));
  testMemory memory = {0};
  brinkConvexHull hull = makeHull(&memory);
  assert_int_equal(hull.dimension, 1);
  assert_int_equal(hull.vertexCount, 2);
  assert_int_equal(hull.neighborCount, 2);
  assert_int_equal(hull.vertices[0], 0);
  assert_true(set.x[hull.vertices[1]][0] == 297.0);
  freeHull(&memory, &hull);
}

CASE(duplicates_are_stood_for_by_the_lowest_index) {
  set.count = 0;
  for (int i = 0; i < 5; ++i) addPoint(1, 2, 3);
  testMemory memory = {0};
  brinkConvexHull hull = makeHull(&memory);
  assert_int_equal(hull.dimension, 0);
  assert_int_equal(hull.vertexCount, 1);
  assert_int_equal(hull.vertices[0], 0);
  assert_int_equal(hull.neighborCount, 0);
  freeHull(&memory, &hull);
  set.count = 0;
  for (int copy = 0; copy < 30; ++copy)
    for (int i = 0; i < 8; ++i) addPoint(i & 1, i & 2, i & 4 ? 1.0 : -0.0 * copy);
  hull = makeHull(&memory);
  checkHull(&hull, 0);
  assert_int_equal(hull.vertexCount, 8);
  assert_int_equal(hull.vertices[7], 7);
  freeHull(&memory, &hull);
}

CASE(nearly_flat_and_needle_sets_are_exact) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    testRandom random = {seed};
    set.count = 0;
    for (int i = 0; i < 300; ++i) {
      double thin = testRandom_Range(&random, -1, 1) * (seed < 4 ? 1e-17 : 1e-40);
      double u = testRandom_Range(&random, -1, 1), v = testRandom_Range(&random, -1, 1);
      if (seed % 2)
        addPoint(u, v, thin);
      else
        addPoint(u * 1e-20, v, thin);
    }
    testMemory memory = {0};
    brinkConvexHull hull = makeHull(&memory);
    assert_int_equal(hull.dimension, 3);
    checkHull(&hull, seed);
    freeHull(&memory, &hull);
  }
}

CASE(extreme_magnitudes_keep_every_point_inside) {
  const double sizes[] = {1e147, 1e-150, 1e-300, 5e-324};
  for (int s = 0; s < 4; ++s) {
    testRandom random = {9};
    set.count = 0;
    for (int i = 0; i < 100; ++i)
      addPoint((testRandom_Below(&random, 2001) - 1000.0) * sizes[s], testRandom_Below(&random, 1000) * sizes[s],
               testRandom_Below(&random, 1000) * sizes[s]);
    testMemory memory = {0};
    brinkConvexHull hull = makeHull(&memory);
    assert_int_equal(hull.dimension, 3);
    assert_true(hull.faceCount > 0);
    assert_int_equal(hull.faceCount, 2 * hull.vertexCount - 4);
    freeHull(&memory, &hull);
  }
  set.count = 0; /* more range than exact predicates carry: everything is kept */
  for (int i = 0; i < 10; ++i) addPoint(i * 1e-200, 1.0 + i % 3, i % 2);
  testMemory memory = {0};
  brinkConvexHull hull = makeHull(&memory);
  assert_int_equal(hull.vertexCount, 10);
  assert_int_equal(hull.neighborCount, 0);
  freeHull(&memory, &hull);
}

CASE(qhull_never_prints_and_never_exits) {
  FILE *catcher = tmpfile();
  assert_non_null(catcher);
  fflush(stdout);
  fflush(stderr);
  int out = dup(1), err = dup(2);
  dup2(fileno(catcher), 1);
  dup2(fileno(catcher), 2);
  for (int shape = 0; shape < 3; ++shape) {
    testRandom random = {77};
    set.count = 0;
    for (int i = 0; i < 500; ++i) { /* qhull calls these flat, narrow or wide */
      brinkVec3 p = testRandom_Vector(&random, 1.0);
      addPoint(p.x, shape == 2 ? p.y * 1e-18 : p.y, shape == 0 ? p.z * 1e-17 : shape == 1 ? 1e12 + p.z : p.z * 1e-18);
    }
    testMemory memory = {0};
    brinkConvexHull hull = makeHull(&memory);
    freeHull(&memory, &hull);
  }
  fflush(stdout);
  fflush(stderr);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  fseek(catcher, 0, SEEK_END);
  long printed = ftell(catcher);
  fclose(catcher);
  assert_int_equal(printed, 0);
}

CASE(non_finite_points_are_refused_by_index) {
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int b = 0; b < 3; ++b) {
    testMemory memory = {0};
    brinkContext context = testMemory_Context(&memory);
    brinkConvexHull hull;
    set.count = 0;
    for (int i = 0; i < 10; ++i) addPoint(i, i * i, i % 3);
    set.x[7][1] = bad[b];
    assert_int_equal(brinkMakeConvexHull(&context, set.x[0], set.count, &hull), brink_errorBadValue);
    assert_non_null(strstr(context.message, "point 7"));
    assert_int_equal(brinkMakeConvexHull(&context, set.x[0], 0, &hull), brink_errorEmpty);
    assert_int_equal(memory.bytes, 0);
  }
}

CASE(running_out_of_memory_anywhere_leaks_nothing) {
  for (int kind = 0; kind < 3; ++kind) { /* exact quickhull, qhull, polygon */
    testRandom random = {5};
    set.count = 0;
    for (int i = 0; i < (kind == 1 ? 100 : 30); ++i)
      addPoint(testRandom_Below(&random, 100), testRandom_Below(&random, 100),
               kind == 2 ? 1 : testRandom_Below(&random, 100));
    brinkStatus status = brink_errorNoMemory;
    for (uint64_t failAt = 1; status != brink_ok; ++failAt) {
      testMemory memory = {.failAt = failAt};
      brinkContext context = testMemory_Context(&memory);
      brinkConvexHull hull;
      status = brinkMakeConvexHull(&context, set.x[0], set.count, &hull);
      if (status == brink_ok) brinkFreeConvexHull(&context, &hull);
      if (status != brink_ok) assert_int_equal(status, brink_errorNoMemory);
      assert_int_equal(memory.bytes, 0);
      assert_true(failAt < 1000);
    }
  }
}

CASE(convex_surfaces_are_told_from_others) {
  testMemory memory = {0};
  brinkContext context = testMemory_Context(&memory);
  bool convex;
  testMesh cube = testMesh_Cube(12), bumpy = testMesh_Ball(20, 30, 0.1);
  assert_int_equal(brinkIsConvexSurface(&context, cube.vertices, cube.indices, 12, &convex), brink_ok);
  assert_true(convex);
  assert_int_equal(brinkIsConvexSurface(&context, cube.vertices, cube.indices, 11, &convex), brink_ok);
  assert_false(convex); /* open */
  assert_int_equal(brinkIsConvexSurface(&context, bumpy.vertices, bumpy.indices, bumpy.triangleCount, &convex),
                   brink_ok);
  assert_false(convex);
  for (uint32_t t = 0; t < 12; ++t) { /* inside out */
    uint32_t swap = cube.indices[3 * t];
    cube.indices[3 * t] = cube.indices[3 * t + 1];
    cube.indices[3 * t + 1] = swap;
  }
  assert_int_equal(brinkIsConvexSurface(&context, cube.vertices, cube.indices, 12, &convex), brink_ok);
  assert_false(convex);
  testMesh_Free(&cube);
  testMesh_Free(&bumpy);
  assert_int_equal(memory.bytes, 0);
}

int main(void) { return cases_Run(NULL, NULL); }
