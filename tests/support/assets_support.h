/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_ASSETS_SUPPORT_H
#define BRINK_TESTS_ASSETS_SUPPORT_H
/* What the tests of assets share: a folder of their own, files in it, a random generator, the closedness of a mesh. */

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "brink/assets.h"
#include "file_bytes.h"

typedef struct testFolder {
  char path[256];
} testFolder;

static inline int makeFolder(void **state) {
  const char *base = getenv("TMPDIR");
  testFolder *folder = calloc(1, sizeof *folder);
  snprintf(folder->path, sizeof folder->path, "%.200s/brink-test-XXXXXX", base != NULL ? base : "/tmp");
  *state = folder;
  return mkdtemp(folder->path) == NULL;
}

static inline int removeFolder(void **state) {
  testFolder *folder = *state;
  DIR *directory = opendir(folder->path);
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
    if (entry->d_name[0] != '.' && unlink(path) != 0) rmdir(path);
  }
  if (directory != NULL) closedir(directory);
  rmdir(folder->path);
  free(folder);
  return 0;
}

/* The path lives until the next call but three. */
static inline const char *inFolder(void **state, const char *name) {
  static char paths[4][400];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", ((testFolder *)*state)->path, name);
  return path;
}

static inline const char *writeBytes(void **state, const char *name, const void *bytes, size_t size) {
  const char *path = inFolder(state, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  return path;
}

static inline const char *writeText(void **state, const char *name, const char *text) {
  return writeBytes(state, name, text, strlen(text));
}

typedef struct testRandom {
  uint64_t state;
} testRandom;

static inline uint64_t nextBits(testRandom *random) {
  random->state = random->state * 6364136223846793005ull + 1442695040888963407ull;
  uint64_t x = random->state ^ random->state >> 33;
  x *= 0xff51afd7ed558ccdull;
  return x ^ x >> 29;
}

static inline size_t nextBelow(testRandom *random, size_t bound) { return (size_t)(nextBits(random) >> 11) % bound; }

static inline double nextUnit(testRandom *random) { return (double)(nextBits(random) >> 11) / 9007199254740992.0; }

/* How many edges are not shared by exactly two triangles in opposite directions. Brute force by sorting. */
static inline int compareEdges(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(uint64_t)); }

typedef struct edgeCount {
  size_t open;         /* one triangle */
  size_t crowded;      /* more than two */
  size_t inconsistent; /* two, in the same direction */
} edgeCount;

static inline edgeCount countEdges(const brinkMesh *mesh) {
  typedef struct edge {
    uint64_t key, forward;
  } edge;
  size_t count = 3 * mesh->triangleCount;
  edge *edges = calloc(count, sizeof *edges);
  for (size_t t = 0; t < mesh->triangleCount; ++t) {
    for (size_t i = 0; i < 3; ++i) {
      uint64_t a = mesh->indices[3 * t + i], b = mesh->indices[3 * t + (i + 1) % 3];
      edges[3 * t + i] = (edge){a < b ? a << 32 | b : b << 32 | a, a < b};
    }
  }
  qsort(edges, count, sizeof *edges, compareEdges);
  edgeCount result = {0, 0, 0};
  for (size_t i = 0; i < count;) {
    size_t end = i, forward = 0;
    for (; end < count && edges[end].key == edges[i].key; ++end) forward += edges[end].forward != 0;
    if (end - i == 1) result.open++;
    if (end - i > 2) result.crowded++;
    if (end - i == 2 && forward != 1) result.inconsistent++;
    i = end;
  }
  free(edges);
  return result;
}

static inline brinkVec3 vertexOf(const brinkMesh *mesh, size_t triangle, size_t corner) {
  const double *v = mesh->vertices + 3 * (size_t)mesh->indices[3 * triangle + corner];
  return (brinkVec3){v[0], v[1], v[2]};
}

/* Signed volume of a closed mesh, and its centre when `centre` is not NULL. */
static inline double volumeOf(const brinkMesh *mesh, brinkVec3 *centre) {
  double volume = 0;
  brinkVec3 moment = {0, 0, 0};
  for (size_t t = 0; t < mesh->triangleCount; ++t) {
    brinkVec3 a = vertexOf(mesh, t, 0), b = vertexOf(mesh, t, 1), c = vertexOf(mesh, t, 2);
    double six = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
    volume += six / 6;
    moment.x += six * (a.x + b.x + c.x) / 24;
    moment.y += six * (a.y + b.y + c.y) / 24;
    moment.z += six * (a.z + b.z + c.z) / 24;
  }
  if (centre != NULL) *centre = (brinkVec3){moment.x / volume, moment.y / volume, moment.z / volume};
  return volume;
}
/* A case in a folder of its own: the text that *state points to. */
#define IN_FOLDER(name) CASE_WITH(name, makeFolder, removeFolder)

#endif
