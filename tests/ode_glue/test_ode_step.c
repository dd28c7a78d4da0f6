/* SPDX-License-Identifier: BSD-3-Clause */
/* The stepper against scenes in which plain ODE tunnels, rests, or has nothing to do with Brink; each judged by its own
 * simple check (which side of the wall, which energy, which bits), not by the library's answer. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_start.h"
#include "ode_world.h"

#define CHAIN_LINKS 10

/* ---- fast bodies against thin walls */

static dBodyID shoot(odeWorld *w, double speed, double x, double y, double z) {
  dGeomID plate = dCreateBox(w->space, 0.005, 1, 1);
  dGeomSetPosition(plate, 0, 0, 0);
  dBodyID bullet = odeWorld_Body(w, dCreateSphere(w->space, 0.005), 0.01, x, y, z);
  dBodySetLinearVel(bullet, speed, 0, 0);
  return bullet;
}

/* From g1 to g2; the normal of ODE's contact of the same two geoms points into g1. */
CASE(the_normal_of_an_event_is_the_opposite_of_a_contacts) {
  for (int side = -1; side <= 1; side += 2) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dBodyID bullet = shoot(&w, -300 * side, 2.3 * side, 0, 0);
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(odeWorld_Info(&w).eventCount == 1 && odeWorld_Info(&w).firstToi < BRINK_NO_TIME);
    const dBrinkEvent event = odeWorld_Info(&w).events[0];
    bool ballFirst = event.g1 == dBodyGetFirstGeom(bullet);
    assert_true(fabs(event.normal[0] - (ballFirst ? -side : side)) < 1e-9);
    dBodySetPosition(bullet, 0.007 * side, 0, 0);
    dContactGeom contact;
    assert_int_equal(dCollide(event.g1, event.g2, 1, &contact, sizeof contact), 1);
    assert_true(fabs(contact.normal[0] + event.normal[0]) < 1e-9);
    odeWorld_Step(&w);
    assert_true(odeWorld_Info(&w).firstToi == BRINK_NO_TIME);
    odeWorld_End(&w);
  }
}

CASE(needle_through_thin_wall_is_always_hit) {
  uint64_t seed = 20240117;
  int plainThrough = 0;
  for (int run = 0; run < 40; ++run) {
    double x = odeUniform(&seed, -6, -1), y = odeUniform(&seed, -0.3, 0.3), z = odeUniform(&seed, -0.3, 0.3);
    for (int kind = 0; kind < 3; ++kind) {
      odeWorld w;
      odeWorld_Make(&w, kind > 0, kind == 2, 0);
      dBodyID bullet = shoot(&w, 300, x, y, z);
      for (int frame = 0; frame < 8; ++frame) {
        assert_int_equal(odeWorld_Step(&w), 1);
      }
      bool through = dBodyGetPosition(bullet)[0] > 0;
      plainThrough += kind == 0 && through;
      if (kind > 0 && through) {
        fail_msg("run %d kind %d: through, x = %g", run, kind, dBodyGetPosition(bullet)[0]);
      }
      odeWorld_End(&w);
    }
  }
  assert_true(plainThrough > 30); /* the scene is worth something */
}

CASE(bounce_half_leaves_at_half_speed) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    w.bounce = 0.5;
    w.mu = 0;
    dBodyID bullet = shoot(&w, 300, -2.3, 0, 0);
    for (int frame = 0; frame < 3; ++frame) {
      odeWorld_Step(&w);
    }
    assert_true(fabs(dBodyGetLinearVel(bullet)[0] + 150) < 1.5);
    /* Flight of three frames: 2.2925 m at 300 m/s, the rest at 150 m/s back; no time is lost. */
    double flight = (2.3 - 0.0075) / 300, expected = -0.0075 - 150 * (3 * w.h - flight);
    assert_true(fabs(dBodyGetPosition(bullet)[0] - expected) < 0.01 * fabs(expected));
    odeWorld_End(&w);
  }
}

CASE(step_info_tells_the_impact) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  shoot(&w, 300, -2.3, 0, 0);
  assert_int_equal(odeWorld_Step(&w), 1);
  dBrinkStepInfo info = odeWorld_Info(&w);
  double exact = (2.3 - 0.0075) / (300 * w.h);
  assert_int_equal(info.solves, 2);
  assert_int_equal(info.clamps, 0);
  assert_int_equal(info.eventCount, 1);
  assert_true(info.firstToi <= exact && info.firstToi > exact - 1e-4);
  assert_true(info.events[0].toi == info.firstToi && info.events[0].toiUpper >= info.events[0].toi);
  assert_true(fabs(fabs(info.events[0].normal[0]) - 1) < 1e-9);
  assert_true(info.lostTime == 0 && info.milliseconds >= 0 && info.pairsBefore >= 1 && info.pairsSpatial >= 1);
  odeWorld_End(&w);
}

