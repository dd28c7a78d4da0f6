/* SPDX-License-Identifier: BSD-3-Clause */
/* Collada through assimp. Assimp brings any up axis to y up when asked; here z is up, so what it did is turned by a
 * quarter about x. Units: m. */
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assimp_lock.h"
#include "brink/assets.h"
#include "message.h"

enum { maxNodeDepth = 256 };

typedef struct Pile {
  brinkMesh mesh;
  size_t vertexCapacity, triangleCapacity;
} Pile;

static bool grow(void **block, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return true;
  size_t wanted = 2 * *capacity > needed ? 2 * *capacity : needed;
  void *grown = realloc(*block, wanted * size);
  if (grown == NULL) return false;
  *block = grown;
  *capacity = wanted;
  return true;
}

static bool addMesh(Pile *pile, const struct aiMesh *mesh, const struct aiMatrix4x4 *place) {
  const uint32_t first = (uint32_t)pile->mesh.vertexCount;
  void *vertices = pile->mesh.vertices, *indices = pile->mesh.indices;
  bool good = grow(&vertices, &pile->vertexCapacity, pile->mesh.vertexCount + mesh->mNumVertices, 3 * sizeof(double));
  pile->mesh.vertices = vertices;
  good =
      good && grow(&indices, &pile->triangleCapacity, pile->mesh.triangleCount + mesh->mNumFaces, 3 * sizeof(uint32_t));
  pile->mesh.indices = indices;
  if (!good) return false;
  for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
    const double x = mesh->mVertices[i].x, y = mesh->mVertices[i].y, z = mesh->mVertices[i].z;
    double *to = pile->mesh.vertices + 3 * pile->mesh.vertexCount++;
    to[0] = (double)place->a1 * x + (double)place->a2 * y + (double)place->a3 * z + (double)place->a4;
    to[1] = (double)place->b1 * x + (double)place->b2 * y + (double)place->b3 * z + (double)place->b4;
    to[2] = (double)place->c1 * x + (double)place->c2 * y + (double)place->c3 * z + (double)place->c4;
  }
  for (unsigned i = 0; i < mesh->mNumFaces; ++i) { /* triangulated: points and segments repeat their last corner */
    const struct aiFace *face = &mesh->mFaces[i];
    uint32_t *to = pile->mesh.indices + 3 * pile->mesh.triangleCount++;
    for (unsigned k = 0; k < 3; ++k) to[k] = first + face->mIndices[k < face->mNumIndices ? k : face->mNumIndices - 1];
  }
  return true;
}

static bool addNode(Pile *pile, const struct aiScene *scene, const struct aiNode *node, const struct aiMatrix4x4 *above,
                    int depth) {
  if (depth > maxNodeDepth) return false;
  struct aiMatrix4x4 place = *above;
  aiMultiplyMatrix4(&place, &node->mTransformation);
  for (unsigned i = 0; i < node->mNumMeshes; ++i)
    if (!addMesh(pile, scene->mMeshes[node->mMeshes[i]], &place)) return false;
  for (unsigned i = 0; i < node->mNumChildren; ++i)
    if (!addNode(pile, scene, node->mChildren[i], &place, depth + 1)) return false;
  return true;
}

static brinkStatus importCollada(const char *path, int turnUp, brinkMesh *out, char *message, size_t messageCapacity) {
  struct aiPropertyStore *properties = aiCreatePropertyStore();
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, turnUp ? 0 : 1);
  const struct aiScene *scene =
      aiImportFileExWithProperties(path, aiProcess_ValidateDataStructure | aiProcess_Triangulate, NULL, properties);
  aiReleasePropertyStore(properties);
  if (scene == NULL || scene->mRootNode == NULL) {
    brinkSay(message, messageCapacity, "%s: %s", path, aiGetErrorString());
    if (scene != NULL) aiReleaseImport(scene);
    return brink_errorParse;
  }
  struct aiMatrix4x4 top;
  aiIdentityMatrix4(&top);
  if (turnUp) { /* (x, y, z) with y up -> (x, -z, y) */
    top.b2 = 0.0f;
    top.b3 = -1.0f;
    top.c2 = 1.0f;
    top.c3 = 0.0f;
  }
  Pile pile = {0};
  bool good = addNode(&pile, scene, scene->mRootNode, &top, 0);
  aiReleaseImport(scene);
  if (good && pile.mesh.triangleCount > 0) {
    *out = pile.mesh;
    return brink_ok;
  }
  brinkFreeMesh(&pile.mesh);
  brinkSay(message, messageCapacity, "%s: %s", path, good ? "no node shows a face" : "out of memory");
  return good ? brink_errorEmpty : brink_errorNoMemory;
}

brinkStatus brinkImportCollada(const char *path, int turnUp, brinkMesh *out, char *message, size_t messageCapacity) {
  if (path == NULL || out == NULL) return brink_errorNullArgument;
  brinkSay(message, messageCapacity, "%s", "");
  pthread_mutex_lock(&brinkAssimpLock);
  brinkStatus status = importCollada(path, turnUp, out, message, messageCapacity);
  pthread_mutex_unlock(&brinkAssimpLock);
  return status;
}
