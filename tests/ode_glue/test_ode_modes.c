/* SPDX-License-Identifier: BSD-3-Clause */
/* The stepper's modes, per world, body and pair: what each promises, and how settings combine. Judged by which side of
 * a wall a body is on, its bits, its speed; not by the library's own answer. Units: SI. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_start.h"
#include "ode_world.h"

#define RADIUS 0.005
#define PLATE 0.005
#define FACE (-PLATE / 2 - RADIUS) /* where a ball's centre is when it touches a plate at 0 */

static dGeomID addPlate(odeWorld *w, double x) {
  dGeomID plate = dCreateBox(w->space, PLATE, 4, 4);
  dGeomSetPosition(plate, x, 0, 0);
  return plate;
}

static dBodyID addBall(odeWorld *w, double x, double y, double speed) {
  dBodyID ball = odeWorld_Body(w, dCreateSphere(w->space, RADIUS), 0.01, x, y, 0);
  dBodySetLinearVel(ball, speed, 0, 0);
  return ball;
}

static dGeomID geomOf(dBodyID body) { return dBodyGetFirstGeom(body); }

static double xOf(dBodyID body) { return dBodyGetPosition(body)[0]; }

static int count(const dBrinkStepInfo *info, int response) {
  int found = 0;
  for (int i = 0; i < info->eventCount; ++i) {
    found += info->events[i].response == response;
  }
  return found;
}

/* ---- report */

CASE(report_tells_every_first_touch_and_changes_no_bit) {
  enum { balls = 60 };
  for (int quick = 0; quick < 2; ++quick) {
    dReal places[2][balls][3];
    for (int withBrink = 0; withBrink < 2; ++withBrink) {
      odeWorld w;
      odeWorld_Make(&w, withBrink, quick, -9.81);
      dRandSetSeed(1);
      addPlate(&w, 0);
      dBodyID bodies[balls];
      uint64_t seed = 5;
      for (int i = 0; i < balls; ++i) {
        bodies[i] = addBall(&w, odeUniform(&seed, -4.5, -0.5), -1.5 + 0.05 * i, 300);
      }
      if (withBrink) {
        assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeReport), 1);
      }
      assert_int_equal(odeWorld_Step(&w), 1);
      if (withBrink) {
        dBrinkStepInfo info = odeWorld_Info(&w);
        assert_int_equal(info.solves, 1);
        assert_int_equal(info.clamps, 0);
        assert_int_equal(info.eventCount, balls);
        assert_int_equal(count(&info, dBrinkResponseReported), balls);
        seed = 5;
        double first = 2;
        for (int i = 0; i < balls; ++i) {
          double exact = (FACE - odeUniform(&seed, -4.5, -0.5)) / (300 * w.h);
          first = fmin(first, exact);
          bool told = false;
          for (int k = 0; k < balls; ++k) {
            bool ours = info.events[k].g1 == geomOf(bodies[i]) || info.events[k].g2 == geomOf(bodies[i]);
            told = told || (ours && fabs(info.events[k].toi - exact) < 1e-4);
          }
          assert_true(told);
        }
        assert_true(fabs(info.firstToi - first) < 1e-4);
      }
      for (int frame = 0; frame < 5; ++frame) {
        odeWorld_Step(&w);
      }
      for (int i = 0; i < balls; ++i) {
        memcpy(places[withBrink][i], dBodyGetPosition(bodies[i]), sizeof(places[0][0]));
      }
      odeWorld_End(&w);
    }
    assert_memory_equal(places[0], places[1], sizeof(places[0]));
  }
}

CASE(a_pair_that_is_only_reported_is_passed_and_the_next_is_not) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomID first = addPlate(&w, 0), second = addPlate(&w, 1);
  dBodyID ball = addBall(&w, -1.3, 0, 300);
  assert_int_equal(dBrinkSetPairMode(w.brink, first, geomOf(ball), dBrinkModeReport), 1);
  odeWorld_Step(&w);
  dBrinkStepInfo info = odeWorld_Info(&w);
  assert_int_equal(info.eventCount, 2);
  assert_true(info.events[0].g1 == first || info.events[0].g2 == first);
  assert_int_equal(info.events[0].response, dBrinkResponseReported);
  assert_true(info.events[1].g1 == second || info.events[1].g2 == second);
  assert_int_equal(info.events[1].response, dBrinkResponseContacts);
  assert_true(xOf(ball) > 0 && xOf(ball) < 1);
  odeWorld_End(&w);
}

/* Two balls that a joint holds together strike a plate almost at once, as one impact; a third one strikes it in
 * between.
 */
CASE(impacts_are_told_in_order_of_time) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  addPlate(&w, 0);
  dBodyID balls[3];
  for (int i = 0; i < 3; ++i) {
    const double speed = i == 1 ? 60 : 3; /* not near enough to be struck with the first one */
    balls[i] = addBall(&w, FACE - (0.5 + 4e-4 * i) * speed * w.h, i == 1 ? 1 : 0.03 * i, speed);
  }
  dJointID joint = dJointCreateBall(w.world, 0);
  dJointAttach(joint, balls[0], balls[2]);
  dJointSetBallAnchor(joint, FACE - 0.025, 0.03, 0);
  odeWorld_Step(&w);
  const dBrinkStepInfo info = odeWorld_Info(&w);
  assert_int_equal(info.eventCount, 3);
  for (int i = 0; i < 3; ++i) {
    assert_true(info.events[i].g1 == geomOf(balls[i]) || info.events[i].g2 == geomOf(balls[i]));
    assert_true(fabs(info.events[i].toi - 0.5 - 4e-4 * i) < 3e-4);
    assert_true(i == 0 || info.events[i - 1].toi < info.events[i].toi);
  }
  odeWorld_End(&w);
}

/* ---- clamp */

