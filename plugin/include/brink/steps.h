/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEPS_H
#define BRINK_STEPS_H
/* For steppers of large worlds in which most bodies rest: questions whose cost goes with what moves. An extension:
 * `const brinkStepsTable *steps = plugin->getExtension(BRINK_STEPS_NAME)`; NULL = not in this build.
 * Errors and thread rule as in brink/ccd.h: [world]. */
#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_STEPS_NAME "brink.steps/1"

/* Penetration allowed per depth-watching query, m; *limit: the total allowed, m (preset to 0: the same). Returning 0 is
 * a safe default: pairs with a mesh or heightfield are kept apart, solids may sink by their allowance (brinkWatch in
 * brink/ccd.h). Called inside firstContact(s) and sinking. It must answer the same during a query, and may not call
 * into the world. a < b. */
typedef double (*brinkSinkFunction)(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA,
                                    uint64_t userDataB, double *limit);

/* Filled by sinking. */
typedef struct brinkSinking {
  uint32_t structSize;
  uint32_t reserved;
  double depth;             /* m, by how much it may sink in one go; 0: it may not, or has no core; the rest is 0 */
  double limit;             /* m, how deep in all */
  double separation;        /* m: distance of the core less its inset; -limit: as deep as may be */
  double coreGap;           /* m: distance of the core; 0: it crosses the surface, and the rest is 0 */
  brinkVec3 pointA, pointB; /* world: nearest points of core and surface, the core's moved out by its inset */
  brinkVec3 normal;         /* unit, A to B; how the core lies to the surface, however the shape crosses it */
} brinkSinking;

/* What happened to a pair. */
typedef enum brinkEventKind {
  brink_eventNone = 0,
  brink_eventTouch = 1,    /* was apart at the part's start, touches now (for pairs that are kept apart: came to the
                              distance they are kept at) */
  brink_eventDeepen = 2,   /* touched or was near already; came nearer by what it may in one go */
  brink_eventCore = 3,     /* as near as its cores may come: at the pair's limit */
  brink_eventCrossed = 4,  /* the cores cross at the start: no side is known; the pair is left to the host */
  brink_eventUndecided = 5 /* could not be decided within the budget; proven until toi */
} brinkEventKind;
typedef struct brinkPairEvent {
  uint32_t structSize;
  uint32_t kind; /* brinkEventKind */
  double margin; /* m: how far the two (their cores, where they are watched at cores) are apart at toi; solids without a
                    core of their own count as inset by 3/2 of the pair's allowance */
  double left;   /* m: how much nearer they may still come before the limit; 0 at it */
} brinkPairEvent;

