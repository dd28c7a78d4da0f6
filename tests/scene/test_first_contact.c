/* SPDX-License-Identifier: BSD-3-Clause */
/* The scene query: which pairs meet, which first. Known answers, the order of the stages against brute force over
 * pairs, thresholds of depth-watching queries, filters, determinism, memory. */
#include "cases.h"
#include "first_contact.h"

#include "contact_support.h"

enum { modeFirst = 0, modePairs = 1, modeBoolean = 2, watchContact = 0, watchDepth = 1 };
enum { MAX_SHAPES = 64 };

static uint32_t schemeUnderTest =
    1; /* brinkScheme: every test runs under the paper's scheme and under the default one */

typedef struct world {
  brinkContext context;
  brinkScene *scene;
  testTree tree;
  brinkShape *shapes[MAX_SHAPES];
  int shapeCount;
} world;

static void startWorld(world *w) {
  memset(w, 0, sizeof *w);
  brinkInitContext(&w->context);
  assert_int_equal(brinkScene_Create(&w->context, &w->scene), brink_ok);
  clearTree(&w->tree);
}
static void stopWorld(world *w) {
  brinkScene_Destroy(w->scene);
  for (int i = 0; i < w->shapeCount; ++i) brinkDestroyShape(&w->context, w->shapes[i]);
}
static const brinkShape *keep(world *w, brinkShape *shape) {
  w->shapes[w->shapeCount++] = shape;
  return shape;
}
static uint32_t addCollider(world *w, const brinkShape *shape, int32_t link, brinkVec3 at, uint64_t key) {
  brinkSceneCollider def = {.key = key, .category = 1, .collide = 1};
  def.collider = (brinkCollider){shape, brinkIdentityRigid(), link};
  def.collider.local.p = at;
  uint32_t index = 0;
  if (brinkScene_AddCollider(w->scene, &def, &index) != brink_ok) fail_msg("%s", w->context.message);
  return index;
}
static int32_t addBody(world *w, int32_t parent, brinkVec3 position, brinkQuat q, brinkVec3 velocity, brinkVec3 spin) {
  oracleLink link = makeLink(position, q, velocity, spin);
  return addChain(&w->tree, &link, 1, parent);
}
static brinkSceneQuery makeQuery(world *w, uint32_t mode, uint32_t watch) {
  return (brinkSceneQuery){.tree = &w->tree.tree,
                           .mode = mode,
                           .scheme = schemeUnderTest,
                           .watch = watch,
                           .tEnd = 1,
                           .taylorOrder = 3,
                           .onlyLink = -2};
}
static brinkSceneReport ask(world *w, const brinkSceneQuery *query) {
  brinkSceneReport report;
  if (brinkFirstContact(w->scene, query, &report) != brink_ok) fail_msg("%s", w->context.message);
  return report;
}

/* ---- known answers */

CASE(the_first_of_three_falling_balls_is_reported) {
  world w;
  startWorld(&w);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5)), *floor = keep(&w, makeBox(&w.context, 20, 20, 0.5));
  addCollider(&w, floor, -1, brinkV3(0, 0, -0.5), 1);
  const double heights[3] = {2, 1.5, 2.2};
  for (int i = 0; i < 3; ++i) {
    int32_t link = addBody(&w, -1, brinkV3(3 * i, 0, heights[i]), unturned, brinkV3(0, 0, -4), brinkV3(0, 0, 0));
    addCollider(&w, ball, link, brinkV3(0, 0, 0), 10 + (uint64_t)i);
  }
  brinkSceneQuery query = makeQuery(&w, modeFirst, watchContact);
  brinkSceneReport report = ask(&w, &query);
  assert_int_equal(report.state, brink_hit);
  assert_true(report.toi <= 0.25 && report.toi > 0.25 - 1e-6);
  assert_int_equal(report.pairCount, 1);
  assert_true(report.pairs[0].a == 0 && report.pairs[0].b == 2);
  assert_true(report.pairs[0].result.normal.z > 0.999);
  assert_int_equal(report.counters.pairsBefore, 6);
  assert_int_equal(report.counters.pairsSpatial, 3);
  query.window = 0.2;
  report = ask(&w, &query);
  assert_int_equal(report.pairCount, 3);
  assert_true(report.pairs[1].b == 1 && report.pairs[2].b == 3);
  query.mode = modePairs;
  report = ask(&w, &query);
  assert_int_equal(report.pairCount, 3);
  query.mode = modeBoolean;
  report = ask(&w, &query);
  assert_true(report.state == brink_hit && report.pairCount == 1);
  stopWorld(&w);
}

CASE(planes_are_met_and_culled) {
  world w;
  startWorld(&w);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5));
  const brinkShape *ground = keep(&w, makePlane(&w.context, brinkV3(0, 0, 1), 0));
  int32_t low = addBody(&w, -1, brinkV3(0, 0, 1), unturned, brinkV3(0, 0, -1), brinkV3(0, 0, 0));
  int32_t high = addBody(&w, -1, brinkV3(9, 0, 5), unturned, brinkV3(0, 0, -1), brinkV3(0, 0, 0));
  addCollider(&w, ground, -1, brinkV3(0, 0, 0.25), 1); /* raised by 0.25 */
  addCollider(&w, ball, low, brinkV3(0, 0, 0), 2);
  addCollider(&w, ball, high, brinkV3(0, 0, 0), 3);
  brinkSceneQuery query = makeQuery(&w, modeFirst, watchContact);
  brinkSceneReport report = ask(&w, &query);
  assert_int_equal(report.state, brink_hit);
  assert_true(report.toi <= 0.25 && report.toi > 0.25 - 1e-5);
  assert_int_equal(report.counters.pairsSpatial, 1);
  assert_true(report.pairs[0].a == 0 && report.pairs[0].b == 1);
  stopWorld(&w);
}

