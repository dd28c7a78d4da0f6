/* SPDX-License-Identifier: BSD-3-Clause */
/* The same compiled for AVX2 (CMake adds the flag); called only where the processor has it. */
#if defined(__AVX2__)
#define BRINK_PRODUCT_KERNELS brinkProductKernels_Avx2
#include "largest_product.h"
#include "largest_product_body.h"
#else
typedef int brinkLargestProductAvx2IsElsewhere; /* not this architecture */
#endif
