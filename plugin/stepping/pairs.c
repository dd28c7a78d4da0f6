/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs of colliders count? Those that the question asks about (its pair filter, and how deep they may sink),
 * those near the island at an impact, and those that Brink's contacts keep apart from step to step. And what this step
 * has noted of each pair. Units: m. */
#include <math.h>
#include <string.h>

#include "sink.h"
#include "step.h"

/* ---- what this step knows of a pair */

static uint32_t knownOf(const brinkStepper *stepper, brinkStepPair pair) {
  uint32_t known = brinkKeyMap_Get(&stepper->pairs.pairMap, brinkStepPairKey(pair));
  return known == BRINK_NO_RECORD ? 0 : known;
}

bool brinkStepIsDropped(const brinkStepper *stepper, brinkStepPair pair) {
  return (knownOf(stepper, pair) & BRINK_STEP_PAIR_DROPPED) != 0;
}

bool brinkStepHadContacts(const brinkStepper *stepper, brinkStepPair pair) {
  return (knownOf(stepper, pair) & BRINK_STEP_PAIR_HAD_CONTACTS) != 0;
}

bool brinkStepNoteContacts(brinkStepper *stepper, brinkStepPair pair) {
  return brinkKeyMap_Set(&stepper->pairs.pairMap, brinkStepPairKey(pair),
                         knownOf(stepper, pair) | BRINK_STEP_PAIR_HAD_CONTACTS);
}

bool brinkStepWasMoved(const brinkStepper *stepper, brinkStepPair pair) {
  return (knownOf(stepper, pair) & BRINK_STEP_PAIR_MOVED) != 0;
}

bool brinkStepNoteMoved(brinkStepper *stepper, brinkStepPair pair) {
  return brinkKeyMap_Set(&stepper->pairs.pairMap, brinkStepPairKey(pair),
                         knownOf(stepper, pair) | BRINK_STEP_PAIR_MOVED);
}

bool brinkStepNoteAtLimit(brinkStepper *stepper, brinkStepPair pair, uint32_t *times) {
  const uint32_t known = knownOf(stepper, pair) + BRINK_STEP_PAIR_AT_LIMIT;
  *times = known / BRINK_STEP_PAIR_AT_LIMIT;
  return brinkKeyMap_Set(&stepper->pairs.pairMap, brinkStepPairKey(pair), known);
}

uint32_t brinkStepTimesAtLimit(const brinkStepper *stepper, brinkStepPair pair) {
  return knownOf(stepper, pair) / BRINK_STEP_PAIR_AT_LIMIT;
}

bool brinkStepDropPair(brinkStepper *stepper, brinkStepPair pair) {
  brinkStepRecordPair(stepper, "drop", pair);
  return brinkKeyMap_Set(&stepper->pairs.pairMap, brinkStepPairKey(pair),
                         knownOf(stepper, pair) | BRINK_STEP_PAIR_DROPPED) &&
         stepper->steps->leavePair(stepper->world, stepper->colliders[pair.a].collider,
                                   stepper->colliders[pair.b].collider) == brink_ok;
}

/* Bodies of many colliders are asked about for each pair of these, and an engine looks through all joints of one of the
 * two: told: the last answer, or NULL. Where the plugin asks it has left out what recorded joints hold together. */
static bool areJoined(const brinkStepper *stepper, uint32_t bodyA, uint32_t bodyB, struct brinkStepJoined *told) {
  if (told != NULL && told->known && told->bodies[0] == bodyA && told->bodies[1] == bodyB) {
    return told->joined;
  }
  if (told != NULL && (brinkStepKnowsJoints(stepper, bodyA) || brinkStepKnowsJoints(stepper, bodyB))) {
    return false;
  }
  const bool joined = stepper->host->joined(stepper->user, bodyA, bodyB);
  if (told != NULL) {
    *told = (struct brinkStepJoined){true, joined, {bodyA, bodyB}};
  }
  return joined;
}

/* The program was called: it may have made joints, or destroyed some. */
void brinkStepForgetJoined(brinkStepper *stepper) { stepper->pairs.joined.known = false; }

