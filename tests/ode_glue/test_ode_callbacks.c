/* SPDX-License-Identifier: BSD-3-Clause */
/* The near callback at an impact, and the contacts that were there before: who is asked, how often, in which pose, and
 * that nothing old holds a struck body. Units: SI. */
#define _GNU_SOURCE /* RTLD_NEXT, MAP_ANONYMOUS */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "ode_box.h"
#include "ode_start.h"
#include "ode_world.h"

#define MAX_CALLS 4096

typedef struct call {
  dGeomID a, b;
  double x; /* of the first body of the pair, m */
  int joints;
} call;

/* A callback that writes down its calls. */
typedef struct diary {
  odeWorld w;
  call calls[MAX_CALLS];
  int count;
  bool spaces; /* was called with a space */
} diary;

static void near(void *data, dGeomID a, dGeomID b) {
  diary *d = data;
  if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
    d->spaces = true;
    dSpaceCollide2(a, b, data, near);
    return;
  }
  dBodyID body = dGeomGetBody(a) != NULL ? dGeomGetBody(a) : dGeomGetBody(b);
  if (body == NULL) {
    return;
  }
  assert_true(d->count < MAX_CALLS);
  d->calls[d->count++] = (call){a, b, dBodyGetPosition(body)[0], dBodyGetNumJoints(body)};
  odeWorld_Near(&d->w, a, b);
}

static int callsOf(const diary *d, dGeomID a, dGeomID b, int from) {
  int found = 0;
  for (int i = from; i < d->count; ++i) {
    found += (d->calls[i].a == a && d->calls[i].b == b) || (d->calls[i].a == b && d->calls[i].b == a);
  }
  return found;
}

static int stepDiary(diary *d) {
  d->count = 0;
  d->spaces = false;
  dSpaceCollide(d->w.space, d, near);
  int before = d->count;
  bool spaces = d->spaces;
  d->spaces = false;
  int done = d->w.quick ? dBrinkWorldQuickStep(d->w.brink, d->w.h, d, near, d->w.contacts)
                        : dBrinkWorldStep(d->w.brink, d->w.h, d, near, d->w.contacts);
  assert_int_equal(done, 1);
  assert_false(d->spaces); /* Brink gives geoms, never spaces */
  d->spaces = spaces;
  return before;
}

static dBodyID addBall(odeWorld *w, dSpaceID space, double x, double y, double speed) {
  dBodyID ball = odeWorld_Body(w, dCreateSphere(space, 0.01), 0.1, x, y, 0);
  dBodySetLinearVel(ball, speed, 0, 0);
  return ball;
}

/* A ball leaves a wall that it touches, bounces off another and comes back: the contact of the start would stop it in
 * mid-air. */
CASE(contacts_of_the_start_do_not_hold_a_struck_body) {
  for (int quick = 0; quick < 2; ++quick) {
    static diary d;
    d = (diary){.count = 0};
    odeWorld_Make(&d.w, true, quick, 0);
    d.w.bounce = 1;
    d.w.mu = 0;
    dGeomSetPosition(dCreateBox(d.w.space, 1, 4, 4), -0.5, 0, 0);
    dGeomSetPosition(dCreateBox(d.w.space, 0.01, 4, 4), 3, 0, 0);
    dBodyID ball = addBall(&d.w, d.w.space, 0.00999, 0, 300);
    int before = stepDiary(&d);
    assert_int_equal(before, 1); /* it does touch */
    double hit = 2.985 - 0.00999, back = 300 * d.w.h - hit;
    if (fabs(dBodyGetLinearVel(ball)[0] + 300) > 3 || fabs(dBodyGetPosition(ball)[0] - (2.985 - back)) > 0.02) {
      fail_msg("comes back at %g m/s, is at %g m", dBodyGetLinearVel(ball)[0], dBodyGetPosition(ball)[0]);
    }
    int joints = dBodyGetNumJoints(ball), on = 0;
    for (int i = 0; i < joints; ++i) {
      on += dJointIsEnabled(dBodyGetJoint(ball, i));
    }
    assert_int_equal(on, joints); /* switched on again for whoever reads them */
    odeWorld_End(&d.w);
  }
}

/* A ball bounces to and fro in a slot, many times in a step. Contacts of earlier impacts do not hang on it while the
 * program is asked, or a heap's bodies would list more and more of them; at the end it has them all. */
CASE(contacts_of_earlier_impacts_are_put_aside) {
  for (int quick = 0; quick < 2; ++quick) {
    static diary d;
    d = (diary){.count = 0};
    odeWorld_Make(&d.w, true, quick, 0);
    d.w.bounce = 1;
    d.w.mu = 0;
    for (int side = -1; side <= 1; side += 2) {
      (void)odeWorld_Body(&d.w, dCreateBox(d.w.space, 1, 4, 4), 1000, side * 0.7, 0, 0);
    }
    dBodyID ball = addBall(&d.w, d.w.space, 0, 0, 150);
    int before = stepDiary(&d), most = 0;
    for (int i = before; i < d.count; ++i) {
      most = d.calls[i].joints > most ? d.calls[i].joints : most;
    }
    if (d.count - before < 6 || most > 2) { /* the last impact's, and one of Brink's own */
      fail_msg("%d impacts; %d joints hang on the ball", d.count - before, most);
    }
    int joints = dBodyGetNumJoints(ball), on = 0;
    for (int i = 0; i < joints; ++i) {
      on += dJointIsEnabled(dBodyGetJoint(ball, i));
    }
    assert_true(joints >= d.count - before);
    assert_int_equal(on, joints);
    odeWorld_End(&d.w);
  }
}

CASE(near_is_called_once_per_impact_and_only_for_what_touches) {
  static diary d;
  d = (diary){.count = 0};
  odeWorld_Make(&d.w, true, false, -9.81);
  d.w.bounce = 0.5;
  d.w.mu = 0;
  dCreatePlane(d.w.space, 0, 0, 1, -1);
  dGeomID plate = dCreateBox(d.w.space, 0.01, 4, 4);
  dBodyID resting[5];
  for (int i = 0; i < 5; ++i) {
    resting[i] = odeWorld_Body(&d.w, dCreateBox(d.w.space, 0.2, 0.2, 0.2), 1, 3 + i, 0, -0.9);
  }
  dBodyID ball = addBall(&d.w, d.w.space, -2, 0, 300);
  int before = stepDiary(&d);
  dGeomID geom = dBodyGetFirstGeom(ball);
  assert_int_equal(callsOf(&d, geom, plate, before), 1);
  assert_int_equal(d.count - before, 1);
  assert_true(fabs(d.calls[before].x + 0.015) < 1e-5); /* in the pose of the impact */
  assert_int_equal(callsOf(&d, dBodyGetFirstGeom(resting[0]), plate, 0), 0);
  odeWorld_End(&d.w);
}

