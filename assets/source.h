/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_SOURCE_H
#define BRINK_ASSETS_SOURCE_H
/* A model as bytes in memory: the file itself and, for glTF, the buffers that it names. What is hashed for the cache is
 * what is imported: assimp is served from these bytes and opens no file by itself. Private to assets. */
#include "brink/assets.h"

/* Bytes of a model with all its buffers; a cap against files that are not models. */
#define BRINK_IMPORT_MAX_BYTES ((size_t)512 * 1024 * 1024)

typedef enum brinkModelFormat {
  brink_formatObj = 0,
  brink_formatStl,
  brink_formatGlb,
  brink_formatGltf
} brinkModelFormat;

typedef struct brinkSource {
  char *name;           /* as the model file names it; NULL for the model file */
  unsigned char *bytes; /* [size + 1], NUL-terminated */
  size_t size;
} brinkSource;

typedef struct brinkSourceSet { /* items[0] is the model file */
  brinkModelFormat format;
  brinkSource *items;
  size_t count;
  size_t promisedFaces; /* glTF and GLB: what the JSON says that its meshes hold */
} brinkSourceSet;

brinkStatus brinkSourceSet_Load(brinkSourceSet *set, const char *path, char *message, size_t messageCapacity);
void brinkSourceSet_Free(brinkSourceSet *set);
uint64_t brinkSourceSet_Hash(const brinkSourceSet *set);
/* path is used in messages only. */
brinkStatus brinkSourceSet_Import(brinkSourceSet *set, const char *path, uint32_t flags, brinkMesh *out, char *message,
                                  size_t messageCapacity);

/* Hash for change and damage, not for enemies: every step is a bijection of the word it takes in, so one flipped bit
 * always changes the result. */
uint64_t brinkHashBytes(uint64_t seed, const void *bytes, size_t size);
/* Reads a whole regular file of at most `cap` bytes; *bytes is malloc'ed, NUL-terminated behind its end. */
brinkStatus brinkReadFile(const char *path, size_t cap, unsigned char **bytes, size_t *size, char *message,
                          size_t messageCapacity);
#endif
