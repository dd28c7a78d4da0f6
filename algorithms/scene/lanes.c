/* SPDX-License-Identifier: BSD-3-Clause */
/* One question on several threads. Items that do not depend on each other (the box of a slot, a pair's bound, its
 * answer) stand in BRINK_TASKS blocks of neighbours, each a task, which the host runs as it likes. A task takes a lane:
 * the scene as one thread sees it, a copy of the struct with a context and scratch of its own. Whatever both point to
 * is only read meanwhile, but for the item's own place, which one lane alone writes. As many lanes are used as threads
 * are at work, so that their memory stays near.
 *
 * So what an item finds depends on the item alone, never on who else is at work or was before, and the caller takes
 * what was found in an order of its own. The same bits, then, for any number of threads and without. */
#include <stdatomic.h>

#include "scene_internal.h"

struct brinkSceneLane {
  atomic_flag taken; /* by a thread */
  bool open;         /* has seen the scene as it is now */
  brinkStatus status;
  brinkContext context;
  brinkScene scene;
  brinkSceneCandidate *found; /* of brinkScene_GatherEach: scene.candidates */
  size_t foundCapacity;
};

typedef struct Deal {
  const brinkScene *scene;
  size_t count, size; /* items, of a task */
  brinkSceneItem *item;
  const void *data;
  bool gathers;
  uint32_t lanes[BRINK_TASKS];                   /* of the tasks */
  size_t begin[BRINK_TASKS], found[BRINK_TASKS]; /* candidates, there */
} Deal;

static brinkStatus openLane(const Deal *deal, brinkSceneLane *lane) {
  const brinkScene *scene = deal->scene;
  brinkScene own = *scene;
  lane->context = *scene->context;
  own.isLane = lane->open = true;
  own.context = &lane->context;
  own.asked = NULL;
  own.work = (brinkAdvanceWork){0};
  own.motions = lane->scene.motions;
  own.motionCapacity = lane->scene.motionCapacity;
  own.coreRoom = lane->scene.coreRoom;
  own.coreRoomCapacity = lane->scene.coreRoomCapacity;
  if (deal->gathers) {
    own.candidates = lane->found;
    own.candidateCapacity = lane->foundCapacity;
    own.candidateCount = 0u;
  }
  own.scratch = lane->scene.scratch;
  own.sweptScratch = lane->scene.sweptScratch;
  if (own.scratch == NULL) own.scratch = brinkAdvanceScratch_Create(&lane->context);
  if (own.sweptScratch == NULL) own.sweptScratch = brinkSweptAxisScratch_Create(&lane->context);
  lane->scene = own;
  if (own.scratch == NULL || own.sweptScratch == NULL)
    return brinkFail(&lane->context, brink_errorNoMemory, "threads: out of memory");
  brinkAdvanceScratch_SearchBy(own.scratch, brinkSweptAxisNear, own.sweptScratch);
  brinkAdvanceScratch_Borrow(own.scratch, scene->scratch);
  brinkSweptAxisScratch_Borrow(own.sweptScratch, scene->sweptScratch);
  return brink_ok;
}

static void runTask(void *user, uint32_t task) {
  Deal *deal = user;
  uint32_t at = 0; /* one is free: there are as many as tasks */
  while (atomic_flag_test_and_set(&deal->scene->lanes[at].taken)) at = (at + 1u) % BRINK_TASKS;
  brinkSceneLane *lane = &deal->scene->lanes[at];
  brinkFloatState saved;
  brinkFloat_Enter(&saved);
  if (!lane->open) lane->status = openLane(deal, lane);
  const size_t end = BRINK_MIN((task + 1u) * deal->size, deal->count);
  deal->lanes[task] = at;
  deal->begin[task] = lane->scene.candidateCount;
  for (size_t i = task * deal->size; i < end && lane->status == brink_ok; ++i)
    lane->status = deal->item(&lane->scene, deal->data, i);
  deal->found[task] = lane->scene.candidateCount - deal->begin[task];
  if (deal->gathers) {
    lane->found = lane->scene.candidates;
    lane->foundCapacity = lane->scene.candidateCapacity;
  }
  brinkFloat_Leave(&saved);
  atomic_flag_clear(&lane->taken);
}

