/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the #include lines of the whole house and keeps its floors: who may include whom, and which room of algorithms
 * uses which. The rooms and what they use are read from algorithms/CMakeLists.txt, which gives each room an include
 * path of just these folders; this test also holds the order of the rooms, their size, and that no module needs itself.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"

#define MAX_ROOMS 32
#define MAX_MODULES 256

/* One line brink_room(NAME USES...) of algorithms/CMakeLists.txt. */
typedef struct Room {
  char name[64];
  bool uses[MAX_ROOMS]; /* by index; itself too */
} Room;

/* name.c and name.h of one room. */
typedef struct Module {
  char name[64];
  int room;
} Module;

static Room rooms[MAX_ROOMS];
static int roomCount;
static Module modules[MAX_MODULES];
static int moduleCount;
static bool needs[MAX_MODULES][MAX_MODULES]; /* by an #include of the module's .c or .h */

/* docs/architecture.md, "Floors": first contact, lowest first. What stands in these folders is its core. */
static const char *const floors[] = {"foundation", "shape", "distance", "motion", "pair", "scene"};
enum { FLOOR_COUNT = sizeof floors / sizeof floors[0], CORE_LINES = 15000 };

/* Headers that only the named module's files include: they are parts of it. */
static const struct {
  const char *part, *module;
} parts[] = {
    {"swept_axis_internal", "swept_axis"}, {"swept_axis_body", "swept_axis"},     {"swept_axis_base", "swept_axis"},
    {"swept_axis_avx2", "swept_axis"},     {"swept_axis_interval", "swept_axis"}, {"scene_internal", "first_contact"},
    {"scene_boxes", "first_contact"},      {"scene_colliders", "first_contact"},  {"scene_pairs", "first_contact"},
    {"pair_event", "first_contact"},       {"question", "first_contact"},         {"lanes", "first_contact"},
    {"certificate_text", "certificate"},   {"affine_carried", "affine_motion"},
};

static int RoomOf(const char *name) {
  for (int i = 0; i < roomCount; ++i)
    if (strcmp(rooms[i].name, name) == 0) return i;
  return -1;
}

static bool IsSource(const char *file) {
  size_t length = strlen(file);
  return length > 2 && (strcmp(file + length - 2, ".c") == 0 || strcmp(file + length - 2, ".h") == 0);
}

/* Index of the module that a file name or an include belongs to; -1: none of algorithms. */
static int ModuleOf(const char *file) {
  char name[64];
  size_t length = strcspn(file, ".");
  if (length >= sizeof name) return -1;
  memcpy(name, file, length);
  name[length] = 0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    if (strcmp(parts[i].part, name) == 0) strcpy(name, parts[i].module);
  for (int i = 0; i < moduleCount; ++i)
    if (strcmp(modules[i].name, name) == 0) return i;
  return -1;
}

/* A room may only name rooms of lines above its own: so there is no circle. */
static void ReadRooms(void) {
  FILE *stream = fopen(BRINK_SOURCE_DIR "/algorithms/CMakeLists.txt", "r");
  assert_non_null(stream);
  char line[1024];
  while (fgets(line, sizeof line, stream)) {
    if (strncmp(line, "brink_room(", 11) != 0) continue;
    assert_true(roomCount < MAX_ROOMS);
    Room *room = &rooms[roomCount];
    line[strcspn(line, ")")] = 0;
    char *word = strtok(line + 11, " ");
    snprintf(room->name, sizeof room->name, "%s", word);
    room->uses[roomCount] = true;
    while ((word = strtok(NULL, " ")) != NULL) {
      int used = RoomOf(word);
      if (used < 0) print_error("%s uses %s, which is not above it\n", room->name, word);
      assert_true(used >= 0);
      room->uses[used] = true;
    }
    roomCount++;
  }
  fclose(stream);
}

static void ReadModules(void) {
  char path[1024];
  for (int r = 0; r < roomCount; ++r) {
    snprintf(path, sizeof path, "%s/algorithms/%.63s", BRINK_SOURCE_DIR, rooms[r].name);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
      if (!IsSource(entry->d_name) || ModuleOf(entry->d_name) >= 0) continue;
      assert_true(moduleCount < MAX_MODULES);
      Module *module = &modules[moduleCount++];
      module->room = r;
      snprintf(module->name, sizeof module->name, "%.*s", (int)strcspn(entry->d_name, "."), entry->d_name);
    }
    closedir(directory);
  }
}

static int ReadHouse(void **state) {
  (void)state;
  ReadRooms();
  ReadModules();
  return 0;
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
    if (IsSource(entry->d_name)) ReadFile(folder, entry->d_name, allowed);
  }
  closedir(directory);
}

static bool StartsWith(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool Foreign(const char *header) {
  return StartsWith(header, "ode/") || StartsWith(header, "assimp/") || StartsWith(header, "stb");
}

static bool AlgorithmsMay(const char *folder, const char *file, const char *header) {
  if (Foreign(header)) return false;
  if (strcmp(header, "brink/types.h") == 0 || strcmp(header, "brink/cook.h") == 0) return true;
  if (StartsWith(header, "brink/")) return false;
  const char *room = strrchr(folder, '/') + 1;
  if (StartsWith(header, "libqhull_r/")) return strcmp(room, "cooking") == 0;
  int from = ModuleOf(file), to = ModuleOf(header);
  if (to < 0) return true; /* a system header */
  needs[from][to] = true;
  return rooms[RoomOf(room)].uses[modules[to].room];
}

static bool PluginMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return !Foreign(header) && strcmp(header, "brink/ode.h") != 0 && strcmp(header, "brink/assets.h") != 0;
}

