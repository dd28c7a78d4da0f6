/* SPDX-License-Identifier: BSD-3-Clause */
/* Which scenes are there? The one table that demos, tests, benchmark and soak read; the order is that of
 * `brink-demo --list`. */
#include <string.h>

#include "exhibit.h"
#include "scene_kit.h"
#include "soak.h"

const demoRow demoTable[] = {{.scene = &demoFallingTrain},
                             {.scene = &demoRagdoll},
                             {.scene = &demoBoxStack},
                             {.scene = &demoLyingMannequin},
                             {.scene = &demoPile},
                             {.scene = &demoModes},
                             {.scene = &demoSensors},
                             {.scene = &demoSweeps},
                             {.scene = &demoRays},
                             {.scene = &demoExplain},
                             {.soak = &soakWall},
                             {.soak = &soakStairs},
                             {.soak = &soakDolls},
                             {.soak = &soakRope},
                             {.soak = &soakNet},
/* Those of wings that this build leaves out are not there. */
#ifndef BRINK_WITHOUT_CLEARANCE
                             {.exhibit = &demoClearance},
#endif
#ifndef BRINK_WITHOUT_INVERTED_PATHS
                             {.exhibit = &demoInterference},
#endif
#ifndef BRINK_WITHOUT_CERTIFICATES
                             {.exhibit = &demoCertificate},
#endif
#ifdef BRINK_DEMO_ROBOTS
                             {.exhibit = &demoRobotArm},
#endif
                             {NULL, NULL, NULL}};

const char *demoRow_Name(const demoRow *row) {
  if (row->scene) return row->scene->name;
  if (row->exhibit) return row->exhibit->name;
  return row->soak ? row->soak->name : NULL;
}

const char *demoRow_Title(const demoRow *row) {
  if (row->scene) return row->scene->title;
  if (row->exhibit) return row->exhibit->title;
  return row->soak ? row->soak->title : NULL;
}

const demoRow *demoFindRow(const char *name) {
  for (const demoRow *row = demoTable; demoRow_Name(row); row++)
    if (strcmp(demoRow_Name(row), name) == 0) return row;
  return NULL;
}

const demoSceneDef *demoFindScene(const char *name) {
  const demoRow *row = demoFindRow(name);
  return row ? row->scene : NULL;
}
