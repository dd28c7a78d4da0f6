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
#include <stdlib.h>
#include <string.h>

#include "inspect.h"

/* A pair of a sensor that is inside; seen: asked about in this part of the step. */
typedef struct dxBrinkInside {
  dGeomID geoms[2];
  bool seen;
} dxBrinkInside;

/* A part of a step that a body went through without a change. */
typedef struct dxBrinkPart {
  uint32_t body;
  double from, until;        /* of the step */
  brinkStepPose first, last; /* where it was at both */
  brinkVec3 turn;            /* rad, from the one to the other */
} dxBrinkPart;

struct dxBrinkSensing {
  bool ever, now;
  dxBrinkInside *inside; /* kept from step to step */
  size_t insideCount, insideCapacity;
  dxBrinkPart *parts; /* of the current step, that bodies have gone through */
  size_t partCount, partCapacity;
  dBrinkSensorEvent *events;
  size_t eventCount, eventCapacity;
};

bool dxBrinkOpenSensing(dBrinkID brink) {
  brink->sensing = calloc(1, sizeof(*brink->sensing));
  return brink->sensing != NULL;
}

void dxBrinkCloseSensing(dBrinkID brink) {
  if (brink->sensing != NULL) {
    free(brink->sensing->inside);
    free(brink->sensing->parts);
    free(brink->sensing->events);
    free(brink->sensing);
  }
}

bool dxBrinkSenses(const void *user) { return ((const dxBrink *)user)->sensing->now; }

void dxBrinkClearSensing(dBrinkID brink) { brink->sensing->eventCount = 0; }

void dxBrinkReadSensorEvents(const dxBrink *brink, dBrinkStepInfo *info) {
  info->sensorEvents = brink->sensing->events;
  info->sensorEventCount = (int)brink->sensing->eventCount;
}

/* ---- settings */

int dBrinkSetSensor(dBrinkID brink, dGeomID geom, int sensor) {
  if (!dxBrinkMayCall(brink, "dBrinkSetSensor")) {
    return 0;
  }
  if (!dxBrinkRefresh(brink)) {
    return 0;
  }
  dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
  if (record == NULL || !record->answered) {
    return dxBrinkFail(brink, "dBrinkSetSensor: %s",
                       record == NULL ? "the geom is in no watched space; add its space with dBrinkAddSpace first"
                                      : "Brink does not answer this geom (see the log), so it cannot sense");
  }
  record->sensor = sensor != 0;
  dxBrinkTellCollider(brink, record);
  brink->sensing->ever = true;
  brinkStepForgetLooks(&brink->step);
  return dxBrinkSucceed(brink);
}

/* At the start of a step: is there anything to sense? */
void dxBrinkBeginSensing(dBrinkID brink) {
  brink->sensing->eventCount = brink->sensing->partCount = 0;
  brink->sensing->now = brink->sensing->insideCount > 0;
  for (size_t i = 0; brink->sensing->ever && !brink->sensing->now && i < brink->geomCount; ++i) {
    brink->sensing->now = brink->geoms[i].geom != NULL && brink->geoms[i].sensor;
  }
}

static int wantSensorPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  const dxBrink *brink = user;
  uint32_t geomA = (uint32_t)userDataA, geomB = (uint32_t)userDataB;
  return brinkStepIsSensorPair(&brink->step, geomA, geomB) && brinkStepMayMeet(&brink->step, geomA, geomB);
}

/* ---- what is inside */

static dxBrinkInside *findInside(dBrinkID brink, brinkStepPair pair) {
  dGeomID a = brink->geoms[pair.a].geom, b = brink->geoms[pair.b].geom;
  for (size_t i = 0; i < brink->sensing->insideCount; ++i) {
    dxBrinkInside *inside = &brink->sensing->inside[i];
    if ((inside->geoms[0] == a && inside->geoms[1] == b) || (inside->geoms[0] == b && inside->geoms[1] == a)) {
      return inside;
    }
  }
  return NULL;
}

static bool addEvent(dBrinkID brink, dGeomID a, dGeomID b, int kind, double toi, double toiUpper) {
  if (!BRINK_STEP_RESERVE(brink->sensing->events, brink->sensing->eventCount, brink->sensing->eventCapacity)) {
    return false;
  }
  const dxBrinkGeom *record = dxBrinkFindGeom(brink, a);
  bool first = record != NULL && record->sensor;
  dBrinkSensorEvent event = {
      .sensor = first ? a : b, .other = first ? b : a, .kind = kind, .toi = toi, .toiUpper = toiUpper};
  size_t at = brink->sensing->eventCount++;
  for (; at > 0 && brink->sensing->events[at - 1].toi > toi; --at) { /* in order of time; found nearly so */
    brink->sensing->events[at] = brink->sensing->events[at - 1];
  }
  brink->sensing->events[at] = event;
  return true;
}

