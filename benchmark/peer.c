/* SPDX-License-Identifier: BSD-3-Clause */
/* Brink and a peer side by side: see peer.h. The peer gets its pairs from the same prefilter of swept boxes, found by
 * Brink outside the peer's time; its loops over a frame's pairs are timed like Brink's frames, between Brink's passes.
 */
#include "peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "peer_fcl.h"

#ifdef BRINK_BENCH_HAS_FCL

typedef struct FramePairs { /* what spatial culling left in a frame, and what Brink answered */
  replayPair *pairs;
  uint32_t *states;
  double *tois;
  size_t count;
  int frame;
} FramePairs;

typedef struct Listener {
  FramePairs *frames;
  int count;
} Listener;

static bool keepPairs(void *user, const benchMirror *mirror, const benchFrame *frame) {
  Listener *listener = user;
  FramePairs *kept = &listener->frames[listener->count++];
  const size_t count = frame->report->contactCount;
  *kept = (FramePairs){.count = count, .frame = frame->frame};
  kept->pairs = malloc((count + 1) * sizeof *kept->pairs);
  kept->states = malloc((count + 1) * sizeof *kept->states);
  kept->tois = malloc((count + 1) * sizeof *kept->tois);
  for (size_t i = 0; i < count; ++i) {
    const brinkContact *contact = &frame->report->contacts[i];
    kept->pairs[i] =
        (replayPair){bench_ColliderOf(mirror, contact->colliderA), bench_ColliderOf(mirror, contact->colliderB)};
    kept->states[i] = contact->state;
    kept->tois[i] = contact->toi;
  }
  return true;
}

static void motionOf(const replayData *replay, int frame, int collider, brinkPose motion[2]) {
  const replayCollider *object = &replay->colliders[collider];
  motion[0] = motion[1] = object->pose;
  if (object->body < 0) return;
  const replayMove *move = &replay_Moves(replay, frame)[object->body];
  motion[0] = move->start;
  motion[1] = move->end;
}

typedef struct PeerAnswer {
  bool hit;
  double toi;
} PeerAnswer;

/* All pairs of a frame; `first` cuts each at the best contact so far. False when the peer failed. */
static bool askPeer(const replayData *replay, peerFclModel *const *models, const FramePairs *frame, double tolerance,
                    bool first, PeerAnswer *answers, bool *hit, long *steps) {
  double best = 1;
  *hit = false;
  *steps = 0;
  for (size_t i = 0; i < frame->count; ++i) {
    brinkPose motionA[2], motionB[2];
    motionOf(replay, frame->frame, frame->pairs[i].a, motionA);
    motionOf(replay, frame->frame, frame->pairs[i].b, motionB);
    double toi = 2;
    const int answer =
        peerFcl_FirstContact(models[replay->colliders[frame->pairs[i].a].mesh], motionA,
                             models[replay->colliders[frame->pairs[i].b].mesh], motionB, tolerance, best, &toi, steps);
    if (answer < 0) return false;
    if (answers != NULL) answers[i] = (PeerAnswer){answer > 0, toi};
    *hit = *hit || answer > 0;
    if (first && answer > 0) best = fmin(best, toi);
  }
  return true;
}

/* How the pairs' answers of the two differ: hits that only one has, and the largest difference of their times. */
static void compareAnswers(const FramePairs *frame, const PeerAnswer *answers, long only[2], double *apart) {
  for (size_t i = 0; i < frame->count; ++i) {
    const bool mine = frame->states[i] == brink_hit || frame->states[i] == brink_overlap;
    only[0] += mine && !answers[i].hit;
    only[1] += !mine && answers[i].hit;
    if (mine && answers[i].hit) *apart = fmax(*apart, fabs(frame->tois[i] - answers[i].toi));
  }
}

/* Brink's passes, spread evenly over the peer's frames: the processor's clock changes within seconds, and so it is the
 * same for both. */
