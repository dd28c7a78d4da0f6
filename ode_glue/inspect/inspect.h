/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_INSPECT_H
#define DX_BRINK_INSPECT_H
/* What people and tools are told of a step; the step knows it by one table, see told.c. */
#include "../step.h"

bool dxBrinkOpenInspect(dBrinkID brink); /* false: no memory */
void dxBrinkCloseInspect(dBrinkID brink);

#endif
