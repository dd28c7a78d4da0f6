/* SPDX-License-Identifier: BSD-3-Clause */
/* Capture: programs whose callback data is gone when dSpaceCollide returns. The data is spoilt at once here; it must
 * never be read again, the program's own surfaces must count all the same, and what was not foreseen is clamped and
 * answered a frame later. Through the redirecting header, with dBrinkHookSetCallback. */
#include "cases.h"
#include <brink/ode_redirect.h>
#include <math.h>

#include "brink/ode.h"
#include "hook_support.h"

typedef struct Frame {
  double bounce;
  int magic;
} Frame;

typedef struct Scene {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  int quick, calls, contactCalls, stale, insideStep;
  int stepping;
  dGeomID sensor;
  double bounce;
} Scene;

static Scene *scene; /* of the running test: the callback's data is not to be trusted */

static void nearCallback(void *data, dGeomID a, dGeomID b) {
  const Frame *frame = data;
  scene->calls++;
  scene->stale += frame->magic != 4711;
  scene->insideStep += scene->stepping;
  dContact found[4];
  memset(found, 0, sizeof found);
  int count = dCollide(a, b, 4, &found[0].geom, sizeof(dContact));
  scene->contactCalls += count > 0;
  if (a == scene->sensor || b == scene->sensor) return;
  for (int i = 0; i < count; ++i) {
    found[i].surface.mode = dContactBounce;
    found[i].surface.bounce = frame->bounce;
    dJointAttach(dJointCreateContact(scene->world, scene->contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

static void begin(Scene *s, int quick) {
  *s = (Scene){.quick = quick, .bounce = 0.5};
  scene = s;
  dInitODE2(0);
  s->world = dWorldCreate();
  s->space = dSimpleSpaceCreate(NULL);
  s->contacts = dJointGroupCreate(0);
}

static void end(Scene *s) {
  dJointGroupDestroy(s->contacts);
  dSpaceDestroy(s->space);
  dWorldDestroy(s->world);
  dCloseODE();
}

static dBodyID ballAt(Scene *s, double x, double speed) {
  dBodyID body = dBodyCreate(s->world);
  dMass mass;
  dMassSetSphereTotal(&mass, 0.1, 0.01);
  dBodySetMass(body, &mass);
  dGeomSetBody(dCreateSphere(s->space, 0.01), body);
  dBodySetPosition(body, x, 0, 0);
  dBodySetLinearVel(body, speed, 0, 0);
  return body;
}

static void frameOf(Scene *s) {
  Frame frame = {s->bounce, 4711};
  dSpaceCollide(s->space, &frame, nearCallback);
  frame = (Frame){77, -1};
  s->stepping = 1;
  if (s->quick)
    dWorldQuickStep(s->world, 1.0 / 60);
  else
    dWorldStep(s->world, 1.0 / 60);
  s->stepping = 0;
  dJointGroupEmpty(s->contacts);
}

CASE(the_programs_surface_counts_and_its_data_is_not_touched) {
  for (int run = 0; run < 6; ++run) {
    Scene s;
    begin(&s, run % 2);
    s.bounce = run / 2 * 0.4;
    dCreateBox(s.space, 0.005, 1, 1);
    dBodyID ball = ballAt(&s, -12.3, 300);
    for (int i = 0; i < 10; ++i) frameOf(&s);
    double speed = dBodyGetLinearVel(ball)[0], x = dBodyGetPosition(ball)[0];
    double expected = -0.0125 - 300 * s.bounce * (10.0 / 60 - 12.2875 / 300);
    if (fabs(speed + 300 * s.bounce) > 3 || fabs(x - expected) > 0.01 * fabs(expected))
      fail_msg("bounce %g: speed %g, x %g, not %g", s.bounce, speed, x, expected);
    assert_int_equal(s.stale, 0);
    assert_int_equal(s.insideStep, 0);
    if (s.bounce > 0) assert_int_equal(s.contactCalls, 1); /* once per impact */
    end(&s);
  }
}

CASE(sensors_see_fast_bodies_and_do_not_hold_them) {
  Scene s;
  begin(&s, 0);
  s.sensor = dCreateBox(s.space, 0.5, 1, 1);
  dBodyID ball = ballAt(&s, -12.3, 300);
  for (int i = 0; i < 10; ++i) frameOf(&s);
  assert_true(fabs(dBodyGetPosition(ball)[0] - (-12.3 + 50)) < 1e-9);
  assert_int_equal(s.contactCalls, 1);
  assert_int_equal(s.insideStep, 0);
  end(&s);
}

/* In the first step nobody knows how long it will be; in a rebound nobody knows where it goes. */
CASE(what_was_not_foreseen_waits_a_frame_and_bounces_then) {
  for (int quick = 0; quick < 2; ++quick) {
    Scene s;
    begin(&s, quick);
    dCreateBox(s.space, 0.005, 1, 1);
    dBodyID ball = ballAt(&s, -3.1, 300);
    frameOf(&s);
    assert_true(dBodyGetPosition(ball)[0] < -0.0124 && dBodyGetPosition(ball)[0] > -0.0126);
    assert_true(dBodyGetLinearVel(ball)[0] == 300);
    dBrinkStepInfo info = {.structSize = sizeof info};
    assert_int_equal(dBrinkGetStepInfo(dBrinkOfWorld(s.world), &info), 1);
    assert_int_equal(info.clamps, 1);
    frameOf(&s);
    assert_true(fabs(dBodyGetLinearVel(ball)[0] + 150) < 1.5);
    assert_true(fabs(dBodyGetPosition(ball)[0] + 2.5) < 0.05);
    assert_int_equal(s.stale, 0);
    end(&s);
    /* between two plates, several rebounds a frame: kept in, without end */
    begin(&s, quick);
    s.bounce = 1;
    dGeomSetPosition(dCreateBox(s.space, 0.005, 1, 1), 0.15, 0, 0);
    dGeomSetPosition(dCreateBox(s.space, 0.005, 1, 1), -0.15, 0, 0);
    ball = ballAt(&s, 0.05, 300);
    for (int i = 0; i < 60; ++i) {
      frameOf(&s);
      assert_true(fabs(dBodyGetPosition(ball)[0]) < 0.1475);
    }
    assert_true(fabs(fabs(dBodyGetLinearVel(ball)[0]) - 300) < 3);
    assert_int_equal(s.stale, 0);
    end(&s);
  }
}

/* Contacts at rest are the program's own, asked for once a frame. */
/* Nobody foresees a speed that is given between the collide call and the step. */
static void strikeUnforeseen(Scene *s, dBodyID ball) {
  Frame frame = {s->bounce, 4711};
  dBodySetPosition(ball, -3.1, 0, 0);
  dBodySetLinearVel(ball, 0, 0, 0);
  dSpaceCollide(s->space, &frame, nearCallback);
  frame = (Frame){77, -1};
  dBodySetLinearVel(ball, 300, 0, 0);
  (s->quick ? dWorldQuickStep : dWorldStep)(s->world, 1.0 / 60);
  dJointGroupEmpty(s->contacts);
}

/* A pair that was seen before gets the surface that the program gave it, also a hundred frames later: a clamp costs
 * everything that hangs on it the rest of the step. What the program said last counts, and it may be that it wants
 * nothing any more. */
CASE(what_was_not_foreseen_is_answered_as_the_program_did_last) {
  for (int quick = 0; quick < 2; ++quick) {
    Scene s;
    dBrinkStepInfo info = {.structSize = sizeof info};
    begin(&s, quick);
    dGeomID plate = dCreateBox(s.space, 0.005, 1, 1);
    dBodyID ball = ballAt(&s, -12.3, 300);
    for (int i = 0; i < 100; ++i) frameOf(&s);
    strikeUnforeseen(&s, ball);
    assert_int_equal(dBrinkGetStepInfo(dBrinkOfWorld(s.world), &info), 1);
    assert_int_equal(info.clamps, 0);
    assert_true(fabs(dBodyGetLinearVel(ball)[0] + 150) < 1.5);
    s.sensor = plate;
    dBodySetPosition(ball, -3.1, 0, 0);
    dBodySetLinearVel(ball, 300, 0, 0);
    frameOf(&s); /* foreseen, asked about, refused */
    assert_true(dBodyGetLinearVel(ball)[0] == 300 && dBodyGetPosition(ball)[0] > 1);
    strikeUnforeseen(&s, ball);
    assert_true(dBodyGetLinearVel(ball)[0] == 300);
    assert_int_equal(s.stale, 0);
    end(&s);
  }
}

CASE(resting_contacts_are_asked_for_once) {
  Scene s;
  begin(&s, 1);
  s.bounce = 0;
  dWorldSetGravity(s.world, 0, 0, -9.81);
  dCreatePlane(s.space, 0, 0, 1, 0);
  dBodyID box = dBodyCreate(s.world);
  dMass mass;
  dMassSetBoxTotal(&mass, 1, 0.02, 0.02, 0.02);
  dBodySetMass(box, &mass);
  dGeomSetBody(dCreateBox(s.space, 0.02, 0.02, 0.02), box);
  dBodySetPosition(box, 0, 0, 0.0099);
  for (int i = 0; i < 60; ++i) frameOf(&s);
  assert_int_equal(s.calls, 60);
  assert_true(fabs(dBodyGetPosition(box)[2] - 0.01) < 1e-3);
  end(&s);
}

/* Planners ask "is this state free?" by a call of their own, at other poses, with a callback that makes nothing: it
 * speaks for itself alone. */
static int looks;

static void onlyLook(void *data, dGeomID a, dGeomID b) {
  dContactGeom found;
  (void)data;
  looks += dCollide(a, b, 1, &found, sizeof found) > 0;
}

CASE(another_call_that_only_looks_bars_nothing) {
  for (int order = 0; order < 2; ++order) {
    Scene s;
    begin(&s, order);
    dCreateBox(s.space, 0.005, 1, 1);
    dBodyID ball = ballAt(&s, -12.3, 300);
    looks = 0;
    for (int i = 0; i < 10; ++i) {
      Frame frame = {s.bounce, 4711};
      double x = dBodyGetPosition(ball)[0];
      if (order == 0) {
        dBodySetPosition(ball, -1, 0, 0); /* as if it were about to strike, in each frame */
        dSpaceCollide(s.space, NULL, onlyLook);
        dBodySetPosition(ball, x, 0, 0);
      }
      dSpaceCollide(s.space, &frame, nearCallback);
      if (order == 1) dSpaceCollide(s.space, NULL, onlyLook);
      frame = (Frame){77, -1};
      dWorldStep(s.world, 1.0 / 60);
      dJointGroupEmpty(s.contacts);
    }
    assert_true(fabs(dBodyGetLinearVel(ball)[0] + 150) < 1.5);
    assert_true(dBodyGetPosition(ball)[0] < -18);
    assert_int_equal(s.stale, 0);
    end(&s);
  }
}

/* Something pushes where velocities do not say so: a motor presses a slide against a wall. It must come to rest there,
 * not creep through, and the contact must carry. */
CASE(what_a_motor_presses_stays_pressed) {
  for (int quick = 0; quick < 2; ++quick) {
    Scene s;
    begin(&s, quick);
    s.bounce = 0;
    dGeomSetPosition(dCreateBox(s.space, 0.02, 1, 1), 0.5, 0, 0);
    dBodyID ball = ballAt(&s, 0, 0);
    dJointID slide = dJointCreateSlider(s.world, NULL);
    dJointAttach(slide, ball, NULL);
    dJointSetSliderAxis(slide, 1, 0, 0);
    dJointSetSliderParam(slide, dParamVel, 40);
    dJointSetSliderParam(slide, dParamFMax, 30);
    double farthest = 0;
    for (int i = 0; i < 120; ++i) {
      frameOf(&s);
      farthest = fmax(farthest, dBodyGetPosition(ball)[0]);
    }
    assert_true(farthest > 0.47);
    assert_true(dBodyGetPosition(ball)[0] < 0.481 && dBodyGetPosition(ball)[0] > 0.45);
    dBrinkStepInfo info = {.structSize = sizeof info};
    dBrinkGetStepInfo(dBrinkOfWorld(s.world), &info);
    assert_int_equal(info.clamps, 0); /* an ordinary contact by now */
    assert_int_equal(s.stale, 0);
    end(&s);
  }
}

/* Programs that write contacts down in the callback and make the joints afterwards. */
static dContactGeom writtenDown[16];
static int writtenCount;

static void writeDown(void *data, dGeomID a, dGeomID b) {
  (void)data;
  scene->calls++;
  writtenCount += dCollide(a, b, 4, &writtenDown[writtenCount], sizeof(dContactGeom));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* ODE would rather have offsets; programs have these */

static dGeomID makeWall(Scene *s, int inTransform) {
  if (!inTransform) return dCreateBox(s->space, 0.005, 1, 1);
  dGeomID wall = dCreateGeomTransform(s->space);
  dGeomTransformSetCleanup(wall, 1);
  dGeomTransformSetGeom(wall, dCreateBox(NULL, 0.005, 1, 1));
  return wall;
}

/* Their geoms may be those inside a GeomTransform, and ODE does not need any. */
CASE(joints_may_be_made_after_the_collide_call) {
  for (int run = 0; run < 8; ++run) {
    const int quick = run & 1, inTransform = run >> 1 & 1, nameless = run >> 2;
    Scene s;
    begin(&s, quick);
    makeWall(&s, inTransform);
    dBodyID ball = ballAt(&s, -12.3, 300);
    for (int i = 0; i < 10; ++i) {
      writtenCount = 0;
      dSpaceCollide(s.space, NULL, writeDown);
      for (int k = 0; k < writtenCount; ++k) {
        dContact contact = {.surface = {.mode = dContactBounce, .bounce = 0.5}, .geom = writtenDown[k]};
        if (nameless) contact.geom.g1 = contact.geom.g2 = NULL;
        dJointAttach(dJointCreateContact(s.world, s.contacts, &contact), dGeomGetBody(writtenDown[k].g1),
                     dGeomGetBody(writtenDown[k].g2));
      }
      if (quick)
        dWorldQuickStep(s.world, 1.0 / 60);
      else
        dWorldStep(s.world, 1.0 / 60);
      dJointGroupEmpty(s.contacts);
    }
    double expected = -0.0125 - 150 * (10.0 / 60 - 12.2875 / 300);
    if (fabs(dBodyGetLinearVel(ball)[0] + 150) > 1.5 ||
        fabs(dBodyGetPosition(ball)[0] - expected) > 0.01 * fabs(expected))
      fail_msg("run %d: %g m/s at %g m, not %g", run, dBodyGetLinearVel(ball)[0], dBodyGetPosition(ball)[0], expected);
    end(&s);
  }
}

/* A ball rolls on a floor to a wall: a hundred frames, in the last of which the wall is shown to the program. */
CASE(a_joint_of_what_rests_stays_on_and_is_no_other_pairs) {
  for (int run = 0; run < 4; ++run) {
    const int sensor = run & 1, nameless = run >> 1;
    Scene s;
    begin(&s, 0);
    dWorldSetGravity(s.world, 0, 0, -9.81);
    dGeomSetPosition(dCreateBox(s.space, 20, 20, 1), 0, 0, -0.5);
    dGeomID wall = dCreateBox(s.space, 0.1, 20, 2);
    dGeomSetPosition(wall, 3, 0, 1);
    dBodyID ball = ballAt(&s, 0, 30);
    dBodySetPosition(ball, -9, 0, 0.00999);
    int rested = 0, shown = 0;
    for (int i = 0; i < 40; ++i) {
      dJointID joints[16];
      int rests[16];
      writtenCount = 0;
      dSpaceCollide(s.space, NULL, writeDown);
      int made = 0;
      for (int k = 0; k < writtenCount; ++k) {
        const dGeomID g1 = writtenDown[k].g1, g2 = writtenDown[k].g2;
        dContact contact = {.surface = {.mode = dContactApprox1}, .geom = writtenDown[k]};
        if (nameless) contact.geom.g1 = contact.geom.g2 = NULL;
        if (sensor && (g1 == wall || g2 == wall)) continue;
        joints[made] = dJointCreateContact(s.world, s.contacts, &contact);
        dJointAttach(joints[made], dGeomGetBody(g1), dGeomGetBody(g2));
        rests[made++] = g1 != wall && g2 != wall;
      }
      dWorldStep(s.world, 1.0 / 60);
      for (int k = 0; k < made; ++k) {
        rested += rests[k];
        shown += !rests[k];
        if (rests[k] && !dJointIsEnabled(joints[k])) fail_msg("frame %d: the joint of a ball that rests is off", i);
      }
      dJointGroupEmpty(s.contacts);
    }
    if (!(rested > 10 && (sensor || shown > 0))) fail_msg("%d rested, %d shown", rested, shown);
    const double x = dBodyGetPosition(ball)[0];
    if (sensor ? x < 10 : x > 2.95) fail_msg("sensor %d, nameless %d: the ball is at %g m", sensor, nameless, x);
    end(&s);
  }
}

/* A GeomTransform's contacts may name the geom inside; the pair is the one that the callback was called with. */
CASE(geoms_inside_transforms_count_as_their_transform) {
  for (int info = 0; info < 2; ++info) {
    Scene s;
    begin(&s, info);
    s.bounce = 0;
    dWorldSetGravity(s.world, 0, 0, -9.81);
    dCreatePlane(s.space, 0, 0, 1, 0);
    dBodyID box = dBodyCreate(s.world);
    dMass mass;
    dMassSetBoxTotal(&mass, 1, 0.02, 0.02, 0.02);
    dBodySetMass(box, &mass);
    dGeomID transform = dCreateGeomTransform(s.space);
    dGeomTransformSetCleanup(transform, 1);
    dGeomTransformSetInfo(transform, info);
    dGeomTransformSetGeom(transform, dCreateBox(NULL, 0.02, 0.02, 0.02));
    dGeomSetBody(transform, box);
    dBodySetPosition(box, 0, 0, 0.0099);
    for (int i = 0; i < 60; ++i) frameOf(&s);
    assert_int_equal(s.calls, 60); /* at rest: asked for once a frame */
    dBodySetPosition(box, 0, 0, 3.3);
    dBodySetLinearVel(box, 0, 0, -300);
    for (int i = 0; i < 30; ++i) frameOf(&s);
    assert_true(dBodyGetPosition(box)[2] > 0.009 && dBodyGetPosition(box)[2] < 0.02);
    assert_int_equal(s.stale, 0);
    end(&s);
  }
}

#pragma GCC diagnostic pop

/* A callback that looks around with a ray of its own gets ODE's answer, also while it is asked about a pair. */
static int rayHits;

static void countNear(void *data, dGeomID a, dGeomID b) {
  dContactGeom found;
  *(int *)data += dCollide(a, b, 1, &found, sizeof found) > 0;
}

static dGeomID lookingRay;

static void lookAround(void *data, dGeomID a, dGeomID b) {
  dSpaceCollide2(lookingRay, (dGeomID)scene->space, &rayHits, countNear);
  nearCallback(data, a, b);
}

CASE(callbacks_may_look_around) {
  Scene s;
  begin(&s, 0);
  dCreateBox(s.space, 0.005, 1, 1);
  dGeomSetPosition(dCreateBox(s.space, 1, 1, 1), 0, 0, 10);
  lookingRay = dCreateRay(NULL, 5);
  dGeomRaySet(lookingRay, 0, 0, 7, 0, 0, 1);
  dBodyID ball = ballAt(&s, -12.3, 300);
  rayHits = 0;
  for (int i = 0; i < 6; ++i) {
    Frame frame = {s.bounce, 4711};
    dSpaceCollide(s.space, &frame, lookAround);
    frame = (Frame){77, -1};
    dWorldStep(s.world, 1.0 / 60);
    dJointGroupEmpty(s.contacts);
  }
  assert_true(dBodyGetPosition(ball)[0] < 0);
  assert_int_equal(s.stale, 0);
  assert_int_equal(rayHits, s.calls); /* the far box, each time */
  dGeomDestroy(lookingRay);
  end(&s);
}

/* ---- what a surface does, and how deep a flight goes */

static double liftVelocity[3]; /* m/s, of the geom that moves without a body */
static dGeomID lift;

/* As ODE's manual says: the velocity of the geom along the axes of the contact, which ODE turns round where the first
 * body is the world. */
static void liftNear(void *data, dGeomID a, dGeomID b) {
  const Frame *frame = data;
  dContact found[4];
  scene->stale += frame->magic != 4711;
  memset(found, 0, sizeof found);
  int count = dCollide(a, b, 4, &found[0].geom, sizeof(dContact));
  for (int i = 0; i < count; ++i) {
    const double side = found[i].geom.g1 == lift ? -1 : 1;
    dVector3 first, second;
    dPlaneSpace(found[i].geom.normal, first, second);
    memcpy(found[i].fdir1, first, sizeof first);
    found[i].surface.mode = dContactMotionN | dContactMotion1 | dContactMotion2 | dContactFDir1;
    found[i].surface.mu = dInfinity;
    found[i].surface.motionN = side * dCalcVectorDot3(liftVelocity, found[i].geom.normal);
    found[i].surface.motion1 = dCalcVectorDot3(liftVelocity, first);
    found[i].surface.motion2 = side * dCalcVectorDot3(liftVelocity, second);
    dJointAttach(dJointCreateContact(scene->world, scene->contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

/* A ball that the program was asked about on top of a lift strikes its side, unforeseen. The lift still moves as it
 * did. Read along the axes of the top, it would push the ball away. */
CASE(a_surface_moves_alike_wherever_it_is_struck) {
  for (int run = 0; run < 8; ++run) {
    Scene s;
    begin(&s, run % 2);
    dWorldSetGravity(s.world, 0, 0, -9.81);
    dBodyID ball = NULL;
    if (run & 2) ball = ballAt(&s, 0, 0); /* the ball is the first geom, or the second */
    lift = dCreateBox(s.space, 2, 2, 1);
    if (!(run & 2)) ball = ballAt(&s, 0, 0);
    memcpy(liftVelocity, run & 4 ? (double[3]){0.5, 0, 5} : (double[3]){0, 2, 5}, sizeof liftVelocity);
    dBodySetPosition(ball, 0, 0, 0.509);
    Frame frame = {0, 4711};
    dSpaceCollide(s.space, &frame, liftNear);
    (s.quick ? dWorldQuickStep : dWorldStep)(s.world, 1.0 / 60);
    dJointGroupEmpty(s.contacts);
    assert_true(fabs(dBodyGetLinearVel(ball)[2] - 5) < 0.5);
    dBodySetPosition(ball, -3.1, 0, 0);
    dBodySetLinearVel(ball, 0, 0, 0);
    dBodySetAngularVel(ball, 0, 0, 0);
    dWorldSetGravity(s.world, 0, 0, 0);
    dSpaceCollide(s.space, &frame, liftNear);
    frame = (Frame){77, -1};
    dBodySetLinearVel(ball, 300, 0, 0);
    (s.quick ? dWorldQuickStep : dWorldStep)(s.world, 1.0 / 60);
    const dReal *v = dBodyGetLinearVel(ball), *w = dBodyGetAngularVel(ball);
    const double surface[3] = {v[0], v[1] + 0.01 * w[2], v[2] - 0.01 * w[1]}; /* of the ball, where it was struck */
    for (int k = 0; k < 3; ++k)
      if (fabs(surface[k] - liftVelocity[k]) > 0.02)
        fail_msg("run %d: %g %g %g m/s, of the lift %g %g %g", run, surface[0], surface[1], surface[2], liftVelocity[0],
                 liftVelocity[1], liftVelocity[2]);
    assert_int_equal(s.stale, 0);
    end(&s);
  }
}

/* What a joint holds does not fly on as it did: here it is let go, and sinks deeper than its last speed tells. A touch
 * is foreseen, and asked about, whether it would sink too far or not. */
CASE(a_touch_is_foreseen_however_little_it_would_sink) {
  for (int run = 0; run < 8; ++run) {
    Scene s;
    begin(&s, run % 2);
    s.bounce = 0.5;
    dGeomSetPosition(dCreateBox(s.space, 0.5, 1, 1), 0.25, 0, 0);
    dBodyID ball = ballAt(&s, -0.5, 0);
    dJointID slide = dJointCreateSlider(s.world, NULL);
    dJointAttach(slide, ball, NULL);
    dJointSetSliderAxis(slide, 1, 0, 0);
    frameOf(&s);
    const double ahead =
        1e-3 * (1 + run / 2); /* m, of the ball's 20 mm: told by the last speed; the motor adds as much */
    dBodySetPosition(ball, -0.06, 0, 0);
    dBodySetLinearVel(ball, 60 * (0.05 + ahead), 0, 0);
    dJointSetSliderParam(slide, dParamVel, 60 * 0.075);
    dJointSetSliderParam(slide, dParamFMax, 1e3);
    frameOf(&s);
    dBrinkStepInfo info = {.structSize = sizeof info};
    assert_int_equal(dBrinkGetStepInfo(dBrinkOfWorld(s.world), &info), 1);
    if (info.clamps != 0 || info.lostTime != 0) fail_msg("run %d: %d clamps", run, (int)info.clamps);
    assert_true(dBodyGetPosition(ball)[0] < 0);
    end(&s);
  }
}

static int captureHook(void **state) {
  (void)state;
  unsetenv("BRINK_CALLBACK");
  unsetenv("BRINK_MODE");
  dBrinkHookSetCallback(dBrinkCallbackCapture);
  return 0;
}

/* What is remembered of a body may outlive it: its flight, and that it was clamped; its geom stands still from then on.
 */
CASE(bodies_may_be_destroyed_between_frames_and_calls) {
  for (int code = 0; code < 24; ++code) {
    Scene s;
    begin(&s, code & 1);
    s.bounce = 1;
    dGeomSetPosition(dCreateBox(s.space, 0.005, 1, 1), 0.15, 0, 0);
    dGeomSetPosition(dCreateBox(s.space, 0.005, 1, 1), -0.15, 0, 0);
    dBodyID balls[4];
    for (int i = 0; i < 4; ++i) {
      balls[i] = ballAt(&s, 0.05, 300 - 50 * i);
      dBodySetPosition(balls[i], 0.05, 0.1 * i, 0);
    }
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k <= code / 4; ++k) {
        frameOf(&s); /* some are clamped at a plate, unforeseen */
      }
      if (code & 2) {
        Frame frame = {s.bounce, 4711};
        dSpaceCollide(s.space, &frame, nearCallback);
      }
      dBodyDestroy(balls[i]);
      balls[i] = ballAt(&s, 0.05, 280); /* in the same memory, perhaps */
      dBodySetPosition(balls[i], 0.05, 0.1 * i + 0.05, 0);
    }
    for (int i = 0; i < 4; ++i) {
      frameOf(&s);
      assert_true(fabs(dBodyGetPosition(balls[i])[0]) < 0.1475);
    }
    end(&s);
  }
}

static int ended, standing; /* in this frame: bodies that a callback destroyed; calls about their geoms after that */

/* A bullet: gone as soon as it meets something. */
static void endBullet(void *data, dGeomID a, dGeomID b) {
  (void)data;
  dContactGeom found;
  dBodyID body = dGeomGetBody(a) != NULL ? dGeomGetBody(a) : dGeomGetBody(b);
  standing += ended > 0 && body == NULL;
  if (body != NULL && dCollide(a, b, 1, &found, sizeof found) > 0) {
    dBodyDestroy(body);
    ended++;
  }
}

/* It would meet two walls at once, and is asked about both in one call. And a wall that is seen coming may be gone
 * before the call that asks about it. */
CASE(what_a_callback_destroys_is_asked_about_no_more) {
  for (int code = 0; code < 4; ++code) {
    Scene s;
    begin(&s, code & 1);
    dGeomSetPosition(dCreateBox(s.space, 0.005, 1, 1), 0, 0.501, 0);
    dGeomSetPosition(dCreateBox(s.space, 0.005, 1, 1), 0, -0.501, 0);
    ballAt(&s, -12.3, 300);
    dSpaceID walls = dSimpleSpaceCreate(NULL);
    dGeomID wall = dCreateBox(walls, 0.005, 1, 1);
    dGeomSetPosition(wall, (code & 2) ? -0.2 : 9, 0, 0);
    int all = 0;
    for (int i = 0; i < 6; ++i) {
      ended = standing = 0;
      dSpaceCollide(s.space, NULL, endBullet);
      if ((code & 2) && i == 2) dGeomDestroy(wall);
      dSpaceCollide2((dGeomID)s.space, (dGeomID)walls, NULL, endBullet);
      assert_int_equal(standing, 0);
      all += ended;
      (s.quick ? dWorldQuickStep : dWorldStep)(s.world, 1.0 / 60);
    }
    assert_int_equal(all, 1);
    dSpaceDestroy(walls);
    end(&s);
  }
}

int main(void) { return cases_Run(captureHook, NULL); }
