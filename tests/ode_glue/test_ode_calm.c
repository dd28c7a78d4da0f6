/* SPDX-License-Identifier: BSD-3-Clause */
/* What an impact inside a step may not do: take the jitter of bodies that touch for one, and push out of a depth
 * what the step's own solve pushes out already. Units: SI. */

#include "cases.h"
#include "ode_start.h"
#include "ode_world.h"

static dBodyID addBox(odeWorld *w, double side, double height, double x, double z) {
  dMass mass;
  dBodyID body = dBodyCreate(w->world);
  dMassSetBox(&mass, 800, side, side, height);
  dBodySetMass(body, &mass);
  dGeomSetBody(dCreateBox(w->space, side, side, height), body);
  dBodySetPosition(body, x, 0, z);
  return body;
}

/* One contact of a pair: the plate turns about it, and its other end sinks. */
static void nearOnce(void *data, dGeomID a, dGeomID b) {
  odeWorld *w = data;
  dContact contact = {.surface = {.mode = dContactApprox1, .mu = w->mu}};
  if (dCollide(a, b, 1, &contact.geom, sizeof(contact.geom)) > 0) {
    dJointAttach(dJointCreateContact(w->world, w->contacts, &contact), dGeomGetBody(a), dGeomGetBody(b));
  }
}

/* A plate of 20 mm touches the floor and falls on at `speed`: where does it go in one step? Returns the solves. */
static int sinkPlate(double speed, bool withBrink, bool quick, dReal place[3], double *lowest) {
  odeWorld w;
  odeWorld_Make(&w, withBrink, quick, -9.81);
  dGeomSetPosition(dCreateBox(w.space, 2, 2, 0.1), 0, 0, -0.05);
  dBodyID plate = addBox(&w, 0.2, 0.02, 0, 0.0099);
  dBodySetLinearVel(plate, 0, 0, -speed);
  dBrinkStepInfo info = {.structSize = sizeof(info), .solves = 1};
  dRandSetSeed(1); /* QuickStep shuffles its rows */
  dSpaceCollide(w.space, &w, nearOnce);
  if (withBrink) {
    assert_int_equal((quick ? dBrinkWorldQuickStep : dBrinkWorldStep)(w.brink, w.h, &w, nearOnce, w.contacts), 1);
    assert_int_equal(dBrinkGetStepInfo(w.brink, &info), 1);
  } else {
    (quick ? dWorldQuickStep : dWorldStep)(w.world, w.h);
  }
  dReal box[6];
  dGeomGetAABB(dBodyGetFirstGeom(plate), box);
  *lowest = box[4];
  memcpy(place, dBodyGetPosition(plate), 3 * sizeof(*place));
  odeWorld_End(&w);
  return info.solves;
}

CASE(what_touches_sinks_as_far_as_in_plain_ode_unless_its_core_is_reached) {
  static const double speeds[2] = {0.01, 0.3};
  for (int quick = 0; quick < 2; ++quick) {
    for (int i = 0; i < 2; ++i) {
      dReal plain[3], brink[3];
      double lowest, held;
      (void)sinkPlate(speeds[i], false, quick != 0, plain, &lowest);
      int solves = sinkPlate(speeds[i], true, quick != 0, brink, &held);
      print_message("%g m/s: %g mm deep in plain ODE, %g with Brink, %d solves\n", speeds[i], -1e3 * lowest,
                    -1e3 * held, solves);
      if (i == 0) { /* deeper than 3/4 of a quarter of its thickness */
        assert_true(lowest < -0.00375 && lowest > -0.0085);
        assert_int_equal(solves, 1);
        assert_memory_equal(plain, brink, sizeof(plain));
      } else {
        assert_true(lowest < -0.009 && held > -0.009 && solves > 1);
      }
    }
  }
}

typedef struct deepWorld {
  odeWorld w;
  dGeomID wall;
  bool inStep;
} deepWorld;

