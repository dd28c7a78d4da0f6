/* SPDX-License-Identifier: BSD-3-Clause */
/* Which shapes does the host have, and what are they made of? Every shape is one part or, compounds, a list of placed
 * parts; compounds inside compounds are flattened when they are made, so that nothing below this floor knows of them. A
 * compound counts as a user of its children: they cannot be destroyed before it. Units: m. */
#include "world.h"

#include <stdio.h>

#include "brink/cook.h"
#include "make_shape.h"

/* A compound's parts fit the host's patience and 32-bit sizes. */
#define MAX_PARTS (1u << 20)

void brinkFreeWorldShape(brinkContext *context, brinkWorldShape *shape) {
  if (shape->shape != NULL) brinkDestroyShape(context, shape->shape);
  if (shape->parts != NULL) brinkRelease(context, shape->parts, shape->partCount * sizeof *shape->parts);
  shape->shape = NULL;
  shape->parts = NULL;
}

void brinkWorld_RemoveShape(brinkWorld *world, brinkWorldShape *shape) {
  brinkFreeWorldShape(&world->context, shape);
  brinkTable_Remove(&world->shapes, brinkTable_IndexOf(&world->shapes, shape));
}

uint32_t brinkWorldShape_PartCount(const brinkWorldShape *shape) { return shape->parts != NULL ? shape->partCount : 1; }

brinkShapePart brinkWorldShape_Part(const brinkWorld *world, const brinkWorldShape *shape, uint32_t part) {
  if (shape->parts != NULL) return shape->parts[part];
  return (brinkShapePart){shape->shape, brinkTable_IndexOf(&world->shapes, shape), brinkIdentityRigid()};
}

static brinkStatus checkMesh(brinkContext *context, const brinkMeshView *mesh, bool needsTriangles) {
  brinkStatus status = brinkCheckSize(context, mesh->structSize, sizeof *mesh, "def->mesh");
  if (status == brink_ok)
    status = brinkCheckFlags(context, mesh->flags, BRINK_MESH_SOLID | BRINK_MESH_CONVEX, "def->mesh.flags");
  if (status != brink_ok) return status;
  if (mesh->vertexCount > INT32_MAX || mesh->triangleCount > INT32_MAX)
    return brinkFail(context, brink_errorRange, "def->mesh: %zu vertices and %zu triangles, at most %d of each",
                     mesh->vertexCount, mesh->triangleCount, INT32_MAX);
  if (mesh->vertexCount == 0) return brinkFail(context, brink_errorEmpty, "def->mesh.vertexCount is 0");
  if (needsTriangles && mesh->triangleCount == 0)
    return brinkFail(context, brink_errorEmpty,
                     "def->mesh.triangleCount is 0: a mesh needs triangles (brink_hull does not)");
  if (mesh->vertices == NULL) return brinkRefuseNull(context, "def->mesh.vertices");
  if (mesh->triangleCount > 0 && mesh->indices == NULL) return brinkRefuseNull(context, "def->mesh.indices");
  for (size_t i = 0; i < 3 * mesh->vertexCount; ++i) {
    if (isfinite(mesh->vertices[i]) && fabs(mesh->vertices[i]) <= BRINK_MAX_LENGTH) continue;
    return brinkFail(context, isfinite(mesh->vertices[i]) ? brink_errorRange : brink_errorBadValue,
                     "def->mesh.vertices[%zu].%c is %g: must be finite, at most %g", i / 3, "xyz"[i % 3],
                     mesh -> vertices[i], BRINK_MAX_LENGTH);
  }
  for (size_t i = 0; i < 3 * mesh->triangleCount; ++i)
    if (mesh->indices[i] >= mesh->vertexCount)
      return brinkFail(context, brink_errorBadIndex, "def->mesh.indices: triangle %zu names vertex %u of %zu", i / 3,
                       mesh->indices[i], mesh->vertexCount);
  return brink_ok;
}

