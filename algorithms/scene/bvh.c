/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamic tree of boxes: leaves go in where they add the least surface, rotations keep every node balanced, so a
 * query's stack is short.
 *
 * Boxes that are infinite or not numbers (planes, overflowed motions) would spoil every ancestor's box: they are kept
 * in a list beside the tree and tested one by one, first.
 *
 * Based on: [CATCH] Sec. 5.2; surface area heuristic (Goldsmith and Salmon 1987); balance by height (Adelson-Velsky and
 * Landis 1962). Nothing depends on addresses or time. Units: m. */
#include "bvh.h"

#define NONE (-1)
#define LARGEST_HEIGHT 64 /* balanced by height: 2^31 nodes reach 46 */

typedef struct Node {
  brinkAabb box;
  int32_t parent;   /* NONE: root; for free nodes and list members: next */
  int32_t child[2]; /* NONE for leaves */
  int32_t previous; /* list members only */
  int32_t height;   /* 0 for leaves */
  uint32_t id;
  bool unbounded; /* member of the list */
} Node;

struct brinkBvh {
  brinkContext *context;
  Node *nodes;
  size_t capacity, used; /* nodes[used..capacity) were never touched */
  int32_t root, freeList, unboundedList;
  size_t leafCount;
};

static brinkAabb boxUnion(const brinkAabb *a, const brinkAabb *b) {
  return (brinkAabb){
      {BRINK_MIN(a->lower.x, b->lower.x), BRINK_MIN(a->lower.y, b->lower.y), BRINK_MIN(a->lower.z, b->lower.z)},
      {BRINK_MAX(a->upper.x, b->upper.x), BRINK_MAX(a->upper.y, b->upper.y), BRINK_MAX(a->upper.z, b->upper.z)}};
}

static double halfArea(const brinkAabb *a) {
  double x = a->upper.x - a->lower.x, y = a->upper.y - a->lower.y, z = a->upper.z - a->lower.z;
  return x * y + y * z + z * x;
}

static double unionArea(const brinkAabb *a, const brinkAabb *b) {
  brinkAabb u = boxUnion(a, b);
  return halfArea(&u);
}

static bool covers(const brinkAabb *outer, const brinkAabb *inner) {
  return outer->lower.x <= inner->lower.x && outer->lower.y <= inner->lower.y && outer->lower.z <= inner->lower.z &&
         inner->upper.x <= outer->upper.x && inner->upper.y <= outer->upper.y && inner->upper.z <= outer->upper.z;
}

/* Area is finite and not NaN: fit for the tree. */
static bool isBounded(const brinkAabb *a) {
  double area = halfArea(a);
  return isfinite(area) && fabs(area) < 1e200 && isfinite(a->lower.x + a->lower.y + a->lower.z);
}

static bool isLeaf(const Node *node) { return node->child[0] == NONE; }

/* ---- nodes */

static bool reserveNodes(brinkBvh *bvh, size_t needed) {
  void *block = bvh->nodes;
  if (bvh->used + needed > INT32_MAX) return false;
  if (brinkReserve(bvh->context, &block, &bvh->capacity, bvh->used + needed, sizeof(Node)) != brink_ok) return false;
  bvh->nodes = block;
  return true;
}

/* Room was reserved before. */
static int32_t takeNode(brinkBvh *bvh) {
  int32_t index = bvh->freeList;
  if (index != NONE)
    bvh->freeList = bvh->nodes[index].parent;
  else
    index = (int32_t)bvh->used++;
  Node *node = &bvh->nodes[index];
  memset(node, 0, sizeof *node);
  node->parent = node->child[0] = node->child[1] = node->previous = NONE;
  return index;
}

static void giveNode(brinkBvh *bvh, int32_t index) {
  bvh->nodes[index].parent = bvh->freeList;
  bvh->freeList = index;
}

static void refit(brinkBvh *bvh, int32_t index) {
  Node *node = &bvh->nodes[index];
  const Node *a = &bvh->nodes[node->child[0]], *b = &bvh->nodes[node->child[1]];
  node->box = boxUnion(&a->box, &b->box);
  node->height = 1 + (a->height > b->height ? a->height : b->height);
}

static void replaceChild(brinkBvh *bvh, int32_t parent, int32_t old, int32_t new) {
  if (parent == NONE)
    bvh->root = new;
  else
    bvh->nodes[parent].child[bvh->nodes[parent].child[1] == old] = new;
  bvh->nodes[new].parent = parent;
}

/* A child taller than its sibling by 2 or more gives its taller child (of equals, the one whose leaving makes it
 * smaller) in exchange for that sibling, and is then balanced itself. Goes down at most the height of the tree. */
