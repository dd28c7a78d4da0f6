/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of an ODE world in which nothing tunnels.
 *
 * ODE solves the whole step first. If Brink proves that nothing struck on the way, that is the result, bit for bit.
 * Otherwise, impact by impact (scheme A'): the struck island (everything joined to it, contacts included) goes back to
 * its pose at the impact, its velocities are those of the solve less what the step's forces do after the impact, the
 * forces are given again, the contacts of the start are switched off and the program's near callback makes new ones
 * where things are now; ODE solves the rest of the step for this island alone, and Brink asks again about the rest of
 * the step. An articulated body that was struck more often than the cap, or too close to the step's end, is clamped: it
 * stays at the impact pose (which is free of the event by proof) for the rest of the step, keeps its velocity and loses
 * the time. Every round either solves (bounded by the cap) or freezes something, so the loop ends, and it ends only
 * when Brink has proved the rest of the step free.
 *
 * Based on: measurements of responses against ODE 0.16.2 (docs/ode.md): interpolating to the impact and stepping the
 * rest costs one solve per impact and keeps energy and joints; short steps need a smaller error reduction parameter: e'
 * = e r / (1 - e + e r) removes as much of an error in a step r h as e does in a step h, per time. In ODE's own step a
 * body moves straight and turns about a fixed axis by 2 atan(|w| h / 2) (infinitesimal mode) or |w| h (finite mode), w
 * the angular velocity that the solver left, before damping.
 *
 * t, r: parts of the whole step, [0,1]; "segment": from the last impact (t) to the end of the step; local: time in a
 * segment. Units: m, s, rad. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dxbrink.h"

#define WINDOW 1e-3 /* of a segment: pairs struck this close together share a solve, if they are near enough to touch \
                     */
#define SHORTEST_REST 1e-2 /* of the step: shorter rests are clamped, solving them makes energy */
#define TOUCHING 0.25      /* of the allowance: a pair this near at an impact counts as struck too */
#define STALLED 1e-9     /* of the step: an impact that comes this soon after the last of its pair makes no progress */
#define NUDGE 1e-7       /* of the thickness: how far past touching ODE's own colliders are first asked */
#define OWN_FRICTION 1.0 /* mu of a contact that ODE's colliders cannot see */
#define MAX_OWN_CONTACTS 8
#define QUICK_STEP_EFFORT \
  3 /* times QuickStep's iterations in an extra solve: half-solved contacts would strike again */
#define FULL_TURN 6.283185307179586
#define CHAIN_TURN 0.2 /* rad in a segment: a chain with a faster link goes body by body, see chooseChains */

typedef struct stepRun {
  dBrinkID brink;
  double h; /* s */
  bool quick;
  void *data;
  dNearCallback *near;
  dJointGroupID group; /* for contacts made here */
  double t;            /* start of the current segment */
  size_t bodyCount;
  double bodySolves, bodySolveLimit; /* work of extra solves, in bodies */
} stepRun;

typedef struct dxBrinkErp {
  dJointID joint;
  int parameter;
  dReal value;
  void (*set)(dJointID joint, int parameter, dReal value);
} dxBrinkErp;

/* ---- states of bodies */

static void readState(dBodyID body, dxBrinkState *state) {
  memcpy(state->position, dBodyGetPosition(body), sizeof(state->position));
  memcpy(state->quaternion, dBodyGetQuaternion(body), sizeof(state->quaternion));
  memcpy(state->rotation, dBodyGetRotation(body), sizeof(state->rotation));
  memcpy(state->linear, dBodyGetLinearVel(body), sizeof(state->linear));
  memcpy(state->angular, dBodyGetAngularVel(body), sizeof(state->angular));
}

/* Bit for bit: ODE's setters normalise the quaternion, but its getters return the storage itself. */
static void writeState(dBodyID body, const dxBrinkState *state) {
  memcpy((dReal *)(uintptr_t)dBodyGetQuaternion(body), state->quaternion, sizeof(state->quaternion));
  memcpy((dReal *)(uintptr_t)dBodyGetRotation(body), state->rotation, sizeof(state->rotation));
  dBodySetPosition(body, state->position[0], state->position[1], state->position[2]); /* tells the geoms */
  dBodySetLinearVel(body, state->linear[0], state->linear[1], state->linear[2]);
  dBodySetAngularVel(body, state->angular[0], state->angular[1], state->angular[2]);
}

static bool allFinite(const dReal *values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!isfinite(values[i])) {
      return false;
    }
  }
  return true;
}

static bool stateIsFinite(const dxBrinkState *state) {
  return allFinite(state->position, 3) && allFinite(state->quaternion, 4) && allFinite(state->linear, 3) &&
         allFinite(state->angular, 3);
}

