/* SPDX-License-Identifier: BSD-3-Clause */
/* What the shapes of ABI minor 1 promise beyond the pair matrix (test_pair_matrix.c): compounds as one collider, height
 * fields of any size, support functions that are believed only when they deserve it, planes that move and turn. Closed
 * forms, dense sampling, memory counted. */
#include "cases.h"
#include "plugin_support.h"

#define EXPECT(condition, seed)                                                                              \
  do {                                                                                                       \
    if (!(condition)) fail_msg("%s (case %llu, line %d)", #condition, (unsigned long long)(seed), __LINE__); \
  } while (0)

static brinkShapeId newShapeOf(brinkWorld *world, const brinkShapeDef *def) {
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, def, &shape));
  return shape;
}

static brinkContact distanceOf(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t) {
  brinkContact contact;
  ASSERT_OK(world, api()->distance(world, a, b, t, &contact));
  return contact;
}

static void slide(brinkWorld *world, brinkBodyId body, brinkVec3 from, brinkVec3 velocity, brinkVec3 spin) {
  brinkBodyMotion motion = velocitiesMotion(at(from.x, from.y, from.z), velocity, spin);
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
}

/* ---- compounds */

static brinkShapeId dumbbell(brinkWorld *world, brinkShapeId *ball) {
  *ball = newShape(world, brink_sphere, vec(0.5, 0, 0));
  brinkShapeChild children[2] = {{*ball, at(-1, 0, 0)}, {*ball, at(1, 0, 0)}};
  brinkShapeDef def = shapeDef(brink_compound, vec(0, 0, 0));
  def.children = children;
  def.childCount = 2;
  return newShapeOf(world, &def);
}

CASE(compound_is_one_collider_with_one_contact_a_pair) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeId ball, shape = dumbbell(world, &ball);
  brinkBodyId a = newBody(world, 0, at(0, 0, 0)), b = newBody(world, 0, at(0, 0, 0));
  brinkColliderId colliderA = newCollider(world, a, shape, at(0, 0, 0)),
                  colliderB = newCollider(world, b, shape, at(0, 0, 0));
  slide(world, b, vec(0.2, 0, 3), vec(0, 0, -4), vec(0, 0, 0));
  brinkQuery query = wholeStep();
  query.mode = brink_modePairs;
  brinkReport report = ask(world, &query);
  assert_int_equal(report.contactCount, 1);
  assert_int_equal(report.state, brink_hit);
  assert_true(report.contacts[0].colliderA == colliderA && report.contacts[0].colliderB == colliderB);
  ASSERT_NEAR(report.toi, (3 - sqrt(1 - 0.04)) / 4, 1e-6);
  ASSERT_NEAR(distanceOf(world, colliderA, colliderB, 0).distance, sqrt(9.04) - 1, 1e-8);
  brinkContactPoint points[4];
  size_t count;
  ASSERT_OK(world, api()->collide(world, colliderA, colliderB, report.toi, 1e-3, points, 4, &count));
  assert_int_equal(count, 2); /* both balls of one on both of the other */
  assert_true(points[0].featureKey != points[1].featureKey);
  brinkAabb box;
  ASSERT_OK(world, api()->sweptBounds(world, colliderB, 0, 1, &box));
  assert_true(box.lower.x <= -1.3 && box.upper.x >= 1.7 && box.lower.z <= -1.5 && box.upper.z >= 3.5);
  assert_true(box.lower.x > -1.4 && box.upper.x < 1.8 && box.lower.z > -1.6 && box.upper.z < 3.6);
  double allowance;
  ASSERT_OK(world, api()->colliderAllowance(world, colliderA, &allowance));
  ASSERT_NEAR(allowance, 0.05, 1e-12);
  const brinkColliderPair *pairs;
  size_t pairCount;
  ASSERT_OK(world, api()->nearPairs(world, 0.5, 0.1, &pairs, &pairCount));
  assert_int_equal(pairCount, 1);
  ASSERT_OK(world, api()->ignorePair(world, colliderA, colliderB, 1));
  assert_int_equal(ask(world, &query).state, brink_free);
  ASSERT_OK(world, api()->ignorePair(world, colliderA, colliderB, 0));
  ASSERT_OK(world, api()->setColliderFilter(world, colliderA, 2, 2));
  assert_int_equal(ask(world, &query).state, brink_free);
  ASSERT_OK(world, api()->setColliderFilter(world, colliderA, 1, 1));
  brinkPose aside = at(0, 5, 0);
  ASSERT_OK(world, api()->setColliderPose(world, colliderA, &aside));
  assert_int_equal(ask(world, &query).state, brink_free);
  aside = at(0, 0, 1);
  ASSERT_OK(world, api()->setColliderPose(world, colliderA, &aside));
  ASSERT_NEAR(ask(world, &query).toi, (2 - sqrt(1 - 0.04)) / 4, 1e-6);
  api()->destroyWorld(world);
}

