/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact points: known stacks point by point, meshes against the same thing as convex shapes, no ghosts on flat
 * ground, same bits twice, nothing allocated after warm-up. */
#include <stdio.h>

#include "cases.h"
#include "test_random.h"
#include "brink/ccd.h"
#include "epa.h"
#include "make_shape.h"
#include "manifold.h"

typedef struct dice {
  uint64_t seed, state;
} dice;
static double uniform(dice *d, double lo, double hi) { return splitUniform(&d->state, lo, hi); }
#define CHECK(condition, ...)              \
  do {                                     \
    if (!(condition)) {                    \
      fprintf(stderr, "%s: ", #condition); \
      fprintf(stderr, __VA_ARGS__);        \
      fprintf(stderr, "\n");               \
      fail();                              \
    }                                      \
  } while (0)

enum { CAPACITY = 16 };
static const double halfPi = 1.5707963267948966;

typedef struct bench {
  brinkContext context;
  brinkManifoldScratch *scratch;
  brinkShape *shapes[16];
  uint32_t shapeCount;
  brinkManifoldPoint points[CAPACITY];
  size_t count;
} bench;

static int setUp(void **state) {
  static bench b;
  memset(&b, 0, sizeof b);
  brinkInitContext(&b.context);
  b.scratch = brinkManifoldScratch_Create(&b.context);
  *state = &b;
  return b.scratch ? 0 : -1;
}
static int tearDown(void **state) {
  bench *b = *state;
  for (uint32_t i = 0; i < b->shapeCount; ++i) brinkDestroyShape(&b->context, b->shapes[i]);
  brinkManifoldScratch_Destroy(&b->context, b->scratch);
  return 0;
}
#define TEST(name) CASE_WITH(name, setUp, tearDown)

static const brinkShape *keep(bench *b, const brinkShapeSpec *spec) {
  brinkShape *shape = NULL;
  brinkStatus status = brinkCreateShape(&b->context, spec, &shape);
  CHECK(status == brink_ok, "%s", b->context.message);
  b->shapes[b->shapeCount++] = shape;
  return shape;
}
static const brinkShape *make(bench *b, uint32_t type, double x, double y, double z) {
  return keep(b, &(brinkShapeSpec){.type = type, .size = {x, y, z}});
}
static const brinkShape *makePlane(bench *b) {
  return keep(b, &(brinkShapeSpec){.type = brink_plane, .normal = {0, 0, 1}, .offset = 0.0});
}

static const double cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1};
static const uint32_t cubeFaces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const brinkShape *makeCubeMesh(bench *b, double half, uint32_t type) {
  double v[24];
  for (int i = 0; i < 24; ++i) v[i] = half * cube[i];
  brinkMeshView mesh = {.structSize = sizeof mesh,
                        .flags = type == brink_mesh ? BRINK_MESH_SOLID : BRINK_MESH_CONVEX,
                        .vertices = v,
                        .vertexCount = 8,
                        .indices = cubeFaces,
                        .triangleCount = 12};
  return keep(b, &(brinkShapeSpec){.type = type, .mesh = &mesh});
}

/* Square grid of 2 n^2 triangles over [-size, size]^2; height(x, y). */
static const brinkShape *makeTerrain(bench *b, uint32_t n, double size, double (*height)(double, double)) {
  enum { MAX = 32 };
  static double v[3 * (MAX + 1) * (MAX + 1)];
  static uint32_t f[6 * MAX * MAX];
  assert_true(n <= MAX);
  for (uint32_t i = 0; i <= n; ++i)
    for (uint32_t k = 0; k <= n; ++k) {
      double x = size * (2.0 * i / n - 1.0), y = size * (2.0 * k / n - 1.0);
      memcpy(v + 3 * (i * (n + 1) + k), (double[3]){x, y, height(x, y)}, 3 * sizeof(double));
    }
  size_t count = 0;
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t k = 0; k < n; ++k) {
      uint32_t p = i * (n + 1) + k, q = p + n + 1;
      const uint32_t two[6] = {p, q, q + 1, p, q + 1, p + 1};
      memcpy(f + count, two, sizeof two);
      count += 6;
    }
  brinkMeshView mesh = {.structSize = sizeof mesh,
                        .vertices = v,
                        .vertexCount = (n + 1) * (n + 1),
                        .indices = f,
                        .triangleCount = count / 3};
  return keep(b, &(brinkShapeSpec){.type = brink_mesh, .mesh = &mesh});
}
static double flat(double x, double y) { return (void)x, (void)y, 0.0; }
static double ridge(double x, double y) { return (void)y, -fabs(x); }
static double hills(double x, double y) { return 0.2 * sin(1.7 * x) * cos(1.3 * y); }

static brinkRigid at(double x, double y, double z) { return (brinkRigid){brinkIdentity3(), {x, y, z}}; }
static brinkRigid turned(brinkVec3 w, double x, double y, double z) { return (brinkRigid){brinkExp3(w), {x, y, z}}; }

