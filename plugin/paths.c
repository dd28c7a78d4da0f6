/* SPDX-License-Identifier: BSD-3-Clause */
/* Motions beyond constant velocities as hosts state them: checked, copied, kept with the body they move. A host's own
 * motion is called under the host's floating-point state, and what it says is checked at every call: a pose that is not
 * finite is replaced and remembered, and the query that met it fails.
 * Based on: algorithms/motion/path.h. Units: m, rad, per step. */
#include "path.h"
#include "world.h"

#include <stdio.h>

/* Largest |control| / weight and weight ratio of a Bezier: their products stay finite. */
#define MAX_WEIGHT_RATIO 1e6

struct brinkWorldPath {
  brinkPath path; /* links borrow it: the struct never moves */
  brinkWorld *world;
  void *user;
  brinkMotionPoseFunction pose;
  brinkMotionBoundFunction bound;
  brinkVec3 first; /* bezier: where its first control point lies, from which the others are stated */
  size_t keyBytes, controlBytes;
};

const brinkPath *brinkWorldPath_Path(brinkWorldPath *item, brinkVec3 offset) {
  item->path.offset = brinkAdd(offset, item->first);
  return &item->path;
}

void brinkWorldPath_Free(brinkContext *context, brinkWorldPath *item) {
  if (item == NULL) return;
  if (item->path.keys != NULL) brinkRelease(context, item->path.keys, item->keyBytes);
  if (item->path.controls != NULL) brinkRelease(context, item->path.controls, item->controlBytes);
  brinkRelease(context, item, sizeof *item);
}

/* ---- a host's motion */

static void callPose(void *user, double t, brinkPose *pose, brinkVec3 *velocity, brinkVec3 *omega, bool *known) {
  brinkWorldPath *item = user;
  brinkMotionState state;
  memset(&state, 0, sizeof state);
  state.structSize = sizeof state;
  state.pose.rotation.w = 1.0;
  brinkFloatState mine;
  if (item->world->hostFloat != NULL) brinkFloat_Leave(item->world->hostFloat);
  item->pose(item->user, fmin(fmax(t, 0.0), 1.0), &state);
  brinkFloat_Enter(&mine);
  brinkQuat q = state.pose.rotation;
  bool good = brinkFiniteV3(state.pose.position) && brinkLength(state.pose.position) <= BRINK_MAX_LENGTH &&
              brinkFiniteV3(state.velocity) && brinkFiniteV3(state.spin) && brinkNormalizeQuat(&q);
  if (!good) {
    item->world->pathFailed = true;
    state.pose = (brinkPose){{0, 0, 0}, {1, 0, 0, 0}};
    state.hasVelocities = 0;
  }
  *pose = state.pose;
  *velocity = state.velocity;
  *omega = state.spin;
  *known = state.hasVelocities != 0;
}

static void callBound(void *user, double t0, double t1, brinkPathBound *out) {
  brinkWorldPath *item = user;
  brinkMotionBound bound;
  memset(&bound, 0, sizeof bound);
  bound.structSize = sizeof bound;
  bound.speed = bound.acceleration = bound.turnRate = bound.turnAcceleration = HUGE_VAL;
  brinkFloatState mine;
  if (item->world->hostFloat != NULL) brinkFloat_Leave(item->world->hostFloat);
  item->bound(item->user, fmin(fmax(t0, 0.0), 1.0), fmin(fmax(t1, 0.0), 1.0), &bound);
  brinkFloat_Enter(&mine);
  *out = (brinkPathBound){bound.speed, bound.acceleration, bound.turnRate, bound.turnAcceleration};
}

static brinkStatus makeUser(brinkWorld *world, const brinkMotionPath *def, brinkWorldPath *item) {
  brinkContext *context = &world->context;
  if (def->poseAt == NULL) return brinkRefuseNull(context, "motion->path->poseAt");
  if (def->boundOver == NULL) return brinkRefuseNull(context, "motion->path->boundOver");
  item->user = def->user;
  item->pose = def->poseAt;
  item->bound = def->boundOver;
  world->pathFailed = false;
  item->path = brinkMakePathUser((brinkPathUser){item, callPose, callBound});
  bool failed = world->pathFailed;
  world->pathFailed = false;
  if (failed)
    return brinkFail(context, brink_errorBadValue, "motion->path->poseAt gave a pose at 0 that is not finite");
  brinkPathBound whole;
  callBound(item, 0.0, 1.0, &whole);
  if (!(whole.speed >= 0.0) || !(whole.turn >= 0.0) || !(whole.speed <= BRINK_MAX_LENGTH) ||
      !(whole.turn <= BRINK_MAX_SPIN))
    return brinkFail(context, brink_errorBadValue,
                     "motion->path->boundOver says speed %g and turn rate %g over [0,1]: both must be bounded",
                     whole.speed, whole.turn);
  return brink_ok;
}

