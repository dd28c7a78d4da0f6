/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACCEPTANCE_DOORS_H
#define ACCEPTANCE_DOORS_H
/* The ways into Brink that rows run through, with the environment that each needs. */
#include <stdbool.h>

#include "stage.h"

typedef enum door { doorPlain, doorCalls, doorHeader, doorCapture, doorReplay, doors } door;

stageWay door_Way(door d);
const char *door_Name(door d);
/* Sets the environment of a group's process; see row.prepare. */
void door_Prepare(door d);
bool door_IsThere(door d); /* false: the preload is not built */

#endif
