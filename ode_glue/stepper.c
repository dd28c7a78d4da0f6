/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of an ODE world in which nothing tunnels.
 *
 * ODE solves the whole step first. If Brink proves that nothing struck on the way, that is the result, bit for bit.
 * Otherwise there is one question for the whole step (brink/steps.h), which lives until its end. Impact by impact, in
 * the order of time: the struck island (everything joined to it, contacts included) goes back to its pose at the
 * impact, its velocities are those of the solve less what the step's forces do after the impact, the forces are given
 * again, the contacts of the start are put aside and the program's near callback makes new ones where things are now;
 * ODE solves the rest of the step for this island alone. Only pairs of those bodies are asked about again, from the
 * impact on; every other answer stays. An articulated body that was struck more often than its cap, or too close to the
 * step's end, is stopped: it stays at the impact pose (which is free of the event by proof) for the rest of the step,
 * and loses the time. Every round either solves (bounded by the cap) or stops something, so the loop ends, and it ends
 * only when Brink has proved the rest of the step free.
 *
 * So much for advance, the default of the modes (modes.c): report changes nothing, clamp never solves again,
 * speculative (speculative.c) holds bodies back by one more solve and advances what still comes to an impact.
 *
 * The parts: body_state.c (states to the last bit), body_motion.c (motions as ODE executes them), pairs.c (which pairs
 * count), gather.c (what hangs together, how far an impact is felt), edges.c (what is not felt), island.c (ODE's solve
 * for part of a step), impacts.c (contacts at an impact), response.c (how the motion of an island changes), cuts.c and
 * turns.c (what spins after an impact), joint_gaps.c (what is left of them), modes.c, speculative.c, culling.c (which
 * bodies need no question). Every number that tunes them stands in stepping/tuning.h.
 *
 * Times are parts of the step, [0,1]. Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "stepper.h"

/* ---- the question */

static int openQuestion(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  brinkQuery query = {.structSize = sizeof(query), .mode = brink_modeFirst, .scheme = brink->chosen.scheme};
  query.watch = brink_watchDepth;
  query.tStart = run->t;
  query.tEnd = 1;
  query.window = run->reportsAll ? 1 : BRINK_STEP_WINDOW;
  brink->told->question(run, &query);
  if (brink->steps->beginQuestion(brink->shapes.world, &query) != brink_ok) {
    return dxBrinkFail(brink, "first contact: %s", brink->shapes.plugin->lastError(brink->shapes.world));
  }
  brink->pairs.questionOpen = true;
  return 1;
}

static void closeQuestion(dBrinkID brink) {
  if (brink->pairs.questionOpen) {
    brink->steps->endQuestion(brink->shapes.world);
    brink->pairs.questionOpen = false;
  }
}

static int ask(dxBrinkRun *run, brinkReport *report, const brinkPairEvent **events) {
  dBrinkID brink = run->brink;
  *report = (brinkReport){.structSize = sizeof(*report), .counters = {.structSize = sizeof(report->counters)}};
  if (!brink->pairs.questionOpen && !openQuestion(run)) {
    return 0;
  }
  if (brink->steps->nextEvents(brink->shapes.world, run->t, report, events) != brink_ok) {
    return dxBrinkFail(brink, "first contact: %s", brink->shapes.plugin->lastError(brink->shapes.world));
  }
  const brinkCounters *counters = &report->counters;
  dBrinkStepInfo *info = &brink->result.info;
  info->pairsBefore += counters->pairsBefore;
  info->pairsSpatial += counters->pairsSpatial;
  info->pairsTemporal += counters->pairsTemporal;
  info->advancements += counters->advancements;
  info->distanceQueries += counters->distanceQueries;
  info->nodePairs += counters->nodePairs;
  info->unresolved += (int)counters->unresolved;
  brink->told->answer(run, report);
  return 1;
}

/* ---- what was struck */

