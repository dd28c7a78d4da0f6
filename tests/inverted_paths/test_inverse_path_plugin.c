/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "brink.inverse-path/1" through the C ABI: the answers' shape, implicit solids, patches with their error,
 * sweeps, and everything that is refused, with nothing written over. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "cases.h"
#include "ball_solid.h"
#include "brink/inverse_path.h"
#include "inverse_support.h"

static const brinkPlugin *api;
static const brinkInverseTable *table;
static brinkWorld *world;

static double shiftMatrices[2][12] = {{1, 0, 0, -2, 0, 1, 0, 0.1, 0, 0, 1, 0.15}, {0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0}};
static brinkInverseFactorDef factors[3];
static smallMesh meshes[2];

static brinkInverseMotionDef motionOf(brinkInverseFactorDef *defs, size_t count) {
  return (brinkInverseMotionDef){.structSize = sizeof(brinkInverseMotionDef), .factors = defs, .factorCount = count};
}

static brinkInverseBodyDef meshBody(const smallMesh *m) {
  return (brinkInverseBodyDef){
      .structSize = sizeof(brinkInverseBodyDef), .kind = brink_inverseMesh, .mesh = viewOf(m, true)};
}

/* A block rests at the origin, another passes it along x from -2 to 2, turning. */
static brinkInverseSceneDef makeScene(void) {
  makeBlock(&meshes[0], 0.5, 0.5, 0.5);
  makeBlock(&meshes[1], 0.25, 0.2, 0.3);
  memset(factors, 0, sizeof factors);
  factors[0] = (brinkInverseFactorDef){
      .structSize = sizeof factors[0], .kind = brink_inversePolynomial, .matrices = shiftMatrices[0], .count = 2};
  factors[1] = (brinkInverseFactorDef){
      .structSize = sizeof factors[1], .kind = brink_inverseRotation, .axis = {0, 0, 2}, .angle = {0.1, 1, 0, 0}};
  factors[2] = factors[1];
  factors[2].axis = (brinkVec3){1, 0, 0};
  return (brinkInverseSceneDef){.structSize = sizeof(brinkInverseSceneDef),
                                .a = meshBody(&meshes[0]),
                                .b = meshBody(&meshes[1]),
                                .motionA = motionOf(NULL, 0),
                                .motionB = motionOf(factors, 3)};
}

static brinkInverseQuery makeQuery(void) {
  return (brinkInverseQuery){.structSize = sizeof(brinkInverseQuery), .tEnd = 1};
}

/* Two threads, whatever the order. */
typedef struct halves {
  void (*task)(void *, size_t);
  void *data;
  size_t from, to;
} halves;
static void *runHalf(void *user) {
  halves *h = user;
  for (size_t i = h->from; i < h->to; ++i) h->task(h->data, i);
  return NULL;
}
static void onTwoThreads(void *user, size_t count, void (*task)(void *, size_t), void *data) {
  *(int *)user += 1;
  halves parts[2] = {{task, data, count / 2, count}, {task, data, 0, count / 2}};
  pthread_t other;
  assert_int_equal(pthread_create(&other, NULL, runHalf, &parts[0]), 0);
  runHalf(&parts[1]);
  pthread_join(other, NULL);
}

