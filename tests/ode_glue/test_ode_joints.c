/* SPDX-License-Identifier: BSD-3-Clause */
/* What else can a world hold? Every type of joint as a link of a chain that flies at a wall, kinematic, disabled and
 * sleeping bodies, ODE's rotation modes, plane2d, rays, threads, several worlds at once. Units: SI. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_start.h"
#include "ode_joints.h"
#include "ode_world.h"

/* ---- joints */

/* How many bodies end behind the wall? */
static int flyAtWall(int which, bool withBrink, bool quick, double speed, double *jointError, int *extra) {
  odeWorld w;
  odeWorld_Make(&w, true, quick, 0);
  dRandSetSeed(1);
  dGeomSetPosition(dCreateBox(w.space, 0.005, 10, 10), 0, 0, 0);
  dBodyID bars[2];
  for (int i = 0; i < 2; ++i) {
    bars[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.1, 0.3, 0.1), 1, -1.2, 0.2 - 0.4 * i, 0);
    dMass mass;
    dMassSetBoxTotal(&mass, 1, 0.1, 0.3, 0.1);
    dBodySetMass(bars[i], &mass);
    dBodySetLinearVel(bars[i], speed, 0, 0);
  }
  odeJoin(w.world, which, bars[0], bars[1]);
  dBodySetAngularVel(bars[0], 0, 0, 2);
  if (!withBrink) {
    dBrinkSetEnabled(w.brink, 0);
  }
  *jointError = 0;
  *extra = 0;
  int through = 0;
  for (int frame = 0; frame < 40; ++frame) {
    if (!odeWorld_Step(&w)) {
      fail_msg("%s: %s", odeJoints[which].name, dBrinkGetError(w.brink));
    }
    if (withBrink) {
      *jointError = fmax(*jointError, odeWorld_Info(&w).worstJointError);
      *extra += odeWorld_Info(&w).solves - 1;
    }
    through = 0;
    for (int i = 0; i < 2; ++i) {
      through += dBodyGetPosition(bars[i])[0] > 0;
    }
  }
  odeWorld_End(&w);
  return through;
}

CASE(every_type_of_joint_holds_at_the_wall) {
  int passes = 0;
  for (int which = 0; which < odeJointCount; ++which) {
    for (int quick = 0; quick < 2; ++quick) {
      for (int k = 0; k < 3; ++k) {
        static const double speeds[3] = {5, 40, 150};
        double error, unused;
        int extra, none;
        int plain = flyAtWall(which, false, quick, speeds[k], &unused, &none);
        int through = flyAtWall(which, true, quick, speeds[k], &error, &extra);
        passes += plain > 0;
        if (through > 0 ||
            error > (k < 2 ? 0.05 : 0.3)) { /* links that spin by radians a step leave joints in any solve */
          fail_msg("%s, %s, %g m/s: %d through, joint error %g m", odeJoints[which].name,
                   quick ? "QuickStep" : "WorldStep", speeds[k], through, error);
        }
        if (k == 2) {
          print_message(
              "%-12s %s at 150 m/s: plain ODE %d of 2 through; Brink 0, joint error %.4f m, %d extra solves\n",
              odeJoints[which].name, quick ? "QuickStep" : "WorldStep", plain, error, extra);
        }
      }
    }
  }
  assert_true(passes > odeJointCount);
}

/* Two balls that overlap: a joint without a place holds nothing, and has no record. */
CASE(what_any_joint_connects_is_left_out_of_the_question) {
  dJointID (*const makes[])(dWorldID, dJointGroupID) = {dJointCreateAMotor, dJointCreateLMotor, dJointCreateBall};
  for (size_t i = 0; i < sizeof makes / sizeof *makes; ++i) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dBodyID a = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 0);
    dBodyID b = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0.15, 0, 0);
    dBodySetLinearVel(a, 5, 0, 0);
    dBodySetLinearVel(b, 5, 0, 0);
    dJointID joint = makes[i](w.world, NULL);
    dJointAttach(joint, a, b);
    for (int frame = 0; frame < 3; ++frame) {
      assert_true(odeWorld_Step(&w));
      assert_int_equal(odeWorld_Info(&w).pairsSpatial, 0);
    }
    dJointDestroy(joint);
    assert_true(odeWorld_Step(&w));
    assert_true(odeWorld_Info(&w).pairsSpatial > 0);
    odeWorld_End(&w);
  }
}

static double rodOf(dJointID joint) {
  const bool hinged = dJointGetType(joint) == dJointTypeDHinge;
  dVector3 a, b;
  (hinged ? dJointGetDHingeAnchor1 : dJointGetDBallAnchor1)(joint, a);
  (hinged ? dJointGetDHingeAnchor2 : dJointGetDBallAnchor2)(joint, b);
  return fabs(dCalcPointsDistance3(a, b) - (hinged ? dJointGetDHingeDistance : dJointGetDBallDistance)(joint));
}

/* Two boxes on a rod of 20 cm, turning, fly at a wall: the rod's length is kept as a point is that bodies share, and
 * the figure tells it. Held by the world as well, also as first body. A rod that is set longer is a new one. */
