/* SPDX-License-Identifier: BSD-3-Clause */
/* One include makes an ODE program a Brink program: this file itself, plain programs compiled with the compiler's
 * -include option (C and C++), and the settings that then belong to the world. */
#include "cases.h"
#include <brink/ode_redirect.h>

#include "brink/ode.h"
#include "hook_support.h"

#define REDIRECT HOOK_INCLUDES " -include brink/ode_redirect.h"

static dJointGroupID contacts;
static int nearCalls;

/* The first case: no call has gone through Brink before. */
CASE(a_callback_that_cannot_be_set_is_refused) {
  assert_int_equal(dBrinkHookSetCallback(99), 0);
  assert_non_null(strstr(dBrinkGetError(NULL), "99 is none of dBrinkCallbackReplay (0) and dBrinkCallbackCapture (1)"));
  assert_int_equal(dBrinkHookSetCallback(-1), 0);
  assert_int_equal(dBrinkHookSetCallback(dBrinkCallbackCapture), 1);
  assert_string_equal(dBrinkGetError(NULL), "");
  assert_int_equal(dBrinkHookSetCallback(dBrinkCallbackReplay), 1);
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dBodyDestroy(dBodyCreate(world));
  assert_int_equal(dBrinkHookSetCallback(dBrinkCallbackCapture), 0);
  assert_non_null(strstr(dBrinkGetError(NULL), "comes too late"));
  dWorldDestroy(world);
  dCloseODE();
}

