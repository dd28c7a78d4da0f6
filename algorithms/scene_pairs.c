/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs of colliders come near each other in a query? Filters of links, bits, lists and the caller; then boxes:
 * compared one by one, by a sort and sweep, or by the trees, whichever costs least. Candidates stand in the order of
 * their keys. */
#include "scene_internal.h"

#include "simd.h"

/* Up to so many moving colliders their pairs are found by sorting their boxes, eight compared at once, not by a tree.
 */
#define SORTED_BOXES 4096u

static bool linksAllow(const brinkMotionTree *tree, const brinkSceneQuery *query, int32_t a, int32_t b) {
  if (a == b || (a < 0 && b < 0)) return false;
  if (query != NULL && query->onlyLink != BRINK_ALL_LINKS && a != query->onlyLink && b != query->onlyLink) return false;
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
    if (only == BRINK_ALL_LINKS) pairs -= pairsOf(counts[link]);
    if (!query->allowAdjacent && parent >= 0 && (only == BRINK_ALL_LINKS || only == link || only == parent))
      pairs -= (uint64_t)counts[link] * counts[parent];
  }
  return pairs;
}

uint64_t brinkScene_CountPairs(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query) {
  if (!(brinkScene_HasLists(scene, query) && scene->counted && scene->countedOnly == query->onlyLink &&
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
static bool looksAround(const brinkSceneQuery *query, bool wantedOnly, const brinkSceneSlot *slot) {
  if (!brinkSceneSlot_IsMoving(slot)) return false;
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
  const brinkSceneSlot *x = &scene->slots[index], *y = &scene->slots[other];
  if (!gather->allOthers && other < index && looksAround(query, gather->wantedOnly, y)) return true;
  bool ordered = comesBefore(scene, index, other);
  const brinkSceneCollider *a = ordered ? &x->collider : &y->collider, *b = ordered ? &y->collider : &x->collider;
  if (!linksAllow(gather->tree, query, a->collider.link, b->collider.link)) return true;
  if ((a->category & b->collide) == 0u && (b->category & a->collide) == 0u) return true;
  if (scene->ignoredCount > 0u && brinkScene_IsIgnored(scene, index, other)) return true;
  if (query != NULL && query->filter != NULL && !query->filter(query->filterUser, a, b)) return true;
  gather->status = BRINK_SCENE_RESERVE(scene, candidates, candidateCapacity, scene->candidateCount + 1u);
  if (gather->status != brink_ok) return false;
  scene->candidates[scene->candidateCount++] =
      (brinkSceneCandidate){a->key, b->key, ordered ? index : other, ordered ? other : index};
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
  brinkStatus status = BRINK_SCENE_RESERVE(scene, boxes, boxCapacity, scene->slotCount);
  if (status != brink_ok) return status;
  scene->boxCount = 0;
  for (uint32_t i = 0; i < scene->slotCount; ++i) {
    const brinkSceneSlot *slot = &scene->slots[i];
    if (slot->alive && !brinkSceneCollider_IsPlane(&slot->collider))
      scene->boxes[scene->boxCount++] = (brinkSceneListedBox){slot->box, i};
  }
  return brink_ok;
}

static bool candidateAfter(const brinkSceneCandidate *x, const brinkSceneCandidate *y) {
  if (x->keyA != y->keyA) return x->keyA > y->keyA;
  if (x->keyB != y->keyB) return x->keyB > y->keyB;
  return x->a != y->a ? x->a > y->a : x->b > y->b;
}

static void siftCandidate(brinkSceneCandidate *heap, size_t at, size_t count) {
  brinkSceneCandidate moved = heap[at];
  for (size_t child = 2u * at + 1u; child < count; child = 2u * at + 1u) {
    if (child + 1u < count && candidateAfter(&heap[child + 1u], &heap[child])) ++child;
    if (!candidateAfter(&heap[child], &moved)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

/* Heap sort: no memory, no dependence on the C library's qsort. */
static void sortCandidates(brinkSceneCandidate *candidates, size_t count) {
  for (size_t i = count / 2u; i-- > 0u;) siftCandidate(candidates, i, count);
  for (size_t last = count; last > 1u;) {
    brinkSceneCandidate largest = candidates[0];
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
  brinkSceneSortedBoxes *sorted = &scene->sorted;
  size_t count = 0;
  brinkStatus status = BRINK_SCENE_RESERVE(scene, sorted.keys, sorted.keyCapacity, scene->slotCount);
  for (uint32_t i = 0; status == brink_ok && i < scene->slotCount; ++i) {
    const brinkSceneSlot *slot = &scene->slots[i];
    if (!slot->alive || !brinkSceneSlot_IsMoving(slot)) continue;
    float low, high;
    boundsInFloats(slot->box.lower.x - slot->margin, slot->box.upper.x + slot->margin, &low, &high);
    sorted->keys[count++] = (uint64_t)orderOf(low) << 32 | i;
  }
  const size_t room = count + 8u;
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, sorted.bounds, sorted.boundCapacity, 6u * room);
  if (status != brink_ok) return brinkFail(scene->context, status, "pairs: out of memory");
  brinkSortPieceKeys(sorted->keys, count);
  sorted->count = count;
  for (size_t k = 0; k < room; ++k) {
    float *bound = sorted->bounds + k;
    for (int i = 0; i < 6; ++i)
      bound[(size_t)i * room] = i < 3 ? INFINITY : -INFINITY; /* apart from all that is finite */
    if (k >= count) continue;
    const brinkSceneSlot *slot = &scene->slots[(uint32_t)sorted->keys[k]];
    const brinkAabb box = brinkInflate(slot->box, slot->margin);
    boundsInFloats(box.lower.x, box.upper.x, &bound[0], &bound[3 * room]);
    boundsInFloats(box.lower.y, box.upper.y, &bound[room], &bound[4 * room]);
    boundsInFloats(box.lower.z, box.upper.z, &bound[2 * room], &bound[5 * room]);
  }
  return brink_ok;
}

/* Those of the eight from `first` on that the box at `at` may meet, as bits. */
static uint32_t meetEight(const brinkSceneSortedBoxes *sorted, size_t at, size_t first) {
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
  const brinkSceneSortedBoxes *sorted = &scene->sorted;
  const size_t room = sorted->count + 8u;
  for (size_t at = 0; status == brink_ok && at < sorted->count; ++at) {
    const float end = sorted->bounds[3u * room + at];
    for (size_t first = at + 1u; first < sorted->count && sorted->bounds[first] <= end; first += 8u)
      for (uint32_t met = meetEight(sorted, at, first); met != 0u && status == brink_ok; met &= met - 1u) {
        uint32_t x = (uint32_t)sorted->keys[at], y = (uint32_t)sorted->keys[first + (size_t)__builtin_ctz(met)];
        const brinkSceneSlot *lower = &scene->slots[BRINK_MIN(x, y)], *other = &scene->slots[BRINK_MAX(x, y)];
        if (!linksAllow(tree, query, lower->collider.collider.link, other->collider.collider.link)) continue;
        brinkAabb box = brinkInflate(lower->box, lower->margin);
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
  bool all = query != NULL && query->onlyLink == BRINK_ALL_LINKS && !query->leaveOutResting && !wantedOnly;
  return all && !scene->few && brinkBvh_Count(scene->movingTree) <= SORTED_BOXES;
}

/* Pairs of one moving collider that is no plane. */
static brinkStatus gatherAround(Gather *gather, bool movingToo) {
  brinkScene *scene = gather->scene;
  const brinkSceneSlot *slot = &scene->slots[gather->index];
  brinkAabb box = brinkInflate(slot->box, slot->margin);
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
static bool isNearPlane(const brinkSceneSlot *plane, const brinkSceneSlot *slot) {
  if (plane->collider.collider.link >= 0) return true; /* such a plane may be anywhere */
  brinkAabb box = brinkInflate(slot->box, slot->margin);
  return !(brinkSceneCollider_PlaneGap(&plane->collider, &box) > 0.0);
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
    const brinkSceneSlot *slot = &scene->slots[slots[i]];
    status = gatherAround(&gather, true);
    for (size_t k = 0; status == brink_ok && k < scene->planeCount; ++k)
      if (isNearPlane(&scene->slots[scene->planes[k]], slot))
        status = gatherWithPlane(scene, tree, query, wantedOnly, scene->planes[k], slots[i]);
  }
  return status;
}

static brinkStatus gatherFromAll(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                 bool wantedOnly) {
  int32_t only = query != NULL && query->onlyLink >= 0 ? query->onlyLink : BRINK_ALL_LINKS;
  const bool sorted = areSorted(scene, query, wantedOnly);
  brinkStatus status = sorted ? gatherSorted(scene, tree, query) : brink_ok;
  for (uint32_t i = 0; status == brink_ok && i < scene->slotCount; ++i) {
    const brinkSceneSlot *slot = &scene->slots[i];
    if (!slot->alive || !looksAround(query, wantedOnly, slot)) continue;
    if (only != BRINK_ALL_LINKS && slot->collider.collider.link != only) continue;
    Gather gather = {scene, tree, query, wantedOnly, i, only != BRINK_ALL_LINKS, brink_ok};
    status = gatherAround(&gather, !sorted);
  }
  for (uint32_t i = 0; status == brink_ok && i < scene->slotCount; ++i) {
    const brinkSceneSlot *plane = &scene->slots[i];
    if (!plane->alive || !brinkSceneCollider_IsPlane(&plane->collider)) continue;
    bool moves = plane->collider.collider.link >= 0, around = moves && (!wantedOnly || plane->wanted);
    for (uint32_t j = 0; status == brink_ok && j < scene->slotCount; ++j) {
      const brinkSceneSlot *slot = &scene->slots[j];
      if (!slot->alive) continue;
      if (brinkSceneCollider_IsPlane(&slot->collider)) {
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
brinkStatus brinkScene_GatherPairs(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                   bool wantedOnly) {
  scene->candidateCount = 0u;
  if (scene->alone) return gatherAll(scene, tree, query);
  if (scene->few && listBoxes(scene) != brink_ok)
    return brinkFail(scene->context, brink_errorNoMemory, "pairs: out of memory");
  bool listed =
      brinkScene_HasLists(scene, query) && query->leaveOutResting && query->onlyLink == BRINK_ALL_LINKS && !wantedOnly;
  brinkStatus status = listed ? gatherListed(scene, tree, query, false, scene->active, scene->activeCount)
                              : gatherFromAll(scene, tree, query, wantedOnly);
  if (status == brink_ok) sortCandidates(scene->candidates, scene->candidateCount);
  return status;
}

brinkStatus brinkScene_TakePairs(brinkScene *scene, const brinkSceneQuery *query) {
  scene->candidateCount = 0u;
  brinkStatus status = BRINK_SCENE_RESERVE(scene, candidates, candidateCapacity, query->pairCount);
  if (status != brink_ok) return brinkFail(scene->context, status, "pairs: out of memory");
  for (size_t i = 0; i < query->pairCount; ++i) {
    uint32_t a = query->pairs[i].a, b = query->pairs[i].b;
    if (brinkScene_SlotAt(scene, a) == NULL || brinkScene_SlotAt(scene, b) == NULL)
      return brinkFail(scene->context, brink_errorStale, "collider %u or %u is gone", (unsigned)a, (unsigned)b);
    bool ordered = comesBefore(scene, a, b);
    uint32_t first = ordered ? a : b, second = ordered ? b : a;
    scene->candidates[scene->candidateCount++] =
        (brinkSceneCandidate){scene->slots[first].collider.key, scene->slots[second].collider.key, first, second};
  }
  sortCandidates(scene->candidates, scene->candidateCount);
  return brink_ok;
}

/* ---- for callers */

brinkStatus brinkScene_CheckLinks(brinkScene *scene, const brinkMotionTree *tree) {
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

static brinkStatus tellPairs(brinkScene *scene, const brinkIndexPair **pairs, size_t *count) {
  brinkStatus status = BRINK_SCENE_RESERVE(scene, near, nearCapacity, scene->candidateCount);
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
  brinkStatus status = brinkScene_CheckLinks(scene, tree);
  if (status != brink_ok) return status;
  status = BRINK_SCENE_RESERVE(scene, poses, poseCapacity, links);
  if (status != brink_ok) return brinkFail(scene->context, status, "near pairs: out of memory");
  if (links > 0u) brinkMotionTree_Poses(tree, t, scene->poses);
  for (size_t i = 0; i < scene->slotCount; ++i) scene->slots[i].margin = margin;
  scene->alone = false;
  brinkSceneSweep still = {0};
  brinkScene_MarkAllMoved(scene);
  status = brinkScene_PlaceColliders(scene, &still);
  if (status == brink_ok) status = brinkScene_GatherPairs(scene, tree, filters, false);
  if (status != brink_ok) return status;
  return tellPairs(scene, pairs, count);
}

brinkStatus brinkScene_PairsOf(brinkScene *scene, const brinkSceneQuery *query, const uint32_t *slots, size_t slotCount,
                               double margin, const brinkIndexPair **pairs, size_t *count) {
  const brinkMotionTree *tree = query->tree;
  if (!(margin >= 0.0))
    return brinkFail(scene->context, brink_errorBadValue, "near pairs: margin %g; >= 0 is needed", margin);
  brinkStatus status = brinkScene_HasLists(scene, query) ? brink_ok : brinkScene_CheckLinks(scene, tree);
  if (status == brink_ok) status = brinkScene_ReserveLinks(scene, (size_t)tree->linkCount);
  if (status != brink_ok) return status;
  brinkSceneSweep sweep = {tree, query->tStart, query->tEnd, query->taylorOrder, false, false, 0};
  scene->alone = false;
  status = brinkScene_SweepColliders(scene, query, &sweep);
  if (status != brink_ok) return status;
  bool listed = brinkScene_HasLists(scene, query);
  for (size_t i = 0; i < slotCount; ++i) {
    if (brinkScene_SlotAt(scene, slots[i]) == NULL)
      return brinkFail(scene->context, brink_errorStale, "collider %u is gone", (unsigned)slots[i]);
    scene->slots[slots[i]].margin = margin;
    scene->slots[slots[i]].wanted = true;
    listed = listed && brinkSceneSlot_IsMoving(&scene->slots[slots[i]]);
  }
  if (listed) {
    scene->candidateCount = 0u;
    status = gatherListed(scene, tree, query, true, slots, slotCount);
    if (status == brink_ok) sortCandidates(scene->candidates, scene->candidateCount);
  } else {
    status = brinkScene_GatherPairs(scene, tree, query, true);
  }
  for (size_t i = 0; i < slotCount; ++i) scene->slots[slots[i]].wanted = false;
  return status == brink_ok ? tellPairs(scene, pairs, count) : status;
}
