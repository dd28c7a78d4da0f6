/* SPDX-License-Identifier: BSD-3-Clause */
/* Ragdolls at a wall, stairs and each other, a rope at a peg, a net with loops: a few seeds of `brink-demo soak`,
 * judged by its own means (demos/soak.h). And what keeps their joints together: cuts for what spins after an impact.
 * Units: SI. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "ode_world.h"
#include "soak.h"

#define SEEDS 3

static void judge(const soakDef *scene) {
  soakRun plain = {0}, brink = {0};
  for (int seed = 0; seed < SEEDS; ++seed) {
    soakRun run;
    soak_RunPlain(scene, (uint64_t)seed, seed % 2 != 0, &run);
    soak_Add(&plain, &run);
    soak_Run(scene, (uint64_t)seed, seed % 2 != 0, soakBrink, &run);
    soak_Add(&brink, &run);
    if (run.through != 0) {
      fail_msg("%s, seed %d: %d through", scene->name, seed, run.through);
    }
  }
  print_message(
      "%s: plain %d through, joint error %.3g m; Brink 0 through, joint error %.3g m, %ld extra solves, %ld clamps, "
      "%.2f %% of the "
      "time lost\n",
      scene->name, plain.through, plain.jointError, brink.jointError, brink.solves, brink.clamps,
      100 * brink.lost / brink.time);
  assert_true(plain.through > 0);
  assert_true(soak_IsGood(&plain, &brink));
}

CASE(ragdoll_stays_in_front_of_a_thin_wall) { judge(&soakWall); }

CASE(ragdoll_stays_above_thin_stairs) { judge(&soakStairs); }

CASE(ragdolls_do_not_pass_through_each_other) { judge(&soakDolls); }

CASE(rope_does_not_pass_through_a_peg) { judge(&soakRope); }

/* QuickStep half solves the contacts of a rope that is pulled over a thin peg: with each impact a link came deeper, as
 * far as the peg's axis. At its limit a pair waits instead. */
CASE(a_rope_that_is_pulled_does_not_sink_into_its_peg) {
  static const uint64_t seeds[] = {299, 309, 329};
  for (int i = 0; i < 3; ++i) {
    soakRun run;
    soak_Run(&soakRope, seeds[i], true, soakBrink, &run);
    assert_int_equal(run.through, 0);
    assert_true(run.lost < 0.08 * run.time);
  }
}

CASE(net_with_loops_stays_in_front_of_a_wall) { judge(&soakNet); }

/* A bridge of planks that hang together, and on the world, by a ball joint at each corner, struck by a ball ten times
 * as heavy as a plank. m, that a joint opens at most in half a second, the mean of starts at all of which plain ODE
 * hits it, too. */
static double strikeBridge(bool withBrink, bool quick, double speed) {
  enum { planks = 12, starts = 8 };
  double sum = 0;
  for (int start = 0; start < starts; ++start) {
    double worst = 0;
    odeWorld w;
    dInitODE2(0);
    odeWorld_Make(&w, withBrink, quick, -9.81);
    dBodyID plank[planks];
    dJointID joints[2 * planks + 2];
    for (int i = 0; i < planks; ++i) {
      plank[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.45, 1, 0.05), 5, 0.5 * i + 0.25, 0, 0);
    }
    for (int i = 0; i < 2 * planks + 2; ++i) {
      joints[i] = dJointCreateBall(w.world, NULL);
      dJointAttach(joints[i], i < 2 ? NULL : plank[i / 2 - 1], i / 2 < planks ? plank[i / 2] : NULL);
      dJointSetBallAnchor(joints[i], 0.5 * (i / 2), i % 2 - 0.5, 0);
    }
    dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.2), 50, 2.7, 0.1, 0.65 + 0.025 * start);
    dBodySetLinearVel(ball, 0, 0, -speed);
    for (int frame = 0; frame < 30; ++frame) {
      assert_true(odeWorld_Step(&w));
      for (int i = 0; i < 2 * planks + 2; ++i) {
        dVector3 ends[2];
        dJointGetBallAnchor(joints[i], ends[0]);
        dJointGetBallAnchor2(joints[i], ends[1]);
        worst = fmax(worst, dCalcPointsDistance3(ends[0], ends[1]));
      }
    }
    sum += worst;
    odeWorld_End(&w);
    dCloseODE();
  }
  return sum / starts;
}

