/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_ROUNDING_MODES_H
#define BRINK_TESTS_ROUNDING_MODES_H
/* For tests: the eight floating-point modes a kernel's bounds must hold in (four roundings, each with and without
 * denormals flushed to zero). Truths are computed between leave and enter, in the ordinary mode. Elsewhere than on
 * x86-64: roundings. */
#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { ROUNDING_MODES = 8 };

/* k: 0 to 7, 0 the ordinary one; others wrap. */
static inline void enterMode(int k) {
  const int roundings[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  fesetround(roundings[k & 3]);
#if defined(__x86_64__)
  if (k & 4) _mm_setcsr(_mm_getcsr() | 0x8040u);
#endif
}
static inline void leaveMode(void) {
  fesetround(FE_TONEAREST);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() & ~0x8040u);
#endif
}

#endif
