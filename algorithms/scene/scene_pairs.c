/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs of colliders come near each other in a query? Filters of links, bits, lists and the caller; then boxes:
 * compared one by one, sorted in groups of eight (what moves), or in trees (what rests). Candidates stand in the order
 * of their keys. */
#include "scene_internal.h"

#include "heap.h"
#include "simd.h"

/* So many boxes may be woken before all are sorted anew; they are looked at one after the other. */
#define MOST_CHANGED 1024u
/* Boxes keep the places of an earlier sorting until their groups have grown by this. */
#define GROWN_GROUPS 1.1
/* Up to so many places are sorted by comparing them. */
#define FEW_PLACES 64u

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

typedef enum Around { AROUND_FIXED, AROUND_RESTING, AROUND_ALL } Around;

typedef struct Gather { /* user of the tree queries */
  brinkScene *scene;
  const brinkMotionTree *tree;
  const brinkSceneQuery *query;
  bool wantedOnly; /* pairs around wanted slots */
  uint32_t index;
  bool allOthers; /* else only colliders with a larger index: each pair once */
  brinkStatus status;
  Around around; /* of a list of slots */
  const uint32_t *slots;
} Gather;

/* Does the gathering look around this collider, too? */
static bool looksAround(const brinkSceneQuery *query, bool wantedOnly, const brinkSceneSlot *slot) {
  if (!brinkSceneSlot_IsMoving(slot)) return false;
  if (wantedOnly) return slot->wanted;
  return !(query != NULL && query->leaveOutResting && slot->resting);
}

/* A plane on a link may be anywhere. */
static bool staysPut(const brinkSceneSlot *slot) {
  return slot->collider.collider.link < 0 || (slot->resting && !brinkSceneCollider_IsPlane(&slot->collider));
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
  if (query != NULL && query->leaveOutResting && staysPut(x) && staysPut(y)) return true;
  bool ordered = comesBefore(scene, index, other);
  const brinkSceneCollider *a = ordered ? &x->collider : &y->collider, *b = ordered ? &y->collider : &x->collider;
  if (!linksAllow(gather->tree, query, a->collider.link, b->collider.link)) return true;
  if ((a->category & b->collide) == 0u && (b->category & a->collide) == 0u) return true;
  if (scene->ignoredCount > 0u && brinkScene_IsIgnored(scene, index, other)) return true;
  gather->status = BRINK_SCENE_RESERVE(scene, candidates, candidateCapacity, scene->candidateCount + 1u);
  if (gather->status == brink_ok)
    scene->candidates[scene->candidateCount++] =
        (brinkSceneCandidate){ordered ? index : other, ordered ? other : index, BRINK_NO_PAIR};
  return gather->status == brink_ok;
}

/* Boxes that are no numbers meet everything. Which axis parts two boxes nobody can foresee: all are looked at. */
static inline bool areApart(const brinkAabb *a, const brinkAabb *b) {
  const brinkD4 below = brinkD4_Sub(brinkD4_Load3(&a->lower.x), brinkD4_Load3(&b->upper.x)),
                above = brinkD4_Sub(brinkD4_Load3(&b->lower.x), brinkD4_Load3(&a->upper.x));
  return brinkD4_AtLeast(brinkD4_Max(below, above), brinkD4_Set(DBL_MIN)) != 0u;
}

/* The same as both trees' queries, without them. Where all that moves looks around, what moves and stands before the
 * collider has been asked from its own side. */
static void lookAtAll(Gather *gather, const brinkAabb *box) {
  const brinkScene *scene = gather->scene;
  const bool once = !gather->allOthers && !gather->wantedOnly && !(gather->query && gather->query->leaveOutResting);
  const brinkD4 lower[3] = {brinkD4_Set(box->lower.x), brinkD4_Set(box->lower.y), brinkD4_Set(box->lower.z)};
  const brinkD4 upper[3] = {brinkD4_Set(box->upper.x), brinkD4_Set(box->upper.y), brinkD4_Set(box->upper.z)};
  for (uint32_t first = 0; first < scene->boxCount; first += 4u) {
    const brinkSceneListedBoxes *four = &scene->boxes[first / 4u];
    uint32_t met = four->listed;
    if (once && first <= gather->index) met &= four->fixed | ~0u << (1u + BRINK_MIN(gather->index - first, 3u));
    if (met == 0u) continue;
    brinkD4 apart = brinkD4_Set(-1.0);
    for (int i = 0; i < 3; ++i) {
      apart = brinkD4_Max(brinkD4_Sub(lower[i], brinkD4_Load(four->upper[i])), apart);
      apart = brinkD4_Max(brinkD4_Sub(brinkD4_Load(four->lower[i]), upper[i]), apart);
    }
    for (met &= ~brinkD4_AtLeast(apart, brinkD4_Set(DBL_MIN)); met != 0u; met &= met - 1u)
      if (gatherPair(gather, first + (uint32_t)__builtin_ctz(met)), gather->status != brink_ok) return;
  }
}

