/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads replays: see replay.h. A malformed file is refused with its line; the checks are those that this program needs,
 * `brink replay` is the careful reader. */
#include "replay.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  const char *path;
  char *text, *at;
  int line;
  char *message;
  size_t messageCapacity;
  bool failed;
} Reader;

typedef struct Object {
  long model, link, parentLink;
  int body;
  bool leads;  // the first object of its body: the one that has lines in MOTION
} Object;

typedef struct Loader {
  replayData *data;
  Object *objects;
} Loader;

static bool refuse(Reader *reader, const char *format, ...) {
  if (reader->failed) return false;
  reader->failed = true;
  int used = snprintf(reader->message, reader->messageCapacity, "%s:%d: ", reader->path, reader->line);
  if (used < 0 || (size_t)used >= reader->messageCapacity) return false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reader->message + used, reader->messageCapacity - (size_t)used, format, arguments);
  va_end(arguments);
  return false;
}

static bool openReader(Reader *reader, const char *path, char *message, size_t messageCapacity) {
  *reader = (Reader){.path = path, .message = message, .messageCapacity = messageCapacity};
  FILE *file = fopen(path, "rb");
  long size = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  reader->text = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (reader->text != NULL) {
    rewind(file);
    reader->text[fread(reader->text, 1, (size_t)size, file)] = '\0';
  }
  if (file != NULL) fclose(file);
  reader->at = reader->text;
  if (reader->text == NULL) refuse(reader, "cannot be read");
  return reader->text != NULL;
}

// The next line that holds more than blanks and a comment; cut off in place. NULL at the end.
static char *nextLine(Reader *reader) {
  while (!reader->failed && *reader->at != '\0') {
    char *line = reader->at, *end = line + strcspn(line, "\n");
    reader->at = *end == '\n' ? end + 1 : end;
    *end = '\0';
    line[strcspn(line, "#")] = '\0';
    ++reader->line;
    line += strspn(line, " \t\r");
    if (*line != '\0') return line;
  }
  return NULL;
}

static bool readNumbers(char **at, double *out, int count) {
  for (int i = 0; i < count; ++i) {
    char *end;
    out[i] = strtod(*at, &end);
    if (end == *at || !isfinite(out[i])) return false;
    *at = end;
  }
  return true;
}