CASE(corner_first_spinning_box_stays_on_its_side) {
  uint64_t seed = 7;
  for (int run = 0; run < 30; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run % 2, -9.81);
    w.bounce = run % 3 == 0 ? 0.5 : 0;
    dGeomSetPosition(dCreateBox(w.space, 4, 4, 0.01), 0, 0, 0);
    dBodyID box = odeWorld_Body(&w, dCreateBox(w.space, 0.01, 0.01, 0.01), 0.01, 0, 0, odeUniform(&seed, 0.5, 3));
    dQuaternion q = {odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5};
    dBodySetQuaternion(box, q);
    dBodySetLinearVel(box, 0, 0, -100);
    dBodySetAngularVel(box, odeUniform(&seed, -500, 500), odeUniform(&seed, -500, 500), odeUniform(&seed, -500, 500));
    double energy = odeWorld_Energy(&w, box), worst = 0;
    for (int frame = 0; frame < 60; ++frame) {
      odeWorld_Step(&w);
      worst = fmax(worst, odeWorld_Energy(&w, box));
      const dReal *p = dBodyGetPosition(box);
      if (p[2] < 0 && fabs(p[0]) < 2 && fabs(p[1]) < 2) {
        fail_msg("run %d frame %d: through, z = %g", run, frame, p[2]);
      }
    }
    if (worst > 1.05 * energy) {
      fail_msg("run %d: energy %g from %g", run, worst, energy);
    }
    odeWorld_End(&w);
  }
}

CASE(spinning_rod_stops_at_a_peg) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    /* The rod turns about z at its end; the peg stands in its way at 2 rad. */
    dBodyID rod = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.02, 0.02), 1, 0.5, 0, 0);
    dGeomSetPosition(dCreateCylinder(w.space, 0.005, 0.2), 0.8 * cos(2), 0.8 * sin(2), 0);
    dJointID hinge = dJointCreateHinge(w.world, NULL);
    dJointAttach(hinge, rod, NULL);
    dJointSetHingeAnchor(hinge, 0, 0, 0);
    dJointSetHingeAxis(hinge, 0, 0, 1);
    dBodySetAngularVel(rod, 0, 0, 100);
    dBodySetLinearVel(rod, 0, 50, 0);
    double worst = 0;
    for (int frame = 0; frame < 30; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      const dReal *p = dBodyGetPosition(rod);
      double angle = atan2(p[1], p[0]);
      if (angle > 2 || angle < -1) {
        fail_msg("frame %d: the rod is at %g rad", frame, angle);
      }
      worst = fmax(worst, odeWorld_Info(&w).worstJointError);
    }
    assert_true(worst < 0.6);                              /* ODE's own: 50 m/s straight on in the first frame */
    assert_true(odeWorld_Info(&w).worstJointError < 5e-3); /* and it heals */
    odeWorld_End(&w);
  }
}

typedef struct chainResult {
  int through;
  double jointError, energyRatio;
  int solves, clamps;
} chainResult;

