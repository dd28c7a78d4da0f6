/* SPDX-License-Identifier: BSD-3-Clause */
/* When does one pair come to its event? Distances of contact-watching queries; of depth-watching ones the bands of
 * brinkWatch in brink/ccd.h, and pairs that may sink into each other, because their contacts need surfaces that cross:
 * these are watched at a core (inner_core.h). Units: m, step time. */
#include "scene_internal.h"

#include "inner_core.h"
#include "revolution.h"
#include "turned_frame.h"

/* In depth-watching queries the tolerance stays this far below the allowance, so that a band is wider than its edges.
 */
#define ALLOWANCE_PARTS 64.0
/* Of the depth that a pair may sink in one go: by so much it may in an interval; so far is the core still off at the
 * limit; a pair sunk so far is watched at the core for its limit. */
#define SINK_STEP 0.75
#define CORE_LEFT 0.5
#define SUNK 0.25
#define INNERMOST 0.9375 /* of the largest inset that leaves a core */

/* Two turns: from here on bodies of revolution are worth a look before all else. */
#define MUCH_TURNING 12.6
/* Meshes that turn by more than this go to the paper's scheme at once (rad; measured: test_spins --times). */
#define MESH_TURNING 12.0
/* Swept axes of meshes that turn by more than this (rad) get so many steps, and one for each so many triangles, before
 * the paper's scheme takes over (measured in the same way). */
#define SOME_TURNING 0.3
#define LEAST_BUDGET 2000u
#define TRIANGLES_A_STEP 4u

/* Many turns cost nothing while the bodies of revolution are apart: how far do these reach? true: to the end. */
static bool revolveAhead(brinkAdvanceInput *input, brinkPairResult *result, brinkAdvanceWork *work) {
  double from = BRINK_MAX(input->tStart, input->provenUntil), end = BRINK_MIN(input->tEnd, input->stopAfter);
  bool fresh = !(input->provenUntil > input->tStart);
  if (input->leftOut.any || !(from < end) ||
      !brinkTurnsMuch(input->tree, input->a.link, input->b.link, from, end, MUCH_TURNING))
    return false;
  /* what lies within the tolerance at the start is an event */
  double separation = BRINK_MAX(input->threshold + (fresh ? 1.0 : 0.25) * input->tolerance, 0.0);
  brinkRevolvingBody a = {&input->a.shape->piece, input->a.local, input->a.link},
                     b = {&input->b.shape->piece, input->b.local, input->b.link};
  double until = brinkRevolvedUntil(input->tree, &a, &b, from, end, separation, &work->distanceQueries);
  input->provenUntil = BRINK_MAX(input->provenUntil, until);
  if (until < end) return false;
  *result = (brinkPairResult){.state = brink_free, .toi = end, .toiUpper = end, .distance = separation};
  return true;
}

static bool goesToPaper(const brinkAdvanceInput *input) {
  if (input->a.shape->obbTree == NULL && input->b.shape->obbTree == NULL) return false;
  double from = BRINK_MAX(input->tStart, input->provenUntil), end = BRINK_MIN(input->tEnd, input->stopAfter);
  return brinkTurnsMuch(input->tree, input->a.link, input->b.link, from, end, MESH_TURNING);
}

/* 0: as large as asked for. */
static uint64_t briefBudget(const brinkAdvanceInput *input) {
  const brinkHullTree *treeA = input->a.shape->tree, *treeB = input->b.shape->tree;
  if (!input->handsOver || (treeA == NULL && treeB == NULL)) return 0u;
  if (!brinkTurnsMuch(input->tree, input->a.link, input->b.link, input->tStart, input->tEnd, SOME_TURNING)) return 0u;
  uint64_t triangles = (treeA != NULL ? brinkHullTree_Mesh(treeA).triangleCount : 0u) +
                       (treeB != NULL ? brinkHullTree_Mesh(treeB).triangleCount : 0u);
  return LEAST_BUDGET + triangles / TRIANGLES_A_STEP;
}