/* Contacts with the wall are made inside the step only. */
static void nearInside(void *data, dGeomID a, dGeomID b) {
  deepWorld *d = data;
  if (d->inStep || (a != d->wall && b != d->wall)) {
    nearOnce(&d->w, a, b);
  }
}

static dBodyID addBall(odeWorld *w, double radius, double mass, double x) {
  dMass m;
  dBodyID body = dBodyCreate(w->world);
  dMassSetSphereTotal(&m, mass, radius);
  dBodySetMass(body, &m);
  dGeomSetBody(dCreateSphere(w->space, radius), body);
  dBodySetPosition(body, x, 0, 0);
  return body;
}

/* A ball lies 0.1 m deep in a wall and is hit by a bullet; a rod that touches it may spin about itself. m/s, at which
 * the ball comes out. */
static double pushOutOfWall(bool quick, double bulletSpeed, double spin) {
  deepWorld d = {.inStep = false};
  odeWorld_Make(&d.w, true, quick, 0);
  d.w.mu = 0;
  d.wall = dCreateBox(d.w.space, 1, 2, 2);
  dGeomSetPosition(d.wall, 0.5, 0, 0);
  dBodyID ball = addBall(&d.w, 0.15, 10, -9), bullet = addBall(&d.w, 0.02, 1e-3, -8), rod = NULL;
  if (spin > 0) rod = odeWorld_Body(&d.w, dCreateBox(d.w.space, 0.06, 0.2, 0.06), 10, -7, 0, 0);
  assert_int_equal(odeWorld_Step(&d.w), 1); /* far from each other: how far they reach is known after it */
  dBodySetPosition(ball, -0.05, 0, 0);
  dBodySetPosition(bullet, -0.26, 0, 0);
  dBodySetLinearVel(bullet, bulletSpeed, 0, 0);
  if (rod != NULL) {
    dBodySetPosition(rod, -0.05, 0.249, 0);
    dBodySetAngularVel(rod, 0, spin, 0);
  }
  dSpaceCollide(d.w.space, &d, nearInside);
  d.inStep = true;
  assert_int_equal((quick ? dBrinkWorldQuickStep : dBrinkWorldStep)(d.w.brink, d.w.h, &d, nearInside, d.w.contacts), 1);
  dBrinkStepInfo info = {.structSize = sizeof(info)};
  assert_int_equal(dBrinkGetStepInfo(d.w.brink, &info), 1);
  double speed = -dBodyGetLinearVel(ball)[0];
  print_message("0.1 m deep: pushed out at %g m/s by %d solves; error reduction alone asks for 1.2\n", speed,
                info.solves);
  assert_true(info.solves > 1 && info.clamps == 0);
  assert_true(isinf(dWorldGetContactMaxCorrectingVel(d.w.world)));
  odeWorld_End(&d.w);
  return speed;
}

CASE(an_impact_pushes_nothing_out_of_a_depth) {
  for (int quick = 0; quick < 2; ++quick) {
    double speed = pushOutOfWall(quick != 0, 12, 0);
    assert_true(speed > 0 && speed < 0.05 * 12 * 1.01);
  }
}

/* The rod that spins is of the same island, and has no part in the impact. */
CASE(an_impact_pushes_out_no_faster_where_something_else_spins) {
  for (int quick = 0; quick < 2; ++quick) {
    double speed = pushOutOfWall(quick != 0, 4, 300);
    if (!(speed > 0 && speed < 0.05 * 4 * 1.05)) {
      fail_msg("quick %d: pushed out at %g m/s by a bullet of 4 m/s", quick, speed);
    }
  }
}

/* J per mass of a ball */
static double energyOf(const dBodyID *balls, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const dReal *v = dBodyGetLinearVel(balls[i]);
    sum += (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
  }
  return sum;
}

/* Two balls that overlap fly apart; a third one hits the second, which turns back. Had the two a contact there, the
 * second would be held in mid-air: the impulse times half the speed of parting came from nowhere. */
