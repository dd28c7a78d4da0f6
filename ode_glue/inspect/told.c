/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is told of what while a step works. */
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
            .crossed = dxBrinkSense,
        },
};
