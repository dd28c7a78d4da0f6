/* SPDX-License-Identifier: BSD-3-Clause */
/* What users of other engines complained about, one named test each; the thread stands beside it. Judged by positions,
 * speeds and joints, not by the library's own answers. Units: SI. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_world.h"

static dGeomID addWall(odeWorld *w, double x, double thickness) {
  dGeomID wall = dCreateBox(w->space, thickness, 40, 40);
  dGeomSetPosition(wall, x, 0, 0);
  return wall;
}

static double xOf(dBodyID body) { return dBodyGetPosition(body)[0]; }

static void steps(odeWorld *w, int count) {
  for (int i = 0; i < count; ++i) {
    assert_true(odeWorld_Step(w));
  }
}

static void begin(odeWorld *w, bool withBrink, double gravity) {
  dInitODE2(0);
  odeWorld_Make(w, withBrink, false, gravity);
}

static void end(odeWorld *w) {
  odeWorld_End(w);
  dCloseODE();
}

/* bullet3 691, panda3d 504, godot 9071: CCD ignores masks and ignored pairs. */
CASE(filters_are_obeyed_by_fast_bodies) {
  odeWorld w;
  begin(&w, true, 0);
  dGeomID ghost = addWall(&w, 5, 0.01), wall = addWall(&w, 10, 0.01), ball = dCreateSphere(w.space, 0.1);
  dGeomSetCategoryBits(ghost, 2);
  dGeomSetCollideBits(ghost, 2);
  dGeomSetCategoryBits(wall, 1);
  dGeomSetCollideBits(wall, 1);
  dGeomSetCategoryBits(ball, 1);
  dGeomSetCollideBits(ball, 1);
  dBodyID body = odeWorld_Body(&w, ball, 1, 0, 0, 0);
  dBodySetLinearVel(body, 400, 0, 0);
  steps(&w, 5);
  assert_true(xOf(body) > 5 && xOf(body) < 10);
  end(&w);
}

/* JoltPhysics 1142, 2035: a fast body misses sensors, or pays for each of them. */
CASE(every_sensor_on_the_way_is_reported) {
  enum { count = 25 };
  odeWorld w;
  begin(&w, true, 0);
  dGeomID sensors[count];
  int entered = 0, left = 0;
  for (int i = 0; i < count; ++i) {
    sensors[i] = dCreateBox(w.space, 0.01, 2, 2);
    dGeomSetPosition(sensors[i], 1 + 0.2 * i, 0, 0);
    assert_true(dBrinkSetSensor(w.brink, sensors[i], 1));
  }
  dGeomID ball = dCreateSphere(w.space, 0.05);
  dBodyID body = odeWorld_Body(&w, ball, 1, 0, 0, 0);
  dBodySetLinearVel(body, 500, 0, 0); /* 8.3 m a step: all of them in the first */
  dBrinkWorldStep(w.brink, w.h, &w, odeWorld_Near, w.contacts);
  dBrinkStepInfo info = odeWorld_Info(&w);
  for (int i = 0; i < info.sensorEventCount; ++i) {
    entered += info.sensorEvents[i].kind == dBrinkSensorEnter;
    left += info.sensorEvents[i].kind == dBrinkSensorExit;
  }
  assert_int_equal(entered, count);
  assert_int_equal(left, count);
  assert_true(fabs(xOf(body) - 500.0 / 60) < 1e-9);
  end(&w);
}

/* rapier 984, godot 9071: two fast bodies pass each other. */
CASE(two_fast_bodies_do_not_pass_each_other) {
  for (int kind = 0; kind < 3; ++kind) {
    odeWorld w;
    begin(&w, true, 0);
    w.bounce = 1;
    dGeomID geoms[2];
    dBodyID bodies[2];
    for (int i = 0; i < 2; ++i) {
      geoms[i] = kind == 0   ? dCreateSphere(w.space, 0.05)
                 : kind == 1 ? dCreateBox(w.space, 0.05, 0.1, 0.1)
                             : dCreateCapsule(w.space, 0.05, 0.2);
      bodies[i] = odeWorld_Body(&w, geoms[i], 1, i == 0 ? -3 : 3.3, 0, 0);
      dBodySetLinearVel(bodies[i], i == 0 ? 300 : -250, 0, 0);
    }
    steps(&w, 3);
    assert_true(xOf(bodies[0]) < xOf(bodies[1]));
    end(&w);
  }
}

