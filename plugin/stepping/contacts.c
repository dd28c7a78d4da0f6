/* SPDX-License-Identifier: BSD-3-Clause */
/* Which contacts has a struck pair? Those that the program makes when it is asked. Brink's own where none of the
 * engine's colliders sees the pair touch. And for pairs that come nearer again and again, or stand at their limit, some
 * of Brink's beside the program's. Also: which bodies are wedged, and which pairs part (docs/step.md). Units: m. */
#include <math.h>
#include <string.h>

#include "meet.h"
#include "step.h"

#define MAX_OWN_CONTACTS 8

static bool hasSurface(const brinkStepper *stepper, brinkStepPair pair) {
  return ((stepper->colliders[pair.a].flags | stepper->colliders[pair.b].flags) & BRINK_STEP_SURFACE) != 0;
}

/* Brink's own points of contact of a pair that is this far apart, m: at most MAX_OWN_CONTACTS. With a mesh it is the
 * question that the engine's narrowphase has just been asked (meet.c). */
static size_t findOwnPoints(const brinkStepper *stepper, brinkStepPair pair, double distance,
                            brinkContactPoint points[BRINK_STEP_MOST_POINTS]) {
  const double allowance = brinkStepPairAllowance(stepper, pair), lookOut = brinkStepLookOut(allowance);
  const double margin = fmax(distance, 0) + BRINK_STEP_TOUCHING * allowance;
  if (!hasSurface(stepper, pair) || margin > lookOut) {
    return stepper->host->contactPoints(stepper->user, pair, margin, points, MAX_OWN_CONTACTS);
  }
  const size_t count = stepper->host->contactPoints(stepper->user, pair, lookOut, points, BRINK_STEP_MOST_POINTS);
  return brinkStepKeepSpread(points, count, margin, MAX_OWN_CONTACTS);
}

/* push: m/s, at which the bodies part at least. */
static brinkStepContact ownContact(const brinkStepImpact *impact, const brinkContactPoint *point, double friction,
                                   double push, bool lasts) {
  brinkStepContact contact = {.pair = impact->pair, .friction = friction, .apart = push, .lasts = lasts};
  contact.depth = fmax(0, -point->separation);
  memcpy(contact.point, &point->position, sizeof(contact.point));
  memcpy(contact.normal, &point->normal, sizeof(contact.normal));
  return contact;
}

/* Beside the program's. */
static void makeOwnContact(const brinkStepper *stepper, const brinkStepImpact *impact, const brinkContactPoint *point,
                           double push) {
  const brinkStepContact contact = ownContact(impact, point, 0, push, false);
  stepper->host->addContact(stepper->user, &contact);
}

/* A contact where the core is nearest: its normal tells the side, which surfaces that cross do not. */
static brinkStepContact coreContact(const brinkStepImpact *impact, double depthLeft, double friction, bool lasts) {
  const brinkContact *core = &impact->contact;
  const brinkVec3 *a = &core->pointA, *b = &core->pointB;
  brinkContactPoint point = {.normal = core->normal, .separation = core->distance + depthLeft};
  point.position = (brinkVec3){(a->x + b->x) / 2, (a->y + b->y) / 2, (a->z + b->z) / 2};
  return ownContact(impact, &point, friction, 0, lasts);
}

/* Contacts of Brink's alone: with the friction of the program's, where that is known, no bounce, and hard however soft
 * the world is. False: there are none. */
static bool makeOwnContacts(const brinkStepper *stepper, const brinkStepImpact *impact) {
  const double friction = brinkStepFrictionOf(stepper, impact->pair);
  if (brinkStepIsSunken(stepper, &impact->contact, impact->pair)) {
    const brinkStepContact contact = coreContact(impact, 0, friction, true);
    stepper->host->addContact(stepper->user, &contact);
    return true;
  }
  brinkContactPoint points[BRINK_STEP_MOST_POINTS];
  size_t count = findOwnPoints(stepper, impact->pair, impact->contact.distance, points);
  for (size_t i = 0; i < count; ++i) {
    brinkStepContact contact = ownContact(impact, &points[i], friction, 0, true);
    contact.hard = true;
    stepper->host->addContact(stepper->user, &contact);
  }
  return count > 0;
}

/* ---- pairs that deepen again and again in one step */