/* What turns is the lever of a joint about its body's axis, not the arm that leads to it along the axis. */
CASE(a_bridge_with_joints_at_its_corners_opens_less_than_in_plain_ode) {
  for (int quick = 0; quick < 2; ++quick) {
    const double plain = strikeBridge(false, quick, 20), brink = strikeBridge(true, quick, 20);
    print_message("%s: plain %.3f m, Brink %.3f m\n", quick ? "QuickStep" : "WorldStep", plain, brink);
    if (!(brink < 0.75 * plain)) {
      fail_msg("opens %g m, in plain ODE %g m", brink, plain);
    }
  }
}

/* Two links that fly at the end of a wall, which only one of them meets, off its centre. Returns the ball joint between
 * them. */
static dJointID makeStruckLinks(odeWorld *w, bool quick, const double mass[2], dBodyID links[2]) {
  dInitODE2(0);
  odeWorld_Make(w, true, quick, 0);
  w->mu = 0;
  dGeomSetPosition(dCreateBox(w->space, 0.01, 0.2, 2), 0, 0.14, 0);
  for (int i = 0; i < 2; ++i) {
    links[i] = odeWorld_Body(w, dCreateBox(w->space, 0.03, 0.1, 0.03), mass[i], -1, 0.12 * i - 0.06, 0);
    dBodySetLinearVel(links[i], 30, 0, 0);
  }
  dJointID joint = dJointCreateBall(w->world, NULL);
  dJointAttach(joint, links[0], links[1]);
  dJointSetBallAnchor(joint, -1, 0, 0);
  return joint;
}

static const double lightLinks[2] = {0.1, 0.1}; /* kg */

/* Two links, one struck off its centre: it spins on in the steps after the impact, in which plain ODE opens the joint
 * by 0.85 m. */
CASE(joints_hold_in_the_steps_after_an_impact) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    dBodyID links[2];
    makeStruckLinks(&w, quick, lightLinks, links);
    double worst = 0, spin = 0;
    for (int frame = 0; frame < 20; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      worst = fmax(worst, odeWorld_Info(&w).worstJointError);
      spin = fmax(spin, fabs(dBodyGetAngularVel(links[1])[2]) * w.h);
    }
    if (!(spin > 1) || !(worst < 0.1)) {
      fail_msg("quick %d: the joint opens by %g m, the link turned %g rad a step", quick, worst, spin);
    }
    odeWorld_End(&w);
    dCloseODE();
  }
}

/* How often a step may be cut counts anew in each: links that go on spinning are cut for as long as they do. */
CASE(links_that_spin_on_are_cut_in_every_step) {
  odeWorld w;
  dBodyID links[2];
  makeStruckLinks(&w, false, lightLinks, links);
  for (int frame = 0; frame < 50; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    const dBrinkStepInfo info = odeWorld_Info(&w);
    if (frame > 20 && !(info.solves > 1 && info.worstJointError < 0.01)) { /* 5 mm; 3 cm without cuts */
      fail_msg("frame %d: %d solves, the joint opens by %g m", frame, info.solves, info.worstJointError);
    }
    dBodySetAngularVel(links[1], 0, 0, frame < 2 ? dBodyGetAngularVel(links[1])[2] : 100);
  }
  odeWorld_End(&w);
  dCloseODE();
}

/* What is tied to a chain that spins since an impact has been struck by nothing itself. Its joint is cut and closed all
 * the same, whichever of its two bodies it names first. */
