/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_SOAK_H
#define DEMO_SOAK_H
/* Many jointed bodies in many seeds: does anything pass through anything, and do joints hold as well as in plain ODE?
 * `brink-demo soak` runs the table; tests/ode_glue/test_ode_articulated.c a short form of it. */
#include <stdbool.h>
#include <stdint.h>

#define DEMO_SOAK_NAME "soak"
#define DEMO_SOAK_TITLE "Ragdolls at walls, stairs and each other, a rope at a peg, a net with loops: many seeds"

typedef enum soakScene { soakWall, soakStairs, soakDolls, soakRope, soakNet, soakScenes } soakScene;

typedef struct soakRun {
  int bodies;
  int through;         /* bodies behind a wall, or pairs that crossed */
  double jointError;   /* m, worst at frame ends */
  double energy;       /* worst of the start's */
  double lost, time;   /* s: clamped, of all */
  long solves, clamps; /* extra solves */
  int failed;          /* refused steps */
} soakRun;

const char *soak_Name(soakScene scene);
/* soakThick: plain ODE at a post of 4 m instead of the peg, which it cannot pass: what its joints do then. Other
 * scenes: as soakPlain. */
typedef enum soakHow { soakPlain, soakThick, soakBrink } soakHow;
/* One run from this seed, which also decides speed (5 to 200 m/s), pose and place. Calls dInitODE2 and dCloseODE. */
void soak_Run(soakScene scene, uint64_t seed, bool quick, soakHow how, soakRun *out);
/* Plain ODE; the joint error is the worse of soakPlain and soakThick. */
void soak_RunPlain(soakScene scene, uint64_t seed, bool quick, soakRun *out);
/* Adds a run to a sum: worst of the worst, sums of counts. */
void soak_Add(soakRun *sum, const soakRun *run);
/* Does a sum of runs with Brink keep the promise, beside the sum of the same runs with plain ODE? */
bool soak_IsGood(const soakRun *plain, const soakRun *brink);
/* The table; 0: the promise is kept, 1: not. */
int demoSoak_Run(int seeds);

#endif
