/* SPDX-License-Identifier: BSD-3-Clause */
/* Which body moves in whose frame, and how? A forest over explicit parents and joints, and the motion of each link; how
 * far joints outside the forest may open.
 *
 * A body is FIXED to its place in the forest when it has an explicit parent or child, is said to move alone, or does
 * not go from pose to pose (all other motions are stated in a frame that a joint must not change). Everything fixed
 * counts as one component; joints, lowest first, join components (Kruskal), so a joint never hangs a fixed body on
 * another; the tree then grows breadth first, from the fixed bodies and then from the lowest body of every other
 * component. A joint left over closes a loop: it is cut and counted. Iterative throughout: a chain may have any length.
 *
 * Based on: in-between motion [CATCH] Sec. 3.2, theory D1.1 (a linearly moving point that is not the frame's origin:
 * here the link frame is moved there instead), D1.2 (turn counts). Units: m, rad, per step. */
#include "path.h"
#include "world.h"

/* ---- union-find over bodies, [count] = everything fixed */

static uint32_t findRoot(uint32_t *parent, uint32_t item) {
  while (parent[item] != item) {
    parent[item] = parent[parent[item]];
    item = parent[item];
  }
  return item;
}

/* false: they were one already */
static bool unite(uint32_t *parent, uint32_t a, uint32_t b) {
  uint32_t rootA = findRoot(parent, a), rootB = findRoot(parent, b);
  if (rootA == rootB) return false;
  parent[BRINK_MAX(rootA, rootB)] = BRINK_MIN(rootA, rootB);
  return true;
}

static bool isFixed(const brinkWorldBody *body) {
  return body->parent != BRINK_NONE || body->firstChild != BRINK_NONE || body->kind != brink_motionPoses || body->alone;
}

/* ---- topology */

static brinkStatus reserveTopology(brinkWorld *world) {
  brinkContext *context = &world->context;
  void *block = world->linkBody;
  brinkStatus status =
      brinkReserve(context, &block, &world->linkBodyCapacity, world->bodies.liveCount, sizeof *world->linkBody);
  world->linkBody = block;
  if (status != brink_ok) return status;
  block = world->unionParent;
  status =
      brinkReserve(context, &block, &world->unionCapacity, (size_t)world->bodies.count + 1, sizeof *world->unionParent);
  world->unionParent = block;
  return status;
}

/* Does the joint run along an explicit edge? */
static bool joinsExplicitEdge(const brinkWorld *world, const brinkWorldJoint *joint) {
  return brinkWorld_Body(world, joint->body[0])->parent == joint->body[1] ||
         brinkWorld_Body(world, joint->body[1])->parent == joint->body[0];
}

/* An explicit edge takes the anchor of its lowest joint: does a lower one than `index` run along it? */
static bool hasLowerParallel(const brinkWorld *world, uint32_t index) {
  const brinkWorldJoint *joint = brinkWorld_Joint(world, index);
  for (uint32_t end = brinkWorld_Body(world, joint->body[0])->firstJoint; end != BRINK_NONE;) {
    const brinkWorldJoint *other = brinkWorld_Joint(world, end / 2);
    if (end / 2 < index && other->body[1 - end % 2] == joint->body[1]) return true;
    end = other->nextEnd[end % 2];
  }
  return false;
}

