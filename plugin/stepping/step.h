/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_H
#define BRINK_STEP_H
/* What the files of one step share; see step.c for the whole. */
#include "motion.h"
#include "stepper.h"

/* dropped: the program wants none of the contacts, nothing has changed; held back: the segment was solved again from
 * its start; arrived: it touches as a held-back pair should, nothing has changed. */
typedef enum brinkStepOutcome {
  brinkStepOutcomeDropped,
  brinkStepOutcomeSolved,
  brinkStepOutcomeClamped,
  brinkStepOutcomeHeldBack,
  brinkStepOutcomeArrived,
  brinkStepOutcomeWaits, /* nobody knows what the program wants, see silence.c */
  brinkStepOutcomeFailed
} brinkStepOutcome;

/* ---- gather.c */
/* Gathers what joints, and throughContacts contacts too, connect to the gathered bodies; or to the struck ones anew.
 * False: no memory. */
bool brinkStepSpread(brinkStepper *stepper, bool throughContacts);
bool brinkStepGatherStruck(brinkStepper *stepper, bool throughContacts);

/* ---- body_motion.c */
bool brinkStepSamePose(const brinkStepState *a, const brinkStepState *b);
int brinkStepReadMotion(brinkStepper *stepper,
                        uint32_t number); /* of the engine's own solve; 0: the host was told why */
int brinkStepSendMotion(brinkStepper *stepper, uint32_t number); /* 0: the host was told why */
int brinkStepSendMotions(brinkStepper *stepper);
int brinkStepLeaveChain(brinkStepper *stepper, uint32_t chain, double tau);
void brinkStepStartFrom(brinkStepBody *record, double tau);
/* The pose at t of the motion that the plugin has; the rest of *out stays. */
bool brinkStepPoseFromBrink(const brinkStepper *stepper, const brinkStepBody *record, double t, brinkStepState *out);
bool brinkStepPoseBody(brinkStepper *stepper, uint32_t number);

/* ---- waiting.c: velocities of bodies that wait for the next step */
void brinkStepVelocitiesOfWaiting(const brinkStepper *stepper, const brinkStepBody *record, double tau,
                                  brinkStepState *out);
/* Before an extra solve, while the body's start and end are those of the last one; record->next is handed to it.
 * insteadOfLast: the solve takes the last one's place. */
void brinkStepNoteBegun(const brinkStepper *stepper, brinkStepBody *record, double tau, bool insteadOfLast);
void brinkStepStartOver(const brinkStepper *stepper, double tau);

/* It is stopped; it is solved again from tau on. */
void brinkStepCountLost(brinkStepper *stepper, brinkStepBody *record, double tau);
void brinkStepSetGoing(brinkStepper *stepper, brinkStepBody *record, double tau);
/* Bodies that are stopped in mid-air, taken as one: sums over them. */
typedef struct brinkStepCentre {
  double mass, way[3];   /* kg; kg m, to the step's end */
  double momentum[2][3]; /* kg m/s, now and there */
} brinkStepCentre;
bool brinkStepGoesOn(const brinkStepper *stepper, const brinkStepBody *record);
bool brinkStepGatherStopped(brinkStepper *stepper, bool *adrift);
bool brinkStepGatherAllStopped(brinkStepper *stepper);
void brinkStepSwapImpacts(brinkStepper *stepper, size_t a, size_t b);
void brinkStepNoteCentre(const brinkStepper *stepper, brinkStepCentre *out);
void brinkStepGoOnAsOne(brinkStepper *stepper, const brinkStepCentre *centre);
/* Was it stopped in the last step, or in this one? */
bool brinkStepGetsNowhere(const brinkStepper *stepper, const brinkStepBody *record);
/* Of the gathered bodies, after an early stop at record->next, and after an extra solve that led to record->end. */
void brinkStepHoldWaiting(const brinkStepper *stepper, bool early);
void brinkStepHoldSqueezed(const brinkStepper *stepper);

/* ---- culling.c: bodies that need no question */
/* After the engine's solve: marks the quiet bodies, lists those that are awake and reads their motions. 0: the host was
 * told why not. */
int brinkStepSift(brinkStepper *stepper);
void brinkStepMeasure(brinkStepper *stepper); /* the awake bodies that were not */
/* Wakes the quiet bodies that these others may reach in what is left of the step. */
int brinkStepWakeNear(brinkStepper *stepper, const uint32_t *numbers, size_t count);
int brinkStepMeetFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
/* At the end of a step: looks at the bodies that were awake and are slow now. */
void brinkStepLook(brinkStepper *stepper);

/* ---- record.c: all do nothing while nothing is recorded */
void brinkStepRecordBegin(brinkStepper *stepper);
void brinkStepRecordMotion(const brinkStepper *stepper, uint32_t number, const brinkBodyMotion *motion);
void brinkStepRecordPair(const brinkStepper *stepper, const char *word, brinkStepPair pair);
void brinkStepRecordSink(const brinkStepper *stepper, brinkStepPair pair, double depth, double limit);
void brinkStepRecordQuestion(const brinkStepper *stepper, const brinkQuery *query);
void brinkStepRecordAnswer(const brinkStepper *stepper, const brinkReport *report);
void brinkStepRecordEnd(brinkStepper *stepper);

