/* SPDX-License-Identifier: BSD-3-Clause */
/* Which colliders of a scene meet first, and when? The stages in order: Taylor models of all links, swept boxes, static
 * and dynamic box trees, filters, hull lower bounds, pairs in order of their bounds with one best toi shared by all,
 * advancement, the window around the first contact, the report.
 *
 * Based on: [CATCH] Zhang, Redon, Lee, Kim 2007, Sec. 4 (overview), 5 (spatial culling), 7 (temporal culling),
 * Algorithm 1. Units: m, step time. Order of everything reported: (toi, key of A, key of B); nothing depends on
 * addresses. */
#include "first_contact.h"

#include "brink/cook.h"
#include "inner_core.h"
#include "interval.h"
#include "rest_overlap.h"
#include "simd.h"
#include "swept_axis.h"
#include "swept_bounds.h"
#include "taylor.h"

/* Values of brinkQueryMode, brinkScheme and brinkWatch in brink/ccd.h, which algorithms may not include. */
enum { MODE_FIRST = 0, MODE_PAIRS = 1, MODE_BOOLEAN = 2 };
enum { SCHEME_PAPER = 1, SCHEME_SWEPT_AXIS = 2 }; /* 0, the default: swept axes where they serve, else the paper's */
enum { WATCH_CONTACT = 0, WATCH_DEPTH = 1 };

#define DEFAULT_TOLERANCE 1e-6 /* of the smaller shape's size */
#define DEFAULT_ALLOWANCE 0.05 /* of the smallest extent */
#define ALL_LINKS (-2)
/* In depth-watching queries the tolerance stays this far below the allowance, so that a band is wider than its edges.
 */
#define ALLOWANCE_PARTS 64.0
/* Of the depth that a pair may sink in one go: by so much it may in an interval; so far is the core still off at the
 * limit; a pair sunk so far is watched at the core for its limit. */
#define SINK_STEP 0.75
#define CORE_LEFT 0.5
#define SUNK 0.25
/* Chords of paths bound a collider's path well enough up to this slack, of its size, in at most so many parts of the
 * time. */
#define CHORD_SLACK 0.1
#define CHORD_PARTS 8
/* Up to this many pairs of boxes are compared one by one. */
#define FEW_PAIRS 2000.0
/* Up to so many moving colliders their pairs are found by sorting their boxes, eight compared at once, not by a tree.
 */
#define SORTED_BOXES 4096u
#define NEVER 2.0 /* toi of a free query */

#define NOT_ACTIVE UINT32_MAX

typedef struct Slot {
  brinkSceneCollider collider;
  bool alive;
  int32_t staticProxy, movingProxy; /* -1 = not in that tree */
  brinkAabb box;                    /* of the current query; moving colliders and static ones alike */
  double margin;                    /* m: how near another collider may come before the pair matters */
  bool resting;                     /* its link rests in the world during the query */
  bool wanted;                      /* of brinkScene_PairsOf */
  bool isListed;                    /* in scene->moved */
  uint32_t activeAt;                /* place in scene->active, or NOT_ACTIVE */
  bool restKnown;                   /* box and place in the tree are right while its link rests at this pose */
  brinkVec3 restPosition;
  brinkMat3 restRotation;
  int32_t restLink;
} Slot;

typedef struct Candidate {
  uint64_t keyA, keyB;
  uint32_t a, b;
} Candidate;

typedef struct LeftOutPair {
  uint64_t pair;  /* as in `ignored` */
  uint64_t *keys; /* of the smaller index first; owned */
  size_t count;
} LeftOutPair;

typedef struct ListedBox {
  brinkAabb box;
  uint32_t slot;
} ListedBox;

/* Boxes of the moving colliders by ascending lower x, in single precision, outward: [count] each, eight more at the
 * end. */
typedef struct SortedBoxes {
  uint64_t *keys; /* order of the lower x, then the slot */
  float *bounds;  /* [6][capacity]: lower x y z, upper x y z */
  size_t keyCapacity, boundCapacity, count;
} SortedBoxes;

struct brinkScene {
  brinkContext *context;
  Slot *slots;
  uint32_t *freeSlots;
  uint64_t *ignored;    /* sorted; smaller index << 32 | larger */
  LeftOutPair *leftOut; /* sorted by pair */
  size_t leftOutCount, leftOutCapacity;
  brinkTaylorRigid *motions;
  brinkRigid *poses, *endPoses, *partPoses;
  brinkLinkBound *bounds;
  uint32_t *linkCounts;
  uint8_t *linkNeeds; /* [link] 1: poses and bounds are made for every query; 0: it rests in the world, alone */
  Candidate *candidates;
  brinkScenePairResult *results, *reported;
  uint32_t *order;
  brinkIndexPair *near;
  size_t slotCount, slotCapacity, freeCount, freeCapacity, ignoredCount, ignoredCapacity;
  size_t motionCapacity, poseCapacity, endPoseCapacity, partPoseCapacity, boundCapacity, linkCountCapacity,
      linkNeedCapacity, candidateCount, candidateCapacity;
  size_t resultCapacity, reportedCapacity, orderCapacity, nearCapacity;
  brinkBvh *fixedTree, *movingTree;
  brinkPairQueue queue;
  brinkAdvanceScratch *scratch;
  brinkSweptAxisScratch *sweptScratch;
  ListedBox *boxes; /* of the current query, when it does without movingTree */
  size_t boxCount, boxCapacity;
  SortedBoxes sorted;
  uint64_t placedSerial; /* boxes but those of the moved slots are of this serial and interval; 0: of none */
  double placedStart, placedEnd;
  uint32_t *moved;  /* slots whose lone link has another motion since then */
  uint32_t *active; /* slots that move or hang on something, as of placedSerial */
  uint32_t *planes; /* slots, as of placedSerial */
  double *coreRoom; /* vertices of a core */
  size_t movedCount, movedCapacity, activeCount, activeCapacity, planeCount, planeCapacity, coreRoomCapacity;
  bool hasMovingPlanes; /* then nothing is kept from query to query */
  bool counted;         /* countedPairs is right for these */
  bool countedAdjacent;
  int32_t countedOnly;
  uint64_t countedPairs;
  bool few;   /* few pairs: boxes are compared one by one */
  bool alone; /* one pair at most: asked as it is, without boxes */
};

/* reserve(scene, &scene->array, &scene->arrayCapacity, needed) for an array of any type */
#define RESERVE(scene, member, capacity, needed)                                                  \
  reserveBlock((scene)->context, (void **)(void *)&(scene)->member, &(scene)->capacity, (needed), \
               sizeof *(scene)->member)

static brinkStatus reserveBlock(brinkContext *context, void **member, size_t *capacity, size_t needed, size_t size) {
  void *block;
  memcpy(&block, member, sizeof block);
  brinkStatus status = brinkReserve(context, &block, capacity, needed, size);
  memcpy(member, &block, sizeof block);
  return status;
}

/* ---- colliders */

static bool isPlane(const brinkSceneCollider *collider) {
  return collider->collider.shape->piece.kind == brink_pieceHalfSpace;
}

static bool isMesh(const brinkSceneCollider *collider) {
  const brinkShape *shape = collider->collider.shape;
  return shape->tree != NULL && (shape->flags & BRINK_MESH_CONVEX) == 0u;
}

static double sizeOf(const brinkSceneCollider *collider) {
  const brinkPiece *piece = &collider->collider.shape->piece;
  return isPlane(collider) ? HUGE_VAL : piece->boundRadius + piece->radius;
}

double brinkSceneCollider_Allowance(const brinkSceneCollider *collider) {
  if (collider->allowance > 0.0) return collider->allowance;
  double thickness = collider->collider.shape->thickness;
  if (isPlane(collider) || !isfinite(thickness)) return HUGE_VAL;
  if (thickness > 0.0) return DEFAULT_ALLOWANCE * thickness;
  return DEFAULT_ALLOWANCE * sizeOf(collider); /* points, segments, flat meshes */
}

/* Of a pair: points alone have no size, their pairs get an absolute one. */
static double toleranceOf(const brinkSceneQuery *query, double sizeA, double sizeB) {
  if (query->tolerance > 0.0) return query->tolerance;
  double smaller = BRINK_MIN(sizeA, sizeB);
  if (!(smaller > 0.0)) smaller = BRINK_MAX(sizeA, sizeB);
  if (!(smaller > 0.0) || !isfinite(smaller)) smaller = 1.0;
  return DEFAULT_TOLERANCE * smaller;
}

static double allowanceOf(const brinkSceneCollider *a, const brinkSceneCollider *b) {
  double allowance = BRINK_MIN(brinkSceneCollider_Allowance(a), brinkSceneCollider_Allowance(b));
  if (allowance > 0.0 && isfinite(allowance)) return allowance;
  double smaller = BRINK_MIN(sizeOf(a), sizeOf(b)), larger = BRINK_MAX(sizeOf(a), sizeOf(b));
  if (smaller > 0.0 && isfinite(smaller)) return DEFAULT_ALLOWANCE * smaller;
  return larger > 0.0 && isfinite(larger) ? DEFAULT_ALLOWANCE * larger : DEFAULT_TOLERANCE;
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
  *out = scene;
  return brink_ok;
}

static void releaseLeftOut(brinkContext *context, LeftOutPair *item) {
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
  brinkRelease(context, scene->sorted.bounds, scene->sorted.boundCapacity * sizeof *scene->sorted.bounds);
  brinkRelease(context, scene->bounds, scene->boundCapacity * sizeof *scene->bounds);
  brinkRelease(context, scene->linkCounts, scene->linkCountCapacity * sizeof *scene->linkCounts);
  brinkRelease(context, scene->moved, scene->movedCapacity * sizeof *scene->moved);
  brinkRelease(context, scene->active, scene->activeCapacity * sizeof *scene->active);
  brinkRelease(context, scene->planes, scene->planeCapacity * sizeof *scene->planes);
  brinkRelease(context, scene->coreRoom, scene->coreRoomCapacity * sizeof *scene->coreRoom);
  brinkRelease(context, scene->linkNeeds, scene->linkNeedCapacity * sizeof *scene->linkNeeds);
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
}

void brinkScene_MarkMoved(brinkScene *scene, uint32_t index) {
  if (scene->placedSerial == 0u || index >= scene->slotCount || scene->slots[index].isListed) return;
  if (RESERVE(scene, moved, movedCapacity, scene->slotCount) !=
      brink_ok) { /* room for every slot: each is listed once */
    brinkScene_MarkAllMoved(scene);
    return;
  }
  scene->slots[index].isListed = true;
  scene->moved[scene->movedCount++] = index;
}

