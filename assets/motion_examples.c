/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins for the four examples of Ilies et al. (inverted trajectories), section 3. See brink/interference_assets.h.
 * Sizes about 1 m; all motions are keys, as the paper's were. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "brink/interference_assets.h"
#include "message.h"

#define TURN 6.283185307179586
#define KEYS 25

static const char *const names[BRINK_MOTION_EXAMPLES] = {"cubes", "parts", "scans", "cylinder"};
static const char *const titles[BRINK_MOTION_EXAMPLES] = {"Two cubes on a curve, turning about x and z",
                                                          "Two parts of 850 and 240 patches",
                                                          "An open surface of 2,900 triangles against a solid of 2,700",
                                                          "A cylinder that turns, grows and shrinks meets two posts"};

const char *brinkMotionExampleName(int index) {
  return index >= 0 && index < BRINK_MOTION_EXAMPLES ? names[index] : NULL;
}

static bool makeRoom(brinkMesh *mesh, size_t vertices, size_t triangles) {
  mesh->vertices = malloc(3 * vertices * sizeof(double));
  mesh->indices = malloc(3 * triangles * sizeof(uint32_t));
  return mesh->vertices != NULL && mesh->indices != NULL;
}

static uint32_t addVertex(brinkMesh *mesh, double x, double y, double z) {
  double *v = mesh->vertices + 3 * mesh->vertexCount;
  v[0] = x;
  v[1] = y;
  v[2] = z;
  return (uint32_t)mesh->vertexCount++;
}

static void addTriangle(brinkMesh *mesh, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t *t = mesh->indices + 3 * mesh->triangleCount++;
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

static void addBlock(brinkMesh *mesh, double middle, double x, double y, double z) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  uint32_t first = (uint32_t)mesh->vertexCount;
  for (int i = 0; i < 8; ++i)
    addVertex(mesh, middle + ((i & 1) != 0 ? x : -x), (i & 2) != 0 ? y : -y, (i & 4) != 0 ? z : -z);
  for (int q = 0; q < 6; ++q) {
    addTriangle(mesh, first + quads[q][0], first + quads[q][1], first + quads[q][2]);
    addTriangle(mesh, first + quads[q][0], first + quads[q][2], first + quads[q][3]);
  }
}

static bool makeBlock(brinkMesh *mesh, double x, double y, double z) {
  if (!makeRoom(mesh, 8, 12)) return false;
  addBlock(mesh, 0.0, x, y, z);
  return true;
}

static bool makePosts(brinkMesh *mesh) {
  if (!makeRoom(mesh, 16, 24)) return false;
  addBlock(mesh, -0.8, 0.15, 0.5, 0.4);
  addBlock(mesh, 0.8, 0.15, 0.5, 0.4);
  return true;
}

/* Closed along both directions: a tube whose centre line is closed. */
static bool makeCoil(brinkMesh *mesh, int along, int around) {
  if (!makeRoom(mesh, (size_t)along * around, (size_t)2 * along * around)) return false;
  for (int i = 0; i < along; ++i) {
    double a = TURN * i / along, r = 0.62 + 0.16 * cos(3.0 * a),
           swell = 0.13 + 0.05 * sin(5.0 * a) + 0.03 * cos(9.0 * a);
    for (int j = 0; j < around; ++j) {
      double b = TURN * j / around, s = swell * (1.0 + 0.12 * cos(4.0 * b + 2.0 * a)), out = r + s * cos(b);
      addVertex(mesh, out * cos(a), out * sin(a), 0.3 * sin(3.0 * a) + s * sin(b));
    }
  }
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < around; ++j) {
      uint32_t p = (uint32_t)(i * around + j), q = (uint32_t)(i * around + (j + 1) % around);
      uint32_t r = (uint32_t)((i + 1) % along * around + j),
               s = (uint32_t)((i + 1) % along * around + (j + 1) % around);
      addTriangle(mesh, p, r, s);
      addTriangle(mesh, p, s, q);
    }
  return true;
}

/* A rounded body with two ears, open below and between the ears. */
static bool makeBlob(brinkMesh *mesh, int around, int rows) {
  if (!makeRoom(mesh, (size_t)around * (rows + 1), (size_t)2 * around * rows)) return false;
  for (int j = 0; j <= rows; ++j) {
    double latitude = -0.40 * TURN / 2.0 + 0.86 * TURN / 2.0 * j / rows;
    for (int i = 0; i < around; ++i) {
      double a = TURN * i / around,
             ears = exp(-14.0 * pow(latitude - 0.95, 2.0)) * exp(-3.0 * (1.0 - fabs(cos(a)))) * 0.45;
      double r = 0.34 + ears + 0.03 * sin(7.0 * a) * cos(6.0 * latitude) + 0.05 * cos(a) * cos(latitude);
      addVertex(mesh, r * cos(latitude) * cos(a), 0.85 * r * cos(latitude) * sin(a), r * sin(latitude));
    }
  }
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < around; ++i) {
      uint32_t p = (uint32_t)(j * around + i), q = (uint32_t)(j * around + (i + 1) % around);
      addTriangle(mesh, p, q, q + (uint32_t)around);
      addTriangle(mesh, p, q + (uint32_t)around, p + (uint32_t)around);
    }
  return true;
}

