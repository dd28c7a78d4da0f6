/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedural models: counts, closedness, determinism, measures, and the way through a file and assimp and back. */
#include "cases.h"
#include "assets_support.h"

#include <math.h>

enum {
  engine = brink_modelTrainEngine,
  car = brink_modelTrainCar,
  mountain = brink_modelMountain,
  mannequin = brink_modelMannequin
};

static brinkMesh generate(int model, int part, uint64_t seed) {
  brinkMesh mesh = {0};
  char message[256];
  brinkStatus status = brinkGenerateModel((brinkModel)model, part, seed, &mesh, message, sizeof message);
  if (status != brink_ok) print_error("%s\n", message);
  assert_int_equal(status, brink_ok);
  return mesh;
}

static void assertWellFormed(const brinkMesh *mesh) {
  for (size_t i = 0; i < 3 * mesh->triangleCount; ++i) assert_true(mesh->indices[i] < mesh->vertexCount);
  for (size_t i = 0; i < 3 * mesh->vertexCount; ++i) {
    assert_true(isfinite(mesh->vertices[i]));
    assert_true((double)(float)mesh->vertices[i] == mesh->vertices[i]);
    assert_true(mesh->vertices[i] * 8192 == floor(mesh->vertices[i] * 8192));
    assert_false(mesh->vertices[i] == 0 && signbit(mesh->vertices[i]));
  }
  for (size_t t = 0; t < mesh->triangleCount; ++t) {
    brinkVec3 a = vertexOf(mesh, t, 0), b = vertexOf(mesh, t, 1), c = vertexOf(mesh, t, 2);
    double ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    if (!(nx * nx + ny * ny + nz * nz > 0)) fail_msg("triangle %zu has no area", t);
  }
}

static void assertSolid(const brinkMesh *mesh, const char *name) {
  edgeCount edges = countEdges(mesh);
  if (edges.open + edges.crowded + edges.inconsistent > 0)
    fail_msg("%s: %zu open, %zu crowded, %zu inconsistent edges", name, edges.open, edges.crowded, edges.inconsistent);
  assert_true(volumeOf(mesh, NULL) > 0);
}

static uint64_t hashMesh(const brinkMesh *mesh) {  // FNV-1a
  uint64_t hash = 14695981039346656037ull;
  const unsigned char *arrays[2] = {(const unsigned char *)mesh->vertices, (const unsigned char *)mesh->indices};
  const size_t sizes[2] = {3 * sizeof(double) * mesh->vertexCount, 3 * sizeof(uint32_t) * mesh->triangleCount};
  for (int k = 0; k < 2; ++k) {
    for (size_t i = 0; i < sizes[k]; ++i) hash = (hash ^ arrays[k][i]) * 1099511628211ull;
  }
  return hash;
}

static void bounds(const brinkMesh *mesh, double lower[3], double upper[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    lower[axis] = INFINITY;
    upper[axis] = -INFINITY;
    for (size_t i = 0; i < mesh->vertexCount; ++i) {
      lower[axis] = fmin(lower[axis], mesh->vertices[3 * i + (size_t)axis]);
      upper[axis] = fmax(upper[axis], mesh->vertices[3 * i + (size_t)axis]);
    }
  }
}

CASE(train_vehicles_are_closed_solids_of_about_2460_triangles) {
  size_t whole = 0;
  for (uint64_t seed = 0; seed < 17; ++seed) {
    int model = seed == 0 ? engine : car;
    brinkMesh mesh = generate(model, 0, seed);
    assertWellFormed(&mesh);
    assertSolid(&mesh, model == engine ? "engine" : "car");
    assert_in_range(mesh.triangleCount, 2350, 2550);
    whole += mesh.triangleCount;
    brinkFreeMesh(&mesh);
  }
  assert_in_range(whole, 41000, 43000);
}

CASE(train_vehicles_have_their_measures_and_leave_a_gap_between_couplers) {
  for (int model = engine; model <= car; ++model) {
    brinkMesh mesh = generate(model, 0, 5);
    double lower[3], upper[3];
    bounds(&mesh, lower, upper);
    assert_true(upper[0] <= BRINK_TRAIN_PITCH / 2 - 0.025 && upper[0] >= BRINK_TRAIN_PITCH / 2 - 0.05);
    assert_true(lower[0] == -upper[0]);
    assert_true(fabs(upper[1] - 1.3) < 1e-3 && fabs(lower[1] + 1.3) < 1e-3);
    assert_true(fabs(upper[2] - lower[2] - 3.4) < 0.06);
    assert_true(lower[2] == -1.5);
    brinkFreeMesh(&mesh);
  }
}