/* m/s; *impulse: N s, that the hinge takes. */
static double meetPlate(bool withBrink, bool quick, double h, double *impulse) {
  odeWorld w;
  dJointFeedback felt;
  odeWorld_Make(&w, withBrink, quick, 0);
  w.h = h;
  dBodyID plate = odeWorld_Body(&w, dCreateBox(w.space, 0.5, 0.5, 0.5), 3, 0, 0, 0);
  dJointID hinge = dJointCreateHinge(w.world, NULL);
  dJointAttach(hinge, plate, NULL);
  dJointSetHingeAnchor(hinge, 0, 0, 0);
  dJointSetHingeAxis(hinge, 0, 0, 1);
  dJointSetFeedback(hinge, &felt);
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 0.5, -2, 0, 0);
  dBodySetLinearVel(ball, 90, 0, 0);
  *impulse = 0;
  for (double time = 0; time < 0.1; time += h) {
    assert_int_equal(odeWorld_Step(&w), 1);
    *impulse -= h * felt.f1[0];
  }
  const double speed = dBodyGetLinearVel(ball)[0];
  odeWorld_End(&w);
  return speed;
}

/* Plain ODE passes it in steps of 1/60 s, and sends the ball back at 18 m/s in steps of 1/1200 s: it pushes out the
 * depth that a step leads to. With Brink it is as in the finest steps. */
CASE(a_ball_without_bounce_stops_dead_at_a_hinged_plate) {
  for (int quick = 0; quick < 2; ++quick) {
    double finest, impulse;
    assert_true(fabs(meetPlate(false, quick, 1.0 / 60000, &finest)) < 1e-3);
    const double speed = meetPlate(true, quick, 1.0 / 60, &impulse);
    if (!(fabs(speed) < 1e-3 && fabs(impulse - finest) < 1e-2 && fabs(impulse - 45) < 1e-2)) {
      fail_msg("quick %d: leaves at %g m/s, the hinge takes %g N s instead of %g", quick, speed, impulse, finest);
    }
  }
}

CASE(rods_between_bodies_are_kept_and_measured) {
  for (int code = 0; code < 2 * 2 * 2 * 3; ++code) {
    const bool hinged = code % 2, quick = code / 2 % 2, withBrink = code / 4 % 2;
    const int held = code / 8; /* 1, 2: by the world, as second or as first body */
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    assert_int_equal(dBrinkSetEnabled(w.brink, withBrink), 1);
    dGeomSetPosition(dCreateBox(w.space, withBrink ? 0.02 : 4, 8, 8), withBrink ? 2.01 : 4, 0, 0);
    dBodyID boxes[2];
    for (int i = 0; i < 2; ++i) {
      boxes[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.2, 0.2), 1, i == 0 ? -0.25 : 0.25, 0, 0);
      dBodySetLinearVel(boxes[i], held ? 0 : 60, i == 0 ? 3 : -3, 0);
    }
    dJointID rod = hinged ? dJointCreateDHinge(w.world, NULL) : dJointCreateDBall(w.world, NULL);
    dJointAttach(rod, held == 2 ? NULL : boxes[0], held == 1 ? NULL : boxes[1]);
    (hinged ? dJointSetDHingeAnchor1 : dJointSetDBallAnchor1)(rod, -0.1, 0, 0);
    (hinged ? dJointSetDHingeAnchor2 : dJointSetDBallAnchor2)(rod, 0.1, 0, 0);
    if (hinged) {
      dJointSetDHingeAxis(rod, 0, 0, 1);
    } else {
      dJointSetDBallDistance(rod, 0.2);
    }
    double worst = 0;
    for (int frame = 0; frame < 60; ++frame) {
      if (held && frame == 30 && !hinged) {
        dJointSetDBallDistance(rod, 0.3);
      }
      assert_int_equal(odeWorld_Step(&w), 1);
      worst = fmax(worst, rodOf(rod));
      const double told = odeWorld_Info(&w).worstJointError;
      if (withBrink && !(fabs(told - rodOf(rod)) < 1e-9)) {
        fail_msg("%s, held %d, frame %d: told %g, is %g", hinged ? "DHinge" : "DBall", held, frame, told, rodOf(rod));
      }
    }
    if (!held && (withBrink ? worst > 0.12 : worst < 0.4)) {
      fail_msg("%s, quick %d, Brink %d: off by %g", hinged ? "DHinge" : "DBall", quick, withBrink, worst);
    }
    odeWorld_End(&w);
  }
}

/* ---- bodies */

/* Of a fixed joint: it is made so from the start, set anew where its body was put, or another one of the same bodies.
 */
enum { madeSo, setAnew, madeAnew, waysToFix };

static void fix(dJointID joint, dBodyID a, dBodyID b) {
  dJointAttach(joint, a, b);
  dJointSetFixed(joint);
}