static bool moves(const dxBrink *brink, uint32_t geom) {
  uint32_t body = brink->geoms[geom].body;
  return body != BRINK_NO_RECORD && brink->bodies[body].moves;
}

static bool addImpact(dxBrinkRun *run, const brinkContact *contact, const brinkPairEvent *event, dxBrinkPair pair) {
  dBrinkID brink = run->brink;
  if (!DX_BRINK_RESERVE(brink->pairs.impacts, brink->pairs.impactCount, brink->pairs.impactCapacity)) {
    return false;
  }
  dxBrinkImpact *impact = &brink->pairs.impacts[brink->pairs.impactCount++];
  *impact = (dxBrinkImpact){.pair = pair, .contact = *contact, .event = *event, .wanted = true};
  memcpy(impact->normal, &contact->normal, sizeof(impact->normal));
  return true;
}

static bool addEvent(dxBrinkRun *run, const dxBrinkImpact *impact, int response) {
  dBrinkID brink = run->brink;
  if (!DX_BRINK_RESERVE(brink->result.events, brink->result.eventCount, brink->result.eventCapacity)) {
    return false;
  }
  const brinkContact *contact = &impact->contact;
  dBrinkEvent *event = &brink->result.events[brink->result.eventCount++];
  *event = (dBrinkEvent){.g1 = brink->geoms[impact->pair.geomA].geom, .g2 = brink->geoms[impact->pair.geomB].geom};
  event->toi = contact->toi;
  event->toiUpper = fmin(1, contact->toiUpper);
  event->distance = contact->distance;
  event->threshold = contact->threshold;
  event->response = response;
  const double *a = &contact->pointA.x, *b = &contact->pointB.x;
  for (int i = 0; i < 3; ++i) {
    event->position[i] = (a[i] + b[i]) / 2;
    event->normal[i] = impact->normal[i];
  }
  return true;
}

typedef struct impactList {
  double tau;      /* of the first impact; 2 = none */
  bool unresolved; /* the time is a proven bound, but what is struck may not be known */
  bool again;      /* a pair is asked about in another way now: ask again when nothing else is left */
} impactList;

/* A pair that crosses at the start (meshes have no inside to come out of), or that cannot move any more. */
static bool isHopeless(const dxBrink *brink, const brinkContact *contact, dxBrinkPair pair) {
  return contact->state == brink_overlap || (!moves(brink, pair.geomA) && !moves(brink, pair.geomB));
}

static bool isUnit(const brinkVec3 *n) { return n->x * n->x + n->y * n->y + n->z * n->z > 0.5; }

/* Distance and normal of a pair so near that the question gave neither. */
static void lookAgain(const dxBrink *brink, brinkContact *contact) {
  const brinkPlugin *plugin = brink->shapes.plugin;
  brinkContact now;
  brinkContactPoint point;
  size_t count = 0;
  if (plugin->distance(brink->shapes.world, contact->colliderA, contact->colliderB, contact->toi, &now) != brink_ok) {
    return;
  }
  if (isUnit(&now.normal)) {
    contact->distance = now.distance;
    contact->normal = now.normal;
  } else if (plugin->collide(brink->shapes.world, contact->colliderA, contact->colliderB, contact->toi,
                             fmax(now.distance, 0), &point, 1, &count) == brink_ok &&
             count == 1) {
    contact->distance = point.separation;
    contact->normal = point.normal;
  }
}

/* The same for a pair that is watched at its core. */
static void lookAtCore(const dxBrink *brink, brinkContact *contact, dxBrinkPair pair) {
  brinkSinking at;
  if (dxBrinkSinking(brink, pair, contact->toi, &at)) {
    contact->normal = at.normal;
    contact->pointA = at.pointA;
    contact->pointB = at.pointB;
    contact->distance = at.separation;
  }
}

