/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_EXPLAIN_H
#define BRINK_STEP_EXPLAIN_H
/* Why is nothing done about a body, or a pair? Each reason is a bit and a line of words. Asked between steps, after the
 * mirror was brought up to date and modes were applied; what is said of the last step is that of the last step.
 * Units: m. */
#include "stepper.h"

/* Reasons that the stepper knows; a host has others beside them, and adds their words by brinkStepAddWords. */
typedef enum brinkStepReason {
  brink_stepReasonSlow = 1 << 6,   /* none of its pairs could come to an event in the last step */
  brink_stepReasonFrozen = 1 << 7, /* clamped in the last step */
  brink_stepReasonJoined = 1 << 9,
  brink_stepReasonSameBody = 1 << 10,
  brink_stepReasonStatic = 1 << 11,    /* neither side has a body */
  brink_stepReasonKinematic = 1 << 12, /* no side is dynamic */
  brink_stepReasonDropped = 1 << 13,   /* for the rest of the last step */
  brink_stepReasonTouching = 1 << 14,  /* watched for deepening */
  brink_stepReasonReport = 1 << 15,
  brink_stepReasonSensor = 1 << 16
} brinkStepReason;

typedef struct brinkStepWords {
  char *buffer;            /* may be NULL; ends with 0 */
  size_t capacity, length; /* length: of the whole text, as if there were room */
  int reasons;
  /* the engine's words: for a collider, for the program's callback; how the limit of extra solves, an allowance is set
   */
  const char *collider, *callback, *setSubsteps, *setAllowance;
} brinkStepWords;

void brinkStepAddWords(brinkStepWords *out, int reason, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* name: whom the words are about. Slow, frozen. */
void brinkStepExplainLastStep(const brinkStepper *stepper, uint32_t body, const char *name, brinkStepWords *out);
void brinkStepExplainBody(const brinkStepper *stepper, uint32_t body, brinkStepWords *out); /* kinematic, report */
/* Who they are; what the last step made of them (their bodies excepted), what they lead to, how deep they may come. */
void brinkStepExplainPair(brinkStepper *stepper, brinkStepPair pair, brinkStepWords *out);

/* Of two colliders as their bodies stand now; NaN: the plugin's last error says why. */
double brinkStepDistanceNow(brinkStepper *stepper, brinkStepPair pair, brinkContact *contact);

#endif
