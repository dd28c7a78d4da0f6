/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "brink.tolerance/1" and the commands over it: refusals with a reason and nothing changed, memory that runs
 * out at every request, shapes of every kind, problems as files, files that stay when a new one cannot be made. */
#define _GNU_SOURCE
#include "cases.h"
#include "plugin_support.h"

#include "brink/tolerance.h"
#include "command_support.h"
#include "motion_makers.h"

static const brinkToleranceTable *table(void) {
  const brinkToleranceTable *found = api()->getExtension(BRINK_TOLERANCE_NAME);
  assert_non_null(found);
  assert_true(found->structSize >= sizeof *found);
  return found;
}

typedef struct Pair { /* a square on a rational motion above another */
  double vertices[12], controls[5 * 13];
  uint32_t ids[4], start[2];
  brinkCurveStage stage;
  brinkTolerancedBody a, b;
  brinkToleranceQuery query;
} Pair;

static void makePair(Pair *p, double height) {
  static const double corners[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
  static const brinkQuat quats[3] = {{1, 0, 0, 0}, {1, 0.1, 0.1, 0.4}, {1, 0, 0, 0.9}};
  memset(p, 0, sizeof *p);
  memcpy(p->vertices, corners, sizeof corners);
  for (uint32_t i = 0; i < 4; ++i) p->ids[i] = i;
  p->start[1] = 4;
  brinkVec3 places[5];
  for (int i = 0; i < 5; ++i) places[i] = vec(i - 2.0, 0.1 * i, height);
  assert_int_equal(table()->rationalMotion(quats, 3, places, p->controls), brink_ok);
  p->stage = (brinkCurveStage){.kind = brink_curveBezier, .count = 5, .controls = p->controls};
  p->a = p->b = (brinkTolerancedBody){.structSize = sizeof p->a,
                                      .vertices = p->vertices,
                                      .vertexCount = 4,
                                      .faceStart = p->start,
                                      .faceIds = p->ids,
                                      .faceCount = 1};
  p->a.stages = &p->stage;
  p->a.stageCount = 1;
  p->query = (brinkToleranceQuery){.structSize = sizeof p->query, .tEnd = 1, .tolerance = 0.01};
}

static brinkToleranceAnswer emptyAnswer(void) {
  return (brinkToleranceAnswer){.structSize = sizeof(brinkToleranceAnswer)};
}

CASE(an_answer_has_its_certificate_or_its_open_intervals) {
  static Pair p;
  brinkWorld *world = newWorld(NULL);
  brinkToleranceAnswer answer = emptyAnswer();
  makePair(&p, 1.5);
  ASSERT_OK(world, table()->certifyBodies(world, &p.a, &p.b, &p.query, &answer));
  assert_int_equal(answer.state, brink_certified);
  assert_int_equal(answer.openCount, 0);
  assert_true(answer.bound > 0 && answer.bound <= 1.5 && answer.polygonTests > 0 && answer.spans > 0);
  assert_int_equal(strlen(answer.certificate), answer.certificateSize);
  assert_non_null(strstr(answer.certificate, "\nend\n"));
  makePair(&p, 0.0);
  ASSERT_OK(world, table()->certifyBodies(world, &p.a, &p.b, &p.query, &answer));
  assert_int_equal(answer.state, brink_certifiedListed);
  assert_true(answer.openCount >= 1 && answer.openCells >= 1 && answer.open[0].from < answer.open[0].to);
  assert_true(fabs(answer.open[0].place.z) < 1);
  p.query.flags = BRINK_TOLERANCE_NO_CERTIFICATE | BRINK_TOLERANCE_ONE_MASS | BRINK_TOLERANCE_FLAT;
  ASSERT_OK(world, table()->certifyBodies(world, &p.a, &p.b, &p.query, &answer));
  assert_null(answer.certificate);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(a_clearance_is_proven_or_listed) {
  static Pair p;
  brinkWorld *world = newWorld(NULL);
  makePair(&p, 1.5);
  double least = 0;
  for (int k = 0; k < 3; ++k) {
    brinkToleranceAnswer answer = emptyAnswer();
    p.query.clearance = k == 0 ? 0 : k == 1 ? 0.5 * least : 3;
    ASSERT_OK(world, table()->certifyBodies(world, &p.a, &p.b, &p.query, &answer));
    assert_int_equal(answer.state == brink_certified, k < 2);
    assert_true(k == 2 || answer.bound >= p.query.clearance);
    least = answer.bound;
  }
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(bad_input_is_refused_and_nothing_is_touched) {
  static Pair p;
  static const double weights[4] = {1, 1, 0, 1};
  brinkWorld *world = newWorld(NULL);
  for (int k = 0; k < 22; ++k) {
    makePair(&p, 1.5);
    brinkToleranceAnswer answer = emptyAnswer(), before;
    const brinkTolerancedBody *a = &p.a;
    const brinkToleranceQuery *query = &p.query;
    brinkToleranceAnswer *out = &answer;
    brinkStatus expected = brink_errorBadValue;
    switch (k) {
      case 0:
        a = NULL, expected = brink_errorNullArgument;
        break;
      case 1:
        query = NULL, expected = brink_errorNullArgument;
        break;
      case 2:
        out = NULL, expected = brink_errorNullArgument;
        break;
      case 3:
        p.a.structSize = 8, expected = brink_errorVersion;
        break;
      case 4:
        p.query.structSize = 8, expected = brink_errorVersion;
        break;
      case 5:
        answer.structSize = 8, expected = brink_errorVersion;
        break;
      case 6:
        p.query.tolerance = -1;
        break;
      case 7:
        p.query.tolerance = NAN;
        break;
      case 8:
        p.query.clearance = -1;
        break;
      case 9:
        p.query.tStart = 0.7, p.query.tEnd = 0.3, expected = brink_errorBadTime;
        break;
      case 10:
        p.query.flags = 1u << 20;
        break;
      case 11:
        p.controls[13] = 0;
        break;
      case 12:
        p.controls[13] = -1;
        break;
      case 13:
        p.controls[20] = INFINITY;
        break;
      case 14:
        p.a.faceCount = 0, expected = brink_errorEmpty;
        break;
      case 15:
        p.a.vertexCount = 0, expected = brink_errorEmpty;
        break;
      case 16:
        p.ids[2] = 9, expected = brink_errorBadIndex;
        break;
      case 17:
        p.vertices[4] = NAN;
        break;
      case 18:
        p.a.radius = -1;
        break;
      case 19:
        p.a.massPoints = p.vertices, p.a.massWeights = weights, p.a.massCount = 4,
        p.query.flags = BRINK_TOLERANCE_ONE_MASS;
        break;
      case 20:
        p.stage.kind = 9;
        break;
      default:
        p.stage.count = 10;
        break;
    }
    before = answer;
    brinkStatus status = table()->certifyBodies(world, a, &p.b, query, out);
    if (status != expected)
      fail_msg("case %d: %d, expected %d (%s)", k, (int)status, (int)expected, api()->lastError(world));
    assert_true(api()->lastError(world)[0] != '\0');
    assert_memory_equal(&answer, &before, sizeof answer);
  }
  brinkColliderId none[2] = {0, 12345};
  brinkToleranceAnswer answer = emptyAnswer();
  makePair(&p, 1);
  assert_int_equal(table()->certifyColliders(world, none[0], none[1], &p.query, &answer), brink_errorStale);
  assert_int_equal(table()->certifyColliders(NULL, none[0], none[1], &p.query, &answer), brink_errorNullArgument);
  assert_int_equal(table()->rationalMotion(NULL, 3, NULL, p.controls), brink_errorNullArgument);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(what_cannot_be_written_down_is_refused_and_planes_that_move_are_not) {
  static Pair p;
  makePair(&p, 1);
  brinkWorld *world = newWorld(NULL);
  Random random = {9};
  Store store;
  brinkBodyId body[2] = {newBody(world, 0, at(0, 0, 0)), newBody(world, 0, at(5, 0, 0))};
  brinkColliderId box = newCollider(world, body[0], newShape(world, brink_box, vec(0.1, 0.1, 0.1)), at(0, 0, 0));
  brinkColliderId other = newCollider(world, body[1], newShape(world, brink_sphere, vec(0.1, 0, 0)), at(0, 0, 0));
  brinkBodyMotion motion = randomMotion(&random, brink_motionUser, 1, &store);
  ASSERT_OK(world, api()->setBodyMotion(world, body[0], &motion));
  brinkToleranceAnswer answer = emptyAnswer();
  assert_int_equal(table()->certifyColliders(world, box, other, &p.query, &answer), brink_errorBadValue);
  assert_non_null(strstr(api()->lastError(world), "own function"));
  assert_int_equal(table()->certifyColliders(world, box, box, &p.query, &answer), brink_errorBadValue);
  motion = velocitiesMotion(at(0, 0, 0), vec(0, 0, 0), vec(0, 1, 0));
  ASSERT_OK(world, api()->setBodyMotion(world, body[0], &motion));
  brinkShapeDef plane = shapeDef(brink_plane, vec(0, 0, 0));
  plane.normal = vec(0, 0, 1);
  plane.offset = -3;
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &plane, &shape));
  brinkColliderId turning = newCollider(world, body[0], shape, at(0, 0, 0));
  ASSERT_OK(world, table()->certifyColliders(world, turning, other, &p.query, &answer));
  assert_int_equal(answer.state, brink_certified); /* z <= -3 turns about y: 2.9 + 5 sin t from the sphere */
  assert_true(answer.bound > 2.5 && answer.bound < 2.9001);
  brinkColliderId still = newCollider(world, 0, shape, at(0, 0, 0));
  ASSERT_OK(world, table()->certifyColliders(world, still, box, &p.query, &answer));
  assert_int_equal(answer.state, brink_certified);
  assert_true(answer.bound > 2.5 && answer.bound < 3);
  ASSERT_OK(world, api()->destroyWorld(world));
}

/* A ring of boxes around a post: parts of one collider, and a post that begins inside a solid mesh. */
CASE(compounds_are_certified_part_by_part) {
  static Pair p;
  makePair(&p, 1);
  brinkWorld *world = newWorld(NULL);
  brinkShapeId small = newShape(world, brink_box, vec(0.2, 0.2, 0.2)),
               post = newShape(world, brink_capsule, vec(0.2, 0, 1));
  brinkShapeChild children[4];
  for (int i = 0; i < 4; ++i)
    children[i] = (brinkShapeChild){small, {{cos(0.5 * PI * i), sin(0.5 * PI * i), 0}, rotation(vec(0, 0, 0.3 * i))}};
  brinkShapeDef def = shapeDef(brink_compound, vec(0, 0, 0));
  def.children = children;
  def.childCount = 4;
  brinkShapeId ring = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &ring));
  brinkBodyId body = newBody(world, 0, at(0, 0, 0));
  brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(0, 0, 0.4), vec(0, 0, 7));
  ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
  brinkColliderId a = newCollider(world, body, ring, at(0, 0, 0)), b = newCollider(world, 0, post, at(0, 0, 0));
  brinkToleranceAnswer answer = emptyAnswer();
  ASSERT_OK(world, table()->certifyColliders(world, a, b, &p.query, &answer));
  assert_int_equal(answer.state, brink_certified);
  assert_true(answer.bound > 0 && answer.bound < 0.7 && answer.cellCount > 4);
  ASSERT_OK(world, api()->destroyWorld(world));
}