CASE(two_blocks_meet_once_and_all_answers_agree_on_any_threads) {
  brinkInverseSceneDef scene = makeScene();
  brinkInverseQuery query = makeQuery();
  brinkInverseIntervals whole = {.structSize = sizeof whole};
  assert_int_equal(table->contactIntervals(world, &scene, &query, &whole), brink_ok);
  assert_int_equal(whole.count, 1);
  brinkInverseInterval one = whole.intervals[0];
  assert_int_equal(one.flags, BRINK_INVERSE_PROVEN);
  assert_true(one.startUpper - one.startLower <= 1e-9 && one.endUpper - one.endLower <= 1e-9);
  assert_true(one.startLower > 0.2 && one.endUpper < 0.8 && whole.cells > 50 && whole.error == 0.0);
  assert_true(one.startA < 16 && one.startB < 16);

  query.spacing = 0.05;
  query.insidePitch = 0.08;
  brinkInverseSubset subset = {.structSize = sizeof subset};
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
  assert_true(subset.pointCount > 50 && subset.asked > subset.pointCount && subset.spacing <= 0.05 &&
              subset.faceCount > 4);
  assert_true(subset.vertexCount == meshes[1].vertexCount && subset.triangleCount == meshes[1].triangleCount);
  double first = 2, last = -1;
  size_t inside = 0;
  for (size_t i = 0; i < subset.pointCount; ++i) {
    const brinkInversePoint *p = &subset.points[i];
    assert_true(p->intervalCount >= 1 && p->firstInterval + p->intervalCount <= subset.intervalCount);
    assert_true(p->entry >= one.startLower - 1e-9 && p->exit <= one.endUpper + 1e-9);
    assert_true(fabs(p->entryOnOther.x) < 0.5 + 1e-6 && fabs(p->entryOnOther.y) < 0.5 + 1e-6 &&
                fabs(p->entryOnOther.z) < 0.5 + 1e-6);
    first = fmin(first, p->entry);
    last = fmax(last, p->exit);
    inside += p->face == UINT32_MAX ? 1u : 0u;
  }
  assert_true(inside > 5 && first < one.startUpper + 0.05 && last > one.endLower - 0.05);
  size_t pointCount = subset.pointCount, intervalCount = subset.intervalCount;
  brinkInverseInterval *kept = malloc(intervalCount * sizeof *kept);
  brinkInverseFace *faces = malloc(subset.faceCount * sizeof *faces);
  size_t faceCount = subset.faceCount;
  memcpy(kept, subset.intervals, intervalCount * sizeof *kept);
  memcpy(faces, subset.faces, faceCount * sizeof *faces);
  int calls = 0;
  query.run = onTwoThreads;
  query.runUser = &calls;
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
  assert_true(calls >= 2 && subset.pointCount == pointCount && subset.intervalCount == intervalCount &&
              subset.faceCount == faceCount);
  assert_memory_equal(kept, subset.intervals, intervalCount * sizeof *kept);
  assert_memory_equal(faces, subset.faces, faceCount * sizeof *faces);
  free(kept);
  free(faces);
  query.flags = BRINK_INVERSE_SWAP;
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
  assert_true(subset.pointCount > 50 && subset.triangleCount == meshes[0].triangleCount);
}

CASE(points_follow_their_paths_through_an_implicit_solid) {
  double radius = 0.5;
  brinkInverseSceneDef scene = makeScene();
  brinkInverseQuery query = makeQuery();
  scene.a = (brinkInverseBodyDef){.structSize = sizeof scene.a,
                                  .kind = brink_inverseImplicit,
                                  .bound = ballBound,
                                  .boundUser = &radius,
                                  .boundBox = {{-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}}};
  scene.motionB = motionOf(factors, 1);
  const double points[3][3] = {{0, -0.1, -0.15}, {0, 0.1, 0.15}, {0, 0.9, 0}};
  brinkInverseSubset answer = {.structSize = sizeof answer};
  assert_int_equal(table->pointContacts(world, &scene, &query, points[0], 3, &answer), brink_ok);
  assert_int_equal(answer.pointCount, 3);
  for (int i = 0; i < 2; ++i) { /* x = -2 + 4 t at height h: |x| <= sqrt(r^2 - h^2) */
    double y = points[i][1] + 0.1, z = points[i][2] + 0.15, half = sqrt(0.25 - y * y - z * z);
    assert_int_equal(answer.points[i].intervalCount, 1);
    assert_true(fabs(answer.points[i].entry - (2 - half) / 4) < 1e-9 &&
                fabs(answer.points[i].exit - (2 + half) / 4) < 1e-9);
  }
  assert_int_equal(answer.points[2].intervalCount, 0);
  /* the mesh sampled against the ball */
  query.spacing = 0.1;
  assert_int_equal(table->interference(world, &scene, &query, &answer), brink_ok);
  assert_true(answer.pointCount > 10 && answer.faceCount == 0 && answer.sampledBody == 1);
  /* an implicit solid has no boundary to sample */
  query.flags = BRINK_INVERSE_SWAP;
  assert_int_equal(table->interference(world, &scene, &query, &answer), brink_errorBadValue);
  assert_non_null(strstr(api->lastError(world), "no boundary to sample"));
}

