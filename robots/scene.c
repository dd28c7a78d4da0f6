/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads scenes for robots (brink/robot_scene.h) and puts their obstacles into a world. Numbers are read in the C
 * locale. Units: m, rad. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/assets.h"
#include "brink/robot_scene.h"

#define MOST_OBSTACLES 1000000u

typedef struct Reader {
  const char *path;
  FILE *file;
  char *line;
  size_t capacity;
  unsigned long number;
  char *next; /* in line */
  bool kept;  /* the line was looked at and is the next one still */
  locale_t plain;
  char *message;
  size_t messageCapacity;
  brinkStatus status;
} Reader;

static void fail(Reader *reader, brinkStatus status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void fail(Reader *reader, brinkStatus status, const char *format, ...) {
  if (reader->status != brink_ok) return;
  reader->status = status;
  if (reader->message == NULL || reader->messageCapacity == 0) return;
  char line[32] = "";
  if (reader->number > 0) snprintf(line, sizeof line, ":%lu", reader->number);
  int used = snprintf(reader->message, reader->messageCapacity, "%s%s: ", reader->path, line);
  if (used < 0 || (size_t)used >= reader->messageCapacity) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reader->message + used, reader->messageCapacity - (size_t)used, format, arguments);
  va_end(arguments);
}

/* The next line that holds a word; false at the end of the file. */
static bool nextLine(Reader *reader) {
  if (reader->kept) return reader->kept = false, true;
  for (ssize_t length; (length = getline(&reader->line, &reader->capacity, reader->file)) >= 0;) {
    ++reader->number;
    if (strlen(reader->line) < (size_t)length) {
      fail(reader, brink_errorParse, "a NUL byte: scenes are text");
      return false;
    }
    reader->line[strcspn(reader->line, "#\n\r")] = '\0';
    reader->next = reader->line + strspn(reader->line, " \t");
    if (*reader->next != '\0') return true;
  }
  return false;
}

static char *nextWord(Reader *reader) {
  char *word = reader->next + strspn(reader->next, " \t");
  if (*word == '\0') return NULL;
  char *end = word + strcspn(word, " \t");
  reader->next = end;
  if (*end != '\0') *reader->next++ = '\0';
  return word;
}

static bool nextNumber(Reader *reader, const char *what, double *out) {
  const char *word = nextWord(reader);
  if (word == NULL) {
    fail(reader, brink_errorParse, "%s is missing", what);
    return false;
  }
  char *end;
  locale_t before = uselocale(reader->plain);
  *out = strtod(word, &end);
  uselocale(before);
  if (*end == '\0' && isfinite(*out)) return true;
  fail(reader, brink_errorParse, "%s is '%s', not a number", what, word);
  return false;
}

static char *copyText(Reader *reader, const char *text) {
  char *copy = malloc(strlen(text) + 1);
  if (copy == NULL)
    fail(reader, brink_errorNoMemory, "out of memory");
  else
    memcpy(copy, text, strlen(text) + 1);
  return copy;
}

static char *besideScene(Reader *reader, const char *name) {
  const char *slash = strrchr(reader->path, '/');
  size_t folder = slash != NULL && name[0] != '/' ? (size_t)(slash - reader->path) + 1 : 0;
  char *path = malloc(folder + strlen(name) + 1);
  if (path == NULL) {
    fail(reader, brink_errorNoMemory, "out of memory");
    return NULL;
  }
  memcpy(path, reader->path, folder);
  memcpy(path + folder, name, strlen(name) + 1);
  return path;
}

static bool readObstacle(Reader *reader, brinkSceneObstacle *out) {
  static const struct {
    const char *name;
    uint32_t kind;
  } kinds[] = {{"box", brink_box},
               {"cylinder", brink_cylinder},
               {"sphere", brink_sphere},
               {"mesh", brink_mesh},
               {"plane", brink_plane}};
  const char *name = nextWord(reader);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(name, kinds[i].name) == 0) out->kind = kinds[i].kind;
  if (out->kind == 0) {
    fail(reader, brink_errorParse, "'%s' is no obstacle: box, cylinder, sphere, mesh, plane", name);
    return false;
  }
  double pose[7];
  for (int i = 0; i < 3; ++i)
    if (!nextNumber(reader, "a size", &out->size[i])) return false;
  for (int i = 0; i < 7; ++i)
    if (!nextNumber(reader, i < 3 ? "a position" : "a quaternion", &pose[i])) return false;
  out->pose = (brinkPose){{pose[0], pose[1], pose[2]}, {pose[3], pose[4], pose[5], pose[6]}};
  if (out->kind == brink_mesh) {
    const char *file = nextWord(reader);
    if (file == NULL) fail(reader, brink_errorParse, "the mesh's file is missing");
    if (file != NULL) out->path = besideScene(reader, file);
    if (out->path == NULL) return false;
  }
  const char *more = nextWord(reader);
  if (more != NULL) fail(reader, brink_errorParse, "'%s' stands after the obstacle's last number", more);
  return more == NULL;
}

