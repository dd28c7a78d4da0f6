/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bodies need no question in this step?
 *
 * A body that was looked at has a slack: every point of it may go so far from where it was then before any of its pairs
 * could come to an event, as brinkWatch of brink/ccd.h defines events. Two bodies share what their pair allows, L:
 *
 *   pair                                       L
 *   watched at a core (steps->sinking: solids,
 *   meshes that may sink), s > -limit          s + limit
 *   deeper, core off by a/4 or more            a/16, else 0: asked in every step
 *   mesh kept apart                            s - a/4
 *   meshes that cross                          a/4
 *   convex shapes without a core               s + a; deeper than a: a/16
 *
 * with s the separation when last looked at and a the pair's allowance, or the depth that it may sink in one go;
 * slackA + slackB <= L, or slackA <= L beside what stands still. Of one pair of convex shapes, the one with the least
 * L, only motion against the normal is counted: a ball that rolls along a floor uses up nothing of it. Within the
 * slack, and in a step that moves no point by more than a/8 (a/32 for a pair that lies deeper), none of the body's
 * pairs comes to an event (or a mesh nearer than a/4): it is quiet, and ODE's result stays. The others are awake; they
 * are asked about, and whatever quiet body they may reach is woken for this step. A thin partner has a small a, so
 * nothing thin is passed over.
 *
 * A quiet body stands in the plugin's world where it was last looked at. The slack of a body with a changed geom, bits,
 * joint or kind is void, as is that of all bodies near a changed geom without body. Bodies that have nearly used up
 * their slack are looked at together, when the first of them must be. In a step in which nothing is awake each body
 * costs the reading of its brief and of the state that ODE keeps of it, before and after the solve.
 *
 * Units: m, rad; t: part of the step, [0,1]. */
#include <math.h>
#include <string.h>

#include "stepper.h"

#define FAR_INSIDE (1 + BRINK_STEP_DUE_STEPS)
#define CHORD_TO_TURN 2.05 /* 4 asin(c/2) <= 2.05 c for c <= 1/2 */

/* ---- how far did it go? */

static inline double square3(const dReal *a, const dReal *b) {
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

static inline double square4(const dReal *a, const dReal *b) {
  double w = a[0] - b[0], x = a[1] - b[1], y = a[2] - b[2], z = a[3] - b[3];
  return w * w + x * x + y * y + z * z;
}

static double distanceOf(const dReal *a, const dReal *b) { return sqrt(square3(a, b)); }

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

/* A turn of more than half a circle shows in the velocity that damping has left (isCalm knows the damping). */
static inline bool turnsSlowly(const dReal *w, double h) {
  return (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * h * h <= BRINK_STEP_CALM_TURN * BRINK_STEP_CALM_TURN;
}

bool dxBrinkIsInside(const dxBrinkBrief *brief, const dReal *p, const dReal *q, double step, double *left) {
  double way = distanceOf(p, brief->lookPosition), near = 0, turn = 0;
  if (brief->turnReach > 0) {
    turn = turnOf(q, brief->lookQuaternion) * brief->turnReach;
  }
  for (int i = 0; i < 3; ++i) {
    near -= brief->away[i] * (p[i] - brief->lookPosition[i]);
  }
  double used = way + turn + step, usedTowards = fmax(near, 0) + turn + step;
  *left = fmin(brief->slack - used, brief->awaySlack - usedTowards);
  return used <= brief->slack && usedTowards <= brief->awaySlack && step <= brief->stepLimit;
}

/* *steps: like the last one, that it has left; infinite: many. */
static bool countSteps(const dxBrinkBrief *brief, const dReal *p, const dReal *q, double *steps) {
  double step = distanceOf(p, brief->startPosition), left;
  if (brief->turnReach > 0) {
    step += turnOf(q, brief->startQuaternion) * brief->turnReach;
  }
  bool inside = dxBrinkIsInside(brief, p, q, step, &left);
  *steps = step > 0 && left < BRINK_STEP_DUE * fmin(brief->slack, brief->awaySlack) ? left / step : HUGE_VAL;
  return inside;
}

/* After ODE's solve. Bodies at rest are far inside: (a + b)^2 <= 2 (a^2 + b^2) without any root. */
static inline bool staysInSlack(const dxBrinkBrief *brief, const dxBrinkLayout *to, double h, double *steps) {
  const dReal *p = brief->position, *q = p + to->quaternion;
  if (!brief->known || (brief->turnReach > 0 && !turnsSlowly(p + to->angular, h))) {
    return false;
  }
  double turn = CHORD_TO_TURN * CHORD_TO_TURN * brief->turnReach * brief->turnReach;
  double square = 2 * (square3(p, brief->startPosition) + turn * square4(q, brief->startQuaternion));
  double way = 2 * (square3(p, brief->lookPosition) + turn * square4(q, brief->lookQuaternion));
  double all = 2 * (FAR_INSIDE * FAR_INSIDE * square + way);
  if (square <= brief->stepLimit * brief->stepLimit && all <= brief->slack * brief->slack &&
      all <= brief->awaySlack * brief->awaySlack) {
    *steps = HUGE_VAL;
    return true;
  }
  return countSteps(brief, p, q, steps);
}

/* ---- the start of a step */

/* What the walk noted of the start of a body that could have been left alone. */
static void startAsNoted(dBrinkID brink, uint32_t number) {
  dxBrinkBody *record = &brink->bodies[number];
  const dxBrinkBrief *brief = &brink->briefs[number];
  if (!brief->whole) {
    memcpy(record->start.position, brief->startPosition, sizeof(brief->startPosition));
    memcpy(record->start.quaternion, brief->startQuaternion, sizeof(brief->startQuaternion));
  }
}

/* Bodies of one chain are asked about together. */
static void wakeChains(dBrinkID brink) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->bodies[i].gap.turnsFar = false; /* used here for "one of the chain is awake" */
  }
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    brink->bodies[brink->bodies[brink->quiet.awake[i]].chain].gap.turnsFar = true;
  }
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->body != NULL && record->quiet && brink->bodies[record->chain].gap.turnsFar) {
      record->quiet = brink->briefs[i].quiet = false;
      startAsNoted(brink, i);
      brink->quiet.awake[brink->quiet.awakeCount++] = i;
    }
  }
}

