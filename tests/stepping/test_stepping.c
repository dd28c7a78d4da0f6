/* SPDX-License-Identifier: BSD-3-Clause */
/* The floor of stepping, without any engine: what it says of motions is what Brink executes. A toy body goes straight
 * and turns about a fixed axis; the poses are computed here, by other formulas. Units: m, rad. */
#include "motion.h"
#include "plugin_support.h"
#include "sink.h"

typedef struct Toy {
  brinkPose first, last;
  brinkVec3 turn; /* rad, world axes, from the one to the other */
} Toy;

static Toy newToy(Random *random, double mostTurn) {
  Toy toy = {.first = {randomVector(random, 5), rotation(randomVector(random, 3))}};
  brinkVec3 axis = randomVector(random, 1);
  toy.turn = times(uniform(random, 0.01, mostTurn) / norm(axis), axis);
  toy.last =
      (brinkPose){plus(toy.first.position, randomVector(random, 2)), product(rotation(toy.turn), toy.first.rotation)};
  return toy;
}

static brinkPose toyAt(const Toy *toy, double s) {
  brinkVec3 way = minus(toy->last.position, toy->first.position);
  return (brinkPose){plus(toy->first.position, times(s, way)),
                     product(rotation(times(s, toy->turn)), toy->first.rotation)};
}

static brinkStepPose stepPose(brinkPose pose) {
  return (brinkStepPose){{pose.position.x, pose.position.y, pose.position.z},
                         {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z}};
}

