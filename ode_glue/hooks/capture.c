/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of programs whose callback data does not outlive their dSpaceCollide (Python's ODE passes a temporary
 * tuple): what they want of a pair must be learned inside that call. After ODE's own call has returned, Brink asks
 * which pairs will meet during a step like the last one if every body flies on (velocity, gravity, the step's motion as
 * ODE executes it). Each such pair is set to its pose at the impact, the program's callback sees it there, its contact
 * joint's surface is kept and the joint disabled, and everything goes back bit for bit. At the impact, inside the step,
 * contacts are made with that surface. A pair that starts the next step at its impact keeps the program's own joint: an
 * ordinary contact. Joints that a program makes only after its collide call, of what the callback wrote down, are taken
 * the same way. A pair that is struck without having been foreseen (a rebound, a motor) gets the surface it had a few
 * frames ago; where it had none, it is clamped at its impact and learned next frame.
 *
 * Based on: measurements in docs/ode.md, "Callbacks"; ODE's step (semi-implicit Euler): v' = v + h a, x' = x + h v',
 * turn 2 atan(|w| h / 2). Units: m, s, rad. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "../step.h"

#define MAX_CONTACTS 8

/* ---- answers of this frame */

static hookAnswer *findAnswer(const hookFrame *frame, dGeomID a, dGeomID b) {
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

const hookAnswer *dxHookAnswerOf(const hookFrame *frame, dGeomID a, dGeomID b) { return findAnswer(frame, a, b); }

static void remember(hookFrame *frame, const hookAnswer *answer) {
  uint64_t key = dxHookPairKey(answer->a, answer->b);
  uint32_t at = brinkKeyMap_Get(&frame->memoryMap, key);
  if (at == BRINK_NO_RECORD) {
    if (!BRINK_STEP_RESERVE(frame->memories, frame->memoryCount, frame->memoryCapacity) ||
        !brinkKeyMap_Set(&frame->memoryMap, key, (uint32_t)frame->memoryCount)) {
      return;
    }
    at = (uint32_t)frame->memoryCount++;
  }
  frame->memories[at] = (hookMemory){answer->a, answer->b, frame->number, answer->contact};
}

static void forgetOldMemories(hookFrame *frame) {
  size_t kept = 0;
  brinkKeyMap_Clear(&frame->memoryMap);
  for (size_t i = 0; i < frame->memoryCount; ++i) {
    hookMemory memory = frame->memories[i];
    if (memory.a != NULL && frame->number - memory.frame < BRINK_STEP_MEMORY &&
        brinkKeyMap_Set(&frame->memoryMap, dxHookPairKey(memory.a, memory.b), (uint32_t)kept)) {
      frame->memories[kept++] = memory;
    }
  }
  frame->memoryCount = kept;
}

void dxHookForgetGeom(hookFrame *frame, dGeomID geom) {
  for (size_t i = 0; i < frame->memoryCount; ++i) {
    hookMemory *memory = &frame->memories[i];
    if (geom == NULL || memory->a == geom || memory->b == geom) {
      memory->a = memory->b = NULL;
    }
  }
  for (size_t i = 0; i < frame->answerCount; ++i) {
    hookAnswer *answer = &frame->answers[i];
    if (geom == NULL || answer->a == geom || answer->b == geom) {
      answer->a = answer->b = NULL;
      answer->wanted = false;
    }
  }
}

void dxHookForgetAnswers(hookFrame *frame) {
  for (size_t i = 0; i < frame->answerCount; ++i) {
    if (frame->answers[i].wanted) {
      remember(frame, &frame->answers[i]);
    }
  }
  frame->answerCount = 0;
  brinkKeyMap_Clear(&frame->answerMap);
  frame->number++;
  if (frame->number % BRINK_STEP_MEMORY == 0) {
    forgetOldMemories(frame);
  }
}

const dContact *dxHookContactOf(const hookFrame *frame, dGeomID a, dGeomID b) {
  const hookAnswer *answer = findAnswer(frame, a, b);
  if (answer != NULL) {
    return answer->wanted ? &answer->contact : NULL;
  }
  uint32_t at = brinkKeyMap_Get(&frame->memoryMap, dxHookPairKey(a, b));
  const hookMemory *memory = at == BRINK_NO_RECORD ? NULL : &frame->memories[at];
  bool serves = memory != NULL && frame->number - memory->frame < BRINK_STEP_MEMORY &&
                ((memory->a == a && memory->b == b) || (memory->a == b && memory->b == a));
  return serves ? &memory->contact : NULL;
}

/* NULL: no memory; the pair stays unknown. */
static hookAnswer *addAnswer(hookFrame *frame, dGeomID a, dGeomID b) {
  if (!BRINK_STEP_RESERVE(frame->answers, frame->answerCount, frame->answerCapacity)) {
    return NULL;
  }
  uint64_t key = dxHookPairKey(a, b);
  uint32_t number = (uint32_t)frame->answerCount, next = brinkKeyMap_Get(&frame->answerMap, key);
  if (!brinkKeyMap_Set(&frame->answerMap, key, number)) {
    return NULL;
  }
  frame->answers[number] = (hookAnswer){.a = a, .b = b, .next = next};
  frame->answerCount++;
  return &frame->answers[number];
}

/* The first contact of a pair speaks for it. */
static hookAnswer *noteFor(hookFrame *frame, dGeomID a, dGeomID b, const dContact *contact) {
  hookAnswer *answer = findAnswer(frame, a, b);
  answer = answer != NULL ? answer : addAnswer(frame, a, b);
  if (answer != NULL && !answer->wanted) {
    answer->late = answer->ahead && frame->depth == 0 && !frame->asking;
    answer->wanted = true;
    answer->contact = *contact;
  }
  return answer;
}

/* A contact names its geoms, but those inside GeomTransforms are not what the callback was called with. */
void dxHookNote(hookFrame *frame, dJointID joint, const dContact *contact) {
  dGeomID a = contact->geom.g1, b = contact->geom.g2, c = frame->reported[0], d = frame->reported[1];
  if (frame->learning && BRINK_STEP_RESERVE(frame->made, frame->madeCount, frame->madeCapacity)) {
    frame->made[frame->madeCount++] = joint;
  }
  const hookAnswer *answer = a != NULL && b != NULL ? noteFor(frame, a, b, contact) : NULL;
  if (answer != NULL && answer->late) {
    dJointDisable(joint);
  }
  if (c != NULL && d != NULL && !dGeomIsSpace(c) && !dGeomIsSpace(d) && !((a == c && b == d) || (a == d && b == c))) {
    noteFor(frame, c, d, contact);
  }
}

void dxHookContacts(hookFrame *frame, hookWorld *world, dGeomID a, dGeomID b) {
  const dContact *known = dxHookContactOf(frame, a, b);
  if (known == NULL) {
    return;
  }
  dContactGeom geoms[MAX_CONTACTS];
  int count = dCollide(a, b, MAX_CONTACTS, geoms, sizeof(geoms[0]));
  for (int i = 0; i < count; ++i) {
    dContact contact = *known;
    contact.geom = geoms[i]; /* its normal points into the first geom's body, whatever the contact calls the geom */
    dJointID joint = dJointCreateContact(world->world, world->brink->contacts.ownGroup, &contact);
    dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
  }
}

/* ---- which pairs will meet */

/* Something that a joint holds does not fall freely: its last velocity says more than gravity does. */
static bool isFree(dBodyID body) {
  int count = dBodyGetNumJoints(body);
  for (int i = 0; i < count; ++i) {
    if (dJointIsEnabled(dBodyGetJoint(body, i))) {
      return false;
    }
  }
  return true;
}

/* Motion of one body during a step like the last, as ODE would execute it. false: not finite. */
static bool flyOn(const hookWorld *world, dBodyID body, brinkBodyMotion *motion, bool *moves) {
  const dReal *p = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
  const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body), *force = dBodyGetForce(body);
  double h = world->h, velocity[3] = {0, 0, 0}, spin[3] = {0, 0, 0};
  if (dBodyIsEnabled(body)) {
    dMass mass;
    dVector3 gravity = {0, 0, 0, 0};
    dBodyGetMass(body, &mass);
    if (dBodyGetGravityMode(body) && isFree(body)) {
      dWorldGetGravity(world->world, gravity);
    }
    bool pushed = !dBodyIsKinematic(body) && mass.mass > 0;
    double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    double turn = dBodyGetFiniteRotationMode(body) ? speed * h : 2 * atan(speed * h / 2);
    for (int i = 0; i < 3; ++i) {
      velocity[i] = h * (v[i] + (pushed ? h * (gravity[i] + force[i] / mass.mass) : 0));
      spin[i] = speed > 0 ? w[i] / speed * turn : 0;
    }
  }
  *motion = (brinkBodyMotion){.structSize = sizeof(*motion), .kind = brink_motionVelocities};
  motion->flags = BRINK_MOTION_ALONE;
  motion->pose0 = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  motion->pose1 = motion->pose0;
  motion->velocity = (brinkVec3){velocity[0], velocity[1], velocity[2]};
  motion->spin = (brinkVec3){spin[0], spin[1], spin[2]};
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += velocity[i] * velocity[i] + spin[i] * spin[i];
  }
  *moves = *moves || sum > 0;
  motion->kind = sum > 0 ? brink_motionVelocities : brink_motionRest;
  return isfinite(sum + p[0] + p[1] + p[2] + q[0] + q[1] + q[2] + q[3]);
}