/* Named once, the first of them: a pair that Brink cannot keep apart. */
static void warnOfPair(dBrinkID brink, dxBrinkPair pair, const char *what) {
  const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
  const dReal *p = dBodyGetPosition(brink->bodies[a->body != BRINK_NO_RECORD ? a->body : b->body].body);
  dxBrinkLog(brink, brink->pairs.warnedOfPair ? brink_logInfo : brink_logWarning,
             "geoms %u (%s) and %u (%s), near %.4g %.4g %.4g, %s%s", pair.geomA, dxBrinkClassName(a->key.geomClass),
             pair.geomB, dxBrinkClassName(b->key.geomClass), p[0], p[1], p[2], what,
             brink->pairs.warnedOfPair ? "" : " (said once; give a log with dBrinkSetLog to hear of others)");
  brink->pairs.warnedOfPair = true;
}

/* A pair for which no more time could be proved. Where it is near and its side is known, a contact is all it needs. */
static bool isNearEnough(const dxBrink *brink, brinkContact *contact, dxBrinkPair pair) {
  if (dxBrinkIsSunken(brink, contact, pair)) {
    lookAtCore(brink, contact, pair);
  } else if (!isUnit(&contact->normal)) {
    lookAgain(brink, contact);
  }
  return isUnit(&contact->normal) &&
         contact->distance < fmax(contact->threshold, 0) + BRINK_STEP_TOUCHING * dxBrinkPairAllowance(brink, pair);
}

/* Of the pairs that are struck a little later than the first, those count that are near enough to touch at its time;
 * the others will come up again. */
static void keepTouching(dBrinkID brink, double tau) {
  size_t kept = 1;
  for (size_t i = 1; i < brink->pairs.impactCount; ++i) {
    dxBrinkImpact impact = brink->pairs.impacts[i];
    const brinkContact *contact = &impact.contact;
    brinkContact now;
    if (dxBrinkIsSunken(brink, contact, impact.pair)) { /* its surfaces cross all the time */
      if (contact->toi <= tau + BRINK_STEP_WINDOW) {
        brink->pairs.impacts[kept++] = impact;
      }
    } else if (brink->shapes.plugin->distance(brink->shapes.world, contact->colliderA, contact->colliderB, tau, &now) ==
                   brink_ok &&
               now.distance <=
                   fmax(contact->threshold, 0) + BRINK_STEP_TOUCHING * dxBrinkPairAllowance(brink, impact.pair)) {
      impact.contact.distance = now.distance;
      memcpy(impact.normal, &now.normal, sizeof(impact.normal));
      brink->pairs.impacts[kept++] = impact;
    }
  }
  brink->pairs.impactCount = brink->pairs.impactCount > 0 ? kept : 0;
}

/* The report in the stepper's terms. Its contacts are the plugin's until the next call: all are copied first. */
static bool readImpacts(dxBrinkRun *run, const brinkReport *report, const brinkPairEvent *events, impactList *out) {
  dBrinkID brink = run->brink;
  *out = (impactList){.tau = 2};
  brink->pairs.impactCount = 0;
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, contact->colliderA),
                        brinkKeyMap_Get(&brink->colliderMap, contact->colliderB)};
    if (contact->state == brink_free || pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD) {
      continue;
    }
    if (!addImpact(run, contact, &events[i], pair)) {
      return false;
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    dxBrinkImpact impact = brink->pairs.impacts[i];
    if (isHopeless(brink, &impact.contact, impact.pair)) {
      if (impact.contact.state == brink_overlap) {
        warnOfPair(brink, impact.pair, "cross at the start of a step: the pair is left to ODE in this step");
      }
      out->again = true;
      if (!dxBrinkDropPair(brink, impact.pair)) {
        return false;
      }
      continue;
    }
    if (brink->geoms[impact.pair.geomA].shape.hollow && brink->geoms[impact.pair.geomB].shape.hollow &&
        !dxBrinkAnswersPair(&brink->geoms[impact.pair.geomA], &brink->geoms[impact.pair.geomB])) {
      warnOfPair(brink, impact.pair,
                 "are not convex and have ODE's own contacts, which need surfaces that cross: they are held apart "
                 "impact by impact, and may cross at a step's start; register their classes with dBrinkRegister");
    }
    out->tau = fmin(out->tau, impact.contact.toi);
    out->unresolved = out->unresolved ||
                      (impact.contact.state == brink_unresolved && !isNearEnough(brink, &impact.contact, impact.pair));
    memcpy(impact.normal, &impact.contact.normal, sizeof(impact.normal));
    brink->pairs.impacts[kept++] = impact;
  }
  brink->pairs.impactCount = kept;
  if (report->state == brink_unresolved && report->toi < out->tau) {
    out->tau = report->toi;
    out->unresolved = true;
  }
  out->tau = out->tau <= 1 ? fmax(out->tau, run->t) : out->tau;
  return true;
}