/* Left out: pairs that no contact can change, and pairs held together by a joint, as programs do. */
static bool mayMeet(const brinkStepper *stepper, uint32_t geomA, uint32_t geomB, struct brinkStepJoined *told) {
  if (stepper->colliders[geomA].flags & stepper->colliders[geomB].flags & BRINK_STEP_RAY) {
    return 0;
  }
  uint32_t bodyA = stepper->colliders[geomA].body, bodyB = stepper->colliders[geomB].body;
  bool dynamicA = bodyA != BRINK_NO_RECORD && stepper->hotData[bodyA].dynamic;
  bool dynamicB = bodyB != BRINK_NO_RECORD && stepper->hotData[bodyB].dynamic;
  if (!dynamicA && !dynamicB && !brinkStepIsSensorPair(stepper, geomA, geomB)) {
    return 0;
  }
  return bodyA == BRINK_NO_RECORD || bodyB == BRINK_NO_RECORD || !areJoined(stepper, bodyA, bodyB, told);
}

int brinkStepMayMeet(const brinkStepper *stepper, uint32_t geomA, uint32_t geomB) {
  return mayMeet(stepper, geomA, geomB, NULL);
}

/* Left out, too: pairs that the program did not want in this step, and those of sensors and rays. */
static bool wantPair(const brinkStepper *stepper, brinkStepPair pair, struct brinkStepJoined *told) {
  if (brinkStepIsSensed(stepper, pair.a, pair.b) || !mayMeet(stepper, pair.a, pair.b, told)) {
    return false;
  }
  return stepper->host->answers(stepper->user, pair) != brink_stepLeaves &&
         (stepper->pairs.pairMap.count == 0 || !brinkStepIsDropped(stepper, pair));
}

int brinkStepWantPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  return wantPair(user, (brinkStepPair){(uint32_t)userDataA, (uint32_t)userDataB}, NULL);
}

/* Brink asks this for pairs whose swept boxes meet. */
int brinkStepFilterPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  brinkStepper *stepper = user;
  const brinkStepPair pair = {(uint32_t)userDataA, (uint32_t)userDataB};
  const bool want = wantPair(stepper, pair, &stepper->pairs.joined);
  if (!want) {
    brinkStepRecordPair(stepper, "leave", pair);
  }
  return want;
}

double brinkStepPairAllowance(const brinkStepper *stepper, brinkStepPair pair) {
  return fmin(stepper->colliders[pair.a].allowance, stepper->colliders[pair.b].allowance);
}

int brinkStepModeOfPair(const brinkStepper *stepper, brinkStepPair pair) {
  const brinkStepCollider *a = &stepper->colliders[pair.a], *b = &stepper->colliders[pair.b];
  if ((a->flags | b->flags) & BRINK_STEP_RAY) {
    return brink_stepReport; /* a ray stops nothing */
  }
  int own = stepper->settings.pairModes ? brinkStepOwnMode(stepper, pair) : brink_stepInherit;
  if (own != brink_stepInherit) {
    return own;
  }
  int modeA = a->body != BRINK_NO_RECORD ? stepper->bodies[a->body].mode : brink_stepInherit;
  int modeB = b->body != BRINK_NO_RECORD ? stepper->bodies[b->body].mode : brink_stepInherit;
  int strictest = modeA > modeB ? modeA : modeB; /* the enum's order is that of strictness */
  return strictest != brink_stepInherit ? strictest : stepper->settings.mode;
}

/* ---- how deep a pair may sink */

double brinkStepSinkPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB,
                         double *limit) {
  (void)a;
  (void)b;
  const brinkStepper *stepper = user;
  const brinkStepPair pair = {(uint32_t)userDataA, (uint32_t)userDataB};
  double depth =
      brinkStepSinkDepth(&stepper->colliders[pair.a], &stepper->colliders[pair.b], stepper->settings.allowanceCap,
                         stepper->host->keptApart(stepper->user, pair), limit);
  if (depth > 0) {
    brinkStepRecordSink(stepper, pair, depth, *limit);
  }
  return depth;
}

static bool hasSurface(const brinkStepper *stepper, brinkStepPair pair) {
  return ((stepper->colliders[pair.a].flags | stepper->colliders[pair.b].flags) & BRINK_STEP_SURFACE) != 0;
}

bool brinkStepSinking(const brinkStepper *stepper, brinkStepPair pair, double local, brinkSinking *out) {
  const brinkStepCollider *a = &stepper->colliders[pair.a], *b = &stepper->colliders[pair.b];
  out->structSize = sizeof(*out);
  return stepper->steps->sinking(stepper->world, a->collider, b->collider, local, out) == brink_ok && out->depth > 0;
}

