/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_PEER_H
#define BRINK_BENCH_PEER_H
/* A peer on the same frames and the same pairs, in the same process: FCL's conservative advancement over its oriented
 * RSS trees (built with -DBRINK_BENCH_FCL=ON). Each body moves on its own: position linear, rotation about a constant
 * axis. */
#include <stdio.h>

#include "measure.h"

/* 0: this build has it; else a message, and the exit status. */
int peer_Check(const char *peer);

/* Asks Brink and the peer, first contact and all pairs, and prints both. 0 = done, 1 = failed, 2 = no such peer in this
 * build. */
int peer_Compare(const char *peer, const replayData *replay, double tolerance, int frames, int repeats, FILE *markdown);
#endif
