/* SPDX-License-Identifier: BSD-3-Clause */
/* brink.robot/1: poses against own kinematics, answers against a referee that samples, and what is refused. */
#include "cases.h"
#include <pthread.h>

#include "robot_support.h"

static brinkRobotInfo infoOf(brinkRobot *robot) {
  brinkRobotInfo info = {.structSize = sizeof info};
  assert_int_equal(robots()->info(robot, &info), brink_ok);
  return info;
}
static brinkEdgeAnswer emptyAnswer(void) {
  brinkEdgeAnswer answer;
  memset(&answer, 0, sizeof answer);
  answer.structSize = sizeof answer;
  return answer;
}
static brinkEdgeQuery withFlags(uint32_t flags) {
  brinkEdgeQuery query;
  memset(&query, 0, sizeof query);
  query.structSize = sizeof query;
  query.flags = flags;
  return query;
}
static brinkRobot *newRobot(brinkWorld *world, const TestRobot *test) {
  brinkRobot *robot = NULL;
  ASSERT_OK(world, robots()->create(world, &test->def, &robot));
  return robot;
}
static brinkRobotView *newView(brinkWorld *world, brinkRobot *robot) {
  brinkRobotView *view = NULL;
  ASSERT_OK(world, robots()->createView(robot, &view));
  return view;
}

/* An arm in the plane: link i is a box of length 1 along x, joints about z at its beginning. Link 0 stands still. */
static void makePlanarArm(brinkWorld *world, size_t arms, TestRobot *test) {
  memset(test, 0, sizeof *test);
  brinkShapeId box = newShape(world, brink_box, vec(0.45, 0.05, 0.05));
  for (uint32_t j = 0; j < arms; ++j) {
    test->joints[j] = robotJoint(brink_robotRevolute, j, j + 1, at(j == 0 ? 0.0 : 1.0, 0, 0), vec(0, 0, 1), -3.0, 3.0);
    test->shapes[j] = (brinkRobotShape){.link = j + 1, .shape = box, .pose = at(0.5, 0, 0)};
  }
  finishRobot(test, arms + 1, arms);
}

/* ---- kinematics */

CASE(poses_match_own_kinematics_for_every_joint_type) {
  Random random = {7};
  brinkWorld *world = newWorld(NULL);
  int seen[7] = {0};
  double worst = 0.0;
  for (int round = 0; round < 300; ++round) {
    TestRobot test;
    double q[MOST_VALUES] = {0};
    brinkPose poses[MOST_LINKS];
    makeRandomTree(&random, 2 + nextBits(&random) % (MOST_LINKS - 1), true, &test);
    test.def.base = randomPose(&random, 2.0);
    for (size_t j = 0; j < test.def.jointCount; ++j) ++seen[test.joints[j].type];
    brinkRobot *robot = newRobot(world, &test);
    assert_int_equal(infoOf(robot).valueCount, test.valueCount);
    for (int k = 0; k < 5; ++k) {
      randomValues(&random, &test, 1.0, q);
      assert_int_equal(robots()->poses(robot, q, poses), brink_ok);
      for (uint32_t i = 0; i < test.def.linkCount; ++i) worst = fmax(worst, poseError(poses[i], ownPose(&test, i, q)));
    }
    ASSERT_OK(world, robots()->destroy(robot));
  }
  for (int type = 0; type < 7; ++type) assert_true(seen[type] > 20);
  if (!(worst < 1e-9)) fail_msg("poses are off by %g", worst);
  api()->destroyWorld(world);
}

CASE(a_joint_that_follows_another_moves_with_it) {
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  memset(&test, 0, sizeof test);
  test.joints[0] = robotJoint(brink_robotPrismatic, 0, 1, at(0, 0, 0), vec(1, 0, 0), -1, 1);
  test.joints[1] = robotJoint(brink_robotPrismatic, 0, 2, at(0, 0, 0), vec(0, 1, 0), -10, 10);
  test.joints[2] = robotJoint(brink_robotPrismatic, 0, 3, at(0, 0, 0), vec(0, 0, 1), -10, 10);
  test.joints[2].mimic = 1; /* of a mimic */
  test.joints[2].multiplier = 3.0;
  test.joints[2].offset = 0.25;
  test.joints[1].mimic = 0;
  test.joints[1].multiplier = -2.0;
  test.joints[1].offset = 0.5;
  finishRobot(&test, 4, 0);
  brinkRobot *robot = newRobot(world, &test);
  assert_int_equal(infoOf(robot).valueCount, 1);
  brinkPose poses[4];
  const double q = 0.75;
  assert_int_equal(robots()->poses(robot, &q, poses), brink_ok);
  ASSERT_NEAR(poses[1].position.x, 0.75, 1e-15);
  ASSERT_NEAR(poses[2].position.y, -1.0, 1e-15);
  ASSERT_NEAR(poses[3].position.z, -2.75, 1e-15);
  brinkRobotJointInfo info = {.structSize = sizeof info};
  ASSERT_OK(world, robots()->joint(robot, 2, &info));
  assert_int_equal(info.valueCount, 0);
  assert_int_equal(info.mimic, 1);
  api()->destroyWorld(world);
}

CASE(limits_hold_for_values_and_for_what_follows_them) {
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  makePlanarArm(world, 3, &test);
  test.joints[1].name = "elbow";
  test.joints[2].mimic = 0;
  test.joints[2].multiplier = 2.0;
  test.joints[2].name = "wrist";
  finishRobot(&test, 4, 3);
  brinkRobot *robot = newRobot(world, &test);
  brinkRobotView *view = newView(world, robot);
  brinkEdgeAnswer answer = emptyAnswer();
  const double fine[2] = {1, -2.9}, atLimit[2] = {1.5 + 1e-12, 3.0 + 1e-12}, far[2] = {0, 3.1}, follows[2] = {1.6, 0};
  ASSERT_OK(world, robots()->checkLimits(robot, fine));
  ASSERT_OK(world, robots()->checkLimits(robot, atLimit));
  ASSERT_STATUS(world, robots()->checkLimits(robot, far), brink_errorRange);
  assert_non_null(strstr(api()->lastError(world), "elbow"));
  ASSERT_STATUS(world, robots()->checkLimits(robot, follows), brink_errorRange);
  assert_non_null(strstr(api()->lastError(world), "wrist"));
  ASSERT_VIEW(view, robots()->edge(view, fine, far, NULL, &answer), brink_errorRange);
  assert_non_null(strstr(robots()->viewError(view), "q1"));
  const brinkEdgeQuery loose = withFlags(BRINK_EDGE_NO_LIMITS);
  ASSERT_VIEW(view, robots()->edge(view, fine, far, &loose, &answer), brink_ok);
  api()->destroyWorld(world);
}