static void ballGradient(void *user, const double low[3], const double high[3], double out[3][2]) {
  (void)user;
  for (int k = 0; k < 3; ++k) {
    out[k][0] = 2 * low[k];
    out[k][1] = 2 * high[k];
  }
}

/* Block B half 0.25, 0.2, 0.3 passes a ball along x at y = 0.1, z = 0.15: its face meets it, at x = -(r + 0.25). */
CASE(whole_implicit_solids_meet_in_either_role_at_the_closed_forms_times) {
  double radius = 0.5, small = 0.2;
  brinkInverseSceneDef scene = makeScene(), exchanged;
  brinkInverseQuery query = makeQuery();
  int calls = 0;
  scene.a = (brinkInverseBodyDef){.structSize = sizeof scene.a,
                                  .kind = brink_inverseImplicit,
                                  .bound = ballBound,
                                  .boundUser = &radius,
                                  .boundBox = {{-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}},
                                  .gradient = ballGradient};
  scene.motionB = motionOf(factors, 1);
  exchanged = scene;
  exchanged.a = scene.b;
  exchanged.b = scene.a;
  exchanged.motionA = scene.motionB;
  exchanged.motionB = scene.motionA;
  for (int role = 0; role < 2; ++role) {
    const brinkInverseSceneDef *asked = role == 0 ? &scene : &exchanged;
    brinkInverseIntervals whole = {.structSize = sizeof whole};
    query.run = NULL;
    assert_int_equal(table->contactIntervals(world, asked, &query, &whole), brink_ok);
    assert_int_equal(whole.count, 1);
    brinkInverseInterval one = whole.intervals[0];
    double start = (2 - 0.75) / 4, end = (2 + 0.75) / 4;
    assert_int_equal(one.flags, BRINK_INVERSE_PROVEN);
    assert_true(one.startLower <= start + 1e-13 && one.startUpper >= start - 1e-13 && one.endLower <= end + 1e-13 &&
                one.endUpper >= end - 1e-13);
    assert_true(one.startUpper - one.startLower <= 1e-9 && one.endUpper - one.endLower <= 1e-9);
    query.run = onTwoThreads;
    query.runUser = &calls;
    assert_int_equal(table->contactIntervals(world, asked, &query, &whole), brink_ok);
    assert_true(whole.count == 1 && calls > 0);
    assert_memory_equal(&one, &whole.intervals[0], sizeof one);
    /* of a mesh and an implicit solid the mesh is sampled, whichever it is */
    brinkInverseSubset subset = {.structSize = sizeof subset};
    assert_int_equal(table->interference(world, asked, &query, &subset), brink_ok);
    assert_true(subset.sampledBody == (role == 0 ? 1u : 0u) && subset.pointCount > 10 && subset.faceCount > 2);
    for (size_t i = 0; i < subset.faceCount; ++i)
      if (subset.faces[i].proven != 0)
        assert_true(subset.faces[i].entryUpper >= one.startLower - 1e-9 &&
                    subset.faces[i].exitLower <= one.endUpper + 1e-9);
  }
  /* two balls: centres 0.1, 0.15 off the line */
  query.run = NULL;
  scene.b = scene.a;
  scene.b.boundUser = &small;
  brinkInverseIntervals whole = {.structSize = sizeof whole};
  assert_int_equal(table->contactIntervals(world, &scene, &query, &whole), brink_ok);
  double half = sqrt(0.7 * 0.7 - 0.1 * 0.1 - 0.15 * 0.15), start = (2 - half) / 4;
  assert_int_equal(whole.count, 1);
  assert_true(whole.intervals[0].startLower <= start + 1e-13 && whole.intervals[0].startUpper >= start - 1e-13);
  assert_true(whole.intervals[0].startUpper - whole.intervals[0].startLower <= 1e-9);
  brinkInverseSubset subset = {.structSize = sizeof subset};
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_errorBadValue);
}

