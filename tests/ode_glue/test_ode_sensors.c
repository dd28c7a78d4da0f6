/* SPDX-License-Identifier: BSD-3-Clause */
/* Sensors: what crosses is told with the times of entrance and exit, also within one step, and nothing is stopped.
 * Judged by closed forms of straight flights and by dense sampling. Units: SI; times as parts of a step. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_kinds.h"
#include "ode_start.h"
#include "ode_world.h"

#define NEARLY 1e-5 /* of a step */

static dGeomID addSensorBox(odeWorld *w, double x, double thickness) {
  dGeomID geom = dCreateBox(w->space, thickness, 4, 4);
  dGeomSetPosition(geom, x, 0, 0);
  w->sensor = geom;
  assert_int_equal(dBrinkSetSensor(w->brink, geom, 1), 1);
  return geom;
}

static dBodyID addBall(odeWorld *w, double radius, double x, double y, double speed) {
  dBodyID ball = odeWorld_Body(w, dCreateSphere(w->space, radius), 0.1, x, y, 0);
  dBodySetLinearVel(ball, speed, 0, 0);
  return ball;
}

static const dBrinkSensorEvent *findEvent(const dBrinkStepInfo *info, dGeomID other, int kind) {
  for (int i = 0; i < info->sensorEventCount; ++i) {
    if (info->sensorEvents[i].other == other && info->sensorEvents[i].kind == kind) {
      return &info->sensorEvents[i];
    }
  }
  return NULL;
}

static void checkEvent(const dBrinkStepInfo *info, dBodyID body, int kind, double exact) {
  const dBrinkSensorEvent *event = findEvent(info, dBodyGetFirstGeom(body), kind);
  if (event == NULL || !(fabs(event->toi - exact) < NEARLY) || !(event->toiUpper >= event->toi)) {
    fail_msg("%s of a body: told %g, exact %g, %d events", kind == dBrinkSensorEnter ? "entrance" : "exit",
             event != NULL ? event->toi : (double)NAN, exact, info->sensorEventCount);
  }
}

CASE(many_bodies_cross_within_one_step_and_none_is_missed) {
  enum { balls = 200 };
  odeWorld w;
  odeWorld_Make(&w, true, true, 0);
  addSensorBox(&w, 0, 0.01);
  dBodyID bodies[balls];
  double starts[balls], speeds[balls], radii[balls];
  uint64_t seed = 11;
  for (int i = 0; i < balls; ++i) {
    starts[i] = odeUniform(&seed, -2, -0.2);
    speeds[i] = odeUniform(&seed, 150, 300);
    radii[i] = odeUniform(&seed, 0.001, 0.008);
    bodies[i] = addBall(&w, radii[i], starts[i], -1.9 + 0.018 * i, speeds[i]);
  }
  assert_int_equal(odeWorld_Step(&w), 1);
  dBrinkStepInfo info = odeWorld_Info(&w);
  assert_int_equal(info.solves, 1);
  assert_int_equal(info.eventCount, 0);
  assert_int_equal(info.sensorEventCount, 2 * balls);
  for (int i = 0; i < balls; ++i) {
    checkEvent(&info, bodies[i], dBrinkSensorEnter, (-0.005 - radii[i] - starts[i]) / (speeds[i] * w.h));
    checkEvent(&info, bodies[i], dBrinkSensorExit, (0.005 + radii[i] - starts[i]) / (speeds[i] * w.h));
    assert_true(fabs(dBodyGetPosition(bodies[i])[0] - starts[i] - speeds[i] * w.h) < 1e-9);
  }
  for (int i = 1; i < info.sensorEventCount; ++i) {
    assert_true(info.sensorEvents[i - 1].toi <= info.sensorEvents[i].toi);
  }
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_int_equal(odeWorld_Info(&w).sensorEventCount, 0);
  odeWorld_End(&w);
}

