/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MAKE_SHAPE_H
#define BRINK_MAKE_SHAPE_H
/* Shapes from what a host gives: sizes, points, meshes, cooked blobs, samples of a surface, a support function. */
#include "shape.h"

/* Creation: one allocation each from the context. hull: copies; runs qhull, so only extreme vertices are kept, with
 * edge neighbours; planar, collinear and single-point sets are legal. mesh: see hull_tree.h (copies the blob unless
 * borrow). */
/* Samples of a surface: height z at (column size.x, row size.y), row by row. Each cell is two triangles, split along
 * the diagonal from (column, row) to (column + 1, row + 1). solid: walls down to z = bottom and a floor there close it.
 */
typedef struct brinkHeightfieldSpec {
  const double *heights; /* [rows][columns] */
  size_t columns, rows;  /* >= 2 each */
  bool solid;
} brinkHeightfieldSpec;

typedef struct brinkShapeSpec {
  uint32_t type;
  brinkVec3 size;
  brinkVec3 normal;
  double offset, margin;
  const brinkMeshView *mesh; /* hull, mesh */
  const void *blob;
  size_t blobSize;
  bool borrowBlob;
  bool quick;                       /* mesh: BRINK_COOK_QUICK */
  brinkHeightfieldSpec heightfield; /* size.x, size.y: spacing; offset: bottom of a solid one */
  brinkSupportSource support;       /* copied; the function is asked here already */
} brinkShapeSpec;
/* Validates everything (finite, sizes > 0 where a size is a radius or extent; zero sizes are refused with BadValue). */
brinkStatus brinkCreateShape(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out);
void brinkDestroyShape(brinkContext *context, brinkShape *shape);

#endif