/* Only where the program has contacts for it already: these add neither friction nor bounce. */
static bool isRepeating(const brinkStepper *stepper, const brinkStepImpact *impact) {
  uint32_t a = stepper->colliders[impact->pair.a].body, b = stepper->colliders[impact->pair.b].body;
  return !brinkStepIsFirstTouch(stepper, impact) &&
         ((a != BRINK_NO_RECORD && stepper->bodies[a].substeps > BRINK_STEP_AGAIN) ||
          (b != BRINK_NO_RECORD && stepper->bodies[b].substeps > BRINK_STEP_AGAIN));
}

/* m, from where the pair was struck. */
static double distanceToImpact(const brinkStepImpact *impact, const brinkContactPoint *point) {
  const double *a = &impact->contact.pointA.x, *b = &impact->contact.pointB.x, *p = &point->position.x;
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    double way = p[i] - (a[i] + b[i]) / 2;
    square += way * way;
  }
  return sqrt(square);
}

/* A limb that lies flat and gets one contact from the program turns about it, its other end goes into the surface; held
 * there it turns back, and so on in ever smaller steps. So Brink's points that lie elsewhere hold as well. They only
 * hold: what pushed out here, without friction, would carry what slides over its ground. */
static void holdElsewhere(const brinkStepper *stepper, const brinkStepImpact *impact) {
  brinkContactPoint points[BRINK_STEP_MOST_POINTS];
  size_t count = findOwnPoints(stepper, impact->pair, impact->contact.distance, points);
  double farthest = 0;
  for (size_t i = 0; i < count; ++i) {
    farthest = fmax(farthest, distanceToImpact(impact, &points[i]));
  }
  for (size_t i = 0; i < count; ++i) {
    if (distanceToImpact(impact, &points[i]) > BRINK_STEP_ELSEWHERE * farthest) {
      makeOwnContact(stepper, impact, &points[i], 0);
    }
  }
}

/* m/s: a quarter of what the pair will have gained of approach by the step's end, if it gains it as since its motion
 * last changed. Contacts had stopped it then, so it comes from a curve. Who parts twice as fast now is where it is at
 * the end; but that fed a pendulum on its pin, which had 1.05 times its energy after ten seconds. */
static double speedOfCurve(const brinkStepper *stepper, brinkStepPair pair, const brinkContactPoint *point) {
  const uint32_t bodies[2] = {stepper->colliders[pair.a].body, stepper->colliders[pair.b].body};
  const double approach = -brinkStepPartingSpeed(stepper, pair, point);
  double since = 0;
  for (int side = 0; side < 2; ++side) {
    since = bodies[side] != BRINK_NO_RECORD ? fmax(since, stepper->bodies[bodies[side]].from) : since;
  }
  return approach > 0 ? approach * (1 - stepper->now.tau) / (4 * (stepper->now.tau - since)) : 0;
}

/* A pair with a mesh that is kept apart: rolling or sliding over something curved it approaches again faster than the
 * solver's straight contact can follow, and each time it may come nearer by half of what is left. So its gap is opened
 * again within the step, and what the curve takes of it besides. Never faster than by a small part of the speed that
 * the bodies have. */
static void openGap(const brinkStepper *stepper, const brinkStepImpact *impact) {
  double allowance = brinkStepPairAllowance(stepper, impact->pair), gap = impact->contact.distance;
  if (!hasSurface(stepper, impact->pair) || gap >= BRINK_STEP_TOUCHING * allowance) {
    return;
  }
  double most = BRINK_STEP_SENT_BACK * brinkStepPairSpeed(stepper, impact->pair);
  brinkContactPoint point = {.separation = fmax(gap, 0)};
  const double *pa = &impact->contact.pointA.x, *pb = &impact->contact.pointB.x;
  memcpy(&point.normal, impact->normal, sizeof(point.normal));
  point.position = (brinkVec3){(pa[0] + pb[0]) / 2, (pa[1] + pb[1]) / 2, (pa[2] + pb[2]) / 2};
  const double open = (BRINK_STEP_SKIN * allowance - gap) / ((1 - stepper->now.tau) * stepper->now.h);
  const double push = fmin(open + speedOfCurve(stepper, impact->pair, &point), most);
  if (push > 0) {
    makeOwnContact(stepper, impact, &point, push);
  }
}

/* ---- pairs at their limit */

/* It came back to its limit in this step although contacts held it there: what spins, or what other contacts lead in.
 */