CASE(clamp_never_solves_again_and_never_lets_through) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeClamp), 1);
  addPlate(&w, 0);
  dBodyID ball = addBall(&w, -2.3, 0, 300);
  w.bounce = 0.5;
  w.mu = 0;
  for (int frame = 0; frame < 12; ++frame) {
    odeWorld_Step(&w);
    assert_int_equal(odeWorld_Info(&w).solves, 1);
    assert_true(xOf(ball) < 0);
    if (frame == 0) {
      assert_int_equal(odeWorld_Info(&w).clamps, 1);
      assert_true(fabs(xOf(ball) - FACE) < 1e-5 && dBodyGetLinearVel(ball)[0] == 300);
    }
  }
  assert_true(fabs(dBodyGetLinearVel(ball)[0] + 150) < 1.5); /* ODE's own contact, a step later */
  odeWorld_End(&w);
}

/* ---- what waits */

/* A box slides on the ground and is stopped by a wall: what holds it up has done so in the time that it waits, too. At
 * rest before, it is one that no question was about. */
CASE(a_box_that_waits_at_a_wall_is_not_lifted) {
  for (int kind = 0; kind < 8; ++kind) {
    odeWorld w;
    odeWorld_Make(&w, true, (kind & 1) != 0, -9.81);
    w.mu = kind & 4 ? 0.3 : 0;
    dCreatePlane(w.space, 0, 0, 1, 0);
    dGeomSetPosition(dCreateBox(w.space, 0.02, 4, 4), 2, 0, 2);
    dBodyID box = odeWorld_Body(&w, dCreateBox(w.space, 0.4, 0.4, 0.4), 32, 0, 0, 0.2);
    assert_int_equal(kind & 2 ? dBrinkSetMode(w.brink, dBrinkModeClamp) : dBrinkSetMaxSubsteps(w.brink, 0), 1);
    uint64_t clamps = 0;
    for (int frame = 0; frame < 60; ++frame) {
      if (frame == 30) {
        dBodySetLinearVel(box, 12, 0, 0);
      }
      odeWorld_Step(&w);
      const bool waits = odeWorld_Info(&w).clamps > 0;
      clamps += waits;
      assert_true(!waits || fabs(dBodyGetLinearVel(box)[2]) < 0.01);
    }
    assert_true(clamps > 0);
    odeWorld_End(&w);
  }
}

/* Friction holds it, jaws that close stop it in step after step. */
CASE(what_waits_between_jaws_gathers_no_speed) {
  for (int kind = 0; kind < 4; ++kind) {
    odeWorld w;
    odeWorld_Make(&w, true, (kind & 1) != 0, -9.81);
    w.mu = 2;
    dBodyID jaws[2], ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.2), 16, 0, 0, 0);
    for (int side = 0; side < 2; ++side) {
      jaws[side] = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 2, 2), 1, side ? 0.3051 : -0.3051, 0, 0);
      dBodySetKinematic(jaws[side]);
      dBodySetLinearVel(jaws[side], side ? -0.9 : 0.9, 0, 0);
    }
    assert_int_equal(dBrinkSetMode(w.brink, kind & 2 ? dBrinkModeClamp : dBrinkModeAdvance), 1);
    uint64_t clamps = 0;
    for (int frame = 0; frame < 60; ++frame) {
      odeWorld_Step(&w);
      clamps += odeWorld_Info(&w).clamps;
      assert_true(dBodyGetLinearVel(ball)[2] < 0.01);
    }
    assert_true(clamps > 5);
    odeWorld_End(&w);
  }
}

/* In free flight it is at the impact as fast as gravity has made it by then, and after a bounce no faster. */
CASE(what_waits_in_free_flight_has_fallen_as_long_as_it_has_flown) {
  for (int bounces = 0; bounces < 2; ++bounces) {
    odeWorld w;
    odeWorld_Make(&w, true, false, -9.81);
    w.bounce = 1;
    w.mu = 0;
    addPlate(&w, 0);
    dBodyID ball = addBall(&w, -2.3, 0, 300);
    if (bounces) {
      dBrinkSetPairMode(w.brink, geomOf(ball), addPlate(&w, -2.5), dBrinkModeClamp);
    } else {
      dBrinkSetMode(w.brink, dBrinkModeClamp);
    }
    odeWorld_Step(&w);
    const dReal *v = dBodyGetLinearVel(ball);
    const double first = 2.2925 / 5, flown = bounces ? (2.2925 + 2.485) / 5 : first;
    assert_int_equal(odeWorld_Info(&w).clamps, 1);
    assert_true(fabs(v[0] - (bounces ? -300 : 300)) < 1e-3);
    printf("%g of the step: fallen at %g m/s, exact %g\n", flown, -v[2], 9.81 / 60 * flown);
    assert_true(fabs(v[2] + 9.81 / 60 * flown) < 1e-3);
    odeWorld_End(&w);
  }
}

/* Balls that meet in mid-air in mode clamp: what waits among itself goes on as one. Their common centre is where it
 * would be without any of them, falls as it would, and takes its momentum along. */
CASE(what_is_stopped_in_mid_air_goes_on_with_its_centre) {
  enum { balls = 4, frames = 8 };
  for (int kind = 0; kind < 8; ++kind) {
    const int count = 2 + kind / 2 % 2 * 2; /* one after the other strikes those that go on as one */
    odeWorld w;
    dBodyID bodies[balls];
    double mass = 0, place[3] = {0}, speed[3] = {0};
    odeWorld_Make(&w, true, kind & 1, -9.81);
    assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeClamp), 1);
    w.mu = 0;
    w.bounce = kind & 4 ? 0.5 : 0;
    for (int i = 0; i < count; ++i) {
      bodies[i] = addBall(&w, i == 0 ? 0 : 0.3 + 0.25 * i, 0, i == 0 ? 20 : -30 - 7 * i);
      dBodySetLinearVel(bodies[i], i == 0 ? 20 : -30 - 7 * i, 11, 5);
      if (i % 2) {
        dMass heavy;
        dMassSetSphereTotal(&heavy, 0.03, RADIUS);
        dBodySetMass(bodies[i], &heavy);
      }
    }
    for (int i = 0; i < count; ++i) {
      dMass m;
      dBodyGetMass(bodies[i], &m);
      mass += m.mass;
      for (int k = 0; k < 3; ++k) {
        place[k] += m.mass * dBodyGetPosition(bodies[i])[k];
        speed[k] += m.mass * dBodyGetLinearVel(bodies[i])[k];
      }
    }
    int clamps = 0;
    for (int frame = 0; frame < frames; ++frame) {
      double now[3] = {0}, fast[3] = {0};
      odeWorld_Step(&w);
      clamps += odeWorld_Info(&w).clamps;
      speed[2] -= mass * 9.81 * w.h;
      for (int i = 0; i < count; ++i) {
        dMass m;
        dBodyGetMass(bodies[i], &m);
        for (int k = 0; k < 3; ++k) {
          now[k] += m.mass * dBodyGetPosition(bodies[i])[k];
          fast[k] += m.mass * dBodyGetLinearVel(bodies[i])[k];
        }
        assert_true(i == 0 || xOf(bodies[i]) > xOf(bodies[i - 1]) + 1.8 * RADIUS); /* nothing passes */
      }
      for (int k = 0; k < 3; ++k) {
        place[k] += w.h * speed[k];
        if (!(fabs(now[k] - place[k]) < 1e-9 * mass) || !(fabs(fast[k] - speed[k]) < 1e-9 * mass)) {
          fail_msg("kind %d, frame %d: the centre is off by %g m, faster by %g m/s", kind, frame,
                   (now[k] - place[k]) / mass, (fast[k] - speed[k]) / mass);
        }
      }
    }
    assert_true(clamps >= count - 1);
    odeWorld_End(&w);
  }
}