void brinkScene_ListBox(brinkScene *scene, uint32_t index) {
  brinkSceneListedBoxes *four = &scene->boxes[index / 4u];
  const double *lower = &scene->slots[index].box.lower.x, *upper = &scene->slots[index].box.upper.x;
  for (int i = 0; i < 3; ++i) {
    four->lower[i][index % 4u] = lower[i];
    four->upper[i][index % 4u] = upper[i];
  }
}

brinkStatus brinkScene_ListBoxes(brinkScene *scene) {
  brinkStatus status = BRINK_SCENE_RESERVE(scene, boxes, boxCapacity, scene->slotCount / 4u + 1u);
  if (status != brink_ok) return brinkFail(scene->context, status, "pairs: out of memory");
  scene->boxCount = scene->slotCount;
  for (uint32_t i = 0; i < scene->slotCount; ++i) {
    const brinkSceneSlot *slot = &scene->slots[i];
    brinkSceneListedBoxes *four = &scene->boxes[i / 4u];
    if (i % 4u == 0u) four->listed = four->fixed = 0u;
    if (!slot->alive || brinkSceneCollider_IsPlane(&slot->collider)) continue;
    four->listed |= 1u << i % 4u;
    if (slot->collider.collider.link < 0) four->fixed |= 1u << i % 4u;
    brinkScene_ListBox(scene, i);
  }
  return brink_ok;
}

static bool candidateAfter(const void *user, const void *left, const void *right) {
  const brinkSceneSlot *slots = ((const brinkScene *)user)->slots;
  const brinkSceneCandidate *x = left, *y = right;
  const uint64_t keysX[2] = {slots[x->a].collider.key, slots[x->b].collider.key},
                 keysY[2] = {slots[y->a].collider.key, slots[y->b].collider.key};
  if (keysX[0] != keysY[0]) return keysX[0] > keysY[0];
  if (keysX[1] != keysY[1]) return keysX[1] > keysY[1];
  return x->a != y->a ? x->a > y->a : x->b > y->b;
}

void brinkScene_SortCandidates(brinkScene *scene) {
  brinkHeap_Sort(scene->candidates, scene->candidateCount, sizeof *scene->candidates, candidateAfter, scene);
}

/* By the upper half, ten bits at a time; stable. The result stands in keys. */
static void sortPlaces(uint64_t *keys, uint64_t *room, size_t count) {
  uint64_t *from = keys, *to = room;
  for (int digit = 0; digit < 3; ++digit) {
    const int shift = 32 + 10 * digit;
    uint32_t starts[1024] = {0}, sum = 0;
    for (size_t k = 0; k < count; ++k) ++starts[from[k] >> shift & 1023u];
    for (int i = 0; i < 1024; ++i) {
      const uint32_t own = starts[i];
      starts[i] = sum;
      sum += own;
    }
    for (size_t k = 0; k < count; ++k) to[starts[from[k] >> shift & 1023u]++] = from[k];
    uint64_t *other = from;
    from = to;
    to = other;
  }
  memcpy(keys, room, count * sizeof *keys); /* three times: they ended in the other half */
}

/* By the slot of one side; stable. starts: [slots + 1]. */
static void sortBySlot(const brinkSceneCandidate *from, brinkSceneCandidate *to, size_t count, bool byA,
                       uint32_t *starts, size_t slots) {
  memset(starts, 0, (slots + 1u) * sizeof *starts);
  for (size_t i = 0; i < count; ++i) ++starts[(byA ? from[i].a : from[i].b) + 1u];
  for (size_t i = 0; i < slots; ++i) starts[i + 1u] += starts[i];
  for (size_t i = 0; i < count; ++i) to[starts[byA ? from[i].a : from[i].b]++] = from[i];
}

/* Candidates by key. Where keys rise with the slots, as they do unless slots were used again, by the slots. */
static brinkStatus sortFound(brinkScene *scene) {
  const size_t count = scene->candidateCount, slots = scene->slotCount;
  if (scene->keysFall || count < 2u + slots / 8u) {
    brinkScene_SortCandidates(scene);
    return brink_ok;
  }
  brinkStatus status = BRINK_SCENE_RESERVE(scene, order, orderCapacity, slots + 1u);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, candidates, candidateCapacity, 2u * count);
  if (status != brink_ok) return status;
  brinkSceneCandidate *found = scene->candidates;
  sortBySlot(found, found + count, count, false, scene->order, slots);
  sortBySlot(found + count, found, count, true, scene->order, slots);
  return brink_ok;
}