static void collide(bench *b, const brinkShape *a, brinkRigid placeA, const brinkShape *c, brinkRigid placeC,
                    double margin, size_t capacity) {
  brinkStatus status =
      brinkMakeManifold(&b->context, b->scratch, a, &placeA, c, &placeC, margin, b->points, capacity, &b->count);
  CHECK(status == brink_ok, "%s", b->context.message);
  assert_true(b->count <= capacity);
  for (size_t i = 0; i < b->count; ++i) {
    const brinkManifoldPoint *p = &b->points[i];
    CHECK(fabs(brinkLength(p->normal) - 1.0) < 1e-9, "normal %g", brinkLength(p->normal));
    CHECK(p->separation <= margin, "%g", p->separation);
    CHECK(i == 0 || p->separation >= b->points[i - 1].separation, "order");
  }
}

static void show(const bench *b) {
  for (size_t i = 0; i < b->count; ++i)
    fprintf(stderr, "  (%.6g %.6g %.6g) n (%.4g %.4g %.4g) s %.9g\n", b->points[i].position.x, b->points[i].position.y,
            b->points[i].position.z, b->points[i].normal.x, b->points[i].normal.y, b->points[i].normal.z,
            b->points[i].separation);
}

/* Is there a point at (x, y, z), within tolerance? */
static bool has(const bench *b, double x, double y, double z, double tolerance) {
  for (size_t i = 0; i < b->count; ++i)
    if (brinkDistance(b->points[i].position, brinkV3(x, y, z)) <= tolerance) return true;
  return false;
}
#define CHECK_HAS(b, x, y, z, tolerance)                                                      \
  do {                                                                                        \
    if (!has(b, x, y, z, tolerance)) {                                                        \
      fprintf(stderr, "no point at %g %g %g among\n", (double)(x), (double)(y), (double)(z)); \
      show(b);                                                                                \
      fail();                                                                                 \
    }                                                                                         \
  } while (0)
#define CHECK_COUNT(b, n)                                            \
  do {                                                               \
    if ((b)->count != (size_t)(n)) {                                 \
      fprintf(stderr, "%zu points, not %d\n", (b)->count, (int)(n)); \
      show(b);                                                       \
      fail();                                                        \
    }                                                                \
  } while (0)

TEST(box_on_box_touches_in_its_four_corners) {
  bench *b = *state;
  const brinkShape *big = make(b, brink_box, 2, 2, 0.5), *small = make(b, brink_box, 0.5, 0.3, 0.2);
  const double gaps[] = {-0.01, -1e-7, 0.0, 1e-7, 0.005};
  for (int swap = 0; swap < 2; ++swap)
    for (int i = 0; i < 5; ++i) {
      double z = 0.7 + gaps[i];
      if (swap)
        collide(b, small, at(0.4, 0.1, z), big, at(0, 0, 0), 0.01, CAPACITY);
      else
        collide(b, big, at(0, 0, 0), small, at(0.4, 0.1, z), 0.01, CAPACITY);
      CHECK_COUNT(b, 4);
      for (int c = 0; c < 4; ++c)
        CHECK_HAS(b, 0.4 + (c & 1 ? 0.5 : -0.5), 0.1 + (c & 2 ? 0.3 : -0.3), 0.5 + gaps[i] / 2, 1e-12);
      for (size_t k = 0; k < 4; ++k) {
        CHECK(fabs(b->points[k].separation - gaps[i]) < 1e-12, "%.17g", b->points[k].separation);
        CHECK(brinkDistance(b->points[k].normal, brinkV3(0, 0, swap ? -1 : 1)) < 1e-9, "normal");
      }
    }
}

TEST(turned_box_on_equal_box_makes_an_octagon) {
  bench *b = *state;
  const brinkShape *box = make(b, brink_box, 1, 1, 1);
  collide(b, box, at(0, 0, 0), box, turned(brinkV3(0, 0, halfPi / 2), 0, 0, 1.999), 0.01, CAPACITY);
  CHECK_COUNT(b, 8);
  double k = sqrt(2.0) - 1.0;
  for (int i = 0; i < 8; ++i)
    CHECK_HAS(b, i & 1 ? (i & 2 ? 1 : -1) : (i & 2 ? k : -k), i & 1 ? (i & 4 ? k : -k) : (i & 4 ? 1 : -1), 0.9995,
              1e-9);
  collide(b, box, at(0, 0, 0), box, turned(brinkV3(0, 0, halfPi / 2), 0, 0, 1.999), 0.01, 4);
  CHECK_COUNT(b, 4); /* spread: no two neighbours only */
  double spread = 0;
  for (int i = 0; i < 4; ++i)
    for (int m = 0; m < 4; ++m) spread = fmax(spread, brinkDistance(b->points[i].position, b->points[m].position));
  assert_true(spread > 2.1);
}

