/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_CONTACT_SUPPORT_H
#define BRINK_TESTS_CONTACT_SUPPORT_H
/* Bodies that exist twice, once for Brink and once for the oracle, and a seeded generator. For test_advance and
 * test_first_contact only. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "test_random.h"
#include "first_contact.h"
#include "make_shape.h"
#include "oracle.h"

enum { testSphere = 1, testCapsule, testBox, testCylinder, testPlane, testHull, testMesh, testPoint, testSegment };
enum { MAX_VERTICES = 128, MAX_TRIANGLES = 256, MAX_CHAIN = 8, MAX_LINKS = 64 };

typedef testRandom generator;

static inline uint64_t nextBits(generator *g) { return splitBits(&g->state); }
static inline double uniform(generator *g, double lower, double upper) { return splitUniform(&g->state, lower, upper); }
static inline brinkVec3 randomIn(generator *g, double size) {
  double x = uniform(g, -size, size), y = uniform(g, -size, size), z = uniform(g, -size, size);
  return brinkV3(x, y, z);
}
static inline brinkVec3 randomDirection(generator *g) {
  for (;;) {
    brinkVec3 v = randomIn(g, 1);
    double length = brinkLength(v);
    if (length > 0.1 && length <= 1) return brinkScale(v, 1 / length);
  }
}
static inline brinkQuat randomRotation(generator *g) {
  for (;;) {
    brinkQuat q = {uniform(g, -1, 1), uniform(g, -1, 1), uniform(g, -1, 1), uniform(g, -1, 1)};
    double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (n > 0.1 && n <= 1 && brinkNormalizeQuat(&q)) return q;
  }
}

/* ---- meshes */

typedef struct meshData {
  double vertices[3 * MAX_VERTICES];
  unsigned triangles[3 * MAX_TRIANGLES];
  int vertexCount, triangleCount;
} meshData;