/* Ten 10 cm links, ball joints, thrown askew at a wall. */
static chainResult throwChain(bool withBrink, bool quick, double speed, double wall, int frames) {
  odeWorld w;
  odeWorld_Make(&w, withBrink, quick, -9.81);
  dRandSetSeed(1);
  dGeomSetPosition(dCreateBox(w.space, wall, 6, 6), wall / 2 - 0.005, 0, 0);
  dBodyID links[CHAIN_LINKS];
  dJointID joints[CHAIN_LINKS - 1];
  for (int i = 0; i < CHAIN_LINKS; ++i) {
    links[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.03, 0.1, 0.03), 0.1, -1.2 - 0.05 * i, 0.11 * i - 0.5, 1);
    dBodySetLinearVel(links[i], speed, 0, 0);
  }
  for (int i = 0; i + 1 < CHAIN_LINKS; ++i) {
    const dReal *a = dBodyGetPosition(links[i]), *b = dBodyGetPosition(links[i + 1]);
    joints[i] = dJointCreateBall(w.world, NULL);
    dJointAttach(joints[i], links[i], links[i + 1]);
    dJointSetBallAnchor(joints[i], (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2);
  }
  chainResult result = {0};
  bool passed[CHAIN_LINKS] = {false};
  double first = 0;
  for (int frame = 0; frame <= frames; ++frame) {
    double energy = 0;
    for (int i = 0; i < CHAIN_LINKS; ++i) {
      energy += odeWorld_Energy(&w, links[i]);
    }
    energy += CHAIN_LINKS * 0.1 * 9.81 * 10; /* zero level 10 m below: always positive */
    first = frame == 0 ? energy : first;
    result.energyRatio = fmax(result.energyRatio, energy / first);
    for (int i = 0; i + 1 < CHAIN_LINKS; ++i) {
      dVector3 a, b;
      dJointGetBallAnchor(joints[i], a);
      dJointGetBallAnchor2(joints[i], b);
      result.jointError = fmax(result.jointError, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
    for (int i = 0; i < CHAIN_LINKS; ++i) {
      const dReal *p = dBodyGetPosition(links[i]);
      passed[i] = passed[i] || (p[0] > 0 && p[0] < 3 && fabs(p[1]) < 3 && fabs(p[2]) < 3);
    }
    if (frame < frames) {
      odeWorld_Step(&w);
      if (withBrink) {
        result.solves += odeWorld_Info(&w).solves;
        result.clamps += odeWorld_Info(&w).clamps;
      }
    }
  }
  for (int i = 0; i < CHAIN_LINKS; ++i) {
    result.through += passed[i];
  }
  odeWorld_End(&w);
  return result;
}

/* Joint error is ODE's own business; Brink may not make it worse than plain ODE does against a wall too thick to pass
 * (4 m), at the worst speed of the range. */
CASE(chain_never_passes_a_thin_wall) {
  static const double speeds[] = {5, 15, 30, 60, 200};
  for (int quick = 0; quick < 2; ++quick) {
    int plainThrough = 0;
    double plainError = 0, error = 0;
    for (int i = 0; i < 5; ++i) {
      chainResult plain = throwChain(false, quick, speeds[i], 0.01, 60);
      chainResult thick = throwChain(false, quick, speeds[i], 4, 60);
      chainResult ours = throwChain(true, quick, speeds[i], 0.01, 60);
      print_message("| %s %g m/s | %d | %.2g m | %d | %.2g m | %.3f | %d | %d |\n", quick ? "QuickStep" : "WorldStep",
                    speeds[i], plain.through, thick.jointError, ours.through, ours.jointError, ours.energyRatio,
                    ours.solves, ours.clamps); /* the table in docs/ode.md */
      plainThrough += plain.through;
      plainError = fmax(plainError, thick.jointError);
      error = fmax(error, ours.jointError);
      assert_int_equal(ours.through, 0);
      assert_true(ours.energyRatio <= 1.05);
      assert_true(ours.clamps < 12); /* frozen frames are the exception */
    }
    assert_true(plainThrough > 20);
    assert_true(error <= 1.1 * plainError);
  }
}

/* ---- a ragdoll: eleven capsules, ball joints and limited hinges */

#define DOLL_PARTS 11

typedef struct doll {
  dBodyID parts[DOLL_PARTS];
  int count;
} doll;

static dBodyID addPart(odeWorld *w, doll *d, double radius, double length, double x, double z, bool across) {
  dBodyID body = odeWorld_Body(w, dCreateCapsule(w->space, radius, length), 1, x, 0, z);
  dMass mass;
  dMatrix3 turn;
  dMassSetCapsule(&mass, 1000, 3, radius, length);
  dBodySetMass(body, &mass);
  if (across) {
    dRFromAxisAndAngle(turn, 0, 1, 0, M_PI / 2);
    dBodySetRotation(body, turn);
  }
  d->parts[d->count++] = body;
  return body;
}

static void addBall(odeWorld *w, dBodyID a, dBodyID b, double x, double z) {
  dJointID joint = dJointCreateBall(w->world, NULL);
  dJointAttach(joint, a, b);
  dJointSetBallAnchor(joint, x, 0, z);
}

static void addHinge(odeWorld *w, dBodyID a, dBodyID b, double x, double z) {
  dJointID joint = dJointCreateHinge(w->world, NULL);
  dJointAttach(joint, a, b);
  dJointSetHingeAnchor(joint, x, 0, z);
  dJointSetHingeAxis(joint, 1, 0, 0);
  dJointSetHingeParam(joint, dParamLoStop, -1.5);
  dJointSetHingeParam(joint, dParamHiStop, 1.5);
}

/* Stands at the origin, then is turned about (0,0,1.3) and lifted by 1.2 m. */
static void makeDoll(odeWorld *w, doll *d, const dMatrix3 turn, double speed) {
  d->count = 0;
  dBodyID torso = addPart(w, d, 0.14, 0.3, 0, 1.25, false), pelvis = addPart(w, d, 0.12, 0.15, 0, 0.92, true);
  addBall(w, torso, pelvis, 0, 1);
  addBall(w, torso, addPart(w, d, 0.1, 0.08, 0, 1.72, false), 0, 1.58);
  for (int side = -1; side <= 1; side += 2) {
    dBodyID arm = addPart(w, d, 0.05, 0.22, side * 0.2, 1.25, false),
            leg = addPart(w, d, 0.07, 0.32, side * 0.1, 0.65, false);
    addBall(w, torso, arm, side * 0.2, 1.4);
    addHinge(w, arm, addPart(w, d, 0.04, 0.22, side * 0.2, 0.95, false), side * 0.2, 1.1);
    addBall(w, pelvis, leg, side * 0.1, 0.86);
    addHinge(w, leg, addPart(w, d, 0.05, 0.32, side * 0.1, 0.22, false), side * 0.1, 0.43);
  }
  for (int i = 0; i < d->count; ++i) {
    const dReal *p = dBodyGetPosition(d->parts[i]);
    dVector3 arm = {p[0], p[1], p[2] - 1.3, 0}, turned;
    dMatrix3 rotation;
    dMultiply0_331(turned, turn, arm);
    dMultiply0_333(rotation, turn, dBodyGetRotation(d->parts[i]));
    dBodySetPosition(d->parts[i], turned[0], turned[1], turned[2] + 2.5);
    dBodySetRotation(d->parts[i], rotation);
    dBodySetLinearVel(d->parts[i], 0, speed, 0);
  }
}

CASE(ragdoll_stays_on_its_side_and_gains_no_energy) {
  static const double speeds[] = {5, 20, 60, 200};
  for (int run = 0; run < 24; ++run) {
    uint64_t seed = 1 + run / 4;
    odeWorld w;
    odeWorld_Make(&w, true, run % 2, -9.81);
    dRandSetSeed(1);
    w.mu = 0.8;
    dCreatePlane(w.space, 0, 0, 1, 0);
    dGeomSetPosition(dCreateBox(w.space, 6, 0.005, 8), 0, 3, 4);
    dMatrix3 turn;
    dRFromEulerAngles(turn, odeUniform(&seed, -3, 3), odeUniform(&seed, -3, 3), odeUniform(&seed, -3, 3));
    doll d;
    makeDoll(&w, &d, turn, speeds[run % 4]);
    double first = 0, most = 0, lost = 0;
    for (int frame = 0; frame < 90; ++frame) {
      double energy = 0;
      for (int i = 0; i < d.count; ++i) {
        const dReal *p = dBodyGetPosition(d.parts[i]);
        energy += odeWorld_Energy(&w, d.parts[i]);
        if (p[2] < 0 || (p[1] > 3 && p[1] < 9 && fabs(p[0]) < 3 && p[2] < 8)) {
          fail_msg("run %d (seed %d) frame %d: part %d is through at (%g %g %g)", run, 1 + run / 4, frame, i, p[0],
                   p[1], p[2]);
        }
      }
      first = frame == 0 ? energy : first;
      most = fmax(most, energy);
      assert_int_equal(odeWorld_Step(&w), 1);
      lost += odeWorld_Info(&w).lostTime;
    }
    if (most > 1.05 * first || lost > 0.15) { /* of 1.5 s */
      fail_msg("run %d (seed %d): energy %g of the start, %g s lost", run, 1 + run / 4, most / first, lost);
    }
    odeWorld_End(&w);
  }
}

CASE(two_fast_bodies_meet_head_on) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_MakeElastic(&w, quick);
    dBodyID a = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 1, -1, 0, 0);
    dBodyID b = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 1, 1.3, 0, 0);
    dBodySetLinearVel(a, 200, 0, 0);
    dBodySetLinearVel(b, -250, 0, 0);
    for (int frame = 0; frame < 4; ++frame) {
      odeWorld_Step(&w);
      assert_true(dBodyGetPosition(a)[0] < dBodyGetPosition(b)[0]);
    }
    assert_true(fabs(dBodyGetLinearVel(a)[0] + 250) < 2.5); /* equal masses swap velocities */
    assert_true(fabs(dBodyGetLinearVel(b)[0] - 200) < 2.5);
    odeWorld_End(&w);
  }
}