/* ---- splines and Bezier curves */

static brinkStatus makeSpline(brinkWorld *world, const brinkMotionPath *def, brinkWorldPath *item) {
  brinkContext *context = &world->context;
  if (def->keys == NULL) return brinkRefuseNull(context, "motion->path->keys");
  if (def->keyCount < 2 || def->keyCount > INT32_MAX / 2)
    return brinkFail(context, brink_errorBadValue, "motion->path->keyCount is %zu: a spline has two keys or more",
                     def->keyCount);
  item->keyBytes = def->keyCount * sizeof(brinkPathKey);
  item->path.keys = brinkAllocateZeroed(context, def->keyCount, sizeof(brinkPathKey));
  if (item->path.keys == NULL)
    return brinkFail(context, brink_errorNoMemory, "setBodyMotion: no memory for %zu keys", def->keyCount);
  brinkPathKey *keys = item->path.keys;
  double before = -1.0;
  for (size_t i = 0; i < def->keyCount; ++i) {
    const brinkMotionKey *given = &def->keys[i];
    brinkPose pose;
    char name[64];
    snprintf(name, sizeof name, "motion->path->keys[%zu].pose", i);
    brinkStatus status = brinkCheckPose(context, &given->pose, name, &pose);
    snprintf(name, sizeof name, "motion->path->keys[%zu].slope", i);
    if (status == brink_ok) status = brinkCheckVec3(context, given->slope, BRINK_MAX_LENGTH, name);
    if (status != brink_ok) return status;
    /* 1e-6 of the step between keys: third derivatives stay meaningful */
    if (!(given->time >= before + 1e-6) || (i == 0 && given->time != 0.0) ||
        (i + 1 == def->keyCount && given->time != 1.0))
      return brinkFail(context, brink_errorBadTime,
                       "motion->path->keys[%zu].time is %g: keys ascend by at least 1e-6 from 0 to 1", i, given->time);
    before = given->time;
    keys[i].time = given->time;
    keys[i].position = pose.position;
    keys[i].slope = given->slope;
    keys[i].rotation = pose.rotation;
  }
  item->path = brinkMakePathSpline(keys, (int32_t)def->keyCount);
  return brink_ok;
}

static brinkStatus makeBezier(brinkWorld *world, const brinkMotionPath *def, brinkWorldPath *item) {
  brinkContext *context = &world->context;
  if (def->controls == NULL) return brinkRefuseNull(context, "motion->path->controls");
  if (def->weights == NULL) return brinkRefuseNull(context, "motion->path->weights");
  if (def->controlCount < 2 || def->controlCount > BRINK_PATH_MAX_DEGREE + 1)
    return brinkFail(context, brink_errorBadValue, "motion->path->controlCount is %zu: 2 to %d", def->controlCount,
                     BRINK_PATH_MAX_DEGREE + 1);
  double least = HUGE_VAL, most = 0.0;
  for (size_t i = 0; i < def->controlCount; ++i) {
    if (!(def->weights[i] > 0.0) || !isfinite(def->weights[i]))
      return brinkFail(context, brink_errorBadValue, "motion->path->weights[%zu] is %g: weights are finite and above 0",
                       i, def->weights[i]);
    least = fmin(least, def->weights[i]);
    most = fmax(most, def->weights[i]);
    for (size_t k = 0; k < 12; ++k)
      if (!(fabs(def->controls[12 * i + k]) <= BRINK_MAX_LENGTH))
        return brinkFail(context, brink_errorBadValue,
                         "motion->path->controls[%zu][%zu] is %g: must be finite, at most %g", i, k,
                         def->controls[12 * i + k], BRINK_MAX_LENGTH);
  }
  if (most > MAX_WEIGHT_RATIO * least)
    return brinkFail(context, brink_errorRange, "motion->path->weights: %g to %g; at most a factor %g is understood",
                     least, most, MAX_WEIGHT_RATIO);
  item->controlBytes = 13 * sizeof(double) * def->controlCount;
  double *controls = brinkAllocateZeroed(context, 13 * def->controlCount, sizeof(double));
  if (controls == NULL)
    return brinkFail(context, brink_errorNoMemory, "setBodyMotion: no memory for %zu controls", def->controlCount);
  /* Far out the differences of control points would be lost in the rounding of their products with the weights. */
  const double first[3] = {def->controls[3], def->controls[7], def->controls[11]};
  item->first = brinkV3_FromArray(first);
  for (size_t i = 0; i < def->controlCount; ++i) {
    double w = def->weights[i] / most, *to = &controls[13 * i];
    const double *from = &def->controls[12 * i];
    to[0] = w;
    for (size_t row = 0; row < 3; ++row) {
      for (size_t column = 0; column < 3; ++column) to[1 + 3 * row + column] = w * from[4 * row + column];
      to[10 + row] = w * (from[4 * row + 3] - first[row]);
    }
  }
  bool rigid = brinkMakePathBezier(controls, (int32_t)def->controlCount, &item->path);
  item->path.controls = controls;
  if (!rigid)
    return brinkFail(
        context, brink_errorBadRotation,
        "motion->path->controls: the curve does not stay rigid (R^T R - I beyond %g somewhere, or a mirror)",
        BRINK_PATH_RIGIDITY);
  return brink_ok;
}

