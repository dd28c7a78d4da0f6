/* SPDX-License-Identifier: BSD-3-Clause */
/* What is the robot made of? Checks a definition, sorts its links parents first, resolves mimic joints, and lays out
 * which links share a motion link. Nothing is built before everything is checked. Units: m, rad. */
#include "robot.h"

#include <stdio.h>

#define PI 3.14159265358979323846
#define MOST_LINKS 4096u /* the table of allowed pairs is their square */

/* ---- names for messages, before there is a robot, behind the words link and joint */

static const char *linkText(const brinkRobotDef *def, uint32_t link, char room[48]) {
  if (def->links[link].name != NULL) return def->links[link].name;
  snprintf(room, 48, "%u", link);
  return room;
}

static const char *jointText(const brinkRobotDef *def, uint32_t joint, char room[48]) {
  if (def->joints[joint].name != NULL) return def->joints[joint].name;
  snprintf(room, 48, "%u", joint);
  return room;
}

/* ---- checks */

static bool needsAxis(uint32_t type) { return type != brink_robotFixed && type != brink_robotFloating; }
static uint32_t valuesOf(uint32_t type) {
  switch (type) {
    case brink_robotFixed:
      return 0;
    case brink_robotPlanar:
      return 3;
    case brink_robotFloating:
      return 7;
    default:
      return 1;
  }
}
static uint32_t limitsOf(uint32_t type) { return BRINK_MIN(valuesOf(type), 3u); }

static brinkStatus checkJointValues(brinkContext *context, const brinkRobotDef *def, uint32_t index) {
  const brinkRobotJointDef *joint = &def->joints[index];
  char room[48];
  const char *name = jointText(def, index, room);
  brinkPose origin;
  char argument[80];
  snprintf(argument, sizeof argument, "origin of joint %.50s", name);
  brinkStatus status = brinkCheckPose(context, &joint->origin, argument, &origin);
  if (status == brink_ok && needsAxis(joint->type)) {
    snprintf(argument, sizeof argument, "axis of joint %.50s", name);
    status = brinkCheckVec3(context, joint->axis, BRINK_MAX_LENGTH, argument);
    if (status == brink_ok && joint->axis.x == 0.0 && joint->axis.y == 0.0 && joint->axis.z == 0.0)
      status = brinkFail(context, brink_errorBadValue, "joint %s: its axis is zero, it needs a direction", name);
  }
  if (status != brink_ok) return status;
  if (joint->type == brink_robotScrew && !(fabs(joint->pitch) <= BRINK_MAX_LENGTH))
    return brinkFail(context, brink_errorBadValue, "joint %s: pitch is %g", name, joint->pitch);
  bool limited = (joint->flags & BRINK_ROBOT_JOINT_LIMITED) != 0;
  bool must =
      joint->type == brink_robotRevolute || joint->type == brink_robotPrismatic || joint->type == brink_robotScrew;
  if (must && !limited)
    return brinkFail(context, brink_errorBadValue, "joint %s: a joint of its type needs limits%s", name,
                     joint->type == brink_robotRevolute ? "; one without limits is a continuous joint" : "");
  if (joint->type == brink_robotContinuous && limited)
    return brinkFail(context, brink_errorBadValue, "joint %s: a continuous joint has no limits; make it revolute",
                     name);
  for (uint32_t i = 0; limited && i < limitsOf(joint->type); ++i)
    if (!(joint->lower[i] <= joint->upper[i]))
      return brinkFail(context, brink_errorBadValue, "joint %s: limits %g to %g are not in order", name,
                       joint->lower[i], joint->upper[i]);
  if (joint->mimic == BRINK_ROBOT_NONE) return brink_ok;
  if (joint->mimic >= def->jointCount)
    return brinkFail(context, brink_errorBadIndex, "joint %s: it follows joint %u of %zu", name, joint->mimic,
                     def->jointCount);
  if (joint->type != brink_robotFixed && valuesOf(joint->type) != 1)
    return brinkFail(context, brink_errorBadValue, "joint %s: a joint of %u values cannot follow another", name,
                     valuesOf(joint->type));
  if (!isfinite(joint->multiplier) || !isfinite(joint->offset))
    return brinkFail(context, brink_errorBadValue, "joint %s: multiplier %g and offset %g must be finite", name,
                     joint->multiplier, joint->offset);
  return brink_ok;
}

