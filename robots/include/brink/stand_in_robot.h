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

/* Writes folders excavator, tower_crane (each a URDF, an SRDF, meshes, scenes.txt) and site (their obstacles) into the
 * folder: machines of five joints, 20.3 thousand and 1.3 thousand triangles, a site of 0.39 million (7 MB of files).
 * The same bytes every time. */
brinkStatus brinkWriteConstructionSite(const char *folder, char *message, size_t messageCapacity);

#define BRINK_STAND_IN_TOOL "hand" /* the link that reaches; the point between its fingers is 0.12 m along its z */

#ifdef __cplusplus
}
#endif
#endif
