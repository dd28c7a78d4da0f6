/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes: supports against brute force, support values never below any point of the body, bounds, creation, refusal. */
#include "cases.h"
#include "shape_support.h"

#include "bounds.h"
#include "brink/cook.h"
#include "convex.h"
#include "hull_tree.h"

static brinkShapeSpec simpleSpec(uint32_t type) {
  return (brinkShapeSpec){.type = type, .size = {0.5, 0.7, 1.1}, .normal = {0, 0, 1}};
}

/* A random point of the core, by its definition. */
static brinkVec3 sampleCore(const brinkShape *shape, testRandom *random) {
  const brinkPiece *piece = &shape->piece;
  brinkVec3 p = {0, 0, 0};
  if (piece->kind == brink_piecePoints) {
    double total = 0.0;
    for (int k = 0; k < 4; ++k) {
      double weight = testRandom_Range(random, 0, 1);
      total += weight;
      p = brinkMulAdd(p, weight, brinkPiece_Vertex(piece, testRandom_Below(random, piece->count)));
    }
    return brinkScale(p, 1.0 / total);
  }
  if (piece->kind == brink_pieceBox)
    return brinkV3(testRandom_Range(random, -1, 1) * piece->half.x, testRandom_Range(random, -1, 1) * piece->half.y,
                   testRandom_Range(random, -1, 1) * piece->half.z);
  double a = testRandom_Range(random, 0, 2 * PI), r = piece->half.x * sqrt(testRandom_Range(random, 0, 1));
  return brinkV3(r * cos(a), r * sin(a), testRandom_Range(random, -1, 1) * piece->half.z);
}

CASE(supports_and_bounds_hold_for_every_kind) {
  testRandom random = {1};
  testMesh ball = testMesh_Ball(9, 12, 0.1);
  brinkMeshView view = testMesh_View(&ball, 0);
  const uint32_t types[] = {brink_shapeSphere, brink_shapeCapsule, brink_shapeBox,     brink_shapeCylinder,
                            brink_shapeHull,   brink_shapePoint,   brink_shapeSegment, brink_shapeMesh};
  for (size_t i = 0; i < 16; ++i) {
    brinkShapeSpec spec = simpleSpec(types[i / 2]);
    spec.margin = i % 2 ? 0.125 : 0.0;
    spec.mesh = &view;
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &spec);
    const brinkPiece *piece = &shape->piece;
    assert_int_equal(shape->type, spec.type);
    for (int trial = 0; trial < 500; ++trial) {
      brinkVec3 d = testRandom_Vector(&random, trial % 3 == 0 ? 1e-3 : 10.0), support;
      if (trial % 7 == 0) d.x = 0;
      if (trial % 11 == 0) d.y = 0;
      if (trial == 77) d = brinkV3(0, 0, 2);
      uint32_t index = brinkPiece_Support(piece, d, testRandom_Below(&random, 1000), &support);
      double bound = brinkPiece_SupportValue(piece, d), length = brinkLength(d);
      brinkVec3 vertex = brinkPiece_Vertex(piece, index);
      if (piece->kind != brink_pieceCylinder) assert_memory_equal(&vertex, &support, sizeof vertex);
      double reached = brinkDot(support, d) + piece->radius * length;
      assert_true(reached <= bound);
      assert_true(reached >= bound - 1e-14 * length); /* and both are tight */
      brinkVec3 p = sampleCore(shape, &random);
      assert_true(brinkDot(p, d) + piece->radius * length <= bound + 1e-15 * length);
      assert_true(brinkDistance(p, piece->center) <= piece->boundRadius * (1 + 1e-15));
      brinkVec3 q = length > 0 ? brinkMulAdd(p, piece->radius / length, d) : p;
      assert_true(brinkLength(q) <= shape->boundRadius * (1 + 1e-15));
      brinkVec3 y = brinkAbsV3(brinkTMulMV(&shape->obb.axes, brinkSub(q, shape->obb.center)));
      assert_true(y.x <= shape->obb.half.x + 1e-15 && y.y <= shape->obb.half.y + 1e-15 &&
                  y.z <= shape->obb.half.z + 1e-15);
    }
    freeShape(&memory, shape);
  }
  testMesh_Free(&ball);
}

