/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_REPLAY_WRITER_H
#define BRINK_ASSETS_REPLAY_WRITER_H
/* Writes a replay for `brink replay`: DIRECTORY/NAME.scene, NAME.motion and meshes/NAME.obj. The first thing that goes
 * wrong stays (status, message) and everything after it is ignored, so that a scene is written straight down; End
 * tells. SCENE and MOTION appear whole or not at all. Private to assets. */
#include "brink/assets.h"
#include "brink/replace_file.h"

typedef struct brinkReplayWriter {
  const char *directory, *name; /* borrowed until End */
  brinkReplacement scene, motion;
  brinkStatus status;
  char *message;
  size_t messageCapacity;
  int objectCount;
} brinkReplayWriter;

/* Creates the folders that are missing (one level of DIRECTORY's parents must exist). */
void brinkReplayWriter_Begin(brinkReplayWriter *writer, const char *directory, const char *name, char *message,
                             size_t messageCapacity);
/* Writes the mesh and frees it. */
void brinkReplayWriter_Mesh(brinkReplayWriter *writer, const char *meshName, brinkMesh *mesh);
/* The object's number. parentLink -1 = none. */
int brinkReplayWriter_Moving(brinkReplayWriter *writer, const char *meshName, int model, int link, int parentLink);
int brinkReplayWriter_Fixed(brinkReplayWriter *writer, const char *meshName, brinkPose pose);
/* One line of MOTION, world poses. */
void brinkReplayWriter_Move(brinkReplayWriter *writer, int frame, int object, brinkPose start, brinkPose end);
brinkStatus brinkReplayWriter_End(brinkReplayWriter *writer);
#endif
