/* SPDX-License-Identifier: BSD-3-Clause */
/* What an adapter makes of shapes as engines tell them: heights at points, triangles one by one, poses in poses. No
 * engine. Units: m. */
#include "cases.h"
#include "field.h"
#include "meet.h"
#include "motion.h"
#include "plugin_support.h"
#include "shapes.h"
#include "sink.h"
#include "soup.h"
#include "stepper.h"
#include "thickness.h"

static brinkVec3 turned(brinkQuat q, brinkVec3 v) { return carry((brinkPose){{0, 0, 0}, q}, v); }

/* ---- heights */

enum { MOST_SIDE = 40 };

typedef struct Ground {
  size_t columns, rows;
  double heights[MOST_SIDE * MOST_SIDE];
  bool holed; /* has no point in the middle */
  int asked;
} Ground;

/* Each cell split from (column + 1, row) to (column, row + 1). */
static double groundAt(void *user, double u, double v) {
  Ground *ground = user;
  ground->asked++;
  if (ground->holed && fabs(u - 0.5) < 0.1 && fabs(v - 0.5) < 0.1) return (double)NAN;
  double x = u * (double)(ground->columns - 1), z = v * (double)(ground->rows - 1);
  size_t column = (size_t)fmin(floor(x), (double)(ground->columns - 2));
  size_t row = (size_t)fmin(floor(z), (double)(ground->rows - 2));
  const double *at = &ground->heights[row * ground->columns + column], *below = at + ground->columns;
  x -= (double)column, z -= (double)row;
  return x + z <= 1 ? at[0] + x * (at[1] - at[0]) + z * (below[0] - at[0])
                    : below[1] + (1 - x) * (below[0] - below[1]) + (1 - z) * (at[1] - below[1]);
}

static brinkStepSurface makeGround(Ground *ground, size_t columns, size_t rows, uint64_t seed) {
  Random random = {seed};
  *ground = (Ground){.columns = columns, .rows = rows};
  for (size_t i = 0; i < columns * rows; ++i) ground->heights[i] = uniform(&random, -1, 3);
  return (brinkStepSurface){groundAt, ground, 20, 30, -INFINITY, 1e-11};
}

CASE(the_samples_of_a_field_are_found_from_its_heights) {
  const size_t sides[][2] = {{2, 2}, {2, 7}, {5, 5}, {17, 9}, {33, 40}};
  Ground ground;
  for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k)
    for (int told = 0; told < 2; ++told) {
      brinkStepSurface surface = makeGround(&ground, sides[k][0], sides[k][1], k + 1);
      brinkStepField field;
      size_t columns = told ? sides[k][0] : 0, rows = told ? sides[k][1] : 0;
      assert_int_equal(brinkStepFindField(&surface, columns, rows, &field), brink_ok);
      assert_true(field.columns == sides[k][0] && field.rows == sides[k][1]);
      assert_true(field.width == 20 && field.depth == 30);
      /* Two for a sample, two for a cell; a search looks at borders and a few triangles of other numbers alone. */
      const size_t most = 4 * field.columns * field.rows + (told ? 0 : 30 * (field.columns + field.rows));
      assert_true(ground.asked <= (int)most);
      double low = INFINITY, high = -INFINITY;
      for (size_t i = 0; i < field.columns * field.rows; ++i) {
        ASSERT_NEAR(field.heights[i], ground.heights[i], 1e-9);
        low = fmin(low, field.heights[i]), high = fmax(high, field.heights[i]);
      }
      assert_true(field.bottom < low && isfinite(field.bottom));
      ASSERT_NEAR(brinkStepFieldThickness(&field), high - low, 1e-12);
      free(field.heights);
    }
}

/* Nothing bends at the borders of a field whose hills lie inside: any numbers might be its own, and few are read. */
CASE(a_field_with_flat_borders_is_found_without_reading_every_other_one) {
  Ground ground;
  brinkStepSurface surface = makeGround(&ground, 9, 13, 6);
  for (size_t i = 0; i < 9 * 13; ++i)
    if (i % 9 == 0 || i % 9 == 8 || i / 9 == 0 || i / 9 == 12) ground.heights[i] = 0;
  brinkStepField field;
  assert_int_equal(brinkStepFindField(&surface, 0, 0, &field), brink_ok);
  assert_true(field.columns == 9 && field.rows == 13 && ground.asked < 1000);
  free(field.heights);
}