/* Impacts that are only reported: nothing changes but that these pairs are not asked about again. Deepening is no news.
 * 0: there are none; -1: no memory. */
static int reportImpacts(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  size_t count = 0;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    const dxBrinkImpact *impact = &brink->pairs.impacts[i];
    if (dxBrinkModeOfPair(brink, impact->pair) != dBrinkModeReport) {
      continue;
    }
    count++;
    if (dxBrinkIsFirstTouch(brink, impact)) {
      brink->result.info.firstToi = fmin(brink->result.info.firstToi, impact->contact.toi);
      if (!addEvent(run, impact, dBrinkResponseReported)) {
        return -1;
      }
    }
    if (!run->reportsAll && !dxBrinkDropPair(brink, impact->pair)) {
      return -1;
    }
  }
  return count > 0;
}

/* One response at a time: impacts of another mode than the first one's come up again. */
static int keepFirstMode(dBrinkID brink) {
  int mode = dxBrinkModeOfPair(brink, brink->pairs.impacts[0].pair);
  size_t kept = 0;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    if (dxBrinkModeOfPair(brink, brink->pairs.impacts[i].pair) == mode) {
      brink->pairs.impacts[kept++] = brink->pairs.impacts[i];
    }
  }
  brink->pairs.impactCount = kept;
  return mode;
}

/* Pairs that may be held back come before all others: that solve begins where the segment does, and once the segment is
 * cut at another pair's impact they may already touch. */
static bool keepThoseToHoldBack(const dxBrinkRun *run, impactList *found) {
  dBrinkID brink = run->brink;
  size_t kept = 0;
  for (size_t i = 0; !found->unresolved && i < brink->pairs.impactCount; ++i) {
    if (dxBrinkModeOfPair(brink, brink->pairs.impacts[i].pair) == dBrinkModeSpeculative &&
        dxBrinkMayHoldBack(run, &brink->pairs.impacts[i])) {
      dxBrinkImpact impact = brink->pairs.impacts[i];
      brink->pairs.impacts[kept++] = impact;
    }
  }
  if (kept > 0) {
    brink->pairs.impactCount = kept;
    found->tau = brink->pairs.impacts[0].contact.toi;
  }
  return kept > 0;
}

static bool hookIsUnsure(const dxBrink *brink) {
  for (size_t i = 0; brink->chosen.hookSay != NULL && i < brink->pairs.impactCount; ++i) {
    dxBrinkPair pair = brink->pairs.impacts[i].pair;
    if (brink->chosen.hookSay(brink->chosen.hookUser, brink->geoms[pair.geomA].geom, brink->geoms[pair.geomB].geom) ==
        dxBrinkDoorUnsure) {
      return true;
    }
  }
  return false;
}

/* May the struck bodies be solved again? Wait: the next step's contacts are in time, and meet the speed that there is.
 * Stop: they were struck too often, or there is no telling by what. */
typedef enum answer { answerSolve, answerWait, answerStop } answer;

/* How many bodies hang together where the gathered ones are struck: by joints, or by contacts that are pressed, as the
 * links of a taut chain are. */
