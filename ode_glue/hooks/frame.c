/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps a frame for each thread, and runs the program's callbacks from it. Guards set back what they changed on every
 * way out of a scope, exceptions of the callbacks included. */
#include <pthread.h>
#include <stdlib.h>

#include "frame.h"

static pthread_once_t framesOnce = PTHREAD_ONCE_INIT;
static pthread_key_t frameKey;

static void freeFrame(void *data) {
  hookFrame *frame = data;
  brinkKeyMap_Free(&frame->answerMap);
  brinkKeyMap_Free(&frame->ahead.guessMap);
  brinkStepFreeForesight(&frame->ahead.seen);
  dxHookFreeCalls(&frame->calls);
  dxHookFreeCalls(&frame->before);
  void *blocks[] = {frame->answers, frame->ahead.guesses,    frame->strays,   frame->ends,
                    frame->mine,    frame->ahead.guessLinks, frame->ahead.due};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
  free(frame);
}

static void makeFrameKey(void) { pthread_key_create(&frameKey, freeFrame); }

/* The frame of this thread. NULL: no memory; then ODE's own function serves. */
hookFrame *dxHookMyFrame(void) {
  pthread_once(&framesOnce, makeFrameKey);
  hookFrame *frame = pthread_getspecific(frameKey);
  if (frame == NULL) {
    frame = calloc(1, sizeof(*frame));
    if (frame != NULL && pthread_setspecific(frameKey, frame) != 0) {
      free(frame);
      frame = NULL;
    }
    if (frame != NULL) {
      frame->current = BRINK_NO_RECORD;
    }
  }
  return frame;
}

int dBrinkHookInside(void) {
  hookFrame *frame = dxHookMyFrame();
  return frame == NULL || frame->inside;
}

/* Is it the program that calls, not ODE or Brink, and is Brink switched on? */
bool dxHookIsOurs(const hookFrame *frame) {
  return frame != NULL && !frame->inside && dxHookSettings()->mode != dBrinkModeInherit;
}

void dxHookLeaveInside(const insideGuard *guard) {
  if (guard->frame != NULL) {
    guard->frame->inside = guard->before;
  }
}

typedef struct reportGuard {
  hookFrame *frame;
  dGeomID before[2];
} reportGuard;

static void leaveReport(const reportGuard *guard) {
  guard->frame->reported[0] = guard->before[0];
  guard->frame->reported[1] = guard->before[1];
}

void dxHookRunNear(hookFrame *frame, dNearCallback *near, void *data, dGeomID a, dGeomID b) {
  __attribute__((unused, cleanup(leaveReport)))
  const reportGuard report = {frame, {frame->reported[0], frame->reported[1]}};
  frame->reported[0] = a;
  frame->reported[1] = b;
  SET_INSIDE(frame, false);
  near(data, a, b);
}

void dxHookLeaveAsking(const askGuard *guard) {
  guard->frame->asking = guard->asking;
  guard->frame->pair[0] = guard->pair[0];
  guard->frame->pair[1] = guard->pair[1];
  guard->frame->current = guard->current;
}

void dxHookAsk(hookFrame *frame, const hookCall *call, dGeomID a, dGeomID b) {
  dGeomID reported[2];
  bool covered = dxHookCovers(call, a, b, reported);
  GUARD_ASKING(frame);
  frame->asking = true;
  frame->pair[0] = a;
  frame->pair[1] = b;
  dxHookRunNear(frame, call->near, call->data, covered ? reported[0] : a, covered ? reported[1] : b);
}