/* Sorts what was found, then asks the caller's filter: in this order who comes next stands near by in memory. */
static brinkStatus keepAllowed(brinkScene *scene, const brinkSceneQuery *query) {
  const brinkSceneSlot *slots = scene->slots;
  const brinkStatus status = sortFound(scene);
  size_t kept = 0;
  for (size_t i = 0; i < scene->candidateCount && status == brink_ok; ++i) {
    const brinkSceneCandidate found = scene->candidates[i];
    if (query == NULL || query->filter == NULL ||
        query->filter(query->filterUser, &slots[found.a].collider, &slots[found.b].collider))
      scene->candidates[kept++] = found;
  }
  scene->candidateCount = kept;
  return status;
}

/* Every allowed pair, whatever the boxes. */
static brinkStatus gatherAll(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query) {
  for (uint32_t i = 0; i < scene->slotCount; ++i)
    for (uint32_t j = i + 1u; scene->slots[i].alive && j < scene->slotCount; ++j) {
      Gather gather = {scene, tree, query, false, i, true, brink_ok, AROUND_ALL, NULL};
      if (scene->slots[j].alive) gatherPair(&gather, j);
      if (gather.status != brink_ok) return gather.status;
    }
  return brink_ok;
}

/* ---- many moving boxes at once: sorted along a curve, groups of eight over groups of eight */

/* Outward by more than single precision rounds; what it cannot hold meets everything. */
static void boundsInFloats(double lower, double upper, float *low, float *high) {
  *low = -INFINITY;
  *high = INFINITY;
  if (!(fabs(lower) < 1e30) || !(fabs(upper) < 1e30)) return;
  float l = (float)lower, u = (float)upper;
  *low = l - (4e-7f * fabsf(l) + 1e-30f);
  *high = u + (4e-7f * fabsf(u) + 1e-30f);
}

static void storeSorted(brinkScene *scene, size_t at, uint32_t index, const float bounds[6]) {
  brinkSceneSortedBoxes *sorted = &scene->sorted;
  for (size_t i = 0; i < 6u; ++i) sorted->bounds[i * sorted->room + at] = bounds[i];
  scene->sortedAt[index] = (uint32_t)at;
}

static void boxInFloats(const brinkAabb *box, float out[6]) {
  boundsInFloats(box->lower.x, box->upper.x, &out[0], &out[3]);
  boundsInFloats(box->lower.y, box->upper.y, &out[1], &out[4]);
  boundsInFloats(box->lower.z, box->upper.z, &out[2], &out[5]);
}

static void boundsOfSlot(const brinkSceneSlot *slot, float out[6]) {
  const brinkAabb box = brinkInflate(slot->box, slot->margin);
  boxInFloats(&box, out);
}

static void forgetSorted(brinkScene *scene) {
  const brinkSceneSortedBoxes *sorted = &scene->sorted;
  for (size_t k = 0; k < sorted->count + sorted->changed; ++k)
    if ((uint32_t)sorted->keys[k] < scene->slotCount) scene->sortedAt[(uint32_t)sorted->keys[k]] = BRINK_NOT_ACTIVE;
}

/* Twice the middle of a box; false: it has none. */
static bool middleOf(const float bounds[6], float out[3]) {
  for (int i = 0; i < 3; ++i) out[i] = bounds[i] + bounds[i + 3];
  return isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]);
}

/* Ten bits, two free ones between them. */
static uint32_t spreadBits(uint32_t x) {
  x = (x | x << 16) & 0x030000ffu;
  x = (x | x << 8) & 0x0300f00fu;
  x = (x | x << 4) & 0x030c30c3u;
  return (x | x << 2) & 0x09249249u;
}

/* Where the boxes stand on Morton's curve: cells of a lattice around their mean, a few mean deviations wide, so that
 * what is far off (and put into the outermost cells) does not make the others' cells large. Only the order of the boxes
 * hangs on it. keys: place, then the box. */
