/* SPDX-License-Identifier: BSD-3-Clause */
/* When does one pair come to its event? Contact-watching queries: at a distance. Depth-watching ones: by the bands of
 * brinkWatch in brink/ccd.h. Pairs of solids that touch or overlap a little, and pairs with a mesh that the host lets
 * sink, are watched at a core (inner_core.h): the core stays off the other shape, so every distance asked for is
 * positive.
 *
 * Symbols: g = distance of the core, m; c = its inset; told = what is taken from g to give the separation s that the
 * host reads: s = g - told. told = c where a face touches; at an edge or corner the surface lies farther out than c,
 * and told is what makes s the distance of the surfaces. Units: m, step time. */
#include "scene_internal.h"

#include "inner_core.h"
#include "revolution.h"
#include "turned_frame.h"

/* In depth-watching queries the tolerance is so much below the allowance: a band is wider than its edges. */
#define ALLOWANCE_PARTS 64.0
/* Parts of the depth that a pair may sink in one go. */
#define SOLID_STEP 0.5 /* by so much a pair of solids may deepen in an interval */
#define SINK_STEP 0.75 /* the same of a pair with a mesh */
#define CORE_LEFT 0.5  /* so far is the core still off at the limit */
#define SUNK 0.25      /* a mesh pair sunk so far is watched at the core for its limit */
#define LET_LEFT 0.125 /* the same of solids that the host lets sink */
#define SURELY 0.9     /* of what a pair of solids may sink before anything is told */
#define TURNED 0.74    /* half way on it has this part of its depth: who goes straight on 1/2, who turns back 3/4 */
/* Parts of the room between two depths beyond the limit, see wayBeyond. */
#define LEVEL 0.125           /* so much is left of a core's distance at the next one that it may not come to */
#define NEAR_CORE (LEVEL / 2) /* solids whose core is nearer are watched at the innermost one */
#define BARRIER (1.0 / 64.0)
#define HARDLY 1e-7
#define NEARER 0.25 /* of the allowance: the room of a pair with a mesh that is nearer, see wayNearer */
#define KEPT_LEAST (NEARER * LEVEL * LEVEL * LEVEL * LEVEL * (1.0 - BARRIER)) /* kept apart: nearer they touch */

/* Turning spoils the bounds over long times. Where the bodies turn by more than this (rad) the swept axes are asked
 * with little effort, so much and one more for each so many triangles, and where that settles nothing in pieces of time
 * that turn by so much (measured: test_spins --times). Elsewhere each has PATIENCE times that once, then the swept axes
 * end it. Two meshes may lie along each other in thousands of places, as a screw in its nut: they may turn farther. */
#define MESHES_TURNING 1.0
#define FIRST_SHARE 2048u
#define TRIANGLES_A_STEP 4u
#define SWEPT_SHARE 2u /* times as much in one go, of each scheme */
#define PAPER_SHARE 16u
#define PATIENCE 64u
#define WITHOUT_END (UINT64_C(1) << 32)

static uint64_t trianglesOf(const brinkShape *shape) {
  return shape->tree != NULL ? brinkHullTree_Mesh(shape->tree).triangleCount : 0u;
}

/* The part of [from, to] in which the bodies turn little: at least 1 where they do all over it. */
static double littleTurned(const brinkAdvanceInput *input, double from, double to) {
  const brinkShape *a = input->a.shape, *b = input->b.shape;
  const bool meshes = a->tree != NULL && b->tree != NULL && ((a->flags | b->flags) & BRINK_MESH_CONVEX) == 0u;
  return (meshes ? MESHES_TURNING : BRINK_SOME_TURNING) /
         brinkMostTurned(input->tree, input->a.link, input->b.link, from, to);
}

/* m, of the poses. Where it is far above the tolerance no scheme can tell, and the paper's would call it a contact. */
static double poseErrorOf(const brinkAdvanceInput *input) {
  brinkLinkRate a, b;
  brinkMotionTree_Rate(input->tree, input->a.link, -1, input->tStart, input->tEnd, &a);
  brinkMotionTree_Rate(input->tree, input->b.link, -1, input->tStart, input->tEnd, &b);
  return BRINK_MAX(a.poseError, b.poseError);
}

static uint64_t effort(const brinkAdvanceWork *w) { return w->nodePairs + BRINK_EFFORT_DISTANCE * w->distanceQueries; }

/* The swept axes and the paper's scheme by turns, from where the other proved the pair free to: so the sum stays within
 * a small multiple of either, and neither is waited for for ever. The swept axes are asked piece by piece of time, the
 * earliest first, as long as each is settled with its share; pieces that cost next to nothing grow. Where more effort
 * would not help them the paper's scheme ends the piece. */
static brinkStatus advanceByTurns(brinkScene *scene, const brinkAdvanceInput *given, brinkPairResult *result,
                                  brinkAdvanceWork *work) {
  brinkAdvanceInput input = *given;
  const uint64_t budget = brinkAdvanceBudget(given);
  const uint64_t patience = littleTurned(given, given->tStart, given->tEnd) < 1.0 ? 1u : PATIENCE;
  uint64_t spent = 0, began = effort(work);
  uint64_t share = FIRST_SHARE + (trianglesOf(given->a.shape) + trianglesOf(given->b.shape)) / TRIANGLES_A_STEP;
  double piece = HUGE_VAL, tooLong = HUGE_VAL, distance = HUGE_VAL;
  bool swept = true, stalled = false; /* whose turn it is; the paper's scheme ends what the swept axes cannot */
  for (;;) {
    const double from = input.provenUntil = BRINK_MAX(input.provenUntil, given->tStart);
    const uint64_t before = effort(work);
    if (!stalled) input.tEnd = given->tEnd;
    if (swept) input.tEnd = BRINK_MIN(BRINK_MAX(from + piece, brinkUp(from)), given->tEnd);
    input.maxIterations = budget - spent;
    input.maxEffort = swept ? patience * share : stalled ? 0u : BRINK_MAX(PAPER_SHARE, patience) * share;
    brinkStatus status =
        swept ? brinkSweptAxisPair(scene->context, scene->sweptScratch, scene->scratch, &input, result, work)
              : brinkAdvancePair(scene->context, scene->scratch, &input, result, work);
    result->iterations = spent += BRINK_MAX(result->iterations, 1u);
    if (status != brink_ok || result->state == brink_hit || result->state == brink_overlap) return status;
    const bool open = result->state == brink_unresolved;
    if (!open) distance = result->distance = BRINK_MIN(distance, result->distance);
    if (!open && input.tEnd >= BRINK_MIN(given->tEnd, given->stopAfter)) return brink_ok;
    input.provenUntil = open ? BRINK_MAX(from, result->toi) : input.tEnd;
    if (spent >= budget || (open && (swept ? poseErrorOf(given) >= 1e3 * given->tolerance : stalled || !result->cut))) {
      const double upper = open && result->toiUpper < input.tEnd ? result->toiUpper : given->tEnd;
      *result = (brinkPairResult){
          .state = brink_unresolved, .toi = input.provenUntil, .toiUpper = upper, .iterations = spent};
      return brink_ok;
    }
    const double little = open && swept ? littleTurned(given, from, input.tEnd) : 1.0;
    if (little < 1.0) piece = little * (tooLong = input.tEnd - from);
    if (!open && 4u * (effort(work) - before) < share && 2.0 * piece < tooLong) piece *= 2.0;
    if (!swept && !stalled) share *= patience > 1u ? WITHOUT_END : 2u;
    if (!swept) began = effort(work);
    stalled = swept && open && little >= 1.0 && !result->cut;
    swept = !swept || !((open && little >= 1.0) || effort(work) - began >= SWEPT_SHARE * patience * share);
  }
}

