/* SPDX-License-Identifier: BSD-3-Clause */
/* ODE's geoms in a record of a clamped step (plugin/stepping/record.c tells the lines). Units: m. */
#include "step.h"

static void writeMesh(brinkStepText *out, const dxBrinkGeom *record) {
  dGeomID probe = dCreateTriMesh(NULL, record->key.data, NULL, NULL, NULL); /* at the identity */
  brinkStepAppend(out, " mesh %d %d\n", 3 * record->key.triangleCount, record->key.triangleCount);
  for (int i = 0; i < record->key.triangleCount; ++i) {
    dVector3 v[3];
    dGeomTriMeshGetTriangle(probe, i, &v[0], &v[1], &v[2]);
    for (int k = 0; k < 3; ++k) {
      const double corner[3] = {v[k][0] + 0.0, v[k][1] + 0.0, v[k][2] + 0.0}; /* -0 becomes 0, as in shapes.c */
      brinkStepAppendNumbers(out, corner, 3);
      brinkStepAppend(out, "\n");
    }
  }
  for (int i = 0; i < record->key.triangleCount; ++i) {
    brinkStepAppend(out, " %d %d %d\n", 3 * i, 3 * i + 1, 3 * i + 2);
  }
  dGeomDestroy(probe);
}

static void writeShape(brinkStepText *out, uint32_t number, const dxBrinkGeom *record) {
  const double *size = record->key.size, round[2] = {size[0], size[1] / 2},
               half[3] = {size[0] / 2, size[1] / 2, size[2] / 2};
  brinkStepAppend(out, "shape %u", number);
  switch (record->key.geomClass) {
    case dSphereClass:
      brinkStepAppend(out, " sphere");
      brinkStepAppendNumbers(out, size, 1);
      break;
    case dCapsuleClass:
    case dCylinderClass:
      brinkStepAppend(out, record->key.geomClass == dCapsuleClass ? " capsule" : " cylinder");
      brinkStepAppendNumbers(out, round, 2);
      break;
    case dBoxClass:
      brinkStepAppend(out, " box");
      brinkStepAppendNumbers(out, half, 3);
      break;
    case dPlaneClass:
      brinkStepAppend(out, " plane");
      brinkStepAppendNumbers(out, size, 4);
      break;
    case dConvexClass:
      brinkStepAppend(out, " hull %zu\n", record->shape.vertexCount);
      for (size_t i = 0; i < record->shape.vertexCount; ++i) {
        brinkStepAppendNumbers(out, record->shape.vertices + 3 * i, 3);
        brinkStepAppend(out, "\n");
      }
      return;
    case dTriMeshClass:
      writeMesh(out, record);
      return;
    default:
      brinkStepAppend(out, " other");
      break;
  }
  brinkStepAppend(out, "\n");
}

void dxBrinkWriteCollider(void *user, uint32_t number, brinkStepText *out) {
  const dxBrink *brink = user;
  const dxBrinkGeom *record = &brink->geoms[number];
  brinkPose pose = dxBrinkComposePose(record->pose, record->shape.place);
  writeShape(out, number, record);
  brinkStepAppend(out, "collider %u %ld", number, record->body == BRINK_NO_RECORD ? -1L : (long)record->body);
  brinkStepAppendPose(out, &pose);
  brinkStepAppend(out, " %llu %llu", (unsigned long long)record->categoryBits, (unsigned long long)record->collideBits);
  brinkStepAppendNumbers(out, &record->allowance, 1);
  brinkStepAppend(out, "\n");
}