typedef struct guessContext {
  hookFrame *frame;
  dBrinkID brink;
} guessContext;

/* Asked about: what the program collides and has made no contact of in this frame. */
static int wantGuess(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  const guessContext *context = user;
  hookFrame *frame = context->frame;
  dGeomID geomA = context->brink->geoms[userDataA].geom, geomB = context->brink->geoms[userDataB].geom;
  const hookAnswer *answer = findAnswer(frame, geomA, geomB);
  return brinkStepWantPair(&context->brink->step, a, b, userDataA, userDataB) && (answer == NULL || !answer->wanted) &&
         (dxHookNextCovering(frame, &frame->calls, 0, geomA, geomB) != BRINK_NO_RECORD ||
          dxHookNextCovering(frame, &frame->before, 0, geomA, geomB) != BRINK_NO_RECORD);
}

/* Bit for bit: ODE's setters normalise the quaternion, but its getters return the storage itself. */
static void writePose(dBodyID body, const brinkStepState *pose, const double direction[3], double distance) {
  memcpy((dReal *)(uintptr_t)dBodyGetQuaternion(body), pose->quaternion, sizeof(pose->quaternion));
  memcpy((dReal *)(uintptr_t)dBodyGetRotation(body), pose->rotation, sizeof(pose->rotation));
  const dReal *p = pose->position;
  dBodySetPosition(body, p[0] + distance * direction[0], p[1] + distance * direction[1],
                   p[2] + distance * direction[2]);
}

