/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_COOKING_COOK_H
#define BRINK_COOKING_COOK_H
/* Cooking for the rest of the house; brink/cook.h is the public side. */
#include "brink/cook.h"
#include "hull_tree.h"

/* brinkCook with all memory, the blob's too, from the context; message in the context. */
brinkStatus brinkCookIn(brinkContext *context, const brinkMeshView *mesh, const brinkCookOptions *options, void **blob,
                        size_t *blobSize);

#endif