/* Balls in a row strike those that go on as one already, one after the other. Each time all are stopped anew: what
 * forces and damping do in the time that is lost is taken back once, whatever comes. The first two have no common
 * speed: who strikes them takes them along all the same. */
CASE(what_goes_on_as_one_has_its_forces_taken_back_once) {
  enum { balls = 8, frames = 6 };
  const double damping = 0.3, force = 0.6;
  for (int kind = 0; kind < 4; ++kind) {
    odeWorld w;
    dBodyID bodies[balls];
    double momentum = 0, energy = 0;
    int clamps = 0;
    odeWorld_Make(&w, true, kind & 1, 0);
    assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeClamp), 1);
    w.mu = 0;
    dWorldSetLinearDamping(w.world, kind & 2 ? damping : 0);
    dWorldSetAngularDamping(w.world, kind & 2 ? damping : 0);
    for (int i = 0; i < balls; ++i) {
      bodies[i] = addBall(&w, 0.03 * i, 0, i == 0 ? 20 : -20);
      dBodySetAngularVel(bodies[i], 0, 0, i % 2 ? 5 : -5);
      momentum += i == 0 ? 20 : -20;
      energy += odeWorld_Energy(&w, bodies[i]);
    }
    for (int frame = 0; frame < frames; ++frame) {
      double now = 0, left = 0;
      for (int i = 0; i < balls && !(kind & 2); ++i) {
        dBodyAddForce(bodies[i], 0, 0, i % 2 ? force : -force);
      }
      odeWorld_Step(&w);
      clamps += odeWorld_Info(&w).clamps;
      momentum *= kind & 2 ? 1 - damping : 1;
      for (int i = 0; i < balls; ++i) {
        const double rise = dBodyGetLinearVel(bodies[i])[2] * (i % 2 ? 1 : -1), most = force / 0.01 * w.h;
        now += dBodyGetLinearVel(bodies[i])[0];
        left += odeWorld_Energy(&w, bodies[i]);
        if (frame == 0 && !(kind & 2) && !(fabs(rise) < most + 1e-12)) {
          fail_msg("kind %d: what a force of %g m/s has given ball %d: %g m/s", kind, most, i, rise);
        }
      }
      if (!(fabs(now - momentum) < 1e-9) || (kind & 2 && !(left <= energy))) {
        fail_msg("kind %d, frame %d: %g m/s in all, not %g; %g J after %g", kind, frame, now, momentum, left, energy);
      }
      energy = left;
    }
    assert_true(clamps >= balls - 1);
    odeWorld_End(&w);
  }
}

/* What sleeps is held where it is, until a contact wakes it. */
CASE(what_sleeps_is_not_taken_along) {
  for (int kind = 0; kind < 2; ++kind) {
    odeWorld w;
    odeWorld_Make(&w, true, kind, 0);
    assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeClamp), 1);
    dBodyID sleeper = addBall(&w, 0, 0, 0);
    addBall(&w, -0.1, 0.003, 30);
    dBodyDisable(sleeper);
    odeWorld_Step(&w);
    assert_true(odeWorld_Info(&w).clamps > 0 && xOf(sleeper) == 0 && !dBodyIsEnabled(sleeper));
    for (int frame = 0; frame < 4; ++frame) {
      assert_true(xOf(sleeper) == 0 || dBodyIsEnabled(sleeper));
      odeWorld_Step(&w);
    }
    assert_true(dBodyIsEnabled(sleeper) && dBodyGetLinearVel(sleeper)[0] > 0);
    odeWorld_End(&w);
  }
}

/* Two pairs far from each other meet in mid-air at one time. Each goes on by itself. */
CASE(what_is_stopped_at_one_time_elsewhere_goes_its_own_way) {
  for (int kind = 0; kind < 2; ++kind) {
    odeWorld w;
    dBodyID bodies[4];
    odeWorld_Make(&w, true, kind, 0);
    assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeClamp), 1);
    w.mu = 0;
    for (int i = 0; i < 4; ++i) {
      const int pair = i / 2;
      bodies[i] = addBall(&w, i % 2 ? 0.1 : 0, 0.02 * pair, 0);
      dBodySetLinearVel(bodies[i], i % 2 ? -10 : 10, 0, pair ? 7 : -4);
    }
    odeWorld_Step(&w);
    for (int i = 0; i < 4; ++i) {
      const double speed = i / 2 ? 7 : -4, off = dBodyGetPosition(bodies[i])[2] - speed * w.h;
      assert_true(fabs(dBodyGetLinearVel(bodies[i])[2] - speed) < 1e-12 && fabs(off) < 1e-12);
    }
    assert_int_equal(odeWorld_Info(&w).clamps, 1);
    odeWorld_End(&w);
  }
}

/* Bodies of three kinds thrown at each other. Some go on as one, and of these some are solved again with what strikes
 * them; nothing but they themselves gives them momentum. */
