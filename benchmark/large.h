/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_LARGE_H
#define BRINK_BENCH_LARGE_H
/* One question about much that moves, alone and over several threads (brinkQuery.run). */
#include "measure.h"

void large_PrintHead(uint32_t threads);
/* 5,000 boxes, capsules, hulls and small meshes that fly among each other; prints a row for each way to ask. false: a
 * question failed, or an answer has other bits than alone; it is told on stderr. */
bool large_RunCrowd(uint32_t threads, int repeats);
/* `sites` copies of a replay side by side, each at another frame, asked about at once; one row. */
bool large_RunSites(const char *label, const replayData *replay, uint32_t threads, int repeats, double tolerance);

#endif
