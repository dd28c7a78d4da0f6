/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_SOAK_H
#define DEMO_SOAK_H
/* Many jointed bodies in many seeds: does anything pass through anything, and do joints hold as well as in plain ODE?
 * `brink-demo soak` runs all
 * of them, `brink-demo soak_rope` one; tests/ode_glue/test_ode_articulated.c a few seeds. */
#include <stdbool.h>
#include <stdint.h>

struct soak;

typedef struct soakDef {
  const char *name, *title;
  uint64_t salt; /* of its random numbers */
  int frames;
  double sample;                                               /* m between the samples of pairs that are judged */
  void (*build)(struct soak *s, bool thick, uint64_t *random); /* thick: see soakThick */
  bool walls, stairs, post; /* what stands there: a wall and the ground, stairs before it, a peg */
} soakDef;

/* Rows of the table of scenes (demoTable of scene.h). */
extern const soakDef soakWall, soakStairs, soakDolls, soakRope, soakNet;

typedef struct soakRun {
  int bodies;
  int through;         /* bodies behind a wall, or pairs that crossed */
  double jointError;   /* m, worst at frame ends */
  double energy;       /* worst of the start's */
  double lost, time;   /* s: clamped, of all */
  long solves, clamps; /* extra solves */
  int failed;          /* refused steps */
  uint64_t hash;       /* of all poses and velocities at the end, bit for bit */
} soakRun;

/* soakThick: plain ODE at a post of 4 m instead of the peg, which it cannot pass: what its joints do then. Other
 * scenes: as soakPlain. */
typedef enum soakHow { soakPlain, soakThick, soakBrink } soakHow;
/* One run from this seed, which also decides speed (5 to 200 m/s), pose and place. Calls dInitODE2 and dCloseODE. */
void soak_Run(const soakDef *def, uint64_t seed, bool quick, soakHow how, soakRun *out);
/* Plain ODE; the joint error is the worse of soakPlain and soakThick. */
void soak_RunPlain(const soakDef *def, uint64_t seed, bool quick, soakRun *out);
/* Adds a run to a sum: worst of the worst, sums of counts. */
void soak_Add(soakRun *sum, const soakRun *run);
/* Does a sum of runs with Brink keep the promise, beside the sum of the same runs with plain ODE? */
bool soak_IsGood(const soakRun *plain, const soakRun *brink);
/* Prints a line of figures for each row of the table, or for one; 0: the promise is kept, 1: not. */
int demoSoak_Run(const soakDef *only, int seeds);

#endif
