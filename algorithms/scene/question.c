/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens next, when what happened changes how a few things move? One question that lives for a whole step: pairs,
 * their bounds and the events found stand in one queue; a change of motion takes the pairs of that collider out and
 * finds and asks them anew, over the rest of the step. What an impact costs goes with what it changes.
 *
 * A pair's answer depends on its motions and its interval alone: it is asked once, to the end of the step, however many
 * calls that takes, and is the same as that of brinkFirstContact in mode pairs over that interval. Nothing looks at all
 * slots, links or pairs after Begin. Based on: [CATCH] Sec. 7.1, Algorithm 1 (order of pairs by bounds). Units: m, step
 * time. */
#include "scene_internal.h"

#define SMALLEST_TABLE 64u

/* ---- lists of a slot's pairs */

static uint32_t *headOf(brinkScene *scene, const brinkScenePair *pair, unsigned side) {
  return &scene->slots[side == 0u ? pair->candidate.a : pair->candidate.b].firstPair;
}

/* What hangs on no link never moves: no list of its pairs is needed. */
static bool isOnLink(const brinkScene *scene, const brinkScenePair *pair, unsigned side) {
  return scene->slots[side == 0u ? pair->candidate.a : pair->candidate.b].collider.collider.link >= 0;
}

static void linkPair(brinkScene *scene, uint32_t index) {
  brinkScenePair *pairs = scene->question.pairs, *pair = &pairs[index];
  for (unsigned side = 0; side < 2u; ++side) {
    pair->next[side] = pair->previous[side] = BRINK_NO_PAIR;
    if (!isOnLink(scene, pair, side)) continue;
    uint32_t *head = headOf(scene, pair, side), end = 2u * index + side;
    pair->next[side] = *head;
    if (*head != BRINK_NO_PAIR) pairs[*head / 2u].previous[*head % 2u] = end;
    *head = end;
  }
}

static void unlinkPair(brinkScene *scene, uint32_t index) {
  brinkScenePair *pairs = scene->question.pairs, *pair = &pairs[index];
  for (unsigned side = 0; side < 2u; ++side) {
    if (!isOnLink(scene, pair, side)) continue;
    uint32_t next = pair->next[side], previous = pair->previous[side];
    if (previous == BRINK_NO_PAIR)
      *headOf(scene, pair, side) = next;
    else
      pairs[previous / 2u].next[previous % 2u] = next;
    if (next != BRINK_NO_PAIR) pairs[next / 2u].previous[next % 2u] = previous;
  }
}

/* ---- pairs and answers */

#define QUESTION_RESERVE(scene, member, capacity, needed) \
  BRINK_SCENE_RESERVE(scene, question.member, question.capacity, needed)

static brinkStatus takePair(brinkScene *scene, uint32_t *index) {
  brinkSceneQuestion *question = &scene->question;
  if (question->freePairCount > 0u) {
    *index = question->freePairs[--question->freePairCount];
    return brink_ok;
  }
  if (question->pairCount >= BRINK_NO_PAIR / 2u)
    return brinkFail(scene->context, brink_errorRange, "question: more than 2^31 pairs; split the scene");
  brinkStatus status = QUESTION_RESERVE(scene, pairs, pairCapacity, question->pairCount + 1u);
  if (status == brink_ok) status = QUESTION_RESERVE(scene, freePairs, freePairCapacity, question->pairCapacity);
  if (status != brink_ok) return brinkFail(scene->context, status, "question: out of memory");
  *index = (uint32_t)question->pairCount++;
  return brink_ok;
}

static void freePair(brinkSceneQuestion *question, uint32_t index) {
  question->freePairs[question->freePairCount++] = index; /* there is room for every pair */
}

static brinkStatus takeAnswer(brinkScene *scene, uint32_t *index) {
  brinkSceneQuestion *question = &scene->question;
  if (question->freeAnswerCount > 0u) {
    *index = question->freeAnswers[--question->freeAnswerCount];
    return brink_ok;
  }
  brinkStatus status = QUESTION_RESERVE(scene, answers, answerCapacity, question->answerCount + 1u);
  if (status == brink_ok) status = QUESTION_RESERVE(scene, freeAnswers, freeAnswerCapacity, question->answerCapacity);
  if (status != brink_ok) return brinkFail(scene->context, status, "question: out of memory");
  *index = (uint32_t)question->answerCount++;
  return brink_ok;
}

