/* SPDX-License-Identifier: BSD-3-Clause */
/* Certificates for a plan: the robot once more as bodies of a world, each link's motion stated in its parent's frame
 * (brink_motionVelocities), and each tested pair certified by brink.tolerance/1. Units: m, rad; t in [0,1] along an
 * edge.
 */
#include "brink/robot_certify.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Plan {
  const brinkPlugin *plugin;
  const brinkRobotTable *robots;
  const brinkToleranceTable *tolerance;
  const brinkUrdf *urdf;
  const brinkRobotScene *scene;
  brinkWorld *world;
  brinkRobot *robot;
  brinkBodyId *bodies;        /* [linkCount] */
  brinkColliderId *links;     /* [shapeCount] */
  brinkColliderId *obstacles; /* [obstacleCount] */
  brinkShapeId *shapes;       /* [obstacleCount] */
  brinkPose *poses;           /* [2][linkCount] */
  size_t valueCount;
  char *message;
  size_t messageCapacity;
} Plan;

static brinkStatus say(const Plan *plan, brinkStatus status, const char *text) {
  if (plan->message != NULL && plan->messageCapacity > 0) snprintf(plan->message, plan->messageCapacity, "%s", text);
  return status;
}
static brinkStatus sayWorld(const Plan *plan, brinkStatus status) {
  return status == brink_ok ? status : say(plan, status, plan->plugin->lastError(plan->world));
}

/* ---- small vectors */

static brinkVec3 turned(brinkQuat q, brinkVec3 v) {
  brinkVec3 c = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
  return (brinkVec3){v.x + q.w * c.x + q.y * c.z - q.z * c.y, v.y + q.w * c.y + q.z * c.x - q.x * c.z,
                     v.z + q.w * c.z + q.x * c.y - q.y * c.x};
}
static brinkQuat conjugate(brinkQuat q) { return (brinkQuat){q.w, -q.x, -q.y, -q.z}; }
static brinkQuat product(brinkQuat a, brinkQuat b) {
  return (brinkQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x};
}
/* b seen from a */
static brinkPose seenFrom(brinkPose a, brinkPose b) {
  const brinkQuat back = conjugate(a.rotation);
  const brinkVec3 way = {b.position.x - a.position.x, b.position.y - a.position.y, b.position.z - a.position.z};
  return (brinkPose){turned(back, way), product(back, b.rotation)};
}
static brinkVec3 scaled(double s, brinkVec3 v) { return (brinkVec3){s * v.x, s * v.y, s * v.z}; }
static brinkVec3 unitOf(brinkVec3 v) {
  double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
  v = scaled(1.0 / largest, v);
  return scaled(1.0 / sqrt(v.x * v.x + v.y * v.y + v.z * v.z), v);
}

/* ---- the robot as bodies */

static uint32_t jointAbove(const brinkUrdf *urdf, uint32_t link) {
  for (uint32_t j = 0; j < urdf->jointCount; ++j)
    if (urdf->joints[j].child == link) return j;
  return BRINK_ROBOT_NONE;
}

