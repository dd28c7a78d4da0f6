/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PATCH_CONTACT_H
#define BRINK_PATCH_CONTACT_H
/* Two bodies of rational patches (or triangles) over a cell of time, one moving affinely against the other: apart
 * during the WHOLE cell, in contact during the WHOLE cell, or neither proven. The patches themselves, not a
 * triangulation: pieces are cut finer where and when the cell asks for it.
 *
 * Apart: each pair of pieces has a direction that separates their control nets; and no part is inside. Contact: a chord
 * of a piece of one pierces a piece of the other all the time, by more than both differ from their triangles, so that
 * the curved surfaces meet too (the number of crossings cannot change on the way from one to the other); or a part, or
 * a point of both, stays inside.
 *
 * Based on: theory D5.4, D5.5 (cells); docs/theory.md, "Inverted trajectories", patches. Units: m. Read only: any
 * number of threads. */
#include "contact_cells.h"
#include "patch_body.h"

typedef struct brinkPatchPair {
  const brinkPatchBody *a, *b; /* B moves by `motion` in A's frame */
  brinkRelativeMotion motion;
} brinkPatchPair;

/* memory: pieces (numbers in the bodies' `pieces`) that stood against a proof, or are one; the parent cell's on entry,
 * this one's afterwards. */
brinkCellState brinkPatchPair_Classify(const brinkPatchPair *pair, double l, double u, brinkCellMemory *memory);

#endif