/* Yes or no: any contact will do, but nothing of its pair, whose parts are asked one by one, may meet before its toi.
 */
CASE(no_part_of_a_compound_meets_before_the_contact_that_is_told) {
  Random generator = {36}, *random = &generator;
  int hits = 0;
  for (int n = 0; n < 1000; ++n) {
    brinkWorld *world = newWorld(NULL);
    brinkShapeId rod = newShape(world, brink_box, vec(0.5, 0.02, 0.02));
    brinkShapeChild rods[2];
    for (int i = 0; i < 2; ++i)
      rods[i] = (brinkShapeChild){rod, {randomVector(random, 0.5), rotation(randomVector(random, 3))}};
    brinkShapeDef def = shapeDef(brink_compound, vec(0, 0, 0));
    def.children = rods;
    def.childCount = 2;
    newCollider(world, 0, shapeFrom(world, &def), at(0, 0, 0));
    brinkBodyId ball = newBody(world, 0, at(-2, 0, 0));
    newCollider(world, ball, newShape(world, brink_sphere, vec(0.1, 0, 0)), at(0, 0, 0));
    brinkBodyMotion motion = velocitiesMotion(at(-2, 0, 0), vec(4, 0, 0), vec(0, 0, 0));
    ASSERT_OK(world, api()->setBodyMotion(world, ball, &motion));
    brinkQuery query = wholeStep();
    const brinkReport first = ask(world, &query);
    query.mode = brink_modeBoolean;
    const brinkReport any = ask(world, &query);
    assert_int_equal(any.state, first.state);
    if (any.state == brink_hit) {
      ++hits;
      assert_int_equal(any.contactCount, 1);
      assert_true(any.contacts[0].toi <= first.toi + 1e-6 && any.contacts[0].toiUpper >= first.toi - 1e-6);
    }
    ASSERT_OK(world, api()->destroyWorld(world));
  }
  assert_true(hits > 100);
}

CASE(compound_holds_its_children_and_flattens_compounds) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeId ball, inner = dumbbell(world, &ball);
  brinkShapeChild children[2] = {{inner, {{0, 0, 2}, rotation(vec(0, 0, PI / 2))}}, {ball, at(0, 0, -2)}};
  brinkShapeDef def = shapeDef(brink_compound, vec(0, 0, 0));
  def.children = children;
  def.childCount = 2;
  brinkShapeId outer = newShapeOf(world, &def);
  ASSERT_STATUS(world, api()->destroyShape(world, ball), brink_errorInUse);
  ASSERT_OK(world, api()->destroyShape(world, inner)); /* flattened: only its parts are held */
  brinkColliderId compound = newCollider(world, 0, outer, at(0, 0, 0));
  brinkBodyId body = newBody(world, 0, at(0, 4, 2));
  brinkColliderId probe = newCollider(world, body, newShape(world, brink_point, vec(0, 0, 0)), at(0, 0, 0));
  ASSERT_NEAR(distanceOf(world, compound, probe, 0).distance, 2.5, 1e-8); /* the turned dumbbell's ball at (0, 1, 2) */
  ASSERT_STATUS(world, api()->destroyShape(world, outer), brink_errorInUse);
  ASSERT_OK(world, api()->destroyCollider(world, compound));
  ASSERT_OK(world, api()->destroyShape(world, outer));
  ASSERT_OK(world, api()->destroyShape(world, ball));
  /* refusals */
  brinkShapeId none;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorStale); /* children are gone */
  def.childCount = 0;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorEmpty);
  def.childCount = 2;
  def.children = NULL;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorNullArgument);
  def.childCount = SIZE_MAX / 2;
  def.children = children;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorRange);
  def.childCount = 1;
  def.margin = 0.1;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorBadValue);
  def.margin = 0;
  children[0] = (brinkShapeChild){newShape(world, brink_sphere, vec(1, 0, 0)), {{0, 0, 0}, {0, 0, 0, 0}}};
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorBadRotation);
  children[0].pose = at(NAN, 0, 0);
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorBadValue);
  api()->destroyWorld(world);
}

