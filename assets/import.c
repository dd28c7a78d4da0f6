/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes from files through assimp, without losing or bending a triangle.
 *
 * What assimp must not do here, and how it is kept from it (measured on assimp 5.2):
 *  - FindDegenerates deletes small triangles (a grid of 1 mm came back empty), JoinIdenticalVertices merges points 1e-7
 * m apart, SortByPType splits points and segments off, Triangulate gives up on some polygons. None of them is asked
 * for: polygons are cut here into exactly n - 2 triangles, vertices are welded here when their bits are equal.
 *  - It lets broken OBJ and STL through. scan.c reads them first, strictly; assimp's faces and positions are then held
 *    against what the file says, and the file's own numbers are kept (assimp has only float).
 *  - Its glTF reader drops faces with a bad index: the JSON's own count is asked, too (source.c).
 *  - It follows file names. It is served from memory (source.h) and can open nothing else.
 * ValidateDataStructure is a must: without it some files give a "successful" scene with wild pointers.
 * Faces in = faces out: counted after reading, after RemoveComponent, and at the end.
 * Based on: Meisters 1975 (every simple polygon has an ear); Newell's normal (Sutherland et al. 1974). */
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "assimp_lock.h"
#include "message.h"
#include "scan.h"
#include "source.h"

enum {
  maxNodeDepth = 512,       // of a scene's tree; a guard of the stack
  maxPolygonCorners = 4096  // of a concave polygon: ear cutting is quadratic
};

pthread_mutex_t brinkAssimpLock = PTHREAD_MUTEX_INITIALIZER;

typedef struct meshPile {  // a brinkMesh that grows
  brinkMesh mesh;
  size_t vertexCapacity, triangleCapacity;
} meshPile;

// ------------------------------------------------------------------------------------------- files for assimp, from
// memory

typedef struct memoryFile {
  struct aiFile assimp;  // what assimp sees
  const unsigned char *bytes;
  size_t size, position;
  struct memoryFile *previous, *next;  // of the folder's open files
} memoryFile;

typedef struct memoryFolder {
  const brinkSourceSet *set;
  const char *mainName;
  const unsigned char *mainBytes;
  size_t mainSize;
  memoryFile *open;  // assimp forgets to close some when a file is broken
} memoryFolder;

static size_t memoryRead(struct aiFile *file, char *out, size_t elementSize, size_t count) {
  memoryFile *state = (memoryFile *)(void *)file->UserData;
  if (elementSize == 0) return 0;
  size_t available = (state->size - state->position) / elementSize;
  if (count > available) count = available;
  memcpy(out, state->bytes + state->position, count * elementSize);
  state->position += count * elementSize;
  return count;
}

static size_t memoryWrite(struct aiFile *file, const char *bytes, size_t elementSize, size_t count) {
  (void)file, (void)bytes, (void)elementSize, (void)count;
  return 0;
}

static size_t memoryTell(struct aiFile *file) { return ((memoryFile *)(void *)file->UserData)->position; }

static size_t memorySize(struct aiFile *file) { return ((memoryFile *)(void *)file->UserData)->size; }

static aiReturn memorySeek(struct aiFile *file, size_t offset, enum aiOrigin origin) {
  memoryFile *state = (memoryFile *)(void *)file->UserData;
  size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? state->position : state->size;
  size_t target = base + offset;  // offset may be a negative number, wrapped
  if (target > state->size) return aiReturn_FAILURE;
  state->position = target;
  return aiReturn_SUCCESS;
}

static void memoryFlush(struct aiFile *file) { (void)file; }