static void placeOnCurve(const float *loose, size_t count, uint64_t *keys) {
  double mean[3] = {0, 0, 0}, deviation = 0;
  size_t finite = 0;
  float middle[3];
  for (size_t k = 0; k < count; ++k) {
    if (!middleOf(loose + 6u * k, middle)) continue;
    ++finite;
    for (int i = 0; i < 3; ++i) mean[i] += (double)middle[i];
  }
  for (int i = 0; i < 3; ++i) mean[i] /= finite > 0u ? (double)finite : 1.0;
  double off[3] = {0, 0, 0};
  for (size_t k = 0; k < count; ++k)
    for (int i = 0; middleOf(loose + 6u * k, middle) && i < 3; ++i) off[i] += fabs((double)middle[i] - mean[i]);
  for (int i = 0; i < 3; ++i) deviation = BRINK_MAX(deviation, off[i] / (finite > 0u ? (double)finite : 1.0));
  const double scale = deviation > 0.0 ? 1024.0 / (5.0 * deviation) : 0.0;
  for (size_t k = 0; k < count; ++k) {
    uint32_t place = 0;
    for (int i = 0; middleOf(loose + 6u * k, middle) && i < 3; ++i) {
      const double cell = ((double)middle[i] - mean[i]) * scale + 512.0;
      place |= spreadBits(cell > 0.0 ? cell < 1023.0 ? (uint32_t)cell : 1023u : 0u) << i;
    }
    keys[k] = (uint64_t)place << 32 | (uint32_t)k;
  }
}

/* What the boxes of level 1 measure together, m: they grow as bodies leave the places that they were sorted to. */
static double makeGroups(brinkSceneSortedBoxes *sorted) {
  double size = 0.0;
  for (int level = 1; level < sorted->levels; ++level) {
    const size_t room = sorted->levelRoom[level], below = sorted->levelRoom[level - 1];
    for (size_t i = 0; i < 6u; ++i) {
      float *out = sorted->bounds + sorted->levelStart[level] + i * room;
      const float *in = sorted->bounds + sorted->levelStart[level - 1] + i * below;
      for (size_t group = 0; group < room; ++group) {
        const bool used = group < sorted->levelCount[level];
        float bound = i < 3u ? INFINITY : -INFINITY;
        for (size_t k = 8u * group; used && k < 8u * group + 8u; ++k)
          if (i < 3u ? in[k] < bound : in[k] > bound) bound = in[k];
        out[group] = bound;
        if (level == 1 && used) size += i < 3u ? -(double)bound : (double)bound;
      }
    }
  }
  return size;
}

static void measureLevels(brinkSceneSortedBoxes *sorted, size_t count, size_t spare, size_t *needed) {
  sorted->levels = 1;
  sorted->levelStart[0] = 0u;
  sorted->levelCount[0] = count;
  sorted->levelRoom[0] = sorted->room = (count + 7u) / 8u * 8u + spare + 8u;
  *needed = 6u * sorted->room;
  while (sorted->levels < 2 || sorted->levelCount[sorted->levels - 1] > 8u) {
    const int level = sorted->levels++;
    sorted->levelCount[level] = (sorted->levelCount[level - 1] + 7u) / 8u;
    sorted->levelRoom[level] = (sorted->levelCount[level] + 7u) / 8u * 8u;
    sorted->levelStart[level] = *needed;
    *needed += 6u * sorted->levelRoom[level];
  }
}

/* New boxes at the places that the last sorting gave to these very slots; false: others were sorted, or the places do
 * not serve any more. Only the time that is taken hangs on it. */
static bool refillBoxes(brinkScene *scene, const uint32_t *slots, size_t most) {
  brinkSceneSortedBoxes *sorted = &scene->sorted;
  size_t count = 0;
  if (sorted->changed > 0u || sorted->count <= FEW_PLACES) return false;
  for (size_t k = 0; k < most; ++k) {
    const uint32_t index = slots != NULL ? slots[k] : (uint32_t)k, at = scene->sortedAt[index];
    const brinkSceneSlot *slot = &scene->slots[index];
    if (!slot->alive || !brinkSceneSlot_IsMoving(slot)) continue;
    if (at >= sorted->count) return false;
    float bounds[6];
    boundsOfSlot(slot, bounds);
    storeSorted(scene, at, index, bounds);
    ++count;
  }
  if (count != sorted->count) return false;
  const double size = makeGroups(sorted);
  sorted->valid = isfinite(size) && size <= GROWN_GROUPS * sorted->groupSize;
  return sorted->valid;
}

