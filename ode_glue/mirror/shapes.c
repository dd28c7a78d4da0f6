/* SPDX-License-Identifier: BSD-3-Clause */
/* Which Brink shape is this geom? Reads an ODE geom's class and sizes, makes the shape in a plugin's world, shares
 * cooked meshes.
 *
 * ODE's shapes: capsule and cylinder along local z, length without caps; plane n x = d, solid below; trimesh corners by
 * dGeomTriMeshGetTriangle on a helper geom at the identity (exact, bit for bit); convex: there is no getter, but two
 * dCollide probes against planes of opposite normal through its middle report every vertex on either side; heightfield:
 * heights.c; GeomTransform: the geom inside, whose own pose is its place in the transform's frame.
 * Units: m; quaternions (w,x,y,z) on both sides. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mirror.h"
#include "motion.h" /* plugin/stepping */

#define FLAT_MESH 1e-3 /* of the largest extent: a flat mesh counts as this thick; it is only kept at a distance */
#define THIN_RAY 1e-5  /* of its length: it stops nothing, so whatever touches it is met */
#define SHEET 1e-9     /* of the largest extent: rounding */
#define MAX_CONVEX_VERTICES 32768 /* dCollide takes at most 65535 contacts; a vertex may come twice */

static const brinkPose identityPose = {{0, 0, 0}, {1, 0, 0, 0}};

/* dGeomRaySet writes the third column of the matrix alone, so it may be no rotation. */
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

static bool isIdentity(brinkPose pose) { return memcmp(&pose, &identityPose, sizeof(pose)) == 0; }

/* Most shapes lie at their geom's origin: then the pose keeps its bits. */
brinkPose dxBrinkComposePose(brinkPose outer, brinkPose inner) {
  if (isIdentity(inner)) {
    return outer;
  }
  dQuaternion a = {outer.rotation.w, outer.rotation.x, outer.rotation.y, outer.rotation.z};
  dQuaternion b = {inner.rotation.w, inner.rotation.x, inner.rotation.y, inner.rotation.z}, q;
  dMatrix3 R;
  dQMultiply0(q, a, b);
  dRfromQ(R, a);
  const double *p = &inner.position.x, *o = &outer.position.x;
  double at[3];
  for (int axis = 0; axis < 3; ++axis) {
    at[axis] = o[axis] + R[4 * axis] * p[0] + R[4 * axis + 1] * p[1] + R[4 * axis + 2] * p[2];
  }
  return (brinkPose){{at[0], at[1], at[2]}, {q[0], q[1], q[2], q[3]}};
}