static void freeAnswer(brinkSceneQuestion *question, brinkScenePair *pair) {
  if (pair->answer == BRINK_NO_PAIR) return;
  question->freeAnswers[question->freeAnswerCount++] = pair->answer;
  pair->answer = BRINK_NO_PAIR;
}

/* A pair that stands in the queue. */
static void killPair(brinkScene *scene, uint32_t index) {
  brinkScenePair *pair = &scene->question.pairs[index];
  unlinkPair(scene, index);
  freeAnswer(&scene->question, pair);
  pair->dead = true;
}

static void killPairsOf(brinkScene *scene, uint32_t slot) {
  while (scene->slots[slot].firstPair != BRINK_NO_PAIR) killPair(scene, scene->slots[slot].firstPair / 2u);
}

/* ---- pairs that were left */

static size_t placeOfLeft(const brinkSceneQuestion *question, uint64_t key) {
  size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (question->leftRoom - 1u);
  while (question->left[at] != 0u && question->left[at] != key) at = (at + 1u) & (question->leftRoom - 1u);
  return at;
}

static bool hasLeft(const brinkSceneQuestion *question, uint32_t a, uint32_t b) {
  uint64_t key = brinkScene_PairKey(a, b);
  return question->leftCount > 0u && question->left[placeOfLeft(question, key)] == key;
}

static brinkStatus growLeft(brinkScene *scene) {
  brinkSceneQuestion *question = &scene->question;
  if (2u * (question->leftCount + 1u) <= question->leftRoom) return brink_ok;
  uint64_t *old = question->left;
  size_t oldRoom = question->leftRoom, room = oldRoom > 0u ? 2u * oldRoom : SMALLEST_TABLE;
  uint64_t *table = brinkAllocateZeroed(scene->context, room, sizeof *table);
  if (table == NULL) return brinkFail(scene->context, brink_errorNoMemory, "question: out of memory");
  question->left = table;
  question->leftRoom = room;
  for (size_t i = 0; i < oldRoom; ++i)
    if (old[i] != 0u) table[placeOfLeft(question, old[i])] = old[i];
  brinkRelease(scene->context, old, oldRoom * sizeof *old);
  return brink_ok;
}

brinkStatus brinkScene_LeavePair(brinkScene *scene, uint32_t a, uint32_t b) {
  brinkSceneQuestion *question = &scene->question;
  if (!question->open) return brink_ok;
  brinkStatus status = growLeft(scene);
  if (status != brink_ok) return status;
  uint64_t key = brinkScene_PairKey(a, b);
  size_t at = placeOfLeft(question, key);
  if (question->left[at] == 0u) ++question->leftCount;
  question->left[at] = key;
  /* Through both lists at once: the shorter one decides. */
  uint32_t ends[2] = {scene->slots[a].firstPair, scene->slots[b].firstPair};
  const bool has[2] = {scene->slots[a].collider.collider.link >= 0, scene->slots[b].collider.collider.link >= 0};
  for (;;)
    for (unsigned k = 0; k < 2u; ++k) {
      if (!has[k]) continue;
      if (ends[k] == BRINK_NO_PAIR) return brink_ok;
      const brinkScenePair *pair = &question->pairs[ends[k] / 2u];
      if (brinkScene_PairKey(pair->candidate.a, pair->candidate.b) == key) {
        killPair(scene, ends[k] / 2u);
        return brink_ok;
      }
      ends[k] = pair->next[ends[k] % 2u];
    }
}

/* ---- life */

bool brinkScene_HasQuestion(const brinkScene *scene) { return scene->question.open; }

void brinkScene_EndQuestion(brinkScene *scene) {
  brinkSceneQuestion *question = &scene->question;
  if (!question->open) return;
  for (size_t i = 0; i < question->pairCount; ++i)
    scene->slots[question->pairs[i].candidate.a].firstPair = scene->slots[question->pairs[i].candidate.b].firstPair =
        BRINK_NO_PAIR;
  for (size_t i = 0; i < question->changedCount; ++i) scene->slots[question->changed[i]].isChanged = false;
  if (question->leftCount > 0u) memset(question->left, 0, question->leftRoom * sizeof *question->left);
  brinkPairQueue_Clear(&question->queue);
  question->pairCount = question->answerCount = question->freePairCount = question->freeAnswerCount = 0u;
  question->changedCount = question->leftCount = 0u;
  question->open = false;
}