CASE(many_bullets_each_get_their_own_impact) {
  uint64_t seed = 99;
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  w.bounce = 0.5;
  w.mu = 0;
  dGeomSetPosition(dCreateBox(w.space, 0.005, 8, 8), 0, 0, 0);
  dBodyID bullets[60];
  for (int i = 0; i < 60; ++i) {
    bullets[i] = odeWorld_Body(&w, dCreateSphere(w.space, 0.005), 0.01, odeUniform(&seed, -5, -0.1), 0.1 * (i % 8),
                               0.1 * (i / 8));
    dBodySetLinearVel(bullets[i], 300, 0, 0);
  }
  for (int frame = 0; frame < 4; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
  }
  for (int i = 0; i < 60; ++i) {
    assert_true(dBodyGetPosition(bullets[i])[0] < 0);
    assert_true(dBodyGetLinearVel(bullets[i])[0] < 0);
  }
  odeWorld_End(&w);
}

/* ---- without contacts: the guard alone */

CASE(without_near_callback_fast_bodies_are_clamped) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dBodyID bullet = shoot(&w, 300, -2.3, 0, 0);
  assert_int_equal(dBrinkWorldStep(w.brink, w.h, NULL, NULL, w.contacts), 1);
  dBrinkStepInfo info = odeWorld_Info(&w);
  assert_int_equal(info.solves, 1);
  assert_int_equal(info.clamps, 1);
  assert_int_equal(info.events[0].response, 1);
  assert_true(info.lostTime > 0);
  assert_true(fabs(dBodyGetPosition(bullet)[0] + 0.0075) < 1e-4);
  assert_true(dBodyGetLinearVel(bullet)[0] == 300);
  for (int frame = 0; frame < 10; ++frame) {
    odeWorld_Step(&w);
    assert_true(dBodyGetPosition(bullet)[0] < 0);
  }
  odeWorld_End(&w);
}

