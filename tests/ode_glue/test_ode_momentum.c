/* SPDX-License-Identifier: BSD-3-Clause */
/* In free flight no momentum is lost and no energy made, whatever the bodies hold together by, however many they are
 * and however soon the guard stops them. Units: SI. */
#include "cases.h"
#include "ode_start.h"
#include "ode_world.h"

enum { most = 220 };
#define SIDE 0.4
#define SUNK 1e-3 /* m, by which neighbours of a row overlap */

typedef struct flight {
  odeWorld w;
  dBodyID bodies[most];
  int count;
  uint64_t random;
} flight;

typedef struct sums {
  double momentum[3], size, energy; /* kg m/s; of all its parts; J */
} sums;

static flight *begin(flight *f, bool quick, uint64_t seed) {
  *f = (flight){.random = seed};
  dRandSetSeed(1);
  odeWorld_Make(&f->w, true, quick, 0);
  return f;
}

static dBodyID add(flight *f, dGeomID geom, double mass, double x, double y, double z) {
  return f->bodies[f->count++] = odeWorld_Body(&f->w, geom, mass, x, y, z);
}

static dBodyID addBox(flight *f, double side, double mass, double x, double y, double z) {
  return add(f, dCreateBox(f->w.space, side, side, side), mass, x, y, z);
}

static sums sumOf(const flight *f) {
  sums all = {.size = 0};
  for (int i = 0; i < f->count; ++i) {
    dMass mass;
    dBodyGetMass(f->bodies[i], &mass);
    for (int k = 0; k < 3; ++k) {
      const double part = mass.mass * dBodyGetLinearVel(f->bodies[i])[k];
      all.momentum[k] += part;
      all.size += fabs(part);
    }
    all.energy += odeWorld_Energy(&f->w, f->bodies[i]);
  }
  return all;
}

/* Steps, and looks at what is kept after each. Clamps in all. */
static int keeps(flight *f, int steps) {
  const sums before = sumOf(f);
  int clamps = 0;
  for (int i = 0; i < steps; ++i) {
    assert_int_equal(odeWorld_Step(&f->w), 1);
    clamps += odeWorld_Info(&f->w).clamps;
    const sums now = sumOf(f);
    for (int k = 0; k < 3; ++k) {
      if (!(fabs(now.momentum[k] - before.momentum[k]) < 1e-9 * before.size)) {
        fail_msg("step %d, %d bodies: %g of the momentum is lost along %d", i, f->count,
                 (before.momentum[k] - now.momentum[k]) / before.size, k);
      }
    }
    assert_true(now.energy < 1.001 * before.energy);
  }
  return clamps;
}

/* A ball strikes a row, at whose beginning or end another body hangs by a joint. */
CASE(a_row_in_which_joints_hold_keeps_its_momentum) {
  for (int k = 0; k < 8; ++k) {
    const int count = k & 1 ? 33 : 45, hung = k & 2 ? count - 1 : 0;
    flight f;
    begin(&f, k & 4, 1);
    f.w.mu = 1;
    for (int i = 0; i < count; ++i) {
      addBox(&f, SIDE, 1, (SIDE - SUNK) * i, 0, 0);
    }
    const double x = (SIDE - SUNK) * hung;
    dBodyID below = add(&f, NULL, 0.3, x, 0, 0.5);
    dMass mass;
    dMassSetBoxTotal(&mass, 0.3, 0.1, 0.1, 0.1);
    dBodySetMass(below, &mass);
    dJointID joint = dJointCreateBall(f.w.world, NULL);
    dJointAttach(joint, f.bodies[hung], below);
    dJointSetBallAnchor(joint, x, 0, 0.35);
    dBodySetLinearVel(add(&f, dCreateSphere(f.w.space, 0.1), 10, -1, 0, 0), 200, 0, 0);
    (void)keeps(&f, 6);
    odeWorld_End(&f.w);
  }
}

static void tie(flight *f, double x, double y, double z) {
  dBodyID a = f->bodies[f->count - 2], b = f->bodies[f->count - 1];
  dJointID joint;
  switch ((int)(4 * odeRandom(&f->random))) {
    case 0:
      dJointAttach(joint = dJointCreateBall(f->w.world, NULL), a, b);
      dJointSetBallAnchor(joint, x, y, z);
      break;
    case 1:
      dJointAttach(joint = dJointCreateHinge(f->w.world, NULL), a, b);
      dJointSetHingeAnchor(joint, x, y, z);
      dJointSetHingeAxis(joint, 0, 1, 0);
      break;
    case 2:
      dJointAttach(joint = dJointCreateSlider(f->w.world, NULL), a, b);
      dJointSetSliderAxis(joint, 0, 1, 0);
      break;
    default:
      dJointAttach(joint = dJointCreateFixed(f->w.world, NULL), a, b);
      dJointSetFixed(joint);
      break;
  }
}

/* A block of boxes, some of them joined, and shots at it from all sides. */
static int strike(uint64_t seed, int mode, int substeps) {
  flight f;
  begin(&f, true, seed);
  dBrinkSetMode(f.w.brink, mode);
  dBrinkSetMaxSubsteps(f.w.brink, substeps);
  const double joined = odeUniform(&f.random, 0, 0.6), apart = odeUniform(&f.random, 1.001, 1.1) * SIDE;
  int n[3];
  for (int k = 0; k < 3; ++k) {
    n[k] = (int)odeUniform(&f.random, 2, 6);
  }
  f.w.quick = n[0] * n[1] * n[2] > 24;
  f.w.mu = odeRandom(&f.random);
  for (int i = 0; i < n[0] * n[1] * n[2]; ++i) {
    const double x = apart * (i / n[2] % n[1]), y = apart * (i / n[2] / n[1]), z = apart * (i % n[2]);
    addBox(&f, SIDE, 1, x, y, z);
    if (i % n[2] > 0 && odeRandom(&f.random) < joined) {
      tie(&f, x, y, z - apart / 2);
    }
  }
  const double middle[3] = {apart * (n[1] - 1) / 2, apart * (n[0] - 1) / 2, apart * (n[2] - 1) / 2};
  for (int i = 0; i < 4; ++i) {
    double way[3], from[3], length = 0, speed = odeUniform(&f.random, 20, 200);
    for (int k = 0; k < 3; ++k) {
      way[k] = odeUniform(&f.random, -1, 1);
      length += way[k] * way[k];
    }
    for (int k = 0; k < 3; ++k) {
      way[k] /= sqrt(length);
      from[k] = middle[k] + odeUniform(&f.random, -0.3, 0.3) - 3 * way[k];
    }
    dBodyID shot = addBox(&f, 0.2, odeUniform(&f.random, 1, 10), from[0], from[1], from[2]);
    dBodySetLinearVel(shot, speed * way[0], speed * way[1], speed * way[2]);
  }
  const int clamps = keeps(&f, 10);
  odeWorld_End(&f.w);
  return clamps;
}

CASE(blocks_that_are_shot_at_keep_their_momentum) {
  int clamps = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    clamps += strike(seed, dBrinkModeAdvance, 8);
  }
  assert_true(clamps > 0);
}

/* The guard stops them at their second impact. */
CASE(what_is_stopped_in_the_air_keeps_its_momentum) {
  int clamps = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    clamps += strike(seed, dBrinkModeAdvance, 1);
  }
  assert_true(clamps > 100);
}

/* Some of these are blocks of more bodies than an island takes. */
CASE(what_is_held_back_keeps_its_momentum) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    (void)strike(seed, dBrinkModeSpeculative, 8);
  }
}

int main(void) { return cases_Run(startOde, endOde); }