static void balance(brinkBvh *bvh, int32_t index) {
  Node *node = &bvh->nodes[index];
  int32_t tallSide = bvh->nodes[node->child[1]].height > bvh->nodes[node->child[0]].height;
  int32_t tall = node->child[tallSide], low = node->child[!tallSide];
  if (bvh->nodes[tall].height - bvh->nodes[low].height < 2) return;
  Node *tallNode = &bvh->nodes[tall], *lowNode = &bvh->nodes[low];
  Node *first = &bvh->nodes[tallNode->child[0]], *second = &bvh->nodes[tallNode->child[1]];
  int32_t side = second->height > first->height;
  if (second->height == first->height)
    side = unionArea(&lowNode->box, &first->box) < unionArea(&lowNode->box, &second->box);
  int32_t raised = tallNode->child[side];
  tallNode->child[side] = low;
  lowNode->parent = tall;
  node->child[!tallSide] = raised;
  bvh->nodes[raised].parent = index;
  refit(bvh, tall);
  balance(bvh, tall);
  refit(bvh, index);
}

static void refitUpward(brinkBvh *bvh, int32_t index) {
  for (; index != NONE; index = bvh->nodes[index].parent) {
    refit(bvh, index);
    balance(bvh, index);
  }
}

/* ---- leaves in and out of the tree */

/* Walks down while a child would grow by less than pairing with the whole subtree costs. */
static int32_t findSibling(const brinkBvh *bvh, const brinkAabb *box) {
  int32_t index = bvh->root;
  while (!isLeaf(&bvh->nodes[index])) {
    const Node *node = &bvh->nodes[index];
    double grown = unionArea(&node->box, box), pairHere = 2 * grown, inherited = 2 * (grown - halfArea(&node->box));
    double cost[2];
    for (int k = 0; k < 2; ++k) {
      const Node *child = &bvh->nodes[node->child[k]];
      double area = unionArea(&child->box, box);
      cost[k] = inherited + (isLeaf(child) ? area : area - halfArea(&child->box));
    }
    if (pairHere < cost[0] && pairHere < cost[1]) return index;
    index = node->child[cost[1] < cost[0]];
  }
  return index;
}

/* A free or fresh node is at hand for the new parent. */
static void linkLeaf(brinkBvh *bvh, int32_t leaf) {
  if (bvh->root == NONE) {
    bvh->root = leaf;
    bvh->nodes[leaf].parent = NONE;
    return;
  }
  int32_t sibling = findSibling(bvh, &bvh->nodes[leaf].box), parent = takeNode(bvh);
  replaceChild(bvh, bvh->nodes[sibling].parent, sibling, parent);
  bvh->nodes[parent].child[0] = sibling;
  bvh->nodes[parent].child[1] = leaf;
  bvh->nodes[sibling].parent = bvh->nodes[leaf].parent = parent;
  refitUpward(bvh, parent);
}

static void unlinkLeaf(brinkBvh *bvh, int32_t leaf) {
  int32_t parent = bvh->nodes[leaf].parent;
  if (parent == NONE) {
    bvh->root = NONE;
    return;
  }
  int32_t sibling = bvh->nodes[parent].child[bvh->nodes[parent].child[0] == leaf];
  int32_t grandparent = bvh->nodes[parent].parent;
  replaceChild(bvh, grandparent, parent, sibling);
  giveNode(bvh, parent);
  refitUpward(bvh, grandparent);
}

/* ---- boxes beside the tree */

static void linkUnbounded(brinkBvh *bvh, int32_t leaf) {
  Node *node = &bvh->nodes[leaf];
  node->unbounded = true;
  node->parent = bvh->unboundedList;
  node->previous = NONE;
  if (node->parent != NONE) bvh->nodes[node->parent].previous = leaf;
  bvh->unboundedList = leaf;
}

static void unlinkUnbounded(brinkBvh *bvh, int32_t leaf) {
  Node *node = &bvh->nodes[leaf];
  if (node->previous != NONE)
    bvh->nodes[node->previous].parent = node->parent;
  else
    bvh->unboundedList = node->parent;
  if (node->parent != NONE) bvh->nodes[node->parent].previous = node->previous;
  node->unbounded = false;
  node->previous = NONE;
}

static bool isOrdered(const brinkAabb *a) {
  return a->lower.x <= a->upper.x && a->lower.y <= a->upper.y && a->lower.z <= a->upper.z;
}

