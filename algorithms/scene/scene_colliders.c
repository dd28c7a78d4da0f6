/* SPDX-License-Identifier: BSD-3-Clause */
/* The colliders of a scene, and which pairs of them, or of their pieces, are never tested. Slots are found by index; a
 * removed collider's slot is used again. */
#include "scene_internal.h"

double brinkSceneCollider_Allowance(const brinkSceneCollider *collider) {
  if (collider->allowance > 0.0) return collider->allowance;
  double thickness = collider->collider.shape->thickness;
  if (brinkSceneCollider_IsPlane(collider) || !isfinite(thickness)) return HUGE_VAL;
  const double size = brinkSceneCollider_Size(collider); /* thinner than touching: points, segments, sheets */
  return BRINK_DEFAULT_ALLOWANCE * (thickness > BRINK_DEFAULT_TOLERANCE * size ? thickness : size);
}

brinkStatus brinkScene_Create(brinkContext *context, brinkScene **out) {
  *out = NULL;
  brinkScene *scene = brinkAllocateZeroed(context, 1u, sizeof *scene);
  if (scene == NULL) return brinkFail(context, brink_errorNoMemory, "scene: out of memory");
  scene->context = context;
  scene->fixedTree = brinkBvh_Create(context);
  scene->movingTree = brinkBvh_Create(context);
  scene->scratch = brinkAdvanceScratch_Create(context);
  scene->sweptScratch = brinkSweptAxisScratch_Create(context);
  if (scene->fixedTree == NULL || scene->movingTree == NULL || scene->scratch == NULL || scene->sweptScratch == NULL) {
    brinkScene_Destroy(scene);
    return brinkFail(context, brink_errorNoMemory, "scene: out of memory");
  }
  brinkAdvanceScratch_SearchBy(scene->scratch, brinkSweptAxisNear, scene->sweptScratch);
  *out = scene;
  return brink_ok;
}

static void releaseLeftOut(brinkContext *context, brinkSceneLeftOutPair *item) {
  brinkRelease(context, item->keys, item->count * sizeof *item->keys);
}

void brinkScene_Destroy(brinkScene *scene) {
  if (scene == NULL) return;
  brinkContext *context = scene->context;
  if (scene->fixedTree != NULL) brinkBvh_Destroy(scene->fixedTree);
  if (scene->movingTree != NULL) brinkBvh_Destroy(scene->movingTree);
  brinkAdvanceScratch_Destroy(context, scene->scratch);
  brinkSweptAxisScratch_Destroy(context, scene->sweptScratch);
  brinkPairQueue_Free(context, &scene->queue);
  brinkScene_FreeLanes(scene);
  brinkRelease(context, scene->lower, scene->lowerCapacity * sizeof *scene->lower);
  brinkRelease(context, scene->ahead, scene->aheadCapacity * sizeof *scene->ahead);
  brinkScene_FreeQuestion(scene);
  brinkRelease(context, scene->subLinks, scene->subLinkCapacity * sizeof *scene->subLinks);
  brinkRelease(context, scene->subOf, scene->subOfCapacity * sizeof *scene->subOf);
  brinkRelease(context, scene->subList, scene->subListCapacity * sizeof *scene->subList);
  brinkRelease(context, scene->slots, scene->slotCapacity * sizeof *scene->slots);
  brinkRelease(context, scene->freeSlots, scene->freeCapacity * sizeof *scene->freeSlots);
  brinkRelease(context, scene->ignored, scene->ignoredCapacity * sizeof *scene->ignored);
  for (size_t i = 0; i < scene->leftOutCount; ++i) releaseLeftOut(context, &scene->leftOut[i]);
  brinkRelease(context, scene->leftOut, scene->leftOutCapacity * sizeof *scene->leftOut);
  brinkRelease(context, scene->motions, scene->motionCapacity * sizeof *scene->motions);
  brinkRelease(context, scene->poses, scene->poseCapacity * sizeof *scene->poses);
  brinkRelease(context, scene->partPoses, scene->partPoseCapacity * sizeof *scene->partPoses);
  brinkRelease(context, scene->endPoses, scene->endPoseCapacity * sizeof *scene->endPoses);
  brinkRelease(context, scene->boxes, scene->boxCapacity * sizeof *scene->boxes);
  brinkRelease(context, scene->sorted.keys, scene->sorted.keyCapacity * sizeof *scene->sorted.keys);
  brinkRelease(context, scene->sortedAt, scene->sortedAtCapacity * sizeof *scene->sortedAt);
  brinkRelease(context, scene->isListed, scene->isListedCapacity * sizeof *scene->isListed);
  brinkRelease(context, scene->courses, scene->courseCapacity * sizeof *scene->courses);
  brinkRelease(context, scene->sorted.loose, scene->sorted.looseCapacity * sizeof *scene->sorted.loose);
  brinkRelease(context, scene->sorted.bounds, scene->sorted.boundCapacity * sizeof *scene->sorted.bounds);
  brinkRelease(context, scene->bounds, scene->boundCapacity * sizeof *scene->bounds);
  brinkRelease(context, scene->linkCounts, scene->linkCountCapacity * sizeof *scene->linkCounts);
  brinkRelease(context, scene->moved, scene->movedCapacity * sizeof *scene->moved);
  brinkRelease(context, scene->active, scene->activeCapacity * sizeof *scene->active);
  brinkRelease(context, scene->planes, scene->planeCapacity * sizeof *scene->planes);
  brinkRelease(context, scene->coreRoom, scene->coreRoomCapacity * sizeof *scene->coreRoom);
  brinkRelease(context, scene->candidates, scene->candidateCapacity * sizeof *scene->candidates);
  brinkRelease(context, scene->results, scene->resultCapacity * sizeof *scene->results);
  brinkRelease(context, scene->reported, scene->reportedCapacity * sizeof *scene->reported);
  brinkRelease(context, scene->order, scene->orderCapacity * sizeof *scene->order);
  brinkRelease(context, scene->near, scene->nearCapacity * sizeof *scene->near);
  brinkRelease(context, scene, sizeof *scene);
}

