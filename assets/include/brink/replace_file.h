/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_REPLACE_FILE_H
#define BRINK_REPLACE_FILE_H
/* Writes a file beside its place and moves it there when it is whole: readers see the old file or the new one, never a
 * half. A path at which a pipe or a device stands is written to itself. */
#include <stdbool.h>
#include <stdio.h>

#include "brink/types.h"

/* A file that is being written. */
typedef struct brinkReplacement {
  FILE *file;          /* write here */
  char *temporaryPath; /* NULL: the file is its place */
} brinkReplacement;

/* Not ok: nothing was begun, and the message says why. */
brinkStatus brinkReplacement_Begin(brinkReplacement *replacement, const char *path, char *message,
                                   size_t messageCapacity);
/* keep = false: gives up, the old file stays. Frees everything in every case. */
brinkStatus brinkReplacement_End(brinkReplacement *replacement, const char *path, bool keep, char *message,
                                 size_t messageCapacity);
#endif