CASE(nested_spaces_are_taken_apart) {
  static diary d;
  d = (diary){.count = 0};
  odeWorld_Make(&d.w, true, false, 0);
  dSpaceID inner = dSimpleSpaceCreate(d.w.space), innermost = dHashSpaceCreate(inner);
  dGeomID plate = dCreateBox(innermost, 0.005, 4, 4);
  dBodyID ball = addBall(&d.w, d.w.space, -2, 0, 300);
  int before = stepDiary(&d);
  assert_int_equal(callsOf(&d, dBodyGetFirstGeom(ball), plate, before), 1);
  assert_true(dBodyGetPosition(ball)[0] < 0);
  odeWorld_End(&d.w);
}

/* What the program says at dSpaceCollide it can also say at an impact: bits, joints, and a callback that makes nothing.
 */
CASE(pairs_that_the_program_leaves_out_are_left_out) {
  for (int kind = 0; kind < 4; ++kind) {
    static diary d;
    d = (diary){.count = 0};
    odeWorld_Make(&d.w, true, kind % 2, 0);
    dBodyID plateBody = odeWorld_Body(&d.w, dCreateBox(d.w.space, 0.005, 4, 4), 10, 0, 0, 0);
    dGeomID plate = dBodyGetFirstGeom(plateBody);
    dBodyID ball = addBall(&d.w, d.w.space, -2, 0, 300);
    dGeomID geom = dBodyGetFirstGeom(ball);
    if (kind == 0) { /* each asks for the other's category: neither has it */
      dGeomSetCategoryBits(plate, 1);
      dGeomSetCollideBits(plate, 4);
      dGeomSetCategoryBits(geom, 2);
      dGeomSetCollideBits(geom, 8);
    } else if (kind == 1) { /* one side is enough */
      dGeomSetCategoryBits(plate, 1);
      dGeomSetCollideBits(plate, 0);
      dGeomSetCategoryBits(geom, 2);
      dGeomSetCollideBits(geom, 1);
    } else if (kind == 2) {
      dJointID joint = dJointCreateLMotor(d.w.world, NULL); /* joined, but free to move */
      dJointAttach(joint, ball, plateBody);
    } else {
      d.w.sensor = plate;
    }
    int before = stepDiary(&d);
    if (kind == 3) { /* silence: at first nobody knows that it means no, and the ball waits for a frame */
      assert_true(dBodyGetPosition(ball)[0] < dBodyGetPosition(plateBody)[0]);
      assert_int_equal(odeWorld_Info(&d.w).clamps, 1);
      (void)stepDiary(&d);
    }
    bool through = dBodyGetPosition(ball)[0] > dBodyGetPosition(plateBody)[0];
    assert_int_equal(through, kind != 1);
    assert_int_equal(callsOf(&d, geom, plate, before) > 0, kind == 1 || kind == 3);
    assert_int_equal(odeWorld_Info(&d.w).solves, kind == 1 ? 2 : 1);
    odeWorld_End(&d.w);
  }
}

/* A ball collects coins, or breaks panes: its callback switches off what it meets, or takes its bits, and makes no
 * contact. */
typedef struct collector {
  odeWorld w;
  dGeomID coins[5];
  int calls[5]; /* with a contact seen */
  bool byBits;
} collector;

static void collect(void *data, dGeomID a, dGeomID b) {
  collector *c = data;
  for (int i = 0; i < 5; ++i) {
    dContactGeom contact;
    if ((a != c->coins[i] && b != c->coins[i]) || dCollide(a, b, 1, &contact, sizeof(contact)) == 0) {
      continue;
    }
    ++c->calls[i];
    if (c->byBits) {
      dGeomSetCategoryBits(c->coins[i], 0);
      dGeomSetCollideBits(c->coins[i], 0);
    } else {
      dGeomDisable(c->coins[i]);
    }
  }
}

CASE(what_the_callback_switches_off_is_passed_at_once) {
  for (int kind = 0; kind < 4; ++kind) {
    collector c = {.byBits = kind / 2 == 1};
    odeWorld_Make(&c.w, true, kind % 2, 0);
    for (int i = 0; i < 5; ++i) {
      c.coins[i] = dCreateBox(c.w.space, 0.02, 0.3, 0.3);
      dGeomSetPosition(c.coins[i], 1.5 + i, 0, 0);
    }
    dBodyID ball = addBall(&c.w, c.w.space, 0, 0, 90); /* one or two coins a step */
    for (int frame = 1; frame <= 5; ++frame) {
      dSpaceCollide(c.w.space, &c, collect);
      assert_int_equal(c.w.quick ? dBrinkWorldQuickStep(c.w.brink, c.w.h, &c, collect, c.w.contacts)
                                 : dBrinkWorldStep(c.w.brink, c.w.h, &c, collect, c.w.contacts),
                       1);
      dJointGroupEmpty(c.w.contacts);
      assert_int_equal(odeWorld_Info(&c.w).clamps, 0);
      assert_true(fabs(dBodyGetPosition(ball)[0] - 90 * c.w.h * frame) < 1e-9);
    }
    for (int i = 0; i < 5; ++i) {
      assert_int_equal(c.calls[i], 1);
    }
    odeWorld_End(&c.w);
  }
}

/* The first blow is a contact, the second one breaks the pane: in the same step. */
typedef struct breaker {
  odeWorld w;
  dGeomID pane;
  int blows;
} breaker;

static void breakPane(void *data, dGeomID a, dGeomID b) {
  breaker *c = data;
  dContactGeom contact;
  if ((a == c->pane || b == c->pane) && dCollide(a, b, 1, &contact, sizeof(contact)) > 0 && ++c->blows == 2) {
    dGeomDisable(c->pane);
    return;
  }
  odeWorld_Near(&c->w, a, b);
}

CASE(a_pane_that_breaks_at_the_second_blow_of_a_step_is_passed) {
  for (int quick = 0; quick < 2; ++quick) {
    breaker c = {.blows = 0};
    odeWorld_Make(&c.w, true, quick, 0);
    c.w.bounce = 1;
    c.w.mu = 0;
    c.pane = dCreateBox(c.w.space, 0.02, 4, 4);
    dGeomSetPosition(c.pane, 0.8, 0, 0);
    dGeomSetPosition(dCreateBox(c.w.space, 0.02, 4, 4), -0.8, 0, 0);
    dBodyID ball = addBall(&c.w, c.w.space, 0, 0, 300); /* to the pane, to the wall, and 1.06 m past the pane */
    dSpaceCollide(c.w.space, &c, breakPane);
    assert_int_equal(quick ? dBrinkWorldQuickStep(c.w.brink, c.w.h, &c, breakPane, c.w.contacts)
                           : dBrinkWorldStep(c.w.brink, c.w.h, &c, breakPane, c.w.contacts),
                     1);
    assert_int_equal(c.blows, 2);
    assert_true(dBodyGetPosition(ball)[0] > 1.5);
    assert_true(dBodyGetLinearVel(ball)[0] > 297);
    odeWorld_End(&c.w);
  }
}

/* A boost: near gives the ball a force and a torque where it strikes, with a contact or without. */
typedef struct boost {
  odeWorld w;
  bool contacts;
  int calls;
} boost;

