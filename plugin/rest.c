/* SPDX-License-Identifier: BSD-3-Clause */
/* What overlaps at rest and is therefore left out? Links overlap where they are joined, and would be in contact for
 * ever. The pairs of pieces that overlap in the rest pose (rest_overlap.h) are found once, for a joint of COLLIDE_APART
 * when it is first needed, for any other pair when the host asks; the scene leaves them out, and the rest of the
 * neighbours is tested for real. Rest pose of joints: where the bodies were created. Units: m. */
#include "world.h"

void brinkWorld_ForgetRests(brinkWorld *world, uint32_t body) {
  for (uint32_t end = brinkWorld_Body(world, body)->firstJoint; end != BRINK_NONE;) {
    brinkWorldJoint *joint = brinkWorld_Joint(world, end / 2);
    joint->restFound = false;
    if ((joint->flags & BRINK_JOINT_COLLIDE_APART) != 0) world->restDirty = true;
    end = joint->nextEnd[end % 2];
  }
}

typedef struct Placed { /* a collider where it rests */
  brinkWorldCollider *collider;
  brinkRigid place;
} Placed;

static brinkRigid partPlace(const brinkWorld *world, const Placed *placed, uint32_t part, const brinkShape **shape) {
  const brinkWorldShape *whole = brinkWorld_Shape(world, placed->collider->shape);
  const brinkShapePart item = brinkWorldShape_Part(world, whole, part);
  *shape = item.shape;
  return whole->parts != NULL ? brinkCompose(&placed->place, &item.place) : placed->place;
}

/* Does one part hold the other without their surfaces meeting? */
static brinkStatus holds(brinkWorld *world, const brinkShape *a, const brinkRigid *poseA, const brinkShape *b,
                         const brinkRigid *poseB, bool *found) {
  const brinkMotionTree none = {NULL, 0};
  const brinkAdvanceInput still = {.tree = &none, .a = {a, *poseA, -1}, .b = {b, *poseB, -1}};
  brinkPairResult unused;
  return brinkPairContainment(&world->context, world->advance, &still, &unused, found);
}

/* One item for each pair of parts; keys owned by the items. */
static brinkStatus findItems(brinkWorld *world, const Placed *a, const Placed *b, double margin,
                             brinkSceneLeftOut *items) {
  brinkContext *context = &world->context;
  for (uint32_t i = 0; i < a->collider->partCount; ++i)
    for (uint32_t k = 0; k < b->collider->partCount; ++k) {
      const brinkShape *shapeA, *shapeB;
      const brinkRigid poseA = partPlace(world, a, i, &shapeA), poseB = partPlace(world, b, k, &shapeB);
      brinkSceneLeftOut *item = &items[(size_t)i * b->collider->partCount + k];
      item->a = *brinkWorldCollider_Scene(a->collider, i);
      item->b = *brinkWorldCollider_Scene(b->collider, k);
      brinkStatus status = brinkFindRestOverlaps(context, shapeA, &poseA, shapeB, &poseB, margin, &world->overlaps);
      bool held = false;
      if (status == brink_ok) status = holds(world, shapeA, &poseA, shapeB, &poseB, &held);
      if (status != brink_ok) return status;
      item->any = held || world->overlaps.count > 0;
      if (world->overlaps.count == 0) continue;
      uint64_t *keys = brinkAllocate(context, world->overlaps.count * sizeof *keys);
      if (keys == NULL)
        return brinkFail(context, brink_errorNoMemory, "no memory for %zu overlaps", world->overlaps.count);
      item->keys = memcpy(keys, world->overlaps.keys, world->overlaps.count * sizeof *keys);
      item->keyCount = world->overlaps.count;
    }
  return brink_ok;
}

static void freeItems(brinkContext *context, brinkSceneLeftOut *items, size_t count) {
  for (size_t i = 0; items != NULL && i < count; ++i)
    brinkRelease(context, (uint64_t *)items[i].keys, items[i].keyCount * sizeof *items[i].keys);
  brinkRelease(context, items, count * sizeof *items);
}