CASE(continuous_joints_go_the_way_they_are_told) {
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  makePlanarArm(world, 1, &test);
  test.joints[0].type = brink_robotContinuous;
  test.joints[0].flags = 0;
  brinkRobot *robot = newRobot(world, &test);
  brinkRobotView *view = newView(world, robot);
  /* a post at -170 degrees: on the shorter way from 170 to 190, which is -170; not on the long way to -170 */
  newCollider(world, 0, newShape(world, brink_sphere, vec(0.02, 0, 0)),
              at(0.7 * cos(PI + 0.05), 0.7 * sin(PI + 0.05), 0));
  brinkEdgeAnswer answer = emptyAnswer();
  double last = 0;
  answer.lastValid = &last;
  const double q0 = PI - 0.3, q1 = -PI + 0.3;
  const brinkEdgeQuery shorter = withFlags(BRINK_EDGE_SHORTER);
  ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, &shorter, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  assert_true(last > q0 && last < PI + 0.05);
  ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_free);
  assert_true(last == q1);
  /* many turns, as stated */
  const double turns = q0 + 6 * PI;
  ASSERT_VIEW(view, robots()->edge(view, &q0, &turns, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  assert_true(last < PI + 0.05);
  /* between speaks of the same way */
  double q;
  assert_int_equal(robots()->between(robot, &q0, &q1, 0.5, BRINK_EDGE_SHORTER, &q), brink_ok);
  ASSERT_NEAR(q, PI, 1e-12);
  assert_int_equal(robots()->between(robot, &q0, &q1, 0.5, 0, &q), brink_ok);
  ASSERT_NEAR(q, 0.0, 1e-12);
  api()->destroyWorld(world);
}

/* An edge ends at q1, also for what follows a joint that goes the shorter way, and leaves no limits on it. */
CASE(a_shorter_edge_ends_where_its_values_say) {
  const struct {
    uint32_t type;
    double multiplier;
    bool shorter; /* may the joint that it follows go the shorter way? */
  } followers[] = {{brink_robotContinuous, 1, true},    {brink_robotContinuous, -3, true},
                   {brink_robotContinuous, 0.5, false}, {brink_robotPrismatic, 1, false},
                   {brink_robotRevolute, 1, false},     {brink_robotScrew, 2, false}};
  for (size_t k = 0; k < sizeof followers / sizeof *followers; ++k) {
    brinkWorld *world = newWorld(NULL);
    TestRobot test;
    makePlanarArm(world, 3, &test);
    test.joints[1].type = brink_robotContinuous; /* its mimic stands before it */
    test.joints[1].flags = 0;
    test.joints[0].type = followers[k].type;
    test.joints[0].flags = followers[k].type == brink_robotContinuous ? 0 : BRINK_ROBOT_JOINT_LIMITED;
    test.joints[0].mimic = 1;
    test.joints[0].multiplier = followers[k].multiplier;
    test.joints[0].pitch = 0.1;
    test.joints[0].lower[0] = -7, test.joints[0].upper[0] = 7;
    brinkRobot *robot = newRobot(world, &test);
    const double q0[2] = {3, 0}, q1[2] = {-3, 0};
    double last[2];
    brinkPose told[4], wanted[4];
    assert_int_equal(robots()->between(robot, q0, q1, 1, BRINK_EDGE_SHORTER, last), brink_ok);
    assert_true((last[0] > 3) == followers[k].shorter);
    assert_int_equal(robots()->poses(robot, last, told), brink_ok);
    assert_int_equal(robots()->poses(robot, q1, wanted), brink_ok);
    for (int i = 0; i < 4; ++i) {
      ASSERT_NEAR(told[i].position.x, wanted[i].position.x, 1e-12);
      ASSERT_NEAR(told[i].position.y, wanted[i].position.y, 1e-12);
      ASSERT_NEAR(told[i].position.z, wanted[i].position.z, 1e-12);
    }
    api()->destroyWorld(world);
  }
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  makePlanarArm(world, 1, &test);
  test.joints[0].type = brink_robotPlanar;
  for (int i = 0; i < 3; ++i) test.joints[0].lower[i] = -3, test.joints[0].upper[i] = 3;
  const double q0[3] = {0, 0, 2.9}, q1[3] = {0, 0, -2.9};
  double middle[3];
  brinkRobot *robot = newRobot(world, &test);
  assert_int_equal(robots()->between(robot, q0, q1, 0.5, BRINK_EDGE_SHORTER, middle), brink_ok);
  assert_true(fabs(middle[2]) < 1e-12);
  api()->destroyWorld(world);
}

/* ---- answers against the referee */

typedef struct Trial {
  brinkWorld *world;
  TestRobot test;
  brinkRobot *robot;
  brinkRobotView *view;
  Referee referee;
} Trial;

/* A random robot with a shape on each link among random obstacles. */
static void makeTrial(Random *random, bool floating, Trial *trial) {
  memset(trial, 0, sizeof *trial);
  trial->world = newWorld(NULL);
  trial->referee.world = newWorld(NULL);
  makeRandomTree(random, 3 + nextBits(random) % 5, floating, &trial->test);
  TestRobot *test = &trial->test;
  size_t links = test->def.linkCount;
  for (uint32_t i = 0; i < links; ++i) {
    brinkPose pose = randomPose(random, 0.1);
    Random same = *random; /* the same shape in both worlds */
    test->shapes[i] =
        (brinkRobotShape){.link = i, .shape = randomShape(trial->world, random, 0.12, true), .pose = pose};
    trial->referee.bodies[i] = newBody(trial->referee.world, 0, at(0, 0, 0));
    trial->referee.links[i] = newCollider(trial->referee.world, trial->referee.bodies[i],
                                          randomShape(trial->referee.world, &same, 0.12, true), pose);
  }
  finishRobot(test, links, links);
  trial->robot = newRobot(trial->world, test);
  trial->view = newView(trial->world, trial->robot);
  trial->referee.obstacleCount = 2 + nextBits(random) % 5;
  for (size_t i = 0; i < trial->referee.obstacleCount; ++i) {
    brinkPose pose = randomPose(random, 1.2);
    Random same = *random;
    newCollider(trial->world, 0, randomShape(trial->world, random, 0.35, true), pose);
    trial->referee.obstacles[i] =
        newCollider(trial->referee.world, 0, randomShape(trial->referee.world, &same, 0.35, true), pose);
  }
}

static void endTrial(Trial *trial) {
  api()->destroyWorld(trial->world);
  api()->destroyWorld(trial->referee.world);
}

enum { SAMPLES = 60 };

/* Is the pair among all that are in contact there? */
static bool hasContact(const Trial *trial, const double *q, uint32_t flags, const brinkRobotContact *told) {
  brinkEdgeQuery query = withFlags(flags | BRINK_EDGE_ALL_PAIRS);
  query.tolerance = 1e-5; /* above that of the answer told */
  brinkEdgeAnswer answer = emptyAnswer();
  ASSERT_VIEW(trial->view, robots()->configuration(trial->view, q, &query, &answer), brink_ok);
  for (size_t i = 0; i < answer.contactCount; ++i) {
    const brinkRobotContact *contact = &answer.contacts[i];
    if (contact->state != brink_free && contact->linkA == told->linkA && contact->linkB == told->linkB &&
        contact->obstacle == told->obstacle && contact->objectA == told->objectA && contact->objectB == told->objectB)
      return true;
  }
  return false;
}

CASE(edges_agree_with_a_referee_that_samples) {
  Random random = {11};
  int states[4] = {0}, shown[2] = {0};
  for (int round = 0; round < 120; ++round) {
    Trial trial;
    makeTrial(&random, true, &trial);
    for (int k = 0; k < 6; ++k) {
      double q0[MOST_VALUES] = {0}, q1[MOST_VALUES] = {0}, q[MOST_VALUES] = {0}, last[MOST_VALUES] = {0};
      randomValues(&random, &trial.test, 1.0, q0);
      randomValues(&random, &trial.test, k < 3 ? 1.0 : 0.2, q1);
      if (k >= 3) /* short edges too */
        for (size_t i = 0; i < trial.test.valueCount; ++i) q1[i] = q0[i] + 0.3 * q1[i];
      bool self = k % 2 == 0;
      uint32_t flags = (self ? 0u : BRINK_EDGE_NO_SELF) | BRINK_EDGE_NO_LIMITS;
      const brinkEdgeQuery query = withFlags(flags), any = withFlags(flags | BRINK_EDGE_ANY);
      brinkEdgeAnswer answer = emptyAnswer(), yes = emptyAnswer();
      answer.lastValid = last;
      ASSERT_VIEW(trial.view, robots()->edge(trial.view, q0, q1, &query, &answer), brink_ok);
      ASSERT_VIEW(trial.view, robots()->edge(trial.view, q0, q1, &any, &yes), brink_ok);
      ++states[answer.state];
      assert_true((answer.state == brink_free) == (yes.state == brink_free));
      if (yes.state == brink_hit || yes.state == brink_overlap) { /* the time told is one of contact of the pair told */
        assert_int_equal(robots()->between(trial.robot, q0, q1, yes.toiUpper, 0, q), brink_ok);
        double distance = refereeDistance(&trial.referee, &trial.test, q, self);
        if (!(distance <= 1e-6))
          fail_msg("round %d edge %d: yes at %g, but the distance is %g", round, k, yes.toiUpper, distance);
        if (!hasContact(&trial, q, flags, &yes.first))
          fail_msg("round %d edge %d: link %u and link %d are told at %g with normal.x %g, and are not in contact",
                   round, k, yes.first.linkA, (int)yes.first.linkB, yes.toiUpper, yes.first.normal.x);
        assert_true(yes.state == brink_hit || yes.toiUpper == 0.0);
        ++shown[yes.first.normal.x == 0.0 && yes.first.normal.y == 0.0 && yes.first.normal.z == 0.0];
      }
      double until = answer.state == brink_free ? 1.0 : answer.toi;
      for (int s = 0; s <= SAMPLES; ++s) { /* nothing before toi */
        double t = (double)s / SAMPLES;
        if (t >= until && answer.state != brink_free) break;
        assert_int_equal(robots()->between(trial.robot, q0, q1, t, 0, q), brink_ok);
        double distance = refereeDistance(&trial.referee, &trial.test, q, self);
        if (!(distance > 0.0))
          fail_msg("round %d edge %d: told state %u toi %g, but at %g the distance is %g", round, k, answer.state,
                   answer.toi, t, distance);
      }
      if (answer.state == brink_hit || answer.state == brink_overlap) { /* and contact at toiUpper */
        assert_true(answer.toi <= answer.toiUpper);
        assert_int_equal(robots()->between(trial.robot, q0, q1, answer.toiUpper, 0, q), brink_ok);
        double distance = refereeDistance(&trial.referee, &trial.test, q, self);
        if (!(distance <= 1e-6))
          fail_msg("round %d edge %d: hit in [%g, %g], but the distance is %g", round, k, answer.toi, answer.toiUpper,
                   distance);
        distance = refereeDistance(&trial.referee, &trial.test, last, self);
        if (answer.state == brink_hit && !(distance > 0.0)) fail_msg("the last valid configuration is in contact");
      }
    }
    endTrial(&trial);
  }
  assert_true(states[brink_free] > 100 && states[brink_hit] > 60 && states[brink_overlap] > 20);
  assert_true(shown[0] > 10 && shown[1] > 50); /* by the engine, by what overlaps for certain */
  assert_int_equal(states[brink_unresolved], 0);
}

CASE(configurations_agree_with_the_referee) {
  Random random = {12};
  int free = 0, met = 0;
  for (int round = 0; round < 60; ++round) {
    Trial trial;
    makeTrial(&random, true, &trial);
    for (int k = 0; k < 20; ++k) {
      double q[MOST_VALUES] = {0};
      randomValues(&random, &trial.test, 1.0, q);
      const brinkEdgeQuery query = withFlags(BRINK_EDGE_NO_LIMITS | (k % 2 == 0 ? 0u : BRINK_EDGE_NO_SELF));
      brinkEdgeAnswer answer = emptyAnswer();
      ASSERT_VIEW(trial.view, robots()->configuration(trial.view, q, &query, &answer), brink_ok);
      double distance = refereeDistance(&trial.referee, &trial.test, q, k % 2 == 0);
      if (fabs(distance) < 1e-5) continue;
      assert_int_equal(answer.state, distance > 0.0 ? brink_free : brink_overlap);
      if (distance > 0.0)
        ++free;
      else
        ++met;
    }
    endTrial(&trial);
  }
  assert_true(free > 100 && met > 100);
}

CASE(a_configuration_within_the_tolerance_is_an_overlap) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  double vertices[24];
  uint32_t indices[36];
  for (int i = 0; i < 24; ++i) vertices[i] = (i / 3) >> i % 3 & 1 ? 1 : -1;
  for (int i = 0; i < 36; ++i) indices[i] = quads[i / 6][(const int[6]){0, 1, 2, 0, 2, 3}[i % 6]];
  const brinkMeshView mesh = {.structSize = sizeof mesh,
                              .flags = BRINK_MESH_SOLID,
                              .vertices = vertices,
                              .vertexCount = 8,
                              .indices = indices,
                              .triangleCount = 12};
  const brinkShapeDef def = {.structSize = sizeof def, .type = brink_mesh, .mesh = mesh};
  for (int kinds = 0; kinds < 4; ++kinds) { /* mesh and box, each against each */
    brinkWorld *world = newWorld(NULL);
    brinkShapeId shapes[2] = {0, newShape(world, brink_box, vec(1, 1, 1))};
    ASSERT_OK(world, api()->createShape(world, &def, &shapes[0]));
    TestRobot test;
    memset(&test, 0, sizeof test);
    test.joints[0] = robotJoint(brink_robotPrismatic, 0, 1, at(0, 0, 0), vec(0, 0, 1), 0, 9);
    test.shapes[0] = (brinkRobotShape){.link = 1, .shape = shapes[kinds & 1], .pose = at(0.1, 0.2, 2)};
    finishRobot(&test, 2, 1);
    newCollider(world, 0, shapes[kinds >> 1], at(0, 0, 0));
    brinkRobotView *view = newView(world, newRobot(world, &test));
    for (int k = 0; k < 4; ++k) {
      brinkEdgeQuery query = withFlags(k % 2 == 0 ? 0u : BRINK_EDGE_ANY);
      query.tolerance = 1e-3;
      query.clearance = k < 2 ? 0.0 : 0.1;
      for (double gap = 0.1e-3; gap < 3e-3; gap += 0.2e-3) {
        if (gap > 1e-3 && gap < 1.5e-3) continue; /* beyond the tolerance by less than a half of it: either */
        const double q = query.clearance + gap;
        brinkEdgeAnswer answer = emptyAnswer();
        ASSERT_VIEW(view, robots()->configuration(view, &q, &query, &answer), brink_ok);
        if (answer.state != (gap < 1e-3 ? brink_overlap : brink_free))
          fail_msg("shapes %d, flags %u, clearance %g, gap %g: state %u", kinds, query.flags, query.clearance, gap,
                   answer.state);
      }
    }
    api()->destroyWorld(world);
  }
}

