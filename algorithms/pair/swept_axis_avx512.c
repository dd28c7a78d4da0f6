/* SPDX-License-Identifier: BSD-3-Clause */
/* The swept-axis traversal compiled for AVX-512 (CMake adds the flags); called only where the processor has it. */
#include "swept_axis_internal.h"
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
#define BRINK_SWEPT_AXIS_RUN brinkSweptAxis_RunAvx512
#include "swept_axis_body.h"
#endif
