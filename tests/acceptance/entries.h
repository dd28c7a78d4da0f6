/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACCEPTANCE_ENTRIES_H
#define ACCEPTANCE_ENTRIES_H
/* The ways into Brink that rows run through, with the environment that each needs. */
#include <stdbool.h>

#include "stage.h"

typedef enum entry { entryPlain, entryCalls, entryHeader, entryCapture, entryReplay, entries } entry;

stageWay entry_Way(entry d);
const char *entry_Name(entry d);
/* Sets the environment of a group's process; see row.prepare. */
void entry_Prepare(entry d);
bool entry_IsThere(entry d); /* false: the preload is not built */

#endif