/* ---- capsules */

CASE(capsule_without_length_is_a_ball) {
  brinkWorld *world = newWorld(NULL);
  const brinkShapeId ball = newShape(world, brink_sphere, vec(0.25, 0, 0)),
                     capsule = newShape(world, brink_capsule, vec(0.25, 0, 0));
  const brinkBodyId body[2] = {newBody(world, 0, at(0, 0, 0)), newBody(world, 0, at(0, 9, 0))};
  const brinkColliderId mover[2] = {newCollider(world, body[0], ball, at(0, 0, 0)),
                                    newCollider(world, body[1], capsule, at(0, 0, 0))};
  newCollider(world, 0, newPlane(world), at(0, 0, 0));
  double allowance;
  for (int i = 0; i < 2; ++i) {
    slide(world, body[0], vec(0, 0, i == 0 ? 3.25 : 9), vec(0, 0, i == 0 ? -4 : 0), vec(3, 2, 1));
    slide(world, body[1], vec(0, 9, i == 1 ? 3.25 : 9), vec(0, 0, i == 1 ? -4 : 0), vec(3, 2, 1));
    brinkQuery query = wholeStep();
    brinkReport report = ask(world, &query);
    assert_int_equal(report.state, brink_hit);
    assert_true(report.contacts[0].colliderA == mover[i]);
    ASSERT_NEAR(report.toi, 0.75, 1e-6);
    ASSERT_OK(world, api()->colliderAllowance(world, mover[i], &allowance));
    ASSERT_NEAR(allowance, 0.05 * 0.5, 1e-12);
  }
  api()->destroyWorld(world);
}

/* ---- rounded meshes: once the paper's scheme and `distance` took them for sharp */

/* A point has no size, and great ground says nothing of how near is near: 1e-6 of a box of 2000 km would be metres. */
CASE(a_point_comes_as_near_to_great_ground_as_to_a_small_one) {
  const double halves[] = {1e-3, 1, 1e3, 1e6};
  const uint32_t schemes[] = {brink_schemeDefault, brink_schemePaper, brink_schemeSweptAxis};
  for (int k = 0; k < 12; ++k) {
    brinkWorld *world = newWorld(NULL);
    const double half = halves[k / 3];
    brinkBodyId body = newBody(world, 0, at(0, 0, 0));
    newCollider(world, body, newShape(world, brink_point, vec(0, 0, 0)), at(0, 0, 0));
    newCollider(world, 0, newShape(world, brink_box, vec(half, half, half)), at(0, 0, -half));
    slide(world, body, vec(0, 0, 10), vec(0, 0, -20), vec(0, 0, 3));
    brinkQuery query = wholeStep();
    query.scheme = schemes[k % 3];
    brinkReport report = ask(world, &query);
    assert_int_equal(report.state, brink_hit);
    if (!(report.toi <= 0.5 && 20 * (0.5 - report.toi) < 2e-6))
      fail_msg("half %g, scheme %u: %g m early", half, query.scheme, 20 * (0.5 - report.toi));
    api()->destroyWorld(world);
  }
}

CASE(rounded_meshes_are_met_at_their_margin) {
  static const double corners[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
  static const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
  for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme)
    for (int both = 0; both < 2; ++both) {
      brinkWorld *world = newWorld(NULL);
      brinkShapeDef def = surfaceDef(brink_mesh, corners, 4, faces, 2);
      def.margin = 0.125;
      brinkShapeId rounded = shapeFrom(world, &def);
      brinkShapeId ball = newShape(world, brink_sphere, vec(0.125, 0, 0));
      brinkColliderId still = newCollider(world, 0, rounded, at(0, 0, 0));
      brinkBodyId body = newBody(world, 0, at(0.1, 0.2, 1));
      brinkColliderId moving = newCollider(world, body, both ? rounded : ball, at(0, 0, 0));
      brinkBodyMotion motion = velocitiesMotion(at(0.1, 0.2, 1), vec(0, 0, -2), vec(0, 0, 0));
      ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
      brinkQuery query = wholeStep();
      query.scheme = scheme;
      brinkReport report = ask(world, &query);
      assert_int_equal(report.state, brink_hit);
      ASSERT_NEAR(report.toi, 0.375, 1e-6);
      assert_true(report.toi <= 0.375);
      brinkContact contact;
      ASSERT_OK(world, api()->distance(world, still, moving, 0, &contact));
      ASSERT_NEAR(contact.distance, 0.75, 1e-8);
      ASSERT_NEAR(norm(minus(contact.pointB, contact.pointA)), 0.75, 1e-8);
      brinkContactPoint points[4];
      size_t count;
      ASSERT_OK(world, api()->collide(world, still, moving, 0.37, 0.05, points, 4, &count));
      assert_true(count > 0);
      ASSERT_NEAR(points[0].separation, 0.01, 1e-8);
      api()->destroyWorld(world);
    }
}