CASE(sizes_follow_from_the_definition) {
  const double margin = 0.25;
  struct {
    uint32_t type;
    double thickness, boundRadius;
    brinkVec3 half;
  } expected[] = {{brink_shapeSphere, 1.5, 0.75, {0.75, 0.75, 0.75}},
                  {brink_shapeCapsule, 1.5, 1.85, {0.75, 0.75, 1.85}},
                  {brink_shapeBox, 1.5, 0, {0.75, 0.95, 1.35}},
                  {brink_shapeCylinder, 1.5, 0, {0.75, 0.75, 1.35}},
                  {brink_shapePoint, 0.5, 0.25, {0.25, 0.25, 0.25}}};
  expected[2].boundRadius = sqrt(0.25 + 0.49 + 1.21) + margin;
  expected[3].boundRadius = sqrt(0.25 + 1.21) + margin;
  for (int i = 0; i < 5; ++i) {
    brinkShapeSpec spec = simpleSpec(expected[i].type);
    spec.margin = margin;
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &spec);
    assert_true(fabs(shape->thickness - expected[i].thickness) < 1e-14);
    assert_true(shape->boundRadius >= expected[i].boundRadius - 1e-15 &&
                shape->boundRadius < expected[i].boundRadius + 1e-14);
    /* extents along the frame's axes, whatever order the box has its axes in */
    for (int k = 0; k < 3; ++k) {
      double h[3] = {shape->obb.half.x, shape->obb.half.y, shape->obb.half.z}, extent = 0;
      for (int j = 0; j < 3; ++j) extent += fabs(shape->obb.axes.m[k][j]) * h[j];
      double want = k == 0 ? expected[i].half.x : k == 1 ? expected[i].half.y : expected[i].half.z;
      assert_true(extent >= want - 1e-15 && extent < want + 1e-13);
    }
    freeShape(&memory, shape);
  }
}

CASE(plane_is_normalised_and_without_bounds) {
  const double scales[] = {1, 1e-300, 1e300};
  for (int i = 0; i < 3; ++i) {
    brinkShapeSpec spec = {
        .type = brink_shapePlane, .normal = {0, 3 * scales[i], 4 * scales[i]}, .offset = 10 * scales[i]};
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &spec);
    assert_true(fabs(shape->piece.offset - 2.0) < 1e-14);
    assert_true(fabs(shape->piece.normal.y - 0.6) < 1e-15 && fabs(shape->piece.normal.z - 0.8) < 1e-15);
    assert_true(isinf(shape->thickness) && isinf(shape->boundRadius) && isinf(shape->obb.half.x));
    double along = brinkPiece_SupportValue(&shape->piece, brinkScale(shape->piece.normal, 2.0));
    assert_true(along >= 4.0 && along < 4.0 + 1e-13);
    assert_true(isinf(brinkPiece_SupportValue(&shape->piece, brinkV3(0, 0, 1))));
    assert_true(isinf(brinkPiece_SupportValue(&shape->piece, brinkNeg(shape->piece.normal))));
    freeShape(&memory, shape);
  }
}

CASE(large_hulls_are_climbed_to_the_top) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    testRandom random = {seed};
    const uint32_t sizes[] = {30, 100, 1000, 5000};
    uint32_t count = sizes[seed - 1];
    testMesh mesh = testMesh_Make(count, 0);
    for (uint32_t i = 0; i < count; ++i) {
      brinkVec3 p = brinkNormalizeOr(testRandom_Vector(&random, 1.0), brinkV3(1, 0, 0));
      mesh.vertices[3 * i] = 3 + p.x, mesh.vertices[3 * i + 1] = p.y, mesh.vertices[3 * i + 2] = 0.3 * p.z;
    }
    brinkMeshView view = testMesh_View(&mesh, 0);
    brinkShapeSpec spec = {.type = brink_shapeHull, .mesh = &view};
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &spec);
    assert_non_null(shape->piece.neighborStart);
    assert_true(shape->flags & BRINK_MESH_CONVEX);
    for (int trial = 0; trial < 300; ++trial) {
      brinkVec3 d = testRandom_Vector(&random, 1.0), support;
      double largest = -INFINITY;
      for (uint32_t i = 0; i < count; ++i)
        largest = fmax(largest, brinkDot(d, brinkV3_FromArray(&mesh.vertices[3 * i])));
      uint32_t hint = testRandom_Below(&random, shape->piece.count);
      uint32_t index = brinkPiece_Support(&shape->piece, d, hint, &support);
      double value = brinkDot(d, support);
      if (!(value >= largest - 1e-13)) fail_msg("seed %llu: %.17g < %.17g", (unsigned long long)seed, value, largest);
      assert_true(brinkPiece_SupportValue(&shape->piece, d) >= largest);
      assert_memory_equal(&support, &mesh.vertices[3 * (size_t)shape->piece.vertexIds[index]], 24);
    }
    freeShape(&memory, shape);
    testMesh_Free(&mesh);
  }
}

