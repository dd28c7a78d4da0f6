/* SPDX-License-Identifier: BSD-3-Clause */
/* Capture: contacts for programs whose callback data does not outlive their dSpaceCollide (Python's ODE passes a
 * temporary tuple), so that the callback cannot be called inside the step. After each collide call of the program the
 * pairs that will meet in a step like the last one are foreseen (plugin/stepping/foresee.c): the guesses. The program's
 * callback sees each pair at its impact; the surface it asks for is kept, its joint is disabled, and at the impact
 * contacts are made with that surface. A pair that is at its impact when the step starts keeps its joint. Joints made
 * only after the collide call are taken the same way. A pair that was not foreseen gets the surface that the program
 * gave it last, or is clamped and asked about in the next frame. docs/ode.md, "Callbacks". Units: m, s, rad. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "../step.h"

#define MAX_CONTACTS 8

/* ---- answers */

/* The last answer about a pair, from whatever frame. */
static hookAnswer *lastAnswer(const hookFrame *frame, dGeomID a, dGeomID b) {
  uint32_t at = brinkKeyMap_Get(&frame->answerMap, dxHookPairKey(a, b));
  while (at != BRINK_NO_RECORD) {
    hookAnswer *answer = &frame->answers[at];
    if ((answer->a == a && answer->b == b) || (answer->a == b && answer->b == a)) {
      return answer;
    }
    at = answer->next;
  }
  return NULL;
}

const hookAnswer *dxHookAnswerOf(const hookFrame *frame, dGeomID a, dGeomID b) {
  const hookAnswer *answer = lastAnswer(frame, a, b);
  return answer != NULL && answer->frame == frame->number ? answer : NULL;
}

void dxHookForgetGeom(hookFrame *frame, dGeomID geom) {
  for (size_t i = 0; i < frame->answerCount; ++i) {
    hookAnswer *answer = &frame->answers[i];
    if (geom == NULL || answer->a == geom || answer->b == geom) {
      answer->a = answer->b = NULL;
      answer->wanted = false;
    }
  }
  frame->ahead.guessed = false;
  for (size_t i = 0; i < frame->ahead.guessCount; ++i) {
    hookGuess *guess = &frame->ahead.guesses[i];
    if (geom == NULL || guess->a == geom || guess->b == geom) {
      guess->a = guess->b = NULL;
    }
  }
}

/* Drops the guesses about a body that is destroyed. If one is being shown, the other body is still put back. */
void dxHookForgetBody(hookFrame *frame, dBodyID body) {
  frame->ahead.guessed = false;
  for (size_t i = 0; i <= frame->ahead.guessCount; ++i) {
    hookGuess *guess = i < frame->ahead.guessCount ? &frame->ahead.guesses[i] : &frame->shown;
    for (int side = 0; side < 2; ++side) {
      if (guess->bodies[side] == body) {
        guess->bodies[side] = NULL;
        guess->a = guess->b = NULL;
      }
    }
  }
}

/* Appends an answer. False: no memory. */
static bool listAnswer(hookFrame *frame, const hookAnswer *answer) {
  const uint64_t key = dxHookPairKey(answer->a, answer->b);
  const uint32_t next = brinkKeyMap_Get(&frame->answerMap, key);
  if (!BRINK_STEP_RESERVE(frame->answers, frame->answerCount, frame->answerCapacity) ||
      !brinkKeyMap_Set(&frame->answerMap, key, (uint32_t)frame->answerCount)) {
    return false;
  }
  frame->answers[frame->answerCount] = *answer;
  frame->answers[frame->answerCount++].next = next;
  return true;
}

static bool isRemembered(const hookFrame *frame, const hookAnswer *answer) {
  return answer->wanted && frame->number - answer->frame < BRINK_STEP_MEMORY;
}

void dxHookBeginAnswers(hookFrame *frame) {
  frame->strayCount = 0;
  frame->number++;
  if (frame->number % BRINK_STEP_MEMORY != 0) {
    return;
  }
  const size_t count = frame->answerCount;
  frame->answerCount = 0;
  brinkKeyMap_Clear(&frame->answerMap);
  for (size_t i = 0; i < count; ++i) {
    const hookAnswer answer = frame->answers[i];
    if (isRemembered(frame, &answer)) {
      (void)listAnswer(frame, &answer);
    }
  }
}