/* ---- heightfields */

static brinkShapeDef hills(double *heights, size_t columns, size_t rows) {
  for (size_t i = 0; i < columns * rows; ++i)
    heights[i] = 2 * sin(0.3 * (double)(i % columns)) * cos(0.2 * (double)(i / columns));
  brinkShapeDef def = shapeDef(brink_heightfield, vec(1, 1, 0));
  def.heights = heights;
  def.columns = columns;
  def.rows = rows;
  return def;
}

CASE(ray_meets_the_heightfield_where_its_triangles_are) {
  enum { COLUMNS = 61, ROWS = 43 };
  static double heights[COLUMNS * ROWS];
  brinkWorld *world = newWorld(NULL);
  brinkShapeDef def = hills(heights, COLUMNS, ROWS);
  newCollider(world, 0, newShapeOf(world, &def), at(0, 0, 0));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, newShape(world, brink_ray, vec(0, 0, -1)), at(0, 0, 0));
  Random random = {11};
  for (int i = 0; i < 300; ++i) {
    double x = uniform(&random, 0, COLUMNS - 1.001), y = uniform(&random, 0, ROWS - 1.001);
    int column = (int)x, row = (int)y;
    double u = x - column, v = y - row, h00 = heights[row * COLUMNS + column],
           h11 = heights[(row + 1) * COLUMNS + column + 1];
    double h10 = heights[row * COLUMNS + column + 1], h01 = heights[(row + 1) * COLUMNS + column];
    double z = u >= v ? h00 + u * (h10 - h00) + v * (h11 - h10) : h00 + v * (h01 - h00) + u * (h11 - h01);
    slide(world, body, vec(x, y, 5), vec(0, 0, -8), vec(0, 0, 0));
    brinkQuery query = wholeStep();
    query.scheme = (uint32_t)(i % 3);
    brinkReport report = ask(world, &query);
    EXPECT(report.state == brink_hit, i);
    ASSERT_NEAR(report.toi, (4 - z) / 8, 1e-6);
    slide(world, body, vec(x, y, z + 0.5), vec(0.2, 0.1, 0.3), vec(0, 0, 0)); /* starts pierced */
    EXPECT(ask(world, &query).state == brink_overlap, i);
  }
  api()->destroyWorld(world);
}

CASE(solid_heightfield_has_an_inside_and_the_other_has_none) {
  enum { COLUMNS = 9, ROWS = 7 };
  double heights[COLUMNS * ROWS];
  for (int solid = 0; solid < 2; ++solid) {
    brinkWorld *world = newWorld(NULL);
    brinkShapeDef def = hills(heights, COLUMNS, ROWS);
    def.flags = solid ? BRINK_SHAPE_SOLID_BELOW : 0;
    def.offset = -10;
    brinkColliderId field = newCollider(world, 0, newShapeOf(world, &def), at(0, 0, 0));
    brinkBodyId body = newBody(world, 0, at(0, 0, 0));
    brinkColliderId ball = newCollider(world, body, newShape(world, brink_sphere, vec(0.2, 0, 0)), at(0, 0, 0));
    slide(world, body, vec(4, 3, -6), vec(0.1, 0, 0), vec(0, 0, 0));
    brinkQuery query = wholeStep();
    assert_int_equal(ask(world, &query).state, solid ? brink_overlap : brink_free);
    assert_int_equal(distanceOf(world, field, ball, 0).state, solid ? brink_overlap : brink_free);
    slide(world, body, vec(4, 3, -12), vec(0, 0, 4), vec(0, 0, 0)); /* from below: the floor at -10 */
    brinkReport report = ask(world, &query);
    assert_int_equal(report.state, solid ? brink_hit : brink_free);
    if (solid) ASSERT_NEAR(report.toi, 1.8 / 4, 1e-6);
    api()->destroyWorld(world);
  }
}

