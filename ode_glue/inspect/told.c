/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is told of what while a step works. */
#include <math.h>

#include "inspect.h"

/* Whoever judges the answers sees every body. */
static bool needsAll(const void *user) { return dxBrinkTellsSegments(user); }

static void tellAnswer(void *user, const brinkReport *report) {
  dBrinkID brink = user;
  dxBrinkTellSegment(brink, brink->step.now.t, report);
}

static bool tellImpact(void *user, const brinkStepImpact *impact, int response) {
  dBrinkID brink = user;
  if (!BRINK_STEP_RESERVE(brink->result.events, brink->result.eventCount, brink->result.eventCapacity)) {
    return false;
  }
  const brinkContact *contact = &impact->contact;
  dBrinkEvent *event = &brink->result.events[brink->result.eventCount++];
  *event = (dBrinkEvent){.g1 = brink->geoms[impact->pair.a].geom, .g2 = brink->geoms[impact->pair.b].geom};
  event->toi = contact->toi;
  event->toiUpper = fmin(1, contact->toiUpper);
  event->distance = contact->distance;
  event->threshold = contact->threshold;
  event->response = response;
  const double *a = &contact->pointA.x, *b = &contact->pointB.x;
  for (int i = 0; i < 3; ++i) {
    event->position[i] = (a[i] + b[i]) / 2;
    event->normal[i] = impact->normal[i];
  }
  return true;
}

static const brinkStepListener inspector = {.needsAll = needsAll, .answer = tellAnswer, .impact = tellImpact};

bool dxBrinkOpenInspect(dBrinkID brink) {
  brink->step.told = &inspector;
  brink->step.user = brink;
  return dxBrinkOpenSegments(brink);
}

void dxBrinkCloseInspect(dBrinkID brink) { dxBrinkCloseSegments(brink); }
