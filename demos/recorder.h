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
int recording_Frames(const recording *self);  /* samples taken */
double recording_Step(const recording *self); /* s between samples */
size_t recording_VisualCount(const recording *self);
/* items: [recording_VisualCount], borrowed meshes. Parts that are through at this sample are marked RENDER_XRAY. */
void recording_Items(const recording *self, int sample, renderItem *items);
void recording_Camera(const recording *self, int sample, renderCamera *camera);
int recording_Through(const recording *self, int sample);
double recording_Depth(const recording *self, int sample); /* m, worst */
/* Impact points of the samples in [first, last]: up to capacity are written to points; returns how many. */
size_t recording_Impacts(const recording *self, int first, int last, double (*points)[3], size_t capacity);
/* Sample of the first impact, or -1. */
int recording_FirstImpact(const recording *self);

bool recording_WriteGlb(const recording *self, const char *path, char *message, size_t messageCapacity);

typedef struct recordingPage {
  const char *title, *verdict, *throughText;
  const char *threeDir; /* folder of libjs-three: holds three.min.js and examples/js */
} recordingPage;
/* Returns 1 written, 0 skipped because three.js is not installed (message names the package), -1 failed. */
int recording_WriteHtml(const recording *plain, const recording *brink, const recordingPage *page, const char *path,
                        char *message, size_t messageCapacity);

#endif
