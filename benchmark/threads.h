/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_THREADS_H
#define BRINK_BENCH_THREADS_H
/* Many questions on several threads, each with a world of its own over the same cooked meshes. */
#include "measure.h"

void threads_PrintHead(uint32_t threads);
/* All frames of a replay by one thread, then dealt out to `threads`; prints a row. false: a question failed, or an
 * answer has other bits than alone; it is told on stderr. */
bool threads_Run(const char *label, const replayData *replay, const benchAsk *ask, uint32_t threads, int repeats);

#endif