CASE(what_is_no_such_grid_is_refused) {
  Ground ground;
  brinkStepSurface surface = makeGround(&ground, 9, 9, 3);
  brinkStepField field;
  assert_int_equal(brinkStepFindField(&surface, 8, 9, &field), brink_errorBadValue);
  ground.holed = true;
  assert_int_equal(brinkStepFindField(&surface, 9, 9, &field), brink_errorBadValue);
}

CASE(numbers_of_samples_that_cannot_be_are_refused_at_once) {
  const size_t huge = 1518500250; /* its square in doubles: 2^64 bytes and a few */
  Ground ground;
  brinkStepSurface surface = makeGround(&ground, 9, 9, 3);
  brinkStepField field;
  assert_int_equal(brinkStepFindField(&surface, huge, huge, &field), brink_errorNoMemory);
  assert_int_equal(brinkStepFindField(&surface, 1, 9, &field), brink_errorBadValue);
  assert_int_equal(brinkStepFindField(&surface, 9, 0, &field), brink_errorBadValue);
  assert_int_equal(ground.asked, 0);
}

/* Brink's shape of the field has the surface where the engine has it: seen by points that fall onto it. */
CASE(the_shape_of_a_field_lies_where_the_field_does) {
  Ground ground;
  Random random = {8};
  brinkStepSurface surface = makeGround(&ground, 6, 9, 5);
  brinkStepField field;
  brinkPose place;
  brinkWorld *world = newWorld(NULL);
  brinkShapeId shape;
  assert_int_equal(brinkStepFindField(&surface, 0, 0, &field), brink_ok);
  brinkShapeDef def = brinkStepFieldDef(&field, &place);
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  free(field.heights);
  brinkShapeId ball = newShape(world, brink_sphere, vec(1e-3, 0, 0));
  for (int i = 0; i < 400; ++i) {
    double u = uniform(&random, 0.02, 0.98), v = uniform(&random, 0.02, 0.98), height = groundAt(&ground, u, v);
    brinkPose pose = {vec((u - 0.5) * 20, height, (v - 0.5) * 30), {1, 0, 0, 0}};
    brinkContactPoint points[8];
    size_t count = 0;
    ASSERT_OK(world, api()->collideShapes(world, shape, &place, ball, &pose, 1e-3, points, 8, &count));
    assert_true(count > 0);
    pose.position.y += 0.1;
    ASSERT_OK(world, api()->collideShapes(world, shape, &place, ball, &pose, 1e-3, points, 8, &count));
    assert_int_equal((int)count, 0);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(spots_lie_inside_and_apart) {
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j <= i; ++j) {
      double u[2], v[2];
      brinkStepSpot(i, &u[0], &v[0]);
      brinkStepSpot(j, &u[1], &v[1]);
      assert_true(u[0] >= 0 && u[0] < 1 && v[0] >= 0 && v[0] < 1);
      assert_true(i == j || hypot(u[0] - u[1], v[0] - v[1]) > 0.03);
    }
}

/* ---- triangles */

CASE(equal_corners_become_one_vertex) {
  Random random = {4};
  double corners[27][3];
  for (int i = 0; i < 27; ++i)
    for (int k = 0; k < 3; ++k) corners[i][k] = uniform(&random, -1, 1);
  brinkStepSoup soup;
  assert_true(brinkStepBeginSoup(&soup, 500));
  uint32_t used[500][3];
  for (int i = 0; i < 500; ++i) {
    double triangle[9];
    for (int k = 0; k < 3; ++k) {
      used[i][k] = (uint32_t)uniform(&random, 0, 26.999);
      memcpy(triangle + 3 * k, corners[used[i][k]], sizeof corners[0]);
    }
    brinkStepAddTriangle(&soup, triangle);
  }
  brinkMeshView view = brinkStepSoupView(&soup);
  assert_true(view.vertexCount == 27 && view.triangleCount == 500);
  for (int i = 0; i < 500; ++i)
    for (int k = 0; k < 3; ++k)
      assert_memory_equal(&view.vertices[3 * view.indices[3 * i + k]], corners[used[i][k]], sizeof corners[0]);
  brinkStepFreeSoup(&soup);
}

/* ---- what geoms share */

/* An engine's mesh: a tetrahedron of this size. */
static void sampleSize(const brinkStepMeshKey *key, double samples[BRINK_STEP_MESH_SAMPLES][9]) {
  samples[0][0] = *(const double *)key->data;
}

static brinkStepMesh *meetMesh(brinkStepShapes *shapes, double *size, uint64_t walk, int *cooked) {
  const brinkStepMeshKey key = {.data = size, .kind = 8, .triangleCount = 4};
  brinkStepMesh *found = brinkStepFindMesh(shapes, &key, walk), made;
  if (found != NULL) return found;
  static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const double s = *size, corners[4][3] = {{0, 0, 0}, {s, 0, 0}, {0, s, 0}, {0, 0, s}};
  brinkStepSoup soup;
  assert_true(brinkStepBeginSoup(&soup, 4));
  for (int i = 0; i < 4; ++i) {
    double triangle[9];
    for (int k = 0; k < 3; ++k) memcpy(triangle + 3 * k, corners[faces[i][k]], sizeof corners[0]);
    brinkStepAddTriangle(&soup, triangle);
  }
  assert_int_equal(brinkStepCookSoup(shapes, size, &soup, &made), brink_ok);
  ++*cooked;
  return brinkStepAddMesh(shapes, &made, &key, walk);
}

CASE(a_mesh_is_cooked_once_until_it_is_changed_in_place) {
  brinkStepShapes shapes = {.plugin = api(), .world = newWorld(NULL), .sample = sampleSize};
  double sizes[2] = {1, 2};
  brinkStepShape used[3];
  int cooked = 0;
  for (int i = 0; i < 3; ++i) used[i] = brinkStepUseMesh(&shapes, meetMesh(&shapes, &sizes[i / 2], 1, &cooked));
  assert_int_equal(cooked, 2);
  assert_true(used[0].id == used[1].id && used[0].id != used[2].id && used[0].surface && !used[0].hollow);
  assert_true(used[2].thickness == 2 * used[0].thickness);
  sizes[0] = 3; /* seen in the next walk; who has the old one keeps it until then */
  assert_true(meetMesh(&shapes, &sizes[0], 1, &cooked) == &shapes.meshes[used[0].mesh]);
  brinkStepShape changed = brinkStepUseMesh(&shapes, meetMesh(&shapes, &sizes[0], 2, &cooked));
  assert_true(cooked == 3 && changed.id != used[0].id && changed.thickness == 3 * used[0].thickness);
  const uint32_t old = used[0].mesh;
  for (int i = 0; i < 2; ++i) {
    brinkStepDropUnusedMeshes(&shapes);
    assert_true(shapes.meshes[old].key.data == &sizes[0]); /* the other one has it */
    brinkStepDropShape(&shapes, &used[i]);
  }
  brinkStepDropUnusedMeshes(&shapes);
  assert_true(shapes.meshes[old].key.data == NULL && shapes.meshes[changed.mesh].key.data == &sizes[0]);
  double third = 4;
  assert_true(meetMesh(&shapes, &third, 2, &cooked) == &shapes.meshes[old]); /* its record is used again */
  brinkStepFreeShapes(&shapes);
}

CASE(what_is_told_of_a_mesh_is_kept_whole_or_not_at_all) {
  brinkStepShapes shapes = {.plugin = api(), .world = newWorld(NULL), .sample = sampleSize};
  double data;
  assert_null(brinkStepFindTold(&shapes, &data));
  brinkStepToldOf(&shapes, &data)->columns = 5;
  assert_true(brinkStepTellBlob(&shapes, &data, "no blob", 8) != brink_ok);
  const brinkStepTold *told = brinkStepFindTold(&shapes, &data);
  assert_true(told->columns == 5 && told->blob == NULL && shapes.toldCount == 1);
  brinkStepFreeShapes(&shapes);
}

/* ---- how thick */

static double discSupportRadius = 2;
static void disc(void *user, const double d[3], double point[3]) {
  double radius = *(double *)user, length = hypot(d[0], d[1]);
  point[0] = length > 0 ? radius * d[0] / length : 0;
  point[1] = length > 0 ? radius * d[1] / length : 0;
  point[2] = d[2] > 0 ? 0.01 : -0.01;
}

CASE(a_shape_is_as_thick_as_its_smallest_width) {
  const struct {
    brinkShapeDef def;
    double thickness;
  } rows[] = {
      {{.type = brink_sphere, .size = {3, 0, 0}}, 6},
      {{.type = brink_capsule, .size = {0.5, 0, 9}}, 1},
      {{.type = brink_box, .size = {4, 0.25, 2}}, 0.5},
      {{.type = brink_cylinder, .size = {4, 0, 0.125}}, 0.25},
      {{.type = brink_cylinder, .size = {0.5, 0, 8}}, 1},
      {{.type = brink_ray, .size = {0, 0, 8}}, 8e-5},
      {{.type = brink_plane}, BRINK_STEP_UNLIMITED},
      {{.type = brink_support, .support = disc, .supportUser = &discSupportRadius}, 0.02},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    ASSERT_NEAR(brinkStepThickness(&rows[i].def), rows[i].thickness, 1e-12 * rows[i].thickness);
}

/* A plate of 4 x 3 x 0.01 that lies askew in its own frame, and the same as a mesh. */
CASE(a_plate_is_thin_however_it_lies) {
  const brinkQuat turn = rotation(vec(0.4, -0.9, 0.3));
  double vertices[24];
  for (int i = 0; i < 8; ++i) {
    brinkVec3 corner = turned(turn, vec(i & 1 ? 2 : -2, i & 2 ? 1.5 : -1.5, i & 4 ? 0.005 : -0.005));
    memcpy(vertices + 3 * i, &corner, sizeof corner);
  }
  brinkShapeDef def = {.type = brink_hull, .mesh = {sizeof(brinkMeshView), 0, vertices, 8, NULL, 0}};
  ASSERT_NEAR(brinkStepThickness(&def), 0.01, 1e-12);
  assert_false(brinkStepIsSheet(vertices, 8));
  def.type = brink_mesh;
  assert_true(brinkStepThickness(&def) > 1); /* a mesh by its extents */
  for (int i = 0; i < 8; ++i) vertices[3 * i + 1] = 7;
  assert_true(brinkStepIsSheet(vertices, 8));
  ASSERT_NEAR(brinkStepThickness(&def) / fmax(fabs(vertices[0]), 1), 4e-3, 3e-3); /* a part of its largest extent */
}

/* ---- poses */

CASE(a_pose_in_a_pose_is_their_product) {
  Random random = {11};
  const brinkPose none = {{0, 0, 0}, {1, 0, 0, 0}};
  for (int i = 0; i < 1000; ++i) {
    brinkPose outer = {randomVector(&random, 5), rotation(randomVector(&random, 3))};
    brinkPose inner = {randomVector(&random, 5), rotation(randomVector(&random, 3))};
    brinkPose expected = {plus(outer.position, turned(outer.rotation, inner.position)),
                          product(outer.rotation, inner.rotation)};
    ASSERT_NEAR(poseError(brinkStepComposePose(outer, inner), expected), 0, 1e-13);
    brinkPose same = brinkStepComposePose(outer, none);
    assert_memory_equal(&same, &outer, sizeof outer);
  }
}

/* ---- contacts */

/* A box lies on triangles, two of its corners a hundredth of the gap higher than the others. The frame is told of all
 * four, else the higher ones would fall, and be struck. At an impact they would hold what is to turn. */
CASE(points_just_beside_those_that_touch_are_the_frames) {
  static const double corners[4][3] = {{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}};
  static const uint32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
  brinkWorld *world = newWorld(NULL);
  const brinkShapeDef ground = surfaceDef(brink_mesh, corners[0], 4, faces[0], 2);
  const double allowance = 0.01, gap = BRINK_STEP_GAP * allowance;
  brinkStepMeeting of = {.plugin = api(), .world = world, .mesh = true, .allowance = allowance, .h = 1 / 60.0};
  of.shapes[0] = newShape(world, brink_box, vec(0.2, 0.2, 0.2));
  of.shapes[1] = shapeFrom(world, &ground);
  of.poses[0] = of.poses[1] = at(0, 0, 0);
  of.poses[0].rotation = rotation(vec(0.01 * gap / 0.4, 0, 0));
  of.poses[0].position = vec(0.3, 0.1, 0.2 + 1.004 * gap);
  for (int struck = 0; struck < 2; ++struck) {
    brinkContactPoint points[BRINK_STEP_MOST_POINTS];
    double depths[BRINK_STEP_MOST_POINTS];
    of.struck = struck == 1;
    const size_t count = brinkStepMeet(&of, points, depths, 8);
    size_t beside = 0;
    for (size_t i = 0; i < count; ++i) {
      assert_true(depths[i] >= 0 && fabs(points[i].separation - gap) < 0.01 * gap);
      beside += points[i].separation > gap;
    }
    assert_true(count - beside >= 2 && (struck ? beside == 0 : beside >= 2));
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

int main(void) { return cases_Run(NULL, NULL); }