/* toi 0: where it is, to the last bit. */
static bool poseAt(dBrinkID brink, uint32_t record, double toi, dBodyID *body, brinkStepState *pose) {
  *body = record == BRINK_NO_RECORD ? NULL : brink->step.bodies[record].body;
  if (*body == NULL || !(toi > 0)) {
    if (*body != NULL) {
      dxBrinkReadState(*body, pose);
    }
    return true;
  }
  brinkPose at;
  if (brink->shapes.plugin->bodyPose(brink->shapes.world, brink->step.bodies[record].id, toi, &at) != brink_ok) {
    return false;
  }
  dQuaternion q = {at.rotation.w, at.rotation.x, at.rotation.y, at.rotation.z};
  memcpy(pose->position, &at.position, 3 * sizeof(dReal));
  memcpy(pose->quaternion, q, sizeof(pose->quaternion));
  dRfromQ(pose->rotation, q);
  return true;
}

/* While guesses are gathered, guessMap finds them by their pair. */
static bool isGuessed(const hookFrame *frame, dGeomID a, dGeomID b) {
  uint32_t at = brinkKeyMap_Get(&frame->ahead.guessMap, dxHookPairKey(a, b));
  const hookGuess *guess = at == BRINK_NO_RECORD ? NULL : &frame->ahead.guesses[at];
  return guess != NULL && ((guess->a == a && guess->b == b) || (guess->a == b && guess->b == a));
}