/* Two boxes a metre apart, or one and the world, that a third one hits. Where do they end? */
static void hitWhatIsFixed(int way, bool toWorld, double end[6]) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dBodyID boxes[3];
  for (int i = 0; i < 3; ++i) {
    const double x = i != 1 ? 0 : way == madeSo ? 1 : 0.3;
    boxes[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.2, 0.2), 1, x, i == 2 ? -1 : 0, 0);
  }
  dBodyID other = toWorld ? NULL : boxes[0];
  dJointID joint = dJointCreateFixed(w.world, NULL);
  fix(joint, boxes[1], other);
  assert_int_equal(odeWorld_Step(&w), 1);
  dBodySetPosition(boxes[1], 1, 0, 0);
  if (way == madeAnew) {
    dJointDestroy(joint);
    joint = dJointCreateFixed(w.world, NULL);
  }
  fix(joint, boxes[1], other);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_true(odeWorld_Info(&w).worstJointError < 1e-12);
  dBodySetPosition(boxes[2], toWorld ? 1 : 0, -1, 0.05);
  dBodySetLinearVel(boxes[2], 0, 40, 0);
  int solves = 0;
  for (int frame = 0; frame < 20; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    solves += odeWorld_Info(&w).solves - 1;
  }
  assert_true(solves > 0);
  for (int i = 0; i < 2; ++i) {
    memcpy(end + 3 * i, dBodyGetPosition(boxes[i]), 3 * sizeof(*end));
  }
  odeWorld_End(&w);
}

CASE(a_fixed_joint_that_is_set_anew_is_not_torn) {
  for (int toWorld = 0; toWorld < 2; ++toWorld) {
    double wanted[6], end[6];
    hitWhatIsFixed(madeSo, toWorld, wanted);
    for (int way = setAnew; way < waysToFix; ++way) {
      hitWhatIsFixed(way, toWorld, end);
      for (int i = 0; i < 6; ++i) {
        assert_true(fabs(end[i] - wanted[i]) < 1e-9);
      }
    }
  }
}

CASE(a_kinematic_paddle_takes_along_what_it_meets) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    dBodyID paddle = odeWorld_Body(&w, dCreateBox(w.space, 0.02, 2, 2), 1, -1, 0, 0);
    dBodySetKinematic(paddle);
    dBodySetLinearVel(paddle, 90, 0, 0);
    dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, 0, 0, 0);
    for (int frame = 0; frame < 5; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      if (dBodyGetPosition(ball)[0] < dBodyGetPosition(paddle)[0]) {
        fail_msg("frame %d: the ball is at %g, the paddle at %g", frame, dBodyGetPosition(ball)[0],
                 dBodyGetPosition(paddle)[0]);
      }
    }
    assert_true(fabs(dBodyGetLinearVel(paddle)[0] - 90) < 1e-12);
    assert_true(fabs(dBodyGetLinearVel(ball)[0] - 90) < 1);
    odeWorld_End(&w);
  }
}

CASE(a_disabled_body_is_struck_and_wakes) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    dBodyID plate = odeWorld_Body(&w, dCreateBox(w.space, 0.01, 1, 1), 1, 0, 0, 0);
    dBodyID away = odeWorld_Body(&w, dCreateBox(w.space, 0.01, 1, 1), 1, 50, 0, 0);
    dBodyDisable(plate);
    dBodyDisable(away);
    dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 0.1, -2.3, 0, 0);
    dBodySetLinearVel(bullet, 300, 0, 0);
    for (int frame = 0; frame < 3; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    assert_true(dBodyIsEnabled(plate) && !dBodyIsEnabled(away));
    assert_true(dBodyGetLinearVel(plate)[0] > 20);
    assert_true(dBodyGetPosition(bullet)[0] < dBodyGetPosition(plate)[0]);
    odeWorld_End(&w);
  }
}

CASE(sleeping_bodies_sleep_on_while_others_collide) {
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dWorldSetAutoDisableFlag(w.world, 1);
  dCreatePlane(w.space, 0, 0, 1, 0);
  dGeomSetPosition(dCreateBox(w.space, 0.01, 10, 10), 0, 30, 0);
  dBodyID boxes[5];
  for (int i = 0; i < 5; ++i) {
    boxes[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.5, 0.5, 0.5), 1, 3 * i, 0, 0.25);
  }
  for (int frame = 0; frame < 120; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
  }
  for (int i = 0; i < 5; ++i) {
    assert_false(dBodyIsEnabled(boxes[i]));
  }
  for (int shot = 0; shot < 10; ++shot) {
    dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 0.1, -2.3, 29 + 0.2 * shot, 2);
    dBodySetAutoDisableFlag(bullet, 0);
    dBodySetLinearVel(bullet, 300, 0, 0);
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(odeWorld_Info(&w).solves > 1);
  }
  for (int i = 0; i < 5; ++i) {
    assert_false(dBodyIsEnabled(boxes[i]));
  }
  odeWorld_End(&w);
}

/* A rod that turns 1.7 rad per step about its middle, hinged; a thin peg in its way. */
CASE(a_turning_rod_stops_at_the_peg_in_every_rotation_mode) {
  for (int mode = 0; mode < 4; ++mode) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dBodyID rod = odeWorld_Body(&w, dCreateBox(w.space, 2, 0.02, 0.02), 1, 0, 0, 0);
    dJointID hinge = dJointCreateHinge(w.world, NULL);
    dJointAttach(hinge, rod, NULL);
    dJointSetHingeAnchor(hinge, 0, 0, 0);
    dJointSetHingeAxis(hinge, 0, 0, 1);
    dBodySetFiniteRotationMode(rod, mode > 0);
    if (mode == 2) {
      dBodySetFiniteRotationAxis(rod, 0, 0, 1);
    } else if (mode == 3) {
      dBodySetFiniteRotationAxis(rod, 1, 0, 0);
    }
    dBodySetAngularVel(rod, 0, 0, 100);
    double at = 2; /* rad */
    dGeomSetPosition(dCreateCylinder(w.space, 0.01, 1), 0.8 * cos(at), 0.8 * sin(at), 0);
    for (int frame = 0; frame < 20; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    const dReal *R = dBodyGetRotation(rod);
    double angle = atan2(R[4], R[0]);
    if (!(angle > -1.2 && angle < 2)) {
      fail_msg("mode %d: the rod is at %g rad, the peg at %g", mode, angle, at);
    }
    assert_int_equal(dBodyGetFiniteRotationMode(rod), mode > 0);
    odeWorld_End(&w);
  }
}

