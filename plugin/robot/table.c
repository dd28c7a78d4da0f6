/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "brink.robot/1": every entry point checks its arguments, puts the float state aside and clears the last
 * message.
 */
#include "robot.h"

/* ---- the robot: entry points of its world */

static brinkStatus guardedCreate(brinkWorld *world, const brinkRobotDef *def, brinkRobot **out) {
  BRINK_GUARDED(world, brinkRobot_Create(world, def, out));
}

static brinkStatus destroyRobot(brinkRobot *robot) {
  brinkRobot_Free(robot);
  return brink_ok;
}
static brinkStatus guardedDestroy(brinkRobot *robot) {
  if (robot == NULL) return brink_ok;
  brinkWorld *world = robot->world; /* outlives it */
  BRINK_CHANGING(world, destroyRobot(robot));
}

static brinkStatus tellInfo(const brinkRobot *robot, brinkContext *context, brinkRobotInfo *out) {
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status != brink_ok) return status;
  size_t held = 0, own = 0;
  for (size_t i = 0; i < robot->objectCount; ++i) held += robot->objects[i].live;
  for (size_t i = 0; i < robot->partCount; ++i) own += robot->parts[i].object == BRINK_NONE;
  *out = (brinkRobotInfo){sizeof *out, robot->root, robot->linkCount, robot->jointCount, own, held, robot->valueCount};
  return brink_ok;
}
static brinkStatus guardedInfo(brinkRobot *robot, brinkRobotInfo *out) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_GUARDED(robot->world, tellInfo(robot, &robot->world->context, out));
}

static brinkStatus tellJoint(const brinkRobot *robot, brinkContext *context, uint32_t index, brinkRobotJointInfo *out) {
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status != brink_ok) return status;
  if (index >= robot->jointCount)
    return brinkFail(context, brink_errorBadIndex, "joint is %u of %zu", index, robot->jointCount);
  const RobotJoint *joint = &robot->joints[index];
  *out = (brinkRobotJointInfo){.structSize = sizeof *out,
                               .type = joint->type,
                               .parent = joint->parent,
                               .child = joint->child,
                               .mimic = joint->mimic,
                               .valueIndex = joint->valueIndex,
                               .valueCount = joint->valueCount,
                               .limited = joint->limited,
                               .name = joint->name};
  memcpy(out->lower, joint->lower, sizeof out->lower);
  memcpy(out->upper, joint->upper, sizeof out->upper);
  return brink_ok;
}
static brinkStatus guardedJoint(brinkRobot *robot, uint32_t joint, brinkRobotJointInfo *out) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_GUARDED(robot->world, tellJoint(robot, &robot->world->context, joint, out));
}

static brinkStatus checkLink(const brinkRobot *robot, uint32_t link, const char *what) {
  if (link < robot->linkCount) return brink_ok;
  return brinkFail(&robot->world->context, brink_errorBadIndex, "%s is %u of %zu links", what, link, robot->linkCount);
}

static brinkStatus tellName(const brinkRobot *robot, uint32_t link, const char **name) {
  if (name == NULL) return brinkRefuseNull(&robot->world->context, "name");
  brinkStatus status = checkLink(robot, link, "link");
  if (status == brink_ok) *name = robot->links[link].name;
  return status;
}
static brinkStatus guardedLinkName(brinkRobot *robot, uint32_t link, const char **name) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_GUARDED(robot->world, tellName(robot, link, name));
}

static brinkStatus setAllowed(brinkRobot *robot, uint32_t a, uint32_t b, int allowed) {
  brinkStatus status = checkLink(robot, a, "a");
  if (status == brink_ok) status = checkLink(robot, b, "b");
  if (status != brink_ok) return status;
  robot->allowed[a * robot->linkCount + b] = robot->allowed[b * robot->linkCount + a] = allowed != 0;
  ++robot->revision;
  return brink_ok;
}
static brinkStatus guardedSetAllowed(brinkRobot *robot, uint32_t a, uint32_t b, int allowed) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_CHANGING(robot->world, setAllowed(robot, a, b, allowed));
}

