/* SPDX-License-Identifier: BSD-3-Clause */
/* A scene answered whole must answer every pair as a fresh world does that holds this pair alone. Random trees with
 * joints and anchors, all kinds of motion, filters, compounds, meshes, resting and moving; between questions motions,
 * the interval, shapes, places and filters change, so that whatever a scene keeps from question to question (boxes,
 * poses, lists) is asked about. A world with one pair keeps nothing and makes no boxes. */
#include "cases.h"
#include "plugin_support.h"

#include "brink/steps.h"
#include "motion_makers.h"
#include "tetrahedra.h"

#if defined(__SANITIZE_ADDRESS__) /* ten times slower */
enum { SCENES = 12 };
#else
enum { SCENES = 50 };
#endif
enum { BODIES = 12, COLLIDERS = 20, QUESTIONS = 9, SHAPES = 5 };
/* Far away, so many that the scene keeps trees of boxes, and lists from question to question. */
enum { FILLERS = 70 };

typedef struct Thing { /* collider */
  int body, shape;     /* body -1: static */
  brinkPose pose;
  uint64_t category, collide;
} Thing;

typedef struct Stage {
  int parent[BODIES]; /* -1: a root */
  bool joint[BODIES]; /* hangs on its parent by a joint, not by an explicit parent */
  brinkVec3 anchor[BODIES], parentAnchor[BODIES];
  brinkPose place[BODIES];
  brinkBodyMotion motion[BODIES];
  bool moves[BODIES];
  Store store[BODIES];
  Thing thing[COLLIDERS];
  double tStart, tEnd;
} Stage;

typedef struct Built {
  brinkWorld *world;
  brinkShapeId shape[SHAPES];
  brinkBodyId body[BODIES];
  brinkColliderId collider[COLLIDERS];
} Built;

static void makeShapes(brinkWorld *world, brinkShapeId shape[SHAPES]) {
  shape[0] = newShape(world, brink_sphere, vec(0.2, 0, 0));
  shape[1] = newShape(world, brink_box, vec(0.15, 0.25, 0.2));
  shape[2] = newTetrahedron(world, 0.35, false);
  shape[3] = newTetrahedron(world, 0.3, true);
  brinkShapeChild children[2] = {{shape[0], at(0.2, 0, 0)}, {shape[1], at(-0.2, 0.1, 0)}};
  brinkShapeDef def = shapeDef(brink_compound, vec(0, 0, 0));
  def.children = children;
  def.childCount = 2;
  ASSERT_OK(world, api()->createShape(world, &def, &shape[4]));
}

static brinkColliderId addThing(const Built *built, const Thing *thing) {
  brinkColliderDef def =
      colliderDef(thing->body >= 0 ? built->body[thing->body] : 0, built->shape[thing->shape], thing->pose);
  def.categoryBits = thing->category;
  def.collideBits = thing->collide;
  brinkColliderId collider = 0;
  ASSERT_OK(built->world, api()->createCollider(built->world, &def, &collider));
  return collider;
}

/* only: two colliders; NULL: all. */
static void build(const Stage *s, const int only[2], Built *out) {
  out->world = newWorld(NULL);
  makeShapes(out->world, out->shape);
  for (int i = 0; i < BODIES; ++i) {
    const bool explicitParent = s->parent[i] >= 0 && !s->joint[i];
    out->body[i] = newBody(out->world, explicitParent ? out->body[s->parent[i]] : 0, s->place[i]);
    if (s->joint[i]) newJoint(out->world, out->body[s->parent[i]], out->body[i], s->parentAnchor[i], s->anchor[i]);
    if (s->moves[i]) ASSERT_OK(out->world, api()->setBodyMotion(out->world, out->body[i], &s->motion[i]));
  }
  for (int n = 0; only == NULL && n < FILLERS; ++n) {
    brinkPose far = at(60 + 3 * n, 0, 0);
    brinkBodyMotion motion = velocitiesMotion(far, vec(0, 0.5, 0), vec(0, 0, n % 3));
    brinkBodyId body = newBody(out->world, 0, far);
    if (n % 2) ASSERT_OK(out->world, api()->setBodyMotion(out->world, body, &motion));
    newCollider(out->world, body, out->shape[1], at(0, 0, 0));
  }
  for (int k = 0; k < COLLIDERS; ++k)
    out->collider[k] = only == NULL || k == only[0] || k == only[1] ? addThing(out, &s->thing[k]) : 0;
}

