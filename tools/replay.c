/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink replay`: a recorded motion of many links, asked frame by frame for its first contacts; a CSV row per frame
 * (or pair) and a summary with the columns of [CATCH] Tables 1 and 2. Frames are independent of each other: with
 * --threads N each thread has a world of its own, takes every N-th frame, and the answers are the same bits for any N.
 * Units: m, rad; times within the frame, [0,1]. */
#include <argp.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "brink/assets.h"
#include "command.h"
#include "output.h"

typedef enum motionModel { motionChain = 0, motionBody = 1 } motionModel;

typedef struct replayOptions {
  const char *scenePath, *motionPath, *csvPath, *cacheDir;
  motionModel motion;
  uint32_t mode; /* brinkQueryMode */
  uint32_t scheme;
  double eps; /* 0 = the library's default */
  long threads, repeat, order;
  double restMargin; /* negative: nothing is left out */
  bool adjacent, quiet;
  brinkForm form; /* auto or json; --csv has a file of its own here */
} replayOptions;

typedef struct meshFile {
  char *path;
  void *blob;
  size_t blobSize;
} meshFile;

typedef struct sceneObject {
  size_t mesh;
  bool moving;
  long long model, link, parentLink;
  size_t parent;  /* object, SIZE_MAX = none */
  size_t carrier; /* object whose body this one is part of; mostly itself */
  brinkPose pose;
} sceneObject;

typedef struct objectPair {
  size_t a, b;
} objectPair;

typedef struct sceneData {
  meshFile *meshes;
  sceneObject *objects;
  objectPair *ignored;
  size_t meshCount, objectCount, ignoredCount;
  size_t meshCapacity, objectCapacity, ignoredCapacity;
  bool unread; /* there is no such file */
} sceneData;

typedef struct objectMotion {
  brinkPose pose0, pose1;
  brinkVec3 spin;
  bool hasSpin, moves;
} objectMotion;

typedef struct motionData {
  long long *frames;  /* [frameCount] numbers as in the file */
  objectMotion *rows; /* [frameCount][objectCount] */
  size_t frameCount, frameCapacity, rowCapacity;
  bool unread;
} motionData;

typedef struct contactRow {
  brinkContact contact;
  size_t a, b; /* objects, a < b */
} contactRow;

typedef struct frameAnswer {
  uint32_t state;
  double toi;
  double microseconds;
  brinkCounters counters;
  contactRow *rows;
  size_t rowCount;
} frameAnswer;

/* ---- memory: out of it is the end of a tool */

static void *growOrDie(void *block, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return block;
  size_t grown = *capacity * 2 > needed ? *capacity * 2 : needed + 16;
  void *larger = grown > SIZE_MAX / size ? NULL : realloc(block, grown * size);
  if (larger == NULL) {
    fputs("brink: out of memory\n", stderr);
    exit(BRINK_EXIT_FAILURE);
  }
  *capacity = grown;
  return larger;
}

static char *joinPath(const char *directory, size_t directoryLength, const char *name, const char *suffix) {
  size_t capacity = 0, length = directoryLength + strlen(name) + strlen(suffix) + 1;
  char *path = growOrDie(NULL, &capacity, length, 1);
  snprintf(path, capacity, "%.*s%s%s", (int)directoryLength, directory, name, suffix);
  return path;
}

/* ---- reading the scene */

static brinkPose makePose(const double v[7]) { return (brinkPose){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}}; }

static bool readPose(brinkText *text, const char *what, brinkPose *out) {
  double v[7];
  if (!brinkText_Numbers(text, what, v, 7)) return false;
  if (v[3] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0) return brinkText_Fail(text, "%s: the quaternion is zero", what);
  *out = makePose(v);
  return true;
}

static size_t findMesh(sceneData *scene, const char *scenePath, const char *name) {
  const char *slash = strrchr(scenePath, '/');
  size_t directory = slash != NULL && name[0] != '/' ? (size_t)(slash - scenePath) + 1 : 0;
  char *path = joinPath(scenePath, directory, name, "");
  for (size_t i = 0; i < scene->meshCount; ++i)
    if (strcmp(scene->meshes[i].path, path) == 0) {
      free(path);
      return i;
    }
  scene->meshes = growOrDie(scene->meshes, &scene->meshCapacity, scene->meshCount + 1, sizeof *scene->meshes);
  scene->meshes[scene->meshCount] = (meshFile){.path = path};
  return scene->meshCount++;
}

static bool readObject(brinkText *text, const char *scenePath, sceneData *scene) {
  const char *name = brinkText_Word(text);
  if (name == NULL) return brinkText_Fail(text, "object: a file name is missing");
  sceneObject object = {.mesh = findMesh(scene, scenePath, name), .parent = SIZE_MAX};
  const char *kind = brinkText_Word(text);
  object.moving = kind != NULL && strcmp(kind, "moving") == 0;
  if (!object.moving && (kind == NULL || strcmp(kind, "fixed") != 0))
    return brinkText_Fail(text, "object: 'fixed' or 'moving' expected%s%.40s", kind != NULL ? ", not " : "",
                          kind != NULL ? kind : "");
  if (!brinkText_Integer(text, "MODEL", -1, INT32_MAX, &object.model) ||
      !brinkText_Integer(text, "LINK", 0, INT32_MAX, &object.link) ||
      !brinkText_Integer(text, "PARENT", -1, INT32_MAX, &object.parentLink) ||
      !readPose(text, "object's pose", &object.pose))
    return false;
  scene->objects = growOrDie(scene->objects, &scene->objectCapacity, scene->objectCount + 1, sizeof *scene->objects);
  scene->objects[scene->objectCount++] = object;
  return true;
}

static bool readIgnore(brinkText *text, sceneData *scene) {
  long long a, b, last = (long long)scene->objectCount - 1;
  if (!brinkText_Integer(text, "ignore", 0, last, &a) || !brinkText_Integer(text, "ignore", 0, last, &b)) return false;
  if (a == b) return brinkText_Fail(text, "ignore: object %lld with itself", a);
  scene->ignored = growOrDie(scene->ignored, &scene->ignoredCapacity, scene->ignoredCount + 1, sizeof *scene->ignored);
  scene->ignored[scene->ignoredCount++] = (objectPair){(size_t)a, (size_t)b};
  return true;
}

/* Parents by (model, link number); a tree, or the file is refused. */
static bool linkParents(brinkText *text, sceneData *scene) {
  for (size_t i = 0; i < scene->objectCount; ++i) {
    sceneObject *object = &scene->objects[i];
    if (!object->moving || object->model < 0 || object->parentLink < 0) continue;
    for (size_t k = 0; k < scene->objectCount; ++k) {
      const sceneObject *other = &scene->objects[k];
      if (other->moving && other->model == object->model && other->link == object->parentLink) object->parent = k;
    }
    if (object->parent == SIZE_MAX)
      return brinkText_Fail(text, "object %zu: model %lld has no moving link %lld to be its parent", i, object->model,
                            object->parentLink);
  }
  for (size_t i = 0; i < scene->objectCount; ++i) {
    size_t steps = 0;
    for (size_t k = i; k != SIZE_MAX; k = scene->objects[k].parent)
      if (++steps > scene->objectCount) return brinkText_Fail(text, "object %zu: its parents form a cycle", i);
  }
  return true;
}

static bool readScene(const char *path, sceneData *scene) {
  brinkText text;
  scene->unread = !brinkText_Open(&text, path);
  if (scene->unread) return false;
  bool good = true;
  const char *word;
  while (good && (word = brinkText_Word(&text)) != NULL) {
    if (strcmp(word, "object") == 0) {
      good = readObject(&text, path, scene);
    } else if (strcmp(word, "ignore") == 0) {
      good = readIgnore(&text, scene);
    } else {
      good = brinkText_Fail(&text, "'object' or 'ignore' expected, not '%.40s'", word);
    }
  }
  if (good && !text.failed && scene->objectCount == 0) brinkText_Fail(&text, "no object in the scene");
  if (good && !text.failed) linkParents(&text, scene);
  good = !text.failed;
  brinkText_Close(&text);
  return good;
}

/* ---- reading the motion */

static objectMotion *frameRows(const motionData *motion, size_t frame, size_t objectCount) {
  return motion->rows + frame * objectCount;
}

/* A new frame: everything stands where the frame before left it. */
static void startFrame(motionData *motion, const sceneData *scene, long long number) {
  size_t n = scene->objectCount, frame = motion->frameCount;
  motion->frames = growOrDie(motion->frames, &motion->frameCapacity, frame + 1, sizeof *motion->frames);
  motion->rows = growOrDie(motion->rows, &motion->rowCapacity, (frame + 1) * n, sizeof *motion->rows);
  motion->frames[frame] = number;
  objectMotion *rows = frameRows(motion, frame, n);
  for (size_t i = 0; i < n; ++i) {
    brinkPose pose = frame == 0 ? scene->objects[i].pose : frameRows(motion, frame - 1, n)[i].pose1;
    rows[i] = (objectMotion){.pose0 = pose, .pose1 = pose};
  }
  ++motion->frameCount;
}

static bool readMotion(const char *path, const sceneData *scene, motionData *motion) {
  brinkText text;
  motion->unread = !brinkText_Open(&text, path);
  if (motion->unread) return false;
  const char *word;
  while ((word = brinkText_Word(&text)) != NULL) {
    char *end;
    long long number = strtoll(word, &end, 10), object;
    if (end == word || *end != '\0' || number < 0) {
      brinkText_Fail(&text, "a frame number expected, not '%.40s'", word);
      break;
    }
    if (motion->frameCount > 0 && number < motion->frames[motion->frameCount - 1]) {
      brinkText_Fail(&text, "frame %lld comes after frame %lld", number, motion->frames[motion->frameCount - 1]);
      break;
    }
    if (motion->frameCount == 0 || number > motion->frames[motion->frameCount - 1]) startFrame(motion, scene, number);
    objectMotion row = {.moves = true};
    if (!brinkText_Integer(&text, "object", 0, (long long)scene->objectCount - 1, &object)) break;
    if (!scene->objects[object].moving) {
      brinkText_Fail(&text, "object %lld is fixed in the scene", object);
      break;
    }
    if (!readPose(&text, "pose at the start", &row.pose0) || !readPose(&text, "pose at the end", &row.pose1)) break;
    if (brinkText_MoreOnLine(&text)) {
      double w[3];
      if (!brinkText_Numbers(&text, "spin", w, 3)) break;
      row.spin = (brinkVec3){w[0], w[1], w[2]};
      row.hasSpin = true;
    }
    frameRows(motion, motion->frameCount - 1, scene->objectCount)[object] = row;
  }
  if (!text.failed && motion->frameCount == 0) brinkText_Fail(&text, "no frames");
  bool good = !text.failed;
  brinkText_Close(&text);
  return good;
}

static bool hasLines(const sceneData *scene, const motionData *motion, size_t object) {
  for (size_t frame = 0; frame < motion->frameCount; ++frame)
    if (frameRows(motion, frame, scene->objectCount)[object].moves) return true;
  return false;
}

/* A link of several meshes: a moving object without a line in MOTION is part of the first object with its MODEL and
 * LINK. */
static void findCarriers(sceneData *scene, const motionData *motion) {
  for (size_t i = 0; i < scene->objectCount; ++i) {
    sceneObject *object = &scene->objects[i];
    object->carrier = i;
    if (!object->moving || object->model < 0 || hasLines(scene, motion, i)) continue;
    for (size_t k = 0; k < i && object->carrier == i; ++k) {
      const sceneObject *other = &scene->objects[k];
      if (other->moving && other->model == object->model && other->link == object->link)
        object->carrier = other->carrier;
    }
  }
}

/* ---- meshes */

static bool loadMeshes(sceneData *scene, const replayOptions *options) {
  for (size_t i = 0; i < scene->meshCount; ++i) {
    meshFile *mesh = &scene->meshes[i];
    char *cache = NULL;
    if (options->cacheDir != NULL) {
      const char *slash = strrchr(mesh->path, '/');
      char *stem = joinPath(options->cacheDir, strlen(options->cacheDir), "/", slash != NULL ? slash + 1 : mesh->path);
      cache = joinPath(stem, strlen(stem), ".brink", "");
      free(stem);
    }
    char message[512] = "";
    brinkStatus status = brinkLoadCooked(mesh->path, cache, 0, options->quiet, &mesh->blob, &mesh->blobSize, NULL,
                                         message, sizeof message);
    free(cache);
    if (message[0] != '\0' && !(status == brink_ok && options->quiet)) fprintf(stderr, "brink: %s\n", message);
    if (status != brink_ok) return false;
  }
  return true;
}

/* ---- a world of the scene */

typedef struct replayWorld {
  const brinkPlugin *api;
  brinkWorld *world;
  brinkBodyId *bodies;        /* [objectCount]; 0 = fixed */
  brinkColliderId *colliders; /* [objectCount] */
} replayWorld;

static bool complain(const replayWorld *rw, const char *what, brinkStatus status) {
  const char *message = rw->world != NULL ? rw->api->lastError(rw->world) : rw->api->statusText(status);
  fprintf(stderr, "brink: %s: %s\n", what, message);
  return false;
}

static brinkStatus addBody(replayWorld *rw, const sceneData *scene, const replayOptions *options, size_t index) {
  const sceneObject *object = &scene->objects[index];
  brinkBodyDef def;
  memset(&def, 0, sizeof def);
  def.structSize = sizeof def;
  def.pose = object->pose;
  if (options->motion == motionChain && object->parent != SIZE_MAX) def.parent = rw->bodies[object->parent];
  return rw->api->createBody(rw->world, &def, &rw->bodies[index]);
}

/* Parents first, whatever the order in the file. */
static brinkStatus addBodies(replayWorld *rw, const sceneData *scene, const replayOptions *options) {
  for (size_t left = scene->objectCount, before = SIZE_MAX; left > 0 && left != before;) {
    before = left;
    left = 0;
    for (size_t i = 0; i < scene->objectCount; ++i) {
      const sceneObject *object = &scene->objects[i];
      if (!object->moving || rw->bodies[i] != 0) continue;
      if (object->carrier != i) {
        rw->bodies[i] = rw->bodies[object->carrier];
        left += rw->bodies[i] == 0;
        continue;
      }
      if (object->parent != SIZE_MAX && rw->bodies[object->parent] == 0) {
        ++left;
        continue;
      }
      brinkStatus status = addBody(rw, scene, options, i);
      if (status != brink_ok) return status;
    }
  }
  return brink_ok;
}

/* Parent and child: left out by the library in chains, here for free bodies; --adjacent lets both meet. */
static brinkStatus treatAdjacent(replayWorld *rw, const sceneData *scene, const replayOptions *options) {
  for (size_t i = 0; i < scene->objectCount; ++i) {
    size_t parent = scene->objects[i].parent;
    if (parent == SIZE_MAX) continue;
    brinkStatus status = brink_ok;
    if (options->adjacent && options->motion == motionChain && scene->objects[i].carrier == i) {
      brinkJointDef def;
      memset(&def, 0, sizeof def);
      def.structSize = sizeof def;
      def.flags = BRINK_JOINT_COLLIDE_CONNECTED;
      def.bodyA = rw->bodies[parent];
      def.bodyB = rw->bodies[i];
      brinkJointId joint;
      status = rw->api->createJoint(rw->world, &def, &joint);
    } else if (!options->adjacent && options->motion == motionBody) {
      for (size_t k = 0; k < scene->objectCount && status == brink_ok; ++k)
        if (rw->bodies[k] == rw->bodies[parent])
          status = rw->api->ignorePair(rw->world, rw->colliders[k], rw->colliders[i], 1);
    }
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

static brinkStatus addColliders(replayWorld *rw, const sceneData *scene, brinkShapeId *shapes) {
  for (size_t i = 0; i < scene->meshCount; ++i) {
    brinkShapeDef def;
    memset(&def, 0, sizeof def);
    def.structSize = sizeof def;
    def.type = brink_mesh;
    def.flags = BRINK_SHAPE_BORROW_BLOB;
    def.mesh.structSize = sizeof def.mesh;
    def.blob = scene->meshes[i].blob;
    def.blobSize = scene->meshes[i].blobSize;
    brinkStatus status = rw->api->createShape(rw->world, &def, &shapes[i]);
    if (status != brink_ok) return status;
  }
  for (size_t i = 0; i < scene->objectCount; ++i) {
    const sceneObject *object = &scene->objects[i];
    brinkColliderDef def;
    memset(&def, 0, sizeof def);
    def.structSize = sizeof def;
    def.body = rw->bodies[i];
    def.shape = shapes[object->mesh];
    def.pose = object->moving ? (brinkPose){{0, 0, 0}, {1, 0, 0, 0}} : object->pose;
    def.userData = i;
    def.categoryBits = def.collideBits = 1;
    brinkStatus status = rw->api->createCollider(rw->world, &def, &rw->colliders[i]);
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

static bool openWorld(replayWorld *rw, const sceneData *scene, const replayOptions *options) {
  *rw = (replayWorld){.api = brinkApi()};
  const brinkWorldDef def = {sizeof def, BRINK_WORLD_ORDER_STATED, (uint32_t)options->order, 0};
  size_t capacity[3] = {0, 0, 0};
  rw->bodies = growOrDie(NULL, &capacity[0], scene->objectCount, sizeof *rw->bodies);
  rw->colliders = growOrDie(NULL, &capacity[1], scene->objectCount, sizeof *rw->colliders);
  brinkShapeId *shapes = growOrDie(NULL, &capacity[2], scene->meshCount, sizeof *shapes);
  memset(rw->bodies, 0, capacity[0] * sizeof *rw->bodies);
  brinkStatus status = rw->api->createWorld(NULL, &def, &rw->world);
  if (status == brink_ok) status = addBodies(rw, scene, options);
  if (status == brink_ok) status = addColliders(rw, scene, shapes);
  if (status == brink_ok) status = treatAdjacent(rw, scene, options);
  for (size_t i = 0; i < scene->ignoredCount && status == brink_ok; ++i)
    status = rw->api->ignorePair(rw->world, rw->colliders[scene->ignored[i].a], rw->colliders[scene->ignored[i].b], 1);
  free(shapes);
  return status == brink_ok ? true : complain(rw, "scene", status);
}

static void closeWorld(replayWorld *rw) {
  rw->api->destroyWorld(rw->world);
  free(rw->bodies);
  free(rw->colliders);
}

/* ---- one frame */

static bool setMotions(replayWorld *rw, const sceneData *scene, const motionData *motion, size_t frame) {
  const objectMotion *rows = frameRows(motion, frame, scene->objectCount);
  for (size_t i = 0; i < scene->objectCount; ++i) {
    if (rw->bodies[i] == 0 || scene->objects[i].carrier != i) continue;
    const brinkBodyMotion bodyMotion = {.structSize = sizeof bodyMotion,
                                        .kind = brink_motionPoses,
                                        .flags = rows[i].hasSpin ? BRINK_MOTION_HAS_SPIN : 0u,
                                        .pose0 = rows[i].pose0,
                                        .pose1 = rows[i].pose1,
                                        .spin = rows[i].spin};
    brinkStatus status = rw->api->setBodyMotion(rw->world, rw->bodies[i], &bodyMotion);
    if (status != brink_ok) return complain(rw, "motion", status);
  }
  return true;
}

/* What parents and children overlap at the first frame's start stays out of all frames. */
static bool leaveOutRest(replayWorld *rw, const sceneData *scene, const motionData *motion,
                         const replayOptions *options) {
  if (!(options->restMargin >= 0.0)) return true;
  if (!setMotions(rw, scene, motion, 0)) return false;
  for (size_t i = 0; i < scene->objectCount; ++i) {
    const size_t parent = scene->objects[i].parent;
    for (size_t k = 0; parent != SIZE_MAX && k < scene->objectCount; ++k) {
      if (rw->bodies[k] != rw->bodies[parent]) continue;
      brinkStatus status =
          rw->api->leaveOutOverlaps(rw->world, rw->colliders[k], rw->colliders[i], 0.0, options->restMargin, NULL);
      if (status != brink_ok) return complain(rw, "overlaps at rest", status);
    }
  }
  return true;
}

static size_t objectOf(const replayWorld *rw, const sceneData *scene, brinkColliderId collider) {
  for (size_t i = 0; i < scene->objectCount; ++i)
    if (rw->colliders[i] == collider) return i;
  return 0;
}

static void copyContacts(const replayWorld *rw, const sceneData *scene, const brinkReport *report,
                         frameAnswer *answer) {
  size_t capacity = 0;
  answer->rows = growOrDie(NULL, &capacity, report->contactCount, sizeof *answer->rows);
  answer->rowCount = report->contactCount;
  for (size_t i = 0; i < report->contactCount; ++i) {
    contactRow *row = &answer->rows[i];
    row->contact = report->contacts[i];
    row->a = objectOf(rw, scene, row->contact.colliderA);
    row->b = objectOf(rw, scene, row->contact.colliderB);
  }
}

/* The fastest of `repeat` runs counts: what else the machine did is no part of the question. A world's first
 * question, which also builds its trees and grows its arrays, is asked once more before the clock runs. */
static bool askFrame(replayWorld *rw, const sceneData *scene, const motionData *motion, const replayOptions *options,
                     size_t frame, bool warm, frameAnswer *answer) {
  brinkQuery query;
  memset(&query, 0, sizeof query);
  query.structSize = sizeof query;
  query.mode = options->mode;
  query.scheme = options->scheme;
  query.tEnd = 1.0;
  query.tolerance = options->eps;
  brinkReport report;
  answer->microseconds = INFINITY;
  for (long run = warm ? 0 : -1; run < options->repeat; ++run) {
    memset(&report, 0, sizeof report);
    report.structSize = sizeof report;
    double start = brinkSeconds();
    if (!setMotions(rw, scene, motion, frame)) return false;
    brinkStatus status = rw->api->firstContact(rw->world, &query, &report);
    double microseconds = 1e6 * (brinkSeconds() - start);
    if (status != brink_ok) return complain(rw, "frame", status);
    if (run >= 0) answer->microseconds = fmin(answer->microseconds, microseconds);
  }
  answer->state = report.state;
  answer->toi = report.toi;
  answer->counters = report.counters;
  copyContacts(rw, scene, &report, answer);
  return true;
}

/* ---- all frames */

typedef struct worker {
  pthread_t thread;
  const sceneData *scene;
  const motionData *motion;
  const replayOptions *options;
  frameAnswer *answers;
  size_t first, stride;
  bool good;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  replayWorld rw;
  w->good = openWorld(&rw, w->scene, w->options);
  if (w->good && w->motion->frameCount > 0) w->good = leaveOutRest(&rw, w->scene, w->motion, w->options);
  brinkProgress progress = brinkProgress_Begin(w->first != 0 || w->options->quiet);
  for (size_t frame = w->first; w->good && frame < w->motion->frameCount; frame += w->stride) {
    w->good = askFrame(&rw, w->scene, w->motion, w->options, frame, frame != w->first, &w->answers[frame]);
    if (!w->good) fprintf(stderr, "brink: given up at frame %lld\n", w->motion->frames[frame]);
    brinkProgress_Tell(&progress, (double)(frame + 1) / (double)w->motion->frameCount, "frame", frame + 1);
  }
  brinkProgress_End(&progress);
  closeWorld(&rw);
  return NULL;
}

static bool askAll(const sceneData *scene, const motionData *motion, const replayOptions *options,
                   frameAnswer *answers) {
  size_t count = (size_t)options->threads, capacity = 0, started = 1;
  worker *workers = growOrDie(NULL, &capacity, count, sizeof *workers);
  for (size_t i = 0; i < count; ++i)
    workers[i] =
        (worker){.scene = scene, .motion = motion, .options = options, .answers = answers, .first = i, .stride = count};
  for (; started < count; ++started)
    if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0) break;
  work(&workers[0]);
  bool good = workers[0].good;
  for (size_t i = 1; i < started; ++i) {
    pthread_join(workers[i].thread, NULL);
    good = good && workers[i].good;
  }
  for (size_t i = started; i < count; ++i) {  // threads that could not be had
    work(&workers[i]);
    good = good && workers[i].good;
  }
  free(workers);
  return good;
}

/* ---- writing */

static const char *stateName(uint32_t state) {
  static const char *const names[] = {"free", "hit", "overlap", "unresolved"};
  return names[state <= brink_unresolved ? state : brink_unresolved];
}

static void writeRow(FILE *csv, long long frame, const frameAnswer *answer, const contactRow *row) {
  const brinkContact *c = &row->contact;
  bool met = c->state == brink_hit || c->state == brink_overlap;
  size_t a = row->a < row->b ? row->a : row->b, b = row->a < row->b ? row->b : row->a;
  double sign = row->a < row->b ? 1.0 : -1.0;
  fprintf(csv, "%lld,%s,", frame, stateName(c->state));
  if (c->state != brink_free) fprintf(csv, "%.17g", c->toi);
  fputc(',', csv);
  if (met) fprintf(csv, "%.17g", c->toiUpper);
  fprintf(csv, ",%zu,%zu,", a, b);
  if (met) {
    fprintf(csv, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,", 0.5 * (c->pointA.x + c->pointB.x),
            0.5 * (c->pointA.y + c->pointB.y), 0.5 * (c->pointA.z + c->pointB.z), sign * c->normal.x,
            sign * c->normal.y, sign * c->normal.z);
  } else {
    fputs(",,,,,,", csv);
  }
  fprintf(csv, "%u,%.2f\n", c->iterations, answer->microseconds);
}

static bool writeCsv(const char *path, const motionData *motion, const frameAnswer *answers, bool everyPair) {
  FILE *csv = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  if (csv == NULL) {
    perror(path);
    return false;
  }
  fputs("frame,state,toi,toiUpper,objectA,objectB,px,py,pz,nx,ny,nz,iterations,microseconds\n", csv);
  for (size_t i = 0; i < motion->frameCount; ++i) {
    const frameAnswer *answer = &answers[i];
    if (everyPair) {
      for (size_t k = 0; k < answer->rowCount; ++k) writeRow(csv, motion->frames[i], answer, &answer->rows[k]);
    } else if (answer->state != brink_free && answer->rowCount > 0) {
      writeRow(csv, motion->frames[i], answer, &answer->rows[0]);
    } else {
      fprintf(csv, "%lld,%s,,,,,,,,,,,%llu,%.2f\n", motion->frames[i], stateName(answer->state),
              (unsigned long long)answer->counters.advancements + answer->counters.nodePairs, answer->microseconds);
    }
  }
  bool good = ferror(csv) == 0;
  if (csv != stdout) good = fclose(csv) == 0 && good;
  if (!good) fprintf(stderr, "brink: %s: could not be written whole\n", path);
  return good;
}

static const brinkColumn columns[] = {{"frame", NULL, 0},      {"state", NULL, 0},       {"toi", NULL, 0},
                                      {"toi_upper", NULL, 0},  {"object_a", NULL, 0},    {"object_b", NULL, 0},
                                      {"point", "m", 0},       {"normal", NULL, 0},      {"distance", "m", 0},
                                      {"iterations", NULL, 0}, {"microseconds", NULL, 0}};

static void printVector(brinkRows *rows, bool known, double x, double y, double z) {
  char text[96];
  snprintf(text, sizeof text, "[%.17g,%.17g,%.17g]", x, y, z);
  brinkRows_Json(rows, known ? text : "null");
}

/* row: NULL: of the frame, which is free or has no contact to tell. */
static void printJsonRow(brinkRows *rows, long long frame, const frameAnswer *answer, const contactRow *row) {
  const brinkContact none = {.state = answer->state, .toi = answer->toi, .toiUpper = BRINK_NO_TIME};
  const brinkContact *c = row != NULL ? &row->contact : &none;
  bool met = row != NULL && (c->state == brink_hit || c->state == brink_overlap);
  double sign = row == NULL || row->a < row->b ? 1.0 : -1.0;
  brinkRows_Count(rows, (unsigned long long)frame);
  brinkRows_Text(rows, stateName(c->state));
  brinkRows_Number(rows, c->state != brink_free ? c->toi : (double)NAN);
  brinkRows_Number(rows, met ? c->toiUpper : (double)NAN);
  for (int k = 0; k < 2; ++k) {
    if (row == NULL)
      brinkRows_Missing(rows);
    else
      brinkRows_Count(rows, (row->a < row->b) == (k == 0) ? row->a : row->b);
  }
  printVector(rows, met, 0.5 * (c->pointA.x + c->pointB.x), 0.5 * (c->pointA.y + c->pointB.y),
              0.5 * (c->pointA.z + c->pointB.z));
  printVector(rows, met, sign * c->normal.x, sign * c->normal.y, sign * c->normal.z);
  brinkRows_Number(rows, row != NULL ? c->distance : (double)NAN);
  brinkRows_Count(rows, row != NULL ? c->iterations : answer->counters.advancements + answer->counters.nodePairs);
  brinkRows_Number(rows, answer->microseconds);
  brinkRows_End(rows);
}

static void printJson(const motionData *motion, const frameAnswer *answers, bool everyPair) {
  brinkRows rows = brinkRows_Open(brink_formJson, "frame", columns, sizeof columns / sizeof columns[0]);
  for (size_t i = 0; i < motion->frameCount; ++i) {
    const frameAnswer *answer = &answers[i];
    for (size_t k = 0; everyPair && k < answer->rowCount; ++k)
      printJsonRow(&rows, motion->frames[i], answer, &answer->rows[k]);
    if (!everyPair)
      printJsonRow(&rows, motion->frames[i], answer,
                   answer->state != brink_free && answer->rowCount > 0 ? &answer->rows[0] : NULL);
  }
}

static void printSummary(const motionData *motion, const frameAnswer *answers) {
  double all = 0.0, freeSum = 0.0, hitSum = 0.0, worst = 0.0;
  size_t freeCount = 0, hitCount = 0, openCount = 0, n = motion->frameCount;
  double before = 0.0, spatial = 0.0, temporal = 0.0;
  for (size_t i = 0; i < n; ++i) {
    const frameAnswer *answer = &answers[i];
    double ms = answer->microseconds / 1000.0;
    all += ms;
    worst = fmax(worst, ms);
    if (answer->state == brink_free) {
      freeSum += ms;
      ++freeCount;
    } else if (answer->state == brink_unresolved) {
      ++openCount;
    } else {
      hitSum += ms;
      ++hitCount;
    }
    before += (double)answer->counters.pairsBefore;
    spatial += (double)answer->counters.pairsSpatial;
    temporal += (double)answer->counters.pairsTemporal;
  }
  printf("frames %zu (free %zu, hit %zu, unresolved %zu)\n", n, freeCount, hitCount, openCount);
  printf("time per frame, ms: average T_a %.4f, free T_f %.4f, hit T_c %.4f, worst T_w %.4f\n", all / (double)n,
         freeCount > 0 ? freeSum / (double)freeCount : 0.0, hitCount > 0 ? hitSum / (double)hitCount : 0.0, worst);
  printf("link pairs per frame: before culling %.2f, after spatial %.2f, after temporal %.2f\n", before / (double)n,
         spatial / (double)n, temporal / (double)n);
}

/* ---- options */

enum { OPTION_MOTION = 256, OPTION_REST_MARGIN };

static const brinkOption optionRows[] = {
    BRINK_OWN("motion", "MODEL", OPTION_MOTION,
              "chain: constant velocities in the parent's frame [default]; body: each link on its own"),
    BRINK_LENGTH("eps", "E", replayOptions, eps, "Tolerance, m [1e-6 of the smaller body]"),
    BRINK_VALUE("first", brink_modeFirst, replayOptions, mode, "The first contact of each frame [default]"),
    BRINK_VALUE("pairs", brink_modePairs, replayOptions, mode, "Each pair's own first contact"),
    BRINK_VALUE("bool", brink_modeBoolean, replayOptions, mode, "Stop each frame at yes or no"),
    BRINK_TEXT("csv", "FILE", replayOptions, csvPath,
               "Write a row per frame (with --pairs: per tested pair); - is standard output"),
    BRINK_WHOLE("threads", brink_setLong, 1, 256, replayOptions, threads,
                "Frames in N threads, a world each; the answers do not depend on N [1]"),
    BRINK_WHOLE("repeat", brink_setLong, 1, 1000000, replayOptions, repeat,
                "Ask each frame N times, the fastest counts [1]"),
    BRINK_FLAG("adjacent", replayOptions, adjacent, "Test parent and child links too"),
    BRINK_OWN("rest-margin", "M", OPTION_REST_MARGIN,
              "Test them too, but for triangles within M of each other at the first frame's start, m"),
    BRINK_SCHEME(replayOptions, scheme, "default, paper or axis"),
    BRINK_WHOLE("order", brink_setLong, 0, BRINK_MAX_ORDER, replayOptions, order,
                "Order of the Taylor models of spatial culling, 0 to 5; 0 is interval arithmetic [3]"),
    BRINK_TEXT("cache", "DIR", replayOptions, cacheDir, "Keep cooked meshes in DIR [beside the meshes]"),
    BRINK_FLAG("quiet", replayOptions, quiet, "No progress, no warnings"),
    BRINK_JSON(replayOptions, "The rows as JSON on standard output, an object a line; no summary"),
    {0}};

static error_t readOwn(int key, char *argument, struct argp_state *state) {
  replayOptions *options = state->input;
  switch (key) {
    case OPTION_MOTION:
      options->motion = strcmp(argument, "body") == 0 ? motionBody : motionChain;
      if (options->motion == motionChain && strcmp(argument, "chain") != 0)
        argp_error(state, "--motion: '%s' is neither chain nor body", argument);
      return 0;
    case OPTION_REST_MARGIN:
      if (!brinkParseNumber(argument, &options->restMargin) || !(options->restMargin >= 0.0))
        argp_error(state, "--rest-margin: '%s' is not a length of at least 0", argument);
      options->adjacent = true;
      return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num >= 2) argp_error(state, "too many files: SCENE and MOTION are wanted");
      *(state->arg_num == 0 ? &options->scenePath : &options->motionPath) = argument;
      return 0;
    case ARGP_KEY_END:
      if (state->arg_num < 1) argp_error(state, "SCENE and MOTION, or one RECORD, are wanted");
      if (options->form == brink_formJson && options->csvPath != NULL && strcmp(options->csvPath, "-") == 0)
        argp_error(state, "--json and --csv -: one of them on standard output");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static void freeAll(sceneData *scene, motionData *motion, frameAnswer *answers) {
  for (size_t i = 0; answers != NULL && i < motion->frameCount; ++i) free(answers[i].rows);
  free(answers);
  free(motion->frames);
  free(motion->rows);
  for (size_t i = 0; i < scene->meshCount; ++i) {
    free(scene->meshes[i].path);
    brinkFreeBlob(scene->meshes[i].blob);
  }
  free(scene->meshes);
  free(scene->objects);
  free(scene->ignored);
}

static int run(void *user) {
  const replayOptions *options = user;
  if (options->motionPath == NULL) return brinkReplayRecord(options->scenePath, options->form == brink_formJson);
  sceneData scene;
  motionData motion;
  memset(&scene, 0, sizeof scene);
  memset(&motion, 0, sizeof motion);
  frameAnswer *answers = NULL;
  int status = BRINK_EXIT_OK;
  bool read = readScene(options->scenePath, &scene) && readMotion(options->motionPath, &scene, &motion);
  if (read) findCarriers(&scene, &motion);
  if (!read) {
    status = scene.unread || motion.unread ? BRINK_EXIT_FAILURE : BRINK_EXIT_MALFORMED;
  } else if (!loadMeshes(&scene, options)) {
    status = BRINK_EXIT_FAILURE;
  } else {
    size_t capacity = 0;
    answers = growOrDie(NULL, &capacity, motion.frameCount, sizeof *answers);
    memset(answers, 0, capacity * sizeof *answers);
    if (!askAll(&scene, &motion, options, answers)) {
      status = BRINK_EXIT_FAILURE;
    } else {
      if (options->csvPath != NULL && !writeCsv(options->csvPath, &motion, answers, options->mode == brink_modePairs))
        status = BRINK_EXIT_FAILURE;
      if (options->form == brink_formJson)
        printJson(&motion, answers, options->mode == brink_modePairs);
      else
        printSummary(&motion, answers);
    }
  }
  freeAll(&scene, &motion, answers);
  return status;
}

const brinkCommand brinkReplayCommand = {
    .options = optionRows,
    .arguments = "SCENE MOTION\nRECORD",
    .documentation =
        "First contacts of a recorded motion, frame by frame.\v"
        "The summary: T_a, T_f, T_c, T_w are the average time over all, free and hit frames, and the worst; link pairs "
        "before "
        "culling, after spatial and after temporal culling. Times include handing the motions over.\n\n"
        "Examples:\n"
        "  brink replay train.scene train.motion\n"
        "  brink replay walk.scene walk.motion --motion body --pairs --eps 1e-3 --csv pairs.csv\n"
        "  brink replay train.scene train.motion --order 0 --repeat 5 --threads 2\n\n"
        "Exit status: 0 done, 1 a file could not be read or written, or a mesh or frame failed, 2 malformed file or "
        "usage.",
    .own = readOwn,
    .size = sizeof(replayOptions),
    .defaults = &(const replayOptions){.threads = 1, .repeat = 1, .order = 3, .restMargin = -1.0},
    .run = run};
