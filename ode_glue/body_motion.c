/* SPDX-License-Identifier: BSD-3-Clause */
/* How does a body move in ODE's own step, and what is Brink told about it?
 * In an ODE step a body moves straight and turns about a fixed axis by 2 atan(|w| h / 2) (infinitesimal mode) or |w| h
 * (finite mode), w the angular velocity that the solver left, before damping. States are kept bit for bit.
 * Based on: measurements of ODE 0.16.2 (docs/ode.md); [CATCH] Sec. 3.2 for chains. Units: m, s, rad. */
#include <math.h>
#include <string.h>

#include "stepper.h"

#define DEFAULT_THRESHOLD 0.0101 /* m/s, rad/s: ODE's own and a hair; below it damping does not act */

bool dxBrinkStateIsFinite(const dxBrinkState *state) {
  return dxBrinkAllFinite(state->position, 3) && dxBrinkAllFinite(state->quaternion, 4) &&
         dxBrinkAllFinite(state->linear, 3) && dxBrinkAllFinite(state->angular, 3);
}

static brinkPose poseOf(const dxBrinkState *state) {
  const dReal *p = state->position, *q = state->quaternion;
  return (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

bool dxBrinkSamePose(const dxBrinkState *a, const dxBrinkState *b) {
  return memcmp(a->position, b->position, sizeof(a->position)) == 0 &&
         memcmp(a->quaternion, b->quaternion, sizeof(a->quaternion)) == 0;
}

/* Turn of a body in a solve of length h. Damping came after the turn and is taken back. */
void dxBrinkReadSpin(dBodyID body, const dxBrinkState *end, double h, bool finite, double spin[3]) {
  double scale = 1, damping = dBodyGetAngularDamping(body);
  const dReal *w = end->angular;
  if (damping > 0 && damping < 1) {
    double undamped = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / (1 - damping);
    if (undamped > dBodyGetAngularDampingThreshold(body)) {
      scale = 1 / (1 - damping);
    }
  }
  double speed = scale * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  double turn = finite ? speed * h : 2 * atan(speed * h / 2);
  for (int i = 0; i < 3; ++i) {
    spin[i] = speed > 0 ? scale * w[i] / speed * turn : 0;
  }
}

static brinkStepPose stepPoseOf(const dxBrinkState *state) {
  const dReal *p = state->position, *q = state->quaternion;
  return (brinkStepPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

static void makeMotion(const dxBrinkBody *record, brinkBodyMotion *out) {
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

int dxBrinkSendMotion(dBrinkID brink, uint32_t number) {
  brinkBodyMotion motion;
  makeMotion(&brink->bodies[number], &motion);
  brink->told->motion(brink, number, &motion);
  if (brink->shapes.plugin->setBodyMotion(brink->shapes.world, brink->bodies[number].id, &motion) != brink_ok) {
    return dxBrinkFail(brink, "the motion of body %u: %s", number,
                       brink->shapes.plugin->lastError(brink->shapes.world));
  }
  return 1;
}

/* Which jointed bodies go as a chain ([CATCH] Sec. 3.2: constant velocities in the parent's frame, joints whole at
 * every t), and which each for itself, as ODE integrates them? The two agree up to the square of the turn. A contact
 * that ODE's solver has satisfied stops a point of its own, straight, motion; in a chain that turns the same point may
 * start into the surface, and the chain would impact again at once, for ever. So chains go whole until the first impact
 * of a step, unless they turn far, and body by body after it. */
static void chooseChains(dBrinkID brink) {
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    dxBrinkBody *chain = &brink->bodies[brink->bodies[brink->quiet.awake[i]].chain];
    chain->gap.turnsFar = false;
    chain->gap.links = 0;
  }
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    if (record->moves) {
      double square =
          record->spin[0] * record->spin[0] + record->spin[1] * record->spin[1] + record->spin[2] * record->spin[2];
      brink->bodies[record->chain].gap.turnsFar =
          brink->bodies[record->chain].gap.turnsFar || square > BRINK_STEP_CHAIN_TURN * BRINK_STEP_CHAIN_TURN;
    }
  }
}

/* Sends the motions of ODE's own solve, of every body that is awake. */
int dxBrinkSendMotions(dBrinkID brink) {
  chooseChains(brink);
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    record->alone = brink->bodies[record->chain].gap.turnsFar;
    brink->bodies[record->chain].gap.links += record->alone ? 0 : 1;
    if (!dxBrinkSendMotion(brink, brink->quiet.awake[i])) {
      return 0;
    }
  }
  return 1;
}

/* A link's motion hangs on its parents': once the motion of one body of a chain changes, at tau, the others, too, go
 * each for itself from there, to where the solve has put them. */
int dxBrinkLeaveChain(dBrinkID brink, uint32_t chain, double tau) {
  uint32_t links = 0; /* an impact gathers chains whole: then nobody else goes with it */
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[brink->island.gathered[i]];
    links += record->chain == chain && !record->alone;
  }
  if (links == brink->bodies[chain].gap.links) {
    return 1;
  }
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) { /* all poses first */
    dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    if (record->chain == chain && !record->alone && !dxBrinkIsGathered(brink, brink->quiet.awake[i]) &&
        !dxBrinkStateAt(brink, record, tau, &record->next)) {
      return dxBrinkFail(brink, "a pose of body %u cannot be told", brink->quiet.awake[i]);
    }
  }
  for (size_t i = 0; i < brink->quiet.awakeCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->quiet.awake[i]];
    if (record->chain == chain && !record->alone && !dxBrinkIsGathered(brink, brink->quiet.awake[i])) {
      dxBrinkStartFrom(record, tau);
      if (!dxBrinkSendMotion(brink, brink->quiet.awake[i])) {
        return 0;
      }
    }
  }
  return 1;
}