static brinkStatus checkSupport(brinkContext *context, const brinkShapeDef *def) {
  if (def->support == NULL) return brinkRefuseNull(context, "def->support");
  brinkStatus status = brinkCheckLength(context, def->supportRadius, "def->supportRadius");
  if (status == brink_ok) status = brinkCheckLength(context, def->supportRounding, "def->supportRounding");
  if (status == brink_ok && def->supportRadius == 0.0)
    status = brinkFail(context, brink_errorBadValue, "def->supportRadius is 0: give a ball that holds the shape");
  return status;
}

static brinkStatus checkChildren(brinkContext *context, const brinkShapeDef *def) {
  if (def->childCount == 0)
    return brinkFail(context, brink_errorEmpty, "def->childCount is 0: a compound has children");
  if (def->children == NULL) return brinkRefuseNull(context, "def->children");
  if (def->childCount > MAX_PARTS)
    return brinkFail(context, brink_errorRange, "def->childCount is %zu, at most %u", def->childCount, MAX_PARTS);
  if (def->margin != 0.0)
    return brinkFail(context, brink_errorBadValue, "def->margin is %g: a compound's children have their own margins",
                     def->margin);
  return brink_ok;
}

static brinkStatus checkShapeDef(brinkContext *context, const brinkShapeDef *def) {
  uint32_t flags = BRINK_SHAPE_BORROW_BLOB | (def->type == brink_heightfield ? BRINK_SHAPE_SOLID_BELOW : 0u);
  brinkStatus status = brinkCheckFlags(context, def->flags, flags, "def->flags");
  if (status == brink_ok) status = brinkCheckLength(context, def->margin, "def->margin");
  if (status != brink_ok) return status;
  const double extent[3] = {def->size.x, def->size.y, def->size.z};
  uint32_t used = 0;  // bits of size.xyz that are lengths of this type
  switch (def->type) {
    case brink_sphere:
      used = 1;
      break;
    case brink_capsule:
    case brink_cylinder:
      used = 5;
      break;
    case brink_box:
      used = 7;
      break;
    case brink_segment:
    case brink_ray:
      return brinkCheckVec3(context, def->size, BRINK_MAX_LENGTH, "def->size");
    case brink_heightfield:
      used = 3;
      if (def->heights == NULL) return brinkRefuseNull(context, "def->heights");
      if ((def->flags & BRINK_SHAPE_SOLID_BELOW) != 0 && !(fabs(def->offset) <= BRINK_MAX_LENGTH))
        return brinkFail(context, isfinite(def->offset) ? brink_errorRange : brink_errorBadValue, "def->offset is %g",
                         def->offset);
      break;
    case brink_compound:
      return checkChildren(context, def);
    case brink_support:
      return checkSupport(context, def);
    case brink_plane:
      status = brinkCheckVec3(context, def->normal, BRINK_MAX_LENGTH, "def->normal");
      if (status != brink_ok) return status;
      if (def->normal.x == 0.0 && def->normal.y == 0.0 && def->normal.z == 0.0)
        return brinkFail(context, brink_errorBadValue, "def->normal is zero: a plane needs a direction");
      if (!isfinite(def->offset))
        return brinkFail(context, brink_errorBadValue, "def->offset is %g: must be finite", def->offset);
      return fabs(def->offset) <= BRINK_MAX_LENGTH
                 ? brink_ok
                 : brinkFail(context, brink_errorRange, "def->offset is %g", def->offset);
    case brink_point:
      return brink_ok;
    case brink_hull:
      return checkMesh(context, &def->mesh, false);
    case brink_mesh:
      if (def->blob == NULL) return checkMesh(context, &def->mesh, (def->mesh.flags & BRINK_MESH_CONVEX) == 0);
      if ((uintptr_t)def->blob % 8 != 0)
        return brinkFail(context, brink_errorBadValue, "def->blob is not aligned to 8 bytes");
      return brink_ok;
    default:
      return brinkFail(context, brink_errorBadValue, "def->type is %u: not a brinkShapeType", def->type);
  }
  for (int i = 0; i < 3; ++i) {
    if ((used & 1u << i) == 0) continue;
    char argument[] = "def->size.x";
    argument[sizeof argument - 2] = "xyz"[i];
    status = brinkCheckLength(context, extent[i], argument);
    if (status != brink_ok) return status;
    // A capsule of length 0 is a sphere; every other zero size has no inside that the type promises.
    bool mayBeZero = def->type == brink_capsule && i == 2;
    if (extent[i] == 0.0 && !mayBeZero)
      return brinkFail(context, brink_errorBadValue,
                       "%s is 0: use brink_point, brink_segment or brink_hull for flat things", argument);
  }
  return brink_ok;
}

