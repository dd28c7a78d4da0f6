/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_INVERSE_SUPPORT_H
#define BRINK_TESTS_INVERSE_SUPPORT_H
/* For tests of inverted trajectories: small meshes (prisms over polygons, threads, tetrahedra), and slow truths in long
 * double that share no code with algorithms: are two placed meshes in contact, and when does that change? */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "brink/types.h"
#include "test_random.h"

#define INVERSE_PI 3.14159265358979323846
#define MESH_VERTICES 1024
#define MESH_TRIANGLES 2048

typedef long double real;

typedef struct smallMesh {
  double vertices[3 * MESH_VERTICES];
  uint32_t indices[3 * MESH_TRIANGLES];
  size_t vertexCount, triangleCount;
} smallMesh;

typedef struct inverseRandom {
  uint64_t state;
} inverseRandom;

static inline double randomBetween(inverseRandom *g, double low, double high) {
  return linearUniform(&g->state, low, high);
}

static inline uint32_t addVertex(smallMesh *m, double x, double y, double z) {
  double *v = m->vertices + 3 * m->vertexCount;
  v[0] = x;
  v[1] = y;
  v[2] = z;
  return (uint32_t)m->vertexCount++;
}
static inline void addTriangle(smallMesh *m, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t *t = m->indices + 3 * m->triangleCount++;
  t[0] = a;
  t[1] = b;
  t[2] = c;
}
static inline brinkMeshView viewOf(const smallMesh *m, bool solid) {
  return (brinkMeshView){.structSize = sizeof(brinkMeshView),
                         .flags = solid ? BRINK_MESH_SOLID : 0u,
                         .vertices = m->vertices,
                         .vertexCount = m->vertexCount,
                         .indices = m->indices,
                         .triangleCount = m->triangleCount};
}

/* Prism over a polygon that is star-shaped about the origin, counterclockwise. */
static inline void makePrism(smallMesh *m, const double (*outline)[2], size_t n, double half) {
  m->vertexCount = m->triangleCount = 0;
  for (size_t i = 0; i < n; ++i) {
    addVertex(m, outline[i][0], outline[i][1], -half);
    addVertex(m, outline[i][0], outline[i][1], half);
  }
  uint32_t below = addVertex(m, 0, 0, -half), above = addVertex(m, 0, 0, half);
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t a = 2 * i, b = 2 * ((i + 1) % (uint32_t)n);
    addTriangle(m, a, b, b + 1);
    addTriangle(m, a, b + 1, a + 1);
    addTriangle(m, below, b, a);
    addTriangle(m, above, a + 1, b + 1);
  }
}

static inline void makeTetrahedron(smallMesh *m, const double p[4][3]) {
  m->vertexCount = m->triangleCount = 0;
  for (int i = 0; i < 4; ++i) addVertex(m, p[i][0], p[i][1], p[i][2]);
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = p[1][k] - p[0][k];
    v[k] = p[2][k] - p[0][k];
    w[k] = p[3][k] - p[0][k];
  }
  double det =
      u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
  bool flip = det > 0;
  static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  for (int f = 0; f < 4; ++f) addTriangle(m, faces[f][0], faces[f][flip ? 2 : 1], faces[f][flip ? 1 : 2]);
}

static inline void makeBlock(smallMesh *m, double x, double y, double z) {
  const double outline[4][2] = {{x, y}, {-x, y}, {-x, -y}, {x, -y}};
  makePrism(m, outline, 4, z);
}

/* Surface of an open screw thread: a helical ribbon with a crest, radius r to r + depth, `turns` turns of `pitch`. */
static inline void makeThread(smallMesh *m, double r, double depth, double pitch, int turns, int perTurn) {
  m->vertexCount = m->triangleCount = 0;
  int n = turns * perTurn;
  for (int i = 0; i <= n; ++i) {
    double angle = 2 * INVERSE_PI * i / perTurn, z = pitch * i / perTurn - 0.5 * pitch * turns;
    addVertex(m, r * cos(angle), r * sin(angle), z - 0.35 * pitch);
    addVertex(m, (r + depth) * cos(angle), (r + depth) * sin(angle), z);
    addVertex(m, r * cos(angle), r * sin(angle), z + 0.35 * pitch);
  }
  for (uint32_t i = 0; i < (uint32_t)n; ++i)
    for (uint32_t k = 0; k < 2; ++k) {
      addTriangle(m, 3 * i + k, 3 * i + 3 + k, 3 * i + 4 + k);
      addTriangle(m, 3 * i + k, 3 * i + 4 + k, 3 * i + 1 + k);
    }
}

/* ---- contact of placed meshes, long double */

