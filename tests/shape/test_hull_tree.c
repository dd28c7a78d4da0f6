/* SPDX-License-Identifier: BSD-3-Clause */
/* Cooking and the tree of hulls: nothing is lost on the way, every ancestor contains what is below it, blobs in any
 * damaged state are refused, broken meshes get the right words, inside is inside. */
#include "cases.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "mesh_support.h"

#include "brink/cook.h"
#include "convex.h"
#include "blob.h"
#include "hull_tree.h"
#include "orientation.h"
#include "rounding_modes.h"

typedef struct cooked {
  void *blob;
  size_t size;
  const brinkHullTree *tree;
} cooked;

static const brinkHullTree *treeOfBlob(const void *blob, size_t size) {
  return brinkCheckBlob(blob, size, NULL, NULL, 0) == brink_ok ? blob : NULL;
}

static cooked cookView(const brinkMeshView *view) {
  cooked result;
  char message[256];
  brinkStatus status = brinkCook(view, NULL, &result.blob, &result.size, message, sizeof message);
  if (status != brink_ok) fail_msg("%d: %s", status, message);
  assert_int_equal(brinkCheckBlob(result.blob, result.size, NULL, message, sizeof message), brink_ok);
  assert_string_equal(message, "");
  result.tree = treeOfBlob(result.blob, result.size);
  assert_non_null(result.tree);
  return result;
}

static cooked cookMesh(const testMesh *mesh, uint32_t flags) {
  brinkMeshView view = testMesh_View(mesh, flags);
  return cookView(&view);
}

static bool inBox(const brinkObb *obb, brinkVec3 p) {
  brinkVec3 y = brinkAbsV3(brinkTMulMV(&obb->axes, brinkSub(p, obb->center)));
  return y.x <= obb->half.x && y.y <= obb->half.y && y.z <= obb->half.z;
}

typedef struct Node { /* do not copy: the piece points into it */
  brinkHullBox box;
  brinkPiece hull; /* convex piece that contains the node */
  brinkHullRoom room;
} Node;

static void nodeOf(const brinkHullTree *tree, uint32_t index, Node *out) {
  brinkHullTree_BoxAt(tree, index, &out->box);
  out->hull = brinkHullTree_Hull(tree, index, &out->room);
}

/* Vertices of the node's triangles are in its box, ball and hull; its range is the union of the children's. */
static void checkNode(const brinkHullTree *tree, uint32_t index, bool exactly) {
  static Node node;
  nodeOf(tree, index, &node);
  const brinkHullTreeNode *record = brinkHullTree_Record(tree, index);
  const uint32_t first = node.box.firstTriangle, count = node.box.triangleCount;
  assert_true(record->depth <= BRINK_HULL_TREE_DEPTH);
  assert_true(node.hull.count <= BRINK_NODE_HULL_VERTICES);
  if (node.box.left >= 0) {
    brinkHullBox left, right;
    brinkHullTree_BoxAt(tree, (uint32_t)node.box.left, &left);
    brinkHullTree_BoxAt(tree, (uint32_t)node.box.right, &right);
    assert_int_equal(left.firstTriangle, first);
    assert_int_equal(right.firstTriangle, first + left.triangleCount);
    assert_int_equal(count, left.triangleCount + right.triangleCount);
  } else {
    assert_in_range(count, 1, BRINK_PATCH_TRIANGLES);
    assert_int_equal(record->hullCount, 0);
    assert_non_null(node.hull.vertexIds);
  }
  static double points[BRINK_NODE_HULL_VERTICES][3];
  memcpy(points, node.hull.vertices, 24 * (size_t)node.hull.count);
  brinkContext context;
  brinkInitContext(&context);
  brinkConvexHull hull = {0};
  if (exactly) assert_int_equal(brinkMakeConvexHull(&context, points[0], node.hull.count, &hull), brink_ok);
  for (uint32_t slot = first; slot < first + count; ++slot) {
    brinkTriangleRoom room;
    brinkPiece triangle = brinkHullTree_Triangle(tree, slot, &room, NULL);
    for (uint32_t k = 0; k < triangle.count; ++k) {
      const double *x = &triangle.vertices[3 * k];
      brinkVec3 v = brinkV3_FromArray(x);
      assert_true(inBox(&node.box.obb, v));
      assert_true(brinkDistance(v, triangle.center) <= triangle.boundRadius);
      for (uint32_t f = 0; f < hull.faceCount; ++f)
        assert_true(brinkOrientation(points[hull.vertices[hull.faces[3 * f]]],
                                     points[hull.vertices[hull.faces[3 * f + 1]]],
                                     points[hull.vertices[hull.faces[3 * f + 2]]], x) <= 0);
    }
  }
  for (uint32_t i = 0; i < node.hull.count; ++i) {
    brinkVec3 v = brinkPiece_Vertex(&node.hull, i);
    assert_true(brinkDistance(v, node.hull.center) <= node.hull.boundRadius);
    if (record->hullCount > 0 || node.box.left < 0) {
      brinkMeshView mesh = brinkHullTree_Mesh(tree);
      assert_memory_equal(&node.hull.vertices[3 * i], &mesh.vertices[3 * (size_t)node.hull.vertexIds[i]], 24);
    } else {
      assert_null(node.hull.vertexIds);
    }
  }
  brinkFreeConvexHull(&context, &hull);
}