/* Over many steps; slow enough that nothing else would be asked about it. */
CASE(a_slow_body_enters_once_and_leaves_once) {
  static const double speeds[] = {0.003, 0.05, 1, 20};
  for (int i = 0; i < 4; ++i) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    addSensorBox(&w, 0, 0.02);
    double start = -0.01 - 0.05 - 10.3 * speeds[i] * w.h;
    dBodyID ball = addBall(&w, 0.05, start, 0, speeds[i]);
    double entered = (double)NAN, left = (double)NAN;
    int frames = (int)(0.12 / (speeds[i] * w.h)) + 30;
    for (int frame = 0; frame < frames; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      dBrinkStepInfo info = odeWorld_Info(&w);
      for (int k = 0; k < info.sensorEventCount; ++k) {
        double *time = info.sensorEvents[k].kind == dBrinkSensorEnter ? &entered : &left;
        assert_true(isnan(*time));
        assert_ptr_equal(info.sensorEvents[k].sensor, w.sensor);
        *time = frame + info.sensorEvents[k].toi;
      }
    }
    double exact = 10.3 + 0.12 / (speeds[i] * w.h), tolerance = 1e-5 + 1e-6 / (speeds[i] * w.h);
    if (!(fabs(entered - 10.3) < tolerance) || !(fabs(left - exact) < tolerance)) {
      fail_msg("%g m/s: entered at frame %.9g, left at %.9g; exact 10.3, %.9g", speeds[i], entered, left, exact);
    }
    assert_true(fabs(dBodyGetPosition(ball)[0] - start - frames * speeds[i] * w.h) < 1e-9);
    odeWorld_End(&w);
  }
}

/* In, to the wall behind, back out: one step. */
CASE(a_bounce_behind_the_sensor_is_in_and_out) {
  odeWorld w;
  odeWorld_MakeElastic(&w, false);
  addSensorBox(&w, 0, 0.1);
  dGeomSetPosition(dCreateBox(w.space, 0.01, 4, 4), 0.5, 0, 0);
  dBodyID ball = addBall(&w, 0.005, -1, 0, 200);
  assert_int_equal(odeWorld_Step(&w), 1);
  dBrinkStepInfo info = odeWorld_Info(&w);
  assert_int_equal(info.solves, 2);
  assert_int_equal(info.sensorEventCount, 4);
  double step = 200 * w.h, wall = 1.49;
  const double expected[4] = {0.945 / step, 1.055 / step, (wall + 0.435) / step, (wall + 0.545) / step};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(info.sensorEvents[i].kind, i % 2 ? dBrinkSensorExit : dBrinkSensorEnter);
    if (fabs(info.sensorEvents[i].toi - expected[i]) > 1e-4) {
      fail_msg("event %d at %g, not %g", i, info.sensorEvents[i].toi, expected[i]);
    }
  }
  assert_true(dBodyGetPosition(ball)[0] < -0.05);
  odeWorld_End(&w);
}

/* From the start's pose to the end's, 2 atan(w h / 2), at constant spin. */
CASE(a_turning_rod_crosses_a_ball_sensor) {
  for (int jointed = 0; jointed < 2; ++jointed) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dGeomID sensor = dCreateSphere(w.space, 0.01);
    dGeomSetPosition(sensor, 0, 0.4, 0);
    w.sensor = sensor;
    assert_int_equal(dBrinkSetSensor(w.brink, sensor, 1), 1);
    dBodyID rod = odeWorld_Body(&w, dCreateBox(w.space, 1, 0.02, 0.02), 1, 0, 0, 0);
    dBodySetAngularVel(rod, 0, 0, 160);
    if (jointed) {
      dJointID hinge = dJointCreateHinge(w.world, NULL);
      dJointAttach(hinge, rod, NULL);
      dJointSetHingeAnchor(hinge, 0, 0, 0);
      dJointSetHingeAxis(hinge, 0, 0, 1);
    }
    assert_int_equal(odeWorld_Step(&w), 1);
    dBrinkStepInfo info = odeWorld_Info(&w);
    assert_int_equal(info.sensorEventCount, 2);
    double whole = 2 * atan(160 * w.h / 2), half = asin(0.02 / 0.4); /* the rod's face lies 0.01 off its axis */
    checkEvent(&info, rod, dBrinkSensorEnter, (M_PI / 2 - half) / whole);
    checkEvent(&info, rod, dBrinkSensorExit, (M_PI / 2 + half) / whole);
    odeWorld_End(&w);
  }
}