static brinkStatus setAllowedObstacle(brinkRobot *robot, uint32_t link, brinkColliderId obstacle, int allowed) {
  brinkWorld *world = robot->world;
  void *item;
  brinkStatus status = checkLink(robot, link, "link");
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, obstacle, "obstacle", &item);
  if (status != brink_ok) return status;
  uint32_t at = brinkRobot_FindAllowedObstacle(robot, link, obstacle);
  if (allowed == 0) {
    if (at != BRINK_NONE) robot->allowedObstacles[at] = robot->allowedObstacles[--robot->obstacleCount];
    return brink_ok;
  }
  if (at != BRINK_NONE) return brink_ok;
  void *block = robot->allowedObstacles;
  status = brinkReserve(&world->context, &block, &robot->obstacleCapacity, robot->obstacleCount + 1,
                        sizeof *robot->allowedObstacles);
  robot->allowedObstacles = block;
  if (status != brink_ok) return brinkFail(&world->context, status, "setAllowedObstacle: no memory");
  robot->allowedObstacles[robot->obstacleCount++] = (AllowedObstacle){link, obstacle};
  return brink_ok;
}
static brinkStatus guardedSetAllowedObstacle(brinkRobot *robot, uint32_t link, brinkColliderId obstacle, int allowed) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_CHANGING(robot->world, setAllowedObstacle(robot, link, obstacle, allowed));
}

static brinkStatus setPadding(brinkRobot *robot, uint32_t link, double padding) {
  brinkStatus status = checkLink(robot, link, "link");
  if (status == brink_ok) status = brinkCheckLength(&robot->world->context, padding, "padding");
  if (status != brink_ok) return status;
  robot->links[link].padding = padding;
  brinkRobot_LayOut(robot);
  return brink_ok;
}
static brinkStatus guardedSetPadding(brinkRobot *robot, uint32_t link, double padding) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_CHANGING(robot->world, setPadding(robot, link, padding));
}

static brinkStatus guardedAttach(brinkRobot *robot, const brinkRobotObjectDef *def, uint32_t *object) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_CHANGING(robot->world, brinkRobot_Attach(robot, def, object));
}
static brinkStatus guardedDetach(brinkRobot *robot, uint32_t object, const double *q, brinkPose *pose) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_CHANGING(robot->world, brinkRobot_Detach(robot, object, q, pose));
}

static brinkStatus checkLimits(brinkRobot *robot, const double *q) {
  if (q == NULL && robot->valueCount > 0) return brinkRefuseNull(&robot->world->context, "q");
  return brinkRobot_CheckValues(robot, &robot->world->context, q, "q", true);
}
static brinkStatus guardedCheckLimits(brinkRobot *robot, const double *q) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_GUARDED(robot->world, checkLimits(robot, q));
}

/* ---- what reads the robot alone: no message, any thread */

#define MOST_ON_STACK 64u

static brinkStatus guardedPoses(const brinkRobot *robot, const double *q, brinkPose *poses) {
  if (robot == NULL || poses == NULL || (q == NULL && robot->valueCount > 0)) return brink_errorNullArgument;
  brinkContext context = robot->world->context; /* messages of other threads are left alone */
  brinkStatus status = brinkRobot_CheckValues(robot, &context, q, "q", false);
  if (status != brink_ok) return status;
  brinkRigid few[MOST_ON_STACK], *links = few;
  size_t size = robot->linkCount * sizeof *links;
  if (robot->linkCount > MOST_ON_STACK) links = brinkAllocate(&context, size);
  if (links == NULL) return brink_errorNoMemory;
  brinkFloatState saved;
  brinkFloat_Enter(&saved);
  brinkRobot_Poses(robot, q, links);
  for (size_t i = 0; i < robot->linkCount; ++i) poses[i] = brinkPose_FromRigid(&links[i]);
  brinkFloat_Leave(&saved);
  if (links != few) brinkRelease(&context, links, size);
  return brink_ok;
}

static brinkStatus guardedBetween(const brinkRobot *robot, const double *q0, const double *q1, double t, uint32_t flags,
                                  double *q) {
  if (robot == NULL) return brink_errorNullArgument;
  if (robot->valueCount == 0) return brink_ok;
  if (q0 == NULL || q1 == NULL || q == NULL) return brink_errorNullArgument;
  if (!(t >= 0.0 && t <= 1.0)) return brink_errorBadTime;
  if ((flags & ~(uint32_t)BRINK_EDGE_SHORTER) != 0) return brink_errorBadValue;
  brinkContext context = robot->world->context;
  brinkStatus status = brinkRobot_CheckValues(robot, &context, q0, "q0", false);
  if (status == brink_ok) status = brinkRobot_CheckValues(robot, &context, q1, "q1", false);
  if (status != brink_ok) return status;
  brinkFloatState saved;
  brinkFloat_Enter(&saved);
  brinkRobot_Between(robot, q0, q1, t, (flags & BRINK_EDGE_SHORTER) != 0, q);
  brinkFloat_Leave(&saved);
  return brink_ok;
}