static bool readPose(char **at, brinkPose *pose) {
  double v[7];
  if (!readNumbers(at, v, 7)) return false;
  *pose = (brinkPose){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
  return true;
}

// Room for one more; arrays grow by doubling at powers of two.
static bool growArray(void **array, int count, size_t size) {
  if (count > 0 && (count & (count - 1)) != 0) return true;
  void *larger = realloc(*array, (count == 0 ? 1 : 2 * (size_t)count) * size);
  if (larger == NULL) return false;
  *array = larger;
  return true;
}

static int findMesh(Reader *reader, replayData *data, const char *name) {
  const char *slash = strrchr(reader->path, '/');
  const size_t folder = slash != NULL && name[0] != '/' ? (size_t)(slash - reader->path) + 1 : 0;
  char *path = malloc(folder + strlen(name) + 1);
  if (path == NULL || !growArray((void **)&data->meshes, data->meshCount, sizeof *data->meshes)) {
    free(path);
    refuse(reader, "out of memory");
    return -1;
  }
  memcpy(path, reader->path, folder);
  strcpy(path + folder, name);
  for (int i = 0; i < data->meshCount; ++i) {
    if (strcmp(data->meshes[i].path, path) != 0) continue;
    free(path);
    return i;
  }
  data->meshes[data->meshCount] = (replayMesh){.path = path};
  return data->meshCount++;
}

static int findBody(const Loader *loader, long model, long link) {
  for (int i = 0; i < loader->data->colliderCount; ++i)
    if (loader->objects[i].body >= 0 && loader->objects[i].model == model && loader->objects[i].link == link)
      return loader->objects[i].body;
  return -1;
}

static bool readObject(Reader *reader, Loader *loader, char *line) {
  replayData *data = loader->data;
  char name[512], kind[16];
  int used = 0;
  Object object = {.body = -1};
  replayCollider collider = {.body = -1};
  if (sscanf(line, "object %511s %15s %ld %ld %ld %n", name, kind, &object.model, &object.link, &object.parentLink,
             &used) < 5 ||
      used == 0)
    return refuse(reader, "object FILE fixed|moving MODEL LINK PARENT and a pose are expected");
  line += used;
  if (!readPose(&line, &collider.pose)) return refuse(reader, "the object's pose needs seven numbers");
  collider.mesh = findMesh(reader, data, name);
  if (collider.mesh < 0) return false;
  if (!growArray((void **)&data->colliders, data->colliderCount, sizeof *data->colliders) ||
      !growArray((void **)&loader->objects, data->colliderCount, sizeof *loader->objects) ||
      !growArray((void **)&data->bodies, data->bodyCount, sizeof *data->bodies))
    return refuse(reader, "out of memory");
  if (strcmp(kind, "moving") == 0) {
    object.body = object.model >= 0 ? findBody(loader, object.model, object.link) : -1;
    if (object.body < 0) {
      const int parent = object.parentLink >= 0 ? findBody(loader, object.model, object.parentLink) : -1;
      if (object.parentLink >= 0 && parent < 0) return refuse(reader, "a parent link must come before its children");
      object.body = data->bodyCount++;
      object.leads = true;
      data->bodies[object.body] = (replayBody){parent, collider.pose};
    }
  }
  collider.body = object.body;
  loader->objects[data->colliderCount] = object;
  data->colliders[data->colliderCount++] = collider;
  return true;
}

static bool readScene(Reader *reader, Loader *loader) {
  replayData *data = loader->data;
  for (char *line; (line = nextLine(reader)) != NULL;) {
    replayPair pair;
    if (strncmp(line, "object", 6) == 0) {
      readObject(reader, loader, line);
    } else if (sscanf(line, "ignore %d %d", &pair.a, &pair.b) == 2) {
      if (pair.a < 0 || pair.b < 0 || pair.a >= data->colliderCount || pair.b >= data->colliderCount)
        refuse(reader, "ignore: no such object");
      else if (!growArray((void **)&data->ignored, data->ignoredCount, sizeof *data->ignored))
        refuse(reader, "out of memory");
      else
        data->ignored[data->ignoredCount++] = pair;
    } else {
      refuse(reader, "'object' or 'ignore' expected");
    }
  }
  if (data->bodyCount == 0) refuse(reader, "nothing moves in this scene");
  return !reader->failed;
}

static bool addFrame(replayData *data) {
  const size_t bodies = (size_t)data->bodyCount;
  if (!growArray((void **)&data->moves, data->frameCount, bodies * sizeof *data->moves)) return false;
  replayMove *moves = data->moves + bodies * (size_t)data->frameCount;
  for (size_t i = 0; i < bodies; ++i) {  // what gets no line stands where it was
    const brinkPose pose = data->frameCount == 0 ? data->bodies[i].pose : (moves - bodies)[i].end;
    moves[i] = (replayMove){.start = pose, .end = pose};
  }
  ++data->frameCount;
  return true;
}

static bool readMotion(Reader *reader, Loader *loader) {
  replayData *data = loader->data;
  long current = -1;
  for (char *line; (line = nextLine(reader)) != NULL;) {
    char *at;
    const long frame = strtol(line, &at, 10), object = strtol(at, &at, 10);
    replayMove move = {.hasSpin = false};
    double spin[3];
    if (object < 0 || object >= data->colliderCount || loader->objects[object].body < 0)
      return refuse(reader, "no moving object %ld", object);
    if (!loader->objects[object].leads)
      return refuse(reader, "object %ld is part of an earlier one with its MODEL and LINK", object);
    if (frame < current || frame < 0) return refuse(reader, "frame %ld comes after frame %ld", frame, current);
    if (!readPose(&at, &move.start) || !readPose(&at, &move.end))
      return refuse(reader, "two poses need fourteen numbers");
    if (readNumbers(&at, spin, 3)) {
      move.spin = (brinkVec3){spin[0], spin[1], spin[2]};
      move.hasSpin = true;
    }
    if (frame > current && !addFrame(data)) return refuse(reader, "out of memory");
    current = frame;
    data->moves[(size_t)(data->frameCount - 1) * (size_t)data->bodyCount + (size_t)loader->objects[object].body] = move;
  }
  return data->frameCount > 0 || refuse(reader, "no frames");
}

static bool loadMeshes(replayData *data, char *message, size_t messageCapacity) {
  for (int i = 0; i < data->meshCount; ++i) {
    replayMesh *mesh = &data->meshes[i];
    if (brinkLoadCooked(mesh->path, NULL, 0, 0, &mesh->blob, &mesh->blobSize, NULL, message, messageCapacity) !=
        brink_ok)
      return false;
  }
  for (int i = 0; i < data->colliderCount; ++i) {
    const replayMesh *mesh = &data->meshes[data->colliders[i].mesh];
    brinkMeshSummary summary = {.structSize = sizeof summary};
    if (brinkCheckBlob(mesh->blob, mesh->blobSize, &summary, message, messageCapacity) != brink_ok) return false;
    data->triangleCount += summary.triangleCount;
  }
  return true;
}

replayData *replay_Load(const char *scenePath, const char *motionPath, char *message, size_t messageCapacity) {
  Loader loader = {.data = calloc(1, sizeof(replayData))};
  if (loader.data == NULL) {
    snprintf(message, messageCapacity, "out of memory");
    return NULL;
  }
  Reader scene = {0}, motion = {0};
  const bool good = openReader(&scene, scenePath, message, messageCapacity) && readScene(&scene, &loader) &&
                    openReader(&motion, motionPath, message, messageCapacity) && readMotion(&motion, &loader) &&
                    loadMeshes(loader.data, message, messageCapacity);
  free(scene.text);
  free(motion.text);
  free(loader.objects);
  if (good) return loader.data;
  replay_Free(loader.data);
  return NULL;
}

void replay_Free(replayData *replay) {
  if (replay == NULL) return;
  for (int i = 0; i < replay->meshCount; ++i) {
    free(replay->meshes[i].path);
    brinkFreeBlob(replay->meshes[i].blob);
  }
  free(replay->meshes);
  free(replay->bodies);
  free(replay->colliders);
  free(replay->ignored);
  free(replay->moves);
  free(replay);
}