bool brinkStepIsSunken(const brinkStepper *stepper, const brinkContact *contact, brinkStepPair pair) {
  return contact->threshold < 0 && hasSurface(stepper, pair);
}

/* Is this the first touch of a pair that was apart, and not the deepening of one that touches? See brinkWatch. */
bool brinkStepIsFirstTouch(const brinkStepper *stepper, const brinkStepImpact *impact) {
  double least =
      hasSurface(stepper, impact->pair) ? BRINK_STEP_FIRST_TOUCH * brinkStepPairAllowance(stepper, impact->pair) : 0;
  return impact->contact.threshold >= least;
}

bool brinkStepIsPressed(const brinkStepper *stepper, const brinkStepImpact *impact) {
  return impact->contact.threshold > 0 && !brinkStepIsFirstTouch(stepper, impact) &&
         stepper->host->keptApart(stepper->user, impact->pair);
}

bool brinkStepIsAtLimit(const brinkStepper *stepper) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (stepper->pairs.impacts[i].event.kind == brink_eventCore) {
      return true;
    }
  }
  return false;
}

/* A pair that is kept apart is nearer than at its first touch. More bodies than feel an impact are too much for a
 * direct solver. */
bool brinkStepNeedsDirectSolve(const brinkStepper *stepper) {
  if (stepper->island.gatheredCount > BRINK_STEP_TOGETHER) {
    return false;
  }
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkStepImpact *impact = &stepper->pairs.impacts[i];
    if (impact->contact.toi <= stepper->now.tau + BRINK_STEP_WINDOW && brinkStepIsPressed(stepper, impact)) {
      return true;
    }
  }
  return false;
}

/* Of the pairs that are struck a little later than the first, those count that are near enough to touch at its time;
 * the others will come up again. */
void brinkStepKeepTouching(brinkStepper *stepper, double tau) {
  size_t kept = 1;
  for (size_t i = 1; i < stepper->pairs.impactCount; ++i) {
    brinkStepImpact impact = stepper->pairs.impacts[i];
    const brinkContact *contact = &impact.contact;
    brinkContact now;
    if (brinkStepIsSunken(stepper, contact, impact.pair)) { /* its surfaces cross all the time */
      if (contact->toi <= tau + BRINK_STEP_WINDOW) {
        stepper->pairs.impacts[kept++] = impact;
      }
      continue;
    }
    const double near =
        fmax(contact->threshold, 0) + BRINK_STEP_TOUCHING * brinkStepPairAllowance(stepper, impact.pair);
    if (stepper->steps->distanceBelow(stepper->world, contact->colliderA, contact->colliderB, tau, 2 * near, &now) ==
            brink_ok &&
        now.distance <= near) {
      impact.contact.distance = now.distance;
      memcpy(impact.normal, &now.normal, sizeof(impact.normal));
      stepper->pairs.impacts[kept++] = impact;
    }
  }
  stepper->pairs.impactCount = stepper->pairs.impactCount > 0 ? kept : 0;
}

/* ---- near each other at an impact */

static bool isImpact(const brinkStepper *stepper, brinkStepPair pair) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    if (memcmp(&stepper->pairs.impacts[i].pair, &pair, sizeof(pair)) == 0) {
      return true;
    }
  }
  return false;
}

/* stepper->pairs.nearPairs: pairs around the listed bodies, from there on. */
bool brinkStepListPairsAround(brinkStepper *stepper, double from, double margin, bool butStruck) {
  const brinkColliderPair *pairs = NULL;
  size_t count = 0;
  stepper->pairs.nearCount = 0;
  if (stepper->quiet.lookedCount > 0 &&
      stepper->steps->pairsOf(stepper->world, stepper->quiet.looked, stepper->quiet.lookedCount, from, 1, margin,
                              &pairs, &count) != brink_ok) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    brinkStepPair pair = {brinkKeyMap_Get(&stepper->colliderMap, pairs[i].a),
                          brinkKeyMap_Get(&stepper->colliderMap, pairs[i].b)};
    if (pair.a == BRINK_NO_RECORD || pair.b == BRINK_NO_RECORD || (butStruck && isImpact(stepper, pair))) {
      continue;
    }
    if (!BRINK_STEP_RESERVE(stepper->pairs.nearPairs, stepper->pairs.nearCount, stepper->pairs.nearCapacity)) {
      return false;
    }
    stepper->pairs.nearPairs[stepper->pairs.nearCount++] = pair;
  }
  return true;
}