static brinkStatus checkJoint(brinkContext *context, const brinkRobotDef *def, uint32_t index) {
  const brinkRobotJointDef *joint = &def->joints[index];
  char room[48], roomParent[48];
  brinkStatus status = brinkCheckSize(context, joint->structSize, sizeof *joint, "def->joints[]");
  if (status == brink_ok) status = brinkCheckFlags(context, joint->flags, BRINK_ROBOT_JOINT_LIMITED, "joint->flags");
  if (status != brink_ok) return status;
  const char *name = jointText(def, index, room);
  if (joint->type > brink_robotFloating)
    return brinkFail(context, brink_errorBadValue, "joint %s: type %u is not a brinkRobotJointType", name, joint->type);
  if (joint->parent >= def->linkCount || joint->child >= def->linkCount)
    return brinkFail(context, brink_errorBadIndex, "joint %s joins links %u and %u of %zu", name, joint->parent,
                     joint->child, def->linkCount);
  if (joint->parent == joint->child)
    return brinkFail(context, brink_errorBadTree, "joint %s joins link %s to itself", name,
                     linkText(def, joint->child, roomParent));
  return checkJointValues(context, def, index);
}

/* What a joint that mimics follows in the end. */
static brinkStatus findSource(brinkContext *context, const brinkRobotDef *def, uint32_t index, RobotJoint *joint) {
  uint32_t at = index;
  joint->multiplier = 1.0;
  joint->offset = 0.0;
  for (size_t steps = 0; def->joints[at].type != brink_robotFixed && def->joints[at].mimic != BRINK_ROBOT_NONE;
       ++steps) {
    char room[48], roomTo[48];
    if (steps > def->jointCount)
      return brinkFail(context, brink_errorBadTree, "joint %s: the joints it follows follow each other in a circle",
                       jointText(def, index, room));
    /* value = m (m' x + o') + o */
    joint->offset += joint->multiplier * def->joints[at].offset;
    joint->multiplier *= def->joints[at].multiplier;
    at = def->joints[at].mimic;
    if (valuesOf(def->joints[at].type) != 1)
      return brinkFail(context, brink_errorBadValue, "joint %s follows joint %s, which has %u values, not 1",
                       jointText(def, index, room), jointText(def, at, roomTo), valuesOf(def->joints[at].type));
  }
  joint->source = at;
  return brink_ok;
}

/* robot->links[].joint, root, order. The joints must make one tree of all links. */
static brinkStatus growTree(brinkContext *context, const brinkRobotDef *def, brinkRobot *robot) {
  char room[48], room2[48], room3[48];
  for (uint32_t j = 0; j < def->jointCount; ++j) {
    RobotLink *child = &robot->links[def->joints[j].child];
    if (child->joint != BRINK_NONE)
      return brinkFail(context, brink_errorBadTree,
                       "link %s is the child of joints %s and %s: closed loops cannot be asked; cut one of the joints",
                       linkText(def, def->joints[j].child, room), jointText(def, child->joint, room2),
                       jointText(def, j, room3));
    child->joint = j;
  }
  robot->root = BRINK_NONE;
  for (uint32_t i = 0; i < def->linkCount; ++i) {
    if (robot->links[i].joint != BRINK_NONE) continue;
    if (robot->root != BRINK_NONE)
      return brinkFail(context, brink_errorBadTree,
                       "links %s and %s hang on no joint: a robot is one tree with one root (add a fixed joint)",
                       linkText(def, robot->root, room), linkText(def, i, room2));
    robot->root = i;
  }
  if (robot->root == BRINK_NONE)
    return brinkFail(context, brink_errorBadTree,
                     "every link is the child of a joint: link %s closes a circle, and there is no root",
                     linkText(def, 0, room));
  /* breadth first; what is not reached hangs on a circle of its own */
  size_t count = 0;
  robot->order[count++] = robot->root;
  for (size_t next = 0; next < count; ++next)
    for (uint32_t j = 0; j < def->jointCount; ++j)
      if (def->joints[j].parent == robot->order[next]) robot->order[count++] = def->joints[j].child;
  if (count == def->linkCount) return brink_ok;
  for (uint32_t i = 0; i < def->linkCount; ++i) {
    bool reached = false;
    for (size_t k = 0; k < count && !reached; ++k) reached = robot->order[k] == i;
    if (!reached)
      return brinkFail(context, brink_errorBadTree,
                       "link %s (child of joint %s) does not hang on the root %s: its joints make a circle",
                       linkText(def, i, room), jointText(def, robot->links[i].joint, room2),
                       linkText(def, robot->root, room3));
  }
  return brink_ok;
}

