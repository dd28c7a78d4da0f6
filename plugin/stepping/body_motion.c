/* SPDX-License-Identifier: BSD-3-Clause */
/* How do bodies move in a step, and which motion is set in the plugin's world? A body moves straight and turns about a
 * fixed axis, by as much as the engine turned it. Poses and velocities at an impact come from here, too. States are
 * kept bit for bit. Based on: [CATCH] Sec. 3.2 for chains.
 * Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "step.h"

#define FETCH_AHEAD 4 /* bodies */

bool brinkStepStateIsFinite(const brinkStepState *state) {
  return brinkStepAllFinite(state->position, 3) && brinkStepAllFinite(state->quaternion, 4) &&
         brinkStepAllFinite(state->linear, 3) && brinkStepAllFinite(state->angular, 3);
}

static brinkPose poseOf(const brinkStepState *state) {
  const double *p = state->position, *q = state->quaternion;
  return (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

bool brinkStepIsNearPose(const brinkStepState *a, const brinkStepState *b, double part) {
  double off = 0, dot = 0;
  for (int i = 0; i < 3; ++i) {
    off = fmax(off, fabs(a->position[i] - b->position[i]) / (1 + fabs(b->position[i])));
  }
  for (int i = 0; i < 4; ++i) {
    dot += a->quaternion[i] * b->quaternion[i]; /* its turn may be told the other way */
  }
  return off < part && fabs(dot) > 1 - part * part;
}

bool brinkStepSamePose(const brinkStepState *a, const brinkStepState *b) {
  return memcmp(a->position, b->position, sizeof(a->position)) == 0 &&
         memcmp(a->quaternion, b->quaternion, sizeof(a->quaternion)) == 0;
}

static brinkStepPose stepPoseOf(const brinkStepState *state) {
  const double *p = state->position, *q = state->quaternion;
  return (brinkStepPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

static void makeMotion(const brinkStepBody *record, brinkBodyMotion *out) {
  *out = (brinkBodyMotion){.structSize = sizeof(*out), .kind = brink_motionRest};
  out->pose0 = out->pose1 = poseOf(&record->start);
  if (record->moves && record->alone) {
    brinkStepPose start = stepPoseOf(&record->start), end = stepPoseOf(&record->end);
    brinkStepMotionFrom(&start, &end, record->spin, record->from, out);
  } else if (record->moves) {
    out->kind = brink_motionPoses;
    out->flags = BRINK_MOTION_HAS_SPIN;
    out->pose1 = poseOf(&record->end);
    out->spin = (brinkVec3){record->spin[0], record->spin[1], record->spin[2]};
  }
}

int brinkStepSendMotion(brinkStepper *stepper, uint32_t number) {
  brinkBodyMotion motion;
  makeMotion(&stepper->bodies[number], &motion);
  brinkStepRecordMotion(stepper, number, &motion);
  if (stepper->plugin->setBodyMotion(stepper->world, stepper->bodies[number].id, &motion) != brink_ok) {
    return brinkStepFail(stepper, "the motion of body %u: %s", number, stepper->plugin->lastError(stepper->world));
  }
  return 1;
}

static void startAsNoted(brinkStepState *start, const brinkStepHotData *hot) {
  memcpy(start->position, hot->startPosition, sizeof(hot->startPosition));
  memcpy(start->quaternion, hot->startQuaternion, sizeof(hot->startQuaternion));
  memcpy(start->linear, hot->startLinear, sizeof(hot->startLinear));
  memcpy(start->angular, hot->startAngular, sizeof(hot->startAngular));
  brinkStepRotationOf(start->quaternion, start->rotation);
}

/* Where it began the step was noted (start.c). */
int brinkStepReadMotion(brinkStepper *stepper, uint32_t number) {
  brinkStepBody *record = &stepper->bodies[number];
  startAsNoted(&record->start, &stepper->hotData[number]);
  stepper->host->readEnd(stepper->user, number);
  record->moves = !brinkStepSamePose(&record->start, &record->end);
  return brinkStepStateIsFinite(&record->end) ||
         brinkStepFail(stepper,
                       "the engine's solve left body %u without a finite position or velocity: this step was not "
                       "checked; lower the forces or the step, or raise CFM",
                       number);
}

/* Which jointed bodies go as a chain ([CATCH] Sec. 3.2: constant velocities in the parent's frame, joints whole at
 * every t), and which each for itself, as engines integrate them? The two agree up to the square of the turn. A contact
 * that the engine's solver has satisfied stops a point of its own, straight, motion; in a chain that turns the same
 * point may start into the surface, and the chain would impact again at once, for ever. So chains go whole until the
 * first impact of a step, unless they turn far, and body by body after it. What is moved goes as it is moved, and the
 * chain with it. */
static void chooseChains(brinkStepper *stepper) {
  stepper->now.whirls = false;
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    brinkStepBody *chain = &stepper->bodies[stepper->bodies[stepper->quiet.awake[i]].chain];
    chain->gap.turnsFar = false;
    chain->gap.links = 0;
  }
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[stepper->quiet.awake[i]];
    if (record->moves) {
      double square =
          record->spin[0] * record->spin[0] + record->spin[1] * record->spin[1] + record->spin[2] * record->spin[2];
      stepper->bodies[record->chain].gap.turnsFar =
          stepper->bodies[record->chain].gap.turnsFar || square > BRINK_STEP_CHAIN_TURN * BRINK_STEP_CHAIN_TURN;
      stepper->now.whirls = stepper->now.whirls || square > BRINK_STEP_WHIRL * BRINK_STEP_WHIRL;
    }
  }
}

/* Sends the motions of the engine's own solve, of every body that is awake. */
int brinkStepSendMotions(brinkStepper *stepper) {
  chooseChains(stepper);
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->quiet.awake[i]];
    if (i + FETCH_AHEAD < stepper->quiet.awakeCount) {
      brinkStepFetchMotion(&stepper->bodies[stepper->quiet.awake[i + FETCH_AHEAD]]);
    }
    record->alone = stepper->bodies[record->chain].gap.turnsFar || !record->dynamic;
    stepper->bodies[record->chain].gap.links += record->alone ? 0 : 1;
    if (!brinkStepSendMotion(stepper, stepper->quiet.awake[i])) {
      return 0;
    }
  }
  return 1;
}