void brinkScene_MarkAllMoved(brinkScene *scene) {
  scene->placedSerial = 0u;
  scene->counted = false;
  scene->sorted.valid = false;
}

void brinkScene_MarkMoved(brinkScene *scene, uint32_t index) {
  brinkQuestion_MarkMoved(scene, index);
  brinkScene_MarkBox(scene, index);
}

void brinkScene_MarkBox(brinkScene *scene, uint32_t index) {
  if (scene->placedSerial == 0u || index >= scene->slotCount || scene->isListed[index]) return;
  if (BRINK_SCENE_RESERVE(scene, moved, movedCapacity, scene->slotCount) !=
      brink_ok) { /* room for every slot: each is listed once */
    brinkScene_MarkAllMoved(scene);
    return;
  }
  scene->isListed[index] = true;
  scene->moved[scene->movedCount++] = index;
}

brinkStatus brinkScene_AddCollider(brinkScene *scene, const brinkSceneCollider *def, uint32_t *index) {
  brinkContext *context = scene->context;
  if (def->collider.shape == NULL) return brinkFail(context, brink_errorNullArgument, "collider: shape is NULL");
  if (!(def->allowance >= 0.0))
    return brinkFail(context, brink_errorBadValue, "collider: allowance %g; it must be >= 0", def->allowance);
  brinkStatus status =
      BRINK_SCENE_RESERVE(scene, freeSlots, freeCapacity, scene->slotCount + 1u); /* so that removal never fails */
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, sortedAt, sortedAtCapacity, scene->slotCount + 1u);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, isListed, isListedCapacity, scene->slotCount + 1u);
  if (status == brink_ok && scene->freeCount == 0u)
    status = BRINK_SCENE_RESERVE(scene, slots, slotCapacity, scene->slotCount + 1u);
  if (status == brink_ok) status = brinkAdvanceScratch_Remember(context, scene->scratch, def->collider.shape);
  if (status != brink_ok) return brinkFail(context, status, "collider: out of memory");
  uint32_t at = scene->freeCount > 0u ? scene->freeSlots[--scene->freeCount] : (uint32_t)scene->slotCount++;
  scene->slots[at] = (brinkSceneSlot){
      .collider = *def, .alive = true, .staticProxy = -1, .movingProxy = -1, .activeAt = BRINK_NOT_ACTIVE};
  scene->keysFall = scene->keysFall || (at > 0u && scene->slots[at - 1u].collider.key >= def->key) ||
                    (at + 1u < scene->slotCount && def->key >= scene->slots[at + 1u].collider.key);
  scene->sortedAt[at] = BRINK_NOT_ACTIVE;
  scene->isListed[at] = false;
  scene->slots[at].firstPair = BRINK_NO_PAIR;
  brinkSceneSlot_MakeCore(&scene->slots[at]);
  brinkScene_EndQuestion(scene);
  brinkScene_MarkAllMoved(scene);
  *index = at;
  return brink_ok;
}

