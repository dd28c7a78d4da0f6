/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of motion through the plugin's table: first contacts under both schemes against the slow oracle at sampled
 * times, kinds that can say the same thing against each other, bodies that move alone, refusals, memory. */
#include "cases.h"
#include "plugin_support.h"

#include "motion_makers.h"
#include "oracle_judge.h"

enum { MAX_BODIES = 8, THINGS = 3, SAMPLES = 120 };

/* ---- against the oracle */

static oracleBody frozen(brinkWorld *world, brinkBodyId body, double t, oracleLink *link, double *vertices,
                         double size) {
  brinkPose p = poseOf(world, body, t);
  *link = (oracleLink){{p.position.x, p.position.y, p.position.z},
                       {p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z},
                       {0, 0, 0},
                       {0, 0, 0}};
  for (int i = 0; i < 12; ++i) vertices[i] = size * tetrahedron[i];
  return (oracleBody){link, 1, vertices, 4, tetrahedronFaces, 4, true, 0};
}

static double distanceAt(brinkWorld *world, const brinkBodyId body[2], const double size[2], double t) {
  oracleLink link[2];
  double vertices[2][12];
  oracleBody a = frozen(world, body[0], t, &link[0], vertices[0], size[0]),
             b = frozen(world, body[1], t, &link[1], vertices[1], size[1]);
  return (double)oracleDistance(&a, &b, 0);
}

typedef struct Tally {
  int answers, contacts, wrong;
} Tally;

static void askWorld(brinkWorld *world, const brinkBodyId *body, const double *size, int number, const char *what,
                     Tally *tally) {
  brinkColliderId collider[THINGS];
  double smallest = 1e9;
  for (int k = 0; k < THINGS; ++k) {
    collider[k] = newCollider(world, body[k], newTetrahedron(world, size[k], (number + k) % 2), at(0, 0, 0));
    smallest = fmin(smallest, size[k]);
  }
  double eps = 1e-4 * smallest;
  for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
    brinkQuery query = wholeStep();
    query.mode = brink_modePairs;
    query.scheme = scheme;
    query.tolerance = eps;
    brinkReport report = ask(world, &query);
    brinkContact contacts[THINGS * THINGS];
    size_t count = report.contactCount;
    if (count > 0)
      memcpy(contacts, report.contacts, count * sizeof *contacts); /* bodyPose may change what the world owns */
    for (int i = 0; i < THINGS; ++i)
      for (int j = i + 1; j < THINGS; ++j) {
        const brinkBodyId pair[2] = {body[i], body[j]};
        const double sizes[2] = {size[i], size[j]};
        uint32_t state = brink_free;
        double toi = 2;
        for (size_t k = 0; k < count; ++k)
          if (contacts[k].colliderA == collider[i] && contacts[k].colliderB == collider[j]) {
            state = contacts[k].state;
            toi = contacts[k].toi;
          }
        double touched = INFINITY;
        for (int s = 0; s <= SAMPLES && touched > 1; ++s)
          if (distanceAt(world, pair, sizes, (double)s / SAMPLES) <= 0) touched = (double)s / SAMPLES;
        bool good = state == brink_free ? touched > 1 : state != brink_unresolved && toi <= touched;
        double gap = state == brink_free ? 0 : distanceAt(world, pair, sizes, fmin(toi, 1));
        good = good && gap <= eps * (1 + 1e-6);
        if (!good)
          print_message("%s case %d scheme %u pair %d %d: state %u toi %.17g, touched %.17g, gap there %.3g of %.3g\n",
                        what, number, scheme, i, j, state, toi, touched, gap, eps);
        tally->wrong += !good;
        tally->contacts += state != brink_free;
        ++tally->answers;
      }
  }
}