/* A link's motion depends on its parents'. So once the motion of one body of a chain changes, at tau, all bodies of the
 * chain get motions of their own from there on, to where the last solve has put them. */
int brinkStepLeaveChain(brinkStepper *stepper, uint32_t chain, double tau) {
  uint32_t links = 0; /* an impact gathers chains whole: then nobody else goes with it */
  for (size_t i = 0; i < stepper->island.gatheredCount; ++i) {
    const brinkStepBody *record = &stepper->bodies[stepper->island.gathered[i]];
    links += record->chain == chain && !record->alone;
  }
  if (links == stepper->bodies[chain].gap.links) {
    return 1;
  }
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) { /* all poses first */
    brinkStepBody *record = &stepper->bodies[stepper->quiet.awake[i]];
    if (record->chain == chain && !record->alone && !brinkStepIsGathered(stepper, stepper->quiet.awake[i]) &&
        !brinkStepStateAt(stepper, record, tau, &record->next)) {
      return brinkStepFail(stepper, "a pose of body %u cannot be told", stepper->quiet.awake[i]);
    }
  }
  for (size_t i = 0; i < stepper->quiet.awakeCount; ++i) {
    brinkStepBody *record = &stepper->bodies[stepper->quiet.awake[i]];
    if (record->chain == chain && !record->alone && !brinkStepIsGathered(stepper, stepper->quiet.awake[i])) {
      brinkStepStartFrom(record, tau);
      if (!brinkStepSendMotion(stepper, stepper->quiet.awake[i])) {
        return 0;
      }
    }
  }
  return 1;
}

/* A new segment of the body begins at tau, at record->next. */
void brinkStepStartFrom(brinkStepBody *record, double tau) {
  double left = record->from < 1 ? (1 - tau) / (1 - record->from) : 0;
  for (int axis = 0; axis < 3; ++axis) {
    record->spin[axis] *= left;
  }
  record->start = record->next;
  record->from = tau;
  record->alone = true;
  record->moves = tau < 1 && !brinkStepSamePose(&record->start, &record->end);
}

/* Stopped, and not for good? All others of its group may have been solved again since, or the group stands still. */
bool brinkStepGoesOn(const brinkStepper *stepper, const brinkStepBody *record) {
  return record->frozen && (record->moves || record->beside != brinkStepNumberOf(stepper, record));
}