const dContact *dxHookContactOf(const hookFrame *frame, dGeomID a, dGeomID b) {
  const hookAnswer *answer = lastAnswer(frame, a, b);
  return answer != NULL && isRemembered(frame, answer) ? &answer->contact : NULL;
}

/* The answer of this frame about a pair; a new one is empty. NULL: no memory; the pair stays unknown. */
static hookAnswer *openAnswer(hookFrame *frame, dGeomID a, dGeomID b) {
  hookAnswer *known = lastAnswer(frame, a, b);
  const hookAnswer fresh = {.a = a, .b = b, .frame = frame->number};
  if (known != NULL && known->frame != frame->number) {
    const uint32_t next = known->next;
    *known = fresh;
    known->next = next;
  }
  return known != NULL ? known : listAnswer(frame, &fresh) ? &frame->answers[frame->answerCount - 1] : NULL;
}

/* Notes a contact as the answer about a pair: the first one counts. It may name the geoms in the other order. */
static hookAnswer *noteFor(hookFrame *frame, dGeomID a, dGeomID b, const dContact *contact) {
  hookAnswer *answer = openAnswer(frame, a, b);
  if (answer != NULL && !answer->wanted) {
    answer->wanted = true;
    answer->contact = *contact;
    answer->contact.geom.g1 = a;
    answer->contact.geom.g2 = b;
  }
  return answer;
}

/* Notes a contact that the program makes, for the geoms that it names. Those inside GeomTransforms are not what the
 * callback was called with: it is noted for these as well. */
void dxHookNote(hookFrame *frame, dJointID joint, const dContact *contact) {
  dGeomID a = contact->geom.g1, b = contact->geom.g2, c = frame->reported[0], d = frame->reported[1];
  const bool after = frame->depth == 0 && !frame->asking;
  if (after && (a == NULL || b == NULL || dxHookAnswerOf(frame, a, b) == NULL) &&
      BRINK_STEP_RESERVE(frame->strays, frame->strayCount, frame->strayCapacity)) {
    frame->strays[frame->strayCount++] = (hookStray){.joint = joint, .contact = *contact};
  }
  const hookAnswer *answer = a != NULL && b != NULL ? noteFor(frame, a, b, contact) : NULL;
  /* Of an impact's pose? */
  if (after ? answer != NULL && answer->ahead : frame->shown.seen.toi > BRINK_STEP_SHORTEST_REST) {
    dJointDisable(joint);
  }
  if (c != NULL && d != NULL && !dGeomIsSpace(c) && !dGeomIsSpace(d) && !((a == c && b == d) || (a == d && b == c))) {
    const bool turned = a != NULL && (a == d || dxBrinkLeaf(d) == a); /* which of the two is the one it names first? */
    noteFor(frame, turned ? d : c, turned ? c : d, contact);
  }
}

static bool isInBox(dGeomID geom, const dReal p[3], double margin) {
  dReal b[6];
  dGeomGetAABB(geom, b);
  return p[0] >= b[0] - margin && p[0] <= b[1] + margin && p[1] >= b[2] - margin && p[1] <= b[3] + margin &&
         p[2] >= b[4] - margin && p[2] <= b[5] + margin;
}

static bool mayName(const hookAnswer *answer, dGeomID geom) {
  return geom == NULL || geom == dxBrinkLeaf(answer->a) || geom == dxBrinkLeaf(answer->b);
}

/* Is the stray contact this pair's? It has its bodies, and names both geoms, or not both and lies at the still one. */
static void nameStray(hookFrame *frame, const hookStray *stray, const hookAnswer *answer, const dBodyID bodies[2]) {
  const dContactGeom *told = &stray->contact.geom;
  const dGeomID still = bodies[0] == NULL ? answer->a : bodies[1] == NULL ? answer->b : NULL;
  const bool turned = dJointGetBody(stray->joint, 0) != bodies[0], known = told->g1 != NULL && told->g2 != NULL;
  if (dJointGetBody(stray->joint, turned) == bodies[0] && dJointGetBody(stray->joint, !turned) == bodies[1] &&
      mayName(answer, told->g1) && mayName(answer, told->g2) &&
      (known || still == NULL || isInBox(still, told->pos, fabs(told->depth)))) {
    (answer->ahead ? dJointDisable : dJointEnable)(stray->joint);
    noteFor(frame, turned ? answer->b : answer->a, turned ? answer->a : answer->b, &stray->contact);
  }
}

