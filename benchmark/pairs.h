/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_PAIRS_H
#define BRINK_BENCH_PAIRS_H
/* What does one question about two convex bodies cost? The cases of a file (docs/formats.md; convex bodies on one link
 * each), every pair in a world of its own, in `repeats` passes over all pairs; and GJK alone at the pairs' starts, cold
 * (nothing known) and warm (the last answer known). hot: one pair many times in a row. peer (or NULL): "fcl" answers
 * the same questions in turns with Brink: its conservative advancement over the hulls' faces, libccd's GJK. Returns an
 * exit status. */
#include <stdbool.h>

int pairs_Run(const char *path, double tolerance, int repeats, bool hot, const char *peer);
#endif
