/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_STEPPER_H
#define DX_BRINK_STEPPER_H
/* What the files of one step share; see stepper.c for the whole. */
#include "dxbrink.h"

#define DX_BRINK_CREEPING 1e-3 /* of the allowance: nearer pairs with a mesh are set apart */
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
  bool reportsAll;   /* every pair is only reported */
  double bodySolves; /* work of extra solves, in bodies */
} dxBrinkRun;

/* dropped: the program wants none of the contacts, nothing has changed; held back: the segment was solved again from
 * its start; arrived: it touches as a held-back pair should, nothing has changed. */
typedef enum dxBrinkOutcome {
  dxBrinkOutcomeDropped,
  dxBrinkOutcomeSolved,
  dxBrinkOutcomeClamped,
  dxBrinkOutcomeHeldBack,
  dxBrinkOutcomeArrived,
  dxBrinkOutcomeFailed
} dxBrinkOutcome;

/* ---- body_state.c: bit for bit */
void dxBrinkWriteState(dBodyID body, const dxBrinkState *state);

/* ---- body_motion.c */
bool dxBrinkStateIsFinite(const dxBrinkState *state);
bool dxBrinkSamePose(const dxBrinkState *a, const dxBrinkState *b);
void dxBrinkReadSpin(dBodyID body, const dxBrinkState *end, double h, bool finite, double spin[3]);
void dxBrinkMakeMotion(const dxBrinkBody *record, bool alone, brinkBodyMotion *out); /* as it is sent */
int dxBrinkSendMotion(dBrinkID brink, uint32_t number);                              /* 0: dBrinkGetError tells why */
int dxBrinkSendMotions(dxBrinkRun *run, bool all);
void dxBrinkVelocityAt(const dxBrink *brink, const dxBrinkBody *record, double timeLeft, dxBrinkState *out);
bool dxBrinkStateAt(dBrinkID brink, const dxBrinkBody *record, double local, dxBrinkState *out);

/* ---- record.c: a file of each step that ended in the guard; all do nothing while no directory is set */
void dxBrinkRecordBegin(dBrinkID brink);
void dxBrinkRecordQuestion(dxBrinkRun *run, const brinkQuery *query);
int dxBrinkRecordWantPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
void dxBrinkRecordAnswer(dxBrinkRun *run, const brinkReport *report);
void dxBrinkRecordEnd(dxBrinkRun *run);

/* ---- sieve.c: bodies that need no question */
/* After ODE's solve: marks the quiet bodies, lists those that are awake. */
void dxBrinkSift(dxBrinkRun *run);
#define DX_BRINK_FETCH_AHEAD 8
void dxBrinkFetchFlags(const dxBrink *brink, size_t index); /* a hint to the processor: is the body enabled? */
/* Is a body still inside its slack at this pose, when no point of it moves by more than step, m? *left: how much
 * farther it could go, m. */
bool dxBrinkIsInside(const dxBrinkBrief *brief, const dReal *p, const dReal *q, double step, double *left);
/* A quiet body joins the question: its motion from here on is sent, record->next is its state at tau. 0: failed. */
int dxBrinkWake(dxBrinkRun *run, uint32_t number, double tau);
/* Wakes the quiet bodies that others may reach in this segment; looks only around those not yet searched. */
int dxBrinkWakeNear(dxBrinkRun *run);
int dxBrinkMeetFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
/* At the end of a step: looks at the bodies that were awake and are slow now. */
void dxBrinkLook(dxBrinkRun *run);

/* ---- island.c */
void dxBrinkBeginGathering(dBrinkID brink);
bool dxBrinkGather(dBrinkID brink, uint32_t number);
bool dxBrinkIsGathered(const dxBrink *brink, uint32_t number);
bool dxBrinkSpread(dBrinkID brink, bool throughContacts);
bool dxBrinkGatherStruck(dBrinkID brink, bool throughContacts);
double dxBrinkSecondsNow(void);
void dxBrinkSolve(dxBrinkRun *run, double h);
bool dxBrinkSolveIsland(dxBrinkRun *run, double r, bool insteadOfLast);
bool dxBrinkDampsByTime(double damping, double threshold);
void dxBrinkRestoreDamping(dBrinkID brink);

/* ---- pairs.c */
/* Was a pair with a mesh struck at its core, its surfaces across each other? */
bool dxBrinkIsSunken(const dxBrink *brink, const brinkContact *contact, dxBrinkPair pair);
bool dxBrinkDropPair(dBrinkID brink, dxBrinkPair pair);
/* A pair that was registered when it had sunk already: its contacts need surfaces that stay apart, and these cross. It
 * is watched at its core for the rest of this step. False: it was before, or is none such. */
