/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_STEPPER_H
#define DX_BRINK_STEPPER_H
/* What the files of one step share; see stepper.c for the whole. */
#include "mirror/mirror.h"
#include "motion.h" /* plugin/stepping */

/* Who listens to a step (inspect/told.c): records for `brink replay`, segments for tests and tools, sensors. */
struct dxBrinkTold {
  void (*clear)(dBrinkID brink);   /* a new step: what the last one told is over */
  void (*begin)(dBrinkID brink);   /* the mirror is up to date */
  void (*started)(dBrinkID brink); /* before ODE's solve */
  void (*end)(dBrinkID brink);
  brinkStepListener inside;
};

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

/* ---- gather.c */
void dxBrinkBeginGathering(dBrinkID brink);
bool dxBrinkGather(dBrinkID brink, uint32_t number);
bool dxBrinkIsGathered(const dxBrink *brink, uint32_t number);
bool dxBrinkSpread(dBrinkID brink, bool throughContacts);
bool dxBrinkGatherStruck(dBrinkID brink, bool throughContacts);
bool dxBrinkIsEdge(const dxBrink *brink, uint32_t number);

/* ---- body_motion.c */
bool dxBrinkStateIsFinite(const brinkStepState *state);
bool dxBrinkSamePose(const brinkStepState *a, const brinkStepState *b);
void dxBrinkReadSpin(dBodyID body, const brinkStepState *end, double h, bool finite, double spin[3]);
int dxBrinkSendMotion(dBrinkID brink, uint32_t number); /* 0: dBrinkGetError tells why */
int dxBrinkSendMotions(dBrinkID brink);
int dxBrinkLeaveChain(dBrinkID brink, uint32_t chain, double tau);
void dxBrinkStartFrom(brinkStepBody *record, double tau);
void dxBrinkVelocityAt(const dxBrink *brink, const brinkStepBody *record, double timeLeft, brinkStepState *out);
bool dxBrinkDampsByTime(double damping, double threshold);
void dxBrinkVelocitiesAt(dBrinkID brink, const brinkStepBody *record, double tau, brinkStepState *out);
bool dxBrinkStateAt(dBrinkID brink, const brinkStepBody *record, double tau, brinkStepState *out);
bool dxBrinkPoseBody(dBrinkID brink, uint32_t number);

/* ---- culling.c: bodies that need no question */
/* After ODE's solve: marks the quiet bodies, lists those that are awake. */
void dxBrinkSift(dBrinkID brink);
/* A quiet body joins the question: its motion is sent. 0: failed. */
int dxBrinkWake(dBrinkID brink, uint32_t number);
/* Wakes the quiet bodies that these others may reach in what is left of the step. */
int dxBrinkWakeNear(dBrinkID brink, const uint32_t *numbers, size_t count);
int dxBrinkMeetFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
/* At the end of a step: looks at the bodies that were awake and are slow now. */
void dxBrinkLook(dBrinkID brink);

/* ---- island.c */
double dxBrinkSecondsNow(void);
void dxBrinkSolve(dBrinkID brink, double h);
bool dxBrinkSolveIsland(dBrinkID brink, double r, bool insteadOfLast);
bool dxBrinkEnableGathered(dBrinkID brink);
void dxBrinkLetOthersGoOn(dBrinkID brink); /* after the last solve of an island in a step */
void dxBrinkRestoreDamping(dBrinkID brink);

/* ---- edges.c: what is not felt any more */
bool dxBrinkPoseEdges(dBrinkID brink);
bool dxBrinkHangOnStandIns(dBrinkID brink, double tau, bool yields);
void dxBrinkTakeFromStandIns(dBrinkID brink, bool solved);
void dxBrinkDropStandIns(dBrinkID brink);

/* ---- pairs.c */
bool dxBrinkIsFirstTouch(const dxBrink *brink, const brinkStepImpact *impact);
/* Was a pair with a mesh struck at its core, its surfaces across each other? */
bool dxBrinkIsSunken(const dxBrink *brink, const brinkContact *contact, brinkStepPair pair);
bool dxBrinkDropPair(dBrinkID brink, brinkStepPair pair);          /* for the rest of the step */
bool dxBrinkHadContacts(const dxBrink *brink, brinkStepPair pair); /* at an impact of this step */
bool dxBrinkNoteContacts(dBrinkID brink, brinkStepPair pair);
dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom);
double dxBrinkPairAllowance(const dxBrink *brink, brinkStepPair pair);
bool dxBrinkListPairsAround(dBrinkID brink, double from, double margin, bool butStruck);
bool dxBrinkListNearPairs(dBrinkID brink);
bool dxBrinkBoxesWithin(dGeomID a, dGeomID b, double margin);
bool dxBrinkHaveHeldMeshes(const dxBrink *brink);
void dxBrinkBeginHeldApart(dBrinkID brink);                   /* forgets the pairs of bodies that were awake */
void dxBrinkAddHeldApart(dBrinkID brink, brinkStepPair pair); /* if it is such a pair */
bool dxBrinkBoxesMeet(dGeomID a, dGeomID b);
bool dxBrinkBitsMeet(dGeomID a, dGeomID b);