static brinkStatus checkDef(brinkWorld *world, const brinkRobotDef *def) {
  brinkContext *context = &world->context;
  if (def == NULL) return brinkRefuseNull(context, "def");
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, "def");
  if (status == brink_ok) status = brinkCheckFlags(context, def->flags, BRINK_ROBOT_TEST_ADJACENT, "def->flags");
  if (status != brink_ok) return status;
  if (def->linkCount == 0) return brinkFail(context, brink_errorEmpty, "def->linkCount is 0: a robot has links");
  if (def->linkCount > MOST_LINKS || def->jointCount > MOST_LINKS)
    return brinkFail(context, brink_errorRange, "def: %zu links and %zu joints, at most %u of each", def->linkCount,
                     def->jointCount, MOST_LINKS);
  if (def->links == NULL) return brinkRefuseNull(context, "def->links");
  if (def->joints == NULL && def->jointCount > 0) return brinkRefuseNull(context, "def->joints");
  if (def->shapes == NULL && def->shapeCount > 0) return brinkRefuseNull(context, "def->shapes");
  if (def->allowed == NULL && def->allowedCount > 0) return brinkRefuseNull(context, "def->allowed");
  for (size_t i = 0; i < def->linkCount; ++i) {
    status = brinkCheckSize(context, def->links[i].structSize, sizeof *def->links, "def->links[]");
    if (status == brink_ok) status = brinkCheckLength(context, def->links[i].padding, "def->links[].padding");
    if (status != brink_ok) return status;
  }
  for (uint32_t i = 0; i < def->jointCount; ++i) {
    status = checkJoint(context, def, i);
    if (status != brink_ok) return status;
  }
  for (size_t i = 0; i < def->allowedCount; ++i)
    if (def->allowed[i].a >= def->linkCount || def->allowed[i].b >= def->linkCount)
      return brinkFail(context, brink_errorBadIndex, "def->allowed[%zu] names links %u and %u of %zu", i,
                       def->allowed[i].a, def->allowed[i].b, def->linkCount);
  return brink_ok;
}

/* A shape that a link may carry. */
static brinkStatus checkShape(brinkWorld *world, brinkShapeId shape, brinkPose pose, const char *what,
                              RobotPart *part) {
  void *item;
  brinkPose checked;
  char argument[64];
  snprintf(argument, sizeof argument, "%s.shape", what);
  brinkStatus status = brinkWorld_Get(world, &world->shapes, shape, argument, &item);
  if (status != brink_ok) return status;
  snprintf(argument, sizeof argument, "%s.pose", what);
  status = brinkCheckPose(&world->context, &pose, argument, &checked);
  if (status != brink_ok) return status;
  for (uint32_t i = 0; i < brinkWorldShape_PartCount(item); ++i)
    if (brinkWorldShape_Part(world, item, i).shape->type == brink_plane)
      return brinkFail(&world->context, brink_errorBadValue, "%s.shape is a half-space: a link cannot carry one", what);
  part->shape = brinkTable_IndexOf(&world->shapes, item);
  part->place = brinkRigid_FromPose(checked);
  return brink_ok;
}

/* ---- making it */

static brinkStatus allocateArrays(brinkContext *context, const brinkRobotDef *def, brinkRobot *robot) {
  robot->linkCount = def->linkCount;
  robot->jointCount = def->jointCount;
  robot->namesSize = 1;
  for (size_t i = 0; i < def->linkCount; ++i)
    robot->namesSize += def->links[i].name != NULL ? strlen(def->links[i].name) + 1 : 48;
  for (size_t i = 0; i < def->jointCount; ++i)
    robot->namesSize += def->joints[i].name != NULL ? strlen(def->joints[i].name) + 1 : 48;
  robot->links = brinkAllocateZeroed(context, def->linkCount, sizeof *robot->links);
  robot->order = brinkAllocateZeroed(context, def->linkCount, sizeof *robot->order);
  robot->carriers = brinkAllocateZeroed(context, def->linkCount, sizeof *robot->carriers);
  robot->carried = brinkAllocateZeroed(context, def->linkCount, sizeof *robot->carried);
  robot->allowed = brinkAllocateZeroed(context, def->linkCount * def->linkCount, 1);
  robot->names = brinkAllocateZeroed(context, robot->namesSize, 1);
  bool good = robot->links != NULL && robot->order != NULL && robot->carriers != NULL && robot->carried != NULL &&
              robot->allowed != NULL && robot->names != NULL;
  if (def->jointCount > 0) {
    robot->joints = brinkAllocateZeroed(context, def->jointCount, sizeof *robot->joints);
    good = good && robot->joints != NULL;
  }
  if (def->shapeCount > 0) {
    robot->parts = brinkAllocateZeroed(context, def->shapeCount, sizeof *robot->parts);
    good = good && robot->parts != NULL;
    if (robot->parts != NULL) robot->partCapacity = def->shapeCount;
  }
  return good ? brink_ok : brinkFail(context, brink_errorNoMemory, "robot: no memory for %zu links", def->linkCount);
}

