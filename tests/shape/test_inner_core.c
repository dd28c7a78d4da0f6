/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores of convex shapes: whatever lies within the inset of the core belongs to the shape, by support values in random
 * directions; exact where a closed form is known; no core where there is no inside. */
#include "cases.h"
#include "shape_support.h"

#include "inner_core.h"

enum { directions = 400 };

static brinkVec3 randomUnit(testRandom *random) {
  for (;;) {
    brinkVec3 d = {testRandom_Range(random, -1, 1), testRandom_Range(random, -1, 1), testRandom_Range(random, -1, 1)};
    double length = brinkLength(d);
    if (length > 0.1 && length <= 1) return brinkScale(d, 1 / length);
  }
}

/* Support values of core and shape; those bounds of the core that queries rely on. slack: of the inset, where it is
 * reached in no direction. */
static void checkCore(const brinkShape *shape, double part, testRandom *random) {
  double most = brinkInnerCore_Most(shape), inset = part * most;
  assert_true(most > 0 && isfinite(most));
  double *room = malloc((brinkInnerCore_Room(shape) + 1) * sizeof *room);
  brinkShape core;
  assert_non_null(room);
  brinkMakeInnerCore(shape, inset, room, &core);
  assert_null(core.tree);
  double least = HUGE_VAL, scale = shape->boundRadius;
  brinkVec3 some = {0, 0, 0};
  if (core.piece.kind == brink_piecePoints) some = brinkPiece_Vertex(&core.piece, 0);
  assert_true(brinkDistance(some, core.piece.center) <= core.piece.boundRadius);
  for (int i = 0; i < directions; ++i) {
    brinkVec3 d = randomUnit(random);
    double whole = brinkPiece_SupportValue(&shape->piece, d), inner = brinkPiece_SupportValue(&core.piece, d);
    least = BRINK_MIN(least, whole - inner);
    assert_true(-brinkPiece_SupportValue(&core.piece, brinkNeg(d)) <= inner); /* it is not empty */
    brinkVec3 turned = brinkTMulMV(&core.obb.axes, d);
    double box = brinkDot(core.obb.center, d) + fabs(turned.x) * core.obb.half.x + fabs(turned.y) * core.obb.half.y +
                 fabs(turned.z) * core.obb.half.z;
    assert_true(inner <= box + 1e-12 * scale);
    assert_true(inner <= core.boundRadius * (1 + 1e-12));
  }
  if (least < inset - 1e-12 * scale) fail_msg("a core of inset %g is only %g inside", inset, least);
  free(room);
}

CASE(everything_within_the_inset_belongs_to_the_shape) {
  testRandom random = {77};
  testMesh ball = testMesh_Ball(9, 12, 0.1);
  brinkMeshView view = testMesh_View(&ball, 0);
  const uint32_t types[] = {brink_shapeSphere, brink_shapeCapsule, brink_shapeBox, brink_shapeCylinder,
                            brink_shapeHull};
  for (size_t i = 0; i < 10; ++i) {
    brinkShapeSpec spec = {.type = types[i / 2], .size = {0.5, 0.7, 1.1}};
    spec.margin = i % 2 ? 0.125 : 0.0;
    spec.mesh = &view;
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &spec);
    for (double part = 0.01; part <= 1; part += 0.33) checkCore(shape, part, &random);
    freeShape(&memory, shape);
  }
  testMesh_Free(&ball);
}

CASE(random_hulls_have_a_ball_inside_and_a_core) {
  testRandom random = {5};
  for (int run = 0; run < 60; ++run) {
    double points[3 * 40], stretch = testRandom_Range(&random, 0.05, 1);
    size_t count = 4 + testRandom_Below(&random, 36);
    for (size_t i = 0; i < 3 * count; ++i)
      points[i] = testRandom_Range(&random, -1, 1) * (i % 3 == 2 ? stretch : 1) + 3 * (i % 3 == 0);
    brinkMeshView view = {sizeof view, 0, points, count, NULL, 0};
    brinkShapeSpec spec = {.type = brink_shapeHull, .mesh = &view};
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &spec);
    assert_true(shape->innerRadius > 0);
    for (int i = 0; i < directions; ++i) {
      brinkVec3 d = randomUnit(&random);
      double reach = brinkPiece_SupportValue(&shape->piece, d) - brinkDot(shape->innerCenter, d);
      assert_true(reach >= shape->innerRadius * (1 - 1e-9));
    }
    checkCore(shape, testRandom_Range(&random, 0.05, 1), &random);
    freeShape(&memory, shape);
  }
}

CASE(inner_ball_of_a_cube_is_the_inscribed_one) {
  double points[24];
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) points[3 * i + k] = (i >> k & 1 ? 1.0 : -1.0) + 10;
  brinkMeshView view = {sizeof view, 0, points, 8, NULL, 0};
  brinkShapeSpec spec = {.type = brink_shapeHull, .mesh = &view};
  testMemory memory = {0};
  brinkShape *shape = makeShape(&memory, &spec);
  assert_true(fabs(shape->innerRadius - 1) < 1e-8);
  assert_true(brinkDistance(shape->innerCenter, brinkV3(10, 10, 10)) < 1e-9);
  freeShape(&memory, shape);
}

CASE(what_has_no_inside_has_no_core) {
  double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  brinkMeshView points = {sizeof points, 0, flat, 4, NULL, 0};
  uint32_t two[6] = {0, 1, 2, 1, 3, 2};
  brinkMeshView sheet = {sizeof sheet, 0, flat, 4, two, 2};
  brinkShapeSpec specs[] = {{.type = brink_shapeHull, .mesh = &points},
                            {.type = brink_shapeMesh, .mesh = &sheet},
                            {.type = brink_shapePoint},
                            {.type = brink_shapeSegment, .size = {0, 0, 1}}};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; ++i) {
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &specs[i]);
    assert_true(brinkInnerCore_Most(shape) == 0);
    freeShape(&memory, shape);
  }
  testMemory memory = {0};
  brinkShapeSpec plane = {.type = brink_shapePlane, .normal = {0, 0, 1}, .offset = 2};
  brinkShape *shape = makeShape(&memory, &plane), core;
  assert_true(isinf(brinkInnerCore_Most(shape)));
  brinkMakeInnerCore(shape, 7, NULL, &core);
  assert_true(core.piece.offset == -5);
  freeShape(&memory, shape);
}

int main(void) { return cases_RunAs("inner_core", NULL, NULL); }