CASE(memory_that_runs_out_anywhere_is_a_status_and_leaks_nothing) {
  static Pair p;
  uint64_t requests = 0;
  for (uint64_t at = 0; at <= requests; ++at) {
    Memory memory = {0};
    brinkHost host = countingHost(&memory);
    brinkWorld *world = newWorld(&host);
    makePair(&p, at % 2 == 0 ? 1.5 : 0.4);
    brinkToleranceAnswer answer = emptyAnswer();
    uint64_t before = memory.requests;
    if (at > 0) memory.failAt = before + at;
    brinkStatus status = table()->certifyBodies(world, &p.a, &p.b, &p.query, &answer);
    if (at == 0) {
      assert_int_equal(status, brink_ok);
      requests = memory.requests - before;
    } else if (memory.failures > 0) {
      assert_int_equal(status, brink_errorNoMemory);
    }
    memory.failAt = 0;
    ASSERT_OK(world, table()->certifyBodies(world, &p.a, &p.b, &p.query, &answer));
    ASSERT_OK(world, api()->destroyWorld(world));
    assert_int_equal(memory.blocks, 0);
  }
  assert_true(requests > 10);
}

/* ---- the commands */

static const char problem[] =
    "brink-problem 1\nstatement\ntime 0 1\nclearance 0\n"
    "body A open\nradius 0.1\nstages 1\nturn 0 0 2  0 0 -1.5  0 0 3  0 0 0  1 0 0 0 1 0 0 0 1  # it sinks and turns\n"
    "vertices 4 fixed\n-1 -1 0\n1 -1 0\n1 1 0\n-1 1 0\nfaces 1\n4 0 1 2 3\n"
    "body B halfspace\nradius 0\nplane 0 0 1 0.25\nend statement\n";

