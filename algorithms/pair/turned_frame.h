/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TURNED_FRAME_H
#define BRINK_TURNED_FRAME_H
/* The same question seen from the body that turns. A large floor that turns under a small resting box sweeps metres a
 * step; seen from the floor the box makes small circles. Served: one body turns at constant velocity about an axis that
 * at most slides along itself, the other rests; the restated question has one link. Source: own. */
#include "advance.h"

typedef struct brinkTurnedFrame {
  brinkLinkMotion link; /* of the body that rested */
  brinkMotionTree tree;
  const brinkMotionTree *old;
  int32_t ancestor, turning; /* links of the old tree */
  brinkRigid back;           /* turning link's frame -> restated frame */
  double rounding;           /* m, of distances: the restated question's are off by so much */
} brinkTurnedFrame;

/* true: out is the question restated; it borrows `frame`, its tolerance and threshold take in what restating rounds. */
bool brinkSeenFromTurning(const brinkAdvanceInput *input, brinkTurnedFrame *frame, brinkAdvanceInput *out);
/* An answer in terms of the old question: witnesses in its world, a bound that holds in it. */
void brinkTurnedFrame_Tell(const brinkTurnedFrame *frame, brinkPairResult *result);

#endif