/* Velocity at an impact: that of the last solve, less what the step's own forces do in the time that is left (they are
 * given again to the next solve). Not interpolated: an engine's impulses act at the start of a solve and the motion
 * that Brink proved about was made with the velocity after them; the start's velocity would bring back what a contact
 * has already stopped. What was stopped and goes on as one with others has that taken back already: it gains evenly
 * from there on. */
void brinkStepVelocitiesAt(const brinkStepper *stepper, const brinkStepBody *record, double tau, brinkStepState *out) {
  const uint32_t number = brinkStepNumberOf(stepper, record);
  memcpy(out->linear, record->end.linear, sizeof(out->linear));
  memcpy(out->angular, record->end.angular, sizeof(out->angular));
  if (brinkStepGoesOn(stepper, record)) {
    const double lost = record->from < 1 ? (1 - tau) / (1 - record->from) : 0;
    for (int i = 0; i < 3; ++i) {
      out->linear[i] -= lost * (record->end.linear[i] - record->start.linear[i]);
      out->angular[i] -= lost * (record->end.angular[i] - record->start.angular[i]);
    }
    return;
  }
  stepper->host->takeBackForces(stepper->user, number, (1 - tau) * stepper->now.h, out);
  stepper->host->giveBackDamping(stepper->user, number, tau, out);
}

bool brinkStepPoseFromBrink(const brinkStepper *stepper, const brinkStepBody *record, double t, brinkStepState *out) {
  brinkPose pose;
  if (stepper->plugin->bodyPose(stepper->world, record->id, t, &pose) != brink_ok) {
    return false;
  }
  const double q[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
  memcpy(out->position, &pose.position, sizeof(out->position));
  memcpy(out->quaternion, q, sizeof(out->quaternion));
  brinkStepRotationOf(q, out->rotation);
  return true;
}

bool brinkStepStateAt(brinkStepper *stepper, const brinkStepBody *record, double tau, brinkStepState *out) {
  *out = record->start;
  return !record->moves || tau <= record->from || brinkStepPoseFromBrink(stepper, record, tau, out);
}

bool brinkStepMotionSince(brinkStepper *stepper, const brinkStepBody *record, double tau, brinkStepState *first,
                          double way[3], double turn[3]) {
  if (!brinkStepStateAt(stepper, record, tau, first)) {
    return false;
  }
  const brinkStepState *last = record->moves ? &record->end : first;
  const double left = (1 - fmax(tau, record->from)) / (1 - record->from);
  const double spin[3] = {left * record->spin[0], left * record->spin[1], left * record->spin[2]};
  const brinkVec3 turned = brinkStepTurnBetween(first->quaternion, last->quaternion, spin);
  memcpy(turn, &turned, sizeof(turned));
  for (int i = 0; i < 3; ++i) {
    way[i] = last->position[i] - first->position[i];
  }
  return true;
}

/* Puts a body where it is at stepper->now.tau, unless it is posed already. */
bool brinkStepPoseBody(brinkStepper *stepper, uint32_t number) {
  brinkStepBody *record = &stepper->bodies[number];
  if (record->posed) {
    return true;
  }
  if (!brinkStepStateAt(stepper, record, stepper->now.tau, &record->next) ||
      !BRINK_STEP_RESERVE(stepper->island.posed, stepper->island.posedCount, stepper->island.posedCapacity)) {
    return false;
  }
  stepper->island.posed[stepper->island.posedCount++] = number;
  record->posed = stepper->hotData[number].touched = true;
  brinkStepVelocitiesAt(stepper, record, stepper->now.tau, &record->next);
  stepper->host->writeState(stepper->user, number, &record->next);
  return true;
}

void brinkStepBringBack(brinkStepState *state, double seconds, const double gravity[3]) {
  brinkStepPose now, before;
  double end[3], turn[3];
  memcpy(now.position, state->position, sizeof(now.position));
  memcpy(now.quaternion, state->quaternion, sizeof(now.quaternion));
  brinkStepTurnOf(state->angular, 1, seconds, true, turn);
  for (int i = 0; i < 3; ++i) {
    end[i] = state->position[i] + seconds * state->linear[i];
    state->linear[i] -= seconds * gravity[i];
  }
  const brinkVec3 turned = {turn[0], turn[1], turn[2]};
  brinkStepPoseAlong(&now, end, &turned, -1, &before);
  memcpy(state->position, before.position, sizeof(before.position));
  memcpy(state->quaternion, before.quaternion, sizeof(before.quaternion));
  brinkStepRotationOf(state->quaternion, state->rotation);
}