static inline void fetchBody(const dxBrinkBrief *brief, const dxBrinkLayout *to) {
#if defined(__GNUC__)
  __builtin_prefetch(brief->position);
  __builtin_prefetch(brief->position + 2);
  __builtin_prefetch(brief->position + to->quaternion);
  __builtin_prefetch(brief->position + to->angular + 2);
#else
  (void)brief;
  (void)to;
#endif
}

/* A body that was or is not quiet: what the last step left in its record is put away. */
static void beginStep(dBrinkID brink, uint32_t number, bool quiet) {
  dxBrinkBody *record = &brink->bodies[number];
  dxBrinkBrief *brief = &brink->briefs[number];
  record->quiet = brief->quiet = quiet;
  record->moves = record->posed = record->frozen = false;
  record->from = 0;
  record->look.touched = record->look.woken = record->look.searched = false;
  record->substeps = record->gap.cuts = 0;
  record->lastImpact = -1;
  if (!quiet) {
    startAsNoted(brink, number);
    brink->quiet.awake[brink->quiet.awakeCount++] = number;
  }
}

void dxBrinkSift(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  /* Whoever judges the answers sees every body. */
  bool sieve = !brink->told->needsAll(brink);
  bool urgent = false;
  const dxBrinkLayout to = brink->layout;
  brink->quiet.awakeCount = brink->quiet.dueCount = 0;
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    const dxBrinkBrief *brief = &brink->briefs[i];
    if (i + 2 * DX_BRINK_FETCH_AHEAD < brink->bodyCount) {
      dxBrinkFetchBrief(brief + 2 * DX_BRINK_FETCH_AHEAD); /* it tells where the body is */
      fetchBody(brief + DX_BRINK_FETCH_AHEAD, &to);
    }
    if (brief->body == NULL) {
      continue;
    }
    double steps = HUGE_VAL;
    bool quiet = sieve && staysInSlack(brief, &to, run->h, &steps);
    if (!quiet || !brief->quiet) {
      beginStep(brink, i, quiet);
    }
    if (quiet && steps < BRINK_STEP_DUE_STEPS) {
      brink->quiet.due[brink->quiet.dueCount++] = i;
      urgent = urgent || steps < BRINK_STEP_URGENT_STEPS;
    }
  }
  brink->quiet.dueCount = urgent ? brink->quiet.dueCount : 0;
  brink->quiet.staticChanges = 0;
  if (brink->quiet.awakeCount > 0 && brink->jointCount > 0) {
    wakeChains(brink);
  }
}

/* ---- waking */