static brinkPose poseOf(const dxBrinkState *state) {
  const dReal *p = state->position, *q = state->quaternion;
  return (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

static bool samePose(const dxBrinkState *a, const dxBrinkState *b) {
  return memcmp(a->position, b->position, sizeof(a->position)) == 0 &&
         memcmp(a->quaternion, b->quaternion, sizeof(a->quaternion)) == 0;
}

/* Turn of a body in a solve of length h. Damping came after the turn and is taken back. */
static void readSpin(dBodyID body, const dxBrinkState *end, double h, bool finite, double spin[3]) {
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

/* The rotation vector that takes q0 to q1 with as many turns as the spin says, world axes, rad. */
brinkVec3 dxBrinkTurnBetween(const dReal *q0, const dReal *q1, const double spin[3]) {
  dQuaternion turn;
  dQMultiply2(turn, q1, q0); /* q1 conj(q0) */
  double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
  double length = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
  double axis[3], angle = 2 * atan2(sine, turn[0]);
  for (int i = 0; i < 3; ++i) {
    axis[i] = sine > 0 ? turn[i + 1] / sine : (length > 0 ? spin[i] / length : 0);
  }
  double along = axis[0] * spin[0] + axis[1] * spin[1] + axis[2] * spin[2];
  angle += FULL_TURN * round((along - angle) / FULL_TURN);
  return (brinkVec3){angle * axis[0], angle * axis[1], angle * axis[2]};
}

static int sendMotion(dBrinkID brink, dxBrinkBody *record, bool alone) {
  brinkBodyMotion motion = {.structSize = sizeof(motion), .kind = brink_motionRest};
  motion.pose0 = poseOf(&record->start);
  motion.pose1 = motion.pose0;
  if (record->moves && alone) {
    const dReal *p0 = record->start.position, *p1 = record->end.position;
    motion.kind = brink_motionVelocities;
    motion.flags = BRINK_MOTION_ALONE;
    motion.velocity = (brinkVec3){p1[0] - p0[0], p1[1] - p0[1], p1[2] - p0[2]};
    motion.spin = dxBrinkTurnBetween(record->start.quaternion, record->end.quaternion, record->spin);
  } else if (record->moves) {
    motion.kind = brink_motionPoses;
    motion.flags = BRINK_MOTION_HAS_SPIN;
    motion.pose1 = poseOf(&record->end);
    motion.spin = (brinkVec3){record->spin[0], record->spin[1], record->spin[2]};
  }
  return brink->shapes.plugin->setBodyMotion(brink->shapes.world, record->id, &motion) == brink_ok;
}

/* Which jointed bodies go as a chain ([CATCH] Sec. 3.2: constant velocities in the parent's frame, joints whole at
 * every t), and which each for itself, as ODE integrates them? The two agree up to the square of the turn. A contact
 * that ODE's solver has satisfied stops a point of its own, straight, motion; in a chain that turns the same point may
 * start into the surface, and the chain would strike again at once, for ever. So chains go whole until the first impact
 * of a step, unless they turn far, and body by body after it. */
static void chooseChains(dBrinkID brink) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    brink->bodies[i].turnsFar = false;
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    const dxBrinkBody *record = &brink->bodies[i];
    if (record->body != NULL && record->moves) {
      double square =
          record->spin[0] * record->spin[0] + record->spin[1] * record->spin[1] + record->spin[2] * record->spin[2];
      brink->bodies[record->chain].turnsFar = brink->bodies[record->chain].turnsFar || square > CHAIN_TURN * CHAIN_TURN;
    }
  }
}

/* Sends the motions of the segment; `all`: of every body, else of those that move or did. */
static int sendMotions(stepRun *run, bool all) {
  dBrinkID brink = run->brink;
  chooseChains(brink);
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->body == NULL || !(all || record->moves || record->moved)) {
      continue;
    }
    record->alone = run->t > 0 || brink->bodies[record->chain].turnsFar;
    if (!sendMotion(brink, record, record->alone)) {
      return dxBrinkFail(brink, "the motion of body %zu: %s", i, brink->shapes.plugin->lastError(brink->shapes.world));
    }
  }
  return 1;
}

/* Velocity at an impact: that of the last solve, less what the step's own forces do in the time that is left (they are
 * given again to the next solve). Not interpolated: ODE's impulses act at the start of a solve and the motion that
 * Brink proved about was made with the velocity after them; the start's velocity would bring back what a contact has
 * already stopped. */
static void velocityAt(const dxBrink *brink, const dxBrinkBody *record, double timeLeft, dxBrinkState *out) {
  memcpy(out->linear, record->end.linear, sizeof(out->linear));
  memcpy(out->angular, record->end.angular, sizeof(out->angular));
  if (!record->dynamic || !dBodyIsEnabled(record->body)) {
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

/* The pose at a local time of the segment, from Brink: the very motion that was proved about. */
static bool stateAt(dBrinkID brink, const dxBrinkBody *record, double local, dxBrinkState *out) {
  *out = record->start;
  if (!record->moves) {
    return true;
  }
  brinkPose pose;
  if (brink->shapes.plugin->bodyPose(brink->shapes.world, record->id, local, &pose) != brink_ok) {
    return false;
  }
  dQuaternion q = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
  memcpy(out->position, &pose.position, sizeof(out->position));
  memcpy(out->quaternion, q, sizeof(out->quaternion));
  dRfromQ(out->rotation, q);
  return true;
}

/* ---- islands */

static void beginGathering(dBrinkID brink) {
  brink->mark++;
  brink->gatheredCount = 0;
}

static bool isGathered(const dxBrink *brink, uint32_t number) {
  return number != BRINK_NO_RECORD && brink->bodies[number].mark == brink->mark;
}

static bool gather(dBrinkID brink, uint32_t number) {
  if (number == BRINK_NO_RECORD || brink->bodies[number].mark == brink->mark) {
    return true;
  }
  if (!DX_BRINK_RESERVE(brink->gathered, brink->gatheredCount, brink->gatheredCapacity)) {
    return false;
  }
  brink->bodies[number].mark = brink->mark;
  brink->gathered[brink->gatheredCount++] = number;
  return true;
}

/* Everything that enabled joints connect to what is gathered; contacts too, or only joints that hold. */
static bool spread(dBrinkID brink, bool throughContacts) {
  for (size_t next = 0; next < brink->gatheredCount; ++next) {
    dBodyID body = brink->bodies[brink->gathered[next]].body;
    int count = dBodyGetNumJoints(body);
    for (int i = 0; i < count; ++i) {
      dJointID joint = dBodyGetJoint(body, i);
      if (!dJointIsEnabled(joint) || (!throughContacts && dJointGetType(joint) == dJointTypeContact)) {
        continue;
      }
      for (int side = 0; side < 2; ++side) {
        if (!gather(brink, dxBrinkFindBody(brink, dJointGetBody(joint, side)))) {
          return false;
        }
      }
    }
  }
  return true;
}

static bool gatherStruck(dBrinkID brink, bool throughContacts) {
  beginGathering(brink);
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    const dxBrinkStrike *strike = &brink->strikes[i];
    if (strike->wanted && (!gather(brink, brink->geoms[strike->pair.geomA].body) ||
                           !gather(brink, brink->geoms[strike->pair.geomB].body))) {
      return false;
    }
  }
  return spread(brink, throughContacts);
}

/* ---- pairs */

static bool isDropped(const dxBrink *brink, dxBrinkPair pair) {
  for (size_t i = 0; i < brink->droppedCount; ++i) {
    if (memcmp(&brink->dropped[i], &pair, sizeof(pair)) == 0) {
      return true;
    }
  }
  return false;
}

static bool dropPair(dBrinkID brink, dxBrinkPair pair) {
  if (!DX_BRINK_RESERVE(brink->dropped, brink->droppedCount, brink->droppedCapacity)) {
    return false;
  }
  brink->dropped[brink->droppedCount++] = pair;
  return true;
}

/* Brink asks this for pairs whose swept boxes meet. Left out: pairs that no contact can change, pairs held together by
 * a joint (as ODE's programs do with dAreConnectedExcluding), and pairs that the program did not want in this step. */
int dxBrinkWantPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB) {
  (void)a;
  (void)b;
  const dxBrink *brink = user;
  uint32_t bodyA = brink->geoms[userDataA].body, bodyB = brink->geoms[userDataB].body;
  bool dynamicA = bodyA != BRINK_NO_RECORD && brink->bodies[bodyA].dynamic;
  bool dynamicB = bodyB != BRINK_NO_RECORD && brink->bodies[bodyB].dynamic;
  if (!dynamicA && !dynamicB) {
    return 0;
  }
  if (bodyA != BRINK_NO_RECORD && bodyB != BRINK_NO_RECORD &&
      dAreConnectedExcluding(brink->bodies[bodyA].body, brink->bodies[bodyB].body, dJointTypeContact)) {
    return 0;
  }
  return brink->droppedCount == 0 || !isDropped(brink, (dxBrinkPair){(uint32_t)userDataA, (uint32_t)userDataB});
}