/* As of a configuration: what its start is too near to is no hit on the way, and the start is no valid configuration.
 */
CASE(an_edge_that_starts_within_its_clearance_is_an_overlap) {
  for (int padded = 0; padded < 2; ++padded) {
    brinkWorld *world = newWorld(NULL);
    TestRobot test;
    memset(&test, 0, sizeof test);
    test.joints[0] = robotJoint(brink_robotPrismatic, 0, 1, at(0, 0, 0), vec(0, 0, 1), 0, 9);
    test.shapes[0] =
        (brinkRobotShape){.link = 1, .shape = newShape(world, brink_box, vec(1, 1, 1)), .pose = at(0.1, 0.2, 2)};
    finishRobot(&test, 2, 1);
    newCollider(world, 0, newShape(world, brink_box, vec(1, 1, 1)), at(0, 0, 0));
    brinkRobot *robot = newRobot(world, &test);
    if (padded) assert_int_equal(robots()->setPadding(robot, 1, 0.1), brink_ok);
    brinkRobotView *view = newView(world, robot);
    const double ends[4][2] = {{0.05, 1}, {0.05, 0.05}, {0.05, 0.02}, {0.5, 0.05}}, way[3] = {0.5, 0.3, 0.05};
    const uint32_t flags[3] = {0, BRINK_EDGE_ANY, BRINK_EDGE_ALL_PAIRS};
    for (int k = 0; k < 3; ++k) {
      brinkEdgeQuery query = withFlags(flags[k]);
      query.clearance = padded ? 0 : 0.1;
      for (int i = 0; i < 4; ++i) {
        brinkEdgeAnswer answer = emptyAnswer();
        ASSERT_VIEW(view, robots()->edge(view, &ends[i][0], &ends[i][1], &query, &answer), brink_ok);
        const bool start = flags[k] == BRINK_EDGE_ANY ? answer.toiUpper == 0 : i < 3; /* any contact will do */
        const uint32_t want = start ? brink_overlap : brink_hit;
        if (answer.state != want || answer.first.state != want || (answer.toiUpper == 0) != start)
          fail_msg("padded %d, flags %u, edge %d: state %u, of the pair %u, until %g", padded, flags[k], i,
                   answer.state, answer.first.state, answer.toiUpper);
      }
      brinkEdgeAnswer answer = emptyAnswer();
      ASSERT_VIEW(view, robots()->polyline(view, way, 3, &query, &answer), brink_ok);
      assert_int_equal(answer.state, brink_hit);
      assert_int_equal(answer.segment, 1);
    }
    api()->destroyWorld(world);
  }
}