/* The step of any engine: of Brink the public headers alone, and its own files. */
static bool SteppingMay(const char *folder, const char *file, const char *header) {
  return PluginMay(folder, file, header) && ModuleOf(header) < 0 && strncmp(header, "../", 3) != 0;
}

static bool GlueMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return !StartsWith(header, "assimp/") && !StartsWith(header, "stb") && ModuleOf(header) < 0 &&
         strcmp(header, "brink/assets.h") != 0 && strcmp(header, "brink/cook.h") != 0;
}

static bool AssetsMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return !StartsWith(header, "ode/") && !StartsWith(header, "stb") && ModuleOf(header) < 0 &&
         strcmp(header, "brink/ode.h") != 0 && strcmp(header, "brink/ccd.h") != 0;
}

static bool PagesMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return !Foreign(header) && !StartsWith(header, "brink/") && ModuleOf(header) < 0; /* text and bytes alone */
}

static bool UpperMay(const char *folder, const char *file, const char *header) {
  (void)folder, (void)file;
  return ModuleOf(header) < 0; /* demos and tools see no internal header of algorithms */
}

CASE(every_include_respects_the_floors) {
  broken = lines = 0;
  for (int i = 0; i < roomCount; ++i) {
    char folder[128];
    snprintf(folder, sizeof folder, "algorithms/%.63s", rooms[i].name);
    ReadFolder(folder, AlgorithmsMay);
  }
  assert_true(lines > 200);
  ReadFolder("plugin", PluginMay);
  ReadFolder("plugin/robot", PluginMay);
  ReadFolder("plugin/stepping", SteppingMay);
  ReadFolder("ode_glue", GlueMay);
  ReadFolder("ode_glue/base", GlueMay);
  ReadFolder("ode_glue/mirror", GlueMay);
  ReadFolder("ode_glue/inspect", GlueMay);
  ReadFolder("ode_glue/hooks", GlueMay);
  ReadFolder("assets", AssetsMay);
  ReadFolder("pages", PagesMay);
  ReadFolder("demos", UpperMay);
  ReadFolder("tools", UpperMay);
  ReadFolder("robots", UpperMay);
  assert_true(lines > 100);
  assert_int_equal(broken, 0);
}

/* A circle: some module reaches itself by includes of its files. */
CASE(no_module_needs_itself) {
  bool reaches[MAX_MODULES][MAX_MODULES];
  memcpy(reaches, needs, sizeof reaches);
  for (int i = 0; i < moduleCount; ++i) reaches[i][i] = false; /* its own header */
  for (int k = 0; k < moduleCount; ++k)
    for (int i = 0; i < moduleCount; ++i)
      for (int j = 0; j < moduleCount; ++j) reaches[i][j] |= reaches[i][k] && reaches[k][j];
  int circles = 0;
  for (int i = 0; i < moduleCount; ++i)
    if (reaches[i][i]) {
      print_error("algorithms/%s/%s needs itself\n", rooms[modules[i].room].name, modules[i].name);
      circles++;
    }
  assert_true(moduleCount > 40);
  assert_int_equal(circles, 0);
}

static int LinesOf(const char *room) {
  char path[1024];
  snprintf(path, sizeof path, "%s/algorithms/%s", BRINK_SOURCE_DIR, room);
  DIR *directory = opendir(path);
  assert_non_null(directory);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (!IsSource(entry->d_name)) continue;
    char file[2048];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    FILE *stream = fopen(file, "r");
    assert_non_null(stream);
    for (int c; (c = getc(stream)) != EOF;) count += c == '\n';
    fclose(stream);
  }
  closedir(directory);
  return count;
}

CASE(first_contact_is_read_without_the_wings) {
  int count = 0;
  for (int i = 0; i < FLOOR_COUNT; ++i) {
    const Room *room = &rooms[RoomOf(floors[i])];
    count += LinesOf(floors[i]);
    for (int used = 0; used < roomCount; ++used) {
      bool below = false;
      for (int j = 0; j <= i; ++j) below = below || strcmp(rooms[used].name, floors[j]) == 0;
      if (room->uses[used] && !below) print_error("floor %s uses %s\n", room->name, rooms[used].name);
      assert_true(below || !room->uses[used]);
    }
  }
  print_message("first contact: %d lines\n", count);
  assert_in_range(count, 1, CORE_LINES);
}

CASE(every_room_tells_what_it_answers) {
  for (int i = 0; i < roomCount; ++i) {
    char path[1024], text[4096];
    snprintf(path, sizeof path, "%s/algorithms/%.63s/README.md", BRINK_SOURCE_DIR, rooms[i].name);
    FILE *stream = fopen(path, "r");
    if (!stream) print_error("%s is missing\n", path);
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    assert_non_null(strstr(text, "Answers:"));
    assert_non_null(strstr(text, "May use:"));
    assert_non_null(strstr(text, "Begin with"));
    for (int used = 0; used < roomCount; ++used) /* names every room that it uses */
      if (used != i && rooms[i].uses[used]) assert_non_null(strstr(text, rooms[used].name));
  }
}

int main(void) { return cases_Run(ReadHouse, NULL); }