void brinkScene_FreeQuestion(brinkScene *scene) {
  brinkContext *context = scene->context;
  brinkSceneQuestion *question = &scene->question;
  brinkRelease(context, question->pairs, question->pairCapacity * sizeof *question->pairs);
  brinkRelease(context, question->answers, question->answerCapacity * sizeof *question->answers);
  brinkRelease(context, question->freePairs, question->freePairCapacity * sizeof *question->freePairs);
  brinkRelease(context, question->freeAnswers, question->freeAnswerCapacity * sizeof *question->freeAnswers);
  brinkRelease(context, question->changed, question->changedCapacity * sizeof *question->changed);
  brinkRelease(context, question->popped, question->poppedCapacity * sizeof *question->popped);
  brinkRelease(context, question->left, question->leftRoom * sizeof *question->left);
  brinkPairQueue_Free(context, &question->queue);
}

void brinkQuestion_MarkMoved(brinkScene *scene, uint32_t slot) {
  brinkSceneQuestion *question = &scene->question;
  if (!question->open || slot >= scene->slotCount || scene->slots[slot].isChanged) return;
  scene->slots[slot].isChanged = true;
  question->changed[question->changedCount++] = slot;
}

/* ---- finding pairs */

/* The candidates become pairs of the question; those that hulls prove apart to the end are done with. */
static brinkStatus takeCandidates(brinkScene *scene, const brinkSceneQuery *query) {
  brinkSceneQuestion *question = &scene->question;
  size_t kept = 0;
  question->counters.pairsSpatial += scene->candidateCount;
  for (size_t i = 0; i < scene->candidateCount; ++i)
    if (!hasLeft(question, scene->candidates[i].a, scene->candidates[i].b))
      scene->candidates[kept++] = scene->candidates[i];
  scene->candidateCount = kept;
  brinkStatus status = brinkScene_BoundPairs(scene, query, &question->work);
  for (size_t i = 0; status == brink_ok && i < scene->candidateCount; ++i) {
    const brinkSceneCandidate *candidate = &scene->candidates[i];
    const double bound = scene->lower[i].toi;
    if (bound == HUGE_VAL) continue;
    uint32_t index = BRINK_NO_PAIR;
    status = takePair(scene, &index);
    if (status != brink_ok) return status;
    question->pairs[index] = (brinkScenePair){.candidate = *candidate, .from = query->tStart, .answer = BRINK_NO_PAIR};
    question->pairs[index].candidate.pair = index;
    linkPair(scene, index);
    status = brinkPairQueue_Push(scene->context, &question->queue, bound, index);
  }
  return status;
}

static brinkStatus findAllPairs(brinkScene *scene, const brinkSceneQuery *query) {
  brinkSceneSweep sweep = brinkSceneQuery_Sweep(query);
  brinkStatus status = brinkScene_SweepColliders(scene, query, &sweep);
  if (status == brink_ok && scene->few) status = brinkScene_ListSlots(scene);
  if (status != brink_ok) return status;
  brinkScene_SetMargins(scene, query);
  status = brinkScene_GatherPairs(scene, query->tree, query, false);
  return status == brink_ok ? takeCandidates(scene, query) : status;
}

brinkStatus brinkScene_BeginQuestion(brinkScene *scene, const brinkSceneQuery *query) {
  brinkSceneQuestion *question = &scene->question;
  brinkStatus status = brinkScene_CheckQuery(scene, query);
  if (status == brink_ok && !brinkScene_HasLists(scene, query)) status = brinkScene_CheckLinks(scene, query->tree);
  if (status == brink_ok) status = brinkScene_ReserveLinks(scene, (size_t)query->tree->linkCount);
  if (status == brink_ok) status = QUESTION_RESERVE(scene, changed, changedCapacity, scene->slotCount);
  if (status != brink_ok) return status;
  brinkScene_EndQuestion(scene);
  scene->asked = query;
  question->open = question->intact = true;
  question->from = query->tStart;
  question->tEnd = query->tEnd;
  question->work = (brinkAdvanceWork){0};
  question->counters = (brinkSceneCounters){.pairsBefore = brinkScene_CountPairs(scene, query->tree, query)};
  scene->alone = false;
  status = findAllPairs(scene, query);
  if (status != brink_ok) brinkScene_EndQuestion(scene);
  return status;
}

