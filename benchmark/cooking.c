/* SPDX-License-Identifier: BSD-3-Clause */
/* brinkCook alone on two large meshes, then a shape from what it made: see cooking.h.
 *
 * Both meshes are one grid: flat, it is the ground; folded over an octahedron and blown up, it is the ball. */
#include "cooking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/ccd.h"
#include "brink/cook.h"
#include "crew.h"
#include "measure.h"

typedef struct Grid {
  double *vertices;
  uint32_t *triangles;
  size_t vertexCount, triangleCount;
} Grid;

static double Bumps(double x, double y, double z) {
  return 0.02 * sin(31 * x + 1) * sin(27 * y + 2) * cos(23 * z) + 0.004 * sin(170 * x) * cos(150 * y + 1) +
         0.004 * sin(160 * z + 140 * x);
}

/* (u, v) in [-1, 1]^2 to a point of the octahedron |x| + |y| + |z| = 1; the square's rim meets itself, bit for bit. */
static void FoldOver(double u, double v, double *p) {
  double z = 1 - fabs(u) - fabs(v);
  p[0] = z < 0 ? copysign(1 - fabs(v), u) : u;
  p[1] = z < 0 ? copysign(1 - fabs(u), v) : v;
  p[2] = z;
}

static void MakeGrid(int side, bool ball, Grid *grid) {
  size_t row = (size_t)side + 1;
  *grid = (Grid){.vertexCount = row * row, .triangleCount = 2 * (size_t)side * (size_t)side};
  grid->vertices = malloc(3 * grid->vertexCount * sizeof(double));
  grid->triangles = malloc(3 * grid->triangleCount * sizeof(uint32_t));
  if (grid->vertices == NULL || grid->triangles == NULL) return;
  uint32_t *next = grid->triangles;
  for (int i = 0; i <= side; ++i)
    for (int j = 0; j <= side; ++j) {
      double *p = &grid->vertices[3 * ((size_t)i * row + (size_t)j)];
      double u = 2.0 * i / side - 1, v = 2.0 * j / side - 1;
      if (ball) {
        FoldOver(u, v, p);
        double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        double size = 1 + Bumps(p[0] / length, p[1] / length, p[2] / length);
        for (int k = 0; k < 3; ++k) p[k] *= size / length;
      } else {
        p[0] = u;
        p[1] = v;
        p[2] = Bumps(u, v, 0.3);
      }
      if (i == side || j == side) continue;
      uint32_t a = (uint32_t)((size_t)i * row + (size_t)j), b = a + (uint32_t)row;
      /* the octahedron's edges run along diagonals */
      const bool rising = ball && (i < side / 2) == (j < side / 2);
      const uint32_t falling[6] = {a, b, b + 1, a, b + 1, a + 1}, corners[6] = {a, b, a + 1, a + 1, b, b + 1};
      memcpy(next, rising ? corners : falling, sizeof corners);
      next += 6;
    }
}

/* ms of processor time; 0: failed. */
static double Load(const void *blob, size_t size) {
  const brinkPlugin *brink = brinkEntry(BRINK_ABI_MAJOR, NULL);
  brinkWorld *world = NULL;
  brinkShapeId shape;
  const brinkShapeDef def = {.structSize = sizeof def, .type = brink_mesh, .blob = blob, .blobSize = size};
  brinkStatus status = brink->createWorld(NULL, NULL, &world);
  const double start = crew_ThreadTime();
  if (status == brink_ok) status = brink->createShape(world, &def, &shape);
  const double taken = crew_ThreadTime() - start;
  if (world != NULL) brink->destroyWorld(world);
  return status == brink_ok ? taken : 0;
}

static bool Measure(const char *label, const Grid *grid, int repeats) {
  const brinkMeshView view = {.structSize = sizeof view,
                              .vertices = grid->vertices,
                              .vertexCount = grid->vertexCount,
                              .indices = grid->triangles,
                              .triangleCount = grid->triangleCount};
  const double triangles = (double)grid->triangleCount;
  void *first = NULL;
  size_t firstSize = 0;
  double alone = INFINITY, load = INFINITY;
  bool good = true;
  for (uint32_t threads = 1; threads <= 2 && good; ++threads) {
    double all = INFINITY, path = INFINITY, wall = INFINITY;
    for (int i = 0; i < repeats && good; ++i) {
      crew hands = {.threads = threads};
      const brinkCookOptions options = {.structSize = sizeof options, .run = crew_Run, .runUser = &hands};
      char message[256] = "";
      void *blob = NULL;
      size_t size = 0;
      const double begin = bench_Now(), busy = crew_ProcessTime();
      brinkStatus status = brinkCook(&view, &options, &blob, &size, message, sizeof message);
      const double spent = crew_ProcessTime() - busy;
      wall = fmin(wall, bench_Now() - begin);
      all = fmin(all, spent);
      path = fmin(path, spent - hands.time.all.time + hands.time.longest.time);
      crew_Close(&hands);
      good = status == brink_ok && (first == NULL || (size == firstSize && memcmp(first, blob, size) == 0));
      if (!good) fprintf(stderr, "brink-bench: %s: %s\n", label, message[0] ? message : "other bytes than before");
      if (good && first == NULL) {
        first = blob;
        firstSize = size;
      } else {
        brinkFreeBlob(blob);
      }
    }
    if (!good) break;
    if (threads == 1) alone = path;
    printf("%-14s %8zu %7u | %9.2f %9.2f %9.2f %7.2f |", label, grid->triangleCount, threads, 1e3 * all / triangles,
           1e3 * path / triangles, 1e3 * wall / triangles, alone / path);
    for (int i = 0; i < repeats; ++i) load = fmin(load, Load(first, firstSize));
    printf(" %9.1f %9.1f\n", (double)firstSize / triangles, load);
    fflush(stdout);
    good = load > 0;
  }
  brinkFreeBlob(first);
  return good;
}

int cooking_Run(int side, int repeats) {
  static const char *const labels[] = {"bumpy ground", "bumpy ball"};
  if (side % 2 != 0) {
    fprintf(stderr, "brink-bench: --cook: an even number is wanted\n");
    return 2;
  }
  printf("us a triangle; CPU: of all threads; path: the busiest thread and what is not shared out; the fastest of %d\n",
         repeats);
  printf("%-14s %8s %7s | %9s %9s %9s %7s | %9s %9s\n", "cooking", "of", "threads", "CPU", "path", "wall", "ratio",
         "bytes", "load ms");
  bool good = true;
  for (int i = 0; i < 2 && good; ++i) {
    Grid grid;
    MakeGrid(side, i == 1, &grid);
    good = grid.vertices != NULL && grid.triangles != NULL && Measure(labels[i], &grid, repeats);
    free(grid.vertices);
    free(grid.triangles);
  }
  return good ? 0 : 1;
}