static const char *copyName(brinkRobot *robot, size_t *used, const char *name, const char *kind, size_t index) {
  char *to = robot->names + *used;
  if (name != NULL)
    memcpy(to, name, strlen(name) + 1);
  else
    snprintf(to, 48, "%s %zu", kind, index);
  *used += strlen(to) + 1;
  return to;
}

/* The axes x, y that the shortest rotation from z to the axis makes of x and y; the axis. */
static brinkMat3 planeAcross(brinkVec3 axis) {
  brinkMat3 plane = brinkIdentity3();
  brinkVec3 turn = brinkCross(brinkV3(0, 0, 1), axis);
  double s = brinkLength(turn);
  if (s > 0.0) {
    plane = brinkExp3(brinkScale(turn, atan2(s, axis.z) / s));
  } else if (axis.z < 0.0) {
    plane = brinkExp3(brinkV3(PI, 0, 0)); /* any half turn across z would do: about x */
  }
  plane.m[0][2] = axis.x;
  plane.m[1][2] = axis.y;
  plane.m[2][2] = axis.z;
  return plane;
}

static void takeJoint(const brinkRobotJointDef *def, RobotJoint *joint) {
  joint->type = def->type;
  joint->parent = def->parent;
  joint->child = def->child;
  joint->mimic = def->type == brink_robotFixed ? BRINK_ROBOT_NONE : def->mimic;
  joint->limited = def->type != brink_robotFixed && (def->flags & BRINK_ROBOT_JOINT_LIMITED) != 0;
  brinkPose origin = def->origin;
  brinkNormalizeQuat(&origin.rotation);
  joint->origin = brinkRigid_FromPose(origin);
  joint->axis = brinkNormalizeOr(def->axis, brinkV3(0, 0, 1));
  joint->plane = planeAcross(joint->axis);
  joint->pitch = def->type == brink_robotScrew ? def->pitch / (2.0 * PI) : 0.0;
  joint->stated = joint->stated || (joint->type == brink_robotPlanar && joint->limited); /* else beyond its limits */
  memcpy(joint->lower, def->lower, sizeof joint->lower);
  memcpy(joint->upper, def->upper, sizeof joint->upper);
}

