/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "brink.clearance/1": checks what the host gives and asks clearance.h (or swept_hull.h) about every pair of
 * parts of the two colliders. The clearance of the whole is the smallest of theirs: so are both its bounds. */
#include "clearance.h"

#include "brink/clearance.h"
#include "swept_hull.h"
#include "world.h"

_Static_assert((int)brink_clearanceSettled == (int)brink_gapSettled &&
                   (int)brink_clearanceDecided == (int)brink_gapDecided &&
                   (int)brink_clearanceSpent == (int)brink_gapSpent,
               "states differ");
_Static_assert((int)brink_clearanceNotAsked == (int)brink_gapNotAsked &&
                   (int)brink_clearanceKept == (int)brink_gapKept &&
                   (int)brink_clearanceBroken == (int)brink_gapBroken &&
                   (int)brink_clearanceUnproven == (int)brink_gapUnproven,
               "verdicts differ");

#define DEFAULT_TOLERANCE 1e-6 /* of brinkClearanceSize, smallest over the parts */

static brinkStatus checkAsked(brinkContext *context, const brinkClearanceQuery *query,
                              const brinkClearanceAnswer *out) {
  if (query == NULL) return brinkFail(context, brink_errorNullArgument, "query is NULL");
  if (out == NULL) return brinkFail(context, brink_errorNullArgument, "out is NULL");
  brinkStatus status = brinkCheckSize(context, query->structSize, sizeof *query, "query");
  if (status == brink_ok) status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status == brink_ok) status = brinkCheckFlags(context, query->flags, BRINK_CLEARANCE_SWEPT, "query->flags");
  if (status == brink_ok) status = brinkCheckTime(context, query->tStart, "query->tStart");
  if (status == brink_ok) status = brinkCheckTime(context, query->tEnd, "query->tEnd");
  if (status == brink_ok && query->tStart > query->tEnd)
    status = brinkFail(context, brink_errorBadTime, "query: tStart %g is after tEnd %g", query->tStart, query->tEnd);
  if (status == brink_ok) status = brinkCheckLength(context, query->tolerance, "query->tolerance");
  if (status == brink_ok) status = brinkCheckLength(context, query->required, "query->required");
#ifndef BRINK_SWEPT_HULL
  if (status == brink_ok && (query->flags & BRINK_CLEARANCE_SWEPT) != 0u)
    status = brinkFail(context, brink_errorVersion,
                       "swept clearance is not in this build; the CMake option BRINK_SWEPT_HULL adds it, read "
                       "brink/clearance.h about its patent first");
#endif
  return status;
}

static brinkStatus measurePart(brinkWorld *world, bool swept, const brinkClearanceInput *input,
                               brinkClearanceResult *out) {
#ifdef BRINK_SWEPT_HULL
  if (swept) return brinkMeasureSweptClearance(&world->context, world->clearance, world->advance, input, out);
#endif
  (void)swept;
  return brinkMeasureClearance(&world->context, world->clearance, world->advance, input, out);
}

static double toleranceOf(const brinkWorld *world, const brinkWorldCollider *a, const brinkWorldCollider *b) {
  double size = INFINITY;
  for (uint32_t i = 0; i < a->partCount; ++i)
    for (uint32_t j = 0; j < b->partCount; ++j) {
      const brinkCollider partA = brinkWorld_ColliderPart(world, a, i), partB = brinkWorld_ColliderPart(world, b, j);
      size = fmin(size, brinkClearanceSize(&partA, &partB));
    }
  return fmax(DEFAULT_TOLERANCE * size, DBL_MIN);
}

static brinkStatus measureParts(brinkWorld *world, const brinkWorldCollider *a, const brinkWorldCollider *b,
                                const brinkClearanceQuery *query, brinkClearanceResult *whole) {
  const brinkMotionTree tree = {.links = world->links, .linkCount = (int32_t)world->linkCount};
  brinkClearanceInput input = {.tree = &tree,
                               .tStart = query->tStart,
                               .tEnd = query->tEnd,
                               .tolerance = query->tolerance,
                               .required = query->required,
                               .maxIterations = query->maxIterations};
  if (!(input.tolerance > 0.0)) input.tolerance = toleranceOf(world, a, b);
  bool swept = (query->flags & BRINK_CLEARANCE_SWEPT) != 0u, first = true;
  double lower = INFINITY;
  uint64_t iterations = 0;
  for (uint32_t i = 0; i < a->partCount; ++i)
    for (uint32_t j = 0; j < b->partCount; ++j) {
      brinkClearanceResult one;
      input.a = brinkWorld_ColliderPart(world, a, i);
      input.b = brinkWorld_ColliderPart(world, b, j);
      brinkStatus status = measurePart(world, swept, &input, &one);
      if (status != brink_ok) return status;
      iterations += one.iterations;
      lower = fmin(lower, one.lower);
      if (first || one.upper < whole->upper) *whole = one;
      first = false;
    }
  whole->lower = lower;
  whole->iterations = iterations;
  brinkClearance_Conclude(&input, whole);
  return brink_ok;
}

static void fillAnswer(brinkClearanceAnswer *out, const brinkClearanceResult *result) {
  *out = (brinkClearanceAnswer){.structSize = sizeof *out,
                                .state = (uint32_t)result->state,
                                .verdict = (uint32_t)result->verdict,
                                .collision = result->collision ? 1u : 0u,
                                .lower = result->lower,
                                .upper = result->upper,
                                .tolerance = result->tolerance,
                                .timeA = result->timeA,
                                .timeB = result->timeB,
                                .pointA = result->pointA,
                                .pointB = result->pointB,
                                .normal = result->normal,
                                .iterations = result->iterations};
  out->featureA.kind = result->kindA;
  out->featureB.kind = result->kindB;
  memcpy(out->featureA.vertex, result->featureA, sizeof out->featureA.vertex);
  memcpy(out->featureB.vertex, result->featureB, sizeof out->featureB.vertex);
}

static brinkStatus ask(brinkWorld *world, brinkColliderId a, brinkColliderId b, const brinkClearanceQuery *query,
                       brinkClearanceAnswer *out) {
  brinkContext *context = &world->context;
  void *itemA, *itemB;
  brinkStatus status = checkAsked(context, query, out);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, a, "a", &itemA);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, b, "b", &itemB);
  if (status == brink_ok && a == b)
    status = brinkFail(context, brink_errorBadValue, "a and b are the same collider; clearance is between two");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  if (world->clearance == NULL) world->clearance = brinkClearanceScratch_Create(context);
  if (world->clearance == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for clearance queries");
  brinkClearanceResult result;
  status = measureParts(world, itemA, itemB, query, &result);
  if (status == brink_ok && world->pathFailed)
    status = brinkFail(context, brink_errorBadValue, "a host's motion (poseAt) gave a pose that is not finite");
  world->pathFailed = false;
  if (status == brink_ok) fillAnswer(out, &result);
  return status;
}

static brinkStatus measure(brinkWorld *world, brinkColliderId a, brinkColliderId b, const brinkClearanceQuery *query,
                           brinkClearanceAnswer *out) {
  BRINK_GUARDED(world, ask(world, a, b, query, out));
}

void brinkClearance_Destroy(brinkWorld *world) { brinkClearanceScratch_Destroy(&world->context, world->clearance); }

const void *brinkClearance_Table(void) {
  static const brinkClearanceTable table = {.structSize = sizeof(brinkClearanceTable), .measure = measure};
  return &table;
}
