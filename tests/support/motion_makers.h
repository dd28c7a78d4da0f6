/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_MOTION_MAKERS_H
#define BRINK_TESTS_MOTION_MAKERS_H
/* For tests: a random motion of each kind through the plugin's table. */
#include "plugin_support.h"
#include "tetrahedra.h"

enum { MAX_KEYS = 5 };

/* ---- a motion of each kind */

typedef struct Swing { /* a host's own: x = centre + radius (cos, sin)(rate t), turning by rate about z, rising */
  brinkVec3 centre;
  double radius, rate, rise;
  bool velocities, accelerations;
} Swing;

static inline void swingPose(void *user, double t, brinkMotionState *out) {
  const Swing *s = user;
  double c = cos(s->rate * t), w = sin(s->rate * t);
  out->pose.position = plus(s->centre, vec(s->radius * c, s->radius * w, s->rise * t));
  out->pose.rotation = rotation(vec(0, 0, s->rate * t));
  if (!s->velocities) return;
  out->hasVelocities = 1;
  out->velocity = vec(-s->radius * s->rate * w, s->radius * s->rate * c, s->rise);
  out->spin = vec(0, 0, s->rate);
}

static inline void swingBound(void *user, double t0, double t1, brinkMotionBound *out) {
  const Swing *s = user;
  if (t0 > t1) out->speed = -1;
  out->speed = (s->radius * fabs(s->rate) + fabs(s->rise)) * (1 + 1e-12);
  out->turnRate = fabs(s->rate) * (1 + 1e-12);
  if (!s->accelerations) return;
  out->acceleration = s->radius * s->rate * s->rate * (1 + 1e-12);
  out->turnAcceleration = 0;
}

typedef struct Store { /* what a motion points to */
  brinkMotionPath path;
  brinkMotionKey keys[MAX_KEYS];
  double controls[4 * 12], weights[4];
  Swing swing;
} Store;

/* theory D3: ODE's step as a rational cubic. */
static inline void odeControls(brinkPose start, brinkVec3 v, brinkVec3 w, Store *s) {
  double k = 0.5 * norm(w), weights[4] = {1, 1, 1 + k * k / 3, 1 + k * k};
  brinkVec3 a = k > 0 ? times(0.5 / k, w) : vec(1, 0, 0);
  const brinkVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int n = 0; n < 4; ++n) {
    double *c = &s->controls[12 * n];
    for (int j = 0; j < 3; ++j) {
      brinkVec3 y = turn(start.rotation, unit[j]), across = cross(a, y);
      brinkVec3 q1 = plus(y, times(k, across));
      double along = a.x * y.x + a.y * y.y + a.z * y.z;
      brinkVec3 q2 = plus(plus(times(1 - k * k, y), times(2 * k, across)), times(2 * k * k * along, a));
      brinkVec3 column = n == 0   ? y
                         : n == 1 ? times(1.0 / 3, plus(y, times(2, q1)))
                         : n == 2 ? times(1.0 / 3, plus(times(2, q1), q2))
                                  : q2;
      column = times(1 / weights[n], column);
      c[j] = column.x;
      c[4 + j] = column.y;
      c[8 + j] = column.z;
    }
    brinkVec3 p = plus(start.position, times(n / 3.0, v));
    if (n == 2) p = times(1 / weights[2], plus(p, times(k * k / 3, start.position)));
    c[3] = p.x;
    c[7] = p.y;
    c[11] = p.z;
    s->weights[n] = weights[n];
  }
  s->path = (brinkMotionPath){
      .structSize = sizeof s->path, .controls = s->controls, .weights = s->weights, .controlCount = 4};
}

static inline brinkBodyMotion randomMotion(Random *random, uint32_t kind, double step, Store *s) {
  brinkPose start = {randomVector(random, step), rotation(randomVector(random, 3))};
  brinkVec3 v = randomVector(random, step), w = randomVector(random, 4);
  brinkBodyMotion motion = velocitiesMotion(start, v, w);
  motion.kind = kind;
  motion.path = &s->path;
  s->path = (brinkMotionPath){.structSize = sizeof s->path};
  if (kind == brink_motionScrew) {
    s->path.axisPoint = randomVector(random, step);
    s->path.axis = randomVector(random, 2);
    s->path.angle = uniform(random, -8, 8);
    s->path.pitch = uniform(random, -step, step);
  } else if (kind == brink_motionSpline) {
    s->path.keyCount = 2 + nextBits(random) % (MAX_KEYS - 1);
    s->path.keys = s->keys;
    for (size_t i = 0; i < s->path.keyCount; ++i)
      s->keys[i] = (brinkMotionKey){(double)i / (double)(s->path.keyCount - 1),
                                    {randomVector(random, step), rotation(randomVector(random, 2))},
                                    randomVector(random, 2 * step)};
  } else if (kind == brink_motionBezier) {
    odeControls(start, v, w, s);
  } else if (kind == brink_motionUser) {
    s->swing = (Swing){randomVector(random, step),   step * uniform(random, 0, 1), uniform(random, -6, 6),
                       uniform(random, -step, step), nextBits(random) % 2,         nextBits(random) % 2};
    s->path.user = &s->swing;
    s->path.poseAt = swingPose;
    s->path.boundOver = swingBound;
  }
  return motion;
}

#endif