static dBodyID bodyOfGeom(const dxBrink *brink, uint32_t geom) {
  uint32_t number = brink->geoms[geom].body;
  return number == BRINK_NO_RECORD ? NULL : brink->bodies[number].body;
}

static double pairAllowance(const dxBrink *brink, dxBrinkPair pair) {
  return fmin(brink->geoms[pair.geomA].allowance, brink->geoms[pair.geomB].allowance);
}

/* ---- ODE's solve */

static double secondsNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void solve(stepRun *run, double h) {
  double began = secondsNow();
  if (run->quick) {
    dWorldQuickStep(run->brink->world, h);
  } else {
    dWorldStep(run->brink->world, h);
  }
  run->brink->solveSeconds += secondsNow() - began;
  run->brink->info.solves++;
}

static double scaledErp(double erp, double r) {
  double left = 1 - erp + erp * r;
  return left > 0 ? erp * r / left : erp;
}

/* Joints keep an error reduction of their own, copied from the world's when they were made. */
typedef struct erpKind {
  dJointType type;
  dReal (*get)(dJointID joint, int parameter);
  void (*set)(dJointID joint, int parameter, dReal value);
  int parameters[3]; /* 0 = none */
} erpKind;

static const erpKind erpKinds[] = {
    {dJointTypeBall, dJointGetBallParam, dJointSetBallParam, {dParamERP, 0, 0}},
    {dJointTypeFixed, dJointGetFixedParam, dJointSetFixedParam, {dParamERP, 0, 0}},
    {dJointTypeDBall, dJointGetDBallParam, dJointSetDBallParam, {dParamERP, 0, 0}},
    {dJointTypeDHinge, dJointGetDHingeParam, dJointSetDHingeParam, {dParamERP, 0, 0}},
    {dJointTypeHinge, dJointGetHingeParam, dJointSetHingeParam, {dParamStopERP, 0, 0}},
    {dJointTypeSlider, dJointGetSliderParam, dJointSetSliderParam, {dParamStopERP, 0, 0}},
    {dJointTypeHinge2,
     dJointGetHinge2Param,
     dJointSetHinge2Param,
     {dParamStopERP, dParamStopERP2, dParamSuspensionERP}},
    {dJointTypeUniversal, dJointGetUniversalParam, dJointSetUniversalParam, {dParamStopERP, dParamStopERP2, 0}},
    {dJointTypePR, dJointGetPRParam, dJointSetPRParam, {dParamStopERP, dParamStopERP2, 0}},
    {dJointTypePU, dJointGetPUParam, dJointSetPUParam, {dParamStopERP, dParamStopERP2, dParamStopERP3}},
    {dJointTypePiston, dJointGetPistonParam, dJointSetPistonParam, {dParamStopERP, dParamStopERP2, 0}},
    {dJointTypeAMotor, dJointGetAMotorParam, dJointSetAMotorParam, {dParamStopERP, dParamStopERP2, dParamStopERP3}},
    {dJointTypeLMotor, dJointGetLMotorParam, dJointSetLMotorParam, {dParamStopERP, dParamStopERP2, dParamStopERP3}},
};

static bool scaleJointErp(dBrinkID brink, dJointID joint, double r) {
  dJointType type = dJointGetType(joint);
  for (size_t k = 0; k < sizeof(erpKinds) / sizeof(*erpKinds); ++k) {
    for (int i = 0; erpKinds[k].type == type && i < 3 && erpKinds[k].parameters[i] != 0; ++i) {
      if (!DX_BRINK_RESERVE(brink->erps, brink->erpCount, brink->erpCapacity)) {
        return false;
      }
      dReal value = erpKinds[k].get(joint, erpKinds[k].parameters[i]);
      brink->erps[brink->erpCount++] = (dxBrinkErp){joint, erpKinds[k].parameters[i], value, erpKinds[k].set};
      erpKinds[k].set(joint, erpKinds[k].parameters[i], scaledErp(value, r));
    }
  }
  return true;
}

/* Each joint once: at its first body, or at its only one. */
static void scaleIslandErp(dBrinkID brink, double r) {
  brink->erpCount = 0;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dBodyID body = brink->bodies[brink->gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID first = dJointGetBody(joint, 0) != NULL ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
      if (first == body && !scaleJointErp(brink, joint, r)) {
        return;
      }
    }
  }
}

static void restoreErp(dBrinkID brink) {
  while (brink->erpCount > 0) {
    const dxBrinkErp *erp = &brink->erps[--brink->erpCount];
    erp->set(erp->joint, erp->parameter, erp->value);
  }
}

/* After an impact small bodies spin fast. ODE's infinitesimal mode turns them by 2 atan(|w| h / 2), never more than
 * half a turn, while their centre moves on at full speed: the point that a contact has stopped would then move into the
 * surface. The finite mode turns by |w| h, as the velocities say. */
static void turnFinitely(dBrinkID brink) {
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    record->finite = dBodyGetFiniteRotationMode(record->body) != 0;
    dBodySetFiniteRotationMode(record->body, 1);
  }
}

static void restoreTurning(dBrinkID brink) {
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    dBodySetFiniteRotationMode(record->body, record->finite);
  }
}