CASE(flat_hulls_are_legal) {
  for (int dimension = 0; dimension < 3; ++dimension) {
    testMesh mesh = testMesh_Make(40, 0);
    for (uint32_t i = 0; i < 40; ++i) {
      double a = 2 * PI * i / 40;
      mesh.vertices[3 * i] = dimension > 0 ? cos(a) : 4.0;
      mesh.vertices[3 * i + 1] = dimension > 1 ? sin(a) : 5.0;
      mesh.vertices[3 * i + 2] = 6.0;
    }
    brinkMeshView view = testMesh_View(&mesh, 0);
    brinkShapeSpec spec = {.type = brink_shapeHull, .mesh = &view, .margin = 0.5};
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &spec);
    assert_int_equal(shape->piece.count, dimension == 2 ? 40 : dimension + 1);
    assert_true(fabs(shape->thickness - 1.0) < 1e-13);
    testRandom random = {2};
    for (int trial = 0; trial < 200; ++trial) {
      brinkVec3 d = testRandom_Vector(&random, 1.0), support;
      double largest = -INFINITY;
      for (uint32_t i = 0; i < 40; ++i) largest = fmax(largest, brinkDot(d, brinkV3_FromArray(&mesh.vertices[3 * i])));
      brinkPiece_Support(&shape->piece, d, (uint32_t)trial, &support);
      assert_true(brinkDot(d, support) >= largest - 1e-13);
    }
    freeShape(&memory, shape);
    testMesh_Free(&mesh);
  }
}

CASE(tight_boxes_find_turned_boxes) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    testRandom random = {seed};
    brinkMat3 r = testRandom_Rotation(&random);
    brinkVec3 size = {testRandom_Range(&random, 0.1, 3), testRandom_Range(&random, 0.1, 3),
                      testRandom_Range(&random, 0.1, 3)};
    testMesh cube = testMesh_Cube(12);
    for (int i = 0; i < 8; ++i) {
      double *x = &cube.vertices[3 * i];
      brinkVec3 p = brinkMulMV(&r, brinkV3(x[0] * size.x, x[1] * size.y, x[2] * size.z));
      x[0] = p.x + 10, x[1] = p.y - 20, x[2] = p.z;
    }
    brinkObb box = brinkMakeTightBox(cube.vertices, NULL, 8, cube.indices, NULL, 12);
    double volume = 8 * box.half.x * box.half.y * box.half.z, want = size.x * size.y * size.z;
    if (!(fabs(volume / want - 1) < 1e-9))
      fail_msg("seed %llu: %.17g, want %.17g", (unsigned long long)seed, volume, want);
    testMesh_Free(&cube);
  }
}

CASE(balls_contain_and_are_nearly_smallest) {
  testRandom random = {6};
  double points[50][3];
  for (int i = 0; i < 50; ++i) {
    brinkVec3 p = brinkNormalizeOr(testRandom_Vector(&random, 1.0), brinkV3(1, 0, 0));
    points[i][0] = 7 + p.x, points[i][1] = p.y, points[i][2] = p.z;
  }
  brinkVec3 center;
  double radius = brinkMakeBall(points[0], NULL, 50, brinkV3(6, 0.5, 0), &center);
  for (int i = 0; i < 50; ++i) assert_true(brinkDistance(brinkV3_FromArray(points[i]), center) <= radius);
  assert_true(radius < 1.03);
  const double lengths[] = {0, 5e-324, 1e-200, 1, 1e150, 1e200, 1.7e308};
  for (int i = 0; i < 7; ++i) {
    double bound = brinkLengthBound(brinkV3(0.6 * lengths[i], 0, 0.8 * lengths[i]));
    assert_true(bound >= hypot(0.6 * lengths[i], 0.8 * lengths[i]) && bound <= lengths[i] * (1 + 1e-14) + 1e-323);
  }
}

