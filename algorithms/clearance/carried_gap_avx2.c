/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel compiled for AVX2 (CMake adds the flag); called only where the processor has it. */
#if defined(__AVX2__)
#define BRINK_CUBIC_KERNEL brinkLeastOfCubics_Avx2
#include "carried_gap.h"
#include "carried_gap_body.h"
#else
typedef int brinkCarriedGapAvx2IsElsewhere; /* not this architecture */
#endif