static brinkPose poseOfStep(const brinkStepPose *pose) {
  const double *p = pose->position, *q = pose->quaternion;
  return (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

static void turns_have_as_many_revolutions_as_the_spin_says(void **state) {
  (void)state;
  Random random = {1};
  for (int i = 0; i < 2000; ++i) {
    Toy toy = newToy(&random, 60);
    brinkStepPose a = stepPose(toy.first), b = stepPose(toy.last);
    brinkVec3 spin = plus(toy.turn, randomVector(&random, 1)); /* less than half a turn off */
    brinkVec3 found = brinkStepTurnBetween(a.quaternion, b.quaternion, (const double *)&spin);
    ASSERT_NEAR(norm(minus(found, toy.turn)), 0, 1e-7 * norm(toy.turn));
  }
}

static void a_sign_of_the_quaternion_changes_nothing(void **state) {
  (void)state;
  Random random = {2};
  for (int i = 0; i < 500; ++i) {
    Toy toy = newToy(&random, 3);
    brinkStepPose a = stepPose(toy.first), b = stepPose(toy.last);
    for (int k = 0; k < 4; ++k) b.quaternion[k] = -b.quaternion[k];
    brinkVec3 found = brinkStepTurnBetween(a.quaternion, b.quaternion, (const double *)&toy.turn);
    ASSERT_NEAR(norm(minus(found, toy.turn)), 0, 1e-9);
  }
}

static void a_pose_along_the_way_is_the_toys(void **state) {
  (void)state;
  Random random = {3};
  for (int i = 0; i < 2000; ++i) {
    Toy toy = newToy(&random, 20);
    brinkStepPose start = stepPose(toy.first), found;
    double s = uniform(&random, -0.5, 1.5);
    brinkStepPoseAlong(&start, (const double *)&toy.last.position, &toy.turn, s, &found);
    ASSERT_NEAR(poseError(poseOfStep(&found), toyAt(&toy, s)), 0, 1e-12);
  }
}

/* Asked of Brink itself, through the ABI. */
static void a_motion_from_a_time_on_is_executed_from_there(void **state) {
  (void)state;
  Random random = {4};
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
  brinkWorldDef def = {.structSize = sizeof def, .taylorOrder = 3};
  brinkWorld *world;
  assert_int_equal(plugin->createWorld(NULL, &def, &world), brink_ok);
  for (int i = 0; i < 500; ++i) {
    Toy toy = newToy(&random, 12);
    double from = i % 5 == 0 ? 0 : uniform(&random, 0, 0.99);
    brinkBodyDef bodyDef = {.structSize = sizeof bodyDef, .pose = at(0, 0, 0)};
    brinkBodyId body;
    assert_int_equal(plugin->createBody(world, &bodyDef, &body), brink_ok);
    brinkStepPose start = stepPose(toy.first), end = stepPose(toy.last);
    brinkBodyMotion motion = {.structSize = sizeof motion};
    brinkStepMotionFrom(&start, &end, (const double *)&toy.turn, from, &motion);
    motion.pose1 = motion.pose0;
    assert_int_equal(plugin->setBodyMotion(world, body, &motion), brink_ok);
    for (int k = 0; k <= 4; ++k) {
      double s = k / 4.0;
      brinkPose found;
      assert_int_equal(plugin->bodyPose(world, body, from + s * (1 - from), &found), brink_ok);
      ASSERT_NEAR(poseError(found, toyAt(&toy, s)), 0, 1e-11 / (1 - from));
    }
    brinkBodyMotion part = {.structSize = sizeof part};
    double s0 = uniform(&random, 0, 1), s1 = uniform(&random, 0, 1); /* forwards and backwards */
    brinkStepMotionPart(&start, end.position, &toy.turn, s0, s1, &part);
    assert_int_equal(plugin->setBodyMotion(world, body, &part), brink_ok);
    for (int k = 0; k <= 4; ++k) {
      double s = s0 + k / 4.0 * (s1 - s0);
      brinkPose found;
      assert_int_equal(plugin->bodyPose(world, body, k / 4.0, &found), brink_ok);
      ASSERT_NEAR(poseError(found, toyAt(&toy, s)), 0, 1e-11);
    }
    assert_int_equal(plugin->destroyBody(world, body), brink_ok);
  }
  plugin->destroyWorld(world);
}

/* ---- how deep a pair may sink */

static brinkStepCollider collider(uint32_t flags, uint32_t body, double allowance) {
  return (brinkStepCollider){
      .structSize = sizeof(brinkStepCollider), .flags = flags, .body = body, .allowance = allowance};
}

static void solids_sink_as_deep_as_their_cores_let_them(void **state) {
  (void)state;
  const brinkStepCollider thin = collider(0, 1, 0.001), thick = collider(0, BRINK_STEPPER_NONE, 0.05);
  double limit = 7;
  ASSERT_NEAR(brinkStepSinkDepth(&thin, &thick, INFINITY, false, &limit), 0.005, 1e-15);
  assert_true(limit >= BRINK_STEP_UNLIMITED);
  assert_true(brinkStepSinkDepth(&thin, &thick, 0.002, false, &limit) == 0.002); /* a cap is a promise */
  assert_true(limit == 0);
  const brinkStepCollider said = collider(BRINK_STEP_SAID, 1, 0.001);
  assert_true(brinkStepSinkDepth(&said, &thick, INFINITY, false, &limit) == 0.001 && limit == 0);
}

static void meshes_sink_less_and_grounds_more(void **state) {
  (void)state;
  const brinkStepCollider moving = collider(BRINK_STEP_SURFACE, 1, 0.01);
  const brinkStepCollider ground = collider(BRINK_STEP_SURFACE, BRINK_STEPPER_NONE, 0.002);
  const brinkStepCollider field =
      collider(BRINK_STEP_SURFACE | BRINK_STEP_SHEET | BRINK_STEP_FIELD, BRINK_STEPPER_NONE, 0.002);
  double limit = 0;
  ASSERT_NEAR(brinkStepSinkDepth(&moving, &moving, INFINITY, false, &limit), 0.01, 1e-15);
  ASSERT_NEAR(limit, 0.01, 1e-15);
  ASSERT_NEAR(brinkStepSinkDepth(&moving, &ground, INFINITY, false, &limit), 0.01, 1e-15); /* 8 x 0.002 > 0.01 */
  ASSERT_NEAR(brinkStepSinkDepth(&moving, &field, INFINITY, false, &limit), 0.01, 1e-15);
  ASSERT_NEAR(limit, 0.03, 1e-15);
  ASSERT_NEAR(brinkStepSinkDepth(&moving, &ground, INFINITY, true, &limit), 0.01, 1e-15);
  ASSERT_NEAR(limit, -0.01, 1e-15); /* contacts keep it apart */
}

static void a_sensor_does_not_sink(void **state) {
  (void)state;
  const brinkStepCollider body = collider(0, 1, 0.01), gate = collider(BRINK_STEP_SENSOR, BRINK_STEPPER_NONE, 1);
  double limit = 7;
  assert_true(brinkStepSinkDepth(&body, &gate, INFINITY, false, &limit) == 0 && limit == 7);
  assert_true(brinkStepSinkDepth(&gate, &body, INFINITY, false, &limit) == 0 && limit == 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turns_have_as_many_revolutions_as_the_spin_says),
      cmocka_unit_test(a_sign_of_the_quaternion_changes_nothing),
      cmocka_unit_test(a_pose_along_the_way_is_the_toys),
      cmocka_unit_test(a_motion_from_a_time_on_is_executed_from_there),
      cmocka_unit_test(solids_sink_as_deep_as_their_cores_let_them),
      cmocka_unit_test(meshes_sink_less_and_grounds_more),
      cmocka_unit_test(a_sensor_does_not_sink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