CASE(clearance_brackets_what_the_referee_samples) {
  Random random = {13};
  int positive = 0;
  for (int round = 0; round < 60; ++round) {
    Trial trial;
    makeTrial(&random, false, &trial);
    double q0[MOST_VALUES] = {0}, q1[MOST_VALUES] = {0}, q[MOST_VALUES] = {0};
    randomValues(&random, &trial.test, 1.0, q0);
    randomValues(&random, &trial.test, 0.3, q1);
    for (size_t i = 0; i < trial.test.valueCount; ++i) q1[i] = q0[i] + 0.2 * q1[i];
    brinkRobotClearance out = {.structSize = sizeof out};
    ASSERT_VIEW(trial.view, robots()->clearance(trial.view, q0, q1, BRINK_EDGE_NO_LIMITS, 1e-5, &out), brink_ok);
    assert_true(out.lower <= out.upper && out.settled);
    assert_true(out.upper - out.lower <= 1.0001e-5);
    double least = INFINITY;
    for (int s = 0; s <= SAMPLES; ++s) {
      assert_int_equal(robots()->between(trial.robot, q0, q1, (double)s / SAMPLES, 0, q), brink_ok);
      least = fmin(least, fmax(0.0, refereeDistance(&trial.referee, &trial.test, q, true)));
    }
    if (!(out.lower <= least + 1e-9)) fail_msg("round %d: lower %g, sampled %g", round, out.lower, least);
    assert_int_equal(robots()->between(trial.robot, q0, q1, out.time, 0, q), brink_ok);
    double there = fmax(0.0, refereeDistance(&trial.referee, &trial.test, q, true));
    if (!(there <= out.upper + 1e-6)) fail_msg("round %d: upper %g, there %g", round, out.upper, there);
    positive += out.lower > 0.0;
    endTrial(&trial);
  }
  assert_true(positive > 10);
}

CASE(splines_agree_with_a_referee_that_samples) {
  Random random = {14};
  int states[4] = {0};
  for (int round = 0; round < 160; ++round) {
    Trial trial;
    makeTrial(&random, false, &trial);
    const size_t width = trial.test.valueCount;
    double points[3 * MOST_VALUES] = {0}, slopes[3 * MOST_VALUES] = {0}, q[MOST_VALUES] = {0}, last[MOST_VALUES];
    if (width == 0) {
      endTrial(&trial);
      continue;
    }
    for (int p = 0; p < 3; ++p) {
      randomValues(&random, &trial.test, 0.6, points + (size_t)p * width);
      randomValues(&random, &trial.test, 0.5, slopes + (size_t)p * width);
    }
    const brinkEdgeQuery query = withFlags(BRINK_EDGE_NO_LIMITS);
    brinkEdgeAnswer answer = emptyAnswer();
    answer.lastValid = last;
    ASSERT_VIEW(trial.view, robots()->spline(trial.view, points, slopes, 3, &query, &answer), brink_ok);
    ++states[answer.state];
    double until = answer.state == brink_free ? 2.0 : answer.segment + answer.toi;
    for (int s = 0; s <= 2 * SAMPLES; ++s) {
      double along = (double)s / SAMPLES, t = along;
      size_t segment = along >= 1.0 ? 1 : 0;
      if (along >= until && answer.state != brink_free) break;
      t -= (double)segment;
      const double *p0 = points + segment * width, *p1 = p0 + width;
      const double *m0 = slopes + segment * width, *m1 = m0 + width;
      for (size_t i = 0; i < width; ++i)
        q[i] = p0[i] +
               t * (m0[i] + t * (3 * (p1[i] - p0[i]) - 2 * m0[i] - m1[i] + t * (2 * (p0[i] - p1[i]) + m0[i] + m1[i])));
      double distance = refereeDistance(&trial.referee, &trial.test, q, true);
      if (!(distance > 0.0))
        fail_msg("round %d: told state %u, segment %u toi %g, but at %g the distance is %g", round, answer.state,
                 answer.segment, answer.toi, along, distance);
    }
    if (answer.state == brink_hit) {
      double distance = refereeDistance(&trial.referee, &trial.test, last, true);
      if (!(distance > 0.0 && distance < 1e-2)) fail_msg("round %d: last valid is at distance %g", round, distance);
    }
    endTrial(&trial);
  }
  if (!(states[brink_free] > 3 && states[brink_hit] > 20))
    fail_msg("%d free, %d hit: too few to say much", states[brink_free], states[brink_hit]);
  assert_int_equal(states[brink_unresolved], 0);
}

/* ---- scenes made by hand */