CASE(bad_heightfields_are_refused) {
  brinkWorld *world = newWorld(NULL);
  double heights[9];
  brinkShapeDef good = hills(heights, 3, 3), def = good;
  brinkShapeId none;
  def.heights = NULL;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorNullArgument);
  def = good;
  def.rows = 1;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorEmpty);
  def = good;
  def.columns = SIZE_MAX / 4;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorRange);
  def = good;
  def.size.y = 0;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorBadValue);
  heights[5] = NAN;
  ASSERT_STATUS(world, api()->createShape(world, &good, &none), brink_errorBadValue);
  assert_non_null(strstr(api()->lastError(world), "column 2, row 1"));
  heights[5] = 1e155;
  ASSERT_STATUS(world, api()->createShape(world, &good, &none), brink_errorRange);
  heights[5] = 0;
  def = good;
  def.flags = BRINK_SHAPE_SOLID_BELOW;
  def.offset = 0;
  ASSERT_STATUS(world, api()->createShape(world, &def, &none), brink_errorBadValue);
  api()->destroyWorld(world);
}

/* ---- support functions */

typedef struct Ellipsoid {
  double half[3];
  int calls;
  int lie; /* 0 honest, 1 NaN, 2 too far, 3 the wrong point, 4 NaN once `calls` is negative */
} Ellipsoid;

static void ellipsoidSupport(void *user, const double d[3], double point[3]) {
  Ellipsoid *e = user;
  double length = sqrt(e->half[0] * e->half[0] * d[0] * d[0] + e->half[1] * e->half[1] * d[1] * d[1] +
                       e->half[2] * e->half[2] * d[2] * d[2]);
  for (int k = 0; k < 3; ++k) point[k] = e->half[k] * e->half[k] * d[k] / length;
  if (e->lie == 1 || (e->lie == 4 && e->calls < 0)) point[1] = NAN;
  if (e->lie == 2) point[2] *= 3;
  if (e->lie == 3 && d[0] > 0.9) point[0] = 0;
}

static brinkShapeDef ellipsoidDef(Ellipsoid *ellipsoid) {
  brinkShapeDef def = shapeDef(brink_support, vec(0, 0, 0));
  def.support = ellipsoidSupport;
  def.supportUser = ellipsoid;
  def.supportRadius = 1.5;
  def.supportRounding = 1e-14;
  return def;
}

/* An ellipsoid that turns over a static plane: its height over the plane is known at all times. */
CASE(ellipsoid_meets_a_plane_at_the_known_time) {
  Ellipsoid ellipsoid = {{1.5, 0.5, 0.8}, 0, 0};
  brinkWorld *world = newWorld(NULL);
  brinkShapeDef def = ellipsoidDef(&ellipsoid), plane = shapeDef(brink_plane, vec(0, 0, 0));
  plane.normal = vec(0, 0, 1);
  brinkColliderId ground = newCollider(world, 0, newShapeOf(world, &plane), at(0, 0, 0));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  brinkColliderId egg = newCollider(world, body, newShapeOf(world, &def), at(0, 0, 0));
  Random random = {5};
  for (int i = 0; i < 100; ++i) {
    double spin = uniform(&random, -12, 12), speed = uniform(&random, 1.5, 5);
    slide(world, body, vec(0, 0, 2), vec(0, 0, -speed), vec(0, spin, 0));
    brinkQuery query = wholeStep();
    brinkReport report = ask(world, &query);
    double first = 2; /* height of the lowest point: 2 - speed t - |(half) R^T z| */
    for (int k = 0; k <= 100000 && first == 2; ++k) {
      double t = k * 1e-5, s = sin(spin * t), c = cos(spin * t);
      if (2 - speed * t - sqrt(2.25 * s * s + 0.64 * c * c) <= 0) first = t;
    }
    if (first < 2) {
      EXPECT(report.state == brink_hit && report.toi <= first && report.toi >= first - 2e-5, i);
      brinkContactPoint points[4];
      size_t count;
      ASSERT_OK(world, api()->collide(world, ground, egg, report.toi, 1e-4, points, 4, &count));
      EXPECT(count == 1 && fabs(points[0].separation) < 1e-5, i);
    } else {
      EXPECT(report.state == brink_free, i);
    }
  }
  api()->destroyWorld(world);
}