CASE(substeps_zero_means_clamp) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  assert_int_equal(dBrinkSetMaxSubsteps(w.brink, 0), 1);
  dBodyID bullet = shoot(&w, 300, -2.3, 0, 0);
  for (int frame = 0; frame < 10; ++frame) {
    odeWorld_Step(&w);
    assert_int_equal(odeWorld_Info(&w).solves, 1);
    assert_true(dBodyGetPosition(bullet)[0] < 0);
  }
  odeWorld_End(&w);
}

/* ---- rest */

typedef struct restResult {
  double lowest;   /* drop of the top body's centre, m */
  double creep;    /* sideways, m */
  int extraSolves; /* in the second half */
  int landing;     /* extra solves in the first half */
} restResult;

static restResult restStack(bool withBrink, bool quick, int boxes, int frames) {
  odeWorld w;
  odeWorld_Make(&w, withBrink, quick, -9.81);
  dRandSetSeed(1); /* QuickStep shuffles with ODE's own generator */
  w.mu = 1;
  dWorldSetCFM(w.world, 1e-5); /* with ODE's default of 1e-10 a plain stack of ten falls over */
  dWorldSetQuickStepNumIterations(w.world, 100);
  dCreatePlane(w.space, 0, 0, 1, 0);
  dBodyID top = NULL;
  for (int i = 0; i < boxes; ++i) {
    top = odeWorld_Body(&w, dCreateBox(w.space, 0.5, 0.5, 0.5), 10, 0, 0, 0.25 + 0.5 * i);
  }
  double height = dBodyGetPosition(top)[2];
  restResult result = {0};
  for (int frame = 0; frame < frames; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    if (withBrink) {
      *(frame < frames / 2 ? &result.landing : &result.extraSolves) += odeWorld_Info(&w).solves - 1;
    }
  }
  const dReal *p = dBodyGetPosition(top);
  result.lowest = height - p[2];
  result.creep = hypot(p[0], p[1]);
  odeWorld_End(&w);
  return result;
}

CASE(resting_boxes_cost_no_extra_solve_and_do_not_creep) {
  for (int quick = 0; quick < 2; ++quick) {
    int tall = quick ? 10 : 3; /* ODE's own WorldStep lets taller stacks fall */
    for (int boxes = 1; boxes <= tall; boxes += tall - 1) {
      restResult plain = restStack(false, quick, boxes, 2000);
      restResult ours = restStack(true, quick, boxes, 2000);
      print_message("%d boxes: drop %g (plain %g), creep %g (plain %g), extra solves %d (first half %d)\n", boxes,
                    ours.lowest, plain.lowest, ours.creep, plain.creep, ours.extraSolves, ours.landing);
      assert_int_equal(ours.extraSolves, 0);
      assert_true(ours.lowest <= plain.lowest + 1e-9);
      assert_true(ours.creep <= plain.creep + 1e-9);
    }
  }
}

/* Bits of every body of a slow scene: pendulum, rolling ball, resting box, a sliding block. */
static void slowScene(bool withBrink, bool quick, double out[4][7]) {
  odeWorld w;
  odeWorld_Make(&w, withBrink, quick, -9.81);
  dRandSetSeed(1); /* QuickStep shuffles with ODE's own generator */
  dCreatePlane(w.space, 0, 0, 1, 0);
  dBodyID bodies[4];
  bodies[0] = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.2, 0.2), 1, 2, 0, 2);
  dJointID hinge = dJointCreateHinge(w.world, NULL);
  dJointAttach(hinge, bodies[0], NULL);
  dJointSetHingeAnchor(hinge, 2, 0, 2.5);
  dJointSetHingeAxis(hinge, 0, 1, 0);
  dBodySetLinearVel(bodies[0], 0.5, 0, 0);
  bodies[1] = odeWorld_Body(&w, dCreateSphere(w.space, 0.3), 1, 0, 0, 0.3);
  dBodySetLinearVel(bodies[1], 0, 0.2, 0);
  bodies[2] = odeWorld_Body(&w, dCreateBox(w.space, 0.5, 0.5, 0.5), 5, -2, 0, 0.25);
  bodies[3] = odeWorld_Body(&w, dCreateBox(w.space, 0.5, 0.5, 0.2), 5, -2, 2, 0.1);
  dBodySetLinearVel(bodies[3], 0.4, 0.3, 0);
  for (int frame = 0; frame < 500; ++frame) {
    odeWorld_Step(&w);
    if (withBrink) {
      assert_int_equal(odeWorld_Info(&w).solves, 1);
    }
  }
  for (int i = 0; i < 4; ++i) {
    memcpy(out[i], dBodyGetPosition(bodies[i]), 3 * sizeof(double));
    memcpy(out[i] + 3, dBodyGetQuaternion(bodies[i]), 4 * sizeof(double));
  }
  odeWorld_End(&w);
}

CASE(slow_worlds_are_odes_own_bit_for_bit) {
  for (int quick = 0; quick < 2; ++quick) {
    double plain[4][7], ours[4][7];
    slowScene(false, quick, plain);
    slowScene(true, quick, ours);
    assert_memory_equal(plain, ours, sizeof(plain));
  }
}