static void pushUp(void *data, dGeomID a, dGeomID b) {
  boost *c = data;
  dContactGeom contact;
  dBodyID body = dGeomGetBody(a) != NULL ? dGeomGetBody(a) : dGeomGetBody(b);
  if (dCollide(a, b, 1, &contact, sizeof(contact)) > 0) {
    ++c->calls;
    dMass mass;
    dBodyGetMass(body, &mass);
    dBodyAddForce(body, 0, 0, 10 * mass.mass / c->w.h); /* 10 m/s in a step */
    dBodyAddTorque(body, mass.I[0] / c->w.h, 0, 0);     /* 1 rad/s */
    if (c->contacts) {
      odeWorld_Near(&c->w, a, b);
    }
  }
}

CASE(a_force_that_near_gives_at_an_impact_acts_once_in_the_next_step) {
  for (int kind = 0; kind < 4; ++kind) {
    boost c = {.contacts = kind % 2 == 0};
    odeWorld_Make(&c.w, true, kind / 2, 0);
    c.w.bounce = 0.5;
    c.w.mu = 0;
    dCreateBox(c.w.space, 0.02, 4, 4);
    dBodyID ball = addBall(&c.w, c.w.space, -2, 0, 300);
    int given = 0;
    for (int frame = 0; frame < 6; ++frame) {
      given -= c.calls;
      dSpaceCollide(c.w.space, &c, pushUp);
      given += c.calls;
      const int before = c.calls;
      assert_int_equal(c.w.quick ? dBrinkWorldQuickStep(c.w.brink, c.w.h, &c, pushUp, c.w.contacts)
                                 : dBrinkWorldStep(c.w.brink, c.w.h, &c, pushUp, c.w.contacts),
                       1);
      dJointGroupEmpty(c.w.contacts);
      given += c.calls > before;
      if (frame == 0 && c.contacts) {
        assert_int_equal(c.calls, 1);
        assert_true(dBodyGetLinearVel(ball)[2] == 0);
      }
    }
    assert_true(given > 0 && dBodyGetForce(ball)[2] == 0);
    if (fabs(dBodyGetLinearVel(ball)[2] - 10 * given) > 1e-9 || fabs(dBodyGetAngularVel(ball)[0] - 1 * given) > 1e-9) {
      fail_msg("kind %d: %g m/s, %g rad/s, given %d times", kind, dBodyGetLinearVel(ball)[2],
               dBodyGetAngularVel(ball)[0], given);
    }
    odeWorld_End(&c.w);
  }
}

/* A pad that gives what crosses it another velocity, once or at each call, and stops nothing. */
typedef struct jumpPad {
  odeWorld w;
  dGeomID pad;
  bool once, adds;
  int calls;
} jumpPad;

static void jump(void *data, dGeomID a, dGeomID b) {
  jumpPad *c = data;
  dContactGeom contact;
  dBodyID body = dGeomGetBody(a) != NULL ? dGeomGetBody(a) : dGeomGetBody(b);
  if ((a == c->pad || b == c->pad) && dCollide(a, b, 1, &contact, sizeof(contact)) > 0) {
    const dReal *v = dBodyGetLinearVel(body);
    if (++c->calls == 1 || !c->once) {
      dBodySetLinearVel(body, v[0], v[1], c->adds ? v[2] + 40 : 40);
      dBodySetAngularVel(body, 0, 7, 0);
    }
  } else if (a != c->pad && b != c->pad) {
    odeWorld_Near(&c->w, a, b);
  }
}

CASE(a_velocity_that_near_sets_inside_a_step_holds_without_a_contact) {
  for (int kind = 0; kind < 16; ++kind) {
    jumpPad c = {.once = kind % 2, .adds = kind / 2 % 2};
    odeWorld_Make(&c.w, true, kind / 4 % 2, 0);
    c.w.bounce = 1;
    c.w.mu = 0;
    c.pad = dCreateBox(c.w.space, 0.02, 4, 4);
    dBodyID ball = addBall(&c.w, c.w.space, -2, 0, 300);
    if (kind / 8 != 0) { /* others that strike something shortly before share their solve with it */
      for (int i = 0; i < 4; ++i) {
        dGeomSetPosition(dCreateBox(c.w.space, 0.02, 1, 1), 0, 20 + 5 * i, 0);
        dBodySetPosition(addBall(&c.w, c.w.space, -1.8, 0, 300), -1.8, 20 + 5 * i, 0);
      }
    }
    int given = 0; /* once a frame, and once a step */
    for (int frame = 0; frame < 3; ++frame) {
      given -= c.calls;
      dSpaceCollide(c.w.space, &c, jump);
      given += c.calls;
      const int before = c.calls;
      assert_int_equal(c.w.quick ? dBrinkWorldQuickStep(c.w.brink, c.w.h, &c, jump, c.w.contacts)
                                 : dBrinkWorldStep(c.w.brink, c.w.h, &c, jump, c.w.contacts),
                       1);
      dJointGroupEmpty(c.w.contacts);
      given += c.calls > before;
    }
    const double up = c.adds && !c.once ? 40 * given : 40;
    const dReal *p = dBodyGetPosition(ball), *v = dBodyGetLinearVel(ball), *w = dBodyGetAngularVel(ball);
    if (c.calls == 0 || fabs(v[0] - 300) > 1e-9 || fabs(v[2] - up) > 1e-9 || fabs(w[1] - 7) > 1e-9 || p[0] < 5 ||
        (!c.adds && fabs(p[2] - 40 * p[0] / 300) > 0.7)) {
      fail_msg("kind %d: %d calls, at %g %g, %g %g m/s, %g rad/s", kind, c.calls, p[0], p[2], v[0], v[2], w[1]);
    }
    odeWorld_End(&c.w);
  }
}

