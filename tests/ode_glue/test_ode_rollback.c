/* SPDX-License-Identifier: BSD-3-Clause */
/* What has to be put back for ODE to do the same again, bit for bit? The table of docs/ode.md, "Putting a step back":
 * plain ODE, set back with Brink's own copy of states (ode_glue/mirror/body_state.c, compiled into this test; the
 * library exports nothing of it), every third frame, against the same run that is never set back. And what an extra
 * solve leaves of what belongs to a whole step: damping, feedback, parameters, random numbers, bodies that are not
 * struck. And slow worlds, which are ODE's own bit for bit. And with Brink: states that are set again. Units: SI. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_start.h"
#include "../../ode_glue/mirror/body_state.c"
#include "ode_joints.h"
#include "ode_world.h"

/* ---- a chain on the ground, set back or not */

#define LINKS 12
#define MOST_BODIES (LINKS + 3)
#define FRAMES 400

enum { keepsExact = 1, keepsForces = 2, keepsSeed = 4, withGears = 8, withSleep = 16, withoutRest = 32 };

typedef struct scene {
  odeWorld w;
  dBodyID bodies[MOST_BODIES];
  int count;
  dJointFeedback feedback;
  long contacts;
} scene;

static void makeLinks(scene *s) {
  for (int i = 0; i < LINKS; ++i) {
    dGeomID geom = i % 6 == 1 ? dCreateSphere(s->w.space, 0.08) : dCreateBox(s->w.space, 0.3, 0.2, 0.16);
    s->bodies[i] = odeWorld_Body(&s->w, geom, 1 + 0.1 * i, 0.4 * i, 0.02 * i, 0.2 + 0.01 * i);
    if (i == 3) {
      dGeomSetOffsetPosition(geom, 0.02, 0.01, -0.03);
    }
    dBodySetFiniteRotationMode(s->bodies[i], i % 2);
    dBodySetAngularVel(s->bodies[i], 0.1 * i, 0, 1);
  }
  s->count = LINKS;
}

static void joinLinks(scene *s) {
  for (int i = 0; i + 1 < LINKS; ++i) {
    dBodyID a = s->bodies[i], b = s->bodies[i + 1];
    const dReal *p = dBodyGetPosition(a), *q = dBodyGetPosition(b);
    double x = (p[0] + q[0]) / 2, y = (p[1] + q[1]) / 2, z = (p[2] + q[2]) / 2;
    dJointID j;
    switch (i % 5) {
      case 0:
        dJointAttach(j = dJointCreateHinge(s->w.world, NULL), a, b);
        dJointSetHingeAnchor(j, x, y, z);
        dJointSetHingeAxis(j, 0, 1, 0);
        dJointSetHingeParam(j, dParamLoStop, -0.5);
        dJointSetHingeParam(j, dParamHiStop, 0.5);
        dJointSetHingeParam(j, dParamVel, 2);
        dJointSetHingeParam(j, dParamFMax, 0.3);
        dJointSetFeedback(j, i == 0 ? &s->feedback : NULL);
        break;
      case 1:
        dJointAttach(j = dJointCreateBall(s->w.world, NULL), a, b);
        dJointSetBallAnchor(j, x, y, z);
        break;
      case 2:
        dJointAttach(j = dJointCreateUniversal(s->w.world, NULL), a, b);
        dJointSetUniversalAnchor(j, x, y, z);
        dJointSetUniversalAxis1(j, 1, 0, 0);
        dJointSetUniversalAxis2(j, 0, 0, 1);
        dJointSetUniversalParam(j, dParamLoStop1, -0.4);
        dJointSetUniversalParam(j, dParamHiStop1, 0.4);
        dJointSetUniversalParam(j, dParamLoStop2, -0.4);
        dJointSetUniversalParam(j, dParamHiStop2, 0.4);
        break;
      case 3:
        dJointAttach(j = dJointCreateFixed(s->w.world, NULL), a, b);
        dJointSetFixed(j);
        break;
      default:
        dJointAttach(j = dJointCreateSlider(s->w.world, NULL), a, b);
        dJointSetSliderAxis(j, 1, 0, 0);
        dJointSetSliderParam(j, dParamLoStop, -0.1);
        dJointSetSliderParam(j, dParamHiStop, 0.1);
        break;
    }
  }
}

/* Two wheels in gear on a carrier that hangs over the chain. */
static void addGears(scene *s) {
  for (int i = 0; i < 2; ++i) {
    s->bodies[s->count++] = odeWorld_Body(&s->w, NULL, 1, 0, 0.3 * i, 4);
  }
  for (int i = 0; i < odeJointCount; ++i) {
    if (odeJoints[i].type == dJointTypeTransmission) {
      odeJoin(s->w.world, i, s->bodies[LINKS], s->bodies[LINKS + 1]);
    }
  }
  dJointID hinge = dBodyGetJoint(s->bodies[LINKS], dBodyGetNumJoints(s->bodies[LINKS]) - 1);
  for (int side = 0; side < 2; ++side) {
    dBodyID body = dJointGetBody(hinge, side);
    if (body != s->bodies[LINKS]) {
      s->bodies[s->count++] = body;
    }
  }
  dJointID hold;
  dJointAttach(hold = dJointCreateFixed(s->w.world, NULL), s->bodies[LINKS + 2], NULL);
  dJointSetFixed(hold);
  dBodySetAngularVel(s->bodies[LINKS], 0, 0, 3);
}

static void makeScene(scene *s, bool quick, int how) {
  *s = (scene){.count = 0};
  odeWorld_Make(&s->w, false, quick, -9.81);
  dRandSetSeed(1);
  dWorldSetDamping(s->w.world, 0.002, 0.005);
  dCreatePlane(s->w.space, 0, 0, 1, 0);
  makeLinks(s);
  joinLinks(s);
  if (how & withGears) {
    addGears(s);
  }
  for (int i = 0; (how & withSleep) && i < s->count; ++i) {
    dBodySetAutoDisableFlag(s->bodies[i], 1);
    dBodySetAutoDisableAverageSamplesCount(s->bodies[i], 10);
    dBodySetAutoDisableLinearThreshold(s->bodies[i], how & withoutRest ? 0 : 0.1);
    dBodySetAutoDisableAngularThreshold(s->bodies[i], how & withoutRest ? 0 : 0.3);
  }
}