static void chooseTreeJoints(brinkWorld *world) {
  uint32_t *parent = world->unionParent;
  uint32_t fixed = world->bodies.count;
  for (uint32_t i = 0; i <= fixed; ++i) parent[i] = i;
  for (uint32_t i = 0; i < fixed; ++i) {
    const brinkWorldBody *body = brinkWorld_Body(world, i);
    if (body->slot.live && isFixed(body)) unite(parent, i, fixed);
  }
  world->cutJoints = 0;
  for (uint32_t i = 0; i < world->joints.count; ++i) {
    brinkWorldJoint *joint = brinkWorld_Joint(world, i);
    joint->inTree = joint->cut = false;
    if (!joint->slot.live || joint->body[0] == BRINK_NONE || joint->body[1] == BRINK_NONE) continue;
    if (joinsExplicitEdge(world, joint)) {
      joint->inTree = !hasLowerParallel(world, i);
    } else {
      joint->inTree = unite(parent, joint->body[0], joint->body[1]);
      // Between two bodies at rest nothing is lost by the cut.
      if (!joint->inTree && brinkWorld_Body(world, joint->body[0])->kind == brink_motionRest &&
          brinkWorld_Body(world, joint->body[1])->kind == brink_motionRest)
        continue;
      // Bodies that move alone were asked to leave their joints.
      if (!joint->inTree &&
          (brinkWorld_Body(world, joint->body[0])->alone || brinkWorld_Body(world, joint->body[1])->alone))
        continue;
    }
    joint->cut = !joint->inTree;
    if (joint->cut) ++world->cutJoints;
  }
}

/* Puts a body at the end of the order. Colliders that ride on it must follow when its link frame changes. */
static void appendLink(brinkWorld *world, uint32_t index, uint32_t treeParent, brinkVec3 anchor) {
  brinkWorldBody *body = brinkWorld_Body(world, index);
  bool changed = body->link != (int32_t)world->linkCount || memcmp(&body->anchor, &anchor, sizeof anchor) != 0;
  body->link = (int32_t)world->linkCount;
  body->treeParent = treeParent;
  body->anchor = anchor;
  body->hasTreeChild = false;
  if (treeParent != BRINK_NONE) brinkWorld_Body(world, treeParent)->hasTreeChild = world->anyHangs = true;
  world->linkBody[world->linkCount++] = index;
  if (!changed) return;
  for (uint32_t c = body->firstCollider; c != BRINK_NONE; c = brinkWorld_Collider(world, c)->next) {
    brinkWorld_Collider(world, c)->moved = true;
    world->collidersDirty = true;
  }
}

/* The anchor, on the child's side, of the tree joint along an explicit edge; the origin when there is none. */
static brinkVec3 explicitAnchor(const brinkWorld *world, uint32_t child) {
  const brinkWorldBody *body = brinkWorld_Body(world, child);
  if (body->kind != brink_motionPoses) return brinkV3(0, 0, 0);
  for (uint32_t end = body->firstJoint; end != BRINK_NONE;) {
    const brinkWorldJoint *joint = brinkWorld_Joint(world, end / 2);
    if (joint->inTree && joint->body[1 - end % 2] == body->parent) return joint->anchor[end % 2];
    end = joint->nextEnd[end % 2];
  }
  return brinkV3(0, 0, 0);
}

/* Everything below `root`, breadth first. unionParent is free by now: BRINK_NONE marks a body that has its link. */
static void growTree(brinkWorld *world, uint32_t root) {
  uint32_t *pending = world->unionParent;
  uint32_t next = world->linkCount;
  appendLink(world, root, BRINK_NONE, brinkV3(0, 0, 0));
  pending[root] = BRINK_NONE;
  for (; next < world->linkCount; ++next) {
    uint32_t index = world->linkBody[next];
    const brinkWorldBody *body = brinkWorld_Body(world, index);
    for (uint32_t child = body->firstChild; child != BRINK_NONE; child = brinkWorld_Body(world, child)->nextSibling) {
      appendLink(world, child, index, explicitAnchor(world, child));
      pending[child] = BRINK_NONE;
    }
    for (uint32_t end = body->firstJoint; end != BRINK_NONE;) {
      const brinkWorldJoint *joint = brinkWorld_Joint(world, end / 2);
      uint32_t side = end % 2, other = joint->body[1 - side];
      end = joint->nextEnd[side];
      if (!joint->inTree || pending[other] == BRINK_NONE || isFixed(brinkWorld_Body(world, other))) continue;
      appendLink(world, other, index, joint->anchor[1 - side]);
      pending[other] = BRINK_NONE;
    }
  }
}