static void addGuess(hookFrame *frame, hookWorld *world, const brinkContact *contact) {
  dBrinkID brink = world->brink;
  uint32_t a = brinkKeyMap_Get(&brink->step.colliderMap, contact->colliderA);
  uint32_t b = brinkKeyMap_Get(&brink->step.colliderMap, contact->colliderB);
  if ((contact->state != brink_hit && contact->state != brink_unresolved) || contact->toi > 1 || a == BRINK_NO_RECORD ||
      b == BRINK_NO_RECORD ||
      !BRINK_STEP_RESERVE(frame->ahead.guesses, frame->ahead.guessCount, frame->ahead.guessCapacity)) {
    return;
  }
  dGeomID geomA = brink->geoms[a].geom, geomB = brink->geoms[b].geom;
  if (isGuessed(frame, geomA, geomB)) {
    return;
  }
  hookGuess *guess = &frame->ahead.guesses[frame->ahead.guessCount];
  *guess = (hookGuess){.world = world, .a = geomA, .b = geomB, .toi = contact->toi};
  guess->gap = fmax(contact->distance, 0);
  guess->allowance = fmin(brink->geoms[a].allowance, brink->geoms[b].allowance);
  memcpy(guess->normal, &contact->normal, sizeof(guess->normal));
  brinkKeyMap_Set(&frame->ahead.guessMap, dxHookPairKey(geomA, geomB), (uint32_t)frame->ahead.guessCount);
  frame->ahead.guessCount++;
}

/* Would the step find it quiet (plugin/stepping/culling.c) if it flew on like that? Then nothing needs to be known of
 * it. */
static bool staysQuiet(const brinkStepHotData *hot, const brinkBodyMotion *motion) {
  if (!hot->known) {
    return false;
  }
  const double *v = &motion->velocity.x, *w = &motion->spin.x;
  double step = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (hot->turnReach > 0) {
    step += sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * hot->turnReach;
  }
  double left;
  return brinkStepIsInside(hot, dBodyGetPosition(hot->body), dBodyGetQuaternion(hot->body), step, &left);
}

/* Then it was not sent its flight, and stands in the plugin's world where it was looked at last. */
static bool isLeftOut(const hookWorld *world, uint32_t number) {
  const dxBrink *brink = world->brink;
  brinkBodyMotion motion;
  bool flies = false;
  return flyOn(world, brink->step.bodies[number].body, &motion, &flies) &&
         staysQuiet(&brink->step.hotData[number], &motion);
}

/* In the plugin's world: to where it is now, or back to where it was looked at last. */
static bool standHere(const hookWorld *world, uint32_t number, bool here) {
  dBrinkID brink = world->brink;
  if (number == BRINK_NO_RECORD || !isLeftOut(world, number)) {
    return true;
  }
  const brinkStepBody *record = &brink->step.bodies[number];
  const brinkStepHotData *hot = &brink->step.hotData[number];
  bool stands = brinkStepRestAt(&brink->step, number, here ? dBodyGetPosition(record->body) : hot->lookPosition,
                                here ? dBodyGetQuaternion(record->body) : hot->lookQuaternion);
  if (!stands) {
    brinkStepVoidLook(&brink->step, number);
  }
  return stands;
}

/* A pair to be asked about where it is now. reach: of its allowance; nearer than this it is a contact of the start. */
static void guessHere(hookFrame *frame, hookWorld *world, dGeomID geomA, dGeomID geomB, double reach) {
  dBrinkID brink = world->brink;
  const dxBrinkGeom *a = dxBrinkFindGeom(brink, geomA), *b = dxBrinkFindGeom(brink, geomB);
  brinkContact now;
  if (a == NULL || b == NULL || !a->answered || !b->answered) {
    return;
  }
  brinkColliderId low = a->collider < b->collider ? a->collider : b->collider;
  brinkColliderId high = a->collider < b->collider ? b->collider : a->collider;
  if (standHere(world, a->body, true) && standHere(world, b->body, true) &&
      brink->shapes.plugin->distance(brink->shapes.world, low, high, 0, &now) == brink_ok) {
    now.state = brink_hit;
    now.toi = now.distance <= reach * fmin(a->allowance, b->allowance) ? 0 : 2 * BRINK_STEP_SHORTEST_REST;
    addGuess(frame, world, &now);
  }
  (void)standHere(world, a->body, false);
  (void)standHere(world, b->body, false);
}

