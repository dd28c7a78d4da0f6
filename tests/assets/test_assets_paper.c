/* SPDX-License-Identifier: BSD-3-Clause */
/* The paper's scenes as replays: sizes, closed surfaces, joints that hold, counts of pairs, the same bytes everywhere.
 */
#include "cases.h"
#include "assets_support.h"

#include <math.h>

#include <sys/stat.h>

#include "../../assets/kinematics.h"

enum { mostObjects = 800, mostNames = 160 };

typedef struct sceneObject {
  char mesh[64];
  int moving, model, link, parent;
  double pose[7];
} sceneObject;

typedef struct writtenScene {
  sceneObject objects[mostObjects];
  int objectCount, ignoredCount;
} writtenScene;

typedef struct motionRow {
  int frame, object;
  brinkPose poses[2];
} motionRow;

typedef struct writtenMotion {
  motionRow *rows;
  size_t count;
  int frames;
} writtenMotion;

/* All scenes in one folder, written once for the whole group. */
static char folder[256];

static const char *pathOf(const char *name, const char *suffix) {
  static char paths[4][400];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s%s", folder, name, suffix);
  return path;
}

static int writeAll(void **state) {
  if (makeFolder(state) != 0) return 1;
  snprintf(folder, sizeof folder, "%.200s/paper", ((testFolder *)*state)->path);
  for (int i = 0; brinkPaperSceneName(i) != NULL; ++i) {
    char message[256] = "";
    if (brinkWritePaperScene(brinkPaperSceneName(i), folder, message, sizeof message) != brink_ok) {
      print_error("%s: %s\n", brinkPaperSceneName(i), message);
      return 1;
    }
  }
  return 0;
}

static void emptyFolder(const char *path) {
  DIR *directory = opendir(path);
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    char name[700];
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.') unlink(name);
  }
  if (directory != NULL) closedir(directory);
  rmdir(path);
}

static int removeAll(void **state) {
  emptyFolder(pathOf("meshes", ""));
  emptyFolder(folder);
  return removeFolder(state);
}

static void readScene(const char *name, writtenScene *scene) {
  FILE *file = fopen(pathOf(name, ".scene"), "r");
  assert_non_null(file);
  char line[512], kind[16];
  scene->objectCount = scene->ignoredCount = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    sceneObject *object = &scene->objects[scene->objectCount];
    double *p = object->pose;
    if (sscanf(line, "object meshes/%63s %15s %d %d %d %lf %lf %lf %lf %lf %lf %lf", object->mesh, kind, &object->model,
               &object->link, &object->parent, p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6) == 12) {
      object->moving = strcmp(kind, "moving") == 0;
      assert_in_range(++scene->objectCount, 1, mostObjects - 1);
    } else {
      scene->ignoredCount += strncmp(line, "ignore", 6) == 0;
    }
  }
  fclose(file);
}