int dxBrinkWake(dxBrinkRun *run, uint32_t number) {
  dxBrinkBody *record = &run->brink->bodies[number];
  if (!record->quiet) {
    return 1;
  }
  record->quiet = run->brink->briefs[number].quiet = false;
  run->brink->quiet.awake[run->brink->quiet.awakeCount++] = number;
  startAsNoted(run->brink, number);
  record->look.woken = true;
  dxBrinkReadState(record->body, &record->end);
  dxBrinkReadSpin(record->body, &record->end, run->h, dBodyGetFiniteRotationMode(record->body) != 0, record->spin);
  dRfromQ(record->start.rotation, record->start.quaternion);
  record->moves = !dxBrinkSamePose(&record->start, &record->end);
  record->alone = true;
  return run->brink->told->carried(run->brink, number, 0) && dxBrinkSendMotion(run->brink, number);
}

static bool listBody(dBrinkID brink, uint32_t number) {
  if (!DX_BRINK_RESERVE(brink->quiet.looked, brink->quiet.lookedCount, brink->quiet.lookedCapacity)) {
    return false;
  }
  brink->quiet.looked[brink->quiet.lookedCount++] = brink->bodies[number].id;
  return true;
}

/* brink->pairs.nearPairs: pairs around the listed bodies. */
static bool listPairsAround(dBrinkID brink, double from, double margin) {
  const brinkColliderPair *pairs = NULL;
  size_t count = 0;
  brink->pairs.nearCount = 0;
  if (brink->quiet.lookedCount > 0 &&
      brink->steps->pairsOf(brink->shapes.world, brink->quiet.looked, brink->quiet.lookedCount, from, 1, margin, &pairs,
                            &count) != brink_ok) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, pairs[i].a),
                        brinkKeyMap_Get(&brink->colliderMap, pairs[i].b)};
    if (pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->pairs.nearPairs, brink->pairs.nearCount, brink->pairs.nearCapacity)) {
      return false;
    }
    brink->pairs.nearPairs[brink->pairs.nearCount++] = pair;
  }
  return true;
}

int dxBrinkWakeNear(dxBrinkRun *run, const uint32_t *numbers, size_t count) {
  dBrinkID brink = run->brink;
  double reach = 0;
  brink->quiet.lookedCount = 0;
  if (brink->quiet.awakeCount >= brink->quiet.liveBodies) {
    return 1; /* nobody is left to be woken */
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkBody *record = &brink->bodies[numbers[i]];
    if (!record->moves || record->look.searched) {
      continue;
    }
    record->look.searched = true;
    reach = fmax(reach, isfinite(record->allowance) ? record->allowance : 0);
    if (!listBody(brink, numbers[i])) {
      return dxBrinkFail(brink, "no memory for the bodies of an impact");
    }
  }
  if (brink->quiet.lookedCount > 0 && !listPairsAround(brink, run->t, brink->quiet.slackMost + reach)) {
    return dxBrinkFail(brink, "near pairs: %s", brink->shapes.plugin->lastError(brink->shapes.world));
  }
  for (size_t i = 0; brink->quiet.lookedCount > 0 && i < brink->pairs.nearCount; ++i) {
    dxBrinkPair pair = brink->pairs.nearPairs[i];
    const uint32_t bodies[2] = {brink->geoms[pair.geomA].body, brink->geoms[pair.geomB].body};
    for (int side = 0; side < 2; ++side) {
      if (bodies[side] != BRINK_NO_RECORD && brink->bodies[bodies[side]].quiet) {
        if (!dxBrinkWake(run, bodies[side])) {
          return 0;
        }
        brink->bodies[bodies[side]].look.searched = true; /* within its slack: it reaches no other quiet body */
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
  record->look.measured = true;
  dxBrinkBrief *brief = &brink->briefs[record - brink->bodies];
  brief->turnReach = record->reach = record->look.slackCap = 0;
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
    brief->turnReach = fmax(brief->turnReach, round ? 0 : radius);
  }
}

/* All motions first: each change makes the plugin's next answer about a box dear. */
static void measureBodies(dBrinkID brink) {
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    if (!record->look.measured) {
      restAt(brink, record, dBodyGetPosition(record->body), dBodyGetQuaternion(record->body));
    }
  }
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    if (!record->look.measured) {
      measureBody(brink, record);
      if (isfinite(record->allowance)) {
        brink->quiet.allowanceSum += record->allowance;
        brink->quiet.allowanceCount++;
      }
    }
  }
}