CASE(what_is_tied_to_a_struck_chain_later_holds_as_well) {
  double opens[2];
  for (int first = 0; first < 2; ++first) {
    odeWorld w;
    dBodyID links[2];
    makeStruckLinks(&w, false, lightLinks, links);
    for (int frame = 0; frame < 6; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    dVector3 end, place;
    dBodyGetRelPointPos(links[1], 0, 0.06, 0, end);
    dBodyGetRelPointPos(links[1], 0, 0.12, 0, place);
    dBodyID tied = odeWorld_Body(&w, dCreateBox(w.space, 0.03, 0.1, 0.03), 0.1, place[0], place[1], place[2]);
    dBodySetRotation(tied, dBodyGetRotation(links[1]));
    dJointID joint = dJointCreateBall(w.world, NULL);
    dJointAttach(joint, first == 0 ? tied : links[1], first == 0 ? links[1] : tied);
    dJointSetBallAnchor(joint, end[0], end[1], end[2]);
    opens[first] = 0;
    for (int frame = 0; frame < 10; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      opens[first] = fmax(opens[first], odeWorld_Info(&w).worstJointError);
    }
    odeWorld_End(&w);
    dCloseODE();
  }
  if (!(fmax(opens[0], opens[1]) < 1.3 * fmin(opens[0], opens[1]))) { /* twice as far, if one is left out */
    fail_msg("opens by %g m or, named the other way round, by %g m", opens[0], opens[1]);
  }
}

/* One of two links of 1 and 3 times a mass is struck off its centre; the ball joint between them mixes in cfm. Returns
 * the joint's widest gap, m; *strayed: how far their common centre was from its straight way in any step without an
 * impact, m; *spun: the largest turn in a step, rad. */
static double gapOfStruckLinks(bool quick, double cfm, double *strayed, double *spun) {
  odeWorld w;
  const double mass[2] = {0.1, 0.3};
  dBodyID links[2];
  dJointSetBallParam(makeStruckLinks(&w, quick, mass, links), dParamCFM, cfm);
  double gap = 0;
  *strayed = *spun = 0;
  for (int frame = 0; frame < 20; ++frame) {
    double before[3] = {0, 0, 0}, after[3] = {0, 0, 0}, momentum[3] = {0, 0, 0};
    for (int i = 0; i < 2; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        before[axis] += mass[i] * dBodyGetPosition(links[i])[axis];
      }
    }
    assert_int_equal(odeWorld_Step(&w), 1);
    dBrinkStepInfo info = odeWorld_Info(&w);
    gap = fmax(gap, info.worstJointError);
    for (int i = 0; i < 2; ++i) {
      *spun = fmax(*spun, fabs(dBodyGetAngularVel(links[i])[2]) * w.h);
      for (int axis = 0; axis < 3; ++axis) {
        after[axis] += mass[i] * dBodyGetPosition(links[i])[axis];
        momentum[axis] += mass[i] * dBodyGetLinearVel(links[i])[axis];
      }
    }
    for (int axis = 0; axis < 3 && info.eventCount == 0; ++axis) {
      *strayed = fmax(*strayed, fabs(after[axis] - before[axis] - w.h * momentum[axis]) / (mass[0] + mass[1]));
    }
  }
  odeWorld_End(&w);
  dCloseODE();
  return gap;
}

/* Four links in a row that spin at `spin` rad/s, `gap` m apart at their joints, in the step in which a wide grain hits
 * the last one at 0.3 of it, or none does. Returns the kinetic energy after it, J. */
static double spinApart(bool quick, bool hit, double spin, double gap) {
  enum { links = 4 };
  odeWorld w;
  dInitODE2(0);
  odeWorld_Make(&w, true, quick, 0);
  dBodyID bodies[links], grain = odeWorld_Body(&w, dCreateSphere(w.space, 1), 1e-9, 0, 0, 0);
  double energy = 0;
  for (int i = 0; i < links; ++i) {
    bodies[i] = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, 0.12 * i, 0, 0);
    dJointID ball = dJointCreateBall(w.world, NULL);
    dJointAttach(ball, i > 0 ? bodies[i - 1] : NULL, bodies[i]);
    dJointSetBallAnchor(ball, 0.12 * i - 0.06, 0, 0);
    if (i == 0) dJointDestroy(ball);
  }
  for (int i = 0; i < links; ++i) {
    dBodySetPosition(bodies[i], (0.12 + gap) * i, 0, 0);
    dBodySetAngularVel(bodies[i], 0, 0, spin);
  }
  const dReal *p = dBodyGetPosition(bodies[links - 1]);
  dBodySetPosition(grain, hit ? p[0] : -50, -1.05 - 0.3 * 20 * w.h, 0);
  dBodySetLinearVel(grain, 0, 20, 0);
  dRandSetSeed(1);
  assert_int_equal(odeWorld_Step(&w), 1);
  assert_true((odeWorld_Info(&w).solves > 1) == hit);
  for (int i = 0; i < links; ++i) {
    const dReal *v = dBodyGetLinearVel(bodies[i]), *turn = dBodyGetAngularVel(bodies[i]);
    energy += dCalcVectorDot3(v, v) / 2 + 0.4 * 0.05 * 0.05 * dCalcVectorDot3(turn, turn) / 2;
  }
  odeWorld_End(&w);
  dCloseODE();
  return energy;
}

