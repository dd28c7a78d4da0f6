/* SPDX-License-Identifier: BSD-3-Clause */
/* Small worlds in which nothing is fast: stacks of boxes and cylinders of round sizes and lying capsules on a box of 1
 * to 200 m, both solvers, against plain ODE on the same world. Nothing may be undecided or held, nothing solved twice
 * once it has settled, and nothing faster than without Brink. Units: SI. BRINK_SOAK: 300 worlds instead of 24. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_world.h"

enum { frames = 1200, settled = 240, mostBodies = 32, someWorlds = 24, manyWorlds = 300 };
#define OVERLAP 1e-4 /* m, between neighbours at the start: ODE sees no contact where faces only just touch */
#define RESTLESS 0.1 /* m/s: plain ODE itself throws such a stack; then only undecided and held bodies count */
#define FASTER 1.05  /* than in plain ODE */
#define STILL 1e-3   /* m/s */

typedef struct scene {
  odeWorld w;
  dBodyID bodies[mostBodies];
  int count;
} scene;

static void add(scene *s, dGeomID geom, const dMass *mass, double x, double z) {
  dBodyID body = s->bodies[s->count++] = dBodyCreate(s->w.world);
  dBodySetMass(body, mass);
  dGeomSetBody(geom, body);
  dBodySetPosition(body, x, 0, z);
}

static double pick(uint64_t *random, const double *from, int count) { return from[(int)(count * odeRandom(random))]; }

static void build(scene *s, uint64_t seed, bool withBrink, bool quick) {
  static const double floors[5] = {1, 5, 20, 50, 200}, sides[4] = {0.1, 0.2, 0.3, 0.5},
                      heights[4] = {0.02, 0.05, 0.1, 0.2};
  uint64_t random = 0x9e3779b97f4a7c15u * (seed + 1);
  for (int i = 0; i < 8; ++i) odeRandom(&random);
  s->count = 0;
  odeWorld_Make(&s->w, withBrink, quick, -9.81);
  double length = pick(&random, floors, 5), thick = pick(&random, heights, 4);
  dGeomSetPosition(dCreateBox(s->w.space, length, length, thick), 0, 0, -thick / 2);
  int stacks = 1 + (int)(3 * odeRandom(&random));
  double x = -0.3 * (stacks - 1);
  for (int stack = 0; stack < stacks; ++stack, x += 0.6) {
    int kind = (int)(3 * odeRandom(&random)),
        count = kind == 2 ? 1 + (int)(3 * odeRandom(&random)) : 1 + (int)(6 * odeRandom(&random));
    double side = pick(&random, sides, kind == 2 ? 1 : 3), height = pick(&random, heights, 4),
           shift = odeRandom(&random) < 0.5 ? 0 : 0.01;
    dMass mass;
    for (int i = 0; i < count; ++i) {
      if (kind == 0) {
        dMassSetBox(&mass, 800, side, side, height);
        add(s, dCreateBox(s->w.space, side, side, height), &mass, x + shift * i,
            height / 2 + height * i - OVERLAP * (i + 1));
      } else if (kind == 1) {
        dMassSetCylinder(&mass, 800, 3, side / 2, height);
        add(s, dCreateCylinder(s->w.space, side / 2, height), &mass, x + shift * i,
            height / 2 + height * i - OVERLAP * (i + 1));
      } else {
        dMassSetCapsule(&mass, 800, 3, 0.05, 0.2);
        add(s, dCreateCapsule(s->w.space, 0.05, 0.2), &mass, x + 0.12 * i, 0.05 - OVERLAP);
        dQuaternion q;
        dQFromAxisAndAngle(q, 1, 0, 0, M_PI / 2);
        dBodySetQuaternion(s->bodies[s->count - 1], q);
      }
    }
  }
}

typedef struct outcome {
  int undecided, clamps, extra, lateExtra;
  double fastest; /* m/s, once settled */
  uint64_t bits;  /* of all poses of all frames */
} outcome;

static outcome run(uint64_t seed, bool withBrink, bool quick) {
  outcome out = {.bits = 1469598103934665603u};
  scene s;
  dRandSetSeed(1);
  build(&s, seed, withBrink, quick);
  for (int frame = 0; frame < frames; ++frame) {
    assert_int_equal(odeWorld_Step(&s.w), 1);
    if (withBrink) {
      dBrinkStepInfo info = odeWorld_Info(&s.w);
      out.undecided += info.unresolved;
      out.clamps += info.clamps;
      out.extra += info.solves - 1;
      out.lateExtra += frame >= settled ? info.solves - 1 : 0;
    }
    for (int i = 0; i < s.count; ++i) {
      const dReal *v = dBodyGetLinearVel(s.bodies[i]), *p = dBodyGetPosition(s.bodies[i]);
      double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      out.fastest = frame >= settled ? fmax(out.fastest, speed) : 0;
      for (int k = 0; k < 3; ++k) {
        uint64_t word;
        memcpy(&word, &p[k], sizeof(word));
        out.bits = (out.bits ^ word) * 1099511628211u;
      }
    }
  }
  odeWorld_End(&s.w);
  return out;
}

static void silent(int number, const char *message, va_list args) {
  (void)number;
  (void)message;
  (void)args;
}

CASE(nothing_at_rest_is_undecided_held_or_moved) {
  const char *asked = getenv("BRINK_WORLDS");
  int worlds = asked != NULL ? atoi(asked) : getenv("BRINK_SOAK") != NULL ? manyWorlds : someWorlds;
  int undecided = 0, clamps = 0, lateExtra = 0, extra = 0, faster = 0, same = 0, thrown = 0, thrownFaster = 0;
  for (int i = 0; i < worlds; ++i) {
    for (int quick = 0; quick < 2; ++quick) {
      outcome plain = run((uint64_t)i, false, quick != 0), brink = run((uint64_t)i, true, quick != 0);
      undecided += brink.undecided;
      clamps += brink.clamps;
      bool restless = plain.fastest > RESTLESS, quicker = brink.fastest > fmax(FASTER * plain.fastest, STILL);
      extra += brink.extra;
      if (restless) {
        thrown++;
        thrownFaster += quicker;
      } else {
        lateExtra += brink.lateExtra;
        same += brink.bits == plain.bits;
        faster += quicker;
      }
      if (brink.undecided + brink.clamps > 0 || (!restless && (brink.lateExtra > 0 || quicker))) {
        print_message(
            "world %d, %s: %d undecided, %d clamps, %d extra solves (%d once settled), fastest %g m/s, plain "
            "ODE %g m/s\n",
            i, quick ? "QuickStep" : "WorldStep", brink.undecided, brink.clamps, brink.extra, brink.lateExtra,
            brink.fastest, plain.fastest);
      }
    }
  }
  print_message(
      "%d worlds, both solvers: %d undecided, %d clamps, %d extra solves. Of %d runs that rest in plain ODE: %d "
      "extra solves once settled, %d faster, %d with plain ODE's bits. Of %d that plain ODE throws: %d faster\n",
      worlds, undecided, clamps, extra, 2 * worlds - thrown, lateExtra, faster, same, thrown, thrownFaster);
  assert_int_equal(undecided, 0);
  assert_int_equal(clamps, 0);
  assert_int_equal(lateExtra, 0);
  assert_int_equal(faster, 0);
  assert_true(2 * (2 * worlds - thrown) >= worlds); /* there is something to be seen */
}

int main(void) {
  dInitODE2(0);
  dSetMessageHandler(silent); /* ODE's LCP complains of stacks at rest, with and without Brink */
  int failed = cases_Run(NULL, NULL);
  dCloseODE();
  return failed;
}
