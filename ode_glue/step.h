/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_STEP_H
#define DX_BRINK_STEP_H
/* What the files of ODE's side of a step share; step.c is the whole, docs/step.md has the rules and terms. */
#include "mirror/mirror.h"
#include "motion.h" /* plugin/stepping */

/* ---- host.c. What it hands over as it is takes a dBrinkID as `void *user`. */
extern const brinkStepHost dxBrinkOde;

/* ---- bodies.c */
/* Of a gathered body: is this where a walk over the gathered bodies' joints meets the joint first? */
bool dxBrinkMeetsJoint(const dxBrink *brink, dBodyID body, dJointID joint);
void dxBrinkReadSpin(brinkStepBody *record, double h, bool finite);
void dxBrinkTakeBackForces(void *user, uint32_t number, double seconds, brinkStepState *state);
void dxBrinkGiveBackDamping(void *user, uint32_t number, double tau, brinkStepState *state);
double dxBrinkPushOf(void *user, uint32_t number, const double arm[3], const double normal[3], double linear[3],
                     double angular[3]);
bool dxBrinkDampsByTime(double damping, double threshold);
void dxBrinkTurnStruckFinitely(dBrinkID brink);
void dxBrinkRestoreStruckTurning(dBrinkID brink);

/* ---- island.c */
double dxBrinkSecondsNow(void);
void dxBrinkSolve(dBrinkID brink, double h, bool quick);
bool dxBrinkSolveIsland(dBrinkID brink, double r, bool insteadOfLast);
double dxBrinkYieldOf(void *user, uint32_t number);
void dxBrinkWeigh(void *user, uint32_t number, const brinkStepState *at, brinkStepWeight *out);
void dxBrinkRestoreBodies(dBrinkID brink);
void dxBrinkTuneBack(dBrinkID brink); /* the world, after a solve */

/* ---- lists.c: the world lists what a solve of the gathered bodies reaches, alone; false: no memory; all again */
bool dxBrinkListGathered(dBrinkID brink);
void dxBrinkListAll(dBrinkID brink);
bool dxBrinkListsSameBodies(dBrinkID brink, dBodyID *newest); /* as at the last call, or the newest was made anew */

/* ---- edges.c: stand-ins for what touches an island and is not in it */
bool dxBrinkHangOnStandIns(dBrinkID brink, double tau);
void dxBrinkTakeFromStandIns(dBrinkID brink, bool solved);
void dxBrinkDropStandIns(dBrinkID brink);

/* ---- own.c */
dBodyID dxBrinkMakeBody(dBrinkID brink); /* of Brink's own */
void dxBrinkMakeParking(dBrinkID brink); /* before any other body of Brink's own: it tells whether they live */
bool dxBrinkWorldLives(const dxBrink *brink);
bool dxBrinkNote(dxBrinkNotes *notes, dJointID joint); /* false: no memory */
void dxBrinkDropParking(dBrinkID brink);               /* at the end of a dBrink, after all others */
/* The same body; NULL: a callback of this step has destroyed it. */
dBodyID dxBrinkStillThere(const dxBrink *brink, dBodyID body);
/* Contacts between the two are out of the program's sight, until dxBrinkUnpark. */
void dxBrinkPark(dBrinkID brink, const dBodyID bodies[2]);
dJointID dxBrinkHead(dBodyID body); /* the joint that its list begins with; NULL: none */
bool dxBrinkParkNew(dBrinkID brink, const dJointID heads[2]);
void dxBrinkUnpark(dBrinkID brink);
size_t dxBrinkListContacts(dBrinkID brink, dBodyID a, dBodyID b);
void dxBrinkMakeContact(dBrinkID brink, dJointGroupID group, const dContact *contact, dBodyID a, dBodyID b);
bool dxBrinkEndsWithStep(dJointID joint); /* a contact of Brink's own */
/* Is it of these geoms, or of unknown ones? */
bool dxBrinkMayBeOf(dBrinkID brink, dJointID contact, brinkStepPair pair, double *friction);
void dxBrinkEndContacts(void *user);

/* ---- near.c */
dBodyID dxBrinkBodyOfGeom(const dxBrink *brink, uint32_t geom);
bool dxBrinkBoxesWithin(dGeomID a, dGeomID b, double margin);
bool dxBrinkBitsMeet(dGeomID a, dGeomID b);
/* Does nothing once brink->step.worldChanged: a callback has destroyed or made something, and records may point
 * nowhere. */
void dxBrinkCallNear(dBrinkID brink, dGeomID a, dGeomID b);
/* The i-th of the pairs that Brink's contacts keep apart: is it still there, and out of the sight of spaces? */
bool dxBrinkIsApartUnseen(const dxBrink *brink, size_t i);
void dxBrinkCallNearHeldApart(dBrinkID brink);
/* Looks closely, of bodies at these; NULL: at all. */
bool dxBrinkWorldChanged(void *user, const uint32_t *bodies, size_t count);
int dxBrinkFailWorldGone(dBrinkID brink); /* 0, with a message */
void dxBrinkAbandonWorld(dBrinkID brink);
bool dxBrinkPutAside(dBrinkID brink, dJointID joint); /* a contact, until the step's end; false: no memory */
void dxBrinkPutBackLast(dBrinkID brink);
void dxBrinkPutBackAside(dBrinkID brink);

/* ---- impacts.c */
size_t dxBrinkContactPoints(void *user, brinkStepPair pair, double margin, brinkContactPoint *points, size_t most);
bool dxBrinkBringTogether(dGeomID a, dGeomID b, const double normal[3], double gap, double allowance);
int dxBrinkAskContacts(void *user, const brinkStepImpact *impact); /* BRINK_STEP_MADE, BRINK_STEP_UNSEEN */
void dxBrinkAddContact(void *user, const brinkStepContact *contact);
void dxBrinkCallNearOthers(void *user);
void dxBrinkCallNearSwept(dBrinkID brink);
bool dxBrinkListStaleContacts(void *user);
void dxBrinkDisableStaleContacts(void *user);
bool dxBrinkPutAsideNew(void *user, brinkStepPair pair);

#endif
