/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_RECORDED_H
#define BRINK_RECORDED_H
/* A demo scene, run once with Brink and recorded: the poses of all bodies at every frame's start and end. The same
 * frames can then be asked again and again through the C ABI, under any scheme and Taylor order, without ODE in the
 * way. */
#include "measure.h"
#include "scene.h"

typedef struct recordedScene recordedScene;

/* Runs `frames` frames of the scene. NULL and a message on failure. */
recordedScene *recorded_Make(const demoSceneDef *def, int frames, const char *assetDir, char *message,
                             size_t messageCapacity);
void recorded_Free(recordedScene *recorded);

/* Asks every frame. False and a message on failure. */
bool recorded_Ask(recordedScene *recorded, uint32_t taylorOrder, uint32_t scheme, double tolerance, int repeats,
                  benchRow *row, char *message, size_t messageCapacity);

#endif
