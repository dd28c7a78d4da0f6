/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_STEPPER_H
#define DX_BRINK_STEPPER_H
/* What the files of one step share; see stepper.c for the whole. */
#include "mirror/mirror.h"
#include "motion.h" /* plugin/stepping */

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

/* Who listens while a step works (inspect/told.c): records for `brink replay`, segments for tests and tools, sensors.
 * Nothing of it changes what the step does. */
struct dxBrinkTold {
  void (*clear)(dBrinkID brink);                  /* a new step: what the last one told is over */
  void (*begin)(dBrinkID brink);                  /* the mirror is up to date */
  bool (*needsAll)(const dxBrink *brink);         /* is every body to be asked about? */
  bool (*senses)(const dxBrink *brink);           /* do sensors count in this step? */
  void (*started)(dBrinkID brink);                /* before ODE's solve */
  void (*left)(dBrinkID brink, dxBrinkPair pair); /* by the pair filter */
  void (*sinks)(dBrinkID brink, dxBrinkPair pair, double depth, double limit); /* the pair may */
  void (*dropped)(dBrinkID brink, dxBrinkPair pair);
  void (*motion)(dBrinkID brink, uint32_t body, const brinkBodyMotion *motion); /* as it is sent */
  bool (*carried)(dBrinkID brink, uint32_t body, double tau);                   /* up to there it went as it is known */
  void (*question)(dxBrinkRun *run, const brinkQuery *query);
  void (*answer)(dxBrinkRun *run, const brinkReport *report);
  int (*crossed)(dBrinkID brink); /* all motions are final; 0: dBrinkGetError tells why */
  void (*end)(dxBrinkRun *run);
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
bool dxBrinkStateIsFinite(const dxBrinkState *state);
bool dxBrinkSamePose(const dxBrinkState *a, const dxBrinkState *b);
void dxBrinkReadSpin(dBodyID body, const dxBrinkState *end, double h, bool finite, double spin[3]);
int dxBrinkSendMotion(dBrinkID brink, uint32_t number); /* 0: dBrinkGetError tells why */
int dxBrinkSendMotions(dBrinkID brink);
int dxBrinkLeaveChain(dBrinkID brink, uint32_t chain, double tau);
void dxBrinkStartFrom(dxBrinkBody *record, double tau);
void dxBrinkVelocityAt(const dxBrink *brink, const dxBrinkBody *record, double timeLeft, dxBrinkState *out);
bool dxBrinkDampsByTime(double damping, double threshold);
void dxBrinkVelocitiesAt(const dxBrinkRun *run, const dxBrinkBody *record, double tau, dxBrinkState *out);
bool dxBrinkStateAt(dBrinkID brink, const dxBrinkBody *record, double tau, dxBrinkState *out);
bool dxBrinkPoseBody(dxBrinkRun *run, uint32_t number);

/* ---- culling.c: bodies that need no question */
/* After ODE's solve: marks the quiet bodies, lists those that are awake. */
void dxBrinkSift(dxBrinkRun *run);
/* A quiet body joins the question: its motion is sent. 0: failed. */
int dxBrinkWake(dxBrinkRun *run, uint32_t number);
/* Wakes the quiet bodies that these others may reach in what is left of the step. */
int dxBrinkWakeNear(dxBrinkRun *run, const uint32_t *numbers, size_t count);
int dxBrinkMeetFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
/* At the end of a step: looks at the bodies that were awake and are slow now. */
void dxBrinkLook(dxBrinkRun *run);

/* ---- island.c */
double dxBrinkSecondsNow(void);
void dxBrinkSolve(dxBrinkRun *run, double h);
bool dxBrinkSolveIsland(dxBrinkRun *run, double r, bool insteadOfLast);
bool dxBrinkEnableGathered(dxBrinkRun *run);
void dxBrinkLetOthersGoOn(dxBrinkRun *run); /* after the last solve of an island in a step */
void dxBrinkRestoreDamping(dBrinkID brink);

/* ---- edges.c: what is not felt any more */
bool dxBrinkPoseEdges(dxBrinkRun *run);
bool dxBrinkHangOnStandIns(dxBrinkRun *run, double tau, bool yields);
void dxBrinkTakeFromStandIns(dBrinkID brink, bool solved);
void dxBrinkDropStandIns(dBrinkID brink);

/* ---- pairs.c */
bool dxBrinkIsFirstTouch(const dxBrink *brink, const dxBrinkImpact *impact);
/* Has something pressed a pair that Brink keeps apart nearer than it comes at a first touch? */
bool dxBrinkIsPressed(const dxBrink *brink, const dxBrinkImpact *impact);
/* Was a pair with a mesh struck at its core, its surfaces across each other? */
bool dxBrinkIsSunken(const dxBrink *brink, const brinkContact *contact, dxBrinkPair pair);
bool dxBrinkDropPair(dBrinkID brink, dxBrinkPair pair);          /* for the rest of the step */
bool dxBrinkHadContacts(const dxBrink *brink, dxBrinkPair pair); /* at an impact of this step */
bool dxBrinkNoteContacts(dBrinkID brink, dxBrinkPair pair);
dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom);
double dxBrinkPairAllowance(const dxBrink *brink, dxBrinkPair pair);
bool dxBrinkListPairsAround(dBrinkID brink, double from, double margin, bool butStruck);
bool dxBrinkListNearPairs(const dxBrinkRun *run);
bool dxBrinkBoxesWithin(dGeomID a, dGeomID b, double margin);
bool dxBrinkHaveHeldMeshes(const dxBrink *brink);
void dxBrinkBeginHeldApart(dBrinkID brink);                 /* forgets the pairs of bodies that were awake */
void dxBrinkAddHeldApart(dBrinkID brink, dxBrinkPair pair); /* if it is such a pair */
bool dxBrinkBoxesMeet(dGeomID a, dGeomID b);
bool dxBrinkBitsMeet(dGeomID a, dGeomID b);