TEST(overhanging_and_edge_contacts_lie_on_both_boxes) {
  bench *b = *state;
  const brinkShape *box = make(b, brink_box, 1, 1, 1);
  collide(b, box, at(0, 0, 0), box, at(1.5, 0.25, 2.0), 0.01, CAPACITY);
  CHECK_COUNT(b, 4);
  CHECK_HAS(b, 1, 1, 1, 1e-9);
  CHECK_HAS(b, 0.5, 1, 1, 1e-9);
  CHECK_HAS(b, 1, -0.75, 1, 1e-9);
  CHECK_HAS(b, 0.5, -0.75, 1, 1e-9);
  /* on an edge: two points at its ends */
  brinkRigid onEdge = turned(brinkV3(halfPi / 2, 0, 0), 0.2, 0, 1 + sqrt(2.0) - 0.001);
  collide(b, box, at(0, 0, 0), box, onEdge, 0.01, CAPACITY);
  CHECK_COUNT(b, 2);
  CHECK_HAS(b, 1, 0, 0.9995, 1e-9);
  CHECK_HAS(b, -0.8, 0, 0.9995, 1e-9);
  /* crossed edges: one point */
  brinkRigid lower = turned(brinkV3(halfPi / 2, 0, 0), 0, 0, 0),
             upper = turned(brinkV3(0, halfPi / 2, 0), 0, 0, 2 * sqrt(2.0) - 0.001);
  collide(b, box, lower, box, upper, 0.01, CAPACITY);
  CHECK_COUNT(b, 1);
  CHECK_HAS(b, 0, 0, sqrt(2.0) - 0.0005, 1e-9);
  assert_true(fabs(b->points[0].separation + 0.001) < 1e-9);
}

TEST(round_shapes_on_a_plane_touch_where_they_should) {
  bench *b = *state;
  const brinkShape *plane = makePlane(b), *sphere = make(b, brink_sphere, 0.5, 0, 0);
  const brinkShape *capsule = make(b, brink_capsule, 0.25, 0, 1), *cylinder = make(b, brink_cylinder, 0.5, 0, 1);
  const brinkShape *box = make(b, brink_box, 1, 1, 1);
  collide(b, plane, at(0, 0, 0), sphere, at(1, 2, 0.495), 0.01, CAPACITY);
  CHECK_COUNT(b, 1);
  CHECK_HAS(b, 1, 2, -0.0025, 1e-12);
  assert_true(fabs(b->points[0].separation + 0.005) < 1e-12);
  brinkRigid lying = turned(brinkV3(0, halfPi, 0), 0, 0, 0.25);
  collide(b, capsule, lying, plane, at(0, 0, 0), 0.01, CAPACITY);
  CHECK_COUNT(b, 2);
  CHECK_HAS(b, 1, 0, 0, 1e-9);
  CHECK_HAS(b, -1, 0, 0, 1e-9);
  assert_true(b->points[0].normal.z < -0.999999);
  lying.p.z = 0.5;
  collide(b, plane, at(0, 0, 0), cylinder, lying, 0.01, CAPACITY);
  CHECK_COUNT(b, 2);
  CHECK_HAS(b, 1, 0, 0, 1e-9);
  CHECK_HAS(b, -1, 0, 0, 1e-9);
  collide(b, plane, at(0, 0, 0), cylinder, at(0, 0, 1), 0.01, 4);
  CHECK_COUNT(b, 4);
  for (int i = 0; i < 4; ++i) {
    assert_true(fabs(brinkLength(b->points[i].position) - 0.5) < 1e-12);
    for (int k = 0; k < i; ++k) assert_true(brinkDistance(b->points[i].position, b->points[k].position) > 0.7);
  }
  collide(b, plane, at(0, 0, 0), box, at(0, 0, 1.0), 0.01, CAPACITY);
  CHECK_COUNT(b, 4);
  collide(b, plane, at(0, 0, 0), box, turned(brinkV3(0.004, 0, 0), 0, 0, 1.0), 0.01, CAPACITY);
  CHECK_COUNT(b, 4); /* rocking: all corners within margin, at their own heights */
  assert_true(b->points[3].separation - b->points[0].separation > 0.007);
  collide(b, plane, at(0, 0, 0), box, at(0, 0, 1.02), 0.01, CAPACITY);
  CHECK_COUNT(b, 0);
  collide(b, plane, at(0, 0, 0), plane, at(0, 0, 0), 0.01, CAPACITY);
  CHECK_COUNT(b, 0);
}

TEST(round_shapes_on_a_box_touch_where_they_should) {
  bench *b = *state;
  const brinkShape *box = make(b, brink_box, 3, 3, 1), *cylinder = make(b, brink_cylinder, 0.5, 0, 1);
  const brinkShape *capsule = make(b, brink_capsule, 0.25, 0, 1), *sphere = make(b, brink_sphere, 0.5, 0, 0);
  const double gaps[] = {-0.004, 0.0, 0.004};
  for (int i = 0; i < 3; ++i) {
    brinkRigid lying = turned(brinkV3(0, halfPi, 0), 0.3, 0.2, 1.5 + gaps[i]);
    collide(b, box, at(0, 0, 0), cylinder, lying, 0.01, CAPACITY);
    CHECK_COUNT(b, 2);
    CHECK_HAS(b, 1.3, 0.2, 1 + gaps[i] / 2, 1e-7);
    CHECK_HAS(b, -0.7, 0.2, 1 + gaps[i] / 2, 1e-7);
    collide(b, box, at(0, 0, 0), cylinder, at(0.3, 0.2, 2 + gaps[i]), 0.01, 4);
    CHECK_COUNT(b, 4);
    for (int k = 0; k < 4; ++k) CHECK(fabs(b->points[k].separation - gaps[i]) < 1e-9, "%g", b->points[k].separation);
    lying.p.z = 1.25 + gaps[i];
    collide(b, capsule, lying, box, at(0, 0, 0), 0.01, CAPACITY);
    CHECK_COUNT(b, 2);
    CHECK_HAS(b, 1.3, 0.2, 1 + gaps[i] / 2, 1e-9);
    CHECK_HAS(b, -0.7, 0.2, 1 + gaps[i] / 2, 1e-9);
    collide(b, box, at(0, 0, 0), sphere, at(1, 1, 1.5 + gaps[i]), 0.01, CAPACITY);
    CHECK_COUNT(b, 1);
    CHECK_HAS(b, 1, 1, 1 + gaps[i] / 2, 1e-12);
    collide(b, capsule, turned(brinkV3(0, halfPi, 0), 0, 0, 0), capsule,
            turned(brinkV3(0, halfPi, 0), 0.5, 0, 0.5 + gaps[i]), 0.01, CAPACITY);
    CHECK_COUNT(b, 2);
    CHECK_HAS(b, 1, 0, 0.25 + gaps[i] / 2, 1e-9);
    CHECK_HAS(b, -0.5, 0, 0.25 + gaps[i] / 2, 1e-9);
  }
}

