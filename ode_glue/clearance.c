/* SPDX-License-Identifier: BSD-3-Clause */
/* How much room do meshes have where they are first met?
 * Contacts of meshes act while the surfaces are still apart, by a part of the allowance. A bolt in its nut has less
 * room than that: contacts would push it from both sides. So a mesh on a body whose distance to another mesh, both
 * answered by Brink's contacts, is smaller than the allowance when it is first met keeps half of that distance as its
 * allowance. What touches, or lies closer than a thousandth of the allowance, rests on the other and tells nothing. An
 * allowance that the program has given stays. Units: m. */
#include <math.h>

#include "step.h"

static bool isNew(const dxBrinkGeom *geom) {
  return geom->geom != NULL && geom->answered && geom->shape.surface && !geom->met;
}

/* brink->step.quiet.looked: bodies with such a geom. *any: there are new ones, with a body or without. */
static bool listNew(dBrinkID brink, double *around, bool *any) {
  *any = false;
  *around = 0;
  brink->step.quiet.lookedCount = 0;
  for (size_t i = 0; i < brink->geomCount; ++i) {
    const dxBrinkGeom *geom = &brink->geoms[i];
    if (!isNew(geom)) {
      continue;
    }
    *any = true;
    *around = fmax(*around, isfinite(geom->allowance) ? geom->allowance : 0);
    if (geom->body == BRINK_NO_RECORD) {
      continue;
    }
    if (!BRINK_STEP_RESERVE(brink->step.quiet.looked, brink->step.quiet.lookedCount,
                            brink->step.quiet.lookedCapacity)) {
      return false;
    }
    brink->step.quiet.looked[brink->step.quiet.lookedCount++] = brink->step.bodies[geom->body].id;
  }
  return true;
}

/* The ground keeps its allowance, for the sake of all that lies on it: the pair's is that of the smaller one. */
static void keepClearance(dxBrinkGeom *geom, double clearance) {
  if (geom->shape.surface && geom->body != BRINK_NO_RECORD) {
    geom->clearance = fmin(geom->clearance, clearance);
  }
}

static void meet(dBrinkID brink, dxBrinkGeom *a, dxBrinkGeom *b) {
  brinkContact now;
  double allowance = fmin(a->allowance, b->allowance);
  bool meshes = a->shape.surface && b->shape.surface && dxBrinkAnswersPair(a, b);
  if (!meshes || !(isNew(a) || isNew(b)) || a->sensor || b->sensor ||
      brink->shapes.plugin->distance(brink->shapes.world, a->collider, b->collider, 0, &now) != brink_ok ||
      now.state == brink_overlap) {
    return;
  }
  double clearance = dxBrinkClearanceOf(now.distance, allowance);
  keepClearance(a, clearance);
  keepClearance(b, clearance);
}

int dxBrinkMeetClearances(dBrinkID brink) {
  const brinkColliderPair *pairs = NULL;
  size_t count = 0;
  double around;
  bool any;
  if (brink->shapes.meshCount == 0) {
    return 1;
  }
  if (!listNew(brink, &around, &any)) {
    return dxBrinkNoMemory(brink);
  }
  if (!any) {
    return 1;
  }
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkMeetFilter, brink);
  if (brink->step.quiet.lookedCount > 0 &&
      brink->step.steps->pairsOf(brink->shapes.world, brink->step.quiet.looked, brink->step.quiet.lookedCount, 0, 0,
                                 around, &pairs, &count) != brink_ok) {
    return dxBrinkPluginFailed(brink, "meshes that are met first");
  }
  for (size_t i = 0; i < brink->geomCount; ++i) {
    brink->geoms[i].clearance = brink->geoms[i].met ? brink->geoms[i].clearance : (double)INFINITY;
  }
  for (size_t i = 0; i < count; ++i) {
    uint32_t a = brinkKeyMap_Get(&brink->step.colliderMap, pairs[i].a),
             b = brinkKeyMap_Get(&brink->step.colliderMap, pairs[i].b);
    if (a != BRINK_NO_RECORD && b != BRINK_NO_RECORD) {
      meet(brink, &brink->geoms[a], &brink->geoms[b]);
    }
  }
  for (size_t i = 0; i < brink->geomCount; ++i) {
    dxBrinkGeom *geom = &brink->geoms[i];
    bool isMesh = geom->geom != NULL && geom->answered && geom->shape.surface;
    geom->met = geom->met || isMesh;
    if (isMesh && geom->userAllowance < 0 && geom->clearance < geom->allowance &&
        !dxBrinkMakeColliderAgain(brink, geom)) {
      return 0;
    }
  }
  return 1;
}
