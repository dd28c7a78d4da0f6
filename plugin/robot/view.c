/* SPDX-License-Identifier: BSD-3-Clause */
/* What one thread asks: a scene of its own over the shapes that all views share, made again when the world or the robot
 * has changed. Obstacles stand where they are at step time 0. Units: m. */
#include "robot.h"

/* ---- creating and freeing */

brinkStatus brinkRobotView_Create(brinkRobot *robot, brinkContext *errors, brinkRobotView **out) {
  brinkContext *context = &robot->world->context;
  brinkRobotView *view = brinkAllocateZeroed(context, 1, sizeof *view);
  if (view == NULL) return brinkFail(errors, brink_errorNoMemory, "view: no memory");
  view->context = *context;
  view->context.message[0] = '\0';
  view->robot = robot;
  view->next = robot->firstView;
  if (robot->firstView != NULL) robot->firstView->previous = view;
  robot->firstView = view;
  *out = view;
  return brink_ok;
}

static void releaseArray(brinkContext *context, void *block, size_t capacity, size_t size) {
  if (block != NULL) brinkRelease(context, block, capacity * size);
}

void brinkRobotView_Free(brinkRobotView *view) {
  brinkRobot *robot = view->robot;
  brinkContext *context = &view->context;
  if (view->next != NULL) view->next->previous = view->previous;
  if (view->previous != NULL)
    view->previous->next = view->next;
  else
    robot->firstView = view->next;
  for (size_t i = 0; i < robot->laneCount; ++i)
    if (robot->lanes[i] == view) robot->lanes[i] = robot->lanes[--robot->laneCount];
  brinkScene_Destroy(view->scene);
  brinkRobotView_FreeCulling(view);
  if (view->clearance != NULL) brinkClearanceScratch_Destroy(context, view->clearance);
  if (view->advance != NULL) brinkAdvanceScratch_Destroy(context, view->advance);
  releaseArray(context, view->links, view->linkCapacity, sizeof *view->links);
  releaseArray(context, view->padding, view->paddingCapacity, sizeof *view->padding);
  releaseArray(context, view->margin, view->marginCapacity, sizeof *view->margin);
  releaseArray(context, view->reach, view->reachCapacity, sizeof *view->reach);
  releaseArray(context, view->things, view->thingCapacity, sizeof *view->things);
  releaseArray(context, view->contacts, view->contactCapacity, sizeof *view->contacts);
  releaseArray(context, view->values, view->valueCapacity, sizeof *view->values);
  releaseArray(context, view->wanted, view->wantedCapacity, sizeof *view->wanted);
  brinkContext last = *context;
  brinkRelease(&last, view, sizeof *view);
}

/* ---- the scene */

static brinkStatus reserve(brinkContext *context, void *member, size_t *capacity, size_t needed, size_t size) {
  void *block;
  memcpy(&block, member, sizeof block);
  brinkStatus status = brinkReserve(context, &block, capacity, needed, size);
  memcpy(member, &block, sizeof block);
  return status;
}

/* Every shape becomes one collider, or one for each of its parts; the collider's user data is its thing. */
static brinkStatus addShape(brinkRobotView *view, const brinkWorldShape *shape, const brinkRigid *local, int32_t link,
                            const RobotThing *thing) {
  brinkContext *context = &view->context;
  const brinkWorld *world = view->robot->world;
  uint64_t key = view->thingCount; /* parts of one shape share it */
  for (uint32_t i = 0; i < brinkWorldShape_PartCount(shape); ++i) {
    const brinkShapePart part = brinkWorldShape_Part(world, shape, i);
    brinkStatus status =
        reserve(context, &view->things, &view->thingCapacity, view->thingCount + 1, sizeof *view->things);
    if (status != brink_ok) return status;
    const brinkSceneCollider def = {
        .collider = {part.shape, shape->parts != NULL ? brinkCompose(local, &part.place) : *local, link},
        .key = key,
        .category = 1,
        .collide = 1,
        .userData = view->thingCount};
    uint32_t index;
    status = brinkScene_AddCollider(view->scene, &def, &index);
    if (status != brink_ok) return status;
    BRINK_ASSERT(index == view->thingCount); /* a new scene counts up */
    view->things[view->thingCount++] = *thing;
    if (thing->link == BRINK_NONE) continue;
    status = reserve(context, &view->wanted, &view->wantedCapacity, view->wantedCount + 1, sizeof *view->wanted);
    if (status != brink_ok) return status;
    view->wanted[view->wantedCount++] = index;
    const brinkObb *box = &part.shape->obb;
    if (link >= 0) {
      double far = brinkLength(brinkApply(&def.collider.local, box->center)) + brinkLength(box->half);
      view->reach[link] = fmax(view->reach[link], far * (1.0 + 1e-12));
    }
  }
  return brink_ok;
}

