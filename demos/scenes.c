/* SPDX-License-Identifier: BSD-3-Clause */
/* Which scenes are there, and which questions without an engine? The tables that demos, tests and benchmark read; the
 * order is that of `brink-demo --list`. */
#include <string.h>

#include "certificate_cell.h"
#include "clearance_cell.h"
#include "interference_demo.h"
#ifdef BRINK_DEMO_ROBOTS
#include "robot_arm.h"
#endif
#include "scene_kit.h"

const demoSceneDef *const demoScenes[] = {&demoFallingTrain,   &demoRagdoll, &demoBoxStack,
                                          &demoLyingMannequin, &demoPile,    NULL};

/* Those of wings that this build leaves out are not there. */
const demoExhibitDef *const demoExhibits[] = {
#ifndef BRINK_WITHOUT_CLEARANCE
    &demoClearance,
#endif
#ifndef BRINK_WITHOUT_INVERTED_PATHS
    &demoInterference,
#endif
#ifndef BRINK_WITHOUT_CERTIFICATES
    &demoCertificate,
#endif
#ifdef BRINK_DEMO_ROBOTS
    &demoRobotArm,
#endif
    NULL};

const demoSceneDef *demoFindScene(const char *name) {
  for (const demoSceneDef *const *scene = demoScenes; *scene; scene++)
    if (strcmp((*scene)->name, name) == 0) return *scene;
  return NULL;
}