CASE(support_functions_that_lie_are_refused_and_never_missed) {
  brinkWorld *world = newWorld(NULL);
  Ellipsoid ellipsoid = {{1.5, 0.5, 0.8}, 0, 0};
  brinkShapeDef def = ellipsoidDef(&ellipsoid);
  brinkShapeId shape;
  for (ellipsoid.lie = 1; ellipsoid.lie <= 3; ++ellipsoid.lie)
    ASSERT_STATUS(world, api()->createShape(world, &def, &shape), brink_errorBadValue);
  ellipsoid.lie = 0;
  def.support = NULL;
  ASSERT_STATUS(world, api()->createShape(world, &def, &shape), brink_errorNullArgument);
  def = ellipsoidDef(&ellipsoid);
  def.supportRadius = 0;
  ASSERT_STATUS(world, api()->createShape(world, &def, &shape), brink_errorBadValue);
  def.supportRadius = INFINITY;
  ASSERT_STATUS(world, api()->createShape(world, &def, &shape), brink_errorBadValue);
  def = ellipsoidDef(&ellipsoid);
  def.supportRounding = 1;
  ASSERT_STATUS(world, api()->createShape(world, &def, &shape), brink_errorBadValue);
  /* One that breaks later counts as its ball: nothing is missed. */
  def = ellipsoidDef(&ellipsoid);
  shape = newShapeOf(world, &def);
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, shape, at(0, 0, 0));
  newCollider(world, 0, newShape(world, brink_point, vec(0, 0, 0)), at(0, 0, 0));
  slide(world, body, vec(0, 0, 3), vec(0, 0, -4), vec(0, 0, 0));
  brinkQuery query = wholeStep();
  ASSERT_NEAR(ask(world, &query).toi, 2.2 / 4, 1e-6);
  ellipsoid.lie = 4;
  ellipsoid.calls = -1;
  brinkReport report = ask(world, &query);
  assert_true(report.state != brink_free && report.toi <= 2.2 / 4);
  api()->destroyWorld(world);
}

/* A body that is rolled as a box by its support function rests on four points. */
static void cubeSupport(void *user, const double d[3], double point[3]) {
  (void)user;
  for (int k = 0; k < 3; ++k) point[k] = d[k] < 0 ? -0.5 : 0.5;
}

CASE(faces_of_a_support_function_are_found) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeDef def = shapeDef(brink_support, vec(0, 0, 0)), plane = shapeDef(brink_plane, vec(0, 0, 0));
  def.support = cubeSupport;
  def.supportRadius = 0.9;
  plane.normal = vec(0, 0, 1);
  brinkShapeId cube = newShapeOf(world, &def), ground = newShapeOf(world, &plane);
  brinkShapeId box = newShape(world, brink_box, vec(2, 2, 0.5));
  brinkPose low = at(0, 0, 0), high = {{0, 0, 0.499}, rotation(vec(0.001, 0, 0))}, above = at(0.1, 0.2, 0.999);
  brinkContactPoint points[8];
  size_t count;
  ASSERT_OK(world, api()->collideShapes(world, ground, &low, cube, &high, 0.01, points, 8, &count));
  assert_int_equal(count, 4);
  ASSERT_OK(world, api()->collideShapes(world, box, &low, cube, &above, 0.01, points, 8, &count));
  assert_int_equal(count, 4);
  for (size_t i = 0; i < count; ++i) {
    ASSERT_NEAR(points[i].separation, -0.001, 1e-9);
    ASSERT_NEAR(points[i].normal.z, 1, 1e-9);
  }
  api()->destroyWorld(world);
}

/* ---- planes that move */

