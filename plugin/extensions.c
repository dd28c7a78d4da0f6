/* SPDX-License-Identifier: BSD-3-Clause */
/* Which further tables does this build offer? Each is a static struct under a name with its own version ("brink.x/1"),
 * found by the host at run time, so the main table stays small. */
#include "brink/clearance.h"
#include "brink/inverse_path.h"
#include "brink/linear.h"
#include "brink/robot.h"
#include "brink/steps.h"
#include "brink/tolerance.h"
#include "world.h"

typedef struct brinkExtension {
  const char *name; /* NULL ends the list */
  const void *(*table)(void);
} brinkExtension;

static const brinkExtension extensions[] = {{BRINK_LINEAR_NAME, brinkLinear_Table},
                                            {BRINK_CLEARANCE_NAME, brinkClearance_Table},
                                            {BRINK_STEPS_NAME, brinkSteps_Table},
                                            {BRINK_TOLERANCE_NAME, brinkTolerance_Table},
                                            {BRINK_INVERSE_PATH_NAME, brinkInversePath_Table},
                                            {BRINK_ROBOT_NAME, brinkRobot_Table},
                                            {NULL, NULL}};

const void *brinkFindExtension(const char *name) {
  if (name == NULL) return NULL;
  for (const brinkExtension *extension = extensions; extension->name != NULL; ++extension)
    if (strcmp(extension->name, name) == 0) return extension->table();
  return NULL;
}
