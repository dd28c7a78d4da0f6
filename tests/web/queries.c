/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the WebAssembly build give the native build's bits? This program is compiled both ways; what it prints must be
 * the same text: every double of every answer in hexadecimal.
 *
 *   queries vf|ee FILE...    public query files (tools/queries.c): vertex-face or edge-edge
 *   queries lines SEED N     N generated queries of the same two kinds, grazing ones among them
 *   queries turns SEED N     N pairs of convex bodies that fly and turn; sin and cos are the C library's
 *
 * A line: number, state, toi, toiUpper, distance, points, normal, normal velocity, features, iterations. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "brink/linear.h"
#include "command.h"

#define TOLERANCE 1e-6 /* m */

static unsigned long number;

static void printVector(const brinkVec3 *v) { printf(" %a %a %a", v->x, v->y, v->z); }

static void fail(const char *what) {
  fprintf(stderr, "queries: %s\n", what);
  exit(1);
}

static const brinkPlugin *api(void) {
  const char *reason = NULL;
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, &reason);
  if (plugin == NULL) fail(reason);
  return plugin;
}

/* Four vertices at the start, the same at the end; the first `points` are body A. */
static void askLinear(brinkWorld *world, double v[8][3], int points) {
  const brinkLinearTable *table = api()->getExtension(BRINK_LINEAR_NAME);
  const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1, .tolerance = TOLERANCE};
  brinkLinearBody body[2];
  uint32_t simplex[2][3];
  brinkLinearContact c = {.structSize = sizeof c};
  for (int k = 0; k < 2; ++k) {
    int first = k == 0 ? 0 : points, count = k == 0 ? points : 4 - points;
    for (int i = 0; i < 3; ++i) simplex[k][i] = (uint32_t)(i < count ? i : count - 1);
    body[k] = (brinkLinearBody){.structSize = sizeof body[k],
                                .vertices0 = v[first],
                                .vertices1 = v[4 + first],
                                .vertexCount = (size_t)count,
                                .simplices = simplex[k],
                                .simplexCount = 1};
  }
  if (table->firstContact(world, &body[0], &body[1], &query, &c) != brink_ok) fail(api()->lastError(world));
  printf("%lu %" PRIu32 " %a %a %a", number++, c.state, c.toi, c.toiUpper, c.distance);
  printVector(&c.pointA);
  printVector(&c.pointB);
  printVector(&c.normal);
  printf(" %a %" PRIu64 "\n", c.normalVelocity, c.iterations);
}

static void askFile(brinkWorld *world, const char *path, int points) {
  brinkText text;
  double vertices[8][3];
  if (!brinkText_Open(&text, path)) exit(2);
  while (brinkQuery_Read(&text, vertices)) askLinear(world, vertices, points);
  if (text.failed) exit(2);
  brinkText_Close(&text);
}

static uint64_t state;

/* splitmix64 */
static double uniform(double low, double high) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return low + (high - low) * ((double)((z ^ z >> 31) >> 11) * 0x1p-53);
}

/* Every third one ends where it began to touch, on a grid of 1/8 m, where many are exactly coplanar. */
static void askGeneratedLines(brinkWorld *world) {
  double v[8][3];
  bool grid = number % 3 == 0;
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = uniform(-1, 1);
      v[i][k] = grid ? floor(8 * x) / 8 : x;
    }
  askLinear(world, v, number % 2 == 0 ? 1 : 2);
}

static brinkColliderId addHull(brinkWorld *world, double x) {
  double vertices[12][3];
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < 3; ++k) vertices[i][k] = uniform(-0.5, 0.5);
  brinkShapeDef shape = {.structSize = sizeof shape, .type = brink_hull};
  shape.mesh = (brinkMeshView){.structSize = sizeof shape.mesh,
                               .flags = BRINK_MESH_CONVEX | BRINK_MESH_SOLID,
                               .vertices = vertices[0],
                               .vertexCount = 12};
  brinkBodyDef body = {.structSize = sizeof body,
                       .pose = {{x, uniform(-0.3, 0.3), uniform(-0.3, 0.3)},
                                {uniform(0.1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}}};
  double length = sqrt(body.pose.rotation.w * body.pose.rotation.w + body.pose.rotation.x * body.pose.rotation.x +
                       body.pose.rotation.y * body.pose.rotation.y + body.pose.rotation.z * body.pose.rotation.z);
  body.pose.rotation.w /= length, body.pose.rotation.x /= length;
  body.pose.rotation.y /= length, body.pose.rotation.z /= length;
  brinkBodyMotion motion = {.structSize = sizeof motion,
                            .kind = brink_motionVelocities,
                            .pose0 = body.pose,
                            .velocity = {-x * uniform(0.2, 1.5), uniform(-1, 1), uniform(-1, 1)},
                            .spin = {uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)}};
  brinkColliderDef collider = {.structSize = sizeof collider, .categoryBits = 1, .collideBits = 1};
  brinkColliderId id = 0;
  collider.pose.rotation.w = 1;
  if (api()->createShape(world, &shape, &collider.shape) != brink_ok ||
      api()->createBody(world, &body, &collider.body) != brink_ok ||
      api()->setBodyMotion(world, collider.body, &motion) != brink_ok ||
      api()->createCollider(world, &collider, &id) != brink_ok)
    fail(api()->lastError(world));
  return id;
}

static void askTurning(void) {
  brinkWorld *world = NULL;
  if (api()->createWorld(NULL, NULL, &world) != brink_ok) fail("no world");
  addHull(world, -1.2);
  addHull(world, 1.2);
  const brinkQuery query = {.structSize = sizeof query, .mode = brink_modePairs, .tEnd = 1, .tolerance = TOLERANCE};
  brinkReport report = {.structSize = sizeof report};
  if (api()->firstContact(world, &query, &report) != brink_ok) fail(api()->lastError(world));
  printf("%lu %" PRIu32 " %a", number++, report.state, report.toi);
  for (size_t i = 0; i < report.contactCount; ++i) {
    const brinkContact *c = &report.contacts[i];
    printf(" %a %a %a", c->toi, c->toiUpper, c->distance);
    printVector(&c->pointA);
    printVector(&c->pointB);
    printVector(&c->normal);
    printf(" %a %" PRIu32, c->normalVelocity, c->iterations);
  }
  putchar('\n');
  api()->destroyWorld(world);
}

int main(int argc, char **argv) {
  brinkWorld *world = NULL;
  const char *kind = argc > 1 ? argv[1] : "";
  bool files = strcmp(kind, "vf") == 0 || strcmp(kind, "ee") == 0, lines = strcmp(kind, "lines") == 0;
  if (!(files && argc > 2) && !((lines || strcmp(kind, "turns") == 0) && argc == 4)) {
    fprintf(stderr, "usage: queries vf|ee FILE... | queries lines|turns SEED COUNT\n");
    return 2;
  }
  if (api()->createWorld(NULL, NULL, &world) != brink_ok) fail("no world");
  if (files) {
    for (int i = 2; i < argc; ++i) askFile(world, argv[i], strcmp(kind, "vf") == 0 ? 1 : 2);
  } else {
    state = strtoull(argv[2], NULL, 10);
    for (unsigned long left = strtoul(argv[3], NULL, 10); left > 0; --left)
      if (lines)
        askGeneratedLines(world);
      else
        askTurning();
  }
  api()->destroyWorld(world);
  return 0;
}