TEST(hull_of_a_cube_gives_the_box_points) {
  bench *b = *state;
  const brinkShape *hull = makeCubeMesh(b, 0.5, brink_hull), *box = make(b, brink_box, 2, 2, 1), *plane = makePlane(b);
  dice d = {5, 5};
  for (int i = 0; i < 200; ++i) {
    double x = uniform(&d, -1, 1), y = uniform(&d, -1, 1), angle = uniform(&d, -3, 3), gap = uniform(&d, -0.01, 0.009);
    brinkRigid place = turned(brinkV3(0, 0, angle), x, y, 1.5 + gap);
    collide(b, box, at(0, 0, 0), hull, place, 0.01, CAPACITY);
    CHECK_COUNT(b, 4);
    for (int c = 0; c < 4; ++c) {
      brinkVec3 corner = brinkApply(&place, brinkV3(c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, -0.5));
      CHECK_HAS(b, corner.x, corner.y, 1 + gap / 2, 1e-9);
    }
    place.p.z -= 1.0;
    collide(b, hull, place, plane, at(0, 0, 0), 0.01, CAPACITY);
    CHECK_COUNT(b, 4);
  }
}

TEST(mesh_box_on_terrain_mesh_has_points_under_all_corners) {
  bench *b = *state;
  const brinkShape *ground = makeTerrain(b, 10, 2.0, flat), *cubeMesh = makeCubeMesh(b, 0.5, brink_mesh);
  const double gaps[] = {-0.004, 0.0, 0.004};
  dice d = {6, 6};
  for (int i = 0; i < 60; ++i) {
    double gap = gaps[i % 3];
    brinkRigid place = turned(brinkV3(0, 0, uniform(&d, -3, 3)), uniform(&d, -1, 1), uniform(&d, -1, 1), 0.5 + gap);
    for (int swap = 0; swap < 2; ++swap) {
      if (swap)
        collide(b, cubeMesh, place, ground, at(0, 0, 0), 0.01, 4);
      else
        collide(b, ground, at(0, 0, 0), cubeMesh, place, 0.01, 4);
      CHECK_COUNT(b, 4);
      for (int c = 0; c < 4; ++c) {
        brinkVec3 corner = brinkApply(&place, brinkV3(c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, -0.5));
        CHECK_HAS(b, corner.x, corner.y, 0, 0.01);
      }
      for (size_t k = 0; k < b->count; ++k) {
        if (fabs(b->points[k].normal.z - (swap ? -1 : 1)) > 1e-6 || fabs(b->points[k].separation - gap) > 1e-6) {
          fprintf(stderr, "case %d swap %d gap %g\n", i, swap, gap);
          show(b);
          fail();
        }
      }
    }
  }
}

TEST(mesh_box_on_equal_mesh_box_is_a_stack) {
  bench *b = *state;
  const brinkShape *cubeMesh = makeCubeMesh(b, 0.5, brink_mesh);
  const double gaps[] = {-0.004, 0.0, 0.004}, shifts[] = {0.0, 1e-4, -0.3};
  for (int i = 0; i < 9; ++i) {
    double gap = gaps[i % 3], x = shifts[i / 3], y = 0.7 * x;
    collide(b, cubeMesh, at(0, 0, 0), cubeMesh, at(x, y, 1 + gap), 0.01, 4);
    CHECK_COUNT(b, 4);
    for (int c = 0; c < 4; ++c) {
      double low[2] = {fmax(-0.5, x - 0.5), fmax(-0.5, y - 0.5)}, high[2] = {fmin(0.5, x + 0.5), fmin(0.5, y + 0.5)};
      CHECK_HAS(b, c & 1 ? high[0] : low[0], c & 2 ? high[1] : low[1], 0.5 + gap / 2, 2e-3);
    }
    for (size_t k = 0; k < b->count; ++k)
      if (b->points[k].normal.z < 0.9999 || fabs(b->points[k].separation - gap) > 1e-6) {
        fprintf(stderr, "gap %g shift %g\n", gap, x);
        show(b);
        fail();
      }
  }
}