static bool comesBack(const brinkStepper *stepper, brinkStepPair pair) {
  return brinkStepTimesAtLimit(stepper, pair) > BRINK_STEP_AGAIN;
}

/* At a pair that came back to its limit the program's contacts may lead farther in, as those of a collider that takes
 * the wrong side. Brink's hold it alone then, and the program is not asked. */
static bool isHeldAlone(const brinkStepper *stepper, brinkStepPair pair) {
  return comesBack(stepper, pair) && brinkStepHadContacts(stepper, pair) &&
         stepper->host->collides(stepper->user, pair);
}

/* Notes a place; it replaces one of the same pair within an allowance. False: no memory. */
static bool putPlace(brinkStepper *stepper, const brinkStepContact *contact) {
  const double same = brinkStepPairAllowance(stepper, contact->pair);
  for (size_t i = 0; i < stepper->pairs.atLimitCount; ++i) {
    brinkStepContact *old = &stepper->pairs.atLimit[i].contact;
    const double *p = old->point, *q = contact->point;
    if (memcmp(&old->pair, &contact->pair, sizeof(old->pair)) == 0 &&
        hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]) <= same) {
      *old = *contact;
      return true;
    }
  }
  if (!BRINK_STEP_RESERVE(stepper->pairs.atLimit, stepper->pairs.atLimitCount, stepper->pairs.atLimitCapacity)) {
    return false;
  }
  stepper->pairs.atLimit[stepper->pairs.atLimitCount++] = (brinkStepPlace){.contact = *contact};
  return true;
}

/* Notes where the core is nearest now, as a contact that leads out. False: the pair does not stand at its limit
 * (struck: it does), its side is not known, or no memory. */
static bool noteAtLimit(brinkStepper *stepper, brinkStepPair pair, double toi, bool struck) {
  brinkSinking at;
  if (!brinkStepSinking(stepper, pair, toi, &at) || !(struck || at.separation <= -at.limit) ||
      !(at.normal.x * at.normal.x + at.normal.y * at.normal.y + at.normal.z * at.normal.z > 0.5)) {
    return false;
  }
  const brinkContact core = {.pointA = at.pointA, .pointB = at.pointB, .normal = at.normal, .distance = at.separation};
  const brinkStepImpact there = {.pair = pair, .contact = core};
  brinkStepContact contact = coreContact(&there, at.limit / 2, 0, false);
  contact.hard = true;
  if (comesBack(stepper, pair)) {
    /* What spins comes back along its curve, however well it is held. */
    const double within = contact.depth / ((1 - stepper->now.tau) * stepper->now.h);
    const double turning = BRINK_STEP_SENT_BACK * brinkStepPairSpeed(stepper, pair);
    contact.apart = fmin(fmax(within, turning), brinkStepPushOutSpeed(stepper));
    contact.depth = 0;
  }
  return putPlace(stepper, &contact);
}

/* The program's contacts need not hold a pair at its limit: an engine's colliders miss edges and tips, or tell one
 * point, which need not be the deepest. So there are more, without friction, wherever the pair stood there in this
 * step: with the last place alone it would turn about that one, then about the next, for ever. */
static bool holdAtLimit(const brinkStepper *stepper, brinkStepPair pair) {
  bool held = false;
  for (size_t i = 0; i < stepper->pairs.atLimitCount; ++i) {
    const brinkStepContact *contact = &stepper->pairs.atLimit[i].contact;
    if (memcmp(&contact->pair, &pair, sizeof(pair)) == 0) {
      stepper->host->addContact(stepper->user, contact);
      held = true;
    }
  }
  return held;
}

/* ---- wedged bodies: held at their limit between bodies that cannot give way (firm) */

/* Is the body pushed here, along `along`, by something firm? */
static bool isPushed(const brinkStepper *stepper, const brinkStepPlace *place, uint32_t body, double along[3]) {
  const bool isA = stepper->colliders[place->contact.pair.a].body == body;
  if (!isA && stepper->colliders[place->contact.pair.b].body != body) {
    return false;
  }
  for (int i = 0; i < 3; ++i) {
    along[i] = (isA ? -1 : 1) * place->contact.normal[i];
  }
  return place->firm[isA];
}

