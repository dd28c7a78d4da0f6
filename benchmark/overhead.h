/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_OVERHEAD_H
#define BRINK_BENCH_OVERHEAD_H
/* What does Brink cost an ODE program whose frame is dSpaceCollide + dWorldQuickStep? */
#include <stdbool.h>
#include <stdio.h>

/* Measures every row (or the one of that name) over so many frames, plain ODE and ODE with Brink frame by frame in
 * turn, and prints a table; markdown: the same as Markdown, or NULL. 0: every bar holds, 1: one does not, 2: no such
 * row. */
int overhead_Run(const char *row, int frames, FILE *markdown);

#endif
