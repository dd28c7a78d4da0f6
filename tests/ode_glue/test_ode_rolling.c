/* SPDX-License-Identifier: BSD-3-Clause */
/* Cylinders that are dropped on registered level ground roll on their rims like coins, and come nearer to it along a
 * curve after each solve. They must lose no time by that, on a heightfield as on a trimesh. Units: SI. */
#include "cases.h"
#include "stage.h"

enum { bodies = 8, starts = 3 };
#define LANDED 1.0     /* s */
#define WHOLE 3.0      /* s */
#define MOST_LOST 5e-3 /* of the time after landing */

typedef struct kind {
  double size[3], ground; /* m */
  double allowance;       /* m, of the ground; 0: its own */
} kind;

static const kind kinds[] = {{{1, 1, 0.3}, 40, 0.01}, {{1, 1, 0.2}, 20, 0}, {{0.6, 0.6, 0.2}, 20, 0.01}};
enum { kindCount = (int)(sizeof kinds / sizeof *kinds) };

/* s, of each body in the mean. */
static double lostBy(const kind *k, stageShape ground, bool quick, double h, uint64_t seed) {
  const stageSetup setup = {.way = stageCalls, .quick = quick, .registered = true, .h = h, .gravity = -9.81};
  stage s;
  double landed = 0;
  stage_Begin(&s, &setup);
  s.surface = (stageSurface){.mode = dContactApprox1, .mu = 1, .maxContacts = 8};
  dGeomID field = stage_AddStatic(&s, ground, (double[3]){k->ground, k->ground, 0}, (double[3]){0, 0, 0});
  if (k->allowance > 0) dBrinkSetGeomAllowance(s.brink, field, k->allowance);
  for (int i = 0; i < bodies; ++i) {
    const double place[3] = {1.3 * (i % 4 - 1.5), 1.3 * (i / 4 - 0.5), stage_Uniform(&seed, 1, 2)};
    double turn[4];
    stage_RandomTurn(&seed, turn);
    dBodySetQuaternion(stage_AddBody(&s, stageCylinder, k->size, 500, place), turn);
  }
  while (s.time < WHOLE) {
    stage_Step(&s);
    if (s.time < LANDED) landed = s.lost;
  }
  const double lost = s.lost - landed;
  stage_End(&s);
  return lost;
}

static void mustRollOn(stageShape ground) {
  for (int i = 0; i < kindCount * starts * 4; ++i) {
    const int k = i / (4 * starts);
    const bool quick = i % 2 == 0;
    const double h = i / 2 % 2 == 0 ? 1.0 / 60 : 1.0 / 100;
    const uint64_t seed = (uint64_t)(i / 4 % starts) + 1;
    const double lost = lostBy(&kinds[k], ground, quick, h, seed);
    if (!(lost <= MOST_LOST * (WHOLE - LANDED)))
      fail_msg("kind %d, %s, h 1/%.0f, start %d: %.2f %% lost", k, quick ? "QuickStep" : "WorldStep", 1 / h, (int)seed,
               100 * lost / (WHOLE - LANDED));
  }
}

CASE(what_rolls_on_a_registered_heightfield_loses_no_time) { mustRollOn(stageField); }

CASE(what_rolls_on_a_registered_level_mesh_loses_no_time) { mustRollOn(stageMesh); }

int main(void) { return cases_Run(NULL, NULL); }