/* Does something firm push the body along `along` (sign 1), or against it (-1)? */
static bool isPushedAlong(const brinkStepper *stepper, uint32_t body, const double along[3], double sign) {
  double push[3];
  for (size_t i = 0; i < stepper->pairs.atLimitCount; ++i) {
    if (isPushed(stepper, &stepper->pairs.atLimit[i], body, push) &&
        sign * (push[0] * along[0] + push[1] * along[1] + push[2] * along[2]) > 0) {
      return true;
    }
  }
  return false;
}

/* Is A (side 0), or B, firm in this place? Static and kinematic bodies are, and bodies that lean on firm ones. */
static bool isFirm(const brinkStepper *stepper, const brinkStepPlace *place, int side) {
  const uint32_t body = stepper->colliders[side == 0 ? place->contact.pair.a : place->contact.pair.b].body;
  return body == BRINK_NO_RECORD || !stepper->bodies[body].dynamic ||
         isPushedAlong(stepper, body, place->contact.normal, side == 0 ? 1 : -1);
}

/* Spreads firmness from static and kinematic bodies over all places, until nothing changes. */
static void markFirm(brinkStepper *stepper) {
  bool more = true;
  for (size_t i = 0; i < stepper->pairs.atLimitCount; ++i) {
    memset(stepper->pairs.atLimit[i].firm, 0, sizeof(stepper->pairs.atLimit[i].firm));
  }
  while (more) {
    more = false;
    for (size_t i = 0; i < 2 * stepper->pairs.atLimitCount; ++i) {
      brinkStepPlace *place = &stepper->pairs.atLimit[i / 2];
      if (!place->firm[i % 2] && isFirm(stepper, place, (int)(i % 2))) {
        place->firm[i % 2] = more = true;
      }
    }
  }
}

/* Is a gathered body pushed by something firm, and against that push by something else firm? Where all of them push it
 * one way, it can go there. */
bool brinkStepIsWedged(brinkStepper *stepper) {
  double push[3];
  if (stepper->pairs.atLimitCount > 1) {
    markFirm(stepper);
  }
  for (size_t i = 0; i < stepper->island.gatheredCount && stepper->pairs.atLimitCount > 1; ++i) {
    const uint32_t body = stepper->island.gathered[i];
    for (size_t j = 0; j < stepper->pairs.atLimitCount && stepper->bodies[body].dynamic; ++j) {
      if (isPushed(stepper, &stepper->pairs.atLimit[j], body, push) && isPushedAlong(stepper, body, push, -1)) {
        return true;
      }
    }
  }
  return false;
}

/* Before the engine's solve: a pair that rests apart, and that the program wants although its callback is silent. */
void brinkStepHoldApart(brinkStepper *stepper, brinkStepPair pair) {
  const double allowance = brinkStepPairAllowance(stepper, pair), gap = hasSurface(stepper, pair) ? BRINK_STEP_GAP : 0;
  const double reach = hasSurface(stepper, pair) ? (1 + BRINK_STEP_MESH_BAND) * gap : BRINK_STEP_HAIR;
  const brinkStepImpact there = {.pair = pair};
  brinkContactPoint points[BRINK_STEP_MOST_POINTS];
  if (!brinkStepIsUnseen(stepper, pair)) {
    return;
  }
  const double friction = brinkStepFrictionOf(stepper, pair);
  size_t count = stepper->host->contactPoints(stepper->user, pair, reach * allowance, points, BRINK_STEP_MOST_POINTS);
  count = brinkStepKeepSpread(points, count, reach * allowance, MAX_OWN_CONTACTS);
  for (size_t i = 0; i < count; ++i) {
    brinkStepContact contact = ownContact(&there, &points[i], friction, 0, false);
    contact.depth = fmin(fmax(gap * allowance - points[i].separation, 0), BRINK_STEP_LIFT_SPEED * stepper->now.h);
    stepper->host->addContact(stepper->user, &contact);
  }
}

/* ---- what the program wants */

/* Of both bodies of a pair, as the engine has them: m/s, rad/s. */
static void readVelocities(const brinkStepper *stepper, brinkStepPair pair, double out[2][2][3]) {
  const uint32_t bodies[2] = {stepper->colliders[pair.a].body, stepper->colliders[pair.b].body};
  memset(out, 0, 2 * sizeof(*out));
  for (int side = 0; side < 2; ++side) {
    if (bodies[side] != BRINK_NO_RECORD) {
      brinkStepState state;
      stepper->host->readState(stepper->user, bodies[side], &state);
      memcpy(out[side][0], state.linear, sizeof(state.linear));
      memcpy(out[side][1], state.angular, sizeof(state.angular));
    }
  }
}