/* A plane that flaps about an axis of its own and a ball that orbits: separations known at all times. */
CASE(turning_plane_meets_a_ball_at_the_sampled_time) {
  Random random = {77};
  int hits = 0, frees = 0;
  for (int i = 0; i < 300; ++i) {
    brinkWorld *world = newWorld(NULL);
    brinkShapeDef plane = shapeDef(brink_plane, vec(0, 0, 0));
    plane.normal = vec(0, 0, 1);
    plane.offset = uniform(&random, -1, 1);
    brinkBodyId flap = newBody(world, 0, at(0, 0, 0)), orbit = newBody(world, 0, at(0, 0, 0));
    brinkPose on = {randomVector(&random, 1), rotation(randomVector(&random, 1))}, off = at(0.8, 0, 0);
    newCollider(world, flap, newShapeOf(world, &plane), on);
    newCollider(world, orbit, newShape(world, brink_sphere, vec(0.5, 0, 0)), off);
    double turns = i % 3 == 0 ? 20 : 2;
    brinkPose startFlap = {randomVector(&random, 1), rotation(randomVector(&random, 2))};
    brinkBodyMotion motionFlap = velocitiesMotion(startFlap, randomVector(&random, 2), randomVector(&random, turns));
    if (i % 5 == 0) motionFlap.spin = vec(0, 0, 0);
    brinkBodyMotion motionOrbit = velocitiesMotion((brinkPose){randomVector(&random, 8), {1, 0, 0, 0}},
                                                   randomVector(&random, 3), randomVector(&random, turns));
    ASSERT_OK(world, api()->setBodyMotion(world, flap, &motionFlap));
    ASSERT_OK(world, api()->setBodyMotion(world, orbit, &motionOrbit));
    brinkQuery query = wholeStep();
    query.tolerance = 1e-6;
    query.scheme = (uint32_t)(i % 2);
    brinkReport report = ask(world, &query);
    EXPECT(report.state != brink_unresolved, i);
    double first = 2, atToi = 0;
    for (int k = -1; k <= 40000; ++k) {
      double t = k < 0 ? fmin(report.toi, 1) : k / 40000.0;
      brinkPose place = chain((brinkPose){plus(startFlap.position, times(t, motionFlap.velocity)),
                                          product(rotation(times(t, motionFlap.spin)), startFlap.rotation)},
                              on);
      brinkPose ball = chain((brinkPose){plus(motionOrbit.pose0.position, times(t, motionOrbit.velocity)),
                                         rotation(times(t, motionOrbit.spin))},
                             off);
      brinkVec3 n = turn(place.rotation, vec(0, 0, 1)), d = minus(ball.position, place.position);
      double gap = n.x * d.x + n.y * d.y + n.z * d.z - plane.offset - 0.5;
      if (k < 0)
        atToi = gap;
      else if (gap <= 0 && first == 2)
        first = t;
    }
    if (report.state == brink_free) {
      EXPECT(first == 2, i);
      ++frees;
    } else {
      EXPECT(report.toi <= first && atToi <= 1.01e-6, i);
      EXPECT((report.state == brink_overlap) == (first == 0), i);
      ++hits;
    }
    api()->destroyWorld(world);
  }
  assert_true(hits > 60 && frees > 30);
}

CASE(parallel_planes_close_at_the_known_time) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeDef plane = shapeDef(brink_plane, vec(0, 0, 0));
  plane.normal = vec(0, 0, 3);
  plane.offset = 3; /* z <= 1 */
  brinkShapeId shape = newShapeOf(world, &plane);
  brinkColliderId ground = newCollider(world, 0, shape, at(0, 0, 0));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  brinkColliderId lid =
      newCollider(world, body, shape, (brinkPose){{0, 0, 0}, {0, 1, 0, 0}}); /* z >= -1, turned over */
  brinkQuery query = wholeStep();
  for (int spins = 0; spins < 2; ++spins) { /* about the normal: no difference */
    slide(world, body, vec(0, 0, 5), vec(7, 1, -4), vec(0, 0, spins ? 9 : 0));
    ASSERT_NEAR(ask(world, &query).toi, 0.75, 1e-6);
    ASSERT_NEAR(distanceOf(world, ground, lid, 0.25).distance, 2, 1e-12);
    ASSERT_NEAR(distanceOf(world, ground, lid, 1).distance, -1, 1e-12);
    brinkContactPoint point;
    size_t count;
    ASSERT_OK(world, api()->collide(world, ground, lid, 0.75, 1e-3, &point, 1, &count));
    assert_int_equal(count, 1);
    ASSERT_NEAR(point.position.z, 1, 1e-6);
    ASSERT_NEAR(point.normal.z, 1, 1e-12);
  }
  slide(world, body, vec(0, 0, 5), vec(0, 0, 1), vec(0, 0, 0));
  assert_int_equal(ask(world, &query).state, brink_free);
  slide(world, body, vec(0, 0, 5), vec(0, 0, 0), vec(0.1, 0, 0)); /* meet at once, far out */
  brinkReport report = ask(world, &query);
  assert_int_equal(report.state, brink_hit);
  assert_true(report.toi == 0);
  query.watch = brink_watchDepth;
  (void)ask(world, &query);
  api()->destroyWorld(world);
}

/* ---- memory */

