/* SPDX-License-Identifier: BSD-3-Clause */
/* When does what enter and leave a sensor or touch a ray, also when it comes and goes within one step?
 * At the end of a step all that was carried out is asked about once more, part by part between two changes of any
 * motion, for the pairs of sensors alone: the first contact is the entrance. The same motion run backwards has its
 * first contact at the exit. Pairs that are inside at the end are kept for the next step. Nothing here changes a body,
 * and nothing limits the number of pairs.
 *
 * Inside: distance 0, for a mesh on its surface. A pair that leaves and enters again within one part of a step (between
 * two impacts) is told once in, once out. Of a ray the entrance alone is told, as a reported impact, and not what it
 * stands in when a step begins without having come there: it was put there. What is free to a step's end is off it by
 * the aim of the proof, a quarter of the tolerance, and starts the next one there: so a touch at the very end of a step
 * is told in this step or in the next one, and as the pair is kept, not in both.
 *
 * s: time in the part, [0,1]. Units: m, rad. */
#include <math.h>
#include <string.h>

#include "step.h"

/* A pair of a sensor or ray that is inside; seen: asked about in this part of the step. */
typedef struct brinkStepInside {
  brinkStepPair pair;
  void *geoms[2]; /* whose records they were */
  bool seen;
} brinkStepInside;

/* A part of a step that a body went through without a change. */
typedef struct brinkStepPart {
  uint32_t body;
  double from, until;        /* of the step */
  brinkStepPose first, last; /* where it was at both */
  brinkVec3 turn;            /* rad, from the one to the other */
} brinkStepPart;

/* At the start of a step: is there anything to sense? */
void brinkStepBeginSensing(brinkStepper *stepper) {
  stepper->sensing.partCount = 0;
  stepper->sensing.now = stepper->sensing.insideCount > 0 || stepper->sensorCount > 0 || stepper->rayCount > 0;
}

static int wantSensorPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  const brinkStepper *stepper = user;
  uint32_t geomA = (uint32_t)userDataA, geomB = (uint32_t)userDataB;
  return brinkStepIsSensed(stepper, geomA, geomB) && brinkStepMayMeet(stepper, geomA, geomB) &&
         (brinkStepIsSensorPair(stepper, geomA, geomB) ||
          stepper->host->answers(stepper->user, (brinkStepPair){geomA, geomB}) != brink_stepLeaves);
}

/* ---- what is inside */

static brinkStepInside *findInside(brinkStepper *stepper, brinkStepPair pair) {
  const void *a = stepper->colliders[pair.a].geom, *b = stepper->colliders[pair.b].geom;
  for (size_t i = 0; i < stepper->sensing.insideCount; ++i) {
    brinkStepInside *inside = &stepper->sensing.inside[i];
    if ((inside->geoms[0] == a && inside->geoms[1] == b) || (inside->geoms[0] == b && inside->geoms[1] == a)) {
      return inside;
    }
  }
  return NULL;
}

static bool isSensor(const brinkStepper *stepper, uint32_t number) {
  return number != BRINK_NO_RECORD && (stepper->colliders[number].flags & BRINK_STEP_SENSOR);
}

/* Of a ray's pair there is none. */
static bool addEvent(brinkStepper *stepper, const brinkStepInside *of, int kind, double toi, double toiUpper) {
  const bool first = isSensor(stepper, brinkStepFindCollider(stepper, of->geoms[0], of->pair.a));
  if (!first && !isSensor(stepper, brinkStepFindCollider(stepper, of->geoms[1], of->pair.b))) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(stepper->sensing.events, stepper->sensing.eventCount, stepper->sensing.eventCapacity)) {
    return false;
  }
  brinkStepSensorEvent event = {.sensor = of->geoms[!first], .other = of->geoms[first]};
  event.kind = kind;
  event.toi = toi;
  event.toiUpper = toiUpper;
  size_t at = stepper->sensing.eventCount++;
  for (; at > 0 && stepper->sensing.events[at - 1].toi > toi; --at) { /* in order of time; found nearly so */
    stepper->sensing.events[at] = stepper->sensing.events[at - 1];
  }
  stepper->sensing.events[at] = event;
  return true;
}