static bool enter(dBrinkID brink, brinkStepPair pair, double toi, double toiUpper) {
  dGeomID a = brink->geoms[pair.a].geom, b = brink->geoms[pair.b].geom;
  if (!BRINK_STEP_RESERVE(brink->sensing->inside, brink->sensing->insideCount, brink->sensing->insideCapacity)) {
    return false;
  }
  brink->sensing->inside[brink->sensing->insideCount++] = (dxBrinkInside){.geoms = {a, b}, .seen = true};
  return addEvent(brink, a, b, dBrinkSensorEnter, toi, toiUpper);
}

static bool leave(dBrinkID brink, dxBrinkInside *inside, double toi, double toiUpper) {
  dxBrinkInside gone = *inside;
  *inside = brink->sensing->inside[--brink->sensing->insideCount];
  return addEvent(brink, gone.geoms[0], gone.geoms[1], dBrinkSensorExit, toi, toiUpper);
}

/* ---- one part of a step */

/* What a body went through until tau, before its motion changes: record->next is its state there. */
bool dxBrinkNoteMotion(void *user, uint32_t number, double tau) {
  dBrinkID brink = user;
  const brinkStepBody *record = &brink->step.bodies[number];
  if (!brink->sensing->now || !(tau > record->from)) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(brink->sensing->parts, brink->sensing->partCount, brink->sensing->partCapacity)) {
    return false;
  }
  dxBrinkPart *part = &brink->sensing->parts[brink->sensing->partCount++];
  const brinkStepState *last = record->moves ? &record->next : &record->start;
  *part = (dxBrinkPart){.body = number, .from = record->from, .until = tau};
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
static bool noteRests(dBrinkID brink) {
  bool good = true;
  for (size_t i = 0; good && i < brink->step.quiet.awakeCount; ++i) {
    brinkStepBody *record = &brink->step.bodies[brink->step.quiet.awake[i]];
    if (record->body != NULL) {
      record->next = record->end;
      good = dxBrinkNoteMotion(brink, brink->step.quiet.awake[i], 1);
    }
  }
  return good;
}

/* Sends a body's motion between two times of one of its parts; backwards: from the later one to the earlier one. */
static bool sendPart(dBrinkID brink, const dxBrinkPart *part, double t0, double t1, bool backwards) {
  double s0 = (t0 - part->from) / (part->until - part->from), s1 = (t1 - part->from) / (part->until - part->from);
  brinkBodyMotion motion = {.structSize = sizeof(motion)};
  brinkStepMotionPart(&part->first, part->last.position, &part->turn, backwards ? s1 : s0, backwards ? s0 : s1,
                      &motion);
  return brink->shapes.plugin->setBodyMotion(brink->shapes.world, brink->step.bodies[part->body].id, &motion) ==
         brink_ok;
}

static bool sendParts(dBrinkID brink, double t0, double t1, bool backwards) {
  bool good = true;
  for (size_t i = 0; good && i < brink->sensing->partCount; ++i) {
    const dxBrinkPart *part = &brink->sensing->parts[i];
    good = !(part->from <= t0 && part->until >= t1) || sendPart(brink, part, t0, t1, backwards);
  }
  return good;
}

/* The first time after `t` at which some body's part ends. */
static double nextEnd(const dxBrink *brink, double t) {
  double next = 1;
  for (size_t i = 0; i < brink->sensing->partCount; ++i) {
    double until = brink->sensing->parts[i].until;
    next = until > t && until < next ? until : next;
  }
  return next;
}

static bool askSensors(dBrinkID brink, brinkReport *report) {
  brinkQuery query = {
      .structSize = sizeof(query), .mode = brink_modePairs, .scheme = brink->step.settings.scheme, .tEnd = 1};
  *report = (brinkReport){.structSize = sizeof(*report), .counters = {.structSize = sizeof(report->counters)}};
  return brink->shapes.plugin->firstContact(brink->shapes.world, &query, report) == brink_ok;
}

static bool pairOf(const dxBrink *brink, const brinkContact *contact, brinkStepPair *out) {
  *out = (brinkStepPair){brinkKeyMap_Get(&brink->step.colliderMap, contact->colliderA),
                         brinkKeyMap_Get(&brink->step.colliderMap, contact->colliderB)};
  return contact->state != brink_free && out->a != BRINK_NO_RECORD && out->b != BRINK_NO_RECORD;
}

