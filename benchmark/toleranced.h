/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_TOLERANCED_H
#define BRINK_BENCH_TOLERANCED_H
/* The examples of Schroecker and Weber 2013, Sec. 6: two octagons with and without contact, squares of m x m faces
 * under three motions, with one and with individual mass distributions, with and without a hierarchy of faces. */

/* quick: m up to 16. 0 done, 1 the library refused. */
int toleranced_Run(int repeats, int quick);

#endif
