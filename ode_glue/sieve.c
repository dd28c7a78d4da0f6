/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bodies need no question in this step?
 *
 * A body that was looked at has a slack: every point of it may go so far from where it was then before any of its pairs
 * could come to an event, as brinkWatch of brink/ccd.h defines events. Two bodies share what their pair allows: with s
 * the separation when last looked at, a the pair's allowance, L = s + a for convex shapes that are not deeper than a
 * (the absolute limit of depth), L = s - a/4 for pairs with a mesh, which stay that far apart, L = a/16 for pairs that
 * lie deeper, a/4 for meshes that cross (pairs with a mesh that may sink count as convex ones, with the s and a of
 * brink/steps.h; in every step while the core is nearer than a/4); and slackA + slackB <= L, or slackA <= L beside what
 * stands still. Within the slack, and in a step that moves no point by more than a/8 (a/32 for a pair that lies
 * deeper), none of the body's pairs comes to an event (or a mesh nearer than a/4): it is quiet, and ODE's result stays.
 * The others are awake; they are asked about, and whatever quiet body they may reach is woken for this step. A thin
 * partner has a small a, so nothing thin is passed over.
 *
 * A quiet body stands in the plugin's world where it was last looked at. The slack of a body with a changed geom, bits,
 * joint or kind is void, as is that of all bodies near a changed geom without body.
 *
 * Units: m, rad; t: part of the step, [0,1]. */
#include <math.h>
#include <string.h>

#include "stepper.h"

#define CALM_STEP 0.125    /* of the allowance: a point of a body that is looked at moves less in a step */
#define DEEP_PART 0.0625   /* of the allowance: how far a pair beyond the limit may go between two looks */
#define CROSSING_PART 0.25 /* the same for meshes that cross: the question leaves them to ODE, too */
#define DUE 0.6            /* of the slack */
#define TURN_SLOW 0.25     /* rad in a step, by the velocity after damping: no whole turn was made unseen */
#define MOST_DAMPING 0.9   /* 0.25 / (1 - 0.9) < pi */
#define EDGE 0.0625        /* of the allowance: brink/ccd.h's bands are shifted by a few tolerances of at most a/64 */
#define MANY_CHANGES 16    /* more changed geoms without body in a step: all bodies are looked at again */
#define CHORD_TO_TURN 2.05 /* 4 asin(c/2) <= 2.05 c for c <= 1/2 */

/* ---- how far did it go? */

static double distanceOf(const dReal *a, const dReal *b) {
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return sqrt(x * x + y * y + z * z);
}

/* Upper bound of the angle between two orientations, rad; infinity beyond a radian. */
static double turnOf(const dReal *a, const dReal *b) {
  double minus = 0, plus = 0;
  for (int i = 0; i < 4; ++i) {
    minus += (a[i] - b[i]) * (a[i] - b[i]);
    plus += (a[i] + b[i]) * (a[i] + b[i]);
  }
  double square = minus < plus ? minus : plus; /* of the chord 2 sin(turn/4) */
  return square <= 0.25 ? CHORD_TO_TURN * sqrt(square) : HUGE_VAL;
}

static double squareOf(const dReal *a, const dReal *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

/* Bodies at rest are far inside: (a + b)^2 <= 2 (a^2 + b^2) without any root. */
static bool staysFarInside(const dxBrinkBody *record, const dReal *p, const dReal *q) {
  double turn = CHORD_TO_TURN * CHORD_TO_TURN * record->turnReach * record->turnReach;
  double step = 2 * (squareOf(p, record->start.position, 3) + turn * squareOf(q, record->start.quaternion, 4));
  double way = 2 * (squareOf(p, record->lookPosition, 3) + turn * squareOf(q, record->lookQuaternion, 4));
  return 2 * (step + way) <= record->slack * record->slack && step <= record->stepLimit * record->stepLimit;
}

/* A turn of more than half a circle shows in the velocity that damping has left (isCalm knows the damping). */
static bool turnsSlowly(const dReal *w, double h) {
  return (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * h * h <= TURN_SLOW * TURN_SLOW;
}

/* *due: it is still inside, but has used up so much that it is to be looked at again. */
static bool staysInSlack(const dxBrinkBody *record, double h, bool *due) {
  *due = false;
  if (!record->known || (record->turnReach > 0 && !turnsSlowly(dBodyGetAngularVel(record->body), h))) {
    return false;
  }
  const dReal *p = dBodyGetPosition(record->body), *q = dBodyGetQuaternion(record->body);
  if (staysFarInside(record, p, q)) {
    return true;
  }
  double step = distanceOf(p, record->start.position), way = distanceOf(p, record->lookPosition);
  if (record->turnReach > 0) {
    step += turnOf(q, record->start.quaternion) * record->turnReach;
    way += turnOf(q, record->lookQuaternion) * record->turnReach;
  }
  *due = way > DUE * record->slack;
  return way + step <= record->slack && step <= record->stepLimit;
}

/* ---- the start of a step */

/* Bodies of one chain are asked about together. */
static void wakeChains(dBrinkID brink) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->bodies[i].turnsFar = false; /* used here for "one of the chain is awake" */
  }
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    brink->bodies[brink->bodies[brink->awake[i]].chain].turnsFar = true;
  }
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->body != NULL && record->quiet && brink->bodies[record->chain].turnsFar) {
      record->quiet = false;
      brink->awake[brink->awakeCount++] = i;
    }
  }
}