/* Support values of node hulls bound all that is below, in random directions. */
static void checkSupports(const brinkHullTree *tree, uint32_t index, testRandom *random) {
  static brinkHullRoom hullRoom;
  brinkPiece hull = brinkHullTree_Hull(tree, index, &hullRoom);
  const brinkHullTreeNode *record = brinkHullTree_Record(tree, index);
  for (int trial = 0; trial < 4; ++trial) {
    brinkVec3 d = testRandom_Vector(random, 1.0);
    double bound = brinkPiece_SupportValue(&hull, d);
    for (uint32_t slot = record->firstTriangle; slot < record->firstTriangle + record->triangleCount; ++slot) {
      brinkTriangleRoom room;
      brinkPiece triangle = brinkHullTree_Triangle(tree, slot, &room, NULL);
      for (uint32_t k = 0; k < triangle.count; ++k)
        assert_true(brinkDot(d, brinkV3_FromArray(&triangle.vertices[3 * k])) <= bound);
    }
  }
}

static void checkTree(const testMesh *mesh, const cooked *result) {
  const brinkHullTree *tree = result->tree;
  brinkMeshView view = brinkHullTree_Mesh(tree), other;
  assert_int_equal(view.vertexCount, mesh->vertexCount);
  assert_int_equal(view.triangleCount, mesh->triangleCount);
  assert_memory_equal(view.vertices, mesh->vertices, 24 * (size_t)mesh->vertexCount);
  assert_memory_equal(view.indices, mesh->indices, 12 * (size_t)mesh->triangleCount);
  assert_int_equal(brinkBlobMesh(result->blob, result->size, &other), brink_ok);
  assert_ptr_equal(other.vertices, view.vertices);
  uint8_t *covered = calloc(mesh->triangleCount, 1);
  assert_int_equal(tree->triangleCount, mesh->triangleCount);
  for (uint32_t slot = 0; slot < mesh->triangleCount; ++slot) { /* exact bits */
    uint32_t id;
    brinkTriangleRoom room;
    brinkPiece piece = brinkHullTree_Triangle(tree, slot, &room, &id);
    assert_int_equal(covered[id], 0);
    covered[id] = 1;
    for (uint32_t k = 0; k < piece.count; ++k) {
      assert_memory_equal(&piece.vertices[3 * k], &mesh->vertices[3 * (size_t)piece.vertexIds[k]], 24);
      bool corner = false;
      for (int m = 0; m < 3; ++m) corner = corner || mesh->indices[3 * (size_t)id + m] == piece.vertexIds[k];
      assert_true(corner);
    }
  }
  free(covered);
  testRandom random = {1};
  uint32_t nodeCount = tree->nodeCount;
  for (uint32_t i = 0; i < nodeCount; ++i) {
    const brinkHullTreeNode *node = brinkHullTree_Record(tree, i);
    checkNode(tree, i, node->triangleCount < 200);
    checkSupports(tree, i, &random);
  }
  assert_int_equal(brinkHullTree_Record(tree, 0)->triangleCount, mesh->triangleCount);
  brinkPiece whole = brinkHullTree_WholeHull(tree);
  brinkContext context;
  brinkInitContext(&context);
  brinkConvexHull hull;
  assert_int_equal(brinkMakeConvexHull(&context, mesh->vertices, mesh->vertexCount, &hull), brink_ok);
  for (uint32_t f = 0; f < hull.faceCount; ++f) { /* the whole's hull reaches as far as the mesh's */
    brinkVec3 p[3];
    for (int k = 0; k < 3; ++k)
      p[k] = brinkV3_FromArray(&mesh->vertices[3 * (size_t)hull.vertices[hull.faces[3 * f + k]]]);
    brinkVec3 n = brinkCross(brinkSub(p[1], p[0]), brinkSub(p[2], p[0]));
    double bound = brinkPiece_SupportValue(&whole, n);
    assert_true(bound >= brinkDot(n, p[0]));
    assert_true(bound <= brinkDot(n, p[0]) + 1e-12 * brinkLength(n) * (brinkLength(whole.center) + whole.boundRadius));
  }
  brinkFreeConvexHull(&context, &hull);
}