CASE(a_polyline_tells_the_segment_and_the_last_valid_configuration) {
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  makePlanarArm(world, 1, &test);
  brinkRobotView *view = newView(world, newRobot(world, &test));
  newCollider(world, 0, newShape(world, brink_box, vec(0.01, 0.01, 1)), at(0, 0.9, 0)); /* at 90 degrees */
  const double points[4] = {0, 1, -1, 2};
  brinkEdgeAnswer answer = emptyAnswer();
  double last;
  answer.lastValid = &last;
  ASSERT_VIEW(view, robots()->polyline(view, points, 4, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  assert_int_equal(answer.segment, 2);
  /* half a thickness of 0.05 plus 0.01, at about 0.9: contact near 90 - 4 degrees */
  assert_true(last > 1.3 && last < PI / 2 - 0.05);
  ASSERT_NEAR(last, -1 + 3 * answer.toi, 1e-12);
  assert_int_equal(answer.first.linkA, 1);
  assert_int_equal(answer.first.linkB, BRINK_ROBOT_NONE);
  ASSERT_VIEW(view, robots()->polyline(view, points, 3, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_free);
  assert_true(last == -1.0);
  api()->destroyWorld(world);
}

CASE(self_contacts_follow_the_table_of_allowed_pairs) {
  PLANAR_ARM(3);
  const double straight[3] = {0, 0, 0}, folded[3] = {0, 2.6, 2.6}; /* link 3 comes back onto link 1 */
  brinkEdgeAnswer answer = emptyAnswer();
  ASSERT_VIEW(view, robots()->edge(view, straight, folded, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  assert_int_equal(answer.first.linkA + answer.first.linkB, 4);
  const brinkEdgeQuery alone = withFlags(BRINK_EDGE_NO_SELF);
  ASSERT_VIEW(view, robots()->edge(view, straight, folded, &alone, &answer), brink_ok);
  assert_int_equal(answer.state, brink_free);
  ASSERT_OK(world, robots()->setAllowed(robot, 3, 1, 1));
  ASSERT_VIEW(view, robots()->edge(view, straight, folded, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_free);
  ASSERT_OK(world, robots()->setAllowed(robot, 1, 3, 0));
  ASSERT_VIEW(view, robots()->edge(view, straight, folded, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  ASSERT_OK(world, robots()->destroy(robot));
  /* joined links: only when asked for */
  test.def.flags = BRINK_ROBOT_TEST_ADJACENT;
  view = newView(world, newRobot(world, &test));
  const double bent[3] = {0, 2.99, 0};
  ASSERT_VIEW(view, robots()->edge(view, straight, bent, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  assert_int_equal(answer.first.linkA + answer.first.linkB, 3);
  api()->destroyWorld(world);
}

CASE(held_objects_move_with_their_link_until_they_are_let_go) {
  PLANAR_ARM(2);
  brinkShapeId ball = newShape(world, brink_sphere, vec(0.2, 0, 0));
  newCollider(world, 0, newShape(world, brink_box, vec(0.1, 0.1, 0.1)), at(0, 2.3, 0));
  const double q0[2] = {0, 0}, q1[2] = {2.5, 0};
  brinkEdgeAnswer answer = emptyAnswer();
  ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_free);
  const brinkRobotObjectDef def = {.structSize = sizeof def, .link = 2, .shape = ball, .pose = at(1.15, 0, 0)};
  uint32_t object = 99;
  ASSERT_OK(world, robots()->attach(robot, &def, &object));
  assert_int_equal(infoOf(robot).objectCount, 1);
  ASSERT_STATUS(world, api()->destroyShape(world, ball), brink_errorInUse);
  ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  assert_int_equal(answer.first.linkA, 2);
  assert_int_equal(answer.first.objectA, object);
  /* the object is tested against links, too: link 1 when the elbow folds */
  const double folded[2] = {0, 2.99};
  const brinkRobotObjectDef near = {.structSize = sizeof near, .link = 2, .shape = ball, .pose = at(0.6, 0.3, 0)};
  uint32_t second;
  ASSERT_OK(world, robots()->attach(robot, &near, &second));
  ASSERT_VIEW(view, robots()->edge(view, q0, folded, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  assert_int_equal(answer.first.linkA == 1 ? answer.first.objectB : answer.first.objectA, second);
  ASSERT_OK(world, robots()->detach(robot, second, NULL, NULL));
  const uint32_t touching[1] = {1};
  const brinkRobotObjectDef allowed = {.structSize = sizeof allowed,
                                       .link = 2,
                                       .shape = ball,
                                       .pose = at(0.6, 0.3, 0),
                                       .touching = touching,
                                       .touchingCount = 1};
  ASSERT_OK(world, robots()->attach(robot, &allowed, &second));
  ASSERT_VIEW(view, robots()->edge(view, q0, folded, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_free);
  ASSERT_OK(world, robots()->detach(robot, second, NULL, NULL));
  brinkPose pose;
  const double up[2] = {PI / 2, 0};
  ASSERT_OK(world, robots()->detach(robot, object, up, &pose));
  ASSERT_NEAR(pose.position.y, 2.15, 1e-12);
  ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_free);
  ASSERT_STATUS(world, robots()->detach(robot, object, NULL, NULL), brink_errorStale);
  api()->destroyWorld(world);
}

CASE(padding_and_clearance_keep_their_distance) {
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  makePlanarArm(world, 1, &test);
  test.shapes[0].shape = newShape(world, brink_sphere, vec(0.1, 0, 0));
  test.shapes[0].pose = at(1, 0, 0); /* a ball on a circle of radius 1 */
  test.joints[0].type = brink_robotContinuous;
  test.joints[0].flags = 0;
  brinkRobot *robot = newRobot(world, &test);
  brinkRobotView *view = newView(world, robot);
  newCollider(world, 0, newShape(world, brink_sphere, vec(0.1, 0, 0)), at(0, 1.3, 0)); /* 0.1 away at 90 degrees */
  const double q0 = 0, q1 = PI;
  brinkEdgeAnswer answer = emptyAnswer();
  brinkEdgeQuery query = withFlags(0);
  for (int i = 0; i < 2; ++i) {
    const double distance[2] = {0.099, 0.101};
    query.clearance = distance[i];
    ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, &query, &answer), brink_ok);
    assert_int_equal(answer.state, i == 0 ? brink_free : brink_hit);
    ASSERT_OK(world, robots()->setPadding(robot, 1, distance[i]));
    ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, i == 0 ? brink_free : brink_hit);
    ASSERT_OK(world, robots()->setPadding(robot, 1, 0.0));
  }
  /* closed form of the event with padding: |c(q) - o|^2 = 1 + 1.69 - 2.6 sin q = (0.2 + 0.15)^2 */
  ASSERT_OK(world, robots()->setPadding(robot, 1, 0.15));
  ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
  ASSERT_NEAR(answer.toi * PI, asin((2.69 - 0.35 * 0.35) / 2.6), 1e-5);
  brinkRobotClearance out = {.structSize = sizeof out};
  ASSERT_VIEW(view, robots()->clearance(view, &q0, &q1, 0, 1e-6, &out), brink_ok);
  ASSERT_NEAR(out.lower, 0.1, 1e-6);
  ASSERT_NEAR(out.upper, 0.1, 1e-6);
  ASSERT_NEAR(out.time, 0.5, 2e-3);
  api()->destroyWorld(world);
}

CASE(every_kind_of_obstacle_counts) {
  Random random = {5};
  /* the tip of an arm of length 1 sweeps from 0 to 3 rad at z = 0; each obstacle stands in its way */
  for (int kind = 0; kind < 8; ++kind) {
    brinkWorld *world = newWorld(NULL);
    TestRobot test;
    makePlanarArm(world, 1, &test);
    brinkRobot *robot = newRobot(world, &test);
    brinkRobotView *view = newView(world, robot);
    brinkEdgeAnswer answer = emptyAnswer();
    const double q0 = 0.3, q1 = 2.8;
    ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, brink_free); /* nothing there yet: the view follows what comes */
    brinkColliderId made = 0;
    if (kind == 0) {
      brinkShapeDef def = shapeDef(brink_plane, vec(0, 0, 0));
      def.normal = vec(0, -2, 0); /* y >= 0.8 is inside */
      def.offset = -1.6;
      brinkShapeId plane;
      ASSERT_OK(world, api()->createShape(world, &def, &plane));
      made = newCollider(world, 0, plane, at(0, 0, 0));
    } else if (kind == 1) {
      double points[300];
      for (int i = 0; i < 100; ++i) {
        points[3 * i] = uniform(&random, -0.2, 0.2);
        points[3 * i + 1] = uniform(&random, 0.6, 0.8);
        points[3 * i + 2] = uniform(&random, -0.2, 0.2);
      }
      ASSERT_OK(world, robots()->createPointCloud(world, points, 100, 0.01, &made));
    } else if (kind == 2) {
      brinkShapeDef def = shapeDef(brink_heightfield, vec(0.25, 0.25, 0));
      double heights[81];
      for (int i = 0; i < 81; ++i) heights[i] = i / 9 == 7 ? 0.3 : -0.5;
      def.heights = heights;
      def.columns = def.rows = 9;
      brinkShapeId field;
      ASSERT_OK(world, api()->createShape(world, &def, &field));
      made = newCollider(world, 0, field, at(-1, -1, 0));
    } else if (kind == 3) {
      brinkShapeChild children[2] = {{newShape(world, brink_sphere, vec(0.1, 0, 0)), at(5, 0, 0)},
                                     {newShape(world, brink_box, vec(0.1, 0.1, 0.1)), at(0, 0.7, 0)}};
      brinkShapeDef def = shapeDef(brink_compound, vec(0, 0, 0));
      def.children = children;
      def.childCount = 2;
      brinkShapeId compound;
      ASSERT_OK(world, api()->createShape(world, &def, &compound));
      made = newCollider(world, 0, compound, at(0, 0, 0));
    } else if (kind == 4) { /* on a body that rests */
      brinkBodyId body = newBody(world, 0, at(0, 0.7, 0));
      made = newCollider(world, body, newShape(world, brink_cylinder, vec(0.1, 0, 0.3)), at(0, 0, 0));
    } else if (kind == 5) {
      made = newCollider(world, 0, newShape(world, brink_segment, vec(0, 0, 1)), at(0, 0.7, 0));
    } else if (kind == 6) {
      made = newCollider(world, 0, newShape(world, brink_point, vec(0, 0, 0)), at(0, 0.7, 0));
    } else {
      for (int i = 0; i < 100; ++i) /* many: found through a tree of boxes */
        made = newCollider(world, 0, newShape(world, brink_sphere, vec(0.02, 0, 0)), at(i == 99 ? 0 : 3 + i, 0.7, 0));
    }
    ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
    if (answer.state != brink_hit) fail_msg("kind %d: state %u", kind, answer.state);
    assert_true(answer.first.obstacle == made);
    assert_true(answer.toi > 0.05 && answer.toi < 0.7);
    ASSERT_OK(world, robots()->setAllowedObstacle(robot, 1, made, 1));
    ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, brink_free);
    ASSERT_OK(world, robots()->setAllowedObstacle(robot, 1, made, 0));
    ASSERT_OK(world, api()->setColliderFilter(world, made, 0, 0));
    ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, brink_free);
    ASSERT_OK(world, api()->setColliderFilter(world, made, 1, 1));
    ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, brink_hit);
    ASSERT_OK(world, api()->destroyCollider(world, made));
    ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, brink_free);
    api()->destroyWorld(world);
  }
}

CASE(all_pairs_are_told_by_time) {
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  makePlanarArm(world, 1, &test);
  brinkRobotView *view = newView(world, newRobot(world, &test));
  brinkShapeId post = newShape(world, brink_box, vec(0.01, 0.01, 1));
  const double angles[3] = {2.0, 1.0, 1.5};
  for (int i = 0; i < 3; ++i) newCollider(world, 0, post, at(0.8 * cos(angles[i]), 0.8 * sin(angles[i]), 0));
  const double q0 = 0, q1 = 2.5;
  brinkEdgeAnswer answer = emptyAnswer();
  const brinkEdgeQuery all = withFlags(BRINK_EDGE_ALL_PAIRS);
  ASSERT_VIEW(view, robots()->edge(view, &q0, &q1, &all, &answer), brink_ok);
  assert_int_equal(answer.contactCount, 3);
  for (size_t i = 0; i < 3; ++i) {
    assert_int_equal(answer.contacts[i].state, brink_hit);
    if (i > 0) assert_true(answer.contacts[i].toi > answer.contacts[i - 1].toi);
  }
  assert_true(answer.toi == answer.contacts[0].toi);
  api()->destroyWorld(world);
}

CASE(batches_are_the_same_for_any_number_of_threads) {
  Random random = {21};
  Trial trial;
  makeTrial(&random, true, &trial);
  enum { COUNT = 1500 };
  const size_t width = trial.test.valueCount;
  double *q0 = calloc(COUNT * width + 1, sizeof *q0), *q1 = calloc(COUNT * width + 1, sizeof *q1);
  for (size_t i = 0; i < COUNT; ++i) {
    randomValues(&random, &trial.test, 1.0, q0 + i * width);
    randomValues(&random, &trial.test, 1.0, q1 + i * width);
  }
  const brinkEdgeQuery query = withFlags(BRINK_EDGE_NO_LIMITS);
  static brinkEdgeResult first[COUNT], other[COUNT];
  memset(first, 0, sizeof first);
  ASSERT_OK(trial.world, robots()->edges(trial.robot, q0, q1, COUNT, &query, 1, first));
  for (uint32_t threads = 2; threads <= 5; ++threads) {
    memset(other, 0, sizeof other);
    ASSERT_OK(trial.world, robots()->edges(trial.robot, q0, q1, COUNT, &query, threads, other));
    assert_memory_equal(first, other, sizeof first);
  }
  for (size_t i = 0; i < COUNT; i += 37) { /* as one by one */
    brinkEdgeAnswer answer = emptyAnswer();
    ASSERT_VIEW(trial.view, robots()->edge(trial.view, q0 + i * width, q1 + i * width, &query, &answer), brink_ok);
    assert_true(answer.state == first[i].state && answer.toi == first[i].toi && answer.toiUpper == first[i].toiUpper);
  }
  /* one bad edge: nothing is touched */
  if (width > 0) {
    q1[700 * width] = NAN;
    memset(other, 0x5a, sizeof other);
    memcpy(first, other, sizeof first);
    ASSERT_STATUS(trial.world, robots()->edges(trial.robot, q0, q1, COUNT, &query, 2, other), brink_errorBadValue);
    assert_non_null(strstr(api()->lastError(trial.world), "edge 700"));
    assert_memory_equal(first, other, sizeof first);
  }
  free(q0);
  free(q1);
  endTrial(&trial);
}

typedef struct Asker {
  brinkRobotView *view;
  const Trial *trial;
  uint32_t states[400];
} Asker;

static void *askMany(void *user) {
  Asker *asker = user;
  Random random = {77};
  for (int i = 0; i < 400; ++i) {
    double q0[MOST_VALUES] = {0}, q1[MOST_VALUES] = {0};
    randomValues(&random, &asker->trial->test, 1.0, q0);
    randomValues(&random, &asker->trial->test, 1.0, q1);
    const brinkEdgeQuery query = withFlags(BRINK_EDGE_NO_LIMITS);
    brinkEdgeAnswer answer = emptyAnswer();
    asker->states[i] = robots()->edge(asker->view, q0, q1, &query, &answer) == brink_ok ? answer.state : 99u;
  }
  return NULL;
}

CASE(views_answer_alike_on_threads_of_their_own) {
  Random random = {22};
  Trial trial;
  makeTrial(&random, true, &trial);
  Asker askers[3];
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) askers[i] = (Asker){.view = newView(trial.world, trial.robot), .trial = &trial};
  for (int i = 0; i < 3; ++i) assert_int_equal(pthread_create(&threads[i], NULL, askMany, &askers[i]), 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  for (int i = 1; i < 3; ++i) assert_memory_equal(askers[0].states, askers[i].states, sizeof askers[0].states);
  for (int i = 0; i < 400; ++i) assert_true(askers[0].states[i] <= brink_hit || askers[0].states[i] == brink_overlap);
  endTrial(&trial);
}

/* ---- what is refused */

static void refuse(brinkWorld *world, const TestRobot *test, brinkStatus expected, const char *word) {
  brinkRobot *robot = (brinkRobot *)(uintptr_t)8;
  brinkStatus status = robots()->create(world, &test->def, &robot);
  if (status != expected)
    fail_msg("create gave %d (%s), expected %d", (int)status, api()->lastError(world), (int)expected);
  assert_true(robot == (brinkRobot *)(uintptr_t)8);
  if (strstr(api()->lastError(world), word) == NULL) fail_msg("'%s' does not name '%s'", api()->lastError(world), word);
}

CASE(definitions_that_are_no_tree_are_refused_by_name) {
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  makePlanarArm(world, 3, &test);
  for (int i = 0; i < 4; ++i) test.links[i].name = (const char *[]){"base", "upper", "fore", "hand"}[i];
  test.joints[0].name = "shoulder";
  test.joints[1].name = "elbow";
  test.joints[2].name = "wrist";
  TestRobot good = test;
  test.joints[2].child = 1; /* loop: upper is the child of two */
  refuse(world, &test, brink_errorBadTree, "upper");
  assert_non_null(strstr(api()->lastError(world), "shoulder"));
  assert_non_null(strstr(api()->lastError(world), "wrist"));
  test = good;
  finishRobot(&test, 4, 3);
  test.def.jointCount = 2; /* hand hangs on nothing */
  refuse(world, &test, brink_errorBadTree, "hand");
  test = good;
  finishRobot(&test, 4, 3);
  test.joints[0].parent = 3; /* circle of all, and no root: base is one then */
  refuse(world, &test, brink_errorBadTree, "circle");
  test = good;
  finishRobot(&test, 4, 3);
  test.joints[1].parent = test.joints[1].child;
  refuse(world, &test, brink_errorBadTree, "elbow");
  test = good;
  finishRobot(&test, 4, 3);
  test.joints[1].child = 17;
  refuse(world, &test, brink_errorBadIndex, "elbow");
  finishRobot(&good, 4, 3);
  newRobot(world, &good); /* nothing was half made */
  api()->destroyWorld(world);
}

CASE(bad_definitions_are_refused_by_name) {
  brinkWorld *world = newWorld(NULL);
  TestRobot good, test;
  makePlanarArm(world, 3, &good);
  good.joints[1].name = "elbow";
#define BAD(change, status, word)       \
  do {                                  \
    test = good;                        \
    finishRobot(&test, 4, 3);           \
    change;                             \
    refuse(world, &test, status, word); \
  } while (0)
  BAD(test.joints[1].axis = vec(0, 0, 0), brink_errorBadValue, "elbow");
  BAD(test.joints[1].axis.y = NAN, brink_errorBadValue, "elbow");
  BAD(test.joints[1].origin.position.x = INFINITY, brink_errorBadValue, "elbow");
  BAD(test.joints[1].origin.rotation = ((brinkQuat){0, 0, 0, 0}), brink_errorBadRotation, "elbow");
  BAD(test.joints[1].flags = 0, brink_errorBadValue, "elbow");
  BAD(test.joints[1].lower[0] = 4, brink_errorBadValue, "elbow");
  BAD(test.joints[1].upper[0] = NAN, brink_errorBadValue, "elbow");
  BAD(test.joints[1].type = 12, brink_errorBadValue, "elbow");
  BAD(test.joints[1].structSize = 8, brink_errorVersion, "joints");
  BAD(test.joints[1].flags |= 64, brink_errorBadValue, "flags");
  BAD((test.joints[1].type = brink_robotContinuous), brink_errorBadValue, "elbow");
  BAD(test.joints[1].mimic = 9, brink_errorBadIndex, "elbow");
  BAD(test.joints[1].mimic = 1, brink_errorBadTree, "elbow");
  BAD((test.joints[1].mimic = 2, test.joints[2].mimic = 1), brink_errorBadTree, "circle");
  BAD((test.joints[1].mimic = 0, test.joints[1].multiplier = NAN), brink_errorBadValue, "elbow");
  BAD((test.joints[1].mimic = 0, test.joints[0].type = brink_robotPlanar), brink_errorBadValue, "elbow");
  BAD((test.joints[1].type = brink_robotPlanar, test.joints[1].mimic = 0), brink_errorBadValue, "elbow");
  BAD((test.joints[1].type = brink_robotScrew, test.joints[1].pitch = NAN), brink_errorBadValue, "elbow");
  BAD(test.links[2].padding = -1, brink_errorBadValue, "padding");
  BAD(test.shapes[1].link = 4, brink_errorBadIndex, "shapes[1]");
  BAD(test.shapes[1].shape = 12345, brink_errorStale, "shapes[1]");
  BAD(test.def.linkCount = 0, brink_errorEmpty, "linkCount");
  BAD(test.def.links = NULL, brink_errorNullArgument, "links");
  BAD(test.def.structSize = 3, brink_errorVersion, "def");
  BAD(test.def.flags = 512, brink_errorBadValue, "flags");
  BAD(test.def.base.rotation = ((brinkQuat){0, 0, 0, NAN}), brink_errorBadValue, "base");
  brinkRobotLinkPair pair = {0, 7};
  BAD((test.def.allowed = &pair, test.def.allowedCount = 1), brink_errorBadIndex, "allowed[0]");
  brinkShapeDef def = shapeDef(brink_plane, vec(0, 0, 0));
  def.normal = vec(0, 0, 1);
  brinkShapeId plane;
  ASSERT_OK(world, api()->createShape(world, &def, &plane));
  BAD(test.shapes[0].shape = plane, brink_errorBadValue, "half-space");
  api()->destroyWorld(world);
}

CASE(bad_questions_are_refused_and_change_nothing) {
  PLANAR_ARM(2);
  const double fine[2] = {0, 0}, nan[2] = {0, NAN}, huge[2] = {1e12, 0};
  brinkEdgeAnswer answer = emptyAnswer(), before = answer;
  brinkEdgeQuery query = withFlags(0);
  ASSERT_VIEW(view, robots()->edge(view, NULL, fine, NULL, &answer), brink_errorNullArgument);
  ASSERT_VIEW(view, robots()->edge(view, fine, NULL, NULL, &answer), brink_errorNullArgument);
  ASSERT_VIEW(view, robots()->edge(view, fine, nan, NULL, &answer), brink_errorBadValue);
  assert_non_null(strstr(robots()->viewError(view), "q1[1], joint 1, "));
  ASSERT_VIEW(view, robots()->edge(view, huge, fine, NULL, &answer), brink_errorRange);
  ASSERT_VIEW(view, robots()->edge(view, fine, fine, NULL, NULL), brink_errorNullArgument);
  query.flags = 1u << 20;
  ASSERT_VIEW(view, robots()->edge(view, fine, fine, &query, &answer), brink_errorBadValue);
  query = withFlags(BRINK_EDGE_ANY | BRINK_EDGE_ALL_PAIRS);
  ASSERT_VIEW(view, robots()->edge(view, fine, fine, &query, &answer), brink_errorBadValue);
  query = withFlags(0);
  query.tolerance = -1;
  ASSERT_VIEW(view, robots()->edge(view, fine, fine, &query, &answer), brink_errorBadValue);
  query.tolerance = 0;
  query.clearance = NAN;
  ASSERT_VIEW(view, robots()->configuration(view, fine, &query, &answer), brink_errorBadValue);
  query.structSize = 4;
  ASSERT_VIEW(view, robots()->edge(view, fine, fine, &query, &answer), brink_errorVersion);
  ASSERT_VIEW(view, robots()->polyline(view, fine, 1, NULL, &answer), brink_errorBadValue);
  ASSERT_VIEW(view, robots()->spline(view, fine, NULL, 2, NULL, &answer), brink_errorNullArgument);
  assert_memory_equal(&answer, &before, sizeof answer);
  answer.structSize = 1;
  ASSERT_VIEW(view, robots()->edge(view, fine, fine, NULL, &answer), brink_errorVersion);
  brinkPose pose;
  double q[2];
  assert_int_equal(robots()->poses(robot, nan, &pose), brink_errorBadValue);
  assert_int_equal(robots()->poses(robot, fine, NULL), brink_errorNullArgument);
  assert_int_equal(robots()->between(robot, fine, fine, 1.5, 0, q), brink_errorBadTime);
  assert_int_equal(robots()->edge(NULL, fine, fine, NULL, &answer), brink_errorNullArgument);
  assert_int_equal(robots()->destroy(NULL), brink_ok);
  assert_int_equal(robots()->destroyView(NULL), brink_ok);
  ASSERT_STATUS(world, robots()->setAllowed(robot, 0, 9, 1), brink_errorBadIndex);
  ASSERT_STATUS(world, robots()->setPadding(robot, 0, NAN), brink_errorBadValue);
  ASSERT_STATUS(world, robots()->setAllowedObstacle(robot, 0, 77, 1), brink_errorStale);
  brinkColliderId cloud;
  assert_int_equal(robots()->createPointCloud(world, fine, 0, 0.1, &cloud), brink_errorEmpty);
  assert_non_null(strstr(api()->lastError(world), "count is 0"));
  ASSERT_STATUS(world, robots()->createPointCloud(world, (const double[3]){0, 0, NAN}, 1, 0.1, &cloud),
                brink_errorBadValue);
  api()->destroyWorld(world);
}

CASE(memory_that_runs_out_loses_nothing) {
  for (uint64_t at1 = 1;; ++at1) {
    Memory memory = {0};
    brinkHost host = countingHost(&memory);
    brinkWorld *world = newWorld(&host);
    TestRobot test;
    makePlanarArm(world, 3, &test);
    newCollider(world, 0, newShape(world, brink_box, vec(0.1, 0.1, 0.1)), at(0, 2, 0));
    memory.failAt = memory.requests + at1;
    brinkRobot *robot = NULL;
    brinkRobotView *view = NULL;
    brinkEdgeAnswer answer = emptyAnswer();
    const double q0[3] = {0, 0, 0}, q1[3] = {2, 0.5, 0.5};
    brinkEdgeResult result;
    brinkRobotClearance clearance = {.structSize = sizeof clearance};
    brinkStatus status = robots()->create(world, &test.def, &robot);
    if (status == brink_ok) status = robots()->createView(robot, &view);
    if (status == brink_ok) status = robots()->edge(view, q0, q1, NULL, &answer);
    if (status == brink_ok) status = robots()->clearance(view, q0, q1, 0, 0.0, &clearance);
    if (status == brink_ok) status = robots()->edges(robot, q0, q1, 1, NULL, 2, &result);
    bool failed = memory.failures > 0;
    if (failed) assert_int_equal(status, brink_errorNoMemory);
    memory.failAt = 0;
    if (robot == NULL) ASSERT_OK(world, robots()->create(world, &test.def, &robot));
    if (view == NULL) ASSERT_OK(world, robots()->createView(robot, &view));
    ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, brink_hit);
    ASSERT_OK(world, api()->destroyWorld(world));
    assert_int_equal(memory.blocks, 0);
    if (!failed) break;
  }
}

/* A camera's cloud takes the place of the last one, many times a second. */
CASE(a_cloud_of_points_goes_as_a_whole) {
  Memory memory = {0};
  brinkHost host = countingHost(&memory);
  brinkWorld *world = newWorld(&host);
  TestRobot test;
  makePlanarArm(world, 2, &test);
  brinkRobotView *view = newView(world, newRobot(world, &test));
  double points[100][3];
  for (int i = 0; i < 100; ++i) points[i][0] = 1.5, points[i][1] = 0.5, points[i][2] = 0.01 * i - 0.5;
  const double q0[2] = {0, 0}, q1[2] = {1, 0};
  int64_t blocks = 0;
  for (int frame = 0; frame < 9; ++frame) {
    brinkColliderId cloud = 0;
    brinkEdgeAnswer answer = emptyAnswer();
    if (frame == 5) memory.failAt = memory.requests + 6; /* what fails leaves nothing */
    brinkStatus status = robots()->createPointCloud(world, points[0], 100, 0.02, &cloud);
    assert_int_equal(status, memory.failures > 0 && frame == 5 ? brink_errorNoMemory : brink_ok);
    memory.failAt = 0;
    ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, status == brink_ok ? brink_hit : brink_free);
    if (status == brink_ok) ASSERT_OK(world, api()->destroyCollider(world, cloud));
    ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &answer), brink_ok);
    assert_int_equal(answer.state, brink_free);
    if (frame == 1) blocks = (int64_t)memory.blocks;
    if (frame > 1) assert_int_equal(memory.blocks, blocks);
  }
  assert_true(memory.failures > 0);
  ASSERT_OK(world, api()->destroyWorld(world));
  assert_int_equal(memory.blocks, 0);
}