/* The step's own solve throws them together; that a grain hits one of them may not do so once more. */
CASE(links_that_are_far_apart_are_not_thrown_together_at_an_impact) {
  for (int run = 0; run < 8; ++run) {
    const double spin = 100 + 100 * (run / 2), alone = spinApart(run % 2, false, spin, 0.5);
    const double hit = spinApart(run % 2, true, spin, 0.5);
    if (!(hit < 1.02 * alone)) fail_msg("%g rad/s: %g J, without the grain %g", spin, hit, alone);
  }
}

CASE(closing_a_joint_leaves_the_common_centre_on_its_way) {
  double strayed, spun, gap = gapOfStruckLinks(false, 0, &strayed, &spun);
  print_message("gap %g m, strayed %g m, turned %g rad a step\n", gap, strayed, spun);
  assert_true(spun > 0.75 && gap < 0.05 && strayed < 1e-9);
}

/* What is meant to give is not closed. */
CASE(a_soft_joint_keeps_its_stretch) {
  double strayed, spun, gap = gapOfStruckLinks(false, 0, &strayed, &spun);
  double soft = gapOfStruckLinks(false, 0.1, &strayed, &spun);
  print_message("gap %g m, of the soft joint %g m\n", gap, soft);
  assert_true(soft > 3 * gap);
}

typedef struct breakable {
  odeWorld *world;
  dJointID joint; /* NULL: broken */
  bool stepping;
} breakable;

static void breakInsideTheStep(void *data, dGeomID a, dGeomID b) {
  breakable *self = data;
  odeWorld_Near(self->world, a, b);
  if (self->stepping && self->joint != NULL) {
    dJointDestroy(self->joint);
    self->joint = NULL;
  }
}

CASE(a_joint_that_breaks_under_an_impact_holds_no_more) {
  odeWorld w;
  dBodyID links[2];
  breakable self = {.world = &w, .joint = makeStruckLinks(&w, false, lightLinks, links)};
  for (int frame = 0; frame < 10; ++frame) {
    dSpaceCollide(w.space, &self, breakInsideTheStep);
    self.stepping = true;
    assert_int_equal(dBrinkWorldStep(w.brink, w.h, &self, breakInsideTheStep, w.contacts), 1);
    self.stepping = false;
    dJointGroupEmpty(w.contacts);
  }
  const dReal *p = dBodyGetPosition(links[0]), *q = dBodyGetPosition(links[1]);
  assert_null(self.joint);
  assert_true(fabs(p[0] - q[0]) + fabs(p[1] - q[1]) > 0.5); /* one flies on, the other was stopped */
  odeWorld_End(&w);
  dCloseODE();
}

/* A wheel on its axle may spin as fast as it likes, also after it was struck: no extra solve. */
CASE(a_spinning_wheel_costs_nothing) {
  odeWorld w;
  dInitODE2(0);
  odeWorld_Make(&w, true, false, 0);
  w.mu = 0;
  dBodyID wheel = odeWorld_Body(&w, dCreateCylinder(w.space, 0.2, 0.05), 1, 0, 0, 0);
  dJointID hinge = dJointCreateHinge(w.world, NULL);
  dJointAttach(hinge, wheel, NULL);
  dJointSetHingeAnchor(hinge, 0, 0, 0);
  dJointSetHingeAxis(hinge, 0, 0, 1);
  dBodySetAngularVel(wheel, 0, 0, 600); /* 10 rad a step */
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.02), 0.1, 2, 0, 0);
  dBodySetLinearVel(ball, -300, 0, 0);
  int impacts = 0;
  for (int frame = 0; frame < 60; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    dBrinkStepInfo info = odeWorld_Info(&w);
    impacts += info.eventCount;
    if (info.eventCount == 0 && info.solves != 1) {
      fail_msg("step %d: %d solves without an impact", frame, info.solves);
    }
  }
  assert_true(impacts > 0 && dBodyGetAngularVel(wheel)[2] > 500);
  odeWorld_End(&w);
  dCloseODE();
}

/* Two sheets cross where the step begins (the program put them so), which ends Brink's first question there; a spinning
 * link has the step cut later. What lies between the two must be asked about all the same: here a bullet. */
