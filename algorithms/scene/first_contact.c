/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of the stages: Taylor models of all links, swept boxes, static and dynamic box trees, filters
 * (scene_boxes.c, scene_pairs.c), hull lower bounds, pairs in order of their bounds with one best toi shared by all,
 * advancement (pair_event.c), the window around the first contact, the report.
 *
 * Based on: [CATCH] Zhang, Redon, Lee, Kim 2007, Sec. 4 (overview), 5 (spatial culling), 7 (temporal culling),
 * Algorithm 1. Units: m, step time. Order of everything reported: (toi, key of A, key of B); nothing depends on
 * addresses. */
#include "scene_internal.h"

#include "heap.h"

brinkStatus brinkScene_CheckQuery(brinkScene *scene, const brinkSceneQuery *query) {
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
  if (query->mode > BRINK_SCENE_BOOLEAN || query->scheme > BRINK_SCENE_SWEPT_AXIS ||
      query->watch > BRINK_SCENE_WATCH_DEPTH)
    return brinkFail(context, brink_errorBadValue, "query: unknown mode %u, scheme %u or watch %u",
                     (unsigned)query->mode, (unsigned)query->scheme, (unsigned)query->watch);
  if (query->onlyLink < BRINK_ALL_LINKS || query->onlyLink >= query->tree->linkCount)
    return brinkFail(context, brink_errorBadIndex, "query: onlyLink %d; the tree has %d links", (int)query->onlyLink,
                     (int)query->tree->linkCount);
  return brink_ok;
}

void brinkScene_SetMargin(brinkSceneSlot *slot, const brinkSceneQuery *query, double largest) {
  double size = brinkSceneCollider_Size(&slot->collider);
  /* A point's own size says nothing: its pairs take the other's tolerance, which is at most this. */
  slot->margin =
      query->tolerance > 0.0 || size > 0.0 ? brinkScene_Tolerance(query, size, size) : BRINK_DEFAULT_TOLERANCE;
  slot->margin +=
      query->watch == BRINK_SCENE_WATCH_DEPTH ? 0.5 * brinkSceneCollider_Allowance(&slot->collider) : query->threshold;
  slot->margin += brinkSceneQuery_LinkMargin(query, &slot->collider) + largest;
}

/* Once the colliders are placed. */
void brinkScene_SetMargins(brinkScene *scene, const brinkSceneQuery *query) {
  double largest = 0.0; /* the other of a pair may be off too */
  for (int32_t i = 0; query->linkMargin != NULL && i < query->tree->linkCount; ++i)
    largest = BRINK_MAX(largest, query->linkMargin[i]);
  const uint32_t *listed = brinkScene_HasLists(scene, query) && query->leaveOutResting ? scene->active : NULL;
  for (size_t i = 0; i < (listed != NULL ? scene->activeCount : scene->slotCount); ++i) {
    brinkSceneSlot *slot = &scene->slots[listed != NULL ? listed[i] : i];
    if (slot->alive && slot->collider.collider.link >= 0) brinkScene_SetMargin(slot, query, largest);
  }
}

brinkStatus brinkScene_PrepareResults(brinkScene *scene) {
  size_t count = scene->candidateCount;
  brinkStatus status = BRINK_SCENE_RESERVE(scene, results, resultCapacity, count);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, reported, reportedCapacity, count);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, order, orderCapacity, count);
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

/* Does the swept-axis scheme take the pair as it comes? Hulls' lower bounds cost more. */
static bool takesAsItComes(const brinkSceneQuery *query, const brinkAdvanceInput *input) {
  return query->scheme != BRINK_SCENE_PAPER && query->watch == BRINK_SCENE_WATCH_CONTACT && brinkSweptAxisServes(input);
}

static double lowerBound(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                         double *threshold) {
  brinkAdvanceInput input;
  brinkScene_MakeInput(scene, query, candidate, &input);
  *threshold = input.threshold;
  if (!scene->alone && query->pairs == NULL && query->scheme != BRINK_SCENE_PAPER && input.threshold >= 0.0) {
    if (brinkScene_StayApart(scene, query, candidate, &input)) return HUGE_VAL;
    if (brinkScene_HullsSayLittle(query, &input)) return query->tStart;
  }
  if (takesAsItComes(query, &input)) return query->tStart;
  return brinkHullLowerBound(&input, &scene->work);
}