/* e in, e out: whatever the speed, the angle, the solver. */
CASE(exit_speed_is_e_times_entry_speed) {
  uint64_t seed = 77;
  for (int run = 0; run < 200; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run % 2, run % 3 == 0 ? -9.81 : 0);
    w.bounce = odeUniform(&seed, 0.1, 1);
    w.mu = 0;
    w.h = run % 5 == 0 ? 1.0 / 240 : run % 5 == 1 ? 1.0 / 30 : 1.0 / 60;
    dQuaternion q = {1, 0, odeUniform(&seed, -0.4, 0.4), odeUniform(&seed, -0.4, 0.4)};
    dNormalize4(q);
    dGeomID plate = dCreateBox(w.space, 0.01, 20, 20);
    dGeomSetQuaternion(plate, q);
    const dReal *r = dGeomGetRotation(plate);
    double normal[3] = {-r[0], -r[4], -r[8]}, speed = exp(odeUniform(&seed, log(20.0), log(400.0)));
    double away = speed * w.h * odeUniform(&seed, 0.1, 0.9) + 0.015; /* in the first step, somewhere */
    dBodyID ball = addBall(&w, w.space, 0, 0, 0);
    dBodySetPosition(ball, away * normal[0], away * normal[1], away * normal[2]);
    double v[3], along = odeUniform(&seed, -0.5, 0.5) * speed;
    for (int i = 0; i < 3; ++i) {
      v[i] = -speed * normal[i] + along * r[4 * i + 1];
    }
    dBodySetLinearVel(ball, v[0], v[1], v[2]);
    assert_int_equal(odeWorld_Step(&w), 1);
    if (odeWorld_Info(&w).eventCount == 0) { /* gravity took it past or short of the step's end */
      odeWorld_End(&w);
      continue;
    }
    double in = speed, out = 0, toi = odeWorld_Info(&w).firstToi;
    dVector3 gravity;
    dWorldGetGravity(w.world, gravity);
    for (int i = 0; i < 3; ++i) { /* ODE adds the whole step's gravity before it bounces */
      in -= gravity[i] * w.h * toi * normal[i];
      out += (dBodyGetLinearVel(ball)[i] - gravity[i] * w.h * (1 - toi)) * normal[i];
    }
    if (fabs(out - w.bounce * in) > 0.01 * w.bounce * in + fabs(gravity[2]) * w.h) {
      fail_msg("run %d (seed 77): in at %g m/s, out at %g, e = %g", run, in, out, w.bounce);
    }
    odeWorld_End(&w);
  }
}

/* ---- a joint that is made inside a step */

typedef struct tier {
  odeWorld w;
  dBodyID struck, other; /* at an impact of the one: tied to each other */
  bool inStep;
  int met; /* calls about these two inside the step */
} tier;

static void tieNear(void *data, dGeomID a, dGeomID b) {
  tier *t = data;
  const dBodyID bodies[2] = {dGeomGetBody(a), dGeomGetBody(b)};
  t->met += t->inStep && (bodies[0] == t->other || bodies[1] == t->other) &&
            (bodies[0] == t->struck || bodies[1] == t->struck);
  odeWorld_Near(&t->w, a, b);
  if (t->inStep && !dAreConnected(t->struck, t->other)) {
    dJointAttach(dJointCreateAMotor(t->w.world, NULL), t->struck, t->other); /* holds nothing */
  }
}

/* ODE alone has moved it to the step's end by then, and the extra solve moves it. */
CASE(what_a_callback_ties_to_a_struck_body_goes_no_farther_than_it_would) {
  for (int run = 0; run < 4; ++run) {
    static tier t;
    t = (tier){.inStep = false};
    odeWorld_Make(&t.w, true, run % 2, -9.81);
    t.w.bounce = 1;
    t.w.mu = 0;
    dCreateBox(t.w.space, 0.02, 40, 40);
    if (run / 2 != 0) { /* a second impact, and a second solve */
      dGeomSetPosition(dCreateBox(t.w.space, 0.02, 40, 40), -0.5, 0, 0);
    }
    t.struck = addBall(&t.w, t.w.space, -0.25, 0, 100);
    t.other = odeWorld_Body(&t.w, NULL, 1, -3, 6, 0);
    dBodyID alike = odeWorld_Body(&t.w, NULL, 1, -3, 6, 0);
    for (int i = 0; i < 2; ++i) {
      dBodyID body = i == 0 ? t.other : alike;
      dBodySetLinearVel(body, 5, 200, -3);
      dBodySetAngularVel(body, 0, 0, 4);
    }
    t.inStep = true;
    assert_int_equal(t.w.quick ? dBrinkWorldQuickStep(t.w.brink, t.w.h, &t, tieNear, t.w.contacts)
                               : dBrinkWorldStep(t.w.brink, t.w.h, &t, tieNear, t.w.contacts),
                     1);
    assert_true(odeWorld_Info(&t.w).solves > 1 + run / 2 && dAreConnected(t.struck, t.other));
    const dReal *p = dBodyGetPosition(t.other), *q = dBodyGetPosition(alike);
    const dReal *v = dBodyGetLinearVel(t.other), *u = dBodyGetLinearVel(alike);
    const dReal *turn = dBodyGetQuaternion(t.other), *turned = dBodyGetQuaternion(alike);
    for (int k = 0; k < 3; ++k) {
      if (!(fabs(p[k] - q[k]) < 1e-9 && fabs(v[k] - u[k]) < 1e-9 && fabs(turn[k + 1] - turned[k + 1]) < 1e-4)) {
        fail_msg("run %d, axis %d: at %g m instead of %g, %g m/s instead of %g, turn %g instead of %g", run, k, p[k],
                 q[k], v[k], u[k], turn[k + 1], turned[k + 1]);
      }
    }
    odeWorld_End(&t.w);
  }
}

/* The one comes back from the wall to the other, which follows it. Whoever asks before the step's end whether a joint
 * holds the two is told of one that was made a moment ago. */
CASE(what_a_callback_ties_together_is_not_asked_about_any_more) {
  for (int run = 0; run < 2; ++run) {
    static tier t;
    t = (tier){.inStep = false};
    odeWorld_Make(&t.w, true, run, 0);
    t.w.bounce = 1;
    t.w.mu = 0;
    dCreateBox(t.w.space, 0.02, 40, 40);
    t.struck = addBall(&t.w, t.w.space, -0.3, 0, 100);
    t.other = addBall(&t.w, t.w.space, -1, 0, 100);
    t.inStep = true;
    assert_int_equal(t.w.quick ? dBrinkWorldQuickStep(t.w.brink, t.w.h, &t, tieNear, t.w.contacts)
                               : dBrinkWorldStep(t.w.brink, t.w.h, &t, tieNear, t.w.contacts),
                     1);
    assert_true(odeWorld_Info(&t.w).solves > 2 && dAreConnected(t.struck, t.other));
    assert_int_equal(t.met, 0);
    odeWorld_End(&t.w);
  }
}

/* ---- joints of a body, destroyed one by one */

enum { beforeContacts = 1, afterContacts = 2, inSegment = 4, afterStep = 8 };

/* A program without joint groups. */
typedef struct stripper {
  odeWorld w;
  int when; /* of the above */
  bool detaches, inStep;
  dBodyID bodies[32];
  int count;
} stripper;

/* As programs write it: it ends if each joint that hangs on the body can be destroyed. */
static void strip(const stripper *s, dBodyID body) {
  for (int turns = 0; body != NULL && dBodyGetNumJoints(body) > 0; ++turns) {
    dJointID joint = dBodyGetJoint(body, 0);
    if (turns == 200) {
      fail_msg("a joint of type %d stays on its body", dJointGetType(joint));
    }
    if (s->detaches) {
      dJointAttach(joint, NULL, NULL);
    }
    dJointDestroy(joint);
  }
}

static void strippingNear(void *data, dGeomID a, dGeomID b) {
  stripper *s = data;
  dBodyID bodies[2] = {dGeomGetBody(a), dGeomGetBody(b)};
  for (int side = 0; side < 2 && s->inStep && (s->when & beforeContacts); ++side) {
    strip(s, bodies[side]);
  }
  odeWorld_Near(&s->w, a, b); /* s->w.contacts is NULL */
  for (int side = 0; side < 2 && s->inStep && (s->when & afterContacts); ++side) {
    strip(s, bodies[side]);
  }
}