static brinkStatus makeBody(Plan *plan, uint32_t link) {
  if (plan->bodies[link] != 0) return brink_ok;
  uint32_t joint = jointAbove(plan->urdf, link);
  brinkBodyDef def = {.structSize = sizeof def, .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
  if (joint != BRINK_ROBOT_NONE) {
    brinkStatus status = makeBody(plan, plan->urdf->joints[joint].parent);
    if (status != brink_ok) return status;
    def.parent = plan->bodies[plan->urdf->joints[joint].parent];
  }
  return sayWorld(plan, plan->plugin->createBody(plan->world, &def, &plan->bodies[link]));
}

static brinkStatus makeBodies(Plan *plan) {
  brinkStatus status = brink_ok;
  for (uint32_t i = 0; status == brink_ok && i < plan->urdf->linkCount; ++i) status = makeBody(plan, i);
  return status;
}

/* The change of a joint's value over the edge, its source's by way of the robot: how far the child turns or slides is
 * read off where it stands at both ends only to check; the way is the values'. */
static double changeOf(const Plan *plan, uint32_t joint, const double *q0, const double *q1) {
  const brinkRobotJointDef *def = &plan->urdf->joints[joint];
  if (def->mimic != BRINK_ROBOT_NONE) return def->multiplier * changeOf(plan, def->mimic, q0, q1);
  brinkRobotJointInfo info = {.structSize = sizeof info};
  plan->robots->joint(plan->robot, joint, &info);
  return q1[info.valueIndex] - q0[info.valueIndex];
}

static brinkStatus setMotion(const Plan *plan, uint32_t link, const double *q0, const double *q1) {
  uint32_t joint = jointAbove(plan->urdf, link);
  const size_t count = plan->urdf->linkCount;
  brinkBodyMotion motion = {.structSize = sizeof motion, .kind = brink_motionRest, .pose0 = plan->poses[link]};
  if (joint != BRINK_ROBOT_NONE) {
    const brinkRobotJointDef *def = &plan->urdf->joints[joint];
    motion.pose0 = seenFrom(plan->poses[def->parent], plan->poses[link]);
    const brinkPose end = seenFrom(plan->poses[count + def->parent], plan->poses[count + link]);
    const brinkVec3 axis = def->type == brink_robotFixed || def->type == brink_robotFloating
                               ? (brinkVec3){0, 0, 0}
                               : turned(def->origin.rotation, unitOf(def->axis));
    const brinkVec3 way = {end.position.x - motion.pose0.position.x, end.position.y - motion.pose0.position.y,
                           end.position.z - motion.pose0.position.z};
    if (def->type != brink_robotFixed) motion.kind = brink_motionVelocities;
    switch (def->type) {
      case brink_robotRevolute:
      case brink_robotContinuous:
        motion.spin = scaled(changeOf(plan, joint, q0, q1), axis);
        break;
      case brink_robotPrismatic:
        motion.velocity = scaled(changeOf(plan, joint, q0, q1), axis);
        break;
      case brink_robotScrew:
        motion.spin = scaled(changeOf(plan, joint, q0, q1), axis);
        motion.velocity = scaled(def->pitch / 6.28318530717958648, motion.spin);
        break;
      case brink_robotPlanar: {
        brinkRobotJointInfo info = {.structSize = sizeof info};
        plan->robots->joint(plan->robot, joint, &info);
        motion.velocity = way;
        motion.spin = scaled(q1[info.valueIndex + 2] - q0[info.valueIndex + 2], axis);
        break;
      }
      case brink_robotFloating: {
        brinkQuat d = product(end.rotation, conjugate(motion.pose0.rotation));
        if (d.w < 0.0) d = (brinkQuat){-d.w, -d.x, -d.y, -d.z};
        double s = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
        motion.velocity = way;
        if (s > 0.0) motion.spin = scaled(2.0 * atan2(s, d.w) / s, (brinkVec3){d.x, d.y, d.z});
        break;
      }
      default:
        break;
    }
  }
  return sayWorld(plan, plan->plugin->setBodyMotion(plan->world, plan->bodies[link], &motion));
}

static brinkStatus setMotions(const Plan *plan, const double *q0, const double *q1) {
  brinkStatus status = plan->robots->poses(plan->robot, q0, plan->poses);
  if (status == brink_ok) status = plan->robots->poses(plan->robot, q1, plan->poses + plan->urdf->linkCount);
  if (status != brink_ok) return say(plan, status, "a configuration is not one of numbers in range");
  for (uint32_t i = 0; status == brink_ok && i < plan->urdf->linkCount; ++i) status = setMotion(plan, i, q0, q1);
  return status;
}

/* Shapes of the robot as colliders on its bodies: those that brinkMakeRobot made, in its order. */
static brinkStatus makeColliders(Plan *plan) {
  for (size_t i = 0; i < plan->urdf->shapeCount; ++i) {
    const brinkUrdfShape *shape = &plan->urdf->shapes[i];
    const brinkColliderDef def = {.structSize = sizeof def,
                                  .body = plan->bodies[shape->link],
                                  .shape = plan->links[i],
                                  .pose = shape->pose,
                                  .categoryBits = 1,
                                  .collideBits = 1};
    brinkStatus status = plan->plugin->createCollider(plan->world, &def, &plan->links[i]);
    if (status != brink_ok) return sayWorld(plan, status);
  }
  return brink_ok;
}

/* ---- pairs */

static bool certifyPair(Plan *plan, const brinkToleranceQuery *query, brinkPlanPair *pair, brinkColliderId a,
                        brinkColliderId b, brinkPlanListener listener, void *user, brinkPlanSummary *summary,
                        brinkStatus *status) {
  const brinkUrdf *urdf = plan->urdf;
  brinkToleranceAnswer answer = {.structSize = sizeof answer};
  brinkToleranceQuery padded = *query; /* both links keep theirs free */
  padded.clearance += urdf->links[urdf->shapes[pair->shapeA].link].padding;
  if (pair->shapeB != BRINK_ROBOT_NONE) padded.clearance += urdf->links[urdf->shapes[pair->shapeB].link].padding;
  *status = sayWorld(plan, plan->tolerance->certifyColliders(plan->world, a, b, &padded, &answer));
  if (*status != brink_ok) return false;
  ++summary->pairs;
  summary->proven += answer.state == brink_certified;
  summary->listed += answer.state == brink_certifiedListed;
  summary->spent += answer.state == brink_certifiedSpent;
  summary->bytes += answer.certificateSize;
  pair->answer = &answer;
  return listener == NULL || listener(user, pair) != 0;
}

static brinkStatus certifyEdge(Plan *plan, size_t edge, int self, const brinkToleranceQuery *query,
                               brinkPlanListener listener, void *user, brinkPlanSummary *summary, bool *goOn) {
  brinkStatus status = brink_ok;
  *goOn = true;
  const brinkUrdf *urdf = plan->urdf;
  for (uint32_t a = 0; *goOn && a < urdf->shapeCount; ++a) {
    int tested = 0;
    status = plan->robots->tests(plan->robot, urdf->shapes[a].link, BRINK_ROBOT_NONE, &tested);
    for (size_t o = 0; status == brink_ok && *goOn && tested && plan->scene != NULL && o < plan->scene->obstacleCount;
         ++o) {
      brinkPlanPair pair = {.edge = edge, .shapeA = a, .shapeB = BRINK_ROBOT_NONE, .obstacle = o};
      *goOn = certifyPair(plan, query, &pair, plan->links[a], plan->obstacles[o], listener, user, summary, &status);
    }
    for (uint32_t b = a + 1; status == brink_ok && *goOn && self && b < urdf->shapeCount; ++b) {
      status = plan->robots->tests(plan->robot, urdf->shapes[a].link, urdf->shapes[b].link, &tested);
      if (status != brink_ok || !tested) continue;
      brinkPlanPair pair = {.edge = edge, .shapeA = a, .shapeB = b};
      *goOn = certifyPair(plan, query, &pair, plan->links[a], plan->links[b], listener, user, summary, &status);
    }
    if (status != brink_ok) return status;
  }
  return status;
}

/* ---- the whole */

static brinkStatus prepare(Plan *plan, const brinkPose *base) {
  const brinkUrdf *urdf = plan->urdf;
  const size_t obstacles = plan->scene != NULL ? plan->scene->obstacleCount : 0;
  plan->bodies = calloc(urdf->linkCount + 1, sizeof *plan->bodies);
  plan->links = calloc(urdf->shapeCount + 1, sizeof *plan->links);
  plan->obstacles = calloc(obstacles + 1, sizeof *plan->obstacles);
  plan->shapes = calloc(obstacles + 1, sizeof *plan->shapes);
  plan->poses = calloc(2 * urdf->linkCount + 1, sizeof *plan->poses);
  if (plan->bodies == NULL || plan->links == NULL || plan->obstacles == NULL || plan->shapes == NULL ||
      plan->poses == NULL)
    return say(plan, brink_errorNoMemory, "out of memory");
  brinkStatus status = plan->plugin->createWorld(NULL, NULL, &plan->world);
  if (status != brink_ok) return say(plan, status, plan->plugin->statusText(status));
  status = brinkMakeRobot(plan->world, urdf, base, &plan->robot, plan->message, plan->messageCapacity);
  /* its shapes, one for each of the description's */
  if (status == brink_ok)
    status = brinkMakeRobotShapes(plan->world, urdf, plan->links, plan->message, plan->messageCapacity);
  brinkRobotInfo info = {.structSize = sizeof info};
  if (status == brink_ok) status = sayWorld(plan, plan->robots->info(plan->robot, &info));
  plan->valueCount = info.valueCount;
  if (status == brink_ok) status = makeBodies(plan);
  if (status == brink_ok) status = makeColliders(plan);
  if (status == brink_ok && plan->scene != NULL)
    status = brinkAddRobotScene(plan->world, plan->scene, plan->obstacles, plan->shapes, plan->message,
                                plan->messageCapacity);
  return status;
}

brinkStatus brinkCertifyPlan(const brinkUrdf *urdf, const brinkPose *base, const brinkRobotScene *scene,
                             const double *points, size_t count, int self, const brinkToleranceQuery *given,
                             brinkPlanListener listener, void *user, brinkPlanSummary *summary, char *message,
                             size_t messageCapacity) {
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
  Plan plan = {.plugin = plugin,
               .robots = plugin->getExtension(BRINK_ROBOT_NAME),
               .tolerance = plugin->getExtension(BRINK_TOLERANCE_NAME),
               .urdf = urdf,
               .scene = scene,
               .message = message,
               .messageCapacity = messageCapacity};
  if (urdf == NULL || points == NULL || summary == NULL)
    return say(&plan, brink_errorNullArgument, "urdf, points and summary must be given");
  if (plan.robots == NULL || plan.tolerance == NULL)
    return say(&plan, brink_errorVersion, "the Brink library has no " BRINK_ROBOT_NAME " or " BRINK_TOLERANCE_NAME);
  brinkToleranceQuery query = {.structSize = sizeof query, .tEnd = 1.0};
  if (given != NULL) query = *given;
  *summary = (brinkPlanSummary){0, 0, 0, 0, 0};
  brinkStatus status = prepare(&plan, base);
  bool goOn = true;
  for (size_t i = 0; status == brink_ok && goOn && i + 1 < count; ++i) {
    const double *q0 = points + i * plan.valueCount;
    status = setMotions(&plan, q0, q0 + plan.valueCount);
    if (status == brink_ok) status = certifyEdge(&plan, i, self, &query, listener, user, summary, &goOn);
  }
  if (plan.world != NULL) plugin->destroyWorld(plan.world);
  free(plan.bodies);
  free(plan.links);
  free(plan.obstacles);
  free(plan.shapes);
  free(plan.poses);
  return status;
}
