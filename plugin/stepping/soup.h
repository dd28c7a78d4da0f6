/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_SOUP_H
#define BRINK_STEP_SOUP_H
/* A mesh from triangles as an engine tells them, one after another by their corners: equal corners, bit for bit, become
 * one vertex. Units: m. */
#include <stdbool.h>
#include <stddef.h>

#include "brink/ccd.h"

typedef struct brinkStepSoup {
  double *vertices;  /* [vertexCount][3] */
  uint32_t *indices; /* [triangleCount][3] */
  uint32_t *table;   /* hash of vertices, vertex + 1; 0 = free */
  size_t vertexCount, triangleCount, tableSize;
} brinkStepSoup;

/* No more triangles than this may be added. False: no memory, and nothing is to be freed. */
bool brinkStepBeginSoup(brinkStepSoup *soup, size_t mostTriangles);
void brinkStepAddTriangle(brinkStepSoup *soup, const double corners[9]);
brinkMeshView brinkStepSoupView(const brinkStepSoup *soup); /* as long as the soup lives */
void brinkStepFreeSoup(brinkStepSoup *soup);
/* Sorted, each once; xyz. How many are left. */
size_t brinkStepKeepDifferent(double *vertices, size_t count);

#endif
