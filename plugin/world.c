/* SPDX-License-Identifier: BSD-3-Clause */
/* What does the host's engine consist of right now? Bodies, joints and colliders (shapes: shapes.c) behind generation
 * handles. Every entry point checks all of its arguments before it changes anything, allocates before it links, and so
 * leaves the world as it was when it fails. A slot whose generations are used up is retired, never given out again.
 * Units: m, rad, per step. */
#include "world.h"

#include <stdio.h>

#define HANDLE_GENERATION_BITS 20
#define HANDLE_INDEX_BITS 24
#define HANDLE_TAG_BITS 17
#define MAX_GENERATION ((1u << HANDLE_GENERATION_BITS) - 1u)
#define MAX_INDEX ((1u << HANDLE_INDEX_BITS) - 1u)

/* ---- entering and leaving */

brinkStatus brinkWorld_Enter(brinkWorld *world, brinkFloatState *saved) {
  if (world == NULL) return brink_errorNullArgument;
  if (world->busy) return brink_errorBusy;
  world->busy = true;
  world->context.message[0] = '\0';
  brinkFloat_Enter(saved);
  world->hostFloat = saved;
  return brink_ok;
}

static brinkStatus checkViews(brinkWorld *world) {
  if (atomic_load(&world->viewsAsking) == 0) return brink_ok;
  return brinkFail(&world->context, brink_errorBusy,
                   "a robot's view is at a question: return from its callback, or wait for its thread, then change "
                   "the world");
}

brinkStatus brinkWorld_EnterToChange(brinkWorld *world, brinkFloatState *saved) {
  brinkStatus status = brinkWorld_Enter(world, saved);
  if (status == brink_ok && checkViews(world) != brink_ok) return brinkWorld_Leave(world, saved, brink_errorBusy);
  return status;
}

brinkStatus brinkWorld_Leave(brinkWorld *world, const brinkFloatState *saved, brinkStatus status) {
  brinkFloat_Leave(saved);
  if (status == brink_ok) {
    world->context.message[0] = '\0';
  } else if (world->context.message[0] == '\0') {
    brinkFail(&world->context, status, "%s", brinkStatusText(status));
  }
  world->busy = false;
  return status;
}

const char *brinkWorld_LastError(const brinkWorld *world) {
  if (world == NULL) return "world is NULL: create one with createWorld";
  if (world->busy) return "the world is busy: return from its callback first, and call it from one thread at a time";
  return world->context.message;
}

/* ---- tables */

static void *itemAt(const brinkTable *table, uint32_t index) {
  return (unsigned char *)table->items + (size_t)index * table->itemSize;
}

static void initTable(brinkTable *table, brinkHandleKind kind, size_t itemSize) {
  *table = (brinkTable){.itemSize = itemSize, .firstFree = BRINK_NONE, .kind = (uint32_t)kind};
}

brinkStatus brinkTable_Add(brinkContext *context, brinkTable *table, const char *what, uint32_t *index) {
  uint32_t slotIndex = table->firstFree;
  uint32_t generation = 1;
  if (slotIndex == BRINK_NONE) {
    if (table->count >= MAX_INDEX)
      return brinkFail(context, brink_errorRange, "%s: more than %u objects", what, MAX_INDEX);
    brinkStatus status =
        brinkReserve(context, &table->items, &table->capacity, (size_t)table->count + 1, table->itemSize);
    if (status != brink_ok) return brinkFail(context, status, "%s: no memory for one more object", what);
    slotIndex = table->count++;
  } else {
    const brinkSlot *slot = itemAt(table, slotIndex);
    table->firstFree = slot->nextFree;
    generation = slot->generation;
  }
  void *item = itemAt(table, slotIndex);
  memset(item, 0, table->itemSize);
  *(brinkSlot *)item = (brinkSlot){.generation = generation, .nextFree = BRINK_NONE, .live = 1};
  ++table->liveCount;
  *index = slotIndex;
  return brink_ok;
}

void brinkTable_Remove(brinkTable *table, uint32_t index) {
  brinkSlot *slot = itemAt(table, index);
  slot->live = 0;
  --table->liveCount;
  if (slot->generation >= MAX_GENERATION) {
    slot->retired = 1;
    return;
  }
  ++slot->generation;
  slot->nextFree = table->firstFree;
  table->firstFree = index;
}

uint32_t brinkTable_IndexOf(const brinkTable *table, const void *item) {
  return (uint32_t)(((size_t)((const unsigned char *)item - (const unsigned char *)table->items)) / table->itemSize);
}

static uint64_t makeHandle(const brinkWorld *world, const brinkTable *table, uint32_t index, uint32_t generation) {
  return (uint64_t)table->kind << (HANDLE_GENERATION_BITS + HANDLE_INDEX_BITS + HANDLE_TAG_BITS) |
         (uint64_t)world->tag << (HANDLE_GENERATION_BITS + HANDLE_INDEX_BITS) |
         (uint64_t)index << HANDLE_GENERATION_BITS | generation;
}

uint64_t brinkWorld_Handle(const brinkWorld *world, const brinkTable *table, uint32_t index) {
  return makeHandle(world, table, index, ((const brinkSlot *)itemAt(table, index))->generation);
}

