/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_MANNEQUIN_H
#define BRINK_MANNEQUIN_H
/* A jointed mannequin of 15 triangle meshes in a scene: one body per link, elbows and knees as hinges, all other joints
 * as universals, all with limits. */
#include "scene_kit.h"

/* Turned by the quaternion turn (w,x,y,z) about its pelvis' standing place, then moved so that the pelvis is at
 * `place`. Every link moves with `velocity` plus the rotation `spin` about the pelvis. Links are parts 0..14. */
typedef struct mannequinStart {
  double place[3]; /* m */
  double turn[4];
  double velocity[3]; /* m/s */
  double spin[3];     /* rad/s */
} mannequinStart;

bool mannequin_Add(demoScene *scene, const mannequinStart *start, char *message, size_t messageCapacity);
/* Turns uniformly distributed over all rotations. */
void mannequin_RandomTurn(uint64_t *state, double turn[4]);

#endif