/* Are poses known at all, against the tolerance? Where rounding is far larger no scheme can tell, and the paper's would
 * call it a contact. */
static bool isKnownWell(const brinkAdvanceInput *input, int32_t link) {
  brinkLinkRate rate;
  if (link < 0) return true;
  brinkMotionTree_Rate(input->tree, link, -1, input->tStart, input->tEnd, &rate);
  return rate.poseError < 1e3 * input->tolerance;
}

/* The swept axes, and where they do not come to an answer the paper's scheme, from where they got to. */
static brinkStatus advanceAsStated(brinkScene *scene, const brinkSceneQuery *query, const brinkAdvanceInput *given,
                                   brinkPairResult *result, brinkAdvanceWork *work) {
  brinkAdvanceInput input = *given;
  brinkStatus status = brink_ok;
  if (revolveAhead(&input, result, work)) return brink_ok;
  uint64_t spent = 0;
  bool serves = query->scheme != BRINK_SCENE_PAPER && brinkSweptAxisServes(&input);
  if (serves && query->scheme != BRINK_SCENE_SWEPT_AXIS) serves = !goesToPaper(&input);
  input.handsOver = query->scheme != BRINK_SCENE_SWEPT_AXIS;
  if (serves) {
    const uint64_t budget = input.maxIterations, brief = briefBudget(&input);
    if (brief > 0u && !(budget > 0u && budget < brief)) input.maxIterations = brief;
    status = brinkSweptAxisPair(scene->context, scene->sweptScratch, scene->scratch, &input, result, work);
    input.maxIterations = budget;
    if (status != brink_ok || result->state != brink_unresolved || query->scheme == BRINK_SCENE_SWEPT_AXIS)
      return status;
    spent = result->iterations;
    if (!isKnownWell(&input, input.a.link) || !isKnownWell(&input, input.b.link)) return brink_ok;
    if (input.maxIterations > 0u && spent >= input.maxIterations) return brink_ok;
    if (input.maxIterations > 0u) input.maxIterations -= spent;
    input.provenUntil = BRINK_MAX(input.provenUntil, result->toi);
  }
  status = brinkAdvancePair(scene->context, scene->scratch, &input, result, work);
  result->iterations += spent;
  return status;
}