/* The boxes of the active slots, or (slots NULL) of all that move. */
static brinkStatus sortBoxes(brinkScene *scene, const uint32_t *slots, size_t slotCount) {
  brinkSceneSortedBoxes *sorted = &scene->sorted;
  size_t count = 0, needed;
  const size_t most = slots != NULL ? slotCount : scene->slotCount, spare = BRINK_MIN(most / 8u, MOST_CHANGED) + 64u;
  if (refillBoxes(scene, slots, most)) return brink_ok;
  forgetSorted(scene);
  sorted->valid = false;
  sorted->count = sorted->changed = 0u;
  brinkStatus status = BRINK_SCENE_RESERVE(scene, sorted.keys, sorted.keyCapacity, 2u * most + spare + 8u);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, sorted.loose, sorted.looseCapacity, 6u * most);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, order, orderCapacity, most);
  if (status != brink_ok) return brinkFail(scene->context, status, "pairs: out of memory");
  for (size_t k = 0; k < most; ++k) {
    const uint32_t index = slots != NULL ? slots[k] : (uint32_t)k;
    const brinkSceneSlot *slot = &scene->slots[index];
    if (!slot->alive || !brinkSceneSlot_IsMoving(slot)) continue;
    boundsOfSlot(slot, sorted->loose + 6u * count);
    scene->order[count++] = index;
  }
  measureLevels(sorted, count, spare, &needed);
  status = BRINK_SCENE_RESERVE(scene, sorted.bounds, sorted.boundCapacity, needed);
  if (status != brink_ok) return brinkFail(scene->context, status, "pairs: out of memory");
  placeOnCurve(sorted->loose, count, sorted->keys);
  if (count > FEW_PLACES)
    sortPlaces(sorted->keys, sorted->keys + count, count);
  else
    brinkSortPieceKeys(sorted->keys, count);
  sorted->count = count;
  for (size_t i = 0; i < 6u; ++i) /* apart from all that is finite */
    for (size_t k = count; k < sorted->room; ++k) sorted->bounds[i * sorted->room + k] = i < 3u ? INFINITY : -INFINITY;
  for (size_t k = 0; k < count; ++k) {
    const uint32_t loose = (uint32_t)sorted->keys[k], index = scene->order[loose];
    sorted->keys[k] = index;
    storeSorted(scene, k, index, sorted->loose + 6u * loose);
  }
  sorted->groupSize = makeGroups(sorted);
  sorted->valid = true;
  return brink_ok;
}

/* The box of a sorted slot stays at its place, and the groups over it grow: after an impact it is near where it was. */
static void widenGroups(brinkSceneSortedBoxes *sorted, size_t at, const float bounds[6]) {
  for (int level = 1; level < sorted->levels; ++level)
    for (size_t i = 0; i < 6u; ++i) {
      float *bound = sorted->bounds + sorted->levelStart[level] + i * sorted->levelRoom[level] + (at >> 3 * level);
      if (!(i < 3u ? *bound < bounds[i] : *bound > bounds[i])) *bound = bounds[i];
    }
}

void brinkScene_ChangeSorted(brinkScene *scene, uint32_t index) {
  brinkSceneSortedBoxes *sorted = &scene->sorted;
  const bool rests = scene->slots[index].activeAt == BRINK_NOT_ACTIVE; /* in the tree of what rests */
  if (rests) scene->sortedAt[index] = BRINK_NOT_ACTIVE;
  if (rests || !sorted->valid) return;
  size_t at = scene->sortedAt[index];
  if (at == BRINK_NOT_ACTIVE) {
    at = sorted->count + sorted->changed++;
    sorted->keys[at] = index;
    sorted->valid = at + 8u < sorted->room;
    if (!sorted->valid) return;
  }
  float bounds[6];
  boundsOfSlot(&scene->slots[index], bounds);
  storeSorted(scene, at, index, bounds);
  if (at < sorted->count) widenGroups(sorted, at, bounds);
}

/* Those of the eight of a level from `first` on, before `end`, that the box may meet, as bits. */
static inline uint32_t meetEight(const float *bounds, size_t room, const float box[6], size_t first, size_t end) {
  brinkF8 apart = brinkF8_Set(-1.0f);
  for (size_t i = 0; i < 3; ++i) { /* what is no number: apart along another direction, or not known to be */
    const float *lower = bounds + i * room + first, *upper = bounds + (i + 3u) * room + first;
    apart = brinkF8_Max(brinkF8_Sub(brinkF8_Load(lower), brinkF8_Set(box[i + 3u])), apart);
    apart = brinkF8_Max(brinkF8_Sub(brinkF8_Set(box[i]), brinkF8_Load(upper)), apart);
  }
  return ~brinkF8_Positive(apart) & (first + 8u <= end ? 0xffu : (1u << (end - first)) - 1u);
}

typedef void FoundSorted(void *user, size_t at);

/* Tells of all sorted boxes (lowest 0) or groups of eight of them (lowest 1) from place `from` on that the box may
 * meet.
 */
