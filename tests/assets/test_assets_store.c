/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of cooked meshes: a hit gives the same bytes; anything stale, damaged or foreign is rebuilt, never trusted.
 */
#include "cases.h"
#include "assets_support.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "brink/cook.h"

static char message[512];

typedef struct cooked {
  void *blob;
  size_t size;
  int hit;
} cooked;

static cooked load(const char *path, const char *cachePath, uint32_t flags) {
  cooked result = {NULL, 0, -1};
  brinkStatus status =
      brinkLoadCooked(path, cachePath, flags, 1, &result.blob, &result.size, &result.hit, message, sizeof message);
  if (status != brink_ok) fail_msg("%s", message);
  assert_int_equal(brinkCheckBlob(result.blob, result.size, NULL, NULL, 0), brink_ok);
  return result;
}

static int isHit(const char *path, const char *cachePath, uint32_t flags) {
  cooked result = load(path, cachePath, flags);
  brinkFreeBlob(result.blob);
  return result.hit;
}

static const char *writeCube(void **state, const char *name, double size) {
  char text[2000], *end = text;
  for (int i = 0; i < 8; ++i)
    end += sprintf(end, "v %.17g %.17g %.17g\n", i & 1 ? size : 0, i & 2 ? size : 0, i & 4 ? size : 0);
  sprintf(
      end,
      "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n");
  return writeText(state, name, text);
}

IN_FOLDER(second_load_is_a_hit_with_the_same_bytes) {
  char path[400];
  strcpy(path, writeCube(state, "cube.obj", 1));
  cooked first = load(path, NULL, BRINK_MESH_SOLID), second = load(path, NULL, BRINK_MESH_SOLID);
  assert_int_equal(first.hit, 0);
  assert_int_equal(second.hit, 1);
  assert_int_equal(first.size, second.size);
  assert_memory_equal(first.blob, second.blob, first.size);
  assert_int_equal(access(inFolder(state, "cube.obj.brink"), R_OK), 0);
  brinkMeshView view = {.structSize = sizeof view};
  assert_int_equal(brinkBlobMesh(second.blob, second.size, &view), brink_ok);
  assert_int_equal(view.triangleCount, 12);
  brinkFreeBlob(first.blob);
  brinkFreeBlob(second.blob);
}

IN_FOLDER(a_pipe_or_a_device_is_written_to_and_stays_what_it_is) {
  char pipePath[400], fullPath[400];
  strcpy(pipePath, inFolder(state, "pipe"));
  strcpy(fullPath, inFolder(state, "full"));
  double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  uint32_t corner[3] = {0, 1, 2};
  const brinkMesh mesh = {.vertices = corners, .vertexCount = 3, .indices = corner, .triangleCount = 1};
  assert_int_equal(mkfifo(pipePath, 0600), 0);
  int reader = open(pipePath, O_RDWR | O_NONBLOCK);
  assert_true(reader >= 0);
  if (brinkWriteObj(pipePath, &mesh, message, sizeof message) != brink_ok) fail_msg("%s", message);
  struct stat there;
  assert_int_equal(lstat(pipePath, &there), 0);
  assert_true(S_ISFIFO(there.st_mode));
  char text[64] = "";
  assert_true(read(reader, text, sizeof text - 1) > 0);
  assert_memory_equal(text, "# 3 vertices", 12);
  close(reader);
  assert_int_equal(symlink("/dev/full", fullPath), 0);
  assert_int_equal(brinkWriteObj(fullPath, &mesh, message, sizeof message), brink_errorIo);
  assert_non_null(strstr(message, "full: cannot write: "));
  assert_int_equal(lstat(fullPath, &there), 0);
  assert_true(S_ISLNK(there.st_mode));
}

IN_FOLDER(a_changed_source_or_other_flags_are_cooked_anew) {
  char path[400], cache[400];
  strcpy(path, writeCube(state, "cube.obj", 1));
  strcpy(cache, inFolder(state, "elsewhere.cache"));
  assert_int_equal(isHit(path, cache, BRINK_MESH_SOLID), 0);
  assert_int_equal(isHit(path, cache, BRINK_MESH_SOLID), 1);
  assert_int_equal(isHit(path, cache, 0), 0);
  assert_int_equal(isHit(path, cache, 0), 1);
  writeCube(state, "cube.obj", 1.0000000000000002);  // one bit of one number
  assert_int_equal(isHit(path, cache, 0), 0);
  assert_int_equal(isHit(path, cache, 0), 1);
  // The cache of one model does not serve another one.
  assert_int_equal(isHit(writeCube(state, "other.obj", 3), cache, 0), 0);
  assert_int_equal(access(inFolder(state, "cube.obj.brink"), F_OK), -1);
}

IN_FOLDER(a_changed_buffer_of_a_gltf_file_is_noticed) {
  const char *text =
      "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"a.bin\"}]}";
  float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  char path[400];
  strcpy(path, writeText(state, "a.gltf", text));
  writeBytes(state, "a.bin", corners, sizeof corners);
  assert_int_equal(isHit(path, NULL, 0), 0);
  assert_int_equal(isHit(path, NULL, 0), 1);
  corners[3] = 2;
  writeBytes(state, "a.bin", corners, sizeof corners);
  cooked fresh = load(path, NULL, 0);
  assert_int_equal(fresh.hit, 0);
  brinkMeshView view = {.structSize = sizeof view};
  assert_int_equal(brinkBlobMesh(fresh.blob, fresh.size, &view), brink_ok);
  assert_true(view.vertices[3] == 2);
  brinkFreeBlob(fresh.blob);
}