static void solve(scene *s, double h) {
  dSpaceCollide(s->w.space, &s->w, odeWorld_Near);
  for (int i = 0; i < s->count; ++i) {
    for (int j = 0; j < dBodyGetNumJoints(s->bodies[i]); ++j) {
      s->contacts += dJointGetType(dBodyGetJoint(s->bodies[i], j)) == dJointTypeContact;
    }
  }
  if (s->w.quick) {
    dWorldQuickStep(s->w.world, h);
  } else {
    dWorldStep(s->w.world, h);
  }
  dJointGroupEmpty(s->w.contacts);
}

typedef struct saved {
  brinkStepState states[MOST_BODIES];
  dReal force[MOST_BODIES][3], torque[MOST_BODIES][3];
  bool enabled[MOST_BODIES];
  unsigned long seed;
} saved;

static void save(const scene *s, saved *out) {
  for (int i = 0; i < s->count; ++i) {
    dxBrinkReadState(s->bodies[i], &out->states[i]);
    memcpy(out->force[i], dBodyGetForce(s->bodies[i]), sizeof(out->force[i]));
    memcpy(out->torque[i], dBodyGetTorque(s->bodies[i]), sizeof(out->torque[i]));
    out->enabled[i] = dBodyIsEnabled(s->bodies[i]) != 0;
  }
  out->seed = dRandGetSeed();
}

static void restore(scene *s, const saved *from, int how) {
  for (int i = 0; i < s->count; ++i) {
    const brinkStepState *state = &from->states[i];
    dBodyID body = s->bodies[i];
    if (how & keepsExact) {
      dxBrinkWriteState(body, state);
    } else {
      dBodySetPosition(body, state->position[0], state->position[1], state->position[2]);
      dBodySetQuaternion(body, state->quaternion);
      dBodySetLinearVel(body, state->linear[0], state->linear[1], state->linear[2]);
      dBodySetAngularVel(body, state->angular[0], state->angular[1], state->angular[2]);
    }
    if (how & keepsForces) {
      dBodySetForce(body, from->force[i][0], from->force[i][1], from->force[i][2]);
      dBodySetTorque(body, from->torque[i][0], from->torque[i][1], from->torque[i][2]);
    }
    if (from->enabled[i] && !dBodyIsEnabled(body)) {
      dBodyEnable(body);
    } else if (!from->enabled[i]) {
      dBodyDisable(body);
    }
  }
  if (how & keepsSeed) {
    dRandSetSeed(from->seed);
  }
}

typedef struct difference {
  double most;      /* m, or of a quaternion */
  int frame;        /* of the first, FRAMES: none */
  long contacts;    /* of the run that was never set back */
  long asleep[2];   /* body-steps: never set back, set back */
  bool sameFeeling; /* the feedback of all frames agrees bit for bit */
} difference;

/* Frame by frame: one world goes on, the other takes every third frame back first. */
static difference compare(bool quick, int how) {
  difference out = {.frame = FRAMES, .sameFeeling = true};
  scene s[2];
  unsigned long seeds[2];
  for (int run = 0; run < 2; ++run) {
    makeScene(&s[run], quick, how);
    seeds[run] = dRandGetSeed();
  }
  for (int frame = 0; frame < FRAMES; ++frame) {
    for (int run = 0; run < 2; ++run) {
      dRandSetSeed(seeds[run]);
      for (int i = 0; i < LINKS; i += 4) {
        dBodyAddForce(s[run].bodies[i], 0, 4 * sin(0.1 * frame), 2);
        dBodyAddTorque(s[run].bodies[i], 0.2, 0, 0);
      }
      double h = s[run].w.h;
      if (frame % 3 != 0) {
        solve(&s[run], h);
      } else {
        saved before;
        save(&s[run], &before);
        if (run == 1) {
          solve(&s[run], h);
          restore(&s[run], &before, how);
        }
        solve(&s[run], 0.37 * h);
        solve(&s[run], 0.63 * h);
      }
      seeds[run] = dRandGetSeed();
    }
    bool same = memcmp(&s[0].feedback, &s[1].feedback, sizeof(s[0].feedback)) == 0;
    out.sameFeeling = out.sameFeeling && same;
    for (int i = 0; i < s[0].count; ++i) {
      const dReal *p[2], *q[2];
      for (int run = 0; run < 2; ++run) {
        p[run] = dBodyGetPosition(s[run].bodies[i]);
        q[run] = dBodyGetQuaternion(s[run].bodies[i]);
        out.asleep[run] += !dBodyIsEnabled(s[run].bodies[i]);
      }
      for (int axis = 0; axis < 4; ++axis) {
        double far = fmax(axis < 3 ? fabs(p[0][axis] - p[1][axis]) : 0, fabs(q[0][axis] - q[1][axis]));
        out.frame = far > 0 && frame < out.frame ? frame : out.frame;
        out.most = fmax(out.most, far);
      }
    }
  }
  out.contacts = s[0].contacts;
  odeWorld_End(&s[1].w);
  odeWorld_End(&s[0].w);
  return out;
}

static difference tell(const char *what, bool quick, int how) {
  difference found = compare(quick, how);
  print_message("%s, %s: %ld contacts, differs by at most %.2g%s\n", what, quick ? "QuickStep" : "WorldStep",
                found.contacts, found.most, found.sameFeeling ? "" : " (feedback differs)");
  assert_true(found.contacts > 5000);
  return found;
}

CASE(exact_states_forces_and_seed_give_the_same_bits) {
  for (int quick = 0; quick < 2; ++quick) {
    difference found = tell("exact states, forces, seed", quick, keepsExact | keepsForces | keepsSeed);
    assert_true(found.most == 0 && found.sameFeeling);
  }
}

CASE(the_seed_matters_to_quickstep_alone) {
  assert_true(tell("exact states, forces", false, keepsExact | keepsForces).most == 0);
  assert_true(tell("exact states, forces", true, keepsExact | keepsForces).most > 1e-9);
}

CASE(setters_change_last_bits_and_missing_forces_change_all) {
  for (int quick = 0; quick < 2; ++quick) {
    difference setters = tell("setters, forces, seed", quick, keepsForces | keepsSeed);
    assert_true(setters.most > 0 && setters.most > 1e-16);
    assert_true(tell("exact states, seed", quick, keepsExact | keepsSeed).most > 1e-3);
  }
}

CASE(a_transmission_keeps_a_phase_that_nobody_can_put_back) {
  for (int quick = 0; quick < 2; ++quick) {
    difference found = tell("with a transmission", quick, keepsExact | keepsForces | keepsSeed | withGears);
    assert_true(quick ? found.most == 0 : found.most <= 4e-14);
  }
}