/* godot 9071, PhysX 685, C2A's reason to be: compound and mesh movers. */
CASE(compound_and_mesh_movers_stop) {
  static const double corners[12] = {-0.5, -0.5, -0.1, 0.5, -0.5, -0.1, 0, 0.5, -0.1, 0, 0, 0.3};
  static const dTriIndex faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  odeWorld w;
  begin(&w, true, 0);
  addWall(&w, 6, 0.01);
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, corners, 3 * sizeof(double), 4, faces, 12, 3 * sizeof(dTriIndex));
  dBodyID dumbbell = odeWorld_Body(&w, NULL, 1, 0, -4, 0), mesh = odeWorld_Body(&w, NULL, 1, 0, 4, 0);
  for (int side = -1; side <= 1; side += 2) {
    dGeomID ball = dCreateSphere(w.space, 0.1);
    dGeomSetBody(ball, dumbbell);
    dGeomSetOffsetPosition(ball, 0, 0, side);
  }
  dGeomID rod = dCreateCapsule(w.space, 0.03, 2);
  dGeomSetBody(rod, dumbbell);
  dGeomSetBody(dCreateTriMesh(w.space, data, NULL, NULL, NULL), mesh);
  dBodySetLinearVel(dumbbell, 200, 0, 0);
  dBodySetAngularVel(dumbbell, 0, 40, 0);
  dBodySetLinearVel(mesh, 200, 0, 0);
  dBodySetAngularVel(mesh, 3, 30, 10);
  for (int i = 0; i < 60; ++i) {
    steps(&w, 1);
    for (int side = -1; side <= 1; side += 2) {
      dVector3 end0;
      dBodyGetRelPointPos(dumbbell, 0, 0, side, end0);
      assert_true(end0[0] < 6);
    }
    for (int k = 0; k < 4; ++k) {
      dVector3 corner;
      dBodyGetRelPointPos(mesh, corners[3 * k], corners[3 * k + 1], corners[3 * k + 2], corner);
      assert_true(corner[0] < 6);
    }
  }
  end(&w);
  dInitODE2(0);
  dGeomTriMeshDataDestroy(data);
  dCloseODE();
}

/* godot-jolt 389: no CCD for pure rotation. */
CASE(a_propeller_does_not_chop_through_a_post) {
  for (int withBrink = 0; withBrink < 2; ++withBrink) {
    odeWorld w;
    begin(&w, withBrink != 0, 0);
    dGeomID blade = dCreateBox(w.space, 2, 0.02, 0.1), post = dCreateCylinder(w.space, 0.02, 1);
    dGeomSetPosition(post, 0.9 * cos(1.1), 0.9 * sin(1.1), 0);
    dBodyID body = odeWorld_Body(&w, blade, 1, 0, 0, 0);
    dJointID hinge = dJointCreateHinge(w.world, NULL);
    dJointAttach(hinge, body, NULL);
    dJointSetHingeAnchor(hinge, 0, 0, 0);
    dJointSetHingeAxis(hinge, 0, 0, 1);
    dBodySetAngularVel(body, 0, 0, 60); /* a radian a step */
    double turned = 0, least = 0, most = 0;
    for (int i = 0; i < 30; ++i) {
      steps(&w, 1);
      turned += dBodyGetAngularVel(body)[2] * w.h;
      most = fmax(most, turned);
      least = fmin(least, turned);
    }
    const dReal *q = dBodyGetQuaternion(body);
    double angle = fabs(remainder(2 * atan2(q[3], q[0]), 6.283185307179586));
    (void)least;
    assert_true(withBrink ? angle <= 1.101 || angle >= 3.14159 - 2.05 : most > 6);
    end(&w);
  }
}

