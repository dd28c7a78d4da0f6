/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink check`: two bodies, one question. Reads case files and prints, in order, for every case
 *     NAME STATE toi toiUpper distance iterations microseconds
 * with times in [0,T]. Chains become explicit parents with constant velocities ([CATCH] Sec. 3.2); the leading links
 * that both bodies share are built once, so a chain can be asked against itself. `linear` bodies (vertices that move on
 * lines of their own) go to the extension brink/linear.h, against each other or against a body on a chain; with
 * --affine, bodies of up to three vertices go to brink/inverse_path.h instead, as affine motions. Units: m, rad, s; the
 * library's step is [0,T]. */
#include <argp.h>
#include <limits.h>
#include <math.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "brink/inverse_path.h"
#include "brink/linear.h"
#include "case.h"
#include "output.h"

#define DEFAULT_REPEATS 20
#define PATIENCE 1e-3 /* s: what took longer in all is not asked again, but for the first three times */
#define LAST_PATIENCE 1.0
/* toi T is not exact when T is not a power of two; neither is v T: a few ulp are given away on the safe side. */
#define TIME_SLACK (8.0 * DBL_EPSILON)

typedef struct checkOptions {
  brinkAsked asked;
  long epsIndex;
  bool affine;
  long repeats;
  brinkForm form;
  int queryPoints; /* 0: case files; 1: vertex-face queries, 2: edge-edge queries */
  brinkFiles files;
} checkOptions;

void brinkCase_Free(ccdCase *c) {
  free(c->eps);
  for (int i = 0; i < 2; ++i) {
    free(c->body[i].links);
    free(c->body[i].vertices);
    free(c->body[i].triangles);
    for (size_t k = 0; k < c->body[i].splineCount; ++k) free(c->body[i].splines[k].numbers);
    free(c->body[i].splines);
  }
  memset(c, 0, sizeof *c);
}

static void *allocateOrDie(size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size);
  if (block == NULL) {
    fputs("brink: out of memory\n", stderr);
    exit(BRINK_EXIT_FAILURE);
  }
  return block;
}

/* ---- reading */

static bool readLinks(brinkText *text, caseBody *body) {
  if (!brinkText_Count(text, "chain", 0, 26, &body->linkCount)) return false;
  body->links = allocateOrDie(body->linkCount, sizeof *body->links);
  for (size_t i = 0; i < body->linkCount; ++i) {
    double *value = body->links[i].value;
    if (!brinkText_Numbers(text, "link (T(3) q(4) v(3) w(3))", value, 13)) return false;
    if (value[3] == 0 && value[4] == 0 && value[5] == 0 && value[6] == 0)
      return brinkText_Fail(text, "link %zu: the quaternion is zero", i);
  }
  return true;
}

static bool readSimplices(brinkText *text, caseBody *body) {
  if (!brinkText_Expect(text, "simps") || !brinkText_Count(text, "simps", 0, 4, &body->triangleCount)) return false;
  body->triangles = allocateOrDie(body->triangleCount, 3 * sizeof *body->triangles);
  for (size_t i = 0; i < body->triangleCount; ++i) {
    long long size, index = 0;
    if (!brinkText_Integer(text, "simplex size", 1, 3, &size)) return false;
    for (long long k = 0; k < 3; ++k) {
      if (k < size && !brinkText_Integer(text, "vertex index", 0, (long long)body->vertexCount - 1, &index))
        return false;
      body->triangles[3 * i + (size_t)k] = (uint32_t)index;  // repeats the last one
    }
  }
  return true;
}

static bool isGeometry(const char *word) { return strcmp(word, "verts") == 0 || strcmp(word, "splines") == 0; }

/* After the word `splines`. */
static bool readSplines(brinkText *text, caseBody *body) {
  size_t count = 0;
  if (!brinkText_Count(text, "splines", 1, 16, &count)) return false;
  body->splines = allocateOrDie(count, sizeof *body->splines);
  while (body->splineCount < count) {
    caseSpline *spline = &body->splines[body->splineCount];
    for (int k = 0; k < 2; ++k) {
      long long degree, points;
      if (!brinkText_Integer(text, "degree of a spline", 1, 8, &degree) ||
          !brinkText_Integer(text, "control points of a spline along one direction", degree + 1, 65536, &points))
        return false;
      spline->degree[k] = (uint32_t)degree;
      spline->count[k] = (uint32_t)points;
    }
    size_t knots = (size_t)spline->count[0] + spline->degree[0] + spline->count[1] + spline->degree[1] + 2,
           points = (size_t)spline->count[0] * spline->count[1];
    if (points > 1000000)
      return brinkText_Fail(text, "spline %zu has more than a million control points", body->splineCount);
    spline->numbers = allocateOrDie(knots + 4 * points, sizeof(double));
    body->splineCount += 1;
    if (!brinkText_Numbers(text, "knot", spline->numbers, knots) ||
        !brinkText_Numbers(text, "control point (x y z weight)", spline->numbers + knots, 4 * points))
      return false;
  }
  return true;
}

/* After the word `body`. */
static bool readBody(brinkText *text, caseBody *body) {
  const char *word;
  while ((word = brinkText_Word(text)) != NULL && strcmp(word, "chain") != 0 && !isGeometry(word)) {
    if (strcmp(word, "convex") == 0) {
      body->convex = true;
    } else if (strcmp(word, "solid") == 0) {
      body->solid = true;
    } else if (strcmp(word, "linear") == 0) {
      body->linear = true;
    } else if (strcmp(word, "none") != 0) {
      return brinkText_Fail(text, "'%.40s' is neither a flag of a body (convex, solid, linear) nor 'chain' nor 'verts'",
                            word);
    }
  }
  if (word == NULL) return brinkText_Fail(text, "the body ends before its 'verts'");
  bool chain = strcmp(word, "chain") == 0;
  if (chain && body->linear) return brinkText_Fail(text, "a linear body has no chain");
  if (!chain && !body->linear) return brinkText_Fail(text, "'chain' expected: only linear bodies have none");
  if (chain && !readLinks(text, body)) return false;
  if (chain && ((word = brinkText_Word(text)) == NULL || !isGeometry(word)))
    return brinkText_Fail(text, "'verts' or 'splines' expected, not '%.40s'", word != NULL ? word : "the file's end");
  if (strcmp(word, "splines") == 0) {
    if (body->linear || body->convex)
      return brinkText_Fail(text, "a body of splines is solid or none: neither linear nor convex");
    return readSplines(text, body);
  }
  size_t width = body->linear ? 6 : 3;
  if (!brinkText_Count(text, "verts", 1, 2 * width, &body->vertexCount)) return false;
  body->vertices = allocateOrDie(body->vertexCount, width * sizeof(double));
  if (!brinkText_Numbers(text, "vertex", body->vertices, width * body->vertexCount)) return false;
  if (!readSimplices(text, body)) return false;
  if (body->triangleCount == 0 && !body->convex)
    return brinkText_Fail(text, "a body that is not convex needs simplices");
  return true;
}

static bool readEps(brinkText *text, ccdCase *c) {
  if (!brinkText_Count(text, "eps", 0, 2, &c->epsCount)) return false;
  c->eps = allocateOrDie(c->epsCount, sizeof *c->eps);
  for (size_t i = 0; i < c->epsCount; ++i) {
    if (!brinkText_Number(text, "eps", &c->eps[i])) return false;
    if (!(c->eps[i] > 0.0)) return brinkText_Fail(text, "eps: %g is not a length greater than 0", c->eps[i]);
  }
  return true;
}

/* false and text->failed unset: no more cases. */
bool brinkCase_Read(brinkText *text, ccdCase *c) {
  memset(c, 0, sizeof *c);
  c->duration = 1.0;
  const char *word = brinkText_Word(text);
  if (word == NULL) return false;
  if (strcmp(word, "ccd") != 0) return brinkText_Fail(text, "'ccd 1' expected, not '%.40s'", word);
  long long version;
  if (!brinkText_Integer(text, "version of the format", 1, 1, &version)) return false;
  static const char *const once[] = {"name", "class", "T", "eps"};
  bool told[sizeof once / sizeof once[0]] = {false};
  int bodies = 0;
  while ((word = brinkText_Word(text)) != NULL && strcmp(word, "end") != 0) {
    for (size_t i = 0; i < sizeof once / sizeof once[0]; ++i) {
      if (strcmp(word, once[i]) != 0) continue;
      if (told[i]) return brinkText_Fail(text, "a second '%s': a case has one", word);
      told[i] = true;
    }
    if (strcmp(word, "name") == 0) {
      const char *name = brinkText_Word(text);
      if (name == NULL || strlen(name) >= sizeof c->name)
        return brinkText_Fail(text, "name: missing or longer than 127 characters");
      strcpy(c->name, name);
    } else if (strcmp(word, "class") == 0) {
      if (brinkText_Word(text) == NULL) return brinkText_Fail(text, "class: a word is missing");
    } else if (strcmp(word, "T") == 0) {
      if (!brinkText_Number(text, "T", &c->duration)) return false;
      if (c->duration < 0.0) return brinkText_Fail(text, "T: %g is before the start", c->duration);
    } else if (strcmp(word, "eps") == 0) {
      if (!readEps(text, c)) return false;
    } else if (strcmp(word, "body") == 0) {
      if (bodies == 2) return brinkText_Fail(text, "a third body: a case has two");
      if (!readBody(text, &c->body[bodies++])) return false;
    } else {
      return brinkText_Fail(text, "'%.40s' is not a keyword of a case", word);
    }
  }
  if (word == NULL) return brinkText_Fail(text, "the case ends before its 'end'");
  if (bodies != 2) return brinkText_Fail(text, "%d bodies: a case has two", bodies);
  if (c->name[0] == '\0') return brinkText_Fail(text, "the case has no name");
  return true;
}

typedef struct answering {
  brinkCaseAnswer *answer;
  void *user;
} answering;

static int answerFile(void *user, const char *path) {
  const answering *self = user;
  brinkText text;
  if (!brinkText_Open(&text, path)) return BRINK_EXIT_FAILURE;
  int status = BRINK_EXIT_OK;
  brinkProgress progress = brinkProgress_Begin(isatty(STDOUT_FILENO));
  size_t count = 0;
  ccdCase c;
  while (brinkCase_Read(&text, &c)) {
    if (!self->answer(self->user, &c)) status = BRINK_EXIT_FAILURE;
    fflush(stdout);
    brinkCase_Free(&c);
    brinkProgress_Tell(&progress, brinkText_Fraction(&text), "case", ++count);
  }
  brinkProgress_End(&progress);
  brinkCase_Free(&c);
  if (count == 0) brinkText_Fail(&text, "no case in it: 'ccd 1' expected (docs/formats.md)");
  if (text.failed) status = BRINK_EXIT_MALFORMED;
  brinkText_Close(&text);
  return status;
}

int brinkCase_AnswerFiles(const brinkFiles *files, brinkCaseAnswer *answer, void *user) {
  return brinkFiles_Each(files, answerFile, &(answering){answer, user});
}

/* One public query as a case: the first `points` vertices are body A. Vertices are written p0 p1. */
static bool readQuery(brinkText *text, const char *path, size_t index, int points, ccdCase *c) {
  double vertices[8][3];
  memset(c, 0, sizeof *c);
  c->duration = 1.0;
  if (!brinkQuery_Read(text, vertices)) return false;
  size_t length = strlen(path), capacity = sizeof c->name - 24;
  snprintf(c->name, sizeof c->name, "%s:%zu", length > capacity ? path + (length - capacity) : path, index);
  for (int k = 0; k < 2; ++k) {
    caseBody *body = &c->body[k];
    int first = k == 0 ? 0 : points, count = k == 0 ? points : 4 - points;
    body->linear = true;
    body->vertexCount = (size_t)count;
    body->triangleCount = 1;
    body->vertices = allocateOrDie(body->vertexCount, 6 * sizeof(double));
    body->triangles = allocateOrDie(1, 3 * sizeof *body->triangles);
    for (int i = 0; i < count; ++i) {
      memcpy(body->vertices + 6 * i, vertices[first + i], sizeof vertices[0]);
      memcpy(body->vertices + 6 * i + 3, vertices[4 + first + i], sizeof vertices[0]);
    }
    for (int i = 0; i < 3; ++i) body->triangles[i] = (uint32_t)(i < count ? i : count - 1);
  }
  return true;
}

/* ---- asking */

typedef struct answer {
  uint32_t state;
  double toi, toiUpper, distance; /* toi in step time */
  unsigned long long iterations;
  double microseconds;
} answer;

static brinkStatus addShape(const brinkPlugin *api, brinkWorld *world, const caseBody *body, brinkShapeId *out) {
  brinkShapeDef def;
  memset(&def, 0, sizeof def);
  def.structSize = sizeof def;
  def.type = body->convex ? brink_hull : brink_mesh;
  def.mesh = (brinkMeshView){.structSize = sizeof def.mesh,
                             .flags = (body->solid ? BRINK_MESH_SOLID : 0u) | (body->convex ? BRINK_MESH_CONVEX : 0u),
                             .vertices = body->vertices,
                             .vertexCount = body->vertexCount,
                             .indices = body->triangles,
                             .triangleCount = body->triangleCount};
  return api->createShape(world, &def, out);
}

/* The motions of a case's links, to be set again before each question. */
typedef struct linkMotion {
  brinkBodyId body;
  brinkBodyMotion motion;
} linkMotion;

typedef struct linkMotions {
  linkMotion *items; /* NULL: not kept */
  size_t count;
} linkMotions;

static brinkStatus addLink(const brinkPlugin *api, brinkWorld *world, brinkBodyId parent, const caseLink *link,
                           double duration, linkMotions *motions, brinkBodyId *out) {
  static const caseLink still = {{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  const double *v = link != NULL ? link->value : still.value;
  const brinkBodyDef def = {
      .structSize = sizeof def, .parent = parent, .pose = {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}}};
  brinkStatus status = api->createBody(world, &def, out);
  if (status != brink_ok || link == NULL) return status;
  const brinkBodyMotion motion = {.structSize = sizeof motion,
                                  .kind = brink_motionVelocities,
                                  .pose0 = def.pose,
                                  .velocity = {duration * v[7], duration * v[8], duration * v[9]},
                                  .spin = {duration * v[10], duration * v[11], duration * v[12]}};
  if (motions->items != NULL) motions->items[motions->count++] = (linkMotion){*out, motion};
  return api->setBodyMotion(world, *out, &motion);
}

static size_t commonLinks(const ccdCase *c) {
  const caseBody *a = &c->body[0], *b = &c->body[1];
  size_t common = 0;
  while (common < a->linkCount && common < b->linkCount &&
         memcmp(&a->links[common], &b->links[common], sizeof a->links[common]) == 0)
    ++common;
  return common;
}

/* Both bodies with their chains. A body that rides on a shared link gets a link of its own at rest on it: parent and
 * child are never tested against each other, and neither is a link against itself. */
static brinkStatus addBodies(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, linkMotions *motions,
                             brinkBodyId moving[2], brinkColliderId collider[2]) {
  size_t common = commonLinks(c);
  brinkBodyId shared = 0;
  moving[0] = moving[1] = 0;
  brinkStatus status = brink_ok;
  for (size_t i = 0; i < common && status == brink_ok; ++i)
    status = addLink(api, world, shared, &c->body[0].links[i], c->duration, motions, &shared);
  for (int k = 0; k < 2 && status == brink_ok; ++k) {
    const caseBody *body = &c->body[k];
    if (body->linear) continue;
    brinkBodyId last = shared;
    for (size_t i = common; i < body->linkCount && status == brink_ok; ++i)
      status = addLink(api, world, last, &body->links[i], c->duration, motions, &last);
    if (body->linkCount == common && status == brink_ok)
      status = addLink(api, world, last, NULL, c->duration, motions, &last);
    brinkColliderDef def;
    memset(&def, 0, sizeof def);
    def.structSize = sizeof def;
    def.body = last;
    def.pose.rotation.w = 1.0;
    def.categoryBits = def.collideBits = 1;
    if (status == brink_ok) status = addShape(api, world, body, &def.shape);
    if (status == brink_ok) status = api->createCollider(world, &def, &collider[k]);
    moving[k] = last;
  }
  return status;
}

brinkStatus brinkCase_AddMoving(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, brinkBodyId moving[2],
                                brinkColliderId collider[2]) {
  linkMotions none = {NULL, 0};
  return addBodies(api, world, c, &none, moving, collider);
}

brinkStatus brinkCase_AddBodies(const brinkPlugin *api, brinkWorld *world, const ccdCase *c,
                                brinkColliderId collider[2]) {
  brinkBodyId moving[2];
  return brinkCase_AddMoving(api, world, c, moving, collider);
}

static double below(double x) { return nextafter(x, -INFINITY); }

/* Distance of the swept boxes, rounded down: what is known of a pair that spatial culling left out. */
static double boxGap(const brinkPlugin *api, brinkWorld *world, const brinkColliderId collider[2]) {
  brinkAabb a, b;
  if (api->sweptBounds(world, collider[0], 0.0, 1.0, &a) != brink_ok) return 0.0;
  if (api->sweptBounds(world, collider[1], 0.0, 1.0, &b) != brink_ok) return 0.0;
  const double gap[3] = {fmax(a.lower.x - b.upper.x, b.lower.x - a.upper.x),
                         fmax(a.lower.y - b.upper.y, b.lower.y - a.upper.y),
                         fmax(a.lower.z - b.upper.z, b.lower.z - a.upper.z)};
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    double positive = fmax(0.0, below(gap[i]));
    sum += positive * positive;
  }
  return fmax(0.0, sqrt(sum) * (1.0 - 8.0 * DBL_EPSILON));
}

/* One question as a planner puts it: this step's motions, then the answer. */
static brinkStatus askOnce(const brinkPlugin *api, brinkWorld *world, const linkMotions *motions,
                           const brinkQuery *query, brinkReport *report, double *seconds) {
  memset(report, 0, sizeof *report);
  report->structSize = sizeof *report;
  brinkStatus status = brink_ok;
  double start = brinkSeconds();
  for (size_t i = 0; i < motions->count && status == brink_ok; ++i)
    status = api->setBodyMotion(world, motions->items[i].body, &motions->items[i].motion);
  if (status == brink_ok) status = api->firstContact(world, query, report);
  *seconds = brinkSeconds() - start;
  return status;
}

static brinkStatus askMotions(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, double eps,
                              const checkOptions *options, linkMotions *motions, answer *out) {
  brinkBodyId moving[2];
  brinkColliderId collider[2];
  brinkStatus status = addBodies(api, world, c, motions, moving, collider);
  brinkQuery query;
  memset(&query, 0, sizeof query);
  query.structSize = sizeof query;
  query.mode = brink_modePairs;
  query.scheme = options->asked.scheme;
  query.tEnd = c->duration > 0.0 ? 1.0 : 0.0;
  query.tolerance = eps;
  query.maxIterations = options->asked.maxIterations;
  brinkReport report;
  double spent = 0.0, fastest = HUGE_VAL; /* the first time builds the tree of links and grows what is kept */
  for (long k = 0; k < options->repeats && spent <= (k < 3 ? LAST_PATIENCE : PATIENCE) && status == brink_ok; ++k) {
    double seconds;
    status = askOnce(api, world, motions, &query, &report, &seconds);
    spent += seconds;
    fastest = fmin(fastest, seconds);
  }
  if (status != brink_ok) return status;
  out->microseconds = 1e6 * fastest;
  out->state = report.state;
  if (report.contactCount > 0) {
    const brinkContact *contact = &report.contacts[0];
    out->state = contact->state;
    out->toi = contact->toi;
    out->toiUpper = contact->toiUpper;
    out->distance = contact->distance;
    out->iterations = contact->iterations;
  } else {
    out->distance = boxGap(api, world, collider);
  }
  return brink_ok;
}

static brinkStatus askWorld(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, double eps,
                            const checkOptions *options, answer *out) {
  linkMotions motions = {allocateOrDie(c->body[0].linkCount + c->body[1].linkCount, sizeof(linkMotion)), 0};
  brinkStatus status = askMotions(api, world, c, eps, options, &motions, out);
  free(motions.items);
  return status;
}

/* p0 and p1 of each vertex apart; *split is the caller's to free. */
static brinkLinearBody linearBody(const caseBody *body, double **split) {
  *split = allocateOrDie(body->vertexCount, 6 * sizeof(double));
  double *end = *split + 3 * body->vertexCount;
  for (size_t i = 0; i < body->vertexCount; ++i) {
    memcpy(*split + 3 * i, body->vertices + 6 * i, 3 * sizeof(double));
    memcpy(end + 3 * i, body->vertices + 6 * i + 3, 3 * sizeof(double));
  }
  return (brinkLinearBody){.structSize = sizeof(brinkLinearBody),
                           .flags = (body->solid ? BRINK_MESH_SOLID : 0u) | (body->convex ? BRINK_MESH_CONVEX : 0u),
                           .vertices0 = *split,
                           .vertices1 = end,
                           .vertexCount = body->vertexCount,
                           .simplices = body->triangles,
                           .simplexCount = body->triangleCount};
}

brinkStatus brinkCase_AskLinear(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, double eps,
                                uint64_t maxIterations, brinkLinearContact *out, double *seconds) {
  const brinkLinearTable *linear = api->getExtension(BRINK_LINEAR_NAME);
  brinkColliderId collider[2] = {0, 0};
  brinkStatus status = linear != NULL ? brinkCase_AddBodies(api, world, c, collider) : brink_errorVersion;
  if (status != brink_ok) return status;
  double *split[2] = {NULL, NULL};
  brinkLinearBody body[2];
  for (int k = 0; k < 2; ++k)
    if (c->body[k].linear) body[k] = linearBody(&c->body[k], &split[k]);
  const brinkLinearQuery query = {.structSize = sizeof query,
                                  .tEnd = c->duration > 0.0 ? 1.0 : 0.0,
                                  .tolerance = eps,
                                  .maxIterations = maxIterations};
  *out = (brinkLinearContact){.structSize = sizeof *out};
  int first = c->body[0].linear ? 0 : 1;
  double start = brinkSeconds();
  status = c->body[1 - first].linear
               ? linear->firstContact(world, &body[0], &body[1], &query, out)
               : linear->firstContactWithCollider(world, &body[first], collider[1 - first], &query, out);
  *seconds = brinkSeconds() - start;
  for (int k = 0; k < 2; ++k) free(split[k]);
  return status;
}

static brinkStatus askLinear(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, double eps,
                             const checkOptions *options, answer *out) {
  brinkLinearContact contact;
  double seconds = 0.0;
  brinkStatus status = brinkCase_AskLinear(api, world, c, eps, options->asked.maxIterations, &contact, &seconds);
  if (status != brink_ok) return status;
  out->microseconds = 1e6 * seconds;
  out->state = contact.state;
  out->toi = contact.toi;
  out->toiUpper = contact.toiUpper;
  out->distance = contact.distance;
  out->iterations = contact.iterations;
  return brink_ok;
}

/* ---- as affine motions */

typedef struct affineBody {
  double vertices[9], controls[32];
  brinkInverseFactorDef motion;
} affineBody;

/* Three vertices on lines fix an affine motion with linear entries: M = [p | q | r] moves the unit vectors there. It
 * may be singular. One vertex is the origin, shifted. */
static void makeAffine(const caseBody *body, affineBody *out, brinkInverseBodyDef *def, brinkInverseMotionDef *motion) {
  memset(out, 0, sizeof *out);
  size_t count = body->vertexCount;
  for (size_t i = 0; i < count && count > 1; ++i) out->vertices[4 * i] = 1.0;
  for (size_t e = 0; e < 2; ++e) {
    double *m = out->controls + 16 * e;
    m[15] = 1.0;
    for (size_t k = 0; k < 3; ++k) {
      const double *p = body->vertices + 3 * e + k;
      if (count == 1) {
        m[5 * k] = 1.0;
        m[4 * k + 3] = p[0];
      }
      for (size_t i = 0; i < count && count > 1; ++i) m[4 * k + i] = p[6 * i];
    }
  }
  out->motion = (brinkInverseFactorDef){
      .structSize = sizeof out->motion, .kind = brink_inverseBezier, .matrices = out->controls, .count = 2};
  *def = (brinkInverseBodyDef){.structSize = sizeof *def,
                               .kind = brink_inverseMesh,
                               .mesh = {.structSize = sizeof def->mesh,
                                        .vertices = out->vertices,
                                        .vertexCount = count,
                                        .indices = body->triangles,
                                        .triangleCount = body->triangleCount}};
  *motion = (brinkInverseMotionDef){.structSize = sizeof *motion, .factors = &out->motion, .factorCount = 1};
}

/* Contact, or nearness within eps, first proven: hit. Nothing left open: free. */
static void tellFirst(const brinkInverseIntervals *found, answer *out) {
  out->iterations = found->cells;
  out->state = brink_free;
  out->toi = out->toiUpper = BRINK_NO_TIME;
  if (found->count == 0) return;
  const brinkInverseInterval *first = &found->intervals[0];
  bool known = (first->flags & (BRINK_INVERSE_PROVEN | BRINK_INVERSE_NEAR)) != 0u;
  bool atStart = (first->flags & BRINK_INVERSE_AT_START) != 0u && first->startUpper <= 0.0;
  out->state = !known ? brink_unresolved : atStart ? brink_overlap : brink_hit;
  out->toi = first->startLower;
  if (known) out->toiUpper = first->startUpper;
}

static brinkStatus askAffine(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, double eps,
                             const checkOptions *options, answer *out) {
  const brinkInverseTable *inverse = api->getExtension(BRINK_INVERSE_PATH_NAME);
  if (inverse == NULL) return brink_errorVersion;
  affineBody bodies[2];
  brinkInverseSceneDef scene = {.structSize = sizeof scene};
  makeAffine(&c->body[0], &bodies[0], &scene.a, &scene.motionA);
  makeAffine(&c->body[1], &bodies[1], &scene.b, &scene.motionB);
  const brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0, .nearDistance = eps};
  brinkStatus status = brink_ok;
  double fastest = HUGE_VAL, spent = 0.0;
  for (long k = 0; k < options->repeats && spent <= PATIENCE && status == brink_ok; ++k) {
    brinkInverseIntervals found = {.structSize = sizeof found};
    double start = brinkSeconds();
    status = inverse->contactIntervals(world, &scene, &query, &found);
    double seconds = brinkSeconds() - start;
    spent += seconds;
    fastest = fmin(fastest, seconds);
    if (status == brink_ok) tellFirst(&found, out);
  }
  out->microseconds = 1e6 * fastest;
  return status;
}

/* Why a case is not one of two affine motions; NULL: it is. */
static const char *whyNotAffine(const ccdCase *c) {
  for (int k = 0; k < 2; ++k) {
    const caseBody *body = &c->body[k];
    if (!body->linear) return "a body on a chain: brink interference tells all its contacts";
    if (body->vertexCount > 3) return "more than three vertices on lines of their own move by no affine motion";
    if (body->solid || body->triangleCount == 0) return "a body of up to three vertices has no inside; give its simps";
  }
  return c->duration > 0.0 ? NULL : "a case of no duration";
}

/* false: there is no answer; the reason is on stderr. */
static bool answerCase(const brinkPlugin *api, const ccdCase *c, double eps, const checkOptions *options, answer *out) {
  *out = (answer){.state = brink_unresolved, .toiUpper = BRINK_NO_TIME};
  brinkWorld *world = NULL;
  brinkStatus status = api->createWorld(NULL, NULL, &world);
  bool linear = c->body[0].linear || c->body[1].linear;
  const char *trouble = c->body[0].splineCount + c->body[1].splineCount > 0 ? "splines are for brink interference"
                        : options->affine                                   ? whyNotAffine(c)
                                                                            : NULL;
  if (trouble != NULL) {
    fflush(stdout);
    fprintf(stderr, "brink: %s: %s%s\n", c->name, options->affine ? "--affine: " : "", trouble);
    api->destroyWorld(world);
    return false;
  }
  if (status == brink_ok)
    status = (options->affine ? askAffine : linear ? askLinear : askWorld)(api, world, c, eps, options, out);
  if (status != brink_ok) brinkTellRefusal(api, world, status, c->name);
  api->destroyWorld(world);
  return status == brink_ok;
}

double brinkCase_Time(double toi, double duration, bool up) {
  double t = toi * duration;
  bool exact = duration == 1.0 || duration == 0.0;
  if (!exact) t *= up ? 1.0 + TIME_SLACK : 1.0 - TIME_SLACK;
  return fmin(fmax(t, 0.0), duration);
}

static const brinkColumn columns[] = {{"name", NULL, -16},       {"state", NULL, -10},  {"toi", "s", 12},
                                      {"toi_upper", "s", 12},    {"distance", "m", 12}, {"iterations", NULL, 10},
                                      {"microseconds", NULL, 12}};

/* Above the table: which tolerance is in force? */
static void printEps(const checkOptions *options) {
  if (options->asked.eps > 0.0)
    printf("eps: %.6g m\n", options->asked.eps);
  else
    printf("eps: each case's own, number %ld%s\n", options->epsIndex,
           options->epsIndex == 0 ? "; 1e-6 of the smaller body where a case has none" : "");
}

static void printAnswer(brinkRows *rows, const ccdCase *c, const answer *a) {
  static const char *const names[] = {"free", "hit", "overlap", "unresolved"};
  const char *name = names[a->state <= brink_unresolved ? a->state : brink_unresolved];
  double toi = a->state != brink_free ? brinkCase_Time(a->toi, c->duration, false) : (double)NAN;
  double upper =
      a->state != brink_free && a->toiUpper <= 1.0 ? brinkCase_Time(a->toiUpper, c->duration, true) : (double)NAN;
  if (!brinkRows_AreWords(rows)) {
    brinkRows_Text(rows, c->name);
    brinkRows_State(rows, name);
    brinkRows_Number(rows, toi);
    brinkRows_Number(rows, upper);
    brinkRows_Number(rows, a->distance);
    brinkRows_Count(rows, a->iterations);
    brinkRows_Number(rows, a->microseconds);
    brinkRows_End(rows);
    return;
  }
  printf("%s %s", c->name, name);
  for (int k = 0; k < 2; ++k) {
    if (isnan(k == 0 ? toi : upper))
      printf(" -");
    else
      printf(" %.17g", k == 0 ? toi : upper);
  }
  printf(" %.17g %llu %.2f\n", a->distance, a->iterations, a->microseconds);
}

static double chooseEps(const ccdCase *c, const checkOptions *options, brinkText *text, bool *good) {
  *good = true;
  if (options->asked.eps > 0.0) return options->asked.eps;
  if (options->epsIndex == 0 && c->epsCount == 0) return 0.0;  // the library's default
  if ((size_t)options->epsIndex < c->epsCount) return c->eps[options->epsIndex];
  *good = brinkText_Fail(text, "case %s has %zu tolerances, --eps-index asks for number %ld", c->name, c->epsCount,
                         options->epsIndex);
  return 0.0;
}

static int checkFile(void *user, const char *path) {
  brinkAsking *self = user;
  const brinkPlugin *api = self->api;
  const checkOptions *options = self->options;
  brinkText text;
  if (!brinkText_Open(&text, path)) return BRINK_EXIT_FAILURE;
  int status = BRINK_EXIT_OK;
  brinkProgress progress = brinkProgress_Begin(isatty(STDOUT_FILENO));
  ccdCase c;
  size_t count = 0;
  while (options->queryPoints > 0 ? readQuery(&text, path, count, options->queryPoints, &c)
                                  : brinkCase_Read(&text, &c)) {
    bool good;
    double eps = chooseEps(&c, options, &text, &good);
    if (!good) break;
    answer a;
    if (self->rows.form == brink_formTable && self->rows.rowCount == 0 && count == 0) printEps(options);
    if (answerCase(api, &c, eps, options, &a))
      printAnswer(&self->rows, &c, &a);
    else
      status = BRINK_EXIT_FAILURE;
    fflush(stdout);
    brinkProgress_Tell(&progress, brinkText_Fraction(&text), "case", ++count);
    brinkCase_Free(&c);
  }
  brinkProgress_End(&progress);
  brinkCase_Free(&c);
  if (count == 0)
    brinkText_Fail(&text, options->queryPoints > 0 ? "no query in it" : "no case in it: 'ccd 1' expected");
  if (text.failed) status = BRINK_EXIT_MALFORMED;
  brinkText_Close(&text);
  return status;
}

/* ---- options */

enum { OPTION_QUERIES = 256 };

static const brinkOption optionRows[] = {
    BRINK_WHOLE(
        "eps-index", brink_setLong, 0, LONG_MAX, checkOptions, epsIndex,
        "Without --eps: use each case's N-th own tolerance, from 0 [0]. A case without any: 1e-6 of the smaller "
        "body"),
    BRINK_OWN("queries", "KIND", OPTION_QUERIES,
              "The files are public queries, eight rows each: vf (vertex-face) or ee (edge-edge)"),
    BRINK_WHOLE("repeat", brink_setLong, 1, LONG_MAX, checkOptions, repeats,
                "Ask each case up to N times, but no more after 1 ms (3 times in any case up to 1 s); the fastest "
                "counts [20]"),
    BRINK_FLAG("affine", checkOptions, affine,
               "Two bodies of up to three vertices on lines: ask for all contact intervals of affine motions "
               "(brink.inverse-path) and tell the first; what stays within the tolerance is a hit"),
    BRINK_ASKED(checkOptions, "Tolerance of all cases, m [each case's own, see --eps-index]"),
    BRINK_FORMS(checkOptions),
    BRINK_FILES(checkOptions, "no case file"),
    {0}};

static error_t readQueries(int key, char *argument, struct argp_state *state) {
  checkOptions *options = state->input;
  if (key != OPTION_QUERIES) return ARGP_ERR_UNKNOWN;
  options->queryPoints = strcmp(argument, "vf") == 0 ? 1 : strcmp(argument, "ee") == 0 ? 2 : 0;
  if (options->queryPoints == 0) argp_error(state, "--queries: '%s' is neither vf nor ee", argument);
  return 0;
}

static int run(void *user) {
  const checkOptions *options = user;
  brinkAsking self = {brinkApi(), NULL, options,
                      brinkRows_Open(options->form, "case", columns, sizeof columns / sizeof columns[0])};
  int status = brinkFiles_Each(&options->files, checkFile, &self);
  brinkRows_Close(&self.rows);
  return status;
}

const brinkCommand brinkCheckCommand = {
    .options = optionRows,
    .arguments = "FILE...",
    .documentation =
        "Answers case files: when do two moving bodies first touch?\v"
        "One line per answered case, in order:  NAME STATE toi toiUpper distance iterations microseconds\n"
        "On a terminal: a table with units and a summary. (microseconds: handing over all motions and asking, shapes "
        "made "
        "before; the fastest of --repeat).\n"
        "STATE is free (proven; distance is a lower bound of the smallest distance), hit, overlap (at the start) or "
        "unresolved "
        "(toi: proven free until then). FILE - is standard input.\n\n"
        "Examples:\n"
        "  brink check cases/*.ccd\n"
        "  brink check cases/spin.ccd --eps-index 1 | grep -v ' free '\n"
        "  brink check cases/chain.ccd --eps 1e-4 --scheme paper\n"
        "  brink check --queries vf --eps 1e-6 vertex-face/data_0_0.csv\n"
        "  brink check --queries ee --affine --eps 1e-6 edge-edge/data_0_0.csv\n\n"
        "Exit status: 0 every case answered, 1 a case was refused by the library or a file could not be read, 2 a "
        "malformed file (file:line on stderr; no case before it is lost) or usage.",
    .own = readQueries,
    .size = sizeof(checkOptions),
    .defaults = &(const checkOptions){.repeats = DEFAULT_REPEATS},
    .run = run};