/* How far the pair's two sides together may move; 0: it must be asked about in every step. */
static double pairSlack(const dxBrink *brink, dxBrinkPair pair, double separation, bool crosses, double *stepLimit) {
  double a = dxBrinkPairAllowance(brink, pair), edge = BRINK_STEP_EDGE * a;
  bool solid = !brink->geoms[pair.geomA].shape.surface && !brink->geoms[pair.geomB].shape.surface;
  *stepLimit = BRINK_STEP_CALM * a;
  if (dxBrinkIsSensorPair(brink, pair.geomA, pair.geomB)) {
    return 0; /* slow crossings count too */
  }
  if (!solid && crosses) {
    return BRINK_STEP_CROSSING * a;
  }
  if (solid && separation <= edge - a) {
    *stepLimit = BRINK_STEP_DEEP / 2 * a;
    return BRINK_STEP_DEEP * a;
  }
  return fmax(0, solid ? separation + a - edge : separation - BRINK_STEP_TOUCHING * a - edge);
}

/* Of a pair that is watched at a core. */
static double coreSlack(const brinkSinking *at, double *stepLimit) {
  double edge = BRINK_STEP_EDGE * at->depth;
  *stepLimit = BRINK_STEP_CALM * at->depth;
  if (at->separation > edge - at->limit) {
    return at->separation + at->limit - edge;
  }
  *stepLimit = BRINK_STEP_DEEP / 2 * at->depth;
  return at->coreGap >= BRINK_STEP_TOUCHING * at->depth ? BRINK_STEP_DEEP * at->depth : 0;
}

static void shareSlack(dxBrinkBrief *brief, double slack, double stepLimit) {
  brief->slack = fmin(brief->slack, slack);
  brief->stepLimit = fmin(brief->stepLimit, stepLimit);
}

/* One slack is kept that only motion against a normal uses up, the smallest; the others hold for all directions. */
static void shareSlackAgainst(dxBrinkBrief *brief, const brinkVec3 *normal, double sign, double slack,
                              double stepLimit) {
  if (slack >= brief->awaySlack) {
    shareSlack(brief, slack, stepLimit);
    return;
  }
  shareSlack(brief, brief->awaySlack, stepLimit);
  brief->away[0] = sign * normal->x;
  brief->away[1] = sign * normal->y;
  brief->away[2] = sign * normal->z;
  brief->awaySlack = slack;
}

static bool isUnit(const brinkVec3 *n) { return fabs(n->x * n->x + n->y * n->y + n->z * n->z - 1) < 1e-9; }

static bool isSolidPair(const dxBrink *brink, dxBrinkPair pair) {
  return !brink->geoms[pair.geomA].shape.surface && !brink->geoms[pair.geomB].shape.surface;
}

/* What the plugin says of a pair: how far its two sides together may move, and the normal (not unit: none) against
 * which alone motion counts. Two convex shapes part along it as two parallel planes do, so what one of them moves along
 * it is the most by which the separation falls; deep ones by whatever turns the normal. */
static double pairSlackNow(const dxBrink *brink, dxBrinkPair pair, brinkVec3 *normal, double *stepLimit) {
  const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
  const bool solid = isSolidPair(brink, pair), sensor = dxBrinkIsSensorPair(brink, pair.geomA, pair.geomB);
  brinkSinking at = {.structSize = sizeof(at)};
  brinkContact contact;
  *normal = (brinkVec3){0, 0, 0};
  *stepLimit = 0;
  if (!sensor && brink->steps->sinking(brink->shapes.world, a->collider, b->collider, 0, &at) == brink_ok &&
      at.depth > 0) {
    if (solid && at.separation > BRINK_STEP_EDGE * at.depth - at.limit) {
      *normal = at.normal;
    }
    return coreSlack(&at, stepLimit);
  }
  if (brink->shapes.plugin->distance(brink->shapes.world, a->collider, b->collider, 0, &contact) != brink_ok) {
    return 0;
  }
  double allowance = dxBrinkPairAllowance(brink, pair);
  if (solid && contact.distance > BRINK_STEP_EDGE * allowance - allowance) {
    *normal = contact.normal;
  }
  return pairSlack(brink, pair, contact.distance, contact.state == brink_overlap, stepLimit);
}