CASE(a_swarm_in_mid_air_keeps_its_momentum) {
  enum { bodies = 24, worlds = 90, frames = 12 };
  int clamps = 0;
  for (int run = 0; run < worlds; ++run) {
    odeWorld w;
    uint64_t seed = 100 + (uint64_t)run;
    double before[3] = {0}, size = 0, energy = 0;
    dBodyID swarm[bodies];
    odeWorld_Make(&w, true, run & 1, 0);
    assert_int_equal(dBrinkSetMaxSubsteps(w.brink, run / 2 % 3), 1);
    w.bounce = run & 4 ? 0.5 : 0;
    for (int i = 0; i < bodies; ++i) {
      const double x = 0.3 * (i % 3 - 1), y = 0.3 * (i / 3 % 3 - 1), z = 0.3 * (i / 9 - 1), r = 0.05;
      swarm[i] = odeWorld_Body(&w,
                               i % 3 == 0   ? dCreateSphere(w.space, r)
                               : i % 3 == 1 ? dCreateBox(w.space, 2 * r, r, 2 * r)
                                            : dCreateCapsule(w.space, r / 2, r),
                               odeUniform(&seed, 0.1, 2), x, y, z);
      dBodySetLinearVel(swarm[i], -90 * x + odeUniform(&seed, -9, 9), -90 * y + odeUniform(&seed, -9, 9), -90 * z);
    }
    for (int frame = 0; frame <= frames; ++frame) {
      double now[3] = {0}, left = 0;
      for (int i = 0; i < bodies; ++i) {
        dMass m;
        dBodyGetMass(swarm[i], &m);
        left += odeWorld_Energy(&w, swarm[i]);
        for (int k = 0; k < 3; ++k) {
          now[k] += m.mass * dBodyGetLinearVel(swarm[i])[k];
          size += frame == 0 ? m.mass * fabs(dBodyGetLinearVel(swarm[i])[k]) : 0;
        }
      }
      for (int k = 0; k < 3; ++k) {
        before[k] = frame == 0 ? now[k] : before[k];
        if (!(fabs(now[k] - before[k]) < 1e-12 * size)) {
          fail_msg("run %d, frame %d: %g kg m/s of %g came from nowhere", run, frame, now[k] - before[k], size);
        }
      }
      energy = frame == 0 ? left : energy;
      if (!(left < 1.05 * energy)) {
        fail_msg("run %d, frame %d: %g J after %g", run, frame, left, energy);
      }
      odeWorld_Step(&w);
      clamps += odeWorld_Info(&w).clamps;
    }
    odeWorld_End(&w);
  }
  assert_true(clamps > worlds);
}

/* Two bodies of many parts, deep in each other, turn against each other: no motion leads none of their pairs deeper, so
 * they are stopped in each step. But they fly. */
CASE(what_hangs_in_each_other_flies_on) {
  enum { parts = 80, frames = 30 };
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    uint64_t seed = 3;
    dBodyID both[2];
    int clamps = 0;
    odeWorld_Make(&w, true, quick, 0);
    for (int k = 0; k < 2; ++k) {
      dMass mass;
      dMassSetBox(&mass, 100, 0.4, 0.4, 0.4);
      both[k] = dBodyCreate(w.world);
      dBodySetMass(both[k], &mass);
      dBodySetPosition(both[k], 0.4 * k, 0, 0);
      dBodySetLinearVel(both[k], 0, 0, 5);
      dBodySetAngularVel(both[k], 0, k ? 3 : -3, 1);
      for (int i = 0; i < parts; ++i) {
        dGeomID part = i % 3 == 0   ? dCreateSphere(w.space, 0.05)
                       : i % 3 == 1 ? dCreateBox(w.space, 0.1, 0.08, 0.06)
                                    : dCreateCapsule(w.space, 0.03, 0.08);
        double place[3];
        for (int axis = 0; axis < 3; ++axis) {
          place[axis] = odeUniform(&seed, -0.25, 0.25);
        }
        dGeomSetBody(part, both[k]);
        dGeomSetOffsetPosition(part, place[0], place[1], place[2]);
      }
    }
    for (int frame = 0; frame < frames; ++frame) {
      odeWorld_Step(&w);
      clamps += odeWorld_Info(&w).clamps;
    }
    const double flown = dBodyGetPosition(both[0])[2] + dBodyGetPosition(both[1])[2];
    printf("%d clamps in %d steps, flown %g m of %g\n", clamps, frames, flown / 2, 5 * frames * w.h);
    assert_true(clamps > 0 && fabs(flown / 2 - 5 * frames * w.h) < 1e-9);
    odeWorld_End(&w);
  }
}

/* A chain's first link is stopped at a block, the others are as fast as before. What ODE makes of that in its own solve
 * of the next steps stays: metres of open joints. */
CASE(a_chain_that_was_stopped_opens_as_in_plain_ode) {
  enum { links = 6, frames = 5, stopped = 2 };
  for (int quick = 0; quick < 2; ++quick) {
    double gaps[2] = {0, 0};
    for (int plain = 0; plain < 2; ++plain) {
      const double speed = 150;
      odeWorld w;
      dBodyID chain[links];
      dJointID joints[links] = {NULL};
      odeWorld_Make(&w, true, quick, 0);
      w.mu = 0;
      dRandSetSeed(1);
      assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeClamp), 1);
      dGeomSetPosition(dCreateBox(w.space, 60, 2, 2), 30, 0, 0);
      for (int i = 0; i < links; ++i) {
        const double x = -0.06 - 0.37 * speed * w.h, y = 0.95 + 0.3 * i;
        chain[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.1, 0.26, 0.1), 1, x, y, 0);
        dBodySetLinearVel(chain[i], speed, 0, 0);
        if (i > 0) {
          joints[i] = dJointCreateBall(w.world, NULL);
          dJointAttach(joints[i], chain[i - 1], chain[i]);
          dJointSetBallAnchor(joints[i], x, y - 0.15, 0);
        }
      }
      for (int frame = 0; frame < frames; ++frame) {
        dBrinkID brink = w.brink;
        w.brink = plain && frame >= stopped ? NULL : brink;
        odeWorld_Step(&w);
        w.brink = brink;
        assert_true(frame >= stopped || odeWorld_Info(&w).clamps == 1);
        for (int i = 1; i < links; ++i) {
          dVector3 p, q;
          dJointGetBallAnchor(joints[i], p);
          dJointGetBallAnchor2(joints[i], q);
          gaps[plain] = fmax(gaps[plain], hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
        }
        assert_true(frame >= stopped || gaps[plain] < 1e-9); /* the clamp itself opens nothing */
      }
      odeWorld_End(&w);
    }
    assert_true(gaps[1] > 1 && fabs(gaps[0] - gaps[1]) < 1e-9);
  }
}

