/* SPDX-License-Identifier: BSD-3-Clause */
/* What is there to draw of a robot and its obstacles: triangles for every shape, and where each stands. Units: m. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot_arm.h"

#define SIDES 40 /* of a cylinder */

static bool makeRoom(brinkMesh *mesh, size_t vertices, size_t triangles) {
  *mesh = (brinkMesh){.vertices = calloc(3 * vertices, sizeof(double)),
                      .vertexCount = vertices,
                      .indices = calloc(3 * triangles, sizeof(uint32_t)),
                      .triangleCount = triangles};
  return mesh->vertices != NULL && mesh->indices != NULL;
}

static bool makeBox(brinkMesh *mesh, const double half[3]) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  if (!makeRoom(mesh, 8, 12)) return false;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) mesh->vertices[3 * i + k] = i >> k & 1 ? half[k] : -half[k];
  for (int q = 0; q < 6; q++) {
    const uint32_t corners[6] = {quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3]};
    memcpy(mesh->indices + 6 * q, corners, sizeof corners);
  }
  return true;
}

static bool makeCylinder(brinkMesh *mesh, double radius, double half) {
  if (!makeRoom(mesh, 2 * SIDES + 2, 4 * SIDES)) return false;
  mesh->vertices[3 * 2 * SIDES + 2] = -half;
  mesh->vertices[3 * (2 * SIDES + 1) + 2] = half;
  for (uint32_t i = 0; i < SIDES; i++) {
    const double angle = 6.28318530717958648 * i / SIDES;
    for (uint32_t k = 0; k < 2; k++) {
      double *at = mesh->vertices + 3 * (2 * i + k);
      at[0] = radius * cos(angle), at[1] = radius * sin(angle), at[2] = k == 0 ? -half : half;
    }
    const uint32_t a = 2 * i, b = 2 * ((i + 1) % SIDES);
    const uint32_t triangles[12] = {a, b, a + 1, b, b + 1, a + 1, 2 * SIDES, b, a, 2 * SIDES + 1, a + 1, b + 1};
    memcpy(mesh->indices + 12 * i, triangles, sizeof triangles);
  }
  return true;
}

static bool copyMesh(brinkMesh *mesh, const brinkMesh *from) {
  if (!makeRoom(mesh, from->vertexCount, from->triangleCount)) return false;
  memcpy(mesh->vertices, from->vertices, 3 * from->vertexCount * sizeof(double));
  memcpy(mesh->indices, from->indices, 3 * from->triangleCount * sizeof(uint32_t));
  return true;
}

static bool makeLinkPart(const brinkUrdf *urdf, const brinkUrdfShape *shape, demoRobotPart *part) {
  part->link = (int32_t)shape->link;
  part->pose = shape->pose;
  const double half[3] = {0.5 * shape->size.x, 0.5 * shape->size.y, 0.5 * shape->size.z};
  if (shape->kind == brink_urdfBox) return makeBox(&part->mesh, half);
  if (shape->kind == brink_urdfCylinder) return makeCylinder(&part->mesh, shape->size.x, half[2]);
  return shape->kind == brink_urdfMesh && copyMesh(&part->mesh, &urdf->meshes[shape->mesh].mesh);
}

static bool makeObstaclePart(const brinkRobotScene *scene, size_t number, demoRobotPart *parts, size_t first,
                             char *message, size_t capacity) {
  demoRobotPart *part = &parts[first + number];
  const brinkSceneObstacle *obstacle = &scene->obstacles[number];
  part->link = -1;
  part->number = number;
  part->pose = obstacle->pose;
  const double half[3] = {0.5 * obstacle->size[0], 0.5 * obstacle->size[1], 0.5 * obstacle->size[2]};
  if (obstacle->kind == brink_box) return makeBox(&part->mesh, half);
  if (obstacle->kind != brink_mesh) return false;
  for (size_t k = 0; k < number; k++) /* the scenes of this demo scale nothing */
    if (scene->obstacles[k].kind == brink_mesh && strcmp(scene->obstacles[k].path, obstacle->path) == 0) {
      part->same = parts[first + k].same;
      return true;
    }
  return brinkImportMesh(obstacle->path, 0, &part->mesh, message, capacity) == brink_ok;
}

bool demoRobots_MakeParts(const demoRobotMachine *machine, demoRobotPart **parts, size_t *count, char *message,
                          size_t capacity) {
  const size_t links = machine->urdf->shapeCount, all = links + machine->scene->obstacleCount;
  demoRobotPart *list = calloc(all + 1, sizeof *list);
  bool good = list != NULL;
  snprintf(message, capacity, "no memory for what is to be drawn");
  for (size_t i = 0; good && i < all; i++) {
    list[i].same = i;
    good = i < links ? makeLinkPart(machine->urdf, &machine->urdf->shapes[i], &list[i])
                     : makeObstaclePart(machine->scene, i - links, list, links, message, capacity);
  }
  if (good) {
    *parts = list;
    *count = all;
  } else {
    demoRobots_FreeParts(list, list != NULL ? all : 0);
  }
  return good;
}

void demoRobots_FreeParts(demoRobotPart *parts, size_t count) {
  for (size_t i = 0; i < count; i++) brinkFreeMesh(&parts[i].mesh);
  free(parts);
}

const brinkMesh *demoRobotPart_Mesh(const demoRobotPart *parts, size_t i) { return &parts[parts[i].same].mesh; }

void demoRobotPart_Color(const demoRobotMachine *machine, const demoRobotPart *part, float color[3]) {
  static const float robot[3] = {0.93f, 0.62f, 0.16f}, touches[3] = {0.85f, 0.12f, 0.10f},
                     wood[3] = {0.72f, 0.60f, 0.44f}, earth[3] = {0.68f, 0.64f, 0.55f},
                     steel[3] = {0.50f, 0.58f, 0.66f}, touched[3] = {0.20f, 0.36f, 0.62f};
  const float *from = robot;
  if (part->link >= 0) {
    if ((uint32_t)part->link == machine->answer.first.linkA) from = touches;
  } else if (machine->scene->obstacles[part->number].kind == brink_box) {
    from = part->number == machine->obstacle ? touched : wood;
  } else {
    from = part->number == 0 ? earth : part->number == machine->obstacle ? touched : steel;
  }
  memcpy(color, from, 3 * sizeof *color);
}

static brinkQuat multiply(brinkQuat a, brinkQuat b) {
  return (brinkQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

brinkPose demoRobotPart_Place(const demoRobotPart *part, const brinkPose *linkPoses) {
  if (part->link < 0) return part->pose;
  const brinkPose *link = &linkPoses[part->link];
  const brinkVec3 p = part->pose.position;
  const brinkQuat q = link->rotation, conjugate = {q.w, -q.x, -q.y, -q.z};
  const brinkQuat turned = multiply(multiply(q, (brinkQuat){0, p.x, p.y, p.z}), conjugate);
  return (brinkPose){{link->position.x + turned.x, link->position.y + turned.y, link->position.z + turned.z},
                     multiply(q, part->pose.rotation)};
}
