/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CLEARANCE_QUERY_H
#define BRINK_CLEARANCE_QUERY_H
/* How close do two moving colliders come, when, and where? An extension:
 * `const brinkClearanceTable *clearance = plugin->getExtension(BRINK_CLEARANCE_NAME)`; NULL = not in this build.
 *
 * Default: the smallest distance at equal times, whatever motions the two bodies have (chains, turns, both at once).
 * lower <= true <= upper always holds, also when the budget ran out. Touching and overlap count as 0; else upper is the
 * distance of pointA and pointB at the stated time. With a required clearance the search stops as soon as it is proven
 * to be kept or broken. Errors and thread rule as in brink/ccd.h: [world]. Categories, filters and joints do not apply.
 *
 * BRINK_CLEARANCE_SWEPT: the distance of the two swept volumes instead, whatever the time (two bodies that cross one
 * place one after the other collide). Only in builds made with the CMake option BRINK_SWEPT_HULL, else
 * brink_errorVersion. US 7,996,197 (issued 9 August 2011; a third-party index lists expiry on 6 January 2027; not
 * verified with the USPTO) concerns clearance detection using implicitly represented convex hulls of swept
 * bounding-volume nodes. Information only, not legal advice; check the status in your jurisdiction. */
#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_CLEARANCE_NAME "brink.clearance/1"

enum { BRINK_CLEARANCE_SWEPT = 1u << 0 /* of the swept volumes: see above */ };

typedef enum brinkClearanceState {
  brink_clearanceSettled = 0, /* upper - lower <= tolerance */
  brink_clearanceDecided = 1, /* the required clearance was proven kept or broken before that */
  brink_clearanceSpent = 2    /* budget spent, or rounding forbids more; both bounds hold */
} brinkClearanceState;

typedef enum brinkClearanceVerdict {
  brink_clearanceNotAsked = 0,
  brink_clearanceKept = 1,    /* proven: lower >= required */
  brink_clearanceBroken = 2,  /* shown: upper < required */
  brink_clearanceUnproven = 3 /* required lies between the bounds */
} brinkClearanceVerdict;

typedef struct brinkClearanceQuery {
  uint32_t structSize;
  uint32_t flags;         /* BRINK_CLEARANCE_* */
  double tStart, tEnd;    /* 0 <= tStart <= tEnd <= 1 */
  double tolerance;       /* m, > 0: the search ends at upper - lower <= this; 0 = 1e-6 of the size of the
                             smaller one. Size: half of the longest edge of a shape's own box */
  double required;        /* m, > 0; 0 = only the size is asked */
  uint64_t maxIterations; /* distance queries of pieces; 0 = 1,000,000 (swept: 200,000) */
} brinkClearanceQuery;

typedef struct brinkClearanceAnswer {
  uint32_t structSize;
  uint32_t state;      /* brinkClearanceState */
  uint32_t verdict;    /* brinkClearanceVerdict */
  uint32_t collision;  /* 1: found touching or overlapping. 0 with lower > 0: proven apart; with lower 0: not proven */
  double lower, upper; /* m, >= 0 */
  double tolerance;    /* m, the one in force */
  double timeA, timeB; /* step time of the witnesses; equal unless swept */
  brinkVec3 pointA, pointB;        /* on A at timeA, on B at timeB, world */
  brinkVec3 normal;                /* unit, A to B */
  brinkFeature featureA, featureB; /* vertex ids of the shape (of a compound: of its part) */
  uint64_t iterations;
} brinkClearanceAnswer;

typedef struct brinkClearanceTable {
  uint32_t structSize;
  uint32_t reserved;
  /* Clearance of two colliders under the motions last set for their bodies. At most one may be a plane, with
   * BRINK_CLEARANCE_SWEPT none. out untouched on failure. */
  brinkStatus (*measure)(brinkWorld *world, brinkColliderId a, brinkColliderId b, const brinkClearanceQuery *query,
                         brinkClearanceAnswer *out);
} brinkClearanceTable;

#ifdef __cplusplus
}
#endif
#endif
