/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the shapes of one plugin world: shared meshes, what the program told of their data, shapes of one geom alone.
 */
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

#include "stepper.h"
#include "thickness.h"

static const brinkPose identityPose = {{0, 0, 0}, {1, 0, 0, 0}};

/* ---- meshes */

bool brinkStepMeshIsCurrent(const brinkStepShapes *shapes, brinkStepMesh *mesh, int triangleCount, uint64_t stamp) {
  if (mesh->key.triangleCount != triangleCount) {
    return false;
  }
  if (mesh->checked != stamp) {
    double samples[BRINK_STEP_MESH_SAMPLES][9] = {{0}};
    shapes->sample(&mesh->key, samples);
    if (memcmp(samples, mesh->samples, sizeof(samples)) != 0) {
      return false;
    }
    mesh->checked = stamp;
  }
  return true;
}

brinkStepMesh *brinkStepFindMesh(const brinkStepShapes *shapes, const brinkStepMeshKey *key, uint64_t stamp) {
  for (size_t i = 0; i < shapes->meshCount; ++i) {
    brinkStepMesh *mesh = &shapes->meshes[i];
    if (mesh->key.data == key->data && mesh->key.kind == key->kind &&
        brinkStepMeshIsCurrent(shapes, mesh, key->triangleCount, stamp)) {
      return mesh;
    }
  }
  return NULL;
}

brinkStatus brinkStepCookSoup(brinkStepShapes *shapes, void *data, brinkStepSoup *soup, brinkStepMesh *out) {
  brinkShapeDef def = {.structSize = sizeof(def), .type = brink_mesh, .mesh = brinkStepSoupView(soup)};
  const brinkStepTold *told = brinkStepFindTold(shapes, data);
  if (told != NULL) {
    def.blob = told->blob;
    def.blobSize = told->size;
  }
  brinkStatus status = shapes->plugin->createShape(shapes->world, &def, &out->shape);
  if (status != brink_ok && def.blob != NULL) { /* it is of another mesh, or this one has changed */
    def.blob = NULL;
    status = shapes->plugin->createShape(shapes->world, &def, &out->shape);
  }
  out->thickness = brinkStepThickness(&def);
  out->sheet = brinkStepIsSheet(soup->vertices, soup->vertexCount);
  out->place = identityPose;
  brinkStepFreeSoup(soup);
  return status;
}

brinkStatus brinkStepCookField(brinkStepShapes *shapes, brinkStepField *field, brinkStepMesh *out) {
  brinkShapeDef def = brinkStepFieldDef(field, &out->place);
  brinkStatus status = shapes->plugin->createShape(shapes->world, &def, &out->shape);
  out->thickness = brinkStepFieldThickness(field);
  out->sheet = true;
  free(field->heights);
  return status;
}

static bool isHollow(const brinkStepShapes *shapes, brinkShapeId shape) {
  const brinkStepsTable *steps = shapes->plugin->getExtension(BRINK_STEPS_NAME);
  double depth = 0;
  return steps == NULL || steps->inside(shapes->world, shape, &depth) != brink_ok || !(depth > 0);
}

brinkStepMesh *brinkStepAddMesh(brinkStepShapes *shapes, const brinkStepMesh *cooked, const brinkStepMeshKey *key,
                                uint64_t stamp) {
  size_t at = 0;
  while (at < shapes->meshCount && shapes->meshes[at].key.data != NULL) {
    at++;
  }
  if (!BRINK_STEP_RESERVE(shapes->meshes, at, shapes->meshCapacity)) {
    shapes->plugin->destroyShape(shapes->world, cooked->shape);
    return NULL;
  }
  shapes->meshCount += at == shapes->meshCount;
  brinkStepMesh *mesh = &shapes->meshes[at];
  *mesh = *cooked;
  mesh->key = *key;
  mesh->users = 0;
  mesh->checked = stamp;
  mesh->hollow = isHollow(shapes, mesh->shape);
  memset(mesh->samples, 0, sizeof(mesh->samples));
  shapes->sample(key, mesh->samples);
  return mesh;
}