/* The rest of a body's motion begins at record->next, tau. */
void dxBrinkStartFrom(dxBrinkBody *record, double tau) {
  double left = record->from < 1 ? (1 - tau) / (1 - record->from) : 0;
  for (int axis = 0; axis < 3; ++axis) {
    record->spin[axis] *= left;
  }
  record->start = record->next;
  record->from = tau;
  record->alone = true;
  record->moves = !record->frozen && tau < 1 && !dxBrinkSamePose(&record->start, &record->end);
}

/* Velocity at an impact: that of the last solve, less what the step's own forces do in the time that is left (they are
 * given again to the next solve). Not interpolated: ODE's impulses act at the start of a solve and the motion that
 * Brink proved about was made with the velocity after them; the start's velocity would bring back what a contact has
 * already stopped. */
void dxBrinkVelocityAt(const dxBrink *brink, const dxBrinkBody *record, double timeLeft, dxBrinkState *out) {
  memcpy(out->linear, record->end.linear, sizeof(out->linear));
  memcpy(out->angular, record->end.angular, sizeof(out->angular));
  if (!record->dynamic || !(record->host.held || dBodyIsEnabled(record->body))) {
    return;
  }
  dMass mass;
  dMatrix3 inverse;
  dVector3 gravity = {0, 0, 0, 0}, torque, turn;
  dBodyGetMass(record->body, &mass);
  if (dBodyGetGravityMode(record->body)) {
    dWorldGetGravity(brink->world, gravity);
  }
  for (int i = 0; i < 3; ++i) {
    out->linear[i] -= timeLeft * (gravity[i] + record->force[i] / mass.mass);
  }
  if (record->torque[0] == 0 && record->torque[1] == 0 && record->torque[2] == 0) {
    return;
  }
  if (dInvertPDMatrix(mass.I, inverse, 3)) {
    dBodyVectorFromWorld(record->body, record->torque[0], record->torque[1], record->torque[2], torque);
    for (int i = 0; i < 3; ++i) {
      turn[i] = inverse[4 * i] * torque[0] + inverse[4 * i + 1] * torque[1] + inverse[4 * i + 2] * torque[2];
    }
    dBodyVectorToWorld(record->body, turn[0], turn[1], turn[2], torque);
    for (int i = 0; i < 3; ++i) {
      out->angular[i] -= timeLeft * torque[i];
    }
  }
}

