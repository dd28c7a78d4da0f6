/* SPDX-License-Identifier: BSD-3-Clause */
/* Does Brink know any engine? A toy engine of its own, explicit Euler with impulses and no collision detection at
 * all, uses nothing but brink/ccd.h: a train of boxes on rods runs into a thin wall at 300 m/s. Without Brink it is
 * through in one step; with it, every car stays on its side, whatever the step.
 *
 * Engine: point-mass cars (mass 1 kg) on a line with lateral play, joined by springs strong enough to matter;
 * velocities first, then positions. Response: at the toi the approach of all touching pairs is taken out (plastic
 * impacts, swept until none closes), the rest of the step is run again. Units: m, s. */
#include "cases.h"
#include "plugin_support.h"

enum { CARS = 6, MAX_SUBSTEPS = 64 };
#define CAR_LENGTH 2.0
#define GAP 0.2
#define WALL 10.0 /* x of the wall's middle */
#define WALL_HALF 0.005
#define TOUCH 2e-4 /* m: contacts nearer than this take part in the solve */

typedef struct Car {
  brinkVec3 position, velocity;
  double angle, spin; /* about y */
} Car;

typedef struct Engine {
  Car cars[CARS];
  double springs; /* 1/s^2 */
  /* Brink's mirror; world NULL = none */
  brinkWorld *world;
  brinkBodyId bodies[CARS];
  brinkColliderId colliders[CARS], wall;
  int impacts;
} Engine;

static brinkPose carPose(const Car *car) { return (brinkPose){car->position, rotation(vec(0, car->angle, 0))}; }

static void makeTrain(Engine *engine, double speed, Random *random) {
  for (int i = 0; i < CARS; ++i) {
    Car *car = &engine->cars[i];
    *car = (Car){.position = vec(-(CAR_LENGTH + GAP) * i, 0, 0), .velocity = vec(speed, 0, 0)};
    car->position.y = uniform(random, -0.05, 0.05);
    car->velocity.z = uniform(random, -0.1, 0.1);
    car->spin = uniform(random, -0.2, 0.2);
  }
}

static void mirror(Engine *engine, const brinkHost *host) {
  engine->world = newWorld(host);
  brinkShapeId box = newShape(engine->world, brink_box, vec(CAR_LENGTH / 2, 0.5, 0.5));
  brinkShapeId wall = newShape(engine->world, brink_box, vec(WALL_HALF, 20, 20));
  engine->wall = newCollider(engine->world, 0, wall, at(WALL, 0, 0));
  for (int i = 0; i < CARS; ++i) {
    engine->bodies[i] = newBody(engine->world, 0, carPose(&engine->cars[i]));
    engine->colliders[i] = newCollider(engine->world, engine->bodies[i], box, at(0, 0, 0));
  }
}

static void applyForces(Engine *engine, double h) {
  for (int i = 1; i < CARS; ++i) {
    Car *front = &engine->cars[i - 1], *rear = &engine->cars[i];
    brinkVec3 stretch = minus(minus(front->position, rear->position), vec(CAR_LENGTH + GAP, 0, 0));
    brinkVec3 pull = times(h * engine->springs, stretch);
    rear->velocity = plus(rear->velocity, pull);
    front->velocity = minus(front->velocity, pull);
  }
}

static void carAfter(const Car *car, double h, Car *out) {
  *out = *car;
  out->position = plus(car->position, times(h, car->velocity));
  out->angle = car->angle + h * car->spin;
}

static int carOf(const Engine *engine, brinkColliderId collider) {
  for (int i = 0; i < CARS; ++i)
    if (engine->colliders[i] == collider) return i;
  return -1; /* the wall */
}

/* Takes the approach out of a contact; returns how fast it was, m/s. Cars that touch stop turning. */
static double plasticImpact(Engine *engine, int a, int b, brinkVec3 n) {
  brinkVec3 va = a >= 0 ? engine->cars[a].velocity : vec(0, 0, 0),
            vb = b >= 0 ? engine->cars[b].velocity : vec(0, 0, 0);
  brinkVec3 relative = minus(va, vb);
  double closing = relative.x * n.x + relative.y * n.y + relative.z * n.z;
  if (a >= 0) engine->cars[a].spin = 0.0;
  if (b >= 0) engine->cars[b].spin = 0.0;
  if (closing <= 0.0) return 0.0;
  double portion = a >= 0 && b >= 0 ? 0.5 : 1.0;
  if (a >= 0) engine->cars[a].velocity = minus(va, times(portion * closing, n));
  if (b >= 0) engine->cars[b].velocity = plus(vb, times(portion * closing, n));
  return closing;
}