brinkPose dxBrinkShapePose(dGeomID geom, const dxBrinkShape *shape) {
  return dxBrinkComposePose(dxBrinkGeomPose(geom), shape->place);
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

/* The helper geom has no space and no body: ODE's transform of its triangles is the identity. */
static dGeomID meshAtIdentity(dTriMeshDataID data) { return dCreateTriMesh(NULL, data, NULL, NULL, NULL); }

static void readTriangle(dGeomID geom, int index, double corners[9]) {
  dVector3 v[3];
  dGeomTriMeshGetTriangle(geom, index, &v[0], &v[1], &v[2]);
  for (int i = 0; i < 9; ++i) {
    corners[i] = v[i / 3][i % 3] + 0.0; /* -0 becomes 0, so that equal corners have equal bits */
  }
}

static void readSamples(dTriMeshDataID data, int triangleCount, double samples[DX_BRINK_MESH_SAMPLES][9]) {
  dGeomID probe = meshAtIdentity(data);
  for (int i = 0; i < DX_BRINK_MESH_SAMPLES; ++i) {
    readTriangle(probe, (int)((long)i * (triangleCount - 1) / (DX_BRINK_MESH_SAMPLES - 1)), samples[i]);
  }
  dGeomDestroy(probe);
}

static void readDataSamples(int geomClass, void *data, int triangleCount, double samples[DX_BRINK_MESH_SAMPLES][9]) {
  if (geomClass == dHeightfieldClass) {
    dxBrinkSampleHeights(data, samples);
  } else {
    readSamples(data, triangleCount, samples);
  }
}

/* Is this still the mesh that was cooked? Compared once per walk. */
bool dxBrinkMeshIsCurrent(dxBrinkMesh *mesh, int triangleCount, uint64_t stamp) {
  if (mesh->triangleCount != triangleCount) {
    return false;
  }
  if (mesh->checked != stamp) {
    double samples[DX_BRINK_MESH_SAMPLES][9];
    readDataSamples(mesh->geomClass, mesh->data, triangleCount, samples);
    if (memcmp(samples, mesh->samples, sizeof(samples)) != 0) {
      return false;
    }
    mesh->checked = stamp;
  }
  return true;
}

typedef struct meshBuffers {
  double *vertices;  /* [vertexCount][3] */
  uint32_t *indices; /* [triangleCount][3] */
  uint32_t *table;   /* hash of vertices, vertex + 1; 0 = free */
  size_t vertexCount, tableSize;
} meshBuffers;

static void freeBuffers(meshBuffers *buffers) {
  free(buffers->vertices);
  free(buffers->indices);
  free(buffers->table);
}

static uint32_t weldVertex(meshBuffers *buffers, const double corner[3]) {
  uint64_t hash = 1469598103934665603ull; /* FNV-1a over the three bit patterns */
  for (int i = 0; i < 3; ++i) {
    uint64_t bits;
    memcpy(&bits, &corner[i], sizeof(bits));
    hash = (hash ^ (bits ^ (bits >> 29))) * 1099511628211ull;
  }
  size_t at = (size_t)(hash ^ (hash >> 31)) & (buffers->tableSize - 1);
  while (buffers->table[at] != 0) {
    if (memcmp(&buffers->vertices[3 * (size_t)(buffers->table[at] - 1)], corner, 3 * sizeof(double)) == 0) {
      return buffers->table[at] - 1;
    }
    at = (at + 1) & (buffers->tableSize - 1);
  }
  memcpy(&buffers->vertices[3 * buffers->vertexCount], corner, 3 * sizeof(double));
  buffers->table[at] = (uint32_t)++buffers->vertexCount;
  return (uint32_t)buffers->vertexCount - 1;
}

/* Triangles of the data in its own frame, equal corners welded. */
static brinkStatus readMesh(dTriMeshDataID data, size_t triangleCount, meshBuffers *buffers) {
  *buffers = (meshBuffers){.tableSize = 16};
  while (buffers->tableSize < 6 * triangleCount) {
    buffers->tableSize *= 2;
  }
  buffers->vertices = malloc(9 * triangleCount * sizeof(double));
  buffers->indices = malloc(3 * triangleCount * sizeof(uint32_t));
  buffers->table = calloc(buffers->tableSize, sizeof(uint32_t));
  if (buffers->vertices == NULL || buffers->indices == NULL || buffers->table == NULL) {
    freeBuffers(buffers);
    return brink_errorNoMemory;
  }
  dGeomID probe = meshAtIdentity(data);
  for (size_t i = 0; i < triangleCount; ++i) {
    double corners[9];
    readTriangle(probe, (int)i, corners);
    for (size_t corner = 0; corner < 3; ++corner) {
      buffers->indices[3 * i + corner] = weldVertex(buffers, &corners[3 * corner]);
    }
  }
  dGeomDestroy(probe);
  return brink_ok;
}

static void extentsOf(const double *vertices, size_t count, double extents[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    double lower = INFINITY, upper = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
      lower = fmin(lower, vertices[3 * i + axis]);
      upper = fmax(upper, vertices[3 * i + axis]);
    }
    extents[axis] = upper - lower;
  }
}

