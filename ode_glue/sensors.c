/* SPDX-License-Identifier: BSD-3-Clause */
/* When does what enter and leave a sensor, also when it does both within one step?
 * Each part of a step that was carried out is asked about once more, for the pairs of sensors alone: the first contact
 * is the entrance. The same motion run backwards has its first contact at the exit. Pairs that are inside at the end
 * are kept for the next step. Nothing here changes a body, and nothing limits the number of pairs.
 *
 * Inside: distance 0, for a mesh on its surface. A pair that leaves and enters again within one part of a step (between
 * two impacts) is told once in, once out. s: time in the part, [0,1]. Units: m, rad. */
#include <math.h>
#include <string.h>

#include "stepper.h"

/* ---- settings */

int dBrinkSetSensor(dBrinkID brink, dGeomID geom, int sensor) {
  if (brink == NULL) {
    return 0;
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "dBrinkSetSensor: called from inside a step's near callback; call it between steps");
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
  brink->everSensed = true;
  dxBrinkForgetLooks(brink);
  brink->error[0] = '\0';
  return 1;
}

bool dxBrinkIsSensorPair(const dxBrink *brink, uint32_t geomA, uint32_t geomB) {
  return brink->geoms[geomA].sensor || brink->geoms[geomB].sensor;
}

/* At the start of a step: is there anything to sense? */
void dxBrinkBeginSensing(dBrinkID brink) {
  brink->sensorEventCount = 0;
  brink->sensing = brink->insideCount > 0;
  for (size_t i = 0; brink->everSensed && !brink->sensing && i < brink->geomCount; ++i) {
    brink->sensing = brink->geoms[i].geom != NULL && brink->geoms[i].sensor;
  }
}

static int wantSensorPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  const dxBrink *brink = user;
  uint32_t geomA = (uint32_t)userDataA, geomB = (uint32_t)userDataB;
  return dxBrinkIsSensorPair(brink, geomA, geomB) && dxBrinkMayMeet(brink, geomA, geomB);
}

/* ---- what is inside */

static dxBrinkInside *findInside(dBrinkID brink, dxBrinkPair pair) {
  dGeomID a = brink->geoms[pair.geomA].geom, b = brink->geoms[pair.geomB].geom;
  for (size_t i = 0; i < brink->insideCount; ++i) {
    dxBrinkInside *inside = &brink->inside[i];
    if ((inside->geoms[0] == a && inside->geoms[1] == b) || (inside->geoms[0] == b && inside->geoms[1] == a)) {
      return inside;
    }
  }
  return NULL;
}

static bool addEvent(dBrinkID brink, dGeomID a, dGeomID b, int kind, double toi, double toiUpper) {
  if (!DX_BRINK_RESERVE(brink->sensorEvents, brink->sensorEventCount, brink->sensorEventCapacity)) {
    return false;
  }
  const dxBrinkGeom *record = dxBrinkFindGeom(brink, a);
  bool first = record != NULL && record->sensor;
  dBrinkSensorEvent event = {
      .sensor = first ? a : b, .other = first ? b : a, .kind = kind, .toi = toi, .toiUpper = toiUpper};
  size_t at = brink->sensorEventCount++;
  for (; at > 0 && brink->sensorEvents[at - 1].toi > toi; --at) { /* in order of time; found nearly so */
    brink->sensorEvents[at] = brink->sensorEvents[at - 1];
  }
  brink->sensorEvents[at] = event;
  return true;
}

static bool enter(dBrinkID brink, dxBrinkPair pair, double toi, double toiUpper) {
  dGeomID a = brink->geoms[pair.geomA].geom, b = brink->geoms[pair.geomB].geom;
  if (!DX_BRINK_RESERVE(brink->inside, brink->insideCount, brink->insideCapacity)) {
    return false;
  }
  brink->inside[brink->insideCount++] = (dxBrinkInside){.geoms = {a, b}, .seen = true};
  return addEvent(brink, a, b, dBrinkSensorEnter, toi, toiUpper);
}

static bool leave(dBrinkID brink, dxBrinkInside *inside, double toi, double toiUpper) {
  dxBrinkInside gone = *inside;
  *inside = brink->inside[--brink->insideCount];
  return addEvent(brink, gone.geoms[0], gone.geoms[1], dBrinkSensorExit, toi, toiUpper);
}

/* ---- one part of a step */

/* What the motion of this part is, before a response changes the record. */
bool dxBrinkNoteMotion(dBrinkID brink, uint32_t number) {
  while (brink->sensing && brink->sensedCount <= number) {
    if (!DX_BRINK_RESERVE(brink->sensed, brink->sensedCount, brink->sensedCapacity)) {
      return false;
    }
    brink->sensed[brink->sensedCount++] = (dxBrinkSensed){.reversed = false};
  }
  if (brink->sensing) {
    memcpy(brink->sensed[number].spin, brink->bodies[number].spin, sizeof(brink->bodies[number].spin));
  }
  return true;
}

bool dxBrinkNoteMotions(dBrinkID brink) {
  bool good = true;
  for (size_t i = brink->bodyCount; brink->sensing && good && i-- > 0;) {
    good = dxBrinkNoteMotion(brink, (uint32_t)i);
  }
  return good;
}

static bool askSensors(dBrinkID brink, double end, brinkReport *report) {
  brinkQuery query = {.structSize = sizeof(query), .mode = brink_modePairs, .scheme = brink->scheme, .tEnd = end};
  *report = (brinkReport){.structSize = sizeof(*report), .counters = {.structSize = sizeof(report->counters)}};
  return brink->shapes.plugin->firstContact(brink->shapes.world, &query, report) == brink_ok;
}