static uint32_t indexOfHandle(uint64_t handle) { return (uint32_t)(handle >> HANDLE_GENERATION_BITS) & MAX_INDEX; }

void *brinkWorld_Find(const brinkWorld *world, const brinkTable *table, uint64_t handle) {
  const uint32_t index = indexOfHandle(handle);
  if (index >= table->count) return NULL;
  void *item = itemAt(table, index);
  const brinkSlot *slot = item;
  if (!slot->live || handle != makeHandle(world, table, index, slot->generation)) return NULL;
  return item;
}

static const char *kindText(uint32_t kind) {
  switch (kind) {
    case brink_kindShape:
      return "shape";
    case brink_kindBody:
      return "body";
    case brink_kindJoint:
      return "joint";
    default:
      return "collider";
  }
}

brinkStatus brinkWorld_Get(brinkWorld *world, const brinkTable *table, uint64_t handle, const char *argument,
                           void **out) {
  *out = brinkWorld_Find(world, table, handle);
  if (*out != NULL) return brink_ok;
  return brinkFail(&world->context, brink_errorStale,
                   "%s: 0x%llx is not a living %s of this world (destroyed, of another world, or made up)", argument,
                   (unsigned long long)handle, kindText(table->kind));
}

/* ---- checks */

brinkStatus brinkCheckSize(brinkContext *context, uint32_t structSize, size_t expected, const char *argument) {
  if (structSize == expected) return brink_ok;
  return brinkFail(context, brink_errorVersion,
                   "%s->structSize is %u, this build speaks %zu: set it to sizeof, or update the host", argument,
                   structSize, expected);
}

brinkStatus brinkCheckGrownSize(brinkContext *context, uint32_t structSize, size_t first, size_t expected,
                                const char *argument) {
  return structSize == first ? brink_ok : brinkCheckSize(context, structSize, expected, argument);
}

brinkStatus brinkCheckFlags(brinkContext *context, uint32_t flags, uint32_t known, const char *argument) {
  if ((flags & ~known) == 0) return brink_ok;
  return brinkFail(context, brink_errorBadValue, "%s is 0x%x, bits 0x%x are not known here", argument, flags,
                   flags & ~known);
}

brinkStatus brinkCheckLength(brinkContext *context, double value, const char *argument) {
  if (!isfinite(value) || value < 0.0)
    return brinkFail(context, brink_errorBadValue, "%s is %g: must be finite and not negative", argument, value);
  if (value > BRINK_MAX_LENGTH)
    return brinkFail(context, brink_errorRange, "%s is %g: more than %g cannot be computed with", argument, value,
                     BRINK_MAX_LENGTH);
  return brink_ok;
}

brinkStatus brinkCheckVec3(brinkContext *context, brinkVec3 value, double limit, const char *argument) {
  const double component[3] = {value.x, value.y, value.z};
  for (int i = 0; i < 3; ++i) {
    if (!isfinite(component[i]))
      return brinkFail(context, brink_errorBadValue, "%s.%c is %g: must be finite", argument, "xyz"[i], component[i]);
    if (fabs(component[i]) > limit)
      return brinkFail(context, brink_errorRange, "%s.%c is %g: magnitudes beyond %g cannot be computed with", argument,
                       "xyz"[i], component[i], limit);
  }
  return brink_ok;
}

brinkStatus brinkCheckPose(brinkContext *context, const brinkPose *given, const char *argument, brinkPose *out) {
  const brinkVec3 p = given->position; /* the name of the member is only made when it is needed */
  brinkQuat q = given->rotation;
  if (!(fabs(p.x) <= BRINK_MAX_LENGTH && fabs(p.y) <= BRINK_MAX_LENGTH && fabs(p.z) <= BRINK_MAX_LENGTH)) {
    char position[64];
    snprintf(position, sizeof position, "%s.position", argument);
    return brinkCheckVec3(context, p, BRINK_MAX_LENGTH, position);
  }
  const double component[4] = {q.w, q.x, q.y, q.z};
  for (int i = 0; !isfinite(q.w + q.x + q.y + q.z) && i < 4; ++i)
    if (!isfinite(component[i]))
      return brinkFail(context, brink_errorBadValue, "%s.rotation.%c is %g: must be finite", argument, "wxyz"[i],
                       component[i]);
  if (!brinkNormalizeQuat(&q))
    return brinkFail(context, brink_errorBadRotation, "%s.rotation is zero: (w,x,y,z) = (1,0,0,0) turns nothing",
                     argument);
  *out = (brinkPose){p, q};
  return brink_ok;
}

brinkStatus brinkCheckTime(brinkContext *context, double value, const char *argument) {
  if (value >= 0.0 && value <= 1.0) return brink_ok;
  return brinkFail(context, brink_errorBadTime, "%s is %g: step time runs from 0 to 1", argument, value);
}

brinkStatus brinkRefuseNull(brinkContext *context, const char *argument) {
  return brinkFail(context, brink_errorNullArgument, "%s is NULL", argument);
}

/* ---- world */

