/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_FORESEE_H
#define BRINK_STEP_FORESEE_H
/* Which pairs will meet in a step that has not begun, if every body flies on? For hosts whose programs have to be asked
 * before a step what they want of a pair. Between steps, after the mirror was brought up to date: begin, ask, end.
 * Bodies that would be quiet on their flight (culling.c) are left out. Units: m, rad; times: parts of the step. */
#include "stepper.h"

/* A pair that will meet. Items keep the order in which they were found; a pair is listed once. */
typedef struct brinkStepForeseen {
  brinkStepPair pair;
  double toi;              /* 2: nobody knows its pose */
  bool flies;              /* it meets on its way; else it is seen where it is now */
  double gap;              /* m, at toi */
  double normal[3];        /* A to B */
  brinkStepState poses[2]; /* of the bodies of A and B at toi, without velocities; nothing where there is no body */
} brinkStepForeseen;

typedef struct brinkStepForesight {
  /* How a body moves in the step if nothing strikes it: its way, m, and turn, rad. Both are 0 when called. */
  void (*flight)(void *user, uint32_t body, double way[3], double turn[3]);
  brinkPairFilter wants; /* which pairs are asked about on their way; user data: collider records */
  void *user;            /* of both */
  brinkStepForeseen *items;
  size_t count, capacity;
  brinkKeyMap map; /* of pairs, while items are gathered */
  bool sent;       /* all flights are finite and known to the plugin */
  bool moves;      /* some body does */
} brinkStepForesight;

void brinkStepBeginForesight(brinkStepper *stepper, brinkStepForesight *ahead); /* forgets what was foreseen before */
/* A pair where it is now. Nearer than `reach` of its allowance it is a contact of the start: toi 0. */
void brinkStepForeseeHere(brinkStepper *stepper, brinkStepForesight *ahead, uint32_t a, uint32_t b, double reach);
void brinkStepForeseeFlights(brinkStepper *stepper, brinkStepForesight *ahead);
/* Fills the poses; the plugin's world is as it was before. */
void brinkStepEndForesight(brinkStepper *stepper, brinkStepForesight *ahead);
void brinkStepFreeForesight(brinkStepForesight *ahead);

/* Of all bodies' states and forces: has the program changed one since? hash: of others before. */
uint64_t brinkStepHashStates(const brinkStepper *stepper, uint64_t hash);

/* Calls of a program so far; of them the last one at which the world was looked at. */
typedef struct brinkStepLooks {
  size_t calls, last;
} brinkStepLooks;
/* Is the next call worth a scan of the world? The first few are, then each doubled number of calls. A pair that is
 * missed is met as an unforeseen impact. */
bool brinkStepIsWorthALook(brinkStepLooks *looks);

#endif
