/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEPS_H
#define BRINK_STEPS_H
/* For steppers of large worlds in which most bodies rest: questions whose cost goes with what moves. An extension:
 * `const brinkStepsTable *steps = plugin->getExtension(BRINK_STEPS_NAME)`; NULL = not in this build.
 * Errors and thread rule as in brink/ccd.h: [world]. */
#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_STEPS_NAME "brink.steps/1"

typedef struct brinkStepsTable {
  uint32_t structSize;
  uint32_t reserved;
  /* on: firstContact leaves out pairs of bodies that both rest in the world (brink_motionRest, no parent), whether they
   * touch or not. Off when a world is made. */
  brinkStatus (*leaveOutResting)(brinkWorld *world, int on);
  /* Pairs that involve one of these bodies and whose boxes over [t0,t1] come within margin, m; resting ones too,
   * filters apply. Sorted; pairs: world-owned. What nothing has changed since the last question over [t0,t1] is not
   * made again. */
  brinkStatus (*pairsOf)(brinkWorld *world, const brinkBodyId *bodies, size_t count, double t0, double t1,
                         double margin, const brinkColliderPair **pairs, size_t *pairCount);
} brinkStepsTable;

#ifdef __cplusplus
}
#endif
#endif