/* A sensor that moves over what rests, and one that a mesh makes. */
CASE(a_moving_sensor_sweeps_over_resting_bodies) {
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dCreatePlane(w.space, 0, 0, 1, 0);
  dBodyID boxes[6];
  for (int i = 0; i < 6; ++i) {
    boxes[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.2, 0.2), 1, 1 + i, 0, 0.1);
  }
  dBodyID gate = odeWorld_Body(&w, dCreateBox(w.space, 0.02, 1, 1), 1, -3, 0, 0.6);
  dBodySetKinematic(gate);
  w.sensor = dBodyGetFirstGeom(gate);
  assert_int_equal(dBrinkSetSensor(w.brink, w.sensor, 1), 1);
  for (int frame = 0; frame < 100; ++frame) {
    odeWorld_Step(&w); /* at rest */
  }
  dBodySetLinearVel(gate, 600, 0, 0); /* over all six in one step */
  double at = dBodyGetPosition(gate)[0], step = 600 * w.h;
  assert_int_equal(odeWorld_Step(&w), 1);
  dBrinkStepInfo info = odeWorld_Info(&w);
  assert_int_equal(info.solves, 1);
  assert_int_equal(info.sensorEventCount, 12);
  for (int i = 0; i < 6; ++i) {
    checkEvent(&info, boxes[i], dBrinkSensorEnter, (1 + i - 0.11 - at) / step);
    checkEvent(&info, boxes[i], dBrinkSensorExit, (1 + i + 0.11 - at) / step);
  }
  odeWorld_End(&w);
}

CASE(a_mesh_senses_with_its_surface) {
  static const double corners[4][3] = {{0, -1, -1}, {0, 1, -1}, {0, 1, 1}, {0, -1, 1}};
  static const dTriIndex triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, corners, sizeof(corners[0]), 4, triangles, 6, sizeof(triangles[0]));
  w.sensor = dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  assert_int_equal(dBrinkSetSensor(w.brink, w.sensor, 1), 1);
  dBodyID ball = addBall(&w, 0.02, -1, 0.1, 100);
  assert_int_equal(odeWorld_Step(&w), 1);
  dBrinkStepInfo info = odeWorld_Info(&w);
  assert_int_equal(info.sensorEventCount, 2);
  checkEvent(&info, ball, dBrinkSensorEnter, 0.98 / (100 * w.h));
  checkEvent(&info, ball, dBrinkSensorExit, 1.02 / (100 * w.h));
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
}

/* What the program does to a body that is inside. */
CASE(teleports_filters_and_deaths_are_noticed) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  addSensorBox(&w, 0, 1);
  dBodyID balls[5];
  for (int i = 0; i < 5; ++i) {
    balls[i] = addBall(&w, 0.1, 0, -1 + 0.4 * i, 0);
  }
  assert_int_equal(odeWorld_Step(&w), 1);
  dBrinkStepInfo info = odeWorld_Info(&w);
  assert_int_equal(info.sensorEventCount, 5); /* they were made inside */
  assert_true(info.sensorEvents[4].kind == dBrinkSensorEnter && info.sensorEvents[4].toi == 0);
  for (int frame = 0; frame < 5; ++frame) {
    odeWorld_Step(&w);
    assert_int_equal(odeWorld_Info(&w).sensorEventCount, 0);
  }
  dBodySetPosition(balls[0], 3, 0, 0);
  dGeomDisable(dBodyGetFirstGeom(balls[1]));
  dGeomSetCategoryBits(dBodyGetFirstGeom(balls[2]), 0);
  dGeomSetCollideBits(dBodyGetFirstGeom(balls[2]), 0);
  dGeomDestroy(dBodyGetFirstGeom(balls[3]));
  dBodyDestroy(balls[3]);
  odeWorld_Step(&w);
  info = odeWorld_Info(&w);
  assert_int_equal(info.sensorEventCount, 3);
  for (int i = 0; i < 3; ++i) {
    checkEvent(&info, balls[i], dBrinkSensorExit, 0);
  }
  dBodySetLinearVel(balls[4], 60, 0, 0);
  odeWorld_Step(&w);
  info = odeWorld_Info(&w);
  assert_int_equal(info.sensorEventCount, 1);
  checkEvent(&info, balls[4], dBrinkSensorExit, 0.6);
  assert_int_equal(dBrinkSetTaylorOrder(w.brink, 2), 1); /* the mirror is built again, settings stay */
  dBodySetLinearVel(balls[4], -60, 0, 0);
  odeWorld_Step(&w);
  info = odeWorld_Info(&w);
  checkEvent(&info, balls[4], dBrinkSensorEnter, 0.4);
  assert_int_equal(dBrinkSetSensor(w.brink, w.sensor, 0), 1);
  odeWorld_Step(&w);
  assert_int_equal(odeWorld_Info(&w).sensorEventCount, 0);
  odeWorld_End(&w);
}