/* Solves a part r of the step for the gathered bodies alone. */
static bool solveIsland(stepRun *run, double r) {
  dBrinkID brink = run->brink;
  brink->sleeperCount = 0;
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    dBodyID body = brink->bodies[i].body;
    if (body == NULL || isGathered(brink, i) || !dBodyIsEnabled(body)) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->sleepers, brink->sleeperCount, brink->sleeperCapacity)) {
      brink->sleeperCount = 0;
      return false;
    }
    brink->sleepers[brink->sleeperCount++] = body;
  }
  for (size_t i = 0; i < brink->sleeperCount; ++i) {
    dBodyDisable(brink->sleepers[i]);
  }
  dReal erp = dWorldGetERP(brink->world);
  dWorldSetERP(brink->world, scaledErp(erp, r));
  scaleIslandErp(brink, r);
  turnFinitely(brink);
  int iterations = dWorldGetQuickStepNumIterations(brink->world);
  dWorldSetQuickStepNumIterations(brink->world, QUICK_STEP_EFFORT * iterations);
  solve(run, r * run->h);
  dWorldSetQuickStepNumIterations(brink->world, iterations);
  restoreTurning(brink);
  restoreErp(brink);
  dWorldSetERP(brink->world, erp);
  for (size_t i = 0; i < brink->sleeperCount; ++i) {
    dBodyEnable(brink->sleepers[i]);
  }
  run->bodySolves += (double)brink->gatheredCount;
  return true;
}

/* ---- contacts at an impact */

static int contactsOf(dBodyID bodyA, dBodyID bodyB) {
  return (bodyA != NULL ? dBodyGetNumJoints(bodyA) : 0) + (bodyB != NULL ? dBodyGetNumJoints(bodyB) : 0);
}

static void shift(dBodyID body, const dxBrinkState *from, const double direction[3], double distance) {
  dBodySetPosition(body, from->position[0] + distance * direction[0], from->position[1] + distance * direction[1],
                   from->position[2] + distance * direction[2]);
}

/* ODE's collider of a convex and a trimesh aborts unless the mesh was prepared for it: only the program may ask. */
static bool mayAskOde(const dxBrink *brink, dxBrinkPair pair) {
  int a = brink->geoms[pair.geomA].key.geomClass, b = brink->geoms[pair.geomB].key.geomClass;
  bool risky = (a == dConvexClass && b == dTriMeshClass) || (a == dTriMeshClass && b == dConvexClass);
  return !risky || dxBrinkOverrides(a, b);
}

/* A contact that only Brink sees, with a plain surface. */
static void makeOwnContacts(stepRun *run, const dxBrinkStrike *strike) {
  dBrinkID brink = run->brink;
  const dxBrinkGeom *a = &brink->geoms[strike->pair.geomA], *b = &brink->geoms[strike->pair.geomB];
  brinkPose poses[2] = {dxBrinkGeomPose(a->geom), dxBrinkGeomPose(b->geom)};
  brinkContactPoint points[MAX_OWN_CONTACTS];
  size_t count = 0;
  double margin = fmax(strike->contact.distance, 0) + TOUCHING * pairAllowance(brink, strike->pair);
  if (brink->shapes.plugin->collideShapes(brink->shapes.world, a->shape.id, &poses[0], b->shape.id, &poses[1], margin,
                                          points, MAX_OWN_CONTACTS, &count) != brink_ok) {
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    dContact contact = {.surface = {.mode = dContactApprox1, .mu = OWN_FRICTION}};
    contact.geom = (dContactGeom){.g1 = a->geom, .g2 = b->geom, .side1 = -1, .side2 = -1};
    contact.geom.depth = fmax(0, -points[i].separation);
    memcpy(contact.geom.pos, &points[i].position, 3 * sizeof(dReal));
    contact.geom.normal[0] = -points[i].normal.x;
    contact.geom.normal[1] = -points[i].normal.y;
    contact.geom.normal[2] = -points[i].normal.z;
    dJointAttach(dJointCreateContact(brink->world, run->group, &contact), dGeomGetBody(a->geom), dGeomGetBody(b->geom));
  }
}

/* Asks the program for contacts of a struck pair. The impact pose leaves a small gap, which ODE's colliders do not see,
 * so one body is moved along the normal for the time of the call, no farther than it takes and at most a quarter of the
 * allowance past touching. strike->wanted: the program (or, where no collider of ODE's sees anything, Brink) made a
 * contact. */
static void strikePair(stepRun *run, dxBrinkStrike *strike) {
  dBrinkID brink = run->brink;
  dGeomID geomA = brink->geoms[strike->pair.geomA].geom, geomB = brink->geoms[strike->pair.geomB].geom;
  dBodyID bodyA = bodyOfGeom(brink, strike->pair.geomA), bodyB = bodyOfGeom(brink, strike->pair.geomB);
  dBodyID mover = bodyA != NULL ? bodyA : bodyB;
  double sign = mover == bodyA ? 1 : -1; /* the normal points from A to B */
  double allowance = pairAllowance(brink, strike->pair), gap = fmax(strike->contact.distance, 0);
  double tries[] = {0, gap + NUDGE * 20 * allowance, gap + allowance / 16, gap + allowance * TOUCHING};
  dxBrinkState home;
  readState(mover, &home);
  bool ask = mayAskOde(brink, strike->pair), seen = false;
  for (size_t i = 0; i < sizeof(tries) / sizeof(*tries) && !seen; ++i) {
    dContactGeom found;
    shift(mover, &home, strike->normal, sign * tries[i]);
    seen = ask && dCollide(geomA, geomB, 1, &found, sizeof(found)) > 0;
  }
  if (!seen && ask) {
    dBodySetPosition(mover, home.position[0], home.position[1], home.position[2]);
  }
  int before = contactsOf(bodyA, bodyB);
  run->near(run->data, geomA, geomB);
  strike->wanted = contactsOf(bodyA, bodyB) > before;
  dBodySetPosition(mover, home.position[0], home.position[1], home.position[2]);
  if (!strike->wanted && ask && !seen) {
    makeOwnContacts(run, strike);
    strike->wanted = contactsOf(bodyA, bodyB) > before;
  }
}

static bool boxesMeet(dGeomID a, dGeomID b) {
  dReal boxA[6], boxB[6];
  dGeomGetAABB(a, boxA);
  dGeomGetAABB(b, boxB);
  for (int axis = 0; axis < 3; ++axis) {
    if (boxA[2 * axis] > boxB[2 * axis + 1] || boxB[2 * axis] > boxA[2 * axis + 1]) {
      return false;
    }
  }
  return true;
}

static bool bitsMeet(dGeomID a, dGeomID b) {
  return dGeomIsEnabled(a) && dGeomIsEnabled(b) &&
         ((dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) || (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a)));
}