CASE(every_ancestor_contains_its_triangles) {
  testMesh meshes[] = {testMesh_Knot(100, 12),   testMesh_Ball(20, 24, 0.15), testMesh_Ball(30, 40, 0.0),
                       testMesh_Terrain(40, 40), testMesh_Cube(12),           testMesh_Cube(1)};
  meshes[5].vertexCount = 3; /* its one triangle's */
  for (size_t m = 0; m < sizeof meshes / sizeof *meshes; ++m) {
    cooked result = cookMesh(&meshes[m], 0);
    checkTree(&meshes[m], &result);
    brinkFreeBlob(result.blob);
    testMesh_Free(&meshes[m]);
  }
}

CASE(far_tiny_and_huge_meshes_are_contained_too) {
  const double offsets[] = {1e9, 0, 0, 0}, factors[] = {1, 1e149, 1e-160, 1e-310};
  for (int i = 0; i < 4; ++i) {
    testMesh mesh = testMesh_Knot(40, 8);
    for (size_t k = 0; k < 3 * (size_t)mesh.vertexCount; ++k)
      mesh.vertices[k] = mesh.vertices[k] * factors[i] + offsets[i] * (double)(k % 3);
    cooked result = cookMesh(&mesh, 0);
    uint32_t nodeCount = result.tree->nodeCount;
    for (uint32_t n = 0; n < nodeCount; ++n) {
      static Node node;
      nodeOf(result.tree, n, &node);
      double radius = node.hull.boundRadius;
      for (uint32_t s = 0; s < node.box.triangleCount; ++s) {
        brinkTriangleRoom room;
        brinkPiece triangle = brinkHullTree_Triangle(result.tree, node.box.firstTriangle + s, &room, NULL);
        for (uint32_t k = 0; k < triangle.count; ++k) {
          brinkVec3 v = brinkV3_FromArray(&triangle.vertices[3 * k]);
          assert_true(inBox(&node.box.obb, v));
          assert_true(brinkLengthBound(brinkSub(v, node.hull.center)) <= radius * (1 + 1e-15));
        }
      }
      assert_true(radius > 0.0 && isfinite(radius));
      if (i < 3) assert_true(radius <= 6.0 * factors[i]);
    }
    brinkFreeBlob(result.blob);
    testMesh_Free(&mesh);
  }
}

CASE(degenerate_triangles_stay_points_and_segments) {
  const double vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5, 5, 5, 5, 9, 9, 9, 7, 7, 7};
  const uint32_t indices[] = {0, 1, 2, 3, 3, 3, 3, 4, 3, 3, 5, 5, 4, 3, 5, 3, 5, 6};
  testMesh mesh = testMesh_Copy(vertices, 7, indices, 6);
  cooked result = cookMesh(&mesh, 0);
  checkTree(&mesh, &result);
  const uint32_t counts[] = {3, 1, 1, 2, 2, 3};
  for (uint32_t slot = 0; slot < 6; ++slot) {
    uint32_t id;
    brinkTriangleRoom room;
    brinkPiece piece = brinkHullTree_Triangle(result.tree, slot, &room, &id);
    assert_int_equal(piece.count, counts[id]);
  }
  brinkMeshSummary summary;
  assert_int_equal(brinkCheckBlob(result.blob, result.size, &summary, NULL, 0), brink_ok);
  assert_int_equal(summary.degenerateCount, 5);
  assert_int_equal(summary.closed, 0);
  brinkFreeBlob(result.blob);
  testMesh_Free(&mesh);
}

