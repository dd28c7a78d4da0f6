/* SPDX-License-Identifier: BSD-3-Clause */
/* One small moving body against one large piece, through the C ABI: see sizes.h. A wall that is seen from a turning
 * limb sweeps far; a scheme that looks from there pays for the wall's size. Motions are drawn from a seeded generator.
 */
#include "sizes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define MOTIONS 100
#define SIDE 17 /* points a side of the limb's surface: 512 triangles */
#define PI 3.14159265358979

typedef struct Row {
  const char *label;
  double mean[2], worst[2], nodes[2], distances[2]; /* default, paper's; us */
  int hits;
} Row;

static double Uniform(uint64_t *state) { /* splitmix64, -1..1 */
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static brinkVec3 Within(uint64_t *state, double size) {
  double x = size * Uniform(state), y = size * Uniform(state), z = size * Uniform(state);
  return (brinkVec3){x, y, z};
}

/* A tube 0.6 m long and 0.2 m wide, or a wavy sheet of 2 m. */
static brinkStatus AddSurface(const brinkPlugin *brink, brinkWorld *world, bool tube, brinkShapeId *out) {
  static double vertices[3 * SIDE * SIDE];
  static uint32_t triangles[6 * (SIDE - 1) * (SIDE - 1)];
  uint32_t *next = triangles;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      double u = 2.0 * i / (SIDE - 1) - 1, v = 2.0 * j / (SIDE - 1) - 1, *p = &vertices[3 * (i * SIDE + j)];
      p[0] = tube ? 0.3 * v : u;
      p[1] = tube ? 0.1 * cos(PI * u) : v;
      p[2] = tube ? 0.08 * sin(PI * u) : 0.1 * sin(5 * u) * cos(4 * v);
      if (i + 1 == SIDE || j + 1 == SIDE) continue;
      uint32_t a = (uint32_t)(i * SIDE + j), b = a + SIDE;
      const uint32_t corners[6] = {a, b, a + 1, a + 1, b, b + 1};
      memcpy(next, corners, sizeof corners);
      next += 6;
    }
  brinkShapeDef def = {.structSize = sizeof def, .type = brink_mesh};
  def.mesh = (brinkMeshView){.structSize = sizeof def.mesh,
                             .vertices = vertices,
                             .vertexCount = SIDE * SIDE,
                             .indices = triangles,
                             .triangleCount = 2 * (SIDE - 1) * (SIDE - 1)};
  return brink->createShape(world, &def, out);
}

/* Its upper face at z = 0. */
static brinkStatus AddWall(const brinkPlugin *brink, brinkWorld *world, double size, bool mesh, brinkShapeId *out) {
  static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  double vertices[24];
  for (int i = 0; i < 8; ++i) {
    vertices[3 * i] = i & 1 ? size : -size;
    vertices[3 * i + 1] = i & 2 ? size : -size;
    vertices[3 * i + 2] = i & 4 ? 0 : -0.4;
  }
  brinkShapeDef def = {.structSize = sizeof def, .type = mesh ? brink_mesh : brink_hull};
  def.mesh = (brinkMeshView){
      .structSize = sizeof def.mesh, .vertices = vertices, .vertexCount = 8, .indices = triangles, .triangleCount = 12};
  return brink->createShape(world, &def, out);
}

static brinkStatus AddCollider(const brinkPlugin *brink, brinkWorld *world, brinkBodyId body, brinkShapeId shape) {
  const brinkColliderDef def = {.structSize = sizeof def,
                                .body = body,
                                .shape = shape,
                                .pose = {{0, 0, 0}, {1, 0, 0, 0}},
                                .categoryBits = 1,
                                .collideBits = 1};
  brinkColliderId collider;
  return brink->createCollider(world, &def, &collider);
}