TEST(pieces_on_terrain_have_no_ghost_normals) {
  bench *b = *state;
  const brinkShape *ground = makeTerrain(b, 20, 2.0, flat);
  const brinkShape *shapes[5] = {make(b, brink_box, 0.31, 0.27, 0.25), make(b, brink_sphere, 0.25, 0, 0),
                                 make(b, brink_capsule, 0.25, 0, 0.4), make(b, brink_cylinder, 0.3, 0, 0.25),
                                 makeCubeMesh(b, 0.25, brink_hull)};
  dice d = {7, 7};
  for (int i = 0; i < 500; ++i) {
    const brinkShape *shape = shapes[i % 5];
    double gap = i % 3 == 0 ? 0.0 : uniform(&d, -0.01, 0.015);
    brinkRigid place = turned(brinkV3(0, 0, uniform(&d, -3, 3)), uniform(&d, -1, 1), uniform(&d, -1, 1), 0.25 + gap);
    if (i % 5 == 2) place.r = brinkExp3(brinkV3(0, halfPi, 0));
    collide(b, ground, at(0, 0, 0), shape, place, 0.02, 8);
    CHECK(b->count >= (i % 5 == 1 ? 1u : i % 5 == 2 ? 2u : 4u), "case %d: %zu points, gap %g", i, b->count, gap);
    for (size_t k = 0; k < b->count; ++k)
      if (b->points[k].normal.z < 0.9999 || fabs(b->points[k].separation - gap) > 1e-6) {
        fprintf(stderr, "case %d gap %g\n", i, gap);
        show(b);
        fail();
      }
  }
}

static const brinkVec3 askew = {0.3, 0.5, 0.7}; /* rad: how roofs lie in their own frame, so that nothing is even */

/* A ridge along x through `count` points (x, z), or two of them at y = +-apart, with sides that fall to z = -2. */
static const brinkShape *makeRoof(bench *b, const double (*line)[2], uint32_t count, double apart) {
  enum { MOST = 8 };
  double v[9 * 2 * MOST];
  uint32_t f[12 * 2 * MOST], faces = 0;
  for (uint32_t i = 0; i < 2 * count; ++i) {
    const double y = i < count ? apart : -apart, x = line[i % count][0];
    const double three[9] = {x, y, line[i % count][1], x, y - 0.5, -2, x, y + 0.5, -2};
    const brinkMat3 turn = brinkExp3(askew);
    for (uint32_t k = 0; k < 3; ++k) {
      const brinkVec3 at = brinkMulMV(&turn, brinkV3_FromArray(three + 3 * k));
      memcpy(v + 9 * (size_t)i + 3 * k, &at, 3 * sizeof(double));
    }
  }
  const uint32_t all = apart > 0 ? 2 * count : count;
  for (uint32_t i = 0; i + 1 < all; ++i) {
    const uint32_t p = 3 * i, four[12] = {p, p + 1, p + 4, p, p + 4, p + 3, p, p + 5, p + 2, p, p + 3, p + 5};
    memcpy(f + 3 * (size_t)faces, four, sizeof four);
    faces += i + 1 == count ? 0 : 4;
  }
  brinkMeshView mesh = {
      .structSize = sizeof mesh, .vertices = v, .vertexCount = 3 * all, .indices = f, .triangleCount = faces};
  return keep(b, &(brinkShapeSpec){.type = brink_mesh, .mesh = &mesh});
}

/* The second roof lies upside down across the first; both are turned as one, so that rounding falls otherwise. */
static void collideRoofs(bench *b, dice *d, const brinkShape *one, const brinkShape *two, brinkVec3 place,
                         double margin, brinkMat3 *turn) {
  const brinkMat3 across = brinkExp3(brinkV3(0, 0, halfPi)), down = brinkExp3(brinkV3(2 * halfPi, 0, 0));
  *turn = brinkExp3(brinkV3(uniform(d, -2, 2), uniform(d, -2, 2), uniform(d, -2, 2)));
  const brinkMat3 back = brinkExp3(brinkNeg(askew)), over = brinkMulMM(&across, &down), both = brinkMulMM(turn, &over);
  brinkRigid first = {brinkMulMM(turn, &back), {0, 0, 0}}, second = {brinkMulMM(&both, &back), brinkMulMV(turn, place)};
  collide(b, one, first, two, second, margin, CAPACITY);
}

/* Rounding told whether an edge's own end lies off its line: of crossing edges all but the nearest came and went. */
TEST(crossing_edges_are_all_contacts) {
  bench *b = *state;
  const brinkShape *shapes[8];
  dice d = {3, 3};
  for (int i = 0; i < 8; ++i) {
    const double sloped[2][2] = {{-2, 0}, {uniform(&d, 1.9, 2.1), uniform(&d, -1e-3, 1e-3)}};
    shapes[i] = makeRoof(b, sloped, 2, 1);
  }
  for (int i = 0; i < 200; ++i) {
    brinkMat3 turn;
    collideRoofs(b, &d, shapes[i % 8], shapes[i / 8 % 8], brinkV3(uniform(&d, -0.5, 0.5), uniform(&d, -0.5, 0.5), 4e-3),
                 0.01, &turn);
    if (b->count != 4) show(b);
    CHECK(b->count == 4, "case %d: %zu points", i, b->count);
  }
}

/* Two ridges that bend towards each other, as the insides of two links do: the nearest pair of edges alone lets them
 * slide into the next one. Bent the other way they have nothing more to meet. */