static brinkStatus advanceAsStated(brinkScene *scene, const brinkSceneQuery *query, const brinkAdvanceInput *input,
                                   brinkPairResult *result, brinkAdvanceWork *work) {
  if (query->scheme == BRINK_SCENE_PAPER || !brinkSweptAxisServes(input))
    return brinkAdvancePair(scene->context, scene->scratch, input, result, work);
  if (query->scheme == BRINK_SCENE_SWEPT_AXIS)
    return brinkSweptAxisPair(scene->context, scene->sweptScratch, scene->scratch, input, result, work);
  return advanceByTurns(scene, input, result, work);
}

static brinkStatus advanceByScheme(brinkScene *scene, const brinkSceneQuery *query, const brinkAdvanceInput *input,
                                   brinkPairResult *result, brinkAdvanceWork *work) {
  brinkStatus status = brinkCheckAdvanceInput(scene->context, input);
  if (status != brink_ok) return status;
  brinkTurnedFrame frame;
  brinkAdvanceInput seen;
  const bool turned = brinkSeenFromTurning(input, &frame, &seen);
  status = advanceAsStated(scene, query, turned ? &seen : input, result, work);
  if (status == brink_ok && turned) brinkTurnedFrame_Tell(&frame, result);
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
    if (!last && input->provenUntil >= cut) {
      distance = BRINK_MIN(distance, input->threshold);
      continue;
    }
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
                               .provenUntil = query->tStart};
  input->tolerance = brinkScene_Tolerance(query, brinkSceneCollider_Size(a), brinkSceneCollider_Size(b));
  input->leftOut = brinkScene_LeftOut(scene, candidate->a, candidate->b);
  input->anyContact = query->mode == BRINK_SCENE_BOOLEAN;
  input->threshold = query->threshold + brinkSceneQuery_LinkMargin(query, a) + brinkSceneQuery_LinkMargin(query, b);
  if (query->within) {
    input->threshold += input->tolerance;
    input->tolerance *= 0.25;
  }
  if (query->watch != BRINK_SCENE_WATCH_DEPTH) return;
  input->threshold = 0.0;
  double allowance = brinkScene_PairAllowance(a, b);
  input->tolerance = BRINK_MIN(input->tolerance, allowance / ALLOWANCE_PARTS);
  if (isMeshPair(a, b)) input->threshold = 0.5 * allowance;
}

typedef struct Sink {
  double depth, limit; /* m: may sink in one go, in all */
  double allowance;    /* m, of the pair */
  double fine;         /* m, of it what may be lost: solids are told by it once they must be; and see advanceUntold */
  double inset, told;  /* m, of the core; see the top */
  double surfaces;     /* m: signed separation at the start where an edge or a corner of a solid touches; else NAN */
  bool coreIsB;
  bool hasOther;                     /* the other shape has a core, too */
  bool solid;                        /* no mesh: both have an inside all over */
  bool let;                          /* of solids: the host lets them sink */
  bool kept;                         /* apart, while its surfaces are; watched at a core only once they touch */
  double allowedDepth, allowedLimit; /* m, as the host said */
  brinkShape core;
} Sink;

/* Part of the depth whose loss is an event, and by which the core is off at the limit; the latter in m. */
static double stepOf(const Sink *sink) { return sink->solid && !sink->let ? SOLID_STEP : SINK_STEP; }
static double leftOf(const Sink *sink) { return sink->let ? LET_LEFT : CORE_LEFT; }
static double roomOf(const Sink *sink) { return leftOf(sink) * sink->depth; }

/* What a pair starts nearer than, for its start to change its event. */
static double bandsOf(const Sink *sink, const brinkAdvanceInput *input) {
  return (sink->solid ? 0.25 : 0.5) * sink->allowance + 4.0 * input->tolerance;
}

static brinkStatus measureStart(brinkScene *scene, const brinkAdvanceInput *input, const Sink *sink,
                                brinkPairResult *result, brinkAdvanceWork *work) {
  return brinkPairDistanceAtStart(scene->context, scene->scratch, input, 0.25 * input->tolerance, bandsOf(sink, input),
                                  result, work);
}

/* How much deeper may come in one go what the host lets sink, and has come to its limit or lies deeper? Half of the way
 * to the next of the depths limit + room, limit + 2 room, ...: no number of steps leads to one of them. Rounding may;
 * so what has only just passed one goes on by hardly anything. */
static double wayBeyond(double separation, double limit, double room) {
  const double rooms = BRINK_MAX((-limit - separation) / room, 0.0), passed = floor(rooms);
  const bool justPassed = passed > 0.0 && rooms - passed < BARRIER;
  return room * BRINK_MAX(justPassed ? 0.0 : 0.5 * (passed + 1.0 - rooms), HARDLY);
}

/* The least of room, room/8, room/64, ... that is not below the gap. */
static double levelOf(double gap, double room) {
  while (gap <= LEVEL * room && room > DBL_MIN) room *= LEVEL;
  return room;
}

/* How much nearer may a core or a mesh come in one go? The same for the distances room/8, room/64, .... So however
 * often it is pressed, an eighth of the room is left: near 0 no bound of a distance could tell that it parts. */