typedef struct Nested {
  brinkRobotView *view;
  brinkStatus status;
} Nested;

static int askFromInside(void *user, brinkColliderId a, brinkColliderId b, uint64_t dataA, uint64_t dataB) {
  (void)a, (void)b, (void)dataA, (void)dataB;
  Nested *nested = user;
  brinkEdgeAnswer answer = emptyAnswer();
  const double q = 0;
  nested->status = robots()->edge(nested->view, &q, &q, NULL, &answer);
  return 1;
}

CASE(a_stale_view_refuses_questions_from_inside_a_callback) {
  brinkWorld *world = newWorld(NULL);
  TestRobot test;
  makePlanarArm(world, 1, &test);
  Nested nested = {newView(world, newRobot(world, &test)), brink_ok};
  brinkShapeId box = newShape(world, brink_box, vec(1, 1, 1));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, box, at(0, 0, 0));
  newCollider(world, 0, box, at(0, 0, 0));
  ASSERT_OK(world, api()->setPairFilter(world, askFromInside, &nested));
  brinkQuery query = wholeStep();
  ask(world, &query);
  assert_int_equal(nested.status, brink_errorBusy);
  api()->destroyWorld(world);
}

/* A ball, whose support function calls all that a question does not bear. */
typedef struct Meddler {
  brinkWorld *world;
  brinkRobot *robot;
  brinkRobotView *view; /* NULL: it does not, yet */
  brinkColliderId post;
  int called, refused, told;
} Meddler;

