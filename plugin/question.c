/* SPDX-License-Identifier: BSD-3-Clause */
/* One question that lives for a whole step (brink/steps.h): the scene keeps pairs, bounds and events; here are the
 * entry points, and handles for the scene's indices. Units: m, step time. */
#include "world.h"

static brinkMotionTree motionTree(const brinkWorld *world) {
  return (brinkMotionTree){world->links, (int32_t)world->linkCount};
}

static brinkStatus beginQuestion(brinkWorld *world, const brinkQuery *given) {
  brinkContext *context = &world->context;
  if (given == NULL) return brinkRefuseNull(context, "query");
  const brinkWorldBody *onlyBody;
  brinkQuery query;
  brinkStatus status = brinkWorld_CheckQuery(world, given, &query, &onlyBody);
  if (status != brink_ok) return status;
  if (query.mode != brink_modeFirst)
    return brinkFail(context, brink_errorBadValue, "query->mode is %u: a question is of mode first", query.mode);
  if (onlyBody != NULL)
    return brinkFail(context, brink_errorBadValue, "query->onlyBody: a question is about all bodies, give 0");
  if (query.flags != 0)
    return brinkFail(context, brink_errorBadValue, "query->flags: a question does not know BRINK_QUERY_LOOPS");
  status = brinkWorld_SynchroniseFor(world, &query);
  if (status != brink_ok) return status;
  const brinkMotionTree tree = motionTree(world);
  brinkHostGoOn goOn;
  const brinkSceneQuery asked = brinkWorld_AskedQuery(world, &tree, &query, &goOn);
  status = brinkScene_BeginQuestion(world->scene, &asked);
  if (status == brink_ok) status = brinkWorld_CheckPaths(world);
  world->pathFailed = false;
  if (status != brink_ok) brinkScene_EndQuestion(world->scene);
  world->question = query;
  return status;
}

static brinkStatus tellEvents(brinkWorld *world, const brinkSceneReport *found) {
  void *block = world->events;
  brinkStatus status =
      brinkReserve(&world->context, &block, &world->eventsCapacity, found->pairCount, sizeof *world->events);
  world->events = block;
  for (size_t i = 0; status == brink_ok && i < found->pairCount; ++i) {
    const brinkSceneEvent *event = &found->pairs[i].event;
    world->events[i] = (brinkPairEvent){sizeof *world->events, event->kind, event->margin, event->left};
  }
  return status;
}

static brinkStatus nextEvents(brinkWorld *world, double from, brinkReport *report, const brinkPairEvent **events) {
  brinkContext *context = &world->context;
  if (report == NULL) return brinkRefuseNull(context, "report");
  brinkStatus status = brinkCheckSize(context, report->structSize, sizeof *report, "report");
  if (status == brink_ok) status = brinkCheckTime(context, from, "from");
  if (status == brink_ok)
    status = brinkScene_HasQuestion(world->scene) ? brinkWorld_SynchroniseFor(world, &world->question)
                                                  : brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  if (!brinkScene_HasQuestion(world->scene))
    return brinkFail(
        context, brink_errorStale,
        "no question is open: ask beginQuestion; one ends at endQuestion, when bodies, joints or colliders "
        "change (also when a jointed body begins to go from pose to pose), and at a failure");
  const brinkMotionTree tree = motionTree(world);
  brinkHostGoOn goOn;
  const brinkSceneQuery asked = brinkWorld_AskedQuery(world, &tree, &world->question, &goOn);
  brinkSceneReport found;
  status = brinkScene_NextEvents(world->scene, &asked, from, &found);
  if (status == brink_ok) {
    status = brinkWorld_CheckPaths(world);
    if (status != brink_ok) brinkScene_EndQuestion(world->scene);
  }
  world->pathFailed = false;
  if (status == brink_ok) status = tellEvents(world, &found);
  if (status == brink_ok) status = brinkWorld_TellReport(world, &found, 0, report);
  if (status != brink_ok) return status;
  report->contacts = world->contacts;
  if (events != NULL) *events = world->events;
  return brink_ok;
}

static brinkStatus leavePair(brinkWorld *world, brinkColliderId a, brinkColliderId b) {
  void *itemA = NULL, *itemB = NULL;
  brinkStatus status = brinkWorld_Get(world, &world->colliders, a, "a", &itemA);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, b, "b", &itemB);
  if (status == brink_ok && a == b)
    status =
        brinkFail(&world->context, brink_errorBadValue, "a and b are the same collider 0x%llx", (unsigned long long)a);
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  brinkWorldCollider *colliderA = itemA, *colliderB = itemB;
  for (uint32_t i = 0; status == brink_ok && i < colliderA->partCount; ++i)
    for (uint32_t k = 0; status == brink_ok && k < colliderB->partCount; ++k)
      status = brinkScene_LeavePair(world->scene, *brinkWorldCollider_Scene(colliderA, i),
                                    *brinkWorldCollider_Scene(colliderB, k));
  return status;
}

static brinkStatus endQuestion(brinkWorld *world) {
  brinkScene_EndQuestion(world->scene);
  return brink_ok;
}

brinkStatus brinkWorld_BeginQuestion(brinkWorld *world, const brinkQuery *query) {
  BRINK_GUARDED(world, beginQuestion(world, query));
}
brinkStatus brinkWorld_NextEvents(brinkWorld *world, double from, brinkReport *report, const brinkPairEvent **events) {
  BRINK_GUARDED(world, nextEvents(world, from, report, events));
}
brinkStatus brinkWorld_LeavePair(brinkWorld *world, brinkColliderId a, brinkColliderId b) {
  BRINK_GUARDED(world, leavePair(world, a, b));
}
brinkStatus brinkWorld_EndQuestion(brinkWorld *world) { BRINK_GUARDED(world, endQuestion(world)); }