IN_FOLDER(every_flipped_bit_and_every_truncation_of_a_cache_is_noticed) {
  const uint64_t seed = 31;
  testRandom random = {seed};
  char path[400], cache[400];
  strcpy(path, writeCube(state, "cube.obj", 2));
  strcpy(cache, inFolder(state, "cube.obj.brink"));
  cooked original = load(path, NULL, BRINK_MESH_SOLID);
  size_t size;
  unsigned char *bytes = readBytes(cache, &size);
  for (int round = 0; round < 500; ++round) {
    // All bits of the header in turn, then random places and lengths.
    size_t bit = round < 64 ? (size_t)round * 8 + nextBelow(&random, 8) : nextBelow(&random, 8 * size);
    size_t kept = round % 5 == 4 ? nextBelow(&random, size) : size;
    unsigned char *damaged = malloc(size + 8);
    memcpy(damaged, bytes, size);
    if (kept == size) damaged[bit / 8] ^= (unsigned char)(1u << bit % 8);
    if (round % 97 == 96) kept = size + 8, memset(damaged + size, 0, 8);  // longer than it should be
    writeBytes(state, "cube.obj.brink", damaged, kept);
    free(damaged);
    cooked again = load(path, NULL, BRINK_MESH_SOLID);
    if (again.hit != 0)
      fail_msg("seed %llu round %d: bit %zu, %zu of %zu bytes: trusted", (unsigned long long)seed, round, bit, kept,
               size);
    assert_int_equal(again.size, original.size);
    assert_memory_equal(again.blob, original.blob, original.size);
    brinkFreeBlob(again.blob);
    if (round % 50 == 0) assert_int_equal(isHit(path, NULL, BRINK_MESH_SOLID), 1);  // it was replaced by a good one
  }
  free(bytes);
  brinkFreeBlob(original.blob);
}

IN_FOLDER(a_cache_that_cannot_be_written_is_a_warning) {
  char path[400], cache[400];
  strcpy(path, writeCube(state, "cube.obj", 1));
  strcpy(cache, inFolder(state, "no-such-folder/cube.brink"));
  cooked result = load(path, cache, 0);
  assert_int_equal(result.hit, 0);
  assert_non_null(strstr(message, "warning"));
  assert_non_null(strstr(message, "No such file"));
  brinkFreeBlob(result.blob);
}

IN_FOLDER(no_half_written_files_are_left_behind) {
  char path[400];
  strcpy(path, writeCube(state, "cube.obj", 1));
  for (uint32_t flags = 0; flags < 2; ++flags) brinkFreeBlob(load(path, NULL, flags).blob);
  DIR *directory = opendir(((testFolder *)*state)->path);
  size_t files = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) files += entry->d_name[0] != '.';
  closedir(directory);
  assert_int_equal(files, 2);
}

IN_FOLDER(broken_models_are_refused_with_file_and_reason_and_leave_no_cache) {
  void *blob = NULL;
  size_t size = 0;
  const char *path = writeText(state, "bad.obj", "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n");
  assert_int_equal(brinkLoadCooked(path, NULL, 0, 1, &blob, &size, NULL, message, sizeof message), brink_errorParse);
  assert_non_null(strstr(message, "bad.obj:3: "));
  path = writeText(state, "open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  assert_int_equal(brinkLoadCooked(path, NULL, BRINK_MESH_SOLID, 1, &blob, &size, NULL, message, sizeof message),
                   brink_errorNotClosed);
  assert_non_null(strstr(message, "open.obj"));
  assert_int_equal(
      brinkLoadCooked(inFolder(state, "none.obj"), NULL, 0, 1, &blob, &size, NULL, message, sizeof message),
      brink_errorIo);
  assert_null(blob);
  assert_int_equal(access(inFolder(state, "bad.obj.brink"), F_OK), -1);
  assert_int_equal(access(inFolder(state, "open.obj.brink"), F_OK), -1);
  assert_int_equal(brinkLoadCooked(NULL, NULL, 0, 1, &blob, &size, NULL, message, sizeof message),
                   brink_errorNullArgument);
  assert_int_equal(brinkLoadCooked(path, NULL, 0, 1, NULL, &size, NULL, NULL, 0), brink_errorNullArgument);
}

IN_FOLDER(generated_solids_are_cooked_as_closed_and_manifold) {
  static const struct {
    brinkModel model;
    int part;
    uint32_t flags;
  } cases[] = {{brink_modelTrainEngine, 0, BRINK_MESH_SOLID},
               {brink_modelTrainCar, 0, BRINK_MESH_SOLID},
               {brink_modelMannequin, 1, BRINK_MESH_SOLID},
               {brink_modelMannequin, 5, BRINK_MESH_SOLID}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    brinkMesh mesh = {0};
    char path[400];
    strcpy(path, inFolder(state, "model.obj"));
    assert_int_equal(brinkGenerateModel(cases[i].model, cases[i].part, 1, &mesh, message, sizeof message), brink_ok);
    assert_int_equal(brinkWriteObj(path, &mesh, message, sizeof message), brink_ok);
    cooked result = load(path, NULL, cases[i].flags);
    brinkMeshSummary summary = {.structSize = sizeof summary};
    assert_int_equal(brinkCheckBlob(result.blob, result.size, &summary, message, sizeof message), brink_ok);
    assert_int_equal(summary.closed, 1);
    assert_int_equal(summary.manifold, 1);
    assert_int_equal(summary.triangleCount, mesh.triangleCount);
    assert_int_equal(summary.vertexCount, mesh.vertexCount);
    assert_int_equal(summary.degenerateCount, 0);
    brinkFreeBlob(result.blob);
    brinkFreeMesh(&mesh);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