/* bullet3 97, sbox 1359: ragdolls and hierarchies stretch, or do not work with CCD. */
static double worstStretch(bool withBrink, double wallThickness, int *through) {
  enum { links = 8 };
  odeWorld w;
  begin(&w, withBrink, 0);
  addWall(&w, 5, wallThickness);
  dBodyID bodies[links];
  dJointID joints[links - 1];
  double worst = 0;
  for (int i = 0; i < links; ++i) {
    bodies[i] = odeWorld_Body(&w, dCreateCapsule(w.space, 0.05, 0.2), 0.5, 0, 0.3 * i, 0);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 1, 0, 0, 1.5707963267948966);
    dBodySetRotation(bodies[i], turn);
    dBodySetLinearVel(bodies[i], 40, 0, 0);
    if (i > 0) {
      joints[i - 1] = dJointCreateBall(w.world, NULL);
      dJointAttach(joints[i - 1], bodies[i - 1], bodies[i]);
      dJointSetBallAnchor(joints[i - 1], 0, 0.3 * i - 0.15, 0);
    }
  }
  *through = 0;
  for (int i = 0; i < 60; ++i) {
    steps(&w, 1);
    for (int k = 0; k + 1 < links; ++k) {
      dVector3 a, b;
      dJointGetBallAnchor(joints[k], a);
      dJointGetBallAnchor2(joints[k], b);
      worst = fmax(worst,
                   sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2])));
    }
  }
  for (int i = 0; i < links; ++i) {
    *through += xOf(bodies[i]) > 5;
  }
  end(&w);
  return worst;
}

CASE(ragdolls_stop_without_stretching) {
  int thick, thin;
  double plain = worstStretch(false, 1, &thick), brink = worstStretch(true, 0.01, &thin);
  print_message("worst joint error: ODE at a wall of 1 m %.3g m (%d of 8 links through), Brink at 1 cm %.3g m\n", plain,
                thick, brink);
  assert_int_equal(thin, 0);
  assert_true(brink <= 1.1 * plain + 0.01);
}

/* bullet3 2483, avian 990, Newton's docs: restitution is lost, depends on where the step began. */
CASE(bounce_is_the_same_wherever_the_step_begins) {
  for (int i = 0; i < 12; ++i) {
    odeWorld w;
    begin(&w, true, 0);
    w.bounce = 0.7;
    addWall(&w, 5, 0.005);
    dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.02), 1, -0.37 * i, 0, 0);
    dBodySetLinearVel(body, 120, 0, 0);
    steps(&w, 12);
    double speed = dBodyGetLinearVel(body)[0];
    if (fabs(speed + 84) > 0.84) {
      fail_msg("start %g: leaves at %g m/s instead of -84", -0.37 * i, speed);
    }
    end(&w);
  }
}

/* avian 594, 996: speculative contacts deflect bodies that never touch. */
CASE(a_near_miss_is_a_miss) {
  odeWorld w;
  begin(&w, true, 0);
  w.bounce = 0.5;
  dGeomID post = dCreateBox(w.space, 1, 1, 1);
  dGeomSetPosition(post, 5, 0.601, 0); /* a millimetre beside the way */
  dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 0);
  dBodySetLinearVel(body, 150, 0, 0);
  steps(&w, 10);
  const dReal *v = dBodyGetLinearVel(body), *p = dBodyGetPosition(body);
  assert_true(v[0] == 150 && v[1] == 0 && v[2] == 0 && p[1] == 0);
  assert_true(fabs(p[0] - 25) < 1e-9);
  end(&w);
}

/* rapier 932 and its test for issue 217, godot-rapier 529: stutter, hitches in mid-air, because an impact eats the
 * step. */
CASE(no_time_is_lost_at_an_impact) {
  odeWorld w;
  begin(&w, true, 0);
  w.bounce = 1;
  w.mu = 0;
  addWall(&w, 0, 0.02);
  addWall(&w, 3, 0.02);
  dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 1.5, 0, 0);
  dBodySetLinearVel(body, 97, 5, 0);
  double lost = 0;
  int impacts = 0;
  for (int i = 0; i < 120; ++i) {
    steps(&w, 1);
    lost += odeWorld_Info(&w).lostTime;
    impacts += odeWorld_Info(&w).eventCount;
  }
  /* Along the walls nothing stops it: a hitch shows as way missing. An impact in the last hundredth of a step waits
   * there. */
  double missing = 5 * 120 / 60.0 - dBodyGetPosition(body)[1];
  print_message("%d impacts in 2 s, %.3g s lost, %.3g m of the way missing\n", impacts, lost, missing);
  assert_true(impacts > 50);
  assert_true(lost <= 0.01 * w.h * impacts && fabs(missing - 5 * lost) < 1e-6);
  assert_true(xOf(body) > 0 && xOf(body) < 3);
  assert_true(fabs(fabs(dBodyGetLinearVel(body)[0]) - 97) < 1);
  end(&w);
}

