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
  void (*destroy)(brinkWorld *world); /* what it keeps in the world; NULL: nothing */
} brinkExtension;

/* In the order in which a world lets go of them: robots use shapes. */
static const brinkExtension extensions[] = {
#ifndef BRINK_WITHOUT_ROBOTS
    {BRINK_ROBOT_NAME, brinkRobot_Table, brinkRobots_Destroy},
#endif
#ifndef BRINK_WITHOUT_DEFORMING
    {BRINK_LINEAR_NAME, brinkLinear_Table, brinkLinear_Destroy},
#endif
#ifndef BRINK_WITHOUT_CLEARANCE
    {BRINK_CLEARANCE_NAME, brinkClearance_Table, brinkClearance_Destroy},
#endif
#ifndef BRINK_WITHOUT_CERTIFICATES
    {BRINK_TOLERANCE_NAME, brinkTolerance_Table, brinkCertificates_Destroy},
#endif
#ifndef BRINK_WITHOUT_INVERTED_PATHS
    {BRINK_INVERSE_PATH_NAME, brinkInversePath_Table, brinkInverseAnswers_Destroy},
#endif
    {BRINK_STEPS_NAME, brinkSteps_Table, NULL},
    {NULL, NULL, NULL}};

void brinkDestroyExtensions(brinkWorld *world) {
  for (const brinkExtension *extension = extensions; extension->name != NULL; ++extension)
    if (extension->destroy != NULL) extension->destroy(world);
}

const void *brinkFindExtension(const char *name) {
  if (name == NULL) return NULL;
  for (const brinkExtension *extension = extensions; extension->name != NULL; ++extension)
    if (strcmp(extension->name, name) == 0) return extension->table();
  return NULL;
}