static bool makeCylinder(brinkMesh *mesh, double radius, double half, int around, int rows) {
  if (!makeRoom(mesh, (size_t)around * (rows + 1) + 2, (size_t)2 * around * (rows + 1))) return false;
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i < around; ++i)
      addVertex(mesh, radius * cos(TURN * i / around), radius * sin(TURN * i / around), -half + 2.0 * half * j / rows);
  uint32_t below = addVertex(mesh, 0, 0, -half), above = addVertex(mesh, 0, 0, half), n = (uint32_t)around,
           top = n * (uint32_t)rows;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t next = (i + 1) % n;
    for (uint32_t j = 0; j < (uint32_t)rows; ++j) {
      uint32_t p = j * n + i, q = j * n + next;
      addTriangle(mesh, p, q, q + n);
      addTriangle(mesh, p, q + n, p + n);
    }
    addTriangle(mesh, below, next, i);
    addTriangle(mesh, above, top + i, top + next);
  }
  return true;
}

/* ---- patches: a periodic rational bicubic B-spline, its Bezier patches */

/* Control point of the net: a ring with ribs. */
static void netPoint(int i, int j, int along, int around, double ribs, double radius, double thick, double out[4]) {
  double a = TURN * i / along, b = TURN * j / around,
         s = thick * (1.0 + 0.35 * cos(ribs * a)) * (1.0 + 0.15 * cos(3.0 * b));
  out[3] = 1.0 + 0.4 * ((i * 7 + j * 3) % 5) / 5.0;
  out[0] = (radius + s * cos(b)) * cos(a);
  out[1] = (radius + s * cos(b)) * sin(a);
  out[2] = s * sin(b);
}

/* Bezier control values of one span of a uniform cubic B-spline from its four control values. */
static void spanControls(const double p[4], double out[4]) {
  out[0] = (p[0] + 4.0 * p[1] + p[2]) / 6.0;
  out[1] = (2.0 * p[1] + p[2]) / 3.0;
  out[2] = (p[1] + 2.0 * p[2]) / 3.0;
  out[3] = (p[1] + 4.0 * p[2] + p[3]) / 6.0;
}

static double *makeRing(int along, int around, double ribs, double radius, double thick) {
  double *patches = malloc((size_t)along * around * 64 * sizeof(double));
  for (int i = 0; patches != NULL && i < along; ++i)
    for (int j = 0; j < around; ++j) {
      double net[4][4][4], rows[4][4][4], *out = patches + 64 * ((size_t)i * around + j);
      for (int p = 0; p < 4; ++p)
        for (int q = 0; q < 4; ++q) {
          netPoint((i + p) % along, (j + q) % around, along, around, ribs, radius, thick, net[p][q]);
          for (int k = 0; k < 3; ++k) net[p][q][k] *= net[p][q][3];
        }
      for (int q = 0; q < 4; ++q)
        for (int k = 0; k < 4; ++k) {
          const double p[4] = {net[0][q][k], net[1][q][k], net[2][q][k], net[3][q][k]};
          double b[4];
          spanControls(p, b);
          for (int m = 0; m < 4; ++m) rows[m][q][k] = b[m];
        }
      for (int m = 0; m < 4; ++m)
        for (int k = 0; k < 4; ++k) {
          const double p[4] = {rows[m][0][k], rows[m][1][k], rows[m][2][k], rows[m][3][k]};
          double b[4];
          spanControls(p, b);
          for (int n = 0; n < 4; ++n) out[16 * m + 4 * n + k] = b[n];
        }
      for (int c = 0; c < 16; ++c)
        for (int k = 0; k < 3; ++k) out[4 * c + k] /= out[4 * c + 3];
    }
  return patches;
}

/* ---- motions */

typedef struct course {
  double from[3], to[3], bow[3]; /* the translation's curve: straight, and bowed by a parabola */
  double turnX, turnZ;           /* rad over the motion */
  double grow[3];                /* scale at the middle; back to 1 at the end */
} course;