/* Boxes of the changed slots over the rest of the step; of all, if another query took them. */
static brinkStatus sweepChanged(brinkScene *scene, const brinkSceneQuery *query) {
  brinkSceneQuestion *question = &scene->question;
  brinkSceneSweep sweep = brinkSceneQuery_Sweep(query);
  if (!question->intact) {
    brinkScene_MarkAllMoved(scene);
    brinkStatus status = brinkScene_SweepColliders(scene, query, &sweep);
    if (status == brink_ok && scene->few) status = brinkScene_ListBoxes(scene);
    question->intact = status == brink_ok;
    return status;
  }
  brinkStatus status = brinkScene_SweepSlots(scene, &sweep, question->changed, question->changedCount);
  for (size_t i = 0; i < question->changedCount; ++i) brinkScene_MarkBox(scene, question->changed[i]);
  return status;
}

/* query->tStart: from. */
static brinkStatus findChangedPairs(brinkScene *scene, const brinkSceneQuery *query) {
  brinkSceneQuestion *question = &scene->question;
  question->from = query->tStart;
  if (question->changedCount == 0u) return brink_ok;
  brinkStatus status = sweepChanged(scene, query);
  if (status != brink_ok) return status;
  for (size_t i = 0; i < question->changedCount; ++i) {
    brinkSceneSlot *slot = &scene->slots[question->changed[i]];
    killPairsOf(scene, question->changed[i]);
    brinkScene_SetMargin(slot, query, 0.0);
    slot->isChanged = false;
  }
  status = brinkScene_GatherAround(scene, query->tree, query, question->changed, question->changedCount);
  question->changedCount = 0u;
  return status == brink_ok ? takeCandidates(scene, query) : status;
}

/* ---- asking them */

typedef struct Search {
  const brinkSceneQuery *query;
  double first; /* event */
  double known; /* start of the interval for which the scratch knows what links do */
  uint64_t spent;
  bool stopped;
  size_t count; /* of question->popped: pairs with an event, maybe within the window */
} Search;

static brinkStatus keepPopped(brinkScene *scene, Search *search, uint32_t index) {
  brinkSceneQuestion *question = &scene->question;
  brinkStatus status = QUESTION_RESERVE(scene, popped, poppedCapacity, search->count + 1u);
  if (status != brink_ok) return brinkFail(scene->context, status, "question: out of memory");
  question->popped[search->count++] = index;
  search->first = BRINK_MIN(search->first, question->answers[question->pairs[index].answer].result.toi);
  return brink_ok;
}

/* The budget is spent: the pair is proven until its bound, and stays as it is. */
static brinkStatus leaveOpen(brinkScene *scene, Search *search, uint32_t index, double bound) {
  brinkSceneQuestion *question = &scene->question;
  brinkScenePair *pair = &question->pairs[index];
  brinkStatus status = takeAnswer(scene, &pair->answer);
  if (status != brink_ok) return status;
  question->answers[pair->answer] =
      (brinkScenePairResult){.a = pair->candidate.a,
                             .b = pair->candidate.b,
                             .event.kind = BRINK_SCENE_UNDECIDED,
                             .result = {.state = brink_unresolved, .toi = bound, .toiUpper = search->query->tEnd}};
  pair->unasked = true;
  return keepPopped(scene, search, index);
}

static brinkStatus askPair(brinkScene *scene, Search *search, uint32_t index, double bound) {
  brinkSceneQuestion *question = &scene->question;
  brinkScenePair *pair = &question->pairs[index];
  brinkSceneQuery query = *search->query;
  query.tStart = pair->from;
  brinkStatus status = brink_ok;
  if (search->known != pair->from)
    status = brinkSweptAxisScratch_BeginQuery(scene->context, scene->sweptScratch, query.tree, pair->from, query.tEnd);
  search->known = pair->from;
  brinkScenePairResult answer = {.a = pair->candidate.a, .b = pair->candidate.b};
  bool entered = false;
  if (status == brink_ok)
    status = brinkScene_AskPair(scene, &query, &pair->candidate, bound, HUGE_VAL, search->spent, &answer,
                                &question->work, &entered);
  if (status != brink_ok) return status;
  question->counters.pairsTemporal += entered;
  search->spent += answer.result.iterations;
  if (answer.result.state == brink_free) {
    unlinkPair(scene, index);
    freePair(question, index);
    return brink_ok;
  }
  status = takeAnswer(scene, &pair->answer);
  if (status != brink_ok) return status;
  question->answers[pair->answer] = answer;
  return keepPopped(scene, search, index);
}