static void meddle(void *user, const double direction[3], double point[3]) {
  Meddler *own = user;
  for (int i = 0; i < 3; ++i) point[i] = 0.1 * direction[i];
  if (own->view == NULL) return;
  const double q[2] = {0, 0}, to[2] = {1, 1};
  uint32_t object = 0;
  brinkEdgeAnswer answer = emptyAnswer();
  const brinkPose pose = at(0, 9, 0);
  const brinkRobotObjectDef def = {.structSize = sizeof def, .link = 1, .shape = 0, .pose = pose};
  const brinkStatus nested[] = {robots()->edge(own->view, q, to, NULL, &answer),
                                robots()->configuration(own->view, q, NULL, &answer), robots()->destroyView(own->view)};
  const brinkStatus changes[] = {robots()->destroy(own->robot),
                                 robots()->setAllowed(own->robot, 0, 2, 1),
                                 robots()->setPadding(own->robot, 1, 1),
                                 robots()->attach(own->robot, &def, &object),
                                 robots()->detach(own->robot, 0, NULL, NULL),
                                 api()->destroyCollider(own->world, own->post),
                                 api()->setColliderPose(own->world, own->post, &pose),
                                 api()->destroyWorld(own->world)};
  for (size_t i = 0; i < sizeof nested / sizeof *nested; ++i) own->refused += nested[i] == brink_errorBusy;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) own->refused += changes[i] == brink_errorBusy;
  own->called += (int)(sizeof nested / sizeof *nested + sizeof changes / sizeof *changes);
  own->told += strstr(robots()->viewError(own->view), "callback") != NULL &&
               strstr(api()->lastError(own->world), "callback") != NULL;
}