static inline real orient3(const real *a, const real *b, const real *c, const real *d) {
  real u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
    w[k] = d[k] - a[k];
  }
  return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static inline bool edgeMeets(const real *p, const real *q, const real *a, const real *b, const real *c) {
  real s = orient3(a, b, c, p), t = orient3(a, b, c, q);
  if ((s > 0 && t > 0) || (s < 0 && t < 0) || s == t) return false;
  real x = orient3(p, q, a, b), y = orient3(p, q, b, c), z = orient3(p, q, c, a);
  return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

typedef struct placedMesh {
  real at[3 * MESH_VERTICES];
  const smallMesh *mesh;
  bool solid;
} placedMesh;

static inline bool windsAround(const placedMesh *m, const real *p) {
  static const real far[3] = {91.234L, 37.77L, 53.13L};
  int crossings = 0;
  for (size_t i = 0; i < m->mesh->triangleCount; ++i) {
    const uint32_t *t = m->mesh->indices + 3 * i;
    crossings += edgeMeets(p, far, m->at + 3 * t[0], m->at + 3 * t[1], m->at + 3 * t[2]) ? 1 : 0;
  }
  return crossings % 2 == 1;
}

static inline bool meshesMeet(const placedMesh *a, const placedMesh *b) {
  static real box[MESH_TRIANGLES][6];
  real whole[6] = {1e30L, 1e30L, 1e30L, -1e30L, -1e30L, -1e30L};
  for (size_t j = 0; j < b->mesh->triangleCount; ++j)
    for (int k = 0; k < 3; ++k) {
      const uint32_t *t = b->mesh->indices + 3 * j;
      real x = b->at[3 * t[0] + k], y = b->at[3 * t[1] + k], z = b->at[3 * t[2] + k];
      box[j][k] = fminl(x, fminl(y, z));
      box[j][3 + k] = fmaxl(x, fmaxl(y, z));
      whole[k] = fminl(whole[k], box[j][k]);
      whole[3 + k] = fmaxl(whole[3 + k], box[j][3 + k]);
    }
  for (size_t i = 0; i < a->mesh->triangleCount; ++i) {
    const uint32_t *t = a->mesh->indices + 3 * i;
    const real *p[3] = {a->at + 3 * t[0], a->at + 3 * t[1], a->at + 3 * t[2]};
    real low[3], high[3];
    bool away = false;
    for (int k = 0; k < 3; ++k) {
      low[k] = fminl(p[0][k], fminl(p[1][k], p[2][k]));
      high[k] = fmaxl(p[0][k], fmaxl(p[1][k], p[2][k]));
      away = away || low[k] > whole[3 + k] || high[k] < whole[k];
    }
    for (size_t j = 0; j < b->mesh->triangleCount && !away; ++j) {
      bool apart = false;
      for (int k = 0; k < 3; ++k) apart = apart || low[k] > box[j][3 + k] || high[k] < box[j][k];
      if (apart) continue;
      const uint32_t *s = b->mesh->indices + 3 * j;
      const real *q[3] = {b->at + 3 * s[0], b->at + 3 * s[1], b->at + 3 * s[2]};
      for (int e = 0; e < 3; ++e)
        if (edgeMeets(p[e], p[(e + 1) % 3], q[0], q[1], q[2]) || edgeMeets(q[e], q[(e + 1) % 3], p[0], p[1], p[2]))
          return true;
    }
  }
  return (a->solid && windsAround(a, b->at)) || (b->solid && windsAround(b, a->at));
}

/* ---- times at which a predicate changes: dense sampling and bisection */

typedef bool (*truthAt)(void *user, real t);

typedef struct truthInterval {
  real start, end; /* within 1e-15 */
  bool begins, ends;
} truthInterval;

static inline real bisectTruth(truthAt truth, void *user, real low, real high, bool atLow) {
  for (int i = 0; i < 50; ++i) {
    real middle = (low + high) / 2;
    if (truth(user, middle) == atLow)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

/* Samples: `samples` even steps of [0,1] and the extra times (ascending), so that what is shorter than a step is seen
 * too. */
static inline size_t findTruth(truthAt truth, void *user, int samples, const double *extra, size_t extraCount,
                               truthInterval *out, size_t capacity) {
  size_t count = 0, used = 0;
  bool before = truth(user, 0);
  real last = 0;
  if (before) out[count++] = (truthInterval){0, 1, false, false};
  for (int i = 1; i <= samples;) {
    real t = (real)i / samples;
    while (used < extraCount && extra[used] <= last) ++used;
    if (used < extraCount && extra[used] < t)
      t = extra[used++];
    else
      ++i;
    bool now = truth(user, t);
    if (now && !before && count < capacity)
      out[count++] = (truthInterval){bisectTruth(truth, user, last, t, false), 1, true, false};
    if (!now && before) {
      out[count - 1].end = bisectTruth(truth, user, last, t, true);
      out[count - 1].ends = true;
    }
    before = now;
    last = t;
  }
  return count;
}

#endif