static bool touchesAtStart(const brinkContact *contact) { return contact->state == brink_overlap || contact->toi <= 0; }

/* t0, length: of this part, in the step. */
static bool enter(brinkStepper *stepper, const brinkStepImpact *found, double t0, double length) {
  if (!BRINK_STEP_RESERVE(stepper->sensing.inside, stepper->sensing.insideCount, stepper->sensing.insideCapacity)) {
    return false;
  }
  const brinkStepPair pair = found->pair;
  const bool already = touchesAtStart(&found->contact);
  brinkStepInside *inside = &stepper->sensing.inside[stepper->sensing.insideCount++];
  *inside = (brinkStepInside){.pair = pair, .seen = true};
  inside->geoms[0] = stepper->colliders[pair.a].geom;
  inside->geoms[1] = stepper->colliders[pair.b].geom;
  brinkStepImpact told = *found;
  told.contact.toi = t0 + (already ? 0 : found->contact.toi * length);
  told.contact.toiUpper = t0 + (already ? 0 : fmin(1, found->contact.toiUpper) * length);
  if (brinkStepIsSensorPair(stepper, pair.a, pair.b)) {
    return addEvent(stepper, inside, brink_stepEnters, told.contact.toi, told.contact.toiUpper);
  }
  if (found->contact.state == brink_overlap && !(t0 > 0)) {
    return true;
  }
  stepper->report.firstToi = fmin(stepper->report.firstToi, told.contact.toi);
  return stepper->told->impact(stepper->user, &told, brink_stepReported);
}

static bool leave(brinkStepper *stepper, brinkStepInside *inside, double toi, double toiUpper) {
  brinkStepInside gone = *inside;
  *inside = stepper->sensing.inside[--stepper->sensing.insideCount];
  return addEvent(stepper, &gone, brink_stepExits, toi, toiUpper);
}

/* A body that lies at a ray would come and go with its rounding: it has parted when it is off by more than an answer's
 * tolerance can be. */
double brinkStepPartedBeyond(const brinkStepper *stepper, brinkStepPair pair) {
  return brinkStepIsSensorPair(stepper, pair.a, pair.b) ? 0 : BRINK_STEP_MANY * brinkStepPairAllowance(stepper, pair);
}

/* Is it apart at the start of the motions that were sent? */
static bool hasParted(const brinkStepper *stepper, brinkStepPair pair) {
  brinkContact now;
  return stepper->plugin->distance(stepper->world, stepper->colliders[pair.a].collider,
                                   stepper->colliders[pair.b].collider, 0, &now) != brink_ok ||
         now.distance > brinkStepPartedBeyond(stepper, pair);
}

/* ---- one part of a step */

/* What a body went through until tau, before its motion changes: record->next is its state there. */
bool brinkStepNoteMotion(brinkStepper *stepper, uint32_t number, double tau) {
  const brinkStepBody *record = &stepper->bodies[number];
  if (!stepper->sensing.now || !(tau > record->from)) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(stepper->sensing.parts, stepper->sensing.partCount, stepper->sensing.partCapacity)) {
    return false;
  }
  brinkStepPart *part = &stepper->sensing.parts[stepper->sensing.partCount++];
  const brinkStepState *last = record->moves ? &record->next : &record->start;
  *part = (brinkStepPart){.body = number, .from = record->from, .until = tau};
  memcpy(part->first.position, record->start.position, sizeof(part->first.position));
  memcpy(part->first.quaternion, record->start.quaternion, sizeof(part->first.quaternion));
  memcpy(part->last.position, last->position, sizeof(part->last.position));
  memcpy(part->last.quaternion, last->quaternion, sizeof(part->last.quaternion));
  double length = record->from < 1 ? (tau - record->from) / (1 - record->from) : 0, spin[3];
  for (int i = 0; i < 3; ++i) {
    spin[i] = length * record->spin[i];
  }
  part->turn = brinkStepTurnBetween(part->first.quaternion, part->last.quaternion, spin);
  return true;
}