static struct aiFile *memoryOpen(struct aiFileIO *io, const char *path, const char *mode) {
  memoryFolder *folder = (memoryFolder *)(void *)io->UserData;
  const unsigned char *bytes = NULL;
  size_t size = 0;
  if (strpbrk(mode, "wa+") != NULL) return NULL;
  if (strncmp(path, "./", 2) == 0) path += 2;
  if (strcmp(path, folder->mainName) == 0) {
    bytes = folder->mainBytes;
    size = folder->mainSize;
  }
  for (size_t i = 1; bytes == NULL && i < folder->set->count; ++i) {
    const brinkSource *item = &folder->set->items[i];
    if (strcmp(path, strncmp(item->name, "./", 2) == 0 ? item->name + 2 : item->name) != 0) continue;
    bytes = item->bytes;
    size = item->size;
  }
  if (bytes == NULL) return NULL;
  memoryFile *file = calloc(1, sizeof *file);
  if (file == NULL) return NULL;
  *file = (memoryFile){.assimp = {.ReadProc = memoryRead,
                                  .WriteProc = memoryWrite,
                                  .TellProc = memoryTell,
                                  .FileSizeProc = memorySize,
                                  .SeekProc = memorySeek,
                                  .FlushProc = memoryFlush,
                                  .UserData = (aiUserData)(void *)file},
                       .bytes = bytes,
                       .size = size,
                       .next = folder->open};
  if (folder->open != NULL) folder->open->previous = file;
  folder->open = file;
  return &file->assimp;
}

static void memoryClose(struct aiFileIO *io, struct aiFile *given) {
  if (given == NULL) return;
  memoryFolder *folder = (memoryFolder *)(void *)io->UserData;
  memoryFile *file = (memoryFile *)(void *)given->UserData;
  if (file->next != NULL) file->next->previous = file->previous;
  *(file->previous != NULL ? &file->previous->next : &folder->open) = file->next;
  free(file);
}

// ------------------------------------------------------------------------------------------------------------- the
// pile

static bool addVertices(meshPile *pile, size_t count) {  // uninitialised
  if (!brinkAssets_Reserve((void **)&pile->mesh.vertices, &pile->vertexCapacity, pile->mesh.vertexCount + count,
                           3 * sizeof(double)))
    return false;
  pile->mesh.vertexCount += count;
  return true;
}

static bool addTriangle(meshPile *pile, uint32_t a, uint32_t b, uint32_t c) {
  brinkMesh *mesh = &pile->mesh;
  if (!brinkAssets_Reserve((void **)&mesh->indices, &pile->triangleCapacity, mesh->triangleCount + 1,
                           3 * sizeof(uint32_t)))
    return false;
  uint32_t *triangle = mesh->indices + 3 * mesh->triangleCount++;
  triangle[0] = a, triangle[1] = b, triangle[2] = c;
  return true;
}

// ---------------------------------------------------------------------------------------------------------- cutting
// polygons

static double turnOf(const double *a, const double *b, const double *c) {  // twice the signed area, in the plane
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The corners dropped onto the coordinate plane that sees most of the polygon, counterclockwise there: [count][2].
static void flatten(const double *vertices, const uint32_t *corners, size_t count, double *flat) {
  double normal[3] = {0, 0, 0};
  const double *origin = vertices + 3 * (size_t)corners[0];
  for (size_t i = 0; i < count; ++i) {
    const double *p = vertices + 3 * (size_t)corners[i], *q = vertices + 3 * (size_t)corners[(i + 1) % count];
    for (int axis = 0; axis < 3; ++axis) {
      int u = (axis + 1) % 3, v = (axis + 2) % 3;
      normal[axis] += (p[u] - origin[u]) * (q[v] - origin[v]) - (p[v] - origin[v]) * (q[u] - origin[u]);
    }
  }
  int drop = fabs(normal[1]) > fabs(normal[0]) ? 1 : 0;
  if (fabs(normal[2]) > fabs(normal[drop])) drop = 2;
  int u = (drop + 1) % 3, v = (drop + 2) % 3;
  double sign = normal[drop] < 0 ? -1 : 1;
  for (size_t i = 0; i < count; ++i) {
    const double *p = vertices + 3 * (size_t)corners[i];
    flat[2 * i] = p[u] - origin[u];
    flat[2 * i + 1] = sign * (p[v] - origin[v]);
  }
}

static bool isConvex(const double *flat, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (turnOf(flat + 2 * i, flat + 2 * ((i + 1) % count), flat + 2 * ((i + 2) % count)) < 0) return false;
  }
  return true;
}

