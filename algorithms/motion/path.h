/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PATH_H
#define BRINK_PATH_H
/* Motions of a link in its parent's frame beyond constant velocities, x_parent(t) = T(t) + R(t) x_link, t in [0,1]:
 *   screw:   T = c + E(t th a)(T0 - c) + t s a,  R = E(t th a) R0; c a point of the axis, s the advance a step
 *   odeStep: T = T0 + t v,  R = E(2 atan(k t) a) R0,  k = |w|/2; what an engine that integrates quaternions executes
 *   spline:  T cubic Hermite between keys (C1), R = E((t - t_i) w_i) R_i; constant angular velocity from key to key
 *   bezier:  (T,R) = sum W_i B_i (T_i,R_i) / sum W_i B_i, W_i > 0; rational Bezier of poses, where it stays rigid
 *   user:    pose(t) by callback, bounds of speeds and accelerations over intervals by callback
 * Each gives its pose and what it knows of velocities and accelerations at t, and norm bounds over a window: all that
 * trees of links (motion_tree.c) need of it. A bound that does not exist is INFINITY: beyond a spline's key its angular
 * acceleration, everything a user does not state. Spline keys are `breaks`: queries are cut there, so that each part
 * sees a smooth motion. Based on: see path.c. Units: m, rad, per step. */
#include "base.h"
#include "link_motion.h"
#include "taylor.h"

#define BRINK_PATH_MAX_DEGREE 8
#define BRINK_PATH_RIGIDITY 1e-9 /* largest |R^T R - I| of a Bezier of poses */

typedef enum brinkPathKind {
  brink_pathScrew = 1,
  brink_pathOdeStep,
  brink_pathSpline,
  brink_pathBezier,
  brink_pathUser
} brinkPathKind;

/* Over an interval, norms; INFINITY = not known. */
typedef struct brinkPathBound {
  double speed, accel;    /* of the link's origin: |T'|, |T''| */
  double turn, turnAccel; /* |angular velocity|, |angular acceleration| */
} brinkPathBound;

typedef struct brinkPathUser {
  void *user;
  /* velocities: may leave *known at false, else velocity and omega are exact at t. A pose that is not finite ends as
   * unresolved. */
  void (*pose)(void *user, double t, brinkPose *pose, brinkVec3 *velocity, brinkVec3 *omega, bool *known);
  void (*bound)(void *user, double t0, double t1, brinkPathBound *out);
} brinkPathUser;

typedef struct brinkPathKey {
  double time;               /* ascending; first 0, last 1 */
  brinkVec3 position, slope; /* slope: dT/dt */
  brinkQuat rotation;        /* unit */
  brinkLinkMotion turn;      /* derived: R from this key to the next, time 0..1 between them */
} brinkPathKey;

/* Owned by whoever made it; links borrow it. */
typedef struct brinkPath {
  uint32_t kind;
  brinkVec3 offset;                     /* added to T: another origin of the parent's frame */
  brinkLinkMotion turn;                 /* screw: the rotation, t in [0,1]; odeStep: by one radian per unit */
  brinkVec3 start, point, arm, advance; /* T0; screw: c, T0 - c, s a; odeStep: advance = v */
  double rate;                          /* odeStep: k */
  brinkPathKey *keys;                   /* spline */
  int32_t count;                        /* keys, or Bezier control poses (degree + 1) */
  double *controls;                     /* bezier: [count][13]: W, W R row-major, W T */
  double defect, most, far, ratio;      /* bezier: bound of |R^T R - I|; largest |R|, |T| of a control; of weights */
  brinkPathUser user;
} brinkPath;

/* At t, and over a window that contains t. Errors: how far the values may be from the true ones (rounding; INFINITY or
 * a bound where nothing is known). */
typedef struct brinkPathRate {
  brinkRigid pose;
  brinkVec3 velocity, accel, omega, alpha;
  double reach, speed, accelBound, jerk; /* bounds of |T|, |T'|, |T''|, |T'''| */
  double turn, turnAccel, turnJerk;      /* bounds of |Om|, |Om'|, |Om''| */
  double velocityError, accelError, omegaError, alphaError;
  double magnitude; /* of T before any cancellation */
  double kappa;     /* the pose is off by at most kappa magnitude and kappa */
} brinkPathRate;

brinkPath brinkMakePathScrew(brinkPose start, brinkVec3 point, brinkVec3 axis, double angle,
                             double pitch); /* pitch: m a turn */
brinkPath brinkMakePathOdeStep(brinkPose start, brinkVec3 v, brinkVec3 w);
/* keys: [count >= 2], time, position, slope and rotation filled; shortest arcs between them. Derives the rest. Kept. */
brinkPath brinkMakePathSpline(brinkPathKey *keys, int32_t count);
/* controls: [count][13] as above, kept; count 2..BRINK_PATH_MAX_DEGREE + 1. false: not rigid within
 * BRINK_PATH_RIGIDITY. */
bool brinkMakePathBezier(double *controls, int32_t count, brinkPath *out);
brinkPath brinkMakePathUser(brinkPathUser user);

brinkRigid brinkPath_At(const brinkPath *path, double t);
/* lo <= t <= hi, all in [0,1] up to a few ulp. */
void brinkPath_Rate(const brinkPath *path, double t, double lo, double hi, brinkPathRate *out);
/* Over [m-h, m+h]; terms up to tau^2, the rest in the remainder. */
void brinkPath_Taylor(const brinkPath *path, double m, double h, int order, brinkTaylorRigid *out);
/* The axis that the path turns about during [t, tEnd], if there is one that keeps its direction in the parent's frame:
 * screws, steps of ODE, splines between two keys. Parent's frame, at t. */
typedef struct brinkPathAxis {
  brinkVec3 direction, pivot, drift; /* unit; a point of it; that point's velocity, which never turns the axis */
  double driftAccel, driftError;     /* bounds of the pivot's acceleration, of drift's rounding */
  double rate;                       /* bound of the turn rate, rad per step */
  double size;                       /* magnitudes that entered the pivot, m: what its rounding is a fraction of */
} brinkPathAxis;
bool brinkPath_Axis(const brinkPath *path, double t, double tEnd, brinkPathAxis *out);
/* Rational Beziers: poses (rotation parts need not be rotations) whose convex combinations are the path during [lo,
 * hi]: out[BRINK_PATH_MAX_DEGREE + 1]. Their number; 0: another kind of path. *error: of every entry, m for places. */
int32_t brinkPath_Controls(const brinkPath *path, double lo, double hi, brinkRigid *out, double *error);
/* The first time > t (and < tEnd) where velocities may jump; tEnd when there is none. */
double brinkPath_NextBreak(const brinkPath *path, double t, double tEnd);
/* Are accelerations and their derivatives known between breaks? false: only first and second order bounds. */
static inline bool brinkPath_IsSmooth(const brinkPath *path) { return path->kind != brink_pathUser; }

#endif