/* A trigger on the ground would be told of the ground. What is moved by hand is told once it sweeps. */
CASE(geoms_without_bodies_tell_nothing_of_each_other_unless_one_sweeps) {
  for (int sweeps = 0; sweeps < 2; ++sweeps) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dGeomID sensor = addSensorBox(&w, 0, 1), hand = dCreateSphere(w.space, 0.1);
    dGeomSetPosition(hand, 3, 0, 0);
    assert_int_equal(dBrinkSetSweep(w.brink, hand, sweeps), 1);
    int told[2] = {0, 0};
    for (int frame = 0; frame < 6; ++frame) {
      dGeomSetPosition(hand, 3 - 1.1 * frame, 0, 0); /* inside at the end of one frame */
      assert_int_equal(odeWorld_Step(&w), 1);
      const dBrinkStepInfo info = odeWorld_Info(&w);
      told[0] += findEvent(&info, hand, dBrinkSensorEnter) != NULL;
      told[1] += findEvent(&info, hand, dBrinkSensorExit) != NULL;
    }
    char text[500];
    const int reasons = dBrinkExplainPair(w.brink, sensor, hand, text, sizeof(text));
    if (told[0] != sweeps || told[1] != sweeps || !(reasons & dBrinkReasonSensor) ||
        strstr(text, "it is told of what has a body, or sweeps") == NULL) {
      fail_msg("sweeps %d: %d entrances, %d exits told; %s", sweeps, told[0], told[1], text);
    }
    odeWorld_End(&w);
  }
}

CASE(wrong_sensors_are_refused) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dGeomID loose = dCreateSphere(NULL, 1);
  assert_int_equal(dBrinkSetSensor(w.brink, loose, 1), 0);
  assert_true(strstr(dBrinkGetError(w.brink), "dBrinkSetSensor") != NULL);
  assert_int_equal(dBrinkSetSensor(w.brink, NULL, 1), 0);
  assert_int_equal(dBrinkSetSensor(NULL, loose, 1), 0);
  dGeomDestroy(loose);
  odeWorld_End(&w);
}