brinkStatus brinkScene_AddCollider(brinkScene *scene, const brinkSceneCollider *def, uint32_t *index) {
  brinkContext *context = scene->context;
  if (def->collider.shape == NULL) return brinkFail(context, brink_errorNullArgument, "collider: shape is NULL");
  if (!(def->allowance >= 0.0))
    return brinkFail(context, brink_errorBadValue, "collider: allowance %g; it must be >= 0", def->allowance);
  brinkStatus status = RESERVE(scene, freeSlots, freeCapacity, scene->slotCount + 1u); /* so that removal never fails */
  if (status == brink_ok && scene->freeCount == 0u) status = RESERVE(scene, slots, slotCapacity, scene->slotCount + 1u);
  if (status == brink_ok) status = brinkAdvanceScratch_Remember(context, scene->scratch, def->collider.shape);
  if (status != brink_ok) return brinkFail(context, status, "collider: out of memory");
  uint32_t at = scene->freeCount > 0u ? scene->freeSlots[--scene->freeCount] : (uint32_t)scene->slotCount++;
  scene->slots[at] =
      (Slot){.collider = *def, .alive = true, .staticProxy = -1, .movingProxy = -1, .activeAt = NOT_ACTIVE};
  brinkScene_MarkAllMoved(scene);
  *index = at;
  return brink_ok;
}

static Slot *slotAt(brinkScene *scene, uint32_t index) {
  return index < scene->slotCount && scene->slots[index].alive ? &scene->slots[index] : NULL;
}

static void leaveTrees(brinkScene *scene, Slot *slot) {
  if (slot->staticProxy >= 0) brinkBvh_Remove(scene->fixedTree, slot->staticProxy);
  if (slot->movingProxy >= 0) brinkBvh_Remove(scene->movingTree, slot->movingProxy);
  slot->staticProxy = slot->movingProxy = -1;
}

void brinkScene_RemoveCollider(brinkScene *scene, uint32_t index) {
  Slot *slot = slotAt(scene, index);
  if (slot == NULL) return;
  leaveTrees(scene, slot);
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
    LeftOutPair *item = &scene->leftOut[i];
    if ((uint32_t)(item->pair >> 32) == index || (uint32_t)item->pair == index)
      releaseLeftOut(scene->context, item);
    else
      scene->leftOut[kept++] = *item;
  }
  scene->leftOutCount = kept;
}

brinkSceneCollider *brinkScene_Collider(brinkScene *scene, uint32_t index) {
  Slot *slot = slotAt(scene, index);
  return slot != NULL ? &slot->collider : NULL;
}

brinkStatus brinkScene_SetLocal(brinkScene *scene, uint32_t index, const brinkRigid *local) {
  Slot *slot = slotAt(scene, index);
  if (slot == NULL) return brinkFail(scene->context, brink_errorStale, "collider %u is gone", (unsigned)index);
  slot->collider.collider.local = *local;
  if (slot->staticProxy >= 0) brinkBvh_Remove(scene->fixedTree, slot->staticProxy);
  slot->staticProxy = -1; /* its box is made anew at the next query */
  slot->restKnown = false;
  brinkScene_MarkAllMoved(scene);
  return brink_ok;
}