typedef struct Turns {
  benchPasses *mine[2]; /* brink_modeFirst, brink_modePairs */
  int passes;           /* of each that are to be timed */
  long taken, frames;   /* the peer's frames so far, and in all */
} Turns;

static bool takeTurn(Turns *turns) {
  const long before = turns->passes * turns->taken / turns->frames;
  const long due = turns->passes * ++turns->taken / turns->frames;
  bool good = true;
  for (long i = before; i < due; ++i)
    for (int mode = 0; mode < 2; ++mode) good = good && bench_Pass(turns->mine[mode]);
  return good;
}

static bool measurePeer(const replayData *replay, peerFclModel *const *models, const Listener *listener, Turns *turns,
                        double tolerance, int repeats, bool first, benchRow *row, long only[2], double *apart) {
  *row = (benchRow){0};
  double *best = calloc((size_t)listener->count, sizeof *best);
  bool *hits = calloc((size_t)listener->count, sizeof *hits), good = best != NULL && hits != NULL;
  for (int pass = 0; pass < repeats; ++pass) /* as Brink is asked: frame after frame, in so many passes */
    for (int i = 0; good && i < listener->count; ++i) {
      const FramePairs *frame = &listener->frames[i];
      PeerAnswer *answers = malloc((frame->count + 1) * sizeof *answers);
      long steps = 0;
      const double start = crew_ThreadTime(); /* what interrupts these long frames does not count against the peer */
      good = answers != NULL && askPeer(replay, models, frame, tolerance, first, answers, &hits[i], &steps);
      const double taken = crew_ThreadTime() - start;
      if (pass == 0 || taken < best[i]) best[i] = taken;
      if (good && pass == 0) {
        if (!first) compareAnswers(frame, answers, only, apart);
        row->advancements += (double)steps;
        row->pairsSpatial += (double)frame->count;
      }
      free(answers);
      good = good && takeTurn(turns);
    }
  for (int i = 0; good && i < listener->count; ++i) benchRow_Add(row, hits[i] ? brink_hit : brink_free, best[i]);
  free(best);
  free(hits);
  if (good) benchRow_Finish(row);
  return good;
}

static bool makeModels(const replayData *replay, peerFclModel **models, char *message, size_t messageCapacity) {
  for (int i = 0; i < replay->meshCount; ++i) {
    brinkMesh mesh = {0};
    if (brinkImportMesh(replay->meshes[i].path, 0, &mesh, message, messageCapacity) != brink_ok) return false;
    models[i] = peerFcl_MakeModel(mesh.vertices, mesh.vertexCount, mesh.indices, mesh.triangleCount);
    brinkFreeMesh(&mesh);
    if (models[i] != NULL) continue;
    snprintf(message, messageCapacity, "%s: FCL could not build its tree", replay->meshes[i].path);
    return false;
  }
  return true;
}

static void printRow(FILE *out, const char *name, const benchRow *row) {
  fprintf(out, "| %-34s | %9.4f | %9.4f | %9.4f | %9.4f | %4d |\n", name, row->all, row->free, row->contact, row->worst,
          row->contacts);
}

static void printRatio(FILE *out, const char *name, const benchRow *peer, const benchRow *mine) {
  fprintf(out, "| %-34s | %8.0fx | %8.0fx | %8.0fx | %8.0fx |      |\n", name, peer->all / mine->all,
          mine->free > 0 ? peer->free / mine->free : 0, mine->contact > 0 ? peer->contact / mine->contact : 0,
          peer->worst / mine->worst);
}

static void printTable(FILE *out, const benchRow mine[2], const benchRow peer[2]) {
  fprintf(out, "| %-34s | %9s | %9s | %9s | %9s | hits |\n|---|---|---|---|---|---|\n", "ms per frame", "T_a", "T_f",
          "T_c", "T_w");
  printRow(out, "Brink, first contact", &mine[0]);
  printRow(out, "FCL RSS nodes, cut at the first", &peer[0]);
  printRatio(out, "ratio", &peer[0], &mine[0]);
  printRow(out, "Brink, every pair", &mine[1]);
  printRow(out, "FCL RSS nodes, every pair", &peer[1]);
  printRatio(out, "ratio", &peer[1], &mine[1]);
  printRatio(out, "FCL every pair / Brink first", &peer[1], &mine[0]);
}