static void readMotion(const char *name, writtenMotion *motion) {
  FILE *file = fopen(pathOf(name, ".motion"), "r");
  assert_non_null(file);
  char line[1024];
  size_t capacity = 0;
  *motion = (writtenMotion){NULL, 0, 0};
  while (fgets(line, sizeof line, file) != NULL) {
    if (line[0] == '#') continue;
    if (motion->count == capacity) {
      capacity = capacity == 0 ? 4096 : 2 * capacity;
      motion->rows = realloc(motion->rows, capacity * sizeof *motion->rows);
      assert_non_null(motion->rows);
    }
    motionRow *row = &motion->rows[motion->count++];
    char *at;
    row->frame = (int)strtol(line, &at, 10);
    row->object = (int)strtol(at, &at, 10);
    for (int k = 0; k < 2; ++k) {
      double v[7];
      for (int i = 0; i < 7; ++i) v[i] = strtod(at, &at);
      row->poses[k] = (brinkPose){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
    }
    assert_string_equal(at, "\n");
    motion->frames = row->frame + 1;
  }
  fclose(file);
}

static brinkMesh readMesh(const char *mesh) {
  char path[400], message[256] = "";
  snprintf(path, sizeof path, "%s/meshes/%s", folder, mesh);
  brinkMesh result = {0};
  if (brinkImportMesh(path, 0, &result, message, sizeof message) != brink_ok) fail_msg("%s", message);
  return result;
}

/* The file's own vertices and faces: the importer would weld what merely touches. */
static brinkMesh readRaw(const char *mesh) {
  char path[400], line[256];
  snprintf(path, sizeof path, "%s/meshes/%s", folder, mesh);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  brinkMesh result = {0};
  size_t vertex = 0, triangle = 0;
  assert_int_equal(sscanf(line, "# %zu vertices (m, z up), %zu", &result.vertexCount, &result.triangleCount), 2);
  result.vertices = malloc(3 * result.vertexCount * sizeof *result.vertices);
  result.indices = malloc(3 * result.triangleCount * sizeof *result.indices);
  assert_true(result.vertices != NULL && result.indices != NULL);
  while (fgets(line, sizeof line, file) != NULL) {
    double *v = result.vertices + 3 * vertex;
    uint32_t *f = result.indices + 3 * triangle;
    if (line[0] == 'v') {
      assert_true(vertex++ < result.vertexCount);
      assert_int_equal(sscanf(line, "v %lf %lf %lf", v, v + 1, v + 2), 3);
    } else {
      assert_true(triangle++ < result.triangleCount);
      assert_int_equal(sscanf(line, "f %u %u %u", f, f + 1, f + 2), 3);
      for (int i = 0; i < 3; ++i) --f[i];
    }
  }
  fclose(file);
  return result;
}

/* Triangles of the objects that move (or do not), instances counted. Only one import a file. */
static size_t countTriangles(const writtenScene *scene, bool moving, int model) {
  static char names[mostNames][64];
  static size_t counts[mostNames];
  static int known;
  size_t sum = 0;
  for (int i = 0; i < scene->objectCount; ++i) {
    const sceneObject *object = &scene->objects[i];
    if ((object->moving != 0) != moving || (moving && object->model != model)) continue;
    int k = 0;
    while (k < known && strcmp(names[k], object->mesh) != 0) ++k;
    if (k == known) {
      brinkMesh mesh = readMesh(object->mesh);
      assert_in_range(known, 0, mostNames - 1);
      snprintf(names[known], sizeof names[0], "%s", object->mesh);
      counts[known++] = mesh.triangleCount;
      brinkFreeMesh(&mesh);
    }
    sum += counts[k];
  }
  return sum;
}

static int linksOf(const writtenScene *scene, int model) {
  int count = 0;
  for (int i = 0; i < scene->objectCount; ++i) {
    const sceneObject *object = &scene->objects[i];
    if (!object->moving || object->model != model) continue;
    bool first = true;
    for (int k = 0; k < i; ++k)
      first = first &&
              !(scene->objects[k].moving && scene->objects[k].model == model && scene->objects[k].link == object->link);
    count += first;
  }
  return count;
}

CASE(scenes_have_the_sizes_of_the_papers_models) {
  static const struct {
    const char *name;
    int links, models;
    size_t low, high, fixedLow, fixedHigh;  // triangles of one model, of what stands
  } expected[] = {
      {"walk", 15, 1, 19500, 20500, 100000, 102500},
      {"exercise", 15, 1, 19500, 20500, 0, 0},
      {"excavator_drive", 7, 1, 18800, 19100, 390000, 398000},
      {"excavator_load", 7, 1, 18800, 19100, 390000, 398000},
      {"crane_slew", 5, 1, 1288, 1288, 390000, 398000},
      {"crane_pipe", 5, 1, 1288, 1288, 390000, 398000},
      {"four_trains", 10, 4, 23000, 25000, 0, 0},
      {"falling_train", 17, 1, 41000, 43000, 28800, 28800},
  };
  static writtenScene scene;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    readScene(expected[i].name, &scene);
    for (int model = 0; model < expected[i].models; ++model) {
      assert_int_equal(linksOf(&scene, model), expected[i].links);
      const size_t triangles = countTriangles(&scene, true, model);
      if (triangles < expected[i].low || triangles > expected[i].high)
        fail_msg("%s: %zu triangles move", expected[i].name, triangles);
    }
    assert_int_equal(linksOf(&scene, expected[i].models), 0);
    const size_t fixed = countTriangles(&scene, false, 0);
    if (fixed < expected[i].fixedLow || fixed > expected[i].fixedHigh)
      fail_msg("%s: %zu triangles stand", expected[i].name, fixed);
  }
}

CASE(every_mesh_but_the_grounds_is_closed) {
  DIR *directory = opendir(pathOf("meshes", ""));
  assert_non_null(directory);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    brinkMesh mesh = readRaw(entry->d_name);
    const edgeCount edges = countEdges(&mesh);
    const bool open = strcmp(entry->d_name, "site_ground.obj") == 0 || strcmp(entry->d_name, "mountain.obj") == 0;
    if ((edges.open > 0) != open || edges.crowded + edges.inconsistent > 0)
      fail_msg("%s: %zu open, %zu crowded, %zu inconsistent edges", entry->d_name, edges.open, edges.crowded,
               edges.inconsistent);
    if (!open && !(volumeOf(&mesh, NULL) > 0)) fail_msg("%s is inside out", entry->d_name);
    brinkFreeMesh(&mesh);
    ++count;
  }
  closedir(directory);
  assert_true(count > 80);
}

/* Where the child's origin lies in the parent's frame. */
static brinkVec3 originInParent(const brinkPose *parent, const brinkPose *child) {
  const brinkQuat q = parent->rotation, back = {q.w, -q.x, -q.y, -q.z};
  return brinkTurned(back, brinkMinus(child->position, parent->position));
}