static double meshThickness(const double *vertices, size_t count) {
  double e[3];
  extentsOf(vertices, count, e);
  return fmax(fmin(fmin(e[0], e[1]), e[2]), FLAT_MESH * fmax(fmax(e[0], e[1]), e[2]));
}

/* All in one plane (of the axes): it has a side, but no thickness. */
static bool isSheet(const double *vertices, size_t count) {
  double e[3];
  extentsOf(vertices, count, e);
  return fmin(fmin(e[0], e[1]), e[2]) <= SHEET * fmax(fmax(e[0], e[1]), e[2]);
}

static double widthAlong(const double *vertices, size_t count, const double direction[3]) {
  double lower = INFINITY, upper = -INFINITY;
  for (size_t i = 0; i < count; ++i) {
    const double *v = &vertices[3 * i];
    double height = v[0] * direction[0] + v[1] * direction[1] + v[2] * direction[2];
    lower = fmin(lower, height);
    upper = fmax(upper, height);
  }
  return upper - lower;
}

/* Smallest width of a convex body, estimated: along the axes and along the normals of vertex triples (a thin plate that
 * lies askew in its own frame is thin along a face normal). Triples are thinned out evenly above about a million tests.
 */
static double convexThickness(const double *vertices, size_t count) {
  double e[3];
  extentsOf(vertices, count, e);
  double best = fmin(fmin(e[0], e[1]), e[2]);
  size_t used = count < 40 ? count : 40;
  for (size_t i = 0; i < used; ++i) {
    for (size_t j = i + 1; j < used; ++j) {
      for (size_t k = j + 1; k < used; ++k) {
        const double *a = &vertices[3 * (i * count / used)];
        const double *b = &vertices[3 * (j * count / used)];
        const double *c = &vertices[3 * (k * count / used)];
        double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length > 0) {
          best = fmin(best, widthAlong(vertices, count, n) / length);
        }
      }
    }
  }
  return best;
}

static dxBrinkMesh *findMesh(dxBrinkShapes *shapes, const dxBrinkShapeKey *key, uint64_t stamp) {
  for (size_t i = 0; i < shapes->meshCount; ++i) {
    if (shapes->meshes[i].data == key->data && shapes->meshes[i].geomClass == key->geomClass &&
        dxBrinkMeshIsCurrent(&shapes->meshes[i], key->triangleCount, stamp)) {
      return &shapes->meshes[i];
    }
  }
  return NULL;
}

static dxBrinkMesh *newMesh(dxBrinkShapes *shapes) {
  for (size_t i = 0; i < shapes->meshCount; ++i) {
    if (shapes->meshes[i].data == NULL) {
      return &shapes->meshes[i];
    }
  }
  if (!BRINK_STEP_RESERVE(shapes->meshes, shapes->meshCount, shapes->meshCapacity)) {
    return NULL;
  }
  shapes->meshes[shapes->meshCount] = (dxBrinkMesh){0};
  return &shapes->meshes[shapes->meshCount++];
}

static const dxBrinkBlob *findBlob(const dxBrinkShapes *shapes, dTriMeshDataID data) {
  for (size_t i = 0; i < shapes->blobCount; ++i) {
    if (shapes->blobs[i].data == data) {
      return &shapes->blobs[i];
    }
  }
  return NULL;
}

static brinkStatus cookMesh(dxBrinkShapes *shapes, const dxBrinkShapeKey *key, dxBrinkMesh *mesh) {
  meshBuffers buffers;
  if (readMesh(key->data, (size_t)key->triangleCount, &buffers) != brink_ok) {
    return brink_errorNoMemory;
  }
  brinkShapeDef def = {.structSize = sizeof(def), .type = brink_mesh};
  def.mesh = (brinkMeshView){sizeof(brinkMeshView),     0, buffers.vertices, buffers.vertexCount, buffers.indices,
                             (size_t)key->triangleCount};
  const dxBrinkBlob *cooked = findBlob(shapes, key->data);
  if (cooked != NULL) {
    def.blob = cooked->blob;
    def.blobSize = cooked->size;
  }
  brinkStatus status = shapes->plugin->createShape(shapes->world, &def, &mesh->shape);
  mesh->thickness = meshThickness(buffers.vertices, buffers.vertexCount);
  mesh->sheet = isSheet(buffers.vertices, buffers.vertexCount);
  mesh->place = identityPose;
  freeBuffers(&buffers);
  return status;
}

