/* SPDX-License-Identifier: BSD-3-Clause */
#include "entries.h"

#include <stdlib.h>
#include <unistd.h>

#define PRELOAD BRINK_BINARY_DIR "/lib/libbrink_preload.so"

typedef struct entryDef {
  const char *name;
  stageWay way;
  const char *callback; /* of the preload; NULL: no preload */
} entryDef;

static const entryDef defs[entries] = {[entryPlain] = {"plain", stagePlain, NULL},
                                       [entryCalls] = {"calls", stageCalls, NULL},
                                       [entryHeader] = {"header", stageHeader, NULL},
                                       [entryCapture] = {"preload capture", stagePreload, "capture"},
                                       [entryReplay] = {"preload replay", stagePreload, "replay"}};

stageWay entry_Way(entry d) { return defs[d].way; }
const char *entry_Name(entry d) { return defs[d].name; }
bool entry_IsThere(entry d) { return defs[d].callback == NULL || access(PRELOAD, R_OK) == 0; }

void entry_Prepare(entry d) {
  if (defs[d].callback == NULL || !entry_IsThere(d)) return;
  setenv("BRINK_CALLBACK", defs[d].callback, 1);
  setenv("LD_PRELOAD", PRELOAD, 1);
}
