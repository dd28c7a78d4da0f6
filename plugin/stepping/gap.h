/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_GAP_H
#define BRINK_STEP_GAP_H
/* How far apart do a joint's two ends get while its bodies move, where is that too far, and how is it closed?
 * An engine's solver keeps joints to first order: a body goes straight while its arm turns, so the joint opens by half
 * the square of the turn times the arm. A motion is cut where the first joint would have opened by a fifth of its arm;
 * what is left is closed by shifts of the bodies' ends, without turning them: what the motion starts with, and half of
 * what it adds. (All of it would, in the middle of a turn that an impact breaks off, open the joint to the other side.)
 *
 * local: time in the motion, [0,1]. Units: m, rad, kg. Thread rule: functions of their arguments alone. */
#include "tuning.h"

/* One of the two bodies of a joint; the world: its place, and no arm. */
typedef struct brinkStepSide {
  double from[3], to[3]; /* m, of the body's centre, without shifts */
  double arm[3];         /* m, world axes: from there to the joint, at local 0 ... */
  double lastArm[3];     /* ... and 1, as the engine turned it */
  double reach;          /* m, length of the arm */
  double rod;            /* m, of both sides: this far the two ends are to be apart; 0: together */
  double turn[3];        /* rad, world axes: of the motion */
  double spin[3];        /* rad: the same by the velocity that the solver left */
} brinkStepSide;

/* From the second side's end of the joint to the first one's; with a rod what is to be taken from that. */
void brinkStepGap(const brinkStepSide sides[2], double local, double out[3]);
/* Where the motion has to be cut for this joint, part of what is left of the step, `left`; 2: nowhere. cuts: how often
 * its bodies were cut in this step. */
double brinkStepCut(const brinkStepSide sides[2], int cuts, double left);
/* By how much the first end is to come to the second one at the motion's end, which will be cut at `cut`. */
void brinkStepAim(const brinkStepSide sides[2], double cut, double out[3]);
/* Both give way, NULL: the world; yields: 1/kg, not both 0. Called in turn for all joints, a few times. */
void brinkStepShift(const double aim[3], double *shiftA, double yieldA, double *shiftB, double yieldB);

#endif
