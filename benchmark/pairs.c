/* SPDX-License-Identifier: BSD-3-Clause */
/* Two convex bodies, one question, in passes over all pairs of a case file: see pairs.h. Cases whose bodies are not
 * convex or not on one link are left out, and counted. Units: m, rad; the library's step is [0,T]. */
#include "pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gjk.h"
#include "make_shape.h"
#include "measure.h"

typedef struct Side {
  double link[13]; /* T(3) q(4) v(3) w(3) */
  double *vertices;
  size_t vertexCount;
  brinkBodyId body;
  brinkBodyMotion motion;
  brinkShape *shape; /* for GJK alone */
  brinkRigid pose;
} Side;

typedef struct Pair {
  double duration;
  Side side[2];
  brinkWorld *world;
  brinkGjkCache cache;
  uint32_t state;
  double toi;
} Pair;

typedef struct PairSet {
  Pair *pairs;
  size_t count, leftOut;
} PairSet;

/* ---- reading: see docs/formats.md; what is told of a fault is where it stands */

static bool Expect(FILE *file, const char *word) {
  char got[128];
  return fscanf(file, "%127s", got) == 1 && strcmp(got, word) == 0;
}

static bool ReadNumbers(FILE *file, double *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (fscanf(file, "%lf", &out[i]) != 1) return false;
  return true;
}

/* After the word `body`. *serves: convex, on one link of its own. */
static bool ReadSide(FILE *file, Side *side, bool *serves) {
  char word[128];
  bool convex = false;
  size_t count;
  while (fscanf(file, "%127s", word) == 1 && strcmp(word, "chain") != 0) convex = convex || strcmp(word, "convex") == 0;
  if (fscanf(file, "%zu", &count) != 1) return false;
  *serves = *serves && convex && count == 1;
  for (size_t i = 0; i < count; ++i)
    if (!ReadNumbers(file, side->link, 13)) return false;
  if (!Expect(file, "verts") || fscanf(file, "%zu", &side->vertexCount) != 1 || side->vertexCount > 1000000)
    return false;
  side->vertices = calloc(3 * side->vertexCount + 1, sizeof *side->vertices);
  if (side->vertices == NULL || !ReadNumbers(file, side->vertices, 3 * side->vertexCount)) return false;
  if (!Expect(file, "simps") || fscanf(file, "%zu", &count) != 1) return false;
  for (size_t i = 0; i < count; ++i) {
    double size, indices[3];
    if (!ReadNumbers(file, &size, 1) || !(size >= 1 && size <= 3) || !ReadNumbers(file, indices, (size_t)size))
      return false;
  }
  return true;
}

static bool ReadPair(FILE *file, Pair *pair, bool *serves) {
  char word[128];
  size_t bodies = 0, count;
  double number;
  pair->duration = 1;
  *serves = true;
  while (fscanf(file, "%127s", word) == 1) {
    bool good = true;
    if (strcmp(word, "end") == 0) return bodies == 2;
    if (strcmp(word, "name") == 0 || strcmp(word, "class") == 0 || strcmp(word, "ccd") == 0)
      good = fscanf(file, "%127s", word) == 1;
    else if (strcmp(word, "T") == 0)
      good = ReadNumbers(file, &pair->duration, 1);
    else if (strcmp(word, "eps") == 0) {
      good = fscanf(file, "%zu", &count) == 1;
      for (size_t i = 0; good && i < count; ++i) good = ReadNumbers(file, &number, 1);
    } else {
      good = strcmp(word, "body") == 0 && bodies < 2 && ReadSide(file, &pair->side[bodies++], serves);
    }
    if (!good) return false;
  }
  return false;
}

static bool ReadSet(const char *path, PairSet *set) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    perror(path);
    return false;
  }
  bool good = true;
  char word[8];
  while (good && fscanf(file, "%7s", word) == 1) { /* the `ccd` of the next one */
    Pair *grown = realloc(set->pairs, (set->count + 1) * sizeof *grown);
    good = grown != NULL && strcmp(word, "ccd") == 0 && Expect(file, "1");
    if (grown != NULL) set->pairs = grown;
    if (!good) break;
    Pair *pair = &set->pairs[set->count];
    bool serves;
    memset(pair, 0, sizeof *pair);
    good = ReadPair(file, pair, &serves);
    set->count += good && serves;
    set->leftOut += good && !serves;
  }
  if (!good)
    fprintf(stderr, "brink-bench: %s: after %zu cases: not a case of two bodies on chains\n", path,
            set->count + set->leftOut);
  fclose(file);
  if (good && set->count == 0) fprintf(stderr, "brink-bench: %s: no pair of convex bodies on one link each\n", path);
  return good && set->count > 0;
}