/* The same motions for both schemes; of each the fastest of its repeats. */
static brinkStatus AskMotions(const brinkPlugin *brink, brinkWorld *world, brinkBodyId body, double height, double spin,
                              int repeats, Row *row) {
  for (int scheme = 0; scheme < 2; ++scheme) {
    uint64_t state = 19000;
    row->hits = 0;
    for (int i = 0; i < MOTIONS; ++i) {
      brinkBodyMotion motion = {.structSize = sizeof motion, .kind = brink_motionVelocities};
      motion.pose0.position = Within(&state, 0.3);
      motion.pose0.position.z += height;
      motion.pose0.rotation = (brinkQuat){Uniform(&state), Uniform(&state), Uniform(&state), Uniform(&state)};
      motion.velocity = Within(&state, 0.3);
      motion.spin = Within(&state, spin);
      const brinkQuery query = {.structSize = sizeof query,
                                .mode = brink_modeFirst,
                                .scheme = scheme == 0 ? brink_schemeDefault : brink_schemePaper,
                                .tEnd = 1,
                                .tolerance = 1e-4};
      brinkReport report = {.structSize = sizeof report};
      double best = HUGE_VAL;
      for (int k = 0; k < repeats; ++k) {
        double start = bench_Now();
        brinkStatus status = brink->setBodyMotion(world, body, &motion);
        if (status == brink_ok) status = brink->firstContact(world, &query, &report);
        if (status != brink_ok) return status;
        best = fmin(best, 1e3 * (bench_Now() - start));
      }
      row->mean[scheme] += best / MOTIONS;
      row->worst[scheme] = fmax(row->worst[scheme], best);
      row->nodes[scheme] += (double)report.counters.nodePairs / MOTIONS;
      row->distances[scheme] += (double)report.counters.distanceQueries / MOTIONS;
      row->hits += report.state != brink_free;
    }
  }
  return brink_ok;
}

static bool Measure(double size, int kind, double spin, int repeats, Row *row) {
  const brinkPlugin *brink = brinkEntry(BRINK_ABI_MAJOR, NULL);
  brinkWorld *world = NULL;
  brinkShapeId small = 0, large = 0;
  brinkBodyId body = 0;
  const brinkBodyDef bodyDef = {.structSize = sizeof bodyDef, .pose = {{0, 0, 1}, {1, 0, 0, 0}}};
  const brinkShapeDef ball = {.structSize = sizeof ball, .type = brink_sphere, .size = {0.15, 0, 0}};
  brinkStatus status = brink->createWorld(NULL, NULL, &world);
  if (status == brink_ok) status = brink->createBody(world, &bodyDef, &body);
  if (status == brink_ok)
    status = kind < 2 ? AddSurface(brink, world, true, &small) : brink->createShape(world, &ball, &small);
  if (status == brink_ok)
    status = kind < 2 ? AddWall(brink, world, size, kind == 1, &large) : AddSurface(brink, world, false, &large);
  if (status == brink_ok) status = AddCollider(brink, world, body, small);
  if (status == brink_ok) status = AddCollider(brink, world, 0, large);
  if (status == brink_ok) status = AskMotions(brink, world, body, 0.45, spin, repeats, row);
  if (status != brink_ok)
    fprintf(stderr, "brink-bench: %s: %s\n", row->label, world != NULL ? brink->lastError(world) : "no world");
  brink->destroyWorld(world);
  return status == brink_ok;
}

static void Print(FILE *out, const char *format, const Row *row) {
  fprintf(out, format, row->label, row->mean[0], row->worst[0], row->nodes[0], row->distances[0], row->mean[1],
          row->worst[1], row->distances[1], row->hits);
}

int sizes_Run(int repeats, FILE *markdown) {
  static const struct {
    const char *label;
    double size;
    int kind; /* 0: convex wall, 1: wall of 12 triangles, 2: ball */
    double spin;
  } rows[] = {{"limb, convex wall of 1 m", 1, 0, 1.5},     {"limb, convex wall of 10 m", 10, 0, 1.5},
              {"limb, convex wall of 100 m", 100, 0, 1.5}, {"limb, convex wall of 1000 m", 1000, 0, 1.5},
              {"limb, mesh wall of 1 m", 1, 1, 1.5},       {"limb, mesh wall of 10 m", 10, 1, 1.5},
              {"limb, mesh wall of 100 m", 100, 1, 1.5},   {"limb, mesh wall of 1000 m", 1000, 1, 1.5},
              {"ball over a sheet, not turning", 2, 2, 0}, {"ball over a sheet, up to 50 rad", 2, 2, 30}};
  printf("%-32s | %8s %8s %7s %9s | %8s %8s %9s | hits\n", "us a query", "default", "worst", "nodes", "distances",
         "paper", "worst", "distances");
  if (markdown != NULL)
    fprintf(markdown,
            "| us a query | default | worst | nodes | distances | paper | worst | distances | hits |\n"
            "|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    Row row = {.label = rows[i].label};
    if (!Measure(rows[i].size, rows[i].kind, rows[i].spin, repeats, &row)) return 1;
    Print(stdout, "%-32s | %8.2f %8.2f %7.1f %9.1f | %8.2f %8.2f %9.1f | %d\n", &row);
    if (markdown != NULL) Print(markdown, "| %s | %.2f | %.1f | %.1f | %.1f | %.2f | %.1f | %.1f | %d |\n", &row);
  }
  return 0;
}