// May the corner at ring[i] be cut off? Its triangle turns left and holds no other corner.
static bool isEar(const double *flat, const uint32_t *ring, size_t count, size_t i) {
  const double *a = flat + 2 * (size_t)ring[(i + count - 1) % count], *b = flat + 2 * (size_t)ring[i];
  const double *c = flat + 2 * (size_t)ring[(i + 1) % count];
  if (!(turnOf(a, b, c) > 0)) return false;
  for (size_t k = 0; k < count; ++k) {
    const double *p = flat + 2 * (size_t)ring[k];
    if ((p[0] == a[0] && p[1] == a[1]) || (p[0] == b[0] && p[1] == b[1]) || (p[0] == c[0] && p[1] == c[1])) continue;
    if (turnOf(a, b, p) >= 0 && turnOf(b, c, p) >= 0 && turnOf(c, a, p) >= 0) return false;
  }
  return true;
}

// Corner to cut next: an ear; else one on a straight line; else any (a polygon that crosses itself has no right answer,
// but keeps its count).
static size_t nextCut(const double *flat, const uint32_t *ring, size_t count) {
  size_t straight = count;
  for (size_t i = 0; i < count; ++i) {
    if (isEar(flat, ring, count, i)) return i;
    const double *a = flat + 2 * (size_t)ring[(i + count - 1) % count], *b = flat + 2 * (size_t)ring[i];
    if (straight == count && turnOf(a, b, flat + 2 * (size_t)ring[(i + 1) % count]) == 0) straight = i;
  }
  return straight < count ? straight : 0;
}

static brinkStatus cutConcave(meshPile *pile, const uint32_t *corners, size_t count, const double *flat) {
  uint32_t *ring = malloc(count * sizeof *ring);
  if (ring == NULL) return brink_errorNoMemory;
  for (size_t i = 0; i < count; ++i) ring[i] = (uint32_t)i;
  brinkStatus status = brink_ok;
  for (; count >= 3 && status == brink_ok; --count) {
    size_t cut = count == 3 ? 1 : nextCut(flat, ring, count);
    if (!addTriangle(pile, corners[ring[(cut + count - 1) % count]], corners[ring[cut]],
                     corners[ring[(cut + 1) % count]]))
      status = brink_errorNoMemory;
    memmove(ring + cut, ring + cut + 1, (count - cut - 1) * sizeof *ring);
  }
  free(ring);
  return status;
}

// One face as max(1, size - 2) triangles; (i,i,i) for a point, (i,j,j) for a segment.
static brinkStatus addFace(meshPile *pile, const uint32_t *corners, size_t size) {
  if (size <= 3) {
    uint32_t last = corners[size - 1];
    return addTriangle(pile, corners[0], size > 1 ? corners[1] : last, last) ? brink_ok : brink_errorNoMemory;
  }
  double *flat = malloc(2 * size * sizeof *flat);
  if (flat == NULL) return brink_errorNoMemory;
  flatten(pile->mesh.vertices, corners, size, flat);
  brinkStatus status = brink_ok;
  if (!isConvex(flat, size)) {
    status = size > maxPolygonCorners ? brink_errorRange : cutConcave(pile, corners, size, flat);
  } else {
    for (size_t i = 2; i < size && status == brink_ok; ++i) {
      if (!addTriangle(pile, corners[0], corners[i - 1], corners[i])) status = brink_errorNoMemory;
    }
  }
  free(flat);
  return status;
}

static size_t trianglesOfFace(size_t size) { return size <= 3 ? 1 : size - 2; }

// -----------------------------------------------------------------------------------------------------------------
// welding