CASE(each_solve_counts_for_falling_asleep_and_nothing_else_differs) {
  for (int quick = 0; quick < 2; ++quick) {
    int how = keepsExact | keepsForces | keepsSeed | withSleep;
    difference found = tell("with auto-disable", quick, how);
    print_message("  asleep %ld body-steps, %ld when set back; differs from frame %d on\n", found.asleep[0],
                  found.asleep[1], found.frame);
    assert_true(found.asleep[0] > 0 && found.asleep[1] > 0);
    assert_true(found.frame > 10 / 2); /* ten samples, at most two solves a frame */
    how |= withoutRest;
    assert_true(tell("with auto-disable that never acts", quick, how).most == 0);
  }
}

CASE(states_are_written_as_they_were_read_not_renormalised) {
  odeWorld w;
  odeWorld_Make(&w, false, false, 0);
  dBodyID body = odeWorld_Body(&w, NULL, 1, 0, 0, 0);
  uint64_t seed = 7;
  for (int run = 0; run < 1000; ++run) {
    brinkStepState put, got;
    dReal *values = put.position;
    for (size_t i = 0; i < sizeof(put) / sizeof(dReal); ++i) {
      values[i] = odeUniform(&seed, -2, 2); /* no quaternion of length 1, no rotation matrix */
    }
    dxBrinkWriteState(body, &put);
    dxBrinkReadState(body, &got);
    /* the fourth of a position and the like is ODE's own */
    assert_memory_equal(put.position, got.position, 3 * sizeof(dReal));
    assert_memory_equal(put.quaternion, got.quaternion, sizeof(put.quaternion));
    assert_memory_equal(put.rotation, got.rotation, sizeof(put.rotation));
    assert_memory_equal(put.linear, got.linear, 3 * sizeof(dReal));
    assert_memory_equal(put.angular, got.angular, 3 * sizeof(dReal));
  }
  odeWorld_End(&w);
}

/* ---- with Brink: what it remembers of bodies */

#define THROWN 9 /* three hinged pairs of planks and three loose bodies, thrown at the ground */
#define AHEAD 16 /* frames */

static void throwThings(scene *s, bool quick, uint64_t seed) {
  *s = (scene){.count = THROWN};
  odeWorld_Make(&s->w, true, quick, -9.81);
  dCreateBox(s->w.space, 20, 20, 0.05);
  for (int i = 0; i < THROWN; ++i) {
    dGeomID geom = i < 6    ? dCreateBox(s->w.space, 0.6, 0.1, 0.1)
                   : i == 6 ? dCreateCapsule(s->w.space, 0.08, 0.4)
                            : dCreateBox(s->w.space, 0.2, 0.3, 0.1);
    s->bodies[i] = odeWorld_Body(&s->w, geom, 1, i % 2 * 0.8, i / 2 * 1.0, 1 + odeUniform(&seed, 0, 1));
    dBodySetLinearVel(s->bodies[i], odeUniform(&seed, -5, 5), 0, odeUniform(&seed, -60, -30));
    dBodySetAngularVel(s->bodies[i], odeUniform(&seed, -9, 9), odeUniform(&seed, -9, 9), odeUniform(&seed, -9, 9));
  }
  for (int i = 0; i < 6; i += 2) {
    const dReal *p = dBodyGetPosition(s->bodies[i]);
    dBodySetPosition(s->bodies[i + 1], p[0] + 0.8, p[1], p[2]);
    dJointID hinge = dJointCreateHinge(s->w.world, NULL);
    dJointAttach(hinge, s->bodies[i], s->bodies[i + 1]);
    dJointSetHingeAnchor(hinge, p[0] + 0.4, p[1], p[2]);
    dJointSetHingeAxis(hinge, 0, 1, 0);
  }
}

/* Where all that moves is after each frame. */
static void goOn(scene *s, int frames, brinkStepState (*seen)[THROWN]) {
  for (int frame = 0; frame < frames; ++frame) {
    assert_int_equal(odeWorld_Step(&s->w), 1);
    for (int i = 0; seen != NULL && i < THROWN; ++i) {
      memset(&seen[frame][i], 0, sizeof(seen[frame][i]));
      dxBrinkReadState(s->bodies[i], &seen[frame][i]);
    }
  }
}

CASE(states_that_are_set_again_lead_to_the_same_bits_whatever_came_between) {
  static brinkStepState first[AHEAD][THROWN], again[AHEAD][THROWN];
  for (int run = 0; run < 16; ++run) {
    scene s;
    saved start;
    throwThings(&s, run % 2, 1 + (uint64_t)run);
    save(&s, &start);
    for (int history = 0; history < 5; ++history) {
      goOn(&s, 3 * history, NULL);
      restore(&s, &start, keepsForces | keepsSeed);
      goOn(&s, AHEAD, history == 0 ? first : again);
      if (history > 0) {
        assert_memory_equal(first, again, sizeof(first));
      }
    }
    odeWorld_End(&s.w);
  }
}

/* One world goes on and knows nothing of it; it is put back to a frame in which things spin from their impacts. */
CASE(a_frame_is_replayed_with_what_brink_remembered_and_not_without) {
  static brinkStepState first[AHEAD][THROWN], again[AHEAD][THROWN];
  int remembered = 0, others = 0;
  for (int run = 0; run < 16; ++run) {
    scene s;
    saved there;
    int memory[THROWN];
    throwThings(&s, run % 2, 1 + (uint64_t)run);
    goOn(&s, 4, NULL);
    save(&s, &there);
    for (int i = 0; i < THROWN; ++i) {
      memory[i] = dBrinkGetBodyMemory(s.w.brink, s.bodies[i]);
      assert_true(memory[i] >= 0);
      remembered += memory[i] != 0;
    }
    goOn(&s, AHEAD, first);
    for (int history = 0; history < 3; ++history) {
      goOn(&s, 5 * history, NULL);
      restore(&s, &there, keepsExact | keepsForces | keepsSeed);
      for (int i = 0; i < THROWN; ++i) {
        assert_int_equal(dBrinkGetBodyMemory(s.w.brink, s.bodies[i]), 0); /* it is elsewhere */
        assert_int_equal(dBrinkSetBodyMemory(s.w.brink, s.bodies[i], memory[i]), 1);
        assert_int_equal(dBrinkGetBodyMemory(s.w.brink, s.bodies[i]), memory[i]);
      }
      goOn(&s, AHEAD, again);
      assert_memory_equal(first, again, sizeof(first));
    }
    restore(&s, &there, keepsExact | keepsForces | keepsSeed);
    goOn(&s, AHEAD, again);
    others += memcmp(first, again, sizeof(first)) != 0;
    odeWorld_End(&s.w);
  }
  print_message("%d bodies remembered; without it %d of 16 frames go on in another way\n", remembered, others);
  assert_true(remembered > 16 && others > 8);
}

