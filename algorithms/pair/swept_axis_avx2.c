/* SPDX-License-Identifier: BSD-3-Clause */
/* The swept-axis traversal compiled for AVX2 (CMake adds the flag); called only where the processor has it. */
#include "swept_axis_internal.h"
#if defined(__AVX2__)
#define BRINK_SWEPT_AXIS_RUN brinkSweptAxis_RunAvx2
#include "swept_axis_body.h"
#endif
