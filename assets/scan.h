/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_SCAN_H
#define BRINK_ASSETS_SCAN_H
/* Strict readers of OBJ and STL that refuse what assimp lets pass (facts: index 0, NaN text, comma decimals, cut-off
 * faces, lying counts), with the line. They also keep what they read, in double, to hold assimp's result against it.
 * Private to assets. */
#include <stdbool.h>

#include "brink/types.h"

typedef struct brinkScan {
  double *vertices; /* [vertexCount][3], as written in the file */
  size_t vertexCount;
  uint32_t *corners; /* [cornerCount] vertex of each corner, face after face */
  size_t cornerCount;
  uint32_t *faceSizes; /* [faceCount] 1 = point, 2 = segment, 3.. = polygon */
  size_t faceCount;
  unsigned char *text; /* the same geometry and nothing else, for assimp; NULL: serve the file as it is */
  size_t textSize;
} brinkScan;

/* bytes[size] must be NUL. path is used in messages only. On failure *out is empty. */
brinkStatus brinkScan_Obj(brinkScan *out, const char *path, const unsigned char *bytes, size_t size, char *message,
                          size_t messageCapacity);
brinkStatus brinkScan_Stl(brinkScan *out, const char *path, const unsigned char *bytes, size_t size, char *message,
                          size_t messageCapacity);
void brinkScan_Free(brinkScan *scan);
/* Room for `needed` elements, at least doubled; false and unchanged where there is no memory. */
bool brinkAssets_Reserve(void **array, size_t *capacity, size_t needed, size_t elementSize);
#endif