static void stripSegment(void *user, dBrinkID brink, const dBrinkSegment *segment) {
  const stripper *s = user;
  (void)brink;
  for (int i = 0; i < segment->motionCount && (s->when & inSegment); ++i) {
    strip(s, segment->motions[i].body);
  }
}

static dBodyID addStripped(stripper *s, dGeomID geom, double x, double y, double z) {
  return s->bodies[s->count++] = odeWorld_Body(&s->w, geom, 1, x, y, z);
}

/* Five links fly at a wall, a stack stands on the floor, a ball rests before a gate that sweeps. */
static dGeomID makeStripped(stripper *s, int when, bool detaches, bool quick, bool jointed) {
  *s = (stripper){.when = when, .detaches = detaches};
  odeWorld_Make(&s->w, true, quick, -9.81);
  dJointGroupDestroy(s->w.contacts);
  s->w.contacts = NULL;
  dBrinkSetSegmentCallback(s->w.brink, stripSegment, s);
  dCreatePlane(s->w.space, 0, 0, 1, 0);
  dGeomSetPosition(dCreateBox(s->w.space, 0.05, 6, 6), 3, 0, 0);
  dGeomID gate = dCreateBox(s->w.space, 0.2, 1, 1);
  dGeomSetPosition(gate, -3, 0, 0.5);
  dBrinkSetSweep(s->w.brink, gate, 1);
  for (int i = 0; i < 5; ++i) {
    dBodyID link = addStripped(s, dCreateBox(s->w.space, 0.38, 0.2, 0.2), 0.4 * i, 0, 0.3);
    dBodySetLinearVel(link, 60, 0, -10);
    if (i > 0 && jointed) {
      dJointID joint = dJointCreateHinge(s->w.world, NULL);
      dJointAttach(joint, s->bodies[i - 1], link);
      dJointSetHingeAnchor(joint, 0.4 * i - 0.2, 0, 0.3);
      dJointSetHingeAxis(joint, 0, 1, 0);
    }
  }
  for (int i = 0; i < 6; ++i) {
    (void)addStripped(s, dCreateBox(s->w.space, 0.3, 0.3, 0.3), -1, 2, 0.15 + 0.3 * i);
  }
  dBodySetLinearVel(addStripped(s, dCreateSphere(s->w.space, 0.05), -1, -4, 0.5), 3, 120, 0);
  (void)addStripped(s, dCreateSphere(s->w.space, 0.1), -2.7, 0, 0.5);
  (void)addStripped(s, NULL, 5, 5, 5);
  return gate;
}

static void stepStripped(stripper *s) {
  dSpaceCollide(s->w.space, s, strippingNear);
  s->inStep = true;
  assert_int_equal((s->w.quick ? dBrinkWorldQuickStep : dBrinkWorldStep)(s->w.brink, s->w.h, s, strippingNear, NULL),
                   1);
  s->inStep = false;
}

/* Whatever a program destroys of its joints, and Brink's own that hang on its bodies: no loop is without end, nothing
 * is touched that is gone, and contacts that it makes at an impact hold, also where they lie where destroyed ones lay.
 */
CASE(a_program_may_destroy_all_joints_of_a_body_anywhere) {
  static stripper s;
  for (int code = 1; code < 16 * 8; ++code) {
    dGeomID gate = makeStripped(&s, code % 16, (code >> 4) & 1, (code >> 5) & 1, (code >> 6) & 1);
    for (int frame = 0; frame < 12; ++frame) {
      dGeomSetPosition(gate, -3 + 0.05 * frame, 0, 0.5);
      stepStripped(&s);
      for (int i = 0; i < s.count; ++i) {
        for (int k = dBodyGetNumJoints(s.bodies[i]) - 1; k >= 0; --k) {
          dJointID joint = dBodyGetJoint(s.bodies[i], k);
          if ((s.when & afterStep) || dJointGetType(joint) == dJointTypeContact) {
            dJointDestroy(joint);
          }
        }
        assert_true(!(s.when & afterStep) || dBodyGetNumJoints(s.bodies[i]) == 0);
      }
    }
    for (int i = 0; i < 5 && s.when == beforeContacts; ++i) {
      const dReal *p = dBodyGetPosition(s.bodies[i]);
      if ((p[0] > 3.1 && fabs(p[1]) < 3 && p[2] < 3) || p[2] < 0) {
        fail_msg("link %d is at %g %g %g", i, p[0], p[1], p[2]);
      }
    }
    dBrinkDestroy(s.w.brink);
    dSpaceDestroy(s.w.space);
    dWorldDestroy(s.w.world);
  }
}

/* A box stands at a post and is struck from the side. The callback destroys its contacts with the post: what it makes
 * for the struck pair may lie where they lay in memory, and is no old contact. */
CASE(a_contact_made_where_a_destroyed_one_lay_is_new) {
  for (int quick = 0; quick < 2; ++quick) {
    static stripper s;
    s = (stripper){.when = beforeContacts};
    odeWorld_MakeElastic(&s.w, quick);
    dJointGroupDestroy(s.w.contacts);
    s.w.contacts = NULL;
    dBodyID post = addStripped(&s, dCreateBox(s.w.space, 0.2, 0.2, 0.2), 0, 0.1999, 0);
    dBodyID box = addStripped(&s, dCreateBox(s.w.space, 0.2, 0.2, 0.2), 0, 0, 0);
    dBodyID striker = addStripped(&s, dCreateSphere(s.w.space, 0.1), -1, 0, 0);
    dBodySetLinearVel(striker, 100, 0, 0);
    stepStripped(&s);
    assert_int_equal(odeWorld_Info(&s.w).eventCount, 1);
    assert_true(fabs(dBodyGetLinearVel(box)[0] - 100) < 1 && fabs(dBodyGetLinearVel(striker)[0]) < 1);
    assert_true(fabs(dBodyGetLinearVel(post)[0]) < 1);
    dBrinkDestroy(s.w.brink);
    dSpaceDestroy(s.w.space);
    dWorldDestroy(s.w.world);
  }
}

/* What Brink hangs on a body of the program's own ends with the step. */
CASE(contacts_of_brinks_own_end_with_the_step) {
  static stripper s;
  dGeomID gate = makeStripped(&s, 0, false, true, true);
  for (int frame = 0; frame < 12; ++frame) {
    dGeomSetPosition(gate, -3 + 0.05 * frame, 0, 0.5);
    dJointGroupID contacts = dJointGroupCreate(0);
    s.w.contacts = contacts;
    stepStripped(&s);
    dJointGroupDestroy(contacts);
    for (int i = 0; i < s.count; ++i) {
      assert_int_equal(dBodyGetNumJoints(s.bodies[i]), i > 4 ? 0 : i == 0 || i == 4 ? 1 : 2);
    }
  }
  dBrinkDestroy(s.w.brink);
  dSpaceDestroy(s.w.space);
  dWorldDestroy(s.w.world);
}