/* The other contacts of the gathered bodies: among themselves and with what stands still. */
static void callNearOthers(stepRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->nearCount; ++i) {
    dxBrinkPair pair = brink->nearPairs[i];
    uint32_t bodyA = brink->geoms[pair.geomA].body, bodyB = brink->geoms[pair.geomB].body;
    bool ours = (isGathered(brink, bodyA) || bodyA == BRINK_NO_RECORD) &&
                (isGathered(brink, bodyB) || bodyB == BRINK_NO_RECORD);
    if (ours) {
      run->near(run->data, brink->geoms[pair.geomA].geom, brink->geoms[pair.geomB].geom);
    }
  }
  /* Geoms that Brink does not answer keep ODE's contacts. */
  for (size_t i = 0; i < brink->geomCount; ++i) {
    const dxBrinkGeom *plain = &brink->geoms[i];
    if (plain->geom == NULL || plain->answered || !(plain->body == BRINK_NO_RECORD || isGathered(brink, plain->body))) {
      continue;
    }
    for (size_t j = 0; j < brink->geomCount; ++j) {
      const dxBrinkGeom *other = &brink->geoms[j];
      bool ours =
          other->geom != NULL && (other->answered || j > i) && other->body != plain->body &&
          (isGathered(brink, other->body) || (other->body == BRINK_NO_RECORD && plain->body != BRINK_NO_RECORD));
      if (ours && bitsMeet(plain->geom, other->geom) && boxesMeet(plain->geom, other->geom)) {
        run->near(run->data, plain->geom, other->geom);
      }
    }
  }
}

/* ---- meshes at rest */

static bool isHeldApart(const dxBrink *brink, dxBrinkPair pair) {
  int a = brink->geoms[pair.geomA].key.geomClass, b = brink->geoms[pair.geomB].key.geomClass;
  return (a == dTriMeshClass || b == dTriMeshClass) && dxBrinkOverrides(a, b);
}

static bool haveHeldMeshes(const dxBrink *brink) {
  for (size_t i = 0; i < brink->shapes.meshCount; ++i) {
    if (brink->shapes.meshes[i].users > 0) {
      return true;
    }
  }
  return false;
}

/* Brink's contacts keep meshes a hair apart, but an ODE space reports only geoms whose boxes meet: a mesh at rest on a
 * level floor would be reported in no frame. So the pairs that are this near now are kept for the next step. */
static void listHeldApart(dBrinkID brink) {
  brink->heldCount = 0;
  if (!haveHeldMeshes(brink)) {
    return;
  }
  double margin = 0;
  for (size_t i = 0; i < brink->geomCount; ++i) {
    const dxBrinkGeom *geom = &brink->geoms[i];
    bool counts = geom->geom != NULL && geom->answered && geom->key.geomClass != dPlaneClass;
    margin = counts ? fmax(margin, geom->allowance) : margin;
  }
  const brinkColliderPair *pairs;
  size_t count;
  if (brink->shapes.plugin->nearPairs(brink->shapes.world, 1, margin, &pairs, &count) != brink_ok) {
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, pairs[i].a),
                        brinkKeyMap_Get(&brink->colliderMap, pairs[i].b)};
    if (pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD || !isHeldApart(brink, pair)) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->heldApart, brink->heldCount, brink->heldCapacity) ||
        !DX_BRINK_RESERVE(brink->heldGeoms, brink->heldCount, brink->heldGeomsCapacity)) {
      return;
    }
    brink->heldGeoms[brink->heldCount][0] = brink->geoms[pair.geomA].geom;
    brink->heldGeoms[brink->heldCount][1] = brink->geoms[pair.geomB].geom;
    brink->heldApart[brink->heldCount++] = pair;
  }
}

/* Before the solve: contacts of those pairs that the program's own dSpaceCollide could not see. */
static void callNearHeldApart(stepRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; run->near != NULL && i < brink->heldCount; ++i) {
    dxBrinkPair pair = brink->heldApart[i];
    const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
    bool same = a->geom == brink->heldGeoms[i][0] && b->geom == brink->heldGeoms[i][1] && a->answered && b->answered;
    if (same && bitsMeet(a->geom, b->geom) && !boxesMeet(a->geom, b->geom)) {
      run->near(run->data, a->geom, b->geom);
    }
  }
}

/* ---- one impact */

/* Where everything is at the impact. Before any motion changes: a link's pose depends on its parents' motions. */
static bool readImpactStates(dBrinkID brink, double local) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->body != NULL && !stateAt(brink, record, local, &record->next)) {
      return false;
    }
    record->posed = false;
  }
  return true;
}

/* The next segment begins at the impact: unsolved bodies go on as before, the part of their motion that is left. */
static int beginSegment(stepRun *run, double local) {
  dBrinkID brink = run->brink;
  run->t += local * (1 - run->t);
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->body == NULL) {
      continue;
    }
    record->moved = record->moves;
    record->start = record->next;
    if (!record->posed) {
      for (int axis = 0; axis < 3; ++axis) {
        record->spin[axis] *= 1 - local;
      }
    }
    record->moves = !record->frozen && !samePose(&record->start, &record->end);
  }
  return sendMotions(run, false);
}

static void poseGathered(stepRun *run, double tau) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    if (!record->posed) {
      record->posed = true;
      velocityAt(brink, record, (1 - tau) * run->h, &record->next);
      writeState(record->body, &record->next);
    }
  }
}

/* Puts posed bodies that are not gathered (any more) back to where the last solve left them. */
static void unposeOthers(dBrinkID brink) {
  for (uint32_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->body != NULL && record->posed && !isGathered(brink, i)) {
      record->posed = false;
      writeState(record->body, &record->end);
    }
  }
}

/* Contacts of the gathered bodies that are on now: after an impact they are out of date. */
static bool listStaleContacts(dBrinkID brink) {
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dBodyID body = brink->bodies[brink->gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID first = dJointGetBody(joint, 0) != NULL ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
      if (first != body || dJointGetType(joint) != dJointTypeContact || !dJointIsEnabled(joint)) {
        continue;
      }
      if (!DX_BRINK_RESERVE(brink->disabledJoints, brink->disabledCount, brink->disabledCapacity)) {
        return false;
      }
      brink->disabledJoints[brink->disabledCount++] = joint;
    }
  }
  return true;
}