/* Entrance and exit of random flights through random boxes and balls, against dense sampling of the distance. */
CASE(random_crossings_agree_with_sampling) {
  uint64_t seed = 4711;
  int crossings = 0;
  for (int run = 0; run < 60; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dGeomID sensor = run % 2 ? dCreateBox(w.space, 0.5, 0.3, 0.2) : dCreateCapsule(w.space, 0.1, 0.5);
    dQuaternion q = {odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5, odeRandom(&seed) - 0.5};
    dNormalize4(q);
    dGeomSetQuaternion(sensor, q);
    w.sensor = sensor;
    dBodyID body = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.1, 0.3), 1, -1, odeUniform(&seed, -0.4, 0.4), 0);
    double v[3] = {odeUniform(&seed, 60, 130), odeUniform(&seed, -10, 10), odeUniform(&seed, -10, 10)};
    double spin[3] = {odeUniform(&seed, -60, 60), odeUniform(&seed, -60, 60), odeUniform(&seed, -60, 60)};
    dBodySetLinearVel(body, v[0], v[1], v[2]);
    dBodySetAngularVel(body, spin[0], spin[1], spin[2]);
    dMass mass;
    dMassSetSphereTotal(&mass, 1, 0.2); /* no gyroscopic torque: the spin stays what it is */
    dBodySetMass(body, &mass);
    assert_int_equal(dBrinkSetSensor(w.brink, sensor, 1), 1);
    const dReal *p = dBodyGetPosition(body), *turn = dBodyGetQuaternion(body);
    const double p0[3] = {p[0], p[1], p[2]}, q0[4] = {turn[0], turn[1], turn[2], turn[3]};
    assert_int_equal(odeWorld_Step(&w), 1);
    dBrinkStepInfo info = odeWorld_Info(&w);
    const dBrinkSensorEvent *in = findEvent(&info, dBodyGetFirstGeom(body), dBrinkSensorEnter);
    const dBrinkSensorEvent *out = findEvent(&info, dBodyGetFirstGeom(body), dBrinkSensorExit);
    double toi[2] = {in != NULL ? in->toi : 2, out != NULL ? out->toi : 2}, first = 2, last = 2;
    dBodySetLinearVel(body, 0, 0, 0);
    dBodySetAngularVel(body, 0, 0, 0);
    double speed = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]), whole = 2 * atan(speed * w.h / 2);
    for (int i = 0; i <= 400; ++i) {
      double s = i / 400.0;
      dQuaternion part, now;
      dQFromAxisAndAngle(part, spin[0], spin[1], spin[2], s * whole);
      dQMultiply0(now, part, q0);
      dBodySetPosition(body, p0[0] + s * v[0] * w.h, p0[1] + s * v[1] * w.h, p0[2] + s * v[2] * w.h);
      dBodySetQuaternion(body, now);
      if (dBrinkGeomDistance(w.brink, sensor, dBodyGetFirstGeom(body)) <= 0) {
        first = fmin(first, s);
        last = s;
      }
    }
    bool leaves = last < 1;
    if (fabs(toi[0] - first) > 0.01 || (first < 2 && leaves && fabs(toi[1] - last) > 0.01)) {
      fail_msg("run %d (seed 4711): told %g to %g, sampled %g to %g", run, toi[0], toi[1], first, last);
    }
    crossings += first < 2;
    odeWorld_End(&w);
  }
  assert_true(crossings > 20);
}

/* ---- rays */

/* Frames and part of one after which the ray was told of, counted from the next step on; events: how often. */
static double watchRay(odeWorld *w, int frames, int *events) {
  double when = (double)NAN;
  *events = 0;
  for (int frame = 0; frame < frames; ++frame) {
    assert_int_equal(odeWorld_Step(w), 1);
    const dBrinkStepInfo info = odeWorld_Info(w);
    when = info.eventCount > 0 ? frame + info.events[0].toi : when;
    *events += info.eventCount;
    assert_true(info.eventCount == 0 || info.firstToi == info.events[0].toi);
  }
  return when;
}

/* Each kind of geom flies across a ray, or the ray is moved by hand over the geom, and the first touch lies at a step's
 * end, or a little before or after it: round numbers do that. Also far from the origin, where poses round. */