/* ---- contacts that are made after dSpaceCollide */

#define MOST_LATER 512

/* A callback that notes what touches; its contacts are made when dSpaceCollide has returned. */
typedef struct noter {
  odeWorld w;
  dGeomID oneWay; /* holds what comes down on it alone */
  bool nameless;  /* its contacts name no geoms */
  dContactGeom noted[MOST_LATER];
  int count;
} noter;

static void note(void *data, dGeomID a, dGeomID b) {
  noter *n = data;
  assert_true(n->count < MOST_LATER - 8);
  if (a == n->w.sensor || b == n->w.sensor) {
    return;
  }
  if (n->oneWay != NULL && (a == n->oneWay || b == n->oneWay)) {
    dBodyID body = dGeomGetBody(a == n->oneWay ? b : a);
    if (dBodyGetLinearVel(body)[2] >= 0 || dBodyGetPosition(body)[2] < dGeomGetPosition(n->oneWay)[2]) {
      return;
    }
  }
  n->count += dGeomGetBody(a) != NULL || dGeomGetBody(b) != NULL
                  ? dCollide(a, b, 8, &n->noted[n->count], sizeof(n->noted[0]))
                  : 0;
}

static void stepNoter(noter *n) {
  n->count = 0;
  dSpaceCollide(n->w.space, n, note);
  for (int i = 0; i < n->count; ++i) {
    dContact contact = {.surface = {.mode = dContactApprox1, .mu = n->w.mu}, .geom = n->noted[i]};
    if (n->w.bounce > 0) {
      contact.surface.mode |= dContactBounce;
      contact.surface.bounce = n->w.bounce;
    }
    if (n->nameless) {
      contact.geom.g1 = contact.geom.g2 = NULL;
    }
    dJointAttach(dJointCreateContact(n->w.world, n->w.contacts, &contact), dGeomGetBody(n->noted[i].g1),
                 dGeomGetBody(n->noted[i].g2));
  }
  n->count = 0;
  assert_true((n->w.quick ? dBrinkWorldQuickStep : dBrinkWorldStep)(n->w.brink, n->w.h, n, note, n->w.contacts));
  dJointGroupEmpty(n->w.contacts);
}

static void silence(void *user, int level, const char *text) { (void)user, (void)level, (void)text; }

/* A floor and a wall of 5 mm at x = 3. */
static void makeNoter(noter *n, bool quick) {
  n->count = 0;
  n->oneWay = NULL;
  n->nameless = false;
  odeWorld_Make(&n->w, true, quick, -9.81);
  dBrinkSetLog(n->w.brink, silence, NULL);
  n->w.mu = 0.7;
  dGeomSetPosition(dCreateBox(n->w.space, 20, 20, 0.5), 0, 0, -0.25);
  dGeomSetPosition(dCreateBox(n->w.space, 0.005, 8, 4), 3, 0, 2);
}

static dBodyID throwStick(noter *n, uint64_t *seed, double least, double most) {
  dBodyID stick = odeWorld_Body(&n->w, dCreateCapsule(n->w.space, 0.02, 0.3), 0.3, 2 + 0.3 * odeRandom(seed), 0, 2);
  dMass mass;
  dMassSetCapsuleTotal(&mass, 0.3, 3, 0.02, 0.3);
  dBodySetMass(stick, &mass);
  dBodySetLinearVel(stick, odeUniform(seed, least, most), 5 * odeRandom(seed), 5 * odeRandom(seed));
  dBodySetAngularVel(stick, odeUniform(seed, -5, 15), odeUniform(seed, -20, 20), odeUniform(seed, -20, 20));
  return stick;
}

/* ODE tells one point of a capsule at a box. Held there it turns about it, until its other end is at its limit, where
 * the callback is silent: at that end the contacts of the next frame hold no more. Also where these name no geoms: they
 * are of all that their bodies have then. */
CASE(what_gets_its_contacts_later_does_not_hang_where_they_do_not_hold) {
  for (int kind = 0; kind < 4; ++kind) {
    static noter n;
    uint64_t seed = 88172645463325252u;
    double lost = 0;
    makeNoter(&n, kind % 2);
    n.nameless = kind / 2 == 1;
    for (int i = 0; i < 20; ++i) {
      dBodyID stick = throwStick(&n, &seed, 5, 65);
      for (int frame = 0; frame < 90; ++frame) {
        stepNoter(&n);
        lost += odeWorld_Info(&n.w).lostTime;
      }
      assert_true(dBodyGetPosition(stick)[0] < 3 && dBodyGetPosition(stick)[2] < 1.5);
      dGeomDestroy(dBodyGetFirstGeom(stick));
      dBodyDestroy(stick);
    }
    if (lost > 20 * 3 / 60.0) { /* three frames each, of 90 */
      fail_msg("%g s lost", lost);
    }
    odeWorld_End(&n.w);
  }
}

/* Sticks wait at the wall and at each other. What another impact of the step leads apart again has no contacts in the
 * next frame, and is wanted all the same. */
CASE(what_another_impact_leads_apart_is_not_taken_for_unwanted) {
  for (int run = 0; run < 12; ++run) {
    static noter n;
    uint64_t seed = 88172645463325252u + 7919u * (uint64_t)run;
    dBodyID sticks[16];
    makeNoter(&n, run % 2 == 0);
    for (int frame = 0; frame < 150; ++frame) {
      if (frame % 4 == 0 && frame < 64) {
        sticks[frame / 4] = throwStick(&n, &seed, 60, 160);
      }
      stepNoter(&n);
      for (int i = 0; i < 16 && i <= frame / 4; ++i) {
        const dReal *p = dBodyGetPosition(sticks[i]);
        if (p[0] > 3 && p[0] < 3.5 && fabs(p[1]) < 3.8 && p[2] < 3.8) {
          fail_msg("run %d, frame %d: stick %d is at %g %g %g", run, frame, i, p[0], p[1], p[2]);
        }
      }
    }
    odeWorld_End(&n.w);
  }
}

/* The first things that the program is asked about are balls at a sensor. That it makes nothing there tells nothing of
 * the wall. */
CASE(a_sensor_that_is_met_first_opens_no_wall) {
  for (int quick = 0; quick < 2; ++quick) {
    static noter n;
    dBodyID balls[6];
    makeNoter(&n, quick);
    n.w.sensor = dCreateBox(n.w.space, 0.01, 8, 4);
    dGeomSetPosition(n.w.sensor, -2, 0, 3);
    for (int i = 0; i < 6; ++i) {
      balls[i] = odeWorld_Body(&n.w, dCreateSphere(n.w.space, 0.02), 0.1, -4, 0.5 * i - 1.5, 2);
      dBodySetLinearVel(balls[i], 150 - 10 * i, 0, 0);
    }
    for (int frame = 0; frame < 30; ++frame) {
      stepNoter(&n);
    }
    for (int i = 0; i < 6; ++i) {
      if (!(dBodyGetPosition(balls[i])[0] > -2 && dBodyGetPosition(balls[i])[0] < 3)) {
        fail_msg("ball %d is at %g", i, dBodyGetPosition(balls[i])[0]);
      }
    }
    odeWorld_End(&n.w);
  }
}

