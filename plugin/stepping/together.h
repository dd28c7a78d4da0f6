/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_TOGETHER_H
#define BRINK_STEP_TOGETHER_H
/* Islands that were made ready for a shared solve: together.c, and clocks.c for those that go ahead of the others. */
#include "step.h"

/* A body of an island that is ready. */
struct brinkStepReady {
  uint32_t number;
  double from;           /* of the motion that led here */
  brinkStepState before; /* where that ends */
  double spinBefore[3];  /* rad, from there on */
  brinkStepState next;   /* at tau */
  brinkStepState end;    /* solved: at the step's end */
  double spin[3];        /* the same: rad, turned from tau on */
};

struct brinkStepReadyIsland {
  double tau;
  size_t firstBody, bodyCount, firstImpact, impactCount;
  bool joined, solved;
  bool waits;     /* for its turn, in the order of time: it may not go ahead */
  bool ahead;     /* it has taken its turn, and the clock of the step has not come to it: see clocks.c */
  double land[6]; /* m: where it may have been or may go, from the clock on; least and greatest x, y, z */
};

/* Where the bodies of a chain may have been in this step, or may go. */
struct brinkStepLand {
  double box[6]; /* m: least and greatest x, y, z */
  bool own;      /* of the island that is looked at */
};

/* Has nothing touched its bodies since it was made ready? */
bool brinkStepIsIntact(const brinkStepper *stepper, const struct brinkStepReadyIsland *island);
/* It is its turn: its impacts are the current ones. False: no memory. */
bool brinkStepTakeImpactsOf(brinkStepper *stepper, const struct brinkStepReadyIsland *island);

#endif