/* Pairs on a hinge fly about in a room. */
static void throwPairs(scene *s, bool quick, uint64_t seed) {
  *s = (scene){.count = THROWN};
  odeWorld_Make(&s->w, true, quick, -9.81);
  dCreatePlane(s->w.space, 0, 0, 1, 0);
  for (int i = 0; i < 4; ++i) {
    dGeomID wall = dCreateBox(s->w.space, i < 2 ? 0.05 : 8, i < 2 ? 8 : 0.05, 8);
    dGeomSetPosition(wall, i < 2 ? 8 * i - 4 : 0, i < 2 ? 0 : 8 * i - 20, 4);
  }
  for (int i = 0; i < THROWN; ++i) {
    const bool second = i % 2 == 1;
    dGeomID geom = second ? dCreateBox(s->w.space, 0.25, 0.1, 0.1) : dCreateCapsule(s->w.space, 0.05, 0.15);
    const dReal *p = second ? dBodyGetPosition(s->bodies[i - 1]) : NULL;
    const dReal *v = second ? dBodyGetLinearVel(s->bodies[i - 1]) : NULL;
    s->bodies[i] = odeWorld_Body(&s->w, geom, 0.5, second ? p[0] + 0.27 : odeUniform(&seed, -3, 2),
                                 second ? p[1] : odeUniform(&seed, -3, 3), second ? p[2] : odeUniform(&seed, 0.5, 2));
    dBodySetLinearVel(s->bodies[i], second ? v[0] : odeUniform(&seed, -60, 60),
                      second ? v[1] : odeUniform(&seed, -60, 60), 0);
    if (second) {
      dJointID hinge = dJointCreateHinge(s->w.world, NULL);
      dJointAttach(hinge, s->bodies[i - 1], s->bodies[i]);
      dJointSetHingeAnchor(hinge, p[0] + 0.14, p[1], p[2]);
      dJointSetHingeAxis(hinge, 0, 1, 0);
    }
  }
}

/* A joint is gone, so its bodies are looked at anew, in the step that goes on and not in the one that is made again:
 * what is measured of a body may not depend on where it was. */
CASE(a_frame_is_replayed_after_a_joint_was_destroyed) {
  static brinkStepState first[AHEAD][THROWN], again[AHEAD][THROWN];
  for (int run = 0; run < 200; ++run) {
    scene s;
    saved there;
    int memory[THROWN];
    throwPairs(&s, run % 2, 1 + (uint64_t)run);
    goOn(&s, 3 + run % 23, NULL);
    for (int i = 0; i < THROWN; ++i) {
      if (dBodyGetNumJoints(s.bodies[i]) > 0) {
        dJointDestroy(dBodyGetJoint(s.bodies[i], 0));
      }
      memory[i] = dBrinkGetBodyMemory(s.w.brink, s.bodies[i]);
    }
    save(&s, &there);
    goOn(&s, AHEAD, first);
    restore(&s, &there, keepsExact | keepsForces | keepsSeed);
    for (int i = 0; i < THROWN; ++i) {
      assert_int_equal(dBrinkSetBodyMemory(s.w.brink, s.bodies[i], memory[i]), 1);
    }
    goOn(&s, AHEAD, again);
    if (memcmp(first, again, sizeof(first)) != 0) {
      fail_msg("run %d goes on in another way", run);
    }
    odeWorld_End(&s.w);
  }
}

CASE(a_memory_that_is_none_is_refused) {
  scene s;
  throwThings(&s, false, 1);
  dBodyID stranger = dBodyCreate(s.w.world);
  assert_int_equal(dBrinkGetBodyMemory(NULL, s.bodies[0]), -1);
  assert_int_equal(dBrinkSetBodyMemory(NULL, s.bodies[0], 0), 0);
  assert_int_equal(dBrinkGetBodyMemory(s.w.brink, stranger), -1);
  assert_non_null(strstr(dBrinkGetError(s.w.brink), "dBrinkGetBodyMemory: the body"));
  assert_int_equal(dBrinkSetBodyMemory(s.w.brink, stranger, 0), 0);
  assert_int_equal(dBrinkSetBodyMemory(s.w.brink, s.bodies[0], 4), 0);
  assert_int_equal(dBrinkSetBodyMemory(s.w.brink, s.bodies[0], -1), 0);
  assert_int_equal(dBrinkSetBodyMemory(s.w.brink, s.bodies[0], 3), 1); /* of another program's run, before any step */
  assert_int_equal(dBrinkGetBodyMemory(s.w.brink, s.bodies[0]), 3);
  dBodySetLinearVel(s.bodies[0], 1, 2, 3); /* steered: it may spin from its impact, but nothing has stopped this */
  assert_int_equal(dBrinkGetBodyMemory(s.w.brink, s.bodies[0]), 1);
  goOn(&s, 1, NULL);
  odeWorld_End(&s.w);
}

/* ---- what an extra solve leaves of what belongs to a whole step */

static dBodyID ballAt(odeWorld *w, double x, double speed) {
  dBodyID ball = odeWorld_Body(w, dCreateSphere(w->space, 0.05), 1, x, 0, 0);
  dBodySetLinearVel(ball, speed, 0, 0);
  return ball;
}

static void stepOnce(odeWorld *w, bool impact) {
  if (!odeWorld_Step(w)) {
    fail_msg("%s", dBrinkGetError(w->brink));
  }
  dBrinkStepInfo info = odeWorld_Info(w);
  assert_true((info.eventCount > 0) == impact && info.clamps == 0);
}

/* Without friction, with bounce 1: the speed after the step tells the damping alone. */
CASE(damping_of_a_step_acts_once_however_often_it_is_solved) {
  for (int which = 0; which < 8; ++which) {
    odeWorld w;
    odeWorld_Make(&w, true, which & 1, 0);
    w.mu = 0;
    w.bounce = 1;
    dWorldSetCFM(w.world, 0); /* what gives takes speed */
    double linear = which & 2 ? 0.3 : 0.01, angular = which & 4 ? 0.5 : 0.02;
    dCreateBox(w.space, 0.005, 4, 4);
    dGeomSetPosition(dCreateBox(w.space, 0.005, 4, 4), -1.4, 0, 0);
    dBodyID ball = ballAt(&w, -0.4, 100);
    dBodySetDamping(ball, linear, angular);
    dBodySetAngularVel(ball, 0, 10, 5);
    for (int frame = 1; frame <= 3; ++frame) {
      stepOnce(&w, true);
      double speed = fabs(dBodyGetLinearVel(ball)[0]), turn = dBodyGetAngularVel(ball)[1];
      if (fabs(speed / (100 * pow(1 - linear, frame)) - 1) > 1e-6 ||
          fabs(turn / (10 * pow(1 - angular, frame)) - 1) > 1e-6) {
        fail_msg("case %d, frame %d: %.9g m/s, %.9g rad/s", which, frame, speed, turn);
      }
    }
    assert_true(dBodyGetLinearDamping(ball) == linear && dBodyGetAngularDamping(ball) == angular);
    odeWorld_End(&w);
  }
}