static bool pairOf(const dxBrink *brink, const brinkContact *contact, dxBrinkPair *out) {
  *out = (dxBrinkPair){brinkKeyMap_Get(&brink->colliderMap, contact->colliderA),
                       brinkKeyMap_Get(&brink->colliderMap, contact->colliderB)};
  return contact->state != brink_free && out->geomA != BRINK_NO_RECORD && out->geomB != BRINK_NO_RECORD;
}

static bool touchesAtStart(const brinkContact *contact) { return contact->state == brink_overlap || contact->toi <= 0; }

/* Entrances. t0, length: of this part, in the step. */
static bool readEntrances(dBrinkID brink, const brinkReport *report, double t0, double length) {
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    dxBrinkPair pair;
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
  for (size_t i = brink->insideCount; i-- > 0;) {
    dxBrinkInside *inside = &brink->inside[i];
    const dxBrinkGeom *a = dxBrinkFindGeom(brink, inside->geoms[0]), *b = dxBrinkFindGeom(brink, inside->geoms[1]);
    brinkContact now;
    if (inside->seen) {
      continue;
    }
    if (a == NULL || b == NULL || !a->answered || !b->answered || !(a->sensor || b->sensor)) {
      *inside = brink->inside[--brink->insideCount]; /* destroyed, or no sensor any more: nothing to tell */
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

/* The part [0,end] of the current motions, backwards. */
static bool sendReversed(dBrinkID brink, double end) {
  const brinkPlugin *plugin = brink->shapes.plugin;
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[i];
    dxBrinkSensed *sensed = &brink->sensed[i];
    sensed->reversed = record->body != NULL && !record->quiet && record->moves;
    if (sensed->reversed && (plugin->bodyPose(brink->shapes.world, record->id, 0, &sensed->pose0) != brink_ok ||
                             plugin->bodyPose(brink->shapes.world, record->id, end, &sensed->pose1) != brink_ok)) {
      return false;
    }
  }
  for (size_t i = 0; i < brink->bodyCount;
       ++i) { /* all poses were read: a link's pose depends on its parents' motions */
    const dxBrinkBody *record = &brink->bodies[i];
    const dxBrinkSensed *sensed = &brink->sensed[i];
    if (!sensed->reversed) {
      continue;
    }
    const double *s = sensed->spin;
    brinkBodyMotion motion = {.structSize = sizeof(motion), .pose0 = sensed->pose1, .pose1 = sensed->pose0};
    motion.spin = (brinkVec3){-s[0] * end, -s[1] * end, -s[2] * end};
    motion.kind = record->alone ? brink_motionVelocities : brink_motionPoses;
    motion.flags = record->alone ? BRINK_MOTION_ALONE : BRINK_MOTION_HAS_SPIN;
    if (record->alone) {
      const brinkPose *from = &sensed->pose1, *to = &sensed->pose0;
      const double q1[4] = {from->rotation.w, from->rotation.x, from->rotation.y, from->rotation.z};
      const double q0[4] = {to->rotation.w, to->rotation.x, to->rotation.y, to->rotation.z};
      const double spin[3] = {motion.spin.x, motion.spin.y, motion.spin.z};
      motion.velocity = (brinkVec3){to->position.x - from->position.x, to->position.y - from->position.y,
                                    to->position.z - from->position.z};
      motion.spin = dxBrinkTurnBetween(q1, q0, spin);
    }
    if (plugin->setBodyMotion(brink->shapes.world, record->id, &motion) != brink_ok) {
      return false;
    }
  }
  return true;
}

/* Exits of the pairs that were inside at some time of this part. */
static bool readExits(dBrinkID brink, const brinkReport *report, double t1, double length) {
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    dxBrinkPair pair;
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

/* Tells what [0,end] of the segment, as it was carried out, crosses. 0: failed. */
int dxBrinkSense(dxBrinkRun *run, double end) {
  dBrinkID brink = run->brink;
  if (!brink->sensing) {
    return 1;
  }
  brinkReport report;
  double length = 1 - run->t, t1 = run->t + end * length;
  bool any = false;
  if (brink->sensedCount < brink->bodyCount && !dxBrinkNoteMotions(brink)) {
    return dxBrinkFail(brink, "no memory for sensors");
  }
  for (size_t i = 0; i < brink->insideCount; ++i) {
    brink->inside[i].seen = false;
  }
  brink->shapes.plugin->setPairFilter(brink->shapes.world, wantSensorPair, brink);
  brink->steps->leaveOutResting(brink->shapes.world, 0); /* what was made inside is inside */
  bool good =
      askSensors(brink, end, &report) && readEntrances(brink, &report, run->t, length) && checkUnseen(brink, run->t);
  for (size_t i = 0; i < brink->insideCount; ++i) {
    any = any || brink->inside[i].seen;
  }
  if (good && any) {
    good = sendReversed(brink, end) && askSensors(brink, 1, &report) && readExits(brink, &report, t1, end * length) &&
           dxBrinkSendMotions(run, false);
  }
  brink->steps->leaveOutResting(brink->shapes.world, 1);
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkRecordWantPair, brink);
  return good ? 1 : dxBrinkFail(brink, "sensors: %s", brink->shapes.plugin->lastError(brink->shapes.world));
}