/* What contacts keep a hair apart, farther than a space looks: they rest on each other. */
static void guessApart(hookFrame *frame, hookWorld *world) {
  const dxBrink *brink = world->brink;
  for (size_t i = 0; i < brink->step.pairs.heldCount; ++i) {
    const dxBrinkGeom *a = &brink->geoms[brink->step.pairs.heldApart[i].a],
                      *b = &brink->geoms[brink->step.pairs.heldApart[i].b];
    bool same = a->geom == brink->step.pairs.heldGeoms[i][0] && b->geom == brink->step.pairs.heldGeoms[i][1];
    if (same && !dxBrinkBoxesMeet(a->geom, b->geom) &&
        dxBrinkBoxesWithin(a->geom, b->geom, brinkStepContactReach(&brink->step, brink->step.pairs.heldApart[i]))) {
      guessHere(frame, world, a->geom, b->geom, 1);
    }
  }
}

/* The last step stopped these where they are now, at their impact; how they would fly on is not the point. */
static void guessClamped(hookFrame *frame, hookWorld *world) {
  for (size_t i = 0; i < frame->heldCount; ++i) {
    guessHere(frame, world, frame->held[i][0], frame->held[i][1], BRINK_STEP_TOUCHING);
  }
}

/* Gives every body that is not quiet its flight. *moves: some do. false: something is not finite, or no memory. */
static bool sendFlights(hookWorld *world, bool *moves) {
  dBrinkID brink = world->brink;
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[i];
    brinkBodyMotion motion;
    bool flies = false;
    if (record->body == NULL) {
      continue;
    }
    if (!flyOn(world, record->body, &motion, &flies)) {
      return false;
    }
    if (staysQuiet(&brink->step.hotData[i], &motion)) {
      continue;
    }
    if (brink->shapes.plugin->setBodyMotion(brink->shapes.world, record->id, &motion) != brink_ok) {
      return false;
    }
    *moves = *moves || flies;
  }
  return true;
}

/* Bodies that were looked at stand in the plugin's world where that was: plugin/stepping/culling.c counts on it. */
static void restoreLooks(hookWorld *world) {
  dBrinkID brink = world->brink;
  for (size_t i = 0; i < brink->step.bodyCount; ++i) {
    const brinkStepBody *record = &brink->step.bodies[i];
    const brinkStepHotData *hot = &brink->step.hotData[i];
    if (record->body == NULL || !hot->known || isLeftOut(world, (uint32_t)i)) {
      continue;
    }
    if (!brinkStepRestAt(&brink->step, (uint32_t)i, hot->lookPosition, hot->lookQuaternion)) {
      brinkStepVoidLook(&brink->step, (uint32_t)i);
    }
  }
}

/* What the plugin says of the flights. */
static void guessFlights(hookFrame *frame, hookWorld *world) {
  dBrinkID brink = world->brink;
  guessContext context = {frame, brink};
  brink->shapes.plugin->setPairFilter(brink->shapes.world, wantGuess, &context);
  brinkQuery query = {.structSize = sizeof(query), .mode = brink_modePairs, .scheme = brink->step.settings.scheme};
  query.watch = brink_watchDepth;
  query.tEnd = 1;
  brinkReport report = {.structSize = sizeof(report), .counters = {.structSize = sizeof(report.counters)}};
  if (brink->shapes.plugin->firstContact(brink->shapes.world, &query, &report) == brink_ok) {
    for (size_t i = 0; i < report.contactCount; ++i) {
      addGuess(frame, world, &report.contacts[i]);
    }
  }
  brink->shapes.plugin->setPairFilter(brink->shapes.world, NULL, NULL);
}