/* Before a step: which pairs are the stray contacts of? A joint that was destroyed since is met at no body. */
void dxHookNameStrays(hookFrame *frame) {
  for (size_t i = 0; frame->strayCount > 0 && i < frame->answerCount; ++i) {
    const hookAnswer answer = frame->answers[i];
    if (answer.frame == frame->number && answer.silent != 0 && answer.a != NULL) {
      dBodyID bodies[2] = {dGeomGetBody(answer.a), dGeomGetBody(answer.b)}, body = bodies[bodies[0] == NULL];
      for (int k = body != NULL ? dBodyGetNumJoints(body) : 0; k-- > 0;) {
        for (size_t n = 0; n < frame->strayCount; ++n) {
          if (frame->strays[n].joint == dBodyGetJoint(body, k)) {
            nameStray(frame, &frame->strays[n], &answer, bodies);
          }
        }
      }
    }
  }
  frame->strayCount = 0;
}

#define MOVES (dContactMotionN | dContactMotion1 | dContactMotion2 | dContactFDir1)
/* Turns a surface's motion to another contact's normal. ODE turns a normal round where the first body is the world. */
static void turnSurface(dContact *contact, const dContactGeom *told, dBodyID a, dBodyID b) {
  dSurfaceParameters *to = &contact->surface;
  const dBodyID first = dGeomGetBody(told->g1), moved = first != NULL ? first : dGeomGetBody(told->g2);
  const double way = first != NULL ? 1 : -1, now = a != NULL ? 1 : -1, side = moved == (a != NULL ? a : b) ? 1 : -1;
  brinkStepSurfaceMotion at = {.speeds = {to->mode & dContactMotionN ? to->motionN : 0,
                                          to->mode & dContactMotion1 ? to->motion1 : 0,
                                          to->mode & dContactMotion2 ? to->motion2 : 0}};
  dVector3 was, is, along, across;
  dCopyScaledVector3(was, told->normal, way);
  dCopyScaledVector3(is, contact->geom.normal, now);
  dPlaneSpace(was, along, across);
  memcpy(at.normal, was, sizeof(at.normal));
  memcpy(at.along, to->mode & dContactFDir1 ? contact->fdir1 : along, sizeof(at.along));
  brinkStepTurnSurface(&at, is);
  memcpy(contact->fdir1, at.along, sizeof(at.along));
  to->mode |= dContactFDir1;
  to->motionN = side * at.speeds[0];
  to->motion1 = side * at.speeds[1];
  to->motion2 = side * at.speeds[2];
}

void dxHookContacts(const hookWorld *world, dGeomID a, dGeomID b) {
  const dContact *known = dxHookContactOf(world->stepper, a, b);
  if (known == NULL) {
    return;
  }
  dContactGeom geoms[MAX_CONTACTS];
  int count = dCollide(a, b, MAX_CONTACTS, geoms, sizeof(geoms[0]));
  for (int i = 0; i < count; ++i) {
    dContact contact = *known;
    contact.geom = geoms[i]; /* its normal points into the first geom's body, whatever the contact calls the geom */
    if (contact.surface.mode & MOVES) {
      turnSurface(&contact, &known->geom, dGeomGetBody(a), dGeomGetBody(b));
    }
    dxBrinkMakeContact(world->brink, NULL, &contact, dGeomGetBody(a), dGeomGetBody(b));
  }
}

/* ---- which pairs will meet */

/* Does the body fall freely? Of what a joint holds the last velocity says more than gravity does. */
static bool isFree(dBodyID body) {
  int count = dBodyGetNumJoints(body);
  for (int i = 0; i < count; ++i) {
    if (dJointIsEnabled(dBodyGetJoint(body, i))) {
      return false;
    }
  }
  return true;
}

