/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MAKE_OBB_TREE_H
#define BRINK_MAKE_OBB_TREE_H
/* Builds the tree of oriented boxes over a mesh (obb_tree.h), once per shape. About 4 us a triangle. Units: m. */
#include "obb_tree.h"

/* Coordinates must be finite and, for single precision to hold them and their products, the mesh's size (from its
 * middle) must lie between 1e-9 and 1e9: else brink_errorRange (callers fall back to the scheme that needs no such
 * tree). A mesh of one point is legal anywhere. */
brinkStatus brinkMakeObbTree(brinkContext *context, const double *vertices, size_t vertexCount, const uint32_t *indices,
                             size_t triangleCount, brinkObbTree *out);

#endif