/* A second in front of a wall at x = 0 that neither of the two passes, the first one pushed along x. Returns the time
 * lost, s. */
static double lostAtWall(odeWorld *w, dBodyID pushed, dBodyID other, double force) {
  double lost = 0;
  int impacts = 0;
  for (int i = 0; i < 60; ++i) {
    dBodyAddForce(pushed, force, 0, 0);
    assert_int_equal(odeWorld_Step(w), 1);
    assert_true(dBodyGetPosition(pushed)[0] < 0 && dBodyGetPosition(other)[0] < 0);
    lost += odeWorld_Info(w).lostTime;
    impacts += odeWorld_Info(w).eventCount;
  }
  assert_true(impacts > 0);
  return lost;
}

/* ODE turns a body whose finite rotation has an axis half as fast as it spins across that axis. So the point of it that
 * contacts have stopped would go on into the wall. Rods that turn across their axis fly at a sheet, and are pressed. */
CASE(what_turns_across_the_axis_of_its_finite_rotation_does_not_hang_at_a_wall) {
  uint64_t random = 5;
  for (int run = 0; run < 10; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run % 2 != 0, 0);
    w.mu = 0;
    dCreateBox(w.space, 0.02, 10, 10);
    dBodyID rod = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.1, 0.1), 5, -0.8, 0, 0);
    dBodySetFiniteRotationMode(rod, 1);
    dBodySetFiniteRotationAxis(rod, 0, 1, 0);
    dBodySetLinearVel(rod, odeUniform(&random, 5, 20), 0, 0);
    dBodySetAngularVel(rod, 0, 0, odeUniform(&random, 10, 40));
    const double lost = lostAtWall(&w, rod, rod, 200);
    if (lost > 0.01) {
      fail_msg("run %d: the rod hung at the wall for %g s of %g", run, lost, 60 * w.h);
    }
    dVector3 axis;
    dBodyGetFiniteRotationAxis(rod, axis);
    assert_true(axis[0] == 0 && axis[1] == 1 && axis[2] == 0 && dBodyGetFiniteRotationMode(rod));
    odeWorld_End(&w);
  }
}

/* ODE cuts an angular speed down to its limit after the solve, before the body moves: what contacts and joints have
 * solved is not what it carries out. An arm on a heavy cart swings aside at a sheet. */
CASE(what_may_not_spin_fast_does_not_hang_at_a_wall) {
  uint64_t random = 3;
  for (int run = 0; run < 20; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run % 2 != 0, 0);
    w.mu = 0;
    dCreateBox(w.space, 0.02, 10, 10);
    const double angle = odeUniform(&random, 0.1, 0.6), limit = odeUniform(&random, 3, 10);
    dBodyID cart = odeWorld_Body(&w, dCreateBox(w.space, 0.3, 0.3, 0.3), 50, -2, 0, 0);
    dBodyID arm = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.1, 0.1), 2, -2 + 0.5 * cos(angle), 0.5 * sin(angle), 0);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 0, 0, 1, angle);
    dBodySetRotation(arm, turn);
    dJointID hinge = dJointCreateHinge(w.world, NULL);
    dJointAttach(hinge, cart, arm);
    dJointSetHingeAnchor(hinge, -2, 0, 0);
    dJointSetHingeAxis(hinge, 0, 0, 1);
    dBodySetLinearVel(cart, odeUniform(&random, 5, 20), 0, 0);
    dBodySetLinearVel(arm, dBodyGetLinearVel(cart)[0], 0, 0);
    dBodySetMaxAngularSpeed(cart, limit);
    dBodySetMaxAngularSpeed(arm, limit);
    const double lost = lostAtWall(&w, arm, cart, 0);
    if (lost > 0.01) {
      fail_msg("run %d: the arm hung at the wall for %g s of %g", run, lost, 60 * w.h);
    }
    assert_true(dBodyGetMaxAngularSpeed(arm) == limit);
    odeWorld_End(&w);
  }
}