CASE(meshes_come_from_triangles_or_blobs_and_are_the_same) {
  testMesh knot = testMesh_Knot(40, 8);
  brinkMeshView view = testMesh_View(&knot, BRINK_MESH_SOLID);
  void *blob;
  size_t size;
  assert_int_equal(brinkCook(&view, NULL, &blob, &size, NULL, 0), brink_ok);
  brinkShapeSpec specs[] = {
      {.type = brink_shapeMesh, .mesh = &view, .margin = 0.1},
      {.type = brink_shapeMesh, .blob = blob, .blobSize = size, .margin = 0.1},
      {.type = brink_shapeMesh, .blob = blob, .blobSize = size, .margin = 0.1, .borrowBlob = true}};
  for (int i = 0; i < 3; ++i) {
    testMemory memory = {0};
    brinkShape *shape = makeShape(&memory, &specs[i]);
    assert_int_equal(shape->type, brink_shapeMesh);
    assert_int_equal(shape->flags, BRINK_MESH_SOLID);
    assert_non_null(shape->tree);
    if (i == 2) assert_ptr_equal(shape->tree, blob);
    if (i < 2) assert_ptr_not_equal(shape->tree, blob);
    assert_memory_equal(shape->tree, blob, size);
    assert_true(shape->piece.radius == 0.1);
    double farthest = 0;
    for (uint32_t v = 0; v < knot.vertexCount; ++v)
      farthest = fmax(farthest, brinkLength(brinkV3_FromArray(&knot.vertices[3 * v])));
    assert_true(shape->boundRadius >= farthest + 0.1 && shape->boundRadius < farthest + 0.1 + 1e-12);
    freeShape(&memory, shape);
  }
  ((unsigned char *)blob)[size / 2] ^= 1;
  testMemory memory = {0};
  brinkContext context = testMemory_Context(&memory);
  brinkShape *shape;
  assert_int_equal(brinkCreateShape(&context, &specs[1], &shape), brink_errorParse);
  assert_null(shape);
  assert_non_null(strstr(context.message, "checksum"));
  assert_int_equal(memory.bytes, 0);
  brinkFreeBlob(blob);
  testMesh_Free(&knot);
}

CASE(convex_mesh_becomes_one_piece) {
  testMesh ball = testMesh_Ball(8, 12, 0.0);
  brinkMeshView view = testMesh_View(&ball, BRINK_MESH_CONVEX | BRINK_MESH_SOLID);
  brinkShapeSpec spec = {.type = brink_shapeMesh, .mesh = &view};
  testMemory memory = {0};
  brinkShape *shape = makeShape(&memory, &spec);
  assert_int_equal(shape->type, brink_shapeHull);
  assert_null(shape->tree);
  assert_int_equal(shape->piece.count, ball.vertexCount);
  freeShape(&memory, shape);
  testMesh_Free(&ball);
}

