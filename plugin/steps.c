/* SPDX-License-Identifier: BSD-3-Clause */
/* What is near these few bodies of a large world? See brink/steps.h; the scene keeps the boxes of what rests, so that
 * the cost goes with what moves. Units: m, step time in [0,1]. */
#include "brink/steps.h"

#include "inner_core.h"
#include "world.h"

static brinkStatus leaveOutResting(brinkWorld *world, int on) {
  world->leaveOutResting = on != 0;
  return brink_ok;
}

/* The scene indices of the bodies' colliders. */
static brinkStatus listWanted(brinkWorld *world, const brinkBodyId *bodies, size_t count, size_t *wantedCount) {
  *wantedCount = 0;
  for (size_t i = 0; i < count; ++i) {
    void *item;
    brinkStatus status = brinkWorld_Get(world, &world->bodies, bodies[i], "bodies[]", &item);
    if (status != brink_ok) return status;
    for (uint32_t c = ((const brinkWorldBody *)item)->firstCollider; c != BRINK_NONE;
         c = brinkWorld_Collider(world, c)->next) {
      brinkWorldCollider *collider = brinkWorld_Collider(world, c);
      void *block = world->wanted;
      status = brinkReserve(&world->context, &block, &world->wantedCapacity, *wantedCount + collider->partCount,
                            sizeof *world->wanted);
      world->wanted = block;
      if (status != brink_ok) return status;
      for (uint32_t part = 0; part < collider->partCount; ++part)
        world->wanted[(*wantedCount)++] = *brinkWorldCollider_Scene(collider, part);
    }
  }
  return brink_ok;
}

static brinkStatus pairsOf(brinkWorld *world, const brinkBodyId *bodies, size_t count, double t0, double t1,
                           double margin, const brinkColliderPair **pairs, size_t *pairCount) {
  brinkContext *context = &world->context;
  if (bodies == NULL && count > 0) return brinkRefuseNull(context, "bodies");
  if (pairs == NULL) return brinkRefuseNull(context, "pairs");
  if (pairCount == NULL) return brinkRefuseNull(context, "pairCount");
  brinkStatus status = brinkCheckTime(context, t0, "t0");
  if (status == brink_ok) status = brinkCheckTime(context, t1, "t1");
  if (status == brink_ok && t1 < t0) status = brinkFail(context, brink_errorBadTime, "t1 %g is before t0 %g", t1, t0);
  if (status == brink_ok) status = brinkCheckLength(context, margin, "margin");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  size_t wantedCount = 0;
  if (status == brink_ok) status = listWanted(world, bodies, count, &wantedCount);
  if (status != brink_ok) return status;
  const brinkMotionTree tree = {world->links, (int32_t)world->linkCount};
  brinkSceneQuery query = brinkWorld_SceneQuery(world, &tree);
  query.tStart = t0;
  query.tEnd = t1;
  query.leaveOutResting = false;
  const brinkIndexPair *found = NULL;
  size_t foundCount = 0;
  status = brinkScene_PairsOf(world->scene, &query, world->wanted, wantedCount, margin, &found, &foundCount);
  return status == brink_ok ? brinkWorld_TellPairs(world, found, foundCount, pairs, pairCount) : status;
}

static brinkStatus setSink(brinkWorld *world, brinkSinkFunction sink, void *user) {
  world->sink = sink;
  world->sinkUser = user;
  return brink_ok;
}

/* Of compounds: the parts that have the least way left. */
static brinkStatus sinking(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, brinkSinking *out) {
  brinkContext *context = &world->context;
  void *itemA, *itemB;
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, a, "a", &itemA);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, b, "b", &itemB);
  if (status == brink_ok && a == b) status = brinkFail(context, brink_errorBadValue, "a and b are the same collider");
  if (status == brink_ok) status = brinkCheckTime(context, t, "t");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  brinkWorldCollider *colliderA = itemA, *colliderB = itemB;
  const brinkMotionTree tree = {world->links, (int32_t)world->linkCount};
  brinkSceneQuery query = brinkWorld_SceneQuery(world, &tree);
  query.watch = brink_watchDepth;
  query.tStart = query.tEnd = t;
  brinkSceneSinking least = {0};
  for (uint32_t i = 0; i < colliderA->partCount; ++i)
    for (uint32_t k = 0; k < colliderB->partCount; ++k) {
      brinkSceneSinking next;
      status = brinkScene_Sinking(world->scene, &query, *brinkWorldCollider_Scene(colliderA, i),
                                  *brinkWorldCollider_Scene(colliderB, k), &next);
      if (status != brink_ok) return status;
      if (next.depth == 0.0 || (least.depth != 0.0 && next.separation + next.limit >= least.separation + least.limit))
        continue;
      least = next;
    }
  *out =
      (brinkSinking){sizeof *out,  0,           least.depth, least.limit, least.separation, least.coreGap, least.pointA,
                     least.pointB, least.normal};
  return brink_ok;
}

static brinkStatus guardedSetSink(brinkWorld *world, brinkSinkFunction sink, void *user) {
  BRINK_GUARDED(world, setSink(world, sink, user));
}
static brinkStatus guardedSinking(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t,
                                  brinkSinking *out) {
  BRINK_GUARDED(world, sinking(world, a, b, t, out));
}
static brinkStatus guardedLeaveOutResting(brinkWorld *world, int on) {
  BRINK_GUARDED(world, leaveOutResting(world, on));
}
static brinkStatus guardedPairsOf(brinkWorld *world, const brinkBodyId *bodies, size_t count, double t0, double t1,
                                  double margin, const brinkColliderPair **pairs, size_t *pairCount) {
  BRINK_GUARDED(world, pairsOf(world, bodies, count, t0, t1, margin, pairs, pairCount));
}

static brinkStatus inside(brinkWorld *world, brinkShapeId handle, double *depth) {
  void *item;
  if (depth == NULL) return brinkRefuseNull(&world->context, "depth");
  brinkStatus status = brinkWorld_Get(world, &world->shapes, handle, "shape", &item);
  if (status != brink_ok) return status;
  const brinkWorldShape *shape = item;
  *depth = shape->partCount > 0 ? 0.0 : brinkInnerCore_Most(shape->shape);
  return brink_ok;
}
static brinkStatus guardedInside(brinkWorld *world, brinkShapeId shape, double *depth) {
  BRINK_GUARDED(world, inside(world, shape, depth));
}

const void *brinkSteps_Table(void) {
  static const brinkStepsTable table = {sizeof table,
                                        0,
                                        guardedLeaveOutResting,
                                        guardedPairsOf,
                                        guardedSetSink,
                                        guardedSinking,
                                        brinkWorld_BeginQuestion,
                                        brinkWorld_NextEvents,
                                        brinkWorld_LeavePair,
                                        brinkWorld_EndQuestion,
                                        guardedInside,
                                        brinkWorld_DistanceBelow};
  return &table;
}