CASE(summaries_tell_closed_manifold_and_convex) {
  testMesh meshes[] = {testMesh_Cube(12), testMesh_Cube(10), testMesh_Ball(12, 16, 0.2), testMesh_Knot(40, 8),
                       testMesh_Terrain(5, 5)};
  const uint32_t closed[] = {1, 0, 1, 1, 0}, convex[] = {1, 0, 0, 0, 0};
  for (int m = 0; m < 5; ++m) {
    cooked result = cookMesh(&meshes[m], 0);
    brinkMeshSummary summary;
    assert_int_equal(brinkCheckBlob(result.blob, result.size, &summary, NULL, 0), brink_ok);
    assert_int_equal(summary.structSize, sizeof summary);
    assert_int_equal(summary.closed, closed[m]);
    assert_int_equal(summary.manifold, 1);
    assert_int_equal(summary.convex, convex[m]);
    assert_int_equal(summary.vertexCount, meshes[m].vertexCount);
    assert_int_equal(summary.triangleCount, meshes[m].triangleCount);
    assert_int_equal(summary.nodeCount, 2 * summary.patchCount - 1);
    if (m < 2) assert_true(summary.bounds.lower.x == 0.0 && summary.bounds.upper.z == 1.0);
    brinkFreeBlob(result.blob);
    testMesh_Free(&meshes[m]);
  }
}