static double wayNearer(double gap, double room) {
  const double level = levelOf(gap, room), passed = 1.0 - gap / level;
  const bool justPassed = level < room && passed < BARRIER;
  return level * BRINK_MAX(justPassed ? 0.0 : 0.5 * (1.0 - LEVEL - passed), HARDLY);
}

/* The start's distance as finely as it may be lost there, and what is proved of it: what is told by more would seem to
 * be lost already by who parts. */
static brinkStatus measureFinely(brinkScene *scene, const brinkAdvanceInput *input, double room, double enough,
                                 brinkPairResult *result, brinkAdvanceWork *work) {
  const double finest = 0.25 * HARDLY * levelOf(result->distance, room);
  brinkStatus status = brinkPairDistanceAtStart(scene->context, scene->scratch, input, finest, enough, result, work);
  if (status == brink_ok && result->lower > 0.0) result->distance = result->lower;
  return status;
}

/* What separation is this pair's event (brinkWatch in brink/ccd.h)? The bands are shifted by a few tolerances, so that
 * an event never lies within the tolerance of where the pair starts. *settled: the answer is in result already.
 * measured: result is what measureStart says. */
static brinkStatus chooseThreshold(brinkScene *scene, bool measured, const Sink *sink, brinkAdvanceInput *input,
                                   brinkPairResult *result, bool *settled, brinkAdvanceWork *work) {
  *settled = false;
  const double allowance = sink->allowance, edge = 4.0 * input->tolerance, enough = bandsOf(sink, input);
  const bool mesh = !sink->solid;
  if (mesh && input->provenUntil > input->tStart) return brink_ok; /* hulls already stay beyond allowance/2 */
  brinkStatus status = measured ? brink_ok : measureStart(scene, input, sink, result, work);
  if (status != brink_ok) return status;
  double start = result->distance;
  if (start == -HUGE_VAL) { /* two planes across each other: deeper they cannot get */
    *settled = true;
    return brink_ok;
  }
  if (mesh) {
    *settled = result->state == brink_overlap;
    const double room = NEARER * allowance;
    input->threshold = start >= enough ? 0.5 * allowance : room;
    if (!*settled && start <= room + edge) { /* a way that rounding hides could not be proved */
      brinkPairResult fine =
          *result; /* of what lies along each other little is known, and a finer look may tell less */
      status = measureFinely(scene, input, room, enough, &fine, work);
      if (fine.lower > 0.0) start = fine.distance;
      input->threshold = start - BRINK_MIN(BRINK_MAX(wayNearer(start, room), 4.0 * poseErrorOf(input)), 0.5 * start);
    }
  } else if (start >= enough) {
    input->threshold = 0.0;
  } else if (start > -allowance + edge) {
    input->threshold = BRINK_MAX(BRINK_MIN(start, 0.0) - 0.5 * allowance, -allowance);
  } else {
    double way = allowance / 16.0;
    if (sink->let) {
      const double limit = BRINK_MAX(sink->allowedLimit, sink->allowedDepth);
      way = BRINK_MIN(way, wayBeyond(start, limit, leftOf(sink) * sink->allowedDepth));
    }
    input->threshold = start - way;
    input->tolerance = BRINK_MIN(input->tolerance, 0.25 * way);
  }
  if (mesh && !*settled && start < enough)
    input->tolerance = BRINK_MIN(input->tolerance, 0.25 * (start - input->threshold));
  if (!(input->tolerance > 0.0)) input->tolerance = DBL_MIN;
  return status;
}

/* ---- pairs that are watched at a core */

static void placeCore(const brinkScene *scene, const brinkAdvanceInput *input, double inset, Sink *sink) {
  sink->inset = sink->told = inset;
  brinkMakeInnerCore(sink->coreIsB ? input->b.shape : input->a.shape, inset, scene->coreRoom, &sink->core);
}

/* The largest inset of a core. A mesh has no inside to fall back on, and keeps half. */
static double mostOf(const Sink *sink, const brinkShape *shape) {
  return sink->solid ? brinkInnerCore_Deepest(shape) : brinkInnerCore_Most(shape);
}

/* Watches the core of one of the two. */
static brinkStatus takeCore(brinkScene *scene, const brinkAdvanceInput *input, bool coreIsB, Sink *sink, bool *taken) {
  const brinkShape *shape = coreIsB ? input->b.shape : input->a.shape;
  const double most = mostOf(sink, shape);
  *taken = false;
  sink->coreIsB = coreIsB;
  sink->depth = BRINK_MIN(sink->allowedDepth, most / (1.0 + leftOf(sink)));
  sink->limit = BRINK_MIN(BRINK_MAX(sink->allowedLimit, sink->depth), most - roomOf(sink));
  if (!(sink->depth > 0.0) || !isfinite(sink->depth) || !isfinite(sink->limit)) return brink_ok;
  brinkStatus status = BRINK_SCENE_RESERVE(scene, coreRoom, coreRoomCapacity, brinkInnerCore_Room(shape));
  if (status != brink_ok) return brinkFail(scene->context, status, "core: out of memory");
  placeCore(scene, input, (sink->solid ? sink->limit : sink->depth) + roomOf(sink), sink);
  *taken = true;
  return brink_ok;
}

/* How well does the shape's core follow its boundary? Half-spaces and round shapes: everywhere as deep as the inset;
 * boxes and cylinders: deeper at edges. 0: hulls; theirs is so much deeper at far ends that a thin partner could pass
 * there without meeting the core. */
static int coreRank(const brinkShape *shape, double inset) {
  if (!(brinkInnerCore_Most(shape) > 0.0)) return 0;
  if (shape->piece.kind == brink_pieceHalfSpace) return 3;
  if (shape->piece.radius > inset) return 2;
  return shape->piece.kind == brink_piecePoints ? 0 : 1;
}

/* Of two solids, the core that follows its shape best; of two alike the larger one's, since small things stand on large
 * ones with their corners. */
static bool solidCore(const brinkShape *a, const brinkShape *b, double inset, bool *coreIsB) {
  int rankA = coreRank(a, inset), rankB = coreRank(b, inset);
  *coreIsB =
      rankA != rankB ? rankB > rankA : b->piece.boundRadius + b->piece.radius > a->piece.boundRadius + a->piece.radius;
  return rankA + rankB > 0;
}