/* Of two meshes the one of more triangles is sampled; flags force either; hosts of the smaller struct get B. */
CASE(the_more_complex_body_is_sampled_unless_told_otherwise) {
  brinkInverseSceneDef scene = makeScene();
  brinkInverseQuery query = makeQuery();
  static smallMesh prism;
  double outline[24][2];
  for (int i = 0; i < 24; ++i) {
    outline[i][0] = 0.5 * cos(2 * INVERSE_PI * i / 24);
    outline[i][1] = 0.5 * sin(2 * INVERSE_PI * i / 24);
  }
  makePrism(&prism, (const double(*)[2])outline, 24, 0.5);
  scene.a = meshBody(&prism);
  query.spacing = 0.1;
  const struct { uint32_t flags, sampled; } cases[] = {{0, 0}, {BRINK_INVERSE_SWAP, 0}, {BRINK_INVERSE_SAMPLE_B, 1}};
  brinkInverseSubset subset = {.structSize = sizeof subset};
  for (int i = 0; i < 3; ++i) {
    query.flags = cases[i].flags;
    assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
    assert_int_equal(subset.sampledBody, cases[i].sampled);
    assert_int_equal(subset.triangleCount, cases[i].sampled == 0 ? prism.triangleCount : meshes[1].triangleCount);
  }
  query.flags = BRINK_INVERSE_SWAP | BRINK_INVERSE_SAMPLE_B;
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_errorBadValue);
  query.flags = 0;
  subset.structSize = offsetof(brinkInverseSubset, sampledBody);
  subset.pathCells = 77;
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
  assert_true(subset.triangleCount == meshes[1].triangleCount && subset.pathCells == 77);
  /* adaptive: pieces with brackets, the same faces */
  subset = (brinkInverseSubset){.structSize = sizeof subset};
  query.spacing = 0.02;
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
  size_t everywhere = subset.asked, faces = subset.faceCount;
  query.flags = BRINK_INVERSE_ADAPTIVE;
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
  assert_true(subset.pieceCount > 100 && subset.spacing <= 0.02 && subset.faceCount == faces);
  if (!(subset.asked < everywhere))
    print_error("%zu samples, %zu pieces of %zu; everywhere %zu\n", subset.asked, subset.pieceCount, subset.piecesAsked,
                everywhere);
  assert_true(subset.asked < everywhere && subset.everywhere >= everywhere);
  size_t in = 0;
  for (size_t i = 0; i < subset.pieceCount; ++i) {
    const brinkInversePiece *p = &subset.pieces[i];
    in += p->in;
    assert_true(p->triangle < prism.triangleCount && p->entryLower <= p->exitUpper);
    if (p->in != 0) /* no longer than asked, by default */
      assert_true(p->entryUpper - p->entryLower <= 0.125 && p->exitUpper - p->exitLower <= 0.125);
  }
  assert_true(in > 20);
  query.entrySpread = -1;
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_errorBadValue);
}

/* An eighth of a sphere is no polynomial; a quarter of a cylinder is a rational quadratic: four close a pipe's wall. */
CASE(patches_are_met_within_their_stated_error) {
  static double controls[4][2][3][4];
  brinkInversePatch patches[4];
  double w = sqrt(0.5);
  const double corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}},
               arc[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
  for (int q = 0; q < 4; ++q) {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j) {
        const double *p = j == 0 ? arc[q] : j == 1 ? corner[q] : arc[q + 1];
        double *c = controls[q][i][j];
        c[0] = p[0], c[1] = p[1], c[2] = i == 0 ? -1 : 1, c[3] = j == 1 ? w : 1;
      }
    patches[q] = (brinkInversePatch){2, 3, controls[q][0][0]};
  }
  brinkInverseSceneDef scene = makeScene();
  brinkInverseQuery query = makeQuery();
  scene.a = (brinkInverseBodyDef){.structSize = sizeof scene.a,
                                  .kind = brink_inversePatches,
                                  .mesh = {.structSize = sizeof(brinkMeshView)},
                                  .patches = patches,
                                  .patchCount = 4,
                                  .patchError = 1e-3};
  /* a point on the axis runs out through the wall: it crosses at x = 1, known within the error */
  static double out[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.1}, {0, 0, 0, 1.7, 0, 0, 0, 0.3, 0, 0, 0, 0}};
  factors[0].matrices = out[0];
  scene.motionB = motionOf(factors, 1);
  const double point[3] = {0, 0, 0};
  brinkInverseSubset answer = {.structSize = sizeof answer};
  double crossing = 1 / sqrt(1.7 * 1.7 + 0.3 * 0.3);
  assert_int_equal(table->pointContacts(world, &scene, &query, point, 1, &answer), brink_ok);
  assert_int_equal(answer.points[0].intervalCount, 1);
  assert_true(answer.error > 0 && answer.error <= 1e-3);
  assert_true(answer.intervals[0].startLower <= crossing && answer.intervals[0].endUpper >= crossing);
  assert_true(answer.intervals[0].endUpper - answer.intervals[0].startLower < 5e-3);
  query.flags = BRINK_INVERSE_TRIANGLES;
  assert_int_equal(table->pointContacts(world, &scene, &query, point, 1, &answer), brink_ok);
  assert_true(answer.intervals[0].endUpper - answer.intervals[0].startLower <= 1e-9);
  assert_true(fabs(answer.points[0].entry - crossing) <= answer.error);
  assert_int_equal(answer.intervals[0].flags, BRINK_INVERSE_PROVEN);
  /* refused: a weight, an error out of reach, an inside that is none */
  query.flags = 0;
  controls[2][1][1][3] = 0;
  assert_int_equal(table->pointContacts(world, &scene, &query, point, 1, &answer), brink_errorBadValue);
  assert_non_null(strstr(api->lastError(world), "patch 2, control 4 has weight 0"));
  controls[2][1][1][3] = w;
  scene.a.patchError = 1e-9;
  assert_int_equal(table->pointContacts(world, &scene, &query, point, 1, &answer), brink_errorRange);
  scene.a.patchError = 0;
  scene.a.mesh.flags = BRINK_MESH_SOLID;
  assert_int_equal(table->pointContacts(world, &scene, &query, point, 1, &answer), brink_errorNotClosed);
  scene.a.patchCount = 0;
  assert_int_equal(table->pointContacts(world, &scene, &query, point, 1, &answer), brink_errorEmpty);
}