CASE(convex_mesh_has_the_triangles_of_its_hull) {
  testRandom random = {8};
  for (int kind = 0; kind < 4; ++kind) { /* solid, polygon, segment, point */
    testMesh mesh = testMesh_Make(50, 0);
    for (uint32_t i = 0; i < 50; ++i) {
      double u = testRandom_Range(&random, -1, 1), v = testRandom_Range(&random, -1, 1);
      mesh.vertices[3 * i] = kind < 3 ? u : 2.0;
      mesh.vertices[3 * i + 1] = kind < 2 ? v : 2.0;
      mesh.vertices[3 * i + 2] = kind < 1 ? testRandom_Range(&random, -1, 1) : 0.5;
    }
    cooked result = cookMesh(&mesh, BRINK_MESH_CONVEX | (kind == 0 ? BRINK_MESH_SOLID : 0));
    brinkMeshView view = brinkHullTree_Mesh(result.tree);
    brinkPiece whole = brinkHullTree_WholeHull(result.tree);
    assert_int_equal(view.vertexCount, 50);
    assert_int_equal(brinkHullTree_Flags(result.tree), BRINK_MESH_CONVEX | (kind == 0 ? BRINK_MESH_SOLID : 0));
    if (kind == 0) assert_int_equal(view.triangleCount, 2 * whole.count - 4);
    if (kind == 1) assert_int_equal(view.triangleCount, whole.count - 2);
    if (kind == 2) assert_int_equal(whole.count, 2);
    if (kind == 3) assert_int_equal(whole.count, 1);
    double area = 0.0, hullArea = 0.0; /* polygon: the fan covers it once */
    for (size_t t = 0; kind == 1 && t < view.triangleCount; ++t) {
      const double *a = &view.vertices[3 * (size_t)view.indices[3 * t]],
                   *b = &view.vertices[3 * (size_t)view.indices[3 * t + 1]],
                   *c = &view.vertices[3 * (size_t)view.indices[3 * t + 2]];
      area += fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
      hullArea += (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    }
    if (kind == 1) assert_true(area > 1.0 && fabs(area - fabs(hullArea)) < 1e-12);
    brinkFreeBlob(result.blob);
    testMesh_Free(&mesh);
  }
}

CASE(bad_meshes_are_refused_by_name_and_place) {
  testMesh cube = testMesh_Cube(12);
  struct {
    brinkStatus status;
    const char *words;
  } expected[] = {
      {brink_errorBadValue, "vertex 5"},    {brink_errorBadValue, "vertex 2"},  {brink_errorRange, "vertex 1"},
      {brink_errorBadIndex, "triangle 7"},  {brink_errorEmpty, "triangles"},    {brink_errorEmpty, "vertices"},
      {brink_errorNotClosed, "open"},       {brink_errorVersion, "structSize"}, {brink_errorNullArgument, "vertices"},
      {brink_errorNullArgument, "indices"}, {brink_errorRange, "split"},        {brink_errorNotClosed, "manifold"},
      {brink_errorBadValue, "flags"}};
  for (int i = 0; i < 13; ++i) {
    testMesh mesh = testMesh_Copy(cube.vertices, 8, cube.indices, 12);
    brinkMeshView view = testMesh_View(&mesh, 0);
    if (i == 0) mesh.vertices[16] = NAN;
    if (i == 1) mesh.vertices[8] = -INFINITY;
    if (i == 2) mesh.vertices[3] = 1e155;
    if (i == 3) mesh.indices[22] = 8;
    if (i == 4) view.triangleCount = 0;
    if (i == 5) view.vertexCount = 0;
    if (i == 6) view.triangleCount = 11, view.flags = BRINK_MESH_SOLID;
    if (i == 7) view.structSize = 8;
    if (i == 8) view.vertices = NULL;
    if (i == 9) view.indices = NULL;
    if (i == 10) view.triangleCount = (size_t)1 << 40;
    if (i == 11) memcpy(&mesh.indices[33], &mesh.indices[0], 12), view.flags = BRINK_MESH_SOLID;
    if (i == 12) view.flags = 16;
    void *blob = &blob;
    size_t size = 1;
    char message[256];
    assert_int_equal(brinkCook(&view, NULL, &blob, &size, message, sizeof message), expected[i].status);
    assert_null(blob);
    assert_int_equal(size, 0);
    if (!strstr(message, expected[i].words))
      fail_msg("case %d: \"%s\" does not say \"%s\"", i, message, expected[i].words);
    char tiny[4];
    assert_int_equal(brinkCook(&view, NULL, &blob, &size, tiny, sizeof tiny), expected[i].status);
    assert_int_equal(brinkCook(&view, NULL, &blob, &size, NULL, 0), expected[i].status);
    testMesh_Free(&mesh);
  }
  assert_int_equal(brinkCook(NULL, NULL, &(void *){NULL}, &(size_t){0}, NULL, 0), brink_errorNullArgument);
  testMesh_Free(&cube);
}

static int countProgress(void *user, double fraction) {
  double *last = user;
  assert_true(fraction >= *last && fraction <= 1.0);
  *last = fraction;
  return 0;
}

static int giveUpHalfway(void *user, double fraction) {
  (void)user;
  return fraction > 0.5;
}

CASE(progress_rises_and_can_stop_the_cooking) {
  testMesh mesh = testMesh_Knot(60, 12);
  brinkMeshView view = testMesh_View(&mesh, 0);
  double last = 0.0;
  brinkCookOptions options = {.structSize = sizeof options, .progress = countProgress, .user = &last};
  void *blob;
  size_t size;
  char message[256];
  assert_int_equal(brinkCook(&view, &options, &blob, &size, message, sizeof message), brink_ok);
  assert_true(last == 1.0);
  brinkFreeBlob(blob);
  options.progress = giveUpHalfway;
  assert_int_equal(brinkCook(&view, &options, &blob, &size, message, sizeof message), brink_errorBusy);
  assert_null(blob);
  testMesh_Free(&mesh);
}

CASE(every_flipped_byte_and_every_cut_is_refused) {
  testMesh cube = testMesh_Cube(12);
  cooked result = cookMesh(&cube, BRINK_MESH_SOLID);
  unsigned char *copy = malloc(result.size);
  memcpy(copy, result.blob, result.size);
  for (size_t i = 0; i < result.size; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      copy[i] ^= (unsigned char)(1 << bit);
      brinkMeshView view;
      assert_int_not_equal(brinkCheckBlob(copy, result.size, NULL, NULL, 0), brink_ok);
      if (bit == 0) assert_null(treeOfBlob(copy, result.size));
      if (bit == 0) assert_int_not_equal(brinkBlobMesh(copy, result.size, &view), brink_ok);
      copy[i] ^= (unsigned char)(1 << bit);
    }
  }
  free(copy);
  for (size_t size = 0; size < result.size; ++size) { /* exact blocks, so that a sanitizer sees reads past the end */
    unsigned char *cut = malloc(size + 1);
    memcpy(cut, result.blob, size);
    brinkStatus status = brinkCheckBlob(cut, size, NULL, NULL, 0);
    assert_int_equal(status, brink_errorTruncated);
    free(cut);
    if (size > 2000) size += 37;
  }
  unsigned char *longer = calloc(1, result.size + 16);
  memcpy(longer, result.blob, result.size);
  assert_int_equal(brinkCheckBlob(longer, result.size + 8, NULL, NULL, 0), brink_errorParse);
  memmove(longer + 4, result.blob, result.size);
  assert_int_equal(brinkCheckBlob(longer + 4, result.size, NULL, NULL, 0), brink_errorBadValue);
  free(longer);
  assert_int_equal(brinkCheckBlob(NULL, 0, NULL, NULL, 0), brink_errorNullArgument);
  brinkFreeBlob(result.blob);
  testMesh_Free(&cube);
}