CASE(disabled_brink_is_plain_ode_bit_for_bit) {
  double x[2];
  for (int withBrink = 0; withBrink < 2; ++withBrink) {
    odeWorld w;
    odeWorld_Make(&w, withBrink, false, -9.81);
    if (withBrink) {
      assert_int_equal(dBrinkSetEnabled(w.brink, 0), 1);
    }
    dBodyID bullet = shoot(&w, 300, -2.3, 0.1, 0.1);
    for (int frame = 0; frame < 5; ++frame) {
      odeWorld_Step(&w);
    }
    x[withBrink] = dBodyGetPosition(bullet)[0];
    odeWorld_End(&w);
  }
  assert_true(x[0] == x[1] && x[0] > 0);
}

CASE(same_run_gives_the_same_bits) {
  chainResult a = throwChain(true, false, 60, 0.01, 30), b = throwChain(true, false, 60, 0.01, 30);
  assert_true(a.jointError == b.jointError && a.energyRatio == b.energyRatio);
  assert_int_equal(a.solves, b.solves);
}

/* ---- wishes of the program */

CASE(sensors_and_filters_are_respected) {
  for (int kind = 0; kind < 3; ++kind) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dBodyID bullet = shoot(&w, 300, -2.3, 0, 0);
    dGeomID plate = dSpaceGetGeom(w.space, dGeomGetBody(dSpaceGetGeom(w.space, 0)) == NULL ? 0 : 1);
    if (kind == 0) {
      w.sensor = plate;
    } else if (kind == 1) {
      dGeomSetCollideBits(plate, 0);
      dGeomSetCategoryBits(plate, 0);
    } else {
      dGeomDisable(plate);
    }
    for (int frame = 0; frame < 3; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      assert_int_equal(odeWorld_Info(&w).solves, 1);
    }
    /* Until a callback has made a contact somewhere its silence costs one frame, once: see silence.c. */
    double lost = -2.3 + 15 - dBodyGetPosition(bullet)[0];
    assert_true(kind == 0 ? lost > 0 && lost < 5 : fabs(lost) < 1e-9);
    assert_true(kind == 0 ? w.sensorCalls > 0 : w.sensorCalls == 0); /* plain ODE would have missed it */
    odeWorld_End(&w);
  }
}

CASE(jointed_bodies_do_not_strike_each_other) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dBodyID a = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.1, 0.1), 1, 0, 0, 0);
  dBodyID b = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.1, 0.1), 1, 0.9, 0, 0);
  dJointID hinge = dJointCreateHinge(w.world, NULL);
  dJointAttach(hinge, a, b);
  dJointSetHingeAnchor(hinge, 0.45, 0, 0);
  dJointSetHingeAxis(hinge, 0, 0, 1);
  dBodySetAngularVel(b, 0, 0, 30);
  for (int frame = 0; frame < 30; ++frame) {
    odeWorld_Step(&w);
    assert_int_equal(odeWorld_Info(&w).solves, 1);
  }
  odeWorld_End(&w);
}

CASE(kinematic_hammer_drives_a_ball_and_keeps_its_way) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  w.mu = 0;
  dBodyID hammer = odeWorld_Body(&w, dCreateBox(w.space, 0.01, 1, 1), 1, -1, 0, 0);
  dBodySetKinematic(hammer);
  dBodySetLinearVel(hammer, 120, 0, 0);
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 0.1, 0.3, 0, 0);
  for (int frame = 0; frame < 4; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(dBodyGetPosition(hammer)[0] < dBodyGetPosition(ball)[0]);
  }
  assert_true(fabs(dBodyGetPosition(hammer)[0] - 7) < 1e-6);
  assert_true(dBodyGetLinearVel(ball)[0] > 119);
  odeWorld_End(&w);
}

/* ---- what the program moves by its own timeline */

static double pistonAt(const odeWorld *w, int frame) { return -0.6 - 0.6 * cos(6 * w->h * frame); }

typedef struct drivenInto {
  odeWorld w;
  dBodyID ball, piston;
  double fastest; /* m/s, the ball */
  int clamps;
  bool pauses; /* as a game does that steps by 0 s then */
} drivenInto;

static void pistonBegin(drivenInto *s, bool quick) {
  *s = (drivenInto){.fastest = 0};
  odeWorld_Make(&s->w, true, quick, 0);
  dGeomSetPosition(dCreateBox(s->w.space, 0.1, 2, 2), 0, 0, 0);
  s->ball = odeWorld_Body(&s->w, dCreateSphere(s->w.space, 0.1), 1, -0.3, 0.01, 0.02);
  s->piston = odeWorld_Body(&s->w, dCreateBox(s->w.space, 0.02, 1, 1), 1, pistonAt(&s->w, 0), 0, 0);
  dBodySetKinematic(s->piston);
}

/* A piston goes to and fro by a timeline: each frame set to its place with the velocity that leads to the next one, or
 * set there alone and told to sweep. A ball lies in its way, before a wall. What it cannot push stops it; the timeline
 * goes on, past the ball and back. */
