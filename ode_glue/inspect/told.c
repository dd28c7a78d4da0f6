/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is told of what while a step works. */
#include "inspect.h"

bool dxBrinkOpenInspect(dBrinkID brink) {
  brink->told = &dxBrinkInspector;
  return dxBrinkOpenSegments(brink) && dxBrinkOpenSensing(brink);
}

void dxBrinkCloseInspect(dBrinkID brink) {
  dxBrinkFreeRecorder(brink);
  dxBrinkCloseSegments(brink);
  dxBrinkCloseSensing(brink);
}

/* Whoever judges the answers sees every body. */
static bool needsAll(const dxBrink *brink) { return dxBrinkTellsSegments(brink) || brink->recorder != NULL; }

static void tellAnswer(dxBrinkRun *run, const brinkReport *report) {
  dxBrinkRecordAnswer(run, report);
  dxBrinkTellSegment(run->brink, run->t, report);
}

const struct dxBrinkTold dxBrinkInspector = {
    .clear = dxBrinkClearSensing,
    .begin = dxBrinkBeginSensing,
    .needsAll = needsAll,
    .senses = dxBrinkSenses,
    .started = dxBrinkRecordBegin,
    .left = dxBrinkRecordLeft,
    .sinks = dxBrinkRecordSink,
    .dropped = dxBrinkRecordDrop,
    .motion = dxBrinkRecordMotion,
    .carried = dxBrinkNoteMotion,
    .question = dxBrinkRecordQuestion,
    .answer = tellAnswer,
    .crossed = dxBrinkSense,
    .end = dxBrinkRecordEnd,
};