static brinkStatus addRobot(brinkRobotView *view) {
  const brinkRobot *robot = view->robot;
  for (size_t i = 0; i < robot->partCount; ++i) {
    const RobotPart *part = &robot->parts[i];
    const RobotLink *link = &robot->links[part->link];
    const RobotThing thing = {part->link, part->object, 0, robot->category, robot->collide};
    const brinkRigid local = brinkCompose(&link->place, &part->place);
    brinkStatus status = addShape(view, brinkWorld_Shape(robot->world, part->shape), &local, link->motion, &thing);
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

static brinkStatus addObstacles(brinkRobotView *view) {
  brinkWorld *world = view->robot->world;
  brinkStatus status = brinkWorld_Synchronise(world);
  for (uint32_t i = 0; status == brink_ok && i < world->colliders.count; ++i) {
    const brinkWorldCollider *collider = brinkWorld_Collider(world, i);
    if (!collider->slot.live) continue;
    brinkRigid place;
    status = brinkWorld_PlaceAt(world, collider, 0.0, &place);
    const RobotThing thing = {BRINK_NONE, BRINK_NONE, brinkWorld_Handle(world, &world->colliders, i),
                              collider->category, collider->collide};
    if (status == brink_ok) status = addShape(view, brinkWorld_Shape(world, collider->shape), &place, -1, &thing);
  }
  return status;
}

static brinkStatus reserveMotions(brinkRobotView *view) {
  brinkContext *context = &view->context;
  const brinkRobot *robot = view->robot;
  size_t count = BRINK_MAX(robot->motionCount, 1u);
  brinkStatus status = reserve(context, &view->links, &view->linkCapacity, count, sizeof *view->links);
  if (status == brink_ok)
    status = reserve(context, &view->padding, &view->paddingCapacity, count, sizeof *view->padding);
  if (status == brink_ok) status = reserve(context, &view->margin, &view->marginCapacity, count, sizeof *view->margin);
  if (status == brink_ok) status = reserve(context, &view->reach, &view->reachCapacity, count, sizeof *view->reach);
  if (status == brink_ok)
    status = reserve(context, &view->values, &view->valueCapacity, 6 * BRINK_MAX(robot->valueCount, 1u),
                     sizeof *view->values);
  return status;
}

static brinkStatus build(brinkRobotView *view) {
  const brinkRobot *robot = view->robot;
  brinkStatus status = reserveMotions(view);
  if (status != brink_ok) return brinkFail(&view->context, status, "view: no memory");
  brinkScene_Destroy(view->scene);
  view->scene = NULL;
  view->thingCount = view->wantedCount = 0;
  view->padded = false;
  for (size_t m = 0; m < robot->motionCount; ++m) {
    view->padding[m] = robot->links[robot->carried[m]].padding;
    view->padded = view->padded || view->padding[m] > 0.0;
    view->reach[m] = 0.0;
  }
  status = brinkScene_Create(&view->context, &view->scene);
  if (status == brink_ok) status = addRobot(view);
  if (status == brink_ok) status = addObstacles(view);
  if (status == brink_ok) status = brinkRobotView_PrepareCulling(view);
  if (status != brink_ok) return brinkFail(&view->context, status, "view: %s", brinkStatusText(status));
  view->worldRevision = robot->world->revision;
  view->robotRevision = robot->revision;
  view->ready = true;
  return brink_ok;
}

/* Views may find the world changed at the same time: one of them reads it at a time. */
brinkStatus brinkRobotView_Refresh(brinkRobotView *view) {
  const brinkRobot *robot = view->robot;
  if (view->ready && view->worldRevision == robot->world->revision && view->robotRevision == robot->revision)
    return brink_ok;
  if (robot->world->busy && !robot->inBatch)
    return brinkFail(&view->context, brink_errorBusy,
                     "view: called from inside a callback of the world, which has changed: return first, then ask");
  view->ready = false;
  if (pthread_mutex_lock(&robot->world->robots->lock) != 0)
    return brinkFail(&view->context, brink_errorInternal, "view: the world cannot be locked");
  brinkStatus status = build(view);
  pthread_mutex_unlock(&robot->world->robots->lock);
  return status;
}

/* ---- which pairs */

static bool objectMayTouch(const brinkRobot *robot, uint32_t object, uint32_t link) {
  const RobotObject *held = &robot->objects[object];
  if (robot->links[held->link].group == robot->links[link].group) return true;
  for (size_t i = 0; i < held->touchingCount; ++i)
    if (held->touching[i] == link) return true;
  return false;
}

bool brinkRobot_PairCounts(const brinkRobot *robot, const RobotThing *a, const RobotThing *b) {
  if (a->object != BRINK_NONE && b->object != BRINK_NONE)
    return robot->links[a->link].group != robot->links[b->link].group;
  if (a->object != BRINK_NONE) return !objectMayTouch(robot, a->object, b->link);
  if (b->object != BRINK_NONE) return !objectMayTouch(robot, b->object, a->link);
  return brinkRobot_MayMeet(robot, a->link, b->link);
}

static bool pairCounts(void *user, const brinkSceneCollider *colliderA, const brinkSceneCollider *colliderB) {
  const brinkRobotView *view = user;
  const brinkRobot *robot = view->robot;
  const RobotThing *a = &view->things[colliderA->userData], *b = &view->things[colliderB->userData];
  if (a->link != BRINK_NONE && b->link != BRINK_NONE) return !view->noSelf && brinkRobot_PairCounts(robot, a, b);
  const RobotThing *own = a->link != BRINK_NONE ? a : b, *obstacle = a->link != BRINK_NONE ? b : a;
  if (own->link == BRINK_NONE) return false;
  if ((own->category & obstacle->collide) == 0u && (obstacle->category & own->collide) == 0u) return false;
  /* the padded root rests on a link of its own; what no edge can move is never asked about */
  if (robot->links[own->link].group == robot->links[robot->root].group) return false;
  return robot->obstacleCount == 0 ||
         brinkRobot_FindAllowedObstacle(robot, own->link, obstacle->obstacle) == BRINK_NONE;
}

brinkSceneQuery brinkRobotView_SceneQuery(brinkRobotView *view, const brinkMotionTree *tree) {
  return (brinkSceneQuery){.tree = tree,
                           .tEnd = 1.0,
                           .taylorOrder = view->robot->world->taylorOrder,
                           .onlyLink = -2,
                           .filter = pairCounts,
                           .filterUser = view,
                           .allowAdjacent = true};
}