/* ODE's bodies lie apart in memory; each is asked for a few bodies ahead of its turn. */
void dxBrinkFetchBody(const dxBrink *brink, size_t index) {
#if defined(__GNUC__)
  if (index + DX_BRINK_FETCH_AHEAD < brink->bodyCount) {
    const char *later = (const char *)&brink->bodies[index + DX_BRINK_FETCH_AHEAD];
    for (int line = 0; line < 5; ++line) { /* what is read of a quiet body */
      __builtin_prefetch(later + 64 * line);
    }
  }
  if (index < brink->bodyCount && brink->bodies[index].body != NULL) {
    __builtin_prefetch(dBodyGetPosition(brink->bodies[index].body));
    __builtin_prefetch(dBodyGetQuaternion(brink->bodies[index].body));
    __builtin_prefetch(dBodyGetTorque(brink->bodies[index].body));
  }
#else
  (void)brink;
  (void)index;
#endif
}

void dxBrinkFetchFlags(const dxBrink *brink, size_t index) {
#if defined(__GNUC__)
  if (index + DX_BRINK_FETCH_AHEAD < brink->bodyCount) {
    __builtin_prefetch(&brink->bodies[index + DX_BRINK_FETCH_AHEAD]);
    if (brink->bodies[index].body != NULL) {
      __builtin_prefetch(brink->bodies[index].body);
    }
  }
#else
  (void)brink;
  (void)index;
#endif
}

void dxBrinkSift(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  bool sieve =
      brink->segmentCallback == NULL && brink->recorder == NULL; /* whoever judges the answers sees every body */
  brink->awakeCount = brink->dueCount = 0;
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    dxBrinkFetchBody(brink, i + DX_BRINK_FETCH_AHEAD);
    if (record->body == NULL) {
      continue;
    }
    bool due, quiet = sieve && staysInSlack(record, run->h, &due);
    if (!quiet || !record->quiet) {
      record->quiet = quiet;
      record->moves = record->moved = record->posed = record->frozen = false;
      record->touched = record->woken = record->searched = false;
      record->substeps = record->cuts = 0;
      record->lastImpact = -1;
    }
    if (!quiet) {
      brink->awake[brink->awakeCount++] = i;
    } else if (due) {
      brink->due[brink->dueCount++] = i;
    }
  }
  brink->staticChanges = 0;
  dxBrinkCalmDown(run);
  if (brink->awakeCount > 0 && brink->jointCount > 0) {
    wakeChains(brink);
  }
}

/* ---- waking */

/* The state at a part of a quiet body's step, as ODE went through it. */
static void stateOnTheWay(const dxBrinkBody *record, double t, dxBrinkState *out) {
  brinkVec3 turn = dxBrinkTurnBetween(record->start.quaternion, record->end.quaternion, record->spin);
  double angle = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  dQuaternion part, q;
  for (int i = 0; i < 3; ++i) {
    out->position[i] = record->start.position[i] + t * (record->end.position[i] - record->start.position[i]);
  }
  dQFromAxisAndAngle(part, turn.x, turn.y, turn.z, t * angle);
  dQMultiply0(q, part, record->start.quaternion);
  dNormalize4(q);
  memcpy(out->quaternion, q, sizeof(out->quaternion));
  dRfromQ(out->rotation, q);
}