static void releaseArray(brinkContext *context, void *block, size_t capacity, size_t elementSize) {
  if (block != NULL) brinkRelease(context, block, capacity * elementSize);
}

static void releaseMore(brinkContext *context, brinkWorldCollider *collider) {
  releaseArray(context, collider->more, collider->partCount - 1, sizeof *collider->more);
  collider->more = NULL;
}

static void freeWorld(brinkWorld *world) {
  brinkContext *context = &world->context;
  brinkDestroyExtensions(world); /* robots use shapes */
  for (uint32_t i = 0; i < world->shapes.count; ++i) {
    brinkWorldShape *item = brinkWorld_Shape(world, i);
    if (item->slot.live) brinkFreeWorldShape(context, item);
  }
  for (uint32_t i = 0; i < world->colliders.count; ++i) {
    brinkWorldCollider *item = brinkWorld_Collider(world, i);
    if (item->slot.live) releaseMore(context, item);
  }
  for (uint32_t i = 0; i < world->bodies.count; ++i)
    if (brinkWorld_Body(world, i)->slot.live) brinkWorldPath_Free(context, brinkWorld_Body(world, i)->path);
  brinkScene_Destroy(world->scene);
  if (world->advance != NULL) brinkAdvanceScratch_Destroy(context, world->advance);
  brinkSweptAxisScratch_Destroy(context, world->swept);
  if (world->manifold != NULL) brinkManifoldScratch_Destroy(context, world->manifold);
  brinkTable *tables[4] = {&world->shapes, &world->bodies, &world->joints, &world->colliders};
  for (int i = 0; i < 4; ++i) releaseArray(context, tables[i]->items, tables[i]->capacity, tables[i]->itemSize);
  releaseArray(context, world->pending, world->pendingCapacity, sizeof *world->pending);
  releaseArray(context, world->linkBody, world->linkBodyCapacity, sizeof *world->linkBody);
  releaseArray(context, world->changed, world->changedCapacity, sizeof *world->changed);
  releaseArray(context, world->wanted, world->wantedCapacity, sizeof *world->wanted);
  releaseArray(context, world->unionParent, world->unionCapacity, sizeof *world->unionParent);
  releaseArray(context, world->links, world->linksCapacity, sizeof *world->links);
  releaseArray(context, world->linkStart, world->startCapacity, sizeof *world->linkStart);
  releaseArray(context, world->linkOmega, world->omegaCapacity, sizeof *world->linkOmega);
  releaseArray(context, world->linkMargin, world->linkMarginCapacity, sizeof *world->linkMargin);
  brinkPiecePairs_Free(context, &world->overlaps);
  releaseArray(context, world->poses, world->posesCapacity, sizeof *world->poses);
  releaseArray(context, world->taylor, world->taylorCapacity, sizeof *world->taylor);
  releaseArray(context, world->contacts, world->contactsCapacity, sizeof *world->contacts);
  releaseArray(context, world->events, world->eventsCapacity, sizeof *world->events);
  releaseArray(context, world->pairs, world->pairsCapacity, sizeof *world->pairs);
  releaseArray(context, world->points, world->pointsCapacity, sizeof *world->points);
  releaseArray(context, world->reports, world->reportsCapacity, sizeof *world->reports);
  brinkContext last = *context;  // the context lives in the block that is released
  brinkRelease(&last, world, sizeof *world);
}

/* Spreads the address over the tag's bits (Fibonacci hashing). */
static uint32_t tagOfAddress(const void *address) {
  uint64_t hash = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;
  return (uint32_t)(hash >> (64 - HANDLE_TAG_BITS));
}

