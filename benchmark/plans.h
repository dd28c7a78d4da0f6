/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_PLANS_H
#define BRINK_BENCH_PLANS_H
/* Plans of 7 and of 14 joints as certificates: processor time of `brink path --certify` and of `brink verify`. */

/* 0 done, 1 something was not proven or refused, 77 nothing to be done: liburdfdom or the command is missing. */
int plans_Run(int repeats);

#endif
