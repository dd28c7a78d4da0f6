/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes on a lattice that fly and turn, nothing near: see moving.h. Each step has other motions, so nothing is found
 * again; what is counted is handing them over and asking, per body of the world and per body that moves: processor
 * time, since a step of many bodies is long enough to be interrupted by whatever else runs. */
#include "moving.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "brink/steps.h"
#include "crew.h"

#define SPACING 4.0 /* m; boxes of 1 m that move up to 0.9 m and turn up to 0.6 rad a step stay apart */

static double Uniform(uint64_t *state) { /* splitmix64, -1..1 */
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

typedef struct Crowd {
  const brinkPlugin *brink;
  brinkWorld *world;
  brinkBodyId *bodies;
  int count, side; /* bodies along each edge of the lattice */
} Crowd;

static brinkVec3 PlaceOf(const Crowd *crowd, int i) {
  const int side = crowd->side;
  return (brinkVec3){SPACING * (i % side), SPACING * (i / side % side), SPACING * (i / side / side)};
}

static brinkStatus MakeCrowd(Crowd *crowd, int count) {
  *crowd = (Crowd){.brink = brinkEntry(BRINK_ABI_MAJOR, NULL), .count = count};
  crowd->side = (int)ceil(cbrt((double)count) - 1e-9);
  crowd->bodies = calloc((size_t)count, sizeof *crowd->bodies);
  if (crowd->bodies == NULL) return brink_errorNoMemory;
  const brinkPlugin *brink = crowd->brink;
  const brinkShapeDef box = {.structSize = sizeof box, .type = brink_box, .size = {0.5, 0.5, 0.5}};
  brinkShapeId shape = 0;
  brinkStatus status = brink->createWorld(NULL, NULL, &crowd->world);
  if (status == brink_ok) status = brink->createShape(crowd->world, &box, &shape);
  for (int i = 0; i < count && status == brink_ok; ++i) {
    const brinkBodyDef body = {.structSize = sizeof body, .pose = {PlaceOf(crowd, i), {1, 0, 0, 0}}};
    status = brink->createBody(crowd->world, &body, &crowd->bodies[i]);
    const brinkColliderDef collider = {.structSize = sizeof collider,
                                       .body = crowd->bodies[i],
                                       .shape = shape,
                                       .pose = {{0, 0, 0}, {1, 0, 0, 0}},
                                       .categoryBits = 1,
                                       .collideBits = 1};
    brinkColliderId made;
    const brinkBodyMotion rest = {.structSize = sizeof rest, .kind = brink_motionRest, .pose0 = body.pose};
    if (status == brink_ok) status = brink->createCollider(crowd->world, &collider, &made);
    if (status == brink_ok) status = brink->setBodyMotion(crowd->world, crowd->bodies[i], &rest);
  }
  return status;
}

static void FreeCrowd(Crowd *crowd) {
  if (crowd->world != NULL) crowd->brink->destroyWorld(crowd->world);
  free(crowd->bodies);
}

/* One step: every `every`-th body moves. ms for handing over, and for the question. */
static brinkStatus Step(const Crowd *crowd, int every, int step, double taken[2]) {
  static brinkBodyMotion motions[100000];
  uint64_t state = 7919u * (uint64_t)(step + 2);
  int moving = 0;
  for (int i = 0; i < crowd->count; i += every) {
    brinkBodyMotion *motion = &motions[moving++];
    brinkVec3 place = PlaceOf(crowd, i);
    *motion = (brinkBodyMotion){.structSize = sizeof *motion, .kind = brink_motionVelocities};
    motion->pose0 =
        (brinkPose){{place.x + 0.2 * Uniform(&state), place.y + 0.2 * Uniform(&state), place.z + 0.2 * Uniform(&state)},
                    {1 + 0.1 * Uniform(&state), 0.3 * Uniform(&state), 0.3 * Uniform(&state), 0}};
    motion->velocity = (brinkVec3){0.3 * Uniform(&state), 0.3 * Uniform(&state), 0.3 * Uniform(&state)};
    motion->spin = (brinkVec3){0.3 * Uniform(&state), 0.3 * Uniform(&state), 0.3 * Uniform(&state)};
  }
  brinkStatus status = brink_ok;
  const double start = crew_ProcessTime();
  for (int i = 0; i < moving && status == brink_ok; ++i)
    status = crowd->brink->setBodyMotion(crowd->world, crowd->bodies[i * every], &motions[i]);
  const double handed = crew_ProcessTime();
  const brinkQuery query = {.structSize = sizeof query, .mode = brink_modeFirst, .tEnd = 1, .tolerance = 1e-3};
  brinkReport report = {.structSize = sizeof report, .counters.structSize = sizeof report.counters};
  if (status == brink_ok) status = crowd->brink->firstContact(crowd->world, &query, &report);
  taken[0] = handed - start;
  taken[1] = crew_ProcessTime() - handed;
  if (status == brink_ok && (report.state != brink_free || report.counters.pairsSpatial > 0)) {
    fprintf(stderr, "brink-bench: %llu pairs are near\n", (unsigned long long)report.counters.pairsSpatial);
    status = brink_errorBadValue;
  }
  return status;
}

int moving_Run(int repeats, int largest) {
  static const int counts[] = {1000, 10000, 100000}, every[] = {1, 100};
  printf("in steps, other motions in each; processor time, the least of %d\n%-10s %-8s | %12s %12s %12s | %12s\n",
         repeats, "bodies", "moving", "hand-over us", "question us", "us a body", "us a mover");
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
    for (size_t e = 0; e < 2 && (largest == 0 || counts[c] <= largest); ++e) {
      Crowd crowd;
      double best[2] = {INFINITY, INFINITY}, both = INFINITY;
      brinkStatus status = MakeCrowd(&crowd, counts[c]);
      const brinkStepsTable *steps = crowd.brink->getExtension(BRINK_STEPS_NAME);
      if (status == brink_ok && steps != NULL) status = steps->leaveOutResting(crowd.world, 1);
      for (int step = -2; step < repeats && status == brink_ok; ++step) {
        double taken[2];
        status = Step(&crowd, every[e], step, taken);
        if (step < 0 || taken[0] + taken[1] >= both) continue;
        both = taken[0] + taken[1];
        best[0] = taken[0];
        best[1] = taken[1];
      }
      if (status != brink_ok)
        fprintf(stderr, "brink-bench: %d bodies: %s\n", counts[c],
                crowd.world != NULL ? crowd.brink->lastError(crowd.world) : "no memory");
      else
        printf("%-10d %-8d | %12.1f %12.1f %12.3f | %12.3f\n", counts[c], counts[c] / every[e], 1e3 * best[0],
               1e3 * best[1], 1e3 * both / counts[c], 1e3 * both * every[e] / counts[c]);
      fflush(stdout);
      FreeCrowd(&crowd);
      if (status != brink_ok) return 1;
    }
  return 0;
}
