/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BLOB_H
#define BRINK_BLOB_H
/* The cooked blob as a whole (its parts: hull_tree.h, obb_tree.h): where its sections lie, and its checksum. Checks and
 * readers for hosts are in brink/cook.h. */
#include "hull_tree.h"

#define BRINK_BLOB_MAGIC 0x31306b6e69726221u /* "!brink01" */
#define BRINK_BLOB_VERSION 4u                /* raise it with every change of layout or meaning */
/* Fills the offsets from the counts; returns the blob's size. */
uint64_t brinkBlobLayout(brinkHullTree *tree);
/* Hash of the whole blob (tree->size bytes, a multiple of 8, must be there) with the checksum field taken as 0. */
uint64_t brinkBlobChecksum(const brinkHullTree *tree);

/* ---- what a shape is made of */
/* Convex hull of the whole mesh ([CATCH] 7.2). */
brinkPiece brinkHullTree_WholeHull(const brinkHullTree *tree);
/* The wide tree as a view; false when there is none. */
bool brinkHullTree_Wide(const brinkHullTree *tree, brinkObbTree *out);

#endif
