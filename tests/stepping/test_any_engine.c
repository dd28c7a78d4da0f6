/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the step know any engine? A toy engine of balls, with impulses one after another and contacts that it finds
 * where surfaces touch at a step's start, gives the stepper the table that it asks for, and nothing else of Brink's but
 * brink/ccd.h. Alone it lets fast balls through thin walls; stepped by plugin/stepping it does not. Balls have a spin,
 * but it is not seen. Units: m, s, kg. */
#include "cases.h"
#include "explain.h"
#include "foresee.h"
#include "motion.h"
#include "plugin_support.h"
#include "stepper.h"

enum { MOST = 24, MOST_CONTACTS = 256, SWEEPS = 400 };
#define RADIUS 0.1
#define WALL 0.005 /* m, half of its thickness; it stands at x = 0 */
#define H (1.0 / 60)

/* A state as an engine may lay it out. */
typedef struct Ball {
  double position[3], quaternion[4], linear[3], angular[3], force[3], torque[3], mass; /* inertia 1 */
  bool on;
} Ball;

typedef struct Contact {
  int a, b; /* balls; -1: the wall */
  double normal[3], apart;
  bool on, own; /* own: the stepper's */
} Contact;

typedef struct Engine {
  Ball balls[MOST];
  int count;
  double gravity, bounce;
  Contact contacts[MOST_CONTACTS];
  int contactCount, listed;
  bool rods;  /* each even ball and the next one keep their distance */
  bool keeps; /* all pairs are kept apart */
  bool seen;  /* its spin is told; whole turns a step, as no ball is turned */
  double part;
  /* what the program does when it is asked */
  bool silent, breaks, blind; /* blind: its colliders see nothing of what is struck */
  bool hides;                 /* the program is never asked about what waits */
  int ghosts;                 /* the program makes no contacts of the first balls */
  int asked, solves, solvedBalls;
  int looks; /* at all bodies */
  /* what was told */
  int impacts[4];
  char words[512];
  brinkWorld *world; /* NULL: plain */
  brinkStepper step;
} Engine;

/* ---- the engine */

static void addContact(Engine *engine, int a, int b, const double normal[3], double apart, bool own) {
  assert_true(engine->contactCount < MOST_CONTACTS);
  Contact *contact = &engine->contacts[engine->contactCount++];
  *contact = (Contact){.a = a, .b = b, .apart = apart, .on = true, .own = own};
  memcpy(contact->normal, normal, sizeof contact->normal);
}

static double along(const double *v, const double *n) { return v[0] * n[0] + v[1] * n[1] + v[2] * n[2]; }

/* From a to b; the distance of their surfaces. */
static double gapOf(const Engine *engine, int a, int b, double normal[3]) {
  const double *p = engine->balls[a].position;
  double way[3] = {-p[0], 0, 0};
  for (int i = 0; b >= 0 && i < 3; ++i) way[i] = engine->balls[b].position[i] - p[i];
  double length = sqrt(along(way, way));
  for (int i = 0; i < 3; ++i) normal[i] = way[i] / length;
  return length - RADIUS - (b >= 0 ? RADIUS : WALL);
}

static void collide(Engine *engine) {
  double normal[3];
  for (int a = 0; a < engine->count; ++a) {
    for (int b = -1; b < a; ++b) {
      if (gapOf(engine, a, b, normal) <= 0 && a >= engine->ghosts) addContact(engine, a, b, normal, 0, false);
    }
  }
}

/* A row J v >= apart, or bounces, or of a rod J v = 0. */
static void solveRow(Engine *engine, int a, int b, const double n[3], double target, bool both) {
  Ball *first = &engine->balls[a], *second = b >= 0 ? &engine->balls[b] : NULL;
  double parting = (second != NULL ? along(second->linear, n) : 0) - along(first->linear, n);
  double yields = (first->on ? 1 / first->mass : 0) + (second != NULL && second->on ? 1 / second->mass : 0);
  if (yields == 0 || (parting >= target && !both)) return;
  double impulse = (target - parting) / yields;
  for (int i = 0; i < 3; ++i) {
    if (first->on) first->linear[i] -= impulse / first->mass * n[i];
    if (second != NULL && second->on) second->linear[i] += impulse / second->mass * n[i];
  }
}

static void solve(Engine *engine, double seconds) {
  double targets[MOST_CONTACTS], normal[3];
  for (int i = 0; i < engine->count; ++i) {
    Ball *ball = &engine->balls[i];
    for (int k = 0; ball->on && k < 3; ++k) {
      ball->linear[k] += seconds * ball->force[k] / ball->mass;
      ball->angular[k] += seconds * ball->torque[k];
    }
    if (ball->on) ball->linear[2] -= seconds * engine->gravity;
  }
  for (int k = 0; k < engine->contactCount; ++k) {
    const Contact *contact = &engine->contacts[k];
    double parting = (contact->b >= 0 ? along(engine->balls[contact->b].linear, contact->normal) : 0) -
                     along(engine->balls[contact->a].linear, contact->normal);
    targets[k] = contact->own ? contact->apart : fmax(0, -engine->bounce * parting);
  }
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    for (int k = 0; k < engine->contactCount; ++k) {
      const Contact *contact = &engine->contacts[k];
      if (contact->on) solveRow(engine, contact->a, contact->b, contact->normal, targets[k], false);
    }
    for (int a = 0; engine->rods && a + 1 < engine->count; a += 2) {
      (void)gapOf(engine, a, a + 1, normal);
      solveRow(engine, a, a + 1, normal, 0, true);
    }
  }
  for (int i = 0; i < engine->count; ++i) {
    for (int k = 0; engine->balls[i].on && k < 3; ++k)
      engine->balls[i].position[k] += seconds * engine->balls[i].linear[k];
  }
  engine->solves++;
}

/* ---- what the stepper asks */

static Ball *ballOf(void *user, uint32_t body) { return &((Engine *)user)->balls[body]; }

static void readState(void *user, uint32_t body, brinkStepState *state) {
  const Ball *ball = ballOf(user, body);
  memcpy(state->position, ball->position, sizeof state->position);
  memcpy(state->quaternion, ball->quaternion, sizeof state->quaternion);
  memcpy(state->linear, ball->linear, sizeof state->linear);
  memcpy(state->angular, ball->angular, sizeof state->angular);
  brinkStepRotationOf(ball->quaternion, state->rotation);
}
static void writeState(void *user, uint32_t body, const brinkStepState *state) {
  Ball *ball = ballOf(user, body);
  memcpy(ball->position, state->position, sizeof state->position);
  memcpy(ball->quaternion, state->quaternion, sizeof state->quaternion);
  memcpy(ball->linear, state->linear, sizeof state->linear);
  memcpy(ball->angular, state->angular, sizeof state->angular);
}
static void readEnd(void *user, uint32_t body) {
  const Engine *engine = user;
  brinkStepBody *record = &((Engine *)user)->step.bodies[body];
  readState(user, body, &record->end);
  for (int k = 0; k < 3; ++k) record->spin[k] = engine->seen ? engine->part * H * engine->balls[body].angular[k] : 0;
}
static void readForces(void *user, uint32_t body, double forces[6]) {
  memcpy(forces, ballOf(user, body)->force, 6 * sizeof *forces);
}
static void writeForces(void *user, uint32_t body, const double forces[6]) {
  memcpy(ballOf(user, body)->force, forces, 6 * sizeof *forces);
}
static void takeBackForces(void *user, uint32_t body, double seconds, brinkStepState *state) {
  const Ball *ball = ballOf(user, body);
  const double *q = state->quaternion; /* a state has a pose of its body's, for torques */
  ASSERT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-9);
  for (int k = 0; k < 3; ++k) {
    state->linear[k] -= seconds * ball->force[k] / ball->mass;
    state->angular[k] -= seconds * ball->torque[k];
  }
  state->linear[2] += seconds * ((Engine *)user)->gravity;
}
static void giveBackDamping(void *user, uint32_t body, double tau, brinkStepState *state) {
  (void)user, (void)body, (void)tau, (void)state; /* it has none */
}
static double angularDamping(void *user, uint32_t body) {
  (void)user, (void)body;
  return 0;
}
static double pushOf(void *user, uint32_t body, const double arm[3], const double normal[3], double linear[3],
                     double angular[3]) {
  (void)arm;
  for (int k = 0; k < 3; ++k) linear[k] = normal[k] / ballOf(user, body)->mass, angular[k] = 0;
  return 1 / ballOf(user, body)->mass;
}
static void weigh(void *user, uint32_t body, const brinkStepState *at, brinkStepWeight *out) {
  (void)at;
  const double *v = ballOf(user, body)->linear;
  *out = (brinkStepWeight){.mass = ballOf(user, body)->mass};
  out->energy = out->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}