static brinkStatus boundOne(brinkScene *scene, const void *query, size_t index) {
  scene->lower[index].toi = lowerBound(scene, query, &scene->candidates[index], &scene->lower[index].threshold);
  return brink_ok;
}

brinkStatus brinkScene_BoundPairs(brinkScene *scene, const brinkSceneQuery *query, brinkAdvanceWork *work) {
  brinkStatus status = BRINK_SCENE_RESERVE(scene, lower, lowerCapacity, scene->candidateCount);
  scene->work = (brinkAdvanceWork){0};
  if (status == brink_ok) status = brinkScene_Each(scene, scene->candidateCount, boundOne, query);
  brinkAdvanceWork_Add(work, &scene->work);
  return status;
}

/* Lower bounds of all pairs from their hulls ([CATCH] Algorithm 1, lines 1-4). */
static brinkStatus queuePairs(brinkScene *scene, const brinkSceneQuery *query, brinkAdvanceWork *work) {
  brinkPairQueue_Clear(&scene->queue);
  brinkStatus status = brinkScene_BoundPairs(scene, query, work);
  size_t kept = 0; /* nobody asks for the answers of pairs that stay apart, but in mode pairs */
  for (size_t i = 0; status == brink_ok && i < scene->candidateCount; ++i) {
    if (scene->lower[i].toi == HUGE_VAL && query->mode != BRINK_SCENE_PAIRS) continue;
    scene->candidates[kept] = scene->candidates[i];
    scene->lower[kept++] = scene->lower[i];
  }
  if (status == brink_ok) scene->candidateCount = kept;
  if (status == brink_ok) status = brinkScene_PrepareResults(scene);
  for (size_t i = 0; status == brink_ok && i < scene->candidateCount; ++i) {
    scene->results[i].threshold = scene->lower[i].threshold;
    if (scene->lower[i].toi == HUGE_VAL) {
      brinkPairResult *result = &scene->results[i].result;
      result->state = brink_free;
      result->toi = result->toiUpper = query->tEnd;
      result->distance = scene->lower[i].threshold;
      if (query->watch == BRINK_SCENE_WATCH_DEPTH) result->distance = BRINK_MIN(result->distance, 0.0); /* FreeRoom */
      continue;
    }
    status = brinkPairQueue_Push(scene->context, &scene->queue, scene->lower[i].toi, (uint32_t)i);
  }
  return status;
}

brinkStatus brinkScene_AskPair(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                               double bound, double stopAfter, uint64_t spent, brinkScenePairResult *out,
                               brinkAdvanceWork *work, bool *entered) {
  brinkAdvanceInput input;
  brinkScene_MakeInput(scene, query, candidate, &input);
  if (query->maxTotal > 0u && (input.maxIterations == 0u || input.maxIterations > query->maxTotal - spent))
    input.maxIterations = query->maxTotal - spent;
  input.provenUntil = bound;
  input.stopAfter = stopAfter;
  uint64_t distancesBefore = work->distanceQueries;
  brinkStatus status =
      brinkScene_AdvancePair(scene, query, candidate, &input, &out->result, &out->threshold, &out->event, work);
  if (status != brink_ok) return status;
  /* Culled: settled by the root boxes, whole or in halves, without a distance. */
  *entered = !takesAsItComes(query, &input) || work->distanceQueries != distancesBefore || out->result.iterations > 2u;
  return brink_ok;
}

/* ---- asking */

static bool sameThings(const brinkSceneSlot *slots, const brinkSceneCandidate *x, const brinkSceneCandidate *y) {
  return x == NULL ||
         (slots[x->a].collider.key == slots[y->a].collider.key && slots[x->b].collider.key == slots[y->b].collider.key);
}

typedef struct Round {
  const brinkSceneQuery *query;
  double stopAfter;
  uint64_t spent;
} Round;