/* ---- sensors.c */
void brinkStepBeginSensing(brinkStepper *stepper);
bool brinkStepNoteMotion(brinkStepper *stepper, uint32_t number, double tau);  /* up to there it went as it is known */
double brinkStepPartedBeyond(const brinkStepper *stepper, brinkStepPair pair); /* m */
int brinkStepSense(brinkStepper *stepper); /* all motions are final; 0: the host was told why */

/* ---- contacts.c */
void brinkStepAskContacts(brinkStepper *stepper, brinkStepImpact *impact);
bool brinkStepIsWedged(brinkStepper *stepper); /* is a gathered body? Of the solve to come */

/* ---- pairs.c */
void brinkStepForgetJoined(brinkStepper *stepper);
bool brinkStepHadContacts(const brinkStepper *stepper, brinkStepPair pair); /* at an impact of this step */
bool brinkStepNoteContacts(brinkStepper *stepper, brinkStepPair pair);
bool brinkStepWasMoved(const brinkStepper *stepper, brinkStepPair pair); /* see brinkStepImpact, in this step */
bool brinkStepNoteMoved(brinkStepper *stepper, brinkStepPair pair);
bool brinkStepNoteAtLimit(brinkStepper *stepper, brinkStepPair pair, uint32_t *times); /* in this step, with this one */
uint32_t brinkStepTimesAtLimit(const brinkStepper *stepper, brinkStepPair pair);
/* Was a pair with a mesh struck at its core, its surfaces across each other? */
bool brinkStepIsSunken(const brinkStepper *stepper, const brinkContact *contact, brinkStepPair pair);
int brinkStepFilterPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
bool brinkStepDropPair(brinkStepper *stepper, brinkStepPair pair); /* for the rest of the step */
void brinkStepKeepTouching(brinkStepper *stepper, double tau);     /* of the current impacts */
bool brinkStepListPairsAround(brinkStepper *stepper, double from, double margin, bool butStruck);
bool brinkStepListNearPairs(brinkStepper *stepper);
void brinkStepBeginHeldApart(brinkStepper *stepper);                   /* forgets the pairs of bodies that were awake */
void brinkStepAddHeldApart(brinkStepper *stepper, brinkStepPair pair); /* if it is such a pair */
void brinkStepForgetHeldApart(brinkStepper *stepper, uint32_t body, double moved); /* its pairs, if by over a hair */

/* ---- clearance.c */
int brinkStepMeetClearances(brinkStepper *stepper); /* before the question; 0: the host was told why */

/* ---- silence.c */
bool brinkStepAwaitsAnswer(brinkStepper *stepper, brinkStepPair pair);
void brinkStepShowSilent(brinkStepper *stepper); /* at the end of a step */

/* ---- change.c */
bool brinkStepBeginChange(brinkStepper *stepper, double tau); /* of the gathered bodies */
void brinkStepAbortChange(brinkStepper *stepper);
bool brinkStepCommitChange(brinkStepper *stepper, bool callOthers);
void brinkStepUnpose(brinkStepper *stepper, bool all);
bool brinkStepPoseGathered(brinkStepper *stepper);
bool brinkStepSolveGathered(brinkStepper *stepper, double tau, bool insteadOfLast);
bool brinkStepAskStruckAgain(brinkStepper *stepper, double tau);
brinkStepOutcome brinkStepRespondWithContacts(brinkStepper *stepper, double tau);
brinkStepOutcome brinkStepAskBeforeStop(brinkStepper *stepper, double tau);
bool brinkStepClampImpacts(brinkStepper *stepper, double tau, bool keepSpeed);
void brinkStepReadProvenPoses(brinkStepper *stepper, double tau);
void brinkStepClampAtProven(brinkStepper *stepper, double tau);
void brinkStepClampAll(brinkStepper *stepper, double tau); /* both */

/* ---- cuts.c: when is what spins to be solved again? */
void brinkStepCalmDown(brinkStepper *stepper); /* at the start of a step: who no longer counts as struck? */
bool brinkStepPlanCuts(brinkStepper *stepper, const uint32_t *numbers, size_t count); /* false: no memory */
void brinkStepForgetCuts(brinkStepper *stepper);
double brinkStepNextCut(brinkStepper *stepper); /* when what spins has to be solved again, part of the step; 2: never */
uint32_t brinkStepNextCutJoint(brinkStepper *stepper); /* BRINK_NO_RECORD: none */

/* ---- turns.c */
/* Carries out the next cut, at tau. False: the guard is to stop everything. */
bool brinkStepCutTurns(brinkStepper *stepper, double tau);

/* ---- joint_gaps.c: how far joints open in a segment, and their closing */
double brinkStepCutOfJoint(const brinkStepper *stepper, const brinkStepJoint *joint, double left);
bool brinkStepListJointsOf(brinkStepper *stepper, const uint32_t *numbers, size_t count);
bool brinkStepIsTorn(brinkStepper *stepper);
void brinkStepCloseJoints(brinkStepper *stepper, const uint32_t *numbers, size_t count, double left);

/* ---- ahead.c: mode speculative */
bool brinkStepMayHoldBack(const brinkStepper *stepper, const brinkStepImpact *impact);
bool brinkStepGiveUpHoldingBack(brinkStepper *stepper);      /* the current impacts: advance them */
bool brinkStepHasArrived(brinkStepper *stepper, double tau); /* all of them held back, and touching late: as meant */
brinkStepOutcome brinkStepHoldBack(brinkStepper *stepper, double tau);

#endif