static double yieldOf(void *user, uint32_t body) { return 1 / ballOf(user, body)->mass; }

static bool nextLink(void *user, uint32_t body, int *at, brinkStepLink *link) {
  const Engine *engine = user;
  *link = (brinkStepLink){.body = body ^ 1u, .joint = body / 2 < engine->step.jointCount ? body / 2 : BRINK_NO_RECORD};
  if (*at == 0) {
    ++*at;
    if (engine->rods && (int)link->body < engine->count) return true;
  }
  link->isContact = true, link->joint = BRINK_NO_RECORD;
  while (*at <= engine->contactCount) {
    const Contact *contact = &engine->contacts[(*at)++ - 1];
    if (contact->on && (contact->a == (int)body || contact->b == (int)body)) {
      int other = contact->a == (int)body ? contact->b : contact->a;
      link->body = other >= 0 ? (uint32_t)other : BRINK_NO_RECORD;
      return true;
    }
  }
  return false;
}
static bool joined(void *user, uint32_t a, uint32_t b) { return ((Engine *)user)->rods && (a ^ 1u) == b; }

/* Collider i is ball i; the last one is the wall. */
static int ballOfCollider(const Engine *engine, uint32_t collider) {
  return (int)collider < engine->count ? (int)collider : -1;
}
static bool isOf(const Engine *engine, const Contact *contact, brinkStepPair pair) {
  int a = ballOfCollider(engine, pair.a), b = ballOfCollider(engine, pair.b);
  return (contact->a == a && contact->b == b) || (contact->a == b && contact->b == a);
}
static brinkStepSay answers(void *user, brinkStepPair pair) {
  (void)user, (void)pair;
  return brink_stepAnswers;
}
static bool keptApart(void *user, brinkStepPair pair) {
  (void)pair;
  return ((Engine *)user)->keeps;
}
static bool hasContact(void *user, brinkStepPair pair, double *friction) {
  *friction = 0;
  const Engine *engine = user;
  bool found = false;
  for (int k = 0; k < engine->contactCount; ++k) found = found || isOf(engine, &engine->contacts[k], pair);
  return found;
}
static bool touches(void *user, brinkStepPair pair) {
  const Engine *engine = user;
  int a = ballOfCollider(engine, pair.a), b = ballOfCollider(engine, pair.b);
  double normal[3];
  return gapOf(engine, a < 0 ? b : a, a < 0 ? a : b, normal) <= 0 && !engine->hides;
}
static bool collides(void *user, brinkStepPair pair) {
  (void)user, (void)pair;
  return true;
}
static int renewCollider(void *user, uint32_t collider) {
  (void)user, (void)collider;
  return 1;
}
static bool isGathered(const Engine *engine, int ball) {
  return ball >= 0 && brinkStepIsGathered(&engine->step, (uint32_t)ball);
}
static bool isOn(void *user, uint32_t ball) { return ((Engine *)user)->balls[ball].on; }
static void wake(void *user, uint32_t ball) { ((Engine *)user)->balls[ball].on = true; }
static bool listContacts(void *user) {
  Engine *engine = user;
  engine->listed = engine->contactCount;
  return true;
}
static void putAside(void *user) {
  Engine *engine = user;
  for (int k = 0; k < engine->listed; ++k) {
    Contact *contact = &engine->contacts[k];
    if (isGathered(engine, contact->a) || isGathered(engine, contact->b)) contact->on = false;
  }
}
static bool putAsideNew(void *user, brinkStepPair pair) {
  Engine *engine = user;
  for (int k = engine->listed; k < engine->contactCount; ++k) {
    Contact *contact = &engine->contacts[k];
    if (!contact->own && isOf(engine, contact, pair)) contact->on = false;
  }
  return true;
}
static void makeContact(Engine *engine, brinkStepPair pair, const double normal[3], double apart, bool own) {
  int a = ballOfCollider(engine, pair.a), b = ballOfCollider(engine, pair.b);
  double n[3] = {normal[0], normal[1], normal[2]};
  for (int k = 0; a < 0 && k < 3; ++k) n[k] = -n[k];
  addContact(engine, a < 0 ? b : a, a < 0 ? a : b, n, apart, own);
}
static int askContacts(void *user, const brinkStepImpact *impact) {
  Engine *engine = user;
  engine->asked++;
  if (engine->breaks) engine->step.worldChanged = true;
  if (engine->blind) return BRINK_STEP_UNSEEN;
  if (!engine->silent) makeContact(engine, impact->pair, impact->normal, 0, false);
  return engine->silent ? 0 : BRINK_STEP_MADE;
}
/* The balls stand where the stepper has put them. */
static size_t contactPoints(void *user, brinkStepPair pair, double margin, brinkContactPoint *points, size_t most) {
  const Engine *engine = user;
  int a = ballOfCollider(engine, pair.a), b = ballOfCollider(engine, pair.b);
  double normal[3], gap = gapOf(engine, a < 0 ? b : a, a < 0 ? a : b, normal);
  const double *p = engine->balls[a < 0 ? b : a].position, sign = a < 0 ? -1 : 1;
  if (gap > margin || most < 1) return 0;
  points[0] = (brinkContactPoint){.separation = gap};
  points[0].position = vec(p[0] + RADIUS * normal[0], p[1] + RADIUS * normal[1], p[2] + RADIUS * normal[2]);
  points[0].normal = vec(sign * normal[0], sign * normal[1], sign * normal[2]);
  return 1;
}
static void askOthers(void *user) {
  Engine *engine = user;
  for (size_t i = 0; i < engine->step.pairs.nearCount; ++i) {
    brinkStepPair pair = engine->step.pairs.nearPairs[i];
    double normal[3];
    int a = ballOfCollider(engine, pair.a), b = ballOfCollider(engine, pair.b);
    if ((isGathered(engine, a) || isGathered(engine, b)) && gapOf(engine, a < 0 ? b : a, a < 0 ? a : b, normal) <= 0)
      addContact(engine, a < 0 ? b : a, a < 0 ? a : b, normal, 0, false);
  }
}
static void addOwn(void *user, const brinkStepContact *contact) {
  makeContact(user, contact->pair, contact->normal, contact->apart, true);
}
static bool looksChanged(void *user, const uint32_t *bodies, size_t count) {
  ((Engine *)user)->looks += bodies == NULL;
  (void)count;
  return ((Engine *)user)->step.worldChanged;
}
static int refresh(void *user) {
  (void)user;
  return 1;
}
static bool solvePart(void *user, double tau, bool again) {
  (void)again;
  Engine *engine = user;
  bool on[MOST];
  for (int i = 0; i < engine->count; ++i) {
    on[i] = engine->balls[i].on;
    engine->balls[i].on = on[i] && isGathered(engine, i);
  }
  solve(engine, (1 - tau) * H);
  for (int i = 0; i < engine->count; ++i) engine->balls[i].on = on[i];
  engine->part = 1 - tau;
  for (size_t i = 0; i < engine->step.island.gatheredCount; ++i) readEnd(user, engine->step.island.gathered[i]);
  engine->solvedBalls += (int)engine->step.island.gatheredCount;
  return true;
}
static void endSolves(void *user) {
  const Engine *engine = user;
  for (int i = 0; i < engine->count; ++i) assert_true(engine->balls[i].on);
}
static void writeCollider(void *user, uint32_t collider, brinkStepText *out) {
  brinkStepAppend(out, "shape %u other\ncollider %u -1 0 0 0 1 0 0 0 1 1 0.1\n", collider, collider);
  (void)user;
}
static void say(void *user, brinkLogLevel level, const char *text) {
  if (level == brink_logError) snprintf(((Engine *)user)->words, sizeof((Engine *)user)->words, "%s", text);
}

