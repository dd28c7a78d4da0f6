/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_STEPPER_H
#define DX_BRINK_STEPPER_H
/* What the files of one step share; see stepper.c for the whole. */
#include "dxbrink.h"

#define DX_BRINK_TOUCHING 0.25 /* of the allowance: a pair this near at an impact counts as struck too */
#define DX_BRINK_SENT_BACK 0.05 /* of the bodies' speed: no faster does an extra solve push out what lies too deep */

typedef struct dxBrinkRun {
  dBrinkID brink;
  double h; /* s */
  bool quick;
  void *data;
  dNearCallback *near;
  dJointGroupID group; /* for contacts made here */
  double t;            /* nothing changes any more before this time, part of the step */
  double tau;          /* of the change that is under way */
  size_t firstStale;   /* its first entry in disabledJoints */
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
  dxBrinkOutcomeDeepens, /* nobody knows what the program wants: it may touch visibly first, see silence.c */
  dxBrinkOutcomeWaits,   /* the same, and it has done so */
  dxBrinkOutcomeFailed
} dxBrinkOutcome;

/* ---- body_state.c: bit for bit */
void dxBrinkWriteState(dBodyID body, const dxBrinkState *state);

/* ---- body_motion.c */
bool dxBrinkStateIsFinite(const dxBrinkState *state);
bool dxBrinkSamePose(const dxBrinkState *a, const dxBrinkState *b);
void dxBrinkReadSpin(dBodyID body, const dxBrinkState *end, double h, bool finite, double spin[3]);
void dxBrinkMakeMotion(const dxBrinkBody *record, brinkBodyMotion *out); /* as it is sent */
int dxBrinkSendMotion(dBrinkID brink, uint32_t number);                  /* 0: dBrinkGetError tells why */
int dxBrinkSendMotions(dBrinkID brink);
int dxBrinkLeaveChain(dBrinkID brink, uint32_t chain, double tau);
void dxBrinkStartFrom(dxBrinkBody *record, double tau);
void dxBrinkVelocityAt(const dxBrink *brink, const dxBrinkBody *record, double timeLeft, dxBrinkState *out);
bool dxBrinkStateAt(dBrinkID brink, const dxBrinkBody *record, double tau, dxBrinkState *out);

/* ---- record.c: a file of each step that ended in the guard; all do nothing while no directory is set */
void dxBrinkRecordBegin(dBrinkID brink);
void dxBrinkRecordMotion(dBrinkID brink, uint32_t number, const brinkBodyMotion *motion);
void dxBrinkRecordDrop(dBrinkID brink, dxBrinkPair pair);
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
/* A quiet body joins the question: its motion is sent. 0: failed. */
int dxBrinkWake(dxBrinkRun *run, uint32_t number);
/* Wakes the quiet bodies that these others may reach in what is left of the step. */
int dxBrinkWakeNear(dxBrinkRun *run, const uint32_t *numbers, size_t count);
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
bool dxBrinkEnableGathered(dxBrinkRun *run);
void dxBrinkLetOthersGoOn(dxBrinkRun *run); /* after the last solve of an island in a step */
bool dxBrinkDampsByTime(double damping, double threshold);
void dxBrinkRestoreDamping(dBrinkID brink);

/* ---- edges.c: what is not felt any more */
bool dxBrinkMayGatherMore(const dxBrink *brink); /* through contacts */
bool dxBrinkNoteEdge(dBrinkID brink, uint32_t number);
bool dxBrinkIsEdge(const dxBrink *brink, uint32_t number);
bool dxBrinkPoseEdges(dxBrinkRun *run);
bool dxBrinkHangOnStandIns(dxBrinkRun *run, double tau, bool yields);
void dxBrinkTakeFromStandIns(dBrinkID brink, bool solved);
void dxBrinkDropStandIns(dBrinkID brink);

/* ---- pairs.c */
/* Was a pair with a mesh struck at its core, its surfaces across each other? */
bool dxBrinkIsSunken(const dxBrink *brink, const brinkContact *contact, dxBrinkPair pair);
bool dxBrinkDropPair(dBrinkID brink, dxBrinkPair pair); /* for the rest of the step */
bool dxBrinkHadContacts(const dxBrink *brink, dxBrinkPair pair); /* at an impact of this step */
bool dxBrinkNoteContacts(dBrinkID brink, dxBrinkPair pair);
dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom);
double dxBrinkPairAllowance(const dxBrink *brink, dxBrinkPair pair);
bool dxBrinkListNearPairs(const dxBrinkRun *run);
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
int dxBrinkEndChangedStep(dxBrinkRun *run, double tau);   /* 0, with a message */
int dxBrinkFailWorldGone(dBrinkID brink);                 /* 0, with a message */
void dxBrinkMarkStale(dBrinkID brink, dJointID joint);    /* of a contact that is switched off: its bodies */
void dxBrinkEnableStale(dBrinkID brink);