/* godot-rapier 529: a pin-jointed body driven by a torque stutters. */
CASE(a_driven_hinge_turns_as_in_plain_ode) {
  double angles[2];
  for (int withBrink = 0; withBrink < 2; ++withBrink) {
    odeWorld w;
    begin(&w, withBrink != 0, -9.81);
    dCreatePlane(w.space, 0, 0, 1, 0);
    dBodyID body = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.2, 0.2), 1, 0, 0, 2);
    dJointID hinge = dJointCreateHinge(w.world, NULL);
    dJointAttach(hinge, body, NULL);
    dJointSetHingeAnchor(hinge, 0, 0, 2);
    dJointSetHingeAxis(hinge, 0, 1, 0);
    for (int i = 0; i < 200; ++i) {
      dBodyAddTorque(body, 0, 3, 0);
      steps(&w, 1);
    }
    angles[withBrink] = dJointGetHingeAngleRate(hinge);
    end(&w);
  }
  assert_true(angles[0] == angles[1]);
}

/* box2d, Bullet's internal-edge threads, field.md theme 6: bodies catch on inner edges of a mesh. */
CASE(sliding_over_mesh_edges_meets_no_ghost) {
  enum { cells = 12 };
  static double vertices[(cells + 1) * (cells + 1) * 3];
  static dTriIndex faces[cells * cells * 6];
  odeWorld w;
  begin(&w, true, -9.81);
  for (int y = 0; y <= cells; ++y) {
    for (int x = 0; x <= cells; ++x) {
      double *v = vertices + 3 * (y * (cells + 1) + x);
      v[0] = x - 1;
      v[1] = y - cells / 2.0;
      v[2] = 0;
    }
  }
  for (int i = 0; i < cells * cells; ++i) {
    dTriIndex a = (dTriIndex)(i / cells * (cells + 1) + i % cells), b = a + 1, c = a + cells + 1, d = c + 1;
    const dTriIndex corners[6] = {a, b, d, a, d, c};
    memcpy(faces + 6 * i, corners, sizeof(corners));
  }
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, vertices, 3 * sizeof(double), (cells + 1) * (cells + 1), faces, cells * cells * 6,
                              3 * sizeof(dTriIndex));
  dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  assert_true(dBrinkRegister(dTriMeshClass, dSphereClass));
  assert_true(dBrinkRegister(dTriMeshClass, dBoxClass));
  w.mu = 0;
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.2), 1, 0, 0.13, 0.21);
  dBodyID box = odeWorld_Body(&w, dCreateBox(w.space, 0.4, 0.4, 0.4), 1, 0, 2.13, 0.215);
  dBodySetLinearVel(ball, 6, 0, 0);
  dBodySetLinearVel(box, 6, 0, 0);
  for (int i = 0; i < 80; ++i) {
    steps(&w, 1);
    const dReal *v = dBodyGetLinearVel(ball), *u = dBodyGetLinearVel(box);
    if (i > 5 && (fabs(v[0] - 6) > 0.06 || fabs(v[2]) > 0.05 || fabs(u[0] - 6) > 0.06 || fabs(u[2]) > 0.05)) {
      fail_msg("step %d: ball %g %g, box %g %g m/s along and up", i, v[0], v[2], u[0], u[2]);
    }
  }
  end(&w);
  dInitODE2(0);
  dGeomTriMeshDataDestroy(data);
  dCloseODE();
}

/* godot 72889, 69676: misses on sloped meshes; gz-sim 1714: through the heightmap. */
CASE(slopes_of_triangles_hold) {
  static const double corners[12] = {-20, -20, -8, 20, -20, 8, 20, 20, 8, -20, 20, -8};
  static const dTriIndex faces[6] = {0, 1, 2, 0, 2, 3};
  odeWorld w;
  begin(&w, true, -9.81);
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, corners, 3 * sizeof(double), 4, faces, 6, 3 * sizeof(dTriIndex));
  dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  dBodyID balls[8];
  for (int i = 0; i < 8; ++i) {
    balls[i] = odeWorld_Body(&w, dCreateSphere(w.space, 0.02), 0.1, 2 * i - 8, i - 4, 12);
    dBodySetLinearVel(balls[i], 5 * i - 20, 3, -150);
  }
  for (int step = 0; step < 40; ++step) {
    steps(&w, 1);
    for (int i = 0; i < 8; ++i) {
      const dReal *p = dBodyGetPosition(balls[i]);
      bool over = fabs(p[0]) < 20 && fabs(p[1]) < 20;
      assert_true(!over || p[2] > 0.4 * p[0]);
    }
  }
  end(&w);
  dInitODE2(0);
  dGeomTriMeshDataDestroy(data);
  dCloseODE();
}