/* A can: one spline, its profile turned about z; the same as twelve patches; it falls on the block. */
CASE(splines_and_patches_meet_to_the_tolerance_and_alike) {
  static const double ring[9][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}},
                      profile[4][2] = {{0, -0.4}, {0.3, -0.4}, {0.3, 0.4}, {0, 0.4}};
  static double controls[4][9][4], split[12][2][3][4];
  double knotsU[6] = {0, 0, 1, 2, 3, 3}, knotsV[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
  brinkInversePatch patches[12];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 9; ++j) {
      double *c = controls[i][j];
      c[0] = profile[i][0] * ring[j][0], c[1] = profile[i][0] * ring[j][1], c[2] = profile[i][1];
      c[3] = j % 2 == 1 ? sqrt(0.5) : 1;
    }
  for (int p = 0; p < 12; ++p) {
    for (int i = 0; i < 2; ++i) memcpy(split[p][i], controls[p / 4 + i][2 * (p % 4)], sizeof split[p][i]);
    patches[p] = (brinkInversePatch){2, 3, split[p][0][0]};
  }
  const brinkInverseSpline spline = {1, 2, 4, 9, knotsU, knotsV, controls[0][0]};
  brinkInverseSceneDef scene = makeScene();
  brinkInverseQuery query = makeQuery();
  static double fall[2][12] = {{1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 1, 2}, {0, 0, 0, 0, 0, 0, 0, 0.1, 0, 0, 0, -1.5}};
  factors[0].matrices = fall[0];
  scene.motionB = motionOf(factors, 2); /* turning about its axis too */
  scene.b = (brinkInverseBodyDef){.structSize = sizeof scene.b,
                                  .kind = brink_inverseSplines,
                                  .mesh = {.structSize = sizeof(brinkMeshView), .flags = BRINK_MESH_SOLID},
                                  .splines = &spline,
                                  .splineCount = 1};
  brinkInverseInterval kept[2];
  for (int k = 0; k < 2; ++k) {
    brinkInverseIntervals out = {.structSize = sizeof out};
    if (k == 1) {
      scene.b.kind = brink_inversePatches;
      scene.b.patches = patches;
      scene.b.patchCount = 12;
    }
    assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
    assert_int_equal(out.count, 1);
    kept[k] = out.intervals[0];
    assert_int_equal(kept[k].flags, BRINK_INVERSE_PROVEN | BRINK_INVERSE_AT_END);
    assert_true(kept[k].startLower <= 1.1 / 1.5 && kept[k].startUpper >= 1.1 / 1.5);
    assert_true(kept[k].startUpper - kept[k].startLower <= 1e-9);
    assert_true(kept[k].startA < 12 && kept[k].startB < (k == 0 ? 1u : 12u));
  }
  assert_true(kept[0].startLower == kept[1].startLower && kept[0].startUpper == kept[1].startUpper);
  /* refused, each with its place */
  brinkInverseIntervals out = {.structSize = sizeof out, .count = 77};
  scene.b.kind = brink_inverseSplines;
  knotsU[3] = 0.5;
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_errorBadValue);
  assert_non_null(strstr(api->lastError(world), "body B: spline 0, knot 3 along u is 0.5, below"));
  knotsU[3] = 2;
  scene.b.splineCount = 0;
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_errorEmpty);
  assert_int_equal(out.count, 77);
}