static brinkPose randomPose(Random *random, double size) {
  return (brinkPose){randomVector(random, size), rotation(randomVector(random, 3))};
}

/* Jointed bodies have poses in the world; explicit children any kind, in their parent's frame. */
static void setMotion(Random *random, Stage *s, int i) {
  s->moves[i] = nextBits(random) % 4u != 0;
  if (!s->moves[i]) return;
  bool hung = s->joint[i];
  for (int k = i + 1; k < BODIES; ++k) hung = hung || (s->joint[k] && s->parent[k] == i);
  if (hung) {
    brinkPose to = {plus(s->place[i].position, randomVector(random, 0.8)),
                    product(rotation(randomVector(random, 1.5)), s->place[i].rotation)};
    s->motion[i] = posesMotion(s->place[i], to);
    return;
  }
  uint32_t kind = (uint32_t)(nextBits(random) % 7u) + 1u;
  if (kind == brink_motionPoses) kind = brink_motionVelocities;
  s->motion[i] = randomMotion(random, kind, s->parent[i] >= 0 ? 0.5 : 1.5, &s->store[i]);
}

static void setThing(Random *random, Stage *s, int k) {
  Thing *thing = &s->thing[k];
  thing->body = k < BODIES ? k : (int)(nextBits(random) % (BODIES + 3)) - 3;
  if (thing->body < -1) thing->body = -1;
  thing->shape = (int)(nextBits(random) % SHAPES);
  thing->pose = randomPose(random, thing->body < 0 ? 2.0 : 0.3);
  thing->category = 1u + nextBits(random) % 3u;
  thing->collide = 1u + nextBits(random) % 3u;
}

static void makeStage(Random *random, Stage *s) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < BODIES; ++i) {
    s->parent[i] = i > 0 && nextBits(random) % 5u < 2u ? (int)(nextBits(random) % (uint64_t)i) : -1;
    s->joint[i] = s->parent[i] >= 0 && nextBits(random) % 2u && s->parent[s->parent[i]] < 0;
    s->anchor[i] = randomVector(random, 0.4);
    s->parentAnchor[i] = randomVector(random, 0.4);
    s->place[i] = randomPose(random, s->parent[i] >= 0 && !s->joint[i] ? 0.6 : 1.5);
    if (s->joint[i]) { /* the anchors meet */
      brinkPose above = s->place[s->parent[i]];
      s->place[i].position = minus(carry(above, s->parentAnchor[i]), turn(s->place[i].rotation, s->anchor[i]));
    }
  }
  for (int i = 0; i < BODIES; ++i) setMotion(random, s, i);
  for (int k = 0; k < COLLIDERS; ++k) setThing(random, s, k);
  s->tStart = 0;
  s->tEnd = 1;
}

/* Changes the stage and the world that was built from it. */
static bool isLone(const Stage *s, int i) {
  for (int k = 0; k < BODIES; ++k)
    if (s->parent[k] == i) return false;
  return s->parent[i] < 0;
}