static void drivePiston(drivenInto *s, int frames, bool sweeps) {
  for (int frame = 0; frame < frames; ++frame) {
    const double from = pistonAt(&s->w, frame), to = pistonAt(&s->w, frame + 1);
    const double speed = sweeps ? 0 : (to - from) / s->w.h;
    dBodySetPosition(s->piston, sweeps ? to : from, 0, 0);
    dBodySetLinearVel(s->piston, speed, 0, 0);
    if (s->pauses) assert_int_equal(dBrinkWorldStep(s->w.brink, 0, NULL, NULL, NULL), 0);
    assert_int_equal(odeWorld_Step(&s->w), 1);
    s->clamps += odeWorld_Info(&s->w).clamps;
    s->fastest = fmax(s->fastest, dCalcVectorLength3(dBodyGetLinearVel(s->ball)));
    const double piston = dBodyGetPosition(s->piston)[0], ball = dBodyGetPosition(s->ball)[0];
    if (!(piston < ball) || !(ball < -0.05)) fail_msg("frame %d: piston at %g, ball at %g", frame, piston, ball);
    assert_true(dBodyGetLinearVel(s->piston)[0] == speed); /* the program's own */
  }
}

CASE(a_kinematic_body_that_was_stopped_and_is_set_by_pose_passes_nothing) {
  for (int run = 0; run < 8; ++run) {
    drivenInto s;
    pistonBegin(&s, run & 1);
    s.pauses = run & 4;
    assert_int_equal(dBrinkSetSweep(s.w.brink, dBodyGetFirstGeom(s.piston), run / 2 & 1), 1);
    drivePiston(&s, 70, run / 2 & 1);
    const double late = fabs(dBodyGetPosition(s.piston)[0] - pistonAt(&s.w, 70));
    print_message("run %d: %d clamps, ball at most %g m/s, piston %g m late at last\n", run, s.clamps, s.fastest, late);
    assert_true(s.clamps > 0 && late < 1e-9 && s.fastest < 8);
    odeWorld_End(&s.w);
  }
}

/* A paddle that is set from x = -1 to 1 sweeps though it slept, or was dynamic for a step since it was told to. */
CASE(a_kinematic_body_that_sweeps_does_so_whatever_it_was_meanwhile) {
  for (int run = 0; run < 4; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run & 1, 0);
    dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0.01, 0.02);
    dBodyID paddle = odeWorld_Body(&w, dCreateBox(w.space, 0.02, 1, 1), 1, -1, 0, 0);
    dBodySetKinematic(paddle);
    assert_int_equal(dBrinkSetSweep(w.brink, dBodyGetFirstGeom(paddle), 1), 1);
    if (run / 2)
      dBodySetDynamic(paddle);
    else
      dBodyDisable(paddle);
    assert_int_equal(odeWorld_Step(&w), 1);
    dBodySetKinematic(paddle);
    assert_int_equal(odeWorld_Step(&w), 1);
    dBodySetPosition(paddle, 1, 0, 0);
    assert_int_equal(odeWorld_Step(&w), 1);
    const double at = dBodyGetPosition(paddle)[0], met = dBodyGetPosition(ball)[0];
    if (!(at < met)) fail_msg("run %d: paddle at %g, ball at %g", run, at, met);
    odeWorld_End(&w);
  }
}

/* A body that sweeps ends, and another one is made at its address: it does not come from where that one stood. */
CASE(a_body_that_is_made_where_one_swept_stays_where_it_is) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 2, 0, 0);
  int same = 0;
  for (int run = 0; run < 16; ++run) {
    dBodyID old = odeWorld_Body(&w, dCreateBox(w.space, 0.1, 1, 1), 1, 0, 0, 0);
    dBodySetKinematic(old);
    assert_int_equal(dBrinkSetSweep(w.brink, dBodyGetFirstGeom(old), 1), 1);
    assert_int_equal(odeWorld_Step(&w), 1);
    dGeomDestroy(dBodyGetFirstGeom(old));
    dBodyDestroy(old);
    if (run & 1) (void)dBrinkSetSensor(w.brink, dBodyGetFirstGeom(ball), 0); /* a call that looks who is there */
    dBodyID made = odeWorld_Body(&w, dCreateBox(w.space, 0.1, 1, 1), 1, 5, 0, 0);
    dBodySetKinematic(made);
    same += made == old;
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(dBodyGetPosition(made)[0] == 5 && dBodyGetPosition(ball)[0] == 2);
    dGeomDestroy(dBodyGetFirstGeom(made));
    dBodyDestroy(made);
  }
#ifndef __SANITIZE_ADDRESS__ /* which keeps back what it got */
  assert_true(same > 0);
#else
  (void)same;
#endif
  odeWorld_End(&w);
}