CASE(every_kind_of_motion_meets_when_the_oracle_says) {
  static const char *const names[] = {"rest", "poses", "velocities", "screw", "odeStep", "spline", "bezier", "user"};
  for (uint32_t kind = brink_motionVelocities; kind <= brink_motionUser; ++kind) {
    Random generator = {kind}, *random = &generator;
    Tally tally = {0};
    for (int n = 0; n < 40; ++n) {
      brinkWorld *world = newWorld(NULL);
      brinkBodyId body[THINGS];
      double size[THINGS];
      Store stores[THINGS];
      for (int k = 0; k < THINGS; ++k) {
        body[k] = newBody(world, 0, at(0, 0, 0));
        brinkBodyMotion motion = randomMotion(random, kind, 1.2, &stores[k]);
        ASSERT_OK(world, api()->setBodyMotion(world, body[k], &motion));
        size[k] = uniform(random, 0.1, 0.35);
      }
      askWorld(world, body, size, n, names[kind], &tally);
      ASSERT_OK(world, api()->destroyWorld(world));
    }
    print_message("%s: %d answers, %d contacts, %d wrong\n", names[kind], tally.answers, tally.contacts, tally.wrong);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.contacts > tally.answers / 20 && tally.contacts < tally.answers);
  }
}

CASE(trees_of_mixed_motions_meet_when_the_oracle_says) {
  Random generator = {77}, *random = &generator;
  Tally tally = {0};
  for (int n = 0; n < 80; ++n) {
    brinkWorld *world = newWorld(NULL);
    brinkBodyId body[MAX_BODIES];
    Store stores[MAX_BODIES];
    int count = 3 + n % (MAX_BODIES - 2);
    for (int k = 0; k < count; ++k) {
      int parent = k == 0 ? -1 : (int)uniform(random, -1, k);
      body[k] = newBody(world, parent >= 0 ? body[parent] : 0, at(0, 0, 0));
      uint32_t kind =
          brink_motionVelocities + (uint32_t)(nextBits(random) % (n % 2 ? 6 : 5)); /* every second without users */
      brinkBodyMotion motion = randomMotion(random, kind, 0.7, &stores[k]);
      ASSERT_OK(world, api()->setBodyMotion(world, body[k], &motion));
      if (parent < 0) continue;
      brinkJointDef joint = jointDef(body[parent], body[k], vec(0, 0, 0), vec(0, 0, 0));
      joint.flags = BRINK_JOINT_COLLIDE_CONNECTED;
      brinkJointId id;
      ASSERT_OK(world, api()->createJoint(world, &joint, &id));
    }
    double size[THINGS];
    for (int k = 0; k < THINGS; ++k) size[k] = uniform(random, 0.1, 0.3);
    askWorld(world, body + count - THINGS, size, n, "tree", &tally);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
  print_message("%d answers, %d contacts, %d wrong\n", tally.answers, tally.contacts, tally.wrong);
  assert_int_equal(tally.wrong, 0);
  assert_true(tally.contacts > tally.answers / 20);
}

/* ---- the same thing said twice */

static brinkReport askPair(const brinkBodyMotion *motion, uint32_t scheme, brinkVec3 obstacle) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, newShape(world, brink_box, vec(0.3, 0.2, 0.1)), at(0, 0, 0));
  newCollider(world, 0, newShape(world, brink_sphere, vec(0.2, 0, 0)), (brinkPose){obstacle, {1, 0, 0, 0}});
  ASSERT_OK(world, api()->setBodyMotion(world, body, motion));
  brinkQuery query = wholeStep();
  query.scheme = scheme;
  query.tolerance = 1e-9;
  brinkReport report = ask(world, &query);
  report.contacts = NULL;
  ASSERT_OK(world, api()->destroyWorld(world));
  return report;
}