CASE(mountain_is_an_open_height_field_that_faces_up) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    brinkMesh mesh = generate(mountain, 0, seed);
    assertWellFormed(&mesh);
    assert_int_equal(mesh.triangleCount, 28800);
    assert_int_equal(mesh.vertexCount, 121 * 121);
    edgeCount edges = countEdges(&mesh);
    assert_int_equal(edges.open, 480);  // the rim
    assert_int_equal(edges.crowded + edges.inconsistent, 0);
    double lower[3], upper[3], steepest = 0;
    bounds(&mesh, lower, upper);
    assert_true(lower[0] == -120 && upper[0] == 120 && lower[1] == -120 && upper[1] == 120);
    assert_true(lower[2] == 0 && upper[2] == 60);
    for (size_t t = 0; t < mesh.triangleCount; ++t) {
      brinkVec3 a = vertexOf(&mesh, t, 0), b = vertexOf(&mesh, t, 1), c = vertexOf(&mesh, t, 2);
      double up = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
      assert_true(up > 0);
      steepest = fmax(steepest, fmax(a.z, fmax(b.z, c.z)) - fmin(a.z, fmin(b.z, c.z)));
    }
    assert_true(steepest > 1 && steepest < 8);  // m of height over a cell of 2 m
    brinkFreeMesh(&mesh);
  }
}

CASE(mannequin_parts_are_closed_solids_centred_in_their_links) {
  const brinkMannequinLink *links = brinkMannequinSkeleton();
  size_t whole = 0;
  double mass = 0, highest = 0, lowest = 1;
  for (int part = 0; part < BRINK_MANNEQUIN_LINKS; ++part) {
    brinkMesh mesh = generate(mannequin, part, 1);
    assertWellFormed(&mesh);
    assertSolid(&mesh, links[part].name);
    brinkVec3 centre;
    volumeOf(&mesh, &centre);
    if (fabs(centre.x) > 1e-3 || fabs(centre.y) > 1e-3 || fabs(centre.z) > 1e-3)
      fail_msg("%s: centre of volume at %g %g %g", links[part].name, centre.x, centre.y, centre.z);
    double lower[3], upper[3];
    bounds(&mesh, lower, upper);
    highest = fmax(highest, upper[2] + links[part].origin.z);
    lowest = fmin(lowest, lower[2] + links[part].origin.z);
    whole += mesh.triangleCount;
    mass += links[part].mass;
    assert_true(links[part].parent < part && (links[part].parent >= 0 || part == 0));
    brinkFreeMesh(&mesh);
  }
  assert_in_range(whole, 19000, 21000);
  assert_true(fabs(mass - 75) < 1e-9);
  assert_true(fabs(highest - 1.75) < 2e-3 && fabs(lowest) < 1e-3);
}

static double distanceToTriangle(brinkVec3 p, brinkVec3 a, brinkVec3 b,
                                 brinkVec3 c) {  // sampled: an upper bound, within 1 mm
  double best = INFINITY;
  for (int i = 0; i <= 6; ++i) {
    for (int j = 0; i + j <= 6; ++j) {
      double u = i / 6.0, v = j / 6.0, w = 1 - u - v;
      double dx = p.x - w * a.x - u * b.x - v * c.x, dy = p.y - w * a.y - u * b.y - v * c.y,
             dz = p.z - w * a.z - u * b.z - v * c.z;
      best = fmin(best, dx * dx + dy * dy + dz * dz);
    }
  }
  return sqrt(best);
}

static double gapBetween(const brinkMesh *a, brinkVec3 originA, const brinkMesh *b, brinkVec3 originB) {
  double best = INFINITY;
  const brinkVec3 shift = {originA.x - originB.x, originA.y - originB.y, originA.z - originB.z};
  for (size_t i = 0; i < a->vertexCount; ++i) {
    const double *v = a->vertices + 3 * i;
    brinkVec3 p = {v[0] + shift.x, v[1] + shift.y, v[2] + shift.z};
    for (size_t t = 0; t < b->triangleCount; ++t) {
      brinkVec3 q = vertexOf(b, t, 0);
      double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
      if (dx * dx + dy * dy + dz * dz < 0.04 * 0.04)
        best = fmin(best, distanceToTriangle(p, q, vertexOf(b, t, 1), vertexOf(b, t, 2)));
    }
  }
  return best;
}

