/* SPDX-License-Identifier: BSD-3-Clause */
/* The core of both hooks (brink/ode_redirect.h, preload.c), for programs that do not call dBrink functions. It keeps
 * the list of worlds and the collide calls of each frame, and tells the step whether a struck pair is one that the
 * program collides. Each function does ODE's own work and Brink's beside it. What Brink cannot serve is left to ODE,
 * with one line on the log.
 *
 * Based on: ODE's dSpaceCollide2 (which of two spaces is opened: the one of the higher sublevel, both when equal), the
 * manual's advice for nested spaces. Callbacks are the program's code: nothing is locked while they run, and what they
 * call comes back through the hooks.
 *
 * Thread rule: the registry of worlds is locked; a frame belongs to its thread; a world is stepped by one thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "frame.h"

#define NO_CALL BRINK_NO_RECORD
#define TOTALS_EVERY 100 /* steps: a program that is killed never comes to its totals */

static pthread_mutex_t worldsLock = PTHREAD_MUTEX_INITIALIZER;
static hookWorld *worlds;
static uint32_t chosenHere; /* classes whose contacts with meshes an impact made Brink's */

/* ---- worlds */

/* The record of a world. Call it under the lock. */
static hookWorld *listedWorld(dWorldID world) {
  hookWorld *at = worlds;
  while (at != NULL && at->world != world) {
    at = at->next;
  }
  return at;
}

static hookWorld *findWorld(dWorldID world) {
  pthread_mutex_lock(&worldsLock);
  hookWorld *found = listedWorld(world);
  pthread_mutex_unlock(&worldsLock);
  return found;
}

/* Lists the worlds that this thread steps in frame->mine. */
static void listMine(hookFrame *frame) {
  frame->mineCount = 0;
  pthread_mutex_lock(&worldsLock);
  for (hookWorld *world = worlds; world != NULL; world = world->next) {
    bool mine = world->brink != NULL && world->stepper == frame && !world->brink->busy;
    if (mine && BRINK_STEP_RESERVE(frame->mine, frame->mineCount, frame->mineCapacity)) {
      frame->mine[frame->mineCount++] = world;
    }
  }
  pthread_mutex_unlock(&worldsLock);
}

/* Logs a message that every step would repeat, once a world. */
static void sayOnce(hookWorld *world, bool always, const char *message) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char *at = message; *at != '\0'; ++at) {
    hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
  }
  uint64_t *told = &world->told[(hash >> 32) % HOOK_TOLD];
  if (*told != hash) {
    *told = hash;
    dxHookSay(always, "%s", message);
  }
}

/* Brink's messages, for the log alone: warnings about failures come from watchSide and account. */
static void logFromBrink(void *user, int level, const char *message) {
  (void)level;
  sayOnce(user, false, message);
}

static void applySettings(dBrinkID brink) {
  if (dxHookSettings()->substeps >= 0) {
    dBrinkSetMaxSubsteps(brink, dxHookSettings()->substeps);
  }
  if (dxHookSettings()->allowance > 0) {
    dBrinkSetAllowance(brink, dxHookSettings()->allowance);
  }
  dBrinkSetMode(brink, dxHookSettings()->mode);
  if (dxHookSettings()->records != NULL && dxHookSettings()->records[0] != '\0' &&
      !dBrinkSetRecordDirectory(brink, dxHookSettings()->records)) {
    dxHookSay(true, "BRINK_RECORD=%s: %s", dxHookSettings()->records, dBrinkGetError(brink));
  }
}

/* Registers meshes with all classes until dCloseODE. forNow: nobody asked for it, so dCloseODE ends it for good. */
static void registerMeshes(bool forNow) {
  for (int other = 0; other <= dHeightfieldClass; ++other) {
    uint32_t chosen =
        forNow && !dxBrinkOverrides(dTriMeshClass, other); /* refused are those that Brink cannot answer */
    chosenHere |= (dBrinkRegister(dTriMeshClass, other) ? chosen : 0) << other;
  }
}

static hookWorld *makeWorld(dWorldID world, unsigned realSize) {
  hookWorld *made = calloc(1, sizeof(*made));
  if (made == NULL) {
    return NULL;
  }
  made->world = world;
  made->brink = dBrinkCreateChecked(world, realSize);
  if (made->brink == NULL) {
    dxHookSay(true, "stands aside: %s", dBrinkGetError(NULL));
  } else {
    made->brink->watched->endsAreTold = true;
    dBrinkSetLog(made->brink, logFromBrink, made);
    applySettings(made->brink);
    if (dxHookSettings()->registers == hookRegisterAll) {
      dBrinkRegisterAll();
    } else if (dxHookSettings()->registers == hookRegisterMeshes) {
      registerMeshes(false);
    }
  }
  return made;
}

