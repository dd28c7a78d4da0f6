/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_INSPECT_H
#define DX_BRINK_INSPECT_H
/* What people and tools are told of a step. Each file keeps its own state behind a pointer of struct dxBrink; the step
 * knows all of them by one table, dxBrinkInspector. */
#include "../step.h"

extern const struct dxBrinkTold dxBrinkInspector; /* told.c */
bool dxBrinkOpenInspect(dBrinkID brink);          /* false: no memory */
void dxBrinkCloseInspect(dBrinkID brink);

/* ---- record.c: a file of each step that ended in the guard; all do nothing while no directory is set */
void dxBrinkFreeRecorder(dBrinkID brink);
const char *dxBrinkRecordPath(const dxBrink *brink); /* of the last step's record; NULL: none */
void dxBrinkRecordBegin(dBrinkID brink);
void dxBrinkRecordMotion(void *user, uint32_t number, const brinkBodyMotion *motion);
void dxBrinkRecordDrop(void *user, brinkStepPair pair);
void dxBrinkRecordLeft(void *user, brinkStepPair pair);
void dxBrinkRecordSink(void *user, brinkStepPair pair, double depth, double limit);
void dxBrinkRecordQuestion(void *user, const brinkQuery *query);
void dxBrinkRecordAnswer(void *user, const brinkReport *report);
void dxBrinkRecordEnd(dBrinkID brink);

/* ---- segments.c: what tests and tools are told */
bool dxBrinkOpenSegments(dBrinkID brink);
void dxBrinkCloseSegments(dBrinkID brink);
bool dxBrinkTellsSegments(const dxBrink *brink);
void dxBrinkTellSegment(dBrinkID brink, double start, const brinkReport *report);

/* ---- sensors.c */
bool dxBrinkOpenSensing(dBrinkID brink);
void dxBrinkCloseSensing(dBrinkID brink);
void dxBrinkClearSensing(dBrinkID brink); /* what the last step told is over */
void dxBrinkBeginSensing(dBrinkID brink);
bool dxBrinkSenses(const void *user);
bool dxBrinkNoteMotion(void *user, uint32_t number, double tau); /* up to there it went as it is known */
int dxBrinkSense(void *user);                                    /* 0: dBrinkGetError tells why */
void dxBrinkReadSensorEvents(const dxBrink *brink, dBrinkStepInfo *info);

#endif