static size_t countLinks(const dBrinkID brink) {
  const size_t joined = brink->island.gatheredCount;
  bool pressed = false;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    pressed = pressed || dxBrinkIsPressed(brink, &brink->pairs.impacts[i]);
  }
  const size_t touching = pressed && dxBrinkGatherStruck(brink, true) ? brink->island.gatheredCount : joined;
  return pressed && !dxBrinkGatherStruck(brink, false) ? 0 : touching;
}

/* The links of a chain are struck one after the other, so its cap grows with their number. Counts this impact for them;
 * one that lies deeper than the allowance already counts twice, one that makes no progress fourfold. */
static answer mayRespond(dxBrinkRun *run, const impactList *found) {
  dBrinkID brink = run->brink;
  const double tau = found->tau;
  if (run->near == NULL || 1 - tau < BRINK_STEP_SHORTEST_REST || hookIsUnsure(brink)) {
    return answerWait;
  }
  if (found->unresolved || !dxBrinkGatherStruck(brink, false)) {
    return answerStop;
  }
  const size_t links = countLinks(brink);
  double cap = brink->chosen.maxSubsteps * (1 + BRINK_STEP_PER_LINK * ((double)links - 1));
  if (links == 0 || run->bodySolves >= cap * (double)run->bodyCount) {
    return answerStop;
  }
  bool deep = false;
  for (size_t i = 0; i < brink->pairs.impactCount; ++i) {
    deep =
        deep || brink->pairs.impacts[i].contact.threshold < -dxBrinkPairAllowance(brink, brink->pairs.impacts[i].pair);
  }
  bool allowed = true;
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    allowed = allowed && brink->bodies[brink->island.gathered[i]].substeps < cap;
  }
  for (size_t i = 0; allowed && i < brink->island.gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    bool stalled = record->lastImpact >= 0 && tau - record->lastImpact < BRINK_STEP_STALLED;
    record->substeps += stalled ? 4 : deep ? 2 : 1;
    record->lastImpact = tau;
  }
  return allowed ? answerSolve : answerStop;
}

static bool addEvents(dxBrinkRun *run, int response) {
  for (size_t i = 0; i < run->brink->pairs.impactCount; ++i) {
    if (run->brink->pairs.impacts[i].wanted && !addEvent(run, &run->brink->pairs.impacts[i], response)) {
      return false;
    }
  }
  return true;
}

static dxBrinkOutcome respond(dxBrinkRun *run, impactList *found) {
  dBrinkID brink = run->brink;
  if (brink->pairs.impactCount > 0 && keepThoseToHoldBack(run, found)) {
    keepTouching(brink, found->tau);
    dxBrinkOutcome result =
        mayRespond(run, found) == answerSolve ? dxBrinkHoldBack(run, found->tau) : dxBrinkOutcomeDropped;
    return result != dxBrinkOutcomeDropped || dxBrinkGiveUpHoldingBack(brink) ? result : dxBrinkOutcomeFailed;
  }
  keepTouching(brink, found->tau);
  if (brink->pairs.impactCount == 0) {
    return dxBrinkOutcomeFailed;
  }
  int mode = keepFirstMode(brink);
  if (mode == dBrinkModeSpeculative && !found->unresolved && dxBrinkHasArrived(run, found->tau)) {
    return dxBrinkOutcomeArrived;
  }
  answer what = mode == dBrinkModeClamp ? answerWait : mayRespond(run, found);
  if (what == answerSolve) {
    dxBrinkOutcome outcome = dxBrinkRespondWithContacts(run, found->tau);
    if (outcome != dxBrinkOutcomeWaits) {
      return outcome;
    }
    what = answerWait;
  }
  return dxBrinkClampImpacts(run, found->tau, what == answerWait) ? dxBrinkOutcomeClamped : dxBrinkOutcomeFailed;
}

