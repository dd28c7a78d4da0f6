/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of cooked meshes: cook once, keep the blob beside its source, never trust it blindly.
 *
 * A cache is used only when all of this holds: it is as long as it says, of this version of the store, made from source
 * files of the same bytes with the same flags, its blob has the same hash as when it was written, and brinkCheckBlob
 * accepts it (version of the cook). Else it is rebuilt and replaced in one move, so that two programs that cook the
 * same model at the same time both end with a whole file.
 * File: cacheHeader, blob. Little endian, as the blob itself. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "brink/assets.h"
#include "message.h"
#include "brink/replace_file.h"
#include "source.h"

#define STORE_MAGIC "BRNKSTOR"
enum { storeVersion = 1 };
#define MAX_CACHE_BYTES ((size_t)8 * 1024 * 1024 * 1024)

typedef struct cacheHeader {  // 64 bytes, no padding
  char magic[8];
  uint32_t version;
  uint32_t meshFlags;
  uint64_t sourceHash;
  uint64_t sourceSize;
  uint64_t blobSize;
  uint64_t blobHash;
  uint64_t zero;
  uint64_t headerHash;  // of the fields above
} cacheHeader;
_Static_assert(sizeof(cacheHeader) == 64, "the cache header is written as it lies in memory");

static uint64_t hashHeader(const cacheHeader *header) {
  return brinkHashBytes(storeVersion, header, offsetof(cacheHeader, headerHash));
}

static cacheHeader describeSource(const brinkSourceSet *set, uint32_t meshFlags) {
  cacheHeader header = {
      .magic = STORE_MAGIC, .version = storeVersion, .meshFlags = meshFlags, .sourceHash = brinkSourceSet_Hash(set)};
  for (size_t i = 0; i < set->count; ++i) header.sourceSize += set->items[i].size;
  return header;
}

// NULL when there is no cache or it cannot be trusted.
static void *readCache(const char *cachePath, const cacheHeader *wanted, size_t *blobSize) {
  unsigned char *file;
  size_t size;
  if (brinkReadFile(cachePath, MAX_CACHE_BYTES, &file, &size, NULL, 0) != brink_ok) return NULL;
  cacheHeader found;
  bool trusted = size >= sizeof found;
  if (trusted) {
    memcpy(&found, file, sizeof found);
    trusted = found.headerHash == hashHeader(&found) && found.blobSize == size - sizeof found &&
              memcmp(&found, wanted, offsetof(cacheHeader, blobSize)) == 0 &&
              found.blobHash == brinkHashBytes(found.sourceHash, file + sizeof found, found.blobSize);
  }
  if (trusted) {  // moved to the front, so that the blob is a block of its own with malloc's alignment
    memmove(file, file + sizeof found, found.blobSize);
    *blobSize = found.blobSize;
    trusted = brinkCheckBlob(file, *blobSize, NULL, NULL, 0) == brink_ok;
  }
  if (trusted) return file;
  free(file);
  return NULL;
}

static brinkStatus writeCache(const char *cachePath, const cacheHeader *source, const void *blob, size_t blobSize,
                              char *message, size_t messageCapacity) {
  cacheHeader header = *source;
  header.blobSize = blobSize;
  header.blobHash = brinkHashBytes(header.sourceHash, blob, blobSize);
  header.headerHash = hashHeader(&header);
  brinkReplacement replacement;
  brinkStatus status = brinkReplacement_Begin(&replacement, cachePath, message, messageCapacity);
  if (status != brink_ok) return status;
  fwrite(&header, sizeof header, 1, replacement.file);
  fwrite(blob, 1, blobSize, replacement.file);
  return brinkReplacement_End(&replacement, cachePath, true, message, messageCapacity);
}

typedef struct progressLine {
  const char *name;
  int shownPercent;
} progressLine;

static int showProgress(void *user, double fraction) {
  progressLine *line = user;
  int percent = fraction < 0 ? 0 : fraction > 1 ? 100 : (int)(100 * fraction);
  if (percent != line->shownPercent) fprintf(stderr, "\rcooking %s %3d %%", line->name, percent);
  line->shownPercent = percent;
  return 0;
}

static brinkStatus cookSources(brinkSourceSet *set, const char *path, uint32_t meshFlags, bool quiet, void **blob,
                               size_t *blobSize, char *message, size_t messageCapacity) {
  brinkMesh mesh = {0};
  brinkStatus status = brinkSourceSet_Import(set, path, 0, &mesh, message, messageCapacity);
  if (status != brink_ok) return status;
  const char *slash = strrchr(path, '/');
  progressLine line = {slash != NULL ? slash + 1 : path, -1};
  const bool showing = !quiet && isatty(STDERR_FILENO);
  brinkCookOptions options = {
      .structSize = (uint32_t)sizeof options, .progress = showing ? showProgress : NULL, .user = &line};
  brinkMeshView view = brinkViewMesh(&mesh, meshFlags);
  char reason[400] = "";
  status = brinkCook(&view, &options, blob, blobSize, reason, sizeof reason);
  if (showing && status == brink_ok) showProgress(&line, 1.0);
  if (showing && line.shownPercent >= 0) fputc('\n', stderr);
  if (status != brink_ok) brinkSay(message, messageCapacity, "%s: %s", path, reason);
  brinkFreeMesh(&mesh);
  return status;
}

brinkStatus brinkLoadCooked(const char *path, const char *cachePath, uint32_t meshFlags, int quiet, void **blob,
                            size_t *blobSize, int *cacheHit, char *message, size_t messageCapacity) {
  brinkSay(message, messageCapacity, "%s", "");
  if (path == NULL || blob == NULL || blobSize == NULL) {
    brinkSay(message, messageCapacity, "brinkLoadCooked: %s is NULL",
             path == NULL   ? "path"
             : blob == NULL ? "blob"
                            : "blobSize");
    return brink_errorNullArgument;
  }
  brinkSourceSet set;
  brinkStatus status = brinkSourceSet_Load(&set, path, message, messageCapacity);
  if (status != brink_ok) return status;
  char *ownPath = NULL;
  if (cachePath == NULL) {
    size_t length = strlen(path);
    ownPath = malloc(length + sizeof ".brink");
    if (ownPath == NULL) {
      brinkSourceSet_Free(&set);
      brinkSay(message, messageCapacity, "%s: out of memory", path);
      return brink_errorNoMemory;
    }
    memcpy(ownPath, path, length);
    memcpy(ownPath + length, ".brink", sizeof ".brink");
    cachePath = ownPath;
  }
  const cacheHeader source = describeSource(&set, meshFlags);
  size_t size = 0;
  void *cooked = readCache(cachePath, &source, &size);
  const bool hit = cooked != NULL;
  if (!hit) {
    status = cookSources(&set, path, meshFlags, quiet != 0, &cooked, &size, message, messageCapacity);
    char reason[400];
    if (status == brink_ok && writeCache(cachePath, &source, cooked, size, reason, sizeof reason) != brink_ok)
      brinkSay(message, messageCapacity, "warning: the cooked mesh is not kept: %s", reason);
  }
  if (status == brink_ok) {
    *blob = cooked;
    *blobSize = size;
    if (cacheHit != NULL) *cacheHit = hit;
  }
  free(ownPath);
  brinkSourceSet_Free(&set);
  return status;
}