CASE(bad_specs_are_refused_and_change_nothing) {
  double points[6] = {0, 0, 0, 1, NAN, 0};
  brinkMeshView nanView = {sizeof nanView, 0, points, 2, NULL, 0},
                emptyView = {sizeof emptyView, 0, points, 0, NULL, 0};
  brinkMeshView nullView = {sizeof nullView, 0, NULL, 3, NULL, 0};
  double signaling;
  uint64_t bits = 0x7ff0000000000001u;
  memcpy(&signaling, &bits, sizeof bits);
  const double bad[] = {NAN, signaling, INFINITY, -INFINITY, 0.0, -1.0, 1e155, 1e308};
  for (uint32_t type = brink_shapeSphere; type <= brink_shapeCylinder; ++type) {
    for (int component = 0; component < 3; ++component) {
      bool used = component == 0 || (component == 2 && type != brink_shapeSphere) || type == brink_shapeBox;
      for (int b = 0; used && b < 8; ++b) {
        if (type == brink_shapeCapsule && component == 2 && bad[b] == 0.0) continue; /* a ball: test_shape_kinds */
        brinkShapeSpec spec = simpleSpec(type);
        *(component == 0 ? &spec.size.x : component == 1 ? &spec.size.y : &spec.size.z) = bad[b];
        testMemory memory = {0};
        brinkContext context = testMemory_Context(&memory);
        brinkShape *shape = (brinkShape *)&memory;
        assert_int_equal(brinkCreateShape(&context, &spec, &shape), b < 6 ? brink_errorBadValue : brink_errorRange);
        assert_null(shape);
        assert_non_null(strstr(context.message, "size."));
        assert_int_equal(memory.bytes, 0);
      }
    }
  }
  brinkShapeSpec specs[] = {
      {.type = 0},
      {.type = 10},
      {.type = brink_shapePoint, .margin = -1},
      {.type = brink_shapePoint, .margin = NAN},
      {.type = brink_shapePoint, .margin = 1e155},
      {.type = brink_shapePlane},
      {.type = brink_shapePlane, .normal = {0, NAN, 0}},
      {.type = brink_shapePlane, .normal = {0, 1, 0}, .offset = INFINITY},
      {.type = brink_shapePlane, .normal = {0, 1, 0}, .offset = 1e200},
      {.type = brink_shapeSegment},
      {.type = brink_shapeSegment, .size = {0, NAN, 0}},
      {.type = brink_shapeHull},
      {.type = brink_shapeHull, .mesh = &nanView},
      {.type = brink_shapeHull, .mesh = &emptyView},
      {.type = brink_shapeHull, .mesh = &nullView},
      {.type = brink_shapeMesh},
      {.type = brink_shapeMesh, .mesh = &nanView},
      {.type = brink_shapeMesh, .blob = points, .blobSize = sizeof points},
  };
  const brinkStatus statuses[] = {brink_errorBadValue,     brink_errorBadValue, brink_errorBadValue,
                                  brink_errorBadValue,     brink_errorRange,    brink_errorBadValue,
                                  brink_errorBadValue,     brink_errorBadValue, brink_errorRange,
                                  brink_errorBadValue,     brink_errorBadValue, brink_errorNullArgument,
                                  brink_errorBadValue,     brink_errorEmpty,    brink_errorNullArgument,
                                  brink_errorNullArgument, brink_errorBadValue, brink_errorTruncated};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; ++i) {
    testMemory memory = {0};
    brinkContext context = testMemory_Context(&memory);
    brinkShape *shape = (brinkShape *)&memory;
    brinkStatus status = brinkCreateShape(&context, &specs[i], &shape);
    if (status != statuses[i]) fail_msg("case %zu: status %d, message \"%s\"", i, status, context.message);
    assert_null(shape);
    assert_true(context.message[0] != 0);
    assert_int_equal(memory.bytes, 0);
  }
  testMemory memory = {0};
  brinkContext context = testMemory_Context(&memory);
  brinkDestroyShape(&context, NULL);
}

CASE(tiny_sizes_are_accepted_and_stay_finite) {
  const double sizes[] = {5e-324, 1e-310, 1e-160, 1e150};
  for (int s = 0; s < 4; ++s) {
    for (uint32_t type = brink_shapeSphere; type <= brink_shapeCylinder; ++type) {
      brinkShapeSpec spec = {.type = type, .size = {sizes[s], sizes[s], sizes[s]}};
      testMemory memory = {0};
      brinkShape *shape = makeShape(&memory, &spec);
      assert_true(shape->boundRadius >= sizes[s] && isfinite(shape->boundRadius));
      assert_true(shape->thickness > 0.0 && isfinite(shape->thickness));
      double value = brinkPiece_SupportValue(&shape->piece, brinkV3(1, 0, 0));
      assert_true(value >= sizes[s] && isfinite(value));
      freeShape(&memory, shape);
    }
  }
}

CASE(running_out_of_memory_anywhere_leaks_nothing) {
  testMesh mesh = testMesh_Ball(6, 8, 0.1);
  brinkMeshView view = testMesh_View(&mesh, 0);
  const uint32_t types[] = {brink_shapeSphere, brink_shapeBox, brink_shapePlane, brink_shapeHull, brink_shapeMesh};
  for (int i = 0; i < 5; ++i) {
    brinkStatus status = brink_errorNoMemory;
    brinkShapeSpec spec = simpleSpec(types[i]);
    spec.mesh = &view;
    for (uint64_t failAt = 1; status != brink_ok; ++failAt) {
      testMemory memory = {.failAt = failAt};
      brinkContext context = testMemory_Context(&memory);
      brinkShape *shape;
      status = brinkCreateShape(&context, &spec, &shape);
      if (status == brink_ok) brinkDestroyShape(&context, shape);
      if (status != brink_ok) assert_int_equal(status, brink_errorNoMemory);
      assert_int_equal(memory.bytes, 0);
      assert_true(failAt < 20000);
    }
  }
  testMesh_Free(&mesh);
}

int main(void) { return cases_Run(NULL, NULL); }