/* What a program is told about the current impacts. */
static bool tellOutcome(dxBrinkRun *run, dxBrinkOutcome result, double tau) {
  run->brink->result.info.firstToi = fmin(run->brink->result.info.firstToi, tau);
  switch (result) {
    case dxBrinkOutcomeArrived:
      return true; /* told when it was held back */
    case dxBrinkOutcomeHeldBack:
      return addEvents(run, dBrinkResponseHeldBack);
    case dxBrinkOutcomeSolved:
      return addEvents(run, dBrinkResponseContacts);
    default:
      return addEvents(run, dBrinkResponseClamped);
  }
}

/* What a sensor may reach counts here as well. */
static int wakeNear(dxBrinkRun *run, const uint32_t *numbers, size_t count) {
  dBrinkID brink = run->brink;
  if (!brink->told->senses(brink)) {
    return dxBrinkWakeNear(run, numbers, count);
  }
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkMeetFilter, brink);
  int woken = dxBrinkWakeNear(run, numbers, count);
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkFilterPair, brink);
  return woken;
}

/* The gathered bodies have new motions from tau on. */
static int goOnFrom(dxBrinkRun *run, double tau) {
  run->t = tau;
  return wakeNear(run, run->brink->island.gathered, run->brink->island.gatheredCount) ? 1 : -1;
}

static bool isNew(const dxBrinkBody *record) {
  const dReal *q = record->start.quaternion;
  return record->body != NULL && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

/* Everything that is left stays where the proof ends; bodies that the callback made stay where it put them. */
static int endChangedStep(dxBrinkRun *run, double tau) {
  dBrinkID brink = run->brink;
  if (brink->contacts.worldGone) {
    return dxBrinkFailWorldGone(brink);
  }
  if (!dxBrinkRefresh(brink)) {
    return 0;
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (isNew(record)) {
      dxBrinkReadState(record->body, &record->start);
      record->end = record->next = record->start;
      record->frozen = true;
      record->from = tau;
    }
  }
  dxBrinkClampAll(run, tau);
  return dxBrinkFail(
      brink,
      "a near callback destroyed or made a body or geom inside the step: the rest of the step was clamped; "
      "make a note there and do it after the step");
}

static int cutTurns(dxBrinkRun *run, double tau) {
  bool solved = dxBrinkCutTurns(run, tau);
  if (run->brink->contacts.worldChanged) {
    return endChangedStep(run, tau) - 1;
  }
  if (!solved) {
    dxBrinkClampAll(run, tau);
    return -1;
  }
  return goOnFrom(run, tau);
}

static int followImpact(dxBrinkRun *run, impactList *found) {
  dxBrinkOutcome result = respond(run, found);
  if (run->brink->contacts.worldChanged) {
    return endChangedStep(run, found->tau) - 1;
  }
  if (result == dxBrinkOutcomeDropped) {
    return 1;
  }
  if (result == dxBrinkOutcomeDeepens) {
    return dxBrinkAskStruckAgain(run, found->tau) ? 1 : -1;
  }
  bool told = tellOutcome(run, result, found->tau);
  if (!told || result == dxBrinkOutcomeFailed) {
    dxBrinkClampAll(run, found->tau);
    return -1;
  }
  if (result == dxBrinkOutcomeArrived) {
    return dxBrinkAskStruckAgain(run, found->tau) ? 1 : -1;
  }
  return goOnFrom(run, result == dxBrinkOutcomeHeldBack ? run->t : found->tau);
}

/* One round: ask, respond. 1: go on; 0: the rest of the step is proved free; -1: failed, the guard has stopped
 * everything. */
static int oneRound(dxBrinkRun *run) {
  brinkReport report;
  const brinkPairEvent *events = NULL;
  impactList found;
  if (!ask(run, &report, &events) || !readImpacts(run, &report, events, &found)) {
    if (run->t > 0) {
      dxBrinkClampAll(run, run->t); /* before the first impact ODE's own result stays */
    }
    return -1;
  }
  int reported = reportImpacts(run);
  if (reported != 0) {
    return reported < 0 || run->reportsAll ? -(reported < 0) : 1;
  }
  if (found.again && found.tau > 1) {
    return 1; /* the question ended where these cross: what comes later is not proved yet, not even up to a cut */
  }
  double cut = dxBrinkNextCut(run->brink);
  if (cut < found.tau) {
    return cutTurns(run, cut);
  }
  return found.tau <= 1 ? followImpact(run, &found) : 0;
}

/* ---- the whole step */

/* The walk has read where the bodies start. 0: something there is not finite, or beyond 1e60: Brink computes with less
 * than 1e60, ODE asserts where a square overflows. */
static int checkStart(dBrinkID brink) {
  if (brink->walk->unfit == BRINK_NO_RECORD) {
    return 1;
  }
  const dReal *p = dBodyGetPosition(brink->bodies[brink->walk->unfit].body);
  return dxBrinkFail(brink,
                     "body %u has a position, rotation, velocity or force that is not finite, or beyond 1e60 "
                     "(position %g %g %g): the world was "
                     "not stepped, ODE would abort; give it finite values (dBodySetPosition, dBodySetQuaternion, "
                     "dBodySetLinearVel, "
                     "dBodySetAngularVel, dBodySetForce) or destroy it, and step again",
                     brink->walk->unfit, p[0], p[1], p[2]);
}

/* Motions of ODE's own solve. 0: something is not finite now. */
static int readMotions(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  dxBrinkSift(run);
  dxBrinkCalmDown(run);
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    dxBrinkReadState(record->body, &record->end);
    if (!brink->hotData[brink->quiet.awake[i]].whole) {
      dRfromQ(record->start.rotation, record->start.quaternion);
      memcpy(record->start.linear, record->end.linear, sizeof(record->start.linear));
      memcpy(record->start.angular, record->end.angular, sizeof(record->start.angular));
    }
    if (!dxBrinkStateIsFinite(&record->end)) {
      return dxBrinkFail(brink,
                         "ODE's solve left body %u without a finite position or velocity: this step was not checked; "
                         "lower the forces "
                         "or the step, or raise CFM",
                         brink->quiet.awake[i]);
    }
    dxBrinkReadSpin(record->body, &record->end, run->h, dBodyGetFiniteRotationMode(record->body) != 0, record->spin);
  }
  dxBrinkCloseJoints(run, brink->quiet.awake, brink->quiet.awakeCount, 1);
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    record->moves = !dxBrinkSamePose(&record->start, &record->end);
  }
  return brink->quiet.awakeCount == 0 || dxBrinkSendMotions(brink);
}