/* Displacement and turn of a body during a step like the last one, as ODE would execute it. */
static void flyOn(void *user, uint32_t number, double way[3], double turn[3]) {
  const hookWorld *world = user;
  dBodyID body = world->brink->step.bodies[number].body;
  const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body), *force = dBodyGetForce(body);
  double h = world->h;
  if (!dBodyIsEnabled(body)) {
    return;
  }
  dMass mass;
  dVector3 gravity = {0, 0, 0, 0};
  dBodyGetMass(body, &mass);
  if (dBodyGetGravityMode(body) && isFree(body)) {
    dWorldGetGravity(world->world, gravity);
  }
  bool pushed = !dBodyIsKinematic(body) && mass.mass > 0;
  for (int i = 0; i < 3; ++i) {
    way[i] = h * (v[i] + (pushed ? h * (gravity[i] + force[i] / mass.mass) : 0));
  }
  brinkStepTurnOf(w, 1, h, dBodyGetFiniteRotationMode(body) != 0, turn);
}

/* Is the pair worth a guess? One that the program collides, and has made no contact of in this frame. */
static int wantGuess(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  const hookWorld *world = user;
  hookFrame *frame = world->stepper;
  dBrinkID brink = world->brink;
  dGeomID geomA = brink->geoms[userDataA].geom, geomB = brink->geoms[userDataB].geom;
  const hookAnswer *answer = dxHookAnswerOf(frame, geomA, geomB);
  return brinkStepWantPair(&brink->step, a, b, userDataA, userDataB) && (answer == NULL || !answer->wanted) &&
         (dxHookNextCovering(frame, &frame->calls, 0, geomA, geomB) != BRINK_NO_RECORD ||
          dxHookNextCovering(frame, &frame->before, 0, geomA, geomB) != BRINK_NO_RECORD);
}

/* Adds pairs that rest on each other: contacts keep their surfaces apart, so their boxes need not meet in a space. */
static void foreseeApart(dBrinkID brink, brinkStepForesight *ahead) {
  for (size_t i = 0; i < brink->step.pairs.heldCount; ++i) {
    const brinkStepPair pair = brink->step.pairs.heldApart[i];
    if (dxBrinkIsApartUnseen(brink, i)) {
      brinkStepForeseeHere(&brink->step, ahead, pair.a, pair.b, 1);
    }
  }
}

/* Adds pairs that the last step clamped: they stand at their impact, however they would fly on. */
static void foreseeClamped(dBrinkID brink, brinkStepForesight *ahead) {
  for (size_t i = 0; i < brink->result.eventCount; ++i) {
    const dBrinkEvent *event = &brink->result.events[i];
    const dxBrinkGeom *a = dxBrinkFindGeom(brink, event->g1), *b = dxBrinkFindGeom(brink, event->g2);
    if (event->response == dBrinkResponseClamped && a != NULL && b != NULL) {
      brinkStepForeseeHere(&brink->step, ahead, (uint32_t)(a - brink->geoms), (uint32_t)(b - brink->geoms),
                           BRINK_STEP_TOUCHING);
    }
  }
}

static void guessWorld(hookFrame *frame, hookWorld *world) {
  dBrinkID brink = world->brink;
  brinkStepForesight *ahead = &frame->ahead.seen;
  if (!dxBrinkRefresh(brink)) {
    return; /* the step will say what is wrong */
  }
  ahead->flight = flyOn;
  ahead->wants = wantGuess;
  ahead->user = world;
  brinkStepBeginForesight(&brink->step, ahead);
  foreseeApart(brink, ahead);
  brinkStepForeseeFlights(&brink->step, ahead);
  foreseeClamped(brink, ahead);
  brinkStepEndForesight(&brink->step, ahead);
  for (size_t i = 0; i < ahead->count; ++i) {
    const brinkStepPair pair = ahead->items[i].pair;
    if (BRINK_STEP_RESERVE(frame->ahead.guesses, frame->ahead.guessCount, frame->ahead.guessCapacity)) {
      frame->ahead.guesses[frame->ahead.guessCount++] =
          (hookGuess){.a = brink->geoms[pair.a].geom,
                      .b = brink->geoms[pair.b].geom,
                      .bodies = {dxBrinkBodyOfGeom(brink, pair.a), dxBrinkBodyOfGeom(brink, pair.b)},
                      .allowance = brinkStepPairAllowance(&brink->step, pair),
                      .seen = ahead->items[i]};
    }
  }
}