CASE(points_of_space_are_in_on_or_out_of_a_sweep) {
  brinkInverseSceneDef scene = makeScene();
  brinkInverseQuery query = makeQuery();
  static double there[3][16], times[3] = {0, 0.5, 1};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 16; ++k) there[i][k] = k % 5 == 0 ? 1 : 0;
  there[1][3] = 2; /* out along x and back: what it leaves and enters again is a fold */
  brinkInverseFactorDef keys = {.structSize = sizeof keys,
                                .kind = brink_inverseKeys,
                                .blend = brink_inverseLinear,
                                .matrices = there[0],
                                .times = times,
                                .count = 3};
  scene.motionA = motionOf(&keys, 1);
  const double points[4][3] = {{0.1, 0.1, 0.1}, {2.2, 0.2, 0.1}, {0, 0.6, 0}, {1.0, 0.3, -0.2}};
  brinkInverseMembership out[4];
  assert_int_equal(table->sweepMembership(world, &scene, &query, points[0], 4, out), brink_ok);
  assert_true(out[0].side == brink_inverseIn && out[0].fold == brink_inverseFoldInside);
  assert_true(out[1].side == brink_inverseIn && out[1].fold == brink_inverseNoFold);
  assert_true(fabs(out[1].entry - 1.7 / 4) < 1e-9 && fabs(out[1].exit - (1 - 1.7 / 4)) < 1e-9);
  assert_true(out[2].side == brink_inverseOut && out[2].entry == 2.0);
  assert_true(out[3].side == brink_inverseIn && out[3].fold == brink_inverseFoldInside);
}

static void refuse(brinkInverseSceneDef *scene, brinkInverseQuery *query, brinkStatus expected, const char *text) {
  brinkInverseIntervals out = {.structSize = sizeof out, .count = 77, .cells = 5};
  brinkStatus status = table->contactIntervals(world, scene, query, &out);
  if (status != expected)
    print_error("status %d (%s), not %d: %s\n", (int)status, api->lastError(world), (int)expected, text);
  assert_int_equal(status, expected);
  assert_true(out.count == 77 && out.cells == 5 && out.intervals == NULL);
  if (strstr(api->lastError(world), text) == NULL) fail_msg("'%s' does not say '%s'", api->lastError(world), text);
}