int dxBrinkWake(dxBrinkRun *run, uint32_t number, double tau) {
  dxBrinkBody *record = &run->brink->bodies[number];
  if (!record->quiet) {
    return 1;
  }
  record->quiet = false;
  run->brink->awake[run->brink->awakeCount++] = number;
  record->woken = record->moved = true; /* moved: its motion in the plugin's world is out of date */
  dxBrinkReadState(record->body, &record->end);
  dxBrinkReadSpin(record->body, &record->end, run->h, dBodyGetFiniteRotationMode(record->body) != 0, record->spin);
  dRfromQ(record->start.rotation, record->start.quaternion);
  record->next = record->start;
  stateOnTheWay(record, tau, &record->next);
  if (run->t > 0) {
    dxBrinkState there = record->start;
    stateOnTheWay(record, run->t, &there);
    record->start = there;
    for (int axis = 0; axis < 3; ++axis) {
      record->spin[axis] *= 1 - run->t;
    }
  }
  record->moves = !dxBrinkSamePose(&record->start, &record->end);
  record->alone = true;
  return dxBrinkNoteMotion(run->brink, number) && dxBrinkSendMotion(run->brink, number);
}

static bool listBody(dBrinkID brink, uint32_t number) {
  if (!DX_BRINK_RESERVE(brink->looked, brink->lookedCount, brink->lookedCapacity)) {
    return false;
  }
  brink->looked[brink->lookedCount++] = brink->bodies[number].id;
  return true;
}

/* brink->nearPairs: pairs around the listed bodies. */
static bool listPairsAround(dBrinkID brink, double margin) {
  const brinkColliderPair *pairs = NULL;
  size_t count = 0;
  brink->nearCount = 0;
  if (brink->lookedCount > 0 && brink->steps->pairsOf(brink->shapes.world, brink->looked, brink->lookedCount, 0, 1,
                                                      margin, &pairs, &count) != brink_ok) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, pairs[i].a),
                        brinkKeyMap_Get(&brink->colliderMap, pairs[i].b)};
    if (pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->nearPairs, brink->nearCount, brink->nearCapacity)) {
      return false;
    }
    brink->nearPairs[brink->nearCount++] = pair;
  }
  return true;
}

int dxBrinkWakeNear(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  double reach = 0;
  brink->lookedCount = 0;
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    if (!record->moves || record->searched) {
      continue;
    }
    record->searched = true;
    reach = fmax(reach, isfinite(record->allowance) ? record->allowance : 0);
    if (!listBody(brink, brink->awake[i])) {
      return dxBrinkFail(brink, "no memory for the bodies of an impact");
    }
  }
  if (!listPairsAround(brink, brink->slackMost + reach)) {
    return dxBrinkFail(brink, "near pairs: %s", brink->shapes.plugin->lastError(brink->shapes.world));
  }
  for (size_t i = 0; i < brink->nearCount; ++i) {
    dxBrinkPair pair = brink->nearPairs[i];
    const uint32_t bodies[2] = {brink->geoms[pair.geomA].body, brink->geoms[pair.geomB].body};
    for (int side = 0; side < 2; ++side) {
      if (bodies[side] != BRINK_NO_RECORD && brink->bodies[bodies[side]].quiet) {
        if (!dxBrinkWake(run, bodies[side], run->t)) {
          return 0;
        }
        brink->bodies[bodies[side]].searched = true; /* within its slack: it reaches no other quiet body */
      }
    }
  }
  return 1;
}

/* ---- looking */

static bool restAt(dBrinkID brink, const dxBrinkBody *record, const dReal *p, const dReal *q) {
  brinkBodyMotion motion = {.structSize = sizeof(motion), .kind = brink_motionRest};
  motion.pose0 = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  motion.pose1 = motion.pose0;
  return brink->shapes.plugin->setBodyMotion(brink->shapes.world, record->id, &motion) == brink_ok;
}

/* Radius of the body about its origin, for all that turns; the allowance of its thinnest geom. It rests where it is. */
static void measureBody(dBrinkID brink, dxBrinkBody *record) {
  const dReal *p = dBodyGetPosition(record->body);
  record->measured = true;
  record->turnReach = record->reach = 0;
  record->allowance = INFINITY;
  for (dGeomID geom = dBodyGetFirstGeom(record->body); geom != NULL; geom = dBodyGetNextGeom(geom)) {
    const dxBrinkGeom *known = dxBrinkFindGeom(brink, geom);
    brinkAabb box;
    if (known == NULL || !known->answered) {
      continue;
    }
    record->allowance = fmin(record->allowance, known->allowance);
    double radius = INFINITY;
    if (brink->shapes.plugin->sweptBounds(brink->shapes.world, known->collider, 0, 0, &box) == brink_ok) {
      double x = fmax(fabs(box.lower.x - p[0]), fabs(box.upper.x - p[0]));
      double y = fmax(fabs(box.lower.y - p[1]), fabs(box.upper.y - p[1]));
      double z = fmax(fabs(box.lower.z - p[2]), fabs(box.upper.z - p[2]));
      radius = sqrt(x * x + y * y + z * z) * (1 + 1e-9);
    }
    record->reach = fmax(record->reach, radius);
    bool round =
        dGeomGetClass(geom) == dSphereClass && known->given == NULL && !known->offset; /* turning moves nothing of it */
    record->turnReach = fmax(record->turnReach, round ? 0 : radius);
  }
}

