/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of the bodies at which a gathering ended (gather.c)? An edge keeps the motion that it has to the step's
 * end. In the solve something of the host's stands in for it, as heavy as it is and free to yield. What the solve gives
 * that is added to the edge's velocity, so no momentum is lost and no energy made. What lies beyond the edges hears of
 * it from the next step's own solve, or when an edge hits it. Units: m, s. */
#include <string.h>

#include "step.h"

/* What stands in for an edge in a solve from tau on. It yields as the body itself would, alone: what lies beyond is not
 * in the solve. It has the velocities of the step's end, which forces, joints and other contacts have led to, so none
 * of them acts on it again. What is moved is without end heavy, with the velocities of tau. edge->yields: does it? */
bool brinkStepBeginEdge(brinkStepper *stepper, brinkStepEdge *edge, double tau, brinkStepState *state) {
  brinkStepBody *record = &stepper->bodies[edge->body];
  if (!brinkStepWake(stepper, edge->body) || !brinkStepStateAt(stepper, record, tau, state)) {
    return false;
  }
  edge->yields = record->dynamic && brinkStepStateIsFinite(&record->end);
  if (edge->yields) {
    memcpy(state->linear, record->end.linear, sizeof(state->linear));
    memcpy(state->angular, record->end.angular, sizeof(state->angular));
  } else {
    brinkStepVelocitiesAt(stepper, record, tau, state);
  }
  memcpy(edge->before, state->linear, sizeof(state->linear));
  memcpy(edge->before + 3, state->angular, sizeof(state->angular));
  return true;
}

/* What the solve gave what stood in, m/s, rad/s, the body has at the step's end: nothing that the gathered bodies lose
 * is lost. A push wakes what sleeps. */
void brinkStepEndEdge(brinkStepper *stepper, const brinkStepEdge *edge, const double linear[3],
                      const double angular[3]) {
  brinkStepBody *record = &stepper->bodies[edge->body];
  brinkStepState after = record->end;
  bool changed = false;
  for (int i = 0; i < 3; ++i) {
    after.linear[i] += linear[i] - edge->before[i];
    after.angular[i] += angular[i] - edge->before[3 + i];
    changed = changed || linear[i] != edge->before[i] || angular[i] != edge->before[3 + i];
  }
  if (changed && brinkStepStateIsFinite(&after)) {
    const bool evenly = brinkStepGoesOn(stepper, record); /* but this it has at once */
    for (int i = 0; evenly && i < 3; ++i) {
      record->start.linear[i] += after.linear[i] - record->end.linear[i];
      record->start.angular[i] += after.angular[i] - record->end.angular[i];
    }
    record->end = after;
    stepper->hotData[edge->body].touched = true;
    stepper->host->wake(stepper->user, edge->body);
    stepper->host->writeState(stepper->user, edge->body, &after);
  }
}