CASE(what_parts_is_not_held_when_another_impact_turns_it_back) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick != 0, 0);
    w.bounce = 1;
    w.mu = 0;
    dBodyID balls[3] = {addBall(&w, 0.1, 1, 0), addBall(&w, 0.1, 1, 0.15), addBall(&w, 0.1, 1, 0.4)};
    dBodySetLinearVel(balls[1], 3, 0, 0);
    dBodySetLinearVel(balls[2], -10, 0, 0);
    double before = energyOf(balls, 3);
    assert_int_equal(odeWorld_Step(&w), 1);
    int solves = odeWorld_Info(&w).solves;
    double after = energyOf(balls, 3) / before;
    print_message("%d solves: energy %.6f of before\n", solves, after);
    if (!(fabs(after - 1) < 1e-3)) {
      fail_msg("%s: %d solves, energy %.4f of before", quick ? "QuickStep" : "WorldStep", solves, after);
    }
    odeWorld_End(&w);
  }
}

/* A body that is no ball inside one: what strikes it along the normal through its centre turns it nowhere, however
 * often it does in a step. So it spins as one that flies freely: gyroscopic torque has acted in the step's own solve.
 */
CASE(impacts_do_not_add_to_gyroscopic_torque) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_MakeElastic(&w, quick != 0);
    dBodyID bodies[2];
    for (int i = 0; i < 2; ++i) {
      dMass mass;
      dGeomSetPosition(dCreateBox(w.space, 0.1, 1, 1), 0.4 * i - 0.2, 0, 0);
      bodies[i] = addBall(&w, 0.05, 1, 0);
      dMassSetBoxTotal(&mass, 1, 0.1, 0.2, 0.3);
      dBodySetMass(bodies[i], &mass);
      dBodySetPosition(bodies[i], 0, 10 * i, 0);
      dBodySetLinearVel(bodies[i], 40, 0, 0);
      dBodySetAngularVel(bodies[i], 9, 7, 2);
      dBodySetFiniteRotationMode(bodies[i], 1);
    }
    int solves = 0;
    for (int frame = 0; frame < 30; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      solves += odeWorld_Info(&w).solves - 1;
    }
    const dReal *struck = dBodyGetAngularVel(bodies[0]), *flies = dBodyGetAngularVel(bodies[1]);
    if (solves < 60 || dCalcPointsDistance3(struck, flies) > 1e-6) {
      fail_msg("%s: after %d impacts %g rad/s from %g %g %g", quick ? "QuickStep" : "WorldStep", solves,
               dCalcPointsDistance3(struck, flies), flies[0], flies[1], flies[2]);
    }
    odeWorld_End(&w);
  }
}

/* Boxes with e = 1 in a room keep their energy. Not so where gyroscopic torque acts: ODE's takes from what tumbles. */
CASE(a_gas_of_boxes_keeps_its_energy) {
  enum { count = 27 };
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    uint64_t seed = 5;
    odeWorld_MakeElastic(&w, quick != 0);
    for (int wall = 0; wall < 6; ++wall) {
      const double out = wall % 2 ? 2 : -2;
      dGeomSetPosition(dCreateBox(w.space, wall / 2 == 0 ? 1 : 5, wall / 2 == 1 ? 1 : 5, wall / 2 == 2 ? 1 : 5),
                       wall / 2 == 0 ? out : 0, wall / 2 == 1 ? out : 0, wall / 2 == 2 ? out : 0);
    }
    dBodyID boxes[count];
    double first = 0, last = 0;
    for (int i = 0; i < count; ++i) {
      boxes[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.4, 0.3, 0.2), 1, i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
      dBodySetGyroscopicMode(boxes[i], 0);
      dBodySetLinearVel(boxes[i], odeUniform(&seed, -15, 15), odeUniform(&seed, -15, 15), odeUniform(&seed, -15, 15));
    }
    for (int frame = 0; frame <= 60; ++frame) {
      last = 0;
      for (int i = 0; i < count; ++i) {
        dMass mass;
        dVector3 own, spin;
        const dReal *w3 = dBodyGetAngularVel(boxes[i]);
        dBodyGetMass(boxes[i], &mass);
        dBodyVectorFromWorld(boxes[i], w3[0], w3[1], w3[2], own);
        dMultiply0_331(spin, mass.I, own);
        last += energyOf(&boxes[i], 1) * mass.mass + dCalcVectorDot3(own, spin) / 2;
      }
      first = frame == 0 ? last : first;
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    print_message("%s: energy %.4f of before\n", quick ? "QuickStep" : "WorldStep", last / first);
    if (!(fabs(last / first - 1) < 0.03)) {
      fail_msg("%s: energy %.4f of before", quick ? "QuickStep" : "WorldStep", last / first);
    }
    odeWorld_End(&w);
  }
}