static uint64_t hashPoint(const double *point) {
  uint64_t bits[3], hash = 0;
  memcpy(bits, point, sizeof bits);
  for (int axis = 0; axis < 3; ++axis) {
    hash = (hash ^ bits[axis]) * 0xD1B54A32D192ED03ull;
    hash ^= hash >> 31;
  }
  return hash;
}

// Joins vertices whose bits are equal and drops those that no triangle uses; the order of the file stays.
static brinkStatus weld(brinkMesh *mesh) {
  const uint32_t none = UINT32_MAX;
  size_t tableSize = 16;
  while (tableSize < 2 * mesh->vertexCount) tableSize *= 2;
  uint32_t *table = malloc(tableSize * sizeof *table), *renamed = malloc(mesh->vertexCount * sizeof *renamed);
  if (table == NULL || renamed == NULL) {
    free(table);
    free(renamed);
    return brink_errorNoMemory;
  }
  memset(table, 0xFF, tableSize * sizeof *table);
  memset(renamed, 0xFF, mesh->vertexCount * sizeof *renamed);
  for (size_t i = 0; i < 3 * mesh->triangleCount; ++i) renamed[mesh->indices[i]] = 0;  // used
  size_t kept = 0;
  for (size_t i = 0; i < mesh->vertexCount; ++i) {
    if (renamed[i] == none) continue;
    const double *point = mesh->vertices + 3 * i;
    size_t slot = (size_t)hashPoint(point) & (tableSize - 1);
    while (table[slot] != none && memcmp(mesh->vertices + 3 * (size_t)table[slot], point, 3 * sizeof *point) != 0)
      slot = (slot + 1) & (tableSize - 1);
    if (table[slot] == none) {
      memmove(mesh->vertices + 3 * kept, point, 3 * sizeof *point);
      table[slot] = (uint32_t)kept++;
    }
    renamed[i] = table[slot];
  }
  for (size_t i = 0; i < 3 * mesh->triangleCount; ++i) mesh->indices[i] = renamed[mesh->indices[i]];
  mesh->vertexCount = kept;
  free(table);
  free(renamed);
  return brink_ok;
}

// Triangles that are a point or a segment: two corners alike, or no area to the last bit (nearly flat ones may be
// missed).
static size_t countDegenerate(const brinkMesh *mesh) {
  size_t count = 0;
  for (size_t t = 0; t < mesh->triangleCount; ++t) {
    const uint32_t *corner = mesh->indices + 3 * t;
    const double *a = mesh->vertices + 3 * (size_t)corner[0], *b = mesh->vertices + 3 * (size_t)corner[1];
    const double *c = mesh->vertices + 3 * (size_t)corner[2];
    double scale = 0, u[3], v[3];
    for (int axis = 0; axis < 3; ++axis) {
      u[axis] = b[axis] - a[axis];
      v[axis] = c[axis] - a[axis];
      scale = fmax(scale, fmax(fabs(u[axis]), fabs(v[axis])));
    }
    bool flat = true;
    for (int axis = 0; axis < 3 && scale > 0; ++axis) {
      int i = (axis + 1) % 3, j = (axis + 2) % 3;
      if ((u[i] / scale) * (v[j] / scale) - (u[j] / scale) * (v[i] / scale) != 0) flat = false;
    }
    count += flat;
  }
  return count;
}

// ----------------------------------------------------------------------------------------------------- reading with
// assimp

// Faces and the triangles they are worth in all meshes of a scene, whatever node shows them.
static size_t countSceneFaces(const struct aiScene *scene) {
  size_t count = 0;
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) count += scene->mMeshes[i]->mNumFaces;
  return count;
}

static size_t countSceneTriangles(const struct aiScene *scene) {
  size_t count = 0;
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) {
    for (unsigned f = 0; f < scene->mMeshes[i]->mNumFaces; ++f)
      count += trianglesOfFace(scene->mMeshes[i]->mFaces[f].mNumIndices);
  }
  return count;
}