/* Damage with the checksum mended: either refused, or all that can be reached stays inside the blob. */
CASE(deceitful_blobs_cause_no_wild_reads) {
  testMesh mesh = testMesh_Ball(6, 8, 0.1);
  cooked result = cookMesh(&mesh, BRINK_MESH_SOLID);
  testRandom random = {21};
  int accepted = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    unsigned char *copy = malloc(result.size);
    memcpy(copy, result.blob, result.size);
    size_t limit = trial % 2 ? sizeof(brinkHullTree) : result.size;
    for (uint32_t k = 0, n = 1 + testRandom_Below(&random, 3); k < n; ++k)
      copy[testRandom_Below(&random, (uint32_t)limit)] = (unsigned char)testRandom_Bits(&random);
    brinkHullTree *header = (brinkHullTree *)(void *)copy;
    if (header->size == result.size) header->checksum = brinkBlobChecksum(header);
    const brinkHullTree *tree = treeOfBlob(copy, result.size);
    accepted += tree != NULL;
    for (uint32_t i = 0; tree && i < tree->nodeCount; ++i) {
      static brinkHullRoom hullRoom;
      brinkPiece hull = brinkHullTree_Hull(tree, i, &hullRoom);
      brinkVec3 point;
      brinkPiece_Support(&hull, brinkV3(1, 2, 3), 0, &point);
      const brinkHullTreeNode *node = brinkHullTree_Record(tree, i);
      for (uint32_t s = 0; s < node->triangleCount; ++s) {
        brinkTriangleRoom room;
        brinkPiece triangle = brinkHullTree_Triangle(tree, node->firstTriangle + s, &room, NULL);
        brinkPiece_Support(&triangle, brinkV3(1, 2, 3), 0, &point);
      }
    }
    if (tree) brinkHullTree_Contains(tree, brinkV3(0.1, 0.1, 0.1));
    brinkObbTree wide; /* every box is reached once, every triangle of a leaf is there */
    if (tree && brinkHullTree_Wide(tree, &wide)) {
      uint32_t visited = 0, stack[4096], count = 0;
      double sum = 0;
      if (wide.root.child >= 0) stack[count++] = (uint32_t)wide.root.child;
      while (count > 0) {
        const brinkObbNode *node = &wide.nodes[stack[--count]];
        assert_true(++visited <= wide.nodeCount);
        for (int lane = 0; lane < BRINK_OBB_WIDTH; ++lane) {
          int32_t child = node->child[lane];
          if (child == BRINK_OBB_EMPTY) continue;
          if (child >= 0) {
            assert_true(count < 4096);
            stack[count++] = (uint32_t)child;
          } else {
            for (uint32_t t = 0; t < brinkObbLeaf_Count(child); ++t)
              sum += wide.triangles[brinkObbLeaf_First(child) + t].vertices[2][2];
          }
        }
      }
      assert_true(!isnan(sum) && visited == wide.nodeCount);
    }
    free(copy);
  }
  assert_true(accepted > 0 && accepted < 3000);
  brinkFreeBlob(result.blob);
  testMesh_Free(&mesh);
}

CASE(random_garbage_is_refused) {
  testRandom random = {5};
  for (int trial = 0; trial < 2000; ++trial) {
    size_t size = testRandom_Below(&random, 2000);
    unsigned char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)testRandom_Bits(&random);
    assert_null(treeOfBlob(bytes, size));
    free(bytes);
  }
}