static brinkStatus advancePairs(brinkScene *scene, Search *search) {
  brinkSceneQuestion *question = &scene->question;
  const brinkSceneQuery *query = search->query;
  brinkStatus status = brink_ok;
  double bound;
  uint32_t index;
  while (status == brink_ok && brinkPairQueue_Pop(&question->queue, &bound, &index)) {
    if (question->pairs[index].dead) {
      freePair(question, index);
    } else if (bound > search->first + query->window) {
      return brinkPairQueue_Push(scene->context, &question->queue, bound, index);
    } else if (question->pairs[index].answer != BRINK_NO_PAIR) {
      status = keepPopped(scene, search, index);
    } else {
      search->stopped = search->stopped || (query->maxTotal > 0u && search->spent >= query->maxTotal) ||
                        (query->goOn != NULL && !query->goOn(query->goOnUser));
      status = search->stopped ? leaveOpen(scene, search, index, bound) : askPair(scene, search, index, bound);
    }
  }
  return status;
}

/* The popped pairs in the order of their keys, as the report is made from them; then they go back into the queue. */
static brinkStatus tellEvents(brinkScene *scene, Search *search, brinkSceneReport *report) {
  brinkSceneQuestion *question = &scene->question;
  scene->candidateCount = 0u;
  brinkStatus status = BRINK_SCENE_RESERVE(scene, candidates, candidateCapacity, search->count);
  if (status != brink_ok) return brinkFail(scene->context, status, "question: out of memory");
  for (size_t i = 0; i < search->count; ++i)
    scene->candidates[scene->candidateCount++] = question->pairs[question->popped[i]].candidate;
  brinkScene_SortCandidates(scene);
  status = brinkScene_PrepareResults(scene);
  if (status != brink_ok) return status;
  for (size_t i = 0; i < scene->candidateCount; ++i) {
    brinkScenePair *pair = &question->pairs[scene->candidates[i].pair];
    scene->results[i] = question->answers[pair->answer];
    status = brinkPairQueue_Push(scene->context, &question->queue, scene->results[i].result.toi, pair->candidate.pair);
    if (status != brink_ok) return brinkFail(scene->context, status, "question: out of memory");
    if (pair->unasked) freeAnswer(question, pair);
    pair->unasked = false;
  }
  brinkScene_MakeReport(scene, search->query, search->first, report);
  return brink_ok;
}

static void tellCounters(brinkSceneQuestion *question, brinkSceneCounters *out) {
  const uint64_t unresolved = out->unresolved;
  *out = question->counters;
  out->unresolved = unresolved;
  out->distanceQueries = question->work.distanceQueries;
  out->advancements = question->work.advancements;
  out->nodePairs = question->work.nodePairs;
  question->counters = (brinkSceneCounters){0};
  question->work = (brinkAdvanceWork){0};
}

brinkStatus brinkScene_NextEvents(brinkScene *scene, const brinkSceneQuery *given, double from,
                                  brinkSceneReport *report) {
  brinkSceneQuestion *question = &scene->question;
  if (!question->open) return brinkFail(scene->context, brink_errorStale, "no question is open");
  if (!(from >= question->from && from <= question->tEnd))
    return brinkFail(scene->context, brink_errorBadTime, "from is %g; the question stands at %g and ends at %g", from,
                     question->from, question->tEnd);
  brinkSceneQuery query = *given;
  query.tStart = from;
  query.tEnd = question->tEnd;
  memset(report, 0, sizeof *report);
  scene->asked = given;
  scene->alone = false;
  Search search = {.query = &query, .first = HUGE_VAL, .known = HUGE_VAL};
  brinkStatus status = brinkScene_ReserveLinks(scene, (size_t)query.tree->linkCount);
  if (status == brink_ok) status = findChangedPairs(scene, &query);
  if (status == brink_ok) status = advancePairs(scene, &search);
  brinkSweptAxisScratch_EndQuery(scene->sweptScratch);
  if (status == brink_ok) status = tellEvents(scene, &search, report);
  if (status == brink_ok)
    tellCounters(question, &report->counters);
  else
    brinkScene_EndQuestion(scene);
  return status;
}
