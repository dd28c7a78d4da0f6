/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STAND_IN_ROBOT_H
#define BRINK_STAND_IN_ROBOT_H
/* Robots of our own, written as files, for tests, examples and demos: an arm of seven joints with a gripper, and two of
 * them on one base; a shelf to reach into. Made of boxes and cylinders alone. Units: m, rad; z up. */
#include "brink/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes stand_in_arm.urdf, .srdf, stand_in_arms.urdf, .srdf (14 joints; names of the second arm end in _b) and
 * shelf.txt (brink/robot_scene.h: scenes "shelf" for the arm, "two_shelves" for the arms) into the folder, which must
 * exist. The same bytes every time. */
brinkStatus brinkWriteStandInRobots(const char *folder, char *message, size_t messageCapacity);

#define BRINK_STAND_IN_TOOL "hand" /* the link that reaches; the point between its fingers is 0.12 m along its z */

#ifdef __cplusplus
}
#endif
#endif