static int parentObject(const writtenScene *scene, int object) {
  for (int k = 0; k < scene->objectCount; ++k)
    if (scene->objects[k].moving && scene->objects[k].model == scene->objects[object].model &&
        scene->objects[k].link == scene->objects[object].parent)
      return k;
  return -1;
}

/* A link's origin is its joint: it stays where it is in the parent's frame, over all frames (the crane's slides aside).
 */
CASE(joints_hold_in_every_frame) {
  static writtenScene scene;
  for (int s = 0; brinkPaperSceneName(s) != NULL; ++s) {
    const char *name = brinkPaperSceneName(s);
    if (strncmp(name, "crane", 5) == 0) continue;
    writtenMotion motion;
    readScene(name, &scene);
    readMotion(name, &motion);
    static brinkVec3 first[mostObjects];
    static brinkPose latest[mostObjects][2];
    for (size_t i = 0; i < motion.count; ++i) {
      const motionRow *row = &motion.rows[i];
      assert_true(scene.objects[row->object].moving);
      memcpy(latest[row->object], row->poses, sizeof row->poses);
      for (int k = 0; k < 2; ++k) {
        const brinkQuat q = row->poses[k].rotation;
        assert_true(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-14);
      }
      const int parent = parentObject(&scene, row->object);
      if (parent < 0) continue;
      for (int k = 0; k < 2; ++k) {
        const brinkVec3 origin = originInParent(&latest[parent][k], &row->poses[k]);
        if (row->frame == 0 && k == 0) first[row->object] = origin;
        const double apart = brinkNorm(brinkMinus(origin, first[row->object]));
        if (!(apart < 1e-12))
          fail_msg("%s, frame %d: object %d is %g m off its joint", name, row->frame, row->object, apart);
      }
    }
    free(motion.rows);
  }
}

CASE(every_moving_link_has_a_line_in_every_frame) {
  static const int frames[BRINK_PAPER_SCENES] = {400, 320, 150, 150, 150, 150, 200, 300};
  static writtenScene scene;
  for (int s = 0; s < BRINK_PAPER_SCENES; ++s) {
    const char *name = brinkPaperSceneName(s);
    writtenMotion motion;
    readScene(name, &scene);
    readMotion(name, &motion);
    int links = 0;
    for (int model = 0; model < 4; ++model) links += linksOf(&scene, model);
    assert_int_equal(motion.frames, frames[s]);
    assert_int_equal(motion.count, (size_t)(frames[s] * links));
    free(motion.rows);
  }
}

/* [CATCH] Table 2: 179,574 pairs before culling are 6 pairs of trains of 173 parts each. */
CASE(four_trains_have_the_papers_number_of_pairs) {
  static writtenScene scene;
  readScene("four_trains", &scene);
  long parts[4] = {0, 0, 0, 0}, pairs = 0;
  for (int i = 0; i < scene.objectCount; ++i) ++parts[scene.objects[i].model];
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) pairs += parts[a] * parts[b];
  assert_int_equal(parts[0], 173);
  assert_int_equal(pairs, 179574);
}

CASE(the_parts_of_a_vehicle_are_all_of_it) {
  for (int engine = 0; engine < 2; ++engine) {
    size_t triangles = 0;
    for (int part = 0; part < (engine ? 20 : 17); ++part) {
      char name[32];
      snprintf(name, sizeof name, "%s_part_%02d.obj", engine ? "engine" : "car", part);
      brinkMesh mesh = readMesh(name);
      triangles += mesh.triangleCount;
      if (part >= 7 && part < 15) assert_int_equal(mesh.triangleCount, 144);  // a wheel: three rings of 24
      brinkFreeMesh(&mesh);
    }
    brinkMesh whole = readMesh(engine ? "engine.obj" : "car.obj");
    assert_int_equal(triangles, whole.triangleCount);
    brinkFreeMesh(&whole);
  }
}

static uint64_t hashFile(const char *path, uint64_t hash) {
  size_t size;
  unsigned char *bytes = readBytes(path, &size);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  free(bytes);
  return hash;
}

static int compareNames(const void *a, const void *b) { return strcmp(a, b); }

/* Golden hashes: any compiler, optimisation and libm must give these bytes. A wanted change of a scene changes its
 * number. */