/* JoltPhysics 150: leaks when the program sets the velocity in each step. */
CASE(a_velocity_set_in_every_step_does_not_leak) {
  odeWorld w;
  begin(&w, true, 0);
  addWall(&w, 4, 0.005);
  dBodyID body = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.2, 0.2), 1, 0, 0, 0);
  for (int i = 0; i < 200; ++i) {
    dBodySetLinearVel(body, 80, 0, 0);
    steps(&w, 1);
    assert_true(xOf(body) < 4);
  }
  end(&w);
}

/* mujoco 441: balls leave a fast cup; raisim 6, dart 426: thin things fall through. */
CASE(balls_stay_in_a_shaken_cup) {
  odeWorld w;
  begin(&w, true, -9.81);
  w.quick = true;
  dBodyID cup = dBodyCreate(w.world);
  dBodySetKinematic(cup);
  for (int side = 0; side < 6; ++side) {
    double half = 0.3, place[3] = {0, 0, 0}, size[3] = {0.62, 0.62, 0.62};
    place[side / 2] = side % 2 ? half : -half;
    size[side / 2] = 0.004;
    dGeomID board = dCreateBox(w.space, size[0], size[1], size[2]);
    dGeomSetBody(board, cup);
    dGeomSetOffsetPosition(board, place[0], place[1], place[2]);
  }
  dBodyID balls[5];
  for (int i = 0; i < 5; ++i) {
    balls[i] = odeWorld_Body(&w, dCreateSphere(w.space, 0.04), 0.05, 0.1 * (i - 2), 0, 0);
  }
  for (int i = 0; i < 120; ++i) {
    dBodySetLinearVel(cup, 12 * cos(0.9 * i), 9 * sin(0.7 * i), 10 * cos(0.5 * i));
    steps(&w, 1);
    for (int k = 0; k < 5; ++k) {
      dVector3 inside;
      const dReal *p = dBodyGetPosition(balls[k]);
      dBodyGetPosRelPoint(cup, p[0], p[1], p[2], inside);
      assert_true(fabs(inside[0]) < 0.3 && fabs(inside[1]) < 0.3 && fabs(inside[2]) < 0.3);
    }
  }
  end(&w);
}

/* box2d 1040: a threshold per body is wanted; PhysX 42: sleeping bodies cost; FlaxEngine 2768: set-up fails in silence.
 */
CASE(thresholds_are_per_geom_and_nothing_fails_in_silence) {
  odeWorld w;
  begin(&w, true, 0);
  dGeomID wall = addWall(&w, 1, 0.1), ball = dCreateSphere(w.space, 0.1);
  dBodyID body = odeWorld_Body(&w, ball, 1, 0, 0, 0);
  char text[512];
  assert_true(dBrinkSetGeomAllowance(w.brink, ball, 0.001));
  assert_int_equal(dBrinkExplainPair(w.brink, ball, wall, text, sizeof(text)) & ~dBrinkReasonSlow, 0);
  dGeomDisable(wall);
  assert_true(dBrinkExplainPair(w.brink, ball, wall, text, sizeof(text)) & dBrinkReasonDisabled);
  dGeomEnable(wall);
  dBodySetLinearVel(body, 100, 0, 0);
  steps(&w, 3);
  assert_true(xOf(body) < 1);
  end(&w);
}

/* webots 5657: parent and child of a joint strike each other. */
CASE(joined_parts_do_not_strike_each_other) {
  odeWorld w;
  begin(&w, true, 0);
  dBodyID a = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.2, 0.2), 1, 0, 0, 0);
  dBodyID b = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.2, 0.2), 1, 0.9, 0, 0);
  dJointID hinge = dJointCreateHinge(w.world, NULL);
  dJointAttach(hinge, a, b);
  dJointSetHingeAnchor(hinge, 0.45, 0, 0);
  dJointSetHingeAxis(hinge, 0, 0, 1);
  dBodySetAngularVel(a, 0, 0, 20);
  dBodySetAngularVel(b, 0, 0, -20);
  int events = 0;
  for (int i = 0; i < 30; ++i) {
    steps(&w, 1);
    events += odeWorld_Info(&w).eventCount;
  }
  assert_int_equal(events, 0);
  end(&w);
}

int main(void) { return cases_Run(NULL, NULL); }
