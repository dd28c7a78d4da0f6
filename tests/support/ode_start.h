/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ODE_START_H
#define ODE_START_H
/* ODE begun before the first case of a test and closed after the last: cases_Run(startOde, endOde). */
#include <ode/ode.h>

static inline int startOde(void **state) {
  (void)state;
  return !dInitODE2(0);
}

static inline int endOde(void **state) {
  (void)state;
  dCloseODE();
  return 0;
}

#endif
