/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ROBOT_SUPPORT_H
#define BRINK_ROBOT_SUPPORT_H
/* What the tests of brink/robot.h share: random robots of every joint type, their forward kinematics done by
 * quaternions here, and a referee that puts each link's shape into another world, at rest where that says, and measures
 * distances pair by pair. */
#include "brink/robot.h"
#include "plugin_support.h"

#define MOST_LINKS 12
#define MOST_VALUES (7 * MOST_LINKS)

typedef struct TestRobot {
  brinkRobotLinkDef links[MOST_LINKS];
  brinkRobotJointDef joints[MOST_LINKS];
  brinkRobotShape shapes[MOST_LINKS];
  brinkRobotDef def;
  uint32_t valueIndex[MOST_LINKS];
  size_t valueCount;
} TestRobot;

static inline const brinkRobotTable *robots(void) {
  const brinkRobotTable *table = api()->getExtension(BRINK_ROBOT_NAME);
  if (table == NULL) fail_msg("no %s", BRINK_ROBOT_NAME);
  return table;
}
#define ASSERT_VIEW(view, call, expected) ASSERT_STATUS_BY(robots()->viewError(view), call, expected)

static inline uint32_t valuesOf(uint32_t type) {
  return type == brink_robotFixed ? 0 : type == brink_robotPlanar ? 3 : type == brink_robotFloating ? 7 : 1;
}

static inline brinkRobotJointDef robotJoint(uint32_t type, uint32_t parent, uint32_t child, brinkPose origin,
                                            brinkVec3 axis, double lower, double upper) {
  brinkRobotJointDef def;
  memset(&def, 0, sizeof def);
  def.structSize = sizeof def;
  def.type = type;
  def.parent = parent;
  def.child = child;
  def.mimic = BRINK_ROBOT_NONE;
  def.origin = origin;
  def.axis = axis;
  def.multiplier = 1.0;
  for (int i = 0; i < 3; ++i) {
    def.lower[i] = lower;
    def.upper[i] = upper;
  }
  if (type == brink_robotRevolute || type == brink_robotPrismatic || type == brink_robotScrew)
    def.flags = BRINK_ROBOT_JOINT_LIMITED;
  return def;
}

/* Fills counts and value indices. */
static inline void finishRobot(TestRobot *robot, size_t links, size_t shapes) {
  robot->valueCount = 0;
  for (size_t i = 0; i < links; ++i) robot->links[i].structSize = sizeof robot->links[i];
  for (size_t j = 0; j + 1 < links; ++j) {
    robot->valueIndex[j] = (uint32_t)robot->valueCount;
    if (robot->joints[j].type != brink_robotFixed && robot->joints[j].mimic != BRINK_ROBOT_NONE) continue;
    robot->valueCount += valuesOf(robot->joints[j].type);
  }
  robot->def = (brinkRobotDef){.structSize = sizeof robot->def,
                               .base = {{0, 0, 0}, {1, 0, 0, 0}},
                               .links = robot->links,
                               .joints = robot->joints,
                               .shapes = robot->shapes,
                               .linkCount = links,
                               .jointCount = links - 1,
                               .shapeCount = shapes};
}

/* ---- own forward kinematics */