brinkStatus brinkWorld_Create(const brinkHost *host, const brinkWorldDef *def, brinkWorld **out) {
  if (out == NULL) return brink_errorNullArgument;
  brinkContext context;
  brinkInitContext(&context);
  brinkStatus status = brink_ok;
  if (host != NULL) {
    status = brinkCheckSize(&context, host->structSize, sizeof *host, "host");
    if (status != brink_ok) return status;  // where log stands cannot be known
    context.user = host->user;
    context.log = host->log;
    if (host->abiMajor != BRINK_ABI_MAJOR)
      status = brinkFail(&context, brink_errorVersion, "host->abiMajor is %u, this build speaks %u", host->abiMajor,
                         BRINK_ABI_MAJOR);
    if (status == brink_ok && (host->allocate == NULL) != (host->release == NULL))
      status = brinkFail(&context, brink_errorNullArgument,
                         "host: allocate and release must come together, or both be NULL");
    if (status == brink_ok && host->allocate != NULL) {
      context.allocate = host->allocate;
      context.release = host->release;
    }
  }
  int order = 3;
  if (def != NULL && status == brink_ok) {
    status = brinkCheckSize(&context, def->structSize, sizeof *def, "def");
    if (status == brink_ok) status = brinkCheckFlags(&context, def->flags, BRINK_WORLD_ORDER_STATED, "def->flags");
    if (status == brink_ok && def->taylorOrder > BRINK_MAX_ORDER)
      status =
          brinkFail(&context, brink_errorRange, "def->taylorOrder is %u: 0 to %d", def->taylorOrder, BRINK_MAX_ORDER);
    if (status == brink_ok && (def->taylorOrder > 0 || (def->flags & BRINK_WORLD_ORDER_STATED)))
      order = (int)def->taylorOrder;
  }
  brinkWorld *world = NULL;
  if (status == brink_ok) {
    world = brinkAllocateZeroed(&context, 1, sizeof *world);
    if (world == NULL) status = brinkFail(&context, brink_errorNoMemory, "createWorld: no memory");
  }
  if (status != brink_ok) {
    brinkLog(&context, brink_logError, "createWorld: %s", context.message);
    return status;
  }
  world->context = context;
  world->tag = tagOfAddress(world);
  world->taylorOrder = order;
  initTable(&world->shapes, brink_kindShape, sizeof(brinkWorldShape));
  initTable(&world->bodies, brink_kindBody, sizeof(brinkWorldBody));
  initTable(&world->joints, brink_kindJoint, sizeof(brinkWorldJoint));
  initTable(&world->colliders, brink_kindCollider, sizeof(brinkWorldCollider));
  brinkFloatState saved;
  brinkFloat_Enter(&saved);
  status = brinkScene_Create(&world->context, &world->scene);
  if (status == brink_ok) {
    world->advance = brinkAdvanceScratch_Create(&world->context);
    world->swept = brinkSweptAxisScratch_Create(&world->context);
    world->manifold = brinkManifoldScratch_Create(&world->context);
    if (world->advance == NULL || world->swept == NULL || world->manifold == NULL)
      status = brink_errorNoMemory;
    else
      brinkAdvanceScratch_SearchBy(world->advance, brinkSweptAxisNear, world->swept);
  } else {
    world->scene = NULL;
  }
  brinkFloat_Leave(&saved);
  if (status != brink_ok) {
    brinkLog(&world->context, brink_logError, "createWorld: %s", brinkStatusText(status));
    freeWorld(world);
    return status;
  }
  *out = world;
  return brink_ok;
}

brinkStatus brinkWorld_Destroy(brinkWorld *world) {
  if (world == NULL) return brink_ok;
  if (world->busy || checkViews(world) != brink_ok) return brink_errorBusy;
  world->busy = true;  // a release callback that calls back is refused
  freeWorld(world);
  return brink_ok;
}

/* ---- bodies */

static brinkStatus createBody(brinkWorld *world, const brinkBodyDef *def, brinkBodyId *out) {
  brinkContext *context = &world->context;
  if (def == NULL) return brinkRefuseNull(context, "def");
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, "def");
  if (status == brink_ok) status = brinkCheckFlags(context, def->flags, 0, "def->flags");
  brinkPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  if (status == brink_ok) status = brinkCheckPose(context, &def->pose, "def->pose", &pose);
  if (status != brink_ok) return status;
  uint32_t parent = BRINK_NONE;
  if (def->parent != 0) {
    const brinkTable *bodies = &world->bodies;
    uint32_t next = bodies->firstFree != BRINK_NONE ? bodies->firstFree : bodies->count;
    uint32_t generation = bodies->firstFree != BRINK_NONE ? ((const brinkSlot *)itemAt(bodies, next))->generation : 1;
    if (def->parent == makeHandle(world, bodies, next, generation))
      return brinkFail(context, brink_errorBadTree, "def->parent: body 0x%llx would be its own parent",
                       (unsigned long long)def->parent);
    void *item;
    status = brinkWorld_Get(world, bodies, def->parent, "def->parent", &item);
    if (status != brink_ok) return status;
    parent = brinkTable_IndexOf(bodies, item);
  }
  void *block = world->changed;
  status =
      brinkReserve(context, &block, &world->changedCapacity, (size_t)world->bodies.count + 1, sizeof *world->changed);
  world->changed = block;
  if (status != brink_ok) return brinkFail(context, status, "createBody: no memory");
  uint32_t index;
  status = brinkTable_Add(context, &world->bodies, "createBody", &index);
  if (status != brink_ok) return status;
  brinkWorldBody *body = brinkWorld_Body(world, index);
  body->userData = def->userData;
  body->parent = parent;
  body->firstChild = body->previousSibling = body->nextSibling = BRINK_NONE;
  body->firstCollider = body->firstJoint = BRINK_NONE;
  body->kind = brink_motionRest;
  body->pose0 = body->pose1 = body->rest = pose;
  body->link = -1;
  body->treeParent = BRINK_NONE;
  if (parent != BRINK_NONE) {
    brinkWorldBody *parentBody = brinkWorld_Body(world, parent);
    const brinkRigid above = brinkRigid_FromPose(parentBody->rest), own = brinkRigid_FromPose(pose);
    const brinkRigid placed = brinkCompose(&above, &own);
    body->rest = brinkPose_FromRigid(&placed);
    body->nextSibling = parentBody->firstChild;
    if (body->nextSibling != BRINK_NONE) brinkWorld_Body(world, body->nextSibling)->previousSibling = index;
    parentBody->firstChild = index;
  }
  world->topologyDirty = true;
  *out = brinkWorld_Handle(world, &world->bodies, index);
  return brink_ok;
}