void brinkScene_FreeLanes(brinkScene *scene) {
  brinkContext *context = scene->context;
  for (int i = 0; scene->lanes != NULL && i < BRINK_TASKS; ++i) {
    const brinkSceneLane *lane = &scene->lanes[i];
    brinkAdvanceScratch_Destroy(context, lane->scene.scratch);
    brinkSweptAxisScratch_Destroy(context, lane->scene.sweptScratch);
    brinkRelease(context, lane->scene.motions, lane->scene.motionCapacity * sizeof *lane->scene.motions);
    brinkRelease(context, lane->scene.coreRoom, lane->scene.coreRoomCapacity * sizeof *lane->scene.coreRoom);
    brinkRelease(context, lane->found, lane->foundCapacity * sizeof *lane->found);
  }
  brinkRelease(context, scene->lanes, BRINK_TASKS * sizeof *scene->lanes);
}

static brinkStatus runTasks(brinkScene *scene, Deal *deal) {
  if (scene->lanes == NULL) scene->lanes = brinkAllocateZeroed(scene->context, BRINK_TASKS, sizeof *scene->lanes);
  if (scene->lanes == NULL) return brinkFail(scene->context, brink_errorNoMemory, "threads: out of memory");
  for (int i = 0; i < BRINK_TASKS; ++i) {
    brinkSceneLane *lane = &scene->lanes[i];
    atomic_flag_clear(&lane->taken);
    lane->open = false;
    lane->status = brink_ok;
  }
  deal->size = (deal->count + BRINK_TASKS - 1u) / BRINK_TASKS;
  scene->asked->run(scene->asked->runUser, (uint32_t)((deal->count + deal->size - 1u) / deal->size), runTask, deal);
  brinkStatus status = brink_ok;
  for (int i = 0; i < BRINK_TASKS && scene->lanes[i].open; ++i) {
    const brinkSceneLane *lane = &scene->lanes[i];
    brinkAdvanceWork_Add(&scene->work, &lane->scene.work);
    if (status == brink_ok && lane->status != brink_ok)
      status = brinkFail(scene->context, lane->status, "%s", lane->context.message);
  }
  return status;
}

brinkStatus brinkScene_Each(brinkScene *scene, size_t count, brinkSceneItem *item, const void *data) {
  brinkStatus status = brink_ok;
  if (!brinkScene_HasThreads(scene) || count < BRINK_TASKS) {
    for (size_t i = 0; status == brink_ok && i < count; ++i) status = item(scene, data, i);
    return status;
  }
  Deal deal = {.scene = scene, .count = count, .item = item, .data = data};
  return runTasks(scene, &deal);
}

brinkStatus brinkScene_GatherEach(brinkScene *scene, size_t count, brinkSceneItem *item, const void *data) {
  if (!brinkScene_HasThreads(scene) || count < BRINK_TASKS) return brinkScene_Each(scene, count, item, data);
  Deal deal = {.scene = scene, .count = count, .item = item, .data = data, .gathers = true};
  brinkStatus status = runTasks(scene, &deal);
  size_t all = scene->candidateCount;
  for (size_t task = 0; task * deal.size < count; ++task) all += deal.found[task];
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, candidates, candidateCapacity, all);
  for (size_t task = 0; status == brink_ok && task * deal.size < count; ++task) {
    const brinkSceneCandidate *found = scene->lanes[deal.lanes[task]].found + deal.begin[task];
    if (deal.found[task] > 0u)
      memcpy(scene->candidates + scene->candidateCount, found, deal.found[task] * sizeof *found);
    scene->candidateCount += deal.found[task];
  }
  return status;
}
