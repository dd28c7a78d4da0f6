/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_INSPECT_H
#define DX_BRINK_INSPECT_H
/* Reports of a step to programs, tests and tools. The step reaches them by one table, see told.c. */
#include "../step.h"

bool dxBrinkOpenInspect(dBrinkID brink); /* false: no memory */
void dxBrinkCloseInspect(dBrinkID brink);

#endif