static void unlinkJoint(brinkWorld *world, uint32_t index) {
  brinkWorldJoint *joint = brinkWorld_Joint(world, index);
  for (int side = 0; side < 2; ++side) {
    if (joint->body[side] == BRINK_NONE) continue;
    uint32_t previous = joint->previousEnd[side], next = joint->nextEnd[side];
    if (previous == BRINK_NONE) {
      brinkWorld_Body(world, joint->body[side])->firstJoint = next;
    } else {
      brinkWorld_Joint(world, previous / 2)->nextEnd[previous % 2] = next;
    }
    if (next != BRINK_NONE) brinkWorld_Joint(world, next / 2)->previousEnd[next % 2] = previous;
  }
  ++world->revision;
  if (joint->flags & BRINK_JOINT_COLLIDES) --world->collideConnected;
  brinkTable_Remove(&world->joints, index);
  world->topologyDirty = true;
}

static void unlinkCollider(brinkWorld *world, uint32_t index) {
  brinkWorldCollider *collider = brinkWorld_Collider(world, index);
  for (uint32_t i = 0; i < collider->partCount; ++i) {
    uint32_t scene = *brinkWorldCollider_Scene(collider, i);
    if (scene != BRINK_NONE) brinkScene_RemoveCollider(world->scene, scene);
  }
  releaseMore(&world->context, collider);
  if (collider->body != BRINK_NONE) {
    if (collider->previous == BRINK_NONE) {
      brinkWorld_Body(world, collider->body)->firstCollider = collider->next;
    } else {
      brinkWorld_Collider(world, collider->previous)->next = collider->next;
    }
    if (collider->next != BRINK_NONE) brinkWorld_Collider(world, collider->next)->previous = collider->previous;
  }
  ++world->revision;
  brinkWorld_LeaveShape(world, collider->shape);
  brinkWorldShape *shape = brinkWorld_Shape(world, collider->shape);
  if (shape->hasNoHandle) brinkWorld_RemoveShape(world, shape);
  brinkTable_Remove(&world->colliders, index);
}

/* A body's frame in the world at t = 0, through its explicit ancestors. */
static brinkPose explicitStart(const brinkWorld *world, uint32_t index) {
  const brinkWorldBody *body = brinkWorld_Body(world, index);
  brinkPose pose = body->pose0;
  while (body->kind != brink_motionPoses && body->parent != BRINK_NONE) {
    body = brinkWorld_Body(world, body->parent);
    brinkMat3 r = brinkMat3_FromQuat(body->pose0.rotation);
    pose.position = brinkAdd(body->pose0.position, brinkMulMV(&r, pose.position));
    pose.rotation = brinkMulQQ(body->pose0.rotation, pose.rotation);
  }
  brinkNormalizeQuat(&pose.rotation);
  return pose;
}

/* The children of a body that goes become roots where they stand; velocities given in its frame are turned with it. */
static void orphanChildren(brinkWorld *world, uint32_t index) {
  brinkPose frame = explicitStart(world, index);
  brinkMat3 r = brinkMat3_FromQuat(frame.rotation);
  uint32_t childIndex = brinkWorld_Body(world, index)->firstChild;
  while (childIndex != BRINK_NONE) {
    brinkWorldBody *child = brinkWorld_Body(world, childIndex);
    if (child->kind != brink_motionPoses) {
      child->pose0 = explicitStart(world, childIndex);
      child->velocity = brinkMulMV(&r, child->velocity);
      child->spin = brinkMulMV(&r, child->spin);
    }
    childIndex = child->nextSibling;
    child->parent = child->previousSibling = child->nextSibling = BRINK_NONE;
  }
}

static brinkStatus destroyBody(brinkWorld *world, brinkBodyId handle) {
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->bodies, handle, "body", &item);
  if (status != brink_ok) return status;
  brinkWorldBody *body = item;
  uint32_t index = brinkTable_IndexOf(&world->bodies, body);
  while (body->firstCollider != BRINK_NONE) unlinkCollider(world, body->firstCollider);
  while (body->firstJoint != BRINK_NONE) unlinkJoint(world, body->firstJoint / 2);
  orphanChildren(world, index);
  if (body->parent != BRINK_NONE) {
    if (body->previousSibling == BRINK_NONE) {
      brinkWorld_Body(world, body->parent)->firstChild = body->nextSibling;
    } else {
      brinkWorld_Body(world, body->previousSibling)->nextSibling = body->nextSibling;
    }
    if (body->nextSibling != BRINK_NONE)
      brinkWorld_Body(world, body->nextSibling)->previousSibling = body->previousSibling;
  }
  brinkWorldPath_Free(&world->context, body->path);
  body->path = NULL;
  ++world->revision;
  brinkWorld_ForgetChanges(world); /* the topology is dirty: all motions are built again */
  brinkTable_Remove(&world->bodies, index);
  world->topologyDirty = true;
  return brink_ok;
}

