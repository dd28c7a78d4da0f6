/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEPPING_SINK_H
#define BRINK_STEPPING_SINK_H
/* How deep may two colliders sink into each other, where the engine's own contacts need surfaces that cross? What
 * brinkSinkFunction of brink/steps.h asks. Units: m. Thread rule: [any]. */
#include <stdbool.h>

#include "stepper.h"

#define BRINK_STEP_UNLIMITED 1e30 /* m, stands for no limit at all */

/* By how much the pair may sink in one go; *limit: how deep in all, < 0: contacts keep it apart, and only what lies
 * deeper already is let be; unchanged where nothing sinks. cap: m, of all allowances; infinity: none. */
double brinkStepSinkDepth(const brinkStepCollider *a, const brinkStepCollider *b, double cap, bool keptApart,
                          double *limit);

#endif