/* ---- strikes.c */
void dxBrinkStrikePair(dxBrinkRun *run, dxBrinkStrike *strike);
void dxBrinkCallNearOthers(dxBrinkRun *run);
bool dxBrinkListStaleContacts(dBrinkID brink);
void dxBrinkDisableStaleContacts(dBrinkID brink, size_t first);

/* ---- silence.c */
typedef enum dxBrinkSilence { dxBrinkSilenceDrops, dxBrinkSilenceDeepens, dxBrinkSilenceWaits } dxBrinkSilence;
void dxBrinkBeginSilence(dBrinkID brink);
dxBrinkSilence dxBrinkHearSilence(dBrinkID brink, dxBrinkPair pair);

/* ---- modes.c */
void dxBrinkApplyModes(dBrinkID brink);
int dxBrinkModeOfPair(const dxBrink *brink, dxBrinkPair pair);

/* ---- response.c */
bool dxBrinkBeginChange(dxBrinkRun *run, double tau); /* of the gathered bodies */
void dxBrinkAbortChange(dxBrinkRun *run);
bool dxBrinkCommitChange(dxBrinkRun *run, bool callOthers);
bool dxBrinkPoseGathered(dxBrinkRun *run);
void dxBrinkVelocitiesAt(const dxBrinkRun *run, const dxBrinkBody *record, double tau, dxBrinkState *out);
bool dxBrinkSolveGathered(dxBrinkRun *run, double tau, bool insteadOfLast);
bool dxBrinkAskStruckAgain(dxBrinkRun *run, double tau);
dxBrinkOutcome dxBrinkRespondWithContacts(dxBrinkRun *run, double tau);
bool dxBrinkClampStrikes(dxBrinkRun *run, double tau, bool keepSpeed);
void dxBrinkClampAll(dxBrinkRun *run, double tau);

/* ---- turns.c */
void dxBrinkCalmDown(dxBrinkRun *run); /* at the start of a step: who no longer counts as struck? */
bool dxBrinkPlanCuts(dxBrinkRun *run, const uint32_t *numbers, size_t count); /* false: no memory */
void dxBrinkForgetCuts(dBrinkID brink);
double dxBrinkNextCut(dBrinkID brink); /* when what spins has to be solved again, part of the step; 2: never */
double dxBrinkCutOfJoint(const dxBrink *brink, const dxBrinkJoint *joint, double left);
bool dxBrinkCutTurns(dxBrinkRun *run, double tau);

/* ---- joint_gaps.c */
void dxBrinkJointGap(const dxBrink *brink, const dxBrinkJoint *joint, double local, double out[3]);
double dxBrinkJointReach(const dxBrinkJoint *joint);
bool dxBrinkJointIsKnown(const dxBrink *brink, const dxBrinkJoint *joint);
double dxBrinkTurnAngle(const dxBrinkBody *record);
bool dxBrinkListJointsOf(dBrinkID brink, const uint32_t *numbers, size_t count);
void dxBrinkCloseJoints(dxBrinkRun *run, const uint32_t *numbers, size_t count, double left);
void dxBrinkTurnStruckFinitely(dBrinkID brink);
void dxBrinkRestoreStruckTurning(dBrinkID brink);

/* ---- sensors.c */
bool dxBrinkIsSensorPair(const dxBrink *brink, uint32_t geomA, uint32_t geomB);
void dxBrinkBeginSensing(dBrinkID brink);
bool dxBrinkNoteMotion(dBrinkID brink, uint32_t number, double tau); /* up to there it went as it is known */
int dxBrinkSense(dBrinkID brink);                                     /* 0: dBrinkGetError tells why */

/* ---- speculative.c */
bool dxBrinkIsFirstTouch(const dxBrink *brink, const dxBrinkStrike *strike);
bool dxBrinkMayHoldBack(const dxBrinkRun *run, const dxBrinkStrike *strike);
bool dxBrinkGiveUpHoldingBack(dBrinkID brink); /* the current strikes: advance them */
bool dxBrinkHasArrived(dxBrinkRun *run, double tau); /* all of them held back, and touching late: as meant */
dxBrinkOutcome dxBrinkHoldBack(dxBrinkRun *run, double tau);

#endif
