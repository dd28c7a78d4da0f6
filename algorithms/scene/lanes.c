/* SPDX-License-Identifier: BSD-3-Clause */
/* One question on several threads. Items that do not depend on each other (the box of a slot, what a link does, a
 * pair's bound, its answer) are dealt out by their number to BRINK_LANES lanes, which the host runs as it likes. A lane
 * is the scene as one thread sees it: a copy of the struct with a context and scratch of its own. Whatever both point
 * to is only read meanwhile, but for the item's own place, which one lane alone writes.
 *
 * So what an item finds depends on the item alone, never on who else is at work or was before, and the caller takes
 * what was found in an order of its own. The same bits, then, for any number of threads and without. */
#include "scene_internal.h"

struct brinkSceneLane {
  brinkContext context;
  brinkScene scene;
  brinkSceneCandidate *found; /* of brinkScene_GatherEach: scene.candidates */
  size_t foundCapacity, taken;
  brinkStatus status;
};

typedef struct Deal {
  brinkSceneLane *lanes;
  size_t count;
  brinkSceneItem *item;
  const void *data;
} Deal;

/* What an item finds bears its number. */
static void runLane(void *user, uint32_t index) {
  const Deal *deal = user;
  brinkSceneLane *lane = &deal->lanes[index];
  brinkFloatState saved;
  brinkFloat_Enter(&saved);
  size_t found = lane->scene.candidateCount;
  for (size_t i = index; i < deal->count && lane->status == brink_ok; i += BRINK_LANES) {
    lane->status = deal->item(&lane->scene, deal->data, i);
    for (; found < lane->scene.candidateCount; ++found) lane->scene.candidates[found].pair = (uint32_t)i;
  }
  brinkFloat_Leave(&saved);
}

/* The lanes see the scene as it is now. */
static brinkStatus openLanes(brinkScene *scene) {
  brinkContext *context = scene->context;
  if (scene->lanes == NULL) scene->lanes = brinkAllocateZeroed(context, BRINK_LANES, sizeof *scene->lanes);
  for (int i = 0; scene->lanes != NULL && i < BRINK_LANES; ++i) {
    brinkSceneLane *lane = &scene->lanes[i];
    brinkScene own = *scene;
    lane->status = brink_ok;
    lane->context = *context;
    own.isLane = true;
    own.context = &lane->context;
    own.asked = NULL;
    own.work = (brinkAdvanceWork){0};
    own.motions = lane->scene.motions;
    own.motionCapacity = lane->scene.motionCapacity;
    own.coreRoom = lane->scene.coreRoom;
    own.coreRoomCapacity = lane->scene.coreRoomCapacity;
    own.scratch = lane->scene.scratch;
    own.sweptScratch = lane->scene.sweptScratch;
    if (own.scratch == NULL) own.scratch = brinkAdvanceScratch_Create(&lane->context);
    if (own.sweptScratch == NULL) own.sweptScratch = brinkSweptAxisScratch_Create(&lane->context);
    lane->scene = own;
    if (own.scratch == NULL || own.sweptScratch == NULL) break;
    brinkAdvanceScratch_SearchBy(own.scratch, brinkSweptAxisNear, own.sweptScratch);
    brinkAdvanceScratch_Borrow(own.scratch, scene->scratch);
    brinkSweptAxisScratch_Borrow(own.sweptScratch, scene->sweptScratch);
    if (i + 1 == BRINK_LANES) return brink_ok;
  }
  return brinkFail(context, brink_errorNoMemory, "threads: out of memory");
}

void brinkScene_FreeLanes(brinkScene *scene) {
  brinkContext *context = scene->context;
  for (int i = 0; scene->lanes != NULL && i < BRINK_LANES; ++i) {
    const brinkSceneLane *lane = &scene->lanes[i];
    brinkAdvanceScratch_Destroy(context, lane->scene.scratch);
    brinkSweptAxisScratch_Destroy(context, lane->scene.sweptScratch);
    brinkRelease(context, lane->scene.motions, lane->scene.motionCapacity * sizeof *lane->scene.motions);
    brinkRelease(context, lane->scene.coreRoom, lane->scene.coreRoomCapacity * sizeof *lane->scene.coreRoom);
    brinkRelease(context, lane->found, lane->foundCapacity * sizeof *lane->found);
  }
  brinkRelease(context, scene->lanes, BRINK_LANES * sizeof *scene->lanes);
}

static brinkStatus runLanes(brinkScene *scene, size_t count, brinkSceneItem *item, const void *data) {
  Deal deal = {scene->lanes, count, item, data};
  brinkStatus status = brink_ok;
  scene->asked->run(scene->asked->runUser, BRINK_LANES, runLane, &deal);
  for (int i = 0; i < BRINK_LANES; ++i) {
    const brinkSceneLane *lane = &scene->lanes[i];
    brinkAdvanceWork_Add(&scene->work, &lane->scene.work);
    if (status == brink_ok && lane->status != brink_ok)
      status = brinkFail(scene->context, lane->status, "%s", lane->context.message);
  }
  return status;
}

brinkStatus brinkScene_Each(brinkScene *scene, size_t count, brinkSceneItem *item, const void *data) {
  brinkStatus status = brink_ok;
  if (!brinkScene_HasThreads(scene) || count < BRINK_MANY_ITEMS) {
    for (size_t i = 0; status == brink_ok && i < count; ++i) status = item(scene, data, i);
    return status;
  }
  status = openLanes(scene);
  return status == brink_ok ? runLanes(scene, count, item, data) : status;
}

brinkStatus brinkScene_GatherEach(brinkScene *scene, const brinkSceneQuery *query, size_t count, brinkSceneItem *item,
                                  const void *data) {
  if (!brinkScene_HasThreads(scene) || count < BRINK_MANY_ITEMS) return brinkScene_Each(scene, count, item, data);
  brinkStatus status = openLanes(scene);
  if (status != brink_ok) return status;
  for (int i = 0; i < BRINK_LANES; ++i) {
    brinkSceneLane *lane = &scene->lanes[i];
    lane->scene.candidates = lane->found;
    lane->scene.candidateCapacity = lane->foundCapacity;
    lane->scene.candidateCount = lane->taken = 0u;
  }
  status = runLanes(scene, count, item, data);
  size_t all = scene->candidateCount;
  for (int i = 0; i < BRINK_LANES; ++i) {
    scene->lanes[i].found = scene->lanes[i].scene.candidates;
    scene->lanes[i].foundCapacity = scene->lanes[i].scene.candidateCapacity;
    all += scene->lanes[i].scene.candidateCount;
  }
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, candidates, candidateCapacity, all);
  for (size_t i = 0; status == brink_ok && i < count; ++i) {
    brinkSceneLane *lane = &scene->lanes[i % BRINK_LANES];
    for (; lane->taken < lane->scene.candidateCount && lane->found[lane->taken].pair == i; ++lane->taken) {
      if (query->filterAnywhere) /* asked already */
        scene->candidates[scene->candidateCount++] = lane->found[lane->taken];
      else
        brinkScene_KeepPair(scene, query, &lane->found[lane->taken]); /* there is room for all */
    }
  }
  return status;
}