/* They meet before a plate, and their common centre is fast: it does not take them through. Who was stopped in the end
 * has fallen as long as it has flown. */
CASE(what_goes_on_as_one_is_stopped_by_what_it_meets) {
  for (int kind = 0; kind < 2; ++kind) {
    uint64_t seed = 3;
    int together = 0;
    for (int i = 0; i < 60; ++i) {
      odeWorld w;
      odeWorld_Make(&w, true, kind, -9.81);
      assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeClamp), 1);
      w.mu = 0;
      addPlate(&w, 0);
      const double gap = odeUniform(&seed, 0.02, 0.5), part = odeUniform(&seed, 0.05, 0.9),
                   lead = odeUniform(&seed, -0.004, 0.004);
      dBodyID front = addBall(&w, -gap, lead, 100), back = addBall(&w, -gap - 0.1, 0, 100 + 0.1 / (part * w.h));
      dBodySetLinearVel(front, 100, 7, 0);
      dBodySetLinearVel(back, 100 + 0.1 / (part * w.h), 7, 0);
      for (int frame = 0; frame < 20; ++frame) {
        odeWorld_Step(&w);
        together += frame == 0 && odeWorld_Info(&w).clamps > 1;
        assert_true(frame > 0 || fabs(dBodyGetLinearVel(back)[2] + 9.81 * dBodyGetPosition(back)[1] / 7) < 1e-9);
        if (!(xOf(front) < -PLATE / 2 && xOf(back) < -PLATE / 2)) {
          fail_msg("run %d, frame %d: balls at %g, %g of a plate at 0", i, frame, xOf(front), xOf(back));
        }
      }
      odeWorld_End(&w);
    }
    assert_true(together > 20);
  }
}

/* A box lands on a slope and is stopped by a wall in the step after: what the landing did belongs to that one. */
CASE(what_waits_on_a_slope_has_slid_as_long_as_it_has_moved) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  const double pull = 6.9; /* m/s^2, along the slope */
  dWorldSetGravity(w.world, pull, 0, -pull);
  w.mu = 0;
  dCreatePlane(w.space, 0, 0, 1, 0);
  dGeomID wall = dCreateBox(w.space, 0.02, 4, 4);
  dGeomSetPosition(wall, 0.96, 0, 2);
  dBodyID box = odeWorld_Body(&w, dCreateBox(w.space, 0.4, 0.4, 0.4), 32, 0, 0, 0.45);
  dBodySetLinearVel(box, 30, 0, -30);
  dBrinkSetPairMode(w.brink, geomOf(box), wall, dBrinkModeClamp);
  odeWorld_Step(&w);
  assert_true(odeWorld_Info(&w).solves == 2 && odeWorld_Info(&w).clamps == 0);
  odeWorld_Step(&w);
  const double toi = odeWorld_Info(&w).firstToi, exact = 30 + pull * w.h * (1 + toi);
  assert_true(odeWorld_Info(&w).clamps == 1 && toi > 0.3 && toi < 0.7);
  if (!(fabs(dBodyGetLinearVel(box)[0] - exact) < 0.01)) {
    fail_msg("%g m/s, exact %g", dBodyGetLinearVel(box)[0], exact);
  }
  odeWorld_End(&w);
}

/* ---- speculative */

CASE(speculative_closes_the_gap_exactly_and_bounces_a_step_later) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeSpeculative), 1);
    w.bounce = 0.5;
    w.mu = 1; /* must not act in mid-air */
    addPlate(&w, 0);
    dBodyID ball = addBall(&w, -2.3, 0, 300);
    dBodySetLinearVel(ball, 300, 0, 10);
    odeWorld_Step(&w);
    dBrinkStepInfo info = odeWorld_Info(&w);
    double gap = 2.3 + FACE;
    assert_int_equal(info.solves, 2);
    assert_int_equal(info.clamps, 0);
    assert_int_equal(count(&info, dBrinkResponseHeldBack), 1);
    if (fabs(xOf(ball) - FACE) > 1e-6) {
      fail_msg("gap left %g m", FACE - xOf(ball));
    }
    assert_true(fabs(dBodyGetLinearVel(ball)[0] - gap / w.h) < 1e-3 * gap / w.h);
    assert_true(dBodyGetLinearVel(ball)[2] == 10);
    for (int frame = 0; frame < 2; ++frame) {
      odeWorld_Step(&w);
      assert_true(xOf(ball) < 0);
    }
    if (fabs(dBodyGetLinearVel(ball)[0] + 0.5 * gap / w.h) > 0.01 * gap / w.h) {
      fail_msg("leaves at %g m/s, not %g", dBodyGetLinearVel(ball)[0], -0.5 * gap / w.h);
    }
    odeWorld_End(&w);
  }
}

CASE(speculative_two_fast_bodies_stop_where_they_meet) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeSpeculative), 1);
  dBodyID a = addBall(&w, -1, 0, 200), b = addBall(&w, 1.3, 0, -250);
  odeWorld_Step(&w);
  assert_int_equal(odeWorld_Info(&w).solves, 2);
  assert_true(fabs(xOf(b) - xOf(a) - 2 * RADIUS) < 1e-6);
  for (int frame = 0; frame < 4; ++frame) {
    odeWorld_Step(&w);
    assert_true(xOf(a) < xOf(b));
  }
  odeWorld_End(&w);
}

/* Turning bodies are where the prediction alone fails (1 of 1 corner-first boxes, 2 of 10 links of a chain went
 * through). */