/* A plate that lies 2 mm deep in a floor rises at a few cm/s, and at the time of an impact its velocity lacks what
 * gravity does in the rest of the step: it parts from the floor for a moment, and rests on it. A ball that hits it then
 * must find the floor below it. */
CASE(what_rests_keeps_its_contacts_when_something_hits_it) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick != 0, -9.81);
    dGeomSetPosition(dCreateBox(w.space, 2, 2, 0.1), 0, 0, -0.05);
    dBodyID plate = addBox(&w, 0.5, 0.1, 0, 0.048), ball = addBall(&w, 0.1, 5, 0);
    dBodySetPosition(ball, 0, 0, 0.205);
    dBodySetLinearVel(ball, 0, 0, -15);
    assert_int_equal(odeWorld_Step(&w), 1);
    double speed = dBodyGetLinearVel(plate)[2], height = dBodyGetPosition(plate)[2];
    print_message("%d solves: the plate is %g m deep and goes at %g m/s\n", odeWorld_Info(&w).solves, 0.05 - height,
                  speed);
    if (!(odeWorld_Info(&w).solves > 1 && speed > -0.01 && height > 0.048))
      fail_msg("%s: %d solves, %g m/s", quick ? "QuickStep" : "WorldStep", odeWorld_Info(&w).solves, speed);
    odeWorld_End(&w);
  }
}

/* ---- motors */

enum { motorKinds = 8, mostAxes = 3 };
static const char *const motorNames[motorKinds] = {"hinge", "slider", "universal", "PR",
                                                   "PU",    "piston", "amotor",    "lmotor"};

/* A body on a joint whose axes are all driven to 100 with a force that gives 1 (rad/s, m/s) in a step. */
static dJointID addMotor(odeWorld *w, int kind, dBodyID body, bool reversed) {
  dJointID (*const make[motorKinds])(dWorldID, dJointGroupID) = {
      dJointCreateHinge, dJointCreateSlider, dJointCreateUniversal, dJointCreatePR,
      dJointCreatePU,    dJointCreatePiston, dJointCreateAMotor,    dJointCreateLMotor};
  void (*const set[motorKinds])(dJointID, int, dReal) = {
      dJointSetHingeParam, dJointSetSliderParam, dJointSetUniversalParam, dJointSetPRParam,
      dJointSetPUParam,    dJointSetPistonParam, dJointSetAMotorParam,    dJointSetLMotorParam};
  dJointID joint = make[kind](w->world, NULL);
  dJointAttach(joint, reversed ? NULL : body, reversed ? body : NULL);
  switch (kind) {
    case 0:
      dJointSetHingeAxis(joint, 0, 0, 1);
      break;
    case 1:
      dJointSetSliderAxis(joint, 0, 0, 1);
      break;
    case 2:
      dJointSetUniversalAxis1(joint, 0, 0, 1);
      dJointSetUniversalAxis2(joint, 0, 1, 0);
      break;
    case 3:
      dJointSetPRAxis1(joint, 0, 0, 1);
      dJointSetPRAxis2(joint, 0, 1, 0);
      break;
    case 4:
      dJointSetPUAxis1(joint, 0, 0, 1);
      dJointSetPUAxis2(joint, 0, 1, 0);
      dJointSetPUAxis3(joint, 1, 0, 0);
      break;
    case 5:
      dJointSetPistonAxis(joint, 0, 0, 1);
      break;
    case 6:
      dJointSetAMotorNumAxes(joint, 1);
      dJointSetAMotorAxis(joint, 0, 0, 0, 0, 1);
      break;
    default:
      dJointSetLMotorNumAxes(joint, 1);
      dJointSetLMotorAxis(joint, 0, 0, 0, 0, 1);
  }
  static const int speeds[mostAxes] = {dParamVel, dParamVel2, dParamVel3},
                   forces[mostAxes] = {dParamFMax, dParamFMax2, dParamFMax3};
  for (int axis = 0; axis < mostAxes; ++axis) {
    set[kind](joint, speeds[axis], axis == 1 ? -100 : 100);
    set[kind](joint, forces[axis], 1 / w->h); /* of a kilogram, and of 1 kg m2 */
  }
  return joint;
}