CASE(nothing_near_is_free) {
  world w;
  startWorld(&w);
  brinkSceneQuery query = makeQuery(&w, modeFirst, watchContact);
  brinkSceneReport report = ask(&w, &query);
  assert_true(report.state == brink_free && report.pairCount == 0 && report.toi == BRINK_NO_TIME);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5));
  int32_t a = addBody(&w, -1, brinkV3(0, 0, 0), unturned, brinkV3(1, 0, 0), brinkV3(0, 0, 0));
  int32_t b = addBody(&w, -1, brinkV3(0, 5, 0), unturned, brinkV3(1, 0, 0), brinkV3(0, 0, 0));
  addCollider(&w, ball, a, brinkV3(0, 0, 0), 1);
  addCollider(&w, ball, b, brinkV3(0, 0, 0), 2);
  int32_t c = addBody(&w, -1, brinkV3(0, -5, 0), unturned, brinkV3(1, 0, 0), brinkV3(0, 0, 0));
  addCollider(&w, ball, c, brinkV3(0, 0, 0), 3);
  report = ask(&w, &query);
  assert_true(report.state == brink_free && report.pairCount == 0);
  assert_true(report.counters.pairsBefore == 3 && report.counters.pairsSpatial == 0);
  stopWorld(&w);
}

/* Without boxes: they would cost more than the pair. */
CASE(a_single_pair_is_asked_as_it_is) {
  world w;
  startWorld(&w);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5)),
                   *floor = keep(&w, makePlane(&w.context, brinkV3(0, 0, 1), 0));
  int32_t a = addBody(&w, -1, brinkV3(0, 0, 1), unturned, brinkV3(1, 0, 0), brinkV3(0, 0, 0));
  int32_t b = addBody(&w, -1, brinkV3(0, 5, 1), unturned, brinkV3(1, 0, 0), brinkV3(0, 0, 0));
  addCollider(&w, ball, a, brinkV3(0, 0, 0), 1);
  uint32_t other = addCollider(&w, ball, b, brinkV3(0, 0, 0), 2);
  brinkSceneQuery query = makeQuery(&w, modePairs, watchContact);
  brinkSceneReport report = ask(&w, &query);
  uint64_t left = schemeUnderTest == 0 ? 1 : 0; /* the paper's scheme always makes boxes */
  assert_true(report.state == brink_free && report.counters.pairsBefore == 1);
  assert_true(report.counters.pairsSpatial == left && report.pairCount == left);
  if (left == 1) assert_true(report.pairs[0].result.distance > 3.9 && report.pairs[0].result.distance <= 4);
  brinkScene_Collider(w.scene, other)->category = 0;
  brinkScene_Collider(w.scene, other)->collide = 0;
  report = ask(&w, &query);
  assert_true(report.pairCount == 0 && report.counters.pairsSpatial == 0);
  brinkScene_RemoveCollider(w.scene, other);
  addCollider(&w, floor, -1, brinkV3(0, 0, 0), 3);
  report = ask(&w, &query);
  assert_true(report.state == brink_free && report.counters.pairsSpatial == left);
  stopWorld(&w);
}

/* Two long thin meshes side by side, turned so that their boxes along the axes overlap: what their oriented boxes
 * settle costs no search. Where only the boxes' middles are apart the search decides. */
CASE(oriented_boxes_settle_what_boxes_along_the_axes_cannot) {
  const brinkQuat turned = {0.92387953251128674, 0, 0, 0.38268343236508977}; /* by 45 degrees */
  for (int near = 0; near < 2; ++near) {
    world w;
    startWorld(&w);
    meshData mesh = makeBoxMesh(2, 0.1, 0.1);
    const brinkShape *rod = keep(&w, makeMeshShape(&w.context, &mesh, testMesh, 0));
    const double gap = near ? 0.21 : 1; /* across the rods, which come nearer by 0.1 */
    for (int i = 0; i < 3; ++i) {
      const double off = 0.70710678118654752 * gap * i;
      int32_t body = addBody(&w, -1, brinkV3(-off, off, 0), turned, brinkV3(i == 0 ? -0.07 : 0, i == 0 ? 0.07 : 0, 0),
                             brinkV3(0, 0, 0));
      addCollider(&w, rod, body, brinkV3(0, 0, 0), (uint64_t)i + 1);
    }
    brinkSceneQuery query = makeQuery(&w, modePairs, watchContact);
    brinkSceneReport report = ask(&w, &query);
    assert_int_equal(report.counters.pairsSpatial, 3);
    assert_int_equal(report.pairCount, 3);
    assert_true(report.state == (near ? brink_hit : brink_free));
    if (near) assert_true(report.toi > 0.09 && report.toi <= 0.01 / 0.0989);
    if (!near && schemeUnderTest == 0) assert_int_equal(report.counters.nodePairs, 0);
    /* pairs that are named are asked without boxes: nothing of the motion before may be left */
    w.tree.links[0].v = brinkV3(-2, 2, 0);
    brinkLinkMotion_Prepare(&w.tree.links[0]);
    const brinkIndexPair named = {0, 1};
    query.pairs = &named;
    query.pairCount = 1;
    report = ask(&w, &query);
    assert_true(report.state == brink_hit && report.pairCount == 1 && report.toi > 0);
    stopWorld(&w);
  }
}

