/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_COOKING_H
#define BRINK_BENCH_COOKING_H
/* What cooking and loading a large mesh cost: processor time and bytes, a triangle. */

/* A bumpy ball (closed) and a bumpy ground (open) of 2 side^2 triangles each; side 0: 362, which makes 262,088. Cooked
 * on one thread and on two, the fastest of `repeats`; the bytes must be the same. 0: done, 1: failed or not the same.
 */
int cooking_Run(int side, int repeats);

#endif