/* Damping above a threshold of the program's own is a limit and acts in every solve, as it does in ODE. */
CASE(damping_above_a_threshold_acts_in_every_solve) {
  odeWorld w;
  odeWorld_MakeElastic(&w, false);
  dWorldSetCFM(w.world, 0);
  dCreateBox(w.space, 0.005, 4, 4);
  dBodyID ball = ballAt(&w, -0.4, 100);
  dBodySetAngularDamping(ball, 0.5);
  dBodySetAngularDampingThreshold(ball, 40);
  dBodySetAngularVel(ball, 0, 200, 0);
  stepOnce(&w, true);
  assert_true(fabs(dBodyGetAngularVel(ball)[1] - 200 * 0.5 * 0.5) < 1e-6);
  odeWorld_End(&w);
}

/* Two boxes on a fixed joint; the first hits a wall. What the joint told is what the second one felt. */
CASE(feedback_of_a_step_with_an_impact_is_its_mean_force) {
  for (int which = 0; which < 8; ++which) {
    odeWorld w;
    odeWorld_Make(&w, true, which & 1, which & 2 ? -9.81 : 0);
    w.mu = 0;
    w.bounce = which & 4 ? 0.5 : 0;
    dCreateBox(w.space, 0.005, 4, 4);
    dBodyID boxes[2];
    for (int i = 0; i < 2; ++i) {
      boxes[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.1, 0.1, 0.1), 1 + i, -0.7 - 0.1 * i, 0, 0);
      dBodySetLinearVel(boxes[i], 60, 0, 0);
    }
    dJointID joint = dJointCreateFixed(w.world, NULL);
    dJointFeedback felt = {{0}, {0}, {0}, {0}};
    dJointAttach(joint, boxes[0], boxes[1]);
    dJointSetFixed(joint);
    dJointSetFeedback(joint, &felt);
    dBodyAddForce(boxes[1], 30, 20, 0);
    stepOnce(&w, true);
    const double outside[3] = {30, 20, which & 2 ? -2 * 9.81 : 0}, start[3] = {60, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
      double wanted = 2 * (dBodyGetLinearVel(boxes[1])[axis] - start[axis]) / w.h - outside[axis];
      if (fabs(felt.f2[axis] - wanted) > 1e-6 * 7200) {
        fail_msg("case %d, axis %d: felt %.9g N, the box %.9g N", which, axis, felt.f2[axis], wanted);
      }
    }
    odeWorld_End(&w);
  }
}

CASE(a_steps_parameters_and_random_numbers_are_as_they_were) {
  odeWorld w, plain;
  odeWorld_Make(&plain, false, true, -9.81);
  odeWorld_Make(&w, true, true, -9.81);
  odeWorld *both[2] = {&plain, &w};
  unsigned long seeds[2];
  dJointID joint = NULL;
  dBodyID ball = NULL;
  for (int i = 0; i < 2; ++i) {
    dCreateBox(both[i]->space, 0.005, 4, 4);
    ball = ballAt(both[i], -0.4, 100);
    dBodyID other = odeWorld_Body(both[i], NULL, 1, -0.4, 0.2, 0);
    dBodySetLinearVel(other, 100, 0, 0);
    dJointAttach(joint = dJointCreateHinge(both[i]->world, NULL), ball, other);
    dJointSetHingeAxis(joint, 0, 0, 1);
    dJointSetHingeParam(joint, dParamStopERP, 0.37);
    dJointSetHingeParam(joint, dParamStopCFM, 0.013);
    dWorldSetERP(both[i]->world, 0.23);
    dWorldSetCFM(both[i]->world, 1.7e-7);
    dWorldSetQuickStepNumIterations(both[i]->world, 33);
    dRandSetSeed(12345);
    odeWorld_Step(both[i]);
    seeds[i] = dRandGetSeed();
  }
  assert_true(odeWorld_Info(&w).solves > 1);
  assert_true(seeds[0] == seeds[1]);
  assert_true(dWorldGetERP(w.world) == 0.23 && dWorldGetCFM(w.world) == 1.7e-7);
  assert_true(dJointGetHingeParam(joint, dParamStopERP) == 0.37 && dJointGetHingeParam(joint, dParamStopCFM) == 0.013);
  assert_int_equal(dWorldGetQuickStepNumIterations(w.world), 33);
  assert_int_equal(dBodyGetFiniteRotationMode(ball), 0);
  odeWorld_End(&w);
  odeWorld_End(&plain);
}

/* ---- bodies that are not struck */

/* A heap of boxes that slide and topple slowly, at x. */
static void heap(odeWorld *w, double x, dBodyID out[4]) {
  for (int i = 0; i < 4; ++i) {
    out[i] = odeWorld_Body(w, dCreateBox(w->space, 0.4, 0.4, 0.2), 1, x + 0.05 * i, 0.03 * i, 0.1 + 0.1999 * i);
    dBodySetLinearVel(out[i], 0.05 * i, -0.04, 0);
  }
}

static void stateOf(dBodyID body, double out[13]) {
  memcpy(out, dBodyGetPosition(body), 3 * sizeof(double));
  memcpy(out + 3, dBodyGetQuaternion(body), 4 * sizeof(double));
  memcpy(out + 7, dBodyGetLinearVel(body), 3 * sizeof(double));
  memcpy(out + 10, dBodyGetAngularVel(body), 3 * sizeof(double));
}