/* A body carries a sensor around a solid box. That the program wants none of the sensor tells nothing of the box. */
CASE(a_sensor_on_a_body_opens_no_wall_for_it) {
  for (int quick = 0; quick < 2; ++quick) {
    static noter n;
    makeNoter(&n, quick);
    dBodyID body = odeWorld_Body(&n.w, dCreateBox(n.w.space, 0.4, 0.4, 0.4), 1, -1, 0, 2);
    n.w.sensor = dCreateSphere(n.w.space, 0.6);
    dGeomSetBody(n.w.sensor, body);
    dBodySetLinearVel(body, 60, 0, 0);
    for (int frame = 0; frame < 20; ++frame) {
      stepNoter(&n);
    }
    if (!(dBodyGetPosition(body)[0] < 3)) {
      fail_msg("the body is at %g", dBodyGetPosition(body)[0]);
    }
    odeWorld_End(&n.w);
  }
}

/* Ten links one behind the other, at a wall that the program does not want. Each waits there once, as what it wants of
 * one tells nothing of the others. */
CASE(each_link_of_a_chain_waits_once_where_it_is_not_wanted) {
  for (int quick = 0; quick < 2; ++quick) {
    static noter n;
    dBodyID links[10];
    double lost = 0;
    makeNoter(&n, quick);
    n.w.sensor = dCreateBox(n.w.space, 0.01, 8, 4);
    dGeomSetPosition(n.w.sensor, -2, 0, 3);
    for (int i = 0; i < 10; ++i) {
      links[i] = odeWorld_Body(&n.w, dCreateSphere(n.w.space, 0.1), 1, -4 - 0.3 * i, 0, 3);
      dBodySetLinearVel(links[i], 40, 0, 0);
      if (i > 0) {
        dJointID joint = dJointCreateBall(n.w.world, 0);
        dJointAttach(joint, links[i - 1], links[i]);
        dJointSetBallAnchor(joint, -4 - 0.3 * i + 0.15, 0, 3);
      }
    }
    for (int frame = 0; frame < 14; ++frame) {
      stepNoter(&n);
      lost += odeWorld_Info(&n.w).lostTime;
    }
    if (!(dBodyGetPosition(links[9])[0] > -2 && lost < 10 * 2 / 60.0)) { /* of each link, a frame and a bit */
      fail_msg("the last link is at %g; %g s lost", dBodyGetPosition(links[9])[0], lost);
    }
    odeWorld_End(&n.w);
  }
}

/* A probe that collides with nothing leads, a ball is fixed to it. The wall holds the ball. */
CASE(a_ghost_opens_no_wall_for_what_it_is_joined_to) {
  for (int run = 0; run < 2 * 12; ++run) {
    static noter n;
    makeNoter(&n, run % 2);
    dBodyID ball = addBall(&n.w, n.w.space, 1, 0, 0), tip = addBall(&n.w, n.w.space, 1.5, 0, 0);
    n.w.sensor = dBodyGetFirstGeom(tip);
    dBodySetPosition(ball, 1, 0, 2);
    dBodySetPosition(tip, 1.5, 0, 2);
    dJointID joint = dJointCreateFixed(n.w.world, 0);
    dJointAttach(joint, ball, tip);
    dJointSetFixed(joint);
    dBodySetLinearVel(ball, 20 + 15 * (run / 2), 0, 0);
    dBodySetLinearVel(tip, 20 + 15 * (run / 2), 0, 0);
    for (int frame = 0; frame < 12; ++frame) {
      stepNoter(&n);
    }
    if (!(dBodyGetPosition(ball)[0] < 3)) {
      fail_msg("run %d: the ball is at %g", run, dBodyGetPosition(ball)[0]);
    }
    odeWorld_End(&n.w);
  }
}

/* A ghost that is destroyed, and a ball that is made where it lay in memory. */
CASE(a_geom_made_where_a_ghost_lay_is_held) {
  static noter n;
  makeNoter(&n, true);
  for (int run = 0; run < 6; ++run) {
    dBodyID ball = addBall(&n.w, n.w.space, 2.7, 0, 150);
    dBodySetPosition(ball, 2.7, 0, 2);
    dGeomID geom = dBodyGetFirstGeom(ball);
    n.w.sensor = run % 2 == 0 ? geom : NULL;
    for (int frame = 0; frame < 3 && (run % 2 == 1 || dBodyGetPosition(ball)[0] < 3); ++frame) {
      stepNoter(&n);
    }
    assert_int_equal(dBodyGetPosition(ball)[0] > 3, run % 2 == 0);
    dGeomDestroy(geom);
    dBodyDestroy(ball);
  }
  odeWorld_End(&n.w);
}

/* What rests on a floor has contacts with the world in each frame. They are not those of a sensor that it slides into,
 * whether the program makes them later or has made none inside a step yet. */
CASE(contacts_with_the_floor_are_none_with_a_sensor) {
  for (int kind = 0; kind < 4; ++kind) {
    static noter n;
    makeNoter(&n, kind % 2);
    n.w.mu = 0;
    dBodyID box = odeWorld_Body(&n.w, dCreateBox(n.w.space, 0.4, 0.4, 0.4), 1, -5, 0, 0.2);
    n.w.sensor = dCreateBox(n.w.space, 0.3, 8, 4);
    dGeomSetPosition(n.w.sensor, -2, 0, 0);
    for (int frame = 0; frame < 70; ++frame) {
      if (frame == 20) {
        dBodySetLinearVel(box, 6, 0, 0);
      }
      if (kind / 2 == 0) {
        stepNoter(&n);
      } else {
        (void)odeWorld_Step(&n.w);
      }
    }
    if (!(dBodyGetPosition(box)[0] > -1.5 && fabs(dBodyGetLinearVel(box)[0] - 6) < 1e-6)) {
      fail_msg("kind %d: the box is at %g, %g m/s", kind, dBodyGetPosition(box)[0], dBodyGetLinearVel(box)[0]);
    }
    odeWorld_End(&n.w);
  }
}

/* Two trimeshes are kept a hair apart, where ODE does not tell the program of them. One lies on the other as on any
 * ground: in time, and with the friction that the program gives. */
