/* SPDX-License-Identifier: BSD-3-Clause */
/* The floor of stepping, without any engine: what it says of motions is what Brink executes. A toy body goes straight
 * and turns about a fixed axis; the poses are computed here, by other formulas. Units: m, rad. */
#include "cases.h"
#include "gap.h"
#include "motion.h"
#include "plugin_support.h"
#include "quiet.h"
#include "sink.h"
#include "stepper.h"

typedef struct Toy {
  brinkPose first, last;
  brinkVec3 turn; /* rad, world axes, from the one to the other */
} Toy;

static Toy newToy(Random *random, double mostTurn) {
  Toy toy = {.first = {randomVector(random, 5), rotation(randomVector(random, 3))}};
  brinkVec3 axis = randomVector(random, 1);
  toy.turn = times(uniform(random, 0.01, mostTurn) / norm(axis), axis);
  toy.last =
      (brinkPose){plus(toy.first.position, randomVector(random, 2)), product(rotation(toy.turn), toy.first.rotation)};
  return toy;
}

static brinkPose toyAt(const Toy *toy, double s) {
  brinkVec3 way = minus(toy->last.position, toy->first.position);
  return (brinkPose){plus(toy->first.position, times(s, way)),
                     product(rotation(times(s, toy->turn)), toy->first.rotation)};
}

static brinkStepPose stepPose(brinkPose pose) {
  return (brinkStepPose){{pose.position.x, pose.position.y, pose.position.z},
                         {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z}};
}