static void guessWorld(hookFrame *frame, hookWorld *world) {
  dBrinkID brink = world->brink;
  size_t first = frame->ahead.guessCount;
  bool moves = false;
  if (!dxBrinkRefresh(brink)) {
    return; /* the step will say what is wrong */
  }
  bool sent = sendFlights(world, &moves);
  guessApart(frame, world);
  size_t firstFlight = frame->ahead.guessCount;
  if (sent && moves) {
    guessFlights(frame, world);
  }
  size_t firstClamped = frame->ahead.guessCount;
  guessClamped(frame, world);
  for (size_t i = first; i < frame->ahead.guessCount; ++i) {
    hookGuess *guess = &frame->ahead.guesses[i];
    const dxBrinkGeom *a = dxBrinkFindGeom(brink, guess->a), *b = dxBrinkFindGeom(brink, guess->b);
    double at = i >= firstFlight && i < firstClamped ? guess->toi : 0;
    if (!poseAt(brink, a->body, at, &guess->bodies[0], &guess->poses[0]) ||
        !poseAt(brink, b->body, at, &guess->bodies[1], &guess->poses[1]) ||
        (guess->bodies[0] == NULL && guess->bodies[1] == NULL)) { /* what was clamped has lost its body since */
      guess->toi = 2;
    }
  }
  restoreLooks(world);
}

static uint64_t mix(uint64_t hash, const dReal *values, int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof(bits));
    hash = (hash ^ bits) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

/* Where everything is and goes: a program may set bodies elsewhere between two calls. */
static uint64_t hashStates(hookFrame *frame) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t k = 0; k < frame->mineCount; ++k) {
    const dxBrink *brink = frame->mine[k]->brink;
    for (size_t i = 0; i < brink->step.bodyCount; ++i) {
      dBodyID body = brink->step.bodies[i].body;
      frame->work++;
      if (body != NULL && !brink->hosted[i].ended) {
        hash = mix(mix(hash, dBodyGetPosition(body), 3), dBodyGetQuaternion(body), 4);
        hash = mix(mix(hash, dBodyGetLinearVel(body), 3), dBodyGetAngularVel(body), 3);
        hash = mix(hash, dBodyGetForce(body), 3);
      }
    }
  }
  return hash;
}

/* Under the sides of every call that could cover it. */
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
  brinkKeyMap_Clear(&frame->ahead.guessMap);
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

/* Brink's own colliders see what contacts keep apart now. Farther off it needs none; moved nearer it would be pushed
 * away (colliders.c), and this contact stays. */
static bool standsAsIs(const hookGuess *guess) { return guess->toi <= BRINK_STEP_SHORTEST_REST && isOverridden(guess); }

/* A pair that is about to meet, but is kept apart already where it is: a contact of the start, which the program's own
 * call did not report because the boxes do not meet. */
static void takeAsIs(hookGuess *guess) {
  dContactGeom found;
  if (guess->toi <= BRINK_STEP_SHORTEST_REST || !isOverridden(guess) ||
      dCollide(guess->a, guess->b, 1, &found, sizeof(found)) == 0) {
    return;
  }
  guess->toi = 0;
  for (int i = 0; i < 2; ++i) {
    if (guess->bodies[i] != NULL) {
      dxBrinkReadState(guess->bodies[i], &guess->poses[i]);
    }
  }
}

/* ODE's colliders do not see the gap of an impact pose: one body goes along the normal until they do. */
static bool moveUntilSeen(const hookGuess *guess) {
  int mover = guess->bodies[0] != NULL ? 0 : 1;
  double sign = mover == 0 ? 1 : -1; /* the normal points from a to b */
  double tries[] = {0, guess->gap + DX_BRINK_ODE_SEES * guess->allowance,
                    guess->gap + BRINK_STEP_EDGE * guess->allowance,
                    guess->gap + BRINK_STEP_TOUCHING * guess->allowance};
  size_t tryCount = standsAsIs(guess) ? 1 : sizeof(tries) / sizeof(*tries);
  bool ask = dxBrinkMayAskOde(dGeomGetClass(guess->a), dGeomGetClass(guess->b)), seen = false;
  for (size_t i = 0; i < tryCount && !seen; ++i) {
    dContactGeom found;
    writePose(guess->bodies[mover], &guess->poses[mover], guess->normal, sign * tries[i]);
    seen = ask && dCollide(guess->a, guess->b, 1, &found, sizeof(found)) > 0;
  }
  return seen || !ask;
}

static void disableMade(hookFrame *frame) {
  for (size_t i = 0; i < frame->madeCount; ++i) {
    dJointDisable(frame->made[i]);
  }
}