TEST(in_a_hollow_the_next_features_are_told_too) {
  bench *b = *state;
  const double rise = 0.3, cup[3][2] = {{-1, rise}, {0, 0}, {1, rise}}, hill[3][2] = {{-1, -rise}, {0, 0}, {1, -rise}};
  const brinkShape *hollow = makeRoof(b, cup, 3, 0), *bent = makeRoof(b, hill, 3, 0);
  dice d = {5, 5};
  for (int i = 0; i < 200; ++i) {
    const double x = uniform(&d, -4e-3, 4e-3), y = uniform(&d, -4e-3, 4e-3), gap = 3e-3;
    brinkMat3 turn;
    collideRoofs(b, &d, hollow, hollow, brinkV3(x, y, gap), 0.02, &turn);
    for (int k = 0; k < 4; ++k) {
      const double sx = k & 1 ? rise : -rise, sy = k & 2 ? rise : -rise, size = sqrt(1 + 2 * rise * rise);
      const brinkVec3 n = brinkMulMV(&turn, brinkScale(brinkV3(-sx, sy, 1), 1 / size));
      const double separation = (-sx * x + sy * y + gap) / size;
      bool told = false;
      for (size_t p = 0; p < b->count; ++p)
        told =
            told || (brinkDot(b->points[p].normal, n) > 1 - 1e-6 && fabs(b->points[p].separation - separation) < 1e-9);
      if (!told) {
        fprintf(stderr, "case %d (%g %g), side %d: s %.9g\n", i, x, y, k, separation);
        show(b);
        fail();
      }
    }
    if (b->count != 4) show(b);
    CHECK(b->count == 4, "case %d: %zu points", i, b->count);
    collideRoofs(b, &d, bent, bent, brinkV3(x, y, gap), 0.02, &turn);
    CHECK(b->count == 1, "case %d, a ridge: %zu points", i, b->count);
  }
}

/* Half extents of 0.5; dented from below, so that it is no hull. turned: its surface winds inwards. */
static const brinkShape *makeDentedCube(bench *b, bool turned) {
  double v[27] = {[26] = -0.3};
  uint32_t f[42];
  for (int i = 0; i < 24; ++i) v[i] = 0.5 * cube[i];
  memcpy(f, (const uint32_t[12]){0, 2, 8, 2, 3, 8, 3, 1, 8, 1, 0, 8}, 12 * sizeof *f);
  memcpy(f + 12, cubeFaces + 6, 30 * sizeof *f);
  for (int i = 0; turned && i < 42; i += 3) {
    const uint32_t swap = f[i];
    f[i] = f[i + 1];
    f[i + 1] = swap;
  }
  brinkMeshView mesh = {.structSize = sizeof mesh,
                        .flags = BRINK_MESH_SOLID,
                        .vertices = v,
                        .vertexCount = 9,
                        .indices = f,
                        .triangleCount = 14};
  return keep(b, &(brinkShapeSpec){.type = brink_mesh, .mesh = &mesh});
}

/* Two plates side by side, as the wheels of gears are: a corner of one before a side of the other. Their upper faces
 * lie in one plane, to a hair, and end there. Seen from within a plate that is a hollow, but nothing comes from there.
 */
TEST(what_faces_away_is_no_next_feature) {
  bench *b = *state;
  const brinkShape *plates[2] = {makeDentedCube(b, false), makeDentedCube(b, true)};
  dice d = {7, 7};
  for (int i = 0; i < 200; ++i) {
    const double gap = 3e-3, turn = halfPi / 2 + uniform(&d, -0.3, 0.3), reach = 0.5 * (sin(turn) + cos(turn));
    const brinkRigid first = {brinkExp3(brinkV3(uniform(&d, -1e-4, 1e-4), uniform(&d, -1e-4, 1e-4), 0)), {0, 0, 0}};
    const brinkVec3 place = {0.5 + gap + reach, uniform(&d, -0.25, 0.25), uniform(&d, -1e-3, 1e-3)};
    collide(b, plates[i & 1], first, plates[i >> 1 & 1], turned(brinkV3(0, 0, turn), place.x, place.y, place.z), 0.01,
            CAPACITY);
    CHECK(b->count >= 2, "case %d: %zu points", i, b->count);
    for (size_t p = 0; p < b->count; ++p) {
      const brinkVec3 n = b->points[p].normal;
      if (n.x < 0.5) show(b);
      CHECK(n.x > 0.5, "case %d: a normal of %g %g %g", i, n.x, n.y, n.z);
    }
  }
}

TEST(box_on_a_ridge_keeps_the_ridge_points) {
  bench *b = *state;
  const brinkShape *ground = makeTerrain(b, 8, 2.0, ridge), *box = make(b, brink_box, 0.4, 0.4, 0.2);
  collide(b, ground, at(0, 0, 0), box, at(0.05, 0.1, 0.201), 0.01, 8);
  assert_true(b->count >= 2);
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < b->count; ++i) {
    assert_true(fabs(b->points[i].position.x) < 0.02 && b->points[i].normal.z > 0.999);
    low = fmin(low, b->points[i].position.y);
    high = fmax(high, b->points[i].position.y);
  }
  assert_true(low < -0.29 && high > 0.49);
}