/* Of two solids: how deep they may sink. false: nothing is inside of them. */
static bool takeDepths(const brinkSceneQuery *query, const brinkSceneCollider *a, const brinkSceneCollider *b,
                       double mostA, double mostB, Sink *sink) {
  if (!(BRINK_MAX(mostA, mostB) > 0.0)) return false;
  double inside = BRINK_MIN(mostA > 0.0 ? mostA : mostB, mostB > 0.0 ? mostB : mostA);
  double limit = 0.0, depth = query->sink != NULL ? query->sink(query->sinkUser, a, b, &limit) : 0.0;
  sink->allowance = brinkScene_PairAllowance(a, b);
  sink->let = depth > 0.0;
  if (!sink->let) depth = limit = sink->allowance;
  sink->allowedDepth = BRINK_MIN(depth, inside / (1.0 + leftOf(sink)));
  sink->allowedLimit = BRINK_MIN(limit, isfinite(inside) ? inside - leftOf(sink) * sink->allowedDepth : depth);
  sink->fine = BRINK_MIN(sink->allowance, sink->allowedDepth);
  sink->hasOther = mostA > 0.0 && mostB > 0.0;
  return true;
}

/* By how much the core of a pair with a mesh, one of which has one, may come nearer before anything is told, m, however
 * it goes on; 0: it may not: see tryFree. */
static double meshSink(const brinkSceneQuery *query, const brinkSceneCollider *a, const brinkSceneCollider *b,
                       double most) {
  double limit = 0.0, depth = query->sink(query->sinkUser, a, b, &limit);
  if (limit < 0.0 || !(most > 0.0) || !isfinite(most)) return 0.0;
  return SURELY * BRINK_MIN(brinkScene_PairAllowance(a, b), SINK_STEP * BRINK_MIN(depth, most / (1.0 + CORE_LEFT)));
}

/* Solids may sink by half their allowance before anything is told: see advanceSolids, advanceSigned. */
brinkSceneRoom brinkScene_FreeRoom(const brinkScene *scene, const brinkSceneQuery *query,
                                   const brinkSceneCandidate *candidate, const brinkAdvanceInput *input) {
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  double above = input->threshold + input->tolerance;
  if (query->watch == BRINK_SCENE_WATCH_DEPTH && !input->leftOut.any && isMeshPair(a, b) && query->sink != NULL) {
    const double deeper = meshSink(
        query, a, b, BRINK_MAX(brinkInnerCore_Most(a->collider.shape), brinkInnerCore_Most(b->collider.shape)));
    if (deeper > 0.0) above = -deeper;
  }
  const brinkSceneRoom apart = {above, 0.0, above};
  Sink sink = {.solid = true};
  if (query->watch != BRINK_SCENE_WATCH_DEPTH || input->leftOut.any || isMeshPair(a, b) ||
      !takeDepths(query, a, b, mostOf(&sink, input->a.shape), mostOf(&sink, input->b.shape), &sink))
    return apart;
  const double may = SURELY * SOLID_STEP * sink.fine - input->tolerance;
  if (!isfinite(may) || !(may > 0.0)) return apart;
  return (brinkSceneRoom){-may, may, -SURELY * BRINK_MAX(sink.allowedLimit, sink.allowedDepth)};
}

static bool isHollow(const brinkShape *shape) { return shape->tree != NULL && !(brinkInnerCore_Most(shape) > 0.0); }

bool brinkScene_HullsSayLittle(const brinkSceneQuery *query, const brinkAdvanceInput *input) {
  const brinkShape *a = input->a.shape, *b = input->b.shape;
  return query->watch == BRINK_SCENE_WATCH_DEPTH &&
         (isHollow(a) || isHollow(b) || (a->tree == NULL && b->tree == NULL)) && brinkSweptAxisServes(input);
}

/* Is this such a pair, and has it a core? A shape that is no mesh gives the core rather than a mesh that bounds a
 * convex body. */