CASE(speculative_is_verified_by_the_guard) {
  uint64_t seed = 7;
  int heldBack = 0;
  for (int run = 0; run < 60; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run % 2, -9.81);
    assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeSpeculative), 1);
    dGeomSetPosition(dCreateBox(w.space, 4, 4, 0.01), 0, 0, 0);
    dBodyID box = odeWorld_Body(&w, dCreateBox(w.space, 0.01, 0.01, 0.01), 0.01, 0, 0, odeUniform(&seed, 0.5, 3));
    dQuaternion q = {odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5};
    dBodySetQuaternion(box, q);
    dBodySetLinearVel(box, odeUniform(&seed, -20, 20), 0, -100);
    dBodySetAngularVel(box, odeUniform(&seed, -500, 500), odeUniform(&seed, -500, 500), odeUniform(&seed, -500, 500));
    double energy = odeWorld_Energy(&w, box), worst = 0, lost = 0;
    for (int frame = 0; frame < 60; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      dBrinkStepInfo info = odeWorld_Info(&w);
      heldBack += count(&info, dBrinkResponseHeldBack);
      lost += info.lostTime;
      worst = fmax(worst, odeWorld_Energy(&w, box));
      const dReal *p = dBodyGetPosition(box);
      if (p[2] < 0 && fabs(p[0]) < 2 && fabs(p[1]) < 2) {
        fail_msg("run %d frame %d: through, z = %g", run, frame, p[2]);
      }
    }
    if (worst > 1.05 * energy || lost > 0.1) {
      fail_msg("run %d: energy %g of the start, %g s of 1 s lost", run, worst / energy, lost);
    }
    odeWorld_End(&w);
  }
  assert_true(heldBack >= 60);
}

/* Ten links with ball joints: alone, speculative contacts let 2 and 3 of them through (QuickStep, 60 and 15 m/s). */
CASE(speculative_holds_chains_too) {
  enum { links = 10 };
  for (int run = 0; run < 8; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run % 2, -9.81);
    dRandSetSeed(1);
    assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeSpeculative), 1);
    dCreateBox(w.space, 0.01, 6, 6);
    dBodyID bodies[links];
    for (int i = 0; i < links; ++i) {
      double x = -1.2 - 0.01 * run * i;
      bodies[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.03, 0.1, 0.03), 0.1, x, 0.11 * i - 0.5, 1);
      dBodySetLinearVel(bodies[i], run < 4 ? 60 : 15, 0, 0);
      if (i > 0) {
        const dReal *a = dBodyGetPosition(bodies[i - 1]), *b = dBodyGetPosition(bodies[i]);
        dJointID joint = dJointCreateBall(w.world, NULL);
        dJointAttach(joint, bodies[i - 1], bodies[i]);
        dJointSetBallAnchor(joint, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2);
      }
    }
    double worst = 0;
    for (int frame = 0; frame < 40; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      worst = fmax(worst, odeWorld_Info(&w).worstJointError);
      for (int i = 0; i < links; ++i) {
        if (xOf(bodies[i]) > 0) {
          fail_msg("run %d frame %d: link %d is through", run, frame, i);
        }
      }
    }
    if (worst > 0.5) {
      fail_msg("run %d: joints open by %g m", run, worst);
    }
    odeWorld_End(&w);
  }
}

CASE(speculative_leaves_unwanted_pairs_alone) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeSpeculative), 1);
  w.sensor = addPlate(&w, 0);
  dBodyID ball = addBall(&w, -2.3, 0, 300);
  odeWorld_Step(&w);
  assert_int_equal(odeWorld_Info(&w).solves, 1);
  assert_true(fabs(xOf(ball) - (-2.3 + 300 * w.h)) < 1e-9);
  odeWorld_End(&w);
}

/* Who is stopped without an extra solve is not stopped for ever by what the program wants no contacts with. */
CASE(who_is_only_stopped_passes_what_is_unwanted) {
  for (int run = 0; run < 4; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run % 2, 0);
    w.bounce = 0.5;
    assert_int_equal(run < 2 ? dBrinkSetMode(w.brink, dBrinkModeClamp) : dBrinkSetMaxSubsteps(w.brink, 0), 1);
    w.sensor = addPlate(&w, 0);
    (void)addPlate(&w, 10);
    dBodyID ball = addBall(&w, -2.3, 0, 30);
    double farthest = -3;
    int clamps = 0;
    for (int frame = 0; frame < 60; ++frame) {
      odeWorld_Step(&w);
      assert_int_equal(odeWorld_Info(&w).solves, 1);
      clamps += odeWorld_Info(&w).clamps;
      farthest = fmax(farthest, xOf(ball));
    }
    if (!(farthest > 9 && farthest < 10 && w.sensorCalls > 0 && clamps > 0)) {
      fail_msg("run %d: got as far as %g m, %d clamps", run, farthest, clamps);
    }
    odeWorld_End(&w);
  }
}

/* A ball comes down on a plate at 0.5, after another one has come from the side at 0.45 that is held back. Whether a
 * third one is struck elsewhere at 0.44 is nothing to them: had it a part in the solve that holds back, the ball would
 * turn 2 cm above its plate, without an event. */
CASE(a_third_impact_is_nothing_to_what_is_held_back) {
  for (int third = 0; third < 2; ++third) {
    odeWorld w;
    odeWorld_Make(&w, true, true, 0);
    w.bounce = 0.5;
    w.mu = 0;
    const double way = 25 * w.h;
    const double parts[] = {0.3, 0.5, 0.44};
    dBodyID balls[3] = {NULL}, side;
    for (int i = 0; i < 2 + third; ++i) {
      dGeomSetPosition(dCreateBox(w.space, 4, 4, 0.02), 50.0 * (i - 1), 0, 0);
      balls[i] = odeWorld_Body(&w, dCreateSphere(w.space, 0.2), 1, 50.0 * (i - 1), 0, 0.21 + way * parts[i]);
      dBodySetLinearVel(balls[i], 0, 0, -25);
      if (i == 0) assert_int_equal(odeWorld_Step(&w), 1); /* the program is asked */
    }
    side = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 0.2, -0.3 - 60 * w.h * 0.45, 0, 0.21 + 0.05 * way);
    dBodySetLinearVel(side, 60, 0, 0);
    dSpaceCollide(w.space, &w, odeWorld_Near);
    dJointGroupEmpty(w.contacts);
    assert_int_equal(dBrinkSetPairMode(w.brink, geomOf(balls[1]), geomOf(side), dBrinkModeSpeculative), 1);
    assert_int_equal(odeWorld_Step(&w), 1);
    dBrinkStepInfo info = odeWorld_Info(&w);
    assert_int_equal(count(&info, dBrinkResponseContacts), 1 + third);
    assert_true(count(&info, dBrinkResponseHeldBack) > 0);
    assert_true(fabs(dBodyGetPosition(balls[1])[2] - 0.21 - 0.25 * way) < 4e-3); /* back up at half the speed */
    odeWorld_End(&w);
  }
}