static bool makeKeys(brinkMotionExample *out, const course *c) {
  out->keyCount = KEYS;
  out->times = malloc(KEYS * sizeof(double));
  out->keys = calloc(KEYS, 16 * sizeof(double));
  if (out->times == NULL || out->keys == NULL) return false;
  for (int i = 0; i < KEYS; ++i) {
    double t = (double)i / (KEYS - 1), x = c->turnX * t, z = c->turnZ * t, *m = out->keys + 16 * i;
    const double rz[3][3] = {{cos(z), -sin(z), 0}, {sin(z), cos(z), 0}, {0, 0, 1}},
                 rx[3][3] = {{1, 0, 0}, {0, cos(x), -sin(x)}, {0, sin(x), cos(x)}};
    out->times[i] = i == KEYS - 1 ? 1.0 : t;
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) {
        for (int n = 0; n < 3; ++n) m[4 * r + k] += rz[r][n] * rx[n][k];
        m[4 * r + k] *= 1.0 + (c->grow[k] - 1.0) * 4.0 * t * (1.0 - t);
      }
      m[4 * r + 3] = c->from[r] + t * (c->to[r] - c->from[r]) + 4.0 * t * (1.0 - t) * c->bow[r];
    }
    m[15] = 1.0;
  }
  return true;
}

static bool makeCubes(brinkMotionExample *out) {
  const course c = {{-1.7, -0.5, 0.2}, {1.7, -0.3, 0.4}, {0.0, 1.0, 0.25}, 2.2, 1.6, {1, 1, 1}};
  out->flags[0] = out->flags[1] = BRINK_MESH_SOLID;
  out->spacing = 0.0058; /* 10k points a face */
  return makeBlock(&out->mesh[0], 0.5, 0.5, 0.5) && makeBlock(&out->mesh[1], 0.5, 0.5, 0.5) && makeKeys(out, &c);
}

static bool makeParts(brinkMotionExample *out) {
  const course c = {{-1.9, 0.55, 0.1}, {1.6, 0.35, -0.1}, {0, 0.35, 0.2}, 1.3, 2.4, {1, 1, 1}};
  out->flags[0] = out->flags[1] = BRINK_MESH_SOLID;
  out->patchError = 8e-3;
  out->spacing = 0.03;
  out->patches[0] = makeRing(20, 12, 4.0, 0.5, 0.2);
  out->patches[1] = makeRing(34, 25, 7.0, 0.6, 0.22);
  out->patchCount[0] = 240;
  out->patchCount[1] = 850;
  return out->patches[0] != NULL && out->patches[1] != NULL && makeKeys(out, &c);
}

static bool makeScans(brinkMotionExample *out) {
  const course c = {{-1.6, 0.2, 0.3}, {1.5, -0.2, 0.1}, {0, 0.2, -0.35}, 1.9, 3.4, {1, 1, 1}};
  out->flags[0] = BRINK_MESH_SOLID;
  out->spacing = 0.03;
  return makeCoil(&out->mesh[0], 75, 18) && makeBlob(&out->mesh[1], 50, 29) && makeKeys(out, &c);
}

static bool makeDeforming(brinkMotionExample *out) {
  const double turn = 80.0 / 360.0 * TURN;
  const course c = {{-1.9, 0.1, 0.25}, {1.9, 0.25, 0.1}, {0, 0.1, 0.3}, turn, turn, {1.5, 0.7, 1.3}};
  out->flags[0] = out->flags[1] = BRINK_MESH_SOLID;
  out->spacing = 0.02;
  out->insidePitch = 0.05;
  return makePosts(&out->mesh[0]) && makeCylinder(&out->mesh[1], 0.25, 0.5, 36, 10) && makeKeys(out, &c);
}

brinkStatus brinkMakeMotionExample(const char *name, brinkMotionExample *out, char *message, size_t messageCapacity) {
  static bool (*const make[BRINK_MOTION_EXAMPLES])(brinkMotionExample *) = {makeCubes, makeParts, makeScans,
                                                                            makeDeforming};
  brinkSay(message, messageCapacity, "%s", "");
  if (name == NULL || out == NULL) {
    brinkSay(message, messageCapacity, "brinkMakeMotionExample: %s is NULL", name == NULL ? "name" : "out");
    return brink_errorNullArgument;
  }
  for (int i = 0; i < BRINK_MOTION_EXAMPLES; ++i) {
    if (strcmp(name, names[i]) != 0) continue;
    brinkMotionExample example;
    memset(&example, 0, sizeof example);
    example.name = names[i];
    example.title = titles[i];
    if (make[i](&example)) {
      *out = example;
      return brink_ok;
    }
    brinkFreeMotionExample(&example);
    brinkSay(message, messageCapacity, "%s: no memory", name);
    return brink_errorNoMemory;
  }
  brinkSay(message, messageCapacity, "'%s' is not an example; there are cubes, parts, scans, cylinder", name);
  return brink_errorBadValue;
}

void brinkFreeMotionExample(brinkMotionExample *example) {
  for (int k = 0; k < 2; ++k) {
    free(example->mesh[k].vertices);
    free(example->mesh[k].indices);
    free(example->patches[k]);
  }
  free(example->times);
  free(example->keys);
  memset(example, 0, sizeof *example);
}