/* Velocities of a driven body after a step, which a grain hits in its middle or not. */
static void driveOnce(int kind, bool reversed, bool quick, bool hit, double velocities[6], int *solves) {
  odeWorld w;
  odeWorld_Make(&w, true, quick, 0);
  dBodyID body = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.2, 0.2), 1, 0, 0, 0);
  dMass mass;
  dMassSetParameters(&mass, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0);
  dBodySetMass(body, &mass);
  (void)addMotor(&w, kind, body, reversed);
  dBodyID grain = addBall(&w, 0.02, 1e-9, 0);
  dBodySetPosition(grain, hit ? -0.12 - 0.3 * 20 * w.h : -50, 0, 0);
  dBodySetLinearVel(grain, 20, 0, 0);
  dRandSetSeed(1);
  assert_int_equal(odeWorld_Step(&w), 1);
  *solves = odeWorld_Info(&w).solves;
  memcpy(velocities, dBodyGetLinearVel(body), 3 * sizeof(double));
  memcpy(velocities + 3, dBodyGetAngularVel(body), 3 * sizeof(double));
  odeWorld_End(&w);
}

/* Its whole impulse of the step was in the step's own solve: each impact gave it that of the rest once more. */
CASE(a_motor_has_the_force_of_one_step_however_many_impacts_there_are) {
  for (int i = 0; i < 4 * motorKinds; ++i) {
    const bool reversed = i & 1, quick = i & 2;
    double alone[6], hit[6], most = 0, off = 0;
    int solves[2];
    driveOnce(i / 4, reversed, quick, false, alone, &solves[0]);
    driveOnce(i / 4, reversed, quick, true, hit, &solves[1]);
    for (int k = 0; k < 6; ++k) {
      most = fmax(most, fabs(alone[k]));
      off = fmax(off, fabs(hit[k] - alone[k]));
    }
    if (!(solves[0] == 1 && solves[1] > 1 && most > 0.5 && off < 0.05 * most))
      fail_msg("%s, %s%s: %d solves, %g off %g", motorNames[i / 4], quick ? "QuickStep" : "WorldStep",
               reversed ? ", reversed" : "", solves[1], off, most);
  }
}

/* A motor that holds a body against gravity holds it in an extra solve, too. */
CASE(a_motor_that_holds_holds_on_after_an_impact) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick != 0, -9.81);
    dBodyID body = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.2, 0.2), 1, 0, 0, 0),
            grain = addBall(&w, 0.02, 1e-9, 0);
    dJointID joint = dJointCreateSlider(w.world, NULL);
    dJointAttach(joint, body, NULL);
    dJointSetSliderAxis(joint, 0, 0, 1);
    dJointSetSliderParam(joint, dParamFMax, 1.01 * 9.81);
    dBodySetPosition(grain, -0.12 - 0.3 * 20 * w.h, 0, 0);
    dBodySetLinearVel(grain, 20, 0, 0);
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(odeWorld_Info(&w).solves > 1);
    assert_true(fabs(dBodyGetLinearVel(body)[2]) < 1e-5);
    odeWorld_End(&w);
  }
}

