/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the program's collide calls covers a pair of geoms: reports it, or a space around it? Calls are found by
 * their sides, from the geoms and the few spaces around them. So a frame of many calls, as of a program that collides
 * each geom by itself, costs no more for each pair than a frame of one.
 *
 * Based on: ODE's dSpaceCollide2 (which of two spaces is opened: the one of the higher sublevel, both when equal). */
#include <stdlib.h>

#include "hooks.h"

/* Key of an unordered pair. Addresses serve as keys only; no order follows from them. */
uint64_t dxHookPairKey(dGeomID a, dGeomID b) {
  uint64_t x = BRINK_POINTER_KEY(a), y = BRINK_POINTER_KEY(b);
  uint64_t low = x < y ? x : y, high = x < y ? y : x;
  uint64_t key = (low * 0x9e3779b97f4a7c15u) ^ (high + (low >> 7));
  return key != 0 ? key : 1;
}

static uint64_t keyOfCall(const hookCall *call) { return dxHookPairKey(call->a, call->b != NULL ? call->b : call->a); }

bool dxHookIsUnder(dGeomID geom, dGeomID ancestor) {
  while (geom != NULL && geom != ancestor) {
    geom = (dGeomID)dGeomGetSpace(geom);
  }
  return geom != NULL;
}

static dGeomID childToward(dGeomID space, dGeomID geom) {
  while (geom != NULL && (dGeomID)dGeomGetSpace(geom) != space) {
    geom = (dGeomID)dGeomGetSpace(geom);
  }
  return geom;
}

static dGeomID reportedOf(dGeomID side, bool opens, dGeomID geom) {
  return opens ? childToward(side, geom) : dxHookIsUnder(geom, side) ? side : NULL;
}

static bool bitsMeet(dGeomID a, dGeomID b) {
  return (dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) || (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a));
}

/* Pointers in a call may be stale, so they are compared with the spaces around living geoms, and never followed. */
bool dxHookCovers(const hookCall *call, dGeomID a, dGeomID b, dGeomID reported[2]) {
  if (call->near == NULL) {
    return false;
  }
  if (call->b == NULL) {
    reported[0] = childToward(call->a, a);
    reported[1] = childToward(call->a, b);
  } else {
    reported[0] = reportedOf(call->a, call->opensA, a);
    reported[1] = reported[0] == NULL ? NULL : reportedOf(call->b, call->opensB, b);
    if (reported[1] == NULL) {
      reported[0] = reportedOf(call->b, call->opensB, a);
      reported[1] = reported[0] == NULL ? NULL : reportedOf(call->a, call->opensA, b);
    }
  }
  return reported[0] != NULL && reported[1] != NULL && reported[0] != reported[1] && bitsMeet(reported[0], reported[1]);
}

/* The first call from number `from` on that has these sides and covers the pair. */
static uint32_t firstOfKey(hookFrame *frame, const hookCalls *calls, uint64_t key, uint32_t from, dGeomID a,
                           dGeomID b) {
  uint32_t best = BRINK_NO_RECORD, at = brinkKeyMap_Get(&calls->map, key);
  dGeomID reported[2];
  for (; at != BRINK_NO_RECORD && at >= from; at = calls->items[at].previous) {
    frame->work++;
    best = dxHookCovers(&calls->items[at], a, b, reported) ? at : best;
  }
  return best;
}

uint32_t dxHookNextCovering(hookFrame *frame, const hookCalls *calls, uint32_t from, dGeomID a, dGeomID b) {
  uint32_t best = BRINK_NO_RECORD;
  for (dGeomID x = a; x != NULL; x = (dGeomID)dGeomGetSpace(x)) {
    for (dGeomID y = b; y != NULL; y = (dGeomID)dGeomGetSpace(y)) {
      uint32_t found = firstOfKey(frame, calls, dxHookPairKey(x, y), from, a, b);
      best = found < best ? found : best;
    }
  }
  return best;
}

/* The last call up to `at` that has these sides and this callback. */
static uint32_t likeIt(hookFrame *frame, const hookCalls *calls, uint32_t at, const hookCall *call) {
  for (; at != BRINK_NO_RECORD; at = calls->items[at].previous) {
    const hookCall *other = &calls->items[at];
    frame->work++;
    if (other->a == call->a && other->b == call->b && other->near == call->near) {
      break;
    }
  }
  return at;
}

uint32_t dxHookFindCall(hookFrame *frame, const hookCalls *calls, const hookCall *call, bool top) {
  uint32_t at = likeIt(frame, calls, brinkKeyMap_Get(&calls->map, keyOfCall(call)), call);
  while (at != BRINK_NO_RECORD && (calls->items[at].data != call->data || (calls->items[at].parent == at) != top)) {
    at = likeIt(frame, calls, calls->items[at].previous, call);
  }
  return at;
}

bool dxHookKnowsSides(hookFrame *frame, const hookCalls *calls, const hookCall *call) {
  return likeIt(frame, calls, brinkKeyMap_Get(&calls->map, keyOfCall(call)), call) != BRINK_NO_RECORD;
}

uint32_t dxHookAddCall(hookCalls *calls, const hookCall *call, uint32_t parent) {
  uint64_t key = keyOfCall(call);
  uint32_t number = (uint32_t)calls->count, previous = brinkKeyMap_Get(&calls->map, key);
  if (!BRINK_STEP_RESERVE(calls->items, calls->count, calls->capacity) || !brinkKeyMap_Set(&calls->map, key, number)) {
    return BRINK_NO_RECORD;
  }
  calls->items[number] = *call;
  calls->items[number].previous = previous;
  calls->items[number].parent = parent == BRINK_NO_RECORD ? number : parent;
  calls->items[number].lastChild = number;
  calls->items[calls->items[number].parent].lastChild = number;
  calls->count++;
  return number;
}

void dxHookForgetCalls(hookCalls *calls) {
  calls->count = 0;
  brinkKeyMap_Clear(&calls->map);
}

void dxHookFreeCalls(hookCalls *calls) {
  brinkKeyMap_Free(&calls->map);
  free(calls->items);
}