CASE(kinds_that_say_the_same_give_the_same_answer) {
  Random generator = {5}, *random = &generator;
  int hits = 0;
  for (int n = 0; n < 200; ++n) {
    brinkPose start = {randomVector(random, 1), rotation(randomVector(random, 3))};
    brinkVec3 v = randomVector(random, 2), w = randomVector(random, 3), obstacle = randomVector(random, 0.7);
    brinkBodyMotion ode = velocitiesMotion(start, v, w), bezier = ode, plain = ode, screw = ode, spline = ode;
    Store stores[3];
    ode.kind = brink_motionOdeStep;
    odeControls(start, v, w, &stores[0]);
    bezier.kind = brink_motionBezier;
    bezier.path = &stores[0].path;
    /* sliding along its own axis: a screw through the body's origin; a spline of one piece with that turn */
    double angle = norm(w), slide = uniform(random, -2, 2);
    plain.velocity = times(slide / angle, w);
    stores[1].path = (brinkMotionPath){.structSize = sizeof(brinkMotionPath),
                                       .axisPoint = start.position,
                                       .axis = w,
                                       .angle = angle,
                                       .pitch = 2 * PI * slide / angle};
    screw.kind = brink_motionScrew;
    screw.path = &stores[1].path;
    brinkPose middle = {plus(start.position, times(0.5, plain.velocity)),
                        product(rotation(times(0.5, w)), start.rotation)};
    brinkPose end = {plus(start.position, plain.velocity), product(rotation(w), start.rotation)};
    const brinkMotionKey keys[3] = {
        {0, start, plain.velocity}, {0.5, middle, plain.velocity}, {1, end, plain.velocity}};
    stores[2].path = (brinkMotionPath){.structSize = sizeof(brinkMotionPath), .keys = keys, .keyCount = 3};
    spline.kind = brink_motionSpline;
    spline.path = &stores[2].path;
    for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
      brinkReport a = askPair(&ode, scheme, obstacle), b = askPair(&bezier, scheme, obstacle);
      assert_int_equal(a.state, b.state);
      ASSERT_NEAR(a.toi, b.toi, 1e-6);
      brinkReport c = askPair(&plain, scheme, obstacle), d = askPair(&screw, scheme, obstacle),
                  e = askPair(&spline, scheme, obstacle);
      assert_int_equal(c.state, d.state);
      assert_int_equal(c.state, e.state);
      ASSERT_NEAR(c.toi, d.toi, 1e-6);
      ASSERT_NEAR(c.toi, e.toi, 1e-6);
      hits += (a.state == brink_hit) + (c.state == brink_hit);
    }
  }
  print_message("%d hits\n", hits);
  assert_true(hits > 50);
}