/* with: 1 the heap at rest, 2 the heap that is shot at. A simple space: the order of pairs is that of the geoms. */
static long twoHeaps(int with, bool withBrink, bool quick, int frames, double out[2][4][13]) {
  odeWorld w;
  long extra = 0;
  odeWorld_Make(&w, false, quick, -9.81);
  dSpaceDestroy(w.space);
  w.space = dSimpleSpaceCreate(NULL);
  w.brink = withBrink ? dBrinkCreate(w.world) : NULL;
  dBrinkAddSpace(w.brink, w.space);
  dRandSetSeed(1);
  dCreatePlane(w.space, 0, 0, 1, 0);
  dBodyID heaps[2][4] = {{NULL}};
  for (int i = 0; i < 2; ++i) {
    if (with & (1 << i)) {
      heap(&w, 20 * i, heaps[i]);
    }
  }
  if (with & 2) {
    for (int i = 0; i < 3; ++i) { /* one after the other */
      dBodyID ball = ballAt(&w, 15 - 7 * i, 300);
      dBodySetPosition(ball, 15 - 7 * i, 0, 0.3 + 0.05 * i);
      dBodySetGravityMode(ball, 0);
    }
  }
  for (int frame = 0; frame < frames; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    extra += withBrink ? odeWorld_Info(&w).solves - 1 : 0;
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4 && heaps[i][j] != NULL; ++j) {
      stateOf(heaps[i][j], out[i][j]);
    }
  }
  odeWorld_End(&w);
  return extra;
}

/* Of the poses: velocities jitter from frame to frame by as much as QuickStep's order of rows changes them (0.03 to
 * 0.33 between frames 50 and 70 in plain ODE). */
static double farthest(double a[4][13], double b[4][13]) {
  double most = 0;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 7; ++k) {
      most = fmax(most, fabs(a[i][k] - b[i][k]));
    }
  }
  return most;
}

CASE(an_impact_leaves_other_islands_their_bits) {
  double alone[2][4][13], both[2][4][13], struck[2][4][13];
  twoHeaps(1, false, false, 60, alone);
  long extra = twoHeaps(3, true, false, 60, both);
  assert_true(extra > 0);
  assert_memory_equal(alone[0], both[0], sizeof(both[0]));
  assert_int_equal(twoHeaps(2, true, false, 60, struck), extra);
  assert_memory_equal(struck[1], both[1], sizeof(both[1]));
  /* QuickStep shares one row of random numbers among all islands, so it knows no islands */
  twoHeaps(1, false, true, 60, alone);
  twoHeaps(3, false, true, 60, struck);
  double plain = farthest(alone[0], struck[0]);
  assert_true(twoHeaps(3, true, true, 60, both) > 0);
  print_message(
      "QuickStep: the other heap differs by %.2g in plain ODE when there are more bodies, by %.2g with Brink\n", plain,
      farthest(alone[0], both[0]));
  assert_true(farthest(alone[0], both[0]) < 0.05); /* m */
}

CASE(disabled_bodies_stay_as_they_are) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    dBodyID sleepers[4];
    double before[4][13], after[13];
    odeWorld_Make(&w, true, quick, -9.81);
    dCreatePlane(w.space, 0, 0, 1, 0);
    heap(&w, 10, sleepers);
    dCreateBox(w.space, 0.005, 4, 4);
    dBodyID ball = ballAt(&w, -2.3, 300);
    dBodySetPosition(ball, -2.3, 0, 1);
    for (int i = 0; i < 4; ++i) {
      dBodyDisable(sleepers[i]);
      stateOf(sleepers[i], before[i]);
    }
    int events = 0;
    for (int frame = 0; frame < 5; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      events += odeWorld_Info(&w).eventCount;
    }
    assert_true(events > 0);
    for (int i = 0; i < 4; ++i) {
      stateOf(sleepers[i], after);
      assert_memory_equal(before[i], after, sizeof(after));
      assert_false(dBodyIsEnabled(sleepers[i]));
    }
    odeWorld_End(&w);
  }
}

/* What sleeps is struck early in the step, another ball meets a plate far away later in it. */
CASE(what_an_impact_wakes_stays_awake_whatever_comes_after_it) {
  for (int quick = 0; quick < 2; ++quick) {
    double last[2][13];
    for (int other = 0; other < 2; ++other) {
      odeWorld w;
      odeWorld_MakeElastic(&w, quick);
      dBodyID sleeper = ballAt(&w, 0, 0);
      ballAt(&w, -1, 300);
      dBodyDisable(sleeper);
      if (other) {
        dGeomSetPosition(dCreateBox(w.space, 0.005, 4, 4), 0, 20, 0);
        dBodySetPosition(ballAt(&w, -4, 300), -4, 20, 0);
      }
      for (int frame = 0; frame < 3; ++frame) {
        assert_int_equal(odeWorld_Step(&w), 1);
        assert_true(dBodyIsEnabled(sleeper) && dBodyGetLinearVel(sleeper)[0] > 100);
      }
      stateOf(sleeper, last[other]);
      odeWorld_End(&w);
    }
    assert_true(last[0][0] > 5);
    assert_memory_equal(last[0], last[1], sizeof(last[0]));
  }
}

/* Frames until a box at rest falls asleep; beside it a ball bounces between two walls, struck in every step or two. */
static int framesToSleep(bool withBrink, bool quick, double seconds, int *impacts) {
  odeWorld w;
  odeWorld_Make(&w, withBrink, quick, -9.81);
  w.bounce = 1;
  dCreatePlane(w.space, 0, 0, 1, 0);
  dBodyID box = odeWorld_Body(&w, dCreateBox(w.space, 0.4, 0.4, 0.2), 1, 10, 0, 0.0995);
  dBodySetAutoDisableFlag(box, 1);
  dBodySetAutoDisableTime(box, seconds);
  dBodyEnable(box); /* the countdown begins with what was set */
  dGeomSetPosition(dCreateBox(w.space, 0.005, 4, 4), 0, 0, 1);
  dGeomSetPosition(dCreateBox(w.space, 0.005, 4, 4), -1.4, 0, 1);
  dBodyID ball = ballAt(&w, -0.4, 60);
  dBodySetPosition(ball, -0.4, 0, 1);
  dBodySetGravityMode(ball, 0);
  int frame = 0;
  *impacts = 0;
  while (frame < 300 && dBodyIsEnabled(box)) {
    assert_int_equal(odeWorld_Step(&w), 1);
    *impacts += withBrink && odeWorld_Info(&w).eventCount > 0;
    frame++;
  }
  odeWorld_End(&w);
  return frame;
}

CASE(bodies_fall_asleep_while_others_collide_in_every_step) {
  for (int which = 0; which < 4; ++which) {
    int impacts, seconds = which / 2;
    int plain = framesToSleep(false, which & 1, 0.5 * seconds, &impacts);
    int ours = framesToSleep(true, which & 1, 0.5 * seconds, &impacts);
    print_message("asleep after %d frames in plain ODE, %d with Brink (%d with an impact)\n", plain, ours, impacts);
    assert_true(plain < 300 && impacts > ours / 3);
    assert_int_equal(ours, plain);
  }
}

/* ---- slow worlds */

typedef struct slowCase {
  int joint;
  bool quick, finite, sleep, kinematic;
} slowCase;

