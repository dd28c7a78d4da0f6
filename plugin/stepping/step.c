/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of an engine's world in which nothing tunnels: the loop of questions and answers, and the guard. Rules and
 * terms: docs/step.md.
 *
 * The engine solves the whole step first. If Brink proves that no pair comes to an event, that is the result, bit for
 * bit. Otherwise one question for the whole step (brink/steps.h) lives until its end. Impact by impact, in the order of
 * time, the struck island (gather.c) is posed at the impact, the program is asked for contacts there, and the engine
 * solves the rest of the step for this island alone (change.c). Only pairs of those bodies are asked about again, from
 * the impact on; every other answer stays.
 *
 * The guard (judgeImpacts): an island that was struck more often than its cap, or too close to the step's end, is
 * clamped. It stays at the pose of the impact, which is free of the event by proof, for the rest of the step. Every
 * round either solves (bounded by the cap) or stops something, so the loop ends, and only when the rest of the step is
 * proved free.
 *
 * That is mode advance, the default. Report changes nothing, clamp never solves again, speculative (ahead.c) holds
 * bodies back by one more solve and advances what still comes to an impact.
 *
 * Times are parts of the step, [0,1]. Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "step.h"

/* ---- the question */

static int openQuestion(brinkStepper *stepper) {
  brinkQuery query = {.structSize = sizeof(query), .mode = brink_modeFirst, .scheme = stepper->settings.scheme};
  query.watch = brink_watchDepth;
  query.maxIterations = stepper->now.whirls ? BRINK_STEP_WHIRL_WORK : 0;
  query.tStart = stepper->now.t;
  query.tEnd = 1;
  query.window = stepper->now.reportsAll ? 1 : BRINK_STEP_WINDOW;
  brinkStepRecordQuestion(stepper, &query);
  if (stepper->steps->beginQuestion(stepper->world, &query) != brink_ok) {
    return brinkStepFail(stepper, "first contact: %s", stepper->plugin->lastError(stepper->world));
  }
  stepper->pairs.questionOpen = true;
  return 1;
}

static void closeQuestion(brinkStepper *stepper) {
  if (stepper->pairs.questionOpen) {
    stepper->steps->endQuestion(stepper->world);
    stepper->pairs.questionOpen = false;
  }
}

static int ask(brinkStepper *stepper, brinkReport *report, const brinkPairEvent **events) {
  *report = (brinkReport){.structSize = sizeof(*report), .counters = {.structSize = sizeof(report->counters)}};
  if (!stepper->pairs.questionOpen && !openQuestion(stepper)) {
    return 0;
  }
  if (stepper->steps->nextEvents(stepper->world, stepper->now.t, report, events) != brink_ok) {
    return brinkStepFail(stepper, "first contact: %s", stepper->plugin->lastError(stepper->world));
  }
  const brinkCounters *counters = &report->counters;
  struct brinkStepReport *sum = &stepper->report;
  sum->pairsBefore += counters->pairsBefore;
  sum->pairsSpatial += counters->pairsSpatial;
  sum->pairsTemporal += counters->pairsTemporal;
  sum->advancements += counters->advancements;
  sum->distanceQueries += counters->distanceQueries;
  sum->nodePairs += counters->nodePairs;
  sum->unresolved += (int)counters->unresolved;
  brinkStepRecordAnswer(stepper, report);
  stepper->told->answer(stepper->user, report);
  brinkStepForgetJoined(stepper);
  return 1;
}

/* ---- what was struck */

static bool moves(const brinkStepper *stepper, uint32_t geom) {
  uint32_t body = stepper->colliders[geom].body;
  return body != BRINK_NO_RECORD && stepper->bodies[body].moves;
}

static bool addImpact(brinkStepper *stepper, const brinkContact *contact, const brinkPairEvent *event,
                      brinkStepPair pair) {
  if (!BRINK_STEP_RESERVE(stepper->pairs.impacts, stepper->pairs.impactCount, stepper->pairs.impactCapacity)) {
    return false;
  }
  brinkStepImpact *impact = &stepper->pairs.impacts[stepper->pairs.impactCount++];
  *impact = (brinkStepImpact){.pair = pair, .contact = *contact, .event = *event, .wanted = true};
  memcpy(impact->normal, &contact->normal, sizeof(impact->normal));
  return true;
}