/* What is left of the step, of every body. */
static bool noteRests(brinkStepper *stepper) {
  bool good = true;
  for (size_t i = 0; good && i < stepper->quiet.awakeCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->quiet.awake[i]];
    if (record->body != NULL) {
      record->next = record->end;
      good = brinkStepNoteMotion(stepper, stepper->quiet.awake[i], 1);
    }
  }
  return good;
}

/* Sends a body's motion between two times of one of its parts; backwards: from the later one to the earlier one. */
static bool sendPart(brinkStepper *stepper, const brinkStepPart *part, double t0, double t1, bool backwards) {
  double s0 = (t0 - part->from) / (part->until - part->from), s1 = (t1 - part->from) / (part->until - part->from);
  brinkBodyMotion motion = {.structSize = sizeof(motion)};
  brinkStepMotionPart(&part->first, part->last.position, &part->turn, backwards ? s1 : s0, backwards ? s0 : s1,
                      &motion);
  return stepper->plugin->setBodyMotion(stepper->world, stepper->bodies[part->body].id, &motion) == brink_ok;
}

static bool sendParts(brinkStepper *stepper, double t0, double t1, bool backwards) {
  bool good = true;
  for (size_t i = 0; good && i < stepper->sensing.partCount; ++i) {
    const brinkStepPart *part = &stepper->sensing.parts[i];
    good = !(part->from <= t0 && part->until >= t1) || sendPart(stepper, part, t0, t1, backwards);
  }
  return good;
}

/* The first time after `t` at which some body's part ends. */
static double nextEnd(const brinkStepper *stepper, double t) {
  double next = 1;
  for (size_t i = 0; i < stepper->sensing.partCount; ++i) {
    double until = stepper->sensing.parts[i].until;
    next = until > t && until < next ? until : next;
  }
  return next;
}

/* stepper->pairs.impacts: all pairs that touch, under the motions that were sent. */
static bool askSensors(brinkStepper *stepper) {
  brinkQuery query = {
      .structSize = sizeof(query), .mode = brink_modePairs, .scheme = stepper->settings.scheme, .tEnd = 1};
  brinkReport report = {.structSize = sizeof(report), .counters = {.structSize = sizeof(report.counters)}};
  bool good = stepper->plugin->firstContact(stepper->world, &query, &report) == brink_ok;
  stepper->pairs.impactCount = 0;
  for (size_t i = 0; good && i < report.contactCount; ++i) {
    const brinkContact *contact = &report.contacts[i];
    const brinkStepPair pair = {brinkKeyMap_Get(&stepper->colliderMap, contact->colliderA),
                                brinkKeyMap_Get(&stepper->colliderMap, contact->colliderB)};
    if (contact->state != brink_free && pair.a != BRINK_NO_RECORD && pair.b != BRINK_NO_RECORD) {
      good = BRINK_STEP_RESERVE(stepper->pairs.impacts, stepper->pairs.impactCount, stepper->pairs.impactCapacity);
      if (good) {
        brinkStepImpact *found = &stepper->pairs.impacts[stepper->pairs.impactCount++];
        *found = (brinkStepImpact){.pair = pair, .contact = *contact, .wanted = true};
        memcpy(found->normal, &contact->normal, sizeof(found->normal));
      }
    }
  }
  return good;
}

/* Entrances. */
static bool readEntrances(brinkStepper *stepper, double t0, double length) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkStepImpact *found = &stepper->pairs.impacts[i];
    brinkStepInside *known = findInside(stepper, found->pair);
    if (known != NULL && !touchesAtStart(&found->contact) && hasParted(stepper, found->pair)) {
      if (!leave(stepper, known, t0, t0)) { /* the program moved it out */
        return false;
      }
      known = NULL;
    }
    if (known != NULL) {
      known->seen = true;
    } else if (!enter(stepper, found, t0, length)) {
      return false;
    }
  }
  return true;
}