static brinkStatus askOne(brinkScene *scene, const void *data, size_t index) {
  const Round *round = data;
  brinkSceneAhead *ahead = &scene->ahead[index];
  ahead->work = (brinkAdvanceWork){0};
  return brinkScene_AskPair(scene, round->query, &scene->candidates[ahead->index], ahead->bound, round->stopAfter,
                            round->spent, &scene->results[ahead->index], &ahead->work, &ahead->entered);
}

/* Pairs by ascending bound, one best toi shared by all (Algorithm 1, lines 6-23).
 *
 * With threads the next pairs are asked ahead, all with the best toi as it is. Then they are taken in order, and an
 * answer counts only as long as no earlier pair of the round has lowered the best toi: what counts was asked as one
 * thread would have asked it. The others are asked again, by the new one. Records of a sequence become rare as it goes
 * on: the first pairs are asked one by one, and rounds grow with what has been answered. Pairs bounded by the best toi
 * cannot lower it: all of them are one round. Budgets are spent pair by pair, and nothing is asked ahead then. */
static brinkStatus advancePairs(brinkScene *scene, const brinkSceneQuery *query, brinkAdvanceWork *work,
                                brinkSceneCounters *counters, double *first) {
  const double window = query->mode == BRINK_SCENE_FIRST ? query->window : 0.0;
  const bool alone = !brinkScene_HasThreads(scene) || query->maxTotal > 0u || query->goOn != NULL ||
                     scene->candidateCount < BRINK_TASKS;
  Round round = {query, HUGE_VAL, 0};
  bool stopped = false;
  const brinkSceneCandidate *met = NULL; /* boolean: of these two things all parts are asked, up to the contact */
  size_t count = 0, done = 0;            /* out of the queue; answered */
  for (*first = HUGE_VAL;;) {
    const size_t most = query->mode == BRINK_SCENE_PAIRS && !alone ? scene->candidateCount
                        : alone || done < BRINK_TASKS              ? 1u
                                                                   : BRINK_TASKS + done / 4u;
    brinkStatus status = BRINK_SCENE_RESERVE(scene, ahead, aheadCapacity, alone ? 1u : scene->candidateCount);
    if (status != brink_ok) return brinkFail(scene->context, status, "pair queue: out of memory");
    brinkSceneAhead *ahead = scene->ahead;
    round.stopAfter = query->mode != BRINK_SCENE_PAIRS ? *first + window : HUGE_VAL;
    while (
        (count < most || (!alone && ahead[count - 1u].bound >= *first && ahead[count - 1u].bound <= round.stopAfter)) &&
        brinkPairQueue_Pop(&scene->queue, &ahead[count].bound, &ahead[count].index))
      count += sameThings(scene->slots, met, &scene->candidates[ahead[count].index]);
    size_t asked = 0, taken = 0;
    while (asked < count && !(ahead[asked].bound > round.stopAfter)) ++asked;
    if (asked == 0u) return brink_ok;
    stopped = stopped || (query->maxTotal > 0u && round.spent >= query->maxTotal) ||
              (query->goOn != NULL && !query->goOn(query->goOnUser));
    if (!stopped) status = brinkScene_Each(scene, asked, askOne, &round);
    if (status != brink_ok) return status;
    for (bool fell = false; taken < asked && !fell; ++taken) {
      brinkPairResult *result = &scene->results[ahead[taken].index].result;
      if (stopped) {
        *result = (brinkPairResult){
            .state = brink_unresolved, .toi = ahead[taken].bound, .toiUpper = BRINK_MIN(query->tEnd, *first)};
        continue;
      }
      brinkAdvanceWork_Add(work, &ahead[taken].work);
      counters->pairsTemporal += ahead[taken].entered;
      round.spent += result->iterations;
      fell = isContact(result) && query->mode != BRINK_SCENE_PAIRS && result->toi < *first;
      if (isContact(result)) *first = BRINK_MIN(*first, result->toi);
    }
    for (size_t i = taken; i < asked; ++i) scene->results[ahead[i].index].result = (brinkPairResult){.toi = -1.0};
    if (query->mode == BRINK_SCENE_BOOLEAN && *first < HUGE_VAL && met == NULL)
      met = &scene->candidates[ahead[taken - 1u].index];
    done += taken;
    const size_t last = count;
    count = 0;
    for (size_t i = taken; i < last; ++i)
      if (sameThings(scene->slots, met, &scene->candidates[ahead[i].index])) ahead[count++] = ahead[i];
  }
}