/* All parts of the pair or none. */
static brinkStatus leaveOut(brinkWorld *world, const Placed *a, const Placed *b, double margin, size_t *pieces) {
  size_t count = (size_t)a->collider->partCount * b->collider->partCount;
  brinkSceneLeftOut *items = brinkAllocateZeroed(&world->context, count, sizeof *items);
  if (items == NULL) return brinkFail(&world->context, brink_errorNoMemory, "no memory for %zu pairs of parts", count);
  brinkStatus status = findItems(world, a, b, margin, items);
  if (status == brink_ok) status = brinkScene_LeaveOut(world->scene, items, count);
  *pieces = 0;
  for (size_t i = 0; i < count; ++i) *pieces += items[i].keyCount;
  freeItems(&world->context, items, count);
  return status;
}

brinkStatus brinkWorld_LeaveNothingOut(brinkWorld *world, brinkWorldCollider *a, brinkWorldCollider *b) {
  brinkStatus status = brink_ok;
  for (uint32_t i = 0; i < a->partCount; ++i)
    for (uint32_t k = 0; k < b->partCount && status == brink_ok; ++k) {
      const brinkSceneLeftOut nothing = {.a = *brinkWorldCollider_Scene(a, i), .b = *brinkWorldCollider_Scene(b, k)};
      status = brinkScene_LeaveOut(world->scene, &nothing, 1u);
    }
  return status;
}

/* ---- joints */

static Placed placeAtRest(const brinkWorld *world, uint32_t index) {
  brinkWorldCollider *collider = brinkWorld_Collider(world, index);
  const brinkRigid body = brinkRigid_FromPose(brinkWorld_Body(world, collider->body)->rest);
  const brinkRigid own = brinkRigid_FromPose(collider->pose);
  return (Placed){collider, brinkCompose(&body, &own)};
}

static brinkStatus findRestsOf(brinkWorld *world, const brinkWorldJoint *joint) {
  const uint32_t firstA = brinkWorld_Body(world, joint->body[0])->firstCollider;
  const uint32_t firstB = brinkWorld_Body(world, joint->body[1])->firstCollider;
  for (uint32_t i = firstA; i != BRINK_NONE; i = brinkWorld_Collider(world, i)->next)
    for (uint32_t k = firstB; k != BRINK_NONE; k = brinkWorld_Collider(world, k)->next) {
      const Placed a = placeAtRest(world, i), b = placeAtRest(world, k);
      size_t pieces;
      brinkStatus status = leaveOut(world, &a, &b, joint->restMargin, &pieces);
      if (status != brink_ok) return status;
    }
  return brink_ok;
}

brinkStatus brinkWorld_FindRests(brinkWorld *world) {
  for (uint32_t i = 0; i < world->joints.count; ++i) {
    brinkWorldJoint *joint = brinkWorld_Joint(world, i);
    if (!joint->slot.live || joint->restFound || (joint->flags & BRINK_JOINT_COLLIDE_APART) == 0) continue;
    if (joint->body[0] == BRINK_NONE || joint->body[1] == BRINK_NONE) continue;
    brinkStatus status = findRestsOf(world, joint);
    if (status != brink_ok) return status;
    joint->restFound = true;
  }
  return brink_ok;
}

/* ---- any pair, when the host asks */

static brinkStatus leaveOutOverlaps(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double margin,
                                    size_t *pieces) {
  brinkContext *context = &world->context;
  void *itemA, *itemB;
  brinkStatus status = brinkWorld_Get(world, &world->colliders, a, "a", &itemA);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, b, "b", &itemB);
  if (status == brink_ok && a == b)
    status = brinkFail(context, brink_errorBadValue, "a and b are the same collider 0x%llx", (unsigned long long)a);
  if (status == brink_ok) status = brinkCheckTime(context, t, "t");
  if (status == brink_ok) status = brinkCheckLength(context, margin, "margin");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  Placed placedA = {.collider = itemA}, placedB = {.collider = itemB};
  status = brinkWorld_PlaceAt(world, itemA, t, &placedA.place);
  if (status == brink_ok) status = brinkWorld_PlaceAt(world, itemB, t, &placedB.place);
  if (status == brink_ok && world->pathFailed)
    status = brinkFail(context, brink_errorBadValue, "a host's motion (poseAt) gave a pose that is not finite");
  world->pathFailed = false;
  size_t count = 0;
  if (status == brink_ok) status = leaveOut(world, &placedA, &placedB, margin, &count);
  if (status == brink_ok && pieces != NULL) *pieces = count;
  return status;
}

brinkStatus brinkWorld_LeaveOutOverlaps(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t,
                                        double margin, size_t *pieces) {
  BRINK_GUARDED(world, leaveOutOverlaps(world, a, b, t, margin, pieces));
}