/* Pairs that were inside and are not reported: left by the program's doing, or gone. */
static bool checkUnseen(brinkStepper *stepper, double t0) {
  for (size_t i = stepper->sensing.insideCount; i-- > 0;) {
    brinkStepInside *inside = &stepper->sensing.inside[i];
    const brinkStepPair pair = {brinkStepFindCollider(stepper, inside->geoms[0], inside->pair.a),
                                brinkStepFindCollider(stepper, inside->geoms[1], inside->pair.b)};
    if (inside->seen) {
      continue;
    }
    if (pair.a == BRINK_NO_RECORD || pair.b == BRINK_NO_RECORD || stepper->colliders[pair.a].collider == 0 ||
        stepper->colliders[pair.b].collider == 0 || !brinkStepIsSensed(stepper, pair.a, pair.b)) {
      *inside = stepper->sensing.inside[--stepper->sensing.insideCount]; /* destroyed, or told no more */
      continue;
    }
    inside->pair = pair;
    bool touches = stepper->host->collides(stepper->user, pair) && !hasParted(stepper, pair);
    if (!touches && !leave(stepper, inside, t0, t0)) {
      return false;
    }
  }
  return true;
}

/* Exits of the pairs that were inside at some time of this part. */
static bool readExits(brinkStepper *stepper, double t1, double length) {
  for (size_t i = 0; i < stepper->pairs.impactCount; ++i) {
    const brinkContact *contact = &stepper->pairs.impacts[i].contact;
    brinkStepInside *inside = findInside(stepper, stepper->pairs.impacts[i].pair);
    if (inside == NULL || !inside->seen || touchesAtStart(contact) ||
        !hasParted(stepper, stepper->pairs.impacts[i].pair)) {
      continue;
    }
    double earliest = t1 - fmin(1, contact->toiUpper) * length, latest = t1 - contact->toi * length;
    if (!leave(stepper, inside, fmax(0, earliest), latest)) {
      return false;
    }
  }
  return true;
}

static bool sensePart(brinkStepper *stepper, double t0, double t1) {
  bool any = false;
  for (size_t i = 0; i < stepper->sensing.insideCount; ++i) {
    stepper->sensing.inside[i].seen = false;
  }
  bool good = sendParts(stepper, t0, t1, false) && askSensors(stepper) && readEntrances(stepper, t0, t1 - t0) &&
              checkUnseen(stepper, t0);
  for (size_t i = 0; i < stepper->sensing.insideCount; ++i) {
    any = any || stepper->sensing.inside[i].seen;
  }
  return good && (!any || (sendParts(stepper, t0, t1, true) && askSensors(stepper) && readExits(stepper, t1, t1 - t0)));
}

/* At the end of a step: what did its motions, as they were carried out, cross? 0: failed. */
int brinkStepSense(brinkStepper *stepper) {
  if (!stepper->sensing.now || (stepper->sensorCount == 0 && stepper->quiet.awakeCount == 0)) {
    return 1; /* what rests touches no ray */
  }
  bool good = noteRests(stepper);
  stepper->plugin->setPairFilter(stepper->world, wantSensorPair, stepper);
  stepper->steps->leaveOutResting(stepper->world, stepper->sensorCount == 0); /* what was made inside is inside */
  for (double t0 = 0, t1; good && t0 < 1; t0 = t1) {
    t1 = nextEnd(stepper, t0);
    good = sensePart(stepper, t0, t1);
  }
  stepper->sensing.partCount = stepper->pairs.impactCount = 0;
  stepper->steps->leaveOutResting(stepper->world, 1);
  return good ? 1 : brinkStepFail(stepper, "sensors: %s", stepper->plugin->lastError(stepper->world));
}