/* The program made nothing: it does not want the pair, or no collider of ODE's sees it even now. */
static void answerSilence(hookFrame *frame, uint32_t number, const hookGuess *guess, bool seen) {
  hookAnswer *answer = findAnswer(frame, guess->a, guess->b);
  answer = answer != NULL ? answer : addAnswer(frame, guess->a, guess->b);
  if (answer == NULL || answer->wanted) {
    return;
  }
  answer->silent |= (uint64_t)1 << number % 64;
  answer->ahead = guess->toi > BRINK_STEP_SHORTEST_REST;
  if (!seen) {
    answer->wanted = true;
    answer->contact = (dContact){.surface = {.mode = dContactApprox1, .mu = BRINK_STEP_FRICTION}};
  }
}

static void askGuess(hookFrame *frame, uint32_t number, const hookCall *call, const hookGuess *guess) {
  brinkStepState home[2];
  for (int i = 0; i < 2; ++i) {
    if (guess->bodies[i] != NULL) {
      dxBrinkReadState(guess->bodies[i], &home[i]);
      writePose(guess->bodies[i], &guess->poses[i], guess->normal, 0);
    }
  }
  bool seen = moveUntilSeen(guess);
  bool asked = seen || !standsAsIs(guess);
  frame->learning = true;
  frame->madeCount = 0;
  frame->gone[0] = frame->gone[1] = NULL;
  if (asked) {
    dxHookAsk(frame, call, guess->a, guess->b);
  }
  frame->learning = false;
  for (int i = 0; i < 2; ++i) {
    dBodyID body = guess->bodies[i];
    if (body != NULL && body != frame->gone[0] && body != frame->gone[1]) {
      writePose(body, &home[i], guess->normal, 0);
    }
  }
  if (asked) {
    answerSilence(frame, number, guess, seen);
  }
  if (guess->toi > BRINK_STEP_SHORTEST_REST) {
    disableMade(frame);
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

static int compareNumbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Guesses that the call covers, by itself or by calls inside one nested space that its callback made; in order. */
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
    qsort(frame->ahead.due, frame->ahead.dueCount, sizeof(*frame->ahead.due), compareNumbers);
  }
}

/* Of many calls in a frame not each is worth a look at the whole world: after the first few, those whose number has
 * doubled since the last. What is missed is met as something unforeseen. */
static bool isWorthALook(size_t number, size_t last) { return number <= BRINK_STEP_EXACT_CALLS || number >= 2 * last; }

static void refreshGuesses(hookFrame *frame, const hookCall *call) {
  bool added =
      !dxHookKnowsSides(frame, &frame->before, call) && isWorthALook(++frame->ahead.newCalls, frame->ahead.lastAdded);
  bool look = isWorthALook(++frame->ahead.topCalls, frame->ahead.lastHashed);
  uint64_t states = look || added || !frame->ahead.guessed ? hashStates(frame) : frame->ahead.guessedFrom;
  frame->ahead.lastAdded = added ? frame->ahead.newCalls : frame->ahead.lastAdded;
  frame->ahead.lastHashed = look ? frame->ahead.topCalls : frame->ahead.lastHashed;
  if (added || !frame->ahead.guessed || states != frame->ahead.guessedFrom) {
    guessAll(frame);
    frame->ahead.guessedFrom = states;
  }
}

/* Each call that covers a pair is asked, until one wants it. */
void dxHookLookAhead(hookFrame *frame, uint32_t number) {
  hookCall call = frame->calls.items[number];
  refreshGuesses(frame, &call);
  listDue(frame, number);
  double last = dxHookSettings()->mode == hookClamp ? BRINK_STEP_SHORTEST_REST : 1;
  for (size_t i = 0; i < frame->ahead.dueCount; ++i) {
    hookGuess guess = frame->ahead.guesses[frame->ahead.due[i]];
    const hookAnswer *answer = findAnswer(frame, guess.a, guess.b);
    if ((i > 0 && frame->ahead.due[i] == frame->ahead.due[i - 1]) || guess.toi > 1 ||
        (answer != NULL && answer->wanted)) {
      continue;
    }
    takeAsIs(&guess);
    if (guess.toi <= last) {
      askGuess(frame, number, &call, &guess);
    }
  }
}