CASE(bad_input_is_refused_and_nothing_is_written_over) {
  brinkInverseSceneDef scene = makeScene();
  brinkInverseQuery query = makeQuery();
  brinkInverseFactorDef kept = factors[0];
  query.tStart = 1;
  refuse(&scene, &query, brink_errorBadTime, "tStart");
  query = makeQuery();
  query.timeTolerance = -1;
  refuse(&scene, &query, brink_errorBadValue, "timeTolerance");
  query = makeQuery();
  query.flags = 1u << 7;
  refuse(&scene, &query, brink_errorBadValue, "flags");
  query = makeQuery();
  query.structSize = 8;
  refuse(&scene, &query, brink_errorVersion, "query");
  query = makeQuery();
  refuse(NULL, &query, brink_errorNullArgument, "scene");
  refuse(&scene, NULL, brink_errorNullArgument, "query");
  scene.a.kind = 9;
  refuse(&scene, &query, brink_errorBadValue, "body A");
  scene = makeScene();
  scene.b.mesh.triangleCount = 0;
  refuse(&scene, &query, brink_errorEmpty, "body B");
  scene = makeScene();
  scene.b.mesh.triangleCount -= 1;
  refuse(&scene, &query, brink_errorNotClosed, "body B");
  scene = makeScene();
  meshes[1].vertices[4] = (double)NAN;
  refuse(&scene, &query, brink_errorBadValue, "vertex 1");
  scene = makeScene();
  factors[0].kind = 99;
  refuse(&scene, &query, brink_errorBadValue, "motion B, factor 0");
  factors[0] = kept;
  factors[0].matrices = NULL;
  refuse(&scene, &query, brink_errorNullArgument, "matrices");
  factors[0] = kept;
  factors[0].count = 0;
  refuse(&scene, &query, brink_errorEmpty, "motion B, factor 0");
  factors[0].count = 11;
  refuse(&scene, &query, brink_errorRange, "degree 10");
  factors[0] = kept;
  factors[1].axis = (brinkVec3){0, 0, 0};
  refuse(&scene, &query, brink_errorBadRotation, "factor 1");
  /* keys singular, out of order, weights <= 0 */
  static double keys[3][16], times[3] = {0, 0.4, 1}, weights[3] = {1, -1, 1};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 16; ++k) keys[i][k] = k % 5 == 0 ? 1 : 0;
  factors[0] = (brinkInverseFactorDef){
      .structSize = sizeof factors[0], .kind = brink_inverseKeys, .matrices = keys[0], .times = times, .count = 3};
  scene.motionB = motionOf(factors, 1);
  keys[1][10] = 0;
  refuse(&scene, &query, brink_errorBadValue, "key 1 is singular");
  keys[1][10] = 1;
  times[1] = 0;
  refuse(&scene, &query, brink_errorBadTime, "sort them");
  times[1] = 0.4;
  factors[0].blend = 3;
  refuse(&scene, &query, brink_errorBadValue, "blend 3");
  factors[0].kind = brink_inverseBezier;
  factors[0].weights = weights;
  refuse(&scene, &query, brink_errorBadValue, "weight 1 is -1");
  factors[0].kind = brink_inverseKeys;
  factors[0].blend = brink_inverseLinear;
  keys[1][0] = keys[1][5] = -1; /* half a turn entry by entry: flattened on the way */
  refuse(&scene, &query, brink_errorBadValue, "singular");
  factors[0].blend = brink_inversePolar; /* the same keys as a turn are fine */
  brinkInverseIntervals out = {.structSize = sizeof out};
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
  assert_int_equal(table->contactIntervals(world, &scene, &query, NULL), brink_errorNullArgument);
  brinkInverseMembership member = {.side = 55};
  const double bad[3] = {0, (double)INFINITY, 0};
  assert_int_equal(table->sweepMembership(world, &scene, &query, bad, 1, &member), brink_errorBadValue);
  assert_int_equal(member.side, 55);
  brinkInverseSubset subset = {.structSize = sizeof subset, .asked = 3};
  query.spacing = 1e-12;
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_errorRange);
  assert_int_equal(subset.asked, 3);
}

/* Contact at the very start and to the very end is said to be so; never in contact is an empty list. */
CASE(ends_of_the_motion_are_told_from_contacts) {
  brinkInverseSceneDef scene = makeScene();
  brinkInverseQuery query = makeQuery();
  brinkInverseIntervals out = {.structSize = sizeof out};
  query.tStart = 0.45;
  query.tEnd = 0.55;
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
  assert_int_equal(out.count, 1);
  assert_int_equal(out.intervals[0].flags, BRINK_INVERSE_PROVEN | BRINK_INVERSE_AT_START | BRINK_INVERSE_AT_END);
  assert_true(out.intervals[0].startLower == 0.45 && out.intervals[0].endUpper == 0.55);
  query.tStart = 0;
  query.tEnd = 0.1;
  assert_int_equal(table->contactIntervals(world, &scene, &query, &out), brink_ok);
  assert_int_equal(out.count, 0);
  assert_true(out.openTotal == 0.0);
}

int main(void) {
  api = brinkEntry(BRINK_ABI_MAJOR, NULL);
  table = api->getExtension(BRINK_INVERSE_PATH_NAME);
  if (table == NULL || api->createWorld(NULL, NULL, &world) != brink_ok) return 1;
  int failed = cases_Run(NULL, NULL);
  api->destroyWorld(world);
  return failed;
}
