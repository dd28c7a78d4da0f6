/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink interference`: all contacts of two bodies, not only the first, and which parts of them meet. Reads case files
 * and prints, in order, for every case NAME intervals open cells microseconds  START:START END:END STATE ... or works
 * one of the examples of brink/interference_assets.h and writes its interfering subsets. Asks the extension
 * brink/inverse_path.h. Units: m, s. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "brink/interference_assets.h"
#include "brink/inverse_path.h"
#include "case.h"
#include "output.h"

#define MOST_LINKS 64
#define MOST_THREADS 64

typedef struct interferenceOptions {
  double timeTolerance, spacing;
  int threads;
  bool adaptive, solids, paths;
  brinkForm form;
  const char *example, *output;
  brinkFiles files;
} interferenceOptions;

/* ---- threads: tasks are taken by number; each writes its own slot */

typedef struct taskPool {
  atomic_size_t next;
  size_t count;
  void (*task)(void *data, size_t index);
  void *data;
} taskPool;

static void *takeTasks(void *user) {
  taskPool *pool = user;
  for (size_t i; (i = atomic_fetch_add(&pool->next, 1)) < pool->count;) pool->task(pool->data, i);
  return NULL;
}

static void runTasks(void *user, size_t count, void (*task)(void *data, size_t index), void *data) {
  const interferenceOptions *options = user;
  pthread_t threads[MOST_THREADS];
  taskPool pool = {.count = count, .task = task, .data = data};
  int started = 0;
  while (started + 1 < options->threads && (size_t)started + 1 < count &&
         pthread_create(&threads[started], NULL, takeTasks, &pool) == 0)
    ++started;
  takeTasks(&pool);
  for (int i = 0; i < started; ++i) pthread_join(threads[i], NULL);
}

static brinkInverseQuery makeQuery(const interferenceOptions *options) {
  return (brinkInverseQuery){.structSize = sizeof(brinkInverseQuery),
                             .tEnd = 1.0,
                             .timeTolerance = options->timeTolerance,
                             .spacing = options->spacing,
                             .run = options->threads > 1 ? runTasks : NULL,
                             .runUser = (void *)options};
}

/* ---- case files */

typedef struct linkMotion {
  brinkInverseFactorDef factors[3 * MOST_LINKS];
  double matrices[MOST_LINKS][24];
  size_t count;
} linkMotion;

static brinkInverseFactorDef turnBy(double x, double y, double z, double start, double rate) {
  return (brinkInverseFactorDef){.structSize = sizeof(brinkInverseFactorDef),
                                 .kind = brink_inverseRotation,
                                 .axis = {x, y, z},
                                 .angle = {start, rate, 0.0, 0.0}};
}

/* x_parent = T + v t + exp(t [w]) R(q) x: a shift, a turn about w, a constant turn. */
static void addLinkFactors(linkMotion *out, size_t index, const double *v, double duration) {
  double *m = out->matrices[index], spin = sqrt(v[10] * v[10] + v[11] * v[11] + v[12] * v[12]);
  double part = sqrt(v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
  memset(m, 0, 24 * sizeof *m);
  for (int i = 0; i < 3; ++i) {
    m[5 * i] = 1.0;
    m[4 * i + 3] = v[i];
    m[12 + 4 * i + 3] = duration * v[7 + i];
  }
  out->factors[out->count++] = (brinkInverseFactorDef){
      .structSize = sizeof(brinkInverseFactorDef), .kind = brink_inversePolynomial, .matrices = m, .count = 2};
  if (spin > 0.0) out->factors[out->count++] = turnBy(v[10], v[11], v[12], 0.0, duration * spin);
  if (part > 0.0) out->factors[out->count++] = turnBy(v[4], v[5], v[6], 2.0 * atan2(part, v[3]), 0.0);
}

static size_t sharedLinks(const ccdCase *c) {
  const caseBody *a = &c->body[0], *b = &c->body[1];
  size_t shared = 0;
  while (shared < a->linkCount && shared < b->linkCount &&
         memcmp(&a->links[shared], &b->links[shared], sizeof a->links[0]) == 0)
    ++shared;
  return shared;
}

static brinkInverseSpline *makeSplines(const caseBody *body) {
  brinkInverseSpline *splines = calloc(body->splineCount, sizeof *splines);
  for (size_t i = 0; splines != NULL && i < body->splineCount; ++i) {
    const caseSpline *s = &body->splines[i];
    const double *knotsV = s->numbers + s->count[0] + s->degree[0] + 1;
    splines[i] = (brinkInverseSpline){s->degree[0],
                                      s->degree[1],
                                      s->count[0],
                                      s->count[1],
                                      s->numbers,
                                      knotsV,
                                      knotsV + s->count[1] + s->degree[1] + 1};
  }
  return splines;
}

/* false: the message is on stderr. splines: to be freed. */
static bool makeCaseScene(const ccdCase *c, linkMotion motions[2], brinkInverseSpline *splines[2],
                          brinkInverseSceneDef *scene) {
  size_t shared = sharedLinks(c);
  memset(scene, 0, sizeof *scene);
  scene->structSize = sizeof *scene;
  for (int k = 0; k < 2; ++k) {
    const caseBody *body = &c->body[k];
    brinkInverseBodyDef *def = k == 0 ? &scene->a : &scene->b;
    const char *trouble = body->linear ? "linear bodies have only a first contact here: brink check"
                          : body->triangleCount == 0 && body->splineCount == 0
                              ? "a hull without simps; give its triangles"
                          : body->linkCount - shared > MOST_LINKS ? "too many links"
                                                                  : NULL;
    if (trouble != NULL) {
      fprintf(stderr, "brink: %s: %s\n", c->name, trouble);
      return false;
    }
    motions[k].count = 0;
    for (size_t i = shared; i < body->linkCount; ++i)
      addLinkFactors(&motions[k], i - shared, body->links[i].value, c->duration);
    *(k == 0 ? &scene->motionA : &scene->motionB) = (brinkInverseMotionDef){
        .structSize = sizeof(brinkInverseMotionDef), .factors = motions[k].factors, .factorCount = motions[k].count};
    def->structSize = sizeof *def;
    def->kind = brink_inverseMesh;
    def->mesh = (brinkMeshView){.structSize = sizeof def->mesh,
                                .flags = body->solid || body->convex ? BRINK_MESH_SOLID : 0u,
                                .vertices = body->vertices,
                                .vertexCount = body->vertexCount,
                                .indices = body->triangles,
                                .triangleCount = body->triangleCount};
    if (body->splineCount > 0) {
      def->kind = brink_inverseSplines;
      def->splines = splines[k] = makeSplines(body);
      def->splineCount = body->splineCount;
      if (splines[k] == NULL) return false;
    }
  }
  return true;
}

static const char *stateOf(const brinkInverseInterval *one) {
  return (one->flags & BRINK_INVERSE_CROSSING) != 0u ? "crossing"
         : (one->flags & BRINK_INVERSE_NEAR) != 0u   ? "near"
         : (one->flags & BRINK_INVERSE_PROVEN) == 0u ? "open"
         : one->openInside > 0u                      ? "gapped"
                                                     : "proven";
}

static void printIntervals(const brinkInverseIntervals *answer, double duration) {
  for (size_t i = 0; i < answer->count; ++i) {
    const brinkInverseInterval *one = &answer->intervals[i];
    printf("  %.17g:%.17g %.17g:%.17g %s", one->startLower * duration, one->startUpper * duration,
           one->endLower * duration, one->endUpper * duration, stateOf(one));
  }
}

/* A row an interval; a case without one has a row of its own, `free`, or `open` where that is not proven. */
static const brinkColumn columns[] = {{"name", NULL, -16},       {"interval", NULL, 8},    {"state", NULL, -8},
                                      {"start_lower", "s", 14},  {"start_upper", "s", 14}, {"end_lower", "s", 12},
                                      {"end_upper", "s", 12},    {"open_total", "s", 13},  {"cells", NULL, 8},
                                      {"microseconds", NULL, 12}};

static void printRows(brinkRows *rows, const char *name, const brinkInverseIntervals *answer, double duration,
                      double microseconds) {
  for (size_t i = 0; i < answer->count || i == 0; ++i) {
    const brinkInverseInterval *one = answer->count > 0 ? &answer->intervals[i] : NULL;
    brinkRows_Text(rows, name);
    if (one != NULL)
      brinkRows_Count(rows, i);
    else
      brinkRows_Missing(rows);
    brinkRows_State(rows, one != NULL ? stateOf(one) : answer->openTotal > 0.0 ? "open" : "free");
    brinkRows_Number(rows, one != NULL ? one->startLower * duration : (double)NAN);
    brinkRows_Number(rows, one != NULL ? one->startUpper * duration : (double)NAN);
    brinkRows_Number(rows, one != NULL ? one->endLower * duration : (double)NAN);
    brinkRows_Number(rows, one != NULL ? one->endUpper * duration : (double)NAN);
    brinkRows_Number(rows, answer->openTotal * duration);
    brinkRows_Count(rows, answer->cells);
    brinkRows_Number(rows, microseconds);
    brinkRows_End(rows);
  }
}

static bool answerCase(void *user, const ccdCase *c) { /* brinkCaseAnswer */
  brinkAsking *self = user;
  const brinkPlugin *api = self->api;
  const brinkInverseTable *table = self->table;
  brinkRows *rows = &self->rows;
  linkMotion *motions = calloc(2, sizeof *motions);
  brinkInverseSceneDef scene;
  brinkInverseIntervals answer = {.structSize = sizeof answer};
  brinkWorld *world = NULL;
  brinkInverseSpline *splines[2] = {NULL, NULL};
  bool good = motions != NULL && makeCaseScene(c, motions, splines, &scene);
  if (good) {
    const brinkInverseQuery query = makeQuery(self->options);
    brinkStatus status = api->createWorld(NULL, NULL, &world);
    double start = brinkSeconds();
    if (status == brink_ok) status = table->contactIntervals(world, &scene, &query, &answer);
    double microseconds = 1e6 * (brinkSeconds() - start);
    good = status == brink_ok;
    fflush(stdout);
    if (!good)
      fprintf(stderr, "brink: %s: %s\n", c->name, world != NULL ? api->lastError(world) : api->statusText(status));
    if (good && !brinkRows_AreWords(rows)) {
      printRows(rows, c->name, &answer, c->duration, microseconds);
    } else if (good) {
      printf("%s %zu %.3g %llu %.2f", c->name, answer.count, answer.openTotal * c->duration,
             (unsigned long long)answer.cells, microseconds);
      printIntervals(&answer, c->duration);
      putchar('\n');
    }
  }
  api->destroyWorld(world);
  for (int k = 0; k < 2; ++k) free(splines[k]);
  free(motions);
  return good;
}

/* ---- examples */

typedef struct exampleScene {
  brinkInverseSceneDef scene;
  brinkInverseFactorDef keys;
  brinkInversePatch *patches[2];
} exampleScene;

static bool makeExampleScene(const brinkMotionExample *example, exampleScene *out) {
  memset(out, 0, sizeof *out);
  out->scene.structSize = sizeof out->scene;
  for (int k = 0; k < 2; ++k) {
    brinkInverseBodyDef *def = k == 0 ? &out->scene.a : &out->scene.b;
    def->structSize = sizeof *def;
    def->kind = example->patchCount[k] > 0 ? brink_inversePatches : brink_inverseMesh;
    def->mesh = brinkViewMesh(&example->mesh[k], example->flags[k]);
    if (example->patchCount[k] == 0) continue;
    out->patches[k] = calloc(example->patchCount[k], sizeof *out->patches[k]);
    if (out->patches[k] == NULL) return false;
    for (size_t i = 0; i < example->patchCount[k]; ++i)
      out->patches[k][i] = (brinkInversePatch){4, 4, example->patches[k] + 64 * i};
    def->patches = out->patches[k];
    def->patchCount = example->patchCount[k];
    def->patchError = example->patchError;
  }
  out->keys = (brinkInverseFactorDef){.structSize = sizeof out->keys,
                                      .kind = brink_inverseKeys,
                                      .blend = brink_inversePolar,
                                      .matrices = example->keys,
                                      .times = example->times,
                                      .count = example->keyCount};
  out->scene.motionA.structSize = sizeof out->scene.motionA;
  out->scene.motionB =
      (brinkInverseMotionDef){.structSize = sizeof out->scene.motionB, .factors = &out->keys, .factorCount = 1};
  return true;
}

/* Writes DIR/NAME-BODY.ply and .glb. */
static bool writeSubset(const char *directory, const char *name, const char *body, const brinkInverseSubset *subset) {
  char path[1024], message[512] = "no memory";
  double *faceTimes = malloc(2 * (subset->triangleCount + 1) * sizeof(double));
  double *points = malloc(3 * (subset->pointCount + 1) * sizeof(double)),
         *pointTimes = malloc(2 * (subset->pointCount + 1) * sizeof(double));
  bool good = faceTimes != NULL && points != NULL && pointTimes != NULL;
  if (good) {
    for (size_t i = 0; i < subset->triangleCount; ++i) {
      faceTimes[2 * i] = 2.0;
      faceTimes[2 * i + 1] = -1.0;
    }
    for (size_t i = 0; i < subset->faceCount; ++i) {
      faceTimes[2 * subset->faces[i].triangle] = subset->faces[i].entryUpper;
      faceTimes[2 * subset->faces[i].triangle + 1] = subset->faces[i].exitLower;
    }
    for (size_t i = 0; i < subset->pointCount; ++i) {
      const brinkInversePoint *p = &subset->points[i];
      points[3 * i] = p->position.x;
      points[3 * i + 1] = p->position.y;
      points[3 * i + 2] = p->position.z;
      pointTimes[2 * i] = p->entry;
      pointTimes[2 * i + 1] = p->exit;
    }
    const brinkColoredSubset colored = {
        subset->vertices, subset->vertexCount, subset->triangles, subset->triangleCount, faceTimes,
        points,           pointTimes,          subset->pointCount};
    static const char *const endings[2] = {"ply", "glb"};
    for (int k = 0; good && k < 2; ++k) {
      snprintf(path, sizeof path, "%s/%s-%s.%s", directory, name, body, endings[k]);
      good = (k == 0 ? brinkWriteSubsetPly : brinkWriteSubsetGlb)(path, &colored, message, sizeof message) == brink_ok;
      if (good) printf("  wrote %s\n", path);
    }
  }
  if (!good) fprintf(stderr, "brink: %s\n", message);
  free(faceTimes);
  free(points);
  free(pointTimes);
  return good;
}

/* The triangulated patches as they are: ends to the tolerance; before that, the patches themselves, their error counted
 * in. */
static bool answerWhole(const brinkPlugin *api, const brinkInverseTable *table, brinkWorld *world,
                        const exampleScene *made, const brinkMotionExample *example, const interferenceOptions *options,
                        uint32_t flags) {
  brinkInverseIntervals answer = {.structSize = sizeof answer};
  brinkInverseQuery query = makeQuery(options);
  query.flags = flags;
  double start = brinkSeconds();
  brinkStatus status = table->contactIntervals(world, &made->scene, &query, &answer);
  double seconds = brinkSeconds() - start;
  if (status != brink_ok) {
    fprintf(stderr, "brink: %s: %s\n", example->name, api->lastError(world));
    return false;
  }
  printf("  %zu contact intervals", answer.count);
  if (answer.error > 0.0 && flags != 0u)
    printf(" of triangulations that are within %.3g m of the patches", answer.error);
  else if (answer.error > 0.0)
    printf(" of the patches themselves");
  printf(", %llu cells, %.3f s:", (unsigned long long)answer.cells, seconds);
  printIntervals(&answer, 1.0);
  putchar('\n');
  fflush(stdout);
  return true;
}

/* What one more question of a subset needs. */
typedef struct subsetQuestion {
  const brinkPlugin *api;
  const brinkInverseTable *table;
  brinkWorld *world;
  const exampleScene *made;
  const brinkMotionExample *example;
  const interferenceOptions *options;
  brinkInverseQuery query;
  bool swap;
} subsetQuestion;

/* DIR/NAME-BODY-KIND.obj */
static void nameObj(const subsetQuestion *ask, const char *kind, char path[1024]) {
  snprintf(path, 1024, "%s/%s-%s-%s.obj", ask->options->output, ask->example->name, ask->swap ? "a" : "b", kind);
}

static bool sayWritten(brinkStatus status, const char *path, const char *message) {
  if (status == brink_ok)
    printf("  wrote %s\n", path);
  else
    fprintf(stderr, "brink: %s\n", message);
  return status == brink_ok;
}

static bool answerSolid(const subsetQuestion *ask) {
  brinkInverseSolid solid = {.structSize = sizeof solid};
  if ((ask->example->flags[ask->swap ? 0 : 1] & BRINK_MESH_SOLID) == 0u) {
    printf("    an open surface: no solid\n");
    return true;
  }
  const double start = brinkSeconds();
  if (ask->table->interferingSolid(ask->world, &ask->made->scene, &ask->query, &solid) != brink_ok) {
    fprintf(stderr, "brink: %s: %s\n", ask->example->name, ask->api->lastError(ask->world));
    return false;
  }
  printf("    as a solid: %.4g m3 in %zu tetrahedra between %zu points: %.3f s\n", solid.volume, solid.tetrahedronCount,
         solid.pointCount, brinkSeconds() - start);
  if (ask->options->output == NULL || solid.faceCount == 0) return true;
  char path[1024], message[512];
  const brinkMesh surface = {.vertices = (double *)solid.points,
                             .vertexCount = solid.pointCount,
                             .indices = (uint32_t *)solid.faces,
                             .triangleCount = solid.faceCount}; /* only read */
  nameObj(ask, "solid", path);
  return sayWritten(brinkWriteObj(path, &surface, message, sizeof message), path, message);
}

static bool answerPaths(const subsetQuestion *ask) {
  brinkInversePaths paths = {.structSize = sizeof paths};
  const double start = brinkSeconds();
  if (ask->table->innerPaths(ask->world, &ask->made->scene, &ask->query, 0.0, &paths) != brink_ok) {
    fprintf(stderr, "brink: %s: %s\n", ask->example->name, ask->api->lastError(ask->world));
    return false;
  }
  printf("    %zu paths within body %s, of %zu vertices, within %.3g m of the motion: %.3f s\n", paths.pathCount,
         ask->swap ? "B" : "A", paths.vertexCount, paths.deviation, brinkSeconds() - start);
  if (ask->options->output == NULL) return true;
  double *vertices = malloc((3 * paths.vertexCount + 1) * sizeof *vertices);
  size_t *starts = malloc((paths.pathCount + 1) * sizeof *starts);
  bool good = vertices != NULL && starts != NULL;
  if (!good) fprintf(stderr, "brink: no memory\n");
  for (size_t i = 0; good && i < paths.vertexCount; ++i) {
    const brinkVec3 *p = &paths.vertices[i].position;
    memcpy(vertices + 3 * i, (const double[3]){p->x, p->y, p->z}, 3 * sizeof(double));
  }
  for (size_t i = 0; good && i < paths.pathCount; ++i) starts[i] = paths.paths[i].firstVertex;
  if (good) starts[paths.pathCount] = paths.vertexCount;
  if (good) {
    char path[1024], message[512];
    nameObj(ask, "paths", path);
    good =
        sayWritten(brinkWriteLinesObj(path, vertices, starts, paths.pathCount, message, sizeof message), path, message);
  }
  free(vertices);
  free(starts);
  return good;
}

static bool answerSubset(const brinkPlugin *api, const brinkInverseTable *table, brinkWorld *world,
                         const exampleScene *made, const brinkMotionExample *example,
                         const interferenceOptions *options, bool swap) {
  brinkInverseSubset subset = {.structSize = sizeof subset};
  brinkInverseQuery query = makeQuery(options);
  query.flags = (swap ? BRINK_INVERSE_SWAP : BRINK_INVERSE_SAMPLE_B) | BRINK_INVERSE_TRIANGLES |
                (options->adaptive ? BRINK_INVERSE_ADAPTIVE : 0u);
  if (!(query.spacing > 0.0)) query.spacing = example->spacing;
  query.insidePitch = (example->flags[swap ? 0 : 1] & BRINK_MESH_SOLID) != 0u ? example->insidePitch : 0.0;
  double start = brinkSeconds();
  brinkStatus status = table->interference(world, &made->scene, &query, &subset);
  double seconds = brinkSeconds() - start;
  if (status != brink_ok) {
    fprintf(stderr, "brink: %s: %s\n", example->name, api->lastError(world));
    return false;
  }
  printf(
      "  body %s: %zu of %zu points and %zu of %zu faces interfere (every boundary point within %.3g m of a sample): "
      "%.3f s\n",
      swap ? "A" : "B", subset.pointCount, subset.asked, subset.faceCount, subset.triangleCount, subset.spacing,
      seconds);
  if (options->adaptive)
    printf("    %zu pieces of %zu looked at and %zu samples, %llu pieces of paths; samples everywhere: about %zu\n",
           subset.pieceCount, subset.piecesAsked, subset.asked, (unsigned long long)subset.pathCells,
           subset.everywhere);
  else
    printf("    %llu pieces of paths\n", (unsigned long long)subset.pathCells);
  if (options->output != NULL && !writeSubset(options->output, example->name, swap ? "a" : "b", &subset)) return false;
  query.flags &= ~BRINK_INVERSE_ADAPTIVE;
  const subsetQuestion more = {api, table, world, made, example, options, query, swap};
  return (!options->solids || answerSolid(&more)) && (!options->paths || answerPaths(&more));
}

static bool answerExample(const brinkPlugin *api, const brinkInverseTable *table, const char *name,
                          const interferenceOptions *options) {
  char message[512];
  brinkMotionExample example;
  exampleScene made;
  brinkWorld *world = NULL;
  if (brinkMakeMotionExample(name, &example, message, sizeof message) != brink_ok) {
    fprintf(stderr, "brink: %s\n", message);
    return false;
  }
  bool good = makeExampleScene(&example, &made) && api->createWorld(NULL, NULL, &world) == brink_ok;
  if (good) printf("%s: %s\n", name, example.title);
  good = good && answerWhole(api, table, world, &made, &example, options, 0u);
  if (good && example.patchCount[0] > 0)
    good = answerWhole(api, table, world, &made, &example, options, BRINK_INVERSE_TRIANGLES);
  for (int swap = 0; good && swap < 2; ++swap)
    good = answerSubset(api, table, world, &made, &example, options, swap != 0);
  api->destroyWorld(world);
  for (int k = 0; k < 2; ++k) free(made.patches[k]);
  brinkFreeMotionExample(&example);
  return good;
}

static int answerExamples(const brinkPlugin *api, const brinkInverseTable *table, const interferenceOptions *options) {
  if (options->output != NULL && mkdir(options->output, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "brink: %s: %s\n", options->output, strerror(errno));
    return BRINK_EXIT_FAILURE;
  }
  bool all = strcmp(options->example, "all") == 0;
  int status = BRINK_EXIT_OK;
  for (int i = 0; all ? brinkMotionExampleName(i) != NULL : i < 1; ++i) {
    if (!answerExample(api, table, all ? brinkMotionExampleName(i) : options->example, options))
      status = BRINK_EXIT_FAILURE;
    fflush(stdout);
  }
  return status;
}

/* ---- options */

static const brinkOption optionRows[] = {
    BRINK_TEXT("example", "NAME", interferenceOptions, example,
               "Work an example: cubes, parts, scans, cylinder, or all"),
    BRINK_OUTPUT_PATH("DIR", interferenceOptions, output,
                      "Examples: write the interfering subsets there, NAME-a and NAME-b as .ply and .glb, coloured by "
                      "time of entry"),
    BRINK_LENGTH("time-tolerance", "E", interferenceOptions, timeTolerance,
                 "How short the bracket of an interval's end shall be, of the motion [1e-9]"),
    BRINK_LENGTH("spacing", "D", interferenceOptions, spacing,
                 "Examples: every boundary point within D m of a sample [the example's]"),
    BRINK_FLAG("adaptive", interferenceOptions, adaptive,
               "Examples: samples only where they are needed, the rest proven piece by piece"),
    BRINK_FLAG("solids", interferenceOptions, solids,
               "Examples: each subset as tetrahedra, too; with --output: NAME-a-solid.obj and NAME-b-solid.obj"),
    BRINK_FLAG("paths", interferenceOptions, paths,
               "Examples: the parts of the samples' paths within the other body; with --output: NAME-a-paths.obj ..."),
    BRINK_WHOLE("threads", brink_setInt, 1, MOST_THREADS, interferenceOptions, threads,
                "Threads; the answers do not depend on it [1]"),
    BRINK_FORMS(interferenceOptions),
    BRINK_FILES(interferenceOptions, NULL),
    {0}};

static error_t judgeOptions(int key, char *argument, struct argp_state *state) {
  const interferenceOptions *options = state->input;
  (void)argument;
  if (key != ARGP_KEY_END) return ARGP_ERR_UNKNOWN;
  if (options->files.count == 0 && options->example == NULL) argp_error(state, "neither a case file nor --example");
  char names[128] = "all";
  bool known = options->example == NULL || strcmp(options->example, "all") == 0;
  for (int i = 0; brinkMotionExampleName(i) != NULL; ++i) {
    known = known || strcmp(options->example, brinkMotionExampleName(i)) == 0;
    snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", brinkMotionExampleName(i));
  }
  if (!known) argp_error(state, "--example: '%s' is not one of %s", options->example, names);
  if (options->output != NULL && options->example == NULL)
    argp_error(state, "--output: only examples have subsets to write");
  if (options->example != NULL && options->form != brink_formAuto)
    argp_error(state, "--example: its answers are sentences; --csv and --json are for case files");
  return 0;
}

static int run(void *user) {
  const interferenceOptions *options = user;
  const brinkPlugin *api = brinkApi();
  const brinkInverseTable *table = brinkNeedExtension(BRINK_INVERSE_PATH_NAME);
  int status = options->example != NULL ? answerExamples(api, table, options) : BRINK_EXIT_OK;
  brinkAsking self = {api, table, options,
                      brinkRows_Open(options->form, "row", columns, sizeof columns / sizeof columns[0])};
  int one = brinkCase_AnswerFiles(&options->files, answerCase, &self);
  if (one > status) status = one;
  brinkRows_Close(&self.rows);
  return status;
}

const brinkCommand brinkInterferenceCommand = {
    .options = optionRows,
    .arguments = "FILE...\n--example NAME",
    .documentation =
        "All contacts of two moving bodies, not only the first, and which parts of them meet.\v"
        "One line per case, in order:  NAME intervals open cells microseconds, then for each interval  START:START "
        "END:END "
        "STATE\n"
        "Times in s. An interval begins between its two STARTs and ends between its two ENDs, proven; STATE near: "
        "proven to stay within rounding of touching (sliding), contact not proven; crossing: met at an instant in "
        "between, "
        "proven; open: it is not known whether there is contact; gapped: proven but for gaps as short as the "
        "tolerance. "
        "'open' is the time that is not settled. FILE - is standard input.\n"
        "In place of 'verts ... simps ...' a body may be rational B-spline surfaces: 'splines N', and for each of them "
        "degree "
        "and control points along u, the same along v, the knots along u, those along v, and the control points x y z "
        "weight, "
        "v running fastest. 'solid': they close.\n\n"
        "Examples:\n"
        "  brink interference cases/robot.ccd\n"
        "  brink interference --example all --threads 2 --output subsets\n"
        "  brink interference --example cylinder --solids --paths -o subsets\n\n"
        "Exit status: 0 every case answered, 1 a case was refused or a file not read or written, 2 a malformed "
        "file or usage.",
    .own = judgeOptions,
    .size = sizeof(interferenceOptions),
    .defaults = &(const interferenceOptions){.threads = 1},
    .run = run};