static brinkStatus setBodyMotion(brinkWorld *world, brinkBodyId handle, const brinkBodyMotion *motion) {
  brinkContext *context = &world->context;
  if (motion == NULL) return brinkRefuseNull(context, "motion");
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->bodies, handle, "body", &item);
  if (status == brink_ok)
    status =
        brinkCheckGrownSize(context, motion->structSize, offsetof(brinkBodyMotion, path), sizeof *motion, "motion");
  if (status == brink_ok)
    status = brinkCheckFlags(context, motion->flags, BRINK_MOTION_HAS_SPIN | BRINK_MOTION_ALONE, "motion->flags");
  if (status != brink_ok) return status;
  brinkBodyMotion whole; /* of an older host's smaller one */
  if (motion->structSize < sizeof whole) {
    memset(&whole, 0, sizeof whole);
    memcpy(&whole, motion, motion->structSize);
    motion = &whole;
  }
  if (motion->kind > brink_motionUser)
    return brinkFail(context, brink_errorBadValue, "motion->kind is %u: not a brinkMotionKind", motion->kind);
  brinkMotionKind kind = (brinkMotionKind)motion->kind;
  brinkPose pose0, pose1;
  static const brinkPose none = {{0, 0, 0}, {1, 0, 0, 0}};
  status = brinkCheckPose(context, kind >= brink_motionSpline ? &none : &motion->pose0, "motion->pose0", &pose0);
  bool hasSpin = kind == brink_motionVelocities || kind == brink_motionOdeStep ||
                 (kind == brink_motionPoses && (motion->flags & BRINK_MOTION_HAS_SPIN));
  if (status == brink_ok && kind == brink_motionPoses)
    status = brinkCheckPose(context, &motion->pose1, "motion->pose1", &pose1);
  if (status == brink_ok && (kind == brink_motionVelocities || kind == brink_motionOdeStep))
    status = brinkCheckVec3(context, motion->velocity, BRINK_MAX_LENGTH, "motion->velocity");
  if (status == brink_ok && hasSpin) status = brinkCheckVec3(context, motion->spin, BRINK_MAX_SPIN, "motion->spin");
  if (status != brink_ok) return status;
  brinkWorldBody *body = item;
  brinkWorldPath *path = NULL;
  if (kind >= brink_motionScrew) status = brinkWorld_MakePath(world, motion, pose0, body->path, &path);
  if (status != brink_ok) return status;
  if (body->path != path) brinkWorldPath_Free(context, body->path);
  body->path = path;
  // Only bodies that go from pose to pose hang on joints: see forest.c.
  bool alone = (motion->flags & BRINK_MOTION_ALONE) != 0;
  bool hung = body->kind == brink_motionPoses && !body->alone, hangs = kind == brink_motionPoses && !alone;
  body->alone = alone;
  body->kind = kind;
  body->hasSpin = hasSpin;
  body->pose0 = pose0;
  body->pose1 = kind == brink_motionPoses ? pose1 : pose0;
  body->velocity = kind == brink_motionVelocities ? motion->velocity : brinkV3(0, 0, 0);
  body->spin = hasSpin ? motion->spin : brinkV3(0, 0, 0);
  ++world->revision;
  world->motionsDirty = true;
  if (!body->changed) {
    body->changed = true;
    world->changed[world->changedCount++] = indexOfHandle(handle);
  }
  if (hung == hangs || body->firstJoint == BRINK_NONE) return brink_ok;
  // An open question goes on when a body leaves its joints; the forest is built anew when it hangs on them again.
  if (hung && !world->topologyDirty && !world->collidersDirty && brinkScene_HasQuestion(world->scene))
    return brinkWorld_LeaveTree(world, brinkTable_IndexOf(&world->bodies, body));
  world->topologyDirty = true;
  return brink_ok;
}

/* ---- joints */

static brinkStatus createJoint(brinkWorld *world, const brinkJointDef *def, brinkJointId *out) {
  brinkContext *context = &world->context;
  if (def == NULL) return brinkRefuseNull(context, "def");
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status =
      brinkCheckGrownSize(context, def->structSize, offsetof(brinkJointDef, restMargin), sizeof *def, "def");
  if (status != brink_ok) return status;
  brinkJointDef whole;
  memset(&whole, 0, sizeof whole);
  memcpy(&whole, def, def->structSize);
  def = &whole;
  status = brinkCheckFlags(context, def->flags, BRINK_JOINT_COLLIDES, "def->flags");
  if (status == brink_ok) status = brinkCheckLength(context, def->restMargin, "def->restMargin");
  if (status == brink_ok) status = brinkCheckVec3(context, def->anchorA, BRINK_MAX_LENGTH, "def->anchorA");
  if (status == brink_ok) status = brinkCheckVec3(context, def->anchorB, BRINK_MAX_LENGTH, "def->anchorB");
  if (status != brink_ok) return status;
  const brinkBodyId handle[2] = {def->bodyA, def->bodyB};
  uint32_t body[2] = {BRINK_NONE, BRINK_NONE};
  for (int side = 0; side < 2; ++side) {
    if (handle[side] == 0) continue;
    void *item;
    status = brinkWorld_Get(world, &world->bodies, handle[side], side == 0 ? "def->bodyA" : "def->bodyB", &item);
    if (status != brink_ok) return status;
    body[side] = brinkTable_IndexOf(&world->bodies, item);
  }
  if (body[0] == body[1])
    return brinkFail(context, brink_errorBadTree,
                     "def: bodyA and bodyB are both 0x%llx: a joint connects two different bodies",
                     (unsigned long long)def->bodyA);
  uint32_t index;
  status = brinkTable_Add(context, &world->joints, "createJoint", &index);
  if (status != brink_ok) return status;
  brinkWorldJoint *joint = brinkWorld_Joint(world, index);
  joint->flags = def->flags;
  joint->anchor[0] = def->anchorA;
  joint->anchor[1] = def->anchorB;
  joint->restMargin = def->restMargin;
  for (int side = 0; side < 2; ++side) {
    joint->body[side] = body[side];
    joint->previousEnd[side] = joint->nextEnd[side] = BRINK_NONE;
    if (body[side] == BRINK_NONE) continue;
    uint32_t end = 2 * index + (uint32_t)side;
    uint32_t next = brinkWorld_Body(world, body[side])->firstJoint;
    joint->nextEnd[side] = next;
    if (next != BRINK_NONE) brinkWorld_Joint(world, next / 2)->previousEnd[next % 2] = end;
    brinkWorld_Body(world, body[side])->firstJoint = end;
  }
  ++world->revision;
  if (def->flags & BRINK_JOINT_COLLIDES) ++world->collideConnected;
  if (def->flags & BRINK_JOINT_COLLIDE_APART) world->restDirty = true;
  world->topologyDirty = true;
  *out = brinkWorld_Handle(world, &world->joints, index);
  return brink_ok;
}