/* ODE's rows run along +z; Brink's, after a quarter turn about x, along -z (heights.c). */
static brinkStatus cookHeights(dxBrinkShapes *shapes, const dxBrinkShapeKey *key, dxBrinkMesh *mesh,
                               const char **reason) {
  size_t columns = 0, rows = 0;
  for (size_t i = 0; i < shapes->gridCount; ++i) {
    if (shapes->grids[i].data == key->data) {
      columns = shapes->grids[i].columns;
      rows = shapes->grids[i].rows;
    }
  }
  dxBrinkHeights field;
  brinkStatus status = dxBrinkReadHeights(key->data, columns, rows, &field, reason);
  if (status != brink_ok) {
    return status;
  }
  double *h = field.heights, low = h[0], high = h[0];
  for (size_t i = 0; i < field.columns * field.rows; ++i) {
    low = fmin(low, h[i]);
    high = fmax(high, h[i]);
  }
  for (size_t row = 0; row < field.rows / 2; ++row) {
    for (size_t column = 0; column < field.columns; ++column) {
      double *a = &h[row * field.columns + column], *b = &h[(field.rows - 1 - row) * field.columns + column], kept = *a;
      *a = *b;
      *b = kept;
    }
  }
  brinkShapeDef def = {.structSize = sizeof(def), .type = brink_heightfield, .flags = BRINK_SHAPE_SOLID_BELOW};
  def.size = (brinkVec3){field.width / (double)(field.columns - 1), field.depth / (double)(field.rows - 1), 0};
  def.offset = field.bottom;
  def.heights = h;
  def.columns = field.columns;
  def.rows = field.rows;
  status = shapes->plugin->createShape(shapes->world, &def, &mesh->shape);
  mesh->thickness = fmax(high - low, FLAT_MESH * fmax(field.width, field.depth));
  mesh->sheet = true;
  mesh->place = (brinkPose){{-field.width / 2, 0, field.depth / 2}, {sqrt(0.5), -sqrt(0.5), 0, 0}};
  free(h);
  return status;
}

static bool isHollow(const dxBrinkShapes *shapes, brinkShapeId shape) {
  const brinkStepsTable *steps = shapes->plugin->getExtension(BRINK_STEPS_NAME);
  double depth = 0;
  return steps == NULL || steps->inside(shapes->world, shape, &depth) != brink_ok || !(depth > 0);
}

static brinkStatus makeMesh(dxBrinkShapes *shapes, const dxBrinkShapeKey *key, uint64_t stamp, dxBrinkShape *out,
                            const char **reason) {
  dxBrinkMesh *mesh = findMesh(shapes, key, stamp);
  if (mesh == NULL) {
    mesh = newMesh(shapes);
    if (mesh == NULL) {
      return brink_errorNoMemory;
    }
    brinkStatus status =
        key->geomClass == dHeightfieldClass ? cookHeights(shapes, key, mesh, reason) : cookMesh(shapes, key, mesh);
    if (status != brink_ok) {
      return status;
    }
    mesh->data = key->data;
    mesh->geomClass = key->geomClass;
    mesh->triangleCount = key->triangleCount;
    mesh->users = 0;
    mesh->checked = stamp;
    mesh->hollow = isHollow(shapes, mesh->shape);
    readDataSamples(key->geomClass, key->data, key->triangleCount, mesh->samples);
  }
  mesh->users++;
  *out = (dxBrinkShape){.id = mesh->shape, .mesh = (uint32_t)(mesh - shapes->meshes), .thickness = mesh->thickness};
  out->place = mesh->place;
  out->surface = true;
  out->sheet = mesh->sheet;
  out->hollow = mesh->hollow;
  return brink_ok;
}