/* All pairs at once are found by groups of boxes against groups, those of one link by its own box: the same pairs. */
CASE(all_pairs_at_once_are_those_of_each_link_alone) {
  enum { BODIES = 60 };
  world w;
  startWorld(&w);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.2)), *box = keep(&w, makeBox(&w.context, 0.4, 0.3, 0.2));
  generator g = {31000};
  int32_t links[BODIES];
  for (int i = 0; i < BODIES; ++i) {
    brinkVec3 at = i == 7 ? brinkV3(3e31, 0, 0) : i == 8 ? brinkV3(3e31, 1, 0) : randomIn(&g, 2);
    int32_t parent = i % 5 == 4 ? links[i - 1] : -1;
    links[i] = addBody(&w, parent, parent >= 0 ? randomIn(&g, 0.7) : at, randomRotation(&g), randomIn(&g, 0.5),
                       randomIn(&g, 1));
    addCollider(&w, ball, links[i], randomIn(&g, 0.3), (uint64_t)(2 * i));
    addCollider(&w, box, links[i], randomIn(&g, 0.3), (uint64_t)(2 * i + 1));
  }
  addCollider(&w, box, -1, brinkV3(0, 0, 0), 1000);
  brinkSceneQuery query = makeQuery(&w, modePairs, watchContact);
  brinkSceneReport report = ask(&w, &query);
  const size_t all = report.pairCount;
  assert_true(all > 200);
  static bool found[2 * BODIES + 1][2 * BODIES + 1];
  memset(found, 0, sizeof found);
  for (size_t i = 0; i < all; ++i) {
    assert_true(report.pairs[i].a != report.pairs[i].b && !found[report.pairs[i].a][report.pairs[i].b]);
    found[report.pairs[i].a][report.pairs[i].b] = true;
  }
  size_t seen = 0;
  for (int i = 0; i < BODIES; ++i) {
    query.onlyLink = links[i];
    report = ask(&w, &query);
    for (size_t k = 0; k < report.pairCount; ++k) {
      uint32_t a = report.pairs[k].a, b = report.pairs[k].b;
      if (!found[a][b]) fail_msg("%u and %u: found around one alone", (unsigned)a, (unsigned)b);
      int32_t other = brinkScene_Collider(w.scene, brinkScene_Collider(w.scene, a)->collider.link == links[i] ? b : a)
                          ->collider.link;
      seen += other < links[i]; /* pairs of two links come up twice */
    }
  }
  assert_int_equal(seen, all);
  stopWorld(&w);
}

CASE(a_query_about_one_moment_is_a_static_query) {
  world w;
  startWorld(&w);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5));
  int32_t link = addBody(&w, -1, brinkV3(0, 0, 0), unturned, brinkV3(4, 0, 0), brinkV3(0, 0, 1));
  addCollider(&w, ball, link, brinkV3(0, 0, 0), 1);
  addCollider(&w, ball, -1, brinkV3(2, 0, 0), 2);
  for (uint32_t mode = 0; mode < 3; ++mode) {
    for (double t = 0; t <= 1; t += 0.125) {
      brinkSceneQuery query = makeQuery(&w, mode, watchContact);
      query.tStart = query.tEnd = t;
      brinkSceneReport report = ask(&w, &query);
      assert_int_equal(report.state, fabs(4 * t - 2) <= 1 ? brink_overlap : brink_free);
      if (report.state == brink_overlap) assert_true(report.toi == t);
    }
  }
  stopWorld(&w);
}

/* A chain of three bars folds until the last hits the first (never tested: neighbours). */
CASE(a_chain_hits_itself_but_not_its_neighbours) {
  world w;
  startWorld(&w);
  const brinkShape *bar = keep(&w, makeBox(&w.context, 0.5, 0.05, 0.05));
  double turn = 2.5;
  int32_t one = addBody(&w, -1, brinkV3(0, 0, 0), unturned, brinkV3(7, 0, 0), brinkV3(0, 3, 0));
  int32_t two = addBody(&w, one, brinkV3(1.1, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, turn));
  int32_t three = addBody(&w, two, brinkV3(1.1, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, turn));
  addCollider(&w, bar, one, brinkV3(0.5, 0, 0), 1);
  addCollider(&w, bar, two, brinkV3(0.5, 0, 0), 2);
  addCollider(&w, bar, three, brinkV3(0.5, 0, 0), 3);
  brinkSceneQuery query = makeQuery(&w, modeFirst, watchContact);
  brinkSceneReport report = ask(&w, &query);
  assert_int_equal(report.counters.pairsBefore, 1);
  assert_int_equal(report.state, brink_hit);
  assert_true(report.pairs[0].a == 0 && report.pairs[0].b == 2);
  meshData mesh = makeBoxMesh(0.5, 0.05, 0.05);
  for (int i = 0; i < mesh.vertexCount; ++i) mesh.vertices[3 * i] += 0.5;
  oracleLink chain[2] = {makeLink(brinkV3(1.1, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, turn)),
                         makeLink(brinkV3(1.1, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, turn))};
  oracleBody first = makeOracleBody(&mesh, NULL, 0, true), last = makeOracleBody(&mesh, chain, 2, true);
  int undecided = 0;
  assert_true(oracleAgrees(&report.pairs[0].result, &first, &last, 1, 1e-6, 5000, &undecided) && undecided == 0);
  stopWorld(&w);
}

/* ---- depth watching */

CASE(a_resting_box_never_fires) {
  world w;
  startWorld(&w);
  const brinkShape *box = keep(&w, makeBox(&w.context, 0.5, 0.5, 0.5)),
                   *floor = keep(&w, makeBox(&w.context, 9, 9, 0.5));
  double allowance = 0.05; /* 0.05 of the smallest extent 1 */
  for (double depth = -0.02; depth < 0.2; depth += 0.001) {
    for (int sign = -1; sign <= 1; ++sign) {
      brinkScene_Destroy(w.scene);
      assert_int_equal(brinkScene_Create(&w.context, &w.scene), brink_ok);
      clearTree(&w.tree);
      double jitter = sign * 0.01 * allowance;
      int32_t link = addBody(&w, -1, brinkV3(0, 0, 1 - depth), unturned, brinkV3(0.3, 0.1, jitter), brinkV3(0, 0, 0.2));
      addCollider(&w, box, link, brinkV3(0, 0, 0), 1);
      addCollider(&w, floor, -1, brinkV3(0, 0, 0), 2);
      brinkSceneQuery query = makeQuery(&w, modeFirst, watchDepth);
      brinkSceneReport report = ask(&w, &query);
      /* separations in the band just above zero are watched down to -a/2; above a/4 the event is touching itself */
      if (report.state != brink_free)
        fail_msg("depth %g jitter %g: state %d toi %g", depth, jitter, (int)report.state, report.toi);
    }
  }
  stopWorld(&w);
}