/* ---- worlds and shapes */

static brinkStatus MakeSide(const brinkPlugin *brink, Pair *pair, Side *side) {
  const double *v = side->link, t = pair->duration;
  side->motion = (brinkBodyMotion){.structSize = sizeof side->motion,
                                   .kind = brink_motionVelocities,
                                   .pose0 = {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}},
                                   .velocity = {t * v[7], t * v[8], t * v[9]},
                                   .spin = {t * v[10], t * v[11], t * v[12]}};
  const brinkBodyDef bodyDef = {.structSize = sizeof bodyDef, .pose = side->motion.pose0};
  brinkShapeDef shapeDef = {.structSize = sizeof shapeDef, .type = brink_hull};
  shapeDef.mesh = (brinkMeshView){.structSize = sizeof shapeDef.mesh,
                                  .flags = BRINK_MESH_CONVEX,
                                  .vertices = side->vertices,
                                  .vertexCount = side->vertexCount};
  brinkShapeId shape = 0;
  brinkColliderId collider;
  brinkStatus status = brink->createBody(pair->world, &bodyDef, &side->body);
  if (status == brink_ok) status = brink->createShape(pair->world, &shapeDef, &shape);
  const brinkColliderDef colliderDef = {.structSize = sizeof colliderDef,
                                        .body = side->body,
                                        .shape = shape,
                                        .pose = {{0, 0, 0}, {1, 0, 0, 0}},
                                        .categoryBits = 1,
                                        .collideBits = 1};
  if (status == brink_ok) status = brink->createCollider(pair->world, &colliderDef, &collider);
  return status;
}

static bool MakeAlone(brinkContext *context, Pair *pair) {
  for (int k = 0; k < 2; ++k) {
    Side *side = &pair->side[k];
    const brinkMeshView view = {.structSize = sizeof view,
                                .flags = BRINK_MESH_CONVEX,
                                .vertices = side->vertices,
                                .vertexCount = side->vertexCount};
    const brinkShapeSpec spec = {.type = brink_shapeHull, .mesh = &view};
    if (brinkCreateShape(context, &spec, &side->shape) != brink_ok) return false;
    side->pose = brinkRigid_FromPose(side->motion.pose0);
  }
  pair->side[1].pose.p = brinkSub(pair->side[1].pose.p, pair->side[0].pose.p); /* recentred on the pair */
  pair->side[0].pose.p = brinkV3(0, 0, 0);
  return true;
}

/* ---- asking */

static brinkStatus AskPair(const brinkPlugin *brink, Pair *pair, const brinkQuery *query, uint64_t *distances) {
  brinkReport report = {.structSize = sizeof report, .counters.structSize = sizeof report.counters};
  brinkStatus status = brink->setBodyMotion(pair->world, pair->side[0].body, &pair->side[0].motion);
  if (status == brink_ok) status = brink->setBodyMotion(pair->world, pair->side[1].body, &pair->side[1].motion);
  if (status == brink_ok) status = brink->firstContact(pair->world, query, &report);
  pair->state = report.state;
  pair->toi = report.toi;
  *distances = report.counters.distanceQueries;
  return status;
}

typedef struct Times {
  double all, hit, free, worst, distances; /* us */
  size_t hits, undecided;
} Times;

