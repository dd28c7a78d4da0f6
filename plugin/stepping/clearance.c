/* SPDX-License-Identifier: BSD-3-Clause */
/* A smaller allowance for meshes that are built into each other: how much room do they have where they are first met?
 * Contacts of meshes act while the surfaces are still apart, by a part of the allowance. A bolt in its nut has less
 * room than that: contacts would push it from both sides. So a mesh on a body whose distance to another mesh, both
 * answered by Brink's contacts, is smaller than the allowance when it is first met keeps half of that distance as its
 * allowance. What touches, or lies closer than a thousandth of the allowance, rests on the other and tells nothing. An
 * allowance that the program has given stays. Units: m. */
#include <math.h>

#include "step.h"

static bool isMesh(const brinkStepCollider *geom) { return geom->collider != 0 && (geom->flags & BRINK_STEP_SURFACE); }

static bool isUnmetMesh(const brinkStepCollider *geom) { return isMesh(geom) && !geom->met; }

/* stepper->quiet.looked: bodies with such a geom. *any: there are new ones, with a body or without. */
static bool listNew(brinkStepper *stepper, double *around, bool *any) {
  *any = false;
  *around = 0;
  stepper->quiet.lookedCount = 0;
  for (size_t i = 0; i < stepper->colliderCount; ++i) {
    const brinkStepCollider *geom = &stepper->colliders[i];
    if (!isUnmetMesh(geom)) {
      continue;
    }
    *any = true;
    *around = fmax(*around, isfinite(geom->allowance) ? geom->allowance : 0);
    if (geom->body == BRINK_NO_RECORD) {
      continue;
    }
    if (!BRINK_STEP_RESERVE(stepper->quiet.looked, stepper->quiet.lookedCount, stepper->quiet.lookedCapacity)) {
      return false;
    }
    stepper->quiet.looked[stepper->quiet.lookedCount++] = stepper->bodies[geom->body].id;
  }
  return true;
}

/* The ground keeps its allowance, for the sake of all that lies on it: the pair's is that of the smaller one. */
static void keepClearance(brinkStepCollider *geom, double clearance) {
  if (isMesh(geom) && geom->body != BRINK_NO_RECORD) {
    geom->clearance = fmin(geom->clearance, clearance);
  }
}

static void meet(brinkStepper *stepper, brinkStepCollider *a, brinkStepCollider *b) {
  brinkContact now;
  double allowance = fmin(a->allowance, b->allowance);
  const brinkStepPair pair = {(uint32_t)(a - stepper->colliders), (uint32_t)(b - stepper->colliders)};
  bool meshes = isMesh(a) && isMesh(b) && stepper->host->keptApart(stepper->user, pair);
  if (!meshes || !(isUnmetMesh(a) || isUnmetMesh(b)) || ((a->flags | b->flags) & BRINK_STEP_SENSOR) ||
      stepper->steps->distanceBelow(stepper->world, a->collider, b->collider, 0, allowance, &now) != brink_ok ||
      (now.distance < allowance && now.state == brink_overlap)) {
    return;
  }
  double clearance = brinkStepClearanceOf(now.distance, allowance);
  keepClearance(a, clearance);
  keepClearance(b, clearance);
}

double brinkStepClearanceOf(double distance, double allowance) {
  return distance > BRINK_STEP_HAIR * allowance && distance < allowance ? distance / 2 : (double)INFINITY;
}

int brinkStepMeetClearances(brinkStepper *stepper) {
  const brinkColliderPair *pairs = NULL;
  size_t count = 0;
  double around;
  bool any;
  if (!stepper->newSurfaces) {
    return 1;
  }
  if (!listNew(stepper, &around, &any)) {
    return brinkStepFail(stepper, "no memory for meshes that are met first");
  }
  if (!any) {
    stepper->newSurfaces = false;
    return 1;
  }
  stepper->plugin->setPairFilter(stepper->world, brinkStepMeetFilter, stepper);
  if (stepper->quiet.lookedCount > 0 &&
      stepper->steps->pairsOf(stepper->world, stepper->quiet.looked, stepper->quiet.lookedCount, 0, 0, around, &pairs,
                              &count) != brink_ok) {
    return brinkStepFail(stepper, "meshes that are met first: %s", stepper->plugin->lastError(stepper->world));
  }
  for (size_t i = 0; i < stepper->colliderCount; ++i) {
    stepper->colliders[i].clearance = stepper->colliders[i].met ? stepper->colliders[i].clearance : (double)INFINITY;
  }
  for (size_t i = 0; i < count; ++i) {
    uint32_t a = brinkKeyMap_Get(&stepper->colliderMap, pairs[i].a),
             b = brinkKeyMap_Get(&stepper->colliderMap, pairs[i].b);
    if (a != BRINK_NO_RECORD && b != BRINK_NO_RECORD) {
      meet(stepper, &stepper->colliders[a], &stepper->colliders[b]);
    }
  }
  for (size_t i = 0; i < stepper->colliderCount; ++i) {
    brinkStepCollider *geom = &stepper->colliders[i];
    geom->met = geom->met || isMesh(geom);
    if (isMesh(geom) && !(geom->flags & BRINK_STEP_SAID) && geom->clearance < geom->allowance &&
        !stepper->host->renewCollider(stepper->user, (uint32_t)i)) {
      return 0;
    }
  }
  return 1;
}