static const brinkStepHost toy = {
    readState,       writeState,     readEnd,       readForces,  writeForces, takeBackForces,
    giveBackDamping, angularDamping, pushOf,        weigh,       yieldOf,     nextLink,
    joined,          answers,        keptApart,     hasContact,  touches,     collides,
    renewCollider,   listContacts,   putAside,      putAsideNew, askContacts, askOthers,
    contactPoints,   addOwn,         looksChanged,  refresh,     isOn,        wake,
    solvePart,       endSolves,      writeCollider, say,         "",          ""};

/* ---- who listens */

static bool never(const void *user) {
  (void)user;
  return false;
}
static void hearAnswer(void *user, const brinkReport *report) { (void)user, (void)report; }
static bool hearImpact(void *user, const brinkStepImpact *impact, int response) {
  ((Engine *)user)->impacts[response]++;
  (void)impact;
  return true;
}
static const brinkStepListener listener = {never, hearAnswer, hearImpact};

/* ---- the mirror: all there is, told once */

static void tellCollider(Engine *engine, uint32_t number, brinkBodyId body, brinkShapeId shape, double allowance) {
  brinkStepper *step = &engine->step;
  brinkColliderDef def = colliderDef(body, shape, at(0, 0, 0));
  brinkStepCollider record = {.geom = &engine->words[number], .body = body != 0 ? number : BRINK_NO_RECORD};
  def.userData = number;
  def.allowance = record.allowance = allowance;
  record.flags = body != 0 ? BRINK_STEP_ROUND : 0;
  record.kind = body != 0 ? "ball" : "wall";
  ASSERT_OK(engine->world, api()->createCollider(engine->world, &def, &record.collider));
  assert_true(brinkStepSetCollider(step, number, &record));
}

static void mirror(Engine *engine) {
  brinkStepper *step = &engine->step;
  engine->world = newWorld(NULL);
  step->plugin = api();
  step->world = engine->world;
  step->steps = api()->getExtension(BRINK_STEPS_NAME);
  step->host = &toy;
  step->told = &listener;
  step->user = engine;
  step->settings = (struct brinkStepSettings){.mode = brink_stepAdvance, .maxSubsteps = 8, .allowanceCap = INFINITY};
  step->layout = (brinkStepLayout){3, 7, 10, 13, 16};
  step->steps->setSink(engine->world, brinkStepSinkPair, step);
  brinkShapeId ball = newShape(engine->world, brink_sphere, vec(RADIUS, 0, 0));
  brinkShapeId wall = newShape(engine->world, brink_box, vec(WALL, 20, 20));
  for (int i = 0; i < engine->count; ++i) {
    Ball *own = &engine->balls[i];
    assert_int_equal(brinkStepAddBody(step, own, own->position), i);
    brinkStepBody *record = &step->bodies[i];
    record->dynamic = step->hotData[i].dynamic = true;
    tellCollider(engine, (uint32_t)i, record->id, ball, 0.05 * 2 * RADIUS);
  }
  tellCollider(engine, (uint32_t)engine->count, 0, wall, 0.05 * 2 * WALL);
  brinkStepEndMirror(step);
}

static void end(Engine *engine) {
  if (engine->world == NULL) return;
  brinkStepFree(&engine->step);
  ASSERT_OK(engine->world, api()->destroyWorld(engine->world));
}

/* One step of the engine; with the stepper around it. */
static int step(Engine *engine) {
  int done = 1;
  engine->contactCount = 0;
  if (engine->world != NULL) {
    brinkStepBegin(&engine->step, H, true);
    for (int i = 0; i < engine->count; ++i)
      done = done && !(brinkStepReadStart(&engine->step, (uint32_t)i) & BRINK_STEP_UNFIT);
  }
  collide(engine);
  if (engine->world != NULL) brinkStepBeginSilence(&engine->step);
  solve(engine, H);
  engine->part = 1;
  if (engine->world != NULL) {
    done = brinkStepReadMotions(&engine->step) && brinkStepFollowImpacts(&engine->step);
    brinkStepEnd(&engine->step);
  }
  return done;
}

/* ---- scenes */

static void addBall(Engine *engine, double x, double y, double z, double vx, double vy, double vz) {
  Ball *ball = &engine->balls[engine->count++];
  *ball = (Ball){.position = {x, y, z}, .quaternion = {1, 0, 0, 0}, .linear = {vx, vy, vz}, .mass = 1, .on = true};
}

static double energyOf(const Engine *engine) {
  double sum = 0;
  for (int i = 0; i < engine->count; ++i)
    sum += engine->balls[i].mass * along(engine->balls[i].linear, engine->balls[i].linear) / 2;
  return sum;
}

/* Balls flung at the wall from one side: how many are on the other one, or inside it, after all? */
static int through(uint64_t seed, double speed, bool stepped, bool rods) {
  Random random = {seed};
  Engine engine = {.rods = rods, .bounce = 0.5};
  for (int i = 0; i < 12; ++i) {
    addBall(&engine, -1.5 - 0.3 * (i / 2) - 0.22 * (i % 2), uniform(&random, -0.05, 0.05),
            uniform(&random, -0.05, 0.05), speed * uniform(&random, 0.7, 1), speed * uniform(&random, -0.05, 0.05), 0);
  }
  if (stepped) mirror(&engine);
  double most = energyOf(&engine);
  int count = 0;
  for (int n = 0; n < 30; ++n) {
    assert_true(step(&engine));
    if (stepped) assert_true(energyOf(&engine) <= most * (1 + 1e-9));
  }
  for (int i = 0; i < engine.count; ++i) count += engine.balls[i].position[0] > -RADIUS;
  if (stepped && speed > 10) assert_true(engine.impacts[brink_stepAdvanced] > 0 && engine.asked > 0);
  end(&engine);
  return count;
}

CASE(alone_the_engine_lets_balls_through) { assert_true(through(1, 60, false, false) > 6); }