static brinkStatus fillRobot(brinkWorld *world, const brinkRobotDef *def, brinkRobot *robot) {
  brinkContext *context = &world->context;
  brinkStatus status = allocateArrays(context, def, robot);
  if (status != brink_ok) return status;
  size_t used = 0;
  for (uint32_t i = 0; i < def->linkCount; ++i)
    robot->links[i] = (RobotLink){.name = copyName(robot, &used, def->links[i].name, "link", i),
                                  .padding = def->links[i].padding,
                                  .joint = BRINK_NONE};
  for (uint32_t i = 0; i < def->jointCount; ++i) {
    RobotJoint *joint = &robot->joints[i];
    takeJoint(&def->joints[i], joint);
    joint->name = copyName(robot, &used, def->joints[i].name, "joint", i);
    status = findSource(context, def, i, joint);
    if (status != brink_ok) return status;
    /* a turn less of the source leaves this one elsewhere than at the edge's end */
    const bool comesRound = joint->type == brink_robotContinuous && joint->multiplier == rint(joint->multiplier);
    if (joint->mimic != BRINK_ROBOT_NONE && !comesRound) robot->joints[joint->source].stated = true;
    joint->valueIndex = (uint32_t)robot->valueCount;
    joint->valueCount = joint->mimic == BRINK_ROBOT_NONE ? valuesOf(joint->type) : 0;
    robot->valueCount += joint->valueCount;
  }
  status = growTree(context, def, robot);
  if (status != brink_ok) return status;
  for (size_t i = 0; i < def->shapeCount; ++i) {
    char what[40];
    snprintf(what, sizeof what, "def->shapes[%zu]", i);
    if (def->shapes[i].link >= def->linkCount)
      return brinkFail(context, brink_errorBadIndex, "%s.link is %u of %zu", what, def->shapes[i].link, def->linkCount);
    status = checkShape(world, def->shapes[i].shape, def->shapes[i].pose, what, &robot->parts[i]);
    if (status != brink_ok) return status;
    robot->parts[i].link = def->shapes[i].link;
    robot->parts[i].object = BRINK_NONE;
  }
  for (size_t i = 0; i < def->allowedCount; ++i) {
    robot->allowed[def->allowed[i].a * def->linkCount + def->allowed[i].b] = 1;
    robot->allowed[def->allowed[i].b * def->linkCount + def->allowed[i].a] = 1;
  }
  brinkPose base = def->base;
  bool unset = base.position.x == 0.0 && base.position.y == 0.0 && base.position.z == 0.0 && base.rotation.w == 0.0 &&
               base.rotation.x == 0.0 && base.rotation.y == 0.0 && base.rotation.z == 0.0;
  if (unset) base.rotation.w = 1.0;
  status = brinkCheckPose(context, &base, "def->base", &base);
  robot->base = brinkRigid_FromPose(base);
  bool all = def->categoryBits == 0 && def->collideBits == 0;
  robot->category = all ? UINT64_MAX : def->categoryBits;
  robot->collide = all ? UINT64_MAX : def->collideBits;
  robot->testAdjacent = (def->flags & BRINK_ROBOT_TEST_ADJACENT) != 0;
  return status;
}

static void releaseRobot(brinkContext *context, brinkRobot *robot) {
  if (robot->links != NULL) brinkRelease(context, robot->links, robot->linkCount * sizeof *robot->links);
  if (robot->order != NULL) brinkRelease(context, robot->order, robot->linkCount * sizeof *robot->order);
  if (robot->carriers != NULL) brinkRelease(context, robot->carriers, robot->linkCount * sizeof *robot->carriers);
  if (robot->carried != NULL) brinkRelease(context, robot->carried, robot->linkCount * sizeof *robot->carried);
  if (robot->allowed != NULL) brinkRelease(context, robot->allowed, robot->linkCount * robot->linkCount);
  if (robot->names != NULL) brinkRelease(context, robot->names, robot->namesSize);
  if (robot->joints != NULL) brinkRelease(context, robot->joints, robot->jointCount * sizeof *robot->joints);
  if (robot->parts != NULL) brinkRelease(context, robot->parts, robot->partCapacity * sizeof *robot->parts);
  for (size_t i = 0; i < robot->objectCount; ++i)
    if (robot->objects[i].touching != NULL)
      brinkRelease(context, robot->objects[i].touching, robot->objects[i].touchingCount * sizeof(uint32_t));
  if (robot->objects != NULL) brinkRelease(context, robot->objects, robot->objectCapacity * sizeof *robot->objects);
  if (robot->allowedObstacles != NULL)
    brinkRelease(context, robot->allowedObstacles, robot->obstacleCapacity * sizeof *robot->allowedObstacles);
  if (robot->lanes != NULL) brinkRelease(context, robot->lanes, robot->laneCapacity * sizeof *robot->lanes);
  brinkRelease(context, robot, sizeof *robot);
}

static struct brinkRobots *robotsOf(brinkWorld *world) {
  if (world->robots != NULL) return world->robots;
  struct brinkRobots *robots = brinkAllocateZeroed(&world->context, 1, sizeof *robots);
  if (robots == NULL) return NULL;
  if (pthread_mutex_init(&robots->lock, NULL) != 0) {
    brinkRelease(&world->context, robots, sizeof *robots);
    return NULL;
  }
  world->robots = robots;
  return robots;
}