/* Hash of all bodies' states: has the program set one elsewhere between two calls? */
static uint64_t hashStates(hookFrame *frame) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t k = 0; k < frame->mineCount; ++k) {
    const brinkStepper *stepper = &frame->mine[k]->brink->step;
    frame->work += stepper->bodyCount;
    hash = brinkStepHashStates(stepper, hash);
  }
  return hash;
}

/* Links a guess to the sides of every call that could cover it. */
static void linkGuess(hookFrame *frame, uint32_t number) {
  const hookGuess *guess = &frame->ahead.guesses[number];
  for (dGeomID x = guess->a; x != NULL; x = (dGeomID)dGeomGetSpace(x)) {
    for (dGeomID y = guess->b; y != NULL; y = (dGeomID)dGeomGetSpace(y)) {
      uint64_t key = dxHookPairKey(x, y);
      uint32_t next = brinkKeyMap_Get(&frame->ahead.guessMap, key);
      if (BRINK_STEP_RESERVE(frame->ahead.guessLinks, frame->ahead.guessLinkCount, frame->ahead.guessLinkCapacity) &&
          brinkKeyMap_Set(&frame->ahead.guessMap, key, (uint32_t)frame->ahead.guessLinkCount)) {
        frame->ahead.guessLinks[frame->ahead.guessLinkCount++] = (hookGuessLink){number, next};
      }
    }
  }
}

static void guessAll(hookFrame *frame) {
  frame->ahead.guessCount = 0;
  for (size_t i = 0; i < frame->mineCount; ++i) {
    if (frame->mine[i]->h > 0) {
      guessWorld(frame, frame->mine[i]);
    }
  }
  frame->ahead.guessLinkCount = 0;
  brinkKeyMap_Clear(&frame->ahead.guessMap);
  for (size_t i = 0; i < frame->ahead.guessCount; ++i) {
    linkGuess(frame, (uint32_t)i);
  }
  frame->ahead.guessed = true;
}

/* ---- asking the program */

static bool isOverridden(const hookGuess *guess) {
  return dxBrinkOverrides(dGeomGetClass(guess->a), dGeomGetClass(guess->b));
}

/* Can the pair be shown where it stands? Brink's narrowphase sees the gap that contacts keep. Moved nearer, the pair
 * would be pushed apart (colliders.c), and this contact stays. */
static bool standsAsIs(const hookGuess *guess) {
  return guess->seen.toi <= BRINK_STEP_SHORTEST_REST && isOverridden(guess);
}

/* A pair that will meet in the step, but has a contact of Brink's where it stands: this is a contact of the start,
 * which the program's own call did not report because the boxes do not meet. */
static void takeAsIs(hookGuess *guess) {
  dContactGeom found;
  if (guess->seen.toi <= BRINK_STEP_SHORTEST_REST || !isOverridden(guess) ||
      dCollide(guess->a, guess->b, 1, &found, sizeof(found)) == 0) {
    return;
  }
  guess->seen.toi = 0;
  for (int i = 0; i < 2; ++i) {
    if (guess->bodies[i] != NULL) {
      dxBrinkReadState(guess->bodies[i], &guess->seen.poses[i]);
    }
  }
}

/* Notes that the program made no contact: it does not want the pair, or no collider of ODE's sees it even then. */
static void answerSilence(hookFrame *frame, uint32_t number, const hookGuess *guess, bool seen) {
  hookAnswer *answer = openAnswer(frame, guess->a, guess->b);
  if (answer == NULL || answer->wanted) {
    return;
  }
  answer->silent |= (uint64_t)1 << number % 64;
  answer->ahead = guess->seen.toi > BRINK_STEP_SHORTEST_REST;
  if (!seen) {
    answer->wanted = true;
    answer->contact = (dContact){.surface = {.mode = dContactApprox1, .mu = BRINK_STEP_FRICTION}};
  }
}

/* Where the bodies of a guess go back to: while the program is shown it, they stand at the impact. */
typedef struct showing {
  hookFrame *frame;
  brinkStepState home[2];
} showing;