CASE(a_step_is_not_cut_beyond_what_was_proved) {
  static const double corners[4][3] = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {-0.5, 0.5, 0}, {0.5, 0.5, 0}};
  static const dTriIndex triangles[2][3] = {{0, 1, 2}, {1, 3, 2}};
  dInitODE2(0);
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  w.mu = 0;
  dGeomSetPosition(dCreateBox(w.space, 0.01, 0.2, 2), 0, 0.14, 0);
  dBodyID links[2];
  for (int i = 0; i < 2; ++i) {
    links[i] = odeWorld_Body(&w, dCreateBox(w.space, 0.03, 0.1, 0.03), 0.1, -1, 0.12 * i - 0.06, 0);
    dBodySetLinearVel(links[i], 30, 0, 0);
  }
  dJointID joint = dJointCreateBall(w.world, NULL);
  dJointAttach(joint, links[0], links[1]);
  dJointSetBallAnchor(joint, -1, 0, 0);
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, corners, sizeof(corners[0]), 4, triangles, 6, sizeof(triangles[0]));
  dBodyID sheets[2];
  for (int i = 0; i < 2; ++i) {
    dGeomID geom = dCreateTriMesh(w.space, data, NULL, NULL, NULL);
    sheets[i] = odeWorld_Body(&w, geom, 1, 20, 0, 0);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 1, 0, 0, i == 0 ? 0.1 : 1.6);
    dBodySetRotation(sheets[i], turn);
  }
  dGeomSetPosition(dCreateBox(w.space, 0.01, 2, 2), 50, 0, 0);
  dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.02), 0.01, 49, 0, 0);
  int extra = 0;
  for (int frame = 0; frame < 20; ++frame) {
    for (int i = 0; i < 2; ++i) {
      dBodySetPosition(sheets[i], 20, 0, 0.01 * (frame % 3));
      dBodySetLinearVel(sheets[i], 0, 0, 2 * i - 1);
    }
    dBodySetPosition(bullet, 49.5, 0, 0);
    dBodySetLinearVel(bullet, 300, 0, 0); /* at the plate after a tenth of the step */
    assert_int_equal(odeWorld_Step(&w), 1);
    extra += odeWorld_Info(&w).solves - 2;
    if (!(dBodyGetPosition(bullet)[0] < 50)) {
      fail_msg("frame %d: the bullet is at %g", frame, dBodyGetPosition(bullet)[0]);
    }
  }
  assert_true(extra > 10); /* cuts */
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
  dCloseODE();
}

/* Pairs on a ball joint that spin onto a floor; at impacts the program breaks joints, also of other pairs, of which a
 * cut may be planned: the step went on cutting at the same time for ever. */
enum { breakables = 12 };
typedef struct breaking {
  odeWorld w;
  dJointID joints[breakables];
  uint64_t random;
  bool inStep;
} breaking;

static void breakAtImpacts(void *data, dGeomID a, dGeomID b) {
  breaking *self = data;
  odeWorld_Near(&self->w, a, b);
  if (self->inStep && shiftUniform(&self->random, 0, 1) < 0.3) {
    dJointID *joint = &self->joints[(int)shiftUniform(&self->random, 0, breakables)];
    if (*joint != NULL) {
      dJointDestroy(*joint);
    }
    *joint = NULL;
  }
}

CASE(a_program_may_break_joints_at_impacts) {
  dInitODE2(0);
  (void)alarm(60); /* it ends, or this ends the test */
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    breaking self = {.random = 77 * seed};
    odeWorld *w = odeWorld_Make(&self.w, true, true, 0);
    w->bounce = 0.7;
    (void)dCreateBox(w->space, 100, 100, 0.02);
    for (int i = 0; i < breakables; ++i) {
      dBodyID pair[2];
      for (int k = 0; k < 2; ++k) {
        pair[k] = odeWorld_Body(w, dCreateCapsule(w->space, 0.1, 0.5), 5, 4 * i + 0.7 * k - 20, 0, 1.5);
        dBodySetLinearVel(pair[k], 0, 0, -shiftUniform(&self.random, 10, 60));
        dBodySetAngularVel(pair[k], shiftUniform(&self.random, -40, 40), shiftUniform(&self.random, -40, 40), 0);
      }
      self.joints[i] = dJointCreateBall(w->world, 0);
      dJointAttach(self.joints[i], pair[0], pair[1]);
      dJointSetBallAnchor(self.joints[i], 4 * i - 19.65, 0, 1.5);
    }
    for (int frame = 0; frame < 20; ++frame) {
      dSpaceCollide(w->space, &self, breakAtImpacts);
      self.inStep = true;
      assert_true(dBrinkWorldQuickStep(w->brink, w->h, &self, breakAtImpacts, w->contacts));
      self.inStep = false;
      dJointGroupEmpty(w->contacts);
    }
    odeWorld_End(w);
  }
  (void)alarm(0);
  dCloseODE();
}

int main(void) { return cases_Run(NULL, NULL); }