static bool anythingMoves(const dxBrink *brink) {
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    if (brink->bodies[brink->quiet.awake[i]].moves) {
      return true;
    }
  }
  return false;
}

/* Impacts of a step that ODE has solved. */
static int followImpacts(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  if (brink->quiet.awakeCount == 0) {
    if (brink->quiet.dueCount > 0) {
      dxBrinkLook(run);
    }
    return brink->told->crossed(brink);
  }
  if (!dxBrinkMeetClearances(brink)) {
    dxBrinkForgetLooks(brink);
    return 0;
  }
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkFilterPair, brink);
  run->reportsAll = brink->chosen.mode == dBrinkModeReport && brink->chosen.settingCount == 0;
  run->bodyCount = brink->quiet.liveBodies;
  dxBrinkForgetCuts(brink);
  int round = 1;
  if (anythingMoves(brink)) {
    round = dxBrinkPlanCuts(run, brink->quiet.awake, brink->quiet.awakeCount) &&
                    wakeNear(run, brink->quiet.awake, brink->quiet.awakeCount)
                ? 1
                : -1;
    while (round > 0) {
      round = oneRound(run);
    }
  }
  closeQuestion(brink);
  dxBrinkLetOthersGoOn(run);
  if (round >= 0 && !brink->told->crossed(brink)) {
    round = -1;
  }
  dJointGroupEmpty(brink->contacts.ownGroup);
  if (round >= 0) {
    dxBrinkLook(run);
  } else {
    dxBrinkForgetLooks(brink);
  }
  return round >= 0;
}

