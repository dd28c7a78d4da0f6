/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_REPLAY_H
#define BRINK_BENCH_REPLAY_H
/* A replay (the two text formats of `brink replay`) in memory: meshes, bodies, colliders and the bodies' poses at every
 * frame's start and end. Objects that share MODEL and LINK are colliders of one body; it moves as its first object
 * does. */
#include <stdbool.h>
#include <stddef.h>

#include "brink/assets.h"

typedef struct replayMesh {
  char *path;
  void *blob; /* cooked */
  size_t blobSize;
} replayMesh;

typedef struct replayBody {
  int parent; /* body of the same MODEL, always lower than its own index; -1 = none */
  brinkPose pose;
} replayBody;

typedef struct replayCollider { /* object of SCENE, in its order */
  int mesh, body;               /* body -1 = fixed */
  brinkPose pose;               /* world, when fixed */
} replayCollider;

typedef struct replayPair {
  int a, b; /* colliders */
} replayPair;

typedef struct replayMove {
  brinkPose start, end;
  brinkVec3 spin;
  bool hasSpin;
} replayMove;

typedef struct replayData {
  replayMesh *meshes;
  replayBody *bodies;
  replayCollider *colliders;
  replayPair *ignored;
  replayMove *moves; /* [frameCount][bodyCount] */
  int meshCount, bodyCount, colliderCount, ignoredCount, frameCount;
  size_t triangleCount; /* of all objects, instances counted */
} replayData;

/* Reads both files, imports and cooks the meshes (caches beside them). NULL and a message on failure. */
replayData *replay_Load(const char *scenePath, const char *motionPath, char *message, size_t messageCapacity);
void replay_Free(replayData *replay);
static inline const replayMove *replay_Moves(const replayData *replay, int frame) {
  return replay->moves + (size_t)frame * (size_t)replay->bodyCount;
}
#endif