/* The record of a world, made when it is new. One that Brink refuses has a record without a dBrink, so that the refusal
 * is logged once. Under the lock: dBrinkCreate is for one thread at a time. */
static hookWorld *meetWorld(dWorldID world, unsigned realSize) {
  pthread_mutex_lock(&worldsLock);
  hookWorld *found = listedWorld(world);
  if (found == NULL && world != NULL && (found = makeWorld(world, realSize)) != NULL) {
    found->next = worlds;
    worlds = found;
  }
  pthread_mutex_unlock(&worldsLock);
  return found;
}

static void sayTotals(const hookWorld *world, const char *when) {
  if (world->steps > 0) {
    dxHookSay(false,
              "%s: %llu steps, %llu impacts, %llu clamps, %g s lost, %llu steps unchecked, %llu looks between them",
              when, world->steps, world->impacts, world->clamps, world->lostTime, world->failures, world->work);
  }
}

static void forgetWorld(hookWorld *world) {
  pthread_mutex_lock(&worldsLock);
  hookWorld **link = &worlds;
  while (*link != NULL && *link != world) {
    link = &(*link)->next;
  }
  if (*link != NULL) {
    *link = world->next;
  }
  pthread_mutex_unlock(&worldsLock);
  sayTotals(world, "world ends");
  dBrinkDestroy(world->brink);
  brinkKeyMap_Free(&world->seen);
  free(world);
}

__attribute__((destructor)) static void sayTotalsAtExit(void) {
  for (const hookWorld *world = worlds; world != NULL; world = world->next) {
    sayTotals(world, "world ends");
  }
}

dBrinkID dBrinkOfWorld(dWorldID world) {
  hookFrame *frame = dxHookMyFrame();
  SET_INSIDE(frame, true);
  hookWorld *found = dxHookSettings()->mode == dBrinkModeInherit ? NULL : meetWorld(world, sizeof(dReal));
  return found != NULL ? found->brink : NULL;
}

/* ---- bodies */

/* Puts a destruction off to the end of the step. False: no step is running, the object may go now. */
static bool endsLater(hookFrame *frame, hookEnd end) {
  if (!dxHookIsOurs(frame) || !frame->stepping ||
      !BRINK_STEP_RESERVE(frame->ends, frame->endCount, frame->endCapacity)) {
    return false;
  }
  frame->ends[frame->endCount++] = end;
  return true;
}

void dBrinkHookBodyDestroy(dBodyID body) {
  hookFrame *frame = dxHookMyFrame();
  if (body != NULL && endsLater(frame, (hookEnd){.body = body})) {
    return;
  }
  if (body != NULL && dxHookIsOurs(frame)) {
    hookWorld *found = findWorld(dBodyGetWorld(body));
    dBrinkID brink = found != NULL ? found->brink : NULL;
    const uint32_t number = brink != NULL ? dxBrinkFindBody(brink, body) : BRINK_NO_RECORD;
    if (number != BRINK_NO_RECORD) { /* whose state is read before the next walk, see hashStates */
      brinkStepEndBody(&brink->step, number);
    }
    dxHookForgetBody(frame, body);
  }
  REALLY(frame, dBodyDestroy(body));
}

/* ---- spaces and geoms */

/* Stops watching a geom or a space, and all in it. */
static void unwatch(dBrinkID brink, dGeomID gone) {
  for (size_t i = dGeomIsSpace(gone) ? brink->watched->spaceCount : 0; i-- > 0;) {
    if (dxHookIsUnder((dGeomID)brink->watched->spaces[i].space, gone)) {
      dBrinkRemoveSpace(brink, brink->watched->spaces[i].space);
    }
  }
  for (size_t i = brink->watched->looseCount; i-- > 0;) {
    if (dxHookIsUnder(brink->watched->looseGeoms[i], gone)) {
      dBrinkRemoveGeom(brink, brink->watched->looseGeoms[i]);
    }
  }
}

