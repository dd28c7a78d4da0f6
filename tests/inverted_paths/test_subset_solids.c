/* SPDX-License-Identifier: BSD-3-Clause */
/* What is made of interfering subsets, through the C ABI: solids against closed forms, bundles of paths against the
 * motion in long double, and many objects at once against each pair alone. */
#include <stdlib.h>

#include "brink/inverse_path.h"
#include "cases.h"
#include "inverse_support.h"

#define PI 3.14159265358979323846

static const brinkPlugin *api;
static const brinkInverseTable *table;
static brinkWorld *world;

/* From (x, y, z) by (dx, dy, dz) in the step. */
typedef struct shift {
  double matrices[2][12];
  brinkInverseFactorDef factors[2];
} shift;

static brinkInverseMotionDef shiftBy(shift *s, const double from[3], const double by[3], double turn, double rate) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < 3; ++i) {
    s->matrices[0][5 * i] = 1;
    s->matrices[0][4 * i + 3] = from[i];
    s->matrices[1][4 * i + 3] = by[i];
  }
  s->factors[0] = (brinkInverseFactorDef){
      .structSize = sizeof s->factors[0], .kind = brink_inversePolynomial, .matrices = s->matrices[0], .count = 2};
  s->factors[1] = (brinkInverseFactorDef){.structSize = sizeof s->factors[1],
                                          .kind = brink_inverseRotation,
                                          .axis = {0, 0, 1},
                                          .angle = {turn, rate, 0, 0}};
  return (brinkInverseMotionDef){.structSize = sizeof(brinkInverseMotionDef),
                                 .factors = s->factors,
                                 .factorCount = turn == 0 && rate == 0 ? 1 : 2};
}

static brinkInverseBodyDef bodyOf(const smallMesh *mesh, bool solid) {
  return (brinkInverseBodyDef){
      .structSize = sizeof(brinkInverseBodyDef), .kind = brink_inverseMesh, .mesh = viewOf(mesh, solid)};
}

static brinkInverseQuery queryWith(double spacing, uint32_t flags) {
  return (brinkInverseQuery){.structSize = sizeof(brinkInverseQuery), .flags = flags, .tEnd = 1, .spacing = spacing};
}

/* ---- solids */

typedef struct halfEdge {
  uint32_t from, to;
} halfEdge;

static int compareEdges(const void *left, const void *right) {
  const halfEdge *a = left, *b = right;
  return a->from != b->from ? (a->from < b->from ? -1 : 1) : a->to < b->to ? -1 : a->to > b->to;
}

