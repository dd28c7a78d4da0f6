/* SPDX-License-Identifier: BSD-3-Clause */
/* Two convex bodies, one question, in passes over all pairs of a case file: see pairs.h. Cases whose bodies are not
 * convex or not on one link are left out, and counted. Units: m, rad; the library's step is [0,T]. */
#include "pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convex.h"
#include "gjk.h"
#include "make_shape.h"
#include "measure.h"
#include "peer.h"
#include "peer_fcl.h"

typedef struct Side {
  double link[13]; /* T(3) q(4) v(3) w(3) */
  double *vertices;
  size_t vertexCount;
  brinkBodyId body;
  brinkBodyMotion motion;
  brinkShape *shape; /* for GJK alone */
  brinkRigid pose;
  peerFclModel *model; /* the peer's: its faces in a tree, and as one hull */
  peerFclHull *hull;
} Side;

typedef enum Party { BRINK, FCL_HULLS, FCL_FACES, PARTIES } Party; /* who is asked */

typedef struct Answer {
  uint32_t state;
  double toi;
} Answer;

typedef struct Pair {
  double duration;
  Side side[2];
  brinkWorld *world;
  brinkGjkCache cache;
  Answer answers[PARTIES];
  double distance, peerDistance; /* at the start */
} Pair;

typedef struct PairSet {
  Pair *pairs;
  size_t count, leftOut;
  const brinkPlugin *brink;
  double tolerance;
  bool peer;
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

/* ---- the peer */

#ifdef BRINK_BENCH_HAS_FCL
/* False when the peer has no room; bodies without faces (flat ones) have an empty tree, and are told as failures. */
static bool MakePeer(brinkContext *context, Side *side) {
  brinkConvexHull hull;
  double *points = calloc(3 * side->vertexCount, sizeof *points);
  if (points == NULL || brinkMakeConvexHull(context, side->vertices, (uint32_t)side->vertexCount, &hull) != brink_ok) {
    free(points);
    return false;
  }
  for (uint32_t i = 0; i < hull.vertexCount; ++i)
    memcpy(&points[3 * i], &side->vertices[3 * (size_t)hull.vertices[i]], 3 * sizeof *points);
  if (hull.faceCount > 0) {
    side->model = peerFcl_MakeModel(points, hull.vertexCount, hull.faces, hull.faceCount);
    side->hull = peerFcl_MakeHull(points, hull.vertexCount, hull.faces, hull.faceCount);
  }
  if (side->hull != NULL) peerFcl_PlaceHull(side->hull, &(brinkPose){side->pose.p, side->motion.pose0.rotation});
  brinkFreeConvexHull(context, &hull);
  free(points);
  return side->model != NULL && side->hull != NULL;
}

static void FreePeer(Side *side) {
  if (side->model != NULL) peerFcl_FreeModel(side->model);
  if (side->hull != NULL) peerFcl_FreeHull(side->hull);
}

static bool AskPeer(const PairSet *set, Pair *pair, Party party, uint64_t *distances) {
  const brinkBodyMotion *a = &pair->side[0].motion, *b = &pair->side[1].motion;
  const peerFclSpin spins[2] = {{a->pose0, a->velocity, a->spin}, {b->pose0, b->velocity, b->spin}};
  long steps = 0;
  double toi = BRINK_NO_TIME;
  const int hit = party == FCL_HULLS ? peerFcl_FirstContactOfHulls(pair->side[0].hull, &spins[0], pair->side[1].hull,
                                                                   &spins[1], set->tolerance, &toi, &steps)
                                     : peerFcl_FirstContactOfSpins(pair->side[0].model, &spins[0], pair->side[1].model,
                                                                   &spins[1], set->tolerance, &toi, &steps);
  pair->answers[party] = (Answer){hit > 0 ? brink_hit : brink_free, toi};
  *distances = (uint64_t)steps;
  return hit >= 0;
}

static double AskPeerDistance(const Pair *pair) { return peerFcl_Distance(pair->side[0].hull, pair->side[1].hull); }
#else
static bool MakePeer(brinkContext *context, Side *side) { return (void)context, (void)side, false; }
static void FreePeer(Side *side) { (void)side; }
static bool AskPeer(const PairSet *set, Pair *pair, Party party, uint64_t *distances) {
  return (void)set, (void)pair, (void)party, (void)distances, false;
}
static double AskPeerDistance(const Pair *pair) { return (void)pair, -1; }
#endif

/* ---- asking */

static bool AskBrink(const PairSet *set, Pair *pair, uint64_t *distances) {
  const brinkPlugin *brink = set->brink;
  const brinkQuery query = {
      .structSize = sizeof query, .mode = brink_modeFirst, .tEnd = 1, .tolerance = set->tolerance};
  brinkReport report = {.structSize = sizeof report, .counters.structSize = sizeof report.counters};
  brinkStatus status = brink->setBodyMotion(pair->world, pair->side[0].body, &pair->side[0].motion);
  if (status == brink_ok) status = brink->setBodyMotion(pair->world, pair->side[1].body, &pair->side[1].motion);
  if (status == brink_ok) status = brink->firstContact(pair->world, &query, &report);
  if (status != brink_ok) fprintf(stderr, "brink-bench: %s\n", brink->lastError(pair->world));
  pair->answers[BRINK] = (Answer){report.state, report.toi};
  *distances = report.counters.distanceQueries;
  return status == brink_ok;
}

typedef struct Times {
  double all, hit, free, worst, distances; /* us */
  size_t hits, undecided;
} Times;

/* Each pair `inRow` times; best (us, of each pair) begins anew where `anew`. Returns the distances of all, < 0: failed.
 */
static double AskPass(const PairSet *set, Party party, int inRow, bool anew, double *best) {
  double sum = 0;
  for (size_t i = 0; i < set->count; ++i)
    for (int k = 0; k < inRow; ++k) {
      uint64_t distances = 0;
      const double start = bench_Now();
      Pair *pair = &set->pairs[i];
      if (!(party == BRINK ? AskBrink(set, pair, &distances) : AskPeer(set, pair, party, &distances))) {
        fprintf(stderr, "brink-bench: pair %zu: %s\n", i, party == BRINK ? "no answer" : "the peer failed");
        return -1;
      }
      const double taken = 1e3 * (bench_Now() - start);
      best[i] = anew && k == 0 ? taken : fmin(best[i], taken);
      sum += (double)distances;
    }
  return sum;
}

static bool IsContact(const Answer *answer) { return answer->state == brink_hit || answer->state == brink_overlap; }

static void SumUp(const PairSet *set, Party party, const double *best, Times *out) {
  for (size_t i = 0; i < set->count; ++i) {
    const Answer *answer = &set->pairs[i].answers[party];
    out->all += best[i] / (double)set->count;
    *(IsContact(answer) ? &out->hit : &out->free) += best[i];
    out->hits += IsContact(answer);
    out->undecided += answer->state == brink_unresolved;
    out->worst = fmax(out->worst, best[i]);
  }
  if (out->hits > 0) out->hit /= (double)out->hits;
  if (out->hits < set->count) out->free /= (double)(set->count - out->hits);
}

/* Passes of all in turns. A turn's first pass fetches what the others' pushed out of the caches, and what is built
 * once: of two passes the second is each party's own. FCL's trees of faces take hundreds of times as long: one turn. */
static bool AskAll(const PairSet *set, int repeats, bool hot, Times times[PARTIES]) {
  double *best = calloc(PARTIES * set->count, sizeof *best);
  bool good = best != NULL;
  for (int turn = 0; good && turn < (hot ? 1 : repeats); ++turn)
    for (Party party = BRINK; good && party < (!set->peer ? FCL_HULLS : turn == 0 ? PARTIES : FCL_FACES); ++party)
      for (int pass = turn > 0 && !set->peer ? 1 : 0; good && pass < 2; ++pass) {
        const bool inRow = hot && pass == 1 && party != FCL_FACES;
        const double distances = AskPass(set, party, inRow ? repeats : 1, turn == 0, best + party * set->count);
        good = distances >= 0;
        if (turn == 0 && pass == 0) times[party].distances = distances / (double)set->count;
      }
  for (Party party = BRINK; good && party < (set->peer ? PARTIES : FCL_HULLS); ++party)
    SumUp(set, party, best + party * set->count, &times[party]);
  free(best);
  return good;
}

/* ns a distance to 1e-10 of itself: all pairs of a pass at once, the clock is too coarse for one. */
static double TimeGjk(const PairSet *set, bool warm, double *iterations) {
  const brinkGjkLimits limits = {.relative = 1e-10, .enoughLower = INFINITY, .enoughUpper = -1};
  uint64_t steps = 0;
  const double start = bench_Now();
  for (size_t i = 0; i < set->count; ++i) {
    Pair *pair = &set->pairs[i];
    const brinkGjkCache cold = {0};
    brinkSeparation separation;
    brinkGjk(&pair->side[0].shape->piece, &pair->side[0].pose, &pair->side[1].shape->piece, &pair->side[1].pose,
             &limits, warm ? &pair->cache : &cold, &separation);
    pair->cache = separation.simplex;
    pair->distance = separation.upper;
    steps += separation.iterations;
  }
  const double taken = 1e6 * (bench_Now() - start) / (double)set->count;
  *iterations = (double)steps / (double)set->count;
  return taken;
}

static double TimePeerGjk(const PairSet *set) {
  const double start = bench_Now();
  for (size_t i = 0; i < set->count; ++i) set->pairs[i].peerDistance = AskPeerDistance(&set->pairs[i]);
  return 1e6 * (bench_Now() - start) / (double)set->count;
}

/* ---- telling */

static void PrintTimes(const char *who, const Times *times, const char *distances) {
  printf("%s: %.3f us a pair (hit %.3f, free %.3f, worst %.2f), %zu hits, %zu undecided, %.2f %s\n", who, times->all,
         times->hit, times->free, times->worst, times->hits, times->undecided, times->distances, distances);
}

/* The peer's line, and what it is in units of Brink's. Surfaces are no solids: one body inside the other is told, not
 * judged. */
static void PrintPeer(const PairSet *set, Party party, const char *who, const Times times[PARTIES]) {
  const Times *mine = &times[BRINK], *peer = &times[party];
  size_t only[2] = {0, 0};
  double apart = 0;
  for (size_t i = 0; i < set->count; ++i) {
    const Answer *answers = set->pairs[i].answers;
    const bool hit = IsContact(&answers[BRINK]), peerHit = IsContact(&answers[party]);
    only[0] += hit && !peerHit;
    only[1] += !hit && peerHit;
    if (hit && peerHit) apart = fmax(apart, fabs(answers[BRINK].toi - answers[party].toi));
  }
  PrintTimes(who, peer, "steps");
  printf(
      "  ratio %.2f (hit %.2f, free %.2f, worst %.2f); hits that only Brink has %zu, only FCL %zu; times apart by %.2g "
      "at most\n",
      peer->all / mine->all, mine->hit > 0 ? peer->hit / mine->hit : 0, mine->free > 0 ? peer->free / mine->free : 0,
      peer->worst / mine->worst, only[0], only[1], apart);
}

static void ReportGjk(const PairSet *set, int repeats) {
  double best[3] = {INFINITY, INFINITY, INFINITY}, iterations[2] = {0, 0}; /* cold, warm, the peer's */
  for (int turn = 0; turn < repeats; ++turn)
    for (int pass = 0; pass < 2; ++pass) /* two, as above */
      for (int side = 0; side < (set->peer ? 3 : 2); ++side)
        best[side] = fmin(best[side], side < 2 ? TimeGjk(set, side == 1, &iterations[side]) : TimePeerGjk(set));
  for (int warm = 0; warm < 2; ++warm)
    printf("GJK at the start, %s: %.0f ns, %.2f iterations\n", warm ? "warm" : "cold", best[warm], iterations[warm]);
  if (!set->peer) return;
  double apart = 0;
  for (size_t i = 0; i < set->count; ++i)
    apart = fmax(apart, fabs(fmax(0, set->pairs[i].peerDistance) - set->pairs[i].distance));
  printf("FCL, libccd's GJK, cold: %.0f ns\n  ratio to cold %.2f, to warm %.2f; distances apart by %.2g at most\n",
         best[2], best[2] / best[0], best[2] / best[1], apart);
}

int pairs_Run(const char *path, double tolerance, int repeats, bool hot, const char *peer) {
  if (peer != NULL && peer_Check(peer) != 0) return 2;
  brinkContext context;
  brinkInitContext(&context);
  PairSet set = {.brink = brinkEntry(BRINK_ABI_MAJOR, NULL), .tolerance = tolerance, .peer = peer != NULL};
  bool good = ReadSet(path, &set);
  size_t vertices = 0;
  for (size_t i = 0; good && i < set.count; ++i) {
    Pair *pair = &set.pairs[i];
    brinkStatus status = set.brink->createWorld(NULL, NULL, &pair->world);
    for (int k = 0; k < 2 && status == brink_ok; ++k) {
      status = MakeSide(set.brink, pair, &pair->side[k]);
      vertices += pair->side[k].vertexCount;
    }
    good = status == brink_ok && MakeAlone(&context, pair);
    for (int k = 0; k < 2 && good && set.peer; ++k) good = MakePeer(&context, &pair->side[k]);
    if (!good) fprintf(stderr, "brink-bench: pair %zu could not be made\n", i);
  }
  Times times[PARTIES];
  memset(times, 0, sizeof times);
  good = good && AskAll(&set, repeats, hot, times);
  if (good) {
    printf("%s: %zu pairs of %.0f vertices on average (%zu cases left out), eps %g m, %s\n", path, set.count,
           (double)vertices / (double)(2 * set.count), set.leftOut, tolerance,
           hot ? "HOT: each pair asked many times in a row" : "in passes over all pairs");
    PrintTimes("first contact, motions handed over", &times[BRINK], "distances");
    if (set.peer) {
      PrintPeer(&set, FCL_HULLS, "FCL, advancement by libccd's GJK of the hulls", times);
      PrintPeer(&set, FCL_FACES, "FCL, advancement by RSS trees of their faces", times);
    }
    ReportGjk(&set, repeats);
  }
  for (size_t i = 0; i < set.count; ++i) {
    if (set.pairs[i].world != NULL) set.brink->destroyWorld(set.pairs[i].world);
    for (int k = 0; k < 2; ++k) {
      FreePeer(&set.pairs[i].side[k]);
      if (set.pairs[i].side[k].shape != NULL) brinkDestroyShape(&context, set.pairs[i].side[k].shape);
      free(set.pairs[i].side[k].vertices);
    }
  }
  free(set.pairs);
  return good ? 0 : 1;
}
