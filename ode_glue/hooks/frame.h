/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_HOOK_FRAME_H
#define DX_BRINK_HOOK_FRAME_H
/* Guards of a thread's frame. Each sets a value for the rest of a scope, and sets it back on every way out. */
#include "hooks.h"

hookFrame *dxHookMyFrame(void);            /* NULL: no memory; then ODE's own function serves */
bool dxHookIsOurs(const hookFrame *frame); /* is it the program that calls, and does Brink have a part in it? */
void dxHookRunNear(hookFrame *frame, dNearCallback *near, void *data, dGeomID a, dGeomID b);

typedef struct insideGuard {
  hookFrame *frame;
  bool before;
} insideGuard;

void dxHookLeaveInside(const insideGuard *guard);
#define SET_INSIDE(frame, value)                                           \
  __attribute__((unused, cleanup(dxHookLeaveInside)))                      \
  const insideGuard guard = {(frame), (frame) != NULL && (frame)->inside}; \
  if ((frame) != NULL) {                                                   \
    (frame)->inside = (value);                                             \
  }

/* ODE's own function: where a preloaded library stands before it, that lets the call pass. */
#define REALLY(frame, statement) \
  do {                           \
    SET_INSIDE(frame, true);     \
    statement;                   \
  } while (0)

typedef struct askGuard {
  hookFrame *frame;
  bool asking;
  dGeomID pair[2];
  uint32_t current;
} askGuard;

void dxHookLeaveAsking(const askGuard *guard);
#define GUARD_ASKING(frame)                           \
  __attribute__((unused, cleanup(dxHookLeaveAsking))) \
  const askGuard askingGuard = {(frame), (frame)->asking, {(frame)->pair[0], (frame)->pair[1]}, (frame)->current}

#endif