typedef struct impactList {
  double tau;      /* of the first impact; 2 = none */
  bool unresolved; /* the time is a proven bound, but what is struck may not be known */
  bool again;      /* a pair is asked about in another way now: ask again when nothing else is left */
} impactList;

/* A pair that crosses at the start (meshes have no inside to come out of), or of which no side moves: left out. */
static bool isHopeless(const brinkStepper *stepper, const brinkContact *contact, brinkStepPair pair) {
  return contact->state == brink_overlap || (!moves(stepper, pair.a) && !moves(stepper, pair.b));
}

static bool isUnit(const brinkVec3 *n) { return n->x * n->x + n->y * n->y + n->z * n->z > 0.5; }

/* Distance and normal of a pair so near that the question gave neither. */
static void lookAgain(const brinkStepper *stepper, brinkContact *contact) {
  const brinkPlugin *plugin = stepper->plugin;
  brinkContact now;
  brinkContactPoint point;
  size_t count = 0;
  if (plugin->distance(stepper->world, contact->colliderA, contact->colliderB, contact->toi, &now) != brink_ok) {
    return;
  }
  if (isUnit(&now.normal)) {
    contact->distance = now.distance;
    contact->normal = now.normal;
  } else if (plugin->collide(stepper->world, contact->colliderA, contact->colliderB, contact->toi,
                             fmax(now.distance, 0), &point, 1, &count) == brink_ok &&
             count == 1) {
    contact->distance = point.separation;
    contact->normal = point.normal;
  }
}

/* The same for a pair that is watched at its core. */
static void lookAtCore(const brinkStepper *stepper, brinkContact *contact, brinkStepPair pair) {
  brinkSinking at;
  if (brinkStepSinking(stepper, pair, contact->toi, &at)) {
    contact->normal = at.normal;
    contact->pointA = at.pointA;
    contact->pointB = at.pointB;
    contact->distance = at.separation;
  }
}

/* Named once, the first of them: a pair that Brink cannot keep apart. */
static void warnOfPair(brinkStepper *stepper, brinkStepPair pair, const char *what) {
  const brinkStepCollider *a = &stepper->colliders[pair.a], *b = &stepper->colliders[pair.b];
  const double *p = stepper->hotData[a->body != BRINK_NO_RECORD ? a->body : b->body].position;
  brinkStepLog(stepper, stepper->pairs.warnedOfPair ? brink_logInfo : brink_logWarning,
               "geoms %u (%s) and %u (%s), near %.4g %.4g %.4g, %s%s", pair.a, a->kind, pair.b, b->kind, p[0], p[1],
               p[2], what, stepper->pairs.warnedOfPair ? "" : stepper->host->howToHear);
  stepper->pairs.warnedOfPair = true;
}

/* A pair for which no more time could be proved. Where it is near and its side is known, a contact is all it needs. */
static bool isNearEnough(const brinkStepper *stepper, brinkContact *contact, brinkStepPair pair) {
  if (brinkStepIsSunken(stepper, contact, pair)) {
    lookAtCore(stepper, contact, pair);
  } else if (!isUnit(&contact->normal)) {
    lookAgain(stepper, contact);
  }
  return isUnit(&contact->normal) &&
         contact->distance < fmax(contact->threshold, 0) + BRINK_STEP_TOUCHING * brinkStepPairAllowance(stepper, pair);
}