static void eachSorted(const brinkSceneSortedBoxes *sorted, const float box[6], int lowest, size_t from,
                       FoundSorted *found, void *user) {
  struct {
    size_t first;
    int level;
  } stack[8 * BRINK_BOX_LEVELS];
  int count = 1;
  stack[0].first = 0u;
  stack[0].level = sorted->levels - 1;
  while (count > 0) {
    const size_t first = stack[--count].first;
    const int level = stack[count].level;
    uint32_t met = meetEight(sorted->bounds + sorted->levelStart[level], sorted->levelRoom[level], box, first,
                             sorted->levelCount[level]);
    for (; met != 0u; met &= met - 1u) {
      const size_t at = first + (size_t)__builtin_ctz(met);
      if ((at + 1u) << (3 * (level - lowest)) <= from) continue;
      if (level == lowest) {
        found(user, at);
      } else {
        stack[count].first = 8u * at;
        stack[count++].level = level - 1;
      }
    }
  }
}

typedef struct LookSorted {
  Gather *gather;
  const brinkAabb *box;
} LookSorted;

static void lookAtSorted(void *user, size_t at) {
  const LookSorted *look = user;
  brinkScene *scene = look->gather->scene;
  const uint32_t other = (uint32_t)scene->sorted.keys[at];
  if (look->gather->status == brink_ok && scene->sortedAt[other] == at &&
      !areApart(look->box, &scene->slots[other].box))
    gatherPair(look->gather, other);
}

/* The same as a tree of the sorted boxes would find. */
static void querySorted(Gather *gather, const brinkAabb *box) {
  const brinkSceneSortedBoxes *sorted = &gather->scene->sorted;
  LookSorted look = {gather, box};
  float floats[6];
  boxInFloats(box, floats);
  if (sorted->count > 0u) eachSorted(sorted, floats, 0, 0u, lookAtSorted, &look);
  const size_t end = sorted->count + sorted->changed;
  for (size_t first = sorted->count; first < end; first += 8u)
    for (uint32_t met = meetEight(sorted->bounds, sorted->room, floats, first, end); met != 0u; met &= met - 1u)
      lookAtSorted(&look, first + (size_t)__builtin_ctz(met));
}

typedef struct SortedPairs {
  brinkScene *scene;
  const brinkMotionTree *tree;
  const brinkSceneQuery *query;
  size_t group;
  brinkStatus status;
} SortedPairs;

static void boxOfLevel(const brinkSceneSortedBoxes *sorted, int level, size_t at, float out[6]) {
  const float *bounds = sorted->bounds + sorted->levelStart[level] + at;
  for (size_t i = 0; i < 6u; ++i) out[i] = bounds[i * sorted->levelRoom[level]];
}

/* Of a pair, the box of the lower slot is the one with a margin. */
static void takeSortedPair(SortedPairs *pairs, uint32_t x, uint32_t y) {
  brinkScene *scene = pairs->scene;
  const brinkSceneSlot *lower = &scene->slots[BRINK_MIN(x, y)], *other = &scene->slots[BRINK_MAX(x, y)];
  if (pairs->status != brink_ok ||
      !linksAllow(pairs->tree, pairs->query, lower->collider.collider.link, other->collider.collider.link))
    return;
  brinkAabb box = brinkInflate(lower->box, lower->margin);
  if (areApart(&box, &other->box)) return;
  Gather gather = {scene, pairs->tree, pairs->query, false, BRINK_MIN(x, y), false, brink_ok, AROUND_ALL, NULL};
  gatherPair(&gather, BRINK_MAX(x, y));
  pairs->status = gather.status;
}

/* Eight boxes against eight others, or against each other. */
static void joinGroups(void *user, size_t other) {
  SortedPairs *pairs = user;
  const brinkSceneSortedBoxes *sorted = &pairs->scene->sorted;
  const size_t first = 8u * pairs->group, second = 8u * other;
  const bool same = other == pairs->group;
  float whole[6], box[6];
  boxOfLevel(sorted, 1, other, whole);
  uint32_t own = meetEight(sorted->bounds, sorted->room, whole, first, sorted->count);
  for (; own != 0u; own &= own - 1u) {
    const uint32_t lane = (uint32_t)__builtin_ctz(own);
    boxOfLevel(sorted, 0, first + lane, box);
    uint32_t met = meetEight(sorted->bounds, sorted->room, box, second, sorted->count);
    if (same) met &= ~((2u << lane) - 1u);
    for (; met != 0u; met &= met - 1u)
      takeSortedPair(pairs, (uint32_t)sorted->keys[first + lane],
                     (uint32_t)sorted->keys[second + (size_t)__builtin_ctz(met)]);
  }
}