int peer_Check(const char *peer) {
  if (strcmp(peer, "fcl") == 0) return 0;
  fprintf(stderr, "brink-bench: no peer '%s'; fcl is known\n", peer);
  return 2;
}

int peer_Compare(const char *peer, const replayData *replay, double tolerance, int frames, int repeats,
                 FILE *markdown) {
  const int unknown = peer_Check(peer);
  if (unknown != 0) return unknown;
  char message[512] = "out of memory";
  benchAsk ask = {.order = 3, .separateBodies = true, .tolerance = tolerance, .frames = frames, .repeats = repeats};
  printf("asked in passes over all frames, Brink's and the peer's in turns, the fastest of %d of each (peer: %d)\n\n",
         repeats, repeats < 3 ? repeats : 3);
  benchRow mine[2], theirs[2];
  Listener listener = {.frames = calloc((size_t)replay->frameCount, sizeof *listener.frames)};
  peerFclModel **models = calloc((size_t)replay->meshCount, sizeof *models);
  bool good = listener.frames != NULL && models != NULL;
  good = good && makeModels(replay, models, message, sizeof message);
  Turns turns = {.passes = repeats > 1 ? repeats : 0};
  for (int mode = 0; mode < 2 && good; ++mode) {
    ask.mode = mode == 0 ? brink_modeFirst : brink_modePairs;
    turns.mine[mode] =
        bench_BeginPasses(replay, &ask, mode == 0 ? NULL : keepPairs, &listener, message, sizeof message);
    good = turns.mine[mode] != NULL && bench_Pass(turns.mine[mode]);
  }
  long only[2] = {0, 0};
  double apart = 0;
  const int peerRepeats = repeats < 3 ? repeats : 3;
  turns.frames = 2L * peerRepeats * listener.count;
  for (int first = 1; good && first >= 0; --first) {
    good = measurePeer(replay, models, &listener, &turns, tolerance, peerRepeats, first == 1, &theirs[1 - first], only,
                       &apart);
    if (!good) snprintf(message, sizeof message, "FCL failed");
  }
  for (int mode = 0; mode < 2; ++mode)
    if (!bench_EndPasses(turns.mine[mode], &mine[mode], message, sizeof message)) good = false;
  if (good) {
    printTable(stdout, mine, theirs);
    printf(
        "pairs after spatial culling %.2f a frame; FCL's advancements %.2f a pair; hits that only Brink has %ld, only "
        "FCL %ld;"
        " times apart by %.2g at most\n",
        theirs[1].pairsSpatial, theirs[1].advancements / theirs[1].pairsSpatial, only[0], only[1], apart);
    if (markdown != NULL) printTable(markdown, mine, theirs);
  } else {
    fprintf(stderr, "brink-bench: %s\n", message);
  }
  for (int i = 0; i < listener.count; ++i) {
    free(listener.frames[i].pairs);
    free(listener.frames[i].states);
    free(listener.frames[i].tois);
  }
  for (int i = 0; models != NULL && i < replay->meshCount; ++i) peerFcl_FreeModel(models[i]);
  free(models);
  free(listener.frames);
  return good ? 0 : 1;
}

#else

int peer_Check(const char *peer) {
  fprintf(stderr,
          "brink-bench: this build has no peer '%s'; install libfcl-dev and configure with -DBRINK_BENCH_FCL=ON for "
          "'fcl'\n",
          peer);
  return 2;
}

int peer_Compare(const char *peer, const replayData *replay, double tolerance, int frames, int repeats,
                 FILE *markdown) {
  (void)replay, (void)tolerance, (void)frames, (void)repeats, (void)markdown;
  return peer_Check(peer);
}

#endif