static brinkStatus buildAll(brinkWorld *world) {
  double heights[25];
  Ellipsoid ellipsoid = {{1.5, 0.5, 0.8}, 0, 0};
  brinkShapeDef defs[3] = {hills(heights, 5, 5), ellipsoidDef(&ellipsoid), shapeDef(brink_compound, vec(0, 0, 0))};
  defs[0].flags = BRINK_SHAPE_SOLID_BELOW;
  defs[0].offset = -4;
  brinkShapeId shapes[3];
  brinkStatus status = api()->createShape(world, &defs[0], &shapes[0]);
  if (status == brink_ok) status = api()->createShape(world, &defs[1], &shapes[1]);
  brinkShapeChild children[3] = {{shapes[1], at(-2, 0, 0)}, {shapes[1], at(2, 0, 0)}, {shapes[0], at(0, 0, 3)}};
  defs[2].children = children;
  defs[2].childCount = 3;
  if (status == brink_ok) status = api()->createShape(world, &defs[2], &shapes[2]);
  brinkBodyDef body = bodyDef(0, at(0, 0, 8));
  brinkBodyId id = 0;
  if (status == brink_ok) status = api()->createBody(world, &body, &id);
  brinkColliderDef collider = colliderDef(0, shapes[2], at(0, 0, 0));
  brinkColliderId colliders[2];
  if (status == brink_ok) status = api()->createCollider(world, &collider, &colliders[0]);
  collider.body = id;
  if (status == brink_ok) status = api()->createCollider(world, &collider, &colliders[1]);
  brinkQuery queries[2] = {wholeStep(), wholeStep()};
  queries[1].threshold = 0.5;
  brinkReport reports[2] = {{.structSize = sizeof reports[0]}, {.structSize = sizeof reports[0]}};
  if (status == brink_ok) status = api()->firstContacts(world, queries, 2, reports);
  return status;
}

CASE(no_allocation_that_fails_leaks_or_breaks) {
  for (uint64_t k = 1;; ++k) {
    Memory memory = {.failAt = k};
    brinkHost host = countingHost(&memory);
    brinkWorld *world = NULL;
    brinkStatus status = api()->createWorld(&host, NULL, &world);
    if (status == brink_ok) {
      status = buildAll(world);
      if (status != brink_ok) {
        memory.failAt = 0;
        ASSERT_OK(world, buildAll(world)); /* nothing is broken */
      }
      api()->destroyWorld(world);
    }
    EXPECT(memory.blocks == 0 && memory.bytes == 0, k);
    if (memory.failures == 0) break;
    EXPECT(status == brink_errorNoMemory, k);
  }
}

/* A floor of two triangles in one plane, lying or tilted: what rounding leaves of its thickness is none, and the ball's
 * allowance decides. */
CASE(a_ball_falls_on_a_flat_floor) {
  const double corners[12] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
  const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
  Random random = {77};
  for (int k = 0; k < 40; ++k) {
    const brinkQuat tilt = k < 4 ? (brinkQuat){1, 0, 0, 0} : rotation(randomVector(&random, 3));
    const brinkVec3 from = turn(tilt, vec(0.1, 0.2, 3)), to = turn(tilt, vec(0.3, 0.1, -3));
    double turned[12];
    for (int i = 0; i < 12; i += 3) {
      const brinkVec3 v = turn(tilt, vec(corners[i], corners[i + 1], corners[i + 2]));
      turned[i] = v.x, turned[i + 1] = v.y, turned[i + 2] = v.z;
    }
    brinkWorld *world = newWorld(NULL);
    const brinkShapeDef floor = surfaceDef(brink_mesh, turned, 4, triangles, 2);
    const brinkColliderId flat = newCollider(world, 0, shapeFrom(world, &floor), at(0, 0, 0));
    const brinkBodyId ball = newBody(world, 0, at(from.x, from.y, from.z));
    newCollider(world, ball, newShape(world, brink_sphere, vec(0.3, 0, 0)), at(0, 0, 0));
    moveBody(world, ball, at(from.x, from.y, from.z), at(to.x, to.y, to.z));
    double allowance = 0;
    ASSERT_OK(world, api()->colliderAllowance(world, flat, &allowance));
    EXPECT(allowance > 0.03, k); /* a part of its size */
    for (uint32_t scheme = 0; scheme < 3u; ++scheme) {
      brinkQuery query = wholeStep();
      query.scheme = scheme;
      query.watch = brink_watchDepth;
      const brinkReport report = ask(world, &query);
      EXPECT(report.state == brink_hit, k);
      EXPECT(report.toi > 0.44 && report.toi <= 0.45, k); /* allowance 0.03: told at 0.015, 2.5e-3 before they touch */
    }
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

int main(void) { return cases_Run(NULL, NULL); }