void brinkScene_LeaveTrees(brinkScene *scene, brinkSceneSlot *slot) {
  if (slot->staticProxy >= 0) brinkBvh_Remove(scene->fixedTree, slot->staticProxy);
  if (slot->movingProxy >= 0) brinkBvh_Remove(scene->movingTree, slot->movingProxy);
  slot->staticProxy = slot->movingProxy = -1;
}

void brinkScene_RemoveCollider(brinkScene *scene, uint32_t index) {
  brinkSceneSlot *slot = brinkScene_SlotAt(scene, index);
  if (slot == NULL) return;
  brinkScene_EndQuestion(scene);
  brinkScene_LeaveTrees(scene, slot);
  brinkScene_MarkAllMoved(scene);
  brinkAdvanceScratch_Forget(scene->context, scene->scratch, slot->collider.collider.shape);
  slot->alive = false;
  scene->freeSlots[scene->freeCount++] = index;
  size_t kept = 0;
  for (size_t i = 0; i < scene->ignoredCount; ++i) {
    uint64_t pair = scene->ignored[i];
    if ((uint32_t)(pair >> 32) != index && (uint32_t)pair != index) scene->ignored[kept++] = pair;
  }
  scene->ignoredCount = kept;
  kept = 0;
  for (size_t i = 0; i < scene->leftOutCount; ++i) {
    brinkSceneLeftOutPair *item = &scene->leftOut[i];
    if ((uint32_t)(item->pair >> 32) == index || (uint32_t)item->pair == index)
      releaseLeftOut(scene->context, item);
    else
      scene->leftOut[kept++] = *item;
  }
  scene->leftOutCount = kept;
}

brinkSceneCollider *brinkScene_Collider(brinkScene *scene, uint32_t index) {
  brinkSceneSlot *slot = brinkScene_SlotAt(scene, index);
  return slot != NULL ? &slot->collider : NULL;
}

static brinkStatus putLocal(brinkScene *scene, uint32_t index, const brinkRigid *local) {
  brinkSceneSlot *slot = brinkScene_SlotAt(scene, index);
  if (slot == NULL) return brinkFail(scene->context, brink_errorStale, "collider %u is gone", (unsigned)index);
  slot->collider.collider.local = *local;
  brinkSceneSlot_MakeCore(slot);
  slot->courseKnown = false;
  if (slot->staticProxy >= 0) brinkBvh_Remove(scene->fixedTree, slot->staticProxy);
  slot->staticProxy = -1; /* its box is made anew at the next query */
  slot->restKnown = false;
  return brink_ok;
}

brinkStatus brinkScene_MoveFrame(brinkScene *scene, uint32_t index, const brinkRigid *local) {
  brinkStatus status = putLocal(scene, index, local);
  if (status == brink_ok) brinkScene_MarkMoved(scene, index);
  return status;
}

brinkStatus brinkScene_SetLocal(brinkScene *scene, uint32_t index, const brinkRigid *local) {
  brinkStatus status = putLocal(scene, index, local);
  if (status != brink_ok) return status;
  brinkScene_EndQuestion(scene);
  brinkScene_MarkAllMoved(scene);
  return brink_ok;
}

bool brinkScene_IsIgnored(const brinkScene *scene, uint32_t a, uint32_t b) {
  uint64_t key = brinkScene_PairKey(a, b);
  size_t at = brinkFindKey(scene->ignored, scene->ignoredCount, key);
  return at < scene->ignoredCount && scene->ignored[at] == key;
}