/* The report in the stepper's terms. Its contacts are the plugin's until the next call: all are copied first. */
static bool readImpacts(brinkStepper *stepper, const brinkReport *report, const brinkPairEvent *events,
                        impactList *out) {
  *out = (impactList){.tau = 2};
  stepper->pairs.impactCount = 0;
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    brinkStepPair pair = {brinkKeyMap_Get(&stepper->colliderMap, contact->colliderA),
                          brinkKeyMap_Get(&stepper->colliderMap, contact->colliderB)};
    if (contact->state == brink_free || pair.a == BRINK_NO_RECORD || pair.b == BRINK_NO_RECORD) {
      continue;
    }
    if (!addImpact(stepper, contact, &events[i], pair)) {
      return false;
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    brinkStepImpact impact = stepper->pairs.impacts[i];
    if (isHopeless(stepper, &impact.contact, impact.pair)) {
      if (impact.contact.state == brink_overlap) {
        warnOfPair(stepper, impact.pair, "cross at the start of a step: the pair is left to the engine in this step");
      }
      out->again = true;
      if (!brinkStepDropPair(stepper, impact.pair)) {
        return false;
      }
      continue;
    }
    if ((stepper->colliders[impact.pair.a].flags & stepper->colliders[impact.pair.b].flags & BRINK_STEP_HOLLOW) &&
        !stepper->host->keptApart(stepper->user, impact.pair)) {
      warnOfPair(stepper, impact.pair, stepper->host->whyNotKeptApart);
    }
    out->tau = fmin(out->tau, impact.contact.toi);
    out->unresolved = out->unresolved || (impact.contact.state == brink_unresolved &&
                                          !isNearEnough(stepper, &impact.contact, impact.pair));
    memcpy(impact.normal, &impact.contact.normal, sizeof(impact.normal));
    stepper->pairs.impacts[kept++] = impact;
  }
  stepper->pairs.impactCount = kept;
  if (report->state == brink_unresolved && report->toi < out->tau) {
    out->tau = report->toi;
    out->unresolved = true;
  }
  out->tau = out->tau <= 1 ? fmax(out->tau, stepper->now.t) : out->tau;
  return true;
}

/* Impacts that are only reported: nothing changes but that these pairs are not asked about again. Deepening is no news.
 * *any: there are some. False: no memory. */
static bool reportImpacts(brinkStepper *stepper, bool *any) {
  *any = false;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkStepImpact *impact = &stepper->pairs.impacts[i];
    if (brinkStepModeOfPair(stepper, impact->pair) != brink_stepReport) {
      continue;
    }
    *any = true;
    if (brinkStepIsFirstTouch(stepper, impact)) {
      stepper->report.firstToi = fmin(stepper->report.firstToi, impact->contact.toi);
      if (!stepper->told->impact(stepper->user, impact, brink_stepReported)) {
        return false;
      }
    }
    if (!stepper->now.reportsAll && !brinkStepDropPair(stepper, impact->pair)) {
      return false;
    }
  }
  return true;
}

/* One response at a time: impacts of another mode than the first one's come up again. */
static int keepFirstMode(brinkStepper *stepper) {
  int mode = brinkStepModeOfPair(stepper, stepper->pairs.impacts[0].pair);
  size_t kept = 0;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (brinkStepModeOfPair(stepper, stepper->pairs.impacts[i].pair) == mode) {
      stepper->pairs.impacts[kept++] = stepper->pairs.impacts[i];
    }
  }
  stepper->pairs.impactCount = kept;
  return mode;
}

/* Pairs that may be held back come before all others: that solve begins where the segment does, and once the segment is
 * cut at another pair's impact they may already touch. */
static bool keepThoseToHoldBack(brinkStepper *stepper, impactList *found) {
  size_t kept = 0;
  for (size_t i = 0; !found->unresolved && i < stepper->pairs.impactCount; ++i) {
    if (brinkStepModeOfPair(stepper, stepper->pairs.impacts[i].pair) == brink_stepSpeculative &&
        brinkStepMayHoldBack(stepper, &stepper->pairs.impacts[i])) {
      brinkStepImpact impact = stepper->pairs.impacts[i];
      stepper->pairs.impacts[kept++] = impact;
    }
  }
  if (kept > 0) {
    stepper->pairs.impactCount = kept;
    found->tau = stepper->pairs.impacts[0].contact.toi;
  }
  return kept > 0;
}

static bool answerIsUnsure(const brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (stepper->host->answers(stepper->user, stepper->pairs.impacts[i].pair) == brink_stepUnsure) {
      return true;
    }
  }
  return false;
}

