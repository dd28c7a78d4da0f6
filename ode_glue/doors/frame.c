/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's frame, and the program's callbacks run from it. Guards set back what they changed on every way out of a
 * scope, exceptions of the callbacks included. */
#include <pthread.h>
#include <stdlib.h>

#include "frame.h"

static pthread_once_t framesOnce = PTHREAD_ONCE_INIT;
static pthread_key_t frameKey;

static void freeFrame(void *data) {
  doorFrame *frame = data;
  brinkKeyMap_Free(&frame->answerMap);
  brinkKeyMap_Free(&frame->memoryMap);
  brinkKeyMap_Free(&frame->ahead.guessMap);
  dxDoorFreeCalls(&frame->calls);
  dxDoorFreeCalls(&frame->before);
  void *blocks[] = {frame->answers,  frame->ahead.guesses,    frame->made,     frame->ends, frame->held, frame->mine,
                    frame->memories, frame->ahead.guessLinks, frame->ahead.due};
  for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); ++i) {
    free(blocks[i]);
  }
  free(frame);
}

static void makeFrameKey(void) { pthread_key_create(&frameKey, freeFrame); }

/* NULL: no memory; then ODE's own function serves. */
doorFrame *dxDoorMyFrame(void) {
  pthread_once(&framesOnce, makeFrameKey);
  doorFrame *frame = pthread_getspecific(frameKey);
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

int dBrinkDoorInside(void) {
  doorFrame *frame = dxDoorMyFrame();
  return frame == NULL || frame->inside;
}

/* Is it the program that calls, and does Brink have a part in it? */
bool dxDoorIsOurs(const doorFrame *frame) {
  return frame != NULL && !frame->inside && dxDoorSettings()->mode != doorOff;
}

void dxDoorLeaveInside(const insideGuard *guard) {
  if (guard->frame != NULL) {
    guard->frame->inside = guard->before;
  }
}

typedef struct reportGuard {
  doorFrame *frame;
  dGeomID before[2];
} reportGuard;

static void leaveReport(const reportGuard *guard) {
  guard->frame->reported[0] = guard->before[0];
  guard->frame->reported[1] = guard->before[1];
}

void dxDoorRunNear(doorFrame *frame, dNearCallback *near, void *data, dGeomID a, dGeomID b) {
  __attribute__((unused, cleanup(leaveReport)))
  const reportGuard report = {frame, {frame->reported[0], frame->reported[1]}};
  frame->reported[0] = a;
  frame->reported[1] = b;
  SET_INSIDE(frame, false);
  near(data, a, b);
}

void dxDoorLeaveAsking(const askGuard *guard) {
  guard->frame->asking = guard->asking;
  guard->frame->pair[0] = guard->pair[0];
  guard->frame->pair[1] = guard->pair[1];
  guard->frame->current = guard->current;
}

void dxDoorAsk(doorFrame *frame, const doorCall *call, dGeomID a, dGeomID b) {
  dGeomID reported[2];
  bool covered = dxDoorCovers(call, a, b, reported);
  GUARD_ASKING(frame);
  frame->asking = true;
  frame->pair[0] = a;
  frame->pair[1] = b;
  dxDoorRunNear(frame, call->near, call->data, covered ? reported[0] : a, covered ? reported[1] : b);
}
