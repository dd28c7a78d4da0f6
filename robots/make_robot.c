/* SPDX-License-Identifier: BSD-3-Clause */
/* A robot in a world from a description, and pairs of links to allow, found by sampling. Units: m, rad. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/robot_random.h"
#include "brink/urdf.h"

#define TURN 6.28318530717958648

static const brinkPlugin *plugin(void) { return brinkEntry(BRINK_ABI_MAJOR, NULL); }

static void say(char *message, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(char *message, size_t capacity, const char *format, ...) {
  if (message == NULL || capacity == 0) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, capacity, format, arguments);
  va_end(arguments);
}

/* Meshes that are closed are solids; others are surfaces. */
static brinkStatus makeMesh(brinkWorld *world, const brinkUrdf *urdf, const brinkMesh *mesh, brinkShapeId *out) {
  brinkShapeDef def = {.structSize = sizeof def, .type = brink_hull, .mesh = brinkViewMesh(mesh, 0)};
  if ((urdf->flags & BRINK_URDF_HULLS) != 0) return plugin()->createShape(world, &def, out);
  def.type = brink_mesh;
  def.mesh.flags = BRINK_MESH_SOLID;
  brinkStatus status = plugin()->createShape(world, &def, out);
  if (status != brink_errorNotClosed) return status;
  def.mesh.flags = 0;
  return plugin()->createShape(world, &def, out);
}

static brinkStatus makeShape(brinkWorld *world, const brinkUrdfShape *shape, const brinkShapeId *meshes,
                             brinkShapeId *out) {
  brinkShapeDef def = {.structSize = sizeof def, .mesh.structSize = sizeof(brinkMeshView)};
  switch (shape->kind) {
    case brink_urdfSphere:
      def.type = brink_sphere;
      def.size.x = shape->size.x;
      break;
    case brink_urdfBox:
      def.type = brink_box;
      def.size = (brinkVec3){0.5 * shape->size.x, 0.5 * shape->size.y, 0.5 * shape->size.z};
      break;
    case brink_urdfCylinder:
      def.type = brink_cylinder;
      def.size = (brinkVec3){shape->size.x, 0, 0.5 * shape->size.z};
      break;
    default:
      *out = meshes[shape->mesh];
      return brink_ok;
  }
  return plugin()->createShape(world, &def, out);
}

typedef struct Made {
  brinkShapeId *meshes;    /* [meshCount] */
  brinkRobotShape *shapes; /* [shapeCount] */
  size_t meshCount, shapeCount;
} Made;

static void unmake(brinkWorld *world, const brinkUrdf *urdf, Made *made) {
  for (size_t i = 0; i < made->shapeCount; ++i)
    if (urdf->shapes[i].kind != brink_urdfMesh) plugin()->destroyShape(world, made->shapes[i].shape);
  for (size_t i = 0; i < made->meshCount; ++i) plugin()->destroyShape(world, made->meshes[i]);
}

static brinkStatus makeAll(brinkWorld *world, const brinkUrdf *urdf, Made *made, char *message, size_t capacity) {
  for (; made->meshCount < urdf->meshCount; ++made->meshCount) {
    brinkStatus status = makeMesh(world, urdf, &urdf->meshes[made->meshCount].mesh, &made->meshes[made->meshCount]);
    if (status == brink_ok) continue;
    say(message, capacity, "%s: %s", urdf->meshes[made->meshCount].path, plugin()->lastError(world));
    return status;
  }
  for (; made->shapeCount < urdf->shapeCount; ++made->shapeCount) {
    const brinkUrdfShape *shape = &urdf->shapes[made->shapeCount];
    brinkRobotShape *to = &made->shapes[made->shapeCount];
    *to = (brinkRobotShape){.link = shape->link, .pose = shape->pose};
    brinkStatus status = makeShape(world, shape, made->meshes, &to->shape);
    if (status == brink_ok) continue;
    say(message, capacity, "%s: link %s: %s", urdf->path, urdf->links[shape->link].name, plugin()->lastError(world));
    return status;
  }
  return brink_ok;
}