static brinkStatus readScene(const brinkSourceSet *set, const brinkScan *scan, const char *path,
                             const struct aiScene **out, char *message, size_t messageCapacity) {
  static const char *const names[] = {"model.obj", "model.stl", "model.glb", "model.gltf"};
  bool cleaned = scan->text != NULL;
  memoryFolder folder = {set, names[set->format], cleaned ? scan->text : set->items[0].bytes,
                         cleaned ? scan->textSize : set->items[0].size, NULL};
  struct aiFileIO io = {.OpenProc = memoryOpen, .CloseProc = memoryClose, .UserData = (aiUserData)(void *)&folder};
  struct aiPropertyStore *properties = aiCreatePropertyStore();
  // Removed first: what is not there cannot split vertices, fail validation or take memory.
  aiSetImportPropertyInteger(properties, AI_CONFIG_PP_RVC_FLAGS,
                             aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS | aiComponent_COLORS |
                                 aiComponent_TEXCOORDS | aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                 aiComponent_TEXTURES | aiComponent_LIGHTS | aiComponent_CAMERAS |
                                 aiComponent_MATERIALS);
  brinkStatus status = brink_ok;
  size_t before = 0;
  const struct aiScene *scene =
      aiImportFileExWithProperties(folder.mainName, aiProcess_ValidateDataStructure, &io, properties);
  if (scene != NULL) {
    before = countSceneTriangles(scene);
    scene = aiApplyPostProcessing(scene, aiProcess_RemoveComponent);  // releases the scene itself when it fails
  }
  aiReleasePropertyStore(properties);
  while (folder.open != NULL) memoryClose(&io, &folder.open->assimp);
  if (scene == NULL || scene->mRootNode == NULL) {
    brinkSay(message, messageCapacity, "%s: assimp: %s; check or re-export the file", path, aiGetErrorString());
    status = strstr(aiGetErrorString(), "bad_alloc") != NULL ? brink_errorNoMemory : brink_errorParse;
  } else if (scene->mNumMeshes == 0 || before == 0) {
    brinkSay(message, messageCapacity, "%s: no faces in it; export the model as triangles", path);
    status = brink_errorEmpty;
  } else if (countSceneTriangles(scene) != before) {
    brinkSay(message, messageCapacity, "%s: assimp read %zu triangles but gives %zu; please report this file", path,
             before, countSceneTriangles(scene));
    status = brink_errorInternal;
  }
  if (status != brink_ok && scene != NULL) {
    aiReleaseImport(scene);
    scene = NULL;
  }
  *out = scene;
  return status;
}

// ---------------------------------------------------------------------------------- OBJ and STL: assimp against our
// own scan

// How far assimp may read from the number in the file: a few roundings to float; it also stops at 15 decimals.
static bool isSameNumber(double assimpValue, double fileValue) {
  return fabs(assimpValue - fileValue) <= 1e-6 * fabs(fileValue) + 2e-15;
}

static brinkStatus compareWithScan(const struct aiScene *scene, const brinkScan *scan, const char *path, char *message,
                                   size_t messageCapacity) {
  size_t face = 0, corner = 0, differingFace = SIZE_MAX;
  for (unsigned m = 0; m < scene->mNumMeshes && differingFace == SIZE_MAX; ++m) {
    const struct aiMesh *mesh = scene->mMeshes[m];
    for (unsigned f = 0; f < mesh->mNumFaces && differingFace == SIZE_MAX; ++f, ++face) {
      const struct aiFace *read = &mesh->mFaces[f];
      if (face >= scan->faceCount || scan->faceSizes[face] != read->mNumIndices) {
        differingFace = face;
        break;
      }
      for (unsigned i = 0; i < read->mNumIndices; ++i, ++corner) {
        const double *wanted = scan->vertices + 3 * (size_t)scan->corners[corner];
        if (read->mIndices[i] >= mesh->mNumVertices) {
          differingFace = face;
          break;
        }
        const struct aiVector3D *got = &mesh->mVertices[read->mIndices[i]];
        if (!isSameNumber((double)got->x, wanted[0]) || !isSameNumber((double)got->y, wanted[1]) ||
            !isSameNumber((double)got->z, wanted[2]))
          differingFace = face;
      }
    }
  }
  if (differingFace == SIZE_MAX && face == scan->faceCount) return brink_ok;
  if (differingFace == SIZE_MAX) differingFace = face;
  brinkSay(message, messageCapacity,
           "%s: face %zu of %zu (from 0): assimp reads something else than the file says; export it again", path,
           differingFace, scan->faceCount);
  return brink_errorParse;
}

