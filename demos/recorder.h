/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_RECORDER_H
#define BRINK_RECORDER_H
/* A run on paper: meshes, poses of every frame, impacts and counts, kept after the scene is gone. Drawn by render.h,
 * written as an animated GLB (glTF 2.0) and, for two runs, as one self-contained HTML page that plays them side by
 * side. Thread rule: one recording per thread. */
#include <stdbool.h>
#include <stddef.h>

#include "render.h"
#include "scene.h"

typedef struct recording recording;

/* Copies the visuals' meshes. step: s between samples. NULL when there is no memory. */
recording *recording_Create(const demoVisual *visuals, size_t visualCount, double step);
void recording_Destroy(recording *self); /* NULL is a no-op */
/* Takes the present poses; frame NULL = the start. eye, target: the scene's camera now. False: no memory. */
bool recording_Sample(recording *self, const demoVisual *visuals, const demoFrame *frame, const double eye[3],
                      const double target[3]);
/* The cut of the last sample (demoSceneDef.cutaway); levels: base and bedrock, m. */
void recording_CutAway(recording *self, const double (*points)[3], size_t count, const double levels[2]);
/* NULL: nothing is cut away at this sample. Valid until the next call. */
const renderCut *recording_Cut(recording *self, int sample);
int recording_Frames(const recording *self);  /* samples taken */
double recording_Step(const recording *self); /* s between samples */
size_t recording_VisualCount(const recording *self);
/* items: [recording_VisualCount], borrowed meshes. Parts that are through at this sample are marked RENDER_XRAY. */
void recording_Items(const recording *self, int sample, renderItem *items);
void recording_Camera(const recording *self, int sample, renderCamera *camera);
int recording_Through(const recording *self, int sample);
int recording_Ever(const recording *self, int sample); /* parts that were through at this sample or before */
/* m: the farthest that any visual's origin is at this sample from where it is in the other run, or was at the start. */
double recording_Difference(const recording *self, const recording *other, int sample);
double recording_Moved(const recording *self, int sample);
double recording_Depth(const recording *self, int sample); /* m, worst */
/* Impact points of the samples in [first, last]: up to capacity are written to points; returns how many. */
size_t recording_Impacts(const recording *self, int first, int last, double (*points)[3], size_t capacity);
/* Notes of visuals that are set at this sample (demoVisual.note), up to capacity; returns how many. */
typedef struct recordedNote {
  const char *text;
  int from;        /* the sample since which it is set */
  double place[3]; /* m, below the middle of what it tells of */
} recordedNote;
size_t recording_Notes(const recording *self, int sample, recordedNote *notes, size_t capacity);
/* Sample of the first impact, or -1. */
int recording_FirstImpact(const recording *self);

bool recording_WriteGlb(const recording *self, const char *path, char *message, size_t messageCapacity);

typedef struct recordingPage {
  const char *title, *verdict, *throughText;
  const char *plainText, *brinkText; /* the headline's two halves */
  int partCount;                     /* 0: nothing is counted, the scene is at rest */
  bool good;                         /* the promise was kept */
  const char *threeDir;              /* folder of libjs-three: holds three.min.js and examples/js */
} recordingPage;
/* One self-contained page that plays both runs (run_page.c). Returns 1 written, 0 skipped because three.js is not
 * installed (message names the package), -1 failed. */
int recording_WriteHtml(const recording *plain, const recording *brink, const recordingPage *page, const char *path,
                        char *message, size_t messageCapacity);

#endif
