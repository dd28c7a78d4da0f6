/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink certify`: proofs of no collision as text files that `brink verify` checks. Reads a problem (the statement of a
 * certificate, docs/certificate.md; an old certificate will do) or case files, asks the extension
 * brink/tolerance.h and prints NAME STATE bound cells open microseconds and for each interval without a proof a line
 * more. A certificate is written beside its place and moved there when it is whole. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "brink/replace_file.h"
#include "brink/tolerance.h"
#include "case.h"
#include "output.h"

#define MAX_THREADS 256
#define PARTS_FOR_THREADS 64

typedef struct certifyOptions {
  double tolerance, clearance;
  long threads, parts;
  uint64_t maxTests, maxOpen;
  uint32_t flags;
  brinkForm form;
  const char *out;
  brinkFiles files;
} certifyOptions;

/* ---- threads: parts of the time are drawn from a counter */

typedef struct crew {
  void (*task)(void *data, uint32_t index);
  void *data;
  uint32_t count;
  atomic_uint next;
} crew;

static void *work(void *user) {
  crew *all = user;
  for (uint32_t i; (i = atomic_fetch_add(&all->next, 1u)) < all->count;) all->task(all->data, i);
  return NULL;
}

static void runTasks(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data) {
  pthread_t threads[MAX_THREADS];
  long started = 0, wanted = *(const long *)user - 1;
  crew all = {.task = task, .data = data, .count = count};
  while (started < wanted && pthread_create(&threads[started], NULL, work, &all) == 0) ++started;
  work(&all);
  for (long i = 0; i < started; ++i) pthread_join(threads[i], NULL);
}

/* ---- problems: the statement of a certificate */

typedef struct problemBody {
  brinkTolerancedBody body;
  brinkCurveStage *stages;
  double *vertices, *vertices1;
  uint32_t *faceStart, *faceIds;
} problemBody;

static void freeBody(problemBody *b) {
  for (size_t i = 0; b->stages != NULL && i < b->body.stageCount; ++i) {
    free((void *)(uintptr_t)b->stages[i].keys);
    free((void *)(uintptr_t)b->stages[i].controls);
  }
  free(b->stages);
  free(b->vertices);
  free(b->vertices1);
  free(b->faceStart);
  free(b->faceIds);
}

static bool readVector(brinkText *text, const char *what, brinkVec3 *out) {
  double v[3];
  if (!brinkText_Numbers(text, what, v, 3)) return false;
  *out = (brinkVec3){v[0], v[1], v[2]};
  return true;
}

static bool readKeys(brinkText *text, brinkCurveStage *stage) {
  size_t count;
  if (!brinkText_Count(text, "number of keys", 2, 38, &count)) return false;
  brinkCurveKey *keys = calloc(count, sizeof *keys);
  if (keys == NULL) return brinkText_Fail(text, "no memory for %zu keys", count);
  stage->keys = keys;
  stage->count = (uint32_t)count;
  for (size_t i = 0; i < count; ++i)
    if (!brinkText_Number(text, "time", &keys[i].time) || !readVector(text, "place", &keys[i].position) ||
        !readVector(text, "slope", &keys[i].slope) || !brinkText_Numbers(text, "rotation", keys[i].rotation, 9) ||
        !readVector(text, "turn", &keys[i].turn))
      return false;
  return true;
}

static bool readControls(brinkText *text, brinkCurveStage *stage) {
  size_t count;
  if (!brinkText_Count(text, "number of control points", 1, 26, &count)) return false;
  double *controls = calloc(13 * count, sizeof *controls);
  if (controls == NULL) return brinkText_Fail(text, "no memory for %zu control points", count);
  stage->controls = controls;
  stage->count = (uint32_t)count;
  return brinkText_Numbers(text, "W, W R, W T", controls, 13 * count);
}

static bool readStage(brinkText *text, brinkCurveStage *stage) {
  static const char *const kinds[] = {"turn", "ode", "spline", "bezier"};
  const char *word = brinkText_Word(text);
  for (uint32_t k = 0; word != NULL && k < 4; ++k)
    if (strcmp(word, kinds[k]) == 0) stage->kind = k + 1;
  if (stage->kind == 0) return brinkText_Fail(text, "expected turn, ode, spline or bezier");
  if (stage->kind == brink_curveSpline) return readKeys(text, stage);
  if (stage->kind == brink_curveBezier) return readControls(text, stage);
  return readVector(text, "point", &stage->point) && readVector(text, "velocity", &stage->velocity) &&
         readVector(text, "spin", &stage->spin) &&
         (stage->kind == brink_curveOde || readVector(text, "arm", &stage->arm)) &&
         brinkText_Numbers(text, "rotation", stage->rotation, 9);
}

static bool readVertices(brinkText *text, problemBody *b) {
  size_t count;
  if (!brinkText_Expect(text, "vertices") || !brinkText_Count(text, "number of vertices", 1, 6, &count)) return false;
  const char *word = brinkText_Word(text);
  bool linear = word != NULL && strcmp(word, "linear") == 0;
  if (word == NULL || (!linear && strcmp(word, "fixed") != 0)) return brinkText_Fail(text, "expected fixed or linear");
  b->vertices = calloc(3 * count, sizeof(double));
  if (linear) b->vertices1 = calloc(3 * count, sizeof(double));
  if (b->vertices == NULL || (linear && b->vertices1 == NULL))
    return brinkText_Fail(text, "no memory for %zu vertices", count);
  for (size_t i = 0; i < count; ++i)
    if (!brinkText_Numbers(text, "vertex", &b->vertices[3 * i], 3) ||
        (linear && !brinkText_Numbers(text, "vertex", &b->vertices1[3 * i], 3)))
      return false;
  b->body.vertices = b->vertices;
  b->body.vertices1 = b->vertices1;
  b->body.vertexCount = count;
  return true;
}

static bool readFaces(brinkText *text, problemBody *b) {
  size_t count, ids = 0;
  if (!brinkText_Expect(text, "faces") || !brinkText_Count(text, "number of faces", 1, 4, &count)) return false;
  b->faceStart = calloc(count + 1, sizeof(uint32_t));
  b->faceIds = calloc((text->size - text->at) / 2 + 1, sizeof(uint32_t)); /* no more than words */
  if (b->faceStart == NULL || b->faceIds == NULL) return brinkText_Fail(text, "no memory for %zu faces", count);
  for (size_t f = 0; f < count; ++f) {
    size_t corners;
    if (!brinkText_Count(text, "number of corners", 1, 2, &corners)) return false;
    for (size_t k = 0; k < corners; ++k) {
      long long id;
      if (!brinkText_Integer(text, "vertex", 0, (long long)b->body.vertexCount - 1, &id)) return false;
      b->faceIds[ids++] = (uint32_t)id;
    }
    b->faceStart[f + 1] = (uint32_t)ids;
  }
  b->body.faceStart = b->faceStart;
  b->body.faceIds = b->faceIds;
  b->body.faceCount = count;
  return true;
}

static bool readBody(brinkText *text, const char *name, problemBody *b) {
  b->body.structSize = sizeof b->body;
  if (!brinkText_Expect(text, "body") || !brinkText_Expect(text, name)) return false;
  const char *kind = brinkText_Word(text);
  bool half = kind != NULL && strcmp(kind, "halfspace") == 0, solid = kind != NULL && strcmp(kind, "solid") == 0;
  if (kind == NULL || (!half && !solid && strcmp(kind, "open") != 0))
    return brinkText_Fail(text, "expected open, solid or halfspace");
  b->body.flags = half ? BRINK_TOLERANCED_HALF_SPACE : solid ? BRINK_MESH_SOLID : 0u;
  if (!brinkText_Expect(text, "radius") || !brinkText_Number(text, "radius", &b->body.radius)) return false;
  if (half)
    return brinkText_Expect(text, "plane") && readVector(text, "normal", &b->body.normal) &&
           brinkText_Number(text, "offset", &b->body.offset);
  long long stages;
  if (!brinkText_Expect(text, "stages") || !brinkText_Integer(text, "number of stages", 0, 10000, &stages))
    return false;
  b->stages = calloc((size_t)stages + 1, sizeof *b->stages);
  if (b->stages == NULL) return brinkText_Fail(text, "no memory for %lld stages", stages);
  b->body.stages = b->stages;
  b->body.stageCount = (size_t)stages;
  for (long long i = 0; i < stages; ++i)
    if (!readStage(text, &b->stages[i])) return false;
  return readVertices(text, b) && readFaces(text, b);
}

static bool readProblem(brinkText *text, brinkToleranceQuery *query, problemBody body[2]) {
  double clearance;
  bool good = brinkText_Expect(text, "statement") && brinkText_Expect(text, "time") &&
              brinkText_Number(text, "start", &query->tStart) && brinkText_Number(text, "end", &query->tEnd) &&
              brinkText_Expect(text, "clearance") && brinkText_Number(text, "clearance", &clearance) &&
              readBody(text, "A", &body[0]) && readBody(text, "B", &body[1]) && brinkText_Expect(text, "end") &&
              brinkText_Expect(text, "statement");
  if (good && !(query->clearance > 0.0)) query->clearance = clearance;
  return good;
}

/* ---- answers */

static bool writeCertificate(const char *path, const brinkToleranceAnswer *answer) {
  char message[512];
  brinkReplacement replacement;
  brinkStatus status = brinkReplacement_Begin(&replacement, path, message, sizeof message);
  if (status == brink_ok) {
    fwrite(answer->certificate, 1, answer->certificateSize, replacement.file);
    status = brinkReplacement_End(&replacement, path, true, message, sizeof message);
  }
  if (status != brink_ok) fprintf(stderr, "brink: %s\n", message);
  return status == brink_ok;
}

static const brinkColumn columns[] = {{"name", NULL, -16}, {"state", NULL, -8},      {"bound", "m", 12},
                                      {"cells", NULL, 8},  {"open_cells", NULL, 10}, {"microseconds", NULL, 12},
                                      {"open", NULL, 5}};
static brinkRows rows;
static brinkWritten written;

/* Intervals without a proof: of JSON an array, of a table lines below. */
static void printOpen(const brinkToleranceAnswer *answer) {
  if (rows.form != brink_formJson) {
    brinkRows_Count(&rows, answer->openCount);
    return;
  }
  brinkRows_Json(&rows, "[");
  for (size_t i = 0; i < answer->openCount; ++i) {
    const brinkOpenInterval *open = &answer->open[i];
    printf("%s{\"from\":%.17g,\"to\":%.17g,\"place\":[%.17g,%.17g,%.17g],\"face_a\":%llu,\"face_b\":%llu}",
           i > 0 ? "," : "", open->from, open->to, open->place.x, open->place.y, open->place.z,
           (unsigned long long)open->faceA, (unsigned long long)open->faceB);
  }
  putchar(']');
}

static void printRow(const char *name, const char *state, const brinkToleranceAnswer *answer, double microseconds) {
  brinkRows_Text(&rows, name);
  brinkRows_State(&rows, state);
  brinkRows_Number(&rows, answer->bound);
  brinkRows_Count(&rows, answer->cellCount);
  brinkRows_Count(&rows, answer->openCells);
  brinkRows_Number(&rows, microseconds);
  printOpen(answer);
  brinkRows_End(&rows);
}

static int report(const char *name, const char *path, const brinkToleranceAnswer *answer, double microseconds) {
  static const char *const states[] = {"proven", "listed", "spent"};
  if (!brinkRows_AreWords(&rows)) {
    printRow(name, answer->inside != 0u ? "inside" : states[answer->state], answer, microseconds);
    if (path != NULL && !writeCertificate(path, answer)) return BRINK_EXIT_FAILURE;
    return answer->state == brink_certified ? BRINK_EXIT_OK : BRINK_EXIT_FAILURE;
  }
  printf("%s %s %.17g %zu %zu %.2f\n", name, answer->inside != 0u ? "inside" : states[answer->state], answer->bound,
         answer->cellCount, answer->openCells, microseconds);
  for (size_t i = 0; i < answer->openCount; ++i) {
    const brinkOpenInterval *open = &answer->open[i];
    printf("  no proof from %.9g to %.9g, near %.6g %.6g %.6g, faces %llu and %llu\n", open->from, open->to,
           open->place.x, open->place.y, open->place.z, (unsigned long long)open->faceA,
           (unsigned long long)open->faceB);
  }
  if (path != NULL && !writeCertificate(path, answer)) return BRINK_EXIT_FAILURE;
  return answer->state == brink_certified ? BRINK_EXIT_OK : BRINK_EXIT_FAILURE;
}

static brinkToleranceQuery makeQuery(const certifyOptions *options) {
  brinkToleranceQuery query = {.structSize = sizeof query,
                               .flags = options->flags,
                               .tEnd = 1.0,
                               .tolerance = options->tolerance,
                               .clearance = options->clearance,
                               .maxTests = options->maxTests,
                               .maxOpen = options->maxOpen,
                               .parts = (uint32_t)options->parts};
  if (options->threads > 1) {
    query.run = runTasks;
    query.runUser = (void *)(uintptr_t)&options->threads;
  }
  return query;
}

/* One statement a file: what stands behind it is a certificate's proof, or nothing. */
static bool readOnly(brinkText *text, bool certificate, brinkToleranceQuery *query, problemBody body[2]) {
  if (certificate && strstr(text->data, "\nbrink-certificate ") != NULL)
    return brinkText_Fail(text, "more than one certificate: certify takes the statement of one");
  brinkText_Word(text); /* what the file is: two words */
  brinkText_Word(text);
  if (!readProblem(text, query, body)) return false;
  const char *word = certificate ? NULL : brinkText_Word(text);
  return word == NULL || brinkText_Fail(text, "'%.40s' behind the problem: a file holds one", word);
}

static int certifyProblem(const brinkPlugin *api, const brinkToleranceTable *table, brinkText *text, bool certificate,
                          const certifyOptions *options) {
  problemBody body[2];
  memset(body, 0, sizeof body);
  brinkToleranceQuery query = makeQuery(options);
  brinkToleranceAnswer answer = {.structSize = sizeof answer};
  brinkWorld *world = NULL;
  int result = BRINK_EXIT_MALFORMED;
  if (readOnly(text, certificate, &query, body)) {
    brinkStatus status = api->createWorld(NULL, NULL, &world);
    if (body[0].vertices1 != NULL || body[1].vertices1 != NULL ||
        ((body[0].body.flags | body[1].body.flags) & BRINK_TOLERANCED_HALF_SPACE) != 0u)
      query.flags |= BRINK_TOLERANCE_WITNESSES;
    double start = brinkSeconds();
    if (status == brink_ok) status = table->certifyBodies(world, &body[0].body, &body[1].body, &query, &answer);
    double microseconds = 1e6 * (brinkSeconds() - start);
    if (status == brink_ok) {
      bool own = options->out == NULL || brinkWritten_Once(&written, options->out);
      result = report(text->path, own ? options->out : NULL, &answer, microseconds);
      if (!own) result = BRINK_EXIT_FAILURE;
    } else
      fprintf(stderr, "brink: %s: %s\n", text->path, world != NULL ? api->lastError(world) : api->statusText(status));
    api->destroyWorld(world);
  }
  for (int k = 0; k < 2; ++k) freeBody(&body[k]);
  return result;
}

/* ---- case files */

static bool makeCaseBody(const ccdCase *c, int k, problemBody *b) {
  const caseBody *from = &c->body[k];
  size_t n = from->vertexCount, faces = from->convex ? 1 : from->triangleCount;
  *b = (problemBody){
      .body = {.structSize = sizeof b->body, .flags = from->solid && !from->convex ? BRINK_MESH_SOLID : 0u}};
  b->stages = calloc(from->linkCount + 1, sizeof *b->stages);
  b->vertices = calloc(3 * n + 1, sizeof(double));
  if (from->linear) b->vertices1 = calloc(3 * n + 1, sizeof(double));
  b->faceIds = calloc(from->convex ? n + 1 : 3 * faces + 1, sizeof(uint32_t));
  b->faceStart = calloc(faces + 1, sizeof(uint32_t));
  if (b->stages == NULL || b->vertices == NULL || b->faceIds == NULL || b->faceStart == NULL ||
      (from->linear && b->vertices1 == NULL))
    return false;
  for (size_t i = 0; !from->linear && i < from->linkCount; ++i) {
    const double *v = from->links[i].value, T = c->duration;
    int shift; /* of a power of two: exact, and the squares of any length stay numbers */
    frexp(fmax(fmax(fabs(v[3]), fabs(v[4])), fmax(fabs(v[5]), fabs(v[6]))), &shift);
    const double w = ldexp(v[3], -shift), x = ldexp(v[4], -shift), y = ldexp(v[5], -shift), z = ldexp(v[6], -shift),
                 s = 1.0 / (w * w + x * x + y * y + z * z);
    brinkCurveStage *stage = &b->stages[i];
    const double r[9] = {1 - 2 * s * (y * y + z * z), 2 * s * (x * y - w * z),     2 * s * (x * z + w * y),
                         2 * s * (x * y + w * z),     1 - 2 * s * (x * x + z * z), 2 * s * (y * z - w * x),
                         2 * s * (x * z - w * y),     2 * s * (y * z + w * x),     1 - 2 * s * (x * x + y * y)};
    stage->kind = brink_curveTurn;
    stage->point = (brinkVec3){v[0], v[1], v[2]};
    stage->velocity = (brinkVec3){T * v[7], T * v[8], T * v[9]};
    stage->spin = (brinkVec3){T * v[10], T * v[11], T * v[12]};
    memcpy(stage->rotation, r, sizeof r);
    ++b->body.stageCount;
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t e = 0; e < 3; ++e) {
      b->vertices[3 * i + e] = from->vertices[(from->linear ? 6 : 3) * i + e];
      if (from->linear) b->vertices1[3 * i + e] = from->vertices[6 * i + 3 + e];
    }
  for (size_t i = 0; i < (from->convex ? n : 3 * faces); ++i)
    b->faceIds[i] = from->convex ? (uint32_t)i : from->triangles[i];
  for (size_t f = 0; f <= faces; ++f) b->faceStart[f] = (uint32_t)(from->convex ? f * n : 3 * f);
  b->body.stages = b->stages;
  b->body.vertices = b->vertices;
  b->body.vertices1 = b->vertices1;
  b->body.vertexCount = n;
  b->body.faceStart = b->faceStart;
  b->body.faceIds = b->faceIds;
  b->body.faceCount = faces;
  return true;
}

/* Bodies on chains: as colliders of a world, the motions that firstContact answers about. Linear ones: as arrays. */
static brinkStatus askCase(const brinkPlugin *api, const brinkToleranceTable *table, brinkWorld *world,
                           const ccdCase *c, const brinkToleranceQuery *query, brinkToleranceAnswer *answer) {
  brinkColliderId collider[2];
  if (!c->body[0].linear && !c->body[1].linear) {
    brinkStatus status = brinkCase_AddBodies(api, world, c, collider);
    return status == brink_ok ? table->certifyColliders(world, collider[0], collider[1], query, answer) : status;
  }
  problemBody body[2];
  memset(body, 0, sizeof body);
  brinkToleranceQuery asked = *query;
  asked.flags |= BRINK_TOLERANCE_WITNESSES;
  brinkStatus status = makeCaseBody(c, 0, &body[0]) && makeCaseBody(c, 1, &body[1]) ? brink_ok : brink_errorNoMemory;
  if (status == brink_ok) status = table->certifyBodies(world, &body[0].body, &body[1].body, &asked, answer);
  for (int k = 0; k < 2; ++k) freeBody(&body[k]);
  return status;
}

static int certifyCase(const brinkPlugin *api, const brinkToleranceTable *table, const ccdCase *c,
                       const certifyOptions *options) {
  char path[4096];
  brinkToleranceQuery query = makeQuery(options);
  brinkToleranceAnswer answer = {.structSize = sizeof answer};
  brinkWorld *world = NULL;
  if (c->duration <= 0.0) query.tEnd = 0.0;
  brinkStatus status = api->createWorld(NULL, NULL, &world);
  double start = brinkSeconds();
  if (status == brink_ok) status = askCase(api, table, world, c, &query, &answer);
  double microseconds = 1e6 * (brinkSeconds() - start);
  int result = BRINK_EXIT_MALFORMED;
  if (status == brink_ok) {
    bool named = options->out != NULL && brinkWritten_Name(&written, options->out, c->name, "cert", path, sizeof path);
    result = report(c->name, named ? path : NULL, &answer, microseconds);
    if (options->out != NULL && !named) result = BRINK_EXIT_FAILURE;
  } else {
    const char *why = world != NULL ? api->lastError(world) : "";
    fflush(stdout);
    fprintf(stderr, "brink: %s: %s\n", c->name, *why != '\0' ? why : api->statusText(status));
  }
  api->destroyWorld(world);
  return result;
}

static int certifyCases(const brinkPlugin *api, const brinkToleranceTable *table, brinkText *text,
                        const certifyOptions *options) {
  int result = BRINK_EXIT_OK;
  if (options->out != NULL && mkdir(options->out, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "brink: %s: %s\n", options->out, strerror(errno));
    return BRINK_EXIT_FAILURE;
  }
  ccdCase c;
  brinkProgress progress = brinkProgress_Begin(isatty(STDOUT_FILENO));
  size_t count = 0;
  while (brinkCase_Read(text, &c)) {
    int one = certifyCase(api, table, &c, options);
    if (one > result) result = one;
    fflush(stdout);
    brinkCase_Free(&c);
    brinkProgress_Tell(&progress, brinkText_Fraction(text), "case", ++count);
  }
  brinkProgress_End(&progress);
  brinkCase_Free(&c);
  if (count == 0) brinkText_Fail(text, "neither a problem nor a case in it");
  return text->failed ? BRINK_EXIT_MALFORMED : result;
}

static int certifyFile(const brinkPlugin *api, const brinkToleranceTable *table, const char *path,
                       const certifyOptions *options) {
  brinkText text;
  if (!brinkText_Open(&text, path)) return BRINK_EXIT_FAILURE;
  static const char *const kinds[] = {"brink-problem 1", "brink-certificate 1"};
  int kind = 0;
  for (; kind < 2; ++kind) { /* any line end: \r\n too */
    size_t length = strlen(kinds[kind]);
    if (strncmp(text.data, kinds[kind], length) == 0 && isspace((unsigned char)text.data[length])) break;
  }
  int result;
  if (kind < 2) {
    result = certifyProblem(api, table, &text, kind == 1, options);
  } else {
    result = certifyCases(api, table, &text, options);
  }
  brinkText_Close(&text);
  return result;
}

/* ---- options */

static const brinkOption optionRows[] = {
    BRINK_OUTPUT_PATH(
        "PATH", certifyOptions, out,
        "Write the certificate there (case files: a folder, NAME.cert each; a name that comes again: NAME-2.cert)"),
    BRINK_LENGTH("tolerance", "E", certifyOptions, tolerance,
                 "Stop where the bodies are this close, m [1e-3 of the smaller]"),
    BRINK_LENGTH("clearance", "D", certifyOptions, clearance,
                 "Prove that they stay more than D m apart [what the problem says]"),
    BRINK_BITS("one-mass", BRINK_TOLERANCE_ONE_MASS, certifyOptions, flags,
               "One mass distribution for a whole body, not one for each node and face"),
    BRINK_BITS("flat", BRINK_TOLERANCE_FLAT, certifyOptions, flags, "No hierarchy of faces"),
    BRINK_BITS("witnesses", BRINK_TOLERANCE_WITNESSES, certifyOptions, flags,
               "Look for witnesses at once, no covering of the motion by balls"),
    BRINK_WHOLE("threads", brink_setLong, 1, MAX_THREADS, certifyOptions, threads,
                "Share the parts of the time among N threads [1]"),
    BRINK_WHOLE("parts", brink_setLong, 1, 65536, certifyOptions, parts,
                "Parts the time is cut into first [1; 64 with --threads]; the certificate depends on it"),
    BRINK_BITS("every-pair", BRINK_TOLERANCE_EVERY_PAIR, certifyOptions, flags,
               "Witnesses also for faces at times at which others lack a proof"),
    BRINK_WHOLE("max-tests", brink_setCount, 1, 2000000000, certifyOptions, maxTests,
                "Work budget of each part: when it is spent the rest is listed without a proof [4000000]"),
    BRINK_WHOLE("max-open", brink_setCount, 1, 2000000000, certifyOptions, maxOpen,
                "The same by cells without a proof [100000]"),
    BRINK_FORMS(certifyOptions),
    BRINK_FILES(certifyOptions, "no problem or case file"),
    {0}};

static int runCertify(void *user) {
  certifyOptions *options = user;
  if (options->parts == 0) options->parts = options->threads > 1 ? PARTS_FOR_THREADS : 1;
  const brinkPlugin *api = brinkApi();
  const brinkToleranceTable *table = brinkNeedExtension(BRINK_TOLERANCE_NAME);
  int result = BRINK_EXIT_OK;
  rows = brinkRows_Open(options->form, "question", columns, sizeof columns / sizeof columns[0]);
  for (int i = 0; i < options->files.count; ++i) {
    int one = certifyFile(api, table, options->files.names[i], options);
    if (one > result) result = one;
  }
  brinkRows_Close(&rows);
  brinkWritten_Free(&written);
  return result;
}

const brinkCommand brinkCertifyCommand = {
    .options = optionRows,
    .arguments = "FILE...",
    .documentation =
        "A proof that two moving bodies never touch, as a file that others can check; or the times without one.\v"
        "FILE is a problem (the statement of a certificate under the line 'brink-problem 1'), a certificate (its "
        "statement "
        "is taken), or a "
        "case file. One line per problem or case:  NAME STATE bound cells open microseconds\n"
        "STATE is proven (apart all the time, by at least `bound` m), listed (each time without a proof has the bodies "
        "within about twice "
        "the tolerance; the lines below say when and where), spent (the budget ended before that) or inside (one "
        "begins in "
        "the other).\n\n"
        "Examples:\n"
        "  brink certify cell.problem -o cell.cert && brink verify cell.cert --for cell.problem\n"
        "  brink certify cases/chain.ccd -o certificates\n\n"
        "Exit status: 0 all proven, 1 some are not, or a file could not be read or written, 2 malformed input or what "
        "the library refuses (nothing is written for it), or usage.",
    .size = sizeof(certifyOptions),
    .defaults = &(const certifyOptions){.threads = 1},
    .run = runCertify};

/* ---- the other side: what surrounds the checker (verify.c) */

/* Word for word the same statement, numbers by value? Both texts stand before it. anyClearance: that number may differ.
 */
static bool sameWords(brinkText *mine, brinkText *other, bool anyClearance) {
  bool clearance = false;
  for (;;) {
    const char *a = brinkText_Word(mine), *b = brinkText_Word(other);
    if (a == NULL || b == NULL) return false;
    double x, y;
    bool numbers = brinkParseNumber(a, &x) && brinkParseNumber(b, &y);
    if (!(numbers ? x == y || clearance : strcmp(a, b) == 0)) return false;
    clearance = anyClearance && strcmp(a, "clearance") == 0;
    if (strcmp(a, "end") != 0) continue;
    a = brinkText_Word(mine), b = brinkText_Word(other); /* "end statement" */
    return a != NULL && b != NULL && strcmp(a, b) == 0;
  }
}

/* The statement that `brink certify` makes of a case: asked with hardly any work. */
static bool sameAsCase(const char *path, const brinkPlugin *api, const brinkToleranceTable *table, const ccdCase *c) {
  brinkToleranceQuery query = {.structSize = sizeof query, .tEnd = c->duration > 0.0 ? 1.0 : 0.0, .maxTests = 1};
  brinkToleranceAnswer answer = {.structSize = sizeof answer};
  brinkWorld *world = NULL;
  brinkStatus status = api->createWorld(NULL, NULL, &world);
  if (status == brink_ok) status = askCase(api, table, world, c, &query, &answer);
  brinkText mine = {.data = NULL}, other = {.path = c->name, .line = 1, .wordLine = 1};
  bool same = status == brink_ok && brinkText_Open(&mine, path);
  if (same) other.data = malloc(answer.certificateSize + 1);
  same = same && other.data != NULL;
  if (same) {
    memcpy(other.data, answer.certificate, answer.certificateSize);
    other.data[other.size = answer.certificateSize] = '\0';
    for (int k = 0; k < 2; ++k) { /* what the files are */
      brinkText_Word(&mine);
      brinkText_Word(&other);
    }
    same = sameWords(&mine, &other, true);
  }
  brinkText_Close(&mine);
  brinkText_Close(&other);
  api->destroyWorld(world);
  return same;
}

/* Is the statement that of some case of the file? */
static bool isOfCases(const char *path, brinkText *cases) {
  const brinkPlugin *api = brinkApi();
  const brinkToleranceTable *table = api->getExtension(BRINK_TOLERANCE_NAME);
  bool same = false;
  ccdCase c = {.name = ""};
  while (!same && table != NULL && brinkCase_Read(cases, &c)) {
    same = sameAsCase(path, api, table, &c);
    brinkCase_Free(&c);
  }
  return same;
}

static bool sameStatement(const char *path, const char *problem) {
  brinkText mine, other;
  if (!brinkText_Open(&mine, path)) return false;
  if (strstr(mine.data, "\nbrink-certificate ") != NULL) {
    fprintf(stderr, "%s: more than one certificate; --for is about one\n", path);
    brinkText_Close(&mine);
    return false;
  }
  bool same = brinkText_Open(&other, problem);
  if (!same) {
    brinkText_Close(&mine);
    return false;
  }
  bool cases = strncmp(other.data, "brink-", 6) != 0; /* problems and certificates begin so */
  if (cases) {
    same = isOfCases(path, &other);
  } else {
    for (int k = 0; k < 2; ++k) { /* what the files are */
      brinkText_Word(&mine);
      brinkText_Word(&other);
    }
    same = sameWords(&mine, &other, false);
  }
  if (!same && cases && !other.failed)
    fprintf(stderr, "%s: this is for other bodies or motions than the cases of %s\n", path, problem);
  if (!same && !cases)
    fprintf(stderr, "%s:%lu: this is for other bodies or motions than %s:%lu\n", path, mine.wordLine, problem,
            other.wordLine);
  brinkText_Close(&mine);
  brinkText_Close(&other);
  return same;
}

static const brinkColumn verdictColumns[] = {{"file", NULL, -24}, {"state", NULL, -8}, {"cells", NULL, 8},
                                             {"open", NULL, 6},   {"apart", "m", 12},  {"from", NULL, 8},
                                             {"to", NULL, 8}};

void brinkVerify_Tell(const char *path, const char *state, const brinkVerdict *verdict) {
  if (brinkRows_AreWords(&rows)) {
    printf("%s %s", path, state);
    if (verdict != NULL && verdict->certificates > 1) printf(": %zu certificates,", verdict->certificates);
    if (verdict != NULL)
      printf("%s %zu cells, %zu open,", verdict->certificates > 1 ? "" : ":", verdict->cells, verdict->open);
    if (verdict != NULL) brinkPrintBound(" ", verdict->apart, FE_DOWNWARD);
    if (verdict != NULL)
      printf(" m or more apart%s from %.9g to %.9g", verdict->open == 0 ? "" : " elsewhere", verdict->from,
             verdict->to);
    putchar('\n');
    return;
  }
  brinkRows_Text(&rows, path);
  brinkRows_State(&rows, state);
  for (int i = 0; i < 2; ++i) {
    if (verdict == NULL)
      brinkRows_Missing(&rows);
    else
      brinkRows_Count(&rows, i == 0 ? verdict->cells : verdict->open);
  }
  brinkRows_Number(&rows, verdict == NULL ? (double)NAN : verdict->apart);
  brinkRows_Number(&rows, verdict == NULL ? (double)NAN : verdict->from);
  brinkRows_Number(&rows, verdict == NULL ? (double)NAN : verdict->to);
  brinkRows_End(&rows);
}

typedef struct verifyOptions {
  brinkForm form;
  const char *problem;
  brinkFiles files;
} verifyOptions;

static const brinkOption verifyRows[] = {
    BRINK_TEXT("for", "PROBLEM", verifyOptions, problem,
               "The statement must be that of PROBLEM: a certificate, a problem file of `brink certify`, or a case "
               "file (that of one of its cases, with any clearance)"),
    BRINK_FORMS(verifyOptions),
    BRINK_FILES(verifyOptions, "no certificate"),
    {0}};

static bool canRead(const char *path) {
  if (strcmp(path, "-") == 0) return true;
  struct stat there;
  bool good = access(path, R_OK) == 0 && stat(path, &there) == 0;
  if (good && S_ISDIR(there.st_mode)) good = false, errno = EISDIR;
  if (!good) fprintf(stderr, "brink: %s: %s\n", path, strerror(errno));
  return good;
}

static int runVerify(void *user) {
  const verifyOptions *options = user;
  int status = BRINK_EXIT_OK;
  if (options->problem != NULL && !canRead(options->problem)) return BRINK_EXIT_FAILURE;
  rows = brinkRows_Open(options->form, "certificate", verdictColumns, sizeof verdictColumns / sizeof verdictColumns[0]);
  for (int i = 0; i < options->files.count; ++i) {
    int one = BRINK_EXIT_MALFORMED;
    if (!canRead(options->files.names[i])) {
      brinkVerify_Tell(options->files.names[i], "refused", NULL);
      one = BRINK_EXIT_FAILURE;
    } else if (options->problem != NULL && !sameStatement(options->files.names[i], options->problem)) {
      brinkVerify_Tell(options->files.names[i], "refused", NULL);
    } else {
      one = brinkVerifyFile(options->files.names[i]);
    }
    if (one > status) status = one;
  }
  brinkRows_Close(&rows);
  return status;
}

const brinkCommand brinkVerifyCommand = {
    .options = verifyRows,
    .arguments = "FILE...",
    .documentation =
        "Checks certificates of no collision on its own, with outward rounding: one line each, proven, open or "
        "refused.\v"
        "Examples:\n"
        "  brink verify certificates/*.cert\n"
        "  brink verify cell.cert --for cell.problem\n\n"
        "Exit status: 0 all proven, 1 some have open cells or could not be read, 2 some are no proof (the reason is on "
        "standard error), or usage.",
    .size = sizeof(verifyOptions),
    .run = runVerify};
