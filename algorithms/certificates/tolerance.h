/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TOLERANCE_H
#define BRINK_TOLERANCE_H
/* Toleranced motions: is there a proof that two bodies of faces never touch, or during which times, and where, is there
 * none?
 *
 * The motion is covered by balls of affine displacements, the faces made fat by them, fat faces tested against each
 * other; what is not proven is asked again on the halves of the time, until R sigma is below the tolerance. Beyond the
 * paper: both bodies move, nodes of a hierarchy of faces are asked before faces, each with a mass distribution of its
 * own, chosen anew for each part of the motion; what a part of the motion proved of a pair (of nodes, of features) is
 * not asked again on its halves; parts of the time are independent tasks. Proven cells go to a certifier
 * (certificate.h), whose witnesses are what is believed in the end. Based on: Schroecker and Weber 2013, Sec. 5,
 * Listings 1 and 2; theory D4.5-D4.8. Units: m; t in [0,1]. */
#include "certificate.h"
#include "fat_features.h"
#include "motion_balls.h"

typedef struct brinkToleranceMass { /* count 0: from the vertices */
  const double *points, *weights;   /* weights NULL = 1 each */
  size_t count;
} brinkToleranceMass;

typedef struct brinkToleranceInput {
  const brinkFaceBody *a, *b;
  double tStart, tEnd;
  double tolerance; /* m, > 0 */
  double clearance; /* m, >= 0: proven is more than this */
  bool oneMass; /* one mass distribution for a whole body; false: one for each node and face, a sphere around it whose
                   mass suits each part of the motion */
  brinkToleranceMass mass[2]; /* oneMass: of A and B */
  bool flat;                  /* no hierarchy: every face against every face from the start */
  bool
      searchOnly; /* no witnesses: figures of the search; a free answer then rests on the search's own rounding slack */
  bool everyPair; /* witnesses from the start: also at times at which another pair of faces lacks one already */
  uint32_t parts; /* the time is cut into this many equal parts first, whatever the number of threads; 0 = 1 */
  uint64_t maxTests; /* work budget of each part: pairs looked at and cells of the certifier; 0 = 4,000,000 */
  uint64_t maxOpen;  /* each part: open cells after which the rest of it is given up as open; 0 = 100,000 */
  /* Runs task(data, i) for i in [0,count), in any order, on any threads; NULL: one after the other. */
  void (*run)(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
  void *runUser;
} brinkToleranceInput;

typedef enum brinkToleranceState {
  brink_toleranceProven = 0, /* apart all the time */
  brink_toleranceListed = 1, /* some times lack a proof; at each the bodies come within about twice the tolerance */
  brink_toleranceSpent = 2   /* some times lack a proof because the budget was spent */
} brinkToleranceState;

typedef struct brinkToleranceCounters {
  uint64_t spans;        /* parts of the motion that were covered by a ball */
  uint64_t pairTests;    /* pairs of nodes or faces by their fat balls */
  uint64_t polygonTests; /* polygon against fat polygon: what the paper counts */
  uint64_t featureTests; /* elementary tests within those */
  uint64_t proofCells;   /* cells examined for witnesses */
  uint32_t depth;        /* halvings of the time */
  uint32_t reserved;
} brinkToleranceCounters;

typedef struct brinkToleranceOpen { /* open cells of all faces, merged in time */
  double from, to;
  brinkVec3 place;       /* where, world, at some time in it */
  uint32_t faceA, faceB; /* a pair of faces that lacks a proof there */
} brinkToleranceOpen;

typedef struct brinkToleranceResult { /* owned by the caller: brinkToleranceResult_Free */
  brinkToleranceState state;
  bool inside; /* a part of one solid was found inside the other at the start (then state is listed) */
  brinkToleranceCounters counters;
  brinkFaceTree treeA, treeB;
  brinkCertificateCell *cells; /* the cover: proven and open, parts in order of time */
  size_t cellCount, cellCapacity;
  brinkToleranceOpen *open;
  size_t openCount, openCapacity;
  brinkOutsideRay *rays[2];
  size_t rayCount[2];
  double bound; /* m: least bound of the proven cells */
} brinkToleranceResult;

/* brink_errorEmpty, BadValue, BadIndex, BadTime, NoMemory: message in the context, result empty. */
brinkStatus brinkTolerance_Search(brinkContext *context, const brinkToleranceInput *input,
                                  brinkToleranceResult *result);
/* The certificate without the search by balls: witnesses from the start, the default for pairs of colliders. */
brinkStatus brinkTolerance_Witness(brinkContext *context, const brinkToleranceInput *input,
                                   brinkToleranceResult *result);
void brinkToleranceResult_Free(brinkContext *context, brinkToleranceResult *result);

#endif
