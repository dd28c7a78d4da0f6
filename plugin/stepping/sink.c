/* SPDX-License-Identifier: BSD-3-Clause */
/* Penetration allowed for a pair; see sink.h and "How depth is bounded" in docs/step.md. Based on: measurements of ODE
 * 0.16.2 (test_ode_rest, test_ode_mesh_rest). With an engine whose bodies rest higher some of it stays unused. */
#include "sink.h"

#include <math.h>

/* A body at rest sinks as far into a thin one as it falls in a step in which its engine sees no contact; what the
 * engine's own contacts bring out again is no impact. */
static double solidSinkOf(const brinkStepCollider *collider, double cap) {
  return fmin((collider->flags & BRINK_STEP_SAID ? 1 : BRINK_STEP_SOLID_PARTS) * collider->allowance, cap);
}

/* Beside a mesh. Engines tell the side of a round one by its centre or axis, which its core holds: their contacts bring
 * it out of a mesh as they do out of a solid. What they find of a box or a hull that is as deep may push it through. */
static double sinkOf(const brinkStepCollider *collider, double cap, bool keptApart) {
  if ((collider->flags & BRINK_STEP_ROUNDED) && !keptApart) {
    return solidSinkOf(collider, cap);
  }
  if (!(collider->flags & BRINK_STEP_SURFACE) || (collider->flags & BRINK_STEP_SAID)) {
    return collider->allowance;
  }
  double parts = collider->flags & BRINK_STEP_SHEET  ? HUGE_VAL
                 : collider->body == BRINK_NO_RECORD ? BRINK_STEP_GROUND_PARTS
                                                     : 1;
  return fmin(parts * collider->allowance, cap);
}

double brinkStepSinkDepth(const brinkStepCollider *a, const brinkStepCollider *b, double cap, bool keptApart,
                          double *limit) {
  const uint32_t either = a->flags | b->flags;
  if (either & (BRINK_STEP_SENSOR | BRINK_STEP_RAY)) {
    return 0;
  }
  if (!(either & BRINK_STEP_SURFACE)) {
    *limit = (either & BRINK_STEP_SAID) || isfinite(cap) ? 0 : BRINK_STEP_UNLIMITED; /* as deep as their cores let */
    return fmin(solidSinkOf(a, cap), solidSinkOf(b, cap));
  }
  double depth = fmin(sinkOf(a, cap, keptApart), sinkOf(b, cap, keptApart));
  *limit = either & BRINK_STEP_FIELD ? BRINK_STEP_FIELD_DEPTHS * depth : depth;
  if (keptApart) {
    *limit = -*limit;
  }
  return depth;
}