brinkStepShape brinkStepUseMesh(const brinkStepShapes *shapes, brinkStepMesh *mesh) {
  mesh->users++;
  return (brinkStepShape){.id = mesh->shape,
                          .mesh = (uint32_t)(mesh - shapes->meshes),
                          .thickness = mesh->thickness,
                          .place = mesh->place,
                          .surface = true,
                          .sheet = mesh->sheet,
                          .hollow = mesh->hollow};
}

void brinkStepDropUnusedMeshes(brinkStepShapes *shapes) {
  for (size_t i = 0; i < shapes->meshCount; ++i) {
    if (shapes->meshes[i].key.data != NULL && shapes->meshes[i].users == 0) {
      shapes->plugin->destroyShape(shapes->world, shapes->meshes[i].shape);
      shapes->meshes[i] = (brinkStepMesh){.users = 0};
    }
  }
}

/* ---- what the program told */

brinkStepTold *brinkStepFindTold(const brinkStepShapes *shapes, const void *data) {
  size_t at = 0;
  while (at < shapes->toldCount && shapes->told[at].data != data) {
    at++;
  }
  return at < shapes->toldCount ? &shapes->told[at] : NULL;
}

brinkStepTold *brinkStepToldOf(brinkStepShapes *shapes, void *data) {
  brinkStepTold *known = brinkStepFindTold(shapes, data);
  if (known == NULL && BRINK_STEP_RESERVE(shapes->told, shapes->toldCount, shapes->toldCapacity)) {
    known = &shapes->told[shapes->toldCount++];
    *known = (brinkStepTold){.data = data};
  }
  return known;
}

brinkStatus brinkStepTellBlob(brinkStepShapes *shapes, void *data, const void *blob, size_t size) {
  void *copy = malloc(size);
  if (copy == NULL) {
    return brink_errorNoMemory;
  }
  memcpy(copy, blob, size);
  const brinkShapeDef def = {sizeof(def), brink_mesh, .flags = BRINK_SHAPE_BORROW_BLOB, .blob = copy, .blobSize = size};
  brinkShapeId tried;
  brinkStatus status = shapes->plugin->createShape(shapes->world, &def, &tried);
  if (status == brink_ok) {
    shapes->plugin->destroyShape(shapes->world, tried);
  }
  brinkStepTold *told = status == brink_ok ? brinkStepToldOf(shapes, data) : NULL;
  if (told == NULL) {
    free(copy);
    return status == brink_ok ? brink_errorNoMemory : status;
  }
  free(told->blob);
  told->blob = copy;
  told->size = size;
  return brink_ok;
}

/* ---- any shape */

brinkStatus brinkStepMakeShape(const brinkStepShapes *shapes, const brinkShapeDef *def, brinkStepShape *out) {
  brinkStatus status = shapes->plugin->createShape(shapes->world, def, &out->id);
  if (status != brink_ok) {
    free(out->vertices);
    *out = (brinkStepShape){.mesh = BRINK_NO_RECORD};
    return status;
  }
  out->place = identityPose;
  out->thickness = brinkStepThickness(def);
  return brink_ok;
}

void brinkStepDropShape(const brinkStepShapes *shapes, brinkStepShape *shape) {
  if (shape->mesh != BRINK_NO_RECORD) {
    shapes->meshes[shape->mesh].users--;
  } else if (shape->id != 0) {
    shapes->plugin->destroyShape(shapes->world, shape->id);
  }
  free(shape->vertices);
  *shape = (brinkStepShape){.mesh = BRINK_NO_RECORD};
}

void brinkStepFreeShapes(brinkStepShapes *shapes) {
  if (shapes->plugin != NULL && shapes->world != NULL) {
    shapes->plugin->destroyWorld(shapes->world);
  }
  free(shapes->meshes);
  for (size_t i = 0; i < shapes->toldCount; ++i) {
    free(shapes->told[i].blob);
  }
  free(shapes->told);
  *shapes = (brinkStepShapes){.plugin = NULL};
}