static inline double unitLength(brinkQuat q) { return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
static inline brinkQuat unit(brinkQuat q) {
  double n = unitLength(q);
  return (brinkQuat){q.w / n, q.x / n, q.y / n, q.z / n};
}
static inline brinkVec3 unitVector(brinkVec3 a) { return times(1.0 / norm(a), a); }

/* Shortest rotation from z to a unit axis; half a turn about x for -z. */
static inline brinkQuat fromZ(brinkVec3 axis) {
  if (axis.z < -1.0 + 1e-15) return (brinkQuat){0, 1, 0, 0};
  return unit((brinkQuat){1.0 + axis.z, -axis.y, axis.x, 0});
}

static inline double ownValue(const TestRobot *robot, size_t j, const double *q) {
  const brinkRobotJointDef *joint = &robot->joints[j];
  if (joint->mimic == BRINK_ROBOT_NONE) return q[robot->valueIndex[j]];
  return joint->multiplier * ownValue(robot, joint->mimic, q) + joint->offset;
}

static inline brinkPose ownJoint(const TestRobot *robot, size_t j, const double *q) {
  const brinkRobotJointDef *joint = &robot->joints[j];
  const double *own = q + robot->valueIndex[j];
  brinkPose moved = at(0, 0, 0);
  brinkVec3 axis = norm(joint->axis) > 0 ? unitVector(joint->axis) : vec(0, 0, 1);
  switch (joint->type) {
    case brink_robotRevolute:
    case brink_robotContinuous:
      moved.rotation = rotation(times(ownValue(robot, j, q), axis));
      break;
    case brink_robotPrismatic:
      moved.position = times(ownValue(robot, j, q), axis);
      break;
    case brink_robotScrew:
      moved.rotation = rotation(times(ownValue(robot, j, q), axis));
      moved.position = times(ownValue(robot, j, q) * joint->pitch / (2 * PI), axis);
      break;
    case brink_robotPlanar: {
      brinkQuat plane = fromZ(axis);
      moved.position = turn(plane, vec(own[0], own[1], 0));
      moved.rotation = rotation(times(own[2], axis));
      break;
    }
    case brink_robotFloating:
      moved.position = vec(own[0], own[1], own[2]);
      moved.rotation = unit((brinkQuat){own[3], own[4], own[5], own[6]});
      break;
    default:
      break;
  }
  brinkPose origin = joint->origin;
  origin.rotation = unit(origin.rotation);
  return chain(origin, moved);
}

static inline brinkPose ownPose(const TestRobot *robot, uint32_t link, const double *q) {
  for (size_t j = 0; j < robot->def.jointCount; ++j)
    if (robot->joints[j].child == link) return chain(ownPose(robot, robot->joints[j].parent, q), ownJoint(robot, j, q));
  return robot->def.base;
}

/* ---- random robots: a tree of `links` links, joints of every type in turn */

static inline brinkPose randomPose(Random *random, double size) {
  return (brinkPose){randomVector(random, size), rotation(randomVector(random, 2.0))};
}

static inline void makeRandomTree(Random *random, size_t links, bool floating, TestRobot *robot) {
  static const uint32_t types[] = {brink_robotRevolute, brink_robotPrismatic, brink_robotContinuous,
                                   brink_robotScrew,    brink_robotFixed,     brink_robotPlanar,
                                   brink_robotRevolute, brink_robotFloating};
  memset(robot, 0, sizeof *robot);
  for (uint32_t j = 0; j + 1 < links; ++j) {
    uint32_t type = types[nextBits(random) % (floating ? 8 : 7)];
    /* mostly a chain */
    uint32_t parent = nextBits(random) % 4 == 0 ? (uint32_t)(nextBits(random) % (j + 1)) : j;
    robot->joints[j] =
        robotJoint(type, parent, j + 1, randomPose(random, 0.4), times(3.0, unitVector(randomVector(random, 1.0))),
                   type == brink_robotPrismatic ? -0.5 : -4.0, type == brink_robotPrismatic ? 0.6 : 4.0);
    robot->joints[j].pitch = uniform(random, -0.3, 0.3);
    if (nextBits(random) % 5 == 0 && valuesOf(type) == 1) {
      for (uint32_t k = 0; k < j; ++k) {
        if (valuesOf(robot->joints[k].type) != 1) continue;
        robot->joints[j].mimic = k;
        robot->joints[j].multiplier = uniform(random, -1.0, 1.0);
        robot->joints[j].offset = uniform(random, -0.1, 0.1);
        if (type != brink_robotContinuous) { /* limits that never bind */
          robot->joints[j].lower[0] = -100;
          robot->joints[j].upper[0] = 100;
        }
      }
    }
  }
  finishRobot(robot, links, 0);
}

static inline void randomValues(Random *random, const TestRobot *robot, double part, double *q) {
  for (size_t j = 0; j < robot->def.jointCount; ++j) {
    const brinkRobotJointDef *joint = &robot->joints[j];
    if (joint->type != brink_robotFixed && joint->mimic != BRINK_ROBOT_NONE) continue;
    double *own = q + robot->valueIndex[j];
    for (uint32_t i = 0; i < valuesOf(joint->type); ++i)
      own[i] = part * uniform(random, joint->type == brink_robotPrismatic ? -0.5 : -3.0,
                              joint->type == brink_robotPrismatic ? 0.6 : 3.0);
    if (joint->type == brink_robotPlanar || joint->type == brink_robotFloating)
      for (int i = 0; i < 2; ++i) own[i] *= 0.2;
    if (joint->type == brink_robotFloating) {
      own[2] *= 0.2;
      own[3] += 2.0 * part;
    }
  }
}

/* ---- shapes of many kinds; a convex one when not any */

static inline brinkShapeId randomShape(brinkWorld *world, Random *random, double size, bool any) {
  brinkShapeDef def;
  double a = size * uniform(random, 0.3, 1.0), b = size * uniform(random, 0.3, 1.0),
         c = size * uniform(random, 0.3, 1.0);
  static const uint32_t tetrahedron[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  const double corners[12] = {0, 0, 0, 2 * a, 0, 0, 0, 2 * b, 0, 0, 0, 2 * c};
  switch (nextBits(random) % (any ? 7 : 6)) {
    case 0:
      return newShape(world, brink_sphere, vec(a, 0, 0));
    case 1:
      return newShape(world, brink_capsule, vec(0.5 * a, 0, b));
    case 2:
      return newShape(world, brink_cylinder, vec(a, 0, b));
    case 3:
      def = shapeDef(brink_hull, vec(0, 0, 0));
      def.mesh.vertices = corners;
      def.mesh.vertexCount = 4;
      def.margin = 0.1 * a;
      break;
    case 6:
      def = shapeDef(brink_mesh, vec(0, 0, 0));
      def.mesh.vertices = corners;
      def.mesh.vertexCount = 4;
      def.mesh.indices = tetrahedron;
      def.mesh.triangleCount = 4;
      def.mesh.flags = BRINK_MESH_SOLID;
      break;
    default:
      return newShape(world, brink_box, vec(a, b, c));
  }
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

/* ---- the referee */

typedef struct Referee {
  brinkWorld *world;
  brinkBodyId bodies[MOST_LINKS];
  brinkColliderId links[MOST_LINKS]; /* of shapes[] */
  brinkColliderId obstacles[16];
  size_t obstacleCount;
} Referee;

static inline void placeReferee(const Referee *referee, const TestRobot *robot, const double *q) {
  for (uint32_t i = 0; i < robot->def.linkCount; ++i) {
    brinkBodyMotion motion = posesMotion(ownPose(robot, i, q), at(0, 0, 0));
    motion.kind = brink_motionRest;
    ASSERT_OK(referee->world, api()->setBodyMotion(referee->world, referee->bodies[i], &motion));
  }
}

static inline bool refereeTests(const TestRobot *robot, size_t a, size_t b) { /* shapes */
  uint32_t linkA = robot->shapes[a].link, linkB = robot->shapes[b].link;
  if (linkA == linkB) return false;
  for (size_t j = 0; j < robot->def.jointCount; ++j)
    if ((robot->joints[j].parent == linkA && robot->joints[j].child == linkB) ||
        (robot->joints[j].parent == linkB && robot->joints[j].child == linkA))
      return false;
  for (uint32_t side = 0; side < 2; ++side) { /* fixed to each other through others */
    uint32_t x = side == 0 ? linkA : linkB;
    for (bool up = true; up;) {
      up = false;
      for (size_t j = 0; j < robot->def.jointCount; ++j)
        if (robot->joints[j].child == x && robot->joints[j].type == brink_robotFixed) {
          x = robot->joints[j].parent;
          up = true;
          break;
        }
    }
    *(side == 0 ? &linkA : &linkB) = x;
  }
  return linkA != linkB;
}

/* Does the link stand still whatever the values? */
static inline bool isRooted(const TestRobot *robot, uint32_t link) {
  for (size_t j = 0; j < robot->def.jointCount; ++j)
    if (robot->joints[j].child == link)
      return robot->joints[j].type == brink_robotFixed && isRooted(robot, robot->joints[j].parent);
  return true;
}

/* The smallest distance of all pairs that count, m; <= 0: contact. */
static inline double refereeDistance(const Referee *referee, const TestRobot *robot, const double *q, bool self) {
  double least = INFINITY;
  brinkContact contact;
  placeReferee(referee, robot, q);
  for (size_t s = 0; s < robot->def.shapeCount; ++s) {
    for (size_t o = 0; o < referee->obstacleCount && !isRooted(robot, robot->shapes[s].link); ++o) {
      ASSERT_OK(referee->world,
                api()->distance(referee->world, referee->links[s], referee->obstacles[o], 0.0, &contact));
      least = fmin(least, contact.distance);
    }
    for (size_t r = s + 1; self && r < robot->def.shapeCount; ++r) {
      if (!refereeTests(robot, s, r)) continue;
      ASSERT_OK(referee->world, api()->distance(referee->world, referee->links[s], referee->links[r], 0.0, &contact));
      least = fmin(least, contact.distance);
    }
  }
  return least;
}

/* First line of a case about an arm in the plane: its world, its definition, the robot and a view of it. */
#define PLANAR_ARM(joints)                    \
  brinkWorld *world = newWorld(NULL);         \
  TestRobot test;                             \
  makePlanarArm(world, joints, &test);        \
  brinkRobot *robot = newRobot(world, &test); \
  brinkRobotView *view = newView(world, robot)

#endif