/* A wall pushes two boxes that stand before it, one ahead of the other: as a kinematic body in plain ODE, or moved by
 * hand and set to sweep. Returns the largest energy; the places of the boxes at the end, and all solves. */
static double pushBoxes(bool sweeps, bool quick, double places[2], int *solves) {
  odeWorld w;
  odeWorld_Make(&w, sweeps, quick, -9.81);
  dCreatePlane(w.space, 0, 0, 1, 0);
  dGeomID wall = dCreateBox(w.space, 0.2, 2, 1);
  dBodyID pusher = sweeps ? NULL : dBodyCreate(w.world), boxes[2];
  double most = 0;
  if (sweeps) {
    dGeomSetPosition(wall, -0.3, 0, 0.5);
    assert_int_equal(dBrinkSetSweep(w.brink, wall, 1), 1);
  } else {
    dBodySetKinematic(pusher);
    dGeomSetBody(wall, pusher);
    dBodySetPosition(pusher, -0.3, 0, 0.5);
  }
  boxes[0] = addBox(&w, 0.3, 0.3, 0, 0.15);
  boxes[1] = addBox(&w, 0.3, 0.3, 0.32, 0.15);
  dRandSetSeed(1);
  *solves = 0;
  for (int frame = 0; frame < 30; ++frame) {
    if (sweeps) {
      dGeomSetPosition(wall, -0.3 + 2 * w.h * (frame + 1), 0, 0.5);
    } else {
      dBodySetLinearVel(pusher, 2, 0, 0);
    }
    odeWorld_Step(&w);
    *solves += sweeps ? odeWorld_Info(&w).solves : 1;
    most = fmax(most, odeWorld_Energy(&w, boxes[0]) + odeWorld_Energy(&w, boxes[1]));
  }
  for (int i = 0; i < 2; ++i) {
    places[i] = dBodyGetPosition(boxes[i])[0];
  }
  odeWorld_End(&w);
  return most;
}

CASE(what_sweeps_pushes_as_a_kinematic_body_does) {
  for (int quick = 0; quick < 2; ++quick) {
    double plain[2], swept[2];
    int solves[2];
    double energies[2] = {pushBoxes(false, quick, plain, &solves[0]), pushBoxes(true, quick, swept, &solves[1])};
    print_message("%g and %g m, %g J, kinematic; %g and %g m, %g J, swept, %d solves\n", plain[0], plain[1],
                  energies[0], swept[0], swept[1], energies[1], solves[1]);
    assert_true(fabs(plain[0] - swept[0]) < 0.005 && fabs(plain[1] - swept[1]) < 0.005);
    assert_true(energies[1] < 1.05 * energies[0]);
    assert_true(solves[1] < solves[0] + 5);
  }
}

/* ---- rounds of an iterative solver */

static dWorldID watched;
static int mostRounds;

static void noteRounds(dBodyID body) {
  (void)body;
  mostRounds = (int)fmax(mostRounds, dWorldGetQuickStepNumIterations(watched));
}

static dBodyID addArmLink(odeWorld *w, int i, dBodyID last, double force) {
  dMass mass;
  dBodyID link = addBox(w, 0.08, 0.08, 0.6 * i + 0.3, 0.08);
  dJointID hinge = dJointCreateHinge(w->world, NULL);
  dMassSetBox(&mass, 2000, 0.5, 0.08, 0.08);
  dBodySetMass(link, &mass);
  dGeomBoxSetLengths(dBodyGetFirstGeom(link), 0.5, 0.08, 0.08);
  dJointAttach(hinge, link, last);
  dJointSetHingeAnchor(hinge, 0.6 * i, 0, 0.08);
  dJointSetHingeAxis(hinge, 0, 1, 0);
  dJointSetHingeParam(hinge, dParamVel, -5);
  dJointSetHingeParam(hinge, dParamFMax, force);
  dBodySetAngularVel(link, 0, 5, 0);
  dBodySetLinearVel(link, 0, 0, -5 * (0.6 * i + 0.3));
  dBodySetMovedCallback(link, noteRounds);
  return link;
}