static brinkStatus advanceByScheme(brinkScene *scene, const brinkSceneQuery *query, const brinkAdvanceInput *input,
                                   brinkPairResult *result, brinkAdvanceWork *work) {
  brinkStatus status = brinkCheckAdvanceInput(scene->context, input);
  if (status != brink_ok) return status;
  brinkTurnedFrame frame;
  brinkAdvanceInput seen;
  if (!brinkSeenFromTurning(input, &frame, &seen)) return advanceAsStated(scene, query, input, result, work);
  status = advanceAsStated(scene, query, &seen, result, work);
  if (status == brink_ok) brinkTurnedFrame_Tell(&frame, result);
  return status;
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

static bool isMeshPair(const brinkSceneCollider *a, const brinkSceneCollider *b) {
  return brinkSceneCollider_IsMesh(a) || brinkSceneCollider_IsMesh(b);
}

/* The largest threshold that chooseThreshold may pick: a lower bound made with it holds for every other. */
void brinkScene_MakeInput(const brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
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
  input->tolerance = brinkScene_Tolerance(query, brinkSceneCollider_Size(a), brinkSceneCollider_Size(b));
  input->leftOut = brinkScene_LeftOut(scene, candidate->a, candidate->b);
  input->anyContact = query->mode == BRINK_SCENE_BOOLEAN;
  input->threshold = query->threshold + brinkSceneQuery_LinkMargin(query, a) + brinkSceneQuery_LinkMargin(query, b);
  if (query->watch != BRINK_SCENE_WATCH_DEPTH) return;
  input->threshold = 0.0;
  double allowance = brinkScene_PairAllowance(a, b);
  input->tolerance = BRINK_MIN(input->tolerance, allowance / ALLOWANCE_PARTS);
  if (isMeshPair(a, b)) input->threshold = 0.5 * allowance;
}

/* What separation is this pair's event (brinkWatch in brink/ccd.h)? The bands are shifted by a few tolerances, so that
 * an event never lies within the tolerance of where the pair starts. *settled: the answer is in result already. */
static brinkStatus chooseThreshold(brinkScene *scene, const brinkSceneQuery *query,
                                   const brinkSceneCandidate *candidate, brinkAdvanceInput *input,
                                   brinkPairResult *result, bool *settled, brinkAdvanceWork *work) {
  *settled = false;
  if (query->watch != BRINK_SCENE_WATCH_DEPTH) return brink_ok;
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  double allowance = brinkScene_PairAllowance(a, b), edge = 4.0 * input->tolerance;
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
  brinkStatus status = BRINK_SCENE_RESERVE(scene, coreRoom, coreRoomCapacity, brinkInnerCore_Room(shape));
  if (status != brink_ok) return brinkFail(scene->context, status, "core: out of memory");
  placeCore(scene, input, (1.0 + CORE_LEFT) * sink->depth, sink);
  *taken = true;
  return brink_ok;
}

/* Is this such a pair, and has it a core? A shape that is no mesh gives the core rather than a mesh that bounds a
 * convex body. */
static brinkStatus beginSink(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                             brinkAdvanceInput *input, Sink *sink, bool *sinks) {
  *sinks = false;
  if (query->watch != BRINK_SCENE_WATCH_DEPTH || query->sink == NULL || input->leftOut.any) return brink_ok;
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  if (!isMeshPair(a, b)) return brink_ok;
  double mostA = brinkInnerCore_Most(input->a.shape), mostB = brinkInnerCore_Most(input->b.shape);
  bool coreIsB = mostA <= 0.0 || (brinkSceneCollider_IsMesh(a) && !brinkSceneCollider_IsMesh(b) && mostB > 0.0);
  if (!((coreIsB ? mostB : mostA) > 0.0)) return brink_ok;
  sink->hasOther = brinkSceneCollider_IsMesh(a) && brinkSceneCollider_IsMesh(b) && mostA > 0.0 && mostB > 0.0;
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
static brinkStatus advanceSinking(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                                  brinkAdvanceInput *input, Sink *sink, brinkPairResult *result, double *threshold,
                                  brinkAdvanceWork *work) {
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  const double quarter = 0.25 * brinkScene_PairAllowance(a, b);
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
  if (brinkScene_SlotAt(scene, a) == NULL || brinkScene_SlotAt(scene, b) == NULL)
    return brinkFail(scene->context, brink_errorStale, "collider %u or %u is gone", (unsigned)a, (unsigned)b);
  const brinkSceneCandidate candidate = {scene->slots[a].collider.key, scene->slots[b].collider.key, a, b};
  brinkAdvanceInput input;
  Sink sink;
  bool sinks;
  brinkScene_MakeInput(scene, query, &candidate, &input);
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

brinkStatus brinkScene_AdvancePair(brinkScene *scene, const brinkSceneQuery *query,
                                   const brinkSceneCandidate *candidate, brinkAdvanceInput *input,
                                   brinkPairResult *result, double *threshold, brinkAdvanceWork *work) {
  Sink sink;
  bool sinks, settled;
  brinkStatus status = beginSink(scene, query, candidate, input, &sink, &sinks);
  if (status != brink_ok) return status;
  if (sinks) return advanceSinking(scene, query, candidate, input, &sink, result, threshold, work);
  status = chooseThreshold(scene, query, candidate, input, result, &settled, work);
  if (status == brink_ok && !settled) status = advanceInParts(scene, query, input, result, work);
  *threshold = input->threshold;
  return status;
}
