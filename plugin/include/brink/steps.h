/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEPS_H
#define BRINK_STEPS_H
/* For the stepper of an engine (docs/step.md). In a large world that is mostly at rest a question costs what moves; one
 * question lives for a whole step; pairs may sink into each other. An extension:
 * `const brinkStepsTable *steps = plugin->getExtension(BRINK_STEPS_NAME)`; NULL = not in this build.
 * Errors and thread rule as in brink/ccd.h: [world]. Members after sinking were appended: they are there when
 * structSize says so. */
#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_STEPS_NAME "brink.steps/1"

/* How deep may this pair sink? Answers the penetration allowed per query of brink_watchDepth, m; *limit: the total
 * allowed, m (preset to 0: the same; negative: see setSink). Answering 0 is a safe default: pairs with a mesh or
 * heightfield are kept apart, solids may sink by their allowance (brinkWatch in brink/ccd.h). Called inside
 * firstContact(s), sinking and questions, on the host's threads where a query gives some. It must answer the same
 * during a query, and may not call into the world. a < b. */
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
  double margin; /* m: how far the two are apart at toi, measured at the core where one is watched; solids without a
                    core count as if one lay 3/2 of the pair's allowance below the surface */
  double left;   /* m: how much nearer they may still come before the limit; 0 at it */
} brinkPairEvent;

typedef struct brinkStepsTable {
  uint32_t structSize;
  uint32_t reserved;
  /* on: firstContact leaves out pairs of bodies that both rest in the world (brink_motionRest, no parent), whether they
   * touch or not. Off when a world is made. */
  brinkStatus (*leaveOutResting)(brinkWorld *world, int on);
  /* Pairs that involve one of bodies[count] and whose boxes over [t0,t1] come within margin, m; resting ones too,
   * filters apply. Sorted; pairs: world-owned. Boxes that nothing has changed since the last question over [t0,t1] are
   * not made again. */
  brinkStatus (*pairsOf)(brinkWorld *world, const brinkBodyId *bodies, size_t count, double t0, double t1,
                         double margin, const brinkColliderPair **pairs, size_t *pairCount);
  /* Lets pairs sink into each other by more than brinkWatch does: for hosts whose own contacts need surfaces that
   * cross. `sink` answers d for one go and D >= d in all; NULL: no pair sinks (so when a world is made).
   *
   * Where such a pair stands is measured at a core: what of one of the two shapes lies c below its surface. s is the
   * core's distance from the other shape less c, so s < 0 where the shape is sunk. The core never meets the other
   * surface: so the shape stays on its side. Spheres, capsules, boxes, cylinders, half-spaces, hulls and meshes that
   * bound a convex body have a core; of a mesh and another shape it is the other one's, if that has one. Of two hulls s
   * is the signed separation. A pair without a core has the events of brinkWatch. d and D are cut down to half of what
   * is inside the shape; of two solids, and of balls and capsules, to 15/16.
   *
   * a = the pair's allowance, s0 = s at tStart. To graze: to lose a on the way from apart, and to have won it back or
   * stopped to lose by tEnd. The host's next contacts come too late for that.
   *
   *   with a mesh, d > 0: c = 3/2 d, and D + d/2 once the pair has sunk by d/4
   *     apart               the event of any pair with a mesh, if it would otherwise graze, or sink by more than
   *                         3/4 d before tEnd; else none
   *     touching, crossing  s falling to max(min(s0,0) - 3/4 d, -D)
   *   two solids: c = D + d/8; D may be larger than the shapes
   *     none, unless they come to D before tEnd, lose 3/4 d on the way from apart, or graze. Then that of brinkWatch,
   *     with D for the limit, and apart meaning by more than a/16
   *   sunk, s0 < -D         s falling to s0 - min(d/16, w/2)
   *
   * w is the way to the next of the depths D + r, D + 2 r, ... and of the core's distances r/8, r/64, ..., whichever is
   * nearer, with r = d/2, of two solids d/8. So in any number of steps the pair comes to none of them, and an eighth of
   * r is left. (Within a 64th beyond one it is s0 less 1e-7 r, or of that distance: rounding leads there.) An event at
   * a core is reported with distance = s and a threshold below 0.
   *
   * A core that crosses the other surface at tStart says nothing. Then the other shape's serves where both are meshes
   * that bound convex bodies (one may be a room around the other), else the innermost one, as for s0 < -D.
   *
   * *limit set to -D: the pair is kept apart as any pair with a mesh. It is watched at its core only while its surfaces
   * cross, or are nearer than 1/16384 of the allowance, to which its own events do not lead. */
  brinkStatus (*setSink)(brinkWorld *world, brinkSinkFunction sink, void *user);
  /* Where a pair that is watched at a core stands at step time t: one that may sink, or two solids (brinkWatch in
   * brink/ccd.h; depth and limit are then the allowance). Of solids that are apart separation and points are those of
   * the surfaces. Of compounds: the parts that have the least way left. */
  brinkStatus (*sinking)(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, brinkSinking *out);

  /* Opens one question that lives for a whole step, so that an impact costs what it changes: finds boxes, pairs and
   * bounds of all that moves, as motions are set. It answers nothing yet. The query is as firstContact's: mode first,
   * no onlyBody, no flags; [tStart, tEnd] is the step. Budgets count for each call of nextEvents. A question that was
   * open ends. */
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
  /* The pair is not asked about again in this question; no-op when none is open. */
  brinkStatus (*leavePair)(brinkWorld *world, brinkColliderId a, brinkColliderId b);
  brinkStatus (*endQuestion)(brinkWorld *world); /* no-op when none is open */
  /* How deep below its surface may a core of this shape lie beside a mesh, m (see setSink)? Half of what is inside, of
   * balls and capsules 15/16. 0: it has none (meshes that are not closed and convex, heightfields, support functions,
   * points, segments, compounds); INFINITY: half-spaces. */
  brinkStatus (*inside)(brinkWorld *world, brinkShapeId shape, double *depth);
  /* distance of brink/ccd.h, as long as it is below `enough`, m. Otherwise out->distance is at least `enough`, and the
   * rest of *out says nothing. Much faster than the whole distance of large meshes that lie along each other. */
  brinkStatus (*distanceBelow)(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double enough,
                               brinkContact *out);
} brinkStepsTable;

#ifdef __cplusplus
}
#endif
#endif