#define SLOW_FRAMES 80

/* Two bars on the ground, joined, a slow kinematic table under a box. Returns the number of bodies written. */
static void slowRun(const slowCase *c, bool withBrink, dThreadingImplementationID threading, double out[4][13]) {
  odeWorld w;
  odeWorld_Make(&w, withBrink, c->quick, -2);
  dRandSetSeed(1);
  if (threading != NULL) {
    dWorldSetStepThreadingImplementation(w.world, dThreadingImplementationGetFunctions(threading), threading);
  }
  if (odeJoints[c->joint].type != dJointTypePlane2D) { /* which holds the bars at z = 0 by itself */
    dCreatePlane(w.space, 0, 0, 1, -0.1);
  } else {
    dGeomSetPosition(dCreateBox(w.space, 2, 2, 1), 3, 0, -0.6);
  }
  dBodyID bodies[4];
  for (int i = 0; i < 2; ++i) {
    bodies[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.2, 0.5, 0.2), 1, 0, 0.6 * i, -0.001);
    dBodySetLinearVel(bodies[i], 0.05, 0.02 - 0.05 * i, 0);
    dBodySetAngularVel(bodies[i], 0, 0, 0.1 * i - 0.05);
  }
  odeJoin(w.world, c->joint, bodies[0], bodies[1]);
  bodies[2] = odeWorld_Body(&w, dCreateBox(w.space, 1, 1, 0.2), 1, 3, 0, 0.5);
  bodies[3] = odeWorld_Body(&w, dCreateBox(w.space, 0.3, 0.3, 0.3), 1, 3.01, 0.02, 0.749);
  if (c->kinematic) {
    dBodySetKinematic(bodies[2]);
    dBodySetLinearVel(bodies[2], 0.05, 0, 0);
  } else {
    dBodySetPosition(bodies[2], 3, 0, -0.001);
    dBodySetPosition(bodies[3], 3.01, 0.02, 0.248);
  }
  for (int i = 0; i < 4; ++i) {
    dBodySetFiniteRotationMode(bodies[i], c->finite);
    if (c->finite && i == 1) {
      dBodySetFiniteRotationAxis(bodies[i], 0, 0, 1);
    }
    dBodySetAutoDisableFlag(bodies[i], c->sleep);
  }
  for (int frame = 0; frame < SLOW_FRAMES; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    if (withBrink && odeWorld_Info(&w).solves != 1) {
      fail_msg("%s, quick %d, finite %d, auto-disable %d, kinematic %d, frame %d: %d solves", odeJoints[c->joint].name,
               c->quick, c->finite, c->sleep, c->kinematic, frame, odeWorld_Info(&w).solves);
    }
  }
  for (int i = 0; i < 4; ++i) {
    stateOf(bodies[i], out[i]);
    out[i][12] += dBodyIsEnabled(bodies[i]) ? 0 : 1000;
  }
  odeWorld_End(&w);
}

/* Boxes that lie flat are degenerate for WorldStep's LCP solver; plain ODE complains as often. */
static void ignoreMessage(int number, const char *format, va_list arguments) {
  (void)number, (void)format, (void)arguments;
}

CASE(slow_worlds_are_odes_own_with_every_joint_and_mode) {
  dSetMessageHandler(ignoreMessage);
  for (int joint = 0; joint < odeJointCount; ++joint) {
    for (int which = 0; which < 16; ++which) {
      slowCase c = {joint, which & 1, which & 2, which & 4, which & 8};
      double plain[4][13], ours[4][13];
      slowRun(&c, false, NULL, plain);
      slowRun(&c, true, NULL, ours);
      if (memcmp(plain, ours, sizeof(plain)) != 0) {
        fail_msg("%s, %s, finite %d, auto-disable %d, kinematic %d: differs by %g", odeJoints[joint].name,
                 c.quick ? "QuickStep" : "WorldStep", c.finite, c.sleep, c.kinematic, farthest(plain, ours));
      }
    }
  }
  dSetMessageHandler(NULL);
}

/* ODE's own pool gives other bits from run to run: nothing can be the same there, but nothing is far off. */
CASE(threaded_slow_worlds_agree_as_far_as_odes_own_runs_do) {
  dThreadingImplementationID threading = dThreadingAllocateMultiThreadedImplementation();
  dThreadingThreadPoolID pool = dThreadingAllocateThreadPool(2, 0, dAllocateFlagBasicData, NULL);
  dThreadingThreadPoolServeMultiThreadedImplementation(pool, threading);
  dSetMessageHandler(ignoreMessage);
  for (int quick = 0; quick < 2; ++quick) {
    double off[2] = {0, 0};
    for (int joint = 0; joint < odeJointCount; joint += 4) {
      slowCase c = {joint, quick, false, false, true};
      double alone[4][13], again[4][13], ours[4][13];
      slowRun(&c, false, NULL, alone);
      slowRun(&c, false, threading, again);
      slowRun(&c, true, threading, ours);
      off[0] = fmax(off[0], farthest(alone, again));
      off[1] = fmax(off[1], farthest(alone, ours));
    }
    print_message("%s in a pool of two threads: off by at most %.2g in plain ODE, %.2g with Brink\n",
                  quick ? "QuickStep" : "WorldStep", off[0], off[1]);
    assert_true(off[1] <= fmax(10 * off[0], 1e-2));
  }
  dSetMessageHandler(NULL);
  dThreadingImplementationShutdownProcessing(threading);
  dThreadingFreeThreadPool(pool);
  dThreadingFreeImplementation(threading);
}

int main(void) { return cases_Run(startOde, endOde); }

/* ---- the same program, the same bits */

#define CROWD 24
#define CROWD_FRAMES 120

typedef struct crowd {
  odeWorld w;
  uint64_t seed;
  dBodyID bodies[CROWD];
  dJointID joints[CROWD]; /* with the next but two; NULL: none */
  void *blocks[CROWD_FRAMES];
} crowd;

static void throwBody(crowd *c, int i) {
  double place[3], velocities[6];
  for (int k = 0; k < 6; ++k) velocities[k] = odeUniform(&c->seed, -10, 10);
  for (int k = 0; k < 3; ++k) place[k] = odeUniform(&c->seed, -0.7, 0.7);
  dGeomID geom = i % 3 == 0   ? dCreateSphere(c->w.space, 0.1)
                 : i % 3 == 1 ? dCreateBox(c->w.space, 0.2, 0.2, 0.2)
                              : dCreateCapsule(c->w.space, 0.07, 0.2);
  c->bodies[i] = odeWorld_Body(&c->w, geom, 1, place[0], place[1], place[2] + 1);
  dBodySetLinearVel(c->bodies[i], velocities[0], velocities[1], velocities[2]);
  dBodySetAngularVel(c->bodies[i], velocities[3], velocities[4], velocities[5]);
}