/* Switches off the listed contacts, from `first` on, that touch the gathered bodies; the others leave the list. */
static void disableStaleContacts(dBrinkID brink, size_t first) {
  size_t kept = first;
  for (size_t i = first; i < brink->disabledCount; ++i) {
    dJointID joint = brink->disabledJoints[i];
    if (isGathered(brink, dxBrinkFindBody(brink, dJointGetBody(joint, 0))) ||
        isGathered(brink, dxBrinkFindBody(brink, dJointGetBody(joint, 1)))) {
      dJointDisable(joint);
      brink->disabledJoints[kept++] = joint;
    }
  }
  brink->disabledCount = kept;
}

static bool isStrike(const dBrinkID brink, dxBrinkPair pair) {
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    if (memcmp(&brink->strikes[i].pair, &pair, sizeof(pair)) == 0) {
      return true;
    }
  }
  return false;
}

static double largestAllowance(const dxBrink *brink) {
  double largest = 0;
  for (size_t i = 0; i < brink->geomCount; ++i) {
    const dxBrinkGeom *geom = &brink->geoms[i];
    if (geom->geom != NULL && geom->answered && geom->key.geomClass != dPlaneClass && isGathered(brink, geom->body)) {
      largest = fmax(largest, geom->allowance);
    }
  }
  return largest;
}

/* Pairs near each other at the impact, but for the struck ones. */
static bool listNearPairs(dBrinkID brink, double local) {
  const brinkColliderPair *pairs;
  size_t count;
  brink->nearCount = 0;
  if (brink->shapes.plugin->nearPairs(brink->shapes.world, local, largestAllowance(brink), &pairs, &count) !=
      brink_ok) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, pairs[i].a),
                        brinkKeyMap_Get(&brink->colliderMap, pairs[i].b)};
    if (pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD || isStrike(brink, pair)) {
      continue;
    }
    if (!DX_BRINK_RESERVE(brink->nearPairs, brink->nearCount, brink->nearCapacity)) {
      return false;
    }
    brink->nearPairs[brink->nearCount++] = pair;
  }
  return true;
}

/* Solves the rest of the step for the gathered bodies, which are at their impact poses. */
static bool solveRest(stepRun *run, double tau) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    readState(record->body, &record->next); /* as ODE normalised it */
    record->frozen = false;
    dBodySetForce(record->body, record->force[0], record->force[1], record->force[2]);
    dBodySetTorque(record->body, record->torque[0], record->torque[1], record->torque[2]);
  }
  if (!solveIsland(run, 1 - tau)) {
    return false;
  }
  bool finite = true;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    readState(record->body, &record->end);
    readSpin(record->body, &record->end, (1 - tau) * run->h, true, record->spin);
    finite = finite && stateIsFinite(&record->end);
  }
  return finite;
}

/* Stops a body at its impact pose for the rest of the step. It keeps the velocity of the last solve (or a body stopped
 * at the very start of a step would never feel a contact), but for what the step's forces did in the time that is lost
 * (or one that hangs on something for long would gather speed). */
static void freezeBody(stepRun *run, dxBrinkBody *record, double tau) {
  if (record->moves) {
    run->brink->info.lostTime += (1 - tau) * run->h / (double)run->bodyCount;
  }
  if (stateIsFinite(&record->end)) {
    velocityAt(run->brink, record, (1 - tau) * run->h, &record->next);
  }
  record->frozen = true;
  record->posed = true;
  record->end = record->next;
  writeState(record->body, &record->next);
}

static void freezeGathered(stepRun *run, double tau) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    freezeBody(run, &brink->bodies[brink->gathered[i]], tau);
  }
}

typedef enum outcome { outcomeDropped, outcomeSolved, outcomeClamped, outcomeFailed } outcome;

/* Scheme A' for the strikes found at `local`. outcomeDropped: the program wants none of them, nothing has changed. */
static outcome respondWithContacts(stepRun *run, double local) {
  dBrinkID brink = run->brink;
  double tau = run->t + local * (1 - run->t);
  size_t firstStale = brink->disabledCount;
  if (!readImpactStates(brink, local) || !gatherStruck(brink, true) || !listStaleContacts(brink) ||
      !listNearPairs(brink, local)) {
    brink->disabledCount = firstStale;
    return outcomeFailed;
  }
  poseGathered(run, tau);
  bool anyWanted = false;
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    strikePair(run, &brink->strikes[i]);
    anyWanted = anyWanted || brink->strikes[i].wanted;
    if (!brink->strikes[i].wanted && !dropPair(brink, brink->strikes[i].pair)) {
      return outcomeFailed;
    }
  }
  if (!gatherStruck(brink, true)) { /* nothing when none is wanted */
    return outcomeFailed;
  }
  unposeOthers(brink);
  disableStaleContacts(brink, firstStale);
  if (!anyWanted) {
    return outcomeDropped;
  }
  poseGathered(run, tau);
  callNearOthers(run);
  if (!spread(brink, true)) {
    return outcomeFailed;
  }
  poseGathered(run, tau); /* bodies that the program tied to the island just now */
  return solveRest(run, tau) ? outcomeSolved : outcomeFailed;
}

static bool clampStrikes(stepRun *run, double local) {
  dBrinkID brink = run->brink;
  if (!readImpactStates(brink, local) || !gatherStruck(brink, false)) {
    return false;
  }
  freezeGathered(run, run->t + local * (1 - run->t));
  brink->info.clamps++;
  return true;
}

/* The guard's last resort, when Brink or memory gives no answer: everything stays where the proof ends. */
static void clampAll(stepRun *run, double local) {
  dBrinkID brink = run->brink;
  if (!readImpactStates(brink, local)) {
    for (size_t i = 0; i < brink->bodyCount; ++i) {
      brink->bodies[i].next = brink->bodies[i].start;
    }
  }
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    if (brink->bodies[i].body != NULL) {
      freezeBody(run, &brink->bodies[i], run->t + local * (1 - run->t));
    }
  }
  brink->info.clamps++;
}

/* ---- what was struck */