/* A door of 2 cm that the program moves by hand, half a metre or 0.15 rad a step, then leaves where it is. */
CASE(a_geom_moved_by_hand_sweeps_when_asked_to) {
  for (int code = 0; code < 8; ++code) {
    bool turns = code & 1, sweeps = code & 2, quick = code & 4;
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    dGeomID door = dCreateBox(w.space, 0.02, 4, 2);
    dGeomSetPosition(door, turns ? 0 : -1, 0, 0);
    dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, turns ? 0.2 : 0, turns ? 1 : 0, 0);
    dBodyID rests = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, 0, 1.5, 50);
    if (sweeps) {
      assert_int_equal(dBrinkSetSweep(w.brink, door, 1), 1);
    }
    int ahead = 0;
    for (int frame = 1; frame <= 10; ++frame) {
      dMatrix3 R;
      if (frame <= 3 && turns) {
        dRFromAxisAndAngle(R, 0, 0, 1, -0.15 * frame);
        dGeomSetRotation(door, R);
      } else if (frame <= 3) {
        dGeomSetPosition(door, -1 + 0.5 * frame + 0.2, 0, 0);
      }
      dReal p[3], kept[12];
      memcpy(p, dGeomGetPosition(door), sizeof(p));
      memcpy(kept, dGeomGetRotation(door), sizeof(kept));
      assert_int_equal(odeWorld_Step(&w), 1);
      assert_memory_equal(p, dGeomGetPosition(door), sizeof(p));
      assert_memory_equal(kept, dGeomGetRotation(door), sizeof(kept));
      assert_null(dGeomGetBody(door));
      const dReal *b = dBodyGetPosition(ball);
      ahead += (b[0] - p[0]) * kept[0] + (b[1] - p[1]) * kept[4] > 0; /* before the door's face */
    }
    if (sweeps ? ahead != 10 : ahead == 10) {
      fail_msg("turns %d sweeps %d quick %d: ahead in %d of 10 frames", turns, sweeps, quick, ahead);
    }
    assert_true(!sweeps || dBodyGetLinearVel(ball)[0] > 5);
    assert_true(dBodyGetPosition(rests)[2] == 50);
    if (code == 2) {
      dGeomDestroy(door); /* while it sweeps */
      assert_int_equal(odeWorld_Step(&w), 1);
    } else if (code == 6) {
      assert_int_equal(dBrinkSetSweep(w.brink, door, 0), 1);
      dGeomSetPosition(door, -20, 0, 0);
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    if (code == 3) { /* the world first */
      dWorldDestroy(w.world);
      dBrinkDestroy(w.brink);
      dJointGroupDestroy(w.contacts);
      dSpaceDestroy(w.space);
    } else {
      odeWorld_End(&w);
    }
  }
}

/* ---- rays */

CASE(rays_report_what_crosses_them_and_stop_nothing) {
  for (int carried = 0; carried < 2; ++carried) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dGeomID ray = dCreateRay(w.space, 2);
    dGeomID ball = dCreateSphere(w.space, 0.05);
    dBodyID body = odeWorld_Body(&w, ball, 1, -1, 0, 0);
    if (carried) { /* a ray that turns past a ball that stands still */
      dBodyID turner = odeWorld_Body(&w, NULL, 1, 0, 0, 1);
      dGeomSetBody(ray, turner);
      dMatrix3 R;
      dRFromAxisAndAngle(R, 1, 0, 0, 0.5); /* points to +z and -y; turned about x */
      dBodySetRotation(turner, R);
      dBodySetAngularVel(turner, 100, 0, 0);
      dBodySetPosition(body, 0, 0.8 * sin(-2), 1 + 0.8 * cos(-2));
      dBodySetFiniteRotationMode(turner, 1);
      dBodySetAngularVel(turner, 150, 0, 0);
    } else {
      dGeomRaySet(ray, 0, 0, -1, 0, 0, 1);
      dBodySetLinearVel(body, 300, 0, 0);
    }
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_int_equal(odeWorld_Info(&w).eventCount, 0); /* not watched */
    if (!carried) {
      dBodySetPosition(body, -1, 0, 0);
    }
    assert_int_equal(dBrinkSetRays(w.brink, 1), 1);
    long calls = w.nearCalls;
    int events = 0;
    for (int frame = 0; frame < (carried ? 4 : 1); ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      dBrinkStepInfo info = odeWorld_Info(&w);
      events += info.eventCount;
      for (int i = 0; i < info.eventCount; ++i) {
        assert_int_equal(info.events[i].response, dBrinkResponseReported);
        assert_true(info.events[i].g1 == ray || info.events[i].g2 == ray);
      }
      assert_int_equal(info.solves, 1);
      if (!carried) {
        assert_true(fabs(info.firstToi - 0.95 / 5) < 1e-4);
      }
    }
    assert_true(events >= 1);
    if (!carried) {
      assert_true(fabs(dBodyGetPosition(body)[0] - 4) < 1e-9);
      assert_int_equal(w.nearCalls, calls);
    }
    assert_int_equal(dBrinkSetRays(w.brink, 0), 1);
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_int_equal(odeWorld_Info(&w).eventCount, 0);
    odeWorld_End(&w);
  }
}

/* A unit vector of 26, and one at right angles to it; false: none of that number. */
static bool directionOf(int code, double d[3], double across[3]) {
  const double given[3] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
  const double crossed[3] = {given[1] - given[2], given[2] - given[0], given[0] - given[1]}; /* d x (1,1,1) */
  const double length = sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2]);
  const double size = sqrt(crossed[0] * crossed[0] + crossed[1] * crossed[1] + crossed[2] * crossed[2]);
  for (int i = 0; i < 3; ++i) {
    d[i] = given[i] / length;
    across[i] = size > 0 ? crossed[i] / size : (double[]){M_SQRT1_2, -M_SQRT1_2, 0}[i];
  }
  return code != 13;
}