brinkStatus brinkMakeRobotShapes(brinkWorld *world, const brinkUrdf *urdf, brinkShapeId *shapes, char *message,
                                 size_t messageCapacity) {
  Made made = {.meshes = calloc(urdf->meshCount + 1, sizeof *made.meshes),
               .shapes = calloc(urdf->shapeCount + 1, sizeof *made.shapes)};
  brinkStatus status = made.meshes != NULL && made.shapes != NULL ? brink_ok : brink_errorNoMemory;
  if (status == brink_ok) {
    status = makeAll(world, urdf, &made, message, messageCapacity);
    if (status != brink_ok) unmake(world, urdf, &made);
  }
  for (size_t i = 0; status == brink_ok && i < urdf->shapeCount; ++i) shapes[i] = made.shapes[i].shape;
  free(made.meshes);
  free(made.shapes);
  return status;
}

brinkStatus brinkMakeRobot(brinkWorld *world, const brinkUrdf *urdf, const brinkPose *base, brinkRobot **out,
                           char *message, size_t messageCapacity) {
  const brinkRobotTable *robots = plugin()->getExtension(BRINK_ROBOT_NAME);
  say(message, messageCapacity, "%s", "");
  if (world == NULL || urdf == NULL || out == NULL) return brink_errorNullArgument;
  if (robots == NULL) {
    say(message, messageCapacity, "the Brink library has no %s", BRINK_ROBOT_NAME);
    return brink_errorVersion;
  }
  Made made = {.meshes = calloc(urdf->meshCount + 1, sizeof *made.meshes),
               .shapes = calloc(urdf->shapeCount + 1, sizeof *made.shapes)};
  brinkStatus status = made.meshes != NULL && made.shapes != NULL ? brink_ok : brink_errorNoMemory;
  if (status == brink_ok) status = makeAll(world, urdf, &made, message, messageCapacity);
  if (status == brink_ok) {
    const brinkRobotDef def = {.structSize = sizeof def,
                               .base = base != NULL ? *base : (brinkPose){{0, 0, 0}, {1, 0, 0, 0}},
                               .links = urdf->links,
                               .linkCount = urdf->linkCount,
                               .joints = urdf->joints,
                               .jointCount = urdf->jointCount,
                               .shapes = made.shapes,
                               .shapeCount = urdf->shapeCount,
                               .allowed = urdf->allowed,
                               .allowedCount = urdf->allowedCount};
    status = robots->create(world, &def, out);
    if (status != brink_ok) say(message, messageCapacity, "%s: %s", urdf->path, plugin()->lastError(world));
  }
  if (status != brink_ok && made.meshes != NULL && made.shapes != NULL) unmake(world, urdf, &made);
  free(made.meshes);
  free(made.shapes);
  return status;
}

/* ---- allowed pairs */

static brinkStatus randomConfiguration(const brinkRobotTable *robots, brinkRobot *robot, size_t jointCount,
                                       uint64_t *state, double *q) {
  for (uint32_t j = 0; j < jointCount; ++j) {
    brinkRobotJointInfo joint = {.structSize = sizeof joint};
    brinkStatus status = robots->joint(robot, j, &joint);
    if (status != brink_ok) return status;
    for (uint32_t i = 0; i < joint.valueCount; ++i) {
      double *value = &q[joint.valueIndex + i];
      bool angle = joint.type == brink_robotContinuous || (joint.type == brink_robotPlanar && i == 2);
      *value = 0.0;
      if (joint.limited && i < 3 && isfinite(joint.lower[i]) && isfinite(joint.upper[i]))
        *value = brinkRandomBetween(state, joint.lower[i], joint.upper[i]);
      else if (angle)
        *value = brinkRandomBetween(state, -0.5 * TURN, 0.5 * TURN);
      else if (joint.type == brink_robotFloating && i >= 3)
        *value = brinkRandomBetween(state, -1.0, 1.0);
    }
    if (joint.type == brink_robotFloating) q[joint.valueIndex + 3] += 2.0; /* never zero */
  }
  return brink_ok;
}

