/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_MEASURE_H
#define BRINK_BENCH_MEASURE_H
/* Asks the frames of a replay through the C ABI and sums up the columns of [CATCH] Tables 1 and 2. */
#include "brink/ccd.h"
#include "replay.h"

/* Times in ms: of each frame the minimum over its passes (or repeats), handing the motions over included. */
typedef struct benchRow {
  int frames, freeFrames, contacts, overlaps, unresolved; /* contacts: hit or overlap */
  double all, free, contact, worst;
  double pairsBefore, pairsSpatial, pairsTemporal; /* means per frame, as are the next */
  double advancements, distanceQueries, nodePairs;
} benchRow;

typedef struct benchAsk {
  uint32_t scheme, mode; /* brinkScheme, brinkQueryMode */
  uint32_t order;        /* of the Taylor models; 0 = intervals */
  bool separateBodies;   /* each body on its own, without its parent; parent and child are left out by hand */
  double tolerance;      /* m */
  int frames, repeats;   /* frames: the first so many, spread evenly over the replay; 0 = all */
  bool hot;              /* each frame is asked `repeats` times in a row, and finds its memory near: flatters. Else the
                          * frames are asked one after the other, in so many passes, as a program would. */
} benchAsk;

/* What a frame answered. */
typedef struct benchFrame {
  int frame; /* of the replay */
  double milliseconds;
  const brinkReport *report;
} benchFrame;

/* Called once for each frame, not timed; may be NULL. colliderOf turns handles back into colliders of the replay. */
typedef struct benchMirror benchMirror;
/* The replay behind the C ABI in a world of its own, whose shapes borrow the replay's blobs; NULL and a message on
 * failure. Worlds of one replay may be asked by different threads. */
benchMirror *bench_OpenMirror(const replayData *replay, const benchAsk *ask, char *message, size_t messageCapacity);
void bench_CloseMirror(benchMirror *mirror);
/* Hands over the motions of a frame and asks. report: the world's until the next question. */
brinkStatus bench_AskFrame(const benchMirror *mirror, const benchAsk *ask, int frame, brinkReport *report);
int bench_ColliderOf(const benchMirror *mirror, brinkColliderId collider);
typedef bool (*benchListener)(void *user, const benchMirror *mirror, const benchFrame *frame);

double bench_Now(void); /* ms */
bool bench_Measure(const replayData *replay, const benchAsk *ask, benchListener listener, void *user, benchRow *row,
                   char *message, size_t messageCapacity);
/* The same pass by pass, the first of them not timed: for questions that are to see the same clock. bench_EndPasses
 * sums up and frees. */
typedef struct benchPasses benchPasses;
benchPasses *bench_BeginPasses(const replayData *replay, const benchAsk *ask, benchListener listener, void *user,
                               char *message, size_t messageCapacity);
bool bench_Pass(benchPasses *passes);
bool bench_EndPasses(benchPasses *passes, benchRow *row, char *message, size_t messageCapacity);
/* Adds one frame's time and state to a row, and makes means of the sums. */
void benchRow_Add(benchRow *row, uint32_t state, double milliseconds);
void benchRow_Finish(benchRow *row);
/* The frame of the replay that stands at `index` of `asked`. */
int bench_FrameAt(const replayData *replay, int asked, int index);
#endif