static void change(Random *random, Stage *s, Built *built) {
  const uint64_t how = nextBits(random) % 3u; /* the interval alone, motions of lone bodies alone, anything */
  if (how != 1u || nextBits(random) % 2u) {
    s->tStart = uniform(random, 0, 0.6);
    s->tEnd = uniform(random, s->tStart, 1);
  }
  for (int i = 0; how == 1u && i < BODIES; ++i) {
    if (!isLone(s, i)) continue;
    s->motion[i] = velocitiesMotion(randomPose(random, 1.5), randomVector(random, 2), randomVector(random, 6));
    s->moves[i] = true;
    ASSERT_OK(built->world, api()->setBodyMotion(built->world, built->body[i], &s->motion[i]));
  }
  for (int n = 0; how == 2u && n < 3; ++n) {
    int i = (int)(nextBits(random) % BODIES), k = (int)(nextBits(random) % COLLIDERS);
    setMotion(random, s, i);
    brinkBodyMotion motion = s->motion[i];
    if (!s->moves[i]) { /* rests where it was put */
      motion = velocitiesMotion(s->place[i], vec(0, 0, 0), vec(0, 0, 0));
      if (s->joint[i]) motion = posesMotion(s->place[i], s->place[i]);
      s->motion[i] = motion;
      s->moves[i] = true;
    }
    ASSERT_OK(built->world, api()->setBodyMotion(built->world, built->body[i], &motion));
    switch (nextBits(random) % 3u) {
      case 0:
        s->thing[k].pose = randomPose(random, s->thing[k].body < 0 ? 2.0 : 0.3);
        ASSERT_OK(built->world, api()->setColliderPose(built->world, built->collider[k], &s->thing[k].pose));
        break;
      case 1:
        s->thing[k].category = 1u + nextBits(random) % 3u;
        ASSERT_OK(built->world, api()->setColliderFilter(built->world, built->collider[k], s->thing[k].category,
                                                         s->thing[k].collide));
        break;
      default:
        ASSERT_OK(built->world, api()->destroyCollider(built->world, built->collider[k]));
        s->thing[k].shape = (int)(nextBits(random) % SHAPES);
        built->collider[k] = addThing(built, &s->thing[k]);
        break;
    }
  }
}

typedef struct Answer {
  uint32_t state;
  double toi, distance;
} Answer;

static Answer answerOf(const brinkReport *report, brinkColliderId a, brinkColliderId b) {
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *c = &report->contacts[i];
    if ((c->colliderA == a && c->colliderB == b) || (c->colliderA == b && c->colliderB == a))
      if (c->state != brink_free) return (Answer){c->state, c->toi, c->distance};
  }
  return (Answer){brink_free, 2, 0};
}

typedef struct Count {
  int questions, contacts, differences;
} Count;

static void askAll(const Stage *s, const Built *built, int scene, int question, Count *count) {
  brinkQuery query = wholeStep();
  query.mode = brink_modePairs;
  query.tStart = s->tStart;
  query.tEnd = s->tEnd;
  query.tolerance = 1e-5;
  brinkReport whole = ask(built->world, &query);
  Answer answers[COLLIDERS][COLLIDERS];
  for (int i = 0; i < COLLIDERS; ++i)
    for (int j = i + 1; j < COLLIDERS; ++j) answers[i][j] = answerOf(&whole, built->collider[i], built->collider[j]);
  for (int i = 0; i < COLLIDERS; ++i)
    for (int j = i + 1; j < COLLIDERS; ++j) {
      const int only[2] = {i, j};
      Built alone;
      build(s, only, &alone);
      brinkReport report = ask(alone.world, &query);
      Answer expected = answerOf(&report, alone.collider[i], alone.collider[j]), got = answers[i][j];
      ++count->questions;
      count->contacts += expected.state != brink_free;
      /* cached poses may be a rounding off: times to 1e-9 */
      if (got.state != expected.state || fabs(got.toi - expected.toi) > 1e-9) {
        ++count->differences;
        print_message("scene %d, question %d, things %d %d: %u at %.17g, alone %u at %.17g\n", scene, question, i, j,
                      got.state, got.toi, expected.state, expected.toi);
      }
      ASSERT_OK(alone.world, api()->destroyWorld(alone.world));
    }
}

CASE(a_scene_answers_each_pair_as_a_world_that_holds_it_alone) {
  Count count = {0};
  for (int n = 0; n < SCENES; ++n) {
    Random generator = {900u + (uint64_t)n}, *random = &generator;
    static Stage stage;
    Built built;
    makeStage(random, &stage);
    build(&stage, NULL, &built);
    for (int question = 0; question < QUESTIONS; ++question) {
      if (question > 0) change(random, &stage, &built);
      askAll(&stage, &built, n, question, &count);
    }
    ASSERT_OK(built.world, api()->destroyWorld(built.world));
  }
  print_message("%d questions, %d contacts, %d differences\n", count.questions, count.contacts, count.differences);
  assert_true(count.questions >= 400 * SCENES && count.contacts >= 20 * SCENES);
  assert_int_equal(count.differences, 0);
}

int main(void) { return cases_Run(NULL, NULL); }