static void endShowing(const showing *at) {
  for (int i = 0; i < 2; ++i) {
    if (at->frame->shown.bodies[i] != NULL) {
      dxBrinkWritePose(at->frame->shown.bodies[i], &at->home[i]);
    }
  }
  at->frame->shown = (hookGuess){.a = NULL};
}

static void askGuess(hookFrame *frame, uint32_t number, const hookCall *call, const hookGuess *guess) {
  __attribute__((cleanup(endShowing))) showing at = {.frame = frame};
  frame->shown = *guess;
  for (int i = 0; i < 2; ++i) {
    if (guess->bodies[i] != NULL) {
      dxBrinkReadState(guess->bodies[i], &at.home[i]);
      dxBrinkWritePose(guess->bodies[i], &guess->seen.poses[i]);
    }
  }
  bool still = standsAsIs(guess);
  bool seen =
      dxBrinkBringTogether(guess->a, guess->b, guess->seen.normal, guess->seen.gap, still ? 0 : guess->allowance);
  if (seen || !still) {
    dxHookAsk(frame, call, guess->a, guess->b);
    answerSilence(frame, number, guess, seen);
  }
}

static void addDue(hookFrame *frame, const hookCall *call) {
  uint32_t at = brinkKeyMap_Get(&frame->ahead.guessMap, dxHookPairKey(call->a, call->b != NULL ? call->b : call->a));
  dGeomID reported[2];
  for (; at != BRINK_NO_RECORD; at = frame->ahead.guessLinks[at].next) {
    const hookGuess *guess = &frame->ahead.guesses[frame->ahead.guessLinks[at].guess];
    frame->work++;
    if (dxHookCovers(call, guess->a, guess->b, reported) &&
        BRINK_STEP_RESERVE(frame->ahead.due, frame->ahead.dueCount, frame->ahead.dueCapacity)) {
      frame->ahead.due[frame->ahead.dueCount++] = frame->ahead.guessLinks[at].guess;
    }
  }
}

/* Lists the guesses that a call covers, by itself or by calls inside one nested space of its callback; in order. */
static void listDue(hookFrame *frame, uint32_t number) {
  const hookCalls *calls = &frame->calls;
  frame->ahead.dueCount = 0;
  for (uint32_t i = number; i <= calls->items[number].lastChild; ++i) {
    frame->work++;
    if (calls->items[i].parent == number) {
      addDue(frame, &calls->items[i]);
    }
  }
  if (frame->ahead.dueCount > 1) {
    qsort(frame->ahead.due, frame->ahead.dueCount, sizeof(*frame->ahead.due), brinkCompareNumbers);
  }
}

static void refreshGuesses(hookFrame *frame, const hookCall *call) {
  bool added = !dxHookKnowsSides(frame, &frame->before, call) && brinkStepIsWorthALook(&frame->ahead.atNew);
  bool look = brinkStepIsWorthALook(&frame->ahead.atTop);
  if (look || added || !frame->ahead.guessed) {
    uint64_t states = hashStates(frame);
    if (added || !frame->ahead.guessed || states != frame->ahead.guessedFrom) {
      guessAll(frame);
      frame->ahead.guessedFrom = states;
    }
  }
}

/* Shows the program the guesses that a call covers. Each call that covers a pair is asked, until one wants it. */
void dxHookLookAhead(hookFrame *frame, uint32_t number) {
  hookCall call = frame->calls.items[number];
  refreshGuesses(frame, &call);
  listDue(frame, number);
  double last = dxHookSettings()->mode == dBrinkModeClamp ? BRINK_STEP_SHORTEST_REST : 1;
  for (size_t i = 0; i < frame->ahead.dueCount; ++i) {
    hookGuess guess = frame->ahead.guesses[frame->ahead.due[i]];
    const hookAnswer *answer = dxHookAnswerOf(frame, guess.a, guess.b);
    if (guess.a == NULL || (i > 0 && frame->ahead.due[i] == frame->ahead.due[i - 1]) || guess.seen.toi > 1 ||
        (answer != NULL && answer->wanted)) {
      continue;
    }
    takeAsIs(&guess);
    if (guess.seen.toi <= last) {
      askGuess(frame, number, &call, &guess);
    }
  }
}