static brinkStatus beginSink(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                             brinkAdvanceInput *input, Sink *sink, bool *sinks) {
  *sinks = false;
  const brinkSceneCollider *a = &scene->slots[candidate->a].collider, *b = &scene->slots[candidate->b].collider;
  sink->solid = !isMeshPair(a, b);
  sink->let = sink->kept = false;
  sink->depth = sink->allowedDepth = 0.0;
  if (query->watch != BRINK_SCENE_WATCH_DEPTH) return brink_ok;
  sink->allowance = brinkScene_PairAllowance(a, b);
  if (input->leftOut.any || (!sink->solid && query->sink == NULL)) return brink_ok;
  const double mostA = mostOf(sink, input->a.shape), mostB = mostOf(sink, input->b.shape);
  if (!(BRINK_MAX(mostA, mostB) > 0.0)) return brink_ok;
  bool coreIsB = mostA <= 0.0 || (brinkSceneCollider_IsMesh(a) && !brinkSceneCollider_IsMesh(b) && mostB > 0.0);
  if (sink->solid) {
    if (brinkSceneCollider_IsPlane(a) && brinkSceneCollider_IsPlane(b)) return brink_ok; /* closed form */
    if (!takeDepths(query, a, b, mostA, mostB, sink)) return brink_ok;
    const double inset = BRINK_MAX(sink->allowedLimit, sink->allowedDepth) + leftOf(sink) * sink->allowedDepth;
    if (!solidCore(input->a.shape, input->b.shape, inset, &coreIsB)) return brink_ok;
    return takeCore(scene, input, coreIsB, sink, sinks);
  }
  sink->hasOther = brinkSceneCollider_IsMesh(a) && brinkSceneCollider_IsMesh(b) && mostA > 0.0 && mostB > 0.0;
  sink->fine = sink->allowance;
  sink->allowedLimit = 0.0;
  sink->allowedDepth = query->sink(query->sinkUser, a, b, &sink->allowedLimit);
  sink->kept = sink->allowedLimit < 0.0;
  sink->allowedLimit = fabs(sink->allowedLimit);
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

/* Distance of the core at the start, when it is below `enough`; at its limit finely. */
static brinkStatus measureOneCore(brinkScene *scene, const brinkAdvanceInput *input, const Sink *sink, double enough,
                                  brinkPairResult *result, brinkAdvanceWork *work) {
  brinkAdvanceInput core = coreInput(input, sink);
  brinkStatus status =
      brinkPairDistanceAtStart(scene->context, scene->scratch, &core, 0.25 * core.tolerance, enough, result, work);
  const bool off = status != brink_ok || result->state == brink_overlap ||
                   result->distance - sink->inset > 4.0 * core.tolerance - sink->limit;
  return off ? status : measureFinely(scene, &core, roomOf(sink), enough, result, work);
}

/* A half-space is deep without end: its core goes as much deeper as it takes to lie off the other shape. */
static void keepHalfSpaceOff(const brinkScene *scene, const brinkAdvanceInput *input, Sink *sink,
                             brinkPairResult *result) {
  const double least = CORE_LEFT * sink->depth;
  if (sink->core.piece.kind != brink_pieceHalfSpace || !(result->distance < least) || !isfinite(result->distance))
    return;
  placeCore(scene, input, sink->inset + least - result->distance, sink);
  result->distance = least;
  result->state = brink_free;
}

/* The same of the core that is to be watched: of a pair that has sunk already the one for its limit (`deep`: in any
 * case). */
static brinkStatus measureCore(brinkScene *scene, const brinkAdvanceInput *input, Sink *sink, bool deep, double enough,
                               brinkPairResult *result, brinkAdvanceWork *work) {
  if (deep) placeCore(scene, input, sink->limit + CORE_LEFT * sink->depth, sink);
  brinkStatus status = measureOneCore(scene, input, sink, enough, result, work);
  if (status != brink_ok) return status;
  const bool across = result->state == brink_overlap;
  keepHalfSpaceOff(scene, input, sink, result);
  if (sink->core.piece.kind == brink_pieceHalfSpace) return brink_ok;
  if (deep || !(sink->limit > sink->depth) || !(across || result->distance < sink->inset - SUNK * sink->depth))
    return brink_ok;
  return measureCore(scene, input, sink, true, HUGE_VAL, result, work);
}

/* Deeper than it may be, because the host put it there or allows less now: as long as the innermost core of a shape is
 * off the other one, by `least`, the shape's side is known. first: that of B is tried first. */
static brinkStatus measureInnermost(brinkScene *scene, const brinkAdvanceInput *input, bool first, double least,
                                    Sink *sink, brinkPairResult *result, bool *off, brinkAdvanceWork *work) {
  *off = false;
  for (int i = 0; i < (sink->hasOther ? 2 : 1) && !*off; ++i) {
    const bool coreIsB = i == 0 ? first : !first;
    const double inset = mostOf(sink, coreIsB ? input->b.shape : input->a.shape);
    bool taken;
    brinkStatus status = takeCore(scene, input, coreIsB, sink, &taken);
    if (status == brink_ok && taken) {
      if (isfinite(inset)) placeCore(scene, input, inset, sink);
      status = measureOneCore(scene, input, sink, HUGE_VAL, result, work);
    }
    if (status != brink_ok) return status;
    if (taken) keepHalfSpaceOff(scene, input, sink, result);
    *off = result->state != brink_overlap && result->distance >= least;
  }
  return brink_ok;
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
  bool off, first = sink->coreIsB; /* of two meshes the smaller one's: the other may be a room */
  if (sink->hasOther) first = brinkInnerCore_Most(input->b.shape) < brinkInnerCore_Most(input->a.shape);
  return measureInnermost(scene, input, first, 0.0, sink, result, &off, work);
}

/* How near the core may come, for a core that starts at distance `start` and may lose `step` in one go: by the bands of
 * brinkWatch, for the separation that is told, and never down to 0. */
static double coreThreshold(const Sink *sink, double start, double step, double edge) {
  double separation = start - sink->told;
  if (separation > edge - sink->limit) return sink->told + BRINK_MAX(BRINK_MIN(separation, 0.0) - step, -sink->limit);
  const double most = sink->depth / 16.0, room = roomOf(sink);
  if (sink->solid && !sink->let) return start - BRINK_MIN(most, 0.5 * start);
  return start - BRINK_MIN(most, BRINK_MIN(wayBeyond(separation, sink->limit, room), wayNearer(start, room)));
}

/* The core's answer in terms of the shape: as if its boundary lay `told` out of the core's. At edges and corners it
 * lies farther out: how far off the surfaces stay, a core that stays off does not say. */
static void tellSinking(const Sink *sink, brinkPairResult *result) {
  result->distance -= sink->told;
  if (result->state == brink_free) result->distance = BRINK_MIN(result->distance, 0.0);
  brinkVec3 out = brinkScale(result->normal, sink->told);
  if (sink->coreIsB)
    result->pointB = brinkSub(result->pointB, out);
  else
    result->pointA = brinkAdd(result->pointA, out);
}

/* Watches the core, which starts at distance `start` and may lose `step`. *threshold: for the report. */
static brinkStatus advanceCore(brinkScene *scene, const brinkSceneQuery *query, const brinkAdvanceInput *input,
                               const Sink *sink, double start, double step, brinkPairResult *result, double *threshold,
                               brinkAdvanceWork *work) {
  brinkAdvanceInput core = coreInput(input, sink);
  core.threshold = coreThreshold(sink, start, step, 4.0 * core.tolerance);
  core.tolerance = BRINK_MIN(core.tolerance, 0.25 * (start - core.threshold));
  if (!(core.tolerance > 0.0)) core.tolerance = DBL_MIN;
  *threshold = core.threshold - sink->told;
  brinkStatus status = advanceInParts(scene, query, &core, result, work);
  if (status == brink_ok) tellSinking(sink, result);
  return status;
}

/* Does the core end deeper than it may, if it starts off the surface? Then it gets there: no need to ask when. */
static brinkStatus endsTooFar(brinkScene *scene, const brinkAdvanceInput *input, const Sink *sink, double most,
                              bool *tooFar, brinkAdvanceWork *work) {
  const double least = coreThreshold(sink, HUGE_VAL, most, 0.0);
  brinkAdvanceInput end = *input;
  brinkPairResult at;
  end.tStart = end.tEnd;
  brinkStatus status = measureOneCore(scene, &end, sink, least, &at, work);
  *tooFar = status == brink_ok && at.distance < least;
  return status;
}

/* The same of a pair that the host is to meet at its next step: the core may lose `most` if it is as deep then and goes
 * on, but only an allowance that it wins back, or has stopped to lose. Who grazes and is off again would be met by
 * nobody. start 0: not known; whom the core is deep in by then, the host has met. */
static brinkStatus advanceUntold(brinkScene *scene, const brinkSceneQuery *query, const brinkAdvanceInput *input,
                                 const Sink *sink, double start, double allowance, double most, brinkPairResult *result,
                                 double *threshold, brinkAdvanceWork *work) {
  brinkAdvanceInput whole = *input, then = coreInput(input, sink);
  const double shallow = BRINK_MIN(allowance, most), from = start > 0.0 ? start : HUGE_VAL;
  double shallowThreshold, lost[3] = {-shallow}; /* beyond the allowance: at the start, at the end, half way on */
  brinkPairResult grazed;
  whole.stopAfter = HUGE_VAL;
  brinkStatus status = advanceCore(scene, query, &whole, sink, from, shallow, &grazed, &shallowThreshold, work);
  *result = grazed;
  *threshold = shallowThreshold;
  if (status != brink_ok || grazed.state == brink_free || !(shallow < most)) return status;
  whole.provenUntil = BRINK_MAX(whole.provenUntil, grazed.toi); /* what is deeper comes later */
  status = advanceCore(scene, query, &whole, sink, from, most, result, threshold, work);
  if (status != brink_ok || result->state != brink_free || !(grazed.toi > whole.tStart)) return status;
  for (int k = start > 0.0 ? 1 : 0; k < 2 || (k == 2 && lost[1] > 0.0); ++k) {
    brinkPairResult at;
    then.tStart = k == 0 ? whole.tStart : k == 1 ? whole.tEnd : 0.5 * (grazed.toi + whole.tEnd);
    status = brinkPairDistanceAtStart(scene->context, scene->scratch, &then, k == 0 ? sink->told : shallow / 64.0,
                                      sink->told, &at, work); /* at the start: is it nearer at all? */
    lost[k] = shallowThreshold + sink->told - BRINK_MAX(at.distance, 0.0);
    if (status != brink_ok || (k == 0 && lost[0] > -shallow)) return status;
  }
  const double step = lost[1] + 2.0 * shallow;
  if (lost[2] < TURNED * lost[1])
    return step < most ? advanceCore(scene, query, &whole, sink, from, step, result, threshold, work) : brink_ok;
  *result = grazed;
  *threshold = shallowThreshold;
  return brink_ok;
}

/* ---- two solids */

typedef enum Stand {
  standsApart,  /* by more than a quarter of the allowance: touching is the event */
  standsAtCore, /* touches, or overlaps a little: the core is watched */
  standsAcross  /* neither core is free: so deep that only a signed separation says more */
} Stand;

/* Where do two solids stand at the start? result->distance: at the core, its distance; apart, a lower bound of that of
 * the surfaces which is exact below `exact`. */
static brinkStatus standOf(brinkScene *scene, const brinkAdvanceInput *input, Sink *sink, double exact,
                           brinkPairResult *result, Stand *stand, brinkAdvanceWork *work) {
  const double quarter = (sink->let ? 0.0625 : 0.25) * sink->fine,
               edge = 4.0 * BRINK_MIN(input->tolerance, sink->depth / ALLOWANCE_PARTS);
  const brinkShape *shape = sink->coreIsB ? input->b.shape : input->a.shape;
  const double reach = brinkInnerCore_Reach(shape, sink->inset), far = quarter + edge;
  *stand = standsApart;
  sink->surfaces = NAN;
  brinkStatus status = measureOneCore(scene, input, sink, reach + BRINK_MAX(far, exact), result, work);
  if (status != brink_ok) return status;
  const double near = NEAR_CORE * roomOf(sink);
  if (result->state == brink_overlap || result->distance < near) { /* deeper than the limit */
    bool off;
    status = measureInnermost(scene, input, sink->coreIsB, near, sink, result, &off, work);
    *stand = off ? standsAtCore : standsAcross;
    return status;
  }
  const double gap = result->distance;
  if (gap <= sink->inset + far) {
    *stand = standsAtCore;
    return brink_ok;
  }
  result->distance -= reach;
  if (result->distance >= BRINK_MAX(far, exact)) return brink_ok;
  brinkPairResult atCore = *result;
  status = brinkPairDistanceAtStart(scene->context, scene->scratch, input, 0.25 * input->tolerance,
                                    BRINK_MAX(far, exact), result, work);
  if (status != brink_ok || result->distance >= far) return status;
  /* An edge or a corner touches. */
  *stand = standsAtCore;
  sink->told = gap - BRINK_MAX(result->distance, 0.0);
  sink->surfaces = result->distance;
  *result = atCore;
  result->distance = gap;
  return brink_ok;
}

/* Two solids. What they may sink before the interval ends is no event: the host's contacts are in time, which see the
 * surfaces overlap at its next step. For those that touch the host has contacts already: they may sink as far as the
 * limit. If they would sink further the event is told early: touching, or deepening by half an allowance. */
static brinkStatus advanceSolids(brinkScene *scene, const brinkSceneQuery *query, brinkAdvanceInput *input, Sink *sink,
                                 brinkPairResult *result, double *threshold, brinkAdvanceWork *work) {
  Stand stand;
  bool settled = false;
  brinkStatus status = standOf(scene, input, sink, 0.0, result, &stand, work);
  if (status != brink_ok) return status;
  *threshold = input->threshold;
  if (stand == standsAcross) {
    status = chooseThreshold(scene, false, sink, input, result, &settled, work);
    *threshold = input->threshold;
    return status == brink_ok && !settled ? advanceInParts(scene, query, input, result, work) : status;
  }
  const double go = stepOf(sink) * sink->depth, early = BRINK_MIN(SOLID_STEP * sink->fine, go);
  const double start = stand == standsAtCore ? result->distance : HUGE_VAL;
  const double gap = isfinite(sink->surfaces) ? sink->surfaces : start - sink->told;
  const bool touches = sink->let && gap <= (input->tStart > 0.0 ? 4.0 * input->tolerance : 0.0); /* t > 0: met */
  brinkPairResult sunk;
  double sunkThreshold;
  status = advanceUntold(scene, query, input, sink, start, touches ? sink->limit : sink->fine,
                         touches ? sink->limit : go, &sunk, &sunkThreshold, work);
  const bool atLimit = stand == standsAtCore && start - sink->told <= -sink->limit; /* nothing is told earlier there */
  if (status != brink_ok || sunk.state == brink_free || (atLimit && !isfinite(sink->surfaces))) {
    *result = sunk;
    if (atLimit) *threshold = sunkThreshold;
    if (stand == standsApart) result->distance = 0.0;
    return status;
  }
  if (stand == standsAtCore && isfinite(sink->surfaces)) {
    /* An edge or a corner that turns away brings the core nearer while nothing deepens: the surfaces decide. */
    input->threshold = BRINK_MIN(sink->surfaces, 0.0) - early;
    input->tolerance = BRINK_MIN(input->tolerance, 0.25 * early);
    *threshold = input->threshold;
    status = advanceInParts(scene, query, input, result, work);
  } else if (stand == standsAtCore)
    status = advanceCore(scene, query, input, sink, start, early, result, threshold, work);
  else
    status = advanceInParts(scene, query, input, result, work);
  result->iterations += sunk.iterations;
  if (status != brink_ok || result->state != brink_unresolved || sunk.state == brink_unresolved) return status;
  *result = sunk; /* the later event is proved */
  *threshold = sunkThreshold;
  return brink_ok;
}

/* ---- pairs with a mesh that may sink */

/* A pair that may sink. From apart, the surfaces' event counts as for any mesh, if without it the pair would sink too
 * far in this interval; else the host's contacts, which see the surfaces cross at the next step, are in time. A pair
 * that touches or crosses is watched at its core. tooFar: it is known to sink too far. *threshold: for the report. */
static brinkStatus advanceSinking(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                                  bool tooFar, brinkAdvanceInput *input, Sink *sink, brinkPairResult *result,
                                  double *threshold, brinkAdvanceWork *work) {
  /* Far off at the start, as most are that come to an impact: what distances would say is known without one. */
  const double bands = BRINK_MAX(bandsOf(sink, input), 0.25 * sink->depth);
  const bool known = input->provenUntil > input->tStart,
             far = !known && brinkScene_IsOffMesh(scene, query, candidate, false, bands);
  const double inset = sink->inset, tolerance = input->tolerance;
  const bool coreIsB = sink->coreIsB;
  bool settled = false;
  double start = HUGE_VAL;
  brinkStatus status = brink_ok;
  if (!known && !far) {
    status = measureEitherCore(scene, input, sink, false, 0.25, result, work);
    if (status != brink_ok) return status;
    *threshold = -sink->inset;
    if (result->state == brink_overlap) return brink_ok; /* there is no telling its side */
    start = result->distance;
  }
  if (start > sink->inset) {
    if (!far) status = chooseThreshold(scene, false, sink, input, result, &settled, work);
    if (status != brink_ok) return status;
    *threshold = input->threshold;
    if (!settled && input->threshold >= 0.25 * sink->allowance) {
      status = advanceInParts(scene, query, input, result, work);
      tooFar = tooFar && sink->inset == inset && sink->coreIsB == coreIsB; /* of this core */
      if (status != brink_ok || tooFar || result->state == brink_free) return status;
      brinkPairResult sunk;
      double sunkThreshold; /* if it would not sink too far the host's contacts are in time, see them cross: free */
      status = advanceUntold(scene, query, input, sink, HUGE_VAL, sink->fine, stepOf(sink) * sink->depth, &sunk,
                             &sunkThreshold, work);
      if (status != brink_ok || sunk.state != brink_free) return status;
      sunk.iterations += result->iterations;
      *result = sunk;
      result->distance = 0.0;
      return brink_ok;
    }
  }
  input->tolerance = tolerance; /* how fine the surfaces' bands are is nothing to it */
  return advanceCore(scene, query, input, sink, start, stepOf(sink) * sink->depth, result, threshold, work);
}

/* Is a pair that is kept apart nearer at the start than it can be kept? *measured: result is its distance there. */
static brinkStatus touchesAtStart(brinkScene *scene, const brinkAdvanceInput *input, const Sink *sink,
                                  brinkPairResult *result, bool *touches, bool *measured, brinkAdvanceWork *work) {
  *touches = *measured = false;
  if (input->provenUntil > input->tStart) return brink_ok;
  brinkStatus status = measureStart(scene, input, sink, result, work);
  *measured = status == brink_ok;
  *touches = *measured && (result->state == brink_overlap || result->distance < KEPT_LEAST * sink->allowance);
  return status;
}

brinkStatus brinkScene_Sinking(brinkScene *scene, const brinkSceneQuery *query, uint32_t a, uint32_t b,
                               brinkSceneSinking *out) {
  *out = (brinkSceneSinking){0};
  if (brinkScene_SlotAt(scene, a) == NULL || brinkScene_SlotAt(scene, b) == NULL)
    return brinkFail(scene->context, brink_errorStale, "collider %u or %u is gone", (unsigned)a, (unsigned)b);
  const brinkSceneCandidate candidate = {a, b, BRINK_NO_PAIR};
  brinkAdvanceInput input;
  Sink sink;
  bool sinks;
  brinkScene_MakeInput(scene, query, &candidate, &input);
  brinkStatus status = beginSink(scene, query, &candidate, &input, &sink, &sinks);
  if (status != brink_ok || !sinks) return status;
  brinkPairResult result;
  brinkAdvanceWork work = {0};
  Stand stand = standsAtCore;
  if (!sink.solid && sink.kept) {
    bool touches, measured;
    status = touchesAtStart(scene, &input, &sink, &result, &touches, &measured, &work);
    if (status != brink_ok || !touches) return status;
  }
  status = sink.solid ? standOf(scene, &input, &sink, HUGE_VAL, &result, &stand, &work)
                      : measureEitherCore(scene, &input, &sink, true, HUGE_VAL, &result, &work);
  if (status != brink_ok) return status;
  const bool across = sink.solid ? stand == standsAcross : result.state == brink_overlap;
  out->depth = sink.depth;
  out->limit = sink.limit;
  out->coreGap = across ? 0.0 : BRINK_MAX(result.distance + (stand == standsApart ? sink.inset : 0.0), 0.0);
  if (!sink.solid) out->separation = out->coreGap - sink.inset;
  if (across) return brink_ok;
  if (stand == standsAtCore) tellSinking(&sink, &result);
  if (sink.solid) out->separation = result.distance;
  out->pointA = result.pointA;
  out->pointB = result.pointB;
  out->normal = result.normal;
  return brink_ok;
}

/* What the answer means; atCore: the pair is not watched at its surfaces. */
static brinkSceneEvent eventOf(const brinkSceneQuery *query, const Sink *sink, bool atCore,
                               const brinkPairResult *result, double threshold) {
  if (result->state == brink_free) return (brinkSceneEvent){0};
  const bool open = result->state == brink_unresolved, mesh = !sink->solid;
  const double most = 1.0 - 1e-9; /* rounding of a limit */
  brinkSceneEvent event = {.margin = open ? threshold : result->distance};
  event.left = event.margin;
  double touch = query->threshold, limit = HUGE_VAL;
  if (query->watch == BRINK_SCENE_WATCH_DEPTH) {
    touch = mesh ? 0.5 * sink->allowance * most : 0.0;
    if (atCore) limit = sink->limit;
    if (!mesh && !(atCore && sink->let)) limit = sink->allowance;
    if (isfinite(limit)) event.left += limit;
    if (atCore && (threshold < 0.0 || !mesh))
      event.margin += sink->inset;
    else if (!mesh)
      event.margin += (1.0 + CORE_LEFT) * sink->allowance;
  }
  event.kind = open                             ? BRINK_SCENE_UNDECIDED
               : result->state == brink_overlap ? BRINK_SCENE_CROSSED
               : threshold >= touch             ? BRINK_SCENE_TOUCH
               : threshold <= -limit * most     ? BRINK_SCENE_CORE
                                                : BRINK_SCENE_DEEPEN;
  if (event.kind == BRINK_SCENE_CROSSED || event.kind == BRINK_SCENE_CORE || event.left < 0.0) event.left = 0.0;
  if (event.kind == BRINK_SCENE_CROSSED && mesh) event.margin = BRINK_MIN(event.margin, 0.0);
  return event;
}

/* Most pairs with a mesh come to no event, and separating axes prove that faster than any distance at the start is
 * found: a pair that keeps the widest band, or whose core keeps off the mesh by what a pair that touches may sink,
 * needs none. Else nothing is known, but that it does not (asked). */
static brinkStatus tryFree(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                           const brinkAdvanceInput *input, const Sink *sink, bool atCore, brinkPairResult *result,
                           bool *settled, bool *asked, brinkAdvanceWork *work) {
  *settled = *asked = false;
  if (query->scheme == BRINK_SCENE_PAPER || (!atCore && input->provenUntil > input->tStart)) return brink_ok;
  const brinkAdvanceInput tried = atCore ? coreInput(input, sink) : *input;
  const double most = SINK_STEP * sink->depth;
  double threshold;
  bool tooFar = false;
  if (!brinkSweptAxisServes(&tried)) return brink_ok;
  *asked = true;
  const bool unclear = atCore && !brinkScene_IsOffMesh(scene, query, candidate, true, -most); /* the core is as far */
  brinkStatus status = unclear ? endsTooFar(scene, input, sink, most, &tooFar, work) : brink_ok;
  if (status != brink_ok || tooFar) return status;
  status = atCore ? advanceUntold(scene, query, input, sink, 0.0, sink->fine, most, result, &threshold, work)
                  : advanceInParts(scene, query, &tried, result, work);
  *settled = status == brink_ok && result->state == brink_free;
  if (*settled && atCore) result->distance = 0.0;
  return status;
}

/* Solids without a core to watch: the same by their signed separation. Surfaces that are kept apart, too. tried: the
 * answer of this input as it was, if it was asked (NULL: not); it serves where the start changes nothing of it. */
static brinkStatus advanceSigned(brinkScene *scene, const brinkSceneQuery *query, bool measured,
                                 const brinkPairResult *tried, brinkAdvanceInput *input, const Sink *sink,
                                 brinkPairResult *result, double *threshold, brinkAdvanceWork *work) {
  bool settled;
  const double asked = input->threshold, tolerance = input->tolerance;
  brinkStatus status = chooseThreshold(scene, measured, sink, input, result, &settled, work);
  *threshold = input->threshold;
  if (status != brink_ok || settled) return status;
  if (tried != NULL && input->threshold == asked && input->tolerance == tolerance) {
    *result = *tried;
    return brink_ok;
  }
  if (sink->solid && sink->allowedDepth > 0.0) {
    brinkAdvanceInput whole = *input, end = whole;
    double may = stepOf(sink) * sink->allowedDepth;
    if (result->distance > 4.0 * input->tolerance) { /* from apart: by an allowance that it has won back by then */
      brinkPairResult last;
      end.tStart = end.tEnd;
      status = brinkPairDistanceAtStart(scene->context, scene->scratch, &end, input->tolerance, 0.0, &last, work);
      if (status != brink_ok) return status;
      may = BRINK_MIN(may, sink->fine - 0.5 * BRINK_MIN(last.distance, 0.0));
    }
    whole.threshold = BRINK_MIN(result->distance, 0.0) - may;
    whole.threshold = BRINK_MAX(whole.threshold, -BRINK_MAX(sink->allowedLimit, sink->allowedDepth));
    whole.stopAfter = HUGE_VAL;
    if (whole.threshold < input->threshold) {
      status = advanceInParts(scene, query, &whole, result, work);
      if (status != brink_ok || result->state == brink_free) return status;
    }
  }
  return advanceInParts(scene, query, input, result, work);
}

brinkStatus brinkScene_AdvancePair(brinkScene *scene, const brinkSceneQuery *query,
                                   const brinkSceneCandidate *candidate, brinkAdvanceInput *input,
                                   brinkPairResult *result, double *threshold, brinkSceneEvent *event,
                                   brinkAdvanceWork *work) {
  Sink sink;
  brinkPairResult tried;
  bool sinks, settled, asked = false, measured = false;
  brinkStatus status = beginSink(scene, query, candidate, input, &sink, &sinks);
  *threshold = input->threshold;
  if (query->watch != BRINK_SCENE_WATCH_DEPTH) { /* no core, no bands */
    status = advanceInParts(scene, query, input, result, work);
    if (status == brink_ok) *event = eventOf(query, &sink, false, result, *threshold);
    return status;
  }
  const bool bySurfaces = !sinks || (!sink.solid && sink.kept);
  if (status == brink_ok && !sink.solid) {
    status = tryFree(scene, query, candidate, input, &sink, !bySurfaces, result, &settled, &asked, work);
    if (status == brink_ok && settled) {
      *event = (brinkSceneEvent){0};
      return brink_ok;
    }
  }
  if (asked && bySurfaces) tried = *result;
  if (status == brink_ok && sinks && sink.kept)
    status = touchesAtStart(scene, input, &sink, result, &sinks, &measured, work);
  if (status == brink_ok && sinks)
    status = sink.solid
                 ? advanceSolids(scene, query, input, &sink, result, threshold, work)
                 : advanceSinking(scene, query, candidate, asked && !sink.kept, input, &sink, result, threshold, work);
  else if (status == brink_ok)
    status = advanceSigned(scene, query, measured, asked && bySurfaces ? &tried : NULL, input, &sink, result, threshold,
                           work);
  if (status == brink_ok) *event = eventOf(query, &sink, sinks, result, *threshold);
  return status;
}