brinkStatus brinkScene_IgnorePair(brinkScene *scene, uint32_t a, uint32_t b, bool ignore) {
  if (brinkScene_SlotAt(scene, a) == NULL || brinkScene_SlotAt(scene, b) == NULL)
    return brinkFail(scene->context, brink_errorStale, "collider %u or %u is gone", (unsigned)a, (unsigned)b);
  uint64_t key = brinkScene_PairKey(a, b);
  size_t at = brinkFindKey(scene->ignored, scene->ignoredCount, key);
  bool present = at < scene->ignoredCount && scene->ignored[at] == key;
  if (ignore == present) return brink_ok;
  if (ignore) {
    brinkStatus status = BRINK_SCENE_RESERVE(scene, ignored, ignoredCapacity, scene->ignoredCount + 1u);
    if (status != brink_ok) return brinkFail(scene->context, status, "ignored pairs: out of memory");
    memmove(&scene->ignored[at + 1u], &scene->ignored[at], (scene->ignoredCount - at) * sizeof *scene->ignored);
    scene->ignored[at] = key;
    ++scene->ignoredCount;
  } else {
    --scene->ignoredCount;
    memmove(&scene->ignored[at], &scene->ignored[at + 1u], (scene->ignoredCount - at) * sizeof *scene->ignored);
  }
  return brink_ok;
}

static size_t findLeftOut(const brinkScene *scene, uint64_t pair) {
  size_t low = 0, high = scene->leftOutCount;
  while (low < high) {
    size_t middle = low + (high - low) / 2u;
    if (scene->leftOut[middle].pair < pair)
      low = middle + 1u;
    else
      high = middle;
  }
  return low;
}

brinkLeftOut brinkScene_LeftOut(const brinkScene *scene, uint32_t a, uint32_t b) {
  if (scene->leftOutCount == 0u) return (brinkLeftOut){0};
  uint64_t pair = brinkScene_PairKey(a, b);
  size_t at = findLeftOut(scene, pair);
  if (at == scene->leftOutCount || scene->leftOut[at].pair != pair) return (brinkLeftOut){0};
  return (brinkLeftOut){scene->leftOut[at].keys, scene->leftOut[at].count, true, a > b};
}

/* Puts an owned item in its place; room for it has been reserved. */
static void commitLeftOut(brinkScene *scene, const brinkSceneLeftOutPair *made, bool any) {
  size_t at = findLeftOut(scene, made->pair);
  bool present = at < scene->leftOutCount && scene->leftOut[at].pair == made->pair;
  brinkSceneLeftOutPair *place = &scene->leftOut[at];
  if (present) releaseLeftOut(scene->context, place);
  if (any && !present) memmove(place + 1, place, (scene->leftOutCount++ - at) * sizeof *place);
  if (!any && present) memmove(place, place + 1, (--scene->leftOutCount - at) * sizeof *place);
  if (any) *place = *made;
}

static brinkStatus copyLeftOut(brinkScene *scene, const brinkSceneLeftOut *item, brinkSceneLeftOutPair *made) {
  if (brinkScene_SlotAt(scene, item->a) == NULL || brinkScene_SlotAt(scene, item->b) == NULL)
    return brinkFail(scene->context, brink_errorStale, "collider %u or %u is gone", (unsigned)item->a,
                     (unsigned)item->b);
  *made =
      (brinkSceneLeftOutPair){.pair = brinkScene_PairKey(item->a, item->b), .count = item->any ? item->keyCount : 0u};
  if (made->count == 0u) return brink_ok;
  made->keys = brinkAllocate(scene->context, made->count * sizeof *made->keys);
  if (made->keys == NULL) return brink_errorNoMemory;
  for (size_t i = 0; i < made->count; ++i) {
    uint64_t key = item->keys[i];
    made->keys[i] = item->a < item->b ? key : brinkPieceKey((uint32_t)key, (uint32_t)(key >> 32));
  }
  brinkSortPieceKeys(made->keys, made->count);
  return brink_ok;
}

brinkStatus brinkScene_LeaveOut(brinkScene *scene, const brinkSceneLeftOut *items, size_t count) {
  if (count == 0u) return brink_ok;
  brinkContext *context = scene->context;
  brinkSceneLeftOutPair *made = brinkAllocateZeroed(context, count, sizeof *made);
  brinkStatus status = made != NULL ? brink_ok : brink_errorNoMemory;
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, leftOut, leftOutCapacity, scene->leftOutCount + count);
  for (size_t i = 0; status == brink_ok && i < count; ++i) status = copyLeftOut(scene, &items[i], &made[i]);
  for (size_t i = 0; made != NULL && i < count; ++i) {
    if (status == brink_ok)
      commitLeftOut(scene, &made[i], items[i].any);
    else
      releaseLeftOut(context, &made[i]);
  }
  brinkRelease(context, made, count * sizeof *made);
  return status != brink_errorNoMemory ? status : brinkFail(context, status, "pieces left out: out of memory");
}