/* Forgets a geom or space that is destroyed: calls about it, answers, guesses, and what is watched in it. */
static void forgetUnder(hookFrame *frame, dGeomID gone) {
  for (size_t i = 0; i < frame->calls.count; ++i) {
    hookCall *call = &frame->calls.items[i];
    if (call->near != NULL && (dxHookIsUnder(call->a, gone) || (call->b != NULL && dxHookIsUnder(call->b, gone)))) {
      call->near = NULL;
    }
  }
  dxHookForgetGeom(frame, dGeomIsSpace(gone) ? NULL : gone);
  pthread_mutex_lock(&worldsLock);
  for (hookWorld *world = worlds; world != NULL; world = world->next) {
    brinkKeyMap_Clear(&world->seen); /* seldom; what is still there is found watched */
    if (world->brink != NULL) {
      unwatch(world->brink, gone);
    }
  }
  pthread_mutex_unlock(&worldsLock);
}

/* A geom or space is to be destroyed. True: it is put off. False: Brink has forgotten it, and ODE may destroy it. */
static bool geomEndsLater(hookFrame *frame, dGeomID geom) {
  if (geom != NULL && endsLater(frame, (hookEnd){.geom = geom})) {
    return true;
  }
  if (geom != NULL && dxHookIsOurs(frame)) {
    SET_INSIDE(frame, true);
    forgetUnder(frame, geom);
  }
  return false;
}

void dBrinkHookSpaceDestroy(dSpaceID space) {
  hookFrame *frame = dxHookMyFrame();
  if (!geomEndsLater(frame, (dGeomID)space)) {
    REALLY(frame, dSpaceDestroy(space));
  }
}

void dBrinkHookGeomDestroy(dGeomID geom) {
  hookFrame *frame = dxHookMyFrame();
  if (!geomEndsLater(frame, geom)) {
    REALLY(frame, dGeomDestroy(geom));
  }
}

void dBrinkHookWorldDestroy(dWorldID world) {
  hookFrame *frame = dxHookMyFrame();
  if (world != NULL && endsLater(frame, (hookEnd){.world = world})) {
    return;
  }
  hookWorld *found = dxHookIsOurs(frame) ? findWorld(world) : NULL;
  if (found != NULL) {
    SET_INSIDE(frame, true);
    forgetWorld(found);
  }
  REALLY(frame, dWorldDestroy(world));
}

void dBrinkHookCloseODE(void) {
  hookFrame *frame = dxHookMyFrame();
  if (dxHookIsOurs(frame)) {
    SET_INSIDE(frame, true);
    dxHookForgetGeom(frame, NULL);
    while (worlds != NULL) {
      forgetWorld(worlds);
    }
  }
  REALLY(frame, dCloseODE());
  for (int other = 0; chosenHere != 0 && !dxBrinkOdeIsInitialised(); ++other, chosenHere >>= 1) {
    if (chosenHere & 1) {
      dxBrinkKeepRegistered(dTriMeshClass, other, false);
    }
  }
}

/* ---- calls */

static hookCall makeCall(dGeomID a, dGeomID b, void *data, dNearCallback *near) {
  const bool one = b == a && dGeomIsSpace(a); /* to ODE it is a dSpaceCollide */
  hookCall call = {.a = a, .b = one ? NULL : b, .data = data, .near = near, .parent = NO_CALL};
  if (call.b != NULL) {
    bool spaceA = dGeomIsSpace(a) != 0, spaceB = dGeomIsSpace(b) != 0;
    int levelA = spaceA ? dSpaceGetSublevel((dSpaceID)a) : -1, levelB = spaceB ? dSpaceGetSublevel((dSpaceID)b) : -1;
    call.opensA = spaceA && (!spaceB || levelA >= levelB);
    call.opensB = spaceB && (!spaceA || levelB >= levelA);
  }
  return call;
}

/* Inside a question about one pair, a collide call of the callback reports that pair or nothing. */
static bool answeredForPair(hookFrame *frame, const hookCall *call) {
  dGeomID a = frame->pair[0], b = frame->pair[1], reported[2];
  dGeomID second = call->b != NULL ? call->b : call->a;
  bool about = (dxHookIsUnder(a, call->a) && dxHookIsUnder(b, second)) ||
               (dxHookIsUnder(b, call->a) && dxHookIsUnder(a, second));
  bool part = about || dxHookIsUnder(a, call->a) || dxHookIsUnder(b, call->a) || dxHookIsUnder(a, second) ||
              dxHookIsUnder(b, second);
  if (about && dxHookCovers(call, a, b, reported)) {
    dxHookRunNear(frame, call->near, call->data, reported[0], reported[1]);
  }
  /* Something else altogether, such as a ray that looks around, is ODE's. */
  return about || (part && dGeomIsSpace(call->a) && dGeomIsSpace(second));
}

