/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_INSPECT_H
#define DX_BRINK_INSPECT_H
/* What people and tools are told of a step. Each file keeps its own state behind a pointer of struct dxBrink; the step
 * knows all of them by one table, see told.c. */
#include "../step.h"

bool dxBrinkOpenInspect(dBrinkID brink); /* false: no memory */
void dxBrinkCloseInspect(dBrinkID brink);

/* ---- segments.c: what tests and tools are told */
bool dxBrinkOpenSegments(dBrinkID brink);
void dxBrinkCloseSegments(dBrinkID brink);
bool dxBrinkTellsSegments(const dxBrink *brink);
void dxBrinkTellSegment(dBrinkID brink, double start, const brinkReport *report);

#endif
