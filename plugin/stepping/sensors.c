/* SPDX-License-Identifier: BSD-3-Clause */
/* When does what enter and leave a sensor, also when it does both within one step?
 * At the end of a step all that was carried out is asked about once more, part by part between two changes of any
 * motion, for the pairs of sensors alone: the first contact is the entrance. The same motion run backwards has its
 * first contact at the exit. Pairs that are inside at the end are kept for the next step. Nothing here changes a body,
 * and nothing limits the number of pairs.
 *
 * Inside: distance 0, for a mesh on its surface. A pair that leaves and enters again within one part of a step (between
 * two impacts) is told once in, once out. s: time in the part, [0,1]. Units: m, rad. */
#include <math.h>
#include <string.h>

#include "step.h"

/* A pair of a sensor that is inside; seen: asked about in this part of the step. */
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
  stepper->sensing.now = stepper->sensing.insideCount > 0 || stepper->sensorCount > 0;
}

static int wantSensorPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  const brinkStepper *stepper = user;
  uint32_t geomA = (uint32_t)userDataA, geomB = (uint32_t)userDataB;
  return brinkStepIsSensorPair(stepper, geomA, geomB) && brinkStepMayMeet(stepper, geomA, geomB);
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

static bool addEvent(brinkStepper *stepper, const brinkStepInside *of, int kind, double toi, double toiUpper) {
  if (!BRINK_STEP_RESERVE(stepper->sensing.events, stepper->sensing.eventCount, stepper->sensing.eventCapacity)) {
    return false;
  }
  uint32_t number = brinkStepFindCollider(stepper, of->geoms[0], of->pair.a);
  bool first = number != BRINK_NO_RECORD && (stepper->colliders[number].flags & BRINK_STEP_SENSOR);
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

static bool enter(brinkStepper *stepper, brinkStepPair pair, double toi, double toiUpper) {
  if (!BRINK_STEP_RESERVE(stepper->sensing.inside, stepper->sensing.insideCount, stepper->sensing.insideCapacity)) {
    return false;
  }
  brinkStepInside *inside = &stepper->sensing.inside[stepper->sensing.insideCount++];
  *inside = (brinkStepInside){.pair = pair, .seen = true};
  inside->geoms[0] = stepper->colliders[pair.a].geom;
  inside->geoms[1] = stepper->colliders[pair.b].geom;
  return addEvent(stepper, inside, brink_stepEnters, toi, toiUpper);
}

static bool leave(brinkStepper *stepper, brinkStepInside *inside, double toi, double toiUpper) {
  brinkStepInside gone = *inside;
  *inside = stepper->sensing.inside[--stepper->sensing.insideCount];
  return addEvent(stepper, &gone, brink_stepExits, toi, toiUpper);
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

static bool askSensors(brinkStepper *stepper, brinkReport *report) {
  brinkQuery query = {
      .structSize = sizeof(query), .mode = brink_modePairs, .scheme = stepper->settings.scheme, .tEnd = 1};
  *report = (brinkReport){.structSize = sizeof(*report), .counters = {.structSize = sizeof(report->counters)}};
  return stepper->plugin->firstContact(stepper->world, &query, report) == brink_ok;
}

static bool pairOf(const brinkStepper *stepper, const brinkContact *contact, brinkStepPair *out) {
  *out = (brinkStepPair){brinkKeyMap_Get(&stepper->colliderMap, contact->colliderA),
                         brinkKeyMap_Get(&stepper->colliderMap, contact->colliderB)};
  return contact->state != brink_free && out->a != BRINK_NO_RECORD && out->b != BRINK_NO_RECORD;
}

static bool touchesAtStart(const brinkContact *contact) { return contact->state == brink_overlap || contact->toi <= 0; }

/* Entrances. t0, length: of this part, in the step. */
static bool readEntrances(brinkStepper *stepper, const brinkReport *report, double t0, double length) {
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    brinkStepPair pair;
    if (!pairOf(stepper, contact, &pair)) {
      continue;
    }
    brinkStepInside *known = findInside(stepper, pair);
    bool already = touchesAtStart(contact);
    if (known != NULL && !already && !leave(stepper, known, t0, t0)) { /* the program moved it out */
      return false;
    }
    known = already ? known : NULL;
    double toi = t0 + (already ? 0 : contact->toi * length),
           upper = t0 + (already ? 0 : fmin(1, contact->toiUpper) * length);
    if (known != NULL) {
      known->seen = true;
    } else if (!enter(stepper, pair, toi, upper)) {
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
    brinkContact now;
    if (inside->seen) {
      continue;
    }
    if (pair.a == BRINK_NO_RECORD || pair.b == BRINK_NO_RECORD || stepper->colliders[pair.a].collider == 0 ||
        stepper->colliders[pair.b].collider == 0 || !brinkStepIsSensorPair(stepper, pair.a, pair.b)) {
      *inside = stepper->sensing.inside[--stepper->sensing.insideCount]; /* destroyed, or no sensor any more */
      continue;
    }
    inside->pair = pair;
    bool touches = stepper->host->collides(stepper->user, pair) &&
                   stepper->plugin->distance(stepper->world, stepper->colliders[pair.a].collider,
                                             stepper->colliders[pair.b].collider, 0, &now) == brink_ok &&
                   now.distance <= 0;
    if (!touches && !leave(stepper, inside, t0, t0)) {
      return false;
    }
  }
  return true;
}

/* Exits of the pairs that were inside at some time of this part. */
static bool readExits(brinkStepper *stepper, const brinkReport *report, double t1, double length) {
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    brinkStepPair pair;
    brinkStepInside *inside = pairOf(stepper, contact, &pair) ? findInside(stepper, pair) : NULL;
    if (inside == NULL || !inside->seen || touchesAtStart(contact)) {
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
  brinkReport report;
  bool any = false;
  for (size_t i = 0; i < stepper->sensing.insideCount; ++i) {
    stepper->sensing.inside[i].seen = false;
  }
  bool good = sendParts(stepper, t0, t1, false) && askSensors(stepper, &report) &&
              readEntrances(stepper, &report, t0, t1 - t0) && checkUnseen(stepper, t0);
  for (size_t i = 0; i < stepper->sensing.insideCount; ++i) {
    any = any || stepper->sensing.inside[i].seen;
  }
  return good && (!any || (sendParts(stepper, t0, t1, true) && askSensors(stepper, &report) &&
                           readExits(stepper, &report, t1, t1 - t0)));
}

/* At the end of a step: what did its motions, as they were carried out, cross? 0: failed. */
int brinkStepSense(brinkStepper *stepper) {
  if (!stepper->sensing.now) {
    return 1;
  }
  bool good = noteRests(stepper);
  stepper->plugin->setPairFilter(stepper->world, wantSensorPair, stepper);
  stepper->steps->leaveOutResting(stepper->world, 0); /* what was made inside is inside */
  for (double t0 = 0, t1; good && t0 < 1; t0 = t1) {
    t1 = nextEnd(stepper, t0);
    good = sensePart(stepper, t0, t1);
  }
  stepper->sensing.partCount = 0;
  stepper->steps->leaveOutResting(stepper->world, 1);
  return good ? 1 : brinkStepFail(stepper, "sensors: %s", stepper->plugin->lastError(stepper->world));
}