CASE(a_deepening_box_fires_once_at_its_limit) {
  world w;
  startWorld(&w);
  double a = 0.05;
  struct {
    double start, event;
  } rows[] = {{0.1, 0},
              {0.3 * a, 0},
              {0.2 * a, -0.5 * a},
              {0, -0.5 * a},
              {-0.25 * a, -0.75 * a},
              {-0.6 * a, -a},
              {-1.5 * a, -1.5 * a - a / 16},
              {-a - 1e-9, -a - 1e-9 - a / 16}};
  meshData boxMesh = makeBoxMesh(0.5, 0.5, 0.5), floorMesh = makeBoxMesh(9, 9, 0.5);
  const brinkShape *boxes[2] = {keep(&w, makeBox(&w.context, 0.5, 0.5, 0.5)),
                                keep(&w, makeMeshShape(&w.context, &boxMesh, testHull, 0))};
  const brinkShape *floors[3] = {keep(&w, makeBox(&w.context, 9, 9, 0.5)),
                                 keep(&w, makeMeshShape(&w.context, &floorMesh, testHull, 0)),
                                 keep(&w, makePlane(&w.context, brinkV3(0, 0, 1), 0.5))};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        brinkScene_Destroy(w.scene);
        assert_int_equal(brinkScene_Create(&w.context, &w.scene), brink_ok);
        clearTree(&w.tree);
        double speed = 0.3;
        int32_t link =
            addBody(&w, -1, brinkV3(0, 0, 1 + rows[k].start), unturned, brinkV3(0.1, 0, -speed), brinkV3(0, 0, 0));
        addCollider(&w, boxes[i], link, brinkV3(0, 0, 0), 1);
        addCollider(&w, floors[j], -1, brinkV3(0, 0, 0), 2);
        brinkSceneQuery query = makeQuery(&w, modeFirst, watchDepth);
        brinkSceneReport report = ask(&w, &query);
        double expected = (rows[k].start - rows[k].event) / speed;
        if (report.state != brink_hit || report.toi > expected + 1e-12 || report.toi < expected - 1e-5)
          fail_msg("shapes %d %d, start %g: state %d toi %.12g, expected %.12g", i, j, rows[k].start, (int)report.state,
                   report.toi, expected);
        assert_true(fabs(report.pairs[0].threshold - rows[k].event) < 1e-9);
      }
    }
  }
  stopWorld(&w);
}

CASE(meshes_are_kept_apart_by_a_positive_distance) {
  world w;
  startWorld(&w);
  double a = 0.05;
  struct {
    double start, event;
  } rows[] = {{0.1, 0.5 * a},
              {0.6 * a, 0.5 * a},
              {0.4 * a, 0.25 * a},
              {0.2 * a, (0.2 + 1.0 / 32) / 2 * a}, /* half of the way to the next of a/32, a/256, ... */
              {0.01 * a, (0.01 + 1.0 / 256) / 2 * a}};
  meshData boxMesh = makeBoxMesh(0.5, 0.5, 0.5), floorMesh = makeBoxMesh(9, 9, 0.5);
  const brinkShape *box = keep(&w, makeMeshShape(&w.context, &boxMesh, testMesh, 0));
  const brinkShape *floor = keep(&w, makeMeshShape(&w.context, &floorMesh, testMesh, 0));
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
    for (int rest = 0; rest < 2; ++rest) {
      brinkScene_Destroy(w.scene);
      assert_int_equal(brinkScene_Create(&w.context, &w.scene), brink_ok);
      clearTree(&w.tree);
      double speed = rest ? 0 : 0.3;
      int32_t link =
          addBody(&w, -1, brinkV3(0, 0, 1 + rows[k].start), unturned, brinkV3(0.1, 0, -speed), brinkV3(0, 0, 0));
      uint32_t index = addCollider(&w, box, link, brinkV3(0, 0, 0), 1);
      addCollider(&w, floor, -1, brinkV3(0, 0, 0), 2);
      assert_true(fabs(brinkSceneCollider_Allowance(brinkScene_Collider(w.scene, index)) - a) < 1e-12);
      brinkSceneQuery query = makeQuery(&w, modeFirst, watchDepth);
      brinkSceneReport report = ask(&w, &query);
      if (rest) {
        assert_int_equal(report.state, brink_free);
        continue;
      }
      double expected = (rows[k].start - rows[k].event) / speed;
      if (report.state != brink_hit || report.toi > expected + 1e-9 || report.toi < expected - 1e-5)
        fail_msg("start %g: state %d toi %.12g, expected %.12g", rows[k].start, (int)report.state, report.toi,
                 expected);
    }
  }
  /* crossing meshes say so */
  brinkScene_Destroy(w.scene);
  assert_int_equal(brinkScene_Create(&w.context, &w.scene), brink_ok);
  clearTree(&w.tree);
  int32_t link = addBody(&w, -1, brinkV3(0, 0, 0.99), unturned, brinkV3(0, 0, 1), brinkV3(0, 0, 0));
  addCollider(&w, box, link, brinkV3(0, 0, 0), 1);
  addCollider(&w, floor, -1, brinkV3(0, 0, 0), 2);
  brinkSceneQuery query = makeQuery(&w, modeFirst, watchDepth);
  brinkSceneReport report = ask(&w, &query);
  assert_true(report.state == brink_overlap && report.toi == 0);
  stopWorld(&w);
}