static brinkStatus makeScrew(brinkWorld *world, const brinkMotionPath *def, brinkPose start, brinkWorldPath *item) {
  brinkContext *context = &world->context;
  brinkStatus status = brinkCheckVec3(context, def->axisPoint, BRINK_MAX_LENGTH, "motion->path->axisPoint");
  if (status == brink_ok) status = brinkCheckVec3(context, def->axis, BRINK_MAX_LENGTH, "motion->path->axis");
  if (status == brink_ok && def->axis.x == 0.0 && def->axis.y == 0.0 && def->axis.z == 0.0)
    status = brinkFail(context, brink_errorBadValue, "motion->path->axis is zero: a screw needs a direction");
  if (status == brink_ok && !(fabs(def->angle) <= BRINK_MAX_SPIN))
    status = brinkFail(context, brink_errorBadValue, "motion->path->angle is %g: finite, at most %g", def->angle,
                       BRINK_MAX_SPIN);
  if (status == brink_ok && !(fabs(def->pitch * def->angle) <= BRINK_MAX_LENGTH))
    status =
        brinkFail(context, brink_errorBadValue, "motion->path->pitch is %g: finite, and times the angle at most %g",
                  def->pitch, BRINK_MAX_LENGTH);
  if (status == brink_ok) item->path = brinkMakePathScrew(start, def->axisPoint, def->axis, def->angle, def->pitch);
  return status;
}

/* ---- any */

brinkStatus brinkWorld_MakePath(brinkWorld *world, const brinkBodyMotion *motion, brinkPose start,
                                brinkWorldPath *reuse, brinkWorldPath **out) {
  brinkContext *context = &world->context;
  *out = NULL;
  if (motion->kind != brink_motionOdeStep) {
    if (motion->path == NULL) return brinkRefuseNull(context, "motion->path");
    brinkStatus status = brinkCheckSize(context, motion->path->structSize, sizeof *motion->path, "motion->path");
    if (status == brink_ok) status = brinkCheckFlags(context, motion->path->flags, 0, "motion->path->flags");
    if (status != brink_ok) return status;
  }
  if (motion->kind == brink_motionOdeStep && reuse != NULL && reuse->path.kind == brink_pathOdeStep) {
    reuse->path = brinkMakePathOdeStep(start, motion->velocity, motion->spin);
    *out = reuse;
    return brink_ok;
  }
  brinkWorldPath *item = brinkAllocateZeroed(context, 1, sizeof *item);
  if (item == NULL) return brinkFail(context, brink_errorNoMemory, "setBodyMotion: no memory for a path");
  item->world = world;
  brinkStatus status = brink_ok;
  switch (motion->kind) {
    case brink_motionScrew:
      status = makeScrew(world, motion->path, start, item);
      break;
    case brink_motionOdeStep:
      item->path = brinkMakePathOdeStep(start, motion->velocity, motion->spin);
      break;
    case brink_motionSpline:
      status = makeSpline(world, motion->path, item);
      break;
    case brink_motionBezier:
      status = makeBezier(world, motion->path, item);
      break;
    default:
      status = makeUser(world, motion->path, item);
      break;
  }
  if (status == brink_ok)
    *out = item;
  else
    brinkWorldPath_Free(context, item);
  return status;
}
