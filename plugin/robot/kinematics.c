/* SPDX-License-Identifier: BSD-3-Clause */
/* Where are the links of a robot, and how do they move along an edge? Every joint type moves its child with constant
 * linear and angular velocity in the parent's frame while its values change at constant speed, so an edge is exactly a
 * motion of link_motion.h:
 *
 *   revolute, continuous   w = dq a                    screw      w = dq a,  v = dq (pitch / 2 pi) a
 *   prismatic              v = dq a                    planar     v = dx x + dy y,  w = dangle a
 *   floating               v = difference of positions, w = the shorter rotation vector
 *
 * Units: m, rad. */
#include "robot.h"

#define PI 3.14159265358979323846
/* Rounding that a planner's values may carry beyond a limit, relative to the limit's size (at least 1). */
#define LIMIT_SLACK 1e-9

/* ---- values */

static bool isAngle(const RobotJoint *joint, uint32_t index) {
  switch (joint->type) {
    case brink_robotRevolute:
    case brink_robotContinuous:
    case brink_robotScrew:
      return true;
    case brink_robotPlanar:
      return index == 2;
    default:
      return false;
  }
}

static double valueOf(const brinkRobot *robot, const RobotJoint *joint, const double *q) {
  return joint->multiplier * q[robot->joints[joint->source].valueIndex] + joint->offset;
}

static brinkStatus refuseValue(brinkContext *context, const RobotJoint *joint, const char *what, uint32_t index,
                               double value, brinkStatus status, const char *why) {
  return brinkFail(context, status, "%s[%u], joint %s, is %.17g: %s", what, joint->valueIndex + index,
                   RobotJoint_Told(joint), value, why);
}

static brinkStatus checkLimit(brinkContext *context, const RobotJoint *joint, const char *what, uint32_t index,
                              double value) {
  double slack = LIMIT_SLACK * fmax(1.0, fmax(fabs(joint->lower[index]), fabs(joint->upper[index])));
  if (!isfinite(slack)) slack = LIMIT_SLACK;
  if (value >= joint->lower[index] - slack && value <= joint->upper[index] + slack) return brink_ok;
  return brinkFail(context, brink_errorRange, "%s: joint %s is %.17g, its limits are %g to %g%s", what,
                   RobotJoint_Told(joint), value, joint->lower[index], joint->upper[index],
                   joint->mimic != BRINK_ROBOT_NONE ? " (it follows another joint)" : "");
}