static int ask(stepRun *run, brinkReport *report) {
  dBrinkID brink = run->brink;
  brinkQuery query = {.structSize = sizeof(query), .mode = brink_modeFirst, .scheme = brink->scheme};
  query.watch = brink_watchDepth;
  query.tEnd = 1;
  query.window = WINDOW;
  *report = (brinkReport){.structSize = sizeof(*report), .counters = {.structSize = sizeof(report->counters)}};
  if (brink->shapes.plugin->firstContact(brink->shapes.world, &query, report) != brink_ok) {
    return dxBrinkFail(brink, "first contact: %s", brink->shapes.plugin->lastError(brink->shapes.world));
  }
  const brinkCounters *counters = &report->counters;
  dBrinkStepInfo *info = &brink->info;
  info->pairsBefore += counters->pairsBefore;
  info->pairsSpatial += counters->pairsSpatial;
  info->pairsTemporal += counters->pairsTemporal;
  info->advancements += counters->advancements;
  info->distanceQueries += counters->distanceQueries;
  info->nodePairs += counters->nodePairs;
  info->unresolved += (int)counters->unresolved;
  dxBrinkTellSegment(brink, run->t, report);
  return 1;
}

static bool moves(const dxBrink *brink, uint32_t geom) {
  uint32_t body = brink->geoms[geom].body;
  return body != BRINK_NO_RECORD && brink->bodies[body].moves;
}

static bool addStrike(stepRun *run, const brinkContact *contact, dxBrinkPair pair) {
  dBrinkID brink = run->brink;
  if (!DX_BRINK_RESERVE(brink->strikes, brink->strikeCount, brink->strikeCapacity)) {
    return false;
  }
  dxBrinkStrike *strike = &brink->strikes[brink->strikeCount++];
  *strike = (dxBrinkStrike){.pair = pair, .contact = *contact, .wanted = true};
  memcpy(strike->normal, &contact->normal, sizeof(strike->normal));
  return true;
}

static bool addEvent(stepRun *run, const dxBrinkStrike *strike, int response) {
  dBrinkID brink = run->brink;
  if (!DX_BRINK_RESERVE(brink->events, brink->eventCount, brink->eventCapacity)) {
    return false;
  }
  const brinkContact *contact = &strike->contact;
  double left = 1 - run->t;
  dBrinkEvent *event = &brink->events[brink->eventCount++];
  *event = (dBrinkEvent){.g1 = brink->geoms[strike->pair.geomA].geom, .g2 = brink->geoms[strike->pair.geomB].geom};
  event->toi = run->t + contact->toi * left;
  event->toiUpper = fmin(1, run->t + contact->toiUpper * left);
  event->distance = contact->distance;
  event->threshold = contact->threshold;
  event->response = response;
  const double *a = &contact->pointA.x, *b = &contact->pointB.x;
  for (int i = 0; i < 3; ++i) {
    event->position[i] = (a[i] + b[i]) / 2;
    event->normal[i] = strike->normal[i];
  }
  return true;
}

typedef struct strikeList {
  double local;    /* of the impact; 2 = none */
  bool unresolved; /* the time is a proven bound, but what is struck may not be known */
  bool dropped;    /* pairs were left out: ask again when nothing else is left */
} strikeList;

/* A pair that crosses at the segment's start (meshes have no inside to come out of), or that cannot move any more. */
static bool isHopeless(const dxBrink *brink, const brinkContact *contact, dxBrinkPair pair) {
  return contact->state == brink_overlap || (!moves(brink, pair.geomA) && !moves(brink, pair.geomB));
}

/* Of the pairs that are struck a little later than the first, those count that are near enough to touch at its time;
 * the others will come up again. */
static void keepTouching(dBrinkID brink, double local) {
  size_t kept = 1;
  for (size_t i = 1; i < brink->strikeCount; ++i) {
    dxBrinkStrike strike = brink->strikes[i];
    const brinkContact *contact = &strike.contact;
    brinkContact now;
    if (brink->shapes.plugin->distance(brink->shapes.world, contact->colliderA, contact->colliderB, local, &now) ==
            brink_ok &&
        now.distance <= fmax(contact->threshold, 0) + TOUCHING * pairAllowance(brink, strike.pair)) {
      strike.contact.distance = now.distance;
      memcpy(strike.normal, &now.normal, sizeof(strike.normal));
      brink->strikes[kept++] = strike;
    }
  }
  brink->strikeCount = brink->strikeCount > 0 ? kept : 0;
}

/* The report in the stepper's terms. Its contacts are the plugin's until the next call: all are copied first. */
static bool readStrikes(stepRun *run, const brinkReport *report, strikeList *out) {
  dBrinkID brink = run->brink;
  *out = (strikeList){.local = 2};
  brink->strikeCount = 0;
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    dxBrinkPair pair = {brinkKeyMap_Get(&brink->colliderMap, contact->colliderA),
                        brinkKeyMap_Get(&brink->colliderMap, contact->colliderB)};
    if (contact->state == brink_free || pair.geomA == BRINK_NO_RECORD || pair.geomB == BRINK_NO_RECORD) {
      continue;
    }
    if (isHopeless(brink, contact, pair)) {
      dxBrinkLog(brink, brink_logInfo, "geoms %u and %u cross at the start: the pair is left to ODE in this step",
                 pair.geomA, pair.geomB);
      out->dropped = true;
      if (!dropPair(brink, pair)) {
        return false;
      }
      continue;
    }
    out->local = fmin(out->local, contact->toi);
    out->unresolved = out->unresolved || contact->state == brink_unresolved;
    if (!addStrike(run, contact, pair)) {
      return false;
    }
  }
  if (report->state == brink_unresolved && report->toi < out->local) {
    out->local = report->toi;
    out->unresolved = true;
  }
  keepTouching(brink, out->local);
  return true;
}

/* May the struck bodies be solved again? Counts this impact for them; one that lies deeper than the allowance
 * already counts twice, one that makes no progress fourfold. */
static bool mayRespond(stepRun *run, const strikeList *found) {
  dBrinkID brink = run->brink;
  double tau = run->t + found->local * (1 - run->t);
  if (run->near == NULL || found->unresolved || 1 - tau < SHORTEST_REST || run->bodySolves >= run->bodySolveLimit ||
      !gatherStruck(brink, false)) {
    return false;
  }
  bool deep = false;
  for (size_t i = 0; i < brink->strikeCount; ++i) {
    deep = deep || brink->strikes[i].contact.threshold < -pairAllowance(brink, brink->strikes[i].pair);
  }
  bool allowed = true;
  for (size_t i = 0; i < brink->gatheredCount; ++i) {
    allowed = allowed && brink->bodies[brink->gathered[i]].substeps < brink->maxSubsteps;
  }
  for (size_t i = 0; allowed && i < brink->gatheredCount; ++i) {
    dxBrinkBody *record = &brink->bodies[brink->gathered[i]];
    bool stalled = record->lastImpact >= 0 && tau - record->lastImpact < STALLED;
    record->substeps += stalled ? 4 : deep ? 2 : 1;
    record->lastImpact = tau;
  }
  return allowed;
}

