/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TETRAHEDRA_H
#define BRINK_TETRAHEDRA_H
/* Points to tetrahedra that fill their hull (Delaunay), and the surface of some of them. By libqhull_r. An estimate,
 * for drawing and measuring: nothing proven is made of it.
 *
 * Points nearer to each other than a billionth of the largest extent count as one. Where points lie on one sphere
 * (grids do) qhull moves them by rounding's size, so neighbours always share whole faces; tetrahedra of four points in
 * a plane may be among them. Units: m. */
#include "base.h"

typedef struct brinkTetrahedra {
  uint32_t *corners; /* [count][4]; (b - a) x (c - a) . (d - a) >= 0, but for rounding */
  size_t count, capacity;
} brinkTetrahedra;

void brinkTetrahedra_Free(brinkContext *context, brinkTetrahedra *tetrahedra);
/* points: [count][3]. Fewer than four points, or all in one plane: none. */
brinkStatus brinkTetrahedra_Make(brinkContext *context, const double *points, size_t count, brinkTetrahedra *out);
double brinkTetrahedra_Volume(const brinkTetrahedra *tetrahedra, const double *points); /* m3 */

typedef struct brinkOuterFaces {
  uint32_t *corners; /* [count][3], outward */
  size_t count, capacity;
} brinkOuterFaces;

void brinkOuterFaces_Free(brinkContext *context, brinkOuterFaces *faces);
/* Faces that belong to one tetrahedron only. Each of their edges is there as often in one direction as in the other. */
brinkStatus brinkOuterFaces_Make(brinkContext *context, const brinkTetrahedra *tetrahedra, brinkOuterFaces *out);

#endif