TEST(crossing_meshes_are_pushed_apart_to_the_centre_side) {
  bench *b = *state;
  const brinkShape *ground = makeTerrain(b, 3, 3.0, flat), *cubeMesh = makeCubeMesh(b, 0.5, brink_mesh);
  /* a corner through a triangle */
  brinkMat3 tip = brinkExp3(brinkScale(brinkNormalizeOr(brinkV3(1, -1, 0), brinkV3(1, 0, 0)), acos(1 / sqrt(3.0))));
  brinkRigid place = {tip, {0.3, 0.1, sqrt(0.75) - 0.01}};
  collide(b, ground, at(0, 0, 0), cubeMesh, place, 0.02, 4);
  assert_true(b->count >= 1);
  CHECK(fabs(b->points[0].separation + 0.01) < 1e-3, "%g", b->points[0].separation);
  for (size_t i = 0; i < b->count; ++i)
    if (b->points[i].separation < 0 && b->points[i].normal.z < 0.99) {
      show(b);
      fail();
    }
  /* turned upside down: the push follows the other body's centre */
  brinkRigid down = {tip, {0.3, 0.1, -(sqrt(0.75) - 0.01)}};
  collide(b, ground, at(0, 0, 0), cubeMesh, down, 0.02, 4);
  assert_true(b->count >= 1 && b->points[0].separation < 0 && b->points[0].normal.z < -0.99);
  /* deep: bounded by the margin's scale */
  place.p.z = 0.3;
  collide(b, ground, at(0, 0, 0), cubeMesh, place, 0.01, 8);
  assert_true(b->count >= 1 && b->points[0].separation < 0);
  for (size_t i = 0; i < b->count; ++i) assert_true(b->points[i].separation > -0.06);
}

TEST(mesh_on_plane_touches_with_its_vertices) {
  bench *b = *state;
  const brinkShape *plane = makePlane(b), *cubeMesh = makeCubeMesh(b, 0.5, brink_mesh);
  collide(b, plane, at(0, 0, 0), cubeMesh, at(7, 8, 0.499), 0.01, CAPACITY);
  CHECK_COUNT(b, 4);
  for (int c = 0; c < 4; ++c) CHECK_HAS(b, 7 + (c & 1 ? 0.5 : -0.5), 8 + (c & 2 ? 0.5 : -0.5), -0.0005, 1e-12);
  collide(b, cubeMesh, at(7, 8, 0.499), plane, at(0, 0, 0), 0.01, CAPACITY);
  CHECK_COUNT(b, 4);
  assert_true(b->points[0].normal.z == -1.0);
}

TEST(far_from_the_origin_nothing_changes) {
  bench *b = *state;
  const brinkShape *big = make(b, brink_box, 2, 2, 0.5), *small = make(b, brink_box, 0.5, 0.25, 0.25);
  collide(b, big, at(1e6, -2e6, 3e6), small, at(1e6 + 0.5, -2e6, 3e6 + 0.75), 0.01, CAPACITY);
  CHECK_COUNT(b, 4);
  for (int c = 0; c < 4; ++c)
    CHECK_HAS(b, 1e6 + 0.5 + (c & 1 ? 0.5 : -0.5), -2e6 + (c & 2 ? 0.25 : -0.25), 3e6 + 0.5, 1e-8);
}

TEST(same_pair_gives_the_same_bits_and_no_memory_after_warm_up) {
  bench *b = *state;
  const brinkShape *ground = makeTerrain(b, 30, 2.0, hills), *cubeMesh = makeCubeMesh(b, 0.6, brink_mesh);
  const brinkShape *box = make(b, brink_box, 0.4, 0.3, 0.2);
  dice d = {8, 8};
  bench first;
  uint64_t warm = 0;
  size_t seen = 0;
  for (int i = 0; i < 60; ++i) {
    if (i == 30) d.state = d.seed; /* the same thirty again: everything has its size */
    brinkRigid place = turned(brinkV3(uniform(&d, -1, 1), uniform(&d, -1, 1), 0), uniform(&d, -1, 1),
                              uniform(&d, -1, 1), uniform(&d, 0.2, 0.8));
    const brinkShape *shape = i % 2 ? cubeMesh : box;
    collide(b, ground, at(0, 0, 0), shape, place, 0.03, 6);
    first = *b;
    collide(b, ground, at(0, 0, 0), shape, place, 0.03, 6);
    assert_int_equal(first.count, b->count);
    assert_memory_equal(first.points, b->points, b->count * sizeof b->points[0]);
    seen += b->count;
    /* mirrored question: as many points, normals turned */
    collide(b, shape, place, ground, at(0, 0, 0), 0.03, 6);
    CHECK((b->count == 0) == (first.count == 0), "case %d", i);
    if (b->count)
      CHECK(fabs(b->points[0].separation - first.points[0].separation) < 1e-6, "case %d: %g %g", i,
            b->points[0].separation, first.points[0].separation);
    if (i == 29) warm = b->context.allocationCount;
  }
  assert_true(seen > 60);
  assert_int_equal(b->context.allocationCount, warm);
}