/* ---- views */

static brinkStatus createView(brinkRobot *robot, brinkRobotView **out) {
  if (out == NULL) return brinkRefuseNull(&robot->world->context, "out");
  return brinkRobotView_Create(robot, &robot->world->context, out);
}
static brinkStatus guardedCreateView(brinkRobot *robot, brinkRobotView **out) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_GUARDED(robot->world, createView(robot, out));
}

static brinkStatus destroyView(brinkRobotView *view) {
  brinkRobotView_Free(view);
  return brink_ok;
}
static brinkStatus guardedDestroyView(brinkRobotView *view) {
  if (view == NULL) return brink_ok;
  if (view->asking) return brink_errorBusy;
  brinkWorld *world = view->robot->world;
  BRINK_GUARDED(world, destroyView(view));
}

static const char *guardedViewError(const brinkRobotView *view) {
  if (view == NULL) return "view is NULL: create one with createView";
  if (view->asking) return "the view is at a question: return from its callback first, and ask one at a time";
  return view->context.message;
}

#define VIEW_GUARDED(view, call)                                                  \
  do {                                                                            \
    if ((view) == NULL) return brink_errorNullArgument;                           \
    if ((view)->asking) return brink_errorBusy;                                   \
    (view)->asking = true;                                                        \
    atomic_fetch_add(&(view)->robot->world->viewsAsking, 1u);                     \
    brinkFloatState savedFloat;                                                   \
    brinkFloat_Enter(&savedFloat);                                                \
    (view)->context.message[0] = '\0';                                            \
    brinkStatus viewStatus = (call);                                              \
    if (viewStatus != brink_ok && (view)->context.message[0] == '\0')             \
      brinkFail(&(view)->context, viewStatus, "%s", brinkStatusText(viewStatus)); \
    brinkFloat_Leave(&savedFloat);                                                \
    atomic_fetch_sub(&(view)->robot->world->viewsAsking, 1u);                     \
    (view)->asking = false;                                                       \
    return viewStatus;                                                            \
  } while (0)

static brinkStatus guardedEdge(brinkRobotView *view, const double *q0, const double *q1, const brinkEdgeQuery *query,
                               brinkEdgeAnswer *answer) {
  VIEW_GUARDED(view, brinkRobotView_Edge(view, q0, q1, query, answer));
}
static brinkStatus guardedConfiguration(brinkRobotView *view, const double *q, const brinkEdgeQuery *query,
                                        brinkEdgeAnswer *answer) {
  VIEW_GUARDED(view, brinkRobotView_Configuration(view, q, query, answer));
}
static brinkStatus guardedPolyline(brinkRobotView *view, const double *points, size_t count,
                                   const brinkEdgeQuery *query, brinkEdgeAnswer *answer) {
  VIEW_GUARDED(view, brinkRobotView_Polyline(view, points, count, query, answer));
}
static brinkStatus guardedSpline(brinkRobotView *view, const double *points, const double *slopes, size_t count,
                                 const brinkEdgeQuery *query, brinkEdgeAnswer *answer) {
  VIEW_GUARDED(view, brinkRobotView_Spline(view, points, slopes, count, query, answer));
}
static brinkStatus guardedClearance(brinkRobotView *view, const double *q0, const double *q1, uint32_t flags,
                                    double tolerance, brinkRobotClearance *out) {
  VIEW_GUARDED(view, brinkRobotView_Clearance(view, q0, q1, flags, tolerance, out));
}

/* ---- batches, point clouds */

static brinkStatus guardedEdges(brinkRobot *robot, const double *q0, const double *q1, size_t count,
                                const brinkEdgeQuery *query, uint32_t threads, brinkEdgeResult *results) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_GUARDED(robot->world, brinkRobot_Edges(robot, q0, q1, count, query, threads, results));
}