static brinkStatus joinGroup(brinkScene *scene, const void *data, size_t group) {
  SortedPairs pairs = *(const SortedPairs *)data;
  float box[6];
  boxOfLevel(&scene->sorted, 1, group, box);
  pairs.scene = scene;
  pairs.group = group;
  eachSorted(&scene->sorted, box, 1, group, joinGroups, &pairs);
  return pairs.status;
}

/* Pairs of the sorted slots with each other: groups against the tree of groups. */
static brinkStatus gatherSorted(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query) {
  const SortedPairs pairs = {scene, tree, query, 0u, brink_ok};
  return brinkScene_GatherEach(scene, scene->sorted.levelCount[1], joinGroup, &pairs);
}

/* Do all moving boxes look around, and are they many? */
static bool areSorted(const brinkScene *scene, const brinkSceneQuery *query, bool wantedOnly) {
  bool all = query != NULL && query->onlyLink == BRINK_ALL_LINKS && !query->leaveOutResting && !wantedOnly;
  return all && !scene->few;
}

/* Of the tree of what rests alone: what is sorted is found there. */
static bool gatherUnsorted(void *user, uint32_t other) {
  const Gather *gather = user;
  return gather->scene->sortedAt[other] != BRINK_NOT_ACTIVE || gatherPair(user, other);
}

/* Pairs of one moving collider that is no plane, with what is fixed, and with what else moves; what moves and is not in
 * the tree has been sorted. */
static brinkStatus gatherAround(Gather *gather, Around around) {
  brinkScene *scene = gather->scene;
  const brinkSceneSlot *slot = &scene->slots[gather->index];
  brinkAabb box = brinkInflate(slot->box, slot->margin);
  if (scene->few) {
    lookAtAll(gather, &box);
  } else {
    if (brinkBvh_Count(scene->fixedTree) > 0u) brinkBvh_Query(scene->fixedTree, box, gatherPair, gather);
    if (gather->status == brink_ok && around != AROUND_FIXED && brinkBvh_Count(scene->movingTree) > 0u)
      brinkBvh_Query(scene->movingTree, box, gatherUnsorted, gather);
    if (gather->status == brink_ok && around == AROUND_ALL) querySorted(gather, &box);
  }
  return gather->status;
}

/* Does this pair, one of which is a plane without a box, come near? `around`: the other one looks around. */
static bool isNearPlane(const brinkSceneSlot *plane, const brinkSceneSlot *slot) {
  if (plane->collider.collider.link >= 0) return true; /* such a plane may be anywhere */
  brinkAabb box = brinkInflate(slot->box, slot->margin);
  return !(brinkSceneCollider_PlaneGap(&plane->collider, &box) > 0.0);
}

static brinkStatus gatherWithPlane(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                   bool wantedOnly, uint32_t plane, uint32_t other) {
  Gather gather = {scene, tree, query, wantedOnly, plane, true, brink_ok, AROUND_ALL, NULL};
  gatherPair(&gather, other);
  return gather.status;
}

/* slots NULL: of all that look around, but for planes. */
static brinkStatus gatherOne(brinkScene *scene, const void *data, size_t i) {
  const Gather *all = data;
  const uint32_t index = all->slots != NULL ? all->slots[i] : (uint32_t)i;
  const brinkSceneSlot *slot = &scene->slots[index];
  if (all->slots == NULL && (!slot->alive || !looksAround(all->query, all->wantedOnly, slot) ||
                             (all->allOthers && slot->collider.collider.link != all->query->onlyLink)))
    return brink_ok;
  Gather gather = *all;
  gather.scene = scene;
  gather.index = index;
  brinkStatus status = gatherAround(&gather, gather.around);
  for (size_t k = 0; status == brink_ok && gather.slots != NULL && k < scene->planeCount; ++k)
    if (isNearPlane(&scene->slots[scene->planes[k]], slot))
      status = gatherWithPlane(scene, gather.tree, gather.query, gather.wantedOnly, scene->planes[k], gather.index);
  return status;
}

/* All allowed pairs of the listed slots, which all look around, with what is near. Planes that move are not among the
 * scene's. */
