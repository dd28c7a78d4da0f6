/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the #include lines of the whole house and keeps its floors: who may include whom, and the levels inside
 * algorithms. A wrong include between folders mostly does not compile anyway; this test also holds the levels within
 * one folder. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct Level {
  const char *module;
  int level;
} Level;

/* docs/architecture.md, "Floors". A module includes its own level and below. */
static const Level levels[] = {
    {"base", 0},
    {"arena", 0},
    {"linear", 0},
    {"interval", 0},
    {"taylor", 0},
    {"simd", 0},
    {"shape", 1},
    {"gjk", 1},
    {"likely_normal", 1},
    {"epa", 1},
    {"convex", 1},
    {"surface", 1},
    {"hull_tree", 1},
    {"inside", 1},
    {"inner_core", 1},
    {"obb_tree", 1},
    {"cook", 1},
    {"blob", 1},
    {"swept_bounds", 2},
    {"link_motion", 2},
    {"path", 2},
    {"motion_bound", 2},
    {"bvh", 2},
    {"revolution", 3},
    {"advance", 3},
    {"turned_frame", 3},
    {"rest_overlap", 3},
    {"swept_axis", 3},
    {"swept_axis_body", 3},
    {"swept_axis_internal", 3},
    {"swept_axis_base", 3},
    {"swept_axis_avx2", 3},
    {"pair_queue", 3},
    {"affine_motion", 3},
    {"affine_carried", 3},
    {"manifold", 3},
    {"first_contact", 4},
    {"scene_colliders", 4},
    {"scene_internal", 4},
    {"scene_boxes", 4},
    {"scene_pairs", 4},
    {"pair_event", 4},
    {"question", 4},
    {"clearance", 4},
    {"swept_hull", 4},
    {"node_view", 3},
    {"inverse_path", 4},
    {"inverse_mesh", 1},
    {"inverse_motion", 2},
    {"touching_pair", 3},
    {"contact_cells", 3},
    {"contact_intervals", 4},
    {"implicit_solid", 4},
    {"point_contacts", 4},
    {"interfering_subsets", 4},
    {"bezier_patch", 1},
    {"patch_body", 1},
    {"patch_contact", 3},
    {"tolerance", 4},
    {"certificate", 4},
    {"certificate_text", 4},
    {"fat_features", 3},
    {"motion_balls", 2},
    {"motion_curve", 2},
    {"face_tree", 2},
    {"object_metric", 1},
};

static int LevelOf(const char *name) {
  size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; ++i)
    if (strlen(levels[i].module) == length && memcmp(levels[i].module, name, length) == 0) return levels[i].level;
  return -1;
}

typedef bool Visit(const char *folder, const char *file, const char *header);

static int broken, lines;

static void ReadFile(const char *folder, const char *file, Visit *allowed) {
  char path[1024], line[1024], header[512];
  snprintf(path, sizeof path, "%s/%s/%s", BRINK_SOURCE_DIR, folder, file);
  FILE *stream = fopen(path, "r");
  if (!stream) return;
  while (fgets(line, sizeof line, stream)) {
    if (sscanf(line, " # include \"%511[^\"]\"", header) != 1 && sscanf(line, " # include <%511[^>]>", header) != 1)
      continue;
    lines++;
    if (allowed(folder, file, header)) continue;
    broken++;
    print_error("%s/%s may not include %s\n", folder, file, header);
  }
  fclose(stream);
}

static void ReadFolder(const char *folder, Visit *allowed) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", BRINK_SOURCE_DIR, folder);
  DIR *directory = opendir(path);
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    size_t length = strlen(entry->d_name);
    if (length > 2 && (strcmp(entry->d_name + length - 2, ".c") == 0 || strcmp(entry->d_name + length - 2, ".h") == 0))
      ReadFile(folder, entry->d_name, allowed);
  }
  closedir(directory);
}

static bool StartsWith(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool Foreign(const char *header) {
  return StartsWith(header, "ode/") || StartsWith(header, "assimp/") || StartsWith(header, "stb");
}

static bool AlgorithmsMay(const char *folder, const char *file, const char *header) {
  (void)folder;
  if (Foreign(header)) return false;
  if (strcmp(header, "brink/types.h") == 0 || strcmp(header, "brink/cook.h") == 0) return true;
  if (StartsWith(header, "brink/")) return false;
  if (StartsWith(header, "libqhull_r/")) return LevelOf(file) == 1;
  int from = LevelOf(file), to = LevelOf(header);
  if (to < 0) return true; /* a system header */
  return from >= to;
}

static bool PluginMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return !Foreign(header) && strcmp(header, "brink/ode.h") != 0 && strcmp(header, "brink/assets.h") != 0;
}

/* The step of any engine: of Brink the public headers alone, and its own files. */
static bool SteppingMay(const char *folder, const char *file, const char *header) {
  return PluginMay(folder, file, header) && LevelOf(header) < 0 && strncmp(header, "../", 3) != 0;
}

static bool GlueMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return !StartsWith(header, "assimp/") && !StartsWith(header, "stb") && LevelOf(header) < 0 &&
         strcmp(header, "brink/assets.h") != 0 && strcmp(header, "brink/cook.h") != 0;
}

static bool AssetsMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return !StartsWith(header, "ode/") && !StartsWith(header, "stb") && LevelOf(header) < 0 &&
         strcmp(header, "brink/ode.h") != 0 && strcmp(header, "brink/ccd.h") != 0;
}

static bool UpperMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return LevelOf(header) < 0; /* demos and tools see no internal header of algorithms */
}

static void every_include_respects_the_floors(void **state) {
  (void)state;
  ReadFolder("algorithms", AlgorithmsMay);
  ReadFolder("plugin", PluginMay);
  ReadFolder("plugin/robot", PluginMay);
  ReadFolder("plugin/stepping", SteppingMay);
  ReadFolder("ode_glue", GlueMay);
  ReadFolder("ode_glue/base", GlueMay);
  ReadFolder("ode_glue/mirror", GlueMay);
  ReadFolder("ode_glue/inspect", GlueMay);
  ReadFolder("ode_glue/doors", GlueMay);
  ReadFolder("assets", AssetsMay);
  ReadFolder("demos", UpperMay);
  ReadFolder("tools", UpperMay);
  ReadFolder("robots", UpperMay);
  assert_true(lines > 100);
  assert_int_equal(broken, 0);
}

static bool ModuleIsListed(const char *folder, const char *file, const char *header) {
  (void)folder, (void)header;
  return LevelOf(file) >= 0;
}

static void every_module_of_algorithms_has_a_level(void **state) {
  (void)state;
  broken = 0;
  ReadFolder("algorithms", ModuleIsListed);
  assert_int_equal(broken, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_include_respects_the_floors),
      cmocka_unit_test(every_module_of_algorithms_has_a_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