CASE(a_touch_at_the_end_of_a_step_is_told_once) {
  static const double speeds[] = {0.01, 1, 3, 20}, places[] = {0, 3000};
  dTriMeshDataID cube = makeBoxData(cubeVertices);
  uint64_t seed = 5;
  int told = 0;
  for (int code = 0; code < 6 * 2 * 4 * 2 * 14; ++code) {
    const int kind = code % 6;
    const bool ray = code / 6 % 2;
    const double way = speeds[code / 12 % 4] / 60, place = places[code / 48 % 2]; /* m */
    const int nth = code / 96;                                                    /* 0: at the end itself */
    const double off = nth == 0 ? 0 : (nth % 2 ? 1 : -1) * pow(10, odeUniform(&seed, -12, -0.5)),
                 reach = kind == kindCapsule ? 0.4 : 0.2;
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dGeomID beam = w.sensor = dCreateRay(w.space, 4);
    dBodyID body = addKind(&w, cube, kind, place, 0, 0);
    const double start = place + (ray ? 1 : -1) * (reach + (4 + off) * way);
    assert_true(dBrinkSetRays(w.brink, 1));
    if (!ray) {
      dBodySetPosition(body, start, 0, 0);
      dBodySetLinearVel(body, 60 * way, 0, 0);
    }
    dGeomRaySet(beam, ray ? start : place, 0.01, -2, 0, 0, 1);
    assert_true(!ray || dBrinkSetSweep(w.brink, beam, 1));
    int events = 0;
    double when = (double)NAN;
    for (int frame = 0; frame < 8; ++frame) {
      int now;
      dGeomSetPosition(beam, ray ? start - (frame + 1) * way : place, 0.01, -2);
      const double time = frame + watchRay(&w, 1, &now);
      when = now > 0 ? time : when;
      events += now;
    }
    /* beside the middle of what is round the touch is later */
    const bool round = kind == kindSphere || kind == kindCapsule || kind == kindCylinder;
    const double exact = 4 + off + (round ? (0.2 - sqrt(0.2 * 0.2 - 0.01 * 0.01)) / way : 0);
    if (exact < 7.5 && (events != 1 || !(fabs(when - exact) * way < 1e-6))) {
      fail_msg("%s, ray moves %d, %g m a step at %g, %g off: told %d times, at %.9g, exact %.9g", kindNames[kind], ray,
               way, place, off, events, when, exact);
    }
    told += events;
    odeWorld_End(&w);
  }
  assert_true(told > 1000);
  dGeomTriMeshDataDestroy(cube);
}

/* A watched ray of 4 m along z, about the origin. */
static void makeWatchedRay(odeWorld *w) {
  odeWorld_Make(w, true, false, 0);
  w->sensor = dCreateRay(w->space, 4);
  dGeomRaySet(w->sensor, 0, 0, -2, 0, 0, 1);
  assert_int_equal(dBrinkSetRays(w->brink, 1), 1);
}

/* Nobody came there. Who leaves and comes back is told. */
CASE(a_ray_does_not_tell_what_was_put_into_it) {
  odeWorld w;
  makeWatchedRay(&w);
  dBodyID ball = addBall(&w, 0.05, 0.01, 0, 0);
  int events;
  (void)watchRay(&w, 3, &events);
  assert_int_equal(events, 0);
  dBodySetLinearVel(ball, 0.06, 0, 0); /* 1 mm a step, for 3 steps */
  (void)watchRay(&w, 3, &events);
  assert_int_equal(events, 0);
  dBodySetLinearVel(ball, 6, 0, 0); /* out */
  (void)watchRay(&w, 1, &events);
  assert_int_equal(events, 0);
  dBodySetLinearVel(ball, -6, 0, 0); /* and in again, from 0.113 */
  assert_true(fabs(watchRay(&w, 1, &events) - 0.63) < 1e-4);
  assert_int_equal(events, 1);
  odeWorld_End(&w);
}

/* It comes and goes by 1e-7 m, as what a solver holds does. */
CASE(what_lies_at_a_ray_is_told_once) {
  odeWorld w;
  makeWatchedRay(&w);
  dBodyID ball = addBall(&w, 0.05, 0.05 + 5e-8, 0, 0);
  int told = 0;
  for (int frame = 0; frame < 50; ++frame) {
    int events;
    dBodySetLinearVel(ball, (frame % 2 ? 60 : -60) * 1e-7, 0, 0);
    (void)watchRay(&w, 1, &events);
    told += events;
  }
  assert_int_equal(told, 1);
  odeWorld_End(&w);
}

int main(void) { return cases_Run(startOde, endOde); }