static brinkStatus takeScan(meshPile *pile, const brinkScan *scan, const char *path, char *message,
                            size_t messageCapacity) {
  brinkStatus status = addVertices(pile, scan->vertexCount) ? brink_ok : brink_errorNoMemory;
  if (status == brink_ok) memcpy(pile->mesh.vertices, scan->vertices, 3 * sizeof(double) * scan->vertexCount);
  const uint32_t *corners = scan->corners;
  for (size_t face = 0; face < scan->faceCount && status == brink_ok; ++face) {
    status = addFace(pile, corners, scan->faceSizes[face]);
    if (status == brink_errorRange)
      brinkSay(message, messageCapacity,
               "%s: face %zu (from 0) is a concave polygon of %u corners; triangulate when exporting", path, face,
               scan->faceSizes[face]);
    corners += scan->faceSizes[face];
  }
  return status;
}

// -------------------------------------------------------------------------------------------- glTF: nodes, in double

typedef struct walk {
  const struct aiScene *scene;
  meshPile *pile;
  unsigned char *shown;  // [mNumMeshes] a node shows this mesh
  size_t expectedTriangles;
  const char *path;
  char *message;
  size_t messageCapacity;
} walk;

typedef struct affine {  // x_world = rows * (x, 1)
  double rows[3][4];
} affine;

static affine composed(const affine *parent, const struct aiMatrix4x4 *local) {
  const double child[4][4] = {{(double)local->a1, (double)local->a2, (double)local->a3, (double)local->a4},
                              {(double)local->b1, (double)local->b2, (double)local->b3, (double)local->b4},
                              {(double)local->c1, (double)local->c2, (double)local->c3, (double)local->c4},
                              {(double)local->d1, (double)local->d2, (double)local->d3, (double)local->d4}};
  affine result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += parent->rows[i][k] * child[k][j];
      result.rows[i][j] = sum;
    }
  }
  return result;
}

static double determinant(const affine *m) {
  const double(*r)[4] = m->rows;
  return r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) - r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
         r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
}

static bool isFiniteAffine(const affine *m) {
  for (int i = 0; i < 12; ++i) {
    if (!isfinite(m->rows[i / 4][i % 4])) return false;
  }
  return isfinite(determinant(m));
}