static bool resultAfter(const void *scene, const void *left, const void *right) {
  const brinkScenePairResult *results = ((const brinkScene *)scene)->results;
  uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
  double toiX = results[x].result.toi, toiY = results[y].result.toi;
  return toiX != toiY ? toiX > toiY : x > y; /* results stand in key order */
}

/* The results in scene->order, ascending, by toi. Those with the latest one, most of all where most pairs are free, are
 * in place already. */
static void sortReported(brinkScene *scene, size_t count) {
  double latest = -HUGE_VAL;
  size_t sooner = 0, last = 0;
  for (size_t i = 0; i < count; ++i) latest = BRINK_MAX(latest, scene->results[scene->order[i]].result.toi);
  for (size_t i = 0; i < count; ++i) last += scene->results[scene->order[i]].result.toi < latest;
  for (size_t i = 0; i < count; ++i) {
    const brinkScenePairResult *result = &scene->results[scene->order[i]];
    if (result->result.toi < latest)
      scene->order[sooner++] = scene->order[i];
    else
      scene->reported[last++] = *result;
  }
  brinkHeap_Sort(scene->order, sooner, sizeof *scene->order, resultAfter, scene);
  for (size_t i = 0; i < sooner; ++i) scene->reported[i] = scene->results[scene->order[i]];
}

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
    if (!sameThings(scene->slots, &scene->candidates[last], &scene->candidates[i])) {
      last = i;
      continue;
    }
    if (speaksFirst(next, kept)) scene->results[last] = scene->results[i];
    next->toi = -1.0;
  }
}

void brinkScene_MakeReport(brinkScene *scene, const brinkSceneQuery *query, double first, brinkSceneReport *report) {
  double window = query->mode == BRINK_SCENE_FIRST ? query->window : 0.0;
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
    if (query->mode == BRINK_SCENE_PAIRS || inWindow) scene->order[count++] = (uint32_t)i;
    if (!inWindow && query->mode != BRINK_SCENE_PAIRS) continue;
    contact = contact || met;
    unresolved = unresolved || open;
    overlap = overlap || result->state == brink_overlap;
    if (open || met) earliest = BRINK_MIN(earliest, result->toi);
  }
  sortReported(scene, count);
  report->pairs = scene->reported;
  report->pairCount = count;
  report->state = contact ? (overlap ? brink_overlap : brink_hit) : unresolved ? brink_unresolved : brink_free;
  report->toi = contact || unresolved ? earliest : BRINK_NO_TIME;
}

brinkStatus brinkFirstContact(brinkScene *scene, const brinkSceneQuery *query, brinkSceneReport *report) {
  brinkStatus status = brinkScene_CheckQuery(scene, query);
  bool given = query->pairs != NULL;
  if (status == brink_ok && !given && !brinkScene_HasLists(scene, query))
    status = brinkScene_CheckLinks(scene, query->tree);
  if (status != brink_ok) return status;
  const brinkMotionTree *tree = query->tree;
  if (!given) status = brinkScene_ReserveLinks(scene, (size_t)tree->linkCount);
  if (status != brink_ok) return status;
  memset(report, 0, sizeof *report);
  scene->asked = query;
  report->counters.pairsBefore = given ? query->pairCount : brinkScene_CountPairs(scene, tree, query);

  /* Spatial culling. */
  brinkSceneSweep sweep = brinkSceneQuery_Sweep(query);
  sweep.always = query->scheme == BRINK_SCENE_PAPER;
  scene->alone = !given && report->counters.pairsBefore <= 1u && query->scheme != BRINK_SCENE_PAPER &&
                 query->watch == BRINK_SCENE_WATCH_CONTACT && !query->leaveOutResting;
  if (!given && !scene->alone) {
    status = brinkScene_SweepColliders(scene, query, &sweep);
    brinkScene_SetMargins(scene, query);
  }
  if (status == brink_ok)
    status = given ? brinkScene_TakePairs(scene, query) : brinkScene_GatherPairs(scene, tree, query, false);
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
  brinkScene_MakeReport(scene, query, first, report);
  return brink_ok;
}
