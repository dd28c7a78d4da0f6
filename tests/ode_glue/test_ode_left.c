/* SPDX-License-Identifier: BSD-3-Clause */
/* An exception of a callback leaves a step. The thread that steps ends itself there, which unwinds its calls as an
 * exception does; the program goes on in another one. Units: SI. */
#include <pthread.h>

#include "cases.h"
#include "ode_start.h"
#include "ode_world.h"

enum { count = 3 };

typedef struct scene {
  odeWorld w;
  dBodyID bodies[count];
  int leaveAt, calls; /* the callback that leaves: 0: none */
  bool moved, left;   /* it is dBodySetMovedCallback's */
} scene;

static scene *current;

static void leave(bool moved) {
  if (current->moved == moved && current->leaveAt > 0 && ++current->calls == current->leaveAt) {
    current->left = true;
    pthread_exit(NULL);
  }
}

static void near(void *data, dGeomID a, dGeomID b) {
  odeWorld_Near(data, a, b);
  leave(false);
}

static void hasMoved(dBodyID body) {
  (void)body;
  leave(true);
}

/* Three boxes fly at a wall, two of them joined, in a world that has its own settings. */
static void make(scene *s, bool quick) {
  *s = (scene){.left = false};
  odeWorld_Make(&s->w, true, quick, -9.81);
  dGeomSetPosition(dCreateBox(s->w.space, 0.05, 20, 20), 0.025, 0, 0);
  for (int i = 0; i < count; ++i) {
    s->bodies[i] = odeWorld_Body(&s->w, dCreateBox(s->w.space, 0.2, 0.2, 0.2), 1, -1, 0.3 * i, 0);
    dBodySetLinearVel(s->bodies[i], 100, 0, 0);
    dBodySetMovedCallback(s->bodies[i], hasMoved);
    dBodySetMaxAngularSpeed(s->bodies[i], 77);
    dBodySetLinearDamping(s->bodies[i], 0.02);
    dBodySetLinearDampingThreshold(s->bodies[i], 0);
  }
  dJointID joint = dJointCreateBall(s->w.world, NULL);
  dJointAttach(joint, s->bodies[0], s->bodies[1]);
  dJointSetBallAnchor(joint, -1, 0.15, 0);
  dJointSetBallParam(joint, dParamERP, 0.33);
  dWorldSetERP(s->w.world, 0.3);
  dWorldSetCFM(s->w.world, 1e-7);
  dWorldSetContactMaxCorrectingVel(s->w.world, 50);
  dWorldSetQuickStepNumIterations(s->w.world, 23);
}

static void *stepOnce(void *data) {
  scene *s = data;
  const int done = s->w.quick ? dBrinkWorldQuickStep(s->w.brink, s->w.h, &s->w, near, s->w.contacts)
                              : dBrinkWorldStep(s->w.brink, s->w.h, &s->w, near, s->w.contacts);
  assert_int_equal(done, 1);
  return NULL;
}

static void allIsBack(const scene *s) {
  assert_true(dWorldGetERP(s->w.world) == 0.3 && dWorldGetCFM(s->w.world) == 1e-7);
  assert_true(dWorldGetContactMaxCorrectingVel(s->w.world) == 50);
  assert_int_equal(dWorldGetQuickStepNumIterations(s->w.world), 23);
  for (int i = 0; i < count; ++i) {
    assert_int_equal(dBodyGetFiniteRotationMode(s->bodies[i]), 0);
    assert_true(dBodyGetGyroscopicMode(s->bodies[i]) != 0);
    assert_true(dBodyGetMaxAngularSpeed(s->bodies[i]) == 77 && dBodyGetLinearDamping(s->bodies[i]) == 0.02);
    assert_int_equal(dBodyGetNumJoints(s->bodies[i]), i < 2);
    assert_true(dBodyGetPosition(s->bodies[i])[0] < 0);
  }
  assert_true(dJointGetBallParam(dBodyGetJoint(s->bodies[0], 0), dParamERP) == 0.33);
}

