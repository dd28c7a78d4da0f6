/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ROBOT_SCENE_H
#define BRINK_ROBOT_SCENE_H
/* Scenes for robots as text: obstacles in the world, a start and a goal. Blank-separated words; `#` to the end of a
 * line is a comment.
 *
 *   scene NAME COUNT
 *   <start and goal: twice the robot's values, on one line; may be missing>
 *   box sx sy sz            x y z  qw qx qy qz       full lengths, m; COUNT lines of obstacles in all
 *   cylinder length radius 0  x y z  qw qx qy qz     axis z
 *   sphere radius 0 0       x y z  qw qx qy qz
 *   mesh sx sy sz           x y z  qw qx qy qz FILE   scale; FILE beside the scene's; closed meshes are solid
 *   plane nx ny nz          x y z  qw qx qy qz       half-space below the plane through x y z, normal n
 * Units: m, rad. */
#include <stddef.h>

#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brinkSceneObstacle {
  uint32_t kind; /* brinkShapeType: box, cylinder, sphere, mesh, plane */
  double size[3];
  brinkPose pose;
  char *path; /* mesh; owned */
} brinkSceneObstacle;

typedef struct brinkRobotScene {
  char *name;
  double *ends; /* [endCount]: start, then goal; owned */
  size_t endCount;
  brinkSceneObstacle *obstacles;
  size_t obstacleCount;
} brinkRobotScene;

typedef struct brinkRobotScenes { /* owned; free with brinkFreeRobotScenes */
  brinkRobotScene *scenes;
  size_t count;
} brinkRobotScenes;

/* All scenes of a file; errors name file and line, *out is untouched then. */
brinkStatus brinkLoadRobotScenes(const char *path, brinkRobotScenes *out, char *message, size_t messageCapacity);
void brinkFreeRobotScenes(brinkRobotScenes *scenes);

/* Adds the obstacles as static colliders of all category bits: colliders[obstacleCount], shapes[obstacleCount];
 * obstacles of one mesh at one scale share a shape. All or nothing. */
brinkStatus brinkAddRobotScene(brinkWorld *world, const brinkRobotScene *scene, brinkColliderId *colliders,
                               brinkShapeId *shapes, char *message, size_t messageCapacity);
/* Destroys the colliders and shapes that brinkAddRobotScene made. */
void brinkRemoveRobotScene(brinkWorld *world, const brinkRobotScene *scene, const brinkColliderId *colliders,
                           const brinkShapeId *shapes);

#ifdef __cplusplus
}
#endif
#endif