static brinkStatus addSceneMesh(walk *state, const struct aiNode *node, const struct aiMesh *mesh,
                                const affine *world) {
  size_t base = state->pile->mesh.vertexCount;
  if (base + mesh->mNumVertices >= UINT32_MAX) {
    brinkSay(state->message, state->messageCapacity, "%s: more vertices than 32 bits can count; split the model",
             state->path);
    return brink_errorRange;
  }
  if (!addVertices(state->pile, mesh->mNumVertices)) return brink_errorNoMemory;
  for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
    const double point[3] = {(double)mesh->mVertices[i].x, (double)mesh->mVertices[i].y, (double)mesh->mVertices[i].z};
    double *out = state->pile->mesh.vertices + 3 * (base + i);
    for (int row = 0; row < 3; ++row) {
      const double *m = world->rows[row];
      out[row] = m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3] + 0.0;  // + 0: no negative zero
      if (isfinite(out[row])) continue;
      brinkSay(state->message, state->messageCapacity,
               "%s: node '%s', mesh '%s': vertex %u is not finite; export it again", state->path, node->mName.data,
               mesh->mName.data, i);
      return brink_errorBadValue;
    }
  }
  const bool mirrored = determinant(world) < 0;  // a mirror turns the winding; turn it back
  for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
    const struct aiFace *face = &mesh->mFaces[f];
    uint32_t few[8], *corners = face->mNumIndices <= 8 ? few : malloc(face->mNumIndices * sizeof *corners);
    if (corners == NULL) return brink_errorNoMemory;
    brinkStatus status = face->mNumIndices == 0 ? brink_errorParse : brink_ok;
    for (unsigned i = 0; i < face->mNumIndices; ++i) {
      unsigned index = face->mIndices[mirrored ? face->mNumIndices - 1 - i : i];
      if (index >= mesh->mNumVertices) status = brink_errorBadIndex;
      corners[i] = (uint32_t)(base + index);
    }
    if (status != brink_ok)
      brinkSay(state->message, state->messageCapacity,
               "%s: node '%s', mesh '%s': face %u has a vertex index out of range", state->path, node->mName.data,
               mesh->mName.data, f);
    else
      status = addFace(state->pile, corners, face->mNumIndices);
    state->expectedTriangles += trianglesOfFace(face->mNumIndices);
    if (corners != few) free(corners);
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

static brinkStatus addNode(walk *state, const struct aiNode *node, const affine *parent, int depth) {
  affine world = composed(parent, &node->mTransformation);
  if (!isFiniteAffine(&world)) {
    brinkSay(state->message, state->messageCapacity, "%s: node '%s': its transform is not finite; export it again",
             state->path, node->mName.data);
    return brink_errorBadValue;
  }
  if (depth > maxNodeDepth) {
    brinkSay(state->message, state->messageCapacity, "%s: node '%s': more than %d levels deep; flatten the scene",
             state->path, node->mName.data, maxNodeDepth);
    return brink_errorRange;
  }
  brinkStatus status = brink_ok;
  for (unsigned i = 0; i < node->mNumMeshes && status == brink_ok; ++i) {
    if (node->mMeshes[i] >= state->scene->mNumMeshes) return brink_errorParse;
    state->shown[node->mMeshes[i]] = 1;
    status = addSceneMesh(state, node, state->scene->mMeshes[node->mMeshes[i]], &world);
  }
  for (unsigned i = 0; i < node->mNumChildren && status == brink_ok; ++i)
    status = addNode(state, node->mChildren[i], &world, depth + 1);
  return status;
}

static brinkStatus takeScene(meshPile *pile, const struct aiScene *scene, const char *path, char *message,
                             size_t messageCapacity) {
  const affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  walk state = {scene, pile, calloc(scene->mNumMeshes, 1), 0, path, message, messageCapacity};
  if (state.shown == NULL) return brink_errorNoMemory;
  brinkStatus status = addNode(&state, scene->mRootNode, &identity, 0);
  unsigned hidden = 0;
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) hidden += state.shown[i] == 0;
  free(state.shown);
  if (status != brink_ok) return status;
  if (state.expectedTriangles != pile->mesh.triangleCount) {
    brinkSay(message, messageCapacity, "%s: %zu triangles in, %zu out; please report this file", path,
             state.expectedTriangles, pile->mesh.triangleCount);
    return brink_errorInternal;
  }
  if (pile->mesh.triangleCount == 0) {
    brinkSay(message, messageCapacity, "%s: no node shows a face; export the model as triangles in the scene", path);
    return brink_errorEmpty;
  }
  if (hidden > 0)
    brinkSay(message, messageCapacity, "%s: warning: %u meshes that no node shows are left out", path, hidden);
  return brink_ok;
}

// --------------------------------------------------------------------------------------------------------------------
// entry points

