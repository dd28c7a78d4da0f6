/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes Brink's shape of an ODE geom: reads class and sizes, makes the shape in a plugin's world, shares cooked meshes.
 *
 * How ODE's classes are read. Capsule, cylinder: along local z, length without caps. Plane: n x = d, solid below.
 * Trimesh: dGeomTriMeshGetTriangle on a helper geom at the identity, or the program's own array. Convex: no getter, but
 * two dCollide probes against planes through its middle report every vertex. Heightfield: heights.c. GeomTransform: the
 * geom inside, whose own pose is its place there. Units: m; quaternions (w,x,y,z) on both sides. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mirror.h"
#include "motion.h" /* plugin/stepping */

#define MAX_CONVEX_VERTICES 32768 /* dCollide takes at most 65535 contacts; a vertex may come twice */

static const brinkPose identityPose = {{0, 0, 0}, {1, 0, 0, 0}};

/* A ray's quaternion is made from its direction: dGeomRaySet writes the matrix's third column alone. */
void dxBrinkGeomTurn(dGeomID geom, dQuaternion q) {
  if (dGeomGetClass(geom) == dRayClass && dGeomGetBody(geom) == NULL) {
    const dReal *R = dGeomGetRotation(geom);
    brinkStepTurnOnto((const double[]){R[2], R[6], R[10]}, q);
  } else {
    dGeomGetQuaternion(geom, q);
  }
}

brinkPose dxBrinkGeomPose(dGeomID geom) {
  brinkPose pose = identityPose;
  if (!dxBrinkIsPlaceless(geom)) {
    const dReal *p = dGeomGetPosition(geom);
    dQuaternion q = {1, 0, 0, 0};
    dxBrinkGeomTurn(geom, q);
    pose.position = (brinkVec3){p[0], p[1], p[2]};
    pose.rotation = (brinkQuat){q[0], q[1], q[2], q[3]};
  }
  return pose;
}

