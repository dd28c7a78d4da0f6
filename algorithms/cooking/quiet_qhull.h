/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_QUIET_QHULL_H
#define BRINK_QUIET_QHULL_H
/* libqhull_r without a word to the host's streams. What qhull complains about means only that nothing was found.
 *
 * Based on: Barber, Dobkin, Huhdanpaa 1996 (quickhull, qhull). */
#include "base.h"

struct qhT;
/* Reads what qhull found; points as given. */
typedef brinkStatus (*brinkReadQhull)(void *user, struct qhT *qh, const double *points);

/* points: [count][3]. command: as on qhull's command line; written over. read is called only when qhull succeeded. */
brinkStatus brinkRunQhull(brinkContext *context, double *points, size_t count, char *command, brinkReadQhull read,
                          void *user);

#endif