/* May the struck bodies be solved again? Wait: clamped with their speed, as the next step's contacts are in time. Stop:
 * clamped, since they were struck too often, or nobody can tell by what. */
typedef struct verdict {
  enum { verdictSolve, verdictWait, verdictStop } what;
  brinkStepWhy why; /* where they are clamped */
} verdict;

/* How many bodies are connected to the struck ones by joints, or by contacts that are pressed, as the links of a taut
 * chain are? The cap grows with them. 0: no memory. */
static size_t countLinks(brinkStepper *stepper) {
  const size_t joined = stepper->island.gatheredCount;
  bool pressed = false;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    pressed = pressed || brinkStepIsPressed(stepper, &stepper->pairs.impacts[i]);
  }
  const size_t touching = pressed && brinkStepGatherStruck(stepper, true) ? stepper->island.gatheredCount : joined;
  return pressed && !brinkStepGatherStruck(stepper, false) ? 0 : touching;
}

/* Counts impacts at the limit. *slips: the contacts there do not hold the pair, as an iterative solver has not
 * converged where much pulls; the proven pose does hold it. false: no memory. */
static bool slipsAtLimit(brinkStepper *stepper, bool *slips) {
  *slips = false;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    uint32_t times = 0;
    if (stepper->pairs.impacts[i].event.kind != brink_eventCore) {
      continue;
    }
    if (!brinkStepNoteAtLimit(stepper, stepper->pairs.impacts[i].pair, &times)) {
      return false;
    }
    *slips = *slips || times > 2 * BRINK_STEP_AGAIN;
  }
  return true;
}

static bool isLate(double tau) { return 1 - tau < BRINK_STEP_SHORTEST_REST; }

/* Counts this impact for the gathered bodies: one that lies deeper than the allowance already counts twice, one that
 * makes no progress fourfold. False: one of them has had as many as the cap allows. */
static bool chargeImpact(brinkStepper *stepper, double tau, double cap) {
  bool deep = false;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    deep = deep || stepper->pairs.impacts[i].contact.threshold <
                       -brinkStepPairAllowance(stepper, stepper->pairs.impacts[i].pair);
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    if (!(stepper->bodies[stepper->island.gathered[i]].substeps < cap)) {
      return false;
    }
  }
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    bool stalled = record->lastImpact >= 0 && tau - record->lastImpact < BRINK_STEP_STALLED;
    record->substeps += !record->dynamic ? 0 : stalled ? 4 : deep ? 2 : 1; /* many strike a floor that is a body */
    record->lastImpact = tau;
  }
  return true;
}

/* The guard's verdict of the current impacts. One that may be solved counts for those it moves: the struck bodies, and
 * what joints hold to them. The links of a chain are struck one after the other, so its cap grows with their number. */
static verdict judgeImpacts(brinkStepper *stepper, const impactList *found) {
  if (!stepper->now.mayAsk) {
    return (verdict){verdictWait, brink_stepCannotAsk};
  }
  if (isLate(found->tau) || answerIsUnsure(stepper)) {
    return (verdict){verdictWait, isLate(found->tau) ? brink_stepTooLate : brink_stepUnknownAnswer};
  }
  if (found->unresolved) {
    return (verdict){verdictStop, brink_stepUndecided};
  }
  bool slips;
  if (!slipsAtLimit(stepper, &slips) || slips || !brinkStepGatherStruck(stepper, false)) {
    return (verdict){verdictStop, brink_stepAtLimit};
  }
  const size_t links = countLinks(stepper);
  const double cap = stepper->settings.maxSubsteps * (1 + BRINK_STEP_PER_LINK * ((double)links - 1));
  const bool allowed = links > 0 && stepper->now.bodySolves < cap * (double)stepper->now.bodyCount &&
                       chargeImpact(stepper, found->tau, cap);
  return (verdict){allowed ? verdictSolve : verdictStop, brink_stepTooOften};
}

static bool addEvents(brinkStepper *stepper, int response) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (stepper->pairs.impacts[i].wanted &&
        !stepper->told->impact(stepper->user, &stepper->pairs.impacts[i], response)) {
      return false;
    }
  }
  return true;
}