CASE(a_step_that_an_exception_leaves_is_broken_off_and_the_next_one_works) {
  for (int kind = 0; kind < 4; ++kind) {
    int ways = 0;
    for (int at = 1, left = 1; left; ++at, ways += left) {
      scene s;
      make(&s, kind & 1);
      s.moved = kind & 2;
      current = &s;
      s.leaveAt = at;
      pthread_t thread;
      assert_int_equal(pthread_create(&thread, NULL, stepOnce, &s), 0);
      pthread_join(thread, NULL);
      s.leaveAt = 0;
      left = s.left;
      dJointGroupEmpty(s.w.contacts);
      allIsBack(&s);
      for (int frame = 0; frame < 6; ++frame) {
        dSpaceCollide(s.w.space, &s.w, near);
        stepOnce(&s);
        dJointGroupEmpty(s.w.contacts);
        allIsBack(&s);
      }
      for (int i = 0; i < count; ++i) {
        assert_true(dBodyGetLinearVel(s.bodies[i])[0] < 1);
      }
      odeWorld_End(&s.w);
    }
    assert_true(ways > 2);
  }
}

/* dCloseODE would abort: a solve of ODE's own that is left keeps its jobs. */
/* A box is struck early in the step. At a later impact the callback ties another one to it, and destroys a third: the
 * step ends there. */
typedef struct tying {
  odeWorld w;
  dGeomID late, doomed;
  dBodyID struck, loose;
  bool inside;
} tying;

static void tieAndDestroy(void *data, dGeomID a, dGeomID b) {
  tying *t = data;
  odeWorld_Near(&t->w, a, b);
  if (!t->inside || t->doomed == NULL || (a != t->late && b != t->late)) {
    return;
  }
  dJointID joint = dJointCreateBall(t->w.world, NULL);
  dJointAttach(joint, t->struck, t->loose);
  dJointSetBallAnchor(joint, -2, 2, 0);
  dBodyDestroy(dGeomGetBody(t->doomed));
  dGeomDestroy(t->doomed);
  t->doomed = NULL;
}

/* Each body stands on its own proven way, wherever the new joint would lead it. */
CASE(what_a_callback_ties_before_it_ends_the_step_stands_where_the_proof_ends) {
  for (int looseFirst = 0; looseFirst < 2; ++looseFirst) {
    tying t;
    odeWorld_Make(&t.w, true, false, 0);
    dGeomSetPosition(dCreateBox(t.w.space, 0.05, 20, 20), 0.025, 0, 0);
    for (int i = 0; i < 2; ++i) {
      dBodyID *body = (i == 0) == (looseFirst != 0) ? &t.loose : &t.struck;
      *body = odeWorld_Body(&t.w, dCreateBox(t.w.space, 0.2, 0.2, 0.2), 1, body == &t.loose ? -3 : -0.4, 0, 0);
    }
    dBodySetPosition(t.loose, -3, 4, 0);
    dBodySetLinearVel(t.loose, 0, 30, 0);
    dBodySetAngularVel(t.loose, 0, 0, 6);
    dBodySetLinearVel(t.struck, 100, 0, 0);
    dBodySetAngularVel(t.struck, 0, 3, 3);
    t.late = dCreateSphere(t.w.space, 0.1);
    dBodySetLinearVel(odeWorld_Body(&t.w, t.late, 1, -1.1, -4, 0), 100, 0, 0);
    t.doomed = dCreateSphere(t.w.space, 0.1);
    (void)odeWorld_Body(&t.w, t.doomed, 1, -3, -4, 0);
    t.inside = true;
    assert_int_equal(dBrinkWorldStep(t.w.brink, t.w.h, &t, tieAndDestroy, t.w.contacts), 0);
    assert_null(t.doomed);
    const dReal *loose = dBodyGetPosition(t.loose), *struck = dBodyGetPosition(t.struck);
    assert_true(fabs(loose[0] + 3) < 1e-9 && loose[1] > 4.28 && loose[1] < 4.32 && fabs(loose[2]) < 1e-9);
    assert_true(struck[0] < -0.09 && struck[0] > -0.4 && fabs(struck[1]) < 0.1 && fabs(struck[2]) < 0.1);
    dJointGroupEmpty(t.w.contacts);
    odeWorld_End(&t.w);
  }
}

int main(void) { return cases_Run(startOde, NULL); }