static brinkStatus gatherListed(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                bool wantedOnly, const uint32_t *slots, size_t count) {
  brinkStatus status = brink_ok;
  Around around = AROUND_ALL;
  if (!scene->few && !wantedOnly) { /* all that is active: with each other at once */
    status = sortBoxes(scene, slots, count);
    if (status == brink_ok) status = gatherSorted(scene, tree, query);
    around = AROUND_RESTING;
  } else if (!scene->few && !scene->sorted.valid) {
    status = sortBoxes(scene, scene->active, scene->activeCount);
  }
  const bool alone = around == AROUND_RESTING && scene->planeCount == 0u && brinkBvh_Count(scene->fixedTree) == 0u &&
                     brinkBvh_Count(scene->movingTree) == 0u;
  const Gather listed = {scene, tree, query, wantedOnly, 0u, false, brink_ok, around, slots};
  return status == brink_ok && !alone ? brinkScene_GatherEach(scene, count, gatherOne, &listed) : status;
}

static brinkStatus gatherFromAll(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                 bool wantedOnly) {
  const bool only = query != NULL && query->onlyLink >= 0, sorted = areSorted(scene, query, wantedOnly);
  brinkStatus status = brink_ok;
  if (!scene->few && (sorted || !scene->sorted.valid)) status = sortBoxes(scene, NULL, 0u);
  if (status == brink_ok && sorted) status = gatherSorted(scene, tree, query);
  const Gather all = {scene, tree, query, wantedOnly, 0u, only, brink_ok, sorted ? AROUND_FIXED : AROUND_ALL, NULL};
  if (status == brink_ok && !(sorted && brinkBvh_Count(scene->fixedTree) == 0u))
    status = brinkScene_GatherEach(scene, scene->slotCount, gatherOne, &all);
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
  brinkStatus status = scene->few && !scene->alone ? brinkScene_ListBoxes(scene) : brink_ok;
  if (status != brink_ok) return status;
  bool listed =
      brinkScene_HasLists(scene, query) && query->leaveOutResting && query->onlyLink == BRINK_ALL_LINKS && !wantedOnly;
  status = scene->alone ? gatherAll(scene, tree, query)
           : listed     ? gatherListed(scene, tree, query, false, scene->active, scene->activeCount)
                        : gatherFromAll(scene, tree, query, wantedOnly);
  return status == brink_ok ? keepAllowed(scene, query) : status;
}

/* A plane on a link has no box: all that does not look around itself. */
static brinkStatus gatherAroundPlane(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                     uint32_t plane) {
  brinkStatus status = brink_ok;
  for (uint32_t i = 0; status == brink_ok && i < scene->slotCount; ++i) {
    const brinkSceneSlot *slot = &scene->slots[i];
    if (!slot->alive || i == plane) continue;
    if (slot->wanted && (!brinkSceneCollider_IsPlane(&slot->collider) || i < plane)) continue;
    status = gatherWithPlane(scene, tree, query, true, plane, i);
  }
  return status;
}

brinkStatus brinkScene_GatherAround(brinkScene *scene, const brinkMotionTree *tree, const brinkSceneQuery *query,
                                    const uint32_t *slots, size_t count) {
  brinkStatus status = brink_ok;
  scene->candidateCount = 0u;
  for (size_t i = 0; i < count; ++i) scene->slots[slots[i]].wanted = true;
  for (size_t i = 0; status == brink_ok && i < count; ++i)
    status = brinkSceneCollider_IsPlane(&scene->slots[slots[i]].collider)
                 ? gatherAroundPlane(scene, tree, query, slots[i])
                 : gatherListed(scene, tree, query, true, &slots[i], 1u);
  for (size_t i = 0; i < count; ++i) scene->slots[slots[i]].wanted = false;
  return status == brink_ok ? keepAllowed(scene, query) : status;
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
    scene->candidates[scene->candidateCount++] = (brinkSceneCandidate){ordered ? a : b, ordered ? b : a, BRINK_NO_PAIR};
  }
  brinkScene_SortCandidates(scene);
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
  scene->asked = NULL;
  brinkSceneSweep still = {0};
  brinkScene_MarkAllMoved(scene);
  scene->question.intact = false;
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
  brinkSceneSweep sweep = brinkSceneQuery_Sweep(query);
  scene->asked = query;
  scene->alone = false;
  const brinkSceneQuestion *known = &scene->question; /* its boxes hold, but for those of slots that have changed */
  const bool holds = known->open && known->intact && query->tStart >= known->from && query->tEnd <= known->tEnd;
  status = holds ? brinkScene_SweepSlots(scene, &sweep, known->changed, known->changedCount)
                 : brinkScene_SweepColliders(scene, query, &sweep);
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
    if (status == brink_ok) status = keepAllowed(scene, query);
  } else {
    status = brinkScene_GatherPairs(scene, tree, query, true);
  }
  for (size_t i = 0; i < slotCount; ++i) scene->slots[slots[i]].wanted = false;
  return status == brink_ok ? tellPairs(scene, pairs, count) : status;
}