static brinkPose poseOfStep(const brinkStepPose *pose) {
  const double *p = pose->position, *q = pose->quaternion;
  return (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

CASE(turns_have_as_many_revolutions_as_the_spin_says) {
  Random random = {1};
  for (int i = 0; i < 2000; ++i) {
    Toy toy = newToy(&random, 60);
    brinkStepPose a = stepPose(toy.first), b = stepPose(toy.last);
    brinkVec3 spin = plus(toy.turn, randomVector(&random, 1)); /* less than half a turn off */
    brinkVec3 found = brinkStepTurnBetween(a.quaternion, b.quaternion, (const double *)&spin);
    ASSERT_NEAR(norm(minus(found, toy.turn)), 0, 1e-7 * norm(toy.turn));
  }
}

CASE(a_sign_of_the_quaternion_changes_nothing) {
  Random random = {2};
  for (int i = 0; i < 500; ++i) {
    Toy toy = newToy(&random, 3);
    brinkStepPose a = stepPose(toy.first), b = stepPose(toy.last);
    for (int k = 0; k < 4; ++k) b.quaternion[k] = -b.quaternion[k];
    brinkVec3 found = brinkStepTurnBetween(a.quaternion, b.quaternion, (const double *)&toy.turn);
    ASSERT_NEAR(norm(minus(found, toy.turn)), 0, 1e-9);
  }
}

/* A ray's z comes to lie on its new direction, by no greater turn than the angle between the two. */
CASE(a_turn_onto_a_direction_is_the_shortest) {
  Random random = {31};
  for (int i = 0; i < 2000; ++i) {
    const brinkStepPose pose = stepPose(newToy(&random, 3).first);
    double before[12], after[12], q[4], cosine = 0;
    brinkStepRotationOf(pose.quaternion, before);
    brinkVec3 d = randomVector(&random, 3), z = {before[2], before[6], before[10]};
    d = i % 4 == 1 ? z : i % 4 == 2 ? (brinkVec3){-2 * z.x, -2 * z.y, -2 * z.z} : d;
    memcpy(q, pose.quaternion, sizeof(q));
    brinkStepTurnOnto((const double *)&d, q);
    brinkStepRotationOf(q, after);
    const double size = norm(d),
                 angle = norm(minus(d, z)) > 0 ? atan2(norm(cross(z, d)), z.x * d.x + z.y * d.y + z.z * d.z) : 0;
    ASSERT_NEAR(
        norm(minus((brinkVec3){after[2], after[6], after[10]}, (brinkVec3){d.x / size, d.y / size, d.z / size})), 0,
        1e-9);
    for (int k = 0; k < 4; ++k) cosine += q[k] * pose.quaternion[k];
    ASSERT_NEAR(2 * acos(fmin(fabs(cosine), 1)), angle, 1e-6);
    brinkStepTurnOnto((const double[]){0, 0, 0}, q);
    brinkStepRotationOf(q, before);
    assert_memory_equal(before, after, sizeof(before));
  }
}

CASE(a_pose_along_the_way_is_the_toys) {
  Random random = {3};
  for (int i = 0; i < 2000; ++i) {
    Toy toy = newToy(&random, 20);
    brinkStepPose start = stepPose(toy.first), found;
    double s = uniform(&random, -0.5, 1.5);
    brinkStepPoseAlong(&start, (const double *)&toy.last.position, &toy.turn, s, &found);
    ASSERT_NEAR(poseError(poseOfStep(&found), toyAt(&toy, s)), 0, 1e-12);
  }
}

/* Asked of Brink itself, through the ABI. */
CASE(a_motion_from_a_time_on_is_executed_from_there) {
  Random random = {4};
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
  brinkWorldDef def = {.structSize = sizeof def, .taylorOrder = 3};
  brinkWorld *world;
  assert_int_equal(plugin->createWorld(NULL, &def, &world), brink_ok);
  for (int i = 0; i < 500; ++i) {
    Toy toy = newToy(&random, 12);
    double from = i % 5 == 0 ? 0 : uniform(&random, 0, 0.99);
    brinkBodyDef bodyDef = {.structSize = sizeof bodyDef, .pose = at(0, 0, 0)};
    brinkBodyId body;
    assert_int_equal(plugin->createBody(world, &bodyDef, &body), brink_ok);
    brinkStepPose start = stepPose(toy.first), end = stepPose(toy.last);
    brinkBodyMotion motion = {.structSize = sizeof motion};
    brinkStepMotionFrom(&start, &end, (const double *)&toy.turn, from, &motion);
    motion.pose1 = motion.pose0;
    assert_int_equal(plugin->setBodyMotion(world, body, &motion), brink_ok);
    for (int k = 0; k <= 4; ++k) {
      double s = k / 4.0;
      brinkPose found;
      assert_int_equal(plugin->bodyPose(world, body, from + s * (1 - from), &found), brink_ok);
      ASSERT_NEAR(poseError(found, toyAt(&toy, s)), 0, 1e-11 / (1 - from));
    }
    brinkBodyMotion part = {.structSize = sizeof part};
    double s0 = uniform(&random, 0, 1), s1 = uniform(&random, 0, 1); /* forwards and backwards */
    brinkStepMotionPart(&start, end.position, &toy.turn, s0, s1, &part);
    assert_int_equal(plugin->setBodyMotion(world, body, &part), brink_ok);
    for (int k = 0; k <= 4; ++k) {
      double s = s0 + k / 4.0 * (s1 - s0);
      brinkPose found;
      assert_int_equal(plugin->bodyPose(world, body, k / 4.0, &found), brink_ok);
      ASSERT_NEAR(poseError(found, toyAt(&toy, s)), 0, 1e-11);
    }
    assert_int_equal(plugin->destroyBody(world, body), brink_ok);
  }
  plugin->destroyWorld(world);
}

/* ---- how deep a pair may sink */

static brinkStepCollider collider(uint32_t flags, uint32_t body, double allowance) {
  return (brinkStepCollider){.flags = flags, .body = body, .allowance = allowance};
}

CASE(solids_sink_as_deep_as_their_cores_let_them) {
  const brinkStepCollider thin = collider(0, 1, 0.001), thick = collider(0, BRINK_NO_RECORD, 0.05);
  double limit = 7;
  ASSERT_NEAR(brinkStepSinkDepth(&thin, &thick, INFINITY, false, &limit), 0.005, 1e-15);
  assert_true(limit >= BRINK_STEP_UNLIMITED);
  assert_true(brinkStepSinkDepth(&thin, &thick, 0.002, false, &limit) == 0.002); /* a cap is a promise */
  assert_true(limit == 0);
  const brinkStepCollider said = collider(BRINK_STEP_SAID, 1, 0.001);
  assert_true(brinkStepSinkDepth(&said, &thick, INFINITY, false, &limit) == 0.001 && limit == 0);
}

CASE(meshes_sink_less_and_grounds_more) {
  const brinkStepCollider moving = collider(BRINK_STEP_SURFACE, 1, 0.01);
  const brinkStepCollider ground = collider(BRINK_STEP_SURFACE, BRINK_NO_RECORD, 0.002);
  const brinkStepCollider field =
      collider(BRINK_STEP_SURFACE | BRINK_STEP_SHEET | BRINK_STEP_FIELD, BRINK_NO_RECORD, 0.002);
  double limit = 0;
  ASSERT_NEAR(brinkStepSinkDepth(&moving, &moving, INFINITY, false, &limit), 0.01, 1e-15);
  ASSERT_NEAR(limit, 0.01, 1e-15);
  ASSERT_NEAR(brinkStepSinkDepth(&moving, &ground, INFINITY, false, &limit), 0.01, 1e-15); /* 8 x 0.002 > 0.01 */
  ASSERT_NEAR(brinkStepSinkDepth(&moving, &field, INFINITY, false, &limit), 0.01, 1e-15);
  ASSERT_NEAR(limit, 0.03, 1e-15);
  ASSERT_NEAR(brinkStepSinkDepth(&moving, &ground, INFINITY, true, &limit), 0.01, 1e-15);
  ASSERT_NEAR(limit, -0.01, 1e-15); /* contacts keep it apart */
}

CASE(round_ones_sink_into_a_mesh_as_into_a_solid) {
  const brinkStepCollider limb = collider(BRINK_STEP_ROUNDED, 1, 0.001), other = collider(0, 2, 0.05);
  const brinkStepCollider box = collider(0, 1, 0.001);
  const brinkStepCollider sheet = collider(BRINK_STEP_SURFACE | BRINK_STEP_SHEET, BRINK_NO_RECORD, 0.0001);
  const brinkStepCollider plate = collider(BRINK_STEP_SURFACE, BRINK_NO_RECORD, 0.0002);
  double limit = 0, unused = 0;
  assert_true(brinkStepSinkDepth(&limb, &sheet, INFINITY, false, &limit) ==
              brinkStepSinkDepth(&limb, &other, INFINITY, false, &unused));
  ASSERT_NEAR(limit, 0.005, 1e-15);
  ASSERT_NEAR(brinkStepSinkDepth(&limb, &plate, INFINITY, false, &limit), 0.0016, 1e-15); /* it is thin itself */
  assert_true(brinkStepSinkDepth(&limb, &sheet, 0.002, false, &limit) == 0.002);          /* a cap is a promise */
  assert_true(brinkStepSinkDepth(&limb, &sheet, INFINITY, true, &limit) == 0.001 && limit == -0.001);
  assert_true(brinkStepSinkDepth(&box, &sheet, INFINITY, false, &limit) == 0.001 && limit == 0.001);
  const brinkStepCollider said = collider(BRINK_STEP_ROUNDED | BRINK_STEP_SAID, 1, 0.001);
  assert_true(brinkStepSinkDepth(&said, &sheet, INFINITY, false, &limit) == 0.001 && limit == 0.001);
}

CASE(a_sensor_does_not_sink) {
  const brinkStepCollider body = collider(0, 1, 0.01), gate = collider(BRINK_STEP_SENSOR, BRINK_NO_RECORD, 1);
  double limit = 7;
  assert_true(brinkStepSinkDepth(&body, &gate, INFINITY, false, &limit) == 0 && limit == 7);
  assert_true(brinkStepSinkDepth(&gate, &body, INFINITY, false, &limit) == 0 && limit == 7);
}

/* ---- who needs no question */

enum { LINEAR = 7, ANGULAR = 10, STATE = 13 }; /* of an engine's storage: position, quaternion, velocities */

/* A ball on an arm: turning its body moves it. */
typedef struct Roamer {
  double state[STATE];
  brinkStepHotData hot;
  brinkVec3 arm;
  double radius;
} Roamer;

static const brinkStepLayout roamerLayout = {3, LINEAR, ANGULAR, 0, 0};

static brinkPose roamerPose(const double *state) {
  return (brinkPose){{state[0], state[1], state[2]}, {state[3], state[4], state[5], state[6]}};
}

static brinkVec3 roamerCentre(const Roamer *roamer, const brinkPose *pose) { return carry(*pose, roamer->arm); }

static Roamer newRoamer(Random *random, brinkVec3 place) {
  Roamer roamer = {.state = {place.x, place.y, place.z, 1}, .arm = randomVector(random, 0.1), .radius = 0.05};
  roamer.hot.turnReach = norm(roamer.arm) + roamer.radius;
  return roamer;
}

static void beginStep(Roamer *roamer) {
  roamer->hot.position = roamer->state;
  memcpy(roamer->hot.startPosition, roamer->state, 3 * sizeof(double));
  memcpy(roamer->hot.startQuaternion, roamer->state + 3, 4 * sizeof(double));
}

/* The engine's step of 1 s: straight on, a turn about a fixed axis. */
static void roam(Roamer *roamer, brinkVec3 way, brinkVec3 turn) {
  brinkQuat q = product(rotation(turn), roamerPose(roamer->state).rotation);
  const double quaternion[4] = {q.w, q.x, q.y, q.z};
  for (int i = 0; i < 3; ++i) {
    roamer->state[i] += (&way.x)[i];
    roamer->state[LINEAR + i] = (&way.x)[i];
    roamer->state[ANGULAR + i] = (&turn.x)[i];
  }
  memcpy(roamer->state + 3, quaternion, sizeof quaternion);
}

static bool isQuiet(const Roamer *roamer) {
  double steps;
  return brinkStepStaysInSlack(&roamer->hot, &roamerLayout, 1, &steps);
}

static void beginLook(Roamer *roamer, double allowance) {
  brinkStepBeginSlack(&roamer->hot, roamer->state, roamer->state + 3, 4 * allowance, BRINK_STEP_CALM * allowance);
}

static double separationOf(const Roamer *a, const brinkPose *poseA, const Roamer *b, const brinkPose *poseB) {
  return norm(minus(roamerCentre(a, poseA), roamerCentre(b, poseB))) - a->radius - b->radius;
}

/* Two balls wander until they meet. As long as both are quiet they do not come to their event, which lies where they
 * are an allowance deep; when they are not, they do, often. */
CASE(who_is_quiet_comes_to_no_event) {
  Random random = {5};
  const double allowance = 0.02;
  int quietSteps = 0, events = 0;
  for (int i = 0; i < 300; ++i) {
    Roamer roamers[2] = {newRoamer(&random, (brinkVec3){0, 0, 0}), newRoamer(&random, (brinkVec3){0.15, 0, 0})};
    for (int step = 0; step < 300; ++step) {
      brinkPose before[2], after[2];
      brinkVec3 ways[2], turns[2];
      for (int k = 0; k < 2; ++k) {
        before[k] = roamerPose(roamers[k].state);
        beginStep(&roamers[k]);
        ways[k] = randomVector(&random, 0.0012);
        ways[k].x += k == 0 ? 2e-4 : -2e-4; /* towards each other, by and by */
        turns[k] = randomVector(&random, 0.008);
        roam(&roamers[k], ways[k], turns[k]);
        after[k] = roamerPose(roamers[k].state);
      }
      bool quiet = isQuiet(&roamers[0]) && isQuiet(&roamers[1]);
      double least = INFINITY;
      for (int part = 0; part <= 4; ++part) {
        brinkPose at[2];
        for (int k = 0; k < 2; ++k) {
          at[k].position = plus(before[k].position, times(part / 4.0, ways[k]));
          at[k].rotation = product(rotation(times(part / 4.0, turns[k])), before[k].rotation);
        }
        least = fmin(least, separationOf(&roamers[0], &at[0], &roamers[1], &at[1]));
      }
      if (quiet) assert_true(least > -allowance);
      quietSteps += quiet;
      events += least <= -allowance;
      if (least <= -allowance) break;
      if (!quiet) {
        double stepLimit, separation = separationOf(&roamers[0], &after[0], &roamers[1], &after[1]);
        const brinkVec3 none = {0, 0, 0};
        beginLook(&roamers[0], allowance);
        beginLook(&roamers[1], allowance);
        double slack = brinkStepPairSlack(allowance, separation, true, separation < 0, &stepLimit);
        brinkStepShareSlack(&roamers[0].hot, &roamers[1].hot, &none, slack, stepLimit);
      }
    }
  }
  assert_true(quietSteps > 10000 && events > 50);
}

/* Straight on or by turning, one or both: the separation is still within the allowance when both are quiet, and most of
 * what there was is used up before they are asked about. */
CASE(two_sides_share_what_their_pair_allows) {
  const double allowance = 0.02, gap = 0.01;
  for (int turns = 0; turns < 2; ++turns) {
    for (int both = 0; both < 2; ++both) {
      Roamer a = {.state = {0, 0, 0, 1}, .radius = 0.05}, b = {.state = {0, 0.1 + gap, 0, 1}, .radius = 0.05};
      if (turns) a.arm = (brinkVec3){0.1, 0, 0}, b.arm = (brinkVec3){-0.1, 0, 0}, b.state[0] = 0.2;
      a.hot.turnReach = b.hot.turnReach = turns ? 0.15 : 0;
      double stepLimit, slack = brinkStepPairSlack(allowance, gap, true, false, &stepLimit), least = gap;
      beginLook(&a, allowance);
      beginLook(&b, allowance);
      brinkStepShareSlack(&a.hot, &b.hot, &(brinkVec3){0, 0, 0}, slack, stepLimit);
      for (;;) {
        beginStep(&a);
        beginStep(&b);
        roam(&a, (brinkVec3){0, turns ? 0 : 5e-4, 0}, (brinkVec3){0, 0, turns ? 5e-3 : 0});
        if (both) roam(&b, (brinkVec3){0, turns ? 0 : -5e-4, 0}, (brinkVec3){0, 0, turns ? 5e-3 : 0});
        brinkPose poseA = roamerPose(a.state), poseB = roamerPose(b.state);
        if (!isQuiet(&a) || !isQuiet(&b)) break;
        least = separationOf(&a, &poseA, &b, &poseB);
        assert_true(least > -allowance);
      }
      assert_true(turns || gap - least > (both ? 0.85 : 0.4) * slack);
    }
  }
}

/* Beside what stands still only the way against the normal counts: a ball rolls along a floor and uses up nothing. */
CASE(a_ball_rolls_quietly_until_it_sinks) {
  const double allowance = 0.02;
  const brinkVec3 up = {0, 0, -1}; /* from the ball, A, to the floor, B */
  Roamer ball = {.state = {0, 0, 0.05, 1}, .radius = 0.05};
  double stepLimit, slack = brinkStepPairSlack(allowance, 0, true, false, &stepLimit);
  brinkStepBeginSlack(&ball.hot, ball.state, ball.state + 3, 4 * allowance, BRINK_STEP_CALM * allowance);
  brinkStepShareSlack(&ball.hot, NULL, &up, slack, stepLimit);
  for (int step = 0; step < 30; ++step) {
    beginStep(&ball);
    roam(&ball, (brinkVec3){0.002, 0, 0}, (brinkVec3){0, 0.04, 0});
    assert_true(isQuiet(&ball)); /* 0.06 m in all, three allowances */
  }
  int sunk = 0;
  do {
    beginStep(&ball);
    roam(&ball, (brinkVec3){0, 0, -0.001}, (brinkVec3){0, 0, 0});
    sunk++;
  } while (isQuiet(&ball));
  assert_in_range(sunk, 17, 20); /* of 20 mm that it may sink, less what events shift by */
}

/* ---- joints */

/* A limb on the world's joint: its centre goes straight from where its turn begins to where it ends, as an engine has
 * it, so at half the turn the joint is open by arm (1 - cos (turn / 2)). */
static void newLimb(double arm, double turn, brinkStepSide sides[2]) {
  const double c = cos(turn), s = sin(turn);
  sides[0] = (brinkStepSide){.from = {-arm, 0, 0}, .to = {-arm * c, -arm * s, 0}, .arm = {arm, 0, 0}};
  sides[0].lastArm[0] = arm * c;
  sides[0].lastArm[1] = arm * s;
  sides[0].reach = arm;
  sides[0].turn[2] = turn;
  sides[0].spin[2] = turn;
  sides[1] = (brinkStepSide){.from = {0, 0, 0}};
}

CASE(a_limb_that_turns_opens_its_joint_by_the_chord) {
  Random random = {6};
  for (int i = 0; i < 200; ++i) {
    double arm = uniform(&random, 0.1, 3), turn = uniform(&random, -3, 3), gap[3];
    brinkStepSide sides[2];
    newLimb(arm, turn, sides);
    sides[0].arm[2] = uniform(&random, -1, 1); /* along the axis: turning changes nothing of it */
    sides[0].from[2] = sides[0].to[2] = -sides[0].arm[2];
    brinkStepGap(sides, 0.5, gap);
    ASSERT_NEAR(sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]), arm * (1 - cos(turn / 2)), 1e-12);
    brinkStepGap(sides, 1, gap);
    ASSERT_NEAR(sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]), 0, 1e-12);
  }
}