brinkStatus brinkRobot_Create(brinkWorld *world, const brinkRobotDef *def, brinkRobot **out) {
  brinkContext *context = &world->context;
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = checkDef(world, def);
  if (status != brink_ok) return status;
  struct brinkRobots *robots = robotsOf(world);
  brinkRobot *robot = robots != NULL ? brinkAllocateZeroed(context, 1, sizeof *robot) : NULL;
  if (robot == NULL) return brinkFail(context, brink_errorNoMemory, "robot: no memory");
  status = fillRobot(world, def, robot);
  if (status != brink_ok) {
    releaseRobot(context, robot);
    return status;
  }
  robot->world = world;
  robot->partCount = def->shapeCount;
  for (size_t i = 0; i < robot->partCount; ++i) ++brinkWorld_Shape(world, robot->parts[i].shape)->users;
  robot->next = robots->first;
  if (robots->first != NULL) robots->first->previous = robot;
  robots->first = robot;
  brinkRobot_LayOut(robot);
  *out = robot;
  return brink_ok;
}

void brinkRobot_Free(brinkRobot *robot) {
  brinkWorld *world = robot->world;
  while (robot->firstView != NULL) brinkRobotView_Free(robot->firstView);
  for (size_t i = 0; i < robot->partCount; ++i) brinkWorld_LeaveShape(world, robot->parts[i].shape);
  if (robot->next != NULL) robot->next->previous = robot->previous;
  if (robot->previous != NULL)
    robot->previous->next = robot->next;
  else
    world->robots->first = robot->next;
  releaseRobot(&world->context, robot);
}

void brinkRobots_Destroy(brinkWorld *world) {
  if (world->robots == NULL) return;
  while (world->robots->first != NULL) brinkRobot_Free(world->robots->first);
  pthread_mutex_destroy(&world->robots->lock);
  brinkRelease(&world->context, world->robots, sizeof *world->robots);
  world->robots = NULL;
}

/* ---- motion links */

/* Columns of E(q axis) = a a^T + cos q (1 - a a^T) + sin q hat(a), seen from the mount. */
static void prepareMount(RobotJoint *joint, const brinkRigid *parentPlace) {
  joint->mount = brinkCompose(parentPlace, &joint->origin);
  joint->mountedAxis = brinkMulMV(&joint->mount.r, joint->axis);
  const double a[3] = {joint->axis.x, joint->axis.y, joint->axis.z};
  brinkMat3 along, across, hat = brinkHat(joint->axis);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      along.m[i][j] = a[i] * a[j];
      across.m[i][j] = (i == j ? 1.0 : 0.0) - along.m[i][j];
    }
  joint->constant = brinkMulMM(&joint->mount.r, &along);
  joint->cosine = brinkMulMM(&joint->mount.r, &across);
  joint->sine = brinkMulMM(&joint->mount.r, &hat);
}

static int32_t addMotion(brinkRobot *robot, uint32_t carrier, uint32_t link) {
  robot->carriers[robot->motionCount] = carrier;
  robot->carried[robot->motionCount] = link;
  return (int32_t)robot->motionCount++;
}

/* A link that only a fixed joint hangs on its parent moves with it, unless their padding differs: a motion link has one
 * padding. */
void brinkRobot_LayOut(brinkRobot *robot) {
  robot->motionCount = 0;
  for (size_t i = 0; i < robot->linkCount; ++i) {
    uint32_t index = robot->order[i];
    RobotLink *link = &robot->links[index];
    link->group = index;
    link->place = brinkIdentityRigid();
    if (link->joint == BRINK_NONE) {
      link->motion = -1;
      if (link->padding > 0.0)
        link->motion = addMotion(robot, BRINK_NONE, index);
      else
        link->place = robot->base;
      continue;
    }
    RobotJoint *joint = &robot->joints[link->joint];
    const RobotLink *parent = &robot->links[joint->parent];
    joint->motionParent = parent->motion;
    prepareMount(joint, &parent->place);
    bool fixed = joint->type == brink_robotFixed;
    if (fixed) link->group = parent->group;
    if (fixed && parent->padding == link->padding) {
      link->motion = parent->motion;
      link->place = joint->mount;
    } else {
      link->motion = addMotion(robot, link->joint, index);
    }
    joint->motion = link->motion;
  }
  ++robot->revision;
}

bool brinkRobot_MayMeet(const brinkRobot *robot, uint32_t a, uint32_t b) {
  const RobotLink *linkA = &robot->links[a], *linkB = &robot->links[b];
  if (linkA->group == linkB->group || robot->allowed[a * robot->linkCount + b]) return false;
  if (robot->testAdjacent) return true;
  bool joined = (linkA->joint != BRINK_NONE && robot->joints[linkA->joint].parent == b) ||
                (linkB->joint != BRINK_NONE && robot->joints[linkB->joint].parent == a);
  return !joined;
}

