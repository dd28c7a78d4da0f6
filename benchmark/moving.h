/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_MOVING_H
#define BRINK_BENCH_MOVING_H
/* What does a moving body cost of which nothing is near? Boxes on a lattice, all of them moving or 1 in 100, handed
 * over and asked step by step. largest: no more bodies than this; 0 = 100,000. Returns an exit status. */
int moving_Run(int repeats, int largest);
#endif