/* A ball flies through the middle of a ray at 300 m/s, at right angles to it, whatever the ray's direction. */
CASE(rays_are_met_in_every_direction) {
  for (int code = 0; code < 27; ++code) {
    double d[3], across[3];
    if (!directionOf(code, d, across)) {
      continue;
    }
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dGeomID ray = dCreateRay(w.space, 2);
    dGeomRaySet(ray, -d[0], -d[1], -d[2], d[0], d[1], d[2]);
    dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, -across[0], -across[1], -across[2]);
    dBodySetLinearVel(body, 300 * across[0], 300 * across[1], 300 * across[2]);
    assert_int_equal(dBrinkSetRays(w.brink, 1), 1);
    assert_int_equal(odeWorld_Step(&w), 1);
    if (odeWorld_Info(&w).eventCount != 1) {
      fail_msg("a ray along %g %g %g is not met", d[0], d[1], d[2]);
    }
    assert_true(fabs(odeWorld_Info(&w).firstToi - 0.95 / 5) < 1e-4);
    odeWorld_End(&w);
  }
}

/* Aimed anew by dGeomRaySet, which leaves two columns of the rotation as they were: moved aside past a ball, or turned
 * by a right angle, the shorter way round, over one halfway. A second ball lies where the longer way would meet it. */
CASE(a_ray_that_is_aimed_by_hand_sweeps_from_aim_to_aim) {
  for (int code = 0; code < 4 * 27; ++code) {
    const bool turns = code / 27 % 2, senses = code / 54;
    double d[3], across[3], to[3], kept[12];
    if (!directionOf(code % 27, d, across)) {
      continue;
    }
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dGeomID ray = w.sensor = dCreateRay(w.space, 2);
    dGeomRaySet(ray, 0, 0, 0, d[0], d[1], d[2]);
    assert_true(dBrinkSetRays(w.brink, 1) && dBrinkSetSweep(w.brink, ray, 1) && dBrinkSetSensor(w.brink, ray, senses));
    for (int i = 0; i < 3; ++i) {
      to[i] = 0.8 * M_SQRT1_2 * (turns ? d[i] + across[i] : d[i] + 0.5 * across[i]);
    }
    dGeomID ball = dCreateSphere(w.space, 0.05);
    odeWorld_Body(&w, ball, 1, to[0], to[1], to[2]);
    odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, -to[0], -to[1], -to[2]);
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_int_equal(odeWorld_Info(&w).eventCount + odeWorld_Info(&w).sensorEventCount, 0);
    if (turns) {
      dGeomRaySet(ray, 0, 0, 0, across[0], across[1], across[2]);
    } else {
      dGeomRaySet(ray, across[0], across[1], across[2], d[0], d[1], d[2]);
    }
    memcpy(kept, dGeomGetRotation(ray), sizeof(kept));
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_memory_equal(kept, dGeomGetRotation(ray), sizeof(kept));
    const dBrinkStepInfo info = odeWorld_Info(&w);
    const double exact = turns ? 0.5 - asin(0.05 / 0.8) / M_PI_2 : 0.4 * M_SQRT1_2 - 0.05;
    if (info.eventCount != !senses || info.sensorEventCount != 2 * senses) {
      fail_msg("along %g %g %g, turns %d: %d events, %d of sensors", d[0], d[1], d[2], turns, info.eventCount,
               info.sensorEventCount);
    }
    assert_true(fabs((senses ? info.sensorEvents[0].toi : info.events[0].toi) - exact) < 1e-4);
    assert_ptr_equal(senses                     ? info.sensorEvents[0].other
                     : info.events[0].g1 == ray ? info.events[0].g2
                                                : info.events[0].g1,
                     ball);
    odeWorld_End(&w);
  }
}

/* A ball whose step ends a millimetre within a ray: solids may sink so far untold, a ray stops nothing and is met. */
CASE(a_ray_that_a_ball_has_just_entered_is_met) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomID ray = dCreateRay(w.space, 2);
  dGeomRaySet(ray, 0, 0, -1, 0, 0, 1);
  dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, -1, 0, 0);
  dBodySetLinearVel(body, 60 * 0.951, 0, 0); /* 1/60 s a step */
  assert_int_equal(dBrinkSetRays(w.brink, 1), 1);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_true(fabs(dBodyGetPosition(body)[0] + 0.049) < 1e-9);
  assert_int_equal(odeWorld_Info(&w).eventCount, 1);
  assert_true(fabs(odeWorld_Info(&w).firstToi - 0.95 / 0.951) < 1e-4);
  odeWorld_End(&w);
}

/* ---- worlds and threads */

static void shoot(odeWorld *w, dBodyID bullets[5], int which) {
  odeWorld_Make(w, true, which % 2, -9.81);
  dCreatePlane(w->space, 0, 0, 1, 0);
  dGeomSetPosition(dCreateBox(w->space, 0.01, 10, 10), 0, 0, 0);
  w->bounce = 0.3;
  for (int i = 0; i < 5; ++i) {
    bullets[i] = odeWorld_Body(w, dCreateBox(w->space, 0.05, 0.05, 0.05), 0.1, -3 - i, 0.2 * i + 0.1 * which, 1);
    dBodySetLinearVel(bullets[i], 100 + 50 * i, which, 0);
    dBodySetAngularVel(bullets[i], 3, 2, 1);
  }
}