/* Those around the gathered bodies, which may be near each other at the impact. */
bool brinkStepListNearPairs(brinkStepper *stepper) {
  double allowance = 0;
  stepper->quiet.lookedCount = 0;
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    if (!BRINK_STEP_RESERVE(stepper->quiet.looked, stepper->quiet.lookedCount, stepper->quiet.lookedCapacity)) {
      return false;
    }
    stepper->quiet.looked[stepper->quiet.lookedCount++] = record->id;
    allowance = fmax(allowance, isfinite(record->allowance) ? record->allowance : 0);
  }
  return brinkStepListPairsAround(stepper, stepper->now.t, allowance + stepper->quiet.slackMost, true);
}

/* ---- at rest on Brink's contacts */

/* A mesh's act within its allowance, a solid's a hair off. */
double brinkStepContactReach(const brinkStepper *stepper, brinkStepPair pair) {
  return (hasSurface(stepper, pair) ? 1 : BRINK_STEP_HAIR) * brinkStepPairAllowance(stepper, pair);
}

/* Not looked at again after this step: it was quiet, or was woken for nothing. */
static bool staysKnown(const brinkStepper *stepper, uint32_t geom) {
  uint32_t body = stepper->colliders[geom].body;
  const brinkStepBody *record = body != BRINK_NO_RECORD ? &stepper->bodies[body] : NULL;
  return record == NULL || record->quiet || (record->look.woken && !stepper->hotData[body].touched);
}

static void keepHeldApart(brinkStepper *stepper, size_t i, size_t *kept) {
  stepper->pairs.heldApart[*kept] = stepper->pairs.heldApart[i];
  memcpy(stepper->pairs.heldGeoms[(*kept)++], stepper->pairs.heldGeoms[i], sizeof(*stepper->pairs.heldGeoms));
}

/* Brink's contacts keep meshes a hair apart, but an engine's broad phase reports only geoms whose boxes meet: a mesh at
 * rest on a level floor would be reported in no frame, and a box that its solver left 1e-8 m off would fall for a
 * frame. So the pairs that may be this near now are kept for the next step; those of bodies that are not looked at
 * again stay. */
void brinkStepBeginHeldApart(brinkStepper *stepper) {
  size_t kept = 0;
  for (size_t i = 0; i < stepper->pairs.heldCount; ++i) {
    brinkStepPair pair = stepper->pairs.heldApart[i];
    if (staysKnown(stepper, pair.a) && staysKnown(stepper, pair.b)) {
      keepHeldApart(stepper, i, &kept);
    }
  }
  stepper->pairs.heldCount = kept;
}

void brinkStepForgetHeldApart(brinkStepper *stepper, uint32_t body, double moved) {
  size_t kept = 0;
  for (size_t i = 0; i < stepper->pairs.heldCount; ++i) {
    const brinkStepPair pair = stepper->pairs.heldApart[i];
    const bool its = stepper->colliders[pair.a].body == body || stepper->colliders[pair.b].body == body;
    if (!its || moved <= BRINK_STEP_HAIR * brinkStepPairAllowance(stepper, pair)) {
      keepHeldApart(stepper, i, &kept);
    }
  }
  stepper->pairs.heldCount = kept;
}

void brinkStepAddHeldApart(brinkStepper *stepper, brinkStepPair pair) {
  if (!stepper->host->keptApart(stepper->user, pair) ||
      !BRINK_STEP_RESERVE(stepper->pairs.heldApart, stepper->pairs.heldCount, stepper->pairs.heldCapacity) ||
      !BRINK_STEP_RESERVE(stepper->pairs.heldGeoms, stepper->pairs.heldCount, stepper->pairs.heldGeomsCapacity)) {
    return;
  }
  stepper->pairs.heldGeoms[stepper->pairs.heldCount][0] = stepper->colliders[pair.a].geom;
  stepper->pairs.heldGeoms[stepper->pairs.heldCount][1] = stepper->colliders[pair.b].geom;
  stepper->pairs.heldApart[stepper->pairs.heldCount++] = pair;
}