/* Damping above a threshold of the program's own is a limit, which ODE keeps by every solve: it is left alone. */
bool dxBrinkDampsByTime(double damping, double threshold) { return damping > 0 && threshold <= DEFAULT_THRESHOLD; }

/* Damping acts at the end of a solve, for all of its time: what it took for the time after tau is given back. */
static void giveBackDamping(double from, double tau, double damping, double threshold, const dReal *end,
                            dReal *velocity) {
  double speed = sqrt(end[0] * end[0] + end[1] * end[1] + end[2] * end[2]);
  if (!dxBrinkDampsByTime(damping, threshold) || !(damping < 1) || !(speed > threshold * pow(1 - damping, 1 - from))) {
    return;
  }
  double more = pow(1 - damping, tau - 1) - 1;
  for (int axis = 0; axis < 3; ++axis) {
    velocity[axis] += more * end[axis];
  }
}

/* The velocities at tau, see dxBrinkVelocityAt. */
void dxBrinkVelocitiesAt(const dxBrinkRun *run, const dxBrinkBody *record, double tau, dxBrinkState *out) {
  dBodyID body = record->body;
  dxBrinkVelocityAt(run->brink, record, (1 - tau) * run->h, out);
  giveBackDamping(record->from, tau, dBodyGetLinearDamping(body), dBodyGetLinearDampingThreshold(body),
                  record->end.linear, out->linear);
  giveBackDamping(record->from, tau, dBodyGetAngularDamping(body), dBodyGetAngularDampingThreshold(body),
                  record->end.angular, out->angular);
}

/* The pose at tau, from Brink: the very motion that was proved about. */
bool dxBrinkStateAt(dBrinkID brink, const dxBrinkBody *record, double tau, dxBrinkState *out) {
  *out = record->start;
  if (!record->moves || tau <= record->from) {
    return true;
  }
  brinkPose pose;
  if (brink->shapes.plugin->bodyPose(brink->shapes.world, record->id, tau, &pose) != brink_ok) {
    return false;
  }
  dQuaternion q = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
  memcpy(out->position, &pose.position, sizeof(out->position));
  memcpy(out->quaternion, q, sizeof(out->quaternion));
  dRfromQ(out->rotation, q);
  return true;
}

/* m/s of a body's point along a direction. */
double dxBrinkPointSpeed(const dxBrinkState *state, const double arm[3], const double normal[3]) {
  const dReal *v = state->linear, *w = state->angular;
  return normal[0] * (v[0] + w[1] * arm[2] - w[2] * arm[1]) + normal[1] * (v[1] + w[2] * arm[0] - w[0] * arm[2]) +
         normal[2] * (v[2] + w[0] * arm[1] - w[1] * arm[0]);
}

/* Puts a body where it is at run->tau, unless it is posed already. */
bool dxBrinkPoseBody(dxBrinkRun *run, uint32_t number) {
  dBrinkID brink = run->brink;
  dxBrinkBody *record = &brink->bodies[number];
  if (record->posed) {
    return true;
  }
  if (!dxBrinkStateAt(brink, record, run->tau, &record->next) ||
      !DX_BRINK_RESERVE(brink->island.posed, brink->island.posedCount, brink->island.posedCapacity)) {
    return false;
  }
  brink->island.posed[brink->island.posedCount++] = number;
  record->posed = record->look.touched = true;
  dxBrinkVelocitiesAt(run, record, run->tau, &record->next);
  dxBrinkWriteState(record->body, &record->next);
  return true;
}
