/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is told of what while a step works. */
#include <math.h>

#include "inspect.h"

bool dxBrinkOpenInspect(dBrinkID brink) {
  brink->told = &dxBrinkInspector;
  brink->step.told = &dxBrinkInspector.inside;
  brink->step.user = brink;
  return dxBrinkOpenSegments(brink) && dxBrinkOpenSensing(brink);
}

void dxBrinkCloseInspect(dBrinkID brink) {
  dxBrinkFreeRecorder(brink);
  dxBrinkCloseSegments(brink);
  dxBrinkCloseSensing(brink);
}

/* Whoever judges the answers sees every body. */
static bool needsAll(const void *user) {
  const dxBrink *brink = user;
  return dxBrinkTellsSegments(brink) || brink->recorder != NULL;
}

static void tellAnswer(void *user, const brinkReport *report) {
  dBrinkID brink = user;
  dxBrinkRecordAnswer(brink, report);
  dxBrinkTellSegment(brink, brink->step.now.t, report);
}

static bool tellImpact(void *user, const brinkStepImpact *impact, int response) {
  dBrinkID brink = user;
  if (!BRINK_STEP_RESERVE(brink->result.events, brink->result.eventCount, brink->result.eventCapacity)) {
    return false;
  }
  const brinkContact *contact = &impact->contact;
  dBrinkEvent *event = &brink->result.events[brink->result.eventCount++];
  *event = (dBrinkEvent){.g1 = brink->geoms[impact->pair.a].geom, .g2 = brink->geoms[impact->pair.b].geom};
  event->toi = contact->toi;
  event->toiUpper = fmin(1, contact->toiUpper);
  event->distance = contact->distance;
  event->threshold = contact->threshold;
  event->response = response;
  const double *a = &contact->pointA.x, *b = &contact->pointB.x;
  for (int i = 0; i < 3; ++i) {
    event->position[i] = (a[i] + b[i]) / 2;
    event->normal[i] = impact->normal[i];
  }
  return true;
}

const struct dxBrinkTold dxBrinkInspector = {
    .clear = dxBrinkClearSensing,
    .begin = dxBrinkBeginSensing,
    .started = dxBrinkRecordBegin,
    .end = dxBrinkRecordEnd,
    .inside =
        {
            .needsAll = needsAll,
            .senses = dxBrinkSenses,
            .left = dxBrinkRecordLeft,
            .sinks = dxBrinkRecordSink,
            .dropped = dxBrinkRecordDrop,
            .motion = dxBrinkRecordMotion,
            .carried = dxBrinkNoteMotion,
            .question = dxBrinkRecordQuestion,
            .answer = tellAnswer,
            .impact = tellImpact,
            .crossed = dxBrinkSense,
        },
};