static bool addEvents(stepRun *run, int response) {
  for (size_t i = 0; i < run->brink->strikeCount; ++i) {
    if (run->brink->strikes[i].wanted && !addEvent(run, &run->brink->strikes[i], response)) {
      return false;
    }
  }
  return true;
}

static outcome respond(stepRun *run, const strikeList *found) {
  dBrinkID brink = run->brink;
  if (brink->strikeCount > 0 && mayRespond(run, found)) {
    return respondWithContacts(run, found->local);
  }
  return brink->strikeCount > 0 && clampStrikes(run, found->local) ? outcomeClamped : outcomeFailed;
}

/* One round: ask, respond. 1: go on; 0: the rest of the step is proved free; -1: failed, the guard has stopped
 * everything. */
static int oneRound(stepRun *run) {
  dBrinkID brink = run->brink;
  brinkReport report;
  strikeList found;
  if (!ask(run, &report) || !readStrikes(run, &report, &found)) {
    if (run->t > 0) {
      clampAll(run, 0); /* before the first impact ODE's own result stays */
    }
    return -1;
  }
  if (found.local > 1) {
    return found.dropped ? 1 : 0;
  }
  outcome result = respond(run, &found);
  if (result == outcomeDropped) {
    return 1;
  }
  if (result == outcomeFailed) {
    clampAll(run, found.local);
  }
  brink->info.firstToi = fmin(brink->info.firstToi, run->t + found.local * (1 - run->t));
  if (!addEvents(run, result != outcomeSolved) || !beginSegment(run, found.local)) {
    clampAll(run, 0);
    return -1;
  }
  return 1;
}

/* ---- the whole step */

static int checkStart(dBrinkID brink) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->body == NULL) {
      continue;
    }
    readState(record->body, &record->start);
    memcpy(record->force, dBodyGetForce(record->body), sizeof(record->force));
    memcpy(record->torque, dBodyGetTorque(record->body), sizeof(record->torque));
    if (!stateIsFinite(&record->start) || !allFinite(record->force, 3) || !allFinite(record->torque, 3)) {
      const dReal *p = record->start.position;
      return dxBrinkFail(
          brink,
          "body %zu has a position, rotation, velocity or force that is not finite (position %g %g %g): the world was "
          "not stepped, ODE would abort; give it finite values (dBodySetPosition, dBodySetQuaternion, "
          "dBodySetLinearVel, "
          "dBodySetAngularVel, dBodySetForce) or destroy it, and step again",
          i, p[0], p[1], p[2]);
    }
  }
  return 1;
}

/* Motions of ODE's own solve. 0: something is not finite now. */
static int readMotions(stepRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    dxBrinkBody *record = &brink->bodies[i];
    if (record->body == NULL) {
      continue;
    }
    record->substeps = 0;
    record->frozen = false;
    record->posed = false;
    record->lastImpact = -1;
    readState(record->body, &record->end);
    if (!stateIsFinite(&record->end)) {
      return dxBrinkFail(brink,
                         "ODE's solve left body %zu without a finite position or velocity: this step was not checked; "
                         "lower the forces "
                         "or the step, or raise CFM",
                         i);
    }
    record->moves = !samePose(&record->start, &record->end);
    readSpin(record->body, &record->end, run->h, dBodyGetFiniteRotationMode(record->body) != 0, record->spin);
  }
  return sendMotions(run, true);
}

static bool anythingMoves(const dxBrink *brink) {
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    if (brink->bodies[i].body != NULL && brink->bodies[i].moves) {
      return true;
    }
  }
  return false;
}

/* Impacts of a step that ODE has solved. */
static int followImpacts(stepRun *run) {
  dBrinkID brink = run->brink;
  brink->shapes.plugin->setPairFilter(brink->shapes.world, dxBrinkWantPair, brink);
  for (size_t i = 0; i < brink->bodyCount; ++i) {
    run->bodyCount += brink->bodies[i].body != NULL;
  }
  run->bodySolveLimit = (double)brink->maxSubsteps * (double)run->bodyCount;
  int round = 1;
  while (round > 0 && anythingMoves(brink)) {
    round = oneRound(run);
  }
  for (size_t i = 0; i < brink->disabledCount; ++i) {
    dJointEnable(brink->disabledJoints[i]);
  }
  if (run->group == brink->ownGroup) {
    dJointGroupEmpty(brink->ownGroup);
  }
  listHeldApart(brink);
  return round >= 0;
}

static void clearInfo(dBrinkID brink) {
  brink->info = (dBrinkStepInfo){.structSize = sizeof(brink->info), .firstToi = 2};
  brink->eventCount = 0;
  brink->disabledCount = 0;
  brink->droppedCount = 0;
  brink->solveSeconds = 0;
}

static int watchedStep(stepRun *run) {
  dBrinkID brink = run->brink;
  if (!dxBrinkRefresh(brink)) {
    solve(run, run->h);
    return 0;
  }
  if (!checkStart(brink)) {
    return 0;
  }
  callNearHeldApart(run);
  solve(run, run->h);
  int done = readMotions(run) && followImpacts(run);
  brink->info.worstJointError = dxBrinkJointError(brink);
  return done;
}

int dxBrinkStep(dBrinkID brink, double h, void *data, dNearCallback *near, dJointGroupID contactGroup, bool quick) {
  if (brink == NULL) {
    return dxBrinkFail(NULL, "dBrinkWorldStep: brink is NULL; see dBrinkGetError(NULL) after dBrinkCreate");
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "dBrinkWorldStep: called from inside a step's near callback; one step at a time");
  }
  clearInfo(brink);
  if (!isfinite(h) || !(h > 0)) {
    return dxBrinkFail(brink,
                       "dBrinkWorldStep: the step is %g s; it must be positive and finite (ODE would abort). The world "
                       "was not stepped",
                       h);
  }
  double began = secondsNow();
  brink->error[0] = '\0';
  brink->busy = true;
  stepRun run = {.brink = brink, .h = h, .quick = quick, .data = data, .near = near};
  run.group = contactGroup != NULL ? contactGroup : brink->ownGroup;
  int done = 1;
  if (brink->enabled) {
    done = watchedStep(&run);
  } else {
    solve(&run, h);
  }
  brink->busy = false;
  brink->info.milliseconds = 1e3 * (secondsNow() - began - brink->solveSeconds);
  return done;
}
