/* SPDX-License-Identifier: BSD-3-Clause */
/* Which scenes are there? The one table that demos, tests and benchmark read; the order is that of `brink-demo --list`.
 */
#include <string.h>

#include "scene_kit.h"

const demoSceneDef *const demoScenes[] = {&demoFallingTrain,   &demoRagdoll, &demoBoxStack,
                                          &demoLyingMannequin, &demoPile,    NULL};

const demoSceneDef *demoFindScene(const char *name) {
  for (const demoSceneDef *const *scene = demoScenes; *scene; scene++)
    if (strcmp((*scene)->name, name) == 0) return *scene;
  return NULL;
}
