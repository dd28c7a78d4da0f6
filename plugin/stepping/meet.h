/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_MEET_H
#define BRINK_STEP_MEET_H
/* Which contacts have two shapes at these poses, where Brink is an engine's narrowphase? Units: m, s; world frame.
 * Thread rule: as brinkPlugin.collideShapes. */
#include <stdbool.h>

#include "motion.h"

#define BRINK_STEP_MOST_POINTS 24 /* looked at, for the most spread of them */

typedef struct brinkStepMeeting {
  const brinkPlugin *plugin;
  brinkWorld *world;
  brinkShapeId shapes[2];
  brinkPose poses[2];
  brinkStepMover movers[2]; /* the bodies they sit on */
  bool mesh, meshes;        /* one of them is made of triangles; both are trimeshes */
  double allowance;         /* of the pair */
  double h;                 /* of a step; 0: nobody knows it yet, and nothing is lifted */
  bool struck;              /* asked at an impact */
  bool unmet;               /* two meshes of which clearance.c has not looked at one yet */
} brinkStepMeeting;

/* m: how far out a pair with a mesh is looked at, for contacts that act within its allowance. Who asks for fewer of its
 * points asks the same, and the plugin, which remembers its last answer, need not look twice. */
double brinkStepLookOut(double allowance);

/* Keeps the points that are no farther apart than `farthestOut`, at most `most`: the deepest, then always the one
 * furthest from those kept. At most BRINK_STEP_MOST_POINTS. */
size_t brinkStepKeepSpread(brinkContactPoint *points, size_t count, double farthestOut, size_t most);

/* At most `most` points, and how deep the engine is to take each for, m, >= 0. Both arrays have room for
 * BRINK_STEP_MOST_POINTS. */
size_t brinkStepMeet(const brinkStepMeeting *of, brinkContactPoint *points, double *depths, size_t most);

#endif