static bool readEnds(Reader *reader, brinkRobotScene *scene) {
  size_t capacity = 0;
  for (reader->next = reader->next + strspn(reader->next, " \t"); *reader->next != '\0';
       reader->next += strspn(reader->next, " \t")) {
    if (scene->endCount == capacity) {
      capacity = capacity == 0 ? 32 : 2 * capacity;
      double *grown = realloc(scene->ends, capacity * sizeof *grown);
      if (grown == NULL) {
        fail(reader, brink_errorNoMemory, "out of memory");
        return false;
      }
      scene->ends = grown;
    }
    if (!nextNumber(reader, "a value of start or goal", &scene->ends[scene->endCount])) return false;
    ++scene->endCount;
  }
  if (scene->endCount % 2 != 0)
    fail(reader, brink_errorParse, "start and goal are %zu numbers in all: they must be as many each", scene->endCount);
  return scene->endCount % 2 == 0;
}

static bool isNumber(const char *text) { return strchr("+-.0123456789", text[0]) != NULL; }

/* After `scene`, whose words stand in the reader's line. */
static bool readScene(Reader *reader, brinkRobotScene *scene) {
  const char *word = nextWord(reader);
  if (word == NULL || strcmp(word, "scene") != 0) {
    fail(reader, brink_errorParse, "'%s' where 'scene NAME COUNT' is expected", word != NULL ? word : "");
    return false;
  }
  const char *name = nextWord(reader);
  double count;
  if (name == NULL) {
    fail(reader, brink_errorParse, "the scene's name is missing");
    return false;
  }
  scene->name = copyText(reader, name);
  if (scene->name == NULL || !nextNumber(reader, "the number of obstacles", &count)) return false;
  if (!(count >= 0 && count <= MOST_OBSTACLES && count == floor(count))) {
    fail(reader, brink_errorParse, "%g is no number of obstacles", count);
    return false;
  }
  scene->obstacles = calloc((size_t)count + 1, sizeof *scene->obstacles);
  if (scene->obstacles == NULL) {
    fail(reader, brink_errorNoMemory, "out of memory");
    return false;
  }
  bool ends = false;
  while (scene->obstacleCount < (size_t)count || !ends) {
    bool more = nextLine(reader);
    if (more && !ends && isNumber(reader->next)) {
      if (!readEnds(reader, scene)) return false;
      ends = true;
      continue;
    }
    ends = true; /* none are given; the line, if any, is an obstacle or the next scene */
    if (count == 0) {
      reader->kept = more;
      return true;
    }
    if (!more) {
      fail(reader, brink_errorTruncated, "scene %s ends after %zu of %g obstacles", scene->name, scene->obstacleCount,
           count);
      return false;
    }
    bool good = readObstacle(reader, &scene->obstacles[scene->obstacleCount]);
    if (scene->obstacles[scene->obstacleCount].path != NULL || good) ++scene->obstacleCount;
    if (!good) return false;
  }
  return true;
}

brinkStatus brinkLoadRobotScenes(const char *path, brinkRobotScenes *out, char *message, size_t messageCapacity) {
  if (message != NULL && messageCapacity > 0) message[0] = '\0';
  if (path == NULL || out == NULL) return brink_errorNullArgument;
  Reader reader = {.path = path, .message = message, .messageCapacity = messageCapacity};
  brinkRobotScenes scenes = {NULL, 0};
  size_t capacity = 0;
  reader.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  reader.file = fopen(path, "r");
  if (reader.file == NULL || reader.plain == (locale_t)0) fail(&reader, brink_errorIo, "%s", strerror(errno));
  while (reader.status == brink_ok && nextLine(&reader)) {
    if (scenes.count == capacity) {
      capacity = capacity == 0 ? 16 : 2 * capacity;
      brinkRobotScene *grown = realloc(scenes.scenes, capacity * sizeof *grown);
      if (grown == NULL) {
        fail(&reader, brink_errorNoMemory, "out of memory");
        break;
      }
      scenes.scenes = grown;
    }
    brinkRobotScene *scene = &scenes.scenes[scenes.count++];
    memset(scene, 0, sizeof *scene);
    readScene(&reader, scene);
  }
  if (reader.file != NULL && ferror(reader.file)) fail(&reader, brink_errorIo, "%s", strerror(errno));
  if (reader.status == brink_ok && scenes.count == 0) fail(&reader, brink_errorEmpty, "no scene");
  if (reader.file != NULL) fclose(reader.file);
  if (reader.plain != (locale_t)0) freelocale(reader.plain);
  free(reader.line);
  if (reader.status != brink_ok) {
    brinkFreeRobotScenes(&scenes);
    return reader.status;
  }
  *out = scenes;
  return brink_ok;
}