CASE(worlds_side_by_side_compute_what_they_compute_alone) {
  enum { count = 3, frames = 20 };
  odeWorld w[count];
  dBodyID bullets[count][5];
  double alone[count][5][3];
  for (int k = 0; k < count; ++k) {
    shoot(&w[k], bullets[k], k);
    dRandSetSeed((unsigned long)k);
    for (int frame = 0; frame < frames; ++frame) {
      odeWorld_Step(&w[k]);
    }
    for (int i = 0; i < 5; ++i) {
      memcpy(alone[k][i], dBodyGetPosition(bullets[k][i]), sizeof(alone[k][i]));
      assert_true(alone[k][i][0] < 0);
    }
    odeWorld_End(&w[k]);
  }
  unsigned long seeds[count];
  for (int k = 0; k < count; ++k) {
    shoot(&w[k], bullets[k], k);
    seeds[k] = (unsigned long)k;
  }
  for (int frame = 0; frame < frames; ++frame) {
    for (int k = count - 1; k >= 0; --k) {
      dRandSetSeed(seeds[k]); /* ODE's one random seed belongs to the process */
      odeWorld_Step(&w[k]);
      seeds[k] = dRandGetSeed();
    }
  }
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < 5; ++i) {
      assert_memory_equal(alone[k][i], dBodyGetPosition(bullets[k][i]), sizeof(alone[k][i]));
    }
    odeWorld_End(&w[k]);
  }
}

/* A space may hold geoms of several worlds: each dBrink sees to its own. */
CASE(worlds_that_share_a_space_leave_each_other_alone) {
  odeWorld a, b;
  odeWorld_Make(&a, true, false, 0);
  odeWorld_Make(&b, true, false, 0);
  assert_int_equal(dBrinkAddSpace(b.brink, a.space), 1);
  dGeomSetPosition(dCreateBox(a.space, 0.01, 1, 1), 0, 0, 0);
  dBodyID mine = odeWorld_Body(&a, dCreateSphere(a.space, 0.02), 1, -2, 0, 0);
  dBodyID theirs = odeWorld_Body(&b, dCreateSphere(a.space, 0.02), 1, -2, 0.4, 0);
  dBodySetLinearVel(mine, 300, 0, 0);
  dBodySetLinearVel(theirs, 300, 0, 0);
  assert_int_equal(dBrinkWorldStep(a.brink, a.h, &a, odeWorld_Near, a.contacts), 1);
  assert_true(dBodyGetPosition(mine)[0] < 0 && dBodyGetPosition(theirs)[0] == -2);
  assert_int_equal(dBrinkWorldStep(b.brink, b.h, &b, odeWorld_Near, b.contacts), 1);
  assert_true(dBodyGetPosition(theirs)[0] < 0);
  assert_int_equal(odeWorld_Info(&b).eventCount, 1);
  odeWorld_End(&b);
  odeWorld_End(&a);
}

/* What a plate presses together by dWorldStep: contacts exclude each other, and extra solves by iterations are made,
 * which take numbers of dRand. */
static uint64_t press(int which) {
  odeWorld w;
  uint64_t random = 100 * (uint64_t)which + 1, hash = 0;
  odeWorld_Make(&w, true, false, -9.81);
  dThreadingImplementationID threading = dThreadingAllocateSelfThreadedImplementation();
  dWorldSetStepThreadingImplementation(w.world, dThreadingImplementationGetFunctions(threading), threading);
  dCreatePlane(w.space, 0, 0, 1, 0);
  dBodyID bodies[4], plate = odeWorld_Body(&w, dCreateBox(w.space, 2, 2, 0.2), 1, 0, 0, 1.7);
  dBodySetKinematic(plate);
  dBodySetLinearVel(plate, 0, 0, -odeUniform(&random, 0.3, 2));
  for (int i = 0; i < 4; ++i) {
    dGeomID geom = i % 2 ? dCreateBox(w.space, 0.3, 0.3, 0.3) : dCreateCylinder(w.space, 0.15, 0.3);
    bodies[i] = odeWorld_Body(&w, geom, 20, 0.02 * i, 0, 0.155 + 0.31 * i);
  }
  for (int frame = 0; frame < 60; ++frame) {
    odeWorld_Step(&w);
    for (int i = 0; i < 4; ++i) {
      uint64_t bits[3];
      memcpy(bits, dBodyGetPosition(bodies[i]), sizeof(bits));
      hash = ((hash * 31 + bits[0]) * 31 + bits[1]) * 31 + bits[2];
    }
  }
  odeWorld_End(&w);
  dThreadingFreeImplementation(threading);
  return hash;
}

enum { presses = 12, pressThreads = 3 };
static uint64_t pressed[pressThreads][presses];

static void *pressAll(void *hashes) {
  dAllocateODEDataForThread(dAllocateMaskAll);
  for (int i = 0; i < presses; ++i) {
    ((uint64_t *)hashes)[i] = press(i);
  }
  dCleanupODEAllDataForThread();
  return NULL;
}