/* A box with NaN meets everything. */
static brinkAabb cleaned(brinkAabb box) {
  if (isOrdered(&box)) return box;
  if (!isnan(box.lower.x + box.lower.y + box.lower.z) && !isnan(box.upper.x + box.upper.y + box.upper.z)) return box;
  return (brinkAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

static void placeLeaf(brinkBvh *bvh, int32_t leaf) {
  if (isBounded(&bvh->nodes[leaf].box) && isOrdered(&bvh->nodes[leaf].box))
    linkLeaf(bvh, leaf);
  else
    linkUnbounded(bvh, leaf);
}

static void displaceLeaf(brinkBvh *bvh, int32_t leaf) {
  if (bvh->nodes[leaf].unbounded)
    unlinkUnbounded(bvh, leaf);
  else
    unlinkLeaf(bvh, leaf);
}

/* ---- for callers */

brinkBvh *brinkBvh_Create(brinkContext *context) {
  brinkBvh *bvh = brinkAllocateZeroed(context, 1, sizeof *bvh);
  if (!bvh) return NULL;
  bvh->context = context;
  bvh->root = bvh->freeList = bvh->unboundedList = NONE;
  return bvh;
}

void brinkBvh_Destroy(brinkBvh *bvh) {
  if (!bvh) return;
  brinkContext *context = bvh->context;
  brinkRelease(context, bvh->nodes, bvh->capacity * sizeof(Node));
  brinkRelease(context, bvh, sizeof *bvh);
}

int32_t brinkBvh_Insert(brinkBvh *bvh, brinkAabb box, uint32_t id) {
  /* A leaf and its parent; 2 leafCount + 2 nodes always suffice, so moves never need memory. */
  size_t wanted = 2 * (bvh->leafCount + 1);
  if (bvh->capacity < wanted && !reserveNodes(bvh, wanted - bvh->used)) return NONE;
  int32_t leaf = takeNode(bvh);
  bvh->nodes[leaf].box = cleaned(box);
  bvh->nodes[leaf].id = id;
  bvh->leafCount += 1;
  placeLeaf(bvh, leaf);
  return leaf;
}

void brinkBvh_Remove(brinkBvh *bvh, int32_t proxy) {
  displaceLeaf(bvh, proxy);
  giveNode(bvh, proxy);
  bvh->leafCount -= 1;
}

void brinkBvh_Move(brinkBvh *bvh, int32_t proxy, brinkAabb box) {
  Node *leaf = &bvh->nodes[proxy];
  box = cleaned(box);
  if (!leaf->unbounded && leaf->parent != NONE && isOrdered(&box) && covers(&bvh->nodes[leaf->parent].box, &box)) {
    leaf->box = box; /* same place in the tree: boxes above only shrink */
    for (int32_t i = leaf->parent; i != NONE; i = bvh->nodes[i].parent) refit(bvh, i);
    return;
  }
  displaceLeaf(bvh, proxy);
  bvh->nodes[proxy].box = box;
  placeLeaf(bvh, proxy);
}

size_t brinkBvh_Count(const brinkBvh *bvh) { return bvh->leafCount; }

static bool meets(const brinkAabb *a, const brinkAabb *b) {
  return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y && b->lower.y <= a->upper.y &&
         a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

/* Left before right. Both children are looked at before one is gone into, and what is put off is fetched meanwhile: in
 * a large tree each node is a line of memory that nobody has touched for long. */
static void queryTree(const brinkBvh *bvh, const brinkAabb *box, bool (*visit)(void *user, uint32_t id), void *user,
                      uint64_t *tests) {
  const Node *nodes = bvh->nodes, *putOff[LARGEST_HEIGHT];
  int count = 0;
  BRINK_ASSERT(bvh->root == NONE || nodes[bvh->root].height < LARGEST_HEIGHT);
  *tests += bvh->root != NONE;
  if (bvh->root != NONE && meets(&nodes[bvh->root].box, box)) putOff[count++] = &nodes[bvh->root];
  while (count > 0) {
    const Node *node = putOff[--count];
    while (node != NULL && !isLeaf(node)) {
      const Node *left = &nodes[node->child[0]], *right = &nodes[node->child[1]];
      *tests += 2;
      if (meets(&right->box, box)) {
        putOff[count++] = right;
        if (!isLeaf(right)) {
          __builtin_prefetch(&nodes[right->child[0]]);
          __builtin_prefetch(&nodes[right->child[1]]);
        }
      }
      node = meets(&left->box, box) ? left : NULL;
    }
    if (node != NULL && !visit(user, node->id)) return;
  }
}

uint64_t brinkBvh_Query(const brinkBvh *bvh, brinkAabb box, bool (*visit)(void *user, uint32_t id), void *user) {
  uint64_t tests = 0;
  bool going = true;
  box = cleaned(box);
  for (int32_t i = bvh->unboundedList; going && i != NONE; i = bvh->nodes[i].parent) {
    ++tests;
    if (meets(&bvh->nodes[i].box, &box)) going = visit(user, bvh->nodes[i].id);
  }
  if (going) queryTree(bvh, &box, visit, user, &tests);
  return tests;
}