CASE(stepped_no_ball_goes_through_a_thin_wall) {
  const double speeds[] = {3, 20, 60, 300, 3000};
  for (size_t s = 0; s < sizeof speeds / sizeof *speeds; ++s)
    for (uint64_t seed = 1; seed <= 6; ++seed)
      for (int rods = 0; rods < 2; ++rods) {
        int count = through(seed, speeds[s], true, rods != 0);
        if (count > 0) fail_msg("%d balls through at %g m/s, seed %d, rods %d", count, speeds[s], (int)seed, rods);
      }
}

/* Where nothing is struck the engine's result stays, bit for bit, and what is slow and far is not even asked about. */
CASE(what_is_not_struck_keeps_the_engines_bits) {
  Engine plain = {.gravity = 9.81}, stepped = {.gravity = 9.81};
  for (int i = 0; i < 6; ++i) {
    addBall(&plain, -3 - i, 0, i, 0.01 * i, 0, i == 5 ? -40 : 0);
    addBall(&stepped, -3 - i, 0, i, 0.01 * i, 0, i == 5 ? -40 : 0);
  }
  mirror(&stepped);
  for (int n = 0; n < 60; ++n) {
    assert_true(step(&plain) && step(&stepped));
    for (int i = 0; i < plain.count; ++i)
      assert_memory_equal(&plain.balls[i], &stepped.balls[i], offsetof(Ball, force));
  }
  assert_int_equal(stepped.solves, 60);
  end(&stepped);
  Engine still = {.gravity = 0};
  for (int i = 0; i < 6; ++i) addBall(&still, -3 - i, 0, 0, 1e-5, 0, 0);
  mirror(&still);
  for (int n = 0; n < 10; ++n) assert_true(step(&still));
  assert_int_equal((int)still.step.quiet.awakeCount, 0);
  end(&still);
}

/* A fast ball meets the first of two rows; the other row is no part of any change. */
CASE(an_impact_changes_its_own_island_alone) {
  Engine engine = {.bounce = 1}, alone = {.bounce = 1};
  addBall(&engine, -9, 0, 0, 100, 0, 0);
  for (int i = 0; i < 4; ++i) addBall(&engine, -8 + 0.21 * i, 0, 0, 0, 0, 0);
  for (int i = 0; i < 4; ++i) {
    addBall(&engine, -8 + 0.21 * i, 3, 0, 0, 4, 0);
    addBall(&alone, -8 + 0.21 * i, 3, 0, 0, 4, 0);
  }
  mirror(&engine);
  assert_true(step(&engine) && step(&alone));
  double momentum = 0;
  for (int i = 0; i < 5; ++i) momentum += engine.balls[i].linear[0];
  ASSERT_NEAR(momentum, 100, 1e-9);
  for (int i = 1; i < 5; ++i)
    assert_true(engine.balls[i].position[0] - engine.balls[i - 1].position[0] > 2 * RADIUS * 0.9);
  for (int i = 0; i < 4; ++i) assert_memory_equal(&engine.balls[5 + i], &alone.balls[i], offsetof(Ball, force));
  assert_true(engine.solves > 1 && engine.solvedBalls <= 5 * (engine.solves - 1));
  assert_true(engine.step.now.bodySolves == engine.solvedBalls); /* its work, which has an end */
  end(&engine);
}

/* Bodies that no impact moves are looked at no oftener than something is solved: N impacts in a world of N would cost
 * N^2 else. */
CASE(all_bodies_are_looked_at_once_a_solve) {
  Engine engine = {.bounce = 1};
  for (int i = 0; i < 12; ++i) addBall(&engine, -1 - 0.1 * i, i - 6, 0, 100, 0, 0);
  mirror(&engine);
  assert_true(step(&engine));
  assert_true(engine.impacts[brink_stepAdvanced] > 6);
  assert_true(engine.looks > 0 && engine.looks < engine.solves);
  end(&engine);
}

static int sinkings;

static brinkStatus countedSinking(brinkWorld *world, brinkColliderId a, brinkColliderId b, double local,
                                  brinkSinking *out) {
  const brinkStepsTable *steps = api()->getExtension(BRINK_STEPS_NAME);
  ++sinkings;
  return steps->sinking(world, a, b, local, out);
}

/* In a crowd something stands at its limit in most steps, somewhere. */
CASE(a_limit_elsewhere_costs_an_island_no_question) {
  Engine engine = {.bounce = 0};
  addBall(&engine, -RADIUS - WALL, 0, 0, 0, 0, 0);
  addBall(&engine, -RADIUS - WALL, 5, 0, 0, 0, 0);
  mirror(&engine);
  assert_true(step(&engine));
  brinkStepper *stepper = &engine.step;
  brinkStepsTable steps = *stepper->steps;
  steps.sinking = countedSinking;
  stepper->steps = &steps;
  assert_true(BRINK_STEP_RESERVE(stepper->pairs.atLimit, 1, stepper->pairs.atLimitCapacity));
  stepper->pairs.atLimit[0] = (brinkStepPlace){.contact.pair = {0, 2}};
  stepper->pairs.atLimitCount = 1;
  for (uint32_t together = 0; together < 2; ++together) { /* with the ball that stood at its limit, then */
    brinkStepBeginGathering(stepper);
    assert_true(brinkStepGather(stepper, 1) && (together == 0 || brinkStepGather(stepper, 0)));
    sinkings = 0;
    assert_true(brinkStepKeepsContacts(stepper, (brinkStepPair){1, 2}));
    assert_int_equal(sinkings, together);
  }
  end(&engine);
}

/* A ball on the wall, and one behind it that a joint's points want farther away, or nearer. The one on the wall cannot
 * give way, whatever the engine says of its mass: shifted into the wall it would be struck again at once, for ever. */
CASE(what_a_contact_holds_is_not_shifted_to_close_a_joint) {
  for (int wide = 0; wide < 2; ++wide) {
    Engine engine = {.rods = true, .seen = true};
    const double apart = 2 * RADIUS + (wide ? 0.02 : 0.06);
    addBall(&engine, -RADIUS - WALL - 0.05 - apart, 0, 0, 30, 0, 0);
    addBall(&engine, -RADIUS - WALL - 0.05, 0, 0, 30, 0, 0);
    for (int i = 0; i < 2; ++i) engine.balls[i].angular[1] = 2 * PI / H;
    mirror(&engine);
    brinkStepJoint joint = {.joint = &engine.rods, .holdsPoint = true, .bodies = {0, 1}};
    joint.anchors[0][0] = RADIUS + 0.02, joint.anchors[1][0] = -RADIUS - 0.02;
    assert_int_equal(brinkStepAddJoint(&engine.step, &joint), 0);
    brinkStepEndMirror(&engine.step);
    for (int n = 0; n < 6; ++n) {
      assert_true(step(&engine));
      const brinkStepBody *held = &engine.step.bodies[1];
      if (engine.impacts[brink_stepAdvanced] > 0 && held->from > 0)
        for (int i = 0; i < 3; ++i) assert_true(held->gap.shift[i] == 0);
      assert_true(engine.balls[1].position[0] <= -RADIUS - WALL + 1e-3);
    }
    assert_true(engine.impacts[brink_stepAdvanced] > 0);
    end(&engine);
  }
}