static void beginFrame(hookFrame *frame) {
  hookCalls old = frame->before;
  frame->before = frame->calls;
  frame->calls = old;
  dxHookForgetCalls(&frame->calls);
  frame->stepped = false;
  frame->ahead.guessed = false;
  frame->ahead.guessCount = 0;
  frame->ahead.atTop = frame->ahead.atNew = (brinkStepLooks){0};
  dxHookBeginAnswers(frame);
}

/* Notes top calls, and those of callbacks inside one space: nothing else covers pairs of that. NO_CALL: not noted. */
static uint32_t noteCall(hookFrame *frame, const hookCall *call) {
  bool top = frame->depth == 0;
  if (!top && call->b != NULL) {
    return frame->current;
  }
  uint32_t number = dxHookFindCall(frame, &frame->calls, call, top);
  if (number == NO_CALL) {
    bool nested = !top && frame->current != NO_CALL;
    number = dxHookAddCall(&frame->calls, call, nested ? frame->calls.items[frame->current].parent : NO_CALL);
  }
  return number != NO_CALL ? number : frame->current;
}

/* Watches one side of a call: a space, the space around a geom, or a geom that is in none. Other threads may read what
 * is watched when they destroy something, so it changes under the registry's lock. */
static void watchSide(hookWorld *world, dGeomID side) {
  if (side == NULL) {
    return;
  }
  dGeomID space = dGeomIsSpace(side) ? side : (dGeomID)dGeomGetSpace(side);
  uint64_t key = BRINK_POINTER_KEY(space != NULL ? space : side);
  pthread_mutex_lock(&worldsLock);
  if (brinkKeyMap_Get(&world->seen, key) == BRINK_NO_RECORD) {
    brinkKeyMap_Set(&world->seen, key, 0); /* also when Brink refuses it */
    if (space == NULL && dGeomGetClass(side) != dRayClass) {
      dBrinkAddGeom(world->brink, side);
    } else if (space != NULL && !dBrinkAddSpace(world->brink, (dSpaceID)space)) {
      char text[600];
      snprintf(text, sizeof(text), "a space is not watched: %s", dBrinkGetError(world->brink));
      sayOnce(world, true, text);
    }
  }
  pthread_mutex_unlock(&worldsLock);
}

typedef struct realCall {
  hookFrame *frame;
  dNearCallback *near;
  void *data;
} realCall;

static void runRealNear(void *data, dGeomID a, dGeomID b) {
  realCall *call = data;
  dxHookRunNear(call->frame, call->near, call->data, a, b);
}

typedef struct depthGuard {
  hookFrame *frame;
  int depth;
  uint32_t current;
} depthGuard;

static void leaveDepth(const depthGuard *guard) {
  guard->frame->depth = guard->depth;
  guard->frame->current = guard->current;
}

/* Makes ODE's own collide call. Its callbacks are the program's code again. */
static void collideReally(hookFrame *frame, const hookCall *call, uint32_t number) {
  __attribute__((unused, cleanup(leaveDepth))) const depthGuard guardDepth = {frame, frame->depth, frame->current};
  frame->depth++;
  frame->current = number;
  realCall real = {frame, call->near, call->data};
  SET_INSIDE(frame, true);
  if (call->b != NULL) {
    dSpaceCollide2(call->a, call->b, &real, runRealNear);
  } else {
    dSpaceCollide((dSpaceID)call->a, &real, runRealNear);
  }
}

static void collide(hookFrame *frame, dGeomID a, dGeomID b, void *data, dNearCallback *near) {
  hookCall call = makeCall(a, b, data, near);
  if (frame->asking) {
    if (!answeredForPair(frame, &call)) {
      GUARD_ASKING(frame);
      frame->asking = false;
      collideReally(frame, &call, frame->current);
    }
    return;
  }
  bool top = frame->depth == 0;
  if (top && frame->stepped) {
    beginFrame(frame);
  }
  if (top) {
    SET_INSIDE(frame, true);
    listMine(frame);
    for (size_t i = 0; i < frame->mineCount; ++i) {
      watchSide(frame->mine[i], a);
      watchSide(frame->mine[i], b);
    }
  }
  uint32_t number = noteCall(frame, &call);
  collideReally(frame, &call, number);
  if (top && number != NO_CALL && dxHookLooksAhead()) {
    SET_INSIDE(frame, true);
    dxHookLookAhead(frame, number);
  }
}