brinkStatus brinkWorld_BuildForest(brinkWorld *world) {
  brinkStatus status = reserveTopology(world);
  if (status != brink_ok) return status;
  chooseTreeJoints(world);
  world->linkCount = 0;
  world->anyHangs = false;
  for (uint32_t i = 0; i < world->bodies.count; ++i) world->unionParent[i] = i;
  for (uint32_t i = 0; i < world->bodies.count; ++i) {
    const brinkWorldBody *body = brinkWorld_Body(world, i);
    if (body->slot.live && isFixed(body) && body->parent == BRINK_NONE) growTree(world, i);
  }
  for (uint32_t i = 0; i < world->bodies.count; ++i)
    if (brinkWorld_Body(world, i)->slot.live && world->unionParent[i] != BRINK_NONE) growTree(world, i);
  BRINK_ASSERT(world->linkCount == world->bodies.liveCount);
  if (world->cutJoints > 0 && !world->cutJointsLogged)
    brinkLog(&world->context, brink_logWarning,
             "%llu joints close loops and are left out of the tree of motions: they may open a little between t = 0 "
             "and 1 (said once)",
             (unsigned long long)world->cutJoints);
  world->cutJointsLogged = world->cutJointsLogged || world->cutJoints > 0;
  return brink_ok;
}

/* A body that went from pose to pose in its parent's frame moves on its own from now on: it becomes a root where it
 * stands in the order, what hangs on it still does. The next forest is built when it hangs on a joint again. */
brinkStatus brinkWorld_LeaveTree(brinkWorld *world, uint32_t index) {
  brinkWorldBody *body = brinkWorld_Body(world, index);
  body->treeParent = BRINK_NONE;
  body->anchor = brinkV3(0, 0, 0);
  for (uint32_t c = body->firstCollider; c != BRINK_NONE; c = brinkWorld_Collider(world, c)->next) {
    brinkWorldCollider *collider = brinkWorld_Collider(world, c);
    for (uint32_t part = 0; part < collider->partCount; ++part) {
      const brinkCollider side = brinkWorld_ColliderPart(world, collider, part);
      brinkStatus status = brinkScene_MoveFrame(world->scene, *brinkWorldCollider_Scene(collider, part), &side.local);
      if (status != brink_ok) return status;
    }
  }
  return brink_ok;
}

/* ---- motions */

static brinkStatus reserveMotions(brinkWorld *world) {
  brinkContext *context = &world->context;
  const size_t count = world->linkCount;
  void *links = world->links, *start = world->linkStart, *omega = world->linkOmega;
  brinkStatus status = brinkReserve(context, &links, &world->linksCapacity, count, sizeof *world->links);
  if (status == brink_ok)
    status = brinkReserve(context, &start, &world->startCapacity, count, sizeof *world->linkStart);
  if (status == brink_ok)
    status = brinkReserve(context, &omega, &world->omegaCapacity, count, sizeof *world->linkOmega);
  world->links = links;
  world->linkStart = start;
  world->linkOmega = omega;
  return status;
}

static brinkVec3 rotate(brinkQuat q, brinkVec3 v) {
  brinkMat3 r = brinkMat3_FromQuat(q);
  return brinkMulMV(&r, v);
}

static brinkPose composePoses(brinkPose a, brinkPose b) {
  brinkPose c = {brinkAdd(a.position, rotate(a.rotation, b.position)), brinkMulQQ(a.rotation, b.rotation)};
  brinkNormalizeQuat(&c.rotation);
  return c;
}

/* inverse(a) b; turn: a's rotation */
static brinkPose relativePose(const brinkPose *a, const brinkMat3 *turn, const brinkPose *b) {
  brinkPose c = {brinkTMulMV(turn, brinkSub(b->position, a->position)),
                 brinkMulQQ(brinkConjugate(a->rotation), b->rotation)};
  brinkNormalizeQuat(&c.rotation);
  return c;
}

