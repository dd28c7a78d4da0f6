/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_TRAIN_COURSE_H
#define BRINK_ASSETS_TRAIN_COURSE_H
/* Trains that fall, hit and tangle: a small simulation of jointed cars, for scenes that no physics engine may take
 * part in. Cars are rods between the joints of their couplings with a rectangular section about them; the section
 * keeps them roughly apart from the terrain and from each other. Each frame gives the poses that the cars have and the
 * poses that they would take if nothing were in the way: what an engine hands to collision detection. Same bits on
 * every machine.
 * Based on: Mueller et al. 2007, "Position based dynamics" (distance and contact constraints). Units: m, s. Private to
 * assets. */
#include <stdbool.h>

#include "brink/assets.h"

enum { BRINK_COURSE_MOST_CARS = 17, BRINK_COURSE_MOST_TRAINS = 4 };

typedef struct brinkCarState {
  brinkVec3 up; /* unit, roughly across the car; carried along without turning about the car's axis but for the roll */
} brinkCarState;

typedef struct brinkTrain {
  int carCount;
  brinkVec3 nodes[BRINK_COURSE_MOST_CARS + 1],
      velocities[BRINK_COURSE_MOST_CARS + 1]; /* front end, couplings, rear end */
  brinkCarState cars[BRINK_COURSE_MOST_CARS];
} brinkTrain;

typedef struct brinkCourse {
  int trainCount;
  brinkTrain trains[BRINK_COURSE_MOST_TRAINS];
  const brinkMesh *terrain; /* brink_modelMountain, or NULL: no ground */
  double gravity;           /* m/s^2 downwards */
  double pull;              /* 1/s^2, towards the origin */
  double step;              /* s per frame */
  double clearance; /* m, between sections; below 0 they are a little smaller than the cars, so that frames end in
                       contacts */
  double keep;      /* of the velocity that is left after a frame */
  int frame;
} brinkCourse;

/* Straight from `front`, along unit `back`, moving at one velocity. */
void brinkCourse_AddTrain(brinkCourse *course, int carCount, brinkVec3 front, brinkVec3 back, brinkVec3 up,
                          brinkVec3 velocity);
/* Poses of all cars, train by train: a car's frame is at its front coupling (x ahead, z up). start is where they are;
 * end where one frame of free motion of the jointed trains takes them. Then moves on, contacts heeded. */
void brinkCourse_Advance(brinkCourse *course, brinkPose *start, brinkPose *end);
#endif