void dBrinkHookSpaceCollide(dSpaceID space, void *data, dNearCallback *callback) {
  hookFrame *frame = dxHookMyFrame();
  if (dxHookIsOurs(frame) && space != NULL && callback != NULL) {
    collide(frame, (dGeomID)space, NULL, data, callback);
  } else {
    REALLY(frame, dSpaceCollide(space, data, callback));
  }
}

void dBrinkHookSpaceCollide2(dGeomID space1, dGeomID space2, void *data, dNearCallback *callback) {
  hookFrame *frame = dxHookMyFrame();
  if (dxHookIsOurs(frame) && space1 != NULL && space2 != NULL && callback != NULL) {
    collide(frame, space1, space2, data, callback);
  } else {
    REALLY(frame, dSpaceCollide2(space1, space2, data, callback));
  }
}

dJointID dBrinkHookJointCreateContact(dWorldID world, dJointGroupID group, const dContact *contact) {
  hookFrame *frame = dxHookMyFrame();
  dJointID joint;
  REALLY(frame, joint = dJointCreateContact(world, group, contact));
  if (joint != NULL && dxHookIsOurs(frame) && dxHookLooksAhead()) {
    dxHookNote(frame, joint, contact);
  }
  return joint;
}

/* ---- steps */

/* The first call that covers the pair. If a callback made it inside a nested space, the top call around it. */
static const hookCall *callFor(hookFrame *frame, dGeomID a, dGeomID b) {
  const hookCalls *calls = &frame->calls;
  for (uint32_t i = 0; (i = dxHookNextCovering(frame, calls, i, a, b)) != NO_CALL; ++i) {
    if (calls->items[calls->items[i].parent].near != NULL) {
      return &calls->items[calls->items[i].parent];
    }
  }
  return NULL;
}

/* Was every top call that covers the pair asked about it, and made no contact? */
static bool allAreSilent(hookFrame *frame, const hookAnswer *answer, dGeomID a, dGeomID b) {
  for (uint32_t i = 0; (i = dxHookNextCovering(frame, &frame->calls, i, a, b)) != NO_CALL; ++i) {
    if (frame->calls.items[i].parent == i && !(answer->silent >> i % 64 & 1)) {
      return false;
    }
  }
  return true;
}

static brinkStepSay sayOfPair(void *user, dGeomID a, dGeomID b) {
  hookFrame *frame = ((const hookWorld *)user)->stepper;
  if (callFor(frame, a, b) == NULL) {
    return brink_stepLeaves;
  }
  const hookAnswer *answer = dxHookAnswerOf(frame, a, b);
  if (answer != NULL && (answer->wanted || allAreSilent(frame, answer, a, b))) {
    return answer->wanted ? brink_stepAnswers : brink_stepLeaves;
  }
  bool sure = dxHookSettings()->callback == dBrinkCallbackReplay || dxHookSettings()->mode == dBrinkModeReport ||
              dxHookContactOf(frame, a, b) != NULL;
  return sure ? brink_stepAnswers : brink_stepUnsure;
}

/* Replay: asks every top call that covers the pair, as ODE would; of a pair inside a nested space one call. */
static void replayNear(void *data, dGeomID a, dGeomID b) {
  hookFrame *frame = ((const hookWorld *)data)->stepper;
  bool asked = false;
  for (uint32_t i = 0; (i = dxHookNextCovering(frame, &frame->calls, i, a, b)) != NO_CALL; ++i) {
    hookCall call = frame->calls.items[i];
    if (call.parent == i) {
      dxHookAsk(frame, &call, a, b);
      asked = true;
    }
  }
  const hookCall *under = asked ? NULL : callFor(frame, a, b);
  if (under != NULL) {
    hookCall call = *under;
    dxHookAsk(frame, &call, a, b);
  }
}

/* Capture: makes a pair's contacts at an impact. Before ODE's own solve they are the program's, see dxHookLookAhead. */
static void capturedNear(void *data, dGeomID a, dGeomID b) {
  hookWorld *world = data;
  if (world->brink->step.report.solves > 0) {
    dxHookContacts(world, a, b);
  }
}

static int stepPlainly(dWorldID world, double h, bool quick) {
  return quick ? dWorldQuickStep(world, h) : dWorldStep(world, h);
}