static void clearInfo(dBrinkID brink) {
  brink->stepNumber++;
  brink->result.info = (dBrinkStepInfo){.structSize = sizeof(brink->result.info), .firstToi = 2};
  brink->result.eventCount = 0;
  brink->contacts.disabledCount = 0;
  brinkKeyMap_Clear(&brink->pairs.pairMap);
  brink->pairs.aheadCount = 0;
  brink->told->clear(brink);
  brink->contacts.signature = 0;
  brink->contacts.bodyGeomCount = 0;
  brink->contacts.worldChanged = false;
  brink->island.solveSeconds = 0;
}

static int watchedStep(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  bool known = dxBrinkRefreshAtStart(brink) != 0;
  if (brink->walk->locked) {
    return dxBrinkFail(
        brink,
        "dBrinkWorldStep: called from inside dSpaceCollide of a watched space; ODE cannot move a geom of a "
        "space that is calling back, and would abort. The world was not stepped; step it after dSpaceCollide "
        "has returned");
  }
  known = known && (!dxBrinkBeginSweeps(brink, run->h) || dxBrinkRefreshAtStart(brink) != 0);
  if (!known) {
    dxBrinkSolve(run, run->h);
    return 0;
  }
  dxBrinkApplyModes(brink);
  brink->told->begin(brink);
  dxBrinkBeginSilence(brink);
  if (!checkStart(brink)) {
    return 0;
  }
  brink->told->started(brink);
  dxBrinkCallNearHeldApart(run);
  dxBrinkCallNearSwept(run);
  if (dxBrinkWorldChanged(brink)) {
    brink->contacts.signature = 0;
    brink->contacts.worldChanged = false;
    if (brink->contacts.worldGone) {
      return dxBrinkFailWorldGone(brink);
    }
    if (!dxBrinkRefreshAtStart(brink) || !checkStart(brink)) {
      return 0;
    }
  }
  dxBrinkTurnStruckFinitely(brink);
  dxBrinkSolve(run, run->h);
  int done = readMotions(run);
  dxBrinkRestoreStruckTurning(brink);
  if (!done) {
    dxBrinkForgetLooks(brink);
  }
  done = done && followImpacts(run);
  dxBrinkEnableStale(brink);
  brink->result.info.worstJointError = dxBrinkJointError(brink);
  if (!brink->contacts.worldGone) {
    brink->told->end(run);
  }
  return done;
}

int dxBrinkStep(dBrinkID brink, double h, void *data, dNearCallback *near, dJointGroupID contactGroup, bool quick) {
  if (brink == NULL) {
    return dxBrinkFail(NULL, "dBrinkWorldStep: brink is NULL; see dBrinkGetError(NULL) after dBrinkCreate");
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "dBrinkWorldStep: called from inside a step's near callback; one step at a time");
  }
  clearInfo(brink);
  if (brink->contacts.worldGone) {
    return dxBrinkFailWorldGone(brink);
  }
  if (!isfinite(h) || !(h > 0)) {
    return dxBrinkFail(brink,
                       "dBrinkWorldStep: the step is %g s; it must be positive and finite (ODE would abort). The world "
                       "was not stepped",
                       h);
  }
  double began = dxBrinkSecondsNow();
  dxBrinkSucceed(brink);
  brink->busy = true;
  brink->contacts.solveLength = h;
  dxBrinkRun run = {.brink = brink, .h = h, .quick = quick, .data = data, .near = near};
  run.group = contactGroup != NULL ? contactGroup : brink->contacts.ownGroup;
  int done = 1;
  if (brink->chosen.enabled) {
    done = watchedStep(&run);
    dxBrinkEndSweeps(brink);
  } else {
    dxBrinkSolve(&run, h);
  }
  brink->busy = false;
  brink->result.info.milliseconds = 1e3 * (dxBrinkSecondsNow() - began - brink->island.solveSeconds);
  return done;
}