CASE(mannequin_parts_that_are_no_neighbours_are_clear_by_a_centimetre) {
  const brinkMannequinLink *links = brinkMannequinSkeleton();
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    brinkMesh parts[BRINK_MANNEQUIN_LINKS];
    double lower[BRINK_MANNEQUIN_LINKS][3], upper[BRINK_MANNEQUIN_LINKS][3];
    for (int i = 0; i < BRINK_MANNEQUIN_LINKS; ++i) {
      parts[i] = generate(mannequin, i, seed);
      bounds(&parts[i], lower[i], upper[i]);
      const double origin[3] = {links[i].origin.x, links[i].origin.y, links[i].origin.z};
      for (int axis = 0; axis < 3; ++axis) lower[i][axis] += origin[axis], upper[i][axis] += origin[axis];
    }
    for (int i = 0; i < BRINK_MANNEQUIN_LINKS; ++i) {
      for (int j = i + 1; j < BRINK_MANNEQUIN_LINKS; ++j) {
        if (links[j].parent == i || links[i].parent == j) continue;
        bool near = true;
        for (int axis = 0; axis < 3; ++axis)
          near = near && lower[i][axis] < upper[j][axis] + 0.02 && lower[j][axis] < upper[i][axis] + 0.02;
        if (!near) continue;
        double gap = fmin(gapBetween(&parts[i], links[i].origin, &parts[j], links[j].origin),
                          gapBetween(&parts[j], links[j].origin, &parts[i], links[i].origin));
        if (!(gap >= 0.011)) fail_msg("%s and %s: %.4f m", links[i].name, links[j].name, gap);
      }
    }
    for (int i = 0; i < BRINK_MANNEQUIN_LINKS; ++i) brinkFreeMesh(&parts[i]);
  }
}

CASE(mannequin_joints_lie_inside_both_links_and_capsules_fit) {
  const brinkMannequinLink *links = brinkMannequinSkeleton();
  for (int i = 0; i < BRINK_MANNEQUIN_LINKS; ++i) {
    brinkMesh mesh = generate(mannequin, i, 1);
    double lower[3], upper[3];
    bounds(&mesh, lower, upper);
    const brinkVec3 a = links[i].capsuleA, b = links[i].capsuleB;
    const double ends[2][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}},
                 anchor[3] = {links[i].anchor.x, links[i].anchor.y, links[i].anchor.z};
    const double origin[3] = {links[i].origin.x, links[i].origin.y, links[i].origin.z};
    for (int axis = 0; axis < 3; ++axis) {
      for (int end = 0; end < 2; ++end) {
        assert_true(ends[end][axis] - links[i].capsuleRadius > lower[axis] - 0.025);
        assert_true(ends[end][axis] + links[i].capsuleRadius < upper[axis] + 0.025);
      }
      if (i == 0) continue;
      const brinkMannequinLink *parent = &links[links[i].parent];
      brinkMesh parentMesh = generate(mannequin, links[i].parent, 1);
      double parentLower[3], parentUpper[3];
      bounds(&parentMesh, parentLower, parentUpper);
      const double parentOrigin[3] = {parent->origin.x, parent->origin.y, parent->origin.z};
      assert_true(anchor[axis] > origin[axis] + lower[axis] && anchor[axis] < origin[axis] + upper[axis]);
      // The shoulder's ball sits beside the torso: 5 cm of grace.
      assert_true(anchor[axis] > parentOrigin[axis] + parentLower[axis] - 0.05 &&
                  anchor[axis] < parentOrigin[axis] + parentUpper[axis] + 0.05);
      brinkFreeMesh(&parentMesh);
    }
    brinkFreeMesh(&mesh);
  }
}

CASE(left_and_right_of_the_mannequin_mirror_each_other) {
  const brinkMannequinLink *links = brinkMannequinSkeleton();
  static const int pairs[6][2] = {{3, 6}, {4, 7}, {5, 8}, {9, 12}, {10, 13}, {11, 14}};
  for (int i = 0; i < 6; ++i) {
    const brinkMannequinLink *left = &links[pairs[i][0]], *right = &links[pairs[i][1]];
    assert_true(left->mass == right->mass && left->origin.y == -right->origin.y && left->origin.z == right->origin.z);
    brinkMesh a = generate(mannequin, pairs[i][0], 3), b = generate(mannequin, pairs[i][1], 3);
    double lowerA[3], upperA[3], lowerB[3], upperB[3];
    bounds(&a, lowerA, upperA);
    bounds(&b, lowerB, upperB);
    assert_true(lowerA[0] == lowerB[0] && upperA[2] == upperB[2] && lowerA[1] == -upperB[1] && upperA[1] == -lowerB[1]);
    brinkFreeMesh(&a);
    brinkFreeMesh(&b);
  }
}

CASE(the_same_seed_gives_the_same_bytes_and_another_seed_does_not) {
  for (int model = engine; model <= mannequin; ++model) {
    brinkMesh a = generate(model, 0, 11), b = generate(model, 0, 11), c = generate(model, 0, 12);
    assert_true(hashMesh(&a) == hashMesh(&b));
    assert_true(hashMesh(&a) != hashMesh(&c));
    brinkFreeMesh(&a);
    brinkFreeMesh(&b);
    brinkFreeMesh(&c);
  }
}