static int compareVertices(const void *a, const void *b) {
  const double *v = a, *w = b;
  for (int i = 0; i < 3; ++i) {
    if (v[i] != w[i]) {
      return v[i] < w[i] ? -1 : 1;
    }
  }
  return 0;
}

/* All vertices of a convex, own frame: those below and those above a plane through the middle of its box. */
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
  qsort(vertices, count, 3 * sizeof(double), compareVertices);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || compareVertices(&vertices[3 * i], &vertices[3 * (kept - 1)]) != 0) {
      memmove(&vertices[3 * kept++], &vertices[3 * i], 3 * sizeof(double));
    }
  }
  return kept;
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

static double *copyVertices(const double *vertices, size_t count) {
  double *copy = malloc(3 * count * sizeof(double));
  if (copy != NULL) {
    memcpy(copy, vertices, 3 * count * sizeof(double));
  }
  return copy;
}

static brinkStatus makeConvex(dxBrinkShapes *shapes, dGeomID geom, const dxBrinkGiven *given, dxBrinkShape *out) {
  double *vertices = NULL;
  size_t count = 0;
  brinkStatus status;
  if (given != NULL) {
    vertices = copyVertices(given->vertices, count = given->vertexCount);
    status = vertices != NULL ? brink_ok : brink_errorNoMemory;
  } else {
    status = dxBrinkReadConvex(geom, &vertices, &count);
  }
  if (status != brink_ok) {
    return status;
  }
  brinkShapeDef def = {.structSize = sizeof(def), .type = brink_hull};
  def.mesh = (brinkMeshView){sizeof(brinkMeshView), BRINK_MESH_CONVEX, vertices, count, NULL, 0};
  brinkShapeId id = 0;
  status = shapes->plugin->createShape(shapes->world, &def, &id);
  if (status != brink_ok) {
    free(vertices);
    return status;
  }
  *out = (dxBrinkShape){.id = id, .mesh = BRINK_NO_RECORD, .vertices = vertices, .vertexCount = count};
  out->place = identityPose;
  out->thickness = convexThickness(vertices, count);
  return brink_ok;
}

/* A GeomTransform leaves its own box in the geom inside; telling that geom that it moved has the box computed anew. */
static dGeomID freshLeaf(dGeomID geom) {
  dGeomID leaf = dxBrinkLeaf(geom);
  if (leaf != geom) {
    const dReal *p = dGeomGetPosition(leaf);
    dGeomSetPosition(leaf, p[0], p[1], p[2]);
  }
  return leaf;
}

/* Does the convex still fill the box that its vertices fill? Sees most calls of dGeomSetConvex. */
bool dxBrinkConvexIsCurrent(dGeomID geom, const dxBrinkShape *shape) {
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

static double primitiveDef(const dxBrinkShapeKey *key, brinkShapeDef *def) {
  const double *s = key->size;
  switch (key->geomClass) {
    case dSphereClass:
      def->type = brink_sphere;
      def->size.x = s[0];
      return 2 * s[0];
    case dBoxClass:
      def->type = brink_box;
      def->size = (brinkVec3){s[0] / 2, s[1] / 2, s[2] / 2};
      return fmin(fmin(s[0], s[1]), s[2]);
    case dCapsuleClass:
      def->type = s[1] > 0 ? brink_capsule : brink_sphere;
      def->size = (brinkVec3){s[0], 0, s[1] / 2};
      return 2 * s[0];
    case dRayClass:
      def->type = brink_ray;
      def->size = (brinkVec3){0, 0, s[0]};
      return THIN_RAY * s[0];
    case dCylinderClass:
      def->type = brink_cylinder;
      def->size = (brinkVec3){s[0], 0, s[1] / 2};
      return fmin(2 * s[0], s[1]);
    default:
      def->type = brink_plane;
      def->normal = (brinkVec3){s[0], s[1], s[2]};
      def->offset = s[3];
      return DX_BRINK_UNLIMITED;
  }
}

/* Width of a set in 13 directions, the smallest of them. */
static double supportThickness(const dxBrinkGiven *given) {
  double best = INFINITY;
  for (int code = 14; code < 27; ++code) { /* one of each opposite pair */
    double d[3] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1}, ends[2][3];
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int side = 0; side < 2; ++side) {
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = (side == 0 ? 1 : -1) * d[axis] / (side == 0 ? length : 1);
      }
      given->support(given->supportUser, d, ends[side]);
    }
    double width = 0;
    for (int axis = 0; axis < 3; ++axis) {
      width += d[axis] * (ends[1][axis] - ends[0][axis]);
    }
    best = fmin(best, width);
  }
  return best;
}

