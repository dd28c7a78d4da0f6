/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEPPING_MOTION_H
#define BRINK_STEPPING_MOTION_H
/* How does a body move between two poses that an engine's solve gave, and how is that told to Brink? It goes straight
 * and turns about a fixed axis, as engines integrate a rigid body in one step. Poses: position[3], m, and
 * quaternion[4], w,x,y,z. Times: parts of the step, [0,1]. Thread rule: [any]. */
#include <stdbool.h>

#include "brink/ccd.h"

typedef struct brinkStepPose {
  double position[3], quaternion[4];
} brinkStepPose;

/* The rotation vector that takes q0 to q1, rad, world axes, with as many whole turns as the spin says, which needs to
 * be right to half a turn only. */
brinkVec3 brinkStepTurnBetween(const double q0[4], const double q1[4], const double spin[3]);

/* The turn in h of what spins by scale w, rad/s, world axes: finite, or as engines turn by tangents, at most half a
 * turn.
 */
void brinkStepTurnOf(const double w[3], double scale, double h, bool finite, double turn[3]);

/* q, turned the shortest way that brings its z onto this direction (of any length; 0: not at all). */
void brinkStepTurnOnto(const double direction[3], double q[4]);

/* A body as an engine keeps it; position NULL: stands still. */
typedef struct brinkStepMover {
  const double *position, *linear, *angular;
} brinkStepMover;

/* The velocity of its point, m/s, times sign, is added to the sum. */
void brinkStepAddPointVelocity(const brinkStepMover *mover, const double *point, double sign, double sum[3]);

/* The rotation matrix of a quaternion: three rows of four. */
void brinkStepRotationOf(const double q[4], double rotation[12]);

/* inner, told in outer's frame. What lies at its origin, unturned, leaves outer's bits. */
brinkPose brinkStepComposePose(brinkPose outer, brinkPose inner);

/* A pose that moves by `part` of the way to `end` and of the turn. */
void brinkStepPoseAlong(const brinkStepPose *start, const double end[3], const brinkVec3 *turn, double part,
                        brinkStepPose *out);

/* A motion from `start`, at time `from` < 1, to `end`, at 1, carried back evenly to the step's start: what lies before
 * `from` is not asked about. Fills kind, flags, velocity, spin and pose0. */
void brinkStepMotionFrom(const brinkStepPose *start, const brinkStepPose *end, const double spin[3], double from,
                         brinkBodyMotion *out);

/* The stretch [s0, s1] of a motion from `start` to `end` (s1 < s0: backwards) as one over the whole step. */
void brinkStepMotionPart(const brinkStepPose *start, const double end[3], const brinkVec3 *turn, double s0, double s1,
                         brinkBodyMotion *out);

#endif