static brinkStatus destroyJoint(brinkWorld *world, brinkJointId handle) {
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->joints, handle, "joint", &item);
  if (status == brink_ok) unlinkJoint(world, brinkTable_IndexOf(&world->joints, item));
  return status;
}

/* ---- colliders */

static brinkStatus createCollider(brinkWorld *world, const brinkColliderDef *def, brinkColliderId *out) {
  brinkContext *context = &world->context;
  if (def == NULL) return brinkRefuseNull(context, "def");
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, "def");
  if (status == brink_ok) status = brinkCheckFlags(context, def->flags, BRINK_COLLIDER_BITS_STATED, "def->flags");
  if (status == brink_ok) status = brinkCheckLength(context, def->allowance, "def->allowance");
  brinkPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  if (status == brink_ok) status = brinkCheckPose(context, &def->pose, "def->pose", &pose);
  void *shapeItem = NULL, *bodyItem = NULL;
  if (status == brink_ok) status = brinkWorld_Get(world, &world->shapes, def->shape, "def->shape", &shapeItem);
  if (status == brink_ok && def->body != 0)
    status = brinkWorld_Get(world, &world->bodies, def->body, "def->body", &bodyItem);
  if (status != brink_ok) return status;
  brinkWorldShape *shape = shapeItem;
  uint32_t partCount = brinkWorldShape_PartCount(shape), *more = NULL;
  if (partCount > 1) {
    more = brinkAllocate(context, (partCount - 1) * sizeof *more);
    if (more == NULL)
      return brinkFail(context, brink_errorNoMemory, "createCollider: no memory for %u parts", partCount);
    for (uint32_t i = 0; i + 1 < partCount; ++i) more[i] = BRINK_NONE;
  }
  uint32_t index;
  status = brinkTable_Add(context, &world->colliders, "createCollider", &index);
  if (status != brink_ok) {
    releaseArray(context, more, partCount - 1, sizeof *more);
    return status;
  }
  brinkWorldCollider *collider = brinkWorld_Collider(world, index);
  collider->body = bodyItem != NULL ? brinkTable_IndexOf(&world->bodies, bodyItem) : BRINK_NONE;
  collider->shape = brinkTable_IndexOf(&world->shapes, shape);
  collider->scene = BRINK_NONE;
  collider->partCount = partCount;
  collider->more = more;
  collider->moved = true;
  collider->pose = pose;
  collider->userData = def->userData;
  const bool all = def->categoryBits == 0 && def->collideBits == 0 && !(def->flags & BRINK_COLLIDER_BITS_STATED);
  collider->category = all ? UINT64_MAX : def->categoryBits;
  collider->collide = all ? UINT64_MAX : def->collideBits;
  collider->allowance = def->allowance;
  collider->previous = collider->next = BRINK_NONE;
  if (bodyItem != NULL) {
    brinkWorldBody *body = bodyItem;
    collider->next = body->firstCollider;
    if (collider->next != BRINK_NONE) brinkWorld_Collider(world, collider->next)->previous = index;
    body->firstCollider = index;
    brinkWorld_ForgetRests(world, collider->body);
  }
  ++world->revision;
  ++shape->users;
  world->collidersDirty = true;
  *out = brinkWorld_Handle(world, &world->colliders, index);
  return brink_ok;
}

static brinkStatus getCollider(brinkWorld *world, brinkColliderId handle, const char *argument,
                               brinkWorldCollider **out) {
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->colliders, handle, argument, &item);
  *out = item;
  return status;
}