static brinkStatus makeSimple(dxBrinkShapes *shapes, const dxBrinkShapeKey *key, const dxBrinkGiven *given,
                              dxBrinkShape *out) {
  brinkShapeDef def = {.structSize = sizeof(def)};
  out->place = identityPose;
  if (key->geomClass == DX_BRINK_SUPPORT) {
    def.type = brink_support;
    def.support = given->support;
    def.supportUser = given->supportUser;
    def.supportRadius = given->radius;
    out->thickness = supportThickness(given);
  } else {
    out->thickness = primitiveDef(key, &def);
  }
  return shapes->plugin->createShape(shapes->world, &def, &out->id);
}

brinkStatus dxBrinkMakeShape(dxBrinkShapes *shapes, dGeomID geom, const dxBrinkShapeKey *key, const dxBrinkGiven *given,
                             uint64_t stamp, dxBrinkShape *out, char *message, size_t messageCapacity) {
  *out = (dxBrinkShape){.mesh = BRINK_NO_RECORD};
  brinkStatus status;
  const char *why = NULL;
  if (key->geomClass == dTriMeshClass || key->geomClass == dHeightfieldClass) {
    status = makeMesh(shapes, key, stamp, out, &why);
  } else if (key->geomClass == dConvexClass) {
    status = makeConvex(shapes, given == NULL ? freshLeaf(geom) : NULL, given, out);
  } else {
    status = makeSimple(shapes, key, given, out);
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
    out->place = dxBrinkComposePose(inner, out->place);
  }
  return brink_ok;
}

void dxBrinkDropShape(dxBrinkShapes *shapes, dxBrinkShape *shape) {
  if (shape->mesh != BRINK_NO_RECORD) {
    shapes->meshes[shape->mesh].users--; /* destroyed at the end of the walk, when nobody took it again */
  } else if (shape->id != 0) {
    shapes->plugin->destroyShape(shapes->world, shape->id);
  }
  free(shape->vertices);
  *shape = (dxBrinkShape){.mesh = BRINK_NO_RECORD};
}

void dxBrinkDropUnusedMeshes(dxBrinkShapes *shapes) {
  for (size_t i = 0; i < shapes->meshCount; ++i) {
    if (shapes->meshes[i].data != NULL && shapes->meshes[i].users == 0) {
      shapes->plugin->destroyShape(shapes->world, shapes->meshes[i].shape);
      shapes->meshes[i] = (dxBrinkMesh){0};
    }
  }
}

void dxBrinkFreeShapes(dxBrinkShapes *shapes) {
  if (shapes->plugin != NULL && shapes->world != NULL) {
    shapes->plugin->destroyWorld(shapes->world);
  }
  free(shapes->meshes);
  for (size_t i = 0; i < shapes->blobCount; ++i) {
    free(shapes->blobs[i].blob);
  }
  free(shapes->blobs);
  free(shapes->grids);
  *shapes = (dxBrinkShapes){0};
}

void dxBrinkFreeGiven(dxBrinkGiven *given) {
  if (given != NULL) {
    free(given->vertices);
    free(given);
  }
}