static void nearCallback(void *data, dGeomID a, dGeomID b) {
  dContact found[4];
  memset(found, 0, sizeof found);
  nearCalls++;
  int count = dCollide(a, b, 4, &found[0].geom, sizeof(dContact));
  for (int i = 0; i < count; ++i) {
    found[i].surface.mode = dContactBounce;
    found[i].surface.bounce = 0.5;
    dJointAttach(dJointCreateContact(data, contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

static void endScene(dWorldID world, dSpaceID space) {
  dJointGroupDestroy(contacts);
  dSpaceDestroy(space);
  dWorldDestroy(world);
  dCloseODE();
}

static double shoot(dWorldID world, dSpaceID space, int frames) {
  dCreateBox(space, 0.005, 1, 1);
  dGeomID ball = dCreateSphere(space, 0.01);
  dBodyID body = dBodyCreate(world);
  dGeomSetBody(ball, body);
  dBodySetPosition(body, -12.3, 0, 0);
  dBodySetLinearVel(body, 300, 0, 0);
  for (int i = 0; i < frames; ++i) {
    dSpaceCollide(space, world, nearCallback);
    dWorldQuickStep(world, 1.0 / 60);
    dJointGroupEmpty(contacts);
  }
  return dBodyGetPosition(body)[0];
}

CASE(one_include_is_enough) {
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dSpaceID space = dHashSpaceCreate(NULL);
  contacts = dJointGroupCreate(0);
  nearCalls = 0;
  assert_true(shoot(world, space, 10) < -18);
  assert_int_equal(nearCalls, 1); /* for the pair that is struck, at its impact */
  endScene(world, space);
}

static double shootInParts(int parts, int withBrink) {
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dSpaceID space = dHashSpaceCreate(NULL);
  contacts = dJointGroupCreate(0);
  dBrinkSetEnabled(dBrinkOfWorld(world), withBrink);
  dCreateBox(space, 0.005, 1, 1);
  dBodyID body = dBodyCreate(world);
  dGeomSetBody(dCreateSphere(space, 0.01), body);
  dBodySetPosition(body, -12.3, 0, 0);
  dBodySetLinearVel(body, 300, 0, 0);
  for (int i = 0; i < 10 * parts; ++i) {
    dSpaceCollide(space, world, nearCallback);
    dWorldStep(world, 1.0 / 60 / parts);
    dJointGroupEmpty(contacts);
  }
  double x = dBodyGetPosition(body)[0];
  endScene(world, space);
  return x;
}

CASE(substeps_by_hand_stop_less_than_one_step_with_brink) {
  assert_true(shootInParts(1, 0) > 0);
  assert_true(shootInParts(8, 0) > 0);
  assert_true(shootInParts(1, 1) < -18);
  assert_true(shootInParts(8, 1) < -18);
}

CASE(settings_belong_to_the_worlds_brink) {
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dSpaceID space = dHashSpaceCreate(NULL);
  contacts = dJointGroupCreate(0);
  dBrinkID brink = dBrinkOfWorld(world);
  assert_non_null(brink);
  assert_ptr_equal(brink, dBrinkOfWorld(world));
  assert_int_equal(dBrinkSetMaxSubsteps(brink, 4), 1);
  assert_true(shoot(world, space, 3) < 0);
  dBrinkStepInfo info = {.structSize = sizeof info};
  assert_int_equal(dBrinkGetStepInfo(brink, &info), 1);
  assert_int_equal(info.eventCount, 1);
  assert_int_equal(dBrinkSetEnabled(brink, 0), 1);
  assert_null(dBrinkOfWorld(NULL));
  endScene(world, space);
}

/* Spaces and geoms destroyed before and after bodies and between the calls; ODE closed over a world that is still
 * there. */
CASE(worlds_may_end_in_any_order) {
  for (int run = HOOK_SANITIZED; run < 5; ++run) { /* run 0 leaks its world */
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dSpaceID space = dSimpleSpaceCreate(NULL), inner = dSimpleSpaceCreate(space), other = dSimpleSpaceCreate(NULL);
    contacts = dJointGroupCreate(0);
    dGeomID wall = dCreateBox(NULL, 1, 1, 1), ball = dCreateSphere(inner, 0.5);
    dGeomSetPosition(wall, 5, 0, 0);
    dBodyID body = dBodyCreate(world);
    dGeomSetBody(ball, body);
    dBodySetLinearVel(body, 200, 0, 0);
    dSpaceCollide2((dGeomID)inner, wall, world, nearCallback);
    if (run & 1) dGeomDestroy(wall);
    dWorldStep(world, 1.0 / 60);
    dJointGroupEmpty(contacts);
    dSpaceCollide(space, world, nearCallback);
    if (run & 2) dSpaceDestroy(space);
    if (run == 3) dBodyDestroy(body);
    dWorldStep(world, 1.0 / 60);
    dSpaceCollide(other, world, nearCallback);
    dWorldStep(world, 1.0 / 60);
    if (run == 4) dWorldDestroy(world);
    dJointGroupDestroy(contacts);
    if (!(run & 2)) dSpaceDestroy(space);
    if (!(run & 1)) dGeomDestroy(wall);
    dSpaceDestroy(other);
    if (run > 0 && run < 4) dWorldDestroy(world);
    dCloseODE();
  }
}

static bool inStep;
static int worldsEnded;

static void endWorldNear(void *data, dGeomID a, dGeomID b) {
  nearCallback(data, a, b);
  if (inStep && worldsEnded == 0) {
    worldsEnded++;
    dWorldDestroy(data);
  }
}

/* As with bodies and geoms: what a callback destroys inside a step goes at its end. */
CASE(a_world_destroyed_inside_its_step_ends_after_it) {
  for (int quick = 0; quick < 2; ++quick) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dSpaceID space = dHashSpaceCreate(NULL);
    contacts = dJointGroupCreate(0);
    dGeomID wall = dCreateBox(space, 0.01, 4, 4), ball = dCreateSphere(space, 0.1);
    dBodyID body = dBodyCreate(world);
    dGeomSetBody(ball, body);
    dBodySetPosition(body, -1, 0, 0);
    dBodySetLinearVel(body, 200, 0, 0);
    worldsEnded = 0;
    dSpaceCollide(space, world, endWorldNear);
    assert_int_equal(worldsEnded, 0);
    inStep = true;
    if (quick) {
      dWorldQuickStep(world, 1.0 / 60);
    } else {
      dWorldStep(world, 1.0 / 60);
    }
    inStep = false;
    assert_int_equal(worldsEnded, 1);
    assert_null(dGeomGetBody(ball)); /* its body went with the world */
    assert_true(dGeomGetPosition(wall)[0] == 0);
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dCloseODE();
  }
}

/* A program may keep the step that it uses in a pointer. */
CASE(a_pointer_to_a_step_is_redirected_too) {
  int (*const steps[2])(dWorldID, dReal) = {dWorldStep, dWorldQuickStep};
  for (int quick = 0; quick < 2; ++quick) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dSpaceID space = dHashSpaceCreate(NULL);
    contacts = dJointGroupCreate(0);
    dCreateBox(space, 0.01, 4, 4);
    dBodyID body = dBodyCreate(world);
    dGeomSetBody(dCreateSphere(space, 0.1), body);
    dBodySetPosition(body, -1, 0, 0);
    dBodySetLinearVel(body, 200, 0, 0);
    for (int frame = 0; frame < 3; ++frame) {
      dSpaceCollide(space, world, nearCallback);
      assert_true(steps[quick](world, 1.0 / 60));
      dJointGroupEmpty(contacts);
      assert_true(dBodyGetPosition(body)[0] < 0);
    }
    endScene(world, space);
  }
}

CASE(plain_c_programs_need_no_changed_line) {
  hook_Build("scenes.c", "plain", "", "-lode");
  hook_Build("scenes.c", "redirected", REDIRECT, HOOK_LINK " -lode");
  static const char *const scenes[] = {"bullet", "car", "loose", "rebound", "worlds"};
  for (size_t i = 0; i < 2 * sizeof scenes / sizeof *scenes; ++i) {
    hookRun run = hook_Run("./redirected %s %s", scenes[i / 2], i % 2 ? "quick" : "");
    if (run.status != 0) fail_msg("%s died with %d: %s", scenes[i / 2], run.status, run.errors);
    if (hook_Value(&run, " x ") > 0.15) fail_msg("%s: %s", scenes[i / 2], strstr(run.output, "end:"));
    hook_End(&run);
  }
  for (int quick = 0; quick < 2; ++quick) {
    hookRun plain = hook_Run("./plain slow %s 300", quick ? "quick" : "");
    hookRun run = hook_Run("./redirected slow %s 300", quick ? "quick" : "");
    assert_string_equal(plain.output, run.output); /* bit for bit */
    assert_string_equal(run.errors, "");
    hook_End(&plain);
    hook_End(&run);
  }
}

CASE(cpp_classes_are_redirected_too) {
  if (!hook_Can("printf '#include <cstdio>\\nint main() {}\\n' | c++ -x c++ -fsyntax-only -")) {
    print_message("skipped: there is no C++ compiler\n");
    skip();
  }
  const char *source = BRINK_SOURCE_DIR "/tests/programs/classes.cpp";
  hook_Must("c++ -Wall -Wextra -Werror %s -o classes '%s' -lode", HOOK_FLAGS, source);
  hook_Must("c++ -Wall -Wextra -Werror %s %s -o classes_brink '%s' %s -lode", HOOK_FLAGS, REDIRECT, source, HOOK_LINK);
  hookRun plain = hook_Run("./classes"), run = hook_Run("./classes_brink");
  assert_true(hook_Value(&plain, " x ") > 0);
  assert_true(hook_Value(&run, " x ") < -18);
  hook_End(&plain);
  hook_End(&run);
}

CASE(both_hooks_at_once_are_one) {
  if (access(HOOK_PRELOAD, R_OK) != 0) skip();
  hook_Build("scenes.c", "both", REDIRECT, HOOK_LINK " -lode");
  hookRun one = hook_Run("BRINK_CALLBACK=replay ./both bullet");
  hookRun two = hook_Run("BRINK_CALLBACK=replay LD_PRELOAD='" HOOK_PRELOAD "' ./both bullet");
  assert_string_equal(one.output, two.output);
  hook_End(&one);
  hook_End(&two);
}

/* Nothing of Brink shows where the program looks: no joint on its bodies, no space around its geoms. */
CASE(bodies_and_geoms_show_nothing_of_brink) {
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dSpaceID space = dHashSpaceCreate(NULL), inner = dSimpleSpaceCreate(space);
  contacts = dJointGroupCreate(0);
  dBodyID body = dBodyCreate(world), lone = dBodyCreate(world);
  dGeomID ball = dCreateSphere(inner, 0.5), loose = dCreateBox(NULL, 1, 1, 1);
  dGeomSetBody(ball, body);
  dGeomSetPosition(loose, 10, 0, 0);
  for (int i = 0; i < 5; ++i) {
    dSpaceCollide(space, world, nearCallback);
    dSpaceCollide2((dGeomID)space, loose, world, nearCallback);
    dWorldStep(world, 1.0 / 60);
    dJointGroupEmpty(contacts);
    assert_int_equal(dBodyGetNumJoints(body) + dBodyGetNumJoints(lone), 0);
    assert_null(dGeomGetSpace((dGeomID)space));
    assert_null(dGeomGetSpace(loose));
    assert_ptr_equal(dGeomGetSpace(ball), inner);
    assert_int_equal(dSpaceGetNumGeoms(space), 1);
  }
  dJointGroupDestroy(contacts);
  dSpaceDestroy(space);
  dGeomDestroy(loose);
  dWorldDestroy(world);
  dCloseODE();
}

/* A program that has its own dBrink is left to it. */
CASE(an_own_brink_goes_before_the_hook) {
  dInitODE2(0);
  dWorldID world = dWorldCreate();
  dSpaceID space = dHashSpaceCreate(NULL);
  contacts = dJointGroupCreate(0);
  dBrinkID own = dBrinkCreate(world);
  assert_int_equal(dBrinkAddSpace(own, space), 1);
  dCreateBox(space, 0.005, 1, 1);
  dBodyID body = dBodyCreate(world);
  dGeomSetBody(dCreateSphere(space, 0.01), body);
  dBodySetPosition(body, -12.3, 0, 0);
  dBodySetLinearVel(body, 300, 0, 0);
  nearCalls = 0;
  for (int i = 0; i < 10; ++i) {
    dSpaceCollide(space, world, nearCallback);
    assert_int_equal(dBrinkWorldStep(own, 1.0 / 60, world, nearCallback, contacts), 1);
    dJointGroupEmpty(contacts);
  }
  assert_true(dBodyGetPosition(body)[0] < -18);
  assert_int_equal(nearCalls, 1);
  dBrinkDestroy(own);
  endScene(world, space);
}

/* Bullets that take each other's place, mostly at the same addresses, shot at a thin wall. */
CASE(a_body_made_where_another_one_ended_is_held) {
  for (int kind = 0; kind < 3; ++kind) { /* the body ends first, the geom does, the geom goes on */
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dSpaceID space = dHashSpaceCreate(NULL);
    contacts = dJointGroupCreate(0);
    dCreateBox(space, 0.02, 4, 4);
    dBodyID body = NULL;
    dGeomID ball = NULL;
    for (int i = 0; i < 6; ++i) {
      if (i > 0 && kind == 1) dGeomDestroy(ball);
      if (i > 0) dBodyDestroy(body);
      if (i > 0 && kind == 0) dGeomDestroy(ball);
      body = dBodyCreate(world);
      ball = i > 0 && kind == 2 ? ball : dCreateSphere(space, 0.1);
      dGeomSetBody(ball, body);
      dBodySetPosition(body, -0.5, 0, 0);
      dBodySetLinearVel(body, 50, 0, 0);
      for (int frame = 0; frame < 3; ++frame) {
        dSpaceCollide(space, world, nearCallback);
        dWorldStep(world, 1.0 / 60);
        dJointGroupEmpty(contacts);
      }
      assert_true(dBodyGetPosition(body)[0] < 0);
    }
    endScene(world, space);
  }
}

int main(void) { return cases_Run(hook_Begin, hook_Finish); }