CASE(a_question_is_not_changed_from_inside_its_callbacks) {
  brinkWorld *world = newWorld(NULL);
  Meddler own = {.world = world};
  const brinkShapeDef ball = {
      .structSize = sizeof ball, .type = brink_support, .support = meddle, .supportUser = &own, .supportRadius = 0.1};
  TestRobot test;
  makePlanarArm(world, 2, &test);
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &ball, &shape));
  own.post = newCollider(world, 0, shape, at(1.5, 0.5, 0));
  own.robot = newRobot(world, &test);
  brinkRobotView *view = newView(world, own.robot);
  const double q0[2] = {0, 0}, q1[2] = {1, 0};
  brinkEdgeAnswer quiet = emptyAnswer(), answer = emptyAnswer();
  brinkRobotClearance gap = {.structSize = sizeof gap};
  ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &quiet), brink_ok);
  assert_int_equal(quiet.state, brink_hit);
  own.view = view;
  ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &answer), brink_ok);
  assert_int_equal(answer.state, brink_hit);
  assert_true(answer.toi == quiet.toi && answer.toiUpper == quiet.toiUpper && answer.iterations == quiet.iterations);
  ASSERT_VIEW(view, robots()->clearance(view, q0, q1, 0, 0, &gap), brink_ok);
  assert_true(own.called > 0 && own.refused == own.called && own.told > 0);
  own.view = NULL; /* and after the question all goes again */
  ASSERT_OK(world, robots()->setPadding(own.robot, 1, 0.01));
  assert_int_equal(robots()->destroyView(view), brink_ok);
  ASSERT_OK(world, robots()->destroy(own.robot));
  api()->destroyWorld(world);
}

CASE(nothing_is_allocated_once_a_view_is_warm) {
  Memory memory = {0};
  brinkHost host = countingHost(&memory);
  brinkWorld *world = newWorld(&host);
  TestRobot test;
  makePlanarArm(world, 3, &test);
  newCollider(world, 0, newShape(world, brink_box, vec(0.1, 0.1, 0.1)), at(0, 2, 0));
  brinkRobotView *view = newView(world, newRobot(world, &test));
  uint64_t warm = 0;
  Random random = {3};
  for (int i = 0; i < 400; ++i) {
    double q0[3], q1[3];
    for (int k = 0; k < 3; ++k) {
      q0[k] = uniform(&random, -3, 3);
      q1[k] = uniform(&random, -3, 3);
    }
    brinkEdgeAnswer answer = emptyAnswer();
    ASSERT_VIEW(view, robots()->edge(view, q0, q1, NULL, &answer), brink_ok);
    ASSERT_VIEW(view, robots()->configuration(view, q0, NULL, &answer), brink_ok);
    if (i == 200) warm = memory.requests;
  }
  assert_int_equal(memory.requests, warm);
  api()->destroyWorld(world);
}

int main(void) { return cases_Run(NULL, NULL); }