CASE(what_lies_a_hair_off_gets_contacts_later_too) {
  static const double corners[2][8][3] = {BOX_CORNERS(0.2, 0.2, 0.2), BOX_CORNERS(4, 4, 0.5)};
  dTriMeshDataID data[2] = {makeBoxData(corners[0]), makeBoxData(corners[1])};
  for (int kind = 0; kind < 4; ++kind) {
    static noter n;
    double lost = 0;
    makeNoter(&n, kind % 2);
    n.w.mu = kind / 2 == 0 ? 0 : 0.5;
    dGeomSetPosition(dCreateTriMesh(n.w.space, data[1], NULL, NULL, NULL), -5, 0, 1);
    dBodyID cube = odeWorld_Body(&n.w, dCreateTriMesh(n.w.space, data[0], NULL, NULL, NULL), 1, -7, 0, 2);
    dBodySetLinearVel(cube, 0, 0, -6);
    for (int frame = 0; frame < 120; ++frame) {
      if (frame == 60) {
        lost = 0;
        dBodySetLinearVel(cube, 2, 0, 0);
      }
      stepNoter(&n);
      lost += odeWorld_Info(&n.w).lostTime;
    }
    const double x = dBodyGetPosition(cube)[0], z = dBodyGetPosition(cube)[2];
    const double way = kind / 2 == 0 ? 2 : 2 * 2 / (2 * 0.5 * 9.81);
    if (fabs(x + 7 - way) > 0.1 * way || z < 1.7 || z > 1.72 || lost > 1 / 60.0) {
      fail_msg("kind %d: slid %g m of %g, lies at %g; %g s lost", kind, x + 7, way, z, lost);
    }
    odeWorld_End(&n.w);
  }
  dGeomTriMeshDataDestroy(data[0]);
  dGeomTriMeshDataDestroy(data[1]);
}

/* In a soft world the program's contacts let what is kept apart come nearer, and Brink's hold it: as hard as ever, and
 * with its gap opened again. With soft ones it is struck until it waits, in most frames. */
CASE(what_gets_its_contacts_later_loses_no_time_in_a_soft_world) {
  static const double corners[2][8][3] = {BOX_CORNERS(0.2, 0.2, 0.2), BOX_CORNERS(4, 4, 0.5)};
  dTriMeshDataID data[2] = {makeBoxData(corners[0]), makeBoxData(corners[1])};
  for (int quick = 0; quick < 2; ++quick) {
    static noter n;
    uint64_t seed = 88172645463325252u;
    double lost = 0;
    makeNoter(&n, quick);
    dWorldSetCFM(n.w.world, 0.01);
    dGeomSetPosition(dCreateTriMesh(n.w.space, data[1], NULL, NULL, NULL), -5, 0, 1);
    for (int i = 0; i < 8; ++i) {
      dGeomID geom = dCreateTriMesh(n.w.space, data[0], NULL, NULL, NULL);
      dBodyID cube = odeWorld_Body(&n.w, geom, 1, -8 + 2 * (i % 4), -1 + 2 * (i / 4), 2.5);
      dBodySetLinearVel(cube, odeRandom(&seed), odeRandom(&seed), -5);
      dBodySetAngularVel(cube, 5 * odeRandom(&seed), 5 * odeRandom(&seed), 5 * odeRandom(&seed));
    }
    for (int frame = 0; frame < 180; ++frame) {
      stepNoter(&n);
      lost += odeWorld_Info(&n.w).lostTime;
    }
    if (lost > 5 / 60.0) { /* of each a few frames */
      fail_msg("%g s lost", lost);
    }
    odeWorld_End(&n.w);
  }
  dGeomTriMeshDataDestroy(data[0]);
  dGeomTriMeshDataDestroy(data[1]);
}

/* A ball comes up through a platform that holds from above alone, bounces off a ceiling and comes back: it is to be
 * held then, though it was let through a frame or two ago. */
CASE(what_came_up_through_a_platform_lands_on_it) {
  for (int run = 0; run < 2 * 14; ++run) {
    static noter n;
    bool above = false;
    makeNoter(&n, run % 2);
    n.w.bounce = 0.9;
    n.oneWay = dCreateBox(n.w.space, 6, 6, 0.1);
    dGeomSetPosition(n.oneWay, -5, 0, 3);
    dGeomSetPosition(dCreateBox(n.w.space, 6, 6, 0.2), -5, 0, 4.1);
    dBodyID ball = odeWorld_Body(&n.w, dCreateSphere(n.w.space, 0.1), 1, -5, 0, 1);
    dBodySetLinearVel(ball, 0, 0, 70 + 10 * (run / 2));
    for (int frame = 0; frame < 30; ++frame) {
      stepNoter(&n);
      above = above || dBodyGetPosition(ball)[2] > 3;
      if (above && dBodyGetPosition(ball)[2] < 2.85) {
        fail_msg("run %d: it is at %g in frame %d", run, dBodyGetPosition(ball)[2], frame);
      }
    }
    assert_true(above);
    odeWorld_End(&n.w);
  }
}

/* ---- another ODE, whose contacts do not keep what they were made of */

static struct {
  bool on;     /* it is that one */
  bool makes;  /* a contact that is of no geoms */
  int looked;  /* such contacts */
  char *block; /* of such a one; ends where no memory is */
} other;

static size_t pageSize(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static void *allocateBefore(dsizeint size) {
  if (!other.makes) {
    return malloc(size);
  }
  char *pages = mmap(NULL, 2 * pageSize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(pages != MAP_FAILED && size <= pageSize());
  assert_int_equal(mprotect(pages + pageSize(), pageSize(), PROT_NONE), 0);
  other.block = pages + pageSize() - size;
  return other.block;
}

static void freeBefore(void *block, dsizeint size) {
  if (block != other.block) {
    free(block);
  } else if (block != NULL) {
    assert_int_equal(munmap((char *)block + size - pageSize(), 2 * pageSize()), 0);
    other.block = NULL;
  }
}

__attribute__((visibility("default"))) dJointID dJointCreateContact(dWorldID world, dJointGroupID group,
                                                                    const dContact *contact) {
  dJointID (*ofOde)(dWorldID, dJointGroupID, const dContact *) =
      (dJointID(*)(dWorldID, dJointGroupID, const dContact *))dlsym(RTLD_NEXT, "dJointCreateContact");
  const dReal *n = contact->geom.normal;
  if (!other.on || dCalcVectorDot3(n, n) > 0) {
    return ofOde(world, group, contact);
  }
  other.looked++;
  other.makes = true;
  dJointID made = dJointCreateBall(world, group);
  other.makes = false;
  return made;
}

/* Where a contact keeps its geoms is looked for in a record of the joint, and nowhere else. Not found there, a contact
 * may be of any pair: what gets its contacts later is held as ever. */
CASE(no_more_of_a_contact_is_read_than_there_is) {
  for (int quick = 0; quick < 2; ++quick) {
    static noter n;
    makeNoter(&n, quick);
    dBodyID ball = addBall(&n.w, n.w.space, 1, 0, 60);
    dBodySetPosition(ball, 1, 0, 2);
    other.on = true;
    other.looked = 0;
    for (int frame = 0; frame < 12; ++frame) {
      dSetAllocHandler(allocateBefore);
      dSetFreeHandler(freeBefore);
      stepNoter(&n);
      dSetAllocHandler(NULL);
      dSetFreeHandler(NULL);
    }
    other.on = false;
    assert_true(other.looked == 1 && dBodyGetPosition(ball)[0] < 3);
    odeWorld_End(&n.w);
  }
}

int main(void) { return cases_Run(startOde, endOde); }