/* ---- how settings combine */

CASE(the_strictest_body_counts_and_a_pair_above_it) {
  static const struct {
    int world, ball, plateBody, pair, response;
  } cases[] = {
      {dBrinkModeAdvance, 0, 0, 0, dBrinkResponseContacts},
      {dBrinkModeClamp, 0, 0, 0, dBrinkResponseClamped},
      {dBrinkModeClamp, dBrinkModeReport, 0, 0, dBrinkResponseReported},
      {dBrinkModeReport, dBrinkModeAdvance, 0, 0, dBrinkResponseContacts},
      {dBrinkModeAdvance, dBrinkModeReport, dBrinkModeSpeculative, 0, dBrinkResponseHeldBack},
      {dBrinkModeReport, dBrinkModeClamp, dBrinkModeAdvance, 0, dBrinkResponseClamped},
      {dBrinkModeReport, dBrinkModeAdvance, dBrinkModeSpeculative, 0, dBrinkResponseContacts},
      {dBrinkModeReport, dBrinkModeClamp, dBrinkModeClamp, dBrinkModeSpeculative, dBrinkResponseHeldBack},
      {dBrinkModeClamp, dBrinkModeClamp, dBrinkModeClamp, dBrinkModeReport, dBrinkResponseReported},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
    for (int undo = 0; undo < 2; ++undo) {
      odeWorld w;
      odeWorld_Make(&w, true, false, 0);
      dGeomID plate = addPlate(&w, 0);
      dBodyID plateBody = odeWorld_Body(&w, plate, 5, 0, 0, 0), ball = addBall(&w, -2.3, 0, 300);
      assert_int_equal(dBrinkSetMode(w.brink, cases[i].world), 1);
      assert_int_equal(dBrinkSetBodyMode(w.brink, ball, cases[i].ball), 1);
      assert_int_equal(dBrinkSetBodyMode(w.brink, plateBody, cases[i].plateBody), 1);
      assert_int_equal(dBrinkSetPairMode(w.brink, plate, geomOf(ball), cases[i].pair), 1);
      if (undo) { /* settings can be taken back; order of the geoms does not matter */
        assert_int_equal(dBrinkSetMode(w.brink, dBrinkModeAdvance), 1);
        assert_int_equal(dBrinkSetBodyMode(w.brink, ball, dBrinkModeInherit), 1);
        assert_int_equal(dBrinkSetBodyMode(w.brink, plateBody, dBrinkModeInherit), 1);
        assert_int_equal(dBrinkSetPairMode(w.brink, geomOf(ball), plate, dBrinkModeInherit), 1);
      }
      assert_int_equal(odeWorld_Step(&w), 1);
      dBrinkStepInfo info = odeWorld_Info(&w);
      int expected = undo ? dBrinkResponseContacts : cases[i].response;
      if (info.eventCount < 1 || info.events[0].response != expected) {
        fail_msg("case %zu%s: response %d, not %d", i, undo ? " undone" : "",
                 info.eventCount > 0 ? info.events[0].response : -1, expected);
      }
      odeWorld_End(&w);
    }
  }
}

CASE(bodies_of_different_modes_are_served_in_one_step) {
  odeWorld w;
  odeWorld_MakeElastic(&w, false);
  addPlate(&w, 0);
  dBodyID balls[5];
  for (int mode = 1; mode <= 4; ++mode) {
    balls[mode] = addBall(&w, -2.3, 0.1 * mode, 300); /* all at the same instant */
    assert_int_equal(dBrinkSetBodyMode(w.brink, balls[mode], mode), 1);
  }
  odeWorld_Step(&w);
  dBrinkStepInfo info = odeWorld_Info(&w);
  for (int response = 0; response < 4; ++response) {
    if (count(&info, response) != 1) {
      fail_msg("response %d: %d events of %d", response, count(&info, response), info.eventCount);
    }
  }
  assert_true(fabs(xOf(balls[dBrinkModeReport]) - 2.7) < 1e-9);
  assert_true(fabs(xOf(balls[dBrinkModeSpeculative]) - FACE) < 1e-6);
  assert_true(fabs(xOf(balls[dBrinkModeClamp]) - FACE) < 1e-5);
  double back = 300 * w.h - (2.3 + FACE);
  assert_true(fabs(xOf(balls[dBrinkModeAdvance]) - (FACE - back)) < 1e-3);
  odeWorld_End(&w);
}

/* A callback that destroys the k-th geom it is called for: forbidden, but the host lives. */
typedef struct vandal {
  odeWorld w;
  int calls, fatal;
} vandal;

static void destroyAtCall(void *data, dGeomID a, dGeomID b) {
  vandal *v = data;
  if (v->calls++ == v->fatal) {
    dGeomDestroy(dGeomGetBody(a) != NULL ? a : b);
    return;
  }
  odeWorld_Near(&v->w, a, b);
}

