/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_QUIET_H
#define BRINK_STEP_QUIET_H
/* Which bodies need no question in this step? The arithmetic of culling.c.
 *
 * A body that was looked at has a slack: every point of it may go so far from where it was then before any of its pairs
 * could come to an event, as brinkWatch of brink/ccd.h defines events. Two bodies share what their pair allows, L:
 *
 *   pair                                       L
 *   watched at a core (steps->sinking: solids,
 *   meshes that may sink), s > -limit          s + limit
 *   deeper                                     0: asked in every step
 *   mesh kept apart                            s - a/4
 *   meshes that cross                          a/4
 *   convex shapes without a core               s + a; deeper than a: 0
 *
 * with s the separation when last looked at and a the pair's allowance, or the depth that it may sink in one go;
 * slackA + slackB <= L, or slackA <= L beside what stands still. Of one pair of convex shapes, the one with the least
 * L, only motion against the normal is counted: a ball that rolls along a floor uses up nothing of it. Within the
 * slack, and in a step that moves no point by more than a/8, none of the body's
 * pairs comes to an event (or a mesh nearer than a/4): it is quiet, and the engine's result stays. The others are
 * awake; they are asked about, and whatever quiet body they may reach is woken for this step. A thin partner has a
 * small a, so nothing thin is passed over.
 *
 * Units: m, rad. Thread rule: functions of their arguments alone. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "brink/steps.h"
#include "tuning.h"

/* What every step reads of every body: of a quiet one it is all that is touched, so it is kept small and in one piece.
 * By the number of the body's record. */
typedef struct brinkStepHotData {
  void *body;             /* the engine's; NULL = free record */
  const double *position; /* the engine's own storage of it; the rest of the state: brinkStepLayout */
  uint32_t stamp;         /* of the last walk that met it, lowest bits */
  bool known;             /* all below is right, and it rests there in the plugin's world */
  bool quiet;             /* as the record's */
  bool forced;            /* the record's force and torque are not zero */
  bool dynamic;           /* as the record's */
  bool jointed;           /* it had a joint other than a contact when last walked */
  bool recorded;          /* the last walk has walked its joints, and all but contacts have records */
  bool measured;          /* the record's reach and allowance, and turnReach are right */
  bool touched;           /* set to another pose in this step */
  bool calm;              /* slow enough after the engine's solve to be looked at after the step, or not measured */
  bool remembers;         /* something of the last steps: the record's end is what the last one left, see start.c */
  double startPosition[3], startQuaternion[4]; /* at the step's start */
  double startLinear[3], startAngular[3];
  double slack;                              /* m, how far any point of it may be from its place at the look */
  double stepLimit;                          /* m, how far any point of it may move in a step */
  double turnReach;                          /* m, radius about its origin of what turning moves */
  double lookPosition[3], lookQuaternion[4]; /* where it was looked at */
  double away[3], awaySlack;                 /* m, how far any point of it may be against this unit vector */
} brinkStepHotData;

/* A hint to the processor. */
#if defined(__GNUC__)
#define BRINK_STEP_FETCH(address) __builtin_prefetch(address)
#else
#define BRINK_STEP_FETCH(address) ((void)(address))
#endif

static inline void brinkStepFetchHotData(const brinkStepHotData *hot) {
  for (size_t line = 0; line < sizeof(*hot); line += 64) {
    BRINK_STEP_FETCH((const char *)hot + line);
  }
}

/* Where the rest of a body's state lies from its position, in doubles: all bodies are laid out alike (which is checked
 * when a body is met). */
typedef struct brinkStepLayout {
  ptrdiff_t quaternion, linear, angular, force, torque;
} brinkStepLayout;

/* What a step reads of a body before the engine's solve: it lies over several lines of the cache. */
static inline void brinkStepFetchStart(const brinkStepHotData *hot, const brinkStepLayout *to) {
  BRINK_STEP_FETCH(hot->body);
  BRINK_STEP_FETCH(hot->position);
  BRINK_STEP_FETCH(hot->position + 2);
  BRINK_STEP_FETCH(hot->position + to->quaternion);
  BRINK_STEP_FETCH(hot->position + to->angular);
  BRINK_STEP_FETCH(hot->position + to->force);
  BRINK_STEP_FETCH(hot->position + to->torque + 2);
}