CASE(a_stack_resolved_step_by_step_never_ratchets_deeper_than_its_limit) {
  world w;
  startWorld(&w);
  const brinkShape *box = keep(&w, makeBox(&w.context, 0.5, 0.5, 0.5)),
                   *floor = keep(&w, makeBox(&w.context, 9, 9, 0.5));
  double a = 0.05, depth = 0, deepest = 0;
  int events = 0;
  /* a stepper that stops at each event and goes on: depth at most a plus what lies beyond in sixteenths */
  for (int step = 0; step < 40; ++step) {
    brinkScene_Destroy(w.scene);
    assert_int_equal(brinkScene_Create(&w.context, &w.scene), brink_ok);
    clearTree(&w.tree);
    double sink = 0.004;
    int32_t link = addBody(&w, -1, brinkV3(0, 0, 1 - depth), unturned, brinkV3(0, 0, -sink), brinkV3(0, 0, 0));
    addCollider(&w, box, link, brinkV3(0, 0, 0), 1);
    addCollider(&w, floor, -1, brinkV3(0, 0, 0), 2);
    brinkSceneQuery query = makeQuery(&w, modeFirst, watchDepth);
    brinkSceneReport report = ask(&w, &query);
    double t = report.state == brink_hit ? report.toi : 1;
    depth += sink * t;
    deepest = fmax(deepest, depth);
    if (report.state == brink_hit) {
      ++events;
      depth = fmax(0, depth - 0.01); /* the response pushes out */
    }
  }
  assert_true(events > 0 && deepest <= a);
  stopWorld(&w);
}

/* ---- against brute force over pairs */

typedef struct cloud {
  meshData meshes[4];
  oracleLink chains[24][MAX_CHAIN];
  int counts[24], kinds[24];
  int32_t links[24];
  int bodies;
} cloud;

/* Some free bodies, some chains of three, a static sheet. */
static void fillWorld(world *w, cloud *c, uint64_t seed, int groups, double speed) {
  generator g = {seed};
  memset(c, 0, sizeof *c);
  c->meshes[0] = makeBoxMesh(0.3, 0.2, 0.25);
  c->meshes[1] = makeIcosahedronMesh(0.3, 0.25, 0.35);
  c->meshes[2] = makeStarMesh(4, 0.15, 0.4, 0.1);
  c->meshes[3] = makeSheetMesh(&g, 6, 4, 0.3);
  const brinkShape *shapes[4];
  for (int i = 0; i < 4; ++i)
    shapes[i] = keep(w, makeMeshShape(&w->context, &c->meshes[i], i < 2 ? testHull : testMesh, 0));
  for (int i = 0; i < groups; ++i) {
    int32_t parent = -1;
    int length = i % 2 == 0 ? 1 : 3, above = -1;
    for (int k = 0; k < length; ++k) {
      int body = c->bodies++;
      if (above >= 0) memcpy(c->chains[body], c->chains[above], sizeof c->chains[body]);
      brinkVec3 at = k == 0 ? brinkAdd(randomIn(&g, 2.5), brinkV3(0, 0, 2)) : brinkScale(randomDirection(&g), 0.8);
      c->chains[body][k] = makeLink(at, randomRotation(&g), randomIn(&g, k == 0 ? speed : 0), randomIn(&g, 2));
      c->counts[body] = k + 1;
      c->kinds[body] = (int)(nextBits(&g) % 3u);
      parent = addChain(&w->tree, &c->chains[body][k], 1, parent);
      c->links[body] = parent;
      addCollider(w, shapes[c->kinds[body]], parent, brinkV3(0, 0, 0), 100 + (uint64_t)(body * 7 % 24));
      above = body;
    }
  }
  c->counts[c->bodies] = 0;
  c->kinds[c->bodies] = 3;
  c->links[c->bodies] = -1;
  addCollider(w, shapes[3], -1, brinkV3(0, 0, 0), 1000);
}
static oracleBody bodyOf(const cloud *c, int i) {
  return makeOracleBody(&c->meshes[c->kinds[i]], c->chains[i], c->counts[i], c->kinds[i] < 2);
}

CASE(the_scene_says_what_its_pairs_say) {
  int hits = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    world w;
    cloud c;
    startWorld(&w);
    fillWorld(&w, &c, seed, 6, seed % 3 == 0 ? 0.3 : 2.0);
    brinkSceneQuery query = makeQuery(&w, modePairs, watchContact);
    query.tolerance = 1e-6;
    brinkSceneReport pairs = ask(&w, &query);
    double earliest = HUGE_VAL;
    int count = 0;
    for (size_t i = 0; i < pairs.pairCount; ++i) {
      const brinkPairResult *result = &pairs.pairs[i].result;
      if (result->state == brink_hit || result->state == brink_overlap) {
        earliest = fmin(earliest, result->toi);
        ++count;
      }
    }
    query.mode = modeFirst;
    brinkSceneReport first = ask(&w, &query);
    if (count == 0) {
      assert_int_equal(first.state, brink_free);
    } else {
      ++hits;
      if (fabs(first.toi - earliest) > 1e-4)
        fail_msg("seed %d: first %.17g, pairs' earliest %.17g", (int)seed, first.toi, earliest);
    }
    query.mode = modeBoolean;
    brinkSceneReport any = ask(&w, &query);
    assert_int_equal(any.state == brink_free, count == 0);
    query.mode = modeFirst;
    query.window = 1;
    brinkSceneReport window = ask(&w, &query);
    assert_true((int)window.pairCount >= count - 1 && (int)window.pairCount <= count + 1);
    /* coarser Taylor models cull less and change nothing else */
    query.mode = modePairs;
    query.window = 0;
    query.taylorOrder = 0;
    brinkSceneReport order0 = ask(&w, &query);
    assert_true(order0.counters.pairsSpatial >= pairs.counters.pairsSpatial);
    assert_true(order0.counters.pairsBefore == pairs.counters.pairsBefore);
    assert_true(order0.state == pairs.state && (count == 0 || fabs(order0.toi - earliest) < 1e-4));
    stopWorld(&w);
  }
  assert_true(hits > 10);
}