static inline void addVertex(meshData *mesh, double x, double y, double z) {
  double *v = &mesh->vertices[3 * mesh->vertexCount++];
  v[0] = x;
  v[1] = y;
  v[2] = z;
}
static inline void addTriangle(meshData *mesh, int a, int b, int c) {
  unsigned *t = &mesh->triangles[3 * mesh->triangleCount++];
  t[0] = (unsigned)a;
  t[1] = (unsigned)b;
  t[2] = (unsigned)c;
}
static inline meshData makeBoxMesh(double hx, double hy, double hz) {
  static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  meshData mesh = {.vertexCount = 0};
  for (int i = 0; i < 8; ++i) addVertex(&mesh, (i & 1) ? hx : -hx, (i & 2) ? hy : -hy, (i & 4) ? hz : -hz);
  for (int i = 0; i < 12; ++i) addTriangle(&mesh, faces[i][0], faces[i][1], faces[i][2]);
  return mesh;
}
static inline meshData makeTetrahedronMesh(double size) {
  meshData mesh = {.vertexCount = 0};
  addVertex(&mesh, size, size, size);
  addVertex(&mesh, size, -size, -size);
  addVertex(&mesh, -size, size, -size);
  addVertex(&mesh, -size, -size, size);
  addTriangle(&mesh, 0, 1, 2);
  addTriangle(&mesh, 0, 3, 1);
  addTriangle(&mesh, 0, 2, 3);
  addTriangle(&mesh, 1, 3, 2);
  return mesh;
}
static inline meshData makeIcosahedronMesh(double x, double y, double z) { /* an affine one: convex for any scales */
  static const int faces[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                   {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                   {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  double g = 0.85065080835203993, s = 0.52573111211913361;
  const double corners[12][3] = {{-s, g, 0},  {s, g, 0},  {-s, -g, 0}, {s, -g, 0}, {0, -s, g},  {0, s, g},
                                 {0, -s, -g}, {0, s, -g}, {g, 0, -s},  {g, 0, s},  {-g, 0, -s}, {-g, 0, s}};
  meshData mesh = {.vertexCount = 0};
  for (int i = 0; i < 12; ++i) addVertex(&mesh, x * corners[i][0], y * corners[i][1], z * corners[i][2]);
  for (int i = 0; i < 20; ++i) addTriangle(&mesh, faces[i][0], faces[i][1], faces[i][2]);
  return mesh;
}
/* Closed star-shaped prism of `points` spikes: not convex. */
static inline meshData makeStarMesh(int points, double inner, double outer, double half) {
  meshData mesh = {.vertexCount = 0};
  int n = 2 * points;
  for (int layer = 0; layer < 2; ++layer) {
    for (int i = 0; i < n; ++i) {
      double angle = 3.14159265358979323846 * i / points, r = i % 2 == 0 ? outer : inner;
      addVertex(&mesh, r * cos(angle), r * sin(angle), layer == 0 ? -half : half);
    }
  }
  addVertex(&mesh, 0, 0, -half);
  addVertex(&mesh, 0, 0, half);
  for (int i = 0; i < n; ++i) {
    int j = (i + 1) % n;
    addTriangle(&mesh, i, j, n + j);
    addTriangle(&mesh, i, n + j, n + i);
    addTriangle(&mesh, 2 * n, j, i);
    addTriangle(&mesh, 2 * n + 1, n + i, n + j);
  }
  return mesh;
}
/* Open bumpy sheet of (n-1)^2 squares in the xy plane. */
static inline meshData makeSheetMesh(generator *g, int n, double size, double bump) {
  meshData mesh = {.vertexCount = 0};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      addVertex(&mesh, size * (2.0 * i / (n - 1) - 1), size * (2.0 * j / (n - 1) - 1), uniform(g, -bump, bump));
  for (int i = 0; i + 1 < n; ++i) {
    for (int j = 0; j + 1 < n; ++j) {
      int a = i * n + j, b = a + n;
      addTriangle(&mesh, a, b, a + 1);
      addTriangle(&mesh, a + 1, b, b + 1);
    }
  }
  return mesh;
}

/* ---- shapes and bodies */

static inline brinkShape *makeShape(brinkContext *context, const brinkShapeSpec *spec) {
  brinkShape *shape = NULL;
  brinkStatus status = brinkCreateShape(context, spec, &shape);
  if (status != brink_ok) fail_msg("shape: %s", context->message);
  return shape;
}
static inline brinkShape *makeMeshShape(brinkContext *context, const meshData *mesh, uint32_t type, uint32_t flags) {
  brinkMeshView view = {
      sizeof view, flags, mesh->vertices, (size_t)mesh->vertexCount, mesh->triangles, (size_t)mesh->triangleCount};
  brinkShapeSpec spec = {.type = type, .mesh = &view};
  return makeShape(context, &spec);
}
static inline brinkShape *makeSphere(brinkContext *context, double radius) {
  brinkShapeSpec spec = {.type = testSphere, .size = {radius, 0, 0}};
  return makeShape(context, &spec);
}
static inline brinkShape *makeBox(brinkContext *context, double x, double y, double z) {
  brinkShapeSpec spec = {.type = testBox, .size = {x, y, z}};
  return makeShape(context, &spec);
}
static inline brinkShape *makePlane(brinkContext *context, brinkVec3 normal, double offset) {
  brinkShapeSpec spec = {.type = testPlane, .normal = normal, .offset = offset};
  return makeShape(context, &spec);
}

typedef struct testTree {
  brinkLinkMotion links[MAX_LINKS];
  brinkMotionTree tree;
} testTree;

/* Appends a chain below `parent`; the last link's index. */
static inline int32_t addChain(testTree *tree, const oracleLink *chain, int count, int32_t parent) {
  for (int i = 0; i < count; ++i) {
    const oracleLink *link = &chain[i];
    brinkPose pose = {brinkV3_FromArray(link->position),
                      {link->rotation[0], link->rotation[1], link->rotation[2], link->rotation[3]}};
    tree->links[tree->tree.linkCount] =
        brinkMakeLinkMotionVelocities(parent, pose, brinkV3_FromArray(link->velocity), brinkV3_FromArray(link->spin));
    parent = tree->tree.linkCount++;
    tree->tree.links = tree->links;
  }
  return parent;
}
static inline void clearTree(testTree *tree) { tree->tree = (brinkMotionTree){tree->links, 0}; }

static inline oracleLink makeLink(brinkVec3 position, brinkQuat q, brinkVec3 velocity, brinkVec3 spin) {
  return (oracleLink){{position.x, position.y, position.z},
                      {q.w, q.x, q.y, q.z},
                      {velocity.x, velocity.y, velocity.z},
                      {spin.x, spin.y, spin.z}};
}
static inline oracleBody makeOracleBody(const meshData *mesh, const oracleLink *chain, int count, bool solid) {
  return (oracleBody){chain, count, mesh->vertices, mesh->vertexCount, mesh->triangles, mesh->triangleCount, solid, 0};
}

static const brinkQuat unturned = {1, 0, 0, 0};

/* The contract: what a right answer is, asked of the oracle. False (with a printed reason) when it is not. *undecided
 * is counted up when the oracle could not say within its budget. */
static inline bool oracleAgrees(const brinkPairResult *result, const oracleBody *a, const oracleBody *b, double tEnd,
                                double eps, int budget, int *undecided) {
  long double t, smallest, at = (long double)result->toi;
  oracleVerdict verdict;
  switch (result->state) {
    case brink_free:
      verdict = oracleFree(a, b, 0, (long double)tEnd, 1e-13L, budget, &t, &smallest);
      if (verdict == oracle_undecided) ++*undecided;
      if (verdict == oracle_contact) printf("missed: contact at %.17Lg\n", t);
      if (verdict == oracle_free && smallest < (long double)result->distance * (1 - 1e-9L))
        printf("distance bound %.17g, but %.17Lg is met\n", result->distance, smallest);
      return verdict == oracle_undecided ||
             (verdict == oracle_free && smallest >= (long double)result->distance * (1 - 1e-9L));
    case brink_hit: {
      long double distance = oracleDistance(a, b, at);
      if (distance > (long double)eps * (1 + 1e-9L)) {
        printf("early: distance %.17Lg > %g at %.17g\n", distance, eps, result->toi);
        return false;
      }
      if (!(distance > 0)) {
        printf("late: crossing at %.17g\n", result->toi);
        return false;
      }
      /* other parts may be nearer than the witnesses, but the witnesses are within the tolerance */
      if ((long double)result->distance < distance - 1e-12L || result->distance > eps) {
        printf("distance %.17g reported, %.17Lg true\n", result->distance, distance);
        return false;
      }
      verdict = oracleFree(a, b, 0, at, 1e-13L, budget, &t, &smallest);
      if (verdict == oracle_undecided) ++*undecided;
      if (verdict == oracle_contact) printf("late: contact at %.17Lg, toi %.17g\n", t, result->toi);
      return verdict != oracle_contact;
    }
    case brink_overlap:
      if (oracleDistance(a, b, 0) > 1e-12L) {
        printf("overlap reported, distance %.17Lg\n", oracleDistance(a, b, 0));
        return false;
      }
      return true;
    case brink_unresolved:
    default:
      printf("unresolved at %.17g\n", result->toi);
      return false;
  }
}

#endif