/* Least distance over all pairs of triangles. */
static double meshDistance(const brinkShape *a, const brinkRigid *pa, const brinkShape *c, const brinkRigid *pc) {
  const brinkGjkLimits limits = {1e-10, 0, INFINITY, -1, 0};
  double least = INFINITY;
  for (uint32_t i = 0; i < a->tree->triangleCount; ++i)
    for (uint32_t k = 0; k < c->tree->triangleCount; ++k) {
      brinkTriangleRoom rooms[2];
      brinkPiece p = brinkHullTree_Triangle(a->tree, i, &rooms[0], NULL),
                 q = brinkHullTree_Triangle(c->tree, k, &rooms[1], NULL);
      double reach = p.boundRadius + q.boundRadius + least;
      if (brinkDistance(brinkApply(pa, p.center), brinkApply(pc, q.center)) > reach) continue;
      brinkSeparation s;
      brinkGjk(&p, pa, &q, pc, &limits, NULL, &s);
      least = fmin(least, s.overlap ? 0.0 : s.upper);
    }
  return least;
}

TEST(nearest_place_of_two_meshes_is_always_among_the_points) {
  bench *b = *state;
  const brinkShape *ground = makeTerrain(b, 24, 2.0, hills), *cubeMesh = makeCubeMesh(b, 0.3, brink_mesh);
  dice d = {10, 10};
  int met = 0, crossed = 0;
  for (int i = 0; i < 150; ++i) {
    brinkRigid place = turned(brinkV3(uniform(&d, -2, 2), uniform(&d, -2, 2), uniform(&d, -2, 2)), uniform(&d, -1, 1),
                              uniform(&d, -1, 1), uniform(&d, 0.2, 0.7)),
               origin = at(0, 0, 0);
    double least = meshDistance(ground, &origin, cubeMesh, &place), margin = 0.04;
    collide(b, ground, origin, cubeMesh, place, margin, 4);
    CHECK((b->count > 0) == (least <= margin), "case %d: %zu points, distance %g", i, b->count, least);
    if (b->count == 0) continue;
    ++met;
    if (least > 0.0)
      CHECK(fabs(b->points[0].separation - least) < 1e-3, "case %d: %g %g", i, b->points[0].separation, least);
    else
      ++crossed;
    bool above = place.p.z > hills(place.p.x, place.p.y) + 0.15; /* else its centre has no clear side */
    for (size_t k = 0; k < b->count && above; ++k)               /* the ground pushes up */
      if (b->points[k].normal.z < 0.5) {
        fprintf(stderr, "case %d distance %g\n", i, least);
        show(b);
        fail();
      }
  }
  assert_true(met > 20 && crossed > 10);
}

/* Every point of two convex shapes lies on both within its own separation: no point hangs in the air. */
TEST(points_of_random_convex_pairs_lie_on_both_surfaces) {
  bench *b = *state;
  const brinkShape *shapes[5] = {make(b, brink_box, 0.5, 0.4, 0.3), make(b, brink_sphere, 0.5, 0, 0),
                                 make(b, brink_capsule, 0.25, 0, 0.4), make(b, brink_cylinder, 0.3, 0, 0.5),
                                 makeCubeMesh(b, 0.5, brink_hull)};
  static const double origin[3] = {0, 0, 0};
  dice d = {9, 9};
  size_t seen = 0;
  for (int i = 0; i < 4000; ++i) {
    const brinkShape *a = shapes[i % 5], *c = shapes[i / 5 % 5];
    brinkRigid pa = turned(brinkV3(uniform(&d, -2, 2), uniform(&d, -2, 2), uniform(&d, -2, 2)), 0, 0, 0);
    brinkRigid pc = turned(brinkV3(uniform(&d, -2, 2), uniform(&d, -2, 2), uniform(&d, -2, 2)), uniform(&d, -0.8, 0.8),
                           uniform(&d, -0.8, 0.8), uniform(&d, -0.8, 0.8));
    double margin = 0.05;
    brinkSeparation s;
    const brinkGjkLimits limits = {1e-10, 0, INFINITY, -1, 0};
    brinkSignedSeparation(&a->piece, &pa, &c->piece, &pc, &limits, NULL, &s);
    collide(b, a, pa, c, pc, margin, 8);
    CHECK((b->count > 0) == (s.lower <= margin) || fabs(s.lower - margin) < 1e-9, "case %d: %zu %g", i, b->count,
          s.lower);
    seen += b->count;
    if (b->count)
      CHECK(fabs(b->points[0].separation - s.lower) < 1e-3, "case %d: %g %g", i, b->points[0].separation, s.lower);
    for (size_t k = 0; k < b->count; ++k) { /* a point moved by half the separation touches each shape */
      brinkPiece point = brinkMakePointPiece(origin, 1, 0.0);
      brinkRigid onA = at(0, 0, 0), onC = at(0, 0, 0);
      onA.p = brinkMulAdd(b->points[k].position, -0.5 * b->points[k].separation, b->points[k].normal);
      onC.p = brinkMulAdd(b->points[k].position, 0.5 * b->points[k].separation, b->points[k].normal);
      brinkSeparation toA, toC;
      brinkSignedSeparation(&a->piece, &pa, &point, &onA, &limits, NULL, &toA);
      brinkSignedSeparation(&c->piece, &pc, &point, &onC, &limits, NULL, &toC);
      if (!(toA.lower < 0.03 && toC.lower < 0.03)) {
        fprintf(stderr, "case %d point %zu: %g %g, separation %g normal %g %g %g\n", i, k, toA.lower, toC.lower,
                s.lower, s.normal.x, s.normal.y, s.normal.z);
        show(b);
        fail();
      }
    }
  }
  assert_true(seen > 1000);
}

int main(void) { return cases_Run(NULL, NULL); }