static bool isZero(brinkVec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* World pose of a body -> world pose of its link frame. */
static brinkPose toLinkFrame(brinkPose body, brinkVec3 anchor) {
  if (isZero(anchor)) return body;
  return (brinkPose){brinkAdd(body.position, rotate(body.rotation, anchor)), body.rotation};
}

/* The start of a motion not given from pose to pose: in the frame of the explicit parent's BODY, or the world. */
static brinkPose givenStart(const brinkWorld *world, const brinkWorldBody *body, int32_t parent) {
  brinkPose pose = body->pose0;
  if (parent >= 0) pose.position = brinkSub(pose.position, brinkWorld_Body(world, body->treeParent)->anchor);
  return pose;
}

/* All but poses. */
static void buildGivenMotion(brinkWorld *world, uint32_t index, const brinkWorldBody *body, int32_t parent) {
  brinkPose pose = givenStart(world, body, parent);
  brinkVec3 origin = parent >= 0 ? brinkWorld_Body(world, body->treeParent)->anchor : brinkV3(0, 0, 0);
  brinkLinkMotion *link = &world->links[index];
  if (body->path != NULL) {
    *link = brinkMakeLinkMotionPath(parent, brinkWorldPath_Path(body->path, brinkNeg(origin)));
    pose = brinkPose_FromRigid(&(brinkRigid){link->r0, link->t0});
  } else {  // at rest both are zero
    brinkLinkMotion_SetVelocities(link, parent, &pose, body->velocity, body->spin);
  }
  if (!body->hasTreeChild) return;  // nobody asks where it starts
  world->linkStart[index] = parent < 0 ? pose : composePoses(world->linkStart[parent], pose);
}

/* World pose of a link at t = 1. Found only for what hangs from pose to pose on links that move otherwise. */
static brinkPose linkEnd(const brinkWorld *world, int32_t index) {
  brinkPose end = {{0, 0, 0}, {1, 0, 0, 0}};
  for (bool first = true; index >= 0; first = false) {
    const brinkWorldBody *body = brinkWorld_Body(world, world->linkBody[index]);
    if (body->kind == brink_motionPoses) {
      brinkPose own = toLinkFrame(body->pose1, body->anchor);
      return first ? own : composePoses(own, end);
    }
    const brinkLinkMotion *link = &world->links[index];
    brinkPose own = givenStart(world, body, link->parent);
    if (body->kind != brink_motionRest) {
      brinkRigid at1 = brinkLinkMotion_At(link, 1.0);
      own = brinkPose_FromRigid(&at1);
    }
    end = first ? own : composePoses(own, end);
    index = link->parent;
  }
  return end;
}

static void buildPoseMotion(brinkWorld *world, uint32_t index, const brinkWorldBody *body, int32_t parent) {
  if (parent < 0 && !body->hasTreeChild && isZero(body->anchor)) {  // alone: most bodies are
    brinkLinkMotion_SetPoses(&world->links[index], parent, &body->pose0, &body->pose1,
                             body->hasSpin ? &body->spin : NULL);
    return;
  }
  brinkPose start = toLinkFrame(body->pose0, body->anchor), end = toLinkFrame(body->pose1, body->anchor);
  world->linkStart[index] = start;
  brinkVec3 hint = body->spin;
  if (parent >= 0) {
    const brinkPose *parentStart = &world->linkStart[parent], parentEnd = linkEnd(world, parent);
    const brinkMat3 turn = brinkMat3_FromQuat(parentStart->rotation), endTurn = brinkMat3_FromQuat(parentEnd.rotation);
    const brinkWorldBody *parentBody = brinkWorld_Body(world, body->treeParent);
    bool parentSpinGiven = parentBody->kind == brink_motionPoses && parentBody->hasSpin;
    brinkVec3 parentSpin = parentSpinGiven ? parentBody->spin : world->linkOmega[parent];
    hint = brinkTMulMV(&turn, brinkSub(body->spin, parentSpin));
    start = relativePose(parentStart, &turn, &start);
    end = relativePose(&parentEnd, &endTurn, &end);
  }
  brinkLinkMotion_SetPoses(&world->links[index], parent, &start, &end, body->hasSpin ? &hint : NULL);
}

static void buildMotion(brinkWorld *world, uint32_t link) {
  const brinkWorldBody *body = brinkWorld_Body(world, world->linkBody[link]);
  int32_t parent = body->treeParent == BRINK_NONE ? -1 : brinkWorld_Body(world, body->treeParent)->link;
  if (body->kind == brink_motionPoses) {
    buildPoseMotion(world, link, body, parent);
  } else {
    buildGivenMotion(world, link, body, parent);
  }
  if (!body->hasTreeChild) return;
  brinkVec3 omega = world->links[link].w;
  if (parent >= 0) omega = brinkAdd(world->linkOmega[parent], rotate(world->linkStart[parent].rotation, omega));
  world->linkOmega[link] = omega;
}

void brinkWorld_ForgetChanges(brinkWorld *world) {
  for (size_t i = 0; i < world->changedCount; ++i) brinkWorld_Body(world, world->changed[i])->changed = false;
  world->changedCount = 0;
  world->allMotionsDirty = true;
}

brinkStatus brinkWorld_BuildMotions(brinkWorld *world) {
  brinkStatus status = reserveMotions(world);
  if (status != brink_ok) return status;
  brinkScene_EndQuestion(world->scene);
  brinkScene_MarkAllMoved(world->scene);
  for (uint32_t i = 0; i < world->linkCount; ++i) buildMotion(world, i);
  brinkMotionTree_MarkPaths(world->links, (int32_t)world->linkCount);
  brinkWorld_ForgetChanges(world);
  world->allMotionsDirty = false;
  return brink_ok;
}

/* Bodies below a changed one move with it. */
static void addCarried(brinkWorld *world, uint32_t index) {
  if (brinkWorld_Body(world, index)->changed) return;
  brinkWorld_Body(world, index)->changed = true;
  world->changed[world->changedCount++] = index;  // there is room for every body
}

static void listCarried(brinkWorld *world) {
  for (size_t i = 0; i < world->changedCount; ++i) {
    const uint32_t index = world->changed[i];
    const brinkWorldBody *body = brinkWorld_Body(world, index);
    if (!body->hasTreeChild) continue;
    for (uint32_t child = body->firstChild; child != BRINK_NONE; child = brinkWorld_Body(world, child)->nextSibling)
      addCarried(world, child);
    for (uint32_t end = body->firstJoint; end != BRINK_NONE;) {
      const brinkWorldJoint *joint = brinkWorld_Joint(world, end / 2);
      const uint32_t other = joint->body[1 - end % 2];
      end = joint->nextEnd[end % 2];
      if (joint->inTree && brinkWorld_Body(world, other)->treeParent == index) addCarried(world, other);
    }
  }
}

#define MANY_LINKS 16u /* one of so many is changed: going over all costs less than sorting */

static void siftChanged(const brinkWorld *world, size_t at, size_t count) {
  uint32_t *heap = world->changed, moved = heap[at];
  const int32_t link = brinkWorld_Body(world, moved)->link;
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && brinkWorld_Body(world, heap[child + 1])->link > brinkWorld_Body(world, heap[child])->link)
      ++child;
    if (brinkWorld_Body(world, heap[child])->link <= link) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

/* Parents before children: as the links stand. */
static void sortChanged(const brinkWorld *world) {
  const size_t count = world->changedCount;
  if (count >= world->linkCount / MANY_LINKS) {
    uint32_t *next = world->changed;
    for (uint32_t link = 0; link < world->linkCount; ++link)
      if (brinkWorld_Body(world, world->linkBody[link])->changed) *next++ = world->linkBody[link];
    return;
  }
  for (size_t i = count / 2; i-- > 0;) siftChanged(world, i, count);
  for (size_t last = count; last > 1;) {
    uint32_t largest = world->changed[0];
    world->changed[0] = world->changed[--last];
    world->changed[last] = largest;
    siftChanged(world, 0, last);
  }
}

#define MOTION_TASKS 16u
#define MANY_MOTIONS 64u /* fewer are not worth waking threads for */

static void buildSome(void *user, uint32_t task) {
  brinkWorld *world = user;
  brinkFloatState saved;
  brinkFloat_Enter(&saved);
  const size_t count = world->changedCount; /* neighbours share memory */
  for (size_t i = task * count / MOTION_TASKS; i < (task + 1u) * count / MOTION_TASKS; ++i)
    buildMotion(world, (uint32_t)brinkWorld_Body(world, world->changed[i])->link);
  brinkFloat_Leave(&saved);
}

/* Motions of the changed bodies, none of which hangs on another one: each is made by itself. */
static void buildChanged(brinkWorld *world) {
  const brinkQuery *lends = world->changedCount >= MANY_MOTIONS ? world->lends : NULL;
  if (lends == NULL) {
    for (size_t i = 0; i < world->changedCount; ++i)
      buildMotion(world, (uint32_t)brinkWorld_Body(world, world->changed[i])->link);
    return;
  }
  brinkFloatState mine;
  brinkFloat_Leave(world->hostFloat);
  lends->run(lends->runUser, MOTION_TASKS, buildSome, world);
  brinkFloat_Enter(&mine);
}

/* Only the changed bodies and what they carry; the motions then are what the whole pass would make them. */
brinkStatus brinkWorld_UpdateMotions(brinkWorld *world) {
  if (world->allMotionsDirty) return brinkWorld_BuildMotions(world);
  bool hung = false;
  for (size_t i = 0; world->anyHangs && !hung && i < world->changedCount; ++i) {
    const brinkWorldBody *body = brinkWorld_Body(world, world->changed[i]);
    hung = body->treeParent != BRINK_NONE || body->hasTreeChild;
  }
  if (hung) {
    listCarried(world);
    sortChanged(world);
  } else {
    buildChanged(world);
  }
  for (size_t i = 0; i < world->changedCount; ++i) {
    brinkWorldBody *body = brinkWorld_Body(world, world->changed[i]);
    body->changed = false;
    if (hung) buildMotion(world, (uint32_t)body->link);
    brinkLinkMotion *link = &world->links[body->link];
    link->paths = link->path != NULL || (link->parent >= 0 && world->links[link->parent].paths);
    for (uint32_t c = body->firstCollider; c != BRINK_NONE; c = brinkWorld_Collider(world, c)->next) {
      brinkWorldCollider *collider = brinkWorld_Collider(world, c);
      for (uint32_t part = 0; part < collider->partCount; ++part)
        brinkScene_MarkMoved(world->scene, *brinkWorldCollider_Scene(collider, part));
    }
  }
  world->changedCount = 0;
  return brink_ok;
}

/* ---- how far a joint opens */

#define RESIDUAL_PARTS 64

typedef struct Anchor { /* one side of a joint in the common ancestor's frame, over a part of the step */
  brinkVec3 start, end;
  double speed, accel, error;
} Anchor;

static Anchor anchorOver(const brinkMotionTree *tree, int32_t link, int32_t ancestor, brinkVec3 point, double t0,
                         double t1) {
  brinkLinkRate rate;
  brinkMotionTree_Rate(tree, link, ancestor, t0, t1, &rate);
  brinkRigid end = brinkMotionTree_Pose(tree, link, ancestor, t1);
  double arm = brinkLength(point), size = brinkLength(rate.pose.p) + brinkLength(end.p) + arm;
  return (Anchor){brinkApply(&rate.pose, point), brinkApply(&end, point), rate.speedBase + rate.speedSlope * arm,
                  rate.accelBase + rate.accelSlope * arm,
                  rate.poseError + rate.poseErrorSlope * arm + 16.0 * DBL_EPSILON * size};
}

/* d(t) = distance of the anchors: over a part of length h it exceeds the larger end by at most max|d''| h^2/8 (the
 * chord of the difference vector), and by at most max|d'| h/2. */
static double residualOf(const brinkWorld *world, const brinkWorldJoint *joint) {
  const brinkMotionTree tree = {world->links, (int32_t)world->linkCount};
  int32_t link[2] = {-1, -1};
  brinkVec3 point[2] = {joint->anchor[0], joint->anchor[1]};
  for (int side = 0; side < 2; ++side) {
    if (joint->body[side] == BRINK_NONE) continue;
    const brinkWorldBody *body = brinkWorld_Body(world, joint->body[side]);
    link[side] = body->link;
    point[side] = brinkSub(point[side], body->anchor);
  }
  int32_t ancestor = brinkMotionTree_CommonAncestor(&tree, link[0], link[1]);
  double worst = 0.0;
  for (int k = 0; k < RESIDUAL_PARTS; ++k) {
    double t0 = (double)k / RESIDUAL_PARTS, t1 = (double)(k + 1) / RESIDUAL_PARTS, h = t1 - t0;
    Anchor a = anchorOver(&tree, link[0], ancestor, point[0], t0, t1);
    Anchor b = anchorOver(&tree, link[1], ancestor, point[1], t0, t1);
    double ends = fmax(brinkDistance(a.start, b.start), brinkDistance(a.end, b.end));
    double between = fmin((a.accel + b.accel) * h * h / 8.0, (a.speed + b.speed) * h / 2.0);
    worst = fmax(worst, (ends + between + a.error + b.error) * (1.0 + 32.0 * DBL_EPSILON));
  }
  return worst;
}

static brinkStatus refuseFailedPaths(brinkWorld *world) {
  if (!world->pathFailed) return brink_ok;
  world->pathFailed = false;
  return brinkFail(&world->context, brink_errorBadValue, "a host's motion (poseAt) gave a pose that is not finite");
}

static brinkStatus jointResidual(brinkWorld *world, brinkJointId handle, double *bound) {
  if (bound == NULL) return brinkRefuseNull(&world->context, "bound");
  void *item;
  brinkStatus status = brinkWorld_Get(world, &world->joints, handle, "joint", &item);
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  double worst = residualOf(world, item);
  status = refuseFailedPaths(world);
  if (status == brink_ok) *bound = worst;
  return status;
}

/* ---- loops: a cut joint's residual counts for the links between its two ends, and for all that they carry */

/* Adds the joint's residual to margin[]; mark is scratch of the same length. */
static void addLoop(const brinkWorld *world, const brinkWorldJoint *joint, double *margin, uint8_t *mark) {
  double residual = residualOf(world, joint);
  int32_t end[2];
  for (int side = 0; side < 2; ++side)
    end[side] = joint->body[side] == BRINK_NONE ? -1 : brinkWorld_Body(world, joint->body[side])->link;
  const brinkMotionTree tree = {world->links, (int32_t)world->linkCount};
  int32_t ancestor = brinkMotionTree_CommonAncestor(&tree, end[0], end[1]);
  memset(mark, 0, world->linkCount);
  for (int side = 0; side < 2; ++side)
    for (int32_t link = end[side]; link >= 0 && link != ancestor; link = world->links[link].parent) mark[link] = 1;
  for (uint32_t i = 0; i < world->linkCount; ++i) { /* parents come first */
    int32_t parent = world->links[i].parent;
    if (parent >= 0 && mark[parent]) mark[i] = 1;
    if (mark[i]) margin[i] = (margin[i] + residual) * (1.0 + 2.0 * DBL_EPSILON);
  }
}

brinkStatus brinkWorld_MeasureLoops(brinkWorld *world) {
  void *block = world->linkMargin;
  /* the marks stand behind the margins */
  size_t needed = world->linkCount + (world->linkCount + sizeof(double) - 1) / sizeof(double);
  brinkStatus status =
      brinkReserve(&world->context, &block, &world->linkMarginCapacity, needed, sizeof *world->linkMargin);
  world->linkMargin = block;
  if (status != brink_ok) return status;
  for (uint32_t i = 0; i < world->linkCount; ++i) world->linkMargin[i] = 0.0;
  for (uint32_t i = 0; i < world->joints.count; ++i) {
    const brinkWorldJoint *joint = brinkWorld_Joint(world, i);
    if (!joint->slot.live || !joint->cut) continue;
    addLoop(world, joint, world->linkMargin, (uint8_t *)(world->linkMargin + world->linkCount));
  }
  return refuseFailedPaths(world);
}

brinkStatus brinkWorld_JointResidual(brinkWorld *world, brinkJointId joint, double *bound) {
  BRINK_GUARDED(world, jointResidual(world, joint, bound));
}