static size_t countEdge(const halfEdge *edges, size_t count, uint32_t from, uint32_t to) {
  size_t low = 0, high = count, found = 0;
  const halfEdge wanted = {from, to};
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (compareEdges(&edges[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  while (low + found < count && compareEdges(&edges[low + found], &wanted) == 0) ++found;
  return found;
}

/* The surface closes, and holds the volume that is told. */
static void checkSurface(const brinkInverseSolid *solid) {
  halfEdge *edges = malloc((3 * solid->faceCount + 1) * sizeof *edges);
  real volume = 0;
  for (size_t i = 0; i < solid->faceCount; ++i) {
    const uint32_t *f = solid->faces + 3 * i;
    const double *p[3];
    for (int k = 0; k < 3; ++k) {
      assert_true(f[k] < solid->pointCount);
      p[k] = solid->points + 3 * (size_t)f[k];
      edges[3 * i + (size_t)k] = (halfEdge){f[k], f[(k + 1) % 3]};
    }
    for (int k = 0; k < 3; ++k) {
      const int x = (k + 1) % 3, y = (k + 2) % 3;
      volume += (real)p[0][k] * ((real)p[1][x] * p[2][y] - (real)p[1][y] * p[2][x]) / 6;
    }
  }
  qsort(edges, 3 * solid->faceCount, sizeof *edges, compareEdges);
  for (size_t i = 0; i < 3 * solid->faceCount; ++i)
    assert_int_equal(countEdge(edges, 3 * solid->faceCount, edges[i].from, edges[i].to),
                     countEdge(edges, 3 * solid->faceCount, edges[i].to, edges[i].from));
  assert_true(fabs((double)volume - solid->volume) <= 1e-12 * (double)(solid->faceCount + 1));
  free(edges);
}

/* A plate of half a metre passes a block: 0.3513 m of its height are met. */
static double plateVolume(double spacing, const double turn) {
  static smallMesh plate, block;
  shift motion;
  makeBlock(&plate, 0.5, 3, 0.25);
  makeBlock(&block, 0.5, 0.5, 0.5);
  const double from[3] = {-6, 0.01, 0.3987}, by[3] = {12, 0, 0};
  const brinkInverseSceneDef scene = {
      .structSize = sizeof scene,
      .a = bodyOf(&plate, true),
      .b = bodyOf(&block, true),
      .motionA = {.structSize = sizeof(brinkInverseMotionDef)},
      .motionB = shiftBy(&motion, from, by, turn, turn),
  };
  brinkInverseQuery query = queryWith(spacing, BRINK_INVERSE_SAMPLE_B);
  query.insidePitch = spacing;
  brinkInverseSolid solid = {.structSize = sizeof solid};
  assert_int_equal(table->interferingSolid(world, &scene, &query, &solid), brink_ok);
  assert_true(solid.sampledBody == 1 && solid.pointCount > 100 && solid.tetrahedronCount > 100);
  assert_true(solid.spacing <= spacing && solid.asked > solid.pointCount);
  checkSurface(&solid);
  for (size_t i = 0; i < solid.pointCount; ++i) assert_true(solid.points[3 * i + 2] <= -0.1487 + 1e-9);
  return solid.volume;
}

CASE(the_solid_of_a_subset_closes_in_on_its_volume_from_below) {
  static const double turns[2] = {0, 0.7};
  for (int k = 0; k < 2; ++k) {
    const double coarse = plateVolume(0.1, turns[k]), fine = plateVolume(0.05, turns[k]);
    assert_true(coarse <= 0.3513 + 1e-9 && fine <= 0.3513 + 1e-9);
    assert_true(coarse >= 0.3513 - 0.1 && fine >= 0.3513 - 0.05);
  }
}

/* A bar goes through both arms of an angle, and through the air between them. */
CASE(what_lies_between_two_arms_is_no_part_of_the_solid) {
  static const double outline[6][2] = {{-0.5, -0.5}, {1.5, -0.5}, {1.5, 0.5}, {0.5, 0.5}, {0.5, 1.5}, {-0.5, 1.5}};
  static smallMesh angle, bar;
  shift motion;
  makePrism(&angle, outline, 6, 0.25);
  makeBlock(&bar, 0.2 * sqrt(0.5), 3, 0.1);
  const double from[3] = {0.7013, 0.7029, -2}, by[3] = {0, 0, 4};
  brinkInverseSceneDef scene = {
      .structSize = sizeof scene,
      .a = bodyOf(&bar, true),
      .b = bodyOf(&angle, true),
      .motionA = shiftBy(&motion, from, by, PI / 4, 0),
      .motionB = {.structSize = sizeof(brinkInverseMotionDef)},
  };
  const brinkInverseQuery query = queryWith(0.04, BRINK_INVERSE_SAMPLE_B);
  brinkInverseSolid solid = {.structSize = sizeof solid};
  assert_int_equal(table->interferingSolid(world, &scene, &query, &solid), brink_ok);
  checkSurface(&solid);
  /* 1.2042 <= x + y <= 1.6042 of both arms; the air between would be 0.16 m2 more */
  const double all = (0.7958 * 0.7958 - 0.3958 * 0.3958) * 0.5;
  assert_true(solid.volume <= all + 1e-9 && solid.volume >= 0.7 * all);
  for (size_t i = 0; i < solid.tetrahedronCount; ++i) {
    double x = 0, y = 0;
    for (int c = 0; c < 4; ++c) {
      x += 0.25 * solid.points[3 * (size_t)solid.tetrahedra[4 * i + (size_t)c]];
      y += 0.25 * solid.points[3 * (size_t)solid.tetrahedra[4 * i + (size_t)c] + 1];
    }
    assert_true(x <= 0.5 + 1e-9 || y <= 0.5 + 1e-9);
  }
  /* The same bar, sampled itself: its part is what the arms are wide. */
  const brinkInverseQuery other = queryWith(0.04, BRINK_INVERSE_SWAP);
  assert_int_equal(table->interferingSolid(world, &scene, &other, &solid), brink_ok);
  assert_true(solid.sampledBody == 0 && solid.volume > 0);
  checkSurface(&solid);
  /* Never met: nothing, and no error. */
  scene.motionA = shiftBy(&motion, (double[3]){9, 9, -2}, by, PI / 4, 0);
  assert_int_equal(table->interferingSolid(world, &scene, &query, &solid), brink_ok);
  assert_true(solid.pointCount == 0 && solid.tetrahedronCount == 0 && solid.faceCount == 0 && solid.volume == 0);
}

/* The angle goes through a block: what lies between its arms is in the block, and is not met. */
CASE(what_nothing_passes_through_is_no_part_of_the_solid) {
  static const double outline[6][2] = {{-0.5, -0.5}, {1.5, -0.5}, {1.5, 0.5}, {0.5, 0.5}, {0.5, 1.5}, {-0.5, 1.5}};
  static smallMesh angle, block;
  shift motion;
  makePrism(&angle, outline, 6, 0.25);
  makeBlock(&block, 2, 2, 0.2);
  const double from[3] = {0.0131, 0.0173, -2}, by[3] = {0, 0, 4};
  const brinkInverseSceneDef scene = {
      .structSize = sizeof scene,
      .a = bodyOf(&angle, true),
      .b = bodyOf(&block, true),
      .motionA = shiftBy(&motion, from, by, 0, 0),
      .motionB = {.structSize = sizeof(brinkInverseMotionDef)},
  };
  brinkInverseQuery query = queryWith(0.1, BRINK_INVERSE_SAMPLE_B);
  query.insidePitch = 0.1;
  brinkInverseSolid solid = {.structSize = sizeof solid};
  assert_int_equal(table->interferingSolid(world, &scene, &query, &solid), brink_ok);
  checkSurface(&solid);
  const double all = 3 * 0.4; /* its hull would be 3.5 * 0.4 */
  assert_true(solid.volume <= all + 1e-9 && solid.volume >= 0.8 * all);
}

/* ---- paths */

/* B turns about z by `turn + rate t` and is shifted by from + by t; A rests. */
static void placeTruly(const double from[3], const double by[3], double turn, double rate, double t, const double x[3],
                       real y[3]) {
  const real angle = (real)turn + (real)rate * t, c = cosl(angle), s = sinl(angle);
  y[0] = c * x[0] - s * x[1] + from[0] + (real)by[0] * t;
  y[1] = s * x[0] + c * x[1] + from[1] + (real)by[1] * t;
  y[2] = x[2] + from[2] + (real)by[2] * t;
}

CASE(paths_inside_the_other_body_keep_their_stated_distance_from_the_motion) {
  static smallMesh host, guest;
  shift motion;
  makeBlock(&host, 0.5, 0.4, 0.3);
  makeBlock(&guest, 0.3, 0.2, 0.25);
  const double from[3] = {-1, 0.1, 0.03}, by[3] = {2, -0.2, 0}, turn = 0.2, rate = 5;
  const brinkInverseSceneDef scene = {
      .structSize = sizeof scene,
      .a = bodyOf(&host, true),
      .b = bodyOf(&guest, true),
      .motionA = {.structSize = sizeof(brinkInverseMotionDef)},
      .motionB = shiftBy(&motion, from, by, turn, rate),
  };
  const brinkInverseQuery query = queryWith(0.06, BRINK_INVERSE_SAMPLE_B);
  brinkInverseSubset subset = {.structSize = sizeof subset};
  assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
  const size_t points = subset.pointCount, intervals = subset.intervalCount;
  static const double wanted[3] = {0, 1e-3, 1e-6};
  size_t fewest = 0;
  for (int k = 0; k < 3; ++k) {
    brinkInversePaths paths = {.structSize = sizeof paths};
    assert_int_equal(table->innerPaths(world, &scene, &query, wanted[k], &paths), brink_ok);
    assert_true(paths.sampledBody == 1 && paths.pathCount == intervals && points > 50);
    assert_true(paths.deviation > 0 && paths.deviation <= (wanted[k] > 0 ? wanted[k] : paths.spacing / 8 + 0.01));
    assert_true(paths.vertexCount > fewest);
    fewest = paths.vertexCount;
    for (size_t i = 0; i < paths.pathCount; ++i) {
      const brinkInversePath *path = &paths.paths[i];
      assert_true(path->vertexCount >= 1 && path->firstVertex + path->vertexCount <= paths.vertexCount);
      const double x[3] = {path->sample.x, path->sample.y, path->sample.z};
      const brinkInversePathVertex *v = paths.vertices + path->firstVertex;
      for (size_t n = 0; n < path->vertexCount; ++n) {
        real y[3];
        placeTruly(from, by, turn, rate, v[n].t, x, y);
        assert_true(fabsl(y[0] - v[n].position.x) < 1e-14L && fabsl(y[1] - v[n].position.y) < 1e-14L &&
                    fabsl(y[2] - v[n].position.z) < 1e-14L);
        if ((path->flags & BRINK_INVERSE_PROVEN) != 0)
          assert_true(fabsl(y[0]) <= 0.5L && fabsl(y[1]) <= 0.4L && fabsl(y[2]) <= 0.3L);
        if (n == 0) continue;
        assert_true(v[n].t > v[n - 1].t);
        for (int part = 1; part < 8; ++part) { /* the chord, at the same time */
          const real s = part / 8.0L;
          placeTruly(from, by, turn, rate, (double)(v[n - 1].t + s * (v[n].t - v[n - 1].t)), x, y);
          const real off[3] = {y[0] - ((1 - s) * v[n - 1].position.x + s * v[n].position.x),
                               y[1] - ((1 - s) * v[n - 1].position.y + s * v[n].position.y),
                               y[2] - ((1 - s) * v[n - 1].position.z + s * v[n].position.z)};
          assert_true(sqrtl(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) <= paths.deviation);
        }
      }
    }
  }
}

CASE(a_path_that_only_crosses_has_one_vertex_on_the_surface) {
  static smallMesh sheet, guest;
  shift motion;
  sheet.vertexCount = sheet.triangleCount = 0;
  for (int i = 0; i < 4; ++i) addVertex(&sheet, 0, i == 1 || i == 2 ? 2 : -2, i >= 2 ? 2 : -2);
  addTriangle(&sheet, 0, 1, 2);
  addTriangle(&sheet, 0, 2, 3);
  makeBlock(&guest, 0.3, 0.2, 0.25);
  const double from[3] = {-1.01, 0.11, 0.07}, by[3] = {2.1, -0.2, 0};
  const brinkInverseSceneDef scene = {
      .structSize = sizeof scene,
      .a = bodyOf(&sheet, false),
      .b = bodyOf(&guest, true),
      .motionA = {.structSize = sizeof(brinkInverseMotionDef)},
      .motionB = shiftBy(&motion, from, by, 0, 0),
  };
  const brinkInverseQuery query = queryWith(0.1, BRINK_INVERSE_SAMPLE_B);
  brinkInversePaths paths = {.structSize = sizeof paths};
  assert_int_equal(table->innerPaths(world, &scene, &query, 0, &paths), brink_ok);
  assert_true(paths.pathCount == paths.asked && paths.vertexCount == paths.pathCount);
  for (size_t i = 0; i < paths.vertexCount; ++i) assert_true(fabs(paths.vertices[i].position.x) < 1e-8);
}

/* Blocks of one height turn through each other: their lids slide along each other in one plane. Points of the lid end
 * as open, and cost little; so do its triangles. */
CASE(what_slides_in_one_plane_is_left_open_and_ends) {
  static smallMesh host, guest;
  shift motion;
  makeBlock(&host, 0.5, 0.4, 0.3);
  makeBlock(&guest, 0.3, 0.2, 0.25);
  const double by[3] = {2, -0.2, 0};
  brinkInverseSceneDef scene = {
      .structSize = sizeof scene,
      .a = bodyOf(&host, true),
      .b = bodyOf(&guest, true),
      .motionA = {.structSize = sizeof(brinkInverseMotionDef)},
  };
  const brinkInverseQuery query = queryWith(0.06, BRINK_INVERSE_SAMPLE_B);
  brinkInverseSubset subset = {.structSize = sizeof subset};
  uint64_t cells[2];
  size_t faces[2], points[2];
  for (int k = 0; k < 2; ++k) {
    const double from[3] = {-1, 0.1, k == 0 ? 0.03 : 0.05};
    scene.motionB = shiftBy(&motion, from, by, 0.2, 5);
    assert_int_equal(table->interference(world, &scene, &query, &subset), brink_ok);
    cells[k] = subset.pathCells;
    faces[k] = subset.faceCount;
    points[k] = subset.pointCount;
    size_t lid = 0;
    for (size_t i = 0; i < subset.pointCount; ++i) {
      const brinkInversePoint *p = &subset.points[i];
      if (k == 0 || p->position.z != 0.25) continue;
      ++lid;
      assert_int_equal(subset.intervals[p->firstInterval].flags & BRINK_INVERSE_PROVEN, 0);
    }
    assert_true((lid > 10) == (k == 1));
  }
  assert_int_equal(faces[0], faces[1]);
  assert_int_equal(points[0], points[1]);
  assert_true(cells[1] < 4 * cells[0]);
}

/* ---- many objects */

#define OBJECTS 24

CASE(many_objects_meet_as_each_pair_does_alone) {
  static smallMesh meshes[OBJECTS];
  shift motions[OBJECTS];
  brinkInverseObjectDef objects[OBJECTS];
  inverseRandom random = {11};
  for (int i = 0; i < OBJECTS; ++i) {
    double from[3], by[3];
    for (int k = 0; k < 3; ++k) {
      from[k] = randomBetween(&random, -1, 1);
      by[k] = randomBetween(&random, -2, 2);
    }
    makeBlock(&meshes[i], randomBetween(&random, 0.1, 0.4), randomBetween(&random, 0.1, 0.4),
              randomBetween(&random, 0.1, 0.4));
    objects[i] = (brinkInverseObjectDef){
        .structSize = sizeof objects[i],
        .group = i < 6   ? 7u
                 : i < 8 ? 3u
                         : 0u,
        .body = bodyOf(&meshes[i], i % 3 != 0),
        .motion = shiftBy(&motions[i], from, by, randomBetween(&random, 0, 3), randomBetween(&random, -4, 4))};
  }
  const brinkInverseAssemblyDef assembly = {.structSize = sizeof assembly, .objects = objects, .objectCount = OBJECTS};
  const brinkInverseQuery query = queryWith(0, 0);
  brinkInverseMeetings found = {.structSize = sizeof found};
  assert_int_equal(table->allContactIntervals(world, &assembly, &query, &found), brink_ok);
  assert_int_equal(found.pairs, OBJECTS * (OBJECTS - 1) / 2 - 15 - 1);
  assert_true(found.asked < found.pairs && found.count <= found.asked && found.count > 10);
  /* its answers are the world's until the next call */
  const size_t count = found.count;
  brinkInverseMeeting *meetings = malloc(count * sizeof *meetings);
  brinkInverseInterval *intervals = malloc((found.intervalCount + 1) * sizeof *intervals);
  memcpy(meetings, found.meetings, count * sizeof *meetings);
  memcpy(intervals, found.intervals, found.intervalCount * sizeof *intervals);
  size_t at = 0;
  for (uint32_t a = 0; a < OBJECTS; ++a)
    for (uint32_t b = a + 1; b < OBJECTS; ++b) {
      const brinkInverseSceneDef scene = {.structSize = sizeof scene,
                                          .a = objects[a].body,
                                          .b = objects[b].body,
                                          .motionA = objects[a].motion,
                                          .motionB = objects[b].motion};
      brinkInverseIntervals alone = {.structSize = sizeof alone};
      const bool listed = at < count && meetings[at].a == a && meetings[at].b == b;
      if (objects[a].group != 0 && objects[a].group == objects[b].group) {
        assert_false(listed);
        continue;
      }
      assert_int_equal(table->contactIntervals(world, &scene, &query, &alone), brink_ok);
      assert_int_equal(listed, alone.count > 0 || alone.openTotal > 0);
      if (!listed) continue;
      assert_int_equal(meetings[at].intervalCount, alone.count);
      for (size_t i = 0; i < alone.count; ++i) { /* other cells: brackets of the same ends */
        const brinkInverseInterval *one = &alone.intervals[i], *other = &intervals[meetings[at].firstInterval + i];
        assert_int_equal(one->flags, other->flags);
        assert_true(one->startLower <= other->startUpper && other->startLower <= one->startUpper);
        assert_true(one->endLower <= other->endUpper && other->endLower <= one->endUpper);
        assert_true(other->startUpper - other->startLower <= 1e-9 && other->endUpper - other->endLower <= 1e-9);
      }
      ++at;
    }
  assert_int_equal(at, count);
  free(meetings);
  free(intervals);
}

CASE(no_object_and_one_object_meet_nobody) {
  static smallMesh mesh;
  makeBlock(&mesh, 1, 1, 1);
  const brinkInverseObjectDef object = {.structSize = sizeof object,
                                        .body = bodyOf(&mesh, true),
                                        .motion = {.structSize = sizeof(brinkInverseMotionDef)}};
  const brinkInverseQuery query = queryWith(0, 0);
  for (size_t count = 0; count < 2; ++count) {
    const brinkInverseAssemblyDef assembly = {.structSize = sizeof assembly, .objects = &object, .objectCount = count};
    brinkInverseMeetings found = {.structSize = sizeof found};
    assert_int_equal(table->allContactIntervals(world, &assembly, &query, &found), brink_ok);
    assert_true(found.count == 0 && found.pairs == 0 && found.asked == 0);
  }
}

/* ---- what is refused */

static void everywhere(void *user, const double low[3], const double high[3], double out[2]) {
  (void)user;
  (void)low;
  (void)high;
  out[0] = -1;
  out[1] = -1;
}

CASE(what_cannot_be_asked_of_subsets_is_refused_by_name) {
  static smallMesh sheet, block;
  shift motion;
  makeBlock(&sheet, 0.3, 0.2, 0.25);
  makeBlock(&block, 0.3, 0.2, 0.25);
  const double from[3] = {-1, 0, 0}, by[3] = {2, 0, 0};
  brinkInverseSceneDef scene = {
      .structSize = sizeof scene,
      .a = bodyOf(&block, true),
      .b = bodyOf(&sheet, false),
      .motionA = {.structSize = sizeof(brinkInverseMotionDef)},
      .motionB = shiftBy(&motion, from, by, 0, 0),
  };
  brinkInverseQuery query = queryWith(0.1, BRINK_INVERSE_SAMPLE_B);
  brinkInverseSolid solid = {.structSize = sizeof solid, .pointCount = 77};
  brinkInversePaths paths = {.structSize = sizeof paths, .pathCount = 77};
  brinkInverseMeetings found = {.structSize = sizeof found, .count = 77};
  assert_int_equal(table->interferingSolid(world, &scene, &query, &solid), brink_errorNotClosed);
  assert_non_null(strstr(api->lastError(world), "body B is an open surface"));
  query.flags |= BRINK_INVERSE_ADAPTIVE;
  assert_int_equal(table->interferingSolid(world, &scene, &query, &solid), brink_errorBadValue);
  assert_int_equal(table->innerPaths(world, &scene, &query, 0, &paths), brink_errorBadValue);
  query.flags = BRINK_INVERSE_SAMPLE_B;
  assert_int_equal(table->innerPaths(world, &scene, &query, -1, &paths), brink_errorBadValue);
  assert_int_equal(table->innerPaths(world, &scene, &query, (double)NAN, &paths), brink_errorBadValue);
  assert_int_equal(table->innerPaths(world, &scene, NULL, 0, &paths), brink_errorNullArgument);
  assert_int_equal(table->innerPaths(world, NULL, &query, 0, &paths), brink_errorNullArgument);
  const double origin[3] = {0, 0, 0};
  brinkInverseSubset subset = {.structSize = sizeof subset};
  brinkInverseMembership member;
  assert_int_equal(table->pointContacts(world, NULL, &query, origin, 1, &subset), brink_errorNullArgument);
  assert_int_equal(table->sweepMembership(world, NULL, &query, origin, 1, &member), brink_errorNullArgument);
  assert_int_equal(table->interferingSolid(world, &scene, &query, NULL), brink_errorNullArgument);
  solid.structSize -= 8;
  assert_int_equal(table->interferingSolid(world, &scene, &query, &solid), brink_errorVersion);
  assert_true(solid.pointCount == 77 && paths.pathCount == 77);

  brinkInverseObjectDef objects[2] = {
      {.structSize = sizeof objects[0], .body = scene.a, .motion = scene.motionA},
      {.structSize = sizeof objects[1], .body = scene.b, .motion = scene.motionB},
  };
  brinkInverseAssemblyDef assembly = {.structSize = sizeof assembly, .objects = objects, .objectCount = 2};
  brinkInverseQuery plain = queryWith(0, 0);
  plain.flags = BRINK_INVERSE_SWAP;
  assert_int_equal(table->allContactIntervals(world, &assembly, &plain, &found), brink_errorBadValue);
  plain.flags = 0;
  assert_int_equal(table->allContactIntervals(world, NULL, &plain, &found), brink_errorNullArgument);
  assert_int_equal(table->allContactIntervals(world, &assembly, &plain, NULL), brink_errorNullArgument);
  assembly.objects = NULL;
  assert_int_equal(table->allContactIntervals(world, &assembly, &plain, &found), brink_errorNullArgument);
  assembly.objects = objects;
  objects[1].body.kind = 99;
  assert_int_equal(table->allContactIntervals(world, &assembly, &plain, &found), brink_errorBadValue);
  assert_non_null(strstr(api->lastError(world), "object 1"));
  objects[1].body = scene.b;
  motion.matrices[0][0] = 0; /* flat, for ever */
  assert_int_equal(table->allContactIntervals(world, &assembly, &plain, &found), brink_ok);
  objects[0].body = (brinkInverseBodyDef){.structSize = sizeof objects[0].body,
                                          .kind = brink_inverseImplicit,
                                          .bound = everywhere,
                                          .boundBox = {{-9, -9, -9}, {9, 9, 9}}};
  found.count = 77;
  assert_int_equal(table->allContactIntervals(world, &assembly, &plain, &found), brink_errorBadValue);
  assert_non_null(strstr(api->lastError(world), "the motion of object 1 flattens it"));
  assert_int_equal(found.count, 77);
}

int main(void) {
  api = brinkEntry(BRINK_ABI_MAJOR, NULL);
  table = api->getExtension(BRINK_INVERSE_PATH_NAME);
  if (table == NULL || api->createWorld(NULL, NULL, &world) != brink_ok) return 1;
  int failed = cases_Run(NULL, NULL);
  api->destroyWorld(world);
  return failed;
}