/* All motions first: each change makes the plugin's next answer about a box dear. */
static void measureBodies(dBrinkID brink) {
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    if (!record->measured) {
      restAt(brink, record, dBodyGetPosition(record->body), dBodyGetQuaternion(record->body));
    }
  }
  for (size_t i = 0; i < brink->awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    if (!record->measured) {
      measureBody(brink, record);
      if (isfinite(record->allowance)) {
        brink->allowanceSum += record->allowance;
        brink->allowanceCount++;
      }
    }
  }
}

/* How far the pair's two sides together may move; 0: it must be asked about in every step. */
static double pairSlack(const dxBrink *brink, dxBrinkPair pair, double separation, bool crosses, double *stepLimit) {
  double a = dxBrinkPairAllowance(brink, pair), edge = EDGE * a;
  bool solid = !brink->geoms[pair.geomA].shape.surface && !brink->geoms[pair.geomB].shape.surface;
  *stepLimit = CALM_STEP * a;
  if (dxBrinkIsSensorPair(brink, pair.geomA, pair.geomB)) {
    return 0; /* slow crossings count too */
  }
  if (!solid && crosses) {
    return CROSSING_PART * a;
  }
  if (solid && separation <= edge - a) {
    *stepLimit = DEEP_PART / 2 * a;
    return DEEP_PART * a;
  }
  return fmax(0, solid ? separation + a - edge : separation - 0.25 * a - edge);
}

/* Of a pair with a mesh that may sink. */
static double sinkSlack(const brinkSinking *at, double *stepLimit) {
  double edge = EDGE * at->depth;
  *stepLimit = CALM_STEP * at->depth;
  if (at->separation > edge - at->limit) {
    return at->separation + at->limit - edge;
  }
  *stepLimit = DEEP_PART / 2 * at->depth;
  return at->coreGap >= 0.25 * at->depth ? DEEP_PART * at->depth : 0;
}

static void shareSlack(dxBrinkBody *record, double slack, double stepLimit) {
  record->slack = fmin(record->slack, slack);
  record->stepLimit = fmin(record->stepLimit, stepLimit);
}

static void lookAtPair(dBrinkID brink, dxBrinkPair pair) {
  uint32_t a = brink->geoms[pair.geomA].body, b = brink->geoms[pair.geomB].body;
  dxBrinkBody *bodyA = a != BRINK_NO_RECORD ? &brink->bodies[a] : NULL;
  dxBrinkBody *bodyB = b != BRINK_NO_RECORD ? &brink->bodies[b] : NULL;
  if ((bodyA != NULL && !bodyA->known) || (bodyB != NULL && !bodyB->known)) {
    return; /* asked about in the next step anyway */
  }
  brinkContact contact;
  brinkSinking sinking;
  double slack = 0, stepLimit = 0;
  if (dxBrinkSinking(brink, pair, 0, &sinking)) {
    slack = sinkSlack(&sinking, &stepLimit);
  } else if (brink->shapes.plugin->distance(brink->shapes.world, brink->geoms[pair.geomA].collider,
                                            brink->geoms[pair.geomB].collider, 0, &contact) == brink_ok) {
    slack = pairSlack(brink, pair, contact.distance, contact.state == brink_overlap, &stepLimit);
  }
  double each = bodyA != NULL && bodyB != NULL ? slack / 2 : slack;
  if (bodyA != NULL) {
    shareSlack(bodyA, each, stepLimit);
  }
  if (bodyB != NULL) {
    shareSlack(bodyB, each, stepLimit);
  }
}

/* The slack of a body far from everything: every look searches that far around. Not more than twice the mean allowance,
 * or one large body would make the looks of all small ones long. */
static double slackLimit(const dxBrink *brink) {
  return brink->allowanceCount > 0 ? 2 * brink->allowanceSum / (double)brink->allowanceCount : 0;
}