/* To where its timeline has not led it. */
CASE(a_kinematic_body_that_was_stopped_and_is_put_elsewhere_jumps) {
  for (int quick = 0; quick < 2; ++quick) {
    drivenInto s;
    pistonBegin(&s, quick);
    drivePiston(&s, 23, false);
    assert_true(s.clamps > 0 && dBodyGetPosition(s.piston)[0] < pistonAt(&s.w, 23) - 0.01);
    const double start = pistonAt(&s.w, 0), speed = -1;
    dBodySetPosition(s.piston, start, 0, 0);
    dBodySetLinearVel(s.piston, speed, 0, 0);
    assert_int_equal(odeWorld_Step(&s.w), 1);
    assert_true(dBodyGetPosition(s.piston)[0] == start + s.w.h * speed);
    odeWorld_End(&s.w);
  }
}

CASE(forces_act_over_the_whole_step) {
  odeWorld w;
  odeWorld_MakeElastic(&w, false);
  dBodyID bullet = shoot(&w, 300, -2.3, 0, 0);
  dBodyAddForce(bullet, 0, 0, 6); /* 0.01 kg: 600 m/s2, 10 m/s after 1/60 s */
  odeWorld_Step(&w);
  assert_int_equal(odeWorld_Info(&w).solves, 2);
  assert_true(fabs(dBodyGetLinearVel(bullet)[2] - 10) < 1e-6);
  odeWorld_Step(&w);
  assert_true(fabs(dBodyGetLinearVel(bullet)[2] - 10) < 1e-6);
  odeWorld_End(&w);
}

/* A box slides along x; a bullet without friction strikes it from the side, and the rest of the step is solved again.
 * Its friction along x is still that of one step. */
CASE(friction_acts_once_in_a_step_that_is_solved_again) {
  for (int quick = 0; quick < 2; ++quick) {
    double slowed[2];
    for (int shot = 0; shot < 2; ++shot) {
      odeWorld w;
      odeWorld_Make(&w, true, quick, -9.81);
      w.mu = 0.3;
      dCreatePlane(w.space, 0, 0, 1, 0);
      dBodyID box = odeWorld_Body(&w, dCreateBox(w.space, 1, 1, 0.5), 10, 0, 0, 0.249);
      dBodySetLinearVel(box, 3, 0, 0);
      for (int frame = 0; frame < 3; ++frame) {
        assert_int_equal(odeWorld_Step(&w), 1);
      }
      if (shot) {
        const dReal *p = dBodyGetPosition(box);
        dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.02), 0.001, p[0], p[1] - 2, p[2]);
        dBodySetLinearVel(bullet, dBodyGetLinearVel(box)[0], 300, 0); /* at rest beside it along x */
        dBodySetGravityMode(bullet, 0);
      }
      double before = dBodyGetLinearVel(box)[0];
      assert_int_equal(odeWorld_Step(&w), 1);
      assert_int_equal(odeWorld_Info(&w).solves, 1 + shot);
      slowed[shot] = before - dBodyGetLinearVel(box)[0];
      odeWorld_End(&w);
    }
    assert_true(slowed[0] > 0.9 * 0.3 * 9.81 / 60);
    if (fabs(slowed[1] / slowed[0] - 1) > 0.01) {
      fail_msg("quick %d: slowed by %g m/s, when struck from the side by %g m/s", quick, slowed[0], slowed[1]);
    }
  }
}

/* ODE's collider of a capsule and a box gives one point, so a capsule that falls nearly flat turns about it until its
 * other end is in. Held there alone it would turn back, and so on until it is clamped. */
CASE(a_limb_that_falls_flat_is_held_at_both_ends) {
  int most = 0;
  for (int run = 0; run < 40; ++run) {
    odeWorld w;
    uint64_t seed = 100 + (uint64_t)run;
    odeWorld_Make(&w, true, run & 1, 0);
    dGeomSetPosition(dCreateBox(w.space, 4, 4, 0.02), 0, 0, -0.01);
    dBodyID limb = odeWorld_Body(&w, dCreateCapsule(w.space, 0.05, 0.5), 1, 0, 0, odeUniform(&seed, 1, 2));
    dMass mass;
    dMassSetCapsuleTotal(&mass, 1, 3, 0.05, 0.5);
    dBodySetMass(limb, &mass);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 0, 1, 0, 1.5707963 + odeUniform(&seed, -0.02, 0.02));
    dBodySetRotation(limb, turn);
    dBodySetLinearVel(limb, 0, 0, -100);
    double first = odeWorld_Energy(&w, limb), lost = 0;
    for (int frame = 0; frame < 10; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      lost += odeWorld_Info(&w).lostTime;
      most = odeWorld_Info(&w).solves > most ? odeWorld_Info(&w).solves : most;
      assert_true(dBodyGetPosition(limb)[2] > 0 && odeWorld_Energy(&w, limb) <= first);
    }
    if (lost > 2e-5) { /* an impact in the last thousandth of a step */
      fail_msg("run %d: %g s lost", run, lost);
    }
    odeWorld_End(&w);
  }
  assert_true(most <= 6);
  print_message("flat limb: at most %d solves in a step\n", most);
}

int main(void) { return cases_Run(startOde, endOde); }