/* A body that lies quiet was looked at with the colliders that it had. */
CASE(a_collider_that_comes_changes_or_goes_voids_the_look_at_its_body) {
  Engine engine = {.gravity = 0};
  addBall(&engine, -3, 0, 0, 0, 0, 0);
  mirror(&engine);
  const brinkStepCollider gone = {.geom = NULL, .body = BRINK_NO_RECORD}, own = engine.step.colliders[0];
  for (int change = 0; change < 3; ++change) {
    for (int n = 0; n < 3; ++n) assert_true(step(&engine));
    assert_true(engine.step.hotData[0].known && engine.step.bodies[0].quiet);
    assert_true(brinkStepSetCollider(&engine.step, 0, change == 1 ? &gone : &own));
    if (change == 1) assert_true(brinkStepSetCollider(&engine.step, 0, &own));
    assert_true(!engine.step.hotData[0].known);
  }
  end(&engine);
}

/* How far is a look at meshes asked? */
static int wholeDistances;
static double farthestAsked;

static brinkStatus wholeDistance(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, brinkContact *out) {
  ++wholeDistances;
  return api()->distance(world, a, b, t, out);
}

static brinkStatus distanceBelow(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double enough,
                                 brinkContact *out) {
  const brinkStepsTable *steps = api()->getExtension(BRINK_STEPS_NAME);
  farthestAsked = fmax(farthestAsked, enough);
  return steps->distanceBelow(world, a, b, t, enough, out);
}