/* All contacts within reach, impulses one after another until nothing closes any more. */
static void solveContacts(Engine *engine) {
  enum { MAX_CONTACTS = 64, SWEEPS = 2000 };
  struct {
    int a, b;
    brinkVec3 normal;
  } contacts[MAX_CONTACTS];
  size_t contactCount = 0, pairCount = 0;
  const brinkColliderPair *pairs = NULL;
  for (int i = 0; i < CARS; ++i)
    moveBody(engine->world, engine->bodies[i], carPose(&engine->cars[i]), carPose(&engine->cars[i]));
  ASSERT_OK(engine->world, api()->nearPairs(engine->world, 0.0, TOUCH, &pairs, &pairCount));
  for (size_t k = 0; k < pairCount && contactCount < MAX_CONTACTS; ++k) {
    brinkContact contact;
    brinkColliderPair pair = pairs[k]; /* world-owned: the next question may overwrite it */
    ASSERT_OK(engine->world, api()->distance(engine->world, pair.a, pair.b, 0.0, &contact));
    if (contact.distance > TOUCH) continue;
    contacts[contactCount].a = carOf(engine, pair.a);
    contacts[contactCount].b = carOf(engine, pair.b);
    contacts[contactCount++].normal = contact.normal;
    ASSERT_OK(engine->world, api()->nearPairs(engine->world, 0.0, TOUCH, &pairs, &pairCount));
  }
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    double fastest = 0.0;
    for (size_t k = 0; k < contactCount; ++k)
      fastest = fmax(fastest, plasticImpact(engine, contacts[k].a, contacts[k].b, contacts[k].normal));
    if (fastest < 1e-9) return;
  }
}

/* Moves all cars over h; with Brink only up to the first event, whose share of h is returned. */
static double advance(Engine *engine, double h) {
  Car after[CARS];
  if (engine->world != NULL) solveContacts(engine);
  for (int i = 0; i < CARS; ++i) carAfter(&engine->cars[i], h, &after[i]);
  double share = 1.0;
  if (engine->world != NULL) {
    for (int i = 0; i < CARS; ++i) {
      brinkBodyMotion motion = posesMotion(carPose(&engine->cars[i]), carPose(&after[i]));
      motion.flags = BRINK_MOTION_HAS_SPIN;
      motion.spin = vec(0, h * engine->cars[i].spin, 0);
      ASSERT_OK(engine->world, api()->setBodyMotion(engine->world, engine->bodies[i], &motion));
    }
    brinkQuery query = wholeStep();
    query.watch = brink_watchDepth;
    query.window = 1e-9;
    brinkReport report = ask(engine->world, &query);
    if (report.state != brink_free) {
      share = report.toi;
      ++engine->impacts;
    }
  }
  for (int i = 0; i < CARS; ++i) {
    Car *car = &engine->cars[i];
    car->position = plus(car->position, times(share, minus(after[i].position, car->position)));
    car->angle += share * (after[i].angle - car->angle);
  }
  if (engine->world != NULL && share < 1.0) solveContacts(engine);
  return share;
}

static void step(Engine *engine, double h) {
  applyForces(engine, h);
  double left = h;
  for (int k = 0; k < MAX_SUBSTEPS && left > 1e-12 * h; ++k) left -= left * advance(engine, left);
  /* What is left after that many events stays undone: the train is late, never through. */
}

/* How far the foremost corner of any car is past the wall's near face, m. */
static double deepest(const Engine *engine) {
  double worst = -INFINITY;
  for (int i = 0; i < CARS; ++i)
    for (int corner = 0; corner < 8; ++corner) {
      brinkVec3 p = carry(carPose(&engine->cars[i]), vec(corner & 1 ? CAR_LENGTH / 2 : -CAR_LENGTH / 2,
                                                         corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5));
      worst = fmax(worst, p.x - (WALL - WALL_HALF));
    }
  return worst;
}

static double run(double speed, double h, bool withBrink, uint64_t seed, int *impacts) {
  Random random = {seed};
  Engine engine;
  memset(&engine, 0, sizeof engine);
  engine.springs = 4.0;
  makeTrain(&engine, speed, &random);
  Memory memory = {0};
  const brinkHost host = countingHost(&memory);
  if (withBrink) mirror(&engine, &host);
  double worst = -INFINITY;
  for (int i = 0; i < 40; ++i) {
    step(&engine, h);
    worst = fmax(worst, deepest(&engine));
  }
  if (withBrink) ASSERT_OK(engine.world, api()->destroyWorld(engine.world));
  assert_int_equal(memory.blocks, 0);
  *impacts = engine.impacts;
  return worst;
}

CASE(without_brink_the_train_is_through_the_wall) {
  int impacts;
  assert_true(run(300.0, 1.0 / 60.0, false, 1, &impacts) > 1.0);
}

CASE(with_brink_every_car_stays_on_its_side) {
  const double speeds[] = {5.0, 60.0, 300.0, 3000.0};
  double allowed = 0.05 * 2 * WALL_HALF; /* the wall's allowance: the smaller of the pair's */
  for (size_t s = 0; s < sizeof speeds / sizeof speeds[0]; ++s)
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      int impacts = 0;
      double worst = run(speeds[s], 1.0 / 60.0, true, seed, &impacts);
      if (worst > allowed * 1.001)
        fail_msg("at %g m/s, seed %llu: %g m deep, allowed %g", speeds[s], (unsigned long long)seed, worst, allowed);
      if (speeds[s] > 50.0 && impacts == 0) fail_msg("at %g m/s nothing was hit", speeds[s]);
    }
}

CASE(a_train_that_stands_is_never_stopped) {
  int impacts = 0;
  run(0.0, 1.0 / 60.0, true, 3, &impacts);
  assert_int_equal(impacts, 0);
}

int main(void) { return cases_Run(NULL, NULL); }