/* A small body without a geom that goes with the first link. */
static void addCharm(odeWorld *w, dBodyID link) {
  const dReal *p = dBodyGetPosition(link), *v = dBodyGetLinearVel(link);
  dBodyID body = dBodyCreate(w->world);
  dMass mass;
  dMassSetSphereTotal(&mass, 1e-3, 0.1);
  dBodySetMass(body, &mass);
  dBodySetPosition(body, p[0], p[1], p[2]);
  dBodySetLinearVel(body, v[0], v[1], v[2]);
  dJointID ball = dJointCreateBall(w->world, NULL);
  dJointAttach(ball, link, body);
  dJointSetBallAnchor(ball, p[0], p[1], p[2]);
}

/* An arm of three links, whose hinges have motors of so much force, comes down on a plate. Returns the kinetic energy
 * after the step of the impact, J, and the most rounds that ODE was given in it. */
static double strikeWithArm(bool quick, double force, int charms, int *rounds) {
  odeWorld w;
  double energy = 0;
  dBodyID links[3] = {NULL, NULL, NULL};
  odeWorld_Make(&w, true, quick, 0);
  watched = w.world;
  dGeomSetPosition(dCreateBox(w.space, 60, 3, 0.1), 0, 0, -0.05);
  for (int i = 0; i < 3; ++i) links[i] = addArmLink(&w, i, i > 0 ? links[i - 1] : NULL, force);
  for (int i = 0; i < charms; ++i) addCharm(&w, links[0]);
  mostRounds = 0;
  dRandSetSeed(1);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_true(odeWorld_Info(&w).solves > 1);
  for (int i = 0; i < 3; ++i) {
    const dReal *v = dBodyGetLinearVel(links[i]), *spin = dBodyGetAngularVel(links[i]);
    dMass mass;
    dBodyGetMass(links[i], &mass);
    energy += mass.mass * dCalcVectorDot3(v, v) / 2 + mass.I[5] * spin[1] * spin[1] / 2;
  }
  *rounds = mostRounds;
  assert_int_equal(dWorldGetQuickStepNumIterations(w.world), 20);
  odeWorld_End(&w);
  return energy;
}

/* Half solved, a motor's whole force is what is left over. A crowd's solves stay short. */
CASE(a_motor_that_stands_against_an_impact_gets_rounds_enough) {
  int direct, driven, free, crowd;
  const double meant = strikeWithArm(false, 2000, 0, &direct), got = strikeWithArm(true, 2000, 0, &driven);
  (void)strikeWithArm(true, 0, 0, &free);
  (void)strikeWithArm(true, 2000, 32, &crowd);
  if (!(fabs(got - meant) < 0.005 * meant)) fail_msg("QuickStep leaves %g J, WorldStep %g", got, meant);
  assert_int_equal(driven, 16 * 20);
  assert_int_equal(free, 3 * 20);
  assert_int_equal(crowd, 3 * 20);
}

/* ---- the direct solver gives up */

static int complaints;

static void countComplaint(int number, const char *message, va_list arguments) {
  (void)message, (void)arguments;
  complaints += number == d_ERR_LCP;
}

