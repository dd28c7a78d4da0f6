/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_REST_OVERLAP_H
#define BRINK_REST_OVERLAP_H
/* Which pieces of two shapes touch, overlap or come within a margin where they rest? Neighbours in a chain overlap
 * where they are joined; once these pairs of pieces are left out, the rest of the neighbours can be tested for real.
 *
 * Piece: a triangle of a mesh (its index in the mesh), or the whole of any other shape (0). A pair of pieces whose
 * distance cannot be proven to exceed the margin counts as overlapping: touching is overlap. Source: OWN ([CATCH]
 * footnote 2 leaves adjacent links out altogether). Units: m. */
#include "advance.h"

/* Ascending keys of pairs; zero-initialised = empty. */
typedef struct brinkPiecePairs {
  uint64_t *keys; /* brinkPieceKey */
  size_t count, capacity;
} brinkPiecePairs;

/* Poses: shape -> common frame; out: emptied first. On failure out holds part of the pairs. */
brinkStatus brinkFindRestOverlaps(brinkContext *context, const brinkShape *a, const brinkRigid *poseA,
                                  const brinkShape *b, const brinkRigid *poseB, double margin, brinkPiecePairs *out);
void brinkPiecePairs_Free(brinkContext *context, brinkPiecePairs *pairs);

#endif