/* Is the body slow enough to be left alone soon? */
static bool isCalm(const dxBrinkBody *record, double h) {
  const dReal *v = dBodyGetLinearVel(record->body), *w = dBodyGetAngularVel(record->body);
  double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  double turn = record->turnReach > 0 ? sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * record->turnReach : 0;
  return h * (speed + turn) <= CALM_STEP * record->allowance && dBodyGetAngularDamping(record->body) <= MOST_DAMPING;
}

/* Takes a body that was awake into this look, or leaves it to the next step's question. False: no memory. */
static bool beginLook(dxBrinkRun *run, uint32_t number, double slackCap) {
  dBrinkID brink = run->brink;
  dxBrinkBody *record = &brink->bodies[number];
  const dReal *p = dBodyGetPosition(record->body), *q = dBodyGetQuaternion(record->body);
  if (record->known && record->woken && !record->touched) {
    record->known = restAt(brink, record, record->lookPosition, record->lookQuaternion); /* what is known still holds */
    return true;
  }
  record->known = false;
  if (!record->measured || !isCalm(record, run->h) || !restAt(brink, record, p, q)) {
    return !dxBrinkHaveHeldMeshes(brink) || listBody(brink, number);
  }
  record->known = true;
  memcpy(record->lookPosition, p, sizeof(record->lookPosition));
  memcpy(record->lookQuaternion, q, sizeof(record->lookQuaternion));
  record->stepLimit = CALM_STEP * record->allowance;
  record->slack = INFINITY; /* a body without geoms meets nothing */
  if (!isfinite(record->allowance)) {
    return true;
  }
  record->slack = fmin(record->allowance, slackCap);
  brink->slackMost = fmax(brink->slackMost, record->slack);
  return listBody(brink, number);
}

/* Which pairs can ever count, whatever the program or this step says of them now? */
int dxBrinkMeetFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  return dxBrinkMayMeet(user, (uint32_t)userDataA, (uint32_t)userDataB);
}

void dxBrinkForgetLooks(dBrinkID brink) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->bodies[i].known = false;
  }
  brink->slackMost = 0;
}

void dxBrinkLook(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  double around = 0;
  brink->lookedCount = 0;
  measureBodies(brink);
  double slackCap = slackLimit(brink);
  bool good = true;
  for (size_t i = 0; good && i < brink->dueCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->due[i]];
    if (record->quiet) { /* as after a step in which it was awake */
      record->quiet = false;
      brink->awake[brink->awakeCount++] = brink->due[i];
    }
  }
  for (size_t i = 0; good && i < brink->awakeCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->awake[i]];
    good = beginLook(run, brink->awake[i], slackCap);
    around = fmax(around, record->measured && isfinite(record->allowance) ? record->allowance : 0);
  }
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkMeetFilter, brink);
  /* A mesh pair's event lies up to half an allowance before touching; contacts hold it apart within a whole one. */
  good = good && listPairsAround(brink, 2 * brink->slackMost + around);
  dxBrinkBeginHeldApart(brink);
  for (size_t i = 0; good && i < brink->nearCount; ++i) {
    lookAtPair(brink, brink->nearPairs[i]);
    dxBrinkAddHeldApart(brink, brink->nearPairs[i]);
  }
  if (!good) {
    dxBrinkForgetLooks(brink);
  }
}

/* ---- what voids a look */

void dxBrinkVoidLook(dBrinkID brink, uint32_t body) {
  if (body == BRINK_NO_RECORD) {
    return;
  }
  dxBrinkBody *record = &brink->bodies[body];
  if (record->measured && isfinite(record->allowance)) {
    brink->allowanceSum = brink->allowanceCount > 1 ? brink->allowanceSum - record->allowance : 0;
    brink->allowanceCount--;
  }
  record->known = record->measured = false;
}

void dxBrinkForgetMeasures(dBrinkID brink) {
  dxBrinkForgetLooks(brink);
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->bodies[i].measured = false;
  }
  brink->allowanceSum = 0;
  brink->allowanceCount = 0;
}

void dxBrinkVoidLooksNear(dBrinkID brink, brinkColliderId collider) {
  brinkAabb box;
  if (++brink->staticChanges > MANY_CHANGES ||
      brink->shapes.plugin->sweptBounds(brink->shapes.world, collider, 0, 0, &box) != brink_ok) {
    dxBrinkForgetLooks(brink);
    return;
  }
  const double lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    double around = record->reach + 2 * brink->slackMost + (isfinite(record->allowance) ? record->allowance : 0);
    bool far = false;
    for (int axis = 0; axis < 3; ++axis) {
      far =
          far || record->lookPosition[axis] + around < lower[axis] || record->lookPosition[axis] - around > upper[axis];
    }
    record->known = record->known && far;
  }
}