CASE(problems_become_certificates_and_bad_ones_leave_files_alone) {
  char kept[16384], now[16384];
  NEED_PROGRAM();
  assert_int_equal(makeDirectory(state), 0);
  writeFile("sink.problem", problem);
  runSays("certify sink.problem -o sink.cert", 0, "sink.problem proven 0.1");
  runSays("verify sink.cert --for sink.problem", 0, "proven");
  /* a certificate is a problem too; in parts, by threads, the same for any number of them */
  assert_int_equal(run("certify sink.cert -o again.cert --parts 8"), 0);
  readFile("again.cert", kept, sizeof kept);
  assert_int_equal(run("certify sink.cert -o again.cert --parts 8 --threads 3"), 0);
  readFile("again.cert", now, sizeof now);
  assert_string_equal(kept, now);
  assert_int_equal(run("verify again.cert --for sink.problem"), 0);
  /* deeper: touches the ground; listed, exit status 1, and the checker says open */
  char *deeper = strdup(problem);
  assert_non_null(deeper);
  memcpy(strstr(deeper, "-1.5"), "-1.9", 4);
  writeFile("deep.problem", deeper);
  runSays("certify deep.problem -o deep.cert", 1, "no proof from");
  assert_int_equal(run("verify deep.cert"), 1);
  assert_int_equal(run("verify sink.cert --for deep.problem"), 2);
  /* malformed: nothing written over */
  readFile("sink.cert", kept, sizeof kept);
  static const char *const damage[5][2] = {{"vertices 4", "vertices 5"},
                                           {"faces 1", "faces 0"},
                                           {"radius 0.1", "radius -1"},
                                           {"4 0 1 2 3", "4 0 1 2 4"},
                                           {"turn 0", "turn x"}};
  for (int k = 0; k < 5; ++k) {
    char bad[2048], *found;
    snprintf(bad, sizeof bad, "%s", problem);
    found = strstr(bad, damage[k][0]);
    assert_non_null(found);
    memcpy(found, damage[k][1], strlen(damage[k][1]));
    writeFile("bad.problem", bad);
    assert_int_equal(run("certify bad.problem -o sink.cert"), 2);
    assert_true(errors[0] != '\0');
  }
  writeFile("bad.problem", "brink-problem 1\nstatement\ntime 0 1\n");
  assert_int_equal(run("certify bad.problem -o sink.cert"), 2);
  assert_int_equal(run("certify sink.problem -o sink.cert --tolerance 0"), 2);
  assert_int_equal(run("certify nothing.problem -o sink.cert"), 1);
  readFile("sink.cert", now, sizeof now);
  assert_string_equal(kept, now);
  assert_int_equal(run("certify sink.problem -o nowhere/sink.cert"), 1);
  free(deeper);
  assert_int_equal(removeDirectory(state), 0);
}

int main(void) { return cases_Run(NULL, NULL); }
