/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink replay RECORD`: what Brink was asked in one step of an ODE program that ended in the guard, asked again. The
 * file is that of plugin/stepping/record.c: shapes, bodies, joints, colliders by ascending handle, then the question
 * with its motions and answers. A CSV row per answer, "same" or "OTHER" against what was recorded, and one per hit.
 * Exit status: 0 all answers are the recorded ones, 1 not, or no such file, 2 malformed. Units: m, rad. */
#include <stdlib.h>
#include <string.h>

#include "brink/steps.h"
#include "command.h"

#define MOST (INT32_MAX / 4) /* numbers of geoms and bodies */

typedef struct named { /* number in the file -> handle; 0 = none */
  uint64_t *handles;
  size_t count;
} named;

typedef struct recordSink {
  uint32_t geoms[2];
  double depth, limit; /* m */
} recordSink;

typedef struct recordWorld {
  const brinkPlugin *api;
  brinkWorld *world;
  named shapes, bodies, colliders;
  uint32_t *left; /* [leftCount][2] pairs that the filter leaves out, of this question */
  size_t leftCount, leftCapacity;
  recordSink *sinks; /* pairs that may sink, of this question */
  size_t sinkCount, sinkCapacity;
  const brinkStepsTable *steps;
  double start; /* from where the current answer looks on */
  bool isNew;   /* the question is to be asked at its first answer, when its motions and pairs are known */
  brinkQuery query;
  unsigned long questions, others;
  bool json;
} recordWorld;

static bool setHandle(brinkText *text, named *list, long long number, uint64_t handle) {
  if ((size_t)number >= list->count) {
    size_t count = 2 * (size_t)number + 16;
    uint64_t *moved = realloc(list->handles, count * sizeof *moved);
    if (moved == NULL) return brinkText_Fail(text, "no memory");
    memset(moved + list->count, 0, (count - list->count) * sizeof *moved);
    list->handles = moved;
    list->count = count;
  }
  list->handles[number] = handle;
  return true;
}

static bool readHandle(brinkText *text, const named *list, const char *what, uint64_t *out) {
  long long number;
  if (!brinkText_Integer(text, what, 0, MOST, &number)) return false;
  *out = (size_t)number < list->count ? list->handles[number] : 0;
  return *out != 0 || brinkText_Fail(text, "%s %lld was not told before", what, number);
}

static bool readPose(brinkText *text, const char *what, brinkPose *out) {
  double v[7];
  if (!brinkText_Numbers(text, what, v, 7)) return false;
  *out = (brinkPose){{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
  return true;
}

static bool did(brinkText *text, const recordWorld *world, brinkStatus status, const char *what) {
  return status == brink_ok || brinkText_Fail(text, "%s: %s", what, world->api->lastError(world->world));
}

/* ---- shapes */

static bool makeShape(brinkText *text, recordWorld *world, const brinkShapeDef *def, long long number) {
  uint64_t shape = 0;
  return did(text, world, world->api->createShape(world->world, def, &shape), "shape") &&
         setHandle(text, &world->shapes, number, shape);
}

static bool readMesh(brinkText *text, recordWorld *world, brinkShapeDef *def, long long number) {
  size_t vertexCount = 0, triangleCount = 0;
  if (!brinkText_Count(text, "vertex count", 3, 6, &vertexCount) ||
      !brinkText_Count(text, "triangle count", 1, 6, &triangleCount))
    return false;
  double *vertices = malloc(vertexCount * 3 * sizeof *vertices);
  uint32_t *indices = malloc(triangleCount * 3 * sizeof *indices);
  bool good = vertices != NULL && indices != NULL ? brinkText_Numbers(text, "vertex", vertices, 3 * vertexCount)
                                                  : brinkText_Fail(text, "no memory");
  for (size_t i = 0; good && i < 3 * triangleCount; ++i) {
    long long index = 0;
    good = brinkText_Integer(text, "index", 0, (long long)vertexCount - 1, &index);
    indices[i] = (uint32_t)index;
  }
  def->type = brink_mesh;
  def->mesh = (brinkMeshView){sizeof def->mesh, 0, vertices, vertexCount, indices, triangleCount};
  good = good && makeShape(text, world, def, number);
  free(vertices);
  free(indices);
  return good;
}

static bool readHull(brinkText *text, recordWorld *world, brinkShapeDef *def, long long number) {
  size_t count = 0;
  if (!brinkText_Count(text, "vertex count", 1, 6, &count)) return false;
  double *vertices = malloc(count * 3 * sizeof *vertices);
  bool good =
      vertices != NULL ? brinkText_Numbers(text, "vertex", vertices, 3 * count) : brinkText_Fail(text, "no memory");
  def->type = brink_hull;
  def->mesh.flags = BRINK_MESH_CONVEX;
  def->mesh.structSize = sizeof def->mesh;
  def->mesh.vertices = vertices;
  def->mesh.vertexCount = count;
  good = good && makeShape(text, world, def, number);
  free(vertices);
  return good;
}

static bool readSizes(brinkText *text, recordWorld *world, brinkShapeDef *def, size_t count, long long number) {
  double v[4] = {0, 0, 0, 0};
  if (!brinkText_Numbers(text, "size", v, count)) return false;
  def->size = def->type == brink_box ? (brinkVec3){v[0], v[1], v[2]} : (brinkVec3){v[0], 0, v[1]};
  def->normal = (brinkVec3){v[0], v[1], v[2]};
  def->offset = v[3];
  return makeShape(text, world, def, number);
}

static bool readShape(brinkText *text, recordWorld *world) {
  static const struct {
    const char *word;
    uint32_t type;
    size_t count;
  } kinds[] = {{"sphere", brink_sphere, 1},
               {"capsule", brink_capsule, 2},
               {"cylinder", brink_cylinder, 2},
               {"box", brink_box, 3},
               {"plane", brink_plane, 4}};
  long long number;
  brinkShapeDef def = {.structSize = sizeof def};
  if (!brinkText_Integer(text, "geom", 0, MOST, &number)) return false;
  const char *word = brinkText_Word(text);
  if (word == NULL) return brinkText_Fail(text, "a shape is missing");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(word, kinds[i].word) != 0) continue;
    def.type = kinds[i].type;
    return readSizes(text, world, &def, kinds[i].count, number);
  }
  if (strcmp(word, "mesh") == 0) return readMesh(text, world, &def, number);
  if (strcmp(word, "hull") == 0) return readHull(text, world, &def, number);
  if (strcmp(word, "other") == 0)
    return setHandle(text, &world->shapes, number, UINT64_MAX); /* its colliders are left out */
  return brinkText_Fail(text, "'%.40s' is no shape", word);
}

/* ---- the world */

static bool readBody(brinkText *text, recordWorld *world) {
  long long number;
  brinkBodyDef def = {.structSize = sizeof def, .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
  uint64_t body = 0;
  return brinkText_Integer(text, "body", 0, MOST, &number) &&
         did(text, world, world->api->createBody(world->world, &def, &body), "body") &&
         setHandle(text, &world->bodies, number, body);
}

static bool readJoint(brinkText *text, recordWorld *world) {
  brinkJointDef def = {.structSize = sizeof def};
  double v[6];
  uint64_t joint;
  if (!readHandle(text, &world->bodies, "body", &def.bodyA) || !readHandle(text, &world->bodies, "body", &def.bodyB) ||
      !brinkText_Numbers(text, "anchor", v, 6))
    return false;
  def.anchorA = (brinkVec3){v[0], v[1], v[2]};
  def.anchorB = (brinkVec3){v[3], v[4], v[5]};
  return did(text, world, world->api->createJoint(world->world, &def, &joint), "joint");
}

static bool readBits(brinkText *text, uint64_t *out) {
  const char *word = brinkText_Word(text);
  char *end = NULL;
  *out = word != NULL ? strtoull(word, &end, 10) : 0;
  return (word != NULL && end != word && *end == '\0') || brinkText_Fail(text, "bits are missing");
}

static bool readCollider(brinkText *text, recordWorld *world) {
  long long number, body;
  brinkColliderDef def = {.structSize = sizeof def, .flags = BRINK_COLLIDER_BITS_STATED};
  uint64_t collider = 0;
  if (!brinkText_Integer(text, "geom", 0, MOST, &number) || !brinkText_Integer(text, "body", -1, MOST, &body) ||
      !readPose(text, "pose", &def.pose) || !readBits(text, &def.categoryBits) || !readBits(text, &def.collideBits) ||
      !brinkText_Number(text, "allowance", &def.allowance))
    return false;
  if (body >= 0 && ((size_t)body >= world->bodies.count || world->bodies.handles[body] == 0))
    return brinkText_Fail(text, "body %lld was not told before", body);
  if ((size_t)number >= world->shapes.count || world->shapes.handles[number] == 0)
    return brinkText_Fail(text, "the shape of geom %lld was not told before", number);
  if (world->shapes.handles[number] == UINT64_MAX) return true;
  def.shape = world->shapes.handles[number];
  def.body = body >= 0 ? world->bodies.handles[body] : 0;
  def.userData = (uint64_t)number;
  return did(text, world, world->api->createCollider(world->world, &def, &collider), "collider") &&
         setHandle(text, &world->colliders, number, collider);
}

/* ---- a question */

static int wantPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t geomA, uint64_t geomB) {
  const recordWorld *world = user;
  (void)a, (void)b;
  for (size_t i = 0; i < world->leftCount; ++i) {
    const uint32_t *pair = world->left + 2 * i;
    if ((pair[0] == geomA && pair[1] == geomB) || (pair[0] == geomB && pair[1] == geomA)) return 0;
  }
  return 1;
}

static double sinkOf(void *user, brinkColliderId a, brinkColliderId b, uint64_t geomA, uint64_t geomB, double *limit) {
  const recordWorld *world = user;
  (void)a, (void)b;
  for (size_t i = 0; i < world->sinkCount; ++i) {
    const recordSink *sink = &world->sinks[i];
    if ((sink->geoms[0] == geomA && sink->geoms[1] == geomB) || (sink->geoms[0] == geomB && sink->geoms[1] == geomA)) {
      *limit = sink->limit;
      return sink->depth;
    }
  }
  return 0;
}

static bool readSink(brinkText *text, recordWorld *world) {
  long long a, b;
  double v[2];
  if (!brinkText_Integer(text, "geom", 0, MOST, &a) || !brinkText_Integer(text, "geom", 0, MOST, &b) ||
      !brinkText_Numbers(text, "depth and limit", v, 2))
    return false;
  if (world->sinkCount == world->sinkCapacity) {
    size_t capacity = 2 * world->sinkCapacity + 64;
    recordSink *moved = realloc(world->sinks, capacity * sizeof *moved);
    if (moved == NULL) return brinkText_Fail(text, "no memory");
    world->sinks = moved;
    world->sinkCapacity = capacity;
  }
  world->sinks[world->sinkCount++] = (recordSink){{(uint32_t)a, (uint32_t)b}, v[0], v[1]};
  return true;
}

static bool readQuestion(brinkText *text, recordWorld *world) {
  long long scheme;
  world->query =
      (brinkQuery){.structSize = sizeof world->query, .mode = brink_modeFirst, .watch = brink_watchDepth, .tEnd = 1};
  world->leftCount = world->sinkCount = 0;
  if (!brinkText_Number(text, "t", &world->query.tStart) || !brinkText_Number(text, "window", &world->query.window) ||
      !brinkText_Integer(text, "scheme", 0, 2, &scheme))
    return false;
  world->query.scheme = (uint32_t)scheme;
  world->isNew = true;
  return true;
}

static bool readMotion(brinkText *text, recordWorld *world) {
  uint64_t body;
  long long kind, flags;
  double v[6];
  brinkBodyMotion motion = {.structSize = sizeof motion};
  if (!readHandle(text, &world->bodies, "body", &body) || !brinkText_Integer(text, "kind", 0, 2, &kind) ||
      !brinkText_Integer(text, "flags", 0, 3, &flags) || !readPose(text, "pose0", &motion.pose0) ||
      !readPose(text, "pose1", &motion.pose1) || !brinkText_Numbers(text, "velocity and spin", v, 6))
    return false;
  motion.kind = (uint32_t)kind;
  motion.flags = (uint32_t)flags;
  motion.velocity = (brinkVec3){v[0], v[1], v[2]};
  motion.spin = (brinkVec3){v[3], v[4], v[5]};
  return did(text, world, world->api->setBodyMotion(world->world, body, &motion), "motion");
}

static bool readLeft(brinkText *text, recordWorld *world) {
  long long a, b;
  if (!brinkText_Integer(text, "geom", 0, MOST, &a) || !brinkText_Integer(text, "geom", 0, MOST, &b)) return false;
  if (world->leftCount == world->leftCapacity) {
    size_t capacity = 2 * world->leftCapacity + 64;
    uint32_t *moved = realloc(world->left, 2 * capacity * sizeof *moved);
    if (moved == NULL) return brinkText_Fail(text, "no memory");
    world->left = moved;
    world->leftCapacity = capacity;
  }
  uint32_t *pair = world->left + 2 * world->leftCount++;
  pair[0] = (uint32_t)a;
  pair[1] = (uint32_t)b;
  return true;
}

static bool readDrop(brinkText *text, const recordWorld *world) {
  uint64_t a, b;
  return readHandle(text, &world->colliders, "geom", &a) && readHandle(text, &world->colliders, "geom", &b) &&
         did(text, world, world->steps->leavePair(world->world, a, b), "drop");
}

static long long geomOf(const recordWorld *world, brinkColliderId collider) {
  for (size_t i = 0; i < world->colliders.count; ++i)
    if (world->colliders.handles[i] == collider) return (long long)i;
  return -1;
}

/* Asks, and compares with the recorded answer. */
static bool answerQuestion(brinkText *text, recordWorld *world) {
  static const char *const states[] = {"free", "hit", "overlap", "unresolved"};
  long long state;
  double toi;
  if (!brinkText_Number(text, "from", &world->start) || !brinkText_Integer(text, "state", 0, 3, &state) ||
      !brinkText_Number(text, "toi", &toi))
    return false;
  brinkReport report = {.structSize = sizeof report, .counters = {.structSize = sizeof report.counters}};
  if (world->isNew && !did(text, world, world->steps->beginQuestion(world->world, &world->query), "question"))
    return false;
  world->isNew = false;
  if (!did(text, world, world->steps->nextEvents(world->world, world->start, &report, NULL), "first contact"))
    return false;
  bool same = report.state == (uint32_t)state && report.toi == toi;
  ++world->questions;
  world->others += !same;
  const char *form =
      world->json ? "{\"start\":%.9g,\"state\":\"%s\",\"toi\":%.17g,\"recorded\":\"%s\"}\n" : "%.9g,%s,%.17g,,,,,,%s\n";
  const char *contactForm = world->json ? "{\"start\":%.9g,\"state\":\"%s\",\"toi\":%.17g,\"toi_upper\":%.17g,"
                                          "\"geom_a\":%lld,\"geom_b\":%lld,\"distance\":%.9g,\"threshold\":%.9g}\n"
                                        : "%.9g,%s,%.17g,%.17g,%lld,%lld,%.9g,%.9g,\n";
  printf(form, world->start, states[report.state & 3u], report.toi, same ? "same" : "OTHER");
  for (size_t i = 0; i < report.contactCount; ++i) {
    const brinkContact *contact = &report.contacts[i];
    printf(contactForm, world->start, states[contact->state & 3u], contact->toi, contact->toiUpper,
           geomOf(world, contact->colliderA), geomOf(world, contact->colliderB), contact->distance, contact->threshold);
  }
  return true;
}

/* Recorded hits are for people; the answer's line is what is compared. */
static bool readHit(brinkText *text) {
  long long number;
  double v[4];
  for (int i = 0; i < 3; ++i)
    if (!brinkText_Integer(text, "hit", 0, INT32_MAX, &number)) return false;
  return brinkText_Numbers(text, "hit", v, 4);
}

static bool readLine(brinkText *text, recordWorld *world, const char *word) {
  if (strcmp(word, "shape") == 0) return readShape(text, world);
  if (strcmp(word, "body") == 0) return readBody(text, world);
  if (strcmp(word, "joint") == 0) return readJoint(text, world);
  if (strcmp(word, "collider") == 0) return readCollider(text, world);
  if (strcmp(word, "question") == 0) return readQuestion(text, world);
  if (strcmp(word, "drop") == 0) return readDrop(text, world);
  if (strcmp(word, "motion") == 0) return readMotion(text, world);
  if (strcmp(word, "leave") == 0) return readLeft(text, world);
  if (strcmp(word, "sink") == 0) return readSink(text, world);
  if (strcmp(word, "answer") == 0) return answerQuestion(text, world);
  if (strcmp(word, "hit") == 0) return readHit(text);
  return brinkText_Fail(text, "'%.40s' is not a word of a record", word);
}

static bool openWorld(brinkText *text, recordWorld *world) {
  long long version, order;
  if (!brinkText_Expect(text, "brink-record") || !brinkText_Integer(text, "version", 2, 2, &version) ||
      !brinkText_Expect(text, "taylor") || !brinkText_Integer(text, "Taylor order", 0, 5, &order))
    return false;
  brinkWorldDef def = {sizeof def, BRINK_WORLD_ORDER_STATED, (uint32_t)order, 0};
  if (world->api->createWorld(NULL, &def, &world->world) != brink_ok)
    return brinkText_Fail(text, "no world could be made");
  const brinkStepsTable *steps = world->steps = world->api->getExtension(BRINK_STEPS_NAME);
  return (steps != NULL || brinkText_Fail(text, "this libbrink has no " BRINK_STEPS_NAME)) &&
         did(text, world, steps->setSink(world->world, sinkOf, world), "sink") &&
         did(text, world, world->api->setPairFilter(world->world, wantPair, world), "filter");
}

int brinkReplayRecord(const char *path, bool json) {
  recordWorld world = {.api = brinkApi(), .json = json};
  brinkText text;
  if (!brinkText_Open(&text, path)) return BRINK_EXIT_FAILURE;
  bool good = openWorld(&text, &world), ended = false;
  if (good && !json) printf("start,state,toi,toiUpper,geomA,geomB,distance,threshold,recorded\n");
  while (good && !ended) {
    const char *word = brinkText_Word(&text);
    ended = word != NULL && strcmp(word, "end") == 0;
    if (word == NULL)
      good = brinkText_Fail(&text, "'end' is missing: the file ends here");
    else if (!ended)
      good = readLine(&text, &world, word);
  }
  if (good && !json) printf("# %lu questions, %lu answered otherwise than recorded\n", world.questions, world.others);
  brinkText_Close(&text);
  world.api->destroyWorld(world.world);
  free(world.shapes.handles);
  free(world.bodies.handles);
  free(world.colliders.handles);
  free(world.left);
  free(world.sinks);
  return !good ? BRINK_EXIT_MALFORMED : world.others > 0 ? BRINK_EXIT_FAILURE : BRINK_EXIT_OK;
}