typedef struct brinkStepsTable {
  uint32_t structSize;
  uint32_t reserved;
  /* on: firstContact leaves out pairs of bodies that both rest in the world (brink_motionRest, no parent), whether they
   * touch or not. Off when a world is made. */
  brinkStatus (*leaveOutResting)(brinkWorld *world, int on);
  /* Pairs that involve one of these bodies and whose boxes over [t0,t1] come within margin, m; resting ones too,
   * filters apply. Sorted; pairs: world-owned. What nothing has changed since the last question over [t0,t1] is not
   * made again. */
  brinkStatus (*pairsOf)(brinkWorld *world, const brinkBodyId *bodies, size_t count, double t0, double t1,
                         double margin, const brinkColliderPair **pairs, size_t *pairCount);
  /* Since the table has this size: for hosts whose own contacts need surfaces that cross. Two solids that `sink` lets
   * sink: no event unless they come to D before tEnd, or would lose 3/4 d on the way from apart, or graze. Then the
   * event is that of brinkWatch, with D as the limit (apart: by more than a/16). A graze: who starts apart loses an
   * allowance and wins it back before tEnd, or has stopped to lose by then. The host's next contacts are too late. D
   * may be larger than the shapes: as deep as the core lets them; the core is off by d/8 then. Pairs with a mesh that
   * `sink` lets sink, by d > 0 in one go and D >= d in all, are watched at a core. It is what of the convex one of the
   * two lies c inside (spheres, capsules, boxes, cylinders, half-spaces, hulls, meshes that bound a convex body;
   * others: as before); c = 3/2 d, once they have sunk by d/4 D + d/2. With s the core's distance from the surface less
   * c, the event of a pair that touches or crosses is s falling to o = max(min(s0,0) - 3/4 d, -D). For s0 < -D it is s
   * falling to o = s0 - min(d/16, w/2), w being the way to the next of the depths D + r, D + 2 r, ..., and to the next
   * of the core's distances r/8, r/64, ..., with r = d/2, of two solids d/8. So in any number of steps it comes to none
   * of them, and an eighth of r is left. (Within a 64th beyond one o is s0 - 1e-7 r, or of that distance: rounding
   * leads there.) The core never meets the surface. So the shape stays on its side. A pair that starts apart has the
   * event of any mesh pair if it would otherwise sink by more than 3/4 d before tEnd, or graze, else none. What is
   * reported of the core's event: distance = s, threshold = o < 0. Both are cut down to half of what is inside the
   * shape (of two solids, of balls and capsules to 15/16). If this core crosses the surface at the start, that of the
   * other shape serves when both are meshes that bound convex bodies (one may be a room around the other). Else the
   * core that deep inside, as for s0 < -D. A pair for which *limit is set to -D is kept apart as any pair with a mesh.
   * It is watched at its core only while its surfaces are nearer than 1/16384 of the allowance, or cross: its own
   * events do not lead there. NULL: no pair sinks (so when a world is made). */
  brinkStatus (*setSink)(brinkWorld *world, brinkSinkFunction sink, void *user);
  /* Where a pair that is watched at a core stands at step time t: one that may sink, or two solids (brinkWatch in
   * brink/ccd.h; depth and limit are then the allowance). Of solids that lie farther apart than a quarter of the
   * allowance separation and points are those of the surfaces. */
  brinkStatus (*sinking)(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, brinkSinking *out);

  /* Since the table has this size: one question that lives for a whole step. So that an impact costs what it changes.
   * beginQuestion finds boxes, pairs and bounds of all that moves, as motions are set. It answers nothing yet. The
   * query is as firstContact's: mode first, no onlyBody, no flags; [tStart, tEnd] is the step. Budgets count for each
   * call of nextEvents. A question that is open ends. */
  brinkStatus (*beginQuestion)(brinkWorld *world, const brinkQuery *query);
  /* The earliest events from `from` on and all within the window after them, as firstContact tells them, except that
   * pairs which are undecided count as events. Counters of this call (pairsBefore in the first one only; what
   * beginQuestion did counts there). events (may be NULL): [contactCount], parallel to contacts, world-owned.
   * Bodies whose motion was set since the last call had their old motion up to `from`, by the host's word, and have the
   * new one after it (given over [0,1], looked at on [from, tEnd] only). Their pairs, and those of what they carry, are
   * found and asked anew over [from, tEnd]; only for these are filters and the sink function called again. All other
   * pairs keep what is known. What was told and has no new motion is told again, unless it was left. `from` never goes
   * back. Bodies, joints and colliders that come, go or are put elsewhere end the question: brink_errorStale. */
  brinkStatus (*nextEvents)(brinkWorld *world, double from, brinkReport *report, const brinkPairEvent **events);
  /* Not asked again in this question; no-op when none is open. */
  brinkStatus (*leavePair)(brinkWorld *world, brinkColliderId a, brinkColliderId b);
  brinkStatus (*endQuestion)(brinkWorld *world); /* no-op when none is open */
  /* Since the table has this size: how far can a shape be shrunk to a core, m? 0: it has none, so nothing lets it sink
   * (meshes that are not closed and convex, heightfields, support functions, points, segments); INFINITY: half-spaces.
   */
  brinkStatus (*inside)(brinkWorld *world, brinkShapeId shape, double *depth);
  /* Since the table has this size: distance of brink/ccd.h, as long as it is below `enough`, m. Otherwise out->distance
   * is at least `enough`, and the rest of *out says nothing. Large meshes that lie along each other answer this at once
   * where the whole distance takes them a second. */
  brinkStatus (*distanceBelow)(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double enough,
                               brinkContact *out);
} brinkStepsTable;

#ifdef __cplusplus
}
#endif
#endif