typedef struct Search {
  brinkRobotView *view;
  double *q;
  uint32_t *touches; /* [linkCount][linkCount] configurations in which the two touch */
  size_t *last;      /* [linkCount][linkCount] the last of them, from 1: several shapes of a link count once */
} Search;

static brinkStatus countTouches(const brinkRobotTable *robots, brinkRobot *robot, const brinkRobotInfo *info,
                                size_t samples, uint64_t seed, Search *search) {
  for (size_t i = 0; i < samples; ++i) {
    brinkEdgeAnswer answer = {.structSize = sizeof answer};
    const brinkEdgeQuery query = {.structSize = sizeof query, .flags = BRINK_EDGE_ALL_PAIRS | BRINK_EDGE_NO_LIMITS};
    brinkStatus status = randomConfiguration(robots, robot, info->jointCount, &seed, search->q);
    if (status == brink_ok) status = robots->configuration(search->view, search->q, &query, &answer);
    if (status != brink_ok) return status;
    for (size_t k = 0; k < answer.contactCount; ++k) {
      const brinkRobotContact *contact = &answer.contacts[k];
      bool links = contact->linkB != BRINK_ROBOT_NONE && contact->objectA == BRINK_ROBOT_NONE &&
                   contact->objectB == BRINK_ROBOT_NONE;
      if (!links || contact->state == brink_free) continue;
      uint32_t a = contact->linkA < contact->linkB ? contact->linkA : contact->linkB;
      size_t at = a * info->linkCount + (contact->linkA + contact->linkB - a);
      if (search->last[at] == i + 1) continue;
      search->last[at] = i + 1;
      ++search->touches[at];
    }
  }
  return brink_ok;
}

brinkStatus brinkFindAllowedPairs(brinkRobot *robot, size_t samples, uint64_t seed, int never,
                                  brinkRobotLinkPair **pairs, size_t *count, char *message, size_t messageCapacity) {
  const brinkRobotTable *robots = plugin()->getExtension(BRINK_ROBOT_NAME);
  brinkRobotInfo info = {.structSize = sizeof info};
  say(message, messageCapacity, "%s", "");
  if (robots == NULL || robot == NULL || pairs == NULL || count == NULL) return brink_errorNullArgument;
  brinkStatus status = robots->info(robot, &info);
  if (status != brink_ok) return status;
  Search search = {.q = calloc(info.valueCount + 1, sizeof(double)),
                   .touches = calloc(info.linkCount * info.linkCount, sizeof(uint32_t)),
                   .last = calloc(info.linkCount * info.linkCount, sizeof(size_t))};
  brinkRobotLinkPair *found = malloc(info.linkCount * info.linkCount * sizeof *found);
  if (search.q == NULL || search.touches == NULL || search.last == NULL || found == NULL) status = brink_errorNoMemory;
  if (status == brink_ok) status = robots->createView(robot, &search.view);
  if (status == brink_ok) status = countTouches(robots, robot, &info, samples, seed, &search);
  if (status != brink_ok && search.view != NULL) say(message, messageCapacity, "%s", robots->viewError(search.view));
  if (status == brink_ok) {
    *count = 0;
    for (uint32_t a = 0; a < info.linkCount; ++a)
      for (uint32_t b = a + 1; b < info.linkCount; ++b) {
        uint32_t touches = search.touches[a * info.linkCount + b];
        if (samples > 0 && (touches >= samples || (never && touches == 0)))
          found[(*count)++] = (brinkRobotLinkPair){a, b};
      }
    *pairs = found;
    found = NULL;
  }
  if (search.view != NULL) robots->destroyView(search.view);
  free(search.q);
  free(search.touches);
  free(search.last);
  free(found);
  return status;
}
