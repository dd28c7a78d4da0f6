/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TERRAIN_CHECK_H
#define BRINK_TERRAIN_CHECK_H
/* How deep is a point below a terrain? An independent judge for scenes: shares no code with Brink. The terrain is a set
 * of triangles that is a function of (x, y) (one surface height per column); outside its edges nothing is below it.
 * Units: m. Thread rule: [any] after creation. */
#include <stdbool.h>
#include <stddef.h>

#include "brink/assets.h"

typedef struct terrainCheck terrainCheck;

terrainCheck *terrainCheck_Create(const brinkMesh *mesh); /* mesh: borrowed for life; NULL: no memory */
void terrainCheck_Destroy(terrainCheck *self);
/* Height of the surface in the column of (x, y); -INFINITY outside. */
double terrainCheck_Height(const terrainCheck *self, double x, double y);
/* Distance to the nearest surface point when below it, exact up to 3 m and from above bounded beyond; 0 when above. */
double terrainCheck_Depth(const terrainCheck *self, const double point[3]);

/* Vertices of a mesh and, on larger triangles, points between them no further apart than `spacing`; malloc'ed, NULL: no
 * memory. */
double *terrainCheck_SamplePoints(const brinkMesh *mesh, double spacing, size_t *count);

#endif