/* impact->wanted: the program, or Brink for it, made a contact; moved: it did not, but gave another velocity. */
void brinkStepAskContacts(brinkStepper *stepper, brinkStepImpact *impact) {
  const bool atLimit =
      impact->event.kind == brink_eventCore && noteAtLimit(stepper, impact->pair, impact->contact.toi, true);
  if (atLimit && isHeldAlone(stepper, impact->pair)) {
    impact->wanted = holdAtLimit(stepper, impact->pair);
    return;
  }
  double before[2][2][3], after[2][2][3];
  readVelocities(stepper, impact->pair, before);
  const int answer = stepper->host->askContacts(stepper->user, impact);
  brinkStepForgetJoined(stepper);
  impact->wanted = !stepper->worldChanged && (answer & BRINK_STEP_MADE);
  if (stepper->worldChanged) {
    return;
  }
  readVelocities(stepper, impact->pair, after);
  stepper->pairs.makesInside = stepper->pairs.makesInside || impact->wanted;
  /* Who made contacts once in this step is not taken for unwanted when the callback is silent now, but for what it has
   * switched off. */
  const bool silent = !impact->wanted;
  if (silent && ((answer & BRINK_STEP_UNSEEN) || brinkStepHadContacts(stepper, impact->pair))) {
    impact->wanted = stepper->host->collides(stepper->user, impact->pair) && makeOwnContacts(stepper, impact);
  }
  if (impact->wanted && !brinkStepIsSunken(stepper, &impact->contact, impact->pair) && isRepeating(stepper, impact)) {
    openGap(stepper, impact);
    if (!silent) {
      holdElsewhere(stepper, impact);
    }
  }
  if (atLimit && impact->wanted) {
    (void)holdAtLimit(stepper, impact->pair);
  }
  impact->moved = !impact->wanted && memcmp(before, after, sizeof(before)) != 0;
  if (impact->wanted) {
    (void)brinkStepNoteContacts(stepper, impact->pair); /* no memory: silence may drop it later */
  }
}

/* Does the pair part faster than anything is pushed out, so that it needs no contact? Not where a pair that is kept
 * apart was pressed nearer than it comes at a first touch: what pulls the links of a chain together would have them
 * meet again at once. */
static bool isParting(const brinkStepper *stepper, brinkStepPair pair) {
  double speeds = brinkStepPairSpeed(stepper, pair), least = fmax(BRINK_STEP_SENT_BACK * speeds, stepper->now.fall);
  if (stepper->colliders[pair.a].collider == 0 || stepper->colliders[pair.b].collider == 0 || speeds <= least) {
    return false;
  }
  brinkContactPoint points[BRINK_STEP_MOST_POINTS];
  const double allowance = brinkStepPairAllowance(stepper, pair);
  const bool kept = hasSurface(stepper, pair) && stepper->host->keptApart(stepper->user, pair);
  size_t count = findOwnPoints(stepper, pair, BRINK_STEP_SKIN * allowance, points);
  for (size_t i = 0; i < count; ++i) {
    if ((kept && points[i].separation < BRINK_STEP_FIRST_TOUCH * allowance) ||
        !(brinkStepPartingSpeed(stepper, pair, &points[i]) > least)) {
      return false;
    }
  }
  return count > 0;
}

/* Has a body of the island stood at a limit in this step? What others do is no matter of the island's. */
static bool islandStoodAtLimit(const brinkStepper *stepper) {
  bool stood = false;
  for (size_t i = 0; i < stepper->pairs.atLimitCount && !stood; ++i) {
    const brinkStepPair pair = stepper->pairs.atLimit[i].contact.pair;
    stood = brinkStepIsGathered(stepper, stepper->colliders[pair.a].body) ||
            brinkStepIsGathered(stepper, stepper->colliders[pair.b].body);
  }
  return stood;
}

bool brinkStepKeepsContacts(brinkStepper *stepper, brinkStepPair pair) {
  if (islandStoodAtLimit(stepper) && noteAtLimit(stepper, pair, stepper->now.tau, false)) {
    return holdAtLimit(stepper, pair);
  }
  return !isParting(stepper, pair);
}