/* A body that is stopped at a pair that the program does not want would hang there for ever. */
static bool mayAskBeforeStop(const brinkStepper *stepper, const impactList *found) {
  bool known = true;
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    known = known && brinkStepHadContacts(stepper, stepper->pairs.impacts[i].pair);
  }
  return !known && stepper->now.mayAsk && !found->unresolved && !isLate(found->tau) && !answerIsUnsure(stepper);
}

static brinkStepOutcome respond(brinkStepper *stepper, impactList *found) {
  if (stepper->pairs.impactCount > 0 && keepThoseToHoldBack(stepper, found)) {
    brinkStepKeepTouching(stepper, found->tau);
    brinkStepOutcome result = judgeImpacts(stepper, found).what == verdictSolve ? brinkStepHoldBack(stepper, found->tau)
                                                                                : brinkStepOutcomeDropped;
    return result != brinkStepOutcomeDropped || brinkStepGiveUpHoldingBack(stepper) ? result : brinkStepOutcomeFailed;
  }
  brinkStepKeepTouching(stepper, found->tau);
  if (stepper->pairs.impactCount == 0) {
    return brinkStepOutcomeFailed;
  }
  int mode = keepFirstMode(stepper);
  if (mode == brink_stepSpeculative && !found->unresolved && brinkStepHasArrived(stepper, found->tau)) {
    return brinkStepOutcomeArrived;
  }
  verdict judged = mode == brink_stepClamp ? (verdict){verdictWait, brink_stepSaidSo} : judgeImpacts(stepper, found);
  if (judged.what == verdictSolve) {
    brinkStepOutcome outcome = brinkStepRespondWithContacts(stepper, found->tau);
    if (outcome != brinkStepOutcomeWaits) {
      return outcome;
    }
    judged = (verdict){verdictWait, brink_stepSilentAnswer};
  } else if (mayAskBeforeStop(stepper, found)) {
    const brinkStepOutcome outcome = brinkStepAskBeforeStop(stepper, found->tau);
    if (outcome != brinkStepOutcomeSolved && outcome != brinkStepOutcomeWaits) {
      return outcome;
    }
  }
  stepper->now.why = judged.why;
  return brinkStepClampImpacts(stepper, found->tau, judged.what == verdictWait) ? brinkStepOutcomeClamped
                                                                                : brinkStepOutcomeFailed;
}

/* What a program is told about the current impacts. */
static bool tellOutcome(brinkStepper *stepper, brinkStepOutcome result, double tau) {
  stepper->report.firstToi = fmin(stepper->report.firstToi, tau);
  switch (result) {
    case brinkStepOutcomeArrived:
      return true; /* told when it was held back */
    case brinkStepOutcomeHeldBack:
      return addEvents(stepper, brink_stepHeldBack);
    case brinkStepOutcomeSolved:
      return addEvents(stepper, brink_stepAdvanced);
    default:
      return addEvents(stepper, brink_stepClamped);
  }
}

/* Wakes quiet bodies near these, those that only a sensor may reach as well. */
static int wakeNear(brinkStepper *stepper, const uint32_t *numbers, size_t count) {
  if (!stepper->sensing.now) {
    return brinkStepWakeNear(stepper, numbers, count);
  }
  stepper->plugin->setPairFilter(stepper->world, brinkStepMeetFilter, stepper);
  int woken = brinkStepWakeNear(stepper, numbers, count);
  stepper->plugin->setPairFilter(stepper->world, brinkStepFilterPair, stepper);
  return woken;
}

/* Last: what is left of the step is proved free. Failed: the guard has stopped everything. */
typedef enum roundEnd { roundGoesOn, roundIsLast, roundFailed } roundEnd;

/* The gathered bodies have new motions from tau on. */
static roundEnd goOnFrom(brinkStepper *stepper, double tau) {
  stepper->now.t = tau;
  return wakeNear(stepper, stepper->island.gathered, stepper->island.gatheredCount) ? roundGoesOn : roundFailed;
}