CASE(every_pair_of_a_scene_agrees_with_the_oracle) {
  int undecided = 0, met = 0, pairsAsked = 0;
  for (uint64_t seed = 40; seed < 50; ++seed) {
    world w;
    cloud c;
    startWorld(&w);
    fillWorld(&w, &c, seed, 5, 2.0);
    brinkSceneQuery query = makeQuery(&w, modePairs, watchContact);
    query.tolerance = 1e-5;
    brinkSceneReport report = ask(&w, &query);
    for (int i = 0; i <= c.bodies; ++i) {
      for (int j = i + 1; j <= c.bodies; ++j) {
        int32_t linkA = c.links[i], linkB = c.links[j];
        if (linkB >= 0 && (w.tree.links[linkB].parent == linkA || w.tree.links[linkA].parent == linkB)) continue;
        brinkPairResult result = {.state = brink_free}; /* what no list mentions is claimed free */
        for (size_t k = 0; k < report.pairCount; ++k) {
          uint32_t a = report.pairs[k].a, b = report.pairs[k].b;
          if ((a == (uint32_t)i && b == (uint32_t)j) || (a == (uint32_t)j && b == (uint32_t)i))
            result = report.pairs[k].result;
        }
        oracleBody a = bodyOf(&c, i), b = bodyOf(&c, j);
        met += result.state == brink_hit;
        ++pairsAsked;
        if (!oracleAgrees(&result, &a, &b, 1, 1e-5, 600, &undecided))
          fail_msg("seed %d bodies %d %d: state %d", (int)seed, i, j, (int)result.state);
      }
    }
    stopWorld(&w);
  }
  printf("%d pairs, %d hits, oracle undecided %d\n", pairsAsked, met, undecided);
  assert_true(met > 5 && undecided < pairsAsked / 5);
}

/* ---- filters and bookkeeping */

static bool leaveOutKeyOne(void *user, const brinkSceneCollider *a, const brinkSceneCollider *b) {
  ++*(int *)user;
  assert_true(a->key < b->key);
  return a->key != 1 && b->key != 1;
}

CASE(filters_leave_pairs_out) {
  world w;
  startWorld(&w);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5));
  int32_t a = addBody(&w, -1, brinkV3(0, 0, 0), unturned, brinkV3(1, 0, 0), brinkV3(0, 0, 0));
  int32_t b = addBody(&w, -1, brinkV3(1.5, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
  uint32_t one = addCollider(&w, ball, a, brinkV3(0, 0, 0), 1), two = addCollider(&w, ball, b, brinkV3(0, 0, 0), 2);
  brinkSceneQuery query = makeQuery(&w, modeFirst, watchContact);
  assert_int_equal(ask(&w, &query).state, brink_hit);
  /* bits */
  brinkScene_Collider(w.scene, one)->collide = 2;
  assert_int_equal(ask(&w, &query).state, brink_hit); /* the other still asks for it */
  brinkScene_Collider(w.scene, two)->collide = 2;
  assert_int_equal(ask(&w, &query).state, brink_free);
  brinkScene_Collider(w.scene, two)->category = 2;
  assert_int_equal(ask(&w, &query).state, brink_hit);
  /* list */
  assert_int_equal(brinkScene_IgnorePair(w.scene, two, one, true), brink_ok);
  assert_int_equal(brinkScene_IgnorePair(w.scene, one, two, true), brink_ok);
  assert_int_equal(ask(&w, &query).state, brink_free);
  assert_int_equal(brinkScene_IgnorePair(w.scene, one, two, false), brink_ok);
  assert_int_equal(ask(&w, &query).state, brink_hit);
  /* callback */
  int calls = 0;
  query.filter = leaveOutKeyOne;
  query.filterUser = &calls;
  assert_int_equal(ask(&w, &query).state, brink_free);
  assert_int_equal(calls, 1);
  query.filter = NULL;
  /* one link only */
  query.onlyLink = a;
  assert_int_equal(ask(&w, &query).state, brink_hit);
  query.onlyLink = -1;
  assert_int_equal(ask(&w, &query).state, brink_free);
  query.onlyLink = -2;
  /* same link, parent and child */
  brinkScene_Collider(w.scene, two)->collider.link = a;
  assert_int_equal(ask(&w, &query).counters.pairsBefore, 0);
  /* both static */
  brinkScene_Collider(w.scene, one)->collider.link = brinkScene_Collider(w.scene, two)->collider.link = -1;
  assert_int_equal(ask(&w, &query).counters.pairsBefore, 0);
  /* static and moving: they start at one place */
  brinkScene_Collider(w.scene, one)->collider.link = a;
  assert_int_equal(ask(&w, &query).state, brink_overlap);
  brinkRigid away = brinkIdentityRigid();
  away.p.y = 50;
  assert_int_equal(brinkScene_SetLocal(w.scene, two, &away), brink_ok);
  assert_int_equal(ask(&w, &query).state, brink_free);
  assert_int_equal(brinkScene_SetLocal(w.scene, 77, &away), brink_errorStale);
  stopWorld(&w);
}

CASE(removed_colliders_are_gone_and_their_places_used_again) {
  world w;
  startWorld(&w);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5));
  int32_t link = addBody(&w, -1, brinkV3(0, 0, 0), unturned, brinkV3(1, 0, 0), brinkV3(0, 0, 0));
  uint32_t moving = addCollider(&w, ball, link, brinkV3(0, 0, 0), 1),
           wall = addCollider(&w, ball, -1, brinkV3(1.5, 0, 0), 2);
  brinkSceneQuery query = makeQuery(&w, modeFirst, watchContact);
  assert_int_equal(ask(&w, &query).state, brink_hit);
  assert_int_equal(brinkScene_IgnorePair(w.scene, moving, wall, true), brink_ok);
  brinkScene_RemoveCollider(w.scene, wall);
  assert_null(brinkScene_Collider(w.scene, wall));
  assert_int_equal(ask(&w, &query).state, brink_free);
  uint32_t again = addCollider(&w, ball, -1, brinkV3(1.5, 0, 0), 3);
  assert_int_equal(again, wall);
  assert_int_equal(ask(&w, &query).state, brink_hit); /* the old one's ignored pair died with it */
  brinkScene_RemoveCollider(w.scene, moving);
  assert_int_equal(ask(&w, &query).state, brink_free);
  stopWorld(&w);
}

