/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_SIZES_H
#define BRINK_BENCH_SIZES_H
/* Does a small body's query cost more because the other one is large? */
#include <stdio.h>

/* A limb of 512 triangles flies about walls of 1 to 1000 m, convex and meshes of 12 triangles; a ball spins over a
 * sheet: the default and the scheme of the paper side by side. markdown: the same as Markdown, or NULL. 0: done, 1:
 * failed. */
int sizes_Run(int repeats, FILE *markdown);

#endif
