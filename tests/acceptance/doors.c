/* SPDX-License-Identifier: BSD-3-Clause */
#include "doors.h"

#include <stdlib.h>
#include <unistd.h>

#define PRELOAD BRINK_BINARY_DIR "/lib/libbrink_preload.so"

typedef struct doorDef {
  const char *name;
  stageWay way;
  const char *callback; /* of the preload; NULL: no preload */
} doorDef;

static const doorDef defs[doors] = {[doorPlain] = {"plain", stagePlain, NULL},
                                    [doorCalls] = {"calls", stageCalls, NULL},
                                    [doorHeader] = {"header", stageHeader, NULL},
                                    [doorCapture] = {"preload capture", stagePreload, "capture"},
                                    [doorReplay] = {"preload replay", stagePreload, "replay"}};

stageWay door_Way(door d) { return defs[d].way; }
const char *door_Name(door d) { return defs[d].name; }
bool door_IsThere(door d) { return defs[d].callback == NULL || access(PRELOAD, R_OK) == 0; }

void door_Prepare(door d) {
  if (defs[d].callback == NULL || !door_IsThere(d)) return;
  setenv("BRINK_CALLBACK", defs[d].callback, 1);
  setenv("LD_PRELOAD", PRELOAD, 1);
}