static brinkStatus destroyCollider(brinkWorld *world, brinkColliderId handle) {
  brinkWorldCollider *collider;
  brinkStatus status = getCollider(world, handle, "collider", &collider);
  if (status == brink_ok) unlinkCollider(world, brinkTable_IndexOf(&world->colliders, collider));
  return status;
}

static brinkStatus setColliderPose(brinkWorld *world, brinkColliderId handle, const brinkPose *pose) {
  if (pose == NULL) return brinkRefuseNull(&world->context, "pose");
  brinkWorldCollider *collider;
  brinkStatus status = getCollider(world, handle, "collider", &collider);
  if (status == brink_ok) status = brinkCheckPose(&world->context, pose, "pose", &collider->pose);
  if (status != brink_ok) return status;
  ++world->revision;
  collider->moved = true;
  world->collidersDirty = true;
  if (collider->body != BRINK_NONE) brinkWorld_ForgetRests(world, collider->body);
  return brink_ok;
}

static brinkStatus setColliderFilter(brinkWorld *world, brinkColliderId handle, uint64_t categoryBits,
                                     uint64_t collideBits) {
  brinkWorldCollider *collider;
  brinkStatus status = getCollider(world, handle, "collider", &collider);
  if (status != brink_ok) return status;
  ++world->revision;
  collider->category = categoryBits;
  collider->collide = collideBits;
  for (uint32_t i = 0; i < collider->partCount; ++i) {
    uint32_t scene = *brinkWorldCollider_Scene(collider, i);
    if (scene == BRINK_NONE) continue;
    brinkSceneCollider *inScene = brinkScene_Collider(world->scene, scene);
    inScene->category = categoryBits;
    inScene->collide = collideBits;
  }
  return brink_ok;
}

static brinkStatus setPairFilter(brinkWorld *world, brinkPairFilter filter, void *user) {
  world->filter = filter;
  world->filterUser = user;
  return brink_ok;
}

static brinkStatus ignorePair(brinkWorld *world, brinkColliderId a, brinkColliderId b, int ignore) {
  brinkContext *context = &world->context;
  brinkWorldCollider *colliderA, *colliderB;
  brinkStatus status = getCollider(world, a, "a", &colliderA);
  if (status == brink_ok) status = getCollider(world, b, "b", &colliderB);
  if (status != brink_ok) return status;
  if (a == b)
    return brinkFail(context, brink_errorBadValue, "a and b are the same collider 0x%llx", (unsigned long long)a);
  // Applied at the next synchronisation: colliders enter the scene there, when their links are known.
  void *block = world->pending;
  status = brinkReserve(context, &block, &world->pendingCapacity, world->pendingCount + 1, sizeof *world->pending);
  if (status != brink_ok) return brinkFail(context, status, "ignorePair: no memory");
  world->pending = block;
  world->pending[world->pendingCount++] = (brinkPendingIgnore){a, b, ignore != 0};
  world->collidersDirty = true;
  return brink_ok;
}

/* ---- entry points */

brinkStatus brinkWorld_CreateBody(brinkWorld *world, const brinkBodyDef *def, brinkBodyId *out) {
  BRINK_CHANGING(world, createBody(world, def, out));
}
brinkStatus brinkWorld_DestroyBody(brinkWorld *world, brinkBodyId body) {
  BRINK_CHANGING(world, destroyBody(world, body));
}
brinkStatus brinkWorld_SetBodyMotion(brinkWorld *world, brinkBodyId body, const brinkBodyMotion *motion) {
  BRINK_CHANGING(world, setBodyMotion(world, body, motion));
}
brinkStatus brinkWorld_CreateJoint(brinkWorld *world, const brinkJointDef *def, brinkJointId *out) {
  BRINK_CHANGING(world, createJoint(world, def, out));
}
brinkStatus brinkWorld_DestroyJoint(brinkWorld *world, brinkJointId joint) {
  BRINK_CHANGING(world, destroyJoint(world, joint));
}
brinkStatus brinkWorld_CreateCollider(brinkWorld *world, const brinkColliderDef *def, brinkColliderId *out) {
  BRINK_CHANGING(world, createCollider(world, def, out));
}
brinkStatus brinkWorld_DestroyCollider(brinkWorld *world, brinkColliderId collider) {
  BRINK_CHANGING(world, destroyCollider(world, collider));
}
brinkStatus brinkWorld_SetColliderPose(brinkWorld *world, brinkColliderId collider, const brinkPose *pose) {
  BRINK_CHANGING(world, setColliderPose(world, collider, pose));
}
brinkStatus brinkWorld_SetColliderFilter(brinkWorld *world, brinkColliderId collider, uint64_t categoryBits,
                                         uint64_t collideBits) {
  BRINK_CHANGING(world, setColliderFilter(world, collider, categoryBits, collideBits));
}
brinkStatus brinkWorld_SetPairFilter(brinkWorld *world, brinkPairFilter filter, void *user) {
  BRINK_CHANGING(world, setPairFilter(world, filter, user));
}
brinkStatus brinkWorld_IgnorePair(brinkWorld *world, brinkColliderId a, brinkColliderId b, int ignore) {
  BRINK_CHANGING(world, ignorePair(world, a, b, ignore));
}