/* ---- how far did it go? */

#define BRINK_STEP_FAR_INSIDE (1 + BRINK_STEP_DUE_STEPS)
#define BRINK_STEP_CHORD_TO_TURN 2.05 /* 4 asin(c/2) <= 2.05 c for c <= 1/2 */

static inline double brinkStepSquare3(const double *a, const double *b) {
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

static inline double brinkStepSquare4(const double *a, const double *b) {
  double w = a[0] - b[0], x = a[1] - b[1], y = a[2] - b[2], z = a[3] - b[3];
  return w * w + x * x + y * y + z * z;
}

/* A turn of more than half a circle shows in the velocity that damping has left (who is damped by more is never looked
 * at). */
static inline bool brinkStepTurnsSlowly(const double *w, double h) {
  return (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * h * h <= BRINK_STEP_CALM_TURN * BRINK_STEP_CALM_TURN;
}

/* Is a body still inside its slack at this pose, when no point of it moves by more than step, m? *left: how much
 * farther it could go, m. */
bool brinkStepIsInside(const brinkStepHotData *hot, const double *p, const double *q, double step, double *left);
/* The same for the step that led here. *steps: like this one, that it has left; infinite: many. */
bool brinkStepCountSteps(const brinkStepHotData *hot, const double *p, const double *q, double *steps);

/* After the engine's solve: does the body need no question? *steps: see brinkStepCountSteps. Bodies at rest are far
 * inside: (a + b)^2 <= 2 (a^2 + b^2) without any root. */
static inline bool brinkStepStaysInSlack(const brinkStepHotData *hot, const brinkStepLayout *to, double h,
                                         double *steps) {
  const double *p = hot->position, *q = p + to->quaternion;
  if (!hot->known || (hot->turnReach > 0 && !brinkStepTurnsSlowly(p + to->angular, h))) {
    return false;
  }
  double turn = BRINK_STEP_CHORD_TO_TURN * BRINK_STEP_CHORD_TO_TURN * hot->turnReach * hot->turnReach;
  double square = 2 * (brinkStepSquare3(p, hot->startPosition) + turn * brinkStepSquare4(q, hot->startQuaternion));
  double way = 2 * (brinkStepSquare3(p, hot->lookPosition) + turn * brinkStepSquare4(q, hot->lookQuaternion));
  double all = 2 * (BRINK_STEP_FAR_INSIDE * BRINK_STEP_FAR_INSIDE * square + way);
  if (square <= hot->stepLimit * hot->stepLimit && all <= hot->slack * hot->slack &&
      all <= hot->awaySlack * hot->awaySlack) {
    *steps = HUGE_VAL;
    return true;
  }
  return brinkStepCountSteps(hot, p, q, steps);
}

/* ---- looking */

/* Is a body slow enough to be left alone soon? v, w: velocities, of which a step's damping takes little away. */
bool brinkStepIsCalm(const double *v, const double *w, double turnReach, double h, double allowance);
/* How far the two sides of a pair together may move; 0: it must be asked about in every step. *stepLimit: in a step.
 * allowance: of the pair; solid: neither is made of triangles; crosses: the surfaces do. */
double brinkStepPairSlack(double allowance, double separation, bool solid, bool crosses, double *stepLimit);
double brinkStepCoreSlack(const brinkSinking *at, double *stepLimit); /* of a pair that is watched at a core */
/* What a look found of a body without pairs: it may go this far. */
void brinkStepBeginSlack(brinkStepHotData *hot, const double *p, const double *q, double slack, double stepLimit);
/* The pair's slack is shared by its bodies; NULL: stands still. normal: A to B; where it is no unit vector, motion
 * counts in every direction. */
void brinkStepShareSlack(brinkStepHotData *a, brinkStepHotData *b, const brinkVec3 *normal, double slack,
                         double stepLimit);

#endif
