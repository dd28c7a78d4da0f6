/* SPDX-License-Identifier: BSD-3-Clause */
/* An arm of two links, each 1 m long: limits that are checked, points of a camera as an obstacle, a cable that one link
 * may touch, and a tool that is picked up and put down. */
#include <stdio.h>

#include "brink/ccd.h"
#include "brink/robot.h"

int main(void) {
  const brinkPlugin *api = brinkEntry(BRINK_ABI_MAJOR, NULL);
  const brinkRobotTable *robots = api != NULL ? api->getExtension(BRINK_ROBOT_NAME) : NULL;
  brinkWorld *world = NULL;
  if (robots == NULL || api->createWorld(NULL, NULL, &world) != brink_ok) return 1;
  const brinkPose here = {{0, 0, 0}, {1, 0, 0, 0}}, middle = {{0.5, 0, 0}, {1, 0, 0, 0}};
  brinkShapeDef rod = {.structSize = sizeof rod, .type = brink_box, .size = {0.5, 0.05, 0.05}}; /* half of it */
  brinkShapeDef round = {.structSize = sizeof round, .type = brink_sphere, .size = {0.1, 0, 0}};
  brinkShapeId rodShape, ball;
  api->createShape(world, &rod, &rodShape);
  api->createShape(world, &round, &ball);
  brinkRobotLinkDef links[3] = {{.structSize = sizeof links[0], .name = "base"},
                                {.structSize = sizeof links[0], .name = "upper"},
                                {.structSize = sizeof links[0], .name = "lower"}};
  brinkRobotJointDef joints[2];
  for (uint32_t j = 0; j < 2; ++j)
    joints[j] = (brinkRobotJointDef){.structSize = sizeof joints[j],
                                     .type = brink_robotRevolute,
                                     .flags = BRINK_ROBOT_JOINT_LIMITED,
                                     .parent = j,
                                     .child = j + 1,
                                     .mimic = BRINK_ROBOT_NONE,
                                     .origin = {{j == 0 ? 0.0 : 1.0, 0, 0}, {1, 0, 0, 0}},
                                     .axis = {0, 0, 1},
                                     .lower = {-2},
                                     .upper = {2}};
  const brinkRobotShape shapes[2] = {{1, 0, rodShape, middle}, {2, 0, rodShape, middle}};
  const brinkRobotDef def = {.structSize = sizeof def,
                             .base = here,
                             .links = links,
                             .joints = joints,
                             .shapes = shapes,
                             .linkCount = 3,
                             .jointCount = 2,
                             .shapeCount = 2};
  brinkRobot *robot = NULL;
  brinkRobotView *view = NULL;
  int good = robots->create(world, &def, &robot) == brink_ok;
  const char *name = "";
  good = good && robots->linkName(robot, 2, &name) == brink_ok;
  const double straight[2] = {0, 0}, bent[2] = {1.5, 0}, beyond[2] = {0, 3};
  good = good && robots->checkLimits(robot, straight) == brink_ok;
  good = good && robots->checkLimits(robot, beyond) == brink_errorRange;
  printf("%s\n", api->lastError(world));

  const double seen[2][3] = {{1.0, 1.2, 0}, {1.02, 1.2, 0}};
  brinkColliderId cloud = 0;
  good = good && robots->createPointCloud(world, seen[0], 2, 0.02, &cloud) == brink_ok;
  good = good && robots->createView(robot, &view) == brink_ok;
  brinkEdgeAnswer answer = {.structSize = sizeof answer};
  good = good && robots->edge(view, straight, bent, NULL, &answer) == brink_ok && answer.state == brink_hit;
  printf("link %s meets the points at %.3f of the way\n", name, answer.toi);
  good = good && robots->setAllowedObstacle(robot, 2, cloud, 1) == brink_ok; /* as if it were its own cable */
  good = good && robots->edge(view, straight, bent, NULL, &answer) == brink_ok && answer.state == brink_free;

  const brinkRobotObjectDef tool = {
      .structSize = sizeof tool, .link = 2, .shape = ball, .pose = {{1, 0, 0}, {1, 0, 0, 0}}};
  uint32_t held = 0;
  brinkPose put;
  good = good && robots->attach(robot, &tool, &held) == brink_ok;
  good = good && robots->detach(robot, held, straight, &put) == brink_ok && put.position.x == 2.0;
  if (!good) fprintf(stderr, "arm: %s\n", api->lastError(world));
  api->destroyWorld(world);
  return good ? 0 : 1;
}
