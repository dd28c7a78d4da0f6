/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfering subsets as files: PLY and GLB say what they should, whole or not at all; the worked examples are what
 * they claim. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cases.h"
#include "brink/interference_assets.h"

static const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1, 0, 1};
static const uint32_t triangles[6] = {0, 1, 2, 0, 3, 1};
static const double faceTimes[4] = {0.25, 0.5, 2, -1}, points[6] = {0.5, 0, 0, 9, 9, 9}, pointTimes[4] = {0, 1, 2, -1};
static const brinkColoredSubset subset = {vertices, 4, triangles, 2, faceTimes, points, pointTimes, 2};

static char folder[] = BRINK_BINARY_DIR "/brink_subset_XXXXXX";

static size_t readWhole(const char *path, char *out, size_t capacity) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(out, 1, capacity - 1, file);
  fclose(file);
  out[size] = '\0';
  return size;
}

CASE(a_ply_holds_points_and_faces_with_times_and_colours) {
  char path[1024], message[256], text[8192], color[64];
  unsigned char c[3];
  snprintf(path, sizeof path, "%s/a.ply", folder);
  assert_int_equal(brinkWriteSubsetPly(path, &subset, message, sizeof message), brink_ok);
  readWhole(path, text, sizeof text);
  assert_memory_equal(text, "ply\nformat ascii 1.0\n", 21);
  assert_non_null(strstr(text, "element vertex 5\n")); /* four corners and the one point that interferes */
  assert_non_null(strstr(text, "element face 2\n"));
  brinkEntryColor(0.25, c);
  snprintf(color, sizeof color, "3 0 1 2 %d %d %d 0.25 0.5\n", c[0], c[1], c[2]);
  assert_non_null(strstr(text, color));
  assert_non_null(strstr(text, "3 0 3 1 190 190 190 2 -1\n"));
  assert_non_null(strstr(text, "0.5 0 0 68 1 84 0 1\n"));
  assert_null(strstr(text, "9 9 9"));
}

CASE(a_glb_is_well_formed_and_can_be_imported_again) {
  char path[1024], message[256], text[8192];
  snprintf(path, sizeof path, "%s/a.glb", folder);
  assert_int_equal(brinkWriteSubsetGlb(path, &subset, message, sizeof message), brink_ok);
  size_t size = readWhole(path, text, sizeof text);
  uint32_t head[5];
  memcpy(head, text, sizeof head);
  assert_int_equal(head[0], 0x46546c67);
  assert_int_equal(head[1], 2);
  assert_int_equal(head[2], size);
  assert_int_equal(head[4], 0x4e4f534a);
  assert_int_equal(head[3] % 4, 0);
  uint32_t chunk[2];
  memcpy(chunk, text + 20 + head[3], sizeof chunk);
  assert_int_equal(chunk[0], 16 * 7); /* six corners, one point */
  assert_int_equal(chunk[1], 0x004e4942);
  assert_non_null(strstr(text + 20, "\"mode\":0"));
  brinkMesh mesh;
  brinkColoredSubset facesOnly = subset;
  facesOnly.pointCount = 0;
  assert_int_equal(brinkWriteSubsetGlb(path, &facesOnly, message, sizeof message), brink_ok);
  assert_int_equal(brinkImportMesh(path, 0, &mesh, message, sizeof message), brink_ok);
  assert_int_equal(mesh.triangleCount, 2);
  assert_int_equal(mesh.vertexCount, 4);
  brinkFreeMesh(&mesh);
}

CASE(paths_are_lines_of_an_obj_and_single_points_are_points) {
  static const size_t starts[3] = {0, 3, 4}, bad[3] = {0, 0, 4};
  char path[1024], message[256], text[8192];
  snprintf(path, sizeof path, "%s/paths.obj", folder);
  assert_int_equal(brinkWriteLinesObj(path, vertices, starts, 2, message, sizeof message), brink_ok);
  readWhole(path, text, sizeof text);
  assert_string_equal(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.10000000000000001 0 1\nl 1 2 3\np 4\n");
  assert_int_equal(brinkWriteLinesObj(path, vertices, bad, 2, message, sizeof message), brink_errorEmpty);
  assert_non_null(strstr(message, "line 0 has no vertex"));
  assert_int_equal(brinkWriteLinesObj(path, NULL, starts, 2, message, sizeof message), brink_errorNullArgument);
  readWhole(path, text, sizeof text);
  assert_non_null(strstr(text, "l 1 2 3")); /* as it was */
}

CASE(nothing_is_written_over_when_the_subset_is_bad) {
  char path[1024], message[256] = "", text[8192];
  const uint32_t wrong[3] = {0, 1, 7};
  brinkColoredSubset bad = subset;
  snprintf(path, sizeof path, "%s/kept.ply", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("old", file);
  fclose(file);
  bad.triangles = wrong;
  bad.triangleCount = 1;
  assert_int_equal(brinkWriteSubsetPly(path, &bad, message, sizeof message), brink_errorBadIndex);
  assert_non_null(strstr(message, "vertex 7 of 4"));
  assert_int_equal(brinkWriteSubsetGlb(path, &bad, message, sizeof message), brink_errorBadIndex);
  bad.triangleCount = bad.pointCount = 0;
  assert_int_equal(brinkWriteSubsetPly(path, &bad, message, sizeof message), brink_errorEmpty);
  assert_int_equal(readWhole(path, text, sizeof text), 3);
  assert_int_equal(brinkWriteSubsetPly("/proc/no such folder/a.ply", &subset, message, sizeof message), brink_errorIo);
}

CASE(examples_have_the_papers_sizes) {
  static const size_t faces[4][2] = {{12, 12}, {240, 850}, {2700, 2900}, {24, 792}};
  char message[256];
  for (int i = 0; i < BRINK_MOTION_EXAMPLES; ++i) {
    brinkMotionExample e;
    assert_int_equal(brinkMakeMotionExample(brinkMotionExampleName(i), &e, message, sizeof message), brink_ok);
    for (int k = 0; k < 2; ++k) {
      size_t count = e.patchCount[k] > 0 ? e.patchCount[k] : e.mesh[k].triangleCount;
      assert_int_equal(count, faces[i][k]);
      for (size_t v = 0; v < 3 * e.mesh[k].vertexCount; ++v) assert_true(isfinite(e.mesh[k].vertices[v]));
    }
    assert_true(e.keyCount >= 2 && e.times[0] == 0 && e.times[e.keyCount - 1] == 1);
    brinkFreeMotionExample(&e);
  }
  assert_null(brinkMotionExampleName(4));
  brinkMotionExample e;
  assert_int_equal(brinkMakeMotionExample("teapot", &e, message, sizeof message), brink_errorBadValue);
}

static int makeFolder(void **state) {
  (void)state;
  return mkdtemp(folder) != NULL ? 0 : -1;
}
static int dropFolder(void **state) {
  (void)state;
  char command[1024];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

int main(void) { return cases_Run(makeFolder, dropFolder); }
