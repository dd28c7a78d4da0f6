/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_QUERY_LOG_H
#define BRINK_QUERY_LOG_H
/* The questions a run asks, as files that `brink replay` reads: DIR/scene.txt, DIR/motion.txt, DIR/meshes/. A frame's
 * motion is what ODE's own step would do from the frame's start: exactly what Brink is asked first in that frame. */
#include "scene_kit.h"

typedef struct queryLog queryLog;

/* Writes the scene and its meshes. NULL and a message on failure. */
queryLog *queryLog_Open(demoScene *scene, const char *directory, char *message, size_t messageCapacity);
/* Call between dSpaceCollide and the step: steps plain ODE, notes the poses, and puts every body back, bit for bit. */
void queryLog_Frame(queryLog *self, demoScene *scene);
/* False: something could not be written; the log is gone either way. NULL is a no-op and true. */
bool queryLog_Close(queryLog *self);

#endif
