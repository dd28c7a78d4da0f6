/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_STEPPER_H
#define DX_BRINK_STEPPER_H
/* What the files of one step share; see stepper.c for the whole. */
#include "dxbrink.h"

#define DX_BRINK_TOUCHING 0.25 /* of the allowance: a pair this near at an impact counts as struck too */

typedef struct dxBrinkRun {
  dBrinkID brink;
  double h; /* s */
  bool quick;
  void *data;
  dNearCallback *near;
  dJointGroupID group; /* for contacts made here */
  double t;            /* start of the current segment, part of the step */
  size_t bodyCount;
  bool reportsAll;     /* every pair is only reported */
  double bodySolves, bodySolveLimit; /* work of extra solves, in bodies */
} dxBrinkRun;

/* dropped: the program wants none of the contacts, nothing has changed; held back: the segment was solved again from its
 * start; arrived: it touches as a held-back pair should, nothing has changed. */
typedef enum dxBrinkOutcome {
  dxBrinkOutcomeDropped,
  dxBrinkOutcomeSolved,
  dxBrinkOutcomeClamped,
  dxBrinkOutcomeHeldBack,
  dxBrinkOutcomeArrived,
  dxBrinkOutcomeFailed
} dxBrinkOutcome;

/* ---- body_motion.c */
void dxBrinkReadState(dBodyID body, dxBrinkState *state);
void dxBrinkWriteState(dBodyID body, const dxBrinkState *state);
bool dxBrinkAllFinite(const dReal *values, size_t count);
bool dxBrinkStateIsFinite(const dxBrinkState *state);
bool dxBrinkSamePose(const dxBrinkState *a, const dxBrinkState *b);
void dxBrinkReadSpin(dBodyID body, const dxBrinkState *end, double h, bool finite, double spin[3]);
int dxBrinkSendMotions(dxBrinkRun *run, bool all);
void dxBrinkVelocityAt(const dxBrink *brink, const dxBrinkBody *record, double timeLeft, dxBrinkState *out);
bool dxBrinkStateAt(dBrinkID brink, const dxBrinkBody *record, double local, dxBrinkState *out);

/* ---- island.c */
bool dxBrinkIsGathered(const dxBrink *brink, uint32_t number);
bool dxBrinkSpread(dBrinkID brink, bool throughContacts);
bool dxBrinkGatherStruck(dBrinkID brink, bool throughContacts);
double dxBrinkSecondsNow(void);
void dxBrinkSolve(dxBrinkRun *run, double h);
bool dxBrinkSolveIsland(dxBrinkRun *run, double r);

/* ---- pairs.c */
bool dxBrinkDropPair(dBrinkID brink, dxBrinkPair pair);
dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom);
double dxBrinkPairAllowance(const dxBrink *brink, dxBrinkPair pair);
bool dxBrinkListNearPairs(dBrinkID brink, double local);
void dxBrinkListHeldApart(dBrinkID brink);
void dxBrinkCallNearHeldApart(dxBrinkRun *run);
bool dxBrinkBoxesMeet(dGeomID a, dGeomID b);
bool dxBrinkBitsMeet(dGeomID a, dGeomID b);

/* ---- near.c */
void dxBrinkCallNear(dxBrinkRun *run, dGeomID a, dGeomID b);

/* ---- strikes.c */
void dxBrinkStrikePair(dxBrinkRun *run, dxBrinkStrike *strike);
void dxBrinkCallNearOthers(dxBrinkRun *run);
bool dxBrinkListStaleContacts(dBrinkID brink);
void dxBrinkDisableStaleContacts(dBrinkID brink, size_t first);

/* ---- modes.c */
void dxBrinkApplyModes(dBrinkID brink);
int dxBrinkModeOfPair(const dxBrink *brink, dxBrinkPair pair);

/* ---- response.c */
bool dxBrinkReadImpactStates(dBrinkID brink, double local);
void dxBrinkPoseGathered(dxBrinkRun *run, double tau);
void dxBrinkUnposeAll(dBrinkID brink);
bool dxBrinkSolveGathered(dxBrinkRun *run, double tau);
int dxBrinkBeginSegment(dxBrinkRun *run, double local);
dxBrinkOutcome dxBrinkRespondWithContacts(dxBrinkRun *run, double local);
bool dxBrinkClampStrikes(dxBrinkRun *run, double local);
void dxBrinkClampAll(dxBrinkRun *run, double local);

/* ---- speculative.c */
bool dxBrinkIsFirstTouch(const dxBrink *brink, const dxBrinkStrike *strike);
bool dxBrinkMayHoldBack(dBrinkID brink, const dxBrinkStrike *strike);
bool dxBrinkGiveUpHoldingBack(dBrinkID brink);        /* the current strikes: advance them */
bool dxBrinkHasArrived(dBrinkID brink, double local); /* all of them held back, and touching late in the segment: as meant */
dxBrinkOutcome dxBrinkHoldBack(dxBrinkRun *run, double local);

#endif