CASE(winding_number_tells_inside) {
  testRandom random = {31};
  testMesh cube = testMesh_Cube(12), open = testMesh_Cube(10), ball = testMesh_Ball(40, 60, 0.0),
           knot = testMesh_Knot(300, 24);
  cooked inCube = cookMesh(&cube, 0), inOpen = cookMesh(&open, 0), inBall = cookMesh(&ball, 0),
         inKnot = cookMesh(&knot, 0);
  for (int trial = 0; trial < 3000; ++trial) {
    brinkVec3 p = testRandom_Vector(&random, 2.0);
    bool inside = p.x > 0 && p.x < 1 && p.y > 0 && p.y < 1 && p.z > 0 && p.z < 1;
    assert_int_equal(brinkHullTree_Contains(inCube.tree, p), inside);
    assert_false(brinkHullTree_Contains(inOpen.tree, p));
    double r = brinkLength(p);
    if (trial < 300 && (r < 0.99 || r > 1.0)) assert_int_equal(brinkHullTree_Contains(inBall.tree, p), r < 0.99);
  }
  for (int trial = 0; trial < 200; ++trial) { /* on the knot's centre line, and two tubes' radii away from it */
    double a = testRandom_Range(&random, 0, 4 * PI), r = 2.0 + cos(1.5 * a);
    brinkVec3 p = {r * cos(a), r * sin(a), sin(1.5 * a)};
    assert_true(brinkHullTree_Contains(inKnot.tree, p));
    assert_false(brinkHullTree_Contains(inKnot.tree, brinkV3(0.02 * p.x, 0.02 * p.y, p.z)));
  }
  brinkFreeBlob(inCube.blob), brinkFreeBlob(inOpen.blob), brinkFreeBlob(inBall.blob), brinkFreeBlob(inKnot.blob);
  testMesh_Free(&cube), testMesh_Free(&open), testMesh_Free(&ball), testMesh_Free(&knot);
}

CASE(inverted_and_scaled_meshes_have_the_same_inside) {
  testRandom random = {32};
  testMesh cube = testMesh_Cube(12);
  const double factors[] = {1e150, 1e-300};
  for (int f = 0; f < 2; ++f) {
    testMesh mesh = testMesh_Copy(cube.vertices, 8, cube.indices, 12);
    for (int i = 0; i < 24; ++i) mesh.vertices[i] *= factors[f];
    for (int t = 0; t < 12; ++t) {
      uint32_t swap = mesh.indices[3 * t];
      mesh.indices[3 * t] = mesh.indices[3 * t + 1];
      mesh.indices[3 * t + 1] = swap;
    }
    cooked result = cookMesh(&mesh, BRINK_MESH_SOLID);
    for (int trial = 0; trial < 500; ++trial) {
      brinkVec3 p = testRandom_Vector(&random, 1.5);
      bool inside = p.x > 0 && p.x < 1 && p.y > 0 && p.y < 1 && p.z > 0 && p.z < 1;
      assert_int_equal(brinkHullTree_Contains(result.tree, brinkScale(p, factors[f])), inside);
    }
    brinkFreeBlob(result.blob);
    testMesh_Free(&mesh);
  }
  testMesh_Free(&cube);
}

CASE(cooking_again_gives_the_same_bytes_whatever_the_hosts_rounding) {
  testMesh mesh = testMesh_Knot(60, 10);
  cooked first = cookMesh(&mesh, 0);
  for (int mode = 0; mode < ROUNDING_MODES; ++mode) {
    enterMode(mode);
    cooked second = cookMesh(&mesh, 0);
    leaveMode();
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.blob, second.blob, first.size);
    brinkFreeBlob(second.blob);
  }
  brinkFreeBlob(first.blob);
  testMesh_Free(&mesh);
}

typedef struct Crew { /* of any number of threads, which take tasks from a shared counter, or one that goes backwards */
  uint32_t threads;
  void (*task)(void *data, uint32_t index);
  void *data;
  uint32_t count;
  atomic_uint next;
} Crew;

static void *workAway(void *user) {
  Crew *crew = user;
  for (uint32_t i; (i = atomic_fetch_add(&crew->next, 1)) < crew->count;) crew->task(crew->data, i);
  return NULL;
}

