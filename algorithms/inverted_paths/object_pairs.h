/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_OBJECT_PAIRS_H
#define BRINK_OBJECT_PAIRS_H
/* Which of many moving objects may meet, and when at the earliest and at the latest? Boxes of all objects over slices
 * of time, swept along one axis. What is not listed is proven apart, and so are listed pairs before and after.
 *
 * Based on: [INV] 2.4, "Combinatorial Collision Detection"; boxes by theory 15, "Cells". Units: m; step time. */
#include "inverse_motion.h"

typedef struct brinkMovingObject {
  double low[3], high[3];           /* m, a box in its own frame that holds it */
  const brinkInverseMotion *motion; /* its own, in the world; may be singular */
  uint32_t group;                   /* objects of one group are not asked about each other; 0: of none */
} brinkMovingObject;

typedef struct brinkObjectPair {
  uint32_t a, b;   /* a < b */
  double from, to; /* apart before and after */
} brinkObjectPair;

typedef struct brinkObjectPairs {
  brinkObjectPair *items; /* [count], by a, then b */
  size_t count, capacity;
  double all; /* pairs that groups allow */
} brinkObjectPairs;

void brinkObjectPairs_Free(brinkContext *context, brinkObjectPairs *pairs);
brinkStatus brinkFindObjectPairs(brinkContext *context, const brinkMovingObject *objects, size_t count, double tStart,
                                 double tEnd, brinkObjectPairs *out);

#endif