static bool AskAll(const brinkPlugin *brink, const PairSet *set, double tolerance, int repeats, bool hot, Times *out) {
  const brinkQuery query = {.structSize = sizeof query, .mode = brink_modeFirst, .tEnd = 1, .tolerance = tolerance};
  double *best = calloc(set->count, sizeof *best);
  if (best == NULL) return false;
  for (int pass = -1; pass < (hot ? 0 : repeats); ++pass)
    for (size_t i = 0; i < set->count; ++i)
      for (int repeat = 0; repeat < (hot ? repeats + 1 : 1); ++repeat) {
        uint64_t distances = 0;
        const double start = bench_Now();
        if (AskPair(brink, &set->pairs[i], &query, &distances) != brink_ok) {
          fprintf(stderr, "brink-bench: pair %zu: %s\n", i, brink->lastError(set->pairs[i].world));
          free(best);
          return false;
        }
        const double taken = 1e3 * (bench_Now() - start);
        const bool first = pass + repeat <= 0; /* the very first one builds what is kept */
        best[i] = first ? taken : fmin(best[i], taken);
        if (pass + repeat < 0) out->distances += (double)distances / (double)set->count;
      }
  for (size_t i = 0; i < set->count; ++i) {
    const bool hit = set->pairs[i].state == brink_hit || set->pairs[i].state == brink_overlap;
    out->all += best[i] / (double)set->count;
    *(hit ? &out->hit : &out->free) += best[i];
    out->hits += hit;
    out->undecided += set->pairs[i].state == brink_unresolved;
    out->worst = fmax(out->worst, best[i]);
  }
  if (out->hits > 0) out->hit /= (double)out->hits;
  if (out->hits < set->count) out->free /= (double)(set->count - out->hits);
  free(best);
  return true;
}

/* ns a distance to 1e-10 of itself: all pairs of a pass at once, the clock is too coarse for one. */
static void TimeGjk(const PairSet *set, int repeats, bool warm, double *best, double *iterations) {
  const brinkGjkLimits limits = {.relative = 1e-10, .enoughLower = INFINITY, .enoughUpper = -1};
  *best = INFINITY;
  for (int pass = -1; pass < repeats; ++pass) {
    uint64_t steps = 0;
    const double start = bench_Now();
    for (size_t i = 0; i < set->count; ++i) {
      Pair *pair = &set->pairs[i];
      const brinkGjkCache cold = {0};
      brinkSeparation separation;
      brinkGjk(&pair->side[0].shape->piece, &pair->side[0].pose, &pair->side[1].shape->piece, &pair->side[1].pose,
               &limits, warm ? &pair->cache : &cold, &separation);
      pair->cache = separation.simplex;
      steps += separation.iterations;
    }
    const double taken = 1e6 * (bench_Now() - start) / (double)set->count;
    if (pass >= 0) *best = fmin(*best, taken);
    *iterations = (double)steps / (double)set->count;
  }
}

int pairs_Run(const char *path, double tolerance, int repeats, bool hot) {
  const brinkPlugin *brink = brinkEntry(BRINK_ABI_MAJOR, NULL);
  brinkContext context;
  brinkInitContext(&context);
  PairSet set = {0};
  bool good = ReadSet(path, &set);
  size_t vertices = 0;
  for (size_t i = 0; good && i < set.count; ++i) {
    Pair *pair = &set.pairs[i];
    brinkStatus status = brink->createWorld(NULL, NULL, &pair->world);
    for (int k = 0; k < 2 && status == brink_ok; ++k) {
      status = MakeSide(brink, pair, &pair->side[k]);
      vertices += pair->side[k].vertexCount;
    }
    good = status == brink_ok && MakeAlone(&context, pair);
    if (!good) fprintf(stderr, "brink-bench: pair %zu could not be made\n", i);
  }
  Times times = {0};
  good = good && AskAll(brink, &set, tolerance, repeats, hot, &times);
  if (good) {
    printf("%s: %zu pairs of %.0f vertices on average (%zu cases left out), eps %g m, %s\n", path, set.count,
           (double)vertices / (double)(2 * set.count), set.leftOut, tolerance,
           hot ? "HOT: each pair asked many times in a row" : "in passes over all pairs");
    printf(
        "first contact, motions handed over: %.3f us a pair (hit %.3f, free %.3f, worst %.2f), %zu hits, %zu "
        "undecided, %.2f distances\n",
        times.all, times.hit, times.free, times.worst, times.hits, times.undecided, times.distances);
    for (int warm = 0; warm < 2; ++warm) {
      double best, iterations = 0;
      TimeGjk(&set, repeats, warm == 1, &best, &iterations);
      printf("GJK at the start, %s: %.0f ns, %.2f iterations\n", warm ? "warm" : "cold", best, iterations);
    }
  }
  for (size_t i = 0; i < set.count; ++i) {
    if (set.pairs[i].world != NULL) brink->destroyWorld(set.pairs[i].world);
    for (int k = 0; k < 2; ++k) {
      if (set.pairs[i].side[k].shape != NULL) brinkDestroyShape(&context, set.pairs[i].side[k].shape);
      free(set.pairs[i].side[k].vertices);
    }
  }
  free(set.pairs);
  return good ? 0 : 1;
}
