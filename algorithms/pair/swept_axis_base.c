/* SPDX-License-Identifier: BSD-3-Clause */
/* The swept-axis traversal for the baseline instruction set. */
#define BRINK_SWEPT_AXIS_RUN brinkSweptAxis_RunBase
#include "swept_axis_body.h"