/* ---- near.c */
/* Does nothing once brink->step.worldChanged: a callback has destroyed or made something, and records may point
 * nowhere. */
void dxBrinkCallNear(dBrinkID brink, dGeomID a, dGeomID b);
void dxBrinkCallNearHeldApart(dBrinkID brink);
dJointID dxBrinkNextContact(dBodyID a, dBodyID b, int *at);
void dxBrinkDropParking(dBrinkID brink);              /* at the end of a dBrink */
bool dxBrinkWorldChanged(dBrinkID brink);             /* looks closely */
int dxBrinkFailWorldGone(dBrinkID brink);             /* 0, with a message */
bool dxBrinkPutAside(dBrinkID brink, dJointID joint); /* a contact, until the step's end; false: no memory */
void dxBrinkEnableStale(dBrinkID brink);

/* ---- impacts.c */
void dxBrinkImpactPair(dBrinkID brink, brinkStepImpact *impact);
void dxBrinkCallNearOthers(dBrinkID brink);
void dxBrinkCallNearSwept(dBrinkID brink);
bool dxBrinkListStaleContacts(dBrinkID brink);
void dxBrinkDisableStaleContacts(dBrinkID brink, size_t first);

/* ---- silence.c */
typedef enum dxBrinkSilence { dxBrinkSilenceDrops, dxBrinkSilenceDeepens, dxBrinkSilenceWaits } dxBrinkSilence;
void dxBrinkBeginSilence(dBrinkID brink);
dxBrinkSilence dxBrinkHearSilence(dBrinkID brink, brinkStepPair pair);

/* ---- modes.c */
void dxBrinkApplyModes(dBrinkID brink);
int dxBrinkModeOfPair(const dxBrink *brink, brinkStepPair pair);

/* ---- response.c */
double dxBrinkPointSpeed(const brinkStepState *state, const double arm[3], const double normal[3]);
bool dxBrinkBeginChange(dBrinkID brink, double tau); /* of the gathered bodies */
void dxBrinkAbortChange(dBrinkID brink);
bool dxBrinkCommitChange(dBrinkID brink, bool callOthers);
bool dxBrinkPoseGathered(dBrinkID brink);
bool dxBrinkSolveGathered(dBrinkID brink, double tau, bool insteadOfLast);
bool dxBrinkAskStruckAgain(dBrinkID brink, double tau);
dxBrinkOutcome dxBrinkRespondWithContacts(dBrinkID brink, double tau);
bool dxBrinkClampImpacts(dBrinkID brink, double tau, bool keepSpeed);
void dxBrinkClampAll(dBrinkID brink, double tau);

/* ---- cuts.c */
void dxBrinkCalmDown(dBrinkID brink); /* at the start of a step: who no longer counts as struck? */
bool dxBrinkPlanCuts(dBrinkID brink, const uint32_t *numbers, size_t count); /* false: no memory */
void dxBrinkForgetCuts(dBrinkID brink);
double dxBrinkNextCut(dBrinkID brink);        /* when what spins has to be solved again, part of the step; 2: never */
uint32_t dxBrinkNextCutJoint(dBrinkID brink); /* BRINK_NO_RECORD: none */

/* ---- turns.c */
bool dxBrinkCutTurns(dBrinkID brink, double tau);

/* ---- joint_gaps.c */
double dxBrinkCutOfJoint(const dxBrink *brink, const brinkStepJoint *joint, double left);
bool dxBrinkListJointsOf(dBrinkID brink, const uint32_t *numbers, size_t count);
void dxBrinkCloseJoints(dBrinkID brink, const uint32_t *numbers, size_t count, double left);
void dxBrinkTurnStruckFinitely(dBrinkID brink);
void dxBrinkRestoreStruckTurning(dBrinkID brink);

/* ---- speculative.c */
bool dxBrinkMayHoldBack(dBrinkID brink, const brinkStepImpact *impact);
bool dxBrinkGiveUpHoldingBack(dBrinkID brink);      /* the current impacts: advance them */
bool dxBrinkHasArrived(dBrinkID brink, double tau); /* all of them held back, and touching late: as meant */
dxBrinkOutcome dxBrinkHoldBack(dBrinkID brink, double tau);

#endif