/* However many boxes there are, crowded in places and with some far off or without bounds in single precision: the
 * pairs are those of comparing each with each. All at once (groups against groups), and each around itself. */
/* Posts, a ball above each, and a ball beside each of those: post first, post last, by turns. */
CASE(a_small_scene_finds_the_same_pairs_in_any_order_of_its_colliders) {
  enum { COUNT = 11, ALL = 3 * COUNT };
  uint64_t known[ALL][2];
  double toi[ALL];
  for (int order = 0; order < 3; ++order) {
    world w;
    startWorld(&w);
    const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5));
    for (int i = 0; i < ALL; ++i) {
      const int kind = order == 0 ? i / COUNT : order == 1 ? 2 - i / COUNT : i % 3, k = order == 2 ? i / 3 : i % COUNT;
      const brinkVec3 at = brinkV3(3 * k, 1.2 * (kind == 2), 1.5 * (kind > 0));
      const brinkVec3 velocity = brinkV3(0, -0.4 * (kind == 2), -1 - 0.01 * k);
      const int32_t link = kind == 0 ? -1 : addBody(&w, -1, at, unturned, velocity, brinkV3(0, 0, 0));
      addCollider(&w, ball, link, kind == 0 ? at : brinkV3(0, 0, 0), (uint64_t)(100 * kind + k));
    }
    brinkSceneQuery query = makeQuery(&w, modePairs, watchContact);
    const brinkSceneReport report = ask(&w, &query);
    assert_int_equal(report.pairCount, ALL);
    for (int i = 0; i < ALL; ++i) {
      const uint64_t keys[2] = {brinkScene_Collider(w.scene, report.pairs[i].a)->key,
                                brinkScene_Collider(w.scene, report.pairs[i].b)->key};
      if (order == 0) memcpy(known[i], keys, sizeof keys);
      if (order == 0) toi[i] = report.pairs[i].result.toi;
      assert_memory_equal(known[i], keys, sizeof keys);
      assert_true(report.pairs[i].result.toi == toi[i]);
    }
    stopWorld(&w);
  }
}

CASE(many_boxes_find_the_pairs_that_comparing_all_finds) {
  static const int counts[] = {65, 66, 128, 513, 1500};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    const int count = counts[c];
    world w;
    startWorld(&w);
    generator g = {32000 + (uint64_t)c};
    brinkLinkMotion *links = calloc((size_t)count, sizeof *links);
    brinkVec3 *at = calloc((size_t)count, sizeof *at);
    double *half = calloc((size_t)count, sizeof *half);
    const double sizes[4] = {0.1, 0.3, 1, 6};
    const brinkShape *boxes[4];
    for (int k = 0; k < 4; ++k) boxes[k] = keep(&w, makeBox(&w.context, sizes[k], sizes[k], sizes[k]));
    for (int i = 0; i < count; ++i) {
      const double spread = i % 11 == 0 ? 0.5 : i % 97 == 5 ? 1e7 : 12;
      at[i] = randomIn(&g, spread);
      if (i % 3 == 0) at[i].z = 0;
      if (i == 40 || i == 41) at[i] = brinkV3(i == 40 ? 2e31 : 2.5e31, 0, 0);
      half[i] = sizes[i % 50 == 7 ? 3 : i % 3];
      links[i] =
          brinkMakeLinkMotionVelocities(-1, (brinkPose){at[i], {1, 0, 0, 0}}, brinkV3(1e-3, 0, 0), brinkV3(0, 0, 0));
      addCollider(&w, boxes[i % 50 == 7 ? 3 : i % 3], i, brinkV3(0, 0, 0), (uint64_t)i);
    }
    const brinkMotionTree tree = {links, count};
    const double margin = 0.25;
    size_t truth = 0;
    for (int i = 0; i < count; ++i)
      for (int k = i + 1; k < count; ++k) {
        const double reach = half[i] + half[k] + margin;
        truth +=
            fabs(at[i].x - at[k].x) <= reach && fabs(at[i].y - at[k].y) <= reach && fabs(at[i].z - at[k].z) <= reach;
      }
    brinkSceneQuery all = makeQuery(&w, modePairs, watchContact);
    all.tree = &tree;
    for (int way = 0; way < 2; ++way) {
      const brinkIndexPair *pairs;
      size_t found;
      assert_int_equal(brinkScene_NearPairs(w.scene, &tree, 0, margin, way == 0 ? &all : NULL, &pairs, &found),
                       brink_ok);
      if (found != truth) fail_msg("%d boxes, way %d: %zu pairs, not %zu", count, way, found, truth);
      for (size_t p = 0; p < found; ++p) {
        const uint32_t a = pairs[p].a, b = pairs[p].b;
        if (p > 0 && a == pairs[p - 1].a && b == pairs[p - 1].b) fail_msg("%u and %u twice", (unsigned)a, (unsigned)b);
        const double reach = (half[a] + half[b] + margin) * (1 + 1e-12);
        assert_true(fabs(at[a].x - at[b].x) <= reach && fabs(at[a].y - at[b].y) <= reach &&
                    fabs(at[a].z - at[b].z) <= reach);
      }
    }
    assert_true(truth > 10);
    stopWorld(&w);
    free(links);
    free(at);
    free(half);
  }
}

