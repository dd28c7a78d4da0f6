/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_COOKING_H
#define BRINK_BENCH_COOKING_H
/* What cooking and loading a large mesh cost: processor time and bytes, a triangle. */

/* A bumpy ball (closed) and a bumpy ground (open) of 2 side^2 triangles each; side: even. Cooked on one thread and on
 * two, the fastest of `repeats`; the bytes must be the same. 0: done, 1: failed or not the same, 2: side is odd. */
int cooking_Run(int side, int repeats);

#endif