/* A box of planes, open above. */
static void makeCrowd(crowd *c, bool quick, int count) {
  memset(c, 0, sizeof(*c));
  c->seed = 42;
  dRandSetSeed(1);
  odeWorld_Make(&c->w, true, quick, -9.81);
  c->w.bounce = 0.4;
  dCreatePlane(c->w.space, 0, 0, 1, 0);
  for (int side = -1; side <= 1; side += 2) {
    dCreatePlane(c->w.space, side, 0, 0, -1);
    dCreatePlane(c->w.space, 0, side, 0, -1);
  }
  for (int i = 0; i < count; ++i) throwBody(c, i);
}

static void joinToThird(crowd *c, int i) {
  const dReal *p = dBodyGetPosition(c->bodies[i]);
  c->joints[i] = dJointCreateBall(c->w.world, NULL);
  dJointAttach(c->joints[i], c->bodies[i], c->bodies[i + 3]);
  dBodySetPosition(c->bodies[i + 3], p[0] + 0.25, p[1], p[2]);
  dJointSetBallAnchor(c->joints[i], p[0] + 0.12, p[1], p[2]);
}

/* A body ends, another one begins. Who asks for memory in between decides where it lies. */
static void replaceBody(crowd *c, int i, int frame, int history) {
  dJointID joint = c->joints[i];
  if (joint != NULL) dJointDestroy(joint);
  dGeomDestroy(dBodyGetFirstGeom(c->bodies[i]));
  dBodyDestroy(c->bodies[i]);
  if (history > 0 && c->blocks[frame] == NULL) c->blocks[frame] = malloc((size_t)(frame % 2 ? 420 : 560));
  if (history > 1 && frame > 3) {
    free(c->blocks[frame - 3]);
    c->blocks[frame - 3] = NULL;
  }
  throwBody(c, i);
  if (joint != NULL) joinToThird(c, i);
}

static void crowdState(const crowd *c, int count, double (*out)[10]) {
  for (int i = 0; i < count; ++i) {
    memcpy(out[i], dBodyGetPosition(c->bodies[i]), 3 * sizeof(double));
    memcpy(out[i] + 3, dBodyGetQuaternion(c->bodies[i]), 4 * sizeof(double));
    memcpy(out[i] + 7, dBodyGetLinearVel(c->bodies[i]), 3 * sizeof(double));
  }
}

static double crowdStates[2][CROWD_FRAMES][CROWD][10];

static void runCrowd(bool quick, bool jointed, int history, double (*states)[CROWD][10]) {
  crowd c;
  makeCrowd(&c, quick, CROWD);
  for (int i = 0; jointed && i + 3 < CROWD; i += 6) joinToThird(&c, i);
  for (int frame = 0; frame < CROWD_FRAMES; ++frame) {
    for (int k = 0; frame % 3 == 2 && k < 3; ++k) {
      const int i = (int)odeUniform(&c.seed, 0, CROWD);
      if (i < 3 || c.joints[i - 3] == NULL) replaceBody(&c, i, frame, history);
    }
    assert_int_equal(odeWorld_Step(&c.w), 1);
    crowdState(&c, CROWD, states[frame]);
  }
  for (int frame = 0; frame < CROWD_FRAMES; ++frame) free(c.blocks[frame]);
  odeWorld_End(&c.w);
}

/* What is made where a destroyed one lay is another one: else its record, and with it the order of contacts, would
 * depend on what else the process has asked memory for. */
CASE(worlds_that_differ_in_where_their_bodies_lie_in_memory_have_the_same_bits) {
  for (int kind = 0; kind < 4; ++kind) {
    runCrowd(kind & 1, kind & 2, 0, crowdStates[0]);
    for (int history = 0; history < 3; ++history) {
      runCrowd(kind & 1, kind & 2, history, crowdStates[1]);
      int frame = 0;
      while (frame < CROWD_FRAMES &&
             memcmp(crowdStates[0][frame], crowdStates[1][frame], sizeof(crowdStates[0][0])) == 0) {
        frame++;
      }
      if (frame < CROWD_FRAMES) fail_msg("kind %d, history %d: other bits in frame %d", kind, history, frame);
    }
  }
}

/* All geoms are listed as they were made, as records are numbered as spaces list geoms. */
static void listAnew(crowd *c, dGeomID *geoms, int count) {
  for (int i = 0; i < count; ++i) dSpaceRemove(c->w.space, geoms[i]);
  for (int i = 0; i < count; ++i) dSpaceAdd(c->w.space, geoms[i]);
}

/* Of a body that it has never stepped a dBrink knows as much at an impact as of any: how far it reaches, and how fast
 * its points are. Not compared for ever: where a question begins its search is kept from step to step, and may leave a
 * toi another last bit. */
CASE(a_dbrink_that_is_made_in_each_frame_does_as_one_that_is_kept) {
  enum { frames = 40 };
  for (int kind = 0; kind < 4; ++kind) {
    const bool quick = kind & 2, fresh = kind & 1;
    dGeomID geoms[CROWD + 5];
    crowd c;
    makeCrowd(&c, quick, CROWD);
    for (int i = 0; i < CROWD + 5; ++i) geoms[CROWD + 4 - i] = dSpaceGetGeom(c.w.space, i);
    for (int frame = 0; frame < frames; ++frame) {
      listAnew(&c, geoms, CROWD + 5);
      if (fresh) {
        int memory[CROWD];
        for (int i = 0; i < CROWD; ++i) memory[i] = dBrinkGetBodyMemory(c.w.brink, c.bodies[i]);
        dBrinkDestroy(c.w.brink);
        c.w.brink = dBrinkCreate(c.w.world);
        assert_int_equal(dBrinkAddSpace(c.w.brink, c.w.space), 1);
        for (int i = 0; i < CROWD; ++i) assert_int_equal(dBrinkSetBodyMemory(c.w.brink, c.bodies[i], memory[i]), 1);
      }
      assert_int_equal(odeWorld_Step(&c.w), 1);
      crowdState(&c, CROWD, crowdStates[fresh][frame]);
      if (fresh && memcmp(crowdStates[0][frame], crowdStates[1][frame], sizeof(crowdStates[0][0])) != 0) {
        fail_msg("quick %d: other bits in frame %d", quick, frame);
      }
    }
    odeWorld_End(&c.w);
  }
}