CASE(near_pairs_are_those_whose_boxes_are_near) {
  world w;
  startWorld(&w);
  const brinkShape *box = keep(&w, makeBox(&w.context, 0.5, 0.5, 0.5));
  int32_t a = addBody(&w, -1, brinkV3(0, 0, 0), unturned, brinkV3(2, 0, 0), brinkV3(0, 0, 0));
  int32_t b = addBody(&w, -1, brinkV3(4, 0, 0), unturned, brinkV3(0, 0, 0), brinkV3(0, 0, 0));
  addCollider(&w, box, a, brinkV3(0, 0, 0), 5);
  addCollider(&w, box, b, brinkV3(0, 0, 0), 4);
  addCollider(&w, box, -1, brinkV3(0, 3, 0), 3);
  const brinkIndexPair *pairs;
  size_t count;
  assert_int_equal(brinkScene_NearPairs(w.scene, &w.tree.tree, 0, 1, NULL, &pairs, &count), brink_ok);
  assert_int_equal(count, 0);
  assert_int_equal(brinkScene_NearPairs(w.scene, &w.tree.tree, 1, 1.1, NULL, &pairs, &count), brink_ok);
  assert_true(count == 1 && pairs[0].a == 1 && pairs[0].b == 0); /* keys 4, 5 */
  assert_int_equal(brinkScene_NearPairs(w.scene, &w.tree.tree, 0, 2.1, NULL, &pairs, &count), brink_ok);
  assert_true(count == 1 && pairs[0].a == 2 && pairs[0].b == 0);
  assert_int_equal(brinkScene_NearPairs(w.scene, &w.tree.tree, 0, NAN, NULL, &pairs, &count), brink_errorBadValue);
  /* a swept query afterwards is not disturbed */
  brinkSceneQuery query = makeQuery(&w, modeFirst, watchContact);
  assert_int_equal(ask(&w, &query).state, brink_free);
  stopWorld(&w);
}

CASE(nothing_is_allocated_after_warm_up) {
  world w;
  cloud c;
  startWorld(&w);
  fillWorld(&w, &c, 5, 8, 2.0);
  for (int round = 0; round < 3; ++round) {
    uint64_t before = w.context.allocationCount;
    for (uint32_t mode = 0; mode < 3; ++mode) {
      for (uint32_t watch = 0; watch < 2; ++watch) {
        brinkSceneQuery query = makeQuery(&w, mode, watch);
        ask(&w, &query);
        query.tStart = 0.25;
        query.tEnd = 0.75;
        ask(&w, &query);
      }
    }
    if (round > 0) assert_true(w.context.allocationCount == before);
  }
  stopWorld(&w);
}

/* Everything of a result but its padding. */
static uint64_t hashResult(uint64_t hash, const brinkScenePairResult *pair) {
  const brinkPairResult *r = &pair->result;
  const double numbers[] = {pair->threshold, r->toi,      r->toiUpper, r->distance,      r->pointA.x,
                            r->pointA.y,     r->pointA.z, r->pointB.x, r->pointB.y,      r->pointB.z,
                            r->normal.x,     r->normal.y, r->normal.z, r->normalVelocity};
  const uint64_t words[] = {pair->a,  pair->b,   (uint64_t)r->state, r->kindA,
                            r->kindB, r->pieceA, r->pieceB,          r->iterations};
  return brinkHash(brinkHash(hash, numbers, sizeof numbers), words, sizeof words);
}

CASE(the_same_scene_gives_the_same_bits_in_any_history) {
  uint64_t hashes[2];
  for (int history = 0; history < 2; ++history) {
    world w;
    cloud c;
    startWorld(&w);
    fillWorld(&w, &c, 8, 7, 2.0);
    brinkSceneQuery query = makeQuery(&w, modePairs, watchContact);
    if (history == 1) { /* other questions first: the trees differ then */
      query.tStart = 0.9;
      ask(&w, &query);
      query.tStart = 0;
      query.tEnd = 0.1;
      ask(&w, &query);
      query.tEnd = 1;
    }
    brinkSceneReport report = ask(&w, &query);
    uint64_t hash = 0;
    for (size_t i = 0; i < report.pairCount; ++i) {
      hash = hashResult(hash, &report.pairs[i]);
      if (i > 0) assert_true(report.pairs[i].result.toi >= report.pairs[i - 1].result.toi);
    }
    hashes[history] = hash;
    stopWorld(&w);
  }
  assert_true(hashes[0] == hashes[1]);
}

CASE(bad_queries_are_refused_and_change_nothing) {
  world w;
  startWorld(&w);
  const brinkShape *ball = keep(&w, makeSphere(&w.context, 0.5)),
                   *plane = keep(&w, makePlane(&w.context, brinkV3(0, 0, 1), 0));
  int32_t link = addBody(&w, -1, brinkV3(0, 0, 1), unturned, brinkV3(0, 0, -1), brinkV3(0, 0, 0));
  uint32_t index = addCollider(&w, ball, link, brinkV3(0, 0, 0), 1);
  addCollider(&w, plane, -1, brinkV3(0, 0, 0), 2);
  brinkSceneQuery good = makeQuery(&w, modeFirst, watchContact), bad = good;
  brinkSceneReport report;
  bad.tStart = 1;
  bad.tEnd = 0;
  assert_int_equal(brinkFirstContact(w.scene, &bad, &report), brink_errorBadTime);
  bad = good;
  bad.tolerance = NAN;
  assert_int_equal(brinkFirstContact(w.scene, &bad, &report), brink_errorBadValue);
  bad = good;
  bad.taylorOrder = 6;
  assert_int_equal(brinkFirstContact(w.scene, &bad, &report), brink_errorBadValue);
  bad = good;
  bad.mode = 9;
  assert_int_equal(brinkFirstContact(w.scene, &bad, &report), brink_errorBadValue);
  bad = good;
  bad.onlyLink = 5;
  assert_int_equal(brinkFirstContact(w.scene, &bad, &report), brink_errorBadIndex);
  brinkScene_Collider(w.scene, index)->collider.link = 3;
  assert_int_equal(brinkFirstContact(w.scene, &good, &report), brink_errorBadIndex);
  brinkScene_Collider(w.scene, index)->collider.link = link;
  bad = good;
  bad.threshold = -1;
  assert_int_equal(brinkFirstContact(w.scene, &bad, &report), brink_errorBadValue);
  assert_int_equal(ask(&w, &good).state, brink_hit);
  stopWorld(&w);
}

int main(void) {
  int failed = cases_RunAs("first_contact, paper's scheme", NULL, NULL);
  schemeUnderTest = 0;
  return failed + cases_RunAs("first_contact, default scheme", NULL, NULL);
}