uint32_t brinkRobot_FindAllowedObstacle(const brinkRobot *robot, uint32_t link, brinkColliderId obstacle) {
  for (size_t i = 0; i < robot->obstacleCount; ++i)
    if (robot->allowedObstacles[i].link == link && robot->allowedObstacles[i].obstacle == obstacle) return (uint32_t)i;
  return BRINK_NONE;
}

/* ---- held objects */

brinkStatus brinkRobot_Attach(brinkRobot *robot, const brinkRobotObjectDef *def, uint32_t *object) {
  brinkWorld *world = robot->world;
  brinkContext *context = &world->context;
  if (def == NULL) return brinkRefuseNull(context, "def");
  if (object == NULL) return brinkRefuseNull(context, "object");
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, "def");
  RobotPart part = {0};
  if (status == brink_ok) status = checkShape(world, def->shape, def->pose, "def", &part);
  if (status != brink_ok) return status;
  if (def->link >= robot->linkCount)
    return brinkFail(context, brink_errorBadIndex, "def->link is %u of %zu", def->link, robot->linkCount);
  if (def->touching == NULL && def->touchingCount > 0) return brinkRefuseNull(context, "def->touching");
  for (size_t i = 0; i < def->touchingCount; ++i)
    if (def->touching[i] >= robot->linkCount)
      return brinkFail(context, brink_errorBadIndex, "def->touching[%zu] is %u of %zu links", i, def->touching[i],
                       robot->linkCount);
  void *objects = robot->objects, *parts = robot->parts;
  uint32_t *touching = NULL;
  status = brinkReserve(context, &objects, &robot->objectCapacity, robot->objectCount + 1, sizeof *robot->objects);
  robot->objects = objects;
  if (status == brink_ok)
    status = brinkReserve(context, &parts, &robot->partCapacity, robot->partCount + 1, sizeof *robot->parts);
  robot->parts = parts;
  if (status == brink_ok && def->touchingCount > 0) {
    touching = brinkAllocate(context, def->touchingCount * sizeof *touching);
    if (touching == NULL) status = brink_errorNoMemory;
  }
  if (status != brink_ok) return brinkFail(context, status, "attach: no memory");
  if (touching != NULL) memcpy(touching, def->touching, def->touchingCount * sizeof *touching);
  size_t slot = 0;
  while (slot < robot->objectCount && robot->objects[slot].live) ++slot;
  if (slot == robot->objectCount) ++robot->objectCount;
  robot->objects[slot] = (RobotObject){true, def->link, touching, def->touchingCount};
  part.link = def->link;
  part.object = (uint32_t)slot;
  robot->parts[robot->partCount++] = part;
  ++brinkWorld_Shape(world, part.shape)->users;
  ++robot->revision;
  *object = (uint32_t)slot;
  return brink_ok;
}

brinkStatus brinkRobot_Detach(brinkRobot *robot, uint32_t object, const double *q, brinkPose *pose) {
  brinkContext *context = &robot->world->context;
  if (object >= robot->objectCount || !robot->objects[object].live)
    return brinkFail(context, brink_errorStale, "object %u is not held", object);
  if (pose != NULL && q == NULL) return brinkRefuseNull(context, "q");
  size_t at = 0;
  while (robot->parts[at].object != object) ++at;
  if (pose != NULL) {
    brinkStatus status = brinkRobot_CheckValues(robot, context, q, "q", false);
    brinkRigid *links = status == brink_ok ? brinkAllocate(context, robot->linkCount * sizeof *links) : NULL;
    if (status == brink_ok && links == NULL) status = brinkFail(context, brink_errorNoMemory, "detach: no memory");
    if (status != brink_ok) return status;
    brinkRobot_Poses(robot, q, links);
    brinkRigid place = brinkCompose(&links[robot->objects[object].link], &robot->parts[at].place);
    *pose = brinkPose_FromRigid(&place);
    brinkRelease(context, links, robot->linkCount * sizeof *links);
  }
  brinkWorld_LeaveShape(robot->world, robot->parts[at].shape);
  memmove(robot->parts + at, robot->parts + at + 1, (robot->partCount - at - 1) * sizeof *robot->parts);
  --robot->partCount;
  RobotObject *held = &robot->objects[object];
  if (held->touching != NULL) brinkRelease(context, held->touching, held->touchingCount * sizeof(uint32_t));
  *held = (RobotObject){0};
  ++robot->revision;
  return brink_ok;
}
