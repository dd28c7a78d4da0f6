/* SPDX-License-Identifier: BSD-3-Clause */
/* See soup.h. */
#include "soup.h"

#include <stdlib.h>
#include <string.h>

bool brinkStepBeginSoup(brinkStepSoup *soup, size_t mostTriangles) {
  *soup = (brinkStepSoup){.tableSize = 16};
  while (soup->tableSize < 6 * mostTriangles) {
    soup->tableSize *= 2;
  }
  soup->vertices = malloc(9 * mostTriangles * sizeof(double));
  soup->indices = malloc(3 * mostTriangles * sizeof(uint32_t));
  soup->table = calloc(soup->tableSize, sizeof(uint32_t));
  if (soup->vertices == NULL || soup->indices == NULL || soup->table == NULL) {
    brinkStepFreeSoup(soup);
    return false;
  }
  return true;
}

void brinkStepFreeSoup(brinkStepSoup *soup) {
  free(soup->vertices);
  free(soup->indices);
  free(soup->table);
  *soup = (brinkStepSoup){.vertices = NULL};
}

static uint32_t weldVertex(brinkStepSoup *soup, const double corner[3]) {
  uint64_t hash = 1469598103934665603ull; /* FNV-1a over the three bit patterns */
  for (int i = 0; i < 3; ++i) {
    uint64_t bits;
    memcpy(&bits, &corner[i], sizeof(bits));
    hash = (hash ^ (bits ^ (bits >> 29))) * 1099511628211ull;
  }
  size_t at = (size_t)(hash ^ (hash >> 31)) & (soup->tableSize - 1);
  while (soup->table[at] != 0) {
    if (memcmp(&soup->vertices[3 * (size_t)(soup->table[at] - 1)], corner, 3 * sizeof(double)) == 0) {
      return soup->table[at] - 1;
    }
    at = (at + 1) & (soup->tableSize - 1);
  }
  memcpy(&soup->vertices[3 * soup->vertexCount], corner, 3 * sizeof(double));
  soup->table[at] = (uint32_t)++soup->vertexCount;
  return (uint32_t)soup->vertexCount - 1;
}

void brinkStepAddTriangle(brinkStepSoup *soup, const double corners[9]) {
  uint32_t *indices = &soup->indices[3 * soup->triangleCount++];
  for (size_t corner = 0; corner < 3; ++corner) {
    indices[corner] = weldVertex(soup, &corners[3 * corner]);
  }
}

brinkMeshView brinkStepSoupView(const brinkStepSoup *soup) {
  return (brinkMeshView){sizeof(brinkMeshView), 0, soup->vertices, soup->vertexCount, soup->indices,
                         soup->triangleCount};
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

size_t brinkStepKeepDifferent(double *vertices, size_t count) {
  qsort(vertices, count, 3 * sizeof(double), compareVertices);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || compareVertices(&vertices[3 * i], &vertices[3 * (kept - 1)]) != 0) {
      memmove(&vertices[3 * kept++], &vertices[3 * i], 3 * sizeof(double));
    }
  }
  return kept;
}