static bool wasMadeInStep(const brinkStepHotData *hot) {
  const double *q = hot->startQuaternion;
  return hot->body != NULL && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

/* Everything that is left stays where the proof ends; bodies that the callback made stay where it put them. */
static bool stopAll(brinkStepper *stepper, double tau) {
  brinkStepReadProvenPoses(stepper, tau);
  if (!stepper->host->refresh(stepper->user)) {
    return false;
  }
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    brinkStepBody *record = &stepper->bodies[i];
    if (wasMadeInStep(&stepper->hotData[i])) {
      stepper->host->readState(stepper->user, (uint32_t)i, &record->start);
      record->end = record->next = record->start;
      record->frozen = true;
      record->from = tau;
    }
  }
  brinkStepClampAtProven(stepper, tau);
  return true;
}

static roundEnd endChangedStep(brinkStepper *stepper, double tau) {
  if (stopAll(stepper, tau)) {
    (void)brinkStepFail(
        stepper,
        "a near callback destroyed or made a body or geom inside the step: the rest of the step was clamped; "
        "make a note there and do it after the step");
  }
  return roundFailed;
}

static roundEnd cutTurns(brinkStepper *stepper, double tau) {
  const bool solved = brinkStepCutTurns(stepper, tau);
  if (stepper->worldChanged) {
    return endChangedStep(stepper, tau);
  }
  if (!solved) {
    brinkStepClampAll(stepper, tau);
    return roundFailed;
  }
  return goOnFrom(stepper, tau);
}

static roundEnd followImpact(brinkStepper *stepper, impactList *found) {
  brinkStepOutcome result = respond(stepper, found);
  if (stepper->worldChanged) {
    return endChangedStep(stepper, found->tau);
  }
  if (result == brinkStepOutcomeDropped) {
    return roundGoesOn;
  }
  bool told = tellOutcome(stepper, result, found->tau);
  if (!told || result == brinkStepOutcomeFailed) {
    brinkStepClampAll(stepper, found->tau);
    return roundFailed;
  }
  if (result == brinkStepOutcomeArrived) {
    return brinkStepAskStruckAgain(stepper, found->tau) ? roundGoesOn : roundFailed;
  }
  return goOnFrom(stepper, result == brinkStepOutcomeHeldBack ? stepper->now.t : found->tau);
}

/* Ask, respond. */
static roundEnd oneRound(brinkStepper *stepper) {
  brinkReport report;
  const brinkPairEvent *events = NULL;
  impactList found;
  if (!ask(stepper, &report, &events) || !readImpacts(stepper, &report, events, &found)) {
    if (stepper->now.t > 0) {
      brinkStepClampAll(stepper, stepper->now.t); /* before the first impact the engine's own result stays */
    }
    return roundFailed;
  }
  bool anyReported;
  if (!reportImpacts(stepper, &anyReported)) {
    return roundFailed;
  }
  if (anyReported) {
    return stepper->now.reportsAll ? roundIsLast : roundGoesOn;
  }
  if (found.again && found.tau > 1) {
    return roundGoesOn; /* the question ended where these cross: what comes later is not proved yet, not even up to a
                           cut */
  }
  double cut = brinkStepNextCut(stepper);
  if (cut < found.tau) {
    return cutTurns(stepper, cut);
  }
  return found.tau <= 1 ? followImpact(stepper, &found) : roundIsLast;
}

/* ---- the whole step */

int brinkStepReadMotions(brinkStepper *stepper) {
  brinkStepBeginSensing(stepper);
  brinkStepRecordBegin(stepper);
  if (!brinkStepSift(stepper)) {
    return 0;
  }
  brinkStepMeasure(stepper);
  brinkStepCalmDown(stepper);
  brinkStepCloseJoints(stepper, stepper->quiet.awake, stepper->quiet.awakeCount, 1);
  return stepper->quiet.awakeCount == 0 || brinkStepSendMotions(stepper);
}

static bool anythingMoves(const brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    if (stepper->bodies[stepper->quiet.awake[i]].moves) {
      return true;
    }
  }
  return false;
}