/* The parts of all children, nested compounds flattened. */
static brinkStatus makeParts(brinkWorld *world, const brinkShapeDef *def, brinkShapePart **out, uint32_t *outCount) {
  brinkContext *context = &world->context;
  size_t count = 0;
  brinkStatus status = brink_ok;
  for (size_t i = 0; status == brink_ok && i < def->childCount; ++i) {
    void *item;
    char argument[48];
    snprintf(argument, sizeof argument, "def->children[%zu].shape", i);
    status = brinkWorld_Get(world, &world->shapes, def->children[i].shape, argument, &item);
    if (status == brink_ok) count += brinkWorldShape_PartCount(item);
    if (count > MAX_PARTS)
      status =
          brinkFail(context, brink_errorRange, "def->children have %zu parts or more, at most %u", count, MAX_PARTS);
  }
  if (status != brink_ok) return status;
  brinkShapePart *parts = brinkAllocate(context, count * sizeof *parts);
  if (parts == NULL) return brinkFail(context, brink_errorNoMemory, "createShape: no memory for %zu parts", count);
  size_t at = 0;
  for (size_t i = 0; status == brink_ok && i < def->childCount; ++i) {
    const brinkWorldShape *child = brinkWorld_Find(world, &world->shapes, def->children[i].shape);
    char argument[48];
    snprintf(argument, sizeof argument, "def->children[%zu].pose", i);
    brinkPose pose;
    status = brinkCheckPose(context, &def->children[i].pose, argument, &pose);
    if (status != brink_ok) break;
    const brinkRigid place = brinkRigid_FromPose(pose);
    for (uint32_t k = 0; k < brinkWorldShape_PartCount(child); ++k) {
      brinkShapePart part = brinkWorldShape_Part(world, child, k);
      part.place = brinkCompose(&place, &part.place);
      parts[at++] = part;
    }
  }
  if (status != brink_ok) {
    brinkRelease(context, parts, count * sizeof *parts);
    return status;
  }
  *out = parts;
  *outCount = (uint32_t)count;
  return brink_ok;
}

static double leastOf(const brinkMeshView *mesh, size_t axis, double sign) {
  double least = INFINITY;
  for (size_t i = 0; i < mesh->vertexCount; ++i) least = fmin(least, sign * mesh->vertices[3 * i + axis]);
  return least;
}

// Beside a mesh a blob is to be of that mesh: as many triangles, in the same box.
static brinkStatus checkBlobIsOf(brinkContext *context, const brinkShapeDef *def) {
  brinkMeshView cooked;
  if (def->type != brink_mesh || def->blob == NULL || def->mesh.triangleCount == 0 || def->mesh.vertices == NULL ||
      brinkBlobMesh(def->blob, def->blobSize, &cooked) != brink_ok)
    return brink_ok;  // a blob that is not whole is refused by whoever reads it
  bool same = cooked.triangleCount == def->mesh.triangleCount;
  for (size_t axis = 0; axis < 3 && same; ++axis) {
    const double own[2] = {leastOf(&def->mesh, axis, 1), -leastOf(&def->mesh, axis, -1)};
    const double its[2] = {leastOf(&cooked, axis, 1), -leastOf(&cooked, axis, -1)};
    const double near = 1e-6 * (fabs(own[0]) + fabs(own[1]));  // hosts keep coordinates in single precision
    same = fabs(own[0] - its[0]) <= near && fabs(own[1] - its[1]) <= near;
  }
  return same ? brink_ok
              : brinkFail(context, brink_errorBadValue,
                          "def->blob is of another mesh than def->mesh (%zu and %zu triangles, or another size): cook "
                          "this one, or leave one of the two out",
                          (size_t)cooked.triangleCount, (size_t)def->mesh.triangleCount);
}