brinkStatus brinkRobot_CheckValues(const brinkRobot *robot, brinkContext *context, const double *q, const char *what,
                                   bool limits) {
  for (size_t j = 0; j < robot->jointCount; ++j) {
    const RobotJoint *joint = &robot->joints[j];
    for (uint32_t i = 0; i < joint->valueCount; ++i) {
      double value = q[joint->valueIndex + i], most = isAngle(joint, i) ? BRINK_MAX_SPIN : BRINK_MAX_LENGTH;
      if (!isfinite(value)) return refuseValue(context, joint, what, i, value, brink_errorBadValue, "must be finite");
      if (fabs(value) > most)
        return refuseValue(context, joint, what, i, value, brink_errorRange, "too large to be computed with");
    }
    if (joint->type == brink_robotFloating) {
      const double *quat = q + joint->valueIndex + 3;
      if (quat[0] == 0.0 && quat[1] == 0.0 && quat[2] == 0.0 && quat[3] == 0.0)
        return brinkFail(context, brink_errorBadRotation, "%s: the quaternion of joint %s is zero", what,
                         RobotJoint_Told(joint));
    }
    if (!limits || !joint->limited) continue;
    brinkStatus status = brink_ok;
    if (joint->valueCount == 0) status = checkLimit(context, joint, what, 0, valueOf(robot, joint, q));
    for (uint32_t i = 0; status == brink_ok && i < BRINK_MIN(joint->valueCount, 3u); ++i)
      status = checkLimit(context, joint, what, i, q[joint->valueIndex + i]);
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

/* Mimics follow their source, so only the source decides which way round. */
double brinkRobot_Change(const RobotJoint *joint, uint32_t index, double from, double to, bool shorter) {
  double change = to - from;
  bool turns = joint->type == brink_robotContinuous || (joint->type == brink_robotPlanar && index == 2);
  if (shorter && turns && !joint->stated && fabs(change) > PI) {
    change = fmod(change, 2.0 * PI);
    if (change > PI) change -= 2.0 * PI;
    if (change < -PI) change += 2.0 * PI;
  }
  return change;
}

static brinkQuat quatOf(const double *q) {
  brinkQuat quat = {q[0], q[1], q[2], q[3]};
  brinkNormalizeQuat(&quat);
  return quat;
}

/* Rotation vector of the shorter way from a to b, axes of the frame that both are given in. */
static brinkVec3 shorterTurn(brinkQuat a, brinkQuat b) {
  brinkQuat d = brinkMulQQ(b, brinkConjugate(a));
  if (d.w < 0.0) d = (brinkQuat){-d.w, -d.x, -d.y, -d.z};
  brinkVec3 u = {d.x, d.y, d.z};
  double s = brinkLength(u);
  return s > 0.0 ? brinkScale(u, 2.0 * atan2(s, d.w) / s) : brinkV3(0, 0, 0);
}

/* ---- one joint's frame and velocities, in its motion parent's frame */

static brinkMat3 turnedMount(const RobotJoint *joint, double angle) {
  double c = cos(angle), s = sin(angle);
  brinkMat3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r.m[i][j] = joint->constant.m[i][j] + c * joint->cosine.m[i][j] + s * joint->sine.m[i][j];
  return r;
}

static brinkRigid frameAt(const brinkRobot *robot, const RobotJoint *joint, const double *q) {
  brinkRigid frame = joint->mount;
  const double *own = q + joint->valueIndex;
  switch (joint->type) {
    case brink_robotRevolute:
    case brink_robotContinuous:
      frame.r = turnedMount(joint, valueOf(robot, joint, q));
      break;
    case brink_robotPrismatic:
      frame.p = brinkMulAdd(frame.p, valueOf(robot, joint, q), joint->mountedAxis);
      break;
    case brink_robotScrew:
      frame.r = turnedMount(joint, valueOf(robot, joint, q));
      frame.p = brinkMulAdd(frame.p, joint->pitch * valueOf(robot, joint, q), joint->mountedAxis);
      break;
    case brink_robotPlanar: {
      brinkVec3 way = brinkMulMV(&joint->plane, brinkV3(own[0], own[1], 0.0));
      frame.p = brinkApply(&joint->mount, way);
      frame.r = turnedMount(joint, own[2]);
      break;
    }
    case brink_robotFloating: {
      brinkMat3 r = brinkMat3_FromQuat(quatOf(own + 3));
      frame.p = brinkApply(&joint->mount, brinkV3_FromArray(own));
      frame.r = brinkMulMM(&joint->mount.r, &r);
      break;
    }
    default:
      break;
  }
  return frame;
}

static void velocitiesOf(const brinkRobot *robot, const RobotJoint *joint, const double *q0, const double *q1,
                         bool shorter, brinkVec3 *v, brinkVec3 *w) {
  *v = *w = brinkV3(0, 0, 0);
  const RobotJoint *source = &robot->joints[joint->source];
  uint32_t at = joint->valueIndex;
  double change = 0.0;
  if (joint->type != brink_robotPlanar && joint->type != brink_robotFloating)
    change = joint->multiplier * brinkRobot_Change(source, 0, q0[source->valueIndex], q1[source->valueIndex], shorter);
  switch (joint->type) {
    case brink_robotScrew:
      *v = brinkScale(joint->mountedAxis, joint->pitch * change);
      *w = brinkScale(joint->mountedAxis, change);
      break;
    case brink_robotRevolute:
    case brink_robotContinuous:
      *w = brinkScale(joint->mountedAxis, change);
      break;
    case brink_robotPrismatic:
      *v = brinkScale(joint->mountedAxis, change);
      break;
    case brink_robotPlanar: {
      brinkVec3 way = brinkMulMV(&joint->plane, brinkV3(q1[at] - q0[at], q1[at + 1] - q0[at + 1], 0.0));
      *v = brinkMulMV(&joint->mount.r, way);
      *w = brinkScale(joint->mountedAxis, brinkRobot_Change(joint, 2, q0[at + 2], q1[at + 2], shorter));
      break;
    }
    case brink_robotFloating: {
      brinkVec3 from = brinkV3_FromArray(q0 + at), to = brinkV3_FromArray(q1 + at);
      *v = brinkMulMV(&joint->mount.r, brinkSub(to, from));
      *w = brinkMulMV(&joint->mount.r, shorterTurn(quatOf(q0 + at + 3), quatOf(q1 + at + 3)));
      break;
    }
    default:
      break;
  }
}

/* ---- the tree */

void brinkRobot_MakeMotions(const brinkRobot *robot, const double *q0, const double *q1, bool shorter,
                            brinkLinkMotion *links) {
  for (size_t m = 0; m < robot->motionCount; ++m) {
    brinkLinkMotion *link = &links[m];
    uint32_t carrier = robot->carriers[m];
    memset(link, 0, sizeof *link);
    const RobotJoint *joint = carrier == BRINK_NONE ? NULL : &robot->joints[carrier];
    link->parent = joint == NULL ? -1 : joint->motionParent;
    brinkRigid frame = joint == NULL ? robot->base : frameAt(robot, joint, q0);
    link->t0 = frame.p;
    link->r0 = frame.r;
    if (joint != NULL) velocitiesOf(robot, joint, q0, q1, shorter, &link->v, &link->w);
    brinkLinkMotion_Prepare(link);
  }
}

void brinkRobot_Poses(const brinkRobot *robot, const double *q, brinkRigid *links) {
  for (size_t i = 0; i < robot->linkCount; ++i) {
    const uint32_t index = robot->order[i];
    const RobotLink *link = &robot->links[index];
    if (link->joint == BRINK_NONE) {
      links[index] = robot->base;
      continue;
    }
    const RobotJoint *joint = &robot->joints[link->joint];
    const brinkRigid *parent = &links[joint->parent];
    if (joint->type == brink_robotFixed) {
      links[index] = brinkCompose(parent, &joint->origin);
      continue;
    }
    /* frameAt speaks in the motion parent's frame; the parent link lies there at its place */
    brinkRigid frame = frameAt(robot, joint, q);
    brinkRigid relative = joint->motionParent < 0 ? frame : brinkRelative(&robot->links[joint->parent].place, &frame);
    links[index] = joint->motionParent < 0 ? frame : brinkCompose(parent, &relative);
  }
}

void brinkRobot_Between(const brinkRobot *robot, const double *q0, const double *q1, double t, bool shorter,
                        double *q) {
  for (size_t j = 0; j < robot->jointCount; ++j) {
    const RobotJoint *joint = &robot->joints[j];
    const uint32_t at = joint->valueIndex;
    bool floating = joint->type == brink_robotFloating;
    for (uint32_t i = 0; i < (floating ? 3u : joint->valueCount); ++i) {
      double change = brinkRobot_Change(joint, i, q0[at + i], q1[at + i], shorter);
      bool straight = change == q1[at + i] - q0[at + i];
      q[at + i] = t == 1.0 && straight ? q1[at + i] : q0[at + i] + t * change;
    }
    if (!floating) continue;
    brinkQuat from = quatOf(q0 + at + 3), to = quatOf(q1 + at + 3);
    brinkVec3 w = brinkScale(shorterTurn(from, to), t);
    double angle = brinkLength(w), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.0;
    brinkQuat turn = {cos(0.5 * angle), s * w.x, s * w.y, s * w.z};
    brinkQuat now = brinkMulQQ(turn, from);
    brinkNormalizeQuat(&now);
    q[at + 3] = now.w;
    q[at + 4] = now.x;
    q[at + 5] = now.y;
    q[at + 6] = now.z;
  }
}