static brinkStatus scanSources(const brinkSourceSet *set, brinkScan *scan, const char *path, char *message,
                               size_t messageCapacity) {
  const brinkSource *file = &set->items[0];
  *scan = (brinkScan){0};
  if (set->format == brink_formatObj)
    return brinkScan_Obj(scan, path, file->bytes, file->size, message, messageCapacity);
  if (set->format == brink_formatStl)
    return brinkScan_Stl(scan, path, file->bytes, file->size, message, messageCapacity);
  if (file->size > 0) return brink_ok;
  brinkSay(message, messageCapacity, "%s: the file is empty; export it again", path);
  return brink_errorEmpty;
}

brinkStatus brinkSourceSet_Import(brinkSourceSet *set, const char *path, uint32_t flags, brinkMesh *out, char *message,
                                  size_t messageCapacity) {
  brinkScan scan;
  brinkStatus status = scanSources(set, &scan, path, message, messageCapacity);
  if (status != brink_ok) return status;
  const bool scanned = scan.faceCount > 0;
  meshPile pile = {0};
  const struct aiScene *scene = NULL;
  pthread_mutex_lock(&brinkAssimpLock);
  status = readScene(set, &scan, path, &scene, message, messageCapacity);
  if (status == brink_ok && scanned) status = compareWithScan(scene, &scan, path, message, messageCapacity);
  if (status == brink_ok && !scanned && countSceneFaces(scene) != set->promisedFaces) {
    brinkSay(message, messageCapacity,
             "%s: the file promises %zu faces, assimp reads %zu: an index is out of range or the data is damaged; "
             "export it again",
             path, set->promisedFaces, countSceneFaces(scene));
    status = brink_errorBadIndex;
  }
  if (status == brink_ok && !scanned) status = takeScene(&pile, scene, path, message, messageCapacity);
  if (scene != NULL) aiReleaseImport(scene);
  pthread_mutex_unlock(&brinkAssimpLock);
  if (status == brink_ok && scanned) status = takeScan(&pile, &scan, path, message, messageCapacity);
  brinkScan_Free(&scan);
  if (status == brink_ok && (flags & BRINK_IMPORT_NO_WELD) == 0) status = weld(&pile.mesh);
  if (status != brink_ok) {
    if (status == brink_errorNoMemory) brinkSay(message, messageCapacity, "%s: out of memory", path);
    brinkFreeMesh(&pile.mesh);
    return status;
  }
  pile.mesh.degenerateCount = countDegenerate(&pile.mesh);
  *out = pile.mesh;
  return brink_ok;
}

brinkStatus brinkImportMesh(const char *path, uint32_t flags, brinkMesh *out, char *message, size_t messageCapacity) {
  brinkSay(message, messageCapacity, "%s", "");
  if (path == NULL || out == NULL) {
    brinkSay(message, messageCapacity, "brinkImportMesh: %s is NULL", path == NULL ? "path" : "out");
    return brink_errorNullArgument;
  }
  if ((flags & ~(uint32_t)BRINK_IMPORT_NO_WELD) != 0) {
    brinkSay(message, messageCapacity, "brinkImportMesh: unknown flags 0x%x; use 0 or BRINK_IMPORT_NO_WELD",
             (unsigned)flags);
    return brink_errorBadValue;
  }
  brinkSourceSet set;
  brinkStatus status = brinkSourceSet_Load(&set, path, message, messageCapacity);
  if (status == brink_ok) status = brinkSourceSet_Import(&set, path, flags, out, message, messageCapacity);
  brinkSourceSet_Free(&set);
  return status;
}

void brinkFreeMesh(brinkMesh *mesh) {
  if (mesh == NULL) return;
  free(mesh->vertices);
  free(mesh->indices);
  *mesh = (brinkMesh){0};
}

brinkMeshView brinkViewMesh(const brinkMesh *mesh, uint32_t flags) {
  return (brinkMeshView){
      (uint32_t)sizeof(brinkMeshView), flags, mesh->vertices, mesh->vertexCount, mesh->indices, mesh->triangleCount};
}