void brinkFreeRobotScenes(brinkRobotScenes *scenes) {
  if (scenes == NULL) return;
  for (size_t i = 0; i < scenes->count; ++i) {
    brinkRobotScene *scene = &scenes->scenes[i];
    for (size_t k = 0; k < scene->obstacleCount; ++k) free(scene->obstacles[k].path);
    free(scene->obstacles);
    free(scene->ends);
    free(scene->name);
  }
  free(scenes->scenes);
  *scenes = (brinkRobotScenes){NULL, 0};
}

/* ---- into a world */

static brinkStatus makeMesh(brinkWorld *world, const brinkPlugin *plugin, const brinkSceneObstacle *obstacle,
                            brinkShapeDef *def, brinkShapeId *shape, char *message, size_t messageCapacity) {
  brinkMesh mesh;
  brinkStatus status = brinkImportMesh(obstacle->path, 0, &mesh, message, messageCapacity);
  if (status != brink_ok) return status;
  for (size_t i = 0; i < 3 * mesh.vertexCount; ++i) mesh.vertices[i] *= obstacle->size[i % 3];
  def->mesh = brinkViewMesh(&mesh, BRINK_MESH_SOLID);
  status = plugin->createShape(world, def, shape);
  if (status == brink_errorNotClosed) {
    def->mesh.flags = 0;
    status = plugin->createShape(world, def, shape);
  }
  brinkFreeMesh(&mesh);
  return status;
}

/* Obstacles of one mesh at one scale share a shape: cooking it takes long. The first of them; i: none before. */
static size_t firstAlike(const brinkRobotScene *scene, size_t i) {
  const brinkSceneObstacle *own = &scene->obstacles[i];
  for (size_t k = 0; own->kind == brink_mesh && k < i; ++k) {
    const brinkSceneObstacle *other = &scene->obstacles[k];
    if (other->kind == brink_mesh && memcmp(other->size, own->size, sizeof own->size) == 0 &&
        strcmp(other->path, own->path) == 0)
      return k;
  }
  return i;
}

static brinkStatus makeShape(brinkWorld *world, const brinkPlugin *plugin, const brinkSceneObstacle *obstacle,
                             brinkShapeId *shape, char *message, size_t messageCapacity) {
  const double *size = obstacle->size;
  brinkShapeDef def = {.structSize = sizeof def, .type = obstacle->kind, .mesh.structSize = sizeof(brinkMeshView)};
  if (obstacle->kind == brink_box) def.size = (brinkVec3){0.5 * size[0], 0.5 * size[1], 0.5 * size[2]};
  if (obstacle->kind == brink_cylinder) def.size = (brinkVec3){size[1], 0, 0.5 * size[0]};
  if (obstacle->kind == brink_sphere) def.size.x = size[0];
  if (obstacle->kind == brink_plane) def.normal = (brinkVec3){size[0], size[1], size[2]};
  return obstacle->kind == brink_mesh ? makeMesh(world, plugin, obstacle, &def, shape, message, messageCapacity)
                                      : plugin->createShape(world, &def, shape);
}

/* The first `count` obstacles go; shapes only once no collider holds them. */
static void removeObstacles(brinkWorld *world, const brinkRobotScene *scene, size_t count,
                            const brinkColliderId *colliders, const brinkShapeId *shapes) {
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
  for (size_t i = 0; i < count; ++i) plugin->destroyCollider(world, colliders[i]);
  for (size_t i = 0; i < count; ++i)
    if (firstAlike(scene, i) == i) plugin->destroyShape(world, shapes[i]);
}

brinkStatus brinkAddRobotScene(brinkWorld *world, const brinkRobotScene *scene, brinkColliderId *colliders,
                               brinkShapeId *shapes, char *message, size_t messageCapacity) {
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
  for (size_t i = 0; i < scene->obstacleCount; ++i) {
    char text[512] = "";
    const size_t alike = firstAlike(scene, i);
    brinkStatus status = brink_ok;
    if (alike < i)
      shapes[i] = shapes[alike];
    else
      status = makeShape(world, plugin, &scene->obstacles[i], &shapes[i], text, sizeof text);
    const brinkColliderDef def = {.structSize = sizeof def,
                                  .shape = shapes[i],
                                  .pose = scene->obstacles[i].pose,
                                  .categoryBits = UINT64_MAX,
                                  .collideBits = UINT64_MAX};
    const bool made = status == brink_ok;
    if (made) status = plugin->createCollider(world, &def, &colliders[i]);
    if (status == brink_ok) continue;
    if (message != NULL && messageCapacity > 0)
      snprintf(message, messageCapacity, "scene %s, obstacle %zu: %s", scene->name, i + 1,
               text[0] != '\0' ? text : plugin->lastError(world));
    if (made && alike == i) plugin->destroyShape(world, shapes[i]);
    removeObstacles(world, scene, i, colliders, shapes);
    return status;
  }
  return brink_ok;
}

void brinkRemoveRobotScene(brinkWorld *world, const brinkRobotScene *scene, const brinkColliderId *colliders,
                           const brinkShapeId *shapes) {
  removeObstacles(world, scene, scene->obstacleCount, colliders, shapes);
}