static dBodyID addWheel(odeWorld *w, dBodyID chassis, double x, double y, double spin) {
  dBodyID wheel = dBodyCreate(w->world);
  dMass mass;
  dMatrix3 turn;
  dMassSetCylinderTotal(&mass, 25, 2, 0.35, 0.25);
  dBodySetMass(wheel, &mass);
  dGeomID geom = dCreateCylinder(w->space, 0.35, 0.25);
  dGeomSetBody(geom, wheel);
  dRFromAxisAndAngle(turn, 1, 0, 0, M_PI / 2);
  dGeomSetOffsetRotation(geom, turn);
  dBodySetPosition(wheel, x, y, 0.35);
  dBodySetAngularVel(wheel, 0, spin, 0);
  const dVector3 up = {0, 0, 1}, axle = {0, 1, 0};
  dJointID joint = dJointCreateHinge2(w->world, NULL);
  dJointAttach(joint, chassis, wheel);
  dJointSetHinge2Anchor(joint, x, y, 0.35);
  dJointSetHinge2Axes(joint, up, axle);
  dJointSetHinge2Param(joint, dParamLoStop, 0);
  dJointSetHinge2Param(joint, dParamHiStop, 0);
  dJointSetHinge2Param(joint, dParamVel2, spin);
  dJointSetHinge2Param(joint, dParamFMax2, 600);
  dJointSetHinge2Param(joint, dParamSuspensionERP, 0.4);
  dJointSetHinge2Param(joint, dParamSuspensionCFM, 8e-5);
  return wheel;
}

/* The most kinetic energy in a second, as a part of what a car has that drives at a wall of two triangles. */
static double crash(dTriMeshDataID wall, double h, double speed) {
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  w.h = h;
  w.mu = 1;
  w.bounce = 0.3;
  dCreatePlane(w.space, 0, 0, 1, 0);
  dCreateTriMesh(w.space, wall, NULL, NULL, NULL);
  dBodyID bodies[5] = {odeWorld_Body(&w, dCreateBox(w.space, 2.4, 1.2, 0.4), 600, 0, 0, 0.6)};
  for (int i = 0; i < 4; ++i) {
    bodies[1 + i] = addWheel(&w, bodies[0], i < 2 ? 0.9 : -0.9, i % 2 ? 0.8 : -0.8, speed / 0.35);
  }
  double first = 0, most = 0;
  dWorldSetGravity(w.world, 0, 0, 0); /* of heights no energy */
  for (int i = 0; i < 5; ++i) {
    dBodySetLinearVel(bodies[i], speed, 0, 0);
    first += odeWorld_Energy(&w, bodies[i]);
  }
  for (int frame = 0; frame < 1 / h; ++frame) {
    double sum = 0;
    dWorldSetGravity(w.world, 0, 0, -9.81);
    assert_int_equal(odeWorld_Step(&w), 1);
    dWorldSetGravity(w.world, 0, 0, 0);
    for (int i = 0; i < 5; ++i) {
      assert_true(dBodyGetPosition(bodies[i])[0] < 4);
      sum += odeWorld_Energy(&w, bodies[i]);
    }
    most = fmax(most, sum);
  }
  odeWorld_End(&w);
  return most / first;
}

/* The contacts of a wheel at a triangle say the same several times. ODE's direct solver says that it goes no further,
 * and leaves velocities of the middle of its work: one car of 13 m/s had 128 times its energy after the wall. */
CASE(a_car_is_not_thrown_where_the_direct_solver_gives_up) {
  static const double corners[12] = {4, -20, -40, 4, 20, -40, 4, -20, 40, 4, 20, 40};
  static const dTriIndex faces[6] = {0, 2, 1, 1, 2, 3};
  dTriMeshDataID wall = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(wall, corners, 3 * sizeof(double), 4, faces, 6, 3 * sizeof(dTriIndex));
  complaints = 0;
  dSetMessageHandler(countComplaint);
  for (int k = 0; k < 4; ++k) {
    for (double speed = 8; speed <= 14; speed += 0.5) {
      const double h = 1.0 / (30 << k), most = crash(wall, h, speed);
      if (most > 1.05) {
        fail_msg("%g m/s, h 1/%d s: %g times its energy", speed, 30 << k, most);
      }
    }
  }
  assert_true(dGetMessageHandler() == countComplaint);
  dSetMessageHandler(NULL);
  print_message("the solver gave up %d times\n", complaints);
  assert_true(complaints > 0);
  dGeomTriMeshDataDestroy(wall);
}

int main(void) { return cases_Run(startOde, endOde); }