static void runCrew(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data) {
  Crew *crew = user;
  crew->task = task, crew->data = data, crew->count = count;
  atomic_init(&crew->next, 0);
  pthread_t threads[8];
  if (crew->threads == 0)
    for (uint32_t i = count; i-- > 0;) task(data, i);
  for (uint32_t i = 0; i < crew->threads; ++i) assert_int_equal(pthread_create(&threads[i], NULL, workAway, crew), 0);
  for (uint32_t i = 0; i < crew->threads; ++i) pthread_join(threads[i], NULL);
}

CASE(any_number_of_threads_cooks_the_same_bytes) {
  testMesh meshes[] = {testMesh_Knot(300, 40), testMesh_Ball(90, 90, 0.0), testMesh_Cube(12)};
  for (int m = 0; m < 3; ++m) {
    cooked alone = cookMesh(&meshes[m], 0);
    const uint32_t threads[] = {0, 1, 2, 3, 8};
    for (int i = 0; i < 5; ++i) {
      Crew crew = {.threads = threads[i]};
      brinkCookOptions options = {.structSize = sizeof options, .run = runCrew, .runUser = &crew};
      brinkMeshView view = testMesh_View(&meshes[m], 0);
      void *blob;
      size_t size;
      assert_int_equal(brinkCook(&view, &options, &blob, &size, NULL, 0), brink_ok);
      assert_int_equal(size, alone.size);
      assert_memory_equal(blob, alone.blob, size);
      if (m < 2) assert_true(crew.count > 3); /* there was something to share out */
      brinkFreeBlob(blob);
    }
    brinkFreeBlob(alone.blob);
    testMesh_Free(&meshes[m]);
  }
}

/* Options as hosts of the first minor have them: nothing behind their end is read. */
CASE(options_without_threads_are_understood) {
  testMesh cube = testMesh_Cube(12);
  brinkMeshView view = testMesh_View(&cube, 0);
  unsigned char *old = malloc(offsetof(brinkCookOptions, run));
  const brinkCookOptions options = {.structSize = offsetof(brinkCookOptions, run)};
  memcpy(old, &options, offsetof(brinkCookOptions, run));
  void *blob;
  size_t size;
  assert_int_equal(brinkCook(&view, (const brinkCookOptions *)(void *)old, &blob, &size, NULL, 0), brink_ok);
  brinkFreeBlob(blob);
  free(old);
  testMesh_Free(&cube);
}

/* All of it, for a shape keeps nothing beside the blob. The knot's triangles are long and bent: more patches. */
CASE(a_large_mesh_takes_about_250_bytes_a_triangle) {
  testMesh meshes[] = {testMesh_Knot(1024, 32), testMesh_Terrain(181, 181)};
  for (int m = 0; m < 2; ++m) {
    cooked result = cookMesh(&meshes[m], 0);
    double bytes = (double)result.size / meshes[m].triangleCount;
    if (bytes > (m == 0 ? 260 : 250)) fail_msg("mesh %d: %g bytes a triangle", m, bytes);
    brinkFreeBlob(result.blob);
    testMesh_Free(&meshes[m]);
  }
}

CASE(trees_of_large_and_hostile_meshes_stay_shallow) {
  testMesh mesh = testMesh_Make(3 * 700, 700); /* each a fifth larger and further than the last */
  for (uint32_t t = 0; t < 700; ++t)
    for (uint32_t k = 0; k < 3; ++k) {
      double size = pow(1.2, t - 350.0);
      double *x = &mesh.vertices[9 * (size_t)t + 3 * k];
      x[0] = size * (1.0 + (k == 1)), x[1] = size * (k == 2), x[2] = 0.1 * size * (double)k;
      mesh.indices[3 * t + k] = 3 * t + k;
    }
  cooked result = cookMesh(&mesh, 0);
  for (uint32_t i = 0; i < result.tree->nodeCount; ++i) checkNode(result.tree, i, false);
  brinkFreeBlob(result.blob);
  for (uint32_t i = 0; i < 3 * mesh.vertexCount; ++i) mesh.vertices[i] = mesh.vertices[i % 9]; /* all on one place */
  result = cookMesh(&mesh, 0);
  for (uint32_t i = 0; i < result.tree->nodeCount; ++i) checkNode(result.tree, i, false);
  brinkFreeBlob(result.blob);
  testMesh_Free(&mesh);
}

int main(void) { return cases_Run(NULL, NULL); }
