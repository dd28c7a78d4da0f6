/* SPDX-License-Identifier: BSD-3-Clause */
/* What velocity has a body that waits at tau for the next step?
 * It keeps what it had. The forces of the time that it waits are not put in, as the next step gives its own, and what
 * contacts and joints do against them in that time is not either.
 *
 * D: what the solve changed of its velocity, damping apart. G: what the step's own forces do in it. J = D - G: contacts
 * and joints. Of G a part c is held up: J stands against it by c G, at most by all of it. What else there is of J
 * holds, too, as a slope does on which a body slides, as long as it is no greater than what holds without friction can
 * be: J = -(1 - P) G, P a projection, hence sqrt(c (1 - c)) |G|. A part k of it, [0,1], is within that. The rest is an
 * impulse, which acts at the solve's start and belongs to the body however long it waits. So the whole solve gave it
 * k D + (1 - k) (1 - c) G over time, and as much of that is taken back as it waits. That is G in free flight, also
 * after a bounce off a wall; nothing of what rests, hangs in friction or has bounced off its floor; and what leads down
 * the slope on which it slides. Where k is 1 velocities lie between those of the solve's start and end: there is no
 * more energy than in one of them. Turning goes by the same k and c.
 *
 * Interpolating all of D would bring back speed that an impulse has taken. Taking back G alone lifts what rests.
 * Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "step.h"

static void toArray(const brinkStepState *state, double out[6]) {
  memcpy(out, state->linear, sizeof(state->linear));
  memcpy(out + 3, state->angular, sizeof(state->angular));
}

static void forcesOf(const brinkStepper *stepper, const brinkStepBody *record, double part, double out[6]) {
  brinkStepState taken;
  memset(&taken, 0, sizeof(taken));
  stepper->host->takeBackForces(stepper->user, brinkStepNumberOf(stepper, record), part * stepper->now.h, &taken);
  toArray(&taken, out);
  for (int i = 0; i < 6; ++i) {
    out[i] = -out[i];
  }
}

void brinkStepVelocitiesOfWaiting(const brinkStepper *stepper, const brinkStepBody *record, double tau,
                                  brinkStepState *out) {
  const uint32_t number = brinkStepNumberOf(stepper, record);
  const double from = record->begun.known ? record->begun.at : 0;
  memcpy(out->linear, record->end.linear, sizeof(out->linear));
  memcpy(out->angular, record->end.angular, sizeof(out->angular));
  if (record->frozen || !(from < 1)) {
    return; /* it waits already */
  }
  stepper->host->giveBackDamping(stepper->user, number, tau, out);
  double change[6], forces[6], began[6], along = 0, whole = 0, beside = 0;
  brinkStepState end = record->end;
  stepper->host->giveBackDamping(stepper->user, number, from, &end);
  toArray(&end, change);
  toArray(&record->start, began);
  forcesOf(stepper, record, 1 - from, forces);
  for (int i = 0; i < 6; ++i) {
    change[i] -= record->begun.known ? record->begun.velocities[i] : began[i];
  }
  for (int i = 0; record->dynamic && i < 3; ++i) {
    along += (change[i] - forces[i]) * forces[i];
    whole += forces[i] * forces[i];
  }
  const double held = whole > 0 ? fmin(fmax(-along / whole, 0), 1) : 0, most = held * (1 - held) * whole;
  for (int i = 0; i < 3; ++i) {
    const double other = change[i] - (1 - held) * forces[i];
    beside += other * other;
  }
  const double holds = beside > most ? sqrt(most / beside) : 1, lost = record->dynamic ? (1 - tau) / (1 - from) : 0;
  for (int i = 0; i < 3; ++i) {
    out->linear[i] -= lost * (holds * change[i] + (1 - holds) * (1 - held) * forces[i]);
    out->angular[i] -= lost * (holds * change[3 + i] + (1 - holds) * (1 - held) * forces[3 + i]);
  }
}

/* An extra solve is handed the velocities of brinkStepVelocitiesAt, record->next: less all that forces do in its time,
 * also what was held up. It gives that back, so it is no change of the body's. */
void brinkStepNoteBegun(const brinkStepper *stepper, brinkStepBody *record, double tau, bool again) {
  brinkStepState handed, waits;
  double at[6], was[6], has[6];
  toArray(&record->next, at);
  brinkStepVelocitiesAt(stepper, record, tau, &handed);
  brinkStepVelocitiesOfWaiting(stepper, record, tau, &waits);
  toArray(&handed, was);
  toArray(&waits, has);
  for (int i = 0; i < 6; ++i) {
    record->begun.velocities[i] = at[i] + (again ? 0 : has[i] - was[i]);
  }
  record->begun.at = tau;
  record->begun.known = true;
}