bool dxBrinkWatchAcross(dBrinkID brink, dxBrinkPair pair);
void dxBrinkBeginAcross(dBrinkID brink); /* at the start of a step */
dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom);
double dxBrinkPairAllowance(const dxBrink *brink, dxBrinkPair pair);
bool dxBrinkListNearPairs(dBrinkID brink);
bool dxBrinkBoxesWithin(dGeomID a, dGeomID b, double margin);
bool dxBrinkHaveHeldMeshes(const dxBrink *brink);
void dxBrinkBeginHeldApart(dBrinkID brink);                 /* forgets the pairs of bodies that were awake */
void dxBrinkAddHeldApart(dBrinkID brink, dxBrinkPair pair); /* if it is such a pair */
void dxBrinkCallNearHeldApart(dxBrinkRun *run);
bool dxBrinkBoxesMeet(dGeomID a, dGeomID b);
bool dxBrinkBitsMeet(dGeomID a, dGeomID b);

/* ---- near.c */
/* Does nothing once brink->worldChanged: a callback has destroyed or made something, and records may point nowhere. */
void dxBrinkCallNear(dxBrinkRun *run, dGeomID a, dGeomID b);
void dxBrinkDropParking(dBrinkID brink);                  /* at the end of a dBrink */
bool dxBrinkWorldChanged(dBrinkID brink);                 /* looks closely */
int dxBrinkEndChangedStep(dxBrinkRun *run, double local); /* 0, with a message */
void dxBrinkMarkStale(dBrinkID brink, dJointID joint);    /* of a contact that is switched off: its bodies */
void dxBrinkEnableStale(dBrinkID brink);

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
void dxBrinkVelocitiesAt(const dxBrinkRun *run, const dxBrinkBody *record, double tau, dxBrinkState *out);
bool dxBrinkSolveGathered(dxBrinkRun *run, double tau, bool insteadOfLast);
int dxBrinkBeginSegment(dxBrinkRun *run, double local);
dxBrinkOutcome dxBrinkRespondWithContacts(dxBrinkRun *run, double local);
bool dxBrinkClampStrikes(dxBrinkRun *run, double local);
void dxBrinkClampAll(dxBrinkRun *run, double local);

/* ---- turns.c */
void dxBrinkCalmDown(dxBrinkRun *run); /* at the start of a step: who no longer counts as struck? */
/* Where the segment, which takes this part of the step, has to be cut for what spins; 2: nowhere. */
double dxBrinkTurnLimit(dxBrinkRun *run, double left);
bool dxBrinkCutTurns(dxBrinkRun *run, double local);

/* ---- joint_gaps.c */
void dxBrinkJointGap(const dxBrink *brink, const dxBrinkJoint *joint, double local, double out[3]);
double dxBrinkJointReach(const dxBrinkJoint *joint);
bool dxBrinkJointIsKnown(const dxBrink *brink, const dxBrinkJoint *joint);
double dxBrinkTurnAngle(const dxBrinkBody *record);
void dxBrinkCloseJoints(dxBrinkRun *run, const uint32_t *numbers, size_t count, double left);
void dxBrinkTurnStruckFinitely(dBrinkID brink);
void dxBrinkRestoreStruckTurning(dBrinkID brink);

/* ---- sensors.c */
bool dxBrinkIsSensorPair(const dxBrink *brink, uint32_t geomA, uint32_t geomB);
void dxBrinkBeginSensing(dBrinkID brink);
bool dxBrinkNoteMotion(dBrinkID brink, uint32_t number);
bool dxBrinkNoteMotions(dBrinkID brink);
int dxBrinkSense(dxBrinkRun *run, double end); /* 0: dBrinkGetError tells why */

/* ---- speculative.c */
bool dxBrinkIsFirstTouch(const dxBrink *brink, const dxBrinkStrike *strike);
bool dxBrinkMayHoldBack(dBrinkID brink, const dxBrinkStrike *strike);
bool dxBrinkGiveUpHoldingBack(dBrinkID brink); /* the current strikes: advance them */
bool dxBrinkHasArrived(dBrinkID brink,
                       double local); /* all of them held back, and touching late in the segment: as meant */
dxBrinkOutcome dxBrinkHoldBack(dxBrinkRun *run, double local);

#endif