CASE(scenes_are_the_same_bytes_everywhere) {
  static const uint64_t golden[BRINK_PAPER_SCENES] = {
      0xf506fb488e808defull, 0x43cc7ce3446f317dull, 0x17b624d8da7c2ad6ull, 0xc39cf017bd83ae41ull,
      0x6a8b2efa94c62b7full, 0x6f9d648220c64341ull, 0x3c4f96098d12385full, 0x3e1464637b94e4bcull};
  static const uint64_t goldenMeshes = 0x645459de8f3ab253ull;
  bool good = true;
  for (int i = 0; i < BRINK_PAPER_SCENES; ++i) {
    uint64_t hash = hashFile(pathOf(brinkPaperSceneName(i), ".scene"), 14695981039346656037ull);
    hash = hashFile(pathOf(brinkPaperSceneName(i), ".motion"), hash);
    if (hash != golden[i]) print_error("%s: 0x%016llx\n", brinkPaperSceneName(i), (unsigned long long)hash);
    good = good && hash == golden[i];
  }
  static char names[mostNames][64];
  size_t count = 0;
  DIR *directory = opendir(pathOf("meshes", ""));
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (entry->d_name[0] != '.') snprintf(names[count++], sizeof names[0], "%.63s", entry->d_name);
  closedir(directory);
  qsort(names, count, sizeof names[0], compareNames);
  uint64_t hash = 14695981039346656037ull;
  for (size_t i = 0; i < count; ++i) {
    char path[400];
    snprintf(path, sizeof path, "%s/meshes/%s", folder, names[i]);
    hash = hashFile(path, hash);
  }
  if (hash != goldenMeshes) print_error("meshes: 0x%016llx\n", (unsigned long long)hash);
  assert_true(good && hash == goldenMeshes);
}

CASE(plain_sine_and_cosine_agree_with_libm) {
  testRandom random = {12345};
  for (int i = 0; i < 200000; ++i) {
    const double scale = i % 2 == 0 ? 10.0 : 1e4, x = scale * (2 * nextUnit(&random) - 1);
    if (!(fabs(brinkPlainSine(x) - sin(x)) < 1e-14 * scale) || !(fabs(brinkPlainCosine(x) - cos(x)) < 1e-14 * scale))
      fail_msg("seed 12345, case %d: x = %.17g", i, x);
  }
  assert_true(brinkPlainSine(0) == 0 && brinkPlainCosine(0) == 1);
}

CASE(turns_from_axes_give_the_axes_back) {
  testRandom random = {777};
  for (int i = 0; i < 20000; ++i) {
    const brinkQuat turn = brinkTurnBoth(brinkTurnAbout(i % 3, 6.3 * nextUnit(&random)),
                                         brinkTurnAbout((i + 1) % 3, 6.3 * nextUnit(&random)));
    const brinkVec3 x = brinkTurned(turn, brinkVector(1, 0, 0)), y = brinkTurned(turn, brinkVector(0, 1, 0));
    const brinkVec3 z = brinkTurned(turn, brinkVector(0, 0, 1));
    const brinkQuat back = brinkTurnFromAxes(x, y, z);
    const double same = fabs(back.w * turn.w + back.x * turn.x + back.y * turn.y + back.z * turn.z);
    if (!(fabs(same - 1) < 1e-14)) fail_msg("seed 777, case %d: |q.q'| = %.17g", i, same);
  }
}

CASE(bad_arguments_are_refused_by_name) {
  char message[256];
  assert_int_equal(brinkWritePaperScene("nowhere", folder, message, sizeof message), brink_errorBadValue);
  assert_non_null(strstr(message, "nowhere"));
  assert_int_equal(brinkWritePaperScene(NULL, folder, message, sizeof message), brink_errorNullArgument);
  assert_int_equal(brinkWritePaperScene("walk", NULL, message, sizeof message), brink_errorNullArgument);
  assert_null(brinkPaperSceneName(-1));
  assert_null(brinkPaperSceneName(BRINK_PAPER_SCENES));
  const char *inTheWay = writeText(state, "file", "not a folder");
  assert_int_equal(brinkWritePaperScene("exercise", inTheWay, message, sizeof message), brink_errorIo);
  assert_non_null(strstr(message, "file"));
  char deep[400];
  snprintf(deep, sizeof deep, "%s/no/such", folder);
  assert_int_equal(brinkWritePaperScene("exercise", deep, message, sizeof message), brink_errorIo);
  assert_non_null(strstr(message, "no/such"));
}

CASE(a_scene_that_fails_half_way_leaves_the_old_files) {
  size_t before, after;
  char path[400], message[256];
  free(readBytes(pathOf("exercise", ".motion"), &before));
  snprintf(path, sizeof path, "%s/meshes/mannequin_03.obj", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0777), 0);  // a folder where a mesh has to go
  assert_int_equal(brinkWritePaperScene("exercise", folder, message, sizeof message), brink_errorIo);
  assert_non_null(strstr(message, "mannequin_03"));
  free(readBytes(pathOf("exercise", ".motion"), &after));
  assert_int_equal(before, after);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(brinkWritePaperScene("exercise", folder, message, sizeof message), brink_ok);
}

int main(void) { return cases_Run(writeAll, removeAll); }