// Golden: any machine and build gives these bits. A change of a model changes its number here, on purpose.
CASE(models_have_their_golden_hashes) {
  static const uint64_t golden[4] = {0x48521056b9467159ull, 0x7f711e3ad761e493ull, 0x8f4ffafee67f8a7eull,
                                     0x58300b25a4ab91a3ull};
  for (int model = engine; model <= mannequin; ++model) {
    uint64_t hash = 0;
    for (int part = 0; part < (model == mannequin ? BRINK_MANNEQUIN_LINKS : 1); ++part) {
      brinkMesh mesh = generate(model, part, 1);
      hash = hash * 31 + hashMesh(&mesh);
      brinkFreeMesh(&mesh);
    }
    if (hash != golden[model]) fail_msg("model %d has hash 0x%016llx", model, (unsigned long long)hash);
  }
}

CASE_WITH(every_model_survives_obj_and_assimp_bit_for_bit, makeFolder, removeFolder) {
  for (int model = engine; model <= mannequin; ++model) {
    for (int part = 0; part < (model == mannequin ? BRINK_MANNEQUIN_LINKS : 1); ++part) {
      brinkMesh mesh = generate(model, part, 2), back = {0};
      char message[256];
      const char *path = inFolder(state, "model.obj");
      assert_int_equal(brinkWriteObj(path, &mesh, message, sizeof message), brink_ok);
      brinkStatus status = brinkImportMesh(path, 0, &back, message, sizeof message);
      if (status != brink_ok) fail_msg("%s", message);
      assert_int_equal(back.vertexCount, mesh.vertexCount);
      assert_int_equal(back.triangleCount, mesh.triangleCount);
      assert_memory_equal(back.vertices, mesh.vertices, 3 * sizeof(double) * mesh.vertexCount);
      assert_memory_equal(back.indices, mesh.indices, 3 * sizeof(uint32_t) * mesh.triangleCount);
      assert_int_equal(back.degenerateCount, 0);
      brinkFreeMesh(&mesh);
      brinkFreeMesh(&back);
    }
  }
}

CASE_WITH(writing_the_same_mesh_twice_gives_the_same_file, makeFolder, removeFolder) {
  brinkMesh mesh = generate(car, 0, 4);
  size_t sizes[2];
  unsigned char *files[2];
  for (int i = 0; i < 2; ++i) {
    const char *path = inFolder(state, i == 0 ? "a.obj" : "b.obj");
    assert_int_equal(brinkWriteObj(path, &mesh, NULL, 0), brink_ok);
    files[i] = readBytes(path, &sizes[i]);
  }
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(files[0], files[1], sizes[0]);
  free(files[0]);
  free(files[1]);
  brinkFreeMesh(&mesh);
}

CASE(models_and_parts_that_do_not_exist_are_refused) {
  brinkMesh mesh = {0};
  char message[256];
  const int wrong[][2] = {{engine, 1}, {mannequin, -1}, {mannequin, 15}, {4, 0}, {-1, 0}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    assert_int_equal(brinkGenerateModel((brinkModel)wrong[i][0], wrong[i][1], 1, &mesh, message, sizeof message),
                     brink_errorBadValue);
    assert_true(strlen(message) > 0 && mesh.vertices == NULL);
  }
  assert_int_equal(brinkGenerateModel(brink_modelTrainCar, 0, 1, NULL, message, sizeof message),
                   brink_errorNullArgument);
}

CASE_WITH(meshes_that_cannot_be_read_back_are_not_written, makeFolder, removeFolder) {
  double vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  uint32_t indices[3] = {0, 1, 2};
  brinkMesh mesh = {vertices, 3, indices, 1, 0};
  char message[256];
  const char *path = inFolder(state, "never.obj");
  vertices[4] = NAN;
  assert_int_equal(brinkWriteObj(path, &mesh, message, sizeof message), brink_errorBadValue);
  vertices[4] = 0;
  indices[2] = 3;
  assert_int_equal(brinkWriteObj(path, &mesh, message, sizeof message), brink_errorBadIndex);
  mesh.triangleCount = 0;
  assert_int_equal(brinkWriteObj(path, &mesh, message, sizeof message), brink_errorEmpty);
  assert_int_equal(access(path, F_OK), -1);
  mesh.triangleCount = 1;
  indices[2] = 2;
  assert_int_equal(brinkWriteObj(inFolder(state, "no-such-folder/x.obj"), &mesh, message, sizeof message),
                   brink_errorIo);
  assert_non_null(strstr(message, "No such file"));
  assert_int_equal(brinkWriteObj(NULL, &mesh, message, sizeof message), brink_errorNullArgument);
}

int main(void) { return cases_Run(NULL, NULL); }