/* The velocity that a solver leaves carries the centre along the tangent: cut where that opens the joint by a fifth. */
CASE(a_motion_is_cut_where_its_joint_has_opened_by_a_fifth_of_the_arm) {
  Random random = {7};
  int cut = 0;
  for (int i = 0; i < 200; ++i) {
    double arm = uniform(&random, 0.1, 3), turn = uniform(&random, 0.1, 2.5), gap[3];
    brinkStepSide sides[2];
    newLimb(arm, turn, sides);
    sides[0].to[0] = -arm;
    sides[0].to[1] = -arm * turn;
    double local = brinkStepCut(sides, 0, 1), swapped;
    brinkStepSide other[2] = {sides[1], sides[0]};
    swapped = brinkStepCut(other, 0, 1);
    assert_true(local == swapped);
    brinkStepGap(sides, 1, gap);
    double whole = sqrt(gap[0] * gap[0] + gap[1] * gap[1]);
    if (local > 1) {
      assert_true(whole < 1.25 * 0.2 * arm || turn * turn / 2 < 0.15);
      continue;
    }
    cut++;
    brinkStepGap(sides, local, gap);
    ASSERT_NEAR(sqrt(gap[0] * gap[0] + gap[1] * gap[1]), 0.2 * arm, 2e-3 * arm);
    assert_true(brinkStepCut(sides, BRINK_STEP_MAX_CUTS, 1) == 2);           /* enough is enough */
    assert_true(brinkStepCut(sides, 0, 1.5 * BRINK_STEP_SHORTEST_CUT) == 2); /* too short */
  }
  assert_true(cut > 100);
}