CASE(many_turns_of_a_screw_hit_what_stands_in_the_thread) {
  /* a small ball on an arm of 1 m climbs 0.1 m a turn for 20 turns; an obstacle at height 1.05, opposite: turn 10.5 */
  for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
    brinkWorld *world = newWorld(NULL);
    brinkBodyId body = newBody(world, 0, at(0, 0, 0));
    newCollider(world, body, newShape(world, brink_sphere, vec(0.02, 0, 0)), at(0, 0, 0));
    newCollider(world, 0, newShape(world, brink_sphere, vec(0.02, 0, 0)), at(-1, 0, 1.05));
    brinkMotionPath path = {.structSize = sizeof path, .axis = {0, 0, 3}, .angle = 40 * PI, .pitch = 0.1};
    brinkBodyMotion motion = velocitiesMotion(at(1, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
    motion.kind = brink_motionScrew;
    motion.path = &path;
    ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
    brinkQuery query = wholeStep();
    query.scheme = scheme;
    brinkReport report = ask(world, &query);
    assert_int_equal(report.state, brink_hit);
    /* centres meet at 0.525; they touch 0.04 m before that, at 125.7 m per step */
    ASSERT_NEAR(report.toi, 0.525 - 0.04 / (40 * PI), 1e-6);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

/* The body goes along the path, and meets something. */
static brinkReport hitAlong(brinkWorld *world, brinkBodyId body, uint32_t kind, const brinkMotionPath *path,
                            uint32_t scheme) {
  brinkBodyMotion motion = {.structSize = sizeof motion, .kind = kind, .pose0 = at(0, 0, 0), .path = path};
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
  brinkQuery query = wholeStep();
  query.scheme = scheme;
  const brinkReport report = ask(world, &query);
  assert_int_equal(report.state, brink_hit);
  return report;
}

CASE(a_curve_of_unlike_weights_far_out_is_decided) {
  /* Along a line, u = c t/(1 - t + c t), from -1 to 1, 10 km from the origin. Rounding hides a nanometre there, not
   * what the weights' ratio makes of it. */
  const double far[3] = {6000, -8000, 0}, c = 8;
  for (uint32_t scheme = brink_schemeDefault; scheme <= brink_schemeSweptAxis; ++scheme) {
    brinkWorld *world = newWorld(NULL);
    brinkBodyId body = newBody(world, 0, at(0, 0, 0));
    newCollider(world, body, newShape(world, brink_sphere, vec(0.01, 0, 0)), at(0, 0, 0));
    newCollider(world, 0, newShape(world, brink_sphere, vec(0.01, 0, 0)), at(far[0], far[1], far[2]));
    double controls[3 * 12] = {0}, weights[3] = {1, c, c * c};
    for (int i = 0; i < 3; ++i)
      for (int row = 0; row < 3; ++row) {
        controls[12 * i + 5 * row] = 1;
        controls[12 * i + 4 * row + 3] = far[row] + (row == 0 ? i - 1 : 0);
      }
    brinkMotionPath path = {.structSize = sizeof path, .controls = controls, .weights = weights, .controlCount = 3};
    const brinkReport report = hitAlong(world, body, brink_motionBezier, &path, scheme);
    const double u = 0.49; /* 0.02 m before the middle */
    ASSERT_NEAR(report.toi, u / (u + c * (1 - u)), 1e-7);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

CASE(a_short_piece_of_a_spline_makes_no_contact_early) {
  /* 7 m and half a turn in 2e-6 of the step, 4e6 m and 1.6e6 rad per step: what rounding hides goes with the way and
   * the angle themselves, not with such rates. */
  brinkWorld *world = newWorld(NULL);
  newCollider(world, 0, newShape(world, brink_sphere, vec(1, 0, 0)), at(0, 0, 0));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  newCollider(world, body, newShape(world, brink_sphere, vec(1, 0, 0)), at(0, 0, 0));
  brinkMotionKey keys[4] = {{0, at(7, 0, 10), {0, 0, 0}},
                            {2e-6, at(0, 0, 8), {0, 0, -6}},
                            {0.75, at(0, 0, 3.5), {0, 0, -6}},
                            {1, at(0, 0, 2), {0, 0, -6}}};
  keys[0].pose.rotation = (brinkQuat){0, 1, 0, 0};
  brinkMotionPath path = {.structSize = sizeof path, .keys = keys, .keyCount = 4};
  const double heights[] = {1.9, 1.5, 0.5};
  for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i)
    for (uint32_t scheme = brink_schemePaper; scheme <= brink_schemeSweptAxis; ++scheme) {
      keys[3].pose.position.z = heights[i];
      const brinkReport report = hitAlong(world, body, brink_motionSpline, &path, scheme);
      const brinkVec3 p = poseOf(world, body, report.toi).position;
      double gap = sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - 2;
      if (!(gap >= 0 && gap <= 1e-6)) fail_msg("scheme %u: %.3g m apart at the contact's time", scheme, gap);
    }
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* ---- bodies that move alone */

CASE(a_body_that_moves_alone_leaves_its_joints) {
  for (int alone = 0; alone < 2; ++alone) {
    brinkWorld *world = newWorld(NULL);
    brinkBodyId a = newBody(world, 0, at(0, 0, 0)), b = newBody(world, 0, at(2, 0, 0));
    newJoint(world, a, b, vec(1, 0, 0), vec(-1, 0, 0));
    brinkBodyMotion turnA = posesMotion(at(0, 0, 0), (brinkPose){{0, 0, 0}, rotation(vec(0, 0, 2))});
    brinkPose end = chain(turnA.pose1, at(2, 0, 0));
    brinkBodyMotion moveB = posesMotion(at(2, 0, 0), end);
    moveB.flags = alone ? BRINK_MOTION_ALONE : 0;
    ASSERT_OK(world, api()->setBodyMotion(world, a, &turnA));
    ASSERT_OK(world, api()->setBodyMotion(world, b, &moveB));
    brinkPose half = poseOf(world, b, 0.5);
    brinkVec3 straight = times(0.5, plus(vec(2, 0, 0), end.position)),
              round = turn(rotation(vec(0, 0, 1)), vec(2, 0, 0));
    ASSERT_NEAR(norm(minus(half.position, alone ? straight : round)), 0.0, 1e-12);
    brinkQuery query = wholeStep();
    brinkReport report = ask(world, &query);
    assert_int_equal(report.counters.cutJoints, 0);
    moveB.flags ^= BRINK_MOTION_ALONE; /* and back again */
    ASSERT_OK(world, api()->setBodyMotion(world, b, &moveB));
    half = poseOf(world, b, 0.5);
    ASSERT_NEAR(norm(minus(half.position, alone ? round : straight)), 0.0, 1e-12);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

CASE(ode_steps_end_where_ode_would_have_put_the_body) {
  Random generator = {9}, *random = &generator;
  brinkWorld *world = newWorld(NULL);
  brinkBodyId parent = newBody(world, 0, at(1, 2, 3)), body = newBody(world, parent, at(0, 0, 0));
  for (int n = 0; n < 200; ++n) {
    brinkPose start = {randomVector(random, 1), rotation(randomVector(random, 3))};
    brinkBodyMotion motion = velocitiesMotion(start, randomVector(random, 1), randomVector(random, 9));
    motion.kind = brink_motionOdeStep;
    ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
    brinkVec3 w = motion.spin;
    brinkQuat d = product((brinkQuat){0, w.x, w.y, w.z}, start.rotation), q = start.rotation;
    q = (brinkQuat){q.w + d.w / 2, q.x + d.x / 2, q.y + d.y / 2, q.z + d.z / 2};
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    q = (brinkQuat){q.w / length, q.x / length, q.y / length, q.z / length};
    brinkPose want = chain(at(1, 2, 3), (brinkPose){plus(start.position, motion.velocity), q});
    ASSERT_NEAR(poseError(poseOf(world, body, 1), want), 0.0, 1e-14);
    ASSERT_NEAR(poseError(poseOf(world, body, 0), chain(at(1, 2, 3), start)), 0.0, 1e-14);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* ---- refusals, old hosts, memory */

static void nonsensePose(void *user, double t, brinkMotionState *out) {
  const double *from = user;
  if (t >= *from) out->pose.position.x = (double)NAN;
}

static void steadyBound(void *user, double t0, double t1, brinkMotionBound *out) {
  (void)user;
  (void)t0;
  (void)t1;
  out->speed = out->turnRate = 1;
}

static void lostBound(void *user, double t0, double t1, brinkMotionBound *out) {
  (void)user;
  (void)t0;
  (void)t1;
  (void)out; /* nothing is known */
}

CASE(bad_motions_are_refused_and_change_nothing) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  brinkBodyMotion good = velocitiesMotion(at(1, 0, 0), vec(2, 0, 0), vec(0, 0, 1));
  ASSERT_OK(world, api()->setBodyMotion(world, body, &good));
  brinkMotionPath path = {.structSize = sizeof path, .axis = {0, 0, 1}, .angle = 1};
  brinkBodyMotion motion = good;
  motion.path = &path;
#define REFUSED(status) ASSERT_STATUS(world, api()->setBodyMotion(world, body, &motion), (status))
  motion.kind = brink_motionUser + 1;
  REFUSED(brink_errorBadValue);
  motion.kind = brink_motionScrew;
  path.axis.z = 0;
  REFUSED(brink_errorBadValue);
  path.axis.z = 1;
  path.angle = (double)NAN;
  REFUSED(brink_errorBadValue);
  path.angle = 1;
  path.pitch = HUGE_VAL;
  REFUSED(brink_errorBadValue);
  path.structSize = 8;
  REFUSED(brink_errorVersion);
  motion.path = NULL;
  REFUSED(brink_errorNullArgument);

  motion.kind = brink_motionSpline;
  brinkMotionKey keys[3] = {{0, at(0, 0, 0), {0, 0, 0}}, {0.5, at(1, 0, 0), {0, 0, 0}}, {1, at(2, 0, 0), {0, 0, 0}}};
  path = (brinkMotionPath){.structSize = sizeof path, .keys = keys, .keyCount = 1};
  motion.path = &path;
  REFUSED(brink_errorBadValue);
  path.keyCount = 3;
  keys[1].time = 0;
  REFUSED(brink_errorBadTime);
  keys[1].time = 0.5;
  keys[2].time = 0.9;
  REFUSED(brink_errorBadTime);
  keys[2].time = 1;
  keys[1].slope.y = (double)NAN;
  REFUSED(brink_errorBadValue);
  keys[1].slope.y = 0;
  keys[1].pose.rotation.w = 0;
  REFUSED(brink_errorBadRotation);

  motion.kind = brink_motionBezier;
  Store store;
  odeControls(at(0, 0, 0), vec(1, 0, 0), vec(0, 0, 1), &store);
  motion.path = &store.path;
  store.weights[2] = 0;
  REFUSED(brink_errorBadValue);
  store.weights[2] = 1;
  REFUSED(brink_errorBadRotation);
  store.path.controlCount = 10;
  REFUSED(brink_errorBadValue);
  store.path.weights = NULL;
  REFUSED(brink_errorNullArgument);

  motion.kind = brink_motionUser;
  double from = 0;
  path = (brinkMotionPath){.structSize = sizeof path, .user = &from, .poseAt = nonsensePose};
  motion.path = &path;
  REFUSED(brink_errorNullArgument);
  path.boundOver = steadyBound;
  REFUSED(brink_errorBadValue);
  from = 2;
  path.boundOver = lostBound;
  REFUSED(brink_errorBadValue);
#undef REFUSED
  ASSERT_NEAR(poseOf(world, body, 1).position.x, 3.0, 0.0);

  /* One that turns to nonsense on the way fails the query, not the host. */
  newCollider(world, body, newShape(world, brink_sphere, vec(0.1, 0, 0)), at(0, 0, 0));
  newCollider(world, 0, newShape(world, brink_sphere, vec(0.1, 0, 0)), at(0.5, 0, 0));
  path.boundOver = steadyBound;
  from = 0.25;
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
  brinkQuery query = wholeStep();
  brinkReport report;
  memset(&report, 0, sizeof report);
  report.structSize = sizeof report;
  ASSERT_STATUS(world, api()->firstContact(world, &query, &report), brink_errorBadValue);
  ASSERT_OK(world, api()->setBodyMotion(world, body, &good));
  ASSERT_OK(world, api()->firstContact(world, &query, &report));
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(motions_of_the_first_abi_are_understood) {
  brinkWorld *world = newWorld(NULL);
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  brinkBodyMotion motion = velocitiesMotion(at(1, 0, 0), vec(2, 0, 0), vec(0, 0, 0));
  motion.structSize = offsetof(brinkBodyMotion, path);
  memset(&motion.path, 0x5a, sizeof motion.path); /* not Brink's to read */
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
  ASSERT_NEAR(poseOf(world, body, 1).position.x, 3.0, 0.0);
  motion.kind = brink_motionScrew;
  ASSERT_STATUS(world, api()->setBodyMotion(world, body, &motion), brink_errorNullArgument);
  motion.structSize = 12;
  ASSERT_STATUS(world, api()->setBodyMotion(world, body, &motion), brink_errorVersion);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(motions_give_back_their_memory_and_ode_steps_take_none) {
  Memory memory = {0};
  brinkHost host = countingHost(&memory);
  brinkWorld *world = newWorld(&host);
  Random generator = {3}, *random = &generator;
  brinkBodyId body[2] = {newBody(world, 0, at(0, 0, 0)), newBody(world, 0, at(0, 0, 0))};
  brinkShapeId ball = newShape(world, brink_sphere, vec(0.2, 0, 0));
  for (int k = 0; k < 2; ++k) newCollider(world, body[k], ball, at(0, 0, 0));
  Store stores[2];
  brinkQuery query = wholeStep();
  for (int n = 0; n < 60; ++n) {
    for (int k = 0; k < 2; ++k) {
      brinkBodyMotion motion =
          randomMotion(random, brink_motionVelocities + (uint32_t)(nextBits(random) % 6), 1, &stores[k]);
      ASSERT_OK(world, api()->setBodyMotion(world, body[k], &motion));
    }
    ask(world, &query);
  }
  uint64_t requests = 0;
  for (int n = 0; n < 50; ++n) {
    for (int k = 0; k < 2; ++k) {
      brinkBodyMotion motion = randomMotion(random, brink_motionOdeStep, 1, &stores[k]);
      ASSERT_OK(world, api()->setBodyMotion(world, body[k], &motion));
    }
    ask(world, &query);
    if (n == 10) requests = memory.requests;
  }
  assert_int_equal(memory.requests, requests);
  for (uint32_t kind = brink_motionScrew; kind <= brink_motionUser; ++kind)
    for (uint64_t fail = 1; fail <= 2; ++fail) {
      brinkBodyMotion rest = velocitiesMotion(at(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0));
      ASSERT_OK(world, api()->setBodyMotion(world, body[0], &rest));
      brinkBodyMotion motion = randomMotion(random, kind, 1, &stores[0]);
      memory.failAt = memory.requests + fail;
      brinkStatus status = api()->setBodyMotion(world, body[0], &motion);
      memory.failAt = 0;
      assert_true(status == brink_errorNoMemory || (fail == 2 && status == brink_ok));
    }
  ASSERT_OK(world, api()->destroyBody(world, body[0]));
  ASSERT_OK(world, api()->destroyWorld(world));
  assert_int_equal(memory.blocks, 0);
  assert_int_equal(memory.bytes, 0);
}

int main(void) { return cases_Run(NULL, NULL); }