static bool touchesAtStart(const brinkContact *contact) { return contact->state == brink_overlap || contact->toi <= 0; }

/* Entrances. t0, length: of this part, in the step. */
static bool readEntrances(dBrinkID brink, const brinkReport *report, double t0, double length) {
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    brinkStepPair pair;
    if (!pairOf(brink, contact, &pair)) {
      continue;
    }
    dxBrinkInside *known = findInside(brink, pair);
    bool already = touchesAtStart(contact);
    if (known != NULL && !already && !leave(brink, known, t0, t0)) { /* the program moved it out */
      return false;
    }
    known = already ? known : NULL;
    double toi = t0 + (already ? 0 : contact->toi * length),
           upper = t0 + (already ? 0 : fmin(1, contact->toiUpper) * length);
    if (known != NULL) {
      known->seen = true;
    } else if (!enter(brink, pair, toi, upper)) {
      return false;
    }
  }
  return true;
}

/* Pairs that were inside and are not reported: left by the program's doing, or gone. */
static bool checkUnseen(dBrinkID brink, double t0) {
  for (size_t i = brink->sensing->insideCount; i-- > 0;) {
    dxBrinkInside *inside = &brink->sensing->inside[i];
    const dxBrinkGeom *a = dxBrinkFindGeom(brink, inside->geoms[0]), *b = dxBrinkFindGeom(brink, inside->geoms[1]);
    brinkContact now;
    if (inside->seen) {
      continue;
    }
    if (a == NULL || b == NULL || !a->answered || !b->answered || !(a->sensor || b->sensor)) {
      *inside =
          brink->sensing->inside[--brink->sensing->insideCount]; /* destroyed, or no sensor any more: nothing to tell */
      continue;
    }
    bool touches = dxBrinkBitsMeet(a->geom, b->geom) &&
                   brink->shapes.plugin->distance(brink->shapes.world, a->collider, b->collider, 0, &now) == brink_ok &&
                   now.distance <= 0;
    if (!touches && !leave(brink, inside, t0, t0)) {
      return false;
    }
  }
  return true;
}

/* Exits of the pairs that were inside at some time of this part. */
static bool readExits(dBrinkID brink, const brinkReport *report, double t1, double length) {
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    brinkStepPair pair;
    dxBrinkInside *inside = pairOf(brink, contact, &pair) ? findInside(brink, pair) : NULL;
    if (inside == NULL || !inside->seen || touchesAtStart(contact)) {
      continue;
    }
    double earliest = t1 - fmin(1, contact->toiUpper) * length, latest = t1 - contact->toi * length;
    if (!leave(brink, inside, fmax(0, earliest), latest)) {
      return false;
    }
  }
  return true;
}

static bool sensePart(dBrinkID brink, double t0, double t1) {
  brinkReport report;
  bool any = false;
  for (size_t i = 0; i < brink->sensing->insideCount; ++i) {
    brink->sensing->inside[i].seen = false;
  }
  bool good = sendParts(brink, t0, t1, false) && askSensors(brink, &report) &&
              readEntrances(brink, &report, t0, t1 - t0) && checkUnseen(brink, t0);
  for (size_t i = 0; i < brink->sensing->insideCount; ++i) {
    any = any || brink->sensing->inside[i].seen;
  }
  return good && (!any || (sendParts(brink, t0, t1, true) && askSensors(brink, &report) &&
                           readExits(brink, &report, t1, t1 - t0)));
}

/* At the end of a step: what did its motions, as they were carried out, cross? 0: failed. */
int dxBrinkSense(void *user) {
  dBrinkID brink = user;
  if (!brink->sensing->now) {
    return 1;
  }
  bool good = noteRests(brink);
  brink->shapes.plugin->setPairFilter(brink->shapes.world, wantSensorPair, brink);
  brink->step.steps->leaveOutResting(brink->shapes.world, 0); /* what was made inside is inside */
  for (double t0 = 0, t1; good && t0 < 1; t0 = t1) {
    t1 = nextEnd(brink, t0);
    good = sensePart(brink, t0, t1);
  }
  brink->sensing->partCount = 0;
  brink->step.steps->leaveOutResting(brink->shapes.world, 1);
  return good ? 1 : dxBrinkFail(brink, "sensors: %s", brink->shapes.plugin->lastError(brink->shapes.world));
}