/* A body that hangs on a rod and does not turn itself: its centre goes straight across, so the rod grows longer, and it
 * is cut where it has grown by a fifth. */
CASE(a_rod_that_turns_is_cut_though_no_body_turns) {
  Random random = {8};
  for (int i = 0; i < 200; ++i) {
    const double length = uniform(&random, 0.1, 3), way = uniform(&random, 0.2, 3) * length;
    double gap[3], aim[3];
    brinkStepSide sides[2] = {{.from = {length, 0, 0}, .to = {length, 0, way}, .rod = length}, {.rod = length}};
    brinkStepGap(sides, 0, gap);
    assert_true(gap[0] == 0 && gap[1] == 0 && gap[2] == 0);
    brinkStepGap(sides, 1, gap);
    const double longer = sqrt(length * length + way * way) - length;
    ASSERT_NEAR(sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]), longer, 1e-12);
    ASSERT_NEAR(gap[2] * length, gap[0] * way, 1e-12); /* along the rod */
    const double local = brinkStepCut(sides, 0, 1);
    if (longer > 1.25 * 0.2 * length) {
      ASSERT_NEAR(local * way, sqrt(1.2 * 1.2 - 1) * length, 2e-3 * length);
    } else if (longer < 1.15 * 0.2 * length) {
      assert_true(local == 2);
    }
    sides[1].to[0] = -way; /* the other one follows */
    sides[0].to[0] -= way;
    brinkStepGap(sides, 1, aim);
    for (int k = 0; k < 3; ++k) ASSERT_NEAR(aim[k], gap[k], 1e-12);
  }
}