/* A mesh whose triangles are single points, with the radius as its margin: one tree of boxes over them all. The entry
 * points of the world check and make it; the shape goes with the world. */
static brinkStatus guardedCreatePointCloud(brinkWorld *world, const double *points, size_t count, double radius,
                                           brinkColliderId *out) {
  if (world == NULL) return brink_errorNullArgument;
  if (out == NULL || points == NULL) return brinkRefuseNull(&world->context, out == NULL ? "out" : "points");
  if (count == 0 || count > INT32_MAX)
    return brinkFail(&world->context, count == 0 ? brink_errorEmpty : brink_errorRange,
                     "count is %zu: a cloud has 1 to %d points", count, INT32_MAX);
  brinkContext context = world->context;
  uint32_t *indices = brinkAllocate(&context, 3 * count * sizeof *indices);
  if (indices == NULL)
    return brinkFail(&world->context, brink_errorNoMemory, "createPointCloud: no memory for %zu points", count);
  for (size_t i = 0; i < count; ++i) indices[3 * i] = indices[3 * i + 1] = indices[3 * i + 2] = (uint32_t)i;
  const brinkShapeDef shapeDef = {.structSize = sizeof shapeDef,
                                  .type = brink_mesh,
                                  .margin = radius,
                                  .mesh = {.structSize = sizeof(brinkMeshView),
                                           .vertices = points,
                                           .vertexCount = count,
                                           .indices = indices,
                                           .triangleCount = count}};
  brinkColliderDef colliderDef = {.structSize = sizeof colliderDef,
                                  .pose = {{0, 0, 0}, {1, 0, 0, 0}},
                                  .categoryBits = UINT64_MAX,
                                  .collideBits = UINT64_MAX};
  brinkStatus status = brinkWorld_CreateShape(world, &shapeDef, &colliderDef.shape);
  brinkRelease(&context, indices, 3 * count * sizeof *indices);
  if (status != brink_ok) return status;
  status = brinkWorld_CreateCollider(world, &colliderDef, out);
  brinkWorldShape *shape = brinkWorld_Find(world, &world->shapes, colliderDef.shape);
  shape->hasNoHandle = true;
  if (status != brink_ok) brinkWorld_RemoveShape(world, shape);
  return status;
}

static brinkStatus tellTests(const brinkRobot *robot, uint32_t a, uint32_t b, int *tested) {
  if (tested == NULL) return brinkRefuseNull(&robot->world->context, "tested");
  brinkStatus status = checkLink(robot, a, "a");
  if (status == brink_ok && b != BRINK_ROBOT_NONE) status = checkLink(robot, b, "b");
  if (status != brink_ok) return status;
  *tested = b == BRINK_ROBOT_NONE ? robot->links[a].group != robot->links[robot->root].group
                                  : brinkRobot_MayMeet(robot, a, b);
  return brink_ok;
}
static brinkStatus guardedTests(brinkRobot *robot, uint32_t a, uint32_t b, int *tested) {
  if (robot == NULL) return brink_errorNullArgument;
  BRINK_GUARDED(robot->world, tellTests(robot, a, b, tested));
}

const void *brinkRobot_Table(void) {
  static const brinkRobotTable table = {.structSize = sizeof table,
                                        .create = guardedCreate,
                                        .destroy = guardedDestroy,
                                        .info = guardedInfo,
                                        .joint = guardedJoint,
                                        .linkName = guardedLinkName,
                                        .setAllowed = guardedSetAllowed,
                                        .setAllowedObstacle = guardedSetAllowedObstacle,
                                        .setPadding = guardedSetPadding,
                                        .attach = guardedAttach,
                                        .detach = guardedDetach,
                                        .poses = guardedPoses,
                                        .between = guardedBetween,
                                        .checkLimits = guardedCheckLimits,
                                        .createView = guardedCreateView,
                                        .destroyView = guardedDestroyView,
                                        .viewError = guardedViewError,
                                        .edge = guardedEdge,
                                        .configuration = guardedConfiguration,
                                        .polyline = guardedPolyline,
                                        .spline = guardedSpline,
                                        .clearance = guardedClearance,
                                        .edges = guardedEdges,
                                        .createPointCloud = guardedCreatePointCloud,
                                        .tests = guardedTests};
  return &table;
}