static uint64_t pairKey(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

/* First place in the sorted list that is not below key. */
static size_t findIgnored(const brinkScene *scene, uint64_t key) {
  size_t low = 0, high = scene->ignoredCount;
  while (low < high) {
    size_t middle = low + (high - low) / 2u;
    if (scene->ignored[middle] < key)
      low = middle + 1u;
    else
      high = middle;
  }
  return low;
}

static bool isIgnored(const brinkScene *scene, uint32_t a, uint32_t b) {
  uint64_t key = pairKey(a, b);
  size_t at = findIgnored(scene, key);
  return at < scene->ignoredCount && scene->ignored[at] == key;
}

brinkStatus brinkScene_IgnorePair(brinkScene *scene, uint32_t a, uint32_t b, bool ignore) {
  if (slotAt(scene, a) == NULL || slotAt(scene, b) == NULL)
    return brinkFail(scene->context, brink_errorStale, "collider %u or %u is gone", (unsigned)a, (unsigned)b);
  uint64_t key = pairKey(a, b);
  size_t at = findIgnored(scene, key);
  bool present = at < scene->ignoredCount && scene->ignored[at] == key;
  if (ignore == present) return brink_ok;
  if (ignore) {
    brinkStatus status = RESERVE(scene, ignored, ignoredCapacity, scene->ignoredCount + 1u);
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

static brinkLeftOut leftOutOf(const brinkScene *scene, uint32_t a, uint32_t b) {
  if (scene->leftOutCount == 0u) return (brinkLeftOut){0};
  uint64_t pair = pairKey(a, b);
  size_t at = findLeftOut(scene, pair);
  if (at == scene->leftOutCount || scene->leftOut[at].pair != pair) return (brinkLeftOut){0};
  return (brinkLeftOut){scene->leftOut[at].keys, scene->leftOut[at].count, true, a > b};
}

/* Puts an owned item in its place; room for it has been reserved. */
static void commitLeftOut(brinkScene *scene, const LeftOutPair *made, bool any) {
  size_t at = findLeftOut(scene, made->pair);
  bool present = at < scene->leftOutCount && scene->leftOut[at].pair == made->pair;
  LeftOutPair *place = &scene->leftOut[at];
  if (present) releaseLeftOut(scene->context, place);
  if (any && !present) memmove(place + 1, place, (scene->leftOutCount++ - at) * sizeof *place);
  if (!any && present) memmove(place, place + 1, (--scene->leftOutCount - at) * sizeof *place);
  if (any) *place = *made;
}

static brinkStatus copyLeftOut(brinkScene *scene, const brinkSceneLeftOut *item, LeftOutPair *made) {
  if (slotAt(scene, item->a) == NULL || slotAt(scene, item->b) == NULL)
    return brinkFail(scene->context, brink_errorStale, "collider %u or %u is gone", (unsigned)item->a,
                     (unsigned)item->b);
  *made = (LeftOutPair){.pair = pairKey(item->a, item->b), .count = item->any ? item->keyCount : 0u};
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
  LeftOutPair *made = brinkAllocateZeroed(context, count, sizeof *made);
  brinkStatus status = made != NULL ? brink_ok : brink_errorNoMemory;
  if (status == brink_ok) status = RESERVE(scene, leftOut, leftOutCapacity, scene->leftOutCount + count);
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

/* ---- boxes */

static brinkAabb inflate(brinkAabb box, double margin) {
  brinkVec3 m = {margin, margin, margin};
  return (brinkAabb){brinkSub(box.lower, m), brinkAdd(box.upper, m)};
}

/* Box of a placed oriented box, rounded outward. */
static brinkAabb placedBox(const brinkRigid *place, const brinkObb *obb) {
  brinkVec3 center = brinkApply(place, obb->center);
  brinkMat3 axes = brinkMulMM(&place->r, &obb->axes);
  double c[3] = {center.x, center.y, center.z}, half[3] = {obb->half.x, obb->half.y, obb->half.z};
  double slack = 16.0 * DBL_EPSILON * (brinkLength(place->p) + brinkLength(obb->center) + brinkLength(obb->half));
  double lower[3], upper[3];
  for (int i = 0; i < 3; ++i) {
    double reach = slack;
    for (int j = 0; j < 3; ++j) reach += fabs(axes.m[i][j]) * half[j];
    lower[i] = brinkDown(c[i] - reach);
    upper[i] = brinkUp(c[i] + reach);
  }
  return (brinkAabb){brinkV3_FromArray(lower), brinkV3_FromArray(upper)};
}

static brinkObb obbInLink(const brinkSceneCollider *collider) {
  const brinkObb *obb = &collider->collider.shape->obb;
  const brinkRigid *local = &collider->collider.local;
  brinkObb out = {brinkApply(local, obb->center), brinkMulMM(&local->r, &obb->axes), obb->half};
  /* Composition errs by a few ulp of the reach; the half extents take it in. */
  double slack = 16.0 * DBL_EPSILON * (brinkLength(local->p) + brinkLength(obb->center) + brinkLength(obb->half));
  out.half = brinkAdd(out.half, brinkV3(slack, slack, slack));
  return out;
}

/* Smallest n.x over the box minus the half-space's offset, rounded down: > 0 = apart. */
static double planeGap(const brinkSceneCollider *plane, const brinkAabb *box) {
  const brinkPiece *piece = &plane->collider.shape->piece;
  brinkVec3 n = brinkMulMV(&plane->collider.local.r, piece->normal);
  double offset = piece->offset + piece->radius + brinkDot(n, plane->collider.local.p);
  double lowest = BRINK_MIN(n.x * box->lower.x, n.x * box->upper.x) +
                  BRINK_MIN(n.y * box->lower.y, n.y * box->upper.y) + BRINK_MIN(n.z * box->lower.z, n.z * box->upper.z);
  double scale = fabs(offset) + brinkLength(plane->collider.local.p) +
                 brinkLength(brinkMaxV3(brinkAbsV3(box->lower), brinkAbsV3(box->upper)));
  return lowest - offset - 32.0 * DBL_EPSILON * scale;
}

static brinkStatus placeInTree(brinkContext *context, brinkBvh *tree, int32_t *proxy, brinkAabb box, uint32_t index) {
  if (*proxy >= 0) {
    if (!brinkBvh_Move(tree, *proxy, box)) return brinkFail(context, brink_errorNoMemory, "box tree: out of memory");
    return brink_ok;
  }
  *proxy = brinkBvh_Insert(tree, box, index);
  if (*proxy < 0) return brinkFail(context, brink_errorNoMemory, "box tree: out of memory");
  return brink_ok;
}

/* ---- swept boxes of moving colliders */

typedef struct Sweep { /* how boxes are made; tree NULL: of the poses alone, at one time */
  const brinkMotionTree *tree;
  double tStart, tEnd;
  int order;
  bool always;        /* Taylor models for every collider */
  bool haveMotions;   /* scene->motions are those of the query */
  uint32_t partsMade; /* bit k: scene->partPoses after k parts are */
} Sweep;

static brinkAabb unionOf(brinkAabb a, brinkAabb b) {
  return (brinkAabb){brinkMinV3(a.lower, b.lower), brinkMaxV3(a.upper, b.upper)};
}

static brinkAabb common(brinkAabb a, brinkAabb b) {
  return (brinkAabb){brinkMaxV3(a.lower, b.lower), brinkMinV3(a.upper, b.upper)};
}

static bool isRoot(const Sweep *sweep, int32_t link) { return sweep->tree->links[link].parent < 0; }

static double partTime(const Sweep *sweep, int k) {
  return sweep->tStart + (sweep->tEnd - sweep->tStart) * ((double)k / CHORD_PARTS);
}

/* Poses of all links after k parts of CHORD_PARTS of the time, made when first asked for. */
static const brinkRigid *posesAt(brinkScene *scene, Sweep *sweep, int k) {
  brinkRigid *poses = scene->partPoses + (size_t)(k - 1) * (size_t)sweep->tree->linkCount;
  if (!(sweep->partsMade >> k & 1u)) {
    brinkMotionTree_Poses(sweep->tree, partTime(sweep, k), poses);
    sweep->partsMade |= 1u << k;
  }
  return poses;
}

/* Box of the path: over each part of the time every coordinate of a point lies within its chord's range widened by
 * max|x''| dt^2/8. As many parts as make that small against the collider; false when too many were needed. */
static bool chordBox(brinkScene *scene, Sweep *sweep, int32_t link, const brinkObb *obb, brinkAabb *box) {
  const brinkLinkBound *bound = &scene->bounds[link];
  double dt = sweep->tEnd - sweep->tStart, reach = brinkLength(obb->center) + brinkLength(obb->half);
  double whole = 0.125 * dt * dt * (bound->accelBase + bound->accelSlope * reach) * (1 + 1e-9);
  double enough = CHORD_SLACK * brinkLength(obb->half);
  int parts = 1;
  while (whole > enough * parts * parts && parts < CHORD_PARTS) parts *= 2;
  double slack = (whole / (parts * parts) + bound->poseError + bound->poseErrorSlope * reach) * (1 + 1e-9);
  if (!isfinite(slack)) return false;
  *box = unionOf(placedBox(&scene->poses[link], obb), placedBox(&scene->endPoses[link], obb));
  for (int k = 1; k < parts; ++k) {
    int part = k * (CHORD_PARTS / parts);
    brinkRigid pose = isRoot(sweep, link) ? brinkLinkMotion_At(&sweep->tree->links[link], partTime(sweep, part))
                                          : posesAt(scene, sweep, part)[link];
    *box = unionOf(*box, placedBox(&pose, obb));
  }
  *box = inflate(*box, slack);
  return whole <= enough * parts * parts;
}

/* A Taylor model costs as much as several swept pairs that are soon settled: only where chords do not do. */
static brinkStatus sweptBox(brinkScene *scene, Sweep *sweep, int32_t link, const brinkObb *obb, brinkAabb *out) {
  *out = (brinkAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
  if (!sweep->always && chordBox(scene, sweep, link, obb, out)) return brink_ok;
  if (isRoot(sweep, link) && !sweep->always) { /* alone, not with all the others */
    const brinkMotionTree alone = {&sweep->tree->links[link], 1};
    brinkTaylorRigid motion;
    brinkMotionTree_Taylor(&alone, sweep->tStart, sweep->tEnd, sweep->order, &motion);
    *out = common(*out, brinkMakeSweptBox(&motion, obb, 0.0, sweep->order));
    return brink_ok;
  }
  if (!sweep->haveMotions) {
    brinkStatus status = RESERVE(scene, motions, motionCapacity, (size_t)sweep->tree->linkCount);
    if (status != brink_ok) return brinkFail(scene->context, status, "motions: out of memory");
    brinkMotionTree_Taylor(sweep->tree, sweep->tStart, sweep->tEnd, sweep->order, scene->motions);
    sweep->haveMotions = true;
  }
  *out = common(*out, brinkMakeSweptBox(&scene->motions[link], obb, 0.0, sweep->order));
  return brink_ok;
}

static bool isMoving(const Slot *slot) { return slot->collider.collider.link >= 0 && !isPlane(&slot->collider); }

/* Few colliders: looking at every pair of boxes costs less than keeping a tree of the moving ones. */
static bool areFew(const brinkScene *scene) {
  size_t moving = 0, fixed = 0;
  for (size_t i = 0; i < scene->slotCount; ++i) {
    const Slot *slot = &scene->slots[i];
    if (!slot->alive || isPlane(&slot->collider)) continue;
    if (slot->collider.collider.link >= 0)
      ++moving;
    else
      ++fixed;
  }
  return (double)moving * (0.5 * (double)moving + (double)fixed) <= FEW_PAIRS;
}

/* Does the link rest in the world, and is no other link hung on it? */
static bool restsAlone(const brinkMotionTree *tree, int32_t link) {
  return tree->links[link].moving == 0u && tree->links[link].path == NULL && tree->links[link].parent < 0;
}

/* Links whose poses and bounds every query needs: all that move, and all above them. */
static void findNeeds(brinkScene *scene, const brinkMotionTree *tree) {
  for (int32_t i = 0; i < tree->linkCount; ++i) {
    scene->linkNeeds[i] = !restsAlone(tree, i);
    if (tree->links[i].parent >= 0)
      scene->linkNeeds[tree->links[i].parent] = 1u; /* its own parents have one, or rest */
  }
}

/* Poses and bounds of one link without parent. */
static void prepareRoot(brinkScene *scene, const Sweep *sweep, int32_t link) {
  const brinkMotionTree alone = {&sweep->tree->links[link], 1};
  scene->poses[link] = brinkLinkMotion_At(alone.links, sweep->tStart);
  scene->endPoses[link] = brinkLinkMotion_At(alone.links, sweep->tEnd);
  brinkMotionTree_Bounds(&alone, sweep->tStart, sweep->tEnd, &scene->bounds[link]);
}

static brinkStatus placeSwept(brinkScene *scene, Sweep *sweep, Slot *slot, uint32_t index) {
  brinkObb obb = obbInLink(&slot->collider);
  brinkStatus status = sweptBox(scene, sweep, slot->collider.collider.link, &obb, &slot->box);
  if (status == brink_ok && !scene->few)
    status = placeInTree(scene->context, scene->movingTree, &slot->movingProxy, slot->box, index);
  return status;
}

/* The swept box of a collider whose link rests alone: kept as long as the pose is the same. */
static brinkStatus placeResting(brinkScene *scene, Sweep *sweep, Slot *slot, uint32_t index) {
  int32_t link = slot->collider.collider.link;
  const brinkLinkMotion *motion = &sweep->tree->links[link];
  if (slot->restKnown && slot->restLink == link && slot->movingProxy >= 0 &&
      memcmp(&slot->restPosition, &motion->t0, sizeof motion->t0) == 0 &&
      memcmp(&slot->restRotation, &motion->r0, sizeof motion->r0) == 0)
    return brink_ok;
  prepareRoot(scene, sweep, link);
  brinkStatus status = placeSwept(scene, sweep, slot, index);
  slot->restKnown = status == brink_ok && !scene->few;
  slot->restLink = link;
  slot->restPosition = motion->t0;
  slot->restRotation = motion->r0;
  return status;
}

/* Puts every collider where the query needs it. */
static brinkStatus placeColliders(brinkScene *scene, Sweep *sweep) {
  scene->few = areFew(scene);
  for (uint32_t i = 0; i < scene->slotCount; ++i) {
    Slot *slot = &scene->slots[i];
    if (!slot->alive) continue;
    const brinkSceneCollider *collider = &slot->collider;
    int32_t link = collider->collider.link;
    if (isPlane(collider)) continue;
    brinkStatus status = brink_ok;
    if (link < 0) {
      if (slot->movingProxy >= 0) leaveTrees(scene, slot);
      if (slot->staticProxy >= 0) continue;
      slot->box = placedBox(&collider->collider.local, &collider->collider.shape->obb);
      status = placeInTree(scene->context, scene->fixedTree, &slot->staticProxy, slot->box, i);
    } else if (sweep->tree != NULL && !sweep->always && !scene->linkNeeds[link]) {
      slot->resting = true;
      if (slot->staticProxy >= 0) leaveTrees(scene, slot);
      status = placeResting(scene, sweep, slot, i);
    } else {
      slot->resting = sweep->tree != NULL && restsAlone(sweep->tree, link);
      slot->restKnown = false;
      if (slot->staticProxy >= 0) leaveTrees(scene, slot);
      brinkObb obb = obbInLink(collider);
      if (sweep->tree != NULL)
        status = sweptBox(scene, sweep, link, &obb, &slot->box);
      else
        slot->box = placedBox(&scene->poses[link], &obb);
      if (status == brink_ok && !scene->few)
        status = placeInTree(scene->context, scene->movingTree, &slot->movingProxy, slot->box, i);
    }
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

/* ---- lists of the slots that count, so that a query's cost goes with what moves */

/* Are active and planes, and the boxes of all slots but the moved ones, those of the query's serial or of one before?
 */
static bool hasLists(const brinkScene *scene, const brinkSceneQuery *query) {
  return query != NULL && query->serial != 0u && scene->placedSerial != 0u && query->scheme != SCHEME_PAPER;
}

static void setActive(brinkScene *scene, uint32_t index, bool active) {
  Slot *slot = &scene->slots[index];
  if (active == (slot->activeAt != NOT_ACTIVE)) return;
  if (active) { /* there is room for every slot */
    slot->activeAt = (uint32_t)scene->activeCount;
    scene->active[scene->activeCount++] = index;
    return;
  }
  uint32_t last = scene->active[--scene->activeCount];
  scene->active[slot->activeAt] = last;
  scene->slots[last].activeAt = slot->activeAt;
  slot->activeAt = NOT_ACTIVE;
}

static brinkStatus listSlots(brinkScene *scene) {
  brinkStatus status = RESERVE(scene, active, activeCapacity, scene->slotCount);
  if (status == brink_ok) status = RESERVE(scene, planes, planeCapacity, scene->slotCount);
  if (status != brink_ok) return brinkFail(scene->context, status, "colliders: out of memory");
  scene->activeCount = scene->planeCount = scene->movedCount = 0;
  scene->hasMovingPlanes = false;
  for (uint32_t i = 0; i < scene->slotCount; ++i) {
    Slot *slot = &scene->slots[i];
    slot->activeAt = NOT_ACTIVE;
    slot->isListed = false;
    if (!slot->alive) continue;
    if (isPlane(&slot->collider)) {
      scene->planes[scene->planeCount++] = i;
      scene->hasMovingPlanes = scene->hasMovingPlanes || slot->collider.collider.link >= 0;
    } else if (slot->collider.collider.link >= 0 && !slot->resting) {
      setActive(scene, i, true);
    }
  }
  return brink_ok;
}

/* ---- which pairs */

static bool linksAllow(const brinkMotionTree *tree, const brinkSceneQuery *query, int32_t a, int32_t b) {
  if (a == b || (a < 0 && b < 0)) return false;
  if (query != NULL && query->onlyLink != ALL_LINKS && a != query->onlyLink && b != query->onlyLink) return false;
  if (query != NULL && query->allowAdjacent) return true;
  return !(a >= 0 && b >= 0 && (tree->links[a].parent == b || tree->links[b].parent == a));
}

static uint64_t pairsOf(uint64_t count) { return count > 0u ? count * (count - 1u) / 2u : 0u; }

/* How many pairs linksAllow lets through, without looking at pairs. */
static uint64_t countAllPairs(const brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query) {
  uint32_t *counts = scene->linkCounts;
  uint64_t fixed = 0, moving = 0;
  int32_t only = query->onlyLink;
  if (tree->linkCount > 0) memset(counts, 0, (size_t)tree->linkCount * sizeof *counts);
  for (size_t i = 0; i < scene->slotCount; ++i) {
    if (!scene->slots[i].alive) continue;
    int32_t link = scene->slots[i].collider.collider.link;
    if (link < 0) {
      ++fixed;
    } else {
      ++moving;
      ++counts[link];
    }
  }
  if (only == -1) return fixed * moving;
  uint64_t pairs = only >= 0 ? counts[only] * (fixed + moving - counts[only]) : pairsOf(moving) + fixed * moving;
  for (int32_t link = 0; link < tree->linkCount; ++link) {
    int32_t parent = tree->links[link].parent;
    if (only == ALL_LINKS) pairs -= pairsOf(counts[link]);
    if (!query->allowAdjacent && parent >= 0 && (only == ALL_LINKS || only == link || only == parent))
      pairs -= (uint64_t)counts[link] * counts[parent];
  }
  return pairs;
}

static uint64_t countPairs(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query) {
  if (!(hasLists(scene, query) && scene->counted && scene->countedOnly == query->onlyLink &&
        scene->countedAdjacent == query->allowAdjacent)) {
    scene->countedPairs = countAllPairs(scene, tree, query);
    scene->countedOnly = query->onlyLink;
    scene->countedAdjacent = query->allowAdjacent;
    scene->counted = true; /* until anything but a lone link's motion changes */
  }
  return scene->countedPairs;
}

typedef struct Gather { /* user of the tree queries */
  brinkScene *scene;
  const brinkMotionTree *tree;
  const brinkSceneQuery *query;
  bool wantedOnly; /* pairs around wanted slots */
  uint32_t index;
  bool allOthers; /* else only colliders with a larger index: each pair once */
  brinkStatus status;
} Gather;

/* Does the gathering look around this collider, too? */
static bool looksAround(const brinkSceneQuery *query, bool wantedOnly, const Slot *slot) {
  if (!isMoving(slot)) return false;
  if (wantedOnly) return slot->wanted;
  return !(query != NULL && query->leaveOutResting && slot->resting);
}

static bool comesBefore(const brinkScene *scene, uint32_t a, uint32_t b) {
  uint64_t keyA = scene->slots[a].collider.key, keyB = scene->slots[b].collider.key;
  return keyA != keyB ? keyA < keyB : a < b;
}

static bool gatherPair(void *user, uint32_t other) {
  Gather *gather = user;
  brinkScene *scene = gather->scene;
  const brinkSceneQuery *query = gather->query;
  uint32_t index = gather->index;
  if (other == index) return true;
  const Slot *x = &scene->slots[index], *y = &scene->slots[other];
  if (!gather->allOthers && other < index && looksAround(query, gather->wantedOnly, y)) return true;
  bool ordered = comesBefore(scene, index, other);
  const brinkSceneCollider *a = ordered ? &x->collider : &y->collider, *b = ordered ? &y->collider : &x->collider;
  if (!linksAllow(gather->tree, query, a->collider.link, b->collider.link)) return true;
  if ((a->category & b->collide) == 0u && (b->category & a->collide) == 0u) return true;
  if (scene->ignoredCount > 0u && isIgnored(scene, index, other)) return true;
  if (query != NULL && query->filter != NULL && !query->filter(query->filterUser, a, b)) return true;
  gather->status = RESERVE(scene, candidates, candidateCapacity, scene->candidateCount + 1u);
  if (gather->status != brink_ok) return false;
  scene->candidates[scene->candidateCount++] =
      (Candidate){a->key, b->key, ordered ? index : other, ordered ? other : index};
  return true;
}

/* Boxes that are no numbers meet everything. */
static bool areApart(const brinkAabb *a, const brinkAabb *b) {
  return a->lower.x > b->upper.x || b->lower.x > a->upper.x || a->lower.y > b->upper.y || b->lower.y > a->upper.y ||
         a->lower.z > b->upper.z || b->lower.z > a->upper.z;
}

/* The same as both trees' queries, without them. */
static void lookAtAll(Gather *gather, const brinkAabb *box) {
  const brinkScene *scene = gather->scene;
  for (size_t j = 0; j < scene->boxCount && gather->status == brink_ok; ++j)
    if (!areApart(box, &scene->boxes[j].box)) gatherPair(gather, scene->boxes[j].slot);
}

/* Boxes of all that is no plane, side by side. */
static brinkStatus listBoxes(brinkScene *scene) {
  brinkStatus status = RESERVE(scene, boxes, boxCapacity, scene->slotCount);
  if (status != brink_ok) return status;
  scene->boxCount = 0;
  for (uint32_t i = 0; i < scene->slotCount; ++i) {
    const Slot *slot = &scene->slots[i];
    if (slot->alive && !isPlane(&slot->collider)) scene->boxes[scene->boxCount++] = (ListedBox){slot->box, i};
  }
  return brink_ok;
}

static bool candidateAfter(const Candidate *x, const Candidate *y) {
  if (x->keyA != y->keyA) return x->keyA > y->keyA;
  if (x->keyB != y->keyB) return x->keyB > y->keyB;
  return x->a != y->a ? x->a > y->a : x->b > y->b;
}

static void siftCandidate(Candidate *heap, size_t at, size_t count) {
  Candidate moved = heap[at];
  for (size_t child = 2u * at + 1u; child < count; child = 2u * at + 1u) {
    if (child + 1u < count && candidateAfter(&heap[child + 1u], &heap[child])) ++child;
    if (!candidateAfter(&heap[child], &moved)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

/* Heap sort: no memory, no dependence on the C library's qsort. */
static void sortCandidates(Candidate *candidates, size_t count) {
  for (size_t i = count / 2u; i-- > 0u;) siftCandidate(candidates, i, count);
  for (size_t last = count; last > 1u;) {
    Candidate largest = candidates[0];
    candidates[0] = candidates[--last];
    candidates[last] = largest;
    siftCandidate(candidates, 0u, last);
  }
}

/* Every allowed pair, whatever the boxes. */
static brinkStatus gatherAll(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query) {
  for (uint32_t i = 0; i < scene->slotCount; ++i)
    for (uint32_t j = i + 1u; scene->slots[i].alive && j < scene->slotCount; ++j) {
      Gather gather = {scene, tree, query, false, i, true, brink_ok};
      if (scene->slots[j].alive) gatherPair(&gather, j);
      if (gather.status != brink_ok) return brinkFail(scene->context, gather.status, "pairs: out of memory");
    }
  return brink_ok;
}

/* ---- many moving boxes at once: sort and sweep */

/* Bits of a float in its order. */
static uint32_t orderOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* Outward by more than single precision rounds; what it cannot hold meets everything. */
static void boundsInFloats(double lower, double upper, float *low, float *high) {
  *low = -INFINITY;
  *high = INFINITY;
  if (!(fabs(lower) < 1e30) || !(fabs(upper) < 1e30)) return;
  float l = (float)lower, u = (float)upper;
  *low = l - (4e-7f * fabsf(l) + 1e-30f);
  *high = u + (4e-7f * fabsf(u) + 1e-30f);
}

static brinkStatus sortBoxes(brinkScene *scene) {
  SortedBoxes *sorted = &scene->sorted;
  size_t count = 0;
  brinkStatus status = RESERVE(scene, sorted.keys, sorted.keyCapacity, scene->slotCount);
  for (uint32_t i = 0; status == brink_ok && i < scene->slotCount; ++i) {
    const Slot *slot = &scene->slots[i];
    if (!slot->alive || !isMoving(slot)) continue;
    float low, high;
    boundsInFloats(slot->box.lower.x - slot->margin, slot->box.upper.x + slot->margin, &low, &high);
    sorted->keys[count++] = (uint64_t)orderOf(low) << 32 | i;
  }
  const size_t room = count + 8u;
  if (status == brink_ok) status = RESERVE(scene, sorted.bounds, sorted.boundCapacity, 6u * room);
  if (status != brink_ok) return brinkFail(scene->context, status, "pairs: out of memory");
  brinkSortPieceKeys(sorted->keys, count);
  sorted->count = count;
  for (size_t k = 0; k < room; ++k) {
    float *bound = sorted->bounds + k;
    for (int i = 0; i < 6; ++i)
      bound[(size_t)i * room] = i < 3 ? INFINITY : -INFINITY; /* apart from all that is finite */
    if (k >= count) continue;
    const Slot *slot = &scene->slots[(uint32_t)sorted->keys[k]];
    const brinkAabb box = inflate(slot->box, slot->margin);
    boundsInFloats(box.lower.x, box.upper.x, &bound[0], &bound[3 * room]);
    boundsInFloats(box.lower.y, box.upper.y, &bound[room], &bound[4 * room]);
    boundsInFloats(box.lower.z, box.upper.z, &bound[2 * room], &bound[5 * room]);
  }
  return brink_ok;
}

/* Those of the eight from `first` on that the box at `at` may meet, as bits. */
static uint32_t meetEight(const SortedBoxes *sorted, size_t at, size_t first) {
  const size_t room = sorted->count + 8u;
  uint32_t apart = 0;
  for (size_t i = 0; i < 3; ++i) {
    const float *lower = sorted->bounds + i * room, *upper = sorted->bounds + (i + 3u) * room;
    apart |= brinkF8_Positive(brinkF8_Sub(brinkF8_Load(lower + first), brinkF8_Set(upper[at])));
    apart |= brinkF8_Positive(brinkF8_Sub(brinkF8_Set(lower[at]), brinkF8_Load(upper + first)));
  }
  return ~apart & (first + 8u <= sorted->count ? 0xffu : (1u << (sorted->count - first)) - 1u);
}

/* What the tree of moving boxes says of all of them: of a pair, the box of the lower slot is the one with a margin. */
static brinkStatus gatherSorted(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query) {
  brinkStatus status = sortBoxes(scene);
  const SortedBoxes *sorted = &scene->sorted;
  const size_t room = sorted->count + 8u;
  for (size_t at = 0; status == brink_ok && at < sorted->count; ++at) {
    const float end = sorted->bounds[3u * room + at];
    for (size_t first = at + 1u; first < sorted->count && sorted->bounds[first] <= end; first += 8u)
      for (uint32_t met = meetEight(sorted, at, first); met != 0u && status == brink_ok; met &= met - 1u) {
        uint32_t x = (uint32_t)sorted->keys[at], y = (uint32_t)sorted->keys[first + (size_t)__builtin_ctz(met)];
        const Slot *lower = &scene->slots[BRINK_MIN(x, y)], *other = &scene->slots[BRINK_MAX(x, y)];
        if (!linksAllow(tree, query, lower->collider.collider.link, other->collider.collider.link)) continue;
        brinkAabb box = inflate(lower->box, lower->margin);
        if (areApart(&box, &other->box)) continue;
        Gather gather = {scene, tree, query, false, BRINK_MIN(x, y), false, brink_ok};
        gatherPair(&gather, BRINK_MAX(x, y));
        status = gather.status;
      }
  }
  return status == brink_ok ? status : brinkFail(scene->context, status, "pairs: out of memory");
}

/* Do all moving boxes look around, and are they many, but not too many to compare along one axis? */
static bool areSorted(const brinkScene *scene, const brinkSceneQuery *query, bool wantedOnly) {
  bool all = query != NULL && query->onlyLink == ALL_LINKS && !query->leaveOutResting && !wantedOnly;
  return all && !scene->few && brinkBvh_Count(scene->movingTree) <= SORTED_BOXES;
}

/* Pairs of one moving collider that is no plane. */
static brinkStatus gatherAround(Gather *gather, bool movingToo) {
  brinkScene *scene = gather->scene;
  const Slot *slot = &scene->slots[gather->index];
  brinkAabb box = inflate(slot->box, slot->margin);
  if (scene->few) {
    lookAtAll(gather, &box);
  } else {
    brinkBvh_Query(scene->fixedTree, box, gatherPair, gather);
    if (gather->status == brink_ok && movingToo) brinkBvh_Query(scene->movingTree, box, gatherPair, gather);
  }
  if (gather->status != brink_ok) return brinkFail(scene->context, gather->status, "pairs: out of memory");
  return brink_ok;
}

/* Does this pair, one of which is a plane without a box, come near? `around`: the other one looks around. */
static bool isNearPlane(const Slot *plane, const Slot *slot) {
  if (plane->collider.collider.link >= 0) return true; /* such a plane may be anywhere */
  brinkAabb box = inflate(slot->box, slot->margin);
  return !(planeGap(&plane->collider, &box) > 0.0);
}

static brinkStatus gatherWithPlane(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                   bool wantedOnly, uint32_t plane, uint32_t other) {
  Gather gather = {scene, tree, query, wantedOnly, plane, true, brink_ok};
  gatherPair(&gather, other);
  if (gather.status != brink_ok) return brinkFail(scene->context, gather.status, "pairs: out of memory");
  return brink_ok;
}

/* All allowed pairs of the listed slots, which all look around, with what is near. Planes that move are not among the
 * scene's. */
static brinkStatus gatherListed(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                bool wantedOnly, const uint32_t *slots, size_t count) {
  brinkStatus status = brink_ok;
  for (size_t i = 0; status == brink_ok && i < count; ++i) {
    Gather gather = {scene, tree, query, wantedOnly, slots[i], false, brink_ok};
    const Slot *slot = &scene->slots[slots[i]];
    status = gatherAround(&gather, true);
    for (size_t k = 0; status == brink_ok && k < scene->planeCount; ++k)
      if (isNearPlane(&scene->slots[scene->planes[k]], slot))
        status = gatherWithPlane(scene, tree, query, wantedOnly, scene->planes[k], slots[i]);
  }
  return status;
}

static brinkStatus gatherFromAll(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                 bool wantedOnly) {
  int32_t only = query != NULL && query->onlyLink >= 0 ? query->onlyLink : ALL_LINKS;
  const bool sorted = areSorted(scene, query, wantedOnly);
  brinkStatus status = sorted ? gatherSorted(scene, tree, query) : brink_ok;
  for (uint32_t i = 0; status == brink_ok && i < scene->slotCount; ++i) {
    const Slot *slot = &scene->slots[i];
    if (!slot->alive || !looksAround(query, wantedOnly, slot)) continue;
    if (only != ALL_LINKS && slot->collider.collider.link != only) continue;
    Gather gather = {scene, tree, query, wantedOnly, i, only != ALL_LINKS, brink_ok};
    status = gatherAround(&gather, !sorted);
  }
  for (uint32_t i = 0; status == brink_ok && i < scene->slotCount; ++i) {
    const Slot *plane = &scene->slots[i];
    if (!plane->alive || !isPlane(&plane->collider)) continue;
    bool moves = plane->collider.collider.link >= 0, around = moves && (!wantedOnly || plane->wanted);
    for (uint32_t j = 0; status == brink_ok && j < scene->slotCount; ++j) {
      const Slot *slot = &scene->slots[j];
      if (!slot->alive) continue;
      if (isPlane(&slot->collider)) {
        bool other = slot->collider.collider.link >= 0 && (!wantedOnly || slot->wanted);
        if (j <= i || (!around && !other)) continue; /* each pair once */
      } else if ((!around && !looksAround(query, wantedOnly, slot)) || !isNearPlane(plane, slot)) {
        continue;
      }
      status = gatherWithPlane(scene, tree, query, wantedOnly, i, j);
    }
  }
  return status;
}

/* All allowed pairs whose boxes come within their margins, sorted by key. */
static brinkStatus gatherPairs(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                               bool wantedOnly) {
  scene->candidateCount = 0u;
  if (scene->alone) return gatherAll(scene, tree, query);
  if (scene->few && listBoxes(scene) != brink_ok)
    return brinkFail(scene->context, brink_errorNoMemory, "pairs: out of memory");
  bool listed = hasLists(scene, query) && query->leaveOutResting && query->onlyLink == ALL_LINKS && !wantedOnly;
  brinkStatus status = listed ? gatherListed(scene, tree, query, false, scene->active, scene->activeCount)
                              : gatherFromAll(scene, tree, query, wantedOnly);
  if (status == brink_ok) sortCandidates(scene->candidates, scene->candidateCount);
  return status;
}

/* ---- one pair */

static brinkStatus advanceByScheme(brinkScene *scene, const brinkSceneQuery *query, const brinkAdvanceInput *input,
                                   brinkPairResult *result, brinkAdvanceWork *work) {
  if (query->scheme != SCHEME_PAPER && brinkSweptAxisServes(input))
    return brinkSweptAxisPair(scene->context, scene->sweptScratch, scene->scratch, input, result, work);
  return brinkAdvancePair(scene->context, scene->scratch, input, result, work);
}

static double nextBreak(const brinkAdvanceInput *input, double t, double tEnd) {
  tEnd = brinkMotionTree_NextBreak(input->tree, input->a.link, t, tEnd);
  return brinkMotionTree_NextBreak(input->tree, input->b.link, t, tEnd);
}

/* Paths whose velocities jump are asked piece by piece, so that the schemes see smooth motions only. */
static brinkStatus advanceInParts(brinkScene *scene, const brinkSceneQuery *query, const brinkAdvanceInput *input,
                                  brinkPairResult *result, brinkAdvanceWork *work) {
  double cut = nextBreak(input, input->tStart, input->tEnd), distance = HUGE_VAL;
  if (!(cut < input->tEnd)) return advanceByScheme(scene, query, input, result, work);
  uint64_t iterations = 0;
  for (double from = input->tStart;; from = cut) {
    cut = nextBreak(input, from, input->tEnd);
    bool last = !(cut < input->tEnd);
    if (!last && input->provenUntil >= cut) continue;
    brinkAdvanceInput part = *input;
    part.tStart = from;
    part.tEnd = cut;
    part.provenUntil = BRINK_MIN(BRINK_MAX(input->provenUntil, from), cut);
    brinkStatus status = advanceByScheme(scene, query, &part, result, work);
    if (status != brink_ok) return status;
    iterations += result->iterations;
    distance = BRINK_MIN(distance, result->distance);
    if (result->state == brink_overlap && from > input->tStart) result->state = brink_hit;
    if (result->state != brink_free || last || !(cut <= input->stopAfter)) break;
  }
  result->iterations = iterations;
  if (result->state == brink_free) result->distance = distance;
  return brink_ok;
}

static double linkMarginOf(const brinkSceneQuery *query, const brinkSceneCollider *collider) {
  int32_t link = collider->collider.link;
  return query->linkMargin != NULL && link >= 0 ? query->linkMargin[link] : 0.0;
}

static bool isMeshPair(const brinkSceneCollider *a, const brinkSceneCollider *b) { return isMesh(a) || isMesh(b); }

/* The largest threshold that chooseThreshold may pick: a lower bound made with it holds for every other. */
static void makeInput(const brinkScene *scene, const brinkSceneQuery *query, const Candidate *candidate,
                      brinkAdvanceInput *input) {
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  *input = (brinkAdvanceInput){.tree = query->tree,
                               .a = a->collider,
                               .b = b->collider,
                               .tStart = query->tStart,
                               .tEnd = query->tEnd,
                               .stopAfter = HUGE_VAL,
                               .maxIterations = query->maxIterations,
                               .eq10 = false,
                               .provenUntil = query->tStart};
  input->tolerance = toleranceOf(query, sizeOf(a), sizeOf(b));
  input->leftOut = leftOutOf(scene, candidate->a, candidate->b);
  input->anyContact = query->mode == MODE_BOOLEAN;
  input->threshold = query->threshold + linkMarginOf(query, a) + linkMarginOf(query, b);
  if (query->watch != WATCH_DEPTH) return;
  input->threshold = 0.0;
  double allowance = allowanceOf(a, b);
  input->tolerance = BRINK_MIN(input->tolerance, allowance / ALLOWANCE_PARTS);
  if (isMeshPair(a, b)) input->threshold = 0.5 * allowance;
}

/* What separation is this pair's event (brinkWatch in brink/ccd.h)? The bands are shifted by a few tolerances, so that
 * an event never lies within the tolerance of where the pair starts. *settled: the answer is in result already. */
static brinkStatus chooseThreshold(brinkScene *scene, const brinkSceneQuery *query, const Candidate *candidate,
                                   brinkAdvanceInput *input, brinkPairResult *result, bool *settled,
                                   brinkAdvanceWork *work) {
  *settled = false;
  if (query->watch != WATCH_DEPTH) return brink_ok;
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  double allowance = allowanceOf(a, b), edge = 4.0 * input->tolerance;
  bool mesh = isMeshPair(a, b);
  if (mesh && input->provenUntil > input->tStart) return brink_ok; /* hulls already stay beyond allowance/2 */
  double enough = (mesh ? 0.5 : 0.25) * allowance + edge;
  brinkStatus status =
      brinkPairDistanceAtStart(scene->context, scene->scratch, input, 0.25 * input->tolerance, enough, result, work);
  if (status != brink_ok) return status;
  double start = result->distance;
  if (start == -HUGE_VAL) { /* two planes across each other: deeper they cannot get */
    *settled = true;
    return brink_ok;
  }
  if (mesh) {
    *settled = result->state == brink_overlap;
    if (start >= enough)
      input->threshold = 0.5 * allowance;
    else if (start > 0.25 * allowance + edge)
      input->threshold = 0.25 * allowance;
    else
      input->threshold = 0.5 * start;
  } else if (start >= enough) {
    input->threshold = 0.0;
  } else if (start > -allowance + edge) {
    input->threshold = BRINK_MAX(BRINK_MIN(start, 0.0) - 0.5 * allowance, -allowance);
  } else {
    input->threshold = start - allowance / 16.0;
  }
  if (mesh && !*settled) input->tolerance = BRINK_MIN(input->tolerance, 0.25 * (start - input->threshold));
  if (!(input->tolerance > 0.0)) input->tolerance = DBL_MIN;
  return brink_ok;
}

/* ---- pairs that may sink into each other, because their contacts need surfaces that cross */

typedef struct Sink {
  double depth, limit; /* m */
  double inset;        /* m, of the core */
  bool coreIsB;
  bool hasOther;                     /* the other shape has a core, too */
  double allowedDepth, allowedLimit; /* m, as the host said */
  brinkShape core;
} Sink;

static void placeCore(const brinkScene *scene, const brinkAdvanceInput *input, double inset, Sink *sink) {
  sink->inset = inset;
  brinkMakeInnerCore(sink->coreIsB ? input->b.shape : input->a.shape, inset, scene->coreRoom, &sink->core);
}

/* Watches the core of one of the two. */
static brinkStatus takeCore(brinkScene *scene, const brinkAdvanceInput *input, bool coreIsB, Sink *sink, bool *taken) {
  const brinkShape *shape = coreIsB ? input->b.shape : input->a.shape;
  const double most = brinkInnerCore_Most(shape);
  *taken = false;
  sink->coreIsB = coreIsB;
  sink->depth = BRINK_MIN(sink->allowedDepth, most / (1.0 + CORE_LEFT));
  sink->limit = BRINK_MIN(BRINK_MAX(sink->allowedLimit, sink->depth), most - CORE_LEFT * sink->depth);
  if (!(sink->depth > 0.0) || !isfinite(sink->depth) || !isfinite(sink->limit)) return brink_ok;
  brinkStatus status = RESERVE(scene, coreRoom, coreRoomCapacity, brinkInnerCore_Room(shape));
  if (status != brink_ok) return brinkFail(scene->context, status, "core: out of memory");
  placeCore(scene, input, (1.0 + CORE_LEFT) * sink->depth, sink);
  *taken = true;
  return brink_ok;
}

/* Is this such a pair, and has it a core? A shape that is no mesh gives the core rather than a mesh that bounds a
 * convex body. */
static brinkStatus beginSink(brinkScene *scene, const brinkSceneQuery *query, const Candidate *candidate,
                             brinkAdvanceInput *input, Sink *sink, bool *sinks) {
  *sinks = false;
  if (query->watch != WATCH_DEPTH || query->sink == NULL || input->leftOut.any) return brink_ok;
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  if (!isMeshPair(a, b)) return brink_ok;
  double mostA = brinkInnerCore_Most(input->a.shape), mostB = brinkInnerCore_Most(input->b.shape);
  bool coreIsB = mostA <= 0.0 || (isMesh(a) && !isMesh(b) && mostB > 0.0);
  if (!((coreIsB ? mostB : mostA) > 0.0)) return brink_ok;
  sink->hasOther = isMesh(a) && isMesh(b) && mostA > 0.0 && mostB > 0.0;
  sink->allowedLimit = 0.0;
  sink->allowedDepth = query->sink(query->sinkUser, a, b, &sink->allowedLimit);
  brinkStatus status = takeCore(scene, input, coreIsB, sink, sinks);
  if (*sinks) input->hullsServe = true;
  return status;
}

static brinkAdvanceInput coreInput(const brinkAdvanceInput *input, const Sink *sink) {
  brinkAdvanceInput core = *input;
  (sink->coreIsB ? &core.b : &core.a)->shape = &sink->core;
  core.tolerance = BRINK_MIN(core.tolerance, sink->depth / ALLOWANCE_PARTS);
  return core;
}

/* Distance of the core at the start, when it is below `enough`. */
static brinkStatus measureOneCore(brinkScene *scene, const brinkAdvanceInput *input, const Sink *sink, double enough,
                                  brinkPairResult *result, brinkAdvanceWork *work) {
  brinkAdvanceInput core = coreInput(input, sink);
  return brinkPairDistanceAtStart(scene->context, scene->scratch, &core, 0.25 * core.tolerance, enough, result, work);
}

/* The same of the core that is to be watched: of a pair that has sunk already the one for its limit (`deep`: in any
 * case). A half-space is deep without end: its core goes as much deeper as it takes to lie off the mesh. */
static brinkStatus measureCore(brinkScene *scene, const brinkAdvanceInput *input, Sink *sink, bool deep, double enough,
                               brinkPairResult *result, brinkAdvanceWork *work) {
  if (deep) placeCore(scene, input, sink->limit + CORE_LEFT * sink->depth, sink);
  brinkStatus status = measureOneCore(scene, input, sink, enough, result, work);
  if (status != brink_ok) return status;
  const bool across = result->state == brink_overlap;
  if (sink->core.piece.kind == brink_pieceHalfSpace) {
    const double least = CORE_LEFT * sink->depth;
    if (!(result->distance < least) || !isfinite(result->distance)) return brink_ok;
    placeCore(scene, input, sink->inset + least - result->distance, sink);
    result->distance = least;
    result->state = brink_free;
    return brink_ok;
  }
  if (deep || !(sink->limit > sink->depth) || !(across || result->distance < sink->inset - SUNK * sink->depth))
    return brink_ok;
  return measureCore(scene, input, sink, true, HUGE_VAL, result, work);
}

static brinkStatus measureInnermostOf(brinkScene *scene, const brinkAdvanceInput *input, bool coreIsB, Sink *sink,
                                      brinkPairResult *result, brinkAdvanceWork *work) {
  const double inset = brinkInnerCore_Most(coreIsB ? input->b.shape : input->a.shape);
  bool taken;
  brinkStatus status = takeCore(scene, input, coreIsB, sink, &taken);
  if (status != brink_ok || !taken || !(inset > sink->inset) || !isfinite(inset)) return status;
  placeCore(scene, input, inset, sink);
  return measureOneCore(scene, input, sink, HUGE_VAL, result, work);
}

/* Deeper than it may be, because the host put it there or allows less now: as long as the innermost core of a shape is
 * off the surface, the shape's side is known. Of two meshes the smaller one's first: the other may be a room. */
static brinkStatus measureInnermost(brinkScene *scene, const brinkAdvanceInput *input, Sink *sink,
                                    brinkPairResult *result, brinkAdvanceWork *work) {
  bool coreIsB = sink->coreIsB;
  if (sink->hasOther) coreIsB = brinkInnerCore_Most(input->b.shape) < brinkInnerCore_Most(input->a.shape);
  brinkStatus status = measureInnermostOf(scene, input, coreIsB, sink, result, work);
  if (status != brink_ok || result->state != brink_overlap || !sink->hasOther) return status;
  return measureInnermostOf(scene, input, !coreIsB, sink, result, work);
}

/* A body inside a hollow mesh that bounds a convex one (a room) lies in the core of that: its own core has a side. */
static brinkStatus measureEitherCore(brinkScene *scene, const brinkAdvanceInput *input, Sink *sink, bool deep,
                                     double partOfDepth, brinkPairResult *result, brinkAdvanceWork *work) {
  brinkStatus status = measureCore(scene, input, sink, deep, sink->inset + partOfDepth * sink->depth, result, work);
  if (status != brink_ok || result->state != brink_overlap) return status;
  bool taken = false;
  if (sink->hasOther) status = takeCore(scene, input, !sink->coreIsB, sink, &taken);
  if (status == brink_ok && taken)
    status = measureCore(scene, input, sink, deep, sink->inset + partOfDepth * sink->depth, result, work);
  if (status != brink_ok || result->state != brink_overlap) return status;
  return measureInnermost(scene, input, sink, result, work);
}

/* How near the core may come, for a core that starts at distance `start`: as for convex shapes (chooseThreshold), for
 * the separation start - inset, and never down to 0. */
static double coreThreshold(const Sink *sink, double start, double edge) {
  double separation = start - sink->inset;
  if (separation > edge - sink->limit)
    return sink->inset + BRINK_MAX(BRINK_MIN(separation, 0.0) - SINK_STEP * sink->depth, -sink->limit);
  return start - BRINK_MIN(sink->depth / 16.0, 0.5 * start);
}

/* The core's answer in terms of the shape: as if its boundary lay `inset` out of the core's. */
static void tellSinking(const Sink *sink, brinkPairResult *result) {
  result->distance -= sink->inset;
  brinkVec3 out = brinkScale(result->normal, sink->inset);
  if (sink->coreIsB)
    result->pointB = brinkSub(result->pointB, out);
  else
    result->pointA = brinkAdd(result->pointA, out);
}

/* A pair that may sink. From apart, the surfaces' event counts as for any mesh, if without it the pair would sink too
 * far in this interval; else the host's contacts, which see the surfaces cross at the next step, are in time. A pair
 * that touches or crosses is watched at its core. *threshold: for the report. */
static brinkStatus advanceSinking(brinkScene *scene, const brinkSceneQuery *query, const Candidate *candidate,
                                  brinkAdvanceInput *input, Sink *sink, brinkPairResult *result, double *threshold,
                                  brinkAdvanceWork *work) {
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  const double quarter = 0.25 * allowanceOf(a, b);
  bool near = !(input->provenUntil > input->tStart), settled = false;
  double start = HUGE_VAL;
  brinkStatus status = brink_ok;
  if (near) {
    status = measureEitherCore(scene, input, sink, false, 0.25, result, work);
    if (status != brink_ok) return status;
    *threshold = -sink->inset;
    if (result->state == brink_overlap) return brink_ok; /* there is no telling its side */
    start = result->distance;
  }
  if (start > sink->inset) {
    status = chooseThreshold(scene, query, candidate, input, result, &settled, work);
    if (status != brink_ok) return status;
    *threshold = input->threshold;
    if (!settled && input->threshold >= quarter) {
      status = advanceInParts(scene, query, input, result, work);
      if (status != brink_ok || result->state == brink_free) return status;
      brinkAdvanceInput core = coreInput(input, sink);
      brinkPairResult sunk;
      core.threshold = sink->inset - SINK_STEP * sink->depth;
      core.stopAfter = HUGE_VAL;
      status = advanceInParts(scene, query, &core, &sunk, work);
      sunk.iterations += result->iterations;
      if (status != brink_ok || sunk.state != brink_free) return status;
      *result = sunk;
      result->distance = 0.0;
      return brink_ok;
    }
  }
  brinkAdvanceInput core = coreInput(input, sink);
  core.threshold = coreThreshold(sink, start, 4.0 * core.tolerance);
  core.tolerance = BRINK_MIN(core.tolerance, 0.25 * (start - core.threshold));
  if (!(core.tolerance > 0.0)) core.tolerance = DBL_MIN;
  *threshold = core.threshold - sink->inset;
  status = advanceInParts(scene, query, &core, result, work);
  if (status == brink_ok) tellSinking(sink, result);
  return status;
}

brinkStatus brinkScene_Sinking(brinkScene *scene, const brinkSceneQuery *query, uint32_t a, uint32_t b,
                               brinkSceneSinking *out) {
  *out = (brinkSceneSinking){0};
  if (slotAt(scene, a) == NULL || slotAt(scene, b) == NULL)
    return brinkFail(scene->context, brink_errorStale, "collider %u or %u is gone", (unsigned)a, (unsigned)b);
  const Candidate candidate = {scene->slots[a].collider.key, scene->slots[b].collider.key, a, b};
  brinkAdvanceInput input;
  Sink sink;
  bool sinks;
  makeInput(scene, query, &candidate, &input);
  brinkStatus status = beginSink(scene, query, &candidate, &input, &sink, &sinks);
  if (status != brink_ok || !sinks) return status;
  brinkPairResult result;
  brinkAdvanceWork work = {0};
  status = measureEitherCore(scene, &input, &sink, true, HUGE_VAL, &result, &work);
  if (status != brink_ok) return status;
  out->depth = sink.depth;
  out->limit = sink.limit;
  out->coreGap = result.state == brink_overlap ? 0.0 : BRINK_MAX(result.distance, 0.0);
  out->separation = out->coreGap - sink.inset;
  if (result.state == brink_overlap) return brink_ok;
  tellSinking(&sink, &result);
  out->pointA = result.pointA;
  out->pointB = result.pointB;
  out->normal = result.normal;
  return brink_ok;
}

/* ---- the query */

static brinkStatus checkQuery(brinkScene *scene, const brinkSceneQuery *query) {
  brinkContext *context = scene->context;
  if (query->tree == NULL) return brinkFail(context, brink_errorNullArgument, "query: motion tree is NULL");
  if (!(query->tStart <= query->tEnd) || !isfinite(query->tStart) || !isfinite(query->tEnd))
    return brinkFail(context, brink_errorBadTime, "query: interval [%g, %g] is reversed or not finite", query->tStart,
                     query->tEnd);
  if (!(query->tolerance >= 0.0) || !isfinite(query->tolerance) || !(query->window >= 0.0))
    return brinkFail(context, brink_errorBadValue, "query: tolerance %g and window %g must be >= 0, tolerance finite",
                     query->tolerance, query->window);
  if (query->taylorOrder < 0 || query->taylorOrder > BRINK_MAX_ORDER)
    return brinkFail(context, brink_errorBadValue, "query: Taylor order %d; 0 to %d are known", query->taylorOrder,
                     BRINK_MAX_ORDER);
  if (!(query->threshold >= 0.0) || !isfinite(query->threshold))
    return brinkFail(context, brink_errorBadValue, "query: threshold %g must be finite and >= 0", query->threshold);
  if (query->mode > MODE_BOOLEAN || query->scheme > SCHEME_SWEPT_AXIS || query->watch > WATCH_DEPTH)
    return brinkFail(context, brink_errorBadValue, "query: unknown mode %u, scheme %u or watch %u",
                     (unsigned)query->mode, (unsigned)query->scheme, (unsigned)query->watch);
  if (query->onlyLink < ALL_LINKS || query->onlyLink >= query->tree->linkCount)
    return brinkFail(context, brink_errorBadIndex, "query: onlyLink %d; the tree has %d links", (int)query->onlyLink,
                     (int)query->tree->linkCount);
  return brink_ok;
}

static brinkStatus checkLinks(brinkScene *scene, const brinkMotionTree *tree) {
  for (size_t i = 0; i < scene->slotCount; ++i) {
    const brinkSceneCollider *collider = &scene->slots[i].collider;
    if (!scene->slots[i].alive) continue;
    int32_t link = collider->collider.link;
    if (link < -1 || link >= tree->linkCount)
      return brinkFail(scene->context, brink_errorBadIndex, "collider %zu: link %d; the tree has %d links", i,
                       (int)link, (int)tree->linkCount);
  }
  return brink_ok;
}

static void setMargin(Slot *slot, const brinkSceneQuery *query, double largest) {
  double size = sizeOf(&slot->collider);
  /* A point's own size says nothing: its pairs take the other's tolerance, which is at most this. */
  slot->margin = query->tolerance > 0.0 || size > 0.0 ? toleranceOf(query, size, size) : DEFAULT_TOLERANCE;
  slot->margin += query->watch == WATCH_DEPTH ? 0.5 * brinkSceneCollider_Allowance(&slot->collider) : query->threshold;
  slot->margin += linkMarginOf(query, &slot->collider) + largest;
}

/* Once the colliders are placed. */
static void setMargins(brinkScene *scene, const brinkSceneQuery *query) {
  double largest = 0.0; /* the other of a pair may be off too */
  for (int32_t i = 0; query->linkMargin != NULL && i < query->tree->linkCount; ++i)
    largest = BRINK_MAX(largest, query->linkMargin[i]);
  if (hasLists(scene, query) && query->leaveOutResting) {
    for (size_t i = 0; i < scene->activeCount; ++i) setMargin(&scene->slots[scene->active[i]], query, largest);
    return;
  }
  for (size_t i = 0; i < scene->slotCount; ++i) {
    Slot *slot = &scene->slots[i];
    if (slot->alive && slot->collider.collider.link >= 0) setMargin(slot, query, largest);
  }
}

static brinkStatus prepareResults(brinkScene *scene) {
  size_t count = scene->candidateCount;
  brinkStatus status = RESERVE(scene, results, resultCapacity, count);
  if (status == brink_ok) status = RESERVE(scene, reported, reportedCapacity, count);
  if (status == brink_ok) status = RESERVE(scene, order, orderCapacity, count);
  if (status != brink_ok) return brinkFail(scene->context, status, "results: out of memory");
  for (size_t i = 0; i < count; ++i) {
    scene->results[i] = (brinkScenePairResult){.a = scene->candidates[i].a, .b = scene->candidates[i].b};
    scene->results[i].result.toi = -1.0; /* not answered (temporal culling) */
  }
  return brink_ok;
}

static bool isContact(const brinkPairResult *result) {
  return result->state == brink_hit || result->state == brink_overlap;
}

/* Does the swept-axis scheme take the pair as it comes? It settles far pairs by their root boxes for less than any
 * lower bound costs. */
static bool takesAsItComes(const brinkSceneQuery *query, const brinkAdvanceInput *input) {
  return query->scheme != SCHEME_PAPER && query->watch == WATCH_CONTACT && brinkSweptAxisServes(input);
}

/* Lower bounds of all pairs from their hulls ([CATCH] Algorithm 1, lines 1-4). */
static brinkStatus queuePairs(brinkScene *scene, const brinkSceneQuery *query, brinkAdvanceWork *work) {
  brinkPairQueue_Clear(&scene->queue);
  for (size_t i = 0; i < scene->candidateCount; ++i) {
    brinkAdvanceInput input;
    makeInput(scene, query, &scene->candidates[i], &input);
    double bound = takesAsItComes(query, &input) ? query->tStart : brinkHullLowerBound(&input, work);
    scene->results[i].threshold = input.threshold;
    if (bound == HUGE_VAL) {
      brinkPairResult *result = &scene->results[i].result;
      result->state = brink_free;
      result->toi = result->toiUpper = query->tEnd;
      result->distance = input.threshold;
      continue;
    }
    brinkStatus status = brinkPairQueue_Push(scene->context, &scene->queue, bound, (uint32_t)i);
    if (status != brink_ok) return brinkFail(scene->context, status, "pair queue: out of memory");
  }
  return brink_ok;
}

/* Pairs by ascending bound, one best toi shared by all (Algorithm 1, lines 6-23). */
static brinkStatus advancePairs(brinkScene *scene, const brinkSceneQuery *query, brinkAdvanceWork *work,
                                brinkSceneCounters *counters, double *first) {
  double bound;
  uint32_t index;
  double window = query->mode == MODE_FIRST ? query->window : 0.0;
  uint64_t spent = 0;
  bool stopped = false;
  *first = HUGE_VAL;
  while (brinkPairQueue_Pop(&scene->queue, &bound, &index)) {
    if (query->mode != MODE_PAIRS && bound > *first + window) break;
    stopped = stopped || (query->maxTotal > 0u && spent >= query->maxTotal) ||
              (query->goOn != NULL && !query->goOn(query->goOnUser));
    if (stopped) {
      scene->results[index].result =
          (brinkPairResult){.state = brink_unresolved, .toi = bound, .toiUpper = BRINK_MIN(query->tEnd, *first)};
      continue;
    }
    const Candidate *candidate = &scene->candidates[index];
    brinkPairResult *result = &scene->results[index].result;
    brinkAdvanceInput input;
    bool settled;
    makeInput(scene, query, candidate, &input);
    if (query->maxTotal > 0u && (input.maxIterations == 0u || input.maxIterations > query->maxTotal - spent))
      input.maxIterations = query->maxTotal - spent;
    input.provenUntil = bound;
    uint64_t distancesBefore = work->distanceQueries;
    if (query->mode != MODE_PAIRS) input.stopAfter = *first + window;
    Sink sink;
    bool sinks;
    brinkStatus status = beginSink(scene, query, candidate, &input, &sink, &sinks);
    if (status == brink_ok && sinks) {
      status = advanceSinking(scene, query, candidate, &input, &sink, result, &scene->results[index].threshold, work);
    } else if (status == brink_ok) {
      status = chooseThreshold(scene, query, candidate, &input, result, &settled, work);
      if (status == brink_ok && !settled) status = advanceInParts(scene, query, &input, result, work);
      scene->results[index].threshold = input.threshold;
    }
    if (status != brink_ok) return status;
    spent += result->iterations;
    /* Culled: settled by the root boxes, whole or in halves, without a distance. */
    bool culled = takesAsItComes(query, &input) && work->distanceQueries == distancesBefore && result->iterations <= 2u;
    if (!culled) ++counters->pairsTemporal;
    if (isContact(result)) *first = BRINK_MIN(*first, result->toi);
    if (isContact(result) && query->mode == MODE_BOOLEAN) break;
  }
  return brink_ok;
}

static bool resultAfter(const brinkScene *scene, uint32_t x, uint32_t y) {
  double toiX = scene->results[x].result.toi, toiY = scene->results[y].result.toi;
  return toiX != toiY ? toiX > toiY : x > y; /* results stand in key order */
}

static void siftOrder(brinkScene *scene, size_t at, size_t count) {
  uint32_t *heap = scene->order, moved = heap[at];
  for (size_t child = 2u * at + 1u; child < count; child = 2u * at + 1u) {
    if (child + 1u < count && resultAfter(scene, heap[child + 1u], heap[child])) ++child;
    if (!resultAfter(scene, heap[child], moved)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

static void sortOrder(brinkScene *scene, size_t count) {
  for (size_t i = count / 2u; i-- > 0u;) siftOrder(scene, i, count);
  for (size_t last = count; last > 1u;) {
    uint32_t largest = scene->order[0];
    scene->order[0] = scene->order[--last];
    scene->order[last] = largest;
    siftOrder(scene, 0u, last);
  }
}

static bool sameThings(const Candidate *x, const Candidate *y) { return x->keyA == y->keyA && x->keyB == y->keyB; }

/* Of two parts' answers, the one that speaks for both: the earlier event or gap in the proof; overlap, hit, unresolved
 * in this order at the same time; of free ones the nearer. */
static bool speaksFirst(const brinkPairResult *x, const brinkPairResult *y) {
  static const int rank[4] = {3, 1, 0, 2};                   /* free, hit, overlap, unresolved */
  if ((x->toi < 0.0) != (y->toi < 0.0)) return y->toi < 0.0; /* one was not asked */
  if ((x->state == brink_free) != (y->state == brink_free)) return y->state == brink_free;
  if (x->state == brink_free) return x->distance < y->distance;
  if (x->toi != y->toi) return x->toi < y->toi;
  return rank[x->state] < rank[y->state];
}

/* Pairs of parts of the same two things (they stand together: candidates are sorted by key) become one answer. */
static void mergeParts(brinkScene *scene) {
  size_t last = 0;
  for (size_t i = 1; i < scene->candidateCount; ++i) {
    brinkPairResult *kept = &scene->results[last].result, *next = &scene->results[i].result;
    if (!sameThings(&scene->candidates[last], &scene->candidates[i])) {
      last = i;
      continue;
    }
    if (speaksFirst(next, kept)) scene->results[last] = scene->results[i];
    next->toi = -1.0;
  }
}

/* Selects what the mode asks for, sorts it, and sums up the whole. */
static void makeReport(brinkScene *scene, const brinkSceneQuery *query, double first, brinkSceneReport *report) {
  double window = query->mode == MODE_FIRST ? query->window : 0.0;
  double earliest = first;
  size_t count = 0;
  mergeParts(scene);
  bool contact = false, unresolved = false, overlap = false;
  for (size_t i = 0; i < scene->candidateCount; ++i) {
    const brinkPairResult *result = &scene->results[i].result;
    if (result->toi < 0.0) continue;
    bool open = result->state == brink_unresolved, met = isContact(result);
    if (open) ++report->counters.unresolved;
    bool inWindow = (open || met) && result->toi <= first + window;
    if (query->mode == MODE_PAIRS || inWindow) scene->order[count++] = (uint32_t)i;
    if (!inWindow && query->mode != MODE_PAIRS) continue;
    contact = contact || met;
    unresolved = unresolved || open;
    overlap = overlap || result->state == brink_overlap;
    if (open || met) earliest = BRINK_MIN(earliest, result->toi);
  }
  sortOrder(scene, count);
  for (size_t i = 0; i < count; ++i) scene->reported[i] = scene->results[scene->order[i]];
  report->pairs = scene->reported;
  report->pairCount = count;
  report->state = contact ? (overlap ? brink_overlap : brink_hit) : unresolved ? brink_unresolved : brink_free;
  report->toi = contact || unresolved ? earliest : NEVER;
}

static brinkStatus reserveLinks(brinkScene *scene, size_t links) {
  brinkStatus status = RESERVE(scene, poses, poseCapacity, links);
  if (status == brink_ok) status = RESERVE(scene, endPoses, endPoseCapacity, links);
  if (status == brink_ok) status = RESERVE(scene, partPoses, partPoseCapacity, (CHORD_PARTS - 1) * links);
  if (status == brink_ok) status = RESERVE(scene, bounds, boundCapacity, links);
  if (status == brink_ok) status = RESERVE(scene, linkCounts, linkCountCapacity, links);
  if (status == brink_ok) status = RESERVE(scene, linkNeeds, linkNeedCapacity, links);
  if (status != brink_ok) return brinkFail(scene->context, status, "motions: out of memory");
  return brink_ok;
}

/* Boxes of what moved since the last query of this kind; the links of those slots are roots without children. */
static brinkStatus sweepMoved(brinkScene *scene, Sweep *sweep) {
  brinkStatus status = brink_ok;
  while (status == brink_ok && scene->movedCount > 0u) {
    uint32_t index = scene->moved[scene->movedCount - 1u];
    Slot *slot = &scene->slots[index];
    if (slot->alive && isMoving(slot)) {
      slot->resting = restsAlone(sweep->tree, slot->collider.collider.link);
      if (slot->resting) {
        status = placeResting(scene, sweep, slot, index);
      } else {
        slot->restKnown = false;
        prepareRoot(scene, sweep, slot->collider.collider.link);
        status = placeSwept(scene, sweep, slot, index);
      }
      setActive(scene, index, !slot->resting);
    }
    if (status == brink_ok) {
      slot->isListed = false;
      --scene->movedCount;
    }
  }
  return status;
}

static brinkStatus sweepAll(brinkScene *scene, const brinkSceneQuery *query, Sweep *sweep) {
  const brinkMotionTree *tree = query->tree;
  brinkScene_MarkAllMoved(scene);
  findNeeds(scene, tree);
  if (tree->linkCount > 0 && !sweep->always) {
    brinkMotionTree_PosesOf(tree, scene->linkNeeds, query->tStart, scene->poses);
    brinkMotionTree_PosesOf(tree, scene->linkNeeds, query->tEnd, scene->endPoses);
    brinkMotionTree_BoundsOf(tree, scene->linkNeeds, query->tStart, query->tEnd, scene->bounds);
  }
  brinkStatus status = placeColliders(scene, sweep);
  if (status == brink_ok && query->serial != 0u && !sweep->always && !scene->few) status = listSlots(scene);
  return status;
}

/* Swept boxes of all colliders over the query's interval; those that are there already are kept. */
static brinkStatus sweepColliders(brinkScene *scene, const brinkSceneQuery *query, Sweep *sweep) {
  bool kept = hasLists(scene, query) && query->tStart == scene->placedStart && query->tEnd == scene->placedEnd;
  brinkStatus status = kept ? (query->serial == scene->placedSerial ? brink_ok : sweepMoved(scene, sweep))
                            : sweepAll(scene, query, sweep);
  if (status != brink_ok) brinkScene_MarkAllMoved(scene);
  if (status != brink_ok || sweep->always || scene->few || query->serial == 0u) return status;
  scene->placedSerial = scene->hasMovingPlanes ? 0u : query->serial;
  scene->placedStart = query->tStart;
  scene->placedEnd = query->tEnd;
  return brink_ok;
}

brinkStatus brinkFirstContact(brinkScene *scene, const brinkSceneQuery *query, brinkSceneReport *report) {
  brinkStatus status = checkQuery(scene, query);
  if (status == brink_ok && !hasLists(scene, query)) status = checkLinks(scene, query->tree);
  if (status != brink_ok) return status;
  const brinkMotionTree *tree = query->tree;
  status = reserveLinks(scene, (size_t)tree->linkCount);
  if (status != brink_ok) return status;
  memset(report, 0, sizeof *report);
  report->counters.pairsBefore = countPairs(scene, tree, query);

  /* Spatial culling. */
  Sweep sweep = {tree, query->tStart, query->tEnd, query->taylorOrder, query->scheme == SCHEME_PAPER, false, 0};
  scene->alone = report->counters.pairsBefore <= 1u && query->scheme != SCHEME_PAPER && query->watch == WATCH_CONTACT &&
                 !query->leaveOutResting;
  if (!scene->alone) {
    status = sweepColliders(scene, query, &sweep);
    setMargins(scene, query);
  }
  if (status == brink_ok) status = gatherPairs(scene, tree, query, false);
  if (status == brink_ok) status = prepareResults(scene);
  if (status != brink_ok) return status;
  report->counters.pairsSpatial = scene->candidateCount;

  /* Temporal culling. */
  brinkAdvanceWork work = {0};
  double first;
  status = brinkSweptAxisScratch_BeginQuery(scene->context, scene->sweptScratch, tree, query->tStart, query->tEnd);
  if (status == brink_ok) status = queuePairs(scene, query, &work);
  if (status == brink_ok) status = advancePairs(scene, query, &work, &report->counters, &first);
  brinkSweptAxisScratch_EndQuery(scene->sweptScratch);
  if (status != brink_ok) return status;
  report->counters.distanceQueries = work.distanceQueries;
  report->counters.advancements = work.advancements;
  report->counters.nodePairs = work.nodePairs;
  makeReport(scene, query, first, report);
  return brink_ok;
}

static brinkStatus tellPairs(brinkScene *scene, const brinkIndexPair **pairs, size_t *count) {
  brinkStatus status = RESERVE(scene, near, nearCapacity, scene->candidateCount);
  if (status != brink_ok) return brinkFail(scene->context, status, "near pairs: out of memory");
  for (size_t i = 0; i < scene->candidateCount; ++i)
    scene->near[i] = (brinkIndexPair){scene->candidates[i].a, scene->candidates[i].b};
  *pairs = scene->near;
  *count = scene->candidateCount;
  return brink_ok;
}

brinkStatus brinkScene_NearPairs(brinkScene *scene, const brinkMotionTree *tree, double t, double margin,
                                 const brinkSceneQuery *filters, const brinkIndexPair **pairs, size_t *count) {
  if (!isfinite(t) || !(margin >= 0.0))
    return brinkFail(scene->context, brink_errorBadValue, "near pairs: time %g, margin %g; finite and >= 0 are needed",
                     t, margin);
  size_t links = (size_t)tree->linkCount;
  brinkStatus status = checkLinks(scene, tree);
  if (status != brink_ok) return status;
  status = RESERVE(scene, poses, poseCapacity, links);
  if (status != brink_ok) return brinkFail(scene->context, status, "near pairs: out of memory");
  if (links > 0u) brinkMotionTree_Poses(tree, t, scene->poses);
  for (size_t i = 0; i < scene->slotCount; ++i) scene->slots[i].margin = margin;
  scene->alone = false;
  Sweep still = {0};
  brinkScene_MarkAllMoved(scene);
  status = placeColliders(scene, &still);
  if (status == brink_ok) status = gatherPairs(scene, tree, filters, false);
  if (status != brink_ok) return status;
  return tellPairs(scene, pairs, count);
}

brinkStatus brinkScene_PairsOf(brinkScene *scene, const brinkSceneQuery *query, const uint32_t *slots, size_t slotCount,
                               double margin, const brinkIndexPair **pairs, size_t *count) {
  const brinkMotionTree *tree = query->tree;
  if (!(margin >= 0.0))
    return brinkFail(scene->context, brink_errorBadValue, "near pairs: margin %g; >= 0 is needed", margin);
  brinkStatus status = hasLists(scene, query) ? brink_ok : checkLinks(scene, tree);
  if (status == brink_ok) status = reserveLinks(scene, (size_t)tree->linkCount);
  if (status != brink_ok) return status;
  Sweep sweep = {tree, query->tStart, query->tEnd, query->taylorOrder, false, false, 0};
  scene->alone = false;
  status = sweepColliders(scene, query, &sweep);
  if (status != brink_ok) return status;
  bool listed = hasLists(scene, query);
  for (size_t i = 0; i < slotCount; ++i) {
    if (slotAt(scene, slots[i]) == NULL)
      return brinkFail(scene->context, brink_errorStale, "collider %u is gone", (unsigned)slots[i]);
    scene->slots[slots[i]].margin = margin;
    scene->slots[slots[i]].wanted = true;
    listed = listed && isMoving(&scene->slots[slots[i]]);
  }
  if (listed) {
    scene->candidateCount = 0u;
    status = gatherListed(scene, tree, query, true, slots, slotCount);
    if (status == brink_ok) sortCandidates(scene->candidates, scene->candidateCount);
  } else {
    status = gatherPairs(scene, tree, query, true);
  }
  for (size_t i = 0; i < slotCount; ++i) scene->slots[slots[i]].wanted = false;
  return status == brink_ok ? tellPairs(scene, pairs, count) : status;
}