/* ---- near.c */
/* Does nothing once brink->contacts.worldChanged: a callback has destroyed or made something, and records may point
 * nowhere. */
void dxBrinkCallNear(dxBrinkRun *run, dGeomID a, dGeomID b);
void dxBrinkCallNearHeldApart(dxBrinkRun *run);
dJointID dxBrinkNextContact(dBodyID a, dBodyID b, int *at);
void dxBrinkDropParking(dBrinkID brink);              /* at the end of a dBrink */
bool dxBrinkWorldChanged(dBrinkID brink);             /* looks closely */
int dxBrinkFailWorldGone(dBrinkID brink);             /* 0, with a message */
bool dxBrinkPutAside(dBrinkID brink, dJointID joint); /* a contact, until the step's end; false: no memory */
void dxBrinkEnableStale(dBrinkID brink);

/* ---- impacts.c */
void dxBrinkImpactPair(dxBrinkRun *run, dxBrinkImpact *impact);
void dxBrinkCallNearOthers(dxBrinkRun *run);
void dxBrinkCallNearSwept(dxBrinkRun *run);
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
double dxBrinkPointSpeed(const dxBrinkState *state, const double arm[3], const double normal[3]);
bool dxBrinkBeginChange(dxBrinkRun *run, double tau); /* of the gathered bodies */
void dxBrinkAbortChange(dxBrinkRun *run);
bool dxBrinkCommitChange(dxBrinkRun *run, bool callOthers);
bool dxBrinkPoseGathered(dxBrinkRun *run);
bool dxBrinkSolveGathered(dxBrinkRun *run, double tau, bool insteadOfLast);
bool dxBrinkAskStruckAgain(dxBrinkRun *run, double tau);
dxBrinkOutcome dxBrinkRespondWithContacts(dxBrinkRun *run, double tau);
bool dxBrinkClampImpacts(dxBrinkRun *run, double tau, bool keepSpeed);
void dxBrinkClampAll(dxBrinkRun *run, double tau);

/* ---- cuts.c */
void dxBrinkCalmDown(dxBrinkRun *run); /* at the start of a step: who no longer counts as struck? */
bool dxBrinkPlanCuts(dxBrinkRun *run, const uint32_t *numbers, size_t count); /* false: no memory */
void dxBrinkForgetCuts(dBrinkID brink);
double dxBrinkNextCut(dBrinkID brink);        /* when what spins has to be solved again, part of the step; 2: never */
uint32_t dxBrinkNextCutJoint(dBrinkID brink); /* BRINK_NO_RECORD: none */

/* ---- turns.c */
bool dxBrinkCutTurns(dxBrinkRun *run, double tau);

/* ---- joint_gaps.c */
double dxBrinkCutOfJoint(const dxBrink *brink, const dxBrinkJoint *joint, double left);
bool dxBrinkListJointsOf(dBrinkID brink, const uint32_t *numbers, size_t count);
void dxBrinkCloseJoints(dxBrinkRun *run, const uint32_t *numbers, size_t count, double left);
void dxBrinkTurnStruckFinitely(dBrinkID brink);
void dxBrinkRestoreStruckTurning(dBrinkID brink);

/* ---- speculative.c */
bool dxBrinkMayHoldBack(const dxBrinkRun *run, const dxBrinkImpact *impact);
bool dxBrinkGiveUpHoldingBack(dBrinkID brink);       /* the current impacts: advance them */
bool dxBrinkHasArrived(dxBrinkRun *run, double tau); /* all of them held back, and touching late: as meant */
dxBrinkOutcome dxBrinkHoldBack(dxBrinkRun *run, double tau);

#endif