/* The random numbers of extra solves belong to the process. In plain ODE dWorldStep takes none. */
CASE(worlds_of_several_threads_compute_what_they_compute_alone) {
  uint64_t alone[presses];
  dRandSetSeed(7);
  for (int i = 0; i < presses; ++i) {
    alone[i] = press(i);
  }
  for (int round = 0; round < 4; ++round) {
    pthread_t threads[pressThreads];
    for (int i = 0; i < pressThreads; ++i) {
      assert_int_equal(pthread_create(&threads[i], NULL, pressAll, pressed[i]), 0);
    }
    for (int i = 0; i < pressThreads; ++i) {
      pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < pressThreads; ++i) {
      assert_memory_equal(pressed[i], alone, sizeof(alone));
    }
    assert_true(dRandGetSeed() == 7);
  }
}

/* A chain hangs on a kinematic body that goes and turns, and is shot at. Its twin goes alone. */
CASE(what_is_moved_keeps_its_way_whatever_hangs_on_it) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, -9.81);
    dBodyID moved[2], last;
    int solves = 0;
    for (int i = 0; i < 2; ++i) {
      moved[i] = dBodyCreate(w.world);
      dBodySetKinematic(moved[i]);
      dBodySetLinearVel(moved[i], 2, 0, 0.5);
      dBodySetAngularVel(moved[i], 0, 0, 1);
    }
    last = moved[0];
    for (int i = 0; i < 3; ++i) {
      dBodyID link = odeWorld_Body(&w, dCreateBox(w.space, 0.3, 0.3, 0.3), 1, 0.5 * (i + 1), 0, 0);
      dBodySetLinearVel(link, 2, 0, 0);
      dJointID joint = dJointCreateBall(w.world, NULL);
      dJointAttach(joint, last, link);
      dJointSetBallAnchor(joint, 0.5 * i + 0.25, 0, 0);
      last = link;
    }
    for (int frame = 0; frame < 25; ++frame) {
      if (frame % 5 == 2) {
        const dReal *p = dBodyGetPosition(last);
        dBodyID shot = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 0.1, p[0], p[1] - 0.5, p[2]);
        dBodySetLinearVel(shot, 2, 60, 0);
      }
      assert_int_equal(odeWorld_Step(&w), 1);
      assert_int_equal(odeWorld_Info(&w).clamps, 0);
      solves += odeWorld_Info(&w).solves - 1;
      for (int k = 0; k < 3; ++k) {
        assert_true(fabs(dBodyGetPosition(moved[0])[k] - dBodyGetPosition(moved[1])[k]) < 1e-12);
        assert_true(fabs(dBodyGetQuaternion(moved[0])[k + 1] - dBodyGetQuaternion(moved[1])[k + 1]) < 1e-5);
      }
    }
    assert_true(solves > 3);
    odeWorld_End(&w);
  }
}

CASE(threaded_stepping_lets_nothing_through) {
  dThreadingImplementationID threading = dThreadingAllocateMultiThreadedImplementation();
  dThreadingThreadPoolID pool = dThreadingAllocateThreadPool(2, 0, dAllocateFlagBasicData, NULL);
  dThreadingThreadPoolServeMultiThreadedImplementation(pool, threading);
  for (int which = 0; which < 4; ++which) {
    odeWorld w;
    dBodyID bullets[5];
    shoot(&w, bullets, which);
    dWorldSetStepThreadingImplementation(w.world, dThreadingImplementationGetFunctions(threading), threading);
    for (int frame = 0; frame < 20; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      for (int i = 0; i < 5; ++i) {
        assert_true(dBodyGetPosition(bullets[i])[0] < 0);
      }
    }
    odeWorld_End(&w);
  }
  dThreadingImplementationShutdownProcessing(threading);
  dThreadingFreeThreadPool(pool);
  dThreadingFreeImplementation(threading);
}

int main(void) { return cases_Run(startOde, endOde); }

/* The joint holds the other body in the world from then on, or ties it to the new one. A record that still had the
 * ended body led nowhere. Nothing is struck, so every bit is ODE's. */
CASE(a_joint_whose_body_ends_does_not_lead_to_what_is_made_at_its_address) {
  int same = 0;
  for (int run = 0; run < 8; ++run) {
    dVector3 ends[2];
    for (int watched = 0; watched < 2; ++watched) {
      odeWorld w;
      odeWorld_Make(&w, watched, run & 1, -9.81);
      dBodyID a = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 5);
      dBodyID b = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0.5, 0, 5);
      dJointID joint = dJointCreateBall(w.world, NULL);
      dJointAttach(joint, run & 2 ? a : b, run & 2 ? b : a);
      dJointSetBallAnchor(joint, 0.25, 0, 5);
      dRandSetSeed(1);
      assert_int_equal(odeWorld_Step(&w), 1);
      dGeomDestroy(dBodyGetFirstGeom(b));
      dBodyDestroy(b);
      dBodyID made = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, run & 4 ? 0.5 : 30, 0, 5);
      dJointAttach(joint, a, run & 4 ? made : NULL);
      dBodySetPosition(a, 0, 0, 5); /* its geom is listed first */
      same += watched && made == b;
      for (int frame = 0; frame < 3; ++frame) {
        assert_int_equal(odeWorld_Step(&w), 1);
      }
      memcpy(ends[watched], dBodyGetPosition(a), sizeof(ends[0]));
      odeWorld_End(&w);
    }
    assert_memory_equal(ends[0], ends[1], sizeof(ends[0]));
  }
#ifndef __SANITIZE_ADDRESS__ /* which keeps back what it got */
  assert_true(same > 0);     /* an allocator gives out first what it got back last */
#else
  (void)same;
#endif
}