/* Two bodies at a joint and a chain of them: after the rounds the ends meet where they were to, and lighter ones have
 * given way to heavier ones. */
CASE(shifts_close_gaps_as_impulses_would) {
  double light[3] = {0, 0, 0}, heavy[3] = {0, 0, 0};
  const double aim[3] = {0.03, -0.02, 0.01};
  brinkStepShift(aim, light, 1, heavy, 0.25);
  for (int i = 0; i < 3; ++i) {
    ASSERT_NEAR(aim[i] + light[i] - heavy[i], 0, 1e-15);
    ASSERT_NEAR(light[i], -4 * heavy[i], 1e-15);
  }
  double chain[3][3] = {{0}};
  for (int round = 0; round < 60; ++round) {
    brinkStepShift(aim, chain[0], 1, NULL, 0);
    brinkStepShift(aim, chain[1], 1, chain[0], 1);
    brinkStepShift(aim, chain[2], 1, chain[1], 1);
  }
  for (int link = 0; link < 3; ++link) {
    for (int i = 0; i < 3; ++i) ASSERT_NEAR(chain[link][i], -(link + 1) * aim[i], 1e-3 * fabs(aim[i]));
  }
}

/* Half of what the motion adds, all of what it began with; nothing small, never more than a fifth of the arm. */
CASE(what_is_aimed_at_is_neither_small_nor_large) {
  brinkStepSide sides[2];
  double aim[3];
  newLimb(1, 0, sides);
  sides[0].from[0] += 0.1; /* open from the start, and to the end */
  sides[0].to[0] += 0.12;
  brinkStepAim(sides, 1, aim);
  ASSERT_NEAR(aim[0], 0.11, 1e-15);
  sides[0].from[0] = -1 + 0.019;
  sides[0].to[0] = -1 + 0.019;
  brinkStepAim(sides, 1, aim);
  assert_true(aim[0] == 0 && aim[1] == 0 && aim[2] == 0);
  sides[0].from[0] = sides[0].to[0] = -0.5;
  brinkStepAim(sides, 1, aim);
  ASSERT_NEAR(aim[0], 0.2, 1e-15);
}

/* ---- records */

/* Memory ran out while a geom was told; the host told it anew, and drops what is left of the first try. */
CASE(a_geom_is_found_when_an_older_record_of_it_goes) {
  brinkStepper stepper = {.bodyCount = 0};
  int geom, other;
  const brinkStepCollider gone = {.geom = NULL}, record = {.geom = &geom, .body = BRINK_NO_RECORD};
  assert_true(brinkStepSetCollider(&stepper, 0, &record));
  assert_true(brinkStepSetCollider(&stepper, 1, &record));
  assert_true(brinkStepSetCollider(&stepper, 0, &gone));
  assert_int_equal(brinkStepFindCollider(&stepper, &geom, BRINK_NO_RECORD), 1);
  const brinkStepCollider changed = {.geom = &other, .body = BRINK_NO_RECORD};
  assert_true(brinkStepSetCollider(&stepper, 1, &changed));
  assert_int_equal(brinkStepFindCollider(&stepper, &geom, BRINK_NO_RECORD), BRINK_NO_RECORD);
  assert_int_equal(brinkStepFindCollider(&stepper, &other, BRINK_NO_RECORD), 1);
  brinkStepFree(&stepper);
}

int main(void) { return cases_Run(NULL, NULL); }