brinkPose dxBrinkShapePose(dGeomID geom, const brinkStepShape *shape) {
  return brinkStepComposePose(dxBrinkGeomPose(geom), shape->place);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* by ODE, and still there */
dGeomID dxBrinkLeaf(dGeomID geom) {
  return dGeomGetClass(geom) == dGeomTransformClass ? dGeomTransformGetGeom(geom) : geom;
}
#pragma GCC diagnostic pop

/* ---- reading ODE */

static const char *readOwnKey(dGeomID geom, dxBrinkShapeKey *key) {
  key->geomClass = key->odeClass = dGeomGetClass(geom);
  dVector4 v = {0, 0, 0, 0};
  switch (key->geomClass) {
    case dSphereClass:
      key->size[0] = dGeomSphereGetRadius(geom);
      return key->size[0] > 0 ? NULL : "its radius is 0";
    case dBoxClass:
      dGeomBoxGetLengths(geom, v);
      memcpy(key->size, v, 3 * sizeof(double));
      return v[0] > 0 && v[1] > 0 && v[2] > 0 ? NULL : "one of its sides is 0";
    case dCapsuleClass:
      dGeomCapsuleGetParams(geom, &key->size[0], &key->size[1]);
      return key->size[0] > 0 ? NULL : "its radius is 0";
    case dCylinderClass:
      dGeomCylinderGetParams(geom, &key->size[0], &key->size[1]);
      return key->size[0] > 0 && key->size[1] > 0 ? NULL : "its radius or length is 0";
    case dPlaneClass:
      dGeomPlaneGetParams(geom, v);
      memcpy(key->size, v, 4 * sizeof(double));
      return NULL;
    case dConvexClass:
      return NULL;
    case dTriMeshClass:
      key->data = dGeomTriMeshGetData(geom);
      key->triangleCount = key->data == NULL ? 0 : dGeomTriMeshGetTriangleCount(geom);
      return key->triangleCount > 0 ? NULL : "its trimesh has no triangles";
    case dHeightfieldClass:
      key->data = dGeomHeightfieldGetHeightfieldData(geom);
      return key->data != NULL ? NULL : "it has no data";
    case dRayClass:
      key->size[0] = dGeomRayGetLength(geom);
      return key->size[0] > 0 ? DX_BRINK_RAY_REASON : "its length is 0";
    default:
      return "ODE knows no shape of a user class; tell one with dBrinkSetGeomShape or dBrinkSetGeomSupport";
  }
}

const char *dxBrinkReadShapeKey(dGeomID geom, dxBrinkShapeKey *key) {
  *key = (dxBrinkShapeKey){.geomClass = dGeomGetClass(geom)};
  if (key->geomClass != dGeomTransformClass) {
    return readOwnKey(geom, key);
  }
  dGeomID inside = dxBrinkLeaf(geom);
  key->odeClass = key->geomClass;
  if (inside == NULL) {
    return "no geom is in the GeomTransform";
  }
  int innerClass = dGeomGetClass(inside);
  if (innerClass == dGeomTransformClass || innerClass == dPlaneClass || innerClass == dHeightfieldClass) {
    return "a plane, heightfield or GeomTransform in a GeomTransform is not answered";
  }
  brinkPose place = dxBrinkGeomPose(inside);
  memcpy(key->inner, &place, sizeof(place));
  return readOwnKey(inside, key);
}

bool dxBrinkSameKey(const dxBrinkShapeKey *a, const dxBrinkShapeKey *b) {
  return a->geomClass == b->geomClass && a->odeClass == b->odeClass && a->data == b->data && a->given == b->given &&
         a->triangleCount == b->triangleCount && memcmp(a->size, b->size, sizeof(a->size)) == 0 &&
         memcmp(a->inner, b->inner, sizeof(a->inner)) == 0;
}

/* A helper geom without space and body: at the identity, ODE leaves its triangles where the data has them. */
static dGeomID meshAtIdentity(dTriMeshDataID data) { return dCreateTriMesh(NULL, data, NULL, NULL, NULL); }

static void readTriangle(dGeomID geom, int index, double corners[9]) {
  dVector3 v[3];
  dGeomTriMeshGetTriangle(geom, index, &v[0], &v[1], &v[2]);
  for (int i = 0; i < 9; ++i) {
    corners[i] = v[i / 3][i % 3] + 0.0; /* -0 becomes 0, so that equal corners have equal bits */
  }
}

void dxBrinkSampleMesh(const brinkStepMeshKey *key, double samples[BRINK_STEP_MESH_SAMPLES][9]) {
  if (key->kind == dHeightfieldClass) {
    dxBrinkSampleHeights(key->data, samples);
    return;
  }
  dGeomID probe = meshAtIdentity(key->data);
  for (int i = 0; i < BRINK_STEP_MESH_SAMPLES; ++i) {
    readTriangle(probe, (int)((long)i * (key->triangleCount - 1) / (BRINK_STEP_MESH_SAMPLES - 1)), samples[i]);
  }
  dGeomDestroy(probe);
}

typedef struct keptArrays { /* what ODE keeps of a mesh: where the program's own arrays lie */
  const char *vertices;
  int vertexStride, vertexCount;
  const char *indices;
  int triangleCount, triangleStride;
  bool single;
} keptArrays;

/* Finds the program's arrays of a mesh in double precision. False: it is in single precision, or this ODE keeps them in
 * another way, which two meshes of a triangle tell. */
static bool findArrays(const dxBrinkShapeKey *key, keptArrays *out) {
  static const double vertices[12];
  static const dTriIndex indices[8] = {0, 1, 2};
  bool known = true;
  for (int i = 0; i < 2; ++i) {
    const keptArrays told = {(const char *)vertices, 32, 3, (const char *)indices, 1, 16, i == 1};
    dTriMeshDataID probe = dGeomTriMeshDataCreate();
    (i == 1 ? dGeomTriMeshDataBuildSingle : dGeomTriMeshDataBuildDouble)(probe, vertices, 32, 3, indices, 3, 16);
    known = known && memcmp(probe, &told, offsetof(keptArrays, single) + 1) == 0;
    dGeomTriMeshDataDestroy(probe);
  }
  memcpy(out, key->data, sizeof(*out));
  return known && !out->single && out->triangleCount == key->triangleCount;
}

/* Triangles of a mesh in its own frame, as exact as the program gave them. ODE tells corners in single precision only,
 * whose rounding could close a gap that Brink keeps. False: no memory. */
static bool readMesh(const dxBrinkShapeKey *key, brinkStepSoup *soup) {
  if (!brinkStepBeginSoup(soup, (size_t)key->triangleCount)) {
    return false;
  }
  keptArrays kept;
  const bool exact = findArrays(key, &kept);
  dGeomID probe = meshAtIdentity(key->data);
  for (int i = 0; i < key->triangleCount; ++i) {
    double corners[9];
    readTriangle(probe, i, corners);
    const dTriIndex *order = exact ? (const dTriIndex *)(kept.indices + (size_t)i * kept.triangleStride) : NULL;
    for (int k = 0; exact && k < 9; ++k) {
      corners[k] = ((const double *)(kept.vertices + (size_t)order[k / 3] * kept.vertexStride))[k % 3] + 0.0;
    }
    brinkStepAddTriangle(soup, corners);
  }
  dGeomDestroy(probe);
  return true;
}

static brinkStatus cookMesh(brinkStepShapes *shapes, const dxBrinkShapeKey *key, brinkStepMesh *mesh) {
  brinkStepSoup soup;
  return readMesh(key, &soup) ? brinkStepCookSoup(shapes, key->data, &soup, mesh) : brink_errorNoMemory;
}

static brinkStatus cookHeights(brinkStepShapes *shapes, const dxBrinkShapeKey *key, brinkStepMesh *mesh,
                               const char **reason) {
  const brinkStepTold *told = brinkStepFindTold(shapes, key->data);
  brinkStepField field;
  brinkStatus status =
      dxBrinkReadHeights(key->data, told != NULL ? told->columns : 0, told != NULL ? told->rows : 0, &field, reason);
  return status == brink_ok ? brinkStepCookField(shapes, &field, mesh) : status;
}

static brinkStatus makeMesh(brinkStepShapes *shapes, const dxBrinkShapeKey *key, uint64_t stamp, brinkStepShape *out,
                            const char **reason) {
  const brinkStepMeshKey meshKey = {key->data, key->geomClass, key->triangleCount};
  brinkStepMesh *mesh = brinkStepFindMesh(shapes, &meshKey, stamp), made;
  if (mesh == NULL) {
    brinkStatus status =
        key->geomClass == dHeightfieldClass ? cookHeights(shapes, key, &made, reason) : cookMesh(shapes, key, &made);
    if (status != brink_ok) {
      return status;
    }
    mesh = brinkStepAddMesh(shapes, &made, &meshKey, stamp);
  }
  if (mesh == NULL) {
    return brink_errorNoMemory;
  }
  *out = brinkStepUseMesh(shapes, mesh);
  return brink_ok;
}

/* All vertices of a convex, in its own frame: those below and those above a plane through the middle of its box. */
static size_t probeConvex(dGeomID geom, double *vertices, dContactGeom *contacts) {
  dReal box[6];
  dGeomGetAABB(geom, box);
  size_t count = 0;
  for (int side = -1; side <= 1; side += 2) {
    dReal height = side * (box[4] + box[5]) / 2;
    dGeomID plane = dCreatePlane(NULL, 0, 0, side, height);
    int found = dCollide(geom, plane, MAX_CONVEX_VERTICES, contacts, sizeof(*contacts));
    dGeomDestroy(plane);
    for (int i = 0; i < found; ++i) {
      const dReal *x = contacts[i].pos, *p = dGeomGetPosition(geom), *R = dGeomGetRotation(geom);
      for (int axis = 0; axis < 3; ++axis) {
        vertices[3 * count + axis] =
            R[axis] * (x[0] - p[0]) + R[4 + axis] * (x[1] - p[1]) + R[8 + axis] * (x[2] - p[2]);
      }
      count++;
    }
  }
  return brinkStepKeepDifferent(vertices, count);
}

brinkStatus dxBrinkReadConvex(dGeomID geom, double **out, size_t *count) {
  size_t capacity = 2 * MAX_CONVEX_VERTICES;
  double *vertices = malloc(3 * capacity * sizeof(double));
  dContactGeom *contacts = malloc(MAX_CONVEX_VERTICES * sizeof(*contacts));
  if (vertices == NULL || contacts == NULL) {
    free(vertices);
    free(contacts);
    return brink_errorNoMemory;
  }
  *count = probeConvex(geom, vertices, contacts);
  free(contacts);
  double *fitting = realloc(vertices, 3 * (*count > 0 ? *count : 1) * sizeof(double));
  *out = fitting != NULL ? fitting : vertices;
  if (*count == 0) {
    free(*out);
    return brink_errorEmpty;
  }
  return brink_ok;
}

/* The geom inside a GeomTransform, with its own box: the transform leaves its box there until the geom is moved. */
static dGeomID freshLeaf(dGeomID geom) {
  dGeomID leaf = dxBrinkLeaf(geom);
  if (leaf != geom) {
    const dReal *p = dGeomGetPosition(leaf);
    dGeomSetPosition(leaf, p[0], p[1], p[2]);
  }
  return leaf;
}

/* Does the convex still fill the box that its vertices fill? Sees most calls of dGeomSetConvex. */
bool dxBrinkConvexIsCurrent(dGeomID geom, const brinkStepShape *shape) {
  dReal box[6];
  geom = freshLeaf(geom);
  dGeomGetAABB(geom, box);
  const dReal *p = dGeomGetPosition(geom), *R = dGeomGetRotation(geom);
  double slack = 0;
  for (int axis = 0; axis < 3; ++axis) {
    slack = fmax(slack, 1e-9 * (fabs(p[axis]) + box[2 * axis + 1] - box[2 * axis]));
  }
  for (int axis = 0; axis < 3; ++axis) {
    double lower = INFINITY, upper = -INFINITY;
    for (size_t i = 0; i < shape->vertexCount; ++i) {
      const double *v = &shape->vertices[3 * i];
      double x = p[axis] + R[4 * axis] * v[0] + R[4 * axis + 1] * v[1] + R[4 * axis + 2] * v[2];
      lower = x < lower ? x : lower;
      upper = x > upper ? x : upper;
    }
    if (fabs(lower - box[2 * axis]) > slack || fabs(upper - box[2 * axis + 1]) > slack) {
      return false;
    }
  }
  return true;
}

/* The plugin's definition of a shape that has no triangles. It points into the key and into what was given. */
static brinkShapeDef defOf(const dxBrinkShapeKey *key, const dxBrinkGiven *given, const brinkStepShape *shape) {
  const double *s = key->size;
  brinkShapeDef def = {.structSize = sizeof(def), .size = {s[0], 0, s[1] / 2}};
  switch (key->geomClass) {
    case dSphereClass:
      def.type = brink_sphere;
      break;
    case dBoxClass:
      def.type = brink_box;
      def.size = (brinkVec3){s[0] / 2, s[1] / 2, s[2] / 2};
      break;
    case dCapsuleClass:
      def.type = s[1] > 0 ? brink_capsule : brink_sphere;
      break;
    case dCylinderClass:
      def.type = brink_cylinder;
      break;
    case dRayClass:
      def.type = brink_ray;
      def.size = (brinkVec3){0, 0, s[0]};
      break;
    case dConvexClass:
      def.type = brink_hull;
      def.mesh =
          (brinkMeshView){sizeof(brinkMeshView), BRINK_MESH_CONVEX, shape->vertices, shape->vertexCount, NULL, 0};
      break;
    case DX_BRINK_SUPPORT:
      def.type = brink_support;
      def.support = given->support;
      def.supportUser = given->supportUser;
      def.supportRadius = given->radius;
      break;
    default:
      def.type = brink_plane;
      def.size = (brinkVec3){0, 0, 0};
      def.normal = (brinkVec3){s[0], s[1], s[2]};
      def.offset = s[3];
      break;
  }
  return def;
}

static brinkStatus makeOwn(brinkStepShapes *shapes, dGeomID geom, const dxBrinkShapeKey *key, const dxBrinkGiven *given,
                           brinkStepShape *out) {
  brinkStatus status = brink_ok;
  if (key->geomClass == dConvexClass && given != NULL) {
    out->vertices = malloc(3 * (out->vertexCount = given->vertexCount) * sizeof(double));
    status = out->vertices != NULL ? brink_ok : brink_errorNoMemory;
    if (status == brink_ok) {
      memcpy(out->vertices, given->vertices, 3 * out->vertexCount * sizeof(double));
    }
  } else if (key->geomClass == dConvexClass) {
    status = dxBrinkReadConvex(freshLeaf(geom), &out->vertices, &out->vertexCount);
  }
  if (status != brink_ok) {
    return status;
  }
  const brinkShapeDef def = defOf(key, given, out);
  return brinkStepMakeShape(shapes, &def, out);
}

brinkStatus dxBrinkMakeShape(brinkStepShapes *shapes, dGeomID geom, const dxBrinkShapeKey *key,
                             const dxBrinkGiven *given, uint64_t stamp, brinkStepShape *out, char *message,
                             size_t messageCapacity) {
  *out = (brinkStepShape){.mesh = BRINK_NO_RECORD};
  brinkStatus status;
  const char *why = NULL;
  if (key->geomClass == dTriMeshClass || key->geomClass == dHeightfieldClass) {
    status = makeMesh(shapes, key, stamp, out, &why);
  } else {
    status = makeOwn(shapes, geom, key, given, out);
  }
  if (status != brink_ok) {
    const char *told = status == brink_errorNoMemory ? ""
                       : why != NULL                 ? why
                                                     : shapes->plugin->lastError(shapes->world);
    snprintf(message, messageCapacity, "%s", told[0] != '\0' ? told : shapes->plugin->statusText(status));
    return status;
  }
  brinkPose inner;
  memcpy(&inner, key->inner, sizeof(inner));
  if (inner.rotation.w != 0 || inner.rotation.x != 0 || inner.rotation.y != 0 || inner.rotation.z != 0) {
    out->place = brinkStepComposePose(inner, out->place);
  }
  return brink_ok;
}

void dxBrinkWriteShape(const dxBrinkGeom *record, uint32_t number, brinkStepText *out) {
  brinkStepSoup soup = {.vertices = NULL};
  brinkShapeDef def = {.type = brink_heightfield};
  if (record->key.geomClass == dTriMeshClass && readMesh(&record->key, &soup)) {
    def = (brinkShapeDef){.type = brink_mesh, .mesh = brinkStepSoupView(&soup)};
  } else if (record->key.geomClass != dTriMeshClass && record->key.geomClass != dHeightfieldClass) {
    def = defOf(&record->key, record->given, &record->shape);
  }
  brinkStepAppendShape(out, number, &def);
  brinkStepFreeSoup(&soup);
}

void dxBrinkFreeGiven(dxBrinkGiven *given) {
  if (given != NULL) {
    free(given->vertices);
    free(given);
  }
}