/* All of the distance of two large meshes that lie along each other took 40 ms, in each step. */
CASE(a_look_asks_of_meshes_as_far_as_their_bodies_may_move) {
  static const double corners[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  static const uint32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
  const double gaps[3] = {0.03, 0.016, 0.008}, allowance = 0.05 * 2 * RADIUS;
  double slacks[3];
  for (int i = 0; i < 3; ++i) {
    Engine engine = {.keeps = true};
    addBall(&engine, -3, 0, 0, 0, 0, 0);
    addBall(&engine, -3, 0, gaps[i], 0, 0, 0);
    mirror(&engine);
    brinkPlugin plugin = *engine.step.plugin;
    brinkStepsTable steps = *engine.step.steps;
    plugin.distance = wholeDistance;
    steps.distanceBelow = distanceBelow;
    engine.step.plugin = &plugin;
    engine.step.steps = &steps;
    brinkShapeDef mesh = {.structSize = sizeof mesh, .type = brink_mesh};
    mesh.mesh = (brinkMeshView){sizeof(brinkMeshView), 0, corners[0], 4, faces[0], 2};
    brinkShapeId sheet;
    ASSERT_OK(engine.world, api()->createShape(engine.world, &mesh, &sheet));
    for (uint32_t ball = 0; ball < 2; ++ball) {
      brinkStepCollider record = engine.step.colliders[ball];
      brinkColliderDef def = colliderDef(engine.step.bodies[ball].id, sheet, at(0, 0, 0));
      def.userData = ball;
      def.allowance = allowance;
      record.flags = BRINK_STEP_SURFACE | BRINK_STEP_HOLLOW;
      ASSERT_OK(engine.world, api()->destroyCollider(engine.world, record.collider));
      ASSERT_OK(engine.world, api()->createCollider(engine.world, &def, &record.collider));
      assert_true(brinkStepSetCollider(&engine.step, ball, &record));
    }
    wholeDistances = 0;
    farthestAsked = 0;
    assert_true(step(&engine));
    assert_int_equal(wholeDistances, 0);
    assert_true(farthestAsked > allowance && farthestAsked < 8 * allowance);
    assert_true(engine.step.hotData[0].known && engine.step.hotData[1].known);
    slacks[i] = engine.step.hotData[0].slack;
    ASSERT_NEAR(fmin(engine.step.colliders[0].clearance, 1), gaps[i] < allowance ? gaps[i] / 2 : 1, 1e-9);
    end(&engine);
  }
  /* What is near is measured to the last bit: half of what the two may come nearer. */
  ASSERT_NEAR(slacks[1], (gaps[1] - 0.25 * allowance - allowance / 16) / 2, 1e-9);
  assert_true(slacks[0] > slacks[1]);
}

static Engine *oneShot(Engine *engine, int mode) {
  *engine = (Engine){.bounce = 0};
  addBall(engine, -1, 0, 0, 100, 0, 0);
  mirror(engine);
  engine->step.settings.mode = mode;
  return engine;
}

CASE(modes_lead_to_what_they_say) {
  Engine engine;
  assert_true(step(oneShot(&engine, brink_stepReport)));
  assert_true(engine.impacts[brink_stepReported] == 1 && engine.solves == 1 && engine.balls[0].position[0] > 0);
  end(&engine);
  assert_true(step(oneShot(&engine, brink_stepClamp)));
  assert_true(engine.impacts[brink_stepClamped] == 1 && engine.solves == 1 && engine.asked == 1);
  assert_true(engine.balls[0].linear[0] == 100 && engine.step.report.lostTime > 0 && engine.step.report.clamps == 1);
  ASSERT_NEAR(engine.balls[0].position[0], -RADIUS - WALL, 0.01);
  end(&engine);
  assert_true(step(oneShot(&engine, brink_stepSpeculative)));
  assert_true(engine.impacts[brink_stepHeldBack] == 1 && engine.solves == 2);
  assert_true(engine.balls[0].linear[0] > 0 && engine.balls[0].linear[0] < 60); /* slower: it arrives at the end */
  ASSERT_NEAR(engine.balls[0].position[0], -RADIUS - WALL, 0.02);
  end(&engine);
  assert_true(step(oneShot(&engine, brink_stepAdvance)));
  ASSERT_NEAR(engine.balls[0].linear[0], 0, 1e-9);
  end(&engine);
}

/* A pair's own mode counts before that of its body, and that before the stepper's; what is gone takes its mode along.
 */
CASE(modes_of_bodies_and_pairs_count_before_the_steppers) {
  Engine engine;
  oneShot(&engine, brink_stepClamp);
  brinkStepper *own = &engine.step;
  const brinkStepPair pair = {0, 1};
  void *ball = own->bodies[0].body, *geoms[2] = {own->colliders[0].geom, own->colliders[1].geom};
  assert_true(brinkStepFindBody(own, ball) == 0 && brinkStepFindCollider(own, geoms[1], BRINK_NO_RECORD) == 1);
  assert_int_equal(brinkStepModeOfPair(own, pair), brink_stepClamp);
  assert_true(brinkStepSetMode(own, (brinkStepSetting){.body = ball, .mode = brink_stepReport}));
  brinkStepApplyModes(own);
  assert_int_equal(brinkStepModeOfPair(own, pair), brink_stepReport);
  assert_true(brinkStepSetMode(own, (brinkStepSetting){.geoms = {geoms[1], geoms[0]}, .mode = brink_stepAdvance}));
  brinkStepApplyModes(own);
  assert_int_equal(brinkStepModeOfPair(own, pair), brink_stepAdvance);
  assert_true(step(&engine));
  assert_true(engine.impacts[brink_stepAdvanced] > 0 && engine.impacts[brink_stepClamped] == 0);
  assert_true(brinkStepSetMode(own, (brinkStepSetting){.body = ball}));
  brinkStepApplyModes(own);
  assert_true(own->settings.modeCount == 1 && own->bodies[0].mode == brink_stepInherit);
  assert_true(brinkStepSetCollider(own, 1, &(brinkStepCollider){.geom = NULL}));
  assert_true(brinkStepFindCollider(own, geoms[1], BRINK_NO_RECORD) == BRINK_NO_RECORD);
  brinkStepApplyModes(own);
  assert_true(own->settings.modeCount == 0 && !own->settings.anyModes && !own->settings.pairModes);
  end(&engine);
}

/* Nobody can tell at first: the ball waits where it touches, and is shown to the program as touching. When no contact
 * comes in the next frame either, it goes on, from where it was stopped. */
CASE(a_program_that_makes_no_contact_is_asked_before_its_pair_is_dropped) {
  Engine engine;
  oneShot(&engine, brink_stepAdvance)->silent = true;
  engine.ghosts = 1;
  assert_true(step(&engine));
  double normal[3];
  const struct brinkStepPairs *pairs = &engine.step.pairs;
  assert_true(engine.balls[0].position[0] < 0 && engine.asked == 1 && gapOf(&engine, 0, -1, normal) <= 0);
  assert_true(pairs->silentCount == 1 && pairs->silent[0].waits && pairs->shownCount == 1);
  const double stopped = pairs->shown[0].home[0];
  assert_true(stopped <= engine.balls[0].position[0] && stopped > -RADIUS - 2 * WALL);
  assert_true(step(&engine));
  assert_true(engine.balls[0].position[0] == stopped + H * 100 && pairs->silent[0].verdict == brink_stepUnwanted);
  end(&engine);
}

/* Silence is evidence about one pair in one frame. A ball that went through has to be asked about when it comes back, a
 * second one anyway. */
CASE(silence_tells_of_one_pair_in_one_frame) {
  Engine engine;
  oneShot(&engine, brink_stepAdvance)->silent = true;
  engine.ghosts = 1;
  for (int n = 0; n < 2; ++n) assert_true(step(&engine));
  assert_true(engine.balls[0].position[0] > 1);
  engine.ghosts = 0;
  for (int k = 0; k < 3; ++k) engine.balls[0].linear[k] = k == 0 ? -200 : 0;
  for (int n = 0; n < 4; ++n) assert_true(step(&engine));
  assert_true(engine.balls[0].position[0] > 0);
  end(&engine);

  engine = (Engine){.silent = true, .ghosts = 1};
  addBall(&engine, -0.9, 0, 0, 100, 0, 0);
  addBall(&engine, -1.3, 1, 0, 100, 0, 0);
  mirror(&engine);
  for (int n = 0; n < 5; ++n) assert_true(step(&engine));
  assert_true(engine.balls[0].position[0] > 1 && engine.balls[1].position[0] < 0);
  end(&engine);
}

/* A ball that the program makes contacts of later lies at the wall. Off by a hair it is not asked about, and is wanted
 * all the same; farther off it has to wait again. */
CASE(what_is_a_hair_off_is_wanted_as_before) {
  for (int far = 0; far < 2; ++far) {
    Engine engine;
    oneShot(&engine, brink_stepAdvance)->silent = true;
    engine.bounce = 0;
    for (int n = 0; n < 3; ++n) assert_true(step(&engine));
    assert_true(engine.step.pairs.silent[0].verdict >= brink_stepWanted && engine.balls[0].linear[0] == 0);
    engine.balls[0].position[0] = -RADIUS - WALL - (far == 0 ? 0.05 * WALL : 4 * WALL);
    engine.balls[0].linear[0] = 100;
    assert_true(step(&engine));
    assert_true(engine.balls[0].position[0] < 0 && engine.step.report.clamps == far);
    end(&engine);
  }
}

/* What cannot be shown to the program does not hang for ever. */
CASE(what_is_never_asked_about_is_held_at_last) {
  Engine engine;
  oneShot(&engine, brink_stepAdvance)->silent = true;
  engine.hides = true;
  engine.ghosts = 1;
  int clamps = 0;
  for (int n = 0; n < 10; ++n) {
    assert_true(step(&engine));
    clamps += engine.step.report.clamps;
  }
  assert_true(engine.balls[0].position[0] < 0 && clamps <= 4);
  ASSERT_NEAR(engine.balls[0].linear[0], 0, 1e-9);
  end(&engine);
}

/* A ghost waits for its answer in mid-air. What it met is not taken along. */
CASE(what_waits_for_an_answer_takes_nothing_along) {
  Engine engine = {.silent = true, .ghosts = MOST};
  addBall(&engine, -1, 10, 0, 0, 0, 0);
  addBall(&engine, -2, 10, 0, 100, 0, 0);
  mirror(&engine);
  for (int n = 0; n < 4; ++n) assert_true(step(&engine));
  assert_true(engine.balls[0].position[0] == -1 && engine.balls[0].linear[0] == 0);
  assert_true(engine.balls[1].position[0] > 0 && engine.balls[1].linear[0] == 100);
  end(&engine);
}

/* Forces and torques act while a ball goes through what the program lets it through. The change that began where it was
 * struck leaves no trace: not in its pose, not in its velocities. */
CASE(what_the_program_lets_pass_keeps_the_engines_bits) {
  Engine plain = {.gravity = 9.81}, stepped = {.gravity = 9.81, .silent = true};
  Engine *engines[2] = {&plain, &stepped};
  for (int i = 0; i < 2; ++i) {
    addBall(engines[i], -1, 0, 0, 100, 0, 0);
    Ball *ball = &engines[i]->balls[0];
    for (int k = 0; k < 3; ++k) ball->force[k] = 7 - k, ball->torque[k] = 2 + k, ball->angular[k] = 0.1 * k;
  }
  mirror(&stepped);
  stepped.step.pairs.makesInside = true; /* before: so silence means no */
  assert_true(step(&plain) && step(&stepped));
  assert_true(stepped.asked == 1 && stepped.solves == 1 && plain.balls[0].position[0] > 0.5);
  assert_memory_equal(&plain.balls[0], &stepped.balls[0], offsetof(Ball, force));
  end(&stepped);
}

/* Where the engine sees nothing, the stepper's own contacts hold. */
CASE(brink_makes_the_contacts_that_no_collider_of_the_engine_sees) {
  Engine engine;
  oneShot(&engine, brink_stepAdvance)->blind = true;
  for (int n = 0; n < 5; ++n) assert_true(step(&engine));
  assert_true(engine.impacts[brink_stepAdvanced] > 0 && engine.step.report.clamps == 0 &&
              !brinkStepIsDropped(&engine.step, (brinkStepPair){0, 1}));
  assert_true(engine.balls[0].position[0] < 0);
  end(&engine);
}

/* Through in one step, in and out between two poses: told when. Nothing stops. */
CASE(a_sensor_tells_what_goes_through_it) {
  Engine engine;
  oneShot(&engine, brink_stepAdvance);
  brinkStepCollider wall = engine.step.colliders[1];
  wall.flags |= BRINK_STEP_SENSOR;
  assert_true(brinkStepSetCollider(&engine.step, 1, &wall));
  assert_true(step(&engine));
  assert_true(engine.solves == 1 && engine.asked == 0 && engine.balls[0].position[0] > RADIUS);
  const struct brinkStepSensing *sensing = &engine.step.sensing;
  assert_int_equal((int)sensing->eventCount, 2);
  const double way = 100 * H, in = (1 - RADIUS - WALL) / way, out = (1 + RADIUS + WALL) / way;
  assert_true(sensing->events[0].kind == brink_stepEnters && sensing->events[1].kind == brink_stepExits);
  assert_ptr_equal(sensing->events[0].sensor, wall.geom);
  ASSERT_NEAR(sensing->events[0].toi, in, 1e-3);
  ASSERT_NEAR(sensing->events[1].toi, out, 1e-3);
  end(&engine);
}

/* What was clamped leaves a file, for `brink replay`. */
CASE(a_clamped_step_is_recorded) {
  Engine engine;
  oneShot(&engine, brink_stepClamp);
  assert_true(brinkStepSetRecords(&engine.step, BRINK_BINARY_DIR));
  assert_true(step(&engine));
  char text[4096] = "";
  FILE *file = fopen(brinkStepRecordPath(&engine.step), "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  remove(brinkStepRecordPath(&engine.step));
  assert_true(strncmp(text, "brink-record 2", 14) == 0 && strstr(text, "\nmotion 0 ") && strstr(text, "\nend\n"));
  end(&engine);
}

/* A callback that destroys or makes something ends the step with a message, every ball before the wall. */
CASE(a_callback_that_changes_the_world_ends_the_step_at_proven_poses) {
  Engine engine;
  oneShot(&engine, brink_stepAdvance)->breaks = true;
  assert_false(step(&engine));
  assert_non_null(strstr(engine.words, "callback"));
  assert_true(engine.balls[0].position[0] < -RADIUS && engine.balls[0].position[0] > -1);
  engine.breaks = false;
  for (int n = 0; n < 5; ++n) assert_true(step(&engine));
  assert_true(engine.balls[0].position[0] < 0);
  end(&engine);
}

/* ---- what stands */

/* Each number of a state that cannot be computed with, and forces as long as the host has to keep them. */
CASE(what_is_read_of_a_start_tells_numbers_that_cannot_be_stepped) {
  Engine engine = {.gravity = 0};
  addBall(&engine, -5, 0, 0, 1, 0, 0);
  mirror(&engine);
  Ball *ball = &engine.balls[0], good = *ball;
  double *fields[] = {ball->position, ball->quaternion, ball->linear, ball->angular, ball->force, ball->torque};
  const double bad[] = {(double)NAN, INFINITY, 2 * BRINK_STEP_LARGEST};
  for (int f = 0; f < 6; ++f)
    for (int k = 0; k < (f == 1 ? 4 : 3); ++k)
      for (int b = 0; b < 3; ++b) {
        fields[f][k] = bad[b];
        assert_true(brinkStepReadStart(&engine.step, 0) & BRINK_STEP_UNFIT);
        *ball = good;
        (void)brinkStepReadStart(&engine.step, 0);
        assert_int_equal(brinkStepReadStart(&engine.step, 0), 0);
      }
  /* It is noted; records are for those that the step asks about. */
  ball->position[0] -= 1;
  (void)brinkStepReadStart(&engine.step, 0);
  assert_memory_equal(engine.step.hotData[0].startPosition, ball->position, sizeof ball->position);
  assert_true(engine.step.bodies[0].start.position[0] != ball->position[0]);
  good = *ball;
  for (int f = 4; f < 6; ++f)
    for (int k = 0; k < 3; ++k) {
      fields[f][k] = -3;
      assert_int_equal(brinkStepReadStart(&engine.step, 0), BRINK_STEP_FORCED);
      *ball = good;
      assert_int_equal(brinkStepReadStart(&engine.step, 0), BRINK_STEP_FORCED); /* it is not any more: read once more */
      assert_int_equal(brinkStepReadStart(&engine.step, 0), 0);
    }
  end(&engine);
}

CASE(the_worst_gap_of_all_joints_is_told) {
  Engine engine = {.gravity = 0};
  for (int i = 0; i < 3; ++i) addBall(&engine, -5 - i, 0, 0, 0, 0, 0);
  mirror(&engine);
  brinkStepper *own = &engine.step;
  assert_true(brinkStepWorstGap(own) == 0);
  brinkStepJoint joints[] = {
      {.joint = &engine.words[40], .holdsPoint = true, .bodies = {0, 1}, .anchors = {{-0.5, 0, 0}, {0.5, 0, 0}}},
      {.joint = &engine.words[41],
       .holdsPoint = true,
       .bodies = {2, BRINK_NO_RECORD},
       .anchors = {{0, 0, 0}, {-7, 0, 0}}},
      {.joint = &engine.words[42], .holdsPoint = false, .bodies = {1, 2}, .anchors = {{9, 0, 0}, {0, 0, 0}}}};
  for (uint32_t i = 0; i < 3; ++i) assert_int_equal(brinkStepAddJoint(own, &joints[i]), i);
  assert_true(brinkStepFindJoint(own, 2, joints[1].joint) == 1 && brinkStepWorstGap(own) == 0);
  engine.balls[2].position[1] = 0.25;
  ASSERT_NEAR(brinkStepWorstGap(own), 0.25, 1e-15);
  engine.balls[0].quaternion[0] = engine.balls[0].quaternion[3] =
      sqrt(0.5); /* a quarter turn about z: off by (.5, .5) */
  ASSERT_NEAR(brinkStepWorstGap(own), sqrt(0.5), 1e-15);
  brinkStepDropJoint(own, 0);
  ASSERT_NEAR(brinkStepWorstGap(own), 0.25, 1e-15);
  assert_int_equal(brinkStepFindJoint(own, 0, joints[0].joint), BRINK_NO_RECORD);
  for (uint32_t body = 1; body < 3; ++body) assert_int_equal(brinkStepFindJoint(own, body, joints[2].joint), 2);
  assert_int_equal(brinkStepFindJoint(own, 1, joints[0].joint), BRINK_NO_RECORD);
  brinkStepEndMirror(own);
  end(&engine);
}

/* ---- why nothing is done */

static int explain(Engine *engine, uint32_t a, uint32_t b, char text[2048]) {
  brinkStepWords words = {.buffer = text, .capacity = 2048, .collider = "thing", .callback = "program"};
  words.setSubsteps = "the limit";
  words.setAllowance = "the allowance";
  text[0] = '\0';
  brinkStepExplainPair(&engine->step, (brinkStepPair){a, b}, &words);
  assert_int_equal(strlen(text), words.length);
  return words.reasons;
}

CASE(a_pair_says_why_nothing_is_done_about_it) {
  char text[2048], less[40];
  Engine engine = {.gravity = 0, .rods = true};
  addBall(&engine, -5, 0, 0, 0, 0, 0);
  addBall(&engine, -5.3, 0, 0, 0, 0, 0);
  addBall(&engine, -RADIUS - WALL - 1e-5, 3, 0, 0, 0, 0);
  addBall(&engine, -0.4, 3, 0, 0, 0, 0);
  mirror(&engine);
  assert_int_equal(explain(&engine, 0, 4, text), 0); /* nothing is known of it yet */
  for (int n = 0; n < 3; ++n) assert_true(step(&engine));
  assert_int_equal(explain(&engine, 0, 1, text), brink_stepReasonJoined | brink_stepReasonSlow);
  assert_true(strstr(text, "a joint") && strstr(text, "the second thing's body was too slow"));
  assert_true(explain(&engine, 2, 4, text) & brink_stepReasonTouching);
  assert_true(strstr(text, "they touch") && strstr(text, "the allowance"));
  engine.step.settings.mode = brink_stepReport;
  assert_true(explain(&engine, 0, 4, text) & brink_stepReasonReport);
  engine.step.bodies[0].dynamic = engine.step.hotData[0].dynamic = false;
  assert_true(explain(&engine, 0, 4, text) & brink_stepReasonKinematic);
  brinkStepWords body = {.buffer = less, .capacity = sizeof less};
  brinkStepExplainBody(&engine.step, 0, &body);
  assert_int_equal(body.reasons, brink_stepReasonKinematic | brink_stepReasonReport);
  assert_true(strlen(less) == sizeof less - 1 && body.length > sizeof less); /* cut, and told how much it is */
  assert_int_equal(explain(&engine, 4, 4, text) & ~brink_stepReasonReport, brink_stepReasonStatic);
  brinkContact contact;
  engine.balls[0].position[0] = -2;
  ASSERT_NEAR(brinkStepDistanceNow(&engine.step, (brinkStepPair){0, 4}, &contact), 2 - RADIUS - WALL, 1e-9);
  end(&engine);
  assert_true(step(oneShot(&engine, brink_stepClamp)));
  assert_true(explain(&engine, 0, 1, text) & brink_stepReasonFrozen);
  assert_non_null(strstr(text, "the mode is clamp"));
  end(&engine);
}

/* ---- before a step */

static void fly(void *user, uint32_t body, double way[3], double turn[3]) {
  for (int k = 0; k < 3; ++k) way[k] = H * ballOf(user, body)->linear[k];
  way[2] -= H * H * ((Engine *)user)->gravity;
  (void)turn;
}
static int wantAll(void *user, brinkColliderId a, brinkColliderId b, uint64_t numberA, uint64_t numberB) {
  return brinkStepWantPair(&((Engine *)user)->step, a, b, numberA, numberB);
}

static brinkStepForesight foresee(Engine *engine, uint32_t near) {
  brinkStepForesight ahead = {.flight = fly, .wants = wantAll, .user = engine};
  brinkStepBeginForesight(&engine->step, &ahead);
  if (near != BRINK_NO_RECORD) brinkStepForeseeHere(&engine->step, &ahead, near, (uint32_t)engine->count, 1);
  brinkStepForeseeFlights(&engine->step, &ahead);
  brinkStepEndForesight(&engine->step, &ahead);
  return ahead;
}

/* Who meets in the step to come, when and where; two that fly on side by side do not. */
CASE(pairs_that_will_meet_are_foreseen) {
  Engine engine = {.gravity = 9.81};
  addBall(&engine, -1, 0, 0, 100, 0, 0);
  addBall(&engine, -3, 0, 0, 100, 0, 0);
  addBall(&engine, -4, 0, 0, 300, 0, 0);
  addBall(&engine, -9, 5, 0, 0, 0, 0);
  mirror(&engine);
  const struct {
    uint32_t a, b;
    double gap, speed;
  } meetings[] = {{0, 4, 1 - RADIUS - WALL, 100},
                  {1, 2, 1 - 2 * RADIUS, 200},
                  {0, 2, 3 - 2 * RADIUS, 200},
                  {2, 4, 4 - RADIUS - WALL, 300}}; /* each as if the others were not there */
  brinkStepForesight ahead = foresee(&engine, BRINK_NO_RECORD);
  assert_int_equal((int)ahead.count, 4);
  for (size_t i = 0; i < ahead.count; ++i) {
    const brinkStepForeseen *item = &ahead.items[i];
    const bool turned = item->pair.a > item->pair.b;
    const uint32_t a = turned ? item->pair.b : item->pair.a, b = turned ? item->pair.a : item->pair.b;
    size_t k = 0;
    while (k < 4 && (meetings[k].a != a || meetings[k].b != b)) ++k;
    assert_true(k < 4 && item->flies && item->gap >= 0);
    ASSERT_NEAR(item->toi, meetings[k].gap / meetings[k].speed / H, 0.02);
    const double *p = item->poses[turned].position, way = H * engine.balls[a].linear[0] * item->toi;
    ASSERT_NEAR(p[0], engine.balls[a].position[0] + way, 1e-9);
    assert_true(p[2] < 0 && p[2] > -0.01);
    assert_true(fabs(item->normal[0]) > 0.99);
    assert_true((turned ? -1 : 1) * (k == 0 || k == 3 ? 1 : -1) * item->normal[0] > 0);
  }
  brinkStepFreeForesight(&ahead);
  end(&engine);
}

/* What the plugin holds of bodies that were looked at. */
static void assertLooksStand(const Engine *engine) {
  for (int i = 0; i < engine->count; ++i) {
    const brinkStepHotData *hot = &engine->step.hotData[i];
    brinkPose pose;
    for (int end = 0; hot->known && end < 2; ++end) {
      ASSERT_OK(engine->world, api()->bodyPose(engine->world, engine->step.bodies[i].id, end, &pose));
      assert_memory_equal(&pose.position, hot->lookPosition, sizeof hot->lookPosition);
    }
  }
}

/* A pair is seen where it is, once. Looking ahead leaves no trace: neither in the balls, nor in what the plugin holds
 * of them, nor in the steps that follow. Ball 0 rests at the wall, ball 1 drifts, ball 2 rests and flies off later. */
CASE(foresight_changes_no_bit_of_the_steps) {
  Engine engines[2] = {{.gravity = 0, .bounce = 0.5}, {.gravity = 0, .bounce = 0.5}};
  for (int k = 0; k < 2; ++k) {
    addBall(&engines[k], -RADIUS - WALL - 2e-4, 0, 0, 0, 0, 0);
    addBall(&engines[k], -0.8, 2, 0, 1e-4, 0, 0);
    addBall(&engines[k], -0.8, 4, 0, 0, 0, 0);
    for (int i = 0; i < 4; ++i) addBall(&engines[k], -2 - 0.4 * i, 0.01 * i, 0.05 * i, 30, 0, 0);
    mirror(&engines[k]);
  }
  int seen = 0, contacts = 0, drifts = 0;
  for (int n = 0; n < 60; ++n) {
    for (int k = 0; k < 2 && n == 30; ++k) engines[k].balls[2].linear[0] = 50;
    for (uint32_t near = 0; near < 3; ++near) {
      Ball before[MOST];
      memcpy(before, engines[1].balls, sizeof before);
      const brinkStepHotData *hot = &engines[1].step.hotData[near];
      drifts += near == 1 && hot->known && hot->lookPosition[0] != engines[1].balls[1].position[0];
      brinkStepForesight ahead = foresee(&engines[1], near);
      for (size_t i = 0; i < ahead.count; ++i) {
        const brinkStepForeseen *item = &ahead.items[i];
        for (size_t j = 0; j < i; ++j)
          assert_true(brinkStepPairKey(item->pair) != brinkStepPairKey(ahead.items[j].pair));
        if (item->flies) continue;
        const double *p = item->poses[item->pair.a == near ? 0 : 1].position;
        assert_memory_equal(p, before[near].position, sizeof before[near].position);
        ASSERT_NEAR(item->gap, -before[near].position[0] - RADIUS - WALL, 1e-12);
        contacts += item->toi == 0;
      }
      seen += (int)ahead.count;
      brinkStepFreeForesight(&ahead);
      assert_memory_equal(before, engines[1].balls, sizeof before);
      assertLooksStand(&engines[1]);
    }
    assert_true(step(&engines[0]) && step(&engines[1]));
    brinkStepEnd(&engines[0].step), brinkStepEnd(&engines[1].step);
    for (int i = 0; i < engines[0].count; ++i)
      assert_memory_equal(&engines[0].balls[i], &engines[1].balls[i], offsetof(Ball, force));
  }
  assert_true(seen > 180 && contacts > 0 && drifts > 30);
  for (int k = 0; k < 2; ++k) end(&engines[k]);
}

int main(void) { return cases_Run(NULL, NULL); }