static void account(hookWorld *world, int done) {
  const dBrinkStepInfo *info = &world->brink->result.info;
  world->steps++;
  world->impacts += (unsigned long long)world->brink->result.eventCount;
  world->clamps += (unsigned long long)info->clamps;
  world->lostTime += info->lostTime;
  if (!done && world->failures++ < 10) {
    dxHookSay(true, "step %llu: %s", world->steps, dBrinkGetError(world->brink));
  }
  for (size_t i = 0; dxHookLogs() && i < world->brink->result.eventCount; ++i) {
    const dBrinkEvent *event = &world->brink->result.events[i];
    static const char *const responses[] = {"advanced", "clamped", "reported", "held back"}; /* dBrinkResponse */
    dxHookSay(false, "step %llu: impact at %.6f of the step, %s, at %g %g %g, %s and %s", world->steps, event->toi,
              responses[event->response & 3], event->position[0], event->position[1], event->position[2],
              dxBrinkClassName(dGeomGetClass(event->g1)), dxBrinkClassName(dGeomGetClass(event->g2)));
  }
  if (world->steps % TOTALS_EVERY == 0) {
    sayTotals(world, "so far");
  }
}

/* BRINK_REGISTER=auto: once a mesh was struck, contacts of meshes are Brink's, since ODE's need surfaces that cross. A
 * program in which none is struck keeps ODE's, bit for bit. */
static void registerStruck(const dBrinkID brink) {
  if (dxHookSettings()->registers != hookRegisterAuto || dxHookSettings()->mode == dBrinkModeReport ||
      dxBrinkOverrides(dTriMeshClass, dTriMeshClass)) {
    return;
  }
  for (size_t i = 0; i < brink->result.eventCount; ++i) {
    if (dGeomGetClass(brink->result.events[i].g1) == dTriMeshClass ||
        dGeomGetClass(brink->result.events[i].g2) == dTriMeshClass) {
      dxHookSay(false, "a trimesh was struck: contacts of trimeshes are Brink's from here on (BRINK_REGISTER)");
      registerMeshes(true);
      return;
    }
  }
}

static void endThings(hookFrame *frame) {
  SET_INSIDE(frame, false);
  for (size_t i = 0; i < frame->endCount; ++i) {
    hookEnd end = frame->ends[i];
    if (end.body != NULL) {
      dBrinkHookBodyDestroy(end.body);
    } else if (end.world != NULL) {
      dBrinkHookWorldDestroy(end.world);
    } else {
      dBrinkHookGeomDestroy(end.geom);
    }
  }
  frame->endCount = 0;
}

static int step(dWorldID id, double h, bool quick, unsigned realSize) {
  hookFrame *frame = dxHookMyFrame();
  bool ours = dxHookIsOurs(frame);
  SET_INSIDE(frame, true);
  if (!ours) {
    return stepPlainly(id, h, quick);
  }
  hookWorld *world = meetWorld(id, realSize);
  frame->stepped = true;
  dBrinkID brink = world != NULL && realSize == sizeof(dReal) ? world->brink : NULL;
  /* with a counterpart the program calls dBrinkWorldStep itself, which calls this */
  bool served = brink != NULL && !dxBrinkHasCounterpart(brink);
  if (served && frame->calls.count == 0 && ++frame->plain == TOTALS_EVERY) {
    dxHookSay(true, "this program never calls dSpaceCollide: its steps are plain ODE's (%d so far)", frame->plain);
  }
  if (!served || frame->calls.count == 0) {
    return stepPlainly(id, h, quick);
  }
  for (size_t i = 0; i < frame->calls.count && world->stepper != frame && !brink->busy; ++i) {
    if (frame->calls.items[i].near != NULL) {
      watchSide(world, frame->calls.items[i].a);
      watchSide(world, frame->calls.items[i].b);
    }
  }
  if (world->stepper != frame) {
    pthread_mutex_lock(&worldsLock);
    world->stepper = frame;
    pthread_mutex_unlock(&worldsLock);
  }
  dxHookNameStrays(frame);
  brink->chosen.hookSay = sayOfPair;
  brink->chosen.hookUser = world;
  dNearCallback *near = dxHookSettings()->callback == dBrinkCallbackReplay ? replayNear : capturedNear;
  frame->stepping = true;
  int done = dxBrinkStep(brink, h, world, near, NULL, quick);
  frame->stepping = false;
  brink->chosen.hookSay = NULL;
  world->h = h;
  world->work += frame->work;
  frame->work = 0;
  registerStruck(brink);
  account(world, done);
  endThings(frame);
  return done;
}

int dBrinkHookWorldStep(dWorldID world, double h, unsigned realSize) { return step(world, h, false, realSize); }

int dBrinkHookWorldQuickStep(dWorldID world, double h, unsigned realSize) { return step(world, h, true, realSize); }