static void lookAtPair(dBrinkID brink, dxBrinkPair pair) {
  uint32_t a = brink->geoms[pair.geomA].body, b = brink->geoms[pair.geomB].body;
  dxBrinkBrief *bodyA = a != BRINK_NO_RECORD ? &brink->briefs[a] : NULL;
  dxBrinkBrief *bodyB = b != BRINK_NO_RECORD ? &brink->briefs[b] : NULL;
  if ((bodyA != NULL && !bodyA->known) || (bodyB != NULL && !bodyB->known)) {
    return; /* asked about in the next step anyway */
  }
  brinkVec3 normal;
  double stepLimit, slack = pairSlackNow(brink, pair, &normal, &stepLimit);
  if (slack > 0 && (bodyA == NULL || bodyB == NULL) && isUnit(&normal)) {
    shareSlackAgainst(bodyA != NULL ? bodyA : bodyB, &normal, bodyA != NULL ? -1 : 1, slack, stepLimit);
    return;
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
  return brink->quiet.allowanceCount > 0 ? 2 * brink->quiet.allowanceSum / (double)brink->quiet.allowanceCount : 0;
}

/* Is the body slow enough to be left alone soon? */
static bool isCalm(const dxBrinkBody *record, double turnReach, double h) {
  const dReal *v = dBodyGetLinearVel(record->body), *w = dBodyGetAngularVel(record->body);
  double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  double turn = turnReach > 0 ? sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * turnReach : 0;
  return h * (speed + turn) <= BRINK_STEP_CALM * record->allowance &&
         dBodyGetAngularDamping(record->body) <= BRINK_STEP_MOST_DAMPING;
}

/* Takes a body that was awake into this look, or leaves it to the next step's question. False: no memory. */
static bool beginLook(dxBrinkRun *run, uint32_t number, double slackCap) {
  dBrinkID brink = run->brink;
  dxBrinkBody *record = &brink->bodies[number];
  dxBrinkBrief *brief = &brink->briefs[number];
  const dReal *p = dBodyGetPosition(record->body), *q = dBodyGetQuaternion(record->body);
  if (brief->known && record->look.woken && !record->look.touched) {
    brief->known = restAt(brink, record, brief->lookPosition, brief->lookQuaternion); /* what is known still holds */
    return true;
  }
  bool wasFree = brief->known && brief->slack >= record->look.slackCap; /* but for what it stands on, say */
  brief->known = false;
  if (!record->look.measured || !isCalm(record, brief->turnReach, run->h) || !restAt(brink, record, p, q)) {
    return !dxBrinkHaveHeldMeshes(brink) || listBody(brink, number);
  }
  brief->known = true;
  memcpy(brief->lookPosition, p, sizeof(brief->lookPosition));
  memcpy(brief->lookQuaternion, q, sizeof(brief->lookQuaternion));
  brief->stepLimit = BRINK_STEP_CALM * record->allowance;
  brief->slack = brief->awaySlack = INFINITY; /* a body without geoms meets nothing */
  memset(brief->away, 0, sizeof(brief->away));
  if (!isfinite(record->allowance)) {
    return true;
  }
  double least = fmin(record->allowance, slackCap);
  brief->slack = record->look.slackCap =
      wasFree ? fmin(2 * record->look.slackCap, BRINK_STEP_MOST_SLACK * least) : least;
  brink->quiet.slackMost = fmax(brink->quiet.slackMost, brief->slack);
  return listBody(brink, number);
}

/* Which pairs can ever count, whatever the program or this step says of them now? */
int dxBrinkMeetFilter(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  return dxBrinkMayMeet(user, (uint32_t)userDataA, (uint32_t)userDataB);
}

void dxBrinkLook(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  double around = 0, slackMost = 0;
  brink->quiet.lookedCount = 0;
  measureBodies(brink);
  double slackCap = slackLimit(brink);
  bool good = true;
  for (size_t i = 0; good && i < brink->quiet.dueCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->quiet.due[i]];
    if (record->quiet) { /* as after a step in which it was awake */
      record->quiet = brink->briefs[brink->quiet.due[i]].quiet = false;
      brink->quiet.awake[brink->quiet.awakeCount++] = brink->quiet.due[i];
    }
  }
  for (size_t i = 0; good && i < brink->quiet.awakeCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    good = beginLook(run, brink->quiet.awake[i], slackCap);
    around = fmax(around, record->look.measured && isfinite(record->allowance) ? record->allowance : 0);
    slackMost = fmax(slackMost, record->look.slackCap);
  }
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkMeetFilter, brink);
  /* A mesh pair's event lies up to half an allowance before touching; contacts hold it apart within a whole one. */
  good = good && listPairsAround(brink, 0, slackMost + brink->quiet.slackMost + around);
  dxBrinkBeginHeldApart(brink);
  for (size_t i = 0; good && i < brink->pairs.nearCount; ++i) {
    lookAtPair(brink, brink->pairs.nearPairs[i]);
    dxBrinkAddHeldApart(brink, brink->pairs.nearPairs[i]);
  }
  if (!good) {
    dxBrinkForgetLooks(brink);
  }
}