static brinkStatus makeShape(brinkContext *context, const brinkShapeDef *def, brinkShape **out) {
  uint32_t type = def->type;
  if (type == brink_mesh && def->blob == NULL && def->mesh.triangleCount == 0)
    type = brink_hull;  // convex, vertices only
  bool hasMesh = type == brink_hull || (type == brink_mesh && def->blob == NULL);
  const brinkShapeSpec spec = {
      .type = type,
      .size = def->size,
      .normal = def->normal,
      .offset = def->offset,
      .margin = def->margin,
      .mesh = hasMesh ? &def->mesh : NULL,
      .blob = type == brink_mesh ? def->blob : NULL,
      .blobSize = type == brink_mesh ? def->blobSize : 0,
      .borrowBlob = (def->flags & BRINK_SHAPE_BORROW_BLOB) != 0,
      .heightfield = {def->heights, def->columns, def->rows, (def->flags & BRINK_SHAPE_SOLID_BELOW) != 0},
      .support = {def->support, def->supportUser, def->supportRadius, def->supportRounding}};
  return brinkCreateShape(context, &spec, out);
}

static brinkStatus createShape(brinkWorld *world, const brinkShapeDef *given, brinkShapeId *out) {
  brinkContext *context = &world->context;
  if (given == NULL) return brinkRefuseNull(context, "def");
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkShapeDef def = {0};
  brinkStatus status =
      brinkCheckGrownSize(context, given->structSize, offsetof(brinkShapeDef, heights), sizeof def, "def");
  if (status != brink_ok) return status;
  memcpy(&def, given, given->structSize);
  status = checkShapeDef(context, &def);
  if (status == brink_ok) status = checkBlobIsOf(context, &def);
  if (status != brink_ok) return status;
  brinkWorldShape made = {.shape = NULL};
  status = def.type == brink_compound ? makeParts(world, &def, &made.parts, &made.partCount)
                                      : makeShape(context, &def, &made.shape);
  if (status != brink_ok) return status;
  uint32_t index;
  status = brinkTable_Add(context, &world->shapes, "createShape", &index);
  if (status != brink_ok) {
    brinkFreeWorldShape(context, &made);
    return status;
  }
  brinkWorldShape *shape = brinkWorld_Shape(world, index);
  shape->shape = made.shape;
  shape->parts = made.parts;
  shape->partCount = made.partCount;
  for (uint32_t i = 0; i < made.partCount; ++i) ++brinkWorld_Shape(world, made.parts[i].owner)->users;
  *out = brinkWorld_Handle(world, &world->shapes, index);
  return brink_ok;
}

static brinkStatus destroyShape(brinkWorld *world, brinkShapeId handle) {
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->shapes, handle, "shape", &item);
  if (status != brink_ok) return status;
  brinkWorldShape *shape = item;
  if (shape->users > 0)
    return brinkFail(&world->context, brink_errorInUse,
                     "shape 0x%llx is used by %u colliders or parts of compounds: destroy them first",
                     (unsigned long long)handle, shape->users);
  for (uint32_t i = 0; i < shape->partCount; ++i) brinkWorld_LeaveShape(world, shape->parts[i].owner);
  brinkWorld_RemoveShape(world, shape);
  return brink_ok;
}

/* ---- entry points */

brinkStatus brinkWorld_CreateShape(brinkWorld *world, const brinkShapeDef *def, brinkShapeId *out) {
  BRINK_CHANGING(world, createShape(world, def, out));
}
brinkStatus brinkWorld_DestroyShape(brinkWorld *world, brinkShapeId shape) {
  BRINK_CHANGING(world, destroyShape(world, shape));
}
