/* SPDX-License-Identifier: BSD-3-Clause */
/* The extension "brink.clearance/1" as a host sees it: closed forms through bodies, chains and compounds, refusals that
 * change nothing. */
#include "cases.h"
#include "brink/clearance.h"
#include "plugin_support.h"

static const brinkClearanceTable *table(void) {
  const brinkClearanceTable *found = api()->getExtension(BRINK_CLEARANCE_NAME);
  assert_non_null(found);
  assert_true(found->structSize >= sizeof *found);
  return found;
}

static brinkClearanceQuery wholeQuery(void) {
  return (brinkClearanceQuery){.structSize = sizeof(brinkClearanceQuery), .tEnd = 1.0};
}

static brinkClearanceAnswer clearanceOf(brinkWorld *world, brinkColliderId a, brinkColliderId b,
                                        const brinkClearanceQuery *query) {
  brinkClearanceAnswer answer = {.structSize = sizeof answer};
  ASSERT_OK(world, table()->measure(world, a, b, query, &answer));
  assert_true(answer.lower <= answer.upper);
  return answer;
}

static void moveWith(brinkWorld *world, brinkBodyId body, brinkPose pose, brinkVec3 velocity, brinkVec3 spin) {
  brinkBodyMotion motion = velocitiesMotion(pose, velocity, spin);
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
}

CASE(a_ball_flies_over_a_turning_table_as_near_as_geometry_says) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId ball = newBody(world, 0, at(-3, 0, 2)), slab = newBody(world, 0, at(0, 0, 0));
  brinkColliderId a = newCollider(world, ball, newShape(world, brink_sphere, vec(0.5, 0, 0)), at(0, 0, 0));
  brinkColliderId b = newCollider(world, slab, newShape(world, brink_box, vec(1, 1, 0.5)), at(0, 0, 0));
  moveWith(world, ball, at(-3, 0, 2), vec(6, 0, 0), vec(1, 2, 3));
  moveWith(world, slab, at(0, 0, 0), vec(0, 0, 0), vec(0, 0, 2));
  brinkClearanceQuery query = wholeQuery();
  brinkClearanceAnswer answer = clearanceOf(world, a, b, &query), swapped = clearanceOf(world, b, a, &query);
  assert_true(answer.lower <= 1.0 && answer.upper >= 1.0 && answer.upper - answer.lower <= answer.tolerance);
  assert_true(swapped.lower <= 1.0 && swapped.upper >= 1.0);
  assert_int_equal(answer.state, brink_clearanceSettled);
  assert_int_equal(answer.verdict, brink_clearanceNotAsked);
  ASSERT_NEAR(norm(minus(answer.pointA, answer.pointB)), answer.upper, 0.1 * answer.tolerance);
  ASSERT_NEAR(answer.normal.z, -1.0, 1e-5);
  query.required = 0.9;
  assert_int_equal(clearanceOf(world, a, b, &query).verdict, brink_clearanceKept);
  query.required = 1.1;
  assert_int_equal(clearanceOf(world, a, b, &query).verdict, brink_clearanceBroken);
  query = wholeQuery();
  query.tStart = query.tEnd = 0.0;
  answer = clearanceOf(world, a, b, &query);
  assert_true(answer.lower <= hypot(2.0, 1.5) - 0.5 && answer.upper >= hypot(2.0, 1.5) - 0.5);
  moveWith(world, ball, at(-3, 0, 0), vec(6, 0, 0), vec(0, 0, 0));
  query.tEnd = 1.0;
  answer = clearanceOf(world, a, b, &query);
  assert_true(answer.collision == 1 && answer.lower == 0.0 && answer.upper == 0.0);
  api()->destroyWorld(world);
}

CASE(swept_volumes_collide_where_times_do_not_or_say_that_they_are_not_built) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId east = newBody(world, 0, at(-4, 0, 0)), north = newBody(world, 0, at(0, -12, 0));
  brinkShapeId car = newShape(world, brink_box, vec(0.5, 0.25, 0.25));
  brinkColliderId a = newCollider(world, east, car, at(0, 0, 0)), b = newCollider(world, north, car, at(0, 0, 0));
  moveWith(world, east, at(-4, 0, 0), vec(8, 0, 0), vec(0, 0, 0));
  moveWith(world, north, at(0, -12, 0), vec(0, 12, 0), vec(0, 0, 0));
  brinkClearanceQuery query = wholeQuery();
  assert_true(clearanceOf(world, a, b, &query).lower > 1.0);
  query.flags = BRINK_CLEARANCE_SWEPT;
#ifdef BRINK_SWEPT_HULL
  assert_true(clearanceOf(world, a, b, &query).collision == 1);
#else
  brinkClearanceAnswer answer = {.structSize = sizeof answer};
  ASSERT_STATUS(world, table()->measure(world, a, b, &query, &answer), brink_errorVersion);
  assert_non_null(strstr(api()->lastError(world), "BRINK_SWEPT_HULL"));
#endif
  api()->destroyWorld(world);
}

CASE(bad_questions_are_refused_by_name_and_leave_the_answer_alone) {
  brinkWorld *world = newWorld(NULL);
  brinkShapeId ball = newShape(world, brink_sphere, vec(0.5, 0, 0));
  brinkColliderId a = newCollider(world, newBody(world, 0, at(0, 0, 0)), ball, at(0, 0, 0));
  brinkColliderId b = newCollider(world, newBody(world, 0, at(2, 0, 0)), ball, at(0, 0, 0));
  brinkClearanceQuery good = wholeQuery(), bad;
  brinkClearanceAnswer answer;
  memset(&answer, 9, sizeof answer);
  answer.structSize = sizeof answer;
  brinkClearanceAnswer before = answer;
#define REFUSED(change, expected)                                                 \
  do {                                                                            \
    bad = good;                                                                   \
    change;                                                                       \
    ASSERT_STATUS(world, table()->measure(world, a, b, &bad, &answer), expected); \
    assert_true(strlen(api()->lastError(world)) > 0);                             \
    assert_memory_equal(&answer, &before, sizeof answer);                         \
  } while (0)
  REFUSED(bad.structSize = 4, brink_errorVersion);
  REFUSED(bad.flags = 64, brink_errorBadValue);
  REFUSED(bad.tStart = 0.5; bad.tEnd = 0.25, brink_errorBadTime);
  REFUSED(bad.tEnd = 1.5, brink_errorBadTime);
  REFUSED(bad.tolerance = -1e-3, brink_errorBadValue);
  REFUSED(bad.required = NAN, brink_errorBadValue);
  ASSERT_STATUS(world, table()->measure(world, a, b, NULL, &answer), brink_errorNullArgument);
  ASSERT_STATUS(world, table()->measure(world, a, b, &good, NULL), brink_errorNullArgument);
  ASSERT_STATUS(world, table()->measure(world, a, b ^ 1, &good, &answer), brink_errorStale);
  ASSERT_STATUS(world, table()->measure(world, a, a, &good, &answer), brink_errorBadValue);
  assert_memory_equal(&answer, &before, sizeof answer);
  api()->destroyWorld(world);
}

int main(void) { return cases_Run(NULL, NULL); }