CASE(a_callback_that_destroys_costs_the_step_and_no_more) {
  int refused = 0;
  for (int mode = dBrinkModeSpeculative; mode <= dBrinkModeAdvance; ++mode) {
    for (int fatal = 0; fatal < 12; ++fatal) {
      vandal v = {.fatal = fatal};
      odeWorld_Make(&v.w, true, fatal % 2, -9.81);
      assert_int_equal(dBrinkSetMode(v.w.brink, mode), 1);
      dCreateBox(v.w.space, 0.01, 6, 6);
      dBodyID links[3];
      for (int i = 0; i < 3; ++i) {
        links[i] = odeWorld_Body(&v.w, dCreateBox(v.w.space, 0.03, 0.1, 0.03), 0.1, -1 - 0.03 * i, 0.11 * i, 1);
        dBodySetLinearVel(links[i], 60, 0, 0);
        if (i > 0) {
          dJointID joint = dJointCreateBall(v.w.world, NULL);
          dJointAttach(joint, links[i - 1], links[i]);
          dJointSetBallAnchor(joint, -1 - 0.03 * i + 0.015, 0.11 * i - 0.055, 1);
        }
      }
      for (int frame = 0; frame < 6; ++frame) { /* every call comes from inside the step */
        refused += !dBrinkWorldStep(v.w.brink, v.w.h, &v, destroyAtCall, v.w.contacts);
        dJointGroupEmpty(v.w.contacts);
        for (int i = 0; i < 3; ++i) {
          assert_true(isfinite(dBodyGetPosition(links[i])[0]));
        }
      }
      odeWorld_End(&v.w);
    }
  }
  assert_true(refused >= 20);
}

CASE(wrong_settings_are_refused_and_those_of_the_dead_forgotten) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomID plate = addPlate(&w, 0);
  dBodyID ball = addBall(&w, -2.3, 0, 300), stranger = dBodyCreate(w.world);
  assert_int_equal(dBrinkSetMode(w.brink, 0), 0);
  assert_int_equal(dBrinkSetMode(w.brink, 5), 0);
  assert_true(strstr(dBrinkGetError(w.brink), "dBrinkSetMode") != NULL);
  assert_int_equal(dBrinkSetBodyMode(w.brink, ball, -1), 0);
  assert_int_equal(dBrinkSetBodyMode(w.brink, stranger, dBrinkModeClamp), 0);
  assert_int_equal(dBrinkSetBodyMode(w.brink, NULL, dBrinkModeClamp), 0);
  assert_int_equal(dBrinkSetPairMode(w.brink, plate, plate, dBrinkModeClamp), 0);
  assert_int_equal(dBrinkSetPairMode(w.brink, plate, NULL, dBrinkModeClamp), 0);
  assert_int_equal(dBrinkSetMode(NULL, dBrinkModeClamp), 0);
  assert_int_equal(dBrinkSetBodyMode(NULL, ball, dBrinkModeClamp), 0);
  assert_int_equal(dBrinkSetPairMode(NULL, plate, geomOf(ball), dBrinkModeClamp), 0);
  assert_int_equal(dBrinkSetBodyMode(w.brink, ball, dBrinkModeReport), 1);
  assert_int_equal(dBrinkSetPairMode(w.brink, plate, geomOf(ball), dBrinkModeReport), 1);
  dGeomDestroy(geomOf(ball));
  dBodyDestroy(ball);
  assert_int_equal(odeWorld_Step(&w), 1);
  ball = addBall(&w, -2.3, 0, 300); /* perhaps at the same address */
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_true(xOf(ball) < 0);
  /* Rebuilding the mirror keeps settings. */
  dBodySetPosition(ball, -2.3, 0, 0);
  dBodySetLinearVel(ball, 300, 0, 0);
  assert_int_equal(dBrinkSetBodyMode(w.brink, ball, dBrinkModeClamp), 1);
  assert_int_equal(dBrinkSetTaylorOrder(w.brink, 2), 1);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_int_equal(odeWorld_Info(&w).clamps, 1);
  odeWorld_End(&w);
}

/* Made at once where the old one lay: no step has seen that one gone. */
CASE(what_is_made_at_an_address_has_no_settings_of_what_lay_there) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomID plate = addPlate(&w, 0);
  int same = 0;
  for (int run = 0; run < 16; ++run) {
    dBodyID ball = addBall(&w, -2.3, 0, 300);
    dGeomID geom = geomOf(ball);
    assert_int_equal(dBrinkSetBodyMode(w.brink, ball, dBrinkModeReport), 1);
    assert_int_equal(dBrinkSetPairMode(w.brink, plate, geom, dBrinkModeReport), 1);
    assert_int_equal(dBrinkSetSensor(w.brink, geom, 1), 1);
    dGeomDestroy(geom);
    dBodyDestroy(ball);
    dBodyID next = addBall(&w, -2.3, 0, 300);
    same += next == ball && geomOf(next) == geom;
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(xOf(next) < 0 && odeWorld_Info(&w).sensorEventCount == 0);
    dGeomDestroy(geomOf(next));
    dBodyDestroy(next);
  }
#ifndef __SANITIZE_ADDRESS__ /* which keeps back what it got */
  assert_true(same > 0);     /* an allocator gives out first what it got back last */
#else
  (void)same;
#endif
  odeWorld_End(&w);
}

/* Between two plates, `room` apart beside it and closing by 2 `slope`; part of its energy that it has in the end. */
static double energyBetween(bool quick, double room, double slope, double along, double across, int frames) {
  odeWorld w;
  odeWorld_MakeElastic(&w, quick);
  for (int side = -1; side <= 1; side += 2) {
    dGeomID plate = dCreateBox(w.space, 1000, 0.1, 2);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 0, 0, 1, -side * slope);
    dGeomSetRotation(plate, turn);
    dGeomSetPosition(plate, 0, side * (0.1 + room / 2), 0);
  }
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, slope > 0 ? -2.5 : 0, 0, 0);
  dBodySetLinearVel(ball, along, across, 0);
  for (int frame = 0; frame < frames; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
  }
  const dReal *v = dBodyGetLinearVel(ball);
  double part = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / (along * along + across * across);
  odeWorld_End(&w);
  return part;
}

/* It is stopped early in each step, at the same place when it flies straight across, and is not at rest for that. */
CASE(a_ball_that_bounces_too_often_for_a_step_keeps_its_speed) {
  static const double rooms[] = {0.05, 0.02}, speeds[] = {50, 100};
  for (int k = 0; k < 16; ++k) {
    const double part = energyBetween(k & 1, rooms[k >> 1 & 1], 0, k & 4 ? 10 : 0, speeds[k >> 3], 20);
    assert_true(fabs(part - 1) < 1e-4); /* the world mixes a force of 1e-5 into contacts */
  }
  assert_true(fabs(energyBetween(false, 0.3, 0.05, 200, 10, 12) - 1) < 1e-4); /* into a wedge and out of it */
}

int main(void) { return cases_Run(startOde, endOde); }