int brinkStepFollowImpacts(brinkStepper *stepper) {
  if (stepper->quiet.awakeCount == 0) {
    if (stepper->quiet.dueCount > 0) {
      brinkStepLook(stepper);
    }
    return brinkStepSense(stepper);
  }
  if (!brinkStepMeetClearances(stepper)) {
    brinkStepForgetLooks(stepper);
    return 0;
  }
  stepper->plugin->setPairFilter(stepper->world, brinkStepFilterPair, stepper);
  brinkStepForgetJoined(stepper);
  stepper->now.reportsAll = stepper->settings.mode == brink_stepReport && !stepper->settings.anyModes;
  stepper->now.bodyCount = stepper->quiet.liveBodies;
  brinkStepForgetCuts(stepper);
  roundEnd round = roundIsLast;
  if (anythingMoves(stepper)) {
    round = brinkStepPlanCuts(stepper, stepper->quiet.awake, stepper->quiet.awakeCount) &&
                    wakeNear(stepper, stepper->quiet.awake, stepper->quiet.awakeCount)
                ? roundGoesOn
                : roundFailed;
    while (round == roundGoesOn) {
      round = oneRound(stepper);
    }
  }
  closeQuestion(stepper);
  stepper->host->endSolves(stepper->user);
  const bool done = round != roundFailed && brinkStepSense(stepper);
  if (done) {
    brinkStepLook(stepper);
  } else {
    brinkStepForgetLooks(stepper);
  }
  return done;
}

/* Nobody knows what the engine's own solve has done to whom: nothing. */
static void putBackToStart(brinkStepper *stepper) {
  const uint32_t count = stepper->host->refresh(stepper->user) ? (uint32_t)stepper->bodyCount : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const brinkStepHotData *hot = &stepper->hotData[i];
    brinkStepState state;
    if (hot->body == NULL || wasMadeInStep(hot)) {
      continue;
    }
    memcpy(state.position, hot->startPosition, sizeof(state.position));
    memcpy(state.quaternion, hot->startQuaternion, sizeof(state.quaternion));
    memcpy(state.linear, hot->startLinear, sizeof(state.linear));
    memcpy(state.angular, hot->startAngular, sizeof(state.angular));
    brinkStepRotationOf(state.quaternion, state.rotation);
    stepper->host->writeState(stepper->user, i, &state);
  }
}

/* An exception of a callback leaves the step: what was solved of it ends where the proof does. */
void brinkStepBreakOff(brinkStepper *stepper) {
  stepper->worldChanged = true; /* as far as anybody can tell */
  if (stepper->pairs.questionOpen) {
    (void)stopAll(stepper, fmax(stepper->now.t, stepper->now.tau));
    closeQuestion(stepper);
  } else {
    putBackToStart(stepper);
  }
  stepper->host->endSolves(stepper->user);
  stepper->island.wedged = false;
  brinkStepForgetLooks(stepper);
}

void brinkStepBegin(brinkStepper *stepper, double h, bool mayAsk) {
  stepper->now = (struct brinkStepNow){.h = h, .mayAsk = mayAsk};
  stepper->report = (struct brinkStepReport){.firstToi = BRINK_NO_TIME};
  stepper->stepNumber++;
  stepper->worldChanged = false;
  brinkKeyMap_Clear(&stepper->pairs.pairMap);
  stepper->pairs.aheadCount = stepper->pairs.atLimitCount = 0;
  stepper->sensing.eventCount = 0;
}

void brinkStepEnd(brinkStepper *stepper) {
  brinkStepShowSilent(stepper);
  brinkStepNoteLeft(stepper);
  brinkStepRecordEnd(stepper);
}

/* A callback has destroyed the world: whatever a step still lists, it may not touch. */
void brinkStepAbandon(brinkStepper *stepper) {
  stepper->worldChanged = true;
  for (size_t i = 0; i < stepper->bodyCount; ++i) {
    stepper->bodies[i].body = NULL;
  }
  for (size_t i = 0; i < stepper->jointCount; ++i) {
    stepper->joints[i].joint = NULL;
  }
  stepper->island.gatheredCount = stepper->island.posedCount = stepper->quiet.awakeCount = stepper->quiet.dueCount =
      stepper->pairs.nearCount = stepper->pairs.impactCount = 0;
}
